//! Streams that are odd or wrong: vectors that come twice, diagonals, slopes, one coordinate only, bad input; adaptive
//! widening and the published variants.

use fold::{CheckedFolder, Coefficient, Folded, Folder, GiveUp, Options, Refused, StreamError, check::check};

type Stream = Vec<(Vec<i64>, Vec<i64>)>;

fn fold(dims: usize, outputs: usize, options: Options, stream: &Stream) -> Folded {
    let mut folder = CheckedFolder::new("a stream", dims, outputs, options);
    for (iv, label) in stream {
        folder.point(iv, label).expect("a stream");
    }
    let folded = folder.finish();
    check(stream, &folded).expect("faithful");
    folded
}

fn grid(rows: i64, columns: i64, label: impl Fn(i64, i64) -> i64) -> Stream {
    let points = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
    points.map(|(i, j)| (vec![i, j], vec![label(i, j)])).collect()
}

/// Two operands of one dependence: every vector comes twice, with different labels or with the same.
#[test]
fn the_same_vector_twice() {
    for second in [5000, 0] {
        let twice: Stream = grid(6, 9, |i, j| 100 * i + j)
            .into_iter()
            .flat_map(|(iv, label)| [(iv.clone(), label.clone()), (iv, vec![label[0] + second])])
            .collect();
        for options in [Options::unlimited(false), Options::for_dimensions(2, false)] {
            let folded = fold(2, 1, options, &twice);
            assert!(folded.is_exact());
            assert_eq!(folded.pieces.len(), 2, "{:?}", folded.pieces);
        }
    }
}

/// Regression 1: rows that differ in labels alone were paired crosswise at the level outside, which made a piece of every two
/// iterations.
#[test]
fn regression_1_rows_that_differ_in_labels_alone() {
    for rows in [2, 3] {
        let stream: Stream = (0..7)
            .flat_map(|t| (0..5).flat_map(move |j| (0..rows).map(move |r| (t, j, r))))
            .map(|(t, j, r)| (vec![t, 3, j], vec![1000 * r * r + j]))
            .collect();
        let folded = fold(3, 1, Options::for_dimensions(3, false), &stream);
        assert!(folded.is_exact());
        assert_eq!(folded.pieces.len(), rows as usize, "{:?}", folded.pieces);
    }
}

#[test]
fn slopes_and_diagonals() {
    for slope in [-3, -2, 2, 5] {
        let band: Stream = (0..8)
            .flat_map(|i| (0..10).map(move |j| (vec![i, slope * i + j], vec![7 * i - 2 * (slope * i + j)])))
            .collect();
        let folded = fold(2, 1, Options::for_dimensions(2, false), &band);
        let label = folded.pieces[0].label(0).expect("integral");
        assert_eq!(folded.pieces.len(), 1);
        assert_eq!(label.coefficients, [Coefficient::Known(7), Coefficient::Known(-2)]);
        let diagonal: Stream = (0..8).map(|i| (vec![i, slope * i], vec![4 * i])).collect();
        assert_eq!(fold(2, 1, Options::for_dimensions(2, false), &diagonal).pieces.len(), 1);
    }
}

#[test]
fn degenerate_dimensions() {
    let line: Stream = (0..8).map(|j| (vec![3, j, 5], vec![2 * j])).collect();
    let folded = fold(3, 1, Options::for_dimensions(3, false), &line);
    let names = ["i", "j", "k"].map(str::to_owned);
    let domain = folded.pieces[0].domain().expect("integral").display(&names).to_string();
    assert_eq!((folded.pieces.len(), domain), (1, "i=3, 0<=j<=7, k=5".to_owned()));
    let point: Stream = vec![(vec![], vec![4])];
    assert_eq!(fold(0, 1, Options::for_dimensions(0, false), &point).pieces.len(), 1);
}

/// Beyond the limit the innermost level is widened, and what was folded before it is merged: the result is that of
/// widening at once.
#[test]
fn widening_is_retroactive() {
    let table = |j: i64| (j * j * 7919) % 10_007;
    for columns in [12, 30, 200] {
        let stream = grid(16, columns, |i, j| table(j) + 3 * i);
        let folded = fold(2, 1, Options::for_dimensions(2, true), &stream);
        assert_eq!(folded.pieces.len(), 1, "{columns} columns");
        let label = folded.pieces[0].label(0).expect("a label");
        assert_eq!(label.coefficients, [Coefficient::Known(3), Coefficient::Unknown]);
        assert_eq!(folded.pieces, fold(2, 1, Options::unlimited(true), &stream).pieces);
    }
    // Rows at irregular places: it is the outer coefficient that is lost.
    let stream = grid(60, 20, |i, j| table(i) + 8 * j);
    let folded = fold(2, 1, Options::for_dimensions(2, true), &stream);
    let label = folded.pieces[0].label(0).expect("a label");
    assert_eq!((folded.pieces.len(), folded.gave_up), (1, false));
    assert_eq!(label.coefficients, [Coefficient::Unknown, Coefficient::Known(8)]);
    // A few irregular points are kept exactly.
    let stream = grid(16, 6, |i, j| table(j) + 3 * i);
    assert!(fold(2, 1, Options::for_dimensions(2, true), &stream).is_exact());
}

