//! Processes that a program starts, recorded as well ([`crate::Config::follow`]).
//!
//! Definition: a child stands behind the call that made it. The recorder of its parent gives it its own state back, lets it wait where
//! the code cache has a jump to itself, and lets go of it; who records it seizes it there, on a thread of its own. A child with its own memory is
//! recorded from there on like a process that was attached to; one that shares its parent's (`vfork`, `posix_spawn`) runs natively up to
//! the program that it executes. Every program that a child executes is a recording of its own.
//!
//! Invariants: nothing of the parent's recorder stays in a child. While it waits, all its signals are blocked. It ends with this
//! process, but for the moment in which it waits.
//! Limits: what a child does before it executes another program is dropped. A child that shares memory and executes nothing
//! is not recorded.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use libc::{c_int, user_regs_struct};
use trace::sink::{Guide, Sink};

use crate::attach::{executable, stop};
use crate::error::Error;
use crate::process::{Resume, Status, Tracee};
use crate::session::{OPTIONS, Origin, record};
use crate::shared::SPIN;
use crate::{Config, Outcome, interrupt};

/// Takes over the processes that a program starts.
pub trait Follow: fmt::Debug + Send + Sync {
    /// A process was started. It waits until [`Child::record`] is called, which has to happen on a thread of its own.
    fn started(&self, child: Child);
}

/// A process that waits to be recorded.
pub struct Child {
    pid: c_int,
    regs: user_regs_struct,
    mask: u64,
    shares_memory: bool,
    waits: bool,
}

/// One program of a process, recorded.
pub struct Recorded<S> {
    /// What is known after it.
    pub outcome: Outcome,
    /// Who received it.
    pub sink: S,
    /// The program's file.
    pub program: PathBuf,
    /// Its arguments, its own name first.
    pub args: Vec<OsString>,
    /// It was recorded from its first instruction on, not from a call that made the process.
    pub is_whole: bool,
}

/// Command line of a process; empty if it has ended.
pub fn arguments(pid: i32) -> Vec<OsString> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    if line.is_empty() {
        return Vec::new();
    }
    let words = line.strip_suffix(b"\0").unwrap_or(&line).split(|&byte| byte == 0);
    words.map(|word| OsString::from_vec(word.to_vec())).collect()
}

impl Child {
    /// Lets a child wait, whose own state is `regs`, and lets go of it.
    pub(crate) fn leave(
        tracee: &Tracee,
        regs: &user_regs_struct,
        shares_memory: bool,
    ) -> Result<Child, Error> {
        let mask = tracee.mask()?;
        tracee.set_mask(u64::MAX)?;
        tracee.set_regs(&user_regs_struct { rip: SPIN, ..*regs })?;
        tracee.detach(0)?;
        Ok(Child { pid: tracee.pid(), regs: *regs, mask, shares_memory, waits: true })
    }

    /// The process id.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Seizes it, with these options, in its own state; `None` if it has ended.
    fn seize(&mut self, options: c_int) -> Result<Option<Tracee>, Error> {
        self.waits = false;
        let Some((tracee, early)) = stop(self.pid, options)? else { return Ok(None) };
        tracee.set_mask(self.mask)?;
        tracee.set_regs(&self.regs)?;
        tracee.give_back(early)?;
        Ok(Some(tracee))
    }

    /// Records it up to its end: `make` gives a guide and a receiver for every program, `done` takes what was recorded of it.
    ///
    /// # Errors
    /// As [`crate::run()`].
    pub fn record<S: Sink + 'static>(
        self,
        config: &Config,
        make: &mut dyn FnMut() -> (Box<dyn Guide>, S),
        done: &mut dyn FnMut(Recorded<S>),
    ) -> Result<(), Error> {
        let pid = self.pid;
        // It was not there before.
        let config = &Config { pid: None, ..config.clone() };
        interrupt::running(true);
        let taken = self.take();
        interrupt::running(false);
        let Some(mut origin) = taken? else { return Ok(()) };
        loop {
            let is_program = !matches!(origin, Origin::Forked(_));
            let (program, args) = (executable(pid)?, arguments(pid));
            let (mut guide, sink) = make();
            let (ended, sink) = record(config, origin, &mut *guide, sink).inspect_err(|_| {
                // It may not have come to be recorded, and would end with this thread.
                _ = Tracee::new(pid).and_then(|tracee| tracee.detach(0));
            })?;
            if is_program || ended.executes.is_none() {
                done(Recorded { outcome: ended.outcome, sink, program, args, is_whole: is_program });
            }
            match ended.executes {
                Some((tracee, masks)) => origin = Origin::Executed(tracee, Some(masks)),
                None => return Ok(()),
            }
        }
    }

    /// Seizes it; gives where its recording begins, if it has not ended.
    fn take(mut self) -> Result<Option<Origin>, Error> {
        if !self.shares_memory {
            return Ok(self.seize(OPTIONS)?.map(Origin::Forked));
        }
        let options = libc::PTRACE_O_EXITKILL | libc::PTRACE_O_TRACEEXEC;
        let Some(tracee) = self.seize(options)? else { return Ok(None) };
        tracee.resume(Resume::Run, 0)?;
        loop {
            match tracee.wait()? {
                Status::Exited(_) | Status::Killed(_) => return Ok(None),
                Status::Stopped { event: libc::PTRACE_EVENT_EXEC, .. } => break,
                Status::Stopped { signal, event: 0 } => tracee.resume(Resume::Run, signal)?,
                Status::Stopped { signal, event: libc::PTRACE_EVENT_STOP } if signal != libc::SIGTRAP => {
                    tracee.listen()?
                }
                Status::Stopped { .. } | Status::Interrupted => tracee.resume(Resume::Run, 0)?,
            }
        }
        tracee.set_options(OPTIONS)?;
        Ok(Some(Origin::Executed(Tracee::new(self.pid)?, None)))
    }
}

/// Whether the child of a call shares the memory of its parent, by the registers before the call: read a word with `read`.
pub(crate) fn shares_memory(event: c_int, regs: &user_regs_struct, read: impl Fn(u64) -> u64) -> bool {
    let flags = match regs.orig_rax as i64 {
        libc::SYS_clone => regs.rdi,
        libc::SYS_clone3 => read(regs.rdi),
        _ => 0,
    };
    event == libc::PTRACE_EVENT_VFORK || flags & libc::CLONE_VM as u64 != 0
}

impl Drop for Child {
    /// Nobody records it: it runs on natively.
    fn drop(&mut self) {
        if self.waits {
            _ = self.seize(0).map(|tracee| tracee.map(|tracee| tracee.detach(0)));
        }
    }
}

impl fmt::Debug for Child {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Child").field("pid", &self.pid).finish_non_exhaustive()
    }
}
