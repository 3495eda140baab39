//! From records back to single accesses, in program order.
//!
//! Slow and simple: the definition of what a record means, for checks and for consumers of plain address streams.

use crate::block::{Access, Address, Block};
use crate::stream::{self, Special, StreamError};

/// What a stream consists of when every record is spelled out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// One pass through a block (one iteration of a folded one); its accesses follow.
    Pass {
        /// The block.
        block: &'a Block,
        /// How many of its instructions completed.
        instructions: usize,
    },
    /// One memory access; inactive lanes make none, a repeated string operand makes one over its whole range.
    Touch {
        /// The block.
        block: &'a Block,
        /// Index of the operand.
        operand: usize,
        /// First byte.
        address: u64,
        /// Number of bytes.
        bytes: u64,
        /// Load or store.
        access: Access,
    },
    /// A special record other than `Partial`, which becomes passes.
    Special(Special<'a>),
}

/// Expands the slices of one thread, in order.
#[derive(Debug, Clone, Default)]
pub struct Expander {
    thread_base: u64,
}

impl Expander {
    /// At the start of a stream.
    pub fn new() -> Self {
        Expander::default()
    }

    /// Expands one slice of whole records; `blocks` are the blocks published so far, by number.
    ///
    /// # Errors
    /// If the slice does not consist of whole valid records; the error names the word.
    pub fn expand<'a>(
        &mut self,
        words: &'a [u64],
        blocks: &'a [Block],
        visit: &mut dyn FnMut(Event<'a>),
    ) -> Result<(), StreamError> {
        let mut at = 0;
        while let Some(&head) = words.get(at) {
            if stream::is_special(head) {
                let (special, len) = stream::special(&words[at..]).map_err(|e| moved(e, at))?;
                match special {
                    Special::Partial { block, iterations, instructions, words } => {
                        let block = blocks.get(block as usize).ok_or(StreamError::UnknownBlock(at))?;
                        let mut record = vec![u64::from(block.id)];
                        record.extend_from_slice(words);
                        record.resize(record.len().max(usize::from(block.words)), 0);
                        self.iterations(block, &record, iterations, blocks, visit)
                            .ok_or(StreamError::UnknownBlock(at))?;
                        self.incomplete(block, &record, iterations, instructions, blocks, visit)
                            .ok_or(StreamError::UnknownBlock(at))?;
                    }
                    Special::ThreadBase(base) => {
                        self.thread_base = base;
                        visit(Event::Special(special));
                    }
                    _ => visit(Event::Special(special)),
                }
                at += len;
                continue;
            }
            let block = blocks.get(head as u32 as usize).ok_or(StreamError::UnknownBlock(at))?;
            let end = at + block.length(head);
            let record = words.get(at..end).ok_or(StreamError::Truncated(at))?;
            let (whole, parts) = block.folded.as_ref().map_or((1, 0), |f| f.extent(record));
            self.iterations(block, record, whole, blocks, visit).ok_or(StreamError::UnknownBlock(at))?;
            if parts > 0 {
                self.parts(block, record, (whole, parts), blocks, visit)
                    .ok_or(StreamError::UnknownBlock(at))?;
            }
            at = end;
        }
        Ok(())
    }

    /// Whole iterations of a block. `None` if a part is unknown.
    fn iterations<'a>(
        &self,
        block: &'a Block,
        record: &[u64],
        count: u64,
        blocks: &'a [Block],
        visit: &mut dyn FnMut(Event<'a>),
    ) -> Option<()> {
        for t in 0..count {
            match block.parts.len() {
                0 => self.pass(block, record, t, block.instrs.len(), visit),
                parts => self.parts(block, record, (t, parts), blocks, visit)?,
            }
        }
        Some(())
    }

