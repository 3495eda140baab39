//! Which loops can run on a device, and what their kernels need.
//!
//! - [`candidate`]: loops and nests whose iterations could be threads, with every [`reason`] against it;
//! - [`mod@dependence`]: whether iterations depend on each other as the program itself shows, [`reduction`]: what they combine;
//! - [`observed`]: what a run of the program showed of its loops; [`parameters`]: what goes in and comes out;
//! - [`mod@kept`]: data that kernels leave on the device for the next one;
//! - [`analysed`]: a function with its candidates, in terms of inputs and with their values; [`show`]: all this as text.
//!
//! A candidate is *friendly* if nothing speaks against it: each of its loops has a number of iterations that is known before it
//! starts, no iteration uses what another one of the loop computed, and everything in it can run on a device. That iterations do
//! not depend on each other is known from a run, or from the program itself ([`mod@dependence`]); otherwise friendliness is unknown. Variables that iterations share without
//! passing on values, and reductions, do not speak against a loop: what has to become of them is said.
//!
//! Source: thesis, chapters 4 and 5; ALGORITHMS 8.1 and 8.2 with research note 14 to 18.

pub mod analysed;
pub mod candidate;
pub mod dependence;
pub mod kept;
pub mod observed;
pub mod parameters;
pub mod reason;
pub mod reduction;
pub mod show;

pub use analysed::{Analysed, Needs, with_candidates};
pub use candidate::{Candidate, Friendly, candidates};
pub use kept::{Kept, kept};
pub use observed::{Carried, Found, Observed};
pub use parameters::{Direction, Kind, Parameter, Parameters};
pub use reason::{Reason, Why};
