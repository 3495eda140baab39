//! Runs with coordinates.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::tree::{Coordinates, Tree};

/// A run with its coordinates.
#[derive(Debug, Clone, Copy)]
pub struct Labelled {
    /// First integer.
    pub start: i64,
    /// Number of integers.
    pub count: i64,
    /// The loop that advanced to reach it.
    pub level: usize,
    /// Coordinates of its first integer.
    pub at: Coordinates,
}

/// Appends the runs of a node with their coordinates.
pub fn label(
    tree: &Tree,
    m: usize,
    node: usize,
    frame: &Coordinates,
    at: &mut Coordinates,
    level: usize,
    out: &mut Vec<Labelled>,
) {
    if m == 1 {
        at[0] = frame[0];
        let (start, count) = tree.rows.run(node);
        out.push(Labelled { start, count, level, at: *at });
        return;
    }
    let (a, b) = tree.children(m, node);
    for child in a..b {
        at[m - 1] = frame[m - 1] + (child - a) as i64;
        let inner: Coordinates =
            std::array::from_fn(|q| if q < m - 1 { frame[q] + tree.shift(m, child, q) } else { 0 });
        label(tree, m - 1, child, &inner, at, if child == a { level } else { m }, out);
    }
}

/// The same runs in the opposite order, counters negated.
pub fn turned(labels: &[Labelled], stride: i64, mut level: usize) -> Vec<Labelled> {
    let mut out = Vec::with_capacity(labels.len());
    for label in labels.iter().rev() {
        let mut at = label.at;
        at[0] = at[0].wrapping_add(label.count - 1);
        let start = label.start.wrapping_add(stride.wrapping_mul(label.count - 1));
        out.push(Labelled { start, count: label.count, level, at: at.map(i64::wrapping_neg) });
        level = label.level;
    }
    out
}

/// A number for the coordinates given to runs after a decision.
pub fn fingerprint(labels: &[Labelled], node: usize) -> u64 {
    let mut hasher = FxHasher::default();
    node.hash(&mut hasher);
    labels.iter().for_each(|l| (l.count, l.level, l.at).hash(&mut hasher));
    hasher.finish()
}
