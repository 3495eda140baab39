//! Loops of several blocks that are recorded once: their records are taken as those of the blocks along the way.
//!
//! Iterations that are one path of the innermost loop are applied as a row, without writing their words down.

use std::sync::Arc;

use trace::block::{Block, BlockId, Part, PartWord};

use crate::code::{CodeId, OwnAccesses};
use crate::contexts::{ContextId, Kind};
use crate::engine::Engine;
use crate::paths::NodeId;
use crate::walker::Functions;

/// Words of parts that are written down at a time.
const UNROLLED: usize = 1 << 14;

/// Iteration, and number of parts of it.
type Position = (u64, usize);

/// A loop of parts at some iteration.
struct Rolling<'r> {
    block: Arc<Block>,
    record: &'r [u64],
    iteration: u64,
    /// The words of the record at that iteration.
    words: Vec<u64>,
    /// The advance of those that every iteration has in common.
    advance: Vec<i64>,
}

/// A path found to be an iteration of a loop of parts, and what that depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Way {
    block: BlockId,
    /// The part that heads the loop.
    first: usize,
    node: NodeId,
    context: ContextId,
    /// Of what is known of functions.
    epoch: u64,
}

impl<'r> Rolling<'r> {
    fn new(block: &Arc<Block>, record: &'r [u64]) -> Rolling<'r> {
        let folded = block.folded.as_ref();
        let advance = folded.map(|f| f.advance(record).into_owned()).unwrap_or_default();
        let words = folded.map(|f| f.at(record, 0)).unwrap_or_default();
        Rolling { block: Arc::clone(block), record, iteration: 0, words, advance }
    }

    /// Whether iterations have words of their own.
    fn is_partly(&self) -> bool {
        self.block.folded.as_ref().is_some_and(|f| f.each > 0)
    }

    /// Goes on by `count` iterations.
    fn advance(&mut self, count: u64) {
        self.iteration += count;
        for (word, by) in self.words.iter_mut().zip(&self.advance) {
            *word = word.wrapping_add((*by as u64).wrapping_mul(count));
        }
        let Some(folded) = self.block.folded.as_ref().filter(|f| f.each > 0) else { return };
        let (fixed, each) = (self.advance.len(), usize::from(folded.each));
        let from =
            fixed.saturating_add(usize::try_from(self.iteration).unwrap_or(usize::MAX).saturating_mul(each));
        let own = self.record.get(from..).unwrap_or_default();
        self.words.truncate(fixed);
        self.words.extend_from_slice(&own[..own.len().min(each)]);
    }

    /// Appends the records of some parts.
    fn write(&self, parts: &[Part], out: &mut Vec<u64>) {
        parts.iter().for_each(|part| part.write(&self.words, out));
    }

    /// Appends the records of `count` iterations from part `first` around, and goes on by as many.
    fn write_iterations(&mut self, first: usize, count: u64, out: &mut Vec<u64>) {
        if count == 0 {
            return;
        }
        let block = Arc::clone(&self.block);
        let (next, parts) = block.parts.split_at(first);
        let fixed = self.advance.len();
        let each = block.folded.as_ref().map_or(0, |f| usize::from(f.each));
        let own_at = |iteration: u64| {
            let iteration = usize::try_from(iteration).unwrap_or(usize::MAX);
            fixed.saturating_add(iteration.saturating_mul(each))
        };
        let begin = out.len();
        self.write(parts, out);
        self.advance(1);
        self.write(next, out);
        let length = out.len() - begin;
        let rows = count as usize - 1;
        out.resize(out.len() + rows * length, 0);
        let (start, rest) = out[begin..].split_at_mut(length);
        let mut column = 0;
        // Column by column: words go on by their advance, or are those of the iteration.
        for (part, iteration) in
            parts.iter().map(|p| (p, self.iteration)).chain(next.iter().map(|p| (p, self.iteration + 1)))
        {
            let header = PartWord { word: None, delta: 0 };
            for word in std::iter::once(&header).chain(&part.words) {
                let cells = rest.iter_mut().skip(column).step_by(length);
                match word.word.map(usize::from) {
                    Some(own) if own >= fixed && own - fixed < each => {
                        let own = self
                            .record
                            .get(own_at(iteration).saturating_add(own - fixed)..)
                            .unwrap_or_default();
                        for (cell, value) in cells.zip(own.iter().step_by(each)) {
                            *cell = value.wrapping_add(word.delta as u64);
                        }
                    }
                    Some(word) if word < fixed => {
                        let (mut value, by) = (start[column], self.advance[word] as u64);
                        for cell in cells {
                            value = value.wrapping_add(by);
                            *cell = value;
                        }
                    }
                    _ => cells.for_each(|cell| *cell = start[column]),
                }
                column += 1;
            }
        }
        self.advance(count - 1);
    }

    /// Advance per iteration of the words of the parts' records, from part `first` around.
    fn advances(&self, first: usize) -> Vec<u64> {
        let (after, before) = self.block.parts.split_at(first);
        let of = |word: Option<u16>| {
            word.and_then(|w| self.advance.get(usize::from(w))).map_or(0, |&by| by as u64)
        };
        let parts = before.iter().chain(after);
        parts.flat_map(|part| std::iter::once(0).chain(part.words.iter().map(|w| of(w.word)))).collect()
    }
}

impl Engine {
    /// Takes the record of a loop of parts.
    pub(super) fn unroll(&mut self, code: CodeId, record: &[u64]) {
        let block = Arc::clone(self.codes.get(code));
        let Some(folded) = &block.folded else { return };
        let (whole, rest) = folded.extent(record);
        self.roll(&mut Rolling::new(&block, record), (whole, rest));
        // Where the analysis has ended meanwhile, not all accesses of the record were counted.
        if !self.saturated && !self.is_out_of_time {
            self.note_folded(&block, (whole, rest), 1);
        }
    }

