//! The compressed file: whole traces as nests.
//!
//! Magic, format version, flags, then sections of streams, and a CRC-32 of everything before it. Numbers are LEB128,
//! signed ones zigzag coded. A stream is stored in the smallest of three ways: its nests as they are, its nests under
//! zstd, or the differences of its integers under zstd, so irregular streams are never larger than that last one by more
//! than the header. A trace whose streams are interleaved has one more stream: the sequence of stream numbers.
//!
//! Decoding checks length, checksum, every count, and that nests are well formed; a damaged file is refused.

use std::borrow::Cow;

use crate::cursor::Cursor;
use crate::nest::{Bound, Level, MAX_DEPTH, Nest};
use crate::stream::Reconstruction;

const MAGIC: &[u8; 8] = b"LWNESTS\n";
const VERSION: u8 = 1;
const INTERLEAVED: u8 = 1;

const NESTS: u8 = 0;
const PACKED: u8 = 1;
const DIFFERENCES: u8 = 2;

/// Compression level of the general compressor.
const ZSTD: i32 = 9;
/// Nests that are smaller than one byte in so many integers are not compared with other encodings.
const PLAINLY_SMALL: u64 = 1 << 12;
/// Most integers of one decoded stream of differences: memory of a hostile file is bounded by its own claims elsewhere.
const MOST_DIFFERENCES: u64 = 1 << 33;

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

/// One stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Number and kind, as the trace gave them.
    pub id: (u64, u8),
    /// Length.
    pub accesses: u64,
    /// The nests.
    pub content: Content,
}

/// Content of a stored stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Nests that generate it.
    Nests(Vec<Nest>),
    /// The integers themselves.
    Integers(Vec<i64>),
}

impl Content {
    /// Calls `visit` with runs `(start, stride, count)`, in order, until it returns false.
    pub fn runs(&self, visit: &mut dyn FnMut(i64, i64, u64) -> bool) -> bool {
        match self {
            Content::Nests(nests) => nests.iter().all(|nest| {
                nest.runs(&mut |start: i64, count: i64| visit(start, nest.stride(), count as u64))
            }),
            Content::Integers(values) => values.iter().all(|&v| visit(v, 0, 1)),
        }
    }
}

/// The integers of a stored stream, one at a time.
#[derive(Debug)]
pub struct Integers<'a> {
    nests: std::slice::Iter<'a, Nest>,
    values: std::slice::Iter<'a, i64>,
    cursor: Option<Cursor<'a>>,
    stride: i64,
    next: i64,
    left: i64,
}

impl<'a> Integers<'a> {
    /// Those of a content, in order.
    pub fn of(content: &'a Content) -> Integers<'a> {
        let (nests, values): (&[Nest], &[i64]) = match content {
            Content::Nests(nests) => (nests, &[]),
            Content::Integers(values) => (&[], values),
        };
        Integers { nests: nests.iter(), values: values.iter(), cursor: None, stride: 0, next: 0, left: 0 }
    }
}

impl Iterator for Integers<'_> {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        while self.left == 0 {
            match self.cursor.as_mut().and_then(Iterator::next) {
                Some((start, count)) => (self.next, self.left) = (start, count),
                None => match self.nests.next() {
                    Some(nest) => {
                        self.stride = nest.stride();
                        self.cursor = Some(Cursor::new(nest));
                    }
                    None => return self.values.next().copied(),
                },
            }
        }
        let value = self.next;
        self.left -= 1;
        self.next = value.wrapping_add(self.stride);
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
}

/// Encodes streams `(id, reconstruction)` and, if known, their order.
pub fn encode(streams: &[((u64, u8), &Reconstruction)], order: Option<&Reconstruction>) -> Vec<u8> {
    let sections: Vec<_> = streams.iter().map(|(id, stream)| (*id, section(stream, Aim::Small))).collect();
    file(&sections, order.map(|order| section(order, Aim::Small)))
}

/// A file of streams that are encoded already.
pub fn file(streams: &[((u64, u8), Section)], order: Option<Section>) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.push(VERSION);
    out.push(if order.is_some() { INTERLEAVED } else { 0 });
    put(&mut out, streams.len() as u64);
    for (id, section) in streams {
        put(&mut out, id.0);
        out.push(id.1);
        out.extend_from_slice(&section.0);
    }
    if let Some(order) = order {
        out.extend(order.0);
    }
    let checksum = crc32fast::hash(&out);
    out.extend(checksum.to_le_bytes());
    out
}

/// Bytes that one stream takes in a file.
pub fn size(reconstruction: &Reconstruction) -> u64 {
    section(reconstruction, Aim::Small).0.len() as u64
}

/// One stream as it stands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section(Vec<u8>);

/// What an encoding is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// As small as can be.
    Small,
    /// Small at little cost: differences are tried only where nests take more than a byte per integer.
    Fast,
}

