//! isl in a child process, under limits.
//!
//! The child is this program itself, started with arguments after which it calls [`serve`]: it reads one request from
//! standard input, limits itself and writes one answer to standard output, both JSON. A child that runs out of processor
//! time or memory dies alone.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};
use serde::{Deserialize, Serialize};

use crate::ast::{Ast, Order};
use crate::context::{Context, Error};
use crate::schedule::{Problem, Schedule};

/// What a child may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Processor time, in seconds.
    pub seconds: u64,
    /// Address space, in bytes.
    pub bytes: u64,
}

/// Why there is no schedule.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// There is no isl on this machine.
    #[error("{0}")]
    Missing(String),
    /// isl refused the problem.
    #[error("{0}")]
    Refused(String),
    /// The time was over.
    #[error("no schedule within {0} s of processor time")]
    Time(u64),
    /// The child died, mostly for want of memory.
    #[error("isl stopped ({0}), most likely for want of memory")]
    Died(String),
    /// The child could not be run.
    #[error("cannot run isl's process: {0}")]
    Io(#[from] std::io::Error),
}

#[derive(Serialize, Deserialize)]
struct Request {
    limits: Limits,
    work: Work,
}

#[derive(Serialize, Deserialize)]
enum Work {
    Schedule(Problem),
    Loops(Order),
}

#[derive(Serialize, Deserialize)]
enum Answer {
    Schedule(Schedule),
    Loops(Ast),
    Missing(String),
    Refused(String),
}

impl Answer {
    /// Why it is not what was asked for.
    fn failure(self) -> Failure {
        match self {
            Answer::Missing(why) => Failure::Missing(why),
            Answer::Refused(why) => Failure::Refused(why),
            Answer::Schedule(_) | Answer::Loops(_) => {
                Failure::Died("an answer to another question".to_owned())
            }
        }
    }
}

/// Answers the request on `input`.
///
/// # Errors
/// The request cannot be read or the answer not be written.
pub fn serve(input: &mut dyn Read, output: &mut dyn Write) -> std::io::Result<()> {
    let Request { limits, work } = serde_json::from_reader(input)?;
    let limit = |n: u64| Rlimit { current: Some(n), maximum: Some(n.saturating_add(1)) };
    setrlimit(Resource::Cpu, limit(limits.seconds))?;
    setrlimit(Resource::As, limit(limits.bytes))?;
    let done = Context::new().and_then(|context| match &work {
        Work::Schedule(problem) => context.schedule(problem).map(Answer::Schedule),
        Work::Loops(order) => context.loops(order).map(Answer::Loops),
    });
    let answer = match done {
        Ok(answer) => answer,
        Err(error @ Error::Missing(_)) => Answer::Missing(error.to_string()),
        Err(error) => Answer::Refused(error.to_string()),
    };
    serde_json::to_writer(&mut *output, &answer)?;
    output.flush()
}

/// How to start a child that calls [`serve`].
#[derive(Debug, Clone)]
pub struct Worker {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

impl Worker {
    /// Schedules a problem in a child process.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn schedule(&self, problem: Problem, limits: Limits) -> Result<Schedule, Failure> {
        match self.ask(Work::Schedule(problem), limits)? {
            Answer::Schedule(schedule) => Ok(schedule),
            other => Err(other.failure()),
        }
    }

    /// Generates loops in a child process.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn loops(&self, order: Order, limits: Limits) -> Result<Ast, Failure> {
        match self.ask(Work::Loops(order), limits)? {
            Answer::Loops(ast) => Ok(ast),
            other => Err(other.failure()),
        }
    }

    fn ask(&self, work: Work, limits: Limits) -> Result<Answer, Failure> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let request = serde_json::to_vec(&Request { limits, work }).map_err(std::io::Error::from)?;
        // A child that waits for something else than a processor is not worth more.
        let patience = Duration::from_secs(limits.seconds.saturating_mul(4).saturating_add(10));
        let answer = exchange(&mut child, request, patience);
        if answer.is_none() {
            // It may have ended by itself.
            let _ = child.kill();
        }
        let status = child.wait()?;
        let Some(answer) = answer else { return Err(Failure::Time(limits.seconds)) };
        match serde_json::from_slice(&answer) {
            Ok(answer) => Ok(answer),
            Err(_) if matches!(status.signal(), Some(libc::SIGXCPU | libc::SIGKILL)) => {
                Err(Failure::Time(limits.seconds))
            }
            Err(_) => Err(Failure::Died(status.to_string())),
        }
    }
}

/// Sends a request and reads what comes until the child closes its output; nothing after too long a time.
fn exchange(child: &mut Child, request: Vec<u8>, patience: Duration) -> Option<Vec<u8>> {
    let (mut to, mut from) = (child.stdin.take()?, child.stdout.take()?);
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        // A child that ends early closes its input; what it wrote says why.
        let _ = to.write_all(&request);
        drop(to);
        let mut answer = Vec::new();
        let _ = from.read_to_end(&mut answer);
        // Nobody waits any more if it took too long.
        let _ = sender.send(answer);
    });
    receiver.recv_timeout(patience).ok()
}
