//! The raw record stream: 64-bit words.
//!
//! A record starts with a header word. Below [`SPECIAL_BASE`], its low 32 bits are a block id and the record's length is
//! the block's [`crate::block::Block::words`]. From [`SPECIAL_BASE`] on it is a special record, and the high 32 bits
//! are the number of payload words that follow.

use crate::block::Access;
use crate::contract::Mark;

/// Low half of the smallest special header.
pub const SPECIAL_BASE: u32 = 0xffff_ff00;

const THREAD_BASE: u32 = SPECIAL_BASE;
const EFFECT: u32 = SPECIAL_BASE + 1;
const PARTIAL: u32 = SPECIAL_BASE + 2;
const SIGNAL: u32 = SPECIAL_BASE + 3;
const RESUME: u32 = SPECIAL_BASE + 4;
const GAP: u32 = SPECIAL_BASE + 5;
const OUTSIDE: u32 = SPECIAL_BASE + 6;
const END: u32 = SPECIAL_BASE + 7;
const CLOSED: u32 = SPECIAL_BASE + 8;
const HANDED: u32 = SPECIAL_BASE + 9;

/// A record the recorder injects between block records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special<'a> {
    /// The base address of thread-local operands, from here on.
    ThreadBase(u64),
    /// Memory that a system call, or a function by its contract, read or wrote: the call's number, its result, and pairs `(address,
    /// length)`; bits of the length say whether it is a write and what else is known ([`touched`]).
    Effect {
        /// System call number.
        number: u64,
        /// Its result.
        result: u64,
        /// Alternating address and length words.
        ranges: &'a [u64],
    },
    /// The previous block did not complete. The block's record is given as far as it was written; only its first
    /// `instructions` instructions ran (for a folded block: `iterations` whole iterations, then that many).
    Partial {
        /// The block.
        block: u32,
        /// Whole iterations that completed, for a folded block.
        iterations: u64,
        /// Instructions of the interrupted pass that completed.
        instructions: u64,
        /// The record's words after the header, as many as were written.
        words: &'a [u64],
    },
    /// A signal handler starts at `handler`: a call from a pseudo site.
    Signal {
        /// Signal number.
        number: u64,
        /// Address of the handler.
        handler: u64,
    },
    /// Control continues at `pc` for a reason no instruction shows (return from a signal handler).
    Resume(u64),
    /// Recording was off in between, and goes on where a function is entered, or in the middle of one.
    Gap {
        /// Instructions not recorded, 0 if unknown.
        instructions: u64,
        /// Where the function's return address lies: the stack pointer at its entry.
        stack: u64,
    },
    /// Control left the code that is recorded and is back in it.
    Outside(Outside),
    /// What a function that has to do with tasks of OpenMP is handed in memory: a function of a runtime that control has just left to, or that of
    /// a task, which control is about to come back to.
    Handed {
        /// Its address.
        function: u64,
        /// The first integer argument that lies on the stack; 0 if there is none.
        stacked: u64,
        /// A digest of the block of memory with the task's own data; 0 if it has none.
        digest: u64,
        /// Pairs: how `depend` uses something ([`crate::depends`]), and its address.
        depends: &'a [u64],
    },
    /// The thread ends.
    End,
    /// Recording is off from here on, where the loop was left with which it had begun: nothing is under way.
    Closed,
}

/// What ran between two records where only part of the code is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outside {
    /// Address that control left to; where the thread began if nothing of it was recorded before, 0 for the first.
    pub target: u64,
    /// First two integer arguments: of the function that is entered, else as of then, in case it was a call.
    pub arguments: [u64; 2],
    /// Integer result as of the return, in case it was one; address of the function that is entered.
    pub result: u64,
    /// The stack pointer on the way back.
    pub stack: u64,
    /// Control comes back by entering a function, the return address of which lies at `stack`.
    pub entered: bool,
    /// What ran is a runtime that does nothing to the program's data and keeps what functions have to keep; else it may have done anything.
    pub is_runtime: bool,
}

/// The bits of the flags of an [`Outside`].
const ENTERED: u64 = 1;
/// See [`ENTERED`].
const RUNTIME: u64 = 2;

/// Addresses at which no program can have memory: ranges of [`Special::Effect`] there stand for the state of descriptors of files,
/// their position and the order of what is read and written, eight bytes for each from that of descriptor 0 on.
pub const POSITIONS: std::ops::Range<u64> = 0x100..0x1_0000;

