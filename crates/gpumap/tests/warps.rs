//! Warp brute force: a simulator walks through every thread of concrete grids and counts the distinct sectors, lines and words
//! of banks that each warp touches, byte by byte. Formulas and enumeration agree with it on at least 250,000 random cases.

use crate::support;

use gpumap::coalescing::banks;
use gpumap::coalescing::lanes::{Requests, linear, of_block};
use gpumap::coalescing::strided::{Alignment, Strided};
use gpumap::device::{Block, WARP};
use support::interpreter::Sequence;

/// Cases of each kind; 260,000 in all.
const STRIDED: u64 = 160_000;
const RANGES: u64 = 30_000;
const BANKS: u64 = 60_000;
const BLOCKS: u64 = 10_000;

const SIZES: [u32; 6] = [1, 2, 4, 8, 12, 16];
const UNITS: [u32; 3] = [32, 64, 128];

fn below(from: &mut Sequence, limit: u64) -> u64 {
    from.next() % limit
}

fn pick<T: Copy>(from: &mut Sequence, list: &[T]) -> T {
    list[below(from, list.len() as u64) as usize]
}

/// Strides of all kinds: none, small, multiples of the size, large.
fn stride(from: &mut Sequence, size: u32) -> i64 {
    let number = match below(from, 4) {
        0 => below(from, 20) as i64,
        1 => below(from, 300) as i64,
        2 => below(from, 80) as i64 * i64::from(size),
        _ => below(from, 5000) as i64,
    };
    if below(from, 3) == 0 { -number } else { number }
}

/// Distinct values of something said of every byte that the lanes at these addresses touch.
fn distinct(addresses: impl IntoIterator<Item = i64>, size: u32, of: impl Fn(i64) -> i64) -> u32 {
    let mut seen: Vec<i64> = Vec::new();
    for address in addresses {
        for byte in 0..i64::from(size) {
            let value = of(address + byte);
            if seen.last() != Some(&value) {
                seen.push(value);
            }
        }
    }
    seen.sort_unstable();
    seen.dedup();
    seen.len() as u32
}

fn units(addresses: impl IntoIterator<Item = i64>, size: u32, unit: u32) -> u32 {
    distinct(addresses, size, |byte| byte.div_euclid(i64::from(unit)))
}

fn lanes(start: i64, strided: Strided) -> impl Iterator<Item = i64> {
    (0..i64::from(strided.lanes)).map(move |lane| start + strided.stride * lane)
}

#[test]
fn units_of_strided_accesses() {
    let mut from = Sequence(1);
    for case in 0..STRIDED {
        let size = pick(&mut from, &SIZES);
        let lane_count = if below(&mut from, 8) == 0 { below(&mut from, 33) as u32 } else { WARP };
        let strided = Strided { stride: stride(&mut from, size), size, lanes: lane_count };
        let start = below(&mut from, 1000) as i64 - 500;
        let unit = pick(&mut from, &UNITS);
        let seen = units(lanes(start, strided), size, unit);
        assert_eq!(
            strided.units(start, unit),
            seen,
            "case {case}: {strided:?} from {start}, units of {unit}"
        );
        let bytes = distinct(lanes(start, strided), size, |byte| byte);
        assert_eq!(strided.bytes(), u64::from(bytes), "case {case}: bytes of {strided:?}");
    }
}

/// Both ends of a range occur, and nothing beyond them.
#[test]
fn ranges_over_unknown_alignments() {
    let mut from = Sequence(2);
    for case in 0..RANGES {
        let size = pick(&mut from, &SIZES);
        let strided = Strided::of_warp(stride(&mut from, size), size);
        let (modulus, unit) = (pick(&mut from, &[1, 2, 4, 8, 12, 16, 32, 64, 256]), pick(&mut from, &UNITS));
        let remainder = below(&mut from, u64::from(modulus)) as i64;
        // After these all remainders by the unit have been met.
        let is_new = |step: &u32| *step == 0 || !(step * modulus).is_multiple_of(unit);
        let starts = (0..).take_while(is_new).map(|step| remainder + i64::from(step * modulus));
        let counts: Vec<u32> = starts.map(|start| quick_units(start, strided, unit)).collect();
        let range = strided.units_over(Alignment::behind(modulus, remainder.into()), unit);
        let seen = *counts.iter().min().unwrap()..=*counts.iter().max().unwrap();
        assert_eq!(range, seen, "case {case}: {strided:?}, {remainder} behind {modulus}, units of {unit}");
    }
}

/// As `units`, by the first and last byte of each lane alone: these are the only units that a lane of up to 16 bytes touches.
fn quick_units(start: i64, strided: Strided, unit: u32) -> u32 {
    let unit = i64::from(unit);
    let mut seen: Vec<i64> = lanes(start, strided)
        .flat_map(|address| {
            [address.div_euclid(unit), (address + i64::from(strided.size) - 1).div_euclid(unit)]
        })
        .collect();
    seen.sort_unstable();
    seen.dedup();
    seen.len() as u32
}

