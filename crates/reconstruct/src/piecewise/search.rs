//! The strategies, and the budget they work under.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::attempt::{exact, repaired};
use super::cover::Cover;
use super::seeds::shallowest;
use super::tree::{Choice, Loops, Policy, Rows, Tree, principal};
use crate::nest::{MAX_DEPTH, Nest};
use crate::run::Differences;
use crate::simplify::simplified;

/// How hard to try.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Threads that try strategies at the same time. The result does not depend on it.
    pub threads: usize,
    /// When to stop looking for something better.
    pub deadline: Option<Instant>,
    /// Largest denominator of a bound.
    pub divisor: i64,
    /// Deepest nest.
    pub depth: usize,
    /// Rounds of search while no single nest was found, each with about ten times the work of the one before: 1 for a
    /// fraction of a microsecond per integer, 3 for up to seconds.
    pub rounds: u8,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { threads: 1, deadline: None, divisor: 64, depth: 10, rounds: 2 }
    }
}

impl Effort {
    fn late(&self) -> bool {
        self.deadline.is_some_and(|d| Instant::now() >= d)
    }
}

/// One way through the choices of grouping.
#[derive(Debug, Clone, Copy)]
struct Strategy {
    policy: Policy,
    /// Loops may be found by their last elements too.
    ends: bool,
    /// All choices per level, not only the first.
    thorough: bool,
    /// How runs are cut: 0 as they are, 1 and 2 at the most frequent length.
    modal: u8,
    /// Shifts without a corner.
    window: i64,
    /// Which of the inner strides, best first.
    stride: usize,
    /// Up to which level bounds must bend inwards.
    convex: u8,
}

const POLICIES: [Policy; 3] = [Policy::Still, Policy::Agreement, Policy::Moving];

/// The cheap strategy that mostly does.
const FIRST: Strategy = Strategy {
    policy: Policy::Agreement,
    ends: false,
    thorough: false,
    modal: 0,
    window: 0,
    stride: 0,
    convex: 0,
};

/// All others, in order of preference among equally good results.
fn strategies() -> Vec<Strategy> {
    let mut out = Vec::new();
    for (stride, window, modal, convex) in [
        (0, 0, 0, 0),
        (0, 0, 1, 0),
        (0, 0, 2, 0),
        (0, 2, 0, 1),
        (0, 0, 0, ALL),
        (0, 1, 0, 0),
        (0, 2, 0, 0),
        (0, 4, 0, 0),
        (1, 0, 0, 0),
        (2, 0, 0, 0),
    ] {
        for ends in [false, true] {
            for policy in POLICIES {
                out.push(Strategy { policy, ends, thorough: true, modal, window, stride, convex });
            }
        }
    }
    out
}

/// Strategies without any specialty.
const PLAIN: u64 = 6;
/// Traces of more runs keep the first nest found, and fewer strategies are tried.
const LARGE: usize = 1_500_000;
/// Traces of more runs are not extended from a part.
const EXTENDED: usize = 100_000;
/// Work of extension after them, at most.
const MANY_TRIES: u64 = 1_500_000_000;
/// Work of extension for every unit of work of the strategies of a round.
const FURTHER: u64 = 6;
/// Work of extension before all other strategies.
const FEW_TRIES: u64 = 50_000_000;
/// Ways of grouping whose trees give seeds: policy, ends, window, convex.
const SEEDING: &[(Policy, bool, i64, u8)] = &[
    (Policy::Agreement, false, 0, 0),
    (Policy::Agreement, false, 2, 1),
    (Policy::Still, true, 0, 0),
    (Policy::Agreement, true, 4, 1),
];
/// Every level.
const ALL: u8 = 99;
/// Nodes of a level for which several coefficients are tried.
const FEW_NODES: usize = 2000;
/// Choices other than the first in one tree.
const MOST_DEVIATIONS: usize = 6;
/// Trees that one strategy keeps.
const MOST_FOUND: usize = 200;
/// Candidates whose bounds are fitted at a time; a fixed number, so that the result does not depend on threads.
const BATCH: usize = 8;
/// A trace of so many more runs than with its best stride is not cut with another.
const MORE_RUNS: u64 = 8;

/// The shortest sequence of nests found for a trace.
pub fn solve(trace: &Differences, effort: &Effort) -> Vec<Nest> {
    let accesses = trace.len();
    let strides = strides(trace);
    let first = candidates(&FIRST, trace, strides[0], effort.depth, i64::MAX, effort);
    let rows = Rows::cut(trace, strides[0]);
    let mut state = State { best: None, effort };
    let total = budget(accesses);
    let mut unfit = state.fit(first, exact, u64::MAX);
    // One bound per side is the form of a single domain, which has no fewer loops.
    let plain = state.best.as_ref().is_some_and(|n| n.faces() == 2 * n.depth());
    let large = state.best.is_some() && rows.len() > LARGE;
    let searched = plain || large || (state.best.is_some() && state.depth() <= 2);
    if !searched && rows.len() <= EXTENDED {
        state.extend(&rows, if effort.rounds > 1 { FEW_TRIES } else { total.min(FEW_TRIES) });
    }
    if !searched {
        for (round, share) in [1, 10, 100].into_iter().enumerate().take(usize::from(effort.rounds)) {
            if round > 0 && state.best.is_some() {
                break;
            }
            let work = match round {
                0 => total,
                _ => total.saturating_mul(share).clamp(share * 10_000_000, MOST_WORK.max(total)),
            };
            state.round(trace, &strides, std::mem::take(&mut unfit), work);
            if round > 0 && state.best.is_none() && rows.len() <= EXTENDED {
                state.extend(&rows, work.saturating_mul(FURTHER).min(MANY_TRIES));
            }
        }
    }
    match state.best {
        Some(nest) => vec![nest],
        None => cover(rows, effort),
    }
}

