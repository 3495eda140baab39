//! System calls: which are made by the recorder, waited for or changed, and what is recorded of them.

use libc::user_regs_struct;
use trace::stream::Special;

use crate::StopReason;
use crate::aliases;
use crate::error::Error;
use crate::interrupted::is_restart;
use crate::masks;
use crate::process::Resume;
use crate::process::Tracee;
use crate::run::{Awaiting, Engine, Next};
use crate::shared::REMOTE_CALL;
use crate::syscalls::{self, Call};

impl Engine<'_> {
    /// The program is about to make a system call, after which it goes on at `next`.
    pub(crate) fn system_call(&mut self, regs: &mut user_regs_struct, next: u64) -> Result<Next, Error> {
        self.last_next = next;
        // What waits does so until a function that runs by its contract has returned.
        if (!self.pending.is_empty() || self.stopping.is_some()) && !self.is_in_contract() {
            self.undo_last(regs.rip)?;
            return self.arrive(regs, next - 2, None, None);
        }
        if self.held.is_some() && masks::minds_signals(regs.rax as i64) {
            self.let_go()?;
        }
        let args = [regs.rdi, regs.rsi, regs.rdx, regs.r10, regs.r8, regs.r9];
        let number = regs.rax;
        if let Some(reason) = ends_recording(number as i64, &args, &self.tracee) {
            // The program makes the call itself, when it is alone.
            self.stop_for(reason);
            self.undo_last(regs.rip)?;
            return self.arrive(regs, next - 2, None, None);
        }
        if self.waits_for_child(number, &args) {
            return self.make_alone(regs, next);
        }
        match number as i64 {
            // A restartable sequence is recognised by its address, which is not where it runs.
            libc::SYS_rseq => {
                let is_kept =
                    self.attached.as_ref().is_some_and(|process| process.keeps(&args, &mut self.rseq));
                let result = if is_kept { 0 } else { -i64::from(libc::ENOSYS) as u64 };
                return self.made(regs, next, args, result);
            }
            libc::SYS_rt_sigprocmask => {
                let result = self.change_mask(regs)?;
                return self.made(regs, next, args, result);
            }
            libc::SYS_rt_sigtimedwait => {
                if let Some(result) = self.take_kept(regs) {
                    return self.made(regs, next, args, result);
                }
            }
            libc::SYS_rt_sigreturn => {
                // It sets another mask.
                self.held = None;
                self.awaiting = Some(Awaiting::Sigreturn(self.before_return(regs.rsp)));
                return Ok(Next::Resume(0));
            }
            _ => {
                if let Some(result) = self.interrupt_wait(regs)? {
                    return self.made(regs, next, args, result);
                }
            }
        }
        let changes = match number as i64 {
            libc::SYS_munmap | libc::SYS_mprotect | libc::SYS_mremap => true,
            libc::SYS_mmap => args[3] & libc::MAP_FIXED as u64 != 0,
            _ => false,
        };
        let replaced = self.replace(regs)?;
        if replaced.is_some() {
            self.tracee.set_regs(regs)?;
        }
        let matters = changes
            || replaced.is_some()
            || !self.threads.is_alone()
            || (number as i64 == libc::SYS_arch_prctl && self.has_border())
            || aliases::may_alias(&Call { number, args, result: 0 })
            || (self.on && syscalls::has_effect(number));
        if matters {
            let page = |a: u64| a & !4095;
            let changes =
                changes.then(|| (page(args[0]), page(args[0].saturating_add(args[1]).saturating_add(4095))));
            self.awaiting =
                Some(Awaiting::Call { call: Call { number, args, result: 0 }, changes, replaced });
        }
        if !self.threads.is_alone() {
            return self.call_among_others(regs);
        }
        Ok(Next::Resume(0))
    }

    /// Makes a system call while other threads may run.
    fn call_among_others(&mut self, regs: &mut user_regs_struct) -> Result<Next, Error> {
        let number = regs.rax as i64;
        // Nobody looks at the time while it is away.
        self.let_go()?;
        while let Some(signal) = self.pace.next() {
            self.tracee.send(signal);
        }
        if number == libc::SYS_sched_yield {
            self.threads.let_others();
        }
        regs.rip = REMOTE_CALL;
        self.tracee.set_regs(regs)?;
        if number == libc::SYS_exit {
            self.note(&Special::End)?;
            self.tracee.resume(Resume::Step, 0)?;
            return self.end_thread();
        }
        Ok(Next::Resume(0))
    }

    /// Goes on after a system call that the recorder made itself, with its result.
    fn made(
        &mut self,
        regs: &mut user_regs_struct,
        next: u64,
        args: [u64; 6],
        result: u64,
    ) -> Result<Next, Error> {
        let call = Call { number: regs.rax, args, result: 0 };
        self.awaiting = Some(Awaiting::Call { call, changes: None, replaced: None });
        (regs.rax, regs.rcx) = (result, next);
        self.finish_call(regs)?;
        self.arrive(regs, next, None, None)
    }

    /// The last instruction of the block that has just been recorded, and that holds a cache address, has not run.
    pub(crate) fn undo_last(&mut self, address: u64) -> Result<(), Error> {
        let Some(block) = self.cache.find(address.wrapping_sub(1)).filter(|b| b.on) else { return Ok(()) };
        let Some(&last) = block.points.last() else { return Ok(()) };
        let id = block.id;
        self.take_back(id, u64::from(last.index), last.words)
    }

    /// The record of so many words before the pointer was written whole; of its block, only the first instructions ran.
    pub(crate) fn take_back(&mut self, block: u32, instructions: u64, words: u16) -> Result<(), Error> {
        if !self.on {
            return Ok(());
        }
        self.set_pointer(self.pointer() - u64::from(words) * 8);
        let pointer = self.pointer();
        let words: Vec<u64> = (1..words).map(|w| self.record_word(pointer, w)).collect();
        self.special(&Special::Partial { block, iterations: 0, instructions, words: &words })
    }

    /// After a system call that was waited for; `regs` are those right after it.
    pub(crate) fn finish_call(&mut self, regs: &mut user_regs_struct) -> Result<(), Error> {
        let Some(Awaiting::Call { mut call, changes, replaced }) = self.awaiting.take() else {
            return Ok(());
        };
        call.result = regs.rax;
        // Single steps show in what the instruction keeps of the flags.
        regs.r11 = regs.eflags;
        if let Some(replaced) = replaced {
            self.replaced(replaced, regs, Some(call.result));
        }
        if aliases::may_alias(&call) {
            self.look_for_aliases();
        }
        if let Some((start, end)) = changes {
            self.code.changed(start, end);
            if self.cache.any_in(start, end) {
                self.flush();
                self.leaders.retain(|pc| !(start..end).contains(pc));
                self.entries.retain(|pc| !(start..end).contains(pc));
            }
        }
        if !self.on || is_restart(call.result) {
            if call.number == libc::SYS_arch_prctl as u64 && self.has_border() {
                self.forget_passages();
            }
            return Ok(());
        }
        if self.files.made(&self.tracee, &call) {
            self.shares_files();
        }
        let (call, contents) = self.files.touched(&self.tracee, &call);
        let mut ranges = syscalls::effect(&call, &|at| self.tracee.read_word(at));
        ranges.extend(contents);
        if !ranges.is_empty() {
            self.special(&Special::Effect { number: call.number, result: call.result, ranges: &ranges })?;
        }
        if call.number == libc::SYS_arch_prctl as u64 {
            self.special(&Special::ThreadBase(regs.fs_base))?;
        }
        Ok(())
    }
}

