//! Processes that run already: taking them over in the middle, and letting go of them.
//!
//! Definition: the process is seized wherever it is, and runs alone until it can be taken over ([`crate::alone`]). Then it gets the
//! recorder's memory, and from there on is recorded like a program that was started. Recording begins in the middle of an
//! activation (`Engine::begin_amid`). When it ends, the process gets back what was taken from it and runs on natively,
//! without the recorder's memory.
//!
//! Invariants: while the recorder's memory is placed or taken away, system calls are made at the instruction that the kernel's own
//! page has, and nothing is written where another thread could read it. A process that cannot be recorded is refused before
//! it is stopped, or is let go as it was.
//! Limits: it does not end with this process; should this one be killed without warning, it ends at its next stop. Loops around the place
//! where recording begins count from there.

use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;
use std::time::Duration;

use libc::{c_int, siginfo_t, user_regs_struct};

use crate::alone::ALONE;
use crate::error::Error;
use crate::given_back::Signals;
use crate::launch::check_elf;
use crate::process::{Resume, Status, Tracee};
use crate::start::seize;

/// What to do about a process that cannot be attached to, beside its name.
fn refused(pid: c_int, why: impl Into<String>) -> Error {
    Error::Attach { pid, why: why.into() }
}

/// Bytes of a program's file that say what it is for.
const HEAD: u64 = 64;
/// Segment selector of 64-bit code.
const CODE_64: u64 = 0x33;
const PTRACE_GET_RSEQ_CONFIGURATION: libc::c_uint = 0x420f;
const RSEQ_FLAG_UNREGISTER: u64 = 1;

/// Where the C library has registered restartable sequences.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rseq {
    pointer: u64,
    size: u32,
    signature: u32,
    flags: u32,
    pad: u32,
}

/// A process that was attached to.
#[derive(Debug, Default)]
pub(crate) struct Attached {
    /// The address at which it was let go on first, and the program's address that stands for.
    pub(crate) start: Option<(u64, u64)>,
    /// The C library relies on restartable sequences.
    has_sequences: bool,
}

/// The file that a process executes.
///
/// # Errors
/// If there is no such process, or it belongs to somebody else.
pub fn executable(pid: i32) -> Result<PathBuf, Error> {
    fs::read_link(format!("/proc/{pid}/exe")).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound if fs::metadata(format!("/proc/{pid}")).is_ok() => {
            refused(pid, "it has no program: it is a part of the kernel, or is about to end")
        }
        io::ErrorKind::NotFound => refused(pid, "there is no such process"),
        _ => refused(pid, format!("its program cannot be looked at ({source}); run loopwright as its user")),
    })
}

/// Seizes a process, which is to stop.
pub(crate) fn attach(pid: c_int) -> Result<(Tracee, Attached), Error> {
    check(pid)?;
    if let Err(source) = seize(pid, ALONE) {
        let is_gone = source.raw_os_error() == Some(libc::ESRCH);
        return Err(if is_gone { refused(pid, ENDED) } else { Error::AttachForbidden { pid, source } });
    }
    let tracee = Tracee::new(pid)?;
    tracee.interrupt()?;
    Ok((tracee, Attached::default()))
}

/// Of a process that is no longer there.
const ENDED: &str = "it ended meanwhile";

/// Seizes a process that runs, with these options, and stops it wherever it is. Gives the signals that came before it stopped; `None`
/// if it has ended.
pub(crate) fn stop(pid: c_int, options: c_int) -> Result<Option<(Tracee, Signals)>, Error> {
    if let Err(source) = seize(pid, options) {
        let is_gone = source.raw_os_error() == Some(libc::ESRCH);
        return if is_gone { Ok(None) } else { Err(Error::AttachForbidden { pid, source }) };
    }
    let tracee = Tracee::new(pid)?;
    tracee.interrupt()?;
    let mut early = Vec::new();
    loop {
        match tracee.wait()? {
            Status::Exited(_) | Status::Killed(_) => return Ok(None),
            Status::Stopped { event: libc::PTRACE_EVENT_STOP, .. } => return Ok(Some((tracee, early))),
            Status::Stopped { signal, event: 0 } => {
                let info = tracee.siginfo()?;
                early.extend(info.filter(|info| !is_repeated(signal, info)).map(|info| (signal, info)));
            }
            Status::Stopped { .. } | Status::Interrupted => {}
        }
        tracee.resume(Resume::Run, 0)?;
    }
}

/// Whether a signal is a fault that comes again when its instruction is run again.
pub(crate) fn is_repeated(signal: c_int, info: &siginfo_t) -> bool {
    info.si_code > 0 && matches!(signal, libc::SIGSEGV | libc::SIGBUS | libc::SIGFPE | libc::SIGILL)
}

/// What the kernel says of a process.
pub(crate) struct Facts(String);

impl Facts {
    /// Of the process with this number, or of `self`.
    pub(crate) fn of(process: &str) -> Facts {
        Facts(fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default())
    }

    fn field(&self, name: &str) -> &str {
        let value = self.0.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        value.map(str::trim).unwrap_or_default()
    }

    /// Whether it has ended, and is only not waited for yet.
    pub(crate) fn has_ended(&self) -> bool {
        self.field("State").starts_with(['Z', 'X'])
    }

