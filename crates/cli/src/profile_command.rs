//! `loopwright profile`.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use ddg::finish::{About, finish};
use ddg::guide::Symbols;
use profile::file::FileError;
use profile::{Profile, Program};
use record::{Config, Exit, Outcome, StopReason};
use report::text;

use crate::args::ProfileArgs;

/// Runs the command; gives the exit code.
pub fn run(args: &ProfileArgs) -> Result<u8> {
    let program = PathBuf::from(args.command.first().context("no program given")?);
    let mut config = Config::new(&program);
    config.args = args.command.clone();
    config.start_recording = args.function.is_none();
    config.max_instructions = args.max_instructions;
    if let Some(limit) = args.max_instructions {
        // Instructions are counted by the buffer: small ones end a short recording on time.
        config.buffer_words = (limit / 8).clamp(2048, config.buffer_words as u64) as usize;
    }
    config.duration = args.duration;
    let path = args.output.clone().unwrap_or_else(|| default_path(&program));
    check_output(&path)?;
    let (profile, outcome) = record_program(&config, args.function.clone(), args.memory_limit)?;
    if !args.quiet {
        print_summary(&profile, args.top);
    }
    if let Err(error) = profile::file::write(&profile, &path) {
        return Err(keep_elsewhere(&profile, &path, error));
    }
    if !args.quiet {
        let mut err = anstream::stderr().lock();
        // A closed standard error must not lose the profile that was just written.
        let _ = writeln!(err, "\nProfile: {} (loopwright report {0} --format json)", path.display());
    }
    Ok(exit_code(outcome.exit))
}

/// Records a program and builds its profile, with about `limit` MiB for the analysis.
pub fn record_program(config: &Config, function: Option<String>, limit: usize) -> Result<(Profile, Outcome)> {
    let mut guide = Symbols::new(function);
    let (outcome, engine) =
        record::run(config, &mut guide, ddg::Engine::with_limit(limit.saturating_mul(1 << 20)))?;
    let argv = config.args.iter().map(|a| a.to_string_lossy().into_owned()).collect();
    let program = Program { argv, exit_status: Some(i32::from(exit_code(outcome.exit))), build_id: None };
    let truncated = outcome
        .stopped
        .iter()
        .map(|reason| {
            match reason {
                StopReason::Instructions => "recording ended at --max-instructions",
                StopReason::Duration => "recording ended at --duration",
                StopReason::Interrupted => "recording was interrupted",
            }
            .to_owned()
        })
        .collect();
    let untracked = outcome.untracked.iter().map(|u| format!("{} ({})", u.what, u.count)).collect();
    Ok((finish(engine, About { program, truncated, untracked }), outcome))
}

/// Prints the summary to standard error.
pub fn print_summary(profile: &Profile, top: usize) {
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let text = text::summary(&report::report(profile), text::Options { top, colour });
    // Losing the summary to a closed pipe is what the reader asked for.
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Says before the run what would make writing the profile fail after it.
fn check_output(path: &Path) -> Result<()> {
    if path.is_dir() || path.file_name().is_none() {
        bail!("{} is a directory; name a file with -o FILE", path.display());
    }
    let directory = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !directory.is_dir() {
        bail!("{}: the directory {} does not exist; make it first", path.display(), directory.display());
    }
    Ok(())
}

/// Saves a profile that cannot be written to its place among the temporary files; gives the error to report.
fn keep_elsewhere(profile: &Profile, path: &Path, error: FileError) -> anyhow::Error {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.lwp", std::process::id()));
    let kept = std::env::temp_dir().join(name);
    let remedy = match profile::file::write(profile, &kept) {
        Ok(()) => format!("it is kept as {}", kept.display()),
        Err(second) => format!("nor could a copy be kept ({second}); free space and run it again"),
    };
    anyhow!("the profile could not be written: {error}; {remedy}")
}

fn default_path(program: &Path) -> PathBuf {
    let mut name = program.file_name().unwrap_or_default().to_owned();
    name.push(".lwp");
    PathBuf::from(name)
}

/// The exit status as a shell would show it.
fn exit_code(exit: Exit) -> u8 {
    match exit {
        Exit::Code(code) => code as u8,
        Exit::Signal(signal) => 128u8.wrapping_add(signal as u8),
    }
}

/// Exit code for a program that could not be run: 127 not found, 126 not executable, else 125.
pub fn failure_code(error: &record::Error) -> u8 {
    match error {
        record::Error::NotFound(_) => 127,
        record::Error::NotExecutable(_)
        | record::Error::NotElf(_)
        | record::Error::Bits32(_)
        | record::Error::Architecture { .. }
        | record::Error::NotProgram(_)
        | record::Error::Interpreter { .. }
        | record::Error::SetUserId(_) => 126,
        _ => 125,
    }
}
