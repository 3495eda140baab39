//! What the analysis says of every access of a function, and why it says nothing where it does not.

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::access::{self, Access, Accesses};
use crate::control::{Control, LoopId, Obstacle, choices};
use crate::ir::{BlockId, Function, Instruction, Module, Operand, Operation, Value, ValueId};
use crate::memory::Object;
use crate::memory::effects::Summaries;
use crate::ranges::transfer::{self, NARROW};
use crate::recurrence::{Forms, Reading};
use crate::symbolic::{Atom, AtomId, Atoms, Bound, Polynomial, Range};

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
    /// The addresses at which it starts, or bytes from `base`; one end may be missing.
    pub section: Result<Range, Unknown>,
    /// The value that the section is relative to: the start of an object that is another one at different times.
    pub base: Option<ValueId>,
    /// Whether the section rests on assumptions.
    pub is_assumed: bool,
    /// Why the section is not one in terms of inputs, or has one end only.
    pub depends: Option<Unknown>,
    /// Why it may be too large.
    pub excess: Excess,
}

/// What an atom of a section is in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A value of the function; or several that are the same, of loads from one address.
    Values(Vec<ValueId>, Reading),
    /// The address of a symbol of the module.
    Address(Box<str>),
}

/// Atoms of sections.
#[derive(Debug)]
pub struct Terms {
    /// The atoms.
    pub atoms: Atoms,
    /// What they are.
    pub origins: Vec<(AtomId, Origin)>,
}

/// What is said of a function.
#[derive(Debug)]
pub struct Claims {
    /// Atoms of sections that are proved.
    proved: Terms,
    /// Atoms of those that rest on assumptions.
    assumed: Option<Terms>,
    /// Accesses in the order of the text.
    pub list: Vec<Claim>,
}

impl Claims {
    /// The terms in which a claim is made.
    pub fn terms(&self, claim: &Claim) -> &Terms {
        self.assumed.as_ref().filter(|_| claim.is_assumed).unwrap_or(&self.proved)
    }

    /// What all atoms are.
    pub fn origins(&self) -> impl Iterator<Item = &Origin> {
        let all = std::iter::once(&self.proved).chain(&self.assumed);
        all.flat_map(|terms| &terms.origins).map(|(_, origin)| origin)
    }
}

/// All claims about a function.
pub fn claims(module: &Module, function: &Function) -> Claims {
    let function = choices::branched(module, function);
    let control = Control::new(&function);
    let mut accesses = Accesses::new(module, &function, &control, &mut Summaries::default());
    let list = accesses.list.clone();
    let mut list: Vec<Claim> =
        list.iter().filter_map(|access| claim(module, &function, &mut accesses, access)).collect();
    list.sort_by_key(|claim| claim.line);
    let of = |is_assumed| list.iter().filter(move |claim| claim.is_assumed == is_assumed);
    let (proved, assumed) = accesses.into_forms();
    Claims { proved: terms(proved, of(false)), assumed: assumed.map(|forms| terms(forms, of(true))), list }
}

fn claim(
    module: &Module,
    function: &Function,
    accesses: &mut Accesses<'_>,
    access: &Access,
) -> Option<Claim> {
    let line = function.block(access.block).instructions.get(access.place)?.line;
    let place = access.location.and_then(|location| module.metadata.place(location));
    let is_assumed = access.known.is_assumed();
    let mut claim = Claim {
        line,
        place: place.map_or("?".into(), |place| format!("{}:{}", place.line, place.column)),
        kind: if access.writes { Kind::Store } else { Kind::Load },
        bytes: access.bytes,
        section: Err(Unknown::Operation),
        base: None,
        is_assumed,
        depends: None,
        excess: excess(accesses.forms_mut(false), access),
    };
    let forms = accesses.forms_mut(is_assumed);
    match section_of(forms, access) {
        Some((section, base)) => (claim.section, claim.base) = (Ok(section), base),
        None => {
            claim.is_assumed = false;
            claim.section = closed_section(accesses.forms_mut(false), access);
        }
    }
    let forms = accesses.forms_mut(claim.is_assumed);
    claim.depends = claim.section.as_ref().ok().and_then(|section| dependence(forms, access, section));
    Some(claim)
}

