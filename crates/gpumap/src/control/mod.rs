//! How control flows in a function: dominators, loops, choices as branches, and what stands in the way of an analysis.
//!
//! - [`choices`]: turns `select` into branches and a φ, so that both ways of choosing are one for everything after it;
//!   [`threading`]: makes each test of `a && b` a branch of its own;
//! - [`dominators`]: which blocks every way to a block goes through;
//! - [`loops`]: the loop-nesting forest with places in the source;
//! - [`obstacles`]: why a loop is not analysed; [`show`]: all this as text.
//!
//! Invariant: blocks that cannot be reached from the entry have no edges, no dominator and no loop.

pub mod choices;
pub mod dominators;
pub mod loops;
pub mod obstacles;
pub mod show;
pub mod threading;

pub use dominators::Dominators;
pub use loops::{Loop, LoopId, Loops};
pub use obstacles::Obstacle;

use crate::ir::debug::Place;
use crate::ir::{BlockId, Function, Module};

/// The control-flow graph of a function, and its loops.
#[derive(Debug, Clone)]
pub struct Control {
    /// For each block where control may go, once per edge.
    pub successors: Vec<Vec<BlockId>>,
    /// For each block where control may come from, once per edge.
    pub predecessors: Vec<Vec<BlockId>>,
    /// Dominators.
    pub dominators: Dominators,
    /// Loops.
    pub loops: Loops,
}

impl Control {
    /// Whether control may come to a block.
    pub fn is_reached(&self, block: BlockId) -> bool {
        block.index() == 0 || !self.predecessors[block.index()].is_empty()
    }

    /// The column at which the next loop after a place begins on the same line.
    pub fn next_on_line(&self, module: &Module, place: Place<'_>) -> Option<u32> {
        let starts = self.loops.iter().filter_map(|(_, found)| Some(found.places(module)?.0));
        let is_next = |other: &Place<'_>| {
            (other.file, other.line) == (place.file, place.line) && other.column > place.column
        };
        starts.filter(is_next).map(|other| other.column).min()
    }

    /// That of a function with a body.
    pub fn new(function: &Function) -> Control {
        let mut successors: Vec<Vec<BlockId>> =
            function.block_ids().map(|block| function.successors(block)).collect();
        let order = dominators::reverse_postorder(&successors);
        let mut is_reached = vec![false; successors.len()];
        for &block in &order {
            is_reached[block.index()] = true;
        }
        let mut predecessors = vec![Vec::new(); successors.len()];
        for (place, targets) in successors.iter_mut().enumerate() {
            if !is_reached[place] {
                targets.clear();
            }
            for &target in targets.iter() {
                predecessors[target.index()].push(BlockId::new(place));
            }
        }
        let dominators = Dominators::new(order, &predecessors);
        let loops = Loops::new(function, &successors, &predecessors, &dominators);
        Control { successors, predecessors, dominators, loops }
    }
}
