//! Functions and translated blocks as the dependence graph sees them.

use std::sync::Arc;

use program::cfg::Cfg;
use rustc_hash::FxHashMap;
use trace::block::{Access, Address, Block, FunctionCode, Terminator};

use crate::contexts::FunctionId;
use crate::lost::Lost;
use crate::walker::Functions;

/// Number of a distinct block: translations of the same bytes with the same record layout share it.
pub type CodeId = u32;

/// A function met during the run.
#[derive(Debug)]
pub struct Function {
    /// Address of its entry.
    pub entry: u64,
    /// Its graph.
    pub cfg: Cfg,
    chains: FxHashMap<u64, (Arc<[u64]>, bool)>,
}

/// All functions, in order of first entry.
#[derive(Debug, Default)]
pub struct FunctionTable {
    list: Vec<Function>,
    by_entry: FxHashMap<u64, FunctionId>,
    self_loops: rustc_hash::FxHashSet<u64>,
    /// Counts changes of any graph: cached transitions from before are void.
    pub epoch: u64,
    pub(crate) lost: Lost,
}

impl FunctionTable {
    /// Adds a decoded function.
    pub fn add(&mut self, code: &FunctionCode) -> FunctionId {
        self.add_with(code, Cfg::new)
    }

    /// Adds a decoded function of which only these edges are executed, as far as an earlier run showed.
    pub fn add_known(&mut self, code: &FunctionCode, edges: &[(u64, u64)]) -> FunctionId {
        self.add_with(code, |code| Cfg::executing(code, edges))
    }

    fn add_with(&mut self, code: &FunctionCode, graph: impl FnOnce(&FunctionCode) -> Cfg) -> FunctionId {
        if let Some(&id) = self.by_entry.get(&code.entry) {
            return id;
        }
        let id = self.list.len() as FunctionId;
        self.list.push(Function { entry: code.entry, cfg: graph(code), chains: FxHashMap::default() });
        self.by_entry.insert(code.entry, id);
        id
    }

    /// The function entered at `pc`; one that was never decoded gets a graph of its entry alone.
    pub fn at(&mut self, pc: u64) -> FunctionId {
        match self.by_entry.get(&pc) {
            Some(&id) => id,
            None => self.add(&FunctionCode { entry: pc, blocks: Vec::new(), landings: Vec::new() }),
        }
    }

    /// Whether a function is entered at `pc`.
    pub fn is_entry(&self, pc: u64) -> bool {
        self.by_entry.contains_key(&pc)
    }

    /// All functions.
    pub fn all(&self) -> &[Function] {
        &self.list
    }

    /// All functions, to ask for forests.
    pub fn all_mut(&mut self) -> &mut [Function] {
        &mut self.list
    }

    /// Whether the function's graph has a block at `pc`.
    pub fn contains(&self, function: FunctionId, pc: u64) -> bool {
        self.list.get(function as usize).is_some_and(|f| f.cfg.find(pc).is_some())
    }

    /// The block at `pc` is translated as a loop of its own.
    pub fn folds(&mut self, pc: u64) {
        if self.self_loops.insert(pc) {
            // The next jump there adds an edge.
            self.epoch += 1;
        }
    }

    /// Whether the loop headed by the block at `pc` consists of that block alone.
    pub fn is_alone(&mut self, function: FunctionId, pc: u64) -> bool {
        let f = self.list.get_mut(function as usize);
        let Some(f) = self.lost.expect(f, "a function is added before it runs") else { return false };
        let Some(node) = f.cfg.find(pc) else { return false };
        let forest = f.cfg.forest();
        forest.headed_by(node).is_some_and(|l| forest.loops[l].nodes.len() == 1)
    }

    /// Notes an executed jump from block to block of a function.
    pub fn executed(&mut self, function: FunctionId, from: Option<u64>, to: u64) {
        let f = self.list.get_mut(function as usize);
        let Some(f) = self.lost.expect(f, "a function is added before it runs") else { return };
        let changed = match from {
            Some(from) => f.cfg.edge(from, to),
            None => f.cfg.find(to).is_none() || !f.cfg.is_known(to),
        };
        if changed {
            f.cfg.leave_known();
        }
        let changed = changed | (self.self_loops.contains(&to) && f.cfg.edge(to, to));
        match from {
            Some(_) => f.cfg.executed(to),
            None => f.cfg.begins(to),
        }
        if changed {
            f.chains.clear();
            self.epoch += 1;
        }
    }
}

