//! From closed groups to pieces.

use poly::Affine;

use crate::class::{ClassId, Classes, Kind};
use crate::piece::{Coefficient, Label, Level, Piece};

/// Reads a piece off a class and its vector `[x_0, n_0, x_1, n_1, …, labels]`.
pub(crate) fn piece(classes: &Classes, class: ClassId, vector: &[i64], outputs: usize) -> Piece {
    let levels = levels(classes, class, vector);
    let n = levels.len();
    let over_approximated = classes.is_box(class);
    let mut labels: Vec<Label> = vector[2 * n..]
        .iter()
        .map(|&l| Label { coefficients: vec![Coefficient::Known(0); n], constant: l })
        .collect();
    for (q, c) in classes.chain(class).enumerate() {
        for (o, label) in labels.iter_mut().enumerate().take(outputs) {
            if let Some(delta) = &c.delta {
                label.coefficients[q] = Coefficient::Known(delta[2 * (n - q - 1) + o]);
            }
            if over_approximated || c.unknown >> o & 1 == 1 {
                label.coefficients[q] = Coefficient::Unknown;
            }
        }
    }
    let points = count_points(&levels);
    Piece { levels, labels, points, over_approximated }
}

/// The levels of an item.
pub(crate) fn levels(classes: &Classes, class: ClassId, vector: &[i64]) -> Vec<Level> {
    let mut levels: Vec<Level> = classes
        .chain(class)
        .enumerate()
        .map(|(q, c)| Level {
            start: Affine::constant(vector[2 * q]),
            count: Affine::constant(vector[2 * q + 1]),
            step: c.step.unwrap_or(1),
            is_new: c.kind == Kind::New,
        })
        .collect();
    for (q, c) in classes.chain(class).enumerate() {
        let Some(delta) = &c.delta else { continue };
        // The description inside level q is [x_{q+1}, n_{q+1}, …, labels].
        for (r, level) in levels.iter_mut().enumerate().skip(q + 1) {
            set_coefficient(&mut level.start, q, delta[2 * (r - q - 1)]);
            set_coefficient(&mut level.count, q, delta[2 * (r - q - 1) + 1]);
        }
    }
    levels
}

/// Sets a coefficient that is 0 so far, where it is not to stay so: most functions are constant and need no list.
fn set_coefficient(function: &mut Affine, q: usize, coefficient: i64) {
    if coefficient != 0 {
        function.coefficients.resize(function.coefficients.len().max(q + 1), 0);
        function.coefficients[q] = coefficient;
    }
}

/// Smallest and largest value per coordinate of a nest, exact if bounds are constant, else possibly wider; saturating.
pub(crate) fn extent(levels: &[Level]) -> Vec<(i64, i64)> {
    let mut last: Vec<i64> = Vec::new();
    let mut out = Vec::new();
    for level in levels {
        let (_, most) = range(&level.count, &last);
        let most = most.saturating_sub(1).max(0);
        if !level.is_new {
            let (low, high) = range(&level.start, &last);
            out.push((low, high.saturating_add(level.step.saturating_mul(most))));
        }
        last.push(most);
    }
    out
}

/// The first of the ranges that [`extent`] gives for an item; mostly that of its outermost level, which depends on no other.
pub(crate) fn first_extent(classes: &Classes, class: ClassId, vector: &[i64]) -> Option<(i64, i64)> {
    match (classes.chain(class).next(), vector) {
        (Some(outermost), [start, count, ..]) if outermost.kind != Kind::New => {
            let most = count.saturating_sub(1).max(0);
            let step = outermost.step.unwrap_or(1);
            Some((*start, start.saturating_add(step.saturating_mul(most))))
        }
        _ => extent(&levels(classes, class, vector)).first().copied(),
    }
}

/// Range of a function over counters from 0 to `last`; saturating.
fn range(f: &Affine, last: &[i64]) -> (i64, i64) {
    let mut range = (f.constant, f.constant);
    for (c, n) in f.coefficients.iter().zip(last) {
        let end = c.saturating_mul(*n);
        range = (range.0.saturating_add(end.min(0)), range.1.saturating_add(end.max(0)));
    }
    range
}

/// Number of points of a nest with affine counts; saturating.
pub(crate) fn count_points(levels: &[Level]) -> u64 {
    let total = walk(levels, &mut Vec::new()).unwrap_or(i128::from(u64::MAX));
    u64::try_from(total.max(0)).unwrap_or(u64::MAX)
}

/// Points inside the counters `t`. It is a polynomial in each counter, of a degree not above the number of levels
/// inside; where it is large the sum over a counter is taken from its first differences (Newton).
fn walk(levels: &[Level], t: &mut Vec<i64>) -> Option<i128> {
    let q = t.len();
    let Some(level) = levels.get(q) else { return Some(1) };
    let count = level.count.at(t)?.max(0);
    let independent = levels[q + 1..].iter().all(|l| l.count.coefficient(q) == 0);
    let degree = if independent { 0 } else { levels.len() - q };
    let mut values = Vec::with_capacity(degree + 1);
    for k in 0..count.min(degree as i64 + 1) {
        t.push(k);
        values.push(walk(levels, t));
        t.pop();
    }
    let mut values = values.into_iter().collect::<Option<Vec<i128>>>()?;
    let (mut total, mut choose) = (0i128, 1i128);
    for j in 0..values.len() {
        // C(count, j + 1)
        choose = choose.checked_mul(i128::from(count) - j as i128)? / (j as i128 + 1);
        total = total.checked_add(values[0].checked_mul(choose)?)?;
        for i in 0..values.len() - 1 - j {
            values[i] = values[i + 1] - values[i];
        }
    }
    Some(total)
}

/// The ⊤ mask of all outputs.
pub(crate) fn all_outputs(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
