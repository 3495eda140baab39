//! What ends a recording from outside: the user's interrupt and the time limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use libc::c_int;

use crate::buffers::Progress;

/// Set by the handler of SIGINT.
static INTERRUPTED: AtomicI32 = AtomicI32::new(0);

extern "C" fn note_interrupt(signal: c_int) {
    INTERRUPTED.store(signal, Ordering::Relaxed);
}

/// Keeps this process alive through an interrupt meant for the program, as long as it lives.
pub(crate) struct IgnoreInterrupts(libc::sigaction);

impl IgnoreInterrupts {
    /// Until dropped.
    pub(crate) fn new() -> Self {
        INTERRUPTED.store(0, Ordering::Relaxed);
        // SAFETY: the handler only stores to an atomic; both structures are valid.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = note_interrupt as extern "C" fn(c_int) as libc::sighandler_t;
            let mut old = std::mem::zeroed();
            libc::sigaction(libc::SIGINT, &action, &mut old);
            IgnoreInterrupts(old)
        }
    }
}

impl Drop for IgnoreInterrupts {
    fn drop(&mut self) {
        // SAFETY: restores the action that was there before.
        unsafe { libc::sigaction(libc::SIGINT, &self.0, std::ptr::null_mut()) };
    }
}

/// Whether the user interrupted since the last [`IgnoreInterrupts::new`].
pub(crate) fn was_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed) != 0
}

/// Stops the program when the time is over.
pub(crate) struct Timer {
    cancel: Option<mpsc::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Timer {
    /// Starts counting, if there is a limit.
    pub(crate) fn start(duration: Option<Duration>, pid: c_int, progress: Arc<Progress>) -> Self {
        let Some(duration) = duration else { return Timer { cancel: None, thread: None } };
        let (cancel, cancelled) = mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            if cancelled.recv_timeout(duration) == Err(mpsc::RecvTimeoutError::Timeout) {
                progress.late.store(true, Ordering::Relaxed);
                // SAFETY: a plain system call; the process is the recorder's own child.
                unsafe { libc::syscall(libc::SYS_tgkill, pid, pid, libc::SIGSTOP) };
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
