//! 64-bit ARM: integers, branches, loads and stores, floating point and Advanced SIMD.
//!
//! Limits: scalable vectors are [`OpKind::Other`] on the registers that their fields can name; authentication of pointers does
//! nothing here, and neither do the mode and flags of floating point.

mod integer;
mod memory;
mod scalar;
mod simd;

use trace::block::{OpKind, RegRange, Role, Terminator};

use crate::instruction::{Build, Decoded, FLAGS, Memory, OTHER, general, vector};

/// The number by which fields name the stack pointer, or else the register that is always 0.
const STACK: u32 = 31;
/// The register that calls put return addresses into.
const LINK: u32 = 30;

/// Number of a general register.
pub fn number(n: u32) -> u8 {
    general(n, STACK)
}

/// Registers that a function has to leave as it found them: `x19` to the frame pointer, and the return address, which it needs
/// itself.
pub fn is_callee_saved(register: u8) -> bool {
    (19..=LINK).any(|n| number(n) == register)
}

/// The first bytes of a general register; none for the one that is always 0.
fn part(n: u32, bytes: u8) -> Option<RegRange> {
    (n != STACK).then(|| RegRange { reg: number(n), lo: 0, hi: bytes })
}

fn x(n: u32) -> Option<RegRange> {
    part(n, 8)
}

/// A general register, or the stack pointer.
fn base(n: u32) -> RegRange {
    RegRange { reg: number(n), lo: 0, hi: 8 }
}

/// The fields of an instruction.
#[derive(Debug, Clone, Copy)]
struct Word {
    bits: u32,
    pc: u64,
}

impl Word {
    fn field(self, at: u32, bits: u32) -> u32 {
        self.bits >> at & ((1 << bits) - 1)
    }
    fn is(self, at: u32) -> bool {
        self.bits >> at & 1 == 1
    }
    fn signed(self, at: u32, bits: u32) -> i64 {
        i64::from((self.bits << (32 - at - bits)) as i32 >> (32 - bits))
    }
    fn rd(self) -> u32 {
        self.field(0, 5)
    }
    fn rn(self) -> u32 {
        self.field(5, 5)
    }
    fn rm(self) -> u32 {
        self.field(16, 5)
    }
    fn ra(self) -> u32 {
        self.field(10, 5)
    }
    /// Bytes of the integers it works on.
    fn width(self) -> u8 {
        if self.is(31) { 8 } else { 4 }
    }
    fn build(self, kind: OpKind) -> Build {
        Build::new(self.pc, 4, kind)
    }
    fn next(self) -> u64 {
        self.pc.wrapping_add(4)
    }
    fn target(self, at: u32, bits: u32) -> u64 {
        self.pc.wrapping_add_signed(self.signed(at, bits) * 4)
    }
    /// What is not known reads and writes all that its fields can name.
    fn unknown(self) -> Decoded {
        self.build(OpKind::Other)
            .value(x(self.rd()))
            .value(x(self.rn()))
            .value(x(self.rm()))
            .value(FLAGS)
            .writes(x(self.rd()))
            .writes(FLAGS)
            .done()
    }
    fn trap(self) -> Decoded {
        self.build(OpKind::Other).ends(Terminator::Trap).done()
    }
}

/// Decodes the instruction at `pc` with which `bytes` begin; what is none, or cut short, is a trap.
pub fn decode(bytes: &[u8], pc: u64) -> Decoded {
    let Some(word) = bytes.get(..4).and_then(|b| <[u8; 4]>::try_from(b).ok()) else {
        return Build::new(pc, 4, OpKind::Other).ends(Terminator::Trap).done();
    };
    let w = Word { bits: u32::from_le_bytes(word), pc };
    match w.field(25, 4) {
        0b1000 | 0b1001 => integer::immediate(w),
        0b1010 | 0b1011 => control(w),
        0b0100 | 0b0110 | 0b1100 | 0b1110 => memory::decode(w),
        0b0101 | 0b1101 => integer::register(w),
        0b0111 | 0b1111 => simd::decode(w),
        0b0010 => scalable(w),
        _ => w.trap(),
    }
}

