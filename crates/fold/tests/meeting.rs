//! Where streams of addresses meet, against all pairs of points.

use fold::meeting::{Accesses, Meeting, Pairs, meet};
use fold::piece::Level;
use fold::{Coefficient, Label, Piece};
use poly::Affine;
use proptest::prelude::*;

fn affine(coefficients: &[i64], constant: i64) -> Affine {
    Affine { coefficients: coefficients.to_vec(), constant }
}

/// A piece of levels `(start, count)` with one label.
fn piece(levels: Vec<(Affine, Affine, i64)>, label: &[i64], constant: i64) -> Piece {
    let levels: Vec<Level> =
        levels.into_iter().map(|(start, count, step)| Level { start, count, step, is_new: false }).collect();
    let coefficients = label.iter().map(|&c| Coefficient::Known(c)).collect();
    let labels = vec![Label { coefficients, constant }];
    Piece { levels, labels, points: 0, over_approximated: false }
}

/// `0 ≤ x_q < n_q` for each.
fn boxed(n: &[i64], label: &[i64], constant: i64) -> Piece {
    piece(n.iter().map(|&n| (affine(&[], 0), affine(&[], n), 1)).collect(), label, constant)
}

/// Every pair, looked at.
fn brute((a, a_size): (&Piece, u32), (b, b_size): (&Piece, u32), pairs: Pairs) -> Option<Vec<(i64, i64)>> {
    let all = |piece: &Piece| {
        let mut out = Vec::new();
        assert!(piece.points(1 << 20, &mut |x, labels| out.push((x.to_vec(), labels[0].unwrap_or(0)))));
        out
    };
    let (from, to) = (all(a), all(b));
    let mut out: Option<Vec<(i64, i64)>> = None;
    for ((x, at), (y, other)) in from.iter().flat_map(|x| to.iter().map(move |y| (x, y))) {
        let Pairs { common, level, at_level } = pairs;
        let difference: Vec<i64> = (0..common).map(|q| y[q] - x[q]).collect();
        let is_asked = difference.iter().take(level).all(|&d| d == 0)
            && difference.get(level).is_none_or(|d| (at_level.0..=at_level.1).contains(d));
        if is_asked && *at < other + i64::from(b_size) && *other < at + i64::from(a_size) {
            let hull = out.get_or_insert_with(|| difference.iter().map(|&d| (d, d)).collect());
            for (range, &d) in hull.iter_mut().zip(&difference) {
                *range = (range.0.min(d), range.1.max(d));
            }
        }
    }
    out
}

fn same(a: (&Piece, u32), b: (&Piece, u32), pairs: Pairs) {
    let expected = brute(a, b, pairs).map_or(Meeting::Never, Meeting::Within);
    let [one, other] = [a, b].map(|(piece, size)| Accesses { piece, size });
    assert_eq!(meet(one, other, pairs), expected, "{pairs:?}");
}

#[test]
fn rows_of_an_array_do_not_run_into_each_other() {
    // A[i + 1][j + k] read, A[i][k + 9] written; rows of 20 doubles.
    let read = boxed(&[12, 10, 10], &[160, 8, 8], 160);
    let written = boxed(&[12, 10, 10], &[160, 0, 8], 72);
    for level in 0..=3 {
        same((&read, 8), (&written, 8), Pairs { common: 3, level, at_level: (1, 11) });
    }
    same((&read, 8), (&written, 8), Pairs { common: 2, level: 0, at_level: (1, 1) });
}

#[test]
fn diagonals_and_triangles() {
    // A[i][i] and A[i][j], j ≤ i; rows of 16 ints.
    let diagonal = boxed(&[16], &[68], 0);
    let triangle =
        piece(vec![(affine(&[], 0), affine(&[], 16), 1), (affine(&[], 0), affine(&[1], 1), 1)], &[64, 4], 0);
    for level in 0..=1 {
        same((&diagonal, 4), (&triangle, 4), Pairs { common: 1, level, at_level: (1, 15) });
        same((&triangle, 4), (&diagonal, 4), Pairs { common: 1, level, at_level: (1, 15) });
        same((&triangle, 4), (&triangle, 4), Pairs { common: 2, level, at_level: (1, 15) });
    }
}

#[test]
fn lattices_and_sizes() {
    // Even elements, and single bytes behind them.
    let even = piece(vec![(affine(&[], 4), affine(&[], 10), 2)], &[8], 100);
    let behind = boxed(&[40], &[4], 103);
    for (a, b) in [(4, 1), (1, 4), (8, 8), (4, 4)] {
        same((&even, a), (&behind, b), Pairs { common: 1, level: 0, at_level: (1, 30) });
        same((&even, a), (&behind, b), Pairs { common: 1, level: 1, at_level: (0, 0) });
    }
}

#[test]
fn what_is_not_affine_or_too_large_is_unknown() {
    let known = boxed(&[4], &[8], 0);
    let mut unknown = known.clone();
    unknown.labels[0].coefficients[0] = Coefficient::Unknown;
    let huge = boxed(&[4], &[i64::MAX], 0);
    let pairs = Pairs { common: 1, level: 0, at_level: (1, 3) };
    for other in [unknown, huge] {
        let [a, b] = [&known, &other].map(|piece| Accesses { piece, size: 8 });
        assert_eq!(meet(a, b, pairs), Meeting::Unknown);
        assert_eq!(meet(b, a, pairs), Meeting::Unknown);
    }
}

fn any_piece() -> impl Strategy<Value = Piece> {
    let level = (0i64..3, 1i64..6, -1i64..2, 1i64..3);
    (prop::collection::vec(level, 2..4), prop::collection::vec(-9i64..10, 3), 0i64..9).prop_map(
        |(levels, label, constant)| {
            let levels = levels.into_iter().enumerate().map(|(at, (start, count, slope, step))| {
                let mut growing = affine(&[], count);
                if at > 0 {
                    growing.coefficients = vec![0; at];
                    growing.coefficients[at - 1] = slope;
                }
                (affine(&[], start), growing, step)
            });
            let levels: Vec<_> = levels.collect();
            let label = &label[..levels.len()];
            piece(levels, label, constant)
        },
    )
}

proptest! {
    #[test]
    fn every_pair_is_within(
        a in any_piece(), b in any_piece(), sizes in (1u32..5, 1u32..5), level in 0usize..3, far in 1i64..6,
    ) {
        let pairs = Pairs { common: 2, level, at_level: (1, far) };
        let found = meet(Accesses { piece: &a, size: sizes.0 }, Accesses { piece: &b, size: sizes.1 }, pairs);
        match (brute((&a, sizes.0), (&b, sizes.1), pairs), found) {
            (_, Meeting::Unknown) | (None, _) => {}
            (Some(expected), Meeting::Within(ranges)) => {
                for (one, other) in expected.iter().zip(&ranges) {
                    prop_assert!(other.0 <= one.0 && one.1 <= other.1, "{expected:?} in {ranges:?}");
                }
            }
            (Some(expected), Meeting::Never) => prop_assert!(false, "{expected:?} never"),
        }
    }
}
