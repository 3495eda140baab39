//! Runs an unmodified x86-64 Linux program under translation and emits its record stream.
//!
//! # How it works
//! The recorder traces the program with ptrace and owns a code cache mapped into it. Every basic block is translated
//! once: the program's own instructions with stores of record words in between, linked so that the program stays in
//! the cache. The recorder wakes up only for untranslated targets, system calls, full buffers and signals. A second
//! thread hands full buffers to the [`trace::sink::Sink`].
//!
//! # Invariants
//! - The program behaves as it does alone: output, exit status, signals, faults with precise state.
//! - The records decode to exactly the accesses and instruction counts of an independent single-step run
//!   ([`oracle`]), in every [`Encoding`].
//!
//! # Limits
//! Threads are recorded one at a time, in the order in which they run. Child processes that nobody follows run natively and are counted as
//! [`Untracked`]. The recording ends, and the program runs on alone, where it sets up `seccomp`, asks to be traced or sets the base of the
//! `gs` segment ([`StopReason`]). 32-bit code and set-user-id programs are refused. Code in memory that is writable or
//! shared is compared with what was translated whenever control comes to a block of it; a block that rewrites itself goes on as
//! it was until then.

mod aliases;
mod allocators;
mod alone;
mod asm;
mod attach;
mod buffers;
mod cache;
mod calls;
mod children;
mod classes;
mod code;
mod comparison;
mod contracts;
mod counting;
mod decode;
mod emit;
mod error;
mod files;
mod fold;
mod follow;
mod function;
mod given_back;
mod handed;
mod image;
mod inherited;
mod input;
mod interrupt;
mod interrupted;
mod kept;
mod launch;
mod learn;
mod leave;
mod loops;
mod masks;
pub mod oracle;
pub mod other;
mod pace;
mod parting;
mod passage;
mod process;
mod run;
mod runtimes;
mod saves;
mod scope;
mod session;
mod shared;
mod signals;
mod skipped;
mod stale;
mod start;
mod startup;
mod strings;
mod symbols;
mod syscalls;
mod takeover;
mod threads;
mod translate;
mod windows;
mod x87;

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use aliases::Alias;
pub use attach::executable;
pub use children::{Child, Follow, Recorded, arguments};
pub use error::Error;
pub use input::{Feed, Input};
pub use interrupt::Interrupts;
pub use launch::interpreter;
use trace::sink::{Guide, Sink, Untracked};
use trace::survey::Survey;

/// Which operand addresses get a word of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Every dynamic address.
    Addresses,
    /// Every distinct combination of base and index within a block; the rest follows by constants.
    Derived,
    /// As `Derived`; blocks that loop over themselves with constant advances get one record for all iterations.
    #[default]
    Folded,
    /// None: the program is translated but nothing is recorded.
    None,
}

/// Whose code is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// All code.
    #[default]
    All,
    /// That of the program's own file, as the guide knows it; other code runs translated and unrecorded, and
    /// [`trace::stream::Outside`] records tell where it ran.
    Main,
}

/// What to run and how to record it.
#[derive(Debug, Clone)]
pub struct Config {
    /// The program: a path, or a name to be found in PATH.
    pub program: PathBuf,
    /// Its arguments, its own name first; empty stands for just the name.
    pub args: Vec<OsString>,
    /// Variables that it finds in its environment beside those of this process, or with other values.
    pub environment: Vec<(OsString, OsString)>,
    /// A process that runs already, which is recorded instead; `program`, `args`, `environment`, `input` and `silent` do not matter then. It is let
    /// go of at the end of the recording, at which it may run on.
    pub pid: Option<i32>,
    /// The program runs natively for this long before it is recorded, like a process that runs already.
    pub skip: Option<Duration>,
    /// Who takes over the processes that it starts; without, they run natively.
    pub follow: Option<Arc<dyn Follow>>,
    /// What is recorded.
    pub encoding: Encoding,
    /// Size of each of the four record buffers in 8-byte words.
    pub buffer_words: usize,
    /// About how many bytes of translated code are kept; when there are more, all is translated anew.
    pub code_bytes: usize,
    /// Whose code is recorded.
    pub scope: Scope,
    /// Runtimes of OpenMP, as the guide knows them, run unrecorded: a call stands in the recording as a block without instructions
    /// that do anything, and [`trace::stream::Outside`] records tell where control comes back. Matters where recording is on from
    /// the first instruction.
    pub skip_runtimes: bool,
    /// Functions of libraries that have a contract, as the guide knows it, run unrecorded, and stand in the recording as what that says.
    pub contracts: bool,
    /// Whether recording is on from the first instruction; else the guide says where it starts.
    pub start_recording: bool,
    /// What loads a program and starts its libraries runs unrecorded: recording begins with the program's first own instruction, or
    /// where its start makes a thread. Matters where it would be on from the first instruction.
    pub skip_startup: bool,
    /// Stop recording after about this many instructions; the program runs on natively.
    pub max_instructions: Option<u64>,
    /// Stop recording after this time; the program runs on natively.
    pub duration: Option<Duration>,
    /// What the program reads instead of this process's standard input ([`Input`]).
    pub input: Option<Arc<OwnedFd>>,
    /// The program's standard output and standard error lead nowhere.
    pub silent: bool,
}

