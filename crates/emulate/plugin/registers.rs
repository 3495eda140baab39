//! The program's registers, at the beginning of a block.
//!
//! The interface has no call for it. QEMU's code generator keeps the processor's state behind the host register `rbp`, with the general
//! registers at its beginning; at the beginning of a block they are all there. That is a matter of QEMU's sources, not of its
//! interface, so it is checked at the program's first instruction: all registers but the stack pointer are 0, which points to
//! the number of arguments.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::memory;
use crate::protocol::REGISTER_WORDS;

/// A processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machine {
    /// 64-bit ARM.
    Aarch64,
    /// 64-bit RISC-V.
    Riscv64,
}

static MACHINE: AtomicU32 = AtomicU32::new(0);
/// What the registers are like is known.
static READABLE: AtomicU32 = AtomicU32::new(0);

/// Most arguments that a program is started with.
const ARGUMENTS: u64 = 1 << 22;

impl Machine {
    /// By QEMU's name for it.
    pub fn of(name: &[u8]) -> Option<Machine> {
        match name {
            b"aarch64" => Some(Machine::Aarch64),
            b"riscv64" => Some(Machine::Riscv64),
            _ => None,
        }
    }

    /// Index of the first general register in the state, and how many there are.
    fn general(self) -> (usize, usize) {
        match self {
            // Sixteen registers of 32 bits for the older mode come first.
            Machine::Aarch64 => (8, 32),
            Machine::Riscv64 => (0, 32),
        }
    }

    /// Stack pointer, frame pointer, first three arguments.
    fn told(self) -> [usize; REGISTER_WORDS] {
        match self {
            Machine::Aarch64 => [31, 29, 0, 1, 2],
            Machine::Riscv64 => [2, 8, 10, 11, 12],
        }
    }
}

/// Which processor it is.
pub fn set(machine: Machine) {
    MACHINE.store(u32::from(machine == Machine::Riscv64), Ordering::Relaxed);
}

fn machine() -> Machine {
    if MACHINE.load(Ordering::Relaxed) == 0 { Machine::Aarch64 } else { Machine::Riscv64 }
}

/// Looks at the state before the program's first instruction, at `pc`, whether it is what it should be.
///
/// # Safety
/// `state` has to be what the code generator has in `rbp`.
pub unsafe fn check(state: *const u64, pc: u64, base: i64) -> bool {
    let machine = machine();
    let (first, count) = machine.general();
    let mut bytes = [0; 41 * 8];
    if memory::read(state.addr() as u64, &mut bytes) != bytes.len() {
        return false;
    }
    let word = |at: usize| {
        let mut word = [0; 8];
        word.copy_from_slice(&bytes[at * 8..at * 8 + 8]);
        u64::from_le_bytes(word)
    };
    let stack = machine.told()[0];
    let others = (0..count).filter(|&r| r != stack).all(|r| word(first + r) == 0);
    let pointer = word(first + stack);
    let arguments = memory::word(pointer.wrapping_add_signed(base));
    let at_pc = machine == Machine::Riscv64 || word(first + count) == pc;
    let is_right = others
        && at_pc
        && pointer.is_multiple_of(16)
        && arguments.is_some_and(|count| (1..ARGUMENTS).contains(&count));
    READABLE.store(u32::from(is_right), Ordering::Relaxed);
    is_right
}

/// The registers that are told, 0 if they cannot be read.
///
/// # Safety
/// `state` has to be what the code generator has in `rbp`.
#[inline]
pub unsafe fn read(state: *const u64) -> [u64; REGISTER_WORDS] {
    if READABLE.load(Ordering::Relaxed) == 0 {
        return [0; REGISTER_WORDS];
    }
    let machine = machine();
    let first = machine.general().0;
    // SAFETY: the caller vouches for it, and it was checked that registers are there.
    machine.told().map(|register| unsafe { state.add(first + register).read() })
}

/// Bytes of the last RISC-V instruction.
fn last_length(code: &[u8]) -> usize {
    let (mut at, mut length) = (0, 0);
    while let Some(byte) = code.get(at) {
        length = if byte & 3 == 3 { 4 } else { 2 };
        at += length;
    }
    length
}

/// Whether registers are to be told after a block with this code: what comes next may be a function's entry, or where one
/// returns to.
pub fn shows_after(code: &[u8]) -> bool {
    let last = |n: usize| {
        let tail = code.get(code.len().checked_sub(n)?..)?;
        Some(tail.iter().rev().fold(0u32, |word, &byte| word << 8 | u32::from(byte)))
    };
    match machine() {
        Machine::Aarch64 => last(4).is_none_or(|word| {
            // BL, and BR, BLR, RET with their variants.
            word >> 26 == 0b100101 || word >> 25 == 0b1101011
        }),
        Machine::Riscv64 => {
            let jumps = |word: u32| {
                let link = word >> 7 & 31;
                word & 0x7f == 0x67 || (word & 0x7f == 0x6f && link != 0)
            };
            // C.JR and C.JALR.
            let short = |half: u32| half & 0xe07f == 0x8002 && half >> 7 & 31 != 0;
            match last_length(code) {
                2 => last(2).is_none_or(short),
                _ => last(4).is_none_or(jumps),
            }
        }
    }
}
