//! Receives the dependences of blocks of rows, and files those of rows that say the same together.
//!
//! Rows that have the same runs of dependences, moved by constants, are counted, and filed when a row differs or the part of the
//! block ends. Within each stream instances are filed in the order in which they were found.
//!
//! Where an operand is executed several times a row, its executions may be of several parts: then what is found is gathered
//! (*pieces*: a run in some rows that follow one another), and filed at the end in the order of the rows and of their
//! vectors.

use rustc_hash::FxHashMap;
use shadow::{Client, DependenceRun, Iv, Kind, Rows, course};
use smallvec::SmallVec;

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
    /// What was gathered.
    pieces: Vec<RunOfRows>,
    /// The latest one of each stream and sinks, but for the row.
    latest: FxHashMap<(u8, u32, u32, Iv), u32>,
    /// Those of some rows.
    rows: Vec<RunOfRows>,
}

/// By operand and vector, another vector; see [`Gathers::starts`].
pub type Starts = FxHashMap<(u32, Iv), Iv>;

/// Orders runs, which are in the order of their sinks, as they are found where executions come as one record: of sinks that
/// have several sources the first ones of all, then the second ones, and so on.
fn as_one_record(runs: &mut Vec<RunOfRows>, start: impl Fn(&RunOfRows) -> Iv) {
    let mut keyed: Vec<(Iv, u32, RunOfRows)> = Vec::with_capacity(runs.len());
    for run in runs.drain(..) {
        let again = keyed.last().filter(|(.., last)| last.first.sink_iv == run.first.sink_iv);
        let number = again.map_or(0, |(_, number, _)| number + 1);
        keyed.push((start(&run), number, run));
    }
    keyed.sort_by_key(|(start, number, _)| (*start, *number));
    runs.extend(keyed.into_iter().map(|(.., run)| run));
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
    /// What is found is gathered.
    gathers: Option<Gathers<'a>>,
}

/// How what was gathered is filed.
#[derive(Clone, Copy)]
pub struct Gathers<'a> {
    /// The coordinate of the first row.
    pub first: i64,
    /// Of operands at a vector in the first row, the vector of the first execution that comes with theirs as one record where
    /// rows are applied one by one, if that is another one.
    pub starts: &'a dyn Fn() -> Starts,
}

/// Most runs of a row that are compared with those of another one; with many executions in a row.
const MOST: usize = 1 << 10;
const MOST_GATHERED: usize = 1 << 15;
/// Most pieces that are gathered before they are filed, in the order of the rows as far as they are there.
const MOST_PIECES: usize = 1 << 16;
/// Most runs that space is kept for between blocks.
const KEPT: usize = 1 << 14;

