//! `loopwright report`.

use std::io::{IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use profile::Profile;
use report::polyhedral::Program;
use report::published::Published;
use report::{folding, isl, openscop, text, wire};

use crate::args::{Format, ReportArgs};

/// Runs the command; gives the exit code.
pub fn run(args: &ReportArgs) -> Result<u8> {
    if args.published.is_some() && args.format != Format::Folding {
        bail!("--published is for --format folding");
    }
    let [first, others @ ..] = &args.profiles[..] else { bail!("no profile given") };
    if !others.is_empty() && args.format != Format::Folding {
        bail!("one profile at a time, except with --format folding");
    }
    let function = args.function.as_deref();
    let text = match args.format {
        Format::Folding => {
            let profiles: Vec<Profile> =
                args.profiles.iter().map(|path| read(path, function)).collect::<Result<_>>()?;
            folding::table(&profiles, function, published(args.published.as_deref())?.as_ref())
        }
        format => {
            let terminal = args.output.is_none() && std::io::stdout().is_terminal();
            render(&read(first, function)?, format, Rendering { top: args.top, terminal, function })
        }
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

/// Reads a profile in which a function must have run.
fn read(path: &Path, function: Option<&str>) -> Result<Profile> {
    let profile = profile::file::read(path)?;
    if function.is_some_and(|name| !profile.functions.iter().any(|f| f.name == name)) {
        bail!("{}: no function of that name ran: {}", path.display(), function.unwrap_or_default());
    }
    Ok(profile)
}

/// Reads published figures.
fn published(path: Option<&Path>) -> Result<Option<Published>> {
    let Some(path) = path else { return Ok(None) };
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Ok(Some(Published::parse(&text).with_context(|| path.display().to_string())?))
}

/// How to print a profile.
pub struct Rendering<'a> {
    /// Number of loops in the text summary.
    pub top: usize,
    /// Somebody reads it in a terminal.
    pub terminal: bool,
    /// The function to which polyhedral formats are confined.
    pub function: Option<&'a str>,
}

/// A profile in a format.
pub fn render(profile: &Profile, format: Format, how: Rendering) -> String {
    match format {
        Format::Text => {
            let colour = how.terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
            text::summary(&report::report(profile), text::Options { top: how.top, colour })
        }
        Format::Json => wire::json(&report::report(profile)),
        Format::Isl => isl::text(&Program::of(profile, how.function)),
        Format::Openscop => openscop::text(&Program::of(profile, how.function)),
        Format::Folding => folding::table(std::slice::from_ref(profile), how.function, None),
    }
}
