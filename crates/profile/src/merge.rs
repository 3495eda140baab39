//! Several runs of one program as one profile.
//!
//! Definition: the runs stand side by side, as if the program had run once after the other in one process. Each run keeps its own
//! contexts, under a root of its own, with its blocks, statements, accesses and dependences; names are shared: positions, functions
//! and objects that are equal are one.
//!
//! So whatever is concluded of a context is concluded of one run, from what that run showed, and a loop of the source, which is
//! made of the loop contexts at one place under one way of calls, is what the worst of its runs makes of it.
//!
//! Invariants: merging is associative, a merged profile can be merged with others; the runs keep the order in which they are given;
//! no dependence leads from one run to another.
//!
//! Limits: functions are the same if they have one name, one module and one entry, or if no other of that name ran; so two functions
//! of one name in a library that lies elsewhere in every run stay apart.

use std::collections::BTreeSet;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::{
    Context, ContextKind, Dependence, Function, FurtherRun, GivenUp, IntermediatePieces, Limit,
    LocationIndex, Profile, Trust, Untracked,
};

/// Why profiles are not of one program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// No profile was given.
    #[error("no profile to merge")]
    Nothing,
    /// Two files of a program.
    #[error("it is of another program: build id {found}, the first has {expected}")]
    BuildId {
        /// That of the first.
        expected: String,
        /// That of this one.
        found: String,
    },
    /// Two names of a program's file.
    #[error("it is of another program: {found}, the first is of {expected}")]
    Module {
        /// That of the first.
        expected: String,
        /// That of this one.
        found: String,
    },
    /// Executions were counted in one and recorded in the other.
    #[error("one profile has counts alone (--fast), the other dependences too: record both in one way")]
    Counted,
    /// Other parts of the program were recorded.
    #[error(
        "it shows another part of the program than the first (--function, --region or --scope): record both in one way"
    )]
    Part,
    /// More than indices can name.
    #[error("together they have more statements or contexts than one profile can name")]
    TooLarge,
}

/// Merges profiles, in their order.
///
/// # Errors
/// See [`MergeError`]; the number is that of the profile that does not fit, from 0.
pub fn merge(profiles: impl IntoIterator<Item = Profile>) -> Result<Profile, (usize, MergeError)> {
    let mut profiles = profiles.into_iter();
    let mut all = profiles.next().ok_or((0, MergeError::Nothing))?;
    for (at, next) in profiles.enumerate() {
        is_of_one_program(&all, &next).map_err(|error| (at + 1, error))?;
        append(&mut all, next).ok_or((at + 1, MergeError::TooLarge))?;
    }
    Ok(all)
}

/// The program's own file.
fn module(profile: &Profile) -> Option<&str> {
    profile.functions.iter().find(|function| function.main).map(|function| function.module.as_str())
}

fn is_of_one_program(all: &Profile, next: &Profile) -> Result<(), MergeError> {
    if let (Some(expected), Some(found)) = (&all.program.build_id, &next.program.build_id)
        && expected != found
    {
        return Err(MergeError::BuildId { expected: expected.clone(), found: found.clone() });
    }
    if let (Some(expected), Some(found)) = (module(all), module(next))
        && expected != found
    {
        return Err(MergeError::Module { expected: expected.to_owned(), found: found.to_owned() });
    }
    if all.trust.counted_only != next.trust.counted_only {
        return Err(MergeError::Counted);
    }
    if all.trust.main_only != next.trust.main_only || all.trust.part != next.trust.part {
        return Err(MergeError::Part);
    }
    Ok(())
}

/// A list in which equal elements are one.
struct Table<'a, T> {
    list: &'a mut Vec<T>,
    index: FxHashMap<T, u32>,
}

impl<'a, T: Clone + Eq + Hash> Table<'a, T> {
    fn new(list: &'a mut Vec<T>) -> Self {
        let mut index = FxHashMap::default();
        for (at, element) in (0u32..).zip(list.iter()) {
            index.entry(element.clone()).or_insert(at);
        }
        Table { list, index }
    }

