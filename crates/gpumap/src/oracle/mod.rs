//! Compares the sections of accesses with the addresses of a run.
//!
//! Definition checked: in every invocation of a function, every address at which an access starts lies in its section, whose
//! symbols have the values that they have in that invocation; addresses of objects are part of it. The text that was analysed
//! runs itself: it is compiled without optimisation, with the compiler's own callbacks before loads and stores, which give
//! address and size ([`instrument`]: how they are matched to accesses; [`run`]). The analysis has no part in what is observed.
//!
//! - [`claims`]: what the analysis says, and why it does not where it does not;
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
//! Limits: a run shows that a section is too small only if its inputs do. Accesses of sizes without a callback (other than 1, 2,
//! 4, 8 and 16 bytes) are not compared and say so; so are those that are never executed. Programs that leave functions by `longjmp` are not followed.
//!
//! Source: the address oracle of the research on C sources, extended by base addresses and one comparison per invocation.

use std::fmt;
use std::path::Path;

use num_bigint::BigInt;
use num_rational::BigRational;

use crate::access::show::show_bound;
use crate::frontend::{self, Compiler};
use crate::ir::{Function, Module, Type, ValueId};
use crate::reader;
use crate::recurrence::Reading;
use crate::symbolic::{AtomId, Bound, Range, Side};

pub mod claims;
pub mod instrument;
pub mod run;

use claims::{Claim, Claims, Excess, Kind, Origin, Terms, Unknown};
use instrument::Numbers;
use run::{Invocation, Log, Noted, Program, Seen};

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
        Ok(Oracle { text, module, claims })
    }

    /// Compares all that is said with runs, one per list of arguments.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn compare(&self, compiler: &Compiler, runs: &[Vec<String>]) -> Result<Vec<Site>, Failure> {
        let functions: Vec<(&Function, &Claims)> = self.module.defined().zip(&self.claims).collect();
        let (instrumented, numbers) = instrument::instrumented(&self.text, &self.module, &functions);
        let program = Program::build(compiler.clang(), &instrumented)?;
        let mut verdicts: Vec<Vec<Verdict>> =
            self.claims.iter().map(|claims| vec![Verdict::NotRun; claims.list.len()]).collect();
        for arguments in runs {
            let log = program.run(arguments)?;
            for invocation in &log.invocations {
                let (Some(&(function, claims)), Some(verdicts)) =
                    (functions.get(invocation.function), verdicts.get_mut(invocation.function))
                else {
                    return Err(Failure::Log);
                };
                let module = &self.module;
                let values = Values { module, function, claims, numbers: &numbers, log: &log, invocation };
                for ((claim, seen), verdict) in claims.list.iter().zip(&invocation.sites).zip(verdicts) {
                    *verdict = (*verdict).max(values.verdict(claim, seen)?);
                }
            }
        }
        let sites = functions.iter().zip(verdicts).flat_map(|(&(function, claims), verdicts)| {
            let name = self.module.name(function.symbol);
            claims.list.iter().zip(verdicts).map(move |(claim, verdict)| site(name, claims, claim, verdict))
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
        kind: claim.kind,
        section: claim.section.as_ref().map_or(String::new(), shown),
        is_assumed: claim.is_assumed,
        verdict,
    }
}

/// What symbols are in an invocation.
struct Values<'a> {
    module: &'a Module,
    function: &'a Function,
    claims: &'a Claims,
    numbers: &'a Numbers,
    log: &'a Log,
    invocation: &'a Invocation,
}

