//! Equivalent nests with fewer loops, or with more on request.
//!
//! - A loop whose only lower and upper bound are the same affine function runs once: it is substituted.
//! - Two neighbouring loops `0 ≤ x < b`, constant b, with `c_outer = b·c_inner` are one loop over `b·outer + inner` if the
//!   bounds inside need no more than a division by b (quasi-affine bounds): [`coalesced`].
//! - The other way round: [`split`].
//!
//! Invariant: the nest generates the same integers; callers verify that like every result.

use crate::nest::{Bound, Level, MAX_DEPTH, Nest};

/// Removes loops that run once.
pub fn simplified(mut nest: Nest) -> Nest {
    let mut q = 0;
    while q < nest.levels.len() {
        match without(&nest, q) {
            Some(fewer) => nest = fewer,
            None => q += 1,
        }
    }
    nest
}

fn without(nest: &Nest, q: usize) -> Option<Nest> {
    let level = &nest.levels[q];
    let ([lower], [upper]) = (&level.lower[..], &level.upper[..]) else { return None };
    if lower != upper || lower.divisor != 1 {
        return None;
    }
    let value = lower;
    let mut levels = nest.levels.clone();
    levels.remove(q);
    for inner in &mut levels[q..] {
        for bound in inner.lower.iter_mut().chain(&mut inner.upper) {
            let slope = bound.coefficients.remove(q);
            for (to, from) in bound.coefficients.iter_mut().zip(&value.coefficients) {
                *to = to.checked_add(slope.checked_mul(*from)?)?;
            }
            bound.constant = bound.constant.checked_add(slope.checked_mul(value.constant)?)?;
        }
    }
    let mut coefficients = nest.coefficients.clone();
    let slope = coefficients.remove(q);
    for (to, from) in coefficients.iter_mut().zip(&value.coefficients) {
        *to = to.checked_add(slope.checked_mul(*from)?)?;
    }
    let base = nest.base.checked_add(slope.checked_mul(value.constant)?)?;
    Nest { levels, base, coefficients }.validated()
}

/// The trip count of a loop from 0 to a constant.
pub fn trips(level: &Level) -> Option<i64> {
    let ([lower], [upper]) = (&level.lower[..], &level.upper[..]) else { return None };
    let constant = |b: &Bound| b.coefficients.iter().all(|&c| c == 0) && b.divisor == 1;
    (constant(lower) && lower.constant == 0 && constant(upper)).then(|| upper.constant.checked_add(1))?
}

/// Joins neighbouring loops where bounds with denominators up to `divisor` allow it.
pub fn coalesced(mut nest: Nest, divisor: i64) -> Nest {
    let mut q = 0;
    while q + 1 < nest.levels.len() {
        match join(&nest, q, divisor) {
            Some(fewer) => {
                nest = fewer;
                q = 0;
            }
            None => q += 1,
        }
    }
    nest
}

fn join(nest: &Nest, q: usize, divisor: i64) -> Option<Nest> {
    let b = trips(&nest.levels[q + 1])?;
    if b < 1 || nest.coefficients[q] != nest.coefficients[q + 1].checked_mul(b)? {
        return None;
    }
    let outer = &nest.levels[q];
    let ([lower], [upper]) = (&outer.lower[..], &outer.upper[..]) else { return None };
    if lower.divisor != 1 || upper.divisor != 1 {
        return None;
    }
    // b·lower ≤ x ≤ b·upper + b − 1
    let scaled = |bound: &Bound, extra: i64| -> Option<Bound> {
        let coefficients = bound.coefficients.iter().map(|c| c.checked_mul(b)).collect::<Option<_>>()?;
        Some(Bound { coefficients, constant: bound.constant.checked_mul(b)?.checked_add(extra)?, divisor: 1 })
    };
    let joined = Level { lower: vec![scaled(lower, 0)?], upper: vec![scaled(upper, b - 1)?] };
    let mut levels = nest.levels[..q].to_vec();
    levels.push(joined);
    for inner in &nest.levels[q + 2..] {
        let side = |bounds: &[Bound], is_lower: bool| -> Option<Vec<Bound>> {
            bounds.iter().map(|x| inner_bound(x, q, b, divisor, is_lower)).collect()
        };
        levels.push(Level { lower: side(&inner.lower, true)?, upper: side(&inner.upper, false)? });
    }
    let mut coefficients = nest.coefficients.clone();
    coefficients.remove(q);
    Nest { levels, base: nest.base, coefficients }.validated()
}

/// A bound over outer and inner counters at q and q+1 as one over x = b·outer + inner, where outer = ⌊x/b⌋.
fn inner_bound(bound: &Bound, q: usize, b: i64, divisor: i64, is_lower: bool) -> Option<Bound> {
    let (outer, inner) = (bound.coefficients[q], bound.coefficients[q + 1]);
    let mut coefficients = bound.coefficients.clone();
    coefficients.remove(q + 1);
    if outer == inner.checked_mul(b)? {
        coefficients[q] = inner;
        return Some(Bound { coefficients, constant: bound.constant, divisor: bound.divisor });
    }
    // ±⌊x/b⌋ + rest = ⌊(±x + b·rest + …)/b⌋; other multiples of ⌊x/b⌋ are no single quotient.
    if inner != 0 || outer.abs() != 1 || bound.divisor != 1 || b > divisor {
        return None;
    }
    for c in &mut coefficients {
        *c = c.checked_mul(b)?;
    }
    coefficients[q] = outer;
    let mut constant = bound.constant.checked_mul(b)?;
    match (is_lower, outer) {
        // ⌊x/b⌋ = ⌈(x − b + 1)/b⌉ and −⌊x/b⌋ = ⌈−x/b⌉ = ⌊(−x + b − 1)/b⌋.
        (true, 1) => constant = constant.checked_sub(b - 1)?,
        (false, -1) => constant = constant.checked_add(b - 1)?,
        _ => {}
    }
    Some(Bound { coefficients, constant, divisor: b })
}

