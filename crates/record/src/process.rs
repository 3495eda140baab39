//! One traced process: registers, memory, resuming and waiting, and system calls made on its behalf.
//!
//! Invariant: every method is called on the thread that started the process, the only one the kernel accepts.
//! Limits: x86-64 Linux.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::Duration;

use libc::{c_int, c_void, siginfo_t, user_regs_struct};

use crate::error::Error;

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
}

/// A program to start, with everything the child needs prepared before the fork.
pub(crate) struct Launch {
    path: CString,
    argv: Vec<CString>,
    input: Option<Arc<OwnedFd>>,
    silent: bool,
}

impl Launch {
    /// Prepares the start of `path` with the given arguments (the first is the program's own name).
    pub(crate) fn new(path: CString, argv: Vec<CString>) -> Self {
        Launch { path, argv, input: None, silent: false }
    }

    /// With these standard streams.
    pub(crate) fn streams(self, input: Option<Arc<OwnedFd>>, silent: bool) -> Self {
        Launch { input, silent, ..self }
    }

    /// Forks and executes; traced if `traced`. Returns the process id, or the step that failed.
    pub(crate) fn start(&self, traced: bool) -> Result<c_int, StartError> {
        let mut argv: Vec<*const libc::c_char> = self.argv.iter().map(|a| a.as_ptr()).collect();
        argv.push(std::ptr::null());
        let mut pipe = [0; 2];
        // SAFETY: `pipe` has room for two descriptors.
        if unsafe { libc::pipe2(pipe.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
            return Err(StartError::Fork(io::Error::last_os_error()));
        }
        // SAFETY: the child calls only async-signal-safe functions until it executes or exits; `argv` is a
        // null-terminated array of strings that outlives the call, and `environ` is the process's own.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            // SAFETY: as above.
            unsafe {
                let mut failed = 0u8;
                libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
                // The runtime of Rust ignores this signal, and an ignored signal stays ignored through `exec`.
                libc::signal(libc::SIGPIPE, libc::SIG_DFL);
                if let Some(input) = &self.input {
                    libc::dup2(input.as_raw_fd(), 0);
                }
                if self.silent {
                    let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
                    libc::dup2(nowhere, 1);
                    libc::dup2(nowhere, 2);
                    if nowhere > 2 {
                        libc::close(nowhere);
                    }
                }
                if traced && libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) != 0 {
                    failed = 1;
                } else {
                    libc::execv(self.path.as_ptr(), argv.as_ptr());
                }
                let code = *libc::__errno_location();
                let message = [failed, code as u8];
                libc::write(pipe[1], message.as_ptr().cast(), 2);
                libc::_exit(127);
            }
        }
        // SAFETY: the descriptors were just made and belong to this function.
        unsafe { libc::close(pipe[1]) };
        if pid < 0 {
            let error = io::Error::last_os_error();
            // SAFETY: as above.
            unsafe { libc::close(pipe[0]) };
            return Err(StartError::Fork(error));
        }
        let mut message = [0u8; 2];
        let got = loop {
            // SAFETY: `message` has two bytes; the descriptor is open.
            let n = unsafe { libc::read(pipe[0], message.as_mut_ptr().cast(), 2) };
            if n >= 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                break n;
            }
        };
        // SAFETY: as above.
        unsafe { libc::close(pipe[0]) };
        if got == 2 {
            let mut status = 0;
            // SAFETY: reaps the child that reported its failure.
            unsafe { libc::waitpid(pid, &mut status, 0) };
            let error = io::Error::from_raw_os_error(i32::from(message[1]));
            return Err(if message[0] == 1 { StartError::Trace(error) } else { StartError::Execute(error) });
        }
        Ok(pid)
    }
}

/// Which step of a start failed.
pub(crate) enum StartError {
    /// Making the process.
    Fork(io::Error),
    /// Asking to be traced.
    Trace(io::Error),
    /// Executing the file.
    Execute(io::Error),
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
    Ok(if libc::WIFEXITED(status) {
        Status::Exited(libc::WEXITSTATUS(status))
    } else if libc::WIFSIGNALED(status) {
        Status::Killed(libc::WTERMSIG(status))
    } else {
        Status::Stopped { signal: libc::WSTOPSIG(status), event: status >> 16 }
    })
}

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

