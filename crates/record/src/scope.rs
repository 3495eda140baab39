//! Recording of a part of the code alone: of the program's own file ([`Scope::Main`]), or of all but [`crate::runtimes`].
//!
//! Definition: recording is on exactly while control is in the code that is recorded. The border is passed wherever control
//! goes: calls and returns, tail calls, callbacks, longjmp, exceptions, signal handlers and their returns.
//!
//! Invariant: code on one side of the border is never translated for the other side, so that every passage is a miss
//! and is seen here, or goes by way of a [passage](crate::passage) that the recorder made when it saw an earlier one.
//! Cost: two stops of the program per function called and place returned to, and where there is no passage.

use libc::user_regs_struct;
use trace::sink::Owner;
use trace::stream::{Outside, Special};

use crate::decode;
use crate::error::Error;
use crate::run::Engine;
use crate::shared::{SLOT_BOUND, SLOT_FIRST, SLOT_ON, SLOT_PASSAGES, SLOT_SECOND, SLOT_TARGET};
use crate::translate::Edge;
use crate::{Config, Encoding, Scope, runtimes};

/// Length of a direct call.
const CALL: usize = 5;

/// What is said of every call across the border.
const NOT_RECORDED: &str =
    "call of library code, left out by --scope main: what it reads and writes, and dependences through it";

/// What the recorder keeps of passages of the border; the rest is in slots of the state page.
#[derive(Debug, Default)]
pub(crate) struct Left {
    /// Thread base that was recorded last.
    thread_base: Option<u64>,
    /// Stack pointer where each signal interrupted the program, and whether recording was on there.
    interrupted: Vec<(u64, bool)>,
}

/// Whether recording is on from the first instruction on.
pub(crate) fn starts_on(config: &Config) -> bool {
    config.start_recording && config.encoding != Encoding::None && config.scope == Scope::All
}

/// What the border goes around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Border {
    /// The program's own file, which is recorded.
    Program,
    /// Runtimes, which are not.
    Runtimes,
}

