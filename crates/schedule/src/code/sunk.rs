//! A parallel loop moved into the loops inside it, tile by tile.
//!
//! ```text
//! for j { s = 0; for k { s += a[k][j]; } y[j] = s; }
//! ```
//!
//! is made `for tiles of j { for j s[j] = 0; for k for j s[j] += a[k][j]; for j y[j] = s[j]; }`: the innermost loop is the parallel
//! one, so vectors can be used, and accesses that go down columns go along rows. What every iteration needs its own copy of
//! becomes an array as long as a tile.
//!
//! Invariant: no iteration of a parallel loop passes anything on to another while the loops around it stay in one iteration, so
//! their parts may be mixed in any way that keeps the order of each.

use isl::Tree;
use isl::schedule::Member;

use crate::options::facts::Facts;
use crate::options::times::{Blocks, Component, Dimension, Order, order};

/// An order with a loop moved inwards.
#[derive(Debug, Clone)]
pub struct Sunk {
    /// The tree with the loop innermost.
    pub tree: Tree,
    /// The order, by tiles.
    pub order: Order,
}

/// All ways to move a parallel loop of a tree of single loops inwards, in tiles of some sizes.
pub fn all(facts: &[Facts], tree: &Tree, sizes: &[i64]) -> Vec<Sunk> {
    let mut out = Vec::new();
    for at in 0..bands(tree) {
        let Some((sunk, member, outside)) = sink(tree, at) else { continue };
        let Ok((plain, _)) = order(facts, &sunk, &[]) else { continue };
        for &size in sizes {
            let mut order = plain.clone();
            if strip(&mut order, facts, &member, outside, size).is_some() {
                out.push(Sunk { tree: sunk.clone(), order });
            }
        }
    }
    out
}

fn bands(tree: &Tree) -> usize {
    match tree {
        Tree::Leaf => 0,
        Tree::Sequence(parts) | Tree::Unordered(parts) => parts.iter().map(|(_, part)| bands(part)).sum(),
        Tree::Band { inside, .. } => 1 + bands(inside),
    }
}

/// The tree with its n-th band moved to the leaves inside it, what that counts, and the number of components of time outside of
/// it; `None` if that is not one parallel loop with others inside.
fn sink(tree: &Tree, n: usize) -> Option<(Tree, Member, usize)> {
    match tree {
        Tree::Leaf => None,
        Tree::Sequence(parts) => {
            let mut before = 0;
            for (k, (_, part)) in parts.iter().enumerate() {
                if n < before + bands(part) {
                    let (sunk, member, outside) = sink(part, n - before)?;
                    let mut parts = parts.clone();
                    parts[k].1 = sunk;
                    return Some((Tree::Sequence(parts), member, outside + 1));
                }
                before += bands(part);
            }
            None
        }
        Tree::Unordered(_) => None,
        Tree::Band { members, is_permutable, inside } if n > 0 => {
            let (sunk, member, outside) = sink(inside, n - 1)?;
            let (members, is_permutable, added) = (members.clone(), *is_permutable, members.len());
            Some((Tree::Band { members, is_permutable, inside: Box::new(sunk) }, member, outside + added))
        }
        Tree::Band { members, inside, .. } => match &members[..] {
            [member] if member.is_parallel && bands(inside) > 0 => {
                let names: Vec<String> = member.functions.iter().map(|f| f.statement.clone()).collect();
                Some((with_leaves(inside, member, &names), member.clone(), 0))
            }
            _ => None,
        },
    }
}

/// A tree with a loop at all its leaves.
fn with_leaves(tree: &Tree, member: &Member, statements: &[String]) -> Tree {
    let parts = |parts: &Vec<(Vec<String>, Tree)>| {
        parts.iter().map(|(names, part)| (names.clone(), with_leaves(part, member, names))).collect()
    };
    match tree {
        Tree::Leaf => {
            let mut own = member.clone();
            own.functions.retain(|f| statements.contains(&f.statement));
            Tree::Band { members: vec![own], is_permutable: false, inside: Box::new(Tree::Leaf) }
        }
        Tree::Sequence(all) => Tree::Sequence(parts(all)),
        Tree::Unordered(all) => Tree::Unordered(parts(all)),
        Tree::Band { members, is_permutable, inside } => Tree::Band {
            members: members.clone(),
            is_permutable: *is_permutable,
            inside: Box::new(with_leaves(inside, member, statements)),
        },
    }
}

/// Cuts the loop of a member, innermost now, into tiles outside of all that it was moved into.
fn strip(order: &mut Order, facts: &[Facts], member: &Member, outside: usize, size: i64) -> Option<()> {
    for function in &member.functions {
        let s = facts.iter().position(|own| own.name == function.statement)?;
        let Component::Point(row) = order.times[s].last()?.component.clone() else { return None };
        let component = Component::Tile(Blocks { row, size });
        if outside > order.times[s].len() {
            return None;
        }
        order.times[s].insert(outside, Dimension { component, is_parallel: true });
    }
    order.length = order.times.iter().map(Vec::len).max().unwrap_or(0);
    Some(())
}
