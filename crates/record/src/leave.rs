//! How a block's code hands control on.

use iced_x86::{Code as IcedCode, Instruction, MemoryOperand, OpKind as Kind, Register};
use trace::block::Terminator;
use trace::survey::Way;

use crate::asm::RSP;
use crate::decode::{Decoded, number};
use crate::emit::{Emit, condition, gpr};
use crate::error::Error;
use crate::function;
use crate::shared::{self, SLOT_P, SLOT_POINTER, SLOT_RAX, SLOT_RCX, SLOT_S, SLOT_SITE};
use crate::translate::{Edge, Exit, Point, Translation, Trap};

impl Emit<'_> {
    pub(crate) fn advance(&mut self) {
        if self.words > 0 {
            self.code.lea(self.p, self.p, i32::from(self.words) * 8);
        }
    }

    /// Emits the transfer of control at the end of a block.
    pub(crate) fn leave(&mut self, d: &Decoded, out: &mut Translation) -> Result<(), Error> {
        let i = &d.raw;
        let (p, s) = (self.p, self.s);
        let end = function::terminator(i).unwrap_or(Terminator::Trap);
        self.points.push(Point {
            offset: self.code.bytes.len() as u32,
            pc: i.ip(),
            words: self.words,
            progress: 0,
            index: self.index,
            borrowed: [None; 2],
        });
        match end {
            Terminator::Fallthrough(_) => {}
            Terminator::Jump(target) => {
                self.advance();
                self.count(Some((target, Way::Jump)));
                let exit = self.exit(None, target);
                out.exits.push(Exit { jump: true, ..exit });
            }
            Terminator::Call { target, next } => {
                self.code.constant(s, next);
                self.code.push(s);
                self.advance();
                self.count(Some((target, Way::Call)));
                let exit = self.exit(None, target);
                out.exits.push(Exit { call: true, ..exit });
                out.returns = Some(next);
            }
            Terminator::Branch { taken, next }
                if i.is_jcc_short_or_near() && self.request.count.is_some() =>
            {
                let side = self.code.jump_ahead(condition(i));
                self.count(Some((next, Way::Jump)));
                out.exits.push(self.exit(None, next));
                self.code.land(side);
                self.count(Some((taken, Way::Jump)));
                out.exits.push(self.exit(None, taken));
            }
            Terminator::Branch { taken, next } if i.is_jcc_short_or_near() => {
                self.advance();
                out.exits.push(self.exit(Some(condition(i)), taken));
                out.exits.push(self.exit(None, next));
            }
            Terminator::Branch { taken, next } => {
                self.advance();
                self.code.raw(d.bytes().split_last().map_or(&[], |(_, rest)| rest));
                let displacement = self.code.bytes.len();
                self.code.raw(&[0]);
                let start = self.code.bytes.len();
                self.count(Some((next, Way::Jump)));
                out.exits.push(self.exit(None, next));
                self.code.bytes[displacement] = (self.code.bytes.len() - start) as u8;
                self.count(Some((taken, Way::Jump)));
                out.exits.push(self.exit(None, taken));
            }
            Terminator::Return => {
                self.count(None);
                let extra = if i.op0_kind() == Kind::Immediate16 { i32::from(i.immediate16()) } else { 0 };
                self.code.load(s, RSP, 0);
                self.advance();
                self.code.lea(RSP, RSP, 8 + extra);
                self.through_table(Edge::Return);
            }
            Terminator::IndirectJump | Terminator::IndirectCall { .. } => {
                self.count(None);
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
                if let Some((_, site)) = self.request.count {
                    self.code.set_slot(SLOT_SITE, site);
                }
                self.table(edge);
            }
            Terminator::Syscall { next } => {
                self.count(None);
                self.counters.continues = true;
                self.yield_state();
                let quiet = shared::quiet(self.request.record.is_some());
                let trap = self.code.system_call(quiet, SLOT_RCX);
                out.trap = Some((trap, Trap::Syscall { next }));
                out.resumed = Some((self.code.here(), next));
                self.code.constant(1, next);
                let exit = self.exit(None, next);
                out.exits.push(Exit { pair: None, ..exit });
            }
            // No instruction ends so.
            Terminator::Leaves | Terminator::Trap => {
                self.count(None);
                self.counters.continues = true;
                self.yield_state();
                out.trap = Some((self.code.here(), Trap::Native { pc: i.ip() }));
                self.code.trap();
            }
        }
        Ok(())
    }

    /// Gives all registers back to the program.
    pub(crate) fn yield_state(&mut self) {
        self.advance();
        self.code.save(SLOT_POINTER, self.p);
        self.code.restore(self.p, SLOT_P);
        self.code.restore(self.s, SLOT_S);
    }

    pub(crate) fn through_table(&mut self, edge: Edge) {
        self.code.save(SLOT_POINTER, self.p);
        self.table(edge);
    }

    /// Jumps to the translation of the address in S.
    pub(crate) fn table(&mut self, edge: Edge) {
        self.code.save(SLOT_RAX, 0);
        self.code.save(SLOT_RCX, 1);
        self.code.copy(0, self.s);
        self.code.restore(self.p, SLOT_P);
        self.code.restore(self.s, SLOT_S);
        let site = self.request.count.filter(|_| edge != Edge::Return).map_or(0, |(_, site)| site);
        self.code.jump_table(shared::table(edge.table(self.request.record.is_some())), shared::spread(site));
    }

    /// Loads the target of an indirect transfer into S.
    pub(crate) fn target(&mut self, i: &Instruction) -> Result<(), Error> {
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
