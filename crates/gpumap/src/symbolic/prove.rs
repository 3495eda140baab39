//! Signs and comparisons that follow from facts.
//!
//! To prove that a polynomial p is not negative:
//! 1. *Shift*: with x = m + x′ for every atom that is at least m (or M − x′ for one that is at most M), no coefficient is
//!    negative, and atoms without bounds have even powers.
//! 2. *Add a fact*: p − k·f is not negative for a fact f ≥ 0 and a number k > 0 that removes a term.
//! 3. *Go to an end*: of an atom x between l and u. If p(x + 1) − p(x) is not negative, p(l) is the least value; if it is not
//!    positive, p(u) is; if p is linear in x, or a·x² + b·x + c with a not positive, one of both is. Then u − l ≥ 0 is known too,
//!    as x lies between.
//! 4. *Complete the square*: a·x² + b·x + c with a number a > 0 is not less than c − b²/4a.
//!
//! For p that is not linear in x, p(x′ + 1) − p(x′) has to be known at every x′ from the end to x, not at x alone: facts that
//! involve x hold at x only, so there x′ has its bounds and nothing else (`Walk`).
//!
//! No loop begins 2^63 iterations: at one in every cycle of a processor that would take longer than 50 years.
//!
//! Steps 2 to 4 are repeated up to a depth and a number of steps; then nothing is proved. Values of atoms are integers, so
//! p > 0 is d·p − 1 ≥ 0, d the common denominator of the coefficients.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::One;
use rustc_hash::FxHashMap;

use super::{Atom, AtomId, Atoms, Bound, Coefficient, Facts, Polynomial, Side};

/// Steps one after the other,
const DEPTH: u32 = 6;
/// and in proofs that are tried first.
const SHORT: u32 = 2;
/// Steps of one proof, each time it is tried.
const STEPS: u32 = 400;

/// Signs that a value may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signs {
    /// It may be negative.
    pub negative: bool,
    /// It may be zero.
    pub zero: bool,
    /// It may be positive.
    pub positive: bool,
}

impl Signs {
    /// All.
    pub const ALL: Signs = Signs { negative: true, zero: true, positive: true };

    /// Whether it cannot be negative.
    pub fn is_not_negative(self) -> bool {
        !self.negative
    }

    /// Whether it cannot be positive.
    pub fn is_not_positive(self) -> bool {
        !self.positive
    }
}

/// How two values compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The first one is less.
    Less,
    /// Not greater.
    NotGreater,
    /// Equal.
    Equal,
    /// Not less.
    NotLess,
    /// Greater.
    Greater,
    /// Not equal; which one is greater depends on the atoms.
    Unequal,
    /// Any of these.
    Unknown,
}

/// How a polynomial changes with an atom, over all values that the atom may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Monotone {
    /// Not at all.
    Constant,
    /// It never falls.
    Increasing,
    /// It never grows.
    Decreasing,
    /// Not known.
    Unknown,
}

/// What was asked under the same facts before. Analyses ask most questions several times.
#[derive(Debug, Default)]
struct Known {
    /// Bounds of atoms, as they are without walks.
    bounds: RefCell<FxHashMap<AtomId, Rc<(Bound, Bound)>>>,
    /// Whether polynomials are proved not to be negative, by proofs of any length and by short ones alone.
    answers: [RefCell<FxHashMap<Polynomial, bool>>; 2],
}

/// What was proved about atoms, under which facts. A copy of the atoms starts anew: their numbers may come to mean something else.
#[derive(Debug, Default)]
pub(super) struct Proofs(RefCell<FxHashMap<Facts, Rc<Known>>>);

impl Clone for Proofs {
    fn clone(&self) -> Proofs {
        Proofs::default()
    }
}

impl Proofs {
    fn under(&self, facts: &Facts) -> Rc<Known> {
        if let Some(known) = self.0.borrow().get(facts) {
            return known.clone();
        }
        let known = Rc::<Known>::default();
        self.0.borrow_mut().insert(facts.clone(), known.clone());
        known
    }
}

/// Proves what follows from facts.
#[derive(Debug)]
pub struct Prover<'a> {
    atoms: &'a Atoms,
    facts: &'a Facts,
    steps: Cell<u32>,
    deepest: u32,
    known: Rc<Known>,
}

