//! The polyhedral program as data: what one run showed, folded, with everything needed to talk about it.
//!
//! Invariants:
//! - indices are dense and in range (checked when a file is read);
//! - parents stand before children;
//! - nothing here is a conclusion: verdicts are drawn by `schedule`.
#![forbid(unsafe_code)]

pub mod file;
pub mod fuzzing;
pub mod graph;
pub mod lens;
pub mod merge;
pub mod place;
pub mod trust;

use fold::{Folded, GiveUp};
use serde::{Deserialize, Serialize};

pub use trust::{GivenUp, Limit, Part, Reached, Trust, Untracked};

/// Index into [`Profile::contexts`].
pub type ContextIndex = u32;
/// Index into [`Profile::statements`].
pub type StatementIndex = u32;
/// Index into [`Profile::accesses`].
pub type AccessIndex = u32;
/// Index into [`Profile::locations`].
pub type LocationIndex = u32;
/// Index into [`Profile::objects`].
pub type ObjectIndex = u32;

/// Everything one run showed, or several runs, side by side.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The program that ran.
    pub program: Program,
    /// How much of it was seen and how exactly.
    pub trust: Trust,
    /// How streams were folded.
    pub folding: Folding,
    /// Source positions; index 0 is "unknown".
    pub locations: Vec<Location>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Contexts; index 0 is the root.
    pub contexts: Vec<Context>,
    /// Executed blocks per context.
    pub blocks: Vec<Block>,
    /// Executed instructions per context.
    pub statements: Vec<Statement>,
    /// Memory operands of the statements.
    pub accesses: Vec<Access>,
    /// Dependences between statements.
    pub dependences: Vec<Dependence>,
    /// What dependences pass through.
    pub objects: Vec<Object>,
    /// Control-flow graphs of functions that loops are in, or that loops call.
    pub graphs: Vec<graph::Graph>,
    /// What the source files of the program say of their loops.
    pub sources: Vec<SourceFile>,
    /// Further runs of the program that were merged with the first: see [`merge`].
    pub further_runs: Vec<FurtherRun>,
}

/// A source file of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Its name, as the debug information has it.
    pub file: String,
    /// Its loops; `None` if it could not be read, or is newer than the program.
    pub loops: Option<lens::FileLoops>,
}

/// A run that stands beside the first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FurtherRun {
    /// The program, as it was run.
    pub program: Program,
    /// The root of its contexts, which reach to the root of the next run.
    pub root: ContextIndex,
}

/// The program that ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Command line.
    pub argv: Vec<String>,
    /// Exit status as a shell shows it (128+signal when killed); `None` if it did not end.
    pub exit_status: Option<i32>,
    /// Linker's build id of the main file.
    pub build_id: Option<String>,
}

/// How streams were folded, and how much of that was under way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folding {
    /// Coefficients of dependences were replaced by ⊤ where that let instances fold together, as those of addresses
    /// always are.
    pub widened_dependences: bool,
    /// When a stream was given up.
    pub give_up: GiveUp,
    /// Most pieces that could still grow, at one time.
    pub most_intermediate: IntermediatePieces,
}

/// Pieces that can still grow, of all streams of the program's own code together: #MPI of the publication.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntermediatePieces {
    /// Of statements without memory access and of memory accesses.
    pub instructions: u64,
    /// Of flow dependences through memory.
    pub dependences: u64,
}

/// A source position.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Location {
    /// Function the code belongs to in the source (the inlined one).
    pub function: String,
    /// File, or empty.
    pub file: String,
    /// Line, or 0.
    pub line: u32,
    /// Column, or 0.
    pub column: u32,
}

/// A function that ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Function {
    /// Demangled name, or `module+0xoffset`.
    pub name: String,
    /// Address of its entry.
    pub entry: u64,
    /// File name of its module.
    pub module: String,
    /// Part of the program itself, not of a library.
    pub main: bool,
    /// Every variable of it lies in one place as long as it is in scope: the compiler has removed none.
    pub is_unoptimised: bool,
}

