//! What threads pass to each other through memory.
//!
//! Definition: a dependence between threads is one whose ends were executed by different threads. It has no loop in common, is kept apart from
//! all others and counted. A loop *exchanges* data if it has one end inside while an activation of it lasts that began before the other end was executed: then
//! what one iteration hands to another thread may come back to a later one, and nothing is claimed about the loop. A loop that only reads what was written
//! before it began, or writes what is read after its end, does not.
//!
//! Invariants: time is counted in turns of threads ([`Exchange::turn`]); one thread runs in each. Only loops that were active when their
//! thread passed the turn can exchange. When an end was executed is known to the turn, for loops by the vectors with which their turns
//! began, else by block; by both where an iteration may take several turns. Where that is not certain, it is taken to be late, which marks more.

use std::cmp::Ordering;

use rustc_hash::{FxHashMap, FxHashSet};
use shadow::Iv;

use crate::contexts::{ContextId, Contexts};
use crate::paths::InstanceId;

/// Most turns kept of a loop; of more, neighbours are joined.
const MOST: usize = 1 << 12;

/// An activation of a loop that lasts while other threads run.
#[derive(Debug, Clone, Copy)]
struct Standing {
    context: ContextId,
    /// Dimensions of the loops around it, and a vector that tells its activation from others by them.
    outer: usize,
    iv: Iv,
    /// The turn it began in.
    turn: u32,
}

impl Standing {
    fn is_around(&self, contexts: &Contexts, context: ContextId, iv: &Iv) -> bool {
        iv.0[..self.outer] == self.iv.0[..self.outer] && contexts.is_inside(context, self.context)
    }
}

/// See the module.
#[derive(Debug, Default)]
pub struct Exchange {
    turn: u32,
    /// By number of a thread's context tree.
    standing: FxHashMap<u32, Vec<Standing>>,
    /// The first vector of each turn in which a loop was executed.
    loops: FxHashMap<ContextId, Vec<(u32, Iv)>>,
    /// The latest turn in which a block outside of loops was.
    blocks: FxHashMap<InstanceId, u32>,
    /// Loops of which one iteration may take several turns, in ways that matter: from a turn on their own blocks are followed one by one.
    fine: FxHashMap<ContextId, u32>,
    /// The first vector of each turn in which a block of such a loop was executed.
    in_fine: FxHashMap<InstanceId, Vec<(u32, Iv)>>,
    /// Loops of which turns were joined.
    joined: FxHashSet<ContextId>,
    dependences: u64,
    marked: FxHashSet<ContextId>,
    /// Loops that were found to exchange since the last call of [`Exchange::marks`].
    fresh: Vec<ContextId>,
}

impl Exchange {
    /// Number of the turn; 0 as long as there was one thread.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// Dependences between threads.
    pub fn dependences(&self) -> u64 {
        self.dependences
    }

    /// The turn passes from a thread, numbered by its tree of contexts, which is in a context at a vector, if it has begun.
    pub fn pass(&mut self, contexts: &Contexts, thread: u32, at: Option<(ContextId, &Iv)>) {
        let before = self.standing.remove(&thread).unwrap_or_default();
        if let Some((context, iv)) = at {
            let turn_of = |context: ContextId, outer: usize| {
                let same = |s: &&Standing| s.context == context && s.iv.0[..outer] == iv.0[..outer];
                match before.iter().find(same) {
                    Some(standing) => standing.turn,
                    // Contexts were replaced: it may have begun at any time.
                    None if contexts.has_aliases() => 0,
                    None => self.turn,
                }
            };
            let standing = |context: ContextId| {
                let outer = usize::from(contexts.get(context).dims) - 1;
                Standing { context, outer, iv: *iv, turn: turn_of(context, outer) }
            };
            let all = contexts.loops(context).into_iter().map(standing).collect();
            self.standing.insert(thread, all);
        }
        self.turn = self.turn.saturating_add(1);
    }

    /// From now on the blocks of some loops are followed one by one.
    pub fn refine(&mut self, loops: impl IntoIterator<Item = ContextId>) {
        for context in loops {
            self.fine.entry(context).or_insert(self.turn);
        }
    }

