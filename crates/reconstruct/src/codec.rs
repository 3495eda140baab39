//! The compressed file: whole traces as statements.
//!
//! Magic, format version, then records, and a CRC-32 of everything before it. Numbers are LEB128, signed ones zigzag coded.
//!
//! | tag | record |
//! |---|---|
//! | 1 | defines the next stream: number, kind, length of its name, its name in UTF-8 |
//! | 2 | part of a stream: its index, a section |
//! | 3 | part of the order between streams, the sequence of their indices: a section |
//! | 4 | the integers are unsigned: negative ones stand for themselves plus 2^64 |
//! | 0 | end |
//!
//! A section is a number of integers, a coder (`Coder`), unless that is plain the length of what is packed, the length of
//! the bytes, the bytes. They hold a number of statements, and the statements: a tag with its kind in the lowest two bits,
//! and what the kind needs. The bytes of packed integers follow on them, since they become no smaller.
//!
//! | kind | rest of the tag | statement |
//! |---|---|---|
//! | 0 | 0 | an access: its address minus that of the access before, a coefficient per counter around it |
//! | 1 | statements in the body | a loop from 0 to one whole bound: constant, slopes; its body |
//! | 2 | statements in the body | any other loop: per side the number of bounds, and divisor, constant, slopes of each; its body |
//! | 3 | number of integers | integers that are packed: length of their bytes |
//!
//! A stream is written as its statements or as its integers, whatever is smaller, so irregular streams are never larger than
//! their integers under a general compressor by more than the header. Parts are written while a trace is still read, so
//! a writer needs memory for one part.
//!
//! Decoding checks length, checksum, every count, and that statements are well formed; a damaged file is refused.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::cursor::Runs;
use crate::entropy::{self, Coder, QUICK, THOROUGH};
use crate::leb::{self, put, put_signed};
use crate::nest::{Bound, Level, MAX_DEPTH, Nest};
use crate::packed::{BLOCK, Packed};
use crate::run::Run;
use crate::statement::Statement;
use crate::stream::Reconstruction;

/// First bytes of a file.
pub const MAGIC: &[u8; 8] = b"LWNESTS\n";
const VERSION: u8 = 2;

const END: u64 = 0;
const STREAM: u64 = 1;
const PART: u64 = 2;
const ORDER: u64 = 3;
const UNSIGNED: u64 = 4;

const ACCESS: u64 = 0;
const COUNTED: u64 = 1;
const BOUNDED: u64 = 2;
const INTEGERS: u64 = 3;

/// Statements that are smaller than one byte in so many integers are not compared with other encodings, and neither are
/// those of so few bytes: integers under a general compressor are hardly smaller.
const PLAINLY_SMALL: u64 = 256;
const FEW: u64 = 96;
/// The same for a single statement of up to so many bytes, the loops of which have been found.
const ALONE: u64 = 16;
const SHORT: u64 = 512;
/// Most bytes of packed statements, for every byte that they are packed in: memory is bounded by the file.
const UNPACKED: u64 = 1 << 12;
/// Most integers that statements are spelt out as, to see whether that is smaller.
const SPELT: u64 = 1 << 24;

/// Why bytes are no compressed trace.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum DecodeError {
    /// Not such a file.
    #[error("not a compressed trace; make one with loopwright compress")]
    NotATrace,
    /// Another version.
    #[error("compressed trace format {0}, this program reads format {VERSION}; compress the trace again")]
    Version(u8),
    /// Damaged: the checksum does not fit.
    #[error("damaged file: the checksum does not fit; copy it again")]
    Checksum,
    /// The checksum fits but the content does not.
    #[error("damaged file: {0}")]
    Content(&'static str),
}

impl From<leb::Damaged> for DecodeError {
    fn from(_: leb::Damaged) -> DecodeError {
        DecodeError::Content("cut short, or a number of more than 64 bits")
    }
}

/// What a stream is called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Id {
    /// Number, as the trace gave it.
    pub number: u64,
    /// Kind of the stream, as a number.
    pub kind: u8,
    /// Its name; empty where the number is all there is.
    pub name: String,
}

