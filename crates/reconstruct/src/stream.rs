//! Incremental reconstruction of one stream.
//!
//! Integers or runs are pushed in any division; the model can be asked for at any time. While a trace is one affine
//! domain the state is a few words per loop ([`crate::fold`]). Where it does not fold, or loops have bodies of several
//! statements, the part is recognised term by term ([`crate::recognise`]); terms that are too old to become part of a loop are
//! handed over as statements, or as packed integers where these are shorter. What folds only in part is kept up to a limit,
//! then its part of the trace is closed and the rest starts afresh. So memory is bounded by the limits and the result.
//!
//! At the end of a part its terms compete with the nests that the piecewise search finds: the shortest description wins
//! ([`crate::description`]).

use std::time::{Duration, Instant};

use crate::codec::{self, Aim, Integers};
use crate::coincidence::Split;
use crate::cursor::Runs;
use crate::description::{self, Listed, Piece, listed, pays};
use crate::extend::extended;
use crate::fold::{Fold, Items};
use crate::nest::Nest;
use crate::packed::{BLOCK, Packed};
use crate::piecewise::{Effort, solve};
use crate::recognise::{Recogniser, WINDOW};
use crate::run::{Differences, Run, SAFE, Trace};
use crate::scan::{Scanner, Steps};
use crate::simplify::coalesced;
use crate::statement::Statement;
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
    /// Time for the search in parts that are closed before the end of the stream, all together.
    pub time: Option<Duration>,
    /// Keep nests as they folded: nothing is searched or joined. For parts of a stream that is put together later, see
    /// [`crate::chunk`].
    pub as_folded: bool,
}

/// Largest denominator of a bound that counts as a slope rather than as joined loops.
pub const SMALL_DIVISOR: i64 = 16;

impl Default for Options {
    fn default() -> Self {
        Options { effort: Effort::default(), floors: false, items: 1 << 20, time: None, as_folded: false }
    }
}

impl Options {
    /// Largest division in bounds that joining loops may need.
    fn divisor(&self) -> i64 {
        if self.floors { i64::MAX } else { SMALL_DIVISOR }
    }
}

/// Statements that generate a trace, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reconstruction {
    /// Nests, perfect or not, and integers that no nest makes.
    pub nests: Vec<Statement>,
    /// Length of the trace.
    pub accesses: u64,
}

impl Reconstruction {
    /// The integers of the trace, in order.
    pub fn integers(&self) -> Vec<i64> {
        Integers::of(&self.nests).collect()
    }
}

/// Steps before the inner stride is chosen.
const WARM_UP: usize = 4096;
/// Different strides that are counted.
const STRIDES: usize = 256;
/// Terms and items of a part that is recognised or folded: so many before it is asked which of the two suits it.
const ASKED: usize = 1 << 14;
/// A part is recognised where that leaves less than one term for so many items.
const FEWER: usize = 4;
/// Terms of a part that is recognised, at most.
const TERMS: usize = 1 << 16;
/// Integers taken as they are after terms in which nothing was recognised: the first time, and at most.
const LEAST_NAP: u64 = 4 * TERMS as u64;
const MOST_NAP: u64 = 16 * TERMS as u64;
/// A progression of so many integers ends that.
const WAKING: u64 = 64;
/// Terms that stay when the older ones are handed over.
const STAYING: usize = 8 * WINDOW;

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
    closed: Listed,
    /// Integers that are taken as they are before a part is recognised again.
    asleep: u64,
    /// The same the next time that nothing is recognised.
    nap: u64,
    /// Time spent on searches while the stream was still read.
    spent: Duration,
}

/// A part of the trace that is not closed yet.
#[derive(Debug, Clone)]
enum Part {
    /// The first steps, kept until the inner stride is chosen.
    WarmUp(Differences),
    Folding(Box<Folding>),
    Recognising(Box<Recogniser>),
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
    /// Items after which it is asked whether the part should be recognised.
    asked: usize,
}

impl Default for Reconstructor {
    fn default() -> Self {
        Reconstructor::new(Options::default())
    }
}

