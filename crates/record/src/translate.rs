//! Translation of one block: its table and its code.
//!
//! Definition: the code of a block is the program's own instructions with stores of the record's words in between.
//! Two registers the block does not mention hold the record pointer (P) and serve as scratch (S); the program's values
//! of both wait in the state page. Code enters at *full* (all registers the program's) or, from a block with the same
//! pair, at *fast*.
//!
//! Invariants: instrumentation touches neither flags nor vector registers nor the stack; instructions are copied byte
//! by byte unless they mention the instruction pointer; record words are stored in ascending order, so a fault at the
//! end of a buffer leaves a complete prefix.

use std::ops::Range;
use std::sync::Arc;

use iced_x86::{Encoder, Mnemonic};
use rustc_hash::FxHashSet;
use trace::block::{Block, BlockId, Folded, Instr, Terminator};
use trace::survey::Way;

use crate::Encoding;
use crate::allocators::Results;
use crate::asm::{Code, RSP};
use crate::comparison::Comparison;
use crate::decode::{Decode, Decoded};
use crate::emit::Emit;
use crate::error::Error;
use crate::fold::{self, PREFERENCE, Plan};
use crate::function;
use crate::saves;
use crate::stale::Stale;

/// Most instructions of a block.
pub(crate) const LIMIT: usize = 400;
/// Most instructions of a block that is not folded.
const LIMIT_PLAIN: usize = 128;
/// Most words of a record that is not folded.
pub(crate) const LIMIT_WORDS: u16 = 200;

/// P and S.
pub(crate) type Pair = (u8, u8);

/// What leads to an indirect target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Edge {
    /// A call.
    Call,
    /// A jump.
    Jump,
    /// A return.
    Return,
}

impl Edge {
    /// Number of the table of targets for this kind of edge.
    pub(crate) fn table(self, on: bool) -> usize {
        self as usize + if on { 3 } else { 0 }
    }
}

/// How a block leaves to a known address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exit {
    /// Address of the displacement to rewrite.
    pub(crate) branch_at: u64,
    /// The program's address.
    pub(crate) target: u64,
    /// The pair that is live there, if not all registers are the program's.
    pub(crate) pair: Option<Pair>,
    /// The target is called.
    pub(crate) call: bool,
    /// The target is reached by an unconditional jump, possibly a tail call.
    pub(crate) jump: bool,
}

/// A trap in a block's code.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Trap {
    /// Before a system call; the instruction follows the trap.
    Syscall {
        /// Address after the system call.
        next: u64,
    },
    /// In place of an instruction by which a thread says that it waits for another one.
    Pause {
        /// Address after it.
        next: u64,
    },
    /// Behind what stands for the entry of a function of a runtime.
    Leaves {
        /// Address of the function.
        pc: u64,
    },
    /// In place of an instruction that has to run at its own address.
    Native {
        /// Its address.
        pc: u64,
    },
}

/// State at one instruction, to recover the program's registers after a fault.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    /// Offset in the code.
    pub(crate) offset: u32,
    /// The instruction's address.
    pub(crate) pc: u64,
    /// Words of the record stored before it.
    pub(crate) words: u16,
    /// Advance of the induction register before it, in a folded body.
    pub(crate) progress: i64,
    /// Index of the instruction: so many have completed.
    pub(crate) index: u16,
    /// Registers borrowed just for it.
    pub(crate) borrowed: [Option<u8>; 2],
}

/// The loop of a folded block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LoopHead {
    /// Address of the head in the cache.
    pub(crate) at: u64,
    /// Address of the first instruction after the body.
    pub(crate) end: u64,
    /// Register with the induction value.
    pub(crate) register: u8,
    /// Its advance per iteration.
    pub(crate) step: i64,
    /// Word with its value at entry.
    pub(crate) entry: u16,
    /// Word for its value at exit; if there is one after it, that is for the number of the way out.
    pub(crate) exit: u16,
    /// Words of the record.
    pub(crate) words: u16,
    /// P is not the program's in the body.
    pub(crate) holds_p: bool,
    /// S is not the program's in the body.
    pub(crate) holds_s: bool,
    /// Words are recorded in every iteration: where they go is in P, or in a slot.
    pub(crate) runs: Option<Running>,
}

/// Where the record's end is while a loop runs that records words in every iteration: as of the start of the iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Running {
    /// In P.
    Register,
    /// In [`SLOT_RUNNING`](crate::shared::SLOT_RUNNING).
    Slot,
}

