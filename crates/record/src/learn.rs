//! Which ways loops take, learnt from their records.
//!
//! Definition: blocks that run one after the other, the first one again after the last, with nothing between them but jumps and
//! direct calls that return, and no block twice in one activation, are one iteration of a loop along a *way*. A way is worth being recorded as a whole if most
//! iterations of the loop that the records show go along it, several in a row. A loop may have further ways: what runs after
//! a way was left at once, up to its start again and back to where it was left, is a loop that begins there. If records of
//! whole ways turn out to stand for too few iterations, they are given up; more iterations must then be seen before another
//! try, and after some tries the way is given up for good.
//!
//! Limits: only the first records of a buffer are looked at; a loop in which another one iterates has no way; calls are
//! followed to depth [`DEEPEST`].

use rustc_hash::FxHashMap;
use trace::block::{Block, BlockId, Folded, Terminator};
use trace::stream;

/// Words of the first buffers after there is new code, so that they are looked at soon.
pub(crate) const SOON: usize = 2048;
/// Most words of a buffer that are looked at.
pub(crate) const LOOK: usize = 8192;
/// Most blocks of a way.
const LONGEST: usize = 48;
/// Iterations of a loop that must have been seen.
const ENOUGH: u64 = 24;
/// Seen without a way that most of them take, they are forgotten: another phase may have begun.
const MANY: u64 = 512;
/// How often the way of a loop may be given up before it is for good.
const TRIES: u32 = 3;
/// The more often that happened, the more iterations must have been seen: as many times more, each time.
const MORE: u64 = 4;
/// Records of a way that must have been seen before it is given up.
const RECORDS: u64 = 64;
/// Fewest iterations in a row, on average.
const IN_A_ROW: u64 = 3;
/// So many in a row make it a way even if no more than a third of the iterations take it.
const LONG_ROW: u64 = 8;

/// Most calls that are open at a time.
const DEEPEST: usize = 3;

/// A block that may be part of a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Along {
    /// Its address.
    pub(crate) pc: u64,
    /// Number of its instructions.
    pub(crate) instructions: usize,
    /// How it ends.
    pub(crate) end: End,
}

/// How a block that may be part of a way hands control on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// By a jump, or it goes on.
    Jump,
    /// By a direct call.
    Call {
        /// Function called.
        target: u64,
        /// Return address.
        next: u64,
    },
    /// By a return.
    Return,
}

impl End {
    fn of(terminator: Terminator) -> Option<End> {
        Some(match terminator {
            Terminator::Fallthrough(_) | Terminator::Jump(_) | Terminator::Branch { .. } => End::Jump,
            Terminator::Call { target, next } => End::Call { target, next },
            Terminator::Return => End::Return,
            _ => return None,
        })
    }
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
    /// It may be part of a way.
    Straight(Along),
    /// A loop along a way.
    Way(Box<Whole>),
    Other,
}

/// A loop that is recorded along a way.
#[derive(Debug)]
struct Whole {
    folded: Folded,
    /// Address of its first block.
    pc: u64,
    /// The blocks.
    parts: Vec<BlockId>,
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
    /// How often a way was given up.
    given_up: u32,
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

/// A block run lately.
#[derive(Clone, Copy)]
struct Step {
    id: BlockId,
    /// It began an iteration of a loop.
    is_head: bool,
    /// It ran within the code of a way.
    is_inside: bool,
    /// Number of calls that were open.
    depth: usize,
}

/// The blocks run lately.
#[derive(Default)]
struct Trail {
    blocks: Vec<Step>,
    /// Head and number of the way of the latest iteration, if nothing came after it.
    latest: Option<(u64, usize)>,
    /// What ran before the first block is not known.
    is_blind: bool,
    /// Return addresses of the open calls.
    calls: Vec<u64>,
    /// Where the latest call or return leads.
    expected: Option<u64>,
}

impl Learner {
    /// Forgets what was seen: code may have changed.
    pub(crate) fn clear(&mut self) {
        self.heads.clear();
        self.blocks.iter_mut().for_each(|b| b.sort = Sort::Other);
    }

