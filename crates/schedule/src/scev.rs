//! Induction variables of a loop (ALGORITHMS 2.3, by operation instead of by value).
//!
//! A statement is a SCEV of loop L if its value is provably a function of the iteration alone: it is a linear operation
//! whose operands are SCEVs, constants or invariants of L; a load counts only if its address does not move inside L.
//! A cycle counts if it consists of moves and additions of invariants, each executed once per iteration, with inner loops
//! around them of constant length; if only inner loops carry it, it may begin with and add SCEVs. A cycle counts too if
//! iterations take different ways through it, provided that all ways add the same ([`crate::ways`]). Iterations must hand on
//! one value alone: two that change places are functions of the iteration's parity. A store outside of such cycles counts only if
//! every iteration executes it at one address and no later iteration reads what it wrote: what is found at moving addresses,
//! under a condition or from the iteration before is no function of the iteration, be the values stored as simple as they
//! may. (A register saved on the stack need not be saved in every iteration.) If its values differ, which of them is left
//! afterwards depends on the order. Affinity follows from the operations, so
//! no values need to be recorded, and values that are affine by accident (a prefix sum over equal data) are not taken for
//! induction variables.
//!
//! *Every iteration* is a question to the decoded control flow, not to the run: [`crate::always`].
//!
//! A cycle may be ignored only where its value lives in a place that nobody else can see: a register, an unnamed slot of a stack
//! frame, the loop's own iterator, or a variable of its body. In any other place it is an [`Induction`]: to run iterations in another
//! order it has to be written anew as a function of the iteration.

use profile::place::is_of_standard_library;
use profile::{
    ContextIndex, Dependence, Kind, ObjectIndex, ObjectKind, ObjectUse, Operation, Profile, StatementIndex,
    Use,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{Facts, Role};
use crate::graph::{LoopEdges, components, dimension, is_flow};
use crate::ways;
use crate::{advance, always};

/// What is known about the statements of a loop; statements without flow edges inside the loop are asked for singly.
#[derive(Debug, Default)]
pub struct Scevs {
    scev: FxHashSet<StatementIndex>,
    recomputable: FxHashSet<StatementIndex>,
    /// Those among `scev` that store other values in other iterations, without reading them back.
    stores: FxHashSet<StatementIndex>,
    /// Cycles whose place others can see.
    pub inductions: Vec<Induction>,
}

/// A variable that iterations advance, in a place that others can see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Induction {
    /// The variable.
    pub object: ObjectIndex,
    /// The statements of its cycle, ascending.
    pub statements: Vec<StatementIndex>,
    /// What is added in each iteration, if that is a constant.
    pub step: Option<i64>,
    /// It is advanced in the loop's own activation, not in a function that it calls.
    pub is_direct: bool,
}

impl Scevs {
    /// Whether a statement inside the loop is an induction variable or invariant in a place of its own.
    pub fn contains(&self, statement: StatementIndex) -> bool {
        self.scev.contains(&statement) && !self.is_induction(statement)
    }

    /// Whether the storage of a statement needs no thought either, in a place that nobody else sees: iterations leave it as a closed
    /// form says, in any order.
    pub fn is_own_storage(&self, statement: StatementIndex) -> bool {
        self.contains(statement) && !self.stores.contains(&statement)
    }

    /// Whether a statement advances a variable that others can see.
    pub fn is_induction(&self, statement: StatementIndex) -> bool {
        self.inductions.iter().any(|induction| induction.statements.binary_search(&statement).is_ok())
    }

    /// Whether a statement's value is a function of the iteration alone because nothing it depends on is carried by
    /// the loop and no memory it reads is written there. A register that hands such a value to the next iteration
    /// (predictive commoning, software pipelining) saves work but orders nothing.
    pub fn is_recomputable(&self, statement: StatementIndex) -> bool {
        self.recomputable.contains(&statement) || self.scev.contains(&statement)
    }
}

