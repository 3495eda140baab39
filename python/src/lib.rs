//! The extension module `loopwright._native`: the crates of Loopwright as Python calls them.
//!
//! Nothing is analysed here. Arguments are checked and named in errors, arrays are read where they lie, the interpreter is
//! let go while Rust works, and errors of the crates become Python's own kinds with the same messages as the command
//! line's: what is wrong with a value is a `ValueError`, a wrong type a `TypeError`, what the system refuses an `OSError`.
//!
//! - `arrays`: NumPy arrays as slices;
//! - `search`: options, progress and interrupts;
//! - `nests`: results;
//! - `whole`: programs of several streams, and nearly affine traces;
//! - `files`: compressed traces, chunks and traces on disk;
//! - `folding`: the folding algorithm;
//! - `profiles`: profiles.
#![forbid(unsafe_code)]

mod arrays;
mod files;
mod folding;
mod nests;
mod profiles;
mod search;
mod tables;
mod whole;

/// The extension module.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::files::{Chunker, compress, expand, join, trace_chunks};
    #[pymodule_export]
    use crate::folding::{Folded, Piece, fold};
    #[pymodule_export]
    use crate::nests::{Integers, Loop, Nest, Nests, reconstruct, restore_nests};
    #[pymodule_export]
    use crate::profiles::Profile;
    #[pymodule_export]
    use crate::tables::Table;
    #[pymodule_export]
    use crate::whole::{Approximate, Program, approximate_array, whole};
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name that Python has for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
