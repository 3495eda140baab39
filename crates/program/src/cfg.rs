//! Control-flow graph of one function.
//!
//! Built from the static decode when the function is first entered; blocks and edges that only execution shows (targets
//! of indirect jumps, code the decode did not reach) join later. Call edges are not in the graph: a call block
//! continues at its return address.
//!
//! A block that is executed in pieces, as recorders cut long ones, has a node for each piece: all of them go where the block goes, so that
//! a piece seen for the first time lies in the loops of its block.
//!
//! Invariant: node 0 is the entry. Nodes are never removed, so node numbers stay valid.

use rustc_hash::{FxHashMap, FxHashSet};
use trace::block::{CodeBlock, FunctionCode, Terminator};

use crate::forest::{Forest, forest};
use crate::nested::{Nested, nested};

/// A function's graph with its current loop-nesting forest.
#[derive(Debug, Clone)]
pub struct Cfg {
    starts: Vec<u64>,
    successors: Vec<Vec<usize>>,
    /// An edge leads there.
    reached: Vec<bool>,
    rank: Vec<u64>,
    index: FxHashMap<u64, usize>,
    forest: Forest,
    stale: bool,
    next_rank: u64,
    /// The function as decoded, while only edges of an earlier run are in the graph.
    decoded: Option<FunctionCode>,
    /// First addresses of decoded blocks and those behind them, ascending.
    spans: Vec<(u64, u64)>,
    /// Nodes of pieces, with those of their blocks.
    pieces: Vec<(usize, usize)>,
    /// Decoded blocks from which control leaves the activation: returns, tail calls, indirect jumps.
    leaving: FxHashSet<usize>,
    /// Blocks that head several loops, by their addresses. Each loop but the innermost has a node of its own, at its
    /// head, that no code belongs to; edges that begin an iteration of it lead there.
    nested: FxHashMap<u64, Nested>,
}

impl Cfg {
    /// The graph of a decoded function.
    pub fn new(code: &FunctionCode) -> Cfg {
        let mut cfg = Cfg {
            starts: Vec::new(),
            successors: Vec::new(),
            reached: Vec::new(),
            rank: Vec::new(),
            index: FxHashMap::default(),
            forest: Forest::default(),
            stale: true,
            next_rank: 0,
            decoded: None,
            spans: Vec::new(),
            pieces: Vec::new(),
            leaving: FxHashSet::default(),
            nested: FxHashMap::default(),
        };
        cfg.nodes(code);
        cfg.decoded_edges(code);
        cfg
    }

    /// The entry and the decoded blocks.
    fn nodes(&mut self, code: &FunctionCode) {
        self.node(code.entry);
        for block in &code.blocks {
            self.node(block.start);
        }
        self.spans = code.blocks.iter().map(|block| (block.start, block.end)).collect();
        self.spans.sort_unstable();
        let leaves = |block: &&CodeBlock| match block.terminator {
            Terminator::Return | Terminator::IndirectJump | Terminator::Leaves => true,
            Terminator::Jump(target) => !self.index.contains_key(&target),
            _ => false,
        };
        let leaving = code.blocks.iter().filter(leaves).filter_map(|block| self.find(block.start)).collect();
        self.leaving = leaving;
        self.nested = nested(code).into_iter().map(|own| (own.heads[0], own)).collect();
        let heads: Vec<Vec<u64>> = self.nested.values().map(|own| own.heads.clone()).collect();
        for pair in heads.iter().flat_map(|heads| heads.windows(2)) {
            // A head is no piece of the block that its address is in.
            let (inner, head) = (self.new_node(pair[0]), self.new_node(pair[1]));
            self.successors[head].push(inner);
        }
    }

    /// Where control first arrives that comes to the block at `to` from the one at `from`: at the head of the outermost
    /// loop that the block heads and that this begins, or an iteration of; at the block itself if that heads but one.
    pub fn arrival(&self, from: u64, to: u64) -> u64 {
        let Some(nested) = self.nested.get(&to) else { return to };
        let whole = self.find(from).map_or(from, |node| self.starts[self.whole(node)]);
        nested.arrival(whole)
    }

    fn decoded_edges(&mut self, code: &FunctionCode) {
        for block in &code.blocks {
            for target in block.terminator.local_successors() {
                // A direct jump out of the decoded blocks is a tail call.
                if self.index.contains_key(&target) {
                    self.edge(block.start, target);
                }
            }
        }
        for &(call, pad) in &code.landings {
            self.edge(call, pad);
        }
    }

