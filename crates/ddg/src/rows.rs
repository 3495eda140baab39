//! Receives the dependences of blocks of rows, and files those of rows that say the same together.
//!
//! Rows that have the same runs of dependences, moved by constants, are counted, and filed when a row differs or the part of the
//! block ends. Within each stream instances are filed in the order in which they were found.

use rustc_hash::FxHashMap;
use shadow::{Client, DependenceRun, Iv, Kind, Rows, course};

use crate::dependences::RunOfRows;
use crate::observer::Observer;

/// Reusable space.
#[derive(Debug, Default)]
pub struct Space {
    /// What the rows counted so far have.
    runs: Vec<RunOfRows>,
    /// What the row under way has, if that is something else.
    other: Vec<DependenceRun>,
    /// How many runs there are of one stream.
    count: FxHashMap<(Kind, u32, u32), u32>,
}

/// See the module.
pub struct RowObserver<'a> {
    observer: Observer<'a>,
    space: &'a mut Space,
    /// The dimension that advances by one from row to row.
    dim: usize,
    /// Rows counted.
    rows: u64,
    /// How many runs of the row under way are those expected.
    expected: usize,
    /// The row under way has another run than expected.
    differs: bool,
    /// The row under way has too many runs to be compared with others.
    is_ragged: bool,
}

/// Most runs of a row that are compared with those of another one.
const MOST: usize = 1 << 10;

impl<'a> RowObserver<'a> {
    /// Files to `observer` what is found in rows along a dimension; [`RowObserver::end`] must follow.
    pub fn new(observer: Observer<'a>, space: &'a mut Space, dim: usize) -> RowObserver<'a> {
        space.runs.clear();
        space.other.clear();
        RowObserver { observer, space, dim, rows: 0, expected: 0, differs: false, is_ragged: false }
    }

    /// Files what is left.
    pub fn end(mut self) {
        self.file();
    }

    /// Files the rows counted.
    fn file(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        let mut runs = std::mem::take(&mut self.space.runs);
        if rows == 1 {
            runs.iter().for_each(|run| self.observer.dependence(&run.first));
        } else if rows > 1 {
            self.file_rows(&runs, rows);
        }
        runs.clear();
        self.space.runs = runs;
    }

    fn file_rows(&mut self, runs: &[RunOfRows], rows: u64) {
        let stream = |run: &RunOfRows| (run.first.kind, run.first.source, run.first.sink);
        let mut count = std::mem::take(&mut self.space.count);
        count.clear();
        runs.iter().for_each(|run| *count.entry(stream(run)).or_default() += 1);
        let is_alone = |run: &&RunOfRows| count[&stream(run)] == 1;
        for run in runs.iter().filter(is_alone) {
            self.observer.rows(&RunOfRows { rows, ..*run });
        }
        let shared: Vec<&RunOfRows> = runs.iter().filter(|run| !is_alone(run)).collect();
        // Those of one stream come row by row.
        for row in 0..rows {
            shared.iter().for_each(|run| self.observer.dependence(&run.at(row)));
        }
        self.space.count = count;
    }

    /// Whether a run is the next one expected of the row under way.
    fn is_expected(&mut self, run: &DependenceRun) -> bool {
        let (rows, dim) = (self.rows, self.dim);
        let Some(known) = self.space.runs.get_mut(self.expected) else { return false };
        let first = &known.first;
        let is_alike = run.kind == first.kind
            && (run.source, run.sink, run.count) == (first.source, first.sink, first.count)
            && (run.source_step, run.sink_step) == (first.source_step, first.sink_step)
            && run.address_step == first.address_step
            && run.sink_iv == first.sink_iv.advanced(dim, rows as i64);
        if rows == 1 && is_alike {
            known.source = run.source_iv.minus(&first.source_iv);
            known.address = run.address.wrapping_sub(first.address) as i64;
            return true;
        }
        is_alike
            && run.source_iv == first.source_iv.after(rows as i64, &known.source)
            && run.address == first.address.wrapping_add_signed(known.address.wrapping_mul(rows as i64))
    }

    /// Files the rows counted, and counts from the row that `other` tells on.
    fn restart(&mut self) {
        self.file();
        let dim = self.dim;
        let first = |first: DependenceRun| RunOfRows { first, dim, source: Iv::ZERO, address: 0, rows: 1 };
        self.space.runs.extend(self.space.other.drain(..).map(first));
        self.rows = 1;
    }

    /// From now on the row under way is told by `other`.
    fn differ(&mut self) {
        self.differs = true;
        let rows = self.rows;
        self.space.other.clear();
        self.space.other.extend(self.space.runs[..self.expected].iter().map(|run| run.at(rows)));
    }
}

impl Client for RowObserver<'_> {
    fn common(&self, a: u32, b: u32) -> u32 {
        self.observer.common(a, b)
    }

    fn dependence(&mut self, run: &DependenceRun) {
        if self.is_ragged {
            return self.observer.dependence(run);
        }
        if !self.differs && self.rows > 0 && self.is_expected(run) {
            self.expected += 1;
            return;
        }
        if !self.differs {
            self.differ();
        }
        self.space.other.push(*run);
        if self.space.other.len() > MOST {
            self.file();
            self.is_ragged = true;
            self.space.other.drain(..).for_each(|run| self.observer.dependence(&run));
        }
    }
}

impl Rows for RowObserver<'_> {
    fn begin(&mut self) {
        self.file();
        self.is_ragged = false;
        (self.expected, self.differs) = (0, false);
    }

    fn end_row(&mut self) {
        if std::mem::take(&mut self.is_ragged) {
            (self.expected, self.differs) = (0, false);
            return;
        }
        if !self.differs && self.rows > 0 && self.expected < self.space.runs.len() {
            self.differ();
        }
        if self.differs || self.rows == 0 {
            self.restart();
        } else {
            self.rows += 1;
        }
        (self.expected, self.differs) = (0, false);
    }

    fn rows(&mut self, first: &DependenceRun, source: &Iv, address: i64, rows: u64) {
        let (source, dim) = (*source, self.dim);
        self.observer.rows(&RunOfRows { first: *first, dim, source, address, rows });
    }

    fn repeat(&mut self, rows: u64) -> bool {
        let Some(latest) = self.rows.checked_sub(1) else { return false };
        let course_of = |run: &RunOfRows| {
            let common = self.observer.common(run.first.source, run.first.sink);
            course(&run.at(latest), self.dim, common)
        };
        let courses: Option<Vec<Iv>> = self.space.runs.iter().map(course_of).collect();
        let Some(courses) = courses else { return false };
        let goes_on = |(run, course): (&RunOfRows, &Iv)| run.source == *course && run.address == 0;
        if latest > 0 && !self.space.runs.iter().zip(&courses).all(goes_on) {
            self.space.other.extend(self.space.runs.iter().map(|run| run.at(latest)));
            self.rows = latest;
            self.restart();
        }
        for (run, source) in self.space.runs.iter_mut().zip(courses) {
            (run.source, run.address) = (source, 0);
        }
        self.rows += rows;
        true
    }
}
