//! The decisions that are possible at a run which the model does not foresee.
//!
//! Steps that lead to the run's address are those of [`Rest::steps`], runs that the model foresees later, and a new
//! outermost loop. The few are taken from which most of the following runs are foreseen, and those that contradict the
//! model least.

use rustc_hash::FxHashSet;

use super::{Extension, outer};
use crate::nest::MAX_DEPTH;
use crate::piecewise::attempt::MOST_FACES;
use crate::piecewise::faces::{Bounds, Earlier, Side, refit};
use crate::piecewise::points::Point;
use crate::piecewise::relabel::{Model, Rest, Step};
use crate::piecewise::tree::Coordinates;

/// Steps considered per decision.
const WIDTH: usize = 4;
/// Cost of a new outermost loop, in the unit of [`Rest::steps`].
const GROWTH: i64 = 200;
/// Cost of coordinates beyond a known upper bound.
const CONTRADICTION: i64 = 80;
/// Runs foreseen that may be cut off by bounds not yet known.
const SKIPPED: u32 = 200;
/// Runs looked at that may follow them.
const LATER: usize = 12;
/// Furthest start of a new outermost loop's second iteration from that of the first.
const NEAR: i64 = 16;

/// A step: the runs foreseen after it, and its model if that is another.
pub type Considered = (i64, Step, Option<Model>);

impl Extension<'_> {
    /// The decisions possible at the next run: runs foreseen after each, the step, and its model if it is another.
    pub fn decisions(&self, work: &mut u64) -> Vec<Considered> {
        let Some(z) = self.labels.last().map(|l| l.at) else { return Vec::new() };
        let next = self.model.next(&z);
        let highest = self.closable(&z, work);
        self.steps(&z, next.map_or(0, |n| n.0), self.address(), highest, work)
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
    pub fn opens(&self, step: &Step, model: &Model, work: &mut u64) -> bool {
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
        let earlier = Earlier { faces, fresh: 1, clipping: &data };
        refit(&points, &earlier, k, side, self.divisor, work).is_some_and(|f| f.len() <= MOST_FACES)
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
}

/// Slopes of a bound of a level that keeps the address on one side of a constant: how the extents of the data clip tiles.
/// Coefficients of more than `reach` steps of the level are those of another dimension of the data, whose rows count
/// modulo the least of them.
pub fn clipping(coefficients: &[i64], level: usize, reach: i64) -> Vec<i64> {
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