/// What a context adds to its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContextKind {
    /// The start of the program.
    Root,
    /// A call.
    Call {
        /// Position of the call.
        site: LocationIndex,
        /// Function called: index into [`Profile::functions`].
        callee: u32,
    },
    /// A loop.
    Loop,
    /// A recursive loop.
    Recursive,
    /// Entries of a function from code that was not recorded, counted as iterations: no loop that anything is said about.
    Entries,
}

/// Why not all is known of what a loop's iterations pass on to each other. Of several reasons, the one that was found first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Gap {
    /// Code that was left out of the recording ran inside.
    LeftOut,
    /// It was given up at `--time-limit`.
    GivenUp,
    /// Its iterations exchanged data with other threads while it ran.
    Threads,
    /// It was under way when the recording or the analysis began or ended: iterations are missing.
    Unfinished,
}

/// A node of the context tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// The node around it; the root names itself.
    pub parent: ContextIndex,
    /// What it adds.
    pub kind: ContextKind,
    /// Function whose code runs here: index into [`Profile::functions`].
    pub function: u32,
    /// Number of dimensions of vectors here.
    pub dims: u8,
    /// Inside the handler of a signal.
    pub handler: bool,
    /// For loops: an exception or a jump out of a called function has ended it.
    pub is_unwound: bool,
    /// Set for loops that have a dimension.
    pub is_dimension: bool,
    /// Inside a memory allocator: its bookkeeping is not the program's data.
    pub allocator: bool,
    /// For loops: the position of the loop statement.
    pub location: LocationIndex,
    /// For loops of functions that the compiler has put in the place of calls: those calls, the outermost first. Loops of one position
    /// that differ in them are copies of one loop, not pieces of it.
    pub inlined_at: Vec<LocationIndex>,
    /// For loops: how often it was entered.
    pub entries: u64,
    /// For loops: iterations in all.
    pub iterations: u64,
    /// For loops: smallest and largest number of iterations per entry, where known.
    pub trips: Option<(u64, u64)>,
    /// For loops: the condition is tested at the top, so that every entry counts one iteration that is the test alone.
    pub top_tested: bool,
    /// For loops: number of places in its code that leave it, other than through calls: one, unless it is left early.
    pub exits: u32,
    /// For loops: a recursive call from inside suspended it; the recursive loop around it then carries what its
    /// iterations pass on.
    pub suspended: bool,
    /// For loops: why not all is known of what iterations pass on; `None` if it is.
    pub gap: Option<Gap>,
    /// For loops: not all anti dependences between its statements are listed, because there are too many. What it carries is
    /// known, how far its statements may move is not.
    pub is_crowded: bool,
    /// Instructions executed directly in this context.
    pub own_instructions: u64,
    /// For loops: address ranges of its code.
    pub code: Vec<(u64, u64)>,
    /// Where it stands in the code of its parent: the call instruction, or the first instruction of the loop's header.
    pub at: u64,
}

impl Context {
    /// How often the body of a loop ran: a test at the top runs once more per entry.
    pub fn rounds(&self) -> u64 {
        if self.top_tested { self.iterations.saturating_sub(self.entries) } else { self.iterations }
    }

    /// Where its first instruction stands, and what has called the functions that this was put into, from the inside out.
    pub fn places(&self) -> impl Iterator<Item = LocationIndex> {
        std::iter::once(self.location).chain(self.inlined_at.iter().copied())
    }

    /// For loops: whether all dependences between the statements inside are known.
    pub fn is_whole(&self) -> bool {
        self.gap.is_none() && !self.is_crowded
    }

    /// A context in which nothing ran yet.
    pub fn new(parent: ContextIndex, kind: ContextKind, function: u32) -> Context {
        Context {
            parent,
            kind,
            function,
            dims: 0,
            handler: false,
            is_unwound: false,
            is_dimension: false,
            allocator: false,
            location: 0,
            inlined_at: Vec::new(),
            entries: 0,
            iterations: 0,
            trips: None,
            top_tested: false,
            exits: 0,
            suspended: false,
            gap: None,
            is_crowded: false,
            own_instructions: 0,
            code: Vec::new(),
            at: 0,
        }
    }
}

