//! The text of a function as a tree that is the same for all languages: what the parts of the lens share.
//!
//! Left-deep expressions and chains of `else if` are lists, so that the depth of the tree is that of the nesting alone; it
//! never exceeds [`DEEPEST`].

use std::collections::HashSet;
use std::ops::Range;

use profile::lens::{Directive, InMacro, LeaveKind, LoopKind, Operator, Position, StorageMarks};

/// Nesting beyond this is not read: see [`Term::Unknown`] and [`Act::Unknown`].
pub(super) const DEEPEST: u32 = 220;

/// An expression.
#[derive(Debug, Clone)]
pub(super) struct Expression {
    pub what: Term,
    pub at: Position,
    pub text: Range<usize>,
}

/// What an expression is.
#[derive(Debug, Clone)]
pub(super) enum Term {
    Name(String),
    Integer(i64),
    /// A value that reads no variable.
    Constant,
    Member {
        base: Box<Expression>,
        field: String,
        arrow: bool,
    },
    Index {
        base: Box<Expression>,
        subscripts: Vec<Expression>,
    },
    Dereference(Box<Expression>),
    Address {
        of: Box<Expression>,
        mutable: bool,
    },
    Call {
        callee: Box<Expression>,
        arguments: Vec<Expression>,
    },
    /// `first op second op third …`, evaluated from the left.
    Chain {
        first: Box<Expression>,
        rest: Vec<(Binary, Expression)>,
    },
    Negative(Box<Expression>),
    /// The negation of a condition.
    Not(Box<Expression>),
    /// Arithmetic, the result of which is converted to a type; other conversions are left out.
    Cast {
        to: String,
        of: Box<Expression>,
    },
    Choice {
        condition: Box<Expression>,
        then: Box<Expression>,
        otherwise: Box<Expression>,
    },
    Assignment {
        target: Box<Expression>,
        operator: Option<Operator>,
        value: Box<Expression>,
    },
    Step {
        target: Box<Expression>,
        by: i64,
    },
    Closure(Box<ClosureText>),
    /// A block that is an expression.
    Statements(Vec<Statement>),
    /// What a function of the file returns, in the place of its call; it names variables from outside of functions itself.
    Returned {
        function: String,
        of: Box<Expression>,
    },
    /// Anything else that evaluates its parts in order.
    List(Vec<Expression>),
    /// Text that was not understood.
    Unknown,
}

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binary {
    /// One that an update may use.
    Update(Operator),
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    NotEqual,
    Other,
}

impl Binary {
    /// The comparison as written in C.
    pub(super) fn comparison(self) -> Option<&'static str> {
        Some(match self {
            Binary::Less => "<",
            Binary::LessEqual => "<=",
            Binary::Greater => ">",
            Binary::GreaterEqual => ">=",
            Binary::NotEqual => "!=",
            Binary::Update(_) | Binary::Other => return None,
        })
    }

    /// The operator as written in C, if it is known.
    pub(super) fn sign(self) -> Option<&'static str> {
        let Binary::Update(operator) = self else { return self.comparison() };
        Some(match operator {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Remainder => "%",
            Operator::And => "&",
            Operator::Or => "|",
            Operator::Xor => "^",
            Operator::LogicalAnd => "&&",
            Operator::LogicalOr => "||",
            Operator::ShiftLeft => "<<",
            Operator::ShiftRight => ">>",
            _ => return None,
        })
    }

    /// Addition.
    pub(super) fn plus() -> Binary {
        Binary::Update(Operator::Add)
    }

    /// Whether it decides if what follows is evaluated.
    pub(super) fn is_logical(self) -> bool {
        matches!(self, Binary::Update(Operator::LogicalAnd | Operator::LogicalOr))
    }

    /// Whether it is one of `+ - * / %`.
    pub(super) fn is_arithmetic(self) -> bool {
        use Operator::{Add, Divide, Multiply, Remainder, Subtract};
        matches!(self, Binary::Update(Add | Subtract | Multiply | Divide | Remainder))
    }

    /// The comparison that holds when both sides change places.
    pub(super) fn mirrored(self) -> Binary {
        match self {
            Binary::Less => Binary::Greater,
            Binary::LessEqual => Binary::GreaterEqual,
            Binary::Greater => Binary::Less,
            Binary::GreaterEqual => Binary::LessEqual,
            other => other,
        }
    }
}

