//! Arithmetic on integers.

use trace::block::{Addend, OpKind, RegRange, Role};

use super::{STACK, Word, base, part, x};
use crate::instruction::{Build, Decoded, FLAGS};

/// Result in a register, or the stack pointer.
fn to_base(build: Build, n: u32) -> Build {
    build.writes(base(n))
}

fn of_base(n: u32, bytes: u8) -> RegRange {
    RegRange { hi: bytes, ..base(n) }
}

/// With a constant as last operand.
pub(super) fn immediate(w: Word) -> Decoded {
    let bytes = w.width();
    match w.field(23, 6) {
        // ADR, ADRP
        0b100000 | 0b100001 => w.build(OpKind::Constant).writes(x(w.rd())).linear().done(),
        0b100010 | 0b100011 => sum_with_constant(w, bytes),
        0b100100 => logical_with_constant(w, bytes),
        0b100101 => {
            let build = w.build(OpKind::Constant).writes(x(w.rd()));
            match w.field(29, 2) {
                // MOVK: one part is replaced.
                3 => build.kind(OpKind::Or).value(x(w.rd())).done(),
                _ => build.linear().done(),
            }
        }
        0b100110 => bit_field(w, bytes),
        0b100111 => shift(w).value(part(w.rn(), bytes)).value(part(w.rm(), bytes)).done(),
        _ => w.unknown(),
    }
}

fn shift(w: Word) -> Build {
    w.build(OpKind::Shift).writes(x(w.rd()))
}

fn sum_with_constant(w: Word, bytes: u8) -> Decoded {
    let (subtracts, flags) = (w.is(30), w.is(29));
    let from = of_base(w.rn(), bytes);
    let constant = i64::from(w.field(10, 12)) << if w.is(22) { 12 } else { 0 };
    let constant = if subtracts { -constant } else { constant };
    if flags && w.rd() == STACK {
        return w.build(OpKind::Compare).value(from).writes(FLAGS).done();
    }
    let build = if flags {
        w.build(OpKind::Add).writes(x(w.rd())).writes(FLAGS)
    } else {
        to_base(w.build(OpKind::Add), w.rd())
    };
    if constant == 0 && !flags {
        return build.kind(OpKind::Copy).value(from).linear().done();
    }
    build.reads(from, Role::Accumulator).linear().adds(Addend::Constant(constant)).done()
}

fn logical_with_constant(w: Word, bytes: u8) -> Decoded {
    let from = part(w.rn(), bytes);
    match w.field(29, 2) {
        3 if w.rd() == STACK => w.build(OpKind::Compare).value(from).writes(FLAGS).done(),
        3 => {
            let build = w.build(OpKind::And).reads(from, Role::Accumulator);
            build.writes(x(w.rd())).writes(FLAGS).done()
        }
        1 if w.rn() == STACK => to_base(w.build(OpKind::Constant), w.rd()).linear().done(),
        opcode => {
            let kind = [OpKind::And, OpKind::Or, OpKind::Xor][opcode as usize % 3];
            to_base(w.build(kind).reads(from, Role::Accumulator), w.rd()).done()
        }
    }
}

/// Shifts, extensions, and moves of fields of bits.
fn bit_field(w: Word, bytes: u8) -> Decoded {
    let (rotate, last) = (w.field(16, 6), w.field(10, 6));
    let (from, size) = (part(w.rn(), bytes), u32::from(bytes) * 8);
    match w.field(29, 2) {
        // BFM: what is not replaced stays.
        1 => shift(w).kind(OpKind::Other).value(from).value(part(w.rd(), bytes)).done(),
        0 | 2 if rotate == 0 && matches!(last, 7 | 15 | 31) => {
            shift(w).kind(OpKind::Copy).value(part(w.rn(), ((last + 1) / 8) as u8)).linear().done()
        }
        // LSL
        2 if last + 1 == rotate && last + 1 != size => shift(w).value(from).linear().done(),
        // An integer of 32 bits, widened and shifted to the left.
        0 | 2 if last == 31 && rotate > last => shift(w).value(part(w.rn(), 4)).linear().done(),
        _ => shift(w).value(from).done(),
    }
}

/// With registers alone.
pub(super) fn register(w: Word) -> Decoded {
    match (w.field(24, 5), w.field(21, 8)) {
        (0b01010, _) => logical(w),
        (0b01011, _) if w.is(21) => extended_sum(w),
        (0b01011, _) => shifted_sum(w),
        (0b11011, _) => product(w),
        (_, 0b1101_0000) => {
            let build = values(w, w.build(OpKind::Add)).value(FLAGS).writes(x(w.rd()));
            if w.is(29) { build.writes(FLAGS).done() } else { build.done() }
        }
        (_, 0b1101_0010) => {
            let build = w.build(OpKind::Compare).value(part(w.rn(), w.width())).value(FLAGS).writes(FLAGS);
            if w.is(11) { build.done() } else { build.value(part(w.rm(), w.width())).done() }
        }
        (_, 0b1101_0100) => values(w, w.build(OpKind::Select)).value(FLAGS).writes(x(w.rd())).done(),
        (_, 0b1101_0110) => few_sources(w),
        _ => w.unknown(),
    }
}

