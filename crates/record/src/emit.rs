//! The code of a block and the recipes of its operands.

use iced_x86::{Code as IcedCode, Encoder, Instruction, MemoryOperand, Mnemonic, Register};
use rustc_hash::FxHashMap;
use trace::block::{Address, Block, BlockId, Operand};
use trace::survey::Way;

use crate::Encoding;
use crate::asm::{Code, RSP};
use crate::comparison::Compared;
use crate::decode::{Decoded, Form, Mask, Memory, number};
use crate::error::Error;
use crate::fold::PREFERENCE;
use crate::function;
use crate::shared::{self, SLOT_FLAGS, SLOT_P, SLOT_POINTER, SLOT_RAX, SLOT_S, SLOT_T};
use crate::symbols::{Key, Symbols};
use crate::translate::{
    Counters, Exit, LIMIT_WORDS, OwnLoop, Pair, Point, Request, Translation, Trap, empty, is_pause,
};

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
    /// Index of the instruction that is being emitted.
    pub(crate) index: u16,
    pub(crate) counters: Counters,
    pub(crate) free_counter: u32,
}

impl<'a> Emit<'a> {
    /// Nothing yet, with this pair.
    pub(crate) fn new(request: &'a Request<'a>, encoder: &'a mut Encoder, (p, s): Pair) -> Emit<'a> {
        Emit {
            request,
            encoder,
            code: Code::new(request.base),
            p,
            s,
            words: 0,
            operands: Vec::new(),
            points: Vec::new(),
            index: 0,
            counters: Counters::default(),
            free_counter: request.count.map_or(0, |c| c.0),
        }
    }

    /// The two entries, the comparison of the code, if it can change, and the header of the record, if there is one. Gives the
    /// fast entry.
    pub(crate) fn enter(&mut self, record: Option<BlockId>, body: &[Decoded]) -> (u64, Option<Compared>) {
        self.code.save(SLOT_P, self.p);
        self.code.save(SLOT_S, self.s);
        self.code.restore(self.p, SLOT_POINTER);
        let fast = self.code.here();
        let compared = self.request.changeable.then(|| self.compare(body));
        if let Some(id) = record {
            self.code.store_constant(self.p, 0, id as i32);
            self.words = 1;
        }
        (fast, compared)
    }
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
            index: self.index,
            borrowed: [None; 2],
        };
        if !d.raw.is_ip_rel_memory_operand() {
            self.points.push(point);
            self.code.raw(d.bytes());
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
        self.points.push(Point { offset: self.code.bytes.len() as u32, borrowed: [borrowed, None], ..point });
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

    pub(crate) fn broken(&self, what: &str) -> Error {
        Error::Translate { pc: self.request.pc, what: what.to_owned() }
    }

    pub(crate) fn operand(&mut self, instr: usize, m: &Memory, size: u16, address: Address) {
        let (instr, access, role) = (instr as u16, m.access, m.role);
        self.operands.push(Operand { instr, access, size, role, address, saves: None });
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
            self.index = k as u16;
            let mut after = Vec::new();
            if recording {
                if d.raw.mnemonic() == Mnemonic::Ret && self.request.results.are_recorded(end) {
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
        let mut out = Translation::plain((self.p, self.s), block, self.words, end);
        match tail {
            None if body.last().is_some_and(|d| is_pause(d) && d.raw.next_ip() == end) => {
                self.count(None);
                self.counters.continues = true;
                self.yield_state();
                out.trap = Some((self.code.here(), Trap::Pause { next: end }));
                self.code.trap();
            }
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
            index: self.index,
            borrowed: [None; 2],
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
