//! The JSON report on loops that could run on a device, schema `loopwright.gpu/1`. Fields may be added, never changed.
//!
//! Expressions are in the names of the source; `value` stands beside one that is a number. Sections are bytes from the start of the
//! array, `lo` inclusive, `hi` exclusive.

mod accesses;
mod costs;
mod types;

use gpumap::access::show::show_bound;
use gpumap::access::{Accesses, Known, Reach};
use gpumap::calls::Cone;
use gpumap::control::LoopId;
use gpumap::instantiate::Instance;
use gpumap::ir::Module;
use gpumap::offload::show::Asked;
use gpumap::offload::{self, Analysed, Candidate, Direction, Friendly, Kept, Kind, Needs, with_candidates};
use gpumap::symbolic::{Range, Side};
use num_traits::ToPrimitive;
use serde::Serialize;

use types::{
    Answer, Expr, Function, Loop, OnDevice, Parameter, Part, Reason, Reduction, Solved, Storage, Uncounted,
};

/// The schema.
pub const SCHEMA: &str = "loopwright.gpu/1";

/// A report.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    schema: &'static str,
    device: String,
    /// The block that is asked for: threads along x, y and z.
    block: [u32; 3],
    /// What the run says about the inputs of functions; those alone of which it says something.
    functions: Vec<Function>,
    loops: Vec<Loop>,
}

/// What is said of the candidates of these functions.
pub fn report<'m>(module: &Module, cones: impl IntoIterator<Item = &'m Cone>, asked: Asked<'_>) -> Report {
    let (mut functions, mut loops) = (Vec::new(), Vec::new());
    for cone in cones {
        let shown = module.shown_name(cone.function.symbol);
        let name = shown.as_str();
        with_candidates(module, cone, asked, |analysed, candidates| {
            if !candidates.is_empty() {
                functions.extend(function(name, &analysed.instance));
            }
            let needs = analysed.needs(candidates);
            let ids: Vec<String> = candidates.iter().map(|candidate| id(analysed, name, candidate)).collect();
            for (candidate, needs) in candidates.iter().zip(&needs) {
                loops.push(described(analysed, name, (candidate, needs.as_ref()), &ids, asked));
            }
        });
    }
    let block = [0, 1, 2].map(|axis| asked.block.extent(axis));
    Report { schema: SCHEMA, device: asked.device.name.to_owned(), block, functions, loops }
}

/// What the run says about the inputs of a function, if it says anything.
fn function(name: &str, instance: &Instance) -> Option<Function> {
    if instance.counted.is_empty() && instance.conflicts.is_empty() {
        return None;
    }
    let value = |value: &gpumap::instantiate::Solved| Solved {
        name: value.name.clone(),
        input: value.is_input,
        values: value.numbers.iter().map(ToString::to_string).collect(),
        lines: value.from.iter().map(|(line, _)| *line).collect(),
    };
    let uncounted = instance.counted.iter().filter_map(|counted| {
        let why = counted.unused?.to_string();
        Some(Uncounted { line: counted.line, trips: counted.trips.map(|(least, most)| [least, most]), why })
    });
    Some(Function {
        name: name.to_owned(),
        values: instance.values.iter().map(value).collect(),
        not_used: uncounted.collect(),
        contradictions: instance.conflicts.iter().map(ToString::to_string).collect(),
    })
}

/// The line on which a loop begins.
fn line(analysed: &Analysed<'_>, id: LoopId) -> Option<u32> {
    analysed.control.loops.get(id).places(analysed.module).map(|places| places.0.line)
}

/// What a candidate is called: `file:function:line`.
fn id(analysed: &Analysed<'_>, function: &str, candidate: &Candidate) -> String {
    let place = |id: &LoopId| analysed.control.loops.get(*id).places(analysed.module).map(|places| places.0);
    let start = candidate.loops.first().and_then(place);
    let file = start.map_or("?", |place| place.file.rsplit('/').next().unwrap_or(place.file));
    match start {
        Some(place) => format!("{file}:{function}:{}", place.line),
        None => format!("{file}:{function}"),
    }
}

