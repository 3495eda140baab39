//! The parts of a trace from which [`super::extend`] starts, and the order in which they are tried.
//!
//! A seed is one of the longest stretches of a [`Cover`]: a part that is one nest already. Seeds are extended with ever
//! more loops allowed, so that the first nest found has as few as can be found this way.

use rustc_hash::FxHashSet;

use super::cover::{Cover, Stretch};
use super::extend::extended;
use super::tree::Tree;
use crate::nest::Nest;

/// Stretches of one tree that are tried.
const PER_TREE: usize = 4;
/// Loops that may have to be found around a seed.
const AROUND: usize = 2;
/// Parts of the work left that one try may do, as divisors: at first, and of those that remain.
const LITTLE: u64 = 48;
/// The same once all have been tried.
const MUCH: u64 = 6;
/// Largest denominator of a bound of a seed.
const DIVISOR: i64 = 16;

/// A stretch of a tree.
struct Seed<'a> {
    tree: &'a Tree,
    stretch: Stretch,
}

/// The nest of fewest loops, at most `depth`, found by extending seeds of the trees with about `budget` work.
pub fn shallowest(trees: &[Tree], divisor: i64, depth: usize, budget: u64) -> Option<Nest> {
    let share = budget / 4 / trees.len().max(1) as u64;
    let mut seeds = Vec::new();
    let mut seen = FxHashSet::default();
    for tree in trees {
        let mut stretches = Cover::all(tree, divisor.min(DIVISOR), share as i64);
        stretches.sort_by_key(|s| std::cmp::Reverse(s.runs(tree).len()));
        for stretch in stretches.into_iter().take(PER_TREE).filter(|s| s.nest.depth() > 1) {
            if seen.insert((stretch.runs(tree), stretch.nest.clone(), stretch.level)) {
                seeds.push(Seed { tree, stretch });
            }
        }
    }
    let mut left = budget;
    // Most need little: a small share for every seed first.
    for part in [LITTLE, MUCH] {
        for loops in 2..=depth {
            let fitting =
                |s: &&Seed<'_>| (loops.saturating_sub(AROUND)..=loops).contains(&s.stretch.nest.depth());
            for seed in seeds.iter().filter(fitting) {
                let s = &seed.stretch;
                let mut work = 0;
                let found =
                    extended(seed.tree, s.level, (s.first, s.end), divisor, loops, &mut work, left / part);
                if found.is_some() {
                    return found;
                }
                left = left.saturating_sub(work);
            }
        }
    }
    None
}
