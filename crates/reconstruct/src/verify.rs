//! Regenerates nests and compares them with the runs of the input.
//!
//! The comparison ignores how runs are joined or split, and nothing else: both sides must describe the same integers.

use crate::nest::{Nest, Visit};
use crate::statement::Statement;

/// The input side of a comparison.
struct Against<I> {
    runs: I,
    stride: i64,
    /// What is left of the run that is being compared.
    start: i64,
    count: i64,
    /// Stride of the regenerated runs.
    generated: i64,
    matched: u64,
}

impl<I: Iterator<Item = (i64, i64)>> Visit for Against<I> {
    #[inline(always)]
    fn run(&mut self, start: i64, count: i64) -> bool {
        if self.count == 0
            && let Some((s, n)) = self.runs.next()
        {
            if s == start && n == count && (self.stride == self.generated || n == 1) {
                self.matched += n as u64;
                return true;
            }
            (self.start, self.count) = (s, n);
        }
        self.partial(start, count)
    }
}

impl<I: Iterator<Item = (i64, i64)>> Against<I> {
    #[inline(never)]
    fn partial(&mut self, mut start: i64, mut count: i64) -> bool {
        while count > 0 {
            if self.count == 0 {
                let Some(next) = self.runs.next() else { return false };
                (self.start, self.count) = next;
                continue;
            }
            if self.start != start {
                return false;
            }
            let n = if self.stride == self.generated { count.min(self.count) } else { 1 };
            self.start = self.start.wrapping_add(self.stride.wrapping_mul(n));
            self.count -= n;
            start = start.wrapping_add(self.generated.wrapping_mul(n));
            count -= n;
            self.matched += n as u64;
        }
        true
    }
}

/// Whether the nests, one after the other, generate exactly the given runs of the given stride. The nests must be
/// [`Nest::validated`].
pub fn generates<'a>(
    nests: impl IntoIterator<Item = &'a Nest>,
    stride: i64,
    runs: impl Iterator<Item = (i64, i64)>,
) -> bool {
    let mut against = Against { runs, stride, start: 0, count: 0, generated: 0, matched: 0 };
    for nest in nests {
        against.generated = nest.stride();
        if !nest.runs(&mut against) {
            return false;
        }
    }
    against.count == 0 && against.runs.next().is_none()
}

/// The same for statements, which must be [`Statement::validated`].
pub fn generated(statements: &[Statement], stride: i64, runs: impl Iterator<Item = (i64, i64)>) -> bool {
    let mut against = Against { runs, stride, start: 0, count: 0, generated: 0, matched: 0 };
    let all = statements.iter().all(|statement| {
        statement.runs(&mut |start, stride, count| {
            against.generated = stride;
            against.run(start, count)
        })
    });
    all && against.count == 0 && against.runs.next().is_none()
}

/// How many accesses a nest generates rightly before its first mistake, and whether it generates exactly the given runs.
pub fn matched(nest: &Nest, stride: i64, runs: impl Iterator<Item = (i64, i64)>) -> (u64, bool) {
    let mut against = Against { runs, stride, start: 0, count: 0, generated: nest.stride(), matched: 0 };
    let complete = nest.runs(&mut against) && against.count == 0 && against.runs.next().is_none();
    (against.matched, complete)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_and_splits_do_not_matter_but_integers_do() {
        let nest = Nest::line(10, 1, 6);
        let same = |runs: &[(i64, i64)]| generates([&nest], 1, runs.iter().copied());
        assert!(same(&[(10, 6)]));
        assert!(same(&[(10, 2), (12, 3), (15, 1)]));
        assert!(!same(&[(10, 5)]));
        assert!(!same(&[(10, 7)]));
        assert!(!same(&[(10, 2), (13, 4)]));
        assert!(!generates([&nest], 2, [(10, 6)].into_iter()));
        assert!(generates([&nest], 9, (10..16).map(|v| (v, 1))));
        assert!(generates([&Nest::point(1), &Nest::line(5, 2, 2)], 4, [(1, 2), (7, 1)].into_iter()));
    }
}
