//! Repairs a mostly right model by replaying the trace through it (ALGORITHMS 6.2 at the level of runs, with the
//! coefficients known).
//!
//! Every run is given coordinates. As long as the model predicts the next run nothing is searched; where it does not,
//! all steps that explain the observed address are listed (an advance of each loop, empty iterations skipped, one or two
//! inner loops off their expected start) and the one from which the model predicts most of the following runs is taken.
//! The coordinates then define a new tree, to which bounds are fitted again.

use super::assembly::Assembly;
use super::faces::Bounds;
use super::labels::Labelled;
use super::tree::{Coordinates, Rows, Tree};
use crate::nest::MAX_DEPTH;

/// Bounds and coefficients, innermost level first.
#[derive(Debug, Clone)]
pub struct Model {
    /// One per level.
    pub bounds: Vec<Bounds>,
    /// One per level.
    pub coefficients: Vec<i64>,
}

/// Runs over which candidates are compared.
const LOOKAHEAD: usize = 40;
/// Empty iterations that are skipped at most.
const SKIP: i64 = 64;
/// The same of a loop whose last iteration is known.
const EMPTY: i64 = 2000;
/// Furthest shift of one loop.
const FAR: i64 = 64;
/// Furthest first shift of two, of a loop that does not move the address.
const UNSEEN: i64 = 32;
/// The same for others.
const SEEN: i64 = 8;

impl Model {
    /// Number of loops.
    pub fn depth(&self) -> usize {
        self.coefficients.len()
    }

    /// Address relative to that of the origin of coordinates.
    pub fn offset(&self, z: &Coordinates) -> i64 {
        let terms = self.coefficients.iter().zip(z).map(|(c, x)| c.wrapping_mul(*x));
        terms.fold(0, i64::wrapping_add)
    }

    /// First value of a loop's counter.
    pub fn low(&self, level: usize, z: &Coordinates) -> i64 {
        self.bounds[level - 1].low(&z[level..])
    }

    /// Last value of a loop's counter.
    pub fn high(&self, level: usize, z: &Coordinates) -> i64 {
        self.bounds[level - 1].high(&z[level..])
    }

    /// Puts the loops inside `level` to their first iterations; false if one of them is empty.
    fn enter(&self, z: &mut Coordinates, level: usize) -> bool {
        for m in (1..level).rev() {
            let low = self.low(m, z);
            if self.high(m, z) < low {
                return false;
            }
            z[m - 1] = low;
        }
        true
    }

    /// As [`Model::enter`], going on through empty loops.
    pub fn enter_anyway(&self, z: &mut Coordinates, level: usize) {
        for m in (1..level).rev() {
            z[m - 1] = self.low(m, z);
        }
    }

    /// The first run after the one at `z`: the loop that advances, and the new coordinates.
    pub fn next(&self, z: &Coordinates) -> Option<(usize, Coordinates)> {
        let mut at = *z;
        for level in 2..=self.depth() {
            let high = self.high(level, &at);
            let most = if high == i64::MAX { SKIP } else { EMPTY };
            let mut tries = 0;
            while at[level - 1] < high {
                at[level - 1] += 1;
                let mut inner = at;
                if self.enter(&mut inner, level) {
                    return Some((level, inner));
                }
                tries += 1;
                if tries > most {
                    return None;
                }
            }
        }
        None
    }

    /// Number of integers of the run that starts at `z`.
    pub fn run_length(&self, z: &Coordinates) -> i64 {
        self.high(1, z).wrapping_sub(z[0]).wrapping_add(1)
    }
}