impl Reconstructor {
    /// At the start of a stream.
    pub fn new(options: Options) -> Reconstructor {
        let parts = Parts {
            options,
            accesses: 0,
            last: None,
            open: None,
            closed: Listed::default(),
            asleep: 0,
            nap: LEAST_NAP,
            spent: Duration::ZERO,
        };
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

    /// Takes the integers of statements, in order.
    pub fn push_statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            if let Statement::Integers(packed) = statement {
                self.push(&packed.values());
                continue;
            }
            statement.runs(&mut |start, stride, count| {
                self.push_run(Run { start, stride, count: count.unsigned_abs() });
                true
            });
        }
    }

    /// Hands over the statements of parts that are closed. What is pushed afterwards follows on them.
    pub fn take_closed(&mut self) -> Reconstruction {
        let nests = self.parts.closed.take();
        let accesses = nests.iter().map(Statement::accesses).sum::<u128>();
        let accesses = u64::try_from(accesses).unwrap_or(u64::MAX);
        self.parts.accesses = self.parts.accesses.saturating_sub(accesses);
        Reconstruction { nests, accesses }
    }

    /// Number of integers so far, without those handed over.
    pub fn accesses(&self) -> u64 {
        self.parts.accesses
    }

    /// Bytes, about, of the statements of parts that are closed.
    pub fn closed_size(&self) -> usize {
        self.parts.closed.size()
    }

    /// How many nests and items are kept at the moment: a measure of memory.
    pub fn kept(&self) -> usize {
        let open = match &self.parts.open {
            None => 0,
            Some(Part::WarmUp(differences)) => differences.steps.len(),
            Some(Part::Folding(folding)) => folding.fold.items(),
            Some(Part::Recognising(recogniser)) => recogniser.kept(),
        };
        self.parts.closed.statements.len() + open
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
        self.parts.closed.close();
        Reconstruction { nests: self.parts.closed.statements, accesses: self.parts.accesses }
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
                if folding.fold.items() > folding.asked.min(self.options.items) {
                    self.look();
                }
            }
            Part::WarmUp(differences) => {
                differences.steps.push((difference, times));
                if differences.steps.len() >= WARM_UP {
                    self.warm();
                }
            }
            Part::Recognising(_) if self.asleep > 0 && times < WAKING => {
                self.asleep = self.asleep.saturating_sub(times);
                (0..times as i64).for_each(|k| {
                    self.closed.push(end.wrapping_sub(difference.wrapping_mul(times as i64 - 1 - k)))
                });
            }
            Part::Recognising(recogniser) => {
                self.asleep = 0;
                recogniser.line(last.wrapping_add(difference), difference, times);
                if recogniser.len() > self.options.terms() {
                    self.relieve();
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
        // Where the same steps one by one would.
        if folding.fold.items() > folding.asked.min(self.options.items) {
            self.look();
        }
        true
    }

    /// Chooses between folding and recognising, by the first steps of a part.
    fn warm(&mut self) {
        let Some(Part::WarmUp(differences)) = &self.open else { return };
        let folding = Folding::of(differences);
        let items = folding.fold.items();
        let part = match self.options.as_folded || items * 8 < WARM_UP {
            true => None,
            false => {
                let recogniser = recognised(differences, &self.options);
                let suits = recogniser.len() * FEWER < items || irregular(differences);
                suits.then(|| Part::Recognising(Box::new(recogniser)))
            }
        };
        self.open = Some(part.unwrap_or_else(|| Part::Folding(Box::new(folding))));
        match &self.open {
            Some(Part::Folding(_)) if items > self.options.items => self.close(),
            Some(Part::Recognising(r)) if r.len() > self.options.terms() => self.relieve(),
            _ => {}
        }
    }

    /// A part has many items: it is recognised from now on if that suits it, and closed if there are too many.
    fn look(&mut self) {
        let Some(Part::Folding(folding)) = &mut self.open else { return };
        let items = folding.fold.items();
        let is_full = items > self.options.items;
        folding.asked = (2 * items).max(ASKED);
        if !self.options.as_folded {
            let mut whole = folding.fold.clone();
            whole.run(folding.start, folding.count);
            let recogniser = recognised_items(&whole.finish(), &self.options);
            if recogniser.len() * FEWER < items {
                self.open = Some(Part::Recognising(Box::new(recogniser)));
                return;
            }
        }
        if is_full {
            self.close();
        }
    }

    /// Hands over old terms of a part that is recognised.
    fn relieve(&mut self) {
        let Some(Part::Recognising(recogniser)) = &mut self.open else { return };
        let keep = STAYING.min(self.options.terms() / 2);
        let old = recogniser.take(keep);
        let has_loops = old.iter().any(|piece| matches!(piece, Piece::Statement(_)));
        let old: Vec<Piece> = match has_loops {
            true => condensed(old).into_iter().map(Piece::Statement).collect(),
            false => old,
        };
        let says_nothing =
            |piece: &Piece| matches!(piece, Piece::Integer(_) | Piece::Statement(Statement::Integers(_)));
        if old.iter().all(says_nothing) {
            let rest = recogniser.take(0);
            (self.asleep, self.nap) = (self.nap, (2 * self.nap).min(MOST_NAP));
            self.add(old);
            self.add(rest);
        } else {
            self.nap = LEAST_NAP;
            self.add(old);
        }
    }

    fn add(&mut self, pieces: Vec<Piece>) {
        match self.options.as_folded {
            true => self.closed.statements.extend(description::statements(pieces)),
            false => self.closed.extend(pieces),
        }
    }

    /// The first integer of a part.
    fn begin(&mut self, value: i64) {
        self.last = Some(value);
        if SAFE.contains(&value) {
            self.open = Some(Part::WarmUp(Differences { first: value, steps: Vec::new() }));
        } else {
            self.add(vec![Piece::Integer(value)]);
        }
    }

    /// A step to or from integers whose differences may leave 64 bits, or the first step of a new part.
    fn unsafe_step(&mut self, mut last: i64, difference: i64, mut times: u64) {
        match &self.open {
            // One integer between others that are not safe.
            Some(Part::WarmUp(differences)) if differences.steps.is_empty() && !self.options.as_folded => {
                let first = differences.first;
                self.open = None;
                self.add(vec![Piece::Integer(first)]);
            }
            _ => self.close(),
        }
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
            self.add(vec![Nest::line(next, difference, count).into()]);
            last = next.wrapping_add(difference.wrapping_mul((count - 1) as i64));
            times -= count;
        }
        self.last = Some(last);
    }

    /// Closes the open part; what follows starts a new one.
    fn close(&mut self) {
        let begun = Instant::now();
        let mut options = self.options.clone();
        if let Some(left) = options.time.map(|time| time.saturating_sub(self.spent)) {
            let end = begun.checked_add(left);
            options.effort.deadline = options.effort.deadline.into_iter().chain(end).min();
        }
        let statements = match self.open.take() {
            None => return,
            Some(Part::WarmUp(differences)) => Folding::of(&differences).finish(&options),
            Some(Part::Folding(folding)) => folding.finish(&options),
            Some(Part::Recognising(recogniser)) => ended(*recogniser, &options),
        };
        self.add(statements.into_iter().map(Piece::from).collect());
        self.spent += begun.elapsed();
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
            asked: ASKED,
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

    fn finish(mut self, options: &Options) -> Vec<Statement> {
        self.fold.run(self.start, self.count);
        let runs = self.fold.runs();
        let items = self.fold.finish();
        if options.as_folded {
            return pieces(&items).into_iter().map(Statement::from).collect();
        }
        if let Some(nest) = folded_whole(&items, runs, options).filter(pays) {
            return vec![nest.into()];
        }
        let recogniser = recognised_items(&items, options);
        shortest(&items, recogniser, options)
    }
}

