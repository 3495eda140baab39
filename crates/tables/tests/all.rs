//! All tests of what the crate offers, in one program: what they share is compiled and linked once.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

mod profile_tables;
mod values;
