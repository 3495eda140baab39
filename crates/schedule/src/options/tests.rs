//! The rules of the model, each by a case made by hand.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

use isl::Tree;
use isl::schedule::{Affine, Function, Member};

use super::Machine;
use super::choose::{Advice, choose};
use super::cost::{Estimate, estimate, near, used_again};
use super::facts::{Facts, Touch};
use super::times::{Choice, Component, Dimension, Order, Row, order};

const MACHINE: Machine = Machine { caches: [32 << 10, 1 << 20, 32 << 20], processors: 1, growth: 1 };

/// A statement in loops of these lengths, with accesses of 8 bytes, each in its own array.
fn facts(name: &str, lengths: &[i64], strides: &[&[i64]]) -> Facts {
    let touch = |(at, strides): (usize, &&[i64])| Touch {
        strides: strides.iter().map(|&s| s as f64).collect(),
        size: 8.0,
        range: (at as f64 * 1e12, at as f64 * 1e12 + 8.0),
    };
    Facts {
        name: name.to_owned(),
        is_active: true,
        executions: lengths.iter().map(|&n| n as f64).product(),
        entries: 1.0,
        instructions: 24.0,
        observed: lengths.to_vec(),
        growth: 1.0,
        touches: strides.iter().enumerate().map(touch).collect(),
        is_plain: true,
    }
}

/// A product of matrices of n rows, in the order i, k, j.
fn product(n: i64) -> Facts {
    facts("S0", &[n, n, n], &[&[8 * n, 0, 8], &[8 * n, 8, 0], &[0, 8 * n, 8]])
}

fn row(coefficients: &[i64]) -> Row {
    Row { coefficients: coefficients.to_vec(), constant: 0 }
}

/// A permutable band around one statement; per loop its function, and whether it is parallel.
fn band(rows: &[(&[i64], bool)]) -> Tree {
    let member = |(coefficients, is_parallel): &(&[i64], bool)| {
        let affine = Some(Affine { coefficients: coefficients.to_vec(), ..Affine::default() });
        let function = Function { statement: "S0".to_owned(), affine, text: String::new() };
        Member { is_parallel: *is_parallel, functions: vec![function] }
    };
    let members = rows.iter().map(member).collect();
    Tree::Band { members, is_permutable: true, inside: Box::new(Tree::Leaf) }
}

fn of_product() -> Tree {
    band(&[(&[1, 0, 0], true), (&[0, 1, 0], false), (&[0, 0, 1], true)])
}

fn chosen(facts: &Facts, tree: &Tree, machine: &Machine) -> Choice {
    choose(std::slice::from_ref(facts), tree, machine, None).unwrap().choices[0].clone()
}

fn cycles(facts: &Facts, tree: &Tree, choice: Choice, machine: &Machine) -> Estimate {
    let own = std::slice::from_ref(facts);
    estimate(own, &order(own, tree, &[choice]).unwrap().0, machine).unwrap()
}

#[test]
fn what_fits_a_cache_is_not_tiled() {
    assert_eq!(chosen(&product(32), &of_product(), &MACHINE).tiles, None);
    let one = product(32);
    let again = used_again(
        std::slice::from_ref(&one),
        &order(std::slice::from_ref(&one), &of_product(), &[]).unwrap().0,
    );
    assert!((8192.0..16384.0).contains(&again), "a matrix, and a row of each other: {again}");
    assert_eq!(MACHINE.cache_for(again), Some(1));
}

#[test]
fn what_no_cache_holds_is_tiled_and_tiles_fit_one() {
    let (inner, outer) = chosen(&product(4000), &of_product(), &MACHINE).tiles.unwrap();
    assert!(inner >= 64 && inner.count_ones() == 1 && outer.count_ones() == 1);
    assert!(8 * inner * (outer + 2) <= 1 << 20, "{inner} {outer}");
    let huge = Machine { caches: [1 << 40, 0, 0], ..MACHINE };
    assert_eq!(chosen(&product(4000), &of_product(), &huge).tiles, None);
    assert_eq!(chosen(&product(40).grown(100), &of_product(), &MACHINE).tiles.map(|t| t.0 >= 64), Some(true));
}

