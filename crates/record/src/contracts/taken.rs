//! What a call has taken from a stream: whether there may be a byte 0 in it.
//!
//! Definition: where a call has returned, the bytes before the stream's position are what it has taken, and before that what others had.
//! Of the text that a conversion stores, no byte is one that it cannot take (white space, or what is no member of a set), and each directive of the format takes
//! such a byte once, or a run of white space. So going back over one more of them than the format has directives leads past all that the call has taken.
//!
//! Invariant: where this says that there is none, there is none, but for the limit below. It may not know of files that do hold the byte 0, shortly
//! before what was taken.
//!
//! Sources: `struct _IO_FILE` of glibc (`bits/types/struct_FILE.h`) and of musl (`src/internal/stdio_impl.h`).
//! Limits: of what is no regular file, only what the stream's buffer still holds is looked at.

use std::os::unix::fs::FileExt;

use super::deeds::Memory;

/// Bytes that are looked at at a time.
const CHUNK: u64 = 512;
/// Most bytes of a file that are looked at.
const MOST: u64 = 1 << 20;
/// The upper half of the flags of a stream of glibc.
const GLIBC: u32 = 0xfbad << 16;
/// The flag of a stream that has come to the end of what it reads, in both libraries.
const ENDED: u32 = 0x10;
/// The flag of a stream of glibc that reads what was put back to it, from elsewhere.
const PUT_BACK: u32 = 0x100;

/// How a format takes characters.
#[derive(Debug, Clone)]
pub(super) struct Course {
    /// Bytes that no conversion takes as part of what it stores.
    separators: [bool; 256],
    /// Most separators that are taken all the same, runs of white space as one.
    most: u64,
    /// Characters taken so far, if their number does not depend on the input.
    characters: Option<u64>,
}

impl Default for Course {
    fn default() -> Course {
        Course { separators: [true; 256], most: 0, characters: Some(0) }
    }
}

impl Course {
    /// That of a function that takes a line.
    pub(super) fn line() -> Course {
        let mut separators = [false; 256];
        separators[usize::from(b'\n')] = true;
        Course { separators, most: 1, characters: None }
    }

    /// Characters taken so far, if that is known.
    pub(super) fn characters(&self) -> Option<u64> {
        self.characters
    }

    /// Text between conversions.
    pub(super) fn literals(&mut self, text: &[u8]) {
        self.most += text.len() as u64;
        self.characters =
            self.characters.filter(|_| !text.iter().any(is_space)).map(|before| before + text.len() as u64);
    }

    /// A conversion, with its width; `set` is what stands in its brackets.
    pub(super) fn conversion(&mut self, conversion: u8, width: Option<i64>, set: &[u8]) {
        let mut takes = |own: &dyn Fn(u8) -> bool| {
            for byte in 0..=u8::MAX {
                self.separators[usize::from(byte)] &= !own(byte);
            }
        };
        self.most += 1;
        match conversion {
            b'c' => {
                let width = width.map_or(1, |width| width.max(1) as u64);
                self.most = self.most.saturating_add(width);
                self.characters = self.characters.and_then(|before| before.checked_add(width));
                return;
            }
            // It takes nothing.
            b'n' => return,
            b's' => takes(&|byte| !is_space(&byte)),
            b'[' => {
                let members = Members::of(set);
                takes(&|byte| members.has(byte));
            }
            b'%' => {}
            // Numbers, `inf`, `nan(…)` and `(nil)`.
            _ => takes(&|byte| byte.is_ascii_alphanumeric() || b"+-.()_".contains(&byte)),
        }
        self.characters = None;
    }
}

/// What stands in the brackets of a conversion.
struct Members<'a> {
    list: &'a [u8],
    is_all_but: bool,
}

impl Members<'_> {
    fn of(set: &[u8]) -> Members<'_> {
        match set.strip_prefix(b"^") {
            Some(list) => Members { list, is_all_but: true },
            None => Members { list: set, is_all_but: false },
        }
    }

    fn has(&self, byte: u8) -> bool {
        let mut at = 0;
        let mut is_listed = false;
        while let Some(&first) = self.list.get(at) {
            match self.list.get(at + 1..at + 3) {
                Some(&[b'-', last]) if first <= last => {
                    is_listed |= (first..=last).contains(&byte);
                    at += 3;
                }
                _ => {
                    is_listed |= first == byte;
                    at += 1;
                }
            }
        }
        is_listed != self.is_all_but
    }
}

