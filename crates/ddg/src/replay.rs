//! The engine's side of repeating iterations (see [`crate::repeats`]): what is counted instead of applied, and catching up.

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use shadow::{Iv, Later};

use crate::contexts::ContextId;
use crate::engine::Engine;
use crate::happenings::Happening;
use crate::repeats::{Arrival, Due, Entry};

/// Fewest complete iterations that are taken as a number; catching up applies two of them.
const WORTH: u64 = 4;
/// Fewest words of iterations that memory is moved for instead of applying two of them.
const FEWEST_WORDS: usize = 1 << 12;
/// Bytes of memory that are moved as fast as one word of an iteration is applied, about.
const BYTES_PER_WORD: usize = 256;

impl Engine {
    /// `count` executions of a path in consecutive iterations from `iv` on. `words` are those of all iterations, one
    /// after the other; of the first one alone if the path is a folded block; or of the first two if the words of all advance
    /// as from the first to the second.
    pub(crate) fn run(&mut self, id: u32, iv: Iv, count: u64, words: &[u64]) {
        if self.tracing.is_some() && !words.is_empty() {
            return self.trace(id, count, words);
        }
        self.note_turn(id, &iv);
        let Some(path) = self.paths.get(id).filter(|_| !words.is_empty()) else { return };
        if path.is_given_up {
            return self.skip(id, iv, count, words);
        }
        self.budget.is_skipping = false;
        if !self.counts || path.flat {
            self.interrupt();
            return self.apply(id, iv, count, words);
        }
        let (context, dims) = (path.context, usize::from(path.dims));
        let grows = path.folded.is_none() && dims > 0 && words.len() == count as usize * path.length;
        let arrival = Arrival { path: id, context, dims, iv: &iv, count, words, grows };
        self.budget.add(1);
        if self.is_counted(&arrival) {
            return;
        }
        self.repeats.push(&arrival);
        self.apply(id, iv, count, words);
    }

    /// Whether an execution repeats one of the iteration before, so that counting it is enough for now.
    pub(crate) fn is_counted(&mut self, arrival: &Arrival) -> bool {
        if self.repeats.is_counting() {
            if self.repeats.counts(arrival) {
                return true;
            }
            self.resume();
        }
        let latest = self.repeats.context();
        let common = match latest == arrival.context {
            true => arrival.dims,
            false => usize::from(self.contexts.common(latest, arrival.context)),
        };
        let tracking = self.repeats.tracking();
        let ended = self.repeats.arrive(arrival, common);
        if let Some(dim) = ended {
            if self.can_repeat(dim) {
                let is_path = |entry: &Entry| Happening::of(entry.path).is_none();
                let each = |entry: Entry| Some(entry.count * self.paths.get(entry.path)?.instructions);
                let instructions = self.repeats.ended(dim).filter(is_path).filter_map(each).sum();
                self.repeats.count(dim, instructions);
                if self.repeats.counts(arrival) {
                    return true;
                }
                self.resume();
            } else {
                self.repeats.refuse(dim);
            }
        }
        // The iteration after one that was tracked may be tracked too.
        if ended.is_some() || self.repeats.tracking() != tracking {
            self.streams.track(self.repeats.tracked());
        }
        false
    }

    /// What is to come does more than follow paths: everything due is applied, and no iteration goes on over it.
    pub(crate) fn interrupt(&mut self) {
        self.leave_verbatim();
        self.resume();
        self.repeats.clear();
        self.streams.track(None);
    }

    /// Catches up with what was counted.
    ///
    /// Iterations taken as a number extend the folds and counts. Where all differences stay, that is all there is to say of them, and
    /// memory and registers are moved on by as many iterations ([`shadow::Later`]). Otherwise the last but one of them is applied to
    /// memory and registers alone, so that the last one, applied in full, finds the state that it would have found. Its dependences bound
    /// those of all that were counted, since differences grow with the iterations or stay.
    pub(crate) fn resume(&mut self) {
        let Some(due) = self.repeats.due() else { return };
        self.verbatim.stop();
        self.is_late = true;
        let complete = due.complete();
        let one_by_one = complete < WORTH;
        if one_by_one {
            for later in 1..=complete {
                self.apply_all(due.iteration(later));
            }
        } else if self.move_on(&due) {
            self.add_iterations(&due, complete, true);
        } else {
            self.add_iterations(&due, complete - 1, false);
            self.is_muted = true;
            self.apply_all(due.iteration(complete - 1));
            self.is_muted = false;
            self.apply_all(due.iteration(complete));
        }
        self.apply_all(due.incomplete());
        self.is_late = false;
        self.streams.track(None);
        self.repeats.caught_up(due, one_by_one);
    }