    /// The places of further elements; `None` if there are too many.
    fn join(&mut self, elements: Vec<T>) -> Option<Vec<u32>> {
        elements.into_iter().map(|element| self.place(element)).collect()
    }

    fn place(&mut self, element: T) -> Option<u32> {
        if let Some(&at) = self.index.get(&element) {
            return Some(at);
        }
        let at = u32::try_from(self.list.len()).ok()?;
        self.list.push(element.clone());
        self.index.insert(element, at);
        Some(at)
    }
}

/// The places of further functions: those of the same functions where they ran before.
fn functions(list: &mut Vec<Function>, further: Vec<Function>) -> Option<Vec<u32>> {
    fn name(function: &Function) -> (&str, &str, bool) {
        (&function.name, &function.module, function.main)
    }
    // Per name the place of its function, if there is one alone.
    let alone = |list: &[Function]| {
        let mut of_name: FxHashMap<(String, String, bool), Option<u32>> = FxHashMap::default();
        for (at, function) in (0u32..).zip(list) {
            let (name, module, main) = name(function);
            let key = (name.to_owned(), module.to_owned(), main);
            of_name.entry(key).and_modify(|place| *place = None).or_insert(Some(at));
        }
        of_name
    };
    let (before, after) = (alone(list), alone(&further));
    let mut table = Table::new(list);
    let mut places = Vec::with_capacity(further.len());
    for function in further {
        let (name, module, main) = name(&function);
        let key = (name.to_owned(), module.to_owned(), main);
        let is_alone = after.get(&key).is_some_and(Option::is_some);
        let same = before.get(&key).copied().flatten().filter(|_| is_alone);
        places.push(match same {
            Some(place) => place,
            None => table.place(function)?,
        });
    }
    Some(places)
}

/// The same indices, further on.
struct Shift {
    contexts: u32,
    blocks: u32,
    statements: u32,
    accesses: u32,
}

/// Puts a profile behind another; `None` if there are too many of anything.
fn append(all: &mut Profile, next: Profile) -> Option<()> {
    let length = |n: usize| u32::try_from(n).ok();
    let shift = Shift {
        contexts: length(all.contexts.len())?,
        blocks: length(all.blocks.len())?,
        statements: length(all.statements.len())?,
        accesses: length(all.accesses.len())?,
    };
    for (own, further) in [
        (shift.contexts, next.contexts.len()),
        (shift.blocks, next.blocks.len()),
        (shift.statements, next.statements.len()),
        (shift.accesses, next.accesses.len()),
    ] {
        own.checked_add(length(further)?)?;
    }
    let locations = Table::new(&mut all.locations).join(next.locations)?;
    let functions = functions(&mut all.functions, next.functions)?;
    let objects = Table::new(&mut all.objects).join(next.objects)?;
    all.graphs.extend(next.graphs.into_iter().map(|mut graph| {
        graph.function = renamed(&functions, graph.function);
        graph
    }));
    for source in next.sources {
        if all.source(&source.file).is_none() {
            all.sources.retain(|own| own.file != source.file);
            all.sources.push(source);
        }
    }
    all.graphs.sort_by_key(|graph| graph.function);
    all.graphs.dedup_by_key(|graph| graph.function);
    all.contexts
        .extend(next.contexts.into_iter().map(|context| moved(context, &shift, &locations, &functions)));
    all.blocks.extend(next.blocks.into_iter().map(|mut block| {
        block.context += shift.contexts;
        block.first += shift.statements;
        block
    }));
    all.statements.extend(next.statements.into_iter().map(|mut statement| {
        statement.block += shift.blocks;
        statement.location = renamed(&locations, statement.location);
        statement
    }));
    all.accesses.extend(next.accesses.into_iter().map(|mut access| {
        access.statement += shift.statements;
        access
    }));
    all.dependences
        .extend(next.dependences.into_iter().map(|dependence| carried(dependence, &shift, &objects)));
    let further = next.further_runs.len() + 1;
    all.further_runs.push(FurtherRun { program: next.program, root: shift.contexts });
    all.further_runs.extend(next.further_runs.into_iter().map(|mut run| {
        run.root += shift.contexts;
        run
    }));
    let mut trust = next.trust;
    let run = length(all.runs().len() - further)?;
    for reached in &mut trust.limits {
        reached.run += run;
        match &mut reached.limit {
            Limit::Loops(loops) | Limit::Crowded(loops) => {
                loops.iter_mut().for_each(|at| *at += shift.contexts)
            }
            Limit::Streams { some, .. } => {
                let places = some.iter_mut().flat_map(GivenUp::locations_mut);
                places.for_each(|at| *at = renamed(&locations, *at));
            }
            _ => {}
        }
    }
    for untracked in &mut trust.untracked {
        if let Untracked::Exchanged(loops) = untracked {
            loops.iter_mut().for_each(|at| *at += shift.contexts);
        }
    }
    join(&mut all.trust, trust);
    all.folding.widened_dependences |= next.folding.widened_dependences;
    let (own, other) = (&mut all.folding.most_intermediate, next.folding.most_intermediate);
    *own = IntermediatePieces {
        instructions: own.instructions.max(other.instructions),
        dependences: own.dependences.max(other.dependences),
    };
    Some(())
}