/// Addresses likewise that stand for the hidden states of libraries ([`crate::contract::STATES`]), eight bytes for each.
pub const HIDDEN: std::ops::Range<u64> = 0x8..0x100;

/// Addresses likewise that stand for what files hold, whose own addresses in memory nobody has: [`CONTENT_BYTES`] for each file.
pub const CONTENTS: std::ops::Range<u64> = 1 << 56..1 << 62;

/// Addresses that stand for what one file holds.
pub const CONTENT_BYTES: u64 = 1 << 44;

/// The address that stands for a byte of a file, by the number of the file; the last one stands for its end. Numbers that are too large
/// are taken for others.
pub fn content_of(file: u64, offset: u64) -> u64 {
    let files = (CONTENTS.end - CONTENTS.start) / CONTENT_BYTES;
    CONTENTS.start + file % files * CONTENT_BYTES + offset.min(CONTENT_BYTES - 1)
}

/// The address that stands for a hidden state, by its number.
pub fn hidden_state(number: u8) -> u64 {
    HIDDEN.start + u64::from(number) * 8
}

/// The address that stands for the state of a descriptor; `None` for numbers that are too large or none.
pub fn position_of(descriptor: u64) -> Option<u64> {
    let address = descriptor.checked_mul(8)?.checked_add(POSITIONS.start)?;
    POSITIONS.contains(&address).then_some(address)
}

/// The bit that marks a written range in [`Special::Effect`].
pub const EFFECT_WRITE: u64 = 1 << 63;
/// Bits of the length that say what else is known of a range ([`Mark`]), a number from this bit on.
const MARK_SHIFT: u32 = 56;
/// The bits of that number.
const MARK_BITS: u64 = 7;

/// The word of [`Special::Effect`] for the length of a range.
pub fn effect_length(length: u64, access: Access, mark: Mark) -> u64 {
    let number = match mark {
        Mark::None => 0,
        Mark::Input => 1,
        Mark::Output => 2,
        Mark::Allocated => 3,
        Mark::Resized => 4,
        Mark::Freed => 5,
    };
    let write = if access == Access::Write { EFFECT_WRITE } else { 0 };
    length.min(LONGEST_EFFECT) | number << MARK_SHIFT | write
}

/// Most bytes of a range.
const LONGEST_EFFECT: u64 = (1 << MARK_SHIFT) - 1;

/// A range of memory of [`Special::Effect`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touched {
    /// Where it begins.
    pub start: u64,
    /// Bytes.
    pub length: u64,
    /// It is written.
    pub write: bool,
    /// What else is known of it.
    pub mark: Mark,
}

/// The ranges of [`Special::Effect`], by its words.
pub fn touched(ranges: &[u64]) -> impl Iterator<Item = Touched> {
    ranges.chunks_exact(2).map(|pair| {
        let (start, word) = (pair[0], pair[1]);
        let mark = match word >> MARK_SHIFT & MARK_BITS {
            1 => Mark::Input,
            2 => Mark::Output,
            3 => Mark::Allocated,
            4 => Mark::Resized,
            5 => Mark::Freed,
            _ => Mark::None,
        };
        Touched { start, length: word & LONGEST_EFFECT, write: word & EFFECT_WRITE != 0, mark }
    })
}

fn header(id: u32, payload: usize) -> u64 {
    u64::from(id) | (payload as u64) << 32
}

impl Special<'_> {
    /// Appends the record to `out`.
    pub fn write(&self, out: &mut Vec<u64>) {
        match *self {
            Special::ThreadBase(base) => out.extend([header(THREAD_BASE, 1), base]),
            Special::Effect { number, result, ranges } => {
                out.extend([header(EFFECT, 2 + ranges.len()), number, result]);
                out.extend_from_slice(ranges);
            }
            Special::Partial { block, iterations, instructions, words } => {
                out.extend([header(PARTIAL, 3 + words.len()), u64::from(block), iterations, instructions]);
                out.extend_from_slice(words);
            }
            Special::Signal { number, handler } => out.extend([header(SIGNAL, 2), number, handler]),
            Special::Resume(pc) => out.extend([header(RESUME, 1), pc]),
            Special::Gap { instructions, stack } => out.extend([header(GAP, 2), instructions, stack]),
            Special::End => out.push(header(END, 0)),
            Special::Closed => out.push(header(CLOSED, 0)),
            Special::Outside(Outside {
                target,
                arguments: [first, second],
                result,
                stack,
                entered,
                is_runtime,
            }) => {
                let flags = (u64::from(entered) * ENTERED) | (u64::from(is_runtime) * RUNTIME);
                out.extend([header(OUTSIDE, 6), target, first, second, result, stack, flags]);
            }
            Special::Handed { function, stacked, digest, depends } => {
                out.extend([header(HANDED, 3 + depends.len()), function, stacked, digest]);
                out.extend_from_slice(depends);
            }
        }
    }
}

