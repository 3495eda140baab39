//! The verdict for one loop context.
//!
//! `yes` < `reduction` < `after-privatisation` < `no`, in order of severity. Every verdict is about all dependences the
//! run showed: flow dependences that are carried and neither induction variables nor reductions block; so do anti and
//! output dependences that privatisation cannot remove.
//!
//! What is observed is the compiled loop. Where the source was read ([`crate::facts`]), the verdict is on the loop of
//! the source: its variables have to be safe by its text, wherever the compiler keeps them, and what the compiler keeps
//! in registers is either one of them or its own.

use std::collections::BTreeMap;

use profile::lens::{
    AccessMode, AfterLoop, Call, Home, Language, LoopKind, Operator, ScalarForm, SharingKind,
    SourceLoop as SourceText,
};
use profile::place::is_of_standard_library;
use profile::{
    ContextIndex, ContextKind, Dependence, Gap, Location, ObjectIndex, ObjectKind, ObjectUse, Operation,
    Profile, StatementIndex,
};

use rustc_hash::FxHashMap;

use crate::always;
use crate::compiled::{self, Accesses};
use crate::facts::{Facts, Role, assigned, changes_one_place, is_fixed, is_memory};
use crate::gaps;
use crate::graph::{self, Edge, LoopEdges, dimension, is_flow, is_inside};
use crate::masks;
use crate::names::{is_call_of, is_code_of, of_region, short_name};
use crate::needs::{self, Class, Need, Way};
use crate::overlap;
use crate::reduction::{self, Converted, Reduction};
use crate::scev::{self, Reads, Scevs};
use crate::storage::{self, Coverage, Finding, Remedy};
use crate::unrolled::Unrolled;

/// Whether a loop's iterations can run in parallel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Parallel {
    /// As it is.
    Yes,
    /// With a reduction.
    Reduction,
    /// After privatising the variables named.
    AfterPrivatisation,
    /// Dependences were not recorded.
    Unknown,
    /// Not.
    No,
}

/// Why nothing is said about a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unknown {
    /// Not all of its dependences are known.
    Gap(Gap),
    /// Handlers of signals that came while it ran share data with it.
    Asynchronous,
    /// It writes memory that the program has mapped twice, and comes to it at both places.
    MappedTwice,
    /// It lies in more loops than are told apart.
    Depth,
    /// The run was not recorded to its end: this may be read afterwards.
    Afterwards(ObjectIndex),
    /// By the source elements of this array that iterations leave are read afterwards; the compiler may have them in registers by then.
    Left {
        /// Its name.
        name: String,
        /// Line of a read.
        line: u32,
    },
    /// The compiler has put into it what this name stands for, of which the text is in another file.
    Elsewhere {
        /// A function or macro.
        name: String,
        /// Where it is used.
        line: u32,
    },
    /// It calls a function that changes or asks for state of the thread, the process or the file system.
    State {
        /// The function.
        name: String,
        /// Where it is called.
        line: u32,
    },
    /// The compiled loop is not that of the text: it lacks accesses that the text makes in every iteration, or makes them in
    /// another order.
    Removed {
        /// An array.
        name: String,
        /// Line of an access.
        line: u32,
    },
    /// By the source an iteration may read what an earlier one left in this variable; the run does not show it.
    Variable {
        /// Its name.
        name: String,
        /// Lines that assign it.
        lines: Vec<u32>,
    },
    /// By the source an iteration reads what an earlier one wrote into this array; the compiler has removed that.
    Array {
        /// Its name.
        name: String,
        /// Lines of the write and of the read.
        lines: (u32, u32),
    },
}

/// What the text of a loop says of variables that iterations share.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OfSource {
    /// Reductions: operator and variable.
    pub reductions: Vec<(Operator, String)>,
    /// Variables that go with a minimum or maximum.
    pub companions: Vec<String>,
    /// Variables that every iteration writes before it reads them; whether the last value is used afterwards, or may be.
    pub private: Vec<(String, bool)>,
    /// Variables that others may come to.
    pub shared: Vec<String>,
    /// The loop has the form that directives ask for, and is left by its own condition alone.
    pub takes_directive: bool,
}

/// A dependence that decides a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocking {
    /// Index into [`Profile::dependences`].
    pub dependence: u32,
    /// The level summary that shows it: index into the dependence's levels.
    pub level: usize,
    /// What it passes through, for memory.
    pub object: Option<ObjectIndex>,
}

/// The verdict.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// The conclusion.
    pub parallel: Parallel,
    /// What blocks, most frequent first.
    pub blocking: Vec<Blocking>,
    /// Reductions.
    pub reductions: Vec<Reduction>,
    /// Variables that must be (or silently are) private.
    pub privatise: Vec<ObjectIndex>,
    /// Unnamed parts of stack frames that iterations cannot have for themselves; all others are theirs without a word.
    pub shared_frames: Vec<ObjectIndex>,
    /// Induction variables and invariants.
    pub scevs: Vec<u32>,
    /// Dependences that order the iterations, ascending indices into [`Profile::dependences`]: carried, and neither of
    /// induction variables nor removed by privatising what is named. Those of reductions are among them.
    pub ordering: Vec<u32>,
    /// What has to become of variables so that iterations can run in any order, reductions apart; `None` if nothing
    /// helps, or if dependences were not recorded.
    pub needs: Option<Vec<Need>>,
    /// Why nothing is said, if nothing is.
    pub unknown: Option<Unknown>,
    /// Variables that iterations share and that functions which the loop calls come to themselves: no clause gives those the
    /// iteration's own copy.
    pub reached: Vec<String>,
    /// What the source says; `None` if it was not read: then the verdict is on the loop as it was compiled.
    pub source: Option<OfSource>,
}

impl Verdict {
    /// Whether an object is an unnamed part of a frame that every iteration has for itself.
    pub(crate) fn is_spill(&self, profile: &Profile, object: ObjectIndex) -> bool {
        profile.objects.get(object as usize).is_some_and(|o| o.kind == ObjectKind::Frame)
            && !self.shared_frames.contains(&object)
    }

    /// A verdict that says nothing.
    pub fn unknown(why: Unknown) -> Verdict {
        Verdict {
            parallel: Parallel::Unknown,
            blocking: Vec::new(),
            reductions: Vec::new(),
            privatise: Vec::new(),
            shared_frames: Vec::new(),
            scevs: Vec::new(),
            ordering: Vec::new(),
            needs: None,
            unknown: Some(why),
            reached: Vec::new(),
            source: None,
        }
    }

    /// The class; `None` if nothing is said, or if the loop may be taken as it is as far as it was compiled, and its
    /// source is not known.
    pub fn class(&self) -> Option<Class> {
        match (&self.needs, self.parallel) {
            (_, Parallel::Unknown) => None,
            (Some(needs), _) if needs.is_empty() => self.source.is_some().then_some(Class::A),
            (Some(_), _) => Some(Class::B),
            (None, _) => Some(Class::C),
        }
    }
}

/// Arrays of so many bytes compilers may keep in registers where a loop ends.
const HELD_BYTES: u64 = 4096;

/// Most blocking dependences reported for a loop.
const BLOCKING: usize = 16;

/// Indexes over a profile that all loops share.
#[derive(Debug)]
pub struct Indexes {
    reads: Reads,
    coverage: Coverage,
    /// Flow dependences through variables of which each thread has its own, but for those of libraries.
    between_threads: Vec<u32>,
    /// Per name of a variable the objects that have it, each with the statements at the ends of dependences through it.
    by_name: FxHashMap<String, Vec<(ObjectIndex, Vec<StatementIndex>)>>,
    accesses: Accesses,
}

impl Indexes {
    /// Builds them.
    pub fn new(profile: &Profile) -> Indexes {
        let is_own = |used: &ObjectUse| {
            let object = profile.objects.get(used.object as usize);
            object.is_some_and(|object| object.thread_local && !object.library)
        };
        let is_between_threads =
            |d: &Dependence| is_flow(d) && d.levels.iter().flat_map(|level| &level.objects).any(is_own);
        let all = profile.dependences.iter().enumerate().filter(|(_, d)| is_between_threads(d));
        let between_threads = all.map(|(index, _)| index as u32).collect();
        let reads = Reads::new(profile);
        let by_name = by_name(profile);
        let accesses = Accesses::new(profile);
        Indexes { reads, coverage: Coverage::new(profile), between_threads, by_name, accesses }
    }
}

/// Per name of a variable the objects that have it, each with the statements at the ends of dependences through it.
fn by_name(profile: &Profile) -> FxHashMap<String, Vec<(ObjectIndex, Vec<StatementIndex>)>> {
    let mut statements: FxHashMap<ObjectIndex, Vec<StatementIndex>> = FxHashMap::default();
    for d in profile.dependences.iter().filter(|d| d.memory) {
        let mut objects: Vec<ObjectIndex> =
            d.levels.iter().flat_map(|level| &level.objects).map(|used| used.object).collect();
        objects.sort_unstable();
        objects.dedup();
        for object in objects {
            statements.entry(object).or_default().extend([d.source, d.sink]);
        }
    }
    let mut out: FxHashMap<String, Vec<(ObjectIndex, Vec<StatementIndex>)>> = FxHashMap::default();
    let mut plain: FxHashMap<&str, u32> = FxHashMap::default();
    for object in profile.objects.iter().filter(|object| object.kind == ObjectKind::Global) {
        *plain.entry(object.name.rsplit("::").next().unwrap_or_default()).or_default() += 1;
    }
    let is_unique = |name: &str| plain.get(name) == Some(&1);
    for (index, object) in profile.objects.iter().enumerate() {
        let index = index as ObjectIndex;
        let is_variable = matches!(object.kind, ObjectKind::Global | ObjectKind::Stack);
        if let Some(mut ends) = statements.remove(&index).filter(|_| is_variable) {
            ends.sort_unstable();
            ends.dedup();
            // The text of a loop may leave out in which module, class or function a variable is declared.
            if let Some((_, plain)) = object.name.rsplit_once("::").filter(|(_, plain)| is_unique(plain)) {
                out.entry(plain.to_owned()).or_default().push((index, ends.clone()));
            }
            out.entry(object.name.clone()).or_default().push((index, ends));
        }
    }
    out
}

