//! Threads of a process that was attached to: all are seized, and taken over one by one.
//!
//! Definition: every thread is interrupted, and runs alone ([`crate::alone`]) until it stands where no system call is under way. The
//! first that does takes the recorder's memory into the process; the others join when they get the turn, in the middle of an activation as it
//! did. So a thread that waits all the time is never touched.
//!
//! Invariants: once its threads have been interrupted, a process runs no code of its own that is not recorded: what goes on alone is a
//! system call. Threads that such a call makes are found when it returns.
//! Limits: what a system call does to memory that was under way when its thread was seized is not recorded.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use libc::{c_int, user_regs_struct};

use super::{Stage, Thread};
use crate::alone::{ALONE, Alone, Approach, pauses};
use crate::attach::{Facts, suits};
use crate::error::Error;
use crate::interrupt::Timer;
use crate::process::{Resume, Tracee};
use crate::run::{Engine, Next};
use crate::scope::starts_on;
use crate::session::OPTIONS;
use crate::shared::STATE;
use crate::start::seize;
use crate::{Exit, StopReason};

/// How long to wait for threads that do not stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// What is said of a thread that is not recorded.
const THREAD: &str = "thread";

/// What is reported of a process that was attached to. It does not end with this one.
pub(crate) const ATTACHED: c_int = OPTIONS & !libc::PTRACE_O_EXITKILL;

