//! From one candidate tree to a verified nest.

use super::faces::{Bounds, Side, fit, fit_most};
use super::points::{Point, collect, violators};
use super::relabel::{Model, relabel};
use super::tree::{Rows, Tree};
use crate::nest::{Bound, Level, Nest};
use crate::verify;

/// Parents whose loops are looked at per level.
const SAMPLE: usize = 300;
/// The same for the innermost level, which has many more.
const SAMPLE_ROWS: usize = 150;
/// Rounds of fitting with the points that the last fit got wrong.
const ROUNDS: usize = 8;
/// Points added per round.
const ADDED: usize = 64;
/// Times a model is repaired.
const REPAIRS: usize = 4;
/// Most faces per side.
pub const MOST_FACES: usize = 12;

/// A nest for the whole tree whose bounds are right at every node, compared with the runs.
pub fn exact(tree: &Tree, divisor: i64, work: &mut u64) -> Option<Nest> {
    let depth = tree.height();
    let mut bounds = vec![Bounds::default(); depth];
    for level in (1..=depth).rev() {
        bounds[level - 1] = fit_level(tree, depth, level, divisor, work)?;
    }
    verified(tree, &bounds, work)
}

fn sample(level: usize) -> usize {
    if level == 1 { SAMPLE_ROWS } else { SAMPLE }
}

/// Bounds of one level that are right at every node.
pub fn fit_level(tree: &Tree, depth: usize, level: usize, divisor: i64, work: &mut u64) -> Option<Bounds> {
    let k = depth - level;
    let mut points = collect(tree, depth, level, sample(level));
    *work += 10 * tree.count((level + 1).min(depth)) as u64;
    for _ in 0..ROUNDS {
        let upper = fit(&points, k, Side::Upper, divisor, work)?;
        let lower = fit(&points, k, Side::Lower, divisor, work)?;
        if upper.len() > MOST_FACES || lower.len() > MOST_FACES {
            return None;
        }
        let bounds = Bounds { upper, lower };
        let (wrong, count) = violators(tree, depth, level, &bounds, ADDED);
        *work += 10 * tree.count(level) as u64;
        if count == 0 {
            return Some(bounds);
        }
        points.extend(wrong);
    }
    None
}

/// Bounds that are right at most nodes; also whether they are right at all.
fn fit_mostly(
    tree: &Tree,
    depth: usize,
    level: usize,
    divisor: i64,
    tolerance: usize,
    work: &mut u64,
) -> Option<(Bounds, bool)> {
    if let Some(bounds) = fit_level(tree, depth, level, divisor, work) {
        return Some((bounds, true));
    }
    let k = depth - level;
    let mut points = collect(tree, depth, level, sample(level));
    let mut bounds = Bounds::default();
    for round in 0..3 {
        let mut side = |side: Side, points: &[Point]| {
            if points.len() < 40
                && let Some(faces) = fit(points, k, side, divisor, work)
            {
                return (faces, 0);
            }
            fit_most(points, k, side, tolerance, work)
        };
        let (upper, wrong_upper) = side(Side::Upper, &points);
        if upper.is_empty() || wrong_upper * 3 > points.len() {
            return None;
        }
        let (lower, wrong_lower) = side(Side::Lower, &points);
        if lower.is_empty() || wrong_lower * 3 > points.len() {
            return None;
        }
        bounds = Bounds { upper, lower };
        if round == 2 {
            break;
        }
        let (wrong, _) = violators(tree, depth, level, &bounds, points.len() / 8 + 8);
        *work += 10 * tree.count(level) as u64;
        if wrong.len() < points.len() / 8 {
            break;
        }
        points.extend(wrong);
    }
    Some((bounds, false))
}

/// Fits what most nodes agree on, relabels the runs by it, and fits again.
pub fn repaired(tree: &Tree, divisor: i64, work: &mut u64) -> Option<Nest> {
    let depth = tree.height();
    if depth < 2 {
        return None;
    }
    TOLERANCES.iter().find_map(|&t| repaired_within(tree, divisor, t, work))
}

/// Shares of the points of a loop that may be wrong, as divisors.
const TOLERANCES: [usize; 2] = [25, 4];

fn repaired_within(tree: &Tree, divisor: i64, tolerance: usize, work: &mut u64) -> Option<Nest> {
    let depth = tree.height();
    let coefficients: Vec<i64> = (1..=depth).map(|m| tree.coefficient(m)).collect();
    let mut current = tree.clone();
    let (mut bounds, _) = fit_levels(&current, divisor, tolerance, work)?;
    // What few points are wrong about may be right in the trace.
    if let Some(nest) = verified(tree, &bounds, work) {
        return Some(nest);
    }
    for _ in 0..REPAIRS {
        let model = Model { bounds, coefficients: coefficients.clone() };
        current = relabel(&current, &model, work)?.0;
        if current.count(depth) != 1 {
            return None;
        }
        let exact;
        (bounds, exact) = fit_levels(&current, divisor, tolerance, work)?;
        if let Some(nest) = verified(tree, &bounds, work) {
            return Some(nest);
        }
        if exact {
            return None;
        }
    }
    None
}

/// Bounds that are right at most nodes of every level, outermost first because wrong trees show there; also whether they
/// are right everywhere.
fn fit_levels(tree: &Tree, divisor: i64, tolerance: usize, work: &mut u64) -> Option<(Vec<Bounds>, bool)> {
    let depth = tree.height();
    let mut bounds = vec![Bounds::default(); depth];
    let mut exact = true;
    for level in (1..=depth).rev() {
        let (fitted, right) = fit_mostly(tree, depth, level, divisor, tolerance, work)?;
        bounds[level - 1] = fitted;
        exact &= right;
    }
    Some((bounds, exact))
}

/// The nest of a tree and its bounds if it generates the runs.
fn verified(tree: &Tree, bounds: &[Bounds], work: &mut u64) -> Option<Nest> {
    let coefficients: Vec<i64> = (1..=tree.height()).map(|m| tree.coefficient(m)).collect();
    generating(&tree.rows, &coefficients, bounds, work)
}

/// The nest of coefficients and bounds, innermost level first, if it generates the runs.
pub fn generating(rows: &Rows, coefficients: &[i64], bounds: &[Bounds], work: &mut u64) -> Option<Nest> {
    let nest = nest(rows, coefficients, bounds)?;
    *work += 10 * rows.len() as u64;
    verify::generates([&nest], rows.stride, rows.pairs()).then_some(nest)
}

fn nest(rows: &Rows, coefficients: &[i64], bounds: &[Bounds]) -> Option<Nest> {
    let depth = coefficients.len();
    let bound = |slopes: &[i64], constant: i64, divisor: i64, sign: i64| Bound {
        coefficients: slopes.iter().rev().map(|s| s.wrapping_mul(sign)).collect(),
        constant: constant.wrapping_mul(sign),
        divisor,
    };
    let levels = (1..=depth)
        .rev()
        .map(|m| {
            let b = &bounds[m - 1];
            Level {
                lower: b.lower.iter().map(|f| bound(&f.slopes, f.constant, f.divisor, -1)).collect(),
                upper: b.upper.iter().map(|f| bound(&f.slopes, f.constant, f.divisor, 1)).collect(),
            }
        })
        .collect();
    let coefficients = coefficients.iter().rev().copied().collect();
    let mut nest = Nest { levels, base: 0, coefficients }.validated()?;
    // The first iteration that makes an access need not be that of the first counters.
    let mut first = None;
    nest.runs(&mut |start: i64, _: i64| {
        first = Some(start);
        false
    });
    nest.base = rows.start(0).checked_sub(first?)?;
    nest.validated()
}
