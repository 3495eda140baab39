//! Equations over integers.
//!
//! Linear equations are solved for an unknown and put into the others, as long as there are any: products become linear where
//! other unknowns are numbers by then. What remains is solved by integer roots of polynomials in one unknown, and by turning a
//! quotient ⌊e/c⌋ into the interval from (e − c + 1)/c to e/c. Every solution is checked by putting it into the equations as
//! they were given; several solutions are a set.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::{Atom, AtomId, Atoms, Coefficient, Polynomial};

/// Most solutions, and most candidates for one unknown.
const MOST: usize = 64;

/// Values of unknowns.
pub type Solution = BTreeMap<AtomId, BigInt>;

/// The solutions that were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solutions {
    /// Values for all unknowns of the equations, each checked.
    pub list: Vec<Solution>,
    /// Whether these are all.
    pub complete: bool,
}

/// Values for the symbols in these polynomials for which all of them are zero.
pub fn solve(atoms: &mut Atoms, equations: &[Polynomial]) -> Solutions {
    let mut search = Search { atoms, given: equations, found: Vec::new(), complete: true };
    search.step(equations.to_vec(), Solution::new(), Vec::new());
    let mut list = search.found;
    list.sort();
    list.dedup();
    Solutions { list, complete: search.complete }
}

struct Search<'a> {
    atoms: &'a mut Atoms,
    given: &'a [Polynomial],
    found: Vec<Solution>,
    complete: bool,
}

