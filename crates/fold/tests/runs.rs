//! Rows given as runs, and many of them together, give what their points give.

use fold::{Folded, Folder, Options};
use proptest::prelude::*;

/// Some rows `(outer, i, j)`, i from `first` on: row r begins at `j + grow_j·r`, has `count + grow·r` points and labels
/// `base + grow_label·r + advance·point`.
#[derive(Debug, Clone)]
struct Rows {
    gap: i64,
    rows: i64,
    j: i64,
    grow_j: i64,
    count: i64,
    grow: i64,
    step: i64,
    labels: [(i64, i64, i64); 2],
}

fn rows() -> impl Strategy<Value = Rows> {
    let label = (0i64..100, -2i64..3, -2i64..3);
    let grow = || prop_oneof![Just(0i64), 0i64..3];
    (
        1i64..3,
        1i64..12,
        0i64..4,
        grow(),
        1i64..7,
        grow().prop_map(|g| g - i64::from(g == 2) * 3),
        1i64..3,
        [label.clone(), label],
    )
        .prop_map(|(gap, rows, j, grow_j, count, grow, step, labels)| Rows {
            gap,
            rows,
            j,
            grow_j,
            count,
            grow,
            step,
            labels,
        })
}

/// Points one by one, runs one by one, or rows of one length together.
#[derive(Debug, Clone, Copy, PartialEq)]
enum By {
    Points,
    Runs,
    Rows,
}

fn fold(all: &[Rows], options: Options, repeats: i64, by: By) -> Folded {
    let mut folder = Folder::new(3, 2, options);
    for outer in 0..repeats {
        let mut i = 0;
        for part in all {
            i += part.gap;
            if by == By::Rows && part.grow == 0 && part.grow_j == 0 {
                let first = part.labels.map(|(base, ..)| base);
                let [advance, shift] = [part.labels.map(|l| l.2), part.labels.map(|l| l.1)];
                let (count, rows) = (part.count as u64, part.rows as u64);
                folder.rows(&[outer, i, part.j], part.step, count, &first, &advance, 1, &shift, rows);
                i += part.rows;
                continue;
            }
            for r in 0..part.rows {
                let count = (part.count + part.grow * r).max(0);
                let j = part.j + part.grow_j * r;
                let first = part.labels.map(|(base, grow, _)| base + grow * r);
                let advance = part.labels.map(|(_, _, advance)| advance);
                if by != By::Points {
                    folder.lattice_run(&[outer, i, j], part.step, count as u64, &first, &advance);
                } else {
                    for t in 0..count {
                        let label = [first[0] + advance[0] * t, first[1] + advance[1] * t];
                        folder.point(&[outer, i, j + part.step * t], &label);
                    }
                }
                i += 1;
            }
        }
    }
    folder.finish()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn runs_and_points(all in prop::collection::vec(rows(), 1..5), repeats in 1i64..4, widen in any::<bool>()) {
        for options in [Options::for_dimensions(3, widen), Options::unlimited(widen)] {
            let points = fold(&all, options, repeats, By::Points);
            prop_assert_eq!(&fold(&all, options, repeats, By::Runs), &points);
            prop_assert_eq!(&fold(&all, options, repeats, By::Rows), &points);
        }
    }
}

/// What is in a box goes on as far as iterations that were taken as a number.
#[test]
fn a_box_reaches_the_last_of_repeated_iterations() {
    let mut folder = Folder::new(2, 1, Options::for_dimensions(2, false));
    for (t, i) in (0..4).flat_map(|t| (0..5).map(move |i| (t, i))) {
        folder.point(&[t, i], &[t + i * i % 3]);
    }
    folder.abandon();
    assert!(folder.can_repeat(0, false));
    folder.repeat(0, 6, 5, &|_, _| 1);
    folder.end_repeat(0, 9, Some((0, 10)));
    let folded = folder.finish();
    let extents: Vec<_> = folded.pieces.iter().map(|piece| piece.extent()).collect();
    assert_eq!((folded.points, extents), (50, vec![vec![(0, 9), (0, 4)]]));
    assert_eq!(folded.ranges, vec![(0, 10)]);
}
