//! Variables that a proposed order has to expand: they hold one value per iteration of some loop, and the order begins other
//! iterations of that loop before the value is used up.
//!
//! A value that passes inside one iteration of a loop of the source needs storage of its own as soon as the proposed loops around
//! both its ends do not run iterations of that loop one after the other: because a loop from further inside came to stand outside
//! of it, because its ends came to stand in different loops, or because tiles mix iterations of it with those of an inner loop.

use std::collections::BTreeMap;

use profile::{Access, Kind, ObjectIndex, Profile, StatementIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use super::sequence::Change;
use crate::check::Arrow;
use crate::graph::{dimension, loads};
use crate::nest::stride;
use crate::{SourceLoop, by_context};

/// A proposed order, as far as it matters here.
pub struct Proposed {
    /// Per block the proposed loops around it, outermost first.
    pub around: BTreeMap<u32, Vec<usize>>,
    /// Per proposed loop the loops of the source that it counts.
    pub subjects: Vec<Vec<usize>>,
    /// The loops of the source that are tiled together.
    pub tiles: Vec<Vec<usize>>,
}

/// What has to be expanded for an order to pass on the values of some dependences.
pub fn expanded(
    profile: &Profile,
    loops: &[SourceLoop],
    outermost: usize,
    arrows: &[Arrow],
    order: &Proposed,
) -> Vec<Change> {
    let entry_of = by_context(loops);
    let stored = Stored::of(profile);
    let mut found: BTreeMap<(usize, Option<ObjectIndex>), Vec<u32>> = BTreeMap::new();
    for arrow in arrows.iter().filter(|a| a.orders && a.kind == Kind::Flow && !a.distance.is_empty()) {
        let chain_of = |block: u32| -> Vec<Option<usize>> {
            let Some(block) = profile.blocks.get(block as usize) else { return Vec::new() };
            let around = profile.loops_around(block.context);
            let inside = around.iter().filter(|&&context| dimension(profile, context) >= outermost);
            inside.map(|context| entry_of.get(context).copied()).collect()
        };
        // The loops around both come first in either.
        let (first, second) = (chain_of(arrow.source), chain_of(arrow.sink));
        let chain = if first.len() < second.len() { second } else { first };
        for (depth, of) in chain.iter().enumerate().take(arrow.level()) {
            let Some(of) = *of else { continue };
            if !order.interleaves((arrow.source, arrow.sink), &chain, depth) {
                continue;
            }
            let dependence = &profile.dependences[arrow.dependence as usize];
            if !dependence.memory && stored.is_stored(profile, dependence.source, outermost + depth) {
                continue;
            }
            for object in shared(profile, &loops[of], arrow) {
                found.entry((of, object)).or_default().push(profile.location_of(dependence.source).line);
            }
        }
    }
    found
        .into_iter()
        .map(|((of, object), mut lines)| {
            lines.retain(|&line| line > 0);
            lines.sort_unstable();
            lines.dedup();
            Change::Expand { of, object, lines }
        })
        .collect()
}

/// The variables through which an arrow passes and that hold one value per iteration of a loop; `None` stands for registers and
/// storage without a name.
fn shared(profile: &Profile, of: &SourceLoop, arrow: &Arrow) -> Vec<Option<ObjectIndex>> {
    if !profile.dependences[arrow.dependence as usize].memory {
        return vec![None];
    }
    let is_private = |object: &ObjectIndex| of.verdicts.iter().any(|v| v.privatise.contains(object));
    let is_unnamed =
        |object: ObjectIndex| of.verdicts.iter().all(|verdict| verdict.is_spill(profile, object));
    let own = arrow.objects.iter().filter(|&object| is_private(object) || is_unnamed(*object));
    own.map(|&object| Some(object).filter(|&object| !is_unnamed(object))).collect()
}

/// Where values that are passed in registers lie in memory as well: compilers keep elements of arrays in registers.
struct Stored<'a> {
    /// Stores by their line.
    by_line: FxHashMap<(&'a str, u32), Vec<&'a Access>>,
    /// Statements that load.
    loads: FxHashSet<StatementIndex>,
}

impl<'a> Stored<'a> {
    fn of(profile: &'a Profile) -> Stored<'a> {
        let mut by_line: FxHashMap<(&str, u32), Vec<&Access>> = FxHashMap::default();
        for access in profile.accesses.iter().filter(|a| a.write && a.executions > 0) {
            let at = profile.location_of(access.statement);
            by_line.entry((&at.file, at.line)).or_default().push(access);
        }
        Stored { by_line, loads: loads(profile).collect() }
    }

    /// Whether a value is loaded, or its line stores to another place in every iteration of the loop of a dimension.
    fn is_stored(&self, profile: &Profile, source: StatementIndex, dim: usize) -> bool {
        let at = profile.location_of(source);
        let stores = self.by_line.get(&(at.file.as_str(), at.line)).filter(|_| at.line > 0);
        let mut stores = stores.into_iter().flatten();
        self.loads.contains(&source) || stores.any(|access| stride(access, dim) != Some(0))
    }
}

impl Proposed {
    /// Whether iterations of the loop at a depth of a chain of loops of the source are begun before others are done with what
    /// passes between two statements.
    fn interleaves(&self, ends: (u32, u32), chain: &[Option<usize>], depth: usize) -> bool {
        let Some((source, sink)) = self.around.get(&ends.0).zip(self.around.get(&ends.1)) else {
            return false;
        };
        let is_of = |at: usize, of: Option<usize>| of.is_some_and(|of| self.subjects[at].contains(&of));
        let common: Vec<usize> =
            source.iter().zip(sink).take_while(|(a, b)| a == b).map(|(a, _)| *a).collect();
        let Some(own) = common.iter().position(|&at| is_of(at, chain[depth])) else { return true };
        let is_deeper = |at: usize| chain[depth + 1..].iter().any(|&of| is_of(at, of));
        let mixes = |tile: &Vec<usize>| {
            let has = |of: &Option<usize>| of.is_some_and(|of| tile.contains(&of));
            has(&chain[depth]) && chain[depth + 1..].iter().any(has)
        };
        common[..own].iter().any(|&at| is_deeper(at)) || self.tiles.iter().any(mixes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_from_inside_interleaves() {
        // Loops of the source 0, 1, 2; statements 7 (in 0 and 1) and 8 (in all).
        let order = |around: &[&[usize]], subjects: &[usize], tiles: &[&[usize]]| Proposed {
            around: around.iter().zip(7..).map(|(own, block)| (block, own.to_vec())).collect(),
            subjects: subjects.iter().map(|&of| vec![of]).collect(),
            tiles: tiles.iter().map(|tile| tile.to_vec()).collect(),
        };
        let chain = [Some(0), Some(1), Some(2)];
        let as_it_is = order(&[&[0, 1], &[0, 1, 2]], &[0, 1, 2], &[]);
        assert!(!as_it_is.interleaves((8, 8), &chain, 1) && !as_it_is.interleaves((7, 8), &chain[..2], 1));
        let interchanged = order(&[&[0, 3], &[0, 1, 2]], &[0, 2, 1, 1], &[]);
        assert!(interchanged.interleaves((8, 8), &chain, 1) && !interchanged.interleaves((8, 8), &chain, 0));
        // Distributed.
        assert!(interchanged.interleaves((7, 8), &chain[..2], 1));
        let tiled = order(&[&[0, 1], &[0, 1, 2]], &[0, 1, 2], &[&[1, 2]]);
        assert!(tiled.interleaves((8, 8), &chain, 1) && !tiled.interleaves((8, 8), &chain, 0));
    }
}
