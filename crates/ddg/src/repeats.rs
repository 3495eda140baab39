//! Loops whose iterations repeat the one before.
//!
//! Many programs sweep over the same data again and again: time steps, epochs, repetitions of a measurement. There the
//! executions of one iteration of some loop (paths, inner counters, words: so all addresses) equal those of the iteration
//! before. What they depend on then follows without looking at memory:
//!
//! If iterations t−1 and t have the same executions, then after t every byte and register that they write was written last
//! in t, by the execution that wrote it last in t−1 during t−1; all others are as they were. So an iteration t+1 with the
//! same executions finds the writers (and the readers since) that t found, one iteration later where they lie in the loop
//! and were not older than t−1, the same ones elsewhere. By induction that holds for all that follow.
//!
//! The *log* is the sequence of executions, each as an entry: path, number of iterations, change of the vector since the
//! entry before, words. Consecutive runs of one path are one entry, however they arrive; so two iterations of a loop are
//! equal exactly if their entries are, word by word. When three in a row were (or two, the first like one counted before one that
//! differed), and the engine agrees that its folds can
//! take iterations as numbers ([`fold::Folder::can_repeat`]), executions are only compared with the log and counted, until
//! one differs. Then the engine catches up: see `Engine::resume`.
//!
//! Invariant: while iterations are being counted, nothing but comparing happens; whatever else touches the memory or the
//! registers calls `Engine::interrupt` before.
//!
//! Limits: iterations longer than a third of what the log may hold are not compared; nor are loops in which a shorter one was
//! counted.

use std::ops::Range;

use shadow::{Iv, MAX_DIMS};

use crate::contexts::ContextId;

/// Most words of the log, unless more memory is allowed.
const MOST: usize = 1 << 24;
/// Words that the log may have however little memory there is.
const LEAST: usize = 1 << 12;
/// The share of the memory allowed that the log may take.
const SHARE: usize = 2;
/// Iterations that must have equalled the one before for more to be counted.
const EQUAL: u32 = 2;
/// Words of an entry before the changes of its vector.
const HEAD: usize = 3;

/// Executions of a path in consecutive iterations, about to be applied.
#[derive(Debug, Clone, Copy)]
pub struct Arrival<'a> {
    /// The path.
    pub path: u32,
    /// Its context.
    pub context: ContextId,
    /// Dimensions of the context.
    pub dims: usize,
    /// Vector of the first execution.
    pub iv: &'a Iv,
    /// Number of executions, the innermost coordinate advancing by 1.
    pub count: u64,
    /// Their words.
    pub words: &'a [u64],
    /// Every execution has its own words, all of one length.
    pub grows: bool,
}

impl Arrival<'_> {
    /// Vector of the last execution.
    fn last(&self) -> Iv {
        last_of(self.iv, self.dims, self.count)
    }

    /// Whether it goes on in the iteration after `latest`.
    fn follows(&self, latest: &Iv) -> bool {
        self.dims.checked_sub(1).is_some_and(|lane| *self.iv == latest.advanced(lane, 1))
    }
}

/// An entry of the log.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// The path.
    pub path: u32,
    /// Number of executions.
    pub count: u64,
    /// Dimensions of its vectors.
    dims: usize,
    /// Difference of the first vector from the last one before.
    change: Iv,
    /// The words.
    pub words: &'a [u64],
}

impl<'a> Entry<'a> {
    /// The entry at an index, and the index of the next one.
    fn read(log: &'a [u64], at: usize) -> (Entry<'a>, usize) {
        let (path, mask, dims) = (log[at] as u32, log[at] >> 32 & 0xffff, (log[at] >> 48) as usize);
        let length = log[at + 2] as usize;
        let mut change = Iv::ZERO;
        let mut next = at + HEAD;
        for (q, x) in change.0.iter_mut().enumerate() {
            if mask >> q & 1 == 1 {
                *x = log[next] as i64;
                next += 1;
            }
        }
        let words = &log[next..next + length];
        (Entry { path, count: log[at + 1], dims, change, words }, next + length)
    }

    fn write(log: &mut Vec<u64>, arrival: &Arrival, latest: &Iv) {
        let change = arrival.iv.minus(latest);
        let mask = (0..MAX_DIMS).filter(|&q| change.0[q] != 0).fold(0u64, |mask, q| mask | 1 << q);
        let head = u64::from(arrival.path) | mask << 32 | (arrival.dims as u64) << 48;
        log.extend([head, arrival.count, arrival.words.len() as u64]);
        log.extend(change.0.iter().filter(|x| **x != 0).map(|x| *x as u64));
        log.extend_from_slice(arrival.words);
    }

