//! The record and run model.
//!
//! A recorder translates a program block by block. For every translated block it publishes one static
//! [`block::Block`] (what the block reads, writes and touches, in architecture-neutral terms) and, each time the
//! block executes, one *record*: a header word naming the block followed by the few words that cannot be derived
//! statically. A block that is a counted loop of its own publishes one record for all its iterations.
//!
//! Invariants:
//! - block ids are dense and published before the first record that uses them;
//! - a slice handed to [`sink::Sink::words`] holds whole records in execution order of one thread;
//! - nothing here knows an instruction set, and nothing here knows polyhedra.
#![forbid(unsafe_code)]

pub mod accesses;
pub mod block;
pub mod contract;
pub mod depends;
pub mod expand;
pub mod foreign;
pub mod fuzzing;
pub mod lwt;
pub mod sink;
pub mod stream;
pub mod survey;
