//! Cases for fuzzing: hostile words as a record stream.

use crate::expand::Expander;
use crate::stream::{self, Special};

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
        match next(6) {
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
            _ => Special::Gap { instructions: next(u64::MAX) }.write(&mut out),
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

#[cfg(test)]
mod tests {
    #[test]
    fn hostile_words() {
        for seed in 0..20_000 {
            if let Err(difference) = super::check(&super::words(seed)) {
                panic!("seed {seed}: {difference}");
            }
        }
    }
}
