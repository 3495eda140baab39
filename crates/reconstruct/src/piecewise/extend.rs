//! Seed and extend: a part of the trace that is understood exactly is extended run by run in both directions.
//!
//! The seed is a stretch of a tree whose bounds fit exactly. Its model predicts the run that follows. Where it does
//! not, the steps that lead to the run's address are listed as in [`super::relabel`], also a new outermost loop. A step
//! may be taken for one run or for all runs of a node of the tree that begins there, whose relative coordinates the tree
//! knows, or for the part of a run that ends where the model ends it. Runs that the model foresees later are steps too:
//! a bound not yet known cut off those between. After each step the bounds are fitted again to all runs that have
//! coordinates; a step for which none fit is wrong. Of several that are possible the search in [`ways`] is best first:
//! cheap steps, simple bounds and many runs foreseen after them. From each of the best ways to the end of the trace the same is done
//! backwards, with all counters negated.
//!
//! Invariant: after every step the model's bounds hold exactly for all loop executions that are complete.
//! Limits: coefficients of loops inside the seed are not revised; the work is limited.

mod steps;
mod ways;

use std::sync::Arc;

use smallvec::SmallVec;
use steps::clipping;

use super::attempt::{MOST_FACES, generating};
use super::faces::{Bounds, Earlier, Face, Side, refit};
use super::labels::{Labelled, label, turned};
use super::points::Point;
use super::relabel::{Model, Step};
use super::tree::{Coordinates, Rows, Tree};
use crate::nest::{MAX_DEPTH, Nest};

/// Rounds of fitting with the points that the last fit got wrong.
const ROUNDS: usize = 20;
/// Points added per level and round.
const ADDED: usize = 16;

/// What is known about one level: executions whose first or last values the bounds must give.
#[derive(Debug, Clone, Default)]
struct Known {
    lower: Vec<Point>,
    upper: Vec<Point>,
}

/// How many integers a step gives coordinates to.
enum Extent {
    /// All runs of a node of the tree.
    Node(Vec<Labelled>),
    /// The next run, as far as it is not split where the run after it is expected.
    Run,
    /// The beginning of the next run: what follows continues it by chance.
    Part(i64),
}

/// A stretch of the trace with coordinates, and its model.
#[derive(Clone)]
struct Extension<'a> {
    /// What the runs were grouped into.
    tree: &'a Tree,
    /// Per level, the first run of every node, and the number of runs.
    begins: Vec<Vec<u32>>,
    /// Whether the runs are in the opposite order.
    reversed: bool,
    rows: Rows,
    divisor: i64,
    depth: usize,
    /// Twice the longest run of the seed.
    reach: i64,
    labels: Vec<Labelled>,
    model: Model,
    origin: i64,
    known: Vec<Arc<Known>>,
    /// The next run and how much of it has coordinates.
    row: usize,
    used: i64,
}

/// A nest for all runs of the tree from nodes a to b of level m on, if the work allowed is enough.
pub fn extended(
    tree: &Tree,
    m: usize,
    (a, b): (usize, usize),
    divisor: i64,
    depth: usize,
    work: &mut u64,
    limit: u64,
) -> Option<Nest> {
    let mut e = Extension::seed(tree, m, (a, b), divisor, depth)?;
    if !e.refit(0, work) {
        return None;
    }
    let before = e.row - e.labels.len();
    // What the last runs are like shows in the first ones at times.
    let ways = e.forward(work, limit);
    let count = ways.len() as u64;
    for (mut e, tried) in ways.into_iter().zip(0..) {
        e.reverse();
        e.row = e.rows.len() - before;
        e.used = 0;
        // The last executions, which the end of the trace completed, are the first now.
        if !e.refit(0, work) {
            continue;
        }
        let limit = *work + limit.saturating_sub(*work) / (count - tried);
        for mut e in e.forward(work, limit) {
            e.reverse();
            let nest = e.close(work);
            if nest.is_some() {
                return nest;
            }
        }
    }
    None
}

