//! Time for the analysis: as it runs out, the loops that take most of it are given up, the others go on as before.
//!
//! Definition: when a half of the time is used, then three quarters, and so on, the work since the mark before is looked at loop
//! by loop, and the loops that took most of it are given up until half of it belongs to loops that are. Executions in a
//! loop that was given up are counted, and bounded by a box of their vectors and a range per address; they are not looked up in
//! memory. Code of such a loop is to the loops around it what code that was not recorded is: nothing is claimed about their
//! iterations ([`Contexts::mark_gap`]). Loops that contain none have all their dependences; what is known of memory and
//! where registers were written stays.
//!
//! Work is counted in accesses, labels and register reads that are handed on, a run of them counting as one. So which loops are
//! given up at a mark depends on the records up to it alone; when the mark is reached, on the clock.
//!
//! Limits: work outside all loops cannot be given up, nor can following the control flow of loops. Where that takes the time,
//! the analysis ends at the limit.
//!
//! [`Contexts::mark_gap`]: crate::contexts::Contexts::mark_gap

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use profile::Gap;
use rustc_hash::FxHashSet;
use shadow::Iv;

use crate::contexts::ContextId;
use crate::engine::Engine;
use crate::paths::Path;

/// Number of marks: at a half, three quarters, … of what is allowed.
const MARKS: u32 = 5;

/// What the analysis may use.
#[derive(Debug, Clone, Copy)]
enum Allowance {
    Time {
        start: Instant,
        limit: Duration,
    },
    /// Units of work, so that tests do not depend on a clock.
    Work(u64),
}

/// Where the analysis stands with what it may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reached {
    /// Another mark.
    Mark,
    /// The end.
    End,
}

/// What the analysis may use, and what was given up for it.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    allowance: Option<Allowance>,
    /// Marks reached.
    marks: u32,
    /// Work so far.
    work: u64,
    /// Work at the latest mark.
    at_mark: u64,
    /// Loops given up, as they were.
    pub given_up: Vec<ContextId>,
    is_given_up: FxHashSet<ContextId>,
    /// The latest executions belong to loops that were given up.
    pub is_skipping: bool,
}

impl Budget {
    /// So much time from now on.
    pub fn of_time(limit: Duration) -> Budget {
        Budget { allowance: Some(Allowance::Time { start: Instant::now(), limit }), ..Budget::default() }
    }

    /// So much work.
    pub fn of_work(limit: u64) -> Budget {
        Budget { allowance: Some(Allowance::Work(limit)), ..Budget::default() }
    }

    /// Whether a mark or the end was reached since the latest call; several marks at once count as one.
    pub fn reached(&mut self) -> Option<Reached> {
        let (used, limit) = match self.allowance? {
            Allowance::Time { start, limit } => (start.elapsed().as_nanos(), limit.as_nanos()),
            Allowance::Work(limit) => (u128::from(self.work), u128::from(limit)),
        };
        let left = limit.saturating_sub(used);
        if left == 0 {
            return Some(Reached::End);
        }
        let marks = (1..=MARKS).take_while(|mark| left <= limit >> mark).count() as u32;
        let is_new = marks > self.marks;
        self.marks = self.marks.max(marks);
        is_new.then_some(Reached::Mark)
    }

    /// Counts work.
    #[inline]
    pub fn add(&mut self, units: usize) {
        self.work += units as u64;
    }

    /// Work so far.
    #[inline]
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Whether a loop was given up.
    pub fn has_given_up(&self, context: ContextId) -> bool {
        self.is_given_up.contains(&context)
    }
}

impl Engine {
    /// Gives up the loops that took most of the work since the latest mark, until half of it belongs to loops that are.
    pub(crate) fn give_up_loops(&mut self) {
        self.interrupt();
        let mut costs = self.paths.take_work();
        let half = (self.budget.work - self.budget.at_mark).div_ceil(2);
        self.budget.at_mark = self.budget.work;
        let (known, mut others): (Vec<_>, Vec<_>) =
            costs.drain(..).partition(|cost| self.budget.has_given_up(cost.0));
        let mut given_up: u64 = known.iter().map(|cost| cost.1).sum();
        others.sort_unstable_by_key(|&(context, work)| (Reverse(work), context));
        for (context, work) in others.into_iter().take_while(|cost| cost.1 > 0) {
            if given_up >= half {
                break;
            }
            given_up += work;
            self.give_up_loop(context);
        }
    }

