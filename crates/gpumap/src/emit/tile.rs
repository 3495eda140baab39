//! Copies of parts of arrays that the threads of a block share.
//!
//! A tile is the sub-matrix of [`crate::shared::Shape`]: the block's threads fill it together, element by element, as far as the
//! elements lie within the array's section, and read from it where the source reads from the array. Where an element lies in the
//! tile follows from the roles of the loops: lanes of the block and loops inside move along its directions, what is left says in which
//! row and column an access begins.
//!
//! Limits: arrays that the kernel does not write; axes and loops that move forwards; accesses of one way each.
//!
//! Source: thesis, section 4.5; ALGORITHMS 8.4.

use num_traits::ToPrimitive;
use source::Place;

use super::body::factor;
use super::expression;
use super::kernel::{AXES, Array};
use super::naming::Naming;
use crate::access::Accesses;
use crate::coalescing::{Coalescing, Way};
use crate::control::LoopId;
use crate::device::{Block, Device};
use crate::ir::Module;
use crate::offload::parameters::counter;
use crate::shared::{Opportunity, Scheme, Shape, opportunities};
use crate::symbolic::{Atoms, Polynomial};

/// A copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    /// The array, by its name in the kernel.
    pub array: String,
    /// What the tile is called.
    pub name: String,
    /// The type of its numbers.
    pub element: String,
    /// Bytes of a number.
    pub size: u64,
    /// Numbers of an element of the sub-matrix.
    pub each: u64,
    /// Elements along each direction, columns first, as expressions of the kernel.
    pub extents: Vec<String>,
    /// Bytes from an element to the next one along each direction.
    pub strides: Vec<String>,
    /// The first byte, in terms of the block's first thread.
    pub start: String,
    /// Bytes of the tile, if that is a number.
    pub bytes: Option<u64>,
}

/// Tiles, and what reads from them.
#[derive(Debug)]
pub(super) struct Tiles {
    /// The tiles.
    pub list: Vec<Tile>,
    /// Places of the accesses in the source, and their text in the kernel.
    pub replaced: Vec<(Place, String)>,
}

/// The tiles that are advised for a nest; `None` if there are none.
///
/// # Errors
///
/// Why those that are advised cannot be written.
pub(super) fn tiles(
    module: &Module,
    accesses: &mut Accesses<'_>,
    found: &Coalescing,
    block: Block,
    (device, scheme): (&Device, Scheme),
    arrays: &[&Array],
    naming: &mut Naming,
) -> Result<Option<Tiles>, String> {
    let all = opportunities(accesses, found, block, device, scheme);
    let mut tiles = Tiles { list: Vec::new(), replaced: Vec::new() };
    for opportunity in all.iter().filter(|opportunity| !opportunity.why.is_empty()) {
        let array = arrays.iter().find(|array| array.written == opportunity.name);
        // What is written in the kernel cannot be read from a copy.
        let (Some(array), Ok(shape)) = (array, &opportunity.shape) else { continue };
        let name = match tiles.list.iter().filter(|tile| tile.array == array.name).count() {
            0 => format!("{}_tile", array.name),
            more => format!("{}_tile{}", array.name, more + 1),
        };
        let mut search = Search { module, accesses, found, naming };
        let tile = search.tile(array, name, shape, opportunity)?;
        for &access in &opportunity.accesses {
            let text = search.element(&tile, shape, access);
            let text = text.ok_or_else(|| format!("{} has no place in its tile", array.written))?;
            tiles.replaced.extend(search.place(access).map(|place| (place, text)));
        }
        tiles.list.push(tile);
    }
    let bytes: Option<u64> = tiles.list.iter().map(|tile| tile.bytes).sum();
    if bytes.is_some_and(|bytes| bytes > u64::from(device.shared_per_block)) {
        return Err(format!("the tiles do not fit into the shared memory of a block on {}", device.name));
    }
    tiles.replaced.sort();
    tiles.replaced.dedup();
    Ok((!tiles.list.is_empty()).then_some(tiles))
}

struct Search<'s, 'a> {
    module: &'s Module,
    accesses: &'s mut Accesses<'a>,
    found: &'s Coalescing,
    naming: &'s mut Naming,
}

impl Search<'_, '_> {
    fn place(&self, access: usize) -> Option<Place> {
        let place = self.module.metadata.place(self.accesses.list.get(access)?.location?)?;
        Some((place.line, place.column))
    }

