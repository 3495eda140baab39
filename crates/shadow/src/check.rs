//! The definition, executed: every byte of every access, one at a time, with all readers since the last write.
//!
//! Slow by design. [`Reference`] computes what a sequence of records means; [`Observed`] expands what the engine
//! reported; [`compare`] says whether they agree: flow and output as sets of pairs, anti as the set of levels of
//! each store execution plus the truth of every reported pair, and every reported address as a shared byte.

use crate::{Client, DependenceRun, Iv, Kind, Record, Rows, Stmt, course};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// One execution of a memory operand.
pub type Execution = (Stmt, Iv);

/// The first dimension in which two executions differ, among the `common` first; `None` if there is none.
pub fn level(common: u32, a: &Iv, b: &Iv) -> Option<usize> {
    (0..common as usize).find(|&d| a.0[d] != b.0[d])
}

#[derive(Default)]
struct Byte {
    writer: Option<Execution>,
    readers: Vec<Execution>,
}

/// The meaning of a sequence of records.
#[derive(Default)]
pub struct Reference {
    bytes: FxHashMap<u64, Byte>,
    extents: FxHashMap<Execution, Range<u128>>,
    flow: FxHashSet<(Execution, Execution)>,
    output: FxHashSet<(Execution, Execution)>,
    anti: FxHashMap<Execution, FxHashSet<Execution>>,
}

impl Reference {
    /// Applies a record.
    pub fn record(&mut self, record: &Record) {
        for t in 0..record.count as i64 {
            let iv = record.lane.map_or(record.iv, |lane| {
                let mut iv = record.iv;
                iv.0[usize::from(lane)] += t;
                iv
            });
            for o in record.operands {
                let this = (o.stmt, iv);
                let base = o.base.wrapping_add_signed(o.stride.wrapping_mul(t));
                self.extents.insert(this, u128::from(base)..u128::from(base) + u128::from(o.size));
                for at in (0..u64::from(o.size)).map(|b| base.wrapping_add(b)) {
                    let byte = self.bytes.entry(at).or_default();
                    if o.write {
                        self.output.extend(byte.writer.replace(this).map(|w| (w, this)));
                        self.anti.entry(this).or_default().extend(byte.readers.drain(..));
                    } else {
                        self.flow.extend(byte.writer.map(|w| (w, this)));
                        byte.readers.push(this);
                    }
                }
            }
        }
    }

    /// Forgets the dependences so far, not the accesses.
    pub fn drop_dependences(&mut self) {
        self.flow.clear();
        self.output.clear();
        self.anti.clear();
    }

    /// Drops what is known about `start..end`.
    pub fn forget(&mut self, start: u64, end: u64) {
        self.bytes.retain(|at, _| !(start..end).contains(at));
    }

    fn shares(&self, address: u64, execution: &Execution) -> bool {
        let Some(extent) = self.extents.get(execution) else { return false };
        extent.contains(&u128::from(address)) || extent.contains(&(u128::from(address) + (1 << 64)))
    }
}

/// The engine's client for tests: each statement's context is the path of loops around it, outermost first;
/// dependences are expanded into pairs.
#[derive(Default)]
pub struct Observed {
    contexts: Vec<Vec<u32>>,
    flow: FxHashSet<(Execution, Execution)>,
    output: FxHashSet<(Execution, Execution)>,
    anti: FxHashMap<Execution, FxHashSet<Execution>>,
    addresses: Vec<(u64, Execution, Execution)>,
    /// Number of runs reported.
    pub runs: u64,
    /// Those of the row of a block under way, and of the latest one.
    row: Vec<DependenceRun>,
    latest: Vec<DependenceRun>,
    /// The dimension along which the rows of a block advance.
    pub rows_along: usize,
}

impl Observed {
    /// Nothing observed yet.
    pub fn new(contexts: Vec<Vec<u32>>) -> Observed {
        Observed { contexts, ..Observed::default() }
    }
}

