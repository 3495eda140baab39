//! The accesses of a nest of loops under each mapping.
//!
//! The nest is one to three loops, each directly inside the one before. The one that is mapped to x gives the lanes; the others
//! are mapped to y and z, inner ones first. What stands in an outer loop alone is done by every thread.
//!
//! *Several ways* to an offset move at most what one of them does if all lanes take the same one, else what all do together;
//! *several pointers* count one by one.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::advice::{Advice, advised};
use super::factor::{Factor, Linear, Units, alignment};
use super::lanes;
use super::offsets::{Irregular, Way, Ways, has_rule, ways};
use crate::access::{Access, Accesses, Known};
use crate::control::LoopId;
use crate::device::{Block, Device, WARP};
use crate::memory::Object;
use crate::recurrence::Forms;
use crate::recurrence::forms::Premises;
use crate::symbolic::{AtomId, Facts, Polynomial, Prover};

/// Most bytes that a lane accesses at once.
const WIDEST: u64 = 16;

/// The accesses of a nest.
#[derive(Debug, Clone)]
pub struct Coalescing {
    /// The loops that are mapped, outermost first.
    pub loops: Vec<LoopId>,
    /// The accesses in them, in order.
    pub accesses: Vec<Requested>,
    /// Which loop to map to x.
    pub advice: Advice,
    /// Numbers that stand for atoms of the offsets.
    pub numbers: Vec<(AtomId, BigInt)>,
}

/// An access.
#[derive(Debug, Clone)]
pub struct Requested {
    /// Its place in [`Accesses::list`].
    pub access: usize,
    /// Whether it is a load that gives the same in the whole nest: a thread is given its value.
    pub is_scalar: bool,
    /// Where it may go.
    pub ways: Result<Ways, Irregular>,
    /// What it moves if each loop of the nest is mapped to x.
    pub mappings: Vec<Result<Vec<Mapped>, Irregular>>,
    /// How that is known.
    pub known: Known,
    /// What holds where it is made.
    pub(crate) facts: Facts,
    /// What it rests on.
    pub(crate) premises: Premises,
}

/// What an access moves in one of its objects.
#[derive(Debug, Clone)]
pub struct Mapped {
    /// The object.
    pub object: Object,
    /// What it is called in the source.
    pub name: String,
    /// The address at which it starts.
    pub base: Polynomial,
    /// Sectors per request.
    pub sectors: Factor,
    /// Lines per request.
    pub lines: Factor,
    /// Lines by the published formula; the greatest where there are several ways.
    pub published: Units,
    /// The least share of bytes moved that lanes use.
    pub efficiency: f64,
    /// The strides of the ways; empty where warps cross rows of the block.
    pub linear: Vec<Linear>,
}

impl Mapped {
    /// Only some lanes of a warp go this way.
    fn is_of_some_lanes(&mut self, size: u32, sector: u32) {
        for units in [&mut self.sectors, &mut self.lines] {
            units.least = Units::exactly(1, units.least.cap);
        }
        // Of each sector at least what one lane touches of it.
        let of_lanes = f64::from(size) * f64::from(WARP) / f64::from(self.sectors.most.cap.max(1));
        self.efficiency = of_lanes / f64::from(sector);
    }

    /// Another way to the same object, of which all lanes take one, or each lane its own.
    fn join(&mut self, other: Mapped, is_uniform: bool, prover: &Prover<'_>) {
        let joined = |one: &Factor, another: &Factor| {
            if is_uniform { one.either(another, prover) } else { one.sum(another) }
        };
        self.sectors = joined(&self.sectors, &other.sectors);
        self.lines = joined(&self.lines, &other.lines);
        self.published = self.published.joined(&other.published, prover);
        self.efficiency = self.efficiency.min(other.efficiency);
        self.linear.extend(other.linear);
    }

    /// Whether at least half of the bytes moved are used, or all lanes use the same ones.
    pub fn is_coalesced(&self) -> bool {
        let is_one = !self.linear.is_empty() && self.linear.iter().all(|linear| linear.stride.is_zero());
        is_one || self.efficiency >= 0.5
    }
}

