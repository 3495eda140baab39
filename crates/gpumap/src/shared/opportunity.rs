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
use super::pattern::{Pattern, Step};
use super::section::{Section, Shapeless};
use crate::access::Accesses;
use crate::coalescing::strided::{ARRAY, Alignment, Strided};
use crate::coalescing::{Coalescing, Requested, Way};
use crate::device::{Block, Device, Occupancy, OccupancyError};
use crate::memory::Object;
use crate::recurrence::Forms;
use crate::symbolic::{Atoms, Facts, Polynomial, Prover, Range, Side};

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
    /// What is assumed not to be negative: bytes between what is used along a direction and the next one's next element.
    pub assumed: Vec<Polynomial>,
}

/// What is known of accesses that are no sub-matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loose {
    /// Why they are none.
    pub why: Shapeless,
    /// All bytes from the first one to behind the last one that the first block touches, from the start of the array.
    pub hull: Option<Range>,
    /// Bytes in common with neighbours, axis by axis, counted one by one; nothing without numbers.
    pub common: Vec<u64>,
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
    /// What is touched as a sub-matrix; what else is known if it is none.
    pub shape: Result<Shape, Loose>,
}

/// The groups of accesses of a nest under the advised mapping, with what shared memory is worth for them.
pub fn opportunities(
    accesses: &mut Accesses<'_>,
    found: &Coalescing,
    block: Block,
    device: &Device,
    scheme: Scheme,
) -> Vec<Opportunity> {
    let mut list = Vec::new();
    for writes in [false, true] {
        let mut places = Vec::new();
        for (requested, way, section) in sections(accesses, found, writes) {
            match section {
                Ok(section) => places.push((requested, section)),
                Err(why) => list.push(Opportunity {
                    object: way.object,
                    name: way.name.clone(),
                    accesses: vec![requested.access],
                    why: Vec::new(),
                    shape: Err(Loose { why, hull: None, common: Vec::new() }),
                }),
            }
        }
        let search = Search { forms: accesses.forms_mut(true), places, block, device, writes };
        list.extend(search.opportunities(scheme));
    }
    list.sort_by_key(|opportunity| opportunity.accesses.first().copied());
    list
}

/// What a thread touches by each way of each load, or of each store.
fn sections<'c>(
    accesses: &mut Accesses<'_>,
    found: &'c Coalescing,
    writes: bool,
) -> Vec<(&'c Requested, &'c Way, Result<Section, Shapeless>)> {
    let axes = found.axes_from(found.advice.x);
    let mut list = Vec::new();
    for requested in found.accesses.iter().filter(|requested| !requested.is_scalar) {
        let access = accesses.list.get(requested.access).filter(|access| access.writes == writes);
        let Some((block, Some(bytes))) = access.map(|access| (access.block, access.bytes)) else { continue };
        let Ok(size) = u32::try_from(bytes) else { continue };
        let forms = accesses.forms_mut(true);
        for way in requested.ways.iter().flat_map(|ways| &ways.list) {
            list.push((requested, way, Section::new(forms, &axes, block, way, size, &found.numbers)));
        }
    }
    list
}

/// What is looked at: loads, or stores.
struct Search<'a, 'f> {
    forms: &'a Forms<'f>,
    places: Vec<(&'a Requested, Section)>,
    block: Block,
    device: &'a Device,
    writes: bool,
}

impl Search<'_, '_> {
    fn opportunities(&self, scheme: Scheme) -> Vec<Opportunity> {
        let sections: Vec<Section> = self.places.iter().map(|place| place.1.clone()).collect();
        let groups = groups(&sections, scheme);
        let is_grouped = |at: &usize| groups.iter().any(|group| group.members.contains(at));
        let single = (0..sections.len()).filter(|at| !is_grouped(at));
        let mut sets: Vec<(Vec<usize>, Option<&Group>)> = single.map(|at| (vec![at], None)).collect();
        sets.extend(groups.iter().map(|group| (group.members.clone(), Some(group))));
        if scheme == Scheme::Whole {
            sets = self.by_pointer(sets);
        }
        sets.into_iter().map(|(members, group)| self.opportunity(&members, group)).collect()
    }

