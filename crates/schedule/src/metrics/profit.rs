//! What a proposal is worth: a few facts, and an order among proposals that rests on two of them.
//!
//! Proposals are ordered by the share of the program's operations that a processor no longer has to wait for, if the parallel
//! loops of the proposal are shared evenly among its processors: `share · parallel · (1 − 1 / min(processors, iterations))`.
//! Time is not foreseen: memory, vectors and the cost of starting threads are left out, and the facts are always shown.

use profile::Profile;

use super::locality::footprint;
use super::structure::{Structure, after};
use crate::SourceLoop;
use crate::propose::outline::Node;
use crate::propose::{Proposal, Region};

/// Facts on a proposal.
#[derive(Debug, Clone, PartialEq)]
pub struct Profit {
    /// The proposed loops; those of the program where nothing was found.
    pub structure: Structure,
    /// Iterations of the outermost parallel loop, per entry; of a band that runs in wavefronts, of its second loop; 1 without.
    pub parallel_iterations: f64,
    /// The most data the region can touch, in bytes.
    pub footprint: u64,
    /// What orders proposals.
    pub saved: f64,
}

/// Weighs a proposal, or the region as it is (`before`), for so many processors.
pub fn weigh(
    profile: &Profile,
    loops: &[SourceLoop],
    proposal: &Proposal,
    before: Structure,
    processors: usize,
) -> Profit {
    let Region { outermost, share, .. } = proposal.region;
    let (structure, parallel_iterations) = match &proposal.found {
        Ok((_, nodes)) => (after(nodes), outermost_parallel(loops, nodes).unwrap_or(1.0)),
        Err(_) => (before, loops[outermost].mean_trips()),
    };
    let hands = (processors as f64).min(parallel_iterations).max(1.0);
    Profit {
        structure,
        parallel_iterations,
        footprint: footprint(profile, &proposal.region),
        saved: share * structure.parallel * (1.0 - 1.0 / hands),
    }
}

/// The most iterations of an outermost parallel loop. Of a sum of loops they are at least those of the longest.
fn outermost_parallel(loops: &[SourceLoop], nodes: &[Node]) -> Option<f64> {
    let of = |node: &Node| match node {
        // The first loop of a band counts wavefronts, the others are as long as those are wide.
        Node::Loop(l) if l.is_parallel || l.band.0 == 1 => {
            let terms = l.counts.iter().flat_map(|count| &count.terms);
            terms.map(|term| loops[term.of].mean_trips()).max_by(f64::total_cmp)
        }
        Node::Loop(l) => outermost_parallel(loops, &l.inside),
        Node::AnyOrder(parts) => {
            parts.iter().filter_map(|part| outermost_parallel(loops, part)).max_by(f64::total_cmp)
        }
        Node::Statement(_) => None,
    };
    nodes.iter().filter_map(of).max_by(f64::total_cmp)
}
