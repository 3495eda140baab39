//! Ranges of affine functions over the integer solutions of linear constraints.
//!
//! Definition: a [`System`] is a conjunction of `f(v) = 0` and `f(v) ≥ 0` over integer variables `v`. [`System::range`] encloses
//! the values that a function takes over its solutions: equalities with a unit coefficient are substituted, the other
//! variables eliminated by Fourier and Motzkin's method, every row divided by the gcd of its coefficients and its constant
//! rounded (which loses no integer solution).
//!
//! Invariant: the range holds every value that an integer solution gives; it may be wider (rational solutions), and a
//! system without solutions may have one.
//!
//! Limits: [`TooLarge`] where an elimination leaves 64 bits or [`MOST_ROWS`].

use crate::Affine;

/// Most rows at a time.
pub const MOST_ROWS: usize = 400;

/// The constraints grew beyond what is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct System {
    equalities: Vec<Affine>,
    rows: Vec<Affine>,
}

/// Bounds of a function; `None` where there is none.
pub type Range = (Option<i64>, Option<i64>);

impl System {
    /// Demands `f = 0`.
    pub fn equal(&mut self, f: Affine) {
        self.equalities.push(f);
    }

    /// Demands `f ≥ 0`.
    pub fn at_least_zero(&mut self, f: Affine) {
        self.rows.push(f);
    }

    /// Bounds of `objective` over the solutions in `variables` variables; `None` if there are no solutions.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn range(&self, variables: usize, objective: &Affine) -> Result<Option<Range>, TooLarge> {
        let mut system = self.clone();
        // The objective as one more variable, the last one.
        let named = Affine::coordinate(variables).plus(-1, objective).ok_or(TooLarge)?;
        system.equal(named);
        if !system.substitute(variables)? {
            return Ok(None);
        }
        let Some(mut rows) = tightened(system.rows)? else { return Ok(None) };
        while let Some(variable) = cheapest(&rows, variables) {
            match eliminate(rows, variable)? {
                Some(left) => rows = left,
                None => return Ok(None),
            }
        }
        let (mut low, mut high) = (None, None);
        for row in rows {
            match row.coefficient(variables) {
                1 => low = low.max(Some(-row.constant)),
                -1 => high = Some(high.map_or(row.constant, |h: i64| h.min(row.constant))),
                _ => return Err(TooLarge),
            }
        }
        Ok(if low.zip(high).is_some_and(|(low, high)| low > high) { None } else { Some((low, high)) })
    }

    /// Uses up the equalities; false if one cannot hold.
    fn substitute(&mut self, objective: usize) -> Result<bool, TooLarge> {
        while let Some(at) = self.equalities.iter().position(|e| unit(e, objective).is_some()) {
            let equality = self.equalities.swap_remove(at);
            let Some(variable) = unit(&equality, objective) else { continue };
            let sign = equality.coefficient(variable);
            for f in self.equalities.iter_mut().chain(&mut self.rows) {
                let factor = f.coefficient(variable).checked_mul(-sign).ok_or(TooLarge)?;
                if factor != 0 {
                    *f = f.plus(factor, &equality).ok_or(TooLarge)?;
                }
            }
        }
        for equality in std::mem::take(&mut self.equalities) {
            let divisor = equality.coefficients.iter().fold(0, |d, &c| gcd(d, c));
            if divisor == 0 && equality.constant != 0 || divisor > 1 && equality.constant % divisor != 0 {
                return Ok(false);
            }
            self.rows.push(Affine::constant(0).plus(-1, &equality).ok_or(TooLarge)?);
            self.rows.push(equality);
        }
        Ok(true)
    }
}

/// A variable of coefficient 1 or −1, not the objective.
fn unit(f: &Affine, objective: usize) -> Option<usize> {
    (0..f.coefficients.len().min(objective)).find(|&v| f.coefficients[v].abs() == 1)
}

/// The variable, not the objective, whose elimination makes the fewest rows.
fn cheapest(rows: &[Affine], objective: usize) -> Option<usize> {
    let cost = |variable: usize| {
        let signs = rows.iter().map(|row| row.coefficient(variable).signum());
        let (up, down) = signs.fold((0usize, 0usize), |(up, down), sign| match sign {
            1 => (up + 1, down),
            -1 => (up, down + 1),
            _ => (up, down),
        });
        (up + down > 0).then(|| up * down)
    };
    (0..objective).filter_map(|v| Some((cost(v)?, v))).min().map(|(_, v)| v)
}

