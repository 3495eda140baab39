//! The two signals that the recorder itself needs, as the program sees them.
//!
//! Definition: translated code stops with SIGTRAP, and with SIGSEGV at the end of a buffer. Were one of them blocked or ignored,
//! the kernel would take the program's handler away and kill it. So the kernel never has them in the program's mask, nor ignored;
//! what the program has set is kept here, and every call that sets or shows it is translated: `rt_sigprocmask` is made here, others
//! get another mask (or action) to read and what they wrote is completed.
//!
//! Invariants: a signal somebody sent while it is blocked waits here until it is not; a fault while its signal is blocked or
//! ignored kills the program, as the kernel would.
//! Limits: descriptors of `signalfd` do not see these two signals; a mask given to `io_uring_enter` is not translated.

use libc::{c_int, siginfo_t, user_regs_struct};

use crate::error::Error;
use crate::inherited::Inherited;
use crate::interrupted::{IO_PGETEVENTS, is_restart};
use crate::process::{Resume, Tracee, register};
use crate::run::{Engine, Next};
use crate::shared::{REMOTE_CALL, SCRATCH, STATE};

/// The bit of a signal in a mask.
pub(crate) const fn bit(signal: c_int) -> u64 {
    1 << (signal - 1)
}

/// The signals that the recorder needs.
pub(crate) const OWN: u64 = bit(libc::SIGSEGV) | bit(libc::SIGTRAP);

/// Signals that no mask blocks.
const NEVER: u64 = bit(libc::SIGKILL) | bit(libc::SIGSTOP);

/// Bytes of a signal mask.
const MASK_BYTES: u64 = 8;

/// Bytes of the kernel's structure for an action, which begins with the handler.
const ACTION_BYTES: usize = 32;

/// Places for what calls read; more than threads wait in such calls.
const SCRATCHES: usize = 120;

/// From a `ucontext` to the mask in it.
const CONTEXT_MASK: u64 = 296;

/// What the program has set of the two signals.
#[derive(Default)]
pub(crate) struct Masks {
    /// Those it has blocked. This and the two below belong to one thread.
    blocked: u64,
    /// Those blocked while a system call waits with a mask of its own.
    waiting: Option<u64>,
    /// The mask to be restored after the next handler, if the kernel does not know it.
    shown: Option<u64>,
    /// Those sent while they were blocked.
    kept: Vec<(c_int, siginfo_t)>,
    /// Those it ignores.
    ignored: u64,
}

/// What is to be done after a system call that was given something else to read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum After {
    /// The call has set or shown the action of a signal; the program may ignore the signal now.
    Action { signal: c_int, old: u64, ignores: Option<bool> },
    /// The call has waited with these of the two signals blocked.
    Waited { blocked: u64 },
    /// The call has shown which signals wait.
    Pending { set: u64 },
}

/// A system call that was given something else to read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Replaced {
    after: After,
    /// Register of the argument, and what the program had put there.
    register: (u8, u64),
}

/// A return from a handler.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Return {
    /// Where the mask lies that is restored.
    at: u64,
    mask: Option<u64>,
}

/// Machine numbers of the registers of arguments.
const ARGUMENTS: [u8; 6] = [7, 6, 2, 10, 8, 9];

/// Which argument of a system call is the mask it waits with, or leads to it.
fn mask_argument(number: i64) -> Option<(usize, bool)> {
    Some(match number {
        libc::SYS_rt_sigsuspend => (0, false),
        libc::SYS_ppoll => (3, false),
        libc::SYS_epoll_pwait | libc::SYS_epoll_pwait2 => (4, false),
        // A pointer to the mask and its size.
        libc::SYS_pselect6 | IO_PGETEVENTS => (5, true),
        _ => return None,
    })
}

/// Whether what a system call does depends on which signals are blocked or wait.
pub(crate) fn minds_signals(number: i64) -> bool {
    mask_argument(number).is_some()
        || matches!(
            number,
            libc::SYS_rt_sigprocmask
                | libc::SYS_rt_sigtimedwait
                | libc::SYS_rt_sigpending
                | libc::SYS_rt_sigqueueinfo
                | libc::SYS_rt_tgsigqueueinfo
                | libc::SYS_signalfd
                | libc::SYS_signalfd4
                | libc::SYS_kill
                | libc::SYS_tkill
                | libc::SYS_tgkill
                | libc::SYS_clone
                | libc::SYS_clone3
                | libc::SYS_fork
                | libc::SYS_vfork
                | libc::SYS_execve
                | libc::SYS_execveat
        )
}