/// The shortest description known of a trace that does not fold: what was recognised, or what the piecewise search finds.
fn shortest(items: &Items, mut recogniser: Recogniser, options: &Options) -> Vec<Statement> {
    let trace = Unfolded(items);
    let terms = recogniser.len();
    let mut recognised = condensed(recogniser.take(0));
    if !verify::generated(&recognised, items.stride(), items.runs()) {
        return listed(pieces(items).into_iter().map(Piece::from).collect());
    }
    let mut length = description::length(&recognised);
    let integers = trace.integers();
    let is_random = integers > LONG && integers * description::RAW < REGULAR * length;
    if length <= SHORT || is_random || irregular(&trace) {
        return recognised;
    }
    // The search is for single references, which mostly walk along rows.
    let runs = items.runs().count() as u64;
    let walks = runs * SHORT_ROWS < integers;
    let is_perfect = recognised.len() == 1 && recognised[0].nest().is_some();
    if walks
        && !is_perfect
        && runs <= SEARCHED as u64
        && let Some(apart) = recognised_rows(items, terms, options)
    {
        let own = description::length(&apart);
        if own < length && verify::generated(&apart, items.stride(), items.runs()) {
            (recognised, length) = (apart, own);
        }
    }
    let is_one = recognised.len() == 1;
    if is_one && length <= GOOD && !walks {
        return recognised;
    }
    let mut effort = options.effort.clone();
    if options.floors {
        effort.divisor = i64::MAX;
    }
    // There is little to be won.
    if length <= if is_one { GOOD } else { FAIR } {
        effort.rounds = 0;
    } else if is_one {
        effort.rounds = effort.rounds.min(1);
    }
    let found = solve(&trace, &effort);
    if !verify::generates(&found, items.stride(), items.runs()) {
        return recognised;
    }
    let found = listed(found.into_iter().map(Piece::from).collect());
    if is_better(&found, &recognised, length) { found } else { recognised }
}

