//! Permutable bands and strides.
//!
//! A band of nested loops is permutable if every dependence between statements inside it, apart from those of induction
//! variables and removed storage, has a non-negative difference along each loop of the band (polyhedral note, "Legality
//! without a scheduler").

use profile::{AccessIndex, ContextIndex, ContextKind, Kind, Profile};
use rustc_hash::FxHashMap;

use crate::graph::{LoopEdges, dimension};
use crate::needs::Way;
use crate::verdict::{Blocking, Verdict};

/// Per loop the dependences inside it that can stand against a band which begins with it: those with a level that a loop
/// around both ends carries, or along which something goes backwards. What passes values on inside iterations alone stands
/// against no band, and it is most of what large loops have inside.
#[derive(Debug)]
pub struct Against<'a> {
    edges: &'a FxHashMap<ContextIndex, LoopEdges>,
    of: FxHashMap<ContextIndex, Vec<u32>>,
}

impl<'a> Against<'a> {
    /// Of the dependences inside each loop.
    pub fn new(edges: &'a FxHashMap<ContextIndex, LoopEdges>) -> Against<'a> {
        Against { edges, of: FxHashMap::default() }
    }

    fn of(&mut self, profile: &Profile, first: ContextIndex) -> &[u32] {
        let from = dimension(profile, first);
        let edges = self.edges;
        let is_against = |&dependence: &u32| {
            let levels = profile.dependences[dependence as usize].levels.iter();
            levels.filter(|l| usize::from(l.level) >= from).any(|level| {
                let is_carried = usize::from(level.level) < level.minimum.len();
                is_carried || level.minimum.iter().skip(from).any(|&least| least < 0)
            })
        };
        self.of.entry(first).or_insert_with(|| {
            let inside = edges.get(&first).into_iter().flat_map(|inside| &inside.edges);
            inside.map(|edge| edge.dependence).filter(is_against).collect()
        })
    }
}

/// Whether the loops `band` (nested, outermost first) may be permuted freely.
pub fn is_permutable(
    profile: &Profile,
    band: &[ContextIndex],
    against: &mut Against,
    verdicts: &FxHashMap<ContextIndex, Verdict>,
) -> bool {
    let distances = least_distances(profile, band, against, verdicts);
    distances.is_some_and(|all| all.iter().flatten().all(|&least| least >= 0))
}

/// The smallest factors by which the loops of a band have to be skewed so that they may be permuted freely: per loop a row
/// with its new counter as a sum of multiples of the old ones. Rows of the identity if nothing is to be done; `None` if
/// skewing does not help.
pub fn skewing(
    profile: &Profile,
    band: &[ContextIndex],
    against: &mut Against,
    verdicts: &FxHashMap<ContextIndex, Verdict>,
) -> Option<Vec<Vec<i64>>> {
    let iterations = |context: &ContextIndex| {
        let own = &profile.contexts[*context as usize];
        i64::try_from(own.rounds() / own.entries.max(1)).unwrap_or(i64::MAX)
    };
    let lengths: Vec<i64> = band.iter().map(iterations).collect();
    skewed(least_distances(profile, band, against, verdicts)?, &lengths)
}

/// Skews least distances until none is negative; `lengths`: how many iterations the loops have in an entry.
fn skewed(mut distances: Vec<Vec<i64>>, lengths: &[i64]) -> Option<Vec<Vec<i64>>> {
    let depth = lengths.len();
    let mut rows: Vec<Vec<i64>> =
        (0..depth).map(|k| (0..depth).map(|q| i64::from(q == k)).collect()).collect();
    for k in 0..depth {
        for q in (0..k).rev() {
            let open = distances.iter().filter(|d| d[k] < 0 && d[q] > 0);
            // Rounded up.
            let factor = open.map(|d| -(d[k].div_euclid(d[q]))).max().unwrap_or(0);
            // A diagonal has as many iterations as the loop has such steps: of few there is nothing to gain.
            if factor > MOST_SKEW || factor > 1 && factor.saturating_mul(LEAST_STEPS) > lengths[k] {
                return None;
            }
            for row in &mut distances {
                row[k] = row[k].checked_add(factor.checked_mul(row[q])?)?;
            }
            let (outer, own) = rows.split_at_mut(k);
            for (own, outer) in own[0].iter_mut().zip(&outer[q]) {
                *own = own.checked_add(factor.checked_mul(*outer)?)?;
            }
        }
        if distances.iter().any(|d| d[k] < 0) {
            return None;
        }
    }
    Some(rows)
}

/// Largest factor of a skew that is of use to anybody.
const MOST_SKEW: i64 = 1 << 10;

/// How many steps of a skew a loop has at least, if that is of use.
const LEAST_STEPS: i64 = 4;

/// The least differences along the loops of a band, per dependence and level that the band's order matters to. `None` if
/// permuting would separate statements that pass something on between iterations.
fn least_distances(
    profile: &Profile,
    band: &[ContextIndex],
    against: &mut Against,
    verdicts: &FxHashMap<ContextIndex, Verdict>,
) -> Option<Vec<Vec<i64>>> {
    let (&first, &last) = band.first().zip(band.last())?;
    let (from, to) = (dimension(profile, first), dimension(profile, last));
    let of_band = || band.iter().filter_map(|b| verdicts.get(b));
    // What the last iteration leaves, in another order another one does.
    let is_left = |v: &Verdict, object: u32| {
        let mut needs = v.needs.iter().flatten();
        needs.any(|need| need.object == object && need.way == Way::LastPrivate)
    };
    let removed = |object: u32| {
        of_band().any(|v| v.privatise.contains(&object) && !is_left(v, object))
            || of_band().all(|v| v.is_spill(profile, object))
    };
    // Whether a statement is in a loop of the depth of one of the band that is another loop of the source. (What compilers
    // split off a loop, or peel, is of the same.)
    let in_other = |statement: u32, dim: usize| {
        let chain = profile.loops_around(profile.context_of(statement));
        chain
            .get(dim)
            .zip(band.get(dim - from))
            .is_some_and(|(&own, &of_band)| !are_pieces(profile, own, of_band))
    };
    let mut out = Vec::new();
    for &dependence in against.of(profile, first) {
        let d = &profile.dependences[dependence as usize];
        let is_scev =
            |s: u32| band.iter().filter_map(|b| verdicts.get(b)).any(|v| v.scevs.binary_search(&s).is_ok());
        let mut objects = d.levels.iter().flat_map(|level| &level.objects);
        let stays = d.kind == Kind::Output && objects.any(|used| of_band().any(|v| is_left(v, used.object)));
        if !stays && (is_scev(d.source) || d.induction().is_some_and(is_scev)) {
            continue;
        }
        for level in d.levels.iter().filter(|l| usize::from(l.level) >= from) {
            let storage = d.kind != Kind::Flow && level.objects.iter().all(|o| o.callee || removed(o.object));
            if storage {
                continue;
            }
            // Permuting separates the other loops inside an outer one from the band, which is right only where no
            // iteration passes anything on between them.
            let carried = usize::from(level.level) < level.minimum.len();
            let along = |k: usize| match level.minimum.get(k) {
                Some(&least) => Some(least),
                None if carried && [d.source, d.sink].iter().any(|&s| in_other(s, k)) => None,
                None => Some(0),
            };
            out.push((from..=to).map(along).collect::<Option<_>>()?);
        }
    }
    Some(out)
}

/// How many neighbouring iterations of a loop may run in lockstep: each instruction for all of them before the next one.
/// `i64::MAX` if there is no limit, 1 if they may not.
pub fn lanes(profile: &Profile, context: ContextIndex, verdict: &Verdict) -> i64 {
    let dim = dimension(profile, context);
    let carried = verdict.ordering.iter().flat_map(|&dependence| {
        let d = &profile.dependences[dependence as usize];
        let levels = d.levels.iter().filter(|l| usize::from(l.level) == dim);
        // What an instruction reads before a later one of the block overwrites it is read first in lockstep too.
        let block = |s: u32| profile.statements[s as usize].block;
        let is_in_step = d.kind == Kind::Anti && d.source < d.sink && block(d.source) == block(d.sink);
        levels.filter(move |_| !is_in_step).map(|l| l.minimum.get(dim).copied().unwrap_or(1))
    });
    let carried = carried.min().unwrap_or(i64::MAX).max(1);
    // What blocks a piece of it blocks all of it.
    let is_elsewhere = |blocking: &Blocking| verdict.ordering.binary_search(&blocking.dependence).is_err();
    if verdict.blocking.iter().any(is_elsewhere) { 1 } else { carried }
}

/// Whether two contexts are the same, or pieces of one loop of the source, on the same call path.
fn are_pieces(profile: &Profile, mut a: ContextIndex, mut b: ContextIndex) -> bool {
    while a != b {
        let (one, other) = (&profile.contexts[a as usize], &profile.contexts[b as usize]);
        let is_loop = one.kind == ContextKind::Loop;
        if one.kind != other.kind || one.location != other.location || !is_loop && one.at != other.at {
            return false;
        }
        (a, b) = (one.parent, other.parent);
    }
    true
}

/// The executed accesses of a profile by the innermost loop around them.
#[derive(Debug, Default)]
pub struct Innermost {
    of: FxHashMap<ContextIndex, Vec<AccessIndex>>,
}

impl Innermost {
    /// Sorts them.
    pub fn new(profile: &Profile) -> Innermost {
        let mut around: FxHashMap<ContextIndex, Option<ContextIndex>> = FxHashMap::default();
        let mut out = Innermost::default();
        let is_made =
            |(_, access): &(usize, &profile::Access)| access.executions > 0 && !access.is_of_calls();
        for (index, access) in profile.accesses.iter().enumerate().filter(is_made) {
            let context = profile.context_of(access.statement);
            let innermost =
                *around.entry(context).or_insert_with(|| profile.loops_around(context).last().copied());
            out.of.entry(innermost.unwrap_or(NO_LOOP)).or_default().push(index as AccessIndex);
        }
        out
    }

