//! Threads of the program: all are recorded, and one runs at a time.
//!
//! Definition: the thread that runs has the *turn*. The others are ready, in precise state, or away: in a system call, which may take its time,
//! or stopped with the process group. The turn passes in precise state, at a system call that does not return soon, and where a thread ends. What
//! was recorded in a turn is handed over as words of that thread when it passes.
//!
//! Invariants: words are handed over in the order in which they were executed, all threads together. So what one thread reads of
//! another is found as within one thread, whatever orders them: locks, atomic instructions, plain loads and stores. All threads share the code cache,
//! the state page and the buffers, because only who has the turn uses them. Calls that may take their time are made at [`REMOTE_CALL`], which stays where it is when the cache is
//! cleared meanwhile.
//! Limits: the program takes as long as its threads one after the other. What a system call does to memory is recorded when its thread gets
//! the turn after it.

mod joining;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use libc::{c_int, siginfo_t, user_regs_struct};
use trace::sink::ThreadId;
use trace::stream::Special;

use crate::Exit;
use crate::alone::Approach;
use crate::attach::Rseq;
use crate::error::Error;
use crate::masks::Masks;
use crate::pace::Pace;
use crate::process::{self, Status, Tracee, is_gone};
use crate::run::{Awaiting, Engine, Next};
use crate::scope::Left;
use crate::shared::{
    REMOTE_CALL, SLOT_ARGUMENTS, SLOT_BOUND, SLOT_CALLED, SLOT_CONTRACT, SLOT_FIRST, SLOT_SECOND, SLOT_TARGET,
};
use crate::windows::Windows;

pub(crate) use joining::ATTACHED;

/// How long a thread runs while others are ready.
const SLICE: Duration = Duration::from_millis(10);
/// How long a system call may take before the turn passes.
const BRIEF: Duration = Duration::from_micros(50);
/// How far apart to look whether a thread has stopped while others are ready.
const LOOK: Duration = Duration::from_micros(20);
/// How long to look without a rest.
const AWAKE: Duration = Duration::from_micros(100);

/// Slots of the state page that belong to a thread between its stops.
const OWN_SLOTS: [i32; 12] = [
    SLOT_TARGET,
    SLOT_FIRST,
    SLOT_SECOND,
    SLOT_BOUND,
    SLOT_CONTRACT,
    SLOT_CALLED,
    SLOT_ARGUMENTS,
    SLOT_ARGUMENTS + 8,
    SLOT_ARGUMENTS + 16,
    SLOT_ARGUMENTS + 24,
    SLOT_ARGUMENTS + 32,
    SLOT_ARGUMENTS + 40,
];

/// What a thread without the turn does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It has stopped in precise state.
    Ready,
    /// It is in a system call, or stopped with the process group.
    Away,
    /// It was away, and has stopped since.
    Reported(Status),
    /// It is the first, and ends: that is reported when all have ended.
    Ends,
    /// It is the first, has stopped in precise state, and is let go of when all others have been.
    Last,
    /// It was there when the process was attached to, and runs alone until it can be taken over.
    Alone(Approach),
    /// It ran alone, and has stopped where it can be taken over.
    Found,
}

/// What belongs to one thread, while another one has the turn.
pub(crate) struct Thread {
    number: ThreadId,
    stage: Stage,
    tracee: Tracee,
    pending: VecDeque<(c_int, siginfo_t)>,
    masks: Masks,
    held: Option<u64>,
    pace: Pace,
    awaiting: Option<Awaiting>,
    on: bool,
    region: Option<(u64, u64)>,
    windows: Windows,
    outermost: Option<u64>,
    left: Left,
    last_next: u64,
    rseq: Option<Rseq>,
    slots: [u64; OWN_SLOTS.len()],
}

