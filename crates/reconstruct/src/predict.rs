//! The online predictor (ALGORITHMS 5.3): what comes next, from what was seen so far.
//!
//! The stream is cut into runs of its inner stride. Three kinds of experts foretell how long the open run is and where the
//! next one starts: `affine`, loops whose bounds advance by constants (γ, and the outermost loop is taken to iterate
//! before bounds are known), and `memory`, what followed the same steps before, which learns the pieces that several
//! bounds a side cut out of a domain, and `nested`, imperfect nests of the latest runs ([`crate::recognise`]). Each expert is trusted as far as it has been right lately; where an expert's end of
//! the run has passed, the next one that sees a later end speaks, and if there is none the run goes on.
//!
//! Works run by run: the cost is a few operations per run and loop, however many integers the run has. Pushing runs
//! predicts exactly what pushing their integers predicts.

mod affine;
mod memory;
mod nested;

use affine::Affine;
use memory::{Memory, ORDERS};
use nested::Nested;

use crate::run::Run;

/// What an expert says of the open run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Forecast {
    /// How many integers it has.
    count: Option<i64>,
    /// Where the run after it starts.
    next: Option<i64>,
}

/// [`Affine`], then one per order of [`Memory`], then [`Nested`].
const EXPERTS: usize = NESTED + 1;
const NESTED: usize = 1 + ORDERS.len();
/// Complete trust.
const CERTAIN: u32 = 1 << 16;
/// One run in so many decides about trust.
const INERTIA: u32 = 8;

/// Equal steps in a row after which they are the inner stride, whatever was before.
const PATIENCE: u64 = 4096;

/// The experts' forecasts and the trust in them.
#[derive(Debug, Clone)]
struct Experts {
    affine: Affine,
    memory: Memory,
    nested: Nested,
    forecasts: [Forecast; EXPERTS],
    trust: [u32; EXPERTS],
    /// Experts, the most trusted first.
    ranking: [usize; EXPERTS],
}

impl Default for Experts {
    fn default() -> Self {
        let mut experts = Experts {
            affine: Affine::default(),
            memory: Memory::default(),
            nested: Nested::default(),
            forecasts: [Forecast::default(); EXPERTS],
            // The longer what came before was the same, the likelier is the same again.
            trust: std::array::from_fn(|e| match e {
                0 | NESTED => CERTAIN / 2,
                _ => CERTAIN / 4 + CERTAIN / 2 * e as u32 / EXPERTS as u32,
            }),
            ranking: std::array::from_fn(|e| e),
        };
        experts.rank();
        experts
    }
}

impl Experts {
    fn rank(&mut self) {
        let trust = &self.trust;
        // Nearly sorted as it is; of equals the longer memory goes first.
        self.ranking.sort_by_key(|&e| std::cmp::Reverse((trust[e], e)));
    }

    /// The forecast that counts when the open run has `count` integers.
    fn leading(&self, count: i64) -> Option<Forecast> {
        let mut forecasts = self.ranking.iter().map(|&e| self.forecasts[e]);
        forecasts.find(|f| f.count.is_some_and(|n| n >= count))
    }

    /// Where the run after the open one starts if that ends with `count` integers.
    fn jump(&self, count: i64) -> Option<i64> {
        let forecasts = || self.ranking.iter().map(|&e| self.forecasts[e]);
        forecasts()
            .find(|f| f.count == Some(count) && f.next.is_some())
            .and_then(|f| f.next)
            .or(self.forecasts[0].next)
    }

    /// A run is complete and another starts at `next`.
    fn complete(&mut self, run: Run, next: i64) {
        let (start, count) = (run.start, run.count as i64);
        for (forecast, trust) in self.forecasts.iter().zip(&mut self.trust) {
            let Some(expected) = forecast.count else { continue };
            let right =
                u32::from(expected == count) + u32::from(expected == count && forecast.next == Some(next));
            *trust = *trust - *trust / INERTIA + right * (CERTAIN / 2 / INERTIA);
        }
        self.affine.complete_run(start, count, next);
        self.memory.complete(start, count);
        self.forecasts[0] = self.affine.forecast();
        self.memory.forecasts(next, &mut self.forecasts[1..NESTED]);
        self.forecasts[NESTED] = self.nested.complete(run, next);
        self.rank();
    }
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
    /// How often in a row it was repeated, if it is not the stride.
    streak: u64,
    /// The run that is open.
    start: i64,
    count: i64,
    experts: Experts,
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
        let along = self.stride.map(|s| last.wrapping_add(s));
        if self.at_end() || along.is_none() {
            return self.experts.jump(self.count).or(along);
        }
        along
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

    /// Whether the open run is expected to be complete.
    fn at_end(&self) -> bool {
        self.experts.leading(self.count).is_some_and(|f| f.count == Some(self.count))
    }

    /// Takes one integer.
    pub fn push(&mut self, value: i64) {
        self.push_run(Run::single(value));
    }

