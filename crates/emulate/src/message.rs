//! What the plugin writes, word by word ([`crate::protocol`]), as events.
//!
//! Invariant: what cannot be a message ends the stream with [`Event::Broken`]; it is never guessed at.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use trace::sink::Mapping;

use crate::protocol::{
    ADDRESS_BITS, BLOCK, CALLED, CODE, FAR_ACCESS, KIND_AT, MAPPING, MESSAGE, REGISTER_WORDS, REGISTERS,
    RETURNED, THREAD,
};
use crate::syscalls::Returned;

/// Registers at the beginning of a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Registers {
    pub(crate) stack: u64,
    pub(crate) frame: u64,
    /// First three arguments; the first is also the result of a call.
    pub(crate) arguments: [u64; 3],
}

/// One thing that the plugin tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    /// An access, as a word; its address.
    Access(u64, u64),
    /// A block begins, by number.
    Block(u32, Option<Registers>),
    /// A block of code: number, address, instructions, bytes.
    Code(u32, u64, u64, Vec<u8>),
    Mapping(Mapping),
    Returned(Box<Returned>),
    Called,
    Thread,
    /// This is no stream of the plugin.
    Broken,
}

/// Most bytes of the code of a block, and of a path.
const MOST_BYTES: u64 = 1 << 16;

/// The event with which `words` begin, and its length; none if they end before it does.
#[inline]
pub(crate) fn next(words: &[u64]) -> Option<(Event, usize)> {
    let &word = words.first()?;
    if word & BLOCK == 0 {
        return Some((Event::Access(word, word & ((1 << ADDRESS_BITS) - 1)), 1));
    }
    if word & MESSAGE != MESSAGE {
        if word & REGISTERS == 0 {
            return Some((Event::Block(word as u32, None), 1));
        }
        let &[stack, frame, a, b, c] = words.get(1..1 + REGISTER_WORDS)? else { return None };
        let registers = Registers { stack, frame, arguments: [a, b, c] };
        return Some((Event::Block(word as u32, Some(registers)), 1 + REGISTER_WORDS));
    }
    message(word, words)
}

fn message(word: u64, words: &[u64]) -> Option<(Event, usize)> {
    let length = 1 + (word & 0xffff_ffff) as usize;
    let is_known = length <= 1 << 20;
    let body = if is_known { words.get(1..length)? } else { return Some((Event::Broken, words.len())) };
    let event = match word >> KIND_AT & 0xff {
        CODE => code(body),
        MAPPING => mapping(body),
        RETURNED => Returned::read(body).map(|returned| Event::Returned(Box::new(returned))),
        CALLED => Some(Event::Called),
        THREAD => Some(Event::Thread),
        FAR_ACCESS if body.len() == 2 && body[0] & BLOCK == 0 => Some(Event::Access(body[0], body[1])),
        _ => None,
    };
    Some((event.unwrap_or(Event::Broken), length))
}

fn code(body: &[u64]) -> Option<Event> {
    let &[number, pc, count, ref rest @ ..] = body else { return None };
    Some(Event::Code(u32::try_from(number).ok()?, pc, count, bytes(rest)?))
}

fn mapping(body: &[u64]) -> Option<Event> {
    let &[start, end, offset, ref rest @ ..] = body else { return None };
    let path = bytes(rest)?;
    let path = (!path.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(&path)));
    Some(Event::Mapping(Mapping { start, end, offset, path }))
}

/// Bytes after their number.
fn bytes(words: &[u64]) -> Option<Vec<u8>> {
    let (&len, words) = words.split_first()?;
    if len > MOST_BYTES || words.len() as u64 != len.div_ceil(8) {
        return None;
    }
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.truncate(len as usize);
    Some(bytes)
}