fn error(number: c_int) -> u64 {
    -i64::from(number) as u64
}

impl Masks {
    /// As a program finds it.
    pub(crate) fn new(inherited: Inherited) -> Self {
        Masks { blocked: inherited.blocked, ignored: inherited.ignored, ..Masks::default() }
    }

    /// Those of a process that runs already.
    pub(crate) fn of_process(tracee: &Tracee) -> Result<Self, Error> {
        Ok(Masks { blocked: tracee.mask()? & OWN, ignored: tracee.ignored() & OWN, ..Masks::default() })
    }

    /// Hides what a thread has blocked, which joins those that are recorded.
    pub(crate) fn join(&mut self, tracee: &Tracee) -> Result<(), Error> {
        self.add_own(tracee)?;
        tracee.set_mask(tracee.mask()? & !OWN)
    }

    /// Adds what the kernel knows to be blocked.
    pub(crate) fn add_own(&mut self, tracee: &Tracee) -> Result<(), Error> {
        self.blocked |= tracee.mask()? & OWN;
        Ok(())
    }

    /// Those that a program finds which takes the place of another.
    pub(crate) fn executed(&self) -> Self {
        Masks { blocked: self.blocked, ignored: self.ignored, ..Masks::default() }
    }

    /// Those of a thread that the program makes.
    pub(crate) fn of_thread(&self) -> Self {
        Masks { blocked: self.blocked, ..Masks::default() }
    }

    /// What belongs to all threads.
    pub(crate) fn of_others(&self) -> Self {
        Masks { ignored: self.ignored, ..Masks::default() }
    }

    /// Exchanges what belongs to one thread for what belongs to another.
    pub(crate) fn exchange(&mut self, other: &mut Masks) {
        std::mem::swap(self, other);
        std::mem::swap(&mut self.ignored, &mut other.ignored);
    }

    /// Keeps from the kernel, which knows it, what the process has set of the two signals. The recorder's memory is in place.
    pub(crate) fn hide(&self, tracee: &Tracee) -> Result<(), Error> {
        for signal in [libc::SIGSEGV, libc::SIGTRAP] {
            if self.ignored & bit(signal) != 0 {
                set_action(tracee, Resume::Call, signal, libc::SIG_DFL)?;
            }
        }
        tracee.set_mask(tracee.mask()? & !OWN)
    }

    /// Whether the program has blocked or ignores a signal.
    pub(crate) fn hides(&self, signal: c_int) -> bool {
        (self.blocked | self.ignored) & bit(signal) & OWN != 0
    }

    /// Whether a signal that somebody has sent is not to be delivered now: the mask of a call that waits counts while it does.
    pub(crate) fn holds(&self, signal: c_int) -> bool {
        (self.blocked_now() | self.ignored) & bit(signal) & OWN != 0
    }

    /// Those blocked now: by the mask of a call that waits, if one does.
    fn blocked_now(&self) -> u64 {
        self.waiting.unwrap_or(self.blocked)
    }

    /// Somebody has sent a signal that is hidden: it waits if it is blocked.
    pub(crate) fn sent(&mut self, signal: c_int, info: siginfo_t) {
        if self.blocked_now() & bit(signal) != 0 && self.kept.iter().all(|k| k.0 != signal) {
            self.kept.push((signal, info));
        }
    }

    /// Gives up those that wait until they are not blocked: the kernel is to keep them.
    pub(crate) fn give_up(&mut self) -> impl Iterator<Item = (c_int, siginfo_t)> {
        self.kept.drain(..)
    }

    /// Gives a new or released process what the kernel was not told; not how signals are handled if it `shares` that with the
    /// program.
    pub(crate) fn reveal(&self, tracee: &Tracee, shares: bool) -> Result<(), Error> {
        if self.blocked != 0 {
            tracee.set_mask(tracee.mask()? | self.blocked)?;
        }
        for signal in [libc::SIGSEGV, libc::SIGTRAP] {
            if !shares && self.ignored & bit(signal) != 0 {
                set_action(tracee, Resume::Call, signal, libc::SIG_IGN)?;
            }
        }
        Ok(())
    }
}

