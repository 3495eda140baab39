//! What a function of a library does to memory and to hidden state, as far as its arguments and its result tell.
//!
//! Definition: a *deed* is a range of memory that a call reads or writes, or an object that no address stands for: the state of a
//! generator of random numbers, the position of a stream. Where a range begins and how long it is follows from the call's arguments, its
//! result, and what lies in memory when it has returned.
//!
//! Limits: arguments are integers and addresses, in registers or, as further arguments of a format, on the stack.

use crate::block::Access;

/// Most integer arguments that are handed over in registers (System V ABI, AMD64 supplement, "Parameter Passing").
pub const REGISTER_ARGUMENTS: usize = 6;

/// These registers, by their numbers, in order: `rdi`, `rsi`, `rdx`, `rcx`, `r8`, `r9`.
pub const INTEGER_ARGUMENTS: [u8; REGISTER_ARGUMENTS] = [7, 6, 2, 1, 8, 9];

/// Most arguments that are handed over in vector registers, the first ones in order.
pub const VECTOR_ARGUMENTS: u8 = 8;

/// Hidden states that functions keep for the whole process, by their numbers: the name in a table, and what people call it.
pub const STATES: [(&str, &str); 8] = [
    ("random", "state of `rand` and `random`"),
    ("drand48", "state of `drand48`"),
    ("environment", "environment of the process"),
    ("locale", "locale of the process"),
    ("time-text", "result of `asctime`"),
    ("umask", "mask of permissions"),
    ("directory", "working directory"),
    ("files", "files of the system"),
];

/// A value that a call is given or gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A constant.
    Constant(u64),
    /// An argument, by its number among the integers and addresses.
    Argument {
        /// From 0 on.
        number: u8,
        /// It has 32 bits, and a sign.
        is_int: bool,
    },
    /// The result.
    Result {
        /// It has 32 bits, and a sign.
        is_int: bool,
    },
}

/// A count of bytes: the product of values, and a constant. It is none if a value is negative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    /// What is multiplied.
    pub factors: Vec<Value>,
    /// What is added then.
    pub plus: u64,
}

/// How many bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extent {
    /// So many, the smaller of both if there are two.
    Bytes(Product, Option<Product>),
    /// As many as the text at an address has up to the byte 0, and with it; so many at most.
    Text(Option<Value>, Option<Product>),
    /// As many as the line has that has been read from the stream to there, with the byte 0 behind it; so many at most. What was read may hold
    /// the byte 0 as well.
    Line(Product),
    /// Up to the first byte in which the text there differs from the one at another place, or its end; so many at most.
    Compared(Value, Option<Product>),
    /// Up to an address, and with what lies there, or so many if it is 0.
    UpTo(Value, Product),
    /// Up to the first byte, and with it, that can be no part of a number or of white space before it.
    Number,
    /// A text to which another one was added, at most so many bytes of it: reading, what was there before, with its end; writing, what came
    /// behind that.
    Appended(Value, Option<Product>),
}

/// Where a deed is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// At an address.
    At(Value),
    /// At the address that lies at an address.
    Behind(Value),
    /// At a hidden state, by its number in [`STATES`].
    State(u8),
}

/// What has to hold of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// A value is positive as a number with a sign, or not 0 as an address.
    Some(Value),
    /// Two values are the same.
    Equal(Value, Value),
    /// As numbers with a sign, the first is smaller than the second.
    Less(Value, Value),
}

/// What else is known of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mark {
    /// Nothing.
    #[default]
    None,
    /// It is the state of a stream that is read from: its position.
    Input,
    /// It is the state of a stream that is written to: the order of what is written.
    Output,
    /// It is a heap block from here on.
    Allocated,
    /// It is a heap block from here on, and keeps what it holds.
    Resized,
    /// The heap block that begins there ends.
    Freed,
}

/// Something that a call does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deed {
    /// Where.
    pub place: Place,
    /// How many bytes.
    pub extent: Extent,
    /// Whether it reads or writes there.
    pub access: Access,
    /// What else is known of it.
    pub mark: Mark,
    /// It is done only if this holds.
    pub condition: Option<Condition>,
}

/// Further arguments that a text describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Of the family of `printf`: arguments are printed.
    Print,
    /// Of the family of `scanf`: what is read is written to where arguments lead.
    Scan,
}

/// What a call does to memory and hidden state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Deeds {
    /// One by one.
    pub list: Vec<Deed>,
    /// What the last argument, a text, says of further arguments.
    pub format: Option<Format>,
    /// The argument, a text, that says whether a stream is opened to be written to.
    pub mode: Option<Value>,
    /// Where all of one of these hold, what the call has done cannot be told.
    pub unclear: Vec<Vec<Condition>>,
    /// Number of integer arguments without these.
    pub integers: u8,
    /// Number of arguments in vector registers without these.
    pub vectors: u8,
}
