//! Rows that go on as those before them, taken together.
//!
//! A *row* is here an iteration of a loop with the loops inside it. Where the records of two iterations have the same form, those
//! of further ones are first compared as words: as long as each word goes on by the difference of the first two, they are a
//! *block of rows*. The same blocks of code run in it, as often, with addresses that move by constants, so none of its records
//! is cut into paths; what the two iterations left in the log says what each row executes.
//!
//! Vectors and words reach the folds in the order of the rows, many at a time (`Folder::rows`); memory takes the block as
//! a whole ([`shadow::Block`]), its dependences are filed by [`crate::rows`]; registers are followed in the first row and
//! in the last two, what lies between being as the last one (`Engine::registers_of_rows`).
//!
//! Invariant: after a block everything is as if its rows had been taken one by one: folds, streams, memory, registers, the
//! log. `crates/ddg/tests/blocks.rs` checks it.
//!
//! Limits: the rows of a block stand in one slice of words, and lie in one activation; they call nothing. Paths in
//! them have no words of every iteration, and each comes once a row. Rows that equal the one before are left to
//! [`crate::repeats`].

use shadow::{Block, Iv, MAX_DIMS, Operand, Record};
use trace::block::{Address, Folded};
use trace::stream;

use crate::code::address;
use crate::contexts::{ContextId, Kind};
use crate::engine::{Engine, LoopCount};
use crate::happenings::Happening;
use crate::observer::observer;
use crate::paths::Path;
use crate::repeats::Arrival;
use crate::rows::RowObserver;
use crate::walker::Event;

/// Fewest rows that are taken as a block.
const FEWEST: usize = 3;
/// Largest operand that a record may have.
const MAX_OPERAND: u32 = 4096;

/// Where the latest iterations of a loop begin in the words that are being taken.
#[derive(Debug, Clone, Copy)]
struct Mark {
    context: ContextId,
    /// Which entry of the loop it is.
    entry: u64,
    coordinate: i64,
    current: usize,
    previous: Option<usize>,
}

/// The marks of the loops around the current block, by dimension.
#[derive(Debug, Default)]
pub struct Marks {
    latest: [Option<Mark>; MAX_DIMS],
    /// The words being taken are not those of the recorder.
    pub is_inside: bool,
}

impl Marks {
    /// Other words are taken from now on.
    pub fn clear(&mut self) {
        self.latest = [None; MAX_DIMS];
    }
}

/// Executions of a path in the first row of a block.
#[derive(Debug)]
pub struct Stretch {
    /// The path.
    pub path: u32,
    /// Vector of the first execution.
    pub iv: Iv,
    /// Number of executions, the innermost coordinate advancing by 1.
    pub count: u64,
    /// The words of the first.
    pub words: Vec<u64>,
    /// What each word grows by from row to row.
    pub shifts: Vec<u64>,
}

impl Stretch {
    /// Vector and words of the first execution in a row; rows advance along `dim`.
    pub fn at(&self, dim: usize, row: u64) -> (Iv, Vec<u64>) {
        let words = self.words.iter().zip(&self.shifts);
        let words = words.map(|(w, by)| w.wrapping_add(by.wrapping_mul(row))).collect();
        (self.iv.advanced(dim, row as i64), words)
    }
}

/// A block of rows.
#[derive(Debug)]
struct RowBlock {
    /// The loop of which each row is an iteration.
    context: ContextId,
    dim: usize,
    rows: u64,
    stretches: Vec<Stretch>,
}

/// How many rows of the length of two that begin at `first` go on after them as the second after the first; each is followed
/// by the header that it begins with.
fn rows_after(words: &[u64], first: usize, length: usize, most: usize) -> usize {
    let Some(all) = words.get(first..).filter(|_| length > 0) else { return 0 };
    let mut rows = 0;
    while rows < most
        && let Some(three) = all.get(rows * length..(rows + 3) * length + 1)
    {
        let (a, rest) = three.split_at(length);
        let (b, c) = rest.split_at(length);
        // One word longer than the others.
        let differs = a
            .iter()
            .zip(b)
            .zip(c)
            .fold(0, |differs, ((a, b), c)| differs | (c.wrapping_sub(*b) ^ b.wrapping_sub(*a)));
        let (c, next) = c.split_at(length);
        if differs != 0 || c.first() != next.first() {
            break;
        }
        rows += 1;
    }
    rows
}