    /// Takes integers, progression by progression.
    pub fn push_all(&mut self, values: &[i64]) {
        let mut rest = values;
        while let Some((&start, after)) = rest.split_first() {
            let stride = after.first().map_or(0, |second| second.wrapping_sub(start));
            let goes_on = |pair: &&[i64]| pair[1].wrapping_sub(pair[0]) == stride;
            let count = 1 + rest.windows(2).take_while(goes_on).count();
            self.push_run(Run { start, stride, count: count as u64 });
            rest = &rest[count..];
        }
    }

    /// Takes a run. Returns how many of its integers were predicted.
    pub fn push_run(&mut self, run: Run) -> u64 {
        if run.count == 0 {
            return 0;
        }
        let before = self.predicted;
        self.accesses = self.accesses.saturating_add(run.count);
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
            // Along the inner stride up to the expected end in one step.
            let room = match self.experts.leading(self.count).and_then(|f| f.count) {
                Some(n) => n.abs_diff(self.count),
                None => left,
            };
            let steps = room.min(left);
            self.count = self.count.saturating_add_unsigned(steps);
            self.predicted = self.predicted.saturating_add(steps);
            self.repeats = self.repeats.saturating_add(steps);
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
        self.predicted = self.predicted.saturating_add(u64::from(predicted));
        let step = value.wrapping_sub(last);
        self.last = Some(value);
        let stride = *self.stride.get_or_insert(step);
        let again = self.step == step;
        self.step = step;
        self.streak = if again && step != stride { self.streak + 1 } else { 0 };
        self.repeats = self.repeats.saturating_add(u64::from(again && step == stride));
        // A row that ends where it was expected to ends even if the next one goes on in line.
        if step == stride && !(predicted && self.at_end()) {
            self.count = self.count.saturating_add(1);
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
        let run = Run { start: self.start, stride, count: self.count.unsigned_abs() };
        self.experts.complete(run, value);
        (self.start, self.count) = (value, 1);
    }

    /// Counts a step other than the stride that followed itself; whether it did so more often than the stride, or so often
    /// in a row that it is the stride for now.
    fn found_another(&mut self, step: i64) -> bool {
        if self.other.0 == step {
            self.other.1 += 1;
        } else {
            self.other = (step, 1);
        }
        self.other.1 > self.repeats || self.streak > PATIENCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generators;

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

    /// Bodies of several statements, rows of their own length between them: all but the first iterations.
    #[test]
    fn imperfect_nests_are_predicted() {
        for name in
            ["alternating", "interleaved_3", "statements_around", "tile_loop_outside_260", "csr_arrow"]
        {
            let trace = crate::corpus::ALL.iter().find(|trace| trace.name == name).expect("a trace");
            let mut values = trace.all();
            values.truncate(40_000);
            let mut p = Predictor::new();
            values.iter().for_each(|&v| p.push(v));
            let share = 100.0 * p.predicted() as f64 / p.accesses() as f64;
            assert!(share >= 99.0, "{name}: {share} %");
        }
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

    /// Regression 2: past the expected end of a run its integers counted as predicted when they came as a run only.
    #[test]
    fn regression_2_runs_longer_than_expected() {
        let counts = [5, 5, 5, 9, 5, 5, 30, 5, 5, 6, 5, 5, 5, 40];
        let runs: Vec<Run> =
            counts.iter().zip(0..).map(|(&count, i)| Run { start: 1000 * i, stride: 1, count }).collect();
        let mut by_run = Predictor::new();
        let mut by_value = Predictor::new();
        for &run in &runs {
            by_run.push_run(run);
            run.values().for_each(|v| by_value.push(v));
        }
        assert_eq!(by_run.predicted(), by_value.predicted());
        // Two to begin with, and four surprises: each costs the expected end, the end that came, and both once more for
        // what was wrongly learnt from them.
        assert!(by_value.accesses() - by_value.predicted() <= 2 + 4 * 4, "{}", by_value.predicted());
    }

    #[test]
    fn runs_beyond_64_bits_do_no_harm() {
        let mut p = Predictor::new();
        for start in [0, i64::MAX, i64::MIN, 5] {
            p.push_run(Run { start, stride: i64::MAX, count: u64::MAX });
            p.push_run(Run { start, stride: 1, count: i64::MAX as u64 });
        }
        assert_eq!(p.accesses(), u64::MAX);
        assert_eq!(p.following(5).len(), 5);
    }

    #[test]
    fn every_piecewise_nest_is_predicted() {
        for g in generators::SMALL.iter().chain(generators::TILED) {
            let mut p = Predictor::new();
            g.runs(&g.sizes, &mut |run| {
                p.push_run(run);
            });
            let share = 100.0 * p.predicted() as f64 / p.accesses() as f64;
            assert!(share >= 99.0, "{}: {share} %", g.name);
        }
    }
}