/// One scattered row among regular ones: only its own points are in a box.
#[test]
fn a_box_stands_for_its_prefix_alone() {
    let mut stream = Stream::new();
    for i in 0..20 {
        for j in 0..200 {
            if i != 7 || (j * j * 31) % 97 < 48 {
                stream.push((vec![i, j], vec![if i == 7 { (j * j * 7919) % 10_007 } else { 200 * i + j }]));
            }
        }
    }
    let folded = fold(2, 1, Options::for_dimensions(2, false), &stream);
    let statistics = folded.statistics();
    assert!(folded.gave_up);
    let boxes: Vec<_> = folded.pieces.iter().filter(|p| p.over_approximated).collect();
    let names = ["i", "j"].map(str::to_owned);
    let domain = boxes[0].domain().expect("a box").display(&names).to_string();
    assert_eq!((boxes.len(), domain), (1, "i=7, 0<=j<=198".to_owned()));
    assert_eq!(statistics.affine_points + boxes[0].points, statistics.points);
    assert!(statistics.affine_points >= 19 * 200);
}

/// Where prefix after prefix was given up, the next ones are boxes at once; one of sixteen is tried, and the first that folds ends that.
#[test]
fn prefixes_are_expected_to_be_given_up() {
    let label = |i: i64, j: i64| if i <= 24 { (j * j * 7919 + i) % 10_007 } else { 200 * i + j };
    let stream = grid(60, 200, label);
    let folded = fold(2, 1, Options::for_dimensions(2, false), &stream);
    assert_eq!(check(&stream, &folded), Ok(()));
    let names = ["i", "j"].map(str::to_owned);
    let of = |are_boxes: bool| -> Vec<(String, u64)> {
        let pieces = folded.pieces.iter().filter(|piece| piece.over_approximated == are_boxes);
        pieces.map(|p| (p.domain().expect("a piece").display(&names).to_string(), p.points)).collect()
    };
    assert_eq!(of(true), [("0<=i<=31, 0<=j<=199".to_owned(), 32 * 200)]);
    assert_eq!(of(false), [("32<=i<=59, 0<=j<=199".to_owned(), 28 * 200)]);
}

/// The four published variants on a regular, a partly regular and a scattered stream.
#[test]
fn published_variants() {
    let regular = grid(40, 40, |i, j| 40 * i + j);
    let scattered = grid(40, 40, |i, j| (i * i * 31 + j * j * 17) % 1009);
    for (widen, give_up) in [(false, false), (true, false), (false, true), (true, true)] {
        let options = Options::published(2, widen, give_up);
        let exact = fold(2, 1, options, &regular).statistics();
        assert_eq!((exact.pieces, exact.affine_points, exact.points), (1, 1600, 1600));
        let folded = fold(2, 1, options, &scattered);
        assert_eq!(folded.gave_up, give_up && !widen, "{options:?}");
        assert!(!give_up || folded.most_alive <= 10);
        if !widen && !give_up {
            assert_eq!(folded.statistics().affine_points, 1600);
        }
    }
}

/// Without a limit everything stays exact, whatever it takes; with one of the caller's it is kept to.
#[test]
fn limits_are_the_callers() {
    let scattered: Stream = (0..400).map(|i| (vec![i, (i * i * 31) % 97], vec![(i * 7919) % 101])).collect();
    let never = fold(2, 1, Options::giving_up(2, false, GiveUp::Never), &scattered);
    assert!(never.is_exact() && never.pieces.len() > 100);
    let few = fold(2, 1, Options::giving_up(2, false, GiveUp::Beyond(3)), &scattered);
    let default = fold(2, 1, Options::for_dimensions(2, false), &scattered);
    assert!(
        few.gave_up && few.pieces.len() < default.pieces.len(),
        "{} {}",
        few.pieces.len(),
        default.pieces.len()
    );
    for (text, limit) in [("4d+1", GiveUp::Published), ("never", GiveUp::Never), ("12", GiveUp::Beyond(12))] {
        assert_eq!((text.parse(), limit.to_string()), (Ok(limit), text.to_owned()));
    }
    for text in ["", "0", "-1", "always", "99999999999999999999"] {
        assert!(text.parse::<GiveUp>().is_err(), "{text}");
    }
}