/// Words of each bank, phase by phase.
#[test]
fn passes_of_banks() {
    let mut from = Sequence(3);
    for case in 0..BANKS {
        let size = pick(&mut from, &[1, 2, 4, 8, 16]);
        let strided = Strided::of_warp(stride(&mut from, size), size);
        let of_phase = if size <= 4 { 32 } else { 128 / size };
        let mut taken = 0;
        for phase in 0..WARP / of_phase {
            let mut words: Vec<i64> = Vec::new();
            for lane in 0..of_phase {
                let address = strided.stride * i64::from(phase * of_phase + lane);
                words.extend((0..i64::from(size)).map(|byte| (address + byte).div_euclid(4)));
            }
            words.sort_unstable();
            words.dedup();
            let of_bank = |bank: i64| words.iter().filter(|word| word.rem_euclid(32) == bank).count();
            taken += (0..32).map(of_bank).max().unwrap();
        }
        let passes = banks::of_stride(strided);
        assert_eq!(passes.taken as usize, taken, "case {case}: {strided:?}");
        assert_eq!(passes.phases, WARP / of_phase, "case {case}: {strided:?}");
    }
}

/// Whole grids: threads are numbered block by block as the hardware does it, warps cut from the numbers, lanes beyond the edge
/// left out. Enumeration counts the same, and full blocks stay in the range that is said of all of them.
#[test]
fn grids_of_blocks() {
    let mut from = Sequence(4);
    for case in 0..BLOCKS {
        let extents = [
            pick(&mut from, &[1, 3, 8, 16, 24, 32, 40, 64]),
            pick(&mut from, &[1, 2, 3, 4, 8]),
            pick(&mut from, &[1, 1, 1, 2]),
        ];
        let block = Block::new(extents[0], extents[1], extents[2]).unwrap();
        let grid = [0, 1, 2].map(|axis| 1 + below(&mut from, 2 * u64::from(extents[axis])) as u32);
        let size = pick(&mut from, &SIZES);
        let strides = [0; 3].map(|_: i64| stride(&mut from, size) % 600);
        let base = 4 * below(&mut from, 64) as i64;
        let unit = pick(&mut from, &UNITS);
        let at = |thread: [u32; 3]| {
            base + thread.iter().zip(strides).map(|(&place, stride)| i64::from(place) * stride).sum::<i64>()
        };
        let mut all = Requests::default();
        let (mut count, mut sum) = (0, 0);
        for origin in origins(grid, extents) {
            let warps = simulated(origin, grid, extents);
            for warp in warps.iter().filter(|warp| !warp.is_empty()) {
                count += 1;
                sum += u64::from(units(warp.iter().map(|&thread| at(thread)), size, unit));
            }
            let found = of_block(block, size, unit, |thread| {
                let thread = [0, 1, 2].map(|axis| origin[axis] + thread[axis]);
                (0..3).all(|axis| thread[axis] < grid[axis]).then(|| at(thread).into())
            });
            let is_full = (0..3).all(|axis| origin[axis] + extents[axis] <= grid[axis]);
            if is_full {
                let range = linear(block, strides, size, Alignment::behind(256, at(origin).into()), unit);
                assert_eq!(found.range(), range, "case {case}: {block} of {grid:?} at {origin:?}");
            }
            all.count += found.count;
            all.units += found.units;
        }
        assert_eq!((all.count, all.units), (count, sum), "case {case}: {block} of {grid:?}, {strides:?}");
    }
}

/// First threads of the blocks.
fn origins(grid: [u32; 3], extents: [u32; 3]) -> Vec<[u32; 3]> {
    let mut list = Vec::new();
    for z in (0..grid[2]).step_by(extents[2] as usize) {
        for y in (0..grid[1]).step_by(extents[1] as usize) {
            for x in (0..grid[0]).step_by(extents[0] as usize) {
                list.push([x, y, z]);
            }
        }
    }
    list
}

/// The threads of each warp of a block that lie in the grid.
fn simulated(origin: [u32; 3], grid: [u32; 3], extents: [u32; 3]) -> Vec<Vec<[u32; 3]>> {
    let mut warps = Vec::new();
    let mut number = 0;
    for z in 0..extents[2] {
        for y in 0..extents[1] {
            for x in 0..extents[0] {
                if number % WARP == 0 {
                    warps.push(Vec::new());
                }
                number += 1;
                let thread = [origin[0] + x, origin[1] + y, origin[2] + z];
                if (0..3).all(|axis| thread[axis] < grid[axis]) {
                    warps.last_mut().unwrap().push(thread);
                }
            }
        }
    }
    warps
}
