//! Units of memory of warps whose lanes are enumerated: those of blocks that are no multiple of 32 wide, and those of offsets
//! that do not advance by a constant.
//!
//! A warp is a request; lanes beyond the edge of the grid make none, and a warp without lanes makes no request. Where addresses
//! are linear in the thread, a block at another place has the same lanes at another start: the starts that there are are looked
//! at one by one, as they differ in their remainder alone.

use std::ops::RangeInclusive;

use num_integer::Integer;

use super::strided::{Alignment, Strided};
use crate::device::{Block, WARP};

/// Requests of warps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Requests {
    /// Requests.
    pub count: u64,
    /// Units of all of them.
    pub units: u64,
    /// The fewest of one.
    pub least: u32,
    /// The most of one.
    pub most: u32,
    /// Bytes that are touched, each once per request.
    pub bytes: u64,
}

impl Requests {
    /// Adds the request of a warp with lanes at these addresses; nothing if there are none.
    pub fn add(&mut self, addresses: &mut [i128], size: u32, unit: u32) {
        if addresses.is_empty() || size == 0 || unit == 0 {
            return;
        }
        addresses.sort_unstable();
        let units = covered(addresses, size, unit);
        self.least = if self.count == 0 { units } else { self.least.min(units) };
        self.most = self.most.max(units);
        self.count += 1;
        self.units += u64::from(units);
        self.bytes += u64::from(covered(addresses, size, 1));
    }

    /// Fewest and most units of a request.
    pub fn range(&self) -> RangeInclusive<u32> {
        self.least..=self.most
    }
}

/// Distinct units that are touched at ascending addresses.
fn covered(addresses: &[i128], size: u32, unit: u32) -> u32 {
    let unit = i128::from(unit);
    let (mut count, mut next) = (0, i128::MIN);
    for &address in addresses {
        let last = (address + i128::from(size) - 1).div_euclid(unit);
        let first = address.div_euclid(unit).max(next);
        if first <= last {
            count += last - first + 1;
            next = last + 1;
        }
    }
    // 32 lanes of less than 2^32 bytes; more is beyond any access.
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Requests of all warps of one block. `address` gives that of a thread, `None` where it is beyond the edge.
pub fn of_block(
    block: Block,
    size: u32,
    unit: u32,
    mut address: impl FnMut([u32; 3]) -> Option<i128>,
) -> Requests {
    let mut requests = Requests::default();
    for warp in 0..block.warps() {
        let mut lanes: Vec<i128> = block.lanes(warp).filter_map(&mut address).collect();
        requests.add(&mut lanes, size, unit);
    }
    requests
}

/// Fewest and most units of the warps of full blocks, if the address advances by these bytes along each axis of the block, and
/// this is known of the address of a block's first thread.
pub fn linear(
    block: Block,
    strides: [i64; 3],
    size: u32,
    alignment: Alignment,
    unit: u32,
) -> RangeInclusive<u32> {
    if block.has_whole_rows() {
        return of_rows(block, strides, size, alignment, unit);
    }
    let step = alignment.modulus().gcd(&unit).max(1);
    let starts = (alignment.remainder() % step..unit).step_by(step as usize);
    let of_start = |start: u32| {
        of_block(block, size, unit, |thread| {
            let along =
                thread.iter().zip(strides).map(|(&place, stride)| i128::from(place) * i128::from(stride));
            Some(i128::from(start) + along.sum::<i128>())
        })
        .range()
    };
    starts.map(of_start).reduce(both).unwrap_or(0..=0)
}

/// As [`linear`], with warps that lie in rows: 32 lanes along x each.
fn of_rows(
    block: Block,
    [x, y, z]: [i64; 3],
    size: u32,
    alignment: Alignment,
    unit: u32,
) -> RangeInclusive<u32> {
    let of_warp = |[i, j, k]: [u32; 3]| {
        let along = |place: u32, stride: i64| i128::from(place) * i128::from(stride);
        let start = along(i, x) + along(j, y) + along(k, z) + i128::from(alignment.remainder());
        Strided::of_warp(x, size).units_over(Alignment::behind(alignment.modulus(), start), unit)
    };
    let firsts = (0..block.threads()).step_by(WARP as usize);
    let thread = |number: u32| block.lanes(number / WARP).next();
    firsts.filter_map(thread).map(of_warp).reduce(both).unwrap_or(0..=0)
}

fn both(a: RangeInclusive<u32>, b: RangeInclusive<u32>) -> RangeInclusive<u32> {
    *a.start().min(b.start())..=*a.end().max(b.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sectors_of_first_warp(block: &str, strides: [i64; 3]) -> u32 {
        let Ok(block) = block.parse::<Block>() else { panic!("{block}") };
        let address = |[x, y, _]: [u32; 3]| {
            i128::from(x) * i128::from(strides[0]) + i128::from(y) * i128::from(strides[1])
        };
        let mut lanes: Vec<i128> = block.lanes(0).map(address).collect();
        let mut requests = Requests::default();
        requests.add(&mut lanes, 4, 32);
        requests.most
    }

    /// Integers of a matrix with rows of 1000, in rows and in columns: warps that cross rows of the block.
    #[test]
    fn warps_across_rows() {
        assert_eq!(sectors_of_first_warp("16x16", [4, 4000, 0]), 4);
        assert_eq!(sectors_of_first_warp("16x16", [4000, 4, 0]), 16);
        assert_eq!(sectors_of_first_warp("8x8", [4000, 4, 0]), 8);
        assert_eq!(sectors_of_first_warp("24x8", [4000, 4, 0]), 24);
    }

    #[test]
    fn all_warps_and_starts_count() {
        let block = |text: &str| text.parse::<Block>().unwrap_or_default();
        let whole = Alignment::multiple_of(256);
        assert_eq!(linear(block("32x8"), [4, 4096, 0], 4, whole, 32), 4..=4);
        // Rows of 1000 integers start 32 bytes behind a multiple of 64: still whole sectors.
        assert_eq!(linear(block("32x8"), [4, 4000, 0], 4, whole, 32), 4..=4);
        assert_eq!(linear(block("32x8"), [4, 4004, 0], 4, whole, 32), 4..=5);
        assert_eq!(linear(block("24x8"), [4, 4000, 0], 4, whole, 32), 4..=4);
        assert_eq!(linear(block("24x8"), [4, 4000, 0], 4, Alignment::multiple_of(4), 32), 4..=6);
    }

    #[test]
    fn lanes_beyond_the_edge_make_no_request() {
        let block = Block::default();
        let inside = |[x, y, _]: [u32; 3]| (x < 20 && y < 3).then(|| i128::from(x) * 4 + i128::from(y) * 80);
        let requests = of_block(block, 4, 32, inside);
        assert_eq!((requests.count, requests.units, requests.bytes), (3, 3 + 3 + 3, 240));
    }
}