/// Whether the numbers of iterations and the advances of two records are the same, and stay so where words go on as from the
/// first to the second.
fn stays(folded: &Folded, first: &[u64], second: &[u64]) -> bool {
    let by = |at: u16| {
        let word = |record: &[u64]| record.get(usize::from(at)).copied();
        word(second).zip(word(first)).map(|(b, a)| b.wrapping_sub(a))
    };
    folded.each == 0
        && by(folded.entry).is_some_and(|entry| by(folded.exit) == Some(entry))
        && folded.leaves.as_ref().is_none_or(|leaves| by(leaves.number) == Some(0))
        && folded.advance(first) == folded.advance(second)
}

impl Engine {
    /// The walker has just arrived at the record at `at`, where an iteration begins. If the two before it go on as rows of a
    /// block, applies the block. Returns the number of its words; the walker is then at the record behind them.
    pub(crate) fn take_block(&mut self, words: &[u64], at: usize) -> usize {
        if self.marks.is_inside || !self.counts || !self.pending.is_empty() {
            return 0;
        }
        let Some(walker) = &self.walker else { return 0 };
        let (context, is_first) = match walker.events.last() {
            Some(Event::Enter(context)) => (*context, true),
            Some(Event::Iterate(context)) => (*context, false),
            _ => return 0,
        };
        let node = self.contexts.get(context);
        let Some(dim) = usize::from(node.dims).checked_sub(1).filter(|_| !node.flat) else { return 0 };
        let (coordinate, entry) = (walker.iv().0[dim], self.loops.get(&context).map_or(0, |l| l.entries));
        let mark = &mut self.marks.latest[dim];
        let before = mark.filter(|m| {
            !is_first
                && (m.context, m.entry) == (context, entry)
                && m.coordinate.checked_add(1) == Some(coordinate)
        });
        let latest = Mark { context, entry, coordinate, current: at, previous: before.map(|m| m.current) };
        *mark = Some(latest);
        let Some((previous, current)) = before.and_then(|m| Some((m.previous?, m.current))) else { return 0 };
        let length = at - current;
        if current - previous != length || self.repeats.is_counting() {
            return 0;
        }
        if rows_after(words, previous, length, FEWEST) < FEWEST {
            return 0;
        }
        let two = &words[previous..at];
        let Some(mut block) = self.block_of(context, (dim, coordinate), two) else { return 0 };
        let rows = rows_after(words, previous, length, usize::MAX);
        block.rows = rows as u64;
        self.apply_block(&block);
        let iterations = rows as i64;
        if let Some(walker) = &mut self.walker {
            walker.advance(&self.contexts, iterations);
        }
        let end = at + rows * length;
        self.marks.latest[dim] = Some(Mark {
            coordinate: coordinate.wrapping_add(iterations),
            current: end,
            previous: Some(end - length),
            ..latest
        });
        end - at
    }

    /// A block, of no rows yet, from a coordinate on, that goes on as two iterations: their words are given, and the log ends
    /// with them.
    fn block_of(&self, context: ContextId, (dim, coordinate): (usize, i64), two: &[u64]) -> Option<RowBlock> {
        let (first, second) = two.split_at(two.len() / 2);
        let (before, latest) = self.repeats.two_latest(dim)?;
        let mut stretches: Vec<Stretch> = Vec::new();
        for (one, other) in before.map(Some).chain(std::iter::repeat(None)).zip(latest.map(Some)) {
            let ((_, one), (iv, entry)) = one.zip(other)?;
            let is_alike =
                (one.path, one.count, one.words.len()) == (entry.path, entry.count, entry.words.len());
            if Happening::of(entry.path).is_some() {
                return None;
            }
            let path = self.paths.get(entry.path)?;
            let is_again = stretches.iter().any(|s| s.path == entry.path);
            let iv = iv.advanced(dim, 1);
            let is_next = iv.0[dim] == coordinate;
            if !is_alike || !is_next || is_again || !self.fits(path, context, entry.count, entry.words) {
                return None;
            }
            let shifts: Vec<u64> =
                entry.words.iter().zip(one.words).map(|(b, a)| b.wrapping_sub(*a)).collect();
            let words = entry.words.iter().zip(&shifts).map(|(w, by)| w.wrapping_add(*by)).collect();
            stretches.push(Stretch { path: entry.path, iv, count: entry.count, words, shifts });
        }
        let moves = stretches.iter().any(|s| s.shifts.iter().any(|by| *by != 0));
        (moves && self.is_straight(first, second)).then_some(RowBlock { context, dim, rows: 0, stretches })
    }

