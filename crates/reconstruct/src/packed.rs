//! Integers that no loop describes, packed.
//!
//! A block of integers is kept in the smallest of several forms: differences of variable length, the integers or their
//! differences byte by byte under a general compressor, or *planes*: all lowest bytes, then all second bytes, and so on, each
//! packed by itself. Planes take what is left of random integers of few bits to nearly their entropy at the speed of memory.
//! Quickly packed blocks choose between planes by a sample; thoroughly packed ones try the general compressors as well,
//! wherever a sample or repeated words say that these may be smaller.
//!
//! Invariant: [`Packed::values`] gives what was packed. A block that was read was unpacked once before it is believed.

use serde::Serialize;

use crate::entropy::{self, Coder, THOROUGH};
use crate::leb;

/// Most integers of a block.
pub const BLOCK: usize = 1 << 19;

/// Integers in a few bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Packed {
    count: u64,
    bytes: Vec<u8>,
}

/// What is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Differences of variable length.
    Variable,
    /// Words of 8 bytes of what they hold.
    Words(Content, Coder),
    /// Planes of what they hold.
    Planes(Content),
}

/// What the words or planes hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// The integers themselves.
    Values,
    /// Zigzag-coded differences of neighbours.
    Differences,
}

const CONTENTS: [Content; 2] = [Content::Values, Content::Differences];

impl Form {
    fn code(self) -> u8 {
        let content = |content: Content| u8::from(content == Content::Differences);
        match self {
            Form::Variable => 0,
            Form::Planes(of) => 1 + content(of),
            Form::Words(of, coder) => 3 + content(of) + 2 * coder.code(),
        }
    }

    fn of(code: u8) -> Option<Form> {
        let content = |bit: u8| if bit % 2 == 1 { Content::Differences } else { Content::Values };
        match code {
            0 => Some(Form::Variable),
            1 | 2 => Some(Form::Planes(content(code - 1))),
            _ => Some(Form::Words(content(code - 3), Coder::of((code - 3) / 2)?)),
        }
    }
}

/// Integers of a block that always goes through every form.
const SMALL: usize = 1 << 14;
/// Integers that are looked at to choose a form.
const SAMPLE: usize = 1 << 13;
/// Consecutive integers of a sample.
const STRETCH: usize = 1 << 9;
/// Part of a sample that must be saved, as a divisor, for the slow compressors to be tried on a block.
const GAIN: usize = 32;
/// Stretches that are packed to compare forms.
const TRIED: usize = 4;

impl Packed {
    /// Packs at most [`BLOCK`] integers, quickly.
    pub fn of(values: &[i64]) -> Packed {
        let count = values.len() as u64;
        if values.len() >= STRETCH * 4
            && let Some(bytes) = planes(values, likely(values))
        {
            return Packed { count, bytes };
        }
        let mut best = Packed { count, bytes: variable(values) };
        if values.len() >= 16 {
            best.offer(planes(values, likely(values)));
        }
        best
    }

    /// The same integers in as few bytes as is known.
    pub fn smallest(self) -> Packed {
        let values = self.values();
        let mut best = self;
        if values.len() >= 3 && (values.len() <= SMALL || repeats(&values) || words_help(&values)) {
            best.offer(Some(variable(&values)));
            for of in CONTENTS {
                best.offer(planes(&values, of));
                for coder in [Coder::Zstd, Coder::Lzma, Coder::LzmaWords] {
                    best.offer(words(&values, of, coder));
                }
            }
        }
        best
    }

    fn offer(&mut self, bytes: Option<Vec<u8>>) {
        if let Some(bytes) = bytes
            && bytes.len() < self.bytes.len()
        {
            self.bytes = bytes;
        }
    }

    /// Number of integers.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The block as it stands in a file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The integers.
    pub fn values(&self) -> Vec<i64> {
        // Blocks are unpacked before they are made of bytes.
        unpacked(self.count, &self.bytes).unwrap_or_default()
    }

    /// A block from a file; `None` if it is damaged.
    pub fn read(count: u64, bytes: &[u8]) -> Option<Packed> {
        unpacked(count, bytes)?;
        Some(Packed { count, bytes: bytes.to_vec() })
    }
}

/// Differences as numbers of variable length.
fn variable(values: &[i64]) -> Vec<u8> {
    let mut out = vec![Form::Variable.code()];
    let mut last = 0i64;
    for &value in values {
        leb::put_signed(&mut out, value.wrapping_sub(last));
        last = value;
    }
    out
}

/// Unsigned words of what is packed.
fn content(values: &[i64], of: Content) -> Vec<u64> {
    match of {
        Content::Values => values.iter().map(|&v| v as u64).collect(),
        Content::Differences => {
            let mut last = 0i64;
            let zigzag = |&v: &i64| {
                let d = v.wrapping_sub(last);
                last = v;
                ((d << 1) ^ (d >> 63)) as u64
            };
            values.iter().map(zigzag).collect()
        }
    }
}

