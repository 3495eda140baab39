//! Reports on loops of a C source that could run on a device.
//!
//! - [`observed()`]: what a profile of the program says of its loops.

mod observed;

pub use observed::observed;