    /// The innermost dimension.
    pub fn lane(&self) -> Option<usize> {
        self.dims.checked_sub(1)
    }

    /// The words of `count` executions after the first `done`, if each has its own.
    pub fn part(&self, done: u64, count: u64) -> &'a [u64] {
        let each = self.words.len() / self.count as usize;
        &self.words[done as usize * each..][..count as usize * each]
    }
}

/// Vector of the last of `count` executions.
fn last_of(iv: &Iv, dims: usize, count: u64) -> Iv {
    match dims.checked_sub(1) {
        Some(lane) => iv.advanced(lane, count as i64 - 1),
        None => *iv,
    }
}

/// Where the latest iterations of a loop stand in the log.
#[derive(Debug, Clone, Copy)]
struct Iterations {
    /// Start of the one before the current one, if it is there.
    previous: Option<usize>,
    /// Start of the current one.
    current: usize,
    /// How many in a row, up to the previous one, equal the one before.
    equal: u32,
    /// How often the engine could not take iterations as numbers.
    refused: u32,
    /// Iterations to wait for before it is asked again.
    wait: u32,
    /// The iteration that was counted last, start and end: mostly those after one that differs are like it again.
    counted: Option<(usize, usize)>,
}

impl Iterations {
    fn from(current: usize) -> Iterations {
        Iterations { previous: None, current, equal: 0, refused: 0, wait: 0, counted: None }
    }
}

/// Iterations being counted.
#[derive(Debug)]
struct Count {
    dim: usize,
    /// The iteration they repeat.
    pattern: Range<usize>,
    /// Vector of its last execution.
    base: Iv,
    /// Next entry, and how many executions of it have come.
    at: usize,
    done: u64,
    complete: u64,
    /// Instructions of an iteration.
    instructions: u64,
}

/// See the module.
#[derive(Debug)]
pub struct Repeats {
    log: Vec<u64>,
    /// Most words of the log.
    most: usize,
    /// Start of the last entry, if more executions may join it.
    open: Option<usize>,
    /// Of the latest execution.
    context: ContextId,
    latest: Iv,
    loops: [Option<Iterations>; MAX_DIMS],
    /// The dimension of whose current iteration the engine notes what it touches.
    tracked: Option<usize>,
    /// How often that began.
    trackings: u32,
    count: Option<Count>,
}

impl Default for Repeats {
    fn default() -> Self {
        Repeats {
            log: Vec::new(),
            most: MOST,
            open: None,
            context: 0,
            latest: Iv::ZERO,
            loops: [None; MAX_DIMS],
            tracked: None,
            trackings: 0,
            count: None,
        }
    }
}

/// What was counted and is due to be applied.
#[derive(Debug)]
pub struct Due {
    log: Vec<u64>,
    count: Count,
}

impl Due {
    /// The dimension whose iterations were counted.
    pub fn dim(&self) -> usize {
        self.count.dim
    }

    /// Number of complete iterations.
    pub fn complete(&self) -> u64 {
        self.count.complete
    }

    /// Coordinate of the iteration that was repeated.
    pub fn coordinate(&self) -> i64 {
        self.count.base.0[self.count.dim]
    }

    /// A vector in the iteration that was repeated.
    pub fn latest(&self) -> &Iv {
        &self.count.base
    }

    /// Words of the log that an iteration takes.
    pub fn words(&self) -> usize {
        self.count.pattern.len()
    }

    /// The executions of the iteration that was repeated, with the vectors they have `later` iterations on.
    pub fn iteration(&self, later: u64) -> Executions<'_> {
        Executions { end: self.count.pattern.end, done: 0, ..self.executions(later) }
    }

    /// Those of the incomplete iteration.
    pub fn incomplete(&self) -> Executions<'_> {
        self.executions(self.count.complete + 1)
    }

    fn executions(&self, later: u64) -> Executions<'_> {
        let Count { dim, ref pattern, mut base, at, done, .. } = self.count;
        base.0[dim] = base.0[dim].wrapping_add(later as i64 - 1);
        Executions { log: &self.log, at: pattern.start, end: at, done, latest: base }
    }
}

/// Entries from an index on, with the vectors of their first executions.
#[derive(Debug, Clone, Copy)]
pub struct Executions<'a> {
    log: &'a [u64],
    at: usize,
    end: usize,
    /// Executions of the entry at `end` that belong to it.
    done: u64,
    /// Vector of the last execution.
    latest: Iv,
}

