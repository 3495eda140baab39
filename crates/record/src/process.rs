//! One traced process: registers, memory, resuming and waiting, and system calls made on its behalf.
//!
//! Invariant: every method is called on the thread that started the process, the only one the kernel accepts.
//! Limits: x86-64 Linux.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use libc::{c_int, c_void, siginfo_t, user_regs_struct};

use crate::alone::is_stop;
use crate::attach::{Facts, is_repeated};
use crate::error::Error;
use crate::masks::{OWN, bit};

const PTRACE_INTERRUPT: libc::c_uint = 0x4207;
const PTRACE_LISTEN: libc::c_uint = 0x4208;
const PTRACE_GETSIGMASK: libc::c_uint = 0x420a;
const PTRACE_SETSIGMASK: libc::c_uint = 0x420b;

/// What a wait reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// Exited with this code.
    Exited(i32),
    /// Killed by this signal.
    Killed(i32),
    /// Stopped: signal and trace event (0 for none).
    Stopped {
        /// The signal.
        signal: i32,
        /// The event.
        event: i32,
    },
    /// The wait was interrupted by a signal to this process.
    Interrupted,
}

/// How to resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resume {
    /// Until the next stop.
    Run,
    /// One instruction.
    Step,
    /// Until a system call begins or ends.
    Call,
}

/// Waits for `pid`; with `hang` false returns `None` if nothing happened yet.
pub(crate) fn wait(pid: c_int) -> io::Result<Status> {
    let mut status = 0;
    // SAFETY: `status` is a valid place.
    if unsafe { libc::waitpid(pid, &mut status, libc::__WALL) } < 0 {
        let error = io::Error::last_os_error();
        return match error.kind() {
            io::ErrorKind::Interrupted => Ok(Status::Interrupted),
            _ => Err(error),
        };
    }
    Ok(Status::of(status))
}

/// What a process or thread has to report, if that is anything.
pub(crate) fn poll(pid: c_int) -> io::Result<Option<Status>> {
    let mut status = 0;
    // SAFETY: `status` is a valid place.
    match unsafe { libc::waitpid(pid, &mut status, libc::__WALL | libc::WNOHANG) } {
        0 => Ok(None),
        reported if reported == pid => Ok(Some(Status::of(status))),
        _ => match io::Error::last_os_error() {
            source if source.kind() == io::ErrorKind::Interrupted => Ok(None),
            source => Err(source),
        },
    }
}

/// Waits until a process or thread that the calling thread has started or traces has something to report. Gives its number.
pub(crate) fn wait_for_any() -> Option<c_int> {
    // SAFETY: an all-zero `siginfo_t` is valid, and the call fills it.
    unsafe {
        let mut info: siginfo_t = std::mem::zeroed();
        let what = libc::WEXITED | libc::WSTOPPED | libc::WNOWAIT | libc::__WALL | libc::__WNOTHREAD;
        (libc::waitid(libc::P_ALL, 0, &mut info, what) == 0).then(|| info.si_pid())
    }
}

impl Status {
    fn of(status: c_int) -> Status {
        if libc::WIFEXITED(status) {
            Status::Exited(libc::WEXITSTATUS(status))
        } else if libc::WIFSIGNALED(status) {
            Status::Killed(libc::WTERMSIG(status))
        } else {
            Status::Stopped { signal: libc::WSTOPSIG(status), event: status >> 16 }
        }
    }
}

/// How often, and how far apart, to look whether a program that no longer answers ends.
const LAST_LOOKS: u32 = 40;
const LAST_LOOK: Duration = Duration::from_millis(5);
/// How far apart to look where a time is not to be missed.
const SHORT: Duration = Duration::from_micros(20);

/// Processor time, user and system, of all waited-for children of this process so far.
pub(crate) fn children_time() -> Duration {
    // SAFETY: an all-zero `rusage` is valid, and the call fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    let time = |t: libc::timeval| Duration::new(t.tv_sec as u64, t.tv_usec as u32 * 1000);
    time(usage.ru_utime) + time(usage.ru_stime)
}

