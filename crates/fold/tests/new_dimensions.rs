//! Loops that the program writes as one (ALGORITHMS 3.10).

use fold::{Coefficient, Folded, Folder, GiveUp, Options, check::check};
use proptest::prelude::*;

type Stream = Vec<(Vec<i64>, Vec<i64>)>;

fn fold(dims: usize, outputs: usize, options: Options, stream: &Stream) -> Folded {
    let mut folder = Folder::new(dims, outputs, options);
    for (iv, label) in stream {
        folder.point(iv, label);
    }
    let folded = folder.finish();
    check(stream, &folded).expect("faithful");
    folded
}

/// Every set of options that looks for new dimensions.
fn options(dims: usize) -> [Options; 4] {
    [false, true]
        .map(|w| [Options::for_dimensions(dims, w), Options { widen: false, ..Options::unlimited(w) }])
        .concat()
        .try_into()
        .expect("four")
}

fn known(coefficients: &[i64]) -> Vec<Coefficient> {
    coefficients.iter().map(|&c| Coefficient::Known(c)).collect()
}

/// The published example: one loop over 50·40, rows and columns by division and remainder, the border left out.
#[test]
fn a_linearised_stencil_is_one_box() {
    let inside = |q: i64| (1..49).contains(&(q / 40)) && (1..39).contains(&(q % 40));
    let stream: Stream =
        (0..50 * 40).filter(|&q| inside(q)).map(|q| (vec![q], vec![1000 + 8 * q, q / 40])).collect();
    for options in options(1) {
        let folded = fold(1, 2, options, &stream);
        assert_eq!(folded.pieces.len(), 1, "{options:?}");
        let piece = &folded.pieces[0];
        // The address is a function of q; the row is not.
        assert_eq!(piece.label(0).map(|l| l.coefficients), Some(known(&[8])));
        assert_eq!(piece.label(1).map(|l| l.coefficients), Some(vec![Coefficient::Unknown]));
        assert_eq!((piece.dims(), piece.domain()), (1, None));
        let piece = piece.with_new_dimensions().expect("integral");
        let names = ["r".to_owned(), "c".to_owned()];
        let domain = piece.domain().expect("integral");
        assert_eq!(domain.display(&names).to_string(), "1<=r<=48, 1<=c<=38");
        let address = piece.label(0).and_then(|l| l.function()).expect("affine");
        assert_eq!(address.display(&names).to_string(), "320r+8c+1000");
        assert_eq!(piece.label(1).map(|l| (l.coefficients, l.constant)), Some((known(&[1, 0]), 0)));
    }
}

/// Three loops in one, guarded in each: a new dimension of a new dimension.
#[test]
fn a_linearised_cube_is_one_box() {
    let (a, b, c) = (9, 8, 7);
    let inside =
        |q: i64| q / (b * c) > 0 && (1..b - 1).contains(&(q / c % b)) && (1..c - 1).contains(&(q % c));
    let stream: Stream = (0..a * b * c).filter(|&q| inside(q)).map(|q| (vec![q], vec![4 * q])).collect();
    for options in options(1) {
        let folded = fold(1, 1, options, &stream);
        assert_eq!(folded.pieces.len(), 1, "{options:?}");
        let domain = folded.pieces[0].with_new_dimensions().and_then(|p| p.domain()).expect("integral");
        let names = ["p", "r", "c"].map(str::to_owned);
        assert_eq!(domain.display(&names).to_string(), "1<=p<=8, 1<=r<=6, 1<=c<=5");
    }
}

/// Below the diagonal of a matrix that one loop runs over: rows grow.
#[test]
fn a_linearised_triangle_is_one_piece() {
    let n = 30;
    let stream: Stream =
        (0..n * n).filter(|q| q % n < q / n).map(|q| (vec![q], vec![q % n, q / n])).collect();
    for options in options(1) {
        let folded = fold(1, 2, options, &stream);
        // Points of the first rows pair up with their neighbours before rows are long enough to recur.
        assert!(folded.pieces.len() <= 4, "{options:?}: {:?}", folded.pieces);
        assert!(folded.is_exact() && folded.pieces.iter().any(|p| p.points >= stream.len() as u64 - 6));
    }
}

