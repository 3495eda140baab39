//! What stores certainly write: sections every byte of which is written whenever every loop around the stores runs at least once.
//!
//! A store is *made always* if it is made in every iteration of the loops around it, and these end by their one test alone. The bytes
//! that it writes are those from a start on, at all sums of multiples of its steps, one step for each loop. Stores in the same
//! loops, with the same steps, write together what lies in each iteration between the first byte of the first one and the last
//! byte of the last one, if there are no holes between them. That is whole over all iterations if the steps fit: each as long as
//! what the loops within it cover.

use num_bigint::BigInt;

use super::list::Access;
use crate::control::LoopId;
use crate::ir::{BlockId, Operation};
use crate::memory::Object;
use crate::recurrence::{Forms, Reading};
use crate::symbolic::{Polynomial, Range};

/// A loop around a store: the bytes that it moves the address on by, and how often it goes on.
type Step = (Polynomial, Polynomial);

/// A store that is always made.
#[derive(Debug, Clone)]
pub(super) struct Store {
    /// The loops around it, innermost first.
    around: Vec<LoopId>,
    steps: Vec<Step>,
    /// The first byte that it writes, if all iterations are the first ones.
    first: Polynomial,
    /// Bytes that it writes at once.
    size: BigInt,
    /// All that it writes, and what may lie between.
    bytes: Range,
}

impl Store {
    /// A store to an object with the bytes that it may write; `None` if it is not always made, or where that is not known.
    pub(super) fn new(
        forms: &mut Forms<'_>,
        access: &Access,
        object: Object,
        within: Option<LoopId>,
        bytes: Range,
    ) -> Option<Store> {
        let around = loops_of_each_iteration(forms, access.block, within)?;
        let start = forms.start_of(object)?;
        let mut first = &forms.of_at(access.block, access.address, Reading::Unsigned)? - &start;
        let mut steps = Vec::new();
        for &id in &around {
            let trips = forms.trips(id);
            let count = trips.iter().find(|trips| trips.exact)?.count.clone();
            let atom = forms.iteration(id);
            let step = first.coefficient(atom, 1);
            first = &first - &step.times(&atom.into())?;
            steps.push((step, count));
        }
        // What is left changes with none of these loops, steps and counts neither.
        let is_fixed = |of: &Polynomial| around.iter().all(|&id| forms.is_fixed(of, id));
        let all_fixed =
            is_fixed(&first) && steps.iter().all(|(step, count)| is_fixed(step) && is_fixed(count));
        let size = BigInt::from(access.bytes?);
        all_fixed.then_some(Store { around, steps, first, size, bytes })
    }

    /// How many bytes behind the first one of another store it begins, if both are made in the same iterations.
    fn behind(&self, other: &Store) -> Option<BigInt> {
        let is_alike = (&self.around, &self.steps) == (&other.around, &other.steps);
        (&self.first - &other.first).integer().filter(|_| is_alike)
    }
}

/// A section that stores certainly write, the first such one that is found: that of as many stores as possible.
pub(super) fn certain(stores: &[Store]) -> Option<Range> {
    stores.iter().find_map(|store| {
        let mut parts: Vec<(BigInt, &Store)> =
            stores.iter().filter_map(|other| Some((other.behind(store)?, other))).collect();
        parts.sort_by(|a, b| a.0.cmp(&b.0));
        let mut covered: Vec<(BigInt, BigInt, Range)> = Vec::new();
        for (start, part) in parts {
            let end = &start + &part.size;
            match covered.last_mut() {
                // No byte between what is written so far and this one.
                Some(last) if start <= last.1 => {
                    last.1 = end.max(last.1.clone());
                    last.2 = hull(&last.2, &part.bytes);
                }
                _ => covered.push((start, end, part.bytes.clone())),
            }
        }
        let is_all = |(start, end, bytes): &(BigInt, BigInt, Range)| {
            // What may be written is no more than that.
            extent(bytes).is_some_and(|all| Some(all) == whole(&store.steps, &(end - start).into()))
        };
        covered.into_iter().find(is_all).map(|found| found.2)
    })
}

/// Bytes from one end of a section to the other.
fn extent(of: &Range) -> Option<Polynomial> {
    match of {
        Range::Between(lower, upper) => Some(upper.single()? - lower.single()?),
        Range::Unreached => None,
    }
}

/// The union of the sections of two stores that begin a number of bytes from each other in each iteration: the ends are as far apart.
fn hull(a: &Range, b: &Range) -> Range {
    let (Range::Between(a_low, a_high), Range::Between(b_low, b_high)) = (a, b) else { return a.union(b) };
    let ends = |a: &crate::symbolic::Bound, b: &crate::symbolic::Bound| {
        let (a, b) = (a.single()?, b.single()?);
        Some((a.clone(), (b - a).integer()?))
    };
    let both = ends(a_low, b_low).zip(ends(a_high, b_high));
    let Some(((low, to_low), (high, to_high))) = both else { return a.union(b) };
    let zero = BigInt::default();
    let low = &low + &to_low.min(zero.clone()).into();
    let high = &high + &to_high.max(zero).into();
    Range::between(low, high)
}

/// The loops around a block, up to one of them, if the block is reached in each of their iterations, and the outermost one in any case.
pub(super) fn loops_of_each_iteration(
    forms: &Forms<'_>,
    block: BlockId,
    within: Option<LoopId>,
) -> Option<Vec<LoopId>> {
    let loops = &forms.control.loops;
    let outside = within.and_then(|id| loops.get(id).parent);
    let around: Vec<LoopId> = loops.around(block).take_while(|&id| Some(id) != outside).collect();
    let mut at = block;
    for &id in &around {
        let found = loops.get(id);
        if !found.latches.iter().all(|&latch| forms.control.dominators.dominates(at, latch)) {
            return None;
        }
        at = found.header;
    }
    let is_always_made = within.is_some()
        || ends_of_function(forms).iter().all(|&end| forms.control.dominators.dominates(at, end));
    is_always_made.then_some(around)
}

/// Blocks in which the function ends.
fn ends_of_function(forms: &Forms<'_>) -> Vec<BlockId> {
    let is_end = |block: &BlockId| {
        let last = forms.function.block(*block).last().map(|last| &last.operation);
        forms.control.is_reached(*block) && matches!(last, Some(Operation::Return(_)))
    };
    forms.function.block_ids().filter(is_end).collect()
}

/// How many bytes steps cover if so many are written in each iteration; `None` if there are holes between them.
fn whole(steps: &[Step], bytes: &Polynomial) -> Option<Polynomial> {
    let (mut open, mut covered) = (steps.to_vec(), bytes.clone());
    while !open.is_empty() {
        let next = open.iter().position(|(step, _)| *step == covered || *step == -&covered)?;
        covered = covered.times(&open.remove(next).1)?;
    }
    Some(covered)
}
