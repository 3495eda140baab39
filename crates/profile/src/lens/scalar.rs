//! Scalars that a loop assigns: where they live, how they are defined, and who reads them.

use serde::{Deserialize, Serialize};

use super::{Home, Position};

/// A scalar variable, a member or a dereference that a loop assigns, or may assign through an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scalar {
    /// As written, without spaces: `s`, `s.x`, `p->x`, `*p`, `this->x`.
    pub name: String,
    /// The variable it starts from: `p` of `p->x`; `this` or `self` for members of the object.
    pub root: String,
    /// What is named.
    pub form: ScalarForm,
    /// Where the root is declared: of pointers and references where they themselves are, see [`Scalar::is_own_storage`].
    pub home: Home,
    /// Declared here if it is in the file.
    pub declared: Option<Position>,
    /// The root's type as written; empty if it is not.
    pub type_text: String,
    /// Qualifiers of the declaration that forbid or restrict claims.
    pub storage: StorageMarks,
    /// Assignments in the loop, in the order of the text, header included.
    pub definitions: Vec<Definition>,
    /// Lines of the reads in the loop that are no part of its own updates.
    pub reads: Vec<u32>,
    /// Some read of one iteration may see what an earlier iteration, or the code before the loop, left: in the order of the
    /// text no write that always runs precedes it. Reads of the scalar's own updates count.
    pub read_before_write: bool,
    /// Every iteration writes it, whatever path it takes.
    pub always_written: bool,
    /// How others may come to its storage.
    pub shared: Vec<Sharing>,
    /// Whether its value is used after the loop.
    pub after: AfterLoop,
}

impl Scalar {
    /// Whether the storage that is assigned is the declared variable itself: not what a pointer or a reference leads to, nor a
    /// member of the object. Where that storage lives is said by [`Scalar::home`] for these alone.
    pub fn is_own_storage(&self) -> bool {
        matches!(self.form, ScalarForm::Variable | ScalarForm::Member) && !self.storage.reference
    }

    /// Whether each iteration has its own.
    pub fn is_private(&self) -> bool {
        self.is_own_storage() && self.home.is_private()
    }
}

/// What an assigned name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ScalarForm {
    /// A variable.
    Variable,
    /// A member of a variable that is a structure: `s.x`.
    Member,
    /// A member of what a pointer points to, or of the object itself: `p->x`, `this->x`.
    PointedMember,
    /// What a pointer or an iterator points to: `*p`.
    Dereference,
}

/// Qualifiers of a declaration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StorageMarks {
    /// One per thread.
    pub thread_local: bool,
    /// `volatile`.
    pub volatile: bool,
    /// `_Atomic`, `std::atomic`, `AtomicU64` and the like.
    pub atomic: bool,
    /// A reference to another object: C++ `T&`, Rust `&T`, Fortran arguments and pointers.
    pub reference: bool,
    /// A pointer.
    pub pointer: bool,
    /// Cannot be assigned: `const`, Rust without `mut`.
    pub constant: bool,
    /// Of a class, structure, union, enumeration or vector type that the file declares: its operators may be functions.
    pub object: bool,
}

/// How a value may come to be used after the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AfterLoop {
    /// Not in this function: it is local and nothing later reads it before it is written again.
    Unused,
    /// Read later in the function, on this line (in an outer loop it may be an earlier line).
    Read(u32),
    /// It outlives the function, or its address is known elsewhere.
    Unknown,
}

/// How others may come to a scalar's storage.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sharing {
    /// How.
    pub kind: SharingKind,
    /// Where.
    pub at: Position,
    /// The call it is an argument of, as written; empty if there is none.
    pub callee: String,
}