/// A candidate with what it needs; `ids` are what all candidates of the function are called.
fn described(
    analysed: &mut Analysed<'_>,
    function: &str,
    (candidate, needs): (&Candidate, Option<&Needs>),
    ids: &[String],
    asked: Asked<'_>,
) -> Loop {
    let line = candidate.loops.first().and_then(|&id| line(analysed, id));
    let mut found = Loop {
        id: id(analysed, function, candidate),
        function: function.to_owned(),
        line,
        dims: candidate.loops.len(),
        friendly: match candidate.friendly {
            Friendly::Yes => Answer::Known(true),
            Friendly::No => Answer::Known(false),
            Friendly::Unknown => Answer::Unknown("unknown"),
        },
        reasons: candidate.reasons.iter().map(reason).collect(),
        inside: candidate.is_inside,
        proved: candidate.proved.len() == candidate.loops.len(),
        parameters: Vec::new(),
        functions: candidate.functions.clone(),
        split: candidate.parts.iter().map(part).collect(),
        private: Vec::new(),
        storage: candidate.storage.iter().map(storage).collect(),
        reductions: candidate.reduced.iter().map(reduction).collect(),
        overlap_checks: Vec::new(),
        assumptions: candidate.assumed.iter().map(ToString::to_string).collect(),
        counters: Vec::new(),
        accesses: Vec::new(),
        advice: None,
        shared: Vec::new(),
        on_device: Vec::new(),
        branches: Vec::new(),
        estimate: None,
    };
    if let Some(needs) = needs {
        add_parameters(&mut found, analysed, needs);
        found.on_device = needs.kept.iter().map(|kept| on_device(analysed, kept, ids)).collect();
        accesses::add_to(&mut found, analysed, needs, &candidate.loops, asked);
        found.assumptions.sort();
        found.assumptions.dedup();
    }
    found
}

/// What an earlier kernel leaves on the device.
fn on_device(analysed: &mut Analysed<'_>, kept: &Kept, ids: &[String]) -> OnDevice {
    let accesses = &mut analysed.accesses;
    OnDevice {
        name: kept.name.clone(),
        by: ids.get(kept.by).cloned(),
        bytes_in: kept.inwards.as_ref().map(|volume| costs::volume(accesses, volume)),
        bytes_back: kept.outwards.as_ref().map(|volume| costs::volume(accesses, volume)),
        part: kept.is_part,
        iteration_before_of: kept.before.and_then(|id| line(analysed, id)),
    }
}

fn reason(of: &offload::Reason) -> Reason {
    Reason { what: of.why.to_string(), line: of.line }
}

fn part(of: &offload::observed::Part) -> Part {
    Part { lines: of.lines.clone(), friendly: of.is_independent }
}

fn storage(of: &offload::observed::Storage) -> Storage {
    Storage { name: of.name.clone(), needs: of.change.to_string() }
}

fn reduction(of: &offload::observed::Reduced) -> Reduction {
    Reduction { object: of.object.clone(), array: of.is_array }
}

fn add_parameters(to: &mut Loop, analysed: &Analysed<'_>, Needs { parameters, symbolic, .. }: &Needs) {
    for parameter in &parameters.list {
        let same =
            |other: &&offload::Parameter| (other.object, &other.name) == (parameter.object, &parameter.name);
        let twin = symbolic.as_ref().and_then(|parameters| parameters.list.iter().find(same));
        let end = |side: Side| {
            let own = ended(&analysed.accesses, parameter, side)?;
            let written = twin.zip(analysed.symbolic.as_ref());
            let written = written.and_then(|(twin, accesses)| ended(accesses, twin, side));
            Some(Expr { expr: written.map_or(own.expr, |written| written.expr), value: own.value })
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
            several: parameter.is_several,
            reach: match parameter.reach {
                Reach::Accessed => "accessed",
                Reach::Guarded => "guarded",
                Reach::Before => "before",
            },
        });
    }
    to.private = parameters.private.clone();
    to.overlap_checks = parameters.overlaps.iter().map(|(a, b)| [a.clone(), b.clone()]).collect();
}

/// An end of what is used of an array.
fn ended(accesses: &Accesses<'_>, of: &offload::Parameter, side: Side) -> Option<Expr> {
    let Some(Range::Between(lower, upper)) = &of.section else { return None };
    let bound = if side == Side::Lower { lower } else { upper };
    let value = bound.single().and_then(|end| end.integer()?.to_i64());
    Some(Expr { expr: show_bound(accesses.atoms_of(&of.known), bound, side), value })
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

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_is_that_of_the_documentation() {
        crate::wire::is_documented::<super::Report>("gpu.schema.json");
    }
}