impl Coalescing {
    /// The accesses in a nest of loops that are mapped to a device in these blocks. `None` if the loops are none, more than
    /// three, or not directly inside each other.
    pub fn new(
        accesses: &mut Accesses<'_>,
        loops: &[LoopId],
        block: Block,
        device: &Device,
    ) -> Option<Coalescing> {
        let nest = Nest::new(accesses.forms_mut(true), loops, block, device)?;
        let outermost = *loops.first()?;
        let control = accesses.control();
        let is_inside = |access: &&Access| control.loops.contains(outermost, access.block);
        let places: Vec<usize> =
            (0..accesses.list.len()).filter(|&at| is_inside(&&accesses.list[at])).collect();
        let requested = places.into_iter().map(|at| {
            let access = accesses.list[at].clone();
            nest.requested(accesses.forms_mut(true), at, &access)
        });
        let found: Vec<Requested> = requested.collect();
        let advice = advised(accesses.forms_mut(true), &found, loops.len());
        Some(Coalescing { loops: loops.to_vec(), accesses: found, advice, numbers: Vec::new() })
    }

    /// The loops of the axes x, y and z if the one at this place is mapped to x: the others from the inside out.
    pub fn axes_from(&self, x: usize) -> Vec<LoopId> {
        axes(self.loops.len(), x).filter_map(|at| self.loops.get(at).copied()).collect()
    }

    /// The same with numbers for atoms of the offsets: inputs, and what memory holds.
    pub(super) fn with_numbers(
        &self,
        accesses: &mut Accesses<'_>,
        block: Block,
        device: &Device,
        numbers: &[(AtomId, BigInt)],
    ) -> Option<Coalescing> {
        let nest = Nest::new(accesses.forms_mut(true), &self.loops, block, device)?;
        let mut found = self.accesses.clone();
        for requested in &mut found {
            let access = accesses.list.get(requested.access)?.clone();
            let forms = accesses.forms_mut(true);
            if let Ok(ways) = &mut requested.ways {
                for way in &mut ways.list {
                    way.offset = super::numbers::replaced(forms, &way.offset, numbers)?;
                }
            }
            requested.mappings = nest.mappings(forms, &requested.facts, &requested.ways, access.bytes);
        }
        let advice = advised(accesses.forms_mut(true), &found, self.loops.len());
        Some(Coalescing { loops: self.loops.clone(), accesses: found, advice, numbers: numbers.to_vec() })
    }
}

/// What does not differ between accesses.
struct Nest<'d> {
    loops: Vec<(LoopId, AtomId)>,
    block: Block,
    device: &'d Device,
}

