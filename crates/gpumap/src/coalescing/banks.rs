//! Conflicts in the banks of shared memory.
//!
//! Shared memory has 32 banks; word number i, of 4 bytes, lies in bank i mod 32. In one *pass* each bank gives one word, to
//! any number of lanes. Lanes that touch up to 4 bytes each are served together, those with 8 bytes in two phases of 16 lanes,
//! those with 16 bytes in four of 8; a phase takes as many passes as the most words that lie in one bank (CUDA C++ Programming
//! Guide, "Shared Memory" of the compute capabilities).
//!
//! Accesses of e ∈ {4, 8, 16} bytes with a stride of m·e, m ≠ 0, take e/4 · gcd(m, 128/e) passes; with m = 0 the lanes of a
//! phase take one.

use num_integer::Integer;

use super::strided::Strided;
use crate::device::WARP;

/// Bytes of a word.
const WORD: u32 = 4;
/// Bytes that all banks give in a pass.
const ROW: u32 = WARP * WORD;

/// Passes of a request, and the fewest that its size allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passes {
    /// Passes.
    pub taken: u32,
    /// Phases: one pass each without conflicts.
    pub phases: u32,
}

impl Passes {
    /// How many lanes wait for each other in a phase on average, rounded up; 1 is no conflict.
    pub fn ways(self) -> u32 {
        self.taken.div_ceil(self.phases.max(1))
    }
}

/// Those of all lanes with addresses that are multiples of the size and advance by a constant; `None` for sizes and strides that
/// the formula does not cover.
pub fn strided(stride: i64, size: u32) -> Option<Passes> {
    if !matches!(size, 4 | 8 | 16) || stride % i64::from(size) != 0 {
        return None;
    }
    let (lanes, phases) = (ROW / size, size / WORD);
    let step = stride.unsigned_abs() / u64::from(size);
    let ways = if step == 0 { 1 } else { step.gcd(&u64::from(lanes)) };
    // A divisor of the lanes.
    Some(Passes { taken: ways as u32 * phases, phases })
}

/// Those of lanes at these addresses.
pub fn of_lanes(addresses: &[i128], size: u32) -> Passes {
    let lanes = (ROW / size.clamp(1, ROW)).clamp(1, WARP);
    let phases: Vec<u32> = addresses.chunks(lanes as usize).map(|phase| passes(phase, size)).collect();
    Passes { taken: phases.iter().sum(), phases: phases.len() as u32 }
}

/// The most words of one bank that lanes touch.
fn passes(addresses: &[i128], size: u32) -> u32 {
    let word = i128::from(WORD);
    let words_of =
        |&address: &i128| address.div_euclid(word)..=(address + i128::from(size) - 1).div_euclid(word);
    let mut words: Vec<i128> = addresses.iter().flat_map(words_of).collect();
    words.sort_unstable();
    words.dedup();
    let mut of_bank = [0; WARP as usize];
    for word in words {
        // The remainder is less than the number of banks.
        of_bank[word.rem_euclid(i128::from(WARP)) as usize] += 1;
    }
    of_bank.into_iter().max().unwrap_or(0)
}

/// Those of any accesses at a constant stride from address 0.
pub fn of_stride(access: Strided) -> Passes {
    let by_formula = (access.lanes == WARP).then(|| strided(access.stride, access.size)).flatten();
    by_formula.unwrap_or_else(|| {
        let addresses = (0..access.lanes).map(|lane| i128::from(access.stride) * i128::from(lane));
        of_lanes(&addresses.collect::<Vec<_>>(), access.size)
    })
}

/// How many elements to add to a row of a tile, given the passes of a request by it: one if lanes wait for each other and wait less
/// then, else none.
pub fn padding(passes: impl Fn(u32) -> Passes) -> u32 {
    let plain = passes(0);
    u32::from(plain.ways() > 1 && passes(1).taken < plain.taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every stride in words: as many ways as the common divisor with 32, and enumeration says the same.
    #[test]
    fn ways_are_common_divisors() {
        for words in 0..=64i64 {
            let passes = of_stride(Strided::of_warp(words * 4, 4));
            let expected = if words == 0 { 1 } else { words.gcd(&32) as u32 };
            assert_eq!(passes, Passes { taken: expected, phases: 1 }, "{words} words");
        }
    }

    #[test]
    fn wide_accesses_take_phases() {
        let taken = |stride, size| of_stride(Strided::of_warp(stride, size)).taken;
        assert_eq!((taken(8, 8), taken(16, 16)), (2, 4));
        assert_eq!((taken(16, 8), taken(128, 8), taken(0, 8)), (4, 32, 2));
        assert_eq!((taken(32, 16), taken(128, 16)), (8, 32));
    }

    /// Bytes share words; pairs of bytes at a stride of 6 are enumerated.
    #[test]
    fn narrow_accesses_are_enumerated() {
        assert_eq!(of_stride(Strided::of_warp(1, 1)).ways(), 1);
        assert_eq!(of_stride(Strided::of_warp(64, 1)).ways(), 16);
        assert_eq!(of_stride(Strided::of_warp(6, 2)).ways(), 2);
    }

    #[test]
    fn a_padded_row_has_no_conflicts() {
        for (row, size, expected) in [(32, 4, 1), (33, 4, 0), (16, 8, 1), (31, 8, 0), (8, 16, 1), (64, 1, 1)]
        {
            let down_a_column = |more: u32| of_stride(Strided::of_warp(i64::from((row + more) * size), size));
            assert_eq!(padding(down_a_column), expected, "rows of {row} elements of {size} bytes");
        }
    }
}