    /// The accesses directly in a loop context, ascending.
    pub fn of(&self, context: ContextIndex) -> &[AccessIndex] {
        self.of.get(&context).map_or(&[], Vec::as_slice)
    }
}

/// Stands for no loop; the root is none.
const NO_LOOP: ContextIndex = 0;

/// How many of some accesses have a stride of 0 or one element along a loop.
///
/// Several accesses of one kind with equal strides that together cover every byte of the stride (unrolled or vectorised
/// code) count as contiguous.
#[derive(Debug, Clone, Default)]
pub struct Contiguous {
    good: u64,
    all: u64,
    /// (store, stride, line) → bytes accessed per iteration, and executions.
    strided: FxHashMap<(bool, u64, u32), (u64, u64)>,
}

impl Contiguous {
    /// Counts an access whose innermost loop is to be dimension `dim`.
    pub fn add(&mut self, profile: &Profile, access: &profile::Access, dim: usize) {
        self.all += access.executions;
        match stride(access, dim) {
            Some(s) if s == 0 || s.unsigned_abs() == u64::from(access.size) => self.good += access.executions,
            Some(s) => {
                let line = profile.location_of(access.statement).line;
                let entry = self.strided.entry((access.write, s.unsigned_abs(), line)).or_default();
                entry.0 += u64::from(access.size);
                entry.1 += access.executions;
            }
            None => {}
        }
    }

