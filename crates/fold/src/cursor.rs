//! The short ways of a regular stream: they do what [`Folder`] does step by step, for the cases that occur most.
//!
//! - The *cursor* is the newest innermost group as far as the next point is concerned: what it predicts is counted and
//!   reaches the group later ([`Folder::settle`]).
//! - The cursor of rows (`row_cursor`): the row that ends and the one that begins are both predicted.
//! - The cursor of nests (`nest_cursor`): what comes is what a group further out predicts.
//! - [`Folder::next_row`]: the row that ends is what the only group around it predicts.
//! - [`Folder::continues_widened`]: the next point of a row whose labels are ⊤.

use crate::class::{Kind, NO_CLASS};
use crate::fingerprint::Fingerprint;
use crate::folder::Folder;
use crate::group::Group;
use crate::nest_cursor::Next;

/// Most outputs of a stream that has a cursor.
pub(crate) const OUTPUTS: usize = 8;

/// See the module.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct Cursor {
    is_active: bool,
    /// Next coordinate.
    x: i64,
    step: i64,
    /// Points that the group has not been told of.
    taken: i64,
    /// Next labels, and what they grow by.
    labels: [(i64, i64); OUTPUTS],
}

impl Cursor {
    /// Points that no group has been told of.
    pub fn taken(&self) -> u64 {
        self.taken.unsigned_abs()
    }
}

impl Group {
    /// Takes an item of predicted shape and these labels, some of which are ⊤.
    #[inline]
    fn append_one(&mut self, labels_at: usize, label: &[i64]) {
        for (e, d) in self.expected.iter_mut().zip(&self.delta).take(labels_at) {
            *e = e.wrapping_add(*d);
        }
        let (first, delta) = (&self.first[labels_at..], &self.delta[labels_at..]);
        for (o, expected) in self.expected[labels_at..].iter_mut().enumerate() {
            if self.unknown >> o & 1 == 1 {
                self.fingerprint.add(self.weight, o, label[o].wrapping_sub(first[o]));
            }
            *expected = label[o].wrapping_add(delta[o]);
        }
        self.weight = self.weight.next();
        self.count += 1;
    }

    /// Becomes a group of points of one progression.
    pub(crate) fn restart(&mut self, x: i64, step: i64, count: i64, label: &[i64], advance: &[i64]) {
        self.kind = Kind::Coordinate;
        self.class = NO_CLASS;
        (self.x, self.count) = (x, count);
        self.step = if count > 1 { step } else { 1 };
        (self.unknown, self.fingerprint) = (0, Fingerprint::default());
        let factor = i64::from(count > 1);
        let (first, delta, expected) = (&mut self.first[..], &mut self.delta[..], &mut self.expected[..]);
        let own = first.iter_mut().zip(delta).zip(expected);
        for ((&l, &a), ((first, delta), expected)) in label.iter().zip(advance).zip(own) {
            *first = l;
            *delta = a * factor;
            *expected = l.wrapping_add((a * factor).wrapping_mul(count));
        }
    }
}

impl Folder {
    /// Whether the cursor predicts the point; then it has it.
    #[inline(always)]
    pub(crate) fn advances(&mut self, iv: &[i64], label: &[i64]) -> bool {
        let inner = self.outer.len();
        let c = &mut self.cursor;
        let is_next = c.is_active
            && iv.len() == inner + 1
            && label.len() == self.outputs
            && iv[inner] == c.x
            && label.iter().zip(&c.labels).all(|(a, (b, _))| a == b)
            && iv.iter().zip(&self.outer).all(|(a, b)| a == b);
        if is_next {
            c.x = c.x.wrapping_add(c.step);
            c.taken += 1;
            for (l, d) in c.labels.iter_mut().take(label.len()) {
                *l = l.wrapping_add(*d);
            }
        }
        is_next
    }

    /// Tells the groups of the points that cursors took; then there is no cursor.
    #[inline]
    pub(crate) fn settle(&mut self) {
        // What comes of a nest may set the others.
        self.settle_nest(Next::Unknown);
        self.settle_runs();
    }

