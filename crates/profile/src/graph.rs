//! Control-flow graphs of functions as they were decoded, branches that were never taken included.
//!
//! What a run did in every iteration it may not do in every iteration of another run: whether something is done unconditionally is a
//! question to the graph.

use serde::{Deserialize, Serialize};

/// The graph of a function. Node 0 is its entry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Graph {
    /// The function: index into [`Profile::functions`](crate::Profile::functions).
    pub function: u32,
    /// Its basic blocks, by address.
    pub nodes: Vec<Node>,
    /// Its loops.
    pub loops: Vec<StaticLoop>,
}

/// A basic block.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Address of its first instruction.
    pub start: u64,
    /// Nodes that control may go on to.
    pub successors: Vec<u32>,
    /// The function may end here, by a return or a jump elsewhere. (Calls that never return do not end it.)
    pub leaves: bool,
}

/// A loop of the loop-nesting forest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaticLoop {
    /// Its header.
    pub header: u32,
    /// All nodes of its region, ascending.
    pub nodes: Vec<u32>,
}

impl Graph {
    /// The node whose block an instruction is in.
    pub fn node_of(&self, pc: u64) -> Option<u32> {
        let before = self.nodes.iter().enumerate().filter(|(_, node)| node.start <= pc);
        before.max_by_key(|(_, node)| node.start).map(|(at, _)| at as u32)
    }

    /// The loop whose header is the block at an address.
    pub fn loop_at(&self, header: u64) -> Option<&StaticLoop> {
        self.loops.iter().find(|l| self.nodes.get(l.header as usize).is_some_and(|n| n.start == header))
    }

    /// Whether every way once around a loop, from its header back to it, passes through one of these nodes.
    pub fn covers_iterations(&self, of: &StaticLoop, by: &[u32]) -> bool {
        let is_inside = |node: u32| of.nodes.binary_search(&node).is_ok();
        by.contains(&of.header) || !self.can_go(of.header, by, &is_inside, &|node| node == of.header)
    }

    /// Whether every way from the function's entry to an end of it passes through one of these nodes.
    pub fn covers_activations(&self, by: &[u32]) -> bool {
        let leaves = |node: u32| self.nodes.get(node as usize).is_some_and(|node| node.leaves);
        by.contains(&0) || !(leaves(0) || self.can_go(0, by, &|_| true, &leaves))
    }

    /// Whether every way from the function's entry to a node passes through `from`, and every way from it to an end of the function
    /// through `to`.
    pub fn is_between(&self, node: u32, (from, to): (u32, u32)) -> bool {
        let leaves = |node: u32| self.nodes.get(node as usize).is_some_and(|node| node.leaves);
        let is_entered =
            node == from || node != 0 && !self.can_go(0, &[from], &|_| true, &|other| other == node);
        let is_left = node == to || !leaves(node) && !self.can_go(node, &[to], &|_| true, &leaves);
        (from == 0 || is_entered) && is_left
    }

    /// Whether control can go, in one step or more, from a node to one that is a target, without the nodes in `without`.
    fn can_go(
        &self,
        from: u32,
        without: &[u32],
        is_allowed: &dyn Fn(u32) -> bool,
        is_target: &dyn Fn(u32) -> bool,
    ) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            for &next in self.nodes.get(node as usize).map_or(&[][..], |node| &node.successors) {
                let Some(seen) = seen.get_mut(next as usize) else { continue };
                if !is_allowed(next) || without.contains(&next) || std::mem::replace(seen, true) {
                    continue;
                }
                if is_target(next) {
                    return true;
                }
                open.push(next);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 → 1 → {2, 3} → 4 → {1, 5}; 5 returns.
    fn diamond() -> Graph {
        let node =
            |start, successors: &[u32], leaves| Node { start, successors: successors.to_vec(), leaves };
        Graph {
            function: 0,
            nodes: vec![
                node(10, &[1], false),
                node(20, &[2, 3], false),
                node(30, &[4], false),
                node(40, &[4], false),
                node(50, &[1, 5], false),
                node(60, &[], true),
            ],
            loops: vec![StaticLoop { header: 1, nodes: vec![1, 2, 3, 4] }],
        }
    }

    #[test]
    fn what_every_iteration_passes() {
        let graph = diamond();
        let l = graph.loop_at(20).expect("a loop");
        for (by, expected) in [(&[1][..], true), (&[4], true), (&[2], false), (&[2, 3], true), (&[], false)] {
            assert_eq!(graph.covers_iterations(l, by), expected, "{by:?}");
        }
        assert!(graph.covers_activations(&[5]) && graph.covers_activations(&[1]));
        assert!(!graph.covers_activations(&[3]));
        assert!(graph.is_between(2, (1, 4)) && graph.is_between(1, (1, 4)) && graph.is_between(4, (1, 4)));
        assert!(!graph.is_between(2, (3, 4)) && !graph.is_between(5, (1, 4)) && !graph.is_between(1, (2, 4)));
        assert_eq!((graph.node_of(35), graph.node_of(5)), (Some(2), None));
    }
}