/// What each statement reads: accesses, to test whether addresses move, and flow dependences that end there.
#[derive(Debug, Default)]
pub struct Reads {
    of: FxHashMap<StatementIndex, Vec<u32>>,
    writes: FxHashMap<StatementIndex, Vec<u32>>,
    flow: FxHashMap<StatementIndex, Vec<u32>>,
    /// Loads that are the first half of an update.
    in_place: FxHashSet<u32>,
    /// Statements of calls that read or write memory beside their own accesses: what those leave is no function of what they are given.
    calls: FxHashSet<StatementIndex>,
    /// Statements from which some other one reads through memory.
    read_back: FxHashSet<StatementIndex>,
    /// Per object the locations of statements that read it.
    places: FxHashMap<ObjectIndex, FxHashSet<u32>>,
}

impl Reads {
    /// Collects the accesses and flow dependences of all statements.
    pub fn new(profile: &Profile) -> Reads {
        let mut of: FxHashMap<StatementIndex, Vec<u32>> = FxHashMap::default();
        let mut writes: FxHashMap<StatementIndex, Vec<u32>> = FxHashMap::default();
        for (index, access) in profile.accesses.iter().enumerate().filter(|own| !own.1.is_of_calls()) {
            let list = if access.write { &mut writes } else { &mut of };
            list.entry(access.statement).or_default().push(index as u32);
        }
        let mut flow: FxHashMap<StatementIndex, Vec<u32>> = FxHashMap::default();
        let mut places: FxHashMap<ObjectIndex, FxHashSet<u32>> = FxHashMap::default();
        let mut read_back: FxHashSet<StatementIndex> = FxHashSet::default();
        let mut calls: FxHashSet<StatementIndex> = FxHashSet::default();
        for (index, d) in profile.dependences.iter().enumerate().filter(|(_, d)| is_flow(d)) {
            flow.entry(d.sink).or_default().push(index as u32);
            if d.memory {
                read_back.insert(d.source);
                calls.extend(d.source_access.is_none().then_some(d.source));
                calls.extend(d.sink_access.is_none().then_some(d.sink));
            }
            let location = profile.statements[d.sink as usize].location;
            for used in d.levels.iter().flat_map(|level| &level.objects) {
                places.entry(used.object).or_default().insert(location);
            }
        }
        // How often a load's cell is overwritten in the same iteration of all loops around, and by which store.
        let mut overwritten: FxHashMap<(u32, u32), u64> = FxHashMap::default();
        for d in profile.dependences.iter().filter(|d| is_of_update(profile, d)) {
            let same = d.levels.iter().filter(|level| level.level == d.common).map(|level| level.count);
            let Some(pair) = d.source_access.zip(d.sink_access) else { continue };
            let own = overwritten.entry(pair).or_default();
            *own = same.fold(*own, u64::saturating_add);
        }
        let executions =
            |access: u32| profile.accesses.get(access as usize).map_or(u64::MAX, |access| access.executions);
        let mut by_load: FxHashMap<u32, u64> = FxHashMap::default();
        let mut in_place: FxHashSet<u32> = FxHashSet::default();
        for (&(load, store), &count) in &overwritten {
            let own = by_load.entry(load).or_default();
            *own = own.saturating_add(count);
            // All that it stores replaces what this load has read: under a condition, a minimum or the like.
            if count > 0 && count >= executions(store) {
                in_place.insert(load);
            }
        }
        in_place
            .extend(by_load.into_iter().filter(|&(load, own)| own >= executions(load)).map(|(load, _)| load));
        Reads { of, writes, flow, in_place, calls, read_back, places }
    }

    /// Whether a load is the first half of an update: what it reads is overwritten in the same iteration of all loops around, always or
    /// whenever the store of that iteration runs.
    pub fn is_in_place(&self, access: u32) -> bool {
        self.in_place.contains(&access)
    }

    /// Whether all loads of a statement are first halves of updates.
    pub fn are_in_place(&self, statement: StatementIndex) -> bool {
        self.of.get(&statement).into_iter().flatten().all(|&access| self.is_in_place(access))
    }

