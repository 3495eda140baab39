//! Atoms: integers that have a name or cannot be taken apart, each held once.

use std::cell::Cell;
use std::fmt::Write as _;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};
use rustc_hash::{FxHashMap, FxHashSet};

use super::prove::Proofs;
use super::{Coefficient, Monomial, Polynomial};

/// Quotients may be nested this deep. What is made of many others of each would take too long to look through.
const NESTED: u32 = 4;

/// An atom, by its number. One that is made of others has a larger number than these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AtomId(u32);

/// What an atom is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Atom {
    /// An input of the function, by its name in the source.
    Symbol(Box<str>),
    /// The number of iterations that a loop has begun before, by the loop's number and the name of its iterator.
    Induction(usize, Box<str>),
    /// The quotient of a polynomial with integer coefficients by a positive integer, rounded down.
    Floor(Polynomial, BigInt),
    /// The remainder of that quotient, from 0 to the divisor less one.
    Modulo(Polynomial, BigInt),
    /// The lesser of zero and a polynomial with integer coefficients. min(a, b) is a + min(0, b − a), max(a, b) what is left of a + b.
    Least(Polynomial),
    /// What memory holds at an address, as long as nothing changes there (`epoch`).
    Load {
        /// The address in bytes.
        address: Polynomial,
        /// A number for the time between two changes of memory.
        epoch: u32,
        /// How many bits are read.
        bits: u32,
        /// Whether they are read in two's complement.
        signed: bool,
    },
    /// Any integer: the same at every use of the same number.
    Opaque(u32),
}

/// Steps of all proofs about the atoms of one analysis; then nothing more is proved. About five seconds.
const PROOF_STEPS: u64 = 1_500_000;

/// All atoms of an analysis.
#[derive(Debug, Clone)]
pub struct Atoms {
    list: Vec<Atom>,
    numbers: FxHashMap<Atom, AtomId>,
    /// How deep each atom is nested: 0 for those that are not made of others.
    levels: Vec<u32>,
    /// Names of atoms that are known by another one than what they are made of.
    names: FxHashMap<AtomId, Box<str>>,
    /// Atoms that are known not to be negative, wherever they are used.
    not_negative: FxHashSet<AtomId>,
    /// Atoms that are addresses.
    addresses: FxHashSet<AtomId>,
    /// Steps that proofs may still take.
    steps: Cell<u64>,
    /// What was proved already.
    pub(super) proofs: Proofs,
}

impl Default for Atoms {
    fn default() -> Atoms {
        Atoms {
            list: Vec::new(),
            numbers: FxHashMap::default(),
            levels: Vec::new(),
            names: FxHashMap::default(),
            not_negative: FxHashSet::default(),
            addresses: FxHashSet::default(),
            steps: Cell::new(PROOF_STEPS),
            proofs: Proofs::default(),
        }
    }
}

impl Atoms {
    /// The number of an atom.
    pub fn number(&mut self, atom: Atom) -> AtomId {
        if let Some(&id) = self.numbers.get(&atom) {
            return id;
        }
        // An analysis ends long before there are that many.
        let id = AtomId(self.list.len() as u32);
        self.levels.push(match &atom {
            Atom::Floor(of, _) | Atom::Modulo(of, _) | Atom::Least(of) => self.level(of).saturating_add(1),
            Atom::Load { address, .. } => self.level(address).saturating_add(1),
            Atom::Symbol(_) | Atom::Induction(..) | Atom::Opaque(_) => 0,
        });
        self.numbers.insert(atom.clone(), id);
        self.list.push(atom);
        id
    }

    /// How deep atoms are nested in a polynomial.
    fn level(&self, of: &Polynomial) -> u32 {
        of.atoms().into_iter().map(|atom| self.levels[atom.0 as usize]).max().unwrap_or(0)
    }

    /// An atom.
    pub fn get(&self, id: AtomId) -> &Atom {
        &self.list[id.0 as usize]
    }

    /// Gives an atom a name to be shown by. The first one stays.
    pub fn call(&mut self, id: AtomId, name: &str) {
        self.names.entry(id).or_insert_with(|| name.into());
    }

    /// The name of an atom that is not made of others, or that was given one.
    pub fn name(&self, id: AtomId) -> Option<&str> {
        let given = self.names.get(&id).map(|name| &**name);
        given.or(match self.get(id) {
            Atom::Symbol(name) => Some(name),
            _ => None,
        })
    }

    /// Notes that an atom is not negative, wherever it is used.
    pub fn note_not_negative(&mut self, id: AtomId) {
        self.not_negative.insert(id);
    }

    /// Whether that was noted.
    pub fn cannot_be_negative(&self, id: AtomId) -> bool {
        self.not_negative.contains(&id)
    }