/// Bytes of a description that no search makes shorter.
const SHORT: u64 = 32;

/// Of so many integers, nests are to be expected only where what was recognised is so much shorter.
const LONG: u64 = 20_000;
const REGULAR: u64 = 16;
/// Integers of a run, on average, below which a good description is not searched for a better one.
const SHORT_ROWS: u64 = 4;
/// Bytes of a description that only the likely strategies are tried to make shorter.
const GOOD: u64 = 1024;
/// The same of a description by several statements, which may still be one nest.
const FAIR: u64 = 320;

/// Whether what the search found is preferred to what was recognised, which has this length: if it is shorter, by half if it
/// takes more loops without being one nest instead of several, or a perfect nest of no more loops and not much longer. A nest
/// of more loops that is not even shorter is one that happens to make these integers.
fn is_better(found: &[Statement], recognised: &[Statement], length: u64) -> bool {
    let own = description::length(found);
    let depth = |statements: &[Statement]| statements.iter().map(Statement::depth).max();
    if depth(found) > depth(recognised) {
        let is_one_instead = found.len() == 1 && recognised.len() > 1;
        return own < if is_one_instead { length } else { length / 2 };
    }
    let perfect = found.len() == 1 && found[0].nest().is_some();
    own < length || (perfect && own < length + length / 2)
}

/// The end of a part that was recognised: if it is not too long it is folded after all, and searched.
fn ended(mut recogniser: Recogniser, options: &Options) -> Vec<Statement> {
    if recogniser.is_empty() {
        return Vec::new();
    }
    if recogniser.len() == 1 {
        let only = condensed(recogniser.clone().take(0));
        if description::length(&only) <= SHORT {
            return only;
        }
    }
    let mut steps = Differences::default();
    let (mut last, mut fits) = (None, true);
    recogniser.runs(0, &mut |start, stride, count| {
        if let Some(last) = last {
            steps.push(start.wrapping_sub(last), 1);
        } else {
            steps.first = start;
        }
        steps.push(stride, count - 1);
        last = Some(start.wrapping_add(stride.wrapping_mul((count - 1) as i64)));
        fits = steps.steps.len() <= options.items.min(SEARCHED);
        fits
    });
    if !fits || irregular(&steps) {
        return condensed(recogniser.take(0));
    }
    let mut folding = Folding::of(&steps);
    folding.fold.run(folding.start, folding.count);
    let runs = folding.fold.runs();
    let items = folding.fold.finish();
    if let Some(nest) = folded_whole(&items, runs, options).filter(pays) {
        return vec![nest.into()];
    }
    shortest(&items, recogniser, options)
}

/// Steps of a part that was recognised, at most, for it to be searched.
const SEARCHED: usize = 1 << 20;

impl Options {
    /// Terms of a part that is recognised, at most.
    fn terms(&self) -> usize {
        self.items.clamp(4 * WINDOW, TERMS)
    }
}

/// The terms of some steps.
fn recognised(steps: &Differences, options: &Options) -> Recogniser {
    let mut recogniser = Recogniser::new(options.effort.depth);
    recogniser.single(steps.first);
    let mut last = steps.first;
    for &(difference, times) in &steps.steps {
        recogniser.line(last.wrapping_add(difference), difference, times);
        last = last.wrapping_add(difference.wrapping_mul(times as i64));
    }
    recogniser
}

