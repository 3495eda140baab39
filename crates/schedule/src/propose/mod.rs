//! What a region could become: schedules of its statements that respect all dependences, found by isl.
//!
//! - [`region`]: the hottest loops around everything else;
//! - [`problem`]: a region as a scheduling problem;
//! - [`ladder`]: what is tried in turn, within a budget;
//! - [`check`]: schedules compared with dependences one by one, without isl;
//! - [`replay`]: the region executed in the proposed order;
//! - [`renaming`]: statements of the source instead of blocks of the program;
//! - [`statements`]: what stays in one piece;
//! - [`outline`]: the transformed region as loops, in terms of the loops of the source;
//! - `expanded`: which variables it has to expand;
//! - [`sequence`]: the core transformations that lead to it;
//! - `weighed`: which legal order is preferred.
//!
//! Dependences are those that order the iterations of some loop of the region ([`crate::verdict::Verdict::ordering`]) and
//! those inside one iteration, except of induction variables. So what privatisation removes is removed, and control
//! dependences are not among them.

pub mod check;
mod expanded;
pub mod ladder;
pub mod outline;
pub mod problem;
pub mod region;
pub mod renaming;
pub mod replay;
pub mod sequence;
pub mod statements;
pub(crate) mod weighed;

pub use isl::Fusion;
pub use ladder::{Budget, Proposal, Rung, propose};
pub use outline::{Loop, Node};
pub use region::{Region, around, hottest, named};