/// What a counter of a survey counts: a transfer, or nothing but that the block was left.
pub(crate) type Counted = (u32, Option<(u64, Way)>);

/// The counters of a block, in a survey.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counters {
    /// Addresses of the instructions.
    pub(crate) instrs: Vec<u64>,
    /// Control can go on after it without a transfer.
    pub(crate) continues: bool,
    /// Exactly one of these advances each time the block is left.
    pub(crate) exits: Vec<Counted>,
    /// The block is a loop over itself.
    pub(crate) own: Option<OwnLoop>,
}

/// A block that jumps to its own start, counted in a register. The count of its exit is that of its entries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnLoop {
    /// Address of the head in the cache.
    pub(crate) at: u64,
    /// Address in the cache after the jump to the head.
    pub(crate) end: u64,
    /// Counter of the iterations; the smallest and largest number per entry lie behind it.
    pub(crate) counter: u32,
}

/// A translated block, ready to be placed.
pub(crate) struct Translation {
    pub(crate) code: Code,
    pub(crate) fast: u64,
    pub(crate) pair: Pair,
    pub(crate) block: Option<Block>,
    /// Tables of the blocks that are its parts, numbered before it.
    pub(crate) parts: Vec<Block>,
    pub(crate) words: u16,
    pub(crate) points: Vec<Point>,
    pub(crate) fold: Option<LoopHead>,
    /// How the words of its record advance, if it stands for many iterations.
    pub(crate) folded: Option<Arc<Folded>>,
    /// Addresses in the cache where a loop's record has begun, its start in [`SLOT_POINTER`](crate::shared::SLOT_POINTER), and is
    /// not complete.
    pub(crate) unfinished: Vec<Range<u64>>,
    pub(crate) counters: Option<Counters>,
    pub(crate) exits: Vec<Exit>,
    pub(crate) trap: Option<(u64, Trap)>,
    /// Address in the cache after a system call.
    pub(crate) resumed: Option<(u64, u64)>,
    pub(crate) comparison: Option<Comparison>,
    /// Return address, for calls.
    pub(crate) returns: Option<u64>,
    pub(crate) end: u64,
}

impl Translation {
    /// Of a block that has no code yet, and no ways out.
    pub(crate) fn plain(pair: Pair, block: Block, words: u16, end: u64) -> Translation {
        Translation {
            code: Code::new(0),
            fast: 0,
            pair,
            block: Some(block),
            parts: Vec::new(),
            words,
            points: Vec::new(),
            fold: None,
            folded: None,
            unfinished: Vec::new(),
            counters: None,
            exits: Vec::new(),
            trap: None,
            resumed: None,
            comparison: None,
            returns: None,
            end,
        }
    }
}

/// What to translate and how.
pub(crate) struct Request<'a> {
    /// Address of the block.
    pub(crate) pc: u64,
    /// Where its code will be placed.
    pub(crate) base: u64,
    /// Bytes at `pc`, as many as are mapped.
    pub(crate) bytes: &'a [u8],
    /// Pair of the block that leads here.
    pub(crate) hint: Option<Pair>,
    /// The program can change that by a mere store.
    pub(crate) changeable: bool,
    /// Number the block will have, if it is recorded.
    pub(crate) record: Option<BlockId>,
    /// Which addresses get words.
    pub(crate) encoding: Encoding,
    /// Known branch targets.
    pub(crate) leaders: &'a FxHashSet<u64>,
    /// Record the first three arguments.
    pub(crate) arguments: bool,
    /// Where to record what functions return.
    pub(crate) results: &'a Results,
    /// First free counter, and number of the block among those counted, in a survey.
    pub(crate) count: Option<(u32, u32)>,
}

/// Translates blocks.
pub(crate) struct Translator {
    decode: Decode,
    encoder: Encoder,
    stale: Stale,
}

impl Translator {
    /// A translator.
    pub(crate) fn new() -> Self {
        Translator { decode: Decode::new(), encoder: Encoder::new(64), stale: Stale::new() }
    }

    /// The instruction at `pc` with which `bytes` begin.
    pub(crate) fn decoded(&mut self, bytes: &[u8], pc: u64) -> Instr {
        self.decode.decode(bytes, pc).instr
    }

