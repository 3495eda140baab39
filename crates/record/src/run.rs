//! The run loop: what happens each time the program stops.
//!
//! Definitions: the program is in *precise state* if all registers are its own and `rip` is an address of its own code.
//! [`Engine::arrive`] takes a precise state to translated code.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use libc::{c_int, siginfo_t, user_regs_struct};
use rustc_hash::FxHashSet;
use trace::block::{Block, FunctionCode};
use trace::sink::{Guide, Mapping, Sink, ThreadId, Untracked};
use trace::stream::Special;
use trace::survey::Survey;

use crate::asm::RCX;
use crate::attach::{self, Attached};
use crate::buffers::{Buffers, Progress};
use crate::cache::{Cache, Meaning};
use crate::children::{Child, shares_memory};
use crate::code::CodeMap;
use crate::counting::Counting;
use crate::error::Error;
use crate::inherited::Inherited;
use crate::interrupt::{Interrupts, Timer};
use crate::learn::{Learner, SOON};
use crate::masks::{Masks, Replaced, Return, is_restart};
use crate::pace::Pace;
use crate::process::{self, Resume, Status, Tracee};
use crate::scope::{Left, starts_on};
use crate::shared::{GUARD, SLOT_BOUND, SLOT_POINTER, SLOT_RCX, SLOT_SITE, SLOT_TARGET, STATE};
use crate::strings::Halt;
use crate::syscalls::Call;
use crate::translate::{Edge, Translator, Trap};
use crate::windows::Windows;
use crate::{Config, Encoding, Exit, Outcome, StopReason, image, interrupt, launch};

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

pub(crate) struct Engine<'a, S> {
    pub(crate) config: &'a Config,
    pub(crate) guide: &'a mut dyn Guide,
    pub(crate) buffers: Buffers<S>,
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
    /// Why recording is to end at the next safe point.
    pub(crate) stopping: Option<StopReason>,
    pub(crate) timer: Option<Timer>,
    /// Recording is on.
    pub(crate) on: bool,
    pub(crate) translator: Translator,
    pub(crate) code: CodeMap,
    pub(crate) leaders: FxHashSet<u64>,
    pub(crate) entries: FxHashSet<u64>,
    pub(crate) progress: Arc<Progress>,
    pub(crate) untracked: BTreeMap<String, u64>,
    /// Stack pointer at the entry of the activation that switched recording on, and its return address.
    pub(crate) region: Option<(u64, u64)>,
    /// Windows of recording.
    pub(crate) windows: Windows,
    /// Above the outermost activation that is recorded, where recording began in the middle of one.
    pub(crate) outermost: Option<u64>,
    /// The process was there before.
    pub(crate) attached: Option<Attached>,
    /// It is a child of this process, the end of which is waited for.
    pub(crate) is_child: bool,
    /// It was started by a program that is recorded: another program that it executes is a recording of its own.
    is_followed: bool,
    /// It has stopped in `execve` for that.
    executes: bool,
    /// How control left the code that is recorded, where that is not all.
    pub(crate) left: Left,
    pub(crate) blocks: u32,
    pub(crate) learner: Learner,
    /// Words of the next buffer that are to be used.
    pub(crate) room: usize,
    pub(crate) stops: u64,
    pub(crate) last_next: u64,
    pub(crate) returns: Vec<u64>,
}

/// What is reported of a program; it ends with this process.
pub(crate) const OPTIONS: c_int = libc::PTRACE_O_EXITKILL
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACECLONE;

/// What is said of a thread that is not recorded.
const THREAD: &str = "thread";

/// By how much buffers grow as long as there is no new code.
const GROWTH: usize = 4;

/// Waits until an untraced child ends.
pub(crate) fn wait_for_end(pid: c_int) -> Result<Exit, Error> {
    loop {
        match process::wait(pid) {
            Ok(Status::Exited(code)) => return Ok(Exit::Code(code)),
            Ok(Status::Killed(signal)) => return Ok(Exit::Signal(signal)),
            Ok(_) => {}
            Err(source) => return Err(Error::Process { what: "wait for the program", pid, source }),
        }
    }
}

