//! Loop nests: the result of a reconstruction.
//!
//! A nest has levels `0 … depth−1`, outermost first. Level `q` runs its counter `i_q` from the maximum of its lower
//! bounds to the minimum of its upper bounds, both included; a bound is an affine function of the outer counters over a
//! positive divisor, rounded inwards (ALGORITHMS 6.1). Each iteration of the innermost level makes one access to
//! `base + Σ coefficients[q]·i_q`; a nest of depth 0 makes one access.
//!
//! A nest may stand in the body of other loops ([`crate::statement`]). Then its bounds and its access are affine in their
//! counters as well, which come first; `levels` holds its own loops alone.
//!
//! Invariant of nests accepted by [`Nest::validated`]: no evaluation leaves 63 bits, so [`Nest::runs`] is exact.

use serde::{Deserialize, Serialize};

/// Deepest nest that is represented.
pub const MAX_DEPTH: usize = 12;
/// Evaluations of a nest stay between minus this and this.
const LIMIT: i128 = 1 << 62;

/// `(constant + Σ coefficients[q]·i_q) / divisor`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Bound {
    /// One per outer level, outermost first.
    pub coefficients: Vec<i64>,
    /// Constant term.
    pub constant: i64,
    /// At least 1.
    pub divisor: i64,
}

impl Bound {
    /// A constant bound under `outer` levels.
    pub fn constant(outer: usize, constant: i64) -> Bound {
        Bound { coefficients: vec![0; outer], constant, divisor: 1 }
    }

    /// The numerator at a point of the outer counters.
    pub fn numerator(&self, point: &[i64]) -> Option<i128> {
        let mut sum = i128::from(self.constant);
        for (c, x) in self.coefficients.iter().zip(point) {
            sum = sum.checked_add(i128::from(*c).checked_mul(i128::from(*x))?)?;
        }
        Some(sum)
    }

    /// What the numerator lies between for given ranges of the outer counters.
    fn range(&self, outer: &[(i128, i128)]) -> Option<(i128, i128)> {
        if self.coefficients.len() != outer.len() || self.divisor < 1 {
            return None;
        }
        let (mut low, mut high) = (i128::from(self.constant), i128::from(self.constant));
        for (&c, &(a, b)) in self.coefficients.iter().zip(outer) {
            let (p, q) = (i128::from(c) * a, i128::from(c) * b);
            (low, high) = (low + p.min(q), high + p.max(q));
            if low < -LIMIT || high > LIMIT {
                return None;
            }
        }
        Some((low, high))
    }

    /// Value as an upper bound: rounded down.
    pub fn floor(&self, point: &[i64]) -> Option<i64> {
        i64::try_from(self.numerator(point)?.div_euclid(i128::from(self.divisor.max(1)))).ok()
    }

    /// Value as a lower bound: rounded up.
    pub fn ceil(&self, point: &[i64]) -> Option<i64> {
        let numerator = self.numerator(point)?.checked_neg()?;
        i64::try_from(-numerator.div_euclid(i128::from(self.divisor.max(1)))).ok()
    }
}

/// One loop.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Level {
    /// The counter starts at the largest of these.
    pub lower: Vec<Bound>,
    /// The counter ends at the smallest of these.
    pub upper: Vec<Bound>,
}

impl Level {
    /// First and last value of the counter at a point of the outer counters.
    pub fn range(&self, point: &[i64]) -> Option<(i64, i64)> {
        let low: Option<Vec<i64>> = self.lower.iter().map(|b| b.ceil(point)).collect();
        let high: Option<Vec<i64>> = self.upper.iter().map(|b| b.floor(point)).collect();
        Some((low?.into_iter().max()?, high?.into_iter().min()?))
    }

    /// What the counter lies between where the outer ones lie between these, by interval arithmetic; `None` if a bound is not
    /// well formed or may leave 63 bits.
    pub fn bracket(&self, outer: &[(i128, i128)]) -> Option<(i128, i128)> {
        let (mut low, mut high) = (None, None);
        for bound in &self.lower {
            let at = -(-bound.range(outer)?.0).div_euclid(i128::from(bound.divisor));
            low = Some(low.map_or(at, |l: i128| l.max(at)));
        }
        for bound in &self.upper {
            let at = bound.range(outer)?.1.div_euclid(i128::from(bound.divisor));
            high = Some(high.map_or(at, |h: i128| h.min(at)));
        }
        let (low, high) = (low?, high?);
        if low < -LIMIT || high.max(low) > LIMIT {
            return None;
        }
        Some((low, high.max(low)))
    }
}