    /// A loop, or blocks outside of loops, are executed, from a vector on.
    pub fn executes(&mut self, innermost: Option<ContextId>, blocks: &[InstanceId], iv: &Iv) {
        let Some(innermost) = innermost else {
            self.blocks.extend(blocks.iter().map(|&block| (block, self.turn)));
            return;
        };
        let mut is_joined = add(self.loops.entry(innermost).or_default(), self.turn, iv);
        if self.fine.contains_key(&innermost) {
            for &block in blocks {
                is_joined |= add(self.in_fine.entry(block).or_default(), self.turn, iv);
            }
        }
        if is_joined {
            self.joined.insert(innermost);
        }
    }

    /// The turn in which a block was executed at a vector.
    pub fn turn_of(&self, contexts: &Contexts, of: (InstanceId, ContextId, &Iv)) -> u32 {
        self.latest_turn_of(contexts, of).0
    }

    /// The same; and whether it may have been an earlier one, as there were too many to keep them all.
    pub fn latest_turn_of(
        &self,
        contexts: &Contexts,
        (block, context, iv): (InstanceId, ContextId, &Iv),
    ) -> (u32, bool) {
        let Some(&innermost) = contexts.loops(context).last() else {
            return (self.blocks.get(&block).copied().unwrap_or(0), false);
        };
        let dims = usize::from(contexts.get(innermost).dims);
        let of = |turns: &[(u32, Iv)]| {
            let began =
                turns.partition_point(|(_, first)| first.0[..dims].cmp(&iv.0[..dims]) != Ordering::Greater);
            began.checked_sub(1).map(|at| turns[at].0)
        };
        let Some(turns) = self.loops.get(&innermost) else { return (0, false) };
        let is_joined = self.joined.contains(&innermost);
        if let Some(&refined) = self.fine.get(&innermost) {
            let own = self.in_fine.get(&block).and_then(|own| of(own));
            // It was executed before its loop was followed so.
            let before = || of(&turns[..turns.partition_point(|(turn, _)| *turn <= refined)]);
            if let Some(turn) = own.or_else(before) {
                return (turn, is_joined);
            }
        }
        (of(turns).unwrap_or(0), is_joined)
    }

    /// Counts so many dependences between threads.
    pub fn count(&mut self, count: u64) {
        self.dependences = self.dependences.saturating_add(count);
    }

    /// Notes so many dependences between threads: `source` and `sink` are a block, its context and a vector, the latest one of the source.
    pub fn note(
        &mut self,
        contexts: &Contexts,
        source: (InstanceId, ContextId, &Iv),
        sink: (ContextId, &Iv),
        count: u64,
    ) {
        self.count(count);
        let turn = self.turn_of(contexts, source);
        for (context, iv) in [(source.1, source.2), sink] {
            let standing = self.standing.get(&contexts.get(context).thread).into_iter().flatten();
            let around = standing.filter(|s| s.turn <= turn && s.is_around(contexts, context, iv));
            for standing in around {
                if self.marked.insert(standing.context) {
                    self.fresh.push(standing.context);
                }
            }
        }
    }

    /// Loops that were found to exchange.
    pub fn marked(&self) -> impl Iterator<Item = ContextId> {
        self.marked.iter().copied()
    }

    /// Loops that were found to exchange since the last call.
    pub fn marks(&mut self) -> Vec<ContextId> {
        std::mem::take(&mut self.fresh)
    }
}

/// Adds a turn that begins with a vector to those of a loop or block; returns whether others were joined for it.
fn add(turns: &mut Vec<(u32, Iv)>, turn: u32, iv: &Iv) -> bool {
    if turns.last().is_some_and(|last| last.0 == turn) {
        return false;
    }
    let is_full = turns.len() >= MOST;
    if is_full {
        *turns = turns.chunks(2).map(|two| (two[two.len() - 1].0, two[0].1)).collect();
    }
    turns.push((turn, *iv));
    is_full
}