#[test]
fn the_innermost_loop_is_parallel_and_goes_from_element_to_element() {
    let down = facts("S0", &[500, 500], &[&[8, 4000]]);
    let both = band(&[(&[1, 0], true), (&[0, 1], true)]);
    assert_eq!(chosen(&down, &both, &MACHINE).innermost, Some(0));
    let along = facts("S0", &[500, 500], &[&[4000, 8]]);
    assert_ne!(chosen(&along, &both, &MACHINE).innermost, Some(0));
    let own = std::slice::from_ref(&down);
    let share = |choice| near(own, &order(own, &both, &[choice]).unwrap().0);
    assert_eq!(share(Choice::default()), Some(0.0));
    assert_eq!(share(Choice { innermost: Some(0), ..Choice::default() }), Some(1.0));
}

#[test]
fn a_skewed_innermost_loop_that_carries_something_costs_vectors() {
    let cells = facts("S0", &[100, 1000], &[&[0, 8]]);
    let skewed = band(&[(&[1, 0], false), (&[1, 1], false)]);
    let plain = band(&[(&[1, 0], false), (&[0, 1], true)]);
    let of = |tree| cycles(&cells, tree, Choice::default(), &MACHINE).one;
    assert!(of(&skewed) > 2.0 * of(&plain));
}

#[test]
fn bounds_of_short_tiles_cost() {
    let small = facts("S0", &[1000, 1000], &[&[0, 8]]);
    let tree = band(&[(&[1, 0], false), (&[0, 1], true)]);
    let tiled = |tiles| cycles(&small, &tree, Choice { tiles, ..Choice::default() }, &MACHINE).one;
    assert!(tiled(Some((16, 64))) > 1.5 * tiled(None));
    assert!(tiled(Some((16, 64))) > tiled(Some((256, 64))));
    assert_eq!(chosen(&small, &tree, &MACHINE).tiles, None);
}

#[test]
fn diagonals_take_processors_and_long_loops() {
    let tree = band(&[(&[1, 0], false), (&[0, 1], false)]);
    let cells = |n: i64| facts("S0", &[n, n], &[&[8 * n, 8]]);
    let two = Machine { processors: 2, ..MACHINE };
    let choice = chosen(&cells(4000), &tree, &two);
    assert!(choice.has_diagonals && choice.tiles.is_some(), "{choice:?}");
    assert_eq!(chosen(&cells(4000), &tree, &MACHINE), Choice::default(), "one processor");
    assert_eq!(chosen(&cells(50), &tree, &two), Choice::default(), "starting them takes longer");
}

#[test]
fn conditions_in_an_innermost_loop_cost() {
    let point = |row: &[i64]| Dimension { component: Component::Point(self::row(row)), is_parallel: false };
    let fixed = |place| Dimension { component: Component::Fixed(place), is_parallel: false };
    let all = [facts("S0", &[100, 100], &[&[0, 8]]), facts("S1", &[100], &[&[8]])];
    let of = |times: Vec<Vec<Dimension>>| estimate(&all, &Order { times, length: 3 }, &MACHINE).unwrap().one;
    let apart =
        of(vec![vec![point(&[1, 0]), fixed(0), point(&[0, 1])], vec![point(&[1]), fixed(1), point(&[0])]]);
    let mixed =
        of(vec![vec![point(&[1, 0]), point(&[0, 1]), fixed(0)], vec![point(&[1]), point(&[1]), fixed(1)]]);
    assert!(mixed > 1.4 * apart, "{mixed} {apart}");
}

