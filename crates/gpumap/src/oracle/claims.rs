//! What the analysis says of every access of a function, and why it says nothing where it does not.

use std::fmt;

use rustc_hash::FxHashMap;

use super::reasons::{Excess, Unknown, dependence, excess, reason, unresolved};

use crate::access::{self, Access, Accesses};
use crate::calls::{Cone, LENGTH, Site};
use crate::control::Control;
use crate::ir::{Function, Instruction, Module, Operation, ValueId};
use crate::memory::Object;
use crate::memory::effects::Summaries;
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

/// What is said of an access.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Its line in the text of the module.
    pub line: u32,
    /// The calls that lead to it.
    pub string: Vec<Site>,
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

impl Terms {
    /// Whether it is known what all atoms of a section are.
    fn has_all(&self, claim: &Claim) -> bool {
        let is_known = |atom: AtomId| self.origins.iter().any(|origin| origin.0 == atom);
        claim.section.as_ref().map_or(true, |section| leaves(&self.atoms, section).into_iter().all(is_known))
    }
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

/// All claims about a function by itself.
pub fn claims(module: &Module, function: &Function) -> Claims {
    claims_of(module, &Cone::new(module, function, 0), function.values.len())
}

/// All claims about the functions that stand in place of a function's calls that are in terms of the function's own values: others
/// are not noted.
pub fn claims_behind_calls(module: &Module, function: &Function) -> Claims {
    let cone = Cone::new(module, function, LENGTH);
    let mut claims = claims_of(module, &cone, function.values.len());
    let mut list = std::mem::take(&mut claims.list);
    list.retain(|claim| !claim.string.is_empty() && claims.terms(claim).has_all(claim));
    claims.list = list;
    claims
}

/// The claims about a cone; values from `own` on are not the function's.
fn claims_of(module: &Module, cone: &Cone, own: usize) -> Claims {
    let function = &cone.function;
    let control = Control::new(function);
    let mut accesses = Accesses::new(module, function, &control, &mut Summaries::default());
    // The compiler's callbacks stand before loads and stores alone.
    let list: Vec<Access> =
        accesses.list.iter().filter(|access| access.is_single(function)).cloned().collect();
    let described = |access| claim(module, cone, &mut accesses, access);
    let mut list: Vec<Claim> = list.iter().filter_map(described).collect();
    list.sort_by_key(|claim| claim.line);
    let of = |is_assumed| list.iter().filter(move |claim| claim.is_assumed == is_assumed);
    let (proved, assumed) = accesses.into_forms();
    let proved = terms(proved, own, of(false));
    Claims { proved, assumed: assumed.map(|forms| terms(forms, own, of(true))), list }
}

fn claim(module: &Module, cone: &Cone, accesses: &mut Accesses<'_>, access: &Access) -> Option<Claim> {
    let line = cone.function.block(access.block).instructions.get(access.place)?.line;
    let place = access.location.and_then(|location| module.metadata.place(location));
    let is_assumed = access.known.is_assumed();
    let mut claim = Claim {
        line,
        string: cone.string(access.block).to_vec(),
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

/// What the atoms of sections are in a run: values before `own`, which are the function's.
fn terms<'a>(mut forms: Forms<'_>, own: usize, list: impl Iterator<Item = &'a Claim>) -> Terms {
    let named = named(&mut forms, own);
    let sections = list.filter_map(|claim| claim.section.as_ref().ok());
    let mut all: Vec<AtomId> = sections.flat_map(|section| leaves(&forms.atoms, section)).collect();
    all.sort_unstable();
    all.dedup();
    let origin = |atom: AtomId| match forms.atoms.get(atom) {
        Atom::Opaque(code) => {
            let reading = if code % 2 == 0 { Reading::Signed } else { Reading::Unsigned };
            let value = unresolved(&forms, atom).filter(|value| value.index() < own)?;
            Some((atom, Origin::Values(vec![value], reading)))
        }
        Atom::Symbol(name) if !named.contains_key(&atom) => {
            Some((atom, Origin::Address(name.strip_prefix('&')?.into())))
        }
        _ => named.get(&atom).map(|(values, reading)| (atom, Origin::Values(values.clone(), *reading))),
    };
    let origins = all.into_iter().filter_map(origin).collect();
    Terms { atoms: forms.atoms, origins }
}

/// The atoms that parameters are, and what loads of the function itself give.
fn named(forms: &mut Forms<'_>, own: usize) -> FxHashMap<AtomId, (Vec<ValueId>, Reading)> {
    let function = forms.function;
    let parameters = function.parameters.iter().map(|parameter| parameter.value);
    let is_load = |i: &&Instruction| matches!(i.operation, Operation::Load { .. });
    let loads = function.blocks.iter().flat_map(|block| &block.instructions).filter(is_load);
    let mut named: FxHashMap<AtomId, (Vec<ValueId>, Reading)> = FxHashMap::default();
    let results = loads.filter_map(|load| load.result).filter(|result| result.index() < own);
    for value in parameters.chain(results) {
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
