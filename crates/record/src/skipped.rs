//! Programs whose beginning is not recorded: they run natively at first, and are then taken over like any process that runs
//! already ([`crate::attach`]).
//!
//! Invariant: the program ends before this does, whatever becomes of the recording, and its end is waited for once.

use std::time::{Duration, Instant};

use libc::c_int;

use crate::error::Error;
use crate::process::{self, Status};
use crate::session::wait_for_end;
use crate::{Config, Exit, interrupt, launch};

/// How often it is looked at whether the program has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// A program the beginning of which is skipped.
pub(crate) struct Skipped {
    pid: c_int,
}

impl Skipped {
    /// Starts the configured program, and lets it run for a time.
    ///
    /// # Errors
    /// If it cannot be started, or if it ends before the time is over.
    pub(crate) fn start(config: &Config, time: Duration) -> Result<Skipped, Error> {
        let end = Instant::now().checked_add(time);
        let own = Skipped { pid: launch::start(config, None)? };
        interrupt::running(true);
        let waited = own.wait(end);
        interrupt::running(false);
        match waited? {
            None => Ok(own),
            Some(_) => Err(Error::EndedEarly { path: config.program.clone(), time }),
        }
    }

    /// Lets it run until a time; gives how it has ended, if it has.
    fn wait(&self, end: Option<Instant>) -> Result<Option<Status>, Error> {
        let pid = self.pid;
        // An interrupt ends the wait: the recording that begins then sees it, and ends as one that was interrupted.
        while end.is_none_or(|end| Instant::now() < end) && !interrupt::was_interrupted() {
            let status = process::poll(pid).map_err(|source| Error::Process {
                what: "wait for the program",
                pid,
                source,
            })?;
            if let Some(Status::Exited(_) | Status::Killed(_)) = status {
                return Ok(status);
            }
            let left = end.map_or(PAUSE, |end| end.saturating_duration_since(Instant::now()));
            std::thread::sleep(left.min(PAUSE));
        }
        Ok(None)
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> c_int {
        self.pid
    }

    /// Waits for its end, unless `exit` is how it ended.
    pub(crate) fn end(self, exit: Exit) -> Result<Exit, Error> {
        match exit {
            Exit::Running => wait_for_end(self.pid),
            ended => Ok(ended),
        }
    }
}
