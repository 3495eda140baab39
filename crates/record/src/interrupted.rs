//! System calls that are interrupted by a stop of the recorder's.
//!
//! Definition: a call that waits gives up when its process is to stop. Most calls then return one of the kernel's own codes, on which
//! the kernel itself decides when the process runs on: if a handler is started, the call fails with EINTR or is made again behind
//! it, as the call and the handler's flags will have it; if none is, it is made again. Some calls fail with EINTR in any case
//! (signal(7), "Interruption of system calls by stop signals"). Such a call is *settled*: it gets the code of those that fail if a handler
//! is started and are made again otherwise.
//!
//! Invariant: only calls are settled for which EINTR says that they have done nothing.
//! Limits: a call that is settled waits for its whole time again. One that had transferred a part returns how much.

use libc::user_regs_struct;

/// The code of calls that fail if a handler is started and are made again otherwise (`ERESTARTNOHAND`).
const UNLESS_HANDLED: i64 = 514;

/// Calls that may fail with EINTR where no handler is started, and have done nothing then.
const SETTLED: &[i64] = &[
    libc::SYS_epoll_wait,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_io_getevents,
    IO_PGETEVENTS,
    libc::SYS_io_uring_enter,
    // Those of sockets that have a time to wait, and of what else may be read like a file.
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_preadv2,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_recvmmsg,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_pwritev2,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    libc::SYS_sendfile,
    libc::SYS_splice,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_connect,
    // Those that look whether a signal waits before they begin.
    libc::SYS_fallocate,
    libc::SYS_membarrier,
    libc::SYS_getrandom,
];

/// Number of a call that the C library has no name for.
pub(crate) const IO_PGETEVENTS: i64 = 333;

/// Whether a system call returned only because a signal came: whether it is made again is for the kernel to say.
pub(crate) fn is_restart(result: u64) -> bool {
    matches!((result as i64).wrapping_neg(), 512 | 513 | 514 | 516)
}

/// Settles the call behind which a process has stopped. Gives whether one was interrupted there, by whatever it was.
pub(crate) fn settle(regs: &mut user_regs_struct) -> bool {
    let number = regs.orig_rax as i64;
    if number < 0 {
        return false;
    }
    if (regs.rax as i64) == -i64::from(libc::EINTR) && SETTLED.contains(&number) {
        regs.rax = UNLESS_HANDLED.wrapping_neg() as u64;
    }
    is_restart(regs.rax)
}
