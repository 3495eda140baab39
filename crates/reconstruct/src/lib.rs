//! From a trace of integers to the loop nests that made it.
//!
//! Definition (ALGORITHMS 5.1 and 6.1, after the CGO'16 and Mathematics 2021 papers on trace reconstruction): a trace
//! `a_1 … a_P` is *generated* by a [`nest::Nest`] if visiting the nest's iterations in lexicographic order and printing
//! `base + Σ c_q·i_q` at each gives exactly `a_1 … a_P`. Every level runs from the largest of its lower bounds to the
//! smallest of its upper bounds, which are affine in the outer counters, possibly over a divisor. A [`statement::Statement`]
//! is such a nest, a loop around several statements, or integers as they are. The result of a reconstruction is a
//! sequence of statements that generates the trace, one nest whenever one was found, the shortest that is known
//! ([`description`]).
//!
//! Road: elements → stride runs ([`scan`]) → blocks of runs ([`fold`], streaming, a few words per loop level) → one nest
//! read off directly (single domain), or nested loop recognition ([`recognise`]) beside the piecewise search
//! ([`piecewise`]). Nothing is believed because of how it was found: [`verify`] regenerates every result and compares it
//! with the runs, and [`check`] does the same element by element, slower and simpler.
//!
//! Invariants: the result regenerates the input exactly; the same input gives the same result for any number of
//! threads and any division into pushes; arithmetic on input is checked or provably in range.
#![forbid(unsafe_code)]

mod affine;
pub mod approximate;
pub mod check;
pub mod chunk;
pub mod codec;
mod coincidence;
pub mod corpus;
pub mod cursor;
pub mod description;
mod entropy;
mod extend;
pub mod fold;
pub mod fuzzing;
pub mod generators;
mod leb;
pub mod levels;
pub mod nest;
pub mod packed;
pub mod piecewise;
pub mod predict;
pub mod prove;
pub mod recognise;
pub mod render;
pub mod run;
pub mod scan;
pub mod simplify;
pub mod sparse;
pub mod statement;
pub mod stream;
pub mod tree;
pub mod verify;
pub mod whole;