/// Judges one loop context. `facts`: what its source says.
pub fn judge(
    profile: &Profile,
    context: ContextIndex,
    inside: &LoopEdges,
    indexes: &Indexes,
    facts: Option<&Facts<'_>>,
) -> Verdict {
    let dim = dimension(profile, context);
    let loop_of = Loop {
        profile,
        context,
        dim,
        facts,
        reads: &indexes.reads,
        coverage: &indexes.coverage,
        by_name: &indexes.by_name,
    };
    let inside = &gaps::closed(profile, context, inside, facts);
    let scevs: Scevs = scev::find(profile, context, inside, &indexes.reads, facts);
    let mut reductions = reduction::find(profile, context, inside, &scevs);
    reductions.retain(|reduction| !loop_of.is_refuted(inside, reduction));
    let in_reduction = |s: u32| reductions.iter().any(|r| r.statements.binary_search(&s).is_ok());
    let taken_in = loop_of.taken_in();
    let converted = Converted::of(profile, inside);
    let is_cut = |d: &Dependence| {
        // Counters of libraries are compared with their ends on the way.
        let is_sum = |s: &StatementIndex| {
            loop_of.is_in_text(*s) && facts.is_some_and(|facts| facts.sums_on(profile.location_of(*s).line))
        };
        converted.conversions(d).iter().any(is_sum)
    };
    let mut found = Found { loop_of: &loop_of, blocking: Vec::new() };
    let (mut is_reduced, mut is_passed_on) = (false, false);
    let mut ordering: Vec<u32> = Vec::new();
    let mut inductions: Vec<&scev::Induction> = Vec::new();
    // What looks like a reduction and is none of the text.
    let mut idle: Vec<usize> = Vec::new();
    // Arrays with whose elements iterations combine something, by the text.
    let mut combined: Vec<ObjectIndex> = Vec::new();
    // An element that a register holds, with which iterations combine something.
    let mut element: Option<(&str, Vec<u32>)> = None;
    for edge in inside.edges.iter().filter(|e| e.carried) {
        let d = &profile.dependences[edge.dependence as usize];
        if !is_flow(d) {
            continue;
        }
        if loop_of.is_foreign(d) {
            ordering.push(edge.dependence);
            is_passed_on = true;
            found.block(edge.dependence, None);
            continue;
        }
        // What the text has in memory is the next iteration's to read, whatever its values are.
        let is_of_memory = || !d.memory && loop_of.is_loaded_behind_call(inside, d);
        if scevs.contains(d.source) && !loop_of.is_of_closure(d) && !is_of_memory() {
            continue;
        }
        if loop_of.is_void(d)
            || loop_of.is_put_by(d)
            || masks::is_left_out(profile, context, inside, d)
            || loop_of.is_of_iterator(inside, d)
            || loop_of.is_iterator_by_name(d)
            || loop_of.is_of_joined(d)
            || loop_of.is_loaded_before(inside, d)
            || !d.memory
                && scevs.is_recomputable(d.source)
                && loop_of.explains(inside, d, taken_in.is_none())
                && !loop_of.is_loaded_early(inside, d)
        {
            continue;
        }
        ordering.push(edge.dependence);
        let reduced = reductions.iter().position(|r| {
            r.statements.binary_search(&d.source).is_ok() && r.statements.binary_search(&d.sink).is_ok()
        });
        let same = reduced.is_some();
        let own = scevs.inductions.iter().find(|own| own.statements.binary_search(&d.source).is_ok());
        if same && !d.memory && loop_of.has_no_accumulator() && loop_of.explains_register(inside, d) {
            // The compiler's own counting: the text combines nothing.
            idle.extend(reduced);
        } else if same || !is_cut(d) && loop_of.is_reduction_of_source(d) {
            is_reduced = true;
            if !same {
                combined.extend(loop_of.elements(d));
            }
        } else if let Some(own) = own.filter(|own| own.is_direct) {
            // What reads the variable computes it instead.
            if !inductions.contains(&own) {
                inductions.push(own);
            }
            found.block(edge.dependence, Some(own.object));
        } else if loop_of.is_induction_of_source(d) {
            found.block(edge.dependence, None);
        } else if (!d.memory || loop_of.is_spilled(inside, d))
            && !is_cut(d)
            && loop_of.explains_register(inside, d)
            && !loop_of.is_loaded_early(inside, d)
        {
            is_reduced |= loop_of.has(|role| matches!(role, Role::Reduction(_)));
            let place = profile.location_of(d.source);
            let is_of =
                |own: &(&str, Vec<u32>)| own.1.contains(&place.line) || is_of_standard_library(&place.file);
            element = element.or_else(|| facts?.combined_element().filter(is_of));
        } else {
            is_passed_on = true;
            found.block(edge.dependence, None);
        }
    }
    if loop_of.is_optimised() && element.is_none() && !is_passed_on && !is_reduced {
        // A register that goes around is explained by the text in other ways, and code that did not run shows nothing.
        element = facts.and_then(Facts::only_combined_element);
    }
    // Storage of induction variables and accumulators is dealt with by what replaces them.
    let joined = loop_of.joined();
    let skip = |s: StatementIndex, used: &ObjectUse| {
        in_reduction(s)
            || loop_of.is_joined_counter(&joined, used)
            || scevs.is_induction(s)
            || loop_of.is_accumulator(s, used)
            || loop_of.is_iterator_state(s, used)
            || loop_of.is_direct(s) && loop_of.is_own_iterator(used, true)
            || scevs.is_own_storage(s) && scev::is_hidden(profile, context, used, &indexes.reads, facts)
    };
    let mut findings = storage::judge(profile, context, inside, &indexes.coverage, &skip);
    findings.iter_mut().for_each(|finding| loop_of.refine(finding));
    ordering.extend(storage::ordering(profile, dim, inside, &findings, &skip));
    ordering.sort_unstable();
    ordering.dedup();
    let mut needs = if is_passed_on { None } else { needs::needs(profile, context, &findings) };
    let flags: Vec<ObjectIndex> =
        findings.iter().filter(|own| loop_of.is_flag(own)).map(|own| own.object).collect();
    for need in needs.iter_mut().flatten().filter(|need| flags.contains(&need.object)) {
        (need.way, need.bytes) = (Way::AtomicWrite, None);
    }
    // What the function reads afterwards may be in a register by then.
    for need in needs.iter_mut().flatten().filter(|need| need.way == Way::Private) {
        let name = profile.objects.get(need.object as usize).map(|object| object.name.as_str());
        let is_read = |(scalar, _): &(&profile::lens::Scalar, Role)| {
            Some(scalar.name.as_str()) == name
                && matches!(scalar.after, AfterLoop::Read(_))
                && !scalar.home.is_private()
        };
        if loop_of.is_optimised() && facts.is_some_and(|facts| facts.scalars.iter().any(is_read)) {
            need.way = Way::LastPrivate;
        }
    }
    let unknown = (profile.trust.is_cut_short())
        .then(|| findings.iter().find(|finding| finding.remedy == Remedy::Privatise))
        .flatten()
        .map(|finding| Unknown::Afterwards(finding.object))
        .or_else(|| findings.iter().find_map(|finding| loop_of.may_be_used_afterwards(finding)))
        .or(inside.asynchronous.then_some(Unknown::Asynchronous))
        .or_else(|| loop_of.meets_itself().then_some(Unknown::MappedTwice));
    let (mut privatise, mut shared_frames) = (Vec::new(), Vec::new());
    let mut advise = false;
    for finding in findings {
        match finding.remedy {
            Remedy::Silent => {}
            Remedy::Scoped => privatise.push(finding.object),
            Remedy::Privatise => {
                privatise.push(finding.object);
                advise = true;
            }
            Remedy::Blocks if flags.contains(&finding.object) && needs.is_some() => advise = true,
            Remedy::Blocks => {
                let object = profile.objects.get(finding.object as usize);
                if object.is_some_and(|o| o.kind == ObjectKind::Frame) {
                    shared_frames.push(finding.object);
                }
                found.block(finding.dependences[0], Some(finding.object).filter(|o| *o != ObjectIndex::MAX));
            }
        }
    }
    for own in inductions {
        let way = Way::Induction(own.step);
        let lines = loop_of.lines(&own.statements);
        let need = Need { object: own.object, name: String::new(), way, bytes: Some(0), lines };
        // What is computed needs no storage of its own.
        needs.iter_mut().for_each(|needs| {
            needs.retain(|need| need.object != own.object);
            needs.push(need.clone());
        });
    }
    let reductions: Vec<Reduction> =
        reductions.into_iter().enumerate().filter(|(at, _)| !idle.contains(at)).map(|(_, own)| own).collect();
    for reduction in reductions.iter().filter(|reduction| !loop_of.is_nameable(inside, reduction)) {
        let object = loop_of.accumulator(inside, reduction).unwrap_or(ObjectIndex::MAX);
        let lines = loop_of.lines(&reduction.statements);
        let element = || facts?.combined_element().map(|(name, _)| name);
        let name = facts.and_then(|facts| facts.accumulator()).or_else(element);
        let name = name.unwrap_or("the accumulator").to_owned();
        let need = Need { object, name, way: Way::Combine, bytes: None, lines };
        needs.iter_mut().for_each(|needs| needs.push(need.clone()));
    }
    combined.sort_unstable();
    combined.dedup();
    for object in combined {
        let need = Need { object, name: String::new(), way: Way::Combine, bytes: None, lines: Vec::new() };
        add_of_object(&mut needs, need);
    }
    if let Some((name, lines)) = element {
        is_reduced = true;
        let need =
            Need { object: ObjectIndex::MAX, name: name.to_owned(), way: Way::Combine, bytes: None, lines };
        needs.iter_mut().for_each(|needs| needs.push(need.clone()));
    }
    for (object, lines) in loop_of.left_to_a_thread(&indexes.between_threads) {
        advise = true;
        // What iterations accumulate in it is in parts then, one of each thread.
        let is_accumulated = inside.edges.iter().filter(|edge| edge.carried).any(|edge| {
            let d = &profile.dependences[edge.dependence as usize];
            let mut objects = d.levels.iter().flat_map(|level| &level.objects);
            d.memory && d.kind == profile::Kind::Flow && objects.any(|used| used.object == object)
        });
        let way = if is_accumulated { Way::Combine } else { Way::CopyIn };
        let need = Need { object, name: String::new(), way, bytes: None, lines };
        add_of_object(&mut needs, need);
    }
    for (name, line) in loop_of.kept_by_a_thread(&needs) {
        advise = true;
        let need = Need {
            object: ObjectIndex::MAX,
            name: name.to_owned(),
            way: Way::CopyIn,
            bytes: None,
            lines: vec![line],
        };
        needs.iter_mut().for_each(|needs| needs.push(need.clone()));
    }
    let source = facts.map(|facts| of_source(profile, facts, &privatise));
    let mut unknown = unknown;
    // Programs have functions of these names as well.
    let is_own =
        |name: &str| profile.functions.iter().any(|own| own.main && is_call_of(name, short_name(&own.name)));
    if let Some((name, line)) = facts.and_then(Facts::changes_state).filter(|state| !is_own(state.0)) {
        unknown = unknown.or_else(|| Some(Unknown::State { name: name.to_owned(), line }));
    }
    if let Some(scalar) = facts.and_then(Facts::shared_iterator) {
        unknown = unknown
            .or_else(|| Some(Unknown::Variable { name: scalar.name.clone(), lines: lines_of(scalar) }));
    }
    if let Some((name, line)) = loop_of.between_copies(inside) {
        unknown = unknown.or_else(|| Some(Unknown::Elsewhere { name: name.to_owned(), line }));
    }
    if let Some((name, lines)) = loop_of.iterator_written_elsewhere() {
        needs = None;
        found.seen_at(inside, name, &lines);
        unknown = unknown.or(Some(Unknown::Variable { name: name.to_owned(), lines }));
    }
    if let Some((name, line)) = taken_in {
        unknown = unknown.or_else(|| Some(Unknown::Elsewhere { name: name.to_owned(), line }));
    }
    if let Some(facts) = facts
        && let Some(line) = beside_focus(profile, context, facts)
    {
        let name = facts.accessed_on(line).unwrap_or("variables").to_owned();
        unknown = unknown.or(Some(Unknown::Removed { name, line }));
    }
    if let Some(facts) = facts.filter(|_| loop_of.is_optimised())
        && let Some((name, line)) = compiled::missing(profile, context, &indexes.accesses, facts)
    {
        unknown = unknown.or_else(|| Some(Unknown::Removed { name: name.to_owned(), line }));
    }
    if let Some(facts) = facts {
        let is_named =
            |object: &ObjectIndex| profile.objects.get(*object as usize).map(|object| object.name.as_str());
        let is_optimised = loop_of.is_optimised();
        for (scalar, role) in &facts.scalars {
            let lines = || lines_of(scalar);
            let is_of = |need: &Need| is_named(&need.object) == Some(scalar.name.as_str());
            let is_seen = needs.iter().flatten().any(is_of);
            // A member is seen in the object that it is one of.
            let is_part = |need: &Need| {
                scalar.form == ScalarForm::PointedMember
                    && need.lines.iter().any(|line| lines().contains(line))
            };
            let mut of = needs.iter().flatten().filter(|need| is_of(need) || is_part(need));
            let is_computed = of.any(|need| matches!(need.way, Way::Induction(_)));
            match role {
                // No clause names a member; what the run shows no accumulation of, the compiler has a closed form for.
                Role::Reduction(_) if scalar.form == ScalarForm::Member => {
                    is_reduced = true;
                    let meets = |own: &[u32]| own.iter().any(|line| lines().contains(line));
                    let is_told =
                        needs.iter().flatten().any(|need| need.way == Way::Combine && meets(&need.lines))
                            || reductions.iter().any(|own| meets(&loop_of.lines(&own.statements)));
                    if !is_told {
                        let (object, name, way) = (ObjectIndex::MAX, scalar.name.clone(), Way::Combine);
                        let need = Need { object, name, way, bytes: None, lines: lines() };
                        needs.iter_mut().for_each(|needs| needs.push(need.clone()));
                    }
                }
                Role::Reduction(_) | Role::Companion => is_reduced = true,
                Role::Private { .. } => {
                    advise = true;
                    // The compiler keeps it in a register: there is no object.
                    if !is_seen {
                        let way = if *role == (Role::Private { last: true }) {
                            Way::LastPrivate
                        } else {
                            Way::Private
                        };
                        let name = scalar.name.clone();
                        let need = Need { object: ObjectIndex::MAX, name, way, bytes: None, lines: lines() };
                        needs.iter_mut().for_each(|needs| needs.push(need.clone()));
                    }
                }
                Role::Flag
                    if needs.iter().flatten().any(|need| {
                        need.way == Way::AtomicWrite && need.lines.iter().any(|line| lines().contains(line))
                    }) => {}
                Role::Flag => {
                    advise = true;
                    let name = scalar.name.clone();
                    let need = Need {
                        object: ObjectIndex::MAX,
                        name,
                        way: Way::AtomicWrite,
                        bytes: None,
                        lines: lines(),
                    };
                    needs.iter_mut().for_each(|needs| needs.push(need.clone()));
                }
                // A member cannot be the iterator of a loop whose iterations are shared out: others come to the object.
                Role::Iterator | Role::Induction(_)
                    if !is_computed
                        && (matches!(role, Role::Induction(_))
                            || scalar.form == ScalarForm::PointedMember) =>
                {
                    found.evidence(inside, &scevs);
                    let name = scalar.name.clone();
                    let step = if let Role::Induction(step) = role { *step } else { None };
                    let way = Way::Induction(step);
                    needs.iter_mut().for_each(|needs| needs.retain(|need| !is_of(need)));
                    let need = Need { object: ObjectIndex::MAX, name, way, bytes: Some(0), lines: lines() };
                    needs.iter_mut().for_each(|needs| needs.push(need.clone()));
                    let why = Unknown::Variable { name: scalar.name.clone(), lines: lines() };
                    unknown = unknown.or(found.blocking.is_empty().then_some(why));
                }
                Role::Carried => {
                    needs = None;
                    found.seen_at(inside, &scalar.name, &lines());
                    let why = Unknown::Variable { name: scalar.name.clone(), lines: lines() };
                    unknown = unknown.or(found.blocking.is_empty().then_some(why));
                }
                // In memory the run has shown what becomes of it; in a register nothing tells it from others.
                Role::Shared if !scalar.storage.thread_local && loop_of.may_hide(scalar) => {
                    let why = Unknown::Variable { name: scalar.name.clone(), lines: lines() };
                    unknown = unknown.or(Some(why));
                }
                _ => {}
            }
        }
        if is_optimised && let Some((name, lines)) = loop_of.kept_for_a_pointer() {
            unknown = unknown.or(Some(Unknown::Variable { name: name.to_owned(), lines }));
        }
        if found.blocking.is_empty()
            && is_optimised
            && let Some((name, line)) = facts.pointed_apart()
        {
            unknown = unknown.or(Some(Unknown::Variable { name: name.to_owned(), lines: vec![line] }));
        }
        if found.blocking.is_empty()
            && is_optimised
            && let Some((name, line)) = facts.handed_over().find(|(_, line)| {
                !loop_of.stores_on(&[*line]) && !loop_of.called().any(|(_, called)| called == *line)
            })
        {
            // Templates and builtins have no call: the element may be in a register.
            unknown = unknown.or(Some(Unknown::Array { name: name.to_owned(), lines: (line, line) }));
        }
        let may_expand = needs.as_ref().is_some_and(|needs| !needs.is_empty());
        if (advise || may_expand)
            && let Some((name, lines)) = facts.handed_on()
        {
            needs = None;
            found.seen_at(inside, name, &[lines.0, lines.1]);
            let why = Unknown::Array { name: name.to_owned(), lines };
            unknown = unknown.or(found.blocking.is_empty().then_some(why));
        }
        let is_seen = |name: &str| [true, false].iter().any(|&is_local| loop_of.is_seen(name, is_local));
        let mut vanished = facts.scratch_arrays().filter(|_| is_optimised).collect::<Vec<_>>();
        // Those of which each iteration has elements of its own need not be its own.
        let is_apart = |array: &profile::lens::Array| {
            array.accesses.iter().all(|access| facts.step_of(array, access) == Some(true))
        };
        vanished.retain(|array| !is_seen(&array.name) && !is_apart(array));
        let has_vanished = |name: &str| vanished.iter().any(|array| array.name == name);
        for array in &vanished {
            advise = true;
            let mut lines: Vec<u32> = array.accesses.iter().map(|access| access.at.line).collect();
            lines.dedup();
            let (object, name) = (ObjectIndex::MAX, array.name.clone());
            let need = Need { object, name, way: Way::Private, bytes: None, lines };
            needs.iter_mut().for_each(|needs| needs.push(need.clone()));
        }
        if is_optimised
            && let Some((name, lines)) =
                facts.left_in_arrays().find(|(name, _)| !is_seen(name) && !has_vanished(name))
        {
            // The compiler keeps its elements in registers.
            unknown = unknown.or(Some(Unknown::Array { name: name.to_owned(), lines }));
        }
        if is_optimised
            && let Some((name, line)) = facts
                .written_again(is_reduced)
                .find(|(name, _)| !loop_of.is_seen(name, true) && !has_vanished(name))
        {
            // Where debug information does not say where it lies, it looks like what the compiler puts aside.
            unknown = unknown.or(Some(Unknown::Array { name: name.to_owned(), lines: (line, line) }));
        }
        if found.blocking.is_empty()
            && is_optimised
            && let accesses = &indexes.accesses
            && let Some(d) = compiled::between_copies(profile, context, accesses, inside, facts)
                .or_else(|| compiled::handed_back(profile, context, inside, facts))
                .or_else(|| {
                    compiled::between_iterations_beside(profile, context, accesses, facts, is_reduced)
                })
        {
            let lines = [d.source, d.sink].map(|s| profile.location_of(s).line);
            let name = facts.accessed_on(lines[1]).unwrap_or_default().to_owned();
            unknown = unknown.or(Some(Unknown::Array { name, lines: lines.into() }));
        }
        let is_judged = |object: ObjectIndex| {
            let is_needed = needs.iter().flatten().any(|need| need.object == object);
            is_needed || privatise.contains(&object)
        };
        if found.blocking.is_empty()
            && is_optimised
            && let Some(d) =
                compiled::between_calls_beside(profile, context, &indexes.accesses, facts, &is_judged)
        {
            let name =
                d.levels.iter().flat_map(|level| &level.objects).find_map(|used| is_named(&used.object));
            let lines = [d.source, d.sink].map(|s| profile.location_of(s).line);
            unknown = unknown
                .or(Some(Unknown::Array { name: name.unwrap_or_default().to_owned(), lines: lines.into() }));
        }
        if found.blocking.is_empty()
            && is_optimised
            && let Some((array, lines)) = facts.scrambled(is_reduced)
            && !compiled::makes_every_store(profile, context, &indexes.accesses, facts, array)
        {
            unknown = unknown.or(Some(Unknown::Array { name: array.name.clone(), lines }));
        }
        let trips = loop_of.most_trips(&indexes.accesses, facts);
        if found.blocking.is_empty()
            && is_optimised
            && let Some((name, lines)) = overlap::overlap(facts, trips, is_reduced)
            && ![lines.0, lines.1].iter().any(|line| loop_of.shows_meeting(inside, *line, None))
        {
            unknown = unknown.or(Some(Unknown::Array { name: name.to_owned(), lines }));
        }
        if found.blocking.is_empty()
            && is_optimised
            && let Some((name, line)) =
                compiled::unrolled(profile, context, &indexes.accesses, facts, &|line, function| {
                    loop_of.shows_meeting(inside, line, function)
                })
        {
            unknown = unknown.or_else(|| Some(Unknown::Removed { name: name.to_owned(), line }));
        }
        if found.blocking.is_empty()
            && is_optimised
            && let Some(unrolled) = Unrolled::of(profile, context, &indexes.accesses, facts)
        {
            let place = unrolled.handed_on().or_else(|| unrolled.between(inside));
            let why = place.map(|place| {
                let line = profile.location(place).line;
                if unrolled.is_inlined(place) {
                    let name = short_name(&profile.location(place).function).to_owned();
                    return Unknown::Elsewhere { name, line };
                }
                let name = facts.accessed_on(line).or_else(|| facts.written()).unwrap_or_default();
                Unknown::Array { name: name.to_owned(), lines: (line, line) }
            });
            unknown = unknown.or(why);
        }
        if found.blocking.is_empty()
            && is_optimised
            && let Some((array, lines)) =
                facts.written_once().find(|(array, lines)| loop_of.keeps_element(&array.name, lines.1))
        {
            // What the one iteration has stored the others have from a register.
            unknown = unknown.or(Some(Unknown::Array { name: array.name.clone(), lines }));
        }
        if found.blocking.is_empty()
            && is_optimised
            && let Some((name, lines, _)) = facts.handed_along(trips)
            && !loop_of.called().any(|(_, called)| called == lines.1)
        {
            unknown = unknown.or(Some(Unknown::Array { name: name.to_owned(), lines }));
        }
        if found.blocking.is_empty()
            && !advise
            && is_optimised
            && let Some((name, lines, _)) = facts.passed_on(trips).or_else(|| facts.overwritten(trips))
        {
            unknown = unknown.or(Some(Unknown::Array { name: name.to_owned(), lines }));
        }
    }
    let mut blocking = found.blocking;
    blocking.sort_by_key(|(count, b)| (std::cmp::Reverse(*count), b.dependence));
    blocking.dedup();
    blocking.truncate(BLOCKING);
    privatise.sort_unstable();
    privatise.dedup();
    let parallel = match (blocking.is_empty(), &unknown, advise, is_reduced) {
        (false, ..) => Parallel::No,
        (true, Some(_), ..) => Parallel::Unknown,
        (true, None, true, _) => Parallel::AfterPrivatisation,
        (true, None, false, true) => Parallel::Reduction,
        (true, None, false, false) => Parallel::Yes,
    };
    // What goes with a minimum or maximum no clause names.
    if let (Parallel::Reduction | Parallel::AfterPrivatisation, Some(needs), Some(facts)) =
        (parallel, &mut needs, facts)
    {
        let companions = facts.scalars.iter().filter(|(_, role)| *role == Role::Companion);
        needs.extend(companions.map(|(scalar, _)| Need {
            object: ObjectIndex::MAX,
            name: scalar.name.clone(),
            way: Way::CombinePair,
            bytes: None,
            lines: scalar.definitions.iter().map(|definition| definition.at.line).collect(),
        }));
    }
    let mut statements: Vec<u32> = inside
        .edges
        .iter()
        .flat_map(|e| {
            let d = &profile.dependences[e.dependence as usize];
            [d.source, d.sink]
        })
        .filter(|&s| scevs.contains(s))
        .collect();
    statements.sort_unstable();
    statements.dedup();
    Verdict {
        parallel,
        blocking: blocking.into_iter().map(|b| b.1).collect(),
        reductions,
        privatise,
        shared_frames,
        scevs: statements,
        ordering,
        needs,
        unknown: unknown.filter(|_| parallel == Parallel::Unknown),
        reached: loop_of.reached(inside),
        source,
    }
}