/// Receives nothing.
struct Nobody;

impl Sink for Nobody {
    fn mapping(&mut self, _: Mapping) {}
    fn function(&mut self, _: FunctionCode) {}
    fn block(&mut self, _: Block) {}
    fn words(&mut self, _: ThreadId, _: &[u64]) {}
}

/// See [`crate::run()`].
pub(crate) fn run<S: Sink + 'static>(
    config: &Config,
    guide: &mut dyn Guide,
    sink: S,
) -> Result<(Outcome, S), Error> {
    let ended = whole(config, Origin::of(config), guide, sink, None)?;
    Ok((ended.outcome, ended.sink))
}

/// See [`crate::survey()`].
pub(crate) fn survey(config: &Config, guide: &mut dyn Guide) -> Result<(Outcome, Survey), Error> {
    let config =
        Config { encoding: Encoding::None, buffer_words: 512, max_instructions: None, ..config.clone() };
    let ended = whole(&config, Origin::of(&config), guide, Nobody, Some(Counting::default()))?;
    let (mut outcome, counting) = (ended.outcome, ended.counting.unwrap_or_default());
    if counting.replaced() > 0 {
        let what = "instruction whose place other code took (the program was replaced, a library unloaded)";
        outcome.untracked.push(Untracked { what: what.to_owned(), count: counting.replaced() });
    }
    Ok((outcome, counting.finish()))
}

/// Where a recording begins.
pub(crate) enum Origin {
    /// The configured program is started.
    Start,
    /// A process that runs already.
    Process(c_int),
    /// A stopped child in precise state, with the memory of its parent, that of the recorder included.
    Forked(Tracee),
    /// A child that has stopped in `execve`, with what was kept from the kernel, if anything was.
    Executed(Tracee, Option<Masks>),
}

impl Origin {
    fn of(config: &Config) -> Self {
        config.pid.map_or(Origin::Start, Origin::Process)
    }
}

/// How a recording ended.
pub(crate) struct Ended<S> {
    pub(crate) outcome: Outcome,
    pub(crate) sink: S,
    counting: Option<Counting>,
    /// The process has stopped in `execve`, and the program that it executes is a recording of its own.
    pub(crate) executes: Option<(Tracee, Masks)>,
}

