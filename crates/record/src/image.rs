//! Placing the recorder's memory into a stopped program, and taking it away.

use crate::buffers::{Buffers, COUNT};
use crate::cache::Cache;
use crate::error::Error;
use crate::process::Tracee;
use crate::shared::{CACHE, CACHE_BYTES, STATE, Shared};

const SYS_OPEN: u64 = libc::SYS_open as u64;
const SYS_CLOSE: u64 = libc::SYS_close as u64;
const SYS_MMAP: u64 = libc::SYS_mmap as u64;
const SYS_MUNMAP: u64 = libc::SYS_munmap as u64;

/// Maps cache, state page and buffers into a process in precise state.
pub(crate) fn inject(tracee: &Tracee, cache: &Cache, buffers: &Buffers) -> Result<(), Error> {
    let executable = libc::PROT_READ | libc::PROT_EXEC;
    let writable = libc::PROT_READ | libc::PROT_WRITE;
    region(tracee, &cache.code, &[(CACHE, CACHE_BYTES, executable, 0)])?;
    region(tracee, &cache.state, &[(STATE, cache.state.bytes(), writable, 0)])?;
    let parts: Vec<_> =
        (0..COUNT).map(|k| (buffers.address(k), buffers.bytes, writable, k * buffers.bytes)).collect();
    region(tracee, &buffers.memory, &parts)
}

/// Takes all of it away again, from a process in precise state.
pub(crate) fn remove(tracee: &Tracee, cache: &Cache, buffers: &Buffers) {
    let others = [(CACHE, CACHE_BYTES), (STATE, cache.state.bytes())];
    for (address, len) in others.into_iter().chain((0..COUNT).map(|k| (buffers.address(k), buffers.bytes))) {
        // What cannot be unmapped stays: it does the process no harm.
        _ = tracee.system_call(SYS_MUNMAP, [address, len as u64, 0, 0, 0, 0]);
    }
}

/// Bytes below the stack pointer that belong to the function that runs.
const RED_ZONE: u64 = 128;

/// Maps parts `(address, length, protection, offset)` of shared memory.
fn region(tracee: &Tracee, memory: &Shared, parts: &[(u64, usize, i32, usize)]) -> Result<(), Error> {
    let mut path = format!("/proc/{}/fd/{}", std::process::id(), memory.descriptor()).into_bytes();
    path.push(0);
    // Where no other thread reads, if the stack goes on there.
    let stack = tracee.regs()?.rsp;
    let mut saved = vec![0; path.len()];
    let below = stack.wrapping_sub(RED_ZONE + path.len() as u64);
    let at = if tracee.read(below, &mut saved) == saved.len() { below } else { stack };
    tracee.read(at, &mut saved);
    tracee.write(at, &path)?;
    let descriptor = tracee.system_call(SYS_OPEN, [at, libc::O_RDWR as u64, 0, 0, 0, 0]);
    tracee.write(at, &saved)?;
    let descriptor = descriptor?;
    for &(address, len, protection, offset) in parts {
        let flags = (libc::MAP_SHARED | libc::MAP_FIXED_NOREPLACE) as u64;
        let args = [address, len as u64, protection as u64, flags, descriptor, offset as u64];
        tracee.system_call(SYS_MMAP, args)?;
    }
    tracee.system_call(SYS_CLOSE, [descriptor, 0, 0, 0, 0, 0])?;
    Ok(())
}
