//! The strategies, and the budget they work under.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use super::attempt::{exact, repaired};
use super::cover::Cover;
use super::explore::{Candidate, FIRST, Search, Strategy, candidates, likely, strategies};
use super::grouping::{Choice, Policy};
use super::sample::from_ends;
use super::seeds::shallowest;
use super::tree::{Rows, Tree, principal};
use crate::nest::Nest;
use crate::run::Trace;
use crate::simplify::simplified;

/// How hard to try.
#[derive(Debug, Clone)]
pub struct Effort {
    /// Threads that try strategies at the same time. The result does not depend on it.
    pub threads: usize,
    /// When to stop looking for something better.
    pub deadline: Option<Instant>,
    /// Set by whoever does not want a result any more: the same as a deadline that has passed.
    pub stop: Option<Arc<AtomicBool>>,
    /// Largest denominator of a bound.
    pub divisor: i64,
    /// Deepest nest.
    pub depth: usize,
    /// Rounds of search while no single nest was found, each with about ten times the work of the one before: 0 for
    /// the likely strategies only, 1 for a fraction of a microsecond per integer, 3 for up to seconds.
    pub rounds: u8,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { threads: 1, deadline: None, stop: None, divisor: 64, depth: 10, rounds: 2 }
    }
}

/// Rounds of search for a trace of one stream; whole programs have thousands and get the default.
const ROUNDS_ALONE: u8 = 3;

impl Effort {
    /// The same effort for each stream of a trace of so many.
    pub fn for_streams(self, streams: usize) -> Effort {
        let rounds = if streams == 1 { ROUNDS_ALONE } else { self.rounds };
        Effort { rounds, ..self }
    }

    /// Whether somebody wants the result as it is.
    pub fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Whether the time is up.
    pub fn late(&self) -> bool {
        self.is_stopped() || self.deadline.is_some_and(|d| Instant::now() >= d)
    }
}

/// Strategies without any specialty.
const PLAIN: usize = 6;
/// Traces of more runs keep the first nest found, and fewer strategies are tried.
pub const LARGE: usize = 1_500_000;
/// Traces of more runs are not extended from a part.
const EXTENDED: usize = 100_000;
/// Work of extension after them, at most.
const MANY_TRIES: u64 = 1_500_000_000;
/// Work of extension for every unit of work of the strategies of a round.
const FURTHER: u64 = 6;
/// Work of each of the likely strategies, for every run.
const QUICK: u64 = 120;
/// The same of traces that could not be extended from a part.
const THOROUGH: u64 = 1000;
/// For a nest of fewer loops than more than these, parts are extended with much and with little work.
const DEEP: usize = 6;
const SHALLOW: usize = 4;
/// Work of the first level of a tree, for every run: a strategy that may do less finds nothing.
const LEAST: u64 = 18;
/// Part of the work of a round that looks for a nest of fewer loops, as a divisor.
const BETTER: u64 = 8;
/// Work of extension before most strategies, for every access.
const EAGER: u64 = 300;
/// The same, at least and at most.
const LEAST_TRIES: u64 = 10_000_000;
const FEW_TRIES: u64 = 50_000_000;
/// Ways of grouping whose trees give seeds: policy, ends, window, convex.
const SEEDING: &[(Policy, bool, i64, u8)] = &[
    (Policy::Agreement, false, 0, 0),
    (Policy::Agreement, false, 2, 1),
    (Policy::Still, true, 0, 0),
    (Policy::Agreement, true, 4, 1),
];
/// Candidates whose bounds are fitted at a time; a fixed number, so that the result does not depend on threads.
const BATCH: usize = 4;
/// Traces of fewer runs are solved sooner than other threads start.
const ALONE: usize = 1000;
/// A trace of so many more runs than with its best stride is not cut with another.
const MORE_RUNS: u64 = 8;

