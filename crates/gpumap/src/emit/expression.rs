//! Polynomials and bounds as expressions of C.
//!
//! Everything is computed in `long`: the first factor of every product is converted, so that no product of two `int` wraps. Quotients
//! are rounded down whatever the sign of the dividend. Symbols are names of the source (`n`, `image->width`); a polynomial in
//! which anything else stands (iterations, unknown values, addresses, what memory holds without a name) has no expression.

use num_bigint::BigInt;
use num_traits::Signed;

use crate::symbolic::{Atom, AtomId, Atoms, Bound, Coefficient, Polynomial, Side};

/// A polynomial; `None` if something in it has no name in the source. Where its value is an integer, so is the expression's.
pub fn expression(atoms: &Atoms, of: &Polynomial) -> Option<String> {
    if let Some((is_least, a, b)) = atoms.chosen(of) {
        return least_or_greatest(is_least, &expression(atoms, &a)?, &expression(atoms, &b)?);
    }
    // A variable by itself needs no conversion.
    if let [(monomial, coefficient)] = of.terms()
        && let &[(id, 1)] = monomial.powers()
        && coefficient.is_one()
    {
        return atom(atoms, id);
    }
    let denominator = of.denominator();
    let whole = of.scaled(&denominator.clone().into());
    let sum = sum(atoms, &whole)?;
    Some(if denominator == BigInt::from(1) { sum } else { format!("({sum}) / {denominator}") })
}

/// Terms with integer coefficients, the highest powers first.
fn sum(atoms: &Atoms, of: &Polynomial) -> Option<String> {
    let mut terms: Vec<_> = of.terms().iter().collect();
    terms.sort_by_key(|term| (std::cmp::Reverse(term.0.degree()), term.0.clone()));
    let mut out = String::new();
    for (monomial, coefficient) in terms {
        out.push_str(match (out.is_empty(), coefficient.is_negative()) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        let size = if coefficient.is_negative() { coefficient.negated() } else { coefficient.clone() };
        out.push_str(&product(atoms, &size, monomial.powers())?);
    }
    Some(if out.is_empty() { "0".into() } else { out })
}

fn product(atoms: &Atoms, size: &Coefficient, powers: &[(AtomId, u32)]) -> Option<String> {
    let mut factors = Vec::new();
    if !size.is_one() || powers.is_empty() {
        let suffix = if powers.is_empty() { "" } else { "L" };
        factors.push(format!("{size}{suffix}"));
    }
    for &(atom, power) in powers {
        let factor = self::atom(atoms, atom)?;
        for _ in 0..power {
            factors.push(if factors.is_empty() { format!("(long){factor}") } else { factor.clone() });
        }
    }
    Some(factors.join(" * "))
}

fn atom(atoms: &Atoms, id: AtomId) -> Option<String> {
    match atoms.get(id) {
        Atom::Floor(of, by) => Some(quotient(&sum(atoms, of)?, by)),
        Atom::Least(of) => least_or_greatest(true, "0", &sum(atoms, of)?),
        Atom::Modulo(of, by) => {
            let of = sum(atoms, of)?;
            Some(format!("(({of}) - {by}L * {})", quotient(&of, by)))
        }
        // C does not compute with pointers as with numbers.
        _ if atoms.is_address(id) => None,
        Atom::Symbol(_) | Atom::Load { .. } | Atom::Opaque(_) => {
            let name = atoms.name(id)?;
            let is_path = |part: char| part.is_alphanumeric() || "_.->[]*&".contains(part);
            name.chars()
                .all(is_path)
                .then(|| if name.starts_with(['*', '&']) { format!("({name})") } else { name.to_owned() })
        }
        Atom::Induction(..) => None,
    }
}

/// The quotient rounded down: C rounds towards zero.
fn quotient(of: &str, by: &BigInt) -> String {
    let most = by.abs() - 1;
    format!("(({of}) >= 0 ? ({of}) / {by}L : -((-({of}) + {most}L) / {by}L))")
}

/// A bound: the greatest of the least members of its clauses for a lower one, the mirror image for an upper one. Clauses without an
/// expression are left out, which is as safe as it is without them; `None` if none is left.
pub fn bound(atoms: &Atoms, of: &Bound, side: Side) -> Option<String> {
    let (of_members, of_clauses) = match side {
        Side::Lower => ('<', '>'),
        Side::Upper => ('>', '<'),
    };
    let clause = |members: &Vec<Polynomial>| {
        let members = members.iter().map(|member| expression(atoms, member)).collect::<Option<Vec<_>>>()?;
        chosen(&members, of_members)
    };
    let clauses: Vec<String> = of.clauses().iter().filter_map(clause).collect();
    chosen(&clauses, of_clauses)
}

/// A bound without the clauses that have no expression.
pub fn expressible(atoms: &Atoms, of: &Bound) -> Bound {
    let has_text =
        |clause: &&Vec<Polynomial>| clause.iter().all(|member| expression(atoms, member).is_some());
    Bound::of(of.clauses().iter().filter(has_text).cloned())
}

/// The greatest of several expressions; `None` if there are none.
pub fn greatest(all: &[String]) -> Option<String> {
    chosen(all, '>')
}

/// The lesser or greater one of two expressions.
fn least_or_greatest(is_least: bool, a: &str, b: &str) -> Option<String> {
    chosen(&[a.to_owned(), b.to_owned()], if is_least { '<' } else { '>' })
}

/// The least or greatest of several expressions.
fn chosen(all: &[String], relation: char) -> Option<String> {
    let mut list = all.iter();
    let first = list.next()?.clone();
    Some(list.fold(first, |a, b| format!("(({a}) {relation} ({b}) ? ({a}) : ({b}))")))
}
