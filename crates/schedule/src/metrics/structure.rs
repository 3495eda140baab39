//! What share of a region runs in loops of a kind, as it is (direct verdicts) or as proposed (an outline).
//!
//! Parallel means without reduction: a reduction is said apart, and schedules do not reorder them either. The tiles of a
//! permutable band of m loops can run as wavefronts, which are m − 1 parallel loops, so a proposed band of two or more loops
//! is parallel whether one of its loops is or not.

use profile::{ContextIndex, Profile};
use rustc_hash::FxHashMap;

use super::within;
use crate::graph::inside;
use crate::propose::Region;
use crate::propose::outline::{Loop, Node};
use crate::{Parallel, SourceLoop};

/// Outermost loops with less than this share of a region are no components.
const COMPONENT: f64 = 0.05;

/// Loops of a region.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Structure {
    /// Share of the operations in or under a parallel loop that is not innermost; of a single loop, in it.
    pub parallel: f64,
    /// Share of the operations in parallel innermost loops.
    pub vector: f64,
    /// Number of loops of the deepest permutable band.
    pub tile_depth: usize,
    /// Share of the operations in permutable bands of two loops and more; of one, where there are no more.
    pub tilable: f64,
    /// Outermost loops that hold over 5 % of the operations.
    pub components: usize,
    /// A loop counts a sum of several loops of the source.
    pub is_skewed: bool,
}

/// Operations by kind of the loops around them.
#[derive(Debug, Default)]
struct Operations {
    all: u64,
    parallel: u64,
    vector: u64,
    /// By number of loops of the widest band around.
    in_bands: FxHashMap<usize, u64>,
}

impl Operations {
    fn structure(&self, components: usize, is_skewed: bool) -> Structure {
        let share = |part: u64| part as f64 / self.all.max(1) as f64;
        let tile_depth = self.in_bands.keys().copied().max().unwrap_or(0);
        let least = tile_depth.min(2);
        let tilable = self.in_bands.iter().filter(|(band, _)| **band >= least.max(1)).map(|(_, n)| *n).sum();
        Structure {
            parallel: share(self.parallel),
            vector: share(self.vector),
            tile_depth,
            tilable: share(tilable),
            components,
            is_skewed,
        }
    }
}

/// The loops of a region as they are.
pub fn before(profile: &Profile, loops: &[SourceLoop], region: &Region) -> Structure {
    let is_parallel = |at: usize| matches!(loops[at].parallel, Parallel::Yes | Parallel::AfterPrivatisation);
    let mut entry_of: FxHashMap<ContextIndex, usize> = FxHashMap::default();
    // Per loop, the number of loops of its band down to itself and of the widest one around it.
    let mut bands: FxHashMap<usize, (usize, usize)> = FxHashMap::default();
    for at in within(loops, region) {
        entry_of.extend(loops[at].contexts.iter().map(|&context| (context, at)));
        let around = loops[at].parent.and_then(|parent| bands.get(&parent)).copied();
        let (band, widest) = around.unwrap_or((0, 0));
        let own = if loops[at].permutable_with_parent { band + 1 } else { 1 };
        bands.insert(at, (own, widest.max(own)));
    }
    let is_single = loops[region.outermost].innermost;
    let mut operations = Operations::default();
    for context in inside(profile, &region.contexts) {
        let own = profile.contexts[context as usize].own_instructions;
        let innermost =
            std::iter::successors(Some(context), |&c| (c != 0).then(|| profile.contexts[c as usize].parent))
                .find_map(|c| entry_of.get(&c).copied());
        operations.all += own;
        let Some(innermost) = innermost else { continue };
        let is_around = |&at: &usize| is_single || !loops[at].innermost;
        let is_region = |&at: &usize| bands.contains_key(&at);
        let mut around = std::iter::successors(Some(innermost), |&at| loops[at].parent).take_while(is_region);
        if around.any(|at| is_around(&at) && is_parallel(at)) {
            operations.parallel += own;
        }
        if loops[innermost].innermost && is_parallel(innermost) {
            operations.vector += own;
        }
        let widest = bands.get(&innermost).map_or(1, |band| band.1);
        *operations.in_bands.entry(widest).or_default() += own;
    }
    operations.structure(1, false)
}

/// The loops of a proposal.
pub fn after(nodes: &[Node]) -> Structure {
    let mut operations = Operations::default();
    let is_single = !has_nest(nodes);
    walk(nodes, &mut Around { is_single, ..Around::default() }, &mut operations);
    let least = (COMPONENT * operations.all as f64) as u64;
    operations.structure(components(nodes, least), is_skewed(nodes))
}

