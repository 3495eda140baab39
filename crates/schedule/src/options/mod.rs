//! Which of the legal orders of a schedule is worth most on a machine: as it is, with tiles of which sizes, on diagonals, with
//! which innermost loop.
//!
//! - [`facts`]: what is known of the statements;
//! - [`times`]: the orders;
//! - [`cost`]: an estimate of the cycles that each takes;
//! - [`mod@choose`]: the one with the smallest estimate.
//!
//! Invariant: a choice is made among orders that are legal, and takes nothing away from what is said to be legal.

pub mod choose;
pub mod cost;
pub mod facts;
#[cfg(test)]
mod tests;
pub mod times;

pub use choose::{Advice, Chosen, choose};
pub use cost::Estimate;
pub use facts::Facts;
pub use times::{Choice, Component, Dimension, Order, Row};

/// What estimates rest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// Sizes of the data caches, in bytes, innermost first; 0 for none.
    pub caches: [u64; 3],
    /// Processors.
    pub processors: usize,
    /// Loops are taken to be so many times as long as in the profile.
    pub growth: u32,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine { caches: [32 << 10, 1 << 20, 32 << 20], processors: 1, growth: 1 }
    }
}

impl Machine {
    /// A machine with caches as far as they are known.
    pub fn new(caches: &[u64], processors: usize, growth: u32) -> Machine {
        let mut all = [0; 3];
        all.iter_mut().zip(caches).for_each(|(slot, bytes)| *slot = *bytes);
        Machine { caches: all, processors: processors.max(1), growth: growth.max(1) }
    }

    /// The innermost cache, from 1, that holds so many bytes.
    pub fn cache_for(&self, bytes: f64) -> Option<usize> {
        self.caches.iter().position(|&size| bytes <= size as f64).map(|at| at + 1)
    }
}
