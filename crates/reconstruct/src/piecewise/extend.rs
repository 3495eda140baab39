//! Seed and extend: a part of the trace that is understood exactly is extended run by run in both directions.
//!
//! The seed is a stretch of a tree whose bounds fit exactly. Its model predicts the run that follows. Where it does
//! not, the steps that lead to the run's address are listed as in [`super::relabel`], also a new outermost loop. A step
//! may be taken for one run or for all runs of a node of the tree that begins there, whose relative coordinates the tree
//! knows, or for the part of a run that ends where the model ends it. Runs that the model foresees later are steps too:
//! a bound not yet known cut off those between. After each step the bounds are fitted again to all runs that have
//! coordinates; a step for which none fit is wrong. Of several that are possible the search is best first: cheap steps,
//! simple bounds and many runs foreseen after them. From each of the best ways to the end of the trace the same is done
//! backwards, with all counters negated.
//!
//! Invariant: after every step the model's bounds hold exactly for all loop executions that are complete.
//! Limits: coefficients of loops inside the seed are not revised; the work is limited.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashSet;

use super::attempt::{MOST_FACES, generating};
use super::faces::{Bounds, Face, Side, refit};
use super::labels::{Labelled, fingerprint, label, turned};
use super::points::Point;
use super::relabel::{Model, Rest, Step};
use super::tree::{Coordinates, Rows, Tree};
use crate::nest::{MAX_DEPTH, Nest};

/// Steps considered per decision.
const WIDTH: usize = 4;
/// Decisions looked at in one direction.
const EXPANSIONS: usize = 1000;
/// A decision costs 10 and this part of the cost of its step.
const SHARE: i64 = 4;
/// Cost of every further extent of a step.
const VARIANT: i64 = 5;
/// Runs foreseen that make up for a decision.
const PACE: i64 = 3;
/// What runs taken with a node of the tree make up for, per binary digit of their number: the tree may be wrong.
const TAKEN: i64 = 6;
/// Rounds of fitting with the points that the last fit got wrong.
const ROUNDS: usize = 20;
/// Points added per level and round.
const ADDED: usize = 16;
/// Cost of a new outermost loop, in the unit of [`Rest::steps`].
const GROWTH: i64 = 200;
/// Cost of coordinates beyond a known upper bound.
const CONTRADICTION: i64 = 80;
/// Ways to the end of the trace that are looked at.
const WAYS: usize = 3;
/// Runs foreseen that may be cut off by bounds not yet known.
const SKIPPED: u32 = 200;
/// Runs looked at that may follow them.
const LATER: usize = 12;
/// Furthest start of a new outermost loop's second iteration from that of the first.
const NEAR: i64 = 16;

/// What is known about one level: executions whose first or last values the bounds must give.
#[derive(Debug, Clone, Default)]
struct Known {
    lower: Vec<Point>,
    upper: Vec<Point>,
}

/// The state after a decision and everything foreseen from there.
struct Node {
    parent: usize,
    /// Coordinates given since the parent.
    labels: Vec<Labelled>,
    row: usize,
    used: i64,
    model: Model,
    known: Vec<Known>,
    cost: i64,
    gain: i64,
}

/// A step: the runs foreseen after it, and its model if that is another.
type Considered = (i64, Step, Option<Model>);

/// What is to be done next.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Open {
    /// To list the decisions after a node.
    Node(usize),
    /// To make one of them.
    Try(usize),
}

/// A decision that has not been made.
struct Try {
    node: usize,
    step: Step,
    model: Option<Model>,
    /// Which of the extents of the step.
    variant: usize,
    order: i64,
}

