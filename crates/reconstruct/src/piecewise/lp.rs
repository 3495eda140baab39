//! The linear programme behind face fitting.
//!
//! Given points (x, y), find the affine function `z·(x,1) ≥ y` at all points that is least at weighted chosen points. It
//! is solved on its dual, whose bases are sets of k+1 points, taking the most violated point into the basis at each step.
//! Floating point decides only which points are tight; [`through`] then computes the function through them exactly.

use super::points::Point;
use crate::piecewise::faces::Face;

/// Largest common denominator of a face.
const MOST_DENOMINATOR: i128 = 4096;

/// Weight of the centre of all points.
const CENTRE: f64 = 1e-3;

/// Most steps of one solution.
const STEPS: usize = 400;

/// Points that are tight at the optimum, or `None` if there is none; `centred`: where the chosen points leave the slopes
/// open, those of the plane nearest to all points.
pub fn tight(
    points: &[Point],
    y: &[i64],
    weights: &[(usize, f64)],
    k: usize,
    centred: bool,
    work: &mut u64,
) -> Option<Vec<usize>> {
    const BIG: f64 = 1e9;
    let rows = k + 1;
    let coordinate = |i: usize, q: usize| if q == k { 1.0 } else { points[i].outer[q] as f64 };
    let mut target = vec![0f64; rows];
    for &(i, w) in weights {
        for (q, t) in target.iter_mut().enumerate() {
            *t += w * coordinate(i, q);
        }
    }
    if centred {
        let share = CENTRE / points.len().max(1) as f64;
        for (q, t) in target.iter_mut().enumerate() {
            *t += share * (0..points.len()).map(|i| coordinate(i, q)).sum::<f64>();
        }
    }
    let mut inverse = vec![0f64; rows * rows];
    let mut basis: Vec<Option<usize>> = vec![None; rows];
    let mut cost = vec![-BIG; rows];
    let mut value = vec![0f64; rows];
    for q in 0..rows {
        inverse[q * rows + q] = if target[q] >= 0.0 { 1.0 } else { -1.0 };
        value[q] = target[q].abs();
    }
    let mut z = vec![0f64; rows];
    let mut u = vec![0f64; rows];
    for _ in 0..STEPS {
        *work += (points.len() * rows + 4 * rows * rows) as u64;
        for (j, z) in z.iter_mut().enumerate() {
            *z = (0..rows).map(|i| cost[i] * inverse[i * rows + j]).sum();
        }
        let mut entering = None;
        let mut worst = 1e-6;
        for (i, p) in points.iter().enumerate() {
            let mut v = z[k];
            for (z, x) in z[..k].iter().zip(&p.outer) {
                v += z * *x as f64;
            }
            let violation = y[i] as f64 - v;
            if violation > f64::max(worst, 1e-9 * (1.0 + v.abs())) {
                worst = violation;
                entering = Some(i);
            }
        }
        let Some(entering) = entering else { return Some(basis.into_iter().flatten().collect()) };
        for (i, u) in u.iter_mut().enumerate() {
            *u = (0..rows).map(|q| inverse[i * rows + q] * coordinate(entering, q)).sum();
        }
        let mut leaving: Option<(f64, usize)> = None;
        for i in 0..rows {
            if u[i] > 1e-9 {
                let ratio = value[i] / u[i];
                let better = leaving.is_none_or(|(least, l)| {
                    ratio < least - 1e-12 || (ratio <= least + 1e-12 && basis[i] < basis[l])
                });
                if better {
                    leaving = Some((ratio, i));
                }
            }
        }
        let (_, out) = leaving?;
        let pivot = u[out];
        for j in 0..rows {
            inverse[out * rows + j] /= pivot;
        }
        value[out] /= pivot;
        for i in (0..rows).filter(|&i| i != out) {
            let factor = u[i];
            if factor != 0.0 {
                for j in 0..rows {
                    inverse[i * rows + j] -= factor * inverse[out * rows + j];
                }
                value[i] = f64::max(0.0, value[i] - factor * value[out]);
            }
        }
        basis[out] = Some(entering);
        cost[out] = y[entering] as f64;
    }
    None
}

/// The affine function through points, exactly; coefficients that they leave free are 0.
pub fn through(points: &[Point], y: &[i64], chosen: &[usize], k: usize) -> Option<Face> {
    let columns = k + 2;
    let mut rows: Vec<Vec<i128>> = chosen
        .iter()
        .map(|&i| {
            let mut row: Vec<i128> = points[i].outer[..k].iter().map(|&x| i128::from(x)).collect();
            row.push(1);
            row.push(i128::from(y[i]));
            row
        })
        .collect();
    let mut pivots: Vec<Option<usize>> = vec![None; k + 1];
    let mut done = 0;
    for column in std::iter::once(k).chain(0..k) {
        let Some(found) = (done..rows.len()).find(|&i| rows[i][column] != 0) else { continue };
        rows.swap(done, found);
        let pivot_row = rows[done].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            if i == done || row[column] == 0 {
                continue;
            }
            let (a, b) = (pivot_row[column], row[column]);
            let mut common = 0;
            for j in 0..columns {
                row[j] = row[j].checked_mul(a)?.checked_sub(pivot_row[j].checked_mul(b)?)?;
                common = gcd(common, row[j]);
            }
            if common > 1 {
                row.iter_mut().for_each(|x| *x /= common);
            }
        }
        pivots[column] = Some(done);
        done += 1;
    }
    if rows[done..].iter().any(|row| row[k + 1] != 0) {
        return None;
    }
    let mut divisor: i128 = 1;
    for (column, pivot) in pivots.iter().enumerate() {
        if let Some(r) = *pivot {
            let denominator = rows[r][column].abs();
            let denominator = (denominator / gcd(denominator, rows[r][k + 1])).max(1);
            divisor = divisor / gcd(divisor, denominator) * denominator;
            if divisor > MOST_DENOMINATOR {
                return None;
            }
        }
    }
    let mut solution = vec![0i64; k + 1];
    for (column, pivot) in pivots.iter().enumerate() {
        if let Some(r) = *pivot {
            let value = rows[r][k + 1].checked_mul(divisor)? / rows[r][column];
            solution[column] = i64::try_from(value).ok()?;
        }
    }
    let constant = solution.pop()?;
    Some(Face { slopes: solution, constant, divisor: divisor as i64 })
}

/// Greatest common divisor.
pub fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a as i128
}