/// The shortest sequence of nests found for a trace; none if the time was up before one was.
pub fn solve(trace: &dyn Trace, effort: &Effort) -> Vec<Nest> {
    let strides = strides(trace);
    let rows = Rows::cut(trace, strides[0]);
    // All strategies split them so; two versions of many runs would need twice the memory.
    let split = if rows.len() > LARGE { rows.split_coincidences() } else { None };
    let rows = Arc::new(split.unwrap_or(rows));
    let threads = if rows.len() < ALONE { 1 } else { effort.threads };
    let effort = Effort { threads, ..effort.clone() };
    match single(trace, &strides, &rows, &effort) {
        Some(nest) => vec![nest],
        None if effort.late() => Vec::new(),
        None => cover(rows, &effort),
    }
}

/// One nest for a trace, which is cut into rows with the first of the strides.
pub fn single(trace: &dyn Trace, strides: &[i64], rows: &Arc<Rows>, effort: &Effort) -> Option<Nest> {
    let accesses = trace.integers();
    let first = candidates(&FIRST, trace, strides, rows, effort.depth, i64::MAX, effort);
    let mut state = State { best: None, effort };
    let total = budget(accesses);
    let mut unfit = state.fit(first, exact, u64::MAX);
    if state.best.is_none() && rows.len() > LARGE {
        state.best = from_ends(rows, effort);
    }
    // One bound per side is the form of a single domain, which has no fewer loops.
    let plain = state.best.as_ref().is_some_and(|n| n.faces() == 2 * n.depth());
    let large = state.best.is_some() && rows.len() > LARGE;
    let searched = plain || large || (state.best.is_some() && state.depth() <= 2);
    let extended = rows.len() <= EXTENDED;
    if !searched && rows.len() <= LARGE {
        unfit = state.likely(trace, strides, rows, unfit, QUICK * rows.len() as u64, total);
    }
    if !searched && extended {
        let work = match state.best.as_ref().map(|n| n.depth()) {
            // Nests of many loops are mostly split ones.
            Some(depth) if depth > DEEP => FEW_TRIES,
            Some(depth) if depth > SHALLOW => (accesses * EAGER / 6).clamp(LEAST_TRIES / 2, FEW_TRIES),
            Some(_) => 0,
            None if effort.rounds == 0 => LEAST_TRIES,
            None => (accesses * EAGER).clamp(LEAST_TRIES, FEW_TRIES),
        };
        state.extend(rows, work);
    }
    if !searched && extended && effort.rounds > 0 && state.best.is_none() {
        unfit = state.likely(trace, strides, rows, unfit, THOROUGH * rows.len() as u64, u64::MAX);
    }
    let all = strategies();
    let list = if rows.len() > LARGE { &all[..PLAIN] } else { &all[..] };
    if !searched && state.best.is_some() {
        state.round(trace, strides, rows, list, unfit, Shares::of(total / BETTER, list));
    } else if !searched {
        for (round, share) in [1, 10, 100].into_iter().enumerate().take(usize::from(effort.rounds)) {
            let work = match round {
                0 => total,
                _ => total.saturating_mul(share).clamp(share * 10_000_000, MOST_WORK.max(total)),
            };
            state.round(trace, strides, rows, list, std::mem::take(&mut unfit), Shares::of(work, list));
            if round > 0 && state.best.is_none() && extended {
                state.extend(rows, work.saturating_mul(FURTHER).min(MANY_TRIES));
            }
            if state.best.is_some() {
                break;
            }
        }
    }
    state.best
}

/// Work of one round at most, unless the trace is so long that a plain round takes more.
const MOST_WORK: u64 = 3_000_000_000;

/// Work for a trace, in about nanoseconds: a fraction of a microsecond per access, less for long traces.
fn budget(accesses: u64) -> u64 {
    (300 * accesses).min(1_000_000_000 + 3 * accesses).max(300_000)
}

/// The work of a round.
struct Shares {
    /// For the trees of each plain strategy.
    plain: u64,
    /// For those of each other.
    other: u64,
    /// For exact bounds, and for repairs.
    fit: u64,
}