/// A loop nest with one access.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Nest {
    /// Its own loops, outermost first.
    pub levels: Vec<Level>,
    /// Address where all counters are 0.
    pub base: i64,
    /// Advance of the address per counter, outermost first; those of enclosing loops come before its own.
    pub coefficients: Vec<i64>,
}

/// Receives runs `(first address, count)` of the innermost stride; returns whether to go on.
pub trait Visit {
    /// One run.
    fn run(&mut self, start: i64, count: i64) -> bool;
}

impl<F: FnMut(i64, i64) -> bool> Visit for F {
    #[inline(always)]
    fn run(&mut self, start: i64, count: i64) -> bool {
        self(start, count)
    }
}

impl Nest {
    /// A single access.
    pub fn point(base: i64) -> Nest {
        Nest { levels: Vec::new(), base, coefficients: Vec::new() }
    }

    /// One loop of `count` accesses.
    pub fn line(base: i64, stride: i64, count: u64) -> Nest {
        if count == 1 {
            return Nest::point(base);
        }
        let last = i64::try_from(count - 1).unwrap_or(i64::MAX);
        let level = Level { lower: vec![Bound::constant(0, 0)], upper: vec![Bound::constant(0, last)] };
        Nest { levels: vec![level], base, coefficients: vec![stride] }
    }

    /// Whether this is a single access, or one loop from 0 to a constant whose last address fits 64 bits.
    pub fn is_line(&self) -> bool {
        let ([level], [stride]) = (&self.levels[..], &self.coefficients[..]) else {
            return self.levels.is_empty() && self.coefficients.is_empty();
        };
        let ([lower], [upper]) = (&level.lower[..], &level.upper[..]) else { return false };
        let constant = |b: &Bound| b.coefficients.is_empty() && b.divisor == 1;
        let last = stride.checked_mul(upper.constant).and_then(|d| d.checked_add(self.base));
        let counted = (0..i64::MAX).contains(&upper.constant);
        constant(lower) && constant(upper) && lower.constant == 0 && counted && last.is_some()
    }

    /// Number of loops.
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Number of bounds.
    pub fn faces(&self) -> usize {
        self.levels.iter().map(|l| l.lower.len() + l.upper.len()).sum()
    }

    /// Advance of the innermost loop; 0 without loops.
    pub fn stride(&self) -> i64 {
        if self.levels.is_empty() { 0 } else { self.coefficients.last().copied().unwrap_or(0) }
    }

    /// Number of loops around it.
    pub fn outer(&self) -> usize {
        self.coefficients.len().saturating_sub(self.levels.len())
    }

    /// The nest itself if it is well formed and no evaluation can leave 63 bits.
    ///
    /// Ranges of counters are found by interval arithmetic from the outermost level inwards, so a nest that is refused
    /// here may still be fine; those of traces are many orders of magnitude smaller.
    pub fn validated(self) -> Option<Nest> {
        self.is_valid_under(&[]).is_some().then_some(self)
    }

    /// The same for a nest inside loops whose counters lie between these.
    pub fn is_valid_under(&self, outer: &[(i128, i128)]) -> Option<()> {
        let ranges = self.ranges_under(outer)?;
        let (mut lowest, mut highest) = (i128::from(self.base), i128::from(self.base));
        for (&c, (low, high)) in self.coefficients.iter().zip(ranges) {
            let (p, q) = (i128::from(c) * low, i128::from(c) * high);
            (lowest, highest) = (lowest + p.min(q), highest + p.max(q));
            if lowest < -LIMIT || highest > LIMIT {
                return None;
            }
        }
        Some(())
    }

    /// What the counters lie between, by interval arithmetic; `None` if the nest is not well formed or an evaluation of a
    /// bound may leave 63 bits.
    pub fn ranges(&self) -> Option<Vec<(i128, i128)>> {
        self.ranges_under(&[])
    }

    /// The same for a nest inside loops whose counters lie between these; they come first.
    fn ranges_under(&self, outer: &[(i128, i128)]) -> Option<Vec<(i128, i128)>> {
        let depth = outer.len() + self.levels.len();
        if self.coefficients.len() != depth || depth > MAX_DEPTH {
            return None;
        }
        let mut ranges = outer.to_vec();
        for level in &self.levels {
            let range = level.bracket(&ranges)?;
            ranges.push(range);
        }
        Some(ranges)
    }

    /// Visits the runs of the innermost loop in order; returns whether the visitor wanted all. The nest must be
    /// [`Nest::validated`]; another may visit wrong runs.
    pub fn runs(&self, visit: &mut impl Visit) -> bool {
        let walker = Walker::new(self);
        walker.walk(&mut [0; MAX_DEPTH], visit)
    }

