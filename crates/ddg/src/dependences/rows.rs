//! Dependences of a block of rows: runs that come again in every row, moved by constants.

use fold::Folder;
use shadow::{DependenceRun, Iv};
use smallvec::SmallVec;

use super::{Stream, Streams, beyond_first, level_of};
use crate::objects::Named;

/// A run of dependences that comes again in every row.
#[derive(Debug, Clone, Copy)]
pub struct RunOfRows {
    /// That of the first row.
    pub first: DependenceRun,
    /// The dimension of the sink that advances by one from row to row.
    pub dim: usize,
    /// What the vectors of the sources grow by from row to row.
    pub source: Iv,
    /// What the address grows by from row to row.
    pub address: i64,
    /// Number of rows.
    pub rows: u64,
}

impl RunOfRows {
    /// The run of a row.
    pub fn at(&self, row: u64) -> DependenceRun {
        DependenceRun {
            source_iv: self.first.source_iv.after(row as i64, &self.source),
            sink_iv: self.first.sink_iv.advanced(self.dim, row as i64),
            address: self.first.address.wrapping_add_signed(self.address.wrapping_mul(row as i64)),
            ..self.first
        }
    }

    /// Takes in a run of the rows behind, if it goes on as this one does.
    pub fn takes(&mut self, next: &RunOfRows) -> bool {
        let (first, other) = (&self.first, &next.first);
        let (source, address) = match (self.rows, next.rows) {
            (1, 1) => (
                other.source_iv.minus(&first.source_iv),
                other.address.wrapping_sub(first.address).cast_signed(),
            ),
            (1, _) => (next.source, next.address),
            _ => (self.source, self.address),
        };
        let whole = RunOfRows { source, address, ..*self };
        let goes_on = whole.at(self.rows) == *other
            && (next.rows == 1 || (next.source, next.address) == (source, address));
        if goes_on {
            *self = RunOfRows { rows: self.rows + next.rows, ..whole };
        }
        goes_on
    }
}

impl Streams {
    /// Adds a run of each row to a known stream, as [`Streams::add_to`] does one after the other.
    pub fn add_rows_to(
        &mut self,
        at: usize,
        run: &RunOfRows,
        locate: &mut dyn FnMut(u64, u8, bool) -> Option<Named>,
    ) {
        let Some(level) = self.list[at].level_of_rows(run) else {
            for row in 0..run.rows {
                self.add_to(at, &run.at(row), locate);
            }
            return;
        };
        let mut run = *run;
        if self.list[at].count == 0 {
            // The first instance may be one that is not folded yet.
            self.add_to(at, &run.first, locate);
            run = RunOfRows { first: run.at(1), rows: run.rows - 1, ..run };
            if run.rows == 0 {
                return;
            }
        }
        let instances = run.first.count.saturating_mul(run.rows);
        self.instances = self.instances.saturating_add(instances);
        self.note_rows_of(at, &run);
        let stream = &mut self.list[at];
        stream.count = stream.count.saturating_add(instances);
        let (from, to) = (usize::from(stream.source_dims), usize::from(stream.sink_dims));
        if let Some(folder) = stream.folder(&self.folding) {
            fold_rows(folder, &run, to, from);
        }
        self.count(at);
        self.list[at].note_rows(&run, level, locate);
    }
}

impl Streams {
    /// Notes a stream to which the rows of a run are about to be added.
    fn note_rows_of(&mut self, at: usize, run: &RunOfRows) {
        let (source, sink) = (&run.first.source_iv, &run.first.sink_iv);
        // In the rows that follow both ends move, as they do in the row.
        self.note(at, (source, &run.first.source_step), (sink, &run.first.sink_step));
        if run.rows > 1 {
            self.note(at, (source, &run.source), (sink, &Iv::along(run.dim, 1)));
        }
    }

    /// Adds several runs of each row to a known stream, in the order of a row; all have the same rows. What is in the
    /// middle is taken as a number where two rows have shown how they go on.
    pub fn add_many_rows_to(
        &mut self,
        at: usize,
        runs: &[RunOfRows],
        locate: &mut dyn FnMut(u64, u8, bool) -> Option<Named>,
    ) {
        let Some(&RunOfRows { rows, dim, source, .. }) = runs.first() else { return };
        let is_uniform = runs.iter().all(|run| run.source == source);
        let outputs = usize::from(self.list[at].source_dims);
        // Rows that the relation takes as a number, once one has shown that it goes on as predicted, or two how they do.
        let mut done = 0;
        let mut by_number = false;
        while done < rows && !by_number {
            runs.iter().for_each(|run| self.add_to(at, &run.at(done), locate));
            done += 1;
            by_number = done < rows
                && match (self.list[at].folder(&self.folding), done) {
                    (None, _) => done == 2,
                    (Some(folder), 1) => is_uniform && folder.can_go_on_by(dim, &source.0[..outputs]),
                    (Some(folder), 2) => folder.can_go_on(dim, is_uniform),
                    _ => false,
                };
        }
        if !by_number {
            return;
        }
        runs.iter().for_each(|run| self.note_rows_of(at, run));
        let each: u64 = runs.iter().map(|run| run.first.count).sum();
        let (left, last) = (rows - done, rows - 1);
        let stream = &mut self.list[at];
        if let Some(folder) = stream.folder(&self.folding) {
            folder.repeat(dim, left, each, &|output, _| source.0[output]);
            for run in runs {
                let source = run.first.source_iv.after(last as i64, &run.source);
                folder.include(run.first.count, &source.0[..outputs], &run.first.source_step.0[..outputs]);
                folder.end_repeat(dim, run.first.sink_iv.0[dim].saturating_add(last as i64), None);
            }
        }
        let instances = each.saturating_mul(left);
        stream.count = stream.count.saturating_add(instances);
        self.instances = self.instances.saturating_add(instances);
        self.count(at);
        self.list[at].note_many_rows(runs, done, locate);
    }
}

