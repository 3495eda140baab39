//! Folding-based analysis on runs (FOLD, TACO'19; ALGORITHMS 3).
//!
//! Input: one stream of points `(iteration vector, label)`, vectors lexicographically increasing, given as runs along the
//! innermost dimension. Output: a union of domains, each with one label function per output whose coefficients are
//! integers or unknown (⊤). Without ⊤ and without give-up the pieces regenerate the stream exactly.
//!
//! - [`folder`]: the streaming algorithm;
//! - [`piece`]: the result, and its translation into coordinates;
//! - [`check`]: an independent checker that replays a stream against a result.
#![forbid(unsafe_code)]

pub mod check;
pub mod folder;
pub mod piece;

pub use folder::{Folder, Options, Row};
pub use piece::{Coefficient, Folded, Label, Piece};
