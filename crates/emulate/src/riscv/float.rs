//! Floating point of 32 and 64 bits, and the loads and stores of vectors, which have the same first byte.

use trace::block::{OpKind, RegRange, Role};

use super::{Word, load, store, trap, unknown, x};
use crate::instruction::{Build, Decoded, Memory, vector};

/// All of a register: a shorter number fills the rest of it.
fn whole(n: u32) -> RegRange {
    vector(n, 8)
}

/// Decodes an instruction with one of the bytes of floating point.
pub(super) fn decode(w: Word, pc: u64, len: u8) -> Decoded {
    let new = |kind| Build::new(pc, len, kind);
    match w.field(0, 7) {
        0x07 => match w.funct3() {
            1..=4 => {
                let build = load(w, new(OpKind::Copy).float(), Memory::load(1 << w.funct3()));
                build.writes(whole(w.rd())).linear().done()
            }
            _ => with_memory(w, new(OpKind::Other), Memory::load(0)),
        },
        0x27 => match w.funct3() {
            1..=4 => {
                let size = 1u16 << w.funct3();
                let build = store(w, new(OpKind::Copy).float(), size, false);
                build.value(vector(w.rs2(), size.min(8) as u8)).linear().done()
            }
            _ => with_memory(w, new(OpKind::Other), Memory::store(0)),
        },
        0x53 => arithmetic(w, pc, len),
        opcode => fused(w, opcode, new(OpKind::Add)),
    }
}

/// A load or store of vectors.
fn with_memory(w: Word, build: Build, memory: Memory) -> Decoded {
    unknown(w, build.memory(memory.maybe()))
}

/// Bytes of the numbers that an instruction works on; none if they are of another kind.
fn bytes(w: Word) -> Option<u8> {
    match w.field(25, 2) {
        0 => Some(4),
        1 => Some(8),
        2 => Some(2),
        _ => None,
    }
}

/// The product of two registers and a third: added as it is, or subtracted from it, it can be an accumulator.
fn fused(w: Word, opcode: u32, build: Build) -> Decoded {
    let bytes = bytes(w).unwrap_or(8);
    let of = |n| vector(n, bytes);
    // FMADD and FNMSUB add the third register as it is.
    let role = if matches!(opcode, 0x43 | 0x4b) { Role::Accumulator } else { Role::Value };
    let build = build.float().value(of(w.rs1())).value(of(w.rs2()));
    build.reads(of(w.rs3()), role).writes(whole(w.rd())).done()
}

fn arithmetic(w: Word, pc: u64, len: u8) -> Decoded {
    let Some(bytes) = bytes(w) else { return trap(pc, len) };
    let (rs1, rs2) = (vector(w.rs1(), bytes), vector(w.rs2(), bytes));
    let new = |kind| Build::new(pc, len, kind).float();
    let result = |kind| new(kind).writes(whole(w.rd()));
    let plain = |kind| result(kind).value(rs1).value(rs2).done();
    let commutative = |kind| result(kind).reads(rs1, Role::Accumulator).reads(rs2, Role::Accumulator).done();
    match w.funct7() >> 2 {
        0x00 => commutative(OpKind::Add),
        0x01 => result(OpKind::Add).reads(rs1, Role::Accumulator).value(rs2).done(),
        0x02 => commutative(OpKind::Multiply),
        0x03 => plain(OpKind::Divide),
        0x0b => result(OpKind::Divide).value(rs1).done(),
        // FMV: the sign of a number is put in place by itself.
        0x04 if w.funct3() == 0 && rs1 == rs2 => result(OpKind::Copy).value(rs1).linear().done(),
        0x04 => plain(OpKind::Other),
        0x05 if w.funct3() == 0 => commutative(OpKind::Minimum),
        0x05 if w.funct3() == 1 => commutative(OpKind::Maximum),
        0x08 => result(OpKind::Convert).value(vector(w.rs1(), 8)).done(),
        0x14 => new(OpKind::Compare).value(rs1).value(rs2).writes(x(w.rd())).done(),
        0x18 => new(OpKind::Convert).value(rs1).writes(x(w.rd())).done(),
        0x1a => result(OpKind::Convert).value(x(w.rs1())).done(),
        0x1c if w.funct3() == 0 => new(OpKind::Copy).value(rs1).writes(x(w.rd())).linear().done(),
        0x1c => new(OpKind::Other).value(rs1).writes(x(w.rd())).done(),
        // From the register that is always 0, it is a constant.
        0x1e if w.rs1() == 0 => result(OpKind::Constant).linear().done(),
        0x1e => result(OpKind::Copy).value(x(w.rs1())).linear().done(),
        _ => Build::new(pc, len, OpKind::Other)
            .value(rs1)
            .value(rs2)
            .value(x(w.rs1()))
            .writes(whole(w.rd()))
            .writes(x(w.rd()))
            .done(),
    }
}
