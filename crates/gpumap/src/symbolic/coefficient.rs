//! Exact rational numbers, nearly all of which are small.
//!
//! Proofs compute with coefficients more often than with anything else, and nearly all of them are integers of a few digits: those
//! need no memory of their own. A number is `Small` wherever numerator and denominator fit, so equal numbers are equal as values.

use std::cmp::Ordering;
use std::num::NonZeroU64;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};

/// A rational number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Coefficient(Number);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Number {
    /// Numerator and denominator, without common factors, the denominator positive. The numerator is not the least of its type, so
    /// it has a negative.
    Small(i128, NonZeroU64),
    /// Any other one.
    Large(Box<BigRational>),
}

impl From<i64> for Coefficient {
    fn from(number: i64) -> Coefficient {
        Coefficient(Number::Small(number.into(), NonZeroU64::MIN))
    }
}

impl From<BigInt> for Coefficient {
    fn from(number: BigInt) -> Coefficient {
        BigRational::from(number).into()
    }
}

impl From<BigRational> for Coefficient {
    fn from(number: BigRational) -> Coefficient {
        let denominator = number.denom().to_u64().and_then(NonZeroU64::new);
        match (number.numer().to_i128(), denominator) {
            (Some(numerator), Some(denominator)) if numerator != i128::MIN => {
                Coefficient(Number::Small(numerator, denominator))
            }
            _ => Coefficient(Number::Large(Box::new(number))),
        }
    }
}

/// A quotient of numbers that may have common factors, the denominator positive; `None` if it is not small.
fn quotient(numerator: i128, denominator: i128) -> Option<Coefficient> {
    if denominator == 1 {
        return (numerator != i128::MIN).then_some(Coefficient(Number::Small(numerator, NonZeroU64::MIN)));
    }
    if numerator == i128::MIN {
        return None;
    }
    let common = numerator.gcd(&denominator);
    let denominator = NonZeroU64::new(u64::try_from(denominator / common).ok()?)?;
    Some(Coefficient(Number::Small(numerator / common, denominator)))
}

impl Coefficient {
    /// Zero.
    pub const ZERO: Coefficient = Coefficient(Number::Small(0, NonZeroU64::MIN));
    /// One.
    pub const ONE: Coefficient = Coefficient(Number::Small(1, NonZeroU64::MIN));

    /// One divided by an integer that is not zero.
    pub fn inverse(of: &BigInt) -> Coefficient {
        BigRational::new(BigInt::one(), of.clone()).into()
    }

    /// The number as one of any size.
    pub fn to_rational(&self) -> BigRational {
        match &self.0 {
            Number::Small(numerator, denominator) => {
                BigRational::new_raw((*numerator).into(), denominator.get().into())
            }
            Number::Large(number) => (**number).clone(),
        }
    }

    /// The whole part, rounded towards zero.
    pub fn to_integer(&self) -> BigInt {
        match &self.0 {
            Number::Small(numerator, denominator) => (numerator / i128::from(denominator.get())).into(),
            Number::Large(number) => number.to_integer(),
        }
    }

    /// The denominator.
    pub fn denominator(&self) -> BigInt {
        match &self.0 {
            Number::Small(_, denominator) => denominator.get().into(),
            Number::Large(number) => number.denom().clone(),
        }
    }