    /// Whether signals reach it.
    pub(crate) fn is_listening(&self) -> bool {
        !self.field("State").starts_with(['Z', 'X', 'D'])
    }

    /// A set of signals, as a mask.
    pub(crate) fn signals(&self, name: &str) -> u64 {
        u64::from_str_radix(self.field(name), 16).unwrap_or(0)
    }

    pub(crate) fn number(&self, name: &str) -> u64 {
        let first = self.field(name).split_whitespace().next();
        first.and_then(|number| number.parse().ok()).unwrap_or(0)
    }
}

/// Looks at a process from outside.
fn check(pid: c_int) -> Result<(), Error> {
    let file = executable(pid)?;
    let mut head = Vec::new();
    let exe = fs::File::open(format!("/proc/{pid}/exe"));
    // What cannot be read is left to the kernel.
    if exe.and_then(|exe| exe.take(HEAD).read_to_end(&mut head)).is_ok() {
        check_elf(&file, &head)?;
    }
    let (its, own) = (Facts::of(&pid.to_string()), Facts::of("self"));
    let process = its.number("Tgid");
    let why = if process != pid as u64 {
        format!("it is a thread; name its process {process}")
    } else if its.number("TracerPid") != 0 {
        format!("process {} traces it already, and a process has one tracer", its.number("TracerPid"))
    } else if its.number("Seccomp") > own.number("Seccomp")
        || its.number("Seccomp_filters") > own.number("Seccomp_filters")
    {
        // A container limits all its processes alike, this one included.
        "it limits its own system calls (seccomp), and those of the recorder would not be allowed".to_owned()
    } else if its.field("State").starts_with(['T', 't']) {
        format!("it is stopped; let it run first (kill -CONT {pid})")
    } else if its.number("Uid") != own.number("Uid") {
        "it belongs to another user; run loopwright as that one".to_owned()
    } else {
        return Ok(());
    };
    Err(refused(pid, why))
}

/// Whether a process can be recorded where it has stopped, with these registers.
pub(crate) fn suits(tracee: &Tracee, regs: &user_regs_struct) -> Result<(), Error> {
    let why = if regs.cs != CODE_64 {
        "it runs 32-bit code"
    } else if regs.gs_base != 0 {
        "it uses the segment gs, which the recorder needs"
    } else if tracee.kernel_call().is_none() {
        "the kernel's page (vdso) is not mapped in it, through which it would be taken over"
    } else {
        return Ok(());
    };
    Err(refused(tracee.process(), why))
}

fn rseq(pid: c_int) -> Option<Rseq> {
    let mut found = Rseq::default();
    let bytes = size_of::<Rseq>();
    // SAFETY: the request fills a structure of the size that is said; older kernels refuse it.
    let n = unsafe {
        libc::ptrace(PTRACE_GET_RSEQ_CONFIGURATION, pid, bytes, (&raw mut found).cast::<libc::c_void>())
    };
    (n == bytes as libc::c_long && found.pointer != 0).then_some(found)
}

impl Attached {
    /// Takes from a thread what stands in the way of recording: gives what is to be registered again when it is let go of.
    pub(crate) fn take(&mut self, tracee: &Tracee) -> Option<Rseq> {
        // Where that is not possible, sequences are lost to other threads of the processor, as they are without the call.
        let taken = rseq(tracee.pid()).filter(|rseq| rseq.call(tracee, RSEQ_FLAG_UNREGISTER).is_ok());
        self.has_sequences |= taken.is_some();
        taken
    }

    /// Looks whether a thread that has stopped relies on restartable sequences: then all do, in time.
    pub(crate) fn look(&mut self, tracee: &Tracee) {
        self.has_sequences = self.has_sequences || rseq(tracee.pid()).is_some();
    }

    /// Takes a call of `rseq` for done, if the C library relies on them: it is made when the thread is let go of.
    pub(crate) fn keeps(&self, args: &[u64; 6], kept: &mut Option<Rseq>) -> bool {
        if !self.has_sequences {
            return false;
        }
        let [pointer, size, flags, signature, ..] = *args;
        let is_registered = flags & RSEQ_FLAG_UNREGISTER == 0;
        let rseq = Rseq { pointer, size: size as u32, signature: signature as u32, ..Rseq::default() };
        *kept = is_registered.then_some(rseq);
        true
    }

    /// Another program has taken the place of the one that was taken over.
    pub(crate) fn replaced(&mut self) {
        self.has_sequences = false;
    }
}

impl Rseq {
    /// Has a thread, which is in precise state, make the call that was kept.
    pub(crate) fn register(&self, tracee: &Tracee) {
        // The C library does without, if it has to.
        _ = self.call(tracee, 0);
    }

    fn call(&self, tracee: &Tracee, flags: u64) -> Result<(), Error> {
        let args = [self.pointer, self.size.into(), flags, self.signature.into(), 0, 0];
        tracee.system_call(libc::SYS_rseq as u64, args).map(|_| ())
    }
}

/// Processor time, user and system, that a process has taken so far.
pub(crate) fn time(pid: c_int) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything.
    let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_whitespace().skip(11);
    let ticks = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    // SAFETY: a plain question.
    let each = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).ok().filter(|&each| each > 0)?;
    Some(Duration::from_millis(ticks * 1000 / each))
}