    /// Whether a statement on the line of a loop reads an object.
    fn is_read_on_line_of(&self, profile: &Profile, context: ContextIndex, object: ObjectIndex) -> bool {
        let Some(own) = profile.contexts.get(context as usize) else { return false };
        let own = profile.location(own.location);
        // Statements on one line may be in several columns.
        self.places.get(&object).into_iter().flatten().any(|&place| {
            let place = profile.location(place);
            (place.line, &place.file) == (own.line, &own.file)
        })
    }

    /// The flow dependences on which a statement's value depends.
    pub fn sources<'a>(
        &'a self,
        profile: &'a Profile,
        statement: StatementIndex,
    ) -> impl Iterator<Item = &'a Dependence> {
        let of = self.flow.get(&statement).map_or(&[][..], Vec::as_slice);
        of.iter().map(|&d| &profile.dependences[d as usize]).filter(|d| d.role != Use::Address)
    }

    /// Whether every load of the statement reads one address while a loop of dimension `dim` runs.
    pub fn are_fixed(&self, profile: &Profile, statement: StatementIndex, dim: usize) -> bool {
        let Some(reads) = self.of.get(&statement) else { return true };
        reads.iter().all(|&r| is_fixed(&profile.accesses[r as usize].address, dim))
    }

    /// Whether a statement stores at addresses that move while a loop of dimension `dim` runs.
    pub fn stores_along(&self, profile: &Profile, statement: StatementIndex, dim: usize) -> bool {
        self.stores(statement) && !self.stay(profile, statement, dim)
    }

    /// Whether a statement stores into memory what nobody has read there.
    pub fn stores_unread(&self, statement: StatementIndex) -> bool {
        self.stores(statement) && !self.read_back.contains(&statement)
    }

    /// Whether a statement does nothing with memory.
    pub fn stays_in_registers(&self, statement: StatementIndex) -> bool {
        !self.of.contains_key(&statement) && !self.writes.contains_key(&statement)
    }

    /// Whether a statement reads memory, and stores nothing.
    pub fn only_loads(&self, statement: StatementIndex) -> bool {
        self.of.contains_key(&statement) && !self.stores(statement)
    }

    /// Whether a statement stores into memory.
    pub fn stores(&self, statement: StatementIndex) -> bool {
        self.writes.contains_key(&statement)
    }

    /// Whether every store of the statement writes one address while a loop of dimension `dim` runs.
    fn stay(&self, profile: &Profile, statement: StatementIndex, dim: usize) -> bool {
        let writes = self.writes.get(&statement).map_or(&[][..], Vec::as_slice);
        writes.iter().all(|&w| is_fixed(&profile.accesses[w as usize].address, dim))
    }
}

/// Most comparisons of one piece of an address function with another.
const COMPARISONS: usize = 1 << 16;

