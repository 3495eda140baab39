//! A kernel with all that its host has to know, whatever language it is written in.
//!
//! Iterations of the candidate's loops are threads: the loop that moves the fewest sectors there is mapped to x, the others to y and z
//! from the inside out. The body is text of the source ([`source::threads`]); what the loops use and do not declare themselves becomes
//! a parameter, or, where each iteration sets it anew, a variable of the thread. Arrays are passed with the section of bytes that the
//! loops use of them. A thread beyond the number of iterations does nothing; where that number changes with an outer iteration,
//! the loop's own condition decides too.
//!
//! Limits: reductions are left to directives; pointers to pointers are no parameters. See [`source::threads`] for what is asked of
//! the text.
//!
//! Source: thesis, chapters 4 and 5; ALGORITHMS 8.2.

use std::collections::BTreeSet;

use source::{Free, Place, Shape, Source, Threads, Wanted};

use super::KernelLanguage;
use super::directive::{Refusal, copied};
use super::expression;
use super::naming::Naming;
use super::tile::{Tile, Tiles, tiles};
use crate::access::{Accesses, Reach};
use crate::coalescing::Coalescing;
use crate::control::{Control, LoopId};
use crate::device::{Block, Device};
use crate::ir::{Module, Operation};
use crate::offload::observed::Change;
use crate::offload::parameters::counters;
use crate::offload::{Candidate, Direction, Friendly, Kind, Parameter, Parameters};
use crate::shared::Scheme;
use crate::symbolic::{Polynomial, Range, Side};

/// Names of axes.
pub(super) const AXES: [&str; 3] = ["x", "y", "z"];

/// A number that the kernel or its host is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    /// As it is written in the source.
    pub written: String,
    /// What it is called here.
    pub name: String,
    /// Its type.
    pub type_name: String,
}

/// An array that the kernel is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    /// As it is written in the source.
    pub written: String,
    /// What it is called here.
    pub name: String,
    /// Its elements and rows.
    pub shape: Shape,
    /// Which way it goes.
    pub direction: Direction,
    /// The first byte that is used, as an expression of the host.
    pub from: String,
    /// The byte behind the last one.
    pub to: String,
}

impl Array {
    /// Whether what the device gets does not begin with the array.
    pub fn is_shifted(&self) -> bool {
        self.from != "0"
    }
}

/// An axis of the grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// Which of the nested loops is mapped to it.
    pub level: usize,
    /// The number of its iterations, or the most that there can be.
    pub count: String,
    /// All threads make as many.
    pub is_uniform: bool,
}

/// What threads do with arrays copied to shared memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tiled {
    /// What they execute.
    pub threads: Threads,
    /// The copies.
    pub tiles: Vec<Tile>,
}

/// A kernel and what its host has to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// What it is called.
    pub name: String,
    /// First and last line of what it replaces.
    pub lines: (u32, u32),
    /// The axes of the grid, x first.
    pub axes: Vec<Axis>,
    /// Threads of a block along each axis.
    pub block: Block,
    /// What the threads execute.
    pub plain: Threads,
    /// The same with copies in shared memory, where that is advised.
    pub tiled: Option<Tiled>,
    /// Why there are no such copies although they are advised.
    pub untiled: Option<String>,
    /// Numbers.
    pub scalars: Vec<Scalar>,
    /// Arrays.
    pub arrays: Vec<Array>,
    /// Declarations of what each thread has for itself.
    pub own: Vec<String>,
    /// Pairs of arrays that must not overlap, by their places in `arrays`.
    pub overlaps: Vec<(usize, usize)>,
    /// What all this rests on.
    pub assumptions: Vec<String>,
}

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The source, as clang reads it.
    pub source: &'a Source,
    /// The language.
    pub language: KernelLanguage,
    /// Threads of a block.
    pub block: Block,
    /// The device.
    pub device: &'a Device,
    /// Which accesses read from one tile.
    pub scheme: Scheme,
}