/// A closure or lambda.
#[derive(Debug, Clone)]
pub(super) struct ClosureText {
    pub parameters: Vec<Declaration>,
    pub body: Vec<Statement>,
    /// What is not listed is copied.
    pub copies: bool,
    /// Names that are copied although the rest is not.
    pub copied: Vec<String>,
    /// Names that are not copied although the rest is.
    pub referred: Vec<String>,
}

/// A declaration of one name.
#[derive(Debug, Clone)]
pub(super) struct Declaration {
    pub name: String,
    pub at: Position,
    pub type_text: String,
    pub storage: StorageMarks,
    pub lifetime: Lifetime,
    /// Has bounds: an array with storage of its own.
    pub array: bool,
    /// Number of subscripts that give an element; 0 if that is not known.
    pub dimensions: usize,
    /// The name is a function.
    pub function: bool,
    pub value: Option<Expression>,
}

impl Declaration {
    /// An automatic variable of a type that is not written.
    pub(super) fn plain(name: String, at: Position) -> Declaration {
        Declaration {
            name,
            at,
            type_text: String::new(),
            storage: StorageMarks::default(),
            lifetime: Lifetime::Automatic,
            array: false,
            dimensions: 0,
            function: false,
            value: None,
        }
    }
}

/// How long a declared variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lifetime {
    Automatic,
    /// As long as the program.
    Static,
    /// Declared here, defined outside of the function: C `extern`, Fortran common blocks.
    Outside,
    Parameter,
}

/// A statement.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    pub what: Act,
    pub at: Position,
}

/// What a statement does.
#[derive(Debug, Clone)]
pub(super) enum Act {
    Declare(Declaration),
    Evaluate(Expression),
    Block(Vec<Statement>),
    /// A block that `break` with its label leaves.
    LabelledBlock(String, Vec<Statement>),
    If {
        arms: Vec<(Expression, Vec<Statement>)>,
        otherwise: Option<Vec<Statement>>,
    },
    Select {
        subject: Option<Expression>,
        arms: Vec<Arm>,
        /// One of the arms always runs.
        is_exhaustive: bool,
        /// `break` leaves it.
        takes_break: bool,
    },
    Loop(Box<LoopText>),
    Break(Option<String>),
    Continue(Option<String>),
    /// Leaves the function or the program.
    Leave(LeaveKind, Option<Expression>),
    /// To a label; computed jumps have none.
    Goto(String),
    Label(String),
    Try {
        body: Vec<Statement>,
        handlers: Vec<Vec<Statement>>,
    },
    /// A directive for the statement that follows, or, if it says `end`, the end of one.
    Directive(Directive),
    /// Branches of conditional compilation.
    Alternatives(Vec<Vec<Statement>>),
    /// Writes all its operands.
    Input(Vec<Expression>),
    /// Text that was not understood.
    Unknown,
}

/// One arm of a selection.
#[derive(Debug, Clone)]
pub(super) struct Arm {
    pub guards: Vec<Expression>,
    pub bindings: Vec<Declaration>,
    pub body: Vec<Statement>,
}

/// A loop.
#[derive(Debug, Clone)]
pub(super) struct LoopText {
    pub kind: LoopKind,
    pub label: Option<String>,
    pub at: Position,
    pub header_last_line: u32,
    pub end: Position,
    pub body_place: (Position, Position),
    pub in_macro: InMacro,
    pub conditional_compilation: bool,
    pub errors: bool,
    /// It ends at a label where loops around it end too (Fortran).
    pub is_shared: bool,
    pub header: Header,
    pub body: Vec<Statement>,
}

/// The header of a loop.
#[derive(Debug, Clone)]
pub(super) enum Header {
    For {
        start: Vec<Statement>,
        test: Option<Expression>,
        step: Option<Expression>,
    },
    /// Over the elements of a container.
    Each {
        before: Vec<Statement>,
        bindings: Vec<Declaration>,
        container: Expression,
        adapters: Vec<String>,
        /// Whether elements are counted off without side effects, so that the form is canonical.
        is_canonical: bool,
    },
    /// Over numbers: one iterator each.
    Counted(Vec<Count>),
    While(Expression),
    DoWhile(Expression),
    Forever,
    /// Over the elements of an array, without an iterator.
    Whole,
    /// Over what a chain of adapters produces.
    Adapters(Expression),
}