impl From<(u64, u8)> for Id {
    fn from((number, kind): (u64, u8)) -> Id {
        Id { number, kind, name: String::new() }
    }
}

/// One stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Its id.
    pub id: Id,
    /// Length.
    pub accesses: u64,
    /// The statements that make it, in order.
    pub statements: Vec<Statement>,
}

/// The integers of statements, one at a time.
#[derive(Debug, Clone)]
pub struct Integers<'a> {
    runs: Runs<'a>,
    run: Run,
}

impl<'a> Integers<'a> {
    /// Those of statements, in order.
    pub fn of(statements: &'a [Statement]) -> Integers<'a> {
        Integers { runs: Runs::of(statements), run: Run { start: 0, stride: 0, count: 0 } }
    }
}

impl Iterator for Integers<'_> {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        while self.run.count == 0 {
            self.run = self.runs.next()?;
        }
        let value = self.run.start;
        self.run.count -= 1;
        self.run.start = value.wrapping_add(self.run.stride);
        Some(value)
    }
}

/// A decoded file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The streams.
    pub streams: Vec<Stored>,
    /// The index of the stream of each access, if the order between streams is known.
    pub order: Option<Stored>,
    /// Whether negative integers stand for themselves plus 2^64.
    pub unsigned: bool,
}

/// Writes a file, part by part.
#[derive(Debug)]
pub struct Writer<W> {
    to: W,
    checksum: crc32fast::Hasher,
    written: u64,
    streams: u64,
}

impl<W: Write> Writer<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(to: W) -> io::Result<Writer<W>> {
        let mut writer = Writer { to, checksum: crc32fast::Hasher::new(), written: 0, streams: 0 };
        writer.put(MAGIC)?;
        writer.put(&[VERSION])?;
        Ok(writer)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.checksum.update(bytes);
        self.written += bytes.len() as u64;
        self.to.write_all(bytes)
    }

    /// Defines a stream; gives its index.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn stream(&mut self, id: &Id) -> io::Result<u64> {
        let mut out = Vec::new();
        put(&mut out, STREAM);
        put(&mut out, id.number);
        out.push(id.kind);
        put(&mut out, id.name.len() as u64);
        out.extend_from_slice(id.name.as_bytes());
        self.put(&out)?;
        self.streams += 1;
        Ok(self.streams - 1)
    }

    /// The next part of a stream.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn part(&mut self, stream: u64, section: &Section) -> io::Result<()> {
        let mut out = Vec::new();
        put(&mut out, PART);
        put(&mut out, stream);
        self.put(&out)?;
        self.put(&section.0)
    }

    /// The next part of the order between streams.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn order(&mut self, section: &Section) -> io::Result<()> {
        self.put(&[ORDER as u8])?;
        self.put(&section.0)
    }

    /// Says that the integers are unsigned.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn unsigned(&mut self) -> io::Result<()> {
        self.put(&[UNSIGNED as u8])
    }

    /// Bytes written so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.put(&[END as u8])?;
        let checksum = self.checksum.finalize();
        self.to.write_all(&checksum.to_le_bytes())?;
        Ok(self.to)
    }
}

/// Encodes streams `(id, reconstruction)` and, if known, their order.
pub fn encode<I: Into<Id> + Clone>(
    streams: &[(I, &Reconstruction)],
    order: Option<&Reconstruction>,
) -> Vec<u8> {
    let sections: Vec<_> =
        streams.iter().map(|(id, stream)| (id.clone(), section(stream, Aim::Small))).collect();
    file(&sections, order.map(|order| section(order, Aim::Small)))
}

/// A file of streams that are encoded already; entries of one id that follow each other are parts of one stream.
pub fn file<I: Into<Id> + Clone>(streams: &[(I, Section)], order: Option<Section>) -> Vec<u8> {
    let write = || -> io::Result<Vec<u8>> {
        let mut writer = Writer::new(Vec::new())?;
        let mut last: Option<(Id, u64)> = None;
        for (id, section) in streams {
            let id: Id = id.clone().into();
            let index = match &last {
                Some((known, index)) if *known == id => *index,
                _ => writer.stream(&id)?,
            };
            writer.part(index, section)?;
            last = Some((id, index));
        }
        if let Some(order) = order {
            writer.order(&order)?;
        }
        writer.finish()
    };
    // Writing into memory cannot fail.
    write().unwrap_or_default()
}

