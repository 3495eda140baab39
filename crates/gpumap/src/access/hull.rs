//! Unions of sections by object: what is read, what may be written and what certainly is.
//!
//! The union of two sections is the least section that this representation has around both; bytes between them count too.
//! No access leaves its object: where the size of that is known, a section ends there. Where it is not, sections can be larger than what
//! is accessed, if conditions decide that the analyses do not follow: [`Hull::reach`] says whether.
//!
//! *Certainly* written (`certain`) is a section every byte of which is written whenever the loops around the stores run at least once.
//! Only what is certainly written need not be brought in before.
//!
//! Loads and stores are counted, calls that are not followed are not: [`Accesses::has_other_writes`] says whether there are any.

use num_bigint::BigInt;

use super::Known;
use super::certain::{Store, certain, loops_of_each_iteration};
use super::list::{Access, Accesses, Place, sections};
use crate::control::LoopId;
use crate::ir::instruction::Callee;
use crate::ir::module::Definition;
use crate::ir::{Operand, Operation};
use crate::memory::Object;
use crate::recurrence::{Forms, Reading};
use crate::symbolic::{Facts, Polynomial, Prover, Range, Side};

/// What is used of an object in one way.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Extent {
    /// Nothing.
    #[default]
    Nothing,
    /// Bytes from the start of the object, half open.
    Bytes(Range),
    /// Not known.
    Unknown,
}

/// Whether the ends of what is used of an object are accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// They are whenever the loops around run, or they are those of the object.
    Accessed,
    /// Conditions decide: the object may be smaller.
    Guarded,
    /// Conditions decide, and the section may begin before the object does.
    Before,
}

/// What is used of an object.
#[derive(Debug, Clone)]
pub struct Hull {
    /// The object.
    pub object: Object,
    /// What it is called in the source.
    pub name: String,
    /// What is read.
    pub reads: Extent,
    /// What may be written.
    pub writes: Extent,
    /// What certainly is written: the largest such section that was found.
    pub certain: Option<Range>,
    /// Whether the ends of all that are accessed.
    pub reach: Reach,
    /// How that is known.
    pub known: Known,
}