    /// Whether the records of an iteration and of the next one say the same but for words that move, and leave the activation
    /// as it is.
    fn is_straight(&self, first: &[u64], second: &[u64]) -> bool {
        let mut at = 0;
        while let Some(&head) = second.get(at) {
            if first.get(at) != Some(&head) || stream::is_special(head) {
                return false;
            }
            let Some(code) = self.codes.of_header(head) else { return false };
            let brief = self.codes.brief(code);
            let range = at..at + brief.words;
            let (Some(one), Some(other)) = (first.get(range.clone()), second.get(range)) else {
                return false;
            };
            if brief.has_parts || brief.special || brief.words == 0 {
                return false;
            }
            let folded = self.codes.get(code).folded.as_ref();
            if folded.is_some_and(|folded| !stays(folded, one, other)) {
                return false;
            }
            at += brief.words;
        }
        at == second.len()
    }

    /// Whether executions of a path may be part of a block of iterations of a loop.
    fn fits(&self, path: &Path, context: ContextId, count: u64, words: &[u64]) -> bool {
        let is_plain = !path.flat
            && !path.allocates
            && !path.irregular
            && !path.is_given_up
            && path.split.is_none()
            && path.saves.is_empty()
            && path.restores.is_empty()
            && !path.seen.are_crowded();
        let is_inside = |&step: &u32| {
            let own = self.instances.get(step).context;
            self.is_inside(own, context) && !self.canonical.replaces(own)
        };
        is_plain
            && words.len() == path.length
            && (count == 1 || path.folded.is_some())
            && path.steps.iter().all(is_inside)
            && path.operands.iter().all(|o| (1..=MAX_OPERAND).contains(&o.size))
    }

    /// Whether a context is a loop or lies in it, with nothing but loops between.
    fn is_inside(&self, mut context: ContextId, outer: ContextId) -> bool {
        while context != outer {
            let node = self.contexts.get(context);
            if !matches!(node.kind, Kind::Loop { .. }) || node.flat {
                return false;
            }
            context = node.parent;
        }
        true
    }

    fn apply_block(&mut self, block: &RowBlock) {
        let before = self.budget.work();
        self.budget.add(block.rows as usize);
        self.count_loops(block);
        self.fold_block(block);
        self.store_block(block);
        self.registers_of_block(block);
        self.log_block(block);
        let work = self.budget.work() - before;
        if let Some(mut path) = block.stretches.first().and_then(|s| self.paths.take(s.path)) {
            path.work += work;
            self.paths.put(block.stretches[0].path, path);
        }
    }

    /// Counts entries and iterations of the loops in a block.
    fn count_loops(&mut self, block: &RowBlock) {
        let mut counts: Vec<(ContextId, Iv, LoopCount)> = Vec::new();
        for stretch in &block.stretches {
            let Some(path) = self.paths.get(stretch.path) else { continue };
            let mut context = path.context;
            let mut last = stretch.iv.advanced(usize::from(path.dims.max(1)) - 1, stretch.count as i64 - 1);
            while context != block.context {
                let node = self.contexts.get(context);
                let lane = usize::from(node.dims.max(1)) - 1;
                last.0[lane + 1..].fill(0);
                let known = counts.iter_mut().rfind(|c| c.0 == context);
                let iterations = last.0[lane].wrapping_add(1) as u64;
                match known {
                    Some((_, seen, count)) if seen.0[..lane] == last.0[..lane] => {
                        count.iterations += last.0[lane].wrapping_sub(seen.0[lane]) as u64;
                        *seen = last;
                    }
                    Some((_, seen, count)) => {
                        *seen = last;
                        count.entries += 1;
                        count.iterations += iterations;
                    }
                    None => counts.push((context, last, LoopCount { entries: 1, iterations })),
                }
                context = node.parent;
            }
        }
        counts.push((block.context, Iv::ZERO, LoopCount { entries: 0, iterations: 1 }));
        for (context, _, each) in counts {
            let count = self.loops.entry(context).or_default();
            count.entries = count.entries.saturating_add(each.entries.saturating_mul(block.rows));
            count.iterations = count.iterations.saturating_add(each.iterations.saturating_mul(block.rows));
        }
    }

    /// Files vectors and words, and counts executions.
    fn fold_block(&mut self, block: &RowBlock) {
        let tracking = self.streams.tracking();
        for stretch in &block.stretches {
            self.note_turn(stretch.path, &stretch.iv);
            let Some(mut path) = self.paths.take(stretch.path) else { continue };
            if tracking != 0 && path.noted.0 != tracking {
                path.noted = (tracking, path.repeats);
            }
            self.account(&mut path, stretch.count.saturating_mul(block.rows));
            let folded = path.folded.as_ref().filter(|_| stretch.count > 1);
            let strides = folded.map(|folded| folded.advance(&stretch.words));
            path.seen.rows(stretch, (block.dim, block.rows), &path.columns, strides.as_deref());
            self.paths.put(stretch.path, path);
        }
    }

