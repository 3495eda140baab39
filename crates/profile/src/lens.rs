//! What the source says of its loops: read from the text of a file, without a compiler.
//!
//! Filled in by the crate `source` (module `lens`), kept here so that a profile can hold it. Everything is what is
//! *written*, not what ran, and nothing is a conclusion.
//!
//! Conventions:
//! - lines and columns count from 1, columns in bytes, as debug information does;
//! - [`SourceLoop::errors`] means that the parser met text inside the loop that it did not understand: nothing may be
//!   claimed about such a loop;
//! - *conditional* is relative to one iteration of the loop that is described;
//! - where the text leaves a choice (a macro, an argument that may be taken by reference), the answer is the one that lets
//!   less be claimed.
//!
//! Limits: macros are written out as far as `source` can, loops in them are not; headers are read for what they declare; types are not resolved; a name declared in another file is
//! [`Home::Unknown`].

mod integer;
mod lookup;
mod scalar;

pub use integer::Integer;
pub use scalar::*;

use serde::{Deserialize, Serialize};

/// A language that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Language {
    /// C.
    C,
    /// C++ and CUDA.
    Cpp,
    /// Fortran, free form.
    Fortran,
    /// Fortran, fixed form.
    FixedFortran,
    /// Rust.
    Rust,
}

/// The loops of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLoops {
    /// What it was read as.
    pub language: Language,
    /// Its loops, in the order of their keywords; a loop stands before the loops inside it.
    pub loops: Vec<SourceLoop>,
    /// Somewhere in the file the parser met text that it did not understand.
    pub errors: bool,
    /// Another program wrote the file: it has `#line` directives, which lines here ignore.
    pub generated: bool,
    /// A limit on depth, time or size was reached: loops may be missing, and those cut short have [`SourceLoop::errors`].
    pub cut_short: bool,
    /// First and last lines that were not compiled, with the directives around them and around what was (conditional compilation;
    /// ascending). They count as blank.
    pub left_out: Vec<(u32, u32)>,
    /// First and last lines of which it is not known whether they were compiled (ascending).
    pub open: Vec<(u32, u32)>,
}

/// A place in the text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

/// How a loop is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LoopKind {
    /// C and C++: `for (init; test; step)`.
    For,
    /// C++: `for (x : container)`.
    RangeFor,
    /// C and C++: `while`.
    While,
    /// C and C++: `do … while`.
    DoWhile,
    /// Fortran: `do i = 1, n`.
    FortranDo,
    /// Fortran: `do while`, and `do` without a condition.
    FortranDoWhile,
    /// Fortran: `do concurrent`.
    DoConcurrent,
    /// Fortran: `forall`, construct or statement.
    ForAll,
    /// Fortran: an assignment to an array or a section of one, or a `where`.
    ArrayExpression,
    /// Rust: `for`.
    RustFor,
    /// Rust: `while` and `while let`.
    RustWhile,
    /// Rust: `loop`.
    RustLoop,
    /// Rust: a chain of iterator adapters that a consumer such as `sum` or `for_each` runs.
    RustIterator,
}

impl LoopKind {
    /// Whether it has a condition and no iterator.
    pub fn is_while(self) -> bool {
        matches!(self, LoopKind::While | LoopKind::DoWhile | LoopKind::FortranDoWhile | LoopKind::RustWhile)
    }
}

/// Whether a loop stands in a macro.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum InMacro {
    /// No macro.
    No,
    /// In the text of a macro's definition.
    Definition,
    /// In the arguments of a macro.
    Invocation,
}

