//! Ranges of integers between symbolic bounds, and C's arithmetic on them.
//!
//! A range contains every value that the operation gives for values of its operands; where that is not known, it has no bound.
//! Division rounds towards zero, a remainder has the sign of its dividend. The empty range means "never reached": it is neutral
//! for union and absorbs everything else.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{Atoms, Bound, Facts, Polynomial, Prover, Side};

/// A set of integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Range {
    /// No value at all: the point is never reached.
    Unreached,
    /// Values between two bounds.
    Between(Bound, Bound),
}

/// Arithmetic on ranges under facts. New atoms (quotients) may come into being.
#[derive(Debug)]
pub struct Arithmetic<'a> {
    /// Atoms.
    pub atoms: &'a mut Atoms,
    /// What is known.
    pub facts: &'a Facts,
}

impl From<Polynomial> for Range {
    fn from(of: Polynomial) -> Range {
        Range::Between(of.clone().into(), of.into())
    }
}

impl Range {
    /// All integers.
    pub fn all() -> Range {
        Range::Between(Bound::none(), Bound::none())
    }

    /// From one polynomial to another.
    pub fn between(lower: impl Into<Polynomial>, upper: impl Into<Polynomial>) -> Range {
        Range::Between(lower.into().into(), upper.into().into())
    }

    /// Whether it has both ends, or no value at all.
    pub fn is_bounded(&self) -> bool {
        match self {
            Range::Unreached => true,
            Range::Between(lower, upper) => !lower.is_none() && !upper.is_none(),
        }
    }

    /// The one value that it has, if its bounds are the same.
    pub fn single(&self) -> Option<&Polynomial> {
        match self {
            Range::Between(lower, upper) => lower.single().filter(|value| upper.single() == Some(value)),
            Range::Unreached => None,
        }
    }

    /// Values of either.
    pub fn union(&self, other: &Range) -> Range {
        match (self, other) {
            (Range::Unreached, range) | (range, Range::Unreached) => range.clone(),
            (Range::Between(a, b), Range::Between(c, d)) => Range::Between(a.or(c), b.or(d)),
        }
    }

    /// Values of both.
    pub fn intersection(&self, other: &Range) -> Range {
        match (self, other) {
            (Range::Unreached, _) | (_, Range::Unreached) => Range::Unreached,
            (Range::Between(a, b), Range::Between(c, d)) => Range::Between(a.and(c), b.and(d)),
        }
    }

    /// The negatives of its values.
    pub fn negated(&self) -> Range {
        match self {
            Range::Unreached => Range::Unreached,
            Range::Between(lower, upper) => {
                let negated = |of: &Polynomial| Some(-of);
                Range::Between(upper.map(negated), lower.map(negated))
            }
        }
    }

    /// Sums.
    pub fn plus(&self, other: &Range) -> Range {
        match (self, other) {
            (Range::Unreached, _) | (_, Range::Unreached) => Range::Unreached,
            (Range::Between(a, b), Range::Between(c, d)) => {
                let sum = |x: &Polynomial, y: &Polynomial| Some(x + y);
                Range::Between(a.combine(c, sum), b.combine(d, sum))
            }
        }
    }

    /// Differences.
    pub fn minus(&self, other: &Range) -> Range {
        self.plus(&other.negated())
    }

    /// `-x - 1`: all bits turned over.
    pub fn inverted(&self) -> Range {
        self.negated().plus(&Polynomial::from(-1).into())
    }
}

