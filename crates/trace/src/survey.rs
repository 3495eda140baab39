//! What a run without records shows: the control flow that was executed, with exact counts.
//!
//! Definitions: a *stretch* is a straight sequence of instructions that was translated and ran as a unit; stretches may
//! overlap (a jump into the middle of one starts another). A *transfer* is a way control took out of a stretch at a
//! branch, call or indirect jump; it is named by the address after the instruction, which does not depend on how the code
//! was cut into stretches.
//!
//! Limits: addresses are those of the surveyed run ([`Survey::mappings`] says what lay where); a stretch that a fault
//! interrupts is not counted that time. Returns are not transfers: control continues after the call.

use crate::sink::Mapping;

/// How control left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Way {
    /// A direct jump, or one side of a conditional branch.
    Jump,
    /// An indirect jump.
    IndirectJump,
    /// A direct or indirect call.
    Call,
}

/// Control that went from one place to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transfer {
    /// Address after the instruction that transfers.
    pub from: u64,
    /// Where to.
    pub to: u64,
    /// How.
    pub way: Way,
    /// How often; never 0.
    pub count: u64,
}

/// A stretch of instructions that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// Addresses of the instructions, ascending; never empty.
    pub instrs: Vec<u64>,
    /// Address after the last.
    pub end: u64,
    /// How often it ran; never 0.
    pub executions: u64,
    /// Control can go on at `end` without a transfer: after a system call, or where the stretch was cut.
    pub continues: bool,
    /// For a stretch that jumps back to its own start: smallest and largest number of executions per entry. `None` also
    /// where a signal or fault interrupted it, so that an entry was seen in two parts.
    pub trips: Option<(u64, u64)>,
}

/// Everything such a run shows.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// Executable mappings in order of appearance.
    pub mappings: Vec<Mapping>,
    /// Addresses of functions in order of first entry.
    pub entries: Vec<u64>,
    /// What ran, by ascending start.
    pub stretches: Vec<Stretch>,
    /// How control went, ascending.
    pub transfers: Vec<Transfer>,
}

impl Survey {
    /// Instructions that were executed.
    pub fn instructions(&self) -> u64 {
        let of = |stretch: &Stretch| stretch.executions.saturating_mul(stretch.instrs.len() as u64);
        self.stretches.iter().map(of).fold(0, u64::saturating_add)
    }
}
