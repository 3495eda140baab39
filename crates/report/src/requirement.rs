//! What a program's loops have to be, as `loopwright check` takes it.

use std::str::FromStr;

use schedule::Parallel;
use schedule::select::select;

use crate::directive;
use crate::finding::{self, Report};

/// A requirement.
#[derive(Debug, Clone, PartialEq)]
pub enum Requirement {
    /// Iterations of a loop are independent, but for reductions.
    Parallel(String),
    /// The iterations of an innermost loop can be lanes of vectors.
    Vectorisable(String),
    /// A loop may be permuted with the one around it.
    Permutable(String),
    /// At least so many percent of the instructions are in exact affine form.
    Exact(f64),
}

/// A requirement that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}: expected \"parallel LOOP\", \"vectorisable LOOP\", \"permutable LOOP\" or \"exact PERCENT\"")]
pub struct Malformed(String);

impl FromStr for Requirement {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Requirement, Malformed> {
        let malformed = || Malformed(text.to_owned());
        let (kind, rest) = text.trim().split_once(char::is_whitespace).ok_or_else(malformed)?;
        let rest = rest.trim();
        match kind {
            "parallel" => Ok(Requirement::Parallel(rest.to_owned())),
            "vectorisable" => Ok(Requirement::Vectorisable(rest.to_owned())),
            "permutable" => Ok(Requirement::Permutable(rest.to_owned())),
            "exact" => {
                let percent: f64 = rest.trim_end_matches('%').trim().parse().map_err(|_| malformed())?;
                (0.0..=100.0).contains(&percent).then_some(Requirement::Exact(percent)).ok_or_else(malformed)
            }
            _ => Err(malformed()),
        }
    }
}

impl Requirement {
    /// Why a program does not meet it; nothing if it does. A loop that did not run does not.
    pub fn failures(&self, report: &Report<'_>) -> Vec<String> {
        let named = |name: &str, judge: &dyn Fn(usize) -> Option<String>| match select(&report.loops, name) {
            Err(unknown) => vec![unknown.to_string()],
            Ok(found) => found.into_iter().filter_map(judge).collect(),
        };
        match self {
            Requirement::Parallel(name) => named(name, &|at| {
                let l = &report.loops[at];
                let is_met = matches!(l.parallel, Parallel::Yes | Parallel::Reduction);
                if is_met && directive::is_left_early(report.profile, l) {
                    return Some(format!(
                        "{} is left early: how often it iterates depends on the data",
                        l.id
                    ));
                }
                (!is_met).then(|| format!("{} is not parallel{}", l.id, because(report, at)))
            }),
            Requirement::Vectorisable(name) => named(name, &|at| {
                let l = &report.loops[at];
                let inner = if l.innermost {
                    because(report, at)
                } else {
                    ": it is not an innermost loop".to_owned()
                };
                (!finding::is_vectorisable(report.profile, l))
                    .then(|| format!("{} cannot be vectorised{inner}", l.id))
            }),
            Requirement::Permutable(name) => named(name, &|at| {
                let l = &report.loops[at];
                (!l.permutable_with_parent)
                    .then(|| format!("{} may not be permuted with a loop around it", l.id))
            }),
            Requirement::Exact(percent) => {
                // Of all that ran, not of what was recorded.
                let Some(recorded) = report.profile.trust.recorded_fraction() else {
                    return vec![format!(
                        "it is not known whether {percent} % of the instructions are in exact affine form: the program ran on unrecorded"
                    )];
                };
                let own = 100.0 * report.exact_fraction * recorded;
                let is_met = own >= *percent;
                let words = || {
                    format!("{own:.1} % of the instructions are in exact affine form, less than {percent} %")
                };
                (!is_met).then(words).into_iter().collect()
            }
        }
    }
}

/// What stands against a loop.
fn because(report: &Report<'_>, at: usize) -> String {
    let l = &report.loops[at];
    match l.parallel {
        Parallel::Unknown => format!(": {}", finding::why_unknown(report.profile, l)),
        Parallel::AfterPrivatisation => {
            format!(" as it is: {} have to be private", finding::privatise(report.profile, l).join(", "))
        }
        _ => {
            let first = finding::blocking(report.profile, l).into_iter().next();
            first.map_or(String::new(), |b| format!(": {}", crate::text::sentence(&b, l)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_read() {
        assert_eq!("parallel lu.c:12".parse(), Ok(Requirement::Parallel("lu.c:12".to_owned())));
        assert_eq!("exact  97.5 %".parse(), Ok(Requirement::Exact(97.5)));
        for text in ["", "parallel", "exact many", "exact 101", "fast x"] {
            assert!(text.parse::<Requirement>().is_err(), "{text}");
        }
    }
}
