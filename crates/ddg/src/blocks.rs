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
//! Loops with few iterations are taken apart: their iterations are executions of their own, each of which goes on from row
//! to row. Where a path comes several times a row, folds take the rows in the middle as a number once they have seen two like
//! them, and dependences are gathered from all parts before they are filed ([`crate::rows`]).
//!
//! Storage of activations that a row begins and ends lies in the same place in all rows, so that what the two iterations
//! before the block have met has a name: it is not looked for again (see `Observer::named`).
//!
//! Limits: the rows of a block stand in one slice of words, and begin and end in one activation; what they call allocates
//! nothing and begins no team. Registers that an activation restores were saved in the same row. Rows that equal the one
//! before are left to [`crate::repeats`].

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use shadow::{Block, Iv, MAX_DIMS, Operand, Record};
use trace::block::{Address, Folded};
use trace::stream;

use crate::code::{CodeId, address};
use crate::contexts::{ContextId, Kind};
use crate::engine::{Engine, LoopCount};
use crate::happenings::Happening;
use crate::observer::observer;
use crate::paths::Path;
use crate::repeats::Arrival;
use crate::rows::{Gathers, RowObserver};
use crate::walker::Event;

/// Fewest rows that are taken as a block.
const FEWEST: usize = 3;
/// Largest operand that a record may have.
const MAX_OPERAND: u32 = 4096;
/// Fewest iterations of a loop inside a row that are taken as one record.
const LONG: u64 = 8;
/// Mean number of iterations of the loops inside a row from which on a row of many executions is not worth a block: each of
/// its records costs as much as in a block of the loop inside it.
const WORTH: u64 = 5;
/// Times that are let pass after refusals in a row, at most, as a power of two.
const LONGEST_WAIT: u32 = 5;
/// Most executions and operands of a row.
const MOST: usize = 1 << 15;

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
    /// By loop, how many times in a row its iterations went on alike and were no block, and how many further times are let
    /// pass: finding that out takes as long as many executions.
    refused: FxHashMap<ContextId, (u32, u32)>,
}

impl Marks {
    /// Other words are taken from now on.
    pub fn clear(&mut self) {
        self.latest = [None; MAX_DIMS];
    }

    /// Whether the iterations of a loop are to be looked at.
    fn tries(&mut self, context: ContextId) -> bool {
        match self.refused.get_mut(&context) {
            Some((_, wait)) if *wait > 0 => {
                *wait -= 1;
                false
            }
            _ => true,
        }
    }

    /// Iterations of a loop were no block.
    fn refuse(&mut self, context: ContextId) {
        let (times, wait) = self.refused.entry(context).or_default();
        *wait = (1 << *times) - 1;
        *times = (*times + 1).min(LONGEST_WAIT);
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
    /// What each word grows by from one execution to the next; empty if there is one.
    pub strides: Vec<i64>,
    /// Vector of the first of those that come as one record where rows are applied one by one.
    pub start: Iv,
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
    /// As the log has them.
    entries: Vec<Stretch>,
    /// As folds and memory take them.
    stretches: Vec<Stretch>,
    /// The loops of parts in a row, and the extent of each.
    rolled: Vec<(CodeId, (u64, usize))>,
    /// Paths come several times a row.
    is_mixed: bool,
    /// Activations begin and end in a row.
    calls: bool,
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
    by(folded.entry).is_some_and(|entry| by(folded.exit) == Some(entry))
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
        if !self.marks.tries(context) {
            return 0;
        }
        let two = &words[previous..at];
        let Some(mut block) = self.block_of(context, (dim, coordinate), two) else {
            self.marks.refuse(context);
            return 0;
        };
        self.marks.refused.remove(&context);
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
        if first == second {
            return None;
        }
        let rolled = self.straight(first, second)?;
        // Most nests are left to the loop inside: they are looked at before anything is taken apart.
        let (mut executions, mut pieces, mut is_mixed) = (0, 0, false);
        let mut paths = FxHashSet::default();
        for (_, entry) in latest {
            executions += entry.count;
            pieces += if entry.count < LONG { entry.count } else { 1 };
            is_mixed |= !paths.insert(entry.path) || (2..LONG).contains(&entry.count);
        }
        let is_worth = executions < WORTH.saturating_mul(pieces);
        if is_mixed && !is_worth {
            return None;
        }
        let mut entries: Vec<Stretch> = Vec::new();
        let mut stretches: Vec<Stretch> = Vec::new();
        let (mut operands, mut calls, mut apart) = (0, false, None);
        let mut saved = FxHashSet::default();
        for (one, other) in before.map(Some).chain(std::iter::repeat(None)).zip(latest.map(Some)) {
            let ((before, one), (iv, entry)) = one.zip(other)?;
            let is_alike =
                (one.path, one.count, one.words.len()) == (entry.path, entry.count, entry.words.len());
            if Happening::of(entry.path).is_some() {
                return None;
            }
            let path = self.paths.get(entry.path)?;
            // The first vectors of both come from what was executed before them.
            let is_next = iv.minus(&before) == *apart.get_or_insert(iv.minus(&before))
                && iv.0[dim].checked_add(1) == Some(coordinate);
            if !is_alike || !is_next || !self.fits(path, context, &mut calls) {
                return None;
            }
            let shifts: Vec<u64> =
                entry.words.iter().zip(one.words).map(|(b, a)| b.wrapping_sub(*a)).collect();
            let words: Vec<u64> =
                entry.words.iter().zip(&shifts).map(|(w, by)| w.wrapping_add(*by)).collect();
            let keeps_registers = !path.saves.is_empty() || !path.restores.is_empty();
            if keeps_registers
                && (entry.count > 1 || !self.restores_what_it_saves(path, [entry.words, &words], &mut saved))
            {
                return None;
            }
            let iv = iv.advanced(dim, 1);
            let (path_id, count, strides) = (entry.path, entry.count, Vec::new());
            let entry = Stretch { path: path_id, iv, count, words, shifts, strides, start: iv };
            // Several sources of one load would come in another order than they do as one record.
            let has_several = path.operands.iter().any(|o| !o.write && self.streams.has_several(o.id));
            let known = stretches.len();
            take_apart(path, &entry, has_several, &mut stretches)?;
            entries.push(entry);
            operands += path.operands.len() * (stretches.len() - known);
            if stretches.len().max(operands) > MOST {
                return None;
            }
        }
        if calls && !is_worth {
            return None;
        }
        // Of long loops the iterations of which are not one record, too.
        is_mixed |= stretches.len() > entries.len();
        Some(RowBlock { context, dim, rows: 0, entries, stretches, rolled, is_mixed, calls })
    }

