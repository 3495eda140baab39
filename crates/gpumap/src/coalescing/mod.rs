//! How many units of memory a warp moves per load and store, for every choice of the loop whose iterations are its lanes.
//!
//! - [`strided`]: addresses that advance by a constant; [`lanes`]: lanes enumerated; [`banks`]: conflicts in shared memory.
//!
//! Device arrays start at multiples of 256 bytes, wherever they lie in the program. What is said holds for full warps; those at
//! the edge of a grid move less. Caches are not modelled: what a warp moves twice counts twice.
//!
//! Source: ALGORITHMS 8.3; thesis section 4.4 and research note 13.

pub mod banks;
pub mod lanes;
pub mod strided;

pub use strided::{Alignment, Strided};
