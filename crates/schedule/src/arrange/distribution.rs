//! A loop as several, one per strongly connected set of what is in it.
//!
//! What is in it are its inner loops and calls, each in one piece, and the statements of each line. What passes values on in
//! registers or in storage that the next iteration writes again stays together, so no variable has to be expanded; but for values
//! that were loaded from what the loop does not write, which can be loaded again.

use std::collections::{BTreeMap, BTreeSet};

use profile::place::{Part, way};
use profile::{ContextIndex, ContextKind, Kind, Operation, Profile, StatementIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Index, LEAST_SHARE, is_induction, is_own, single};
use crate::SourceLoop;
use crate::graph::{LoopEdges, components, dimension, edges_by_loop, inside, is_of_loader, loads};
use crate::verdict::Verdict;

/// A part of a loop that can be a loop of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// Its own lines, and those of inner loops and calls in it, ascending.
    pub lines: Vec<u32>,
    /// Its iterations are independent.
    pub is_parallel: bool,
}

/// What is in a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    /// Statements of a line.
    Line(u32),
    /// An inner loop or a call.
    Context(ContextIndex),
}

/// Per loop of the source the parts that it can be distributed into; none for those that take hardly any instructions.
pub fn distributions(profile: &Profile, loops: &[SourceLoop], index: &Index) -> Vec<Vec<Share>> {
    let edges = edges_by_loop(profile);
    let loads: FxHashSet<StatementIndex> = loads(profile).collect();
    let of = |own: &SourceLoop| {
        let is_worth = own.main && own.share >= LEAST_SHARE;
        if is_worth { distribution(profile, own, index, (&edges, &loads)) } else { Vec::new() }
    };
    if profile.further_runs.is_empty() {
        return loops.iter().map(of).collect();
    }
    let runs = profile.runs().len();
    let of_runs = |own: &SourceLoop| {
        (0..runs).filter_map(|run| own.in_run(profile, run)).map(|own| of(&own)).reduce(both)
    };
    loops.iter().map(|own| of_runs(own).unwrap_or_default()).collect()
}

/// The parts of a loop that are the same in two runs; none if they are not.
fn both(mut own: Vec<Share>, other: Vec<Share>) -> Vec<Share> {
    if !own.iter().map(|share| &share.lines).eq(other.iter().map(|share| &share.lines)) {
        return Vec::new();
    }
    for (share, other) in own.iter_mut().zip(other) {
        share.is_parallel &= other.is_parallel;
    }
    own
}

/// The parts that a loop can be distributed into, in the order in which they have to run; fewer than two if it has to stay one.
fn distribution(
    profile: &Profile,
    own: &SourceLoop,
    index: &Index,
    (edges, loads): (&FxHashMap<ContextIndex, LoopEdges>, &FxHashSet<StatementIndex>),
) -> Vec<Share> {
    let Some((context, verdict)) = single(profile, index, own) else { return Vec::new() };
    if !runs_alike(profile, context) {
        return Vec::new();
    }
    let inside = Inside { profile, context, verdict };
    let items = inside.items(index);
    let all = || edges.get(&context).into_iter().flat_map(|all| &all.edges);
    let overwritten: FxHashSet<StatementIndex> = all()
        .map(|edge| &profile.dependences[edge.dependence as usize])
        .filter(|d| d.kind == Kind::Anti)
        .map(|d| d.source)
        .collect();
    // What the next iteration overwrites is gone when a second loop comes to read it. Which loads are overwritten is not known of all of
    // them, which stores are is.
    let renewed: FxHashSet<StatementIndex> = all()
        .filter(|edge| edge.carried)
        .map(|edge| &profile.dependences[edge.dependence as usize])
        .filter(|d| d.kind == Kind::Output)
        .flat_map(|d| [d.source, d.sink])
        .collect();
    let fed: FxHashSet<StatementIndex> = all()
        .map(|edge| &profile.dependences[edge.dependence as usize])
        .filter(|d| d.memory && d.kind == Kind::Flow)
        .map(|d| d.sink)
        .collect();
    let mut graph = Vec::new();
    let mut carried: BTreeSet<(Item, Item)> = BTreeSet::new();
    for edge in all() {
        let d = &profile.dependences[edge.dependence as usize];
        let (Some(from), Some(to)) = (inside.item(d.source), inside.item(d.sink)) else { continue };
        if verdict.ordering.binary_search(&edge.dependence).is_ok() {
            graph.push((from, to));
            carried.insert((from, to));
        }
        let is_loaded_again = !d.memory
            && loads.contains(&d.source)
            && !overwritten.contains(&d.source)
            && !fed.contains(&d.source);
        if !edge.within || from == to || is_loaded_again || is_induction(verdict, d) {
            continue;
        }
        let dim = dimension(profile, context);
        let levels = d.levels.iter().filter(|level| usize::from(level.level) > dim);
        let (mut is_ordered, mut is_kept) = (false, false);
        for level in levels {
            let is_own = !d.memory || renewed.contains(&d.source) || is_own(profile, verdict, level);
            is_kept |= is_own && d.kind == Kind::Flow;
            is_ordered |= !is_own;
        }
        if is_ordered || is_kept {
            graph.push((from, to));
        }
        if is_kept {
            graph.push((to, from));
        }
    }
    inside.shares(&items, &graph, &carried)
}

