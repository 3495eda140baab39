//! `loopwright report`.

use std::io::{IsTerminal, Write};

use anyhow::{Context, Result};
use report::{text, wire};

use crate::args::{Format, ReportArgs};

/// Runs the command; gives the exit code.
pub fn run(args: &ReportArgs) -> Result<u8> {
    let profile = profile::file::read(&args.profile)?;
    let report = report::report(&profile);
    let colour = args.output.is_none()
        && std::io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let text = match args.format {
        Format::Text => text::summary(&report, text::Options { top: args.top, colour }),
        Format::Json => wire::json(&report),
    };
    match &args.output {
        Some(path) => {
            profile::file::replace(path, |file| file.write_all(text.as_bytes()))
                .with_context(|| format!("{} could not be written", path.display()))?;
            if !args.quiet {
                // The report is written; nobody to tell is no error.
                let _ = writeln!(anstream::stderr(), "Report: {}", path.display());
            }
        }
        None => match std::io::stdout().lock().write_all(text.as_bytes()) {
            // A reader that has seen enough is not an error.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            other => other.context("standard output")?,
        },
    }
    Ok(0)
}
