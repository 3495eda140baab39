//! Signals that the recorder has in hand, given back to the kernel with all their details.
//!
//! Definition: nobody may send a signal in the name of another process. But a signal that is about to be delivered and is blocked by
//! then goes back into the kernel's queue, as the tracer has left it (`ptrace_signal` in the kernel). So a signal of no meaning is
//! sent, the *carrier*; while it is about to be delivered, all signals are blocked, and it is replaced by the one to be given back.
//!
//! Invariants: the process runs no instruction meanwhile, and has the same mask afterwards. It then stands where the kernel looks
//! for signals before a process runs on.
//! Limits: of several queued signals of one number that were sent to the thread and not to the process, those that are given back come
//! after those that wait in the kernel.

use std::collections::VecDeque;

use libc::{c_int, siginfo_t};

use crate::error::Error;
use crate::masks::bit;
use crate::process::{Resume, Status, Tracee};

/// Signals with their details.
pub(crate) type Signals = Vec<(c_int, siginfo_t)>;

/// Any signal that can be blocked.
const CARRIER: c_int = libc::SIGTRAP;

/// Whether this process has sent a signal.
pub(crate) fn is_own(info: &siginfo_t) -> bool {
    // SAFETY: signals that processes send name the sender; one in another name space has none.
    info.si_code == libc::SI_TKILL && [0, std::process::id()].contains(&(unsafe { info.si_pid() } as u32))
}

impl Tracee {
    /// Sends it a signal.
    pub(crate) fn send(&self, signal: c_int) {
        // SAFETY: a plain system call; the process is the recorder's own child, which it has not waited for.
        unsafe { libc::syscall(libc::SYS_tgkill, self.process(), self.pid(), signal) };
    }

    /// Gives signals back to the kernel, and takes a stop away that this process has sent.
    pub(crate) fn give_back(&self, signals: Signals) -> Result<(), Error> {
        let (held, others): (Signals, _) =
            signals.into_iter().partition(|(signal, _)| *signal == libc::SIGSTOP);
        let mut left: VecDeque<_> = Vec::into(others);
        self.among_signals(&mut |stops| {
            stops.extend(held.iter().map(|(_, info)| info));
            while let Some((signal, info)) = left.pop_front() {
                self.set_mask(!bit(CARRIER))?;
                self.send(CARRIER);
                let other = self.until(CARRIER, stops)?;
                // The program's own came first.
                left.extend(other.filter(|other| !is_own(other)).map(|other| (CARRIER, other)));
                self.set_siginfo(&info)?;
                self.to_signals(signal, stops)?;
            }
            while self.awaits_alone(libc::SIGSTOP) {
                stops.extend(self.until(libc::SIGSTOP, &mut Vec::new())?);
                self.to_signals(0, stops)?;
            }
            Ok(())
        })
    }

    /// Takes signals back that this process has sent and that still wait; gives those that did.
    pub(crate) fn take_back(&self, sent: Signals) -> Result<Signals, Error> {
        let mut taken = Vec::new();
        self.among_signals(&mut |stops| {
            for &(signal, info) in sent.iter().filter(|(signal, _)| self.awaits_alone(*signal)) {
                self.set_mask(!bit(signal))?;
                let is_sent = self.until(signal, stops)?.is_some_and(|found| is_own(&found));
                taken.extend(is_sent.then_some((signal, info)));
                self.to_signals(if is_sent { 0 } else { signal }, stops)?;
            }
            Ok(())
        })?;
        Ok(taken)
    }

    /// Does something where the kernel looks for signals, with all of them blocked but stops, which are noted.
    fn among_signals(
        &self,
        act: &mut dyn FnMut(&mut Vec<siginfo_t>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (mask, mut stops) = (self.mask()?, Vec::new());
        self.set_mask(u64::MAX)?;
        self.to_signals(0, &mut stops)?;
        act(&mut stops)?;
        self.set_mask(mask)?;
        if stops.iter().any(|stop| !is_own(stop)) {
            // SAFETY: a plain system call, about a process that somebody wants to stop.
            unsafe { libc::kill(self.process(), libc::SIGSTOP) };
        }
        Ok(())
    }

    /// Resumes it with a signal, up to where the kernel looks for others. All are blocked but stops, which are noted.
    fn to_signals(&self, signal: c_int, stops: &mut Vec<siginfo_t>) -> Result<(), Error> {
        self.interrupt()?;
        self.resume(Resume::Run, signal)?;
        loop {
            match self.wait()? {
                // Once it has ended, nothing waits, and every wait says that it has.
                Status::Exited(_) | Status::Killed(_) => return Ok(()),
                Status::Stopped { event: libc::PTRACE_EVENT_STOP, .. } => return Ok(()),
                Status::Stopped { signal: libc::SIGSTOP, event: 0 } => stops.extend(self.siginfo()?),
                Status::Stopped { .. } | Status::Interrupted => {}
            }
            self.resume(Resume::Run, 0)?;
        }
    }

    /// Resumes it up to where a signal is about to be delivered that waits and is not blocked. Gives its details.
    fn until(&self, signal: c_int, stops: &mut Vec<siginfo_t>) -> Result<Option<siginfo_t>, Error> {
        loop {
            self.resume(Resume::Run, 0)?;
            match self.wait()? {
                Status::Exited(_) | Status::Killed(_) => return Ok(None),
                Status::Stopped { signal: found, event: 0 } if found == signal => break,
                Status::Stopped { signal: libc::SIGSTOP, event: 0 } => stops.extend(self.siginfo()?),
                Status::Stopped { .. } | Status::Interrupted => {}
            }
        }
        self.set_mask(u64::MAX)?;
        self.siginfo()
    }
}