impl Functions for FunctionTable {
    fn arrival(&mut self, function: FunctionId, from: u64, to: u64) -> u64 {
        self.list.get(function as usize).map_or(to, |f| f.cfg.arrival(from, to))
    }

    fn chain(&mut self, function: FunctionId, pc: u64) -> (Arc<[u64]>, bool) {
        let f = self.list.get_mut(function as usize);
        let Some(f) = self.lost.expect(f, "a function is added before it runs") else {
            return (Arc::from([]), false);
        };
        if let Some((chain, heads)) = f.chains.get(&pc) {
            return (Arc::clone(chain), *heads);
        }
        let node = self.lost.expect(f.cfg.find(pc), "a block that runs is in its graph");
        let Some(node) = node else { return (Arc::from([]), false) };
        let forest = f.cfg.forest();
        let headers: Vec<usize> = forest.chain(node).into_iter().map(|l| forest.loops[l].header).collect();
        let heads = headers.last() == Some(&node);
        let chain: Arc<[u64]> = headers.iter().map(|&h| f.cfg.start(h)).collect();
        f.chains.insert(pc, (Arc::clone(&chain), heads));
        (chain, heads)
    }
}

/// The few facts about a block that every one of its records needs.
#[derive(Debug, Clone, Copy)]
pub struct Brief {
    /// Address.
    pub pc: u64,
    /// Length of a record.
    pub words: usize,
    /// It ends with a call, carries arguments or a result, or begins a function that is watched: look at the whole block.
    pub special: bool,
    /// One record stands for many iterations.
    pub folded: bool,
    /// Its record stands for those of its parts.
    pub has_parts: bool,
    /// Of the program itself, not of a library.
    pub own: bool,
}

/// Accesses by instructions of the program itself, as the recorder handed them over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OwnAccesses {
    /// All of them.
    pub all: u64,
    /// Those in records that stand for all iterations of a loop.
    pub folded: u64,
    /// Of those, the ones in records with some words of every iteration.
    pub partly: u64,
}

impl OwnAccesses {
    /// Those of one execution of a block with so many memory operands.
    pub fn of(block: Brief, operands: usize) -> OwnAccesses {
        let all = if block.own { operands as u64 } else { 0 };
        OwnAccesses { all, folded: if block.folded { all } else { 0 }, partly: 0 }
    }

    /// Adds `count` times `others`.
    pub fn add(&mut self, others: OwnAccesses, count: u64) {
        self.all += count * others.all;
        self.folded += count * others.folded;
        self.partly += count * others.partly;
    }
}

/// All distinct blocks.
#[derive(Debug, Default)]
pub struct CodeTable {
    blocks: Vec<Arc<Block>>,
    briefs: Vec<Brief>,
    by_pc: FxHashMap<u64, Vec<CodeId>>,
    of_block: Vec<CodeId>,
}

impl CodeTable {
    /// Adds a translated block; its id must be the next one (ids are dense). A block out of order is padded over. `own`: it
    /// is of the program itself, not of a library. `watched`: a function begins there whose entries mean something.
    pub fn add(&mut self, block: Block, own: bool, watched: bool) {
        let at = block.id as usize;
        // Control never is at a loop of parts as a whole.
        let id = match block.parts.is_empty() {
            true => self.intern(block, own, watched),
            false => self.push(block, own, watched),
        };
        if self.of_block.len() <= at {
            self.of_block.resize(at + 1, CodeId::MAX);
        }
        self.of_block[at] = id;
    }