/// A tree whose runs are labelled by replaying them through the model, and the number of mispredictions; `None` if there
/// are too many or no consistent tree results.
pub fn relabel(tree: &Tree, model: &Model, work: &mut u64) -> Option<(Tree, usize)> {
    let depth = model.depth();
    let rows = &tree.rows;
    let stride = model.coefficients[0];
    let mut z = [0; MAX_DEPTH];
    model.enter_anyway(&mut z, depth + 1);
    let origin = rows.start(0).wrapping_sub(model.offset(&z));
    let patience = rows.len() / 500 + 60;
    let mut wrong = 0;
    *work += 40 * rows.len() as u64;
    let mut out = Assembly::new(rows, &model.coefficients);
    let (mut i, mut used, mut level) = (0, 0, 0);
    while i < rows.len() {
        let (start, whole) = rows.run(i);
        let start = start.wrapping_add(stride.wrapping_mul(used));
        let left = whole - used;
        let next = model.next(&z);
        let predicted = next.as_ref().map(|(_, n)| origin.wrapping_add(model.offset(n)));
        let expected = model.run_length(&z);
        // A run longer than expected is two joined ones if the next is expected where the first would end.
        let split = expected > 0
            && expected < left
            && predicted == Some(start.wrapping_add(stride.wrapping_mul(expected)));
        let count = if split { expected } else { left };
        out.push(&Labelled { start, count, level, at: z })?;
        if split {
            used += count;
        } else {
            i += 1;
            used = 0;
        }
        if i == rows.len() {
            break;
        }
        let address = rows.start(i).wrapping_add(stride.wrapping_mul(used));
        match next {
            Some((l, n)) if predicted == Some(address) => (level, z) = (l, n),
            _ => {
                wrong += 1;
                if wrong > patience {
                    return None;
                }
                let rest = Rest { rows, model, origin, from: i, used };
                (level, z) = rest.best(&z, next.map_or(0, |n| n.0), address, work)?;
            }
        }
    }
    Some((out.finish(), wrong))
}

/// The rest of the trace from a mispredicted run on.
pub struct Rest<'a> {
    /// The trace.
    pub rows: &'a Rows,
    /// What predicts it.
    pub model: &'a Model,
    /// Integer at the origin of coordinates.
    pub origin: i64,
    /// The run that was mispredicted.
    pub from: usize,
    /// Integers of it that are labelled already.
    pub used: i64,
}

/// A step considered: its cost, the loop that advances, the new coordinates.
pub type Step = (i64, usize, Coordinates);

