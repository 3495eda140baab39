//! Compares the sections of accesses with the addresses of a run.
//!
//! Definition checked: in every invocation of a function, every address at which an access starts lies in its section, whose
//! symbols have the values that they have in that invocation; addresses of objects are part of it. The text that was analysed
//! runs itself: it is compiled without optimisation, with the compiler's own callbacks before loads and stores, which give
//! address and size ([`instrument`]: how they are matched to accesses; [`run`]). The analysis has no part in what is observed.
//!
//! - [`claims`]: what the analysis says; [`reasons`]: why it does not where it does not;
//! - [`Verdict`]: equal to the section, or the section is wider, or nothing is said; an address outside of it is an error of the
//!   analysis.
//!
//! A section may be in terms of results of calls made before its loops (such as the address that `malloc` gives), of storage
//! of the function, and of contents of memory that stay the same: what loads give is noted, and has to be the same at all loads that
//! are said to give it. It is `unknown` if it is in terms of another value from memory, or has one end only, and compared all the
//! same. Sections are those of `access`; where these do not say of which object an access is, those of its address alone.
//! One that rests on an assumption which does not hold in a run is *refuted*, which is no error of the analysis.
//!
//! Sections of objects that are other ones at different times, such as rows behind pointers, are relative to their start, and so are
//! the addresses that are compared with them.
//!
//! Functions that stand in place of calls (`calls`) are compared too: a call in a run says which one it is, so an invocation is known by
//! the calls that led to it, and its addresses are compared with sections in terms of the caller's values.
//!
//! Limits: a run shows that a section is too small only if its inputs do. Accesses of sizes without a callback (other than 1, 2,
//! 4, 8 and 16 bytes) are not compared and say so; so are those that are never executed. Programs that leave functions by `longjmp` are not followed.
//!
//! Source: the address oracle of the research on C sources, extended by base addresses and one comparison per invocation.

use std::fmt;
use std::path::Path;

use crate::access::show::show_bound;
use crate::frontend::{self, Compiler};
use crate::ir::Module;
use crate::reader;
use crate::symbolic::{Range, Side};

mod behind;
pub mod claims;
pub mod instrument;
pub mod reasons;
pub mod run;
mod values;

use behind::Calls;
use claims::{Claim, Claims, Kind};
use instrument::Described;
use reasons::{Excess, Unknown};
use run::Program;
use values::Values;

/// Why there is no comparison.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// There is no module.
    #[error(transparent)]
    Source(#[from] frontend::Failure),
    /// A file cannot be read or written, or a program not started.
    #[error("{0}")]
    File(#[from] std::io::Error),
    /// A program ended with a failure.
    #[error("{program} failed: {said}")]
    Ended {
        /// Its name.
        program: String,
        /// What it said.
        said: String,
    },
    /// The log of a run ends early, or an access was seen that was not announced.
    #[error("the log of the run is damaged")]
    Log,
    /// An access in the run has another kind or size than the one it is matched to.
    #[error("{place}: a {kind} of {bytes:?} bytes does not match what ran there")]
    Mismatch {
        /// Its place.
        place: String,
        /// Its kind.
        kind: Kind,
        /// Its size.
        bytes: Option<u64>,
    },
}

/// How a section compares with the addresses of all invocations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It was never executed.
    NotRun,
    /// It was executed, but the compiler has no callback for its size.
    NotSeen,
    /// Each section begins and ends where the addresses do.
    Equal,
    /// Some section holds more.
    Wider(Excess),
    /// Nothing is claimed in terms of inputs.
    Unknown(Unknown),
    /// An address lies outside: an assumption of the section does not hold in the run.
    Refuted,
    /// An address lies outside: the analysis is wrong.
    Uncovered,
}

impl fmt::Display for Verdict {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::NotRun => write!(to, "not run"),
            Verdict::NotSeen => write!(to, "not seen"),
            Verdict::Equal => write!(to, "equal"),
            Verdict::Wider(excess) => write!(to, "wider: {excess}"),
            Verdict::Unknown(unknown) => write!(to, "unknown: {unknown}"),
            Verdict::Refuted => write!(to, "refuted: assumed, and not so"),
            Verdict::Uncovered => write!(to, "UNCOVERED"),
        }
    }
}

/// An access of a module.
#[derive(Debug, Clone)]
pub struct Site {
    /// Its function.
    pub function: String,
    /// Its place in the source, line and column.
    pub place: String,
    /// How many calls lead from the function to it.
    pub calls: usize,
    /// Its kind.
    pub kind: Kind,
    /// Its section as text, from the first to the last start; empty if there is none.
    pub section: String,
    /// Whether the section rests on assumptions.
    pub is_assumed: bool,
    /// How the section compares.
    pub verdict: Verdict,
}

/// How many accesses compare how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// [`Verdict::Equal`].
    pub equal: usize,
    /// [`Verdict::Wider`].
    pub wider: usize,
    /// [`Verdict::Unknown`].
    pub unknown: usize,
    /// [`Verdict::Refuted`].
    pub refuted: usize,
    /// [`Verdict::Uncovered`].
    pub uncovered: usize,
    /// [`Verdict::NotRun`] and [`Verdict::NotSeen`]: these do not count as compared.
    pub left_out: usize,
    /// Those of the compared ones whose sections rest on assumptions.
    pub assumed: usize,
}