impl Aim {
    /// Compression level of the general compressor.
    fn level(self) -> i32 {
        match self {
            Aim::Small => ZSTD,
            Aim::Fast => 3,
        }
    }
}

/// Encodes one stream.
pub fn section(stream: &Reconstruction, aim: Aim) -> Section {
    let mut out = Vec::new();
    put(&mut out, stream.accesses);
    let nests = readable(&stream.nests);
    let mut plain = Vec::new();
    put(&mut plain, nests.len() as u64);
    let mut base = 0;
    for nest in nests.iter() {
        put_nest(&mut plain, nest, base);
        base = nest.base;
    }
    let mut best = (NESTS, plain);
    let bytes = best.1.len() as u64;
    if bytes > 64 && bytes.saturating_mul(PLAINLY_SMALL) > stream.accesses {
        // Compression into memory cannot fail; if it did, the plain form is right as well.
        if let Ok(packed) = zstd::encode_all(&best.1[..], aim.level())
            && packed.len() < best.1.len()
        {
            best = (PACKED, packed);
        }
        if (aim == Aim::Small || bytes > stream.accesses)
            && let Ok(packed) = differences(&nests, aim.level())
            && packed.len() < best.1.len()
        {
            best = (DIFFERENCES, packed);
        }
    }
    out.push(best.0);
    put(&mut out, best.1.len() as u64);
    out.extend(best.1);
    Section(out)
}

/// The nests as a reader takes them: its bounds on intermediate values are stricter than the values themselves, which may
/// lie anywhere in 64 bits, so a nest beyond them is spelt out as lines, or as single integers.
fn readable(nests: &[Nest]) -> Cow<'_, [Nest]> {
    if nests.iter().all(is_readable) {
        return Cow::Borrowed(nests);
    }
    let mut out = Vec::new();
    for nest in nests {
        if is_readable(nest) {
            out.push(nest.clone());
            continue;
        }
        let stride = nest.stride();
        nest.runs(&mut |start: i64, count: i64| {
            let line = Nest::line(start, stride, count.unsigned_abs());
            if is_readable(&line) {
                out.push(line);
            } else {
                // A step from one end of the 64 bits to the other.
                let at = |t: i64| start.wrapping_add(stride.wrapping_mul(t));
                out.extend((0..count).map(|t| Nest::point(at(t))));
            }
            true
        });
    }
    Cow::Owned(out)
}

/// Whether a nest can be read back. Single integers and lines may use all of 64 bits.
fn is_readable(nest: &Nest) -> bool {
    nest.is_line() || nest.clone().validated().is_some()
}

/// The integers of the nests as differences under zstd.
fn differences(nests: &[Nest], level: i32) -> std::io::Result<Vec<u8>> {
    use std::io::Write;
    let mut encoder = zstd::Encoder::new(Vec::new(), level)?;
    let mut buffer = Vec::with_capacity(1 << 16);
    let mut last = 0i64;
    for nest in nests {
        let stride = nest.stride();
        let mut failed = Ok(());
        nest.runs(&mut |start: i64, count: i64| {
            let mut value = start;
            for _ in 0..count {
                buffer.extend(value.wrapping_sub(last).to_le_bytes());
                last = value;
                value = value.wrapping_add(stride);
                if buffer.len() >= 1 << 16 {
                    failed = encoder.write_all(&buffer);
                    buffer.clear();
                }
            }
            failed.is_ok()
        });
        failed?;
    }
    encoder.write_all(&buffer)?;
    encoder.finish()
}

fn put_nest(out: &mut Vec<u8>, nest: &Nest, base: i64) {
    put(out, nest.levels.len() as u64);
    put_signed(out, nest.base.wrapping_sub(base));
    for (level, c) in nest.levels.iter().zip(&nest.coefficients) {
        put_signed(out, *c);
        for side in [&level.lower, &level.upper] {
            put(out, side.len() as u64);
            for bound in side {
                put(out, bound.divisor as u64);
                put_signed(out, bound.constant);
                bound.coefficients.iter().for_each(|&c| put_signed(out, c));
            }
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
    if body.len() < MAGIC.len() + 2 {
        return Err(DecodeError::NotATrace);
    }
    let version = body[MAGIC.len()];
    if version != VERSION {
        return Err(DecodeError::Version(version));
    }
    if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
        return Err(DecodeError::Checksum);
    }
    let flags = body[MAGIC.len() + 1];
    let mut from = Reader { bytes: &body[MAGIC.len() + 2..] };
    let count = from.number()?;
    let mut streams = Vec::new();
    for _ in 0..count {
        let id = (from.number()?, from.byte()?);
        streams.push(from.stream(id)?);
    }
    let order = match flags {
        0 => None,
        INTERLEAVED => Some(from.stream((0, 0))?),
        _ => return Err(DecodeError::Content("unknown flags")),
    };
    if !from.bytes.is_empty() {
        return Err(DecodeError::Content("bytes after the end"));
    }
    if let Some(order) = &order {
        let total = streams.iter().try_fold(0u64, |n, s| n.checked_add(s.accesses));
        if total != Some(order.accesses) {
            return Err(DecodeError::Content("the order is not as long as the streams"));
        }
    }
    Ok(File { streams, order })
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
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 127);
            if shift == 63 && bits > 1 {
                break;
            }
            value |= bits << shift;
            if byte < 128 {
                return Ok(value);
            }
        }
        Err(DecodeError::Content("a number of more than 64 bits"))
    }

    fn signed(&mut self) -> Result<i64, DecodeError> {
        let value = self.number()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn stream(&mut self, id: (u64, u8)) -> Result<Stored, DecodeError> {
        let accesses = self.number()?;
        let way = self.byte()?;
        let length = self.number()?;
        let bytes = self.take(length)?;
        let content = match way {
            NESTS => Content::Nests(nests(bytes)?),
            PACKED => {
                let plain = zstd::decode_all(bytes).map_err(|_| DecodeError::Content("bad compression"))?;
                Content::Nests(nests(&plain)?)
            }
            DIFFERENCES => Content::Integers(integers(bytes, accesses)?),
            _ => return Err(DecodeError::Content("unknown encoding")),
        };
        Ok(Stored { id, accesses, content })
    }
}

