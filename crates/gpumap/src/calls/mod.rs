//! A function together with those that it calls: its *cone*, each called function once for each chain of calls that leads to it.
//!
//! - [`cone`]: which calls are followed; [`splice`]: puts the blocks of a called function in place of a call.
//!
//! Facts of a called function depend on who calls it. A *call string* is the list of calls that lead from the function to a
//! block, the outermost first, up to a chosen length. Every block of the cone has one, and for each the called function has blocks
//! and values of its own: arguments are the parameters, what is returned is the result. So every analysis of the cone is one for
//! each call string, and knows nothing of calls.
//!
//! Not followed, and so calls like those of unknown functions: calls of addresses, of what the module does not define, of what is
//! already being followed (recursion), with other arguments than parameters, calls beyond the length, and those that would
//! make the cone larger than [`cone::INSTRUCTIONS`].
//!
//! Source: ALGORITHMS 7.8.

pub mod cone;
pub mod splice;

pub use cone::{Cone, Site};

/// The length of call strings if nothing else is said.
pub const LENGTH: usize = 2;
