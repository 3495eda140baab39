//! The hottest regions of a program.
//!
//! A region is an outermost loop of the program's own functions in one context, with all that runs inside it, called
//! functions included.

use profile::ContextIndex;

use crate::SourceLoop;
use crate::select::{Unknown, select};

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
    let is_chosen = |at: usize| {
        let l = &loops[at];
        l.main && !l.recursive && l.share >= share && !is_inside_own(at)
    };
    sorted(loops, is_chosen)
}

/// The region around one loop.
pub fn around(loops: &[SourceLoop], outermost: usize) -> Region {
    let l = &loops[outermost];
    Region { outermost, contexts: l.contexts.clone(), instructions: l.instructions, share: l.share }
}

/// The regions that a person names ([`select`]), hottest first: of several loops inside one another the outermost.
///
/// # Errors
/// [`Unknown`].
pub fn named(loops: &[SourceLoop], name: &str) -> Result<Vec<Region>, Unknown> {
    let chosen = select(loops, name)?;
    let is_inside = |at: usize| {
        std::iter::successors(loops[at].parent, |&p| loops[p].parent)
            .any(|p| chosen.binary_search(&p).is_ok())
    };
    Ok(sorted(loops, |at| chosen.binary_search(&at).is_ok() && !is_inside(at)))
}

fn sorted(loops: &[SourceLoop], is_chosen: impl Fn(usize) -> bool) -> Vec<Region> {
    let mut regions: Vec<Region> =
        (0..loops.len()).filter(|&at| is_chosen(at)).map(|at| around(loops, at)).collect();
    regions.sort_by(|a, b| b.instructions.cmp(&a.instructions).then(a.outermost.cmp(&b.outermost)));
    regions
}