impl Engine<'_> {
    fn border(&self) -> Option<Border> {
        match self.config.scope {
            _ if self.config.encoding == Encoding::None => None,
            Scope::Main => Some(Border::Program),
            Scope::All => runtimes::heeds(self.config).then_some(Border::Runtimes),
        }
    }

    pub(crate) fn has_border(&self) -> bool {
        self.border().is_some()
    }

    /// Whether the code at `pc` is on the other side of the border.
    pub(crate) fn is_across_border(&mut self, pc: u64) -> bool {
        self.lies_across(pc, self.on)
    }

    /// The same, from where recording is on or not.
    fn lies_across(&mut self, pc: u64, on: bool) -> bool {
        match self.border() {
            None => false,
            Some(Border::Program) => (self.guide.owner(pc) == Owner::Program) != on,
            // Most programs have none, and need not ask.
            Some(Border::Runtimes) if self.runtimes.is_empty() => false,
            // What begins there stands for itself.
            Some(Border::Runtimes) if on => {
                self.guide.owner(pc) == Owner::Runtime && !self.guide.is_function(pc)
            }
            // Recording may be off for another reason.
            Some(Border::Runtimes) => {
                !self.is_in_contract()
                    && !self.startup.is_under_way()
                    && matches!(self.guide.owner(pc), Owner::Program | Owner::Library)
            }
        }
    }

    /// Switches recording on or off if control passes the border on its way to `pc`.
    pub(crate) fn pass_border(
        &mut self,
        regs: &user_regs_struct,
        pc: u64,
        edge: Option<Edge>,
    ) -> Result<(), Error> {
        if !self.has_border() {
            return Ok(());
        }
        self.locate(pc)?;
        if !self.is_across_border(pc) {
            return Ok(());
        }
        self.switch(!self.on);
        if !self.on {
            let bound_in = self.unbound(regs, pc, edge).unwrap_or(0);
            let kept =
                [(SLOT_TARGET, pc), (SLOT_FIRST, regs.rdi), (SLOT_SECOND, regs.rsi), (SLOT_BOUND, bound_in)];
            for (slot, value) in kept {
                self.cache.state.set_word(slot as usize, value);
            }
            if edge != Some(Edge::Return) && self.border() == Some(Border::Program) {
                self.count(NOT_RECORDED);
            }
            return Ok(());
        }
        let [mut target, first, second, bound_in] = [SLOT_TARGET, SLOT_FIRST, SLOT_SECOND, SLOT_BOUND]
            .map(|slot| self.cache.state.word(slot as usize));
        if bound_in != 0 {
            let bound = self.tracee.read_word(bound_in);
            self.locate(bound)?;
            if self.guide.is_function(bound) {
                target = bound;
            }
        }
        // Other jumps into the middle of a function are a longjmp or the like.
        let entered = edge == Some(Edge::Call) || (edge == Some(Edge::Jump) && self.guide.is_function(pc));
        let arguments = if entered { [regs.rdi, regs.rsi] } else { [first, second] };
        let is_runtime = self.border() == Some(Border::Runtimes);
        if is_runtime {
            self.take_turns(pc)?;
        }
        if is_runtime && entered {
            self.note_begun(regs, pc)?;
        }
        let result = if entered { pc } else { regs.rax };
        let outside = Outside { target, arguments, result, stack: regs.rsp, entered, is_runtime };
        self.special(&Special::Outside(outside))?;
        if self.left.thread_base != Some(regs.fs_base) {
            self.left.thread_base = Some(regs.fs_base);
            self.special(&Special::ThreadBase(regs.fs_base))?;
        }
        Ok(())
    }

    /// Switches recording on or off.
    pub(crate) fn switch(&mut self, on: bool) {
        self.on = on;
        self.cache.state.set_word(SLOT_ON as usize, on.into());
    }

    /// After a stop: on which side of the border the program is.
    pub(crate) fn look_side(&mut self) {
        if self.has_border() || self.heeds_contracts() {
            self.on = self.cache.state.word(SLOT_ON as usize) != 0;
        }
    }

    /// An indirect transfer to `target`, from where recording is on or not, has been followed: the next one may pass the
    /// border without a stop, if what that means cannot change.
    pub(crate) fn let_pass(&mut self, edge: Edge, on: bool, target: u64) {
        let may_pass = match edge {
            Edge::Call | Edge::Jump => on && self.guide.is_function(target),
            Edge::Return => !on,
        };
        if may_pass
            && self.has_border()
            && self.config.start_recording
            && self.region.is_none()
            && self.lies_across(target, on)
            && self.has_taken_turns(target)
        {
            self.cache.pass(edge, on, target);
        }
    }

    /// The thread base may have changed where nothing is recorded: ways back stop the program again.
    pub(crate) fn forget_passages(&mut self) {
        self.left.thread_base = None;
        self.flush();
    }

    /// Calls across the border that did not stop the program join those that did.
    pub(crate) fn count_passages(&mut self) {
        let passed = self.cache.state.word(SLOT_PASSAGES as usize);
        if passed > 0 {
            *self.untracked.entry(NOT_RECORDED.to_owned()).or_default() += passed;
            self.cache.state.set_word(SLOT_PASSAGES as usize, 0);
        }
    }

    /// If control is on its way to a function that is bound at its first call, by what lies at `pc`: the word that will then hold
    /// its address. The linkage stub that was called jumps by way of that word; two words lie above its return address.
    fn unbound(&mut self, regs: &user_regs_struct, pc: u64, edge: Option<Edge>) -> Option<u64> {
        if edge != Some(Edge::Jump) || self.guide.is_function(pc) {
            return None;
        }
        let back = self.tracee.read_word(regs.rsp.wrapping_add(16));
        let mut call = [0; CALL];
        self.tracee.read(back.wrapping_sub(CALL as u64), &mut call);
        let call = decode::raw(&call, back.wrapping_sub(CALL as u64));
        let mut at = call.near_branch_target();
        if !call.is_call_near() || call.next_ip() != back || self.guide.owner(at) != Owner::Program {
            return None;
        }
        // An endbr may come first.
        for _ in 0..2 {
            let mut bytes = [0; 16];
            self.tracee.read(at, &mut bytes);
            let i = decode::raw(&bytes, at);
            if i.is_jmp_near_indirect() {
                return i.is_ip_rel_memory_operand().then(|| i.ip_rel_memory_address());
            }
            at = i.next_ip();
        }
        None
    }

    /// A signal interrupts the program, the stack pointer being `stack`.
    pub(crate) fn interrupted(&mut self, stack: u64) {
        if self.has_border() {
            self.left.interrupted.push((stack, self.on));
        }
    }

    /// Control continues at `regs.rip` after a signal handler.
    pub(crate) fn resumed(&mut self, regs: &user_regs_struct) -> Result<(), Error> {
        let signals = &mut self.left.interrupted;
        let at = signals.iter().rposition(|s| s.0 == regs.rsp);
        // Handlers that were left by a longjmp never return.
        let was_recorded = at.and_then(|at| signals.drain(at..).next()).is_none_or(|s| s.1);
        self.pass_border(regs, regs.rip, None)?;
        if was_recorded { self.special(&Special::Resume(regs.rip)) } else { Ok(()) }
    }
}
