//! The independent checker: regenerates a trace integer by integer.
//!
//! Definition checked: a sequence of statements generates `a_1 … a_P` if executing them one after the other gives exactly
//! that sequence, where a nest visits its points in lexicographic order and gives `base + Σ coefficients[q]·i_q` at each, and
//! a loop around several statements executes these in order for every value of its counter. Nothing is shared with the production walker: bounds are evaluated from scratch at every point, in 128 bits, by recursion.
//! Slower and simpler; meant for tests, fuzzing and `--verify`.

use crate::nest::{Level, Nest};
use crate::statement::Statement;

/// Calls `visit` with every integer the statement generates, in order, until it returns false; returns whether the walk was
/// complete. An integer or a bound that leaves 64 bits ends the walk as incomplete.
pub fn integers(statement: &Statement, visit: &mut dyn FnMut(i64) -> bool) -> bool {
    execute(statement, &mut Vec::new(), visit)
}

/// The same for a perfect nest.
pub fn integers_of(nest: &Nest, visit: &mut dyn FnMut(i64) -> bool) -> bool {
    walk(nest, &nest.levels, &mut Vec::new(), visit)
}

fn execute(statement: &Statement, point: &mut Vec<i64>, visit: &mut dyn FnMut(i64) -> bool) -> bool {
    match statement {
        Statement::Nest(nest) => walk(nest, &nest.levels, point, visit),
        Statement::Integers(packed) => packed.values().into_iter().all(visit),
        Statement::Loop(l) => {
            counted(&l.level, point, &mut |point| l.body.iter().all(|inner| execute(inner, point, visit)))
        }
    }
}

fn walk(nest: &Nest, levels: &[Level], point: &mut Vec<i64>, visit: &mut dyn FnMut(i64) -> bool) -> bool {
    let Some((level, inner)) = levels.split_first() else {
        let mut value = i128::from(nest.base);
        for (c, x) in nest.coefficients.iter().zip(point.iter()) {
            value += i128::from(*c) * i128::from(*x);
        }
        return i64::try_from(value).is_ok_and(visit);
    };
    counted(level, point, &mut |point| walk(nest, inner, point, visit))
}

/// Does something for every value of a counter.
fn counted(level: &Level, point: &mut Vec<i64>, each: &mut dyn FnMut(&mut Vec<i64>) -> bool) -> bool {
    let mut low = None;
    for bound in &level.lower {
        let Some(value) = bound.ceil(point) else { return false };
        low = Some(low.map_or(value, |l: i64| l.max(value)));
    }
    let mut high = None;
    for bound in &level.upper {
        let Some(value) = bound.floor(point) else { return false };
        high = Some(high.map_or(value, |h: i64| h.min(value)));
    }
    let (Some(low), Some(high)) = (low, high) else { return false };
    for x in low..=high {
        point.push(x);
        let complete = each(point);
        point.pop();
        if !complete {
            return false;
        }
    }
    true
}

/// Whether the statements generate exactly `expected`.
///
/// # Errors
/// Says at which integer the two differ.
pub fn check(statements: &[Statement], expected: impl IntoIterator<Item = i64>) -> Result<(), String> {
    let mut expected = expected.into_iter();
    let mut at = 0u64;
    let mut wrong = None;
    for (k, statement) in statements.iter().enumerate() {
        let complete = integers(statement, &mut |value| {
            let wanted = expected.next();
            if wanted != Some(value) {
                wrong = Some(format!("integer {at} (statement {k}) is {value} instead of {wanted:?}"));
                return false;
            }
            at += 1;
            true
        });
        if !complete {
            return Err(wrong.unwrap_or_else(|| format!("statement {k} leaves 64 bits after integer {at}")));
        }
    }
    match expected.next() {
        None => Ok(()),
        Some(value) => Err(format!("the statements end after {at} integers; the next should be {value}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_nest_is_found() {
        let nest: Statement = Nest::line(0, 3, 4).into();
        assert_eq!(check(std::slice::from_ref(&nest), [0, 3, 6, 9]), Ok(()));
        assert!(check(std::slice::from_ref(&nest), [0, 3, 6]).is_err());
        assert!(check(std::slice::from_ref(&nest), [0, 3, 6, 9, 12]).is_err());
        assert!(check(std::slice::from_ref(&nest), [0, 3, 7, 9]).is_err());
        assert!(check(&[Nest::line(i64::MAX, 1, 2).into()], [i64::MAX]).is_err());
    }
}
