//! What the analysis says of every access of a function, and why it says nothing where it does not.

use std::fmt;

use rustc_hash::FxHashSet;

use crate::control::obstacles::{Obstacle, obstacles};
use crate::control::{Control, LoopId, choices};
use crate::ir::{BlockId, Function, Instruction, Module, Operand, Operation, Value, ValueId};
use crate::recurrence::{Forms, Reading, Section};
use crate::symbolic::{Atom, AtomId, Atoms, Polynomial};

/// Whether an access reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// It reads.
    Load,
    /// It writes.
    Store,
}

impl fmt::Display for Kind {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Kind::Load => "load",
            Kind::Store => "store",
        })
    }
}

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
            Excess::Guarded => "made under a condition",
            Excess::LeftEarly => "in a loop with several exits",
            Excess::Triangular => "in a nest that is no box",
            Excess::Other => "ends of the iterations do not meet",
        })
    }
}

/// What is said of an access.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Its line in the text of the module.
    pub line: u32,
    /// Its place in the source.
    pub place: String,
    /// Its kind.
    pub kind: Kind,
    /// Bytes that it touches; `None` for a type without a size.
    pub bytes: Option<u64>,
    /// Where it starts.
    pub section: Result<Section, Unknown>,
    /// Whether the section is in terms of inputs, or of a value of which nothing is known before it is there.
    pub depends: Option<Unknown>,
    /// Why it may be too large.
    pub excess: Excess,
}

/// What an atom of a section is in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A value of the function.
    Value(ValueId, Reading),
    /// The address of a symbol of the module.
    Address(Box<str>),
}

/// What is said of a function.
#[derive(Debug)]
pub struct Claims {
    /// Atoms of all sections.
    pub atoms: Atoms,
    /// What they are.
    pub origins: Vec<(AtomId, Origin)>,
    /// Accesses in the order of the text.
    pub list: Vec<Claim>,
}

/// All claims about a function.
pub fn claims(module: &Module, function: &Function) -> Claims {
    let function = choices::branched(&module.types, function);
    let control = Control::new(&function);
    let mut forms = Forms::new(module, &function, &control);
    let left_out: Vec<(LoopId, Obstacle)> = control
        .loops
        .iter()
        .filter_map(|(id, _)| Some((id, obstacles(module, &function, &control, id).first()?.0)))
        .collect();
    let mut list = Vec::new();
    for block in function.block_ids() {
        for instruction in &function.block(block).instructions {
            let Some((kind, address, touched)) = access(&function, instruction) else { continue };
            let obstacle = left_out.iter().find(|(id, _)| control.loops.contains(*id, block));
            let section = match obstacle {
                Some(&(_, obstacle)) => Err(Unknown::Obstacle(obstacle)),
                None => section(&mut forms, block, address),
            };
            let depends = section.as_ref().ok().and_then(|section| dependence(&mut forms, section));
            let place = instruction.location.and_then(|location| module.metadata.place(location));
            let excess = excess(&mut forms, block);
            list.push(Claim {
                line: instruction.line,
                place: place.map_or("?".into(), |place| format!("{}:{}", place.line, place.column)),
                kind,
                bytes: module.layout.stored(&module.types, touched),
                section,
                depends,
                excess,
            });
        }
    }
    list.sort_by_key(|claim| claim.line);
    let origins = origins(&mut forms, &list);
    Claims { atoms: forms.atoms, origins, list }
}

/// How an instruction accesses memory: kind, address, and the type of what it touches.
fn access(function: &Function, instruction: &Instruction) -> Option<(Kind, Operand, crate::ir::TypeId)> {
    match &instruction.operation {
        Operation::Load { address, .. } => {
            Some((Kind::Load, *address, function.value(instruction.result?).of))
        }
        Operation::Store { value, address, .. } => Some((Kind::Store, *address, value.of)),
        _ => None,
    }
}

fn section(forms: &mut Forms<'_>, block: BlockId, address: Operand) -> Result<Section, Unknown> {
    let form = forms.of(address, Reading::Unsigned).ok_or(Unknown::Operation)?;
    forms.section(block, &form).ok_or_else(|| reason(forms, block, &form))
}

/// Why a form has no section.
fn reason(forms: &mut Forms<'_>, block: BlockId, form: &Polynomial) -> Unknown {
    for atom in forms.atoms.leaves(form) {
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
fn unresolved(forms: &Forms<'_>, atom: AtomId) -> Option<ValueId> {
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
                found.push(Unknown::Loaded);
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

/// What a section is made of beside inputs, results of calls and storage of the function.
fn dependence(forms: &mut Forms<'_>, section: &Section) -> Option<Unknown> {
    let leaves = [&section.lower, &section.upper].map(|end| forms.atoms.leaves(end)).concat();
    let nature = |atom: AtomId| match forms.atoms.get(atom) {
        Atom::Load { .. } => Some(Unknown::Loaded),
        _ => {
            let value = unresolved(forms, atom)?;
            nature(forms, value)
        }
    };
    leaves.into_iter().filter_map(nature).min()
}

/// Why the section of an access in a block may be too large.
fn excess(forms: &mut Forms<'_>, block: BlockId) -> Excess {
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
    if dominating.into_iter().any(is_choice) {
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

/// What the atoms of all sections are in a run.
fn origins(forms: &mut Forms<'_>, list: &[Claim]) -> Vec<(AtomId, Origin)> {
    let mut parameters = Vec::new();
    for parameter in &forms.function.parameters {
        for reading in [Reading::Signed, Reading::Unsigned] {
            if forms.bits(forms.function.value(parameter.value).of).is_some() {
                let form = forms.of_value(parameter.value, reading);
                let origin = Origin::Value(parameter.value, reading);
                parameters.extend(form.atoms().into_iter().map(|atom| (atom, origin.clone())));
            }
        }
    }
    let sections = list.iter().filter_map(|claim| claim.section.as_ref().ok());
    let mut leaves: Vec<AtomId> = sections
        .flat_map(|section| [&section.lower, &section.upper])
        .flat_map(|end| forms.atoms.leaves(end))
        .collect();
    leaves.sort_unstable();
    leaves.dedup();
    let origin = |atom: AtomId| match forms.atoms.get(atom) {
        Atom::Opaque(code) => {
            let reading = if code % 2 == 0 { Reading::Signed } else { Reading::Unsigned };
            Some((atom, Origin::Value(unresolved(forms, atom)?, reading)))
        }
        Atom::Symbol(name) => match parameters.iter().find(|parameter| parameter.0 == atom) {
            Some(parameter) => Some(parameter.clone()),
            None => Some((atom, Origin::Address(name.strip_prefix('&')?.into()))),
        },
        _ => None,
    };
    leaves.into_iter().filter_map(origin).collect()
}
