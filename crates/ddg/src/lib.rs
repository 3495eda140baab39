//! From records to a profile: loop events, contexts, iteration vectors, dependences.
//!
//! [`Engine`] consumes a recording as a [`trace::sink::Sink`]; [`finish`](finish::finish) turns what it saw into a
//! [`profile::Profile`]. [`hot`] makes one of a survey alone.
#![forbid(unsafe_code)]

mod antis;
mod blocks;
mod budget;
pub mod code;
pub mod contexts;
pub mod dependences;
mod engine;
mod exchange;
mod executions;
pub mod finish;
pub mod focus;
pub mod folding;
pub mod guide;
mod happenings;
pub mod hot;
mod intervals;
mod jumps;
mod locks;
mod lost;
pub mod objects;
mod observer;
mod paths;
pub mod reference;
mod registers;
mod relief;
mod repeats;
mod replay;
mod rows;
mod run;
mod shared;
mod steady;
mod strands;
mod tasks;
mod teams;
pub mod tracing;
mod units;
mod verbatim;
pub mod walker;

pub use engine::{Allocator, Engine, allocator};
pub use folding::Folding;
