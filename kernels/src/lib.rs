//! Programs whose loops are known, and the table of what is true about them.
//!
//! The programs are in this directory, one file each. `expected.toml` states the truth per loop, by a marker in the source
//! (a comment `@name` on the line of the loop statement), so that it does not depend on line numbers. The table is used by
//! the tests of the command line and by `cargo xtask bench`. `gpu/corpus.toml` names those on which the static analyses of C are
//! measured, more of them in `gpu/`. `adversarial/` holds loops that are hard to judge, with their truth in the source.
#![forbid(unsafe_code)]

mod adversarial;
mod compile;
mod corpus;
mod random;
mod table;

/// Whether tests are to take everything, at all levels, instead of what CI has time for: with `LOOPWRIGHT_THOROUGH` set.
pub fn is_thorough() -> bool {
    std::env::var_os("LOOPWRIGHT_THOROUGH").is_some()
}

/// How many cases a test takes: `few`, or all with `LOOPWRIGHT_THOROUGH`.
pub fn cases<T>(all: T, few: T) -> T {
    if is_thorough() { all } else { few }
}

/// Whether a test takes the case at this place of its list: each in `of`, or all with `LOOPWRIGHT_THOROUGH`.
pub fn is_taken(at: usize, of: usize) -> bool {
    is_thorough() || at.is_multiple_of(of)
}

pub use adversarial::{
    Adversarial, Annotated, Family, Judgement, Language, Optimised, SaidLoop, SaidReport, Truth, adversarial,
    judge, known,
};
pub use compile::{Compiler, Error, Level, Processor, Program, command_line, compile, compile_for};
pub use corpus::{Static, corpus};
pub use random::random_program;
pub use table::{
    Advised, Blocking, Distance, Expected, HardCase, Kernel, LoopTruth, Need, Parallel, TableError,
    directory, load,
};
