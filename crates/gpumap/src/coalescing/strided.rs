//! Units of memory that the lanes of a warp touch when their addresses advance by a constant.
//!
//! Lane t touches the bytes from A + s·t to A + s·t + e − 1; a *unit* is an aligned block of u bytes: a sector, or a line.
//! Between two neighbouring lanes |s| − e bytes are not touched. Fewer than u cannot hold a whole unit, so that all units from
//! the first byte to the last one are touched; from u + e − 1 on no two lanes share a unit, so that the units of the lanes add
//! up. One of both is always the case.
//!
//! What is known of A is its remainder by a power of two (`Alignment`); then the number of units lies in a range, both ends
//! of which occur.
//!
//! Source: ALGORITHMS 8.3, research note "Corrected coalescing". The published formula (thesis, section 4.4) is kept as
//! [`published`].

use std::ops::RangeInclusive;

use num_integer::Integer;

use crate::device::WARP;

/// Accesses of the lanes of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strided {
    /// Bytes from the address of a lane to that of the next one.
    pub stride: i64,
    /// Bytes that a lane touches.
    pub size: u32,
    /// Lanes, at most 32.
    pub lanes: u32,
}

/// What is known of an address: its remainder by a modulus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alignment {
    modulus: u32,
    remainder: u32,
}

/// Device arrays start at multiples of so many bytes (CUDA C++ Programming Guide, "Device Memory Accesses").
pub const ARRAY: u32 = 256;

impl Alignment {
    /// A multiple of this; 0 counts as 1.
    pub fn multiple_of(modulus: u32) -> Alignment {
        Alignment { modulus: modulus.max(1), remainder: 0 }
    }

    /// So many bytes behind a multiple of this.
    pub fn behind(modulus: u32, bytes: i128) -> Alignment {
        let modulus = modulus.max(1);
        // The remainder is less than the modulus.
        Alignment { modulus, remainder: bytes.rem_euclid(i128::from(modulus)) as u32 }
    }

    /// What the address is a multiple of, less its remainder.
    pub fn modulus(self) -> u32 {
        self.modulus
    }

    /// The remainder.
    pub fn remainder(self) -> u32 {
        self.remainder
    }
}

impl Strided {
    /// Those of all lanes.
    pub fn of_warp(stride: i64, size: u32) -> Strided {
        Strided { stride, size, lanes: WARP }
    }