fn from_content(words: impl Iterator<Item = u64>, of: Content) -> Vec<i64> {
    match of {
        Content::Values => words.map(|w| w as i64).collect(),
        Content::Differences => {
            let mut last = 0i64;
            let add = |w: u64| {
                last = last.wrapping_add((w >> 1) as i64 ^ -((w & 1) as i64));
                last
            };
            words.map(add).collect()
        }
    }
}

fn words(values: &[i64], of: Content, coder: Coder) -> Option<Vec<u8>> {
    let bytes: Vec<u8> = content(values, of).iter().flat_map(|w| w.to_le_bytes()).collect();
    let mut out = vec![Form::Words(of, coder).code()];
    out.extend(entropy::pack(coder, THOROUGH, &bytes)?);
    Some(out)
}

/// What stands before each plane: the same byte all over, packed bytes and their number, or the bytes.
const SAME: u8 = 0;
const PACKED: u8 = 1;
const PLAIN: u8 = 2;

/// Level of Zstandard for planes: matches are rare, what counts is the code of single bytes.
const PLANE_LEVEL: i32 = 1;

fn planes(values: &[i64], of: Content) -> Option<Vec<u8>> {
    let words = content(values, of);
    // Negative integers among others would make every high plane random.
    let least = match of {
        Content::Values => values.iter().copied().min().unwrap_or(0),
        Content::Differences => 0,
    };
    let mut out = vec![Form::Planes(of).code()];
    leb::put_signed(&mut out, least);
    let mut plane = Vec::with_capacity(words.len());
    for shift in (0..64).step_by(8) {
        plane.clear();
        plane.extend(words.iter().map(|w| (w.wrapping_sub(least as u64) >> shift) as u8));
        let first = plane.first().copied().unwrap_or(0);
        if plane.iter().all(|&b| b == first) {
            out.extend([SAME, first]);
            continue;
        }
        let packed = if is_random(&plane) { None } else { entropy::pack(Coder::Zstd, PLANE_LEVEL, &plane) };
        match packed.filter(|packed| packed.len() < plane.len()) {
            Some(packed) => {
                out.push(PACKED);
                leb::put(&mut out, packed.len() as u64);
                out.extend(packed);
            }
            None => {
                out.push(PLAIN);
                out.extend_from_slice(&plane);
            }
        }
    }
    Some(out)
}

/// Whether the bytes of a long plane are so evenly spread that no code makes them shorter.
fn is_random(plane: &[u8]) -> bool {
    plane.len() >= SAMPLE && entropy_of(plane[..SAMPLE].iter().copied()) > 7.95
}

/// Bits per byte by the frequency of bytes.
fn entropy_of(bytes: impl Iterator<Item = u8>) -> f64 {
    let mut counts = [0u32; 256];
    bytes.for_each(|b| counts[usize::from(b)] += 1);
    let total = f64::from(counts.iter().sum::<u32>());
    let bits = |&n: &u32| f64::from(n) / total * (total / f64::from(n)).log2();
    counts.iter().filter(|&&n| n > 0).map(bits).sum()
}

/// Some stretches of the integers, a whole number of them.
fn sample(values: &[i64]) -> Vec<&[i64]> {
    if values.len() <= SAMPLE {
        return vec![values];
    }
    let stretches = SAMPLE / STRETCH;
    let room = values.len() - STRETCH;
    (0..stretches).map(|k| &values[room * k / (stretches - 1)..][..STRETCH]).collect()
}

/// The planes that are probably smaller.
fn likely(values: &[i64]) -> Content {
    let bits = |of: Content| {
        let words: Vec<u64> =
            sample(values).into_iter().flat_map(|part| content(part, of).into_iter().skip(1)).collect();
        let least = match of {
            Content::Values => values.iter().copied().min().unwrap_or(0) as u64,
            Content::Differences => 0,
        };
        let plane = |shift: u32| entropy_of(words.iter().map(|w| (w.wrapping_sub(least) >> shift) as u8));
        (0..8).map(|k| plane(8 * k)).sum::<f64>()
    };
    if bits(Content::Differences) < bits(Content::Values) { Content::Differences } else { Content::Values }
}

/// Stretches that are looked at: one in so many, chosen by their first difference.
const CHOSEN: u64 = 32;
/// Share of the stretches that were there before, as a divisor.
const AGAIN: usize = 50;

/// A hash of a few words.
fn hashed(words: impl Iterator<Item = u64>) -> u64 {
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29);
    words.fold(0, mix).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Whether stretches of integers or of differences come again.
fn repeats(values: &[i64]) -> bool {
    let again = |of: fn(&[i64]) -> u64| {
        let mut seen = rustc_hash::FxHashSet::default();
        let (mut chosen, mut again) = (0, 0);
        for window in values.windows(4) {
            let step = window[1].wrapping_sub(window[0]) as u64;
            if step.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & (CHOSEN - 1) == 0 {
                chosen += 1;
                again += usize::from(!seen.insert(of(window)));
            }
        }
        again * AGAIN > chosen
    };
    again(|window| hashed(window.iter().map(|&v| v as u64)))
        || again(|window| hashed(window.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]) as u64)))
}