fn nests(bytes: &[u8]) -> Result<Vec<Nest>, DecodeError> {
    let mut from = Reader { bytes };
    let count = from.number()?;
    let mut out = Vec::new();
    let mut base = 0i64;
    for _ in 0..count {
        let nest = nest(&mut from, base)?;
        base = nest.base;
        out.push(nest);
    }
    if !from.bytes.is_empty() {
        return Err(DecodeError::Content("bytes after the nests"));
    }
    Ok(out)
}

fn nest(from: &mut Reader<'_>, last: i64) -> Result<Nest, DecodeError> {
    let depth = from.number()? as usize;
    if depth > MAX_DEPTH {
        return Err(DecodeError::Content("a nest that is too deep"));
    }
    let base = last.wrapping_add(from.signed()?);
    let mut levels = Vec::new();
    let mut coefficients = Vec::new();
    for q in 0..depth {
        coefficients.push(from.signed()?);
        let mut side = || -> Result<Vec<Bound>, DecodeError> {
            let count = from.number()?;
            let mut bounds = Vec::new();
            for _ in 0..count {
                let divisor = i64::try_from(from.number()?).map_err(|_| DecodeError::Content("divisor"))?;
                let constant = from.signed()?;
                let coefficients = (0..q).map(|_| from.signed()).collect::<Result<_, _>>()?;
                bounds.push(Bound { coefficients, constant, divisor });
            }
            Ok(bounds)
        };
        levels.push(Level { lower: side()?, upper: side()? });
    }
    let nest = Nest { levels, base, coefficients };
    if !is_readable(&nest) {
        return Err(DecodeError::Content("a nest that is not well formed"));
    }
    Ok(nest)
}

fn integers(bytes: &[u8], accesses: u64) -> Result<Vec<i64>, DecodeError> {
    use std::io::Read;
    if accesses > MOST_DIFFERENCES {
        return Err(DecodeError::Content("too many integers"));
    }
    let bad = |_| DecodeError::Content("bad compression");
    let mut decoder = zstd::Decoder::new(bytes).map_err(bad)?;
    let mut out = Vec::new();
    let mut buffer = Vec::new();
    let mut last = 0i64;
    loop {
        buffer.clear();
        let read = decoder.by_ref().take(1 << 16).read_to_end(&mut buffer).map_err(bad)?;
        let (whole, rest) = buffer.as_chunks::<8>();
        for difference in whole {
            last = last.wrapping_add(i64::from_le_bytes(*difference));
            out.push(last);
        }
        if !rest.is_empty() || out.len() as u64 > accesses {
            return Err(DecodeError::Content("wrong number of integers"));
        }
        if read == 0 {
            break;
        }
    }
    if out.len() as u64 != accesses {
        return Err(DecodeError::Content("wrong number of integers"));
    }
    Ok(out)
}

fn put(to: &mut Vec<u8>, mut value: u64) {
    while value >= 128 {
        to.push(value as u8 | 128);
        value >>= 7;
    }
    to.push(value as u8);
}

fn put_signed(to: &mut Vec<u8>, value: i64) {
    put(to, ((value << 1) ^ (value >> 63)) as u64);
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

    fn values(content: &Content) -> Vec<i64> {
        let mut out = Vec::new();
        content.runs(&mut |start, stride, count| {
            out.extend((0..count).map(|k| start.wrapping_add(stride.wrapping_mul(k as i64))));
            true
        });
        out
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
            assert_eq!((&values(&stored.content), stored.accesses), (expected, expected.len() as u64));
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
