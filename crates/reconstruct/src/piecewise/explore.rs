//! The trees that one strategy makes of a trace: all ways of grouping level by level, those with fewest choices other
//! than the first before the others.
//!
//! The groupings of a level are kept for the passes with more such choices, as long as they are small together.

use std::sync::Arc;

use super::grouping::{Choice, Policy};
use super::search::{Effort, LARGE};
use super::tree::{Loops, Rows, Tree};
use crate::nest::MAX_DEPTH;
use crate::run::Trace;

/// Every level.
const ALL: u8 = 99;
/// Nodes of a level for which several coefficients are tried.
const FEW_NODES: usize = 2000;
/// Choices other than the first in one tree.
const MOST_DEVIATIONS: usize = 6;
/// Trees that one strategy keeps.
const MOST_FOUND: usize = 200;
/// Work of a visit to a level grouped before.
const VISIT: i64 = 200;
/// Work of one choice, per node.
const ASSEMBLY: i64 = 3;
/// Numbers in the groupings that one strategy keeps.
const MOST_KEPT: usize = 1 << 22;

/// One way through the choices of grouping.
#[derive(Debug, Clone, Copy)]
pub struct Strategy {
    /// Which shift explains a step.
    pub policy: Policy,
    /// Loops may be found by their last elements too.
    pub ends: bool,
    /// All choices per level, not only the first.
    pub thorough: bool,
    /// How runs are cut: 0 as they are, 1 and 2 at the most frequent length.
    pub modal: u8,
    /// Shifts without a corner.
    pub window: i64,
    /// Which of the inner strides, best first.
    pub stride: usize,
    /// Up to which level bounds must bend inwards.
    pub convex: u8,
}

const POLICIES: [Policy; 3] = [Policy::Still, Policy::Agreement, Policy::Moving];

/// The cheap strategy that mostly does.
pub const FIRST: Strategy = Strategy {
    policy: Policy::Agreement,
    ends: false,
    thorough: false,
    modal: 0,
    window: 0,
    stride: 0,
    convex: 0,
};

impl Strategy {
    /// Whether it is without any specialty.
    pub fn is_plain(&self) -> bool {
        self.modal == 0 && self.window == 0 && self.stride == 0 && self.convex == 0
    }
}

/// One for each specialty of inner stride and policy that mostly do.
pub fn likely() -> Vec<Strategy> {
    let of = |&(policy, window, modal, convex): &(Policy, i64, u8, u8)| Strategy {
        policy,
        thorough: true,
        modal,
        window,
        convex,
        ..FIRST
    };
    [
        (Policy::Still, 0, 0, 0),
        (Policy::Agreement, 0, 0, 0),
        (Policy::Still, 0, 1, 0),
        (Policy::Still, 0, 2, 0),
        (Policy::Still, 2, 0, 1),
        (Policy::Still, 4, 0, 0),
    ]
    .iter()
    .map(of)
    .collect()
}

/// All others, in order of preference among equally good results.
pub fn strategies() -> Vec<Strategy> {
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

/// The trees that one strategy finds, for a trace and its inner strides; `rows` are the runs of the first of them.
pub fn candidates(
    s: &Strategy,
    trace: &dyn Trace,
    strides: &[i64],
    rows: &Arc<Rows>,
    depth: usize,
    budget: i64,
    effort: &Effort,
) -> Vec<Candidate> {
    let rows = match strides.get(s.stride) {
        Some(&stride) if s.stride > 0 => Arc::new(Rows::cut(trace, stride)),
        _ => rows.clone(),
    };
    // Many runs were split before.
    let split = if rows.len() > LARGE { None } else { rows.split_coincidences() };
    let rows = split.map_or(rows, Arc::new);
    let rows = match s.modal {
        0 => Some(rows),
        m => rows.split_at_mode(m == 2).map(Arc::new),
    };
    let Some(rows) = rows else { return Vec::new() };
    let mut search = Search::new(*s, budget, depth, effort);
    let mut tree = Tree::new(rows);
    let mut branches = Branches::default();
    let most = if s.thorough { MOST_DEVIATIONS } else { 0 };
    for deviations in 0..=most {
        if search.budget < 0 {
            break;
        }
        search.explore(&mut tree, &mut branches, 1, deviations);
    }
    search.found
}

/// A complete tree.
pub struct Candidate {
    /// Its loops.
    pub tree: Tree,
    /// Number of nodes of all levels.
    pub nodes: usize,
    /// Fingerprint.
    pub mark: u64,
}

/// One way to group a level.
struct Branch {
    /// Choices in it that are not the first.
    deviations: usize,
    /// What replaces the level below, if nodes of it are joined.
    below: Option<Arc<Loops>>,
    loops: Arc<Loops>,
    /// Fingerprint of both.
    mark: u64,
    inner: Branches,
}

/// The ways to group a level.
#[derive(Default)]
struct Branches {
    /// Those of the first choice only, or all.
    all: Option<bool>,
    list: Vec<Branch>,
}

/// The exploration of one strategy.
pub struct Search<'a> {
    strategy: Strategy,
    budget: i64,
    depth: usize,
    found: Vec<Candidate>,
    /// The trees, complete or not, of the first choices.
    partial: Option<Tree>,
    /// Fingerprints of the levels grouped.
    marks: Vec<u64>,
    kept: usize,
    effort: &'a Effort,
}

