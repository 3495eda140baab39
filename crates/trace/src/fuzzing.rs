//! Cases for fuzzing: hostile words as a record stream, hostile bytes as traces of other tools.

use crate::accesses::{Accesses, StreamId};
use crate::expand::Expander;
use crate::foreign::{self, Format};
use crate::stream::{self, Outside, Special};

/// Most iterations and instructions a partial record of a case may claim: expanding is linear in them.
const MOST: u64 = 1000;

/// Reads words as special records and as a stream without blocks. Whatever is accepted must be written back as the same
/// words.
///
/// # Errors
/// A sentence that says what went wrong.
pub fn check(words: &[u64]) -> Result<(), String> {
    let mut at = 0;
    while at < words.len() {
        let Ok((record, length)) = stream::special(&words[at..]) else {
            at += 1;
            continue;
        };
        let Some(read) = words.get(at..at + length) else {
            return Err(format!("the record at word {at} is said to be {length} words long"));
        };
        let mut written = Vec::new();
        record.write(&mut written);
        if written != read {
            return Err(format!("the record at word {at}, {record:?}, is written as {written:x?}"));
        }
        at += length;
    }
    // Bad streams are refused, not a failure.
    let _ = Expander::new().expand(words, &[], &mut |_| {});
    Ok(())
}

/// The case of a seed: valid special records, damaged in a few words.
pub fn words(seed: u64) -> Vec<u64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % n
    };
    let mut out = Vec::new();
    for _ in 0..1 + next(20) {
        let payload: Vec<u64> = (0..2 * next(5)).map(|_| next(u64::MAX)).collect();
        match next(8) {
            0 => Special::ThreadBase(next(u64::MAX)).write(&mut out),
            1 => Special::Effect { number: next(400), result: next(u64::MAX), ranges: &payload }
                .write(&mut out),
            2 => Special::Partial {
                block: next(4) as u32,
                iterations: next(MOST),
                instructions: next(MOST),
                words: &payload,
            }
            .write(&mut out),
            3 => Special::Signal { number: next(64), handler: next(u64::MAX) }.write(&mut out),
            4 => Special::Resume(next(u64::MAX)).write(&mut out),
            5 => Special::Outside(Outside {
                target: next(u64::MAX),
                arguments: [next(u64::MAX), next(u64::MAX)],
                result: next(u64::MAX),
                stack: next(u64::MAX),
                entered: next(2) == 1,
                is_runtime: next(2) == 1,
            })
            .write(&mut out),
            6 => Special::Handed {
                function: next(u64::MAX),
                stacked: next(u64::MAX),
                digest: next(u64::MAX),
                depends: &payload,
            }
            .write(&mut out),
            _ => Special::Gap { instructions: next(u64::MAX), stack: next(u64::MAX) }.write(&mut out),
        }
    }
    for _ in 0..next(4) {
        let at = next(out.len() as u64) as usize;
        out[at] ^= 1 << next(64);
    }
    if next(3) == 0 {
        out.truncate(next(out.len() as u64) as usize);
    }
    out
}

/// Counts what a reader hands over.
#[derive(Default)]
struct Count(u128);

impl Accesses for Count {
    fn values(&mut self, _: StreamId, values: &[i64]) {
        self.0 += values.len() as u128;
    }

    fn run(&mut self, _: StreamId, _: i64, _: i64, count: u64) {
        self.0 += u128::from(count);
    }
}

/// Reads bytes as every format. Whatever is accepted cannot hold more single accesses than bytes.
///
/// # Errors
/// A sentence that says what went wrong.
pub fn check_readers(bytes: &[u8]) -> Result<(), String> {
    let formats = [Format::Text, Format::I64, Format::U64, Format::Npy, Format::Lackey, Format::Pinatrace];
    for format in formats {
        let mut count = Count::default();
        // Bad input is refused, not a failure.
        let _ = foreign::read(format, &mut &*bytes, &mut count);
        if count.0 > bytes.len() as u128 {
            return Err(format!("{format:?}: {} accesses from {} bytes", count.0, bytes.len()));
        }
    }
    if let Ok(format) = foreign::guess(bytes) {
        let _ = foreign::read(format, &mut &*bytes, &mut Count::default());
    }
    let _ = foreign::read(Format::Lwt, &mut &*bytes, &mut Count::default());
    Ok(())
}

/// Bytes of a seed: pieces of what readers expect, in any order.
pub fn bytes(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % n
    };
    let parts: [&[u8]; 16] = [
        b"12 ",
        b"-9223372036854775808",
        b"0x",
        b"\n",
        b"I  0400,3\n",
        b" L 1f,8",
        b" M ",
        b"0x1: R 0x2\n",
        b"==1== ",
        b"\x93NUMPY\x01\x00",
        b"{'descr': '<i2', 'shape': (",
        b"3,), 'fortran_order': False}",
        b"LWTRACE\n\x01\0\0\0",
        b"(\xb5/\xfd",
        b"18446744073709551615\n",
        b",",
    ];
    let mut out = Vec::new();
    for _ in 0..next(30) {
        match next(4) {
            0 => out.push(next(256) as u8),
            1 => out.extend(next(u64::MAX).to_le_bytes()),
            _ => out.extend_from_slice(parts[next(16) as usize]),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn hostile_bytes() {
        for seed in 0..20_000 {
            if let Err(difference) = super::check_readers(&super::bytes(seed)) {
                panic!("seed {seed}: {difference}");
            }
        }
    }

    #[test]
    fn hostile_words() {
        for seed in 0..20_000 {
            if let Err(difference) = super::check(&super::words(seed)) {
                panic!("seed {seed}: {difference}");
            }
        }
    }
}