/// One block in one context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Where it ran.
    pub context: ContextIndex,
    /// Its first statement.
    pub first: StatementIndex,
    /// Number of statements.
    pub count: u32,
    /// How often it ran.
    pub executions: u64,
    /// Its iteration domain: a union over the paths it lies on.
    pub domain: Vec<Folded>,
}

/// Kind of operation, as far as analyses need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Operation {
    /// Moves a value unchanged.
    Copy,
    /// Result without inputs.
    Constant,
    /// Rearranges lanes.
    Shuffle,
    /// Addition, subtraction, address arithmetic, fused multiply-add.
    Add,
    /// Multiplication.
    Multiply,
    /// Minimum.
    Minimum,
    /// Maximum.
    Maximum,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Comparison; only flags or a mask.
    Compare,
    /// Conversion.
    Convert,
    /// Control transfer.
    Control,
    /// System call.
    System,
    /// Division, remainder, square root.
    Divide,
    /// Shift or rotation.
    Shift,
    /// Conditional move, select or blend.
    Select,
    /// Anything else.
    Other,
}

/// One instruction in one context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// Index into [`Profile::blocks`].
    pub block: u32,
    /// Its address.
    pub pc: u64,
    /// Its position.
    pub location: LocationIndex,
    /// What it computes.
    pub operation: Operation,
    /// On floating point.
    pub float: bool,
    /// Constant-coefficient combination of its value operands.
    pub linear: bool,
    /// What is added to one operand to give the result, if that is all.
    pub addend: Option<Addend>,
}

/// What an integer addition adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Addend {
    /// A constant.
    Constant(i64),
    /// A general register, by its number; the sum replaces the other operand.
    Register {
        /// The register that the sum replaces.
        to: u8,
        /// The register added, another one.
        from: u8,
        /// Low bytes of both that take part.
        bytes: u8,
        /// It is subtracted.
        negated: bool,
    },
}

/// What a value is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Use {
    /// An ordinary input.
    Value,
    /// May be the accumulator of a reduction.
    Accumulator,
    /// An address.
    Address,
}

/// One memory operand of a statement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Access {
    /// The statement.
    pub statement: StatementIndex,
    /// Store, else load.
    pub write: bool,
    /// Bytes; 0 of what system calls, or functions by their contracts, read where the statement makes them ([`Access::is_of_calls`]).
    pub size: u32,
    /// What a loaded value is used for.
    pub role: Use,
    /// How often it was executed; of what calls read, the number of bytes.
    pub executions: u64,
    /// Address as a function of the iteration vector, a union over paths. Empty if not recorded.
    pub address: Vec<Folded>,
}

impl Access {
    /// Whether it stands for what calls read, byte by byte. No dependence names it as its end; those of its statement that name none are its.
    pub fn is_of_calls(&self) -> bool {
        self.size == 0
    }

    /// The smallest address that was accessed and the end of the largest; `None` if addresses were not recorded, or do not fit.
    pub fn bytes(&self) -> Option<(i64, i64)> {
        let ranges = || self.address.iter().filter_map(|folded| folded.ranges.first());
        let end = ranges().map(|range| range.1).max()?.checked_add(i64::from(self.size))?;
        Some((ranges().map(|range| range.0).min()?, end))
    }
}

/// Kind of a dependence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// Write, then read.
    Flow,
    /// Read, then write.
    Anti,
    /// Write, then write.
    Output,
}

/// All dependences of one kind between two statements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dependence {
    /// Its kind.
    pub kind: Kind,
    /// Through memory, else through a register.
    pub memory: bool,
    /// The earlier statement.
    pub source: StatementIndex,
    /// The later statement.
    pub sink: StatementIndex,
    /// The source's access, for memory.
    pub source_access: Option<AccessIndex>,
    /// The sink's access, for memory.
    pub sink_access: Option<AccessIndex>,
    /// What the sink uses the value for (flow).
    pub role: Use,
    /// Number of leading dimensions both share.
    pub common: u8,
    /// Instances.
    pub count: u64,
    /// What was seen per level at which instances are carried; `level == common` means not carried.
    pub levels: Vec<LevelSummary>,
    /// Source vector as a function of the sink vector (flow dependences through memory).
    pub relation: Option<Folded>,
    /// Members of a team that runs a parallel region executed the ends, one each, and nothing orders them: both are given in the contexts of
    /// one of them, vectors in each one's own part of the iterations, and distances are not known.
    pub between_members: bool,
    /// What is known of the order of the ends if one of them lies in a task of OpenMP that the run has told from others (`between_members` is
    /// set); those that tasks order are not listed.
    pub tasks: Option<TaskOrder>,
    /// Whether the ends held a lock of OpenMP in common, in all instances (`between_members` is set).
    pub exclusion: Option<Exclusion>,
}

