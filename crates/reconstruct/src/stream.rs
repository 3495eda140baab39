//! Incremental reconstruction of one stream.
//!
//! Integers or runs are pushed in any division; the model can be asked for at any time. While a trace is one affine
//! domain the state is a few words per loop. What does not fold is kept in compressed form up to a limit, then its part
//! of the trace is closed as nests of its own and the rest starts afresh, so memory is bounded by the limit and the
//! result.

use crate::codec::Content;
use crate::coincidence::Split;
use crate::extend::extended;
use crate::fold::{Fold, Items};
use crate::nest::Nest;
use crate::piecewise::{Effort, solve};
use crate::run::{Differences, Run, SAFE, Trace};
use crate::scan::{Scanner, Steps};
use crate::simplify::coalesced;
use crate::verify;

/// How to reconstruct.
#[derive(Debug, Clone)]
pub struct Options {
    /// Effort of the piecewise search.
    pub effort: Effort,
    /// Join loops even where that needs divisions in bounds by more than [`SMALL_DIVISOR`].
    pub floors: bool,
    /// Items (of about 50 bytes) kept before a part of the trace is closed.
    pub items: usize,
    /// Keep nests as they folded: nothing is searched or joined. For parts of a stream that is put together later, see
    /// [`crate::chunk`].
    pub as_folded: bool,
}

/// Largest denominator of a bound that counts as a slope rather than as joined loops.
pub const SMALL_DIVISOR: i64 = 16;

impl Default for Options {
    fn default() -> Self {
        Options { effort: Effort::default(), floors: false, items: 1 << 20, as_folded: false }
    }
}

impl Options {
    /// Largest division in bounds that joining loops may need.
    fn divisor(&self) -> i64 {
        if self.floors { i64::MAX } else { SMALL_DIVISOR }
    }
}

/// Nests that generate a trace, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reconstruction {
    /// The nests.
    pub nests: Vec<Nest>,
    /// Length of the trace.
    pub accesses: u64,
}

/// Steps before the inner stride is chosen.
const WARM_UP: usize = 4096;
/// Different strides that are counted.
const STRIDES: usize = 256;

/// Reconstructs one stream of integers.
#[derive(Debug, Clone)]
pub struct Reconstructor {
    scanner: Scanner,
    parts: Parts,
}

#[derive(Debug, Clone)]
struct Parts {
    options: Options,
    accesses: u64,
    /// The last integer that the steps have reached; `None` before the first.
    last: Option<i64>,
    open: Option<Part>,
    closed: Vec<Nest>,
}

/// A part of the trace that is being folded.
#[derive(Debug, Clone)]
enum Part {
    /// The first steps, kept until the inner stride is chosen.
    WarmUp(Differences),
    Folding(Box<Folding>),
}

#[derive(Debug, Clone)]
struct Folding {
    fold: Fold,
    stride: i64,
    start: i64,
    count: i64,
    /// How often other strides repeat.
    others: Vec<(i64, u64)>,
    own: u64,
}

impl Default for Reconstructor {
    fn default() -> Self {
        Reconstructor::new(Options::default())
    }
}

impl Reconstructor {
    /// At the start of a stream.
    pub fn new(options: Options) -> Reconstructor {
        let parts = Parts { options, accesses: 0, last: None, open: None, closed: Vec::new() };
        Reconstructor { scanner: Scanner::new(), parts }
    }

    /// Takes integers.
    pub fn push(&mut self, values: &[i64]) {
        let Some(&first) = values.first() else { return };
        self.parts.accesses += values.len() as u64;
        if self.scanner.last().is_none() {
            self.parts.begin(first);
        }
        self.scanner.push(values, &mut self.parts);
    }

    /// Takes a run. A run that leaves 64 bits is taken modulo 2^64.
    pub fn push_run(&mut self, run: Run) {
        if run.count == 0 {
            return;
        }
        self.parts.accesses += run.count;
        if self.scanner.last().is_none() {
            self.parts.begin(run.start);
        }
        if !self.parts.follow(&mut self.scanner, &run) {
            self.scanner.run(run, &mut self.parts);
        }
    }

    /// Takes the integers of nests, in order.
    pub fn push_nests(&mut self, nests: &[Nest]) {
        for nest in nests {
            let stride = nest.stride();
            nest.runs(&mut |start: i64, count: i64| {
                self.push_run(Run { start, stride, count: count.unsigned_abs() });
                true
            });
        }
    }

    /// Takes the integers of a stored stream, or of a part of one.
    pub fn push_content(&mut self, content: &Content) {
        match content {
            Content::Nests(nests) => self.push_nests(nests),
            Content::Integers(values) => self.push(values),
        }
    }

    /// Number of integers so far.
    pub fn accesses(&self) -> u64 {
        self.parts.accesses
    }

