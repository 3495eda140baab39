//! Starting a program, traced or not.
//!
//! Definition: a traced program is *seized* before it is executed, so that from then on it ends with this process. The child waits
//! for that; if this process ends before, so does the child.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use libc::c_int;

use crate::inherited::Inherited;
use crate::process::{Status, wait};

const PTRACE_SEIZE: libc::c_uint = 0x4206;

/// A program to start, with everything the child needs prepared before the fork.
pub(crate) struct Launch {
    path: CString,
    argv: Vec<CString>,
    environment: Vec<CString>,
    input: Option<Arc<OwnedFd>>,
    silent: bool,
    /// Descriptors that stay open.
    handed_on: Vec<RawFd>,
    inherited: Inherited,
}

impl Launch {
    /// Prepares the start of `path` with the given arguments (the first is the program's own name) and environment
    /// (`NAME=value`).
    pub(crate) fn new(path: CString, argv: Vec<CString>, environment: Vec<CString>) -> Self {
        let (handed_on, inherited) = (Vec::new(), Inherited::now());
        Launch { path, argv, environment, input: None, silent: false, handed_on, inherited }
    }

    /// With these descriptors beside the standard streams.
    pub(crate) fn handing_on(self, handed_on: Vec<RawFd>) -> Self {
        Launch { handed_on, ..self }
    }

    /// With these standard streams.
    pub(crate) fn streams(self, input: Option<Arc<OwnedFd>>, silent: bool) -> Self {
        Launch { input, silent, ..self }
    }

    /// Forks and executes. If it is to be traced, with these options: it has stopped in `execve` then, and ends with this
    /// process from the beginning on. Returns the process id, or the step that failed.
    pub(crate) fn start(&self, traced: Option<c_int>) -> Result<c_int, StartError> {
        let pointers = |strings: &[CString]| -> Vec<*const libc::c_char> {
            strings.iter().map(|string| string.as_ptr()).chain([std::ptr::null()]).collect()
        };
        let (argv, environment) = (pointers(&self.argv), pointers(&self.environment));
        let (report, reported) = pipe().map_err(StartError::Fork)?;
        let (hold, go) = pipe().map_err(StartError::Fork)?;
        // SAFETY: the child calls only async-signal-safe functions until it executes or exits.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            let held = traced.map(|_| (hold.as_raw_fd(), go.as_raw_fd()));
            // SAFETY: this is the child; both are null-terminated arrays of strings that outlive the call.
            unsafe { self.become_program(&argv, &environment, held, reported.as_raw_fd()) }
        }
        let failed = (pid < 0).then(io::Error::last_os_error);
        drop((reported, hold));
        if let Some(source) = failed {
            return Err(StartError::Fork(source));
        }
        let seized = traced.map_or(Ok(()), |options| seize(pid, options));
        if let Err(source) = seized {
            // Without the word to go on, the child ends.
            drop(go);
            let _ = wait(pid);
            return Err(StartError::Trace(source));
        }
        let mut file = File::from(go);
        // If the child is gone, its report says why.
        let _ = file.write_all(&[0]);
        drop(file);
        let has_ended = traced.is_some() && !reaches_program(pid).map_err(StartError::Fork)?;
        let mut message = [0u8; 4];
        match File::from(report).read_exact(&mut message) {
            Ok(()) => {}
            Err(_) if has_ended => {
                let what = "it was killed while it was started";
                return Err(StartError::Execute(io::Error::other(what)));
            }
            Err(_) => return Ok(pid),
        }
        if !has_ended {
            let _ = wait(pid);
        }
        Err(StartError::Execute(io::Error::from_raw_os_error(i32::from_le_bytes(message))))
    }

    /// In the child: executes the program, once the parent says so if it is `held`, or reports why that fails.
    ///
    /// # Safety
    /// To be called in a fresh child, with null-terminated arrays of strings.
    unsafe fn become_program(
        &self,
        argv: &[*const libc::c_char],
        environment: &[*const libc::c_char],
        held: Option<(c_int, c_int)>,
        report: c_int,
    ) -> ! {
        // SAFETY: only async-signal-safe functions are called; the caller vouches for the arrays.
        unsafe {
            libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
            self.inherited.apply(held.is_some());
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
            for &descriptor in &self.handed_on {
                libc::fcntl(descriptor, libc::F_SETFD, 0);
            }
            if let Some((hold, go)) = held {
                libc::close(go);
                let mut word = 0u8;
                while libc::read(hold, (&raw mut word).cast(), 1) != 1 {
                    if *libc::__errno_location() != libc::EINTR {
                        libc::_exit(127);
                    }
                }
            }
            libc::execve(self.path.as_ptr(), argv.as_ptr(), environment.as_ptr());
            let message = (*libc::__errno_location()).to_le_bytes();
            libc::write(report, message.as_ptr().cast(), message.len());
            libc::_exit(127);
        }
    }
}

/// A pipe that a program executed does not get: what to read from, what to write to.
pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: `ends` has room for two descriptors, which belong to nobody else.
    unsafe {
        match libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) {
            0 => Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1]))),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Starts tracing a process, which runs on.
pub(crate) fn seize(pid: c_int, options: c_int) -> io::Result<()> {
    // SAFETY: a request without memory, about a child of this process.
    match unsafe { libc::ptrace(PTRACE_SEIZE, pid, 0usize, options as usize) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Waits until a seized child stops in `execve`; `false` if it ended before.
fn reaches_program(pid: c_int) -> io::Result<bool> {
    loop {
        let signal = match wait(pid)? {
            Status::Exited(_) | Status::Killed(_) => return Ok(false),
            Status::Stopped { event: libc::PTRACE_EVENT_EXEC, .. } => return Ok(true),
            Status::Stopped { signal, event: 0 } => signal,
            Status::Stopped { .. } => 0,
            Status::Interrupted => continue,
        };
        // SAFETY: a request without memory; a child that was killed reports its end.
        unsafe { libc::ptrace(libc::PTRACE_CONT, pid, 0usize, signal as usize) };
    }
}

/// Which step of a start failed.
pub(crate) enum StartError {
    /// Making the process.
    Fork(io::Error),
    /// Asking to trace it.
    Trace(io::Error),
    /// Executing the file.
    Execute(io::Error),
}
