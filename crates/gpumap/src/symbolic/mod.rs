//! Exact symbolic arithmetic: what is known about integers whose values are not.
//!
//! - [`atom`]: what has a name or cannot be taken apart; [`polynomial`]: polynomials over atoms, with rational coefficients
//!   ([`coefficient`]);
//! - [`bound`]: bounds as sets; [`range`]: intervals between such bounds, and arithmetic on them as C does it;
//! - [`facts`]: what is known at a point; [`prove`]: signs and comparisons that follow from it;
//! - [`mod@solve`] solves equations; `value`: polynomials on numbers.
//!
//! Atoms stand for integers of Z; whether a computation of the program is one of Z is decided before it gets here. Whatever is
//! said here holds for all values of the atoms that fulfil the facts: "not proved" is an answer, a wrong one is not. Sizes are
//! bounded by constants beside what they bound; what is larger is not known.

pub mod atom;
pub mod bound;
pub mod coefficient;
pub mod facts;
pub mod polynomial;
pub mod prove;
pub mod range;
pub mod solve;
mod value;

pub use atom::{Atom, AtomId, Atoms};
pub use bound::{Bound, Side};
pub use coefficient::Coefficient;
pub use facts::Facts;
pub use polynomial::{Monomial, Polynomial};
pub use prove::{Order, Prover, Signs};
pub use range::Range;
