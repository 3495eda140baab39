//! The threads of a kernel, and the warps that have any of them.

use num_traits::ToPrimitive;

use crate::control::LoopId;
use crate::device::Block;
use crate::recurrence::Forms;
use crate::symbolic::{Polynomial, Range};

/// The extents of a grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// Threads along x, y and z: iterations of the mapped loops, the most that there may be.
    pub extents: Vec<Option<Polynomial>>,
    block: Block,
}

impl Grid {
    /// That of a nest; `axes` are its loops by axis, x first, and `outermost` is the one around all others.
    pub fn new(forms: &mut Forms<'_>, axes: &[LoopId], outermost: LoopId, block: Block) -> Grid {
        let extent = |&id: &LoopId| {
            let trips = forms.trips(id);
            let exact = trips.iter().find(|trips| trips.exact)?;
            let header = forms.control.loops.get(id).header;
            match forms.ends(header, &exact.count, Some(outermost)) {
                Range::Between(_, upper) => upper.single().cloned(),
                Range::Unreached => Some(Polynomial::default()),
            }
        };
        Grid { extents: axes.iter().map(extent).collect(), block }
    }

    /// One of these extents along x, y and z.
    pub fn of(extents: [i64; 3], block: Block) -> Grid {
        Grid { extents: extents.map(|extent| Some(extent.into())).to_vec(), block }
    }

    /// Threads, those of the grid's edge that have nothing to do left out.
    pub fn threads(&self) -> Option<Polynomial> {
        self.extents.iter().try_fold(Polynomial::from(1), |all, extent| all.times(extent.as_ref()?))
    }

    /// The extents in numbers; axes that the nest does not have are one.
    pub fn numbers(&self) -> Option<[u64; 3]> {
        let mut numbers = [1; 3];
        for (number, extent) in numbers.iter_mut().zip(&self.extents) {
            *number = extent.as_ref()?.integer()?.max(0.into()).to_u64()?;
        }
        Some(numbers)
    }

    /// Warps with at least one thread inside of the grid.
    pub fn warps(&self) -> Option<u64> {
        let extents = self.numbers()?;
        let mut all = 0u64;
        // Blocks differ in how many of their threads are inside along each axis: all, or what is left at the edge.
        let kinds = |axis: usize| {
            let (extent, threads) = (extents[axis], u64::from(self.block.extent(axis)));
            [(extent / threads, threads), (u64::from(extent % threads > 0), extent % threads)]
        };
        for (x, width) in kinds(0) {
            for (y, height) in kinds(1) {
                for (z, depth) in kinds(2) {
                    let blocks = x.checked_mul(y)?.checked_mul(z)?;
                    let of_block = self.warps_within([width, height, depth]);
                    all = all.checked_add(blocks.checked_mul(of_block)?)?;
                }
            }
        }
        Some(all)
    }

    /// Warps of a block that have a thread before these places.
    fn warps_within(&self, ends: [u64; 3]) -> u64 {
        let is_inside =
            |thread: [u32; 3]| thread.iter().zip(ends).all(|(&place, end)| u64::from(place) < end);
        let has_lanes = |warp: &u32| self.block.lanes(*warp).any(is_inside);
        (0..self.block.warps()).filter(has_lanes).count() as u64
    }
}
