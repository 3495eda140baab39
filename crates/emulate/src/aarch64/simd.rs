//! Advanced SIMD: vectors of 8 and 16 bytes, and the same on their first element.
//!
//! Instructions that are not listed are [`OpKind::Other`] on their first operands and what they write.

use trace::block::{OpKind, RegRange, Role};

use super::{Word, part, scalar, x};
use crate::instruction::{Build, Decoded, vector};

/// What an instruction does, beside where its operands are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inputs {
    /// Plain ones.
    Plain,
    /// Both may be accumulators.
    Commutative,
    /// The first may.
    First,
    /// What the destination held may, and is an input.
    Destination,
    /// What the destination held is an input.
    Merged,
}

use Inputs::{Commutative, Destination, First, Merged, Plain};

pub(super) fn decode(w: Word) -> Decoded {
    // Bits 28 and 30 tell what is scalar.
    if w.is(28) && !w.is(30) {
        return scalar::decode(w);
    }
    if w.is(31) {
        // Hashes and ciphers of three or four registers.
        return other(w).value(vector(w.ra(), 16)).done();
    }
    let class = (w.is(24), w.is(21), w.is(15), w.is(10));
    match class {
        (false, true, _, true) => same(w),
        (false, true, _, false) => match (w.field(17, 4), w.is(11)) {
            (0, true) => two_registers(w),
            (8, true) => across(w),
            (_, false) => different(w),
            _ => other(w).done(),
        },
        (false, false, false, true) if w.field(22, 2) == 0 => copy(w),
        (false, false, false, false) => rearranged(w),
        (true, _, _, true) if w.field(19, 5) == 0 && !w.is(28) => constant(w),
        (true, _, _, true) if !w.is(23) => shift(w),
        (true, _, _, false) => by_element(w),
        _ => other(w).done(),
    }
}

/// Bytes of the vectors it works on; of one element if it is scalar.
fn width(w: Word) -> u8 {
    match (w.is(28), w.is(30)) {
        (true, _) => 8,
        (false, true) => 16,
        (false, false) => 8,
    }
}

fn other(w: Word) -> Build {
    let whole = |n| vector(n, 16);
    let build = w.build(OpKind::Other).value(whole(w.rn())).value(whole(w.rm())).value(whole(w.rd()));
    build.writes(whole(w.rd()))
}

/// An operation on one or two vectors.
fn on(w: Word, kind: OpKind, inputs: Inputs, rn: RegRange, rm: Option<RegRange>) -> Build {
    let (first, second) = match inputs {
        Commutative => (Role::Accumulator, Role::Accumulator),
        First => (Role::Accumulator, Role::Value),
        _ => (Role::Value, Role::Value),
    };
    let destination = vector(w.rd(), 16);
    let build = w.build(kind).reads(rn, first).reads(rm, second).writes(destination);
    match inputs {
        Destination => build.reads(destination, Role::Accumulator),
        Merged => build.value(destination),
        _ => build,
    }
}

/// Three vectors of equal elements.
fn same(w: Word) -> Decoded {
    let (rn, rm) = (vector(w.rn(), width(w)), vector(w.rm(), width(w)));
    let (opcode, u, size) = (w.field(11, 5), w.is(29), w.field(22, 2));
    if opcode >= 0b11000 {
        return same_float(w, (rn, rm));
    }
    let (kind, inputs) = match (opcode, u) {
        (0b10000, false) => (OpKind::Add, Commutative),
        (0b10000, true) => (OpKind::Add, First),
        (0b10010, _) => (OpKind::Add, Destination),
        (0b10011, false) => (OpKind::Multiply, Commutative),
        (0b01100, _) => (OpKind::Maximum, Commutative),
        (0b01101, _) => (OpKind::Minimum, Commutative),
        (0b10111, false) => (OpKind::Add, Plain),
        (0b10100, _) => (OpKind::Maximum, Plain),
        (0b10101, _) => (OpKind::Minimum, Plain),
        // Sums of absolute differences
        (0b01111, _) => (OpKind::Add, Destination),
        (0b00110 | 0b00111 | 0b10001, _) => (OpKind::Compare, Plain),
        (0b01000, _) => (OpKind::Shift, Plain),
        (0b00011, _) => match (u, size) {
            (false, 0) => (OpKind::And, Commutative),
            (false, 1) => (OpKind::And, First),
            // MOV
            (false, 2) if w.rn() == w.rm() => {
                return w.build(OpKind::Copy).value(rn).writes(vector(w.rd(), 16)).done();
            }
            (false, 2) => (OpKind::Or, Commutative),
            (false, _) => (OpKind::Or, First),
            // Of a register and itself: 0.
            (true, 0) if w.rn() == w.rm() => {
                return w.build(OpKind::Constant).writes(vector(w.rd(), 16)).done();
            }
            (true, 0) => (OpKind::Xor, Commutative),
            (true, _) => (OpKind::Select, Merged),
        },
        _ => return other(w).done(),
    };
    on(w, kind, inputs, rn, Some(rm)).done()
}