/// Whether an address function does not depend on coordinates from `dim` on: neither along any piece of it, nor from one piece to
/// another where the coordinates before are the same.
pub fn is_fixed(address: &[fold::Folded], dim: usize) -> bool {
    /// A piece as a function of the coordinates before, and where those lie; `None` if they are not known.
    struct Part {
        /// `None`: it has coefficients that are not known.
        function: Option<(i64, Vec<i64>)>,
        extent: Option<Vec<(i64, i64)>>,
    }
    // One address in all: most that is asked for.
    let only =
        |folded: &fold::Folded| folded.ranges.first().filter(|range| range.0 == range.1).map(|range| range.0);
    if let Some((first, rest)) = address.split_first()
        && let Some(value) = only(first)
        && rest.iter().all(|other| only(other) == Some(value))
    {
        return true;
    }
    let mut parts: Vec<Part> = Vec::new();
    for folded in address {
        let single = folded.ranges.first().filter(|range| range.0 == range.1);
        if folded.gave_up {
            let Some(&(value, _)) = single else { return false };
            parts.push(Part { function: Some((value, Vec::new())), extent: None });
            continue;
        }
        for piece in &folded.pieces {
            let Some(label) = piece.label(0) else { return false };
            let of = |q: usize| label.coefficients.get(q).map_or(Some(0), |c| c.known());
            if single.is_none() && (dim..label.coefficients.len()).any(|q| of(q) != Some(0)) {
                return false;
            }
            let before: Option<Vec<i64>> = (0..dim).map(of).collect();
            let function = match (single, before) {
                (Some(&(value, _)), _) => Some((value, Vec::new())),
                (None, before) => before.map(|mut before| {
                    while before.last() == Some(&0) {
                        before.pop();
                    }
                    (label.constant, before)
                }),
            };
            let mut extent = piece.extent();
            extent.truncate(dim);
            parts.push(Part { function, extent: Some(extent) });
        }
    }
    let Some(first) = parts.first() else { return false };
    if parts.len() == 1
        || first.function.is_some() && parts.iter().all(|part| part.function == first.function)
    {
        return true;
    }
    // Where the coordinates before lie apart, the pieces may differ.
    if parts.iter().any(|part| part.extent.as_ref().is_none_or(Vec::is_empty)) {
        return false;
    }
    let range = |part: &Part, q: usize| part.extent.as_ref().and_then(|extent| extent.get(q)).copied();
    parts.sort_by_key(|part| range(part, 0));
    let mut compared = 0;
    for (at, a) in parts.iter().enumerate() {
        let meets = |b: &&Part| range(a, 0).zip(range(b, 0)).is_none_or(|(a, b)| b.0 <= a.1);
        for b in parts[at + 1..].iter().take_while(meets) {
            compared += 1;
            let is_same = a.function.is_some() && a.function == b.function;
            let are_apart =
                (1..dim).any(|q| range(a, q).zip(range(b, q)).is_some_and(|(a, b)| a.1 < b.0 || b.1 < a.0));
            if !is_same && !are_apart || compared > COMPARISONS {
                return false;
            }
        }
    }
    true
}

/// Whether a dependence may be that of updates of single cells: a load, and a store to the same cell in the same loops. What another
/// loop inside overwrites later may be another element's own, and vectors overlap with others beside them.
pub fn is_of_update(profile: &Profile, d: &Dependence) -> bool {
    let dims = |s: StatementIndex| profile.contexts[profile.context_of(s) as usize].dims;
    let address = |access: Option<u32>| access.map(|access| &profile.accesses[access as usize].address);
    d.kind == Kind::Anti
        && d.common > 0
        && dims(d.source) == d.common
        && dims(d.sink) == d.common
        && address(d.source_access).zip(address(d.sink_access)).is_none_or(|(a, b)| may_be_same(a, b))
}

/// Whether two address functions may be the same: not if each is known, and they are two.
fn may_be_same(a: &[fold::Folded], b: &[fold::Folded]) -> bool {
    let function = |address: &[fold::Folded]| -> Option<(i64, Vec<i64>)> {
        let mut pieces = address.iter().flat_map(|folded| &folded.pieces);
        // Most functions of several pieces have many, and finding one takes its time.
        let piece = pieces.next().filter(|_| address.iter().all(|folded| !folded.gave_up))?;
        if pieces.next().is_some() {
            return None;
        }
        let label = piece.label(0)?;
        Some((label.constant, label.coefficients.iter().map(|c| c.known()).collect::<Option<_>>()?))
    };
    function(a).is_none_or(|a| function(b).is_none_or(|b| a == b))
}

/// Whether an address function is known to depend on a coordinate.
pub fn moves_along(address: &[fold::Folded], dim: usize) -> bool {
    let labels = address.iter().flat_map(|folded| &folded.pieces).filter_map(|piece| piece.label(0));
    let mut coefficients = labels.filter_map(|label| label.coefficients.get(dim)?.known());
    coefficients.any(|coefficient| coefficient != 0)
}