    fn push(&mut self, block: Block, own: bool, watched: bool) -> CodeId {
        let id = self.blocks.len() as CodeId;
        let call = matches!(block.terminator, Terminator::Call { .. } | Terminator::IndirectCall { .. });
        self.briefs.push(Brief {
            pc: block.pc,
            words: usize::from(block.words),
            special: watched || call || block.arguments.is_some() || block.result.is_some(),
            folded: block.folded.is_some(),
            has_parts: !block.parts.is_empty(),
            own,
        });
        self.blocks.push(Arc::new(block));
        id
    }

    /// The number of a block, that of an equal one if there is one.
    fn intern(&mut self, block: Block, own: bool, watched: bool) -> CodeId {
        let candidates = self.by_pc.entry(block.pc).or_default();
        let same = |other: &Block| {
            other.end == block.end
                && other.words == block.words
                && other.terminator == block.terminator
                && other.operands == block.operands
                && other.folded == block.folded
                && other.instrs == block.instrs
        };
        if let Some(&id) = candidates.iter().find(|&&c| same(&self.blocks[c as usize])) {
            return id;
        }
        candidates.push(self.blocks.len() as CodeId);
        self.push(block, own, watched)
    }

    /// The block behind a record's header.
    #[inline]
    pub fn of_header(&self, header: u64) -> Option<CodeId> {
        self.of_block.get(header as u32 as usize).copied().filter(|&c| c != CodeId::MAX)
    }

    /// The brief of a block.
    #[inline]
    pub fn brief(&self, id: CodeId) -> Brief {
        self.briefs[id as usize]
    }

    /// The latest block that starts at an address.
    pub fn find(&self, pc: u64) -> Option<&Arc<Block>> {
        self.by_pc.get(&pc)?.last().map(|&id| self.get(id))
    }

    /// A block.
    pub fn get(&self, id: CodeId) -> &Arc<Block> {
        &self.blocks[id as usize]
    }
}

/// Address of an operand at the first iteration of a record; `None` for spans and lanes, which have no single one.
#[inline]
pub fn address(recipe: &Address, words: &[u64], thread_base: u64) -> Option<u64> {
    match *recipe {
        Address::Constant(a) => Some(a),
        Address::Word { word, delta } => Some(words.get(usize::from(word))?.wrapping_add(delta as u64)),
        Address::Segment { word, delta } => {
            let base = match word {
                Some(word) => *words.get(usize::from(word))?,
                None => 0,
            };
            Some(thread_base.wrapping_add(base).wrapping_add(delta as u64))
        }
        Address::Span { .. } | Address::Lane { .. } => None,
    }
}

/// Address of one lane, `None` if it is inactive.
pub fn lane_address(recipe: &Address, words: &[u64]) -> Option<u64> {
    let Address::Lane { base, index_word, index_shift, index_bits, scale, delta, mask } = *recipe else {
        return None;
    };
    if let Some((word, bit)) = mask
        && words.get(usize::from(word))? >> bit & 1 == 0
    {
        return None;
    }
    let raw = words.get(usize::from(index_word))? >> index_shift;
    let index = if index_bits == 32 { raw as u32 as i32 as i64 } else { raw as i64 };
    let base = match base {
        Some(word) => *words.get(usize::from(word))?,
        None => 0,
    };
    Some(base.wrapping_add((index as u64).wrapping_mul(u64::from(scale))).wrapping_add(delta as u64))
}

/// Bytes of a repeated string operand: start and length.
pub fn span(from: u64, to: u64, element: u16) -> (u64, u64) {
    let size = u64::from(element);
    if (to.wrapping_sub(from) as i64) >= 0 {
        (from, to.wrapping_sub(from))
    } else {
        (to.wrapping_add(size), from.wrapping_sub(to))
    }
}

/// Address of the stack slot a call writes its return address to.
pub fn return_slot(block: &Block, words: &[u64], thread_base: u64) -> Option<u64> {
    if !matches!(block.terminator, Terminator::Call { .. } | Terminator::IndirectCall { .. }) {
        return None;
    }
    let operand = block.operands.iter().rev().find(|o| o.access == Access::Write)?;
    (usize::from(operand.instr) + 1 == block.instrs.len())
        .then(|| address(&operand.address, words, thread_base))?
}