    fn give_up_loop(&mut self, context: ContextId) {
        self.contexts.mark_gap(context, Gap::GivenUp);
        self.budget.given_up.push(context);
        self.budget.is_given_up.insert(context);
        for id in self.paths.of_loop(context).to_vec() {
            let Some(mut path) = self.paths.take(id) else { continue };
            if let Some(split) = &path.split {
                split.blocks().for_each(|block| self.shared.executions(block).give_up());
            }
            path.seen.give_up();
            path.is_given_up = true;
            self.paths.put_counted(id, path);
        }
    }

    /// Counts and bounds `count` executions of a path of a loop that was given up; the registers they leave are kept.
    pub(crate) fn skip(&mut self, id: u32, iv: Iv, count: u64, words: &[u64]) {
        if !std::mem::replace(&mut self.budget.is_skipping, true) {
            // What the log holds would no longer be all that touched registers.
            self.interrupt();
        }
        let Some(mut path) = self.paths.take(id) else { return };
        self.budget.work += 1;
        path.work += 1;
        self.account(&mut path, count);
        if !path.flat {
            self.bound(&mut path, iv, count, words);
        }
        let lane = path.dims.checked_sub(1).filter(|_| !path.flat);
        self.is_muted = true;
        self.registers_of(&mut path, iv, (count, 1), lane, words);
        self.is_muted = false;
        self.paths.put(id, path);
    }

    /// Takes executions into the boxes of a path.
    fn bound(&mut self, path: &mut Path, iv: Iv, count: u64, words: &[u64]) {
        let dims = usize::from(path.dims);
        let last = match dims.checked_sub(1) {
            Some(lane) => iv.advanced(lane, count as i64 - 1),
            None => iv,
        };
        let (low, high) = (&iv.0[..dims], &last.0[..dims]);
        match &path.split {
            Some(split) => split.blocks().for_each(|b| self.shared.executions(b).bound(low, high, count)),
            None => path.seen.bound(low, high, count),
        }
        let advance = path.folded.as_ref().filter(|_| count > 1).map(|folded| folded.advance(words));
        for (k, &column) in path.columns.iter().enumerate() {
            let at = usize::from(column);
            let range = match &advance {
                Some(advance) => progression(words[at], advance[at], count),
                None => range(words, (at, path.length), count),
            };
            match &path.split {
                Some(split) => self.shared.bound_words(split, k, range),
                None => path.seen.bound_words(k, range),
            }
        }
    }
}

/// Smallest and largest of `count` words that advance by a constant.
fn progression(first: u64, advance: i64, count: u64) -> (i64, i64) {
    let (first, last) = (first as i64, first.wrapping_add((advance as u64).wrapping_mul(count - 1)) as i64);
    (first.min(last), first.max(last))
}

/// Smallest and largest word at a position of the executions: all of them, or the first two, as which the others advance.
fn range(words: &[u64], (at, length): (usize, usize), count: u64) -> (i64, i64) {
    let is_all = words.len() as u64 >= count.saturating_mul(length as u64);
    match words.get(at + length) {
        Some(second) if !is_all => progression(words[at], second.wrapping_sub(words[at]) as i64, count),
        _ => {
            let all = words[at..].iter().step_by(length.max(1)).take(count as usize);
            all.fold((i64::MAX, i64::MIN), |(low, high), &w| (low.min(w as i64), high.max(w as i64)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_come_once_each_and_the_end_stays() {
        let mut budget = Budget::of_work(1000);
        let mut seen = Vec::new();
        for _ in 0..1001 {
            seen.extend(budget.reached().map(|reached| (budget.work(), reached)));
            budget.add(1);
        }
        let marks = [500, 750, 875, 938, 969].map(|at| (at, Reached::Mark));
        assert_eq!(seen[..5], marks);
        assert_eq!(seen[5..], [(1000, Reached::End)]);
        assert_eq!(Budget::of_work(0).reached(), Some(Reached::End));
        assert_eq!(Budget::default().reached(), None);
    }

    #[test]
    fn ranges_of_all_words_and_of_two_that_stand_for_all() {
        assert_eq!(range(&[7, 1, 9, 2, 3, 3], (0, 2), 3), (3, 9));
        assert_eq!(range(&[7, 10, 9, 6], (1, 2), 5), (-6, 10));
        assert_eq!(progression(5, -2, 4), (-1, 5));
    }
}
