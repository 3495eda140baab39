//! The JSON report on loops that could run on a device, schema `loopwright.gpu/1`. Fields may be added, never changed.
//!
//! Expressions are in the names of the source; `value` stands beside one that is a number. Sections are bytes from the start of the
//! array, `lo` inclusive, `hi` exclusive.

use gpumap::access::show::show_bound;
use gpumap::access::{Accesses, Known};
use gpumap::calls::Cone;
use gpumap::coalescing::show::counter_name;
use gpumap::coalescing::{Coalescing, Factor, Requested};
use gpumap::control::{Control, LoopId};
use gpumap::ir::Module;
use gpumap::offload::show::{Asked, each_candidate};
use gpumap::offload::{self, Candidate, Direction, Friendly, Kind, Parameters};
use gpumap::shared::{Opportunity, Scheme, opportunities, opportunity::Why};
use gpumap::symbolic::{Atoms, Bound, Polynomial, Range, Side};
use num_traits::ToPrimitive;
use serde::Serialize;

/// The schema.
pub const SCHEMA: &str = "loopwright.gpu/1";

/// A report.
#[derive(Debug, Serialize)]
pub struct Report {
    schema: &'static str,
    device: String,
    loops: Vec<Loop>,
}

/// An expression, and its value where it is a number.
#[derive(Debug, Serialize)]
struct Expr {
    expr: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<i64>,
}

#[derive(Debug, Serialize)]
struct Loop {
    id: String,
    function: String,
    line: Option<u32>,
    dims: usize,
    friendly: Answer,
    reasons: Vec<Reason>,
    parameters: Vec<Parameter>,
    functions: Vec<String>,
    private: Vec<String>,
    storage: Vec<Storage>,
    reductions: Vec<Reduction>,
    overlap_checks: Vec<[String; 2]>,
    assumptions: Vec<String>,
    counters: Vec<Counter>,
    accesses: Vec<Access>,
    /// The loop to map to x, by its counter.
    advice: Option<String>,
    shared: Vec<Shared>,
}

/// Yes, no, or a word.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Answer {
    Known(bool),
    Unknown(&'static str),
}

#[derive(Debug, Serialize)]
struct Reason {
    what: String,
    line: Option<u32>,
}

#[derive(Debug, Serialize)]
struct Storage {
    name: String,
    needs: String,
}

#[derive(Debug, Serialize)]
struct Reduction {
    object: Option<String>,
    array: bool,
}

#[derive(Debug, Serialize)]
struct Parameter {
    name: String,
    kind: &'static str,
    direction: &'static str,
    lo: Option<Expr>,
    hi: Option<Expr>,
    known: &'static str,
}

/// What iterations of a mapped loop are called in offsets, and the variable that counts them. Iterations begin with 0.
#[derive(Debug, Serialize)]
struct Counter {
    iteration: String,
    variable: String,
}

#[derive(Debug, Serialize)]
struct Access {
    line: Option<u32>,
    op: &'static str,
    pointer: String,
    offset: Option<Expr>,
    mappings: Vec<Mapping>,
    /// Whether requests use at least half of what they move under the advised mapping.
    coalesced: Option<bool>,
}

#[derive(Debug, Serialize)]
struct Mapping {
    x: String,
    sectors: Expr,
    lines: Expr,
    efficiency: f64,
}

#[derive(Debug, Serialize)]
struct Shared {
    pointer: String,
    lines: Vec<u32>,
    why: Vec<&'static str>,
    per_block: Expr,
    overlap_x: Option<Expr>,
    overlap_y: Option<Expr>,
}

/// What is said of the candidates of these functions.
pub fn report<'m>(module: &Module, cones: impl IntoIterator<Item = &'m Cone>, asked: Asked<'_>) -> Report {
    let loops = cones.into_iter().flat_map(|cone| {
        let function = module.name(cone.function.symbol);
        each_candidate(module, cone, asked, |control, accesses, candidate| {
            described(module, function, control, accesses, candidate, asked)
        })
    });
    Report { schema: SCHEMA, device: asked.device.name.to_owned(), loops: loops.collect() }
}