/// How storage becomes known to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SharingKind {
    /// Its address is taken: `&x`, Rust `&mut x`.
    Address,
    /// Its address is taken for reading alone: Rust `&x`.
    ReadOnlyAddress,
    /// Passed by reference: a parameter of a function of this file is a reference, or a Fortran argument is.
    Reference,
    /// Passed by its bare name to a C++ function that is not in the file: it may take a reference.
    PerhapsReference,
    /// Passed to what may be a macro, which may assign it.
    PerhapsMacro,
    /// A closure or lambda refers to it by reference and assigns it, or one that refers to it may run here.
    Capture,
    /// A method is called on it that may change it: `v.push_back(x)`.
    Method,
    /// It is bound to another name by reference: `auto& r = x`.
    Bound,
    /// Others see what is assigned to it: another name for it was made outside of the loop (its address is kept, a constant
    /// reference is bound to it, a common block holds it), or a function that is called here reads it by itself.
    Elsewhere,
}

/// One assignment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// Where.
    pub at: Position,
    /// How it is written.
    pub kind: DefinitionKind,
    /// The operator by which the scalar is updated from its own value, whichever way that is written: `s += e`,
    /// `s = e + s`, `s = max(s, e)`, `if (e > s) s = e`.
    pub update: Option<Update>,
    /// Not in every iteration: under a condition, after a conditional `continue`, or in a loop inside that may run zero times.
    pub conditional: bool,
    /// Number of loops around it, inside the one described.
    pub depth: u32,
    /// In the header of the described loop, or of a loop inside.
    pub header: bool,
    /// The right-hand side as written; the step of an increment.
    pub value: String,
    /// The right-hand side, or the condition of a minimum or maximum, reads the scalar itself.
    pub reads_itself: bool,
    /// Names that the right-hand side reads, sorted.
    pub reads: Vec<String>,
}

/// How an assignment is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DefinitionKind {
    /// `=`.
    Plain,
    /// `+=` and the like.
    Compound(Operator),
    /// `++` and `--`: the value added.
    Increment(i64),
    /// By the loop itself: Fortran `do`, Rust patterns, range-for.
    Iteration,
    /// With its declaration, inside the loop.
    Declaration,
    /// By input or a statement that writes its operands: Fortran `read`, C++ `std::cin >> x`.
    Input,
}

/// How a scalar is updated from its own value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Update {
    /// The operator.
    pub operator: Operator,
    /// What is combined with the old value, as written.
    pub operand: String,
    /// The operand reads the scalar as well: `s = s + s * x`.
    pub operand_reads_itself: bool,
    /// Of `if (e > s) s = e;`: other assignments under the same condition, such as the index of a maximum.
    pub companions: Vec<String>,
    /// Of minima and maxima written as a comparison: that comparison with the old value on the right, which tells which of
    /// equal values stays: `<`, `<=`, `>`, `>=`.
    pub comparison: Option<String>,
}

/// An operator of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Operator {
    /// `+`.
    Add,
    /// `-`, the old value on the left.
    Subtract,
    /// `-`, the old value on the right: `s = e - s`. No reduction.
    SubtractFrom,
    /// `*`.
    Multiply,
    /// `/`, the old value on the left.
    Divide,
    /// `%`.
    Remainder,
    /// `&`, `.iand.`.
    And,
    /// `|`.
    Or,
    /// `^`.
    Xor,
    /// `&&`, `.and.`.
    LogicalAnd,
    /// `||`, `.or.`.
    LogicalOr,
    /// `.eqv.`.
    Equivalent,
    /// `.neqv.`.
    NotEquivalent,
    /// `<<`.
    ShiftLeft,
    /// `>>`.
    ShiftRight,
    /// Minimum.
    Minimum,
    /// Maximum.
    Maximum,
    /// Another compound operator.
    Other,
}

impl Operator {
    /// Whether a reduction may combine partial results: `-` sums what is subtracted.
    pub fn is_associative(self) -> bool {
        !matches!(
            self,
            Operator::SubtractFrom
                | Operator::Divide
                | Operator::Remainder
                | Operator::ShiftLeft
                | Operator::ShiftRight
                | Operator::Other
        )
    }
}
