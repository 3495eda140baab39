//! What system calls do to the program's memory.
//!
//! Limits: the table covers the calls programs make often; others leave no effect record. Asynchronous effects
//! (io_uring, memory shared with other processes) are not seen.

use trace::stream::{EFFECT_WRITE, position_of};

/// A finished system call.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// Its number, on x86-64.
    pub number: u64,
    /// Its arguments.
    pub args: [u64; 6],
    /// What it returned.
    pub result: u64,
}

/// Whether the call may read or write memory, so that it is worth a stop after it.
pub(crate) fn has_effect(number: u64) -> bool {
    TABLE.iter().any(|e| e.0 == number)
}

/// Whether the call is made without a stop, with recording off or on: the recorder has nothing to do before it, nor after it if
/// it has no effect that is recorded. The rest stops, calls that are not known included; where there are several threads, those
/// that may wait for another one too.
pub(crate) fn is_quiet(number: u64, on: bool, several: bool) -> bool {
    let number = number as i64;
    if several {
        return QUIET.contains(&number) && !WAITING.contains(&number);
    }
    QUIET.contains(&number) || (!on && has_effect(number as u64) && !SEEN.contains(&number))
}

/// Calls without an effect on memory.
const QUIET: &[i64] = &[
    libc::SYS_close,
    libc::SYS_brk,
    libc::SYS_sched_yield,
    libc::SYS_msync,
    libc::SYS_madvise,
    libc::SYS_pause,
    libc::SYS_alarm,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_gettid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getpgid,
    libc::SYS_getpgrp,
    libc::SYS_getsid,
    libc::SYS_shutdown,
    libc::SYS_listen,
    libc::SYS_flock,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_ftruncate,
    libc::SYS_fallocate,
    libc::SYS_fadvise64,
    libc::SYS_fchdir,
    libc::SYS_fchmod,
    libc::SYS_fchown,
    libc::SYS_umask,
    libc::SYS_futex,
    libc::SYS_membarrier,
    libc::SYS_set_tid_address,
    libc::SYS_set_robust_list,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_eventfd2,
];

/// Those of them that may wait for something.
const WAITING: &[i64] = &[
    libc::SYS_close,
    libc::SYS_sched_yield,
    libc::SYS_msync,
    libc::SYS_pause,
    libc::SYS_flock,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_fallocate,
    libc::SYS_ftruncate,
    libc::SYS_futex,
    libc::SYS_membarrier,
];

/// Calls with an effect that the recorder sees in any case.
const SEEN: &[i64] = &[
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_arch_prctl,
    libc::SYS_pselect6,
    libc::SYS_ppoll,
    libc::SYS_epoll_pwait,
];

#[derive(Clone, Copy)]
enum Part {
    /// Reads argument bytes: (pointer argument, length argument).
    In(usize, usize),
    /// Reads a string.
    Text(usize),
    /// Reads a fixed number of bytes.
    InFixed(usize, u64),
    /// Writes as many bytes as the result says.
    OutResult(usize),
    /// Writes a fixed number of bytes, on success.
    Out(usize, u64),
    /// Writes what a vector of buffers describes, as many bytes as the result says: (vector, count).
    OutVector(usize, usize),
    /// Reads what a vector of buffers describes.
    InVector(usize, usize),
    /// Reads and writes an array: (pointer, count argument, element size).
    Array(usize, usize, u64),
    /// The buffers of a message header, read or written.
    Message(usize, bool),
    /// Depends on the state of a descriptor, its position or what was written before, and changes it: (descriptor argument).
    Position(usize),
}

use Part::{Array, In, InFixed, InVector, Message, Out, OutResult, OutVector, Position, Text};

const STAT: u64 = 144;