    /// How many units of so many bytes are touched if the first lane's address is this.
    pub fn units(self, start: i64, unit: u32) -> u32 {
        if self.lanes == 0 || self.size == 0 || unit == 0 {
            return 0;
        }
        let unit = i128::from(unit);
        let count = if self.covers_between(unit) {
            touched(self.lowest(start), self.reach(), unit)
        } else {
            let lane = |lane: u32| i128::from(start) + i128::from(self.stride) * i128::from(lane);
            (0..self.lanes).map(|t| touched(lane(t), i128::from(self.size), unit)).sum()
        };
        // No lane touches more units than bytes, and there are at most 32 of 2^32 each.
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// How many units are touched at least and at most, over all addresses of the first lane of which this is known.
    pub fn units_over(self, alignment: Alignment, unit: u32) -> RangeInclusive<u32> {
        if self.lanes == 0 || self.size == 0 || unit == 0 {
            return 0..=0;
        }
        let step = alignment.modulus.gcd(&unit);
        if self.covers_between(i128::from(unit)) {
            // The more bytes lie before the first one in its unit, the more units there are.
            let least = self.lowest(i64::from(alignment.remainder)).rem_euclid(i128::from(step));
            let most = least + i128::from(unit - step);
            let units = |first: i128| touched(first, self.reach(), i128::from(unit));
            // As above.
            let count = |first: i128| u32::try_from(units(first)).unwrap_or(u32::MAX);
            return count(least)..=count(most);
        }
        let starts = (alignment.remainder % step..unit).step_by(step as usize);
        let counts = starts.map(|start| self.units(i64::from(start), unit));
        counts
            .map(|count| (count, count))
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
            .map_or(0..=0, |ends| ends.0..=ends.1)
    }

    /// Bytes that are touched by at least one lane.
    pub fn bytes(self) -> u64 {
        if self.lanes == 0 {
            return 0;
        }
        let advance = self.stride.unsigned_abs().min(u64::from(self.size));
        advance * u64::from(self.lanes - 1) + u64::from(self.size)
    }

    /// Whether no unit between the first and the last byte is left out.
    fn covers_between(self, unit: i128) -> bool {
        i128::from(self.stride.unsigned_abs()) < unit + i128::from(self.size)
    }

    /// The lowest address.
    fn lowest(self, start: i64) -> i128 {
        i128::from(start) + i128::from(self.stride.min(0)) * i128::from(self.lanes - 1)
    }

    /// Bytes from the lowest address to behind the last byte.
    fn reach(self) -> i128 {
        i128::from(self.stride.unsigned_abs()) * i128::from(self.lanes - 1) + i128::from(self.size)
    }
}

/// Units that bytes in a row touch.
pub(super) fn touched(start: i128, bytes: i128, unit: i128) -> i128 {
    (start + bytes - 1).div_euclid(unit) - start.div_euclid(unit) + 1
}

/// Lines per request by the published formula: the offset of 32 iterations later less the offset, counted in elements, over the
/// 128 bytes of a line; rounded up, at least 1 and at most 32. It counts elements as bytes, one stride too many and no
/// alignment; it is here to compare with what was printed.
pub fn published(stride: i64, size: u32) -> u32 {
    let of_warp = u128::from(stride.unsigned_abs()) * u128::from(WARP);
    let lines = of_warp.div_ceil(u128::from(size.max(1)) * 128);
    // At most 32.
    lines.clamp(1, u128::from(WARP)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sectors and lines of aligned integers: the table of ALGORITHMS 8.3.
    #[test]
    fn aligned_integers() {
        let table = [
            (0, 1, 1),
            (4, 4, 1),
            (8, 8, 2),
            (12, 12, 3),
            (16, 16, 4),
            (32, 32, 8),
            (36, 32, 9),
            (128, 32, 32),
            (4096, 32, 32),
            (-4, 5, 2),
        ];
        for (stride, sectors, lines) in table {
            let warp = Strided::of_warp(stride, 4);
            assert_eq!((warp.units(256, 32), warp.units(256, 128)), (sectors, lines), "stride {stride}");
        }
        assert_eq!(Strided::of_warp(4, 4).units(4, 32), 5);
        let bytes = Strided::of_warp(3, 1);
        assert_eq!((bytes.units(0, 32), bytes.units(0, 128)), (3, 1));
    }

    #[test]
    fn an_unknown_alignment_gives_a_range() {
        let over = |stride, size, modulus, unit| {
            Strided::of_warp(stride, size).units_over(Alignment::multiple_of(modulus), unit)
        };
        assert_eq!(over(4, 4, 4, 32), 4..=5);
        assert_eq!(over(4, 4, 32, 32), 4..=4);
        assert_eq!(over(4, 4, 4, 128), 1..=2);
        assert_eq!(over(128, 4, 4, 32), 32..=32);
        // Integers at odd addresses lie in two sectors.
        assert_eq!(over(64, 4, 1, 32), 32..=64);
        let behind = |bytes| Strided::of_warp(4, 4).units_over(Alignment::behind(32, bytes), 32);
        assert_eq!((behind(0), behind(4), behind(-32)), (4..=4, 5..=5, 4..=4));
    }

    #[test]
    fn bytes_count_once() {
        let bytes = |stride, size| Strided::of_warp(stride, size).bytes();
        assert_eq!((bytes(0, 4), bytes(4, 4), bytes(100, 4), bytes(-1, 4)), (4, 128, 128, 35));
    }

    /// Matrix addition at n = 1024: 32 as written, n/4 being more than the lanes; 1 swapped. At n = 80 n/4 is 20.
    #[test]
    fn the_published_formula() {
        assert_eq!((published(4 * 1024, 4), published(4, 4), published(4 * 80, 4)), (32, 1, 20));
        // The convolution: 3/4 of the width, counted in bytes.
        assert_eq!((published(3 * 13, 1), published(3, 1), published(0, 4)), (10, 1, 1));
    }

    #[test]
    fn extreme_strides_do_not_overflow() {
        for stride in [i64::MIN, i64::MAX] {
            assert_eq!(Strided::of_warp(stride, 1).units(stride, 32), 32);
            assert_eq!(published(stride, 1), 32);
        }
        assert_eq!(Strided { stride: 4, size: 4, lanes: 0 }.units(0, 32), 0);
    }
}
