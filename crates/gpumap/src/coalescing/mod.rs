//! How many units of memory a warp moves per load and store, for every choice of the loop whose iterations are its lanes.
//!
//! - [`strided`]: addresses that advance by a constant; [`lanes`]: lanes enumerated; [`banks`]: conflicts in shared memory;
//! - [`factor`]: units as expressions in the inputs; [`offsets`]: where an access goes, by all ways;
//! - [`nest`]: the accesses of a nest under each mapping; [`advice`]: which mapping is best; [`numbers`]: with numbers for inputs;
//!   [`show`]: all this as text.
//!
//! A *mapping* makes one loop of the nest the x axis of the grid: consecutive iterations of it are consecutive lanes. Lanes are
//! in the same iteration of all loops inside the nest. An iteration counts from 0 in steps of 1, whatever its counter does.
//!
//! Device arrays start at multiples of 256 bytes, wherever they lie in the program. What is said holds for full warps: those at
//! the edge of a grid, and those of which a branch leaves lanes out, move less. Caches are not modelled: what a warp moves twice counts twice.
//!
//! Source: ALGORITHMS 8.3; thesis section 4.4 and research note 13.

pub mod advice;
pub mod banks;
pub mod factor;
pub mod lanes;
pub mod nest;
pub mod numbers;
pub mod offsets;
pub mod show;
pub mod strided;

pub use advice::{Advice, Basis};
pub use factor::{Factor, Units};
pub use nest::{Coalescing, Mapped, Requested};
pub use offsets::{Irregular, Way, Ways};
pub use strided::{Alignment, Strided};