/// A loop statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLoop {
    /// How it is written.
    pub kind: LoopKind,
    /// Its keyword; of array expressions and iterator chains the first character.
    pub at: Position,
    /// Nothing stands before that on its line.
    pub leads_line: bool,
    /// Last line of its header, which may span several.
    pub header_last_line: u32,
    /// Its last character.
    pub end: Position,
    /// First and last character of its body; of an array expression the statement.
    pub body: (Position, Position),
    /// Its body is one loop and nothing else, in braces or not.
    pub is_around_one: bool,
    /// It stands under a condition in the loop around it, or behind a jump there: not every iteration of that has to come to it.
    pub conditional: bool,
    /// Name of the function around it, without its class; `None` outside of functions.
    pub function: Option<String>,
    /// Index of the next loop around it in [`FileLoops::loops`].
    pub parent: Option<u32>,
    /// Number of loops around it in the same function.
    pub depth: u32,
    /// Its label (Rust `'outer:`, Fortran `outer: do`, C `outer:`).
    pub label: Option<String>,
    /// Whether it stands in a macro.
    pub in_macro: InMacro,
    /// It, or a part of it, stands inside `#if` … `#endif`: which text is compiled is not known.
    pub conditional_compilation: bool,
    /// The parser met text in it that it did not understand, or gave up in it: nothing may be claimed.
    pub errors: bool,
    /// Whether it is written in the form that directives ask for.
    pub canonical: Canonical,
    /// Its iterators: one for most loops, several for `do concurrent`, `forall` and patterns such as Rust's `(i, x)`; none
    /// for loops without.
    pub iterators: Vec<Iterator>,
    /// Other variables that the header advances: `p` in `for (i = 0, p = a; …; i++, p++)`.
    pub advanced: Vec<Advanced>,
    /// Scalars, members and dereferences that are assigned in the loop, or may be, its iterators and those of inner loops
    /// included.
    pub scalars: Vec<Scalar>,
    /// Arrays that are accessed by subscript.
    pub arrays: Vec<Array>,
    /// Calls.
    pub calls: Vec<Call>,
    /// Closures and lambdas written in the loop.
    pub closures: Vec<Closure>,
    /// What leaves the loop before its end.
    pub leaves: Vec<Leave>,
    /// The directive that stands directly on it.
    pub directive: Option<Directive>,
    /// The directive of an outer loop or block in the same function that runs it in parallel.
    pub in_parallel: Option<Directive>,
    /// Iterators of loops inside that are declared outside of this loop: `int j; for (i …) for (j …)`.
    pub inner_iterators: Vec<InnerIterator>,
    /// Has labels, or jumps to them: the order of what runs is not that of the text, and every definition counts as
    /// conditional.
    pub jumps: bool,
    /// Variables of which each thread has its own and that the loop names, each with the first line that does.
    pub thread_locals: Vec<(String, u32)>,
}

impl SourceLoop {
    /// Nothing may be claimed, since it is not known which parts of its text were compiled.
    pub fn is_open(&self) -> bool {
        self.errors && self.conditional_compilation
    }

    /// Whether a name is one of its iterators, or assigned in it: it may mean another value in another iteration.
    pub fn assigns(&self, name: &str) -> bool {
        self.iterators.iter().any(|own| own.name == name) || self.scalars.iter().any(|own| own.name == name)
    }

    /// Gives every place in the text to `with`.
    pub fn each_place(&mut self, with: &mut dyn FnMut(&mut Position)) {
        [&mut self.at, &mut self.end, &mut self.body.0, &mut self.body.1].into_iter().for_each(&mut *with);
        for scalar in &mut self.scalars {
            scalar.declared.iter_mut().for_each(&mut *with);
            scalar.definitions.iter_mut().for_each(|one| with(&mut one.at));
            scalar.shared.iter_mut().for_each(|one| with(&mut one.at));
        }
        let accesses = self.arrays.iter_mut().flat_map(|array| &mut array.accesses);
        accesses.for_each(|one| with(&mut one.at));
        self.calls.iter_mut().for_each(|one| with(&mut one.at));
        self.closures.iter_mut().for_each(|one| with(&mut one.at));
        self.leaves.iter_mut().for_each(|one| with(&mut one.at));
    }
}

/// Whether a loop is in OpenMP's canonical form: OpenMP 5.2, section 4.4.1. What leaves the loop is in
/// [`SourceLoop::leaves`] and not looked at here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Canonical {
    /// It is.
    Yes,
    /// It is not, first of all because:
    No(NotCanonical),
}

impl Canonical {
    /// Whether the form is canonical.
    pub fn is_yes(&self) -> bool {
        *self == Canonical::Yes
    }
}

/// Why a loop is not in canonical form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NotCanonical {
    /// This kind of loop never is: `while`, `loop`, iterator chains.
    Kind,
    /// The header initialises no variable.
    Start,
    /// The header initialises others beside the iterator.
    SeveralStarts,
    /// The header initialises its iterator by braces or parentheses.
    Initialiser,
    /// The test is missing or does not compare the iterator.
    Test,
    /// The header does not advance the iterator by one addition or subtraction.
    Step,
    /// The header advances more than the iterator.
    SeveralSteps,
    /// The iterator is neither integer nor pointer nor of an unknown type.
    Type,
    /// The body assigns the iterator.
    IteratorAssigned,
    /// The iterator's address is taken, or it may be assigned through a reference.
    IteratorShared,
    /// The body assigns what the bound or the step is computed from.
    BoundAssigned,
    /// The bound or the step calls functions, or reads memory that the loop writes: it may change.
    BoundMayChange,
    /// The bound is a floating-point number.
    BoundType,
    /// The test looks up what the loop moves to (`*p`, `s[n]`): how often it iterates, the data say.
    TestOfData,
}

