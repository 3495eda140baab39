//! The run loop: what happens each time the program stops.
//!
//! Definitions: the program is in *precise state* if all registers are its own and `rip` is an address of its own code.
//! [`Engine::arrive`] takes a precise state to translated code.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use libc::{c_int, siginfo_t, user_regs_struct};
use rustc_hash::{FxHashMap, FxHashSet};
use trace::sink::{Contract, Guide, Handing};
use trace::stream::Special;

use crate::aliases::Alias;
use crate::allocators::Results;
use crate::alone::is_stop;
use crate::asm::RCX;
use crate::attach::{Attached, Rseq};
use crate::buffers::{Buffers, Progress};
use crate::cache::{Cache, Meaning};
use crate::code::CodeMap;
use crate::contracts::Described;
use crate::counting::Counting;
use crate::error::Error;
use crate::files::Files;
use crate::interrupt::Timer;
use crate::interrupted::settle;
use crate::learn::Learner;
use crate::masks::{Masks, Replaced, Return};
use crate::pace::Pace;
use crate::process::{self, Resume, Status, Tracee};
use crate::scope::Left;
use crate::shared::{GUARD, SLOT_POINTER, SLOT_RCX, SLOT_SITE};
use crate::startup::Startup;
use crate::strings::Halt;
use crate::syscalls::Call;
use crate::threads::Threads;
use crate::translate::{Edge, Translator, Trap};
use crate::windows::Windows;
use crate::{Config, Exit, StopReason};

/// What the program is being stepped over.
pub(crate) enum Awaiting {
    /// A system call whose end matters.
    Call {
        call: Call,
        /// Addresses whose mapping the call may change.
        changes: Option<(u64, u64)>,
        /// It was given something else to read.
        replaced: Option<Replaced>,
    },
    /// A return from a signal handler.
    Sigreturn(Return),
    /// An instruction that runs at its own address; the record of its block ends at the pointer.
    Native {
        /// Its address.
        pc: u64,
        /// Number of its block.
        block: u32,
        /// Instructions before it in the block.
        before: u64,
        /// Words of the block's record.
        words: u16,
    },
}

