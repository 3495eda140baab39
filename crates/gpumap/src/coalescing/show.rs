//! Coalescing as text for people: a row per access and pointer, with sectors and lines per request for each mapping.

use std::fmt::Write as _;

use num_bigint::BigInt;
use num_integer::Integer;

use super::advice::{Advice, Basis};
use super::factor::Linear;
use super::nest::{Coalescing, Mapped, Requested};
use crate::access::Accesses;
use crate::control::LoopId;
use crate::device::{Block, Device, WARP};
use crate::ir::{Operation, ValueId};
use crate::recurrence::show::variable;
use crate::recurrence::{Forms, Reading};
use crate::symbolic::{Coefficient, Polynomial};
use crate::table::table;

/// What a nest moves, and which loop to map to x. Loads of what the whole nest leaves unchanged have no row.
pub fn show_coalescing(
    accesses: &mut Accesses<'_>,
    found: &Coalescing,
    block: Block,
    device: &Device,
) -> String {
    let rows = rows(accesses, found, device);
    let forms = accesses.forms_mut(true);
    let loops: Vec<String> = found.loops.iter().map(|&id| counter_name(forms, id)).collect();
    let mut head = vec!["line".to_owned(), "operation".to_owned(), "alias for".to_owned()];
    head.extend(loops.iter().map(|name| format!("x = {name}")));
    head.push("opportunity".to_owned());
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let unit = if device.has_published_formula() { ", lines by the published formula" } else { "" };
    let mut out = format!(
        "coalescing on {} in blocks of {block}: sectors of {} and lines of {} bytes per request{unit}\n",
        device.name, device.sector, device.line
    );
    out += &table(&rows);
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(out, "  {}", show_advice(&found.advice, &loops));
    for assumption in assumptions(forms, found) {
        let _ = writeln!(out, "  assumed: {assumption}");
    }
    out
}

fn rows(accesses: &mut Accesses<'_>, found: &Coalescing, device: &Device) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for requested in found.accesses.iter().filter(|requested| !requested.is_scalar) {
        let Some(access) = accesses.list.get(requested.access) else { continue };
        let operation = if access.writes { "store" } else { "load" };
        let location = access.location;
        let forms = accesses.forms_mut(true);
        let place = location.and_then(|location| forms.module.metadata.place(location));
        let line = place.map_or("?".into(), |place| format!("{}:{}", place.line, place.column));
        let names = names(requested);
        for (at, name) in names.iter().enumerate() {
            let mut row = vec![line.clone(), operation.to_owned(), name.clone()];
            for mapping in &requested.mappings {
                let mapped = mapping.as_ref().ok().and_then(|list| list.get(at));
                row.push(mapped.map_or("?".into(), |mapped| cell(forms, mapped, device)));
            }
            row.push(opportunity(requested, at, found.advice.x));
            rows.push(row);
        }
    }
    rows
}

/// The pointers of an access, one if they are not known.
fn names(requested: &Requested) -> Vec<String> {
    let mut pointers: Vec<(&Polynomial, &str)> = Vec::new();
    for way in requested.ways.iter().flat_map(|ways| &ways.list) {
        if !pointers.iter().any(|pointer| *pointer.0 == way.base) {
            pointers.push((&way.base, &way.name));
        }
    }
    if pointers.is_empty() {
        return vec!["?".to_owned()];
    }
    pointers.into_iter().map(|pointer| pointer.1.to_owned()).collect()
}

/// Sectors and lines; with a stride that is no number, from which one on each lane has its own.
fn cell(forms: &Forms<'_>, mapped: &Mapped, device: &Device) -> String {
    let atoms = &forms.atoms;
    let is_open = mapped.sectors.numbers().is_none() || mapped.lines.numbers().is_none();
    let is_single = [&mapped.sectors, &mapped.lines].iter().all(|units| units.most.cap == WARP);
    let strides = match mapped.linear.as_slice() {
        [linear] if is_open && is_single => Some(from(linear, device)),
        _ => None,
    };
    let published = device.has_published_formula().then(|| mapped.published.show(atoms));
    match (strides, published) {
        (Some((of, sector, _)), Some(lines)) => {
            format!("{WARP} if {} >= {sector} / {lines}", atoms.show(&of))
        }
        (Some((of, sector, line)), None) => {
            format!("{WARP} / {WARP} if {} >= {sector} / {line}", atoms.show(&of))
        }
        (None, lines) => {
            let lines = lines.unwrap_or_else(|| mapped.lines.show(atoms));
            format!("{} / {lines}", mapped.sectors.show(atoms))
        }
    }
}

