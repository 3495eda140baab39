//! `loopwright try`.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use report::trying::{self, Which};
use schedule::select::select;
use trial::{Comparison, Error, Fate, Plan, stored};

use crate::args::{PlainFormat, TryArgs};
use crate::output;
use crate::progress::Progress;
use crate::recording::INTERRUPTED;

/// Numbers of threads that are tried by default, as far as there are processors.
const THREADS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Runs the command; gives the exit code: 0 if all directives held, 1 if some did not.
pub fn run(args: &TryArgs) -> Result<u8> {
    let mut progress = Progress::new(args.quiet);
    progress.phase("judging loops", true);
    let profile = profile::file::read(&args.profile)?;
    if !profile.further_runs.is_empty() {
        bail!("a merged profile: directives are tried on one input, so give the profile of one run");
    }
    let report = report::report(&profile);
    let mut named = Vec::new();
    for name in &args.loops {
        named.extend(select(&report.loops, name)?);
    }
    let named = (!args.loops.is_empty()).then_some(&named[..]);
    let candidates = trying::candidates(&report, named, Which::Printed);
    if candidates.is_empty() {
        let of = if named.is_some() { "these loops have" } else { "the report has" };
        bail!(
            "nothing to try: {of} no directive to paste; loopwright report {} says why",
            args.profile.display()
        );
    }
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted)).context("handling of signals")?;
    }
    let plan = Plan {
        directory: args.directory.clone(),
        build: args.build.clone(),
        run: args.run.clone(),
        threads: threads(&args.threads),
        rounds: args.rounds,
        comparison: match (&args.compare, args.tolerance) {
            (Some(command), _) => Comparison::Command(command.clone()),
            (None, Some(tolerance)) => Comparison::Tolerance(tolerance),
            (None, None) => Comparison::Exact,
        },
        time_limit: args.time_limit,
        profiled: std::fs::metadata(&args.profile).and_then(|file| file.modified()).ok(),
        sanitize: args.sanitize,
    };
    progress.phase("building and running the original", true);
    let identity = stored::identity(&args.profile)?;
    let is_interrupted = || interrupted.load(Ordering::Relaxed);
    let mut say = |count: usize| {
        let what = match count {
            1 => "trying 1 directive".to_owned(),
            n => format!("trying {n} directives"),
        };
        progress.phase(what, true);
    };
    let tried = trial::attempt(&plan, &candidates, identity, &is_interrupted, &mut say);
    progress.end();
    let (outcome, patch) = match tried {
        Err(Error::Interrupted) => {
            let _ = writeln!(anstream::stderr(), "loopwright: {}", Error::Interrupted);
            return Ok(INTERRUPTED);
        }
        other => other?,
    };
    let path = stored::path(&args.profile);
    profile::file::replace(&path, |file| file.write_all(stored::text(&outcome).as_bytes()))
        .with_context(|| format!("{} could not be written", path.display()))?;
    if let Some(path) = &args.patch {
        profile::file::replace(path, |file| file.write_all(&patch))
            .with_context(|| format!("{} could not be written", path.display()))?;
    }
    let text = match args.format {
        PlainFormat::Text => trying::text(&outcome),
        PlainFormat::Json => stored::text(&outcome),
    };
    output::print(&text, None, args.quiet)?;
    Ok(u8::from(outcome.directives.iter().any(|tried| tried.fate != Fate::Kept)))
}

/// The numbers of threads that are asked for, or those up to the processors.
fn threads(asked: &[u32]) -> Vec<u32> {
    if !asked.is_empty() {
        let mut out = asked.to_vec();
        out.sort_unstable();
        out.dedup();
        return out;
    }
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    THREADS.into_iter().filter(|&n| n == 1 || n as usize <= processors).collect()
}
