//! Opportunities for shared memory as text for people.

use super::opportunity::{Loose, Opportunity, Why};
use super::pattern::Step;
use super::shape::{Common, Shape};
use crate::access::Accesses;
use crate::access::show::show_bound;
use crate::coalescing::banks::padding;
use crate::device::{Block, Device};
use crate::symbolic::{Atoms, Range, Side};
use crate::table::table;

/// The names of the axes of a grid.
const AXES: [&str; 3] = ["x", "y", "z"];
/// The names of directions.
const DIRECTIONS: [&str; 3] = ["columns", "rows", "planes"];

/// A row per group of accesses: operations, need of a block, overlap, remark. Groups for which nothing speaks have no row.
pub fn show_opportunities(
    accesses: &mut Accesses<'_>,
    list: &[Opportunity],
    block: Block,
    device: &Device,
) -> String {
    let mut out = format!("shared memory on {} in blocks of {block}\n", device.name);
    let places: Vec<String> = list.iter().map(|opportunity| lines(accesses, opportunity)).collect();
    let atoms = &accesses.forms_mut(true).atoms;
    let rows: Vec<Vec<String>> = list
        .iter()
        .zip(places)
        .filter(|(opportunity, _)| is_shown(opportunity))
        .map(|(opportunity, place)| row(atoms, opportunity, place, block, device))
        .collect();
    if rows.is_empty() {
        out.push_str(
            "  no opportunities: neighbours touch nothing in common, and requests use what they move\n",
        );
        return out;
    }
    let head = ["operations", "need", "overlap", "remark"].map(str::to_owned).to_vec();
    out += &table(&std::iter::once(head).chain(rows).collect::<Vec<_>>());
    let mut assumed: Vec<String> = Vec::new();
    for opportunity in list.iter().filter(|opportunity| is_shown(opportunity)) {
        let assumptions = opportunity.known.assumptions();
        assumed.extend(assumptions.map(|assumption| format!("  assumed: {assumption}\n")));
    }
    assumed.sort();
    assumed.dedup();
    out + &assumed.concat()
}

fn is_shown(opportunity: &Opportunity) -> bool {
    !opportunity.why.is_empty() || opportunity.shape.is_err()
}

fn lines(accesses: &mut Accesses<'_>, opportunity: &Opportunity) -> String {
    let locations: Vec<_> =
        opportunity.accesses.iter().filter_map(|&at| accesses.list.get(at)?.location).collect();
    let metadata = &accesses.forms_mut(true).module.metadata;
    let mut lines: Vec<String> =
        locations.into_iter().filter_map(|at| Some(metadata.place(at)?.line.to_string())).collect();
    lines.dedup();
    lines.join(", ")
}

fn row(
    atoms: &Atoms,
    opportunity: &Opportunity,
    lines: String,
    block: Block,
    device: &Device,
) -> Vec<String> {
    let operations = format!("{} ({lines})", opportunity.name);
    match &opportunity.shape {
        Err(loose) => {
            let common: Vec<String> =
                AXES.into_iter().zip(&loose.common).map(|(axis, bytes)| format!("{axis}: {bytes}")).collect();
            let common = if common.is_empty() { "?".to_owned() } else { common.join(", ") };
            vec![operations, hull(atoms, loose), common, loose.why.to_string()]
        }
        Ok(shape) => {
            vec![
                operations,
                need(atoms, shape),
                overlap(atoms, shape),
                remark(atoms, opportunity, shape, block, device),
            ]
        }
    }
}

/// All bytes of a block: how many, or from where to where.
fn hull(atoms: &Atoms, loose: &Loose) -> String {
    let Some(Range::Between(lower, upper)) = &loose.hull else { return "?".into() };
    match (lower.single(), upper.single()) {
        (Some(first), Some(behind)) => format!("{} bytes", atoms.show(&(behind - first))),
        _ => {
            let (first, behind) =
                (show_bound(atoms, lower, Side::Lower), show_bound(atoms, upper, Side::Upper));
            format!("{behind} - {first} bytes")
        }
    }
}

fn need(atoms: &Atoms, shape: &Shape) -> String {
    let tile = &shape.tile;
    let extents: Vec<String> = tile.extents.iter().map(|extent| atoms.show(extent)).collect();
    let extents = if extents.is_empty() { "1".to_owned() } else { extents.join(" x ") };
    format!("{} bytes: {extents} of {}", atoms.show(&tile.bytes), tile.element)
}

fn overlap(atoms: &Atoms, shape: &Shape) -> String {
    let of = |(axis, common): (&str, &Common)| {
        let most = if common.is_most { "at most " } else { "" };
        match (common.is_all, common.bytes.is_zero()) {
            (true, _) => format!("{axis}: all"),
            (false, true) => format!("{axis}: none"),
            (false, false) => format!("{axis}: {most}{}", atoms.show(&common.bytes)),
        }
    };
    let parts: Vec<String> = AXES.into_iter().zip(&shape.common).map(of).collect();
    format!("{} of {}", parts.join(", "), atoms.show(&shape.of_thread))
}

fn remark(atoms: &Atoms, opportunity: &Opportunity, shape: &Shape, block: Block, device: &Device) -> String {
    let mut parts = Vec::new();
    if opportunity.why.contains(&Why::Uncoalesced) {
        parts.push("uncoalesced".to_owned());
    }
    if opportunity.accesses.len() > 1 {
        parts.push(format!("{} accesses grouped", opportunity.accesses.len()));
    }
    if shape.pattern.strides.len() > 1 {
        let rows = shape
            .pattern
            .width()
            .map_or_else(String::new, |width| format!(", rows of {}", atoms.show(&width)));
        parts.push(format!("{}-D{rows}{}", shape.pattern.strides.len(), directions(shape)));
    }
    match shape.tile.occupancy(block, device) {
        Some(Ok(found)) => {
            parts.push(format!(
                "{} blocks per multiprocessor, {} % of its warps",
                found.blocks,
                found.percent()
            ));
        }
        Some(Err(error)) => parts.push(error.to_string()),
        None => {}
    }
    parts.extend(conflicts(shape, block));
    parts.extend(shape.assumed.iter().map(|spare| format!("assumed: {} is not negative", atoms.show(spare))));
    parts.join("; ")
}

/// How many lanes wait for each other in banks, if any do, and what helps.
fn conflicts(shape: &Shape, block: Block) -> Option<String> {
    let (plain, padded) = (shape.passes(block, 0)?, shape.passes(block, 1)?);
    let help = match padding(|more| if more == 0 { plain } else { padded }) {
        0 => String::new(),
        more => format!(", {}-way if rows are padded by {more}", padded.ways()),
    };
    (plain.ways() > 1).then(|| format!("{}-way bank conflicts{help}", plain.ways()))
}

/// Which direction each axis moves along.
fn directions(shape: &Shape) -> String {
    let of = |(axis, step): (&str, &Option<Step>)| {
        let name = DIRECTIONS.get((*step)?.direction).copied().unwrap_or("more");
        Some(format!(", {axis} along {name}"))
    };
    AXES.into_iter().zip(&shape.pattern.axes).filter_map(of).collect()
}
