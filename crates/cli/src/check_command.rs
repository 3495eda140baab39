//! `loopwright check`.

use std::io::Write;

use anyhow::{Result, bail};
use report::diff::diff;
use report::requirement::Requirement;

use crate::args::CheckArgs;
use crate::progress::Progress;

/// Runs the command; gives the exit code: 0 if all requirements are met, 1 with the reasons if not.
pub fn run(args: &CheckArgs) -> Result<u8> {
    if args.baseline.is_none() && args.require.is_empty() {
        bail!("nothing to check: give --baseline FILE or --require REQUIREMENT");
    }
    let requirements: Vec<Requirement> =
        args.require.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let mut progress = Progress::new(args.quiet);
    progress.phase("judging loops", true);
    let profile = profile::file::read(&args.profile)?;
    let report = report::report(&profile);
    let mut failures: Vec<String> = requirements.iter().flat_map(|own| own.failures(&report)).collect();
    if profile.trust.is_cut_short() && !args.allow_truncated {
        let reached = report::limits::reached(&profile);
        failures.push(format!(
            "{} shows a part of the run alone ({}): record the whole run, or give --allow-truncated",
            args.profile.display(),
            reached.join("; ")
        ));
    }
    if let Some(path) = &args.baseline {
        let baseline = profile::file::read(path)?;
        failures.extend(diff(&report::report(&baseline), &report, 0.0).worse());
    }
    progress.end();
    for failure in &failures {
        // The exit code says it too.
        let _ = writeln!(anstream::stdout(), "{failure}");
    }
    if failures.is_empty() && !args.quiet {
        let _ = writeln!(anstream::stdout(), "all requirements are met");
    }
    Ok(u8::from(!failures.is_empty()))
}