fn values(w: Word, build: Build) -> Build {
    build.value(part(w.rn(), w.width())).value(part(w.rm(), w.width()))
}

fn logical(w: Word) -> Decoded {
    let (rn, rm) = (part(w.rn(), w.width()), part(w.rm(), w.width()));
    let (opcode, inverts, shifts) = (w.field(29, 2), w.is(21), w.field(10, 6) != 0);
    if opcode == 3 && w.rd() == STACK {
        return w.build(OpKind::Compare).value(rn).value(rm).writes(FLAGS).done();
    }
    let build = w.build(OpKind::Other).writes(x(w.rd()));
    match (opcode, inverts, rn) {
        // MOV
        (1, false, None) if !shifts => {
            let kind = if rm.is_none() { OpKind::Constant } else { OpKind::Copy };
            return build.kind(kind).value(rm).linear().done();
        }
        (1, false, None) => {
            let build = build.kind(OpKind::Shift).value(rm);
            return if w.field(22, 2) == 0 { build.linear().done() } else { build.done() };
        }
        // MVN
        (1, true, None) if !shifts => return build.kind(OpKind::Xor).value(rm).linear().done(),
        _ => {}
    }
    let kind = [OpKind::And, OpKind::Or, OpKind::Xor, OpKind::And][opcode as usize & 3];
    let other = if inverts || shifts { Role::Value } else { Role::Accumulator };
    let build = build.kind(kind).reads(rn, Role::Accumulator).reads(rm, other);
    if opcode == 3 { build.writes(FLAGS).done() } else { build.done() }
}

fn shifted_sum(w: Word) -> Decoded {
    let (rn, rm) = (part(w.rn(), w.width()), part(w.rm(), w.width()));
    let (subtracts, flags, amount, way) = (w.is(30), w.is(29), w.field(10, 6), w.field(22, 2));
    if flags && w.rd() == STACK {
        return w.build(OpKind::Compare).value(rn).value(rm).writes(FLAGS).done();
    }
    let mut build = w.build(OpKind::Add).writes(x(w.rd()));
    if flags {
        build = build.writes(FLAGS);
    }
    let is_linear = amount == 0 || way == 0;
    let other = if !subtracts && amount == 0 { Role::Accumulator } else { Role::Value };
    build = build.reads(rn, Role::Accumulator).reads(rm, other);
    if let (Some(to), Some(from)) = (rn, rm)
        && amount == 0
        && to != from
    {
        if w.rd() == w.rn() {
            build = build.adds(Addend::Register { to, from, negated: subtracts });
        } else if w.rd() == w.rm() && !subtracts {
            build = build.adds(Addend::Register { to: from, from: to, negated: false });
        }
    }
    if is_linear { build.linear().done() } else { build.done() }
}

fn extended_sum(w: Word) -> Decoded {
    let bytes = match w.field(13, 2) {
        0 => 1,
        1 => 2,
        2 => 4,
        _ => w.width(),
    };
    let (rn, rm) = (of_base(w.rn(), w.width()), part(w.rm(), bytes));
    if w.is(29) && w.rd() == STACK {
        return w.build(OpKind::Compare).value(rn).value(rm).writes(FLAGS).done();
    }
    let build = w.build(OpKind::Add).reads(rn, Role::Accumulator).value(rm).linear();
    if w.is(29) { build.writes(x(w.rd())).writes(FLAGS).done() } else { to_base(build, w.rd()).done() }
}

fn product(w: Word) -> Decoded {
    let build = w.build(OpKind::Multiply).writes(x(w.rd()));
    let (bytes, is_long) = match w.field(21, 3) {
        0 => (w.width(), false),
        1 | 5 => (4, true),
        _ => (8, true),
    };
    let (rn, rm) = (part(w.rn(), bytes), part(w.rm(), bytes));
    let is_high = matches!(w.field(21, 3), 2 | 6);
    if is_high || (w.ra() == STACK && is_long) {
        return build.value(rn).value(rm).done();
    }
    if w.ra() == STACK && !w.is(15) {
        return build.reads(rn, Role::Accumulator).reads(rm, Role::Accumulator).done();
    }
    let sum = part(w.ra(), w.width());
    build.kind(OpKind::Add).reads(sum, Role::Accumulator).value(rn).value(rm).done()
}

fn few_sources(w: Word) -> Decoded {
    let (rn, rm) = (part(w.rn(), w.width()), part(w.rm(), w.width()));
    if w.is(30) {
        // Reversals of bytes and bits; counts of bits.
        let kind = if w.field(10, 6) < 4 && w.rm() == 0 { OpKind::Shuffle } else { OpKind::Other };
        return w.build(kind).value(rn).value((w.rm() != 0).then(|| base(w.rn()))).writes(x(w.rd())).done();
    }
    let kind = match w.field(10, 6) {
        2 | 3 => OpKind::Divide,
        8..=11 => OpKind::Shift,
        _ => return values(w, w.build(OpKind::Other)).value(FLAGS).writes(x(w.rd())).writes(FLAGS).done(),
    };
    w.build(kind).value(rn).value(rm).writes(x(w.rd())).done()
}