    /// Translates one block.
    pub(crate) fn translate(&mut self, request: &Request) -> Result<Translation, Error> {
        let may_fold = request.encoding == Encoding::Folded && request.record.is_some() && !request.arguments;
        let (mut body, heads) = self.collect(request, may_fold);
        if may_fold
            && let Some(plan) = fold::plan(&body, request.hint, false)
            && let Some(out) = self.looped(request, &body, &heads, &plan)?
        {
            return Ok(out);
        }
        if let Some(&first) = heads.get(1) {
            body.truncate(first);
        }
        let pair = shorten(&mut body, request);
        let mut emit = Emit::new(request, &mut self.encoder, pair);
        let (fast, compared) = emit.enter(request.record, &body);
        let mut out = emit.plain(&body)?;
        out.fast = fast;
        if let Some(compared) = compared {
            compared.finish(&mut out);
        }
        let end = out.end;
        body.retain(|d| d.raw.ip() < end || d.raw.ip() == request.pc);
        if let Some(counters) = &mut out.counters {
            counters.instrs = body.iter().map(|d| d.raw.ip()).collect();
        }
        if let Some(id) = request.record {
            out.block = Some(table(id, out.block.take().unwrap_or_else(empty), out.words, &body));
        }
        Ok(out)
    }

    /// Translates the loop along `way`: blocks that run one after the other, the first one again after the last. `None` if it
    /// cannot be folded.
    pub(crate) fn translate_way(
        &mut self,
        request: &Request,
        way: &[Stretch],
    ) -> Result<Option<Translation>, Error> {
        let mut body: Vec<Decoded> = Vec::new();
        let mut starts = Vec::with_capacity(way.len());
        for stretch in way {
            starts.push(body.len());
            let mut pc = stretch.pc;
            for _ in 0..stretch.instructions {
                let bytes = stretch.bytes.get((pc - stretch.pc) as usize..).unwrap_or_default();
                let d = self.decode.decode(bytes, pc);
                pc = d.raw.next_ip();
                body.push(d);
            }
            if let (Some(own), false) = (starts.last().and_then(|&at| body.get_mut(at..)), request.changeable)
            {
                self.stale.mark(own, &stretch.bytes, stretch.pc);
            }
        }
        match fold::plan(&body, request.hint, true).filter(|_| body.len() <= LIMIT) {
            Some(plan) => self.looped(request, &body, &starts, &plan),
            None => Ok(None),
        }
    }

    /// Translates a loop through blocks that begin at `starts`. `None` if one of them has too many addresses.
    fn looped(
        &mut self,
        request: &Request,
        body: &[Decoded],
        starts: &[usize],
        plan: &Plan,
    ) -> Result<Option<Translation>, Error> {
        let mut parts: Vec<Block> = Vec::new();
        if starts.len() > 1 || plan.each() > 0 {
            let ends = starts.iter().skip(1).copied().chain([body.len()]);
            for (&start, end) in starts.iter().zip(ends) {
                let record = request.record.map(|id| id + parts.len() as BlockId);
                let part = body.get(start..end).unwrap_or_default();
                let Some(part) = self.part(&Request { record, ..*request }, part)? else { return Ok(None) };
                parts.push(part);
            }
        }
        let id = request.record.map(|id| id + parts.len() as BlockId);
        let mut emit = Emit::new(request, &mut self.encoder, (plan.p, plan.s));
        let (fast, compared) = emit.enter(id, body);
        let mut out = emit.folded(body, starts, &parts, plan)?;
        out.fast = fast;
        if let Some(compared) = compared {
            compared.finish(&mut out);
        }
        let of_its_own = if parts.is_empty() { body } else { &[] };
        let block =
            table(id.unwrap_or_default(), out.block.take().unwrap_or_else(empty), out.words, of_its_own);
        let end = body.last().map_or(Terminator::Trap, last_terminator);
        out.block = Some(Block { pc: request.pc, end: out.end, terminator: end, ..block });
        Ok(Some(out))
    }

    /// The table of a part of a loop: that of the block if it were translated alone. `None` if it would be cut.
    fn part(&mut self, request: &Request, body: &[Decoded]) -> Result<Option<Block>, Error> {
        let (Some(id), Some(last)) = (request.record, body.last()) else { return Ok(None) };
        let mut emit = Emit::new(request, &mut self.encoder, (PREFERENCE[0], PREFERENCE[1]));
        emit.enter(request.record, body);
        let out = emit.plain(body)?;
        let is_whole = out.end == last.raw.next_ip();
        Ok(is_whole.then(|| table(id, out.block.unwrap_or_else(empty), out.words, body)))
    }

