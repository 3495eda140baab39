//! What has to become of storage so that nothing but values that are passed on orders the iterations of a loop (polyhedral
//! note, "Storage: three classes of verdict").
//!
//! A loop is of class A if no storage has to change, of class B if iterations pass nothing on to others (reductions
//! apart) and every variable that they share can be dealt with, and of class C otherwise. The parallel verdict says
//! `yes` or `reduction` for A, `after-privatisation` for what of B needs private variables alone, and `no` for
//! everything else.
//!
//! Invariant: with the needs of a class B loop met, running its iterations in any order reads the values that the run
//! read, and leaves the values that it left.
//!
//! Limits: sizes are those of this run, between the smallest and the largest address, for entries of average length.

use profile::{Access, ContextIndex, ObjectIndex, Profile};

use crate::graph::dimension;
use crate::metrics::locality::union;
use crate::storage::{Finding, Remedy};

/// What is done to a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// Every iteration has its own, which it writes before it reads.
    Private,
    /// As said, and that of the last iteration is used after the loop.
    LastPrivate,
    /// Iterations read what they find from a copy made before the loop.
    Copy,
    /// It gets one more dimension, with an element for each iteration; reads go to the iteration that wrote, or to what was
    /// there before the loop.
    Expand,
    /// Iterations combine it where no clause can name it: through an atomic operation, or a copy for each thread that is
    /// combined afterwards.
    Combine,
    /// It is set together with a minimum or maximum: each thread keeps both for itself, and the better pair stays.
    CombinePair,
    /// Iterations that set it set it to the same value: an atomic write does.
    AtomicWrite,
    /// Each thread has its own, and iterations use what was there before the loop, or leave something there: it is
    /// copied to the threads that the iterations go to, or from them.
    CopyIn,
    /// It is written as a function of the iteration: what it was before the loop and this much for each iteration, if
    /// that is a constant.
    Induction(Option<i64>),
}

/// What has to be done to a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The variable; [`ObjectIndex::MAX`] if the compiler keeps it in a register.
    pub object: ObjectIndex,
    /// Its name in the source, where it is no object.
    pub name: String,
    /// What is done to it.
    pub way: Way,
    /// Size of it or, with all its elements, of what it becomes; `None` if that does not fit.
    pub bytes: Option<u64>,
    /// Lines that read or write it, ascending.
    pub lines: Vec<u32>,
}

impl Need {
    /// The same variable in another piece of the loop.
    pub(crate) fn join(&mut self, other: &Need) {
        // What was renamed apart may have to be so in full.
        self.way = if self.way == other.way { self.way } else { Way::Expand };
        self.bytes = self.bytes.zip(other.bytes).map(|(a, b)| a.max(b));
        self.lines.extend(&other.lines);
        self.lines.sort_unstable();
        self.lines.dedup();
    }
}

/// A class of verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Legal as it is.
    A,
    /// Legal after changes to storage.
    B,
    /// Blocked.
    C,
}

/// The needs of a loop through which nothing but reductions is passed on; `None` if some storage cannot be dealt with.
pub(crate) fn needs(profile: &Profile, context: ContextIndex, findings: &[Finding]) -> Option<Vec<Need>> {
    let is_meant = |finding: &&Finding| matches!(finding.remedy, Remedy::Privatise | Remedy::Blocks);
    let mut out: Vec<Need> = findings
        .iter()
        .filter(is_meant)
        .map(|finding| need(profile, context, finding))
        .collect::<Option<_>>()?;
    out.sort_by_key(|need| need.object);
    Some(out)
}

fn need(profile: &Profile, context: ContextIndex, finding: &Finding) -> Option<Need> {
    if finding.object == ObjectIndex::MAX || finding.uses.is_handed_on {
        return None;
    }
    let accesses: Vec<&Access> = accesses(profile, finding).collect();
    let bytes = union(accesses.iter().filter_map(|access| access.bytes()).collect());
    let uses = finding.uses;
    let way = match finding.remedy {
        Remedy::Privatise if uses.is_read_after => Way::LastPrivate,
        Remedy::Privatise => Way::Private,
        _ if !uses.is_exposed && is_written_whole(profile, context, &accesses, bytes) => Way::LastPrivate,
        _ if uses.is_exposed && !uses.is_mixed && !uses.is_overwritten => Way::Copy,
        _ => Way::Expand,
    };
    let mut lines: Vec<u32> = accesses.iter().map(|a| profile.location_of(a.statement).line).collect();
    lines.retain(|&line| line > 0);
    lines.sort_unstable();
    lines.dedup();
    // What functions of libraries do to it has no accesses of the loop's own: nothing is known but the size of a variable.
    let declared = profile.objects.get(finding.object as usize).map_or(0, |object| object.bytes);
    let bytes = if accesses.is_empty() { Some(declared).filter(|&bytes| bytes > 0) } else { Some(bytes) };
    let bytes = match way {
        Way::Expand => bytes.and_then(|bytes| bytes.checked_mul(iterations(profile, context))),
        _ => bytes,
    };
    Some(Need { object: finding.object, name: String::new(), way, bytes, lines })
}

/// The accesses at the ends of a finding's dependences.
pub(crate) fn accesses<'a>(profile: &'a Profile, finding: &Finding) -> impl Iterator<Item = &'a Access> {
    let ends = finding.dependences.iter().flat_map(|&d| {
        let dependence = &profile.dependences[d as usize];
        [dependence.source_access, dependence.sink_access]
    });
    let mut all: Vec<u32> = ends.flatten().collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(|access| &profile.accesses[access as usize])
}

/// Whether every iteration, so the last one too, writes a variable that is one location.
fn is_written_whole(profile: &Profile, context: ContextIndex, accesses: &[&Access], bytes: u64) -> bool {
    let dim = dimension(profile, context);
    let all = profile.contexts[context as usize].rounds();
    accesses.iter().any(|access| {
        let around = profile.loops_around(profile.context_of(access.statement));
        // In inner loops iterations might be written that have none.
        access.write && u64::from(access.size) == bytes && around.len() == dim + 1 && access.executions >= all
    })
}

/// Iterations of a loop per entry, on average, rounded up.
pub(crate) fn iterations(profile: &Profile, context: ContextIndex) -> u64 {
    let own = &profile.contexts[context as usize];
    own.rounds().div_ceil(own.entries.max(1))
}