/// To free memory a stream is given up at any point: then it is one box, with all its points.
#[test]
fn an_abandoned_stream_is_one_box() {
    let scattered: Stream = (0..300).map(|i| (vec![i, (i * i * 31) % 97], vec![(i * 7919) % 101])).collect();
    for after in [1, 2, 150, 300] {
        let mut folder = Folder::new(2, 1, Options::giving_up(2, true, GiveUp::Never));
        for (at, (iv, label)) in scattered.iter().enumerate() {
            folder.point(iv, label);
            if at + 1 == after {
                folder.abandon();
                assert!(folder.gave_up() && folder.bytes() < 4096);
            }
        }
        let folded = folder.finish();
        assert_eq!(check(&scattered, &folded), Ok(()));
        let whole = &folded.pieces[0];
        let extent = whole.domain().expect("a box").display(&["i", "j"].map(str::to_owned)).to_string();
        assert_eq!((folded.pieces.len(), whole.points, folded.ranges[0]), (1, 300, (0, 100)));
        assert_eq!(extent, "0<=i<=299, 0<=j<=96");
    }
    let mut point = Folder::new(0, 1, Options::unlimited(false));
    point.point(&[], &[4]);
    point.abandon();
    assert!(point.finish().is_exact());
}

#[test]
fn bad_input_is_refused_where_it_stands() {
    let refused = |reason| -> Result<(), Refused> {
        Err(Refused { stream: "addresses of 0x401000".to_owned(), reason })
    };
    let mut folder = CheckedFolder::new("addresses of 0x401000", 2, 1, Options::for_dimensions(2, false));
    assert_eq!(folder.run(&[0, 0], 1, 5, &[10], &[2]), Ok(()));
    let out_of_order = StreamError::OutOfOrder { position: 5, vector: vec![0, 3], before: vec![0, 4] };
    assert_eq!(folder.point(&[0, 3], &[0]), refused(out_of_order.clone()));
    let said = refused(out_of_order).expect_err("refused").to_string();
    assert!(said.starts_with("addresses of 0x401000, point 5: "), "{said}");
    assert_eq!(
        folder.point(&[1], &[0]),
        refused(StreamError::Dimensions { position: 5, expected: 2, found: 1 })
    );
    assert_eq!(
        folder.point(&[1, 0], &[0, 1]),
        refused(StreamError::Outputs { position: 5, expected: 1, found: 2 })
    );
    let overflow = StreamError::LabelOverflow { position: 5, output: 0, count: 3 };
    assert_eq!(folder.run(&[1, 0], 1, 3, &[i64::MAX - 1], &[1]), refused(overflow));
    let overflow = StreamError::CoordinateOverflow { position: 5, count: 3 };
    assert_eq!(folder.run(&[1, i64::MAX - 3], 2, 3, &[0], &[1]), refused(overflow));
    assert_eq!(
        folder.run(&[1, 0], 0, 3, &[0], &[1]),
        refused(StreamError::NotARun { position: 5, count: 3, step: 0 })
    );
    assert_eq!(folder.point(&[0, 4], &[18]), Ok(()));
    assert_eq!(folder.finish().points, 6);
}

/// Long runs that break a pattern cost what their number is, not their length.
#[test]
fn long_runs_are_never_walked() {
    let mut folder = Folder::new(2, 1, Options::for_dimensions(2, true));
    let mut stated = 0u64;
    for i in 0..50 {
        for part in 0..30 {
            folder.run(&[i, part << 40], 1 << 40, &[(part * part * 7919) % 1009], &[part % 5]);
            stated += 1 << 40;
        }
    }
    let folded = folder.finish();
    assert_eq!((folded.points, folded.pieces.len()), (stated, 1));
    assert_eq!(folded.pieces[0].points, stated);
    // Likewise the points of nested triangles.
    let mut folder = Folder::new(3, 0, Options::for_dimensions(3, false));
    for i in 0..300 {
        for j in 0..=i {
            folder.run(&[i, j, 0], (i + j + 1) as u64, &[], &[]);
        }
    }
    let folded = folder.finish();
    assert_eq!((folded.pieces.len(), folded.pieces[0].points), (1, folded.points));
}
