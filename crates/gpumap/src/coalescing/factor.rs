//! Units of memory per request as expressions in the inputs.
//!
//! For a stride s of which no number is known, a size e and a unit of u bytes, with L = 31·|s| + e:
//!
//! - at least min(32, ⌈L/u⌉): either all units of L bytes are touched, or no two lanes share one;
//! - at most min(c, ⌊(a + L − 1)/u⌋ + 1), a the most bytes that may lie before the first one in its unit, and c the units that 32
//!   lanes touch one by one.
//!
//! Both hold for every s. Its sign is proved, or assumed to be positive; the assumption is kept.

use std::ops::RangeInclusive;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive};

use super::strided::{ARRAY, Alignment, Strided, touched};
use crate::device::WARP;
use crate::symbolic::{AtomId, Atoms, Coefficient, Facts, Polynomial, Prover};

/// A number of units: the greatest of some expressions, but no more than a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Units {
    /// The expressions.
    pub of: Vec<Polynomial>,
    /// The number.
    pub cap: u32,
}

/// Between how many units a request moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Factor {
    /// The fewest.
    pub least: Units,
    /// The most.
    pub most: Units,
}

impl Units {
    /// A number of those that lanes move at most, each by itself.
    pub fn exactly(number: u32, cap: u32) -> Units {
        Units { of: vec![i64::from(number).into()], cap }
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<u32> {
        match self.of.as_slice() {
            [one] => one.integer()?.to_u32().map(|number| number.min(self.cap)),
            _ => None,
        }
    }

    /// As it is written: `min(32, …)`.
    pub fn show(&self, atoms: &Atoms) -> String {
        if let Some(number) = self.number() {
            return number.to_string();
        }
        let parts: Vec<String> = self.of.iter().map(|of| atoms.show(of)).collect();
        match parts.as_slice() {
            [one] => format!("min({}, {one})", self.cap),
            several => format!("min({}, max({}))", self.cap, several.join(", ")),
        }
    }

    /// The cap, if an expression provably reaches it.
    fn decided(self, prover: &Prover<'_>) -> Units {
        let cap = Polynomial::from(i64::from(self.cap));
        let is_reached = self.of.iter().any(|of| prover.is_at_least(of, &cap));
        if is_reached { Units::exactly(self.cap, self.cap) } else { self }
    }

    /// The greater of both. The expressions count up to the greater cap, which is safe for what is moved at most.
    pub(super) fn joined(&self, other: &Units, prover: &Prover<'_>) -> Units {
        let cap = self.cap.max(other.cap);
        let mut of: Vec<Polynomial> = Vec::new();
        for one in self.of.iter().chain(&other.of) {
            if !of.iter().any(|kept| prover.is_at_least(kept, one)) {
                of.retain(|kept| !prover.is_at_least(one, kept));
                of.push(one.clone());
            }
        }
        Units { of, cap }
    }
}

impl Factor {
    /// A range of numbers of those that lanes move at most, each by itself.
    pub fn between(range: &RangeInclusive<u32>, cap: u32) -> Factor {
        Factor { least: Units::exactly(*range.start(), cap), most: Units::exactly(*range.end(), cap) }
    }

    /// The numbers, if both ends are.
    pub fn numbers(&self) -> Option<(u32, u32)> {
        Some((self.least.number()?, self.most.number()?))
    }

    /// What one of two accesses moves of which it is not known which one is made.
    pub fn either(&self, other: &Factor, prover: &Prover<'_>) -> Factor {
        let cap = self.most.cap.max(other.most.cap);
        // Of expressions it is not known which one is less: at least one unit is moved.
        let least = match (self.least.number(), other.least.number()) {
            (Some(one), Some(another)) => one.min(another),
            _ => 1,
        };
        Factor { least: Units::exactly(least, cap), most: self.most.joined(&other.most, prover) }
    }

    /// What two accesses move that are made together, each by a part of the lanes. At least one unit.
    pub fn sum(&self, other: &Factor) -> Factor {
        let pairs = self.most.of.iter().flat_map(|a| other.most.of.iter().map(move |b| a + b));
        let cap = self.most.cap.max(other.most.cap);
        Factor { least: Units::exactly(1, cap), most: Units { of: pairs.collect(), cap } }
    }

    /// As it is written: one number or expression, or a range.
    pub fn show(&self, atoms: &Atoms) -> String {
        let (least, most) = (self.least.show(atoms), self.most.show(atoms));
        if least == most { most } else { format!("{least} to {most}") }
    }
}

/// Accesses of a warp at offsets that are linear in the lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linear {
    /// Bytes from lane to lane.
    pub stride: Polynomial,
    /// Its size: what it is when it is not negative.
    pub distance: Polynomial,
    /// Whether that is assumed, its sign not being proved.
    pub is_sign_assumed: bool,
    /// What is known of the address of the first lane.
    pub alignment: Alignment,
    /// Bytes that a lane touches.
    pub size: u32,
}

