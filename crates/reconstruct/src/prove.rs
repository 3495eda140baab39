//! That no nest of fewer loops generates a trace, by trying all of them.
//!
//! The nests tried are those of the first publication: every loop runs from 0 to one affine function of the outer counters with
//! whole coefficients, the access is affine (Rodríguez, Andión, Kandemir and Touriño, "Trace-based affine reconstruction of
//! codes", CGO 2016; there the search begins with one loop and adds another where none is found, so that what it finds has as
//! few as possible). Of two such loops a trace of `P` integers leaves finitely many: the first row has at least one integer
//! (rows before it would be empty), and with `R` rows of `b`, `b + a`, `b + 2a`, … integers `P = R·b + a·R(R−1)/2`. The strides
//! follow from the first integers. Nests with several bounds a side are not among them: these may need fewer loops.

use crate::nest::{Bound, Level, Nest};

/// Integers of a trace, at most.
pub const MOST: usize = 1 << 22;

/// What trying all nests has shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// None of fewer loops, among so many shapes.
    Least(u64),
    /// This one has fewer.
    Fewer(Nest),
    /// More than three loops, or more than [`MOST`] integers.
    TooLarge,
}

/// Whether a trace, of which a nest of so many loops is known, has one of fewer.
pub fn prove(values: &[i64], loops: usize) -> Proof {
    if loops > 3 || values.len() > MOST {
        return Proof::TooLarge;
    }
    let mut shapes = 0;
    for fewer in 0..loops {
        let found = match fewer {
            0 => {
                shapes += 1;
                (values.len() == 1).then(|| Nest::point(values[0]))
            }
            1 => {
                shapes += 1;
                of_one(values)
            }
            _ => of_two(values, &mut shapes),
        };
        if let Some(nest) = found {
            return Proof::Fewer(nest);
        }
    }
    Proof::Least(shapes)
}

fn of_one(values: &[i64]) -> Option<Nest> {
    let (&first, &second) = (values.first()?, values.get(1)?);
    let stride = second.checked_sub(first)?;
    let all = values.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(stride));
    all.then(|| Nest::line(first, stride, values.len() as u64))
}

/// The rows of a nest of two loops: their number, the length of the first one, and by how much the next one is longer.
type Shape = (usize, usize, i64);

fn of_two(values: &[i64], shapes: &mut u64) -> Option<Nest> {
    let length = values.len();
    for rows in 2..=length {
        // The last row has an integer at least, so the mean of the first and the last is that of all.
        let most = (2 * length / rows).min(length);
        for first in 1..=most {
            let rest = 2 * (length as i64 - (rows * first) as i64);
            let by = rows as i64 * (rows as i64 - 1);
            if rest % by != 0 || first as i64 + rest / by * (rows as i64 - 1) < 1 {
                continue;
            }
            *shapes += 1;
            if let Some(nest) = of_shape(values, (rows, first, rest / by)) {
                return Some(nest);
            }
        }
        // Fewer integers than rows.
        if most == 0 {
            break;
        }
    }
    None
}

/// The nest of this shape that generates a trace.
fn of_shape(values: &[i64], (rows, first, more): Shape) -> Option<Nest> {
    let (&base, &next) = (values.first()?, values.get(first)?);
    let outer = next.checked_sub(base)?;
    // Where the first row has one integer the next longer one tells the stride inside.
    let start = if first > 1 { 0 } else { 1 };
    let is_longer = first > 1 || more > 0;
    let inner = if is_longer { values.get(start + 1)?.checked_sub(values[start])? } else { 0 };
    let mut at = 0;
    for row in 0..rows as i64 {
        let start = base.checked_add(outer.checked_mul(row)?)?;
        let length = usize::try_from(first as i64 + more * row).ok()?;
        for j in 0..length {
            if *values.get(at + j)? != start.checked_add(inner.checked_mul(j as i64)?)? {
                return None;
            }
        }
        at += length;
    }
    let rows = i64::try_from(rows).ok()?;
    let outermost = Level { lower: vec![Bound::constant(0, 0)], upper: vec![Bound::constant(0, rows - 1)] };
    let end = Bound { coefficients: vec![more], constant: first as i64 - 1, divisor: 1 };
    let innermost = Level { lower: vec![Bound::constant(1, 0)], upper: vec![end] };
    let nest = Nest { levels: vec![outermost, innermost], base, coefficients: vec![outer, inner] };
    (at == values.len()).then_some(nest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzzing::{Random, integers};

    fn two(rows: i64, first: i64, more: i64, (base, outer, inner): (i64, i64, i64)) -> Nest {
        let end = Bound { coefficients: vec![more], constant: first - 1, divisor: 1 };
        Nest {
            levels: vec![
                Level { lower: vec![Bound::constant(0, 0)], upper: vec![Bound::constant(0, rows - 1)] },
                Level { lower: vec![Bound::constant(1, 0)], upper: vec![end] },
            ],
            base,
            coefficients: vec![outer, inner],
        }
    }

    /// Every nest of two loops, rows at its beginning or end empty or not, is found again when more loops are said to be needed.
    #[test]
    fn every_nest_of_fewer_loops_is_found() {
        let mut random = Random::new(5);
        for _ in 0..2000 {
            let strides = (random.between(-50, 50), random.between(-40, 40), random.between(-9, 9));
            let nest = two(random.between(1, 9), random.between(-2, 7), random.between(-2, 3), strides);
            let values = integers(&nest);
            if values.is_empty() {
                continue;
            }
            match prove(&values, 3) {
                Proof::Fewer(found) => assert_eq!(integers(&found), values, "{nest:?}"),
                other => panic!("{nest:?}: {other:?}"),
            }
        }
    }

    /// What the published search would find with fewer loops by trying all shapes there are.
    #[test]
    fn none_is_found_where_there_is_none() {
        let cube: Vec<i64> = (0..4)
            .flat_map(|h| (0..3).flat_map(move |i| (0..5).map(move |j| 1000 * h + 70 * i + j)))
            .collect();
        assert!(matches!(prove(&cube, 3), Proof::Least(shapes) if shapes > 10));
        let squares: Vec<i64> = (0..30).map(|i| i * i).collect();
        assert!(matches!(prove(&squares, 3), Proof::Least(_)));
        assert_eq!(prove(&[5], 0), Proof::Least(0));
        assert!(matches!(prove(&[5, 7, 9], 2), Proof::Fewer(_)));
        assert!(matches!(prove(&[5, 7, 10], 1), Proof::Least(1)));
        assert_eq!(prove(&[1, 2], 4), Proof::TooLarge);
        assert!(matches!(prove(&[i64::MAX, i64::MIN, 0], 3), Proof::Least(_)));
    }
}