/// Splits loops until there are `levels` of them: by `trip` where it divides a constant trip count, else by the most
/// balanced divisor. Stops early when no loop can be split.
pub fn split(mut nest: Nest, levels: usize, trip: Option<i64>) -> Nest {
    while nest.depth() < levels.min(MAX_DEPTH) {
        let Some(more) = split_once(&nest, trip) else { break };
        nest = more;
    }
    nest
}

fn split_once(nest: &Nest, trip: Option<i64>) -> Option<Nest> {
    let candidates = (0..nest.depth()).rev().filter_map(|q| {
        let t = trips(&nest.levels[q])?;
        let s = match trip {
            Some(s) => (s > 1 && t > s && t % s == 0).then_some(s)?,
            None => balanced(t)?,
        };
        Some((q, t, s))
    });
    let (q, t, s) = candidates.max_by_key(|c| c.1)?;
    let mut levels = Vec::new();
    let zero = |outer: usize, last: i64| Level {
        lower: vec![Bound::constant(outer, 0)],
        upper: vec![Bound::constant(outer, last)],
    };
    for (k, level) in nest.levels.iter().enumerate() {
        if k == q {
            levels.push(zero(q, t / s - 1));
            levels.push(zero(q + 1, s - 1));
            continue;
        }
        let mut level = level.clone();
        if k > q {
            for bound in level.lower.iter_mut().chain(&mut level.upper) {
                let slope = bound.coefficients[q];
                bound.coefficients[q] = slope.checked_mul(s)?;
                bound.coefficients.insert(q + 1, slope);
            }
        }
        levels.push(level);
    }
    let mut coefficients = nest.coefficients.clone();
    let c = coefficients[q];
    coefficients[q] = c.checked_mul(s)?;
    coefficients.insert(q + 1, c);
    Nest { levels, base: nest.base, coefficients }.validated()
}

/// The largest divisor up to the square root, other than 1, as the inner trip count.
fn balanced(t: i64) -> Option<i64> {
    let root = (t as f64).sqrt() as i64 + 1;
    (2..=root.min(1 << 16)).rev().find(|s| t % s == 0 && t / s > 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;

    fn integers(nest: &Nest) -> Vec<i64> {
        let mut out = Vec::new();
        assert!(check::integers_of(nest, &mut |v| {
            out.push(v);
            true
        }));
        out
    }

    fn bound(coefficients: &[i64], constant: i64, divisor: i64) -> Bound {
        Bound { coefficients: coefficients.to_vec(), constant, divisor }
    }

    fn level(lower: Bound, upper: Bound) -> Level {
        Level { lower: vec![lower], upper: vec![upper] }
    }

    /// for a<4, b<3, j=lower..upper: 30a + 10b + j
    fn three(lower: Bound, upper: Bound) -> Nest {
        Nest {
            levels: vec![
                level(bound(&[], 0, 1), bound(&[], 3, 1)),
                level(bound(&[0], 0, 1), bound(&[0], 2, 1)),
                level(lower, upper),
            ],
            base: 7,
            coefficients: vec![30, 10, 1],
        }
    }

    #[test]
    fn loops_join_where_a_division_expresses_it() {
        for (lower, upper, depth) in [
            (bound(&[0, 0], 0, 1), bound(&[1, 0], 5, 1), 2),
            (bound(&[1, 0], -4, 1), bound(&[0, 0], 5, 1), 2),
            (bound(&[-1, 0], 0, 1), bound(&[-1, 0], 5, 1), 2),
            (bound(&[0, 0], 0, 1), bound(&[3, 1], 5, 1), 2),
            (bound(&[0, 0], 0, 1), bound(&[2, 0], 5, 1), 3),
            (bound(&[0, 0], 0, 1), bound(&[1, 1], 5, 1), 3),
        ] {
            let nest = three(lower, upper);
            let joined = coalesced(nest.clone(), 16);
            assert_eq!(joined.depth(), depth, "{nest:?}");
            assert_eq!(integers(&joined), integers(&nest), "{nest:?}");
            if depth == 2 && nest.levels[2].upper[0].coefficients[1] == 0 {
                assert_eq!(coalesced(nest.clone(), 2).depth(), 3);
            }
        }
    }

    #[test]
    fn a_loop_that_runs_once_is_substituted() {
        let mut nest = three(bound(&[0, 0], 0, 1), bound(&[1, 2], 1, 1));
        nest.levels[1] = level(bound(&[1], 1, 1), bound(&[1], 1, 1));
        let fewer = simplified(nest.clone());
        assert_eq!(fewer.depth(), 2);
        assert_eq!(integers(&fewer), integers(&nest));
    }

    #[test]
    fn loops_split_by_a_trip_count_or_evenly() {
        let line = Nest::line(0, 1, 12);
        let rows = split(line.clone(), 2, Some(4));
        assert_eq!((rows.coefficients.clone(), integers(&rows)), (vec![4, 1], integers(&line)));
        let cube = split(line.clone(), 3, None);
        assert_eq!((cube.depth(), integers(&cube)), (3, integers(&line)));
        assert_eq!(split(Nest::line(0, 1, 13), 2, None).depth(), 1);
        let triangle = Nest {
            levels: vec![
                level(bound(&[], 0, 1), bound(&[], 5, 1)),
                level(bound(&[0], 0, 1), bound(&[1], 0, 1)),
            ],
            base: 0,
            coefficients: vec![10, 1],
        };
        let split = split(triangle.clone(), 3, Some(3));
        assert_eq!((split.depth(), integers(&split)), (3, integers(&triangle)));
    }
}
