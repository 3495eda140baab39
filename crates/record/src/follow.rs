//! From the program's own addresses to translated code: what is translated, when, and what is published.

use std::collections::VecDeque;

use libc::user_regs_struct;
use trace::block::{Instr, Terminator};
use trace::stream::Special;

use crate::Encoding;
use crate::counting::Counting;
use crate::error::Error;
use crate::function::{self, Surroundings};
use crate::learn::{Along, LOOK, Lesson, SOON};
use crate::process::{is_gone, register};
use crate::run::{Engine, Next};
use crate::shared::{SLOT_P, SLOT_S};
use crate::stale;
use crate::translate::{Edge, Pair, Request, Stretch, Translation};

/// Blocks translated ahead for one miss.
const AHEAD: usize = 32;
/// With more room in a buffer than so many times [`SOON`], new code makes it end early.
const FAR: usize = 4;
/// Bytes of code looked at for one block.
const BLOCK_BYTES: usize = 3072;

impl Surroundings for Engine<'_> {
    fn bytes(&mut self, pc: u64) -> Vec<u8> {
        self.code.bytes(&self.tracee, pc, 512)
    }

    fn instruction(&self, bytes: &[u8], pc: u64) -> (u64, Option<Terminator>) {
        function::instruction(bytes, pc)
    }

    fn decoded(&mut self, bytes: &[u8], pc: u64) -> Instr {
        self.translator.decoded(bytes, pc)
    }

    fn call_slot(&self, bytes: &[u8], pc: u64) -> Option<u64> {
        function::call_slot(bytes, pc)
    }

    fn is_function(&mut self, pc: u64) -> bool {
        self.entries.contains(&pc) || self.guide.is_function(pc)
    }

    fn jump_targets(&mut self, after: u64) -> Vec<u64> {
        self.guide.jump_targets(after)
    }

    fn landing_pad(&mut self, after: u64) -> Option<u64> {
        self.guide.landing_pad(after)
    }
}

