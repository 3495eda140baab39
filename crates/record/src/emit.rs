//! The code of a block and the recipes of its operands.

use iced_x86::{Code as IcedCode, Encoder, Instruction, MemoryOperand, Mnemonic, Register};
use rustc_hash::FxHashMap;
use trace::block::{Address, Block, Folded, Operand, Scaled};
use trace::survey::Way;

use crate::Encoding;
use crate::asm::{Code, RSP};
use crate::decode::{Decoded, Form, Mask, Memory, number};
use crate::error::Error;
use crate::fold::{Induction, PREFERENCE, Plan};
use crate::function;
use crate::shared::{self, SLOT_FLAGS, SLOT_P, SLOT_POINTER, SLOT_RAX, SLOT_S, SLOT_T};
use crate::symbols::{Key, NEGATIVE, Symbols};
use crate::translate::{Counters, Exit, LIMIT_WORDS, LoopHead, OwnLoop, Point, Request, Translation, empty};

/// Code and table of a block in the making.
pub(crate) struct Emit<'a> {
    pub(crate) request: &'a Request<'a>,
    pub(crate) encoder: &'a mut Encoder,
    pub(crate) code: Code,
    pub(crate) p: u8,
    pub(crate) s: u8,
    pub(crate) words: u16,
    pub(crate) operands: Vec<Operand>,
    pub(crate) points: Vec<Point>,
    pub(crate) counters: Counters,
    pub(crate) free_counter: u32,
}

