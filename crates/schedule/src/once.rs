//! Code that runs once under a guard that everybody passes who uses what it makes: variables of functions in C++ that are initialised
//! when control first comes to them, `pthread_once`, `std::call_once`, `OnceLock`. It orders nothing (ALGORITHMS 2.8.8), as long as
//! what it makes is the same whichever iteration comes first.

use profile::{ContextIndex, ContextKind, Kind, Operation, Profile, StatementIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::always;
use crate::bookkeeping::{Bookkeeping, Duty};
use crate::graph::{Edge, LoopEdges, dimension, is_flow, is_inside, is_of_loader};
use crate::scev::is_fixed;

/// What ran once under guards.
#[derive(Debug, Default)]
pub(crate) struct Once {
    /// Activations of functions that a guard had called, each with the activation of the outermost guard around it.
    called: Vec<(ContextIndex, ContextIndex)>,
    /// Initialised variables of functions.
    guarded: Vec<Variable>,
    /// Flow dependences by their sinks.
    into: FxHashMap<StatementIndex, Vec<u32>>,
    /// Their sources.
    sources: FxHashSet<StatementIndex>,
}

impl Once {
    /// Looks for guards.
    pub(crate) fn new(profile: &Profile, bookkeeping: &Bookkeeping<'_>) -> Once {
        let mut out =
            Once { called: called(profile, bookkeeping), guarded: guarded(profile), ..Once::default() };
        if !out.called.is_empty() || !out.guarded.is_empty() {
            for (index, d) in profile.dependences.iter().enumerate().filter(|(_, d)| is_flow(d)) {
                out.into.entry(d.sink).or_default().push(index as u32);
                out.sources.insert(d.source);
            }
        }
        out
    }

    /// Removes from the dependences of a loop those of what was made once.
    pub(crate) fn leave_out(&self, profile: &Profile, context: ContextIndex, edges: &mut LoopEdges) {
        if self.called.is_empty() && self.guarded.is_empty() {
            return;
        }
        let mut makers: FxHashMap<StatementIndex, Option<Maker>> = FxHashMap::default();
        let mut maker_of =
            |source| *makers.entry(source).or_insert_with(|| self.maker(profile, context, source));
        let dependence = |edge: &Edge| &profile.dependences[edge.dependence as usize];
        // What is read before the guard is passed may find nothing there yet: not what the iteration that passed it first read itself.
        let within = edges.edges.iter().filter(|edge| edge.within && dependence(edge).memory);
        let ready: FxHashSet<(Maker, StatementIndex)> = within
            .filter_map(|edge| Some((maker_of(dependence(edge).source)?, dependence(edge).sink)))
            .collect();
        let mut is_same: FxHashMap<Maker, bool> = FxHashMap::default();
        edges.edges.retain(|edge| {
            let d = dependence(edge);
            if !edge.carried || !d.memory {
                return true;
            }
            let Some(maker) = maker_of(d.source) else { return true };
            if matches!(maker, Maker::Call { .. }) && !ready.contains(&(maker, d.sink)) {
                return true;
            }
            !*is_same.entry(maker).or_insert_with(|| self.is_same_for_all(profile, context, maker))
        });
    }

    /// By which guard inside a loop a statement was made to run.
    fn maker(&self, profile: &Profile, context: ContextIndex, statement: StatementIndex) -> Option<Maker> {
        let mut pc = profile.statements.get(statement as usize)?.pc;
        let mut at = profile.context_of(statement);
        loop {
            let own = profile.contexts.get(at as usize)?;
            if let Some(&(called, guard)) = self.called.iter().find(|own| own.0 == at)
                && at != context
                && profile.is_around(context, guard)
            {
                return Some(Maker::Call { called, guard });
            }
            let activation = activation_of(profile, at);
            let here = |variable: &&Variable| {
                variable.activation == activation && profile.is_around(context, variable.guard)
            };
            for variable in self.guarded.iter().filter(here) {
                let graph = profile.graph(own.function);
                let is_between =
                    graph.and_then(|graph| Some(graph.is_between(graph.node_of(pc)?, variable.nodes)));
                if is_between == Some(true) {
                    return Some(Maker::Variable(*variable));
                }
            }
            if at == context || at == 0 {
                return None;
            }
            (pc, at) = (own.at, own.parent);
        }
    }

    /// Whether what a guard made is the same whichever iteration of a loop passes it first, and every iteration passes it.
    fn is_same_for_all(&self, profile: &Profile, context: ContextIndex, maker: Maker) -> bool {
        if let Maker::Call { guard, .. } = maker {
            // The variables of functions can be named behind their guards alone.
            let own = &profile.contexts[guard as usize];
            let call = profile.statements.iter().enumerate().position(|(index, statement)| {
                statement.pc == own.at && profile.context_of(index as StatementIndex) == own.parent
            });
            let Some(call) = call else { return false };
            if !always::is_always(profile, &[call as StatementIndex], context) {
                return false;
            }
        }
        let is_made = |statement: StatementIndex| {
            self.maker(profile, context, statement).is_some_and(|own| own == maker)
        };
        let made: FxHashSet<StatementIndex> =
            (0..profile.statements.len() as StatementIndex).filter(|&s| is_made(s)).collect();
        // Of a crowded loop not all is known that reads have to stay before.
        !profile.contexts[context as usize].is_crowded
            && self.is_made_of_the_same(profile, context, &made)
            && self.is_all_that_shows(profile, context, &made)
    }

    /// Whether what a guard made is made of what no iteration changes. Code that runs once does not show that itself: what it reads may have
    /// been written before the loop, and be changed after it has run.
    fn is_made_of_the_same(
        &self,
        profile: &Profile,
        context: ContextIndex,
        made: &FxHashSet<StatementIndex>,
    ) -> bool {
        let dim = dimension(profile, context);
        let is_here = |statement: StatementIndex| is_inside(profile, statement, context);
        let accesses =
            profile.accesses.iter().filter(|access| !access.write && !is_fixed(&access.address, dim));
        let moving: FxHashSet<StatementIndex> = accesses.map(|access| access.statement).collect();
        let mut needed = made.clone();
        let mut open: Vec<StatementIndex> = made.iter().copied().collect();
        let mut kept: FxHashSet<StatementIndex> = FxHashSet::default();
        while let Some(statement) = open.pop() {
            for &index in self.into.get(&statement).into_iter().flatten() {
                let d = &profile.dependences[index as usize];
                if made.contains(&d.source) {
                    continue;
                }
                if !is_here(d.source) {
                    // What a function saves and restores it does not use.
                    let is_saved = profile.statements[statement as usize].operation == Operation::Copy
                        && !self.sources.contains(&statement)
                        || is_of_loader(profile, profile.context_of(statement));
                    kept.extend((!d.memory && !is_saved).then_some(d.source));
                    continue;
                }
                let is_carried = d.levels.iter().any(|level| usize::from(level.level) == dim);
                let is_new = profile.statements[d.source as usize].operation == Operation::System;
                if is_carried || is_new || moving.contains(&d.source) {
                    return false;
                }
                if needed.insert(d.source) {
                    open.push(d.source);
                }
            }
        }
        // A register that every iteration reads as it was before the loop stays as it was.
        let iterations = profile.contexts[context as usize].rounds();
        let mut read: FxHashMap<StatementIndex, u64> = FxHashMap::default();
        for d in profile.dependences.iter().filter(|d| is_flow(d) && !d.memory && kept.contains(&d.source)) {
            if is_here(d.sink) && !made.contains(&d.sink) {
                let most = read.entry(d.source).or_default();
                *most = d.count.max(*most);
            }
        }
        let stays = kept.iter().all(|source| read.get(source).is_some_and(|&count| count >= iterations));
        // Nor is anything overwritten that was read, unless it was written in the same iteration: arguments, what frames hold.
        let is_covered = |statement: StatementIndex, access: u32| {
            let own = self
                .into
                .get(&statement)
                .into_iter()
                .flatten()
                .map(|&index| &profile.dependences[index as usize]);
            let own = own.filter(|d| d.sink_access == Some(access) && is_here(d.source));
            let levels = own.flat_map(|d| &d.levels).filter(|level| usize::from(level.level) > dim);
            let count = levels.fold(0u64, |sum, level| sum.saturating_add(level.count));
            count >= profile.accesses.get(access as usize).map_or(u64::MAX, |access| access.executions)
        };
        let is_theirs = |statement: StatementIndex| {
            let context = profile.context_of(statement);
            profile.contexts[context as usize].allocator || is_of_loader(profile, context)
        };
        // What lies in frames of functions that the loop calls is of the activation that reads it.
        let of_activations = |level: &&profile::LevelSummary| {
            usize::from(level.level) >= dim
                && !level.objects.is_empty()
                && level.objects.iter().all(|used| used.callee)
        };
        let inner = profile.dependences.iter().filter(|d| d.memory && is_here(d.source) && is_here(d.sink));
        let frames: FxHashSet<u64> =
            inner.flat_map(|d| d.levels.iter().filter(of_activations)).map(|level| level.address).collect();
        let is_overwritten = |d: &profile::Dependence| {
            d.memory
                && d.kind == Kind::Anti
                && needed.contains(&d.source)
                && !made.contains(&d.sink)
                && is_here(d.sink)
                && d.levels.iter().any(|level| {
                    usize::from(level.level) >= dim && !of_activations(&level) && !frames.contains(&level.address)
                })
                && !is_theirs(d.source)
                // Return addresses are no data.
                && profile.statements[d.source as usize].operation != Operation::Control
                && !d.source_access.is_some_and(|access| is_covered(d.source, access))
        };
        stays && !profile.dependences.iter().any(is_overwritten)
    }

    /// Whether nothing tells which iteration a guard let through: what others read in the place of what was made, had the guard not
    /// let them through.
    fn is_all_that_shows(
        &self,
        profile: &Profile,
        context: ContextIndex,
        made: &FxHashSet<StatementIndex>,
    ) -> bool {
        let of = |statement: StatementIndex| self.into.get(&statement).into_iter().flatten();
        self.into.keys().filter(|s| !made.contains(s) && is_inside(profile, **s, context)).all(|&reader| {
            let sources = || {
                let all = of(reader).map(|&index| &profile.dependences[index as usize]);
                all.filter(|d| d.memory).map(|d| d.source)
            };
            !sources().any(|source| made.contains(&source))
                || sources().all(|source| made.contains(&source) || !is_inside(profile, source, context))
        })
    }
}

/// What made something run once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Maker {
    /// A guard that calls a function.
    Call { called: ContextIndex, guard: ContextIndex },
    /// The guard of a variable of a function.
    Variable(Variable),
}

