//! Text to paste into a source.
//!
//! - [`mod@expression`]: polynomials and bounds as expressions of C; [`mod@directive`]: directives of OpenMP and OpenACC;
//! - [`mod@kernel`]: kernels with what their hosts have to know; `naming`: what things are called in them; [`tile`]: their copies in
//!   shared memory; [`body`]: their text; `host`: what hosts have in common; [`opencl`], [`cuda`]: whole files.

pub mod body;
pub mod cuda;
pub mod directive;
pub mod expression;
pub mod host;
pub mod kernel;
mod naming;
pub mod opencl;
pub mod tile;

pub use directive::{Dialect, Refusal, directive};
pub use kernel::{Kernel, Request, kernel};