impl<'a> Search<'a> {
    /// For trees of at most `depth` levels.
    pub fn new(strategy: Strategy, budget: i64, depth: usize, effort: &'a Effort) -> Search<'a> {
        let (found, marks) = (Vec::new(), Vec::new());
        Search { strategy, budget, depth, found, partial: None, marks, kept: 0, effort }
    }

    /// The tree of the first choices, complete or not.
    pub fn plainest(mut self, rows: Arc<Rows>) -> Option<Tree> {
        self.explore(&mut Tree::new(rows), &mut Branches::default(), 1, 0);
        self.partial
    }

    /// Explores the levels from m on with exactly `deviations` choices that are not the first.
    fn explore(&mut self, tree: &mut Tree, branches: &mut Branches, m: usize, deviations: usize) {
        let n = tree.count(m);
        if n == 1 {
            if deviations == 0 {
                let nodes = (1..=m).map(|q| tree.count(q)).sum();
                let rows = mix(tree.rows.len() as u64, tree.rows.stride as u64);
                let mark = self.marks.iter().fold(rows, |h, &l| mix(h, l));
                self.found.push(Candidate { tree: tree.clone(), nodes, mark });
            }
            return;
        }
        if deviations == 0 && m > 1 {
            self.partial = Some(tree.clone());
        }
        if m >= self.depth
            || self.budget < 0
            || self.found.len() >= MOST_FOUND
            || m + 1 >= MAX_DEPTH
            || self.effort.late()
        {
            return;
        }
        self.budget -= VISIT;
        if branches.all.is_none_or(|all| !all && deviations > 0) {
            let old = std::mem::take(&mut branches.list);
            self.kept = self.kept.saturating_sub(size(&old));
            branches.all = Some(deviations > 0);
            branches.list = self.branches(tree, m, deviations > 0);
            for old in old {
                if let Some(same) = branches.list.iter_mut().find(|b| b.mark == old.mark) {
                    same.inner = old.inner;
                }
            }
            self.kept += size(&branches.list);
        }
        for branch in &mut branches.list {
            let Some(left) = deviations.checked_sub(branch.deviations) else { continue };
            let below = branch.below.clone().map(|below| std::mem::replace(&mut tree.loops[m - 2], below));
            tree.loops.push(branch.loops.clone());
            self.marks.push(branch.mark);
            self.explore(tree, &mut branch.inner, m + 1, left);
            self.marks.pop();
            tree.loops.pop();
            if let Some(below) = below {
                tree.loops[m - 2] = below;
            }
            if self.budget < 0 {
                break;
            }
        }
        if self.kept > MOST_KEPT {
            self.kept = self.kept.saturating_sub(size(&branches.list));
            *branches = Branches::default();
        }
    }

    /// The ways to group level m: those of the first choice, or `all`.
    fn branches(&mut self, tree: &mut Tree, m: usize, all: bool) -> Vec<Branch> {
        let s = self.strategy;
        let n = tree.count(m);
        self.budget -= 10 * n as i64;
        // Where nodes are few, other coefficients cost little.
        let most = if !all {
            1
        } else if m >= 3 && n < FEW_NODES {
            3
        } else if s.window > 0 {
            2
        } else {
            1
        };
        let mut out: Vec<Branch> = Vec::new();
        for (i, c) in tree.candidates(m, s.ends && all, most).into_iter().enumerate() {
            let (transitions, work) = tree.transitions(m, c, s.policy, s.window);
            self.budget -= 5 * work as i64;
            let choices = choices(&s);
            for (j, &choice) in choices.iter().enumerate().take(if all { choices.len() } else { 1 }) {
                if j > 0 && transitions.repeats(choice) {
                    continue;
                }
                let loops = tree.grouped(m, &transitions, choice);
                self.budget -= ASSEMBLY * n as i64;
                let nodes = loops.start.len();
                if nodes >= n || (nodes * 10 > n * 9 && n > 60) {
                    continue;
                }
                let deviations = usize::from(i > 0) + usize::from(j > 0);
                if s.thorough && m >= 2 && (2..=6).contains(&nodes) && n >= nodes * 8 {
                    out.extend(self.merged(tree, m, choice, &loops, deviations));
                }
                let mark = mark(&loops);
                if !out.iter().any(|b| b.mark == mark) {
                    let loops = Arc::new(loops);
                    out.push(Branch { deviations, below: None, loops, mark, inner: Branches::default() });
                }
                if self.budget < 0 {
                    return out;
                }
            }
        }
        out
    }

    /// A few breaks left at the top often come from one node that was split below: joins neighbours around each break
    /// and goes on from there if that leaves fewer.
    fn merged(
        &mut self,
        tree: &mut Tree,
        m: usize,
        choice: Choice,
        loops: &Loops,
        deviations: usize,
    ) -> Option<Branch> {
        let n = tree.count(m);
        let nodes = loops.start.len();
        for &p in &loops.first[1..nodes] {
            for offset in [-1i64, 0, -2, -3, 1] {
                let at = i64::from(p) + offset;
                if at < 0 || at as usize + 1 >= n {
                    continue;
                }
                let Some(joined) = tree.joined(m, at as usize) else { continue };
                let joined = Arc::new(joined);
                let old = std::mem::replace(&mut tree.loops[m - 2], joined.clone());
                let choice = Choice { modal: 0, ..choice };
                let (again, work) = tree.group(m, loops.coefficient, self.strategy.policy, choice);
                tree.loops[m - 2] = old;
                self.budget -= 5 * work as i64;
                if again.start.len() < nodes {
                    let mark = mix(mark(&joined), mark(&again));
                    let (below, loops) = (Some(joined), Arc::new(again));
                    return Some(Branch { deviations, below, loops, mark, inner: Branches::default() });
                }
            }
        }
        None
    }
}

/// Numbers kept in groupings and those inside them.
fn size(branches: &[Branch]) -> usize {
    let own = |l: &Loops| l.first.len() + l.shifts.len() + l.start.len();
    let one = |b: &Branch| own(&b.loops) + b.below.as_ref().map_or(0, |l| own(l)) + size(&b.inner.list);
    branches.iter().map(one).sum()
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