/// Bytes that one stream takes in a file.
pub fn size(reconstruction: &Reconstruction) -> u64 {
    section(reconstruction, Aim::Small).0.len() as u64
}

/// A part of a stream as it stands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section(Vec<u8>);

impl Section {
    /// Its bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has none, which no section has.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What an encoding is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// As small as can be.
    Small,
    /// Small at little cost: integers are spelt out only where statements take more than a byte per integer.
    Fast,
}

impl Aim {
    fn pack(self, bytes: Vec<u8>) -> (Coder, Vec<u8>) {
        match self {
            Aim::Small => entropy::smallest(&[Coder::Zstd, Coder::Lzma, Coder::LzmaWords], THOROUGH, bytes),
            Aim::Fast => entropy::smallest(&[Coder::Zstd], QUICK, bytes),
        }
    }
}

/// Encodes one stream.
pub fn section(stream: &Reconstruction, aim: Aim) -> Section {
    let statements = readable(&stream.nests);
    let small = match aim {
        Aim::Small => repacked(&statements),
        Aim::Fast => statements,
    };
    let mut best = packed(&small, stream.accesses, aim);
    let length = best.0.len() as u64;
    let worth = match aim {
        Aim::Small => {
            let ratio = if small.len() == 1 && length <= SHORT { ALONE } else { PLAINLY_SMALL };
            length > FEW.min(stream.accesses) && length.saturating_mul(ratio) > stream.accesses
        }
        Aim::Fast => length > 64 && length > stream.accesses,
    };
    let is_spelt = |s: &Statement| matches!(s, Statement::Integers(_));
    if worth && stream.accesses <= SPELT && !small.iter().all(is_spelt) {
        let other = packed(&spelt(&small, aim), stream.accesses, aim);
        if other.0.len() < best.0.len() {
            best = other;
        }
    }
    best
}

/// Integers in the statements packed as small as can be.
fn repacked<'a>(statements: &Cow<'a, [Statement]>) -> Cow<'a, [Statement]> {
    let is_packed = |s: &Statement| matches!(s, Statement::Integers(_));
    if !statements.iter().any(is_packed) {
        return statements.clone();
    }
    let again = |statement: &Statement| match statement {
        Statement::Integers(packed) => Statement::Integers(packed.clone().smallest()),
        other => other.clone(),
    };
    Cow::Owned(statements.iter().map(again).collect())
}

/// The integers of statements, as blocks.
fn spelt(statements: &[Statement], aim: Aim) -> Vec<Statement> {
    let pack = |block: &[i64]| match aim {
        Aim::Small => Packed::of(block).smallest(),
        Aim::Fast => Packed::of(block),
    };
    let mut out = Vec::new();
    let mut block = Vec::new();
    for value in Integers::of(statements) {
        block.push(value);
        if block.len() == BLOCK {
            out.push(Statement::Integers(pack(&block)));
            block.clear();
        }
    }
    if !block.is_empty() {
        out.push(Statement::Integers(pack(&block)));
    }
    out
}

/// Statements as a section.
fn packed(statements: &[Statement], accesses: u64, aim: Aim) -> Section {
    let mut plain = Vec::new();
    put(&mut plain, statements.len() as u64);
    let mut base = 0;
    statements.iter().for_each(|statement| put_statement(&mut plain, statement, &mut base));
    let length = plain.len() as u64;
    let (coder, bytes) = if length > 64 { aim.pack(plain) } else { (Coder::Plain, plain) };
    let mut out = Vec::new();
    put(&mut out, accesses);
    out.push(coder.code());
    if coder != Coder::Plain {
        put(&mut out, length);
    }
    put(&mut out, bytes.len() as u64);
    out.extend(bytes);
    for statement in statements {
        if let Statement::Integers(packed) = statement {
            out.extend_from_slice(packed.bytes());
        }
    }
    Section(out)
}

