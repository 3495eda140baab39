//! Memory that a process sees at two places: pages of one file, or of one segment of System V, that it has mapped twice to share.
//!
//! A write at one address is one at the other too. What is recorded are addresses, so that dependences between the two are not seen.

use std::collections::BTreeSet;

use crate::run::Engine;
use crate::syscalls::Call;

/// Two ranges of addresses, from the first to behind the last, with the same memory behind them.
pub type Alias = [(u64, u64); 2];

impl Engine<'_> {
    /// Looks for what is mapped twice, after a call that may have done so.
    pub(crate) fn look_for_aliases(&mut self) {
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", self.tracee.pid())).unwrap_or_default();
        self.aliases.extend(aliases(&maps));
    }
}

/// Whether a system call may map memory a second time.
pub(crate) fn may_alias(call: &Call) -> bool {
    match call.number as i64 {
        libc::SYS_mmap => call.args[3] & libc::MAP_SHARED as u64 != 0 && call.args[4] as i32 >= 0,
        libc::SYS_mremap | libc::SYS_shmat => true,
        _ => false,
    }
}

/// One line of the list of mappings, if it is shared and can be written to.
struct Shared<'a> {
    start: u64,
    end: u64,
    offset: u64,
    device: &'a str,
    inode: &'a str,
}

impl<'a> Shared<'a> {
    fn new(line: &'a str) -> Option<Shared<'a>> {
        let mut words = line.split_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let rights = words.next()?;
        let (offset, device, inode) = (words.next()?, words.next()?, words.next()?);
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        let is_of_file = rights.ends_with('s') && inode != "0";
        is_of_file.then_some(Shared {
            start: number(start)?,
            end: number(end)?,
            offset: number(offset)?,
            device,
            inode,
        })
    }

    /// Where it shows a range of the file.
    fn at(&self, from: u64, to: u64) -> (u64, u64) {
        let place = |of: u64| self.start.saturating_add(of.saturating_sub(self.offset));
        (place(from), place(to).min(self.end))
    }
}

/// What a list of mappings (`/proc/PID/maps`) shows at two places.
fn aliases(maps: &str) -> BTreeSet<Alias> {
    let mut all: Vec<Shared<'_>> = maps.lines().filter_map(Shared::new).collect();
    all.sort_by_key(|one| (one.device, one.inode, one.offset, one.start));
    let mut out = BTreeSet::new();
    for (at, first) in all.iter().enumerate() {
        let ends = first.offset.saturating_add(first.end - first.start.min(first.end));
        let same = all[at + 1..].iter().take_while(|other| {
            (other.device, other.inode) == (first.device, first.inode) && other.offset < ends
        });
        for other in same {
            let to = ends.min(other.offset.saturating_add(other.end - other.start.min(other.end)));
            let mut pair = [first.at(other.offset, to), other.at(other.offset, to)];
            pair.sort_unstable();
            out.insert(pair);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mapped_twice() {
        let maps = "\
7000-9000 rw-s 00000000 00:01 17 /memfd:ring (deleted)
9000-b000 rw-s 00000000 00:01 17 /memfd:ring (deleted)
c000-d000 rw-s 00001000 00:01 17 /memfd:ring (deleted)
d000-e000 rw-s 00002000 00:01 17 /memfd:ring (deleted)
e000-f000 rw-p 00000000 00:01 17 /memfd:ring (deleted)
10000-11000 rw-s 00000000 00:01 18 /other
7fff00000000-7fff00001000 rw-p 00000000 00:00 0 [stack]
broken
";
        let found: Vec<Alias> = aliases(maps).into_iter().collect();
        assert_eq!(
            found,
            [
                [(0x7000, 0x9000), (0x9000, 0xb000)],
                [(0x8000, 0x9000), (0xc000, 0xd000)],
                [(0xa000, 0xb000), (0xc000, 0xd000)],
            ]
        );
    }
}
