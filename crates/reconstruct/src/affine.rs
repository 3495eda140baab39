//! Affine functions of counters, and integers in which two of them are kept.

use crate::nest::Nest;
use crate::render;

/// `constant + Σ coefficients[q]·i_q`, outermost counter first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Affine {
    /// One per counter around.
    pub coefficients: Vec<i64>,
    /// Where all counters are 0.
    pub constant: i64,
}

impl Affine {
    /// Its value; `None` if that leaves 64 bits.
    pub fn at(&self, counters: &[i64]) -> Option<i64> {
        let mut sum = self.constant;
        for (c, x) in self.coefficients.iter().zip(counters) {
            sum = sum.checked_add(c.checked_mul(*x)?)?;
        }
        Some(sum)
    }

    /// With values for the counters behind the first `outer`.
    pub(crate) fn at_inner(&self, outer: usize, inner: &[i64]) -> Option<Affine> {
        let (kept, fixed) = self.coefficients.split_at_checked(outer)?;
        let mut constant = self.constant;
        for (c, x) in fixed.iter().zip(inner) {
            constant = constant.checked_add(c.checked_mul(*x)?)?;
        }
        Some(Affine { coefficients: kept.to_vec(), constant })
    }

    /// For people.
    pub(crate) fn text(&self) -> String {
        render::affine(&self.coefficients, self.constant.into(), "*")
    }

    /// An expression of C.
    pub(crate) fn c(&self) -> String {
        render::c_affine(&self.coefficients, self.constant)
    }
}

/// Two numbers as one: the lower one has so many bits, with its sign.
pub(crate) fn joined(high: i64, low: i64, bits: u32) -> i64 {
    (high << bits).wrapping_add(low)
}

/// The two numbers of [`joined`].
pub(crate) fn parted(value: i64, bits: u32) -> (i64, i64) {
    let low = value << (64 - bits) >> (64 - bits);
    (value.wrapping_sub(low) >> bits, low)
}

/// The affine functions that an affine function of joined numbers is made of. The lower one is taken as the nearest that fits;
/// whether that is the one meant everywhere has to be looked at.
pub(crate) fn parts(nest: &Nest, bits: u32) -> (Affine, Affine) {
    let (coefficients, low): (Vec<i64>, Vec<i64>) =
        nest.coefficients.iter().map(|&c| parted(c, bits)).unzip();
    let constants = parted(nest.base, bits);
    (Affine { coefficients, constant: constants.0 }, Affine { coefficients: low, constant: constants.1 })
}
