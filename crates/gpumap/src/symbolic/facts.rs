//! What is known at a point of the program: ranges of atoms, and polynomials that are not negative.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::rc::Rc;

use rustc_hash::FxBuildHasher;

use super::{AtomId, Bound, Polynomial, Range};

/// Most polynomials that are kept as not negative.
const KEPT: usize = 24;

/// What is known. Copies share their content until one of them changes, and remember its hash: proofs are looked up by it.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    content: Rc<Content>,
    hash: OnceCell<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct Content {
    ranges: BTreeMap<AtomId, (Bound, Bound)>,
    not_negative: Vec<Polynomial>,
}

impl PartialEq for Facts {
    fn eq(&self, other: &Facts) -> bool {
        Rc::ptr_eq(&self.content, &other.content) || self.content == other.content
    }
}

impl Eq for Facts {}

impl Hash for Facts {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let of_content = || FxBuildHasher.hash_one(&*self.content);
        state.write_u64(*self.hash.get_or_init(of_content));
    }
}

impl Facts {
    /// Nothing.
    pub fn none() -> Facts {
        Facts::default()
    }

    fn content_mut(&mut self) -> &mut Content {
        self.hash.take();
        Rc::make_mut(&mut self.content)
    }

    /// The bounds of an atom.
    pub fn bounds(&self, atom: AtomId) -> Option<&(Bound, Bound)> {
        self.content.ranges.get(&atom)
    }

    /// Polynomials that are not negative.
    pub fn not_negative(&self) -> &[Polynomial] {
        &self.content.not_negative
    }

    /// An atom is in a range, beside what is known of it already.
    pub fn restrict(&mut self, atom: AtomId, range: &Range) {
        let Range::Between(lower, upper) = range else { return };
        let entry = self.content_mut().ranges.entry(atom).or_default();
        entry.0 = entry.0.and(lower);
        entry.1 = entry.1.and(upper);
    }

    /// An atom is at least this.
    pub fn at_least(&mut self, atom: AtomId, bound: impl Into<Polynomial>) {
        self.restrict(atom, &Range::Between(bound.into().into(), Bound::none()));
    }

    /// An atom is at most this.
    pub fn at_most(&mut self, atom: AtomId, bound: impl Into<Polynomial>) {
        self.restrict(atom, &Range::Between(Bound::none(), bound.into().into()));
    }

    /// A polynomial is not negative. The oldest ones stay.
    pub fn assume(&mut self, not_negative: Polynomial) {
        if self.content.not_negative.len() < KEPT && not_negative.constant().is_none() {
            self.content_mut().not_negative.push(not_negative);
        }
    }
}
