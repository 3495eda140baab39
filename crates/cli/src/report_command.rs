//! `loopwright report`.

use std::cell::OnceCell;
use std::io::IsTerminal;
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use profile::Profile;
use report::polyhedral::Program;
use report::proposals::{self, Proposals};
use report::published::Published;
use report::regions::{self, Row};
use report::{Report, existing, flamegraph, folding, html, isl, openscop, sarif, stacks, text, wire};
use schedule::options::Machine;
use schedule::propose::{self, Budget};

use crate::args::{Format, Fusion, ReportArgs};
use crate::caches;
use crate::code_files;
use crate::output;
use crate::parquet_files;
use crate::progress::Progress;
use crate::source_files;

/// Runs the command; gives the exit code.
pub fn run(args: &ReportArgs) -> Result<u8> {
    check_arguments(args)?;
    let mut progress = Progress::new(args.quiet);
    let text = text_of(args, &mut progress)?;
    progress.end();
    output::print(&text, args.output.as_deref(), args.quiet)?;
    Ok(0)
}

/// Refuses options that do not go together.
fn check_arguments(args: &ReportArgs) -> Result<()> {
    let is_folding = args.format() == Format::Folding;
    if args.published.is_some() && !is_folding && !args.table {
        bail!("--published is for --table and --format folding");
    }
    if args.schedule && !matches!(args.format(), Format::Text | Format::Json | Format::Html) {
        bail!("--schedule is for --format text, json and html");
    }
    if args.table && args.format() != Format::Text {
        bail!("--table has a form of its own: no --format beside it");
    }
    let asks = args.schedule || args.table;
    let of_schedules = [
        (args.schedule_time.is_some(), "--schedule-time"),
        (args.fusion.is_some(), "--fusion"),
        (args.region.is_some(), "--region"),
        (args.verify, "--verify"),
    ];
    if let Some((_, name)) = of_schedules.iter().find(|(given, _)| *given && !asks) {
        bail!("{name} is for --schedule and --table");
    }
    if args.profiles.len() > 1 && !is_folding && !args.table {
        bail!("one profile at a time, except with --table and --format folding");
    }
    Ok(())
}

/// What is printed.
fn text_of(args: &ReportArgs, progress: &mut Progress) -> Result<String> {
    let function = args.function.as_deref();
    let published = |columns: &[&'static str]| published(args.published.as_deref(), columns);
    if args.table {
        let published = published(&regions::published_columns())?;
        let rows: Vec<Row> = args
            .profiles
            .iter()
            .map(|path| {
                progress.phase("reading", true);
                Ok(Row::of(&advised(&read(path, function)?, args, progress)?))
            })
            .collect::<Result<_>>()?;
        return Ok(regions::table(&rows, published.as_ref()));
    }
    progress.phase("reading", true);
    if args.format() == Format::Folding {
        let profiles: Vec<Profile> =
            args.profiles.iter().map(|path| read(path, function)).collect::<Result<_>>()?;
        return Ok(folding::table(&profiles, function, published(&folding::published_columns())?.as_ref()));
    }
    if args.parquet.is_some() {
        parquet_files::check()?;
    }
    let path = args.profiles.first().context("no profile given")?;
    let terminal = output::is_standard(args.output.as_deref()) && std::io::stdout().is_terminal();
    let profile = read(path, function)?;
    if let Some(directory) = &args.parquet {
        progress.phase("writing tables", true);
        parquet_files::of_profile(&profile, directory)?;
    }
    let judged = Judged::stored(&profile, path);
    if args.schedule {
        judged.advise(advised(&profile, args, progress)?);
    } else {
        progress.phase("judging loops", true);
    }
    judged.render(args.format(), Rendering { top: args.top, terminal, function })
}

/// Regions with less of the instructions are left out.
const WORTH: f64 = 0.05;
/// Pairs of each piece of a dependence with which schedules are compared under `--verify`.
const MANY_PAIRS: u64 = 1 << 20;

/// Refuses merged profiles for what is said of one run.
fn is_one_run(profile: &Profile, what: &str) -> Result<()> {
    if !profile.further_runs.is_empty() {
        bail!("a merged profile: {what} are of one run, so give the profile of one");
    }
    Ok(())
}

/// A report with what isl says that the hottest regions, or those named, could become.
fn advised<'a>(profile: &'a Profile, args: &ReportArgs, progress: &mut Progress) -> Result<Report<'a>> {
    is_one_run(profile, "schedules and regions")?;
    progress.phase("judging loops", true);
    let mut report = report::report(profile);
    let regions = match &args.region {
        None => propose::hottest(&report.loops, WORTH),
        Some(name) => propose::named(&report.loops, name)?,
    };
    let worker = ::isl::worker::Worker {
        program: std::env::current_exe().context("this program's own file")?,
        arguments: vec!["isl-worker".into()],
    };
    let fusion = match args.fusion {
        None | Some(Fusion::Smart) => propose::Fusion::Smart,
        Some(Fusion::Max) => propose::Fusion::Maximal,
    };
    let mut budget = Budget { fusion, ..Budget::default() };
    budget.seconds = args.schedule_time.unwrap_or(budget.seconds);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let caches = caches::of_this_machine();
    budget.machine = Machine::new(&caches, processors, args.longer.unwrap_or(1));
    budget.regardless = args.regardless;
    if args.verify {
        budget.pairs = MANY_PAIRS;
    }
    if let Some(directory) = &args.code {
        progress.phase("writing code", true);
        let regions: Vec<&propose::Region> = regions.iter().collect();
        report.code = Some(code_files::write(&report, args, directory, &regions, (&worker, budget))?);
    }
    progress.phase(format!("scheduling ({} regions)", regions.len()), true);
    let found = propose::propose(profile, &report.loops, regions, &worker, budget);
    report.proposals = Some(Proposals {
        all: proposals::weigh(profile, &report.loops, found, fusion, budget.machine.processors),
        caches,
        machine: budget.machine,
        verified: args.verify,
    });
    Ok(report)
}

