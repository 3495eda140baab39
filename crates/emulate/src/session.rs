//! One recording from beginning to end.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use record::other::{find, running, start_other, was_interrupted, was_terminated};
use record::{Config, Error, Exit, Interrupts, Outcome, StopReason};
use trace::sink::{Guide, Sink, Untracked};

use crate::machine::Machine;
use crate::output::Output;
use crate::recorder::Recorder;
use crate::ring::{self, Ring};

/// The plugin, as the build script compiled it.
static PLUGIN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/plugin.so"));

/// How often the time, the interrupt and the program's end are looked at.
const STEP: Duration = Duration::from_millis(20);

/// What is reported where registers cannot be read.
const NO_REGISTERS: &str =
    "register values (this QEMU does not show them): names of heap blocks and of variables on the stack";

pub(crate) fn run<S: Sink + 'static>(
    machine: Machine,
    config: &Config,
    guide: &mut dyn Guide,
    sink: S,
) -> Result<(Outcome, S), Error> {
    let _guard = Interrupts::hold(false);
    let program = find(&config.program)?;
    let emulator = emulator(machine, &program)?;
    let ring = Ring::new()?;
    let plugin = plugin()?;
    let descriptors = vec![ring.descriptor(), plugin.as_raw_fd()];
    let arguments = arguments(machine, config, &program, &descriptors);
    let (output, receiving) = Output::start(sink)?;
    let abandoned = output.abandoned();
    let pid = start_other(config, &emulator, arguments, descriptors)?;
    running(true);
    let mut recorder = Recorder::new(machine, guide, output, config.start_recording);
    recorder.limit = config.max_instructions.unwrap_or(u64::MAX);
    let mut session = Session { config, pid, ring, recorder, words: Vec::new(), stopped: None };
    let ended = session.follow();
    running(false);
    let (exit, child_cpu) = ended?;
    let Session { ring, recorder, stopped, .. } = session;
    let mut untracked = recorder.untracked;
    if ring.is_readable() == Some(false) {
        *untracked.entry(NO_REGISTERS.to_owned()).or_default() += 1;
    }
    if recorder.is_broken {
        *untracked.entry("rest of the run: what the plugin wrote cannot be read".to_owned()).or_default() +=
            1;
    }
    if ring.is_readable().is_none() && !was_interrupted() && !was_terminated() {
        return Err(Error::NotEmulated { path: program, emulator: machine.emulator() });
    }
    let (words, blocks) = recorder.output.finish();
    let sink = receiving.finish()?;
    let stopped = if was_interrupted() { Some(StopReason::Interrupted) } else { stopped };
    let untracked = untracked.into_iter().map(|(what, count)| Untracked { what, count }).collect();
    let abandoned = abandoned.load(Ordering::Relaxed);
    let aliases = Vec::new();
    let outcome = Outcome {
        skipped_runtimes: Vec::new(),
        exit,
        child_cpu,
        untracked,
        aliases,
        skipped_startup: false,
        contracted: Vec::new(),
        stopped,
        abandoned,
        words,
        blocks,
        stops: 0,
    };
    Ok((outcome, sink))
}

fn emulator(machine: Machine, program: &Path) -> Result<PathBuf, Error> {
    find(Path::new(machine.emulator())).map_err(|_| Error::Emulator {
        path: program.to_owned(),
        machine: machine.name(),
        emulator: machine.emulator(),
    })
}

/// The plugin as a file that QEMU can load.
fn plugin() -> Result<OwnedFd, Error> {
    let descriptor = ring::file(c"loopwright-plugin", 0)?;
    let mut file = std::fs::File::from(descriptor);
    file.write_all(PLUGIN).map_err(|source| Error::Setup { what: "write the plugin", source })?;
    Ok(file.into())
}

