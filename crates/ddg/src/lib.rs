//! From records to a profile: loop events, contexts, iteration vectors, dependences.
#![forbid(unsafe_code)]

pub mod contexts;
pub mod walker;
