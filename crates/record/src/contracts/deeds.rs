//! What a call has done to memory, by its contract: asked where the function has returned.
//!
//! Source: ISO/IEC 9899:2018, 7.21.6.1 and 7.21.6.2, and the manual of the GNU C library ("Formatted Output", "Formatted Input") for formats; System V ABI,
//! AMD64 supplement, "Variable Argument Lists", for where arguments lie.
//!
//! A text or a line that was read from a stream may hold the byte 0, behind which more was written than can be seen: the bytes that the call has taken
//! from the stream tell (module `taken`).
//!
//! Limits: formats that number their arguments, or that print wide texts or the message of `errno`, are not understood; nothing is claimed about the loops around such a call.

use std::fs::File;

use trace::block::Access;
use trace::contract::{
    Condition, Deed, Deeds, Extent, Format, Mark, Place, Product, REGISTER_ARGUMENTS, VECTOR_ARGUMENTS, Value,
};
use trace::stream::{effect_length, hidden_state};

use super::taken::{self, Course};
use crate::files::position;
use crate::process::Tracee;

/// Most bytes of a text that are looked at.
const LONGEST_TEXT: u64 = 1 << 24;
/// Most bytes that a deed is about.
const LARGEST: u64 = 1 << 40;
/// Bytes that are read at a time, at most.
const CHUNK: usize = 512;
/// Bytes of a page, at whose end memory may end.
const PAGE: u64 = 4096;

/// A call that has returned.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    /// Integer arguments in registers.
    pub(super) arguments: [u64; REGISTER_ARGUMENTS],
    /// Where arguments on the stack begin.
    pub(super) stack: u64,
    /// The integer result.
    pub(super) result: u64,
}

/// What it has done.
#[derive(Debug, Default)]
pub(super) struct Done {
    /// As in [`trace::stream::Special::Effect`].
    pub(super) ranges: Vec<u64>,
    /// Number of integer arguments.
    pub(super) integers: u8,
    /// Number of arguments in vector registers.
    pub(super) vectors: u8,
}

/// What a program's memory holds.
pub(super) trait Memory {
    /// Reads as many bytes as there are.
    fn read(&self, address: u64, out: &mut [u8]) -> usize;

    /// The file that a descriptor stands for, and the position in it; `None` of what has none.
    fn file(&self, descriptor: i32) -> Option<(File, u64)>;
}

impl Memory for Tracee {
    fn read(&self, address: u64, out: &mut [u8]) -> usize {
        Tracee::read(self, address, out)
    }

    fn file(&self, descriptor: i32) -> Option<(File, u64)> {
        let position = position(self, descriptor)?;
        let path = format!("/proc/{}/fd/{descriptor}", self.process());
        // What is no file may wait for somebody when it is opened.
        std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
        Some((File::open(path).ok()?, position))
    }
}

/// What a call has done; `None` if that cannot be told.
pub(super) fn of(memory: &dyn Memory, deeds: &Deeds, call: &Call) -> Option<Done> {
    let mut doing = Doing { memory, call, writes: false, done: Done::default(), stream: None };
    if deeds.unclear.iter().any(|all| all.iter().all(|&condition| doing.holds(condition))) {
        return None;
    }
    if let Some(deed) = deeds.list.iter().find(|deed| deed.mark == Mark::Input) {
        doing.stream = Some(doing.start(deed)?);
    }
    if let Some(mode) = deeds.mode {
        let at = doing.value(mode);
        doing.writes = matches!(doing.chunk(at, &mut [0; CHUNK]).first(), Some(b'w' | b'a'));
    }
    (doing.done.integers, doing.done.vectors) = (deeds.integers, deeds.vectors);
    for deed in deeds.list.iter().filter(|deed| deed.access == Access::Read) {
        doing.add(deed)?;
    }
    if let Some(format) = deeds.format {
        let at = call.arguments.get(usize::from(deeds.integers).checked_sub(1)?).copied()?;
        let text = doing.text(at)?;
        match format {
            Format::Print => doing.print(&text)?,
            Format::Scan => doing.scan(&text, deeds.list.first().map(|deed| deed.place))?,
        }
    }
    for deed in deeds.list.iter().filter(|deed| deed.access == Access::Write) {
        doing.add(deed)?;
    }
    Some(doing.done)
}

