//! What warps move, what blocks may share, and what that costs.

use gpumap::access::Accesses;
use gpumap::coalescing::show::counter_name;
use gpumap::coalescing::{Coalescing, Factor, Mapped};
use gpumap::control::LoopId;
use gpumap::cost::Estimate;
use gpumap::divergence::{self, By, branches};
use gpumap::ir::Module;
use gpumap::offload::show::Asked;
use gpumap::offload::{Analysed, Needs, Parameters};
use gpumap::shared::{Opportunity, opportunities, opportunity::Why};
use gpumap::symbolic::Atoms;

use super::costs::{self, expression};
use super::how;
use super::types::{Access, Branch, Counter, Expr, Loop, Mapping, Shared};

/// A nest with what is found of it.
struct Nest<'a, 'f> {
    module: &'f Module,
    accesses: &'a mut Accesses<'f>,
    found: Coalescing,
    opportunities: Vec<Opportunity>,
}

impl<'a, 'f> Nest<'a, 'f> {
    fn new(
        module: &'f Module,
        accesses: &'a mut Accesses<'f>,
        loops: &[LoopId],
        asked: Asked<'_>,
    ) -> Option<Nest<'a, 'f>> {
        let found = Coalescing::new(accesses, loops, asked.block, asked.device)?;
        let opportunities = opportunities(accesses, &found, asked.block, asked.device, asked.scheme);
        Some(Nest { module, accesses, found, opportunities })
    }
}

/// Adds what the nest of a candidate moves and costs. Expressions are in terms of inputs, values beside them those of the run.
pub(super) fn add_to(
    to: &mut Loop,
    analysed: &mut Analysed<'_>,
    Needs { parameters, symbolic, .. }: &Needs,
    loops: &[LoopId],
    asked: Asked<'_>,
) {
    let module = analysed.module;
    let Some(mut nest) = Nest::new(module, &mut analysed.accesses, loops, asked) else { return };
    let written = analysed.symbolic.as_mut();
    let mut written = written.and_then(|accesses| Nest::new(module, accesses, loops, asked));
    let names: Vec<String> = loops.iter().map(|&id| counter_name(nest.accesses.assumed_mut(), id)).collect();
    let counters = loops.iter().zip(&names);
    to.counters.extend(
        counters.map(|(id, name)| Counter { iteration: format!("#{}", id.index()), variable: name.clone() }),
    );
    to.advice = names.get(nest.found.advice.x).cloned();
    for at in 0..nest.found.accesses.len() {
        to.assumptions.extend(premises(&nest, at));
        let own = accessed(&mut nest, at, &names);
        let other = written.as_mut().map(|nest| accessed(nest, at, &names)).unwrap_or_default();
        to.accesses.extend(own.into_iter().map(|access| with_expressions(access, &other)));
    }
    let parting = branches(nest.accesses.assumed_mut(), &nest.found, asked.block);
    to.branches.extend(parting.iter().map(branch));
    for at in 0..nest.opportunities.len() {
        let Some(own) = shared(&mut nest, at) else { continue };
        to.assumptions.extend(how(&nest.opportunities[at].known).1);
        let others = written.as_mut().map(|nest| {
            let all = 0..nest.opportunities.len();
            all.filter_map(|at| shared(nest, at)).collect::<Vec<Shared>>()
        });
        to.shared.push(in_terms_of_inputs(own, &others.unwrap_or_default()));
    }
    let estimate = |nest: &mut Nest<'_, '_>, parameters: &Parameters| {
        let found = Estimate::new(nest.accesses, &nest.found, parameters, asked.block, asked.device)?;
        Some(costs::estimate(nest.accesses, &found, asked.device))
    };
    let other =
        written.as_mut().zip(symbolic.as_ref()).and_then(|(nest, parameters)| estimate(nest, parameters));
    to.estimate = estimate(&mut nest, parameters).map(|own| costs::with_expressions(own, other));
}

fn branch(of: &divergence::Branch) -> Branch {
    Branch {
        line: of.place.map(|place| place.0),
        column: of.place.map(|place| place.1),
        by: match of.by {
            By::Place => "place",
            By::Thread => "thread",
            By::Data => "data",
        },
        parted: of.parted.map(|parted| parted.parted),
        warps: of.parted.map(|parted| parted.all),
        at_most: of.parted.is_some_and(|parted| parted.is_most),
    }
}

/// What an access rests on.
fn premises(nest: &Nest<'_, '_>, at: usize) -> Vec<String> {
    let requested = nest.found.accesses.get(at).filter(|requested| !requested.is_scalar);
    requested.map_or_else(Vec::new, |requested| how(&requested.known).1)
}