impl Tally {
    /// That of some accesses.
    pub fn of<'a>(sites: impl IntoIterator<Item = &'a Site>) -> Tally {
        let mut tally = Tally::default();
        for site in sites {
            *match site.verdict {
                Verdict::Equal => &mut tally.equal,
                Verdict::Wider(_) => &mut tally.wider,
                Verdict::Unknown(_) => &mut tally.unknown,
                Verdict::Refuted => &mut tally.refuted,
                Verdict::Uncovered => &mut tally.uncovered,
                Verdict::NotRun | Verdict::NotSeen => &mut tally.left_out,
            } += 1;
            let is_compared = !matches!(site.verdict, Verdict::NotRun | Verdict::NotSeen);
            tally.assumed += usize::from(site.is_assumed && is_compared);
        }
        tally
    }

    /// Accesses that were executed and seen.
    pub fn compared(&self) -> usize {
        self.equal + self.wider + self.unknown + self.refuted + self.uncovered
    }
}

/// Compares all sections of a source with runs of it, one per list of arguments.
///
/// # Errors
/// See [`Failure`].
pub fn check(compiler: &Compiler, file: &Path, runs: &[Vec<String>]) -> Result<Vec<Site>, Failure> {
    Oracle::new(compiler, file)?.compare(compiler, runs)
}

/// A source, and what the analysis says of it.
#[derive(Debug)]
pub struct Oracle {
    text: String,
    module: Module,
    /// What is said of each function with a body, in the order of [`Module::defined`].
    pub claims: Vec<Claims>,
    /// What is said of the functions that each of these calls, in its terms.
    pub behind_calls: Vec<Claims>,
}

impl Oracle {
    /// Reads and analyses a source.
    ///
    /// # Errors
    /// [`Failure::Source`].
    pub fn new(compiler: &Compiler, file: &Path) -> Result<Oracle, Failure> {
        let text = compiler.text(file, &[])?;
        let module = reader::read(&text).map_err(|error| frontend::Failure::Text(file.to_owned(), error))?;
        let claims = module.defined().map(|function| claims::claims(&module, function)).collect();
        let behind = |function| claims::claims_behind_calls(&module, function);
        let behind_calls = module.defined().map(behind).collect();
        Ok(Oracle { text, module, claims, behind_calls })
    }

    /// Compares all that is said with runs, one per list of arguments. Accesses of functions that others call come once for
    /// themselves and once for each call string that leads to them.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn compare(&self, compiler: &Compiler, runs: &[Vec<String>]) -> Result<Vec<Site>, Failure> {
        let described = self.module.defined().zip(self.claims.iter().zip(&self.behind_calls));
        let functions: Vec<Described<'_>> = described
            .map(|(function, (claims, behind_calls))| Described { function, claims, behind_calls })
            .collect();
        let (instrumented, numbers) = instrument::instrumented(&self.text, &self.module, &functions);
        let program = Program::build(compiler.clang(), &instrumented)?;
        let not_run = |claims: &Claims| vec![Verdict::NotRun; claims.list.len()];
        let mut verdicts: Vec<[Vec<Verdict>; 2]> =
            functions.iter().map(|of| [not_run(of.claims), not_run(of.behind_calls)]).collect();
        for arguments in runs {
            let log = program.run(arguments)?;
            let calls = Calls::new(&functions, &log);
            for invocation in &log.invocations {
                let (Some(of), Some([own, behind])) =
                    (functions.get(invocation.function), verdicts.get_mut(invocation.function))
                else {
                    return Err(Failure::Log);
                };
                let (module, function, claims) = (&self.module, of.function, of.claims);
                let values = Values { module, function, claims, numbers: &numbers, log: &log, invocation };
                for ((claim, seen), verdict) in claims.list.iter().zip(&invocation.sites).zip(own) {
                    *verdict = (*verdict).max(values.verdict(claim, seen)?);
                }
                let values = Values { claims: of.behind_calls, ..values };
                for (claim, verdict) in of.behind_calls.list.iter().zip(behind) {
                    if let Some(seen) = calls.seen(invocation, claim) {
                        *verdict = (*verdict).max(values.verdict(claim, &seen)?);
                    }
                }
            }
        }
        let sites = functions.iter().zip(verdicts).flat_map(|(of, [own, behind])| {
            let name = self.module.name(of.function.symbol);
            let described = |claims: &Claims, verdicts: Vec<Verdict>| {
                let pairs = claims.list.iter().zip(verdicts);
                pairs.map(|(claim, verdict)| site(name, claims, claim, verdict)).collect::<Vec<_>>()
            };
            [described(of.claims, own), described(of.behind_calls, behind)].concat()
        });
        Ok(sites.collect())
    }
}

fn site(function: &str, claims: &Claims, claim: &Claim, verdict: Verdict) -> Site {
    let atoms = &claims.terms(claim).atoms;
    let shown = |section: &Range| match section {
        Range::Unreached => "never".to_owned(),
        Range::Between(lower, upper) => {
            format!("{} to {}", show_bound(atoms, lower, Side::Lower), show_bound(atoms, upper, Side::Upper))
        }
    };
    Site {
        function: function.to_owned(),
        place: claim.place.clone(),
        calls: claim.string.len(),
        kind: claim.kind,
        section: claim.section.as_ref().map_or(String::new(), shown),
        is_assumed: claim.is_assumed,
        verdict,
    }
}
