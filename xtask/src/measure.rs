//! Processor time and memory of a process and of what it started.

use std::fs::File;
use std::io;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// Fields of `/proc/PID/stat` after the name, counted from the state: utime, stime, cutime, cstime.
const TIMES: [usize; 4] = [11, 12, 13, 14];

/// What a process used.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// Processor seconds of the process itself.
    pub own: f64,
    /// Processor seconds of the processes it waited for.
    pub children: f64,
    /// Most memory resident in the process itself, in bytes.
    pub peak: u64,
    /// How it ended; `None` if it was stopped at the limit.
    pub status: Option<ExitStatus>,
}

/// Runs a command to its end, or until it has itself used `limit` seconds of processor time.
pub fn run(command: &mut Command, limit: f64) -> Result<Usage> {
    watch(started(command.stdin(Stdio::null()))?, limit)
}

/// The same with standard input from `feed`; that the command reads no further is no error.
pub fn fed(
    command: &mut Command,
    limit: f64,
    feed: impl FnOnce(ChildStdin) -> io::Result<()> + Send,
) -> Result<Usage> {
    let mut child = started(command.stdin(Stdio::piped()))?;
    let input = child.stdin.take().context("standard input is piped")?;
    thread::scope(|scope| {
        let feeder = scope.spawn(|| feed(input));
        let usage = watch(child, limit)?;
        match feeder.join() {
            Ok(Err(error)) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
            Ok(_) => Ok(usage),
            Err(_) => bail!("the writer of standard input panicked"),
        }
    })
}

/// The same with the standard input that the command has, and its standard output in a file.
pub fn to_file(command: &mut Command, limit: f64, output: File) -> Result<Usage> {
    watch(spawned(command.stdout(output))?, limit)
}

fn started(command: &mut Command) -> Result<Child> {
    spawned(command.stdout(Stdio::null()))
}

fn spawned(command: &mut Command) -> Result<Child> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.spawn().with_context(|| format!("{name} cannot be run"))
}

fn watch(mut child: Child, limit: f64) -> Result<Usage> {
    let pid = Pid::from_child(&child);
    let (mut peak, mut stopped) = (0, false);
    // The process stays a zombie until its times are read.
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    while waitid(WaitId::Pid(pid), ended)?.is_none() {
        peak = peak.max(high_water(pid).unwrap_or(0));
        if !stopped && times(pid).is_ok_and(|[own, _]| own > limit) {
            child.kill()?;
            stopped = true;
        }
        thread::sleep(Duration::from_millis(5));
    }
    let [own, children] = times(pid)?;
    let status = Some(child.wait()?).filter(|_| !stopped);
    Ok(Usage { own, children, peak, status })
}

/// Processor seconds of a process and of the processes it waited for.
fn times(pid: Pid) -> Result<[f64; 2]> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()))?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = rustix::param::clock_ticks_per_second() as f64;
    let [user, system, waited_user, waited_system] =
        TIMES.map(|at| fields.get(at).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0) / ticks);
    Ok([user + system, waited_user + waited_system])
}

fn high_water(pid: Pid) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
