//! Options of a reconstruction, and long calls that can be watched and interrupted.
//!
//! While Rust works the interpreter is let go. Every tenth of a second it is taken again to look for signals and to call
//! `progress(done, total)`, in the thread that made the call; what that raises ends the call.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use ::reconstruct::levels;
use ::reconstruct::statement::Statement;
use ::reconstruct::stream::{Options, Reconstruction, Reconstructor};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::arrays::Slice;

/// How long an interrupt may go unnoticed.
const NOTICE: Duration = Duration::from_millis(100);
/// Integers that are taken between two looks at the clock: less than [`NOTICE`] of work, also for those that no loop describes.
const PART: usize = 1 << 14;
/// Most threads, as on the command line.
const MOST_THREADS: i64 = 256;

/// Options that all reconstructions have.
pub struct Search {
    /// As the library takes them.
    pub options: Options,
    /// Set where an exception comes in between.
    pub stop: Arc<AtomicBool>,
}

impl Search {
    /// The command line's options by their names in Python.
    pub fn new(
        floors: bool,
        max_depth: i64,
        time_limit: Option<f64>,
        threads: Option<i64>,
    ) -> PyResult<Search> {
        let mut options = Options { floors, ..Options::default() };
        options.effort.depth = within("max_depth", max_depth, 12)?;
        options.effort.threads = match threads {
            Some(threads) => within("threads", threads.min(MOST_THREADS), MOST_THREADS)?,
            None => std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS as usize),
        };
        if let Some(seconds) = time_limit {
            let limit = Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero());
            let limit = limit.ok_or_else(|| {
                PyValueError::new_err(format!("time_limit is {seconds}; a number of seconds is needed"))
            })?;
            options.effort.deadline = Instant::now().checked_add(limit);
        }
        let stop = Arc::new(AtomicBool::new(false));
        options.effort.stop = Some(stop.clone());
        Ok(Search { options, stop })
    }

    /// For one of so many streams of a trace.
    pub fn of_streams(mut self, streams: usize) -> Search {
        self.options.effort = self.options.effort.for_streams(streams);
        self
    }

    /// Ends a reconstruction.
    pub fn finish(
        &self,
        py: Python<'_>,
        all: Reconstructor,
        watch: &mut Watch<'_, '_>,
    ) -> PyResult<Reconstruction> {
        interruptible(py, &self.stop, watch, move || all.finish())
    }
}

/// A number from 1 to `most`.
pub fn within(argument: &str, value: i64, most: i64) -> PyResult<usize> {
    match usize::try_from(value) {
        Ok(number) if (1..=most).contains(&value) => Ok(number),
        _ => Err(PyValueError::new_err(format!("{argument} is {value}; 1 to {most} are possible"))),
    }
}

/// Splits loops until every nest has so many, as `--levels` and `--trip` do.
pub fn with_levels(found: &mut Reconstruction, wanted: Option<i64>, trip: Option<i64>) -> PyResult<()> {
    let Some(wanted) = wanted else {
        return match trip {
            None => Ok(()),
            Some(_) => Err(PyValueError::new_err("trip is of no use without levels")),
        };
    };
    let wanted = within("levels", wanted, 12)?;
    if let Some(trip) = trip.filter(|&trip| trip < 2) {
        return Err(PyValueError::new_err(format!("trip is {trip}; at least 2 is needed")));
    }
    let modal = levels::modal_trips(found.nests.iter().filter_map(Statement::nest));
    for statement in &mut found.nests {
        if let Statement::Nest(nest) = statement {
            *nest = levels::split(nest, wanted, trip, &modal)
                .map_err(|error| PyValueError::new_err(format!("levels: {error}")))?;
        }
    }
    Ok(())
}

/// Looks after signals and tells how far a call is.
pub struct Watch<'a, 'py> {
    progress: Option<&'a Bound<'py, PyAny>>,
    total: usize,
    latest: Instant,
}

impl<'a, 'py> Watch<'a, 'py> {
    /// For a call that takes so many integers.
    pub fn new(progress: Option<&'a Bound<'py, PyAny>>, total: usize) -> Watch<'a, 'py> {
        Watch { progress, total, latest: Instant::now() }
    }

    /// Called as often as is convenient.
    pub fn look(&mut self, py: Python<'_>, done: usize) -> PyResult<()> {
        if self.latest.elapsed() < NOTICE {
            return Ok(());
        }
        self.tell(py, done)
    }

    fn tell(&mut self, py: Python<'_>, done: usize) -> PyResult<()> {
        self.latest = Instant::now();
        py.check_signals()?;
        if let Some(progress) = self.progress {
            progress.call1((done, self.total))?;
        }
        Ok(())
    }
}

/// Hands an array over, part by part; its first integer has this position in its stream.
pub fn push_all(
    py: Python<'_>,
    (argument, all, first): (&str, Slice<'_>, u64),
    watch: &mut Watch<'_, '_>,
    mut push: impl FnMut(&[i64]) + Send,
) -> PyResult<()> {
    for from in (0..all.values.len()).step_by(PART) {
        let part = all.part(from, PART);
        let taken = py.detach(|| part.checked(first + from as u64).map(&mut push));
        taken.map_err(|error| error.error(argument))?;
        watch.look(py, from + part.values.len())?;
    }
    Ok(())
}

/// Does some work in a thread of its own, and leaves it to itself when an exception comes in between; `stop` tells it so.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    stop: &Arc<AtomicBool>,
    watch: &mut Watch<'_, '_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = mpsc::channel();
    // Nobody listens any more after an exception.
    let thread = std::thread::Builder::new().spawn(move || drop(sender.send(work())));
    thread.map_err(|error| PyRuntimeError::new_err(format!("no thread for the search: {error}")))?;
    loop {
        let outcome;
        (receiver, outcome) = py.detach(move || {
            let outcome = receiver.recv_timeout(NOTICE);
            (receiver, outcome)
        });
        match outcome {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the search failed; this is a defect of Loopwright"));
            }
            Err(RecvTimeoutError::Timeout) => {
                watch.tell(py, watch.total).inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
            }
        }
    }
}

/// A path as errors print it.
pub fn shown(path: &Path) -> String {
    path.display().to_string()
}
