//! From the nest of the largest part of a trace to the nest of all of it.
//!
//! The first and last rows of a triangle are too short to show how they go on, and a trace may end in the middle of its
//! nest. Both times most of the trace folds to one item; its outermost loop is run further in both directions until it
//! covers what lies before and after. Where the last iteration is not complete, the nest is `cut`: the iterations up to
//! a point in lexicographic order are those of the nest with one more affine bound per loop.
//!
//! Results are candidates: the caller verifies them.

use crate::fold::Items;
use crate::nest::{Bound, Level, Nest};
use crate::simplify::coalesced;

/// Iterations that the largest item is extended by at most, before and after.
const EXTENSION: i64 = 64;

/// Nests that may generate all items, the likeliest first; `divisor` as in [`coalesced`].
pub fn extended(items: &Items, divisor: i64) -> Vec<Nest> {
    candidates(items, divisor).unwrap_or_default()
}

fn candidates(items: &Items, divisor: i64) -> Option<Vec<Nest>> {
    if items.len() > 2 * EXTENSION as usize {
        return None;
    }
    let sizes: Vec<u64> = (0..items.len()).map(|i| items.size(i)).collect();
    let largest = (0..items.len()).max_by_key(|&i| (sizes[i], std::cmp::Reverse(i)))?;
    let nest = items.nest(largest)?;
    let count = |range: std::ops::Range<usize>| items.runs_in(range).map(|r| r.1 as u128).sum::<u128>();
    around(nest, count(0..largest), count(largest + 1..items.len()), divisor)
}

/// Nests that a nest with a constant number of iterations is a part of, so many accesses after the beginning and before
/// the end: candidates, likeliest first. `divisor` as in [`coalesced`].
pub fn around(nest: Nest, before: u128, after: u128, divisor: i64) -> Option<Vec<Nest>> {
    let all = before.checked_add(nest.accesses())?.checked_add(after)?;
    let bounds = nest.levels.first()?;
    let (first, last) = (bounds.lower.first()?.constant, bounds.upper.first()?.constant);
    let (low, covered_before) = grow(&nest, before, first, -1)?;
    let (high, covered_after) = grow(&nest, after, last, 1)?;
    if covered_before != before {
        return None;
    }
    let mut whole = nest;
    whole.levels[0] = Level { lower: vec![Bound::constant(0, low)], upper: vec![Bound::constant(0, high)] };
    let whole = from_zero(whole)?;
    let joined = coalesced(whole.clone(), divisor);
    let shapes = if joined == whole { vec![whole] } else { vec![joined, whole] };
    if covered_after == after {
        return Some(shapes);
    }
    Some(shapes.iter().filter_map(|nest| cut(nest, all)).collect())
}

/// Runs the outermost loop on from `from` until it has made at least so many accesses: the last counter, and how many.
fn grow(nest: &Nest, wanted: u128, from: i64, step: i64) -> Option<(i64, u128)> {
    let (mut have, mut at) = (0, from);
    for _ in 0..EXTENSION {
        if have >= wanted {
            break;
        }
        at += step;
        have += within(nest, &[], at, at)?.accesses();
    }
    (have >= wanted).then_some((at, have))
}

/// The same nest with its outermost counter from 0 on.
fn from_zero(mut nest: Nest) -> Option<Nest> {
    let low = nest.levels.first()?.lower.first()?.constant;
    for (q, level) in nest.levels.iter_mut().enumerate() {
        for bound in level.lower.iter_mut().chain(&mut level.upper) {
            let slope = if q == 0 { -1 } else { *bound.coefficients.first()? };
            bound.constant = bound.constant.checked_add(slope.checked_mul(low)?)?;
        }
    }
    nest.base = nest.base.checked_add(nest.coefficients.first()?.checked_mul(low)?)?;
    nest.validated()
}

/// The nest with its outer counters fixed and the next one between two values.
fn within(nest: &Nest, point: &[i64], low: i64, high: i64) -> Option<Nest> {
    let mut part = nest.clone();
    for (q, (level, (low, high))) in
        part.levels.iter_mut().zip(point.iter().map(|&x| (x, x)).chain([(low, high)])).enumerate()
    {
        *level = Level { lower: vec![Bound::constant(q, low)], upper: vec![Bound::constant(q, high)] };
    }
    part.validated()
}

/// The counters of access number `accesses` of a nest, counted from 1.
fn point_of(nest: &Nest, accesses: u128) -> Option<Vec<i64>> {
    let mut point = Vec::new();
    let mut left = accesses;
    for level in &nest.levels {
        let (mut low, mut high) = level.range(&point)?;
        while low < high {
            let middle = low + (high - low) / 2;
            let count = within(nest, &point, low, middle)?.accesses();
            if count >= left {
                high = middle;
            } else {
                left -= count;
                low = middle + 1;
            }
        }
        point.push(low);
    }
    (left == 1).then_some(point)
}

/// The nest that makes the first `accesses` accesses of a nest.
///
/// With `e` the last point, loop q gets the bound `i_q ≤ e_q + Σ_{r<q} m_r·(e_r − i_r)`. The m_r are so large that the
/// bound says nothing where some `i_r < e_r` decides: with h the largest values of the counters,
/// `m_r = h_q − e_q + Σ_{r<s<q} m_s·(h_s − e_s)`.
pub fn cut(nest: &Nest, accesses: u128) -> Option<Nest> {
    let end = point_of(nest, accesses)?;
    let most: Vec<i128> = nest.ranges()?.into_iter().map(|r| r.1).collect();
    let mut out = nest.clone();
    for q in 0..end.len() {
        if out.levels[q].range(&end[..q])?.1 == end[q] {
            continue;
        }
        let beyond = |r: usize| most[r] - i128::from(end[r]);
        let mut coefficients = vec![0; q];
        let (mut constant, mut needed) = (i128::from(end[q]), beyond(q));
        for r in (0..q).rev() {
            let slope = needed.max(0);
            coefficients[r] = i64::try_from(-slope).ok()?;
            constant = constant.checked_add(slope.checked_mul(i128::from(end[r]))?)?;
            needed = needed.checked_add(slope.checked_mul(beyond(r))?)?;
        }
        let bound = Bound { coefficients, constant: i64::try_from(constant).ok()?, divisor: 1 };
        if q == 0 {
            out.levels[q].upper = vec![bound];
        } else {
            out.levels[q].upper.push(bound);
        }
    }
    out.validated()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::fuzzing::{integers, planted};

    #[test]
    fn the_first_accesses_of_random_nests() {
        let mut cuts = 0;
        for seed in 0..40 {
            let nest = planted(seed);
            let values = integers(&nest);
            for length in [1, values.len() / 3, values.len() / 2, values.len() - 1, values.len()] {
                // Slopes may grow beyond what is represented.
                let Some(part) = cut(&nest, length as u128) else { continue };
                assert_eq!(
                    check::check(&[part.into()], values[..length].iter().copied()),
                    Ok(()),
                    "seed {seed}, {length}"
                );
                cuts += 1;
            }
        }
        assert!(cuts > 150, "{cuts}");
        assert_eq!(cut(&Nest::line(5, 2, 9), 10), None);
    }
}