/// Work of one round at most, unless the trace is so long that a plain round takes more.
const MOST_WORK: u64 = 3_000_000_000;

/// Work for a trace, in about nanoseconds: a fraction of a microsecond per access, less for long traces.
fn budget(accesses: u64) -> u64 {
    (300 * accesses).min(1_000_000_000 + 3 * accesses).max(300_000)
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
    fn extend(&mut self, rows: &Rows, budget: u64) {
        let mut trees = Vec::new();
        for &(policy, ends, window, convex) in SEEDING {
            let s = Strategy { policy, ends, window, convex, ..FIRST };
            let share = (budget / 10) as i64;
            let mut search = Search::new(s, share, self.effort.depth, self.effort);
            search.explore(&mut Tree::new(rows.clone()), 1, 0);
            trees.extend(search.partial.pop());
        }
        let depth = if self.best.is_some() { self.depth() - 1 } else { self.depth() };
        let found = shallowest(&trees, self.effort.divisor, depth, budget).map(simplified);
        if let Some(nest) = found
            && self.best.as_ref().is_none_or(|b| better(&nest, b))
        {
            self.best = Some(nest);
        }
    }

    /// All strategies with a limited amount of work: trees first, then exact bounds, then repairs, also of the trees
    /// that did not fit before.
    fn round(&mut self, trace: &Differences, strides: &[i64], unfit: Vec<Candidate>, budget: u64) {
        let depth = if self.best.is_some() { self.depth() - 1 } else { self.depth() };
        let mut list = strategies();
        if runs_with(trace, strides[0]) > LARGE as u64 {
            list.truncate(PLAIN as usize);
        }
        // Half of the work goes to the plain strategies, which come first.
        let plain = (budget / 6 / PLAIN) as i64;
        let other = (budget / 6 / (list.len() as u64).saturating_sub(PLAIN).max(1)) as i64;
        let best_runs = runs_with(trace, strides[0]);
        let found = in_parallel(&list, self.effort, |s| {
            let share =
                if s.modal == 0 && s.window == 0 && s.stride == 0 && s.convex == 0 { plain } else { other };
            let Some(&stride) = strides.get(s.stride) else { return Vec::new() };
            if runs_with(trace, stride) > MORE_RUNS * best_runs {
                return Vec::new();
            }
            candidates(s, trace, stride, depth, share, self.effort)
        });
        let mut all: Vec<Candidate> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        for candidate in found.into_iter().flatten() {
            if seen.insert(candidate.mark) {
                all.push(candidate);
            }
        }
        all.sort_by_key(|c| (c.tree.height(), c.nodes));
        let mut all = self.fit(all, exact, budget / 3);
        all.splice(0..0, unfit);
        self.fit(all, repaired, budget / 3);
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
fn runs_with(trace: &Differences, stride: i64) -> u64 {
    1 + trace.steps.iter().filter(|s| s.0 != stride).map(|s| s.1).sum::<u64>()
}

fn better(a: &Nest, b: &Nest) -> bool {
    (a.depth(), a.faces()) < (b.depth(), b.faces())
}

/// Inner strides, best first; at least one.
fn strides(trace: &Differences) -> Vec<i64> {
    let mut counts: rustc_hash::FxHashMap<i64, (u64, u64)> = rustc_hash::FxHashMap::default();
    for &(d, times) in &trace.steps {
        let entry = counts.entry(d).or_default();
        entry.0 += times - 1;
        entry.1 += times;
    }
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

/// The trees that one strategy finds.
fn candidates(
    s: &Strategy,
    trace: &Differences,
    stride: i64,
    depth: usize,
    budget: i64,
    effort: &Effort,
) -> Vec<Candidate> {
    let rows = Rows::cut(trace, stride).split_coincidences();
    let rows = match s.modal {
        0 => Some(rows),
        m => rows.split_at_mode(m == 2),
    };
    let Some(rows) = rows else { return Vec::new() };
    let mut search = Search::new(*s, budget, depth, effort);
    let mut tree = Tree::new(rows);
    if !s.thorough {
        search.explore(&mut tree, 1, 0);
    }
    for deviations in 0..=MOST_DEVIATIONS {
        if !s.thorough || search.budget < 0 {
            break;
        }
        search.explore(&mut tree, 1, deviations);
    }
    search.found
}

/// A complete tree.
struct Candidate {
    tree: Tree,
    nodes: usize,
    mark: u64,
}

struct Search<'a> {
    strategy: Strategy,
    budget: i64,
    depth: usize,
    found: Vec<Candidate>,
    /// The trees, complete or not, of the first choices.
    partial: Vec<Tree>,
    effort: &'a Effort,
}

impl<'a> Search<'a> {
    fn new(strategy: Strategy, budget: i64, depth: usize, effort: &'a Effort) -> Search<'a> {
        Search { strategy, budget, depth, found: Vec::new(), partial: Vec::new(), effort }
    }

    /// Explores the levels from m on with exactly `deviations` choices that are not the first.
    fn explore(&mut self, tree: &mut Tree, m: usize, deviations: usize) {
        let n = tree.count(m);
        if n == 1 {
            if deviations > 0 {
                return;
            }
            let nodes = (1..=m).map(|q| tree.count(q)).sum();
            let rows = mix(tree.rows.len() as u64, tree.rows.stride as u64);
            let mark = tree.loops.iter().fold(rows, |h, l| mix(h, mark(l)));
            self.found.push(Candidate { tree: tree.clone(), nodes, mark });
            return;
        }
        if deviations == 0 && m > 1 {
            self.partial = vec![tree.clone()];
        }
        if m >= self.depth
            || self.budget < 0
            || self.found.len() >= MOST_FOUND
            || m + 1 >= MAX_DEPTH
            || self.effort.late()
        {
            return;
        }
        let s = self.strategy;
        self.budget -= 10 * n as i64;
        // Where nodes are few, other coefficients cost little.
        let most = if !s.thorough {
            1
        } else if m >= 3 && n < FEW_NODES {
            3
        } else if s.window > 0 {
            2
        } else {
            1
        };
        let coefficients = tree.candidates(m, s.ends && s.thorough, most);
        let mut seen: Vec<u64> = Vec::new();
        for (i, c) in coefficients.into_iter().enumerate() {
            for (j, choice) in choices(&s).into_iter().enumerate() {
                let Some(left) = deviations.checked_sub(usize::from(i > 0) + usize::from(j > 0)) else {
                    continue;
                };
                let (loops, work) = tree.group(m, c, s.policy, choice);
                self.budget -= 5 * work as i64;
                let nodes = loops.start.len();
                if nodes >= n || (nodes * 10 > n * 9 && n > 60) {
                    continue;
                }
                if s.thorough && m >= 2 && (2..=6).contains(&nodes) && n >= nodes * 8 {
                    self.merged(tree, m, c, choice, &loops, left);
                }
                let mark = mix(mark(&loops), left as u64);
                if seen.contains(&mark) {
                    continue;
                }
                seen.push(mark);
                tree.loops.push(Arc::new(loops));
                self.explore(tree, m + 1, left);
                tree.loops.pop();
                if self.budget < 0 {
                    return;
                }
            }
        }
    }

    /// A few breaks left at the top often come from one node that was split below: joins neighbours around each break
    /// and goes on from there if that leaves fewer.
    fn merged(
        &mut self,
        tree: &mut Tree,
        m: usize,
        c: i64,
        choice: Choice,
        loops: &Loops,
        deviations: usize,
    ) {
        let n = tree.count(m);
        let nodes = loops.start.len();
        for &p in &loops.first[1..nodes] {
            for offset in [-1i64, 0, -2, -3, 1] {
                let at = i64::from(p) + offset;
                if at < 0 || at as usize + 1 >= n {
                    continue;
                }
                let Some(joined) = tree.joined(m, at as usize) else { continue };
                let old = std::mem::replace(&mut tree.loops[m - 2], Arc::new(joined));
                let (again, work) = tree.group(m, c, self.strategy.policy, Choice { modal: 0, ..choice });
                self.budget -= 5 * work as i64;
                let improved = again.start.len() < nodes;
                if improved {
                    tree.loops.push(Arc::new(again));
                    self.explore(tree, m + 1, deviations);
                    tree.loops.pop();
                }
                tree.loops[m - 2] = old;
                if improved {
                    return;
                }
            }
        }
    }
}

fn choices(s: &Strategy) -> Vec<Choice> {
    let choice =
        |dictionary, modal, strict| Choice { dictionary, modal, strict, window: s.window, convex: s.convex };
    if !s.thorough {
        return vec![choice(false, 0, false)];
    }
    vec![
        choice(false, 0, true),
        choice(false, 1, true),
        choice(false, 2, true),
        choice(true, 0, true),
        choice(true, 1, true),
        choice(true, 2, true),
        choice(false, 0, false),
        choice(false, 1, false),
        choice(true, 0, false),
    ]
}

fn mix(h: u64, x: u64) -> u64 {
    (h ^ x).wrapping_mul(0x0100_0000_01b3).rotate_left(23)
}

/// Fingerprint of a grouping.
fn mark(loops: &Loops) -> u64 {
    let h = loops.first.iter().fold(loops.coefficient as u64, |h, &x| mix(h, u64::from(x)));
    loops.shifts.iter().fold(h, |h, &x| mix(h, x as u64))
}

/// A sequence of nests for a trace that is not one.
fn cover(rows: Rows, effort: &Effort) -> Vec<Nest> {
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
