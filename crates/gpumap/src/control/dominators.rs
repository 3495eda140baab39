//! Dominators: a block dominates another if every way from the entry to the other goes through it.
//!
//! Source: K. D. Cooper, T. J. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm", 2001.

use crate::ir::BlockId;

/// The blocks that can be reached from the first one, each before those that it dominates.
pub fn reverse_postorder(successors: &[Vec<BlockId>]) -> Vec<BlockId> {
    let mut seen = vec![false; successors.len()];
    let mut order = Vec::new();
    let mut open: Vec<(BlockId, usize)> = Vec::new();
    if let Some(first) = seen.first_mut() {
        *first = true;
        open.push((BlockId::new(0), 0));
    }
    while let Some((block, edge)) = open.last_mut() {
        let Some(&next) = successors[block.index()].get(*edge) else {
            order.push(*block);
            open.pop();
            continue;
        };
        *edge += 1;
        if !std::mem::replace(&mut seen[next.index()], true) {
            open.push((next, 0));
        }
    }
    order.reverse();
    order
}

/// The dominator tree of a function.
#[derive(Debug, Clone)]
pub struct Dominators {
    /// Blocks that can be reached, in reverse postorder.
    order: Vec<BlockId>,
    /// For each block its place in that order.
    places: Vec<Option<usize>>,
    /// For each place the place of the immediate dominator; the entry has its own.
    immediate: Vec<usize>,
}

impl Dominators {
    /// Those of a graph: its blocks in reverse postorder, and for each block its predecessors.
    pub fn new(order: Vec<BlockId>, predecessors: &[Vec<BlockId>]) -> Dominators {
        let mut places = vec![None; predecessors.len()];
        for (place, block) in order.iter().enumerate() {
            places[block.index()] = Some(place);
        }
        let mut immediate: Vec<Option<usize>> = vec![None; order.len()];
        if let Some(entry) = immediate.first_mut() {
            *entry = Some(0);
        }
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for place in 1..order.len() {
                let known = predecessors[order[place].index()]
                    .iter()
                    .filter_map(|block| places[block.index()])
                    .filter(|&before| immediate[before].is_some());
                let common = known.reduce(|a, b| meeting(&immediate, a, b));
                if common.is_some() && immediate[place] != common {
                    immediate[place] = common;
                    is_changed = true;
                }
            }
        }
        // Every block in the order has a predecessor before it.
        let immediate = immediate.into_iter().map(|found| found.unwrap_or(0)).collect();
        Dominators { order, places, immediate }
    }

    /// Blocks that can be reached, in reverse postorder.
    pub fn order(&self) -> &[BlockId] {
        &self.order
    }

    /// Whether a block can be reached.
    pub fn is_reached(&self, block: BlockId) -> bool {
        self.places[block.index()].is_some()
    }

    /// The nearest other block that dominates a block; `None` for the entry and for blocks that cannot be reached.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        let place = self.places[block.index()].filter(|&place| place > 0)?;
        Some(self.order[self.immediate[place]])
    }

    /// Whether every way to `block` goes through `through`; both can be reached, or the answer is no.
    pub fn dominates(&self, through: BlockId, block: BlockId) -> bool {
        let (Some(through), Some(mut at)) = (self.places[through.index()], self.places[block.index()]) else {
            return false;
        };
        while at > through {
            at = self.immediate[at];
        }
        at == through
    }
}

/// The nearest block that dominates both.
fn meeting(immediate: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        let later = if a > b { &mut a } else { &mut b };
        // Dominators of blocks that have one have one.
        *later = immediate[*later].unwrap_or(0);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All graphs of this many blocks with at most two edges per block: dominance is what its definition says.
    #[test]
    fn dominance_is_its_definition_on_all_small_graphs() {
        const BLOCKS: usize = 4;
        let ways: Vec<Vec<BlockId>> = std::iter::once(vec![])
            .chain((0..BLOCKS).map(|a| vec![BlockId::new(a)]))
            .chain((0..BLOCKS).flat_map(|a| (0..a).map(move |b| vec![BlockId::new(a), BlockId::new(b)])))
            .collect();
        let mut graphs = 0;
        for code in 0..ways.len().pow(BLOCKS as u32) {
            let successors: Vec<Vec<BlockId>> =
                (0..BLOCKS).map(|at| ways[code / ways.len().pow(at as u32) % ways.len()].clone()).collect();
            let order = reverse_postorder(&successors);
            let mut predecessors = vec![Vec::new(); BLOCKS];
            for &from in &order {
                for to in &successors[from.index()] {
                    predecessors[to.index()].push(from);
                }
            }
            let dominators = Dominators::new(order, &predecessors);
            for through in 0..BLOCKS {
                let without = reached_without(&successors, through);
                for (block, reached) in without.iter().enumerate() {
                    let (through, block) = (BlockId::new(through), BlockId::new(block));
                    let both = dominators.is_reached(through) && dominators.is_reached(block);
                    assert_eq!(dominators.dominates(through, block), both && !reached, "{successors:?}");
                }
            }
            graphs += 1;
        }
        assert_eq!(graphs, 14_641);
    }

    /// Which blocks are reached on ways that avoid one.
    fn reached_without(successors: &[Vec<BlockId>], avoided: usize) -> Vec<bool> {
        let mut reached = vec![false; successors.len()];
        let mut open = if avoided == 0 { vec![] } else { vec![0] };
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut reached[block], true) {
                open.extend(successors[block].iter().map(|to| to.index()).filter(|&to| to != avoided));
            }
        }
        reached
    }
}
