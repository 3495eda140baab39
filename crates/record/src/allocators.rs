//! Functions that allocate: what they return is recorded, and nothing else that functions return.
//!
//! What a function returns is no address. It would make every iteration of a loop that calls it a different one, and be a word of every
//! call.
//!
//! Definition: a function whose arguments are recorded ([`trace::sink::Guide::wants_arguments`]) returns where its own graph does, and where
//! those of the functions do that it jumps to. Where it may return elsewhere (an indirect jump that is not known to lead to another
//! such function), what all functions return is recorded.
//!
//! Invariant: before control comes to such a function for the first time, everything is translated anew.

use rustc_hash::FxHashSet;
use trace::block::Terminator;

use crate::error::Error;
use crate::function::{self, Surroundings};
use crate::run::Engine;

/// Most functions that one may jump to, one from the other.
const MOST: usize = 64;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Results {
    /// Functions that control has come to.
    met: FxHashSet<u64>,
    /// Addresses behind the instructions by which they return.
    behind: FxHashSet<u64>,
    /// What all functions return is recorded.
    of_all: bool,
}

impl Results {
    /// Whether what a function returns is recorded where the instruction that ends at `end` returns.
    pub(crate) fn are_recorded(&self, end: u64) -> bool {
        self.of_all || self.behind.contains(&end)
    }
}

impl Engine<'_> {
    /// Whether the function at `pc` allocates, and control has not come to it before.
    pub(crate) fn is_new_allocator(&mut self, pc: u64) -> Result<bool, Error> {
        // Most blocks begin no function.
        if !self.on || !self.is_function(pc) || self.results.met.contains(&pc) {
            return Ok(false);
        }
        Ok(self.guide.wants_arguments(pc) && self.contract(pc)?.is_none())
    }

    /// Control comes to `pc`; if a function begins there that allocates, what it returns is recorded from now on.
    pub(crate) fn meet_allocator(&mut self, pc: u64) -> Result<(), Error> {
        if !self.is_new_allocator(pc)? {
            return Ok(());
        }
        let mut functions = vec![pc];
        let mut at = 0;
        while let Some(&function) = functions.get(at) {
            at += 1;
            let code = self.decode_function(function)?;
            let own: FxHashSet<u64> = code.blocks.iter().map(|block| block.start).collect();
            for block in &code.blocks {
                let next = match block.terminator {
                    Terminator::Return => {
                        self.results.behind.insert(block.end);
                        continue;
                    }
                    Terminator::Jump(to) if own.contains(&to) => continue,
                    Terminator::Jump(to) => to,
                    // One that is called through this stub is met by itself.
                    Terminator::IndirectJump if self.guide.is_stub_of_allocator(block.start) => continue,
                    Terminator::IndirectJump => match self.stored_target(block.start, block.end) {
                        Some(to) => to,
                        None => {
                            self.results.of_all = true;
                            break;
                        }
                    },
                    _ => continue,
                };
                if !functions.contains(&next)
                    && !self.guide.wants_arguments(next)
                    && self.contract(next)?.is_none()
                {
                    functions.push(next);
                }
            }
            self.results.of_all |= functions.len() > MOST;
            if self.results.of_all {
                break;
            }
        }
        self.results.met.insert(pc);
        self.flush();
        Ok(())
    }

    /// Where the indirect jump at the end of a block leads, if that is in memory at a fixed place.
    fn stored_target(&mut self, start: u64, end: u64) -> Option<u64> {
        let bytes = self.code.bytes(&self.tracee, start, usize::try_from(end.checked_sub(start)?).ok()?);
        let slot = function::jump_slot(&bytes, start)?;
        Some(self.tracee.read_word(slot)).filter(|&target| target != 0)
    }
}
