//! How often loops went on in a run, as equations.
//!
//! A loop has an equation if its number of iterations was the same in every entry, if it has an expression in the terms of inputs,
//! and if the compiler left the loop as it is written. The latter shows in its accesses: a line of a loop that was unrolled, put
//! together with others, or made one of vectors has more of them than are written, or others advance by more bytes. A loop without
//! an access that could show it has no equation.

use std::fmt;

use num_traits::ToPrimitive;

use crate::access::{Access, Accesses};
use crate::control::{Control, LoopId};
use crate::ir::Module;
use crate::memory::Assumption;
use crate::offload::observed::{Executed, Loop, Observed};
use crate::recurrence::{Forms, Reading};
use crate::symbolic::Polynomial;

/// An equation: one of some forms is a number.
#[derive(Debug, Clone)]
pub struct Equation {
    /// The loop.
    pub id: LoopId,
    /// The line on which it begins.
    pub line: u32,
    /// How often it went on.
    pub count: u64,
    /// How often it does: one form for each way on which it comes about.
    pub ways: Vec<Polynomial>,
}

/// What a run showed of a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// The line on which it begins.
    pub line: u32,
    /// Least and greatest number of iterations of an entry, where known.
    pub trips: Option<(u64, u64)>,
    /// How often it goes on, in terms of inputs.
    pub form: Option<String>,
    /// Why it has no equation.
    pub unused: Option<Unused>,
    /// What its form rests on.
    pub assumptions: Vec<Assumption>,
}

/// Why a loop that ran has no equation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unused {
    /// Its iterations were not counted entry by entry.
    NotCounted,
    /// Entries had different numbers of iterations.
    Varies,
    /// The compiler made several loops of it.
    Pieces(usize),
    /// Accesses of this line are not those that are written.
    Changed(u32),
    /// No access shows whether the compiler left it as it is.
    Unconfirmed,
    /// The number of its iterations is no expression in inputs.
    NoForm,
}

impl fmt::Display for Unused {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unused::NotCounted => to.write_str("its iterations were not counted entry by entry"),
            Unused::Varies => to.write_str("entries differ"),
            Unused::Pieces(count) => write!(to, "the compiler made {count} loops of it"),
            Unused::Changed(line) => {
                write!(to, "the compiler changed it, as accesses of line {line} show")
            }
            Unused::Unconfirmed => {
                to.write_str("none of its accesses shows whether the compiler left it as it is written")
            }
            Unused::NoForm => to.write_str("how often it goes on is no expression in inputs"),
        }
    }
}

/// What a run showed of the loops of a function, and the equations of those that have one.
pub fn equations(
    module: &Module,
    control: &Control,
    accesses: &mut Accesses<'_>,
    observed: &Observed,
) -> (Vec<Counted>, Vec<Equation>) {
    let (mut counted, mut equations): (Vec<Counted>, Vec<Equation>) = (Vec::new(), Vec::new());
    for (id, found) in control.loops.iter() {
        let Some((place, _)) = found.places(module) else { continue };
        let until = control.next_on_line(module, place);
        let seen: Vec<&Loop> = observed.at(place, until).collect();
        if seen.is_empty() {
            continue;
        }
        let trips = seen.iter().map(|seen| seen.trips).reduce(joined).flatten();
        let (ways, premises) = {
            let forms = accesses.assumed_mut();
            let (ways, premises) = forms.tracked(|forms| ways(forms, id));
            (ways, forms.assumptions(&premises))
        };
        let unused = trouble(module, control, accesses, id, &seen, trips, &ways);
        if let (None, Some((count, _))) = (unused, trips) {
            equations.push(Equation { id, line: place.line, count, ways: ways.clone() });
        }
        let atoms = &accesses.assumed_mut().atoms;
        let form = (!ways.is_empty()).then(|| {
            let ways: Vec<String> = ways.iter().map(|way| atoms.show(way)).collect();
            ways.join(" or ")
        });
        let entry = Counted { line: place.line, trips, form, unused, assumptions: premises };
        // One loop may stand in place of several calls.
        if !counted.contains(&entry) {
            counted.push(entry);
        }
    }
    (counted, equations)
}

