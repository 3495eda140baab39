//! Values of a function as polynomials in its inputs and in the iterations of loops.
//!
//! - [`forms`]: what a value is; [`inputs`]: what inputs are; [`operators`]: what operators make of forms; [`loads`]: what loads
//!   give; [`phis`]: closed forms of φ at loop headers, values behind loops;
//!   [`merged`]: what values of several ways are; [`fixed`]: in which loops forms change;
//! - [`conditions`]: what branches say of a point; [`trips`]: how often a loop runs;
//! - [`sections`]: from which address to which an access goes; [`show`]: all this as text.
//!
//! A φ at a header with the value `init` from outside and `next` from inside is `init + s·k`, k the number of iterations begun
//! before, if `next − φ` is a polynomial s that the loop leaves unchanged: of any sign, of any inputs and outer iterations; if s
//! is linear or quadratic in k, sums take the place of the product.
//! It does not matter how the source writes it. Everything else is an atom of its own, of which nothing is known: a recursion
//! that is not resolved never has a finite range.
//!
//! An integer has two readings, signed and unsigned. A form holds for one of them and is an integer of Z: sums and products are
//! formed only where the operation may not wrap (`nsw`, `nuw`, `inbounds`) or provably does not.

pub mod conditions;
pub mod fixed;
pub mod forms;
pub mod inputs;
pub mod loads;
pub mod merged;
pub mod operators;
pub mod phis;
pub mod sections;
pub mod show;
pub mod trips;

pub use forms::{Forms, Reading};
pub use inputs::Given;
pub use trips::Trips;
