//! Reports on loops of a C source that could run on a device.
//!
//! - [`observed()`]: what a profile of the program says of its loops; [`wire`]: the JSON report, schema `loopwright.gpu/1`.

mod observed;
pub mod wire;

pub use observed::observed;