    /// Sets of one pointer joined: those of several shapes are no sub-matrix together.
    fn by_pointer<'g>(
        &self,
        sets: Vec<(Vec<usize>, Option<&'g Group>)>,
    ) -> Vec<(Vec<usize>, Option<&'g Group>)> {
        let mut list: Vec<(Vec<usize>, Option<&Group>)> = Vec::new();
        for (members, group) in sets {
            let base = |members: &[usize]| &self.places[members[0]].1.base;
            match list.iter_mut().find(|other| base(&other.0) == base(&members)) {
                Some(other) => {
                    other.0.extend(members);
                    other.1 = None;
                }
                None => list.push((members, group)),
            }
        }
        list
    }

    fn opportunity(&self, members: &[usize], group: Option<&Group>) -> Opportunity {
        let (requested, first) = &self.places[members[0]];
        let atoms = &self.forms.atoms;
        let shape = group.and_then(|group| Shape::of(atoms, &requested.facts, first, group, self.block));
        let shape = shape.ok_or_else(|| self.loose(members));
        let mut why = if self.writes { Vec::new() } else { overlaps(atoms, &requested.facts, &shape) };
        let is_uncoalesced = match group {
            Some(group) => is_uncoalesced(first, group.element(), self.device),
            None => members.iter().any(|&member| {
                let section = &self.places[member].1;
                is_uncoalesced(section, section.size.into(), self.device)
            }),
        };
        if is_uncoalesced {
            why.push(Why::Uncoalesced);
        }
        let mut accesses: Vec<usize> = members.iter().map(|&member| self.places[member].0.access).collect();
        accesses.sort_unstable();
        accesses.dedup();
        Opportunity { object: first.object, name: first.name.clone(), accesses, why, shape }
    }

    fn loose(&self, members: &[usize]) -> Loose {
        let sections: Vec<&Section> = members.iter().map(|&member| &self.places[member].1).collect();
        let facts = &self.places[members[0]].0.facts;
        let prover = Prover::new(&self.forms.atoms, facts);
        let hulls: Option<Vec<Range>> =
            sections.iter().map(|section| section.hull(self.block, &prover)).collect();
        let union = hulls.into_iter().flatten().reduce(|all, hull| match all.union(&hull) {
            Range::Between(lower, upper) => {
                Range::Between(lower.pruned(Side::Lower, &prover), upper.pruned(Side::Upper, &prover))
            }
            Range::Unreached => Range::Unreached,
        });
        let (why, common) = match sections.as_slice() {
            [one] => {
                let axes = 0..one.threads.len();
                (Shapeless::Overlaps, axes.filter_map(|axis| one.common_bytes(axis)).collect())
            }
            _ => (Shapeless::Several, Vec::new()),
        };
        Loose { why, hull: union, common }
    }
}

/// The axes along which neighbours have something in common.
fn overlaps(atoms: &Atoms, facts: &Facts, shape: &Result<Shape, Loose>) -> Vec<Why> {
    let prover = Prover::new(atoms, facts);
    let is_some: Vec<bool> = match shape {
        Ok(shape) => shape.common.iter().map(|common| !prover.is_not_negative(&-&common.bytes)).collect(),
        Err(loose) => loose.common.iter().map(|&common| common > 0).collect(),
    };
    is_some
        .into_iter()
        .enumerate()
        .filter(|(_, is_some)| *is_some)
        .map(|(axis, _)| Why::Overlap(axis))
        .collect()
}

/// Whether the requests of a group, counted as one of the bytes of its elements, use less than half of what they move.
fn is_uncoalesced(first: &Section, element: i64, device: &Device) -> bool {
    let (Some(stride), Ok(size)) = (first.threads.first(), u32::try_from(element)) else {
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

    /// Elements to add to a row so that lanes that go down a column do not wait for each other; `None` without numbers, or if
    /// there are no columns to go down.
    pub fn padding(&self) -> Option<u32> {
        let [columns, _, ..] = self.extents.as_slice() else { return None };
        let columns = columns.integer().filter(|columns| *columns >= BigInt::one())?.to_u32()?;
        Some(crate::coalescing::banks::padding(columns, u32::try_from(self.element).ok()?))
    }
}
