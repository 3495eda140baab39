//! Permutable bands and strides.
//!
//! A band of nested loops is permutable if every dependence between statements inside it, apart from those of induction
//! variables and removed storage, has a non-negative difference along each loop of the band (polyhedral note, "Legality
//! without a scheduler").

use profile::{ContextIndex, Kind, Profile};
use rustc_hash::FxHashMap;

use crate::graph::{LoopEdges, dimension};
use crate::verdict::Verdict;

/// Whether the loops `band` (nested, outermost first) may be permuted freely.
pub fn is_permutable(
    profile: &Profile,
    band: &[ContextIndex],
    edges: &FxHashMap<ContextIndex, LoopEdges>,
    verdicts: &FxHashMap<ContextIndex, Verdict>,
) -> bool {
    let (Some(&first), Some(&last)) = (band.first(), band.last()) else { return false };
    let (from, to) = (dimension(profile, first), dimension(profile, last));
    let Some(inside) = edges.get(&first) else { return true };
    let removed =
        |object: u32| band.iter().filter_map(|b| verdicts.get(b)).any(|v| v.privatise.contains(&object));
    inside.edges.iter().all(|edge| {
        let d = &profile.dependences[edge.dependence as usize];
        let is_scev =
            |s: u32| band.iter().filter_map(|b| verdicts.get(b)).any(|v| v.scevs.binary_search(&s).is_ok());
        if is_scev(d.source) {
            return true;
        }
        d.levels.iter().filter(|l| usize::from(l.level) >= from).all(|level| {
            let storage = d.kind != Kind::Flow
                && level.objects.iter().all(|o| {
                    o.callee
                        || removed(o.object)
                        || profile.objects[o.object as usize].kind == profile::ObjectKind::Frame
                });
            storage || (from..=to).all(|k| level.minimum.get(k).is_none_or(|&m| m >= 0))
        })
    })
}

/// Share of the accesses executed directly in a loop (not in loops inside it) whose stride along it is 0 or one element.
pub fn stride01(
    profile: &Profile,
    contexts: &[ContextIndex],
    descendants: &dyn Fn(ContextIndex) -> bool,
) -> Option<f64> {
    let (mut good, mut all) = (0u64, 0u64);
    for access in &profile.accesses {
        let context = profile.context_of(access.statement);
        let Some(&innermost) = profile.loops_around(context).last() else { continue };
        if !contexts.contains(&innermost) && !descendants(innermost) {
            continue;
        }
        all += access.executions;
        let dim = dimension(profile, innermost);
        let mut small = !access.address.is_empty();
        for folded in &access.address {
            small &= folded.ranges.first().is_some_and(|r| r.0 == r.1)
                || (!folded.gave_up
                    && folded.pieces.iter().all(|p| {
                        let stride =
                            p.label(0).and_then(|l| l.coefficients.get(dim).copied()).and_then(|c| c.known());
                        stride.is_some_and(|s| s == 0 || s.unsigned_abs() == u64::from(access.size))
                    }));
        }
        if small {
            good += access.executions;
        }
    }
    (all > 0).then(|| good as f64 / all as f64)
}