fn is_space(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || *byte == 0x0b
}

/// Where a stream has come to.
struct Position {
    flags: u32,
    /// Where its buffer begins, where the next byte lies, and where those end that were read into it.
    buffer: (u64, u64, u64),
    descriptor: i32,
}

impl Position {
    fn of(memory: &dyn Memory, stream: u64) -> Option<Position> {
        let mut head = [0; 128];
        if memory.read(stream, &mut head) < head.len() {
            return None;
        }
        let word = |at: usize| Some(u64::from_le_bytes(*head.get(at..)?.first_chunk()?));
        let half = |at: usize| Some(u32::from_le_bytes(*head.get(at..)?.first_chunk()?));
        let flags = half(0)?;
        let (base, descriptor) = if flags & !0xffff == GLIBC { (24, 112) } else { (88, 120) };
        let (now, end) = (word(8)?, word(16)?);
        // musl has null pointers there before it reads.
        let base = if now == 0 { 0 } else { word(base)? };
        let is_whole = base <= now && now <= end && flags & (!0xffff | PUT_BACK) != GLIBC | PUT_BACK;
        is_whole.then_some(Position {
            flags,
            buffer: (base, now, end),
            descriptor: half(descriptor)?.cast_signed(),
        })
    }
}

/// The descriptor of a stream, if it has one.
pub(super) fn descriptor(memory: &dyn Memory, stream: u64) -> Option<i32> {
    Position::of(memory, stream).map(|position| position.descriptor).filter(|descriptor| *descriptor >= 0)
}

/// Whether a conversion of so many characters has stored all of them, or none; `None` if that cannot be told.
pub(super) fn has_characters(memory: &dyn Memory, stream: u64, is_assigned: bool) -> Option<()> {
    let flags = Position::of(memory, stream)?.flags;
    // What is cut short musl does not count, glibc does.
    let is_glibc = flags & !0xffff == GLIBC;
    (flags & ENDED == 0 || is_glibc && !is_assigned).then_some(())
}

/// Whether there is no byte 0 in what was taken from a stream by such a format; `None` if there may be one.
pub(super) fn has_no_zero(memory: &dyn Memory, stream: u64, course: &Course) -> Option<()> {
    let position = Position::of(memory, stream)?;
    let (base, now, end) = position.buffer;
    let mut back = Back { course, left: course.most, is_in_space: false };
    let mut space = [0; CHUNK as usize];
    let mut at = now;
    while at > base {
        let count = (at - base).min(CHUNK);
        let bytes = space.get_mut(..count as usize)?;
        if memory.read(at - count, bytes) < bytes.len() {
            return None;
        }
        if back.is_past(bytes)? {
            return Some(());
        }
        at -= count;
    }
    let Some((file, read)) = memory.file(position.descriptor) else { return Some(()) };
    let mut at = read.checked_sub(end - base)?;
    let first = at.saturating_sub(MOST);
    while at > first {
        let count = (at - first).min(CHUNK);
        let bytes = space.get_mut(..count as usize)?;
        file.read_exact_at(bytes, at - count).ok()?;
        if back.is_past(bytes)? {
            return Some(());
        }
        at -= count;
    }
    (at == 0).then_some(())
}

/// The way back from a stream's position.
struct Back<'a> {
    course: &'a Course,
    /// Separators that may have been taken yet.
    left: u64,
    is_in_space: bool,
}

impl Back<'_> {
    /// Whether these bytes, which stand before those seen so far, lead past all that was taken; `None` if one of them is 0 before that.
    fn is_past(&mut self, bytes: &[u8]) -> Option<bool> {
        for byte in bytes.iter().rev() {
            if *byte == 0 {
                return None;
            }
            let is_separator = self.course.separators[usize::from(*byte)];
            let goes_on = self.is_in_space && is_space(byte);
            self.is_in_space = is_separator && is_space(byte);
            if is_separator && !goes_on {
                match self.left.checked_sub(1) {
                    Some(left) => self.left = left,
                    None => return Some(true),
                }
            }
        }
        Some(false)
    }
}