fn joined(a: Option<(u64, u64)>, b: Option<(u64, u64)>) -> Option<(u64, u64)> {
    let (a, b) = (a?, b?);
    Some((a.0.min(b.0), a.1.max(b.1)))
}

/// Why a loop has no equation, if it has none.
fn trouble(
    module: &Module,
    control: &Control,
    accesses: &mut Accesses<'_>,
    id: LoopId,
    seen: &[&Loop],
    trips: Option<(u64, u64)>,
    ways: &[Polynomial],
) -> Option<Unused> {
    if let Some(pieces) = seen.iter().map(|seen| seen.pieces).find(|&pieces| pieces != 1) {
        return Some(Unused::Pieces(pieces));
    }
    match trips {
        None => return Some(Unused::NotCounted),
        Some((least, most)) if least != most => return Some(Unused::Varies),
        Some(_) => {}
    }
    if ways.is_empty() {
        return Some(Unused::NoForm);
    }
    let written = written(module, control, accesses, id);
    let changed = seen.iter().find_map(|seen| changed(&seen.executed, &written));
    let is_shown = seen.iter().all(|seen| seen.executed.iter().any(|executed| is_of(&written, executed)));
    changed.map(Unused::Changed).or((!is_shown).then_some(Unused::Unconfirmed))
}

/// How often a loop goes on, in terms of inputs: a form for each way; none if that is not known.
fn ways(forms: &mut Forms<'_>, id: LoopId) -> Vec<Polynomial> {
    let trips = forms.trips(id);
    let Some(exact) = trips.iter().find(|trips| trips.exact) else { return Vec::new() };
    let ways = forms.alternatives(&exact.count);
    if ways.iter().all(|way| forms.has_no_iterations(way)) { ways } else { Vec::new() }
}

/// An access that is written in a loop, whose address changes there.
struct Written {
    line: u32,
    writes: bool,
    /// Bytes from one iteration to the next, if that is a number.
    stride: Option<i64>,
}

fn written(module: &Module, control: &Control, accesses: &mut Accesses<'_>, id: LoopId) -> Vec<Written> {
    let is_inside = |access: &&Access| control.loops.contains(id, access.block);
    let inside: Vec<Access> = accesses.list.iter().filter(is_inside).cloned().collect();
    let forms = accesses.assumed_mut();
    let iteration = forms.iteration(id);
    let described = inside.iter().filter_map(|access| {
        let line = module.metadata.place(access.location?)?.line;
        let form = forms.of_at(access.block, access.address, Reading::Unsigned)?;
        if forms.is_fixed(&form, id) {
            return None;
        }
        // What changes by other means than the iteration itself has no stride that is known.
        let rest = form.coefficient(iteration, 0);
        let change = form.difference(iteration).filter(|_| forms.is_uniform(&rest, id));
        let stride = change.and_then(|change| change.integer()?.to_i64());
        Some(Written { line, writes: access.writes, stride })
    });
    described.collect()
}

fn is_of(written: &[Written], executed: &Executed) -> bool {
    written.iter().any(|written| (written.line, written.writes) == (executed.line, executed.writes))
}

/// A line whose accesses are others than those that are written.
fn changed(executed: &[Executed], written: &[Written]) -> Option<u32> {
    executed.iter().filter(|one| is_of(written, one)).find_map(|one| {
        let is_like = |line: u32, writes: bool| (line, writes) == (one.line, one.writes);
        let ran = executed.iter().filter(|other| is_like(other.line, other.writes)).count();
        let own: Vec<&Written> = written.iter().filter(|own| is_like(own.line, own.writes)).collect();
        let is_advance = |stride: i64| {
            own.iter().any(|own| own.stride.is_none_or(|own| own.unsigned_abs() == stride.unsigned_abs()))
        };
        let is_other = one.stride.is_some_and(|stride| !is_advance(stride));
        (ran > own.len() || is_other).then_some(one.line)
    })
}