/// A line of a loop's body that ran beside what was recorded of its function: in an iteration that the compiler has put there.
fn beside_focus(profile: &Profile, context: ContextIndex, facts: &Facts<'_>) -> Option<u32> {
    let Some(profile::Part::Focus { beside, .. }) = &profile.trust.part else { return None };
    let file = &profile.location(profile.contexts[context as usize].location).file;
    let (first, last) = facts.source.body;
    let is_of = |(of, line): &&(String, u32)| of == file && (first.line..=last.line).contains(line);
    beside.iter().find(is_of).map(|(_, line)| *line)
}

/// Adds what has to become of an object, unless something else has to already.
fn add_of_object(needs: &mut Option<Vec<Need>>, need: Need) {
    if let Some(needs) = needs.as_mut().filter(|needs| needs.iter().all(|own| own.object != need.object)) {
        needs.push(need);
    }
}

/// What the text says of variables that iterations share.
fn of_source(profile: &Profile, facts: &Facts<'_>, privatise: &[ObjectIndex]) -> OfSource {
    let mut out = OfSource {
        takes_directive: facts.source.canonical.is_yes() && facts.source.leaves.is_empty(),
        ..OfSource::default()
    };
    for (scalar, role) in &facts.scalars {
        let name = scalar.name.clone();
        match role {
            Role::Reduction(operator) => out.reductions.push((*operator, name)),
            Role::Companion => out.companions.push(name),
            Role::Private { last } => out.private.push((name, *last)),
            Role::Shared => out.shared.push(name),
            Role::Iterator | Role::Own | Role::Induction(_) | Role::Carried | Role::Flag => {}
        }
    }
    // Objects that have names of their own in the source.
    for object in privatise.iter().filter_map(|&object| profile.objects.get(object as usize)) {
        out.shared.retain(|name| *name != object.name);
    }
    out
}

/// What blocks a loop, with how often.
struct Found<'a> {
    loop_of: &'a Loop<'a>,
    blocking: Vec<(u64, Blocking)>,
}

impl Found<'_> {
    fn block(&mut self, dependence: u32, object: Option<ObjectIndex>) {
        let d = &self.loop_of.profile.dependences[dependence as usize];
        if let Some(level) = d.levels.iter().position(|l| usize::from(l.level) == self.loop_of.dim) {
            let object = object.or_else(|| d.levels[level].objects.first().map(|o| o.object));
            self.blocking.push((d.levels[level].count, Blocking { dependence, level, object }));
        }
    }

    /// An induction variable that the compiler keeps in a register blocks: some value that iterations hand on that way.
    fn evidence(&mut self, inside: &LoopEdges, scevs: &Scevs) {
        let profile = self.loop_of.profile;
        let hands_on = |edge: &&Edge| {
            let d = &profile.dependences[edge.dependence as usize];
            edge.carried && is_flow(d) && scevs.contains(d.source) && scevs.contains(d.sink)
        };
        if let Some(edge) = inside.edges.iter().find(hands_on) {
            self.block(edge.dependence, None);
        }
    }

    /// A variable that carries blocks: some dependence of the lines that assign it, through it or through where the compiler keeps it.
    fn seen_at(&mut self, inside: &LoopEdges, name: &str, lines: &[u32]) {
        let profile = self.loop_of.profile;
        let is_it = |used: &ObjectUse| {
            let object = profile.objects.get(used.object as usize);
            object.is_none_or(|object| object.name == name || object.kind == ObjectKind::Frame)
        };
        let is_of = |edge: &&Edge| {
            let d = &profile.dependences[edge.dependence as usize];
            let mut objects = d.levels.iter().flat_map(|level| &level.objects).peekable();
            let is_through =
                if d.memory { objects.peek().is_none() || objects.any(is_it) } else { is_flow(d) };
            edge.carried && is_through && lines.contains(&profile.location_of(d.source).line)
        };
        let flows = |edge: &&Edge| is_flow(&profile.dependences[edge.dependence as usize]);
        let of = || inside.edges.iter().filter(is_of);
        // Flow says more than what is left of it.
        if let Some(edge) = of().find(flows).or_else(|| of().next()) {
            self.block(edge.dependence, None);
        }
    }
}

/// A loop context and what its source says.
struct Loop<'a> {
    profile: &'a Profile,
    context: ContextIndex,
    dim: usize,
    facts: Option<&'a Facts<'a>>,
    reads: &'a Reads,
    coverage: &'a Coverage,
    by_name: &'a FxHashMap<String, Vec<(ObjectIndex, Vec<StatementIndex>)>>,
}

