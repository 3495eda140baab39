//! One recording from beginning to end: what is set up for it, the run, and what is known after it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use libc::c_int;
use rustc_hash::{FxHashMap, FxHashSet};
use trace::block::{Block, FunctionCode};
use trace::sink::{Guide, Mapping, Sink, ThreadId, Untracked};
use trace::survey::Survey;

use crate::allocators::Results;
use crate::attach::{self, Attached};
use crate::buffers::{Buffers, Progress};
use crate::cache::Cache;
use crate::code::CodeMap;
use crate::counting::Counting;
use crate::error::Error;
use crate::files::Files;
use crate::inherited::Inherited;
use crate::interrupt::{Interrupts, Timer};
use crate::learn::{Learner, SOON};
use crate::masks::Masks;
use crate::pace::Pace;
use crate::process::{self, Status, Tracee};
use crate::run::Engine;
use crate::scope::{Left, starts_on};
use crate::shared::SLOT_POINTER;
use crate::startup::Startup;
use crate::threads::Threads;
use crate::translate::Translator;
use crate::windows::Windows;
use crate::{Config, Encoding, Exit, Outcome, StopReason, contracts, interrupt, launch, runtimes};

/// What is reported of a program; it ends with this process.
pub(crate) const OPTIONS: c_int = libc::PTRACE_O_EXITKILL
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACECLONE;

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

/// A receiver whose owner gets it back. So nothing of the recorder depends on its type, and is compiled again for every one.
struct Lent<S>(Arc<Mutex<S>>);

impl<S> Lent<S> {
    fn get(&self) -> MutexGuard<'_, S> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Sink> Sink for Lent<S> {
    fn mapping(&mut self, mapping: Mapping) {
        self.get().mapping(mapping);
    }
    fn function(&mut self, code: FunctionCode) {
        self.get().function(code);
    }
    fn block(&mut self, block: Block) {
        self.get().block(block);
    }
    fn named(&mut self, pc: u64, name: &str) {
        self.get().named(pc, name);
    }
    fn words(&mut self, thread: ThreadId, words: &[u64]) {
        self.get().words(thread, words);
    }
}

/// Records a program or process from the given beginning.
pub(crate) fn record<S: Sink + 'static>(
    config: &Config,
    origin: Origin,
    guide: &mut dyn Guide,
    sink: S,
) -> Result<(Ended, S), Error> {
    let sink = Arc::new(Mutex::new(sink));
    let ended = whole(config, origin, guide, Box::new(Lent(Arc::clone(&sink))), None)?;
    let sink = Arc::into_inner(sink).and_then(|sink| sink.into_inner().ok()).ok_or(Error::Sink)?;
    Ok((ended, sink))
}

/// See [`crate::survey()`].
pub(crate) fn survey(config: &Config, guide: &mut dyn Guide) -> Result<(Outcome, Survey), Error> {
    let config = Config {
        encoding: Encoding::None,
        buffer_words: SMALLEST_BUFFER,
        max_instructions: None,
        ..config.clone()
    };
    let ended = whole(&config, Origin::of(&config), guide, Box::new(Nobody), Some(Counting::default()))?;
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
    /// Of a recording that is no child's.
    pub(crate) fn of(config: &Config) -> Self {
        config.pid.map_or(Origin::Start, Origin::Process)
    }
}

/// How a recording ended.
pub(crate) struct Ended {
    pub(crate) outcome: Outcome,
    counting: Option<Counting>,
    pub(crate) executes: Executes,
}

/// A process that has stopped in `execve`, where the program that it executes is a recording of its own.
type Executes = Option<(Tracee, Masks)>;

/// Records or surveys a program or process from the given beginning.
fn whole(
    config: &Config,
    origin: Origin,
    guide: &mut dyn Guide,
    sink: Box<dyn Sink>,
    counting: Option<Counting>,
) -> Result<Ended, Error> {
    if !(512..=1 << 26).contains(&config.buffer_words) {
        return Err(Error::BufferSize(config.buffer_words));
    }
    let _guard = Interrupts::hold(false);
    let (traced, executes) = match origin {
        // A process that cannot be stopped is let go of at the end of the thread that traces it.
        Origin::Process(pid) => std::thread::scope(|scope| -> Result<_, Error> {
            let trace =
                || traced(config, Origin::Process(pid), guide, sink, counting).map(|(traced, _)| traced);
            let traced = scope.spawn(trace).join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok((traced?, None))
        })?,
        _ => traced(config, origin, guide, sink, counting)?,
    };
    let Traced { buffers, pointer, progress, outcome, counting } = traced;
    let words = buffers.finish(pointer)?;
    let abandoned = progress.abandoned.load(Ordering::Relaxed);
    let outcome = Outcome { abandoned, words, ..outcome };
    Ok(Ended { outcome, counting, executes })
}

