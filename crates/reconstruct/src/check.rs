//! The independent checker: regenerates a trace integer by integer.
//!
//! Definition checked: a sequence of nests generates `a_1 … a_P` if visiting the points of each nest in lexicographic
//! order, one nest after the other, and computing `base + Σ coefficients[q]·i_q` gives exactly that sequence. Nothing is
//! shared with the production walker: bounds are evaluated from scratch at every point, in 128 bits, by recursion.
//! Slower and simpler; meant for tests, fuzzing and `--verify`.

use crate::nest::Nest;

/// Calls `visit` with every integer the nest generates, in order, until it returns false; returns whether the walk was
/// complete. An integer or a bound that leaves 64 bits ends the walk as incomplete.
pub fn integers(nest: &Nest, visit: &mut dyn FnMut(i64) -> bool) -> bool {
    walk(nest, &mut Vec::new(), visit)
}

fn walk(nest: &Nest, point: &mut Vec<i64>, visit: &mut dyn FnMut(i64) -> bool) -> bool {
    let Some(level) = nest.levels.get(point.len()) else {
        let mut value = i128::from(nest.base);
        for (c, x) in nest.coefficients.iter().zip(point.iter()) {
            value += i128::from(*c) * i128::from(*x);
        }
        return i64::try_from(value).is_ok_and(visit);
    };
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
        let complete = walk(nest, point, visit);
        point.pop();
        if !complete {
            return false;
        }
    }
    true
}

/// Whether the nests generate exactly `expected`.
///
/// # Errors
/// Says at which integer the two differ.
pub fn check(nests: &[Nest], expected: impl IntoIterator<Item = i64>) -> Result<(), String> {
    let mut expected = expected.into_iter();
    let mut at = 0u64;
    let mut wrong = None;
    for (k, nest) in nests.iter().enumerate() {
        let complete = integers(nest, &mut |value| {
            let wanted = expected.next();
            if wanted != Some(value) {
                wrong = Some(format!("integer {at} (nest {k}) is {value} instead of {wanted:?}"));
                return false;
            }
            at += 1;
            true
        });
        if !complete {
            return Err(wrong.unwrap_or_else(|| format!("nest {k} leaves 64 bits after integer {at}")));
        }
    }
    match expected.next() {
        None => Ok(()),
        Some(value) => Err(format!("the nests end after {at} integers; the next should be {value}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_nest_is_found() {
        let nest = Nest::line(0, 3, 4);
        assert_eq!(check(std::slice::from_ref(&nest), [0, 3, 6, 9]), Ok(()));
        assert!(check(std::slice::from_ref(&nest), [0, 3, 6]).is_err());
        assert!(check(std::slice::from_ref(&nest), [0, 3, 6, 9, 12]).is_err());
        assert!(check(std::slice::from_ref(&nest), [0, 3, 7, 9]).is_err());
        assert!(check(&[Nest::line(i64::MAX, 1, 2)], [i64::MAX]).is_err());
    }
}