/// Whether a general compressor makes a sample smaller than planes do.
fn words_help(values: &[i64]) -> bool {
    sample(values).iter().step_by(SAMPLE / STRETCH / TRIED).any(|part| {
        let plane = CONTENTS.iter().filter_map(|&of| planes(part, of)).map(|p| p.len()).min();
        let word = CONTENTS
            .iter()
            .flat_map(|&of| [(of, Coder::Zstd), (of, Coder::LzmaWords)])
            .filter_map(|(of, coder)| words(part, of, coder))
            .map(|w| w.len())
            .min();
        matches!((word, plane), (Some(word), Some(plane)) if word + word / GAIN < plane)
    })
}

fn unpacked(count: u64, bytes: &[u8]) -> Option<Vec<i64>> {
    let n = usize::try_from(count).ok().filter(|&n| n <= BLOCK)?;
    let (&form, mut rest) = bytes.split_first()?;
    match Form::of(form)? {
        Form::Variable => {
            // A byte each, at least.
            if n > rest.len() {
                return None;
            }
            let mut last = 0i64;
            let mut out = Vec::with_capacity(n);
            for _ in 0..n {
                last = last.wrapping_add(leb::get_signed(&mut rest).ok()?);
                out.push(last);
            }
            rest.is_empty().then_some(out)
        }
        Form::Words(of, coder) => {
            let bytes = entropy::unpack(coder, rest, 8 * n)?;
            Some(from_content(bytes.as_chunks::<8>().0.iter().map(|w| u64::from_le_bytes(*w)), of))
        }
        Form::Planes(of) => {
            let least = leb::get_signed(&mut rest).ok()?;
            let mut words = vec![0u64; n];
            for shift in (0..64).step_by(8) {
                let (&way, after) = rest.split_first()?;
                rest = after;
                let mut add = |k: usize, byte: u8| words[k] |= u64::from(byte) << shift;
                match way {
                    SAME => {
                        let (&byte, after) = rest.split_first()?;
                        rest = after;
                        (0..n).for_each(|k| add(k, byte));
                    }
                    PACKED => {
                        let length = usize::try_from(leb::get(&mut rest).ok()?).ok()?;
                        let (packed, after) = rest.split_at_checked(length)?;
                        rest = after;
                        let plane = entropy::unpack(Coder::Zstd, packed, n)?;
                        plane.iter().enumerate().for_each(|(k, &byte)| add(k, byte));
                    }
                    PLAIN => {
                        let (plane, after) = rest.split_at_checked(n)?;
                        rest = after;
                        plane.iter().enumerate().for_each(|(k, &byte)| add(k, byte));
                    }
                    _ => return None,
                }
            }
            let words = words.into_iter().map(|w| w.wrapping_add(least as u64));
            rest.is_empty().then(|| from_content(words, of))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzzing::Random;

    fn cases() -> Vec<Vec<i64>> {
        let mut random = Random::new(3);
        let noise = |random: &mut Random, n: usize, bits: u32| -> Vec<i64> {
            (0..n).map(|_| random.below(u64::MAX) as i64 >> (64 - bits)).collect()
        };
        let twice = noise(&mut random, 30_000, 60).repeat(2);
        vec![
            vec![],
            vec![5],
            vec![i64::MIN, i64::MAX, 0, -1],
            noise(&mut random, 9, 50),
            noise(&mut random, 3000, 20),
            noise(&mut random, 40_000, 20),
            noise(&mut random, 40_000, 64),
            (0..5000).map(|k| k * k).collect(),
            twice,
        ]
    }

    #[test]
    fn integers_come_back_and_damage_is_noticed_or_harmless() {
        for values in cases() {
            for packed in [Packed::of(&values), Packed::of(&values).smallest()] {
                assert_eq!(packed.values(), values);
                assert_eq!(Packed::read(packed.count(), packed.bytes()), Some(packed.clone()));
                assert_eq!(Packed::read(packed.count() + 1, packed.bytes()), None);
                let cut = packed.bytes().len().saturating_sub(1);
                assert_eq!(Packed::read(packed.count(), &packed.bytes()[..cut]), None, "{}", values.len());
            }
        }
        assert_eq!(Packed::read(BLOCK as u64 + 1, &[1, 0, 0, 0]), None);
        assert_eq!(Packed::read(1 << 19, &[0, 0, 0, 0]), None);
    }

    #[test]
    fn no_larger_than_general_compressors_of_the_raw_integers() {
        for values in cases() {
            let raw: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            let packed = Packed::of(&values).smallest().bytes().len();
            for coder in [Coder::Zstd, Coder::Lzma] {
                let peer = entropy::pack(coder, THOROUGH, &raw).expect("memory").len();
                assert!(packed <= peer + 8, "{} integers: {packed}, {coder:?} {peer}", values.len());
            }
        }
        // 20 random bits each.
        let bits = Packed::of(&cases()[5]).bytes().len() as f64 * 8.0 / 40_000.0;
        assert!(bits < 20.3, "{bits}");
    }
}
