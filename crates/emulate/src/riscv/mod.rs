//! RISC-V: the base instructions with multiplication, atomics, floating point and short forms (RV64GC).
//!
//! Limits: vector instructions are [`OpKind::Other`] on one register that stands for all of theirs; flags of floating point and
//! its rounding mode are no operands.

mod float;
mod short;

use trace::block::{Addend, OpKind, RegRange, Role, Terminator};

use crate::instruction::{Build, Decoded, Memory, OTHER, general};

/// The stack pointer.
const STACK: u32 = 2;
/// The registers that calls put return addresses into.
const LINKS: [u32; 2] = [1, 5];

/// A register's first bytes; none for the one that is always 0.
fn part(n: u32, bytes: u8) -> Option<RegRange> {
    (n != 0).then(|| RegRange { reg: number(n), lo: 0, hi: bytes })
}

fn x(n: u32) -> Option<RegRange> {
    part(n, 8)
}

/// Number of a general register.
pub fn number(n: u32) -> u8 {
    general(n, STACK)
}

/// Registers that a function has to leave as it found them: the frame pointer and `s1` to `s11`, and the return address, which
/// it needs itself.
pub fn is_callee_saved(register: u8) -> bool {
    [1, 8, 9].into_iter().chain(18..28).any(|n| number(n) == register)
}

/// The fields of a 32-bit instruction.
#[derive(Debug, Clone, Copy)]
struct Word(u32);

impl Word {
    fn field(self, at: u32, bits: u32) -> u32 {
        self.0 >> at & ((1 << bits) - 1)
    }
    fn rd(self) -> u32 {
        self.field(7, 5)
    }
    fn rs1(self) -> u32 {
        self.field(15, 5)
    }
    fn rs2(self) -> u32 {
        self.field(20, 5)
    }
    fn rs3(self) -> u32 {
        self.field(27, 5)
    }
    fn funct3(self) -> u32 {
        self.field(12, 3)
    }
    fn funct7(self) -> u32 {
        self.field(25, 7)
    }
    /// Constant of loads and of arithmetic.
    fn i(self) -> i64 {
        i64::from(self.0 as i32 >> 20)
    }
    /// Constant of stores.
    fn s(self) -> i64 {
        i64::from(self.0 as i32 >> 25 << 5) | i64::from(self.rd())
    }
    /// Distance of a branch.
    fn b(self) -> i64 {
        let sign = i64::from(self.0 as i32 >> 31) << 12;
        let rest = self.field(7, 1) << 11 | self.field(25, 6) << 5 | self.field(8, 4) << 1;
        sign | i64::from(rest)
    }
    /// Distance of a jump.
    fn j(self) -> i64 {
        let sign = i64::from(self.0 as i32 >> 31) << 20;
        let rest = self.field(12, 8) << 12 | self.field(20, 1) << 11 | self.field(21, 10) << 1;
        sign | i64::from(rest)
    }
}

/// Decodes the instruction at `pc` with which `bytes` begin; what is none, or cut short, is a trap of the least length.
pub fn decode(bytes: &[u8], pc: u64) -> Decoded {
    let Some(&[low, high]) = bytes.get(..2).and_then(|b| <&[u8; 2]>::try_from(b).ok()) else {
        return trap(pc, 2);
    };
    let half = u16::from_le_bytes([low, high]);
    if half & 3 != 3 {
        return match short::expand(half) {
            Some(word) => instruction(Word(word), pc, 2),
            None => trap(pc, 2),
        };
    }
    match bytes.get(..4).and_then(|b| <[u8; 4]>::try_from(b).ok()) {
        Some(word) => instruction(Word(u32::from_le_bytes(word)), pc, 4),
        None => trap(pc, 2),
    }
}

fn trap(pc: u64, len: u8) -> Decoded {
    Build::new(pc, len, OpKind::Other).ends(Terminator::Trap).done()
}

