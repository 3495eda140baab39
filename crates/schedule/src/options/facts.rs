//! What the model of costs knows of statements: how often they run, and where their accesses go.

use profile::{Access, Profile};

use crate::nest::stride;

/// An access of a statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Touch {
    /// Bytes by which its address advances, per coordinate of the statement.
    pub strides: Vec<f64>,
    /// Bytes.
    pub size: f64,
    /// Smallest address, and the end of the largest.
    pub range: (f64, f64),
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// Its name in schedule trees.
    pub name: String,
    /// It does something.
    pub is_active: bool,
    /// How often it runs.
    pub executions: f64,
    /// How often what the coordinates begin in is entered.
    pub entries: f64,
    /// Instructions recorded in it, per execution.
    pub instructions: f64,
    /// Number of values of each of its coordinates, as observed.
    pub observed: Vec<i64>,
    /// By how much longer its loops are taken to be.
    pub growth: f64,
    /// Its accesses.
    pub touches: Vec<Touch>,
    /// It has no loops and calls inside.
    pub is_plain: bool,
}

impl Facts {
    /// The same with loops so many times as long, and rows of arrays as much longer: a stride that is as long as another loop
    /// with a smaller stride goes is one from row to row.
    pub fn grown(mut self, growth: u32) -> Facts {
        let factor = f64::from(growth.max(1));
        for touch in &mut self.touches {
            let old = touch.strides.clone();
            for (q, stride) in touch.strides.iter_mut().enumerate() {
                let is_inside = |r: &usize| {
                    let other = old[*r].abs();
                    *r != q
                        && other > 0.0
                        && other < old[q].abs()
                        && other * self.observed[*r] as f64 <= 2.0 * old[q].abs()
                };
                let inside = (0..old.len()).filter(is_inside).count();
                *stride *= factor.powi(i32::try_from(inside).unwrap_or(i32::MAX));
            }
        }
        self.executions *= factor.powi(i32::try_from(self.observed.len()).unwrap_or(i32::MAX));
        self.growth *= factor;
        self
    }

    /// The number of values that a coordinate is taken to have.
    pub fn extent(&self, coordinate: usize) -> f64 {
        self.growth * self.observed.get(coordinate).map_or(1.0, |&n| n as f64)
    }
}

/// Bytes taken for the stride of an access whose addresses are not affine: a page.
const UNKNOWN: f64 = 4096.0;

/// An access in coordinates that are linear in the counters from dimension `outer` on: per counter, what it advances the
/// coordinates by is `counters[q]`, its inverse image.
pub fn touch(access: &Access, outer: usize, counters: &[Vec<f64>]) -> Touch {
    let of_counter =
        |q: usize| stride(access, outer + q).map_or(UNKNOWN.max(f64::from(access.size)), |s| s as f64);
    let mut strides = vec![0.0; counters.len()];
    for (q, inverse) in counters.iter().enumerate() {
        let own = of_counter(q);
        strides.iter_mut().zip(inverse).for_each(|(sum, factor)| *sum += own * factor);
    }
    let size = f64::from(access.size);
    let ranges = || access.address.iter().filter_map(|folded| folded.ranges.first());
    let low = ranges().map(|r| r.0 as f64).fold(f64::INFINITY, f64::min);
    let high = ranges().map(|r| r.1 as f64 + size).fold(f64::NEG_INFINITY, f64::max);
    Touch { strides, size, range: if low < high { (low, high) } else { (0.0, size) } }
}

/// Every counter its own coordinate.
pub fn unit(dims: usize) -> Vec<Vec<f64>> {
    (0..dims).map(|q| (0..dims).map(|r| f64::from(u8::from(q == r))).collect()).collect()
}

/// Instructions that some blocks executed.
pub fn instructions(profile: &Profile, blocks: &[u32]) -> f64 {
    let all = blocks.iter().map(|&block| &profile.blocks[block as usize]);
    all.map(|block| block.executions as f64 * f64::from(block.count)).sum()
}

/// Number of values that the counters of a block took, from dimension `outer` on.
pub fn extents(profile: &Profile, block: u32, outer: usize) -> Vec<i64> {
    let mut out: Vec<i64> = Vec::new();
    for piece in profile.blocks[block as usize].domain.iter().flat_map(|folded| &folded.pieces) {
        for (q, (low, high)) in piece.extent().into_iter().skip(outer).enumerate() {
            let count = high.saturating_sub(low).saturating_add(1);
            match out.get_mut(q) {
                Some(most) => *most = count.max(*most),
                None => out.push(count),
            }
        }
    }
    out
}