/// From where on no two lanes share a sector, and a line: an expression, and the least that it has to be.
fn from(linear: &Linear, device: &Device) -> (Polynomial, BigInt, BigInt) {
    let (sector, line) = (BigInt::from(device.sector), BigInt::from(device.line));
    match linear.distance.terms() {
        // A multiple of one input.
        [(monomial, factor)]
            if factor.is_integer() && factor.is_positive() && !monomial.powers().is_empty() =>
        {
            let least = |bytes: &BigInt| bytes.div_ceil(&factor.to_integer());
            (Polynomial::term(monomial.clone(), Coefficient::ONE), least(&sector), least(&line))
        }
        _ => (linear.distance.clone(), sector, line),
    }
}

/// What can be made of an access under the advised mapping.
fn opportunity(requested: &Requested, at: usize, x: usize) -> String {
    match requested.mappings.get(x) {
        Some(Err(irregular)) => irregular.to_string(),
        Some(Ok(list)) => list.get(at).map_or_else(String::new, |mapped| {
            let is_one =
                !mapped.linear.is_empty() && mapped.linear.iter().all(|linear| linear.stride.is_zero());
            if is_one {
                "the same for all lanes".to_owned()
            } else if mapped.is_coalesced() {
                "coalesced".to_owned()
            } else {
                // From 0 to 1.
                format!("uses {} % of what it moves", (mapped.efficiency * 100.0).floor())
            }
        }),
        None => String::new(),
    }
}

fn show_advice(advice: &Advice, loops: &[String]) -> String {
    let name = loops.get(advice.x).map_or("?", String::as_str);
    match advice.basis {
        Basis::Only => format!("x is {name}: there is no other loop"),
        Basis::Proved => format!("advice: map the loop of {name} to x, which moves the fewest sectors"),
        Basis::LargeInputs => {
            format!("advice: map the loop of {name} to x, which moves the fewest sectors if inputs are large")
        }
        Basis::Equal => format!("no mapping is better than {name} to x"),
    }
}

/// What the table rests on.
fn assumptions(forms: &Forms<'_>, found: &Coalescing) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    let mut add = |text: String| {
        if !list.contains(&text) {
            list.push(text);
        }
    };
    for requested in found.accesses.iter().filter(|requested| !requested.is_scalar) {
        requested.known.assumptions().for_each(|assumption| add(assumption.to_string()));
        for linear in requested.mappings.iter().flatten().flatten().flat_map(|mapped| &mapped.linear) {
            if linear.is_sign_assumed {
                add(format!("{} is not negative", forms.atoms.show(&linear.distance)));
            }
        }
    }
    list
}

/// What the counter of a loop is called, else the number of the loop.
pub fn counter_name(forms: &mut Forms<'_>, id: LoopId) -> String {
    counter(forms, id).map_or_else(|| format!("#{}", id.index()), |value| variable(forms, value))
}

/// The first φ of a header that advances by the same in each iteration.
fn counter(forms: &mut Forms<'_>, id: LoopId) -> Option<ValueId> {
    let iteration = forms.iteration(id);
    let header = forms.function.block(forms.control.loops.get(id).header);
    let phis = header.instructions.iter().take_while(|i| matches!(i.operation, Operation::Phi(_)));
    let results: Vec<ValueId> = phis.filter_map(|phi| phi.result).collect();
    results.into_iter().find(|&value| {
        let advances = |form: Polynomial| form.degree_in(iteration) == 1;
        let readings = [Reading::Signed, Reading::Unsigned];
        readings.into_iter().any(|reading| advances(forms.of_value(value, reading)))
    })
}