    /// The same for the cursors of points and rows.
    #[inline]
    pub(crate) fn settle_runs(&mut self) {
        self.settle_rows();
        if self.cursor.is_active {
            self.tell_group();
        }
    }

    fn tell_group(&mut self) {
        let count = std::mem::take(&mut self.cursor.taken);
        self.cursor.is_active = false;
        let Some(group) = self.levels.last_mut().and_then(|l| l.last_mut()).filter(|_| count > 0) else {
            return;
        };
        self.latest_x = group.x.wrapping_add(group.step.wrapping_mul(group.count + count - 1));
        self.out.points = self.out.points.saturating_add(count.unsigned_abs());
        for (range, (&l, &d)) in self.out.ranges.iter_mut().zip(group.expected.iter().zip(&group.delta)) {
            let end = l.wrapping_add(d.wrapping_mul(count - 1));
            *range = (range.0.min(l).min(end), range.1.max(l).max(end));
        }
        group.advance(count);
    }

    /// Sets the cursor to the newest innermost group.
    #[inline]
    pub(crate) fn follow(&mut self) {
        let Some(group) = self.levels.last().and_then(|l| l.last()) else { return };
        let is_plain = group.kind == Kind::Coordinate && group.class == NO_CLASS && group.unknown == 0;
        if self.dims == 0 || self.outputs > OUTPUTS || group.count < 2 || !is_plain {
            return;
        }
        let c = &mut self.cursor;
        (c.is_active, c.x, c.step) = (true, group.next_x(), group.step);
        for (next, label) in c.labels.iter_mut().zip(group.expected.iter().zip(&group.delta)) {
            *next = (*label.0, *label.1);
        }
    }

    /// Whether a run begins a row, the row before being what the only group around it predicts; then that is done.
    #[inline]
    pub(crate) fn next_row(
        &mut self,
        iv: &[i64],
        step: i64,
        count: i64,
        label: &[i64],
        advance: &[i64],
    ) -> bool {
        let Some(up) = self.dims.checked_sub(2) else { return false };
        let is_next = self.outer[up] != iv[up] && self.outer.iter().zip(iv).take(up).all(|(a, b)| a == b);
        let (above, here) = self.levels.split_at_mut(up + 1);
        let ([around], [row]) = (&mut above[up][..], &mut here[0][..]) else { return false };
        let latest = self.latest[up + 1];
        let fits = is_next
            && latest != NO_CLASS
            && around.class == latest
            && around.count >= 2
            && around.kind == Kind::Coordinate
            && row.kind == Kind::Coordinate
            && self.outer[up] == around.next_x()
            && around.expected[0] == row.x
            && around.expected[1] == row.count
            && row
                .first
                .iter()
                .enumerate()
                .all(|(o, label)| around.unknown >> o & 1 == 1 || around.expected[2 + o] == *label)
            && row.is_of(self.classes.at(latest));
        if fits {
            match around.unknown {
                0 => around.advance(1),
                _ => around.append_one(2, &row.first),
            }
            self.outer[up] = iv[up];
            row.restart(iv[up + 1], step, count, label, advance);
            self.latest_x = iv[up + 1].saturating_add((count - 1).saturating_mul(step));
            self.follow_rows(up);
        }
        fits
    }

    /// Whether the newest innermost group has labels that are ⊤ and takes the point; then it has it.
    #[inline]
    pub(crate) fn continues_widened(&mut self, iv: &[i64], label: &[i64]) -> bool {
        let inner = self.outer.len();
        let Some(group) = self.levels.last_mut().and_then(|l| l.last_mut()) else { return false };
        let is_next = group.unknown != 0
            && group.kind == Kind::Coordinate
            && group.class == NO_CLASS
            && iv[inner] == group.next_x()
            && iv.iter().zip(&self.outer).all(|(a, b)| a == b)
            && (0..label.len()).all(|o| group.unknown >> o & 1 == 1 || group.expected[o] == label[o]);
        if is_next {
            group.append_one(0, label);
            self.latest_x = iv[inner];
        }
        is_next
    }
}