/// The statements as a reader takes them: its bounds on intermediate values are stricter than the values themselves, which
/// may lie anywhere in 64 bits, so a nest beyond them is spelt out as lines, or as single integers.
fn readable(statements: &[Statement]) -> Cow<'_, [Statement]> {
    if statements.iter().all(is_readable) {
        return Cow::Borrowed(statements);
    }
    let mut out = Vec::new();
    for statement in statements {
        if is_readable(statement) {
            out.push(statement.clone());
            continue;
        }
        statement.runs(&mut |start, stride, count| {
            let line = Nest::line(start, stride, count.unsigned_abs()).into();
            if is_readable(&line) {
                out.push(line);
            } else {
                // A step from one end of the 64 bits to the other.
                let at = |t: i64| start.wrapping_add(stride.wrapping_mul(t));
                out.extend((0..count).map(|t| Statement::from(Nest::point(at(t)))));
            }
            true
        });
    }
    Cow::Owned(out)
}

/// Whether a statement can be read back. Single integers and lines may use all of 64 bits.
fn is_readable(statement: &Statement) -> bool {
    statement.nest().is_some_and(Nest::is_line) || statement.is_valid()
}

fn put_statement(out: &mut Vec<u8>, statement: &Statement, base: &mut i64) {
    match statement {
        Statement::Nest(nest) => {
            nest.levels.iter().for_each(|level| put_level(out, level, 1));
            put(out, ACCESS);
            put_signed(out, nest.base.wrapping_sub(*base));
            nest.coefficients.iter().for_each(|&c| put_signed(out, c));
            *base = nest.base;
        }
        Statement::Loop(l) => {
            put_level(out, &l.level, l.body.len());
            l.body.iter().for_each(|inner| put_statement(out, inner, base));
        }
        Statement::Integers(packed) => {
            put(out, packed.count() << 2 | INTEGERS);
            put(out, packed.bytes().len() as u64);
        }
    }
}

fn put_level(out: &mut Vec<u8>, level: &Level, body: usize) {
    let zero = |b: &Bound| b.constant == 0 && b.divisor == 1 && b.coefficients.iter().all(|&c| c == 0);
    if let ([lower], [upper]) = (&level.lower[..], &level.upper[..])
        && zero(lower)
        && upper.divisor == 1
    {
        put(out, (body as u64) << 2 | COUNTED);
        put_signed(out, upper.constant);
        upper.coefficients.iter().for_each(|&c| put_signed(out, c));
        return;
    }
    put(out, (body as u64) << 2 | BOUNDED);
    for side in [&level.lower, &level.upper] {
        put(out, side.len() as u64);
        for bound in side {
            put(out, bound.divisor as u64);
            put_signed(out, bound.constant);
            bound.coefficients.iter().for_each(|&c| put_signed(out, c));
        }
    }
}