impl Accesses<'_> {
    /// What a loop uses in one entry of it, or the whole function, by object. Accesses of which not even the object is known
    /// are not among them: see [`Accesses::strays`].
    pub fn hulls(&mut self, within: Option<LoopId>) -> Vec<Hull> {
        let mut groups: Vec<(Polynomial, Vec<Access>)> = Vec::new();
        for access in self.list.clone() {
            let Some(object) = access.object().filter(|_| self.is_inside(&access, within)) else { continue };
            // Objects that start at one address are one, if that address is the same all the time.
            let Some(start) = self.forms_mut(true).start_of(object) else { continue };
            match groups.iter_mut().find(|group| group.0 == start) {
                Some(group) => group.1.push(access),
                None => groups.push((start, vec![access])),
            }
        }
        groups.iter().filter_map(|(_, accesses)| self.hull(accesses, within)).collect()
    }

    /// Accesses of a loop, or of the function, that may go to several objects.
    pub fn strays(&self, within: Option<LoopId>) -> impl Iterator<Item = &Access> {
        self.list.iter().filter(move |access| self.is_inside(access, within) && access.object().is_none())
    }

    fn is_inside(&self, access: &Access, within: Option<LoopId>) -> bool {
        within.is_none_or(|id| self.control().loops.contains(id, access.block))
    }

    fn hull(&mut self, of: &[Access], within: Option<LoopId>) -> Option<Hull> {
        let object = of.first()?.object()?;
        let is_assumed = of.iter().any(|access| access.known.is_assumed()) || !self.starts_as_one(of);
        let forms = self.forms_mut(is_assumed);
        let mut hull = Hull {
            object,
            name: forms.memory()?.names().object(object),
            reads: Extent::Nothing,
            writes: Extent::Nothing,
            certain: None,
            reach: Reach::Accessed,
            known: Known::Proved,
        };
        let (size, needed) = forms.tracked(|forms| size_of(forms, object));
        let mut size_premises = Some(needed);
        let mut premises = crate::recurrence::forms::Premises::new();
        // Those of the whole function are there already, if they are in the same terms.
        let is_done = |access: &Access| {
            access.is_left_out() || within.is_none() && is_assumed == access.known.is_assumed()
        };
        // What holds where all of them are made decides which of their ends is the outer one. Where they are made in different
        // places, one may be made and another one not.
        let block = of.first()?.block;
        let is_one_place = of.len() > 1 && of.iter().all(|access| access.block == block);
        let (facts, needed) =
            forms.tracked(
                |forms| {
                    if is_one_place { forms.facts_where_made(block, within) } else { Facts::none() }
                },
            );
        premises.extend(needed);
        let open: Vec<&Access> = of.iter().filter(|access| !is_done(access)).collect();
        let mut found = sections(forms, &open, within).into_iter();
        let mut stores = Vec::new();
        let (mut firm, mut loose) = (Extent::Nothing, Vec::new());
        for access in of {
            let (place, needed) = if is_done(access) {
                (access.section.clone(), access.premises.clone())
            } else {
                found.next()?
            };
            let object = access.object()?;
            let (_, start) = forms.tracked(|forms| forms.start_of(object));
            premises.extend(needed.into_iter().chain(start));
            let mut bytes = place.ok().zip(access.bytes).and_then(|(place, bytes)| touched(&place, bytes));
            match &size {
                Some(size) => {
                    bytes = bytes.map(|bytes| within_object(forms, &bytes, size));
                    premises.extend(size_premises.take().into_iter().flatten());
                }
                None if is_always_made(forms, access, object, within) => {
                    firm = united(forms, &firm, bytes.clone(), &facts);
                }
                None => {
                    let lower = match &bytes {
                        Some(Range::Between(lower, _)) => Some(lower),
                        _ => None,
                    };
                    let facts = forms.facts_where_made(access.block, within);
                    let prover = Prover::new(&forms.atoms, &facts);
                    let is_behind =
                        |clause: &Vec<Polynomial>| clause.iter().all(|end| prover.is_not_negative(end));
                    let is_safe = lower.is_none_or(|lower| lower.clauses().iter().any(is_behind));
                    loose.push((bytes.clone(), if is_safe { Reach::Guarded } else { Reach::Before }));
                }
            }
            let extent = if access.writes { &mut hull.writes } else { &mut hull.reads };
            *extent = united(forms, extent, bytes.clone(), &facts);
            if access.writes
                && !access.is_left_out()
                && let Some(bytes) = bytes
            {
                let (store, needed) = forms.tracked(|forms| Store::new(forms, access, object, within, bytes));
                premises.extend(store.is_some().then_some(needed).into_iter().flatten());
                stores.extend(store);
            }
        }
        // What is accessed anyway does not depend on conditions.
        let is_open = |bytes: &Option<Range>| {
            firm == Extent::Nothing || united(forms, &firm, bytes.clone(), &facts) != firm
        };
        let reaches = loose.iter().filter(|(bytes, _)| is_open(bytes)).map(|(_, reach)| *reach);
        hull.reach = reaches.max().unwrap_or(Reach::Accessed);
        hull.certain = certain(&stores);
        hull.known = forms.known(&premises);
        Some(hull)
    }

    /// Whether the objects of accesses provably start at one address.
    fn starts_as_one(&mut self, of: &[Access]) -> bool {
        let forms = self.forms_mut(false);
        let mut starts = of.iter().map(|access| forms.start_of(access.object()?));
        let Some(first) = starts.next() else { return true };
        starts.all(|start| start == first)
    }
}

