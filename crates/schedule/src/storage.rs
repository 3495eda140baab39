//! Anti and output dependences, and what privatisation does about them (ALGORITHMS 2.6).
//!
//! Never counted: registers. Removed silently: storage of activations created inside the loop; and, if every iteration
//! writes it before it reads it and nothing reads it after the loop, unnamed parts of stack frames (spills, saved
//! registers) and variables whose scope lies inside the loop. Any other variable with that property needs advice. What is
//! left blocks.

use profile::{
    ContextIndex, Dependence, Kind, Object, ObjectIndex, ObjectKind, ObjectUse, Operation, Profile,
    StatementIndex,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::{Edge, LoopEdges, dimension, is_inside, is_optimised};
use crate::scev::is_scoped;

/// What becomes of one object's anti and output dependences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Remedy {
    /// Nothing has to be said.
    Silent,
    /// Privatised without advice; the name is listed.
    Scoped,
    /// Must be privatised.
    Privatise,
    /// Cannot be privatised.
    Blocks,
}

/// Flow dependences, as needed to see whether reads are preceded by writes of the same iteration, and what is read after loops.
#[derive(Debug, Default)]
pub struct Coverage {
    /// Per load access: flow dependences into it.
    into: FxHashMap<u32, Vec<u32>>,
    /// Per statement the access that stands for what calls read there.
    of_calls: FxHashMap<StatementIndex, u32>,
    /// Per loop the objects whose content, written inside it, is read after the instance of the loop that wrote it.
    read_after: FxHashMap<ContextIndex, FxHashSet<ObjectIndex>>,
}

impl Coverage {
    /// Indexes the flow dependences through memory by the load they end at.
    pub fn new(profile: &Profile) -> Coverage {
        let accesses = profile.accesses.iter().zip(0..);
        let of_calls: FxHashMap<_, _> =
            accesses.filter(|(own, _)| own.is_of_calls()).map(|(own, at)| (own.statement, at)).collect();
        let mut into: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (index, d) in profile.dependences.iter().enumerate() {
            if d.kind == Kind::Flow
                && d.memory
                && let Some(access) = d.sink_access.or_else(|| of_calls.get(&d.sink).copied())
            {
                into.entry(access).or_default().push(index as u32);
            }
        }
        Coverage { into, of_calls, read_after: read_after(profile) }
    }

    /// The access that reads at the source of an anti dependence.
    fn reader(&self, d: &Dependence) -> Option<u32> {
        d.source_access.or_else(|| self.of_calls.get(&d.source).copied())
    }

    /// Whether what a loop writes to an object is read after the instance of the loop that wrote it.
    fn is_read_after(&self, context: ContextIndex, object: ObjectIndex) -> bool {
        self.read_after.get(&context).is_some_and(|objects| objects.contains(&object))
    }

    /// Whether every execution of a load reads what the same iteration of the loop of dimension `dim` wrote.
    pub(crate) fn is_covered(
        &self,
        profile: &Profile,
        access: u32,
        context: ContextIndex,
        dim: usize,
    ) -> bool {
        self.covered(profile, access, context, dim) >= profile.accesses[access as usize].executions
    }

    /// How many executions of a load read what the same iteration of the loop of dimension `dim` wrote; several bytes of
    /// one may count several times.
    fn covered(&self, profile: &Profile, access: u32, context: ContextIndex, dim: usize) -> u64 {
        self.into
            .get(&access)
            .into_iter()
            .flatten()
            .map(|&d| &profile.dependences[d as usize])
            .filter(|d| is_inside(profile, d.source, context))
            .flat_map(|d| d.levels.iter())
            .filter(|l| usize::from(l.level) > dim)
            .map(|l| l.count)
            .sum()
    }
}

