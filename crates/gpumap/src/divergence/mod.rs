//! Branches of a kernel at which the lanes of a warp part: a warp then runs both ways one after the other.
//!
//! - [`mod@branches`]: which branches may part lanes, and why; [`lanes`]: in how many warps they do, one by one; [`show`]: as text.
//!
//! Lanes are consecutive iterations of the loop that is mapped to x, in step in all loops inside of the nest. A branch is *uniform*
//! if all of them decide it alike; else it is decided by the *thread*, by a rule in its number, or by *data*. The tests of the
//! mapped loops are none: threads beyond the grid's edge do nothing.

pub mod branches;
pub mod lanes;
pub mod show;

pub use branches::{Branch, By, branches};
pub use lanes::Parted;
