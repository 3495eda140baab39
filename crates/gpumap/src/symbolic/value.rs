//! Numbers that polynomials are where their atoms are numbers.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

use super::{Atom, AtomId, Atoms, Polynomial};

impl Atoms {
    /// The number that a polynomial is. `known` gives the numbers of atoms that are not made of others, and what memory holds;
    /// `None` where it does not know one of them, or a power is beyond what is computed.
    pub fn value(
        &self,
        of: &Polynomial,
        known: &dyn Fn(AtomId) -> Option<BigRational>,
    ) -> Option<BigRational> {
        let mut sum = BigRational::zero();
        for (monomial, coefficient) in of.terms() {
            let mut term = coefficient.to_rational();
            for &(atom, power) in monomial.powers() {
                let inner = match self.get(atom) {
                    Atom::Floor(of, by) => self.quotient(of, by, known)?,
                    Atom::Modulo(of, by) => {
                        self.value(of, known)? - self.quotient(of, by, known)? * BigRational::from(by.clone())
                    }
                    Atom::Least(of) => self.value(of, known)?.min(BigRational::zero()),
                    Atom::Symbol(_) | Atom::Induction(..) | Atom::Load { .. } | Atom::Opaque(_) => {
                        known(atom)?
                    }
                };
                term *= inner.pow(i32::try_from(power).ok()?);
            }
            sum += term;
        }
        Some(sum)
    }

    fn quotient(
        &self,
        of: &Polynomial,
        by: &BigInt,
        known: &dyn Fn(AtomId) -> Option<BigRational>,
    ) -> Option<BigRational> {
        Some((self.value(of, known)? / BigRational::from(by.clone())).floor())
    }

    /// The atoms in a polynomial, inside of quotients and remainders too, that are not made of others; of what memory holds the
    /// atom itself.
    pub fn leaves(&self, of: &Polynomial) -> Vec<AtomId> {
        let mut list = Vec::new();
        for atom in of.atoms() {
            match self.get(atom) {
                Atom::Floor(inner, _) | Atom::Modulo(inner, _) | Atom::Least(inner) => {
                    list.extend(self.leaves(inner))
                }
                Atom::Symbol(_) | Atom::Induction(..) | Atom::Load { .. } | Atom::Opaque(_) => {
                    list.push(atom)
                }
            }
        }
        list.sort_unstable();
        list.dedup();
        list
    }
}
