//! Strided accesses that have not been written into pages: lattices.
//!
//! A lattice is `rows` rows, `stride` bytes apart, of `columns` adjacent elements. Lattices of one side are
//! pairwise disjoint and newer than the pages below them. Adjacent columns swept one after the other widen a
//! lattice; an aligned overwrite cuts it into at most four; where an access cuts through elements or does not
//! follow rows, the lattice is flushed into pages.

use crate::Stmt;
use crate::iv::Iv;

/// Runs shorter than this are not worth a lattice.
pub(crate) const MIN_ROWS: i64 = 8;
const MAX_LATTICES: usize = 24;
/// Flushes (less widenings) after which a statement gets no more lattices.
const PATIENCE: i32 = 64;

/// Accesses in ascending address order that do not wrap; `stride` is 0 only with `count` 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strided {
    pub first: u64,
    pub stride: u64,
    pub size: u32,
    pub count: i64,
}

impl Strided {
    #[inline]
    pub fn one(first: u64, size: u32) -> Strided {
        Strided { first, stride: 0, size, count: 1 }
    }

    #[inline]
    pub fn span(&self) -> u64 {
        self.stride * (self.count as u64 - 1) + u64::from(self.size)
    }

    #[inline]
    pub fn at(&self, t: i64) -> u64 {
        self.first + self.stride * t as u64
    }

