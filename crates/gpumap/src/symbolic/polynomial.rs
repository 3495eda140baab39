//! Polynomials over atoms, with exact rational coefficients.

use std::cmp::Ordering;
use std::ops::{Add, Neg, Sub};

use num_bigint::BigInt;
use num_traits::One;
use smallvec::SmallVec;

use super::{AtomId, Coefficient};

/// Products have at most this many terms,
const TERMS: usize = 96;
/// this total degree,
const DEGREE: u32 = 10;
/// and coefficients of this many bits.
const BITS: u64 = 512;

/// A product of powers of atoms, atoms ascending, powers positive. Most are products of a few.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Monomial(SmallVec<[(AtomId, u32); 3]>);

impl Clone for Monomial {
    fn clone(&self) -> Monomial {
        // Copies as a whole, which the derived way does not.
        Monomial(SmallVec::from_slice(&self.0))
    }
}

impl From<AtomId> for Monomial {
    fn from(atom: AtomId) -> Monomial {
        Monomial(std::iter::once((atom, 1)).collect())
    }
}

impl Monomial {
    /// Atoms and their powers.
    pub fn powers(&self) -> &[(AtomId, u32)] {
        &self.0
    }

    /// The power of an atom.
    pub fn power(&self, atom: AtomId) -> u32 {
        self.0.iter().find(|entry| entry.0 == atom).map_or(0, |entry| entry.1)
    }

    /// Sum of the powers.
    pub fn degree(&self) -> u32 {
        self.0.iter().fold(0, |sum, entry| sum.saturating_add(entry.1))
    }

    fn without(&self, atom: AtomId) -> Monomial {
        Monomial(self.0.iter().filter(|entry| entry.0 != atom).copied().collect())
    }

    fn times(&self, other: &Monomial) -> Monomial {
        let mut product = self.clone();
        for &(atom, power) in &other.0 {
            match product.0.binary_search_by_key(&atom, |entry| entry.0) {
                Ok(at) => product.0[at].1 = product.0[at].1.saturating_add(power),
                Err(at) => product.0.insert(at, (atom, power)),
            }
        }
        product
    }
}

/// A term: a product and its coefficient.
type Term = (Monomial, Coefficient);

/// A polynomial: terms with ascending monomials and coefficients that are not zero.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Polynomial(Vec<Term>);

impl From<AtomId> for Polynomial {
    fn from(atom: AtomId) -> Polynomial {
        Polynomial(vec![(atom.into(), Coefficient::ONE)])
    }
}

impl From<Coefficient> for Polynomial {
    fn from(constant: Coefficient) -> Polynomial {
        let zero = constant.is_zero();
        Polynomial(if zero { Vec::new() } else { vec![(Monomial::default(), constant)] })
    }
}

impl From<BigInt> for Polynomial {
    fn from(constant: BigInt) -> Polynomial {
        Coefficient::from(constant).into()
    }
}

impl From<i64> for Polynomial {
    fn from(constant: i64) -> Polynomial {
        Coefficient::from(constant).into()
    }
}

impl Polynomial {
    /// A single term.
    pub fn term(monomial: Monomial, coefficient: Coefficient) -> Polynomial {
        Polynomial::sum([(monomial, coefficient)])
    }

    /// Terms: monomials, ascending, and coefficients.
    pub fn terms(&self) -> &[Term] {
        &self.0
    }

    /// The number, if no atom is in it.
    pub fn constant(&self) -> Option<Coefficient> {
        match self.0.as_slice() {
            [] => Some(Coefficient::ZERO),
            [(monomial, coefficient)] if monomial.0.is_empty() => Some(coefficient.clone()),
            _ => None,
        }
    }