/// The new place of something that is named by its old one. Indices are in range: files are checked when they are read.
fn renamed(places: &[u32], old: LocationIndex) -> LocationIndex {
    places.get(old as usize).copied().unwrap_or(0)
}

fn moved(mut context: Context, shift: &Shift, locations: &[u32], functions: &[u32]) -> Context {
    let is_root = context.parent == 0 && context.kind == ContextKind::Root;
    // The roots of runs are beside each other, under the first.
    context.parent = if is_root { 0 } else { context.parent + shift.contexts };
    context.function = renamed(functions, context.function);
    context.location = renamed(locations, context.location);
    for site in &mut context.inlined_at {
        *site = renamed(locations, *site);
    }
    if let ContextKind::Call { site, callee } = &mut context.kind {
        *site = renamed(locations, *site);
        *callee = renamed(functions, *callee);
    }
    context
}

fn carried(mut dependence: Dependence, shift: &Shift, objects: &[u32]) -> Dependence {
    dependence.source += shift.statements;
    dependence.sink += shift.statements;
    for access in [&mut dependence.source_access, &mut dependence.sink_access].into_iter().flatten() {
        *access += shift.accesses;
    }
    for used in dependence.levels.iter_mut().flat_map(|level| &mut level.objects) {
        used.object = renamed(objects, used.object);
    }
    dependence
}

/// Counts are added up; what limits one run limits the whole.
fn join(own: &mut Trust, other: Trust) {
    for (sum, further) in [
        (&mut own.instructions, other.instructions),
        (&mut own.memory_accesses, other.memory_accesses),
        (&mut own.main_accesses, other.main_accesses),
        (&mut own.main_accesses_folded, other.main_accesses_folded),
        (&mut own.main_accesses_partly_folded, other.main_accesses_partly_folded),
        (&mut own.unrecorded, other.unrecorded),
        (&mut own.unanalysed, other.unanalysed),
        (&mut own.lost, other.lost),
        (&mut own.dependences, other.dependences),
    ] {
        *sum = sum.saturating_add(further);
    }
    own.limits.extend(other.limits);
    let is_new: Vec<Untracked> = other.untracked.into_iter().filter(|u| !own.untracked.contains(u)).collect();
    own.untracked.extend(is_new);
    let mut known: BTreeSet<String> = own.missing_debug_information.iter().cloned().collect();
    own.missing_debug_information
        .extend(other.missing_debug_information.into_iter().filter(|module| known.insert(module.clone())));
    own.main_only |= other.main_only;
    own.counted_only |= other.counted_only;
}
