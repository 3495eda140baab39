//! `loopwright profile`.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use ddg::finish::{About, finish};
use ddg::guide::{Part, Symbols};
use profile::file::FileError;
use profile::{Limit, Profile, Program, Reached, Untracked};
use program::known::Known;
use record::{Config, Exit, Follow, Input, Interrupts, Outcome};

use report::limits;

use crate::args::{Format, ProfileArgs, Scope};
use crate::following::Following;
use crate::lenses;
use crate::parquet_files;
use crate::progress::Progress;
use crate::recording::{self, INTERRUPTED, absence, config, exit_code, output, part};
use crate::report_command::{Judged, Rendering};
use crate::streams::note;

/// Runs the command; gives the exit code.
pub fn run(args: &ProfileArgs) -> Result<u8> {
    // Standard error holds the report alone where a program may read it.
    let chatty = !args.quiet && args.format == Format::Text;
    if chatty {
        hints(args);
    }
    let interrupts = Interrupts::hold(chatty);
    let mut config = config(&args.target, &args.bounds)?;
    config.scope = scope(args.scope);
    config.skip_startup = !args.record_startup;
    config.contracts = !args.record_libraries;
    config.skip_runtimes = !args.record_libraries;
    recording::refuse_emulated(
        &config,
        &[
            ("--two-pass", args.two_pass),
            ("--focus", args.focus),
            ("--fast", args.fast),
            ("--follow", args.follow),
            ("--skip", config.skip.is_some()),
            ("--scope main", args.scope == Scope::Main),
        ],
    )?;
    let extension = if args.fast { ".fast.lwp" } else { ".lwp" };
    let path = output(args.output.as_deref(), &config.program, extension, args.force)?;
    if !args.force {
        recording::spare(&path)?;
    }
    if let Some(directory) = &args.parquet {
        // Before the program runs, which may take long.
        parquet_files::prepare(directory)?;
    }
    let mut progress = Progress::new(args.quiet);
    let mut following = None;
    let (mut profile, outcome) = if args.fast {
        count_program(&config, &mut progress)?
    } else {
        let plan = || {
            let folding = ddg::Folding {
                widen_dependences: args.widen_deps,
                give_up: args.give_up,
                ..ddg::Folding::default()
            };
            let part = part(&args.bounds);
            Plan {
                part,
                folding,
                limit: args.memory_limit,
                time: args.time_limit,
                known: None,
                no_arguments: args.no_arguments,
            }
        };
        following = args.follow.then(|| Following::new(&config, plan(), &path));
        config.follow = following.clone().map(|following| following as Arc<dyn Follow>);
        let plan = plan();
        if args.two_pass || args.focus {
            let how = Twice { chatty, focus: args.focus };
            match record_twice(&config, plan, how, &interrupts, &mut progress)? {
                Some(result) => result,
                None => return Ok(INTERRUPTED),
            }
        } else {
            if chatty {
                progress.hint(LONG_RUN);
            }
            record_program(&config, plan, &mut progress)?
        }
    };
    let part = part(&args.bounds);
    let is_part = part != Part::Whole || config.begins_amid();
    if is_part && profile.trust.instructions == 0 {
        let missing = profile.trust.untracked.iter().find_map(|untracked| match untracked {
            Untracked::NotMet { begin, end } => Some(limits::not_met(begin.as_deref(), end.as_deref())),
            _ => None,
        });
        let why = missing.unwrap_or_else(|| absence(&part));
        bail!("{why}: nothing was recorded, and {} is not written", path.display());
    }
    if args.no_arguments {
        profile.program.argv.truncate(1);
    }
    // First of all it is kept, whatever becomes of the report.
    let written =
        profile::file::write(&profile, &path).map_err(|error| keep_elsewhere(&profile, &path, error));
    let judged = if written.is_ok() { Judged::written(&profile, &path) } else { Judged::new(&profile) };
    if !args.quiet {
        progress.phase("judging loops", true);
        print_report_after(&judged, (args.format, args.top), &progress);
    }
    written?;
    if let Some(file) = &args.report {
        let rendering = Rendering { top: args.top, terminal: false, function: None };
        crate::output::print(&judged.render(file.format, rendering)?, Some(&file.path), true)?;
    }
    if let Some(directory) = &args.parquet {
        parquet_files::of_profile(&profile, directory)?;
    }
    // Others may outlive the program.
    let others = following.map(|following| following.finish()).unwrap_or_default();
    if chatty {
        let mut err = anstream::stderr().lock();
        if let Some(file) = &args.report {
            let _ = writeln!(err, "\nReport: {}", file.path.display());
        }
        // A closed standard error must not lose the profile that was just written.
        let _ = writeln!(
            err,
            "\nProfile: {} (loopwright explain {0} LOOP; loopwright report {0} --format html)",
            path.display()
        );
        for other in others {
            let _ = writeln!(err, "  {other}");
        }
    }
    Ok(exit_code(outcome.exit))
}

