//! Foretells rows of loops whose lengths and starts advance by constants.
//!
//! State: for each loop the start of its current iteration, its advance, how often it has advanced since it was entered,
//! and how often it is expected to. The expectation is the trip count of the last execution plus what it changed by
//! from the one before, if the loop around has shown that change (γ, within discovered bounds). If all loops are at their
//! ends, or no bound is known yet, the outermost known loop is taken to iterate; this is what foretells one-level streams.

use smallvec::SmallVec;

use super::Forecast;

/// Deepest prediction.
const LEVELS: usize = 10;

type Vector = SmallVec<[i64; 6]>;

/// One loop above the runs: items are `[start, n_1, …]` of the loops inside.
#[derive(Debug, Clone, Default)]
struct Around {
    /// The item that is being built inside; only its start is final.
    current: Vector,
    /// The last complete item.
    last: Vector,
    /// Advance of items: of this execution once there were two, before that of the last execution.
    advance: Option<Vector>,
    /// The advance was seen in this execution.
    confirmed: bool,
    /// Complete items in this execution.
    count: i64,
}

/// The loops around the runs.
#[derive(Debug, Clone, Default)]
pub struct Affine {
    levels: Vec<Around>,
}

impl Affine {
    /// What follows: how long the open run is and where the one after it starts.
    pub fn forecast(&self) -> Forecast {
        Forecast { count: self.expected(0), next: self.jump() }
    }

    /// A run is complete and another starts at `next`.
    pub fn complete_run(&mut self, start: i64, count: i64, next: i64) {
        self.complete(0, SmallVec::from_slice(&[start, count]), next);
    }

    /// Expected trip count of loop h (0: the run), `None` if nothing is known about it.
    fn expected(&self, h: usize) -> Option<i64> {
        let around = self.levels.get(h)?;
        let place = h + 1;
        if around.count > 0 {
            let base = *around.last.get(place)?;
            let change = around.advance.as_ref().and_then(|a| a.get(place)).copied().unwrap_or(0);
            return Some(base.wrapping_add(change));
        }
        // First iteration: as the first iteration of the last execution, changed as that one has changed.
        let outer = self.levels.get(h + 1)?;
        if outer.count == 0 {
            return self.first_known(h);
        }
        let base = *outer.last.get(place)?;
        let change = outer.advance.as_ref().and_then(|a| a.get(place)).copied().unwrap_or(0);
        Some(base.wrapping_add(change))
    }

    /// The trip count at the start of the innermost execution around loop h that has a predecessor.
    fn first_known(&self, h: usize) -> Option<i64> {
        let outer = self.levels.iter().skip(h + 2).find(|l| l.count > 0)?;
        let base = *outer.last.get(h + 1)?;
        let change = outer.advance.as_ref().and_then(|a| a.get(h + 1)).copied().unwrap_or(0);
        Some(base.wrapping_add(change))
    }

    /// Where the run after this one starts.
    fn jump(&self) -> Option<i64> {
        let mut known = None;
        for (h, level) in self.levels.iter().enumerate() {
            let Some(advance) = &level.advance else { continue };
            let next = level.current.first()?.wrapping_add(*advance.first()?);
            known = Some(next);
            let iterations = level.count + 1;
            if self.expected(h + 1).is_none_or(|n| iterations < n) {
                return Some(next);
            }
        }
        known
    }

    /// An item of loop h is complete and another starts at `next`.
    fn complete(&mut self, h: usize, item: Vector, next: i64) {
        if h >= LEVELS {
            return;
        }
        if self.levels.len() == h {
            self.levels.push(Around { current: SmallVec::from_slice(&[item[0]]), ..Around::default() });
        }
        let expected_end = self.expected(h + 1).is_some_and(|n| self.levels[h].count + 1 >= n);
        let level = &mut self.levels[h];
        let step = next.wrapping_sub(item[0]);
        if level.count > 0 {
            let change: Vector = item.iter().zip(&level.last).map(|(a, b)| a.wrapping_sub(*b)).collect();
            level.confirmed = true;
            level.advance = Some(change);
        }
        level.last = item;
        level.count += 1;
        if level.count == 1
            && !expected_end
            && level.advance.as_ref().is_none_or(|a| a.first() != Some(&step))
        {
            // Not the advance of the last execution: a new one starts from what is seen.
            let mut advance: Vector = SmallVec::from_elem(0, level.last.len());
            advance[0] = step;
            level.advance = Some(advance);
        }
        let goes_on = match &level.advance {
            None => true,
            Some(advance) => !expected_end && (advance.first() == Some(&step) || !level.confirmed),
        };
        if goes_on {
            level.current = SmallVec::from_slice(&[next]);
            return;
        }
        // This execution is over: it is an item of the loop around.
        let mut outer = level.last.clone();
        let executed = level.count;
        if let Some(advance) = &level.advance {
            for (x, d) in outer.iter_mut().zip(advance) {
                *x = x.wrapping_sub(d.wrapping_mul(executed - 1));
            }
        }
        outer.push(executed);
        level.count = 0;
        level.confirmed = false;
        level.current = SmallVec::from_slice(&[next]);
        self.complete(h + 1, outer, next);
    }
}
