//! Where the recorder comes into a process and leaves it: at its start, in the middle, where it executes another program, where it
//! makes processes and threads.

use libc::{c_int, siginfo_t, user_regs_struct};
use trace::stream::Special;

use crate::attach;
use crate::children::{Child, shares_memory};
use crate::error::Error;
use crate::image;
use crate::process::Tracee;
use crate::run::Engine;
use crate::scope::{Left, starts_on};
use crate::shared::{SLOT_BOUND, SLOT_TARGET, STATE};
use crate::translate::Edge;
use crate::windows::Windows;

/// What is said of a thread that is not recorded.
const THREAD: &str = "thread";

impl<S> Engine<'_, S> {
    /// To translated code: from the stop in `execve`, or from precise state, in which a child that was forked still has its parent's
    /// recorder in its memory.
    pub(crate) fn begin(&mut self, is_forked: bool, is_executed: bool) -> Result<(), Error> {
        if is_forked {
            image::remove(&self.tracee, &self.cache, &self.buffers);
        }
        if let Some(attached) = self.attached.as_mut().filter(|_| !is_executed) {
            let (signals, threads) = (std::mem::take(&mut attached.early), attached.others);
            if threads > 0 {
                *self.untracked.entry(THREAD.to_owned()).or_default() += threads;
                self.shares_handlers = true;
            }
            self.start_amid()?;
            return self.take_early(signals);
        }
        let signals = self.tracee.begin()?;
        self.start_image()?;
        self.take_early(signals)
    }

    /// Takes over a process that was attached to, where it is.
    fn start_amid(&mut self) -> Result<(), Error> {
        let mut regs = self.tracee.regs()?;
        let shares_handlers = self.shares_handlers;
        self.reset();
        self.shares_handlers = shares_handlers;
        image::inject(&self.tracee, &self.cache, &self.buffers)?;
        self.masks.hide(&self.tracee)?;
        regs.gs_base = STATE;
        let pc = regs.rip;
        self.locate(pc)?;
        if self.is_across_border(pc) {
            self.switch(true);
        }
        if self.on {
            self.begin_amid(&regs, pc)?;
        } else if self.has_border() {
            // It returns to its own code some time.
            self.outermost = Some(0);
        }
        self.arrive(&mut regs, pc, None, None)?;
        if let Some(attached) = &mut self.attached {
            attached.start = Some((regs.rip, pc));
        }
        Ok(())
    }

    /// Lets go of a process that was attached to, after an error, if that is possible; whether it was.
    pub(crate) fn release_after_failure(&mut self) -> bool {
        let released = self.tracee.regs().and_then(|mut regs| {
            let is_precise = regs.rip != 0 && self.make_precise(&mut regs)?;
            if is_precise {
                self.release(&mut regs)?;
                self.tracee.detach(0)?;
            }
            Ok(is_precise)
        });
        matches!(released, Ok(true))
    }

    /// In precise state: gives the program back what the recorder has taken from it.
    pub(crate) fn release(&mut self, regs: &mut user_regs_struct) -> Result<(), Error> {
        self.let_go()?;
        self.masks.reveal(&self.tracee, false)?;
        regs.gs_base = 0;
        // Calls made for the recorder would come in between.
        attach::leave_call(regs);
        self.tracee.set_regs(regs)?;
        if let Some(attached) = &self.attached {
            image::remove(&self.tracee, &self.cache, &self.buffers);
            attached.restore(&self.tracee);
        }
        Ok(())
    }

    /// Signals that came while the program could not take them: those without a handler come again.
    fn take_early(&mut self, signals: Vec<(c_int, siginfo_t)>) -> Result<(), Error> {
        for (signal, info) in signals {
            self.pace.send(signal, info);
            self.tracee.send_again(signal, &info);
        }
        Ok(())
    }

    /// Forgets what is known of the program, which is another one now.
    fn reset(&mut self) {
        self.collect();
        (self.region, self.outermost, self.kernel_call) = (None, None, None);
        self.windows = Windows::default();
        (self.caught, self.shares_handlers) = (None, false);
        self.left = Left::default();
        self.cache.clear();
        self.cache.state.set_word(SLOT_TARGET as usize, 0);
        self.cache.state.set_word(SLOT_BOUND as usize, 0);
        self.switch(starts_on(self.config));
        self.learner.clear();
        self.code.clear();
        self.leaders.clear();
        self.entries.clear();
    }

    /// Takes over a program stopped at its first instruction.
    fn start_image(&mut self) -> Result<(), Error> {
        self.reset();
        image::inject(&self.tracee, &self.cache, &self.buffers)?;
        if self.attached.is_some() {
            self.masks.hide(&self.tracee)?;
        }
        let mut regs = self.tracee.regs()?;
        regs.gs_base = STATE;
        self.special(&Special::ThreadBase(regs.fs_base))?;
        let pc = regs.rip;
        self.enter_function(pc)?;
        self.arrive(&mut regs, pc, None, Some(Edge::Call)).map(|_| ())
    }

    /// The process has stopped with an event of its own.
    pub(crate) fn event(&mut self, event: c_int) -> Result<(), Error> {
        match event {
            libc::PTRACE_EVENT_EXEC => {
                let signals = self.tracee.begin()?;
                self.tracee = Tracee::new(self.tracee.pid())?;
                self.awaiting = None;
                if let Some(attached) = &mut self.attached {
                    attached.replaced();
                    self.tracee.kernel_call().into_iter().for_each(|at| self.tracee.calls_at(at));
                }
                let pc = self.tracee.regs()?.rip;
                self.special(&Special::Resume(pc))?;
                if self.has_border() {
                    self.count("program that took the place of the first one, left out by --scope main");
                }
                self.start_image()?;
                self.take_early(signals)
            }
            libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE => {
                let mut child = Tracee::new(self.tracee.event_message()? as c_int)?;
                child.wait()?;
                let mut regs = child.regs()?;
                let thread = event == libc::PTRACE_EVENT_CLONE && self.is_thread(child.pid());
                self.shares_handlers |= event == libc::PTRACE_EVENT_CLONE;
                regs.rip = self.last_next;
                regs.rcx = self.last_next;
                regs.gs_base = 0;
                self.masks.reveal(&child, event == libc::PTRACE_EVENT_CLONE)?;
                match self.config.follow.as_ref().filter(|_| !thread) {
                    Some(follow) => {
                        let parent = self.tracee.regs()?;
                        let shares = shares_memory(event, &parent, |at| self.tracee.read_word(at));
                        follow.started(Child::leave(&child, &regs, shares)?);
                        self.count("child process, recorded apart");
                    }
                    None => {
                        child.set_regs(&regs)?;
                        if event == libc::PTRACE_EVENT_FORK {
                            self.clear_child(&mut child);
                        }
                        child.detach(0)?;
                        self.count(if thread { THREAD } else { "child process" });
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Takes the recorder's memory away from a child that has its own.
    fn clear_child(&mut self, child: &mut Tracee) {
        let call = *self.kernel_call.get_or_insert_with(|| self.tracee.kernel_call());
        if let Some(at) = call {
            child.calls_at(at);
            image::remove(child, &self.cache, &self.buffers);
        }
    }

    fn is_thread(&self, tid: c_int) -> bool {
        std::path::Path::new(&format!("/proc/{}/task/{tid}", self.tracee.pid())).exists()
    }
}
