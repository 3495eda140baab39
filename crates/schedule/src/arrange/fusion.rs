//! Two loops that follow one another as one.
//!
//! Iteration y of the second loop has to stay after iteration x of the first if both access a byte that one of them writes. With
//! δ = y − x, fusion is legal as it is if no δ is negative, and else after delaying the second loop by −min δ iterations. The
//! ranges of δ come from folded addresses ([`fold::meeting`]), so all pairs of accesses count, whatever lies between them.

use std::collections::BTreeMap;

use fold::meeting::{Accesses, Meeting, Pairs, meet};
use profile::place::{Part, way};
use profile::{Access, ContextIndex, Dependence, Kind, ObjectIndex, Profile};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Index, LEAST_SHARE, by_run, is_induction, is_private, single};
use crate::SourceLoop;
use crate::graph::{dimension, inside};
use crate::needs::iterations;
use crate::verdict::{Parallel, Verdict};

/// Farther apart than iterations ever are.
const FAR: i64 = 1 << 40;
/// Most pairs of pieces that are compared for two loops.
const MOST_PAIRS: usize = 1 << 14;

/// What two loops that follow one another are to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbours {
    /// Indices into the loops of the source.
    pub loops: (usize, usize),
    /// Whether they can be one.
    pub fusion: Result<Fusion, Unfusable>,
}

/// A legal fusion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fusion {
    /// Iterations by which the second is delayed.
    pub delay: i64,
    /// The one loop is parallel, as both are.
    pub is_parallel: bool,
    /// They access bytes in common.
    pub shares_data: bool,
}

impl Fusion {
    /// What is legal if both are: a longer delay keeps more of an order than a shorter one.
    fn and(self, other: Fusion) -> Fusion {
        let is_alike = self.delay == other.delay;
        Fusion {
            delay: self.delay.max(other.delay),
            is_parallel: is_alike && self.is_parallel && other.is_parallel,
            shares_data: self.shares_data || other.shares_data,
        }
    }
}

/// Why two loops cannot be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfusable {
    /// Every delay is too short, or distances are not known.
    #[error("line {1} needs what line {0} does in later iterations")]
    Far(u32, u32),
    /// Something in between takes values of the first to the second.
    #[error("line {0} between them needs the first and is needed by the second")]
    Between(u32),
    /// The second needs a value that the first leaves in a register.
    #[error("line {1} needs the last value of line {0}")]
    Last(u32, u32),
}

/// Pairs of neighbours among the loops of the program that were recorded whole and take a share of its instructions.
pub fn neighbours(profile: &Profile, loops: &[SourceLoop], index: &Index) -> Vec<Neighbours> {
    if profile.further_runs.is_empty() {
        return in_one_run(profile, loops, index);
    }
    let mut all: BTreeMap<(usize, usize), Result<Fusion, Unfusable>> = BTreeMap::new();
    for loops in by_run(profile, loops) {
        for pair in in_one_run(profile, &loops, index) {
            let known = all.entry(pair.loops).or_insert(pair.fusion);
            *known = known.and_then(|known| Ok(known.and(pair.fusion?)));
        }
    }
    // In runs in which one of two loops ran alone, there was nothing to be in the way.
    all.into_iter().map(|(loops, fusion)| Neighbours { loops, fusion }).collect()
}

fn in_one_run(profile: &Profile, loops: &[SourceLoop], index: &Index) -> Vec<Neighbours> {
    let mut last: FxHashMap<(Option<usize>, &[String], &str), usize> = FxHashMap::default();
    let mut out = Vec::new();
    for (at, own) in loops.iter().enumerate().filter(|(_, l)| l.main) {
        let before = last.insert((own.parent, &own.calls, own.function.as_str()), at);
        let Some(before) = before.filter(|&b| own.share + loops[b].share >= LEAST_SHARE) else { continue };
        let pair = single(profile, index, &loops[before]).zip(single(profile, index, own));
        // Both are parts of the same iteration or activation.
        let is_pair = |pair: &((ContextIndex, _), (ContextIndex, _))| {
            let parent = |context: ContextIndex| profile.contexts[context as usize].parent;
            parent(pair.0.0) == parent(pair.1.0) && own.entries == loops[before].entries
        };
        if let Some(((first, a), (second, b))) = pair.filter(is_pair) {
            let both = Both::new(profile, index, [(first, a), (second, b)]);
            out.push(Neighbours { loops: (before, at), fusion: both.fusion() });
        }
    }
    out
}

