//! Iteration vectors: fixed-size, outermost first, wrapping arithmetic.

use std::hash::{Hash, Hasher};

/// Most loop dimensions of an iteration vector.
pub const MAX_DIMS: usize = 8;

/// Iteration vector: coordinates outermost first; unused trailing dimensions are 0.
#[derive(Clone, Copy, Eq, Debug, PartialOrd, Ord)]
pub struct Iv(pub [i64; MAX_DIMS]);

impl PartialEq for Iv {
    /// Without a call to `memcmp`, which the derived comparison ends up as.
    #[inline(always)]
    fn eq(&self, other: &Iv) -> bool {
        self.0.iter().zip(&other.0).fold(0, |different, (x, y)| different | (x ^ y)) == 0
    }
}

impl Hash for Iv {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        for x in self.0 {
            state.write_i64(x);
        }
    }
}

impl Iv {
    /// The zero vector.
    pub const ZERO: Iv = Iv([0; MAX_DIMS]);

    /// `self + n·step`.
    #[inline]
    pub fn after(&self, n: i64, step: &Iv) -> Iv {
        let mut v = *self;
        for (x, d) in v.0.iter_mut().zip(&step.0) {
            *x = x.wrapping_add(n.wrapping_mul(*d));
        }
        v
    }

    /// `self − other`.
    #[inline]
    pub fn minus(&self, other: &Iv) -> Iv {
        self.after(-1, other)
    }

    /// `self + n` in dimension `lane`.
    #[inline]
    pub fn advanced(&self, lane: usize, n: i64) -> Iv {
        // All components, so that the vector stays in registers: one written through memory stalls its next use.
        let mut v = *self;
        for (d, x) in v.0.iter_mut().enumerate() {
            *x = x.wrapping_add(if d == lane { n } else { 0 });
        }
        v
    }

    /// `n` in dimension `lane`, 0 elsewhere.
    #[inline]
    pub fn along(lane: usize, n: i64) -> Iv {
        let mut v = Iv::ZERO;
        v.0[lane] = n;
        v
    }

    /// `n·self`.
    #[inline]
    pub fn times(&self, n: i64) -> Iv {
        let mut v = *self;
        for x in &mut v.0 {
            *x = x.wrapping_mul(n);
        }
        v
    }

    /// Components at most 1 in magnitude and at most three of them non-zero: a step worth keeping as a class.
    pub(crate) fn is_simple(&self) -> bool {
        self.0.iter().all(|x| (-1..=1).contains(x)) && self.0.iter().filter(|x| **x != 0).count() <= 3
    }

    /// Not zero in one dimension at most.
    pub(crate) fn is_along_one(&self) -> bool {
        self.0.iter().filter(|x| **x != 0).count() <= 1
    }

    /// Zero outside dimension `lane`.
    #[inline]
    pub(crate) fn is_along(&self, lane: usize) -> bool {
        self.0.iter().enumerate().all(|(d, x)| d == lane || *x == 0)
    }
}
