//! C to symbolic facts: the static analyses behind GPU mapping.
//!
//! - [`frontend`]: runs clang and opt on a C source;
//! - [`reader`]: reads the text they write; [`ir`]: what is read;
//! - [`calls`]: a function with those that it calls, once for each chain of calls;
//! - [`control`]: dominators, loops, choices as branches;
//! - [`symbolic`]: exact symbolic arithmetic;
//! - [`memory`]: objects, aliases, contents that stay the same; [`solver`]: monotone equations by a work list;
//! - [`invariance`]: in which loops values change; [`sign`]: which signs they may have; [`ranges`]: where they lie;
//! - [`recurrence`]: values as polynomials in inputs and iterations, and how often loops run;
//! - [`access`]: the bytes that loads and stores touch, and how that is known;
//! - [`device`]: models of devices; [`coalescing`]: what warps move per access; [`shared`]: what blocks keep in shared memory;
//!   [`divergence`]: branches that part the lanes of warps;
//! - [`offload`]: which loops can run on a device, and what their kernels need;
//! - [`instantiate`]: values that inputs had in a run; [`cost`]: what kernels cost in numbers;
//! - [`emit`]: text to paste into a source;
//! - [`oracle`]: sections against the addresses of runs; [`verify`]: what is emitted beside the sequential program;
//! - [`fuzzing`]: cases for fuzzing the reader.
//!
//! Nothing here links LLVM; its text is known to this crate alone.
#![forbid(unsafe_code)]

pub mod access;
pub mod calls;
pub mod coalescing;
pub mod control;
pub mod cost;
pub mod device;
pub mod divergence;
pub mod emit;
pub mod frontend;
pub mod fuzzing;
pub mod instantiate;
pub mod invariance;
pub mod ir;
pub mod memory;
pub mod offload;
pub mod oracle;
pub mod ranges;
pub mod reader;
pub mod recurrence;
pub mod shared;
pub mod sign;
pub mod solver;
pub mod symbolic;
mod table;
pub mod verify;

pub use frontend::Compiler;
