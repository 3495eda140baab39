//! Code that is not recorded, between two records: that of libraries (`--scope main`), or of a runtime of OpenMP.
//!
//! Definition: control leaves the recorded code by a call, a tail call or a return, and comes back by a return, by entering a
//! function (a callback) or into the middle of one (longjmp, an exception). The function it left to gets an activation of
//! its own, which has no code; which activations are over on the way back is told by the stack pointer.
//!
//! What ran in between may have read and written anything, registers included, unless it was a runtime. Every loop around it is marked:
//! nothing is claimed about its iterations. Loops inside which nothing unrecorded ran have all their dependences. What is known of
//! memory stays, so that what is read later still counts as read after a loop that wrote it.

use profile::Gap;
use trace::block::Terminator;
use trace::stream::Outside;

use super::{Allocator, Engine, allocator};
use crate::observer::observer;
use crate::walker::{Event, Walker};

/// How control left and how it comes back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Away {
    outside: Outside,
    /// How the last block before ended; `None` if it was interrupted by a signal.
    by: Option<Terminator>,
}

impl Engine {
    /// Control left and is about to come back.
    pub(super) fn leave(&mut self, outside: Outside) {
        if outside.is_runtime {
            self.pass_tasks(&outside);
            self.registers.forget_unkept();
        } else {
            self.registers.forget();
        }
        if self.walker.is_none() && outside.target != 0 {
            // A thread begins there.
            self.begin(outside.target);
        }
        let Some(walker) = &self.walker else {
            self.previous = None;
            return;
        };
        let torn = self.torn.take();
        let interrupted = self.interruption(walker, torn);
        let previous = self.previous.take();
        let by = match self.signals.leaves(interrupted) {
            // A handler outside. (Of one inside, all that runs outside is what returns from it.)
            true => {
                if !outside.is_runtime {
                    self.contexts.mark_gap(walker.context(), Gap::LeftOut);
                }
                None
            }
            false => previous.map(|code| self.codes.get(code).terminator),
        };
        self.away = Some(Away { outside, by });
    }

    /// Control comes back to `pc`.
    pub(super) fn come_back(&mut self, walker: &mut Walker, away: &Away, pc: u64) {
        let Outside { target, stack, entered, is_runtime, .. } = away.outside;
        let mut events: Vec<Event> = Vec::new();
        match away.by {
            Some(Terminator::Call { next, .. } | Terminator::IndirectCall { next }) => {
                let callee = self.functions.at(target);
                self.functions.executed(callee, None, target);
                walker.call(&mut self.contexts, &mut self.functions, callee, target, next);
                walker.set_cfa(self.call_slot);
                events.append(&mut walker.events);
            }
            Some(Terminator::Jump(_) | Terminator::IndirectJump) => {
                self.tail_call(walker, target);
                events.append(&mut walker.events);
            }
            // A callback is over.
            Some(Terminator::Return) => {
                let cfa = walker.frames().last().map_or(0, |f| f.cfa);
                walker.abandon(&self.contexts, cfa);
                events.append(&mut walker.events);
            }
            _ => {}
        }
        if !is_runtime {
            self.contexts.mark_gap(walker.context(), Gap::LeftOut);
        }
        let frames = walker.frames();
        let returns = |f: &crate::walker::Frame| {
            f.return_pc == pc && f.return_pc != 0 && (f.cfa == 0 || f.cfa == stack)
        };
        match frames.iter().rposition(returns).filter(|_| !entered) {
            Some(at) => {
                let is_direct = at + 1 == frames.len();
                let entry = frames[at].entry;
                self.note_return(walker, at, pc);
                if is_direct {
                    walker.ret(&mut self.contexts, &mut self.functions, pc);
                    self.returned(walker, &away.outside, pc);
                } else {
                    walker.unwind(&mut self.contexts, &mut self.functions, at, pc);
                }
                let result = away.outside.result;
                if is_runtime && self.threads.teams.returns(self.threads.tree, entry, result) {
                    self.begin_phase(walker);
                }
            }
            None if entered => {
                // The frame that is entered begins above its return address.
                let cfa = stack.wrapping_add(8);
                walker.abandon(&self.contexts, cfa);
                events.append(&mut walker.events);
                let function = self.functions.at(pc);
                self.functions.executed(function, None, pc);
                // A thread of a runtime runs one region after the other.
                let repeats = is_runtime && walker.frames().len() == 1 && !self.is_in_task();
                walker.call_back(&mut self.contexts, &mut self.functions, function, pc, repeats);
                walker.set_cfa(cfa);
                if let Some((at, bytes)) = self.threads.teams.block_of(pc, away.outside.arguments) {
                    // The runtime has made it, of memory that may have been another task's.
                    let observer = observer!(self, walker);
                    self.memory.forget(at, at.saturating_add(bytes), &observer);
                }
            }
            None => {
                walker.abandon(&self.contexts, stack);
                events.append(&mut walker.events);
                self.foreign(walker, pc);
            }
        }
        events.append(&mut walker.events);
        walker.events = events;
        // Handlers that were left otherwise than by their return.
        self.signals.keep(walker.frames().len());
    }

    /// A function that is not recorded has returned to `site`: if it is an allocator, blocks of memory come and go.
    fn returned(&mut self, walker: &Walker, outside: &Outside, site: u64) {
        let Outside { target, arguments: [a, b], result, .. } = *outside;
        if let Some(bytes) = self.threads.teams.made(self.threads.tree, target, result) {
            let observer = observer!(self, walker);
            self.memory.forget(result, result.saturating_add(bytes), &observer);
            return;
        }
        let image = &self.image;
        let name = |pc| image.function_at(pc).map(|symbol| symbol.name);
        let kind = *self
            .allocator_at
            .entry(target)
            .or_insert_with(|| name(target).and_then(|name| allocator(&name)));
        let Some(kind) = kind else { return };
        if matches!(kind, Allocator::Free | Allocator::Resize) {
            self.objects.freed(a);
        }
        if kind == Allocator::Free || result == 0 {
            return;
        }
        let size = kind.size(a, b);
        self.objects.allocated(result, size, site);
        if kind != Allocator::Resize {
            let observer = observer!(self, walker);
            self.memory.forget(result, result.saturating_add(size), &observer);
        }
    }
}
