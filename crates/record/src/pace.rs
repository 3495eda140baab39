//! Signals that come faster than the recorder can hand them over.
//!
//! Definition: a signal from outside the program that comes within [`REST`] of the last delivery is taken in hand; once the program has
//! run for that long it is sent again, and the kernel deals with it as with any other (masks, interrupted system calls). What
//! was known of it is put back when it is reported. A timer is started again when its signal is taken, so without this a
//! program would never come to do anything but run its handler.
//!
//! Invariants: signals of one number keep their order; one that is not queued is in hand at most once.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use libc::{c_int, siginfo_t};

/// What the program is given to run between two deliveries.
const REST: Duration = Duration::from_micros(200);

/// Signals from this number on are queued.
const QUEUED: c_int = 32;

/// See the module.
#[derive(Default)]
pub(crate) struct Pace {
    last: Option<Instant>,
    in_hand: VecDeque<(c_int, siginfo_t)>,
    /// Those sent again and not reported yet.
    sent: Vec<(c_int, siginfo_t)>,
}

impl Pace {
    /// A handler has been started.
    pub(crate) fn delivered(&mut self) {
        self.last = Some(Instant::now());
    }

    /// When the next signal in hand is to be sent again.
    pub(crate) fn due(&self) -> Option<Instant> {
        if self.in_hand.is_empty() { None } else { self.last.map(|last| last + REST) }
    }

    /// Takes a signal of the process `pid` in hand, if it comes from outside and too early.
    pub(crate) fn takes(&mut self, pid: c_int, signal: c_int, info: &siginfo_t) -> bool {
        // SAFETY: signals that processes send name the sender; for others the field is not looked at.
        let is_own = info.si_code <= 0 && unsafe { info.si_pid() } == pid;
        let is_early = self.last.is_some_and(|last| last.elapsed() < REST);
        if is_own || signal == libc::SIGSYS || (!is_early && self.in_hand.is_empty()) {
            return false;
        }
        if signal >= QUEUED || self.in_hand.iter().all(|s| s.0 != signal) {
            self.in_hand.push_back((signal, *info));
        }
        true
    }

    /// Takes the next signal out of hand, to be sent again.
    pub(crate) fn next(&mut self) -> Option<c_int> {
        let (signal, info) = self.in_hand.pop_front()?;
        self.last = Some(Instant::now());
        self.send(signal, info);
        Some(signal)
    }

    /// A signal is about to be sent again.
    pub(crate) fn send(&mut self, signal: c_int, info: siginfo_t) {
        self.sent.push((signal, info));
    }

    /// What was known of a signal, if it is one that was sent again.
    pub(crate) fn original(&mut self, signal: c_int, info: &siginfo_t) -> Option<siginfo_t> {
        // SAFETY: as above.
        let is_sent = info.si_code == libc::SI_TKILL && unsafe { info.si_pid() } == std::process::id() as c_int;
        let at = self.sent.iter().position(|s| s.0 == signal).filter(|_| is_sent)?;
        Some(self.sent.remove(at).1)
    }

    /// All that are in hand: nobody will look at the time any longer.
    pub(crate) fn give_up(&mut self) -> impl Iterator<Item = c_int> {
        self.in_hand.drain(..).map(|s| s.0)
    }
}
