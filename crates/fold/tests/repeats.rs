//! Iterations taken as a number give what their points give.

use fold::{Folded, Folder, Options};
use proptest::prelude::*;

/// Part of an iteration t: points `(outer, t, j, k)` with k from 0, and labels `base + slope·k + along·t + noise[k]`.
#[derive(Debug, Clone)]
struct Row {
    j: i64,
    base: i64,
    slope: i64,
    along: i64,
    noise: Vec<i64>,
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let noise = prop_oneof![(1usize..6).prop_map(|n| vec![0; n]), prop::collection::vec(0i64..50, 1..12),];
    let row = (0i64..3, 0i64..100, -3i64..4, 0i64..2, noise);
    prop::collection::vec(row, 1..6).prop_map(|parts| {
        let mut at = 0;
        let mut rows = Vec::new();
        for (gap, base, slope, along, noise) in parts {
            at += gap + 1;
            rows.push(Row { j: at, base, slope, along, noise });
        }
        rows
    })
}

fn iteration(folder: &mut Folder, outer: i64, t: i64, rows: &[Row]) {
    for row in rows {
        for (k, noise) in (0..).zip(&row.noise) {
            folder.point(&[outer, t, row.j, k], &[row.base + row.slope * k + row.along * t + noise]);
        }
    }
}

/// Folds `outer` times `n` iterations, as numbers where `in_bulk` and that is possible; how many were.
fn fold(options: Options, outer: i64, n: i64, rows: &[Row], in_bulk: bool) -> (Folded, i64) {
    let mut folder = Folder::new(4, 1, options);
    let points = rows.iter().map(|r| r.noise.len() as u64).sum();
    // Unknown labels go on as those of all rows, if that is one number.
    let along = rows[0].along;
    let is_uniform = rows.iter().all(|r| r.along == along);
    let mut saved = 0;
    for x in 0..outer {
        let mut t = 0;
        while t < n {
            iteration(&mut folder, x, t, rows);
            t += 1;
            if in_bulk && t > 1 && t + 1 < n && is_uniform && folder.can_repeat(1, along == 0) {
                let times = n - 1 - t;
                folder.repeat(1, times as u64, points, &|_, _| along);
                saved += times;
                t += times;
            }
        }
    }
    (folder.finish(), saved)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn numbers_of_iterations(rows in rows(), n in 5i64..14, outer in 1i64..4, widen in any::<bool>()) {
        for options in [Options::for_dimensions(4, widen), Options::unlimited(widen), Options::published(4, widen, true)] {
            let (all, _) = fold(options, outer, n, &rows, false);
            let (short, _) = fold(options, outer, n, &rows, true);
            prop_assert_eq!(all, short);
        }
    }
}

/// Two iterations that are the same tell the third if labels stay; if they move, any two make a pair.
#[test]
fn two_iterations_are_enough_where_labels_stay() {
    let rows = |along| [Row { j: 0, base: 7, slope: 8, along, noise: vec![0; 5] }];
    let saved = |along| fold(Options::for_dimensions(4, false), 1, 50, &rows(along), true).1;
    assert_eq!((saved(0), saved(1)), (47, 46));
}

/// Too many groups are made into fewer over several iterations: two that are the same do not tell the third then.
#[test]
fn crowded_iterations_settle_first() {
    let row = |j, slope, noise: &[i64]| Row { j, base: 0, slope, along: 0, noise: noise.to_vec() };
    let rows = [
        row(1, 1, &[0, 3, 7, 0, 0, 3, 7, 4, 2, 5, 0]),
        row(2, 0, &[0]),
        row(3, 0, &[0, 0]),
        row(4, 2, &[0, 0]),
        row(5, 1, &[0, 0]),
    ];
    for options in
        [Options::for_dimensions(4, true), Options::unlimited(true), Options::published(4, true, true)]
    {
        assert_eq!(fold(options, 1, 5, &rows, false).0, fold(options, 1, 5, &rows, true).0);
    }
}

/// Irregular labels within an iteration do not stand in the way.
#[test]
fn irregular_rows_repeat() {
    let noise = vec![3, 14, 1, 59, 26, 5, 35, 8, 97, 9, 32, 38];
    let rows = [Row { j: 0, base: 7, slope: 8, along: 0, noise }];
    for widen in [false, true] {
        let (_, saved) = fold(Options::for_dimensions(4, widen), 2, 50, &rows, true);
        assert!(saved >= 2 * 40, "{saved}");
    }
}
