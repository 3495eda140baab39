//! Rows: consecutive points whose labels follow no progression, taken as a whole.

use smallvec::smallvec;

use crate::class::{Kind, NO_CLASS, Short};
use crate::fingerprint::{Fingerprint, Weight};
use crate::folder::Folder;

/// Labels of consecutive points relative to the first, of one output.
#[derive(Debug, Clone)]
pub struct Row {
    count: i64,
    is_affine: bool,
    delta: i64,
    last: i64,
    least: i64,
    most: i64,
    fingerprint: Fingerprint,
    weight: Weight,
    /// The row with a point before it, and how far its labels are from that point's.
    longer: Option<(i64, Box<Row>)>,
}

impl Row {
    /// The row that begins with `begun` and goes on with these labels, those of this row.
    fn after(&mut self, begun: i64, labels: impl Iterator<Item = i64> + Clone) -> &mut Row {
        let first = labels.clone().next().unwrap_or(begun);
        let apart = first.wrapping_sub(begun);
        let known = self.longer.take().filter(|l| l.0 == apart);
        let longer = known.unwrap_or_else(|| {
            let relative: Vec<i64> =
                std::iter::once(0).chain(labels.map(|l| l.wrapping_sub(begun))).collect();
            (apart, Box::new(Row::new(&relative)))
        });
        &mut self.longer.insert(longer).1
    }

    /// Describes a row by its labels less the first one.
    pub fn new(relative: &[i64]) -> Row {
        let delta = relative.get(1).copied().unwrap_or(0);
        let mut row = Row {
            count: relative.len() as i64,
            is_affine: true,
            delta,
            last: relative.last().copied().unwrap_or(0),
            least: 0,
            most: 0,
            fingerprint: Fingerprint::default(),
            weight: Weight::ONE,
            longer: None,
        };
        for (t, &label) in relative.iter().enumerate() {
            row.is_affine &= label == delta.wrapping_mul(t as i64);
            row.least = row.least.min(label);
            row.most = row.most.max(label);
            row.fingerprint.add(row.weight, 0, label);
            row.weight = row.weight.next();
        }
        row
    }
}

impl Folder {
    /// Adds the points of a row without steps: `iv` with the innermost coordinate advancing by 1, one label in each.
    ///
    /// `row` describes the labels relative to the first (see [`Row::new`]), if that is known: then the row is mostly
    /// taken as a whole. A folder with more than one output ignores rows.
    pub fn row(&mut self, iv: &[i64], row: Option<&mut Row>, labels: impl Iterator<Item = i64> + Clone) {
        let Some(first) = labels.clone().next() else { return };
        if self.outputs != 1 || iv.len() != self.dims || self.dims == 0 {
            return;
        }
        self.settle();
        let inner = self.dims - 1;
        if self.boxed.is_some() {
            let count = labels.clone().count() as i64;
            if self.in_box(iv, iv[inner].saturating_add(count - 1)) {
                self.note(count, &[first], &[0]);
                let range = &mut self.out.ranges[0];
                *range = labels.fold(*range, |(low, high), label| (low.min(label), high.max(label)));
                return;
            }
        }
        let Some(row) = row else { return self.each(iv, labels) };
        let is_new = !self.started || self.outer[..] != iv[..inner];
        // Mostly the first point of the row came alone.
        let begun = match self.levels[inner].as_slice() {
            [group]
                if !is_new
                    && group.kind == Kind::Coordinate
                    && group.count == 1
                    && group.x.wrapping_add(1) == iv[inner] =>
            {
                Some(group.first[0])
            }
            _ => None,
        };
        let row = match begun {
            Some(begun) => row.after(begun, labels.clone()),
            None => row,
        };
        if !self.widens_at(inner) || row.is_affine || row.count < 3 || !(is_new || begun.is_some()) {
            return self.each(iv, labels);
        }
        let (count, origin) = match begun {
            Some(begun) => (row.count - 1, begun),
            None => (row.count, first),
        };
        self.note(count, &[first], &[0]);
        let range = &mut self.out.ranges[0];
        range.0 = range.0.min(origin.wrapping_add(row.least));
        range.1 = range.1.max(origin.wrapping_add(row.most));
        if begun.is_none() {
            self.outside(iv);
            self.insert(inner, (iv[inner], NO_CLASS, &[first]));
        }
        if let Some(group) = self.levels[inner].last_mut() {
            group.step = 1;
            group.count = row.count;
            group.delta = smallvec![row.delta];
            group.expected = smallvec![origin.wrapping_add(row.last).wrapping_add(row.delta)];
            group.unknown = 1;
            group.fingerprint = row.fingerprint;
            group.weight = row.weight;
        }
        self.latest_x = iv[inner].saturating_add(count - 1);
        self.limit();
    }

    fn each(&mut self, iv: &[i64], labels: impl Iterator<Item = i64>) {
        let mut point = Short::from_slice(iv);
        for label in labels {
            self.run(&point, 1, &[label], &[0]);
            if let Some(x) = point.last_mut() {
                *x = x.wrapping_add(1);
            }
        }
    }
}