    fn tile(
        &mut self,
        array: &Array,
        name: String,
        shape: &Shape,
        opportunity: &Opportunity,
    ) -> Result<Tile, String> {
        let unnamed = || format!("the tile of {} has no expression in terms of the source", array.written);
        let size = u64::from(shape.size);
        let of_element = self.accesses.forms_mut(true).memory();
        let of_element = of_element.and_then(|memory| memory.names().element_size(opportunity.object));
        if of_element.is_some_and(|bytes| bytes != size) {
            return Err(format!("parts of elements of {} are read", array.written));
        }
        let each = u64::try_from(shape.tile.element).ok().filter(|bytes| bytes % size == 0);
        let each = each.ok_or_else(unnamed)? / size;
        if shape.pattern.axes.iter().flatten().any(|step| step.elements < 0) {
            return Err(format!("threads go backwards through {}", array.written));
        }
        let forms = self.accesses.forms_mut(true);
        let mut start = shape.tile.start.clone();
        for (axis, step) in shape.pattern.axes.iter().enumerate() {
            let (Some(step), Some(name)) = (step, AXES.get(axis)) else { continue };
            let along = shape.pattern.strides[step.direction].scaled(&step.elements.into());
            let first = forms.atoms.symbol(&format!("first_{name}"));
            start = &start + &along.times(&first).ok_or_else(unnamed)?;
        }
        let atoms = &self.accesses.forms_mut(true).atoms;
        let known = AXES.map(|axis| format!("first_{axis}"));
        let mut text = |of: &Polynomial| {
            let text = expression::expression(atoms, of)?;
            self.naming.expression_beside(&text, &known)
        };
        let extents: Option<Vec<String>> = shape.tile.extents.iter().map(&mut text).collect();
        let strides: Option<Vec<String>> = shape.pattern.strides.iter().map(&mut text).collect();
        let start = text(&start).ok_or_else(unnamed)?;
        Ok(Tile {
            array: array.name.clone(),
            name,
            element: array.shape.plain_element().to_owned(),
            size,
            each,
            extents: extents.ok_or_else(unnamed)?,
            strides: strides.ok_or_else(unnamed)?,
            start,
            bytes: shape.tile.bytes.integer().and_then(|bytes| bytes.to_u64()),
        })
    }

    /// The element of a tile that an access reads.
    fn element(&mut self, tile: &Tile, shape: &Shape, access: usize) -> Option<String> {
        let found = self.found;
        let requested = found.accesses.iter().find(|requested| requested.access == access)?;
        let [way] = requested.ways.as_ref().ok()?.list.as_slice() else { return None };
        let (places, number, counters) = self.directions(shape, way, access)?;
        let known: Vec<String> = AXES.iter().map(|axis| format!("lane_{axis}")).chain(counters).collect();
        let atoms = &self.accesses.forms_mut(true).atoms;
        let mut out = String::new();
        for (direction, place) in places.iter().enumerate().rev() {
            let text = expression::expression(atoms, place)?;
            let text = self.naming.expression_beside(&text, &known)?;
            out = match out.is_empty() {
                true => text,
                false => format!("{} * {} + {text}", factor(&out), factor(&tile.extents[direction])),
            };
        }
        Some(match (tile.each, number) {
            (1, _) => format!("{}[{out}]", tile.name),
            (each, 0) => format!("{}[{} * {each}]", tile.name, factor(&out)),
            (each, number) => format!("{}[{} * {each} + {number}]", tile.name, factor(&out)),
        })
    }

    /// Where an access lies along each direction, which number of the element it is, and the counters that this is said in.
    fn directions(
        &mut self,
        shape: &Shape,
        way: &Way,
        access: usize,
    ) -> Option<(Vec<Polynomial>, u64, Vec<String>)> {
        let axes = self.found.axes_from(self.found.advice.x);
        let block = self.accesses.list.get(access)?.block;
        let control = self.accesses.control();
        let inner: Vec<LoopId> = control.loops.around(block).take_while(|id| !axes.contains(id)).collect();
        let forms = self.accesses.forms_mut(true);
        let pattern = &shape.pattern;
        let mut rest = &way.offset - &shape.tile.start;
        let mut places = vec![Polynomial::from(0); pattern.strides.len()];
        for (axis, &id) in axes.iter().enumerate() {
            let iteration = forms.iteration(id);
            rest = rest.coefficient(iteration, 0);
            if let (Some(Some(step)), Some(name)) = (pattern.axes.get(axis), AXES.get(axis)) {
                let lane = forms.atoms.symbol(&format!("lane_{name}"));
                places[step.direction] = places[step.direction].plus_scaled(&lane, &step.elements.into());
            }
        }
        let mut counters = Vec::new();
        for &id in &inner {
            let iteration = forms.iteration(id);
            let along = rest.coefficient(iteration, 1);
            rest = rest.coefficient(iteration, 0);
            if along.is_zero() {
                continue;
            }
            let direction = pattern.strides.iter().position(|stride| *stride == along)?;
            let (_, gone) = counter(forms, control, id, block)?;
            counters.extend(names(&forms.atoms, &gone));
            places[direction] = &places[direction] + &gone;
        }
        let (elements, bytes) = pattern.placed(&rest)?;
        for (place, elements) in places.iter_mut().zip(elements) {
            *place = &*place + &elements.into();
        }
        let step = pattern.strides.first()?.integer().and_then(|step| step.to_i64()).filter(|step| *step > 0);
        let (column, byte) = step.map_or((0, bytes), |step| (bytes.div_euclid(step), bytes.rem_euclid(step)));
        places[0] = &places[0] + &column.into();
        let number = u64::try_from(byte).ok()? / u64::from(shape.size);
        let is_whole = u64::try_from(byte).ok()?.is_multiple_of(u64::from(shape.size));
        is_whole.then_some((places, number, counters))
    }
}

/// The names of the variables in a polynomial that are no members of anything.
fn names(atoms: &Atoms, of: &Polynomial) -> Vec<String> {
    let all = of.atoms().into_iter().filter_map(|atom| atoms.name(atom));
    all.filter(|name| !name.contains(['>', '.'])).map(str::to_owned).collect()
}
