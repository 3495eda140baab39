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

use iced_x86::{Code as IcedCode, Encoder, Instruction, MemoryOperand, Mnemonic, OpKind as Kind, Register};
use rustc_hash::{FxHashMap, FxHashSet};
use trace::block::{Address, Block, BlockId, Folded, Operand, Terminator};

use crate::Encoding;
use crate::asm::{Code, RSP};
use crate::decode::{Decode, Decoded, Form, Mask, Memory, number};
use crate::error::Error;
use crate::fold::{self, Induction, PREFERENCE, Plan};
use crate::function;
use crate::shared::{self, SLOT_P, SLOT_POINTER, SLOT_RAX, SLOT_RCX, SLOT_S, SLOT_T};
use crate::symbols::{Key, Symbols};

/// Most instructions of a block.
pub(crate) const LIMIT: usize = 400;
/// Most instructions of a block that is not folded.
const LIMIT_PLAIN: usize = 128;
/// Most words of a record that is not folded.
const LIMIT_WORDS: u16 = 200;

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
    /// Register borrowed just for it.
    pub(crate) borrowed: Option<u8>,
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
    /// Word for its value at exit.
    pub(crate) exit: u16,
    /// P is not the program's in the body.
    pub(crate) holds_p: bool,
    /// S is not the program's in the body.
    pub(crate) holds_s: bool,
}

/// A translated block, ready to be placed.
pub(crate) struct Translation {
    pub(crate) code: Code,
    pub(crate) fast: u64,
    pub(crate) pair: Pair,
    pub(crate) block: Option<Block>,
    pub(crate) words: u16,
    pub(crate) points: Vec<Point>,
    pub(crate) fold: Option<LoopHead>,
    pub(crate) exits: Vec<Exit>,
    pub(crate) trap: Option<(u64, Trap)>,
    /// Address in the cache after a system call.
    pub(crate) resumed: Option<(u64, u64)>,
    /// Return address, for calls.
    pub(crate) returns: Option<u64>,
    pub(crate) end: u64,
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
    /// Number the block will have, if it is recorded.
    pub(crate) record: Option<BlockId>,
    /// Which addresses get words.
    pub(crate) encoding: Encoding,
    /// Known branch targets.
    pub(crate) leaders: &'a FxHashSet<u64>,
    /// Record the first three arguments.
    pub(crate) arguments: bool,
}

/// Translates blocks.
pub(crate) struct Translator {
    decode: Decode,
    encoder: Encoder,
}

struct Emit<'a> {
    request: &'a Request<'a>,
    encoder: &'a mut Encoder,
    code: Code,
    p: u8,
    s: u8,
    words: u16,
    operands: Vec<Operand>,
    points: Vec<Point>,
}

impl Translator {
    /// A translator.
    pub(crate) fn new() -> Self {
        Translator { decode: Decode::new(), encoder: Encoder::new(64) }
    }

    /// Translates one block.
    pub(crate) fn translate(&mut self, request: &Request) -> Result<Translation, Error> {
        let mut body = self.collect(request);
        let plan = match request.encoding {
            Encoding::Folded if request.record.is_some() && !request.arguments => {
                fold::plan(request.pc, &body, request.hint)
            }
            _ => None,
        };
        let pair = match &plan {
            Some(plan) => (plan.p, plan.s),
            None => shorten(&mut body, request),
        };
        let mut emit = Emit {
            request,
            encoder: &mut self.encoder,
            code: Code::new(request.base),
            p: pair.0,
            s: pair.1,
            words: 0,
            operands: Vec::new(),
            points: Vec::with_capacity(body.len()),
        };
        emit.code.save(SLOT_P, pair.0);
        emit.code.save(SLOT_S, pair.1);
        emit.code.restore(pair.0, SLOT_POINTER);
        let fast = emit.code.here();
        if let Some(id) = request.record {
            emit.code.store_constant(pair.0, 0, id as i32);
            emit.words = 1;
        }
        let mut out = match &plan {
            Some(plan) => emit.folded(&body, plan)?,
            None => emit.plain(&body)?,
        };
        out.fast = fast;
        let end = out.end;
        body.retain(|d| d.raw.ip() < end || d.raw.ip() == request.pc);
        if let Some(id) = request.record {
            out.block = Some(Block {
                id,
                pc: request.pc,
                end: out.end,
                words: out.words,
                terminator: terminator(&body),
                instrs: body.into_iter().map(|d| d.instr).collect(),
                ..out.block.take().unwrap_or_else(empty)
            });
        }
        Ok(out)
    }

