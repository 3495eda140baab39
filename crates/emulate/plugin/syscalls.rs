//! System calls of the program's first thread, by the numbers that ARM and RISC-V share.
//!
//! The recorder decides what they do to memory; what lies behind their arguments is read here, since it may be gone later.

use std::ffi::c_uint;
use std::sync::Mutex;
use std::sync::PoisonError;

use crate::protocol::{CALLED, RETURNED, message};
use crate::qemu::PluginId;
use crate::{base, maps, memory, ring};

/// Arguments of the call under way.
static ARGUMENTS: Mutex<[u64; 6]> = Mutex::new([0; 6]);

/// Most bytes that are read behind one argument.
const MOST: usize = 4096;

/// What lies behind an argument.
enum Behind {
    /// A text that ends with a zero byte.
    Text(usize),
    /// So many bytes.
    Bytes(usize, u64),
    /// An array of pieces (`struct iovec`), with the number of them in another argument.
    Pieces(usize, usize),
    /// The description of a message (`struct msghdr`), and its pieces.
    Message(usize),
}

use Behind::{Bytes, Message, Pieces, Text};

fn behind(number: i64) -> Option<Behind> {
    Some(match number {
        // mkdirat, unlinkat, faccessat, openat, readlinkat, newfstatat, statx
        34 | 35 | 48 | 56 | 78 | 79 | 291 => Text(1),
        // chdir, getxattr and the like
        5 | 8 | 17 | 43 | 49 => Text(0),
        // readv, writev, preadv, pwritev, preadv2, pwritev2
        65 | 66 | 69 | 70 | 286 | 287 => Pieces(1, 2),
        // rt_sigaction: the handler comes first
        134 => Bytes(1, 8),
        // sendmsg, recvmsg
        211 | 212 => Message(1),
        _ => return None,
    })
}

/// Calls that may not return, or not here: `execve`, `execveat`.
const LEAVES: [i64; 2] = [221, 281];
/// Calls that change mappings: `munmap`, `mremap`, `mmap`, `shmat`, `shmdt`.
const CHANGES: [i64; 5] = [215, 216, 222, 196, 197];

pub extern "C" fn on_call(
    _: PluginId,
    vcpu: c_uint,
    number: i64,
    a: u64,
    b: u64,
    c: u64,
    d: u64,
    e: u64,
    f: u64,
    _: u64,
    _: u64,
) {
    if vcpu != 0 || ring::is_silent() {
        return;
    }
    *ARGUMENTS.lock().unwrap_or_else(PoisonError::into_inner) = [a, b, c, d, e, f];
    if LEAVES.contains(&number) {
        ring::push(message(CALLED, 1));
        ring::push(number as u64);
    }
}

pub extern "C" fn on_return(_: PluginId, vcpu: c_uint, number: i64, result: i64) {
    if CHANGES.contains(&number) {
        maps::changed();
    }
    if vcpu != 0 || ring::is_silent() {
        return;
    }
    let arguments = *ARGUMENTS.lock().unwrap_or_else(PoisonError::into_inner);
    let pieces = behind(number).map_or_else(Vec::new, |behind| read(&behind, &arguments));
    let words: usize = pieces.iter().map(|(_, bytes)| 2 + bytes.len().div_ceil(8)).sum();
    ring::tell_threads();
    ring::push(message(RETURNED, 8 + words));
    ring::push(number as u64);
    arguments.into_iter().for_each(ring::push);
    ring::push(result as u64);
    for (address, bytes) in &pieces {
        ring::push(*address);
        ring::push_bytes(bytes);
    }
}

fn piece(address: u64, len: u64) -> (u64, Vec<u8>) {
    let mut bytes = vec![0; usize::try_from(len).map_or(MOST, |len| len.min(MOST))];
    let count = if address == 0 { 0 } else { memory::read(address.wrapping_add_signed(base()), &mut bytes) };
    bytes.truncate(count);
    (address, bytes)
}

fn read(behind: &Behind, arguments: &[u64; 6]) -> Vec<(u64, Vec<u8>)> {
    match *behind {
        Text(at) => {
            let (address, mut bytes) = piece(arguments[at], MOST as u64);
            if let Some(end) = bytes.iter().position(|&byte| byte == 0) {
                bytes.truncate(end + 1);
            }
            vec![(address, bytes)]
        }
        Bytes(at, len) => vec![piece(arguments[at], len)],
        Pieces(at, count) => vec![piece(arguments[at], arguments[count].saturating_mul(16))],
        Message(at) => {
            let head = piece(arguments[at], 56);
            let word = |at: usize| {
                let bytes = head.1.get(at..at + 8)?;
                Some(bytes.iter().rev().fold(0u64, |word, &byte| word << 8 | u64::from(byte)))
            };
            match (word(16), word(24)) {
                (Some(start), Some(count)) => {
                    let pieces = piece(start, count.saturating_mul(16));
                    vec![head, pieces]
                }
                _ => vec![head],
            }
        }
    }
}
