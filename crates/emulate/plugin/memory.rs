//! The program's memory, read so that what is not there is no fault.

use std::ffi::c_void;
use std::ptr::{null_mut, without_provenance_mut};

use crate::qemu::{self, Piece};

/// Reads as many bytes at an address of this process as there are, up to the length of `to`; returns how many.
pub fn read(address: u64, to: &mut [u8]) -> usize {
    let local = Piece { start: to.as_mut_ptr().cast::<c_void>(), len: to.len() };
    let start: *mut c_void = without_provenance_mut(address as usize);
    let remote = Piece { start: if address == 0 { null_mut() } else { start }, len: to.len() };
    // SAFETY: writes into `to` alone; the kernel looks after what is read.
    let count = unsafe { qemu::process_vm_readv(qemu::getpid(), &local, 1, &remote, 1, 0) };
    usize::try_from(count).unwrap_or(0)
}

/// A word at an address of this process.
pub fn word(address: u64) -> Option<u64> {
    let mut bytes = [0; 8];
    (read(address, &mut bytes) == 8).then(|| u64::from_le_bytes(bytes))
}
