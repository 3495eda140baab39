//! `loopwright report`.

use std::io::{IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use profile::Profile;
use report::polyhedral::Program;
use report::published::Published;
use report::{Report, folding, isl, openscop, text, wire};
use schedule::propose::{self, Budget};

use crate::args::{Format, Fusion, ReportArgs};

/// Runs the command; gives the exit code.
pub fn run(args: &ReportArgs) -> Result<u8> {
    if args.published.is_some() && args.format != Format::Folding {
        bail!("--published is for --format folding");
    }
    if args.schedule && !matches!(args.format, Format::Text | Format::Json) {
        bail!("--schedule is for --format text and json");
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
            let profile = read(first, function)?;
            let rendering = Rendering { top: args.top, terminal, function };
            match format {
                Format::Text | Format::Json if args.schedule => {
                    let mut report = report::report(&profile);
                    report.proposals = Some(proposals(&report, args)?);
                    render_report(&report, format, &rendering)
                }
                _ => render(&profile, format, rendering),
            }
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

/// Regions with less of the instructions are left out.
const WORTH: f64 = 0.05;

/// What isl says that the hottest regions could become.
fn proposals(report: &Report, args: &ReportArgs) -> Result<Vec<propose::Proposal>> {
    let worker = ::isl::worker::Worker {
        program: std::env::current_exe().context("this program's own file")?,
        arguments: vec!["isl-worker".into()],
    };
    let fusion = match args.fusion {
        Fusion::Smart => ::isl::Fusion::Smart,
        Fusion::Max => ::isl::Fusion::Maximal,
    };
    let budget = Budget { seconds: args.schedule_time, fusion, ..Budget::default() };
    let regions = propose::hottest(&report.loops, WORTH);
    Ok(propose::propose(report.profile, &report.loops, regions, &worker, budget))
}

/// Answers a request for a schedule on standard input.
pub fn serve_schedule() -> Result<u8> {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    ::isl::worker::serve(&mut input, &mut output).context("a request for a schedule")?;
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
        Format::Text | Format::Json => render_report(&report::report(profile), format, &how),
        Format::Isl => isl::text(&Program::of(profile, how.function)),
        Format::Openscop => openscop::text(&Program::of(profile, how.function)),
        Format::Folding => folding::table(std::slice::from_ref(profile), how.function, None),
    }
}

/// A report as text, or as JSON.
fn render_report(report: &Report, format: Format, how: &Rendering) -> String {
    if format == Format::Json {
        return wire::json(report);
    }
    let colour = how.terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    text::summary(report, text::Options { top: how.top, colour })
}
