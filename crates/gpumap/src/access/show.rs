//! Accesses as text for people.

use std::fmt::Write as _;

use super::hull::{Extent, Hull, touched};
use super::{Access, Accesses, Known};
use crate::calls::Cone;
use crate::control::Control;
use crate::ir::{BlockId, Module};
use crate::memory::effects::Summaries;
use crate::recurrence::Given;
use crate::symbolic::{Atoms, Bound, Range, Side};

/// Accesses with their objects and sections in bytes, then what the function uses of each object. Those of called functions
/// come last, with the calls that lead to them.
pub fn show_ranges(module: &Module, cone: &Cone) -> String {
    show_ranges_with(module, cone, &Given::default())
}

/// The same where inputs have values: what rests on them says so.
pub fn show_ranges_with(module: &Module, cone: &Cone, given: &Given) -> String {
    let function = &cone.function;
    let control = Control::new(function);
    let mut accesses = Accesses::with_values(module, function, &control, &mut Summaries::default(), given);
    let mut out = format!("function {}\n", module.shown_name(function.symbol));
    for access in &accesses.list {
        // Writing to a string cannot fail, here and below.
        let way = show_way(module, cone, access.block);
        let _ = writeln!(out, "  {}{way}", show_access(module, &accesses, access));
    }
    for hull in accesses.hulls(None) {
        show_hull(&mut out, accesses.atoms_of(&hull.known), &hull);
    }
    for name in accesses.unknown_names(given) {
        let _ = writeln!(out, "  nothing is called {name} that sections may depend on");
    }
    if accesses.has_other_writes() {
        out.push_str("  what calls and atomic operations write is not counted\n");
    }
    if accesses.is_truncated() {
        let _ = writeln!(out, "  the function is too large: some sections are not known for that reason");
    }
    out
}

/// The calls that lead to a block.
fn show_way(module: &Module, cone: &Cone, block: BlockId) -> String {
    let sites = cone.string(block).iter().rev().map(|site| {
        let place = site.location.and_then(|location| module.metadata.place(location));
        let place = place.map_or("?".into(), |place| format!("{}:{}", place.line, place.column));
        format!(", in {} called at {place}", module.shown_name(site.callee))
    });
    sites.collect()
}

/// An access: its place, kind, object, section and how that is known.
pub fn show_access(module: &Module, accesses: &Accesses<'_>, access: &Access) -> String {
    let place = access.location.and_then(|location| module.metadata.place(location));
    let place = place.map_or("?".into(), |place| format!("{}:{}", place.line, place.column));
    let kind = if access.writes { "store" } else { "load" };
    let section = match (&access.section, access.bytes) {
        (Err(unknown), _) => unknown.to_string(),
        (Ok(place), Some(bytes)) => match touched(place, bytes) {
            Some(range) => format!("{} {}", place.name, show_bytes(accesses.atoms(access), &range)),
            None => format!("{} {}", place.name, half(accesses.atoms(access), &place.starts)),
        },
        (Ok(place), None) => format!("somewhere in {}: the type has no size", place.name),
    };
    let known = match &access.known {
        Known::Proved => String::new(),
        known => format!(" ({known})"),
    };
    format!("{place} {kind} {section}{known}")
}

fn show_hull(out: &mut String, atoms: &Atoms, hull: &Hull) {
    let mut parts = Vec::new();
    for (what, extent) in [("reads", &hull.reads), ("may write", &hull.writes)] {
        match extent {
            Extent::Nothing => {}
            Extent::Bytes(range) => parts.push(format!("{what} {}", show_bytes(atoms, range))),
            Extent::Unknown => parts.push(format!("{what} anything")),
        }
    }
    parts.extend(hull.certain.as_ref().map(|range| format!("certainly writes {}", show_bytes(atoms, range))));
    let known = match &hull.known {
        Known::Proved => String::new(),
        known => format!(" ({known})"),
    };
    let _ = writeln!(out, "  in all {}: {}{known}", hull.name, parts.join(", "));
}

/// Bytes, half open.
pub fn show_bytes(atoms: &Atoms, range: &Range) -> String {
    match range {
        Range::Unreached => "never".into(),
        Range::Between(lower, upper) => {
            format!("[{}, {})", show_bound(atoms, lower, Side::Lower), show_bound(atoms, upper, Side::Upper))
        }
    }
}

/// Starts of which one end is not known.
fn half(atoms: &Atoms, starts: &Range) -> String {
    match starts {
        Range::Unreached => "never".into(),
        Range::Between(lower, upper) if upper.is_none() => {
            format!("[{}, ?)", show_bound(atoms, lower, Side::Lower))
        }
        Range::Between(_, upper) => format!("[?, last start {}]", show_bound(atoms, upper, Side::Upper)),
    }
}

/// A bound: the greatest of the least members of its clauses, or the mirror image.
pub fn show_bound(atoms: &Atoms, bound: &Bound, side: Side) -> String {
    let (of_members, of_clauses) = match side {
        Side::Lower => ("min", "max"),
        Side::Upper => ("max", "min"),
    };
    let clauses = bound.clauses().iter().map(|clause| {
        let members = clause.iter().map(|member| atoms.show(member)).collect();
        joined(of_members, members)
    });
    joined(of_clauses, clauses.collect())
}

fn joined(name: &str, parts: Vec<String>) -> String {
    match parts.as_slice() {
        [] => "?".into(),
        [one] => one.clone(),
        several => format!("{name}({})", several.join(", ")),
    }
}
