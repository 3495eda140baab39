//! Runs an unmodified program of another processor (64-bit ARM, 64-bit RISC-V) under QEMU and emits its record stream.
//!
//! # How it works
//! QEMU's user-mode emulator runs the program. A plugin inside it (the crate `plugin`, which this one compiles and carries) writes
//! what is executed and accessed into memory that both processes share ([`protocol`]); here that becomes records: code is
//! decoded to the same neutral tables as that of x86-64, and blocks are cut where control can come to.
//!
//! # Invariants
//! - The program behaves as it does under QEMU alone: output, exit status, signals.
//! - The accesses of the records are those that QEMU made, in their order; nothing is computed from what instructions should do.
//! - What a decoder does not know is an operation on all that its fields can name, which makes verdicts more careful, never bolder.
//!
//! # Limits
//! As for x86-64, the first thread alone is recorded. Registers are not part of QEMU's plugin interface: where they cannot be read ([`plugin`'s
//! `registers`](protocol::READABLE)), heap blocks and frames have no names, and no part of a run can be recorded. No records of
//! whole loops are made: every iteration of every loop is one record.

mod aarch64;
mod blocks;
mod code;
pub mod instruction;
mod machine;
mod message;
mod output;
#[path = "../plugin/protocol.rs"]
pub mod protocol;
mod recorder;
mod ring;
mod riscv;
mod saves;
mod session;
mod syscalls;

pub use machine::Machine;
use record::{Config, Error, Outcome};
use trace::sink::{Guide, Sink};

/// Runs and records a program for this processor. The sink runs on a thread of its own and is returned at the end. Of the configuration,
/// what is about code caches, encodings and processes that run already does not matter.
///
/// # Errors
/// If QEMU is not installed or cannot run the program, or the recorder's own resources cannot be set up. What the program does
/// wrong itself is part of the [`Outcome`].
pub fn run<S: Sink + 'static>(
    machine: Machine,
    config: &Config,
    guide: &mut dyn Guide,
    sink: S,
) -> Result<(Outcome, S), Error> {
    session::run(machine, config, guide, sink)
}
