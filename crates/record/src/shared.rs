//! Memory shared with the program, and where it lies in the program's address space.
//!
//! Three regions: the code cache (executable and read-only in the program), the state page with the tables of indirect
//! targets behind it, and the record buffers, each followed by a gap that faults. The program reaches the state page
//! through the `gs` segment base.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use crate::error::Error;

/// Address of the code cache in the program.
pub(crate) const CACHE: u64 = 0x10_0000_0000;
/// Its size; hot code fills it from the start, exits from [`COLD`] on.
pub(crate) const CACHE_BYTES: usize = 256 << 20;
/// Offset of the cold part.
pub(crate) const COLD: usize = 160 << 20;
/// Address of the state page in the program.
pub(crate) const STATE: u64 = 0x11_0000_0000;
/// Entries of one table of indirect targets, indexed by the low 16 bits of the target.
pub(crate) const TABLE_ENTRIES: usize = 1 << 16;
/// Number of tables: calls, jumps and returns, each with recording off and on.
pub(crate) const TABLES: usize = 6;
/// Offset of the two tables, one byte for each number of a system call, that say which calls are made without a stop: with
/// recording off and on.
const QUIET: usize = 0x1000 + TABLES * TABLE_ENTRIES * 8;
/// Size of the state region.
pub(crate) const STATE_BYTES: usize = QUIET + 2 * QUIET_ENTRIES;
/// Entries of such a table.
pub(crate) const QUIET_ENTRIES: usize = 1 << 16;
/// Address of the first record buffer in the program.
pub(crate) const BUFFERS: u64 = 0x12_0000_0000;
/// Bytes of faulting gap after each buffer; more than any record.
pub(crate) const GUARD: u64 = 1 << 16;

/// Slot of the record pointer while no block holds it in a register.
pub(crate) const SLOT_POINTER: i32 = 0x00;
/// Slot of the program's value of the register that holds the record pointer.
pub(crate) const SLOT_P: i32 = 0x08;
/// Slot of the program's value of the scratch register.
pub(crate) const SLOT_S: i32 = 0x10;
/// Slot of the program's `rax` during an indirect transfer.
pub(crate) const SLOT_RAX: i32 = 0x18;
/// Slot of the program's `rcx` during an indirect transfer.
pub(crate) const SLOT_RCX: i32 = 0x20;
/// Slot of a register borrowed for one instruction.
pub(crate) const SLOT_T: i32 = 0x28;

/// Slot of the flags while a counted loop compares trip counts.
pub(crate) const SLOT_FLAGS: i32 = 0x30;
/// Slot of the number of the latest indirect call or jump, in a survey.
pub(crate) const SLOT_SITE: i32 = 0x38;
/// Slot of a second register borrowed for one instruction.
pub(crate) const SLOT_U: i32 = 0x40;
/// Slot of the end of the record while a loop runs that records words in every iteration.
pub(crate) const SLOT_RUNNING: i32 = 0x48;
/// Slot that says whether recording is on, where only the program's own code is recorded.
pub(crate) const SLOT_ON: i32 = 0x50;
/// Slot of the address that control left the program's own code to; 0 if it has not been there yet.
pub(crate) const SLOT_TARGET: i32 = 0x58;
/// Slot of the first integer argument as of then.
pub(crate) const SLOT_FIRST: i32 = 0x60;
/// Slot of the second one.
pub(crate) const SLOT_SECOND: i32 = 0x68;
/// Slot of the address of the word that will hold the address of the function called, if that has yet to be bound, or 0.
pub(crate) const SLOT_BOUND: i32 = 0x70;
/// Slot with the complement of the stack pointer at the entry of the function that runs unrecorded by its contract, or 0.
pub(crate) const SLOT_CONTRACT: i32 = 0xc0;
/// First of the slots of the integer arguments of the function that runs unrecorded by its contract, if that says what it does with them.
pub(crate) const SLOT_ARGUMENTS: i32 = 0xc8;
/// Slot of that function's number.
pub(crate) const SLOT_CALLED: i32 = 0xf8;
/// Slot of the number of calls across the border without a stop.
pub(crate) const SLOT_PASSAGES: i32 = 0x78;
/// First of the slots of registers that functions called in a loop have pushed.
pub(crate) const SLOT_KEPT: i32 = 0x80;
/// Number of these.
pub(crate) const KEPT: i32 = 8;
/// Offset in the state region of what system calls made for the program read.
pub(crate) const SCRATCH: i32 = 0x100;
/// Address of a system call instruction in the cache, for calls that the recorder has the program make.
pub(crate) const REMOTE_CALL: u64 = CACHE + 0x80;
/// Address of a jump to itself in the cache.
pub(crate) const SPIN: u64 = CACHE + 0x90;
/// Number of counters of a survey.
pub(crate) const COUNTERS: usize = 1 << 22;

/// Offset of a counter in the state region.
pub(crate) fn counter(index: u32) -> i32 {
    (STATE_BYTES + index as usize * 8) as i32
}

