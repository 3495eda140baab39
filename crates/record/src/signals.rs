//! Signals and faults: precise state, delivery, and the records that tell of them.
//!
//! Definition: a safe point is a full entry, a fast entry, the head of a folded or counted loop, or the place after a
//! system call;
//! there the program's registers can be restored without losing or repeating an instruction. Asynchronous signals
//! wait for the next one; synchronous faults are precise by construction, as instrumentation never faults except at the
//! end of a buffer.

use libc::{c_int, siginfo_t, user_regs_struct};
use trace::stream::Special;

use crate::Exit;
use crate::StopReason;
use crate::cache::Placed;
use crate::error::Error;
use crate::interrupted::settle;
use crate::masks::OWN;
use crate::process::{Resume, Status, is_gone, register};
use crate::run::{Awaiting, Engine, Next};
use crate::shared::{REMOTE_CALL, SLOT_P, SLOT_RAX, SLOT_RCX, SLOT_RUNNING, SLOT_S, SLOT_T, SLOT_U};
use crate::translate::{Edge, LoopHead, OwnLoop, Point, Running};

/// An access was not aligned, and the flag AC asks for that to be checked.
const BUS_ADRALN: c_int = 1;

impl Engine<'_> {
    /// The program stopped with a signal of its own.
    pub(crate) fn signal(&mut self, signal: c_int, regs: &mut user_regs_struct) -> Result<Next, Error> {
        // A stop of the whole process group is no signal; tracing does not reproduce it.
        let Some(info) = self.tracee.siginfo()? else { return Ok(Next::Resume(0)) };
        if signal == libc::SIGSTOP && self.time_is_over() {
            // It may be told more than once, and after another reason to stop.
            self.stop_for(StopReason::Duration);
            return self.at_once_or_later(regs);
        }
        self.was_terminated |= signal == libc::SIGTERM;
        let sent = self.pace.original(signal, &info);
        let is_sent = sent.is_some();
        let info = sent.unwrap_or(info);
        let inside = self.cache.contains(regs.rip);
        let fault = info.si_code > 0
            && matches!(signal, libc::SIGSEGV | libc::SIGBUS | libc::SIGFPE | libc::SIGILL | libc::SIGTRAP);
        let hidden = if fault { self.masks.hides(signal) } else { self.masks.holds(signal) };
        if hidden && !fault {
            self.masks.sent(signal, info);
            if self.before_call(regs.rip).is_some() {
                // The call may be one that waits for it: what waits here is looked at again before the call is made.
                return self.at_once_or_later(regs);
            }
            return Ok(Next::Resume(0));
        }
        let start = self.attached.as_mut().and_then(|attached| attached.start.take());
        if let Some((_, pc)) = start.filter(|(at, _)| fault && *at == regs.rip) {
            // The process had just run into it when it was attached to.
            regs.rip = pc;
        } else if let Some((pc, bytes)) = fault.then(|| self.in_comparison(regs)).flatten() {
            if signal == libc::SIGBUS && info.si_code == BUS_ADRALN {
                // The program has alignment checked, and the comparison of its code is not aligned.
                return self.not_compared(regs, pc, bytes);
            }
            regs.rip = pc;
        } else if fault && inside {
            self.fault(signal, regs)?;
        } else if fault {
            self.leave_native(regs)?;
        }
        if fault && !self.pending.is_empty() {
            // That came first. The instruction will be run again.
            let pc = regs.rip;
            return self.arrive(regs, pc, None, None);
        }
        if fault && hidden {
            return self.kill(signal, &info, regs);
        }
        if !self.catches(signal) {
            // It would not have come but for the tracer.
            if !fault && self.tracee.ignores(signal) && settle(regs) {
                self.tracee.set_regs(regs)?;
            }
            if inside && !fault {
                self.save_pointer(regs);
            } else {
                self.tracee.set_regs(regs)?;
            }
            return Ok(Next::Resume(signal));
        }
        if fault {
            return self.deliver(signal, &info, regs);
        }
        // What interrupted a system call has been waited for.
        let is_call_over = self.after_call(regs.rip).is_some();
        if !is_sent && !is_call_over && self.pace.takes(self.tracee.process(), signal, &info) {
            if self.before_call(regs.rip).is_none() {
                self.hold_others()?;
            }
            return Ok(Next::Resume(0));
        }
        self.pending.push_back((signal, info));
        let next = self.at_once_or_later(regs)?;
        if !self.pending.is_empty() {
            self.hold_others()?;
        }
        Ok(next)
    }

    /// As long as a signal waits for a safe point, or the program is given time, all others wait in the kernel, which knows
    /// their order.
    pub(crate) fn hold_others(&mut self) -> Result<(), Error> {
        if self.held.is_none() {
            self.held = Some(self.tracee.mask()?);
            self.tracee.set_mask(!OWN)?;
        }
        Ok(())
    }

    /// The others need not wait any longer.
    pub(crate) fn let_go(&mut self) -> Result<(), Error> {
        match self.held.take() {
            Some(mask) => self.tracee.set_mask(mask),
            None => Ok(()),
        }
    }

    /// An instruction that was to run at its own address is interrupted: if it has not run, it is no part of the record.
    fn leave_native(&mut self, regs: &user_regs_struct) -> Result<(), Error> {
        let Some(Awaiting::Native { pc, block, before, words }) = self.awaiting else { return Ok(()) };
        self.awaiting = None;
        if regs.rip == pc { self.take_back(block, before, words) } else { Ok(()) }
    }

    pub(crate) fn at_once_or_later(&mut self, regs: &mut user_regs_struct) -> Result<Next, Error> {
        if self.make_precise(regs)? {
            let pc = regs.rip;
            return self.arrive(regs, pc, None, None);
        }
        Ok(Next::Resume(0))
    }

    /// At a safe point, gives all registers back to the program; `false` elsewhere.
    pub(crate) fn make_precise(&mut self, regs: &mut user_regs_struct) -> Result<bool, Error> {
        let rip = regs.rip;
        if self.is_in_contract() && !self.waits_in_contract(regs) {
            return Ok(false);
        }
        if !self.cache.contains(rip) {
            if let Some(Awaiting::Sigreturn(done)) = self.awaiting {
                self.awaiting = None;
                self.after_return(done)?;
                self.resumed(regs)?;
            }
            self.leave_native(regs)?;
            return Ok(true);
        }
        if let Some(next) = self.after_call(rip) {
            self.finish_call(regs)?;
            self.awaiting = None;
            regs.rip = next;
            regs.rcx = next;
            self.abandon_contract(regs.rsp)?;
            return Ok(true);
        }
        if let Some(next) = self.before_call(rip) {
            match self.awaiting.take() {
                Some(Awaiting::Call { replaced: Some(replaced), .. }) => self.replaced(replaced, regs, None),
                Some(Awaiting::Sigreturn(yet)) => self.not_returned(yet),
                _ => {}
            }
            if rip != REMOTE_CALL {
                self.undo_last(rip)?;
                regs.rcx = self.cache.state.word(SLOT_RCX as usize);
            }
            regs.rip = next - 2;
            return Ok(true);
        }
        let Some(block) = self.cache.find(rip).cloned() else { return Ok(false) };
        if rip == block.full {
            regs.rip = block.pc;
            return Ok(true);
        }
        if rip == block.fast {
            self.set_pointer(*register(regs, block.pair.0));
            self.give_back(regs, &block, true, true);
            regs.rip = block.pc;
            return Ok(true);
        }
        if let Some(own) = block.own.filter(|o| o.at == rip) {
            self.tear(own, *register(regs, block.pair.0));
            self.give_back(regs, &block, true, true);
            regs.rip = block.pc;
            return Ok(true);
        }
        let Some(head) = block.fold.filter(|h| h.at == rip) else { return Ok(false) };
        let value = *register(regs, head.register);
        let pointer = self.pointer();
        let entry = self.record_word(pointer, head.entry);
        if entry != value {
            // The iterations so far become a record; the rest will be another.
            self.close_run(regs, &block, &head, value)?;
        }
        self.give_back(regs, &block, head.holds_p, head.holds_s);
        regs.rip = block.pc;
        Ok(true)
    }

    /// Makes a record of the whole iterations of the loop that is running; the induction value is `value` after them.
    fn close_run(
        &mut self,
        regs: &mut user_regs_struct,
        block: &Placed,
        head: &LoopHead,
        value: u64,
    ) -> Result<(), Error> {
        let pointer = self.pointer();
        let bytes = u64::from(head.words) * 8;
        let (pointer, end) = match self.running(regs, block, head) {
            Some(running) => (pointer, running),
            None if pointer + bytes > self.buffers.end() => {
                self.buffers.swap(pointer, usize::from(head.exit) * 8, usize::MAX)?;
                (self.buffers.start(), self.buffers.start() + bytes)
            }
            None => (pointer, pointer + bytes),
        };
        self.close(block, head, (pointer, end), value);
        self.set_pointer(end);
        Ok(())
    }

    /// Completes the record of a loop, which lies between two addresses, after whole iterations: the induction value is
    /// `value`.
    fn close(&self, block: &Placed, head: &LoopHead, (pointer, end): (u64, u64), value: u64) {
        let bytes = end - pointer - u64::from(head.words) * 8;
        let header = u64::from(block.id) | bytes << 32;
        // After the value at exit: no way out was taken in the middle.
        for (word, content) in [(0, header), (head.exit, value), (head.exit + 1, 0)] {
            if word < head.words {
                self.buffers.memory.set_word(self.buffers.offset(pointer) + usize::from(word) * 8, content);
            }
        }
    }

    /// Where the end of the record is, as of the start of the iteration, in a loop that records words in every iteration.
    fn running(&self, regs: &mut user_regs_struct, block: &Placed, head: &LoopHead) -> Option<u64> {
        head.runs.map(|running| match running {
            Running::Register => *register(regs, block.pair.0),
            Running::Slot => self.cache.state.word(SLOT_RUNNING as usize),
        })
    }

    /// If the buffer ends in the body of a loop that records words in every iteration: the whole iterations so far become a
    /// record, and the loop goes on with another one in the next buffer.
    pub(crate) fn continue_loop(
        &mut self,
        regs: &mut user_regs_struct,
        block: &Placed,
    ) -> Result<bool, Error> {
        let Some(head) = block.fold.filter(|h| (h.at..h.end).contains(&regs.rip)) else { return Ok(false) };
        let (Some(running), Some(folded)) = (self.running(regs, block, &head), &block.folded) else {
            return Ok(false);
        };
        let offset = (regs.rip - block.full) as u32;
        let reached = block.points.partition_point(|p| p.offset <= offset);
        let Some(point) = reached.checked_sub(1).map(|k| block.points[k]) else { return Ok(false) };
        // The words for the instruction are recorded again.
        self.return_borrowed(regs, &point);
        regs.rip = block.full + u64::from(point.offset);
        let start = self.pointer();
        let (iterations, value) = self.iterations(regs, &head, &point);
        let mut words: Vec<u64> = (0..head.words).map(|w| self.record_word(start, w)).collect();
        let own = point.words - head.words;
        if iterations > 0 {
            words = folded.at(&words, iterations);
            words[0] = u64::from(block.id);
        }
        words.extend((0..own).map(|w| self.record_word(running, w)));
        let end = if iterations > 0 { running } else { start };
        if iterations > 0 {
            self.close(block, &head, (start, running), value);
        }
        self.learn(end)?;
        self.buffers.swap(end, 0, self.room)?;
        self.grow();
        let start = self.buffers.start();
        for (k, word) in words.into_iter().enumerate() {
            self.buffers.memory.set_word(self.buffers.offset(start) + k * 8, word);
        }
        self.set_pointer(start);
        let running = start + u64::from(head.words) * 8;
        match head.runs {
            Some(Running::Register) => *register(regs, block.pair.0) = running,
            _ => self.cache.state.set_word(SLOT_RUNNING as usize, running),
        }
        self.tracee.set_regs(regs)?;
        Ok(true)
    }

    /// How many whole iterations of a loop have completed at a point of its body, and the induction value after them.
    fn iterations(&self, regs: &mut user_regs_struct, head: &LoopHead, point: &Point) -> (u64, u64) {
        let entry = self.record_word(self.pointer(), head.entry);
        let now = (*register(regs, head.register)).wrapping_sub(point.progress as u64);
        ((now.wrapping_sub(entry) as i64).wrapping_div(head.step) as u64, now)
    }

    fn return_borrowed(&self, regs: &mut user_regs_struct, point: &Point) {
        for (r, slot) in point.borrowed.into_iter().zip([SLOT_T, SLOT_U]) {
            if let Some(r) = r {
                *register(regs, r) = self.cache.state.word(slot as usize);
            }
        }
    }

    pub(crate) fn record_word(&self, pointer: u64, word: u16) -> u64 {
        self.buffers.memory.word(self.buffers.offset(pointer) + usize::from(word) * 8)
    }

    /// An entry of a counted loop is interrupted after `iterations`.
    fn tear(&mut self, own: OwnLoop, iterations: u64) {
        if let Some(counting) = &mut self.counting {
            counting.tear(own, iterations, &self.cache.state);
        }
    }

    /// In the midst of a comparison of a block's code, gives all registers back to the program. Gives the block's address and
    /// length.
    fn in_comparison(&mut self, regs: &mut user_regs_struct) -> Option<(u64, usize)> {
        let block = self.cache.find(regs.rip)?.clone();
        let comparison = block.comparison.filter(|c| (block.fast + 1..c.end).contains(&regs.rip))?;
        comparison.give_back(regs, self.cache.state.word(SLOT_RAX as usize));
        self.set_pointer(*register(regs, block.pair.0));
        self.give_back(regs, &block, true, true);
        Some((block.pc, comparison.bytes))
    }

    fn give_back(&self, regs: &mut user_regs_struct, block: &Placed, p: bool, s: bool) {
        if p {
            *register(regs, block.pair.0) = self.cache.state.word(SLOT_P as usize);
        }
        if s {
            *register(regs, block.pair.1) = self.cache.state.word(SLOT_S as usize);
        }
    }

    /// An instruction of a block faulted: restores the program's state before it and records what ran.
    fn fault(&mut self, signal: c_int, regs: &mut user_regs_struct) -> Result<(), Error> {
        let lost = Error::Lost { pid: self.tracee.pid(), signal, pc: regs.rip };
        let Some(block) = self.cache.find(regs.rip).cloned() else { return Err(lost) };
        let offset = (regs.rip - block.full) as u32;
        let reached = block.points.partition_point(|p| p.offset <= offset);
        let Some(point) = reached.checked_sub(1).map(|k| block.points[k]) else { return Err(lost) };
        let body = block.fold.filter(|h| (h.at..h.end).contains(&regs.rip));
        // What is borrowed may be the induction register or the one that holds the end of the record.
        self.return_borrowed(regs, &point);
        let (mut p, mut s) = (true, true);
        let words = match body {
            Some(head) => {
                (p, s) = (head.holds_p, head.holds_s);
                self.fault_in_loop(regs, &block, &head, &point)?
            }
            None => {
                match block.own.filter(|o| (o.at..o.end).contains(&regs.rip)) {
                    Some(own) => self.tear(own, *register(regs, block.pair.0)),
                    None => self.set_pointer(*register(regs, block.pair.0)),
                }
                let pointer = self.pointer();
                (1..point.words).map(|w| self.record_word(pointer, w)).collect()
            }
        };
        self.give_back(regs, &block, p, s);
        regs.rip = point.pc;
        if block.on {
            let instructions = u64::from(point.index);
            self.special(&Special::Partial { block: block.id, iterations: 0, instructions, words: &words })?;
        }
        Ok(())
    }

    /// A fault in the body of a loop: the whole iterations so far become a record. Gives the words of the iteration that is
    /// interrupted.
    fn fault_in_loop(
        &mut self,
        regs: &mut user_regs_struct,
        block: &Placed,
        head: &LoopHead,
        point: &Point,
    ) -> Result<Vec<u64>, Error> {
        let pointer = self.pointer();
        let (iterations, value) = self.iterations(regs, head, point);
        // The last words of a loop are written when it is left: the buffer may end before them.
        let room = self.buffers.end().saturating_sub(pointer) / 8;
        let word = |w| if u64::from(w) < room { self.record_word(pointer, w) } else { 0 };
        let fixed: Vec<u64> = (0..head.words).map(word).collect();
        let running = self.running(regs, block, head);
        let own = running.map(|running| {
            let own = (0..point.words - head.words).map(|w| self.record_word(running, w));
            own.collect::<Vec<u64>>()
        });
        if iterations > 0 {
            self.close_run(regs, block, head, value)?;
        }
        let moved = match &block.folded {
            // What follows the words at entry are those of the first iteration.
            Some(folded) => folded.at(&fixed, iterations),
            None => fixed,
        };
        Ok(moved.into_iter().skip(1).chain(own.into_iter().flatten()).collect())
    }

    /// Before the program may die of a signal: makes sure what it recorded is not lost.
    fn save_pointer(&mut self, regs: &mut user_regs_struct) {
        let Some(block) = self.cache.find(regs.rip).cloned() else { return };
        let pointer = *register(regs, block.pair.0);
        if let Some(own) = block.own.filter(|o| (o.at..o.end).contains(&regs.rip)) {
            self.tear(own, pointer);
        }
        // A loop's record ends where it began until it is complete, whatever the register holds.
        let is_whole = !block.unfinished.iter().any(|part| part.contains(&regs.rip));
        if regs.rip >= block.fast
            && is_whole
            && (self.buffers.start()..=self.buffers.end()).contains(&pointer)
        {
            self.set_pointer(pointer);
        }
    }

    /// Lets the kernel start the handler of a signal from the precise state in `regs`, and follows it.
    pub(crate) fn deliver(
        &mut self,
        mut signal: c_int,
        info: &siginfo_t,
        regs: &mut user_regs_struct,
    ) -> Result<Next, Error> {
        let stack = regs.rsp;
        self.let_go()?;
        self.tracee.set_regs(regs)?;
        let mut info = *info;
        loop {
            self.tracee.set_siginfo(&info)?;
            self.tracee.resume(Resume::Step, signal)?;
            match self.tracee.wait()? {
                Status::Exited(code) => return Ok(Next::Ended(Exit::Code(code))),
                Status::Killed(signal) => return Ok(Next::Ended(Exit::Signal(signal))),
                // There is no room for what the handler is to return to.
                Status::Stopped { signal: libc::SIGSEGV, event: 0 } => {
                    let Some(fault) = self.tracee.siginfo()? else { break };
                    (signal, info) = (libc::SIGSEGV, fault);
                    if self.masks.hides(signal) {
                        return self.kill(signal, &info, regs);
                    }
                    if !self.catches(signal) {
                        return Ok(Next::Resume(signal));
                    }
                }
                _ => break,
            }
        }
        self.pace.delivered();
        let mut regs = self.tracee.regs()?;
        if is_gone(&regs) {
            return Ok(Next::Resume(0));
        }
        self.enter_handler(&regs)?;
        let handler = regs.rip;
        self.leave_contract(stack)?;
        self.interrupted(stack);
        self.special(&Special::Signal { number: signal as u64, handler })?;
        self.follow(&mut regs, handler, None, Some(Edge::Call))
    }
}
