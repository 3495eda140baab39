//! Polynomials over atoms, with exact rational coefficients.

use std::ops::{Add, Neg, Sub};

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::AtomId;

/// Products have at most this many terms,
const TERMS: usize = 96;
/// this total degree,
const DEGREE: u32 = 10;
/// and coefficients of this many bits.
const BITS: u64 = 512;

/// A product of powers of atoms, atoms ascending, powers positive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Monomial(Vec<(AtomId, u32)>);

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
        let mut product = self.0.clone();
        for &(atom, power) in &other.0 {
            match product.binary_search_by_key(&atom, |entry| entry.0) {
                Ok(at) => product[at].1 = product[at].1.saturating_add(power),
                Err(at) => product.insert(at, (atom, power)),
            }
        }
        Monomial(product)
    }
}

/// A polynomial: terms with ascending monomials and coefficients that are not zero.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Polynomial(Vec<(Monomial, BigRational)>);

impl From<AtomId> for Polynomial {
    fn from(atom: AtomId) -> Polynomial {
        Polynomial(vec![(Monomial(vec![(atom, 1)]), BigRational::one())])
    }
}

impl From<BigRational> for Polynomial {
    fn from(constant: BigRational) -> Polynomial {
        let zero = constant.is_zero();
        Polynomial(if zero { Vec::new() } else { vec![(Monomial::default(), constant)] })
    }
}

impl From<BigInt> for Polynomial {
    fn from(constant: BigInt) -> Polynomial {
        BigRational::from(constant).into()
    }
}

impl From<i64> for Polynomial {
    fn from(constant: i64) -> Polynomial {
        BigInt::from(constant).into()
    }
}

impl Polynomial {
    /// A single term.
    pub fn term(monomial: Monomial, coefficient: BigRational) -> Polynomial {
        Polynomial::sum([(monomial, coefficient)])
    }

    /// Terms: monomials, ascending, and coefficients.
    pub fn terms(&self) -> &[(Monomial, BigRational)] {
        &self.0
    }

    /// The number, if no atom is in it.
    pub fn constant(&self) -> Option<BigRational> {
        match self.0.as_slice() {
            [] => Some(BigRational::zero()),
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
    fn sum(terms: impl IntoIterator<Item = (Monomial, BigRational)>) -> Polynomial {
        let mut all: Vec<(Monomial, BigRational)> = terms.into_iter().collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        let mut out: Vec<(Monomial, BigRational)> = Vec::with_capacity(all.len());
        for (monomial, coefficient) in all {
            match out.last_mut() {
                Some(last) if last.0 == monomial => last.1 = plus(&last.1, &coefficient),
                _ => out.push((monomial, coefficient)),
            }
        }
        out.retain(|term| !term.1.is_zero());
        Polynomial(out)
    }

    /// The polynomial with all coefficients multiplied.
    pub fn scaled(&self, by: &BigRational) -> Polynomial {
        if by.is_zero() {
            return Polynomial::default();
        }
        Polynomial(
            self.0.iter().map(|(monomial, coefficient)| (monomial.clone(), times(coefficient, by))).collect(),
        )
    }

    /// The product; `None` where it is too large.
    pub fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        if self.0.len().saturating_mul(other.0.len()) > TERMS * TERMS {
            return None;
        }
        let pairs =
            self.0.iter().flat_map(|a| other.0.iter().map(move |b| (a.0.times(&b.0), times(&a.1, &b.1))));
        let product = Polynomial::sum(pairs);
        let is_small = |(monomial, coefficient): &(Monomial, BigRational)| {
            monomial.degree() <= DEGREE
                && coefficient.numer().bits() <= BITS
                && coefficient.denom().bits() <= BITS
        };
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
        self.0.iter().fold(BigInt::one(), |all, term| num_integer::lcm(all, term.1.denom().clone()))
    }

    /// Whether no coefficient is negative.
    pub fn has_no_negative(&self) -> bool {
        self.0.iter().all(|term| !term.1.is_negative())
    }
}

/// The sum. Integers, which most coefficients are, have no common factors to look for.
fn plus(a: &BigRational, b: &BigRational) -> BigRational {
    if a.is_integer() && b.is_integer() {
        BigRational::new_raw(a.numer() + b.numer(), BigInt::one())
    } else {
        a + b
    }
}

/// The product.
fn times(a: &BigRational, b: &BigRational) -> BigRational {
    if a.is_integer() && b.is_integer() {
        BigRational::new_raw(a.numer() * b.numer(), BigInt::one())
    } else {
        a * b
    }
}

impl Add for &Polynomial {
    type Output = Polynomial;

    fn add(self, other: &Polynomial) -> Polynomial {
        Polynomial::sum(self.0.iter().chain(&other.0).cloned())
    }
}

impl Neg for &Polynomial {
    type Output = Polynomial;

    fn neg(self) -> Polynomial {
        self.scaled(&-BigRational::one())
    }
}

impl Sub for &Polynomial {
    type Output = Polynomial;

    fn sub(self, other: &Polynomial) -> Polynomial {
        self + &-other
    }
}
