//! The memory shared with the plugin, from the recorder's side.
//!
//! Invariant: of the ring, only words between what was taken and what was written are read; the plugin writes elsewhere.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use record::Error;

use crate::protocol::{
    BELL, HEADER_WORDS, MAGIC, MAGIC_AT, READABLE, RING_WORDS, ROOM, STOP, TAKEN, WRITTEN,
};

const BYTES: usize = (HEADER_WORDS + RING_WORDS) * 8;

/// See the module.
pub(crate) struct Ring {
    descriptor: OwnedFd,
    start: *mut AtomicU64,
    taken: u64,
}

/// A file without a name, which programs that are executed do not get.
pub(crate) fn file(name: &std::ffi::CStr, bytes: usize) -> Result<OwnedFd, Error> {
    let fail = || Error::Setup { what: "make a file in memory", source: io::Error::last_os_error() };
    // SAFETY: the name is a null-terminated string; the descriptor belongs to nobody else.
    let descriptor = unsafe {
        match libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) {
            -1 => return Err(fail()),
            descriptor => OwnedFd::from_raw_fd(descriptor),
        }
    };
    // SAFETY: a plain system call on an open descriptor.
    match unsafe { libc::ftruncate(descriptor.as_raw_fd(), bytes as libc::off_t) } {
        0 => Ok(descriptor),
        _ => Err(fail()),
    }
}

impl Ring {
    /// An empty one.
    pub(crate) fn new() -> Result<Ring, Error> {
        let descriptor = file(c"loopwright", BYTES)?;
        let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
        // SAFETY: a new mapping of a file that is that long.
        let start = unsafe { libc::mmap(null_mut(), BYTES, prot, flags, descriptor.as_raw_fd(), 0) };
        if start == libc::MAP_FAILED {
            return Err(Error::Setup { what: "map shared memory", source: io::Error::last_os_error() });
        }
        let ring = Ring { descriptor, start: start.cast(), taken: 0 };
        ring.field(MAGIC_AT).store(MAGIC, Ordering::Release);
        Ok(ring)
    }

    pub(crate) fn descriptor(&self) -> RawFd {
        self.descriptor.as_raw_fd()
    }

    fn field(&self, at: usize) -> &AtomicU64 {
        debug_assert!(at < HEADER_WORDS);
        // SAFETY: the mapping lives as long as the value and begins with so many words.
        unsafe { &*self.start.add(at) }
    }

    /// Appends what was written since the last time; how many words.
    pub(crate) fn take(&mut self, out: &mut Vec<u64>) -> usize {
        let written = self.field(WRITTEN).load(Ordering::Acquire);
        // More than the ring holds cannot have been written: that is not this plugin's doing.
        let count = (written.saturating_sub(self.taken) as usize).min(RING_WORDS);
        if count == 0 {
            return 0;
        }
        let first = self.taken as usize & (RING_WORDS - 1);
        let straight = count.min(RING_WORDS - first);
        // SAFETY: the places lie in the ring, and the plugin does not write them before they count as taken.
        unsafe {
            let ring = self.start.cast::<u64>().add(HEADER_WORDS);
            out.extend_from_slice(std::slice::from_raw_parts(ring.add(first), straight));
            out.extend_from_slice(std::slice::from_raw_parts(ring, count - straight));
        }
        self.taken += count as u64;
        self.field(TAKEN).store(self.taken, Ordering::Release);
        let room = self.field(ROOM);
        room.fetch_add(1, Ordering::Release);
        wake(room);
        count
    }

    /// Waits until there is much to take, but no longer than this.
    pub(crate) fn wait(&self, most: Duration) {
        let bell = self.field(BELL);
        let seen = bell.load(Ordering::Acquire);
        if self.field(WRITTEN).load(Ordering::Acquire) >= self.taken + crate::protocol::CHUNK_WORDS as u64 {
            return;
        }
        let time = libc::timespec { tv_sec: 0, tv_nsec: most.subsec_nanos().into() };
        let word: *const AtomicU64 = bell;
        // SAFETY: waits as long as the low half of a word of the mapping is what it was.
        unsafe {
            libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAIT, seen as u32, &raw const time);
        }
    }

    /// Nothing is wanted any more.
    pub(crate) fn stop(&self) {
        self.field(STOP).store(1, Ordering::Release);
        wake(self.field(ROOM));
    }

    /// Whether registers could be read; none before the program's first instruction.
    pub(crate) fn is_readable(&self) -> Option<bool> {
        match self.field(READABLE).load(Ordering::Acquire) {
            0 => None,
            code => Some(code == 1),
        }
    }
}

fn wake(word: &AtomicU64) {
    let word: *const AtomicU64 = word;
    // SAFETY: wakes whoever waits for the word.
    unsafe { libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAKE, i32::MAX) };
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: the mapping was made in `new` and is not used any more.
        unsafe { libc::munmap(self.start.cast(), BYTES) };
    }
}
