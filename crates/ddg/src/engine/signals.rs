//! Handlers of signals: what they interrupt, and where the program goes on after them.
//!
//! Definition: a handler is an activation, called from a pseudo site (ALGORITHMS 1.6). When it has returned, the activation that
//! was interrupted goes on; all that began since then is over.
//!
//! Invariant: what is told of signals takes effect with the next block, in the order it was told; no block may lie between two
//! deliveries, or between a return and the next delivery.

use super::Engine;
use super::outside::Away;
use crate::code::CodeId;
use crate::walker::{Event, Walker};

/// A place where a signal interrupted the program.
#[derive(Debug, Clone, Copy)]
pub(super) struct Interruption {
    /// Number of activations there were.
    depth: usize,
    /// The block that was left, and its code, if it ran to its end; then that of a frame it called for.
    block: u64,
    code: Option<CodeId>,
    call_slot: u64,
    /// Addresses of the block it tore.
    torn: Option<(u64, u64)>,
    /// Control was about to come back from code that is not recorded.
    away: Option<Away>,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Signals {
    interruptions: Vec<Interruption>,
    /// Handlers that are about to start, each interrupting the one before.
    handlers: Vec<u64>,
    /// Where the program goes on after a handler.
    resume: Option<u64>,
    /// The program had gone back to what was interrupted last when the first of `handlers` came.
    again: bool,
    /// Control was about to come back when the first of `handlers` came.
    away: Option<Away>,
}

impl Signals {
    /// A signal is delivered to a handler, while control is about to come back if `away` says so.
    pub(super) fn delivered(&mut self, handler: u64, away: Option<Away>) {
        self.handlers.push(handler);
        match self.resume.take() {
            Some(_) => self.again = true,
            None => self.away = self.away.or(away),
        }
    }

    /// A handler has returned.
    pub(super) fn returned(&mut self, pc: u64) {
        self.resume = Some(pc);
    }

    /// Control leaves the recorded code: whether to a handler that is not recorded.
    pub(super) fn leaves(&mut self, interrupted: Interruption) -> bool {
        let is_handler = !self.handlers.is_empty();
        let away = self.away.take();
        if is_handler && !std::mem::take(&mut self.again) {
            self.interruptions.push(Interruption { away, ..interrupted });
        }
        self.handlers.clear();
        is_handler
    }

    /// Recording goes on after a gap.
    pub(super) fn forget(&mut self) {
        *self = Signals::default();
    }

    /// `live` activations are left: handlers above them were left otherwise than by their return.
    pub(super) fn keep(&mut self, live: usize) {
        self.interruptions.retain(|i| i.depth <= live);
    }
}

impl Engine {
    /// A signal interrupts what `walker` is in.
    pub(super) fn interruption(&self, walker: &Walker, torn: Option<(u64, u64)>) -> Interruption {
        Interruption {
            depth: walker.frames().len(),
            block: walker.block(),
            code: self.previous,
            call_slot: self.call_slot,
            torn,
            away: None,
        }
    }

    /// Goes on at `pc` after a handler, if one has returned.
    pub(super) fn after_handler(&mut self, walker: &mut Walker, pc: u64) -> bool {
        if self.signals.resume.take().is_none() {
            return false;
        }
        self.away = None;
        let Some(back) = self.signals.interruptions.pop() else {
            // Another program has taken the place of the one that ran, perhaps: its code is none that is known here.
            self.functions.executed(walker.function(), None, pc);
            walker.unwind(&mut self.contexts, &mut self.functions, walker.frames().len(), pc);
            return true;
        };
        let is_torn = back.torn.is_some_and(|(start, end)| (start..end).contains(&pc));
        // The rest of a block that was torn belongs to the iteration that was interrupted.
        walker.go_on(&self.contexts, back.depth, if is_torn { pc } else { back.block });
        let ended = std::mem::take(&mut walker.events);
        (self.previous, self.call_slot) = (back.code, back.call_slot);
        if let Some(away) = back.away {
            self.come_back(walker, &away, pc);
        } else if is_torn {
            self.functions.executed(walker.function(), None, pc);
        } else if back.code.is_some() {
            self.transfer(walker, pc);
        } else {
            walker.unwind(&mut self.contexts, &mut self.functions, back.depth, pc);
            self.functions.executed(walker.function(), None, pc);
        }
        walker.precede(ended);
        true
    }

    /// Enters the handlers that have been started, if any.
    pub(super) fn enter_handlers(&mut self, walker: &mut Walker, torn: Option<(u64, u64)>) -> bool {
        let handlers = std::mem::take(&mut self.signals.handlers);
        if handlers.is_empty() {
            return false;
        }
        let mut events: Vec<Event> = Vec::new();
        let again = std::mem::take(&mut self.signals.again);
        let mut interrupted = match self.signals.interruptions.pop_if(|_| again) {
            // Nothing has run there since the last handler.
            Some(interruption) => {
                walker.go_on(&self.contexts, interruption.depth, interruption.block);
                events.append(&mut walker.events);
                Some(interruption)
            }
            None => {
                let away = self.signals.away.take();
                Some(Interruption { away, ..self.interruption(walker, torn) })
            }
        };
        for &handler in &handlers {
            let interruption =
                interrupted.take().unwrap_or(Interruption { code: None, ..self.interruption(walker, None) });
            self.signals.interruptions.push(interruption);
            let function = self.functions.at(handler);
            self.functions.executed(function, None, handler);
            walker.call(&mut self.contexts, &mut self.functions, function, handler, 0);
            let base = walker.frames().last().map_or(walker.context(), |frame| frame.base);
            self.contexts.mark_handler(base);
            events.append(&mut walker.events);
        }
        walker.events = events;
        true
    }
}