    /// The run leaves what an earlier one showed: from now on everything decoded counts. Returns whether that is new.
    pub fn leave_known(&mut self) -> bool {
        let Some(code) = self.decoded.take() else { return false };
        self.decoded_edges(&code);
        for (piece, block) in self.pieces.clone() {
            self.go_on(piece, block);
        }
        true
    }

    /// Whether an earlier run reached the block at `start` from within the function; of an unrestricted graph, any.
    pub fn is_known(&self, start: u64) -> bool {
        self.decoded.is_none() || self.find(start).is_some_and(|n| n == 0 || self.reached[n])
    }

    /// The graph of a decoded function of which only the given edges are executed, as far as is known. A run that does
    /// anything else has to [leave](Cfg::leave_known) it.
    pub fn executing(code: &FunctionCode, edges: &[(u64, u64)]) -> Cfg {
        let mut cfg = Cfg::bare(code.entry);
        cfg.nodes(code);
        for &(from, to) in edges {
            cfg.edge(from, to);
        }
        cfg.decoded = Some(code.clone());
        cfg
    }

    /// The graph of the entry alone.
    pub fn bare(entry: u64) -> Cfg {
        Cfg::new(&FunctionCode { entry, blocks: Vec::new(), landings: Vec::new() })
    }

    fn node(&mut self, start: u64) -> usize {
        if let Some(&node) = self.index.get(&start) {
            return node;
        }
        let node = self.new_node(start);
        if let Some(block) = self.block_around(start) {
            self.pieces.push((node, block));
            self.go_on(node, block);
        }
        node
    }

    fn new_node(&mut self, start: u64) -> usize {
        if let Some(&node) = self.index.get(&start) {
            return node;
        }
        let node = self.starts.len();
        self.starts.push(start);
        self.successors.push(Vec::new());
        self.reached.push(false);
        self.rank.push(u64::MAX);
        self.index.insert(start, node);
        self.stale = true;
        node
    }

    /// The decoded block that an address lies in behind its start.
    fn block_around(&self, pc: u64) -> Option<usize> {
        let at = self.spans.partition_point(|span| span.0 < pc).checked_sub(1)?;
        let &(start, end) = self.spans.get(at)?;
        self.find(start).filter(|_| pc < end)
    }

    /// A piece goes where its block goes.
    fn go_on(&mut self, piece: usize, block: usize) {
        for to in self.successors[block].clone() {
            // From one of its pieces to another they go in their own order alone.
            let is_piece = self.pieces.contains(&(to, block));
            if !is_piece && !self.successors[piece].contains(&to) {
                self.successors[piece].push(to);
                self.stale = true;
            }
        }
    }

    /// Adds an edge, and its ends where they are new. Returns whether it was new.
    pub fn edge(&mut self, from: u64, to: u64) -> bool {
        let (from, block) = (self.node(from), self.node(to));
        let to = self.node(self.arrival(self.starts[from], to));
        if self.successors[from].contains(&to) {
            return false;
        }
        self.successors[from].push(to);
        (self.reached[to], self.reached[block]) = (true, true);
        self.stale = true;
        true
    }

    /// Notes that the block at `start` executes; the first to do so ranks first as a header.
    pub fn executed(&mut self, start: u64) {
        let node = self.node(start);
        if self.rank[node] == u64::MAX {
            self.rank[node] = self.next_rank;
            self.next_rank += 1;
        }
    }

    /// Notes that an execution begins with the block at `start`: inside of a decoded block it is a piece of that, and lies in its loops.
    pub fn begins(&mut self, start: u64) {
        let node = self.node(start);
        let whole = self.whole(node);
        if whole != node {
            self.edge(self.starts[whole], start);
        }
        self.executed(start);
    }

    /// The node of the block that starts at `start`.
    pub fn find(&self, start: u64) -> Option<usize> {
        self.index.get(&start).copied()
    }

    /// Address of a node's block.
    pub fn start(&self, node: usize) -> u64 {
        self.starts[node]
    }

    /// Where control goes from a node.
    pub fn successors(&self, node: usize) -> &[usize] {
        &self.successors[node]
    }

    /// Whether control can leave the activation from a node, other than by a call that never returns.
    pub fn leaves(&self, node: usize) -> bool {
        self.leaving.contains(&node)
    }

    /// The node of the decoded block of which a node is a piece; itself if it is none.
    pub fn whole(&self, node: usize) -> usize {
        self.pieces.iter().find(|piece| piece.0 == node).map_or(node, |piece| piece.1)
    }

    /// The nodes among `nodes` with an edge to `target`.
    pub fn predecessors(&self, target: usize, nodes: &[usize]) -> Vec<usize> {
        nodes.iter().copied().filter(|&n| self.successors[n].contains(&target)).collect()
    }