/// A variable of a function that was initialised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Variable {
    /// The activation of its function.
    activation: ContextIndex,
    /// Where its guard was passed: the activation, or a loop in it.
    guard: ContextIndex,
    /// The nodes of the calls that begin and end its initialisation.
    nodes: (u32, u32),
}

/// The activation that a loop lies in; others are activations themselves.
pub(crate) fn activation_of(profile: &Profile, context: ContextIndex) -> ContextIndex {
    let mut at = context;
    while let Some(own) = profile.contexts.get(at as usize).filter(|own| own.kind == ContextKind::Loop) {
        at = own.parent;
    }
    at
}

/// How often functions were activated, per context of a call.
fn activations(profile: &Profile) -> FxHashMap<ContextIndex, u64> {
    let mut out: FxHashMap<ContextIndex, u64> = FxHashMap::default();
    for block in &profile.blocks {
        let context = &profile.contexts[block.context as usize];
        let entry = profile.functions.get(context.function as usize).map(|function| function.entry);
        let first = profile.statements.get(block.first as usize).map(|statement| statement.pc);
        if matches!(context.kind, ContextKind::Call { .. }) && first.is_some() && first == entry {
            *out.entry(block.context).or_default() += block.executions;
        }
    }
    out
}

/// The outermost activations under guards of functions that ran once.
fn called(profile: &Profile, bookkeeping: &Bookkeeping<'_>) -> Vec<(ContextIndex, ContextIndex)> {
    let mut guards: Vec<Option<ContextIndex>> = vec![None; profile.contexts.len()];
    for (index, context) in profile.contexts.iter().enumerate().skip(1) {
        let is_guard = || bookkeeping.of_context(index as ContextIndex) == Duty::Once;
        // Guards in guards, as one is written by means of another, are one.
        guards[index] =
            guards[context.parent as usize].or_else(|| is_guard().then_some(index as ContextIndex));
    }
    if guards.iter().all(Option::is_none) {
        return Vec::new();
    }
    let activations = activations(profile);
    let mut out: Vec<(ContextIndex, ContextIndex)> = Vec::new();
    let mut is_in = vec![false; profile.contexts.len()];
    for (index, context) in profile.contexts.iter().enumerate().skip(1) {
        is_in[index] = is_in[context.parent as usize];
        let Some(guard) = guards[index].filter(|_| !is_in[index]) else { continue };
        if activations.get(&(index as ContextIndex)) == Some(&1) {
            is_in[index] = true;
            out.push((index as ContextIndex, guard));
        }
    }
    out
}

