//! Giving up: the open groups of a prefix become one box, smallest to largest coordinate, in which labels are unknown.
//!
//! While the prefix lasts, its points only make the box grow; then the box is an item of the level outside, like any
//! other. At level 0 everything that is to come is in the box. Pieces emitted before stay; the box may overlap them.
//!
//! Where many prefixes in a row were given up at one level, those that follow are boxes from their first point on, but for one now
//! and then: filling a level with groups only to give them up costs far more per point than anything else here does.

use crate::class::{Class, Classes, Kind, NO_CLASS, Short};
use crate::emit;
use crate::fingerprint::Fingerprint;
use crate::folder::Folder;
use crate::reach::Reach;
use smallvec::smallvec;

/// Prefixes given up in a row from which on the next ones are expected to be, all but one in so many.
const OFTEN: u32 = 16;

/// The box of the current prefix.
#[derive(Debug)]
pub(crate) struct Boxed {
    /// Coordinates before this level are those of the prefix.
    pub level: usize,
    /// Smallest and largest value per coordinate from `level` on.
    extent: Vec<(i64, i64)>,
}

impl Boxed {
    /// A box of no points.
    fn new(level: usize, dims: usize) -> Boxed {
        Boxed { level, extent: vec![(i64::MAX, i64::MIN); dims - level] }
    }

    /// Takes in a point.
    #[inline]
    fn include_point(&mut self, iv: &[i64]) {
        for (own, &x) in self.extent.iter_mut().zip(&iv[self.level..]) {
            *own = (own.0.min(x), own.1.max(x));
        }
    }

    /// Takes in points with a coordinate of a dimension that are otherwise like ones that were taken in.
    pub fn reach(&mut self, level: usize, x: i64) {
        if let Some(own) = level.checked_sub(self.level).and_then(|at| self.extent.get_mut(at)) {
            *own = (own.0.min(x), own.1.max(x));
        }
    }

    /// Takes in the points at `prefix` followed by `extent`, both from coordinate 0 and `prefix.len()` on.
    fn include(&mut self, prefix: &[i64], extent: &[(i64, i64)]) {
        let fixed = prefix[self.level..].iter().map(|&x| (x, x));
        for (own, other) in self.extent.iter_mut().zip(fixed.chain(extent.iter().copied())) {
            *own = (own.0.min(other.0), own.1.max(other.1));
        }
    }
}

impl Folder {
    /// Whether a point belongs to a prefix that was given up; then it is in its box. No cursor is set there.
    #[inline]
    pub(crate) fn takes_boxed(&mut self, iv: &[i64], label: &[i64]) -> bool {
        let Some(boxed) = &mut self.boxed else { return false };
        let is_well_formed = iv.len() == self.dims && label.len() == self.outputs;
        let mut prefix = self.outer.iter().zip(iv).take(boxed.level);
        let takes = is_well_formed && prefix.all(|(a, b)| a == b);
        if takes {
            boxed.include_point(iv);
            self.out.points = self.out.points.saturating_add(1);
            for (range, &l) in self.out.ranges.iter_mut().zip(label) {
                *range = (range.0.min(l), range.1.max(l));
            }
        }
        takes
    }

    /// Whether a run from `iv` to innermost coordinate `last` belongs to a prefix that was given up; then it is in its box.
    pub(crate) fn in_box(&mut self, iv: &[i64], last: i64) -> bool {
        let Some(boxed) = self.boxed.as_mut().filter(|b| self.outer[..b.level] == iv[..b.level]) else {
            return false;
        };
        let inner = iv.len() - 1;
        boxed.include(&iv[..inner], &[(iv[inner], last)]);
        true
    }

    /// The level with most open groups, the innermost of them; the outermost one unless widening is adaptive.
    pub(crate) fn level_to_give_up(&self) -> usize {
        let most = |&q: &usize| self.levels[q].len();
        if self.options.adaptive.is_some() { (0..self.dims).max_by_key(most).unwrap_or(0) } else { 0 }
    }

    /// Whether the prefix that begins with a run from `iv` to innermost coordinate `last`, where coordinate `changed` has moved, is
    /// expected to be given up; then it is a box, which has the run.
    pub(crate) fn begins_box(&mut self, changed: usize, iv: &[i64], last: i64) -> bool {
        let is_expected = |&q: &usize| self.given_up[q] >= OFTEN && !self.given_up[q].is_multiple_of(OFTEN);
        let Some(level) = (changed + 1..self.dims).find(is_expected) else { return false };
        self.given_up[level] = self.given_up[level].saturating_add(1);
        let inner = self.dims - 1;
        let mut boxed = Boxed::new(level, self.dims);
        boxed.include(&iv[..inner], &[(iv[inner], last)]);
        self.boxed = Some(boxed);
        self.latest_x = last;
        true
    }

    /// Makes a box of what is open at a level and inside it.
    pub(crate) fn give_up(&mut self, level: usize) {
        self.given_up[level] = self.given_up[level].saturating_add(1);
        let mut boxed = Boxed::new(level, self.dims);
        if let Some(inner) = self.boxed.take() {
            boxed.include(&self.outer[..inner.level], &inner.extent);
        }
        for (q, groups) in self.levels.iter_mut().enumerate().skip(level) {
            for group in std::mem::take(groups) {
                let class = self.classes.intern(group.class());
                let levels = emit::levels(&self.classes, class, &group.vector());
                boxed.include(&self.outer[..q], &emit::extent(&levels));
            }
        }
        self.reach.fill(Reach::ALL);
        if level == 0 {
            self.classes = Classes::default();
            self.latest.fill(NO_CLASS);
        }
        self.boxed = Some(boxed);
        self.out.gave_up = true;
    }

    /// Takes the pieces emitted so far into the box of everything.
    pub(crate) fn box_pieces(&mut self) {
        let Some(boxed) = self.boxed.as_mut().filter(|b| b.level == 0) else { return };
        for piece in std::mem::take(&mut self.out.pieces) {
            boxed.include(&[], &emit::extent(&piece.levels));
        }
    }

    /// Hands the box on where the prefix it stands for ends; whether there was one.
    pub(crate) fn complete_box(&mut self, q: usize) -> bool {
        let Some(boxed) = self.boxed.take_if(|b| b.level == q) else { return false };
        let mut class = NO_CLASS;
        let mut vector: Short = smallvec![0; self.outputs];
        for &(low, high) in boxed.extent.iter().rev() {
            class = self.classes.intern(Class {
                kind: Kind::Box,
                inner: class,
                delta: Some(smallvec![0; vector.len()]),
                step: Some(1),
                unknown: emit::all_outputs(self.outputs),
                fingerprint: Fingerprint::default(),
            });
            let count = high.saturating_sub(low).saturating_add(1);
            vector.insert_many(0, [low, count]);
        }
        self.pass_on(q, class, &vector);
        true
    }

    /// Shares the points that are in no exact piece out among the boxes, none getting more than it can hold but the last.
    pub(crate) fn count_boxes(&mut self) {
        let exact = self.out.pieces.iter().filter(|p| !p.over_approximated);
        let exact = exact.fold(0u64, |sum, p| sum.saturating_add(p.points));
        let mut left = self.out.points.saturating_sub(exact);
        let mut last = None;
        for (at, piece) in self.out.pieces.iter_mut().enumerate().filter(|(_, p)| p.over_approximated) {
            piece.points = piece.points.min(left);
            left -= piece.points;
            last = Some(at);
        }
        if let Some(at) = last {
            self.out.pieces[at].points += left;
        }
    }
}