impl Loop<'_> {
    fn is_same_file(&self, location: u32) -> bool {
        let own = self.profile.location(self.profile.contexts[self.context as usize].location);
        self.profile.location(location).file == own.file
    }

    fn has(&self, is: impl Fn(Role) -> bool) -> bool {
        self.facts.is_some_and(|facts| facts.scalars.iter().any(|(_, role)| is(*role)))
    }

    /// Whether a value that a register hands on is one of a variable of the source about which the text says everything,
    /// or the compiler's own: both ends are of the loop's own text, and that leaves nothing open.
    fn explains_register(&self, inside: &LoopEdges, d: &Dependence) -> bool {
        self.explains(inside, d, false)
    }

    /// The same; `of_callees`: a value that is a function of the iteration may also be one that a function computes
    /// which the compiler has put in the place of a call, if none of those keeps anything ([`Loop::taken_in`]).
    fn explains(&self, inside: &LoopEdges, d: &Dependence, of_callees: bool) -> bool {
        if self.is_header_step(d) || self.is_of_callee(d) {
            return true;
        }
        let Some(facts) = self.facts.filter(|facts| facts.is_settled()) else { return false };
        let own = self.profile.location(self.profile.contexts[self.context as usize].location);
        let is_own = |s: StatementIndex| {
            let place = self.profile.location_of(s);
            let stays = || self.reads.are_fixed(self.profile, s, self.dim);
            // No number leads to an element.
            let is_number = || self.profile.statements[s as usize].float;
            let counts = !matches!(facts.source.kind, LoopKind::RustFor | LoopKind::RangeFor);
            // Where compilers put copies from register to register, they may give them the line of the function's head.
            let is_copy = || {
                matches!(self.profile.statements[s as usize].operation, Operation::Copy | Operation::Shuffle)
                    && self.reads.stays_in_registers(s)
                    && place.file == own.file
            };
            place.line == 0 && (counts || self.is_direct(s) && stays())
                || is_number() && self.is_direct(s) && is_copy()
                || place.file == own.file
                    && place.function == own.function
                    && (facts.source.at.line..=facts.source.end.line).contains(&place.line)
                // It keeps nothing but what it is called on, and no variable is left open. What an iterator reads at
                // addresses that move is the way from one element to the next: nobody knows an element before its
                // predecessors.
                || is_of_standard_library(&place.file) && (stays() || is_number())
                || of_callees && place.file == own.file && self.is_of_callee_in_text(facts, s, &place.function)
        };
        is_own(d.source)
            && (is_own(d.sink) || is_of_standard_library(&self.profile.location_of(d.sink).file))
            && !self.has(|role| role == Role::Carried)
            && !match d.memory {
                true => self.is_stored_beside(inside, d.source),
                false => self.is_stored_along(inside, d.source),
            }
    }

    /// Whether a register hands on what an iteration has loaded because the next one would load the same again: an element that nothing
    /// in the loop has written before (predictive commoning; compilers do so where no store comes between). The text reads several elements
    /// of that array, then. A variable of the source that does so is another matter: the text has none.
    fn is_loaded_before(&self, inside: &LoopEdges, d: &Dependence) -> bool {
        let Some(facts) = self.facts.filter(|facts| facts.are_scalars_settled()) else { return false };
        let place = self.profile.location_of(d.source);
        !d.memory
            && self.profile.statements[d.source as usize].operation == Operation::Copy
            && self.reads.only_loads(d.source)
            && self.is_direct(d.source)
            && self.is_direct(d.sink)
            && self.is_same_file(self.profile.statements[d.source as usize].location)
            && (facts.source.at.line..=facts.source.end.line).contains(&place.line)
            && facts.reads_several_on(place.line, !self.profile.statements[d.source as usize].float)
            && !self.has(|role| role == Role::Carried)
            && !inside.edges.iter().any(|edge| {
                let into = &self.profile.dependences[edge.dependence as usize];
                into.memory && is_flow(into) && into.sink == d.source
            })
    }

    /// Whether a register hands on what an iteration loads at its end for the next one, of what the text has it write to an element or to
    /// where a pointer leads, or of what a function has written that it calls.
    fn is_loaded_early(&self, inside: &LoopEdges, d: &Dependence) -> bool {
        let is_in_text = |s: StatementIndex| {
            let line = self.profile.location_of(s).line;
            self.is_direct(s)
                && self
                    .facts
                    .is_some_and(|facts| facts.writes_elements_on(line) && !facts.are_combined([line; 2]))
        };
        self.is_loaded_behind_call(inside, d) || self.is_loaded_behind(inside, d, &is_in_text)
    }

    /// Whether a register hands on what an iteration loads of what a function has written that it calls.
    fn is_loaded_behind_call(&self, inside: &LoopEdges, d: &Dependence) -> bool {
        let is_own = |s: StatementIndex| self.is_direct(s) && self.is_in_text(s);
        is_own(d.source) && is_own(d.sink) && self.is_loaded_behind(inside, d, &|s| !self.is_direct(s))
    }

    /// Whether a register hands on what is loaded of what some statement of the loop has written.
    fn is_loaded_behind(
        &self,
        inside: &LoopEdges,
        d: &Dependence,
        writes: &dyn Fn(StatementIndex) -> bool,
    ) -> bool {
        let mut all = inside.edges.iter().map(|edge| &self.profile.dependences[edge.dependence as usize]);
        !self.reads.stays_in_registers(d.source)
            && all.any(|into| into.memory && is_flow(into) && into.sink == d.source && writes(into.source))
    }

    /// Whether a statement is of a function that the compiler has put in the place of a call that the loop's text makes.
    fn is_of_callee_in_text(&self, facts: &Facts<'_>, s: StatementIndex, function: &str) -> bool {
        let of = |context: ContextIndex| self.profile.contexts[context as usize].function;
        let is_called = |call: &Call| short_name(&call.callee) == short_name(function) && !call.is_macro;
        // What functions of other languages keep is not known.
        matches!(facts.language, Language::C | Language::Cpp)
            && of(self.profile.context_of(s)) == of(self.context)
            && facts.source.calls.iter().any(is_called)
    }

    /// Whether a register, or a variable of the function, hands on the loop's own iterator, by the debug information: whatever the compiler
    /// does with it, it is that of the iteration.
    fn is_iterator_by_name(&self, d: &Dependence) -> bool {
        let mut levels = d.levels.iter().filter(|l| usize::from(l.level) == self.dim).peekable();
        !self.profile.statements[d.source as usize].float
            && self.is_direct(d.source)
            // What the function is handed the address of it for reads what the loop itself has written.
            && (d.memory || self.is_direct(d.sink) && self.is_in_text(d.sink))
            && levels.peek().is_some()
            && levels.all(|level| {
                let is_it = |used: &ObjectUse| self.is_own_iterator(used, d.memory);
                !level.objects.is_empty() && level.objects.iter().all(is_it)
            })
    }

    /// A variable by which the loop counts and that the run has seen a function write which is handed it by its name: how often the loop
    /// iterates, the text does not say. With the lines that do so.
    fn iterator_written_elsewhere(&self) -> Option<(&str, Vec<u32>)> {
        let facts = self.facts?;
        let is_handed_over = |scalar: &profile::lens::Scalar| {
            facts.source.iterators.iter().any(|own| own.name == scalar.name)
                && scalar.shared.iter().any(|own| own.kind == SharingKind::PerhapsReference)
        };
        let writes = |s: StatementIndex| {
            self.reads.stores(s) && !self.is_direct(s) && is_inside(self.profile, s, self.context)
        };
        facts.scalars.iter().map(|(scalar, _)| *scalar).filter(|scalar| is_handed_over(scalar)).find_map(
            |scalar| {
                let objects = self.by_name.get(&scalar.name).into_iter().flatten();
                let mut own = objects
                    .filter(|(object, _)| self.is_of_own_frame(&self.profile.objects[*object as usize]));
                let is_written = own.any(|(_, ends)| ends.iter().any(|&end| writes(end)));
                let lines = || scalar.shared.iter().map(|own| own.at.line).collect();
                is_written.then(|| (scalar.name.as_str(), lines()))
            },
        )
    }

    /// Whether an object is the one variable by which the loop counts, in memory or in a register. (What takes elements from anything but
    /// a range may be the way from one to the next.)
    fn is_own_iterator(&self, used: &ObjectUse, is_in_memory: bool) -> bool {
        let Some(facts) = self.facts else { return false };
        let counts = match facts.source.kind {
            LoopKind::For => facts.source.canonical.is_yes(),
            LoopKind::RustFor => facts.source.iterators.iter().all(|own| own.comparison.is_some()),
            LoopKind::FortranDo => true,
            _ => false,
        };
        let object = self.profile.objects.get(used.object as usize);
        let is_own = |name: &str| facts.source.iterators.iter().any(|own| own.name == name);
        counts
            && object.is_some_and(|object| {
                let lies_there = match is_in_memory {
                    true => {
                        object.kind == ObjectKind::Stack
                            && self.is_of_own_frame(object)
                            && !object.is_volatile
                    }
                    false => object.kind == ObjectKind::Register,
                };
                lies_there && is_own(&object.name) && facts.role(&object.name) == Some(Role::Iterator)
            })
    }

    /// The loops that the loop's directive makes one (`collapse`), in a function that a compiler has made of a parallel region: their counters
    /// advance together, and each thread begins with those of its first iteration. None if there is no such directive.
    fn joined(&self) -> Vec<&SourceText> {
        let own = &self.profile.contexts[self.context as usize];
        let function = self.profile.functions.get(own.function as usize);
        let is_region = function.is_some_and(|function| of_region(&function.name).is_some());
        let Some(facts) = self.facts.filter(|_| is_region) else { return Vec::new() };
        let joined = facts.source.directive.as_ref().map_or(1, |directive| directive.joined());
        if joined < 2 {
            return Vec::new();
        }
        let is_joined = |inner: &&SourceText| inner.depth < facts.source.depth.saturating_add(joined);
        std::iter::once(facts.source).chain(facts.inner_loops().filter(is_joined)).collect()
    }

    /// Whether an object is the counter of one of those.
    fn is_joined_counter(&self, joined: &[&SourceText], used: &ObjectUse) -> bool {
        let object = self.profile.objects.get(used.object as usize);
        let mut counters = joined.iter().flat_map(|one| &one.iterators);
        object.is_some_and(|object| {
            object.kind == ObjectKind::Stack && counters.any(|own| own.name == object.name)
        })
    }

    /// Whether a dependence hands on the counters of loops that a directive makes one. The headers have nothing else on their lines.
    fn is_of_joined(&self, d: &Dependence) -> bool {
        let joined = self.joined();
        let Some(facts) = self.facts.filter(|_| !joined.is_empty()) else { return false };
        if [d.source, d.sink].iter().any(|&s| !self.is_direct(s)) {
            return false;
        }
        if d.memory {
            let levels = || d.levels.iter().filter(|l| usize::from(l.level) == self.dim);
            let mut objects = levels().flat_map(|l| &l.objects).peekable();
            return objects.peek().is_some() && objects.all(|used| self.is_joined_counter(&joined, used));
        }
        let is_header =
            |line: u32| joined.iter().any(|one| (one.at.line..=one.header_last_line).contains(&line));
        let is_counter =
            |name: &str| joined.iter().flat_map(|one| &one.iterators).any(|own| own.name == name);
        let arrays =
            facts.source.arrays.iter().flat_map(|array| &array.accesses).map(|access| access.at.line);
        let others = facts.source.scalars.iter().filter(|scalar| !is_counter(&scalar.name));
        let others = others.flat_map(|scalar| &scalar.definitions).map(|definition| definition.at.line);
        !self.profile.statements[d.source as usize].float
            && is_header(self.profile.location_of(d.source).line)
            && !arrays.chain(others).any(is_header)
    }

    /// What statements of an iteration hand on to one another in registers, but for addresses.
    fn values<'b>(&'b self, inside: &'b LoopEdges) -> impl Iterator<Item = &'b Dependence> {
        let within = inside.edges.iter().filter(|edge| edge.within);
        let of = within.map(|edge| &self.profile.dependences[edge.dependence as usize]);
        of.filter(|d| is_flow(d) && !d.memory && d.role != profile::Use::Address)
    }

    /// Whether an iteration stores a value, by moves alone, at addresses that move: what the next iteration finds in a
    /// register is an element of an array, not a variable.
    fn is_stored_along(&self, inside: &LoopEdges, statement: StatementIndex) -> bool {
        self.is_stored_elsewhere(inside, statement, StatementIndex::MAX)
    }

    /// The same; what one statement does with it does not count.
    fn is_stored_elsewhere(
        &self,
        inside: &LoopEdges,
        statement: StatementIndex,
        but: StatementIndex,
    ) -> bool {
        let moves = |s: StatementIndex| {
            matches!(
                self.profile.statements[s as usize].operation,
                Operation::Copy | Operation::Shuffle | Operation::Convert
            )
        };
        // The register may have a copy of what is stored.
        let mut origins = vec![statement];
        let mut at = 0;
        while let Some(&s) = origins.get(at) {
            at += 1;
            if moves(s) {
                let from = self.values(inside).filter(|d| d.sink == s).map(|d| d.source);
                let new: Vec<StatementIndex> = from.filter(|from| !origins.contains(from)).collect();
                origins.extend(new);
            }
        }
        let mut open = origins;
        let mut seen: Vec<StatementIndex> = vec![but];
        while let Some(s) = open.pop() {
            if seen.contains(&s) {
                continue;
            }
            seen.push(s);
            if self.reads.stores_along(self.profile, s, self.dim) || self.stores_element(s) {
                return true;
            }
            open.extend(self.values(inside).filter(|d| d.source == s && moves(d.sink)).map(|d| d.sink));
        }
        false
    }

    /// Whether a statement stores what by the text is an element of an array, be its address the same in all iterations: of a loop
    /// inside that was written out nothing else is left.
    fn stores_element(&self, statement: StatementIndex) -> bool {
        let line = self.profile.location_of(statement).line;
        self.reads.stores(statement)
            && self.is_direct(statement)
            && self.is_in_text(statement)
            && self.facts.is_some_and(|facts| facts.only_sets_elements_on(line))
    }

    /// Whether a register hands on what the header of the loop advances: its iterator, or what the compiler computes in
    /// its place.
    fn is_header_step(&self, d: &Dependence) -> bool {
        let Some(facts) = self.facts.filter(|facts| facts.counts_alone()) else { return false };
        let own = self.profile.location(self.profile.contexts[self.context as usize].location);
        let place = self.profile.location_of(d.source);
        let lines = facts.source.at.line..=facts.source.header_last_line;
        let is_addition = self.profile.statements[d.source as usize].operation == Operation::Add;
        !d.memory
            && is_addition
            && !self.profile.statements[d.source as usize].float
            && lines.contains(&place.line)
            && !facts.assigns_on(&lines)
            && place.file == own.file
            && place.function == own.function
    }

    /// Whether a register hands on a variable of a function that the compiler has put in the place of a call: the next
    /// call has another one. Both ends are in a loop of that function, the text of which only assigns variables of its
    /// own.
    fn is_of_callee(&self, d: &Dependence) -> bool {
        let own = self.profile.location(self.profile.contexts[self.context as usize].location);
        let places = [d.source, d.sink].map(|s| self.profile.location_of(s));
        let is_other = |place: &Location| (&place.file, &place.function) != (&own.file, &own.function);
        let is_self_contained = |place: &Location| {
            let source = self.profile.source(&place.file);
            let of = source.and_then(|file| Some((file, file.around(place.line, Some(place.column))?)));
            of.is_some_and(|(file, source)| {
                source.function.as_deref() == Some(&place.function)
                    && Facts::new(file, source).is_some_and(|facts| facts.is_self_contained())
            })
        };
        !d.memory
            && places[0].function == places[1].function
            && places.into_iter().all(is_other)
            && places.into_iter().all(is_self_contained)
    }

    /// Whether iterations that come to one place of an object all set it to the same value, by the text, and none reads it.
    fn is_flag(&self, finding: &Finding) -> bool {
        let Some(facts) = self.facts.filter(|_| finding.remedy == Remedy::Blocks) else { return false };
        let accesses: Vec<&profile::Access> = needs::accesses(self.profile, finding).collect();
        let is_in_text = |access: &&profile::Access| {
            access.write && self.is_direct(access.statement) && self.is_in_text(access.statement)
        };
        let lines: Vec<u32> =
            accesses.iter().map(|access| self.profile.location_of(access.statement).line).collect();
        !accesses.is_empty()
            && !finding.uses.is_exposed
            && accesses.iter().all(is_in_text)
            && (facts.sets_one_value(&lines) || facts.sets_flag(&lines))
    }

    /// Whether a carried flow dependence joins two objects that lie in the same place one after the other: storage of
    /// activations that the loop makes, or variables of its body. Nobody reads what another one has left there.
    fn is_void(&self, d: &Dependence) -> bool {
        let is_new = |used: &ObjectUse| {
            let object = self.profile.objects.get(used.object as usize);
            used.callee || object.is_some_and(|object| self.is_own(object))
        };
        let levels = || d.levels.iter().filter(|l| usize::from(l.level) == self.dim);
        d.memory && levels().all(|level| !level.objects.is_empty() && level.objects.iter().all(is_new))
    }

    /// Whether a function of a library puts by a register that may hold one of its arguments, and does not look at it:
    /// functions with any number of arguments begin so.
    fn is_put_by(&self, d: &Dependence) -> bool {
        let context = self.profile.context_of(d.sink);
        let function = self.profile.contexts.get(context as usize).map(|own| own.function);
        let is_of_library = function
            .and_then(|function| self.profile.functions.get(function as usize))
            .is_some_and(|function| !function.main);
        let is_copy = self.profile.statements[d.sink as usize].operation == profile::Operation::Copy;
        !d.memory && is_of_library && is_copy && self.reads.stores_unread(d.sink)
    }

    fn is_of_own_frame(&self, object: &profile::Object) -> bool {
        let own = &self.profile.contexts[self.context as usize];
        let entry = self.profile.functions.get(own.function as usize).map_or(0, |f| f.entry);
        object.owner.is_some_and(|owner| owner.0 <= entry && entry < owner.1)
    }

    /// Whether a variable in the loop's frame is of the function in whose text the loop stands: of one that the compiler has put into
    /// another, variables have the range of its code as their scope.
    fn is_of_own_text(&self, object: &profile::Object) -> bool {
        let own = &self.profile.contexts[self.context as usize];
        let text = &self.profile.location(own.location).function;
        let frame = self.profile.functions.get(own.function as usize);
        let is_taken_in = frame.is_some_and(|frame| !is_code_of(&frame.name, text));
        let is_at = |code: u64| object.scope.iter().any(|range| range.0 <= code && code < range.1);
        !is_taken_in || own.code.first().is_some_and(|code| is_at(code.0))
    }

    /// Whether the loop's body declares a variable, new in each iteration: by the source, or where that does not name it
    /// by its scope.
    fn is_own(&self, object: &profile::Object) -> bool {
        let own = &self.profile.contexts[self.context as usize];
        let entry = self.profile.functions.get(own.function as usize).map_or(0, |f| f.entry);
        let is_here = object.owner.is_none_or(|owner| owner.0 <= entry && entry < owner.1);
        let named = self.facts.filter(|_| is_here).and_then(|facts| match facts.declares(&object.name) {
            // Debug information gives what a loop keeps between iterations the loop as its scope.
            is if is != Some(true) && facts.is_iterator(&object.name) => Some(false),
            is => is,
        });
        object.kind == ObjectKind::Stack
            && named.unwrap_or_else(|| scev::is_scoped(self.profile, self.context, object))
    }

    /// Whether a statement of a library keeps the state of an iterator over a range or a container, which the loop has
    /// to itself.
    fn is_iterator_state(&self, statement: StatementIndex, used: &ObjectUse) -> bool {
        let Some(facts) = self.facts else { return false };
        let hides = matches!(facts.source.kind, LoopKind::RustFor | LoopKind::RangeFor);
        let object = self.profile.objects.get(used.object as usize);
        let is_state = object.is_some_and(|object| match object.kind {
            // What methods are called on may lie there as well.
            ObjectKind::Frame => self.is_of_own_frame(object) && !facts.reaches_own_frame(),
            ObjectKind::Stack => self.is_of_own_frame(object) && facts.is_iterator(&object.name),
            _ => false,
        });
        let own = self.profile.location(self.profile.contexts[self.context as usize].location);
        let place = self.profile.location_of(statement);
        // What the header takes from it lies beside it.
        let lines = facts.source.at.line..=facts.source.header_last_line;
        let is_header = || {
            object.is_some_and(|object| object.kind == ObjectKind::Frame)
                && place.file == own.file
                && place.function == own.function
                && lines.contains(&place.line)
        };
        hides && is_state && (is_of_standard_library(&place.file) && place.file != own.file || is_header())
    }

    /// Whether a flow dependence passes on the state of such an iterator: not if what is stored was read at addresses
    /// that move, the way from one element to the next.
    fn is_of_iterator(&self, inside: &LoopEdges, d: &Dependence) -> bool {
        let is_state =
            |used: &ObjectUse| self.is_iterator_state(d.source, used) && self.is_iterator_state(d.sink, used);
        let levels = || d.levels.iter().filter(|l| usize::from(l.level) == self.dim);
        d.memory
            && levels().all(|level| !level.objects.is_empty() && level.objects.iter().all(is_state))
            && !self.is_read_along(inside, d.source)
    }

    /// Whether a value comes, by moves alone, from a load at addresses that move, in the same iteration.
    fn is_read_along(&self, inside: &LoopEdges, statement: StatementIndex) -> bool {
        let mut open = vec![statement];
        let mut seen: Vec<StatementIndex> = Vec::new();
        while let Some(s) = open.pop() {
            if seen.contains(&s) {
                continue;
            }
            seen.push(s);
            for from in self.values(inside).filter(|d| d.sink == s).map(|d| d.source) {
                if !self.reads.are_fixed(self.profile, from, self.dim) {
                    return true;
                }
                if self.profile.statements[from as usize].operation == Operation::Copy {
                    open.push(from);
                }
            }
        }
        false
    }

    /// Whether a dependence is through slots of the loop's own frame that have no name: registers that the compiler has
    /// spilled. The text has nothing else there: no address is followed.
    fn is_spilled(&self, inside: &LoopEdges, d: &Dependence) -> bool {
        let is_slot = |used: &ObjectUse| {
            let object = self.profile.objects.get(used.object as usize);
            object.is_some_and(|object| object.kind == ObjectKind::Frame && self.is_of_own_frame(object))
        };
        let mut objects =
            d.levels.iter().filter(|l| usize::from(l.level) == self.dim).flat_map(|l| &l.objects).peekable();
        let follows = |facts: &Facts<'_>| facts.scalars.iter().any(|(_, role)| *role == Role::Shared);
        // Some variable of the text has to be what is spilled: unrolled code comes to elements of arrays at fixed
        // addresses too.
        let is_kept = |role| {
            matches!(
                role,
                Role::Reduction(_) | Role::Companion | Role::Induction(_) | Role::Private { .. } | Role::Flag
            )
        };
        d.memory
            && objects.peek().is_some()
            && objects.all(is_slot)
            && self.stays(d)
            && self.is_direct(d.source)
            && self.is_direct(d.sink)
            && (self.has(is_kept) || self.has_no_place_for(inside, d.source))
            && self.facts.is_some_and(|facts| !follows(facts))
    }

    /// Whether what a statement leaves in a slot without a name can be no variable of the text: none is left open, every array that the
    /// function has for itself was met in memory, and no element gets that value.
    fn has_no_place_for(&self, inside: &LoopEdges, statement: StatementIndex) -> bool {
        let is_met = |array: &profile::lens::Array| {
            !array.fixed || [true, false].iter().any(|&is_local| self.is_seen(&array.name, is_local))
        };
        self.facts.is_some_and(|facts| facts.is_settled() && facts.source.arrays.iter().all(is_met))
            && !self.has(|role| role == Role::Carried)
            && !self.is_stored_beside(inside, statement)
    }

    /// Whether what a statement leaves in a slot is also stored along.
    fn is_stored_beside(&self, inside: &LoopEdges, statement: StatementIndex) -> bool {
        let mut into = self.values(inside).filter(|d| d.sink == statement);
        into.any(|d| self.is_stored_elsewhere(inside, d.source, statement))
    }

    /// Whether both ends of a dependence through memory are at one address while the loop runs, as a spilled register
    /// is. What moves is an array, whether or not it has a name.
    fn stays(&self, d: &Dependence) -> bool {
        let is_fixed = |access: Option<u32>| {
            let access = access.and_then(|access| self.profile.accesses.get(access as usize));
            access.is_some_and(|access| scev::is_fixed(&access.address, self.dim))
        };
        is_fixed(d.source_access) && is_fixed(d.sink_access)
    }

    /// Whether an object is a slot without a name in the frame of the loop's own function, where the compiler has put
    /// what had no register left: variables whose address is taken have names. What becomes of those variables is said
    /// by their text.
    fn is_spill_slot(&self, object: &profile::Object) -> bool {
        object.kind == ObjectKind::Frame
            && self.is_optimised()
            && self.is_of_own_frame(object)
            && self.facts.is_some_and(Facts::is_settled)
    }

    /// The role of an object that a dependence of the loop passes through, by its name: where both ends are of the
    /// loop's own function.
    fn role(&self, used: &ObjectUse) -> Option<Role> {
        let object = self.profile.objects.get(used.object as usize)?;
        let is_variable =
            matches!(object.kind, ObjectKind::Stack | ObjectKind::Global) && !object.is_volatile;
        self.facts.filter(|_| is_variable)?.role(&object.name)
    }

    fn is_direct(&self, statement: StatementIndex) -> bool {
        let own = &self.profile.contexts[self.profile.context_of(statement) as usize];
        own.function == self.profile.contexts[self.context as usize].function
    }

    /// Whether an instruction is of a function that the loop calls, directly or by others, and what that does stands in the loop's text in the
    /// place of the call: the text calls no such function.
    fn is_shown(&self, statement: StatementIndex) -> bool {
        let calls = |name: &str| {
            let text = Facts::source(self.profile, self.context);
            text.is_none_or(|text| text.calls.iter().any(|call| short_name(&call.callee) == name))
        };
        self.called_from(statement).is_some_and(|function| !calls(short_name(&function.name)))
    }

    /// Variables of which each thread has its own and through which the loop takes or leaves something, each with the
    /// lines of the loop that come to it. `between_threads`: the dependences in question.
    fn left_to_a_thread(&self, between_threads: &[u32]) -> Vec<(ObjectIndex, Vec<u32>)> {
        let mut out: BTreeMap<ObjectIndex, Vec<StatementIndex>> = BTreeMap::new();
        for d in between_threads.iter().map(|&index| &self.profile.dependences[index as usize]) {
            let ends: Vec<StatementIndex> = [d.source, d.sink]
                .into_iter()
                .filter(|&s| is_inside(self.profile, s, self.context))
                .collect();
            // Both ends in one execution of the loop are what iterations pass on, or keep to themselves.
            let leaves = |level: &&profile::LevelSummary| {
                ends.len() == 1 || ends.len() == 2 && usize::from(level.level) < self.dim
            };
            for used in d.levels.iter().filter(leaves).flat_map(|level| &level.objects) {
                out.entry(used.object).or_default().extend(&ends);
            }
        }
        out.into_iter().map(|(object, statements)| (object, self.lines(&statements))).collect()
    }

    /// Variables of which each thread has its own and that the text of an optimised loop names, though the run shows nothing
    /// of them: the compiler may have taken their values before the loop, or put them down after it.
    fn kept_by_a_thread(&self, needs: &Option<Vec<Need>>) -> Vec<(&str, u32)> {
        let Some(facts) = self.facts.filter(|_| self.is_optimised()) else { return Vec::new() };
        let is_known = |name: &str| {
            needs.iter().flatten().any(|need| {
                let object = self.profile.objects.get(need.object as usize);
                need.name == name || object.is_some_and(|object| object.name == name)
            })
        };
        let all = facts.source.thread_locals.iter().map(|(name, line)| (name.as_str(), *line));
        // What each iteration writes first is the thread's own, if nobody asks for it afterwards.
        let is_own = |name: &str| facts.role(name) == Some(Role::Own) || self.is_seen(name, false);
        all.filter(|(name, _)| !is_known(name) && !is_own(name)).collect()
    }

    /// A function or macro of another file, or one that keeps something, that the text of an optimised loop calls, and that no call in
    /// the run is of: its text may hand on what the compiler keeps in a register.
    fn taken_in(&self) -> Option<(&str, u32)> {
        if !self.is_optimised() {
            return None;
        }
        let mut open: Vec<(&str, &Call)> = Facts::hidden_calls(self.profile, self.context);
        // Arrays that the loop meets in memory the run shows.
        let source = Facts::source(self.profile, self.context);
        open.retain(|(_, call)| {
            call.keeps
                || source
                    .is_some_and(|source| changes_one_place(source, call, &|name| self.is_seen(name, true)))
                || !call.elsewhere.is_empty()
                || !call.arrays.iter().all(|name| self.is_seen(name, false))
        });
        if open.is_empty() {
            return None;
        }
        if open.iter().any(|(_, call)| call.conditional) {
            let inside = graph::inside(self.profile, &[self.context]);
            // What did not run leaves neither its line nor its name. (What is in the file may be computed whether or not its condition
            // holds.)
            let ran = self.profile.statements.iter().enumerate().filter_map(|(index, statement)| {
                let is_inside = inside.contains(&self.profile.context_of(index as StatementIndex));
                is_inside.then(|| self.profile.location(statement.location))
            });
            let ran: Vec<(&str, u32)> = ran.map(|place| (short_name(&place.function), place.line)).collect();
            let may_run =
                |name: &str, call: &Call| ran.iter().any(|own| own.0 == name || own.1 == call.at.line);
            let is_known = |call: &Call| call.elsewhere.is_empty();
            open.retain(|(name, call)| !call.conditional || is_known(call) || may_run(name, call));
        }
        for (function, line) in self.called() {
            // Functions of libraries have several names.
            if !function.main {
                open.retain(|own| own.1.at.line != line);
            }
            // A part of a function was left behind where the rest was put into its callers.
            let name = short_name(&function.name);
            if !name.contains(".part.") {
                let name = name.split('.').next().unwrap_or(name);
                open.retain(|own| own.0 != name);
            }
        }
        open.first().map(|(name, call)| (*name, call.at.line))
    }

    /// A dependence within an iteration of the compiled loop that is one between iterations of the text: the compiler has made several of them
    /// one, and what a function writes that the text calls once reaches what comes before it in the text. The function, and the line.
    fn between_copies(&self, inside: &LoopEdges) -> Option<(&str, u32)> {
        let facts = self.facts.filter(|_| self.is_optimised())?;
        let own = self.profile.location(self.profile.contexts[self.context as usize].location);
        let is_here = |s: StatementIndex| self.profile.context_of(s) == self.context;
        let place = |s: StatementIndex| self.profile.location_of(s);
        let is_own = |s: StatementIndex| place(s).function == own.function && place(s).file == own.file;
        // Where a statement stands in the text of an iteration: what is handed over comes before a call, what is done with its result after it.
        let order = |s: StatementIndex, is_write: bool| -> Option<(u32, u32, u32)> {
            if is_own(s) {
                return Some((place(s).line, if is_write { u32::MAX } else { 0 }, 0));
            }
            let name = short_name(&place(s).function);
            // What a lambda is called the text of a call says, not the debug information.
            let is_lambda = name.contains("operator()");
            let is_of = |call: &&Call| is_lambda || call.callee.rsplit(['.', '>', ':']).next() == Some(name);
            let mut calls = facts.source.calls.iter().filter(is_of).peekable();
            if calls.peek().is_none() {
                // It is read in the place of its call: what it writes, the text writes there.
                let mut lines = facts.lines_of_writes().filter(|line| !self.stores_anywhere_on(&[*line]));
                let line = lines.next().filter(|_| lines.next().is_none())?;
                return Some((line, 1, place(s).line));
            }
            let call = calls.next().filter(|_| calls.next().is_none())?;
            let is_repeated = facts.inner_loops().any(|inner| {
                (inner.at.line, inner.at.column) < (call.at.line, call.at.column)
                    && call.at.line <= inner.end.line
            });
            (!is_repeated && call.at.column > 0).then_some((call.at.line, call.at.column, place(s).line))
        };
        let has_copies = |s: StatementIndex| {
            let location = self.profile.statements[s as usize].location;
            let is_copy = |access: &&profile::Access| {
                let other = access.statement;
                access.write && self.profile.statements[other as usize].location == location && is_here(other)
            };
            self.profile.accesses.iter().filter(is_copy).take(2).count() == 2
        };
        // What stays where it is, iterations overwrite in turn: that is seen without this.
        let moves = |d: &Dependence| {
            let access = d.source_access.and_then(|access| self.profile.accesses.get(access as usize));
            access.is_some_and(|access| !scev::is_fixed(&access.address, self.dim))
        };
        let is_between = |d: &Dependence| {
            d.memory
                && d.kind != profile::Kind::Anti
                && moves(d)
                && [d.source, d.sink].iter().all(|&s| place(s).file == own.file)
                && d.levels.iter().any(|level| level.level == d.common)
                && is_here(d.source)
                && is_here(d.sink)
                && !(is_own(d.source) && is_own(d.sink))
                && order(d.source, true)
                    .zip(order(d.sink, d.kind == profile::Kind::Output))
                    .is_some_and(|(source, sink)| sink <= source)
                && has_copies(d.source)
        };
        let all = inside.edges.iter().filter(|edge| edge.within);
        let mut all = all.map(|edge| &self.profile.dependences[edge.dependence as usize]);
        let d = all.find(|d| is_between(d))?;
        let of = if is_own(d.source) { d.sink } else { d.source };
        Some((short_name(&place(of).function), place(of).line))
    }

    /// Whether a value in a register is of code that the compiler has put into the loop's body from another file, which
    /// the text of the loop says nothing of.
    fn is_foreign(&self, d: &Dependence) -> bool {
        if d.memory || !self.is_optimised() || self.profile.context_of(d.source) != self.context {
            return false;
        }
        let own = self.profile.location(self.profile.contexts[self.context as usize].location);
        let place = self.profile.location_of(d.source);
        place.line > 0
            && place.file != own.file
            && !is_of_standard_library(&place.file)
            && !self.facts.is_some_and(|facts| facts.knows_calls())
    }

    /// Whether a flow dependence is that of an accumulator by the text.
    fn is_reduction_of_source(&self, d: &Dependence) -> bool {
        // The latter looks at all accesses.
        self.is_combined_by_text(d) && !self.is_read_beside(d)
    }

    /// Whether the text says that both ends of a dependence combine something.
    fn is_combined_by_text(&self, d: &Dependence) -> bool {
        let level = d.levels.iter().find(|l| usize::from(l.level) == self.dim);
        let lines = [d.source, d.sink].map(|s| self.profile.location_of(s).line);
        let is_text = [d.source, d.sink].iter().all(|&s| self.is_direct(s) && self.is_in_text(s));
        // What is handed on has to come in as the old value of what is updated, not as the other operand.
        let is_in_place = || d.sink_access.is_some_and(|access| self.reads.is_in_place(access));
        if d.memory && is_text && self.facts.is_some_and(|facts| facts.are_combined(lines)) && is_in_place() {
            return true;
        }
        if d.memory
            && is_text
            && self.stays(d)
            && self.facts.is_some_and(|facts| facts.combines_pointed(lines))
        {
            return true;
        }
        // The standard library is handed references to what it compares.
        let is_known = |s: StatementIndex| {
            self.is_direct(s) || is_of_standard_library(&self.profile.location_of(s).file) || self.is_shown(s)
        };
        d.memory
            && is_known(d.source)
            && is_known(d.sink)
            && level.is_some_and(|level| {
                !level.objects.is_empty()
                    && level
                        .objects
                        .iter()
                        .all(|used| matches!(self.role(used), Some(Role::Reduction(_) | Role::Companion)))
            })
    }

    /// Whether iterations read the place that a dependence passes through more often than they write it, so that something else than
    /// its updates reads it, by whatever name: each update reads once what it writes once. Minima and maxima also read where they do not
    /// write.
    fn is_read_beside(&self, d: &Dependence) -> bool {
        let compares = |s: StatementIndex| {
            let line = self.profile.location_of(s).line;
            self.facts.is_some_and(|facts| facts.takes_extreme_on(line))
        };
        let access = d.source_access.and_then(|access| self.profile.accesses.get(access as usize));
        let Some(place) = access.filter(|_| self.stays(d)).and_then(profile::Access::bytes) else {
            return false;
        };
        if compares(d.source) || compares(d.sink) || !self.is_direct(d.source) || !self.is_direct(d.sink) {
            return false;
        }
        let meets = |access: &&profile::Access| {
            let bytes = access.bytes();
            bytes.is_none_or(|other| other.0 < place.1 && place.0 < other.1)
                && is_inside(self.profile, access.statement, self.context)
                && self.is_direct(access.statement)
                && scev::is_fixed(&access.address, self.dim)
        };
        let (mut read, mut written) = (0u64, 0u64);
        for access in self.profile.accesses.iter().filter(meets) {
            let sum = if access.write { &mut written } else { &mut read };
            *sum = sum.saturating_add(access.executions.saturating_mul(access.size.into()));
        }
        read > written
    }

    /// Whether a flow dependence is that of a variable which by the text every iteration advances.
    fn is_induction_of_source(&self, d: &Dependence) -> bool {
        let mut levels = d.levels.iter().filter(|l| usize::from(l.level) == self.dim).peekable();
        let is_own = |used: &ObjectUse| matches!(self.role(used), Some(Role::Induction(_)));
        d.memory
            && self.is_direct(d.source)
            && self.is_direct(d.sink)
            && levels.peek().is_some()
            && levels.all(|level| !level.objects.is_empty() && level.objects.iter().all(is_own))
    }

    /// Whether the text says everything about the loop's variables, and combines nothing.
    fn has_no_accumulator(&self) -> bool {
        self.facts.is_some_and(|facts| facts.is_settled() && !facts.has_updates())
    }

    /// Variables with names that something outside of the loop's own text comes to: in iterations that share them, or in one function and
    /// not as what the text hands it.
    fn reached(&self, inside: &LoopEdges) -> Vec<String> {
        let is_outside = |s: StatementIndex, access: Option<u32>| {
            let access = access.and_then(|access| self.profile.accesses.get(access as usize));
            // Minima and maxima of the standard library are handed references, and read them.
            let is_read = || access.is_some_and(|access| !access.write);
            let is_library = || is_of_standard_library(&self.profile.location_of(s).file);
            let is_own = self.is_direct(s) && self.is_in_text(s);
            !(is_own || is_read() && is_library())
        };
        let storage = self.storage(inside);
        let mut found: Vec<(ObjectIndex, StatementIndex)> = Vec::new();
        for (d, objects) in &storage {
            let ends = [(d.source, d.source_access), (d.sink, d.sink_access)];
            let outside = ends.into_iter().filter(|&(s, access)| is_outside(s, access));
            found.extend(outside.flat_map(|(s, _)| objects.iter().map(move |&object| (object, s))));
        }
        found.sort_unstable();
        found.dedup();
        let is_variable = |o: &&profile::Object| matches!(o.kind, ObjectKind::Global | ObjectKind::Stack);
        let named = found.into_iter().filter_map(|(object, s)| {
            let object = self.profile.objects.get(object as usize).filter(is_variable)?;
            (!self.is_handed(&object.name, s)).then(|| object.name.clone())
        });
        let mut names: Vec<String> = named.collect();
        names.sort_unstable();
        names.dedup();
        names.extend(self.aliased(&storage));
        names
    }

    /// Whether a statement of a function that the loop calls is reached through a call to which the text hands a local variable.
    fn is_handed(&self, name: &str, s: StatementIndex) -> bool {
        let Some(facts) = self.facts else { return false };
        let called = self.called_from(s).map(|function| short_name(&function.name));
        called.is_some_and(|called| facts.hands(name).any(|callee| is_call_of(callee, called)))
    }

    /// The function that the loop itself calls in which, or in what it calls, a statement is.
    fn called_from(&self, s: StatementIndex) -> Option<&profile::Function> {
        let mut at = self.profile.context_of(s);
        let mut called = None;
        while at != self.context {
            let own = self.profile.contexts.get(at as usize)?;
            if let ContextKind::Call { callee, .. } = own.kind {
                called = self.profile.functions.get(callee as usize);
            }
            if own.parent == at {
                return None;
            }
            at = own.parent;
        }
        called
    }

    /// The dependences through memory of one run of the loop, each with the objects that it passes through: those inside an iteration are
    /// given none, but they meet at an address of one that others pass through.
    fn storage(&self, inside: &LoopEdges) -> Vec<(&Dependence, Vec<ObjectIndex>)> {
        let all = || inside.edges.iter().map(|edge| &self.profile.dependences[edge.dependence as usize]);
        let is_inner = |level: &&profile::LevelSummary| usize::from(level.level) >= self.dim;
        let mut places: BTreeMap<u64, (u64, ObjectIndex)> = BTreeMap::new();
        for level in all().filter(|d| d.memory).flat_map(|d| d.levels.iter().filter(is_inner)) {
            let [used] = level.objects.as_slice() else { continue };
            let Some(object) = self.profile.objects.get(used.object as usize) else { continue };
            let start = level.address.wrapping_sub(used.offset as u64);
            places.insert(start, (object.bytes, used.object));
        }
        let at = |address: u64| {
            let (start, &(bytes, object)) = places.range(..=address).next_back()?;
            (address - start < bytes).then_some(object)
        };
        let objects_of = |d: &Dependence| {
            let mut objects = Vec::new();
            for level in d.levels.iter().filter(is_inner) {
                match level.objects.is_empty() {
                    true => objects.extend(at(level.address)),
                    false => objects.extend(level.objects.iter().map(|used| used.object)),
                }
            }
            objects
        };
        all().filter(|d| d.memory).map(|d| (d, objects_of(d))).collect()
    }

    /// Variables that the loop's own text comes to by another name: on a line that does not name them.
    fn aliased(&self, storage: &[(&Dependence, Vec<ObjectIndex>)]) -> Vec<String> {
        let Some(facts) = self.facts else { return Vec::new() };
        let mut lines_of: BTreeMap<ObjectIndex, Vec<u32>> = BTreeMap::new();
        for (d, objects) in storage {
            let ends = [d.source, d.sink].into_iter().filter(|&s| self.is_direct(s) && self.is_in_text(s));
            let lines: Vec<u32> = ends.map(|s| self.profile.location_of(s).line).collect();
            for &object in objects {
                lines_of.entry(object).or_default().extend(&lines);
            }
        }
        let named = lines_of.into_iter().filter_map(|(object, lines)| {
            let object = self.profile.objects.get(object as usize)?;
            // Of what optimised code keeps in its frame lines tell nothing.
            let tells = match object.kind {
                ObjectKind::Global => true,
                ObjectKind::Stack => !self.is_optimised(),
                _ => false,
            };
            (tells && facts.is_named_elsewhere(&object.name, &lines)).then(|| object.name.clone())
        });
        named.collect()
    }

    /// Whether the loop comes to memory that the program has mapped twice at both places, and writes there.
    fn meets_itself(&self) -> bool {
        let aliases = self.profile.trust.untracked.iter().filter_map(|untracked| match untracked {
            profile::Untracked::MappedTwice(alias) => Some(alias),
            _ => None,
        });
        let inside = |access: &&profile::Access| is_inside(self.profile, access.statement, self.context);
        aliases.into_iter().any(|alias| {
            let at = |range: (u64, u64)| {
                let meets = move |access: &&profile::Access| {
                    let bytes = access.bytes();
                    bytes.is_none_or(|(from, to)| (from as u64) < range.1 && range.0 < to as u64)
                };
                self.profile.accesses.iter().filter(meets).filter(inside)
            };
            let [first, second] = *alias;
            let writes = || at(first).chain(at(second)).any(|access| access.write);
            at(first).next().is_some() && at(second).next().is_some() && writes()
        })
    }

    /// What a dependence that the loop carries passes through, but for variables that the text knows by their names.
    fn elements(&self, d: &Dependence) -> Vec<ObjectIndex> {
        let levels = d.levels.iter().filter(|l| usize::from(l.level) == self.dim);
        let objects = levels.flat_map(|level| &level.objects).filter(|used| self.role(used).is_none());
        objects.map(|used| used.object).collect()
    }

    /// Whether a statement accesses an accumulator, by the text.
    fn is_accumulator(&self, statement: StatementIndex, used: &ObjectUse) -> bool {
        let line = self.profile.location_of(statement).line;
        if self.is_direct(statement)
            && self.is_in_text(statement)
            && self.facts.is_some_and(|facts| facts.are_combined([line; 2]))
            && self.reads.are_in_place(statement)
        {
            return true;
        }
        // What a pointer that stays leads to, if nothing else in the loop comes there.
        let stays = || {
            let accesses = self.profile.accesses.iter();
            let mut inside =
                accesses.filter(|access| graph::is_inside(self.profile, access.statement, self.context));
            let is_own = |access: &&profile::Access| access.statement == statement;
            let place = inside.clone().find(is_own).and_then(profile::Access::bytes);
            let is_combined = |access: &profile::Access| {
                let line = self.profile.location_of(access.statement).line;
                self.is_direct(access.statement)
                    && scev::is_fixed(&access.address, self.dim)
                    && self.facts.is_some_and(|facts| facts.combines_pointed([line; 2]))
            };
            place.is_some_and(|place| {
                inside.all(|access| {
                    let is_apart =
                        access.bytes().is_some_and(|other| other.1 <= place.0 || place.1 <= other.0);
                    is_apart || is_combined(access)
                })
            })
        };
        if self.is_direct(statement)
            && self.is_in_text(statement)
            && self.facts.is_some_and(|facts| facts.combines_pointed([line; 2]))
            && stays()
        {
            return true;
        }
        (self.is_direct(statement) || self.is_shown(statement))
            && matches!(self.role(used), Some(Role::Reduction(_) | Role::Companion | Role::Flag))
    }

    /// Whether a register hands on the state of a closure: the text of the loop does not show it.
    fn is_of_closure(&self, d: &Dependence) -> bool {
        let function = &self.profile.location_of(d.source).function;
        !d.memory
            && self.is_optimised()
            && !self.is_in_text(d.source)
            && ["operator()", "{closure", "{{closure"].iter().any(|name| function.contains(name))
    }

    /// How often the loop of the text iterates in one entry, at most: the pieces that the compiler has made of it stand beside each
    /// other.
    fn most_trips(&self, accesses: &Accesses, facts: &Facts<'_>) -> u64 {
        if compiled::has_rest(self.profile, self.context, accesses, facts) {
            return u64::MAX;
        }
        let own = &self.profile.contexts[self.context as usize];
        let is_piece = |&other: &ContextIndex| {
            let context = &self.profile.contexts[other as usize];
            context.kind == ContextKind::Loop
                && (context.parent, &context.inlined_at) == (own.parent, &own.inlined_at)
                && Facts::source(self.profile, other).is_some_and(|text| std::ptr::eq(text, facts.source))
        };
        let pieces = (0..self.profile.contexts.len() as ContextIndex).filter(is_piece);
        let trips = pieces.map(|piece| {
            let context = &self.profile.contexts[piece as usize];
            let rounds = context.rounds().div_ceil(context.entries.max(1)).saturating_add(2);
            rounds.saturating_mul(compiled::elements_in_one(self.profile, piece, accesses, facts))
        });
        trips.fold(0, u64::saturating_add)
    }

    /// Whether the compiler may have removed what the text says.
    fn is_optimised(&self) -> bool {
        graph::is_optimised(self.profile, self.context)
    }

    /// Whether a variable that others may come to may be passed on without the run showing it.
    fn may_hide(&self, scalar: &profile::lens::Scalar) -> bool {
        let is_fixed = is_fixed(scalar);
        let is = |languages: &[Language]| self.facts.is_some_and(|facts| languages.contains(&facts.language));
        let is_compiled_in = is(&[Language::C, Language::Cpp, Language::Fortran, Language::FixedFortran]);
        // Functions of other crates are compiled into the loop too.
        let is_lent = |kind: SharingKind| {
            kind == SharingKind::Address && scalar.is_own_storage() && is(&[Language::Rust])
        };
        let is_changed = !scalar.definitions.is_empty()
            || scalar.shared.iter().filter(|sharing| !self.is_called(sharing)).any(|sharing| {
                matches!(
                    sharing.kind,
                    SharingKind::Method
                        | SharingKind::Capture
                        | SharingKind::Bound
                        | SharingKind::PerhapsMacro
                ) || is_lent(sharing.kind)
                    || is_compiled_in
                        && (matches!(sharing.kind, SharingKind::Address | SharingKind::Reference)
                            || sharing.kind == SharingKind::PerhapsReference && scalar.is_own_storage())
                        && (self.is_of_program(sharing) || is_built_in(&sharing.callee))
            });
        // Compilers leave operations on atomic variables in memory, but for those that nobody else can come to.
        let is_shown = scalar.storage.atomic
            && !scalar.storage.volatile
            && (!scalar.home.is_local()
                || scalar.storage.reference
                || self.is_seen(&scalar.name, scalar.home.is_local()));
        is_fixed && !scalar.definitions.is_empty() && !is_shown
            || is_memory(scalar)
                && self.is_optimised()
                && self.facts.is_some_and(|facts| facts.is_one_pointed(scalar))
                && !self.is_stored(scalar)
            || is_changed
                && !is_shown
                && self.is_optimised()
                && !is_memory(scalar)
                && !self.is_seen(&scalar.name, scalar.home.is_local())
    }

    /// Whether what is done to an object is done by a function that the run has seen called there: what that comes to lies in memory.
    fn is_called(&self, sharing: &profile::lens::Sharing) -> bool {
        let line = sharing.at.line;
        let calls = || {
            self.facts.into_iter().flat_map(|facts| &facts.source.calls).filter(|call| call.at.line == line)
        };
        let mut names = calls().filter_map(|call| call.callee.rsplit(['.', '>', ':']).next());
        // Two calls of one line may be one call and one text.
        let Some(name) =
            names.next().filter(|_| sharing.kind == SharingKind::Method && names.next().is_none())
        else {
            return false;
        };
        self.called().any(|(callee, at)| callee.main && short_name(&callee.name) == name && at == line)
    }

    /// Functions that the run has seen called in the loop, and on which lines.
    fn called(&self) -> impl Iterator<Item = (&profile::Function, u32)> {
        let inside = graph::inside(self.profile, &[self.context]);
        inside.into_iter().filter_map(|context| {
            let ContextKind::Call { callee, site } = self.profile.contexts[context as usize].kind else {
                return None;
            };
            let function = self.profile.functions.get(callee as usize)?;
            Some((function, self.profile.location(site).line))
        })
    }

    /// A place that a pointer of the function's own leads to, the same in all iterations, that they write and the compiler keeps in a register:
    /// it knows what variable that is, and may hand its value on to where the text reads it by another name. The lines that write it.
    fn kept_for_a_pointer(&self) -> Option<(&str, Vec<u32>)> {
        let facts = self.facts?;
        let is_own = |home: Home| matches!(home, Home::Local | Home::StaticLocal | Home::InBody);
        let scalar = facts.scalars.iter().map(|(scalar, _)| *scalar).find(|scalar| {
            let lines: Vec<u32> = assigned(scalar).map(|own| own.at.line).collect();
            let is_reference = scalar.form == ScalarForm::Variable
                && scalar.storage.reference
                && !facts.is_bound_to_own(scalar);
            let is_kept = || match !is_reference && facts.is_one_pointed(scalar) {
                true => !self.is_stored(scalar),
                // Wherever it leads, what is written there is stored, or kept in registers; of several writes on a line some may be.
                false => {
                    scalar.home == Home::InBody
                        && !facts.leads_along(&scalar.root)
                        && (!self.stores_anywhere_on(&lines) || facts.writes_beside(scalar))
                }
            };
            (is_reference || matches!(scalar.form, ScalarForm::Dereference | ScalarForm::PointedMember))
                && is_own(scalar.home)
                && !lines.is_empty()
                && is_kept()
        });
        if let Some(scalar) = scalar {
            return Some((&scalar.name, lines_of(scalar)));
        }
        let is_kept = |array: &&profile::lens::Array| {
            !array.fixed && is_own(array.home) && !facts.leads_along(&array.root)
        };
        let pointers = facts.source.arrays.iter().filter(is_kept);
        let mut writes = pointers.flat_map(|array| array.accesses.iter().map(move |access| (array, access)));
        let found = writes.find(|(array, access)| {
            let stays =
                || access.affine.iter().all(|own| own.as_ref().is_some_and(|own| own.terms.is_empty()));
            matches!(access.mode, AccessMode::Write | AccessMode::Update(_))
                && (facts.is_placed(&array.root) || stays())
                && !array.type_text.contains("vector")
                && !self.stores_on(&[access.at.line])
        });
        found.map(|(array, access)| (array.name.as_str(), vec![access.at.line]))
    }

    /// Whether the loop stores on the lines that define what a pointer leads to, at an address that stays: if not, the
    /// compiler keeps that in a register.
    fn is_stored(&self, scalar: &profile::lens::Scalar) -> bool {
        self.stores_on(&lines_of(scalar))
    }

    /// Whether a line of the loop's text ran, and nothing on it, in the loop or beside it, has loaded an element of an array of the
    /// program that anything else in the run comes to.
    fn keeps_element(&self, name: &str, line: u32) -> bool {
        let own = &self.profile.contexts[self.context as usize];
        let is_here = |statement: StatementIndex| {
            self.profile.location_of(statement).line == line
                && (self.profile.context_of(statement) == own.parent
                    || is_inside(self.profile, statement, self.context))
        };
        let loads = |end: StatementIndex| {
            let accesses = &self.profile.accesses;
            accesses.iter().any(|access| access.statement == end && !access.write)
        };
        let mut ends = self.by_name.get(name).into_iter().flatten().flat_map(|(_, ends)| ends);
        let ran = (0..self.profile.statements.len() as StatementIndex).any(is_here);
        ran && !ends.any(|&end| is_here(end) && loads(end))
    }

    /// Whether the loop stores on some of these lines, at an address that stays.
    fn stores_on(&self, lines: &[u32]) -> bool {
        self.stores(lines).any(|access| scev::is_fixed(&access.address, self.dim))
    }

    /// Whether the loop stores on some of these lines.
    fn stores_anywhere_on(&self, lines: &[u32]) -> bool {
        self.stores(lines).next().is_some()
    }

    /// The stores of the loop's own code on some lines.
    fn stores<'b>(&'b self, lines: &'b [u32]) -> impl Iterator<Item = &'b profile::Access> {
        self.profile.accesses.iter().filter(|access| {
            access.write
                && self.is_direct(access.statement)
                && lines.contains(&self.profile.location_of(access.statement).line)
                && is_inside(self.profile, access.statement, self.context)
        })
    }

    /// Whether a function is one of the program, in the loop's own file or in one of its headers: the compiler may have put its text in
    /// the place of the call.
    fn is_of_program(&self, sharing: &profile::lens::Sharing) -> bool {
        let function = &sharing.callee;
        // Of modules and classes the text gives the last name alone.
        let is_called = |name: &str| name.rsplit("::").next() == function.rsplit("::").next();
        // The library of C++ is text too.
        let is_template = function.starts_with("std::") || function == "swap" || function == "exchange";
        // What functions change that others declare is known for those alone of which the text is.
        let is_plain = function.chars().all(|c| c.is_alphanumeric() || c == '_');
        let is_known = |call: &Call| is_plain && call.callee == *function && call.elsewhere.is_empty();
        is_template
            || sharing.kind == SharingKind::Reference
                && self.facts.is_some_and(|facts| facts.source.calls.iter().any(is_known))
            || self.profile.locations.iter().any(|place| {
                is_called(&place.function)
                    && !is_of_standard_library(&place.file)
                    && !is_of_system(&place.file)
            })
    }

    /// Whether the run shows iterations that come to one place of memory, on a line or in a function put in the place of its call.
    fn shows_meeting(&self, inside: &LoopEdges, line: u32, function: Option<&str>) -> bool {
        inside.edges.iter().filter(|edge| edge.carried).any(|edge| {
            let d = &self.profile.dependences[edge.dependence as usize];
            let mut ends = [d.source, d.sink].into_iter().map(|end| self.profile.location_of(end));
            let is_there = |place: &Location| {
                place.line == line || function.is_some_and(|name| short_name(&place.function) == name)
            };
            d.memory && ends.any(is_there)
        })
    }

    /// Whether the loop has met a variable of this name in memory: outside of it the compiler may keep it there, and not
    /// inside.
    fn is_seen(&self, name: &str, is_local: bool) -> bool {
        self.by_name.get(name).into_iter().flatten().any(|(object, ends)| {
            let object = &self.profile.objects[*object as usize];
            let is_it = match is_local {
                true => self.is_of_own_frame(object) && self.is_of_own_text(object),
                false => object.kind == ObjectKind::Global,
            };
            is_it && ends.iter().any(|&end| is_inside(self.profile, end, self.context))
        })
    }

    /// The objects through which a reduction hands its value on.
    fn accumulators<'b>(
        &'b self,
        inside: &'b LoopEdges,
        reduction: &'b Reduction,
    ) -> impl Iterator<Item = (&'b Dependence, &'b ObjectUse)> {
        let is_member = |s: StatementIndex| reduction.statements.binary_search(&s).is_ok();
        inside.edges.iter().filter(|e| e.carried).flat_map(move |edge| {
            let d = &self.profile.dependences[edge.dependence as usize];
            let is_own = is_flow(d) && d.memory && is_member(d.source) && is_member(d.sink);
            let levels = d.levels.iter().filter(move |l| is_own && usize::from(l.level) == self.dim);
            levels.flat_map(move |level| level.objects.iter().map(move |used| (d, used)))
        })
    }

    fn accumulator(&self, inside: &LoopEdges, reduction: &Reduction) -> Option<ObjectIndex> {
        self.accumulators(inside, reduction).map(|(_, used)| used.object).next()
    }

    /// Whether what a reduction accumulates has a name in the loop's own text: a variable that it updates, or elements
    /// of an array.
    fn is_nameable(&self, inside: &LoopEdges, reduction: &Reduction) -> bool {
        let Some(facts) = self.facts else { return true };
        // The library's text of a minimum or maximum is the loop's.
        let takes_extremes =
            self.has(|role| matches!(role, Role::Reduction(Operator::Minimum | Operator::Maximum)));
        let is_in_text = |s: StatementIndex| {
            self.is_in_text(s) || takes_extremes && is_of_standard_library(&self.profile.location_of(s).file)
        };
        let is_own = reduction.statements.iter().all(|&s| self.is_direct(s) && is_in_text(s));
        let mut of = self.accumulators(inside, reduction).peekable();
        if !is_own {
            // What a function does to the loop's variables is in the loop's text if that is shown in the place of its calls; otherwise
            // the text has no name for it.
            return match of.peek() {
                None => self.has(|role| matches!(role, Role::Reduction(_))) && facts.knows_calls(),
                Some(_) => of.all(|(_, used)| matches!(self.role(used), Some(Role::Reduction(_)))),
            };
        }
        if of.peek().is_none() {
            return self.has(|role| matches!(role, Role::Reduction(_)));
        }
        let lines = self.lines(&reduction.statements);
        facts.updates_array(&lines) && !facts.is_also_read(&lines)
            || self.has(|role| matches!(role, Role::Reduction(_)))
                && of.all(|(_, used)| matches!(self.role(used), Some(Role::Reduction(_)) | None))
    }

    /// Whether an instruction stands in the loop's own text, not in that of a function put in its place.
    fn is_in_text(&self, statement: StatementIndex) -> bool {
        let own = self.profile.location(self.profile.contexts[self.context as usize].location);
        let place = self.profile.location_of(statement);
        place.line == 0 || place.file == own.file && place.function == own.function
    }

    /// Whether the text says that what looks like a reduction in the run is none: its variable is also used otherwise.
    fn is_refuted(&self, inside: &LoopEdges, reduction: &Reduction) -> bool {
        let lines = self.lines(&reduction.statements);
        if self.facts.is_some_and(|facts| facts.is_also_used(&lines)) {
            return true;
        }
        self.accumulators(inside, reduction).any(|(_, used)| {
            matches!(self.role(used), Some(Role::Carried | Role::Induction(_) | Role::Private { .. }))
        })
    }

    /// What the text says of a variable that iterations write: a scalar is private only if no iteration can read it
    /// before it writes it, whatever conditions hold.
    fn refine(&self, finding: &mut Finding) {
        let used = ObjectUse { object: finding.object, offset: 0, callee: false };
        let role = self.role(&used);
        let object = self.profile.objects.get(finding.object as usize);
        if self.facts.is_none() && finding.remedy == Remedy::Privatise && self.may_be_passed_on(finding) {
            finding.remedy = Remedy::Blocks;
            finding.uses.is_handed_on = true;
        }
        match (
            object.filter(|object| object.kind == ObjectKind::Stack).map(|object| self.is_own(object)),
            finding.remedy,
        ) {
            (Some(true), Remedy::Privatise | Remedy::Blocks) => finding.remedy = Remedy::Scoped,
            (Some(false), Remedy::Scoped) => {
                let uses = finding.uses;
                let is_lost = uses.is_exposed || uses.is_handed_on || uses.is_read_after;
                finding.remedy = if is_lost { Remedy::Blocks } else { Remedy::Privatise };
            }
            _ => {}
        }
        let stays = || {
            finding.dependences.iter().map(|&d| &self.profile.dependences[d as usize]).all(|d| {
                // Arguments lie there for functions that are called: what those read the iteration has written.
                let is_argument = || {
                    let is_covered =
                        |access| self.coverage.is_covered(self.profile, access, self.context, self.dim);
                    d.kind == profile::Kind::Anti && d.source_access.is_some_and(is_covered)
                };
                self.stays(d) && self.is_direct(d.sink) && (self.is_direct(d.source) || is_argument())
            })
        };
        if finding.remedy != Remedy::Silent
            && object.is_some_and(|object| self.is_spill_slot(object))
            && stays()
        {
            finding.remedy = Remedy::Silent;
        }
        // Storage of the function's own that has no name and more than one place: an array whose size was not known to
        // the compiler.
        let moves = || {
            needs::accesses(self.profile, finding).any(|access| {
                access.bytes().is_some_and(|(low, end)| end.saturating_sub(low) > i64::from(access.size))
            })
        };
        // Or that a function is handed the address of, and that is larger than what functions return.
        let is_handed_on = || {
            const RETURNED: i64 = 64;
            let written = needs::accesses(self.profile, finding)
                .filter(|access| access.write && !self.is_direct(access.statement));
            let (mut low, mut end) = (i64::MAX, i64::MIN);
            for own in written.filter_map(profile::Access::bytes) {
                (low, end) = (low.min(own.0), end.max(own.1));
            }
            end.saturating_sub(low) > RETURNED || low < end && moves()
        };
        if finding.remedy == Remedy::Silent
            && object.is_some_and(|o| o.kind == ObjectKind::Frame && self.is_of_own_frame(o))
            && self.facts.is_some_and(|facts| {
                let is_followed = || facts.fills_outer_array() || facts.follows_own_pointer();
                !self.is_optimised() && is_followed() && moves()
                    || facts.language == Language::C && !facts.has_own_storage() && is_handed_on()
            })
        {
            finding.remedy = Remedy::Privatise;
        }
        // What a pointer leads to that the function has made before: `alloca`, a compound literal. Temporaries are reached by the frame alone.
        let is_led_to = || {
            let is_load = |s: StatementIndex| {
                is_inside(self.profile, s, self.context) && self.is_direct(s) && self.reads.only_loads(s)
            };
            // An element of it is a constant further on.
            let is_address = |s: StatementIndex| {
                let mut into = self
                    .profile
                    .dependences
                    .iter()
                    .filter(move |d| d.sink == s && !d.memory && self.is_direct(d.source));
                is_load(s) || into.any(|d| is_load(d.source))
            };
            needs::accesses(self.profile, finding).filter(|access| access.write).any(|access| {
                let mut into = self.profile.dependences.iter().filter(|d| d.sink == access.statement);
                let line = self.profile.location_of(access.statement).line;
                self.is_direct(access.statement)
                    && !self.facts.is_some_and(|facts| facts.writes_own_on(line))
                    && into.any(|d| !d.memory && d.role == profile::Use::Address && is_address(d.source))
            })
        };
        if finding.remedy == Remedy::Silent
            && !self.is_optimised()
            && object.is_some_and(|o| o.kind == ObjectKind::Frame && self.is_of_own_frame(o))
            && is_led_to()
        {
            finding.remedy = Remedy::Privatise;
        }
        let is_left = finding.uses.is_read_after || finding.uses.is_only_written;
        let is_last = is_left && !finding.uses.is_exposed && !finding.uses.is_handed_on;
        if finding.remedy == Remedy::Blocks && is_last && matches!(role, Some(Role::Private { .. })) {
            finding.remedy = Remedy::Privatise;
        }
        // Each thread has its own already; no clause may name it.
        if finding.remedy == Remedy::Privatise && object.is_some_and(|object| object.thread_local) {
            finding.remedy = Remedy::Silent;
        }
        if matches!(finding.remedy, Remedy::Privatise | Remedy::Scoped) && role == Some(Role::Carried) {
            finding.remedy = Remedy::Blocks;
            finding.uses.is_handed_on = true;
        }
    }

    /// An array of the function's own of which a compiler may have kept an element, stored to one place by every iteration, for what
    /// stands behind the loop: then the run does not show that it is read there.
    fn may_be_used_afterwards(&self, finding: &Finding) -> Option<Unknown> {
        let object = self.profile.objects.get(finding.object as usize)?;
        let is_asked = finding.remedy == Remedy::Privatise && self.is_optimised();
        let is_own = |array: &&profile::lens::Array| {
            array.name == object.name && array.fixed && array.home == profile::lens::Home::Local
        };
        let facts = self.facts.filter(|_| is_asked)?;
        // What the function itself reads of few elements afterwards may come from registers; others find it in memory.
        let held = facts.source.arrays.iter().find_map(|array| {
            let is_outside = !matches!(array.home, Home::InBody | Home::InHeader);
            match array.after {
                AfterLoop::Read(line) if array.name == object.name && array.fixed && is_outside => {
                    Some((array, line))
                }
                _ => None,
            }
        });
        if let Some((array, line)) = held.filter(|_| object.bytes <= HELD_BYTES) {
            return Some(Unknown::Left { name: array.name.clone(), line });
        }
        let is_over = |array: &&profile::lens::Array| array.after == AfterLoop::Unused && !array.shared;
        let array = facts.source.arrays.iter().find(is_own).filter(|array| !is_over(array))?;
        let stays = |access: &profile::Access| {
            let around = self.profile.loops_around(self.profile.context_of(access.statement));
            access.write && around.len() == self.dim + 1 && crate::scev::is_fixed(&access.address, self.dim)
        };
        needs::accesses(self.profile, finding).any(stays).then(|| Unknown::Removed {
            name: array.name.clone(),
            line: array.accesses.first().map_or(0, |access| access.at.line),
        })
    }

    /// Whether a variable that iterations write before they read it may be left alone by some: where the source was not
    /// understood, its code says whether every iteration writes it, not the run.
    fn may_be_passed_on(&self, finding: &Finding) -> bool {
        let of = || finding.dependences.iter().map(|&d| &self.profile.dependences[d as usize]);
        let writes = needs::accesses(self.profile, finding).filter(|access| access.write);
        let mut writes: Vec<StatementIndex> = writes.map(|access| access.statement).collect();
        writes.sort_unstable();
        writes.dedup();
        of().all(|d| self.stays(d)) && !always::is_always(self.profile, &writes, self.context)
    }

    /// Lines of statements, ascending.
    fn lines(&self, statements: &[StatementIndex]) -> Vec<u32> {
        let mut lines: Vec<u32> = statements.iter().map(|&s| self.profile.location_of(s).line).collect();
        lines.retain(|&line| line > 0);
        lines.sort_unstable();
        lines.dedup();
        lines
    }
}

/// Whether compilers put what a function of C's library does in the place of calls of it: those that copy and fill.
fn is_built_in(callee: &str) -> bool {
    const NAMES: [&str; 12] = [
        "memcpy", "memmove", "memset", "mempcpy", "bcopy", "bzero", "strcpy", "stpcpy", "strncpy", "strcat",
        "sprintf", "snprintf",
    ];
    NAMES.contains(&short_name(callee)) || callee.starts_with("__builtin_")
}

/// Whether a file is a header of the system.
fn is_of_system(file: &str) -> bool {
    file.starts_with("/usr/") && file.contains("/include/")
}

/// The lines on which the text of a loop assigns a scalar.
fn lines_of(scalar: &profile::lens::Scalar) -> Vec<u32> {
    let mut lines: Vec<u32> = scalar.definitions.iter().map(|definition| definition.at.line).collect();
    lines.dedup();
    lines
}