/// Decodes a file.
///
/// # Errors
/// See [`DecodeError`].
pub fn decode(bytes: &[u8]) -> Result<File, DecodeError> {
    if !bytes.starts_with(MAGIC) {
        return Err(DecodeError::NotATrace);
    }
    let Some((body, checksum)) = bytes.split_last_chunk::<4>() else { return Err(DecodeError::NotATrace) };
    let Some((&version, records)) = body.get(MAGIC.len()..).and_then(|rest| rest.split_first()) else {
        return Err(DecodeError::NotATrace);
    };
    if version != VERSION {
        return Err(DecodeError::Version(version));
    }
    if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
        return Err(DecodeError::Checksum);
    }
    let mut from = Reader { bytes: records };
    let mut file = File { streams: Vec::new(), order: None, unsigned: false };
    loop {
        match from.number()? {
            END => break,
            STREAM => {
                let (number, kind, length) = (from.number()?, from.byte()?, from.number()?);
                let name = std::str::from_utf8(from.take(length)?);
                let name = name.map_err(|_| DecodeError::Content("a name that is no UTF-8"))?.to_owned();
                let id = Id { number, kind, name };
                file.streams.push(Stored { id, accesses: 0, statements: Vec::new() });
            }
            PART => {
                let index = usize::try_from(from.number()?).unwrap_or(usize::MAX);
                let stream = file.streams.get_mut(index);
                from.section(stream.ok_or(DecodeError::Content("a part of an unknown stream"))?)?;
            }
            ORDER => {
                let empty = Stored { id: Id::default(), accesses: 0, statements: Vec::new() };
                from.section(file.order.get_or_insert(empty))?;
            }
            UNSIGNED => file.unsigned = true,
            _ => return Err(DecodeError::Content("an unknown record")),
        }
    }
    if !from.bytes.is_empty() {
        return Err(DecodeError::Content("bytes after the end"));
    }
    if let Some(order) = &file.order {
        let total = file.streams.iter().try_fold(0u64, |n, s| n.checked_add(s.accesses));
        if total != Some(order.accesses) {
            return Err(DecodeError::Content("the order is not as long as the streams"));
        }
    }
    Ok(file)
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Result<u8, DecodeError> {
        let (&first, rest) = self.bytes.split_first().ok_or(DecodeError::Content("cut short"))?;
        self.bytes = rest;
        Ok(first)
    }

    fn take(&mut self, n: u64) -> Result<&'a [u8], DecodeError> {
        let n = usize::try_from(n).map_err(|_| DecodeError::Content("cut short"))?;
        let (taken, rest) = self.bytes.split_at_checked(n).ok_or(DecodeError::Content("cut short"))?;
        self.bytes = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u64, DecodeError> {
        Ok(leb::get(&mut self.bytes)?)
    }

    fn signed(&mut self) -> Result<i64, DecodeError> {
        Ok(leb::get_signed(&mut self.bytes)?)
    }

    /// Appends a section to a stream.
    fn section(&mut self, to: &mut Stored) -> Result<(), DecodeError> {
        let accesses = self.number()?;
        to.accesses = to
            .accesses
            .checked_add(accesses)
            .ok_or(DecodeError::Content("more integers than are counted"))?;
        let coder = Coder::of(self.byte()?).ok_or(DecodeError::Content("unknown compression"))?;
        let unpacked = if coder == Coder::Plain { 0 } else { self.number()? };
        let length = self.number()?;
        let bytes = self.take(length)?;
        let plain = match coder {
            Coder::Plain => Cow::Borrowed(bytes),
            _ if unpacked / UNPACKED > length => {
                return Err(DecodeError::Content("statements that are longer than can be"));
            }
            _ => {
                let unpacked = usize::try_from(unpacked).ok();
                let plain = unpacked.and_then(|unpacked| entropy::unpack(coder, bytes, unpacked));
                Cow::Owned(plain.ok_or(DecodeError::Content("bad compression"))?)
            }
        };
        let mut body = Body { from: Reader { bytes: &plain }, packed: self, base: 0, integers: accesses };
        body.statements(&mut to.statements)
    }
}

/// Statements that are being read.
struct Body<'a, 'b> {
    from: Reader<'a>,
    /// Where the bytes of packed integers are.
    packed: &'a mut Reader<'b>,
    /// Address of the access before.
    base: i64,
    /// Packed integers that may still come.
    integers: u64,
}

impl Body<'_, '_> {
    fn statements(&mut self, to: &mut Vec<Statement>) -> Result<(), DecodeError> {
        let count = self.from.number()?;
        for _ in 0..count {
            let statement = self.statement(0)?;
            if !is_readable(&statement) {
                return Err(DecodeError::Content("a nest that is not well formed"));
            }
            to.push(statement);
        }
        match self.from.bytes.is_empty() {
            true => Ok(()),
            false => Err(DecodeError::Content("bytes after the statements")),
        }
    }