/// Whether the run had two accesses of a team's members exclude each other by a lock or a critical section of OpenMP (OpenMP 5.2, sections 15.2
/// and 18.9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Exclusion {
    /// All instances had one in common.
    Held,
    /// It is not known of some.
    Unknown,
    /// Some had none in common.
    Absent,
}

/// What a run tells of the order of two tasks, or of a task and what made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TaskOrder {
    /// Nothing that the program asked for orders them, whatever order they ran in (OpenMP 5.2, sections 12.5, 15.4, 15.5, 15.9.5).
    Unordered,
    /// It is not known whether something does.
    Unknown,
}

impl Dependence {
    /// The statement that, if it computes an induction variable, makes the dependence void: what reads such a variable
    /// computes it instead, so that neither the value passed on nor the storage overwritten matters.
    pub fn induction(&self) -> Option<StatementIndex> {
        match self.kind {
            Kind::Flow => Some(self.source),
            Kind::Anti => Some(self.sink),
            Kind::Output => None,
        }
    }
}

/// Dependence instances whose vectors first differ at one level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelSummary {
    /// The level: index of the first differing common dimension, or the number of common dimensions.
    pub level: u8,
    /// Instances. 0 for anti dependences that follow from others and from addresses (`ddg`, module `antis`): they have
    /// ranges, and no example.
    pub count: u64,
    /// Smallest difference sink − source per common dimension.
    pub minimum: Vec<i64>,
    /// Largest difference per common dimension.
    pub maximum: Vec<i64>,
    /// Bit q: some sink was not in the first iteration of its dimension q.
    pub later: u8,
    /// One instance: the source's vector.
    pub source_iv: Vec<i64>,
    /// One instance: the sink's vector.
    pub sink_iv: Vec<i64>,
    /// One instance: the address.
    pub address: u64,
    /// What the instances pass through.
    pub objects: Vec<ObjectUse>,
}

/// An object met by dependences of one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectUse {
    /// The object.
    pub object: ObjectIndex,
    /// Offset of the first instance in it.
    pub offset: i64,
    /// The storage belongs to an activation created inside the loop of that level.
    pub callee: bool,
}

/// Where an object lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ObjectKind {
    /// A global variable.
    Global,
    /// A variable on a function's stack.
    Stack,
    /// A part of a stack frame without a name (spills, saved registers, arguments).
    Frame,
    /// A heap block, by allocation site.
    Heap,
    /// State that the system keeps: the position of a descriptor, the order of output.
    System,
    /// Anything else.
    Other,
    /// A variable of the source that dependences through registers hand on.
    Register,
}

/// Something dependences pass through.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Object {
    /// Name to print.
    pub name: String,
    /// Where it lives.
    pub kind: ObjectKind,
    /// Size of one element, 0 if unknown.
    pub element: u32,
    /// Size of all of a variable, in bytes; 0 if unknown, and of what is no variable.
    pub bytes: u64,
    /// Lexical scope: address ranges; empty means the whole function or program.
    pub scope: Vec<(u64, u64)>,
    /// Of a variable on a stack: the addresses of the function it belongs to.
    pub owner: Option<(u64, u64)>,
    /// Each thread has its own.
    pub thread_local: bool,
    /// It is a library's, not the program's own.
    pub library: bool,
    /// Its type is volatile or atomic.
    pub is_volatile: bool,
}

impl Object {
    /// An object of the program about which no more is known.
    pub fn new(name: impl Into<String>, kind: ObjectKind) -> Object {
        let name = name.into();
        Object {
            name,
            kind,
            element: 0,
            bytes: 0,
            scope: Vec::new(),
            owner: None,
            thread_local: false,
            library: false,
            is_volatile: false,
        }
    }
}