    /// How many nests and items are kept at the moment: a measure of memory.
    pub fn kept(&self) -> usize {
        let open = match &self.parts.open {
            None => 0,
            Some(Part::WarmUp(differences)) => differences.steps.len(),
            Some(Part::Folding(folding)) => folding.fold.items(),
        };
        self.parts.closed.len() + open
    }

    /// Changes how hard the piecewise search tries.
    pub fn set_effort(&mut self, effort: Effort) {
        self.parts.options.effort = effort;
    }

    /// The nests of what was pushed so far. The stream can go on.
    pub fn model(&self) -> Reconstruction {
        self.clone().finish()
    }

    /// Ends the stream.
    pub fn finish(mut self) -> Reconstruction {
        self.scanner.flush(&mut self.parts);
        self.parts.close();
        Reconstruction { nests: self.parts.closed, accesses: self.parts.accesses }
    }
}

impl Steps for Parts {
    #[inline]
    fn step(&mut self, difference: i64, times: u64) {
        let Some(last) = self.last else { return };
        let end = (times as i64).checked_mul(difference).and_then(|d| d.checked_add(last));
        let safe = end.filter(|e| SAFE.contains(e)).filter(|_| i64::try_from(times).is_ok());
        let (Some(end), Some(part)) = (safe, &mut self.open) else {
            return self.unsafe_step(last, difference, times);
        };
        self.last = Some(end);
        match part {
            Part::Folding(folding) => {
                folding.step(difference, times);
                if folding.fold.items() > self.options.items {
                    self.close();
                }
            }
            Part::WarmUp(differences) => {
                differences.steps.push((difference, times));
                if differences.steps.len() >= WARM_UP {
                    let folding = Folding::of(differences);
                    let is_full = folding.fold.items() > self.options.items;
                    *part = Part::Folding(Box::new(folding));
                    if is_full {
                        self.close();
                    }
                }
            }
        }
    }
}

impl Parts {
    /// The short way for a run of the inner stride after another one; false if it is not that.
    #[inline]
    fn follow(&mut self, scanner: &mut Scanner, run: &Run) -> bool {
        let Some(Part::Folding(folding)) = &mut self.open else { return false };
        let (difference, times) = scanner.open();
        let (Some(before), Ok(count)) = (scanner.last(), i64::try_from(run.count)) else { return false };
        if count < 2 || run.stride != folding.stride || difference != folding.stride || times == 0 {
            return false;
        }
        let Some(last) = (count - 1).checked_mul(run.stride).and_then(|d| d.checked_add(run.start)) else {
            return false;
        };
        if !SAFE.contains(&last) || !SAFE.contains(&run.start) || !SAFE.contains(&before) {
            return false;
        }
        if run.start - before == folding.stride {
            return false;
        }
        folding.count += times as i64;
        folding.own += times - 1;
        folding.fold.run(folding.start, folding.count);
        folding.start = run.start;
        folding.count = 1;
        self.last = Some(run.start);
        scanner.reopen(run.stride, run.count - 1, last);
        // Where the same steps one by one would close it.
        if folding.fold.items() > self.options.items {
            self.close();
        }
        true
    }

    /// The first integer of a part.
    fn begin(&mut self, value: i64) {
        self.last = Some(value);
        if SAFE.contains(&value) {
            self.open = Some(Part::WarmUp(Differences { first: value, steps: Vec::new() }));
        } else {
            self.closed.push(Nest::point(value));
        }
    }

    /// A step to or from integers whose differences may leave 64 bits, or the first step of a new part.
    fn unsafe_step(&mut self, mut last: i64, difference: i64, mut times: u64) {
        self.close();
        while times > 0 {
            let next = last.wrapping_add(difference);
            if SAFE.contains(&next)
                && SAFE.contains(&last.wrapping_add(difference.wrapping_mul(times as i64)))
            {
                self.begin(next);
                if times > 1 {
                    self.step(difference, times - 1);
                }
                return;
            }
            // As far as the progression goes without leaving 64 bits.
            let room = match difference {
                0 => u64::MAX,
                d if d > 0 => (i64::MAX.abs_diff(next) / d.unsigned_abs()).saturating_add(1),
                d => (i64::MIN.abs_diff(next) / d.unsigned_abs()).saturating_add(1),
            };
            let count = times.min(room).min(i64::MAX as u64);
            self.closed.push(Nest::line(next, difference, count));
            last = next.wrapping_add(difference.wrapping_mul((count - 1) as i64));
            times -= count;
        }
        self.last = Some(last);
    }