/// A stopped traced process.
pub(crate) struct Tracee {
    pid: c_int,
    memory: File,
}

impl Tracee {
    /// Takes over a stopped process.
    pub(crate) fn new(pid: c_int) -> Result<Self, Error> {
        let memory = File::options()
            .read(true)
            .write(true)
            .open(format!("/proc/{pid}/mem"))
            .map_err(|source| Error::Process { what: "open the program's memory", pid, source })?;
        Ok(Tracee { pid, memory })
    }

    /// The process id.
    pub(crate) fn pid(&self) -> c_int {
        self.pid
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

    /// Unblocks the signals in `bits`.
    pub(crate) fn unblock(&self, bits: u64) -> Result<(), Error> {
        let mut mask = 0u64;
        self.request(PTRACE_GETSIGMASK, 8, (&raw mut mask).cast(), "read the signal mask")?;
        if mask & bits == 0 {
            return Ok(());
        }
        mask &= !bits;
        self.request(PTRACE_SETSIGMASK, 8, (&raw mut mask).cast(), "write the signal mask")
    }

    /// The message of the event it stopped with.
    pub(crate) fn event_message(&self) -> Result<u64, Error> {
        let mut message = 0u64;
        self.request(libc::PTRACE_GETEVENTMSG, 0, (&raw mut message).cast(), "read an event")?;
        Ok(message)
    }

    /// Asks for events of the given kinds.
    pub(crate) fn set_options(&self, options: c_int) -> Result<(), Error> {
        self.request(libc::PTRACE_SETOPTIONS, 0, options as usize as *mut c_void, "set trace options")
    }

    /// Resumes, delivering `signal` if not 0.
    pub(crate) fn resume(&self, how: Resume, signal: c_int) -> Result<(), Error> {
        let request = match how {
            Resume::Run => libc::PTRACE_CONT,
            Resume::Step => libc::PTRACE_SINGLESTEP,
        };
        self.request(request, 0, signal as usize as *mut c_void, "resume the program")
    }

    /// Lets go of it; it runs on alone.
    pub(crate) fn detach(&self, signal: c_int) -> Result<(), Error> {
        self.request(libc::PTRACE_DETACH, 0, signal as usize as *mut c_void, "detach from the program")
    }

    /// Waits for its next report, through interruptions.
    pub(crate) fn wait(&self) -> Result<Status, Error> {
        loop {
            match wait(self.pid) {
                Ok(Status::Interrupted) => {}
                Ok(status) => return Ok(status),
                Err(source) => {
                    return Err(Error::Process { what: "wait for the program", pid: self.pid, source });
                }
            }
        }
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

    /// Makes the process execute one system call at its present place, leaving all its state as it was.
    pub(crate) fn system_call(&self, number: u64, args: [u64; 6]) -> Result<u64, Error> {
        let saved = self.regs()?;
        let mut code = [0; 2];
        self.read(saved.rip, &mut code);
        self.write(saved.rip, &[0x0f, 0x05])?;
        let mut regs = saved;
        regs.rax = number;
        regs.orig_rax = u64::MAX;
        (regs.rdi, regs.rsi, regs.rdx, regs.r10, regs.r8, regs.r9) =
            (args[0], args[1], args[2], args[3], args[4], args[5]);
        self.set_regs(&regs)?;
        self.resume(Resume::Step, 0)?;
        self.wait()?;
        let result = self.regs()?.rax;
        self.write(saved.rip, &code)?;
        self.set_regs(&saved)?;
        if result > -4096i64 as u64 {
            let source = io::Error::from_raw_os_error(-(result as i64) as i32);
            return Err(Error::Inject { pid: self.pid, source });
        }
        Ok(result)
    }

    /// Whether the program has a handler for `signal`.
    pub(crate) fn catches(&self, signal: c_int) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid)).unwrap_or_default();
        status
            .lines()
            .find_map(|l| l.strip_prefix("SigCgt:"))
            .and_then(|l| u64::from_str_radix(l.trim(), 16).ok())
            .is_some_and(|caught| caught >> (signal - 1) & 1 != 0)
    }
}
