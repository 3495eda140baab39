//! Last writer of every register unit.
//!
//! A writer is a statement with its iteration vector. Vectors are shared: all registers written by runs that agree on
//! the outer coordinates point at one slot and differ in the innermost coordinate only.

use std::sync::atomic::{AtomicU32, Ordering};

use rustc_hash::FxHashMap;
use shadow::{Iv, Later};
use trace::block::RegRange;

use crate::units::{UNITS, X87, units};

const NONE: u32 = u32::MAX;
/// Slots beyond which unused ones are dropped.
const SLOTS: usize = 1 << 14;

/// A writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writer {
    statement: u32,
    slot: u32,
    inner: i64,
}

impl Writer {
    /// A statement at a slot of vectors.
    pub fn new(statement: u32, (slot, inner): (u32, i64)) -> Writer {
        Writer { statement, slot, inner }
    }

    /// Whether another writer has the same vector.
    #[inline]
    pub fn is_at_vector_of(self, other: Writer) -> bool {
        (self.slot, self.inner) == (other.slot, other.inner)
    }

    /// Whether its vector is one of a slot.
    #[inline]
    pub fn is_in(self, slot: SlotId) -> bool {
        self.slot == slot.number
    }

    /// Its coordinate along the slot.
    #[inline]
    pub fn inner(self) -> i64 {
        self.inner
    }

    /// The statement.
    pub fn statement(self) -> u32 {
        self.statement
    }

    /// The writer, if there is one.
    pub fn known(self) -> Option<Writer> {
        Some(self).filter(|w| w.statement != NONE)
    }
}

/// A slot, told apart from those that have its number before slots are renumbered, or in another table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotId {
    number: u32,
    numbering: u32,
}

fn next_numbering() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The table.
#[derive(Debug)]
pub struct Registers {
    table: Vec<Writer>,
    slots: Vec<(Iv, Option<u8>)>,
    /// Which numbering of slots this is, of all there are: other threads have others.
    numbering: u32,
    /// Writers of callee-saved registers by register and stack slot.
    saved: FxHashMap<(u8, u64), [Writer; 4]>,
}

impl Default for Registers {
    fn default() -> Self {
        Registers {
            table: vec![Writer { statement: NONE, slot: 0, inner: 0 }; UNITS],
            slots: Vec::new(),
            numbering: next_numbering(),
            saved: FxHashMap::default(),
        }
    }
}

impl Registers {
    /// The last writer of a unit.
    #[inline]
    pub fn writer(&self, unit: u16) -> Option<Writer> {
        self.table[usize::from(unit)].known()
    }

    /// The last writer of units `from..to`, if they have one in common.
    #[inline]
    pub fn writer_of_all(&self, from: u16, to: u16) -> Option<Writer> {
        let (first, rest) = self.table[usize::from(from)..usize::from(to)].split_first()?;
        let differs = |differs: u64, w: &Writer| {
            differs
                | u64::from((w.statement ^ first.statement) | (w.slot ^ first.slot))
                | (w.inner ^ first.inner).cast_unsigned()
        };
        first.known().filter(|_| rest.iter().fold(0, differs) == 0)
    }

    /// A slot, as it is known until slots are renumbered.
    #[inline]
    pub fn id(&self, number: u32) -> SlotId {
        SlotId { number, numbering: self.numbering }
    }

    /// Statement and vector of a writer.
    pub fn resolve(&self, writer: Writer) -> (u32, Iv) {
        let (outer, lane) = &self.slots[writer.slot as usize];
        // The innermost coordinate is 0 in the slot.
        let iv = lane.map_or(*outer, |lane| outer.advanced(usize::from(lane), writer.inner));
        (writer.statement, iv)
    }

    /// How far a vector is from that of a writer.
    #[inline]
    pub fn distance(&self, writer: Writer, iv: &Iv) -> Iv {
        iv.minus(&self.resolve(writer).1)
    }

    /// Leaves what it would be if so many more iterations like the latest one had been applied; see [`shadow::Later`].
    pub fn move_on(&mut self, later: &Later) {
        let mut moved: FxHashMap<u32, u32> = FxHashMap::default();
        let slots = &mut self.slots;
        for writer in self.table.iter_mut().chain(self.saved.values_mut().flatten()) {
            let Some((outer, lane)) = writer.known().and_then(|w| slots.get(w.slot as usize).copied()) else {
                continue;
            };
            let iv = lane.map_or(outer, |lane| outer.advanced(usize::from(lane), writer.inner));
            if !later.moves(writer.statement, &iv) {
                continue;
            }
            if lane.map(usize::from) == Some(later.dim) {
                writer.inner = writer.inner.wrapping_add(later.by);
                continue;
            }
            writer.slot = *moved.entry(writer.slot).or_insert_with(|| {
                slots.push((outer.advanced(later.dim, later.by), lane));
                slots.len() as u32 - 1
            });
        }
        // What was found of vectors by the numbers of slots may hold no more.
        self.numbering = next_numbering();
    }