/// Where a name is declared, as seen from one loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Home {
    /// Inside the loop's body, automatic: new in each iteration.
    InBody,
    /// In the loop's header.
    InHeader,
    /// Inside the body, but with the lifetime of the program: `static` in a function.
    StaticInBody,
    /// In the function, outside of the loop, automatic.
    Local,
    /// In the function, outside of the loop, with the lifetime of the program (`static`, Fortran `save`).
    StaticLocal,
    /// A parameter of the function.
    Parameter,
    /// In the file, outside of functions; in Fortran also a module's variables and common blocks.
    FileScope,
    /// A member of the object that the function is called on.
    Member,
    /// Nowhere in this file: a global of a header, a macro, an inherited member.
    Unknown,
}

impl Home {
    /// Whether each iteration has its own.
    pub fn is_private(self) -> bool {
        self == Home::InBody
    }

    /// Whether it ends with the function, unless it is a reference.
    pub fn is_local(self) -> bool {
        matches!(self, Home::InBody | Home::InHeader | Home::Local | Home::Parameter)
    }
}

/// The variable that counts a loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iterator {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub home: Home,
    /// Its type as written; empty if it is not.
    pub type_text: String,
    /// It names the element itself, not a copy: `auto&`, Rust patterns that bind references.
    pub reference: bool,
    /// Its first value, as written.
    pub start: Option<String>,
    /// What the test compares it with; of containers the container, as written.
    pub bound: Option<String>,
    /// The comparison: `<`, `<=`, `>`, `>=`, `!=`, `..`, `..=`; `None` for containers.
    pub comparison: Option<String>,
    /// What is added each time, as written; `None` for containers.
    pub step: Option<String>,
    /// The value added each time, where it is a constant.
    pub step_value: Option<i64>,
    /// How the element is had from the container, outermost first: Rust `["enumerate", "iter_mut"]`.
    pub adapters: Vec<String>,
}

/// A variable beside the iterator that the header advances.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advanced {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub home: Home,
    /// Its first value in the header, as written.
    pub start: Option<String>,
    /// The expression that advances it, as written.
    pub step: String,
    /// The value added each time, where it is a constant.
    pub step_value: Option<i64>,
}

/// An iterator of a loop inside that is declared outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InnerIterator {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub home: Home,
    /// Its loop: an index into [`FileLoops::loops`].
    pub of: u32,
}

/// An array, and how a loop accesses it by subscript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Array {
    /// The expression before the subscripts as written, without spaces: `a`, `s.a`, `p->row`.
    pub name: String,
    /// The variable that the expression starts from: `p` of `p->row`; `this` or `self` of a member; empty for calls.
    pub root: String,
    /// Where that variable is declared.
    pub home: Home,
    /// That variable's type, as written.
    pub type_text: String,
    /// Declared with bounds: storage of its own, not what a pointer or a container points to.
    pub fixed: bool,
    /// Number of subscripts that give an element; 0 if that is not known.
    pub dimensions: usize,
    /// Others come to its elements: by another name that was made outside of the loop, or in a function that is called here.
    pub shared: bool,
    /// Whether elements that the loop leaves are read in the function afterwards, as far as the text names the variable; elements that
    /// are written again first count as well.
    pub after: AfterLoop,
    /// The accesses, in the order of the text.
    pub accesses: Vec<ArrayAccess>,
}

/// One access by subscript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrayAccess {
    /// Where it stands.
    pub at: Position,
    /// Read, written or both.
    pub mode: AccessMode,
    /// Whether it does not run in every iteration, or runs in a loop inside.
    pub conditional: bool,
    /// Number of loops around it, inside the one described.
    pub depth: u32,
    /// The subscripts, as written, outermost first.
    pub subscripts: Vec<String>,
    /// The subscripts as integer combinations of names; `None` for those that are not.
    pub affine: Vec<Option<Affine>>,
    /// The member of the element that is accessed: `x` of `a[i].x`; empty for the element itself.
    pub member: String,
    /// What is assigned to it, or what its old value is combined with, as written; empty for reads, and where that is not known.
    pub value: String,
}

impl Array {
    /// Whether the loop may write elements of it.
    pub fn is_written(&self) -> bool {
        self.accesses.iter().any(|access| access.mode != AccessMode::Read)
    }
}

