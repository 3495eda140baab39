//! Which locks of OpenMP threads hold, as the run takes and gives them.
//!
//! Definition: the *lock set* of a thread is what it holds at a moment: locks that `omp_set_lock` and its like have set and nobody has unset
//! (OpenMP Application Programming Interface, version 5.2, section 18.9), and the names of the critical sections that it is in (section 15.2). Two
//! accesses whose lock sets have an element in common exclude each other (Savage, Burrows, Nelson, Sobalvarro, Anderson: Eraser: a dynamic data
//! race detector for multithreaded programs, 1997); here for each pair of accesses, not for a variable and all of its accesses.
//!
//! A lock is told by the address of its variable, from one `omp_init_lock` of it to the next: storage may be that of another lock afterwards.
//!
//! What takes a lock counts from the call on: nothing of the program runs in the thread between that and the return. A `test` counts if it returns
//! something else than 0, from its return on.
//!
//! Limits: locks of other libraries, and those that programs make of atomic operations, are not here.

use profile::Exclusion;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Most lock sets that are told apart.
const MOST: usize = 1 << 20;

/// What stands for the critical section without a name in place of an address.
const UNNAMED: u64 = 1;

/// What a function does to a lock, which its argument of a number leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Makes(usize),
    Takes(usize),
    /// If it returns something else than 0.
    Tries(usize),
    Gives(usize),
    Enters,
    Leaves,
}

fn deed(name: &str) -> Option<Deed> {
    let name = name.split('@').next().unwrap_or(name);
    // Fortran's have an underscore behind.
    Some(match name.strip_suffix('_').unwrap_or(name) {
        "omp_init_lock"
        | "omp_init_nest_lock"
        | "omp_init_lock_with_hint"
        | "omp_init_nest_lock_with_hint" => Deed::Makes(0),
        "omp_set_lock" | "omp_set_nest_lock" => Deed::Takes(0),
        "omp_test_lock" | "omp_test_nest_lock" => Deed::Tries(0),
        "omp_unset_lock" | "omp_unset_nest_lock" => Deed::Gives(0),
        "GOMP_critical_start" => Deed::Enters,
        "GOMP_critical_end" => Deed::Leaves,
        "GOMP_critical_name_start" => Deed::Takes(0),
        "GOMP_critical_name_end" => Deed::Gives(0),
        "__kmpc_critical" | "__kmpc_critical_with_hint" => Deed::Takes(2),
        "__kmpc_end_critical" => Deed::Gives(2),
        _ => return None,
    })
}

/// Whether a function of this name takes or gives a lock.
pub fn is_of_locks(name: &str) -> bool {
    deed(name).is_some()
}

/// Number of a lock set; 0 for that without a lock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct LockSet(u32);

impl LockSet {
    /// What was held is not known.
    pub const UNKNOWN: LockSet = LockSet(u32::MAX);
}

type Held = SmallVec<[u64; 4]>;

/// See the module.
#[derive(Debug, Default)]
pub struct Locks {
    /// By entry of the function.
    deeds: FxHashMap<u64, Deed>,
    /// By the address of its variable, the number of the lock that is there now.
    there: FxHashMap<u64, u64>,
    /// Locks that have been there.
    seen: u64,
    /// What a thread has called, with the address of the lock, by its tree.
    asked: FxHashMap<u32, (u64, u64)>,
    /// What a thread holds, by its tree, in order; a lock that can be nested as often as it is held.
    held: FxHashMap<u32, Held>,
    /// The sets, from 1.
    sets: Vec<Held>,
    numbers: FxHashMap<Held, u32>,
}

impl Locks {
    /// The function that begins at `pc` has this name.
    pub fn watches(&mut self, pc: u64, name: &str) {
        self.deeds.extend(deed(name).map(|deed| (pc, deed)));
    }

    /// A thread has called a function of a runtime, with these integer arguments.
    pub fn asked(&mut self, tree: u32, entry: u64, arguments: &[u64]) {
        let lock = match self.deeds.get(&entry) {
            Some(Deed::Makes(nth) | Deed::Takes(nth) | Deed::Tries(nth) | Deed::Gives(nth)) => {
                arguments.get(*nth).copied()
            }
            Some(Deed::Enters | Deed::Leaves) => Some(UNNAMED),
            None => None,
        };
        self.asked.extend(lock.map(|lock| (tree, (entry, lock))));
    }

    /// What a thread has called takes place; returns whether it holds something else now.
    pub fn happens(&mut self, tree: u32) -> bool {
        let Some(&(entry, lock)) = self.asked.get(&tree) else { return false };
        let has_changed = match self.deeds.get(&entry) {
            Some(Deed::Takes(_) | Deed::Enters) => {
                self.take(tree, lock);
                true
            }
            Some(Deed::Gives(_) | Deed::Leaves) => {
                self.give(tree, lock);
                true
            }
            Some(Deed::Makes(_)) => {
                self.there.remove(&lock);
                false
            }
            Some(Deed::Tries(_)) | None => return false,
        };
        self.asked.remove(&tree);
        has_changed
    }

    /// The function at `entry` has returned to a thread; returns whether that holds something else now.
    pub fn returned(&mut self, tree: u32, entry: u64, result: u64) -> bool {
        if !matches!(self.deeds.get(&entry), Some(Deed::Tries(_))) {
            return false;
        }
        // What it returns is an `int`, of which the upper half of the register says nothing.
        match self.asked.remove(&tree).filter(|own| own.0 == entry && result as u32 != 0) {
            Some((_, lock)) => {
                self.take(tree, lock);
                true
            }
            None => false,
        }
    }

