//! Where the recorder leaves a process: for good, at the end of the recording, or for a call in which nobody could let go of it.
//!
//! Definition: a process that is let go of has its own registers, mask and actions, and the signals that the recorder had in hand
//! wait in the kernel. A system call that it was stopped in is left as it was interrupted: the last that is done is to set the
//! registers behind it, and the kernel, which looks for signals when a process is let go of, decides what becomes of the call.
//! Everything that comes meanwhile waits for that, so that it interrupts the call and does not come before it.

use libc::user_regs_struct;

use crate::alone::Alone;
use crate::error::Error;
use crate::image;
use crate::interrupted::settle;
use crate::masks::Masks;
use crate::run::{Engine, Next};
use crate::session::wait_for_end;
use crate::shared::STATE;
use crate::{Exit, StopReason, interrupt};

impl Engine<'_> {
    /// In precise state: lets go of the program, which runs on alone.
    pub(crate) fn part(&mut self, regs: &mut user_regs_struct) -> Result<Next, Error> {
        // It sends no more stops.
        drop(self.timer.take());
        let terminate = self.attached.is_none()
            && interrupt::was_terminated()
            && !self.was_terminated
            && !self.tracee.awaits(libc::SIGTERM);
        self.withdraw(regs)?;
        self.tracee.detach(0)?;
        if terminate {
            self.tracee.send(libc::SIGTERM);
        }
        match &self.attached {
            None => wait_for_end(self.tracee.process()).map(Next::Ended),
            Some(_) => Ok(Next::Ended(Exit::Running)),
        }
    }

    /// Lets go of a process that was attached to, after an error, if that is possible; whether it was.
    pub(crate) fn part_after_failure(&mut self) -> bool {
        let others = self.leave_alone().and_then(|()| self.part_others_after_failure());
        others.is_ok() && self.part_thread_after_failure()
    }

    /// Lets go of the thread that has the turn, after an error, if that is possible; whether it was.
    pub(crate) fn part_thread_after_failure(&mut self) -> bool {
        let parted = self.tracee.regs().and_then(|mut regs| {
            if regs.rip == 0 {
                return Ok(false);
            }
            if !self.is_inside {
                settle(&mut regs);
                self.tracee.set_regs(&regs)?;
            } else if self.make_precise(&mut regs)? {
                self.withdraw(&mut regs)?;
            } else {
                return Ok(false);
            }
            self.tracee.detach(0).map(|()| true)
        });
        matches!(parted, Ok(true))
    }

    /// In precise state: gives the program back what the recorder has taken from it. If it was attached to, nothing of the recorder is
    /// left in it, once this is done for the last thread.
    pub(crate) fn withdraw(&mut self, regs: &mut user_regs_struct) -> Result<(), Error> {
        self.let_go()?;
        let is_last = self.threads.is_alone();
        self.masks.reveal(&self.tracee, !is_last)?;
        self.rseq.take().into_iter().for_each(|rseq| rseq.register(&self.tracee));
        regs.gs_base = 0;
        // Calls made for the recorder come in between.
        self.tracee.set_regs(&user_regs_struct { orig_rax: u64::MAX, ..*regs })?;
        if self.attached.is_some() && is_last {
            image::remove(&self.tracee, &self.cache, &self.buffers);
            self.is_inside = false;
        }
        let (sent, in_hand) = self.pace.give_up();
        let sent = self.tracee.take_back(sent)?;
        let signals = self.pending.drain(..).chain(sent).chain(in_hand).chain(self.masks.give_up());
        self.tracee.give_back(signals.collect())?;
        self.masks = if is_last { Masks::default() } else { self.masks.of_others() };
        settle(regs);
        self.tracee.set_regs(regs)
    }

    /// Whether a system call keeps a process from being stopped until its child lets it go on, and it can be left alone with that.
    pub(crate) fn waits_for_child(&self, number: u64, args: &[u64; 6]) -> bool {
        let flags = match number as i64 {
            libc::SYS_vfork => libc::CLONE_VFORK as u64,
            libc::SYS_clone => args[0],
            libc::SYS_clone3 => self.tracee.read_word(args[0]),
            _ => 0,
        };
        flags & libc::CLONE_VFORK as u64 != 0
            && self.config.pid.is_some()
            && self.config.follow.is_none()
            && self.threads.is_alone()
    }

    /// Has the process make a system call without the recorder, after which it goes on at `next`.
    pub(crate) fn make_alone(&mut self, regs: &user_regs_struct, next: u64) -> Result<Next, Error> {
        let trap = regs.rip;
        let mut own = user_regs_struct { rip: next - 2, ..*regs };
        self.progress.leave_alone(true);
        self.withdraw(&mut own)?;
        match self.tracee.through_call(&self.progress)? {
            Alone::Ended(exit) => return Ok(Next::Ended(exit)),
            Alone::Ready | Alone::Under | Alone::Executes => {}
            Alone::Over => {
                self.stop_for(StopReason::Duration);
                return Ok(Next::Ended(Exit::Running));
            }
        }
        let mut regs = self.tracee.regs()?;
        self.come_in()?;
        regs.gs_base = STATE;
        if settle(&mut regs) {
            // A signal was first; the call is made after that.
            regs.rax = regs.orig_rax;
            self.undo_last(trap)?;
            return self.arrive(&mut regs, next - 2, None, None);
        }
        if (regs.rax as i64) > 0 {
            self.count("child process");
        }
        self.arrive(&mut regs, next, None, None)
    }
}