    /// Whether the registers that a path restores are those that were saved in the same row, in storage that stays: given the
    /// words of two rows.
    fn restores_what_it_saves(
        &self,
        path: &Path,
        rows: [&[u64]; 2],
        saved: &mut FxHashSet<(u8, u64)>,
    ) -> bool {
        let slot = |operand: u32| {
            let recipe = &path.operands.get(operand as usize)?.address;
            let [one, other] = rows.map(|words| address(recipe, words, self.thread_base));
            one.filter(|_| one == other)
        };
        let are_known =
            path.restores.iter().all(|r| slot(r.operand).is_some_and(|at| saved.contains(&(r.register, at))));
        are_known
            && path.saves.iter().all(|save| {
                slot(save.operand).is_some_and(|at| {
                    saved.insert((save.register, at));
                    true
                })
            })
    }

    /// Whether the records of an iteration and of the next one say the same but for words that move, and leave the activation
    /// as it is. Gives the loops of parts in them, with the extent of each.
    fn straight(&self, first: &[u64], second: &[u64]) -> Option<Vec<(CodeId, (u64, usize))>> {
        if self.is_allocating() {
            return None;
        }
        let mut rolled = Vec::new();
        let mut at = 0;
        while let Some(&head) = second.get(at) {
            if first.get(at) != Some(&head) || stream::is_special(head) {
                return None;
            }
            let code = self.codes.of_header(head)?;
            let block = self.codes.get(code);
            let length = block.length(head);
            let range = at..at + length;
            let (one, other) = (first.get(range.clone())?, second.get(range)?);
            let is_watched = |code: CodeId| {
                let block = self.codes.get(code);
                block.arguments.is_some() && self.may_allocate(block.pc)
                    || self.threads.teams.mark(block.pc).is_some()
            };
            let mut parts = block.parts.iter().map(|part| self.codes.of_header(u64::from(part.block)));
            if length == 0
                || is_watched(code)
                || !parts.all(|part| part.is_some_and(|part| !is_watched(part)))
            {
                return None;
            }
            let has_parts = !block.parts.is_empty();
            if let Some(folded) = &block.folded {
                if !stays(folded, one, other) || !has_parts && folded.each > 0 {
                    return None;
                }
                if has_parts {
                    rolled.push((code, folded.extent(other)));
                }
            }
            at += length;
        }
        (at == second.len()).then_some(rolled)
    }

    /// Whether executions of a path may be part of a block of iterations of a loop; whether activations begin there is
    /// noted.
    fn fits(&self, path: &Path, context: ContextId, calls: &mut bool) -> bool {
        let is_plain = !path.flat
            && !path.allocates
            && !path.irregular
            && !path.is_given_up
            && path.turn.is_none()
            && path.split.is_none()
            && !path.seen.are_crowded();
        let mut is_inside = |&step: &u32| {
            let own = self.instances.get(step).context;
            self.is_inside(own, context, calls)
        };
        is_plain
            && path.steps.iter().all(&mut is_inside)
            && path.operands.iter().all(|o| (1..=MAX_OPERAND).contains(&o.size))
    }

