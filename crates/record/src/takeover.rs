//! Where the recorder comes into a process: at its start, in the middle, where it executes another program; and what it does about the
//! processes and threads that it makes.

use libc::c_int;
use trace::stream::Special;

use crate::allocators::Results;
use crate::children::{Child, shares_memory};
use crate::error::Error;
use crate::files::Files;
use crate::image;
use crate::masks::Masks;
use crate::process::{Tracee, is_gone};
use crate::run::{Engine, Next};
use crate::scope::{Left, starts_on};
use crate::shared::{SLOT_BOUND, SLOT_TARGET, STATE};
use crate::threads::ATTACHED;
use crate::translate::Edge;
use crate::windows::Windows;

impl Engine<'_> {
    /// To translated code: from the stop in `execve`, or from precise state, in which a child that was forked still has its parent's
    /// recorder in its memory.
    pub(crate) fn begin(&mut self, is_forked: bool, is_executed: bool) -> Result<Next, Error> {
        if is_forked {
            image::remove(&self.tracee, &self.cache, &self.buffers);
        }
        if self.attached.is_some() && !is_executed {
            return self.start_amid();
        }
        let signals = self.tracee.begin()?;
        self.start_image(true)?;
        self.tracee.give_back(signals)?;
        Ok(Next::Resume(0))
    }

    /// Puts the recorder into a process that was attached to, where no system call of the thread is under way.
    pub(crate) fn come_in(&mut self) -> Result<(), Error> {
        if self.config.pid.is_some() {
            self.tracee.set_options(ATTACHED)?;
            self.take_sequences();
        }
        self.is_inside = true;
        image::inject(&self.tracee, &self.cache, &self.buffers)?;
        let masks = Masks::of_process(&self.tracee)?;
        masks.hide(&self.tracee)?;
        self.masks = masks;
        self.progress.leave_alone(false);
        Ok(())
    }

    /// Takes restartable sequences from a thread of a process that was attached to.
    pub(crate) fn take_sequences(&mut self) {
        self.rseq = self.attached.as_mut().and_then(|attached| attached.take(&self.tracee));
    }

    /// Takes over a process that was attached to, where it is.
    fn start_amid(&mut self) -> Result<Next, Error> {
        let mut regs = self.tracee.regs()?;
        self.reset();
        self.cache.set_quiet(!self.threads.is_alone());
        self.threads.begin_slice();
        self.come_in()?;
        regs.gs_base = STATE;
        self.begin_here(&mut regs)
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
        self.forget_contract();
        self.contracts.clear();
        self.described.forget();
        self.files = Files::default();
        self.switch(starts_on(self.config));
        self.learner.clear();
        self.code.clear();
        self.leaders.clear();
        self.entries.clear();
        self.results = Results::default();
    }

    /// Takes over a program stopped at its first instruction; the first one of the recording, or one that takes its place.
    fn start_image(&mut self, is_first: bool) -> Result<(), Error> {
        self.reset();
        self.is_inside = true;
        image::inject(&self.tracee, &self.cache, &self.buffers)?;
        if self.attached.is_some() {
            self.masks.hide(&self.tracee)?;
        }
        let mut regs = self.tracee.regs()?;
        if is_gone(&regs) {
            return Ok(());
        }
        regs.gs_base = STATE;
        let pc = regs.rip;
        self.begin_startup(is_first.then_some(pc));
        self.special(&Special::ThreadBase(regs.fs_base))?;
        self.enter_function(pc)?;
        self.arrive(&mut regs, pc, None, Some(Edge::Call)).map(|_| ())
    }

    /// The process has stopped with an event of its own.
    pub(crate) fn event(&mut self, event: c_int) -> Result<(), Error> {
        match event {
            libc::PTRACE_EVENT_EXEC => {
                self.keep_one_thread()?;
                let signals = self.tracee.begin()?;
                self.tracee = Tracee::new(self.tracee.pid())?;
                self.awaiting = None;
                if let Some(attached) = &mut self.attached {
                    attached.replaced();
                    self.rseq = None;
                    self.tracee.kernel_call().into_iter().for_each(|at| self.tracee.calls_at(at));
                }
                let pc = self.tracee.regs()?.rip;
                self.special(&Special::Resume(pc))?;
                if self.has_border() {
                    self.count("program that took the place of the first one, left out by --scope main");
                }
                self.start_image(false)?;
                self.tracee.give_back(signals)
            }
            libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE => {
                let mut child = Tracee::new(self.tracee.event_message()? as c_int)?;
                child.wait()?;
                let mut regs = child.regs()?;
                let thread = event == libc::PTRACE_EVENT_CLONE && self.is_thread(child.pid());
                self.shares_handlers |= event == libc::PTRACE_EVENT_CLONE && !thread;
                let gs_base = regs.gs_base;
                regs.rip = self.last_next;
                regs.rcx = self.last_next;
                regs.gs_base = 0;
                if thread {
                    self.end_startup()?;
                    return self.add_thread(&child, &regs, gs_base);
                }
                self.masks.reveal(&child, event == libc::PTRACE_EVENT_CLONE)?;
                match &self.config.follow {
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
                        self.count("child process");
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
        std::path::Path::new(&format!("/proc/{}/task/{tid}", self.tracee.process())).exists()
    }
}
