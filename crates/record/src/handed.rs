//! What functions that have to do with tasks of OpenMP are handed in memory.
//!
//! Definition: of what a runtime's function is handed to make a task, or to wait for some, registers hold but a part. The rest is read from
//! the program's memory where control leaves to the function: the first argument on the stack, the data of the task, and what its `depend`
//! clauses name, in the layouts of `libgomp` (`gcc/omp-expand.cc` and `libgomp/task.c` of GCC 13, `GOMP_task`) and of `libomp`
//! (`kmp_depend_info` in `openmp/runtime/src/kmp.h` of LLVM 19). Of a task that `libgomp` gets, its data are read again where its function is entered:
//! it has a copy of them, by which the two are brought together.
//!
//! Invariants: nothing of the program is changed, and what cannot be read is said to be so ([`UNREAD`]).

use std::hash::Hasher;

use libc::user_regs_struct;
use rustc_hash::FxHasher;
use trace::depends::{Mode, UNREAD};
use trace::sink::Handing;
use trace::stream::Special;

use crate::error::Error;
use crate::process::Tracee;
use crate::run::Engine;

/// Most entries of a list that are read.
const MOST: u64 = 1 << 12;
/// Most bytes of a task's data that are read.
const MOST_BYTES: u64 = 1 << 12;

/// The numbers of `GOMP_DEPEND_*`, in the second word of what a `depobj` is.
fn mode_of_object(number: u64) -> Option<Mode> {
    match number {
        1 => Some(Mode::In),
        2 | 3 => Some(Mode::Out),
        4 => Some(Mode::Mutex),
        5 => Some(Mode::Set),
        _ => None,
    }
}

/// The flag of a `kmp_depend_info` that stands for all memory.
const ALL_MEMORY: u8 = 0x80;

/// The flags of a `kmp_depend_info`.
fn mode_of_flags(flags: u8) -> Option<Mode> {
    const IN: u8 = 1;
    const OUT: u8 = 2;
    const MUTEX: u8 = 4;
    const SET: u8 = 8;
    match flags {
        _ if flags & (OUT | ALL_MEMORY) != 0 => Some(Mode::Out),
        _ if flags & MUTEX != 0 => Some(Mode::Mutex),
        _ if flags & SET != 0 => Some(Mode::Set),
        _ if flags & IN != 0 => Some(Mode::In),
        _ => None,
    }
}

/// Words of a record: of each entry its mode and address; `None` if they cannot be read.
type Words = Option<Vec<u64>>;

/// What `void **depend` of `GOMP_task` names. `word`: gives the program's memory at an address.
fn list(at: u64, word: &dyn Fn(u64) -> Option<u64>) -> Words {
    let nth = |nth: u64| word(at.checked_add(nth.checked_mul(8)?)?);
    let mut out = Vec::new();
    let mut add = |mode: Mode, address: u64| out.extend([mode.word(), address]);
    let first = nth(0)?;
    if first != 0 {
        let outs = nth(1)?;
        for entry in 0..Some(first).filter(|count| *count <= MOST)? {
            add(if entry < outs { Mode::Out } else { Mode::In }, nth(entry.checked_add(2)?)?);
        }
        return Some(out);
    }
    let count = Some(nth(1)?).filter(|count| *count <= MOST)?;
    let (outs, mutexes, ins) = (nth(2)?, nth(3)?, nth(4)?);
    let (mutexes, ins) = (outs.checked_add(mutexes)?, outs.checked_add(mutexes)?.checked_add(ins)?);
    for entry in 0..count {
        let address = nth(entry.checked_add(5)?)?;
        match entry {
            _ if entry < outs => add(Mode::Out, address),
            _ if entry < mutexes => add(Mode::Mutex, address),
            _ if entry < ins => add(Mode::In, address),
            _ => add(mode_of_object(word(address.checked_add(8)?)?)?, word(address)?),
        }
    }
    Some(out)
}

/// What so many `kmp_depend_info` name.
fn array(count: u64, at: u64, word: &dyn Fn(u64) -> Option<u64>) -> Words {
    const BYTES: u64 = 24;
    const FLAGS: u64 = 16;
    let mut out = Vec::new();
    for entry in 0..Some(count).filter(|count| *count <= MOST)? {
        let at = at.checked_add(entry.checked_mul(BYTES)?)?;
        let flags = word(at.checked_add(FLAGS)?)? as u8;
        let all = flags & ALL_MEMORY != 0;
        out.extend([mode_of_flags(flags)?.word(), if all { 0 } else { word(at)? }]);
    }
    Some(out)
}

/// Never 0.
fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish().max(1)
}

impl Tracee {
    fn word(&self, address: u64) -> Option<u64> {
        let mut bytes = [0; 8];
        (self.read(address, &mut bytes) == bytes.len()).then(|| u64::from_le_bytes(bytes))
    }

