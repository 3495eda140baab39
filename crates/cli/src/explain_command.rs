//! `loopwright explain`.

use anyhow::Result;
use report::explain;

use crate::args::{ExplainArgs, PlainFormat};
use crate::output;
use crate::progress::Progress;

/// Runs the command; gives the exit code.
pub fn run(args: &ExplainArgs) -> Result<u8> {
    let mut progress = Progress::new(false);
    progress.phase("reading", true);
    let profile = profile::file::read(&args.profile)?;
    progress.phase("judging loops", true);
    let report = report::report(&profile);
    let chosen = schedule::select::select(&report.loops, &args.name)?;
    let explained = || chosen.iter().map(|&at| (at, explain::explain(&report, at)));
    let text = match args.format {
        PlainFormat::Text => {
            let parts: Vec<String> =
                explained().map(|(at, explanation)| explain::text(&report, at, &explanation)).collect();
            parts.join("\n")
        }
        PlainFormat::Json => {
            let all: Vec<explain::Explanation> = explained().map(|(_, explanation)| explanation).collect();
            output::json(&all)?
        }
    };
    progress.end();
    output::print(&text, args.output.as_deref(), false)?;
    Ok(0)
}
