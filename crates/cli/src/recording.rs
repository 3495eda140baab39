//! What the commands that run a program share: its configuration, where the result goes, the exit code.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ddg::guide::Part;
use emulate::Machine;
use profile::Limit;
use record::{Config, Exit, Outcome, StopReason};
use trace::sink::{Guide, Sink};

use crate::args::{Bounds, Target};

/// Runs and records a program: under QEMU if it is for another processor.
pub fn record<S: Sink + 'static>(
    config: &Config,
    guide: &mut dyn Guide,
    sink: S,
) -> Result<(Outcome, S), record::Error> {
    match machine(config) {
        Some(machine) => emulate::run(machine, config, guide, sink),
        None => record::run(config, guide, sink),
    }
}

/// The processor that a program is for, if it is emulated.
fn machine(config: &Config) -> Option<Machine> {
    if config.pid.is_some() { None } else { Machine::of(&config.program) }
}

/// Refuses options, with whether they are given, that need a program for this processor.
pub fn refuse_emulated(config: &Config, options: &[(&str, bool)]) -> Result<()> {
    let Some(machine) = machine(config) else { return Ok(()) };
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => bail!(
            "{option}: {} is built for {} and recorded under QEMU, where this does not work; leave it out",
            config.program.display(),
            machine.name()
        ),
        None => Ok(()),
    }
}

/// Exit code after an interrupt, as a shell shows it.
pub const INTERRUPTED: u8 = 130;

/// Variables that say how many threads there are to be: of OpenMP, of libraries for mathematics, of thread pools.
const THREADS: &[&str] = &[
    "OMP_NUM_THREADS",
    "OMP_THREAD_LIMIT",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "RAYON_NUM_THREADS",
];

/// How to record a program or process.
pub fn config(target: &Target, bounds: &Bounds) -> Result<Config> {
    let mut config = match target.pid {
        Some(pid) => process(pid)?,
        None => {
            let program = target.command.first().context("no program given")?;
            let one = |name: &&str| (OsString::from(*name), OsString::from("1"));
            let environment =
                if target.single_thread { THREADS.iter().map(one).collect() } else { Vec::new() };
            Config { args: target.command.clone(), environment, ..Config::new(program) }
        }
    };
    config.start_recording = part(bounds) == Part::Whole;
    config.max_instructions = bounds.max_instructions;
    if let Some(limit) = bounds.max_instructions {
        // Instructions are counted by the buffer: small ones end a short recording on time.
        config.buffer_words = (limit / 8).clamp(2048, config.buffer_words as u64) as usize;
    }
    config.duration = bounds.duration;
    config.skip = bounds.skip;
    Ok(config)
}

/// How to record a process that runs already.
fn process(pid: i32) -> Result<Config> {
    let mut config = Config::new(record::executable(pid)?);
    config.args = record::arguments(pid);
    config.pid = Some(pid);
    Ok(config)
}

/// Which part of the run is recorded.
pub fn part(bounds: &Bounds) -> Part {
    match (&bounds.function, &bounds.region) {
        (Some(name), _) => Part::Function(name.clone()),
        (None, Some(region)) => Part::Windows(region.begin.clone(), region.end.clone()),
        (None, None) => Part::Whole,
    }
}

/// The part that is recorded, for the profile; `of_process` if the whole is the part of a process that ran before.
pub fn recorded_part(part: &Part, of_process: Option<profile::Part>) -> Option<profile::Part> {
    match part {
        Part::Whole => of_process,
        Part::Function(name) => Some(profile::Part::Function(name.clone())),
        Part::Windows(begin, end) => Some(profile::Part::Window(begin.clone(), end.clone())),
        Part::Focus(focus) => Some(profile::Part::Focus {
            loops: focus.loops.clone(),
            instructions: focus.instructions,
            beside: focus.beside.clone(),
        }),
    }
}

/// The limit at which a recording ended.
pub fn limit(reason: StopReason) -> Limit {
    match reason {
        StopReason::Instructions => Limit::Instructions,
        StopReason::Duration => Limit::Duration,
        StopReason::Interrupted => Limit::Interrupted,
        StopReason::Seccomp => Limit::Seccomp,
        StopReason::Traced => Limit::Traced,
        StopReason::Segment => Limit::Segment,
        StopReason::SharedMemory => Limit::SharedMemory,
        StopReason::Namespace => Limit::Namespace,
    }
}

/// Why nothing was recorded of a part, in words.
pub fn absence(part: &Part) -> String {
    match part {
        Part::Whole => "nothing ran".to_owned(),
        Part::Function(name) => format!("no function {name} ran"),
        Part::Windows(begin, end) => format!("nothing ran between {begin} and {end}"),
        Part::Focus(_) => "none of the loops of the first pass ran in the second".to_owned(),
    }
}

/// The file asked for, or one named after the program in the current directory, that is not there yet unless files are replaced by
/// `force`. Says before the run what would make writing it fail after it.
pub fn output(asked: Option<&Path>, program: &Path, extension: &str, force: bool) -> Result<PathBuf> {
    let path = asked.map_or_else(|| default_path(program, extension, force), Path::to_path_buf);
    if path.is_dir() || path.file_name().is_none() {
        bail!("{} is a directory; name a file with -o FILE", path.display());
    }
    let place = |path: &Path| path.canonicalize().ok();
    if place(&path).is_some_and(|path| place(program) == Some(path)) {
        bail!("{}: this is the program itself; name another file with -o FILE", path.display());
    }
    let directory = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !directory.is_dir() {
        bail!("{}: the directory {} does not exist; make it first", path.display(), directory.display());
    }
    Ok(path)
}

fn default_path(program: &Path, extension: &str, force: bool) -> PathBuf {
    let named = |number: &str| {
        let mut name = program.file_name().unwrap_or_default().to_owned();
        name.push(number);
        name.push(extension);
        PathBuf::from(name)
    };
    let first = named("");
    if force || first.symlink_metadata().is_err() {
        return first;
    }
    let further = (2..u32::MAX).map(|number| named(&format!(".{number}")));
    further.into_iter().find(|path| path.symlink_metadata().is_err()).unwrap_or(first)
}

/// Refuses to replace a file that is no profile: it is somebody's work, and a slip.
pub fn spare(path: &Path) -> Result<()> {
    if path.is_file()
        && std::fs::metadata(path).is_ok_and(|file| file.len() > 0)
        && !profile::file::is_one(path)
    {
        bail!(
            "{}: there is such a file, and it is no profile; name another, or replace it with --force",
            path.display()
        );
    }
    Ok(())
}

/// The exit status as a shell would show it.
pub fn exit_code(exit: Exit) -> u8 {
    match exit {
        Exit::Code(code) => code as u8,
        Exit::Running => 0,
        Exit::Signal(signal) => 128u8.wrapping_add(signal as u8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_those_of_a_shell() {
        assert_eq!(exit_code(Exit::Code(3)), 3);
        assert_eq!(exit_code(Exit::Signal(11)), 139);
    }

    #[test]
    fn short_recordings_have_small_buffers() {
        let target = Target { pid: None, single_thread: false, command: vec![OsString::from("true")] };
        let bounds = |max_instructions| Bounds {
            skip: None,
            function: None,
            region: None,
            max_instructions,
            duration: None,
        };
        let words = |limit| config(&target, &bounds(limit)).expect("a program is given").buffer_words;
        assert_eq!(words(Some(100)), 2048);
        assert!(words(Some(80_000)) == 10_000 && words(None) > 10_000);
    }
}
