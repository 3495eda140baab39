//! A process that is traced but runs as it does alone: up to where it can be taken over, and through calls in which nobody can let go
//! of it.
//!
//! Definition: a process can be taken over where no system call is under way. The call that it stands in when it is seized goes on in its
//! own code and with its own mask, up to its end or to the handler that interrupts it; signals are delivered by the kernel at once. A call
//! of `vfork` is made in the same way by a process that was attached to, without the recorder's memory: it cannot be stopped as long as
//! the child runs.
//!
//! Invariants: nothing of the recorder is in the process meanwhile. So it may be left to itself at any time: where it cannot be stopped,
//! by the end of the thread that traces it. Where that may be, it does not stop at the end of the call, since there the end of its tracer would
//! kill it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use libc::{c_int, user_regs_struct};

use crate::Exit;
use crate::attach::Facts;
use crate::buffers::Progress;
use crate::error::Error;
use crate::given_back::is_own;
use crate::interrupted::settle;
use crate::process::{Resume, Status, Tracee};

/// How far a process, or a thread of it, has come alone.
pub(crate) enum Alone {
    /// It runs on in its call.
    Under,
    /// It has stopped, and no system call is under way.
    Ready,
    /// It has stopped where it executes another program.
    Executes,
    /// To its end.
    Ended(Exit),
    /// The recording is over; the process runs on, or is let go of, or will be at the end of this thread.
    Over,
}

/// What is known of a thread that is on its way to where it can be taken over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Approach {
    is_in_call: bool,
    pub(crate) has_stopped: bool,
}

/// Options of a process that runs alone: what it starts is not traced.
pub(crate) const ALONE: c_int = libc::PTRACE_O_TRACEEXEC;
/// Options of one that makes a call which waits for a child.
const THROUGH: c_int = ALONE | libc::PTRACE_O_TRACEVFORK | libc::PTRACE_O_TRACEVFORKDONE;

/// How far apart to look at first whether it has stopped, and at most.
const LOOKS: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(2));
/// How often to look whether it can be stopped at once.
const LAST_LOOKS: u32 = 100;

/// Pauses that become longer.
pub(crate) fn pauses() -> impl FnMut() -> Duration {
    let mut pause = LOOKS.0;
    move || {
        let now = pause;
        pause = (pause + pause / 4).min(LOOKS.1);
        now
    }
}

/// Whether a signal stops a process.
pub(crate) fn is_stop(signal: c_int) -> bool {
    matches!(signal, libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU)
}

impl Tracee {
    /// Settles the call behind which it has stopped; whether one is under way.
    pub(crate) fn settle(&self) -> Result<bool, Error> {
        let before = self.regs()?;
        let mut regs = before;
        let is_under_way = settle(&mut regs);
        if regs.rax != before.rax {
            self.set_regs(&regs)?;
        }
        Ok(is_under_way)
    }

    /// Whether it has stopped at a system call, at its beginning or its end.
    fn is_at_call(&self) -> Result<bool, Error> {
        Ok(self.siginfo()?.is_some_and(|info| info.si_code == libc::SIGTRAP))
    }

    /// After a report of a thread that is to stop: lets it run on if it cannot be taken over where it is.
    pub(crate) fn approach(
        &self,
        status: Status,
        approach: &mut Approach,
        progress: &Progress,
    ) -> Result<Alone, Error> {
        approach.has_stopped = true;
        let (mut signal, mut reached) = (0, Alone::Under);
        match status {
            Status::Exited(code) => return Ok(Alone::Ended(Exit::Code(code))),
            Status::Killed(signal) => return Ok(Alone::Ended(Exit::Signal(signal))),
            Status::Stopped { signal, event: libc::PTRACE_EVENT_STOP } if is_stop(signal) => {
                self.listen()?;
                return Ok(Alone::Under);
            }
            Status::Stopped { event: libc::PTRACE_EVENT_STOP, .. } => {
                approach.is_in_call = false;
                if !self.settle()? {
                    return Ok(Alone::Ready);
                }
            }
            Status::Stopped { signal: libc::SIGTRAP, event: 0 } if self.is_at_call()? => {
                approach.is_in_call = !approach.is_in_call;
                if !approach.is_in_call {
                    if !self.settle()? {
                        return Ok(Alone::Ready);
                    }
                    self.interrupt()?;
                }
            }
            Status::Stopped { signal: sent, event: 0 } => {
                // Its handler, if it has one, is where to take it over.
                self.settle()?;
                self.interrupt()?;
                (approach.is_in_call, signal) = (false, sent);
                let is_ours = || Ok::<_, Error>(self.siginfo()?.is_some_and(|info| is_own(&info)));
                if sent == libc::SIGSTOP && progress.late.load(Ordering::Relaxed) && is_ours()? {
                    (signal, reached) = (0, Alone::Over);
                }
            }
            Status::Stopped { event: libc::PTRACE_EVENT_EXEC, .. } => return Ok(Alone::Executes),
            Status::Stopped { .. } | Status::Interrupted => {}
        }
        self.resume(Resume::Call, signal)?;
        Ok(reached)
    }

