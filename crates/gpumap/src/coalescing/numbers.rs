//! With numbers for inputs: the values of names in the source, and lanes of a whole grid, one by one.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::lanes::Requests;
use super::nest::{Coalescing, Requested};
use crate::access::Accesses;
use crate::control::LoopId;
use crate::device::{Block, Device};
use crate::ir::BlockId;
use crate::recurrence::Forms;
use crate::symbolic::{AtomId, Polynomial};

/// Addresses that are computed one by one; larger grids are not enumerated.
const MOST: u64 = 1 << 20;

/// A form with numbers for some atoms; `None` where that is no polynomial.
pub fn replaced(forms: &mut Forms<'_>, of: &Polynomial, numbers: &[(AtomId, BigInt)]) -> Option<Polynomial> {
    numbers.iter().try_fold(of.clone(), |form, (atom, number)| {
        forms.atoms.replaced(&form, *atom, &number.clone().into())
    })
}

/// Why values are not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// A name stands for nothing in the nest.
    #[error("no offset and no number of iterations in the nest has {0} in it")]
    Name(String),
    /// An offset gets too large with them.
    #[error("an offset is too large with these values")]
    Large,
}

impl Coalescing {
    /// The same with numbers for what has these names in the source; a member may be written with a dot.
    pub fn with_values(
        &self,
        accesses: &mut Accesses<'_>,
        block: Block,
        device: &Device,
        values: &[(&str, i64)],
    ) -> Result<Coalescing, ValueError> {
        let forms = accesses.forms_mut(true);
        let all = self.forms_with_names(forms);
        let mut numbers = self.numbers.clone();
        for &(name, value) in values {
            let atom = named(forms, &all, name).ok_or_else(|| ValueError::Name(name.to_owned()))?;
            numbers.push((atom, value.into()));
        }
        self.with_numbers(accesses, block, device, &numbers).ok_or(ValueError::Large)
    }

    /// Offsets, and how often loops run: all that inputs stand in.
    fn forms_with_names(&self, forms: &mut Forms<'_>) -> Vec<Polynomial> {
        let ways = self.accesses.iter().flat_map(|requested| &requested.ways).flat_map(|ways| &ways.list);
        let mut all: Vec<Polynomial> = ways.map(|way| way.offset.clone()).collect();
        let Some(&outermost) = self.loops.first() else { return all };
        let loops: Vec<LoopId> = forms.control.loops.iter().map(|(id, _)| id).collect();
        for id in loops {
            let header = forms.control.loops.get(id).header;
            if forms.control.loops.contains(outermost, header) {
                all.extend(forms.trips(id).iter().map(|trips| trips.count.clone()));
            }
        }
        all
    }

    /// The requests of an access for each of its ways, if the loop at a place of the nest is mapped to x: lanes of all warps one by
    /// one. Everything in its offset has to have a number by now, and so do the numbers of iterations.
    pub fn enumerate(
        &self,
        accesses: &mut Accesses<'_>,
        requested: &Requested,
        x: usize,
        block: Block,
        unit: u32,
    ) -> Result<Vec<Requests>, EnumerationError> {
        let access = accesses.list.get(requested.access).ok_or(EnumerationError::Open)?;
        let (at, size) = (access.block, access.bytes.and_then(|bytes| u32::try_from(bytes).ok()));
        let inner = accesses.control().loops.around(at).take_while(|id| !self.loops.contains(id));
        let inner: Vec<LoopId> = inner.collect();
        let forms = accesses.forms_mut(true);
        let mut counted = |loops: Vec<LoopId>| -> Option<Vec<(AtomId, u32)>> {
            loops.into_iter().map(|id| self.counted(forms, id, at)).collect()
        };
        let axes = counted(self.axes_from(x));
        let inside = counted(inner.into_iter().rev().collect());
        let (Some(axes), Some(inside), Some(size)) = (axes, inside, size) else {
            return Err(EnumerationError::Open);
        };
        let grid = Grid { axes, inside, block };
        let ways = requested.ways.as_ref().map_err(|_| EnumerationError::Open)?;
        ways.list.iter().map(|way| enumerate(forms, &way.offset, &grid, size, unit)).collect()
    }

    /// The iterations of a loop, and how many of them come to a block.
    fn counted(&self, forms: &mut Forms<'_>, id: LoopId, block: BlockId) -> Option<(AtomId, u32)> {
        let lasts = forms.last_iterations(id, block);
        let counts = lasts.iter().map(|last| {
            let count = last + &Polynomial::from(1);
            replaced(forms, &count, &self.numbers)?.integer()
        });
        // The first test that fails ends the loop.
        let count = counts.collect::<Option<Vec<BigInt>>>()?.into_iter().min()?;
        Some((forms.iteration(id), count.max(BigInt::from(0)).to_u32()?))
    }
}