/// Finds the induction variables and invariants of loop `context`.
pub fn find(
    profile: &Profile,
    context: ContextIndex,
    inside: &LoopEdges,
    reads: &Reads,
    facts: Option<&Facts<'_>>,
) -> Scevs {
    let dim = dimension(profile, context);
    let mut edges: Vec<(StatementIndex, StatementIndex)> = Vec::new();
    let mut predecessors: FxHashMap<StatementIndex, Vec<StatementIndex>> = FxHashMap::default();
    // Inputs with another coefficient than 1 (a negation, a subtrahend, a scaled index).
    let mut scaled: FxHashSet<(StatementIndex, StatementIndex)> = FxHashSet::default();
    let mut carried: FxHashSet<(StatementIndex, StatementIndex)> = FxHashSet::default();
    let mut within: FxHashMap<StatementIndex, Vec<StatementIndex>> = FxHashMap::default();
    let mut nodes: FxHashSet<StatementIndex> = FxHashSet::default();
    // Statements from which later iterations read through memory.
    let mut read_later: FxHashSet<StatementIndex> = FxHashSet::default();
    for edge in &inside.edges {
        let d = &profile.dependences[edge.dependence as usize];
        if !is_flow(d) {
            continue;
        }
        nodes.extend([d.source, d.sink]);
        if d.memory && edge.carried {
            read_later.insert(d.source);
        }
        // An address operand matters only through the address, which is tested on its own.
        if d.role != Use::Address {
            edges.push((d.source, d.sink));
            predecessors.entry(d.sink).or_default().push(d.source);
            if edge.carried {
                carried.insert((d.source, d.sink));
            }
            if edge.within {
                within.entry(d.source).or_default().push(d.sink);
            }
            let adds = profile.statements[d.sink as usize].operation == Operation::Add;
            if adds && d.role != Use::Accumulator {
                scaled.insert((d.source, d.sink));
            }
        }
    }
    let saved = unnamed(profile, (inside, dim), |d| d.sink);
    let saves = unnamed(profile, (inside, dim), |d| d.source);
    // Values that reach a statement on some ways alone: which of them it has, the way through the iteration decides. (What only
    // ever moves, registers that functions put back among it, is one value on all ways.)
    let merges = |s: StatementIndex, kept: &FxHashSet<StatementIndex>| {
        let own = profile.statements[s as usize].block;
        let from = predecessors.get(&s).map_or(&[][..], Vec::as_slice);
        from.iter().any(|p| {
            let is_one = saved.contains(p) || kept.contains(p);
            !is_one
                && profile.statements[*p as usize].block != own
                && !always::is_always(profile, &[*p], context)
                && !always::precedes(profile, *p, s)
        })
    };
    let mut kept: FxHashSet<StatementIndex> = FxHashSet::default();
    let components = components(&edges);
    let mut scevs = Scevs::default();
    let mut invariant: FxHashSet<StatementIndex> = FxHashSet::default();
    let none = Vec::new();
    // Statements without an incoming edge, and components in topological order.
    let lone = nodes.iter().copied().filter(|s| !components.of.contains_key(s)).map(|s| vec![s]);
    let ordered: Vec<(Vec<StatementIndex>, bool)> = lone
        .map(|members| (members, false))
        .chain(components.members.iter().enumerate().map(|(c, m)| (m.clone(), components.is_cyclic(c))))
        .collect();
    for (members, cyclic) in ordered {
        let fixed = |s: &StatementIndex| {
            reads.are_fixed(profile, *s, dim) && reads.stay(profile, *s, dim) && !reads.calls.contains(s)
        };
        if !cyclic {
            let s = members[0];
            let statement = &profile.statements[s as usize];
            let from = predecessors.get(&s).unwrap_or(&none);
            if !fixed(&s) || statement.operation == Operation::System {
                continue;
            }
            let stores = reads.stores(s);
            // A register that is saved now and then is put back before anything else happens to it.
            let is_steady = || saves.contains(&s) || is_regular(profile, s, dim);
            if stores && (read_later.contains(&s) || !is_steady()) {
                continue;
            }
            let is_invariant = from.iter().all(|p| invariant.contains(p));
            let is_scev = is_invariant || is_linear(statement) && from.iter().all(|p| scevs.scev.contains(p));
            if !is_scev || merges(s, &kept) {
                continue;
            }
            scevs.scev.insert(s);
            if is_invariant {
                invariant.insert(s);
            } else if stores {
                scevs.stores.insert(s);
            }
            continue;
        }
        // What a cycle of an inner loop begins with may be another value in every iteration of this one.
        let is_inner = members.iter().all(|s| {
            let from = predecessors.get(s).unwrap_or(&none);
            from.iter().all(|p| members.binary_search(p).is_err() || !carried.contains(&(*p, *s)))
        });
        let recurrence = members.iter().all(|s| {
            let statement = &profile.statements[*s as usize];
            let from = predecessors.get(s).unwrap_or(&none);
            let outside_ok = from.iter().all(|p| {
                members.binary_search(p).is_ok()
                    || invariant.contains(p)
                    || (is_inner && scevs.scev.contains(p))
            });
            is_linear(statement)
                && matches!(statement.operation, Operation::Copy | Operation::Add)
                && !from.iter().any(|p| members.binary_search(p).is_ok() && scaled.contains(&(*p, *s)))
                && fixed(s)
                && outside_ok
                && is_regular(profile, *s, dim)
                && !merges(*s, &kept)
        }) && always::are_always(profile, &members, context);
        // A cycle of moves alone keeps one value: invariant.
        let moves_only = members.iter().all(|s| {
            profile.statements[*s as usize].operation == Operation::Copy && (fixed(s) || saved.contains(s))
        });
        let fed = members.iter().all(|s| {
            predecessors
                .get(s)
                .unwrap_or(&none)
                .iter()
                .all(|p| members.binary_search(p).is_ok() || invariant.contains(p))
        });
        if !hands_on_one_value(profile, context, &members, &carried, &within) {
            continue;
        }
        let is_linear_in_iteration = recurrence
            || ways::add_the_same(profile, &members, context, reads)
                && always::is_always(profile, &members, context);
        if is_linear_in_iteration {
            scevs.scev.extend(members.iter().copied());
            scevs.inductions.extend(induction(profile, (context, inside), &members, reads, facts));
        }
        if moves_only && fed {
            kept.extend(members.iter().copied());
            scevs.scev.extend(members.iter().copied());
            invariant.extend(members.iter().copied());
        }
    }
    recomputable(profile, inside, &mut scevs);
    scevs
}