/// The register with the machine's number `n` (0 to 15).
pub(crate) fn register(regs: &mut user_regs_struct, n: u8) -> &mut u64 {
    match n & 15 {
        0 => &mut regs.rax,
        1 => &mut regs.rcx,
        2 => &mut regs.rdx,
        3 => &mut regs.rbx,
        4 => &mut regs.rsp,
        5 => &mut regs.rbp,
        6 => &mut regs.rsi,
        7 => &mut regs.rdi,
        8 => &mut regs.r8,
        9 => &mut regs.r9,
        10 => &mut regs.r10,
        11 => &mut regs.r11,
        12 => &mut regs.r12,
        13 => &mut regs.r13,
        14 => &mut regs.r14,
        _ => &mut regs.r15,
    }
}

/// Whether these are the registers of a process that was killed meanwhile: its end is what it reports next.
pub(crate) fn is_gone(regs: &user_regs_struct) -> bool {
    regs.cs == 0
}

/// The instruction.
pub(crate) const SYSCALL: [u8; 2] = [0x0f, 0x05];

/// A stopped traced process, or one thread of it.
pub(crate) struct Tracee {
    /// Number of the thread; that of the process for its first.
    pid: c_int,
    process: c_int,
    memory: File,
    /// How it ended: every later wait says so again.
    ended: Cell<Option<Status>>,
    /// Where it has a system call instruction of its own; else one is written for a moment where it stands.
    call_at: Option<u64>,
}

impl Tracee {
    /// Takes over a stopped process.
    pub(crate) fn new(pid: c_int) -> Result<Self, Error> {
        let memory = File::options()
            .read(true)
            .write(true)
            .open(format!("/proc/{pid}/mem"))
            .map_err(|source| Error::Process { what: "open the program's memory", pid, source })?;
        Ok(Tracee { pid, process: pid, memory, ended: Cell::new(None), call_at: None })
    }

    /// Takes over another thread of the process.
    pub(crate) fn thread(&self, tid: c_int) -> Result<Self, Error> {
        Ok(Tracee { process: self.process, call_at: self.call_at, ..Tracee::new(tid)? })
    }

    /// System calls on its behalf are made at this instruction.
    pub(crate) fn calls_at(&mut self, at: u64) {
        self.call_at = Some(at);
    }

    /// The address of a system call instruction in the page that the kernel gives every process.
    pub(crate) fn kernel_call(&self) -> Option<u64> {
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", self.pid)).ok()?;
        let line = maps.lines().find(|line| line.ends_with("[vdso]"))?;
        let (start, end) = line.split_whitespace().next()?.split_once('-')?;
        let [start, end] = [start, end].map(|text| u64::from_str_radix(text, 16).ok());
        let (start, end) = (start?, end?);
        let mut code = vec![0; usize::try_from(end.checked_sub(start)?).ok()?];
        self.read(start, &mut code);
        let at = code.windows(SYSCALL.len()).position(|bytes| bytes == SYSCALL)?;
        Some(start + at as u64)
    }

    /// The entry of the program's own file, as the kernel has told its loader.
    pub(crate) fn entry(&self) -> Option<u64> {
        let vector = std::fs::read(format!("/proc/{}/auxv", self.pid)).ok()?;
        let (words, _) = vector.as_chunks::<8>();
        let (pairs, _) = words.as_chunks::<2>();
        pairs
            .iter()
            .map(|pair| pair.map(u64::from_le_bytes))
            .find(|pair| pair[0] == libc::AT_ENTRY)
            .map(|pair| pair[1])
    }

    /// Number of the thread; that of the process for its first.
    pub(crate) fn pid(&self) -> c_int {
        self.pid
    }

