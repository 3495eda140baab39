//! Commands of the user, run with an end.

use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use crate::error::Error;

/// How long a process is waited for before it is looked whether the user has interrupted.
const TURN: Duration = Duration::from_millis(100);

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Ended {
    /// By itself, with this status (128 and the signal for those that were killed), after so many seconds.
    With(i32, f64),
    /// It was ended at the limit.
    TimedOut,
}

/// A command for the shell in a directory, in a group of its own, without input.
pub(crate) fn shell(line: &str, directory: &Path) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(line).current_dir(directory).stdin(Stdio::null()).process_group(0);
    command
}

/// Runs a command with its outputs in files; all that it has started is ended with it.
///
/// # Errors
/// If it cannot be started, or the user interrupts.
pub(crate) fn run(
    command: &mut Command,
    (out, err): (&Path, &Path),
    limit: Duration,
    interrupted: &dyn Fn() -> bool,
) -> Result<Ended, Error> {
    command.stdout(File::create(out).map_err(Error::io(out))?);
    command.stderr(File::create(err).map_err(Error::io(err))?);
    let start = Instant::now();
    let child = command.spawn().map_err(Error::io("sh"))?;
    let mut group = Group(child);
    let watched = pidfd_open(group.pid(), PidfdFlags::empty()).ok();
    loop {
        if let Some(status) = group.0.try_wait().map_err(Error::io("sh"))? {
            let seconds = start.elapsed().as_secs_f64();
            let status = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
            return Ok(Ended::With(status, seconds));
        }
        if interrupted() {
            return Err(Error::Interrupted);
        }
        let left = limit.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Ok(Ended::TimedOut);
        }
        let turn = left.min(TURN);
        match &watched {
            Some(descriptor) => {
                let time = Timespec { tv_sec: 0, tv_nsec: i64::from(turn.subsec_nanos()) };
                // A signal ends it early, which does no harm.
                let _ = poll(&mut [PollFd::new(descriptor, PollFlags::IN)], Some(&time));
            }
            None => std::thread::sleep(turn.min(Duration::from_millis(1))),
        }
    }
}

/// A process whose group ends with this value.
struct Group(Child);

impl Group {
    fn pid(&self) -> Pid {
        Pid::from_child(&self.0)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // What it has left behind in the background is in the group too; a group that is gone is what is wanted.
        let _ = kill_process_group(self.pid(), Signal::KILL);
        let _ = self.0.wait();
    }
}

/// The last lines of a file, for messages.
pub(crate) fn tail(path: &Path, lines: usize) -> String {
    let text = std::fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let all: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(line: &str, limit: Duration) -> (Ended, Vec<u8>) {
        let place = tempfile::tempdir().expect("a directory");
        let (out, err) = (place.path().join("out"), place.path().join("err"));
        let ended = run(&mut shell(line, place.path()), (&out, &err), limit, &|| false).expect("it runs");
        (ended, std::fs::read(out).expect("written"))
    }

    #[test]
    fn commands_end_by_themselves_or_at_the_limit() {
        let long = Duration::from_secs(60);
        assert!(matches!(ended("echo a; exit 3", long), (Ended::With(3, _), out) if out == b"a\n"));
        assert!(matches!(ended("kill -SEGV $$", long).0, Ended::With(139, _)));
        let start = Instant::now();
        assert_eq!(ended("sleep 50 & sleep 50", Duration::from_millis(200)).0, Ended::TimedOut);
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn interrupts_end_them() {
        let place = tempfile::tempdir().expect("a directory");
        let (out, err) = (place.path().join("out"), place.path().join("err"));
        let mut command = shell("sleep 50", place.path());
        let done = run(&mut command, (&out, &err), Duration::from_secs(60), &|| true);
        assert!(matches!(done, Err(Error::Interrupted)));
    }
}
