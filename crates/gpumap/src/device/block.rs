//! Blocks of threads, and which threads are the lanes of a warp.
//!
//! Threads are numbered with x running fastest, then y, then z; a warp is 32 consecutive numbers (CUDA C++ Programming Guide,
//! "Thread Hierarchy"). If x is a multiple of 32, a warp lies in one row.

use std::fmt;
use std::str::FromStr;

use super::WARP;

/// Most threads of a block, on every device.
const MOST: u32 = 1024;

/// Threads of a block along x, y and z; at least one each, at most 1024 in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Block([u32; 3]);

/// What is no block.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// It is not written as up to three numbers with `x` between them.
    #[error("a block is written as 32, 32x8 or 8x8x4, not as {0}")]
    Form(String),
    /// It has no threads, or too many.
    #[error("a block has from 1 to {MOST} threads, not {0}")]
    Size(String),
}

impl Block {
    /// A block of these extents.
    pub fn new(x: u32, y: u32, z: u32) -> Result<Block, BlockError> {
        let threads = x.checked_mul(y).and_then(|area| area.checked_mul(z));
        match threads {
            Some(1..=MOST) => Ok(Block([x, y, z])),
            _ => Err(BlockError::Size(format!("{x}x{y}x{z}"))),
        }
    }

    /// Threads along an axis: 0 is x. Axes beyond z have one.
    pub fn extent(self, axis: usize) -> u32 {
        self.0.get(axis).copied().unwrap_or(1)
    }

    /// Threads.
    pub fn threads(self) -> u32 {
        self.0.iter().product()
    }

    /// Warps; the last one may be short of lanes.
    pub fn warps(self) -> u32 {
        self.threads().div_ceil(WARP)
    }

    /// Whether every warp is 32 consecutive threads of one row.
    pub fn has_whole_rows(self) -> bool {
        self.0[0].is_multiple_of(WARP)
    }

    /// The threads of a warp, lane by lane.
    pub fn lanes(self, warp: u32) -> impl Iterator<Item = [u32; 3]> {
        let first = warp.saturating_mul(WARP);
        let [x, y, _] = self.0;
        (first..first.saturating_add(WARP).min(self.threads()))
            .map(move |thread| [thread % x, thread / x % y, thread / x / y])
    }
}

impl Default for Block {
    /// 32 × 8.
    fn default() -> Block {
        Block([32, 8, 1])
    }
}

impl FromStr for Block {
    type Err = BlockError;

    fn from_str(text: &str) -> Result<Block, BlockError> {
        let wrong = || BlockError::Form(text.to_owned());
        let mut extents = [1; 3];
        let mut parts = text.split('x');
        for (place, part) in parts.by_ref().enumerate() {
            *extents.get_mut(place).ok_or_else(wrong)? = part.parse().map_err(|_| wrong())?;
        }
        let [x, y, z] = extents;
        Block::new(x, y, z)
    }
}

impl fmt::Display for Block {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        if z == 1 { write!(to, "{x}x{y}") } else { write!(to, "{x}x{y}x{z}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_and_written() {
        for (text, shown) in [("32", "32x1"), ("32x8", "32x8"), ("8x8x4", "8x8x4")] {
            assert_eq!(text.parse::<Block>().map(|block| block.to_string()), Ok(shown.to_owned()));
        }
        for text in ["", "x", "32x", "-1", "32x8x1x1", "32 x 8"] {
            assert_eq!(text.parse::<Block>(), Err(BlockError::Form(text.to_owned())));
        }
        for text in ["0x4", "1024x2", "65536x65536x65536"] {
            assert!(matches!(text.parse::<Block>(), Err(BlockError::Size(_))), "{text}");
        }
    }

    #[test]
    fn lanes_cross_rows_of_narrow_blocks() {
        let lanes = |block: Block, warp| block.lanes(warp).collect::<Vec<_>>();
        let narrow = Block([24, 2, 1]);
        assert_eq!((narrow.warps(), narrow.has_whole_rows()), (2, false));
        assert_eq!(lanes(narrow, 0)[23..25], [[23, 0, 0], [0, 1, 0]]);
        assert_eq!(lanes(narrow, 1).len(), 16);
        assert!(lanes(narrow, 2).is_empty());
        assert_eq!(lanes(Block::default(), 3)[0], [0, 3, 0]);
        assert_eq!(lanes(Block([4, 4, 4]), 1)[0], [0, 0, 2]);
    }
}
