//! Bytes of registers that mean nothing, and would join iterations if they were taken for operands.
//!
//! *What a function of the mathematical library finds* in registers that hand it nothing: upper parts of vector registers, registers
//! beyond those of two integers, flags ([`forget`]).
//!
//! *What a conditional move keeps and nobody reads* ([`Stale`]).
//! Compilers test floating-point numbers for inequality by `setp %cl; cmovne %esi, %ecx`: of `ecx` the lowest byte alone means something,
//! the others are of whatever used the register before. Taken for operands they would join iterations that hand on nothing.
//!
//! Such bytes count as kept ([`Role::Kept`]) if the block has written the lowest byte alone just before, and on every way from the move,
//! as far as a few instructions show it, the register is written anew before more than that byte is read. What cannot be followed
//! (calls, returns, jumps to computed addresses, code that the program may change) is taken to read all of it.

use iced_x86::{FlowControl, InstructionInfoFactory, OpAccess, OpKind, Register};
use rustc_hash::FxHashMap;
use trace::block::{Block, REG_VECTOR, RegRange, RegUse, Role};

use crate::classes;
use crate::decode::{self, Decoded};

/// Instructions that are looked at on all ways together.
const FOLLOWED: usize = 48;

/// What is known of moves, so that all translations of one say the same.
pub(crate) struct Stale {
    known: FxHashMap<u64, bool>,
    factory: InstructionInfoFactory,
}

impl Stale {
    /// Nothing.
    pub(crate) fn new() -> Self {
        Stale { known: FxHashMap::default(), factory: InstructionInfoFactory::new() }
    }

    /// Marks what the moves of a block keep and nobody reads. `bytes`: the code from `start` on, where the block lies in.
    pub(crate) fn mark(&mut self, body: &mut [Decoded], bytes: &[u8], start: u64) {
        for at in 0..body.len() {
            let Some(register) = moved(&body[at]) else { continue };
            if !is_of_one_byte(&body[..at], register) {
                continue;
            }
            let pc = body[at].raw.ip();
            let next = body[at].raw.next_ip();
            let is_unread = match self.known.get(&pc) {
                Some(&known) => known,
                None => {
                    let found = self.is_unread(register, next, bytes, start);
                    self.known.insert(pc, found);
                    found
                }
            };
            if is_unread {
                let source = body[at].raw.op_register(1);
                for of in [register, source].into_iter().filter(|of| of.is_gpr32()) {
                    keep(&mut body[at].instr.uses, decode::number(of));
                }
            }
        }
    }

    /// Whether, from an address on, no byte but the lowest of a register is read before it is written anew.
    fn is_unread(&mut self, register: Register, from: u64, bytes: &[u8], start: u64) -> bool {
        let full = register.full_register();
        let mut open = vec![from];
        let mut seen: Vec<u64> = Vec::new();
        while let Some(mut pc) = open.pop() {
            loop {
                if seen.contains(&pc) {
                    break;
                }
                seen.push(pc);
                let code =
                    pc.checked_sub(start).and_then(|offset| bytes.get(usize::try_from(offset).ok()?..));
                let Some(code) = code.filter(|code| !code.is_empty() && seen.len() <= FOLLOWED) else {
                    return false;
                };
                let instruction = decode::raw(code, pc);
                if instruction.is_invalid() {
                    return false;
                }
                let is_idiom = classes::is_zero_idiom(&instruction);
                let info = self.factory.info(&instruction);
                let mut is_written = false;
                for used in
                    info.used_registers().iter().filter(|used| used.register().full_register() == full)
                {
                    let is_low = used.register().size() == 1
                        && decode::range(used.register()).is_some_and(|r| r.lo == 0);
                    is_written |= used.access() == OpAccess::Write && used.register().size() >= 4 || is_idiom;
                    let reads = used.access() != OpAccess::Write && used.access() != OpAccess::None;
                    if reads && !is_low && !is_idiom {
                        return false;
                    }
                }
                if is_written {
                    break;
                }
                match instruction.flow_control() {
                    FlowControl::Next => pc = instruction.next_ip(),
                    FlowControl::UnconditionalBranch => pc = instruction.near_branch_target(),
                    FlowControl::ConditionalBranch => {
                        open.push(instruction.near_branch_target());
                        pc = instruction.next_ip();
                    }
                    _ => return false,
                }
            }
        }
        true
    }
}

