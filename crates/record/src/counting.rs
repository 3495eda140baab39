//! The counters of a survey, and what they say.
//!
//! Definition: in a survey each translated block has a counter per way out of it, and each pair of an indirect transfer
//! and its target has one. Counters are read when the cache is cleared and at the end.
//!
//! Invariants: every counter belongs to one block or pair as long as the cache lives; reading sets it to zero. Limits:
//! counts of a block that a fault interrupts miss that execution.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use trace::sink::Mapping;
use trace::survey::{Stretch, Survey, Transfer, Way};

use crate::cache::{Cache, Site};
use crate::shared::{COUNTERS, Shared, counter};
use crate::translate::{Counters, Edge, OwnLoop};

/// Most counters one block may need.
const MOST: u32 = 8;

/// A block whose counters run.
struct Block {
    counters: Counters,
    end: u64,
}

/// A translated indirect transfer to one target.
struct Pair {
    from: u64,
    to: u64,
    way: Way,
    counter: u32,
}

/// A survey in the making.
#[derive(Default)]
pub(crate) struct Counting {
    free: u32,
    blocks: Vec<Block>,
    pairs: Vec<Pair>,
    /// Counters of loops of which one entry was seen in parts.
    torn: FxHashSet<u32>,
    stretches: BTreeMap<(u64, u64), Stretch>,
    transfers: FxHashMap<(u64, u64, Way), u64>,
    entries: Vec<u64>,
    mappings: Vec<Mapping>,
    /// Instructions forgotten since other code lies in their place.
    replaced: u64,
}

impl Counting {
    /// First free counter and number of the next block.
    pub(crate) fn next(&self) -> (u32, u32) {
        (self.free, self.blocks.len() as u32)
    }

    /// Whether no counters are left.
    pub(crate) fn is_full(&self) -> bool {
        // A miss translates several blocks.
        self.free as usize + 1024 * MOST as usize > COUNTERS
    }

    /// A block was translated.
    pub(crate) fn block(&mut self, counters: Counters, end: u64, state: &Shared) {
        if let Some(own) = counters.own {
            state.set_word(counter(own.counter + 1) as usize, u64::MAX);
        }
        let used = counters.exits.iter().map(|e| e.0 + 1).chain(counters.own.map(|o| o.counter + 3)).max();
        self.free = self.free.max(used.unwrap_or(0));
        self.blocks.push(Block { counters, end });
    }

    /// A function was entered.
    pub(crate) fn function(&mut self, entry: u64) {
        self.entries.push(entry);
    }

    /// An executable mapping appeared. What lay there before is forgotten.
    pub(crate) fn mapping(&mut self, mapping: Mapping) {
        let base = |m: &Mapping| m.start.wrapping_sub(m.offset);
        let other = self.mappings.iter().any(|m| {
            m.start < mapping.end
                && mapping.start < m.end
                && (m.path != mapping.path || base(m) != base(&mapping))
        });
        if other {
            let inside = |pc: u64| (mapping.start..mapping.end).contains(&pc);
            self.stretches.retain(|&(start, _), s| {
                if inside(start) {
                    self.replaced += s.executions.saturating_mul(s.instrs.len() as u64);
                }
                !inside(start)
            });
            self.transfers.retain(|&(from, ..), _| !inside(from));
            self.entries.retain(|&entry| !inside(entry));
            self.mappings.retain(|m| m.end <= mapping.start || mapping.end <= m.start);
        }
        if !self.mappings.contains(&mapping) {
            self.mappings.push(mapping);
        }
    }

    /// Number of instructions whose counts were forgotten.
    pub(crate) fn replaced(&self) -> u64 {
        self.replaced
    }

    /// The indirect transfer with number `site` led to `target` over the recorder. Later arrivals are to be counted in
    /// the returned counter.
    pub(crate) fn arrived(&mut self, cache: &mut Cache, edge: Edge, site: u64, target: u64) {
        let Some(block) = self.blocks.get(site as usize) else { return };
        let (from, way) = (block.end, if edge == Edge::Call { Way::Call } else { Way::IndirectJump });
        *self.transfers.entry((from, target, way)).or_default() += 1;
        let number = site as u32;
        let counter = self.free;
        if cache.sieve(edge, false, target, Some(Site { number, counter })) {
            self.pairs.push(Pair { from, to: target, way, counter });
            self.free += 1;
        }
    }

    /// Part of an entry of a loop has run: `iterations` of it are complete.
    pub(crate) fn tear(&mut self, own: OwnLoop, iterations: u64, state: &Shared) {
        let at = counter(own.counter) as usize;
        state.set_word(at, state.word(at).wrapping_add(iterations));
        self.torn.insert(own.counter);
    }

    /// Takes what the counters say, and starts anew.
    pub(crate) fn collect(&mut self, state: &Shared) {
        let take = |index: u32| {
            let at = counter(index) as usize;
            let value = state.word(at);
            if value != 0 {
                state.set_word(at, 0);
            }
            value
        };
        let mut add = |from: u64, to: u64, way: Way, count: u64| {
            if count > 0 {
                *self.transfers.entry((from, to, way)).or_default() += count;
            }
        };
        for pair in self.pairs.drain(..) {
            let count = take(pair.counter);
            add(pair.from, pair.to, pair.way, count);
        }
        for block in self.blocks.drain(..) {
            let Counters { instrs, exits, own, continues } = block.counters;
            let Some(&start) = instrs.first() else { continue };
            let mut executions = 0;
            for (index, to) in exits {
                let count = take(index);
                executions += count;
                if let Some((to, way)) = to {
                    add(block.end, to, way, count);
                }
            }
            let mut trips = None;
            if let Some(own) = own {
                let (iterations, least, most) =
                    (take(own.counter), take(own.counter + 1), take(own.counter + 2));
                add(block.end, start, Way::Jump, iterations.saturating_sub(executions));
                trips = (!self.torn.contains(&own.counter) && most > 0).then_some((least, most));
                executions = iterations;
            }
            if executions == 0 {
                continue;
            }
            let known = self.stretches.entry((start, block.end)).or_insert_with(|| Stretch {
                instrs,
                end: block.end,
                executions: 0,
                continues,
                trips,
            });
            if known.executions > 0 {
                known.trips = known.trips.zip(trips).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1)));
            }
            known.executions += executions;
        }
        self.torn.clear();
        self.free = 0;
    }

    /// The whole survey, after the last [`Counting::collect`].
    pub(crate) fn finish(self) -> Survey {
        let mut transfers: Vec<Transfer> = self
            .transfers
            .into_iter()
            .map(|((from, to, way), count)| Transfer { from, to, way, count })
            .collect();
        transfers.sort_unstable();
        Survey {
            mappings: self.mappings,
            entries: self.entries,
            stretches: self.stretches.into_values().collect(),
            transfers,
        }
    }
}