struct Doing<'a> {
    memory: &'a dyn Memory,
    call: &'a Call,
    /// The stream that is opened is written to.
    writes: bool,
    done: Done,
    /// The stream that is read from.
    stream: Option<u64>,
}

impl Doing<'_> {
    fn value(&self, value: Value) -> u64 {
        let (word, is_int) = match value {
            Value::Constant(constant) => return constant,
            Value::Argument { number, is_int } => {
                (self.call.arguments.get(usize::from(number)).copied().unwrap_or(0), is_int)
            }
            Value::Result { is_int } => (self.call.result, is_int),
        };
        if is_int { i64::from(word as i32) as u64 } else { word }
    }

    /// A product; none if a factor is negative.
    fn product(&self, product: &Product) -> u64 {
        let mut out = 1u64;
        for &factor in &product.factors {
            let factor = self.value(factor);
            if factor.cast_signed() < 0 {
                return 0;
            }
            out = out.saturating_mul(factor);
        }
        // A mere number is what is added.
        if product.factors.is_empty() { product.plus } else { out.saturating_add(product.plus) }
    }

    fn holds(&self, condition: Condition) -> bool {
        let number = |value| self.value(value).cast_signed();
        match condition {
            Condition::Some(value) => number(value) > 0,
            Condition::Equal(a, b) => number(a) == number(b),
            Condition::Less(a, b) => number(a) < number(b),
        }
    }

    /// Where a deed is done.
    fn start(&self, deed: &Deed) -> Option<u64> {
        Some(match deed.place {
            Place::At(value) => self.value(value),
            Place::Behind(value) => self.word(self.value(value))?,
            Place::State(number) => hidden_state(number),
        })
    }

    fn add(&mut self, deed: &Deed) -> Option<()> {
        if deed.condition.is_some_and(|condition| !self.holds(condition)) {
            return Some(());
        }
        let start = self.start(deed)?;
        if start == 0 {
            return Some(());
        }
        let most = |most: &Option<Product>| most.as_ref().map_or(u64::MAX, |most| self.product(most));
        let (start, length) = match &deed.extent {
            Extent::Bytes(bytes, limit) => {
                let limit = limit.as_ref().map_or(LARGEST, |most| self.product(most));
                (start, self.product(bytes).min(limit))
            }
            Extent::Text(of, limit) => {
                let of = of.map_or(start, |of| self.value(of));
                (start, self.length(of, most(limit))?)
            }
            Extent::Line(room) => (start, self.line(start, self.product(room))?),
            Extent::Compared(other, limit) => (start, self.equal(start, self.value(*other), most(limit))?),
            Extent::UpTo(end, limit) => {
                let limit = self.product(limit);
                let length = self.value(*end).checked_sub(start).map_or(limit, |before| before + 1);
                (start, length.min(limit))
            }
            Extent::Number => (start, self.number_there(start)?),
            Extent::Appended(other, limit) => {
                let end = self.length(start, u64::MAX)?;
                // Without its end, if there is more of it than is added.
                let most = most(limit);
                let added = match self.length(self.value(*other), most.saturating_add(1))? {
                    more if more > most => most,
                    all => all.saturating_sub(1),
                };
                let before = end.saturating_sub(added + 1);
                match deed.access {
                    Access::Read => (start, before + 1),
                    Access::Write => (start.wrapping_add(before), added + 1),
                }
            }
        };
        let mark = match deed.mark {
            Mark::Input if self.writes => Mark::Output,
            mark => mark,
        };
        self.touch(start, length, deed.access, mark);
        Some(())
    }

    fn touch(&mut self, start: u64, length: u64, access: Access, mark: Mark) {
        if start != 0 && length != 0 {
            self.done.ranges.extend([start, effect_length(length.min(LARGEST), access, mark)]);
        }
    }

    fn word(&self, address: u64) -> Option<u64> {
        let mut bytes = [0; 8];
        (self.memory.read(address, &mut bytes) == bytes.len()).then(|| u64::from_le_bytes(bytes))
    }

    /// The bytes from an address on, up to the end of its page.
    fn chunk<'b>(&self, address: u64, out: &'b mut [u8; CHUNK]) -> &'b [u8] {
        let room = (PAGE - address % PAGE).min(CHUNK as u64) as usize;
        let count = self.memory.read(address, &mut out[..room]);
        &out[..count]
    }

    /// Bytes of the text at an address, with its end; at most so many. `None` if it goes on beyond what is looked at.
    fn length(&self, start: u64, most: u64) -> Option<u64> {
        let mut done = 0u64;
        let mut space = [0; CHUNK];
        while done < most && start != 0 {
            let bytes = self.chunk(start.wrapping_add(done), &mut space);
            if let Some(end) = bytes.iter().position(|&byte| byte == 0) {
                return Some(most.min(done + end as u64 + 1));
            }
            if bytes.is_empty() || done >= LONGEST_TEXT {
                return None;
            }
            done += bytes.len() as u64;
        }
        Some(done.min(most))
    }

    /// Bytes of the line that was read to an address, with the byte 0 behind it; at most so many. `None` if there may be more.
    fn line(&self, start: u64, room: u64) -> Option<u64> {
        let length = self.length(start, room)?;
        let mut last = [0];
        let is_whole =
            length > 1 && self.memory.read(start.wrapping_add(length - 2), &mut last) == 1 && last == *b"\n";
        if length < room && !is_whole {
            let stream = self.stream?;
            taken::has_no_zero(self.memory, stream, &Course::line())?;
        }
        Some(length)
    }

    /// Bytes from an address on that may be part of a number, white space before it, and the one behind. `None` if they go on beyond what
    /// is looked at.
    fn number_there(&self, start: u64) -> Option<u64> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.,_()'".contains(&byte);
        let is_space = |byte: u8| byte.is_ascii_whitespace() || byte == 0x0b;
        let (mut done, mut is_before) = (0u64, true);
        let mut space = [0; CHUNK];
        while done < LONGEST_TEXT {
            let bytes = self.chunk(start.wrapping_add(done), &mut space);
            for (&byte, at) in bytes.iter().zip(1..) {
                is_before &= is_space(byte);
                if !is_before && !is_part(byte) {
                    return Some(done + at);
                }
            }
            if bytes.is_empty() {
                break;
            }
            done += bytes.len() as u64;
        }
        None
    }

    /// Bytes up to the first that differs between two texts, or to their end, and with it; at most so many. `None` if they go on beyond what
    /// is looked at.
    fn equal(&self, a: u64, b: u64, most: u64) -> Option<u64> {
        let mut done = 0u64;
        let mut spaces = [[0; CHUNK]; 2];
        while done < most {
            let [first, second] = &mut spaces;
            let first = self.chunk(a.wrapping_add(done), first);
            let second = self.chunk(b.wrapping_add(done), second);
            let count = first.len().min(second.len());
            if let Some(end) = (0..count).find(|&k| first[k] != second[k] || first[k] == 0) {
                return Some(most.min(done + end as u64 + 1));
            }
            if count == 0 || done >= LONGEST_TEXT {
                return None;
            }
            done += count as u64;
        }
        Some(done.min(most))
    }

    /// The text at an address, without its end; `None` if it has none or is very long.
    fn text(&self, at: u64) -> Option<Vec<u8>> {
        const MOST: usize = 1 << 16;
        let mut text = Vec::new();
        let mut space = [0; CHUNK];
        while text.len() < MOST {
            let bytes = self.chunk(at.wrapping_add(text.len() as u64), &mut space);
            if let Some(end) = bytes.iter().position(|&byte| byte == 0) {
                text.extend_from_slice(&bytes[..end]);
                return Some(text);
            }
            if bytes.is_empty() {
                return None;
            }
            text.extend_from_slice(bytes);
        }
        None
    }

    fn print(&mut self, text: &[u8]) -> Option<()> {
        let mut further = Further::default();
        let mut at = 0;
        while let Some(percent) = text.get(at..)?.iter().position(|&byte| byte == b'%') {
            at += percent + 1;
            while text.get(at).is_some_and(|byte| b"-+ #0'I".contains(byte)) {
                at += 1;
            }
            let _width = self.number(text, &mut at, &mut further)?;
            let mut precision = None;
            if text.get(at) == Some(&b'.') {
                at += 1;
                precision = match self.number(text, &mut at, &mut further)? {
                    Some(negative) if negative < 0 => None,
                    given => Some(given.unwrap_or(0) as u64),
                };
            }
            let size = Size::of(text, &mut at);
            let conversion = *text.get(at)?;
            at += 1;
            match conversion {
                b'%' => {}
                b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'c' | b'p' | b'b' | b'B' => {
                    further.integer(self)?;
                }
                b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => match size {
                    Size::LongDouble => further.long_double(self),
                    _ => further.number(self),
                },
                b's' if matches!(size, Size::None | Size::Byte | Size::Short) => {
                    let start = further.integer(self)?;
                    let length = self.length(start, precision.unwrap_or(u64::MAX))?;
                    self.touch(start, length, Access::Read, Mark::None);
                }
                // Where it failed, it may not have come as far.
                b'n' if self.call.result as i32 >= 0 => {
                    let start = further.integer(self)?;
                    self.touch(start, size.of_integer(), Access::Write, Mark::None);
                }
                // Wide texts, the message of `errno`, and what is not known.
                _ => return None,
            }
        }
        Some(())
    }

    /// A width or a precision, that of an argument where it is `*`; `None` inside if there is none, outside if arguments are numbered.
    fn number(&mut self, text: &[u8], at: &mut usize, further: &mut Further) -> Option<Option<i64>> {
        if text.get(*at) == Some(&b'*') {
            *at += 1;
            if text.get(*at).is_some_and(u8::is_ascii_digit) {
                return None;
            }
            return Some(Some(i64::from(further.integer(self)? as i32)));
        }
        let number = digits(text, at);
        if text.get(*at) == Some(&b'$') { None } else { Some(number) }
    }

    /// `source`: where the text lies that is read, where that is no stream.
    fn scan(&mut self, text: &[u8], source: Option<Place>) -> Option<()> {
        let mut further = Further::default();
        let mut course = Course::default();
        let mut may_hold_zero = false;
        // Of the conversions, those that have been assigned: none if the input ended before the first.
        let assigned = i64::from(self.call.result as i32).max(0);
        let mut assignments = 0;
        let mut at = 0;
        while let Some(percent) = text.get(at..)?.iter().position(|&byte| byte == b'%') {
            course.literals(&text[at..at + percent]);
            at += percent + 1;
            let is_dropped = text.get(at) == Some(&b'*');
            at += usize::from(is_dropped);
            let width = digits(text, &mut at);
            if text.get(at) == Some(&b'$') {
                return None;
            }
            let is_allocated = text.get(at) == Some(&b'm');
            at += usize::from(is_allocated);
            let size = Size::of(text, &mut at);
            let conversion = *text.get(at)?;
            at += 1;
            let set = at;
            if conversion == b'[' {
                at += usize::from(text.get(at) == Some(&b'^'));
                // A bracket that comes first is one of the set.
                at += usize::from(text.get(at) == Some(&b']'));
                at += text.get(at..)?.iter().position(|&byte| byte == b']')? + 1;
            }
            let taken_before = course.characters();
            course.conversion(conversion, width, text.get(set..at.saturating_sub(1)).unwrap_or_default());
            if conversion == b'%' || is_dropped {
                continue;
            }
            let start = further.integer(self)?;
            if conversion == b'n' {
                // Whether the input came as far is not known: what was there may have stayed.
                self.touch(start, size.of_integer(), Access::Read, Mark::None);
                self.touch(start, size.of_integer(), Access::Write, Mark::None);
                continue;
            }
            assignments += 1;
            let is_done = assignments <= assigned;
            // The last conversion of what was there, or the first of what was not, may have stored some characters.
            let is_at_end = assignments == assigned || assignments == assigned + 1;
            if conversion == b'c' && width.is_some_and(|width| width > 1) && is_at_end {
                let count = width.unwrap_or(1) as u64;
                match (self.stream, source) {
                    (Some(stream), _) => taken::has_characters(self.memory, stream, is_done)?,
                    (None, source) => self.has_left(count, taken_before?, source?)?,
                }
            }
            let is_text = matches!(conversion, b's' | b'[' | b'c');
            let start = if is_allocated && is_text && is_done {
                self.touch(start, 8, Access::Write, Mark::None);
                self.word(start)?
            } else {
                start
            };
            let length = match conversion {
                b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'b' => size.of_integer(),
                b'p' => 8,
                b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => match size {
                    Size::Long => 8,
                    Size::LongDouble | Size::LongLong => 16,
                    _ => 4,
                },
                b'c' if size == Size::None => width.unwrap_or(1) as u64,
                b's' | b'[' if size == Size::None && is_done => {
                    let length = self.length(start, u64::MAX)?;
                    may_hold_zero |= width.is_none_or(|width| length <= width as u64);
                    length
                }
                b's' | b'[' if size == Size::None => 0,
                _ => return None,
            };
            if is_done {
                if is_allocated {
                    self.touch(start, length, Access::Write, Mark::Allocated);
                }
                self.touch(start, length, Access::Write, Mark::None);
            }
        }
        course.literals(text.get(at..)?);
        match self.stream.filter(|_| may_hold_zero) {
            Some(stream) => taken::has_no_zero(self.memory, stream, &course),
            None => Some(()),
        }
    }

    /// Whether a text had so many characters for a conversion before which `before` were taken; `None` if not.
    fn has_left(&self, count: u64, before: u64, source: Place) -> Option<()> {
        let Place::At(source) = source else { return None };
        let needed = before.checked_add(count)?;
        (self.length(self.value(source), needed.checked_add(1)?)? > needed).then_some(())
    }
}