    /// The process id.
    pub(crate) fn process(&self) -> c_int {
        self.process
    }

    fn request(
        &self,
        request: libc::c_uint,
        addr: usize,
        data: *mut c_void,
        what: &'static str,
    ) -> Result<(), Error> {
        // SAFETY: every caller passes a request whose `data` is either a plain number or a pointer to a live value
        // of the size the request reads or writes.
        if unsafe { libc::ptrace(request, self.pid, addr, data) } == 0 {
            return Ok(());
        }
        let source = io::Error::last_os_error();
        // A process that was killed in between reports its end at the next wait.
        if source.raw_os_error() == Some(libc::ESRCH) {
            return Ok(());
        }
        Err(Error::Process { what, pid: self.pid, source })
    }

    /// Its registers (all zero if it was killed meanwhile).
    pub(crate) fn regs(&self) -> Result<user_regs_struct, Error> {
        // SAFETY: all-zero registers are a valid value.
        let mut regs: user_regs_struct = unsafe { std::mem::zeroed() };
        self.request(libc::PTRACE_GETREGS, 0, (&raw mut regs).cast(), "read registers")?;
        Ok(regs)
    }

    /// Its vector registers.
    pub(crate) fn extended_state(&self) -> Result<crate::oracle::Vectors, Error> {
        let mut area = vec![0u8; 16384];
        let mut part = libc::iovec { iov_base: area.as_mut_ptr().cast(), iov_len: area.len() };
        const NT_X86_XSTATE: usize = 0x202;
        self.request(libc::PTRACE_GETREGSET, NT_X86_XSTATE, (&raw mut part).cast(), "read vector registers")?;
        Ok(crate::oracle::Vectors::new(area))
    }

    /// Replaces its registers.
    pub(crate) fn set_regs(&self, regs: &user_regs_struct) -> Result<(), Error> {
        self.request(libc::PTRACE_SETREGS, 0, (&raw const *regs).cast_mut().cast(), "write registers")
    }

    /// Details of the signal it stopped with; `None` in a stop of the whole process group.
    pub(crate) fn siginfo(&self) -> Result<Option<siginfo_t>, Error> {
        // SAFETY: an all-zero `siginfo_t` is valid.
        let mut info: siginfo_t = unsafe { std::mem::zeroed() };
        match self.request(libc::PTRACE_GETSIGINFO, 0, (&raw mut info).cast(), "read signal details") {
            Err(Error::Process { source, .. }) if source.raw_os_error() == Some(libc::EINVAL) => Ok(None),
            result => result.map(|()| Some(info)),
        }
    }

    /// Replaces the details of the signal about to be delivered.
    pub(crate) fn set_siginfo(&self, info: &siginfo_t) -> Result<(), Error> {
        self.request(libc::PTRACE_SETSIGINFO, 0, (&raw const *info).cast_mut().cast(), "write signal details")
    }

    /// The signals it has blocked.
    pub(crate) fn mask(&self) -> Result<u64, Error> {
        let mut mask = 0u64;
        self.request(PTRACE_GETSIGMASK, 8, (&raw mut mask).cast(), "read the signal mask")?;
        Ok(mask)
    }

    /// Replaces them.
    pub(crate) fn set_mask(&self, mut mask: u64) -> Result<(), Error> {
        self.request(PTRACE_SETSIGMASK, 8, (&raw mut mask).cast(), "write the signal mask")
    }

    /// The message of the event it stopped with.
    pub(crate) fn event_message(&self) -> Result<u64, Error> {
        let mut message = 0u64;
        self.request(libc::PTRACE_GETEVENTMSG, 0, (&raw mut message).cast(), "read an event")?;
        Ok(message)
    }

    /// Resumes, delivering `signal` if not 0.
    pub(crate) fn resume(&self, how: Resume, signal: c_int) -> Result<(), Error> {
        let request = match how {
            Resume::Run => libc::PTRACE_CONT,
            Resume::Step => libc::PTRACE_SINGLESTEP,
            Resume::Call => libc::PTRACE_SYSCALL,
        };
        self.request(request, 0, signal as usize as *mut c_void, "resume the program")
    }