/// The loops around a part of an outline.
#[derive(Debug, Clone, Copy, Default)]
struct Around {
    /// The region has no loop in a loop.
    is_single: bool,
    is_parallel: bool,
    /// The loop directly around is innermost and parallel.
    is_vector: bool,
    band: usize,
}

fn walk(nodes: &[Node], around: &mut Around, operations: &mut Operations) {
    for node in nodes {
        match node {
            Node::Statement(s) => {
                operations.all += s.instructions;
                operations.parallel += s.instructions * u64::from(around.is_parallel);
                operations.vector += s.instructions * u64::from(around.is_vector);
                *operations.in_bands.entry(around.band).or_default() += s.instructions;
            }
            Node::AnyOrder(parts) => parts.iter().for_each(|part| walk(part, around, operations)),
            Node::Loop(l) => {
                let innermost = !contains_loop(&l.inside);
                let is_shared = l.is_parallel && (around.is_single || !innermost) || l.band.1 > 1;
                let mut inner = Around {
                    is_parallel: around.is_parallel || is_shared,
                    is_vector: l.is_parallel && innermost,
                    band: around.band.max(l.band.1),
                    ..*around
                };
                walk(&l.inside, &mut inner, operations);
            }
        }
    }
}

/// Whether some loop is among the parts.
pub fn contains_loop(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Loop(_) => true,
        Node::AnyOrder(parts) => parts.iter().any(|part| contains_loop(part)),
        Node::Statement(_) => false,
    })
}

fn has_nest(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Loop(l) => contains_loop(&l.inside),
        Node::AnyOrder(parts) => parts.iter().any(|part| has_nest(part)),
        Node::Statement(_) => false,
    })
}

/// Operations of some parts.
fn instructions(nodes: &[Node]) -> u64 {
    nodes
        .iter()
        .map(|node| match node {
            Node::Statement(s) => s.instructions,
            Node::Loop(Loop { inside, .. }) => instructions(inside),
            Node::AnyOrder(parts) => parts.iter().map(|part| instructions(part)).sum(),
        })
        .sum()
}

/// Outermost loops with more than so many operations.
fn components(nodes: &[Node], least: u64) -> usize {
    nodes
        .iter()
        .map(|node| match node {
            Node::Loop(l) => usize::from(instructions(&l.inside) > least),
            Node::AnyOrder(parts) => parts.iter().map(|part| components(part, least)).sum(),
            Node::Statement(_) => 0,
        })
        .sum()
}

/// Whether some loop counts a sum of several loops of the source.
pub fn is_skewed(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Loop(l) => l.is_skewed() || is_skewed(&l.inside),
        Node::AnyOrder(parts) => parts.iter().any(|part| is_skewed(part)),
        Node::Statement(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::propose::outline::{Count, Statement, Term};

    fn statement(instructions: u64) -> Node {
        Node::Statement(Statement { block: 0, file: String::new(), lines: Vec::new(), instructions })
    }

    fn of(is_parallel: bool, band: (usize, usize), factors: &[usize], inside: Vec<Node>) -> Node {
        let terms = factors.iter().map(|&of| Term { of, factor: 1 }).collect();
        Node::Loop(Loop { counts: vec![Count { terms, shift: 0 }], is_parallel, band, inside })
    }

    #[test]
    fn shares_count_operations_under_loops() {
        // A band of two, parallel in wavefronts; beside it a sequential loop, and a loop too small to be a component.
        let nodes = [
            of(false, (0, 2), &[0], vec![of(false, (1, 2), &[0, 1], vec![statement(60)])]),
            of(false, (0, 1), &[2], vec![of(true, (0, 1), &[3], vec![statement(36)])]),
            of(true, (0, 1), &[4], vec![statement(4)]),
        ];
        let expected = Structure {
            parallel: 0.6,
            vector: 0.4,
            tile_depth: 2,
            tilable: 0.6,
            components: 2,
            is_skewed: true,
        };
        assert_eq!(after(&nodes), expected);
    }

    #[test]
    fn a_single_loop_is_parallel_and_vectorisable() {
        let expected = Structure {
            parallel: 1.0,
            vector: 1.0,
            tile_depth: 1,
            tilable: 1.0,
            components: 1,
            is_skewed: false,
        };
        assert_eq!(after(&[of(true, (0, 1), &[0], vec![statement(10)])]), expected);
        assert_eq!(after(&[]), Structure::default());
    }
}