impl Profile {
    /// The program as it was run, run by run.
    pub fn runs(&self) -> impl ExactSizeIterator<Item = &Program> {
        (0..self.further_runs.len() + 1).map(|run| match run.checked_sub(1) {
            None => &self.program,
            Some(further) => &self.further_runs[further].program,
        })
    }

    /// The run in which a context was seen, counted from 0.
    pub fn run_of(&self, context: ContextIndex) -> usize {
        self.further_runs.partition_point(|run| run.root <= context)
    }

    /// A context and those around it, from the inside.
    pub fn chain(&self, context: ContextIndex) -> impl Iterator<Item = ContextIndex> + '_ {
        std::iter::successors(Some(context), |&at| {
            let parent = self.contexts.get(at as usize)?.parent;
            (at != 0 && parent != at).then_some(parent)
        })
    }

    /// Tells the thread that a context was seen in from the others of all runs: contexts of one thread have equal values.
    pub fn thread_of(&self, context: ContextIndex) -> ContextIndex {
        let run = self.run_of(context);
        let root = run.checked_sub(1).map_or(0, |further| self.further_runs[further].root);
        let mut at = context;
        while let Some(node) = self.contexts.get(at as usize).filter(|node| at != root && node.parent != root)
        {
            at = node.parent;
        }
        let is_apart = self.contexts.get(at as usize).is_some_and(|node| node.kind == ContextKind::Entries);
        if is_apart { at } else { root }
    }

    /// The loop contexts with a dimension around a context, outermost first.
    pub fn loops_around(&self, context: ContextIndex) -> Vec<ContextIndex> {
        let mut out = Vec::new();
        let mut at = context;
        while at != 0 {
            let Some(node) = self.contexts.get(at as usize) else { break };
            if node.is_dimension {
                out.push(at);
            }
            at = node.parent;
        }
        out.reverse();
        out
    }

    /// Whether a context is the loop `around`, or lies in it.
    pub fn is_around(&self, around: ContextIndex, context: ContextIndex) -> bool {
        let Some(dims) = self.contexts.get(around as usize).filter(|c| c.is_dimension).map(|c| c.dims) else {
            return false;
        };
        let mut at = context;
        while at != around {
            match self.contexts.get(at as usize) {
                // What lies in a loop has its dimension.
                Some(node) if at != 0 && node.dims >= dims => at = node.parent,
                _ => return false,
            }
        }
        true
    }

    /// What a source file says of its loops, if it was read.
    pub fn source(&self, file: &str) -> Option<&lens::FileLoops> {
        self.sources.iter().find(|source| source.file == file)?.loops.as_ref()
    }

    /// The graph of a function.
    pub fn graph(&self, function: u32) -> Option<&graph::Graph> {
        self.graphs.iter().find(|graph| graph.function == function)
    }

    /// The context of a statement.
    pub fn context_of(&self, statement: StatementIndex) -> ContextIndex {
        self.statements
            .get(statement as usize)
            .and_then(|s| self.blocks.get(s.block as usize))
            .map_or(0, |b| b.context)
    }

    /// Whether the code that runs in a context is the program's own, not a library's.
    pub fn is_own(&self, context: ContextIndex) -> bool {
        let function = self.contexts.get(context as usize).map(|c| c.function as usize);
        function.and_then(|f| self.functions.get(f)).is_some_and(|f| f.main)
    }

    /// How often a statement ran.
    pub fn executions(&self, statement: StatementIndex) -> u64 {
        self.statements
            .get(statement as usize)
            .and_then(|s| self.blocks.get(s.block as usize))
            .map_or(0, |b| b.executions)
    }

    /// Position of a statement.
    pub fn location_of(&self, statement: StatementIndex) -> &Location {
        let index = self.statements.get(statement as usize).map_or(0, |s| s.location);
        self.location(index)
    }

    /// A position by index; unknown ones are empty.
    pub fn location(&self, index: LocationIndex) -> &Location {
        const UNKNOWN: &Location =
            &Location { function: String::new(), file: String::new(), line: 0, column: 0 };
        self.locations.get(index as usize).unwrap_or(UNKNOWN)
    }
}