impl ArrayAccess {
    /// The subscripts without white space: `i*3 + 1` and `i * 3 + 1` are one element.
    pub fn element(&self) -> Vec<String> {
        self.subscripts.iter().map(|text| text.split_whitespace().collect()).collect()
    }
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AccessMode {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and writes the same element in one expression: `h[k] += w`, `h[k] = h[k] + w`.
    Update(Operator),
    /// Its address is formed, or it is passed where it may be written.
    Shared,
}

impl AccessMode {
    /// Whether an access may write, or read.
    pub fn may(self, write: bool) -> bool {
        match self {
            AccessMode::Read => !write,
            AccessMode::Write => write,
            AccessMode::Update(_) | AccessMode::Shared => true,
        }
    }
}

/// `Σ coefficient · name + constant`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Affine {
    /// Names and their coefficients, sorted by name; no coefficient is 0.
    pub terms: Vec<(String, i64)>,
    /// The constant.
    pub constant: i64,
}

impl Affine {
    /// The coefficient of a name.
    pub fn of(&self, name: &str) -> i64 {
        self.terms.iter().find(|term| term.0 == name).map_or(0, |term| term.1)
    }
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Call {
    /// What is called, as written: `f`, `obj.method`, `std::sort`.
    pub callee: String,
    /// Where it stands.
    pub at: Position,
    /// Whether it does not run in every iteration.
    pub conditional: bool,
    /// The name may be that of a macro: it is defined as one in the file, or is written in capitals.
    pub is_macro: bool,
    /// What is called, or called by that, of which the text is not in the file and that is no function of a standard
    /// library either (C and C++; names without scopes, sorted).
    pub elsewhere: Vec<String>,
    /// What is called may keep something from one call to the next that the loop's text does not show: a function with variables
    /// that outlive its calls, or that calls such a one; a macro that changes a variable.
    pub keeps: bool,
    /// Arrays of the file of which what is called writes elements (C and C++; sorted).
    pub arrays: Vec<String>,
    /// Of each place that what is called changes through what it is handed, the names that choose it: `p` for `push(p, x)` that counts in
    /// `p->n`, `a` and `i` for `put(a, i)` that writes `a[i]` (C and C++; sorted).
    pub places: Vec<Vec<String>>,
}

/// A closure or lambda.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closure {
    /// Where it starts.
    pub at: Position,
    /// Names from outside that it may assign: captured by reference and not only read.
    pub shares: Vec<String>,
}

/// What leaves a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LeaveKind {
    /// `break` of this very loop (`exit` in Fortran).
    Break,
    /// `return`.
    Return,
    /// A jump to a label outside of it, or to a loop around it (Rust `break 'outer`, `continue 'outer`).
    Goto,
    /// `throw`, `panic!` and the like.
    Throw,
    /// Rust's `?`.
    Question,
    /// The program ends: `exit`, `stop`, `abort`.
    Exit,
}

/// A place that leaves a loop before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Leave {
    /// How.
    pub kind: LeaveKind,
    /// Where.
    pub at: Position,
}

/// A directive for parallel execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directive {
    /// Its text, continuation lines joined, with `#pragma` or `!$`.
    pub text: String,
    /// Its line.
    pub line: u32,
}

impl Directive {
    /// Whether it shares out the iterations of the loop that it stands on among threads.
    pub fn shares_out(&self) -> bool {
        const NAMES: [&str; 6] = ["for", "do", "loop", "distribute", "taskloop", "paralleldo"];
        let head = self.text.split('(').next().unwrap_or_default().to_ascii_lowercase();
        let mut words = head.split(|c: char| !c.is_ascii_alphanumeric());
        head.contains("omp") && words.any(|word| NAMES.contains(&word))
    }

    /// Whether it is only about how a compiler translates the loop that it stands on: `#pragma GCC ivdep`.
    pub fn is_for_compilers(&self) -> bool {
        let words = self.text.strip_prefix("#pragma").map_or("", str::trim_start);
        !words.is_empty() && !words.starts_with("omp") && !words.starts_with("acc")
    }

    /// How many loops, each the only one in the next, it makes one: the argument of `collapse`, 1 without.
    pub fn joined(&self) -> u32 {
        let argument = || {
            let rest = self.text.split_once("collapse")?.1.trim_start().strip_prefix('(')?;
            rest.split(')').next()?.trim().parse().ok()
        };
        argument().unwrap_or(1)
    }
}