fn same_float(w: Word, (rn, rm): (RegRange, RegRange)) -> Decoded {
    let (kind, inputs) = match (w.field(11, 5), w.is(29), w.is(23)) {
        (0b11010, false, false) => (OpKind::Add, Commutative),
        (0b11010, false, true) => (OpKind::Add, First),
        (0b11010, true, false) => (OpKind::Add, Plain),
        (0b11001, false, _) => (OpKind::Add, Destination),
        (0b11011, true, false) => (OpKind::Multiply, Commutative),
        (0b11011, false, false) => (OpKind::Multiply, Plain),
        (0b11000 | 0b11110, false, false) => (OpKind::Maximum, Commutative),
        (0b11000 | 0b11110, false, true) => (OpKind::Minimum, Commutative),
        (0b11111, true, false) => (OpKind::Divide, Plain),
        (0b11100, _, _) => (OpKind::Compare, Plain),
        _ => return other(w).float().done(),
    };
    on(w, kind, inputs, rn, Some(rm)).float().done()
}

/// Elements of the result are twice as long as those of an operand, or half.
fn different(w: Word) -> Decoded {
    let (rn, rm) = (vector(w.rn(), 16), vector(w.rm(), 16));
    let (kind, inputs) = match w.field(12, 4) {
        0 | 2 => (OpKind::Add, Plain),
        1 | 3 => (OpKind::Add, First),
        5 | 8 | 10 => (OpKind::Add, Destination),
        12 => (OpKind::Multiply, Plain),
        _ => return other(w).done(),
    };
    on(w, kind, inputs, rn, Some(rm)).done()
}

fn two_registers(w: Word) -> Decoded {
    let rn = vector(w.rn(), width(w));
    let opcode = w.field(12, 5);
    let kind = match (opcode, w.is(29)) {
        (0b00000 | 0b00001, _) => OpKind::Shuffle,
        // Narrower elements: with 16 bytes, in the upper half, while the lower one stays.
        (0b10010 | 0b10100 | 0b10110, _) => {
            let to = RegRange { lo: if w.is(30) && !w.is(28) { 8 } else { 0 }, ..vector(w.rd(), 16) };
            return w.build(OpKind::Convert).value(vector(w.rn(), 16)).writes(to).done();
        }
        // Rounding, conversions and longer elements.
        (0b10111..=0b11101, _) => OpKind::Convert,
        // Comparisons with 0
        (0b01000..=0b01010 | 0b01100..=0b01110, _) => OpKind::Compare,
        // FSQRT
        (0b11111, true) => OpKind::Divide,
        // SADALP and UADALP, and what changes registers in place.
        (0b00110, _) => return on(w, OpKind::Add, Destination, rn, None).done(),
        (0b00011, _) => return other(w).done(),
        _ => OpKind::Other,
    };
    on(w, kind, Plain, vector(w.rn(), 16), None).done()
}

/// All elements of a vector to one.
fn across(w: Word) -> Decoded {
    let kind = match (w.field(12, 5), w.is(29)) {
        (0b11011, false) | (0b00011, _) | (0b01101, true) => OpKind::Add,
        (0b01010, _) => OpKind::Maximum,
        (0b11010, _) => OpKind::Minimum,
        _ => OpKind::Other,
    };
    on(w, kind, Plain, vector(w.rn(), 16), None).done()
}

