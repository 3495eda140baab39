//! What one thread touches: a start, and a stride and a count for each loop that it runs.
//!
//! The bytes of an access by thread (x, y) are those from a + bx·x + by·y + Σ cⱼ·kⱼ on, 0 ≤ kⱼ < Tⱼ, as many as the access has.
//! Neither strides nor counts change with the thread or with the kⱼ; else there is no such set. A count is that of iterations that
//! come to the access, as far as tests say: there may be fewer if the loop is left by other ways.

use std::fmt;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::coalescing::Way;
use crate::coalescing::numbers::replaced;
use crate::coalescing::offsets::has_rule;
use crate::control::LoopId;
use crate::device::Block;
use crate::ir::BlockId;
use crate::memory::Object;
use crate::recurrence::Forms;
use crate::symbolic::{AtomId, Polynomial, Prover, Range};

/// A loop that a thread runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dimension {
    /// The loop.
    pub id: LoopId,
    /// Bytes from an iteration to the next, written with a positive sign: a loop that goes backwards is taken from its end.
    pub step: Polynomial,
    /// Iterations.
    pub count: Polynomial,
}

/// What a thread touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The object.
    pub object: Object,
    /// What it is called in the source.
    pub name: String,
    /// The address at which it starts.
    pub base: Polynomial,
    /// The first byte of the first thread, if all counts are positive.
    pub start: Polynomial,
    /// Bytes from a thread to its neighbours, one per axis of the grid, x first.
    pub threads: Vec<Polynomial>,
    /// The loops inside that the address changes with, outermost first.
    pub inside: Vec<Dimension>,
    /// Bytes of the access.
    pub size: u32,
}

/// Why what a thread touches is no such set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shapeless {
    /// Offsets are not linear in an iteration.
    NotLinear,
    /// Threads differ by values without a rule.
    Gathered,
    /// How often a loop inside runs is not known, or differs between threads.
    Count,
    /// Elements lie over each other, or two loops move along one direction.
    Overlaps,
    /// Accesses of one pointer have different strides or counts.
    Several,
}

impl fmt::Display for Shapeless {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Shapeless::NotLinear => "offsets are not linear in the iterations",
            Shapeless::Gathered => "threads differ by values without a rule",
            Shapeless::Count => "how often a loop inside runs is not known, or differs between threads",
            Shapeless::Overlaps => "elements are not those of a matrix, each touched once",
            Shapeless::Several => "accesses of different strides or counts",
        })
    }
}

/// Most starts of accesses that are looked at one by one.
const MOST: u64 = 1 << 16;

/// A dimension run through from its other end if its stride is written with a negative sign: the same set. Moves the start
/// there; `None` where that gets too large.
fn forwards(dimension: Dimension, start: &mut Polynomial) -> Option<Dimension> {
    let is_negative = dimension.step.terms().last().is_some_and(|term| term.1.is_negative());
    if !is_negative {
        return Some(dimension);
    }
    let last = &dimension.count - &Polynomial::from(1);
    *start = &*start + &dimension.step.times(&last)?;
    Some(Dimension { step: -&dimension.step, ..dimension })
}