impl<'d> Nest<'d> {
    fn new(forms: &mut Forms<'_>, loops: &[LoopId], block: Block, device: &'d Device) -> Option<Nest<'d>> {
        let is_nested = |pair: &[LoopId]| forms.control.loops.get(pair[1]).parent == Some(pair[0]);
        if !(1..=3).contains(&loops.len()) || !loops.windows(2).all(is_nested) {
            return None;
        }
        let loops = loops.iter().map(|&id| (id, forms.iteration(id))).collect();
        Some(Nest { loops, block, device })
    }

    fn requested(&self, forms: &mut Forms<'_>, at: usize, access: &Access) -> Requested {
        let ((ways, facts), premises) =
            forms.tracked(|forms| (ways(forms, access), forms.facts_of_iterations(access.block)));
        let is_fixed = |way: &Way| self.loops.iter().all(|&(id, _)| forms.is_fixed(&way.offset, id));
        let is_scalar = !access.writes && ways.as_ref().is_ok_and(|ways| ways.list.iter().all(is_fixed));
        let mappings = self.mappings(forms, &facts, &ways, access.bytes);
        let known = forms.known(&premises);
        Requested { access: at, is_scalar, ways, mappings, known, facts, premises }
    }

    fn mappings(
        &self,
        forms: &mut Forms<'_>,
        facts: &Facts,
        ways: &Result<Ways, Irregular>,
        bytes: Option<u64>,
    ) -> Vec<Result<Vec<Mapped>, Irregular>> {
        let size =
            bytes.filter(|bytes| (1..=WIDEST).contains(bytes)).and_then(|bytes| u32::try_from(bytes).ok());
        let mapped = |x: usize| {
            let ways = ways.as_ref().map_err(Clone::clone)?;
            self.by_pointer(forms, facts, ways, size.ok_or(Irregular::Size)?, x)
        };
        (0..self.loops.len()).map(mapped).collect()
    }

    /// What the ways move in each object.
    fn by_pointer(
        &self,
        forms: &mut Forms<'_>,
        facts: &Facts,
        ways: &Ways,
        size: u32,
        x: usize,
    ) -> Result<Vec<Mapped>, Irregular> {
        let mut list: Vec<Mapped> = Vec::new();
        let id = self.loops[x].0;
        let is_uniform = ways.meetings.iter().all(|&meeting| forms.is_way_uniform(meeting, id))
            && ways.deciding.iter().all(|of| forms.is_uniform(of, id));
        for way in &ways.list {
            let mut mapped = self.mapped(forms, facts, way, size, x)?;
            if !is_uniform {
                mapped.is_of_some_lanes(size, self.device.sector);
            }
            let prover = Prover::new(&forms.atoms, facts);
            match list.iter_mut().find(|other| other.base == way.base) {
                None => list.push(mapped),
                Some(other) => other.join(mapped, is_uniform, &prover),
            }
        }
        Ok(list)
    }

    fn mapped(
        &self,
        forms: &mut Forms<'_>,
        facts: &Facts,
        way: &Way,
        size: u32,
        x: usize,
    ) -> Result<Mapped, Irregular> {
        let (id, atom) = self.loops[x];
        let rest = way.offset.coefficient(atom, 0);
        let not_linear = || Irregular::NotLinear(way.name.clone());
        // What is left without the powers of x has to be the same in all lanes, and so have the coefficients.
        let is_uniform = |of: &Polynomial| forms.is_uniform(of, id);
        let powers = (1..=way.offset.degree_in(atom)).map(|power| way.offset.coefficient(atom, power));
        let parts: Vec<Polynomial> = std::iter::once(rest).chain(powers).collect();
        if !parts.iter().all(is_uniform) {
            let is_of_rule = has_rule(forms, &way.offset, id);
            return Err(if is_of_rule { not_linear() } else { Irregular::Gathered(way.name.clone()) });
        }
        let linear = Linear::new(&forms.atoms, facts, &way.offset, atom, size).ok_or_else(not_linear)?;
        if !self.block.has_whole_rows() {
            return self.across_rows(way, &linear, x);
        }
        let sectors = linear.units(&mut forms.atoms, facts, self.device.sector).ok_or(Irregular::Large)?;
        let lines = linear.units(&mut forms.atoms, facts, self.device.line).ok_or(Irregular::Large)?;
        Ok(Mapped {
            object: way.object,
            name: way.name.clone(),
            base: way.base.clone(),
            efficiency: linear.efficiency(self.device.sector, &sectors),
            sectors,
            lines,
            published: linear.published(),
            linear: vec![linear],
        })
    }

    /// What warps move that cross rows of the block.
    fn across_rows(&self, way: &Way, linear: &Linear, x: usize) -> Result<Mapped, Irregular> {
        let mut strides = [0; 3];
        let mut multiples = Vec::new();
        for (axis, at) in axes(self.loops.len(), x).enumerate() {
            let (_, atom) = self.loops[at];
            let stride = way.offset.difference(atom).filter(|_| way.offset.degree_in(atom) <= 1);
            let number = stride.and_then(|stride| stride.integer()).and_then(|stride| stride.to_i64());
            strides[axis] = number.ok_or(Irregular::NarrowBlock)?;
            multiples.push((atom, self.block.extent(axis)));
        }
        let start = alignment(&way.offset, &multiples);
        let units = |unit: u32| {
            let range = lanes::linear(self.block, strides, linear.size, start, unit);
            Some(Factor::between(&range, linear.of_lane(unit)?.checked_mul(WARP)?))
        };
        let units = |unit: u32| units(unit).ok_or(Irregular::Large);
        let (sectors, lines) = (units(self.device.sector)?, units(self.device.line)?);
        let bytes = lanes::linear(self.block, strides, linear.size, start, 1);
        let most = sectors.most.number().unwrap_or(WARP).max(1);
        let efficiency = f64::from(*bytes.start()) / (f64::from(most) * f64::from(self.device.sector));
        let published = linear.published();
        Ok(Mapped {
            object: way.object,
            name: way.name.clone(),
            base: way.base.clone(),
            sectors,
            lines,
            published,
            efficiency,
            linear: Vec::new(),
        })
    }
}

/// Places of loops in a nest by axis.
fn axes(loops: usize, x: usize) -> impl Iterator<Item = usize> {
    std::iter::once(x).chain((0..loops).rev().filter(move |&at| at != x))
}
