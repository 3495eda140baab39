//! Why an access has no section, or one that may be too large.

use std::fmt;

use rustc_hash::FxHashSet;

use super::claims::{ends, leaves};
use crate::access::Access;
use crate::control::{LoopId, Obstacle};
use crate::ir::{BlockId, Operand, Operation, Value, ValueId};
use crate::ranges::transfer::{self, NARROW};
use crate::recurrence::{Forms, Reading};
use crate::symbolic::{Atom, AtomId, Polynomial, Range};

/// Why an access has no section in terms of inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unknown {
    /// A loop around it is not analysed.
    Obstacle(Obstacle),
    /// Its address is made of a value from memory.
    Loaded,
    /// Its address is made of a value that a call in the loop gives.
    Called,
    /// Its address is made of a value that changes from iteration to iteration without a closed form.
    Recursion,
    /// Its address is made of a value that differs between ways through the loop.
    Merged,
    /// Its address is made by an operation that may wrap, or that has no form.
    Operation,
    /// A loop around it runs an unknown number of times.
    Iterations,
    /// In which iteration the address is least, or greatest, is not proved.
    Direction,
}

impl fmt::Display for Unknown {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Unknown::Obstacle(obstacle) => return write!(to, "its loop is not analysed: {obstacle}"),
            Unknown::Loaded => "address made of a value from memory",
            Unknown::Called => "address made of what a call in the loop gives",
            Unknown::Recursion => "address made of a recursion without closed form",
            Unknown::Merged => "address made of values of several ways",
            Unknown::Operation => "address made by an operation that may wrap or has no form",
            Unknown::Iterations => "number of iterations not known",
            Unknown::Direction => "end not proved to be least or greatest",
        })
    }
}

/// Why a section may hold more than a run touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Excess {
    /// Its address is made of a value that changes, of which the type alone says where it lies.
    Type,
    /// A branch inside the loop decides whether the access is made.
    Guarded,
    /// A loop around it can be left in several ways.
    LeftEarly,
    /// A loop around it runs a number of times that depends on an outer iteration.
    Triangular,
    /// None of these.
    Other,
}

impl fmt::Display for Excess {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Excess::Type => "limits of a type",
            Excess::Guarded => "made under a condition",
            Excess::LeftEarly => "in a loop with several exits",
            Excess::Triangular => "in a nest that is no box",
            Excess::Other => "ends of the iterations do not meet",
        })
    }
}

/// Why a form has no section.
pub(super) fn reason(forms: &mut Forms<'_>, block: BlockId, form: &Polynomial) -> Unknown {
    for atom in forms.atoms.leaves(form) {
        if matches!(forms.atoms.get(atom), Atom::Load { .. }) && !forms.is_settled(&atom.into(), None) {
            return Unknown::Loaded;
        }
        let Some(value) = unresolved(forms, atom) else { continue };
        let is_inside = |(at, _): (BlockId, _)| forms.control.loops.innermost(at).is_some();
        if forms.definition(value).is_some_and(is_inside) {
            return nature(forms, value).unwrap_or(Unknown::Operation);
        }
    }
    let around: Vec<LoopId> = forms.control.loops.around(block).collect();
    for id in around {
        let iteration = forms.iteration(id);
        if forms.atoms.involves(form, iteration) && forms.trips(id).is_empty() {
            return Unknown::Iterations;
        }
    }
    Unknown::Direction
}

/// The value that an atom stands for, if nothing else is known of it.
pub(super) fn unresolved(forms: &Forms<'_>, atom: AtomId) -> Option<ValueId> {
    // The number of the value, twice, and one for the unsigned reading.
    match forms.atoms.get(atom) {
        Atom::Opaque(code) => Some(ValueId::new(*code as usize / 2)),
        _ => None,
    }
}