impl<'a> Iterator for Executions<'a> {
    type Item = (Iv, Entry<'a>);

    fn next(&mut self) -> Option<(Iv, Entry<'a>)> {
        if self.at > self.end || (self.at == self.end && self.done == 0) {
            return None;
        }
        let (mut entry, next) = Entry::read(self.log, self.at);
        if self.at == self.end {
            (entry.words, entry.count) = (entry.part(0, self.done), self.done);
        }
        self.at = next;
        let iv = self.latest.after(1, &entry.change);
        self.latest = last_of(&iv, entry.dims, entry.count);
        Some((iv, entry))
    }
}

impl Repeats {
    /// An empty log for an analysis that may use so many bytes.
    pub fn within(limit: usize) -> Repeats {
        Repeats { most: (limit / SHARE / size_of::<u64>()).max(MOST), ..Repeats::default() }
    }

    /// About how many bytes are used.
    pub fn bytes(&self) -> usize {
        8 * self.log.len()
    }

    /// Whether iterations are being counted.
    #[inline]
    pub fn is_counting(&self) -> bool {
        self.count.is_some()
    }

    /// The dimension of whose current iteration the engine must note what it touches.
    #[inline]
    pub fn tracked(&self) -> Option<usize> {
        self.tracked
    }

    /// The same, and how often noting began: an iteration may be tracked after one that was.
    #[inline]
    pub fn tracking(&self) -> (Option<usize>, u32) {
        (self.tracked, self.trackings)
    }

    fn begin_tracking(&mut self, q: usize) {
        self.tracked = Some(q);
        self.trackings = self.trackings.wrapping_add(1);
    }

    /// Context of the latest execution.
    pub fn context(&self) -> ContextId {
        self.context
    }

    /// Forgets everything, and gives back half of its memory or more: it will not grow as large again, so that it is not filled and
    /// given back over and over. Nothing may be due.
    pub fn give_back(&mut self) {
        self.most = (self.log.len() / 2).max(LEAST);
        self.clear();
        self.log.shrink_to(self.most);
    }

    /// Forgets everything; nothing may be due.
    pub fn clear(&mut self) {
        self.log.clear();
        self.open = None;
        self.loops = [None; MAX_DIMS];
        self.tracked = None;
    }

    /// Counts executions that repeat those of the log; false if they do not, or none are being counted.
    pub fn counts(&mut self, arrival: &Arrival) -> bool {
        let Some(count) = &mut self.count else { return false };
        let (entry, next) = Entry::read(&self.log, count.at);
        let is_next = match count.done {
            0 => arrival.iv.minus(&self.latest) == entry.change,
            _ => arrival.follows(&self.latest),
        };
        let left = entry.count - count.done;
        let fits = is_next
            && arrival.path == entry.path
            && arrival.count <= left
            && match arrival.grows {
                true => arrival.words == entry.part(count.done, arrival.count),
                false => arrival.count == left && arrival.words == entry.words,
            };
        if !fits {
            return false;
        }
        self.latest = arrival.last();
        self.context = arrival.context;
        count.done += arrival.count;
        if count.done == entry.count {
            (count.at, count.done) = (next, 0);
            if next == count.pattern.end {
                count.at = count.pattern.start;
                count.complete += 1;
            }
        }
        true
    }

    /// Takes note of executions that are about to be applied, `common` loops of whose context are those of the latest
    /// ones. Returns the dimension of which an iteration has just ended that was tracked and equals the ones before.
    pub fn arrive(&mut self, arrival: &Arrival, common: usize) -> Option<usize> {
        if self.joins_last(arrival) {
            return None;
        }
        let at = self.log.len();
        self.open = None;
        let moved = (0..common).find(|&q| arrival.iv.0[q] != self.latest.0[q]);
        let mut ended = None;
        if let Some(q) = moved {
            let is_next = arrival.iv.0[q].checked_sub(1) == Some(self.latest.0[q]);
            ended = self.next_iteration(q, at, is_next);
        }
        let from = moved.map_or(common, |q| q + 1);
        for (q, iterations) in self.loops.iter_mut().enumerate().skip(from) {
            *iterations = (q < arrival.dims).then(|| Iterations::from(at));
        }
        self.tracked = self.tracked.filter(|q| *q < from);
        ended
    }