/// Records a program or process from the given beginning.
pub(crate) fn whole<S: Sink + 'static>(
    config: &Config,
    origin: Origin,
    guide: &mut dyn Guide,
    sink: S,
    counting: Option<Counting>,
) -> Result<Ended<S>, Error> {
    if !(512..=1 << 26).contains(&config.buffer_words) {
        return Err(Error::BufferSize(config.buffer_words));
    }
    let _guard = Interrupts::hold(false);
    let on = starts_on(config);
    let cache = Cache::new(!on, counting.is_some(), config.code_bytes)?;
    let progress = Arc::new(Progress::default());
    let buffers = Buffers::new(config.buffer_words, sink, config.max_instructions, Arc::clone(&progress))?;
    cache.state.set_word(SLOT_POINTER as usize, buffers.start());
    let is_forked = matches!(origin, Origin::Forked(_));
    let is_followed = is_forked || matches!(origin, Origin::Executed(..));
    let is_executed = is_followed && !is_forked;
    let (mut tracee, attached, masks) = match origin {
        Origin::Start => {
            let masks = Masks::new(Inherited::now());
            (Tracee::new(launch::start(config, Some(OPTIONS))?)?, None, masks)
        }
        Origin::Process(pid) => {
            let (tracee, attached, masks) = attach::attach(pid, OPTIONS & !libc::PTRACE_O_EXITKILL)?;
            (tracee, Some(attached), masks)
        }
        Origin::Forked(tracee) => {
            let masks = Masks::of_process(&tracee)?;
            (tracee, Some(Attached::whole()), masks)
        }
        Origin::Executed(before, masks) => {
            // Its memory is another one now.
            let tracee = Tracee::new(before.pid())?;
            let masks = masks.map_or_else(|| Masks::of_process(&tracee), Ok)?;
            (tracee, Some(Attached::whole()), masks)
        }
    };
    if is_followed {
        tracee.kernel_call().into_iter().for_each(|at| tracee.calls_at(at));
    }
    let pid = tracee.pid();
    let is_attached = attached.is_some();
    let time = || if is_attached { attach::time(pid) } else { Some(process::children_time()) };
    let before = time();
    interrupt::running(true);
    let timer = Some(Timer::start(config.duration, pid, Arc::clone(&progress)));
    let mut engine = Engine {
        config,
        timer,
        guide,
        buffers,
        cache,
        counting,
        tracee,
        pending: VecDeque::new(),
        masks,
        held: None,
        pace: Pace::default(),
        caught: None,
        shares_handlers: false,
        awaiting: None,
        halt: None,
        stopping: None,
        on,
        translator: Translator::new(),
        code: CodeMap::default(),
        leaders: FxHashSet::default(),
        entries: FxHashSet::default(),
        progress,
        untracked: BTreeMap::new(),
        region: None,
        windows: Windows::default(),
        outermost: None,
        is_child: attached.is_none(),
        is_followed,
        executes: false,
        attached,
        left: Left::default(),
        blocks: 0,
        learner: Learner::default(),
        room: SOON,
        stops: 0,
        last_next: 0,
        returns: Vec::new(),
    };
    let mut exit = engine.begin(is_forked, is_executed).and_then(|()| engine.run());
    let after = time();
    interrupt::running(false);
    drop(engine.timer.take());
    if exit.is_err() {
        // Requests about a program that somebody kills fail in many ways; its end is what counts.
        match engine.tracee.end() {
            Some(Status::Killed(signal)) => exit = Ok(Exit::Signal(signal)),
            // It may have been let go of.
            _ if is_attached && engine.release_after_failure() => {}
            _ => {
                // SAFETY: ends a process that cannot go on without the recorder.
                unsafe { libc::kill(pid, libc::SIGKILL) };
                let _ = wait_for_end(pid);
            }
        }
    }
    let exit = exit?;
    let stopped = if interrupt::was_interrupted() { Some(StopReason::Interrupted) } else { engine.stopping };
    let child_cpu = after.zip(before).map_or(Duration::ZERO, |(after, before)| after.saturating_sub(before));
    engine.collect();
    engine.count_passages();
    let executes = engine.executes.then(|| engine.masks.executed());
    let pointer = engine.pointer();
    let untracked = engine.untracked.into_iter().map(|(what, count)| Untracked { what, count }).collect();
    let (blocks, stops) = (u64::from(engine.blocks), engine.stops);
    let executes = executes.map(|masks| (engine.tracee, masks));
    let (sink, words) = engine.buffers.finish(pointer)?;
    let abandoned = engine.progress.abandoned.load(Ordering::Relaxed);
    let outcome = Outcome { exit, child_cpu, untracked, stopped, abandoned, words, blocks, stops };
    Ok(Ended { outcome, sink, counting: engine.counting, executes })
}