impl<'a> Prover<'a> {
    /// For these facts.
    pub fn new(atoms: &'a Atoms, facts: &'a Facts) -> Prover<'a> {
        Prover { atoms, facts, steps: Cell::new(0), deepest: DEPTH, known: atoms.proofs.under(facts) }
    }

    /// One that tries short proofs alone, where a question is one of many and its answer may be missing.
    pub fn short(atoms: &'a Atoms, facts: &'a Facts) -> Prover<'a> {
        Prover { deepest: SHORT, ..Prover::new(atoms, facts) }
    }

    /// Whether a polynomial is proved not to be negative.
    pub fn is_not_negative(&self, of: &Polynomial) -> bool {
        if let Some(number) = of.constant() {
            return !number.is_negative();
        }
        let answers = &self.known.answers[usize::from(self.deepest == SHORT)];
        if let Some(&known) = answers.borrow().get(of) {
            return known;
        }
        // Short proofs first: among many facts the steps of a long one are soon used up.
        let holds = [SHORT, DEPTH].into_iter().filter(|&depth| depth <= self.deepest).any(|depth| {
            self.steps.set(STEPS);
            self.holds(of, depth, &View::default())
        });
        answers.borrow_mut().insert(of.clone(), holds);
        holds
    }

    /// Whether it is proved to be positive.
    pub fn is_positive(&self, of: &Polynomial) -> bool {
        let whole = of.scaled(&of.denominator().into());
        self.is_not_negative(&(&whole - &Polynomial::from(1)))
    }

    /// Whether `greater` is proved not to be less than `less`.
    pub fn is_at_least(&self, greater: &Polynomial, less: &Polynomial) -> bool {
        self.is_not_negative(&(greater - less))
    }

    /// The signs that a polynomial may have, as far as is proved.
    pub fn signs(&self, of: &Polynomial) -> Signs {
        let opposite = -of;
        if self.is_positive(of) {
            return Signs { negative: false, zero: false, positive: true };
        }
        if self.is_positive(&opposite) {
            return Signs { negative: true, zero: false, positive: false };
        }
        Signs { negative: !self.is_not_negative(of), zero: true, positive: !self.is_not_negative(&opposite) }
    }

    /// How two polynomials compare, as far as is proved.
    pub fn compare(&self, a: &Polynomial, b: &Polynomial) -> Order {
        let Signs { negative, zero, positive } = self.signs(&(a - b));
        match (negative, zero, positive) {
            (true, false, false) => Order::Less,
            (true, true, false) => Order::NotGreater,
            (false, _, false) => Order::Equal,
            (false, true, true) => Order::NotLess,
            (false, false, true) => Order::Greater,
            (true, false, true) => Order::Unequal,
            (true, true, true) => Order::Unknown,
        }
    }

    /// How a polynomial changes with an atom. Atoms that are made of it count as others: for them nothing is known.
    pub fn monotone(&self, of: &Polynomial, atom: AtomId) -> Monotone {
        let is_inside = |other: AtomId| other != atom && self.atoms.involves(&other.into(), atom);
        if of.atoms().into_iter().any(is_inside) {
            return Monotone::Unknown;
        }
        let Some(change) = of.difference(atom) else { return Monotone::Unknown };
        if change.is_zero() {
            Monotone::Constant
        } else if self.is_not_negative(&change) {
            Monotone::Increasing
        } else if self.is_not_negative(&-&change) {
            Monotone::Decreasing
        } else {
            Monotone::Unknown
        }
    }

    /// The bounds of an atom: those of the facts, and those that follow from what it is.
    fn bounds(&self, atom: AtomId, view: &View) -> Rc<(Bound, Bound)> {
        let known = self.known.bounds.borrow().get(&atom).cloned();
        let plain = known.unwrap_or_else(|| {
            let (lower, upper) = self.facts.bounds(atom).cloned().unwrap_or_default();
            let (least, most) = self.implied(atom);
            let bounds = Rc::new((lower.and(&least), upper.and(&most)));
            self.known.bounds.borrow_mut().insert(atom, bounds.clone());
            bounds
        });
        if view.walks.is_empty() {
            return plain;
        }
        let (mut lower, mut upper) = (*plain).clone();
        for walk in &view.walks {
            if walk.atom == atom {
                match walk.from {
                    Side::Lower => lower = Bound::of([walk.end.clone()]),
                    Side::Upper => upper = Bound::of([walk.end.clone()]),
                }
            } else {
                lower = self.without(&lower, walk.atom);
                upper = self.without(&upper, walk.atom);
            }
        }
        Rc::new((lower, upper))
    }

    /// The clauses of a bound that do not involve an atom.
    fn without(&self, bound: &Bound, atom: AtomId) -> Bound {
        let is_free =
            |clause: &&Vec<Polynomial>| !clause.iter().any(|member| self.atoms.involves(member, atom));
        Bound::of(bound.clauses().iter().filter(is_free).cloned())
    }

    /// Bounds that an atom has by what it is.
    fn implied(&self, atom: AtomId) -> (Bound, Bound) {
        match self.atoms.get(atom) {
            Atom::Floor(of, divisor) => {
                let inverse = Coefficient::inverse(divisor);
                let least = of - &Polynomial::from(divisor - BigInt::one());
                (least.scaled(&inverse).into(), of.scaled(&inverse).into())
            }
            Atom::Least(of) => {
                let zero = Polynomial::default();
                (Bound::of([vec![zero.clone(), of.clone()]]), Bound::of([vec![zero], vec![of.clone()]]))
            }
            Atom::Modulo(_, divisor) => {
                (Polynomial::default().into(), Polynomial::from(divisor - BigInt::one()).into())
            }
            Atom::Induction(..) => (Polynomial::default().into(), Polynomial::from(i64::MAX).into()),
            Atom::Load { bits, signed, .. } => {
                let range = BigInt::one() << bits.saturating_sub(u32::from(*signed));
                let least = if *signed { -range.clone() } else { BigInt::from(0) };
                (Polynomial::from(least).into(), Polynomial::from(range - BigInt::one()).into())
            }
            _ if self.atoms.cannot_be_negative(atom) => (Polynomial::default().into(), Bound::none()),
            Atom::Symbol(_) | Atom::Opaque(_) => (Bound::none(), Bound::none()),
        }
    }

    fn holds(&self, of: &Polynomial, depth: u32, view: &View) -> bool {
        let left = self.steps.get().checked_sub(1).filter(|_| self.atoms.step().is_some());
        let Some(left) = left else { return false };
        self.steps.set(left);
        if let Some(number) = of.constant() {
            return !number.is_negative();
        }
        if self.holds_shifted(of, view) {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        // Atoms made of others come after them: those go first.
        let mut atoms = of.atoms();
        atoms.reverse();
        atoms.iter().any(|&atom| self.holds_at_end(of, atom, depth, view))
            || atoms.iter().any(|&atom| self.holds_everywhere(of, atom, depth, view))
            || self.known(view).any(|fact| self.holds_with(of, fact, depth, view))
    }

    /// Polynomials that are not negative.
    fn known<'v>(&'v self, view: &'v View) -> impl Iterator<Item = &'v Polynomial> {
        let is_free = |fact: &&Polynomial| !view.walks.iter().any(|w| self.atoms.involves(fact, w.atom));
        self.facts.not_negative().iter().filter(is_free).chain(&view.also)
    }

    /// Step 1.
    fn holds_shifted(&self, of: &Polynomial, view: &View) -> bool {
        let mut shifted = of.clone();
        let mut free = Vec::new();
        for atom in of.atoms() {
            let bounds = self.bounds(atom, view);
            let variable = Polynomial::from(atom);
            let value = match (number(&bounds.0, true), number(&bounds.1, false)) {
                // Nothing is moved.
                (Some(least), _) if least.is_zero() => continue,
                (Some(least), _) => &variable + &least.into(),
                (None, Some(most)) => &Polynomial::from(most) - &variable,
                (None, None) => {
                    free.push(atom);
                    continue;
                }
            };
            match shifted.with(atom, &value) {
                Some(next) => shifted = next,
                None => return false,
            }
        }
        shifted.has_no_negative()
            && shifted
                .terms()
                .iter()
                .all(|(monomial, _)| free.iter().all(|&atom| monomial.power(atom).is_multiple_of(2)))
    }

    /// Step 2.
    fn holds_with(&self, of: &Polynomial, fact: &Polynomial, depth: u32, view: &View) -> bool {
        fact.terms().iter().filter(|(monomial, _)| !monomial.powers().is_empty()).any(|(monomial, scale)| {
            let term = of.terms().iter().find(|term| term.0 == *monomial);
            let Some(factor) = term.and_then(|term| term.1.over(scale)).filter(Coefficient::is_positive)
            else {
                return false;
            };
            let rest = of.plus_scaled(fact, &factor.negated());
            // A term is gone; at most one more than were there may come.
            rest.terms().len() <= of.terms().len() + 1 && self.holds(&rest, depth, view)
        })
    }

    /// Step 3.
    fn holds_at_end(&self, of: &Polynomial, atom: AtomId, depth: u32, view: &View) -> bool {
        let bounds = self.bounds(atom, view);
        let is_linear = of.degree_in(atom) == 1;
        let usable = |bound: &Bound| -> Vec<Vec<Polynomial>> {
            let ends = |end: &Polynomial| !end.mentions(atom) && (is_linear || end.is_integral());
            bound.clauses().iter().filter(|clause| clause.iter().all(ends)).cloned().collect()
        };
        let (lower, upper) = (usable(&bounds.0), usable(&bounds.1));
        let Some(rise) = of.difference(atom) else { return false };
        let fall = -&rise;
        let is_from = |side: Side, end: &[Polynomial]| {
            let change = if side == Side::Lower { &rise } else { &fall };
            let is_monotone = if is_linear {
                self.holds(change, depth, view)
            } else {
                self.holds(
                    change,
                    depth,
                    &view.walking(self.atoms, Walk { atom, from: side, end: end.to_vec() }),
                )
            };
            is_monotone && self.holds_at(of, atom, end, depth, view)
        };
        lower.iter().any(|end| is_from(Side::Lower, end))
            || upper.iter().any(|end| is_from(Side::Upper, end))
            || self.is_concave(of, atom, depth, view)
                && self.holds_at_both(of, atom, (&lower, &upper), depth, view)
    }

    /// Whether a polynomial is linear in an atom, or falls off on both sides of some value of it.
    fn is_concave(&self, of: &Polynomial, atom: AtomId, depth: u32, view: &View) -> bool {
        match of.degree_in(atom) {
            1 => true,
            2 => self.holds(&-&of.coefficient(atom, 2), depth, view),
            _ => false,
        }
    }

    /// Step 4.
    fn holds_everywhere(&self, of: &Polynomial, atom: AtomId, depth: u32, view: &View) -> bool {
        let leading = of.coefficient(atom, 2).constant().filter(Coefficient::is_positive);
        let (Some(leading), 2) = (leading, of.degree_in(atom)) else { return false };
        let [middle, rest] = [1, 0].map(|power| of.coefficient(atom, power));
        let factor = Coefficient::from(4).times(&leading);
        let square = middle.times(&middle);
        square.is_some_and(|square| self.holds(&(&rest.scaled(&factor) - &square), depth, view))
    }

    /// Whether a polynomial is not negative with each of these values for an atom.
    fn holds_at(&self, of: &Polynomial, atom: AtomId, ends: &[Polynomial], depth: u32, view: &View) -> bool {
        ends.iter().all(|end| of.with(atom, end).is_some_and(|value| self.holds(&value, depth, view)))
    }

    /// Whether a polynomial that is concave in an atom is not negative at both ends of it.
    fn holds_at_both(
        &self,
        of: &Polynomial,
        atom: AtomId,
        (lower, upper): (&[Vec<Polynomial>], &[Vec<Polynomial>]),
        depth: u32,
        view: &View,
    ) -> bool {
        lower.iter().any(|below| {
            upper.iter().any(|above| {
                let mut view = view.clone();
                // Which member of a set is the end is not known where there are several.
                if let ([least], [most]) = (below.as_slice(), above.as_slice()) {
                    view.also.push(most - least);
                }
                self.holds_at(of, atom, below, depth, &view) && self.holds_at(of, atom, above, depth, &view)
            })
        })
    }
}