impl Values<'_> {
    /// How a claim compares with what was seen in the invocation.
    fn verdict(&self, claim: &Claim, seen: &Seen) -> Result<Verdict, Failure> {
        if seen.announced == 0 {
            return Ok(Verdict::NotRun);
        }
        if seen.seen == 0 {
            return Ok(Verdict::NotSeen);
        }
        let is_matched = seen.seen == seen.announced
            && claim.bytes == Some(seen.bytes)
            && seen.is_store == (claim.kind == Kind::Store);
        if !is_matched {
            let Claim { place, kind, bytes, .. } = claim.clone();
            return Err(Failure::Mismatch { place, kind, bytes });
        }
        let section = match &claim.section {
            Ok(section) => section,
            Err(unknown) => return Ok(Verdict::Unknown(*unknown)),
        };
        let terms = self.claims.terms(claim);
        let outside = if claim.is_assumed { Verdict::Refuted } else { Verdict::Uncovered };
        let Range::Between(lower, upper) = section else { return Ok(outside) };
        if claims::leaves(&terms.atoms, section).into_iter().any(|atom| self.is_several(terms, atom)) {
            return Ok(outside);
        }
        let (Some(lower), Some(upper)) =
            (self.end(terms, lower, Side::Lower), self.end(terms, upper, Side::Upper))
        else {
            return Ok(Verdict::Unknown(claim.depends.unwrap_or(Unknown::Operation)));
        };
        let (least, most) =
            (BigRational::from(BigInt::from(seen.least)), BigRational::from(BigInt::from(seen.most)));
        let is_outside =
            lower.as_ref().is_some_and(|end| least < *end) || upper.as_ref().is_some_and(|end| most > *end);
        Ok(if is_outside {
            outside
        } else if let Some(unknown) = claim.depends {
            Verdict::Unknown(unknown)
        } else if lower == Some(least) && upper == Some(most) {
            Verdict::Equal
        } else {
            Verdict::Wider(claim.excess)
        })
    }

    /// The number that an end of a section is: the greatest of the least members of its clauses, or the mirror image; `Some(None)`
    /// where there is no end, and `None` where something in it was not noted.
    fn end(&self, terms: &Terms, of: &Bound, side: Side) -> Option<Option<BigRational>> {
        let mut ends = Vec::new();
        for clause in of.clauses() {
            let members = clause.iter().map(|end| terms.atoms.value(end, &|atom| self.number(terms, atom)));
            let members = members.collect::<Option<Vec<_>>>()?;
            ends.extend(match side {
                Side::Lower => members.into_iter().min(),
                Side::Upper => members.into_iter().max(),
            });
        }
        Some(match side {
            Side::Lower => ends.into_iter().max(),
            Side::Upper => ends.into_iter().min(),
        })
    }

    fn origin<'t>(&self, terms: &'t Terms, atom: AtomId) -> Option<&'t Origin> {
        terms.origins.iter().find(|origin| origin.0 == atom).map(|(_, origin)| origin)
    }

    /// Whether an atom had several values in the invocation: then no section can be made of it.
    fn is_several(&self, terms: &Terms, atom: AtomId) -> bool {
        let Some(Origin::Values(values, _)) = self.origin(terms, atom) else { return false };
        let noted: Vec<Noted> = values.iter().filter_map(|value| self.noted(*value)).collect();
        noted.iter().any(|of| of.changed || Some(of.bits) != noted.first().map(|first| first.bits))
    }

    /// The number that an atom is; `None` if it was not noted.
    fn number(&self, terms: &Terms, atom: AtomId) -> Option<BigRational> {
        let number: BigInt = match self.origin(terms, atom)? {
            Origin::Address(name) => {
                let place = self.numbers.globals.iter().position(|global| global == name)?;
                self.log.globals.iter().find(|global| global.0 == place as u64)?.1.into()
            }
            Origin::Values(values, reading) => values.iter().find_map(|value| self.read(*value, *reading))?,
        };
        Some(number.into())
    }

    fn noted(&self, value: ValueId) -> Option<Noted> {
        let place = self.numbers.values.get(self.invocation.function)?.binary_search(&value).ok()?;
        *self.invocation.values.get(place)?
    }

    fn read(&self, value: ValueId, reading: Reading) -> Option<BigInt> {
        let noted = self.noted(value)?;
        let bits = match self.module.types.get(self.function.value(value).of) {
            Type::Integer(bits) => *bits,
            _ => 64,
        };
        let unused = 64_u32.checked_sub(bits)?;
        Some(match reading {
            Reading::Unsigned => noted.bits.into(),
            Reading::Signed => (((noted.bits << unused) as i64) >> unused).into(),
        })
    }
}
