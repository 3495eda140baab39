//! Passages of the border of the program's own code ([`crate::Scope::Main`]) inside the code cache, without a stop.
//!
//! Definition: a *passage* is a stub for one target of an indirect transfer, on the other side of the border than the transfer.
//! On the way out it keeps what the record of the way back needs in slots of the state page; on the way back it writes that
//! record. Both say in a slot on which side the program is, which the recorder reads at every stop.
//!
//! Invariants: the first passage over an edge is a miss, and what only the recorder can find out is found out there: names
//! that have yet to be bound, callbacks, jumps out of signal handlers have no passage. The first store of a way back is the
//! last word of its record, so that it alone faults if the buffer is full; it may then be run again.
//! Limits: a thread base that a library changes without a system call is not seen.

use trace::stream::{Outside, Special};

use crate::asm::{Code, RCX, RSP};
use crate::cache::Cache;
use crate::shared::{
    CACHE, CACHE_BYTES, COLD, SLOT_BOUND, SLOT_FIRST, SLOT_ON, SLOT_PASSAGES, SLOT_POINTER, SLOT_RAX,
    SLOT_RCX, SLOT_SECOND, SLOT_TARGET,
};
use crate::translate::Edge;

const RAX: u8 = 0;
const RSI: u8 = 6;
const RDI: u8 = 7;

impl Cache {
    /// Lets indirect transfers to `target` pass the border without a stop, if its code is translated for the other side. `on`:
    /// they come from where recording is on.
    pub(crate) fn pass(&mut self, edge: Edge, on: bool, target: u64) {
        let Some(to) = self.get(target, !on).map(|block| block.full) else { return };
        if !self.passages.insert((edge, on, target)) {
            return;
        }
        let is_runtime = self.skips_runtimes;
        self.stub_for(edge, on, target, None, |code, miss| {
            if on {
                go_out(code);
            } else {
                come_back(code, miss, is_runtime);
            }
            code.restore(RCX, SLOT_RCX);
            code.restore(RAX, SLOT_RAX);
            code.jump_to(None, to);
        });
    }

    /// Whether a fault past the end of a buffer at an address of the cache is that of a passage; the pointer is then in `rcx`.
    pub(crate) fn is_passage(&self, address: u64) -> bool {
        (CACHE + COLD as u64..CACHE + CACHE_BYTES as u64).contains(&address)
    }
}

/// The target is in `rax`.
fn go_out(code: &mut Code) {
    code.save(SLOT_TARGET, RAX);
    code.save(SLOT_FIRST, RDI);
    code.save(SLOT_SECOND, RSI);
    code.constant(RCX, 0);
    code.save(SLOT_BOUND, RCX);
    code.count(SLOT_PASSAGES, RCX);
    code.set_slot(SLOT_ON, 0);
}

/// Where the recorder has to look up what was called, it is left to it.
fn come_back(code: &mut Code, miss: u64, is_runtime: bool) {
    code.restore(RCX, SLOT_BOUND);
    // jrcxz over the jump
    code.raw(&[0xe3, 5]);
    code.jump_to(None, miss);
    // The words of the record by what they are; flags are smaller.
    let outside =
        Outside { target: 11, arguments: [12, 13], result: 14, stack: 15, entered: false, is_runtime };
    let mut words = Vec::new();
    Special::Outside(outside).write(&mut words);
    code.restore(RCX, SLOT_POINTER);
    for (at, &word) in words.iter().enumerate().rev() {
        let at = at as i32 * 8;
        let slot = match word {
            flags @ 0..=10 => {
                code.store_constant(RCX, at, flags as i32);
                continue;
            }
            11 => SLOT_TARGET,
            12 => SLOT_FIRST,
            13 => SLOT_SECOND,
            14 => SLOT_RAX,
            15 => {
                code.store(RCX, at, RSP);
                continue;
            }
            header => {
                code.constant(RAX, header);
                code.store(RCX, at, RAX);
                continue;
            }
        };
        code.restore(RAX, slot);
        code.store(RCX, at, RAX);
    }
    code.lea(RCX, RCX, words.len() as i32 * 8);
    code.save(SLOT_POINTER, RCX);
    code.set_slot(SLOT_ON, 1);
}
