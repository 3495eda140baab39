//! Interned iteration vectors.
//!
//! An *instance* is an iteration vector with one free dimension, its lane. A [`Point`] names an iteration vector
//! as (instance, offset along the lane): 8 bytes instead of 64, and successive iterations differ only in the
//! offset. Offsets stay within ±2^30, so records longer than that are split before they get here.
//!
//! Vectors and lanes are kept apart: readers and writers that lie far back are looked up in no order, and a vector
//! alone is one cache line.

use crate::iv::{Iv, MAX_DIMS};

/// Largest offset along the lane that an instance serves.
pub(crate) const MAX_OFFSET: i64 = 1 << 30;

/// An interned iteration vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Point {
    pub inst: u32,
    pub k: i32,
}

/// A vector that does not straddle cache lines.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(Iv);

pub(crate) struct Arena {
    /// Vectors of the instances, at offset 0.
    vectors: Vec<Line>,
    lanes: Vec<u8>,
    /// Latest instance of each lane.
    current: [Option<u32>; MAX_DIMS],
    /// Latest vector entered without a lane, and the lane guessed for it.
    previous: Iv,
    guess: u8,
}

impl Arena {
    pub fn new() -> Arena {
        Arena {
            vectors: Vec::new(),
            lanes: Vec::new(),
            current: [None; MAX_DIMS],
            previous: Iv::ZERO,
            guess: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.lanes.len()
    }

    pub fn bytes(&self) -> usize {
        self.vectors.capacity() * size_of::<Line>() + self.lanes.capacity()
    }

    /// The point of `iv`; `lane` is the dimension about to advance. Without one, the last dimension that moved.
    #[inline]
    pub fn enter(&mut self, iv: &Iv, lane: Option<u8>) -> Point {
        let lane = match lane {
            Some(lane) => lane,
            None => {
                if let Some(d) = (0..MAX_DIMS).rev().find(|&d| iv.0[d] != self.previous.0[d]) {
                    self.guess = d as u8;
                    self.previous = *iv;
                }
                self.guess
            }
        };
        let l = usize::from(lane);
        if let Some(inst) = self.current[l] {
            let base = &self.vectors[inst as usize].0;
            let k = iv.0[l].wrapping_sub(base.0[l]);
            if (0..MAX_OFFSET).contains(&k) && (0..MAX_DIMS).all(|d| d == l || iv.0[d] == base.0[d]) {
                return Point { inst, k: k as i32 };
            }
        }
        let inst = self.push(*iv, lane);
        self.current[l] = Some(inst);
        Point { inst, k: 0 }
    }

    /// A point for `iv` in an instance that moves along `lane`.
    pub fn point(&mut self, iv: &Iv, lane: usize) -> Point {
        Point { inst: self.push(*iv, lane as u8), k: 0 }
    }

    fn push(&mut self, iv: Iv, lane: u8) -> u32 {
        let inst = u32::try_from(self.lanes.len()).expect("fewer than 2^32 live instances");
        self.vectors.push(Line(iv));
        self.lanes.push(lane);
        inst
    }

    #[inline]
    pub fn lane(&self, inst: u32) -> usize {
        usize::from(self.lanes[inst as usize])
    }

    #[inline]
    pub fn iv(&self, p: Point) -> Iv {
        let vector = &self.vectors[p.inst as usize].0;
        vector.advanced(self.lane(p.inst), i64::from(p.k))
    }

    /// The point at `p + n·step`; a new instance unless the step runs along the lane.
    pub fn moved(&mut self, p: Point, n: i64, step: &Iv) -> Point {
        if n == 0 || *step == Iv::ZERO {
            return p;
        }
        let lane = self.lane(p.inst);
        if step.is_along(lane) {
            let k = i64::from(p.k).wrapping_add(n.wrapping_mul(step.0[lane]));
            if (-MAX_OFFSET..=2 * MAX_OFFSET - 1).contains(&k) {
                return Point { inst: p.inst, k: k as i32 };
            }
        }
        let iv = self.iv(p).after(n, step);
        Point { inst: self.push(iv, lane as u8), k: 0 }
    }

    /// Drops the instances that `live` does not mark and returns the new number of each old one.
    pub fn compact(&mut self, live: &mut [bool]) -> Vec<u32> {
        for inst in self.current.into_iter().flatten() {
            live[inst as usize] = true;
        }
        let mut renumbered = vec![0; live.len()];
        let mut kept = 0;
        for old in 0..live.len() {
            if live[old] {
                self.vectors[kept] = self.vectors[old];
                self.lanes[kept] = self.lanes[old];
                renumbered[old] = kept as u32;
                kept += 1;
            }
        }
        self.vectors.truncate(kept);
        self.vectors.shrink_to(kept * 2);
        self.lanes.truncate(kept);
        self.lanes.shrink_to(kept * 2);
        for inst in self.current.iter_mut().flatten() {
            *inst = renumbered[*inst as usize];
        }
        renumbered
    }
}
