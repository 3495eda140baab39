//! What the threads of a block have in common, so that it is worth a copy in shared memory, and how large the copy is.
//!
//! - [`section`]: what a thread touches, as a strided set per dimension; [`pattern`]: such sets as sub-matrices;
//! - [`group`]: accesses of one pointer taken together; [`shape`]: overlap, need, occupancy and bank conflicts of a group;
//!   [`opportunity`]: for which groups shared memory is worth while; [`show`]: all as text.
//!
//! Sets, not hulls: of `a[64*k + x]`, k < 8, the hulls of neighbours overlap nearly everywhere, the sets nowhere. All sizes are
//! those of threads inside the grid for which no branch leaves an access out: at its edge less is needed.
//!
//! Source: ALGORITHMS 8.4; thesis section 4.5 and research note 19.

pub mod group;
pub mod opportunity;
pub mod pattern;
pub mod section;
pub mod shape;
pub mod show;

pub use group::{Group, Scheme};
pub use opportunity::{Loose, Opportunity, Why, opportunities};
pub use pattern::{Pattern, Step};
pub use section::{Dimension, Section, Shapeless};
pub use shape::{Common, Shape, Tile};