/// The digits at a place; `None` if there are none.
fn digits(text: &[u8], at: &mut usize) -> Option<i64> {
    let mut out = None;
    while let Some(digit) = text.get(*at).filter(|byte| byte.is_ascii_digit()) {
        out = Some(out.unwrap_or(0i64).saturating_mul(10).saturating_add(i64::from(digit - b'0')));
        *at += 1;
    }
    out
}

/// What stands before a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    None,
    Byte,
    Short,
    Long,
    LongLong,
    LongDouble,
}

impl Size {
    fn of(text: &[u8], at: &mut usize) -> Size {
        let rest = text.get(*at..).unwrap_or_default();
        let (count, size) = match rest {
            [b'h', b'h', ..] => (2, Size::Byte),
            [b'h', ..] => (1, Size::Short),
            [b'l', b'l', ..] => (2, Size::LongLong),
            [b'l' | b'j' | b'z' | b'Z' | b't', ..] => (1, Size::Long),
            [b'q', ..] => (1, Size::LongLong),
            [b'L', ..] => (1, Size::LongDouble),
            _ => (0, Size::None),
        };
        *at += count;
        size
    }

    fn of_integer(self) -> u64 {
        match self {
            Size::Byte => 1,
            Size::Short => 2,
            Size::None => 4,
            Size::Long | Size::LongLong | Size::LongDouble => 8,
        }
    }
}

/// Arguments behind those of the prototype, one after the other.
#[derive(Debug, Default)]
struct Further {
    /// Bytes of those on the stack so far.
    on_stack: u64,
}

impl Further {
    fn integer(&mut self, doing: &mut Doing<'_>) -> Option<u64> {
        let number = usize::from(doing.done.integers);
        if let Some(&argument) = doing.call.arguments.get(number) {
            doing.done.integers += 1;
            return Some(argument);
        }
        let at = self.next(doing, 8);
        doing.word(at)
    }

    fn number(&mut self, doing: &mut Doing<'_>) {
        if doing.done.vectors < VECTOR_ARGUMENTS {
            doing.done.vectors += 1;
        } else {
            self.next(doing, 8);
        }
    }

    fn long_double(&mut self, doing: &mut Doing<'_>) {
        self.on_stack = self.on_stack.next_multiple_of(16);
        self.next(doing, 16);
    }

    /// Reads an argument on the stack.
    fn next(&mut self, doing: &mut Doing<'_>, bytes: u64) -> u64 {
        let at = doing.call.stack.wrapping_add(self.on_stack);
        self.on_stack += bytes;
        doing.touch(at, bytes, Access::Read, Mark::None);
        at
    }
}