/// How the iterations of a loop use an object that several of them write, or that one writes and an earlier one read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Uses {
    /// Some iteration reads what it did not write.
    pub is_exposed: bool,
    /// A load that does so reads what its own iteration wrote at other times.
    pub is_mixed: bool,
    /// An iteration passes something on to a later one.
    pub is_handed_on: bool,
    /// It is read after the loop.
    pub is_read_after: bool,
    /// Several iterations write the same bytes.
    pub is_overwritten: bool,
    /// No iteration reads what it wrote: it is what the loop is for, not scratch of it, whoever reads it afterwards.
    pub is_only_written: bool,
}

/// One object met by carried anti or output dependences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The object; [`ObjectIndex::MAX`] if it is not known.
    pub object: ObjectIndex,
    /// What becomes of it.
    pub remedy: Remedy,
    /// How it is used.
    pub uses: Uses,
    /// The dependences on it: indices into [`Profile::dependences`], that which decided first.
    pub dependences: Vec<u32>,
}

/// Which statements' dependences through an object are dealt with otherwise: induction variables, reductions.
pub type Skip<'a> = dyn Fn(StatementIndex, &ObjectUse) -> bool + 'a;

/// Judges all anti and output dependences that loop `context` carries. `skip` names statements whose dependences are
/// dealt with otherwise (induction variables, reductions).
pub fn judge(
    profile: &Profile,
    context: ContextIndex,
    inside: &LoopEdges,
    coverage: &Coverage,
    skip: &Skip<'_>,
) -> Vec<Finding> {
    let dim = dimension(profile, context);
    let mut out: Vec<Finding> = Vec::new();
    let handed_on = handed_on(profile, dim, inside, skip);
    let read_inside = read_inside(profile, dim, inside);
    for edge in inside.edges.iter().filter(|e| e.carried) {
        let d = &profile.dependences[edge.dependence as usize];
        if d.kind == Kind::Flow {
            continue;
        }
        // Return addresses are no data.
        let returns = d.kind == Kind::Anti
            && profile.statements[d.source as usize].operation == Operation::Control
            && d.levels.iter().flat_map(|l| &l.objects).all(|used| {
                profile.objects.get(used.object as usize).is_some_and(|o| o.kind == ObjectKind::Frame)
            });
        if returns {
            continue;
        }
        // What was added to a dependence that was seen is on the same objects.
        let at_dim = |l: &&profile::LevelSummary| usize::from(l.level) == dim && l.count > 0;
        let Some(level) = d.levels.iter().find(at_dim) else { continue };
        let exposed = d.kind == Kind::Anti
            && coverage.reader(d).is_none_or(|a| !coverage.is_covered(profile, a, context, dim));
        let is_mixed =
            exposed && coverage.reader(d).is_none_or(|a| coverage.covered(profile, a, context, dim) > 0);
        for used in level.objects.iter().filter(|used| !(skip(d.source, used) && skip(d.sink, used))) {
            let object = &profile.objects[used.object as usize];
            // What a reference to a temporary reads may also be something else (`max(i, 5)`): only the former lies there.
            let is_temporary = is_mixed
                && is_of_own_frame(profile, context, object)
                && !is_optimised(profile, context)
                && !is_read_from_outside(profile, context, d, level.address);
            let uses = Uses {
                is_exposed: exposed && !is_temporary,
                is_mixed: is_mixed && !is_temporary,
                is_handed_on: handed_on.contains(&used.object),
                is_read_after: coverage.is_read_after(context, used.object),
                is_overwritten: d.kind == Kind::Output,
                is_only_written: !read_inside.contains(&used.object),
            };
            let remedy = remedy(profile, context, object, used.callee, uses);
            match out.iter_mut().find(|f| f.object == used.object) {
                Some(finding) => finding.join(remedy, uses, edge.dependence),
                None => {
                    let dependences = vec![edge.dependence];
                    out.push(Finding { object: used.object, remedy, uses, dependences });
                }
            }
        }
        let unknown = ObjectUse { object: ObjectIndex::MAX, offset: 0, callee: false };
        if level.objects.is_empty() && !(skip(d.source, &unknown) && skip(d.sink, &unknown)) {
            out.push(Finding {
                object: ObjectIndex::MAX,
                remedy: Remedy::Blocks,
                uses: Uses::default(),
                dependences: vec![edge.dependence],
            });
        }
    }
    out
}