/// Moves of elements.
fn copy(w: Word) -> Decoded {
    let size = 1u8 << w.field(16, 5).trailing_zeros().min(4);
    let at = |index: u32| {
        let lo = (index as u8 & (16 / size - 1)) * size;
        RegRange { lo, hi: lo + size, ..vector(0, 16) }
    };
    let index = w.field(16, 5) >> (size.trailing_zeros() + 1);
    let element = |n, index| RegRange { reg: vector(n, 16).reg, ..at(index) };
    if size == 16 {
        return other(w).done();
    }
    let new = w.build(OpKind::Shuffle);
    if w.is(29) {
        // INS from a vector: the other elements stay.
        let from = w.field(11, 4) >> size.trailing_zeros();
        return new.value(element(w.rn(), from)).writes(element(w.rd(), index)).done();
    }
    match w.field(11, 4) {
        0 => new.value(element(w.rn(), index)).writes(vector(w.rd(), 16)).done(),
        1 => {
            let build = new.writes(vector(w.rd(), 16));
            match part(w.rn(), size) {
                Some(from) => build.value(from).done(),
                None => build.kind(OpKind::Constant).done(),
            }
        }
        3 => new.value(part(w.rn(), size)).writes(element(w.rd(), index)).done(),
        5 | 7 => w.build(OpKind::Copy).value(element(w.rn(), index)).writes(x(w.rd())).linear().done(),
        _ => other(w).done(),
    }
}

/// Tables, permutations and extracts.
fn rearranged(w: Word) -> Decoded {
    let (rn, rm) = (vector(w.rn(), width(w)), vector(w.rm(), width(w)));
    let new = w.build(OpKind::Shuffle).writes(vector(w.rd(), 16));
    if w.is(29) {
        return new.value(rn).value(rm).done();
    }
    if w.is(11) {
        return new.value(rn).value(rm).done();
    }
    if w.is(28) {
        return other(w).done();
    }
    // TBL and TBX: up to four registers in a row
    let mut build = new.value(rm);
    for n in 0..=w.field(13, 2) {
        build = build.value(vector(w.rn() + n, 16));
    }
    if w.is(12) { build.value(vector(w.rd(), width(w))).done() } else { build.done() }
}

/// Constants, and bits set or cleared by one.
fn constant(w: Word) -> Decoded {
    let mode = w.field(12, 4);
    let build = w.build(OpKind::Constant).writes(vector(w.rd(), 16));
    if mode & 1 == 1 && mode < 12 {
        let kind = if w.is(29) { OpKind::And } else { OpKind::Or };
        return build.kind(kind).value(vector(w.rd(), 16)).done();
    }
    build.done()
}

/// Shifts by a constant.
fn shift(w: Word) -> Decoded {
    let rn = vector(w.rn(), width(w));
    match (w.field(11, 5), w.is(29)) {
        // SSRA and the like: what is shifted is added.
        (0b00010 | 0b00110, _) => on(w, OpKind::Add, Destination, rn, None).done(),
        // SRI, SLI
        (0b01000, _) | (0b01010, true) => on(w, OpKind::Other, Merged, rn, None).done(),
        (0b00000 | 0b00100, _) | (0b01010, false) => on(w, OpKind::Shift, Plain, rn, None).done(),
        // SSHLL, USHLL
        (0b10100, _) => on(w, OpKind::Convert, Plain, vector(w.rn(), 16), None).done(),
        // Narrower elements
        (0b10000..=0b10011, _) => {
            let to = RegRange { lo: if w.is(30) && !w.is(28) { 8 } else { 0 }, ..vector(w.rd(), 16) };
            w.build(OpKind::Shift).value(vector(w.rn(), 16)).writes(to).done()
        }
        (0b11100 | 0b11111, _) => on(w, OpKind::Convert, Plain, rn, None).float().done(),
        _ => other(w).done(),
    }
}

/// The second operand is one element of a vector.
fn by_element(w: Word) -> Decoded {
    // Of short elements the register is one of the first sixteen.
    let m = if w.field(22, 2) < 2 { w.field(16, 4) } else { w.rm() };
    let (rn, rm) = (vector(w.rn(), 16), vector(m, 16));
    let (kind, inputs, float) = match (w.field(12, 4), w.is(29)) {
        (0b0001 | 0b0101, false) => (OpKind::Add, Destination, true),
        (0b1001, _) => (OpKind::Multiply, Plain, true),
        (0b0000 | 0b0100, true) | (0b0010 | 0b0110, _) => (OpKind::Add, Destination, false),
        (0b1000, false) | (0b1010, _) => (OpKind::Multiply, Plain, false),
        _ => return other(w).value(rm).done(),
    };
    let build = on(w, kind, inputs, rn, Some(rm));
    if float { build.float().done() } else { build.done() }
}