/// The kernel of a candidate.
///
/// # Errors
///
/// Why there is none.
pub fn kernel(
    module: &Module,
    control: &Control,
    accesses: &mut Accesses<'_>,
    candidate: &Candidate,
    request: Request<'_>,
) -> Result<Kernel, Refusal> {
    let parameters = Parameters::new(module, control, accesses, &candidate.loops);
    refused(candidate, &parameters)?;
    let function = module.name(accesses.proved_mut().function.symbol).to_owned();
    let places: Vec<Place> = candidate.loops.iter().filter_map(|&id| place(module, control, id)).collect();
    let linear = Block::new(request.block.threads(), 1, 1).unwrap_or(request.block);
    let block = if candidate.loops.len() == 1 { linear } else { request.block };
    let found = Coalescing::new(accesses, &candidate.loops, block, request.device);
    let found = found.ok_or(Refusal::Unfriendly)?;
    let wanted = Wanted {
        function: &function,
        loops: &places,
        replaced: &[],
        language: request.language.differences(),
    };
    let plain = request.source.threads(&wanted)?;
    if request.source.is_beside_another(&plain.range) {
        // What is said of its line would be about both.
        let line = request.source.place(plain.range.start).0;
        return Err(source::Uncut { line, why: "another loop stands on its line".to_owned() }.into());
    }
    let carried = carried(accesses, control, &candidate.loops);
    let mut naming = Naming::new(&plain, &parameters, candidate, &carried)?;
    let is_own = |name: &String| plain.own.contains(name) || naming.is_own(name);
    if let Some(storage) = candidate.storage.iter().find(|storage| !is_own(&storage.name)) {
        // Memory that is reached by another name, which threads would share.
        return Err(Refusal::Storage(storage.name.clone(), storage.change));
    }
    let counts = counts(accesses, control, &candidate.loops)?;
    let x = found.advice.x;
    let order = std::iter::once(x).chain((0..candidate.loops.len()).rev().filter(|&level| level != x));
    let mut axes = Vec::new();
    for level in order {
        let Some((count, is_uniform)) = counts.get(level) else { return Err(Refusal::Unfriendly) };
        let count = naming.expression(count).ok_or(Refusal::Count)?;
        axes.push(Axis { level, count, is_uniform: *is_uniform });
    }
    let mut assumptions = BTreeSet::new();
    let mut arrays = Vec::new();
    let own: BTreeSet<String> = naming.own.iter().map(|own| own.0.clone()).collect();
    for free in plain.free.iter().filter(|free| free.shape.rows.is_some() && !own.contains(&free.written)) {
        arrays.push(array(accesses, &parameters, free, &mut naming, &mut assumptions)?);
    }
    missing(&parameters, &arrays, &naming)?;
    let place_of = |name: &String| arrays.iter().position(|array: &Array| array.written == *name);
    let overlaps = parameters.overlaps.iter().filter_map(|(a, b)| Some((place_of(a)?, place_of(b)?)));
    let overlaps: Vec<(usize, usize)> = overlaps.collect();
    let input: Vec<&Array> = arrays.iter().filter(|array| array.direction == Direction::In).collect();
    let (tiled, untiled) =
        match tiles(module, accesses, &found, block, (request.device, request.scheme), &input, &mut naming) {
            Ok(Some(Tiles { list, replaced })) => {
                match request.source.threads(&Wanted { replaced: &replaced, ..wanted }) {
                    Ok(threads) => (Some(Tiled { threads, tiles: list }), None),
                    Err(why) => (None, Some(why.to_string())),
                }
            }
            Ok(None) => (None, None),
            Err(why) => (None, Some(why)),
        };
    let lines = (request.source.place(plain.range.start).0, request.source.place(plain.range.end).0);
    Ok(Kernel {
        name: format!("{function}_{}", lines.0),
        lines,
        axes,
        block,
        plain,
        tiled,
        untiled,
        scalars: naming.scalars,
        arrays,
        own: naming.own.into_iter().map(|own| own.1).collect(),
        overlaps,
        assumptions: assumptions.into_iter().collect(),
    })
}

/// What stands in the way of a kernel, whatever the source says.
fn refused(candidate: &Candidate, parameters: &Parameters) -> Result<(), Refusal> {
    match candidate.friendly {
        Friendly::Yes => {}
        Friendly::Unknown => return Err(Refusal::Open),
        Friendly::No => return Err(Refusal::Unfriendly),
    }
    if let Some(&line) = parameters.strays.first() {
        return Err(Refusal::Stray(line));
    }
    if let Some(reduced) = candidate.reduced.first() {
        return Err(Refusal::Reduction(reduced.object.clone()));
    }
    if let Some(storage) = candidate.storage.iter().find(|storage| storage.change != Change::Private) {
        return Err(Refusal::Storage(storage.name.clone(), storage.change));
    }
    let comes_out =
        |parameter: &&Parameter| parameter.kind == Kind::Scalar && parameter.direction != Direction::In;
    match parameters.list.iter().find(comes_out) {
        Some(parameter) => Err(Refusal::Combined(parameter.name.clone())),
        None => Ok(()),
    }
}

/// Where a loop begins.
fn place(module: &Module, control: &Control, id: LoopId) -> Option<Place> {
    control.loops.get(id).places(module).map(|(start, _)| (start.line, start.column))
}

