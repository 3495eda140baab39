//! Directives put to the test.
//!
//! The user's source tree is copied twice; one copy gets the directives. Both are built with the user's own command and run in
//! turn; what they print is compared and the time they take is measured. A directive *held* if with it the program builds, prints
//! the same in every run, ends as the original does and is not slower.
//!
//! Invariants:
//! - nothing is written into the user's tree: if the build command does, that is an error which names the file;
//! - what a measurement says belongs to one profile ([`stored`]), and is used for no other;
//! - nothing is left behind: copies lie in one temporary directory that goes with [`Bench`], programs that are started are ended.
//!
//! Limits: standard output and exit status are compared, not files that the program writes (`--compare` can look at those).
//! OpenMP gets into the build through compilers found by name in `PATH`; a build that names them by their full
//! path has to take `$LOOPWRIGHT_OPENMP`, and a program without OpenMP is noticed.
#![forbid(unsafe_code)]

mod bench;
mod compare;
mod compilers;
mod edit;
mod error;
mod outcome;
mod process;
mod races;
pub mod stored;
mod strategy;
mod tree;

pub use bench::{Bench, Effort, Evaluation, Plan};
pub use compare::is_same;
pub use edit::{Candidate, Form, NotApplied, continued, patch};
pub use error::Error;
pub use outcome::{
    Agreement, Comparison, Difference, Fate, Held, Identity, Original, Outcome, Races, Reason, SCHEMA,
    Speedup, Spread, Tried,
};
pub use races::Found;
pub use strategy::attempt;
