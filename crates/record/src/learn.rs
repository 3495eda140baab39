//! Which ways loops take, learnt from their records.
//!
//! Definition: blocks that run one after the other, the first one again after the last, with nothing but jumps between them
//! and no block twice, are one iteration of a loop along a *way*. A way is worth being recorded as a whole if most
//! iterations of the loop that the records show go along it, several in a row. If records of whole ways turn out to stand
//! for too few iterations, they are given up for good.
//!
//! Limits: only the first records of a buffer are looked at; a loop in which another one iterates has no way.

use rustc_hash::FxHashMap;
use trace::block::{Block, BlockId, Folded, Terminator};
use trace::stream;

/// Most words of a buffer that are looked at.
pub(crate) const LOOK: usize = 2048;
/// Most blocks of a way.
const LONGEST: usize = 48;
/// Iterations of a loop that must have been seen.
const ENOUGH: u64 = 24;
/// Seen without a way that most of them take, they are forgotten.
const MANY: u64 = 4096;
/// Records of a way that must have been seen before it is given up.
const RECORDS: u64 = 64;
/// Fewest iterations in a row, on average.
const IN_A_ROW: u64 = 3;

/// A block that may be part of a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Along {
    /// Its address.
    pub(crate) pc: u64,
    /// Number of its instructions.
    pub(crate) instructions: usize,
}

/// What to do with a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lesson {
    /// Record it along this way.
    Fold(Vec<Along>),
    /// Record its blocks, the first of which is at this address, one by one again.
    Unfold(u64),
}

#[derive(Debug)]
enum Sort {
    /// Ends with a jump or goes on.
    Straight(Along),
    /// A loop along a way, the first block of which is at this address.
    Way(Box<Folded>, u64),
    Other,
}

#[derive(Debug)]
struct Known {
    words: usize,
    sort: Sort,
}

/// What was seen of the loops whose iterations begin with one block.
#[derive(Debug, Default)]
struct Head {
    iterations: u64,
    ways: Vec<Way>,
    /// Nothing more will be learnt.
    is_settled: bool,
    /// Of records along the chosen way.
    records: u64,
    recorded: u64,
}

#[derive(Debug)]
struct Way {
    blocks: Vec<BlockId>,
    iterations: u64,
    /// How often an iteration along it followed something else.
    runs: u64,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Learner {
    blocks: Vec<Known>,
    heads: FxHashMap<u64, Head>,
}

/// The blocks run lately, and which of them began an iteration of a loop.
#[derive(Default)]
struct Trail {
    blocks: Vec<(BlockId, bool)>,
    /// Head and number of the way of the latest iteration, if nothing came after it.
    latest: Option<(u64, usize)>,
    /// What ran before the first block is not known.
    is_blind: bool,
}

impl Learner {
    /// Forgets what was seen: code may have changed.
    pub(crate) fn clear(&mut self) {
        self.heads.clear();
        self.blocks.iter_mut().for_each(|b| b.sort = Sort::Other);
    }

    /// Blocks are known in the order of their numbers.
    pub(crate) fn add(&mut self, block: &Block) {
        let sort = match (&block.folded, block.terminator) {
            (Some(folded), _) if !block.parts.is_empty() => Sort::Way(Box::new(folded.clone()), block.pc),
            (None, Terminator::Fallthrough(_) | Terminator::Jump(_) | Terminator::Branch { .. })
                if block.arguments.is_none() =>
            {
                Sort::Straight(Along { pc: block.pc, instructions: block.instrs.len() })
            }
            _ => Sort::Other,
        };
        self.blocks.push(Known { words: block.words.into(), sort });
    }

    /// Looks at whole records, the last one possibly cut.
    pub(crate) fn look(&mut self, words: &[u64]) -> Vec<Lesson> {
        let Learner { blocks, heads } = self;
        let mut trail = Trail { is_blind: true, ..Trail::default() };
        let mut touched: Vec<u64> = Vec::new();
        let mut at = 0;
        while let Some(&header) = words.get(at) {
            if stream::is_special(header) {
                trail.clear();
                at += 1 + (header >> 32) as usize;
                continue;
            }
            let Some(known) = blocks.get(header as u32 as usize).filter(|b| b.words > 0) else { break };
            match &known.sort {
                Sort::Straight(along) => {
                    if let Some(mut way) = trail.visit(header as u32) {
                        let pc_of = |id: BlockId| straight(blocks, id).map_or(along.pc, |along| along.pc);
                        if trail.is_blind && trail.blocks.len() == 1 {
                            // Where the loop was entered was not seen: most begin at their lowest address.
                            let first = (0..way.len()).min_by_key(|&k| pc_of(way[k])).unwrap_or(0);
                            way.rotate_left(first);
                        }
                        let pc = pc_of(way[0]);
                        let head = heads.entry(pc).or_default();
                        trail.latest = Some((pc, head.add(&way, trail.latest.filter(|l| l.0 == pc))));
                        touched.push(pc);
                    }
                }
                Sort::Way(folded, pc) => {
                    trail.clear();
                    let length = known.words + if folded.each > 0 { (header >> 35) as usize } else { 0 };
                    if let Some(record) = words.get(at..at + length) {
                        let head = heads.entry(*pc).or_default();
                        head.records += 1;
                        head.recorded = head.recorded.saturating_add(folded.extent(record).0);
                        touched.push(*pc);
                    }
                    at += length - known.words;
                }
                Sort::Other => trail.clear(),
            }
            at += known.words;
        }
        touched.sort_unstable();
        touched.dedup();
        touched.into_iter().filter_map(|pc| self.lesson(pc)).collect()
    }