impl Finding {
    /// What one more dependence on the object adds.
    fn join(&mut self, remedy: Remedy, uses: Uses, dependence: u32) {
        if self.remedy < remedy {
            self.remedy = remedy;
            self.dependences.insert(0, dependence);
        } else {
            self.dependences.push(dependence);
        }
        self.uses.is_exposed |= uses.is_exposed;
        self.uses.is_mixed |= uses.is_mixed;
        self.uses.is_overwritten |= uses.is_overwritten;
    }
}

/// Objects through which an iteration of the loop of dimension `dim` hands something on to a later one: even where what is
/// overwritten was read in its own iteration, they cannot be private.
fn handed_on(profile: &Profile, dim: usize, inside: &LoopEdges, skip: &Skip<'_>) -> Vec<ObjectIndex> {
    let carried =
        inside.edges.iter().filter(|e| e.carried).map(|e| &profile.dependences[e.dependence as usize]);
    let flows = carried.filter(|d| d.kind == Kind::Flow && d.memory);
    let used = flows.flat_map(|d| {
        let levels = d.levels.iter().filter(|l| usize::from(l.level) == dim);
        levels.flat_map(|level| &level.objects).filter(|used| !skip(d.source, used))
    });
    used.map(|used| used.object).collect()
}

/// Objects of which an iteration of the loop of dimension `dim` reads what it wrote itself.
fn read_inside(profile: &Profile, dim: usize, inside: &LoopEdges) -> Vec<ObjectIndex> {
    let of = |edge: &Edge| &profile.dependences[edge.dependence as usize];
    let within =
        || inside.edges.iter().filter(|e| e.within).map(of).filter(|d| d.kind == Kind::Flow && d.memory);
    let levels = within().flat_map(|d| d.levels.iter().filter(|l| usize::from(l.level) > dim));
    let mut out: Vec<ObjectIndex> = levels.flat_map(|level| &level.objects).map(|used| used.object).collect();
    // Within one iteration of all loops objects are not noted: what is read back was written by a store that meets others in some object.
    // What calls write has no access: their statement stands for it.
    let (source, sink) =
        (|d: &Dependence| (d.source, d.source_access), |d: &Dependence| (d.sink, d.sink_access));
    let read_back: FxHashSet<_> = within().map(source).collect();
    for d in inside.edges.iter().filter(|e| e.carried).map(of) {
        let is_read_back = match d.kind {
            Kind::Flow => read_back.contains(&source(d)),
            Kind::Anti => read_back.contains(&sink(d)),
            Kind::Output => read_back.contains(&source(d)) || read_back.contains(&sink(d)),
        };
        if is_read_back {
            let levels = d.levels.iter().filter(|l| usize::from(l.level) == dim);
            out.extend(levels.flat_map(|level| &level.objects).map(|used| used.object));
        }
    }
    out
}

/// The anti and output dependences that the loop of dimension `dim` carries and that no remedy removes.
pub fn ordering(
    profile: &Profile,
    dim: usize,
    inside: &LoopEdges,
    findings: &[Finding],
    skip: &Skip<'_>,
) -> Vec<u32> {
    let blocks =
        |object: ObjectIndex| findings.iter().any(|f| f.object == object && f.remedy == Remedy::Blocks);
    let carried = inside.edges.iter().filter(|e| e.carried).map(|e| e.dependence);
    carried
        .filter(|&index| {
            let d = &profile.dependences[index as usize];
            let level = d.levels.iter().find(|l| usize::from(l.level) == dim);
            d.kind != Kind::Flow
                && level.is_some_and(|l| {
                    let counts = |o: &&ObjectUse| !(skip(d.source, o) && skip(d.sink, o));
                    l.objects.is_empty() || l.objects.iter().filter(counts).any(|o| blocks(o.object))
                })
        })
        .collect()
}