impl Arithmetic<'_> {
    fn prover(&self) -> Prover<'_> {
        Prover::new(self.atoms, self.facts)
    }

    /// Whether a bound is on the given side of zero: all members of one of its clauses are.
    fn is_bound_by_zero(&self, bound: &Bound, side: Side) -> bool {
        let prover = self.prover();
        let is_on_side = |member: &Polynomial| match side {
            Side::Lower => prover.is_not_negative(member),
            Side::Upper => prover.is_not_negative(&-member),
        };
        bound.clauses().iter().any(|clause| clause.iter().all(is_on_side))
    }

    /// Whether no value is negative.
    pub fn is_not_negative(&self, range: &Range) -> bool {
        match range {
            Range::Unreached => true,
            Range::Between(lower, _) => self.is_bound_by_zero(lower, Side::Lower),
        }
    }

    /// Whether no value is positive.
    pub fn is_not_positive(&self, range: &Range) -> bool {
        self.is_not_negative(&range.negated())
    }

    /// The range with members of its bounds left out that follow from others.
    pub fn pruned(&self, range: &Range) -> Range {
        match range {
            Range::Unreached => Range::Unreached,
            Range::Between(lower, upper) => {
                let prover = self.prover();
                Range::Between(lower.pruned(Side::Lower, &prover), upper.pruned(Side::Upper, &prover))
            }
        }
    }

    /// Products.
    pub fn times(&self, x: &Range, y: &Range) -> Range {
        if *x == Range::Unreached || *y == Range::Unreached {
            return Range::Unreached;
        }
        if [x, y].into_iter().any(|range| range.single().is_some_and(Polynomial::is_zero)) {
            return Polynomial::default().into();
        }
        // A range may be found to be neither positive nor negative, whatever is written in it.
        let below = [x, y].map(|range| self.is_not_positive(range));
        let above = [x, y].map(|range| self.is_not_negative(range));
        match (above, below) {
            ([true, true], _) => self.product_of_positive(x, y),
            (_, [true, true]) => self.product_of_positive(&x.negated(), &y.negated()),
            ([true, _], [_, true]) => self.product_of_positive(x, &y.negated()).negated(),
            ([_, true], [true, _]) => self.product_of_positive(&x.negated(), y).negated(),
            _ => self.corners(x, y),
        }
    }

    /// Products of what is not negative.
    fn product_of_positive(&self, x: &Range, y: &Range) -> Range {
        let (Range::Between(a, b), Range::Between(c, d)) = (x, y) else { return Range::Unreached };
        let product = |p: &Polynomial, q: &Polynomial| p.times(q);
        let zero = Bound::from(Polynomial::default());
        // The product of two lower ends is one only if they are not negative.
        let (a, c) = (self.not_negative(a), self.not_negative(c));
        self.pruned(&Range::Between(a.combine(&c, product).and(&zero), b.combine(d, product)))
    }

    /// The clauses of a lower bound of which no member is negative.
    fn not_negative(&self, bound: &Bound) -> Bound {
        let prover = self.prover();
        let is_usable =
            |clause: &&Vec<Polynomial>| clause.iter().all(|member| prover.is_not_negative(member));
        Bound::of(bound.clauses().iter().filter(is_usable).cloned())
    }

    /// Products where a sign is not known: the least and greatest of the products of the ends.
    fn corners(&self, x: &Range, y: &Range) -> Range {
        let (Range::Between(a, b), Range::Between(c, d)) = (x, y) else { return Range::Unreached };
        let of = |p: &Bound, q: &Bound| p.combine(q, |p, q| p.times(q));
        let is_bounded = [a, b, c, d].into_iter().all(|bound| !bound.is_none());
        if !is_bounded {
            return Range::all();
        }
        let products = [of(a, c), of(a, d), of(b, c), of(b, d)];
        if products.iter().any(Bound::is_none) {
            return Range::all();
        }
        let all = products.iter().skip(1).fold(products[0].clone(), |all, next| all.or(next));
        self.pruned(&Range::Between(all.clone(), all))
    }

    /// Quotients by an integer, rounded towards zero; none for zero.
    fn over_number(&mut self, x: &Range, divisor: &BigInt) -> Range {
        if divisor.is_zero() {
            return Range::Unreached;
        }
        if divisor.is_negative() {
            return self.over_number(&x.negated(), &-divisor);
        }
        let Range::Between(lower, upper) = x else { return Range::Unreached };
        // Rounding towards zero is monotone: each end goes where it would by itself.
        Range::Between(self.quotient(lower, divisor, Side::Lower), self.quotient(upper, divisor, Side::Upper))
    }

    fn quotient(&mut self, bound: &Bound, divisor: &BigInt, side: Side) -> Bound {
        let mut clauses = Vec::new();
        for clause in bound.clauses() {
            let mut quotients = Vec::new();
            for end in clause {
                let (is_down, may_pass_zero) = if self.prover().is_not_negative(end) {
                    (true, false)
                } else if self.prover().is_not_negative(&-end) {
                    (false, false)
                } else {
                    (side == Side::Upper, true)
                };
                // Down where it is not negative, up where it is not positive; where its sign is not known, zero is as far as the other
                // way of rounding goes.
                quotients.push(if is_down {
                    self.atoms.floor(end, divisor)
                } else {
                    self.atoms.ceiling(end, divisor)
                });
                quotients.extend(may_pass_zero.then(|| Some(Polynomial::default())));
            }
            clauses.extend(quotients.into_iter().collect::<Option<Vec<_>>>());
        }
        Bound::of(clauses)
    }

    /// Quotients rounded towards zero. Divisors that are zero give no value.
    pub fn over(&mut self, x: &Range, y: &Range) -> Range {
        if *x == Range::Unreached || *y == Range::Unreached {
            return Range::Unreached;
        }
        if let Some(divisor) = y.single().and_then(Polynomial::integer) {
            return self.over_number(x, &divisor);
        }
        let one = Range::Between(Polynomial::from(1).into(), Bound::none());
        let is_positive = self.is_not_negative(&y.minus(&Polynomial::from(1).into()));
        let is_negative = self.is_not_positive(&y.plus(&Polynomial::from(1).into()));
        match (is_positive, is_negative) {
            (true, _) => self.over_positive(x, y),
            (_, true) => self.over_positive(&x.negated(), &y.negated()),
            // Both signs: divisors from 1 on, and those up to -1.
            _ => {
                let (above, below) = (self.refined(y, &one), self.refined(&y.negated(), &one));
                let above = self.over_positive(x, &above);
                let below = self.over_positive(&x.negated(), &below);
                self.pruned(&above.union(&below))
            }
        }
    }

    /// Quotients by positive numbers.
    fn over_positive(&mut self, x: &Range, y: &Range) -> Range {
        let (Range::Between(lower, upper), Range::Between(least, most)) = (x, y) else {
            return Range::Unreached;
        };
        let integers =
            |bound: &Bound| bound.single().and_then(Polynomial::integer).filter(BigInt::is_positive);
        let (least, most) = (integers(least).unwrap_or_else(BigInt::one), integers(most));
        if most.as_ref().is_some_and(|most| *most < least) {
            return Range::Unreached;
        }
        // An end that is not negative is least with the largest divisor, one that is not positive with the smallest.
        let zero = Bound::from(Polynomial::default());
        let (by_least_low, by_least_high) =
            (self.quotient(lower, &least, Side::Lower), self.quotient(upper, &least, Side::Upper));
        let (low, high) = match most {
            Some(most) => {
                (self.quotient(lower, &most, Side::Lower), self.quotient(upper, &most, Side::Upper))
            }
            None => (zero.clone(), zero.clone()),
        };
        let low =
            if self.is_bound_by_zero(lower, Side::Lower) { low.and(&zero) } else { by_least_low.or(&low) };
        let high =
            if self.is_bound_by_zero(upper, Side::Upper) { high.and(&zero) } else { by_least_high.or(&high) };
        self.pruned(&Range::Between(low, high))
    }

    /// Remainders with the sign of the dividend. Divisors that are zero give no value.
    pub fn modulo(&mut self, x: &Range, y: &Range) -> Range {
        let (Range::Between(a, b), Range::Between(..)) = (x, y) else { return Range::Unreached };
        if y.single().is_some_and(Polynomial::is_zero) {
            return Range::Unreached;
        }
        // The greatest size of a divisor, less one.
        let most = self.most_size(y);
        let zero = Bound::from(Polynomial::default());
        let negative = most.map(|size| Some(-size));
        let lower = if self.is_not_negative(x) {
            zero.clone()
        } else {
            self.beyond_zero(a, Side::Lower).and(&negative)
        };
        let upper = if self.is_not_positive(x) { zero } else { self.beyond_zero(b, Side::Upper).and(&most) };
        self.pruned(&Range::Between(lower, upper))
    }

    /// A bound that zero fulfils too: zero joins every clause without a member beyond it.
    fn beyond_zero(&self, bound: &Bound, side: Side) -> Bound {
        let prover = self.prover();
        let is_beyond = |member: &Polynomial| match side {
            Side::Lower => prover.is_not_negative(&-member),
            Side::Upper => prover.is_not_negative(member),
        };
        Bound::of(bound.clauses().iter().map(|clause| {
            let zero = (!clause.iter().any(is_beyond)).then(Polynomial::default);
            clause.iter().cloned().chain(zero).collect()
        }))
    }

    /// max(|c|, |d|) - 1 of a range from c to d, as an upper bound.
    fn most_size(&self, y: &Range) -> Bound {
        let Range::Between(lower, upper) = y else { return Bound::none() };
        let less = |of: &Polynomial| Some(of - &Polynomial::from(1));
        if self.is_not_negative(y) {
            return upper.map(less);
        }
        if self.is_not_positive(y) {
            return lower.map(|of| less(&-of));
        }
        upper.map(less).or(&lower.map(|of| less(&-of)))
    }

    /// What `x < y` says of x and of y.
    pub fn less(&self, x: &Range, y: &Range) -> (Range, Range) {
        let one = Range::from(Polynomial::from(1));
        let (next, y) = self.not_greater(&x.plus(&one), y);
        (next.minus(&one), y)
    }

    /// What `x <= y` says of x and of y.
    pub fn not_greater(&self, x: &Range, y: &Range) -> (Range, Range) {
        let (Range::Between(a, _), Range::Between(_, d)) = (x, y) else {
            return (Range::Unreached, Range::Unreached);
        };
        let below = Range::Between(Bound::none(), d.clone());
        let above = Range::Between(a.clone(), Bound::none());
        (self.refined(x, &below), self.refined(y, &above))
    }

    /// What `x == y` says of x and of y.
    pub fn equal(&self, x: &Range, y: &Range) -> (Range, Range) {
        (self.refined(x, y), self.refined(y, x))
    }

    /// What `x != y` says of x: an end that is the one value of y goes.
    pub fn unequal(&self, x: &Range, y: &Range) -> Range {
        let (Some(value), Range::Between(lower, upper)) = (y.single(), x) else { return x.clone() };
        let one = Polynomial::from(1);
        let (mut low, mut high) = (lower.clone(), upper.clone());
        if lower.single() == Some(value) {
            low = (value + &one).into();
        }
        if upper.single() == Some(value) {
            high = (value - &one).into();
        }
        self.refined(&Range::Between(low, high), &Range::all())
    }

    /// Values of both; never reached if there are provably none.
    pub fn refined(&self, x: &Range, y: &Range) -> Range {
        let both = self.pruned(&x.intersection(y));
        let Range::Between(lower, upper) = &both else { return Range::Unreached };
        let prover = self.prover();
        let is_empty = lower.clauses().iter().any(|below| {
            upper.clauses().iter().any(|above| {
                below.iter().all(|least| above.iter().all(|most| prover.is_positive(&(least - most))))
            })
        });
        if is_empty { Range::Unreached } else { both }
    }
}
