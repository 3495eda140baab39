//! Rows joined by coincidence.
//!
//! Where the step from one row to the next happens to equal the inner stride, the scan sees one long run. A run is
//! split if a suffix of it is what the three runs after it, extrapolated backwards, ask for. Only a guess: the caller
//! verifies what comes of it.

/// Splits joined rows in a stream of runs `(start, count)` of one stride.
#[derive(Debug)]
pub struct Split<I> {
    runs: I,
    stride: i64,
    /// The next four runs, as far as there are any.
    window: [(i64, i64); 4],
    filled: usize,
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
        Split { runs, stride, window, filled, rest: None }
    }
}

impl<I: Iterator<Item = (i64, i64)>> Iterator for Split<I> {
    type Item = (i64, i64);

    #[inline]
    fn next(&mut self) -> Option<(i64, i64)> {
        if let Some(rest) = self.rest.take() {
            return Some(rest);
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
            return Some(a);
        }
        // Safe integers: differences and their sums are in range.
        let (step, growth) = (c.0 - b.0, c.1 - b.1);
        let (start, count) = (b.0 - step, b.1 - growth);
        if count > 0
            && count < a.1
            && b.0 - a.0 != step
            && d.0 - c.0 == step
            && d.1 - c.1 == growth
            && self.stride != 0
            && a.0 + self.stride * (a.1 - count) == start
        {
            self.rest = Some((start, count));
            return Some((a.0, a.1 - count));
        }
        Some(a)
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
}
