//! All tests of what the crate offers, in one program: what they share is compiled and linked once.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

mod attach;
mod behaviour;
mod border;
mod children;
mod fuzz;
mod injection;
mod lackey;
mod leaves;
mod options;
mod oracle;
mod signals;
mod support;
mod survey;
mod threads;
mod ways;