fn instruction(w: Word, pc: u64, len: u8) -> Decoded {
    let new = |kind| Build::new(pc, len, kind);
    let next = pc.wrapping_add(u64::from(len));
    match w.field(0, 7) {
        // LUI, AUIPC
        0x37 | 0x17 => new(OpKind::Constant).writes(x(w.rd())).linear().done(),
        0x6f => jump(w, pc, next, len),
        0x67 => indirect(w, next, new(OpKind::Control)),
        0x63 if !matches!(w.funct3(), 2 | 3) => {
            let taken = pc.wrapping_add_signed(w.b());
            let build = new(OpKind::Control).reads(x(w.rs1()), Role::Control);
            build.reads(x(w.rs2()), Role::Control).ends(Terminator::Branch { taken, next }).done()
        }
        0x03 if w.funct3() != 7 => {
            let memory = Memory::load(1 << (w.funct3() & 3));
            load(w, new(OpKind::Copy), memory).writes(x(w.rd())).linear().done()
        }
        0x23 if w.funct3() < 4 => {
            let size = 1 << w.funct3();
            let data = part(w.rs2(), size as u8);
            store(w, new(OpKind::Copy), size, w.rs2() != 0).value(data).linear().done()
        }
        0x13 => immediate(w, 8, new(OpKind::Other)),
        0x1b => immediate(w, 4, new(OpKind::Other)),
        0x33 => arithmetic(w, 8, new(OpKind::Other)),
        0x3b => arithmetic(w, 4, new(OpKind::Other)),
        // FENCE, FENCE.I and hints
        0x0f => new(OpKind::Nop).done(),
        0x73 => system(w, pc, next, len),
        0x2f => atomic(w, new(OpKind::Other)),
        0x07 | 0x27 | 0x43 | 0x47 | 0x4b | 0x4f | 0x53 => float::decode(w, pc, len),
        // Vectors: their registers are one.
        0x57 => unknown(w, new(OpKind::Other)),
        // What is no instruction traps when it is run.
        _ => trap(pc, len),
    }
}

/// What is not known reads and writes what its fields can name.
fn unknown(w: Word, build: Build) -> Decoded {
    build.value(x(w.rs1())).value(x(w.rs2())).value(OTHER).writes(x(w.rd())).writes(OTHER).done()
}

fn jump(w: Word, pc: u64, next: u64, len: u8) -> Decoded {
    let target = pc.wrapping_add_signed(w.j());
    let build = Build::new(pc, len, OpKind::Control).writes(x(w.rd()));
    let is_call = LINKS.contains(&w.rd());
    build.ends(if is_call { Terminator::Call { target, next } } else { Terminator::Jump(target) }).done()
}

fn indirect(w: Word, next: u64, build: Build) -> Decoded {
    let end = match (LINKS.contains(&w.rd()), LINKS.contains(&w.rs1())) {
        (true, _) => Terminator::IndirectCall { next },
        (false, true) if w.rd() == 0 => Terminator::Return,
        _ => Terminator::IndirectJump,
    };
    build.reads(x(w.rs1()), Role::Control).writes(x(w.rd())).ends(end).done()
}

/// A load with its address.
fn load(w: Word, build: Build, memory: Memory) -> Build {
    let data = (w.rd() != 0 && w.field(0, 7) == 0x03).then(|| number(w.rd()));
    build.reads(x(w.rs1()), Role::Address).memory(memory.at(number(w.rs1()), w.i()).of([data, None]))
}

/// A store with its address.
fn store(w: Word, build: Build, size: u16, is_general: bool) -> Build {
    let data = is_general.then(|| number(w.rs2()));
    let memory = Memory::store(size).at(number(w.rs1()), w.s()).of([data, None]);
    build.reads(x(w.rs1()), Role::Address).memory(memory)
}

fn immediate(w: Word, bytes: u8, build: Build) -> Decoded {
    let (rd, rs1) = (x(w.rd()), part(w.rs1(), bytes));
    let kind = |kind| build.clone().kind(kind).writes(rd);
    match w.funct3() {
        0 if w.rd() == 0 => build.kind(OpKind::Nop).done(),
        // LI
        0 if w.rs1() == 0 => kind(OpKind::Constant).linear().done(),
        // MV, SEXT.W
        0 if w.i() == 0 => kind(OpKind::Copy).value(rs1).linear().done(),
        0 => {
            let build = kind(OpKind::Add).reads(rs1, Role::Accumulator).linear();
            build.adds(Addend::Constant(w.i())).done()
        }
        1 if w.funct7() >> 1 == 0 => kind(OpKind::Shift).value(rs1).linear().done(),
        // SLLI.UW
        1 if bytes == 4 && w.funct7() >> 1 == 0b000100 => kind(OpKind::Shift).value(rs1).linear().done(),
        5 if w.funct7() & 0x5e == 0 => kind(OpKind::Shift).value(rs1).done(),
        2 | 3 => kind(OpKind::Compare).value(rs1).done(),
        4 => kind(OpKind::Xor).reads(rs1, Role::Accumulator).done(),
        6 => kind(OpKind::Or).reads(rs1, Role::Accumulator).done(),
        7 => kind(OpKind::And).reads(rs1, Role::Accumulator).done(),
        _ => kind(OpKind::Other).value(rs1).done(),
    }
}

