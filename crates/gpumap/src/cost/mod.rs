//! What a kernel costs: threads, operations, bytes, and least times of them on a product.
//!
//! - [`mod@visits`]: how often a thread comes to a block; [`grid`]: threads and warps;
//!   [`operations`]: operations of a thread, counted in the analysed text; [`copies`]: bytes to the device and back;
//! - [`estimate`]: all together, with times; [`show`]: as text.
//!
//! Everything is counted from the source as it is written, so it holds for code that a compiler leaves as it is: *least* counts
//! what is certainly done, *most* everything that is not excluded. Times are estimates, and say what they take for granted.
//!
//! Source: ALGORITHMS 8.5; `device::estimate` for times.

pub mod copies;
pub mod estimate;
pub mod grid;
pub mod operations;
pub mod show;
pub mod visits;

pub use copies::{Copies, Volume};
pub use estimate::{Estimate, Kernel, Times};
pub use grid::Grid;
pub use operations::Operations;
pub use visits::Between;