/// Whether all iterations execute all blocks directly in a loop, inner loops and calls included.
pub(super) fn runs_alike(profile: &Profile, context: ContextIndex) -> bool {
    let own = &profile.contexts[context as usize];
    let least = own.iterations.saturating_sub(own.entries);
    let blocks = profile.blocks.iter().filter(|block| block.context == context && block.executions > 0);
    let mut executions = blocks.map(|block| block.executions);
    executions.all(|executions| executions >= least)
}

struct Inside<'a> {
    profile: &'a Profile,
    context: ContextIndex,
    verdict: &'a Verdict,
}

impl Inside<'_> {
    /// What a statement belongs to; `None` outside of the loop.
    fn item(&self, statement: StatementIndex) -> Option<Item> {
        let way = way(self.profile, statement);
        way.iter().find(|(context, _)| *context == self.context).map(|(_, part)| match *part {
            Part::Block(_) => Item::Line(self.profile.location_of(statement).line),
            Part::Context(inner) => Item::Context(inner),
        })
    }

    /// The line on which a statement of the loop is executed: that of the call where it is in a callee.
    fn line(&self, statement: StatementIndex) -> u32 {
        let way = way(self.profile, statement);
        let within = way.iter().skip_while(|(context, _)| *context != self.context).skip(1);
        let call =
            within.map(|&(context, _)| self.profile.contexts[context as usize].kind).find_map(|kind| {
                match kind {
                    ContextKind::Call { site, .. } => Some(site),
                    _ => None,
                }
            });
        call.map_or_else(|| self.profile.location_of(statement), |site| self.profile.location(site)).line
    }

    /// What stores something, and the lines of each.
    fn items(&self, index: &Index) -> BTreeMap<Item, BTreeSet<u32>> {
        let mut out: BTreeMap<Item, BTreeSet<u32>> = BTreeMap::new();
        let is_meant = |access: &&profile::Access| {
            // A call stores where to return to.
            let operation = self.profile.statements[access.statement as usize].operation;
            access.write
                && operation != Operation::Control
                && self.verdict.scevs.binary_search(&access.statement).is_err()
        };
        let contexts = inside(self.profile, &[self.context]);
        let contexts = contexts.iter().filter(|&&context| !is_of_loader(self.profile, context));
        let here = contexts.filter_map(|context| index.accesses.get(context)).flatten();
        for access in here.map(|&at| &self.profile.accesses[at as usize]).filter(is_meant) {
            if let Some(item) = self.item(access.statement) {
                out.entry(item).or_default().insert(self.line(access.statement));
            }
        }
        out
    }

    fn shares(
        &self,
        items: &BTreeMap<Item, BTreeSet<u32>>,
        graph: &[(Item, Item)],
        carried: &BTreeSet<(Item, Item)>,
    ) -> Vec<Share> {
        let all: BTreeSet<Item> =
            items.keys().copied().chain(graph.iter().flat_map(|e| [e.0, e.1])).collect();
        let all: Vec<Item> = all.into_iter().collect();
        let number = |item: &Item| all.binary_search(item).map_or(0, |at| at as u32);
        // What nothing depends on is a part too.
        let alone = all.iter().map(|item| (number(item), number(item)));
        let edges: Vec<(u32, u32)> =
            graph.iter().map(|(from, to)| (number(from), number(to))).chain(alone).collect();
        let mut out = Vec::new();
        for members in components(&edges).members {
            let members: Vec<Item> = members.iter().filter_map(|&at| all.get(at as usize).copied()).collect();
            let lines: BTreeSet<u32> =
                members.iter().filter_map(|item| items.get(item)).flatten().copied().collect();
            if lines.is_empty() {
                continue;
            }
            let is_inside = |(from, to): &(Item, Item)| members.contains(from) && members.contains(to);
            let is_parallel = !carried.iter().any(is_inside);
            out.push(Share { lines: lines.into_iter().filter(|&line| line > 0).collect(), is_parallel });
        }
        // Nobody can write a loop of what has no place in the source, or take a line apart.
        let mut places: Vec<u32> = out.iter().flat_map(|share| &share.lines).copied().collect();
        let count = places.len();
        places.sort_unstable();
        places.dedup();
        let have_places = out.iter().all(|share| !share.lines.is_empty()) && places.len() == count;
        if out.len() > 1 && have_places { out } else { Vec::new() }
    }
}