impl Shares {
    /// A third for trees, half of it for the plain strategies.
    fn of(work: u64, list: &[Strategy]) -> Shares {
        let plain = list.iter().filter(|s| s.is_plain()).count() as u64;
        let other = list.len() as u64 - plain;
        Shares { plain: work / 6 / plain.max(1), other: work / 6 / other.max(1), fit: work / 3 }
    }
}

/// The best nest so far.
struct State<'a> {
    best: Option<Nest>,
    effort: &'a Effort,
}

impl State<'_> {
    /// Only nests of at most so many loops are of interest.
    fn depth(&self) -> usize {
        self.best.as_ref().map_or(self.effort.depth, |n| n.depth())
    }

    /// Extends parts that are understood to the whole trace.
    fn extend(&mut self, rows: &Arc<Rows>, budget: u64) {
        if budget == 0 || self.effort.late() {
            return;
        }
        let mut trees = Vec::new();
        for &(policy, ends, window, convex) in SEEDING {
            let s = Strategy { policy, ends, window, convex, ..FIRST };
            let share = (budget / 10) as i64;
            let search = Search::new(s, share, self.effort.depth, self.effort);
            trees.extend(search.plainest(rows.clone()));
        }
        let depth = if self.best.is_some() { self.depth() - 1 } else { self.depth() };
        let found = shallowest(&trees, self.effort.divisor, depth, budget).map(simplified);
        if let Some(nest) = found
            && self.best.as_ref().is_none_or(|b| better(&nest, b))
        {
            self.best = Some(nest);
        }
    }

    /// The likely strategies with limited work each, all together within the work for the trace.
    fn likely(
        &mut self,
        trace: &dyn Trace,
        strides: &[i64],
        rows: &Arc<Rows>,
        unfit: Vec<Candidate>,
        each: u64,
        total: u64,
    ) -> Vec<Candidate> {
        let list = likely();
        let each = each.min(total / 6 / list.len() as u64);
        self.round(trace, strides, rows, &list, unfit, Shares { plain: each, other: each, fit: 5 * each })
    }

    /// Strategies with a limited amount of work: trees first, then exact bounds, then repairs, also of the trees that did
    /// not fit before. Returns the trees that did not fit.
    fn round(
        &mut self,
        trace: &dyn Trace,
        strides: &[i64],
        rows: &Arc<Rows>,
        list: &[Strategy],
        unfit: Vec<Candidate>,
        shares: Shares,
    ) -> Vec<Candidate> {
        let depth = if self.best.is_some() { self.depth() - 1 } else { self.depth() };
        let runs: Vec<u64> = strides.iter().map(|&s| runs_with(trace, s)).collect();
        let found = in_parallel(list, self.effort, |s| {
            let share = if s.is_plain() { shares.plain } else { shares.other };
            match runs.get(s.stride) {
                Some(&n) if n <= MORE_RUNS * runs[0] && share >= LEAST * n => {}
                _ => return Vec::new(),
            }
            candidates(s, trace, strides, rows, depth, share as i64, self.effort)
        });
        let mut all: Vec<Candidate> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        for candidate in found.into_iter().flatten() {
            if seen.insert(candidate.mark) {
                all.push(candidate);
            }
        }
        all.sort_by_key(|c| (c.tree.height(), c.nodes));
        let mut all = self.fit(all, exact, shares.fit);
        all.extend(unfit);
        all.sort_by_key(|c| (c.tree.height(), c.nodes));
        self.fit(all, repaired, shares.fit)
    }

    /// Fits bounds to candidates in order, in batches, while there is work left and fewer loops can be found. Returns
    /// the candidates that did not fit.
    fn fit(
        &mut self,
        mut candidates: Vec<Candidate>,
        method: fn(&Tree, i64, &mut u64) -> Option<Nest>,
        mut budget: u64,
    ) -> Vec<Candidate> {
        for from in (0..candidates.len()).step_by(BATCH) {
            let end = (from + BATCH).min(candidates.len());
            let limit = self.best.as_ref().map_or(usize::MAX, |n| n.depth());
            let batch: Vec<&Candidate> =
                candidates[from..end].iter().filter(|c| c.tree.height() < limit).collect();
            if batch.is_empty() || budget == 0 {
                break;
            }
            let results = in_parallel(&batch, self.effort, |c| {
                let mut work = 0;
                (method(&c.tree, self.effort.divisor, &mut work).map(simplified), work)
            });
            for (nest, work) in results {
                budget = budget.saturating_sub(work);
                if let Some(nest) = nest
                    && nest.depth() <= self.effort.depth
                    && self.best.as_ref().is_none_or(|b| better(&nest, b))
                {
                    self.best = Some(nest);
                }
            }
        }
        let limit = self.best.as_ref().map_or(usize::MAX, |n| n.depth());
        candidates.retain(|c| c.tree.height() < limit);
        candidates
    }
}

