//! Text to paste into a source.
//!
//! - [`mod@expression`]: polynomials and bounds as expressions of C; [`mod@directive`]: directives of OpenMP and OpenACC.

pub mod directive;
pub mod expression;

pub use directive::{Dialect, Refusal, directive};
