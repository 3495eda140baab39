//! Iterations of which the records repeat those of the iteration before, word for word.
//!
//! What [`crate::repeats`] counts has been cut into paths before, which takes some hundred instructions a path. Once iterations are
//! counted and the records of a whole one are known, the records of those that follow are compared with them as they come: equal
//! records, from an equal state, lead to the same executions one iteration later, and to an equal state again.
//!
//! Invariant: while records are compared, everything is as it was where the first of the compared iterations begins, with the walker
//! at the header of the loop. Whatever looks at more calls [`Engine::leave_verbatim`] before: all complete iterations but the last are
//! taken as a number, the last and the incomplete one are taken record by record.
//!
//! Limits: one thread; iterations that begin inside a record of several blocks are not seen to begin.

use rustc_hash::FxHashMap;

use crate::code::OwnAccesses;
use crate::contexts::ContextId;
use crate::engine::{Engine, LoopCount};
use crate::walker::Event;

/// Most iterations that are let pass before the next attempt, as a power of two.
const LONGEST_WAIT: u32 = 10;

/// What is counted besides executions.
#[derive(Debug, Default)]
struct Tally {
    loops: FxHashMap<ContextId, LoopCount>,
    own: OwnAccesses,
    work: u64,
}

/// See the module.
#[derive(Debug, Default)]
enum State {
    #[default]
    Off,
    /// The records of an iteration are noted: the words so far, where those of the present slice begin, the number of iterations
    /// that were complete before, and what had been counted then.
    Noting { words: Vec<u64>, from: usize, complete: u64, before: Tally },
    /// Records are compared: those of an iteration, how many words of them have come again, after how many complete iterations, and
    /// what one of those counts.
    Comparing { words: Vec<u64>, at: usize, complete: u64, each: Tally },
}

/// See the module.
#[derive(Debug, Default)]
pub struct Verbatim {
    state: State,
    /// Attempts that compared next to nothing, one after the other, and iterations to let pass before the next.
    failed: u32,
    wait: u64,
}

impl Verbatim {
    /// About how many bytes are used.
    pub fn bytes(&self) -> usize {
        match &self.state {
            State::Off => 0,
            State::Noting { words, .. } | State::Comparing { words, .. } => words.len() * size_of::<u64>(),
        }
    }

    /// Complete iterations that have been compared and not been counted.
    pub fn complete(&self) -> u64 {
        match self.state {
            State::Comparing { complete, .. } => complete,
            _ => 0,
        }
    }

    /// The slice ends of which records are noted.
    pub fn end_slice(&mut self, slice: &[u64]) {
        if let State::Noting { words, from, .. } = &mut self.state {
            words.extend_from_slice(slice.get(*from..).unwrap_or_default());
            *from = 0;
        }
    }

    /// Nothing is counted any more; nothing may be being compared.
    pub fn stop(&mut self) {
        self.state = State::Off;
    }
}

impl Engine {
    /// The walker has just come to the record at `at`. If an iteration begins there that may repeat the one before, compares. Returns
    /// how many words of the slice were taken in; if none, the record at `at` is to be taken as usual.
    pub(crate) fn begin_verbatim(&mut self, slice: &[u64], at: usize) -> usize {
        let Some((dim, complete, length)) = self.repeats.between_iterations() else { return 0 };
        let Some(walker) = &self.walker else { return 0 };
        let Some(&Event::Iterate(context)) = walker.events.last() else { return 0 };
        let node = self.contexts.get(context);
        let is_boundary = usize::from(node.dims) == dim + 1 && !node.flat && walker.context() == context;
        if !is_boundary || self.marks.is_inside || !self.pending.is_empty() || self.has_threads() {
            return 0;
        }
        match std::mem::take(&mut self.verbatim.state) {
            State::Noting { mut words, from, complete: earlier, before } if complete == earlier + 1 => {
                words.extend_from_slice(&slice[from..at]);
                let each = self.tally_since(&before);
                self.verbatim.state = State::Comparing { words, at: 0, complete: 0, each };
                let taken = self.compare(&slice[at..]);
                // What was taken in may have begun another attempt: its records go on behind.
                if let State::Noting { from, .. } = &mut self.verbatim.state {
                    *from = at + taken;
                }
                taken
            }
            _ => {
                // Taking a tally costs as much as comparing so many words.
                let is_worth = complete.saturating_mul(length as u64) >= 2 * self.loops.len() as u64;
                if is_worth && self.verbatim.wait == 0 {
                    let before = Tally {
                        loops: self.loops.clone(),
                        own: self.main_accesses,
                        work: self.budget.work(),
                    };
                    self.verbatim.state = State::Noting { words: Vec::new(), from: at, complete, before };
                }
                self.verbatim.wait = self.verbatim.wait.saturating_sub(1);
                0
            }
        }
    }

    fn tally_since(&self, before: &Tally) -> Tally {
        let more = |(context, now): (&ContextId, &LoopCount)| {
            let then = before.loops.get(context).copied().unwrap_or_default();
            let more = LoopCount {
                entries: now.entries - then.entries,
                iterations: now.iterations - then.iterations,
            };
            (more.iterations > 0).then_some((*context, more))
        };
        let own = OwnAccesses {
            all: self.main_accesses.all - before.own.all,
            folded: self.main_accesses.folded - before.own.folded,
            partly: self.main_accesses.partly - before.own.partly,
        };
        let work = self.budget.work() - before.work;
        Tally { loops: self.loops.iter().filter_map(more).collect(), own, work }
    }

    /// Compares the records of a slice. Returns how many words of it were taken in; those behind them are to be taken as usual.
    pub(crate) fn compare(&mut self, slice: &[u64]) -> usize {
        let State::Comparing { words, at, complete, .. } = &mut self.verbatim.state else { return 0 };
        let mut used = 0;
        while used < slice.len() {
            let count = (words.len() - *at).min(slice.len() - used);
            if words[*at..*at + count] != slice[used..used + count] {
                self.leave_verbatim();
                return used;
            }
            used += count;
            *at += count;
            if *at == words.len() {
                (*at, *complete) = (0, *complete + 1);
            }
        }
        used
    }

    /// Takes in what was only compared.
    pub(crate) fn leave_verbatim(&mut self) {
        let State::Comparing { words, at, complete, each } = std::mem::take(&mut self.verbatim.state) else {
            return;
        };
        if complete > 1 {
            self.verbatim.failed = 0;
        } else {
            self.verbatim.failed = (self.verbatim.failed + 1).min(LONGEST_WAIT);
            self.verbatim.wait = (1 << self.verbatim.failed) - 1;
        }
        self.marks.clear();
        self.last_path = None;
        if complete == 0 {
            self.take_records_from(&words[..at], true);
            // Marks are places in these words; the slice goes on in its own.
            self.marks.clear();
            return;
        }
        let counted = complete - 1;
        self.repeats.count_more(counted);
        for (context, more) in each.loops {
            let count = self.loops.entry(context).or_default();
            count.entries = count.entries.saturating_add(more.entries.saturating_mul(counted));
            count.iterations = count.iterations.saturating_add(more.iterations.saturating_mul(counted));
        }
        self.main_accesses.add(each.own, counted);
        self.budget.add(usize::try_from(each.work.saturating_mul(counted)).unwrap_or(usize::MAX));
        if let Some(walker) = &mut self.walker {
            walker.advance(&self.contexts, i64::try_from(counted).unwrap_or(i64::MAX));
            self.start_iv = *walker.iv();
        }
        self.take_records_from(&words, true);
        self.marks.clear();
        self.take_records_from(&words[..at], false);
        self.marks.clear();
    }
}