    fn lesson(&mut self, pc: u64) -> Option<Lesson> {
        let head = self.heads.get_mut(&pc)?;
        if head.records >= RECORDS {
            let is_short = head.recorded < (IN_A_ROW - 1) * head.records;
            (head.records, head.recorded) = (0, 0);
            return is_short.then_some(Lesson::Unfold(pc));
        }
        if head.is_settled || head.iterations < ENOUGH {
            return None;
        }
        let best = head.ways.iter().max_by_key(|way| way.iterations)?;
        let is_taken = best.iterations * 4 >= head.iterations * 3 && best.iterations >= IN_A_ROW * best.runs;
        if !is_taken {
            if head.iterations >= MANY {
                *head = Head::default();
            }
            return None;
        }
        let way: Option<Vec<Along>> = best.blocks.iter().map(|&id| straight(&self.blocks, id)).collect();
        head.is_settled = true;
        way.map(Lesson::Fold)
    }
}

fn straight(blocks: &[Known], id: BlockId) -> Option<Along> {
    match blocks.get(id as usize)?.sort {
        Sort::Straight(along) => Some(along),
        _ => None,
    }
}

impl Head {
    /// Counts an iteration; `latest` is the number of the way of the one just before. Gives the number of its way.
    fn add(&mut self, blocks: &[BlockId], latest: Option<(u64, usize)>) -> usize {
        self.iterations += 1;
        let at = self.ways.iter().position(|way| way.blocks == blocks).unwrap_or_else(|| {
            self.ways.push(Way { blocks: blocks.to_vec(), iterations: 0, runs: 0 });
            self.ways.len() - 1
        });
        self.ways[at].iterations += 1;
        self.ways[at].runs += u64::from(latest.is_none_or(|l| l.1 != at));
        at
    }
}

impl Trail {
    fn clear(&mut self) {
        self.blocks.clear();
        self.latest = None;
        self.is_blind = false;
    }

    /// Goes on to a block. If that begins another iteration of a loop without loops, gives the blocks of the one before.
    fn visit(&mut self, id: BlockId) -> Option<Vec<BlockId>> {
        let Some(at) = self.blocks.iter().rposition(|b| b.0 == id) else {
            if self.blocks.len() >= LONGEST {
                self.blocks.remove(0);
            }
            self.blocks.push((id, false));
            return None;
        };
        let way: Vec<BlockId> = self.blocks[at..].iter().map(|b| b.0).collect();
        let is_innermost = self.blocks[at + 1..].iter().all(|b| !b.1);
        self.blocks.truncate(at + 1);
        self.blocks[at].1 = true;
        if !is_innermost {
            self.latest = None;
        }
        is_innermost.then_some(way)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learner() -> Learner {
        let mut learner = Learner::default();
        for k in 0..4 {
            learner
                .blocks
                .push(Known { words: 1, sort: Sort::Straight(Along { pc: 100 * k, instructions: 2 }) });
        }
        learner
    }

    fn way(blocks: &[u64]) -> Vec<Along> {
        blocks.iter().map(|b| Along { pc: 100 * b, instructions: 2 }).collect()
    }

    #[test]
    fn the_way_most_iterations_take_is_learnt_once() {
        let mut learner = learner();
        let words: Vec<u64> = [1u64, 2, 3].repeat(40);
        assert_eq!(learner.look(&words), [Lesson::Fold(way(&[1, 2, 3]))]);
        assert_eq!(learner.look(&words), []);
    }

    #[test]
    fn nothing_is_learnt_where_ways_change() {
        let mut learner = learner();
        let words: Vec<u64> = [1u64, 2, 1, 3].repeat(40);
        assert_eq!(learner.look(&words), []);
        // Short loops in another one: neither has a way.
        let words: Vec<u64> = [0u64, 1, 2, 1, 2, 3].repeat(40);
        assert_eq!(learner.look(&words), []);
    }

    #[test]
    fn the_inner_loop_is_learnt() {
        let mut learner = learner();
        let words: Vec<u64> = [vec![0u64], [1u64, 2].repeat(9), vec![1]].concat().repeat(5);
        assert_eq!(learner.look(&words), [Lesson::Fold(way(&[1, 2]))]);
    }
}
