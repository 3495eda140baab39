//! What is known at a point of the program: ranges of atoms, and polynomials that are not negative.

use std::collections::BTreeMap;

use super::{AtomId, Bound, Polynomial, Range};

/// Most polynomials that are kept as not negative.
const KEPT: usize = 24;

/// What is known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    ranges: BTreeMap<AtomId, (Bound, Bound)>,
    not_negative: Vec<Polynomial>,
}

impl Facts {
    /// Nothing.
    pub fn none() -> Facts {
        Facts::default()
    }

    /// The bounds of an atom.
    pub fn bounds(&self, atom: AtomId) -> Option<&(Bound, Bound)> {
        self.ranges.get(&atom)
    }

    /// Polynomials that are not negative.
    pub fn not_negative(&self) -> &[Polynomial] {
        &self.not_negative
    }

    /// An atom is in a range, beside what is known of it already.
    pub fn restrict(&mut self, atom: AtomId, range: &Range) {
        let Range::Between(lower, upper) = range else { return };
        let entry = self.ranges.entry(atom).or_default();
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
        if self.not_negative.len() < KEPT && not_negative.constant().is_none() {
            self.not_negative.push(not_negative);
        }
    }
}
