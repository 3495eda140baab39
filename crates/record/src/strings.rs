//! Repeated string instructions while a signal waits for a safe point: single steps would stop after every element.
//!
//! Definition: a trap is put behind such an instruction for one resumption. Invariant: it is gone at the next stop, whatever that
//! is. Limit: an instruction with a trap of the translator's right behind it needs none.

use iced_x86::{Decoder, DecoderOptions};
use libc::user_regs_struct;

use crate::cache::Cache;
use crate::error::Error;
use crate::process::Resume;
use crate::run::Engine;
use crate::shared::CACHE;

/// The breakpoint instruction.
const TRAP: u8 = 0xcc;

/// A trap that stands for a byte of code.
#[derive(Clone, Copy)]
pub(crate) struct Halt {
    at: u64,
    byte: u8,
}

impl Engine<'_> {
    /// How to resume instead of by a single step.
    pub(crate) fn over_string(&mut self, how: Resume) -> Result<Resume, Error> {
        if how != Resume::Step || self.awaiting.is_some() {
            return Ok(how);
        }
        let rip = self.tracee.regs()?.rip;
        let Some(at) = self.cache.contains(rip).then(|| after_string(&self.cache, rip)).flatten() else {
            return Ok(how);
        };
        let [byte, ..] = self.cache.code.word((at - CACHE) as usize).to_le_bytes();
        if byte != TRAP {
            self.cache.code.write((at - CACHE) as usize, &[TRAP]);
            self.halt = Some(Halt { at, byte });
        }
        Ok(Resume::Run)
    }

    /// After the next stop.
    pub(crate) fn restore(&mut self) -> Option<Halt> {
        let halt = self.halt.take()?;
        self.cache.code.write((halt.at - CACHE) as usize, &[halt.byte]);
        Some(halt)
    }

    /// Whether it stopped at that trap: then the registers are those behind the instruction.
    pub(crate) fn is_behind(&self, halt: Option<Halt>, regs: &mut user_regs_struct) -> Result<bool, Error> {
        if halt.is_none_or(|halt| regs.rip != halt.at + 1) {
            return Ok(false);
        }
        regs.rip -= 1;
        self.tracee.set_regs(regs)?;
        Ok(true)
    }
}

/// The address behind the repeated string instruction at an address of the cache, if there is one.
fn after_string(cache: &Cache, address: u64) -> Option<u64> {
    let offset = (address - CACHE) as usize;
    let words =
        [0, 8].map(|at| if offset + at + 8 > cache.code.bytes() { 0 } else { cache.code.word(offset + at) });
    let bytes = words.map(u64::to_le_bytes);
    let instruction = Decoder::with_ip(64, bytes.as_flattened(), address, DecoderOptions::NONE).decode();
    let repeats = instruction.has_rep_prefix() || instruction.has_repne_prefix();
    (repeats && instruction.is_string_instruction() && cache.contains(instruction.next_ip() + 8))
        .then(|| instruction.next_ip())
}