impl Linear {
    /// The accesses of so many bytes at an offset whose stride along x is this.
    pub fn new(atoms: &Atoms, facts: &Facts, offset: &Polynomial, x: AtomId, size: u32) -> Option<Linear> {
        if offset.degree_in(x) > 1 {
            return None;
        }
        let stride = offset.coefficient(x, 1);
        let prover = Prover::new(atoms, facts);
        let opposite = -&stride;
        let (distance, is_sign_assumed) = match stride.integer() {
            Some(number) => (number.abs().into(), false),
            None if prover.is_not_negative(&stride) => (stride.clone(), false),
            None if prover.is_not_negative(&opposite) => (opposite, false),
            None => (stride.clone(), true),
        };
        let alignment = alignment(offset, &[(x, WARP)]);
        Some(Linear { stride, distance, is_sign_assumed, alignment, size })
    }

    /// The stride in numbers.
    pub fn strided(&self) -> Option<Strided> {
        Some(Strided::of_warp(self.stride.integer()?.to_i64()?, self.size))
    }

    /// Units of so many bytes per request; `None` where expressions get too large.
    pub fn units(&self, atoms: &mut Atoms, facts: &Facts, unit: u32) -> Option<Factor> {
        let cap = self.of_lane(unit)?.checked_mul(WARP)?;
        if let Some(strided) = self.strided() {
            return Some(Factor::between(&strided.units_over(self.alignment, unit), cap));
        }
        let number = |number: i128| Polynomial::from(BigInt::from(number));
        let before = self.most_before(unit);
        let reach = self.distance.scaled(&i64::from(WARP - 1).into());
        let last = &reach + &number(i128::from(self.size) - 1);
        let mut units_to = |last: &Polynomial| -> Option<Polynomial> {
            Some(&atoms.floor(last, &BigInt::from(unit))? + &Polynomial::from(1))
        };
        let (least, most) = (units_to(&last)?, units_to(&(&last + &number(before)))?);
        let prover = Prover::new(atoms, facts);
        let least = Units { of: vec![least], cap: WARP }.decided(&prover);
        Some(Factor { least, most: Units { of: vec![most], cap }.decided(&prover) })
    }

    /// The most units that a lane touches.
    pub fn of_lane(&self, unit: u32) -> Option<u32> {
        let units = touched(self.most_before(unit), i128::from(self.size), i128::from(unit));
        u32::try_from(units).ok()
    }

    /// The most bytes that may lie in a unit before a lane's first one.
    fn most_before(&self, unit: u32) -> i128 {
        let step = common(&self.stride, self.alignment.modulus()).gcd(&unit).max(1);
        i128::from(unit - step + self.alignment.remainder() % step)
    }

    /// Lines by the published formula: the expression before it is rounded up to a whole number from 1 to 32.
    pub fn published(&self) -> Units {
        let of_line = BigInt::from(u64::from(self.size.max(1)) * 4);
        match self.strided() {
            Some(strided) => Units::exactly(super::strided::published(strided.stride, self.size), WARP),
            None => Units { of: vec![self.distance.scaled(&Coefficient::inverse(&of_line))], cap: WARP },
        }
    }

    /// The share of the bytes moved in sectors of this size that lanes use, the least over what is not known.
    pub fn efficiency(&self, sector: u32, sectors: &Factor) -> f64 {
        // Where no number is known: lanes far apart, each in sectors of its own.
        let (bytes, most) = match (self.strided(), sectors.most.number()) {
            (Some(strided), Some(most)) => (strided.bytes(), most),
            _ => (u64::from(self.size) * u64::from(WARP), sectors.most.cap),
        };
        bytes as f64 / (f64::from(sector) * f64::from(most.max(1)))
    }
}

/// What is known of an offset from the start of an array where some atoms are multiples of these numbers, and all others any
/// integers.
pub fn alignment(offset: &Polynomial, multiples: &[(AtomId, u32)]) -> Alignment {
    let (mut fixed, mut modulus) = (Coefficient::ZERO, ARRAY);
    for (monomial, coefficient) in offset.terms() {
        if monomial.powers().is_empty() {
            fixed = coefficient.clone();
            continue;
        }
        // A power of a multiple of m is one of m too.
        let multiple =
            |(atom, _): &(AtomId, u32)| multiples.iter().find(|of| of.0 == *atom).map_or(1, |of| of.1);
        let factor: BigInt = monomial.powers().iter().map(|power| BigInt::from(multiple(power))).product();
        let term = Polynomial::from(coefficient.times(&factor.into()));
        modulus = common(&term, modulus);
    }
    let remainder = fixed.is_integer().then(|| fixed.to_integer().mod_floor(&BigInt::from(ARRAY)));
    match remainder.and_then(|remainder| remainder.to_i128()) {
        Some(remainder) => Alignment::behind(modulus, remainder),
        None => Alignment::multiple_of(1),
    }
}

/// What divides a modulus and all values of a polynomial.
fn common(of: &Polynomial, modulus: u32) -> u32 {
    if !of.is_integral() {
        return 1;
    }
    let divisor = |all: BigInt, coefficient: &Coefficient| all.gcd(&coefficient.to_integer());
    let all = of.terms().iter().fold(BigInt::from(modulus), |all, term| divisor(all, &term.1));
    all.to_u32().unwrap_or(1)
}