/// Adds the runs of all rows to the relation of a stream, with sinks of `dims` coordinates and sources of `outputs`.
fn fold_rows(folder: &mut Folder, run: &RunOfRows, dims: usize, outputs: usize) {
    let DependenceRun { sink_step, source_step, count, .. } = run.first;
    let lane = dims.wrapping_sub(1);
    let step = if dims > 0 { sink_step.0[lane] } else { 0 };
    let along = step >= 1 && sink_step == Iv::along(lane, step);
    let (shift, advance) = (&run.source.0[..outputs], &source_step.0[..outputs]);
    let (sink, source) = (&run.first.sink_iv.0[..dims], &run.first.source_iv.0[..outputs]);
    if run.dim == lane && count == 1 {
        folder.run(sink, run.rows, source, shift);
    } else if run.dim < lane && (count == 1 || along) {
        folder.rows(sink, step.max(1), count, source, advance, run.dim, shift, run.rows);
    } else {
        for row in 0..run.rows {
            let run = run.at(row);
            for t in 0..count as i64 {
                let (sink, source) = (run.sink_iv.after(t, &sink_step), run.source_iv.after(t, &source_step));
                folder.point(&sink.0[..dims], &source.0[..outputs]);
            }
        }
    }
}

impl Stream {
    /// The level of all instances of all rows, if they have one and those of one row are equally far apart.
    fn level_of_rows(&self, run: &RunOfRows) -> Option<u8> {
        let common = usize::from(self.common);
        let DependenceRun { sink_step, source_step, count, .. } = run.first;
        if count > 1 && sink_step.0[..common] != source_step.0[..common] {
            return None;
        }
        let last = run.at(run.rows - 1);
        let level = level_of(common, &run.first.sink_iv, &run.first.source_iv);
        let q = usize::from(level);
        let is_after = |run: &DependenceRun| run.sink_iv.0[q] > run.source_iv.0[q];
        // Differences change by constants from row to row: what they are at both ends, they are in between.
        let is_same = level == level_of(common, &last.sink_iv, &last.source_iv)
            && (q == common || is_after(&run.first) == is_after(&last));
        is_same.then_some(level)
    }

    /// As [`Stream::note_uniform`] for one row after the other.
    fn note_rows(
        &mut self,
        run: &RunOfRows,
        level: u8,
        locate: &mut dyn FnMut(u64, u8, bool) -> Option<Named>,
    ) {
        let leaves = self.memory && (self.source_dims > self.common || self.sink_dims > self.common);
        let (first, last) = (&run.first, run.at(run.rows - 1));
        let ends = (&first.source_iv, &first.sink_iv, first.count, first.address);
        self.note_uniform(ends, leaves, locate);
        if run.rows > 1 {
            let others = first.count.saturating_mul(run.rows - 1);
            self.note_between(run, level, leaves, locate);
            self.note_uniform((&last.source_iv, &last.sink_iv, others, last.address), leaves, locate);
        }
        if first.count > 1 {
            self.later(level, beyond_first(&first.sink_step));
        }
    }

    /// Notes the instances of several runs in the rows from one on, in the order in which they come row by row as far as that
    /// matters: where storage is named first.
    fn note_many_rows(
        &mut self,
        runs: &[RunOfRows],
        from: u64,
        locate: &mut dyn FnMut(u64, u8, bool) -> Option<Named>,
    ) {
        let Some(rows) = runs.first().map(|run| run.rows) else { return };
        let (first, last) = (from.max(2), rows - 1);
        let part = |run: &RunOfRows| RunOfRows { first: run.at(first), rows: last - first, ..*run };
        // Runs are large: they are moved again rather than kept.
        let levels: Option<SmallVec<[u8; 64]>> = match first < last {
            true => runs.iter().map(|run| self.level_of_rows(&part(run))).collect(),
            false => None,
        };
        for row in from..first.min(rows) {
            runs.iter().for_each(|run| self.note_run(&run.at(row), 1, locate));
        }
        if first > last {
            return;
        }
        match levels {
            Some(levels) => {
                for (run, level) in runs.iter().zip(levels) {
                    self.note_rows(&part(run), level, locate);
                }
            }
            None => {
                for row in first..last {
                    runs.iter().for_each(|run| self.note_run(&run.at(row), 1, locate));
                }
            }
        }
        runs.iter().for_each(|run| self.note_run(&run.at(last), 1, locate));
    }

    /// Names what the rows between the first and the last pass through, unless that is what was met last.
    fn note_between(
        &mut self,
        run: &RunOfRows,
        level: u8,
        leaves: bool,
        locate: &mut dyn FnMut(u64, u8, bool) -> Option<Named>,
    ) {
        let Some(at) = self.levels.iter().position(|l| l.level == level) else { return };
        let known = self.levels[at].latest;
        let is_known = |address: u64| known.0 <= address && address < known.1;
        let moved = i64::try_from(run.rows - 1).ok().and_then(|rows| run.address.checked_mul(rows));
        let last = moved.and_then(|moved| run.first.address.checked_add_signed(moved));
        if !(is_known(run.first.address) && last.is_some_and(is_known)) {
            for row in 1..run.rows - 1 {
                self.note_object(at, run.at(row).address, leaves, locate);
            }
        }
    }
}