    /// The number of the lock at an address.
    fn lock(&mut self, address: u64) -> u64 {
        let seen = &mut self.seen;
        *self.there.entry(address).or_insert_with(|| {
            *seen += 1;
            *seen
        })
    }

    fn take(&mut self, tree: u32, address: u64) {
        let lock = self.lock(address);
        let held = self.held.entry(tree).or_default();
        held.insert(held.partition_point(|own| *own <= lock), lock);
    }

    fn give(&mut self, tree: u32, address: u64) {
        let lock = self.lock(address);
        if let Some(held) = self.held.get_mut(&tree)
            && let Some(at) = held.iter().position(|own| *own == lock)
        {
            held.remove(at);
        }
    }

    /// A thread, or a task, has ended.
    pub fn end(&mut self, tree: u32) {
        self.held.remove(&tree);
        self.asked.remove(&tree);
    }

    /// What a thread holds.
    pub fn now(&mut self, tree: u32) -> LockSet {
        let Some(held) = self.held.get(&tree).filter(|held| !held.is_empty()) else {
            return LockSet::default();
        };
        if let Some(&number) = self.numbers.get(held) {
            return LockSet(number);
        }
        if self.sets.len() >= MOST {
            return LockSet::UNKNOWN;
        }
        self.sets.push(held.clone());
        let number = self.sets.len() as u32;
        self.numbers.insert(held.clone(), number);
        LockSet(number)
    }

    /// Whether what holds one lock set and what holds another exclude each other.
    pub fn exclude(&self, a: LockSet, b: LockSet) -> Exclusion {
        if a == LockSet::UNKNOWN || b == LockSet::UNKNOWN {
            return Exclusion::Unknown;
        }
        let of = |set: LockSet| (set.0 as usize).checked_sub(1).and_then(|at| self.sets.get(at));
        match (of(a), of(b)) {
            (Some(a), Some(b)) if a.iter().any(|lock| b.contains(lock)) => Exclusion::Held,
            _ => Exclusion::Absent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAKE: u64 = 0x8;
    const SET: u64 = 0x10;
    const UNSET: u64 = 0x20;
    const TEST: u64 = 0x30;
    const ENTER: u64 = 0x40;
    const NAMED: u64 = 0x50;

    fn locks() -> Locks {
        let mut out = Locks::default();
        for (pc, name) in [
            (MAKE, "omp_init_lock@@OMP_3.0"),
            (SET, "omp_set_lock@@OMP_3.0"),
            (UNSET, "omp_unset_lock_"),
            (TEST, "omp_test_nest_lock"),
            (ENTER, "GOMP_critical_start"),
            (NAMED, "__kmpc_critical"),
        ] {
            out.watches(pc, name);
        }
        out
    }

    fn call(locks: &mut Locks, tree: u32, entry: u64, arguments: &[u64]) {
        locks.asked(tree, entry, arguments);
        locks.happens(tree);
    }

    #[test]
    fn one_lock_excludes_and_others_do_not() {
        let mut own = locks();
        call(&mut own, 0, SET, &[0x1000]);
        call(&mut own, 1, SET, &[0x2000]);
        let (a, b) = (own.now(0), own.now(1));
        assert_eq!(own.exclude(a, b), Exclusion::Absent);
        call(&mut own, 1, SET, &[0x1000]);
        let both = own.now(1);
        assert_eq!(own.exclude(a, both), Exclusion::Held);
        assert_eq!(own.exclude(a, LockSet::UNKNOWN), Exclusion::Unknown);
        call(&mut own, 1, UNSET, &[0x1000]);
        assert_eq!(own.now(1), b);
        call(&mut own, 0, UNSET, &[0x1000]);
        assert_eq!(own.now(0), LockSet::default());
        assert_eq!(own.exclude(LockSet::default(), LockSet::default()), Exclusion::Absent);
    }

    #[test]
    fn a_test_counts_if_it_succeeds() {
        let mut own = locks();
        for (result, is_held) in [(0, false), (1, true), (2, true)] {
            own.asked(0, TEST, &[0x1000]);
            assert!(!own.happens(0));
            assert_eq!(own.returned(0, TEST, 0xdead_0000_0000 | result), is_held);
        }
        // It was taken twice.
        call(&mut own, 0, UNSET, &[0x1000]);
        assert_ne!(own.now(0), LockSet::default());
        call(&mut own, 0, UNSET, &[0x1000]);
        assert_eq!(own.now(0), LockSet::default());
    }

    /// Tasks that one thread runs one after the other may have their locks in one place of its stack.
    #[test]
    fn storage_is_that_of_another_lock_afterwards() {
        let mut own = locks();
        let sets = [0, 1].map(|tree| {
            call(&mut own, tree, MAKE, &[0x1000]);
            call(&mut own, tree, SET, &[0x1000]);
            own.now(tree)
        });
        assert_eq!(own.exclude(sets[0], sets[1]), Exclusion::Absent);
        own.end(0);
        call(&mut own, 0, SET, &[0x1000]);
        let again = own.now(0);
        assert_eq!(own.exclude(again, sets[1]), Exclusion::Held);
    }

    #[test]
    fn critical_sections_have_names() {
        let mut own = locks();
        call(&mut own, 0, ENTER, &[]);
        call(&mut own, 1, NAMED, &[0, 0, 0x3000]);
        call(&mut own, 2, NAMED, &[0, 1, 0x3000]);
        let [a, b, c] = [0, 1, 2].map(|tree| own.now(tree));
        assert_eq!((own.exclude(a, b), own.exclude(b, c)), (Exclusion::Absent, Exclusion::Held));
        own.end(1);
        assert_eq!(own.now(1), LockSet::default());
    }
}
