//! Loads at addresses without a stride, executed once per iteration.
//!
//! Such loads often touch the same places again: a table indexed by the same list, rows reached through the same
//! pointers a few bytes further along. Their addresses relative to the first are a *pattern*; patterns are numbered, and
//! loads of one pattern from one address are put off as one entry like those of one stride (`pending.rs`).
//!
//! Limit: where the sources of such loads are reported as runs, no address is said. Every loop level at which an entry
//! depends on its sources has been reported load by load before.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use crate::class::{Class, NO_CHAIN};
use crate::emit::Sinks;
use crate::iv::Iv;
use crate::memory::{Memory, Part, Side};
use crate::overlay::Strided;
use crate::page::PAGE;
use crate::pending::blocks;
use crate::query::{Piece, push_anywhere};
use crate::{Client, Kind, Stmt};

/// Number of a pattern.
pub type PatternId = u32;

/// Bytes of patterns beyond which no new ones are numbered.
const MAX_BYTES: usize = 32 << 20;

/// Loads of one operand in consecutive iterations.
#[derive(Clone, Copy, Debug)]
pub struct Gather<'a> {
    /// The operand.
    pub stmt: Stmt,
    /// Bytes of each load, 1 to 4096.
    pub size: u32,
    /// Iteration vector of the first.
    pub iv: Iv,
    /// The dimension that advances.
    pub lane: u8,
    /// The pattern of the addresses.
    pub pattern: PatternId,
    /// The addresses, one per iteration.
    pub addresses: &'a [u64],
}

/// Address sequences relative to their first.
#[derive(Default)]
pub(crate) struct Patterns {
    all: Vec<Box<[i64]>>,
    ids: FxHashMap<u64, SmallVec<[PatternId; 1]>>,
    bytes: usize,
}

impl Patterns {
    pub fn get(&self, id: PatternId) -> &[i64] {
        &self.all[id as usize]
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn id(&mut self, addresses: &[u64]) -> Option<PatternId> {
        let first = *addresses.first()?;
        let offsets = || addresses.iter().map(|a| a.wrapping_sub(first) as i64);
        let mut hasher = FxHasher::default();
        offsets().for_each(|o| hasher.write_i64(o));
        let known = self.ids.entry(hasher.finish()).or_default();
        let is_it = |id: &&PatternId| {
            let pattern = &self.all[**id as usize];
            pattern.len() == addresses.len() && pattern.iter().copied().eq(offsets())
        };
        if let Some(id) = known.iter().find(is_it) {
            return Some(*id);
        }
        let bytes = size_of_val(addresses) + 64;
        if self.bytes + bytes > MAX_BYTES {
            return None;
        }
        self.bytes += bytes;
        let id = self.all.len() as PatternId;
        self.all.push(offsets().collect());
        known.push(id);
        Some(id)
    }
}

impl Memory {
    /// The number of the pattern of some addresses; `None` if there are too many patterns.
    pub fn pattern(&mut self, addresses: &[u64]) -> Option<PatternId> {
        self.patterns.id(addresses)
    }

    /// Applies loads that meet no store of their iterations. Where other loads of the same iterations may touch the same bytes,
    /// those of the last iteration are to be applied after all others, as it may go on in inner loops: a load of it must not be
    /// hidden by one of an earlier iteration.
    pub fn gather_loads(&mut self, gather: &Gather, client: &mut impl Client) {
        let point = self.tables.arena.enter(&gather.iv, Some(gather.lane));
        let lane = usize::from(gather.lane);
        let part = Part { iv: gather.iv, point, lane, count: gather.addresses.len() as i64 };
        let class = self.tables.classes.id(Class::plain(gather.stmt, gather.size, Iv::ZERO, NO_CHAIN));
        if let Some((id, is_new)) = self.find_gather(class, gather, point) {
            if is_new {
                self.report_each(gather, &part, client);
            } else {
                self.report_gather(id, gather, &part.sink(gather.stmt, Sinks::Each), client);
            }
            return self.meet(id, point, client);
        }
        self.report_each(gather, &part, client);
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clear();
        for &at in gather.addresses {
            self.each_page_of(at, gather.size, |memory, number, at, size| {
                let touched = blocks(&Strided::one(at, size), memory.directory.pages[number].base);
                match numbers.last_mut() {
                    Some(last) if last.0 == number => last.1 |= touched,
                    _ => numbers.push((number, touched)),
                }
            });
        }
        numbers.sort_unstable();
        numbers.dedup_by(|next, last| {
            let is_same = next.0 == last.0;
            last.1 |= if is_same { next.1 } else { 0 };
            is_same
        });
        let accepted = self.put_off_gather(class, gather, &mut numbers, point, client);
        self.numbers = numbers;
        if accepted {
            return;
        }
        for (t, &at) in gather.addresses.iter().enumerate() {
            let point = part.point_at(t as i64);
            self.each_page_of(at, gather.size, |memory, number, at, size| {
                memory.add_reader(number, at, size, gather.stmt, point, client);
            });
        }
    }

    fn report_each(&mut self, gather: &Gather, part: &Part, client: &mut impl Client) {
        for (t, &at) in gather.addresses.iter().enumerate() {
            let iv = part.iv.advanced(part.lane, t as i64);
            let part = Part { iv, ..*part };
            let sink = part.sink(gather.stmt, Sinks::Each);
            self.each_page_of(at, gather.size, |memory, number, at, size| {
                memory.report_at(number, Side::Writers, &[(Kind::Flow, sink)], at, size, client);
            });
        }
    }

    fn each_page_of(&mut self, at: u64, size: u32, mut f: impl FnMut(&mut Memory, usize, u64, u32)) {
        let (mut at, mut left) = (at, size);
        while left > 0 {
            let size = left.min(PAGE - at as u32 % PAGE);
            let number = self.directory.entry(at);
            f(self, number, at, size);
            at = at.wrapping_add(u64::from(size));
            left -= size;
        }
    }

    /// Appends what the loads find.
    pub(crate) fn sources_of(&mut self, gather: &Gather, all: &mut Vec<Piece>) {
        let mut found = Vec::new();
        for (t, &at) in gather.addresses.iter().enumerate() {
            found.clear();
            self.gather(Side::Writers, &Strided::one(at, gather.size), gather.stmt, &mut found);
            for piece in &found {
                push_anywhere(all, Piece { t: t as i64, ..*piece });
            }
        }
    }
}
