//! All tests of what the crate offers, in one program: what they share is compiled and linked once.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

mod blocks;
mod compare;
mod entered_in_the_middle;
mod limits;
mod reference;
mod repeats;
mod support;