    /// The first parts of iteration `t` of a loop. `None` if one is unknown.
    fn parts<'a>(
        &self,
        block: &'a Block,
        record: &[u64],
        (t, parts): (u64, usize),
        blocks: &'a [Block],
        visit: &mut dyn FnMut(Event<'a>),
    ) -> Option<()> {
        let moved = block.folded.as_ref()?.at(record, t);
        let mut words = Vec::new();
        for part in block.parts.iter().take(parts) {
            let block = blocks.get(part.block as usize)?;
            words.clear();
            part.write(&moved, &mut words);
            self.pass(block, &words, 0, block.instrs.len(), visit);
        }
        Some(())
    }

    /// The interrupted iteration of a block. `None` if a part is unknown.
    fn incomplete<'a>(
        &self,
        block: &'a Block,
        record: &[u64],
        t: u64,
        mut instructions: u64,
        blocks: &'a [Block],
        visit: &mut dyn FnMut(Event<'a>),
    ) -> Option<()> {
        let Some(folded) = block.folded.as_ref().filter(|_| !block.parts.is_empty()) else {
            self.pass(block, record, t, instructions as usize, visit);
            return Some(());
        };
        let moved = folded.at(record, t);
        for part in &block.parts {
            let block = blocks.get(part.block as usize)?;
            let mut words = Vec::new();
            part.write(&moved, &mut words);
            let all = block.instrs.len() as u64;
            self.pass(block, &words, 0, instructions.min(all) as usize, visit);
            if instructions < all {
                break;
            }
            instructions -= all;
        }
        Some(())
    }

    fn pass<'a>(
        &self,
        block: &'a Block,
        record: &[u64],
        iteration: u64,
        instructions: usize,
        visit: &mut dyn FnMut(Event<'a>),
    ) {
        visit(Event::Pass { block, instructions });
        let advance = block.folded.as_ref().map(|f| f.advance(record)).unwrap_or_default();
        let word = |w: u16| {
            let w = usize::from(w);
            let stride = advance.get(w).map_or(0, |&s| s as u64);
            record.get(w).copied().unwrap_or_default().wrapping_add(stride.wrapping_mul(iteration))
        };
        for (operand, o) in block.operands.iter().enumerate() {
            if usize::from(o.instr) >= instructions {
                break;
            }
            if let Some((address, bytes)) = locate(&o.address, u64::from(o.size), self.thread_base, &word) {
                visit(Event::Touch { block, operand, address, bytes, access: o.access });
            }
        }
    }
}

/// The bytes an operand of `size` bytes touches: `(address, length)`, or `None` if it makes no access. `word` gives
/// the record's words for the iteration in question.
pub fn locate(
    address: &Address,
    size: u64,
    thread_base: u64,
    word: &dyn Fn(u16) -> u64,
) -> Option<(u64, u64)> {
    Some(match *address {
        Address::Constant(address) => (address, size),
        Address::Word { word: w, delta } => (word(w).wrapping_add(delta as u64), size),
        Address::Segment { word: w, delta } => {
            let base = thread_base.wrapping_add(w.map_or(0, word));
            (base.wrapping_add(delta as u64), size)
        }
        Address::Span { from, to } => {
            let (from, to) = (word(from), word(to));
            match to.wrapping_sub(from) as i64 {
                0 => return None,
                n if n > 0 => (from, n as u64),
                n => (to.wrapping_add(size), n.unsigned_abs()),
            }
        }
        Address::Lane { base, index_word, index_shift, index_bits, scale, delta, mask } => {
            if let Some((w, bit)) = mask
                && word(w) >> bit & 1 == 0
            {
                return None;
            }
            let index = word(index_word) >> index_shift;
            let index = if index_bits == 32 { index as u32 as i32 as u64 } else { index };
            let offset = index.wrapping_mul(u64::from(scale)).wrapping_add(delta as u64);
            (base.map_or(0, word).wrapping_add(offset), size)
        }
    })
}

fn moved(error: StreamError, at: usize) -> StreamError {
    match error {
        StreamError::Truncated(k) => StreamError::Truncated(k + at),
        StreamError::Malformed(k) => StreamError::Malformed(k + at),
        StreamError::UnknownBlock(k) => StreamError::UnknownBlock(k + at),
    }
}
