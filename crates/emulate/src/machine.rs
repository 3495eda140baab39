//! The processors that are emulated.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use trace::block::Terminator;

use crate::instruction::Decoded;
use crate::{aarch64, riscv};

/// A processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machine {
    /// 64-bit ARM.
    Aarch64,
    /// 64-bit RISC-V.
    Riscv64,
}

impl Machine {
    /// The processor that a file was built for, if it is a program for one of these. A name without a slash is looked for in
    /// PATH.
    pub fn of(program: &Path) -> Option<Machine> {
        let path = record::other::find(program).ok()?;
        let mut head = [0; 20];
        File::open(path).ok()?.read_exact(&mut head).ok()?;
        Machine::of_header(&head)
    }

    /// By the first bytes of a file: an ELF file of 64 bits, little-endian.
    pub fn of_header(head: &[u8; 20]) -> Option<Machine> {
        let is_known = head.starts_with(b"\x7fELF\x02\x01") && matches!(head[16], 2 | 3) && head[17] == 0;
        match u16::from_le_bytes([head[18], head[19]]) {
            183 if is_known => Some(Machine::Aarch64),
            243 if is_known => Some(Machine::Riscv64),
            _ => None,
        }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Machine::Aarch64 => "64-bit ARM",
            Machine::Riscv64 => "64-bit RISC-V",
        }
    }

    /// QEMU's program for it.
    pub fn emulator(self) -> &'static str {
        match self {
            Machine::Aarch64 => "qemu-aarch64",
            Machine::Riscv64 => "qemu-riscv64",
        }
    }

    /// Where Debian's cross compilers have libraries for it.
    pub fn libraries(self) -> PathBuf {
        match self {
            Machine::Aarch64 => "/usr/aarch64-linux-gnu",
            Machine::Riscv64 => "/usr/riscv64-linux-gnu",
        }
        .into()
    }

    /// Decodes the instruction at `pc` with which `bytes` begin; what is none is a trap.
    pub fn decode(self, bytes: &[u8], pc: u64) -> Decoded {
        match self {
            Machine::Aarch64 => aarch64::decode(bytes, pc),
            Machine::Riscv64 => riscv::decode(bytes, pc),
        }
    }

    /// Whether functions have to leave a register (by its number in blocks) as they found it.
    pub fn is_callee_saved(self, register: u8) -> bool {
        match self {
            Machine::Aarch64 => aarch64::is_callee_saved(register),
            Machine::Riscv64 => riscv::is_callee_saved(register),
        }
    }

    /// Whether linkage alone uses a register: what a jump through it loads decides where control goes, and nothing else.
    pub fn is_for_linkage(self, register: u8) -> bool {
        match self {
            Machine::Aarch64 => register == aarch64::number(16) || register == aarch64::number(17),
            Machine::Riscv64 => register == riscv::number(28),
        }
    }

    /// The frame pointer, by its number in blocks.
    pub fn frame_pointer(self) -> u8 {
        match self {
            Machine::Aarch64 => aarch64::number(29),
            Machine::Riscv64 => riscv::number(8),
        }
    }

    /// Decodes a block of code.
    pub(crate) fn decode_all(self, bytes: &[u8], pc: u64) -> Vec<Decoded> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let decoded = self.decode(&bytes[at..], pc.wrapping_add(at as u64));
            at += usize::from(decoded.instr.len.max(1));
            out.push(decoded);
        }
        out
    }

    /// Length and end of one instruction.
    pub(crate) fn step(self, bytes: &[u8], pc: u64) -> (u64, Option<Terminator>) {
        let decoded = self.decode(bytes, pc);
        (u64::from(decoded.instr.len), decoded.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_told_by_the_header() {
        let header = |class: u8, order: u8, kind: u8, machine: u8| {
            let mut head = [0; 20];
            head[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, order]);
            (head[16], head[18]) = (kind, machine);
            Machine::of_header(&head)
        };
        assert_eq!(header(2, 1, 2, 183), Some(Machine::Aarch64));
        assert_eq!(header(2, 1, 3, 243), Some(Machine::Riscv64));
        // x86-64, RISC-V of 32 bits, big-endian, an object file
        for (class, order, kind, machine) in [(2, 1, 2, 62), (1, 1, 2, 243), (2, 2, 2, 183), (2, 1, 1, 183)] {
            assert_eq!(header(class, order, kind, machine), None);
        }
    }
}