    /// Closes the open part; what follows starts a new one.
    fn close(&mut self) {
        let folding = match self.open.take() {
            None => return,
            Some(Part::WarmUp(differences)) => Folding::of(&differences),
            Some(Part::Folding(folding)) => *folding,
        };
        self.closed.extend(folding.finish(&self.options));
    }
}

impl Folding {
    fn of(differences: &Differences) -> Folding {
        let stride = principal(differences);
        let mut folding = Folding {
            fold: Fold::new(stride),
            stride,
            start: differences.first,
            count: 1,
            others: Vec::new(),
            own: 0,
        };
        for &(difference, times) in &differences.steps {
            folding.step(difference, times);
        }
        folding
    }

    #[inline]
    fn step(&mut self, difference: i64, times: u64) {
        if difference == self.stride {
            self.count += times as i64;
            self.own += times - 1;
            return;
        }
        self.fold.run(self.start, self.count);
        self.start += self.stride * (self.count - 1) + difference;
        self.count = 1;
        if times > 1 {
            self.repeat(difference, times);
        }
    }

    /// The step between single runs repeats.
    fn repeat(&mut self, difference: i64, times: u64) {
        self.fold.singles(self.start, difference, times - 1);
        self.start += difference * (times - 1) as i64;
        match self.others.iter().position(|o| o.0 == difference) {
            Some(i) => {
                self.others[i].1 += times - 1;
                if self.others[i].1 > 2 * self.own + WARM_UP as u64 {
                    self.switch(i);
                }
            }
            None if self.others.len() < STRIDES => self.others.push((difference, times - 1)),
            None => {}
        }
    }

    /// Another stride has turned out to be the inner one: what was folded so far is folded again.
    fn switch(&mut self, to: usize) {
        let (stride, times) = self.others.swap_remove(to);
        let old = std::mem::replace(&mut self.fold, Fold::new(stride));
        let mut items = old.clone();
        items.run(self.start, self.count);
        let Some(trace) = differences(&items.finish()) else {
            self.fold = old;
            return;
        };
        self.others.push((self.stride, self.own));
        (self.stride, self.own) = (stride, times);
        (self.start, self.count) = (trace.first, 1);
        for (difference, times) in trace.steps {
            if difference == stride {
                self.count += times as i64;
                continue;
            }
            self.fold.run(self.start, self.count);
            self.start += stride * (self.count - 1) + difference;
            self.fold.singles(self.start, difference, times - 1);
            self.start += difference * (times - 1) as i64;
            self.count = 1;
        }
    }

    fn finish(mut self, options: &Options) -> Vec<Nest> {
        self.fold.run(self.start, self.count);
        let runs = self.fold.runs();
        let items = self.fold.finish();
        if options.as_folded {
            return pieces(&items);
        }
        if let Some(nest) = folded_whole(&items, runs, options) {
            return vec![nest];
        }
        let trace = Unfolded(&items);
        if irregular(&trace) {
            return pieces(&items);
        }
        let mut effort = options.effort.clone();
        if options.floors {
            effort.divisor = i64::MAX;
        }
        let found = solve(&trace, &effort);
        if found.len() <= items.len() && verify::generates(&found, items.stride(), items.runs()) {
            return found;
        }
        pieces(&items)
    }
}

/// The inner stride: the difference that repeats most.
fn principal(differences: &Differences) -> i64 {
    let mut counts: rustc_hash::FxHashMap<i64, (u64, u64)> = rustc_hash::FxHashMap::default();
    for &(d, times) in &differences.steps {
        let entry = counts.entry(d).or_default();
        entry.0 += times - 1;
        entry.1 += times;
    }
    let best = counts.into_iter().max_by_key(|&(d, n)| (n, std::cmp::Reverse(d.unsigned_abs()), d));
    best.map_or(0, |e| e.0)
}

/// The single nest that the items are, or most of them with the rest as its first and last iterations; with rows that
/// were joined by coincidence split if need be. Verified.
fn folded_whole(items: &Items, runs: u64, options: &Options) -> Option<Nest> {
    let exact = |nest: &Nest| verify::generates([nest], items.stride(), items.runs());
    let of = |items: &Items| -> Option<Nest> {
        let nests = if items.len() == 1 {
            let nest = items.nest(0)?;
            let joined = coalesced(nest.clone(), options.divisor());
            if joined == nest { vec![nest] } else { vec![joined, nest] }
        } else {
            extended(items, options.divisor())
        };
        nests.into_iter().find(exact)
    };
    of(items).or_else(|| {
        let regular = runs > items.len() as u64 * 2;
        regular
            .then(|| folded(Split::new(items.runs(), items.stride()), items.stride()))
            .and_then(|split| of(&split))
    })
}

fn folded(runs: impl Iterator<Item = (i64, i64)>, stride: i64) -> Items {
    let mut fold = Fold::new(stride);
    runs.for_each(|(start, count)| fold.run(start, count));
    fold.finish()
}