impl<S> Engine<'_, S> {
    fn run(&mut self) -> Result<Exit, Error> {
        let mut next = Next::Resume(0);
        loop {
            match next {
                Next::Resume(signal) => {
                    let how = self.over_string(self.how())?;
                    self.tracee.resume(how, signal)?;
                }
                Next::Listen => self.tracee.listen()?,
                Next::Ended(exit) => return Ok(exit),
            }
            let status = self.wait()?;
            let halt = self.restore();
            self.stops += 1;
            self.look_side();
            next = match status {
                Status::Exited(code) => Next::Ended(Exit::Code(code)),
                Status::Killed(signal) => Next::Ended(Exit::Signal(signal)),
                Status::Interrupted => Next::Resume(0),
                Status::Stopped { signal, event: libc::PTRACE_EVENT_STOP } => self.other_stop(signal)?,
                Status::Stopped { event: libc::PTRACE_EVENT_EXEC, .. } if self.is_followed => {
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
            if let Some(status) = self.tracee.wait_until(Instant::now() + due)? {
                return Ok(status);
            }
            if self.held.is_some() {
                self.pace.stopping();
                self.tracee.interrupt()?;
            } else {
                self.send_next();
            }
        }
        self.tracee.wait()
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
        if let libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU = signal {
            return Ok(Next::Listen);
        }
        if self.pending.is_empty() {
            self.let_go()?;
            self.send_next();
        }
        Ok(Next::Resume(0))
    }

    /// To translated code: from the stop in `execve`, or from precise state, in which a child that was forked still has its parent's
    /// recorder in its memory.
    fn begin(&mut self, is_forked: bool, is_executed: bool) -> Result<(), Error> {
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
    fn release_after_failure(&mut self) -> bool {
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
            self.tracee.send(signal);
        }
        Ok(())
    }

    fn how(&self) -> Resume {
        if self.awaiting.is_some() || !self.pending.is_empty() || self.stopping.is_some() {
            Resume::Step
        } else {
            Resume::Run
        }
    }

    /// Forgets what is known of the program, which is another one now.
    fn reset(&mut self) {
        self.collect();
        (self.region, self.outermost) = (None, None);
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

    /// Takes what the counters of a survey say.
    fn collect(&mut self) {
        if let Some(counting) = &mut self.counting {
            counting.collect(&self.cache.state);
        }
    }

    /// Forgets all translations.
    pub(crate) fn flush(&mut self) {
        self.collect();
        self.cache.clear();
        self.learner.clear();
        if let Some((_, back)) = self.region {
            self.cache.guard_return(back, true);
        }
        self.guard_windows();
    }

    fn event(&mut self, event: c_int) -> Result<(), Error> {
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
                let child = Tracee::new(self.tracee.event_message()? as c_int)?;
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
                        child.detach(0)?;
                        self.count(if thread { THREAD } else { "child process" });
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn is_thread(&self, tid: c_int) -> bool {
        std::path::Path::new(&format!("/proc/{}/task/{tid}", self.tracee.pid())).exists()
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
            Some(Awaiting::Call { .. }) if is_restart(regs.rax) => return Ok(Next::Resume(0)),
            Some(Awaiting::Call { .. }) => {
                if let Some(next) = self.cache.after_syscall(regs.rip) {
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
        if (!self.pending.is_empty() || self.stopping.is_some()) && self.make_precise(regs)? {
            let pc = regs.rip;
            return self.arrive(regs, pc, None, None);
        }
        Ok(Next::Resume(0))
    }

    /// After a trap placed by the translator.
    fn trapped(&mut self, meaning: Meaning, regs: &mut user_regs_struct) -> Result<Next, Error> {
        if self.progress.reached.load(Ordering::Relaxed) {
            self.stop_for(StopReason::Instructions);
        }
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
                let next = self.arrive(regs, target, None, Some(edge))?;
                if let Some(counting) = self.counting.as_mut().filter(|_| edge != Edge::Return) {
                    let site = self.cache.state.word(SLOT_SITE as usize);
                    counting.arrived(&mut self.cache, edge, site, target);
                } else if on == self.on {
                    self.cache.sieve(edge, on, target, None);
                } else {
                    self.let_pass(edge, on, target);
                }
                Ok(next)
            }
            Meaning::Changed { pc, bytes } => self.changed(regs, pc, bytes),
            Meaning::RegionEnd { pc } => {
                if self.region.is_some_and(|(sp, _)| regs.rsp > sp) {
                    self.region = None;
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
        if !self.on {
            return Ok(());
        }
        let mut words = Vec::new();
        special.write(&mut words);
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
        if self.progress.reached.load(Ordering::Relaxed) {
            self.stop_for(StopReason::Instructions);
        }
        Ok(true)
    }
}

/// What to do after a stop.
pub(crate) enum Next {
    /// Resume, delivering a signal if not 0.
    Resume(c_int),
    /// Leave it stopped with its process group.
    Listen,
    /// The program ended.
    Ended(Exit),
}
