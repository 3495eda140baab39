//! The cursor of rows: the row that the only group around predicts next, as plain numbers.
//!
//! Definition: while it is active, the open row is what the group around it predicts, and the next run is compared with the
//! row after that. Rows that agree are counted; the groups reach them in [`Folder::settle_rows`], as if each had come through
//! [`Folder::next_row`].
//!
//! Limits: streams of two or more dimensions, at most [`OUTPUTS`] outputs, rows of two or more points.

use smallvec::SmallVec;

use crate::cursor::OUTPUTS;
use crate::folder::Folder;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct RowCursor {
    is_active: bool,
    /// Rows that the groups have not been told of.
    taken: i64,
    /// Distance of points inside the row.
    inner_step: i64,
    /// Advance of the labels inside the row.
    advance: [i64; OUTPUTS],
    /// Outer coordinate, first inner coordinate and number of points of the next row, and what they grow by.
    next: [i64; 3],
    growth: [i64; 3],
    /// First labels of the next row, and what they grow by.
    label: [i64; OUTPUTS],
    label_growth: [i64; OUTPUTS],
}

impl RowCursor {
    /// Coordinates and number of points of the row `back` rows before the next one.
    fn row(&self, back: i64) -> [i64; 3] {
        std::array::from_fn(|k| self.next[k].wrapping_sub(self.growth[k].wrapping_mul(back)))
    }

    fn label(&self, output: usize, back: i64) -> i64 {
        self.label[output].wrapping_sub(self.label_growth[output].wrapping_mul(back))
    }

    /// Whether the rows after this one, which was the latest, go on from it by one and by `shift`.
    fn goes_on(
        &self,
        iv: &[i64],
        step: i64,
        count: u64,
        (label, advance): (&[i64], &[i64]),
        shift: &[i64],
    ) -> bool {
        let up = iv.len() - 2;
        self.is_active
            && self.growth == [1, 0, 0]
            && count >= 2
            && step == self.inner_step
            && [iv[up].wrapping_add(1), iv[up + 1], count as i64] == self.next
            && advance.iter().zip(&self.advance).all(|(a, b)| a == b)
            && shift.iter().zip(&self.label_growth).all(|(a, b)| a == b)
            && label.iter().zip(shift).zip(&self.label).all(|((l, s), next)| l.wrapping_add(*s) == *next)
    }

    /// Takes so many of the rows that come next.
    fn take(&mut self, rows: i64) {
        self.taken += rows;
        self.next.iter_mut().zip(self.growth).for_each(|(x, d)| *x = x.wrapping_add(d.wrapping_mul(rows)));
        let labels = self.label.iter_mut().zip(self.label_growth);
        labels.for_each(|(l, d)| *l = l.wrapping_add(d.wrapping_mul(rows)));
    }

    /// Points of the rows that no group has been told of.
    pub fn points(&self) -> u64 {
        let (n, first, last) = (self.taken, self.row(self.taken)[2], self.row(1)[2]);
        let points = i128::from(n) * (i128::from(first) + i128::from(last)) / 2;
        u64::try_from(points).unwrap_or(0)
    }
}

impl Folder {
    /// Whether the cursor predicts the row; then it has it.
    #[inline]
    pub(crate) fn takes_row(
        &mut self,
        iv: &[i64],
        step: i64,
        count: u64,
        label: &[i64],
        advance: &[i64],
    ) -> bool {
        let c = &mut self.rows;
        if !c.is_active {
            return false;
        }
        let up = iv.len() - 2;
        let is_next = [iv[up], iv[up + 1], count as i64] == c.next
            && step == c.inner_step
            && count >= 2
            && label.iter().zip(&c.label).all(|(a, b)| a == b)
            && advance.iter().zip(&c.advance).all(|(a, b)| a == b)
            && iv.iter().zip(&self.outer).take(up).all(|(a, b)| a == b);
        if is_next {
            c.taken += 1;
            c.next.iter_mut().zip(c.growth).for_each(|(x, d)| *x = x.wrapping_add(d));
            c.label.iter_mut().zip(c.label_growth).for_each(|(l, d)| *l = l.wrapping_add(d));
        }
        is_next
    }