impl Config {
    /// Records everything `program` does, without arguments.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Config {
            program: program.into(),
            args: Vec::new(),
            environment: Vec::new(),
            pid: None,
            skip: None,
            follow: None,
            encoding: Encoding::default(),
            buffer_words: 1 << 17,
            code_bytes: usize::MAX,
            scope: Scope::All,
            skip_runtimes: false,
            contracts: false,
            start_recording: true,
            skip_startup: false,
            max_instructions: None,
            duration: None,
            input: None,
            silent: false,
        }
    }

    /// Whether recording begins in the middle of a run.
    pub fn begins_amid(&self) -> bool {
        self.pid.is_some() || self.skip.is_some()
    }
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// With this exit code.
    Code(i32),
    /// Killed by this signal.
    Signal(i32),
    /// Not yet: it was attached to, and runs on; or it has executed another program, which is a recording of its own.
    Running,
}

/// Why recording ended before the program did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// [`Config::max_instructions`] was reached.
    Instructions,
    /// [`Config::duration`] was reached.
    Duration,
    /// The user interrupted.
    Interrupted,
    /// The program limits its own system calls (`seccomp`): those of the recorder would not be allowed.
    Seccomp,
    /// The program asks to be traced by its parent, and a program has one tracer.
    Traced,
    /// The program sets the base of the segment `gs`, which the recorder needs.
    Segment,
    /// The program starts a process that shares its memory and runs beside it: two would use the recorder's at once.
    SharedMemory,
    /// The program enters another user namespace, where the recorder may not follow it.
    Namespace,
}

/// What is known after a run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How the program ended.
    pub exit: Exit,
    /// Processor time of the program, user and system; of a process that was attached to, from then on as long as it is recorded, or 0
    /// if it ended meanwhile.
    pub child_cpu: Duration,
    /// What was not recorded.
    pub untracked: Vec<Untracked>,
    /// Memory that the program saw at two places.
    pub aliases: Vec<Alias>,
    /// What loads and starts the program ran unrecorded ([`Config::skip_startup`]).
    pub skipped_startup: bool,
    /// Names of the files of runtimes that ran unrecorded ([`Config::skip_runtimes`]), in their order.
    pub skipped_runtimes: Vec<String>,
    /// Functions that ran by their contracts, in the order of their names.
    pub contracted: Vec<String>,
    /// Why recording ended early, if it did.
    pub stopped: Option<StopReason>,
    /// Part of what was recorded was not handed to the sink, as the user did not want to wait.
    pub abandoned: bool,
    /// Words recorded.
    pub words: u64,
    /// Blocks translated.
    pub blocks: u64,
    /// Times the program was stopped.
    pub stops: u64,
}

/// Runs and records a program. The sink runs on a thread of its own and is returned at the end.
///
/// # Errors
/// If the program cannot be started or traced, or the recorder's own resources cannot be set up. What the program
/// does wrong itself is part of the [`Outcome`].
pub fn run<S: Sink + 'static>(
    config: &Config,
    guide: &mut dyn Guide,
    sink: S,
) -> Result<(Outcome, S), Error> {
    let Some(time) = config.skip else {
        let (ended, sink) = session::record(config, session::Origin::of(config), guide, sink)?;
        return Ok((ended.outcome, sink));
    };
    let begun_alone = skipped::Skipped::start(config, time)?;
    let begun = Config { pid: Some(begun_alone.pid()), skip: None, ..config.clone() };
    let recorded = session::record(&begun, session::Origin::of(&begun), guide, sink);
    match recorded {
        Ok((ended, sink)) => {
            let exit = begun_alone.end(ended.outcome.exit)?;
            Ok((Outcome { exit, ..ended.outcome }, sink))
        }
        Err(error) => {
            // It is the user's program all the same.
            let _ = begun_alone.end(Exit::Running);
            Err(error)
        }
    }
}

/// Runs a program translated but unrecorded, at almost its own speed, and counts where control goes. Of the
/// configuration, what bounds a recording by instructions and what is recorded does not matter.
///
/// # Errors
/// As [`run()`].
pub fn survey(config: &Config, guide: &mut dyn Guide) -> Result<(Outcome, Survey), Error> {
    session::survey(config, guide)
}

/// Runs a program natively, for comparison; only `program` and `args` of the configuration matter.
///
/// # Errors
/// If the program cannot be started.
pub fn native(config: &Config) -> Result<Outcome, Error> {
    let before = process::children_time();
    let pid = launch::start(config, None)?;
    let exit = session::wait_for_end(pid)?;
    let child_cpu = process::children_time().saturating_sub(before);
    Ok(Outcome {
        exit,
        child_cpu,
        untracked: Vec::new(),
        aliases: Vec::new(),
        skipped_startup: false,
        skipped_runtimes: Vec::new(),
        contracted: Vec::new(),
        stopped: None,
        abandoned: false,
        words: 0,
        blocks: 0,
        stops: 0,
    })
}