    /// Blocks are known in the order of their numbers.
    pub(crate) fn add(&mut self, block: &Block) {
        let sort = match (&block.folded, End::of(block.terminator)) {
            (Some(folded), _) if !block.parts.is_empty() => {
                let parts = block.parts.iter().map(|part| part.block).collect();
                Sort::Way(Box::new(Whole { folded: folded.clone(), pc: block.pc, parts }))
            }
            (None, Some(end)) if block.arguments.is_none() && block.unrecorded == 0 => {
                Sort::Straight(Along { pc: block.pc, instructions: block.instrs.len(), end })
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
                    if let Some(way) = trail.visit(header as u32, along, false) {
                        touched.extend(add(blocks, heads, &mut trail, way));
                    }
                }
                Sort::Way(whole) => {
                    let length =
                        known.words + if whole.folded.each > 0 { (header >> 35) as usize } else { 0 };
                    if let Some(record) = words.get(at..at + length) {
                        let (iterations, rest) = whole.folded.extent(record);
                        let head = heads.entry(whole.pc).or_default();
                        head.records += 1;
                        head.recorded = head.recorded.saturating_add(iterations);
                        touched.push(whole.pc);
                        if iterations > 0 {
                            trail.clear();
                        }
                        for &part in whole.parts.iter().take(rest) {
                            let Some(along) = straight(blocks, part) else { break };
                            if let Some(way) = trail.visit(part, &along, true) {
                                touched.extend(add(blocks, heads, &mut trail, way));
                            }
                        }
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
            if is_short {
                let given_up = head.given_up + 1;
                *head = Head { given_up, is_settled: given_up > TRIES, ..Head::default() };
            }
            return is_short.then_some(Lesson::Unfold(pc));
        }
        let more = MORE.saturating_pow(head.given_up);
        if head.is_settled || head.iterations < ENOUGH.saturating_mul(more) {
            return None;
        }
        let best = head.ways.iter().max_by_key(|way| way.iterations)?;
        let is_most = best.iterations * 4 >= head.iterations * 3 && best.iterations >= IN_A_ROW * best.runs;
        let is_long = best.iterations * 3 >= head.iterations && best.iterations >= LONG_ROW * best.runs;
        if !is_most && !is_long {
            if head.iterations >= MANY.saturating_mul(more) {
                *head = Head { given_up: head.given_up, ..Head::default() };
            }
            return None;
        }
        let way: Option<Vec<Along>> = best.blocks.iter().map(|&id| straight(&self.blocks, id)).collect();
        head.is_settled = true;
        way.map(Lesson::Fold)
    }
}

/// Counts an iteration in its loop, the address of which is given.
fn add(
    blocks: &[Known],
    heads: &mut FxHashMap<u64, Head>,
    trail: &mut Trail,
    mut way: Vec<Step>,
) -> Option<u64> {
    let pc_of = |id: BlockId| straight(blocks, id).map(|along| along.pc);
    // An iteration begins outside of the functions that it calls.
    let depth = way.first()?.depth;
    if trail.is_blind && trail.blocks.len() == 1 {
        // Where the loop was entered was not seen: most begin at their lowest address.
        let own = (0..way.len()).filter(|&k| way[k].depth == depth);
        let first = own.min_by_key(|&k| pc_of(way[k].id)).unwrap_or(0);
        way.rotate_left(first);
    }
    // Where the code of a way was left, the loop around can begin.
    let first = way.iter().position(|step| !step.is_inside && step.depth == depth)?;
    way.rotate_left(first);
    let ids: Vec<BlockId> = way.iter().map(|step| step.id).collect();
    let pc = pc_of(*ids.first()?)?;
    let head = heads.entry(pc).or_default();
    trail.latest = Some((pc, head.add(&ids, trail.latest.filter(|l| l.0 == pc))));
    Some(pc)
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
        self.calls.clear();
        self.expected = None;
    }

    /// Goes on to a block. If that begins another iteration of a loop without loops, gives the blocks of the one before.
    fn visit(&mut self, id: BlockId, along: &Along, is_inside: bool) -> Option<Vec<Step>> {
        if self.expected.take().is_some_and(|pc| pc != along.pc) {
            self.clear();
        }
        let way = self.arrive(id, is_inside);
        match along.end {
            End::Jump => {}
            End::Call { target, next } if self.calls.len() < DEEPEST => {
                self.calls.push(next);
                self.expected = Some(target);
            }
            End::Return if !self.calls.is_empty() => self.expected = self.calls.pop(),
            End::Call { .. } | End::Return => self.clear(),
        }
        way
    }

    fn arrive(&mut self, id: BlockId, is_inside: bool) -> Option<Vec<Step>> {
        let depth = self.calls.len();
        // A function that is called again begins anew.
        let own = self.blocks.iter().rev().take_while(|b| b.depth >= depth);
        let back = own.enumerate().find(|(_, b)| b.id == id && b.depth == depth).map(|(back, _)| back + 1);
        let Some(at) = back.and_then(|back| self.blocks.len().checked_sub(back)) else {
            if self.blocks.len() >= LONGEST {
                self.blocks.remove(0);
            }
            self.blocks.push(Step { id, is_head: false, is_inside, depth });
            return None;
        };
        let way: Vec<Step> = self.blocks[at..].to_vec();
        let is_innermost = self.blocks[at + 1..].iter().all(|b| !b.is_head);
        self.blocks.truncate(at + 1);
        self.blocks[at].is_head = true;
        if !is_innermost {
            self.latest = None;
        }
        is_innermost.then_some(way)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn along(block: u64, end: End) -> Along {
        Along { pc: 100 * block, instructions: 2, end }
    }

    fn learner_of(ends: &[End]) -> Learner {
        let sort = |(k, &end)| Sort::Straight(along(k, end));
        let blocks = (0..).zip(ends).map(|known| Known { words: 1, sort: sort(known) }).collect();
        Learner { blocks, ..Learner::default() }
    }

    fn learner() -> Learner {
        learner_of(&[End::Jump; 4])
    }

    fn way(blocks: &[u64]) -> Vec<Along> {
        blocks.iter().map(|&b| along(b, End::Jump)).collect()
    }

    /// Blocks 0 and 1 call the function at block 3, which returns behind them, to blocks 1 and 2; block 4 is another one of it.
    fn caller() -> ([End; 5], Learner) {
        let call = |block: u64| End::Call { target: 300, next: 100 * block };
        let ends = [call(1), call(2), End::Jump, End::Return, End::Return];
        (ends, learner_of(&ends))
    }

    #[test]
    fn a_function_called_twice_in_an_iteration_is_no_loop() {
        let (ends, mut learner) = caller();
        let expected = [0, 3, 1, 3, 2].map(|k| along(k, ends[k as usize])).to_vec();
        assert_eq!(learner.look(&[0u64, 3, 1, 3, 2].repeat(30)), [Lesson::Fold(expected)]);
        // The records may begin inside of the function: iterations begin outside.
        let (_, mut learner) = caller();
        let words = [vec![3u64, 2], [0u64, 3, 1, 3, 2].repeat(30)].concat();
        assert!(
            matches!(&learner.look(&words)[..], [Lesson::Fold(way)] if way[0].pc == 200 || way[0].pc == 0)
        );
    }

    #[test]
    fn returns_to_elsewhere_and_recursion_are_no_way() {
        // The function returns behind the other call.
        assert_eq!(caller().1.look(&[0u64, 3, 2].repeat(60)), []);
        // It is at another address than was called.
        assert_eq!(caller().1.look(&[0u64, 4, 1, 3, 2].repeat(60)), []);
        // Nobody called.
        assert_eq!(caller().1.look(&[2u64, 3].repeat(60)), []);
        let calls = End::Call { target: 0, next: 100 };
        assert_eq!(learner_of(&[calls]).look(&[0u64].repeat(200)), []);
    }

    #[test]
    fn a_loop_within_a_function_is_learnt_and_the_loop_around_the_call_is_not() {
        let ends = [End::Call { target: 100, next: 300 }, End::Jump, End::Return, End::Jump];
        let mut learner = learner_of(&ends);
        let words = [vec![0u64], [1u64].repeat(9), vec![2, 3]].concat().repeat(20);
        assert_eq!(learner.look(&words), [Lesson::Fold(way(&[1]))]);
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

    /// The record of a loop along blocks 0, 1, 2 that is left in the middle: after block 0 or after block 1.
    fn whole(learner: &mut Learner) -> BlockId {
        let folded = Folded::new(1, 2, 1, vec![0; 4], Vec::new());
        let leaves = trace::block::Leaves { number: 3, parts: vec![1, 2] };
        let whole = Whole { folded: folded.leaving(leaves), pc: 0, parts: vec![0, 1, 2] };
        learner.blocks.push(Known { words: 4, sort: Sort::Way(Box::new(whole)) });
        learner.blocks.len() as BlockId - 1
    }

    #[test]
    fn another_way_begins_where_the_first_one_is_left() {
        let mut learner = learner();
        let id = u64::from(whole(&mut learner));
        let words: Vec<u64> = [id, 5, 5, 2, 3].repeat(40);
        assert_eq!(learner.look(&words), [Lesson::Fold(way(&[3, 0, 1]))]);
        // It does not if the first way is taken in between.
        let words: Vec<u64> = [id, 5, 6, 1, 3].repeat(40);
        assert_eq!(Learner { blocks: learner.blocks, ..Learner::default() }.look(&words), []);
    }

    #[test]
    fn a_way_that_is_given_up_can_be_learnt_again_from_more_iterations() {
        let mut learner = learner();
        let id = u64::from(whole(&mut learner));
        let short: Vec<u64> = [id, 5, 5, 1].repeat(RECORDS as usize);
        let one: Vec<u64> = [0u64, 1, 2].repeat(ENOUGH as usize + 2);
        assert_eq!(learner.look(&one), [Lesson::Fold(way(&[0, 1, 2]))]);
        let mut needed = Vec::new();
        for _ in 0..TRIES {
            assert_eq!(learner.look(&short), [Lesson::Unfold(0)]);
            needed.push((1..2000).find(|_| !learner.look(&one).is_empty()).unwrap_or_default());
        }
        assert_eq!(learner.look(&short), [Lesson::Unfold(0)]);
        assert!((1..2000).all(|_| learner.look(&one).is_empty()));
        assert!(needed.is_sorted() && needed[1] >= 3 * needed[0], "{needed:?}");
    }

    #[test]
    fn a_way_a_part_of_the_iterations_take_is_learnt_if_they_are_in_long_rows() {
        let mut learner = learner();
        let words: Vec<u64> = [[1u64, 2].repeat(20), [1u64, 3].repeat(20)].concat().repeat(2);
        assert_eq!(learner.look(&words).len(), 1);
    }

    #[test]
    fn the_inner_loop_is_learnt() {
        let mut learner = learner();
        let words: Vec<u64> = [vec![0u64], [1u64, 2].repeat(9), vec![1]].concat().repeat(5);
        assert_eq!(learner.look(&words), [Lesson::Fold(way(&[1, 2]))]);
    }
}