    /// A slot for writes at this vector, whose innermost coordinate is `lane`.
    pub fn slot(&mut self, iv: &Iv, lane: Option<u8>) -> (u32, i64) {
        let inner = lane.map_or(0, |l| iv.0[usize::from(l)]);
        let outer = lane.map_or(*iv, |l| iv.advanced(usize::from(l), inner.wrapping_neg()));
        if self.slots.last() != Some(&(outer, lane)) {
            if self.slots.len() >= SLOTS {
                self.compact();
            }
            self.slots.push((outer, lane));
        }
        (self.slots.len() as u32 - 1, inner)
    }

    /// `statement` wrote units `from..to` at the slot.
    #[inline]
    pub fn write(&mut self, from: u16, to: u16, statement: u32, (slot, inner): (u32, i64)) {
        self.table[usize::from(from)..usize::from(to)].fill(Writer { statement, slot, inner });
    }

    /// The table's entry for one unit of a general register.
    pub fn entry(&self, register: u8, unit: usize) -> Writer {
        self.table[first(register) + unit]
    }

    /// Keeps the writers of a register for whoever restores it from the stack slot.
    pub fn save(&mut self, register: u8, slot: u64, writers: [Writer; 4]) {
        self.saved.insert((register, slot), writers);
    }

    /// Whether a register was saved at a stack slot.
    pub fn is_saved(&self, register: u8, slot: u64) -> bool {
        self.saved.contains_key(&(register, slot))
    }

    /// The writers of a register as of when it was saved at a stack slot.
    pub fn saved(&self, register: u8, slot: u64) -> Option<[Writer; 4]> {
        self.saved.get(&(register, slot)).copied()
    }

    /// A register has its old writers again.
    pub fn restore(&mut self, register: u8, writers: [Writer; 4]) {
        let first = first(register);
        self.table[first..first + 4].copy_from_slice(&writers);
    }

    /// The slots of the floating-point stack go by other names: `from[at]` is what is now at `at`.
    pub fn turn(&mut self, from: &[u8; 8]) {
        let first = usize::from(X87);
        let before: [Writer; 8] = std::array::from_fn(|at| self.table[first + at]);
        for (at, &from) in from.iter().enumerate() {
            self.table[first + at] = before[usize::from(from)];
        }
    }

    /// Forgets all writers: what ran unrecorded may have written any register.
    pub fn forget(&mut self) {
        self.table.fill(Writer { statement: NONE, slot: 0, inner: 0 });
        self.saved.clear();
    }

    /// Forgets the writers of all registers but those that a function keeps (System V Application Binary Interface, AMD64 Architecture
    /// Processor Supplement, section 3.2.1): a function ran that is known to touch no other data.
    pub fn forget_unkept(&mut self) {
        const KEPT: [u8; 7] = [3, 4, 5, 12, 13, 14, 15];
        let kept = KEPT.map(|register| std::array::from_fn(|unit| self.entry(register, unit)));
        self.table.fill(Writer { statement: NONE, slot: 0, inner: 0 });
        for (register, writers) in KEPT.into_iter().zip(kept) {
            self.restore(register, writers);
        }
    }

    fn compact(&mut self) {
        let mut kept = Vec::new();
        let mut moved = vec![NONE; self.slots.len()];
        let all = self.table.iter_mut().chain(self.saved.values_mut().flatten());
        for writer in all.filter(|w| w.statement != NONE) {
            let to = &mut moved[writer.slot as usize];
            if *to == NONE {
                *to = kept.len() as u32;
                kept.push(self.slots[writer.slot as usize]);
            }
            writer.slot = *to;
        }
        self.slots = kept;
        self.numbering = next_numbering();
    }
}

/// The first unit of a general register.
fn first(register: u8) -> usize {
    usize::from(units(RegRange { reg: register, lo: 0, hi: 8 }).start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_survive_compaction() {
        let mut r = Registers::default();
        assert_eq!(r.writer(5), None);
        for k in 0..3 * SLOTS as i64 {
            let mut iv = Iv::ZERO;
            iv.0[0] = k;
            iv.0[1] = 7 * k;
            let slot = r.slot(&iv, Some(1));
            if k % 1000 == 3 {
                r.write((k % 500) as u16, (k % 500) as u16 + 2, k as u32, slot);
            }
            assert!(r.slots.len() <= SLOTS + 1);
        }
        let writer = r.writer(4).expect("written");
        let (statement, iv) = r.resolve(writer);
        assert_eq!(statement % 1000, 3);
        assert_eq!((iv.0[0], iv.0[1]), (i64::from(statement), 7 * i64::from(statement)));
    }
}