    fn next_iteration(&mut self, q: usize, at: usize, is_next: bool) -> Option<usize> {
        let was_tracked = self.tracked == Some(q);
        if was_tracked {
            self.tracked = None;
        }
        let Some(i) = self.loops[q].as_mut().filter(|_| is_next) else {
            self.loops[q] = Some(Iterations::from(at));
            return None;
        };
        let is_equal = i.previous.is_some_and(|p| self.log[p..i.current] == self.log[i.current..at]);
        let is_again = || i.counted.is_some_and(|(from, to)| self.log[from..to] == self.log[i.current..at]);
        i.equal = match is_equal {
            true => i.equal + 1,
            // What repeats it is expected to go on.
            false => u32::from(is_again()),
        };
        (i.previous, i.current) = (Some(i.current), at);
        if i.equal >= EQUAL && was_tracked {
            return Some(q);
        }
        if i.equal > 0 && i.wait > 0 {
            i.wait -= 1;
        } else if i.equal > 0 && self.tracked.is_none() {
            self.begin_tracking(q);
        }
        None
    }

    /// The executions of the iteration of a dimension that has just ended.
    pub fn ended(&self, q: usize) -> impl Iterator<Item = Entry<'_>> {
        let range = self.loops[q].and_then(|i| Some(i.previous?..i.current)).unwrap_or(0..0);
        let all = Executions { log: &self.log, at: range.start, end: range.end, done: 0, latest: Iv::ZERO };
        all.map(|(_, entry)| entry)
    }

    /// The executions of the latest two iterations of a dimension, with the vectors of the latest one: nothing has been
    /// executed behind them. `None` if they are not there, or if their equality is looked at.
    pub fn two_latest(&self, dim: usize) -> Option<(Executions<'_>, Executions<'_>)> {
        if self.tracked.is_some_and(|tracked| tracked >= dim) {
            return None;
        }
        let Iterations { previous, current, .. } = self.loops[dim]?;
        let latest = self.latest.advanced(dim, -1);
        let all = Executions { log: &self.log, at: current, end: self.log.len(), done: 0, latest };
        Some((Executions { at: previous?, end: current, ..all }, all))
    }

    /// Logs rows that go on as the latest two iterations of a dimension, which have the same entries.
    pub fn push_rows(&mut self, dim: usize, rows: u64) {
        let Some(Iterations { previous: Some(previous), current, .. }) = self.loops[dim] else { return };
        let template = current..self.log.len();
        let mut moving = Vec::new();
        // Heads may be of different length: the change of the first vector is another one.
        let (mut before, mut at) = (previous, current);
        while at < self.log.len() && before < current {
            let ((one, one_end), (other, end)) = (Entry::read(&self.log, before), Entry::read(&self.log, at));
            let first = end - other.words.len() - current;
            let by = other.words.iter().zip(one.words).map(|(b, a)| b.wrapping_sub(*a));
            moving.extend(by.enumerate().filter(|(_, by)| *by != 0).map(|(k, by)| (first + k, by)));
            (before, at) = (one_end, end);
        }
        let length = template.len();
        for _ in 0..rows {
            let latest = self.log.len() - length;
            self.log.extend_from_within(latest..);
            for &(k, by) in &moving {
                let word = &mut self.log[latest + length + k];
                *word = word.wrapping_add(by);
            }
        }
        let begin = self.log.len() - length;
        self.loops[dim] =
            Some(Iterations { previous: Some(begin - length), equal: 0, ..Iterations::from(begin) });
        self.latest = self.latest.advanced(dim, rows as i64);
        self.open = None;
    }

    /// Instructions of the complete iterations that are being counted, and of so many more of them.
    pub fn instructions(&self, more: u64) -> u64 {
        let all = |count: &Count| count.complete.saturating_add(more).saturating_mul(count.instructions);
        self.count.as_ref().map_or(0, all)
    }

    /// Where counting stands between two iterations: the dimension that is counted, the complete iterations, and the words of the
    /// log that one of them takes. `None` inside an iteration, or if none are being counted.
    pub fn between_iterations(&self) -> Option<(usize, u64, usize)> {
        let count = self.count.as_ref()?;
        let is_between = count.at == count.pattern.start && count.done == 0 && count.complete > 0;
        is_between.then_some((count.dim, count.complete, count.pattern.len()))
    }

    /// Counts further iterations that are known to repeat the others, between two of them.
    pub fn count_more(&mut self, iterations: u64) {
        if let Some(count) = &mut self.count {
            count.complete += iterations;
            self.latest = self.latest.advanced(count.dim, iterations as i64);
        }
    }

    /// Counts iterations of a dimension from now on, as far as they repeat the one that has just ended, which had so many
    /// instructions.
    pub fn count(&mut self, dim: usize, instructions: u64) {
        let Some(i) = &mut self.loops[dim] else { return };
        let Some(start) = i.previous else { return };
        // A few iterations of waiting settled the folds, and will after the next one that differs.
        (i.refused, i.wait) = (0, 0);
        let pattern = start..i.current;
        let base = self.latest;
        self.count = Some(Count { dim, base, at: start, pattern, done: 0, complete: 0, instructions });
    }

