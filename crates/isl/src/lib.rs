//! A safe binding to isl, the integer set library, found at run time.
//!
//! - [`library`]: the functions used, loaded from the system's `libisl.so`;
//! - [`context`]: contexts and the objects that live in them, with errors instead of null pointers;
//! - [`schedule`]: a scheduling problem, and the schedule tree that isl's scheduler finds;
//! - [`ast`]: loops in the order of a schedule;
//! - [`worker`]: these in a child process with limits on processor time and memory, since isl has no usable limits of
//!   its own (its count of operations is none: 150,000 stop at once, 300,000 run for many seconds).
//!
//! Invariants: a context and its objects stay in one thread; every pointer that isl hands out is freed once; what is
//! reported as legal was checked against every dependence of the problem after scheduling.
//!
//! Limits: this is the only crate beside `record` with unsafe code. Where isl is not installed everything answers
//! [`context::Error::Missing`].

pub mod ast;
pub mod context;
pub mod library;
pub mod schedule;
pub mod worker;

pub use ast::{Ast, Order};
pub use context::{Context, Error};
pub use schedule::{Algorithm, Fusion, Problem, Schedule, Tree};
