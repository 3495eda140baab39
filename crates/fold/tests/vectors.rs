//! The test vectors of ALGORITHMS 3.3 and 3.8, and random streams against the checker.

use fold::{Coefficient, Folded, Folder, Options, Row, check::check};
use proptest::prelude::*;

type Stream = Vec<(Vec<i64>, Vec<i64>)>;

fn fold(dims: usize, outputs: usize, options: Options, stream: &Stream) -> Folded {
    let mut folder = Folder::new(dims, outputs, options);
    for (iv, label) in stream {
        folder.point(iv, label);
    }
    folder.finish()
}

fn names() -> Vec<String> {
    vec!["cj".into(), "ck".into()]
}

/// Folds, checks, and expects one piece; gives its domain in words and its first label.
fn one(stream: &Stream, widen: bool) -> (String, Vec<Option<i64>>, i64) {
    let dims = stream[0].0.len();
    let folded = fold(dims, stream[0].1.len(), Options::unlimited(widen), stream);
    check(stream, &folded).expect("faithful");
    assert_eq!(folded.pieces.len(), 1, "{:?}", folded.pieces);
    let piece = &folded.pieces[0];
    let label = piece.label(0).expect("integral");
    (
        piece.domain().expect("integral").display(&names()).to_string(),
        label.coefficients.iter().map(|c| c.known()).collect(),
        label.constant,
    )
}

const N1: i64 = 42;
const N2: i64 = 16;

fn perceptron(label: impl Fn(i64, i64) -> i64) -> Stream {
    (0..N2)
        .flat_map(|j| (0..=N1).map(move |k| (j, k)))
        .map(|(j, k)| (vec![j, k], vec![label(j, k)]))
        .collect()
}

/// Where the row of unit k starts: irregular, with the published first differences 0, 4, 10.
fn row(k: i64) -> i64 {
    [67, 71, 77].get(k as usize).copied().unwrap_or(77 + (k * k * 7919) % 10_007 + 3 * k)
}

#[test]
fn perceptron_instructions() {
    let domain = "0<=cj<=15, 0<=ck<=42".to_owned();
    assert_eq!(one(&perceptron(|_, k| 12 + k), true), (domain.clone(), vec![Some(0), Some(1)], 12));
    let (d, coefficients, _) = one(&perceptron(|j, k| row(k) + j), true);
    assert_eq!((d, coefficients), (domain.clone(), vec![Some(1), None]));
    assert_eq!(one(&perceptron(|_, k| 407 + k), true), (domain.clone(), vec![Some(0), Some(1)], 407));
    assert_eq!(one(&perceptron(|_, k| k + 1), true), (domain, vec![Some(0), Some(1)], 1));
    let i6: Stream = (0..N2).map(|j| (vec![j], vec![j + 2])).collect();
    assert_eq!(one(&i6, true), ("0<=cj<=15".into(), vec![Some(1)], 2));
}

#[test]
fn perceptron_dependences() {
    let same: Stream = perceptron(|_, _| 0).into_iter().map(|(iv, _)| (iv.clone(), iv)).collect();
    let folded = fold(2, 2, Options::unlimited(false), &same);
    check(&same, &folded).expect("faithful");
    let piece = &folded.pieces[0];
    assert_eq!(
        (folded.pieces.len(), piece.domain().map(|d| d.display(&names()).to_string())),
        (1, Some("0<=cj<=15, 0<=ck<=42".into()))
    );
    let carried: Stream = (0..N2).flat_map(|j| (1..=N1).map(move |k| (vec![j, k], vec![j, k - 1]))).collect();
    let folded = fold(2, 2, Options::unlimited(false), &carried);
    check(&carried, &folded).expect("faithful");
    let piece = &folded.pieces[0];
    assert_eq!(piece.domain().map(|d| d.display(&names()).to_string()), Some("0<=cj<=15, 1<=ck<=42".into()));
    let (cj, ck) = (piece.label(0).expect("cj'"), piece.label(1).expect("ck'"));
    assert_eq!((cj.coefficients, cj.constant), (vec![Coefficient::Known(1), Coefficient::Known(0)], 0));
    assert_eq!((ck.coefficients, ck.constant), (vec![Coefficient::Known(0), Coefficient::Known(1)], -1));
}

#[test]
fn triangles_of_any_slope() {
    let triangle = |slope: i64| -> Stream {
        (0..5).flat_map(|i| (0..=slope * i).map(move |j| (vec![i, j], vec![3 * i + 2 * j + 1]))).collect()
    };
    assert_eq!(one(&triangle(1), false), ("0<=cj<=4, 0<=ck<=cj".into(), vec![Some(3), Some(2)], 1));
    assert_eq!(one(&triangle(2), false), ("0<=cj<=4, 0<=ck<=2cj".into(), vec![Some(3), Some(2)], 1));
}

#[test]
fn three_by_three_walk_through() {
    let square: Stream = (0..3).flat_map(|j| (0..3).map(move |k| (vec![j, k], vec![0]))).collect();
    assert_eq!(one(&square, false).0, "0<=cj<=2, 0<=ck<=2");
}

#[test]
fn a_diagonal_is_one_piece() {
    let diagonal: Stream = (0..3).map(|i| (vec![i, i], vec![5 + 4 * i])).collect();
    assert_eq!(one(&diagonal, false).0, "0<=cj<=2, ck=cj");
}

