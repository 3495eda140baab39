//! Why a text is not read.

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Something else stands there.
    #[error("{expected} expected, not {found}")]
    Expected {
        /// What should stand there.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// An instruction that is not known.
    #[error("unknown instruction `{0}`")]
    Instruction(String),
    /// A type that is not known.
    #[error("unknown type `{0}`")]
    Type(String),
    /// A name is used and not defined.
    #[error("{0} is not defined")]
    Undefined(String),
    /// A name is defined twice.
    #[error("{0} is defined twice")]
    Redefined(String),
    /// A value is used with another type than that of its definition.
    #[error("{0} is used with another type than that of its definition")]
    OtherType(String),
    /// A number does not fit.
    #[error("{0} does not fit")]
    Number(String),
    /// Operands do not go together.
    #[error("{0}")]
    Operands(&'static str),
    /// Something is nested too deep.
    #[error("nested more than {0} deep")]
    Deep(usize),
    /// The text is too long.
    #[error("longer than 4 GiB")]
    Long,
}

/// A text that is not read: where and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}: {text}")]
pub struct Error {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong.
    pub problem: Problem,
    /// The line's text, or its beginning.
    pub text: String,
}

/// What is read, or why not.
pub type Result<T> = std::result::Result<T, Error>;