    /// Leaves it stopped with its process group, until it is continued.
    pub(crate) fn listen(&self) -> Result<(), Error> {
        self.request(PTRACE_LISTEN, 0, std::ptr::null_mut(), "leave the program stopped")
    }

    /// Stops it while it runs.
    pub(crate) fn interrupt(&self) -> Result<(), Error> {
        self.request(PTRACE_INTERRUPT, 0, std::ptr::null_mut(), "stop the program")
    }

    /// Replaces what is reported of it.
    pub(crate) fn set_options(&self, options: c_int) -> Result<(), Error> {
        self.request(libc::PTRACE_SETOPTIONS, 0, options as usize as *mut c_void, "change what is reported")
    }

    /// Lets go of it; it runs on alone.
    pub(crate) fn detach(&self, signal: c_int) -> Result<(), Error> {
        self.request(libc::PTRACE_DETACH, 0, signal as usize as *mut c_void, "detach from the program")
    }

    /// Waits for its next report, through interruptions.
    pub(crate) fn wait(&self) -> Result<Status, Error> {
        if let Some(status) = self.ended.get() {
            return Ok(status);
        }
        loop {
            match wait(self.pid) {
                Ok(Status::Interrupted) => {}
                Ok(status @ Status::Stopped { .. }) => return Ok(status),
                Ok(status) => {
                    self.ended.set(Some(status));
                    return Ok(status);
                }
                Err(source) => return self.lost(source),
            }
        }
    }

    /// It could not be waited for. A thread that executes a program goes on under the number of the first one, its own is gone.
    fn lost(&self, source: io::Error) -> Result<Status, Error> {
        if self.pid != self.process && source.raw_os_error() == Some(libc::ECHILD) {
            self.ended.set(Some(Status::Exited(0)));
            return Ok(Status::Exited(0));
        }
        Err(Error::Process { what: "wait for the program", pid: self.pid, source })
    }

    /// Reads memory; returns how many bytes could be read.
    pub(crate) fn read(&self, address: u64, out: &mut [u8]) -> usize {
        let mut done = 0;
        while done < out.len() {
            match self.memory.read_at(&mut out[done..], address.wrapping_add(done as u64)) {
                Ok(n) if n > 0 => done += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                _ => break,
            }
        }
        done
    }

