//! Loops, nested, with their places in the source.
//!
//! The forest is that of [`program::forest`]: irreducible regions are loops too, and say that they are.

use program::forest;

use super::Dominators;
use crate::ir::debug::Place;
use crate::ir::{BlockId, Function, MetadataId, Module};

/// A loop of a function; one around others has a smaller number than these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(usize);

impl LoopId {
    /// Its place among the loops of its function.
    pub fn index(self) -> usize {
        self.0
    }
}

/// A loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// The block that it is entered by.
    pub header: BlockId,
    /// Blocks inside from which control goes back to the header.
    pub latches: Vec<BlockId>,
    /// Edges that leave it.
    pub exits: Vec<(BlockId, BlockId)>,
    /// Blocks outside from which it is entered by its header.
    pub entries: Vec<BlockId>,
    /// All its blocks, ascending.
    pub blocks: Vec<BlockId>,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// Number of loops around it.
    pub depth: usize,
    /// Whether it is entered by its header alone.
    pub reducible: bool,
    /// The node on its back edge that says where it stands in the source.
    pub node: Option<MetadataId>,
    /// The place of an instruction of its header, for loops without such a node.
    pub location: Option<MetadataId>,
}

/// All loops of a function.
#[derive(Debug, Clone, Default)]
pub struct Loops {
    list: Vec<Loop>,
    innermost: Vec<Option<LoopId>>,
}

impl Loops {
    pub(super) fn new(
        function: &Function,
        successors: &[Vec<BlockId>],
        predecessors: &[Vec<BlockId>],
        dominators: &Dominators,
    ) -> Loops {
        let edges: Vec<Vec<usize>> =
            successors.iter().map(|targets| targets.iter().map(|target| target.index()).collect()).collect();
        let mut rank = vec![u64::MAX; successors.len()];
        for (place, block) in dominators.order().iter().enumerate() {
            rank[block.index()] = place as u64;
        }
        let forest = forest::forest(&edges, 0, &rank);
        let list = forest.loops.iter().map(|found| described(function, successors, predecessors, found));
        Loops {
            list: list.collect(),
            innermost: forest.innermost.iter().map(|index| index.map(LoopId)).collect(),
        }
    }

    /// A loop.
    pub fn get(&self, id: LoopId) -> &Loop {
        &self.list[id.index()]
    }

    /// All loops, those around others first.
    pub fn iter(&self) -> impl Iterator<Item = (LoopId, &Loop)> {
        self.list.iter().enumerate().map(|(index, found)| (LoopId(index), found))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The innermost loop around a block.
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        self.innermost.get(block.index()).copied().flatten()
    }

    /// The loops around a block, innermost first.
    pub fn around(&self, block: BlockId) -> impl Iterator<Item = LoopId> {
        std::iter::successors(self.innermost(block), |&inner| self.get(inner).parent)
    }

    /// The loop that a block heads.
    pub fn headed_by(&self, block: BlockId) -> Option<LoopId> {
        self.innermost(block).filter(|&innermost| self.get(innermost).header == block)
    }

    /// Whether a block is in a loop.
    pub fn contains(&self, id: LoopId, block: BlockId) -> bool {
        self.get(id).blocks.binary_search(&block).is_ok()
    }

    /// The loops directly inside one, or the outermost ones.
    pub fn children(&self, parent: Option<LoopId>) -> impl Iterator<Item = LoopId> {
        self.iter().filter(move |(_, found)| found.parent == parent).map(|(id, _)| id)
    }
}

/// What a loop of the forest is in its function.
fn described(
    function: &Function,
    successors: &[Vec<BlockId>],
    predecessors: &[Vec<BlockId>],
    found: &forest::Loop,
) -> Loop {
    let header = BlockId::new(found.header);
    let is_inside = |block: BlockId| found.nodes.binary_search(&block.index()).is_ok();
    let blocks: Vec<BlockId> = found.nodes.iter().map(|&node| BlockId::new(node)).collect();
    let (mut latches, mut entries) = (Vec::new(), Vec::new());
    for &from in &predecessors[header.index()] {
        if is_inside(from) { latches.push(from) } else { entries.push(from) }
    }
    latches.dedup();
    entries.dedup();
    let mut exits = Vec::new();
    let mut reducible = true;
    for &block in &blocks {
        exits.extend(successors[block.index()].iter().filter(|&&to| !is_inside(to)).map(|&to| (block, to)));
        reducible &= block == header || predecessors[block.index()].iter().all(|&from| is_inside(from));
    }
    let node = latches.iter().find_map(|&latch| function.block(latch).last()?.loop_node);
    let mut locations =
        function.block(header).instructions.iter().filter_map(|instruction| instruction.location);
    let location = locations.next_back();
    let parent = found.parent.map(LoopId);
    Loop { header, latches, exits, entries, blocks, parent, depth: found.depth, reducible, node, location }
}

impl Loop {
    /// Where it starts in the source, and where it ends.
    pub fn places<'m>(&self, module: &'m Module) -> Option<(Place<'m>, Option<Place<'m>>)> {
        let noted = self.node.and_then(|node| module.metadata.loop_places(node));
        noted.or_else(|| Some((module.metadata.place(self.location?)?, None)))
    }
}