impl Engine<'_> {
    /// From precise state at `pc`, which was reached over `edge`: delivers what is pending, or continues in translated
    /// code.
    pub(crate) fn arrive(
        &mut self,
        regs: &mut user_regs_struct,
        pc: u64,
        hint: Option<Pair>,
        edge: Option<Edge>,
    ) -> Result<Next, Error> {
        if is_gone(regs) {
            return Ok(Next::Resume(0));
        }
        regs.rip = pc;
        if self.is_in_contract() {
            return self.follow(regs, pc, hint, edge);
        }
        if self.threads.yields && edge.is_none() && self.pending.is_empty() && self.stopping.is_none() {
            return self.yield_turn(regs);
        }
        if self.stopping.is_some() {
            if !self.threads.is_alone() {
                return self.stop_others(regs);
            }
            return self.part(regs);
        }
        if let Some((signal, info)) = self.pending.pop_front() {
            return self.deliver(signal, &info, regs);
        }
        self.follow(regs, pc, hint, edge)
    }

    /// From precise state at `pc`, continues in translated code.
    pub(crate) fn follow(
        &mut self,
        regs: &mut user_regs_struct,
        pc: u64,
        hint: Option<Pair>,
        edge: Option<Edge>,
    ) -> Result<Next, Error> {
        self.pass_startup(regs, pc)?;
        if !self.on && self.config.encoding != Encoding::None && self.guide.starts_recording(pc) {
            self.switch(true);
            self.special(&Special::Gap { instructions: 0, stack: regs.rsp })?;
            self.special(&Special::ThreadBase(regs.fs_base))?;
            let back = self.tracee.read_word(regs.rsp);
            self.region = Some((regs.rsp, back));
            self.cache.guard_return(back, true);
            self.enter_function(pc)?;
        }
        self.pass_marker(regs, pc)?;
        self.pass_border(regs, pc, edge)?;
        self.end_contract(regs, edge)?;
        let is_outermost = || self.outermost.is_some_and(|outermost| regs.rsp >= outermost);
        if self.on && edge == Some(Edge::Return) && is_outermost() {
            self.begin_amid(regs, pc)?;
        }
        match edge {
            Some(Edge::Call) => self.enter_function(pc)?,
            // A survey does not cut blocks at the targets of jumps.
            Some(Edge::Jump) if self.counting.is_some() && !self.guide.is_function(pc) => {}
            Some(Edge::Jump) if self.entries.contains(&pc) => {}
            Some(Edge::Jump) if self.guide.is_function(pc) => self.enter_function(pc)?,
            Some(Edge::Jump) if self.contract(pc)?.is_some() => self.enter_function(pc)?,
            Some(Edge::Jump) if !self.leaders.contains(&pc) => {
                let code = self.decode_function(pc)?;
                self.leaders.extend(code.blocks.iter().map(|b| b.start));
            }
            _ => {}
        }
        let before = self.blocks;
        regs.rip = self.translated(pc, hint)?;
        // No system call is to be made again at an address of the cache.
        regs.orig_rax = u64::MAX;
        if self.blocks > before {
            self.look_soon()?;
        }
        self.tracee.set_regs(regs)?;
        Ok(Next::Resume(0))
    }

    /// There is new code: its first records are to be looked at.
    fn look_soon(&mut self) -> Result<(), Error> {
        if self.config.encoding != Encoding::Folded {
            return Ok(());
        }
        self.room = SOON;
        let pointer = self.pointer();
        let left = self.buffers.end().saturating_sub(pointer) as usize / 8;
        if left > FAR * SOON {
            self.learn(pointer)?;
            self.buffers.swap(pointer, 0, self.room)?;
            self.set_pointer(self.buffers.start());
        }
        Ok(())
    }

    pub(crate) fn locate(&mut self, pc: u64) -> Result<(), Error> {
        for mapping in self.code.locate(&self.tracee, pc) {
            self.guide.mapping(&mapping);
            self.meets(&mapping);
            match &mut self.counting {
                Some(counting) => counting.mapping(mapping),
                None => self.buffers.mapping(mapping)?,
            }
            self.leaders.extend(self.guide.marked());
        }
        Ok(())
    }

    pub(crate) fn decode_function(&mut self, pc: u64) -> Result<trace::block::FunctionCode, Error> {
        self.locate(pc)?;
        Ok(function::decode(pc, self))
    }

    /// Publishes a function when it is entered for the first time.
    pub(crate) fn enter_function(&mut self, pc: u64) -> Result<(), Error> {
        if !(self.on || self.counting.is_some()) || !self.entries.insert(pc) {
            return Ok(());
        }
        if let Some(counting) = &mut self.counting {
            counting.function(pc);
            return Ok(());
        }
        let is_left = self.leaves_at(pc);
        let code = match self.contract(pc)? {
            _ if is_left => self.left_code(pc),
            Some(contract) => {
                self.buffers.named(pc, contract.name.clone())?;
                self.contracted_code(pc, &contract)
            }
            None => self.decode_function(pc)?,
        };
        if self.code.is_gone() {
            return Ok(());
        }
        self.leaders.extend(code.blocks.iter().map(|b| b.start));
        self.buffers.function(code)
    }

    /// The full entry of the block at `pc`, translated if need be, with some of its successors.
    fn translated(&mut self, pc: u64, hint: Option<Pair>) -> Result<u64, Error> {
        if let Some(entry) = self.entry(pc) {
            return Ok(entry);
        }
        self.meet_allocator(pc)?;
        if self.cache.is_full() || self.counting.as_ref().is_some_and(Counting::is_full) {
            self.flush();
        }
        let full = self.cache.next();
        let mut work = VecDeque::from([(pc, hint)]);
        let mut done = 0;
        while let Some((at, hint)) = work.pop_front() {
            if done > 0 && (done >= AHEAD || self.cache.get(at, self.on).is_some() || !self.code.is_fixed(at))
            {
                continue;
            }
            let switches = self.is_marker(at) || !self.on && self.guide.starts_recording(at);
            if done > 0 && (switches || self.is_across_border(at) || self.is_new_allocator(at)?) {
                continue;
            }
            done += 1;
            self.translate(at, hint, &mut work)?;
        }
        self.let_return();
        Ok(self.entry(pc).unwrap_or(full))
    }

    /// Where control comes into the block at `pc`, if it is translated.
    fn entry(&mut self, pc: u64) -> Option<u64> {
        let placed = if self.is_apart(pc) { self.cache.get_apart(pc) } else { self.cache.get(pc, self.on) };
        placed.map(|block| block.full)
    }

    /// Returns behind the calls translated last need no stop.
    fn let_return(&mut self) {
        for next in std::mem::take(&mut self.returns) {
            self.cache.sieve(Edge::Return, self.on, next, None);
        }
    }

    /// The block at `pc`, of so many bytes, is no longer what was translated.
    pub(crate) fn changed(
        &mut self,
        regs: &mut user_regs_struct,
        pc: u64,
        bytes: usize,
    ) -> Result<Next, Error> {
        let range = pc..pc.saturating_add(bytes as u64);
        self.leaders.retain(|at| !range.contains(at));
        if !self.cache.is_full() && self.counting.is_none() {
            self.translate(pc, None, &mut VecDeque::new())?;
            self.let_return();
        } else {
            self.flush();
        }
        self.arrive(regs, pc, None, None)
    }

    /// The code at `pc`, of so many bytes, could not be compared with what was translated: it is translated anew, and run without that.
    pub(crate) fn not_compared(
        &mut self,
        regs: &mut user_regs_struct,
        pc: u64,
        bytes: usize,
    ) -> Result<Next, Error> {
        let next = self.changed(regs, pc, bytes)?;
        let block = self.cache.get(pc, self.on).filter(|block| block.full == regs.rip);
        if let Some((comparison, (p, s))) = block.and_then(|block| Some((block.comparison?, block.pair))) {
            // As if it had come through the full entry and the comparison.
            self.cache.state.set_word(SLOT_P as usize, *register(regs, p));
            self.cache.state.set_word(SLOT_S as usize, *register(regs, s));
            *register(regs, p) = self.pointer();
            regs.rip = comparison.end;
            self.tracee.set_regs(regs)?;
        }
        Ok(next)
    }

    pub(crate) fn translate(
        &mut self,
        pc: u64,
        hint: Option<Pair>,
        work: &mut VecDeque<(u64, Option<Pair>)>,
    ) -> Result<(), Error> {
        self.locate(pc)?;
        if let Some(contract) = self.contract(pc)? {
            return self.translate_contract(pc, &contract);
        }
        if self.leaves_at(pc) {
            return self.translate_leaving(pc);
        }
        // Its memory may still be readable: a block of no mapping would be published.
        if self.code.is_gone() {
            return Ok(());
        }
        // Calls will come here without a stop: what lies behind a call that never returns may be another function.
        if self.cache.is_called(pc, self.on) {
            self.enter_function(pc)?;
        }
        let bytes = self.code.bytes(&self.tracee, pc, BLOCK_BYTES);
        let request = Request {
            pc,
            base: self.cache.next(),
            bytes: &bytes,
            changeable: self.code.is_changeable(pc),
            hint,
            record: self.on.then_some(self.blocks),
            encoding: self.config.encoding,
            leaders: &self.leaders,
            arguments: self.on && self.guide.wants_arguments(pc),
            results: &self.results,
            count: self.counting.as_ref().map(Counting::next),
        };
        let mut t = self.translator.translate(&request)?;
        self.place(pc, &mut t)?;
        if let (Some(counting), Some(counters)) = (&mut self.counting, t.counters.take()) {
            counting.block(counters, t.end, &self.cache.state);
        }
        for exit in &t.exits {
            let known = self.cache.get(exit.target, self.on).is_some();
            if exit.call && known {
                self.enter_function(exit.target)?;
            }
            let other = exit.call
                || (exit.jump
                    && (self.entries.contains(&exit.target) || self.guide.is_function(exit.target)));
            if !known && !other {
                work.push_back((exit.target, exit.pair));
            }
        }
        if let Some(next) = t.returns {
            // What stands behind a call that never returns is no part of the function, and is not to be cut up as if it were.
            let returns = self.counting.is_some() || self.leaders.contains(&next);
            if returns && self.cache.get(next, self.on).is_none() {
                work.push_back((next, None));
            }
            self.returns.push(next);
        }
        Ok(())
    }

    /// Publishes a translation and puts it into the cache.
    pub(crate) fn place(&mut self, pc: u64, t: &mut Translation) -> Result<(), Error> {
        let mut id = self.blocks;
        if let Some(block) = t.block.take_if(|_| self.on) {
            id = block.id;
            for mut block in std::mem::take(&mut t.parts).into_iter().chain([block]) {
                if self.guide.takes_numbers(block.pc) {
                    stale::forget(&mut block);
                }
                self.learner.add(&block);
                self.buffers.block(block)?;
                self.blocks += 1;
            }
        }
        let apart = self.is_apart(pc);
        self.cache.place(pc, self.on, id, t, apart);
        Ok(())
    }

    /// Learns from the first records of the current buffer, which end at `pointer`.
    pub(crate) fn learn(&mut self, pointer: u64) -> Result<(), Error> {
        if !self.on || self.config.encoding != Encoding::Folded {
            return Ok(());
        }
        for lesson in self.learner.look(&self.buffers.recent(pointer, LOOK)) {
            if self.cache.is_full() {
                break;
            }
            // What follows is to be judged soon.
            self.room = SOON;
            match lesson {
                Lesson::Fold(way) => self.fold(&way)?,
                Lesson::Unfold(pc) => self.retranslate(pc, &[])?,
            }
        }
        Ok(())
    }

    /// Translates a loop along a way, if its code cannot change.
    fn fold(&mut self, way: &[Along]) -> Result<(), Error> {
        let Some(first) = way.first() else { return Ok(()) };
        let mut stretches = Vec::with_capacity(way.len());
        for &Along { pc, instructions, .. } in way {
            self.locate(pc)?;
            if !self.code.is_fixed(pc) {
                return Ok(());
            }
            let bytes = self.code.bytes(&self.tracee, pc, BLOCK_BYTES);
            stretches.push(Stretch { pc, instructions, bytes });
        }
        self.retranslate(first.pc, &stretches)
    }

    /// Translates the block at `pc` again: along a way if there is one, without folding otherwise.
    fn retranslate(&mut self, pc: u64, way: &[Stretch]) -> Result<(), Error> {
        let Some(hint) = self.cache.get(pc, self.on).map(|block| block.pair) else { return Ok(()) };
        let bytes = self.code.bytes(&self.tracee, pc, BLOCK_BYTES);
        let request = Request {
            pc,
            base: self.cache.next(),
            bytes: &bytes,
            changeable: self.code.is_changeable(pc),
            hint: Some(hint),
            record: Some(self.blocks),
            encoding: if way.is_empty() { Encoding::Derived } else { self.config.encoding },
            leaders: &self.leaders,
            arguments: false,
            results: &self.results,
            count: None,
        };
        let translated = match way {
            [] => Some(self.translator.translate(&request)?),
            _ => self.translator.translate_way(&request, way)?,
        };
        match translated {
            Some(mut translated) => self.place(pc, &mut translated),
            None => Ok(()),
        }
    }
}