pub(crate) struct Engine<'a> {
    pub(crate) config: &'a Config,
    pub(crate) guide: &'a mut dyn Guide,
    pub(crate) buffers: Buffers,
    pub(crate) cache: Cache,
    /// The survey, in one.
    pub(crate) counting: Option<Counting>,
    pub(crate) tracee: Tracee,
    pub(crate) pending: VecDeque<(c_int, siginfo_t)>,
    pub(crate) masks: Masks,
    /// The program's mask, while a signal waits for a safe point.
    pub(crate) held: Option<u64>,
    pub(crate) pace: Pace,
    /// Signals that have handlers, if that is known.
    pub(crate) caught: Option<u64>,
    /// Handlers may be changed unseen.
    pub(crate) shares_handlers: bool,
    pub(crate) awaiting: Option<Awaiting>,
    pub(crate) halt: Option<Halt>,
    /// The program was asked to terminate.
    pub(crate) was_terminated: bool,
    /// Why recording is to end at the next safe point.
    pub(crate) stopping: Option<StopReason>,
    pub(crate) timer: Option<Timer>,
    /// Recording is on.
    pub(crate) on: bool,
    pub(crate) translator: Translator,
    pub(crate) code: CodeMap,
    pub(crate) leaders: FxHashSet<u64>,
    pub(crate) entries: FxHashSet<u64>,
    /// Where what functions return is recorded.
    pub(crate) results: Results,
    pub(crate) progress: Arc<Progress>,
    pub(crate) untracked: BTreeMap<String, u64>,
    /// Memory that the program has mapped twice.
    pub(crate) aliases: BTreeSet<Alias>,
    /// Stack pointer at the entry of the activation that switched recording on, and its return address.
    pub(crate) region: Option<(u64, u64)>,
    /// Windows of recording.
    pub(crate) windows: Windows,
    /// What runs before the program's first own instruction.
    pub(crate) startup: Startup,
    /// Above the outermost activation that is recorded, where recording began in the middle of one.
    pub(crate) outermost: Option<u64>,
    /// Where the program has a system call instruction of the kernel's, once that was looked for.
    pub(crate) kernel_call: Option<Option<u64>>,
    /// The recorder's memory is in the process, or parts of it.
    pub(crate) is_inside: bool,
    /// The process was there before; without, it is a child of this one, and its end is waited for.
    pub(crate) attached: Option<Attached>,
    /// A restartable sequence that the thread has registered while it was recorded, and is to be registered when it is let go of.
    pub(crate) rseq: Option<Rseq>,
    /// Threads beside the one that all else here is about.
    pub(crate) threads: Threads,
    /// It was started by a program that is recorded: another program that it executes is a recording of its own.
    pub(crate) is_followed: bool,
    /// It has stopped in `execve` for that.
    pub(crate) executes: bool,
    /// How control left the code that is recorded, where that is not all.
    pub(crate) left: Left,
    /// Contracts of functions, or that they have none.
    pub(crate) contracts: FxHashMap<u64, Option<Contract>>,
    /// Names of those that have run by them.
    pub(crate) contracted: BTreeSet<String>,
    /// Functions whose contracts say what they do to memory.
    pub(crate) described: Described,
    /// The files that the program's descriptors stand for.
    pub(crate) files: Files,
    /// Names of the files of runtimes that run unrecorded.
    pub(crate) runtimes: BTreeSet<String>,
    /// How often control was seen to go between runtimes and the code that is recorded, by where it went.
    pub(crate) taken_turns: FxHashMap<u64, u32>,
    /// How often they began anew.
    pub(crate) renewals: u32,
    /// What functions of runtimes are handed in memory, by entry.
    pub(crate) handings: FxHashMap<u64, Option<Handing>>,
    /// Bytes of data that tasks have, by the entry of their function.
    pub(crate) task_bytes: FxHashMap<u64, u64>,
    pub(crate) blocks: u32,
    pub(crate) learner: Learner,
    /// Words of the next buffer that are to be used.
    pub(crate) room: usize,
    pub(crate) stops: u64,
    pub(crate) last_next: u64,
    pub(crate) returns: Vec<u64>,
}

/// By how much buffers grow as long as there is no new code.
const GROWTH: usize = 4;

