//! What ends a recording from outside: the user's interrupt and the time limit.
//!
//! Definition: while the program runs, the first interrupt ends the recording (the program gets it as well, and may go
//! on); later ones are the program's alone. After its end an interrupt gives up what is not analysed yet; one more ends
//! this process at once. A closed terminal (SIGHUP) and a request to terminate (SIGTERM) are taken like an interrupt, and the latter is passed on to a program that this process has started,
//! unless it gets it by itself. If this process was started with interrupts ignored (`nohup`, the background of a script), they stay so,
//! for the program as well.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, mpsc};
use std::time::{Duration, Instant};

use libc::c_int;

use crate::attach::Facts;
use crate::buffers::Progress;
use crate::inherited;

/// Programs that run.
static RUNNING: AtomicU32 = AtomicU32::new(0);
/// This process was asked to terminate.
static TERMINATE: AtomicBool = AtomicBool::new(false);
/// The recording is to end.
static STOP: AtomicBool = AtomicBool::new(false);
/// The analysis is to be given up.
static ABANDON: AtomicBool = AtomicBool::new(false);
/// What an interrupt leads to is said on standard error.
static SPEAK: AtomicBool = AtomicBool::new(false);
/// Values of [`Interrupts`] alive.
static HELD: AtomicU32 = AtomicU32::new(0);

/// How often the time and the interrupt are looked at.
const STEP: Duration = Duration::from_millis(50);

/// Signals that are kept from ending this process.
const KEPT: [c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

extern "C" fn note_interrupt(signal: c_int) {
    if signal == libc::SIGTERM {
        TERMINATE.store(true, Ordering::Relaxed);
    }
    let text: &[u8] = if RUNNING.load(Ordering::Relaxed) > 0 {
        if STOP.swap(true, Ordering::Relaxed) {
            return;
        }
        b"loopwright: interrupted; recording ends, analysing what was recorded (Ctrl-C again to skip that)\n"
    } else if !ABANDON.swap(true, Ordering::Relaxed) {
        b"loopwright: skipping what is not analysed yet, writing what is (Ctrl-C again to end without it)\n"
    } else {
        // SAFETY: ends the process at once; nothing half-written has its final name.
        unsafe { libc::_exit(128 + libc::SIGINT) }
    };
    if SPEAK.load(Ordering::Relaxed) {
        // SAFETY: `write` may be called in a handler; the number of the last error is put back.
        unsafe {
            let error = *libc::__errno_location();
            libc::write(2, text.as_ptr().cast(), text.len());
            *libc::__errno_location() = error;
        }
    }
}

/// Keeps this process alive through interrupts, as long as it lives, so that what was recorded is kept: the first one
/// ends the recording, the next gives up the analysis, the one after that ends the process.
#[must_use]
pub struct Interrupts(Vec<(c_int, libc::sigaction)>);

impl Interrupts {
    /// Until dropped. `speak` says on standard error what each interrupt does.
    pub fn hold(speak: bool) -> Self {
        if HELD.fetch_add(1, Ordering::Relaxed) > 0 {
            return Interrupts(Vec::new());
        }
        RUNNING.store(0, Ordering::Relaxed);
        STOP.store(false, Ordering::Relaxed);
        ABANDON.store(false, Ordering::Relaxed);
        SPEAK.store(speak, Ordering::Relaxed);
        inherited::survive_large_files();
        TERMINATE.store(false, Ordering::Relaxed);
        let keep = |signal: c_int| {
            // SAFETY: the handler only uses atomics, `write` and `_exit`; both structures are valid.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = note_interrupt as extern "C" fn(c_int) as libc::sighandler_t;
                action.sa_flags = libc::SA_RESTART;
                let mut old = std::mem::zeroed();
                libc::sigaction(signal, &action, &mut old);
                (signal, old)
            }
        };
        Interrupts(KEPT.into_iter().filter(|&signal| !inherited::is_ignored(signal)).map(keep).collect())
    }

    /// Whether there was one.
    pub fn any(&self) -> bool {
        was_interrupted() || is_abandoned()
    }
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        HELD.fetch_sub(1, Ordering::Relaxed);
        for (signal, old) in &self.0 {
            // SAFETY: restores the action that was there before.
            unsafe { libc::sigaction(*signal, old, std::ptr::null_mut()) };
        }
    }
}

/// A program starts or has ended.
pub fn running(now: bool) {
    if now {
        RUNNING.fetch_add(1, Ordering::Relaxed);
    } else {
        RUNNING.fetch_sub(1, Ordering::Relaxed);
    }
    // Before the start there is nothing to analyse.
    if now && ABANDON.swap(false, Ordering::Relaxed) {
        STOP.store(true, Ordering::Relaxed);
    }
}

/// Whether the recording was interrupted.
pub fn was_interrupted() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Whether this process was asked to terminate.
pub fn was_terminated() -> bool {
    TERMINATE.load(Ordering::Relaxed)
}

/// Whether what is not analysed yet is to be skipped.
pub fn is_abandoned() -> bool {
    ABANDON.load(Ordering::Relaxed)
}

/// A thread of a process that can be told something: the first one, unless it has ended or sleeps through everything.
fn living(pid: c_int) -> c_int {
    let is_living = |thread: c_int| Facts::of(&thread.to_string()).is_listening();
    if is_living(pid) {
        return pid;
    }
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let mut numbers = tasks.filter_map(|task| task.file_name().to_str()?.parse().ok());
    numbers.find(|&thread| is_living(thread)).unwrap_or(pid)
}

/// Stops the program when the time is over or the user interrupts.
pub(crate) struct Timer {
    cancel: Option<mpsc::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Timer {
    /// Starts watching.
    pub(crate) fn start(duration: Option<Duration>, pid: c_int, progress: Arc<Progress>) -> Self {
        let mut end = duration.and_then(|d| Instant::now().checked_add(d));
        let (cancel, cancelled) = mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let left = |end: Option<Instant>| {
                end.map_or(STEP, |end| end.saturating_duration_since(Instant::now()).min(STEP))
            };
            while cancelled.recv_timeout(left(end)) == Err(mpsc::RecvTimeoutError::Timeout) {
                if was_interrupted() || end.is_some_and(|end| Instant::now() >= end) {
                    progress.late.store(true, Ordering::Relaxed);
                    let alone = progress.alone.lock().unwrap_or_else(PoisonError::into_inner);
                    if !*alone {
                        // Somebody who continues the program takes the signal away: it comes again until this ends.
                        // SAFETY: a plain system call; the process is being recorded.
                        unsafe { libc::syscall(libc::SYS_tgkill, pid, living(pid), libc::SIGSTOP) };
                    }
                    end = end.map(|_| Instant::now() + STEP);
                }
            }
        });
        Timer { cancel: Some(cancel), thread: Some(thread) }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.cancel.take();
        if let Some(thread) = self.thread.take() {
            // A panic there has no consequence here.
            let _ = thread.join();
        }
    }
}