    /// Whether it is an integer.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Number::Small(_, denominator) => denominator.get() == 1,
            Number::Large(number) => number.is_integer(),
        }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        *self == Coefficient::ZERO
    }

    /// Whether it is one.
    pub fn is_one(&self) -> bool {
        *self == Coefficient::ONE
    }

    /// Whether it is less than zero.
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Number::Small(numerator, _) => *numerator < 0,
            Number::Large(number) => number.is_negative(),
        }
    }

    /// Whether it is greater than zero.
    pub fn is_positive(&self) -> bool {
        !self.is_negative() && !self.is_zero()
    }

    /// Whether numerator and denominator have at most so many bits.
    pub(super) fn is_within(&self, bits: u64) -> bool {
        match &self.0 {
            Number::Small(..) => true,
            Number::Large(number) => number.numer().bits() <= bits && number.denom().bits() <= bits,
        }
    }

    /// The sum.
    pub fn plus(&self, other: &Coefficient) -> Coefficient {
        let small = || {
            let ((a, b), (c, d)) = (self.small()?, other.small()?);
            if b == d {
                return quotient(a.checked_add(c)?, b);
            }
            quotient(a.checked_mul(d)?.checked_add(c.checked_mul(b)?)?, b.checked_mul(d)?)
        };
        small().unwrap_or_else(|| (self.to_rational() + other.to_rational()).into())
    }

    /// The product.
    pub fn times(&self, other: &Coefficient) -> Coefficient {
        let small = || {
            let ((a, b), (c, d)) = (self.small()?, other.small()?);
            quotient(a.checked_mul(c)?, b.checked_mul(d)?)
        };
        small().unwrap_or_else(|| (self.to_rational() * other.to_rational()).into())
    }

    /// Numerator and denominator of a small number.
    fn small(&self) -> Option<(i128, i128)> {
        match &self.0 {
            Number::Small(numerator, denominator) => Some((*numerator, denominator.get().into())),
            Number::Large(_) => None,
        }
    }

    /// The negative.
    pub fn negated(&self) -> Coefficient {
        match &self.0 {
            // The numerator is not the least of its type.
            Number::Small(numerator, denominator) => Coefficient(Number::Small(-numerator, *denominator)),
            Number::Large(number) => (-(**number).clone()).into(),
        }
    }

    /// The quotient; `None` by zero.
    pub fn over(&self, divisor: &Coefficient) -> Option<Coefficient> {
        if divisor.is_zero() {
            return None;
        }
        let small = || {
            let ((a, b), (c, d)) = (self.small()?, divisor.small()?);
            quotient(a.checked_mul(d)?.checked_mul(c.signum())?, b.checked_mul(c.checked_abs()?)?)
        };
        Some(small().unwrap_or_else(|| (self.to_rational() / divisor.to_rational()).into()))
    }
}

impl PartialOrd for Coefficient {
    fn partial_cmp(&self, other: &Coefficient) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Coefficient {
    fn cmp(&self, other: &Coefficient) -> Ordering {
        let small = || {
            let ((a, b), (c, d)) = (self.small()?, other.small()?);
            if b == d {
                return Some(a.cmp(&c));
            }
            Some(a.checked_mul(d)?.cmp(&c.checked_mul(b)?))
        };
        small().unwrap_or_else(|| self.to_rational().cmp(&other.to_rational()))
    }
}

impl std::fmt::Display for Coefficient {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Number::Small(numerator, NonZeroU64::MIN) => write!(to, "{numerator}"),
            Number::Small(numerator, denominator) => write!(to, "{numerator}/{denominator}"),
            Number::Large(number) => number.fmt(to),
        }
    }
}

#[cfg(test)]
mod tests {
    use num_traits::Zero;

    use super::*;

    /// Numbers around the ends of what is small, and fractions.
    fn samples() -> Vec<BigRational> {
        let wide = |number: i128| BigInt::from(number);
        let ends = [0, 1, 2, 3, 7, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, i128::MAX - 1, i128::MAX];
        let mut numerators: Vec<BigInt> = ends.iter().flat_map(|&n| [wide(n), wide(-n)]).collect();
        numerators.push(wide(i128::MIN));
        let denominators = [1, 2, 6, (1 << 63) - 1, (1 << 64) - 1, 1 << 64].map(wide);
        let pairs = |n: &BigInt| denominators.clone().map(|d| BigRational::new(n.clone(), d));
        numerators.iter().flat_map(pairs).collect()
    }

    #[test]
    fn arithmetic_equals_that_of_large_numbers() {
        let all = samples();
        for a in &all {
            let x = Coefficient::from(a.clone());
            assert_eq!(x.to_rational(), *a);
            assert_eq!(x.negated(), Coefficient::from(-a.clone()));
            assert_eq!(x.to_integer(), a.to_integer());
            assert_eq!(x.to_string(), a.to_string());
            assert_eq!(x.is_integer(), a.is_integer());
            assert_eq!((x.is_zero(), x.is_one()), (a.is_zero(), a.is_one()));
            assert_eq!((x.is_negative(), x.is_positive()), (a.is_negative(), a.is_positive()));
            for b in &all {
                let y = Coefficient::from(b.clone());
                assert_eq!(x.plus(&y), Coefficient::from(a + b), "{a} + {b}");
                assert_eq!(x.times(&y), Coefficient::from(a * b), "{a} * {b}");
                assert_eq!(x.cmp(&y), a.cmp(b), "{a} and {b}");
                let quotient = (!b.is_zero()).then(|| Coefficient::from(a / b));
                assert_eq!(x.over(&y), quotient, "{a} / {b}");
            }
        }
    }
}