static TABLE: &[(u64, &[Part])] = &[
    (0, &[OutResult(1), Position(0)]),               // read
    (1, &[In(1, 2), Position(0)]),                   // write
    (2, &[Text(0)]),                                 // open
    (4, &[Text(0), Out(1, STAT)]),                   // stat
    (5, &[Out(1, STAT)]),                            // fstat
    (6, &[Text(0), Out(1, STAT)]),                   // lstat
    (7, &[Array(0, 1, 8)]),                          // poll
    (8, &[Position(0)]),                             // lseek
    (13, &[InFixed(1, 32), Out(2, 32)]),             // rt_sigaction
    (14, &[InFixed(1, 8), Out(2, 8)]),               // rt_sigprocmask
    (16, &[]),                                       // ioctl
    (17, &[OutResult(1)]),                           // pread64
    (18, &[In(1, 2)]),                               // pwrite64
    (19, &[OutVector(1, 2), Position(0)]),           // readv
    (20, &[InVector(1, 2), Position(0)]),            // writev
    (21, &[Text(0)]),                                // access
    (22, &[Out(0, 8)]),                              // pipe
    (32, &[]),                                       // dup
    (33, &[]),                                       // dup2
    (72, &[]),                                       // fcntl
    (85, &[Text(0)]),                                // creat
    (292, &[]),                                      // dup3
    (295, &[OutVector(1, 2)]),                       // preadv
    (296, &[InVector(1, 2)]),                        // pwritev
    (437, &[Text(1)]),                               // openat2
    (23, &[Out(1, 128), Out(2, 128), Out(3, 128)]),  // select
    (35, &[InFixed(0, 16), Out(1, 16)]),             // nanosleep
    (38, &[InFixed(1, 32), Out(2, 32)]),             // setitimer
    (40, &[Position(0), Position(1)]),               // sendfile
    (44, &[In(1, 2), Position(0)]),                  // sendto
    (45, &[OutResult(1), Position(0)]),              // recvfrom
    (46, &[Message(1, false), Position(0)]),         // sendmsg
    (47, &[Message(1, true), Position(0)]),          // recvmsg
    (53, &[Out(3, 8)]),                              // socketpair
    (61, &[Out(1, 4), Out(3, 144)]),                 // wait4
    (63, &[Out(0, 390)]),                            // uname
    (76, &[Text(0)]),                                // truncate
    (78, &[OutResult(1), Position(0)]),              // getdents
    (79, &[OutResult(0)]),                           // getcwd
    (80, &[Text(0)]),                                // chdir
    (82, &[Text(0), Text(1)]),                       // rename
    (83, &[Text(0)]),                                // mkdir
    (84, &[Text(0)]),                                // rmdir
    (87, &[Text(0)]),                                // unlink
    (89, &[Text(0), OutResult(1)]),                  // readlink
    (96, &[Out(0, 16), Out(1, 8)]),                  // gettimeofday
    (97, &[Out(1, 16)]),                             // getrlimit
    (98, &[Out(1, 144)]),                            // getrusage
    (99, &[Out(0, 112)]),                            // sysinfo
    (100, &[Out(0, 32)]),                            // times
    (131, &[InFixed(0, 24), Out(1, 24)]),            // sigaltstack
    (137, &[Text(0), Out(1, 120)]),                  // statfs
    (138, &[Out(1, 120)]),                           // fstatfs
    (158, &[]),                                      // arch_prctl
    (201, &[Out(0, 8)]),                             // time
    (204, &[OutResult(2)]),                          // sched_getaffinity
    (217, &[OutResult(1), Position(0)]),             // getdents64
    (228, &[Out(1, 16)]),                            // clock_gettime
    (229, &[Out(1, 16)]),                            // clock_getres
    (230, &[InFixed(2, 16), Out(3, 16)]),            // clock_nanosleep
    (232, &[]),                                      // epoll_wait
    (257, &[Text(1)]),                               // openat
    (262, &[Text(1), Out(2, STAT)]),                 // newfstatat
    (263, &[Text(1)]),                               // unlinkat
    (267, &[Text(1), OutResult(2)]),                 // readlinkat
    (269, &[Text(1)]),                               // faccessat
    (270, &[Out(1, 128), Out(2, 128), Out(3, 128)]), // pselect6
    (271, &[Array(0, 1, 8)]),                        // ppoll
    (281, &[]),                                      // epoll_pwait
    (275, &[Position(0), Position(2)]),              // splice
    (276, &[Position(0), Position(1)]),              // tee
    (278, &[InVector(1, 2), Position(0)]),           // vmsplice
    (293, &[Out(0, 8)]),                             // pipe2
    (302, &[InFixed(2, 16), Out(3, 16)]),            // prlimit64
    (318, &[OutResult(0)]),                          // getrandom
    (326, &[Position(0), Position(2)]),              // copy_file_range
    (332, &[Text(1), Out(4, 256)]),                  // statx
];