/// An access, once for each pointer.
fn accessed(nest: &mut Nest<'_, '_>, at: usize, names: &[String]) -> Vec<Access> {
    let Some(requested) = nest.found.accesses.get(at).filter(|requested| !requested.is_scalar) else {
        return Vec::new();
    };
    let Some(access) = nest.accesses.list.get(requested.access) else { return Vec::new() };
    let op = if access.writes { "store" } else { "load" };
    let place = access.location.and_then(|location| nest.module.metadata.place(location));
    let line = place.map(|place| place.line);
    let atoms = &nest.accesses.assumed_mut().atoms;
    let pointers: Vec<String> = match requested.mappings.first() {
        Some(Ok(list)) => list.iter().map(|mapped| mapped.name.clone()).collect(),
        _ => vec!["?".to_owned()],
    };
    let x = nest.found.advice.x;
    let described = pointers.into_iter().enumerate().map(|(at, pointer)| {
        let way = requested.ways.iter().flat_map(|ways| &ways.list).find(|way| way.name == pointer);
        let of = |x: usize| requested.mappings.get(x)?.as_ref().ok()?.get(at);
        let mapped = names.iter().enumerate().filter_map(|(x, name)| Some(mapping(atoms, name, of(x)?)));
        Access {
            line,
            op,
            offset: way.map(|way| expression(atoms, &way.offset)),
            mappings: mapped.collect(),
            coalesced: of(x).map(Mapped::is_coalesced),
            pointer,
        }
    });
    described.collect()
}

fn mapping(atoms: &Atoms, x: &str, of: &Mapped) -> Mapping {
    Mapping {
        x: x.to_owned(),
        sectors: counted(atoms, &of.sectors),
        lines: counted(atoms, &of.lines),
        efficiency: of.efficiency,
    }
}

/// Units per request: a number, a range, or the most that lanes move.
fn counted(atoms: &Atoms, of: &Factor) -> Expr {
    let value = of.numbers().filter(|(least, most)| least == most).map(|(_, most)| i64::from(most));
    Expr { expr: of.show(atoms), value }
}

/// An access with the expressions of the same one in terms of inputs.
fn with_expressions(mut own: Access, others: &[Access]) -> Access {
    let Some(other) = others.iter().find(|other| other.pointer == own.pointer) else { return own };
    named(&mut own.offset, other.offset.as_ref());
    for mapping in &mut own.mappings {
        let Some(other) = other.mappings.iter().find(|other| other.x == mapping.x) else { continue };
        mapping.sectors.expr.clone_from(&other.sectors.expr);
        mapping.lines.expr.clone_from(&other.lines.expr);
    }
    own
}

fn named(own: &mut Option<Expr>, other: Option<&Expr>) {
    if let (Some(own), Some(other)) = (own, other) {
        own.expr.clone_from(&other.expr);
    }
}

/// An opportunity for shared memory, if it is worth while.
fn shared(nest: &mut Nest<'_, '_>, at: usize) -> Option<Shared> {
    let of = nest.opportunities.get(at).filter(|opportunity| !opportunity.why.is_empty())?;
    let shape = of.shape.as_ref().ok()?;
    let locations = of.accesses.iter().filter_map(|&at| nest.accesses.list.get(at)?.location);
    let places = locations.filter_map(|location| nest.module.metadata.place(location));
    let mut lines: Vec<u32> = places.map(|place| place.line).collect();
    lines.sort_unstable();
    lines.dedup();
    let atoms = &nest.accesses.assumed_mut().atoms;
    let overlap = |axis: usize| shape.common.get(axis).map(|common| expression(atoms, &common.bytes));
    let mut why: Vec<&'static str> = of
        .why
        .iter()
        .map(|why| match why {
            Why::Overlap(_) => "overlap",
            Why::Uncoalesced => "uncoalesced",
        })
        .collect();
    why.dedup();
    Some(Shared {
        pointer: of.name.clone(),
        lines,
        why,
        per_block: expression(atoms, &shape.tile.bytes),
        overlap_x: overlap(0),
        overlap_y: overlap(1),
        overlap_z: overlap(2),
    })
}

/// An opportunity with the expressions of the same one in terms of inputs.
fn in_terms_of_inputs(mut own: Shared, others: &[Shared]) -> Shared {
    let is_same = |other: &&Shared| (&other.pointer, &other.lines) == (&own.pointer, &own.lines);
    let Some(other) = others.iter().find(is_same) else { return own };
    own.per_block.expr.clone_from(&other.per_block.expr);
    named(&mut own.overlap_x, other.overlap_x.as_ref());
    named(&mut own.overlap_y, other.overlap_y.as_ref());
    named(&mut own.overlap_z, other.overlap_z.as_ref());
    own
}
