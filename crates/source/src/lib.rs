//! Loops of sources: what is written of them in C, C++, Fortran and Rust, and nests of C cut into loops and statements.
//!
//! For nests the compiler clang, found at run time, says where everything stands; what is cut out is the text of the file
//! itself. The [`lens`] needs no compiler.
//!
//! - [`program`]: finds and runs programs of other projects;
//! - [`clang`]: finds clang and has it print its syntax tree;
//! - [`tree`]: that tree, and where its nodes stand in the file;
//! - [`head`]: heads of loops as directives need them, without a compiler;
//! - [`linear`]: linear functions of iterators and of what a nest leaves unchanged;
//! - [`lens`]: what the text of a file says of its loops, in C, C++, Fortran and Rust, without a compiler;
//! - [`nest`]: a nest of counted loops, and the statements in them;
//! - [`threads`]: the body of loops whose iterations become threads; [`types`]: types as clang prints them.
//!
//! A *counted loop* has an iterator that nothing but the loop itself changes, bounds that are linear, a constant step, and is
//! left at its end alone. A *statement* is whatever stands between loops: neighbouring statements of one body are one, and what
//! is no counted loop is a part of them.
//!
//! Limits: all but the lens read C alone; offsets are bytes; the tree is that of clang without the options of the program's build but those given.
#![forbid(unsafe_code)]

pub mod clang;
pub mod head;
pub mod lens;
pub mod linear;
pub mod nest;
pub mod program;
pub mod threads;
pub mod tree;
pub mod types;

pub use clang::{Clang, Failure};
pub use linear::{Linear, Symbol};
pub use nest::{Counted, Item, Nest, Parameter, Place, Statement, Uncut, Variable};
pub use threads::{Free, Language, Level, Threads, Wanted};
pub use tree::Source;
pub use types::Shape;