/// The items as differences.
fn differences(items: &Items) -> Option<Differences> {
    let stride = items.stride();
    Differences::of(items.runs().map(|(start, count)| Run { start, stride, count: count as u64 }))
}

/// The items as a trace, without keeping its differences. Items hold safe integers only.
struct Unfolded<'a>(&'a Items);

impl Trace for Unfolded<'_> {
    fn first(&self) -> i64 {
        self.0.runs().next().map_or(0, |run| run.0)
    }

    fn each(&self, visit: &mut dyn FnMut(i64, u64)) {
        let stride = self.0.stride();
        let mut last = None;
        // What repeats is one step, also where a run of one integer is between.
        let (mut difference, mut times) = (stride, 0);
        let mut add = |step: i64, more: u64| {
            if step == difference {
                times += more;
            } else {
                if times > 0 {
                    visit(difference, times);
                }
                (difference, times) = (step, more);
            }
        };
        for (start, count) in self.0.runs() {
            if let Some(last) = last {
                add(start.wrapping_sub(last), 1);
            }
            if count > 1 {
                add(stride, count as u64 - 1);
            }
            last = Some(start.wrapping_add(stride.wrapping_mul(count - 1)));
        }
        if times > 0 {
            visit(difference, times);
        }
    }
}

/// Whether the differences are so varied that no nest is to be expected.
fn irregular(trace: &dyn Trace) -> bool {
    let mut kinds: rustc_hash::FxHashSet<i64> = rustc_hash::FxHashSet::default();
    let mut steps = 0;
    trace.each(&mut |difference, _| {
        steps += 1;
        kinds.insert(difference);
    });
    steps > 2000 && kinds.len() > steps / 4
}

/// Every item by itself; items whose numbers are too large for a nest run by run.
fn pieces(items: &Items) -> Vec<Nest> {
    let nests: Option<Vec<Nest>> = (0..items.len()).map(|i| items.nest(i)).collect();
    if let Some(nests) = nests
        && verify::generates(&nests, items.stride(), items.runs())
    {
        return nests;
    }
    items.runs().map(|(start, count)| Nest::line(start, items.stride(), count as u64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;

    fn reconstructed(values: &[i64]) -> Vec<Nest> {
        let mut whole = Reconstructor::default();
        whole.push(values);
        let result = whole.finish();
        assert_eq!(check::check(&result.nests, values.iter().copied()), Ok(()));
        assert_eq!(result.accesses, values.len() as u64);
        for piece in [1, 3, 1000] {
            let mut parts = Reconstructor::default();
            values.chunks(piece).for_each(|part| parts.push(part));
            assert_eq!(parts.finish(), result, "in pieces of {piece}");
        }
        result.nests
    }

    #[test]
    fn nothing_and_little() {
        assert_eq!(Reconstructor::default().finish(), Reconstruction::default());
        assert_eq!(reconstructed(&[42]), [Nest::point(42)]);
        assert_eq!(reconstructed(&[7; 5]), [Nest::line(7, 0, 5)]);
        let rows: Vec<i64> = (0..12).collect();
        assert_eq!(reconstructed(&rows), [Nest::line(0, 1, 12)]);
    }

    #[test]
    fn two_levels_from_three_integers() {
        let nests = reconstructed(&[0, 1, 3]);
        assert_eq!((nests.len(), nests[0].depth()), (1, 2));
        let nests = reconstructed(&[0, 1, 2, 10, 11, 20]);
        assert_eq!((nests.len(), nests[0].coefficients.clone()), (1, vec![10, 1]));
    }

    #[test]
    fn the_extremes_of_64_bits() {
        reconstructed(&[i64::MIN, i64::MAX]);
        reconstructed(&[i64::MAX, i64::MIN, i64::MAX, i64::MAX - 1, i64::MAX - 2, 0, 1, 2, i64::MIN]);
        reconstructed(&[i64::MIN, 0, i64::MIN, 0, i64::MIN, 0]);
        let mut long = Reconstructor::default();
        long.push_run(Run { start: 0, stride: 1 << 40, count: 1 << 23 });
        long.push_run(Run { start: -5, stride: 1, count: 10 });
        assert_eq!(long.finish().nests.iter().map(|n| n.depth()).sum::<usize>(), 2);
    }

    #[test]
    fn an_irregular_part_is_closed_at_the_limit() {
        let mut state = 1u64;
        let values: Vec<i64> = (0..20_000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
                (state >> 40) as i64
            })
            .collect();
        let mut small = Reconstructor::new(Options { items: 1000, ..Options::default() });
        small.push(&values);
        assert_eq!(check::check(&small.finish().nests, values.iter().copied()), Ok(()));
    }
}