    /// Adds what was counted for other loops.
    pub fn join(&mut self, other: &Contiguous) {
        self.good += other.contiguous();
        self.all += other.all;
    }

    fn contiguous(&self) -> u64 {
        let covered = self.strided.iter().filter(|((_, s, _), (bytes, _))| bytes >= s);
        self.good + covered.map(|(_, (_, n))| n).sum::<u64>()
    }

    /// Their share; `None` without accesses.
    pub fn share(&self) -> Option<f64> {
        (self.all > 0).then(|| self.contiguous() as f64 / self.all as f64)
    }
}

/// Share of the accesses executed directly in the given innermost loops whose stride along them is 0 or one element.
pub fn stride01(profile: &Profile, innermost: &Innermost, contexts: &[ContextIndex]) -> Option<f64> {
    let mut out = Contiguous::default();
    for &context in contexts {
        let dim = dimension(profile, context);
        innermost.of(context).iter().for_each(|&a| out.add(profile, &profile.accesses[a as usize], dim));
    }
    out.share()
}

/// The one advance per iteration of dimension `dim` that all pieces of an access agree on.
pub fn stride(access: &profile::Access, dim: usize) -> Option<i64> {
    let mut common = None;
    for folded in &access.address {
        if folded.ranges.first().is_some_and(|r| r.0 == r.1) {
            if common.is_some_and(|c| c != 0) {
                return None;
            }
            common = Some(0);
            continue;
        }
        if folded.gave_up {
            return None;
        }
        for piece in &folded.pieces {
            // A piece of one iteration along the dimension says nothing about the stride.
            let levels = piece.levels_of(dim);
            if !levels.is_empty() && levels.iter().all(|l| l.is_single()) {
                continue;
            }
            let value = piece.label(0)?.coefficients.get(dim)?.known()?;
            if common.is_some_and(|c| c != value) {
                return None;
            }
            common = Some(value);
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::skewed;

    #[test]
    fn least_skews() {
        // A sweep in place over a grid, and over a line.
        assert_eq!(
            skewed(vec![vec![1, -1, -1], vec![0, 1, -1], vec![0, 0, 1]], &[9; 3]),
            Some(vec![vec![1, 0, 0], vec![1, 1, 0], vec![2, 1, 1]])
        );
        assert_eq!(skewed(vec![vec![1, -2]], &[9; 2]), Some(vec![vec![1, 0], vec![2, 1]]));
        assert_eq!(skewed(vec![vec![1, 0], vec![0, 1]], &[9; 2]), Some(vec![vec![1, 0], vec![0, 1]]));
        // Backwards in one iteration of the loop around; and farther than is of use.
        assert_eq!(skewed(vec![vec![0, -1]], &[9; 2]), None);
        assert_eq!(skewed(vec![vec![1, -5000]], &[100_000; 2]), None);
        // The last of an iteration is handed to the first of the next.
        assert_eq!(skewed(vec![vec![1, -255]], &[3, 256]), None);
    }
}
