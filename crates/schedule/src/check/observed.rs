//! The dependences of an observed region as arrows.

use profile::{Dependence, Kind, LevelSummary, Profile};
use rustc_hash::FxHashMap;

use super::{Arrow, Range};
use crate::SourceLoop;
use crate::graph::{dimension, inside};
use crate::propose::Region;
use crate::propose::statements::Statements;
use crate::storage::Coverage;
use crate::verdict::Verdict;

/// Most pairs of one dependence that are enumerated to find distances between different loops.
const MOST_PAIRS: u64 = 1 << 16;

/// All dependences with an end in a region; depth 0 is the region's loop, and statements are those of `statements`.
pub fn observed(
    profile: &Profile,
    loops: &[SourceLoop],
    region: &Region,
    statements: &Statements,
) -> Vec<Arrow> {
    let contexts = inside(profile, &region.contexts);
    let outermost = region.contexts.iter().map(|&c| dimension(profile, c)).min().unwrap_or(0);
    let verdicts: FxHashMap<u32, &Verdict> =
        loops.iter().flat_map(|l| l.contexts.iter().copied().zip(&l.verdicts)).collect();
    let coverage = Coverage::new(profile);
    let mut out = Vec::new();
    for (index, dependence) in profile.dependences.iter().enumerate() {
        let ends = [dependence.source, dependence.sink];
        let own = ends.map(|s| statements.of(profile, s));
        let [source, sink] = own.map(|s| s.unwrap_or(u32::MAX));
        if own == [None, None] {
            continue;
        }
        let chain = profile.loops_around(profile.context_of(dependence.sink));
        let is_inside = own.iter().all(Option::is_some);
        let scevs = chain.iter().skip(outermost).filter_map(|c| verdicts.get(c)).map(|v| &v.scevs);
        let is_induction = dependence
            .induction()
            .is_some_and(|writer| scevs.into_iter().any(|s| s.binary_search(&writer).is_ok()));
        for level in &dependence.levels {
            let dim = usize::from(level.level);
            let stays = is_inside && dim >= outermost && usize::from(dependence.common) > outermost;
            let depths = if stays { outermost..usize::from(dependence.common) } else { 0..0 };
            let distance: Vec<Range> =
                depths.filter_map(|q| Some((*level.minimum.get(q)?, *level.maximum.get(q)?))).collect();
            let is_carried = stays && dim < usize::from(dependence.common);
            let orders = match is_carried {
                true => chain
                    .get(dim)
                    .and_then(|c| verdicts.get(c))
                    .is_some_and(|v| v.ordering.binary_search(&(index as u32)).is_ok()),
                false => stays && source != sink && !is_induction,
            };
            let is_exposed = dependence.kind == Kind::Anti
                && dependence.sink_access.is_some()
                && chain.iter().any(|&c| {
                    let reads = dependence.source_access;
                    contexts.contains(&c)
                        && reads.is_none_or(|a| !coverage.is_covered(profile, a, c, dimension(profile, c)))
                });
            out.push(Arrow {
                dependence: index as u32,
                kind: dependence.kind,
                source,
                sink,
                distance,
                beyond: if is_carried { None } else { beyond(dependence, level) },
                objects: level.objects.iter().map(|used| used.object).collect(),
                is_exposed,
                orders,
            });
        }
    }
    out
}

/// The distance in the next loop around each end, of what no loop around both carries.
fn beyond(dependence: &Dependence, level: &LevelSummary) -> Option<Range> {
    let common = usize::from(dependence.common);
    if usize::from(level.level) < common {
        return None;
    }
    let relation = dependence.relation.as_ref().filter(|relation| relation.is_exact())?;
    let mut range: Option<Range> = None;
    let mut is_known = true;
    for piece in &relation.pieces {
        is_known &= piece.points(MOST_PAIRS, &mut |sink, labels| {
            let source: Option<Vec<i64>> = labels.iter().copied().collect();
            let differs = |source: &[i64]| (0..common).any(|q| source.get(q) != sink.get(q));
            let distance =
                source.filter(|s| !differs(s)).and_then(|s| sink.get(common)?.checked_sub(*s.get(common)?));
            if let Some(d) = distance {
                range = Some(range.map_or((d, d), |r| (r.0.min(d), r.1.max(d))));
            }
        });
    }
    range.filter(|_| is_known)
}