/// Number of runs when cut at every difference other than `stride`.
fn runs_with(trace: &dyn Trace, stride: i64) -> u64 {
    let mut runs = 1;
    trace.each(&mut |difference, times| runs += if difference == stride { 0 } else { times });
    runs
}

fn better(a: &Nest, b: &Nest) -> bool {
    (a.depth(), a.faces()) < (b.depth(), b.faces())
}

/// Inner strides, best first; at least one.
pub fn strides(trace: &dyn Trace) -> Vec<i64> {
    let mut counts: rustc_hash::FxHashMap<i64, (u64, u64)> = rustc_hash::FxHashMap::default();
    trace.each(&mut |difference, times| {
        let entry = counts.entry(difference).or_default();
        entry.0 += times - 1;
        entry.1 += times;
    });
    let mut list: Vec<(i64, (u64, u64))> = counts.into_iter().collect();
    list.sort_unstable_by_key(|e| (std::cmp::Reverse(e.1), e.0.unsigned_abs(), e.0));
    let mut out: Vec<i64> = list.into_iter().take(3).map(|e| e.0).collect();
    if out.is_empty() {
        out.push(0);
    }
    out
}

/// Applies `one` to all items; the results are in order.
fn in_parallel<I: Sync, T: Send>(items: &[I], effort: &Effort, one: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while !effort.late() {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(i) else { break };
            done.push((i, one(item)));
        }
        done
    };
    let mut all: Vec<(usize, T)> = if effort.threads <= 1 || items.len() <= 1 {
        work()
    } else {
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..effort.threads).map(|_| scope.spawn(work)).collect();
            handles.into_iter().flat_map(|h| h.join().unwrap_or_default()).collect()
        })
    };
    all.sort_by_key(|e| e.0);
    all.into_iter().map(|e| e.1).collect()
}

/// A sequence of nests for a trace that is not one.
fn cover(rows: Arc<Rows>, effort: &Effort) -> Vec<Nest> {
    let n = i64::try_from(rows.len()).unwrap_or(i64::MAX / 4000);
    let mut tree = Tree::new(rows);
    while tree.height() < effort.depth.min(8) && tree.count(tree.height()) > 1 {
        let m = tree.height();
        let n = tree.count(m);
        let steps = principal((1..n).map(|i| tree.start(m, i).wrapping_sub(tree.start(m, i - 1))));
        let choice = Choice { modal: 1, dictionary: false, strict: false, window: 0, convex: 0 };
        let (loops, _) = tree.group(m, steps[0].0, Policy::Agreement, choice);
        if loops.start.len() == n {
            break;
        }
        tree.loops.push(Arc::new(loops));
    }
    let budget = (2000 * n).saturating_add(3_000_000);
    Cover::all(&tree, effort.divisor.min(16), budget).into_iter().map(|s| simplified(s.nest)).collect()
}
