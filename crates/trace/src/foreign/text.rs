//! Line-based formats.

use std::io::BufRead;

use rustc_hash::FxHashMap;

use super::ReadError;
use crate::accesses::{Accesses, Kind, StreamId};

/// Longest line that is accepted; a longer one is no trace.
const LONGEST: usize = 4096;
/// Integers handed over at a time.
const BATCH: usize = 4096;

/// Lines of a reader, numbered.
struct Lines<'a> {
    from: &'a mut dyn BufRead,
    buffer: Vec<u8>,
    number: u64,
}

impl<'a> Lines<'a> {
    fn new(from: &'a mut dyn BufRead) -> Self {
        Lines { from, buffer: Vec::new(), number: 0 }
    }

    /// Reads the next line, trimmed; false at the end.
    fn advance(&mut self) -> Result<bool, ReadError> {
        self.buffer.clear();
        self.number += 1;
        loop {
            let available = self.from.fill_buf()?;
            if available.is_empty() {
                return Ok(!self.buffer.is_empty());
            }
            let end = available.iter().position(|&b| b == b'\n');
            let taken = end.unwrap_or(available.len());
            let room = LONGEST.saturating_sub(self.buffer.len());
            self.buffer.extend_from_slice(&available[..taken.min(room)]);
            self.from.consume(end.map_or(taken, |e| e + 1));
            if taken > room {
                return Err(self.wrong("line longer than 4096 bytes"));
            }
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    fn line(&self) -> &[u8] {
        self.buffer.trim_ascii()
    }

    fn wrong(&self, what: &'static str) -> ReadError {
        let text: String = String::from_utf8_lossy(self.buffer.trim_ascii()).chars().take(60).collect();
        ReadError::Line { line: self.number, what, text }
    }
}

const NOT_AN_INTEGER: &str = "not an integer";
const OUT_OF_RANGE: &str = "does not fit a 64-bit integer";

/// Which integers a trace has.
#[derive(Default)]
struct Signs {
    negative: bool,
    /// From 2^63 on.
    large: bool,
}

impl Signs {
    /// An integer as the 64 bits that stand for it; `None` if the trace has both negative and large ones.
    fn bits(&mut self, value: i128, to: &mut dyn Accesses) -> Option<i64> {
        self.negative |= value < 0;
        if value > i128::from(i64::MAX) && !self.large {
            self.large = true;
            to.unsigned();
        }
        (!self.negative || !self.large).then_some(value as i64)
    }
}

/// A decimal integer, or a hexadecimal one after `0x`, maybe with a sign, of at most 64 bits.
fn integer(text: &[u8]) -> Result<i128, &'static str> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let magnitude = match digits {
        [b'0', b'x' | b'X', hex @ ..] => digits_of(hex, 16)?,
        _ => digits_of(digits, 10)?,
    };
    let value = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
    if value < i128::from(i64::MIN) { Err(OUT_OF_RANGE) } else { Ok(value) }
}

fn digits_of(text: &[u8], base: u32) -> Result<u64, &'static str> {
    if text.is_empty() {
        return Err(NOT_AN_INTEGER);
    }
    let mut value = 0u64;
    let mut overflow = false;
    for &b in text {
        let digit = char::from(b).to_digit(base).ok_or(NOT_AN_INTEGER)?;
        match value.checked_mul(u64::from(base)).and_then(|v| v.checked_add(u64::from(digit))) {
            Some(v) => value = v,
            None => overflow = true,
        }
    }
    if overflow { Err(OUT_OF_RANGE) } else { Ok(value) }
}

/// A hexadecimal address with or without `0x`.
fn address(text: &[u8]) -> Result<u64, &'static str> {
    let digits = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X")).unwrap_or(text);
    digits_of(digits, 16)
}

/// The streams of a trace with ids of any text.
#[derive(Default)]
struct Ids {
    names: FxHashMap<Vec<u8>, StreamId>,
    named: u64,
}

impl Ids {
    /// A number is the stream of that number, `ADDRESS:load` and `ADDRESS:store` are those of an instruction, other texts
    /// are names.
    fn of(&mut self, text: &[u8], to: &mut dyn Accesses) -> StreamId {
        if let Some(&known) = self.names.get(text) {
            return known;
        }
        let number = |digits: &[u8]| match digits {
            [b'0', b'x' | b'X', hex @ ..] => digits_of(hex, 16),
            _ => digits_of(digits, 10),
        };
        let of = |digits: &[u8], kind| Some(StreamId { number: number(digits).ok()?, kind });
        let id = of(text, Kind::Plain)
            .or_else(|| of(text.strip_suffix(b":load")?, Kind::Load))
            .or_else(|| of(text.strip_suffix(b":store")?, Kind::Store));
        let id = id.unwrap_or_else(|| {
            let id = StreamId { number: self.named, kind: Kind::Named };
            self.named += 1;
            to.named(id, &String::from_utf8_lossy(text));
            id
        });
        // As many as fit memory as streams do.
        self.names.insert(text.to_vec(), id);
        id
    }
}