    /// Notes that an atom is an address.
    pub fn note_address(&mut self, id: AtomId) {
        self.addresses.insert(id);
    }

    /// Whether that was noted.
    pub fn is_address(&self, id: AtomId) -> bool {
        self.addresses.contains(&id)
    }

    /// Takes a step of a proof; `None` if there are none left.
    pub(super) fn step(&self) -> Option<()> {
        self.steps.set(self.steps.get().checked_sub(1)?);
        Some(())
    }

    /// Whether proofs have taken all steps that they may take.
    pub fn is_exhausted(&self) -> bool {
        self.steps.get() == 0
    }

    /// The symbol of this name.
    pub fn symbol(&mut self, name: &str) -> Polynomial {
        self.number(Atom::Symbol(name.into())).into()
    }

    /// The quotient of a polynomial by an integer, rounded down; `None` if the divisor is zero, a coefficient no integer, or
    /// quotients are nested too deep.
    ///
    /// Normal form: what the divisor divides is taken out of the atom, and common factors of the rest and the divisor.
    pub fn floor(&mut self, of: &Polynomial, divisor: &BigInt) -> Option<Polynomial> {
        if divisor.is_zero() || !of.is_integral() || self.level(of) >= NESTED {
            return None;
        }
        if divisor.is_negative() {
            return self.floor(&-of, &-divisor);
        }
        let (whole, rest) = divided(of, divisor);
        if rest.is_zero() {
            return Some(whole);
        }
        let (rest, divisor) = reduced(rest, divisor);
        // Reducing may leave a constant smaller than the divisor.
        if rest.is_zero() {
            return Some(whole);
        }
        let atom = self.number(Atom::Floor(rest, divisor));
        Some(&whole + &atom.into())
    }

    /// The quotient rounded up.
    pub fn ceiling(&mut self, of: &Polynomial, divisor: &BigInt) -> Option<Polynomial> {
        self.floor(&-of, divisor).map(|floor| -&floor)
    }

    /// The remainder from 0 to the divisor less one; `None` if the divisor is not positive, a coefficient
    /// no integer, or remainders are nested too deep.
    pub fn modulo(&mut self, of: &Polynomial, divisor: &BigInt) -> Option<Polynomial> {
        if !divisor.is_positive() || !of.is_integral() || self.level(of) >= NESTED {
            return None;
        }
        let (_, rest) = divided(of, divisor);
        if rest.constant().is_some() {
            return Some(rest);
        }
        Some(self.number(Atom::Modulo(rest, divisor.clone())).into())
    }

    /// The lesser of two polynomials; `None` if a coefficient of their difference is no integer, or what they are made of is nested too
    /// deep. Normal form: the polynomial that comes first in order is taken out of the atom.
    pub fn least(&mut self, a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
        let (first, other) = if a <= b { (a, b) } else { (b, a) };
        let difference = other - first;
        if let Some(number) = difference.constant() {
            return Some(if number.is_negative() { other.clone() } else { first.clone() });
        }
        if !difference.is_integral() || self.level(&difference) >= NESTED {
            return None;
        }
        Some(first + &self.number(Atom::Least(difference)).into())
    }

    /// The greater of two polynomials; `None` where there is no lesser one either.
    pub fn greatest(&mut self, a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
        let least = self.least(a, b)?;
        Some(&(a + b) - &least)
    }

    /// The two polynomials of which one is the lesser one, or the greater one if the answer's first part is false; `None` if a polynomial
    /// is not linear in such an atom.
    pub fn chosen(&self, of: &Polynomial) -> Option<(bool, Polynomial, Polynomial)> {
        of.atoms().into_iter().rev().find_map(|atom| {
            let Atom::Least(inner) = self.get(atom) else { return None };
            let factor = of.coefficient(atom, 1).constant().filter(|_| of.degree_in(atom) == 1)?;
            let rest = of.coefficient(atom, 0);
            let other = &rest + &inner.scaled(&factor);
            Some((factor.is_positive(), rest, other))
        })
    }

    /// A polynomial with an atom replaced everywhere, inside of others too; `None` where that is not one of integers.
    pub fn replaced(&mut self, of: &Polynomial, atom: AtomId, value: &Polynomial) -> Option<Polynomial> {
        let mut result = of.clone();
        for other in of.atoms().into_iter().rev() {
            if other == atom {
                continue;
            }
            let new = match self.get(other).clone() {
                Atom::Floor(inner, divisor) => {
                    let inner = self.replaced(&inner, atom, value)?;
                    self.floor(&inner, &divisor)?
                }
                Atom::Modulo(inner, divisor) => {
                    let inner = self.replaced(&inner, atom, value)?;
                    self.modulo(&inner, &divisor)?
                }
                Atom::Least(inner) => {
                    let inner = self.replaced(&inner, atom, value)?;
                    self.least(&Polynomial::default(), &inner)?
                }
                Atom::Load { address, epoch, bits, signed } => {
                    let address = self.replaced(&address, atom, value)?;
                    self.number(Atom::Load { address, epoch, bits, signed }).into()
                }
                Atom::Symbol(_) | Atom::Induction(..) | Atom::Opaque(_) => continue,
            };
            result = result.with(other, &new)?;
        }
        result.with(atom, value)
    }

