//! Where recording is on: from the beginning, in one function (`Guide::starts_recording`), or between markers.
//!
//! Definition: as for x86-64. The return of a function is known by the stack pointer that it was entered with, so without registers
//! nothing of this can be.

use trace::block::Terminator;
use trace::sink::{Activation, Marker};
use trace::stream::Special;

use super::{Known, Recorder};

/// Where a function was entered: its stack pointer then, and where it returns to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entered {
    stack: u64,
    back: u64,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Windows {
    is_on: bool,
    /// Recording is on from the beginning.
    always: bool,
    /// The function that is recorded, while it runs.
    region: Option<Entered>,
    /// Functions that begin windows and have not returned.
    opening: Vec<Entered>,
    /// Canonical frame address of the outermost activation of a window.
    outermost: Option<u64>,
    /// Instructions that were not recorded.
    passed: u64,
    roles: Known<(bool, Option<Marker>)>,
}

impl Windows {
    pub(super) fn new(on: bool) -> Self {
        Windows {
            is_on: on,
            always: on,
            region: None,
            opening: Vec::new(),
            outermost: None,
            passed: 0,
            roles: Known::default(),
        }
    }

    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.is_on
    }
}

impl Recorder<'_> {
    fn role(&mut self, pc: u64) -> (bool, Option<Marker>) {
        if let Some(&role) = self.windows.roles.get(&pc) {
            return role;
        }
        let role = (self.guide.starts_recording(pc), self.guide.marker(pc));
        self.windows.roles.insert(pc, role);
        role
    }

    /// Where the call that has just been made returns to.
    fn back(&self) -> Option<u64> {
        match self.terminator()? {
            Terminator::Call { next, .. } | Terminator::IndirectCall { next } => Some(next),
            _ => None,
        }
    }

    /// A unit begins while recording is off.
    pub(super) fn pass(&mut self, number: u32, pc: u64) {
        if self.are_fresh && self.has_registers {
            self.look(pc);
        }
        self.current = Some(number);
        if !self.windows.is_on {
            self.windows.passed += self.unit(number).map_or(0, |unit| unit.instrs.len() as u64);
        }
    }

    fn look(&mut self, pc: u64) {
        let stack = self.registers.stack;
        let returned = Entered { stack, back: pc };
        if let Some(at) = self.windows.opening.iter().rposition(|own| *own == returned) {
            self.windows.opening.truncate(at);
            return self.begin_amid(pc);
        }
        let Some(back) = self.back().or_else(|| self.tail_of()) else { return };
        let (starts, marker) = self.role(pc);
        if starts {
            self.windows.region = Some(Entered { stack, back });
            self.switch_on(stack, pc);
        } else if marker == Some(Marker::Begin) {
            // Activations further in are over.
            self.windows.opening.retain(|own| own.stack > stack);
            self.windows.opening.push(Entered { stack, back });
        }
    }

    /// Where a function returns to that was reached by a jump behind the call, as those of libraries are.
    fn tail_of(&self) -> Option<u64> {
        matches!(self.terminator()?, Terminator::IndirectJump).then_some(0)
    }

    fn switch_on(&mut self, frame: u64, entry: u64) {
        self.windows.is_on = true;
        self.made.clear();
        self.current = None;
        let instructions = std::mem::take(&mut self.windows.passed);
        // Where x86-64 has the return address: below the frame.
        self.output.special(&Special::Gap { instructions, stack: frame.wrapping_sub(8) });
        self.enter_function(entry);
    }

    /// Recording goes on at `pc`, in the middle of an activation.
    fn begin_amid(&mut self, pc: u64) {
        let (stack, frame) = (self.registers.stack, self.registers.frame);
        let found = self.guide.activation(pc, stack, frame);
        let Activation { entry, frame } = found.unwrap_or(Activation { entry: pc, frame: stack });
        self.windows.outermost = Some(frame);
        self.switch_on(frame, entry);
        if self.leaders.insert(pc) {
            self.epoch += 1;
        }
    }

    /// Control has come to `pc` by a call, a return or another jump to anywhere, while recording is on: whether it is off from here
    /// on.
    pub(super) fn leaves_window(&mut self, pc: u64) -> bool {
        if self.windows.always {
            return false;
        }
        let stack = self.registers.stack;
        let is_over = match self.windows.region {
            Some(region) => stack >= region.stack && (pc == region.back || region.back == 0),
            None => {
                let outermost = self.windows.outermost.is_some_and(|frame| stack >= frame);
                if outermost && self.back().is_none() {
                    // The activation in which the window began has returned: the one around it goes on.
                    self.made.clear();
                    self.begin_amid(pc);
                    return false;
                }
                self.back().is_some() && self.role(pc).1 == Some(Marker::End)
            }
        };
        if is_over {
            (self.windows.is_on, self.windows.region, self.windows.outermost) = (false, None, None);
        }
        is_over
    }
}