/// Says what may not be meant: options of this program behind the other one, and scripts.
fn hints(args: &ProfileArgs) {
    let is_separated = std::env::args_os().any(|argument| argument == "--");
    let command = ProfileArgs::augment_args(clap::Command::new("profile"));
    let is_ours = |own: &&OsString| {
        let own = own.to_string_lossy();
        let own = own.split('=').next().unwrap_or_default();
        command.get_arguments().any(|option| {
            let long = option.get_long().is_some_and(|long| own.strip_prefix("--") == Some(long));
            long || option
                .get_short()
                .is_some_and(|short| own.strip_prefix('-') == Some(short.encode_utf8(&mut [0; 4])))
        })
    };
    let behind = args.target.command.iter().skip(1).find(is_ours);
    if let Some(option) = behind.filter(|_| !is_separated) {
        let option = option.to_string_lossy();
        note(&format!(
            "loopwright: {option} is passed to the program; options of loopwright stand before it"
        ));
    }
    let program = args.target.command.first().map(Path::new);
    if let Some(Ok(Some(interpreter))) = program.map(record::interpreter) {
        note(&format!(
            "loopwright: this is a script: what is profiled is the program that interprets it ({})",
            interpreter.display()
        ));
    }
}

fn scope(asked: Scope) -> record::Scope {
    match asked {
        Scope::All => record::Scope::All,
        Scope::Main => record::Scope::Main,
    }
}

/// How to analyse a recording.
#[derive(Debug)]
pub struct Plan {
    /// Which part of the run is recorded.
    pub part: Part,
    /// How streams are folded.
    pub folding: ddg::Folding,
    /// MiB for the analysis, about.
    pub limit: usize,
    /// For the analysis, from the start of the recording.
    pub time: Option<Duration>,
    /// What an earlier run showed.
    pub known: Option<Known>,
    /// The profile does not say with which arguments the program was run.
    pub no_arguments: bool,
}

/// What receives a recording.
pub fn engine(plan: &Plan) -> ddg::Engine {
    // Clones would share their counters of pieces.
    let ddg::Folding { widen_dependences, give_up, .. } = plan.folding;
    let folding = ddg::Folding { widen_dependences, give_up, ..ddg::Folding::default() };
    let engine = ddg::Engine::with_limit(plan.limit.saturating_mul(1 << 20)).folding(folding);
    match plan.time {
        Some(time) => engine.within(time),
        None => engine,
    }
}

/// Records a program and builds its profile.
pub fn record_program(config: &Config, plan: Plan, progress: &mut Progress) -> Result<(Profile, Outcome)> {
    progress.phase("recording", false);
    let mut engine = engine(&plan);
    let part = recording::recorded_part(&plan.part, config.begins_amid().then_some(profile::Part::Attached));
    if matches!(plan.part, Part::Focus(_)) {
        engine = engine.entering_loops();
    }
    let mut guide = match &plan.known {
        Some(known) => Symbols::knowing(plan.part, known.clone()),
        None => Symbols::new(plan.part),
    };
    if let Some(known) = plan.known {
        engine = engine.knowing(known);
    }
    let (outcome, watched) = recording::record(config, &mut guide, progress.watch(engine))?;
    progress.phase("folding", true);
    let mut about = About { part, ..about(config, &outcome) };
    about.untracked.extend(guide.missing());
    let mut profile = finish(watched.engine, about);
    lenses::read(&mut profile, &config.program);
    progress.end();
    Ok((profile, outcome))
}

/// Counts where control goes and builds a profile of that alone.
fn count_program(config: &Config, progress: &mut Progress) -> Result<(Profile, Outcome)> {
    progress.phase("counting", false);
    let (outcome, survey) = record::survey(config, &mut Symbols::new(Part::Whole))?;
    progress.phase("finding loops", true);
    let profile = ddg::hot::profile(&survey, about(config, &outcome));
    progress.end();
    Ok((profile, outcome))
}

/// What a user may do who does not want to wait.
const LONG_RUN: &str = "--focus records the loops alone that do most of the work, --fast only counts, a smaller input shows the \
     same; Ctrl-C ends the recording here and reports what there is";

/// How to run a program twice.
#[derive(Debug, Clone, Copy)]
struct Twice {
    chatty: bool,
    /// The second run records the loops alone in which the first one spent its time.
    focus: bool,
}

