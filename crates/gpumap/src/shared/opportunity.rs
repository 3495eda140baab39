//! For what shared memory is worth while, and how much a block needs.
//!
//! A group of accesses is an opportunity if neighbours along an axis of the block touch bytes in common, or if its requests use
//! less than half of what they move. A store is one for the second reason alone.

use num_traits::ToPrimitive;

use super::group::{Group, Scheme, groups};
use super::section::{Section, Shapeless};
use super::shape::Shape;
use crate::access::{Accesses, Known};
use crate::coalescing::strided::{ARRAY, Alignment, Strided};
use crate::coalescing::{Coalescing, Requested, Way};
use crate::device::{Block, Device};
use crate::memory::Object;
use crate::recurrence::Forms;
use crate::recurrence::forms::Premises;
use crate::symbolic::{Atoms, Facts, Prover, Range, Side};

/// Why shared memory is worth while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Neighbours along this axis, 0 for x, touch bytes in common.
    Overlap(usize),
    /// Requests use less than half of what they move.
    Uncoalesced,
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
    /// How that is known.
    pub known: Known,
}

/// One way of an access.
struct Touch<'c> {
    requested: &'c Requested,
    way: &'c Way,
    /// What is assumed for it.
    premises: Premises,
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
        for (touch, section) in sections(accesses, found, writes) {
            match section {
                Ok(section) => places.push((touch, section)),
                Err(why) => list.push(Opportunity {
                    object: touch.way.object,
                    name: touch.way.name.clone(),
                    accesses: vec![touch.requested.access],
                    why: Vec::new(),
                    shape: Err(Loose { why, hull: None, common: Vec::new() }),
                    known: Known::Proved,
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
) -> Vec<(Touch<'c>, Result<Section, Shapeless>)> {
    let axes = found.axes_from(found.advice.x);
    let mut list = Vec::new();
    for requested in found.accesses.iter().filter(|requested| !requested.is_scalar) {
        let access = accesses.list.get(requested.access).filter(|access| access.writes == writes);
        let Some((block, Some(bytes))) = access.map(|access| (access.block, access.bytes)) else { continue };
        let Ok(size) = u32::try_from(bytes) else { continue };
        let forms = accesses.forms_mut(true);
        for way in requested.ways.iter().flat_map(|ways| &ways.list) {
            let new = |forms: &mut Forms<'_>| Section::new(forms, &axes, block, way, size, &found.numbers);
            let (section, mut premises) = forms.tracked(new);
            premises.extend(&requested.premises);
            list.push((Touch { requested, way, premises }, section));
        }
    }
    list
}

/// What is looked at: loads, or stores.
struct Search<'a, 'f> {
    forms: &'a Forms<'f>,
    places: Vec<(Touch<'a>, Section)>,
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
        let (Touch { requested, .. }, first) = &self.places[members[0]];
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
        let mut accesses: Vec<usize> =
            members.iter().map(|&member| self.places[member].0.requested.access).collect();
        accesses.sort_unstable();
        accesses.dedup();
        let premises =
            members.iter().flat_map(|&member| self.places[member].0.premises.iter().copied()).collect();
        let known = self.forms.known(&premises);
        Opportunity { object: first.object, name: first.name.clone(), accesses, why, shape, known }
    }

    fn loose(&self, members: &[usize]) -> Loose {
        let sections: Vec<&Section> = members.iter().map(|&member| &self.places[member].1).collect();
        let facts = &self.places[members[0]].0.requested.facts;
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
