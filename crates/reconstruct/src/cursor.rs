//! The runs of a nest one at a time: what [`Nest::runs`] visits, as an iterator.

use crate::nest::Nest;

/// Iterator over the runs `(start, count)` of the innermost loop.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    nest: &'a Nest,
    point: Vec<i64>,
    /// Last value of each counter in `point`.
    ends: Vec<i64>,
    started: bool,
}

impl<'a> Cursor<'a> {
    /// Before the first run.
    pub fn new(nest: &'a Nest) -> Cursor<'a> {
        Cursor { nest, point: Vec::new(), ends: Vec::new(), started: false }
    }

    /// Advances the innermost outer loop that still can; false at the end.
    fn advance(&mut self) -> bool {
        while let (Some(x), Some(end)) = (self.point.last_mut(), self.ends.last()) {
            if *x < *end {
                *x += 1;
                return true;
            }
            self.point.pop();
            self.ends.pop();
        }
        false
    }
}

impl Iterator for Cursor<'_> {
    type Item = (i64, i64);

    fn next(&mut self) -> Option<(i64, i64)> {
        if self.started && (self.nest.levels.len() < 2 || !self.advance()) {
            return None;
        }
        self.started = true;
        loop {
            let q = self.point.len();
            if q == self.nest.levels.len() {
                // Only a nest without loops.
                return Some((self.nest.base, 1));
            }
            let (low, high) = self.nest.levels[q].range(&self.point)?;
            if low > high {
                if !self.advance() {
                    return None;
                }
                continue;
            }
            if q + 1 < self.nest.levels.len() {
                self.point.push(low);
                self.ends.push(high);
                continue;
            }
            let mut start = i128::from(self.nest.base);
            for (c, x) in self.nest.coefficients.iter().zip(self.point.iter().chain([&low])) {
                start += i128::from(*c) * i128::from(*x);
            }
            return Some((i64::try_from(start).ok()?, high - low + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generators;
    use crate::stream::Reconstructor;

    #[test]
    fn the_same_runs_as_the_walker() {
        for name in ["two_upper", "two_lower", "rational"] {
            let mut r = Reconstructor::default();
            generators::named(name).expect("a generator").all().into_iter().for_each(|run| r.push_run(run));
            for nest in r.finish().nests.iter().chain([&Nest::point(3), &Nest::line(2, 5, 4)]) {
                let mut walked = Vec::new();
                nest.runs(&mut |s: i64, n: i64| {
                    walked.push((s, n));
                    true
                });
                assert_eq!(Cursor::new(nest).collect::<Vec<_>>(), walked, "{name}");
            }
        }
    }
}