/// Whether a program cannot be recorded after a system call.
fn ends_recording(number: i64, args: &[u64; 6], tracee: &Tracee) -> Option<StopReason> {
    const SECCOMP_SET_MODE_STRICT: u64 = 0;
    const SECCOMP_SET_MODE_FILTER: u64 = 1;
    const ARCH_SET_GS: u64 = 0x1001;
    match (number, args[0]) {
        (libc::SYS_seccomp, SECCOMP_SET_MODE_STRICT | SECCOMP_SET_MODE_FILTER) => Some(StopReason::Seccomp),
        (libc::SYS_prctl, option) if option == libc::PR_SET_SECCOMP as u64 => Some(StopReason::Seccomp),
        (libc::SYS_ptrace, request) if request == u64::from(libc::PTRACE_TRACEME) => Some(StopReason::Traced),
        (libc::SYS_arch_prctl, ARCH_SET_GS) => Some(StopReason::Segment),
        (libc::SYS_clone, flags) if runs_beside(flags) => Some(StopReason::SharedMemory),
        (libc::SYS_clone3, arguments) => {
            // The structure begins with the flags.
            let mut flags = [0; 8];
            let is_read = tracee.read(arguments, &mut flags) == flags.len();
            (is_read && runs_beside(u64::from_le_bytes(flags))).then_some(StopReason::SharedMemory)
        }
        (libc::SYS_unshare, flags) if flags & libc::CLONE_NEWUSER as u64 != 0 => Some(StopReason::Namespace),
        (libc::SYS_setns, _) if args[1] == 0 || args[1] & libc::CLONE_NEWUSER as u64 != 0 => {
            Some(StopReason::Namespace)
        }
        _ => None,
    }
}

/// Whether flags of `clone` make a process that shares memory with its parent, is no thread of it, and does not let it wait.
fn runs_beside(flags: u64) -> bool {
    let has = |flag: libc::c_int| flags & flag as u64 != 0;
    has(libc::CLONE_VM) && !has(libc::CLONE_THREAD) && !has(libc::CLONE_VFORK)
}