impl Section {
    /// What a thread touches by an access of so many bytes in a block. `axes` are the loops of the grid, x first; `numbers`
    /// stand for atoms of counts, as they do for those of the offset already.
    pub fn new(
        forms: &mut Forms<'_>,
        axes: &[LoopId],
        block: BlockId,
        way: &Way,
        size: u32,
        numbers: &[(AtomId, BigInt)],
    ) -> Result<Section, Shapeless> {
        let inner: Vec<LoopId> =
            forms.control.loops.around(block).take_while(|id| !axes.contains(id)).collect();
        let of_grid: Vec<AtomId> = axes.iter().map(|&id| forms.iteration(id)).collect();
        let of_thread: Vec<AtomId> = inner.iter().map(|&id| forms.iteration(id)).collect();
        let mut start = way.offset.clone();
        let mut steps = Vec::new();
        for &atom in of_grid.iter().chain(&of_thread) {
            if start.degree_in(atom) > 1 {
                return Err(Shapeless::NotLinear);
            }
            let step = start.coefficient(atom, 1);
            start = start.coefficient(atom, 0);
            steps.push(step);
        }
        let loops: Vec<LoopId> = axes.iter().chain(&inner).copied().collect();
        if loops.iter().any(|&id| !has_rule(forms, &way.offset, id)) {
            return Err(Shapeless::Gathered);
        }
        let is_uniform =
            |forms: &Forms<'_>, part: &Polynomial| loops.iter().all(|&id| forms.is_uniform(part, id));
        if !std::iter::once(&start).chain(&steps).all(|part| is_uniform(forms, part)) {
            return Err(Shapeless::NotLinear);
        }
        let mut inside = Vec::new();
        let of_loops = steps.split_off(axes.len());
        for (&id, step) in inner.iter().zip(of_loops).rev().filter(|(_, step)| !step.is_zero()) {
            let lasts = forms.last_iterations(id, block);
            let [last] = lasts.as_slice() else { return Err(Shapeless::Count) };
            let count = last + &Polynomial::from(1);
            let count = replaced(forms, &count, numbers).ok_or(Shapeless::Count)?;
            if !is_uniform(forms, &count) {
                return Err(Shapeless::Count);
            }
            inside.push(forwards(Dimension { id, step, count }, &mut start).ok_or(Shapeless::Count)?);
        }
        let (object, name, base) = (way.object, way.name.clone(), way.base.clone());
        Ok(Section { object, name, base, start, threads: steps, inside, size })
    }

    /// Whether another one differs in its start and size alone.
    pub fn has_shape_of(&self, other: &Section) -> bool {
        self.base == other.base && self.threads == other.threads && self.inside == other.inside
    }

    /// From the first byte that a block's threads touch to behind the last one, for the first block; `None` if a sign is not proved.
    pub fn hull(&self, block: Block, prover: &Prover<'_>) -> Option<Range> {
        let (mut lower, mut upper) = (self.start.clone(), &self.start + &i64::from(self.size).into());
        let extents = (0..).map(|axis| Polynomial::from(i64::from(block.extent(axis))));
        let threads = self.threads.iter().cloned().zip(extents);
        let inside = self.inside.iter().map(|dimension| (dimension.step.clone(), dimension.count.clone()));
        for (stride, count) in threads.chain(inside) {
            let last = stride.times(&(&count - &Polynomial::from(1)))?;
            if prover.is_not_negative(&stride) {
                upper = &upper + &last;
            } else if prover.is_not_negative(&-&stride) {
                lower = &lower + &last;
            } else {
                return None;
            }
        }
        Some(Range::Between(lower.into(), upper.into()))
    }

    /// The bytes that a thread touches, from its first start, ascending; `None` without numbers for all strides and counts, or
    /// if there are too many.
    pub fn bytes(&self) -> Option<Vec<i128>> {
        let mut starts = vec![0i128];
        for dimension in &self.inside {
            let (step, count) = (dimension.step.integer()?.to_i64()?, dimension.count.integer()?);
            let count = count.to_i64()?.max(0) as u64;
            let all = count.checked_mul(starts.len() as u64)?.checked_mul(u64::from(self.size))?;
            if all > MOST {
                return None;
            }
            let places = 0..i128::from(count);
            starts = places
                .flat_map(|k| starts.iter().map(move |s| s + k * i128::from(step)).collect::<Vec<_>>())
                .collect();
        }
        let size = i128::from(self.size);
        let mut bytes: Vec<i128> = starts.iter().flat_map(|&start| start..start + size).collect();
        bytes.sort_unstable();
        bytes.dedup();
        Some(bytes)
    }

    /// How many bytes a thread and its neighbour along an axis touch both, by looking at all of them.
    pub fn common_bytes(&self, axis: usize) -> Option<u64> {
        let shift = i128::from(self.threads.get(axis)?.integer()?.to_i64()?);
        let bytes = self.bytes()?;
        let common = bytes.iter().filter(|&byte| bytes.binary_search(&(byte + shift)).is_ok());
        Some(common.count() as u64)
    }
}