/// Whether an object is a place without a name in the frame of a loop's function.
fn is_of_own_frame(profile: &Profile, context: ContextIndex, object: &Object) -> bool {
    let entry =
        profile.contexts.get(context as usize).and_then(|own| profile.functions.get(own.function as usize));
    object.kind == ObjectKind::Frame
        && object.owner.zip(entry).is_none_or(|(owner, own)| owner.0 <= own.entry && own.entry < owner.1)
}

/// Whether the source of a dependence reads at an address what was written there before the loop: what `alloca` gives has no name either.
fn is_read_from_outside(
    profile: &Profile,
    context: ContextIndex,
    d: &profile::Dependence,
    address: u64,
) -> bool {
    let holds = |access: u32| {
        let bytes = profile.accesses.get(access as usize).and_then(profile::Access::bytes);
        bytes.is_none_or(|(start, end)| (start..end).contains(&(address as i64)))
    };
    profile.dependences.iter().any(|flow| {
        flow.memory
            && flow.kind == Kind::Flow
            && flow.sink_access == d.source_access
            && !is_inside(profile, flow.source, context)
            && flow.source_access.is_none_or(holds)
    })
}

fn remedy(profile: &Profile, context: ContextIndex, object: &Object, callee: bool, uses: Uses) -> Remedy {
    if callee {
        return Remedy::Silent;
    }
    // A variable of the body is another one in every iteration.
    if object.kind == ObjectKind::Stack && is_scoped(profile, context, object) {
        return Remedy::Scoped;
    }
    if uses.is_exposed || uses.is_handed_on || uses.is_read_after {
        return Remedy::Blocks;
    }
    // Variables without a place in the debug information lie there too: only their use tells them from spills. In the frames of
    // callers there is nothing but variables.
    if is_of_own_frame(profile, context, object) {
        return Remedy::Silent;
    }
    match object.kind {
        // State of the system has one place.
        ObjectKind::System => Remedy::Blocks,
        _ if object.is_volatile || uses.is_only_written => Remedy::Blocks,
        _ => Remedy::Privatise,
    }
}

/// Per loop the objects whose content, written inside it, is read after the instance of the loop that wrote it.
fn read_after(profile: &Profile) -> FxHashMap<ContextIndex, FxHashSet<ObjectIndex>> {
    let mut out: FxHashMap<ContextIndex, FxHashSet<ObjectIndex>> = FxHashMap::default();
    let mut chains: FxHashMap<ContextIndex, Vec<ContextIndex>> = FxHashMap::default();
    for d in profile.dependences.iter().filter(|d| d.kind == Kind::Flow && d.memory) {
        // What an allocator looks at in a block that is freed is its own bookkeeping.
        if profile.contexts[profile.context_of(d.sink) as usize].allocator {
            continue;
        }
        let context = profile.context_of(d.source);
        for &around in chains.entry(context).or_insert_with(|| profile.loops_around(context)).iter() {
            let dim = dimension(profile, around);
            // Same instance of the loop: carried by it or inside it, with both ends in it.
            let leaves = |level: &&profile::LevelSummary| {
                usize::from(d.common) <= dim || usize::from(level.level) < dim
            };
            let objects = d.levels.iter().filter(leaves).flat_map(|level| &level.objects);
            // What a library keeps for a thread and reads itself is of no use to anybody else.
            let is_theirs = |object: ObjectIndex| {
                let object = profile.objects.get(object as usize);
                object.is_some_and(|object| object.thread_local && object.library)
            };
            let is_own = profile.is_own(profile.context_of(d.sink));
            let objects = objects.map(|used| used.object).filter(|&object| is_own || !is_theirs(object));
            let mut objects = objects.peekable();
            if objects.peek().is_some() {
                out.entry(around).or_default().extend(objects);
            }
        }
    }
    out
}