/// The bytes of an object, if its size is known: that of a variable by its type, of what is allocated by the call.
fn size_of(forms: &mut Forms<'_>, object: Object) -> Option<Polynomial> {
    let module = forms.module;
    match object {
        Object::Global(symbol) => {
            let Definition::Global(place) = module.symbols[symbol.index()].definition else { return None };
            let size = module.layout.size(&module.types, module.globals[place].of)?;
            // Of an array without a length nothing is known.
            (size > 0).then(|| Polynomial::from(BigInt::from(size)))
        }
        Object::Local(value) => {
            let Operation::Allocate { element, count } = forms.definition(value)?.1.operation else {
                return None;
            };
            let size = Polynomial::from(BigInt::from(module.layout.size(&module.types, element)?));
            forms.of(count, Reading::Unsigned)?.times(&size)
        }
        Object::Heap(value) => {
            let Operation::Call { callee: Callee::Symbol(symbol), arguments, .. } =
                &forms.definition(value)?.1.operation
            else {
                return None;
            };
            let factors: &[Operand] = match (module.name(*symbol), arguments.as_slice()) {
                ("malloc", [_]) | ("calloc", [_, _]) => arguments,
                _ => return None,
            };
            let mut size = Polynomial::from(1);
            for &factor in factors {
                size = size.times(&forms.of(factor, Reading::Unsigned)?)?;
            }
            (!forms.mentions_opaque(&size)).then_some(size)
        }
        Object::Argument(_) | Object::Pointed(_) => None,
    }
}

/// What of a section lies in an object of so many bytes.
fn within_object(forms: &Forms<'_>, bytes: &Range, size: &Polynomial) -> Range {
    let Range::Between(lower, upper) = bytes else { return bytes.clone() };
    let facts = Facts::none();
    let prover = Prover::new(&forms.atoms, &facts);
    let lower = lower.and(&Polynomial::default().into()).pruned(Side::Lower, &prover);
    let upper = upper.and(&size.clone().into()).pruned(Side::Upper, &prover);
    Range::Between(lower, upper)
}

/// Whether an access is made in every iteration of the loops around it, at an address that follows from these iterations: then the ends
/// of its section are accessed whenever the loops run.
fn is_always_made(forms: &mut Forms<'_>, access: &Access, object: Object, within: Option<LoopId>) -> bool {
    let Some(around) = loops_of_each_iteration(forms, access.block, within) else { return false };
    for &id in &around {
        if !forms.trips(id).iter().any(|trips| trips.exact) {
            return false;
        }
    }
    let (Some(address), Some(start)) =
        (forms.of_at(access.block, access.address, Reading::Unsigned), forms.start_of(object))
    else {
        return false;
    };
    let mut offset = &address - &start;
    // Of something of which nothing is known, the ends of its range stand in the section, and it may have neither.
    if forms.mentions_opaque(&offset) {
        return false;
    }
    for &id in &around {
        let iteration = forms.iteration(id);
        if offset.degree_in(iteration) > 1 {
            return false;
        }
        offset = offset.with(iteration, &Polynomial::default()).unwrap_or(offset);
    }
    around.iter().all(|&id| forms.is_fixed(&offset, id))
}

/// All bytes of an access: from the least start to behind the last byte. `None` if an end is not known.
pub fn touched(place: &Place, bytes: u64) -> Option<Range> {
    let Range::Between(lower, upper) = &place.starts else { return Some(Range::Unreached) };
    if lower.is_none() || upper.is_none() {
        return None;
    }
    let size = Polynomial::from(num_bigint::BigInt::from(bytes));
    Some(Range::Between(lower.clone(), upper.map(|end| Some(end + &size))))
}

fn united(forms: &Forms<'_>, extent: &Extent, bytes: Option<Range>, facts: &Facts) -> Extent {
    let Some(bytes) = bytes else { return Extent::Unknown };
    match extent {
        Extent::Nothing => Extent::Bytes(bytes),
        Extent::Unknown => Extent::Unknown,
        Extent::Bytes(old) => {
            let prover = Prover::new(&forms.atoms, facts);
            match old.union(&bytes) {
                Range::Between(lower, upper) => {
                    let pruned = (lower.pruned(Side::Lower, &prover), upper.pruned(Side::Upper, &prover));
                    let is_lost = pruned.0.is_none() || pruned.1.is_none();
                    if is_lost { Extent::Unknown } else { Extent::Bytes(Range::Between(pruned.0, pruned.1)) }
                }
                Range::Unreached => Extent::Bytes(Range::Unreached),
            }
        }
    }
}
