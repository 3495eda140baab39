//! What a tree says about the bounds of each of its loops.
//!
//! A point of level l is one execution of that loop: the counters of the loops around it, nearest first, and the first
//! and last value of its own counter.

use super::faces::Bounds;
use super::tree::{Coordinates, Tree};
use crate::nest::MAX_DEPTH;

/// One execution of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// Counters of the loops around it, nearest first; unused places are 0.
    pub outer: Coordinates,
    /// First value of the counter.
    pub low: i64,
    /// Last value of the counter.
    pub high: i64,
}

/// Which executions of a loop are looked at.
struct Sample {
    depth: usize,
    level: usize,
    /// Every so many-th parent; parents near both ends always.
    step: usize,
    parents: usize,
}

/// Parents at either end that are always looked at.
const ENDS: usize = 64;

/// A sample of the executions of a level: those of about `parents` parents, only where the bounds bend.
pub fn collect(tree: &Tree, depth: usize, level: usize, parents: usize) -> Vec<Point> {
    if level == depth {
        return vec![Point { outer: [0; MAX_DEPTH], low: 0, high: tree.trips(depth, 0) - 1 }];
    }
    let all = tree.count(level + 1);
    let sample = Sample { depth, level, step: (all / parents).max(1), parents: all };
    let mut out = Vec::new();
    sample.walk(tree, depth, 0, &[0; MAX_DEPTH], &mut [0; MAX_DEPTH], &mut out);
    out
}

impl Sample {
    fn wanted(&self, parent: usize) -> bool {
        parent.is_multiple_of(self.step)
            || parent < ENDS
            || parent + ENDS >= self.parents
            || (parent.wrapping_mul(7919)).is_multiple_of(self.step * 3 + 1)
    }

    /// `frame`: where the node's frame stands; `at`: counters of the loops from m up.
    fn walk(
        &self,
        tree: &Tree,
        m: usize,
        node: usize,
        frame: &Coordinates,
        at: &mut Coordinates,
        out: &mut Vec<Point>,
    ) {
        let (a, b) = tree.children(m, node);
        if m > self.level + 1 {
            for child in a..b {
                at[m - 1] = frame[m - 1] + (child - a) as i64;
                let frame = inner_frame(tree, m, child, frame);
                self.walk(tree, m - 1, child, &frame, at, out);
            }
            return;
        }
        if !self.wanted(node) {
            return;
        }
        let l = self.level;
        let range = |child: usize| {
            let low = frame[l - 1] + tree.shift(m, child, l - 1);
            (low, low + tree.trips(l, child) - 1)
        };
        for child in a..b {
            let (low, high) = range(child);
            let straight = child > a && child + 1 < b && {
                let (before, after) = (range(child - 1), range(child + 1));
                before.0 + after.0 == 2 * low && before.1 + after.1 == 2 * high
            };
            if !straight {
                at[m - 1] = frame[m - 1] + (child - a) as i64;
                out.push(Point { outer: outer(at, l, self.depth), low, high });
            }
        }
    }
}

fn inner_frame(tree: &Tree, m: usize, child: usize, frame: &Coordinates) -> Coordinates {
    std::array::from_fn(|q| if q < m - 1 { frame[q] + tree.shift(m, child, q) } else { 0 })
}

/// Counters of levels above `level`, nearest first.
fn outer(at: &Coordinates, level: usize, depth: usize) -> Coordinates {
    std::array::from_fn(|q| if q + level < depth { at[q + level] } else { 0 })
}

/// Executions of a level that the bounds get wrong: at most `most`, and how many there are.
pub fn violators(
    tree: &Tree,
    depth: usize,
    level: usize,
    bounds: &Bounds,
    most: usize,
) -> (Vec<Point>, usize) {
    let mut found = Violators { depth, level, bounds, most, points: Vec::new(), count: 0 };
    if level < depth {
        found.walk(tree, depth, 0, &[0; MAX_DEPTH], &mut [0; MAX_DEPTH]);
    }
    (found.points, found.count)
}

struct Violators<'a> {
    depth: usize,
    level: usize,
    bounds: &'a Bounds,
    most: usize,
    points: Vec<Point>,
    count: usize,
}

/// After so many wrong executions the rest is not looked at.
const ENOUGH: usize = 100_000;

impl Violators<'_> {
    fn walk(&mut self, tree: &Tree, m: usize, node: usize, frame: &Coordinates, at: &mut Coordinates) {
        if self.count > ENOUGH {
            return;
        }
        let (a, b) = tree.children(m, node);
        let l = self.level;
        if m > l + 1 {
            for child in a..b {
                at[m - 1] = frame[m - 1] + (child - a) as i64;
                let frame = inner_frame(tree, m, child, frame);
                self.walk(tree, m - 1, child, &frame, at);
            }
            return;
        }
        let mut outer = outer(at, l, self.depth);
        for child in a..b {
            outer[0] = frame[m - 1] + (child - a) as i64;
            let low = frame[l - 1] + tree.shift(m, child, l - 1);
            let high = low + tree.trips(l, child) - 1;
            if self.bounds.high(&outer) != high || self.bounds.low(&outer) != low {
                self.add(Point { outer, low, high });
            }
        }
    }

    /// Keeps an even sample of what is found.
    fn add(&mut self, point: Point) {
        self.count += 1;
        if self.points.len() < self.most {
            self.points.push(point);
        } else {
            let place = (self.count.wrapping_mul(2_654_435_761) >> 7) % self.count;
            if let Some(old) = self.points.get_mut(place) {
                *old = point;
            }
        }
    }
}