/// A recording of a program that has ended or was let go of.
struct Traced {
    buffers: Buffers,
    /// Where the last record ends.
    pointer: u64,
    progress: Arc<Progress>,
    /// But for what is known when the last buffer was received.
    outcome: Outcome,
    counting: Option<Counting>,
}

/// Smallest buffer under a limit, in words.
const SMALLEST_BUFFER: usize = 512;

/// Words of a record buffer. A limit on instructions is looked at when one is full, and may be missed by as much as two hold:
/// under a small limit they are small.
fn buffer_words(config: &Config) -> usize {
    let most =
        config.max_instructions.map_or(usize::MAX, |limit| usize::try_from(limit / 64).unwrap_or(usize::MAX));
    config.buffer_words.min(most.max(SMALLEST_BUFFER))
}

/// Traces a program or process from the given beginning.
fn traced(
    config: &Config,
    origin: Origin,
    guide: &mut dyn Guide,
    sink: Box<dyn Sink>,
    counting: Option<Counting>,
) -> Result<(Traced, Executes), Error> {
    let on = starts_on(config);
    let has_contracts = contracts::heeds(config);
    let both = !on || config.skip_startup || has_contracts || runtimes::heeds(config);
    let mut cache = Cache::new(both, counting.is_some(), config.code_bytes)?;
    cache.has_contracts = has_contracts;
    cache.skips_runtimes = runtimes::heeds(config);
    let progress = Arc::new(Progress::default());
    let buffers = Buffers::new(buffer_words(config), sink, config.max_instructions, Arc::clone(&progress))?;
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
            progress.leave_alone(true);
            let (tracee, attached) = attach::attach(pid)?;
            (tracee, Some(attached), Masks::default())
        }
        Origin::Forked(tracee) => (tracee, Some(Attached::default()), Masks::default()),
        Origin::Executed(before, masks) => {
            // Its memory is another one now.
            let tracee = Tracee::new(before.pid())?;
            let masks = masks.map_or_else(|| Masks::of_process(&tracee), Ok)?;
            (tracee, Some(Attached::default()), masks)
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
        was_terminated: false,
        stopping: None,
        on,
        translator: Translator::new(),
        code: CodeMap::default(),
        leaders: FxHashSet::default(),
        entries: FxHashSet::default(),
        results: Results::default(),
        progress,
        untracked: BTreeMap::new(),
        aliases: BTreeSet::new(),
        region: None,
        windows: Windows::default(),
        startup: Startup::default(),
        outermost: None,
        kernel_call: None,
        is_followed,
        is_inside: false,
        executes: false,
        attached,
        rseq: None,
        threads: Threads::default(),
        left: Left::default(),
        contracts: FxHashMap::default(),
        contracted: BTreeSet::new(),
        described: contracts::Described::default(),
        files: Files::default(),
        runtimes: BTreeSet::new(),
        taken_turns: FxHashMap::default(),
        renewals: 0,
        handings: FxHashMap::default(),
        task_bytes: FxHashMap::default(),
        blocks: 0,
        learner: Learner::default(),
        room: SOON,
        stops: 0,
        last_next: 0,
        returns: Vec::new(),
    };
    let mut exit = engine.whole(is_forked, is_executed);
    let after = time();
    interrupt::running(false);
    drop(engine.timer.take());
    if exit.is_err() {
        // Requests about a program that somebody kills fail in many ways; its end is what counts.
        match engine.tracee.end() {
            Some(Status::Killed(signal)) => exit = Ok(Exit::Signal(signal)),
            // It may have been let go of.
            _ if is_attached && engine.part_after_failure() => {}
            _ if config.pid.is_some() && !engine.is_inside => {}
            _ => {
                // SAFETY: ends a process that cannot go on without the recorder.
                unsafe { libc::kill(pid, libc::SIGKILL) };
                engine.wait_for_threads();
                let _ = wait_for_end(pid);
            }
        }
    }
    let child_cpu = after.zip(before).map_or(Duration::ZERO, |(after, before)| after.saturating_sub(before));
    let exit = exit?;
    let stopped = if interrupt::was_interrupted() { Some(StopReason::Interrupted) } else { engine.stopping };
    engine.collect();
    engine.count_passages();
    let pointer = engine.pointer();
    let executes = engine.executes.then(|| (engine.tracee, engine.masks.executed()));
    let untracked = engine.untracked.into_iter().map(|(what, count)| Untracked { what, count }).collect();
    let (blocks, stops) = (u64::from(engine.blocks), engine.stops);
    let aliases = engine.aliases.into_iter().collect();
    let outcome = Outcome {
        exit,
        child_cpu,
        untracked,
        aliases,
        skipped_startup: engine.startup.was_skipped(),
        skipped_runtimes: engine.runtimes.into_iter().collect(),
        contracted: engine.contracted.into_iter().collect(),
        stopped,
        abandoned: false,
        words: 0,
        blocks,
        stops,
    };
    let Engine { buffers, progress, counting, .. } = engine;
    Ok((Traced { buffers, pointer, progress, outcome, counting }, executes))
}