pub fn integers(from: &mut dyn BufRead, to: &mut dyn Accesses) -> Result<(), ReadError> {
    let mut lines = Lines::new(from);
    let mut batch: Vec<i64> = Vec::with_capacity(BATCH);
    let mut stream = StreamId::default();
    let mut columns = None;
    let (mut ids, mut signs) = (Ids::default(), Signs::default());
    let result = loop {
        match lines.advance() {
            Ok(true) => {}
            Ok(false) => break Ok(()),
            Err(error) => break Err(error),
        }
        let line = lines.line();
        if line.is_empty() || line[0] == b'#' {
            continue;
        }
        let mut fields = line.split(|b| b.is_ascii_whitespace()).filter(|f| !f.is_empty());
        let (first, second, third) = (fields.next().unwrap_or(line), fields.next(), fields.next());
        if third.is_some() {
            break Err(lines.wrong("expected one integer or `id address`"));
        }
        if *columns.get_or_insert(second.is_some()) != second.is_some() {
            break Err(lines.wrong("some lines have an id and some have not"));
        }
        let value = match integer(second.unwrap_or(first)) {
            Ok(value) => value,
            Err(what) => break Err(lines.wrong(what)),
        };
        let Some(value) = signs.bits(value, to) else { break Err(ReadError::Mixed { line: lines.number }) };
        let id = if second.is_some() { ids.of(first, to) } else { StreamId::default() };
        if id != stream || batch.len() == BATCH {
            to.values(stream, &batch);
            batch.clear();
            stream = id;
        }
        batch.push(value);
    };
    to.values(stream, &batch);
    result
}

pub fn lackey(from: &mut dyn BufRead, to: &mut dyn Accesses) -> Result<(), ReadError> {
    let mut lines = Lines::new(from);
    let mut signs = Signs::default();
    let mut instruction = 0;
    while lines.advance()? {
        let line = lines.line();
        if line.is_empty() || line.starts_with(b"==") || line.starts_with(b"--") {
            continue;
        }
        let (&what, rest) = line.split_first().unwrap_or((&b' ', line));
        let rest = rest.trim_ascii_start();
        let comma = rest.iter().position(|&b| b == b',');
        let Some(comma) = comma else { return Err(lines.wrong("expected `address,size`")) };
        let at = address(&rest[..comma]).map_err(|w| lines.wrong(w))?;
        let size = digits_of(rest[comma + 1..].trim_ascii(), 10).map_err(|w| lines.wrong(w))?;
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        let kinds: &[Kind] = match what {
            b'I' => {
                instruction = at;
                continue;
            }
            b'L' => &[Kind::Load],
            b'S' => &[Kind::Store],
            b'M' => &[Kind::Load, Kind::Store],
            _ => return Err(lines.wrong("expected I, L, S or M")),
        };
        // Addresses are never negative.
        let at = signs.bits(i128::from(at), to).unwrap_or_default();
        for &kind in kinds {
            let stream = StreamId { number: instruction, kind };
            to.size(stream, size);
            to.values(stream, &[at]);
        }
    }
    Ok(())
}

pub fn pinatrace(from: &mut dyn BufRead, to: &mut dyn Accesses) -> Result<(), ReadError> {
    let mut lines = Lines::new(from);
    let mut signs = Signs::default();
    while lines.advance()? {
        let line = lines.line();
        if line.is_empty() || line[0] == b'#' {
            continue;
        }
        let mut fields = line.split(|b| b.is_ascii_whitespace()).filter(|f| !f.is_empty());
        let (Some(ip), Some(kind), Some(at)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(lines.wrong("expected `ip: R address` or `ip: W address`"));
        };
        let Some(ip) = ip.strip_suffix(b":") else { return Err(lines.wrong("expected `ip:`")) };
        let number = address(ip).map_err(|w| lines.wrong(w))?;
        let kind = match kind {
            b"R" => Kind::Load,
            b"W" => Kind::Store,
            _ => return Err(lines.wrong("expected R or W")),
        };
        let at = address(at).map_err(|w| lines.wrong(w))?;
        let at = signs.bits(i128::from(at), to).unwrap_or_default();
        to.values(StreamId { number, kind }, &[at]);
    }
    Ok(())
}