    /// Number of accesses.
    pub fn accesses(&self) -> u128 {
        let mut sum = 0;
        self.runs(&mut |_, n: i64| {
            sum += n as u128;
            true
        });
        sum
    }
}

/// A bound as the walker uses it: an upper bound, or a lower bound negated.
struct Face {
    slopes: Vec<i64>,
    constant: i64,
    divisor: i64,
}

impl Face {
    #[inline]
    fn numerator(&self, point: &[i64]) -> i64 {
        let mut sum = self.constant;
        for (c, x) in self.slopes.iter().zip(point) {
            sum = sum.wrapping_add(c.wrapping_mul(*x));
        }
        sum
    }

    #[inline]
    fn value(&self, point: &[i64]) -> i64 {
        let numerator = self.numerator(point);
        if self.divisor == 1 { numerator } else { numerator.div_euclid(self.divisor) }
    }
}

#[inline]
fn least(faces: &[Face], point: &[i64]) -> i64 {
    faces.iter().map(|f| f.value(point)).min().unwrap_or(i64::MAX)
}

/// A loop as the walker uses it.
struct WalkedLevel {
    upper: Vec<Face>,
    /// Negated: the counter starts at minus the least of these.
    lower: Vec<Face>,
    coefficient: i64,
}

impl WalkedLevel {
    fn new(level: &Level, coefficient: i64) -> WalkedLevel {
        let face = |b: &Bound, sign: i64| Face {
            slopes: b.coefficients.iter().map(|c| c.wrapping_mul(sign)).collect(),
            constant: b.constant.wrapping_mul(sign),
            divisor: b.divisor.max(1),
        };
        WalkedLevel {
            upper: level.upper.iter().map(|b| face(b, 1)).collect(),
            lower: level.lower.iter().map(|b| face(b, -1)).collect(),
            coefficient,
        }
    }
}

/// The bounds of a loop prepared for being evaluated.
pub struct WalkedRange(WalkedLevel);

impl WalkedRange {
    /// Of a loop with evaluations in 63 bits.
    pub fn new(level: &Level) -> WalkedRange {
        WalkedRange(WalkedLevel::new(level, 0))
    }

    /// First and last value of the counter at a point of the outer ones.
    #[inline]
    pub fn at(&self, outer: &[i64]) -> (i64, i64) {
        (-least(&self.0.lower, outer), least(&self.0.upper, outer))
    }
}

/// A nest prepared for being visited.
pub struct Walker {
    levels: Vec<WalkedLevel>,
    base: i64,
    /// Advance of the address per counter of the loops around the nest.
    around: Vec<i64>,
}

/// Most bounds per side for the incremental inner loops.
const FEW: usize = 8;

impl Walker {
    /// For a nest that is [`Nest::validated`] or valid under the loops around it.
    pub fn new(nest: &Nest) -> Walker {
        let own = nest.coefficients.iter().skip(nest.outer());
        let levels = nest.levels.iter().zip(own).map(|(level, &c)| WalkedLevel::new(level, c)).collect();
        let around = nest.coefficients[..nest.outer()].to_vec();
        Walker { levels, base: nest.base, around }
    }

    /// Visits the runs at a point of the counters around the nest.
    #[inline]
    pub fn walk(&self, point: &mut [i64; MAX_DEPTH], visit: &mut impl Visit) -> bool {
        let mut address = self.base;
        for (c, x) in self.around.iter().zip(&point[..]) {
            address = address.wrapping_add(c.wrapping_mul(*x));
        }
        self.level(self.around.len(), point, address, visit)
    }

    /// The loop of counter `q`, counted from the outermost around the nest.
    fn at(&self, q: usize) -> Option<&WalkedLevel> {
        self.levels.get(q - self.around.len())
    }

    fn level(&self, q: usize, point: &mut [i64; MAX_DEPTH], address: i64, visit: &mut impl Visit) -> bool {
        let Some(level) = self.at(q) else { return visit.run(address, 1) };
        let low = -least(&level.lower, &point[..q]);
        let high = least(&level.upper, &point[..q]);
        if high < low {
            return true;
        }
        let Some(inner) = self.at(q + 1) else {
            let start = address.wrapping_add(level.coefficient.wrapping_mul(low));
            return visit.run(start, high - low + 1);
        };
        let whole = |faces: &[Face]| faces.len() <= FEW && faces.iter().all(|f| f.divisor == 1);
        if self.at(q + 2).is_none() && whole(&inner.upper) && whole(&inner.lower) {
            return match (inner.upper.len(), inner.lower.len()) {
                (1, 1) => innermost::<1, 1>((level, inner), q, (low, high), point, address, visit),
                (1..=2, 1) => innermost::<2, 1>((level, inner), q, (low, high), point, address, visit),
                (1..=2, 1..=2) => innermost::<2, 2>((level, inner), q, (low, high), point, address, visit),
                (1..=4, 1..=4) => innermost::<4, 4>((level, inner), q, (low, high), point, address, visit),
                _ => innermost::<FEW, FEW>((level, inner), q, (low, high), point, address, visit),
            };
        }
        for x in low..=high {
            point[q] = x;
            let here = address.wrapping_add(level.coefficient.wrapping_mul(x));
            if !self.level(q + 1, point, here, visit) {
                return false;
            }
        }
        true
    }
}