    /// Whether a context is a loop or lies in it, with nothing but loops and calls between.
    fn is_inside(&self, mut context: ContextId, outer: ContextId, calls: &mut bool) -> bool {
        if self.canonical.replaces(context) {
            return false;
        }
        while context != outer {
            let node = self.contexts.get(context);
            let is_call = matches!(node.kind, Kind::Call { .. });
            if !(is_call || matches!(node.kind, Kind::Loop { .. })) || node.flat {
                return false;
            }
            *calls |= is_call;
            context = node.parent;
        }
        true
    }

    fn apply_block(&mut self, block: &RowBlock) {
        let before = self.budget.work();
        self.budget.add(block.rows as usize);
        self.count_loops(block);
        for &(code, extent) in &block.rolled {
            let rolled = Arc::clone(self.codes.get(code));
            self.note_folded(&rolled, extent, block.rows);
        }
        self.fold_block(block);
        self.store_block(block);
        self.registers_of_block(block);
        self.log_block(block);
        let work = self.budget.work() - before;
        if let Some(first) = block.entries.first()
            && let Some(mut path) = self.paths.take(first.path)
        {
            path.work += work;
            self.paths.put(first.path, path);
        }
    }

    /// Counts entries and iterations of the loops in a block.
    fn count_loops(&mut self, block: &RowBlock) {
        let mut counts: Vec<(ContextId, Iv, LoopCount)> = Vec::new();
        for entry in &block.entries {
            let Some(path) = self.paths.get(entry.path) else { continue };
            let mut context = path.context;
            let mut last = entry.iv.advanced(usize::from(path.dims.max(1)) - 1, entry.count as i64 - 1);
            while context != block.context {
                let node = self.contexts.get(context);
                if !matches!(node.kind, Kind::Loop { .. }) {
                    context = node.parent;
                    continue;
                }
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
        let mut order: Vec<&Stretch> = block.stretches.iter().collect();
        if block.is_mixed {
            order.sort_by_key(|stretch| stretch.path);
        }
        for stretches in order.chunk_by(|a, b| a.path == b.path) {
            let first = stretches[0];
            self.note_turn(first.path, &first.iv);
            let Some(mut path) = self.paths.take(first.path) else { continue };
            if tracking != 0 && path.noted.0 != tracking {
                path.noted = (tracking, path.repeats);
            }
            let count: u64 = stretches.iter().map(|stretch| stretch.count).sum();
            self.account(&mut path, count.saturating_mul(block.rows));
            match stretches {
                [one] => path.seen.rows(one, (block.dim, block.rows), &path.columns),
                all => path.seen.many_rows(all, (block.dim, block.rows), &path.columns),
            }
            self.paths.put(first.path, path);
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
        let mut observer = observer!(self, walker);
        if block.calls {
            observer.named = walker.begun();
        }
        let (dim, rows) = (block.dim, block.rows);
        let starts = || {
            let apart = operands.iter().filter(|(stretch, ..)| stretch.start != stretch.iv);
            let all =
                apart.flat_map(|(stretch, _, operands)| operands.iter().map(move |o| (stretch, o.stmt)));
            all.map(|(stretch, stmt)| ((stmt, stretch.iv), stretch.start)).collect()
        };
        let first = block.entries.first().map_or(0, |entry| entry.iv.0[dim]);
        let gathers = block.is_mixed.then_some(Gathers { first, starts: &starts });
        let mut observer = RowObserver::new(observer, &mut self.row_space, dim, gathers);
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
        for entry in &block.entries {
            let Some(mut path) = self.paths.take(entry.path) else { continue };
            let (iv, words) = entry.at(block.dim, row);
            let (lane, path_length) = (path.dims.checked_sub(1), path.length);
            let has_all = path.folded.is_none() && words.len() == entry.count as usize * path_length;
            let mut part = |iv: Iv, count: u64, words: &[u64]| {
                self.registers_of(&mut path, iv, (count, times), lane, words);
            };
            match lane.filter(|_| entry.count > 1) {
                // As they come: one execution ends the path that the others then repeat.
                Some(q) if has_all => {
                    part(iv, 1, &words);
                    part(iv.advanced(usize::from(q), 1), entry.count - 1, &words[path_length..]);
                }
                _ => part(iv, entry.count, &words),
            }
            self.paths.put(entry.path, path);
        }
    }

    /// Logs the rows; the last one as executions are that come one by one.
    fn log_block(&mut self, block: &RowBlock) {
        let tracking = self.repeats.tracking();
        self.repeats.push_rows(block.dim, block.rows - 1);
        for stretch in &block.entries {
            let Some(path) = self.paths.get(stretch.path) else { continue };
            let (iv, words) = stretch.at(block.dim, block.rows - 1);
            let (context, dims) = (path.context, usize::from(path.dims));
            let grows =
                path.folded.is_none() && dims > 0 && words.len() == stretch.count as usize * path.length;
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
        if self.repeats.tracking() != tracking {
            self.streams.track(self.repeats.tracked());
        }
    }
}

/// Takes an entry of the log apart into executions that folds and memory take along the rows, unless it `stays` as it is or
/// is long. `None` if it has not the words of every execution.
fn take_apart(path: &Path, entry: &Stretch, stays: bool, stretches: &mut Vec<Stretch>) -> Option<()> {
    let (count, length) = (entry.count as usize, path.length);
    let lane = usize::from(path.dims.max(1) - 1);
    let one = |t: usize, words: Vec<u64>, shifts: Vec<u64>| Stretch {
        path: entry.path,
        iv: entry.iv.advanced(lane, t as i64),
        count: 1,
        words,
        shifts,
        strides: Vec::new(),
        start: entry.iv,
    };
    let is_whole = entry.count >= LONG || stays;
    if let Some(folded) = &path.folded {
        if entry.words.len() != length {
            return None;
        }
        let strides = folded.advance(&entry.words);
        if count == 1 || is_whole {
            let strides = if count == 1 { Vec::new() } else { strides.to_vec() };
            let (words, shifts) = (entry.words.clone(), entry.shifts.clone());
            stretches.push(Stretch { count: entry.count, strides, ..one(0, words, shifts) });
            return Some(());
        }
        for t in 0..count {
            let words = entry.words.iter().zip(strides.iter());
            let words = words.map(|(w, by)| w.wrapping_add_signed(by.wrapping_mul(t as i64))).collect();
            stretches.push(one(t, words, entry.shifts.clone()));
        }
        return Some(());
    }
    if length == 0 || count > MOST {
        return None;
    }
    // All words, or those of the first two, which show how the others go on.
    let has_all = entry.words.len() == count * length;
    if !has_all && entry.words.len() != 2 * length {
        return None;
    }
    let by = |words: &[u64]| -> Vec<u64> {
        (0..length).map(|k| words.get(length + k).map_or(0, |w| w.wrapping_sub(words[k]))).collect()
    };
    if is_whole && count > 1 {
        let strides = by(&entry.words);
        let advances = |two: &[u64]| {
            let (a, b) = two.split_at(length);
            a.iter().zip(b).zip(&strides).all(|((a, b), by)| a.wrapping_add(*by) == *b)
        };
        let is_even = entry.words.windows(2 * length).step_by(length).all(advances)
            && entry.shifts.chunks_exact(length).all(|own| own == &entry.shifts[..length]);
        if is_even {
            let (words, shifts) = (entry.words[..length].to_vec(), entry.shifts[..length].to_vec());
            let strides = strides.iter().map(|by| by.cast_signed()).collect();
            stretches.push(Stretch { count: entry.count, strides, ..one(0, words, shifts) });
            return Some(());
        }
    }
    if !has_all {
        let (words, shifts) = (by(&entry.words), by(&entry.shifts));
        for t in 0..count {
            let at = |first: &[u64], by: &[u64]| {
                first.iter().zip(by).map(|(x, by)| x.wrapping_add(by.wrapping_mul(t as u64))).collect()
            };
            stretches.push(one(t, at(&entry.words[..length], &words), at(&entry.shifts[..length], &shifts)));
        }
        return Some(());
    }
    let all = entry.words.chunks_exact(length).zip(entry.shifts.chunks_exact(length));
    // The first one ends the path that the others then repeat.
    let start = |t: usize| entry.iv.advanced(lane, i64::from(t > 0));
    stretches.extend(
        all.enumerate().map(|(t, (words, shifts))| Stretch {
            start: start(t),
            ..one(t, words.to_vec(), shifts.to_vec())
        }),
    );
    Some(())
}

/// The operands of a path with these words.
fn operands_of(path: &Path, stretch: &Stretch, words: &[u64], thread_base: u64) -> Vec<Operand> {
    let stride = |recipe: &Address| match *recipe {
        Address::Word { word, .. } | Address::Segment { word: Some(word), .. } => {
            stretch.strides.get(usize::from(word)).copied().unwrap_or(0)
        }
        _ => 0,
    };
    let of = |o: &crate::paths::PathOperand| {
        let base = address(&o.address, words, thread_base)?;
        Some(Operand { stmt: o.id, write: o.write, base, stride: stride(&o.address), size: o.size })
    };
    path.operands.iter().filter_map(of).collect()
}