impl Emit<'_> {
    pub(crate) fn encode(&mut self, i: &Instruction) -> Result<(), Error> {
        let fail = |what: String| Error::Translate { pc: self.request.pc, what };
        self.encoder.encode(i, self.code.here()).map_err(|e| fail(e.to_string()))?;
        let bytes = self.encoder.take_buffer();
        self.code.raw(&bytes);
        Ok(())
    }

    pub(crate) fn store_word(&mut self, register: u8) -> u16 {
        let word = self.words;
        self.code.store(self.p, i32::from(word) * 8, register);
        self.words += 1;
        word
    }

    /// Emits the instruction itself; `scratch` is a register it does not mention, or `None` to borrow one.
    pub(crate) fn instruction(
        &mut self,
        d: &Decoded,
        scratch: Option<u8>,
        progress: i64,
    ) -> Result<(), Error> {
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

    pub(crate) fn folded(mut self, body: &[Decoded], plan: &Plan) -> Result<Translation, Error> {
        let (p, s) = (plan.p, plan.s);
        let mut words = Vec::with_capacity(plan.keys.len());
        let mut strides = vec![0i64];
        for (key, &stride) in plan.keys.iter().zip(&plan.strides) {
            let word = match *key {
                Key { base: Some(r), index: None, .. } if r & NEGATIVE == 0 => self.store_word(r as u8),
                Key { base, index, scale } => {
                    // At most one part is negative; -r is !r + 1.
                    let mut constant = 0;
                    let mut part = |o: u32, scale: u8| {
                        if o & NEGATIVE == 0 {
                            return o as u8;
                        }
                        self.code.copy(s, (o & !NEGATIVE) as u8);
                        self.code.not(s);
                        constant = i32::from(scale);
                        s
                    };
                    let base = base.map(|o| part(o, 1));
                    let index = index.map(|o| (part(o, scale), scale));
                    self.code.lea_full(s, base, index, constant, false);
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
        let mut scaled: Vec<Scaled> = Vec::with_capacity(plan.scaled.len());
        let mut registers: Vec<(u8, u16)> = Vec::new();
        for &(k, r, factor) in &plan.scaled {
            let by = match simple(r)
                .map(|k| words[k])
                .or_else(|| registers.iter().find(|x| x.0 == r).map(|x| x.1))
            {
                Some(word) => word,
                None => {
                    strides.push(0);
                    let word = self.store_word(r);
                    registers.push((r, word));
                    word
                }
            };
            scaled.push(Scaled { word: words[k], by, factor });
        }
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
        let folded = Folded::new(entry, exit, step, strides, scaled);
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
            counters: None,
            exits,
            trap: None,
            resumed: None,
            returns: None,
            end: next,
            code: self.code,
        })
    }

    pub(crate) fn broken(&self, what: &str) -> Error {
        Error::Translate { pc: self.request.pc, what: what.to_owned() }
    }

    pub(crate) fn operand(&mut self, instr: usize, m: &Memory, size: u16, address: Address) {
        self.operands.push(Operand { instr: instr as u16, access: m.access, size, role: m.role, address });
    }

    pub(crate) fn exit(&mut self, condition: Option<u8>, target: u64) -> Exit {
        let branch_at = self.code.jump(condition);
        Exit { branch_at, target, pair: Some((self.p, self.s)), call: false, jump: false }
    }

    pub(crate) fn plain(mut self, body: &[Decoded]) -> Result<Translation, Error> {
        let recording = self.request.record.is_some();
        let arguments = if recording && self.request.arguments {
            Some([self.store_word(7), self.store_word(6), self.store_word(2)])
        } else {
            None
        };
        let own = self.is_counted_loop(body);
        if own {
            self.code.constant(self.p, 0);
            self.code.align(16);
        }
        let head = self.code.here();
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
            counters: None,
            exits: Vec::new(),
            trap: None,
            resumed: None,
            returns: None,
            end,
        };
        match tail {
            None => {
                self.advance();
                self.count(None);
                self.counters.continues = true;
                out.exits.push(self.exit(None, end));
            }
            Some(d) if own => self.leave_counted_loop(d, head, &mut out),
            Some(d) => self.leave(d, &mut out)?,
        }
        out.counters = self.request.count.map(|_| self.counters);
        out.code = self.code;
        out.points = self.points;
        Ok(out)
    }

    /// Counts that the block is left, in a survey; S is free. `to` is where to if that is a transfer.
    pub(crate) fn count(&mut self, to: Option<(u64, Way)>) {
        if self.request.count.is_none() {
            return;
        }
        self.code.count(shared::counter(self.free_counter), self.s);
        self.counters.exits.push((self.free_counter, to));
        self.free_counter += 1;
    }

    fn is_counted_loop(&self, body: &[Decoded]) -> bool {
        let Some(last) = body.last().filter(|_| self.request.count.is_some()) else { return false };
        last.raw.is_jcc_short_or_near() && last.raw.near_branch_target() == self.request.pc
    }

    /// The end of a block that loops over itself: P counts the iterations, as nothing is recorded.
    fn leave_counted_loop(&mut self, d: &Decoded, head: u64, out: &mut Translation) {
        let (p, s) = (self.p, self.s);
        self.points.push(Point {
            offset: self.code.bytes.len() as u32,
            pc: d.raw.ip(),
            words: 0,
            progress: 0,
            borrowed: None,
        });
        self.code.lea(p, p, 1);
        self.code.jump_to(Some(condition(&d.raw)), head);
        let end = self.code.here();
        let next = d.raw.next_ip();
        self.count(Some((next, Way::Jump)));
        let counter = self.free_counter;
        self.free_counter += 3;
        self.code.add_to(shared::counter(counter), p, s);
        self.code.save_flags(SLOT_RAX, SLOT_FLAGS);
        self.code.extreme(shared::counter(counter + 1), p, s, true);
        self.code.extreme(shared::counter(counter + 2), p, s, false);
        self.code.restore_flags(SLOT_RAX, SLOT_FLAGS);
        self.code.restore(p, SLOT_POINTER);
        self.counters.own = Some(OwnLoop { at: head, end, counter });
        out.exits.push(self.exit(None, next));
    }

    /// Stores the words an instruction's operands need. Returns registers whose value after a repeated string
    /// instruction is to be stored, with the operands that wait for it.
    pub(crate) fn addresses(
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
    pub(crate) fn base_word(
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
    pub(crate) fn store_vector(&mut self, register: Register) -> Result<u16, Error> {
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

/// The 64-bit register with the machine's number `n`.
pub(crate) fn gpr(n: u8) -> Register {
    Register::RAX + u32::from(n)
}

/// The condition's number in the machine's encoding.
pub(crate) fn condition(i: &Instruction) -> u8 {
    // iced numbers conditions in encoding order, from 1.
    (i.condition_code() as u8).wrapping_sub(1) & 15
}