/// The two innermost loops when all inner bounds have divisor 1: bounds advance by their slopes.
#[inline(never)]
fn innermost<const U: usize, const L: usize>(
    (level, inner): (&WalkedLevel, &WalkedLevel),
    q: usize,
    (low, high): (i64, i64),
    point: &mut [i64; MAX_DEPTH],
    address: i64,
    visit: &mut impl Visit,
) -> bool {
    point[q] = low;
    let (mut upper, upper_slopes) = advance::<U>(&inner.upper, &point[..=q]);
    let (mut lower, lower_slopes) = advance::<L>(&inner.lower, &point[..=q]);
    let step = level.coefficient;
    let stride = inner.coefficient;
    let mut here = address.wrapping_add(step.wrapping_mul(low));
    for _ in low..=high {
        let last = upper.iter().fold(i64::MAX, |a, &b| a.min(b));
        let first = -lower.iter().fold(i64::MAX, |a, &b| a.min(b));
        if first <= last && !visit.run(here.wrapping_add(stride.wrapping_mul(first)), last - first + 1) {
            return false;
        }
        for (value, slope) in upper.iter_mut().zip(upper_slopes) {
            *value = value.wrapping_add(slope);
        }
        for (value, slope) in lower.iter_mut().zip(lower_slopes) {
            *value = value.wrapping_add(slope);
        }
        here = here.wrapping_add(step);
    }
    true
}

/// Values of faces at a point and their advance along its last coordinate; unused places never decide.
fn advance<const N: usize>(faces: &[Face], point: &[i64]) -> ([i64; N], [i64; N]) {
    let mut values = [i64::MAX; N];
    let mut slopes = [0; N];
    for (k, face) in faces.iter().enumerate().take(N) {
        values[k] = face.numerator(point);
        slopes[k] = face.slopes.last().copied().unwrap_or(0);
    }
    (values, slopes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(coefficients: &[i64], constant: i64, divisor: i64) -> Bound {
        Bound { coefficients: coefficients.to_vec(), constant, divisor }
    }

    fn listed(nest: &Nest) -> Vec<(i64, i64)> {
        let mut out = Vec::new();
        assert!(nest.runs(&mut |s: i64, n: i64| {
            out.push((s, n));
            true
        }));
        out
    }

    #[test]
    fn bounds_round_inwards() {
        assert_eq!(bound(&[1], 2, 3).floor(&[-6]), Some(-2));
        assert_eq!(bound(&[1], 2, 3).ceil(&[-6]), Some(-1));
        assert_eq!(bound(&[1], 0, 3).floor(&[5]), Some(1));
        assert_eq!(bound(&[1], 0, 3).ceil(&[5]), Some(2));
        assert_eq!(bound(&[i64::MAX], i64::MAX, 1).floor(&[2]), None);
    }

    #[test]
    fn several_bounds_and_empty_rows() {
        let nest = Nest {
            levels: vec![
                Level { lower: vec![bound(&[], 0, 1)], upper: vec![bound(&[], 4, 1)] },
                Level {
                    lower: vec![bound(&[0], 0, 1), bound(&[1], -1, 1)],
                    upper: vec![bound(&[2], 0, 1), bound(&[0], 2, 1)],
                },
            ],
            base: 100,
            coefficients: vec![10, 1],
        };
        let nest = nest.validated().expect("a small nest is in range");
        assert_eq!(listed(&nest), [(100, 1), (110, 3), (121, 2), (132, 1)]);
        assert_eq!(nest.accesses(), 7);
    }

    #[test]
    fn nests_that_could_leave_their_range_are_refused() {
        let mut nest = Nest::line(0, 1 << 40, 1 << 30);
        assert!(nest.clone().validated().is_none());
        nest.coefficients[0] = 8;
        assert!(nest.clone().validated().is_some());
        nest.levels[0].upper.clear();
        assert!(nest.validated().is_none());
    }
}