    /// Hands the accesses to the memory.
    fn store_block(&mut self, block: &RowBlock) {
        let mut operands = Vec::new();
        let mut shifts = Vec::new();
        for stretch in &block.stretches {
            let Some(path) = self.paths.get(stretch.path) else { continue };
            let now = operands_of(path, stretch, &stretch.words, self.thread_base);
            let next = operands_of(path, stretch, &stretch.at(block.dim, 1).1, self.thread_base);
            shifts.push(
                next.iter().zip(&now).map(|(b, a)| b.base.wrapping_sub(a.base) as i64).collect::<Vec<_>>(),
            );
            operands.push((stretch, path.dims, now));
        }
        let records: Vec<Record> = operands
            .iter()
            .map(|(stretch, dims, operands)| {
                let lane = dims.checked_sub(1).filter(|_| stretch.count > 1);
                Record { iv: stretch.iv, lane, count: stretch.count, operands }
            })
            .collect();
        let accesses: usize = records.iter().map(|record| record.operands.len()).sum();
        self.budget.add(accesses.saturating_mul(block.rows as usize));
        let Some(walker) = &self.walker else { return };
        let observer = observer!(self, walker);
        let (dim, rows) = (block.dim, block.rows);
        let mut observer = RowObserver::new(observer, &mut self.row_space, dim);
        self.memory.block(&Block { records: &records, shifts: &shifts, dim, rows }, &mut observer);
        observer.end();
    }

    fn registers_of_block(&mut self, block: &RowBlock) {
        self.registers_of_row(block, 0, 1);
        // The last one finds what the one before it has written.
        self.is_muted = true;
        self.registers_of_row(block, block.rows - 2, 1);
        self.is_muted = false;
        self.registers_of_row(block, block.rows - 1, block.rows - 1);
    }

    /// Register dependences of a row, which stands for `times` of them.
    fn registers_of_row(&mut self, block: &RowBlock, row: u64, times: u64) {
        for stretch in &block.stretches {
            let Some(mut path) = self.paths.take(stretch.path) else { continue };
            let (iv, words) = stretch.at(block.dim, row);
            let lane = path.dims.checked_sub(1);
            self.registers_of(&mut path, iv, (stretch.count, times), lane, &words);
            self.paths.put(stretch.path, path);
        }
    }

    /// Logs the rows; the last one as executions are that come one by one.
    fn log_block(&mut self, block: &RowBlock) {
        let tracked = self.repeats.tracked();
        self.repeats.push_rows(block.dim, &block.stretches, block.rows - 1);
        for stretch in &block.stretches {
            let Some(path) = self.paths.get(stretch.path) else { continue };
            let (iv, words) = stretch.at(block.dim, block.rows - 1);
            let (context, dims) = (path.context, usize::from(path.dims));
            let grows = path.folded.is_none() && dims > 0;
            let arrival = Arrival {
                path: stretch.path,
                context,
                dims,
                iv: &iv,
                count: stretch.count,
                words: &words,
                grows,
            };
            let latest = self.repeats.context();
            let common = match latest == context {
                true => dims,
                false => usize::from(self.contexts.common(latest, context)),
            };
            if let Some(dim) = self.repeats.arrive(&arrival, common) {
                self.repeats.refuse(dim);
            }
            self.repeats.push(&arrival);
        }
        if self.repeats.tracked() != tracked {
            self.streams.track(self.repeats.tracked().is_some());
        }
    }
}

/// The operands of a path with these words.
fn operands_of(path: &Path, stretch: &Stretch, words: &[u64], thread_base: u64) -> Vec<Operand> {
    let advance = path.folded.as_ref().filter(|_| stretch.count > 1).map(|folded| folded.advance(words));
    let stride = |recipe: &Address| match *recipe {
        Address::Word { word, .. } | Address::Segment { word: Some(word), .. } => {
            advance.as_ref().and_then(|a| a.get(usize::from(word)).copied()).unwrap_or(0)
        }
        _ => 0,
    };
    let of = |o: &crate::paths::PathOperand| {
        let base = address(&o.address, words, thread_base)?;
        Some(Operand { stmt: o.id, write: o.write, base, stride: stride(&o.address), size: o.size })
    };
    path.operands.iter().filter_map(of).collect()
}