/// The addresses at which an access starts, if the object's start is the same all the time; otherwise bytes from the start, and
/// the value that this is.
fn section_of(forms: &mut Forms<'_>, access: &Access) -> Option<(Range, Option<ValueId>)> {
    let place = access.section.as_ref().ok()?;
    let start = forms.start_of(place.object)?;
    if forms.is_settled(&start, None) {
        return Some((place.starts.plus(&start.into()), None));
    }
    match place.object {
        Object::Local(base) | Object::Heap(base) | Object::Pointed(base) if place.starts.is_bounded() => {
            Some((place.starts.clone(), Some(base)))
        }
        _ => None,
    }
}

/// The same by the form of the address alone, whatever it is the address of.
fn closed_section(forms: &mut Forms<'_>, access: &Access) -> Result<Range, Unknown> {
    if let Err(access::Unknown::Obstacle(obstacle)) = access.section {
        return Err(Unknown::Obstacle(obstacle));
    }
    let form = forms.of_at(access.block, access.address, Reading::Unsigned).ok_or(Unknown::Operation)?;
    forms.section(access.block, &form).ok_or_else(|| reason(forms, access.block, &form))
}

/// Why a form has no section.
fn reason(forms: &mut Forms<'_>, block: BlockId, form: &Polynomial) -> Unknown {
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
fn dependence(forms: &mut Forms<'_>, access: &Access, section: &Range) -> Option<Unknown> {
    if ends(section).iter().any(|end| end.is_none()) {
        let form = forms.of(access.address, Reading::Unsigned);
        return Some(form.map_or(Unknown::Operation, |form| reason(forms, access.block, &form)));
    }
    let leaves = leaves(&forms.atoms, section);
    let nature = |atom: AtomId| unresolved(forms, atom).and_then(|value| nature(forms, value));
    leaves.into_iter().filter_map(nature).min()
}

/// The ends of a section.
pub fn ends(section: &Range) -> Vec<&Bound> {
    match section {
        Range::Unreached => Vec::new(),
        Range::Between(lower, upper) => vec![lower, upper],
    }
}

/// The atoms of a section that are not made of others.
pub fn leaves(atoms: &Atoms, section: &Range) -> Vec<AtomId> {
    let ends = ends(section).into_iter().flat_map(Bound::clauses).flatten();
    ends.flat_map(|end| atoms.leaves(end)).collect()
}

/// Why the section of an access may be too large.
fn excess(forms: &mut Forms<'_>, access: &Access) -> Excess {
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

/// What the atoms of sections are in a run.
fn terms<'a>(mut forms: Forms<'_>, list: impl Iterator<Item = &'a Claim>) -> Terms {
    let named = named(&mut forms);
    let sections = list.filter_map(|claim| claim.section.as_ref().ok());
    let mut all: Vec<AtomId> = sections.flat_map(|section| leaves(&forms.atoms, section)).collect();
    all.sort_unstable();
    all.dedup();
    let origin = |atom: AtomId| match forms.atoms.get(atom) {
        Atom::Opaque(code) => {
            let reading = if code % 2 == 0 { Reading::Signed } else { Reading::Unsigned };
            Some((atom, Origin::Values(vec![unresolved(&forms, atom)?], reading)))
        }
        Atom::Symbol(name) if !named.contains_key(&atom) => {
            Some((atom, Origin::Address(name.strip_prefix('&')?.into())))
        }
        _ => named.get(&atom).map(|(values, reading)| (atom, Origin::Values(values.clone(), *reading))),
    };
    let origins = all.into_iter().filter_map(origin).collect();
    Terms { atoms: forms.atoms, origins }
}

/// The atoms that parameters are, and what loads give.
fn named(forms: &mut Forms<'_>) -> FxHashMap<AtomId, (Vec<ValueId>, Reading)> {
    let function = forms.function;
    let parameters = function.parameters.iter().map(|parameter| parameter.value);
    let is_load = |i: &&Instruction| matches!(i.operation, Operation::Load { .. });
    let loads = function.blocks.iter().flat_map(|block| &block.instructions).filter(is_load);
    let mut named: FxHashMap<AtomId, (Vec<ValueId>, Reading)> = FxHashMap::default();
    for value in parameters.chain(loads.filter_map(|load| load.result)) {
        if forms.bits(function.value(value).of).is_none() {
            continue;
        }
        for reading in [Reading::Signed, Reading::Unsigned] {
            let form = forms.of_value(value, reading);
            let &[atom] = form.atoms().as_slice() else { continue };
            if form == Polynomial::from(atom) && unresolved(forms, atom).is_none() {
                named.entry(atom).or_insert_with(|| (Vec::new(), reading)).0.push(value);
            }
        }
    }
    named
}