    /// Addresses of all blocks.
    pub fn starts(&self) -> &[u64] {
        &self.starts
    }

    /// The loop-nesting forest of the graph as known now.
    pub fn forest(&mut self) -> &Forest {
        if self.stale {
            self.forest = forest(&self.successors, 0, &self.rank);
            self.stale = false;
        }
        &self.forest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::block::Registers;

    fn block(start: u64, end: u64, terminator: Terminator) -> CodeBlock {
        CodeBlock { start, end, terminator, registers: Registers::default() }
    }

    /// The loop 10 → 20 → 10 ran; a run that goes through 30 as well stays inside it.
    #[test]
    fn a_run_may_leave_what_is_known() {
        let jump = |start, to| block(start, start + 10, Terminator::Jump(to));
        let branch = Terminator::Branch { taken: 30, next: 20 };
        let blocks = vec![block(10, 20, branch), jump(20, 10), jump(30, 20)];
        let code = FunctionCode { entry: 10, blocks, landings: Vec::new() };
        let mut cfg = Cfg::executing(&code, &[(10, 20), (20, 10)]);
        let inside = |cfg: &mut Cfg| cfg.find(30).is_some_and(|n| !cfg.forest().chain(n).is_empty());
        assert_eq!((cfg.forest().loops.len(), inside(&mut cfg)), (1, false));
        assert!(cfg.is_known(20) && !cfg.is_known(30));
        assert!(cfg.edge(10, 30) && cfg.leave_known() && !cfg.leave_known());
        assert_eq!((cfg.forest().loops.len(), inside(&mut cfg)), (1, true));
    }

    /// The block 20 to 40 is executed in pieces: they lie in its loop from the first time on, also of what an earlier run showed.
    #[test]
    fn pieces_of_a_block_lie_in_its_loop() {
        let jump = |start, end, to| block(start, end, Terminator::Jump(to));
        let branch = Terminator::Branch { taken: 50, next: 20 };
        let blocks = vec![block(10, 20, branch), jump(20, 40, 10)];
        let code = FunctionCode { entry: 10, blocks, landings: Vec::new() };
        for mut cfg in [Cfg::new(&code), Cfg::executing(&code, &[(10, 20), (20, 10)])] {
            assert!(cfg.edge(20, 30) && cfg.edge(30, 35));
            for pc in [20, 30, 35] {
                let chain = cfg.find(pc).map(|node| cfg.forest().chain(node).len());
                assert_eq!(chain, Some(1), "{pc}");
            }
        }
        // So does one that an execution begins with.
        let mut cfg = Cfg::new(&code);
        cfg.begins(30);
        assert_eq!(cfg.find(30).map(|node| cfg.forest().chain(node).len()), Some(1));
        // What lies behind it does not.
        let mut cfg = Cfg::new(&code);
        assert!(cfg.edge(10, 40));
        assert!(cfg.find(40).is_some_and(|node| cfg.forest().chain(node).is_empty()));
    }

    #[test]
    fn an_executed_indirect_edge_closes_a_loop() {
        let code = FunctionCode {
            entry: 10,
            blocks: vec![block(10, 20, Terminator::Fallthrough(20)), block(20, 30, Terminator::IndirectJump)],
            landings: Vec::new(),
        };
        let mut cfg = Cfg::new(&code);
        assert!(cfg.forest().loops.is_empty());
        assert!(cfg.edge(20, 40));
        assert!(cfg.edge(40, 20));
        assert!(!cfg.edge(40, 20));
        let head = cfg.find(20);
        assert_eq!(cfg.forest().loops.len(), 1);
        assert_eq!(Some(cfg.forest().loops[0].header), head);
    }

    /// What an exception reaches is in the loop that it goes on with, before it was ever thrown.
    #[test]
    fn landing_pads_lie_in_the_loops_that_go_on() {
        let at = |start: u64, terminator| block(start, start + 10, terminator);
        let code = FunctionCode {
            entry: 10,
            blocks: vec![
                at(10, Terminator::Call { target: 900, next: 20 }),
                at(20, Terminator::Branch { taken: 10, next: 30 }),
                at(30, Terminator::Return),
                at(40, Terminator::Jump(20)),
                at(50, Terminator::Jump(30)),
            ],
            landings: vec![(10, 40), (20, 50)],
        };
        let mut cfg = Cfg::new(&code);
        let depth = |cfg: &mut Cfg, pc| cfg.find(pc).map(|node| cfg.forest().chain(node).len());
        assert_eq!([10, 20, 30, 40, 50].map(|pc| depth(&mut cfg, pc)), [1, 1, 0, 1, 0].map(Some));
    }
}
