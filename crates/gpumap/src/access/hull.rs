//! Unions of sections by object: what is read, what may be written and what certainly is.
//!
//! The union of two sections is the least section that this representation has around both; bytes between them count too.
//! *Certainly* written (`certain`) is a section every byte of which is written whenever the loops around the stores run at least once.
//! Only what is certainly written need not be brought in before.
//!
//! Loads and stores are counted, calls that are not followed are not: [`Accesses::has_other_writes`] says whether there are any.

use super::Known;
use super::certain::{Store, certain};
use super::list::{Access, Accesses, Place, sections};
use crate::control::LoopId;
use crate::memory::Object;
use crate::recurrence::Forms;
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
            known: Known::Proved,
        };
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
        for access in of {
            let (place, needed) = if is_done(access) {
                (access.section.clone(), access.premises.clone())
            } else {
                found.next()?
            };
            let object = access.object()?;
            let (_, start) = forms.tracked(|forms| forms.start_of(object));
            premises.extend(needed.into_iter().chain(start));
            let bytes = place.ok().zip(access.bytes).and_then(|(place, bytes)| touched(&place, bytes));
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