/// A row of `chunk` labels again and again, in a loop inside another one: LU with `k % chunk`.
#[test]
fn labels_of_a_period_are_one_piece() {
    for (chunk, rows) in [(16, 1), (16, 5), (5, 7), (2, 40)] {
        let point = |i: i64, k: i64| (vec![i, k], vec![4 * (k % chunk) + 1000 * i]);
        let stream: Stream = (0..rows).flat_map(|i| (0..12 * chunk).map(move |k| point(i, k))).collect();
        for options in options(2) {
            let folded = fold(2, 1, options, &stream);
            assert_eq!(folded.pieces.len(), 1, "chunk {chunk}, {rows} rows, {options:?}");
            // Blocks follow each other: the domain is a box in coordinates too.
            let domain = folded.pieces[0].domain().expect("a box");
            let names = ["i", "k"].map(str::to_owned);
            let end = 12 * chunk - 1;
            let rows = if rows == 1 { "i=0".to_owned() } else { format!("0<=i<={}", rows - 1) };
            assert_eq!(domain.display(&names).to_string(), format!("{rows}, 0<=k<={end}"));
        }
    }
}

/// The linearised loop outside, a plain loop inside, which the row lengthens.
#[test]
fn a_linearised_outer_loop() {
    let mut stream = Stream::new();
    for q in 0..20 * 10 {
        if (1..9).contains(&(q % 10)) {
            stream.extend((0..=q / 10).map(|k| (vec![q, k], vec![3 * q + k])));
        }
    }
    for options in options(2) {
        let folded = fold(2, 1, options, &stream);
        assert_eq!(folded.pieces.len(), 1, "{options:?}");
        assert_eq!(folded.pieces[0].label(0).map(|l| l.coefficients), Some(known(&[3, 1])));
    }
}

/// Two runs and a single point in every row of the linearised loop.
#[test]
fn a_body_of_three() {
    let label = |q: i64| match q % 20 {
        0..=6 => Some(q),
        8 => Some(5),
        10..=14 => Some(-2 * q),
        _ => None,
    };
    let stream: Stream = (0..300).filter_map(|q| Some((vec![q], vec![label(q)?]))).collect();
    for options in options(1) {
        let folded = fold(1, 1, options, &stream);
        assert_eq!(folded.pieces.len(), 3, "{options:?} {:?}", folded.pieces);
    }
}

/// A zero dimension goes before the new dimensions of the coordinate it precedes.
#[test]
fn zero_dimensions_beside_new_ones() {
    let stream: Stream = (0..200).filter(|q| q % 10 < 6).map(|q| (vec![q], vec![q])).collect();
    for dim in 0..2 {
        let folded = fold(1, 1, Options::for_dimensions(1, false), &stream).with_zero_dimension(dim);
        let lifted: Stream = stream
            .iter()
            .map(|(iv, label)| {
                let mut iv = iv.clone();
                iv.insert(dim, 0);
                (iv, label.clone())
            })
            .collect();
        assert_eq!(check(&lifted, &folded), Ok(()));
        assert_eq!(folded.pieces[0].levels_of(dim).len(), 1);
        assert_eq!(folded.pieces[0].levels_of(1 - dim).len(), 2);
        assert!(folded.pieces[0].levels_of(2).is_empty());
    }
}

/// One loop nest in which every coordinate may stand for several planted loops.
#[derive(Debug, Clone)]
struct Planted {
    /// Per coordinate: per planted loop, outermost first, (extent, first iteration, iterations left out at the end).
    coordinates: Vec<Vec<(i64, i64, i64)>>,
    /// Labels: coefficients of the planted loops, constant.
    coefficients: Vec<i64>,
    /// Leave out the points for which a fixed mixing of the position gives 0 modulo this.
    holes: Option<u64>,
    /// Make every so many labels irregular.
    noise: Option<u64>,
}