/// What is added to a target before it is hashed, for the indirect transfer with number `site`: targets that many sites
/// share spread over the table.
pub(crate) fn spread(site: u32) -> u32 {
    site.wrapping_mul(0x9e37) & 0xffff
}

/// Offset of a table in the state region.
pub(crate) fn table(index: usize) -> i32 {
    (0x1000 + index * TABLE_ENTRIES * 8) as i32
}

/// Offset of the table of calls without a stop in the state region.
pub(crate) fn quiet(on: bool) -> i32 {
    (QUIET + usize::from(on) * QUIET_ENTRIES) as i32
}

/// A region of memory that can also be mapped into the program.
pub(crate) struct Shared {
    descriptor: OwnedFd,
    start: *mut u8,
    bytes: usize,
}

// SAFETY: the mapping is plain memory that lives as long as the value. Who may touch which part of it when is decided
// by the owners: a buffer belongs to the receiver between the two channel messages that name it.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    /// A zeroed region.
    pub(crate) fn new(bytes: usize) -> Result<Self, Error> {
        let fail = |what| Error::Setup { what, source: io::Error::last_os_error() };
        // SAFETY: the name is a null-terminated string.
        let fd = unsafe { libc::memfd_create(c"loopwright".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(fail("create shared memory"));
        }
        // SAFETY: the descriptor was just made and belongs to nobody else.
        let descriptor = unsafe { OwnedFd::from_raw_fd(fd) };
        // SAFETY: resizes the descriptor's own file.
        if unsafe { libc::ftruncate(fd, bytes as i64) } != 0 {
            return Err(fail("size shared memory"));
        }
        // SAFETY: a fresh mapping at an address of the kernel's choice.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                fd,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(fail("map shared memory"));
        }
        Ok(Shared { descriptor, start: start.cast(), bytes })
    }

    /// Its size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Its descriptor, to be opened by the program through `/proc`.
    pub(crate) fn descriptor(&self) -> i32 {
        self.descriptor.as_raw_fd()
    }

    fn check(&self, offset: usize, len: usize) {
        assert!(offset <= self.bytes && len <= self.bytes - offset, "recorder bug: outside shared memory");
    }

    /// Copies bytes in.
    pub(crate) fn write(&self, offset: usize, bytes: &[u8]) {
        self.check(offset, bytes.len());
        // SAFETY: the range was checked, and no reference into the mapping exists on this side except a receiver's
        // view of a buffer it owns, which is never written meanwhile.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.start.add(offset), bytes.len()) }
    }

    /// Reads the aligned word at `offset`.
    pub(crate) fn word(&self, offset: usize) -> u64 {
        self.check(offset, 8);
        // SAFETY: the range was checked; an unaligned read is allowed.
        unsafe { self.start.add(offset).cast::<u64>().read_unaligned() }
    }

    /// Writes a word in one store, which code that runs meanwhile sees whole if it is aligned.
    pub(crate) fn set_word(&self, offset: usize, value: u64) {
        self.check(offset, 8);
        assert!(offset.is_multiple_of(8), "recorder bug: unaligned word");
        // SAFETY: the range and alignment were checked.
        unsafe { self.start.add(offset).cast::<u64>().write_volatile(value) }
    }

    /// Writes a displacement that lies within one cache line in one store.
    pub(crate) fn set_half(&self, offset: usize, value: i32) {
        self.check(offset, 4);
        // SAFETY: the range was checked. x86 makes a store within a cache line atomic whatever its alignment; the
        // compiler cannot split this one because it is written as one instruction.
        unsafe {
            std::arch::asm!("mov dword ptr [{at}], {value:e}", at = in(reg) self.start.add(offset), value = in(reg) value,
                options(nostack, preserves_flags));
        }
    }

    /// Fills `count` words from `offset` on.
    pub(crate) fn fill(&self, offset: usize, count: usize, value: u64) {
        for k in 0..count {
            self.set_word(offset + k * 8, value);
        }
    }

    /// The bytes at `offset`, copied.
    pub(crate) fn copy(&self, offset: usize, len: usize) -> Vec<u8> {
        self.check(offset, len);
        let mut out = vec![0; len];
        // SAFETY: the range was checked and `out` has room.
        unsafe { std::ptr::copy_nonoverlapping(self.start.add(offset), out.as_mut_ptr(), len) };
        out
    }

    /// `len` words at `offset`, which must be aligned.
    ///
    /// # Safety
    /// Nobody writes them while the slice lives.
    pub(crate) unsafe fn words(&self, offset: usize, len: usize) -> &[u64] {
        self.check(offset, len * 8);
        assert!(offset.is_multiple_of(8), "recorder bug: unaligned words");
        // SAFETY: range and alignment were checked; the caller vouches for the absence of writers.
        unsafe { std::slice::from_raw_parts(self.start.add(offset).cast(), len) }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new` and no slice of it outlives the value.
        unsafe { libc::munmap(self.start.cast(), self.bytes) };
    }
}
