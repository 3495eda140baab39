//! A tree from runs that are given coordinates one after the other.
//!
//! Nothing is kept per run but what the tree consists of: the runs, which are shared with another tree as long as they
//! are the same, and shifts of loops that move. The numbers of a long trace are many.

use std::sync::Arc;

use super::labels::Labelled;
use super::tree::{Coordinates, Loops, Rows, Tree};
use crate::nest::MAX_DEPTH;

/// A tree under construction.
pub struct Assembly<'a> {
    /// The runs of the trace.
    shared: &'a Arc<Rows>,
    /// Runs so far.
    runs: usize,
    /// The runs, once they differ from those of the trace.
    own: Option<Rows>,
    levels: Vec<Level>,
}

/// A level of loops above the runs.
struct Level {
    loops: Loops,
    /// Children so far.
    children: usize,
    /// The last node: its first child, and the coordinates where it begins.
    first: usize,
    origin: Coordinates,
}

impl<'a> Assembly<'a> {
    /// For loops of these coefficients, innermost first, over the runs of a trace, which may be split.
    pub fn new(shared: &'a Arc<Rows>, coefficients: &[i64]) -> Assembly<'a> {
        let levels = coefficients.iter().skip(1).map(|&coefficient| Level {
            loops: Loops { coefficient, first: Vec::new(), shifts: Vec::new(), start: Vec::new() },
            children: 0,
            first: 0,
            origin: [0; MAX_DEPTH],
        });
        Assembly { shared, runs: 0, own: None, levels: levels.collect() }
    }

    /// The next run; `None` if a loop leaves out an iteration before it.
    pub fn push(&mut self, run: &Labelled) -> Option<()> {
        self.run(run.start, run.count);
        let begins = self.runs == 1;
        for (level, m) in self.levels.iter_mut().zip(2..) {
            if run.level >= m || begins {
                level.child(m, run, begins)?;
            }
        }
        Some(())
    }

    fn run(&mut self, start: i64, count: i64) {
        let at = self.runs;
        self.runs += 1;
        if self.own.is_none() {
            if at < self.shared.len() && self.shared.run(at) == (start, count) {
                return;
            }
            self.own = Some(self.shared.slice(0..at));
        }
        if let Some(rows) = &mut self.own {
            rows.push(start, count);
        }
    }

    /// The tree of all runs given.
    pub fn finish(self) -> Tree {
        let loops = self.levels.into_iter().map(|mut level| {
            level.loops.first.push(level.children as u32);
            Arc::new(level.loops)
        });
        let rows = self.own.map_or_else(|| self.shared.clone(), Arc::new);
        Tree { rows, loops: loops.collect() }
    }
}

impl Level {
    /// The next child of level m − 1, which begins with a run.
    fn child(&mut self, m: usize, run: &Labelled, begins: bool) -> Option<()> {
        let child = self.children;
        self.children += 1;
        if begins || run.level > m {
            (self.first, self.origin) = (child, run.at);
            self.loops.first.push(u32::try_from(child).ok()?);
            self.loops.start.push(run.start);
        }
        if run.at[m - 1].wrapping_sub(self.origin[m - 1]) != (child - self.first) as i64 {
            return None;
        }
        let shift = |q: usize| run.at[q].wrapping_sub(self.origin[q]);
        if !self.loops.shifts.is_empty() || (0..m - 1).any(|q| shift(q) != 0) {
            // Up to here none was shifted.
            self.loops.shifts.resize(child * (m - 1), 0);
            self.loops.shifts.extend((0..m - 1).map(shift));
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(runs: &[(i64, i64)]) -> Rows {
        let mut rows = Rows::new(1);
        runs.iter().for_each(|&(start, count)| rows.push(start, count));
        rows
    }

    fn labelled(start: i64, count: i64, level: usize, at: [i64; 3]) -> Labelled {
        let mut all = [0; MAX_DEPTH];
        all[..3].copy_from_slice(&at);
        Labelled { start, count, level, at: all }
    }

    #[test]
    fn runs_are_shared_unless_one_is_split() {
        let rows = Arc::new(rows(&[(0, 3), (10, 3), (21, 2), (100, 6)]));
        let mut same = Assembly::new(&rows, &[1, 10, 100]);
        let mut split = Assembly::new(&rows, &[1, 10, 100]);
        let mut runs = vec![
            labelled(0, 3, 0, [0, 0, 0]),
            labelled(10, 3, 2, [0, 1, 0]),
            labelled(21, 2, 2, [1, 2, 0]),
            labelled(100, 6, 3, [0, 0, 1]),
        ];
        runs.iter().for_each(|run| assert_eq!(same.push(run), Some(())));
        let same = same.finish();
        assert!(Arc::ptr_eq(&same.rows, &rows));
        assert_eq!((same.count(2), same.count(3)), (2, 1));
        assert_eq!((same.children(2, 0), same.children(2, 1)), ((0, 3), (3, 4)));
        assert_eq!((0..4).map(|i| same.shift(2, i, 0)).collect::<Vec<_>>(), [0, 0, 1, 0]);
        runs[3].count = 4;
        runs.push(labelled(104, 2, 2, [4, 1, 1]));
        runs.iter().for_each(|run| assert_eq!(split.push(run), Some(())));
        let split = split.finish();
        assert_eq!((split.rows.len(), split.rows.run(3), split.rows.run(4)), (5, (100, 4), (104, 2)));
        assert_eq!((split.shift(2, 3, 0), split.shift(2, 4, 0)), (0, 4));
    }

    #[test]
    fn iterations_left_out_are_none() {
        let rows = Arc::new(rows(&[(0, 3), (20, 3)]));
        let mut assembly = Assembly::new(&rows, &[1, 10, 100]);
        assert_eq!(assembly.push(&labelled(0, 3, 0, [0, 0, 0])), Some(()));
        assert_eq!(assembly.push(&labelled(20, 3, 2, [0, 2, 0])), None);
    }
}