/// The published rule states coefficient 1 for i here, which does not hold (ALGORITHMS 3.8, last vector).
#[test]
fn an_unsound_coefficient_is_not_stated() {
    let mut stream: Stream = Vec::new();
    for (k, label) in [0, 7, 9, 4].into_iter().enumerate() {
        stream.push((vec![0, k as i64], vec![label]));
    }
    for (k, label) in [10, 17, 19, 14].into_iter().enumerate() {
        stream.push((vec![1, k as i64 + 1], vec![label]));
    }
    let folded = fold(2, 1, Options::unlimited(true), &stream);
    check(&stream, &folded).expect("sound");
    assert!(folded.pieces.len() == 2 || folded.pieces[0].labels[0].coefficients[0] == Coefficient::Unknown);
}

#[test]
fn lattices_and_two_iterations() {
    let lattice: Stream =
        (0..4).flat_map(|i| (0..3).map(move |j| (vec![2 * i, 5 * j], vec![i + j]))).collect();
    let folded = fold(2, 1, Options::unlimited(false), &lattice);
    check(&lattice, &folded).expect("faithful");
    assert_eq!(folded.pieces.len(), 1);
    let nest: Stream = (0..2).flat_map(|i| (0..2).map(move |j| (vec![i, j], vec![0]))).collect();
    assert_eq!(one(&nest, false).0, "0<=cj<=1, 0<=ck<=1");
}

#[test]
fn giving_up_keeps_a_box_and_says_so() {
    let scattered: Stream = (0..200).map(|i| (vec![i, (i * i * 31) % 97], vec![(i * 7919) % 101])).collect();
    let folded = fold(2, 1, Options::for_dimensions(2, false), &scattered);
    assert!(folded.gave_up && !folded.is_exact());
    check(&scattered, &folded).expect("the box holds every point");
    assert_eq!(folded.points, 200);
    assert_eq!(folded.ranges, vec![(0, 100)]);
}

#[test]
fn runs_equal_points() {
    let mut by_run = Folder::new(2, 1, Options::unlimited(false));
    let mut by_point = Folder::new(2, 1, Options::unlimited(false));
    for i in 0..6 {
        by_run.run(&[i, 0], 4, &[10 * i], &[3]);
        by_run.run(&[i, 4], 3 + i as u64, &[10 * i + 12], &[3]);
        for j in 0..7 + i {
            by_point.point(&[i, j], &[10 * i + 3 * j]);
        }
    }
    let (a, b) = (by_run.finish(), by_point.finish());
    assert_eq!(a.pieces, b.pieces);
    assert_eq!(a.pieces.len(), 1);
}

#[test]
fn interleaved_lattices_are_one_piece_each() {
    let mut folder = Folder::new(2, 1, Options::for_dimensions(2, false));
    let mut stream = Stream::new();
    for i in 0..5 {
        for phase in 0..4 {
            folder.lattice_run(&[i, phase], 4, 10, &[100 * i + phase], &[7]);
        }
        for k in 0..40 {
            stream.push((vec![i, k], vec![100 * i + k % 4 + 7 * (k / 4)]));
        }
    }
    let folded = folder.finish();
    assert_eq!(check(&stream, &folded), Ok(()));
    assert_eq!(folded.pieces.len(), 4);
}

fn streams() -> impl Strategy<Value = (Stream, bool)> {
    let row = (0i64..4, 1i64..7, -3i64..4, any::<bool>(), 0i64..50);
    (proptest::collection::vec(row, 1..8), -2i64..3, any::<bool>(), 1i64..3).prop_map(
        |(rows, slope, widen, step)| {
            let mut stream = Stream::new();
            for (i, (start, count, a, noisy, base)) in rows.into_iter().enumerate() {
                let i = i as i64 * step;
                for k in 0..count {
                    let noise = if noisy { (k * k * 37 + base) % 11 } else { 0 };
                    stream.push((vec![i, start + slope.abs() * i + k], vec![base + a * k + noise]));
                }
            }
            (stream, widen)
        },
    )
}

proptest! {
    #[test]
    fn every_result_is_faithful((stream, widen) in streams()) {
        let folded = fold(2, 1, Options::unlimited(widen), &stream);
        prop_assert_eq!(check(&stream, &folded), Ok(()));
        prop_assert_eq!(folded.points as usize, stream.len());
        let limited = fold(2, 1, Options::for_dimensions(2, widen), &stream);
        prop_assert_eq!(check(&stream, &limited), Ok(()));
    }
}

/// Rows taken as a whole fold to what their points fold to, however a row is cut.
#[test]
fn rows_and_points() {
    let pattern: Vec<i64> = (0..40).map(|t| t * 24 + (t * t * 7) % 31).collect();
    for cut in [0, 1, 2, 17] {
        let mut points = Folder::new(2, 1, Options::for_dimensions(2, true));
        let mut rows = Folder::new(2, 1, Options::for_dimensions(2, true));
        let describe = |labels: &[i64]| Row::new(&labels.iter().map(|l| l - labels[0]).collect::<Vec<_>>());
        let (mut head, mut tail) = (describe(&pattern[..cut.max(1)]), describe(&pattern[cut..]));
        for i in 0..9 {
            let labels: Vec<i64> = pattern.iter().map(|l| 1000 + 8 * i + l).collect();
            for (t, &label) in labels.iter().enumerate() {
                points.point(&[i, t as i64], &[label]);
            }
            let (first, rest) = labels.split_at(cut);
            rows.row(&[i, 0], Some(&mut head), first.iter().copied());
            rows.row(&[i, cut as i64], Some(&mut tail), rest.iter().copied());
        }
        let (points, rows) = (points.finish(), rows.finish());
        assert_eq!(format!("{points:?}"), format!("{rows:?}"), "cut at {cut}");
        assert_eq!(rows.pieces.len(), 1);
        assert_eq!(rows.pieces[0].labels[0].coefficients, [Coefficient::Known(8), Coefficient::Unknown]);
    }
}