    /// Reads a word, 0 if unmapped.
    pub(crate) fn read_word(&self, address: u64) -> u64 {
        let mut bytes = [0; 8];
        self.read(address, &mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// Writes memory.
    pub(crate) fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        self.memory.write_all_at(bytes, address).map_err(|source| Error::Process {
            what: "write the program's memory",
            pid: self.pid,
            source,
        })
    }

    /// How it ended, if it has, or is about to.
    pub(crate) fn end(&self) -> Option<Status> {
        for _ in 0..LAST_LOOKS {
            if self.ended.get().is_some() {
                break;
            }
            let mut status = 0;
            // SAFETY: `status` is a valid place.
            if unsafe { libc::waitpid(self.pid, &mut status, libc::__WALL | libc::WNOHANG) } == self.pid {
                self.ended.set(Some(Status::of(status)).filter(|s| !matches!(s, Status::Stopped { .. })));
            } else {
                std::thread::sleep(LAST_LOOK);
            }
        }
        self.ended.get()
    }

    /// Runs from the stop in `execve` to the first instruction of the program. Gives signals that came in between.
    pub(crate) fn begin(&self) -> Result<Vec<(c_int, siginfo_t)>, Error> {
        let mut signals = Vec::new();
        loop {
            self.resume(Resume::Step, 0)?;
            match self.wait()? {
                Status::Stopped { signal, event: 0 } if signal != libc::SIGTRAP => {
                    signals.extend(self.siginfo()?.map(|info| (signal, info)));
                }
                Status::Stopped { event: 0, .. } | Status::Exited(_) | Status::Killed(_) => {
                    return Ok(signals);
                }
                Status::Stopped { .. } | Status::Interrupted => {}
            }
        }
    }

    /// Makes the process execute one system call at its present place, leaving all its state as it was.
    pub(crate) fn system_call(&self, number: u64, args: [u64; 6]) -> Result<u64, Error> {
        let result = match self.call_at {
            // A step would make the kernel forget that its signal is ignored.
            Some(at) => self.system_call_at(Resume::Call, at, number, args)?,
            None => {
                let at = self.regs()?.rip;
                let mut code = [0; SYSCALL.len()];
                self.read(at, &mut code);
                self.write(at, &SYSCALL)?;
                let result = self.system_call_at(Resume::Step, at, number, args)?;
                self.write(at, &code)?;
                result
            }
        };
        if result > -4096i64 as u64 {
            let source = io::Error::from_raw_os_error(-(result as i64) as i32);
            return Err(Error::Inject { pid: self.pid, source });
        }
        Ok(result)
    }

    /// Makes the process execute the system call instruction at an address, leaving all its state as it was. Gives what the
    /// call returns. No signals of others get in between; those that no mask keeps away come back afterwards.
    ///
    /// After a step a signal can be delivered. But a step is a signal itself, which must not be ignored; after `Call` the process
    /// stands in the system call.
    pub(crate) fn system_call_at(
        &self,
        how: Resume,
        at: u64,
        number: u64,
        args: [u64; 6],
    ) -> Result<u64, Error> {
        let (saved, mask) = (self.regs()?, self.mask()?);
        let mut regs = saved;
        (regs.rip, regs.rax, regs.orig_rax) = (at, number, u64::MAX);
        (regs.rdi, regs.rsi, regs.rdx, regs.r10, regs.r8, regs.r9) =
            (args[0], args[1], args[2], args[3], args[4], args[5]);
        self.set_mask(if how == Resume::Call { u64::MAX } else { !OWN })?;
        self.set_regs(&regs)?;
        let (mut others, mut calls, mut is_to_stop) = (Vec::new(), 0, false);
        loop {
            self.resume(how, 0)?;
            match self.wait()? {
                Status::Exited(_) | Status::Killed(_) => return Ok(0),
                Status::Stopped { signal: libc::SIGTRAP, event: 0 } => {
                    let info = self.siginfo()?;
                    if let Some(sent) = info.filter(|info| info.si_code <= 0) {
                        others.push((libc::SIGTRAP, sent));
                        continue;
                    }
                    calls += u32::from(info.is_some_and(|info| info.si_code == libc::SIGTRAP));
                    // The first one is before the call.
                    if calls == 2 || (how == Resume::Step && self.regs()?.rip != at) {
                        break;
                    }
                }
                Status::Stopped { signal, event: 0 } => {
                    let info = self.siginfo()?.filter(|info| !is_repeated(signal, info));
                    others.extend(info.map(|info| (signal, info)));
                }
                Status::Stopped { signal, event: libc::PTRACE_EVENT_STOP } => is_to_stop |= is_stop(signal),
                Status::Stopped { .. } | Status::Interrupted => {}
            }
        }
        if is_to_stop {
            // It stops with its process group, once it is resumed.
            self.interrupt()?;
        }
        let result = self.regs()?.rax;
        self.set_mask(mask)?;
        self.set_regs(&saved)?;
        if !others.is_empty() {
            self.give_back(others)?;
        }
        Ok(result)
    }

    /// How it ended, if it has; a stop that it may have to report stays there.
    pub(crate) fn poll_end(&self) -> Result<Option<Status>, Error> {
        // SAFETY: an all-zero `siginfo_t` is valid, and the call fills it.
        let has_ended = unsafe {
            let mut info: siginfo_t = std::mem::zeroed();
            let what = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
            libc::waitid(libc::P_PID, self.pid as libc::id_t, &mut info, what) == 0
                && info.si_pid() == self.pid
        };
        if has_ended { self.poll() } else { Ok(None) }
    }

    /// Its next report, if there is one.
    pub(crate) fn poll(&self) -> Result<Option<Status>, Error> {
        if self.ended.get().is_some() {
            return Ok(self.ended.get());
        }
        match poll(self.pid) {
            Ok(status) => {
                self.ended.set(status.filter(|s| !matches!(s, Status::Stopped { .. })));
                Ok(status)
            }
            Err(source) => self.lost(source).map(Some),
        }
    }

    /// Waits for its next report until a time at which there may be none.
    pub(crate) fn wait_until(&self, end: Instant) -> Result<Option<Status>, Error> {
        self.wait_while(&mut || (Instant::now() < end).then_some(SHORT))
    }

    /// Waits for its next report, looking for it again after every pause that it is given; `None` where there is no other pause.
    pub(crate) fn wait_while(
        &self,
        pause: &mut dyn FnMut() -> Option<Duration>,
    ) -> Result<Option<Status>, Error> {
        loop {
            if let Some(status) = self.poll()? {
                return Ok(Some(status));
            }
            match pause() {
                Some(pause) => std::thread::sleep(pause),
                None => return Ok(None),
            }
        }
    }

    /// A word of memory that the program itself may read.
    pub(crate) fn user_word(&self, address: u64) -> Option<u64> {
        let mut word = [0u8; 8];
        let local = libc::iovec { iov_base: word.as_mut_ptr().cast(), iov_len: word.len() };
        let remote = libc::iovec { iov_base: address as *mut c_void, iov_len: word.len() };
        // SAFETY: the local part is a live array of as many bytes as is said.
        let n = unsafe { libc::process_vm_readv(self.pid, &local, 1, &remote, 1, 0) };
        (n == 8).then_some(u64::from_le_bytes(word))
    }

    /// Writes memory that the program itself may write; whether that was possible.
    pub(crate) fn put_user(&self, address: u64, bytes: &[u8]) -> bool {
        let local = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
        let remote = libc::iovec { iov_base: address as *mut c_void, iov_len: bytes.len() };
        // SAFETY: the local part is a live slice, which is only read.
        let n = unsafe { libc::process_vm_writev(self.pid, &local, 1, &remote, 1, 0) };
        n == bytes.len() as isize
    }

    /// The signals for which the program has handlers.
    pub(crate) fn caught(&self) -> u64 {
        self.signals("SigCgt")
    }

    /// Whether a signal waits to be delivered to it.
    pub(crate) fn awaits(&self, signal: c_int) -> bool {
        (self.signals("SigPnd") | self.signals("ShdPnd")) & bit(signal) != 0
    }

    /// Whether a signal waits to be delivered to its first thread alone.
    pub(crate) fn awaits_alone(&self, signal: c_int) -> bool {
        self.signals("SigPnd") & bit(signal) != 0
    }

    /// The signals that the program ignores.
    pub(crate) fn ignored(&self) -> u64 {
        self.signals("SigIgn")
    }

    /// Whether a signal without a handler does nothing.
    pub(crate) fn ignores(&self, signal: c_int) -> bool {
        let by_default = matches!(signal, libc::SIGCHLD | libc::SIGURG | libc::SIGWINCH | libc::SIGCONT);
        by_default || self.ignored() & bit(signal) != 0
    }

    fn signals(&self, field: &str) -> u64 {
        Facts::of(&self.pid.to_string()).signals(field)
    }

    /// Whether the program has a handler for `signal`.
    pub(crate) fn catches(&self, signal: c_int) -> bool {
        self.caught() & bit(signal) != 0
    }
}
