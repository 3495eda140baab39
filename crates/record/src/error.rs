//! What can go wrong, with the culprit and the remedy in the message.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why a program could not be recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The program file does not exist.
    #[error("{0}: no such file; give a path, or a name found in PATH")]
    NotFound(PathBuf),
    /// The program file has no execute permission.
    #[error("{0}: no execute permission; run chmod +x on it")]
    NotExecutable(PathBuf),
    /// The program is neither an ELF file nor a script.
    #[error("{0}: neither an ELF program nor a script with a #! line")]
    NotElf(PathBuf),
    /// A 32-bit program.
    #[error("{0}: a 32-bit program; only x86-64 programs can be recorded, rebuild it with -m64")]
    Bits32(PathBuf),
    /// A program for another architecture.
    #[error("{path}: built for {machine}; only x86-64 programs can be recorded, rebuild it for this machine")]
    Architecture {
        /// The program.
        path: PathBuf,
        /// The architecture it was built for, in words.
        machine: String,
    },
    /// A program for a processor that is emulated, without the emulator.
    #[error(
        "{path}: built for {machine}; it is recorded under {emulator}, which is not in PATH: install QEMU's user-mode emulators \
         (on Debian, apt-get install qemu-user)"
    )]
    Emulator {
        /// The program.
        path: PathBuf,
        /// The processor it was built for, in words.
        machine: &'static str,
        /// The emulator's name.
        emulator: &'static str,
    },
    /// An emulator ended before the program's first instruction.
    #[error(
        "{path}: {emulator} could not start it, with the words above; check that it runs under {emulator} alone"
    )]
    NotEmulated {
        /// The program.
        path: PathBuf,
        /// The emulator's name.
        emulator: &'static str,
    },
    /// An ELF file that cannot be started, such as an object file.
    #[error("{0}: an ELF file but not a program (object file or core dump); link it first")]
    NotProgram(PathBuf),
    /// The interpreter a script names is missing.
    #[error(
        "{script}: its first line names the interpreter {interpreter}, which does not exist; correct the line or install it"
    )]
    Interpreter {
        /// The script.
        script: PathBuf,
        /// The interpreter.
        interpreter: PathBuf,
    },
    /// A program with the set-user-id or set-group-id bit.
    #[error(
        "{0}: has the set-user-id or set-group-id bit, which tracing disables; record a copy without the bit"
    )]
    SetUserId(PathBuf),
    /// The kernel refused to trace.
    #[error(
        "the kernel does not permit tracing ({0}); in a container, start it with --cap-add=SYS_PTRACE (docker, podman), \
         or with --security-opt seccomp=FILE whose profile allows ptrace; elsewhere look at \
         `sysctl kernel.yama.ptrace_scope` (3 forbids it: set 1 in /etc/sysctl.d and restart)"
    )]
    TraceForbidden(io::Error),
    /// A program of which a beginning is not to be recorded has ended in it.
    #[error("{path} ended in the first {} s, which are not recorded (--skip): let it run longer, or skip less", time.as_secs_f64())]
    EndedEarly {
        /// The program.
        path: PathBuf,
        /// What was to be skipped.
        time: Duration,
    },
    /// A process cannot be recorded.
    #[error("process {pid} cannot be attached to: {why}")]
    Attach {
        /// The process.
        pid: i32,
        /// Why, and what to do about it.
        why: String,
    },
    /// The kernel refused to trace a process that runs already.
    #[error(
        "the kernel does not permit tracing process {pid} ({source}): it has to be yours; `sysctl kernel.yama.ptrace_scope` \
         1 permits tracing of children alone (set 0, or run loopwright as root), and a container needs --cap-add=SYS_PTRACE"
    )]
    AttachForbidden {
        /// The process.
        pid: i32,
        /// What the kernel said.
        source: io::Error,
    },
    /// The program could not be started.
    #[error("{path}: cannot be started: {source}")]
    Start {
        /// The program.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// An argument contains a zero byte.
    #[error("an argument or the program's path contains a zero byte")]
    ZeroByte,
    /// A request to the kernel about the running program failed.
    #[error("cannot {what} (process {pid}): {source}")]
    Process {
        /// What was tried.
        what: &'static str,
        /// The process.
        pid: i32,
        /// Why it failed.
        source: io::Error,
    },
    /// A resource of the recorder itself could not be set up.
    #[error("cannot {what}: {source}")]
    Setup {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// A system call made on behalf of the program failed.
    #[error("cannot place the recorder's memory in process {pid}: {source}; {}", remedy(source))]
    Inject {
        /// The process.
        pid: i32,
        /// Why it failed.
        source: io::Error,
    },
    /// An instruction could not be re-encoded.
    #[error("cannot translate the instruction at {pc:#x}: {what}")]
    Translate {
        /// Its address.
        pc: u64,
        /// Why not.
        what: String,
    },
    /// The process stopped at a place the recorder knows nothing about.
    #[error("process {pid} stopped by signal {signal} at {pc:#x}, outside all translated code")]
    Lost {
        /// The process.
        pid: i32,
        /// The signal.
        signal: i32,
        /// Where.
        pc: u64,
    },
    /// The configured buffer is too small or too large.
    #[error("a buffer of {0} words is out of range; use 2048 to 67108864")]
    BufferSize(usize),
    /// The receiving thread panicked.
    #[error("the thread that receives the recording failed")]
    Sink,
}

/// What helps where the recorder's memory cannot be placed.
fn remedy(source: &io::Error) -> &'static str {
    match source.raw_os_error() {
        Some(libc::ENOMEM) => "check the limit on address space (ulimit -v)",
        Some(libc::EMFILE | libc::ENFILE) => "it has no descriptor left (ulimit -n)",
        Some(libc::ENOENT | libc::ENOTDIR) => "it does not see /proc of this system (a container, or chroot)",
        Some(libc::EEXIST) => "it uses the addresses itself",
        _ => "it may not open files of this process under /proc",
    }
}