/// What is taken as known beside the facts, or instead of them.
#[derive(Debug, Clone, Default)]
struct View {
    /// Polynomials that are not negative.
    also: Vec<Polynomial>,
    /// Atoms that have other values than their own.
    walks: Vec<Walk>,
}

/// An atom has any value from one of its ends to its own value.
#[derive(Debug, Clone)]
struct Walk {
    atom: AtomId,
    from: Side,
    /// The clause that gives the end.
    end: Vec<Polynomial>,
}

impl View {
    fn walking(&self, atoms: &Atoms, walk: Walk) -> View {
        let mut view = self.clone();
        view.also.retain(|known| !atoms.involves(known, walk.atom));
        view.walks.push(walk);
        view
    }
}

/// The best number that a bound guarantees.
fn number(bound: &Bound, is_lower: bool) -> Option<Coefficient> {
    let least = |numbers: Vec<Coefficient>| numbers.into_iter().min();
    let most = |numbers: Vec<Coefficient>| numbers.into_iter().max();
    let of_clauses = bound.clauses().iter().filter_map(|clause| {
        let numbers = clause.iter().map(Polynomial::constant).collect::<Option<Vec<_>>>()?;
        if is_lower { least(numbers) } else { most(numbers) }
    });
    let all = of_clauses.collect();
    if is_lower { most(all) } else { least(all) }
}
