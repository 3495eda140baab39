//! Recording of the program's own code alone ([`Scope::Main`]).
//!
//! Definition: recording is on exactly while control is in the program's own file. The border is passed wherever control
//! goes: calls and returns, tail calls, callbacks, longjmp, exceptions, signal handlers and their returns.
//!
//! Invariant: code on one side of the border is never translated for the other side, so that every passage is a miss
//! and is seen here. Cost: two stops of the program per call of a library.

use libc::user_regs_struct;
use trace::stream::{Outside, Special};

use crate::decode;
use crate::error::Error;
use crate::run::Engine;
use crate::translate::Edge;
use crate::{Config, Encoding, Scope};

/// Length of a direct call.
const CALL: usize = 5;

/// What is said of every call across the border.
const NOT_RECORDED: &str =
    "call of library code, left out by --scope main: what it reads and writes, and dependences through it";

/// How control left the program's own code.
#[derive(Debug, Default)]
pub(crate) struct Left {
    /// Where to; 0 if it has not been there yet.
    target: u64,
    /// First two integer arguments.
    arguments: [u64; 2],
    /// Word that will hold the address of the function called, if that has yet to be bound.
    bound_in: Option<u64>,
    /// Thread base that was recorded last.
    thread_base: Option<u64>,
    /// Stack pointer where each signal interrupted the program, and whether recording was on there.
    interrupted: Vec<(u64, bool)>,
}

/// Whether recording is on from the first instruction on.
pub(crate) fn starts_on(config: &Config) -> bool {
    config.start_recording && config.encoding != Encoding::None && config.scope == Scope::All
}

impl<S> Engine<'_, S> {
    pub(crate) fn has_border(&self) -> bool {
        self.config.scope == Scope::Main && self.config.encoding != Encoding::None
    }

    /// Whether the code at `pc` is on the other side of the border.
    pub(crate) fn is_across_border(&mut self, pc: u64) -> bool {
        self.has_border() && self.guide.is_own(pc) != self.on
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
        self.on = !self.on;
        if !self.on {
            (self.left.target, self.left.arguments) = (pc, [regs.rdi, regs.rsi]);
            self.left.bound_in = self.unbound(regs, pc, edge);
            if edge != Some(Edge::Return) {
                self.count(NOT_RECORDED);
            }
            return Ok(());
        }
        let Left { mut target, arguments, bound_in, thread_base, .. } = self.left;
        if let Some(bound) = bound_in.map(|at| self.tracee.read_word(at)) {
            self.locate(bound)?;
            if self.guide.is_function(bound) {
                target = bound;
            }
        }
        // Other jumps into the middle of a function are a longjmp or the like.
        let entered = edge == Some(Edge::Call) || (edge == Some(Edge::Jump) && self.guide.is_function(pc));
        let outside = Outside { target, arguments, result: regs.rax, stack: regs.rsp, entered };
        self.special(&Special::Outside(outside))?;
        if thread_base != Some(regs.fs_base) {
            self.left.thread_base = Some(regs.fs_base);
            self.special(&Special::ThreadBase(regs.fs_base))?;
        }
        Ok(())
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
        if !call.is_call_near() || call.next_ip() != back || !self.guide.is_own(at) {
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