    /// Decodes up to the end of the basic block.
    fn collect(&mut self, request: &Request) -> Vec<Decoded> {
        let mut body: Vec<Decoded> = Vec::new();
        let mut pc = request.pc;
        while body.len() < LIMIT {
            if pc != request.pc && request.leaders.contains(&pc) {
                break;
            }
            let bytes = request.bytes.get((pc - request.pc) as usize..).unwrap_or_default();
            let d = self.decode.decode(bytes, pc);
            if d.raw.is_invalid() && !body.is_empty() {
                break;
            }
            pc = d.raw.next_ip();
            let end = function::terminator(&d.raw);
            body.push(d);
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
        body
    }
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
        _ => {
            let mut free = PREFERENCE.into_iter().filter(|&r| usable(touched, high, r));
            // One instruction mentions at most four registers beside the stack pointer.
            (free.next().unwrap_or(15), free.next().unwrap_or(14))
        }
    }
}

fn empty() -> Block {
    Block {
        id: 0,
        pc: 0,
        end: 0,
        words: 0,
        instrs: Vec::new(),
        operands: Vec::new(),
        terminator: Terminator::Trap,
        folded: None,
        arguments: None,
        result: None,
    }
}

fn terminator(body: &[Decoded]) -> Terminator {
    match body.last() {
        None => Terminator::Trap,
        Some(d) => function::terminator(&d.raw).unwrap_or(Terminator::Fallthrough(d.raw.next_ip())),
    }
}

fn condition(i: &Instruction) -> u8 {
    // iced numbers conditions in encoding order, from 1.
    (i.condition_code() as u8).wrapping_sub(1) & 15
}