/// A cycle (`members`, sorted) that carries its value in a place that others can see.
fn induction(
    profile: &Profile,
    (context, inside): (ContextIndex, &LoopEdges),
    members: &[StatementIndex],
    reads: &Reads,
    facts: Option<&Facts<'_>>,
) -> Option<Induction> {
    let dim = dimension(profile, context);
    let is_member = |s: StatementIndex| members.binary_search(&s).is_ok();
    // What a function of the program comes to in its caller's frame it has the address of: a variable, named or not.
    let is_foreign = members.iter().any(|&s| {
        let own = &profile.contexts[profile.context_of(s) as usize];
        own.function != profile.contexts[context as usize].function
            && !is_of_standard_library(&profile.location_of(s).file)
    });
    let is_reached = |used: &ObjectUse| {
        let object = profile.objects.get(used.object as usize);
        is_foreign && !used.callee && object.is_some_and(|object| object.kind == ObjectKind::Frame)
    };
    let carried = inside.edges.iter().filter(|e| e.carried);
    let mut dependences = carried.map(|e| &profile.dependences[e.dependence as usize]);
    let seen = dependences.find_map(|d| {
        let is_own = is_flow(d) && d.memory && is_member(d.source) && is_member(d.sink);
        let level = d.levels.iter().find(|l| usize::from(l.level) == dim).filter(|_| is_own)?;
        let is_seen =
            |used: &&ObjectUse| is_reached(used) || !is_hidden(profile, context, used, reads, facts);
        level.objects.iter().find(is_seen)
    })?;
    let constant = |&s: &StatementIndex| match profile.statements[s as usize].addend {
        Some(profile::Addend::Constant(by)) => Some(by),
        _ => None,
    };
    let mut adds = members.iter().filter(|&&s| profile.statements[s as usize].operation == Operation::Add);
    Some(Induction {
        object: seen.object,
        statements: members.to_vec(),
        step: adds.try_fold(0i64, |sum, s| sum.checked_add(constant(s)?)),
        is_direct: members
            .iter()
            .all(|&s| profile.loops_around(profile.context_of(s)).last() == Some(&context))
            && members.iter().all(|&s| {
                let own = &profile.contexts[profile.context_of(s) as usize];
                own.function == profile.contexts[context as usize].function
            }),
    })
}

