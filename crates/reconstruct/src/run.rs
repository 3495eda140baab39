//! Runs: the unit of data.

/// `count` integers from `start` on, `stride` apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Run {
    /// First integer.
    pub start: i64,
    /// Difference of neighbours; meaningless if `count` is 1.
    pub stride: i64,
    /// How many, at least 1 unless the run is empty.
    pub count: u64,
}

impl Run {
    /// One integer.
    pub fn single(value: i64) -> Run {
        Run { start: value, stride: 0, count: 1 }
    }

    /// The last integer, `None` if the run is empty or leaves 64 bits.
    pub fn last(&self) -> Option<i64> {
        let steps = i128::from(self.count.checked_sub(1)?);
        let last = i128::from(self.start).checked_add(i128::from(self.stride).checked_mul(steps)?)?;
        i64::try_from(last).ok()
    }

    /// The integers, in order. Wraps if the run leaves 64 bits.
    pub fn values(&self) -> impl Iterator<Item = i64> + use<> {
        let (mut next, stride) = (self.start, self.stride);
        (0..self.count).map(move |_| {
            let value = next;
            next = next.wrapping_add(stride);
            value
        })
    }
}

/// Integers that are safe to subtract from one another without leaving 64 bits: beyond, a trace is kept as single runs.
pub const SAFE: std::ops::RangeInclusive<i64> = -(1 << 58)..=(1 << 58);

/// A trace as the differences of neighbouring integers, which can be visited any number of times.
///
/// This is the form that does not depend on a choice of inner stride; the solver cuts it into runs of its own.
pub trait Trace: Sync {
    /// First integer.
    fn first(&self) -> i64;

    /// Visits all pairs (difference, how many times in a row), in order.
    fn each(&self, visit: &mut dyn FnMut(i64, u64));

    /// Number of integers.
    fn integers(&self) -> u64 {
        let mut steps = 0;
        self.each(&mut |_, times| steps += times);
        1 + steps
    }
}

/// A trace as differences: the first integer, then pairs (difference, how many times in a row).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Differences {
    /// First integer.
    pub first: i64,
    /// Differences of neighbouring integers, run-length encoded.
    pub steps: Vec<(i64, u64)>,
}

impl Differences {
    /// Differences of a sequence of runs.
    pub fn of(runs: impl IntoIterator<Item = Run>) -> Option<Differences> {
        let mut out = Differences::default();
        let mut last = None;
        for run in runs {
            match last {
                None => out.first = run.start,
                Some(last) => out.push(run.start.checked_sub(last)?, 1),
            }
            out.push(run.stride, run.count - 1);
            last = Some(run.last()?);
        }
        last.map(|_| out)
    }

    /// Appends `times` equal differences.
    pub fn push(&mut self, difference: i64, times: u64) {
        if times == 0 {
            return;
        }
        match self.steps.last_mut() {
            Some((d, n)) if *d == difference => *n += times,
            _ => self.steps.push((difference, times)),
        }
    }
}

impl Trace for Differences {
    fn first(&self) -> i64 {
        self.first
    }

    fn each(&self, visit: &mut dyn FnMut(i64, u64)) {
        self.steps.iter().for_each(|&(difference, times)| visit(difference, times));
    }
}
