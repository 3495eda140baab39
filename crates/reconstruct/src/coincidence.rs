//! Rows joined by coincidence.
//!
//! Where the step from one row to the next happens to equal the inner stride, the scan sees one long run. A run is
//! split if a suffix of it is what the three runs after it, extrapolated backwards, ask for; one of the last runs, with
//! fewer after it, if a prefix of it is what the three runs before it ask for. Only a guess: the caller verifies what
//! comes of it.

/// Splits joined rows in a stream of runs `(start, count)` of one stride.
#[derive(Debug)]
pub struct Split<I> {
    runs: I,
    stride: i64,
    /// The next four runs, as far as there are any.
    window: [(i64, i64); 4],
    filled: usize,
    /// The three runs handed out last, with a count of 0 while there were fewer.
    before: [(i64, i64); 3],
    /// The second half of a run that was split.
    rest: Option<(i64, i64)>,
}

impl<I: Iterator<Item = (i64, i64)>> Split<I> {
    /// Splits runs of the given stride.
    pub fn new(mut runs: I, stride: i64) -> Split<I> {
        let mut window = [(0, 0); 4];
        let mut filled = 0;
        while filled < 4
            && let Some(run) = runs.next()
        {
            window[filled] = run;
            filled += 1;
        }
        Split { runs, stride, window, filled, before: [(0, 0); 3], rest: None }
    }
}

impl<I: Iterator<Item = (i64, i64)>> Split<I> {
    /// Hands out the first `count` integers of a run; the rest of it follows.
    #[inline]
    fn part(&mut self, run: (i64, i64), count: i64) -> (i64, i64) {
        if count < run.1 {
            self.rest = Some((run.0 + self.stride * count, run.1 - count));
        }
        self.before = [self.before[1], self.before[2], (run.0, count)];
        (run.0, count)
    }

    /// The length that the three runs before a run ask for, if it is shorter than the run.
    fn continued(&self, run: (i64, i64)) -> Option<i64> {
        let [a, b, c] = self.before;
        let (step, growth) = (c.0 - b.0, c.1 - b.1);
        let steady = a.1 > 0 && b.0 - a.0 == step && b.1 - a.1 == growth;
        let count = c.1 + growth;
        (steady && c.0 + step == run.0 && count > 0 && count < run.1).then_some(count)
    }
}

impl<I: Iterator<Item = (i64, i64)>> Iterator for Split<I> {
    type Item = (i64, i64);

    #[inline]
    fn next(&mut self) -> Option<(i64, i64)> {
        if let Some(rest) = self.rest.take() {
            return Some(self.part(rest, rest.1));
        }
        if self.filled == 0 {
            return None;
        }
        let [a, b, c, d] = self.window;
        if self.filled == 4 {
            match self.runs.next() {
                Some(next) => self.window = [b, c, d, next],
                None => {
                    self.window = [b, c, d, (0, 0)];
                    self.filled = 3;
                }
            }
        } else {
            self.window = [b, c, d, (0, 0)];
            self.filled -= 1;
            let count = self.continued(a).unwrap_or(a.1);
            return Some(self.part(a, count));
        }
        // Safe integers: differences and their sums are in range.
        let (step, growth) = (c.0 - b.0, c.1 - b.1);
        let (start, count) = (b.0 - step, b.1 - growth);
        let joined = count > 0
            && count < a.1
            && b.0 - a.0 != step
            && d.0 - c.0 == step
            && d.1 - c.1 == growth
            && self.stride != 0
            && a.0 + self.stride * (a.1 - count) == start;
        Some(self.part(a, if joined { a.1 - count } else { a.1 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_row_of_a_plane_is_split_from_the_first_of_the_next() {
        // Two planes of four rows of 10 at 100, then at 110: row 4 of the first plane runs into row 1 of the second.
        let runs = [(100, 10), (100, 10), (100, 10), (100, 20), (110, 10), (110, 10), (110, 10), (5, 3)];
        let split: Vec<_> = Split::new(runs.into_iter(), 1).collect();
        assert_eq!(split.len(), runs.len() + 1);
        assert_eq!(split[3..5], [(100, 10), (110, 10)]);
        let few: Vec<_> = Split::new(runs[..2].iter().copied(), 1).collect();
        assert_eq!(few, runs[..2]);
    }
    #[test]
    fn the_last_rows_are_split_by_what_came_before() {
        // Rows of 3, 4, 5, 6, 7 that end one before the next begins: the last two are one run.
        let runs = [(50, 3), (40, 4), (30, 5), (20, 13)];
        let split: Vec<_> = Split::new(runs.into_iter(), 1).collect();
        assert_eq!(split[3..], [(20, 6), (26, 7)]);
        let other: Vec<_> = Split::new([(50, 3), (40, 4), (31, 5), (20, 13)].into_iter(), 1).collect();
        assert_eq!(other.len(), 4);
    }
}
