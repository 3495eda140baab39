//! The hottest regions of a program.
//!
//! A region is an outermost loop of the program's own functions in one context, with all that runs inside it, called
//! functions included.

use profile::{ContextIndex, ContextKind, Profile};
use rustc_hash::FxHashSet;

use crate::SourceLoop;

/// A region.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Its outermost loop, as an index into the loops of the source.
    pub outermost: usize,
    /// The same loop's contexts.
    pub contexts: Vec<ContextIndex>,
    /// Instructions executed inside.
    pub instructions: u64,
    /// Their share of all that were recorded.
    pub share: f64,
}

/// The outermost loops of the program's own functions with at least this share of the instructions, hottest first. A loop
/// that only calls, or whose region cannot be scheduled, is one too.
pub fn hottest(loops: &[SourceLoop], share: f64) -> Vec<Region> {
    let is_inside_own = |at: usize| {
        std::iter::successors(loops[at].parent, |&p| loops[p].parent)
            .any(|p| loops[p].main && !loops[p].recursive)
    };
    let mut regions: Vec<Region> = loops
        .iter()
        .enumerate()
        .filter(|&(at, l)| l.main && !l.recursive && l.share >= share && !is_inside_own(at))
        .map(|(at, l)| Region {
            outermost: at,
            contexts: l.contexts.clone(),
            instructions: l.instructions,
            share: l.share,
        })
        .collect();
    regions.sort_by(|a, b| b.instructions.cmp(&a.instructions).then(a.outermost.cmp(&b.outermost)));
    regions
}

/// All contexts inside some loops, these included.
pub fn inside(profile: &Profile, loops: &[ContextIndex]) -> FxHashSet<ContextIndex> {
    let mut out: FxHashSet<ContextIndex> = loops.iter().copied().collect();
    for (index, context) in profile.contexts.iter().enumerate().skip(1) {
        // Parents stand before children.
        if out.contains(&context.parent) && context.kind != ContextKind::Root {
            out.insert(index as ContextIndex);
        }
    }
    out
}