    /// Waits for its next report, or until the recording is over if that `may` be.
    fn wait_unless_late(&self, progress: &Progress, may: bool) -> Result<Option<Status>, Error> {
        let mut pauses = pauses();
        let is_late = || may && progress.late.load(Ordering::Relaxed);
        self.wait_while(&mut || (!is_late()).then(&mut pauses))
    }

    /// Lets go of a thread that runs alone; if it has not stopped before, and cannot be stopped soon, by the end of this thread. Gives how it
    /// ended, if it has.
    pub(crate) fn leave(&self, approach: Approach) -> Result<Option<Exit>, Error> {
        let Approach { mut is_in_call, has_stopped } = approach;
        self.interrupt()?;
        let mut looks = 0..LAST_LOOKS;
        let may_wait = || has_stopped && !Facts::of(&self.pid().to_string()).has_ended();
        let mut pause = || (looks.next().is_some() || may_wait()).then_some(LOOKS.1);
        while let Some(status) = self.wait_while(&mut pause)? {
            let mut signal = 0;
            match status {
                Status::Exited(code) => return Ok(Some(Exit::Code(code))),
                Status::Killed(signal) => return Ok(Some(Exit::Signal(signal))),
                Status::Stopped { signal: libc::SIGTRAP, event: 0 } if self.is_at_call()? => {
                    is_in_call = !is_in_call;
                    if is_in_call {
                        // What makes it look for signals when it is let go of would interrupt the call. Any stop takes an interrupt away.
                        self.interrupt()?;
                        self.resume(Resume::Call, 0)?;
                        continue;
                    }
                }
                Status::Stopped { signal: sent, event: 0 } => signal = sent,
                Status::Stopped { .. } | Status::Interrupted => {}
            }
            self.part_natively(signal)?;
            break;
        }
        Ok(None)
    }

    /// Lets go of it where it has stopped, with a signal that is about to be delivered, if there is one.
    pub(crate) fn part_natively(&self, signal: c_int) -> Result<(), Error> {
        let mut regs = self.regs()?;
        let info = if signal == 0 { None } else { self.siginfo()? };
        let is_ours = signal == libc::SIGSTOP && info.as_ref().is_some_and(is_own);
        let signals: Vec<_> = info.filter(|_| !is_ours).map(|info| (signal, info)).into_iter().collect();
        if is_ours || self.awaits_alone(libc::SIGSTOP) {
            // No stop of the recorder's is to be left.
            self.set_regs(&user_regs_struct { orig_rax: u64::MAX, ..regs })?;
            self.give_back(signals)?;
            settle(&mut regs);
            self.set_regs(&regs)?;
            return self.detach(0);
        }
        settle(&mut regs);
        self.set_regs(&regs)?;
        self.detach(signal)
    }

    /// From registers right before a system call that waits for a child, makes it in its own place. `Ready` is right behind it.
    pub(crate) fn through_call(&mut self, progress: &Progress) -> Result<Alone, Error> {
        let mask = self.mask()?;
        // No handler comes before it.
        self.set_mask(u64::MAX)?;
        self.set_options(THROUGH)?;
        let (mut is_in_call, mut waits) = (false, false);
        self.resume(Resume::Call, 0)?;
        while let Some(status) = self.wait_unless_late(progress, waits)? {
            let (mut how, mut signal) = (Resume::Call, 0);
            match status {
                Status::Exited(code) => return Ok(Alone::Ended(Exit::Code(code))),
                Status::Killed(signal) => return Ok(Alone::Ended(Exit::Signal(signal))),
                Status::Stopped { signal: libc::SIGTRAP, event: 0 } if self.is_at_call()? => {
                    if is_in_call {
                        return Ok(Alone::Ready);
                    }
                    is_in_call = true;
                    self.set_mask(mask)?;
                }
                Status::Stopped { event: libc::PTRACE_EVENT_VFORK, .. } => {
                    let child = Tracee::new(self.event_message()? as c_int)?;
                    child.wait()?;
                    child.detach(0)?;
                    (how, waits) = (Resume::Run, true);
                }
                Status::Stopped { event: libc::PTRACE_EVENT_VFORK_DONE, .. } => waits = false,
                Status::Stopped { signal, event: libc::PTRACE_EVENT_STOP } if is_stop(signal) => {
                    self.listen()?;
                    continue;
                }
                Status::Stopped { signal: sent, event: 0 } => signal = sent,
                Status::Stopped { .. } | Status::Interrupted => {}
            }
            self.resume(how, signal)?;
        }
        Ok(Alone::Over)
    }
}