impl Try {
    fn cost(step: &Step, variant: usize) -> i64 {
        10 + step.0 / SHARE + VARIANT * variant as i64
    }
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
    known: Vec<Known>,
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
            known: vec![Known::default(); m],
            row,
            used: 0,
        })
    }

    /// Gives coordinates to all runs from the next on: best first, in the order of the costs of the decisions made and
    /// the runs foreseen. What a decision leads to is worked out only when it is the best left, since what is wrong costs
    /// most. Several ways, best first, if little more work finds them.
    fn forward(&mut self, work: &mut u64, limit: u64) -> Vec<Extension<'a>> {
        let begun = *work;
        let mut limit = limit;
        let base = self.labels.len();
        self.advance(work);
        if self.row == self.rows.len() {
            return vec![self.clone()];
        }
        let mut complete = Vec::new();
        let mut nodes = vec![self.node(usize::MAX, base, 0, 0)];
        let mut path = vec![(0, self.labels.len())];
        let mut tries: Vec<Try> = Vec::new();
        let mut open = BinaryHeap::from([(0, Reverse(0usize), Open::Node(0))]);
        let mut expanded = 0;
        let mut seen = FxHashSet::default();
        while let Some((_, _, next)) = open.pop() {
            if *work > limit || expanded > EXPANSIONS || complete.len() >= WAYS {
                break;
            }
            match next {
                Open::Node(current) => {
                    expanded += 1;
                    self.restore(&nodes, current, &mut path, work);
                    for (foreseen, step, model) in self.decisions(work) {
                        let chance = foreseen * 5 / PACE;
                        let order = nodes[current].gain - nodes[current].cost + chance - Try::cost(&step, 0);
                        open.push((order, Reverse(nodes.len() + tries.len()), Open::Try(tries.len())));
                        tries.push(Try { node: current, step, model, variant: 0, order });
                    }
                }
                Open::Try(index) => {
                    let Try { node: current, step, ref model, variant, order } = tries[index];
                    self.restore(&nodes, current, &mut path, work);
                    let model = model.clone().unwrap_or_else(|| self.model.clone());
                    if variant == 0 && !self.opens(&step, &model, work) {
                        continue;
                    }
                    let mut extents = self.extents(&step, &model, self.address());
                    if variant + 1 < extents.len() {
                        let order = order - VARIANT;
                        open.push((order, Reverse(nodes.len() + tries.len()), Open::Try(tries.len())));
                        let model = tries[index].model.clone();
                        tries.push(Try { node: current, step, model, variant: variant + 1, order });
                    }
                    let (row, length) = (self.row, self.labels.len());
                    path.push((usize::MAX, length));
                    if !self.decide(step, &model, extents.swap_remove(variant), work) {
                        continue;
                    }
                    let decided = self.row;
                    self.advance(work);
                    if !seen.insert(fingerprint(&self.labels[length..], current)) {
                        continue;
                    }
                    let parent = &nodes[current];
                    let foreseen = (self.row - decided) as i64;
                    let gain = parent.gain + foreseen * 10 / PACE + TAKEN * digits((decided - row) as i64);
                    let more = complexity(&self.model) - complexity(&parent.model);
                    let cost = parent.cost + Try::cost(&step, variant) + more;
                    if self.row == self.rows.len() {
                        complete.push((cost, self.clone()));
                        limit = limit.min(*work + (*work - begun) / 2);
                        continue;
                    }
                    path.pop();
                    path.push((nodes.len(), self.labels.len()));
                    open.push((gain - cost, Reverse(nodes.len() + tries.len()), Open::Node(nodes.len())));
                    nodes.push(self.node(current, length, cost, gain));
                }
            }
        }
        complete.sort_by_key(|c: &(i64, Extension<'a>)| c.0);
        complete.into_iter().map(|c| c.1).collect()
    }

    /// The decisions possible at the next run: runs foreseen after each, the step, and its model if it is another.
    fn decisions(&self, work: &mut u64) -> Vec<Considered> {
        let Some(z) = self.labels.last().map(|l| l.at) else { return Vec::new() };
        let next = self.model.next(&z);
        let highest = self.closable(&z, work);
        self.steps(&z, next.map_or(0, |n| n.0), self.address(), highest, work)
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

    fn node(&self, parent: usize, from: usize, cost: i64, gain: i64) -> Node {
        Node {
            parent,
            labels: self.labels[from..].to_vec(),
            row: self.row,
            used: self.used,
            model: self.model.clone(),
            known: self.known.clone(),
            cost,
            gain,
        }
    }

    /// Goes to the state after a decision. `path`: the nodes whose runs have coordinates now, with the number of runs.
    fn restore(&mut self, nodes: &[Node], node: usize, path: &mut Vec<(usize, usize)>, work: &mut u64) {
        let mut missing = Vec::new();
        let mut common = node;
        let place = loop {
            match path.iter().position(|p| p.0 == common) {
                Some(place) => break place,
                None => missing.push(common),
            }
            common = nodes[common].parent;
        };
        path.truncate(place + 1);
        self.labels.truncate(path[place].1);
        for &n in missing.iter().rev() {
            self.labels.extend_from_slice(&nodes[n].labels);
            *work += 10 * nodes[n].labels.len() as u64;
            path.push((n, self.labels.len()));
        }
        let node = &nodes[node];
        (self.row, self.used) = (node.row, node.used);
        self.model.clone_from(&node.model);
        self.known.clone_from(&node.known);
    }

    /// Whether the next run, or the part of it that ends where the run after it is expected, is the one at z.
    fn expected(&self, z: &Coordinates, address: i64) -> bool {
        if self.origin.wrapping_add(self.model.offset(z)) != address {
            return false;
        }
        let left = self.rows.count[self.row] - self.used;
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
        self.rows.start[self.row].wrapping_add(self.rows.stride.wrapping_mul(self.used))
    }

    /// How far a step may reach, furthest first.
    fn extents(&self, step: &Step, model: &Model, address: i64) -> Vec<Extent> {
        let mut out: Vec<Extent> =
            self.hints(self.row, self.used, step.1).into_iter().map(Extent::Node).collect();
        out.push(Extent::Run);
        let (left, expected) = (self.rows.count[self.row] - self.used, model.run_length(&step.2));
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
        self.known.resize(self.model.depth(), Known::default());
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
        let left = self.rows.count[self.row] - self.used;
        let expected = self.model.run_length(&at);
        let split = self.splits(&at, start, left, expected);
        self.take_part(level, at, if split { expected } else { left });
    }

    /// Gives coordinates to the next `count` integers, at most the rest of the run.
    fn take_part(&mut self, level: usize, at: Coordinates, count: i64) {
        self.labels.push(Labelled { start: self.address(), count, level, at });
        self.used += count;
        if self.used == self.rows.count[self.row] {
            self.row += 1;
            self.used = 0;
        }
    }

    /// The best steps to the next run.
    fn steps(
        &self,
        z: &Coordinates,
        predicted: usize,
        address: i64,
        highest: usize,
        work: &mut u64,
    ) -> Vec<Considered> {
        let mut out: Vec<(i64, Considered)> = Vec::new();
        let here = self.rest(&self.model);
        for step in here.steps(z, predicted, address, true).into_iter().chain(self.skipping(z, address)) {
            if step.1 > highest {
                continue;
            }
            let foreseen = here.foreseen(step.2);
            *work += 60 * (2 + foreseen as u64);
            let step = (step.0 + outside(&self.model, &step), step.1, step.2);
            out.push((step.0 - foreseen * 25, (foreseen, step, None)));
        }
        if self.model.depth() < self.depth.min(MAX_DEPTH - 1).min(highest) {
            let mut grown = Vec::new();
            let mut model = self.model.clone();
            model.bounds.push(Bounds::default());
            model.coefficients.push(0);
            let depth = model.depth();
            for (cost, at, coefficient) in self.grown(address) {
                model.coefficients[depth - 1] = coefficient;
                let foreseen = self.rest(&model).foreseen(at);
                *work += 60 * (2 + foreseen as u64);
                grown.push((cost - foreseen * 25, (cost, depth, at), foreseen, coefficient));
            }
            // Others mostly differ in the origin of the new counter only.
            grown.sort_by_key(|e| (e.0, e.1.0, e.1.1, e.1.2));
            out.extend(grown.into_iter().take(2).map(|(score, step, foreseen, coefficient)| {
                let mut model = model.clone();
                model.coefficients[depth - 1] = coefficient;
                (score, (foreseen, step, Some(model)))
            }));
        }
        out.sort_by_key(|(score, (_, step, _))| (*score, step.0, step.1, step.2));
        let mut seen = FxHashSet::default();
        out.retain(|(_, (_, step, _))| seen.insert((step.1, step.2)));
        // What looks best ahead, and what changes least.
        let mut best: Vec<(i64, Considered)> = out.drain(..WIDTH.min(out.len())).collect();
        out.sort_by_key(|(score, (_, step, _))| (step.0, *score));
        best.extend(out.into_iter().take(WIDTH / 2));
        best.into_iter().map(|e| e.1).collect()
    }

    /// Whether the loops inside a step's can begin there.
    fn opens(&self, step: &Step, model: &Model, work: &mut u64) -> bool {
        let (_, level, at) = step;
        let depth = model.depth();
        depth > self.model.depth()
            || (1..*level).all(|l| {
                let outer = outer(at, l, depth);
                self.possible(l, Side::Lower, Point { outer, low: at[l - 1], high: at[l - 1] }, work)
            })
    }

    /// The highest loop that may advance from here: those inside it can end here.
    fn closable(&self, z: &Coordinates, work: &mut u64) -> usize {
        let depth = self.model.depth();
        let ends = |l: usize, work: &mut u64| {
            let outer = outer(z, l, depth);
            self.possible(l, Side::Upper, Point { outer, low: z[l - 1], high: z[l - 1] }, work)
        };
        (2..depth).find(|&l| !ends(l, work)).unwrap_or(MAX_DEPTH)
    }

    /// Whether bounds of a level exist that give one more point.
    fn possible(&self, level: usize, side: Side, point: Point, work: &mut u64) -> bool {
        let (bounds, known) = (&self.model.bounds[level - 1], &self.known[level - 1]);
        let (faces, list, right) = match side {
            Side::Lower => (&bounds.lower, &known.lower, bounds.low(&point.outer) == point.low),
            Side::Upper => (&bounds.upper, &known.upper, bounds.high(&point.outer) == point.high),
        };
        if faces.is_empty() || right {
            return true;
        }
        let mut points = list.clone();
        points.push(point);
        let k = self.model.depth() - level;
        let data = clipping(&self.model.coefficients, level, self.reach);
        refit(&points, 1, faces, &data, k, side, self.divisor, work).is_some_and(|f| f.len() <= MOST_FACES)
    }

    /// Steps to runs that the model foresees later, at or within their beginnings: what bounds not yet known cut off is
    /// skipped.
    fn skipping(&self, z: &Coordinates, address: i64) -> Vec<Step> {
        let stride = self.model.coefficients[0];
        let mut out = Vec::new();
        let mut highest = 0;
        let mut next = self.model.next(z);
        for skipped in 0..SKIPPED {
            let Some((level, mut at)) = next else { break };
            highest = highest.max(level);
            next = self.model.next(&at);
            let beyond = address.wrapping_sub(self.origin).wrapping_sub(self.model.offset(&at));
            let within = if stride == 0 { 0 } else { beyond.wrapping_div(stride) };
            let there = within.wrapping_mul(stride) == beyond;
            if there && (0..self.model.run_length(&at)).contains(&within) && (skipped > 0 || within > 0) {
                at[0] = at[0].wrapping_add(within);
                out.push((15 + 4 * i64::from((skipped + 1).ilog2()), highest, at));
            }
            if out.len() >= LATER {
                break;
            }
        }
        out
    }

    fn rest<'b>(&'b self, model: &'b Model) -> Rest<'b> {
        Rest { rows: &self.rows, model, origin: self.origin, from: self.row, used: self.used }
    }

    /// Second iterations of a new outermost loop: cost, coordinates, coefficient.
    fn grown(&self, address: i64) -> Vec<(i64, Coordinates, i64)> {
        let depth = self.model.depth();
        let Some(first) = self.labels.first() else { return Vec::new() };
        let mut out = Vec::new();
        let mut add = |cost: i64, mut at: Coordinates| {
            let coefficient = address.wrapping_sub(self.origin).wrapping_sub(self.model.offset(&at));
            at[depth] = first.at[depth].wrapping_add(1);
            out.push((GROWTH + cost, at, coefficient));
        };
        add(0, first.at);
        for q in 0..depth {
            for shift in (-NEAR..=NEAR).filter(|&s| s != 0) {
                let mut at = first.at;
                at[q] = at[q].wrapping_add(shift);
                self.model.enter_anyway(&mut at, q + 1);
                add(5 + shift.abs(), at);
            }
        }
        out
    }

    /// Fits the bounds to all complete executions, of which those before run `from` agree with them; false if none fit.
    fn refit(&mut self, mut from: usize, work: &mut u64) -> bool {
        let depth = self.model.depth();
        for _ in 0..ROUNDS {
            let wrong = self.violators(from);
            *work += (self.labels.len() + 5 * (self.labels.len() - from)) as u64;
            from = 0;
            if wrong.iter().all(|w| w.0.is_empty() && w.1.is_empty()) {
                return true;
            }
            for (l, (lower, upper)) in wrong.into_iter().enumerate() {
                let k = depth - l - 1;
                for (side, points) in [(Side::Lower, lower), (Side::Upper, upper)] {
                    if points.is_empty() {
                        continue;
                    }
                    let known = &mut self.known[l];
                    let list = if side == Side::Lower { &mut known.lower } else { &mut known.upper };
                    let fresh = points.len();
                    list.extend(points);
                    let bounds = &mut self.model.bounds[l];
                    let old = if side == Side::Lower { &mut bounds.lower } else { &mut bounds.upper };
                    let data = clipping(&self.model.coefficients, l + 1, self.reach);
                    let faces = refit(list, fresh, old, &data, k, side, self.divisor, work);
                    let Some(faces) = faces.filter(|f| f.len() <= MOST_FACES) else { return false };
                    *old = faces;
                }
            }
        }
        false
    }

    /// Per level, executions of which the bounds get the first or the last value wrong: some of them. The last value is
    /// known of complete executions, the first of all but those at the beginning. Those before run `from` are right.
    fn violators(&self, from: usize) -> Vec<(Vec<Point>, Vec<Point>)> {
        let depth = self.model.depth();
        let mut out = vec![(Vec::new(), Vec::new()); depth];
        // Where the open execution of every level began; the outermost loop has one only, which is never complete.
        let mut first = [0usize; MAX_DEPTH];
        for (i, label) in self.labels.iter().enumerate() {
            let end = self.labels.get(i + 1).map_or(1, |next| next.level);
            for l in 1..depth {
                if i > 0 && label.level > l {
                    first[l - 1] = i;
                }
                if i < from || (l >= end && l > 1) {
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

    /// Turns the direction of time: counters are negated, runs begin at their other ends.
    fn reverse(&mut self) {
        let stride = self.rows.stride;
        let rows = &mut self.rows;
        rows.start = rows
            .start
            .iter()
            .zip(&rows.count)
            .rev()
            .map(|(s, n)| s.wrapping_add(stride.wrapping_mul(n - 1)))
            .collect();
        rows.count.reverse();
        rows.stride = stride.wrapping_neg();
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
        for known in &mut self.known {
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

fn digits(a: i64) -> i64 {
    i64::from(64 - a.unsigned_abs().leading_zeros())
}

/// Cost of the bounds of a model: many, steep and rational ones are rarely right.
fn complexity(model: &Model) -> i64 {
    let face = |f: &Face| 4 + f.slopes.iter().map(|&a| digits(a)).sum::<i64>() + 3 * (digits(f.divisor) - 1);
    model.bounds.iter().flat_map(|b| b.lower.iter().chain(&b.upper)).map(face).sum()
}

/// Slopes of a bound of a level that keeps the address on one side of a constant: how the extents of the data clip tiles.
/// Coefficients of more than `reach` steps of the level are those of another dimension of the data, whose rows count
/// modulo the least of them.
fn clipping(coefficients: &[i64], level: usize, reach: i64) -> Vec<i64> {
    let own = i128::from(coefficients[level - 1]);
    let far = own.abs() * i128::from(reach);
    let outer = || coefficients[level..].iter().map(|&c| i128::from(c));
    let row = outer().map(i128::abs).filter(|&c| c > far).min();
    let slope = |c: i128| {
        let within = row.map_or(c, |row| (c + row / 2).rem_euclid(row) - row / 2);
        (within + own.abs() / 2).checked_div_euclid(own).and_then(|q| i64::try_from(-q).ok()).unwrap_or(0)
    };
    outer().map(slope).collect()
}

/// Cost of what a step contradicts in the bounds known.
fn outside(model: &Model, step: &Step) -> i64 {
    let (_, level, at) = step;
    let inner = (2..*level).map(|l| {
        if at[l - 1] > model.high(l, at) {
            CONTRADICTION
        } else if at[l - 1] < model.low(l, at) {
            CONTRADICTION / 8
        } else {
            0
        }
    });
    let own =
        if *level < model.depth() && at[level - 1] > model.high(*level, at) { CONTRADICTION / 4 } else { 0 };
    inner.sum::<i64>() + own
}

/// Counters of levels above l, nearest first.
fn outer(at: &Coordinates, l: usize, depth: usize) -> Coordinates {
    std::array::from_fn(|q| if q + l < depth { at[q + l] } else { 0 })
}
