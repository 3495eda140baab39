//! What descriptors stand for: whose position it is that a system call moves, and which bytes of a file it reads or writes.
//!
//! Definition: a position belongs to an open file description, which all descriptors share that were made of one another
//! (POSIX.1-2017, 2.14 and `dup`). What a file holds belongs to the file, by its device and inode: bytes that are read and written, and the end, which
//! what is appended reads and moves. A pipe holds one thing that reading and writing changes.
//!
//! What one description alone reads and writes its position keeps in order; the bytes are recorded of files that several have
//! open, one of them to write, or that are read or written at given offsets. Streams of the C library hand on what was written to them some time later: where
//! they share a file or a position with another descriptor, they have no contracts ([`Files::are_shared`]).
//!
//! Invariant: descriptors that share a position are known to; two that share none may be taken to, where one was closed whose number is used again.
//! Limits: files opened where recording was off and closed again are not seen; nor is what other processes do, and what lies in memory that a file is mapped
//! to. `sendfile`, `copy_file_range` and `splice` touch the positions of both descriptors, whatever offsets they are given, and no content.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use rustc_hash::FxHashMap;
use trace::block::Access;
use trace::contract::Mark;
use trace::stream::{CONTENT_BYTES, content_of, effect_length};

use crate::process::Tracee;
use crate::syscalls::Call;

/// Descriptors of the standard streams: those share what they were given, and nobody minds.
const STANDARD: std::ops::RangeInclusive<i32> = 0..=2;

/// A file, by its device and inode.
type FileId = (u64, u64);

/// What a descriptor stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Known {
    file: FileId,
    /// The first descriptor with the same position.
    first: i32,
    kind: Kind,
    writes: bool,
    appends: bool,
}

/// What can be read and written of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Bytes at offsets.
    Bytes,
    /// What was written first.
    Queue,
    /// What nobody else sees.
    Other,
}

/// A file that was opened.
#[derive(Debug, Default)]
struct Opened {
    number: u64,
    descriptors: Vec<i32>,
    /// Its bytes are told apart.
    is_followed: bool,
}

/// The files of a program.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// Some stream shares its file or its position.
    pub(crate) are_shared: bool,
    known: FxHashMap<i32, Known>,
    opened: FxHashMap<FileId, Opened>,
    /// The descriptors that the program was started with have been looked at.
    has_looked: bool,
}

impl Files {
    /// A system call has returned that may have made descriptors. Gives whether one shares its file or its position with another.
    pub(crate) fn made(&mut self, tracee: &Tracee, call: &Call) -> bool {
        let Ok(result) = i32::try_from(call.result) else { return false };
        let old = call.args[0] as i32;
        match call.number as i64 {
            libc::SYS_open | libc::SYS_openat | libc::SYS_creat | libc::SYS_openat2 => {
                self.opened(tracee, result)
            }
            libc::SYS_dup | libc::SYS_dup2 | libc::SYS_dup3 => self.duplicated(tracee, old, result),
            libc::SYS_fcntl => match call.args[1] as i32 {
                libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => self.duplicated(tracee, old, result),
                libc::F_SETFL => {
                    let first = self.known.get(&old).map(|known| known.first);
                    first.is_some_and(|first| self.insert(tracee, old, first))
                }
                _ => false,
            },
            libc::SYS_pipe | libc::SYS_pipe2 => {
                let both = tracee.read_word(call.args[0]);
                let ends = [both as i32, (both >> 32) as i32];
                ends.map(|end| self.opened(tracee, end)).contains(&true)
            }
            _ => false,
        }
    }

    /// There is a new descriptor, with a position of its own.
    pub(crate) fn opened(&mut self, tracee: &Tracee, descriptor: i32) -> bool {
        self.look(tracee);
        self.insert(tracee, descriptor, descriptor)
    }

    fn duplicated(&mut self, tracee: &Tracee, old: i32, new: i32) -> bool {
        self.look(tracee);
        if old == new {
            return false;
        }
        let first = self.known.get(&old).map_or(old, |known| known.first);
        self.insert(tracee, new, first);
        true
    }

    /// Looks at what the program was started with. Descriptors of one file that say the same of themselves have one position.
    fn look(&mut self, tracee: &Tracee) {
        if std::mem::replace(&mut self.has_looked, true) {
            return;
        }
        let names = fs::read_dir(format!("/proc/{}/fd", tracee.process())).into_iter().flatten();
        let mut all: Vec<i32> =
            names.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
        all.sort_unstable();
        let mut said: FxHashMap<(FileId, String), i32> = FxHashMap::default();
        for descriptor in all {
            let Some((file, _)) = identity(tracee, descriptor) else { continue };
            let text = information(tracee, descriptor).unwrap_or_default();
            let first = *said.entry((file, text)).or_insert(descriptor);
            self.insert(tracee, descriptor, first);
        }
    }

