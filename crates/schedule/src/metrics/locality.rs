//! Strides and the data a region touches.

use profile::{Access, ContextIndex, Profile};
use rustc_hash::FxHashSet;

use super::within;
use crate::SourceLoop;
use crate::graph::{dimension, inside};
use crate::nest::{Contiguous, Innermost};
use crate::propose::Region;

/// Shares of loads and stores with a stride of 0 or one element; `None` without any in a loop.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Reuse {
    /// Along the innermost loop around each: %reuse.
    pub present: Option<f64>,
    /// Along the best loop that may be made innermost: %Preuse.
    pub best: Option<f64>,
}

/// Computes the shares for the program's own code in a region, nest by nest.
pub fn reuse(profile: &Profile, loops: &[SourceLoop], innermost: &Innermost, region: &Region) -> Reuse {
    let (mut present, mut best) = (Contiguous::default(), Contiguous::default());
    for at in within(loops, region).filter(|&at| loops[at].main) {
        let candidates = candidates(profile, loops, innermost, at);
        candidates.first().into_iter().for_each(|(_, here)| present.join(here));
        if let Some((_, candidate)) = best_of(&candidates) {
            best.join(candidate);
        }
    }
    Reuse { present: present.share(), best: best.share() }
}

/// The loop of the band that an innermost one belongs to along which most of its accesses stay or go on to the next element,
/// and their share; the innermost one itself where no other is better.
pub fn best_innermost(
    profile: &Profile,
    loops: &[SourceLoop],
    innermost: &Innermost,
    at: usize,
) -> (usize, Option<f64>) {
    let candidates = candidates(profile, loops, innermost, at);
    best_of(&candidates).map_or((at, None), |(loop_, candidate)| (*loop_, candidate.share()))
}

/// A loop, and the loops of its band around it, each with the accesses directly in the loop counted along it.
fn candidates(
    profile: &Profile,
    loops: &[SourceLoop],
    innermost: &Innermost,
    at: usize,
) -> Vec<(usize, Contiguous)> {
    // Along the loop so many levels further out.
    let along = |up: usize| {
        let mut out = Contiguous::default();
        for &context in &loops[at].contexts {
            let dim = dimension(profile, context).saturating_sub(up);
            let own = innermost.of(context).iter().map(|&access| &profile.accesses[access as usize]);
            own.for_each(|access| out.add(profile, access, dim));
        }
        out
    };
    let mut out = vec![(at, along(0))];
    let mut outer = at;
    while let Some(parent) = loops[outer].parent.filter(|_| loops[outer].permutable_with_parent) {
        out.push((parent, along(loops[at].depth - loops[parent].depth)));
        outer = parent;
    }
    out
}

/// The candidate with the largest share, the first of equal ones.
fn best_of(candidates: &[(usize, Contiguous)]) -> Option<&(usize, Contiguous)> {
    let share = |candidate: &(usize, Contiguous)| candidate.1.share().unwrap_or(0.0);
    candidates.iter().rev().max_by(|a, b| share(a).total_cmp(&share(b)))
}

/// Bytes between the smallest and the largest address of each operand in a region, counted once where operands overlap: the
/// most that it can touch.
pub fn footprint(profile: &Profile, region: &Region) -> u64 {
    let contexts: FxHashSet<ContextIndex> = inside(profile, &region.contexts);
    let here =
        |access: &&Access| access.executions > 0 && contexts.contains(&profile.context_of(access.statement));
    let mut ranges: Vec<(i64, i64)> = Vec::new();
    for access in profile.accesses.iter().filter(here) {
        let size = i64::from(access.size);
        let of = access.address.iter().filter_map(|folded| folded.ranges.first());
        ranges.extend(of.map(|&(low, high)| (low, high.saturating_add(size))));
    }
    union(ranges)
}

/// Length of a union of half-open ranges.
pub(crate) fn union(mut ranges: Vec<(i64, i64)>) -> u64 {
    ranges.sort_unstable();
    let (mut total, mut end) = (0u64, i64::MIN);
    for (low, high) in ranges {
        let low = low.max(end);
        if high > low {
            total = total.saturating_add(high.abs_diff(low));
            end = high;
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_ranges_count_once() {
        assert_eq!(union(vec![(8, 16), (0, 10), (20, 24), (21, 22)]), 20);
        assert_eq!(union(vec![(i64::MIN, i64::MAX)]), u64::MAX);
        assert_eq!(union(Vec::new()), 0);
    }
}
