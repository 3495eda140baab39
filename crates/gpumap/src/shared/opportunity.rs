//! For what shared memory is worth while, and how much a block needs.
//!
//! A group of accesses is an opportunity if neighbours along an axis of the block touch bytes in common, or if its requests use
//! less than half of what they move. A store is one for the second reason alone.
//!
//! With a sub-matrix of C columns and R rows per thread, of e bytes each: a neighbour along columns has (C − 1)·R·e bytes in
//! common, one along rows C·(R − 1)·e, one that stays all; likewise in more directions. A block whose axis along columns has D
//! threads needs D + C − 1 columns, rows likewise. The numbers are exact if no member of the group leaves out bytes of the box
//! around them, or if there are no loops inside; else they are the most that there can be.

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};

use super::group::{Group, Scheme, groups};
use super::pattern::Pattern;
use super::section::{Section, Shapeless};
use crate::access::Accesses;
use crate::coalescing::strided::{ARRAY, Alignment, Strided};
use crate::coalescing::{Coalescing, Requested};
use crate::device::{Block, Device, Occupancy, OccupancyError};
use crate::memory::Object;
use crate::recurrence::Forms;
use crate::symbolic::{Atoms, Facts, Polynomial, Prover};

/// Why shared memory is worth while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Neighbours along this axis, 0 for x, touch bytes in common.
    Overlap(usize),
    /// Requests use less than half of what they move.
    Uncoalesced,
}

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
    /// What is assumed not to be negative: bytes between what is used along a direction and the next one's next element.
    pub assumed: Vec<Polynomial>,
}

/// Accesses that shared memory may serve.
#[derive(Debug, Clone)]
pub struct Opportunity {
    /// The object.
    pub object: Object,
    /// What it is called in the source.
    pub name: String,
    /// The accesses, by their places in [`Accesses::list`].
    pub accesses: Vec<usize>,
    /// Why; nothing if it is no opportunity, or if that is not known.
    pub why: Vec<Why>,
    /// What is touched; why that is not known.
    pub shape: Result<Shape, Shapeless>,
}

/// The groups of accesses of a nest under the advised mapping, with what shared memory is worth for them.
pub fn opportunities(
    accesses: &mut Accesses<'_>,
    found: &Coalescing,
    block: Block,
    device: &Device,
    scheme: Scheme,
) -> Vec<Opportunity> {
    let axes = found.axes_from(found.advice.x);
    let mut list = Vec::new();
    for writes in [false, true] {
        let (mut sections, mut places) = (Vec::new(), Vec::new());
        for requested in found.accesses.iter().filter(|requested| !requested.is_scalar) {
            let Some(access) = accesses.list.get(requested.access).filter(|access| access.writes == writes)
            else {
                continue;
            };
            let (at, size) = (access.block, access.bytes.and_then(|bytes| u32::try_from(bytes).ok()));
            let forms = accesses.forms_mut(true);
            for way in requested.ways.iter().flat_map(|ways| &ways.list) {
                let section = size
                    .ok_or(Shapeless::NotLinear)
                    .and_then(|size| Section::new(forms, &axes, at, way, size, &found.numbers));
                match section.and_then(|section| match Pattern::of(&section) {
                    Some(_) => Ok(section),
                    None => Err(Shapeless::Overlaps),
                }) {
                    Ok(section) => {
                        sections.push(section);
                        places.push(requested);
                    }
                    Err(shapeless) => list.push(Opportunity {
                        object: way.object,
                        name: way.name.clone(),
                        accesses: vec![requested.access],
                        why: Vec::new(),
                        shape: Err(shapeless),
                    }),
                }
            }
        }
        let forms = accesses.forms_mut(true);
        for group in groups(&sections, scheme) {
            list.push(opportunity(forms, &sections, &places, &group, (block, device), writes));
        }
    }
    list.sort_by_key(|opportunity| opportunity.accesses.first().copied());
    list
}

fn opportunity(
    forms: &Forms<'_>,
    sections: &[Section],
    places: &[&Requested],
    group: &Group,
    (block, device): (Block, &Device),
    writes: bool,
) -> Opportunity {
    let first = &sections[group.members[0]];
    let facts = &places[group.members[0]].facts;
    let shape = Shape::of(&forms.atoms, facts, first, group, block).ok_or(Shapeless::Overlaps);
    let mut why = Vec::new();
    if let Ok(shape) = &shape
        && !writes
    {
        let prover = Prover::new(&forms.atoms, facts);
        let is_some = |common: &Common| !prover.is_not_negative(&-&common.bytes);
        let axes = shape.common.iter().enumerate().filter(|(_, common)| is_some(common));
        why.extend(axes.map(|(axis, _)| Why::Overlap(axis)));
    }
    if is_uncoalesced(first, group, device) {
        why.push(Why::Uncoalesced);
    }
    let mut accesses: Vec<usize> = group.members.iter().map(|&member| places[member].access).collect();
    accesses.sort_unstable();
    accesses.dedup();
    Opportunity { object: first.object, name: first.name.clone(), accesses, why, shape }
}

/// Whether the requests of a group, counted as one of the bytes of its elements, use less than half of what they move.
fn is_uncoalesced(first: &Section, group: &Group, device: &Device) -> bool {
    let (Some(stride), Ok(size)) = (first.threads.first(), u32::try_from(group.element())) else {
        return false;
    };
    if stride.is_zero() {
        return false;
    }
    let Some(stride) = stride.integer().and_then(|stride| stride.to_i64()) else {
        // Lanes far apart: each in sectors of its own.
        return u64::from(size) * 2 < u64::from(device.sector);
    };
    let warp = Strided::of_warp(stride, size);
    let sectors = *warp.units_over(Alignment::multiple_of(ARRAY), device.sector).end();
    warp.bytes() * 2 < u64::from(sectors) * u64::from(device.sector)
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
        let mut of_block = of_thread.clone();
        for (axis, &direction) in pattern.axes.iter().enumerate() {
            let mut shared = of_thread.clone();
            if let Some(direction) = direction {
                shared[direction] = more(&shared[direction], -1);
                of_block[direction] = more(&of_block[direction], i64::from(block.extent(axis)) - 1);
            }
            let bytes = if is_single { group.common(direction).into() } else { bytes(&shared)? };
            common.push(Common {
                bytes,
                is_all: direction.is_none(),
                is_most: is_most && direction.is_some(),
            });
        }
        let tile = Tile { bytes: bytes(&of_block)?, extents: of_block, element };
        let of_thread = if is_single { group.common(None).into() } else { bytes(&of_thread)? };
        Some(Shape { pattern, of_thread, common, tile, assumed })
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
        let neighbours = i64::from(pattern.axes.contains(&Some(direction)));
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

    /// Elements to add to a row so that lanes that go down a column do not wait for each other; `None` without numbers, or if
    /// there are no columns to go down.
    pub fn padding(&self) -> Option<u32> {
        let [columns, _, ..] = self.extents.as_slice() else { return None };
        let columns = columns.integer().filter(|columns| *columns >= BigInt::one())?.to_u32()?;
        Some(crate::coalescing::banks::padding(columns, u32::try_from(self.element).ok()?))
    }
}