    /// Notes what a descriptor stands for. Gives whether others that are still open stand for the same file, one of them all to write to it.
    fn insert(&mut self, tracee: &Tracee, descriptor: i32, first: i32) -> bool {
        let Some((file, kind)) = identity(tracee, descriptor) else { return false };
        let flags = information(tracee, descriptor).and_then(|text| {
            let flags = text.lines().find_map(|line| line.strip_prefix("flags:"))?;
            i32::from_str_radix(flags.trim(), 8).ok()
        });
        let flags = flags.unwrap_or(libc::O_RDWR);
        let writes = flags & libc::O_ACCMODE != libc::O_RDONLY;
        let new = Known { file, first, kind, writes, appends: flags & libc::O_APPEND != 0 };
        if let Some(before) = self.known.insert(descriptor, new)
            && let Some(opened) = self.opened.get_mut(&before.file)
        {
            opened.descriptors.retain(|own| *own != descriptor);
        }
        let number = self.opened.len() as u64;
        let known = &self.known;
        let opened = self.opened.entry(file).or_insert_with(|| Opened { number, ..Opened::default() });
        opened.descriptors.retain(|own| {
            let is_open = || identity(tracee, *own).is_some_and(|(now, _)| now == file);
            known.get(own).is_some_and(|known| known.file == file) && is_open()
        });
        opened.descriptors.push(descriptor);
        let mut all = opened.descriptors.iter().filter_map(|own| known.get(own));
        let are_several = opened.descriptors.len() > 1 && kind != Kind::Other;
        if !are_several || !all.any(|known| known.writes) {
            return false;
        }
        opened.is_followed = true;
        !opened.descriptors.iter().all(|own| STANDARD.contains(own))
    }

    /// A call as if the first descriptor with its position had been given, and what it has read and written of a file, as ranges of an effect.
    pub(crate) fn touched(&mut self, tracee: &Tracee, call: &Call) -> (Call, Vec<u64>) {
        let mut out = Vec::new();
        let Some((access, at)) = transfer(call.number) else { return (*call, out) };
        let descriptor = call.args[0] as i32;
        self.look(tracee);
        let Some((file, _)) = identity(tracee, descriptor) else { return (*call, out) };
        // What was opened where nobody saw it.
        if self.known.get(&descriptor).is_none_or(|known| known.file != file) {
            self.insert(tracee, descriptor, descriptor);
        }
        let Some(known) = self.known.get(&descriptor).copied() else { return (*call, out) };
        let mut shown = *call;
        if at.is_none() {
            shown.args[0] = known.first as u64;
        }
        let (Some(opened), Some(access)) = (self.opened.get_mut(&file), access) else { return (shown, out) };
        let has_failed = call.result > -4096i64 as u64;
        opened.is_followed |= at.is_some();
        if has_failed || !opened.is_followed {
            return (shown, out);
        }
        let mut touch = |offset: u64, length: u64, access: Access| {
            let length = length.min(CONTENT_BYTES);
            if length > 0 {
                out.extend([content_of(opened.number, offset), effect_length(length, access, Mark::None)]);
            }
        };
        match (known.kind, access) {
            (Kind::Bytes, access) => {
                let end = || position(tracee, descriptor)?.checked_sub(call.result);
                let Some(offset) = at.map(|at| call.args[at]).or_else(end) else { return (shown, out) };
                if access == Access::Write && known.appends {
                    touch(CONTENT_BYTES, 1, Access::Read);
                    touch(CONTENT_BYTES, 1, Access::Write);
                }
                // What is not there yet was asked for, too.
                let asked = if access == Access::Read { call.args[2].min(1 << 20) } else { 0 };
                touch(offset, call.result.max(asked), access);
            }
            (Kind::Queue, _) => {
                touch(0, 1, Access::Read);
                touch(0, 1, Access::Write);
            }
            (Kind::Other, _) => {}
        }
        (shown, out)
    }
}

/// What a call does to the file of its first argument, if it has something to do with its position: whether it reads or writes bytes, and
/// the argument with their offset, if that is not the position.
fn transfer(number: u64) -> Option<(Option<Access>, Option<usize>)> {
    match number as i64 {
        libc::SYS_read | libc::SYS_readv => Some((Some(Access::Read), None)),
        libc::SYS_write | libc::SYS_writev => Some((Some(Access::Write), None)),
        libc::SYS_pread64 | libc::SYS_preadv => Some((Some(Access::Read), Some(3))),
        libc::SYS_pwrite64 | libc::SYS_pwritev => Some((Some(Access::Write), Some(3))),
        libc::SYS_lseek | libc::SYS_getdents | libc::SYS_getdents64 => Some((None, None)),
        libc::SYS_sendto | libc::SYS_recvfrom | libc::SYS_sendmsg | libc::SYS_recvmsg => Some((None, None)),
        _ => None,
    }
}

/// The file that a descriptor stands for.
fn identity(tracee: &Tracee, descriptor: i32) -> Option<(FileId, Kind)> {
    let found = fs::metadata(format!("/proc/{}/fd/{descriptor}", tracee.process())).ok()?;
    let kind = found.file_type();
    let kind = if kind.is_file() {
        Kind::Bytes
    } else if kind.is_fifo() {
        Kind::Queue
    } else {
        Kind::Other
    };
    Some(((found.dev(), found.ino()), kind))
}

fn information(tracee: &Tracee, descriptor: i32) -> Option<String> {
    fs::read_to_string(format!("/proc/{}/fdinfo/{descriptor}", tracee.process())).ok()
}

/// Where the position of a descriptor lies.
pub(crate) fn position(tracee: &Tracee, descriptor: i32) -> Option<u64> {
    information(tracee, descriptor)?.lines().find_map(|line| line.strip_prefix("pos:"))?.trim().parse().ok()
}