impl Search<'_> {
    /// Goes on with what remains of the equations, numbers found, and unknowns that were replaced by others.
    fn step(
        &mut self,
        mut equations: Vec<Polynomial>,
        numbers: Solution,
        mut replaced: Vec<(AtomId, Polynomial)>,
    ) {
        equations.retain(|equation| !equation.is_zero());
        if equations.iter().any(|equation| equation.constant().is_some()) {
            return;
        }
        if equations.is_empty() {
            return self.finish(numbers, replaced);
        }
        for (place, equation) in equations.iter().enumerate() {
            if let Some((atom, values)) = self.candidates(equation) {
                for value in values {
                    let mut numbers = numbers.clone();
                    numbers.insert(atom, value.clone());
                    if let Some(rest) = self.put(&equations, place, atom, &value.into()) {
                        self.step(rest, numbers, replaced.clone());
                    }
                }
                return;
            }
        }
        for (place, equation) in equations.iter().enumerate() {
            if let Some((atom, value)) = self.isolated(equation)
                && let Some(rest) = self.put(&equations, place, atom, &value)
            {
                replaced.push((atom, value));
                return self.step(rest, numbers, replaced);
            }
        }
        self.complete = false;
    }

    /// The equations but one, with an unknown replaced.
    fn put(
        &mut self,
        equations: &[Polynomial],
        but: usize,
        atom: AtomId,
        value: &Polynomial,
    ) -> Option<Vec<Polynomial>> {
        let others = equations.iter().enumerate().filter(|(place, _)| *place != but);
        let result: Option<Vec<Polynomial>> =
            others.map(|(_, equation)| self.atoms.replaced(equation, atom, value)).collect();
        if result.is_none() {
            self.complete = false;
        }
        result
    }

    /// Unknowns that an atom is or is made of.
    fn unknowns(&self, of: &Polynomial) -> Vec<AtomId> {
        let mut all = Vec::new();
        for atom in of.atoms() {
            match self.atoms.get(atom) {
                Atom::Floor(inner, _) | Atom::Modulo(inner, _) | Atom::Least(inner) => {
                    all.extend(self.unknowns(inner))
                }
                _ => all.push(atom),
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The only values that the one unknown of an equation may have; `None` if it has several or they cannot be found.
    fn candidates(&self, equation: &Polynomial) -> Option<(AtomId, Vec<BigInt>)> {
        let unknowns = self.unknowns(equation);
        let [unknown] = unknowns.as_slice() else { return None };
        let values = match equation.atoms().as_slice() {
            [atom] if atom == unknown => roots(equation, *unknown)?,
            _ => self.around(equation, *unknown)?,
        };
        Some((*unknown, values))
    }

    /// The integers at which an equation that is linear in an unknown and its quotients can be fulfilled: a quotient
    /// ⌊e/c⌋ lies between (e − c + 1)/c and e/c.
    fn around(&self, equation: &Polynomial, unknown: AtomId) -> Option<Vec<BigInt>> {
        let zero = BigRational::zero;
        // The equation lies between slope · unknown + low and slope · unknown + high.
        let (mut slope, mut low, mut high) = (zero(), zero(), zero());
        for (monomial, factor) in equation.terms() {
            let factor = factor.to_rational();
            let (least, most) = match monomial.powers() {
                [] => (factor.clone(), factor),
                [(atom, 1)] if *atom == unknown => {
                    slope += factor;
                    continue;
                }
                [(atom, 1)] => {
                    let (inner, least, most) = self.enclosed(*atom, unknown)?;
                    slope += &factor * inner;
                    (&factor * least, factor * most)
                }
                _ => return None,
            };
            low += least.clone().min(most.clone());
            high += least.max(most);
        }
        if slope.is_zero() {
            return None;
        }
        let (one, other) = (-&low / &slope, -&high / &slope);
        let (mut value, last) = (one.clone().min(other.clone()).ceil(), one.max(other).floor());
        let mut values = Vec::new();
        while value <= last {
            if values.len() == MOST {
                return None;
            }
            values.push(value.to_integer());
            value += BigRational::one();
        }
        Some(values)
    }

    /// A quotient or remainder of a linear function of the unknown: slope, least and greatest offset.
    fn enclosed(&self, atom: AtomId, unknown: AtomId) -> Option<(BigRational, BigRational, BigRational)> {
        let rational = |number: &BigInt| BigRational::from(number.clone());
        match self.atoms.get(atom) {
            Atom::Floor(inner, divisor) if inner.atoms() == [unknown] && inner.degree_in(unknown) == 1 => {
                let slope = inner.coefficient(unknown, 1).constant()?.to_rational();
                let offset = inner.coefficient(unknown, 0).constant()?.to_rational();
                let divisor = rational(divisor);
                let least = (&offset - &divisor + BigRational::one()) / &divisor;
                Some((slope / &divisor, least, offset / divisor))
            }
            Atom::Modulo(_, divisor) => {
                Some((BigRational::zero(), BigRational::zero(), rational(divisor) - BigRational::one()))
            }
            _ => None,
        }
    }

    /// An unknown in which an equation is linear with a number before it, and what it is equal to.
    fn isolated(&self, equation: &Polynomial) -> Option<(AtomId, Polynomial)> {
        equation.atoms().into_iter().find_map(|atom| {
            let is_made = matches!(self.atoms.get(atom), Atom::Floor(..) | Atom::Modulo(..) | Atom::Least(_));
            let is_unknown = !is_made;
            if !is_unknown || equation.degree_in(atom) != 1 {
                return None;
            }
            let slope = equation.coefficient(atom, 1).constant()?;
            let rest = equation.coefficient(atom, 0);
            let factor = Coefficient::from(-1).over(&slope)?;
            (!self.atoms.involves(&rest, atom)).then(|| (atom, rest.scaled(&factor)))
        })
    }

    /// Numbers for what was replaced, then the check.
    fn finish(&mut self, mut numbers: Solution, replaced: Vec<(AtomId, Polynomial)>) {
        for (atom, value) in replaced.into_iter().rev() {
            match self.value(&value, &numbers) {
                Some(Some(number)) => {
                    numbers.insert(atom, number);
                }
                // No integer: no solution.
                Some(None) => return,
                // Other unknowns may be anything.
                None => {
                    self.complete = false;
                    return;
                }
            }
        }
        let fulfils = |equation: &Polynomial, search: &mut Self| {
            search.value(equation, &numbers).flatten().is_some_and(|value| value.is_zero())
        };
        let given = self.given;
        if self.found.len() >= MOST {
            self.complete = false;
        } else if given.iter().all(|equation| fulfils(equation, self)) {
            self.found.push(numbers);
        }
    }

    /// The number that a polynomial is with these values; `Some(None)` if it is no integer, `None` if unknowns are left.
    fn value(&mut self, of: &Polynomial, numbers: &Solution) -> Option<Option<BigInt>> {
        let mut of = of.clone();
        for (atom, number) in numbers {
            of = self.atoms.replaced(&of, *atom, &number.clone().into())?;
        }
        of.constant().map(|number| number.is_integer().then(|| number.to_integer()))
    }
}

/// The integer roots of a polynomial in one atom; `None` if they are not found.
fn roots(of: &Polynomial, atom: AtomId) -> Option<Vec<BigInt>> {
    let denominator = of.denominator().into();
    let whole = of.scaled(&denominator);
    let number = |power: u32| whole.coefficient(atom, power).integer();
    let degree = whole.degree_in(atom);
    match degree {
        1 => {
            let (quotient, rest) = (-number(0)?).div_rem(&number(1)?);
            Some(if rest.is_zero() { vec![quotient] } else { Vec::new() })
        }
        2 => {
            let (a, b, c) = (number(2)?, number(1)?, number(0)?);
            let inside = &b * &b - BigInt::from(4) * &a * c;
            if inside.is_negative() {
                return Some(Vec::new());
            }
            let root = inside.sqrt();
            if &root * &root != inside {
                return Some(Vec::new());
            }
            let halves = [-&b + &root, -&b - &root].into_iter().filter_map(|above| {
                let (quotient, rest) = above.div_rem(&(BigInt::from(2) * &a));
                rest.is_zero().then_some(quotient)
            });
            let mut found: Vec<BigInt> = halves.collect();
            found.dedup();
            Some(found)
        }
        // a·xⁿ + c
        _ if (1..degree).all(|power| number(power).is_some_and(|middle| middle.is_zero())) => {
            let (quotient, rest) = (-number(0)?).div_rem(&number(degree)?);
            let no_root = !rest.is_zero() || quotient.is_negative() && degree.is_multiple_of(2);
            if no_root {
                return Some(Vec::new());
            }
            let root = quotient.nth_root(degree);
            let candidates = if degree.is_multiple_of(2) { vec![root.clone(), -root] } else { vec![root] };
            Some(candidates.into_iter().filter(|root| root.pow(degree) == quotient).collect())
        }
        _ => None,
    }
}