    /// Whether an atom is in a polynomial, inside of others too.
    pub fn involves(&self, of: &Polynomial, atom: AtomId) -> bool {
        of.atoms().into_iter().any(|other| {
            other == atom
                || match self.get(other) {
                    Atom::Floor(inner, _) | Atom::Modulo(inner, _) | Atom::Least(inner) => {
                        self.involves(inner, atom)
                    }
                    Atom::Load { address, .. } => self.involves(address, atom),
                    Atom::Symbol(_) | Atom::Induction(..) | Atom::Opaque(_) => false,
                }
        })
    }

    /// A polynomial as it is written in C, roughly.
    pub fn show(&self, of: &Polynomial) -> String {
        if let Some((is_least, a, b)) = self.chosen(of) {
            let name = if is_least { "min" } else { "max" };
            return format!("{name}({}, {})", self.show(&a), self.show(&b));
        }
        let mut out = String::new();
        // Highest powers first.
        let mut terms: Vec<_> = of.terms().iter().collect();
        terms.sort_by_key(|term| (std::cmp::Reverse(term.0.degree()), term.0.clone()));
        for (monomial, coefficient) in terms {
            let is_negative = coefficient.is_negative();
            let size = if is_negative { coefficient.negated() } else { coefficient.clone() };
            let sign = match (out.is_empty(), is_negative) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            out.push_str(sign);
            let is_one = size.is_one() && !monomial.powers().is_empty();
            let factors = self.show_monomial(monomial);
            // Writing to a string cannot fail.
            let _ = match (is_one, factors.is_empty()) {
                (true, _) => write!(out, "{factors}"),
                (false, true) => write!(out, "{size}"),
                (false, false) => write!(out, "{size}*{factors}"),
            };
        }
        if out.is_empty() { "0".into() } else { out }
    }

    fn show_monomial(&self, monomial: &Monomial) -> String {
        let factor = |&(atom, power): &(AtomId, u32)| match power {
            1 => self.show_atom(atom),
            _ => format!("{}^{power}", self.show_atom(atom)),
        };
        monomial.powers().iter().map(factor).collect::<Vec<_>>().join("*")
    }

    fn show_atom(&self, id: AtomId) -> String {
        if let Some(name) = self.names.get(&id) {
            return name.to_string();
        }
        match self.get(id) {
            Atom::Symbol(name) | Atom::Induction(_, name) => name.to_string(),
            Atom::Floor(of, divisor) => format!("floor(({})/{divisor})", self.show(of)),
            Atom::Modulo(of, divisor) => format!("(({}) mod {divisor})", self.show(of)),
            Atom::Least(of) => format!("min(0, {})", self.show(of)),
            Atom::Load { address, .. } => format!("*({})", self.show(address)),
            Atom::Opaque(number) => format!("?{number}"),
        }
    }
}

/// Whole parts of the coefficients after division, and what remains of them, from 0 to the divisor less one.
fn divided(of: &Polynomial, divisor: &BigInt) -> (Polynomial, Polynomial) {
    let (mut whole, mut rest) = (Polynomial::default(), Polynomial::default());
    for (monomial, coefficient) in of.terms() {
        let (quotient, remainder) = coefficient.to_integer().div_mod_floor(divisor);
        whole = &whole + &Polynomial::term(monomial.clone(), quotient.into());
        rest = &rest + &Polynomial::term(monomial.clone(), remainder.into());
    }
    (whole, rest)
}

/// A quotient without the common factors of divisor and coefficients: ⌊(g·e + k) / (g·c)⌋ = ⌊(e + ⌊k/g⌋) / c⌋.
fn reduced(of: Polynomial, divisor: &BigInt) -> (Polynomial, BigInt) {
    let (mut factor, mut constant) = (divisor.clone(), BigInt::zero());
    for (monomial, coefficient) in of.terms() {
        if monomial.powers().is_empty() {
            constant = coefficient.to_integer();
        } else {
            factor = factor.gcd(&coefficient.to_integer());
        }
    }
    let others = &of - &Polynomial::from(constant.clone());
    let inverse = Coefficient::inverse(&factor);
    let constant = constant.div_floor(&factor);
    (&others.scaled(&inverse) + &Polynomial::from(constant), divisor / factor)
}