/// Scalable vectors: registers are named by the same fields as others, loads and stores among them.
fn scalable(w: Word) -> Decoded {
    let all = |n| vector(n, 64);
    let memory = match w.field(29, 3) {
        0b100..=0b110 => Some(Memory::load(0).maybe()),
        0b111 => Some(Memory::store(0).maybe()),
        _ => None,
    };
    let mut build = w.build(OpKind::Other).value(OTHER).writes(OTHER).value(FLAGS).writes(FLAGS);
    for n in [w.rd(), w.rn(), w.rm()] {
        build = build.value(all(n)).value(base(n));
    }
    build = build.writes(all(w.rd())).writes(x(w.rd()));
    match memory {
        Some(memory) => build.memory(memory).done(),
        None => build.done(),
    }
}

/// Branches, exceptions and the system's own instructions.
fn control(w: Word) -> Decoded {
    let new = || w.build(OpKind::Control);
    let next = w.next();
    match (w.field(26, 6), w.field(24, 8)) {
        (0b000101, _) => new().ends(Terminator::Jump(w.target(0, 26))).done(),
        (0b100101, _) => {
            new().writes(x(LINK)).ends(Terminator::Call { target: w.target(0, 26), next }).done()
        }
        (_, 0x54) => {
            let taken = w.target(5, 19);
            new().reads(FLAGS, Role::Control).ends(Terminator::Branch { taken, next }).done()
        }
        // CBZ, CBNZ
        (_, 0x34 | 0x35 | 0xb4 | 0xb5) => {
            let taken = w.target(5, 19);
            let build = new().reads(part(w.rd(), w.width()), Role::Control);
            build.ends(Terminator::Branch { taken, next }).done()
        }
        // TBZ, TBNZ
        (_, 0x36 | 0x37 | 0xb6 | 0xb7) => {
            let taken = w.target(5, 14);
            new().reads(x(w.rd()), Role::Control).ends(Terminator::Branch { taken, next }).done()
        }
        (_, 0xd6 | 0xd7) => {
            let build = new().reads(x(w.rn()), Role::Control);
            match w.field(21, 3) {
                0 => build.ends(Terminator::IndirectJump).done(),
                1 => build.writes(x(LINK)).ends(Terminator::IndirectCall { next }).done(),
                2 => build.ends(Terminator::Return).done(),
                _ => w.trap(),
            }
        }
        (_, 0xd4) if w.field(21, 3) == 0 && w.field(0, 5) == 1 => {
            // The number is in x8; the result comes in x0.
            let build = w.build(OpKind::System).reads(x(8), Role::Control).writes(x(0));
            build.ends(Terminator::Syscall { next }).done()
        }
        (_, 0xd5) => system(w),
        _ => w.trap(),
    }
}

fn system(w: Word) -> Decoded {
    // TPIDR_EL0, the base of what belongs to a thread, and what else never changes while a program runs.
    const CONSTANT: [u32; 3] = [0x5e82, 0x5801, 0x5807];
    const FLAGS_REGISTER: u32 = 0x5a10;
    let data = x(w.rd());
    match (w.field(19, 2), w.is(21)) {
        // Changes of the flags; hints and barriers.
        (0, _) if w.field(12, 4) == 4 => w.build(OpKind::Other).value(FLAGS).writes(FLAGS).done(),
        (0, _) => w.build(OpKind::Nop).done(),
        // Of these, DC ZVA alone stores.
        (1, _) => {
            let build = w.build(OpKind::Other).reads(data, Role::Address);
            build.memory(Memory::store(0).maybe()).done()
        }
        (_, true) => match w.field(5, 15) {
            register if CONSTANT.contains(&register) => {
                w.build(OpKind::Constant).writes(data).linear().done()
            }
            FLAGS_REGISTER => w.build(OpKind::Other).value(FLAGS).writes(data).done(),
            _ => w.build(OpKind::Other).value(OTHER).writes(data).done(),
        },
        (_, false) if w.field(5, 15) == FLAGS_REGISTER => {
            w.build(OpKind::Other).value(data).writes(FLAGS).done()
        }
        (_, false) => w.build(OpKind::Other).value(data).writes(OTHER).done(),
    }
}

#[cfg(test)]
mod tests;