/// Answers a request for a schedule on standard input.
pub fn serve_schedule() -> Result<u8> {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    ::isl::worker::serve(&mut input, &mut output).context("a request for a schedule")?;
    Ok(0)
}

/// The page of a profile, as `open` shows it.
pub fn page(path: &Path, top: usize, progress: &mut Progress) -> Result<String> {
    progress.phase("reading", true);
    let profile = read(path, None)?;
    progress.phase("judging loops", true);
    Judged::stored(&profile, path).render(Format::Html, Rendering { top, terminal: false, function: None })
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
fn published(path: Option<&Path>, columns: &[&'static str]) -> Result<Option<Published>> {
    let Some(path) = path else { return Ok(None) };
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Ok(Some(Published::parse(&text, columns).with_context(|| path.display().to_string())?))
}

/// How to print a profile.
#[derive(Debug, Clone, Copy)]
pub struct Rendering<'a> {
    /// Number of loops in the text summary, and of nests on a page.
    pub top: usize,
    /// Somebody reads it in a terminal.
    pub terminal: bool,
    /// The function to which polyhedral formats are confined.
    pub function: Option<&'a str>,
}

/// A profile, and what is said of its loops: found when a format first asks for it.
pub struct Judged<'p> {
    profile: &'p Profile,
    /// When the profile was written; `None` just now.
    made: Option<SystemTime>,
    /// What came of trying its directives.
    tried: Option<trial::Outcome>,
    report: OnceCell<Report<'p>>,
}

impl<'p> Judged<'p> {
    /// A profile that was just made.
    pub fn new(profile: &'p Profile) -> Judged<'p> {
        Judged { profile, made: None, tried: None, report: OnceCell::new() }
    }

    /// A profile that was just written to a file: whether directives of just this one were tried, that tells.
    pub fn written(profile: &'p Profile, path: &Path) -> Judged<'p> {
        Judged { tried: trial::stored::read(path), ..Judged::new(profile) }
    }

    /// A profile that was read from a file.
    fn stored(profile: &'p Profile, path: &Path) -> Judged<'p> {
        let made = std::fs::metadata(path).and_then(|file| file.modified()).ok();
        Judged { made, ..Judged::written(profile, path) }
    }

    /// Takes a report that is made already.
    fn advise(&self, report: Report<'p>) {
        self.report.get_or_init(|| self.completed(report));
    }

    fn report(&self) -> &Report<'p> {
        self.report.get_or_init(|| self.completed(report::report(self.profile)))
    }

    /// A report with what files beside the profile tell.
    fn completed(&self, mut report: Report<'p>) -> Report<'p> {
        // What guards the updates of loops that have directives already.
        let files = existing::files(&report);
        if !files.is_empty() {
            existing::apply(&mut report, &source_files::read(&files, self.made));
        }
        if let Some(tried) = self.tried.clone() {
            report::trying::apply(&mut report, tried);
        }
        report
    }

    /// It in a format.
    pub fn render(&self, format: Format, how: Rendering) -> Result<String> {
        if matches!(format, Format::Isl | Format::Openscop) {
            is_one_run(self.profile, "polyhedral programs")?;
        }
        Ok(match format {
            Format::Isl => isl::text(&Program::of(self.profile, how.function)),
            Format::Openscop => openscop::text(&Program::of(self.profile, how.function)),
            Format::Folding => folding::table(std::slice::from_ref(self.profile), how.function, None),
            Format::Json => wire::json(self.report()),
            Format::Html => {
                let options = html::Options { nests: how.top };
                let sources = source_files::read(&html::files(self.report(), options), self.made);
                html::page(self.report(), &sources, options)
            }
            Format::Sarif => sarif::sarif(self.report(), std::env::current_dir().ok().as_deref()),
            Format::Svg => flamegraph::svg(self.report())?,
            Format::Folded => stacks::folded(self.report()),
            Format::Speedscope => stacks::speedscope(self.report()),
            Format::Text => {
                let colour = match anstream::ColorChoice::global() {
                    anstream::ColorChoice::Auto => {
                        how.terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
                    }
                    anstream::ColorChoice::Always | anstream::ColorChoice::AlwaysAnsi => true,
                    anstream::ColorChoice::Never => false,
                };
                text::summary(self.report(), text::Options { top: how.top, colour })
            }
        })
    }
}
