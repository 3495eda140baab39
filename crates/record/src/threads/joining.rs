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
use crate::process::{Resume, Status, Tracee, is_gone};
use crate::run::{Engine, Next};
use crate::scope::starts_on;
use crate::session::OPTIONS;
use crate::shared::STATE;
use crate::start::seize;
use crate::{Exit, StopReason};

/// How long to wait for threads that do not stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// How long to wait for the last thread to stop.
const LAST: Duration = Duration::from_millis(200);

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
                    Alone::Ready => {
                        is_ready = true;
                        // It may just have made another one.
                        self.seize_threads()?;
                    }
                    Alone::Ended(exit) => return Ok(Some(exit)),
                    Alone::Executes => {
                        self.tracee = Tracee::new(self.tracee.pid())?;
                        (is_ready, first) = (false, Approach::default());
                        // To right behind the call.
                        self.tracee.interrupt()?;
                        self.tracee.resume(Resume::Run, 0)?;
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
                // It may be about to end.
                let Ok(tracee) = self.tracee.thread(number) else { continue };
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
        let (mut is_any_found, mut is_over, mut refused) = (false, None, None);
        for thread in &mut self.threads.others {
            let Stage::Alone(mut approach) = thread.stage else { continue };
            let Some(status) = thread.tracee.poll()? else { continue };
            self.attached.iter_mut().for_each(|attached| attached.look(&thread.tracee));
            thread.stage = match thread.tracee.approach(status, &mut approach, &self.progress)? {
                Alone::Ready => {
                    let regs = thread.tracee.regs()?;
                    if !is_gone(&regs) {
                        refused = suits(&thread.tracee, &regs).err().or(refused);
                        is_any_found = true;
                        Stage::Found
                    } else {
                        Stage::Alone(approach)
                    }
                }
                Alone::Under => Stage::Alone(approach),
                Alone::Over => {
                    is_over = Some(StopReason::Duration);
                    Stage::Alone(approach)
                }
                Alone::Ended(_) | Alone::Executes => Stage::Reported(status),
            };
        }
        if is_any_found {
            self.seize_threads()?;
        }
        if let Some(error) = refused {
            if !self.is_inside {
                return Err(error);
            }
            is_over = Some(StopReason::Segment);
        }
        if let Some(reason) = is_over.filter(|_| self.is_inside) {
            self.stop_for(reason);
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

    /// Recording ends, and no thread is left of those that were recorded: one that runs alone serves to take the recorder's memory away.
    pub(super) fn part_through_another(&mut self) -> Result<Next, Error> {
        // It sends no more stops.
        drop(self.timer.take());
        let mut others = std::mem::take(&mut self.threads.others);
        let alone = others.iter().position(|thread| matches!(thread.stage, Stage::Alone(_)));
        let Some(mut last) = alone.and_then(|at| others.remove(at)) else {
            return Ok(Next::Ended(Exit::Running));
        };
        self.threads.others = others;
        self.leave_alone()?;
        self.exchange(&mut last);
        self.tracee.interrupt()?;
        let mut looks = pauses();
        let start = Instant::now();
        let mut pause = || (start.elapsed() < LAST).then(&mut looks);
        match self.tracee.wait_while(&mut pause)? {
            Some(Status::Stopped { event: libc::PTRACE_EVENT_STOP, .. }) => {
                let mut regs = self.tracee.regs()?;
                self.withdraw(&mut regs)?;
                self.tracee.detach(0)?;
                Ok(Next::Ended(Exit::Running))
            }
            Some(Status::Exited(code)) => Ok(Next::Ended(Exit::Code(code))),
            Some(Status::Killed(signal)) => Ok(Next::Ended(Exit::Signal(signal))),
            Some(Status::Stopped { signal, event: 0 }) => {
                self.tracee.part_natively(signal)?;
                Ok(Next::Ended(Exit::Running))
            }
            _ => Ok(Next::Ended(Exit::Running)),
        }
    }

    /// Whether no thread is recorded any longer, and those that are left run alone.
    pub(super) fn is_left_alone(&self) -> bool {
        let stages = || self.threads.others.iter().map(|thread| thread.stage);
        stages().any(|stage| matches!(stage, Stage::Alone(_)))
            && stages().all(|stage| matches!(stage, Stage::Alone(_) | Stage::Ends))
    }

    /// From precise state in the middle of an activation, begins to record a thread.
    pub(crate) fn begin_here(&mut self, regs: &mut user_regs_struct) -> Result<Next, Error> {
        if is_gone(regs) {
            return Ok(Next::Resume(0));
        }
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
