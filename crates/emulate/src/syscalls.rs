//! System calls by the numbers that ARM and RISC-V share, in terms of those of x86-64, which the table of effects is in.

use rustc_hash::FxHashMap;
use trace::stream::EFFECT_WRITE;

/// A system call as the plugin tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Returned {
    pub(crate) number: u64,
    pub(crate) arguments: [u64; 6],
    pub(crate) result: u64,
    /// Words of memory behind the arguments, by address.
    behind: FxHashMap<u64, u64>,
}

pub(crate) const RT_SIGACTION: u64 = 134;
pub(crate) const RT_SIGRETURN: u64 = 139;
const CLONE: u64 = 220;
const CLONE3: u64 = 435;
const FSTATAT: u64 = 79;
const FSTAT: u64 = 80;

/// Bytes of what `fstat` gives, here and on x86-64.
const STAT: (u64, u64) = (128, 144);

/// Numbers here, and on x86-64.
const NUMBERS: &[(u64, i64)] = &[
    (17, libc::SYS_getcwd),
    (22, libc::SYS_epoll_pwait),
    (25, libc::SYS_fcntl),
    (29, libc::SYS_ioctl),
    (34, libc::SYS_mkdirat),
    (35, libc::SYS_unlinkat),
    (43, libc::SYS_statfs),
    (44, libc::SYS_fstatfs),
    (48, libc::SYS_faccessat),
    (49, libc::SYS_chdir),
    (56, libc::SYS_openat),
    (59, libc::SYS_pipe2),
    (61, libc::SYS_getdents64),
    (63, libc::SYS_read),
    (64, libc::SYS_write),
    (65, libc::SYS_readv),
    (66, libc::SYS_writev),
    (67, libc::SYS_pread64),
    (68, libc::SYS_pwrite64),
    (69, libc::SYS_preadv),
    (70, libc::SYS_pwritev),
    (72, libc::SYS_pselect6),
    (73, libc::SYS_ppoll),
    (78, libc::SYS_readlinkat),
    (FSTATAT, libc::SYS_newfstatat),
    (FSTAT, libc::SYS_fstat),
    (101, libc::SYS_nanosleep),
    (113, libc::SYS_clock_gettime),
    (114, libc::SYS_clock_getres),
    (115, libc::SYS_clock_nanosleep),
    (123, libc::SYS_sched_getaffinity),
    (132, libc::SYS_sigaltstack),
    (RT_SIGACTION, libc::SYS_rt_sigaction),
    (135, libc::SYS_rt_sigprocmask),
    (153, libc::SYS_times),
    (160, libc::SYS_uname),
    (163, libc::SYS_getrlimit),
    (165, libc::SYS_getrusage),
    (169, libc::SYS_gettimeofday),
    (179, libc::SYS_sysinfo),
    (199, libc::SYS_socketpair),
    (200, libc::SYS_bind),
    (202, libc::SYS_accept),
    (203, libc::SYS_connect),
    (204, libc::SYS_getsockname),
    (206, libc::SYS_sendto),
    (207, libc::SYS_recvfrom),
    (208, libc::SYS_setsockopt),
    (209, libc::SYS_getsockopt),
    (211, libc::SYS_sendmsg),
    (212, libc::SYS_recvmsg),
    (261, libc::SYS_prlimit64),
    (278, libc::SYS_getrandom),
    (291, libc::SYS_statx),
];

impl Returned {
    /// From the words of a message; none if they are too few.
    pub(crate) fn read(words: &[u64]) -> Option<Returned> {
        let (head, mut rest) = words.split_at_checked(8)?;
        let mut behind = FxHashMap::default();
        while let [address, len, data @ ..] = rest {
            let count = usize::try_from(len.div_ceil(8)).ok()?;
            let (piece, after) = data.split_at_checked(count)?;
            for (at, word) in piece.iter().enumerate() {
                behind.insert(address.wrapping_add(8 * at as u64), *word);
            }
            rest = after;
        }
        Some(Returned { number: head[0], arguments: head[1..7].try_into().ok()?, result: head[7], behind })
    }

    fn word(&self, address: u64) -> u64 {
        self.behind.get(&address).copied().unwrap_or(0)
    }

    /// Addresses and lengths of what it read and wrote, as effects are recorded.
    pub(crate) fn ranges(&self) -> Vec<u64> {
        let number = NUMBERS.iter().find(|of| of.0 == self.number).and_then(|of| u64::try_from(of.1).ok());
        let Some(number) = number else { return Vec::new() };
        let call = record::other::Call { number, args: self.arguments, result: self.result };
        let mut ranges = record::other::effect(&call, &|address| self.word(address));
        if matches!(self.number, FSTAT | FSTATAT) {
            for len in ranges.iter_mut().skip(1).step_by(2).filter(|len| **len == STAT.1 | EFFECT_WRITE) {
                *len = STAT.0 | EFFECT_WRITE;
            }
        }
        ranges
    }

    /// The handler that a signal gets, if this call sets one.
    pub(crate) fn handler(&self) -> Option<u64> {
        let handler = (self.number == RT_SIGACTION && self.result == 0).then(|| self.word(self.arguments[1]));
        // 0 and 1 are the default, and none.
        handler.filter(|&handler| handler > 1)
    }

    /// Whether it would have put another program in the place of this one.
    pub(crate) fn replaces_program(&self) -> bool {
        const EXECVE: u64 = 221;
        const EXECVEAT: u64 = 281;
        matches!(self.number, EXECVE | EXECVEAT)
    }

    /// Whether it has made a process.
    pub(crate) fn forks(&self) -> bool {
        const THREAD: u64 = 0x10000;
        let is_process = self.number == CLONE && self.arguments[0] & THREAD == 0;
        (is_process || self.number == CLONE3) && (1..i64::MAX as u64).contains(&self.result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_are_those_of_the_same_call_elsewhere() {
        let call = |number: u64, arguments: [u64; 6], result: u64| {
            let mut words = vec![number];
            words.extend(arguments);
            words.push(result);
            Returned::read(&words)
        };
        let read = call(63, [0, 0x1000, 64, 0, 0, 0], 5);
        assert_eq!(
            read.map(|c| c.ranges()),
            Some(vec![0x1000, 5 | EFFECT_WRITE, 0x100, 8, 0x100, 8 | EFFECT_WRITE])
        );
        let write = call(64, [1, 0x1000, 64, 0, 0, 0], 64);
        assert_eq!(write.map(|c| c.ranges()), Some(vec![0x1000, 64, 0x108, 8, 0x108, 8 | EFFECT_WRITE]));
        let stat = call(80, [1, 0x2000, 0, 0, 0, 0], 0);
        assert_eq!(stat.map(|c| c.ranges()), Some(vec![0x2000, 128 | EFFECT_WRITE]));
        assert_eq!(Returned::read(&[63, 1, 2]), None);
    }

    #[test]
    fn pieces_of_memory_are_read_back() {
        // writev of two pieces: what was handed over says where they are.
        let mut words = vec![66, 1, 0x1000, 2, 0, 0, 0, 30];
        words.extend([0x1000, 32, 0x5000, 10, 0x6000, 20]);
        let call = Returned::read(&words).expect("whole");
        let position = [0x108, 8, 0x108, 8 | EFFECT_WRITE];
        assert_eq!(call.ranges(), [&[0x5000, 10, 0x6000, 20][..], &position].concat());
        words.pop();
        assert_eq!(Returned::read(&words), None);
    }
}
