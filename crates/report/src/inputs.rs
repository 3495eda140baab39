//! What the runs of a merged profile say of a loop.
//!
//! Definition: an *input* is one run of the program, numbered from 1 for people and from 0 in JSON, in the order of merging.

use profile::{Profile, Program};
use schedule::{Parallel, SourceLoop};

use crate::finding::verdict_name;

/// Most inputs that are listed one by one.
const MOST: usize = 12;

/// A loop on one input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnInput {
    /// The input, from 0.
    pub input: usize,
    /// Its verdict there.
    pub parallel: Parallel,
    /// How often it was entered.
    pub entries: u64,
    /// Its iterations.
    pub iterations: u64,
}

/// A loop input by input, for those that reach it; none if the profile is of one run.
pub fn of_loop(profile: &Profile, own: &SourceLoop) -> Vec<OnInput> {
    if profile.further_runs.is_empty() {
        return Vec::new();
    }
    let on = |input| {
        let own = own.in_run(profile, input)?;
        Some(OnInput { input, parallel: own.parallel, entries: own.entries, iterations: own.iterations })
    };
    (0..profile.runs().len()).filter_map(on).collect()
}

/// On which inputs the verdict on a loop holds, to be put behind it; `None` if the profile is of one run.
pub fn behind_verdict(profile: &Profile, own: &SourceLoop) -> Option<String> {
    let on = of_loop(profile, own);
    let all = profile.runs().len();
    let holds: Vec<usize> = on.iter().filter(|on| on.parallel == own.parallel).map(|on| on.input).collect();
    match (holds.len(), on.len()) {
        (0, _) => None,
        (n, _) if n == all => Some(format!("on all {all} inputs")),
        (n, reached) if n == reached => Some(format!("on all inputs that reach it ({n} of {all})")),
        _ => Some(format!("on {}", listed(&holds))),
    }
}

/// What a loop is on inputs where its verdict is another one, in words; `None` if it is the same everywhere.
pub fn otherwise(profile: &Profile, own: &SourceLoop) -> Option<String> {
    let on = of_loop(profile, own);
    let mut verdicts: Vec<Parallel> = on.iter().map(|on| on.parallel).collect();
    verdicts.sort_unstable();
    verdicts.dedup();
    let of = |verdict: Parallel| -> Vec<usize> {
        on.iter().filter(|on| on.parallel == verdict).map(|on| on.input).collect()
    };
    let others: Vec<String> = verdicts
        .into_iter()
        .filter(|&verdict| verdict != own.parallel)
        .map(|verdict| format!("{} on {}", in_words(verdict), listed(&of(verdict))))
        .collect();
    (!others.is_empty()).then(|| others.join("; "))
}

fn in_words(verdict: Parallel) -> &'static str {
    match verdict {
        Parallel::Yes => "parallel",
        Parallel::Reduction => "parallel with a reduction",
        Parallel::AfterPrivatisation => "parallel after privatisation",
        other => verdict_name(other),
    }
}

/// `input 2`, `inputs 1, 3`, `17 inputs`.
fn listed(inputs: &[usize]) -> String {
    match inputs {
        [one] => format!("input {}", one + 1),
        _ if inputs.len() > MOST => format!("{} inputs", inputs.len()),
        _ => {
            format!("inputs {}", inputs.iter().map(|at| (at + 1).to_string()).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The inputs of a merged profile, a line each; those beyond the first dozen are counted.
pub fn list(profile: &Profile) -> Vec<String> {
    if profile.further_runs.is_empty() {
        return Vec::new();
    }
    let mut out: Vec<String> = (1..)
        .zip(profile.runs())
        .take(MOST)
        .map(|(number, run)| format!("input {number}: {}", command(run)))
        .collect();
    if let Some(more) = profile.runs().len().checked_sub(MOST).filter(|&more| more > 0) {
        out.push(format!("and {more} more inputs"));
    }
    out
}

/// A run as it was called, with its exit status unless that is 0.
fn command(run: &Program) -> String {
    let words = run.argv.join(" ");
    match run.exit_status {
        Some(0) => words,
        Some(status) => format!("{words} (ended with status {status})"),
        None => format!("{words} (did not end)"),
    }
}
