//! Loads and stores.

use trace::block::{OpKind, RegRange, Role};

use super::{Word, base, number, part, x};
use crate::instruction::{Build, Decoded, Memory, vector};

/// How an address is made from the base register and a constant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// It is the sum.
    Offset,
    /// It is the base; then the constant is added to that.
    After,
    /// The constant is added to the base first.
    Before,
}

pub(super) fn decode(w: Word) -> Decoded {
    match (w.field(27, 3), w.is(26), w.field(24, 2)) {
        (0b001, false, 0) => exclusive(w),
        (0b001, true, 0 | 1) if !w.is(31) => structures(w),
        (0b011, _, 0) => literal(w),
        (0b101, ..) => pair(w),
        (0b111, is_vector, 1) => {
            let size = size(w, is_vector);
            let offset = i64::from(w.field(10, 12)) * i64::from(size);
            single(w, is_vector, size, (offset, Mode::Offset))
        }
        (0b111, is_vector, 0) if !w.is(21) => {
            let mode = match w.field(10, 2) {
                1 => Mode::After,
                3 => Mode::Before,
                _ => Mode::Offset,
            };
            single(w, is_vector, size(w, is_vector), (w.signed(12, 9), mode))
        }
        (0b111, is_vector, 0) if w.field(10, 2) == 2 => indexed(w, is_vector),
        (0b111, false, 0) if w.field(10, 2) == 0 => atomic(w),
        // LDRAA, LDRAB; tags; unscaled forms with order.
        _ => {
            let build = w.unknown_in_memory();
            build.memory(Memory::load(0).maybe()).done()
        }
    }
}

impl Word {
    fn unknown_in_memory(self) -> Build {
        let build = self.build(OpKind::Other).reads(base(self.rn()), Role::Value);
        build.value(x(self.rd())).value(x(self.rm())).writes(x(self.rd())).writes(base(self.rn()))
    }
}

/// Bytes of the register that a single load or store moves.
fn size(w: Word, is_vector: bool) -> u16 {
    let scale = w.field(30, 2) | if is_vector { w.field(23, 1) << 2 } else { 0 };
    1 << scale.min(4)
}

/// Puts an access at a base register and a constant, which may move the register.
fn at(build: Build, w: Word, memory: Memory, (by, mode): (i64, Mode)) -> Decoded {
    let from = base(w.rn());
    let offset = if mode == Mode::After { 0 } else { by };
    let build = build.reads(from, Role::Address).memory(memory.at(from.reg, offset));
    if mode == Mode::Offset { build.done() } else { build.moves(from, by, None).done() }
}

/// What a register is loaded with, or stored from.
fn data(build: Build, register: RegRange, is_load: bool, is_vector: bool) -> Build {
    let build = if is_vector { build.float() } else { build };
    match is_load {
        true if is_vector => build.writes(RegRange { hi: 16, ..register }),
        true => build.writes(RegRange { hi: 8, ..register }),
        false => build.value(register),
    }
}

/// The register of a load or store; none for the one that is always 0.
fn moved(n: u32, is_vector: bool, bytes: u16) -> Option<RegRange> {
    if is_vector { Some(vector(n, bytes as u8)) } else { part(n, bytes.min(8) as u8) }
}

fn access(is_load: bool, bytes: u16) -> Memory {
    if is_load { Memory::load(bytes) } else { Memory::store(bytes) }
}

fn named(n: u32, is_vector: bool) -> Option<u8> {
    (!is_vector && n != super::STACK).then(|| number(n))
}

/// A load or store of one register: direction and width of the result.
fn one(w: Word, is_vector: bool, size: u16) -> Option<(Build, Memory)> {
    let opcode = w.field(22, 2);
    if !is_vector && opcode >= 2 && size == 8 {
        return None;
    }
    let is_load = if is_vector { w.is(22) } else { opcode != 0 };
    let build = w.build(OpKind::Copy).linear();
    let build = match moved(w.rd(), is_vector, size) {
        Some(register) => data(build, register, is_load, is_vector),
        None => build,
    };
    Some((build, access(is_load, size).of([named(w.rd(), is_vector), None])))
}