    /// Decodes up to the end of the basic block. With `may_fold` also past branch targets, if the block then is a loop over
    /// itself; gives the indices of the first instruction and of these targets.
    fn collect(&mut self, request: &Request, may_fold: bool) -> (Vec<Decoded>, Vec<usize>) {
        let mut body: Vec<Decoded> = Vec::new();
        let mut heads: Vec<usize> = vec![0];
        let mut pc = request.pc;
        while body.len() < LIMIT {
            if pc != request.pc && request.leaders.contains(&pc) {
                if !may_fold {
                    break;
                }
                heads.push(body.len());
            }
            let bytes = request.bytes.get((pc - request.pc) as usize..).unwrap_or_default();
            let d = self.decode.decode(bytes, pc);
            if d.raw.is_invalid() && !body.is_empty() {
                break;
            }
            pc = d.raw.next_ip();
            let end = function::terminator(&d.raw);
            let waits = is_pause(&d);
            body.push(d);
            if waits {
                break;
            }
            if let Some(end) = end {
                if let Terminator::Branch { taken, .. } = end
                    && taken > request.pc
                    && let Some(at) = body.iter().position(|d| d.raw.ip() == taken)
                {
                    body.truncate(at);
                }
                break;
            }
        }
        heads.retain(|&head| head < body.len());
        let is_loop = body.last().is_some_and(|d| {
            matches!(function::terminator(&d.raw), Some(Terminator::Branch { taken, .. }) if taken == request.pc)
        });
        if let Some(&first) = heads.get(1).filter(|_| !is_loop) {
            body.truncate(first);
            heads.truncate(1);
        }
        if !request.changeable {
            self.stale.mark(&mut body, request.bytes, request.pc);
        }
        (body, heads)
    }
}

/// A block along a way.
pub(crate) struct Stretch {
    /// Its address.
    pub(crate) pc: u64,
    /// Number of its instructions.
    pub(crate) instructions: usize,
    /// Bytes at its address, as many as they need.
    pub(crate) bytes: Vec<u8>,
}

/// Cuts a block where fewer than two registers would remain free, and chooses the pair.
fn shorten(body: &mut Vec<Decoded>, request: &Request) -> Pair {
    let mut touched = 1u16 << RSP;
    if request.arguments && request.record.is_some() {
        touched |= 1 << 7 | 1 << 6 | 1 << 2;
    }
    let mut high = false;
    let usable = |touched: u16, high: bool, r: u8| touched >> r & 1 == 0 && (!high || r < 8);
    let mut keep = body.len().min(LIMIT_PLAIN);
    for (k, d) in body.iter().enumerate().take(keep) {
        let more = touched | d.touched;
        let strict = high || (d.high_byte && d.raw.is_ip_rel_memory_operand());
        if k > 0 && PREFERENCE.iter().filter(|&&r| usable(more, strict, r)).count() < 2 {
            keep = k;
            break;
        }
        (touched, high) = (more, strict);
    }
    body.truncate(keep);
    match request.hint {
        Some((p, s)) if usable(touched, high, p) && usable(touched, high, s) => (p, s),
        // One instruction mentions at most four registers beside the stack pointer.
        _ => free_pair(|r| usable(touched, high, r)),
    }
}

/// The pair of a block that leaves so many registers free.
pub(crate) fn free_pair(is_free: impl Fn(u8) -> bool) -> Pair {
    let mut free = PREFERENCE.into_iter().filter(|&register| is_free(register));
    (free.next().unwrap_or(15), free.next().unwrap_or(14))
}

/// A table to be filled in.
pub(crate) fn empty() -> Block {
    Block {
        id: 0,
        pc: 0,
        end: 0,
        words: 0,
        instrs: Vec::new(),
        operands: Vec::new(),
        terminator: Terminator::Trap,
        parts: Vec::new(),
        folded: None,
        arguments: None,
        result: None,
        frame: None,
        unrecorded: 0,
    }
}

/// The table of a block with these instructions.
fn table(id: BlockId, mut of: Block, words: u16, body: &[Decoded]) -> Block {
    saves::mark(&mut of.operands, body);
    Block {
        id,
        pc: body.first().map_or(0, |d| d.raw.ip()),
        end: body.last().map_or(0, |d| d.raw.next_ip()),
        words,
        terminator: body.last().map_or(Terminator::Trap, last_terminator),
        instrs: body.iter().map(|d| d.instr.clone()).collect(),
        ..of
    }
}

/// Whether an instruction says that the thread waits for another one.
pub(crate) fn is_pause(d: &Decoded) -> bool {
    d.raw.mnemonic() == Mnemonic::Pause
}

fn last_terminator(d: &Decoded) -> Terminator {
    function::terminator(&d.raw).unwrap_or(Terminator::Fallthrough(d.raw.next_ip()))
}