impl Engine<'_> {
    /// Lets a process whose first thread was seized run up to where one of its threads can be taken over, which gets the turn. Gives how
    /// the process, or the recording, ended before.
    pub(crate) fn approach(&mut self) -> Result<Option<Exit>, Error> {
        self.seize_threads()?;
        let (mut first, mut pause) = (Approach::default(), pauses());
        let (mut is_ready, start) = (false, Instant::now());
        loop {
            if let Some(status) = self.tracee.poll()? {
                self.attached.iter_mut().for_each(|attached| attached.look(&self.tracee));
                match self.tracee.approach(status, &mut first, &self.progress)? {
                    Alone::Ready => is_ready = true,
                    Alone::Ended(exit) => return Ok(Some(exit)),
                    Alone::Executes => {
                        self.tracee = Tracee::new(self.tracee.pid())?;
                        self.tracee.resume(Resume::Call, 0)?;
                    }
                    Alone::Under | Alone::Over => {}
                }
            }
            self.look_around()?;
            let is_to_stop = |thread: &Thread| matches!(thread.stage, Stage::Alone(at) if !at.has_stopped);
            let are_to_stop = !first.has_stopped || self.threads.others.iter().any(is_to_stop);
            if are_to_stop && start.elapsed() < PATIENCE {
                std::thread::sleep(pause());
                continue;
            }
            if is_ready {
                break;
            }
            let found = self.threads.others.iter().position(|thread| thread.stage == Stage::Found);
            if let Some(mut thread) = found.and_then(|at| self.threads.others.remove(at)) {
                self.exchange(&mut thread);
                thread.stage = Stage::Alone(first);
                self.threads.others.push_back(thread);
                break;
            }
            if self.progress.late.load(Ordering::Relaxed) {
                self.stop_for(StopReason::Duration);
                self.leave_alone()?;
                let first = self.tracee.leave(first)?;
                return Ok(Some(first.unwrap_or(Exit::Running)));
            }
            std::thread::sleep(pause());
        }
        suits(&self.tracee, &self.tracee.regs()?)?;
        // The time that it took is no part of the recording.
        drop(self.timer.take());
        self.progress.late.store(false, Ordering::Relaxed);
        let (process, progress) = (self.tracee.process(), Arc::clone(&self.progress));
        self.timer = Some(Timer::start(self.config.duration, process, progress));
        if let Some(at) = self.tracee.kernel_call() {
            self.tracee.calls_at(at);
            self.threads.others.iter_mut().for_each(|thread| thread.tracee.calls_at(at));
        }
        Ok(None)
    }

    /// Seizes all threads of a process that are not traced yet, and has them stop.
    fn seize_threads(&mut self) -> Result<(), Error> {
        // SAFETY: a plain question.
        let own = u64::try_from(unsafe { libc::gettid() }).unwrap_or(0);
        loop {
            let (mut is_any_new, mut refused) = (false, 0);
            let Ok(tasks) = std::fs::read_dir(format!("/proc/{}/task", self.tracee.process())) else {
                return Ok(());
            };
            let numbers = tasks.flatten().filter_map(|task| task.file_name().to_str()?.parse::<c_int>().ok());
            for number in numbers {
                let is_traced = || Facts::of(&number.to_string()).number("TracerPid") == own;
                if number == self.tracee.pid() || is_traced() {
                    continue;
                }
                match seize(number, ALONE) {
                    Ok(()) => {}
                    Err(source) if source.raw_os_error() == Some(libc::ESRCH) => continue,
                    Err(_) => {
                        refused += 1;
                        continue;
                    }
                }
                let tracee = self.tracee.thread(number)?;
                tracee.interrupt()?;
                let stage = Stage::Alone(Approach::default());
                self.threads.others.push_back(Thread::new(0, stage, tracee, starts_on(self.config)));
                is_any_new = true;
            }
            if refused > 0 {
                self.untracked.insert(THREAD.to_owned(), refused);
            }
            if !is_any_new {
                return Ok(());
            }
        }
    }

    /// Looks how far the threads have come that run alone.
    pub(super) fn look_alone(&mut self) -> Result<(), Error> {
        let (mut is_any_found, mut is_over) = (false, false);
        for thread in &mut self.threads.others {
            let Stage::Alone(mut approach) = thread.stage else { continue };
            let Some(status) = thread.tracee.poll()? else { continue };
            self.attached.iter_mut().for_each(|attached| attached.look(&thread.tracee));
            thread.stage = match thread.tracee.approach(status, &mut approach, &self.progress)? {
                Alone::Ready => {
                    suits(&thread.tracee, &thread.tracee.regs()?)?;
                    is_any_found = true;
                    Stage::Found
                }
                Alone::Under => Stage::Alone(approach),
                Alone::Over => {
                    is_over = true;
                    Stage::Alone(approach)
                }
                Alone::Ended(_) | Alone::Executes => Stage::Reported(status),
            };
        }
        if is_any_found {
            self.seize_threads()?;
        }
        if is_over && self.is_inside {
            self.stop_for(StopReason::Duration);
            let away = self.threads.others.iter().filter(|thread| thread.stage == Stage::Away);
            for tracee in away.map(|thread| &thread.tracee).chain([&self.tracee]) {
                tracee.interrupt()?;
            }
        }
        Ok(())
    }

    /// A thread that was found where no system call is under way has got the turn for the first time: takes it over there.
    pub(super) fn join(&mut self) -> Result<Next, Error> {
        self.threads.latest += 1;
        self.threads.number = self.threads.latest;
        self.buffers.thread = self.threads.number;
        self.tracee.set_options(ATTACHED)?;
        self.take_sequences();
        self.masks.join(&self.tracee)?;
        let mut regs = self.tracee.regs()?;
        regs.gs_base = STATE;
        self.begin_here(&mut regs)
    }

    /// Lets go of the threads that have not been taken over.
    pub(crate) fn leave_alone(&mut self) -> Result<(), Error> {
        for thread in &self.threads.others {
            match thread.stage {
                Stage::Alone(approach) => _ = thread.tracee.leave(approach)?,
                Stage::Found => thread.tracee.part_natively(0)?,
                _ => {}
            }
        }
        self.threads.others.retain(|thread| !matches!(thread.stage, Stage::Alone(_) | Stage::Found));
        Ok(())
    }

    /// Whether no thread is recorded any longer, and those that are left run alone.
    pub(super) fn is_left_alone(&self) -> bool {
        let stages = || self.threads.others.iter().map(|thread| thread.stage);
        stages().any(|stage| matches!(stage, Stage::Alone(_)))
            && stages().all(|stage| matches!(stage, Stage::Alone(_) | Stage::Ends))
    }

    /// From precise state in the middle of an activation, begins to record a thread.
    pub(crate) fn begin_here(&mut self, regs: &mut user_regs_struct) -> Result<Next, Error> {
        let pc = regs.rip;
        self.locate(pc)?;
        if self.is_across_border(pc) {
            self.switch(true);
        }
        if self.on {
            self.begin_amid(regs, pc)?;
        } else if self.has_border() {
            // It returns to its own code some time.
            self.outermost = Some(0);
        }
        let next = self.arrive(regs, pc, None, None)?;
        if let (Some(attached), Next::Resume(_)) = (&mut self.attached, &next) {
            attached.start = Some((regs.rip, pc));
        }
        Ok(next)
    }
}
