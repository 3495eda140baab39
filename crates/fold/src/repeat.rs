//! Iterations that repeat the one before, taken as a number.
//!
//! An iteration of dimension q is complete once all levels inside q are: then it is a list of items of level q. If every one
//! of them is what a group of level q predicted, an iteration with the same points, shifted by one along q and with labels
//! that go on as before, would find the same groups and leave the same state, one item longer. So any number of them is a
//! matter of counting.

use crate::class::Kind;
use crate::folder::Folder;
use crate::group::{Group, outputs};
use crate::nest_cursor::Next;

impl Folder {
    /// Whether [`Folder::repeat`] may follow: the latest iteration of dimension `level` continued what earlier ones
    /// predicted. Calling this ends the iteration: the next point must lie in another one.
    ///
    /// `is_same` says that iterations to come have the labels of the latest one: then two iterations that are the same already
    /// tell what comes.
    pub fn can_repeat(&mut self, level: usize, is_same: bool) -> bool {
        if level >= self.dims || !self.started {
            return false;
        }
        self.settle_nest(Next::Beyond(level));
        self.settle_runs();
        if self.is_boxed_at(level) {
            return true;
        }
        for q in (level + 1..self.dims).rev() {
            self.complete(q);
        }
        // Where groups were too many once, what they are made into may take another iteration to settle.
        let is_same = is_same && self.out.most_alive.max(self.alive()) <= self.options.exact();
        let current = self.current(level);
        let mut latest = self.levels[level].iter().filter(|g| g.last_x() == current).peekable();
        latest.peek().is_some() && latest.all(|group| group.is_repeating(is_same))
    }

    /// Whether further iterations of dimension `level` may be taken as a number, as [`Folder::can_repeat`] says, that go on
    /// as the latest one did after the one before; their labels go on by one constant per output (`is_uniform`), or differ.
    pub fn can_go_on(&mut self, level: usize, is_uniform: bool) -> bool {
        self.can_repeat(level, false)
            && (is_uniform || self.is_boxed_at(level) || {
                let current = self.current(level);
                let mut latest = self.levels[level].iter().filter(|g| g.last_x() == current);
                latest.all(|group| group.unknown == 0)
            })
    }

    /// The same where it is known by how much each label goes on, but not that the latest iteration went on so after the one
    /// before it: then that has to be what was predicted.
    pub fn can_go_on_by(&mut self, level: usize, shift: &[i64]) -> bool {
        if !self.can_repeat(level, false) || self.is_boxed_at(level) {
            return false;
        }
        let (current, outputs) = (self.current(level), self.outputs);
        let mut latest = self.levels[level].iter().filter(|g| g.last_x() == current);
        latest.all(|group| {
            let (shape, labels) = group.delta.split_at(group.delta.len() - outputs);
            group.unknown == 0 && shape.iter().all(|by| *by == 0) && labels == shift
        })
    }

    /// Takes labels of iterations that were added by [`Folder::repeat`] into the ranges: of `count` points, advancing by
    /// `advance`.
    pub fn include(&mut self, count: u64, label: &[i64], advance: &[i64]) {
        let last = i64::try_from(count).unwrap_or(i64::MAX).wrapping_sub(1);
        for (range, (&l, &a)) in self.out.ranges.iter_mut().zip(label.iter().zip(advance)) {
            let end = l.wrapping_add(a.wrapping_mul(last));
            *range = (range.0.min(l).min(end), range.1.max(l).max(end));
        }
    }

    /// Adds `times` more iterations of dimension `level` that repeat the latest one, in which the stream had `points`
    /// points. Labels go on as they did; of a label that is unknown along `level`, `shift` says by how much it goes on,
    /// given the output and the latest label. [`Folder::can_repeat`] must just have said yes.
    ///
    /// The ranges of labels are not extended: a further iteration is expected to follow as a stream of points, or
    /// [`Folder::include`] for the last one.
    pub fn repeat(&mut self, level: usize, times: u64, points: u64, shift: &dyn Fn(usize, i64) -> i64) {
        let count = i64::try_from(times).unwrap_or(i64::MAX);
        self.out.points = self.out.points.saturating_add(times.saturating_mul(points));
        if self.is_boxed_at(level) {
            return;
        }
        let (current, width) = (self.current(level), self.outputs);
        for group in self.levels[level].iter_mut().filter(|g| g.last_x() == current) {
            group.repeat(width, count, shift);
        }
        let next = current.saturating_add(count);
        match self.outer.get_mut(level) {
            Some(x) => *x = next,
            None => self.latest_x = next,
        }
    }

    /// Takes the last one of the iterations that were added by [`Folder::repeat`] into what stands for them beside the groups, where no
    /// further points tell of it: its coordinate, and the largest value of one output, if any goes on.
    pub fn end_repeat(&mut self, level: usize, coordinate: i64, largest: Option<(usize, i64)>) {
        if let Some(boxed) = self.boxed.as_mut().filter(|boxed| boxed.level <= level) {
            boxed.reach(level, coordinate);
        }
        if let Some((output, value)) = largest
            && let Some(range) = self.out.ranges.get_mut(output)
        {
            range.1 = range.1.max(value);
        }
    }

    /// Whether everything that is to come in the present prefix of `level` is in a box.
    fn is_boxed_at(&self, level: usize) -> bool {
        self.boxed.as_ref().is_some_and(|boxed| boxed.level <= level)
    }
}

impl Group {
    /// Whether the last item was predicted: of two items any second one makes a group, unless it `is_same`.
    fn is_repeating(&self, is_same: bool) -> bool {
        let is_predicted = self.count >= 3
            || is_same && self.count == 2 && self.unknown == 0 && self.delta.iter().all(|by| *by == 0);
        self.kind == Kind::Coordinate && is_predicted && self.step == 1
    }

    /// Takes `count` items like the last one.
    fn repeat(&mut self, width: usize, count: i64, shift: &dyn Fn(usize, i64) -> i64) {
        if self.unknown == 0 {
            return self.advance(count);
        }
        let labels_at = self.first.len() - width;
        let mut next = self.expected.clone();
        let mut shifts = vec![0; width];
        for o in outputs(self.unknown) {
            // The prediction beside an unknown label is a step after the last one.
            let last = self.expected[labels_at + o].wrapping_sub(self.delta[labels_at + o]);
            shifts[o] = shift(o, last);
            next[labels_at + o] = last.wrapping_add(shifts[o]);
        }
        self.append(labels_at, &next, |o| shifts[o], count);
    }
}