#[test]
fn what_gains_nothing_is_said_to_be_legal_and_not_to_pay() {
    let small = facts("S0", &[40, 40], &[&[320, 8]]);
    let tree = band(&[(&[1, 0], false), (&[0, 1], true)]);
    let own = std::slice::from_ref(&small);
    let written = order(own, &tree, &[]).unwrap().0;
    let before = estimate(own, &written, &MACHINE).unwrap();
    let advice = Advice::new(own, &written, before, &choose(own, &tree, &MACHINE, None).unwrap()).unwrap();
    assert!(!advice.pays() && advice.is_tilable && advice.tiles.is_none());
}

/// Loops were taken to be longer when a constant was looked at that stands for the length of one: the code was right for the
/// observed size alone.
#[test]
fn regression_1_longer_loops_do_not_hide_a_constant_that_is_a_length() {
    let tree = |constant| {
        let affine = Some(Affine { coefficients: vec![1], constant, ..Affine::default() });
        let function = Function { statement: "S0".to_owned(), affine, text: String::new() };
        let members = vec![Member { is_parallel: true, functions: vec![function] }];
        Tree::Band { members, is_permutable: true, inside: Box::new(Tree::Leaf) }
    };
    let long = facts("S0", &[28], &[&[8]]).grown(30);
    assert!(order(std::slice::from_ref(&long), &tree(28), &[]).is_err());
    assert!(order(std::slice::from_ref(&long), &tree(1), &[]).is_ok());
}

/// When an instance runs.
fn time(times: &[Dimension], at: &[i64]) -> Vec<i64> {
    let value = |row: &Row| row.coefficients.iter().zip(at).map(|(c, x)| c * x).sum::<i64>() + row.constant;
    let block = |b: &super::times::Blocks| value(&b.row).div_euclid(b.size);
    let of = |d: &Dimension| match &d.component {
        Component::Fixed(place) => *place,
        Component::Point(row) => value(row),
        Component::Tile(b) => block(b),
        Component::Diagonal(a, b) => block(a) + block(b),
    };
    times.iter().map(of).collect()
}

/// Every choice for every band of two loops with dependences that go nowhere backwards: sources come first, and what is parallel
/// has no two ends.
#[test]
fn every_choice_is_legal() {
    let distances: Vec<[i64; 2]> =
        (0..3).flat_map(|a| (-2..3).map(move |b| [a, b])).filter(|d| *d > [0, 0]).collect();
    let sizes = [None, Some((2, 3)), Some((4, 2)), Some((16, 1))];
    for (one, other) in distances.iter().flat_map(|a| distances.iter().map(move |b| (*a, *b))) {
        for rows in [[[1, 0], [0, 1]], [[1, 0], [1, 1]], [[1, 0], [2, 1]]] {
            let along = |row: &[i64; 2], d: &[i64; 2]| row[0] * d[0] + row[1] * d[1];
            if rows.iter().any(|row| along(row, &one) < 0 || along(row, &other) < 0) {
                continue;
            }
            let is_parallel = |row: &[i64; 2]| along(row, &one) == 0 && along(row, &other) == 0;
            let own = [facts("S0", &[9, 9], &[&[72, 8]])];
            let tree = band(&[(&rows[0], is_parallel(&rows[0])), (&rows[1], is_parallel(&rows[1]))]);
            for (tiles, innermost) in sizes.iter().flat_map(|&t| [None, Some(0), Some(1)].map(|m| (t, m))) {
                for has_diagonals in [false, true] {
                    let choice = Choice { innermost, tiles, has_diagonals };
                    let order = order(&own, &tree, &[choice]).unwrap().0;
                    is_legal(&order.times[0], &[one, other]);
                }
            }
        }
    }
}

fn is_legal(times: &[Dimension], distances: &[[i64; 2]]) {
    for (i, j) in (0..9).flat_map(|i| (0..9).map(move |j| (i, j))) {
        for [a, b] in distances {
            let (from, to) = (time(times, &[i, j]), time(times, &[i + a, j + b]));
            let at = from.iter().zip(&to).position(|(x, y)| x != y).expect("two times");
            assert!(from < to, "{times:?}: {from:?} {to:?}");
            assert!(!times[at].is_parallel, "{times:?}: {from:?} {to:?}");
        }
    }
}