/// Whether nobody but one iteration of a loop sees an object: storage of an activation that the loop makes, an unnamed slot of a
/// frame, the loop's own iterator, or a variable of its body.
///
/// Without the source, those variables of the function count as iterators that the line of the loop reads.
pub fn is_hidden(
    profile: &Profile,
    context: ContextIndex,
    used: &ObjectUse,
    reads: &Reads,
    facts: Option<&Facts<'_>>,
) -> bool {
    let Some(object) = profile.objects.get(used.object as usize) else { return false };
    if used.callee {
        return true;
    }
    let own = profile.contexts.get(context as usize).and_then(|c| profile.functions.get(c.function as usize));
    let is_own = own.zip(object.owner).is_none_or(|(f, owner)| owner.0 <= f.entry && f.entry < owner.1);
    match object.kind {
        // In the frame of a caller it is a variable, reached through a pointer.
        ObjectKind::Frame => is_own,
        ObjectKind::Stack => {
            if !is_own || object.is_volatile {
                return false;
            }
            is_scoped(profile, context, object)
                || match facts {
                    Some(facts) => {
                        facts.is_iterator(&object.name) || facts.role(&object.name) == Some(Role::Iterator)
                    }
                    // Its header may be known where the rest is not.
                    None => match Facts::source(profile, context).filter(|own| !own.iterators.is_empty()) {
                        Some(own) => {
                            own.iterators.iter().any(|iterator| iterator.name == object.name)
                                && advance::has_known_steps(own)
                        }
                        None => reads.is_read_on_line_of(profile, context, used.object),
                    },
                }
        }
        _ => false,
    }
}

/// Whether the scope of a variable lies in a loop's body: all ranges of it.
pub fn is_scoped(profile: &Profile, context: ContextIndex, object: &profile::Object) -> bool {
    let code = profile.contexts.get(context as usize).map_or(&[][..], |c| &c.code);
    let inside = |scope: &(u64, u64)| code.iter().any(|c| c.0 <= scope.0 && scope.1 <= c.1);
    !object.scope.is_empty() && object.scope.iter().all(inside)
}

/// Whether the iterations of loop `context` hand on at most one value through a cycle (`members`, sorted): of the statements
/// whose values the next iteration reads, those that do not get theirs from another one in the same iteration are no more
/// than one per iteration.
fn hands_on_one_value(
    profile: &Profile,
    context: ContextIndex,
    members: &[StatementIndex],
    carried: &FxHashSet<(StatementIndex, StatementIndex)>,
    within: &FxHashMap<StatementIndex, Vec<StatementIndex>>,
) -> bool {
    let is_member = |s: &StatementIndex| members.binary_search(s).is_ok();
    let handed = carried.iter().filter(|(from, to)| is_member(from) && is_member(to)).map(|(from, _)| *from);
    let mut handed: Vec<StatementIndex> = handed.collect();
    handed.sort_unstable();
    handed.dedup();
    if handed.len() < 2 {
        return true;
    }
    let mut derived: FxHashSet<StatementIndex> = FxHashSet::default();
    for &from in &handed {
        let mut open = vec![from];
        let mut seen: FxHashSet<StatementIndex> = FxHashSet::default();
        while let Some(s) = open.pop() {
            let next = within.get(&s).into_iter().flatten().copied();
            open.extend(next.filter(|to| is_member(to) && seen.insert(*to)));
        }
        derived.extend(seen.into_iter().filter(|&to| to != from));
    }
    let iterations = profile.contexts[context as usize].iterations;
    let values = handed.iter().filter(|s| !derived.contains(s));
    values.map(|&s| profile.executions(s).min(iterations)).sum::<u64>() <= iterations
}

