//! Branches that part the lanes of warps, against threads that decide them one by one.

use crate::support;

use std::collections::HashMap;

use gpumap::coalescing::Coalescing;
use gpumap::device::{Block, Device};
use gpumap::divergence::show::show_branches;
use gpumap::divergence::{Branch, By, Parted, branches};
use support::nests::with_loops;

fn found(function: &'static str, depth: usize, block: Block, values: &[(&str, i64)]) -> Vec<Branch> {
    with_loops(("branches", function, depth), values, |_, accesses, loops| {
        let device = Device::named("sm_90").unwrap();
        let found = Coalescing::new(accesses, loops, block, device).unwrap();
        branches(accesses.assumed_mut(), &found, block)
    })
}

/// What a thread decides, in order: the line, the iteration of loops inside, and which way it goes.
type Decisions = Vec<(u32, i64, bool)>;

/// By line what the lanes of all warps of a grid decide.
fn simulated(
    extents: [i64; 2],
    block: Block,
    decide: &dyn Fn(i64, i64) -> Option<Decisions>,
) -> HashMap<u32, Parted> {
    let mut all: HashMap<u32, Parted> = HashMap::new();
    let firsts = |axis: usize| (0..extents[axis]).step_by(block.extent(axis) as usize);
    for y in firsts(1) {
        for x in firsts(0) {
            for warp in 0..block.warps() {
                let mut seen: HashMap<(u32, i64), (bool, bool)> = HashMap::new();
                for [own_x, own_y, _] in block.lanes(warp) {
                    let (x, y) = (x + i64::from(own_x), y + i64::from(own_y));
                    if x >= extents[0] || y >= extents[1] {
                        continue;
                    }
                    for (line, at, way) in decide(x, y).into_iter().flatten() {
                        let entry = seen.entry((line, at)).or_default();
                        entry.0 |= way;
                        entry.1 |= !way;
                    }
                }
                for ((line, _), (some, others)) in seen {
                    let of = all.entry(line).or_default();
                    of.all += 1;
                    of.parted += u64::from(some && others);
                }
            }
        }
    }
    all
}

/// A function, how many of its loops are mapped, its branches, and what its threads decide of n and m.
type Case = (&'static str, usize, &'static [(u32, By)], fn(i64, i64, i64, i64) -> Option<Decisions>);

/// Of `at >= 0 && at < n` the second test is made where the first one holds.
fn window(n: i64, m: i64, x: i64) -> Decisions {
    let mut list: Decisions = Vec::new();
    for k in 0..m {
        let at = x + k - m / 2;
        list.push((49, 2 * k, at >= 0));
        if at >= 0 {
            list.push((49, 2 * k + 1, at < n));
        }
    }
    list
}

const CASES: [Case; 7] = [
    ("border", 1, &[(5, By::Place)], |_, m, x, _| Some(vec![(5, 0, x < m)])),
    ("parity", 1, &[(12, By::Thread)], |_, _, x, _| Some(vec![(12, 0, x % 2 == 0)])),
    ("single", 1, &[(19, By::Place)], |_, m, x, _| Some(vec![(19, 0, x == m)])),
    ("triangle", 1, &[(27, By::Place)], |_, _, x, _| Some((0..=x).map(|k| (27, k, k < x)).collect())),
    ("frame", 2, &[(39, By::Place)], |_, m, x, y| Some(if y >= m { vec![(39, 0, x >= m)] } else { vec![] })),
    ("meeting", 1, &[(81, By::Place), (85, By::Thread)], |_, m, x, _| {
        Some(vec![(81, 0, x < m), (85, 0, x % 3 == 1)])
    }),
    ("slope", 2, &[(95, By::Place)], |_, m, x, y| (x < y).then(|| vec![(95, 0, x < m)])),
];

#[test]
fn branches_part_the_lanes_that_threads_say() {
    for (function, depth, expected, decide) in CASES {
        for (n, m) in [(1, 1), (40, 7), (64, 33), (70, 100)] {
            for block in ["32x8", "16x4", "64"] {
                let block: Block = block.parse().unwrap();
                let found = found(function, depth, block, &[("n", n), ("m", m)]);
                let own: Vec<(u32, By)> =
                    found.iter().map(|branch| (branch.place.unwrap().0, branch.by)).collect();
                assert_eq!(own, expected, "{function}");
                let extents = [n, if depth == 2 { n } else { 1 }];
                let simulated = simulated(extents, block, &|x, y| decide(n, m, x, y));
                for branch in found {
                    let expected = simulated.get(&branch.place.unwrap().0).copied().unwrap_or_default();
                    assert_eq!(branch.parted, Some(expected), "{function}, n {n}, m {m}, {block}");
                    if branch.by == By::Place && block.has_whole_rows() && function == "border" {
                        assert!(expected.parted <= 1, "one warp of each row");
                    }
                }
            }
        }
    }
}

/// Two tests of one line, in the loop inside.
#[test]
fn tests_of_loops_inside_count_each_time() {
    for (n, m) in [(1, 1), (40, 5), (70, 9)] {
        let block = Block::default();
        let found = found("window", 1, block, &[("n", n), ("m", m)]);
        assert_eq!(found.iter().map(|branch| branch.by).collect::<Vec<_>>(), [By::Place, By::Place]);
        let all = found.iter().map(|branch| branch.parted.unwrap());
        let sum = all.reduce(|a, b| Parted {
            parted: a.parted + b.parted,
            all: a.all + b.all,
            is_most: a.is_most || b.is_most,
        });
        let simulated = simulated([n, 1], block, &|x, _| Some(window(n, m, x)));
        assert_eq!(sum, simulated.get(&49).copied(), "n {n}, m {m}");
    }
}

#[test]
fn data_is_said_to_decide() {
    let of = |function: &'static str, values: &[(&str, i64)]| {
        show_branches(&found(function, 1, Block::default(), values), Block::default())
    };
    let data = "depends on data: any warp may part";
    // A comparison of what is the same for all is none of them.
    assert_eq!(of("data", &[]), format!("divergence\n  59:13: {data}\n  61:13: {data}\n"));
    let place = "changes once along x: of each row of threads at most one warp parts";
    assert_eq!(of("border", &[]), format!("divergence\n  5:13: {place}\n"));
    let counted = |number: &str| format!("{place}; lanes part {number} times that a warp comes there\n");
    let values = [("n", 100), ("m", 50)];
    assert_eq!(of("border", &values), format!("divergence\n  5:13: {}", counted("1 of 4")));
    let expected = format!("divergence\n  72:13: {data}\n  73:17: {}", counted("at most 1 of 4"));
    assert_eq!(of("behind", &values), expected);
    // Too many to be counted one by one.
    assert_eq!(of("border", &[("n", 1 << 30), ("m", 50)]), format!("divergence\n  5:13: {place}\n"));
    let uniform = show_branches(&[], Block::default());
    assert_eq!(uniform, "divergence: no branch parts the lanes of a warp\n");
}
