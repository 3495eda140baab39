//! How many blocks a multiprocessor holds at once.
//!
//! The least of what its limits of blocks, of warps and of shared memory allow; what a block asks for is rounded up to the unit
//! of allocation, with what the system takes. Registers may allow less.

use super::{Block, Device};

/// What keeps more blocks from being held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The number of blocks.
    Blocks,
    /// The number of warps, which is that of threads.
    Warps,
    /// Shared memory.
    Shared,
}

/// How full a multiprocessor gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// Blocks at once.
    pub blocks: u32,
    /// Warps at once.
    pub warps: u32,
    /// Most warps that there could be.
    pub most_warps: u32,
    /// What keeps it from more.
    pub limit: Limit,
}

/// Why a block cannot run on a device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OccupancyError {
    /// It has too many threads.
    #[error("a block of {needed} threads does not run on {device}, which allows {most}")]
    Threads {
        /// Its threads.
        needed: u32,
        /// The most that there may be.
        most: u32,
        /// The device.
        device: &'static str,
    },
    /// It needs too much shared memory.
    #[error("{needed} bytes of shared memory per block are more than the {most} of {device}")]
    Shared {
        /// Bytes.
        needed: u64,
        /// The most that there may be.
        most: u32,
        /// The device.
        device: &'static str,
    },
}

impl Device {
    /// The most blocks that a multiprocessor holds of which each needs so many bytes of shared memory.
    pub fn occupancy(&self, block: Block, shared: u64) -> Result<Occupancy, OccupancyError> {
        if block.threads() > self.threads_per_block {
            let (needed, most) = (block.threads(), self.threads_per_block);
            return Err(OccupancyError::Threads { needed, most, device: self.name });
        }
        let bytes = u32::try_from(shared).ok().filter(|bytes| *bytes <= self.shared_per_block);
        let Some(bytes) = bytes else {
            let (needed, most) = (shared, self.shared_per_block);
            return Err(OccupancyError::Shared { needed, most, device: self.name });
        };
        let taken = (bytes + self.shared_reserved).next_multiple_of(self.shared_unit);
        let by_shared = self.shared_per_multiprocessor.checked_div(taken);
        let by_warps = self.warps_per_multiprocessor / block.warps();
        let mut least = (self.blocks_per_multiprocessor, Limit::Blocks);
        for (blocks, limit) in [(Some(by_warps), Limit::Warps), (by_shared, Limit::Shared)] {
            if let Some(blocks) = blocks.filter(|blocks| *blocks < least.0) {
                least = (blocks, limit);
            }
        }
        let (blocks, limit) = least;
        Ok(Occupancy {
            blocks,
            warps: blocks * block.warps(),
            most_warps: self.warps_per_multiprocessor,
            limit,
        })
    }
}

impl Occupancy {
    /// Percent of the most warps, rounded down.
    pub fn percent(self) -> u32 {
        (self.warps * 100).checked_div(self.most_warps).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(device: &str, block: &str, shared: u64) -> Option<(u32, u32, Limit)> {
        let found = Device::named(device).ok()?.occupancy(block.parse().ok()?, shared).ok()?;
        Some((found.blocks, found.percent(), found.limit))
    }

    #[test]
    fn each_limit_counts() {
        assert_eq!(of("sm_90", "32x8", 1080), Some((8, 100, Limit::Warps)));
        assert_eq!(of("sm_90", "32x1", 0), Some((32, 50, Limit::Blocks)));
        // 12 KiB and 1 KiB that the system takes: 228 / 13.
        assert_eq!(of("sm_90", "32x1", 12 * 1024), Some((17, 26, Limit::Shared)));
        // A multiprocessor of fermi holds 48 KiB: two blocks of 20 KiB.
        assert_eq!(of("fermi", "16x16", 20 * 1024), Some((2, 33, Limit::Shared)));
        assert_eq!(of("sm_70", "1024", 96 * 1024), Some((1, 50, Limit::Shared)));
        // 257 bytes take 512 there.
        assert_eq!(of("sm_75", "32", 4 * 1024 + 1), Some((15, 46, Limit::Shared)));
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let device = Device::named("sm_86").ok();
        let too_much = device.map(|device| device.occupancy(Block::default(), 100 * 1024));
        let expected = OccupancyError::Shared { needed: 102_400, most: 101_376, device: "sm_86" };
        assert_eq!(too_much, Some(Err(expected)));
    }
}