/// The variables that one iteration of these loops leaves to the next one.
fn carried(accesses: &mut Accesses<'_>, control: &Control, loops: &[LoopId]) -> BTreeSet<String> {
    let forms = accesses.proved_mut();
    let Some(memory) = forms.memory() else { return BTreeSet::new() };
    let headers = loops.iter().map(|&id| forms.function.block(control.loops.get(id).header));
    let phis = headers.flat_map(|header| &header.instructions);
    let phis = phis.filter(|instruction| matches!(instruction.operation, Operation::Phi(_)));
    phis.filter_map(|phi| memory.names().value(phi.result?)).collect()
}

/// What every array that comes out has to be: a parameter.
fn missing(parameters: &Parameters, arrays: &[Array], naming: &Naming) -> Result<(), Refusal> {
    let is_there = |name: &str| arrays.iter().any(|array| array.written == name) || naming.is_own(name);
    let comes_out = |parameter: &&Parameter| {
        parameter.kind != Kind::Scalar && parameter.direction != Direction::In && !is_there(&parameter.name)
    };
    match parameters.list.iter().find(comes_out) {
        Some(parameter) => Err(Refusal::Unnamed(parameter.name.clone())),
        None => Ok(()),
    }
}

/// How often each loop runs, and whether that is the same all through the nest; else the most that there can be.
fn counts(
    accesses: &mut Accesses<'_>,
    control: &Control,
    loops: &[LoopId],
) -> Result<Vec<(String, bool)>, Refusal> {
    let Some(&outer) = loops.first() else { return Err(Refusal::Unfriendly) };
    let forms = accesses.forms_mut(true);
    let around = counters(forms, control, outer);
    let mut list: Vec<(Polynomial, bool)> = Vec::new();
    for &id in loops {
        let trips = forms.trips(id);
        let mut count =
            trips.iter().find(|trips| trips.exact).map(|trips| trips.count.clone()).ok_or(Refusal::Count)?;
        for (iteration, counter) in &around {
            count = forms.atoms.replaced(&count, *iteration, counter).ok_or(Refusal::Count)?;
        }
        list.push((count, true));
    }
    let mut texts = Vec::new();
    for level in 0..list.len() {
        // The extremes of a count that is linear in outer iterations lie at the ends of these.
        let mut ends = vec![list[level].0.clone()];
        for outer in (0..level).rev() {
            let iteration = forms.iteration(loops[outer]);
            let last = &list[outer].0 - &Polynomial::from(1);
            let mut next = Vec::new();
            for end in ends {
                if !forms.atoms.involves(&end, iteration) {
                    next.push(end);
                    continue;
                }
                list[level].1 = false;
                if end.degree_in(iteration) != 1 {
                    return Err(Refusal::Count);
                }
                for value in [Polynomial::from(0), last.clone()] {
                    next.push(forms.atoms.replaced(&end, iteration, &value).ok_or(Refusal::Count)?);
                }
            }
            ends = next;
        }
        let shown: Option<Vec<String>> =
            ends.iter().map(|end| expression::expression(&forms.atoms, end)).collect();
        let text = shown.as_deref().and_then(expression::greatest).ok_or(Refusal::Count)?;
        texts.push((text, list[level].1));
    }
    Ok(texts)
}

/// An array that the threads use, with its section.
fn array(
    accesses: &mut Accesses<'_>,
    parameters: &Parameters,
    free: &Free,
    naming: &mut Naming,
    assumptions: &mut BTreeSet<String>,
) -> Result<Array, Refusal> {
    if free.is_assigned {
        return Err(Refusal::Variable(free.written.clone()));
    }
    let parameter = parameters.list.iter().find(|parameter| parameter.name == free.written);
    let parameter = parameter.ok_or_else(|| Refusal::Unbounded(free.written.clone()))?;
    copied(accesses, parameter)?;
    let Some(Range::Between(lower, upper)) = &parameter.section else {
        return Err(Refusal::Unbounded(free.written.clone()));
    };
    if parameter.reach == Reach::Guarded {
        assumptions.insert(format!("{} has all bytes of its section", free.written));
    }
    let atoms = accesses.atoms_of(&parameter.known);
    let from = expression::bound(atoms, lower, Side::Lower);
    let to = expression::bound(atoms, upper, Side::Upper);
    let mut named = |text: Option<String>| {
        let text = text.and_then(|text| naming.expression(&text));
        text.ok_or_else(|| Refusal::Unnamed(free.written.clone()))
    };
    let (from, to) = (named(from)?, named(to)?);
    if from.starts_with('-') {
        assumptions.insert(format!("{} can be read from byte {from} on, before its start", free.written));
    }
    assumptions.extend(parameter.known.premises().iter().map(ToString::to_string));
    Ok(Array {
        written: free.written.clone(),
        name: free.name.clone(),
        shape: free.shape.clone(),
        direction: parameter.direction,
        from,
        to,
    })
}