/// An iterator that counts.
#[derive(Debug, Clone)]
pub(super) struct Count {
    pub iterator: Counter,
    pub start: Option<Expression>,
    pub end: Option<Expression>,
    pub step: Option<Expression>,
    pub comparison: &'static str,
    pub adapters: Vec<String>,
}

/// What counts.
#[derive(Debug, Clone)]
pub(super) enum Counter {
    Declared(Declaration),
    Existing(Expression),
}

/// A function.
#[derive(Debug, Clone)]
pub(super) struct FunctionText {
    pub name: String,
    /// Members of an object are named without naming the object: a C++ method.
    pub is_method: bool,
    /// Members of its class, where they are known.
    pub members: Vec<Declaration>,
    pub parameters: Vec<Declaration>,
    pub body: Vec<Statement>,
    pub conditional_compilation: bool,
    pub in_macro: InMacro,
    /// Names that are declared nowhere are local (Fortran).
    pub has_implicit_locals: bool,
    /// What its text makes other names for.
    pub kept: Kept,
}

/// Names for which a text makes other names.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    /// Variables whose address is kept, or that a reference is bound to.
    pub addresses: HashSet<String>,
    /// Names that stand as values: of arrays that is their address.
    pub values: HashSet<String>,
    /// Members whose address is kept.
    pub members: HashSet<String>,
}

impl Kept {
    /// Adds what another text makes other names for.
    pub(super) fn extend(&mut self, other: Kept) {
        self.addresses.extend(other.addresses);
        self.values.extend(other.values);
        self.members.extend(other.members);
    }

    /// Whether a variable has another name.
    pub(super) fn holds(&self, name: &str, is_array: bool) -> bool {
        self.addresses.contains(name) || is_array && self.values.contains(name)
    }
}

impl Expression {
    /// Whether evaluating it several times is the same as once.
    pub(super) fn is_repeatable(&self) -> bool {
        self.changes_nothing(false)
    }

    /// Whether it may be evaluated elsewhere, once: it calls functions at most.
    pub(super) fn calls_alone(&self) -> bool {
        self.changes_nothing(true)
    }

    fn changes_nothing(&self, may_call: bool) -> bool {
        match &self.what {
            Term::Assignment { .. } | Term::Step { .. } => false,
            Term::Closure(_) | Term::Statements(_) | Term::Unknown => false,
            Term::Call { .. } if !may_call => false,
            _ => self.parts().into_iter().all(|part| part.changes_nothing(may_call)),
        }
    }

    /// The expressions that it consists of; those inside closures and blocks are not among them.
    pub(super) fn parts(&self) -> Vec<&Expression> {
        match &self.what {
            Term::Name(_) | Term::Integer(_) | Term::Constant | Term::Unknown => Vec::new(),
            Term::Closure(_) | Term::Statements(_) => Vec::new(),
            Term::Member { base, .. } => vec![base],
            Term::Dereference(of)
            | Term::Negative(of)
            | Term::Not(of)
            | Term::Address { of, .. }
            | Term::Cast { of, .. }
            | Term::Returned { of, .. } => vec![of],
            Term::Step { target, .. } => vec![target],
            Term::Index { base, subscripts } => std::iter::once(&**base).chain(subscripts).collect(),
            Term::Call { callee, arguments } => std::iter::once(&**callee).chain(arguments).collect(),
            Term::Chain { first, rest } => {
                std::iter::once(&**first).chain(rest.iter().map(|r| &r.1)).collect()
            }
            Term::Choice { condition, then, otherwise } => vec![condition, then, otherwise],
            Term::Assignment { target, value, .. } => vec![target, value],
            Term::List(parts) => parts.iter().collect(),
        }
    }

    /// Names of the variables that it reads, sorted; names of functions are not among them.
    pub(super) fn names(&self) -> Vec<String> {
        let mut out = Vec::new();
        self.add_names(&mut out);
        out.sort();
        out.dedup();
        out
    }

    fn add_names(&self, out: &mut Vec<String>) {
        match &self.what {
            Term::Name(name) => out.push(name.clone()),
            Term::Call { callee, arguments } => {
                if !matches!(callee.what, Term::Name(_)) {
                    callee.add_names(out);
                }
                for argument in arguments {
                    argument.add_names(out);
                }
            }
            _ => {
                for part in self.parts() {
                    part.add_names(out);
                }
            }
        }
    }
}