/// Ends of flow dependences that only ever pass through unnamed parts of stack frames: registers and temporaries that are
/// saved and restored.
fn unnamed(
    profile: &Profile,
    (inside, dim): (&LoopEdges, usize),
    end: impl Fn(&Dependence) -> StatementIndex,
) -> FxHashSet<StatementIndex> {
    let mut out: FxHashSet<StatementIndex> = FxHashSet::default();
    let mut other: FxHashSet<StatementIndex> = FxHashSet::default();
    for edge in &inside.edges {
        let d = &profile.dependences[edge.dependence as usize];
        if !is_flow(d) || !d.memory {
            continue;
        }
        let on_frames = d.levels.iter().flat_map(|l| &l.objects).all(|o| {
            profile.objects.get(o.object as usize).is_some_and(|o| o.kind == profile::ObjectKind::Frame)
        });
        // What moves is an array without a name.
        let stays = |access: Option<u32>| {
            access.is_none_or(|access| is_fixed(&profile.accesses[access as usize].address, dim))
        };
        if on_frames && stays(d.source_access) && stays(d.sink_access) {
            out.insert(end(d));
        } else {
            other.insert(end(d));
        }
    }
    out.retain(|s| !other.contains(s));
    out
}

/// What feeds a statement.
struct Feed {
    source: StatementIndex,
    carried: bool,
    memory: bool,
}

/// Statements fed through registers only by such statements and induction variables, in no cycle that the loop itself carries: cycles of
/// loops inside begin anew in each of its iterations.
fn recomputable(profile: &Profile, inside: &LoopEdges, scevs: &mut Scevs) {
    let mut edges: Vec<(StatementIndex, StatementIndex)> = Vec::new();
    let mut fed: FxHashMap<StatementIndex, Vec<Feed>> = FxHashMap::default();
    for edge in &inside.edges {
        let d = &profile.dependences[edge.dependence as usize];
        if is_flow(d) && !scevs.contains(d.source) {
            edges.push((d.source, d.sink));
            let feed = Feed { source: d.source, carried: edge.carried, memory: d.memory };
            fed.entry(d.sink).or_default().push(feed);
        }
    }
    let is_pure = |s: &StatementIndex| {
        !matches!(profile.statements[*s as usize].operation, Operation::System | Operation::Other)
    };
    for members in components(&edges).members {
        let feeds = || members.iter().flat_map(|s| fed.get(s).into_iter().flatten());
        let is_fit = |feed: &Feed| match members.binary_search(&feed.source).is_ok() {
            true => !feed.carried,
            false => !(feed.carried && feed.memory) && scevs.is_recomputable(feed.source),
        };
        if members.iter().all(is_pure) && feeds().all(is_fit) {
            scevs.recomputable.extend(members.iter().copied());
        }
    }
}

/// Whether a result is a linear combination of the inputs, lane by lane for vectors.
fn is_linear(statement: &profile::Statement) -> bool {
    statement.linear
        || matches!(statement.operation, Operation::Copy | Operation::Constant | Operation::Shuffle)
        || (statement.operation == Operation::Add && !statement.float)
}

/// Whether a statement runs once in every iteration of its innermost loop, and all loops between that one and
/// dimension `dim` have constant length.
fn is_regular(profile: &Profile, statement: StatementIndex, dim: usize) -> bool {
    let context = profile.context_of(statement);
    let chain = profile.loops_around(context);
    let Some(&innermost) = chain.last() else { return false };
    let counts = &profile.contexts[innermost as usize];
    let executions = profile.executions(statement);
    // Where the test stands at the loop's top, the last iteration is the test alone.
    if executions != counts.iterations && executions != counts.iterations.saturating_sub(counts.entries) {
        return false;
    }
    if chain.len() <= dim + 1 {
        return true;
    }
    let Some(block) = profile.statements.get(statement as usize).map(|s| &profile.blocks[s.block as usize])
    else {
        return false;
    };
    let mut lengths: FxHashMap<usize, i64> = FxHashMap::default();
    block.domain.iter().all(|folded| {
        !folded.gave_up
            && folded.pieces.iter().all(|piece| {
                // The length of a loop with new dimensions is that of no level.
                (dim + 1..piece.dims()).all(|q| match piece.levels_of(q) {
                    [level] => {
                        level.count.coefficients.iter().all(|&c| c == 0)
                            && *lengths.entry(q).or_insert(level.count.constant) == level.count.constant
                    }
                    _ => false,
                })
            })
    })
}
