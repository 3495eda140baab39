//! Floating point, one number at a time.

use trace::block::{OpKind, RegRange, Role};

use super::{Word, part, x};
use crate::instruction::{Build, Decoded, FLAGS, vector};

/// All of a register: the rest of it becomes 0.
fn whole(n: u32) -> RegRange {
    vector(n, 16)
}

/// Bytes of a number by its two bits.
fn bytes(code: u32) -> u8 {
    match code {
        0 => 4,
        1 => 8,
        3 => 2,
        _ => 16,
    }
}

pub(super) fn decode(w: Word) -> Decoded {
    let bytes = bytes(w.field(22, 2));
    if w.is(24) {
        return fused(w, bytes);
    }
    if !w.is(21) {
        // From and to numbers with a fixed point.
        return between(w, bytes);
    }
    let (rn, rm) = (vector(w.rn(), bytes), vector(w.rm(), bytes));
    let result = |kind| w.build(kind).float().writes(whole(w.rd()));
    match (w.field(10, 2), w.field(10, 6)) {
        (2, _) => arithmetic(w, (rn, rm)),
        // FCSEL
        (3, _) => result(OpKind::Select).value(rn).value(rm).value(FLAGS).done(),
        // FCCMP
        (1, _) => {
            let build = w.build(OpKind::Compare).float().value(rn).value(rm);
            build.value(FLAGS).writes(FLAGS).done()
        }
        (_, 0) => between(w, bytes),
        // FCMP, with 0 too
        (_, 0b001000) => {
            let build = w.build(OpKind::Compare).float().value(rn).writes(FLAGS);
            if w.is(3) { build.done() } else { build.value(rm).done() }
        }
        // FMOV of a constant
        (_, code) if code & 7 == 4 => result(OpKind::Constant).linear().done(),
        (_, code) if code & 31 == 16 => one_source(w, rn),
        _ => result(OpKind::Other).value(rn).value(rm).value(whole(w.rd())).done(),
    }
}

/// A product and a sum: what is added as it is can be an accumulator.
fn fused(w: Word, bytes: u8) -> Decoded {
    let of = |n| vector(n, bytes);
    let role = if w.is(21) { Role::Value } else { Role::Accumulator };
    let build = w.build(OpKind::Add).float().reads(of(w.ra()), role);
    build.value(of(w.rn())).value(of(w.rm())).writes(whole(w.rd())).done()
}

fn arithmetic(w: Word, (rn, rm): (RegRange, RegRange)) -> Decoded {
    let result = |kind| w.build(kind).float().writes(whole(w.rd()));
    let commutative = |kind| result(kind).reads(rn, Role::Accumulator).reads(rm, Role::Accumulator).done();
    match w.field(12, 4) {
        0 => commutative(OpKind::Multiply),
        1 => result(OpKind::Divide).value(rn).value(rm).done(),
        2 => commutative(OpKind::Add),
        3 => result(OpKind::Add).reads(rn, Role::Accumulator).value(rm).done(),
        4 | 6 => commutative(OpKind::Maximum),
        5 | 7 => commutative(OpKind::Minimum),
        8 => result(OpKind::Multiply).value(rn).value(rm).done(),
        _ => result(OpKind::Other).value(rn).value(rm).done(),
    }
}

fn one_source(w: Word, rn: RegRange) -> Decoded {
    let result = |kind| w.build(kind).float().writes(whole(w.rd())).value(rn);
    match w.field(15, 6) {
        0 => result(OpKind::Copy).linear().done(),
        3 => result(OpKind::Divide).done(),
        4..=7 => result(OpKind::Convert).done(),
        8..=15 => result(OpKind::Convert).done(),
        _ => result(OpKind::Other).done(),
    }
}

/// Between general registers and these.
fn between(w: Word, bytes: u8) -> Decoded {
    let is_high = w.field(19, 2) == 1;
    let place = RegRange { lo: 8, ..vector(w.rd(), 16) };
    match w.field(16, 3) {
        2 | 3 => {
            let build = w.build(OpKind::Convert).float().value(part(w.rn(), w.width()));
            build.writes(whole(w.rd())).done()
        }
        // FMOV from a vector register
        6 => {
            let from = RegRange { lo: if is_high { 8 } else { 0 }, ..vector(w.rn(), 16) };
            let from = RegRange { hi: from.lo + w.width(), ..from };
            w.build(OpKind::Copy).value(from).writes(x(w.rd())).linear().done()
        }
        // FMOV to a vector register, half of which stays if it is the upper one
        7 => {
            let to = if is_high { place } else { whole(w.rd()) };
            let build = w.build(OpKind::Copy).writes(to).linear();
            match part(w.rn(), w.width()) {
                Some(from) => build.value(from).done(),
                None => build.kind(OpKind::Constant).done(),
            }
        }
        _ => converted(w, bytes),
    }
}

fn converted(w: Word, bytes: u8) -> Decoded {
    let build: Build = w.build(OpKind::Convert).float().value(vector(w.rn(), bytes));
    build.writes(x(w.rd())).done()
}
