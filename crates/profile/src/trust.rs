//! How much of a run was seen, and how exactly: limits, gaps and coverage as data. Words for people are made by `report`.

use serde::{Deserialize, Serialize};

use crate::{ContextIndex, LocationIndex};

/// How much was seen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Trust {
    /// Instructions recorded and analysed.
    pub instructions: u64,
    /// Memory accesses recorded and analysed.
    pub memory_accesses: u64,
    /// Those of instructions of the program's own file, not of libraries.
    pub main_accesses: u64,
    /// Those of them that came in records that stand for all iterations of a loop.
    pub main_accesses_folded: u64,
    /// Of those, the ones in records that hold some words of every iteration: addresses that were loaded.
    pub main_accesses_partly_folded: u64,
    /// Instructions known to have run unrecorded.
    pub unrecorded: u64,
    /// Instructions that were recorded after the analysis had ended at a limit.
    pub unanalysed: u64,
    /// Dependence instances.
    pub dependences: u64,
    /// Things that the analysis expected of records and did not find, and what it left out for that: 0 unless Loopwright has
    /// a defect.
    pub lost: u64,
    /// Limits that were reached.
    pub limits: Vec<Reached>,
    /// What was not recorded.
    pub untracked: Vec<Untracked>,
    /// The part of the program that was recorded, if not all of it.
    pub part: Option<Part>,
    /// Modules that ran without line information.
    pub missing_debug_information: Vec<String>,
    /// Only the program's own code was recorded, not that of libraries.
    pub main_only: bool,
    /// Executions were counted and nothing else recorded: no accesses, no dependences.
    pub counted_only: bool,
}

impl Trust {
    /// Instructions of the whole run, recorded or not, as far as that is known: what shares and gains are measured by.
    pub fn run(&self) -> u64 {
        match self.part {
            Some(Part::Focus { instructions, .. }) => instructions.max(self.instructions),
            _ => self.instructions,
        }
    }

    /// Whether a limit ended the recording or the analysis before the program ended. What ran afterwards is not known: it may
    /// read what loops wrote.
    pub fn is_cut_short(&self) -> bool {
        self.limits.iter().any(|reached| reached.limit.ends())
    }

    /// Instructions that ran, recorded or not; `None` if that is not known, since the program ran on natively after the
    /// recording.
    pub fn ran(&self) -> Option<u64> {
        let is_known = !self.limits.iter().any(|reached| reached.limit.ends_recording());
        let all = self.instructions.saturating_add(self.unrecorded).saturating_add(self.unanalysed);
        is_known.then_some(all)
    }

    /// The share of the instructions that ran which was recorded and analysed; `None` if it is not known how many ran.
    pub fn recorded_fraction(&self) -> Option<f64> {
        if let Some(Part::Focus { .. }) = self.part {
            return Some(self.instructions as f64 / self.run().max(1) as f64);
        }
        Some(match self.ran()? {
            0 => 0.0,
            ran => self.instructions as f64 / ran as f64,
        })
    }
}

/// A limit that one of the runs of a profile reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    /// The run, from 0.
    pub run: u32,
    /// The limit.
    pub limit: Limit,
}

/// A limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Limit {
    /// Recording ended at `--max-instructions`.
    Instructions,
    /// Recording ended at `--duration`.
    Duration,
    /// The user ended the recording.
    Interrupted,
    /// Recording ended where the program limits its system calls (`seccomp`).
    Seccomp,
    /// Recording ended where the program asks to be traced by its parent (`ptrace`).
    Traced,
    /// Recording ended where the program sets the base of the segment `gs`.
    Segment,
    /// The analysis ended at `--memory-limit`.
    Memory,
    /// The analysis ended at `--time-limit`.
    Time,
    /// The user ended the analysis: the end of the recording is missing.
    Abandoned,
    /// The program's input ended before it had read what it read in an earlier pass: what the system said.
    Input(String),
    /// Streams were given up at `--memory-limit`.
    Streams {
        /// How many.
        count: u64,
        /// The first few.
        some: Vec<GivenUp>,
    },
    /// Loops were given up at `--time-limit`, with the dependences in them.
    Loops(Vec<ContextIndex>),
    /// There are too many reads before writes in these loops to list them all.
    Crowded(Vec<ContextIndex>),
    /// So many records could not be read.
    Malformed(u64),
    /// Accesses and dependences were not recorded (`--fast`).
    Counted,
    /// Recording ended where the program starts a process that shares its memory and runs beside it.
    SharedMemory,
    /// Recording ended where the program enters another user namespace.
    Namespace,
}