impl Rest<'_> {
    fn best(
        &self,
        z: &Coordinates,
        predicted: usize,
        address: i64,
        work: &mut u64,
    ) -> Option<(usize, Coordinates)> {
        let mut best: Option<(i64, usize, Coordinates)> = None;
        for (cost, level, at) in self.steps(z, predicted, address, false) {
            let foreseen = self.foreseen(at);
            *work += 60 * (2 + foreseen as u64);
            let score = cost - foreseen * 25;
            if best.as_ref().is_none_or(|b| score < b.0) {
                best = Some((score, level, at));
            }
        }
        best.map(|(_, level, at)| (level, at))
    }

    fn address(&self, z: &Coordinates) -> i64 {
        self.origin.wrapping_add(self.model.offset(z))
    }

    /// All steps that lead to the address; `further`: also those where two loops start elsewhere.
    pub fn steps(&self, z: &Coordinates, predicted: usize, address: i64, further: bool) -> Vec<Step> {
        let mut out = Vec::new();
        for level in 2..=self.model.depth() {
            let preference = if level == predicted { 0 } else { level as i64 };
            for skip in [false, true] {
                let mut at = *z;
                // No loop goes on after the last integer (regression 8).
                let Some(next) = at[level - 1].checked_add(1) else { continue };
                at[level - 1] = next;
                if skip {
                    let mut inner = at;
                    let mut skipped = 0;
                    while skipped < SKIP && !self.model.enter(&mut inner, level) {
                        let Some(next) = at[level - 1].checked_add(1) else { break };
                        at[level - 1] = next;
                        inner = at;
                        skipped += 1;
                    }
                    if skipped == 0 || skipped == SKIP {
                        continue;
                    }
                }
                let open = self.model.enter(&mut at, level);
                if !open {
                    self.model.enter_anyway(&mut at, level);
                }
                let rest = address.wrapping_sub(self.address(&at));
                if rest == 0 {
                    let cost =
                        if level == predicted { 0 } else { 1 + level as i64 + if open { 0 } else { 20 } };
                    out.push((cost, level, at));
                } else {
                    self.shifted(&at, level, preference, rest, address, &mut out);
                    if !further {
                        self.paired(&at, level, rest, &mut out);
                    }
                }
                if further {
                    self.moved(&at, level, preference, address, &mut out);
                }
            }
        }
        out
    }

    /// Variants of a step whose inner loops start elsewhere.
    fn shifted(
        &self,
        at: &Coordinates,
        level: usize,
        preference: i64,
        rest: i64,
        address: i64,
        out: &mut Vec<Step>,
    ) {
        let c = &self.model.coefficients;
        for q in 0..level - 1 {
            if c[q] == 0 {
                continue;
            }
            if rest.checked_rem(c[q]) == Some(0) && (rest / c[q]).unsigned_abs() <= FAR as u64 {
                let shift = rest / c[q];
                let mut one = *at;
                one[q] = one[q].wrapping_add(shift);
                out.push((30 + shift.abs() * 2 + preference, level, one));
                let mut below = one;
                self.model.enter_anyway(&mut below, q + 1);
                if below != one && self.address(&below) == address {
                    out.push((25 + shift.abs() * 2, level, below));
                }
            }
        }
    }

    /// Variants of a step where two inner loops start elsewhere, whatever the bounds of the inner one say.
    fn paired(&self, at: &Coordinates, level: usize, rest: i64, out: &mut Vec<Step>) {
        let c = &self.model.coefficients;
        for q in (0..level - 1).filter(|&q| c[q] != 0) {
            for p in (0..q).filter(|&p| c[p] != 0) {
                for first in [-2i64, -1, 1, 2] {
                    let left = rest.wrapping_sub(first.wrapping_mul(c[q]));
                    let other = left.checked_rem(c[p]).filter(|&r| r == 0).map(|_| left / c[p]);
                    let Some(second) = other.filter(|o| *o != 0 && o.unsigned_abs() <= FAR as u64 / 2) else {
                        continue;
                    };
                    let mut two = *at;
                    two[q] = two[q].wrapping_add(first);
                    two[p] = two[p].wrapping_add(second);
                    out.push((60 + second.abs() * 2, level, two));
                }
            }
        }
    }

    /// Variants of a step where one loop starts elsewhere, the loops inside it follow their bounds, and one of those
    /// starts elsewhere again to meet the address.
    fn moved(&self, at: &Coordinates, level: usize, preference: i64, address: i64, out: &mut Vec<Step>) {
        let c = &self.model.coefficients;
        for q in 1..level.max(2) - 1 {
            let reach = if c[q] == 0 { UNSEEN } else { SEEN };
            for shift in (-reach..=reach).filter(|&s| s != 0) {
                let mut one = *at;
                one[q] = one[q].wrapping_add(shift);
                self.model.enter_anyway(&mut one, q + 1);
                let rest = address.wrapping_sub(self.address(&one));
                if rest == 0 {
                    out.push((30 + shift.abs() * 2 + preference, level, one));
                    continue;
                }
                for p in (0..q).filter(|&p| rest.checked_rem(c[p]) == Some(0)) {
                    let other = rest / c[p];
                    if other.unsigned_abs() <= FAR as u64 / 2 {
                        let mut two = one;
                        two[p] = two[p].wrapping_add(other);
                        out.push((60 + 2 * (shift.abs() + other.abs()), level, two));
                    }
                }
            }
        }
    }

    /// How many of the following runs the model foresees from there; a right address with a wrong length counts half.
    pub fn foreseen(&self, mut z: Coordinates) -> i64 {
        let stride = self.model.coefficients[0];
        let mut good = 0;
        let mut used = self.used;
        for i in self.from..self.rows.len().min(self.from + LOOKAHEAD) {
            if self.address(&z) != self.rows.start(i).wrapping_add(stride.wrapping_mul(used)) {
                break;
            }
            let have = self.rows.count(i) - used;
            used = 0;
            let want = self.model.run_length(&z).max(0);
            good += if want == have { 2 } else { 1 };
            if have > want || good >= LOOKAHEAD as i64 {
                break;
            }
            match self.model.next(&z) {
                Some((_, next)) => z = next,
                None => break,
            }
        }
        good
    }
}