/// Why a stream could not be decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StreamError {
    /// A record reaches past the end of the slice.
    #[error("record at word {0} is cut short")]
    Truncated(usize),
    /// A special record of unknown kind or with too few payload words.
    #[error("record at word {0} has an unknown or malformed special header")]
    Malformed(usize),
    /// A block id that was never published.
    #[error("record at word {0} names an unknown block")]
    UnknownBlock(usize),
}

/// Whether a header word starts a special record.
#[inline]
pub fn is_special(word: u64) -> bool {
    word as u32 >= SPECIAL_BASE
}

/// Decodes the special record at the start of `words`; returns it and its length in words, header included.
///
/// # Errors
/// If the header is not a special one, its kind is unknown, or the payload is cut short. The position in the error
/// is always 0.
pub fn special(words: &[u64]) -> Result<(Special<'_>, usize), StreamError> {
    let head = *words.first().ok_or(StreamError::Truncated(0))?;
    let len = (head >> 32) as usize;
    let body = words.get(1..1 + len).ok_or(StreamError::Truncated(0))?;
    let record = match (head as u32, body) {
        (THREAD_BASE, [base]) => Special::ThreadBase(*base),
        (EFFECT, [number, result, ranges @ ..]) if ranges.len() % 2 == 0 => {
            Special::Effect { number: *number, result: *result, ranges }
        }
        (PARTIAL, [block, iterations, instructions, words @ ..]) => Special::Partial {
            block: u32::try_from(*block).map_err(|_| StreamError::Malformed(0))?,
            iterations: *iterations,
            instructions: *instructions,
            words,
        },
        (SIGNAL, [number, handler]) => Special::Signal { number: *number, handler: *handler },
        (RESUME, [pc]) => Special::Resume(*pc),
        (OUTSIDE, &[target, first, second, result, stack, flags]) if flags <= ENTERED | RUNTIME => {
            Special::Outside(Outside {
                target,
                arguments: [first, second],
                result,
                stack,
                entered: flags & ENTERED != 0,
                is_runtime: flags & RUNTIME != 0,
            })
        }
        (HANDED, [function, stacked, digest, depends @ ..]) if depends.len() % 2 == 0 => {
            Special::Handed { function: *function, stacked: *stacked, digest: *digest, depends }
        }
        (END, []) => Special::End,
        (CLOSED, []) => Special::Closed,
        (GAP, [instructions, stack]) => Special::Gap { instructions: *instructions, stack: *stack },
        _ => return Err(StreamError::Malformed(0)),
    };
    Ok((record, 1 + len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_special_record_reads_back() {
        let all = [
            Special::ThreadBase(7),
            Special::Effect { number: 0, result: 5, ranges: &[0x1000, 5 | EFFECT_WRITE] },
            Special::Partial { block: 3, iterations: 2, instructions: 1, words: &[9, 8] },
            Special::Signal { number: 11, handler: 0x4000 },
            Special::Resume(0x5000),
            Special::Gap { instructions: 12, stack: 0x7000 },
            Special::End,
            Special::Closed,
            Special::Handed { function: 0x9000, stacked: 8, digest: 77, depends: &[2, 0x1000] },
            Special::Outside(Outside {
                target: 0x9000,
                arguments: [1, 2],
                result: 3,
                stack: 0x7000,
                entered: true,
                is_runtime: false,
            }),
        ];
        for record in all {
            let mut words = Vec::new();
            record.write(&mut words);
            assert!(is_special(words[0]));
            assert_eq!(special(&words), Ok((record, words.len())));
            for cut in 0..words.len() {
                assert!(special(&words[..cut]).is_err(), "{record:?} cut to {cut} words");
            }
        }
    }
}
