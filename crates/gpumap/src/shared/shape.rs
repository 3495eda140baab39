//! What the threads of a block touch as a sub-matrix: of what each, what neighbours have in common, and the tile of the block.
//!
//! With C columns and R rows per thread, of e bytes each: a neighbour along columns has (C − 1)·R·e bytes in common, one along rows
//! C·(R − 1)·e, one that stays all; likewise in more directions, and with other steps than 1. A block whose axis along columns has D
//! threads needs D + C − 1 columns, rows likewise. Loops inside run at least once. The numbers are exact if no member of the group
//! leaves out bytes of the box around them, or if there are no loops inside; else they are the most that there can be.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::group::Group;
use super::pattern::{Pattern, Step};
use super::section::Section;
use crate::coalescing::banks::{self, Passes};
use crate::device::{Block, Device, Occupancy, OccupancyError};
use crate::symbolic::{Atoms, Facts, Polynomial, Prover};

/// Bytes that a thread has in common with its neighbour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Common {
    /// How many.
    pub bytes: Polynomial,
    /// Whether these are all that the thread touches.
    pub is_all: bool,
    /// Whether there may be fewer.
    pub is_most: bool,
}

/// The copy that a block keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    /// Where it starts in the array for the first block, in bytes. That of the next block along an axis lies as many steps of the
    /// axis on as the block has threads.
    pub start: Polynomial,
    /// Elements along each direction, columns first.
    pub extents: Vec<Polynomial>,
    /// Bytes of an element.
    pub element: i64,
    /// Bytes of all.
    pub bytes: Polynomial,
}

/// What is known of a group as a sub-matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Its roles.
    pub pattern: Pattern,
    /// Bytes that a thread touches.
    pub of_thread: Polynomial,
    /// What neighbours have in common, axis by axis.
    pub common: Vec<Common>,
    /// What a block needs.
    pub tile: Tile,
    /// Bytes of an access.
    pub size: u32,
    /// What is assumed not to be negative: bytes between what is used along a direction and the next one's next element.
    pub assumed: Vec<Polynomial>,
}

impl Shape {
    /// That of a group of sections of which this is the first. `None` if its elements lie over each other.
    pub fn of(atoms: &Atoms, facts: &Facts, first: &Section, group: &Group, block: Block) -> Option<Shape> {
        let pattern = group.pattern.clone();
        let element = group.element();
        let more = |count: &Polynomial, by: i64| count + &Polynomial::from(by);
        let of_thread: Vec<Polynomial> = pattern
            .counts
            .iter()
            .zip(group.extents())
            .map(|(count, extent)| more(count, extent - 1))
            .collect();
        let bytes = |extents: &[Polynomial]| {
            extents.iter().try_fold(Polynomial::from(element), |bytes, extent| bytes.times(extent))
        };
        let assumed = spare(atoms, facts, &pattern, &of_thread, element)?;
        let is_single = first.inside.is_empty();
        let is_most = group.has_holes() && !is_single;
        let mut common = Vec::new();
        let (mut of_block, mut start) = (of_thread.clone(), group.start.clone());
        for (axis, &step) in pattern.axes.iter().enumerate() {
            let mut shared = of_thread.clone();
            if let Some(Step { direction, elements }) = step {
                shared[direction] = more(&shared[direction], -elements.abs());
                let threads = i64::from(block.extent(axis)) - 1;
                of_block[direction] = more(&of_block[direction], elements.abs().checked_mul(threads)?);
                // The last thread comes first where threads go against the direction.
                let before = elements.min(0).checked_mul(threads)?;
                start = start.plus_scaled(&pattern.strides[direction], &before.into());
            }
            let bytes = if is_single { group.common(step).into() } else { bytes(&shared)? };
            common.push(Common { bytes, is_all: step.is_none(), is_most: is_most && step.is_some() });
        }
        let tile = Tile { start, bytes: bytes(&of_block)?, extents: of_block, element };
        let of_thread = if is_single { group.common(None).into() } else { bytes(&of_thread)? };
        Some(Shape { pattern, of_thread, common, tile, size: first.size, assumed })
    }
}

/// What has to be assumed so that elements are distinct; `None` if they are not.
fn spare(
    atoms: &Atoms,
    facts: &Facts,
    pattern: &Pattern,
    of_thread: &[Polynomial],
    element: i64,
) -> Option<Vec<Polynomial>> {
    let prover = Prover::new(atoms, facts);
    let mut assumed = Vec::new();
    // Bytes from the first one that a thread or its neighbours use to behind the last one, along the directions so far.
    let mut used = Polynomial::from(element);
    for (direction, (stride, count)) in pattern.strides.iter().zip(of_thread).enumerate() {
        let spare = stride - &used;
        if spare.constant().is_some_and(|spare| spare.is_negative()) {
            return None;
        }
        if !prover.is_not_negative(&spare) {
            assumed.push(spare);
        }
        let steps = pattern.axes.iter().flatten().filter(|step| step.direction == direction);
        let neighbours = steps.map(|step| step.elements.abs()).max().unwrap_or(0);
        used = &used + &stride.times(&(count + &Polynomial::from(neighbours - 1)))?;
    }
    Some(assumed)
}

impl Tile {
    /// How full a multiprocessor gets if a block needs nothing else; `None` without a number of bytes.
    pub fn occupancy(&self, block: Block, device: &Device) -> Option<Result<Occupancy, OccupancyError>> {
        let bytes = self.bytes.integer()?.max(BigInt::from(0));
        Some(device.occupancy(block, bytes.to_u64().unwrap_or(u64::MAX)))
    }
}

impl Shape {
    /// The most passes that a warp takes to access the tile in shared memory, each lane where its thread is, in rows that are so many
    /// elements longer; `None` without numbers.
    pub fn passes(&self, block: Block, more: u32) -> Option<Passes> {
        let mut strides = vec![i128::from(self.tile.element)];
        for (direction, extent) in self.tile.extents.iter().enumerate() {
            let more = if direction == 0 { i128::from(more) } else { 0 };
            let extent = extent.integer()?.to_i64()?;
            strides.push(strides.last()?.checked_mul(i128::from(extent) + more)?);
        }
        let moves: Vec<i128> = self
            .pattern
            .axes
            .iter()
            .map(|step| match step {
                None => Some(0),
                Some(step) => strides[step.direction].checked_mul(step.elements.into()),
            })
            .collect::<Option<_>>()?;
        let address = |thread: [u32; 3]| {
            let along = moves.iter().zip(thread).map(|(step, place)| step.checked_mul(place.into()));
            along.sum::<Option<i128>>()
        };
        let of_warp = |warp: u32| {
            let lanes: Option<Vec<i128>> = block.lanes(warp).map(address).collect();
            Some(banks::of_lanes(&lanes?, self.size))
        };
        let of_warps = (0..block.warps()).map(of_warp).collect::<Option<Vec<Passes>>>()?;
        of_warps.into_iter().max_by_key(|passes| passes.taken)
    }
}