fn described(
    module: &Module,
    function: &str,
    control: &Control,
    accesses: &mut Accesses<'_>,
    candidate: &Candidate,
    asked: Asked<'_>,
) -> Loop {
    let start =
        candidate.loops.first().and_then(|&id| control.loops.get(id).places(module)).map(|places| places.0);
    let file = start.map_or("?", |place| place.file.rsplit('/').next().unwrap_or(place.file));
    let line = start.map(|place| place.line);
    let id = match line {
        Some(line) => format!("{file}:{function}:{line}"),
        None => format!("{file}:{function}"),
    };
    let mut found = Loop {
        id,
        function: function.to_owned(),
        line,
        dims: candidate.loops.len(),
        friendly: match candidate.friendly {
            Friendly::Yes => Answer::Known(true),
            Friendly::No => Answer::Known(false),
            Friendly::Unknown => Answer::Unknown("unknown"),
        },
        reasons: candidate.reasons.iter().map(reason).collect(),
        parameters: Vec::new(),
        functions: candidate.functions.clone(),
        private: Vec::new(),
        storage: candidate.storage.iter().map(storage).collect(),
        reductions: candidate.reduced.iter().map(reduction).collect(),
        overlap_checks: Vec::new(),
        assumptions: Vec::new(),
        counters: Vec::new(),
        accesses: Vec::new(),
        advice: None,
        shared: Vec::new(),
    };
    if let Some(&outer) = candidate.loops.first().filter(|_| candidate.friendly != Friendly::No) {
        add_parameters(&mut found, module, control, accesses, outer);
        add_accesses(&mut found, module, accesses, &candidate.loops, asked);
        found.assumptions.sort();
        found.assumptions.dedup();
    }
    found
}

fn reason(of: &offload::Reason) -> Reason {
    Reason { what: of.why.to_string(), line: of.line }
}

fn storage(of: &offload::observed::Storage) -> Storage {
    Storage { name: of.name.clone(), needs: of.change.to_string() }
}

fn reduction(of: &offload::observed::Reduced) -> Reduction {
    Reduction { object: of.object.clone(), array: of.is_array }
}

fn add_parameters(
    to: &mut Loop,
    module: &Module,
    control: &Control,
    accesses: &mut Accesses<'_>,
    outer: LoopId,
) {
    let parameters = Parameters::new(module, control, accesses, outer);
    for parameter in &parameters.list {
        let atoms = accesses.atoms_of(&parameter.known);
        let end = |side: Side| match &parameter.section {
            Some(Range::Between(lower, upper)) => {
                Some(ended(atoms, if side == Side::Lower { lower } else { upper }, side))
            }
            _ => None,
        };
        let (known, premises) = how(&parameter.known);
        to.assumptions.extend(premises);
        to.parameters.push(Parameter {
            name: parameter.name.clone(),
            kind: match parameter.kind {
                Kind::Scalar => "scalar",
                Kind::Array => "array",
                Kind::Nested => "nested",
            },
            direction: match parameter.direction {
                Direction::In => "in",
                Direction::Out => "out",
                Direction::InOut => "inout",
            },
            lo: end(Side::Lower),
            hi: end(Side::Upper),
            known,
        });
    }
    to.private = parameters.private;
    to.overlap_checks = parameters.overlaps.into_iter().map(|(a, b)| [a, b]).collect();
}

/// How something is known, and what it rests on.
fn how(known: &Known) -> (&'static str, Vec<String>) {
    let (word, premises) = match known {
        Known::Assumed(premises) => ("assumed", premises.as_slice()),
        Known::FromRun(premises) => ("from-run", premises.as_slice()),
        // It has premises if it is not proved.
        _ => ("proved", [].as_slice()),
    };
    (word, premises.iter().map(ToString::to_string).collect())
}