/// The atom in some forms that has this name in the source.
fn named(forms: &Forms<'_>, of: &[Polynomial], name: &str) -> Option<AtomId> {
    let plain = |text: &str| text.replace("->", ".");
    let mut leaves = of.iter().flat_map(|form| forms.atoms.leaves(form));
    leaves.find(|&atom| plain(&forms.atoms.show(&atom.into())) == plain(name))
}

/// A grid of threads: for each axis the atom of its iterations and how many there are.
#[derive(Debug, Clone)]
struct Grid {
    /// Axes x, y and z, or the first of them.
    axes: Vec<(AtomId, u32)>,
    /// Loops inside, which all threads run in step: their atoms and how often they run.
    inside: Vec<(AtomId, u32)>,
    /// Threads of a block.
    block: Block,
}

/// Why a grid is not enumerated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EnumerationError {
    /// There are too many addresses.
    #[error("more than {MOST} addresses are not enumerated")]
    Large,
    /// Something in the offset has no number.
    #[error("a value in the offset has no number")]
    Open,
}

/// The requests of all warps of a grid, in every iteration of the loops inside. Numbers stand in for all else in the offset.
fn enumerate(
    forms: &Forms<'_>,
    offset: &Polynomial,
    grid: &Grid,
    size: u32,
    unit: u32,
) -> Result<Requests, EnumerationError> {
    addresses(grid).filter(|all| *all <= MOST).ok_or(EnumerationError::Large)?;
    let mut requests = Requests::default();
    let mut inner = Some(vec![0; grid.inside.len()]);
    while let Some(at) = inner.filter(|_| !grid.is_empty()) {
        for (origin, warp) in
            blocks(grid).flat_map(|origin| (0..grid.block.warps()).map(move |warp| (origin, warp)))
        {
            let threads = grid
                .block
                .lanes(warp)
                .map(|thread| [0, 1, 2].map(|axis| origin[axis].saturating_add(thread[axis])));
            let addresses = threads
                .filter(|&thread| is_inside(grid, thread))
                .map(|thread| address(forms, offset, grid, thread, &at));
            let mut lanes = addresses.collect::<Option<Vec<i128>>>().ok_or(EnumerationError::Open)?;
            requests.add(&mut lanes, size, unit);
        }
        inner = next(at, &grid.inside);
    }
    Ok(requests)
}

impl Grid {
    fn is_empty(&self) -> bool {
        self.axes.iter().chain(&self.inside).any(|axis| axis.1 == 0)
    }
}

/// Threads of all blocks, those beyond the edge too, times the iterations of the loops inside.
fn addresses(grid: &Grid) -> Option<u64> {
    let blocks = (0..3).map(|axis| {
        let threads = grid.axes.get(axis).map_or(1, |axis| axis.1);
        u64::from(threads.div_ceil(grid.block.extent(axis).max(1)))
    });
    let inside = grid.inside.iter().map(|of| u64::from(of.1));
    let product = |all: u64, count: u64| all.checked_mul(count);
    blocks.chain(inside).try_fold(u64::from(grid.block.threads()), product)
}

/// The first threads of all blocks of a grid.
fn blocks(grid: &Grid) -> impl Iterator<Item = [u32; 3]> {
    let places = |axis: usize| {
        let count = grid.axes.get(axis).map_or(1, |axis| axis.1);
        (0..count).step_by(grid.block.extent(axis).max(1) as usize)
    };
    let (xs, ys) = (places(0), places(1));
    places(2).flat_map(move |z| {
        let xs = xs.clone();
        ys.clone().flat_map(move |y| xs.clone().map(move |x| [x, y, z]))
    })
}

fn is_inside(grid: &Grid, at: [u32; 3]) -> bool {
    at.iter().enumerate().all(|(axis, place)| *place < grid.axes.get(axis).map_or(1, |axis| axis.1))
}

fn address(forms: &Forms<'_>, offset: &Polynomial, grid: &Grid, at: [u32; 3], inner: &[u32]) -> Option<i128> {
    let places = grid.axes.iter().zip(at).chain(grid.inside.iter().zip(inner.iter().copied()));
    let places: Vec<(AtomId, u32)> = places.map(|(axis, place)| (axis.0, place)).collect();
    let known = |atom: AtomId| {
        let place = places.iter().find(|place| place.0 == atom)?;
        Some(BigRational::from(BigInt::from(place.1)))
    };
    let value = forms.atoms.value(offset, &known)?;
    if value.is_integer() { value.to_integer().to_i128() } else { None }
}

/// The next iteration of the loops inside, the last one fastest; `None` after the last.
fn next(mut inner: Vec<u32>, counts: &[(AtomId, u32)]) -> Option<Vec<u32>> {
    for (place, (_, count)) in inner.iter_mut().zip(counts).rev() {
        *place += 1;
        if *place < *count {
            return Some(inner);
        }
        *place = 0;
    }
    None
}
