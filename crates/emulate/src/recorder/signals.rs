//! Signals, which the plugin interface does not tell of: they are known by control being where nothing else leads to.
//!
//! Definition: a handler starts where control comes to an address that the program has set as one, although the unit before does not
//! lead there. It has returned with the system call for that.
//!
//! Limit: an indirect call to a handler's address is taken for a call.

use rustc_hash::FxHashSet;
use trace::block::Terminator;
use trace::stream::Special;

use super::{Arrival, Recorder};
use crate::message::Registers;
use crate::syscalls::Returned;

/// Greatest number of a signal.
const SIGNALS: u64 = 64;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Signals {
    handlers: FxHashSet<u64>,
    /// A handler has returned, and the next unit is where the program goes on.
    resumes: bool,
}

impl Signals {
    /// A system call may set a handler.
    pub(super) fn sets(&mut self, returned: &Returned) {
        self.handlers.extend(returned.handler());
    }

    /// A handler has returned.
    pub(super) fn resumes(&mut self) {
        self.resumes = true;
    }
}

impl Recorder<'_> {
    /// How control comes to `pc`; writes what is to be said of it once the unit before is complete.
    pub(super) fn arrival(&mut self, pc: u64, registers: Option<Registers>) -> Arrival {
        let resumed = std::mem::take(&mut self.signals.resumes);
        let Some(unit) = self.current.and_then(|number| self.unit(number)) else { return Arrival::Expected };
        let is_handler = self.signals.handlers.contains(&pc);
        let leads = match unit.terminator {
            Terminator::Fallthrough(next) | Terminator::Syscall { next } => next == pc && !resumed,
            Terminator::Jump(target) | Terminator::Call { target, .. } => target == pc,
            Terminator::Branch { taken, next } => taken == pc || next == pc,
            Terminator::Return | Terminator::IndirectJump => {
                let is_number = |registers: Registers| (1..=SIGNALS).contains(&registers.arguments[0]);
                !(is_handler && registers.is_some_and(is_number))
            }
            Terminator::IndirectCall { .. } => true,
            // Emulators record all code.
            Terminator::Leaves | Terminator::Trap => false,
        };
        match (leads, is_handler) {
            (true, _) => Arrival::Expected,
            (false, true) => Arrival::Handler,
            (false, false) if resumed => Arrival::Resumed,
            _ if unit.at(pc).is_some() => Arrival::Again(pc),
            _ => Arrival::Handler,
        }
    }

    /// Says how control comes to `pc`, if not as the unit before has ended.
    pub(super) fn announce(&mut self, pc: u64, arrival: Arrival) {
        match arrival {
            Arrival::Resumed => self.output.special(&Special::Resume(pc)),
            Arrival::Handler => self.output.special(&Special::Signal { number: 0, handler: pc }),
            _ => {}
        }
    }
}
