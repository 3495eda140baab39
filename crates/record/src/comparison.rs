//! The comparison of code that the program can change by a mere store with what was translated, whenever control comes in.
//!
//! Definition: it lies behind the fast entry of a block, before anything is recorded. S holds the address of the program's
//! code. The flags are kept in RAX, unless the block overwrites them before it reads them.
//!
//! Limit: flags that a block overwrites before it reads them are not the program's in between; a handler of a signal that looks
//! at them there sees others.

use iced_x86::{Instruction, Mnemonic, RflagsBits};
use libc::user_regs_struct;

use crate::asm::{Code, RAX};
use crate::decode::Decoded;
use crate::emit::Emit;
use crate::function;
use crate::shared::{SLOT_P, SLOT_POINTER, SLOT_RAX, SLOT_S};
use crate::translate::Translation;

/// The flags that a comparison changes.
const CHANGED: u32 =
    RflagsBits::OF | RflagsBits::SF | RflagsBits::ZF | RflagsBits::AF | RflagsBits::CF | RflagsBits::PF;
/// The same without the overflow flag, as they lie in AH and in the flags register.
const IN_AH: u64 = 0xd5;
/// The overflow flag in the flags register.
const OVERFLOW: u64 = 0x800;

/// What has to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flags {
    /// Nothing.
    Dead,
    /// All but the overflow flag, in AH.
    InAh,
    /// All: the overflow flag in AL.
    InAx,
}

/// Where the code of a block is compared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Comparison {
    /// Address in the cache after it.
    pub(crate) end: u64,
    /// Address of the trap that says that they differ.
    pub(crate) differs: u64,
    /// How many bytes are compared.
    pub(crate) bytes: usize,
    pub(crate) flags: Flags,
}

impl Comparison {
    /// Gives the program the flags and RAX back, in the midst of a comparison; `rax` is what is kept of the latter.
    pub(crate) fn give_back(&self, regs: &mut user_regs_struct, rax: u64) {
        if self.flags == Flags::Dead {
            return;
        }
        regs.eflags = regs.eflags & !IN_AH | regs.rax >> 8 & IN_AH;
        if self.flags == Flags::InAx {
            regs.eflags = regs.eflags & !OVERFLOW | if regs.rax & 1 == 1 { OVERFLOW } else { 0 };
        }
        regs.rax = rax;
    }
}

/// A comparison in the making.
pub(crate) struct Compared {
    end: u64,
    bytes: usize,
    flags: Flags,
    differ: Vec<usize>,
}

impl Emit<'_> {
    /// Emits the comparison of the code of a block, whose instructions follow on each other.
    pub(crate) fn compare(&mut self, body: &[Decoded]) -> Compared {
        let flags = kept(body);
        if flags != Flags::Dead {
            self.code.save(SLOT_RAX, RAX);
            self.code.take_flags(flags == Flags::InAx);
        }
        let pc = self.request.pc;
        self.code.constant(self.s, pc);
        let end = body.last().map_or(pc, |d| d.raw.next_ip());
        let bytes = self.request.bytes.get(..end.saturating_sub(pc) as usize).unwrap_or_default();
        let differ = self.code.unless_equal(self.s, bytes);
        put_back(&mut self.code, flags);
        Compared { end: self.code.here(), bytes: bytes.len(), flags, differ }
    }
}

impl Compared {
    /// Adds what happens if the code differs.
    pub(crate) fn finish(self, t: &mut Translation) {
        let (p, s) = t.pair;
        self.differ.into_iter().for_each(|from| t.code.land(from));
        put_back(&mut t.code, self.flags);
        t.code.save(SLOT_POINTER, p);
        t.code.restore(p, SLOT_P);
        t.code.restore(s, SLOT_S);
        let differs = t.code.here();
        t.code.trap();
        t.comparison = Some(Comparison { end: self.end, differs, bytes: self.bytes, flags: self.flags });
    }
}

fn put_back(code: &mut Code, flags: Flags) {
    if flags != Flags::Dead {
        code.put_flags(flags == Flags::InAx);
        code.restore(RAX, SLOT_RAX);
    }
}

/// What a block may read of the flags it begins with, or leave to what follows.
fn kept(body: &[Decoded]) -> Flags {
    let mut live = CHANGED;
    for d in body {
        if d.raw.rflags_read() & live != 0 || function::terminator(&d.raw).is_some() {
            break;
        }
        if !d.instr.conditional {
            live &= !overwritten(&d.raw);
        }
    }
    match live {
        0 => Flags::Dead,
        _ if live & RflagsBits::OF == 0 => Flags::InAh,
        _ => Flags::InAx,
    }
}

/// The flags that an instruction overwrites. Those that it leaves undefined may stay as they were, except that no processor
/// keeps the auxiliary carry over a logical operation.
fn overwritten(i: &Instruction) -> u32 {
    let logical = matches!(i.mnemonic(), Mnemonic::And | Mnemonic::Or | Mnemonic::Xor | Mnemonic::Test);
    i.rflags_written() | i.rflags_cleared() | i.rflags_set() | if logical { RflagsBits::AF } else { 0 }
}