impl Engine<'_> {
    /// From the beginning to the end.
    pub(crate) fn whole(&mut self, is_forked: bool, is_executed: bool) -> Result<Exit, Error> {
        if self.config.pid.is_some()
            && let Some(exit) = self.approach()?
        {
            return Ok(exit);
        }
        let next = self.begin(is_forked, is_executed)?;
        self.run(next)
    }

    /// From one stop to the next, to the end.
    fn run(&mut self, mut next: Next) -> Result<Exit, Error> {
        loop {
            match next {
                Next::Resume(signal) => {
                    let how = self.over_string(self.how())?;
                    self.tracee.resume(how, signal)?;
                }
                Next::Listen => self.tracee.listen()?,
                Next::Reported(_) => {}
                Next::Ended(exit) => return Ok(exit),
            }
            if self.goes_away(&next) {
                next = self.let_away()?;
                continue;
            }
            let status = match next {
                Next::Reported(status) => status,
                _ => self.wait()?,
            };
            let halt = self.restore();
            self.stops += 1;
            self.look_side();
            next = match status {
                Status::Exited(code) => self.ended(Exit::Code(code))?,
                Status::Killed(signal) => self.ended(Exit::Signal(signal))?,
                Status::Interrupted => Next::Resume(0),
                Status::Stopped { signal, event: libc::PTRACE_EVENT_STOP } => self.other_stop(signal)?,
                Status::Stopped { event: libc::PTRACE_EVENT_EXEC, .. } if self.is_followed => {
                    self.keep_one_thread()?;
                    self.executes = true;
                    Next::Ended(Exit::Running)
                }
                Status::Stopped { event, .. } if event != 0 => {
                    self.event(event)?;
                    Next::Resume(0)
                }
                Status::Stopped { signal, .. } => self.stop(signal, halt)?,
            };
        }
    }

    /// Waits for the next stop; sends signals again that are in hand when it is time.
    fn wait(&mut self) -> Result<Status, Error> {
        let start = Instant::now();
        let status = self.wait_and_send()?;
        self.pace.has_run(start.elapsed());
        Ok(status)
    }

    fn wait_and_send(&mut self) -> Result<Status, Error> {
        while let Some(due) = self.pace.due() {
            if let Some(status) = self.report_until(Some(Instant::now() + due))? {
                return Ok(status);
            }
            if self.held.is_some() {
                self.pace.stopping();
                self.tracee.interrupt()?;
            } else {
                self.send_next();
            }
        }
        loop {
            if let Some(status) = self.report_until(None)? {
                return Ok(status);
            }
        }
    }

    /// Recording is to end if as many instructions have been counted as there are to be.
    pub(crate) fn look_at_limit(&mut self) {
        if self.progress.reached.load(Ordering::Relaxed) {
            self.stop_for(StopReason::Instructions);
        }
    }

    /// Recording ends at the next safe point; the first reason counts.
    pub(crate) fn stop_for(&mut self, reason: StopReason) {
        self.stopping.get_or_insert(reason);
    }

    /// Sends the next signal in hand again.
    fn send_next(&mut self) {
        self.pace.next().into_iter().for_each(|signal| self.tracee.send(signal));
    }

    /// After a stop that no instruction or signal of the program made: that of its process group, or the recorder's own.
    fn other_stop(&mut self, signal: c_int) -> Result<Next, Error> {
        if is_stop(signal) {
            return Ok(Next::Listen);
        }
        if self.pending.is_empty() {
            self.let_go()?;
            self.send_next();
        }
        // The end of a step may be yet to be reported.
        if self.stops_others() && !self.tracee.awaits(libc::SIGTRAP) {
            return self.at_once_or_later(&mut self.tracee.regs()?);
        }
        // It was not stopped by anything of its own.
        self.tracee.settle()?;
        Ok(Next::Resume(0))
    }

    /// Whether the recording of several threads ends: a call that a thread was interrupted in is not to be made again.
    fn stops_others(&self) -> bool {
        self.stopping.is_some() && !self.threads.is_alone()
    }

    /// Whether the turn, or more, is to end at the next safe point.
    fn is_awaited(&self) -> bool {
        !self.pending.is_empty() || self.stopping.is_some() || self.threads.yields
    }

    fn how(&self) -> Resume {
        if self.awaiting.is_some() || self.is_awaited() { Resume::Step } else { Resume::Run }
    }

    /// Takes what the counters of a survey say.
    pub(crate) fn collect(&mut self) {
        if let Some(counting) = &mut self.counting {
            counting.collect(&self.cache.state);
        }
    }

    /// Forgets all translations.
    pub(crate) fn flush(&mut self) {
        self.collect();
        self.cache.clear();
        self.contracts.clear();
        self.learner.clear();
        if let Some((_, back)) = self.region {
            self.cache.guard_return(back, true);
        }
        self.guard_windows();
        self.guard_others();
    }

    /// Notes something that is not recorded.
    pub(crate) fn count(&mut self, what: &str) {
        *self.untracked.entry(what.to_owned()).or_default() += 1;
    }

    fn stop(&mut self, signal: c_int, halt: Option<Halt>) -> Result<Next, Error> {
        let mut regs = self.tracee.regs()?;
        if signal != libc::SIGTRAP {
            if signal == libc::SIGSEGV && self.cache.contains(regs.rip) && self.swap(&mut regs)? {
                return Ok(Next::Resume(0));
            }
            return self.signal(signal, &mut regs);
        }
        let Some(info) = self.tracee.siginfo()? else { return Ok(Next::Resume(0)) };
        if info.si_code == 0x80 && self.is_behind(halt, &mut regs)? {
            return self.stepped(&mut regs);
        }
        if info.si_code == 0x80 {
            return match self.cache.meaning(regs.rip.wrapping_sub(1)) {
                Some(meaning) => self.trapped(meaning, &mut regs),
                None => self.signal(signal, &mut regs),
            };
        }
        if info.si_code <= 0 {
            if self.cache.meaning(regs.rip.wrapping_sub(1)).is_some() {
                // The kernel drops a trap while such a signal waits: the trap is run again.
                regs.rip -= 1;
                self.tracee.set_regs(&regs)?;
            }
            return self.signal(signal, &mut regs);
        }
        self.stepped(&mut regs)
    }

    /// After a single step.
    fn stepped(&mut self, regs: &mut user_regs_struct) -> Result<Next, Error> {
        let inside = self.cache.contains(regs.rip);
        match &self.awaiting {
            // The signal is yet to be reported.
            Some(Awaiting::Call { .. }) if settle(regs) && !self.stops_others() => {
                self.tracee.set_regs(regs)?;
                return Ok(Next::Resume(0));
            }
            Some(Awaiting::Call { .. }) => {
                if let Some(next) = self.after_call(regs.rip) {
                    self.finish_call(regs)?;
                    regs.rcx = next;
                    return self.arrive(regs, next, None, None);
                }
            }
            &Some(Awaiting::Sigreturn(done)) if !inside => {
                self.awaiting = None;
                self.after_return(done)?;
                self.resumed(regs)?;
                return self.arrive(regs, regs.rip, None, None);
            }
            Some(Awaiting::Native { .. }) if !inside => {
                self.awaiting = None;
                return self.arrive(regs, regs.rip, None, None);
            }
            _ => {}
        }
        if self.is_awaited() && self.make_precise(regs)? {
            let pc = regs.rip;
            return self.arrive(regs, pc, None, None);
        }
        Ok(Next::Resume(0))
    }

    /// After a trap placed by the translator.
    fn trapped(&mut self, meaning: Meaning, regs: &mut user_regs_struct) -> Result<Next, Error> {
        self.look_at_limit();
        match meaning {
            Meaning::Direct { target, pair, call, jump } => {
                let edge = if call {
                    Some(Edge::Call)
                } else if jump {
                    Some(Edge::Jump)
                } else {
                    None
                };
                self.arrive(regs, target, pair, edge)
            }
            Meaning::Unknown { edge, on } => {
                let target = regs.rax;
                regs.rax = self.cache.state.word(crate::shared::SLOT_RAX as usize);
                regs.rcx = self.cache.state.word(crate::shared::SLOT_RCX as usize);
                let was_in_contract = self.is_in_contract();
                let next = self.arrive(regs, target, None, Some(edge))?;
                if let Some(counting) = self.counting.as_mut().filter(|_| edge != Edge::Return) {
                    let site = self.cache.state.word(SLOT_SITE as usize);
                    counting.arrived(&mut self.cache, edge, site, target);
                } else if on == self.on {
                    self.cache.sieve(edge, on, target, None);
                } else if was_in_contract && edge == Edge::Return && !on {
                    self.cache.pass_back(target);
                } else {
                    self.let_pass(edge, on, target);
                }
                Ok(next)
            }
            Meaning::Changed { pc, bytes } => self.changed(regs, pc, bytes),
            Meaning::RegionEnd { pc } => {
                if self.region.is_some_and(|(sp, _)| regs.rsp > sp) {
                    self.region = None;
                    self.windows.end_inner();
                    self.switch(false);
                }
                self.arrive(regs, pc, None, None)
            }
            Meaning::WindowBegin { pc } => {
                self.begin_window(regs, pc)?;
                self.arrive(regs, pc, None, None)
            }
            Meaning::Trap(Trap::Native { pc }) => {
                let found = self.cache.find(regs.rip - 1);
                let (block, before, words) = found.map_or((0, 0, 0), |b| {
                    let last = b.points.last();
                    (b.id, last.map_or(0, |p| p.index.into()), last.map_or(0, |p| p.words))
                });
                self.awaiting = Some(Awaiting::Native { pc, block, before, words });
                regs.rip = pc;
                self.tracee.set_regs(regs)?;
                Ok(Next::Resume(0))
            }
            Meaning::Trap(Trap::Pause { next }) => {
                self.threads.let_others();
                self.arrive(regs, next, None, None)
            }
            Meaning::Trap(Trap::Leaves { pc }) => {
                self.take_turns(pc)?;
                self.note_handed(regs, pc)?;
                self.arrive(regs, pc, None, None)
            }
            Meaning::Trap(Trap::Syscall { next }) => {
                regs.rcx = self.cache.state.word(SLOT_RCX as usize);
                self.system_call(regs, next)
            }
        }
    }

    /// Whether the timer sent its stop signal.
    pub(crate) fn time_is_over(&self) -> bool {
        self.progress.late.load(Ordering::Relaxed)
    }

    /// Where the next record goes, while no block holds the pointer.
    pub(crate) fn pointer(&self) -> u64 {
        self.cache.state.word(SLOT_POINTER as usize)
    }

    /// Sets it.
    pub(crate) fn set_pointer(&self, pointer: u64) {
        self.cache.state.set_word(SLOT_POINTER as usize, pointer);
    }

    /// Writes a special record, if recording is on and the pointer is in the state page.
    pub(crate) fn special(&mut self, special: &Special) -> Result<(), Error> {
        let mut words = Vec::new();
        special.write(&mut words);
        self.write_record(&words)
    }

    /// Writes a record, if recording is on and the pointer is in the state page.
    pub(crate) fn write_record(&mut self, words: &[u64]) -> Result<(), Error> {
        if !self.on {
            return Ok(());
        }
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        if bytes.len() > self.buffers.bytes {
            self.count("system call with too many buffers");
            return Ok(());
        }
        if self.pointer() + bytes.len() as u64 > self.buffers.end() {
            self.buffers.swap(self.pointer(), 0, usize::MAX)?;
            self.set_pointer(self.buffers.start());
        }
        let pointer = self.pointer();
        self.buffers.memory.write(self.buffers.offset(pointer), &bytes);
        self.set_pointer(pointer + bytes.len() as u64);
        Ok(())
    }

    /// Buffers grow as long as there is no new code.
    pub(crate) fn grow(&mut self) {
        self.room = self.room.saturating_mul(GROWTH);
    }

    /// If the stop is a store past the end of the current buffer, continues in the next one.
    fn swap(&mut self, regs: &mut user_regs_struct) -> Result<bool, Error> {
        let Some(info) = self.tracee.siginfo()? else { return Ok(false) };
        // SAFETY: SIGSEGV carries an address.
        let address = unsafe { info.si_addr() } as u64;
        let end = self.buffers.end();
        if info.si_code <= 0 || !(end..end + GUARD).contains(&address) {
            return Ok(false);
        }
        let (register, is_whole) = match self.cache.find(regs.rip).cloned() {
            Some(block) if self.continue_loop(regs, &block)? => return Ok(true),
            Some(block) => (block.pair.0, false),
            None if self.cache.is_passage(regs.rip) => (RCX, true),
            None => return Ok(false),
        };
        let pointer = process::register(regs, register);
        // A passage has written nothing yet.
        let partial = if is_whole { 0 } else { end.saturating_sub(*pointer) as usize };
        let end_of_records = *pointer;
        // A passage leads to where recording is on.
        let is_on = self.on;
        self.on |= is_whole;
        let learnt = self.learn(end_of_records);
        self.on = is_on;
        learnt?;
        self.buffers.swap(*pointer, partial, self.room)?;
        self.grow();
        *pointer = self.buffers.start();
        self.set_pointer(self.buffers.start());
        self.tracee.set_regs(regs)?;
        self.look_at_limit();
        Ok(true)
    }
}

/// What to do after a stop.
pub(crate) enum Next {
    /// Resume, delivering a signal if not 0.
    Resume(c_int),
    /// Leave it stopped with its process group.
    Listen,
    /// It has been resumed, and has stopped or ended since.
    Reported(Status),
    /// The program ended.
    Ended(Exit),
}