fn single(w: Word, is_vector: bool, size: u16, address: (i64, Mode)) -> Decoded {
    match one(w, is_vector, size) {
        Some((build, memory)) => at(build, w, memory, address),
        // PRFM
        None => w.build(OpKind::Nop).done(),
    }
}

/// With an index register.
fn indexed(w: Word, is_vector: bool) -> Decoded {
    let bytes = if w.is(13) { 8 } else { 4 };
    match one(w, is_vector, size(w, is_vector)) {
        Some((build, memory)) => {
            let build = build.reads(base(w.rn()), Role::Address).reads(part(w.rm(), bytes), Role::Address);
            build.memory(memory).done()
        }
        None => w.build(OpKind::Nop).done(),
    }
}

fn literal(w: Word) -> Decoded {
    let (opcode, is_vector) = (w.field(30, 2), w.is(26));
    let bytes = match (is_vector, opcode) {
        (true, opcode) => 4 << opcode.min(2),
        (false, 0 | 2) => 4,
        (false, 1) => 8,
        _ => return w.build(OpKind::Nop).done(),
    };
    let build = w.build(OpKind::Copy).linear().memory(Memory::load(bytes));
    match moved(w.rd(), is_vector, bytes) {
        Some(register) => data(build, register, true, is_vector).done(),
        None => build.done(),
    }
}

/// Two registers side by side.
fn pair(w: Word) -> Decoded {
    let (opcode, is_vector, is_load) = (w.field(30, 2), w.is(26), w.is(22));
    let bytes: u16 = match (is_vector, opcode) {
        (true, opcode) => 4 << opcode.min(2),
        (false, 2) => 8,
        _ => 4,
    };
    let second = w.field(10, 5);
    let mut build = w.build(OpKind::Copy).linear();
    for n in [w.rd(), second] {
        if let Some(register) = moved(n, is_vector, bytes) {
            build = data(build, register, is_load, is_vector);
        }
    }
    let mode = match w.field(23, 2) {
        1 => Mode::After,
        3 => Mode::Before,
        _ => Mode::Offset,
    };
    let registers = [named(w.rd(), is_vector), named(second, is_vector)];
    let memory = access(is_load, bytes).of(registers).times(2);
    at(build, w, memory, (w.signed(15, 7) * i64::from(bytes), mode))
}

/// Exclusive and ordered ones, and comparisons with exchange.
fn exclusive(w: Word) -> Decoded {
    let bytes = 1u16 << w.field(30, 2);
    let (is_load, is_pair, is_plain) = (w.is(22), w.is(21), w.is(23));
    let (status, second) = (w.rm(), w.field(10, 5));
    let whole = |n| part(n, bytes as u8);
    let build = w.build(OpKind::Copy).reads(base(w.rn()), Role::Address);
    let at = |memory: Memory| memory.at(number(w.rn()), 0);
    match (is_plain, is_pair) {
        // CAS; CASP has two of everything.
        (true, true) => swap(build, [status, w.rd()], bytes).memory(at(Memory::update(bytes))).done(),
        (false, true) if bytes < 4 => {
            let bytes = 4 << w.field(30, 1);
            let build = swap(build, [status, w.rd()], bytes);
            swap(build, [status | 1, w.rd() | 1], bytes).memory(at(Memory::update(bytes))).done()
        }
        (_, _) if is_load => {
            let build = build.linear().writes(x(w.rd())).memory(at(Memory::load(bytes)));
            if is_pair { build.writes(x(second)).done() } else { build.done() }
        }
        (true, false) => build.linear().value(whole(w.rd())).memory(at(Memory::store(bytes))).done(),
        (false, _) => {
            let build = build.value(whole(w.rd())).writes(x(status)).memory(at(Memory::store(bytes).maybe()));
            if is_pair { build.value(whole(second)).done() } else { build.done() }
        }
    }
}