    /// The integer, if it is one.
    pub fn integer(&self) -> Option<BigInt> {
        self.constant().filter(|number| number.is_integer()).map(|number| number.to_integer())
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all coefficients are integers; then all values are.
    pub fn is_integral(&self) -> bool {
        self.0.iter().all(|term| term.1.is_integer())
    }

    /// Its atoms, ascending.
    pub fn atoms(&self) -> Vec<AtomId> {
        let mut atoms: Vec<AtomId> =
            self.0.iter().flat_map(|term| term.0.0.iter().map(|entry| entry.0)).collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// Whether an atom is in it.
    pub fn mentions(&self, atom: AtomId) -> bool {
        self.degree_in(atom) > 0
    }

    /// The highest power of an atom.
    pub fn degree_in(&self, atom: AtomId) -> u32 {
        self.0.iter().map(|term| term.0.power(atom)).max().unwrap_or(0)
    }

    /// The coefficient of a power of an atom: a polynomial in the others.
    pub fn coefficient(&self, atom: AtomId, power: u32) -> Polynomial {
        let terms = self.0.iter().filter(|term| term.0.power(atom) == power);
        Polynomial::sum(terms.map(|(monomial, coefficient)| (monomial.without(atom), coefficient.clone())))
    }

    /// The sum of terms, like ones joined.
    fn sum(terms: impl IntoIterator<Item = Term>) -> Polynomial {
        let mut all: Vec<Term> = terms.into_iter().collect();
        // What is taken out of a polynomial is ascending already.
        if !all.is_sorted_by(|a, b| a.0 <= b.0) {
            all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        }
        all.dedup_by(|next, kept| {
            let is_like = next.0 == kept.0;
            if is_like {
                kept.1 = kept.1.plus(&next.1);
            }
            is_like
        });
        all.retain(|term| !term.1.is_zero());
        Polynomial(all)
    }

    /// The polynomial with all coefficients multiplied.
    pub fn scaled(&self, by: &Coefficient) -> Polynomial {
        if by.is_zero() {
            return Polynomial::default();
        }
        Polynomial(self.0.iter().map(|(monomial, own)| (monomial.clone(), own.times(by))).collect())
    }

    /// The sum with a multiple of another one.
    pub fn plus_scaled(&self, other: &Polynomial, by: &Coefficient) -> Polynomial {
        let mut sum = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut own, mut others) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            let order = match (own.peek(), others.peek()) {
                (Some(a), Some(b)) => a.0.cmp(&b.0),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let left = if order.is_le() { own.next() } else { None };
            let right = if order.is_ge() { others.next() } else { None };
            let Some((monomial, _)) = left.or(right) else { break };
            let scaled = right.map(|(_, coefficient)| coefficient.times(by));
            let coefficient = match (left, scaled) {
                (Some((_, a)), Some(b)) => a.plus(&b),
                (Some((_, a)), None) => a.clone(),
                (None, Some(b)) => b,
                (None, None) => break,
            };
            if !coefficient.is_zero() {
                sum.push((monomial.clone(), coefficient));
            }
        }
        Polynomial(sum)
    }

    /// The product; `None` where it is too large.
    pub fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        if self.0.len().saturating_mul(other.0.len()) > TERMS * TERMS {
            return None;
        }
        let pairs =
            self.0.iter().flat_map(|a| other.0.iter().map(move |b| (a.0.times(&b.0), a.1.times(&b.1))));
        let product = Polynomial::sum(pairs);
        let is_small =
            |(monomial, coefficient): &Term| monomial.degree() <= DEGREE && coefficient.is_within(BITS);
        (product.0.len() <= TERMS && product.0.iter().all(is_small)).then_some(product)
    }

    /// The polynomial with an atom replaced; `None` where it is too large. Atoms inside of others stay.
    pub fn with(&self, atom: AtomId, value: &Polynomial) -> Option<Polynomial> {
        if !self.mentions(atom) {
            return Some(self.clone());
        }
        // Horner's rule in the atom.
        let mut result = Polynomial::default();
        for power in (0..=self.degree_in(atom)).rev() {
            result = &result.times(value)? + &self.coefficient(atom, power);
        }
        Some(result)
    }

    /// How it changes when an atom grows by one; `None` where that is too large.
    pub fn difference(&self, atom: AtomId) -> Option<Polynomial> {
        if self.degree_in(atom) <= 1 {
            return Some(self.coefficient(atom, 1));
        }
        let next = &Polynomial::from(atom) + &Polynomial::from(1);
        Some(&self.with(atom, &next)? - self)
    }

    /// The least positive integer that makes all coefficients integers when they are multiplied by it.
    pub fn denominator(&self) -> BigInt {
        if self.is_integral() {
            return BigInt::one();
        }
        self.0.iter().fold(BigInt::one(), |all, term| num_integer::lcm(all, term.1.denominator()))
    }

    /// Whether no coefficient is negative.
    pub fn has_no_negative(&self) -> bool {
        self.0.iter().all(|term| !term.1.is_negative())
    }
}

impl Add for &Polynomial {
    type Output = Polynomial;

    fn add(self, other: &Polynomial) -> Polynomial {
        self.plus_scaled(other, &Coefficient::ONE)
    }
}

impl Neg for &Polynomial {
    type Output = Polynomial;

    fn neg(self) -> Polynomial {
        Polynomial(self.0.iter().map(|(monomial, own)| (monomial.clone(), own.negated())).collect())
    }
}

impl Sub for &Polynomial {
    type Output = Polynomial;

    fn sub(self, other: &Polynomial) -> Polynomial {
        self.plus_scaled(other, &Coefficient::from(-1))
    }
}