/// Rows without one variable; `None` without solutions.
fn eliminate(rows: Vec<Affine>, variable: usize) -> Result<Option<Vec<Affine>>, TooLarge> {
    let (with, mut out): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.coefficient(variable) != 0);
    let (up, down): (Vec<_>, Vec<_>) = with.into_iter().partition(|row| row.coefficient(variable) > 0);
    for a in &up {
        for b in &down {
            out.push(combined(a, b, variable).ok_or(TooLarge)?);
        }
        if out.len() > MOST_ROWS * 4 {
            return Err(TooLarge);
        }
    }
    tightened(out)
}

/// The sum of multiples of two rows in which a variable vanishes.
fn combined(a: &Affine, b: &Affine, variable: usize) -> Option<Affine> {
    let (up, down) = (a.coefficient(variable), b.coefficient(variable).checked_neg()?);
    let shared = gcd(up, down);
    let (of_a, of_b) = (down / shared, up / shared);
    let sum = |a: i64, b: i64| of_a.checked_mul(a)?.checked_add(of_b.checked_mul(b)?);
    let variables = a.coefficients.len().max(b.coefficients.len());
    let coefficients: Option<Vec<i64>> =
        (0..variables).map(|v| sum(a.coefficient(v), b.coefficient(v))).collect();
    Some(Affine { coefficients: coefficients?, constant: sum(a.constant, b.constant)? })
}

/// The tightest row for each left side; `None` if one cannot hold.
fn tightened(rows: Vec<Affine>) -> Result<Option<Vec<Affine>>, TooLarge> {
    let mut out = Vec::with_capacity(rows.len());
    for mut row in rows {
        while row.coefficients.last() == Some(&0) {
            row.coefficients.pop();
        }
        let divisor = row.coefficients.iter().fold(0, |d, &c| gcd(d, c));
        if divisor == 0 {
            if row.constant < 0 {
                return Ok(None);
            }
            continue;
        }
        if divisor > 1 {
            row.coefficients.iter_mut().for_each(|c| *c /= divisor);
            row.constant = row.constant.div_euclid(divisor);
        }
        out.push(row);
    }
    // Of equal left sides the smallest constant comes first.
    out.sort_unstable_by(|a, b| a.coefficients.cmp(&b.coefficients).then(a.constant.cmp(&b.constant)));
    out.dedup_by(|later, first| later.coefficients == first.coefficients);
    if out.len() > MOST_ROWS {
        return Err(TooLarge);
    }
    Ok(Some(out))
}

/// Greatest common divisor, not negative; `i64::MIN` counts as its neighbour's (such rows do not fit anyway).
fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.saturating_abs(), b.saturating_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn affine(coefficients: &[i64], constant: i64) -> Affine {
        Affine { coefficients: coefficients.to_vec(), constant }
    }

    /// 0 ≤ v < n for each.
    fn boxed(n: &[i64]) -> System {
        let mut out = System::default();
        for (v, n) in n.iter().enumerate() {
            out.at_least_zero(Affine::coordinate(v));
            out.at_least_zero(affine(&[], n - 1).plus(-1, &Affine::coordinate(v)).unwrap_or(affine(&[], -1)));
        }
        out
    }

    #[test]
    fn bounds_of_differences() {
        let mut system = boxed(&[10, 10]);
        let difference = affine(&[-1, 1], 0);
        assert_eq!(system.range(2, &difference), Ok(Some((Some(-9), Some(9)))));
        // v1 ≥ v0 + 2
        system.at_least_zero(affine(&[-1, 1], -2));
        assert_eq!(system.range(2, &difference), Ok(Some((Some(2), Some(9)))));
        // v0 + v1 = 4: (0, 4), (1, 3)
        system.equal(affine(&[1, 1], -4));
        assert_eq!(system.range(2, &difference), Ok(Some((Some(2), Some(4)))));
        system.at_least_zero(affine(&[1], -2));
        assert_eq!(system.range(2, &difference), Ok(None));
    }

    #[test]
    fn integers_between_fractions_are_none() {
        let mut system = boxed(&[10, 10]);
        system.equal(affine(&[2, -2], 1));
        assert_eq!(system.range(2, &affine(&[1], 0)), Ok(None));
    }

    #[test]
    fn unbounded_sides_are_named() {
        let mut system = System::default();
        system.at_least_zero(affine(&[1], -3));
        assert_eq!(system.range(1, &affine(&[2], 0)), Ok(Some((Some(6), None))));
    }

    #[test]
    fn overflow_is_an_error() {
        let mut system = boxed(&[i64::MAX, i64::MAX]);
        system.at_least_zero(affine(&[i64::MAX, -(i64::MAX - 1)], 5));
        assert_eq!(system.range(2, &affine(&[1, 1], 0)), Err(TooLarge));
    }
}
