//! The memory shared with the recorder.
//!
//! Invariant: only the program's first thread pushes words; it does not run while it waits for room.

use std::ffi::{c_int, c_long, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use crate::protocol::{
    BELL, CHUNK_WORDS, HEADER_WORDS, MAGIC, MAGIC_AT, READABLE, RING_WORDS, ROOM, STOP, TAKEN, THREAD,
    WRITTEN, message,
};
use crate::qemu;

static HEADER: AtomicPtr<AtomicU64> = AtomicPtr::new(null_mut());
static RING: AtomicPtr<u64> = AtomicPtr::new(null_mut());
/// Position up to which words may be written without looking.
static LIMIT: AtomicU64 = AtomicU64::new(0);
/// This process, or this recording, says nothing (any more).
static SILENT: AtomicBool = AtomicBool::new(true);
/// Threads that the recorder does not know of yet.
static THREADS: AtomicU32 = AtomicU32::new(0);

const SYS_FUTEX: c_long = 202;
const FUTEX_WAIT: c_int = 0;
const FUTEX_WAKE: c_int = 1;

/// How long a wait for room lasts before the recorder's death would be noticed, in nanoseconds.
const PATIENCE: i64 = 100_000_000;

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

/// Maps the memory behind a descriptor; false if it is not what it should be.
pub fn open(descriptor: c_int) -> bool {
    let bytes = (HEADER_WORDS + RING_WORDS) * 8;
    // SAFETY: a new mapping, readable and writable (3), shared (1).
    let start = unsafe { qemu::mmap(null_mut(), bytes, 3, 1, descriptor, 0) };
    if start.addr() == usize::MAX {
        return false;
    }
    let header = start.cast::<AtomicU64>();
    HEADER.store(header, Ordering::Relaxed);
    // SAFETY: the mapping is that long.
    RING.store(unsafe { start.cast::<u64>().add(HEADER_WORDS) }, Ordering::Relaxed);
    let is_right = field(MAGIC_AT).load(Ordering::Acquire) == MAGIC;
    SILENT.store(!is_right, Ordering::Relaxed);
    is_right
}

fn field(at: usize) -> &'static AtomicU64 {
    // SAFETY: the mapping stays, and begins with so many words.
    unsafe { &*HEADER.load(Ordering::Relaxed).add(at) }
}

/// Whether nothing is told.
#[inline]
pub fn is_silent() -> bool {
    SILENT.load(Ordering::Relaxed)
}

/// From now on nothing is told by this process.
pub extern "C" fn silence() {
    SILENT.store(true, Ordering::Relaxed);
}

/// Whether the recorder has said that nothing is wanted any more.
pub fn is_over() -> bool {
    field(STOP).load(Ordering::Relaxed) != 0
}

/// Says whether registers can be read.
pub fn set_readable(readable: bool) {
    field(READABLE).store(if readable { 1 } else { 2 }, Ordering::Release);
}

/// Another thread begins; the first one tells of it.
pub fn count_thread() {
    THREADS.fetch_add(1, Ordering::Relaxed);
}

/// Writes a word.
#[inline]
pub fn push(word: u64) {
    let written = field(WRITTEN);
    let at = written.load(Ordering::Relaxed);
    if at == LIMIT.load(Ordering::Relaxed) && !extend(at) {
        return;
    }
    // SAFETY: the place lies in the ring, and the recorder has taken what was there.
    unsafe { RING.load(Ordering::Relaxed).add(at as usize & (RING_WORDS - 1)).write(word) };
    written.store(at + 1, Ordering::Release);
}

/// Writes the number of bytes, and then the bytes, eight a word.
pub fn push_bytes(bytes: &[u8]) {
    push(bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
        push(u64::from_le_bytes(word));
    }
}

/// Tells of threads that have begun.
pub fn tell_threads() {
    for _ in 0..THREADS.swap(0, Ordering::Relaxed) {
        push(message(THREAD, 0));
    }
}

/// Rings the bell and waits for room; false if nothing is to be written.
#[cold]
fn extend(at: u64) -> bool {
    ring_bell();
    loop {
        if is_over() || is_silent() {
            silence();
            return false;
        }
        let room = field(ROOM);
        let seen = room.load(Ordering::Acquire);
        let taken = field(TAKEN).load(Ordering::Acquire);
        if at + CHUNK_WORDS as u64 <= taken + RING_WORDS as u64 {
            LIMIT.store(at + CHUNK_WORDS as u64, Ordering::Relaxed);
            return true;
        }
        let patience = Timespec { seconds: 0, nanoseconds: PATIENCE };
        let word: *const AtomicU64 = room;
        // SAFETY: waits as long as the low half of a word of the mapping is what it was.
        unsafe { qemu::syscall(SYS_FUTEX, word, FUTEX_WAIT, seen as u32, &raw const patience) };
    }
}

fn ring_bell() {
    let bell = field(BELL);
    bell.fetch_add(1, Ordering::Release);
    let word: *const AtomicU64 = bell;
    // SAFETY: wakes whoever waits for a word of the mapping.
    unsafe { qemu::syscall(SYS_FUTEX, word, FUTEX_WAKE, 1 as c_int, std::ptr::null::<c_void>()) };
}
