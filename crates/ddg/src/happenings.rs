//! What happens between the executions of paths and changes memory, or the names of storage: system calls, allocations.
//!
//! Happenings are entries of the log of executions as paths are (see [`crate::repeats`]): an iteration that allocates and frees the
//! same blocks as the one before, or makes the same system calls, repeats it.

use shadow::{Iv, Operand, Record};
use trace::contract::Mark;
use trace::stream::{Touched, touched};

use crate::contexts::ContextId;
use crate::engine::{Engine, pieces};
use crate::observer::observer;
use crate::paths::InstanceId;
use crate::repeats::Arrival;
use crate::walker::Walker;

/// Numbers from here on stand for happenings, smaller ones for paths.
const HAPPENINGS: u32 = 1 << 31;
/// Of those, from here on for allocations.
const ALLOCATIONS: u32 = HAPPENINGS | 1 << 30;

/// Something that happens; what it is about comes as words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Happening {
    /// A system call, by the block that makes it, touches memory: pairs of a start and a length, marked where it writes.
    Effect(InstanceId),
    /// A heap block comes into being: start, size, the address that the allocating call returns to.
    Allocated {
        /// It has no content yet, unlike one that was resized.
        is_new: bool,
    },
    /// The heap block with this start ends.
    Freed,
}

impl Happening {
    /// Its number in the log.
    fn number(self) -> u32 {
        match self {
            Happening::Effect(instance) => HAPPENINGS | instance,
            Happening::Allocated { is_new } => ALLOCATIONS | u32::from(is_new),
            Happening::Freed => ALLOCATIONS | 2,
        }
    }

    /// The happening with a number of the log; `None` for a path.
    pub(crate) fn of(number: u32) -> Option<Happening> {
        match number {
            0..HAPPENINGS => None,
            HAPPENINGS..ALLOCATIONS => Some(Happening::Effect(number - HAPPENINGS)),
            _ => Some(match number - ALLOCATIONS {
                2 => Happening::Freed,
                new => Happening::Allocated { is_new: new == 1 },
            }),
        }
    }
}

impl Engine {
    /// Something happens now: it is logged, and counted or applied.
    pub(crate) fn happens(&mut self, happening: Happening, words: &[u64]) {
        let walker = self.walker.as_deref();
        let iv = walker.map_or(Iv::ZERO, |walker| *walker.iv());
        let is_logged = |context: &ContextId| {
            self.counts && !self.contexts.get(*context).flat && !self.budget.is_skipping
        };
        let Some(context) = walker.map(Walker::context).filter(is_logged) else {
            self.interrupt();
            return self.apply_happening(happening, words, iv);
        };
        let dims = usize::from(self.contexts.get(context).dims);
        let path = happening.number();
        let arrival = Arrival { path, context, dims, iv: &iv, count: 1, words, grows: false };
        if !self.is_counted(&arrival) {
            self.repeats.push(&arrival);
            self.apply_happening(happening, words, iv);
        }
    }

    /// Applies a happening of the log.
    pub(crate) fn apply_happening(&mut self, happening: Happening, words: &[u64], iv: Iv) {
        match (happening, words) {
            (Happening::Effect(id), ranges) => {
                self.objects.note_streams(ranges);
                let instance = *self.instances.get(id);
                let first = instance.first + instance.statements + instance.operands;
                let mut operands = std::mem::take(&mut self.operands);
                operands.clear();
                let read = add_effect(ranges, first, &mut operands);
                if !self.is_muted {
                    self.accesses += operands.len() as u64;
                    *self.effects.entry(id).or_default() += read;
                }
                self.record(&Record { iv, lane: None, count: 1, operands: &operands });
                self.operands = operands;
                self.objects.forget_streams(ranges);
            }
            (Happening::Allocated { is_new }, &[start, size, site]) => {
                self.objects.allocated(start, size, site);
                if is_new && let Some(walker) = &self.walker {
                    let observer = observer!(self, walker);
                    self.memory.forget(start, start.saturating_add(size), &observer);
                }
            }
            (Happening::Freed, &[start]) => self.objects.freed(start),
            _ => self.lost.note("a happening has its words"),
        }
    }

    /// Counts what happens in iterations that are taken as a number: `times` times.
    pub(crate) fn account_happening(&mut self, happening: Happening, words: &[u64], times: u64) {
        if let Happening::Effect(id) = happening {
            let mut operands = Vec::new();
            let read = add_effect(words, 0, &mut operands);
            self.accesses += times * operands.len() as u64;
            *self.effects.entry(id).or_default() += times * read;
        }
    }
}

/// Most bytes of a range that are read one by one.
const APART: u64 = 1 << 10;

/// The operands of a system call: reads are those of `first`, writes of the one after it. Gives how many bytes it reads.
///
/// Bytes are read one by one, so that as many flow dependences as bytes say that all of them were written before by somebody that is known; of long ranges
/// that is not known.
fn add_effect(ranges: &[u64], first: u32, operands: &mut Vec<Operand>) -> u64 {
    let mut read = 0u64;
    for Touched { start, length, write, mark } in touched(ranges) {
        if matches!(mark, Mark::Allocated | Mark::Resized | Mark::Freed) {
            continue;
        }
        if !write {
            read = read.saturating_add(length);
        }
        if write || length > APART {
            pieces(start, length, first + u32::from(write), write, operands);
        } else {
            (0..length).for_each(|at| pieces(start.wrapping_add(at), 1, first, false, operands));
        }
    }
    read
}
