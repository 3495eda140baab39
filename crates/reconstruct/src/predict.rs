//! The online predictor (ALGORITHMS 5.3): what comes next, from what was seen so far.
//!
//! State: for each loop the start of its current iteration, its advance, how often it has advanced since it was entered,
//! and how often it is expected to. The expectation is the trip count of the last execution plus what it changed by
//! from the one before, if the loop around has shown that change (γ, within discovered bounds). Prediction: the innermost
//! loop that is not at its expected end advances. If all are, or no bound is known yet, the outermost known loop is taken
//! to iterate; this is what predicts one-level streams.
//!
//! Works run by run: the cost is a few operations per run and loop, however many integers the run has.

use smallvec::SmallVec;

use crate::run::Run;

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

/// Predicts a stream of integers.
#[derive(Debug, Clone, Default)]
pub struct Predictor {
    last: Option<i64>,
    stride: Option<i64>,
    /// How often the stride followed itself.
    repeats: u64,
    /// The last other step that followed itself, and how often.
    other: (i64, u64),
    /// The last step.
    step: i64,
    /// The run that is open.
    start: i64,
    count: i64,
    levels: Vec<Around>,
    predicted: u64,
    accesses: u64,
}

impl Predictor {
    /// At the start of a stream.
    pub fn new() -> Predictor {
        Predictor::default()
    }

    /// Integers so far.
    pub fn accesses(&self) -> u64 {
        self.accesses
    }

    /// How many of them were predicted.
    pub fn predicted(&self) -> u64 {
        self.predicted
    }

    /// The next integer.
    pub fn next(&self) -> Option<i64> {
        let last = self.last?;
        let within = self.expected(0).is_none_or(|n| self.count < n);
        let along = self.stride.map(|s| last.wrapping_add(s));
        if within && along.is_some() {
            return along;
        }
        self.jump().or(along)
    }

    /// The next k integers, if nothing unforeseen happens.
    pub fn following(&self, k: usize) -> Vec<i64> {
        let mut ahead = self.clone();
        let mut out = Vec::new();
        for _ in 0..k {
            let Some(next) = ahead.next() else { break };
            out.push(next);
            ahead.push(next);
        }
        out
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

    /// Takes one integer.
    pub fn push(&mut self, value: i64) {
        self.push_run(Run::single(value));
    }

    /// Takes a run. Returns how many of its integers were predicted.
    pub fn push_run(&mut self, run: Run) -> u64 {
        if run.count == 0 {
            return 0;
        }
        let before = self.predicted;
        self.accesses += run.count;
        self.first(run.start);
        let mut left = run.count - 1;
        let mut value = run.start;
        while left > 0 {
            value = value.wrapping_add(run.stride);
            left -= 1;
            self.first(value);
            if self.stride != Some(run.stride) || left == 0 {
                continue;
            }
            // Along the inner stride up to the expected end in one step; beyond, it goes on as found.
            let room = match self.expected(0) {
                Some(n) if self.count < n => (n - self.count) as u64,
                _ => left,
            };
            let steps = room.min(left);
            self.count += steps as i64;
            self.predicted += steps;
            self.repeats += steps;
            value = value.wrapping_add(run.stride.wrapping_mul(steps as i64));
            self.last = Some(value);
            left -= steps;
        }
        self.predicted - before
    }

    fn first(&mut self, value: i64) {
        let Some(last) = self.last else {
            self.last = Some(value);
            (self.start, self.count) = (value, 1);
            return;
        };
        let predicted = self.next() == Some(value);
        self.predicted += u64::from(predicted);
        let step = value.wrapping_sub(last);
        self.last = Some(value);
        let stride = *self.stride.get_or_insert(step);
        let again = self.step == step;
        self.step = step;
        self.repeats += u64::from(again && step == stride);
        let at_end = self.expected(0).is_some_and(|n| self.count >= n);
        if step == stride && !(at_end && predicted) {
            self.count += 1;
            return;
        }
        if again && self.found_another(step) {
            // The inner stride all along: what was thought to be the loops is forgotten.
            *self = Predictor {
                last: self.last,
                predicted: self.predicted,
                accesses: self.accesses,
                ..Predictor::new()
            };
            (self.stride, self.repeats, self.step) = (Some(step), 1, step);
            (self.start, self.count) = (last.wrapping_sub(step), 3);
            return;
        }
        let item: Vector = SmallVec::from_slice(&[self.start, self.count]);
        (self.start, self.count) = (value, 1);
        self.complete(0, item, value);
    }

    /// Counts a step other than the stride that followed itself; whether it did so more often than the stride.
    fn found_another(&mut self, step: i64) -> bool {
        if self.other.0 == step {
            self.other.1 += 1;
        } else {
            self.other = (step, 1);
        }
        self.other.1 > self.repeats
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

#[cfg(test)]
mod tests {
    use super::*;

    fn missed(values: &[i64]) -> u64 {
        let mut p = Predictor::new();
        values.iter().for_each(|&v| p.push(v));
        p.accesses() - p.predicted()
    }

    #[test]
    fn one_level_streams_are_predicted_after_two_integers() {
        let line: Vec<i64> = (0..1000).map(|k| 5 + 8 * k).collect();
        assert_eq!(missed(&line), 2);
        assert_eq!(missed(&[3; 50]), 2);
        let mut p = Predictor::new();
        line.iter().for_each(|&v| p.push(v));
        assert_eq!(p.following(3), [5 + 8000, 5 + 8008, 5 + 8016]);
    }

    #[test]
    fn rectangles_and_triangles_cost_a_few_misses_per_bound() {
        let rectangle: Vec<i64> = (0..50).flat_map(|i| (0..40).map(move |j| 1000 * i + j)).collect();
        assert!(missed(&rectangle) <= 4, "{}", missed(&rectangle));
        let triangle: Vec<i64> = (0..60).flat_map(|i| (0..=i).map(move |j| 1000 * i + j)).collect();
        assert!(missed(&triangle) <= 12, "{}", missed(&triangle));
        let cube: Vec<i64> = (0..20)
            .flat_map(|h| (0..20).flat_map(move |i| (0..=i).map(move |j| 10_000 * h + 100 * i + j)))
            .collect();
        assert!(missed(&cube) <= 150, "{}", missed(&cube));
    }

    #[test]
    fn runs_are_predicted_like_their_integers() {
        let runs: Vec<Run> = (0..30)
            .flat_map(|h| (3..20).map(move |i| Run { start: 5000 * h + 100 * i, stride: 2, count: i as u64 }))
            .collect();
        let mut by_run = Predictor::new();
        let mut by_value = Predictor::new();
        for &run in &runs {
            by_run.push_run(run);
            run.values().for_each(|v| by_value.push(v));
        }
        assert_eq!((by_run.predicted(), by_run.accesses()), (by_value.predicted(), by_value.accesses()));
    }
}