    /// The iterations of a dimension cannot be counted, for now.
    pub fn refuse(&mut self, dim: usize) {
        if let Some(i) = &mut self.loops[dim] {
            i.refused += 1;
            // Folds may need another iteration or two to settle.
            i.wait = (1 << i.refused.min(12)) >> 2;
            if i.wait == 0 {
                self.begin_tracking(dim);
            }
        }
    }

    /// Ends counting; [`Repeats::caught_up`] must follow.
    pub fn due(&mut self) -> Option<Due> {
        Some(Due { count: self.count.take()?, log: std::mem::take(&mut self.log) })
    }

    /// What was due has been applied, iterations one by one or as a number.
    pub fn caught_up(&mut self, due: Due, one_by_one: bool) {
        let Due { mut log, count } = due;
        let Count { dim, pattern, at, done, complete, .. } = count;
        self.open = None;
        if one_by_one {
            for _ in 0..complete {
                log.extend_from_within(pattern.clone());
            }
        }
        let start = log.len();
        log.extend_from_within(pattern.start..at);
        if done > 0 {
            // The entry that is under way goes on where it stopped.
            let (entry, next) = Entry::read(&log, at);
            let part = entry.part(0, done).len();
            let head = next - entry.words.len() - at;
            let open = log.len();
            log.extend_from_within(at..at + head + part);
            (log[open + 1], log[open + 2]) = (done, part as u64);
            self.open = Some(open);
        }
        if let Some(i) = &mut self.loops[dim] {
            let previous = if one_by_one { start - pattern.len() } else { pattern.start };
            (i.previous, i.current) = (Some(previous), start);
            i.counted = Some((pattern.start, pattern.end));
        }
        // Of the loops around, the log lacks what was counted; of those inside, it is not known where they stand.
        for (q, i) in self.loops.iter_mut().enumerate() {
            if q > dim || (q < dim && complete > 0 && !one_by_one) {
                *i = None;
            }
        }
        self.log = log;
    }

    /// Logs executions that were announced.
    pub fn push(&mut self, arrival: &Arrival) {
        if self.joins_last(arrival)
            && let Some(at) = self.open
        {
            self.log[at + 1] += arrival.count;
            self.log[at + 2] += arrival.words.len() as u64;
            self.log.extend_from_slice(arrival.words);
        } else if self.loops.iter().any(Option::is_some) {
            if self.log.capacity() == 0 {
                // Memory that is not touched costs nothing, growing step by step copies all of it. Without it the log grows.
                self.log.try_reserve_exact(self.most).unwrap_or_default();
            }
            self.open = arrival.grows.then_some(self.log.len());
            Entry::write(&mut self.log, arrival, &self.latest);
        } else {
            self.log.clear();
        }
        self.context = arrival.context;
        self.latest = arrival.last();
        if self.log.len() > self.most {
            self.shorten();
        }
    }

    fn joins_last(&self, arrival: &Arrival) -> bool {
        let open = self.open.filter(|_| arrival.grows);
        open.is_some_and(|at| self.log[at] as u32 == arrival.path) && arrival.follows(&self.latest)
    }

    /// Drops loops, outermost first, until what the others need is a part of the log.
    fn shorten(&mut self) {
        let start = |i: &Iterations| i.previous.unwrap_or(i.current);
        for q in 0..MAX_DIMS {
            let first = self.loops.iter().flatten().map(start).min().unwrap_or(self.log.len());
            if first > self.most / 2 {
                break;
            }
            if let Some(i) = &mut self.loops[q] {
                match i.previous.take() {
                    // The iteration before the current one goes first.
                    Some(_) if i.current > self.most / 2 => i.equal = 0,
                    _ => self.loops[q] = None,
                }
            }
        }
        let first = self.loops.iter().flatten().map(start).min().unwrap_or(self.log.len());
        self.log.drain(..first);
        self.open = self.open.and_then(|at| at.checked_sub(first));
        for i in self.loops.iter_mut().flatten() {
            i.current -= first;
            i.previous = i.previous.map(|p| p - first);
            i.counted = i.counted.and_then(|(from, to)| Some((from.checked_sub(first)?, to - first)));
        }
        if self.tracked.is_some_and(|q| self.loops[q].is_none_or(|i| i.previous.is_none())) {
            self.tracked = None;
        }
    }
}
