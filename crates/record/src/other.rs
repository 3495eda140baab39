//! What a recorder for other processors has in common with this one: how programs are found and started, what users interrupt,
//! how functions are decoded and what system calls do to memory.

pub use crate::function::{LONGEST, Surroundings, decode as decode_function};
pub use crate::interrupt::{is_abandoned, running, was_interrupted, was_terminated};
pub use crate::launch::{find, start_other};
pub use crate::syscalls::{Call, effect};