impl Emit<'_> {
    fn encode(&mut self, i: &Instruction) -> Result<(), Error> {
        let fail = |what: String| Error::Translate { pc: self.request.pc, what };
        self.encoder.encode(i, self.code.here()).map_err(|e| fail(e.to_string()))?;
        let bytes = self.encoder.take_buffer();
        self.code.raw(&bytes);
        Ok(())
    }

    fn store_word(&mut self, register: u8) -> u16 {
        let word = self.words;
        self.code.store(self.p, i32::from(word) * 8, register);
        self.words += 1;
        word
    }

    /// Emits the instruction itself; `scratch` is a register it does not mention, or `None` to borrow one.
    fn instruction(&mut self, d: &Decoded, scratch: Option<u8>, progress: i64) -> Result<(), Error> {
        let point = Point {
            offset: self.code.bytes.len() as u32,
            pc: d.raw.ip(),
            words: self.words,
            progress,
            borrowed: None,
        };
        if !d.raw.is_ip_rel_memory_operand() {
            self.points.push(point);
            let at = (d.raw.ip() - self.request.pc) as usize;
            let bytes = self.request.bytes.get(at..at + d.raw.len()).unwrap_or_default();
            self.code.raw(bytes);
            return Ok(());
        }
        let target = d.raw.ip_rel_memory_address();
        if d.raw.mnemonic() == Mnemonic::Lea {
            self.points.push(point);
            let to = d.raw.op0_register();
            let value = if to.is_gpr64() { target } else { target & 0xffff_ffff };
            self.code.constant(number(to), value);
            return Ok(());
        }
        let usable = |r: &u8| d.touched >> r & 1 == 0 && *r != RSP && (!d.high_byte || *r < 8);
        let (register, borrowed) = match scratch.filter(usable) {
            Some(s) => (s, None),
            None => {
                let r = PREFERENCE.into_iter().chain([0, 1]).find(usable).unwrap_or(15);
                (r, Some(r))
            }
        };
        if let Some(r) = borrowed {
            self.code.save(SLOT_T, r);
        }
        self.code.constant(register, target);
        self.points.push(Point { offset: self.code.bytes.len() as u32, borrowed, ..point });
        let mut i = d.raw;
        i.set_memory_base(gpr(register));
        i.set_memory_displacement64(0);
        i.set_memory_displ_size(0);
        self.encode(&i)?;
        if let Some(r) = borrowed {
            self.code.restore(r, SLOT_T);
        }
        Ok(())
    }

    fn folded(mut self, body: &[Decoded], plan: &Plan) -> Result<Translation, Error> {
        let (p, s) = (plan.p, plan.s);
        let mut words = Vec::with_capacity(plan.keys.len());
        let mut strides = vec![0i64];
        for (key, &stride) in plan.keys.iter().zip(&plan.strides) {
            let word = match *key {
                Key { base: Some(r), index: None, .. } => self.store_word(r as u8),
                Key { base, index, scale } => {
                    self.code.lea_full(s, base.map(|r| r as u8), index.map(|r| (r as u8, scale)), 0, false);
                    self.store_word(s)
                }
            };
            words.push(word);
            strides.push(stride);
        }
        let (register, step) = match plan.induction {
            Induction::Register(r, step) => (r, step),
            Induction::Counter => (s, 1),
        };
        let simple =
            |r: u8| plan.keys.iter().position(|k| *k == Key { base: Some(r.into()), index: None, scale: 1 });
        let entry = match plan.induction {
            Induction::Register(r, _) if let Some(k) = simple(r) => words[k],
            Induction::Register(r, _) => {
                strides.push(step);
                self.store_word(r)
            }
            Induction::Counter => {
                strides.push(step);
                let word = self.words;
                self.code.store_constant(p, i32::from(word) * 8, 0);
                self.words += 1;
                word
            }
        };
        let exit = self.words;
        strides.push(0);
        self.code.save(SLOT_POINTER, p);
        if !plan.holds_p {
            self.code.restore(p, SLOT_P);
        }
        if plan.holds_s {
            self.code.constant(s, 0);
        } else {
            self.code.restore(s, SLOT_S);
        }
        self.code.align(16);
        let head = self.code.here();
        let scratch = plan.holds_p.then_some(p);
        let (last, rest) = body.split_last().ok_or_else(|| self.broken("an empty body"))?;
        for (d, &progress) in rest.iter().zip(&plan.progress) {
            self.instruction(d, scratch, progress)?;
        }
        self.points.push(Point {
            offset: self.code.bytes.len() as u32,
            pc: last.raw.ip(),
            words: self.words,
            progress: plan.progress.last().copied().unwrap_or_default(),
            borrowed: None,
        });
        if plan.holds_s {
            self.code.lea(s, s, 1);
        }
        self.code.jump_to(Some(condition(&last.raw)), head);
        let end = self.code.here();
        if !plan.holds_p {
            self.code.save(SLOT_P, p);
        }
        if !plan.holds_s {
            self.code.save(SLOT_S, s);
        }
        self.code.restore(p, SLOT_POINTER);
        self.store_word(register);
        self.code.lea(p, p, i32::from(self.words) * 8);
        let next = last.raw.next_ip();
        let exits = vec![self.exit(None, next)];
        let mut recipes = plan.recipes.iter();
        for (k, d) in body.iter().enumerate() {
            for (m, &(word, delta)) in d.memory.iter().zip(recipes.by_ref()) {
                let address = match (word, m.segment) {
                    (None, false) => Address::Constant(delta as u64),
                    (Some(w), false) => Address::Word { word: words[w], delta },
                    (w, true) => Address::Segment { word: w.map(|w| words[w]), delta },
                };
                self.operand(k, m, m.size, address);
            }
        }
        let folded = Folded { entry, exit, step, strides };
        let fold = LoopHead {
            at: head,
            end,
            register,
            step,
            entry,
            exit,
            holds_p: plan.holds_p,
            holds_s: plan.holds_s,
        };
        Ok(Translation {
            fast: 0,
            pair: (p, s),
            words: self.words,
            block: Some(Block { operands: self.operands, folded: Some(folded), ..empty() }),
            points: self.points,
            fold: Some(fold),
            exits,
            trap: None,
            resumed: None,
            returns: None,
            end: next,
            code: self.code,
        })
    }

    fn broken(&self, what: &str) -> Error {
        Error::Translate { pc: self.request.pc, what: what.to_owned() }
    }

    fn operand(&mut self, instr: usize, m: &Memory, size: u16, address: Address) {
        self.operands.push(Operand { instr: instr as u16, access: m.access, size, role: m.role, address });
    }

    fn exit(&mut self, condition: Option<u8>, target: u64) -> Exit {
        let branch_at = self.code.jump(condition);
        Exit { branch_at, target, pair: Some((self.p, self.s)), call: false, jump: false }
    }

    fn plain(mut self, body: &[Decoded]) -> Result<Translation, Error> {
        let recording = self.request.record.is_some();
        let arguments = if recording && self.request.arguments {
            Some([self.store_word(7), self.store_word(6), self.store_word(2)])
        } else {
            None
        };
        let mut symbols = Symbols::new();
        let mut seen: FxHashMap<Key, (u16, i64)> = FxHashMap::default();
        let mut result = None;
        let mut end = self.request.pc;
        let mut tail = None;
        for (k, d) in body.iter().enumerate() {
            if recording && self.words > LIMIT_WORDS && k > 0 {
                break;
            }
            end = d.raw.next_ip();
            let mut after = Vec::new();
            if recording {
                if d.raw.mnemonic() == Mnemonic::Ret {
                    result = Some(self.store_word(0));
                }
                after = self.addresses(k, d, &symbols, &mut seen)?;
                symbols.step(d);
            }
            if k + 1 == body.len() && function::terminator(&d.raw).is_some() {
                tail = Some(d);
                break;
            }
            self.instruction(d, Some(self.s), 0)?;
            for (register, operands) in after {
                let to = self.store_word(register);
                for o in operands {
                    if let Address::Span { to: unset, .. } = &mut self.operands[o].address {
                        *unset = to;
                    }
                }
            }
        }
        let block = Block { operands: std::mem::take(&mut self.operands), arguments, result, ..empty() };
        let mut out = Translation {
            code: Code::new(0),
            fast: 0,
            pair: (self.p, self.s),
            block: Some(block),
            words: self.words,
            points: Vec::new(),
            fold: None,
            exits: Vec::new(),
            trap: None,
            resumed: None,
            returns: None,
            end,
        };
        match tail {
            None => {
                self.advance();
                out.exits.push(self.exit(None, end));
            }
            Some(d) => self.leave(d, &mut out)?,
        }
        out.code = self.code;
        out.points = self.points;
        Ok(out)
    }

    /// Stores the words an instruction's operands need. Returns registers whose value after a repeated string
    /// instruction is to be stored, with the operands that wait for it.
    fn addresses(
        &mut self,
        k: usize,
        d: &Decoded,
        symbols: &Symbols,
        seen: &mut FxHashMap<Key, (u16, i64)>,
    ) -> Result<Vec<(u8, Vec<usize>)>, Error> {
        let mut after: Vec<(u8, u16, Vec<usize>)> = Vec::new();
        let mut lanes: Option<(Option<u16>, Option<u16>)> = None;
        let every = self.request.encoding == Encoding::Addresses;
        let mut this: Option<(Memory, Option<u16>, i64)> = None;
        for m in &d.memory {
            if let Form::Repeated(register) = m.form {
                let entry = match after.iter_mut().find(|a| a.0 == register) {
                    Some(entry) => entry,
                    None => {
                        let from = self.store_word(register);
                        after.push((register, from, Vec::new()));
                        let last = after.len() - 1;
                        &mut after[last]
                    }
                };
                entry.2.push(self.operands.len());
                let from = entry.1;
                self.operand(k, m, m.size, Address::Span { from, to: 0 });
                continue;
            }
            // A read-modify-write operand shares its word.
            let same = this.filter(|(t, ..)| {
                (t.base, t.index, t.scale, t.disp, t.segment) == (m.base, m.index, m.scale, m.disp, m.segment)
            });
            let (word, delta) = match same {
                Some((_, word, delta)) => (word, delta),
                None => self.base_word(m, symbols, seen, every),
            };
            this = Some((*m, word, delta));
            match m.form {
                Form::Lanes { lanes: n, index, mask } => {
                    let (index_word, mask_word) = match lanes {
                        Some(words) => words,
                        None => {
                            let index = match index {
                                Some((register, _)) => Some(self.store_vector(register)?),
                                None => None,
                            };
                            let mask = match mask {
                                Mask::Bits(register) | Mask::Signs(register) => {
                                    Some(self.store_vector(register)?)
                                }
                            };
                            lanes = Some((index, mask));
                            (index, mask)
                        }
                    };
                    for lane in 0..u16::from(n) {
                        let address = lane_address(m, word, delta, lane, index, index_word, mask, mask_word);
                        self.operand(k, m, m.size, address);
                    }
                }
                _ => {
                    let address = match (word, m.segment) {
                        (None, false) => Address::Constant(delta as u64),
                        (Some(word), false) => Address::Word { word, delta },
                        (word, true) => Address::Segment { word, delta },
                    };
                    self.operand(k, m, m.size, address);
                }
            }
        }
        Ok(after.into_iter().map(|(register, _, operands)| (register, operands)).collect())
    }

    /// The word with the variable part of an address, stored if it is not known yet, and the displacement from it.
    fn base_word(
        &mut self,
        m: &Memory,
        symbols: &Symbols,
        seen: &mut FxHashMap<Key, (u16, i64)>,
        every: bool,
    ) -> (Option<u16>, i64) {
        let gather = matches!(m.form, Form::Lanes { index: Some(_), .. });
        let m = Memory { index: if gather { None } else { m.index }, ..*m };
        let (key, constant) = symbols.address(&m);
        let Some(key) = key else { return (None, m.disp) };
        if !every
            && !m.short
            && let Some(&(word, known)) = seen.get(&key)
        {
            return (Some(word), constant.wrapping_sub(known));
        }
        let plain = m.index.is_none() && !m.short;
        match m.base {
            Some(base) if plain && (!every || m.disp == 0) => {
                let word = self.store_word(base);
                seen.insert(key, (word, constant.wrapping_sub(m.disp)));
                (Some(word), m.disp)
            }
            _ => {
                let disp = if every || m.short { m.disp as i32 } else { 0 };
                self.code.lea_full(self.s, m.base, m.index.map(|r| (r, m.scale)), disp, m.short);
                let word = self.store_word(self.s);
                if !m.short {
                    seen.insert(key, (word, constant.wrapping_sub(m.disp.wrapping_sub(i64::from(disp)))));
                }
                (Some(word), m.disp.wrapping_sub(i64::from(disp)))
            }
        }
    }

    /// Stores a whole vector or mask register; returns its first word.
    fn store_vector(&mut self, register: Register) -> Result<u16, Error> {
        let word = self.words;
        let high = register.number() >= 16;
        let code = match register {
            r if r.is_k() => IcedCode::VEX_Kmovq_m64_kr,
            r if r.is_xmm() && !high => IcedCode::VEX_Vmovdqu_xmmm128_xmm,
            r if r.is_ymm() && !high => IcedCode::VEX_Vmovdqu_ymmm256_ymm,
            r if r.is_xmm() => IcedCode::EVEX_Vmovdqu64_xmmm128_k1z_xmm,
            r if r.is_ymm() => IcedCode::EVEX_Vmovdqu64_ymmm256_k1z_ymm,
            _ => IcedCode::EVEX_Vmovdqu64_zmmm512_k1z_zmm,
        };
        let to = MemoryOperand::with_base_displ(gpr(self.p), i64::from(word) * 8);
        let i = Instruction::with2(code, to, register).map_err(|e| self.broken(&e.to_string()))?;
        self.encode(&i)?;
        self.words += if register.is_k() { 1 } else { (register.size() / 8) as u16 };
        Ok(word)
    }

    fn advance(&mut self) {
        if self.words > 0 {
            self.code.lea(self.p, self.p, i32::from(self.words) * 8);
        }
    }

    /// Emits the transfer of control at the end of a block.
    fn leave(&mut self, d: &Decoded, out: &mut Translation) -> Result<(), Error> {
        let i = &d.raw;
        let (p, s) = (self.p, self.s);
        let end = function::terminator(i).unwrap_or(Terminator::Trap);
        self.points.push(Point {
            offset: self.code.bytes.len() as u32,
            pc: i.ip(),
            words: self.words,
            progress: 0,
            borrowed: None,
        });
        match end {
            Terminator::Fallthrough(_) => {}
            Terminator::Jump(target) => {
                self.advance();
                let exit = self.exit(None, target);
                out.exits.push(Exit { jump: true, ..exit });
            }
            Terminator::Call { target, next } => {
                self.code.constant(s, next);
                self.code.push(s);
                self.advance();
                let exit = self.exit(None, target);
                out.exits.push(Exit { call: true, ..exit });
                out.returns = Some(next);
            }
            Terminator::Branch { taken, next } if i.is_jcc_short_or_near() => {
                self.advance();
                out.exits.push(self.exit(Some(condition(i)), taken));
                out.exits.push(self.exit(None, next));
            }
            Terminator::Branch { taken, next } => {
                self.advance();
                let at = (i.ip() - self.request.pc) as usize;
                let bytes = self.request.bytes.get(at..at + i.len() - 1).unwrap_or_default();
                self.code.raw(bytes);
                let displacement = self.code.bytes.len();
                self.code.raw(&[0]);
                let start = self.code.bytes.len();
                out.exits.push(self.exit(None, next));
                self.code.bytes[displacement] = (self.code.bytes.len() - start) as u8;
                out.exits.push(self.exit(None, taken));
            }
            Terminator::Return => {
                let extra = if i.op0_kind() == Kind::Immediate16 { i32::from(i.immediate16()) } else { 0 };
                self.code.load(s, RSP, 0);
                self.advance();
                self.code.lea(RSP, RSP, 8 + extra);
                self.through_table(Edge::Return);
            }
            Terminator::IndirectJump | Terminator::IndirectCall { .. } => {
                self.target(i)?;
                self.advance();
                let mut edge = Edge::Jump;
                self.code.save(SLOT_POINTER, p);
                if let Terminator::IndirectCall { next } = end {
                    self.code.constant(p, next);
                    self.code.push(p);
                    out.returns = Some(next);
                    edge = Edge::Call;
                }
                self.table(edge);
            }
            Terminator::Syscall { next } => {
                self.yield_state();
                out.trap = Some((self.code.here(), Trap::Syscall { next }));
                self.code.trap();
                self.code.raw(&[0x0f, 0x05]);
                out.resumed = Some((self.code.here(), next));
                self.code.constant(1, next);
                let exit = self.exit(None, next);
                out.exits.push(Exit { pair: None, ..exit });
            }
            Terminator::Trap => {
                self.yield_state();
                out.trap = Some((self.code.here(), Trap::Native { pc: i.ip() }));
                self.code.trap();
            }
        }
        Ok(())
    }

    /// Gives all registers back to the program.
    fn yield_state(&mut self) {
        self.advance();
        self.code.save(SLOT_POINTER, self.p);
        self.code.restore(self.p, SLOT_P);
        self.code.restore(self.s, SLOT_S);
    }

    fn through_table(&mut self, edge: Edge) {
        self.code.save(SLOT_POINTER, self.p);
        self.table(edge);
    }

    /// Jumps to the translation of the address in S.
    fn table(&mut self, edge: Edge) {
        self.code.save(SLOT_RAX, 0);
        self.code.save(SLOT_RCX, 1);
        self.code.copy(0, self.s);
        self.code.restore(self.p, SLOT_P);
        self.code.restore(self.s, SLOT_S);
        self.code.jump_table(shared::table(edge.table(self.request.record.is_some())));
    }

    /// Loads the target of an indirect transfer into S.
    fn target(&mut self, i: &Instruction) -> Result<(), Error> {
        let s = self.s;
        if i.op0_kind() == Kind::Register {
            self.code.copy(s, number(i.op0_register()));
        } else if i.is_ip_rel_memory_operand() {
            self.code.constant(s, i.ip_rel_memory_address());
            self.code.load(s, s, 0);
        } else {
            let index = i.memory_index();
            let alone = i.memory_base() == Register::None && index == Register::None;
            let from = MemoryOperand::new(
                i.memory_base(),
                index,
                i.memory_index_scale(),
                i.memory_displacement64() as i64,
                if alone { 8 } else { i.memory_displ_size() },
                false,
                i.segment_prefix(),
            );
            let load = Instruction::with2(IcedCode::Mov_r64_rm64, gpr(s), from)
                .map_err(|e| self.broken(&e.to_string()))?;
            self.encode(&load)?;
        }
        Ok(())
    }
}

#[allow(clippy::too_many_arguments)]
fn lane_address(
    m: &Memory,
    base: Option<u16>,
    delta: i64,
    lane: u16,
    index: Option<(Register, u8)>,
    index_word: Option<u16>,
    mask: Mask,
    mask_word: Option<u16>,
) -> Address {
    let element = m.size * 8;
    let mask = mask_word.map(|w| match mask {
        Mask::Signs(_) => (w + lane * element / 64, (lane * element % 64 + element - 1) as u8),
        _ => (w, lane as u8),
    });
    match (index, index_word) {
        (Some((_, bits)), Some(word)) => {
            let at = lane * u16::from(bits);
            Address::Lane {
                base,
                index_word: word + at / 64,
                index_shift: (at % 64) as u8,
                index_bits: bits,
                scale: m.scale,
                delta,
                mask,
            }
        }
        _ => Address::Lane {
            base,
            index_word: 0,
            index_shift: 0,
            index_bits: 64,
            scale: 0,
            delta: delta.wrapping_add(i64::from(lane * m.size)),
            mask,
        },
    }
}

fn gpr(n: u8) -> Register {
    Register::RAX + u32::from(n)
}
