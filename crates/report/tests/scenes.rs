//! What drawings show, beside what the folded pieces generate point by point.

use std::collections::BTreeSet;

use poly::Affine;
use profile::{Kind, Profile};
use report::html::scene::{Scene, Stage};
use schedule::synthetic::{Shape, TRIPS, profile};

fn scene(program: &Profile, at: usize) -> Scene {
    let loops = schedule::analyse(program);
    Stage::new(program, &loops).scene(at).unwrap()
}

/// What one sweep passes to the next time step is seen along the time loop alone.
#[test]
fn a_loop_that_carries_shows_its_arrows() {
    let program = profile(Shape::Stencil, 2);
    let outer = scene(&program, 0);
    assert_eq!((outer.axes.len(), outer.axes[0].extent, outer.axes[0].window), (1, (0, TRIPS - 1), (0, 17)));
    let arrows: Vec<(i64, i64)> = outer.arrows.iter().map(|a| (a.source[0], a.sink[0])).collect();
    let expected: BTreeSet<(i64, i64)> = (0..17).map(|t| (t, t + 1)).collect();
    assert_eq!(arrows.into_iter().collect::<BTreeSet<_>>(), expected);
    assert!(outer.arrows.iter().all(|a| !a.is_harmless && a.kind == Kind::Flow));
    assert_eq!(outer.focus, Some(vec![1]));
    let inner = scene(&program, 2);
    assert_eq!((inner.axes.len(), inner.points.len(), inner.arrows.len()), (3, 75, 0));
}

/// A nest of which the innermost loop is triangular, and in which every row reads the one before.
fn triangular() -> Profile {
    let mut program = profile(Shape::Stencil, 1);
    let count = Affine { coefficients: vec![0, 1], constant: 1 };
    program.blocks[0].domain[0].pieces[0].levels[2].count = count.clone();
    let row = program.dependences.iter_mut().find(|d| d.memory).unwrap();
    row.common = 3;
    let level = &mut row.levels[0];
    (level.level, level.minimum, level.maximum) = (1, vec![0, 1, 0], vec![0, 1, 0]);
    (level.source_iv, level.sink_iv) = (vec![0, 0, 0], vec![0, 1, 0]);
    let piece = &mut row.relation.as_mut().unwrap().pieces[0];
    // Sinks (t, i + 1, j) with j ≤ i read (t, i, j).
    (piece.levels[0].start, piece.levels[0].count) = (Affine::constant(0), Affine::constant(TRIPS));
    (piece.levels[1].start, piece.levels[1].count) = (Affine::constant(1), Affine::constant(TRIPS - 1));
    (piece.levels[2].start, piece.levels[2].count) = (Affine::constant(0), count);
    piece.labels.iter_mut().for_each(|label| label.constant = 0);
    program.dependences.retain(|d| !d.memory || d.levels[0].minimum.len() == 3);
    program
}

#[test]
fn points_and_arrows_are_those_of_the_pieces() {
    let program = triangular();
    let shown = scene(&program, 2);
    let is_in_window =
        |x: &[i64]| shown.axes.iter().zip(x).all(|(axis, x)| (axis.window.0..=axis.window.1).contains(x));
    let mut points = BTreeSet::new();
    program.blocks[0].domain[0].pieces[0].points(u64::MAX, &mut |x, _| {
        points.extend(is_in_window(x).then(|| x.to_vec()));
    });
    assert!(points.len() > 10);
    assert_eq!(shown.points.iter().cloned().collect::<BTreeSet<_>>(), points);
    let relation = program.dependences.iter().find_map(|d| d.relation.as_ref()).unwrap();
    let mut arrows = BTreeSet::new();
    relation.pieces[0].points(u64::MAX, &mut |sink, source| {
        let source: Vec<i64> = source.iter().map(|x| x.unwrap()).collect();
        arrows.extend((points.contains(sink) && points.contains(&source)).then(|| (source, sink.to_vec())));
    });
    assert!(arrows.len() > 10);
    let drawn: BTreeSet<_> = shown.arrows.iter().map(|a| (a.source.clone(), a.sink.clone())).collect();
    assert_eq!(drawn, arrows);
    // To scale, the whole of it is a triangle: the last layer, row by row.
    assert_eq!(shown.outline.len(), TRIPS as usize);
    assert!(shown.outline.iter().all(|&(row, from, to)| (from, to) == (0, row)));
    assert!(!shown.is_approximate);
}

/// A loop that runs once takes no room.
#[test]
fn dimensions_of_one_value_are_left_out() {
    let mut program = triangular();
    for folded in &mut program.blocks[0].domain {
        folded.pieces[0].levels[0].count = Affine::constant(1);
    }
    let shown = scene(&program, 2);
    let extents: Vec<(i64, i64)> = shown.axes.iter().map(|axis| axis.extent).collect();
    assert_eq!(extents, [(0, TRIPS - 1), (0, TRIPS - 1)]);
    assert!(shown.held.is_empty());
    assert!(shown.points.iter().all(|point| point[1] <= point[0]));
    assert!(shown.arrows.iter().all(|a| a.sink[0] == a.source[0] + 1 && a.sink[1] == a.source[1]));
}