impl Planted {
    fn stream(&self) -> Stream {
        let loops: Vec<(i64, i64, i64)> = self.coordinates.concat();
        let mut out = Stream::new();
        let mut t: Vec<i64> = loops.iter().map(|l| l.1).collect();
        loop {
            let mut at = 0;
            let mut iv = Vec::new();
            for planted in &self.coordinates {
                let mut x = 0;
                for (extent, _, _) in planted {
                    x = x * extent + t[at];
                    at += 1;
                }
                iv.push(x);
            }
            let label: i64 = t.iter().zip(&self.coefficients).map(|(t, c)| t * c).sum();
            let mixed = (out.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
            if self.holes.is_none_or(|h| !mixed.is_multiple_of(h)) {
                let noise = self.noise.map_or(0, |n| if mixed % n == 1 { (mixed % 7) as i64 } else { 0 });
                out.push((iv, vec![label + noise]));
            } else {
                out.push((iv, vec![-1]));
            }
            let Some(q) = (0..t.len()).rev().find(|&q| t[q] + 1 < loops[q].0 - loops[q].2) else { break };
            t[q] += 1;
            for inner in q + 1..t.len() {
                t[inner] = loops[inner].1;
            }
        }
        if self.holes.is_some() {
            out.retain(|p| p.1[0] != -1);
        }
        out
    }
}

fn planted(irregular: bool) -> impl Strategy<Value = Planted> {
    let planted_loop = (3i64..7, 0i64..2, 0i64..2);
    let coordinate = proptest::collection::vec(planted_loop, 1..3);
    let every = move || if irregular { proptest::option::of(2u64..40).boxed() } else { Just(None).boxed() };
    (proptest::collection::vec(coordinate, 1..4), proptest::collection::vec(-9i64..10, 6), every(), every())
        .prop_map(|(coordinates, coefficients, holes, noise)| Planted {
            coordinates,
            coefficients,
            holes,
            noise,
        })
}

/// Every kind of options.
fn all_options(dims: usize) -> Vec<Options> {
    let published = [(false, false), (false, true), (true, false), (true, true)];
    let published = published.map(|(widen, give_up)| Options::published(dims, widen, give_up));
    let tight = Options { alive: Some(6), pieces: Some(3), ..Options::for_dimensions(dims, true) };
    let unlimited = Options { adaptive: Some(4), alive: None, pieces: None, ..tight };
    let limits = [GiveUp::Never, GiveUp::Beyond(1), GiveUp::Beyond(6)];
    let limited = limits.into_iter().flat_map(|limit| {
        [false, true]
            .map(|widen| Options::giving_up(dims, widen, limit))
            .into_iter()
            .chain([Options::widening_late(dims, true, limit)])
    });
    options(dims)
        .into_iter()
        .chain(published)
        .chain(limited)
        .chain([tight, unlimited, Options::unlimited(true)])
        .collect()
}

/// Regression: the box of labels that are not affine has a level whose bounds count the steps of the one around it.
#[test]
fn a_box_over_steps() {
    let planted = Planted {
        coordinates: vec![vec![(3, 0, 0)], vec![(5, 0, 0)], vec![(6, 0, 0), (5, 1, 0)]],
        coefficients: vec![0, 0, 0, -2, 0, 0],
        holes: Some(10),
        noise: Some(20),
    };
    let stream = planted.stream();
    for options in all_options(3) {
        let mut folder = Folder::new(3, 1, options);
        stream.iter().for_each(|(iv, label)| folder.point(iv, label));
        assert_eq!(check(&stream, &folder.finish()), Ok(()), "{options:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn planted_dimensions_are_regenerated(planted in planted(false)) {
        let stream = planted.stream();
        let dims = planted.coordinates.len();
        for options in options(dims) {
            fold(dims, 1, options, &stream);
        }
    }

    #[test]
    fn irregular_streams_are_faithful(planted in planted(true)) {
        let stream = planted.stream();
        let dims = planted.coordinates.len();
        for options in all_options(dims) {
            if stream.is_empty() {
                continue;
            }
            let mut folder = Folder::new(dims, 1, options);
            for (iv, label) in &stream {
                folder.point(iv, label);
            }
            let folded = folder.finish();
            prop_assert_eq!(check(&stream, &folded), Ok(()), "{:?} {:?}", options, folded);
        }
    }
}