struct Both<'a> {
    profile: &'a Profile,
    index: &'a Index,
    verdicts: [&'a Verdict; 2],
    contexts: [FxHashSet<ContextIndex>; 2],
    /// Those with an end in one of them.
    dependences: Vec<&'a Dependence>,
    /// The context directly around both.
    parent: ContextIndex,
    /// Loops around both.
    common: usize,
    /// Delays beyond this are of no use: a quarter of the first loop.
    longest: i64,
    /// Storage that every iteration has for itself, and that of induction variables.
    own: FxHashSet<ObjectIndex>,
    /// What each access was seen to pass values through.
    objects: FxHashMap<u32, FxHashSet<ObjectIndex>>,
}

impl<'a> Both<'a> {
    fn new(profile: &'a Profile, index: &'a Index, both: [(ContextIndex, &'a Verdict); 2]) -> Both<'a> {
        let verdicts = both.map(|(_, verdict)| verdict);
        let contexts = both.map(|(context, _)| inside(profile, &[context]));
        let of_both =
            contexts.iter().flatten().filter_map(|context| index.dependences.get(context)).flatten();
        let mut numbers: Vec<u32> = of_both.copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let dependences: Vec<&Dependence> =
            numbers.iter().map(|&d| &profile.dependences[d as usize]).collect();
        let mut own: FxHashSet<ObjectIndex> = FxHashSet::default();
        let mut objects: FxHashMap<u32, FxHashSet<ObjectIndex>> = FxHashMap::default();
        for d in dependences.iter().filter(|d| d.memory) {
            let used = || d.levels.iter().flat_map(|level| level.objects.iter().map(|used| used.object));
            if verdicts.iter().any(|verdict| is_induction(verdict, d)) {
                own.extend(used());
            }
            own.extend(used().filter(|&object| verdicts.iter().any(|v| is_private(profile, v, object))));
            for access in [d.source_access, d.sink_access].into_iter().flatten() {
                objects.entry(access).or_default().extend(used());
            }
        }
        let common = dimension(profile, both[0].0);
        let parent = profile.contexts[both[0].0 as usize].parent;
        let longest = i64::try_from(iterations(profile, both[0].0) / 4).unwrap_or(FAR);
        Both { profile, index, verdicts, contexts, dependences, parent, common, longest, own, objects }
    }

    fn fusion(&self) -> Result<Fusion, Unfusable> {
        self.registers()?;
        self.between()?;
        let (mut least, mut most, mut shares_data) = (i64::MAX, i64::MIN, false);
        let mut left = MOST_PAIRS;
        let [first, second] = [0, 1].map(|which| self.accesses(which));
        for (x, y) in first.iter().flat_map(|x| second.iter().map(move |y| (*x, *y))) {
            let Some(range) = self.distances(x, y, &mut left)? else { continue };
            shares_data = true;
            if x.write || y.write {
                (least, most) = (least.min(range.0), most.max(range.1));
            }
        }
        let is_free = least == i64::MAX;
        let are_parallel = self.verdicts.iter().all(|v| v.parallel == Parallel::Yes);
        let delay = if is_free { 0 } else { least.saturating_neg().max(0) };
        let is_parallel = are_parallel && (is_free || (least, most) == (0, 0));
        Ok(Fusion { delay, is_parallel, shares_data })
    }

    /// Accesses of one of the loops that are not to storage of its own.
    fn accesses(&self, which: usize) -> Vec<&'a Access> {
        let is_own = |at: &u32| {
            let used = self.objects.get(at);
            used.is_some_and(|used| used.iter().all(|object| self.own.contains(object)))
        };
        let of_loop = self.contexts[which].iter().filter_map(|context| self.index.accesses.get(context));
        let mut all: Vec<u32> = of_loop.flatten().copied().filter(|at| !is_own(at)).collect();
        all.sort_unstable();
        all.into_iter().map(|at| &self.profile.accesses[at as usize]).collect()
    }

    /// Range of the distance of iterations that access a byte in common; `None` if none do.
    fn distances(&self, x: &Access, y: &Access, left: &mut usize) -> Result<Option<(i64, i64)>, Unfusable> {
        let line = |access: &Access| self.profile.location_of(access.statement).line;
        let far = || Unfusable::Far(line(x), line(y));
        match (x.bytes(), y.bytes()) {
            (Some(a), Some(b)) if a.1 <= b.0 || b.1 <= a.0 => return Ok(None),
            (Some(_), Some(_)) => {}
            // Its addresses are not known.
            _ if x.write || y.write => return Err(far()),
            _ => return Ok(None),
        }
        let mut out: Option<(i64, i64)> = None;
        for (a, b) in x.address.iter().flat_map(|a| y.address.iter().map(move |b| (a, b))) {
            for (a, b) in a.pieces.iter().flat_map(|a| b.pieces.iter().map(move |b| (a, b))) {
                *left = left.checked_sub(1).ok_or_else(far)?;
                let pairs = Pairs { common: self.common + 1, level: self.common, at_level: (-FAR, FAR) };
                let (a, b) = (Accesses { piece: a, size: x.size }, Accesses { piece: b, size: y.size });
                match meet(a, b, pairs) {
                    Meeting::Never => {}
                    Meeting::Within(ranges) => {
                        let range = *ranges.get(self.common).ok_or_else(far)?;
                        out = Some(out.map_or(range, |r| (r.0.min(range.0), r.1.max(range.1))));
                    }
                    Meeting::Unknown if x.write || y.write => return Err(far()),
                    Meeting::Unknown => out = out.or(Some((0, 0))),
                }
            }
        }
        // A delay as long as the loop is no fusion.
        match out {
            Some((least, _)) if (x.write || y.write) && least < -self.longest => Err(far()),
            _ => Ok(out),
        }
    }

    /// What the first loop leaves in registers for the second.
    fn registers(&self) -> Result<(), Unfusable> {
        let passes = self.dependences.iter().find(|d| {
            !d.memory
                && d.kind == Kind::Flow
                && self.is_in(0, d.source)
                && self.is_in(1, d.sink)
                && self.is_kept(d)
        });
        match passes {
            Some(d) => {
                let [first, second] = [d.source, d.sink].map(|s| self.profile.location_of(s).line);
                Err(Unfusable::Last(first, second))
            }
            None => Ok(()),
        }
    }

    fn is_in(&self, which: usize, statement: u32) -> bool {
        self.contexts[which].contains(&self.profile.context_of(statement))
    }

    /// Whether a dependence orders the loops: those of induction variables do not.
    fn is_kept(&self, d: &Dependence) -> bool {
        let stays = |level: &profile::LevelSummary| usize::from(level.level) >= self.common;
        let is_own = |level: &profile::LevelSummary| {
            !level.objects.is_empty() && level.objects.iter().all(|used| self.own.contains(&used.object))
        };
        d.levels.iter().any(|level| stays(level) && !is_own(level))
            && !self.verdicts.iter().any(|verdict| is_induction(verdict, d))
    }

    /// What stands between the loops, and cannot go before or after both.
    fn between(&self) -> Result<(), Unfusable> {
        let is_outside = |statement: u32| !self.is_in(0, statement) && !self.is_in(1, statement);
        let kept = || self.dependences.iter().filter(|d| self.is_kept(d));
        let after = kept().filter(|d| self.is_in(0, d.source) && is_outside(d.sink));
        let needing: FxHashSet<Part> = after.filter_map(|d| self.unit(d.sink)).collect();
        let mut before = kept().filter(|d| is_outside(d.source) && self.is_in(1, d.sink));
        let needed = before.find(|d| self.unit(d.source).is_some_and(|unit| needing.contains(&unit)));
        needed.map_or(Ok(()), |d| Err(Unfusable::Between(self.profile.location_of(d.source).line)))
    }

    /// The part of what is around both that a statement is in; `None` if it is elsewhere.
    fn unit(&self, statement: u32) -> Option<Part> {
        let around = way(self.profile, statement);
        around.iter().find(|(context, _)| *context == self.parent).map(|(_, part)| *part)
    }
}