/// Those of a program.
#[derive(Default)]
pub(crate) struct Threads {
    /// Number of the one that has the turn.
    number: ThreadId,
    /// Number of the latest one.
    latest: ThreadId,
    others: VecDeque<Thread>,
    /// When the turn began.
    since: Option<Instant>,
    /// The turn is to pass at the next safe point.
    pub(crate) yields: bool,
}

impl Threads {
    /// Whether no other thread will run again.
    pub(crate) fn is_alone(&self) -> bool {
        self.others.iter().all(|thread| thread.stage == Stage::Ends)
    }

    /// The turn begins.
    pub(crate) fn begin_slice(&mut self) {
        self.since = Some(Instant::now());
    }

    /// Number of the thread that has the turn.
    pub(crate) fn number(&self) -> ThreadId {
        self.number
    }

    /// The thread that has the turn waits for another one: the turn is to pass, if there is one.
    pub(crate) fn let_others(&mut self) {
        self.yields |= !self.is_alone();
    }

    fn is_any_ready(&self) -> bool {
        self.others.iter().any(|thread| thread.stage.is_ready())
    }
}

impl Stage {
    /// Whether the thread may get the turn.
    fn is_ready(self) -> bool {
        matches!(self, Stage::Ready | Stage::Found | Stage::Reported(_))
    }
}

impl Thread {
    /// One that has not run yet.
    fn new(number: ThreadId, stage: Stage, tracee: Tracee, on: bool) -> Thread {
        Thread {
            number,
            stage,
            tracee,
            pending: VecDeque::new(),
            masks: Masks::default(),
            held: None,
            pace: Pace::default(),
            awaiting: None,
            on,
            region: None,
            windows: Windows::default(),
            outermost: None,
            left: Left::default(),
            last_next: 0,
            rseq: None,
            slots: [0; OWN_SLOTS.len()],
        }
    }

    /// Whether it has ended while it was away, and the program goes on without it.
    fn has_ended(&self) -> bool {
        let is_first = self.tracee.pid() == self.tracee.process();
        matches!(self.stage, Stage::Reported(Status::Exited(_) | Status::Killed(_))) && !is_first
    }
}