impl Client for Observed {
    fn common(&self, a: Stmt, b: Stmt) -> u32 {
        let (a, b) = (&self.contexts[a as usize], &self.contexts[b as usize]);
        a.iter().zip(b).take_while(|(x, y)| x == y).count() as u32
    }

    fn dependence(&mut self, run: &DependenceRun) {
        self.runs += 1;
        self.row.push(*run);
        for t in 0..run.count as i64 {
            let source = (run.source, run.source_iv.after(t, &run.source_step));
            let sink = (run.sink, run.sink_iv.after(t, &run.sink_step));
            if (run.address, run.address_step) != (0, 0) {
                self.addresses.push((run.address.wrapping_add_signed(t * run.address_step), source, sink));
            }
            match run.kind {
                Kind::Flow => _ = self.flow.insert((source, sink)),
                Kind::Output => _ = self.output.insert((source, sink)),
                Kind::Anti => _ = self.anti.entry(sink).or_default().insert(source),
            }
        }
    }
}

impl Rows for Observed {
    fn begin(&mut self) {
        self.row.clear();
    }

    fn end_row(&mut self) {
        self.latest = std::mem::take(&mut self.row);
    }

    fn rows(&mut self, first: &DependenceRun, source: &Iv, address: i64, rows: u64) {
        for row in 0..rows as i64 {
            self.dependence(&DependenceRun {
                source_iv: first.source_iv.after(row, source),
                sink_iv: first.sink_iv.advanced(self.rows_along, row),
                address: first.address.wrapping_add_signed(address.wrapping_mul(row)),
                ..*first
            });
        }
    }

    fn repeat(&mut self, rows: u64) -> bool {
        let latest = std::mem::take(&mut self.latest);
        let courses =
            latest.iter().map(|run| course(run, self.rows_along, self.common(run.source, run.sink)));
        let Some(courses) = courses.collect::<Option<Vec<Iv>>>() else { return false };
        for (run, source) in latest.iter().zip(&courses) {
            let first = DependenceRun {
                source_iv: run.source_iv.after(1, source),
                sink_iv: run.sink_iv.advanced(self.rows_along, 1),
                ..*run
            };
            self.rows(&first, source, 0, rows);
        }
        true
    }
}

/// Compares what was reported with what is true; the error names the first differences.
pub fn compare(reference: &Reference, observed: &Observed) -> Result<(), String> {
    let pairs = [("flow", &reference.flow, &observed.flow), ("output", &reference.output, &observed.output)];
    for (kind, expected, found) in pairs {
        if let Some(missing) = expected.difference(found).min() {
            return Err(format!("{kind} misses {missing:?}"));
        }
        if let Some(extra) = found.difference(expected).min() {
            return Err(format!("{kind} invents {extra:?}"));
        }
    }
    let none = FxHashSet::default();
    for (sink, found) in &observed.anti {
        let expected = reference.anti.get(sink).unwrap_or(&none);
        if let Some(extra) = found.difference(expected).min() {
            return Err(format!("anti invents {extra:?} before {sink:?}"));
        }
    }
    for (sink, expected) in &reference.anti {
        let found = observed.anti.get(sink).unwrap_or(&none);
        let levels = |sources: &FxHashSet<Execution>| -> FxHashSet<Option<usize>> {
            sources.iter().map(|(s, iv)| level(observed.common(*s, sink.0), iv, &sink.1)).collect()
        };
        let (expected, found) = (levels(expected), levels(found));
        if expected != found {
            return Err(format!("anti of {sink:?} has levels {found:?}, not {expected:?}"));
        }
    }
    for (address, source, sink) in &observed.addresses {
        if !reference.shares(*address, source) || !reference.shares(*address, sink) {
            return Err(format!("{source:?} and {sink:?} do not share byte {address:#x}"));
        }
    }
    Ok(())
}