/// Compares with one register, and stores the other; the former gets what was there.
fn swap(build: Build, [old, new]: [u32; 2], bytes: u16) -> Build {
    let of = |n| part(n, bytes as u8);
    build.kind(OpKind::Other).value(of(old)).value(of(new)).writes(x(old))
}

/// One operation on memory, which gives what was there before.
fn atomic(w: Word) -> Decoded {
    let bytes = 1u16 << w.field(30, 2);
    let from = base(w.rn());
    let build = w.build(OpKind::Other).reads(from, Role::Address).writes(x(w.rd()));
    let value = part(w.rm(), bytes as u8);
    let kind = match (w.is(15), w.field(12, 3)) {
        (false, 0) => OpKind::Add,
        (false, 1) => OpKind::And,
        (false, 2) => OpKind::Xor,
        (false, 3) => OpKind::Or,
        (false, 4 | 6) => OpKind::Maximum,
        (false, _) => OpKind::Minimum,
        // LDAPR
        (true, 4) => {
            let memory = Memory::load(bytes).at(from.reg, 0);
            return build.kind(OpKind::Copy).linear().memory(memory).done();
        }
        _ => OpKind::Other,
    };
    let role = if kind == OpKind::Other { Role::Value } else { Role::Accumulator };
    let memory = Memory { role, ..Memory::update(bytes) }.at(from.reg, 0);
    build.kind(kind).value(value).memory(memory).done()
}

/// Loads and stores of vectors, element by element.
fn structures(w: Word) -> Decoded {
    let (is_load, is_single, moves) = (w.is(22), w.is(24), w.is(23));
    let whole: u16 = if w.is(30) { 16 } else { 8 };
    let (count, bytes) = if is_single { of_lanes(w) } else { (registers(w), whole) };
    if count == 0 {
        return w.trap();
    }
    let replicates = is_single && w.field(14, 2) == 3;
    let mut build = w.build(OpKind::Copy).float().linear().reads(base(w.rn()), Role::Address);
    for n in (0..count).map(|k| w.rd() + k) {
        build = match (is_load, is_single && !replicates) {
            // The other lanes stay.
            (true, true) => build.writes(lane(w, n, bytes)),
            (true, false) => build.writes(vector(n, 16)),
            (false, true) => build.value(lane(w, n, bytes)),
            (false, false) => build.value(vector(n, whole as u8)),
        };
    }
    let memory = access(is_load, if is_single { bytes } else { whole }).at(number(w.rn()), 0).times(count);
    let build = build.memory(memory);
    match (moves, w.rm()) {
        (false, _) => build.done(),
        (true, super::STACK) => build.moves(base(w.rn()), i64::from(count) * i64::from(bytes), None).done(),
        (true, index) => build.moves(base(w.rn()), 0, x(index)).done(),
    }
}

/// Registers of an instruction on whole ones; 0 if there is none like it.
fn registers(w: Word) -> u32 {
    match w.field(12, 4) {
        0b0000 | 0b0010 => 4,
        0b0100 | 0b0110 => 3,
        0b1000 | 0b1010 => 2,
        0b0111 => 1,
        _ => 0,
    }
}

/// Registers, and bytes of each, of an instruction on one lane of them.
fn of_lanes(w: Word) -> (u32, u16) {
    let count = (w.field(13, 1) << 1 | w.field(21, 1)) + 1;
    let bytes = match w.field(14, 2) {
        3 => 1 << w.field(10, 2),
        2 if w.field(10, 1) == 1 => 8,
        scale => 1 << scale,
    };
    (count, bytes)
}

/// The bytes of a lane.
fn lane(w: Word, n: u32, bytes: u16) -> RegRange {
    let all = w.field(30, 1) << 3 | w.field(12, 1) << 2 | w.field(10, 2);
    let at = (all & !(u32::from(bytes) - 1)) as u8;
    RegRange { lo: at, hi: at + bytes as u8, ..vector(n, 16) }
}