/// Address and length pairs of the memory a call read and wrote. `read` gives a word of the program's memory.
pub fn effect(call: &Call, read: &dyn Fn(u64) -> u64) -> Vec<u64> {
    let mut out = Vec::new();
    let failed = call.result > -4096i64 as u64;
    let mut push = |address: u64, len: u64, write: bool| {
        if address != 0 && len != 0 && len < 1 << 40 && !(failed && write) {
            out.extend([address, if write { len | EFFECT_WRITE } else { len }]);
        }
    };
    let a = call.args;
    match (call.number, a[1]) {
        (16, 0x5401) => push(a[2], 36, true),
        (16, 0x5413) => push(a[2], 8, true),
        (16, 0x541b) => push(a[2], 4, true),
        (158, 0x1003 | 0x1004) => push(a[1], 8, true),
        (232 | 281, _) => push(a[1], call.result.wrapping_mul(12), true),
        _ => {}
    }
    let parts = TABLE.iter().find(|e| e.0 == call.number).map_or(&[][..], |e| e.1);
    for &part in parts {
        match part {
            In(p, n) => push(a[p], a[n], false),
            InFixed(p, n) => push(a[p], n, false),
            Text(p) => push(a[p], text_length(a[p], read), false),
            OutResult(p) if !failed => push(a[p], call.result, true),
            OutResult(_) => {}
            Out(p, n) => push(a[p], n, true),
            Array(p, n, size) => {
                push(a[p], a[n].saturating_mul(size), false);
                push(a[p], a[n].saturating_mul(size), true);
            }
            InVector(p, n) => vector(a[p], a[n], u64::MAX, read, &mut |b, l| push(b, l, false)),
            OutVector(p, n) if !failed => vector(a[p], a[n], call.result, read, &mut |b, l| push(b, l, true)),
            OutVector(..) => {}
            Position(p) => {
                if let Some(at) = position_of(a[p]) {
                    push(at, 8, false);
                    push(at, 8, true);
                }
            }
            Message(p, write) => {
                push(a[p], 56, false);
                let limit = if write { call.result } else { u64::MAX };
                if !failed {
                    let (start, count) = (read(a[p] + 16), read(a[p] + 24));
                    vector(start, count, limit, read, &mut |b, l| push(b, l, write));
                }
            }
        }
    }
    out
}

fn vector(start: u64, count: u64, mut limit: u64, read: &dyn Fn(u64) -> u64, push: &mut dyn FnMut(u64, u64)) {
    for k in 0..count.min(1024) {
        let (base, len) = (read(start + k * 16), read(start + k * 16 + 8).min(limit));
        push(base, len);
        limit -= len;
    }
}

fn text_length(at: u64, read: &dyn Fn(u64) -> u64) -> u64 {
    if at == 0 {
        return 0;
    }
    for k in 0..512 {
        let word = read(at + k * 8).to_le_bytes();
        if let Some(end) = word.iter().position(|&b| b == 0) {
            return k * 8 + end as u64 + 1;
        }
    }
    4096
}
