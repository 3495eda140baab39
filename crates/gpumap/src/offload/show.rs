//! Candidates and their parameters as text for people.

use std::fmt::Write as _;

use super::{Candidate, Direction, Friendly, Kind, Parameters, Reason, candidates};
use crate::access::show::show_bytes;
use crate::access::{Accesses, Known};
use crate::calls::Cone;
use crate::control::Control;
use crate::ir::Module;
use crate::memory::effects::Summaries;

use super::Observed;

/// The candidates of a function, or those that begin on a line; `None` if there are none.
pub fn show_candidates(
    module: &Module,
    cone: &Cone,
    observed: Option<&Observed>,
    line: Option<u32>,
) -> Option<String> {
    let control = Control::new(&cone.function);
    let is_asked = |candidate: &Candidate| {
        let place = candidate.loops.first().and_then(|&id| control.loops.get(id).places(module));
        line.is_none_or(|line| place.is_some_and(|(start, _)| start.line == line))
    };
    let mut accesses = Accesses::new(module, &cone.function, &control, &mut Summaries::default());
    let mut found = candidates(module, cone, &control, &mut accesses, observed, line.is_some());
    found.retain(is_asked);
    if found.is_empty() {
        return None;
    }
    let mut out = format!("function {}\n", module.name(cone.function.symbol));
    for candidate in &found {
        show_candidate(&mut out, module, &control, candidate);
        if candidate.friendly != Friendly::No
            && let Some(&id) = candidate.loops.first()
        {
            let parameters = Parameters::new(module, &control, &mut accesses, id);
            show_parameters(&mut out, &accesses, &parameters);
        }
    }
    Some(out)
}

/// A candidate with the reasons against it. Writing to a string cannot fail, here and below.
fn show_candidate(out: &mut String, module: &Module, control: &Control, candidate: &Candidate) {
    let places = candidate.loops.iter().filter_map(|&id| Some(control.loops.get(id).places(module)?.0.line));
    let lines: Vec<String> = places.map(|line| format!("line {line}")).collect();
    let shape = if candidate.loops.len() == 2 { "nest" } else { "loop" };
    let verdict = match candidate.friendly {
        Friendly::Yes => "can run on a device",
        Friendly::Unknown => "may run on a device",
        Friendly::No => "cannot run on a device",
    };
    let _ = writeln!(out, "  {shape} {}: {verdict}", lines.join(" and "));
    for Reason { why, line } in &candidate.reasons {
        let line = line.map_or(String::new(), |line| format!("line {line}: "));
        let _ = writeln!(out, "    {line}{why}");
    }
    let mut note = |text: &str, names: Vec<String>| {
        if !names.is_empty() {
            let _ = writeln!(out, "    {text}: {}", names.join(", "));
        }
    };
    note("each thread needs its own", candidate.privatise.clone());
    note("needs a version for the device", candidate.functions.clone());
    let repeated = candidate.repeated.iter().map(ToString::to_string);
    note("each thread computes again, lines", repeated.collect());
    if candidate.reduces {
        let _ = writeln!(out, "    needs a reduction");
    }
}

fn show_parameters(out: &mut String, accesses: &Accesses<'_>, parameters: &Parameters) {
    for parameter in &parameters.list {
        let way = match parameter.direction {
            Direction::In => "in",
            Direction::Out => "out",
            Direction::InOut => "in and out",
        };
        let kind = match parameter.kind {
            Kind::Scalar => "scalar",
            Kind::Array => "array",
            Kind::Nested => "nested",
        };
        let bytes = match (&parameter.section, parameter.kind) {
            (Some(section), _) => format!(" {}", show_bytes(accesses.atoms_of(&parameter.known), section)),
            (None, Kind::Scalar) => String::new(),
            (None, _) => " (bytes not known)".into(),
        };
        let known = match &parameter.known {
            Known::Proved => String::new(),
            known => format!(" ({known})"),
        };
        let _ = writeln!(out, "    {way}, {kind}: {}{bytes}{known}", parameter.name);
    }
    for name in &parameters.private {
        let _ = writeln!(out, "    private: {name}");
    }
    for (a, b) in &parameters.overlaps {
        let _ = writeln!(out, "    to be checked: {a} and {b} do not overlap");
    }
    for line in &parameters.strays {
        let _ = writeln!(out, "    line {line}: it is not known which array is accessed");
    }
}
