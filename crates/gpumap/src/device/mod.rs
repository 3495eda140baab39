//! Models of devices: what a multiprocessor holds, how memory is moved, and the figures of one product for estimates.
//!
//! - [`models`]: the devices; [`block`]: blocks of threads; [`occupancy`]: how many blocks a multiprocessor holds;
//!   [`estimate`]: least times of a kernel and of copies.
//!
//! Limits hold for a compute capability; bandwidths and rates are those of the one product that a model names, as its maker
//! prints them, and nothing is faster than they say. Registers are not modelled: how many a kernel needs is known after it is
//! compiled, so an occupancy here is the most that there can be.

pub mod block;
pub mod estimate;
pub mod models;
pub mod occupancy;

pub use block::{Block, BlockError};
pub use estimate::Precision;
pub use models::{Device, MODELS};
pub use occupancy::{Limit, Occupancy, OccupancyError};

/// Threads of a warp, on every device.
pub const WARP: u32 = 32;