    fn statement(&mut self, outer: usize) -> Result<Statement, DecodeError> {
        let from = &mut self.from;
        let tag = from.number()?;
        let rest = tag >> 2;
        let level = match tag & 3 {
            ACCESS => {
                self.base = self.base.wrapping_add(from.signed()?);
                let coefficients = (0..outer).map(|_| from.signed()).collect::<Result<_, _>>()?;
                return Ok(Nest { levels: Vec::new(), base: self.base, coefficients }.into());
            }
            INTEGERS if outer == 0 => {
                let length = from.number()?;
                let bytes = self.packed.take(length)?;
                self.integers =
                    self.integers.checked_sub(rest).ok_or(DecodeError::Content("too many integers"))?;
                let packed = Packed::read(rest, bytes).ok_or(DecodeError::Content("bad integers"))?;
                return Ok(Statement::Integers(packed));
            }
            INTEGERS => return Err(DecodeError::Content("integers in a loop")),
            _ if outer >= MAX_DEPTH => return Err(DecodeError::Content("a nest that is too deep")),
            COUNTED => {
                let (constant, divisor) = (from.signed()?, 1);
                let coefficients = (0..outer).map(|_| from.signed()).collect::<Result<_, _>>()?;
                Level {
                    lower: vec![Bound::constant(outer, 0)],
                    upper: vec![Bound { coefficients, constant, divisor }],
                }
            }
            _ => {
                let mut side = || -> Result<Vec<Bound>, DecodeError> {
                    let count = from.number()?;
                    let mut bounds = Vec::new();
                    for _ in 0..count {
                        let divisor =
                            i64::try_from(from.number()?).map_err(|_| DecodeError::Content("divisor"))?;
                        let constant = from.signed()?;
                        let coefficients = (0..outer).map(|_| from.signed()).collect::<Result<_, _>>()?;
                        bounds.push(Bound { coefficients, constant, divisor });
                    }
                    Ok(bounds)
                };
                Level { lower: side()?, upper: side()? }
            }
        };
        // A statement takes a byte at least, so a wrong number of them ends with the bytes.
        let mut body = Vec::new();
        for _ in 0..rest {
            body.push(self.statement(outer + 1)?);
        }
        Ok(Statement::of_loop(level, body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Reconstructor;

    fn reconstruction(values: &[i64]) -> Reconstruction {
        let mut r = Reconstructor::default();
        r.push(values);
        r.finish()
    }

    fn values(statements: &[Statement]) -> Vec<i64> {
        Integers::of(statements).collect()
    }

    fn noise(n: usize) -> Vec<i64> {
        let mut state = 5u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 20) as i64
        };
        (0..n).map(|_| next()).collect()
    }

    #[test]
    fn regular_and_irregular_streams_come_back() {
        let rows: Vec<i64> = (0..50).flat_map(|i| (0..i).map(move |j| 1000 * i + 8 * j)).collect();
        let random = noise(5000);
        let wild = vec![i64::MIN, i64::MAX, 0, i64::MAX, i64::MIN];
        let made: Vec<Reconstruction> = [&rows, &random, &wild].map(|v| reconstruction(v)).to_vec();
        let streams: Vec<_> = made.iter().enumerate().map(|(k, r)| ((k as u64, 0), r)).collect();
        let bytes = encode(&streams, None);
        let file = decode(&bytes).expect("a good file");
        for (stored, expected) in file.streams.iter().zip([&rows, &random, &wild]) {
            assert_eq!((&values(&stored.statements), stored.accesses), (expected, expected.len() as u64));
        }
        assert!(size(&made[0]) < 40, "{}", size(&made[0]));
    }

    #[test]
    fn never_larger_than_differences_under_zstd() {
        let random = noise(20_000);
        let mut last = 0;
        let raw: Vec<u8> = random
            .iter()
            .flat_map(|v| {
                let d = v.wrapping_sub(last);
                last = *v;
                d.to_le_bytes()
            })
            .collect();
        let baseline = zstd::encode_all(&raw[..], 3).expect("memory").len();
        let ours = encode(&[((0, 0), &reconstruction(&random))], None).len();
        assert!(ours as f64 <= baseline as f64 * 1.01, "{ours} against {baseline}");
    }

    #[test]
    fn damage_is_detected() {
        let r = reconstruction(&noise(100));
        let order = reconstruction(&[0; 100]);
        let good = encode(&[((7, 1), &r)], Some(&order));
        assert!(decode(&good).is_ok());
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert!(decode(&bad).is_err(), "byte {at}");
        }
        for cut in 0..good.len() {
            assert!(decode(&good[..cut]).is_err(), "cut to {cut}");
        }
        let short = encode(&[((7, 1), &r)], Some(&reconstruction(&[0; 99])));
        assert_eq!(decode(&short), Err(DecodeError::Content("the order is not as long as the streams")));
    }
}
