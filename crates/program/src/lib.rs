//! The binary under test, as far as it can be known without running it, and the control structure its execution shows.
//!
//! - [`mod@cfg`]: one function's control-flow graph, decoded statically and extended by executed indirect edges;
//! - [`executed`]: all of this as a run without records shows it, with counts;
//! - [`forest`]: the loop-nesting forest of such a graph (ALGORITHMS 1.1);
//! - [`recursion`]: recursive components of the call graph (ALGORITHMS 1.2);
//! - [`kept`]: variables of the source that code keeps in registers;
//! - [`known`]: what an earlier run showed, for a second one;
//! - [`image`]: mapped files, symbols, demangling, source lines with inlining;
//! - [`numbers`]: types of numbers by the names of the source;
//! - [`sources`]: the source files that debug information names;
//! - [`variables`]: variables of the source, with scope and storage, from debug information.
#![forbid(unsafe_code)]

mod aligned;
pub mod cfg;
pub mod contracts;
pub mod executed;
pub mod forest;
mod frames;
pub mod image;
pub mod kept;
pub mod known;
pub mod nested;
pub mod numbers;
mod owners;
pub mod recursion;
pub mod sources;
mod stubs;
pub mod variables;
