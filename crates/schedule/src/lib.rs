//! From a profile to verdicts.
//!
//! - [`arrange`]: loops that can be fused or distributed;
//! - [`check`]: whether a transformation respects dependences;
//! - [`code`]: proposed schedules as C;
//! - [`graph`]: the dependences inside one loop, and its strongly connected sets;
//! - `compiled`, `overlap` and `pieces`: whether the loop that ran is the loop of the text, which elements several iterations come to by
//!   that, and what the pieces hand on that a compiler has made of one loop;
//! - `bookkeeping` and `once`: dependences that order nothing: of locks, of what libraries keep, of what is made once;
//! - [`scev`]: which statements are induction variables of a loop (ALGORITHMS 2.3);
//! - [`ways`]: cycles through which iterations take different ways;
//! - [`reduction`]: which carried cycles are reductions (2.5);
//! - [`storage`]: which anti and output dependences privatisation removes (2.6);
//! - [`needs`]: what else makes them harmless;
//! - [`verdict`]: the verdict per loop context;
//! - [`nest`]: permutable bands and strides;
//! - [`metrics`]: figures of regions, as published ones, and what a proposal is worth;
//! - [`names`]: names of functions, as people say them;
//! - [`notation`]: pieces of folds in the notation of isl;
//! - [`options`]: which legal order of a schedule is worth most on a machine;
//! - [`places`]: which loop of the source a compiled loop is;
//! - [`propose`]: schedules of whole regions, found by isl;
//! - [`select`]: loops by the names that people give them;
//! - [`source`]: loop contexts put together into loops of the source;
//! - [`synthetic`]: made-up programs of any size, to measure on.
#![forbid(unsafe_code)]

mod advance;
pub mod always;
pub mod anew;
pub mod arrange;
mod bookkeeping;
pub mod check;
pub mod code;
pub(crate) mod compiled;
pub mod facts;
mod gaps;
pub mod graph;
mod masks;
pub mod metrics;
pub mod names;
pub mod needs;
pub mod nest;
pub mod notation;
mod numbers;
mod once;
pub mod options;
mod overlap;
pub(crate) mod pieces;
pub mod places;
pub mod propose;
pub mod reduction;
pub mod scev;
pub mod select;
pub mod source;
pub mod storage;
pub mod subscript;
pub mod synthetic;
mod unrolled;
pub mod verdict;
pub mod ways;

pub use source::{SourceLoop, analyse, by_context};
pub use verdict::{Blocking, Parallel, Unknown, Verdict};
