//! What speaks against running a loop on a device.

use super::observed::Carried;
use crate::control::Obstacle;

/// What speaks against a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It cannot be analysed.
    Obstacle(Obstacle),
    /// The number of iterations is not known before the loop starts.
    Count,
    /// The number of iterations of the inner loop of a nest changes in the outer one by something else than its iteration.
    InnerCount,
    /// It calls a function that a device does not have.
    Call(String),
    /// It computes with numbers of a type that a device does not have.
    Type(&'static str),
    /// It writes a variable that keeps its value from one call of a function to the next.
    Static(String),
    /// An iteration uses what another one computes.
    Carried(Carried),
    /// Iterations touch the same places, and one of the accesses writes.
    SamePlaces(Carried),
    /// That an iteration does not use what another one computes is not shown by the program for these accesses.
    MayCarry(Carried),
    /// A variable keeps its value from one iteration to the next, and is no reduction that is recognised.
    Kept(String),
    /// The run did not enter the loop.
    NotRun,
    /// The run made no second iteration of it.
    Once,
    /// Dependences of this loop were not recorded.
    NotRecorded,
    /// No run was looked at.
    NoRun,
}

impl Why {
    /// Whether more could be learnt by running the program.
    pub fn is_open(&self) -> bool {
        matches!(self, Why::NotRun | Why::Once | Why::NotRecorded | Why::NoRun | Why::MayCarry(_))
    }
}

impl std::fmt::Display for Why {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Why::Obstacle(obstacle) => obstacle.fmt(to),
            Why::Count => to.write_str("the number of iterations is not known before the loop starts"),
            Why::InnerCount => to.write_str(
                "the number of iterations of the inner loop is not known before the outer one starts",
            ),
            Why::Call(name) => write!(to, "it calls {name}, which a device does not have"),
            Why::Type(name) => {
                write!(to, "it computes with numbers of type {name}, which a device does not have")
            }
            Why::Static(name) => write!(to, "it writes {name}, which keeps its value from call to call"),
            Why::Carried(carried) => {
                to.write_str("an iteration uses what another one computed")?;
                show_carried(to, carried)
            }
            Why::SamePlaces(carried) => {
                to.write_str("different iterations touch the same places")?;
                show_carried(to, carried)
            }
            Why::MayCarry(carried) => {
                to.write_str("the source alone does not show that iterations touch different parts")?;
                show_carried(to, carried)
            }
            Why::Kept(name) => {
                write!(
                    to,
                    "{name} keeps its value from one iteration to the next, and no reduction is recognised"
                )
            }
            Why::NotRun => {
                to.write_str("the run did not enter it: whether iterations depend on each other is not known")
            }
            Why::Once => to.write_str(
                "the run made no second iteration: whether iterations depend on each other is not known",
            ),
            Why::NotRecorded => to.write_str("its dependences were not recorded"),
            Why::NoRun => {
                to.write_str("no run was looked at: whether iterations depend on each other is not known")
            }
        }
    }
}

/// The object and the lines of a dependence.
fn show_carried(to: &mut std::fmt::Formatter<'_>, carried: &Carried) -> std::fmt::Result {
    if let Some(object) = &carried.object {
        write!(to, " in {object}")?;
    }
    match (carried.source, carried.sink) {
        (Some(source), Some(sink)) => write!(to, ": line {source} to line {sink}"),
        _ => Ok(()),
    }
}

/// A reason against a candidate, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// What it is.
    pub why: Why,
    /// The line of the source that it is about, if there is one.
    pub line: Option<u32>,
}