    /// Counts accesses that came in `times` records of a whole loop.
    pub(crate) fn note_folded(&mut self, block: &Block, (whole, rest): (u64, usize), times: u64) {
        for (k, part) in block.parts.iter().enumerate() {
            let Some(code) = self.codes.of_header(u64::from(part.block)) else { continue };
            let all = OwnAccesses::of(self.codes.brief(code), self.codes.get(code).operands.len()).all;
            let executions = all.saturating_mul(whole + u64::from(k < rest)).saturating_mul(times);
            self.main_accesses.folded += executions;
            if block.folded.as_ref().is_some_and(|folded| folded.each > 0) {
                self.main_accesses.partly += executions;
            }
        }
    }

    /// The iterations of a loop, the last one up to some part.
    fn roll(&mut self, rolling: &mut Rolling<'_>, end: Position) {
        let parts = rolling.block.parts.len() as u64;
        let mut at = (0, 0);
        // Two iterations show whether the loop is known as one; then most others are a row.
        if end.0 > 4 && !self.reference {
            self.feed(rolling, at, (2, 0));
            let known = self.node.map_or(0, |node| self.paths.length(node) as usize);
            at = (2, 0);
            // The loop's own iterations may begin with another part than the record's.
            if let Some(first) = rolling.block.parts.len().checked_sub(known) {
                self.feed(rolling, at, (2, first));
                at = (2, first);
                // An iteration counts only if another one follows: its end is then known.
                let all = end.0.saturating_mul(parts).saturating_add(end.1 as u64);
                let count = ((all - 1 - first as u64) / parts).saturating_sub(1);
                if rolling.is_partly() {
                    at = self.take_own_rows(rolling, first, count);
                } else if count > 0 && self.is_iteration(&rolling.block, first) {
                    self.take_row(&rolling.advances(first), count);
                    rolling.advance(count - 1);
                    at = (count + 1, first);
                }
            }
        }
        self.feed(rolling, at, end);
    }

    /// Takes parts one by one, from one position of the loop to another.
    fn feed(&mut self, rolling: &mut Rolling<'_>, mut at: Position, end: Position) {
        let block = Arc::clone(&rolling.block);
        let mut out = std::mem::take(&mut self.parts_out);
        out.clear();
        let was_inside = std::mem::replace(&mut self.marks.is_inside, true);
        while at < end {
            let to = if at.0 == end.0 { end.1 } else { block.parts.len() };
            rolling.write(block.parts.get(at.1..to).unwrap_or_default(), &mut out);
            at = if at.0 == end.0 { end } else { (at.0 + 1, 0) };
            if at.1 == 0 {
                rolling.advance(1);
            }
            if out.len() >= UNROLLED {
                if self.is_over() {
                    break;
                }
                self.take_records(&out);
                out.clear();
            }
        }
        if !self.saturated && !self.is_out_of_time {
            self.take_records(&out);
        }
        self.marks.is_inside = was_inside;
        self.parts_out = out;
    }