/// Variables of functions that were initialised.
fn guarded(profile: &Profile) -> Vec<Variable> {
    let is_called = |context: &profile::Context, name: &str| match context.kind {
        ContextKind::Call { callee, .. } => {
            profile.functions.get(callee as usize).is_some_and(|function| function.name == name)
        }
        _ => false,
    };
    let ends: Vec<_> = profile.contexts.iter().filter(|own| is_called(own, "__cxa_guard_release")).collect();
    if ends.is_empty() {
        return Vec::new();
    }
    let activations = activations(profile);
    let mut out = Vec::new();
    for (index, begin) in profile.contexts.iter().enumerate() {
        let is_once = || activations.get(&(index as ContextIndex)) == Some(&1);
        if !is_called(begin, "__cxa_guard_acquire") || !is_once() {
            continue;
        }
        let activation = activation_of(profile, begin.parent);
        let graph = profile.graph(profile.contexts[activation as usize].function);
        // Of several variables in one function, no node is between the beginning of one and the end of another.
        for end in ends.iter().filter(|end| activation_of(profile, end.parent) == activation) {
            let nodes = graph.and_then(|graph| graph.node_of(begin.at).zip(graph.node_of(end.at)));
            out.extend(nodes.map(|nodes| Variable { activation, guard: begin.parent, nodes }));
        }
    }
    out
}
