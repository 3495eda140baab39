//! Signals that come faster than the recorder can hand them over.
//!
//! Definition: a signal from outside the program that comes before it has run for [`REST`] since the last delivery is taken in hand, and all others
//! are held back in the kernel, until it has or makes a system call. Then it is sent again, and the
//! kernel deals with it as with any other (masks, interrupted system calls). What was known of it is put back when it is
//! reported. A timer is started again when its signal is taken, so without this a program would never come to do anything but
//! run its handler.
//!
//! Invariants: signals of one number keep their order; one that is not queued is in hand at most once, as is one of a timer.

use std::collections::VecDeque;
use std::time::Duration;

use libc::{c_int, siginfo_t};

use crate::given_back::{Signals, is_own};

/// What the program is given to run between two deliveries.
const REST: Duration = Duration::from_micros(200);

/// Signals from this number on are queued.
const QUEUED: c_int = 32;

/// See the module.
#[derive(Default)]
pub(crate) struct Pace {
    /// What the program has run since the last delivery, if there was one.
    ran: Option<Duration>,
    in_hand: VecDeque<(c_int, siginfo_t)>,
    /// Those sent again and not reported yet.
    sent: Signals,
}

impl Pace {
    /// A handler has been started.
    pub(crate) fn delivered(&mut self) {
        self.ran = Some(Duration::ZERO);
    }

    /// The program has run for some time.
    pub(crate) fn has_run(&mut self, time: Duration) {
        self.ran = self.ran.map(|ran| ran.saturating_add(time));
    }

    /// How long the program is to run until the next signal in hand is sent again.
    pub(crate) fn due(&self) -> Option<Duration> {
        if self.in_hand.is_empty() { None } else { self.ran.map(|ran| REST.saturating_sub(ran)) }
    }

    /// Takes a signal of the process `pid` in hand, if it comes from outside and too early.
    pub(crate) fn takes(&mut self, pid: c_int, signal: c_int, info: &siginfo_t) -> bool {
        // SAFETY: signals that processes send name the sender; for others the field is not looked at.
        let is_own = info.si_code <= 0 && unsafe { info.si_pid() } == pid;
        let is_early = self.ran.is_some_and(|ran| ran < REST);
        if is_own || signal == libc::SIGSYS || (!is_early && self.in_hand.is_empty()) {
            return false;
        }
        let is_same = |s: &(c_int, siginfo_t)| {
            s.0 == signal && (signal < QUEUED || info.si_code == libc::SI_TIMER && timer(&s.1) == timer(info))
        };
        if !self.in_hand.iter().any(is_same) {
            self.in_hand.push_back((signal, *info));
        }
        true
    }

    /// The program is about to be stopped, since a signal is due.
    pub(crate) fn stopping(&mut self) {
        self.ran = Some(Duration::ZERO);
    }

    /// Takes the next signal out of hand, to be sent again.
    pub(crate) fn next(&mut self) -> Option<c_int> {
        let (signal, info) = self.in_hand.pop_front()?;
        self.ran = Some(Duration::ZERO);
        self.sent.push((signal, info));
        Some(signal)
    }

    /// What was known of a signal, if it is one that was sent again.
    pub(crate) fn original(&mut self, signal: c_int, info: &siginfo_t) -> Option<siginfo_t> {
        let at = self.sent.iter().position(|s| s.0 == signal).filter(|_| is_own(info))?;
        Some(self.sent.remove(at).1)
    }

    /// Those sent again and not reported yet, and all that are in hand: nobody will look at the time any longer.
    pub(crate) fn give_up(&mut self) -> (Signals, Signals) {
        (std::mem::take(&mut self.sent), self.in_hand.drain(..).collect())
    }
}

/// The timer that a signal of one comes from; the first field, which the structure of the library has no name for.
fn timer(info: &siginfo_t) -> c_int {
    // SAFETY: the process number of other signals has the same place and type.
    unsafe { info.si_pid() }
}