    /// Whether the current path is an iteration of the innermost loop through all parts, from part `first` around, and the
    /// iteration before took the same path.
    fn is_iteration(&mut self, block: &Block, first: usize) -> bool {
        let (Some(node), Some(walker)) = (self.node, &self.walker) else { return false };
        let is_built = self.paths.built(node).and_then(|path| self.paths.get(path));
        if !is_built.is_some_and(|path| path.length == self.pending.len() && !path.flat && !path.allocates) {
            return false;
        }
        let (context, epoch) = (walker.context(), self.functions.epoch);
        let way = Way { block: block.id, first, node, context, epoch };
        if self.way == Some(way) {
            return true;
        }
        let (after, before) = block.parts.split_at(first);
        let steps = self.paths.steps(node);
        let codes = before.iter().chain(after).map(|part| self.codes.of_header(u64::from(part.block)));
        // It begins and ends in the loop; calls in between have come back.
        let is_way = steps.len() == block.parts.len()
            && codes.zip(&steps).all(|(code, step)| code == Some(step.code))
            && steps.first().is_some_and(|step| step.context == context);
        let Some(Kind::Loop { header, .. }) = is_way.then(|| self.contexts.get(context).kind) else {
            return false;
        };
        let (chain, heads) = self.functions.chain(walker.function(), header);
        // Nor does it begin one of a loop around it.
        let last = steps.last().map_or(header, |step| self.codes.brief(step.code).pc);
        let stays = self.functions.arrival(walker.function(), last, header) == header;
        let begins = steps.first().map(|step| self.codes.brief(step.code).pc) == Some(header);
        let length: usize = steps.iter().map(|step| self.codes.brief(step.code).words).sum();
        let is_known =
            begins && heads && stays && chain.last() == Some(&header) && self.pending.len() == length;
        self.way = is_known.then_some(way);
        is_known
    }

    /// The current path and those of the `count - 1` iterations after it are executed, and another iteration follows.
    fn take_row(&mut self, advance: &[u64], count: u64) {
        let (Some(node), Some(walker)) = (self.node.take(), &mut self.walker) else { return };
        let Some(path) = self.paths.built(node) else { return };
        let context = walker.context();
        let mut words = std::mem::take(&mut self.pending);
        if count > 1 {
            let second: Vec<u64> = words.iter().zip(advance).map(|(w, by)| w.wrapping_add(*by)).collect();
            words.extend(second);
        }
        walker.advance(&self.contexts, count as i64 - 1);
        self.loops.entry(context).or_default().iterations += count - 1;
        self.run(path, self.start_iv, count, &words);
    }

    /// The current path and those of the `count - 1` iterations after it are executed, each with words of its own, as long as
    /// they are iterations of the loop from part `first` around. Returns where it ended.
    fn take_own_rows(&mut self, rolling: &mut Rolling<'_>, first: usize, count: u64) -> Position {
        let mut left = count;
        while left > 0 && (left == count || !self.is_over()) {
            if !self.is_iteration(&rolling.block, first) {
                break;
            }
            let (Some(node), Some(walker)) = (self.node.take(), &mut self.walker) else { break };
            let Some(path) = self.paths.built(node) else { break };
            let context = walker.context();
            let mut words = std::mem::take(&mut self.pending);
            let taken = left.min((UNROLLED / words.len().max(1)).max(1) as u64);
            rolling.write_iterations(first, taken - 1, &mut words);
            walker.advance(&self.contexts, taken as i64 - 1);
            self.loops.entry(context).or_default().iterations += taken - 1;
            self.run(path, self.start_iv, taken, &words);
            left -= taken;
            if left > 0 {
                let at = (rolling.iteration, first);
                self.feed(rolling, at, (at.0 + 1, first));
            }
        }
        (rolling.iteration, first)
    }

    /// A loop of parts that a fault interrupted after whole iterations and some instructions of another one.
    pub(super) fn partial_parts(
        &mut self,
        block: &Arc<Block>,
        iterations: u64,
        instructions: u64,
        record: &[u64],
    ) {
        let mut rolling = Rolling::new(block, record);
        self.note_folded(block, (iterations, 0), 1);
        self.roll(&mut rolling, (iterations, 0));
        let mut left = instructions;
        self.marks.clear();
        for part in &block.parts {
            let Some(code) = self.codes.of_header(u64::from(part.block)) else { return };
            let all = self.codes.get(code).instrs.len() as u64;
            let mut words = Vec::new();
            part.write(&rolling.words, &mut words);
            if left < all {
                self.end_path(&[], 1);
                self.partial(part.block, 0, left, &words[1..]);
                return;
            }
            left -= all;
            self.take_records(&words);
        }
    }
}