    /// As [`Folder::lattice_run`] for `rows` rows: from each to the next the coordinate of dimension `dim`, which is not the
    /// innermost, grows by one, and the labels by `shift`.
    #[expect(clippy::too_many_arguments, reason = "a run, and how it goes on")]
    pub fn rows(
        &mut self,
        iv: &[i64],
        step: i64,
        count: u64,
        label: &[i64],
        advance: &[i64],
        dim: usize,
        shift: &[i64],
        rows: u64,
    ) {
        let mut iv: SmallVec<[i64; 8]> = iv.into();
        let mut label: SmallVec<[i64; 8]> = label.into();
        let is_around = self.dims.checked_sub(2) == Some(dim);
        for left in (0..rows).rev() {
            self.lattice_run(&iv, step, count, &label, advance);
            if is_around && self.rows.goes_on(&iv, step, count, (&label, advance), shift) {
                return self.rows.take(left as i64);
            }
            if let Some(x) = iv.get_mut(dim) {
                *x = x.wrapping_add(1);
            }
            label.iter_mut().zip(shift).for_each(|(l, s)| *l = l.wrapping_add(*s));
        }
    }

    /// Sets the cursor if the row that was just begun is what the group around it predicts.
    pub(crate) fn follow_rows(&mut self, up: usize) {
        let (above, here) = self.levels.split_at(up + 1);
        let ([around], [row]) = (&above[up][..], &here[0][..]) else { return };
        let is_predicted = around.unknown == 0
            && self.outputs <= OUTPUTS
            && row.count >= 2
            && around.expected[..2] == [row.x, row.count]
            && around.expected[2..] == row.first[..]
            && row.is_of(self.classes.at(self.latest[up + 1]));
        if !is_predicted {
            return;
        }
        let c = &mut self.rows;
        (c.is_active, c.taken, c.inner_step) = (true, 0, row.step);
        c.growth = [around.step, around.delta[0], around.delta[1]];
        let now = [around.next_x(), row.x, row.count];
        c.next = std::array::from_fn(|k| now[k].wrapping_add(c.growth[k]));
        for o in 0..self.outputs {
            c.advance[o] = row.delta[o];
            c.label_growth[o] = around.delta[2 + o];
            c.label[o] = row.first[o].wrapping_add(around.delta[2 + o]);
        }
    }

    /// Tells the groups of the rows that the cursor took; then there is no cursor.
    #[inline]
    pub(crate) fn settle_rows(&mut self) {
        if std::mem::take(&mut self.rows.is_active) && self.rows.taken > 0 {
            self.tell_groups_of_rows();
        }
    }

    fn tell_groups_of_rows(&mut self) {
        let Some(up) = self.dims.checked_sub(2) else { return };
        self.out.points = self.out.points.saturating_add(self.rows.points());
        let c = &mut self.rows;
        let taken = c.taken;
        let [outer, x, count] = c.row(1);
        let mut label = [0; OUTPUTS];
        for (o, range) in self.out.ranges.iter_mut().enumerate() {
            for back in [taken, 1] {
                let first = c.label(o, back);
                let last = first.wrapping_add(c.advance[o].wrapping_mul(c.row(back)[2] - 1));
                *range = (range.0.min(first).min(last), range.1.max(first).max(last));
            }
            label[o] = c.label(o, 1);
        }
        c.taken = 0;
        let (above, here) = self.levels.split_at_mut(up + 1);
        if let ([around], [row]) = (&mut above[up][..], &mut here[0][..]) {
            around.advance(taken);
            row.restart(x, c.inner_step, count, &label[..self.outputs], &c.advance[..self.outputs]);
        }
        self.outer[up] = outer;
        self.latest_x = x.saturating_add((count - 1).saturating_mul(c.inner_step));
    }
}