/// What makes a value one of which nothing is known; `None` where it is made of inputs, results of calls before loops, and
/// storage of the function alone.
fn nature(forms: &mut Forms<'_>, value: ValueId) -> Option<Unknown> {
    let (mut seen, mut open) = (FxHashSet::default(), vec![value]);
    let mut found = Vec::new();
    while let Some(value) = open.pop() {
        let Some((block, instruction)) = forms.definition(value).filter(|_| seen.insert(value)) else {
            continue;
        };
        let is_in_loop = forms.control.loops.innermost(block).is_some();
        let operands: Vec<Operand> = match &instruction.operation {
            Operation::Load { .. } => {
                found.extend((!is_known(forms, value)).then_some(Unknown::Loaded));
                Vec::new()
            }
            Operation::Call { .. } => {
                found.extend(is_in_loop.then_some(Unknown::Called));
                Vec::new()
            }
            Operation::Phi(_) if is_in_loop && is_known(forms, value) => Vec::new(),
            Operation::Phi(inputs) => {
                let is_header = forms.control.loops.headed_by(block).is_some();
                let reason = if is_header { Unknown::Recursion } else { Unknown::Merged };
                found.extend(is_in_loop.then_some(reason));
                inputs.iter().map(|input| input.0).collect()
            }
            Operation::Binary(_, _, left, right) => vec![*left, *right],
            Operation::Convert(_, _, operand) | Operation::Freeze(operand) => vec![*operand],
            Operation::Element { base, indices, .. } => [&[*base], indices.as_slice()].concat(),
            _ => Vec::new(),
        };
        open.extend(operands.iter().filter_map(|operand| match operand.value {
            Value::Local(value) => Some(value),
            Value::Constant(_) => None,
        }));
    }
    found.into_iter().min()
}

/// Whether a value has a form in one of both readings.
fn is_known(forms: &mut Forms<'_>, value: ValueId) -> bool {
    [Reading::Signed, Reading::Unsigned].into_iter().any(|reading| {
        let form = forms.of_value(value, reading);
        !forms.atoms.leaves(&form).into_iter().any(|atom| unresolved(forms, atom) == Some(value))
    })
}

/// Why a section is not one in terms of inputs, contents of memory that stay the same, results of calls and storage of the
/// function, with two ends.
pub(super) fn dependence(forms: &mut Forms<'_>, access: &Access, section: &Range) -> Option<Unknown> {
    if ends(section).iter().any(|end| end.is_none()) {
        let form = forms.of(access.address, Reading::Unsigned);
        return Some(form.map_or(Unknown::Operation, |form| reason(forms, access.block, &form)));
    }
    let leaves = leaves(&forms.atoms, section);
    let nature = |atom: AtomId| unresolved(forms, atom).and_then(|value| nature(forms, value));
    leaves.into_iter().filter_map(nature).min()
}

/// Why the section of an access may be too large.
pub(super) fn excess(forms: &mut Forms<'_>, access: &Access) -> Excess {
    let block = access.block;
    let loops: Vec<LoopId> = forms.control.loops.around(block).collect();
    let dominators = &forms.control.dominators;
    let dominating = std::iter::successors(dominators.immediate(block), |&at| dominators.immediate(at));
    let is_choice = |at: BlockId| {
        let targets = &forms.control.successors[at.index()];
        let is_exit = |id: LoopId| targets.iter().any(|&to| !forms.control.loops.contains(id, to));
        // A branch that no way from the access goes around, and that is no test of a loop.
        targets.len() > 1
            && !forms.control.loops.around(at).any(is_exit)
            && targets.iter().any(|&to| dominators.dominates(to, block))
    };
    let is_guarded = dominating.into_iter().any(is_choice);
    if is_bound_by_type(forms, access) {
        return Excess::Type;
    }
    if is_guarded {
        return Excess::Guarded;
    }
    if loops.iter().any(|&id| forms.control.loops.get(id).exits.len() > 1) {
        return Excess::LeftEarly;
    }
    let iterations: Vec<AtomId> = loops.iter().map(|&id| forms.iteration(id)).collect();
    let depends = loops.iter().any(|&id| {
        let trips = forms.trips(id);
        trips.iter().any(|trip| iterations.iter().any(|&atom| forms.atoms.involves(&trip.count, atom)))
    });
    if depends { Excess::Triangular } else { Excess::Other }
}

/// Whether a value of a narrow type that changes in a loop, and has no form, is in an address.
fn is_bound_by_type(forms: &mut Forms<'_>, access: &Access) -> bool {
    let (mut seen, mut open) = (FxHashSet::default(), vec![access.address]);
    while let Some(operand) = open.pop() {
        let Value::Local(value) = operand.value else { continue };
        let Some((_, instruction)) = forms.definition(value).filter(|_| seen.insert(value)) else { continue };
        let is_source = transfer::used(forms.module, instruction, Reading::Signed).is_empty();
        let is_narrow = forms.module.types.integer_bits(operand.of).is_some_and(|bits| bits <= NARROW);
        let form = forms.of_value(value, Reading::Signed);
        if is_source && is_narrow && !forms.is_settled(&form, None) {
            return true;
        }
        open.extend(transfer::used(forms.module, instruction, Reading::Signed).into_iter().map(|of| of.0));
    }
    false
}
