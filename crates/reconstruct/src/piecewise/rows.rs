//! The trace as runs of one stride, in little memory.
//!
//! Few runs are kept as they are. Many are kept as blocks of neighbours that advance by a constant start and count, as
//! the rows of a tile do; a directory leads to the block of a run. The blocks say the same runs exactly.

use std::ops::Range;

/// Runs that are kept as they are.
const PLAIN: usize = 1 << 20;
/// Runs for every entry of the directory.
const ENTRY: usize = 32;

/// The trace as runs of one stride.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// Difference of neighbours inside runs.
    pub stride: i64,
    /// First integer and number of integers per run.
    plain: Vec<(i64, i64)>,
    /// All runs, once they are many.
    packed: Option<Packed>,
}

/// Many runs.
#[derive(Debug, Clone, Default)]
struct Packed {
    len: usize,
    blocks: Vec<Block>,
    /// The block of every run whose number is a multiple of [`ENTRY`].
    directory: Vec<u32>,
}

/// Neighbouring runs that advance by constants.
#[derive(Debug, Clone, Copy)]
struct Block {
    start: i64,
    count: i64,
    /// Advance of the start.
    along: i64,
    /// Advance of the count.
    longer: i32,
    /// Number of the first run.
    first: u32,
}

impl Block {
    #[inline]
    fn run(&self, i: usize) -> (i64, i64) {
        let k = (i - self.first as usize) as i64;
        let start = self.start.wrapping_add(self.along.wrapping_mul(k));
        (start, self.count.wrapping_add(i64::from(self.longer).wrapping_mul(k)))
    }
}

impl Packed {
    fn push(&mut self, run: (i64, i64)) {
        let n = self.len;
        self.len += 1;
        let continued = match self.blocks.last_mut() {
            Some(last) if n == last.first as usize + 1 => {
                let longer = i32::try_from(run.1.wrapping_sub(last.count));
                if let Ok(longer) = longer {
                    (last.along, last.longer) = (run.0.wrapping_sub(last.start), longer);
                }
                longer.is_ok()
            }
            Some(last) => last.run(n) == run,
            None => false,
        };
        if !continued {
            let (start, count) = run;
            self.blocks.push(Block { start, count, along: 0, longer: 0, first: n as u32 });
        }
        if n.is_multiple_of(ENTRY) {
            self.directory.push(self.blocks.len() as u32 - 1);
        }
    }

    #[inline]
    fn block(&self, i: usize) -> usize {
        let mut block = self.directory[i / ENTRY] as usize;
        while self.blocks.get(block + 1).is_some_and(|next| next.first as usize <= i) {
            block += 1;
        }
        block
    }

    fn pairs(&self, Range { start, end }: Range<usize>) -> impl Iterator<Item = (i64, i64)> + '_ {
        let first = if start < end { self.block(start) } else { self.blocks.len() };
        let blocks = self.blocks[first..].iter().take_while(move |block| (block.first as usize) < end);
        blocks.enumerate().flat_map(move |(k, block)| {
            let next = self.blocks.get(first + k + 1).map_or(self.len, |next| next.first as usize);
            (start.max(block.first as usize)..end.min(next)).map(move |i| block.run(i))
        })
    }
}

impl Rows {
    /// No runs yet.
    pub fn new(stride: i64) -> Rows {
        Rows { stride, ..Rows::default() }
    }

    /// Adds a run.
    #[inline]
    pub fn push(&mut self, start: i64, count: i64) {
        match &mut self.packed {
            Some(packed) => packed.push((start, count)),
            None if self.plain.len() < PLAIN => self.plain.push((start, count)),
            None => {
                let mut packed = Packed::default();
                std::mem::take(&mut self.plain).into_iter().for_each(|run| packed.push(run));
                packed.push((start, count));
                self.packed = Some(packed);
            }
        }
    }

    /// Number of runs.
    #[inline]
    pub fn len(&self) -> usize {
        self.packed.as_ref().map_or(self.plain.len(), |packed| packed.len)
    }

    /// A run that there is: its first integer and how many there are.
    #[inline]
    pub fn run(&self, i: usize) -> (i64, i64) {
        match &self.packed {
            None => self.plain[i],
            Some(packed) => packed.blocks[packed.block(i)].run(i),
        }
    }

    /// First integer of a run.
    #[inline]
    pub fn start(&self, i: usize) -> i64 {
        self.run(i).0
    }

    /// Number of integers of a run.
    #[inline]
    pub fn count(&self, i: usize) -> i64 {
        self.run(i).1
    }

    /// Last integer of a run.
    #[inline]
    pub fn last(&self, i: usize) -> i64 {
        let (start, count) = self.run(i);
        start.wrapping_add(self.stride.wrapping_mul(count - 1))
    }

    /// The runs as pairs.
    pub fn pairs(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        self.pairs_in(0..self.len())
    }

    /// Some of the runs as pairs.
    pub fn pairs_in(&self, range: Range<usize>) -> impl Iterator<Item = (i64, i64)> + '_ {
        let plain = if self.packed.is_none() { &self.plain[range.clone()] } else { &[] };
        let packed = self.packed.as_ref().map(|packed| packed.pairs(range));
        plain.iter().copied().chain(packed.into_iter().flatten())
    }

    /// Some of the runs.
    pub fn slice(&self, range: Range<usize>) -> Rows {
        let mut rows = Rows::new(self.stride);
        self.pairs_in(range).for_each(|(start, count)| rows.push(start, count));
        rows
    }

    /// The same integers in the opposite order.
    pub fn reversed(&self) -> Rows {
        let mut rows = Rows::new(self.stride.wrapping_neg());
        (0..self.len()).rev().for_each(|i| rows.push(self.last(i), self.count(i)));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of tiles, with an odd one now and then.
    fn run(i: usize) -> (i64, i64) {
        let (tile, row) = ((i / 7) as i64, (i % 7) as i64);
        (
            tile * 1000 + row * 50,
            match i {
                700 => 1 << 40,
                _ if i.is_multiple_of(1013) => 9,
                _ => 4 + row,
            },
        )
    }

    #[test]
    fn many_runs_are_the_same_as_few() {
        let mut rows = Rows::new(3);
        let n = PLAIN + 5000;
        for i in 0..n {
            rows.push(run(i).0, run(i).1);
        }
        assert!(rows.packed.is_some() && rows.plain.is_empty());
        assert_eq!(rows.len(), n);
        assert!((0..n).all(|i| rows.run(i) == run(i)));
        assert!(rows.pairs().eq((0..n).map(run)));
        for range in [0..0, 5..6, 1000..3000, PLAIN - 3..n] {
            assert!(rows.pairs_in(range.clone()).eq(range.clone().map(run)), "{range:?}");
            let slice = rows.slice(range.clone());
            assert_eq!(slice.len(), range.len());
            assert!(slice.pairs().eq(range.map(run)));
        }
        let reversed = rows.reversed();
        assert_eq!((reversed.stride, reversed.run(0)), (-3, (rows.last(n - 1), run(n - 1).1)));
        assert!(rows.packed.is_some_and(|p| p.blocks.len() < n / 3));
    }
}
