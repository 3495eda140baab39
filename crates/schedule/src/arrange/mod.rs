//! Loops made of several, and several made of one, judged without a scheduler (polyhedral note, "Legality without a
//! scheduler").
//!
//! - [`distribution`]: a loop becomes one loop per strongly connected set of its statements;
//! - [`fusion`]: two loops that follow one another become one, the second delayed if need be.
//! - [`inward`]: a parallel loop is made the innermost of its nest.
//!
//! Where a profile has several runs, only what holds in all of them is said.
//!
//! Limits: loops that a compiler made several of are left out, and so are those that were not recorded whole. Conditions are not
//! dependences: loops with statements that some iterations skip are not distributed. Loops that call the system stay as they are.

pub mod distribution;
pub mod fusion;
pub mod inward;

use profile::{ContextIndex, Dependence, Kind, LevelSummary, ObjectIndex, Operation, Profile};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::SourceLoop;
use crate::graph::inside;
use crate::verdict::{Parallel, Verdict};

/// Loops with a smaller share of the program's instructions, or pairs of them together, are not looked at.
const LEAST_SHARE: f64 = 0.001;

/// Dependences and accesses by context.
#[derive(Debug, Default)]
pub struct Index {
    dependences: FxHashMap<ContextIndex, Vec<u32>>,
    accesses: FxHashMap<ContextIndex, Vec<u32>>,
    /// Where the system is called: what that does has an order too.
    system: FxHashSet<ContextIndex>,
}

impl Index {
    /// Sorts them.
    pub fn new(profile: &Profile) -> Index {
        let mut out = Index::default();
        let calls = profile.statements.iter().enumerate().filter(|(_, s)| s.operation == Operation::System);
        out.system.extend(calls.map(|(at, _)| profile.context_of(at as u32)));
        for (index, d) in profile.dependences.iter().enumerate() {
            let [from, to] = [d.source, d.sink].map(|s| profile.context_of(s));
            out.dependences.entry(from).or_default().push(index as u32);
            if from != to {
                out.dependences.entry(to).or_default().push(index as u32);
            }
        }
        for (index, access) in profile.accesses.iter().enumerate().filter(|(_, a)| a.executions > 0) {
            out.accesses.entry(profile.context_of(access.statement)).or_default().push(index as u32);
        }
        out
    }
}

/// What loops are in each of the runs of a profile; those that did not run then have no contexts.
fn by_run<'a>(profile: &'a Profile, loops: &'a [SourceLoop]) -> impl Iterator<Item = Vec<SourceLoop>> + 'a {
    let absent = |own: &SourceLoop| SourceLoop { contexts: Vec::new(), verdicts: Vec::new(), ..own.clone() };
    (0..profile.runs().len()).map(move |run| {
        loops.iter().map(|own| own.in_run(profile, run).unwrap_or_else(|| absent(own))).collect()
    })
}

/// The one context of a loop and its verdict; `None` if it has several, was not recorded whole, or calls the system.
fn single<'a>(profile: &Profile, index: &Index, own: &'a SourceLoop) -> Option<(ContextIndex, &'a Verdict)> {
    let (&[context], [verdict]) = (&own.contexts[..], &own.verdicts[..]) else { return None };
    let node = &profile.contexts[context as usize];
    let calls_system = || inside(profile, &own.contexts).iter().any(|context| index.system.contains(context));
    let is_whole = node.is_dimension && node.is_whole() && !own.recursive && !calls_system();
    (is_whole && verdict.parallel != Parallel::Unknown).then_some((context, verdict))
}

/// Whether an object has a value per iteration anyway.
fn is_private(profile: &Profile, verdict: &Verdict, object: ObjectIndex) -> bool {
    verdict.privatise.contains(&object) || verdict.is_spill(profile, object)
}

/// Whether what a dependence passes at a level is storage that every iteration can have for itself.
fn is_own(profile: &Profile, verdict: &Verdict, level: &LevelSummary) -> bool {
    let is_own = |used: &profile::ObjectUse| used.callee || is_private(profile, verdict, used.object);
    !level.objects.is_empty() && level.objects.iter().all(is_own)
}

/// Whether a dependence is on what a loop computes anew in every iteration: an induction variable, or an invariant.
fn is_induction(verdict: &Verdict, dependence: &Dependence) -> bool {
    let is_scev = |s: u32| verdict.scevs.binary_search(&s).is_ok();
    let is_output = dependence.kind == Kind::Output;
    dependence.induction().is_some_and(is_scev)
        || is_output && (is_scev(dependence.source) || is_scev(dependence.sink))
}
