//! The binary under test, as far as it can be known without running it, and the control structure its execution shows.
//!
//! - [`mod@cfg`]: one function's control-flow graph, decoded statically and extended by executed indirect edges;
//! - [`forest`]: the loop-nesting forest of such a graph (ALGORITHMS 1.1);
//! - [`recursion`]: recursive components of the call graph (ALGORITHMS 1.2);
//! - [`image`]: mapped files, symbols, demangling, source lines with inlining;
//! - [`variables`]: variables of the source, with scope and storage, from debug information.
#![forbid(unsafe_code)]

pub mod cfg;
pub mod forest;
pub mod image;
pub mod recursion;
pub mod variables;