impl Engine<'_> {
    /// The program's address after the system call that ends at an address of the cache.
    pub(crate) fn after_call(&self, rip: u64) -> Option<u64> {
        let apart = rip == REMOTE_CALL + process::SYSCALL.len() as u64;
        if apart { Some(self.last_next) } else { self.cache.after_syscall(rip) }
    }

    /// The program's address after the system call that is about to be made at an address of the cache.
    pub(crate) fn before_call(&self, rip: u64) -> Option<u64> {
        if rip == REMOTE_CALL { Some(self.last_next) } else { self.cache.before_syscall(rip) }
    }

    /// The program has made a thread, which has stopped before its first instruction, in these registers.
    pub(crate) fn add_thread(
        &mut self,
        child: &Tracee,
        regs: &user_regs_struct,
        gs_base: u64,
    ) -> Result<(), Error> {
        if self.threads.is_alone() {
            self.cache.set_quiet(true);
        }
        let tracee = self.tracee.thread(child.pid())?;
        // Single steps show in what the instruction keeps of the flags.
        tracee.set_regs(&user_regs_struct { gs_base, r11: regs.eflags, ..*regs })?;
        self.threads.latest += 1;
        let mut thread = Thread::new(self.threads.latest, Stage::Ready, tracee, self.on);
        thread.masks = self.masks.of_thread();
        thread.slots[0] = regs.rip;
        self.threads.others.push_back(thread);
        self.threads.since.get_or_insert_with(Instant::now);
        Ok(())
    }

    /// Whether the thread that has just been resumed is to be left to itself.
    pub(crate) fn goes_away(&self, next: &Next) -> bool {
        let in_call = || matches!(self.awaiting, Some(Awaiting::Call { .. }));
        let is_left = match next {
            Next::Listen => true,
            Next::Resume(_) => in_call(),
            Next::Reported(_) | Next::Ended(_) => false,
        };
        is_left && !self.threads.is_alone()
    }

    /// The thread that has the turn has been resumed, and may stop soon or not.
    pub(crate) fn let_away(&mut self) -> Result<Next, Error> {
        let start = Instant::now();
        while start.elapsed() < BRIEF {
            if let Some(status) = self.tracee.poll()? {
                return Ok(Next::Reported(status));
            }
            std::hint::spin_loop();
        }
        self.pass_turn(Some(Stage::Away))
    }

    /// In precise state, passes the turn.
    pub(crate) fn yield_turn(&mut self, regs: &mut user_regs_struct) -> Result<Next, Error> {
        // No system call is to be made again at an address of the cache.
        regs.orig_rax = u64::MAX;
        self.tracee.set_regs(regs)?;
        self.pass_turn(Some(Stage::Ready))
    }

    /// A thread has ended.
    pub(crate) fn ended(&mut self, exit: Exit) -> Result<Next, Error> {
        if self.threads.others.is_empty() || self.tracee.pid() == self.tracee.process() {
            return Ok(Next::Ended(exit));
        }
        self.pass_turn(None)
    }

    /// The thread that has the turn has called for its end.
    pub(crate) fn end_thread(&mut self) -> Result<Next, Error> {
        match self.tracee.pid() == self.tracee.process() {
            true => self.pass_turn(Some(Stage::Ends)),
            false => self.tracee.wait().map(Next::Reported),
        }
    }

    /// Gives the turn to the thread that has waited longest, or waits until one may run. The one that has it will be in the given stage; it has
    /// ended if there is none.
    pub(crate) fn pass_turn(&mut self, stage: Option<Stage>) -> Result<Next, Error> {
        self.threads.yields = false;
        loop {
            self.look_around()?;
            let others = &mut self.threads.others;
            if stage.is_none() && others.iter().all(|t| matches!(t.stage, Stage::Ends | Stage::Last)) {
                others.iter_mut().filter(|t| t.stage == Stage::Last).for_each(|t| t.stage = Stage::Ready);
            }
            let ready = others.iter().position(|t| t.stage.is_ready());
            if let Some(mut thread) = ready.and_then(|at| others.remove(at)) {
                let next = thread.stage;
                self.hand_over()?;
                self.exchange(&mut thread);
                if let Some(stage) = stage {
                    thread.stage = stage;
                    self.threads.others.push_back(thread);
                }
                return self.begin_turn(next);
            }
            match stage {
                Some(Stage::Ready) => return self.begin_turn(Stage::Ready),
                None | Some(Stage::Ends) if self.stopping.is_some() && self.is_left_alone() => {
                    return self.part_through_another();
                }
                None if self.threads.others.is_empty() => return Ok(Next::Ended(Exit::Running)),
                // It may be killed wherever it is.
                Some(_) => {
                    if let Some(status) = self.tracee.poll()? {
                        return Ok(Next::Reported(status));
                    }
                }
                None => {}
            }
            self.rest();
        }
    }

    /// The thread that has got the turn begins it.
    fn begin_turn(&mut self, stage: Stage) -> Result<Next, Error> {
        self.threads.begin_slice();
        self.buffers.thread = self.threads.number;
        if self.threads.is_alone() {
            self.cache.set_quiet(false);
        }
        if let Stage::Reported(status @ (Status::Exited(_) | Status::Killed(_))) = stage {
            return Ok(Next::Reported(status));
        }
        let mut regs = self.tracee.regs()?;
        if is_gone(&regs) {
            // The end of the first thread is reported after those of all others.
            return self.pass_turn(Some(Stage::Away));
        }
        if stage != Stage::Found {
            self.note_base(&regs)?;
        }
        match stage {
            Stage::Reported(status) => Ok(Next::Reported(status)),
            Stage::Found => self.join(),
            _ => {
                let pc = regs.rip;
                self.arrive(&mut regs, pc, None, None)
            }
        }
    }

    /// Tells what thread-local addresses are relative to, in this turn.
    fn note_base(&mut self, regs: &user_regs_struct) -> Result<(), Error> {
        // Ways back into the recorded code do not tell it.
        self.note(&Special::ThreadBase(regs.fs_base))
    }

    /// Writes a special record on whichever side of the border the program is.
    pub(crate) fn note(&mut self, special: &Special) -> Result<(), Error> {
        let is_on = self.on;
        self.on |= self.has_border();
        let noted = self.special(special);
        self.on = is_on;
        noted
    }

    /// Hands over what was recorded in the turn that ends.
    fn hand_over(&mut self) -> Result<(), Error> {
        let pointer = self.pointer();
        self.learn(pointer)?;
        let start = self.buffers.end_turn(pointer, self.room)?;
        self.set_pointer(start);
        self.look_at_limit();
        Ok(())
    }

    /// Exchanges what belongs to the thread that has the turn for what belongs to another.
    fn exchange(&mut self, other: &mut Thread) {
        use std::mem::swap;
        let state = &self.cache.state;
        for (slot, word) in OWN_SLOTS.into_iter().zip(&mut other.slots) {
            let before = state.word(slot as usize);
            state.set_word(slot as usize, std::mem::replace(word, before));
        }
        swap(&mut self.threads.number, &mut other.number);
        swap(&mut self.tracee, &mut other.tracee);
        swap(&mut self.pending, &mut other.pending);
        self.masks.exchange(&mut other.masks);
        swap(&mut self.held, &mut other.held);
        swap(&mut self.pace, &mut other.pace);
        swap(&mut self.awaiting, &mut other.awaiting);
        swap(&mut self.region, &mut other.region);
        swap(&mut self.windows, &mut other.windows);
        swap(&mut self.outermost, &mut other.outermost);
        swap(&mut self.left, &mut other.left);
        swap(&mut self.last_next, &mut other.last_next);
        swap(&mut self.rseq, &mut other.rseq);
        let on = self.on;
        self.switch(other.on);
        other.on = on;
    }

    /// Looks which threads that were away have stopped.
    fn look_around(&mut self) -> Result<(), Error> {
        self.look_alone()?;
        let mut has_ended = self.threads.others.iter().any(Thread::has_ended);
        for thread in &mut self.threads.others {
            // Those that are ready may be killed, and those that have stopped: until they are waited for, the process has not ended.
            let status = match thread.stage {
                Stage::Alone(_) | Stage::Reported(Status::Exited(_) | Status::Killed(_)) => None,
                Stage::Reported(_) => thread.tracee.poll_end()?,
                _ => thread.tracee.poll()?,
            };
            if let Some(status) = status {
                thread.stage = Stage::Reported(status);
                has_ended |= thread.has_ended();
            }
        }
        if has_ended {
            self.threads.others.retain(|thread| !thread.has_ended());
        }
        Ok(())
    }

    /// Waits until some thread has something to report.
    fn rest(&self) {
        let is_known = |pid| {
            self.tracee.pid() == pid || self.threads.others.iter().any(|thread| thread.tracee.pid() == pid)
        };
        // A report of another process stays there for who waits for it.
        if process::wait_for_any().is_none_or(|pid| !is_known(pid)) {
            std::thread::sleep(LOOK);
        }
    }

    /// Waits for the next report of the thread that has the turn, until a time if there is one. Interrupts it when others have waited
    /// long enough.
    pub(crate) fn report_until(&mut self, end: Option<Instant>) -> Result<Option<Status>, Error> {
        if self.threads.others.is_empty() {
            return match end {
                Some(end) => self.tracee.wait_until(end),
                None => self.tracee.wait().map(Some),
            };
        }
        let start = Instant::now();
        loop {
            if let Some(status) = self.tracee.poll()? {
                return Ok(Some(status));
            }
            self.look_around()?;
            let now = Instant::now();
            if end.is_some_and(|end| now >= end) {
                return Ok(None);
            }
            let is_any_ready = self.threads.is_any_ready();
            if !is_any_ready && end.is_none() {
                self.rest();
                continue;
            }
            let is_over = self.threads.since.is_some_and(|since| now.duration_since(since) >= SLICE);
            if is_any_ready && is_over && !self.threads.yields {
                self.threads.yields = true;
                self.tracee.interrupt()?;
            }
            if now.duration_since(start) < AWAKE {
                std::hint::spin_loop();
            } else {
                std::thread::sleep(LOOK);
            }
        }
    }

    /// Recording ends: the thread that has the turn is in precise state, and is let go of if it is not the first. The others are to be,
    /// and the first after them.
    pub(crate) fn stop_others(&mut self, regs: &mut user_regs_struct) -> Result<Next, Error> {
        // It sends no more stops.
        drop(self.timer.take());
        self.leave_alone()?;
        if self.threads.is_alone() {
            return self.part(regs);
        }
        let is_first = self.tracee.pid() == self.tracee.process();
        if is_first {
            self.tracee.set_regs(regs)?;
        } else {
            self.withdraw(regs)?;
            self.tracee.detach(0)?;
        }
        for thread in self.threads.others.iter().filter(|thread| thread.stage == Stage::Away) {
            thread.tracee.interrupt()?;
        }
        self.pass_turn(is_first.then_some(Stage::Last))
    }

    /// Lets go of all threads of a process that was attached to but the one that has the turn, after an error.
    pub(crate) fn part_others_after_failure(&mut self) -> Result<(), Error> {
        for _ in 0..self.threads.others.len() {
            let Some(mut thread) = self.threads.others.pop_front() else { break };
            if thread.stage == Stage::Ends {
                self.threads.others.push_back(thread);
                continue;
            }
            self.exchange(&mut thread);
            let stage = std::mem::replace(&mut thread.stage, Stage::Ready);
            // As long as it is there, the recorder's memory stays.
            self.threads.others.push_front(thread);
            if stage == Stage::Away {
                self.tracee.interrupt()?;
                self.tracee.wait()?;
            }
            self.part_thread_after_failure();
            if let Some(mut thread) = self.threads.others.pop_front() {
                self.exchange(&mut thread);
            }
        }
        Ok(())
    }

    /// The process was killed: its end is reported when that of all threads beside the first has been taken note of.
    pub(crate) fn wait_for_threads(&self) {
        let all = self.threads.others.iter().map(|thread| &thread.tracee).chain([&self.tracee]);
        for tracee in all.filter(|tracee| tracee.pid() != tracee.process()) {
            while let Ok(Status::Stopped { .. } | Status::Interrupted) = tracee.wait() {}
        }
    }

    /// Another program takes the place of this one: of its threads, that which has called for it goes on as the first.
    pub(crate) fn keep_one_thread(&mut self) -> Result<(), Error> {
        let former = self.tracee.event_message()? as c_int;
        let mut others = std::mem::take(&mut self.threads.others);
        if let Some(caller) = others.iter_mut().find(|thread| thread.tracee.pid() == former) {
            self.masks.exchange(&mut caller.masks);
        }
        if self.config.pid.is_some() {
            // It may not have been taken over.
            self.tracee.set_options(ATTACHED)?;
            self.masks.add_own(&self.tracee)?;
        }
        if !others.is_empty() {
            self.cache.set_quiet(false);
        }
        self.hand_over()?;
        self.threads = Threads { latest: self.threads.latest, ..Threads::default() };
        self.buffers.thread = self.threads.number;
        Ok(())
    }

    /// The code cache is empty now: guards returns of all threads again.
    pub(crate) fn guard_others(&mut self) {
        for thread in &mut self.threads.others {
            if let Some((_, back)) = thread.region {
                self.cache.guard_return(back, true);
            }
            thread.windows.guard_all(&mut self.cache);
        }
    }
}