impl<'a> RowObserver<'a> {
    /// Files to `observer` what is found in rows along a dimension; [`RowObserver::end`] must follow. It `gathers` where
    /// paths come several times a row.
    pub fn new(
        observer: Observer<'a>,
        space: &'a mut Space,
        dim: usize,
        gathers: Option<Gathers<'a>>,
    ) -> RowObserver<'a> {
        space.runs.clear();
        space.other.clear();
        space.pieces.clear();
        space.latest.clear();
        RowObserver { observer, space, dim, rows: 0, expected: 0, differs: false, is_ragged: false, gathers }
    }

    /// Files what is left.
    pub fn end(mut self) {
        self.file();
        self.file_pieces();
        let Space { runs, pieces, rows, other, latest, .. } = self.space;
        if latest.capacity() > KEPT {
            *latest = FxHashMap::default();
        }
        for large in [runs, pieces, rows].into_iter().filter(|runs| runs.capacity() > KEPT) {
            *large = Vec::new();
        }
        if other.capacity() > KEPT {
            *other = Vec::new();
        }
    }

    /// Files what was gathered, stream by stream.
    fn file_pieces(&mut self) {
        let Some(Gathers { first, starts }) = self.gathers else { return };
        self.space.latest.clear();
        let mut known: Option<Starts> = None;
        let dim = self.dim;
        let pieces = std::mem::take(&mut self.space.pieces);
        let mut rows = std::mem::take(&mut self.space.rows);
        let from = |piece: &RunOfRows| piece.first.sink_iv.0[dim].wrapping_sub(first) as u64;
        // Pieces are large: their numbers are sorted.
        let keyed = |(at, piece): (usize, &RunOfRows)| {
            (piece.first.kind as u8, piece.first.source, piece.first.sink, at as u32)
        };
        let mut order: Vec<(u8, u32, u32, u32)> = pieces.iter().enumerate().map(keyed).collect();
        order.sort_unstable();
        for stream in order.chunk_by(|a, b| (a.0, a.1, a.2) == (b.0, b.1, b.2)) {
            let pieces = || stream.iter().map(|own| &pieces[own.3 as usize]);
            let mut ends: SmallVec<[u64; 8]> = SmallVec::new();
            for end in pieces().flat_map(|piece| [from(piece), from(piece) + piece.rows]) {
                if !ends.contains(&end) {
                    ends.push(end);
                }
            }
            ends.sort_unstable();
            for (&start, &end) in ends.iter().zip(&ends[1..]) {
                let here = pieces().filter(|piece| from(piece) <= start && start < from(piece) + piece.rows);
                rows.clear();
                rows.extend(here.map(|piece| RunOfRows {
                    first: piece.at(start - from(piece)),
                    rows: end - start,
                    ..*piece
                }));
                let sink = |run: &RunOfRows| run.first.sink_iv;
                if !rows.is_sorted_by_key(sink) {
                    rows.sort_by_cached_key(sink);
                }
                if rows.windows(2).any(|two| sink(&two[0]) == sink(&two[1])) {
                    let starts = known.get_or_insert_with(starts);
                    as_one_record(&mut rows, |run| {
                        let iv = run.first.sink_iv.advanced(dim, -(start as i64));
                        starts.get(&(run.first.sink, iv)).copied().unwrap_or(iv)
                    });
                }
                self.observer.many_rows(&rows);
            }
        }
        self.space.rows = rows;
        self.space.pieces = pieces;
        self.space.pieces.clear();
    }

    /// A run of the rows counted, or of others: it may go on along the rows itself.
    fn gather(&mut self, run: &RunOfRows) {
        let DependenceRun { sink_step, source_step, address_step, count, .. } = run.first;
        if count > 1 && run.rows == 1 && sink_step.0[self.dim] != 0 {
            let one = DependenceRun {
                source_step: Iv::ZERO,
                sink_step: Iv::ZERO,
                address_step: 0,
                count: 1,
                ..run.first
            };
            if sink_step == Iv::along(self.dim, 1) {
                let (source, address) = (source_step, address_step);
                self.add_piece(&RunOfRows { first: one, source, address, rows: count, ..*run });
                return;
            }
            for t in 0..count as i64 {
                let first = DependenceRun {
                    source_iv: run.first.source_iv.after(t, &source_step),
                    sink_iv: run.first.sink_iv.after(t, &sink_step),
                    address: run.first.address.wrapping_add_signed(address_step.wrapping_mul(t)),
                    ..one
                };
                self.add_piece(&RunOfRows { first, ..*run });
            }
            return;
        }
        self.add_piece(run);
    }

    /// Adds a piece, to the one of the rows before it if it goes on as that does: a row seldom differs from the one before
    /// in all of its runs.
    fn add_piece(&mut self, run: &RunOfRows) {
        let mut sinks = run.first.sink_iv;
        sinks.0[self.dim] = 0;
        let Space { pieces, latest, .. } = &mut *self.space;
        let next = pieces.len() as u32;
        let at =
            latest.entry((run.first.kind as u8, run.first.source, run.first.sink, sinks)).or_insert(next);
        if let Some(before) = pieces.get_mut(*at as usize)
            && before.takes(run)
        {
            return;
        }
        *at = next;
        pieces.push(*run);
        if pieces.len() >= MOST_PIECES {
            self.file_pieces();
        }
    }

    /// Files a run of the row under way, at once.
    fn file_one(&mut self, first: &DependenceRun) {
        match self.gathers {
            Some(_) => {
                let run = RunOfRows { first: *first, dim: self.dim, source: Iv::ZERO, address: 0, rows: 1 };
                self.gather(&run);
            }
            None => self.observer.dependence(first),
        }
    }

    /// Files the rows counted.
    fn file(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        let mut runs = std::mem::take(&mut self.space.runs);
        if self.gathers.is_some() {
            for run in runs.iter_mut().filter(|_| rows > 0) {
                run.rows = rows;
                self.gather(run);
            }
        } else if rows == 1 {
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

    /// The same of a run of one dependence, before it is made.
    #[inline]
    fn is_expected_one(
        &mut self,
        kind: Kind,
        (source, source_iv): (u32, &Iv),
        (sink, sink_iv): (u32, &Iv),
        address: u64,
    ) -> bool {
        let (rows, dim) = (self.rows, self.dim);
        let Some(known) = self.space.runs.get_mut(self.expected) else { return false };
        let first = &known.first;
        let is_alike = first.count == 1
            && (source, sink) == (first.source, first.sink)
            && kind == first.kind
            && *sink_iv == first.sink_iv.advanced(dim, rows as i64)
            && first.source_step == Iv::ZERO
            && first.sink_step == Iv::ZERO
            && first.address_step == 0;
        if !is_alike {
            return false;
        }
        if rows == 1 {
            known.source = source_iv.minus(&first.source_iv);
            known.address = address.wrapping_sub(first.address) as i64;
            return true;
        }
        *source_iv == first.source_iv.after(rows as i64, &known.source)
            && address == first.address.wrapping_add_signed(known.address.wrapping_mul(rows as i64))
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

    fn single(&mut self, kind: Kind, source: u32, source_iv: &Iv, sink: u32, sink_iv: &Iv, address: u64) {
        let may_be_expected = !self.is_ragged && !self.differs && self.rows > 0;
        if may_be_expected && self.is_expected_one(kind, (source, source_iv), (sink, sink_iv), address) {
            self.expected += 1;
            return;
        }
        self.dependence(&DependenceRun::one(kind, (source, source_iv), (sink, sink_iv), address));
    }

    fn dependence(&mut self, run: &DependenceRun) {
        if self.is_ragged {
            return self.file_one(run);
        }
        if !self.differs && self.rows > 0 && self.is_expected(run) {
            self.expected += 1;
            return;
        }
        if !self.differs {
            self.differ();
        }
        self.space.other.push(*run);
        let most = if self.gathers.is_some() { MOST_GATHERED } else { MOST };
        if self.space.other.len() > most {
            self.file();
            self.is_ragged = true;
            let mut other = std::mem::take(&mut self.space.other);
            other.drain(..).for_each(|run| self.file_one(&run));
            self.space.other = other;
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
        let run = RunOfRows { first: *first, dim: self.dim, source: *source, address, rows };
        match self.gathers {
            Some(_) => self.gather(&run),
            None => self.observer.rows(&run),
        }
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