/// The terms of what was folded.
fn recognised_items(items: &Items, options: &Options) -> Recogniser {
    let mut recogniser = Recogniser::new(options.effort.depth);
    items.each_term(&mut recogniser);
    recogniser
}

/// The statements of what was folded if rows that were joined by coincidence are taken apart; none if these are more terms
/// than so many, and a few that a loop has not begun to take in.
fn recognised_rows(items: &Items, terms: usize, options: &Options) -> Option<Vec<Statement>> {
    let mut recogniser = Recogniser::new(options.effort.depth);
    let (stride, most) = (items.stride(), terms + STAYING);
    for (start, count) in items.runs() {
        recogniser.rows(start, stride, count.unsigned_abs());
        if recogniser.len() > most {
            return None;
        }
    }
    Some(condensed(recogniser.take(0)))
}

/// Statements that are shorter than their integers, the others as integers; all as integers where these, packed, are shorter
/// still.
fn condensed(pieces: Vec<Piece>) -> Vec<Statement> {
    let statements = listed(pieces);
    let regular = |s: &&Statement| !matches!(s, Statement::Integers(_));
    let packed: u64 = statements
        .iter()
        .map(|s| if let Statement::Integers(p) = s { p.bytes().len() as u64 } else { 0 })
        .sum();
    let described: Vec<Statement> = statements.iter().filter(regular).cloned().collect();
    if described.len() < MANY {
        return statements;
    }
    let described = Reconstruction { nests: described, accesses: 0 };
    let length = codec::section(&described, Aim::Fast).len() as u64 + packed;
    // Most integers for which it may be worth the while.
    let most = usize::try_from(length.saturating_mul(RARE)).unwrap_or(usize::MAX);
    let mut values = Vec::new();
    for run in Runs::of(&statements) {
        if values.len().saturating_add(usize::try_from(run.count).unwrap_or(usize::MAX)) > most {
            return statements;
        }
        values.extend(run.values());
    }
    let blocks: Vec<Packed> = values.chunks(BLOCK).map(Packed::of).collect();
    match blocks.iter().map(|b| b.bytes().len() as u64).sum::<u64>() < length {
        true => blocks.into_iter().map(Statement::Integers).collect(),
        false => statements,
    }
}

/// Integers are shorter than statements only if there are at most so many for a byte of these.
const RARE: u64 = 16;
/// Statements from which on it is asked whether their integers are shorter.
const MANY: usize = 64;

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

    fn reconstructed(values: &[i64]) -> Vec<Statement> {
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
        assert_eq!(reconstructed(&[42]), [Nest::point(42).into()]);
        assert_eq!(reconstructed(&[7; 5]), [Nest::line(7, 0, 5).into()]);
        let rows: Vec<i64> = (0..12).collect();
        assert_eq!(reconstructed(&rows), [Nest::line(0, 1, 12).into()]);
    }

    #[test]
    fn two_levels_from_three_integers() {
        let nests = reconstructed(&[0, 1, 3]);
        assert_eq!((nests.len(), nests[0].depth()), (1, 2));
        let nests = reconstructed(&[0, 1, 2, 10, 11, 20]);
        let coefficients = nests[0].nest().map(|nest| nest.coefficients.clone());
        assert_eq!((nests.len(), coefficients), (1, Some(vec![10, 1])));
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

    /// Regression 11: where recognition was at rest at the end of the trace, an integer was added. Loops after noise are found.
    #[test]
    fn regression_11_noise_longer_than_terms_are_kept() {
        let mut random = crate::fuzzing::Random::new(9);
        let noise: Vec<i64> = (0..150_000).map(|_| random.below(1 << 30) as i64).collect();
        let mut all = Reconstructor::default();
        all.push(&noise);
        let found = all.finish();
        assert_eq!(check::check(&found.nests, noise.iter().copied()), Ok(()));
        let mut both = noise;
        both.extend((0..300).flat_map(|i| (0..200).map(move |j| 1000 * i + j)));
        let mut all = Reconstructor::default();
        all.push(&both);
        let found = all.finish();
        assert_eq!(check::check(&found.nests, both.iter().copied()), Ok(()));
        assert!(found.nests.last().is_some_and(|nest| nest.depth() == 2), "{:?}", found.nests.last());
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
