//! What loads a program and starts its libraries, which is not recorded ([`Config::skip_startup`](crate::Config)).
//!
//! Definition: *start-up* is what runs from the first instruction of the loader on, if there is one, to the entry of the program's
//! own file; constructors of libraries are part of it. It runs translated and unrecorded. A program without a loader has none.
//!
//! Invariants: the end is seen, because nothing is translated for recording before it, and the loader comes to the entry by a jump
//! that nothing else makes. Where start-up makes a thread, it ends there: what threads exchange is recorded from the first
//! on.

use libc::user_regs_struct;
use trace::stream::Special;

use crate::error::Error;
use crate::run::Engine;
use crate::scope::starts_on;

/// Where start-up ends.
#[derive(Debug, Default)]
pub(crate) struct Startup {
    /// The program's entry, as long as control has not come there.
    entry: Option<u64>,
    was_skipped: bool,
}

impl Startup {
    /// Whether it runs.
    pub(crate) fn is_under_way(&self) -> bool {
        self.entry.is_some()
    }

    pub(crate) fn was_skipped(&self) -> bool {
        self.was_skipped
    }
}

impl Engine<'_> {
    /// A program is to run from `pc` on, the first of the recording: switches recording off if that belongs to start-up. One that
    /// takes its place is recorded from its first instruction on.
    pub(crate) fn begin_startup(&mut self, pc: Option<u64>) {
        self.startup.entry = None;
        if !self.config.skip_startup || !starts_on(self.config) || self.counting.is_some() {
            return;
        }
        let entry = pc.and_then(|pc| self.tracee.entry().filter(|&entry| entry != pc));
        if let Some(entry) = entry {
            self.startup = Startup { entry: Some(entry), was_skipped: true };
            self.switch(false);
        }
    }

    /// Control is on its way to `pc`.
    pub(crate) fn pass_startup(&mut self, regs: &user_regs_struct, pc: u64) -> Result<(), Error> {
        if self.startup.entry != Some(pc) {
            return Ok(());
        }
        self.startup.entry = None;
        if !self.runtimes.is_empty() {
            // Constructors of libraries may have been translated for the side on which they are no longer.
            self.flush();
        }
        self.switch(true);
        self.special(&Special::ThreadBase(regs.fs_base))?;
        self.enter_function(pc)
    }

    /// Start-up makes a thread, by a system call that is under way.
    pub(crate) fn end_startup(&mut self) -> Result<(), Error> {
        if self.startup.entry.take().is_none() {
            return Ok(());
        }
        let regs = self.tracee.regs()?;
        self.switch(true);
        self.begin_amid(&regs, self.last_next)
    }
}