    /// Moves memory and registers on by the complete iterations, if that is all that these change, and is cheaper than applying two of
    /// them.
    fn move_on(&mut self, due: &Due) -> bool {
        let dim = due.dim();
        let is_long = || self.memory.bytes() / BYTES_PER_WORD <= due.words();
        let is_worth = self.always_moves || due.words() >= FEWEST_WORDS && is_long();
        let Ok(by) = i64::try_from(due.complete()) else { return false };
        if !is_worth || self.has_threads() || !self.streams.are_foreseen() {
            return false;
        }
        let Some(around) = due.iteration(1).find_map(|(_, entry)| self.loop_of(&entry, dim)) else {
            return false;
        };
        // Statements are few and asked for over and over.
        let known: RefCell<FxHashMap<ContextId, bool>> = RefCell::default();
        let is_inside = |statement: u32| {
            let context = self.instances.owner(statement).context;
            *known.borrow_mut().entry(context).or_insert_with(|| self.contexts.is_within(context, around))
        };
        let later = Later { dim, latest: due.latest(), by, is_inside: &is_inside };
        if !self.memory.move_on(&later) {
            return false;
        }
        self.registers.move_on(&later);
        true
    }

    /// The loop of a dimension around an entry of the log.
    fn loop_of(&self, entry: &Entry, dim: usize) -> Option<ContextId> {
        let context = self.paths.get(entry.path)?.context;
        self.contexts
            .loops(context)
            .into_iter()
            .find(|at| usize::from(self.contexts.get(*at).dims) == dim + 1)
    }

    /// Whether every execution of a path comes with words of its own.
    fn has_all_words(&self, entry: &Entry) -> bool {
        let path = self.paths.get(entry.path).filter(|path| path.folded.is_none());
        path.is_some_and(|path| entry.words.len() == entry.count as usize * path.length)
    }

    fn apply_all<'a>(&mut self, entries: impl Iterator<Item = (Iv, Entry<'a>)>) {
        for (iv, entry) in entries {
            let Entry { path, count, words, .. } = entry;
            if let Some(happening) = Happening::of(path) {
                self.apply_happening(happening, words, iv);
                continue;
            }
            let Some(lane) = entry.lane().filter(|_| count > 1 && self.has_all_words(&entry)) else {
                self.apply(path, iv, count, words);
                continue;
            };
            // As they come: one execution ends the path that the others then repeat.
            self.apply(path, iv, 1, entry.part(0, 1));
            self.apply(path, iv.advanced(lane, 1), count - 1, entry.part(1, count - 1));
        }
    }

    /// Whether all folds that the latest iteration of a dimension added to take further ones as a number.
    fn can_repeat(&mut self, dim: usize) -> bool {
        let is_path = |id: &u32| Happening::of(*id).is_none();
        let mut ids: Vec<u32> = self.repeats.ended(dim).map(|entry| entry.path).filter(is_path).collect();
        ids.sort_unstable();
        ids.dedup();
        let all = ids.into_iter().all(|id| {
            let Some(mut path) = self.paths.take(id) else { return false };
            let is_ready = match &path.split {
                Some(split) => self.shared.all_of(split, |seen| seen.can_repeat(dim)),
                None => path.seen.can_repeat(dim),
            };
            self.paths.put(id, path);
            is_ready
        });
        all && self.streams.can_repeat(dim)
    }

    /// Adds `times` iterations to folds and counts; unless they are the last ones, another one like them follows.
    fn add_iterations(&mut self, due: &Due, times: u64, are_last: bool) {
        let mut executions: FxHashMap<u32, u64> = FxHashMap::default();
        for (_, entry) in due.iteration(1) {
            if let Some(happening) = Happening::of(entry.path) {
                self.account_happening(happening, entry.words, times);
                continue;
            }
            *executions.entry(entry.path).or_default() += entry.count;
        }
        let dim = due.dim();
        let last = due.coordinate().saturating_add(i64::try_from(times).unwrap_or(i64::MAX));
        let last = are_last.then_some(last);
        let mut blocks: FxHashMap<u32, u64> = FxHashMap::default();
        for (id, count) in executions {
            let Some(mut path) = self.paths.take(id) else { continue };
            self.account(&mut path, times * count);
            path.repeats += times * (path.repeats - path.noted.1);
            match &path.split {
                Some(split) => split.blocks().for_each(|block| *blocks.entry(block).or_default() += count),
                None => path.seen.repeat(dim, times, count, last),
            }
            self.paths.put(id, path);
        }
        for (block, count) in blocks {
            self.shared.executions(block).repeat(dim, times, count, last);
        }
        self.streams.repeat(dim, due.coordinate(), times, are_last);
    }
}
