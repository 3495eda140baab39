//! What a program inherits from the process that starts it, as if Loopwright did not stand in between: which signals are
//! ignored and which are blocked.
//!
//! Definition: *inherited* is what this process was started with. Its runtime ignores SIGPIPE before `main`, and Loopwright ignores
//! SIGXFSZ, so these are looked at earlier; nothing else changes by itself.

use std::sync::atomic::{AtomicU64, Ordering};

use libc::c_int;

use crate::masks::{OWN, bit};

/// Signals that this process ignores whatever it was started with.
const OTHERWISE_IGNORED: [c_int; 2] = [libc::SIGPIPE, libc::SIGXFSZ];

/// Those of them that were ignored when it was started.
static IGNORED: AtomicU64 = AtomicU64::new(0);

extern "C" fn look() {
    let ignored = OTHERWISE_IGNORED.into_iter().filter(|&s| is_ignored(s)).fold(0, |bits, s| bits | bit(s));
    IGNORED.store(ignored, Ordering::Relaxed);
}

/// What would be too large a file for this process is an error, not its end.
pub(crate) fn survive_large_files() {
    // SAFETY: a plain system call.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Runs before the runtime of Rust does.
// SAFETY: functions in this section are called once, without arguments that are used, before `main`; this one makes a system
// call and stores to a static.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

/// Whether this process ignores a signal now.
pub(crate) fn is_ignored(signal: c_int) -> bool {
    // SAFETY: an all-zero `sigaction` is valid; the call only fills it.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}

/// What a new program is to find.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inherited {
    /// Of the signals that this process ignores itself.
    otherwise: u64,
    interrupt_ignored: bool,
    /// Of the signals that the recorder needs itself, those that are ignored.
    pub(crate) ignored: u64,
    /// Those that are blocked.
    pub(crate) blocked: u64,
}

impl Inherited {
    /// As of now, for a program that the calling thread starts.
    pub(crate) fn now() -> Self {
        // SAFETY: an all-zero set is valid; the call only fills it.
        let mask = unsafe {
            let mut mask: libc::sigset_t = std::mem::zeroed();
            libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), &mut mask);
            mask
        };
        // SAFETY: `mask` is a valid set.
        let is_blocked = |signal: &c_int| unsafe { libc::sigismember(&mask, *signal) == 1 };
        let bits = |of: &dyn Fn(&c_int) -> bool| {
            [libc::SIGSEGV, libc::SIGTRAP].iter().filter(|s| of(s)).fold(0, |bits, &s| bits | bit(s))
        };
        Inherited {
            otherwise: IGNORED.load(Ordering::Relaxed),
            interrupt_ignored: is_ignored(libc::SIGINT),
            ignored: bits(&|&s| is_ignored(s)),
            blocked: bits(&is_blocked),
        }
    }

    /// In a child before it executes the program. `hidden`: the recorder keeps from the kernel what it must not know.
    ///
    /// # Safety
    /// Only async-signal-safe functions are called, so a child of a process with threads may do it.
    pub(crate) unsafe fn apply(&self, hidden: bool) {
        let action = |ignored: bool| if ignored { libc::SIG_IGN } else { libc::SIG_DFL };
        // SAFETY: these calls take plain values and a valid set.
        unsafe {
            for signal in OTHERWISE_IGNORED {
                libc::signal(signal, action(self.otherwise & bit(signal) != 0));
            }
            libc::signal(libc::SIGINT, action(self.interrupt_ignored));
            if !hidden {
                return;
            }
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut set);
            for signal in [libc::SIGSEGV, libc::SIGTRAP] {
                libc::sigaddset(&mut set, signal);
                if self.ignored & OWN & bit(signal) != 0 {
                    libc::signal(signal, libc::SIG_DFL);
                }
            }
            libc::sigprocmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
        }
    }
}
