//! Intervals, to be found by what they overlap: sorted by their first element, each with the last one of its subtree.

use std::ops::Range;

/// First and last element, and what it is of.
pub(crate) type Interval = ((i64, i64), u32);

/// Intervals that do not change. A subtree is a range of the list, its root the one in the middle.
#[derive(Debug)]
pub(crate) struct Intervals {
    list: Vec<Interval>,
    /// Per interval, the last element of those of the subtree that it is the root of.
    last: Vec<i64>,
}

impl Intervals {
    /// A search tree of these.
    pub fn new(mut list: Vec<Interval>) -> Intervals {
        list.sort_unstable();
        let mut out = Intervals { last: vec![i64::MIN; list.len()], list };
        out.note(0..out.list.len());
        out
    }

    /// Fills in the last elements of a subtree; gives that of all of it.
    fn note(&mut self, tree: Range<usize>) -> i64 {
        if tree.is_empty() {
            return i64::MIN;
        }
        let root = tree.start.midpoint(tree.end);
        let inside = self.note(tree.start..root).max(self.note(root + 1..tree.end));
        self.last[root] = inside.max(self.list[root].0.1);
        self.last[root]
    }

    /// What the intervals that overlap one are of, ascending.
    pub fn overlapping(&self, with: (i64, i64)) -> Vec<u32> {
        let mut out = Vec::new();
        self.collect(0..self.list.len(), with, &mut out);
        out.sort_unstable();
        out
    }

    fn collect(&self, tree: Range<usize>, with: (i64, i64), out: &mut Vec<u32>) {
        let root = tree.start.midpoint(tree.end);
        if tree.is_empty() || self.last[root] < with.0 {
            return;
        }
        self.collect(tree.start..root, with, out);
        let ((first, last), of) = self.list[root];
        if first <= with.1 {
            out.extend((last >= with.0).then_some(of));
            self.collect(root + 1..tree.end, with, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_is_found() {
        let mut seed = 7u64;
        let mut below = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as i64 % n as i64
        };
        for size in 0..40u32 {
            let list: Vec<Interval> = (0..size)
                .map(|of| {
                    let first = below(60) - 30;
                    ((first, first + below(if of % 5 == 0 { 50 } else { 4 })), of)
                })
                .collect();
            let tree = Intervals::new(list.clone());
            for first in -35..35 {
                for last in first..first + 6 {
                    let overlap = list.iter().filter(|((a, b), _)| *a <= last && first <= *b);
                    assert_eq!(tree.overlapping((first, last)), overlap.map(|i| i.1).collect::<Vec<_>>());
                }
            }
        }
    }
}