    fn is_contiguous(&self) -> bool {
        self.count == 1 || self.stride == u64::from(self.size)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Lattice {
    pub base: u64,
    pub stride: u64,
    pub rows: i64,
    pub columns: i64,
    pub size: u32,
    pub stmt: Stmt,
    /// Class of one element without a step: statement, size and chain.
    pub class: u32,
    /// Iteration vector of the first element and its steps.
    pub iv: Iv,
    pub by_row: Iv,
    pub by_column: Iv,
}

/// How accesses meet a lattice.
pub(crate) enum Meeting {
    Nothing,
    /// Accesses `from..to` lie at byte `into` of rows `row`, `row + 1`, …
    Rows {
        from: i64,
        to: i64,
        row: i64,
        into: u64,
    },
    /// All accesses lie in row `row`, the first at byte `into`.
    Row {
        row: i64,
        into: u64,
    },
    /// The accesses cover the lattice without gaps.
    Covered,
    Clash,
}

impl Lattice {
    fn width(&self) -> u64 {
        self.columns as u64 * u64::from(self.size)
    }

    fn end(&self) -> u64 {
        self.base + self.stride * (self.rows as u64 - 1) + self.width()
    }

    pub fn meet(&self, a: &Strided) -> Meeting {
        let span = a.span();
        if a.first >= self.end() || a.first + span <= self.base {
            return Meeting::Nothing;
        }
        if a.is_contiguous() && a.first <= self.base && a.first + span >= self.end() {
            return Meeting::Covered;
        }
        let distance = a.first.wrapping_sub(self.base) as i64;
        let stride = self.stride as i64;
        let (row, into) = (distance.div_euclid(stride), distance.rem_euclid(stride) as u64);
        let is_outside = |length: u64| into >= self.width() && into + length <= self.stride;
        if a.count > 1 && a.stride == self.stride {
            let size = u64::from(a.size);
            if is_outside(size) {
                return Meeting::Nothing;
            }
            if into + size > self.width() {
                return Meeting::Clash;
            }
            let (from, to) = ((-row).clamp(0, a.count), (self.rows - row).clamp(0, a.count));
            if from >= to {
                return Meeting::Nothing;
            }
            return Meeting::Rows { from, to, row: row + from, into };
        }
        if is_outside(span) {
            Meeting::Nothing
        } else if into + span > self.width() {
            Meeting::Clash
        } else if (0..self.rows).contains(&row) {
            Meeting::Row { row, into }
        } else {
            Meeting::Nothing
        }
    }

    /// The element at a row and column.
    pub fn iv_at(&self, row: i64, column: i64) -> Iv {
        self.iv.after(row, &self.by_row).after(column, &self.by_column)
    }

    fn part(&self, rows: std::ops::Range<i64>, columns: std::ops::Range<i64>) -> Option<Lattice> {
        (!rows.is_empty() && !columns.is_empty()).then(|| Lattice {
            base: self.base + self.stride * rows.start as u64 + columns.start as u64 * u64::from(self.size),
            rows: rows.end - rows.start,
            columns: columns.end - columns.start,
            iv: self.iv_at(rows.start, columns.start),
            ..*self
        })
    }

    /// What is left after the bytes of `a`, which meets as said, are overwritten; `None` if elements get cut.
    fn without(&self, a: &Strided, meeting: &Meeting) -> Option<[Option<Lattice>; 4]> {
        let (rows, into, length) = match *meeting {
            Meeting::Covered => return Some([None; 4]),
            Meeting::Rows { from, to, row, into } => (row..row + to - from, into, u64::from(a.size)),
            Meeting::Row { row, into } if a.is_contiguous() => (row..row + 1, into, a.span()),
            _ => return None,
        };
        let size = u64::from(self.size);
        if into % size != 0 || length % size != 0 {
            return None;
        }
        let columns = (into / size) as i64..((into + length) / size) as i64;
        Some([
            self.part(0..rows.start, 0..self.columns),
            self.part(rows.end..self.rows, 0..self.columns),
            self.part(rows.clone(), 0..columns.start),
            self.part(rows, columns.end..self.columns),
        ])
    }

    fn widen(&mut self, next: &Lattice) -> bool {
        let adjacent = self.class == next.class
            && self.stride == next.stride
            && self.rows == next.rows
            && self.by_row == next.by_row
            && next.columns == 1
            && self.base + self.width() == next.base
            && self.width() + u64::from(self.size) <= self.stride;
        if !adjacent {
            return false;
        }
        if self.columns == 1 {
            let step = next.iv.minus(&self.iv);
            if !step.is_simple() {
                return false;
            }
            self.by_column = step;
        } else if self.iv_at(0, self.columns) != next.iv {
            return false;
        }
        self.columns += 1;
        true
    }
}

/// The lattices of one side.
#[derive(Default)]
pub(crate) struct Overlay {
    pub lattices: Vec<Lattice>,
    lo: u64,
    hi: u64,
    /// Flushes less widenings of each statement's lattices.
    flushes: Vec<i32>,
}

impl Overlay {
    /// Whether any lattice may overlap `lo..hi`.
    #[inline]
    pub fn touches(&self, lo: u64, hi: u64) -> bool {
        lo < self.hi && hi > self.lo && self.meeting(lo, hi).is_some()
    }

    /// The number of a lattice whose extent overlaps `lo..hi`.
    pub fn meeting(&self, lo: u64, hi: u64) -> Option<usize> {
        self.lattices.iter().position(|l| lo < l.end() && hi > l.base)
    }

    /// Whether strided accesses of a statement should become lattices.
    pub fn accepts(&mut self, stmt: Stmt, a: &Strided) -> bool {
        a.count >= MIN_ROWS
            && a.stride > u64::from(a.size)
            && a.first + a.span() < 1 << 63
            && *self.flushes_of(stmt) < PATIENCE
    }

    fn flushes_of(&mut self, stmt: Stmt) -> &mut i32 {
        let s = stmt as usize;
        if self.flushes.len() <= s {
            self.flushes.resize(s + 1, 0);
        }
        &mut self.flushes[s]
    }

    /// Removes the bytes of `a` from all lattices; those returned must be flushed, before `a` is assigned.
    pub fn cover(&mut self, a: &Strided) -> Vec<Lattice> {
        let mut flushed = Vec::new();
        let mut i = 0;
        while i < self.lattices.len() {
            let lattice = self.lattices[i];
            let meeting = lattice.meet(a);
            if let Meeting::Nothing = meeting {
                i += 1;
                continue;
            }
            self.lattices.remove(i);
            match lattice.without(a, &meeting) {
                Some(rest) => {
                    for part in rest.into_iter().flatten() {
                        if part.rows < MIN_ROWS {
                            flushed.push(part);
                        } else {
                            self.lattices.insert(i, part);
                            i += 1;
                        }
                    }
                }
                None => {
                    *self.flushes_of(lattice.stmt) += 1;
                    flushed.push(lattice);
                }
            }
        }
        while self.lattices.len() > MAX_LATTICES {
            flushed.push(self.lattices.remove(0));
        }
        self.bound();
        flushed
    }

    /// Removes the lattice of this number, for flushing.
    pub fn take(&mut self, i: usize) -> Lattice {
        let lattice = self.lattices.remove(i);
        *self.flushes_of(lattice.stmt) += 1;
        self.bound();
        lattice
    }

    /// Adds a lattice disjoint from all others; one returned must be flushed.
    pub fn add(&mut self, lattice: Lattice) -> Option<Lattice> {
        self.lo = if self.lattices.is_empty() { lattice.base } else { self.lo.min(lattice.base) };
        self.hi = if self.lattices.is_empty() { lattice.end() } else { self.hi.max(lattice.end()) };
        if self.lattices.iter_mut().any(|l| l.widen(&lattice)) {
            let flushes = self.flushes_of(lattice.stmt);
            *flushes = (*flushes - 1).max(-PATIENCE);
            return None;
        }
        self.lattices.push(lattice);
        (self.lattices.len() > MAX_LATTICES).then(|| self.take(0))
    }

    fn bound(&mut self) {
        self.lo = self.lattices.iter().map(|l| l.base).min().unwrap_or(0);
        self.hi = self.lattices.iter().map(|l| l.end()).max().unwrap_or(0);
    }
}
