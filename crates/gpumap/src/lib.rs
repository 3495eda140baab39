//! C to symbolic facts: the static analyses behind GPU mapping.
//!
//! - [`frontend`]: runs clang and opt on a C source;
//! - [`reader`]: reads the text they write; [`ir`]: what is read;
//! - [`control`]: dominators, loops, choices as branches;
//! - [`symbolic`]: exact symbolic arithmetic;
//! - [`recurrence`]: values as polynomials in inputs and iterations, and how often loops run;
//! - [`oracle`]: sections against the addresses of runs;
//! - [`fuzzing`]: cases for fuzzing the reader.
//!
//! Nothing here links LLVM; its text is known to this crate alone.
#![forbid(unsafe_code)]

pub mod control;
pub mod frontend;
pub mod fuzzing;
pub mod ir;
pub mod oracle;
pub mod reader;
pub mod recurrence;
pub mod symbolic;

pub use frontend::Compiler;