fn add_accesses(
    to: &mut Loop,
    module: &Module,
    accesses: &mut Accesses<'_>,
    loops: &[LoopId],
    asked: Asked<'_>,
) {
    let Some(found) = Coalescing::new(accesses, loops, asked.block, asked.device) else { return };
    let names: Vec<String> = loops.iter().map(|&id| counter_name(accesses.assumed_mut(), id)).collect();
    let counters = loops.iter().zip(&names);
    to.counters.extend(
        counters.map(|(id, name)| Counter { iteration: format!("#{}", id.index()), variable: name.clone() }),
    );
    for requested in found.accesses.iter().filter(|requested| !requested.is_scalar) {
        to.assumptions.extend(how(&requested.known).1);
        to.accesses.extend(accessed(module, accesses, &found, requested, &names));
    }
    to.advice = names.get(found.advice.x).cloned();
    let list = opportunities(accesses, &found, asked.block, asked.device, Scheme::default());
    let worth: Vec<&Opportunity> = list.iter().filter(|opportunity| !opportunity.why.is_empty()).collect();
    for opportunity in worth {
        to.assumptions.extend(how(&opportunity.known).1);
        to.shared.extend(shared(module, accesses, opportunity));
    }
}

/// An access, once for each pointer.
fn accessed(
    module: &Module,
    accesses: &mut Accesses<'_>,
    found: &Coalescing,
    requested: &Requested,
    names: &[String],
) -> Vec<Access> {
    let Some(access) = accesses.list.get(requested.access) else { return Vec::new() };
    let op = if access.writes { "store" } else { "load" };
    let line = access.location.and_then(|location| module.metadata.place(location)).map(|place| place.line);
    let atoms = &accesses.assumed_mut().atoms;
    let pointers: Vec<(usize, String)> = match requested.mappings.first() {
        Some(Ok(list)) => list.iter().map(|mapped| mapped.name.clone()).enumerate().collect(),
        _ => vec![(0, "?".to_owned())],
    };
    let described = pointers.into_iter().map(|(at, pointer)| {
        let mapped = names.iter().zip(&requested.mappings).filter_map(|(name, list)| {
            let mapped = list.as_ref().ok()?.get(at)?;
            Some(Mapping {
                x: name.clone(),
                sectors: counted(atoms, &mapped.sectors),
                lines: counted(atoms, &mapped.lines),
                efficiency: mapped.efficiency,
            })
        });
        let ways = requested.ways.as_ref().ok();
        let way = ways.and_then(|ways| ways.list.iter().find(|way| way.name == pointer));
        let advised = requested.mappings.get(found.advice.x).and_then(|list| list.as_ref().ok()?.get(at));
        Access {
            line,
            op,
            offset: way.map(|way| expression(atoms, &way.offset)),
            mappings: mapped.collect(),
            coalesced: advised.map(|mapped| mapped.is_coalesced()),
            pointer,
        }
    });
    described.collect()
}

fn shared(module: &Module, accesses: &mut Accesses<'_>, of: &Opportunity) -> Option<Shared> {
    let shape = of.shape.as_ref().ok()?;
    let locations = of.accesses.iter().filter_map(|&at| accesses.list.get(at)?.location);
    let mut lines: Vec<u32> =
        locations.filter_map(|location| module.metadata.place(location)).map(|place| place.line).collect();
    lines.sort_unstable();
    lines.dedup();
    let atoms = &accesses.assumed_mut().atoms;
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
    })
}

fn expression(atoms: &Atoms, of: &Polynomial) -> Expr {
    Expr { expr: atoms.show(of), value: of.integer().and_then(|number| number.to_i64()) }
}

fn ended(atoms: &Atoms, of: &Bound, side: Side) -> Expr {
    let value = of.single().and_then(Polynomial::integer).and_then(|number| number.to_i64());
    Expr { expr: show_bound(atoms, of, side), value }
}

/// Units per request: a number, a range, or the most that lanes move.
fn counted(atoms: &Atoms, of: &Factor) -> Expr {
    let value = of.numbers().filter(|(least, most)| least == most).map(|(_, most)| i64::from(most));
    Expr { expr: of.show(atoms), value }
}