/// Runs a program twice: to see where control goes, then to record it. `None` if the user interrupted the first pass.
fn record_twice(
    config: &Config,
    mut plan: Plan,
    how: Twice,
    interrupts: &Interrupts,
    progress: &mut Progress,
) -> Result<Option<(Profile, Outcome)>> {
    let say = |text: &str| {
        if how.chatty {
            // Without a standard error there is nobody to tell.
            let _ = writeln!(anstream::stderr(), "loopwright: {text}");
        }
    };
    say("first of two passes; what the program writes to standard output and error in it is discarded");
    progress.phase("first pass", true);
    let feed = Input::new()?.feed()?;
    let first = Config { input: feed.descriptor(), silent: true, duration: None, ..config.clone() };
    let surveyed = record::survey(&first, &mut Symbols::new(Part::Whole));
    drop(first);
    let input = feed.end();
    let (before, survey) = surveyed?;
    progress.end();
    if interrupts.any() {
        say("interrupted in the first pass; nothing was recorded and no profile is written");
        return Ok(None);
    }
    let feed = input?.feed()?;
    let mut second = Config { input: feed.descriptor(), ..config.clone() };
    if how.focus {
        let focus = ddg::focus::find(&survey);
        match focus.enter.is_empty() {
            true => say(
                "second pass; all of it is recorded: no loop can be told apart (threads, exceptions and signal handlers are one reason)",
            ),
            false => {
                say(&format!("second pass; what is recorded: {}", focus.loops.join(", ")));
                second.start_recording = false;
                progress.expect(focus.recorded);
                plan.part = Part::Focus(focus);
            }
        }
    } else {
        say("second pass");
        progress.expect(survey.instructions());
    }
    // What is recorded whole is recorded as it is without a first pass.
    let is_whole = how.focus && plan.part == Part::Whole;
    let known = (!is_whole).then(|| Known::new(&survey));
    let (mut profile, outcome) = record_program(&second, Plan { known, ..plan }, progress)?;
    drop(second);
    if let Err(error) = feed.end() {
        profile.trust.limits.push(Reached { run: 0, limit: Limit::Input(error.to_string()) });
    }
    if before.exit != outcome.exit {
        let codes = (exit_code(before.exit), exit_code(outcome.exit));
        profile.trust.untracked.push(Untracked::Passes(codes.0, codes.1));
    }
    Ok(Some((profile, outcome)))
}

/// What a profile says of a run.
pub fn about(config: &Config, outcome: &Outcome) -> About {
    let argv = config.args.iter().map(|a| a.to_string_lossy().into_owned()).collect();
    let exit_status = (outcome.exit != Exit::Running).then(|| i32::from(exit_code(outcome.exit)));
    let program = Program { argv, exit_status, build_id: None };
    let mut limits: Vec<Limit> = outcome.stopped.map(recording::limit).into_iter().collect();
    limits.extend(outcome.abandoned.then_some(Limit::Abandoned));
    let met = |u: &trace::sink::Untracked| Untracked::Met { what: u.what.clone(), count: u.count };
    let twice = outcome.aliases.iter().map(|&alias| Untracked::MappedTwice(alias));
    let startup = outcome.skipped_startup.then_some(Untracked::StartUp);
    let names = Some(outcome.contracted.clone()).filter(|names| !names.is_empty());
    let contracts = names.map(Untracked::Contracts);
    let names = Some(outcome.skipped_runtimes.clone()).filter(|names| !names.is_empty());
    let runtimes = names.map(Untracked::Runtimes);
    let left_out = startup.into_iter().chain(contracts).chain(runtimes);
    let untracked = outcome.untracked.iter().map(met).chain(twice).chain(left_out).collect();
    About { program, limits, untracked, part: None, main_only: config.scope == record::Scope::Main }
}

/// Prints the report to standard error.
pub fn print_report(profile: &Profile, format: Format, top: usize) {
    print_report_after(&Judged::new(profile), (format, top), &Progress::new(true));
}

/// The same, ending a progress line first.
fn print_report_after(judged: &Judged<'_>, (format, top): (Format, usize), progress: &Progress) {
    let terminal = std::io::stderr().is_terminal();
    let text = judged
        .render(format, Rendering { top, terminal, function: None })
        .unwrap_or_else(|error| format!("loopwright: {error:#}\n"));
    progress.end();
    // Losing the report to a closed pipe is what the reader asked for.
    let _ = anstream::stderr().lock().write_all(report::plain::plain(&text).as_bytes());
}

/// Saves a profile that cannot be written to its place among the temporary files; gives the error to report.
fn keep_elsewhere(profile: &Profile, path: &Path, error: FileError) -> anyhow::Error {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(".");
    let place = tempfile::Builder::new().prefix(&name).suffix(".lwp").tempfile();
    let kept =
        place.map_err(|source| FileError::Io { path: std::env::temp_dir(), source }).and_then(|place| {
            profile::file::write(profile, place.path())?;
            let kept = place.path().to_owned();
            place
                .keep()
                .map_err(|kept| FileError::Io { path: kept.file.path().to_owned(), source: kept.error })?;
            Ok(kept)
        });
    let remedy = match kept {
        Ok(kept) => format!("it is kept as {}", kept.display()),
        Err(second) => format!("nor could a copy be kept ({second}); free space and run it again"),
    };
    anyhow!("the profile could not be written: {error}; {remedy}")
}

/// Exit code for a program that could not be run: 127 not found, 126 not executable, else 125.
pub fn failure_code(error: &record::Error) -> u8 {
    match error {
        record::Error::NotFound(_) => 127,
        record::Error::NotExecutable(_)
        | record::Error::NotElf(_)
        | record::Error::Bits32(_)
        | record::Error::Architecture { .. }
        | record::Error::Emulator { .. }
        | record::Error::NotProgram(_)
        | record::Error::Interpreter { .. }
        | record::Error::SetUserId(_) => 126,
        _ => 125,
    }
}
