//! Folding-based analysis on runs (FOLD, TACO'19; ALGORITHMS 3).
//!
//! Input: one stream of points `(iteration vector, label)`, vectors lexicographically increasing, given as runs along the
//! innermost dimension. Output: a union of domains, each with one label function per output whose coefficients are
//! integers or unknown (⊤). Without ⊤ and without give-up the pieces regenerate the stream exactly.
//!
//! - [`folder`]: the streaming algorithm; [`checked`] its entry for streams that nobody vouches for;
//! - [`options`]: limits, widening, and the published variants; [`meter`]: intermediate pieces of many folders;
//! - [`meeting`]: between which iterations two streams of addresses touch the same bytes;
//! - [`piece`]: the result, and [`coordinates`] its translation into coordinates;
//! - [`check`]: an independent checker that replays a stream against a result.
#![forbid(unsafe_code)]

pub mod check;
pub mod checked;
pub mod coordinates;
pub mod folder;
pub mod meeting;
pub mod meter;
pub mod options;
pub mod piece;
pub mod row;

mod class;
mod cursor;
mod emit;
mod fingerprint;
mod give_up;
mod group;
mod nest_cursor;
mod new_dimension;
mod reach;
mod repeat;
mod row_cursor;
mod widen;

pub use checked::{CheckedFolder, Refused, StreamError};
pub use folder::Folder;
pub use meter::{Gauge, Meter};
pub use options::{GiveUp, Options};
pub use piece::{Coefficient, Folded, Label, Piece, Statistics};
pub use row::Row;