fn arithmetic(w: Word, bytes: u8, build: Build) -> Decoded {
    let (rd, rs1, rs2) = (x(w.rd()), part(w.rs1(), bytes), part(w.rs2(), bytes));
    let kind = |kind| build.clone().kind(kind).writes(rd);
    let plain = |k| kind(k).value(rs1).value(rs2);
    let commutative = |k| kind(k).reads(rs1, Role::Accumulator).reads(rs2, Role::Accumulator);
    match (w.funct7(), w.funct3()) {
        (0, 0) => match (rs1, rs2) {
            (Some(one), None) | (None, Some(one)) => kind(OpKind::Copy).value(one).linear().done(),
            (None, None) => kind(OpKind::Constant).linear().done(),
            _ => sum(commutative(OpKind::Add).linear(), w, (rs1, rs2), false).done(),
        },
        (0x20, 0) => {
            let build = kind(OpKind::Add).reads(rs1, Role::Accumulator).value(rs2).linear();
            sum(build, w, (rs1, rs2), true).done()
        }
        (0, 4) => commutative(OpKind::Xor).done(),
        (0, 6) => commutative(OpKind::Or).done(),
        (0, 7) => commutative(OpKind::And).done(),
        (0x20, 4 | 6 | 7) => plain(OpKind::Other).done(),
        (0, 1 | 5) | (0x20, 5) | (0x30, _) => plain(OpKind::Shift).done(),
        (0, 2 | 3) => plain(OpKind::Compare).done(),
        (1, 0) => commutative(OpKind::Multiply).done(),
        (1, 1..=3) => plain(OpKind::Multiply).done(),
        (1, _) => plain(OpKind::Divide).done(),
        // MIN, MINU, MAX, MAXU
        (5, 4 | 5) => commutative(OpKind::Minimum).done(),
        (5, 6 | 7) => commutative(OpKind::Maximum).done(),
        // SH1ADD to SH3ADD
        (0x10, 2 | 4 | 6) => kind(OpKind::Add).value(rs1).reads(rs2, Role::Accumulator).linear().done(),
        _ => plain(OpKind::Other).done(),
    }
}

/// Says what is added where the sum replaces one of its operands.
fn sum(build: Build, w: Word, (rs1, rs2): (Option<RegRange>, Option<RegRange>), negated: bool) -> Build {
    match (rs1, rs2) {
        (Some(to), Some(from)) if w.rd() == w.rs1() && to != from => {
            build.adds(Addend::Register { to, from, negated })
        }
        (Some(from), Some(to)) if w.rd() == w.rs2() && to != from && !negated => {
            build.adds(Addend::Register { to, from, negated })
        }
        _ => build,
    }
}

fn system(w: Word, pc: u64, next: u64, len: u8) -> Decoded {
    let new = |kind| Build::new(pc, len, kind);
    match (w.funct3(), w.field(20, 12)) {
        (0, 0) => {
            // The number is in a7; the result comes in a0.
            let build = new(OpKind::System).reads(x(17), Role::Control).writes(x(10));
            build.ends(Terminator::Syscall { next }).done()
        }
        (0, _) => trap(pc, len),
        // The flags and the rounding mode of floating point are no operands.
        (1..=3, 1..=3) => new(OpKind::Other).value(x(w.rs1())).writes(x(w.rd())).done(),
        (5..=7, 1..=3) => new(OpKind::Other).writes(x(w.rd())).done(),
        (4, _) => new(OpKind::Other).done(),
        (5..=7, _) => new(OpKind::Other).value(OTHER).writes(x(w.rd())).writes(OTHER).done(),
        _ => new(OpKind::Other).value(x(w.rs1())).value(OTHER).writes(x(w.rd())).writes(OTHER).done(),
    }
}

fn atomic(w: Word, build: Build) -> Decoded {
    let size = match w.funct3() {
        2 => 4u8,
        3 => 8,
        _ => return build.ends(Terminator::Trap).done(),
    };
    let element = u16::from(size);
    let base = build.reads(x(w.rs1()), Role::Address).writes(x(w.rd()));
    let data = part(w.rs2(), size);
    let update = |kind, role| {
        let memory = Memory { role, ..Memory::update(element) }.at(number(w.rs1()), 0);
        base.clone().kind(kind).value(data).memory(memory)
    };
    match w.field(27, 5) {
        0x02 => {
            let memory = Memory::load(element).at(number(w.rs1()), 0);
            base.kind(OpKind::Copy).memory(memory).linear().done()
        }
        0x03 => {
            let memory = Memory::store(element).at(number(w.rs1()), 0).maybe();
            base.kind(OpKind::Copy).value(data).memory(memory).done()
        }
        0x01 => update(OpKind::Other, Role::Value).done(),
        0x00 => update(OpKind::Add, Role::Accumulator).done(),
        0x04 => update(OpKind::Xor, Role::Accumulator).done(),
        0x08 => update(OpKind::Or, Role::Accumulator).done(),
        0x0c => update(OpKind::And, Role::Accumulator).done(),
        0x10 | 0x18 => update(OpKind::Minimum, Role::Accumulator).done(),
        0x14 | 0x1c => update(OpKind::Maximum, Role::Accumulator).done(),
        _ => update(OpKind::Other, Role::Value).done(),
    }
}

#[cfg(test)]
mod tests;
