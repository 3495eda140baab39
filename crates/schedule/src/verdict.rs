//! The verdict for one loop context.
//!
//! `yes` < `reduction` < `after-privatisation` < `no`, in order of severity. Every verdict is about all dependences the
//! run showed: flow dependences that are carried and neither induction variables nor reductions block; so do anti and
//! output dependences that privatisation cannot remove.

use profile::{ContextIndex, ObjectIndex, ObjectKind, Profile};

use crate::graph::{LoopEdges, dimension, is_flow};
use crate::needs::{self, Class, Need};
use crate::reduction::{self, Reduction};
use crate::scev::{self, Reads, Scevs};
use crate::storage::{self, Coverage, Remedy};

/// Whether a loop's iterations can run in parallel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Parallel {
    /// As it is.
    Yes,
    /// With a reduction.
    Reduction,
    /// After privatising the variables named.
    AfterPrivatisation,
    /// Dependences were not recorded.
    Unknown,
    /// Not.
    No,
}

/// A dependence that decides a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocking {
    /// Index into [`Profile::dependences`].
    pub dependence: u32,
    /// The level summary that shows it: index into the dependence's levels.
    pub level: usize,
    /// What it passes through, for memory.
    pub object: Option<ObjectIndex>,
}

/// The verdict.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// The conclusion.
    pub parallel: Parallel,
    /// What blocks, most frequent first.
    pub blocking: Vec<Blocking>,
    /// Reductions.
    pub reductions: Vec<Reduction>,
    /// Variables that must be (or silently are) private.
    pub privatise: Vec<ObjectIndex>,
    /// Unnamed parts of stack frames that iterations cannot have for themselves; all others are theirs without a word.
    pub shared_frames: Vec<ObjectIndex>,
    /// Induction variables and invariants.
    pub scevs: Vec<u32>,
    /// Dependences that order the iterations, ascending indices into [`Profile::dependences`]: carried, and neither of
    /// induction variables nor removed by privatising what is named. Those of reductions are among them.
    pub ordering: Vec<u32>,
    /// What has to become of variables so that iterations can run in any order, reductions apart; `None` if nothing helps, or
    /// if dependences were not recorded.
    pub needs: Option<Vec<Need>>,
}

impl Verdict {
    /// Whether an object is an unnamed part of a frame that every iteration has for itself.
    pub(crate) fn is_spill(&self, profile: &Profile, object: ObjectIndex) -> bool {
        profile.objects.get(object as usize).is_some_and(|o| o.kind == ObjectKind::Frame)
            && !self.shared_frames.contains(&object)
    }

    /// The class; `None` if dependences were not recorded.
    pub fn class(&self) -> Option<Class> {
        match (&self.needs, self.parallel) {
            (_, Parallel::Unknown) => None,
            (Some(needs), _) if needs.is_empty() => Some(Class::A),
            (Some(_), _) => Some(Class::B),
            (None, _) => Some(Class::C),
        }
    }
}

/// Most blocking dependences reported for a loop.
const BLOCKING: usize = 16;

/// Indexes over a profile that all loops share.
#[derive(Debug)]
pub struct Indexes {
    reads: Reads,
    coverage: Coverage,
}

impl Indexes {
    /// Builds them.
    pub fn new(profile: &Profile) -> Indexes {
        Indexes { reads: Reads::new(profile), coverage: Coverage::new(profile) }
    }
}

/// Judges one loop context.
pub fn judge(profile: &Profile, context: ContextIndex, inside: &LoopEdges, indexes: &Indexes) -> Verdict {
    let dim = dimension(profile, context);
    let scevs: Scevs = scev::find(profile, context, inside, &indexes.reads);
    let reductions = reduction::find(profile, context, inside, &scevs);
    let in_reduction = |s: u32| reductions.iter().any(|r| r.statements.binary_search(&s).is_ok());
    let mut blocking: Vec<(u64, Blocking)> = Vec::new();
    let (mut reduced, mut is_passed_on) = (false, false);
    let mut ordering: Vec<u32> = Vec::new();
    let mut block = |dependence: u32, object: Option<ObjectIndex>| {
        let d = &profile.dependences[dependence as usize];
        if let Some(level) = d.levels.iter().position(|l| usize::from(l.level) == dim) {
            let object = object.or_else(|| d.levels[level].objects.first().map(|o| o.object));
            blocking.push((d.levels[level].count, Blocking { dependence, level, object }));
        }
    };
    for edge in inside.edges.iter().filter(|e| e.carried) {
        let d = &profile.dependences[edge.dependence as usize];
        if !is_flow(d) || scevs.contains(d.source) || (!d.memory && scevs.is_recomputable(d.source)) {
            continue;
        }
        ordering.push(edge.dependence);
        let same = reductions.iter().any(|r| {
            r.statements.binary_search(&d.source).is_ok() && r.statements.binary_search(&d.sink).is_ok()
        });
        if same {
            reduced = true;
        } else {
            is_passed_on = true;
            block(edge.dependence, None);
        }
    }
    // Storage of induction variables and accumulators is dealt with by what replaces them.
    let skip = |s: u32| scevs.is_own_storage(s) || in_reduction(s);
    let findings = storage::judge(profile, context, inside, &indexes.coverage, &skip);
    ordering.extend(storage::ordering(profile, dim, inside, &findings, &skip));
    ordering.sort_unstable();
    let needs = if is_passed_on { None } else { needs::needs(profile, context, &findings) };
    let (mut privatise, mut shared_frames) = (Vec::new(), Vec::new());
    let mut advise = false;
    for finding in findings {
        match finding.remedy {
            Remedy::Silent => {}
            Remedy::Scoped => privatise.push(finding.object),
            Remedy::Privatise => {
                privatise.push(finding.object);
                advise = true;
            }
            Remedy::Blocks => {
                let object = profile.objects.get(finding.object as usize);
                if object.is_some_and(|o| o.kind == ObjectKind::Frame) {
                    shared_frames.push(finding.object);
                }
                block(finding.dependences[0], Some(finding.object).filter(|o| *o != ObjectIndex::MAX))
            }
        }
    }
    blocking.sort_by_key(|(count, b)| (std::cmp::Reverse(*count), b.dependence));
    blocking.truncate(BLOCKING);
    privatise.sort_unstable();
    privatise.dedup();
    let parallel = match (blocking.is_empty(), advise, reduced) {
        (false, _, _) => Parallel::No,
        (true, true, _) => Parallel::AfterPrivatisation,
        (true, false, true) => Parallel::Reduction,
        (true, false, false) => Parallel::Yes,
    };
    let mut statements: Vec<u32> = inside
        .edges
        .iter()
        .flat_map(|e| {
            let d = &profile.dependences[e.dependence as usize];
            [d.source, d.sink]
        })
        .filter(|&s| scevs.contains(s))
        .collect();
    statements.sort_unstable();
    statements.dedup();
    Verdict {
        parallel,
        blocking: blocking.into_iter().map(|b| b.1).collect(),
        reductions,
        privatise,
        shared_frames,
        scevs: statements,
        ordering,
        needs,
    }
}