fn arguments(machine: Machine, config: &Config, program: &Path, descriptors: &[i32]) -> Vec<OsString> {
    let [ring, own] = [descriptors.first(), descriptors.get(1)].map(|d| d.copied().unwrap_or(-1));
    let mut out: Vec<OsString> = vec![machine.emulator().into()];
    out.push("-plugin".into());
    out.push(format!("/proc/self/fd/{own},ring={ring},self={own}").into());
    if std::env::var_os("QEMU_LD_PREFIX").is_none() && machine.libraries().is_dir() {
        out.extend(["-L".into(), machine.libraries().into_os_string()]);
    }
    if let Some(name) = config.args.first() {
        out.extend(["-0".into(), name.clone()]);
    }
    out.push(program.as_os_str().to_owned());
    out.extend(config.args.iter().skip(1).cloned());
    out
}

struct Session<'a> {
    config: &'a Config,
    pid: i32,
    ring: Ring,
    recorder: Recorder<'a>,
    /// Words that were taken and are not yet whole events.
    words: Vec<u64>,
    stopped: Option<StopReason>,
}

impl Session<'_> {
    /// Follows the program to its end; how it ended, and its processor time.
    fn follow(&mut self) -> Result<(Exit, Duration), Error> {
        let end = self.config.duration.and_then(|d| Instant::now().checked_add(d));
        let mut is_over = false;
        let mut was_told = false;
        let ended = loop {
            self.ring.wait(STEP);
            if was_terminated() && !std::mem::replace(&mut was_told, true) {
                // SAFETY: a plain system call about a child that has not been waited for.
                unsafe { libc::kill(self.pid, libc::SIGTERM) };
            }
            let ended = wait(self.pid)?;
            if !is_over {
                self.drain();
                is_over = self.is_over(end);
            }
            if let Some(ended) = ended {
                break ended;
            }
        };
        if !is_over {
            self.drain();
            self.recorder.finish(matches!(ended.0, Exit::Signal(_)));
        }
        Ok(ended)
    }

    fn drain(&mut self) {
        while self.ring.take(&mut self.words) > 0 {
            if self.ring.is_readable() == Some(false) {
                self.recorder.has_registers = false;
            }
            let taken = self.recorder.take(&self.words);
            self.words.drain(..taken);
            if self.limit_reached() || was_interrupted() || self.recorder.is_broken {
                return;
            }
        }
    }

    fn limit_reached(&self) -> bool {
        self.recorder.instructions >= self.recorder.limit
    }

    /// Whether recording ends here; the program runs on.
    fn is_over(&mut self, end: Option<Instant>) -> bool {
        let late = end.is_some_and(|end| Instant::now() >= end);
        let reason = match (self.limit_reached(), late, was_interrupted()) {
            (_, _, true) => Some(StopReason::Interrupted),
            (true, ..) => Some(StopReason::Instructions),
            (_, true, _) => Some(StopReason::Duration),
            _ => None,
        };
        let failed = self.recorder.is_broken || self.recorder.output.has_failed();
        if reason.is_none() && !failed {
            return false;
        }
        self.stopped = reason;
        self.ring.stop();
        self.recorder.finish(false);
        true
    }
}

/// How a process has ended and its processor time, if it has.
fn wait(pid: i32) -> Result<Option<(Exit, Duration)>, Error> {
    let mut status = 0;
    // SAFETY: an all-zero `rusage` is valid; both places are.
    let (result, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::wait4(pid, &mut status, libc::WNOHANG, &mut usage), usage)
    };
    match result {
        0 => Ok(None),
        -1 => {
            let source = io::Error::last_os_error();
            match source.kind() {
                io::ErrorKind::Interrupted => Ok(None),
                _ => Err(Error::Process { what: "wait for the program", pid, source }),
            }
        }
        _ => {
            let time = |t: libc::timeval| {
                Duration::from_secs(t.tv_sec.unsigned_abs()) + Duration::from_micros(t.tv_usec.unsigned_abs())
            };
            let cpu = time(usage.ru_utime) + time(usage.ru_stime);
            let exit = if libc::WIFSIGNALED(status) {
                Exit::Signal(libc::WTERMSIG(status))
            } else {
                Exit::Code(libc::WEXITSTATUS(status))
            };
            Ok(Some((exit, cpu)))
        }
    }
}