impl<'a> Extension<'a> {
    /// The runs of neighbouring nodes with the coordinates that the tree gives them.
    fn seed(
        tree: &'a Tree,
        m: usize,
        (a, b): (usize, usize),
        divisor: i64,
        depth: usize,
    ) -> Option<Extension<'a>> {
        let mut labels = Vec::new();
        let m = if b - a > 1 { m + 1 } else { m };
        let mut at = [0; MAX_DEPTH];
        if b - a == 1 {
            label(tree, m, a, &[0; MAX_DEPTH], &mut at, m + 1, &mut labels);
        }
        for child in a..b {
            if b - a == 1 {
                break;
            }
            at[m - 1] = (child - a) as i64;
            let inner: Coordinates = std::array::from_fn(|q| {
                if q < m - 1 { tree.shift(m, child, q) - tree.shift(m, a, q) } else { 0 }
            });
            label(tree, m - 1, child, &inner, &mut at, if child == a { m + 1 } else { m }, &mut labels);
        }
        let first = labels.first()?;
        let coefficients: Vec<i64> = (1..=m).map(|l| tree.coefficient(l)).collect();
        let model = Model { bounds: vec![Bounds::default(); m], coefficients };
        let origin = first.start.wrapping_sub(model.offset(&first.at));
        let mut node = a;
        let below = if b - a > 1 { m - 1 } else { m };
        for level in (2..=below).rev() {
            node = tree.children(level, node).0;
        }
        let row = node + labels.len();
        let rows = (*tree.rows).clone();
        let reach = labels.iter().map(|l| l.count).max().unwrap_or(1).saturating_mul(2);
        let mut begins: Vec<Vec<u32>> = vec![(0..=tree.rows.len() as u32).collect()];
        for loops in &tree.loops {
            let below = begins.last()?;
            let level = loops.first.iter().map(|&i| below[i as usize]).collect();
            begins.push(level);
        }
        Some(Extension {
            tree,
            begins,
            reversed: false,
            rows,
            divisor,
            depth,
            reach,
            labels,
            model,
            origin,
            known: vec![Arc::default(); m],
            row,
            used: 0,
        })
    }

    /// Takes runs as long as they are foreseen.
    fn advance(&mut self, work: &mut u64) {
        while self.row < self.rows.len() {
            let Some(z) = self.labels.last().map(|l| l.at) else { return };
            let address = self.address();
            *work += 40;
            match self.model.next(&z).filter(|(_, n)| self.expected(n, address)) {
                Some((level, at)) => self.take(level, at),
                None => return,
            }
        }
    }

    /// Whether the next run, or the part of it that ends where the run after it is expected, is the one at z.
    fn expected(&self, z: &Coordinates, address: i64) -> bool {
        if self.origin.wrapping_add(self.model.offset(z)) != address {
            return false;
        }
        let left = self.rows.count(self.row) - self.used;
        let expected = self.model.run_length(z);
        left == expected || self.splits(z, address, left, expected)
    }

    fn splits(&self, z: &Coordinates, address: i64, left: i64, expected: i64) -> bool {
        expected > 0 && expected < left && {
            let next = self.model.next(z);
            let there = address.wrapping_add(self.rows.stride.wrapping_mul(expected));
            next.is_some_and(|(_, n)| self.origin.wrapping_add(self.model.offset(&n)) == there)
        }
    }

    fn address(&self) -> i64 {
        self.rows.start(self.row).wrapping_add(self.rows.stride.wrapping_mul(self.used))
    }

    /// How far a step may reach, furthest first.
    fn extents(&self, step: &Step, model: &Model, address: i64) -> Vec<Extent> {
        let mut out: Vec<Extent> =
            self.hints(self.row, self.used, step.1).into_iter().map(Extent::Node).collect();
        out.push(Extent::Run);
        let (left, expected) = (self.rows.count(self.row) - self.used, model.run_length(&step.2));
        if (1..left).contains(&expected) && !self.splits(&step.2, address, left, expected) {
            out.push(Extent::Part(expected));
        }
        out
    }

    /// Takes a step and the runs that its extent says; false if no bounds agree with it.
    fn decide(&mut self, step: Step, model: &Model, extent: Extent, work: &mut u64) -> bool {
        // Complete executions so far agree with the model, unless there is a loop around them now.
        let grown = model.depth() > self.model.depth();
        let from = if grown { 0 } else { self.labels.len().saturating_sub(1) };
        self.model.clone_from(model);
        self.known.resize(self.model.depth(), Arc::default());
        match extent {
            Extent::Run => self.take(step.1, step.2),
            Extent::Part(count) => self.take_part(step.1, step.2, count),
            Extent::Node(labels) => {
                self.row += labels.len();
                for (i, label) in labels.into_iter().enumerate() {
                    let at = std::array::from_fn(|q| step.2[q].wrapping_add(label.at[q]));
                    let level = if i == 0 { step.1 } else { label.level };
                    self.labels.push(Labelled { at, level, ..label });
                }
            }
        }
        self.refit(from, work)
    }

    /// The nodes of the tree below a level that begin at a run, largest first: their runs with coordinates relative to
    /// their first.
    fn hints(&self, row: usize, used: i64, level: usize) -> Vec<Vec<Labelled>> {
        let mut out = Vec::new();
        if used != 0 {
            return out;
        }
        let mut last = usize::MAX;
        for m in (2..level.min(self.tree.height() + 1)).rev() {
            let (below, above) = (&self.model.coefficients[..m], 1..=m);
            let sign = if self.reversed { -1 } else { 1 };
            if above.zip(below).any(|(l, &c)| self.tree.coefficient(l).wrapping_mul(sign) != c) {
                continue;
            }
            let begins = &self.begins[m - 1];
            let node = if self.reversed {
                begins.binary_search(&((self.rows.len() - row) as u32)).ok().and_then(|i| i.checked_sub(1))
            } else {
                begins.binary_search(&(row as u32)).ok()
            };
            let Some(node) = node.filter(|&n| n + 1 < begins.len()) else { continue };
            let size = (begins[node + 1] - begins[node]) as usize;
            if size < 2 || size >= last {
                continue;
            }
            last = size;
            let mut labels = Vec::new();
            label(self.tree, m, node, &[0; MAX_DEPTH], &mut [0; MAX_DEPTH], m + 1, &mut labels);
            if self.reversed {
                labels = turned(&labels, self.tree.rows.stride, m + 1);
                let Some(first) = labels.first().map(|l| l.at) else { continue };
                for l in &mut labels {
                    l.at = std::array::from_fn(|q| l.at[q].wrapping_sub(first[q]));
                }
            }
            out.push(labels);
        }
        out
    }

    /// Gives coordinates to the next run, or to the part of it that is expected where the run after it begins within
    /// it.
    fn take(&mut self, level: usize, at: Coordinates) {
        let start = self.address();
        let left = self.rows.count(self.row) - self.used;
        let expected = self.model.run_length(&at);
        let split = self.splits(&at, start, left, expected);
        self.take_part(level, at, if split { expected } else { left });
    }

    /// Gives coordinates to the next `count` integers, at most the rest of the run.
    fn take_part(&mut self, level: usize, at: Coordinates, count: i64) {
        self.labels.push(Labelled { start: self.address(), count, level, at });
        self.used += count;
        if self.used == self.rows.count(self.row) {
            self.row += 1;
            self.used = 0;
        }
    }

    /// Fits the bounds to all complete executions, of which those before run `from` agree with them; false if none fit.
    fn refit(&mut self, mut from: usize, work: &mut u64) -> bool {
        let depth = self.model.depth();
        // Levels whose bounds have changed: the others agree with all executions.
        let mut changed = [true; MAX_DEPTH];
        for _ in 0..ROUNDS {
            let wrong = self.violators(from, &changed);
            let levels = changed[..depth].iter().filter(|c| **c).count();
            *work += (levels * (self.labels.len() - from)) as u64 + 20;
            from = 0;
            changed = [false; MAX_DEPTH];
            if wrong.iter().all(|w| w.0.is_empty() && w.1.is_empty()) {
                return true;
            }
            for (l, (lower, upper)) in wrong.into_iter().enumerate() {
                let k = depth - l - 1;
                for (side, points) in [(Side::Lower, lower), (Side::Upper, upper)] {
                    if points.is_empty() {
                        continue;
                    }
                    let known = Arc::make_mut(&mut self.known[l]);
                    let list = if side == Side::Lower { &mut known.lower } else { &mut known.upper };
                    let fresh = points.len();
                    list.extend(points);
                    let bounds = &mut self.model.bounds[l];
                    let old = if side == Side::Lower { &mut bounds.lower } else { &mut bounds.upper };
                    let data = clipping(&self.model.coefficients, l + 1, self.reach);
                    let earlier = Earlier { faces: old, fresh, clipping: &data };
                    let faces = refit(list, &earlier, k, side, self.divisor, work);
                    let Some(faces) = faces.filter(|f| f.len() <= MOST_FACES) else { return false };
                    *old = faces;
                    changed[l] = true;
                }
            }
        }
        false
    }

    /// Per level, executions of which the bounds get the first or the last value wrong: some of them. The last value is
    /// known of complete executions, the first of all but those at the beginning. Those before run `from` are right.
    fn violators(&self, from: usize, wanted: &[bool; MAX_DEPTH]) -> Vec<(Vec<Point>, Vec<Point>)> {
        let depth = self.model.depth();
        let mut out = vec![(Vec::new(), Vec::new()); depth];
        let levels: SmallVec<[usize; MAX_DEPTH]> = (1..depth).filter(|&l| wanted[l - 1]).collect();
        let mut first = self.begun(from, depth);
        for (i, label) in self.labels.iter().enumerate().skip(from) {
            let end = self.labels.get(i + 1).map_or(1, |next| next.level);
            for &l in &levels {
                if i > 0 && label.level > l {
                    first[l - 1] = i;
                }
                if l >= end && l > 1 {
                    continue;
                }
                let outer = outer(&label.at, l, depth);
                let low = self.labels[first[l - 1]].at[l - 1];
                let high = label.at[l - 1].wrapping_add(if l == 1 { label.count - 1 } else { 0 });
                let bounds = &self.model.bounds[l - 1];
                let point = Point { outer, low, high };
                let (lower, upper) = &mut out[l - 1];
                // An execution whose beginning is before the first label is known not to begin later only.
                if (bounds.lower.is_empty() || bounds.low(&outer) != low) && lower.len() < ADDED {
                    lower.push(point);
                }
                if (bounds.upper.is_empty() || bounds.high(&outer) != high) && upper.len() < ADDED {
                    upper.push(point);
                }
            }
        }
        out
    }

    /// Where the execution of every level that is open at run `from` began; the outermost loop has one only, which is
    /// never complete.
    fn begun(&self, from: usize, depth: usize) -> [usize; MAX_DEPTH] {
        let mut first = [0; MAX_DEPTH];
        let mut known = 0;
        for (i, label) in self.labels.iter().enumerate().take(from).skip(1).rev() {
            while known + 1 < label.level {
                first[known] = i;
                known += 1;
            }
            if known + 1 >= depth {
                break;
            }
        }
        first
    }

    /// Turns the direction of time: counters are negated, runs begin at their other ends.
    fn reverse(&mut self) {
        let stride = self.rows.stride;
        self.rows = self.rows.reversed();
        self.labels = turned(&self.labels, stride, self.model.depth() + 1);
        self.reversed = !self.reversed;
        for c in &mut self.model.coefficients {
            *c = c.wrapping_neg();
        }
        let negated = |faces: &mut Vec<Face>| {
            faces.iter_mut().for_each(|f| f.slopes.iter_mut().for_each(|s| *s = s.wrapping_neg()));
        };
        for bounds in &mut self.model.bounds {
            std::mem::swap(&mut bounds.lower, &mut bounds.upper);
            negated(&mut bounds.lower);
            negated(&mut bounds.upper);
        }
        for known in self.known.iter_mut().map(Arc::make_mut) {
            std::mem::swap(&mut known.lower, &mut known.upper);
            for p in known.lower.iter_mut().chain(&mut known.upper) {
                p.outer = p.outer.map(i64::wrapping_neg);
                (p.low, p.high) = (p.high.wrapping_neg(), p.low.wrapping_neg());
            }
        }
    }

    /// The nest, once all runs have coordinates.
    fn close(mut self, work: &mut u64) -> Option<Nest> {
        let depth = self.model.depth();
        let (first, last) = (self.labels.first()?, self.labels.last()?);
        let (low, high) = (first.at[depth - 1], last.at[depth - 1]);
        let constant = |c: i64| vec![Face { slopes: Vec::new(), constant: c, divisor: 1 }];
        self.model.bounds[depth - 1] = Bounds { lower: constant(-low), upper: constant(high) };
        for (l, bounds) in self.model.bounds.iter_mut().enumerate() {
            for face in bounds.lower.iter_mut().chain(&mut bounds.upper) {
                // Fitted before the outermost loops were found.
                face.slopes.resize(depth - l - 1, 0);
            }
        }
        // The last execution of every level is complete now.
        let end = Labelled { level: depth + 1, ..*last };
        self.labels.push(end);
        let fits = self.refit(0, work);
        self.labels.pop();
        if !fits {
            return None;
        }
        generating(&self.rows, &self.model.coefficients, &self.model.bounds, work)
    }
}

/// Counters of levels above l, nearest first.
fn outer(at: &Coordinates, l: usize, depth: usize) -> Coordinates {
    std::array::from_fn(|q| if q + l < depth { at[q + l] } else { 0 })
}