/// General registers that hand nothing to a function of numbers: rax, rcx, rdx, r8 to r11.
const NOT_HANDED: [u8; 7] = [0, 1, 2, 8, 9, 10, 11];

/// Bytes of a vector register that hold a number.
const NUMBER: u8 = 8;

/// Of a block with which a function of numbers begins: what registers hold that hand it nothing is as if its first instruction had
/// written it.
pub(crate) fn forget(block: &mut Block) {
    let Some(first) = block.instrs.first_mut() else { return };
    let general = NOT_HANDED.map(|reg| RegRange { reg, lo: 0, hi: 8 });
    let vectors = (0..16).map(|at| RegRange { reg: REG_VECTOR + at, lo: NUMBER, hi: 64 });
    let forgotten: Vec<RegRange> = general.into_iter().chain(vectors).collect();
    for own in &forgotten {
        for used in first.uses.iter_mut().filter(|used| used.range.reg == own.reg) {
            used.range.hi = used.range.hi.min(own.lo);
        }
    }
    first.uses.retain(|used| used.range.lo < used.range.hi);
    let is_written = |own: &RegRange| first.defs.iter().any(|def| def.reg == own.reg);
    let more: Vec<RegRange> = forgotten.into_iter().filter(|own| !is_written(own)).collect();
    first.defs.extend(more);
}

/// The register of four bytes that a conditional move writes.
fn moved(of: &Decoded) -> Option<Register> {
    let is_move = format!("{:?}", of.raw.mnemonic()).starts_with("Cmov");
    (is_move && of.raw.op_kind(0) == OpKind::Register)
        .then(|| of.raw.op_register(0))
        .filter(|register| register.is_gpr32())
}

/// Whether the last of these instructions to write a register writes its lowest byte alone.
fn is_of_one_byte(before: &[Decoded], register: Register) -> bool {
    let number = decode::number(register);
    let last = before.iter().rev().find(|d| d.written >> number & 1 != 0);
    last.is_some_and(|d| {
        d.raw.op_kind(0) == OpKind::Register && {
            let written = d.raw.op_register(0);
            written.is_gpr8() && decode::range(written) == Some(RegRange { reg: number, lo: 0, hi: 1 })
        }
    })
}

/// Of the bytes of a register that are read, all but the lowest are kept.
fn keep(uses: &mut Vec<RegUse>, number: u8) {
    let mut kept = Vec::new();
    for own in uses.iter_mut().filter(|own| own.range.reg == number && own.role == Role::Value) {
        if own.range.lo == 0 && own.range.hi > 1 {
            kept.push(RegUse { range: RegRange { lo: 1, ..own.range }, role: Role::Kept });
            own.range.hi = 1;
        }
    }
    uses.extend(kept);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::Decode;

    /// The uses of `ecx` by the move of `setp cl; cmovne ecx, esi` before the given code.
    fn uses(after: &[u8]) -> Vec<(u8, u8, Role)> {
        let mut code = vec![0x0f, 0x9a, 0xc1, 0x0f, 0x45, 0xce];
        code.extend(after);
        let mut decode = Decode::new();
        let mut body = vec![decode.decode(&code, 0x1000), decode.decode(&code[3..], 0x1003)];
        Stale::new().mark(&mut body, &code, 0x1000);
        let of = body[1].instr.uses.iter().filter(|own| own.range.reg == 1);
        of.map(|own| (own.range.lo, own.range.hi, own.role)).collect()
    }

    #[test]
    fn what_nobody_reads_is_kept() {
        // test cl, cl; je over; xor ecx, ecx; over: mov ecx, edx
        let after = [0x84, 0xc9, 0x74, 0x02, 0x31, 0xc9, 0x89, 0xd1];
        assert_eq!(uses(&after), [(0, 1, Role::Value), (1, 4, Role::Kept)]);
    }

    #[test]
    fn what_is_read_or_cannot_be_followed_is_not() {
        // movzx eax, cl; mov ecx, edx | mov eax, ecx | ret | test cl, cl; je over; mov ecx, edx; over: add eax, ecx
        assert_eq!(uses(&[0x0f, 0xb6, 0xc1, 0x89, 0xd1]), [(0, 1, Role::Value), (1, 4, Role::Kept)]);
        for after in [&[0x89, 0xc8][..], &[0xc3], &[0x84, 0xc9, 0x74, 0x02, 0x89, 0xd1, 0x01, 0xc8]] {
            assert_eq!(uses(after), [(0, 4, Role::Value)], "{after:x?}");
        }
    }
}