/// Has the process set a plain action, by way of the state page.
fn set_action(tracee: &Tracee, how: Resume, signal: c_int, action: libc::sighandler_t) -> Result<(), Error> {
    let at = STATE + SCRATCH as u64;
    let mut bytes = [0; ACTION_BYTES];
    bytes.iter_mut().zip((action as u64).to_le_bytes()).for_each(|(to, from)| *to = from);
    tracee.write(at, &bytes)?;
    let args = [signal as u64, at, 0, MASK_BYTES, 0, 0];
    tracee.system_call_at(how, REMOTE_CALL, libc::SYS_rt_sigaction as u64, args).map(|_| ())
}

impl Engine<'_> {
    /// Whether the program has a handler for `signal`.
    pub(crate) fn catches(&mut self, signal: c_int) -> bool {
        let caught = match self.caught {
            Some(caught) if !self.shares_handlers => caught,
            _ => self.tracee.caught(),
        };
        self.caught = Some(caught);
        caught & bit(signal) != 0
    }

    /// Those of the two signals that are no longer blocked are delivered.
    fn set_blocked(&mut self, blocked: u64) {
        self.masks.blocked = blocked;
        let (stay, go) =
            std::mem::take(&mut self.masks.kept).into_iter().partition(|k| blocked & bit(k.0) != 0);
        self.masks.kept = stay;
        let ignored = self.masks.ignored;
        self.pending.extend(Vec::into_iter(go).filter(|k| ignored & bit(k.0) == 0));
    }

    /// Makes a call of `rt_sigprocmask`. Gives what it returns.
    pub(crate) fn change_mask(&mut self, regs: &user_regs_struct) -> Result<u64, Error> {
        let (how, set, old, bytes) = (regs.rdi as c_int, regs.rsi, regs.rdx, regs.r10);
        if bytes != MASK_BYTES {
            return Ok(error(libc::EINVAL));
        }
        let shown = self.tracee.mask()? | self.masks.blocked;
        if set != 0 {
            let Some(word) = self.tracee.user_word(set) else { return Ok(error(libc::EFAULT)) };
            let new = match how {
                libc::SIG_BLOCK => shown | word,
                libc::SIG_UNBLOCK => shown & !word,
                libc::SIG_SETMASK => word,
                _ => return Ok(error(libc::EINVAL)),
            };
            self.tracee.set_mask(new & !(OWN | NEVER))?;
            self.set_blocked(new & OWN);
        }
        let is_shown = old == 0 || self.tracee.put_user(old, &shown.to_le_bytes());
        Ok(if is_shown { 0 } else { error(libc::EFAULT) })
    }

    /// Takes a kept signal that a call of `rt_sigtimedwait` waits for. Gives what it returns, if there is one.
    pub(crate) fn take_kept(&mut self, regs: &user_regs_struct) -> Option<u64> {
        let kept = &mut self.masks.kept;
        if kept.is_empty() || regs.r10 != MASK_BYTES {
            return None;
        }
        let set = self.tracee.user_word(regs.rdi)?;
        let (signal, info) = kept.remove(kept.iter().position(|k| set & bit(k.0) != 0)?);
        // SAFETY: a `siginfo_t` is plain bytes, padding included: the kernel has filled it.
        let bytes = unsafe {
            std::slice::from_raw_parts((&raw const info).cast::<u8>(), std::mem::size_of::<siginfo_t>())
        };
        let is_told = regs.rsi == 0 || self.tracee.put_user(regs.rsi, bytes);
        Some(if is_told { signal as u64 } else { error(libc::EFAULT) })
    }

    /// If a system call about to be made would tell the kernel what it must not know: gives it something else to read.
    pub(crate) fn replace(&mut self, regs: &mut user_regs_struct) -> Result<Option<Replaced>, Error> {
        // No handler has come since a call was interrupted that waited.
        self.masks.waiting = None;
        match regs.rax as i64 {
            libc::SYS_rt_sigaction => self.replace_action(regs),
            libc::SYS_rt_sigpending if !self.masks.kept.is_empty() => {
                let after = After::Pending { set: regs.rdi };
                Ok(Some(Replaced { after, register: (ARGUMENTS[0], regs.rdi) }))
            }
            number => match mask_argument(number) {
                Some((argument, indirect)) => self.replace_mask(regs, ARGUMENTS[argument], indirect),
                None => Ok(None),
            },
        }
    }

    fn replace_action(&mut self, regs: &mut user_regs_struct) -> Result<Option<Replaced>, Error> {
        self.caught = None;
        let flags = self.tracee.user_word(regs.rsi.wrapping_add(8)).unwrap_or(0);
        // Its handler goes unseen.
        self.shares_handlers |= regs.rsi != 0 && flags & libc::SA_RESETHAND as u32 as u64 != 0;
        let signal = regs.rdi as c_int;
        if signal != libc::SIGSEGV && signal != libc::SIGTRAP {
            return Ok(None);
        }
        let action = regs.rsi;
        let handler = if action == 0 { None } else { self.tracee.user_word(action) };
        let ignores = handler.map(|handler| handler == libc::SIG_IGN as u64);
        if ignores == Some(true) {
            let mut bytes = [0; ACTION_BYTES];
            self.tracee.read(action, &mut bytes);
            bytes.iter_mut().take(8).for_each(|b| *b = libc::SIG_DFL as u8);
            regs.rsi = self.put_scratch(&bytes);
        }
        let after = After::Action { signal, old: regs.rdx, ignores };
        Ok(Some(Replaced { after, register: (ARGUMENTS[1], action) }))
    }

    fn replace_mask(
        &mut self,
        regs: &mut user_regs_struct,
        argument: u8,
        indirect: bool,
    ) -> Result<Option<Replaced>, Error> {
        let given = *register(regs, argument);
        let Some(mask) = self.given_mask(given, indirect) else { return Ok(None) };
        let blocked = mask & OWN;
        if blocked | self.masks.blocked == 0 {
            return Ok(None);
        }
        let mut bytes = (mask & !OWN).to_le_bytes().to_vec();
        if indirect {
            let size = self.tracee.user_word(given.wrapping_add(8)).unwrap_or(MASK_BYTES);
            bytes.extend(self.scratch().to_le_bytes().into_iter().chain(size.to_le_bytes()));
        }
        let at = self.put_scratch(&bytes);
        *register(regs, argument) = if indirect { at + 8 } else { at };
        self.masks.waiting = Some(blocked);
        Ok(Some(Replaced { after: After::Waited { blocked }, register: (argument, given) }))
    }

    /// If a system call waits with a mask that does not block a signal that is kept, it is interrupted at once: the signal is
    /// to be delivered as if the call had returned. Gives what it returns.
    pub(crate) fn interrupt_wait(&mut self, regs: &mut user_regs_struct) -> Result<Option<u64>, Error> {
        if self.masks.kept.is_empty() {
            return Ok(None);
        }
        let Some((argument, indirect)) = mask_argument(regs.rax as i64) else { return Ok(None) };
        let Some(mask) = self.given_mask(*register(regs, ARGUMENTS[argument]), indirect) else {
            return Ok(None);
        };
        let Some(at) = self.masks.kept.iter().position(|k| mask & bit(k.0) == 0) else { return Ok(None) };
        self.masks.shown = Some(self.tracee.mask()?);
        self.tracee.set_mask(mask & !(OWN | NEVER))?;
        self.masks.waiting = Some(mask & OWN);
        let signal = self.masks.kept.remove(at);
        self.pending.push_back(signal);
        Ok(Some(error(libc::EINTR)))
    }

    fn given_mask(&self, given: u64, indirect: bool) -> Option<u64> {
        let pointer = if indirect { self.tracee.user_word(given)? } else { given };
        if pointer == 0 { None } else { self.tracee.user_word(pointer) }
    }

    /// Puts bytes where the program's system calls can read them. Gives the address.
    fn put_scratch(&self, bytes: &[u8]) -> u64 {
        let at = self.scratch();
        self.cache.state.write((at - STATE) as usize, bytes);
        at
    }

    /// Where the calls of this thread find what they read.
    fn scratch(&self) -> u64 {
        // The first place is that of calls made for the program.
        let place = 1 + self.threads.number() as usize % (SCRATCHES - 1);
        STATE + (SCRATCH as usize + place * ACTION_BYTES) as u64
    }

    /// After a system call with another argument, or instead of it.
    pub(crate) fn replaced(&mut self, replaced: Replaced, regs: &mut user_regs_struct, result: Option<u64>) {
        *register(regs, replaced.register.0) = replaced.register.1;
        match (replaced.after, result) {
            (After::Waited { .. }, None) => self.masks.waiting = None,
            (After::Waited { blocked }, Some(result)) => {
                let is_interrupted = result == error(libc::EINTR) || is_restart(result);
                self.masks.waiting = is_interrupted.then_some(blocked);
            }
            (After::Action { signal, old, ignores }, Some(0)) => {
                let ignored = bit(signal) & self.masks.ignored != 0;
                if ignored && old != 0 {
                    self.tracee.put_user(old, &(libc::SIG_IGN as u64).to_le_bytes());
                }
                match ignores {
                    Some(true) => {
                        self.masks.ignored |= bit(signal);
                        self.masks.kept.retain(|k| k.0 != signal);
                    }
                    Some(false) => self.masks.ignored &= !bit(signal),
                    None => {}
                }
            }
            (After::Pending { set }, Some(0)) => {
                let waiting = self.masks.kept.iter().fold(0, |bits, k| bits | bit(k.0));
                if let Some(word) = self.tracee.user_word(set) {
                    self.tracee.put_user(set, &(word | waiting).to_le_bytes());
                }
            }
            _ => {}
        }
    }

    /// Before a handler returns, the stack pointer of which is given: the mask it restores is kept from the kernel.
    pub(crate) fn before_return(&mut self, stack: u64) -> Return {
        let at = stack.wrapping_add(CONTEXT_MASK);
        let mask = self.tracee.user_word(at);
        if let Some(mask) = mask.filter(|mask| mask & OWN != 0) {
            self.tracee.put_user(at, &(mask & !OWN).to_le_bytes());
        }
        Return { at, mask }
    }

    /// A handler was to return, but a signal came first.
    pub(crate) fn not_returned(&mut self, yet: Return) {
        if let Some(mask) = yet.mask.filter(|mask| mask & OWN != 0) {
            self.tracee.put_user(yet.at, &mask.to_le_bytes());
        }
    }

    /// A handler has returned.
    pub(crate) fn after_return(&mut self, done: Return) -> Result<(), Error> {
        if self.pace.due().is_some() {
            self.hold_others()?;
        }
        let Some(mask) = done.mask else { return Ok(()) };
        if mask & OWN != 0 {
            self.tracee.put_user(done.at, &mask.to_le_bytes());
        }
        self.set_blocked(mask & OWN);
        Ok(())
    }

    /// The kernel has just started a handler, in the registers `regs`: its mask, and the one in its frame.
    pub(crate) fn enter_handler(&mut self, regs: &user_regs_struct) -> Result<(), Error> {
        let before = self.masks.blocked;
        let real = self.tracee.mask()?;
        let kept = self.masks.waiting.take().unwrap_or(before);
        self.masks.blocked = kept | real & OWN;
        if real & OWN != 0 {
            self.tracee.set_mask(real & !OWN)?;
        }
        // The third argument is the context.
        let at = regs.rdx.wrapping_add(CONTEXT_MASK);
        let shown = self.masks.shown.take();
        if (before != 0 || shown.is_some())
            && let Some(mask) = self.tracee.user_word(at)
        {
            self.tracee.put_user(at, &(shown.unwrap_or(mask) | before).to_le_bytes());
        }
        Ok(())
    }

    /// A fault whose signal the program has blocked or ignores kills it, whatever handler there is. `regs` are precise.
    pub(crate) fn kill(
        &mut self,
        signal: c_int,
        info: &siginfo_t,
        regs: &user_regs_struct,
    ) -> Result<Next, Error> {
        set_action(&self.tracee, Resume::Step, signal, libc::SIG_DFL)?;
        self.tracee.set_regs(regs)?;
        self.tracee.set_siginfo(info)?;
        Ok(Next::Resume(signal))
    }
}
