//! All tests of what the crate offers, in one program: what they share is compiled and linked once.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

mod accesses;
mod certain;
mod coalescing;
mod control;
mod costs;
mod dimensions;
mod divergence;
mod everyday;
mod instantiate;
mod kept;
mod oracle;
mod ranges;
mod reading;
mod recurrences;
mod requests;
mod rows;
mod shared;
mod support;
mod symbolic;
mod verified;
mod warps;