    /// The digest of so many bytes at an address; 0 if they cannot be read.
    fn digest(&self, address: u64, bytes: u64) -> u64 {
        let mut data = vec![0; bytes.min(MOST_BYTES) as usize];
        if self.read(address, &mut data) == data.len() { digest(&data) } else { 0 }
    }
}

impl Engine<'_> {
    /// What the function at `pc`, of a runtime, is handed in memory; asked once.
    pub(crate) fn handing(&mut self, pc: u64) -> Option<Handing> {
        *self.handings.entry(pc).or_insert_with(|| self.guide.handing(pc))
    }

    /// Control leaves to the function at `pc`, of a runtime: what it is handed in memory comes behind the record of its entry.
    pub(crate) fn note_handed(&mut self, regs: &user_regs_struct, pc: u64) -> Result<(), Error> {
        let Some(handing) = self.handing(pc) else { return Ok(()) };
        let arguments = [regs.rdi, regs.rsi, regs.rdx, regs.rcx, regs.r8, regs.r9];
        let word = |at: u64| self.tracee.word(at);
        let stacked = |nth: u64| word(regs.rsp.wrapping_add(8 + 8 * nth)).unwrap_or(0);
        let argument = |nth: usize| arguments.get(nth).copied().unwrap_or(0);
        let mut own_digest = 0;
        let depends = match handing {
            Handing::Task => {
                let [function, data, copies, bytes, ..] = arguments;
                if copies == 0 {
                    self.task_bytes.insert(function, bytes);
                    own_digest = self.tracee.digest(data, bytes);
                }
                // `GOMP_TASK_FLAG_DEPEND` of `include/gomp-constants.h`.
                const DEPEND: u64 = 1 << 3;
                match stacked(0) & DEPEND {
                    0 => Some(Vec::new()),
                    _ => list(stacked(1), &word),
                }
            }
            Handing::List => list(arguments[0], &word),
            Handing::Array { count } => {
                array(argument(count) & u64::from(u32::MAX), argument(count + 1), &word)
            }
        };
        let depends = depends.unwrap_or_else(|| vec![UNREAD, 0]);
        let record =
            Special::Handed { function: pc, stacked: stacked(0), digest: own_digest, depends: &depends };
        let is_on = self.on;
        self.switch(true);
        let noted = self.special(&record);
        self.switch(is_on);
        noted
    }

    /// Control comes from a runtime to the function at `pc`, perhaps that of a task; recording is on.
    pub(crate) fn note_begun(&mut self, regs: &user_regs_struct, pc: u64) -> Result<(), Error> {
        let Some(&bytes) = self.task_bytes.get(&pc) else { return Ok(()) };
        let digest = self.tracee.digest(regs.rdi, bytes);
        self.special(&Special::Handed { function: pc, stacked: 0, digest, depends: &[] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memory of words from an address on.
    fn memory(at: u64, words: &[u64]) -> impl Fn(u64) -> Option<u64> {
        move |address| words.get((address.checked_sub(at)? / 8) as usize).copied()
    }

    #[test]
    fn lists_of_libgomp_are_read() {
        let (i, o, m, s) = (Mode::In.word(), Mode::Out.word(), Mode::Mutex.word(), Mode::Set.word());
        let word = memory(64, &[2, 1, 0x10, 0x20]);
        assert_eq!(list(64, &word), Some(vec![o, 0x10, i, 0x20]));
        // One of each, and an object for dependences.
        let word = memory(64, &[0, 4, 1, 1, 1, 0x10, 0x20, 0x30, 64 + 72, 0x40, 5]);
        assert_eq!(list(64, &word), Some(vec![o, 0x10, m, 0x20, i, 0x30, s, 0x40]));
        for hostile in [&[9][..], &[u64::MAX, 1, 2], &[0, u64::MAX, 0, 0, 0], &[0, 1, u64::MAX, 1, 0, 7]] {
            assert_eq!(list(64, &memory(64, hostile)), None);
        }
        assert_eq!(list(u64::MAX, &memory(64, &[1])), None);
    }

    #[test]
    fn arrays_of_libomp_are_read() {
        let (i, o, m) = (Mode::In.word(), Mode::Out.word(), Mode::Mutex.word());
        let word = memory(64, &[0x10, 8, 1, 0x20, 8, 3, 0x30, 8, 4, 0x40, 0, 0x80]);
        assert_eq!(array(4, 64, &word), Some(vec![i, 0x10, o, 0x20, m, 0x30, o, 0]));
        assert_eq!(array(5, 64, &word), None);
        assert_eq!(array(u64::MAX, 64, &word), None);
        assert_eq!(array(1, u64::MAX, &word), None);
    }
}