impl Limit {
    /// Whether the recording ended there, with the program running on.
    pub fn ends_recording(&self) -> bool {
        matches!(
            self,
            Limit::Instructions
                | Limit::Duration
                | Limit::Interrupted
                | Limit::Seccomp
                | Limit::Traced
                | Limit::Segment
                | Limit::SharedMemory
                | Limit::Namespace
                | Limit::Abandoned
                | Limit::Malformed(_)
        )
    }

    /// Whether something that ran is missing at the end: from the recording or from the analysis.
    pub fn ends(&self) -> bool {
        self.ends_recording() || matches!(self, Limit::Memory | Limit::Time)
    }
}

/// A stream that was given up: the positions of its instructions, and their addresses for where these are not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum GivenUp {
    /// A dependence.
    Dependence {
        /// Its source.
        source: (LocationIndex, u64),
        /// Its sink.
        sink: (LocationIndex, u64),
    },
    /// The iterations of a path that begins here.
    Domain((LocationIndex, u64)),
    /// An address of a path that begins here.
    Addresses((LocationIndex, u64)),
}

impl GivenUp {
    /// Its positions.
    pub(crate) fn locations_mut(&mut self) -> impl Iterator<Item = &mut LocationIndex> {
        let (first, second) = match self {
            GivenUp::Dependence { source, sink } => (&mut source.0, Some(&mut sink.0)),
            GivenUp::Domain(at) | GivenUp::Addresses(at) => (&mut at.0, None),
        };
        std::iter::once(first).chain(second)
    }
}

/// The part of a program that was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// What runs inside a function (`--function`).
    Function(String),
    /// What runs between the return of one function and the entry of another (`--region`).
    Window(String, String),
    /// What ran while the process was attached to (`--pid`).
    Attached,
    /// What ran after the process was forked (`--follow`).
    Forked,
    /// What runs in the loops that do most of the work (`--focus`).
    Focus {
        /// File and line of each.
        loops: Vec<String>,
        /// Instructions of the whole run, by a first one.
        instructions: u64,
        /// Files and lines of what ran in their functions beside them, unrecorded.
        beside: Vec<(String, u32)>,
    },
}

/// Something that was not recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Untracked {
    /// Something that the recorder met and left out, so many times. The name is the recorder's.
    Met {
        /// What.
        what: String,
        /// How often.
        count: u64,
    },
    /// So many dependences between threads, which are kept apart from those of loops.
    BetweenThreads(u64),
    /// What iterations of these loops pass on through other threads, with which they exchange data.
    Exchanged(Vec<ContextIndex>),
    /// A function that should have begun or ended the recording was not met.
    NotMet {
        /// Functions that begin it, of which none was met.
        begin: Option<String>,
        /// Functions that end it, of which none was met.
        end: Option<String>,
    },
    /// The passes of `--two-pass` ended with different statuses.
    Passes(u8, u8),
    /// The program saw the same memory at these two ranges of addresses, each to behind its last: what loops pass on from one to the
    /// other is not seen.
    MappedTwice([(u64, u64); 2]),
    /// What loads the program and starts its libraries, before its first own instruction.
    StartUp,
    /// Functions of libraries that stand for what their contracts say, by name.
    Contracts(Vec<String>),
    /// Runtimes of OpenMP, by the names of their files: what they do beside running the program's code.
    Runtimes(Vec<String>),
}
