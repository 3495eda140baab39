//! The streaming vector run-length fold (ALGORITHMS 5.7).
//!
//! An *item* of height h stands for h loops: `(class, [start, n_1, …, n_h])`, `n_1` being the trip count of the innermost
//! loop where the item starts. Neighbouring items of one class whose vectors advance by a constant `delta` become one
//! item of height h+1 of the class `(class, delta)`. An advance counts once a third item confirms it; a block ends
//! exactly at the mismatch, so the phase is right. Every height keeps one open block, so a trace of one domain needs a
//! few words per loop however long it is.
//!
//! Invariant: the items of the top height, in order, expand to exactly the runs pushed ([`Items::runs`]).
//! Limits: what does not fold is kept item by item; the caller ends a segment when [`Fold::items`] grows too large.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::nest::{Bound, Level, MAX_DEPTH, Nest};
use crate::recognise::{ACCESS, Recogniser};

/// Height of the items that are kept in memory.
const KEPT: usize = 4;

type Vector = SmallVec<[i64; 6]>;

/// How the items of a class continue inside.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Class {
    inner: u32,
    /// Advance of `[start, n_1, …, n_{h−1}]` per iteration of loop h.
    delta: Vector,
}

#[derive(Debug, Clone, Default)]
struct Classes {
    list: Vec<Class>,
    ids: FxHashMap<Class, u32>,
}

impl Classes {
    /// Number of a class; 0 is that of plain runs.
    fn id(&mut self, inner: u32, delta: &[i64]) -> u32 {
        let class = Class { inner, delta: SmallVec::from_slice(delta) };
        let next = self.list.len() as u32 + 1;
        let id = *self.ids.entry(class.clone()).or_insert(next);
        if id == next {
            self.list.push(class);
        }
        id
    }
}

/// The open block of one height: items of height `width − 1`.
#[derive(Debug, Clone)]
struct Block {
    inner: u32,
    count: i64,
    first: Vector,
    delta: Vector,
    last: Vector,
    /// The class emitted last: it is mostly the next one as well.
    recent: (u32, Vector, u32),
}

impl Block {
    fn new() -> Block {
        Block {
            inner: 0,
            count: 0,
            first: Vector::new(),
            delta: Vector::new(),
            last: Vector::new(),
            recent: (u32::MAX, Vector::new(), 0),
        }
    }

    fn open(&mut self, class: u32, item: &[i64]) {
        self.inner = class;
        self.count = 1;
        self.first.clear();
        self.first.extend_from_slice(item);
        self.last.clone_from(&self.first);
    }

    /// Takes an item; what it closes is written to `closed` as `(class, vector)`.
    fn push(&mut self, class: u32, item: &[i64], classes: &mut Classes, closed: &mut Closed) {
        if self.count == 0 {
            self.open(class, item);
            return;
        }
        let same = class == self.inner && item.len() == self.last.len();
        if self.count == 1 {
            if same {
                self.delta.clear();
                self.delta.extend(item.iter().zip(&self.last).map(|(a, b)| a - b));
                self.advance(item);
                return;
            }
        } else if same && item.iter().zip(&self.last).zip(&self.delta).all(|((a, b), d)| a - b == *d) {
            self.advance(item);
            return;
        } else if self.count == 2 {
            // The advance was not confirmed: the first item stands alone.
            let last = self.last.clone();
            self.count = 1;
            self.emit(classes, closed);
            self.open(self.inner, &last);
            self.push(class, item, classes, closed);
            return;
        }
        self.emit(classes, closed);
        self.open(class, item);
    }

    fn advance(&mut self, item: &[i64]) {
        self.count += 1;
        self.last.clear();
        self.last.extend_from_slice(item);
    }

    fn emit(&mut self, classes: &mut Classes, closed: &mut Closed) {
        if self.count == 1 {
            self.delta.clear();
            self.delta.resize(self.first.len(), 0);
        }
        if self.recent.0 != self.inner || self.recent.1 != self.delta {
            self.recent = (self.inner, self.delta.clone(), classes.id(self.inner, &self.delta));
        }
        let mut vector = self.first.clone();
        vector.push(self.count);
        closed.push((self.recent.2, vector));
    }

    /// Ends the block. Two items with an unconfirmed advance become one only if `pair`.
    fn finish(&mut self, pair: bool, classes: &mut Classes, closed: &mut Closed) {
        if self.count == 2 && !pair {
            self.count = 1;
            let last = self.last.clone();
            self.emit(classes, closed);
            self.open(self.inner, &last);
        }
        if self.count > 0 {
            self.emit(classes, closed);
            self.count = 0;
        }
    }
}

type Closed = SmallVec<[(u32, Vector); 2]>;

/// Folds runs of one stride.
#[derive(Debug, Clone)]
pub struct Fold {
    runs: u64,
    // The open block of runs, flat for speed; its meaning is that of `Block`.
    first: (i64, i64),
    last: (i64, i64),
    delta: (i64, i64),
    count: i64,
    recent: (i64, i64, u32),
    upper: Vec<Block>,
    /// Whether a height has closed anything yet.
    emitted: Vec<bool>,
    classes: Classes,
    top: Items,
}

/// A list of items of one height.
#[derive(Debug, Clone, Default)]
pub struct Items {
    stride: i64,
    height: usize,
    vectors: Vec<i64>,
    classes: Vec<u32>,
    table: Vec<Class>,
}

impl Fold {
    /// A fold of runs whose neighbouring elements are `stride` apart.
    pub fn new(stride: i64) -> Fold {
        Fold {
            runs: 0,
            first: (0, 0),
            last: (0, 0),
            delta: (0, 0),
            count: 0,
            recent: (0, 0, 0),
            upper: (2..KEPT).map(|_| Block::new()).collect(),
            emitted: vec![false; KEPT],
            classes: Classes::default(),
            top: Items { stride, height: KEPT, ..Items::default() },
        }
    }

    /// Number of runs taken.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Number of items kept so far.
    pub fn items(&self) -> usize {
        self.top.classes.len() + self.classes.list.len()
    }

    /// Takes a run of `count` elements.
    #[inline]
    pub fn run(&mut self, start: i64, count: i64) {
        self.runs += 1;
        if self.count > 2 {
            // Differences of safe integers are in range, and so are the sums of what was seen.
            if start - self.last.0 == self.delta.0 && count - self.last.1 == self.delta.1 {
                self.count += 1;
                self.last = (start, count);
                return;
            }
            self.emit();
            self.open(start, count);
            return;
        }
        self.early(start, count);
    }

    /// The first three runs of a block.
    fn early(&mut self, start: i64, count: i64) {
        let delta = (start - self.last.0, count - self.last.1);
        match self.count {
            0 => self.open(start, count),
            1 => {
                self.delta = delta;
                self.last = (start, count);
                self.count = 2;
            }
            _ if delta == self.delta => {
                self.last = (start, count);
                self.count += 1;
            }
            _ => {
                let last = self.last;
                self.count = 1;
                self.emit();
                self.first = last;
                self.last = (start, count);
                self.delta = delta;
                self.count = 2;
            }
        }
    }

    /// Takes `times` runs of one element, `stride` apart.
    pub fn singles(&mut self, mut start: i64, stride: i64, mut times: u64) {
        while times > 0 {
            if self.count > 2 && self.delta == (stride, 0) && self.last == (start - stride, 1) {
                self.count += times as i64;
                self.runs += times;
                self.last.0 = start + stride * (times as i64 - 1);
                return;
            }
            self.run(start, 1);
            start += stride;
            times -= 1;
        }
    }

    fn open(&mut self, start: i64, count: i64) {
        self.first = (start, count);
        self.last = self.first;
        self.count = 1;
    }

    fn emit(&mut self) {
        if self.count == 1 {
            self.delta = (0, 0);
        }
        if self.recent.2 == 0 || (self.recent.0, self.recent.1) != self.delta {
            let id = self.classes.id(0, &[self.delta.0, self.delta.1]);
            self.recent = (self.delta.0, self.delta.1, id);
        }
        self.emitted[1] = true;
        let item = [self.first.0, self.first.1, self.count];
        self.raise(0, self.recent.2, &item);
    }

    /// Hands an item to a height above the runs; what it closes goes further up.
    fn raise(&mut self, at: usize, class: u32, item: &[i64]) {
        let Some(block) = self.upper.get_mut(at) else {
            self.top.vectors.extend_from_slice(item);
            self.top.classes.push(class);
            return;
        };
        let mut closed = Closed::new();
        block.push(class, item, &mut self.classes, &mut closed);
        for (class, item) in closed {
            self.emitted[at + 2] = true;
            self.raise(at + 1, class, &item);
        }
    }

    /// Ends the stream of runs.
    pub fn finish(mut self) -> Items {
        if self.count == 2 && self.emitted[1] {
            let last = self.last;
            self.count = 1;
            self.emit();
            self.open(last.0, last.1);
        }
        if self.count > 0 {
            self.emit();
        }
        for at in 0..self.upper.len() {
            let mut closed = Closed::new();
            let pair = !self.emitted[at + 2];
            self.upper[at].finish(pair, &mut self.classes, &mut closed);
            for (class, item) in closed {
                self.emitted[at + 2] = true;
                self.raise(at + 1, class, &item);
            }
        }
        let mut items = self.top;
        let mut classes = self.classes;
        while items.classes.len() > 1 && items.height < MAX_DEPTH {
            let folded = items.folded(&mut classes);
            if folded.classes.len() == items.classes.len() {
                break;
            }
            items = folded;
        }
        items.table = classes.list;
        items
    }
}

impl Items {
    /// Number of items.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    fn vector(&self, i: usize) -> &[i64] {
        &self.vectors[i * (self.height + 1)..(i + 1) * (self.height + 1)]
    }

    fn folded(&self, classes: &mut Classes) -> Items {
        let mut block = Block::new();
        let mut closed = Closed::new();
        let mut out = Items { stride: self.stride, height: self.height + 1, ..Items::default() };
        for (i, &class) in self.classes.iter().enumerate() {
            block.push(class, self.vector(i), classes, &mut closed);
            for (class, vector) in closed.drain(..) {
                out.classes.push(class);
                out.vectors.extend(vector);
            }
        }
        let pair = out.classes.is_empty();
        block.finish(pair, classes, &mut closed);
        for (class, vector) in closed.drain(..) {
            out.classes.push(class);
            out.vectors.extend(vector);
        }
        out
    }

    /// The stride of the runs.
    pub fn stride(&self) -> i64 {
        self.stride
    }

    /// The runs, in order, as `(start, count)`.
    pub fn runs(&self) -> Runs<'_> {
        self.runs_in(0..self.len())
    }

    /// The runs of some of the items.
    pub fn runs_in(&self, range: std::ops::Range<usize>) -> Runs<'_> {
        Runs { items: self, next: range.start, end: range.end, levels: SmallVec::new(), row: Row::default() }
    }

    /// Product of an item's first trip counts: a measure of its size.
    pub fn size(&self, i: usize) -> u64 {
        self.vector(i)[1..].iter().fold(1u64, |n, &x| n.saturating_mul(x.unsigned_abs()))
    }

    /// Item `i` as a nest, if all its numbers are in range.
    pub fn nest(&self, i: usize) -> Option<Nest> {
        let vector = self.vector(i);
        // Per height, innermost first: the advance of the vector, one entry per start and count below.
        let mut deltas: Vec<&[i64]> = Vec::new();
        let mut class = self.classes[i];
        while class != 0 {
            let c = &self.table[class as usize - 1];
            deltas.push(&c.delta);
            class = c.inner;
        }
        deltas.reverse();
        let height = self.height;
        let coefficient = |h: usize| if h == 1 { self.stride } else { deltas[h - 2][0] };
        let slope = |outer: usize, h: usize| deltas[outer - 2].get(h).copied().unwrap_or(0);
        // A loop that always runs once is none.
        let kept: Vec<usize> = (1..=height)
            .rev()
            .filter(|&h| vector[h] != 1 || (h + 1..=height).any(|outer| slope(outer, h) != 0))
            .collect();
        let levels = kept
            .iter()
            .enumerate()
            .map(|(q, &h)| Level {
                lower: vec![Bound::constant(q, 0)],
                upper: vec![Bound {
                    coefficients: kept[..q].iter().map(|&outer| slope(outer, h)).collect(),
                    constant: vector[h] - 1,
                    divisor: 1,
                }],
            })
            .collect();
        let coefficients = kept.iter().map(|&h| coefficient(h)).collect();
        Nest { levels, base: vector[0], coefficients }.validated()
    }
}

/// A number in the vector of an item: its position there, and its value in this copy.
type Component = (usize, i64);

impl Items {
    /// Hands the items to a recogniser of nested loops, as the terms that it would have made of them: loops that always run
    /// once or twice are written out.
    pub fn each_term(&self, to: &mut Recogniser) {
        for i in 0..self.len() {
            let mut chain: Vec<&[i64]> = Vec::new();
            let mut class = self.classes[i];
            while let Some(c) = (class as usize).checked_sub(1).and_then(|c| self.table.get(c)) {
                chain.push(&c.delta);
                class = c.inner;
            }
            chain.reverse();
            let stride = [self.stride];
            let deltas: Vec<&[i64]> = std::iter::once(&stride[..]).chain(chain).collect();
            for (class, components) in terms(self.vector(i), &deltas, self.height, to) {
                let vector: Vec<i64> = components.iter().map(|c| c.1).collect();
                to.term(class, &vector);
            }
        }
    }
}

/// The terms of the loops up to height `h`; `deltas` holds the advance of the vector per iteration of every loop.
fn terms(vector: &[i64], deltas: &[&[i64]], h: usize, to: &mut Recogniser) -> Vec<(u32, Vec<Component>)> {
    let Some(delta) = h.checked_sub(1).and_then(|below| deltas.get(below)) else {
        return vec![(ACCESS, vec![(0, vector[0])])];
    };
    let inner = terms(vector, deltas, h - 1, to);
    let advance = |&(at, value): &Component| (at, delta.get(at).copied().unwrap_or(0), value);
    let count = vector[h];
    let is_constant = deltas[h..].iter().all(|outer| outer.get(h).is_none_or(|&d| d == 0));
    match count {
        1 if is_constant => inner,
        2 if is_constant => {
            let next = inner.iter().map(|(class, components)| {
                let moved = components.iter().map(advance).map(|(at, d, value)| (at, value.wrapping_add(d)));
                (*class, moved.collect())
            });
            let next: Vec<_> = next.collect();
            inner.into_iter().chain(next).collect()
        }
        _ => {
            let members: Vec<u32> = inner.iter().map(|term| term.0).collect();
            let components: Vec<Component> = inner.into_iter().flat_map(|term| term.1).collect();
            let delta: Vec<i64> = components.iter().map(|c| advance(c).1).collect();
            let class = to.class(&members, &delta);
            vec![(class, components.into_iter().chain([(h, count)]).collect())]
        }
    }
}

/// The innermost two loops of an item that are being expanded.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    start: i64,
    count: i64,
    advance: (i64, i64),
    left: i64,
}

/// One loop above the runs of an item that is being expanded: the next child and how many are left.
#[derive(Debug)]
struct Open {
    class: u32,
    vector: Vector,
    left: i64,
}

/// Iterator over the runs of [`Items`].
#[derive(Debug)]
pub struct Runs<'a> {
    items: &'a Items,
    next: usize,
    end: usize,
    levels: SmallVec<[Open; 8]>,
    row: Row,
}

impl Iterator for Runs<'_> {
    type Item = (i64, i64);

    #[inline]
    fn next(&mut self) -> Option<(i64, i64)> {
        if self.row.left == 0 && !self.refill() {
            return None;
        }
        let run = (self.row.start, self.row.count);
        self.row.left -= 1;
        self.row.start = self.row.start.wrapping_add(self.row.advance.0);
        self.row.count = self.row.count.wrapping_add(self.row.advance.1);
        Some(run)
    }
}

impl Runs<'_> {
    /// Opens the next block of runs; false at the end.
    fn refill(&mut self) -> bool {
        loop {
            let (class, vector) = match self.levels.last_mut() {
                None => {
                    if self.next == self.end {
                        return false;
                    }
                    let class = self.items.classes[self.next];
                    let vector = Vector::from_slice(self.items.vector(self.next));
                    self.next += 1;
                    (class, vector)
                }
                Some(open) if open.left == 0 => {
                    self.levels.pop();
                    continue;
                }
                Some(open) => {
                    let class = &self.items.table[open.class as usize - 1];
                    let vector = open.vector.clone();
                    for (x, d) in open.vector.iter_mut().zip(&class.delta) {
                        *x = x.wrapping_add(*d);
                    }
                    open.left -= 1;
                    (class.inner, vector)
                }
            };
            self.descend(class, vector);
            if self.row.left > 0 {
                return true;
            }
        }
    }

    fn descend(&mut self, class: u32, mut vector: Vector) {
        let count = vector.pop().unwrap_or(0);
        let delta = &self.items.table[class as usize - 1].delta;
        if let ([start, n], [ds, dn]) = (&vector[..], &delta[..]) {
            self.row = Row { start: *start, count: *n, advance: (*ds, *dn), left: count };
            return;
        }
        self.levels.push(Open { class, vector, left: count });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(runs: &[(i64, i64)]) -> Items {
        let mut fold = Fold::new(1);
        for &(start, count) in runs {
            fold.run(start, count);
        }
        let items = fold.finish();
        assert_eq!(items.runs().collect::<Vec<_>>(), runs);
        items
    }

    #[test]
    fn a_tetrahedron_is_one_item() {
        let mut runs = Vec::new();
        for i in 3..10 {
            for j in 0..=i {
                runs.push((100 * i + 10 * j, j + 1));
            }
        }
        let items = folded(&runs);
        assert_eq!(items.len(), 1);
        let nest = items.nest(0).expect("in range");
        assert_eq!(nest.coefficients, [100, 10, 1]);
        assert_eq!(nest.levels[1].upper, [Bound { coefficients: vec![1], constant: 3, divisor: 1 }]);
        assert_eq!(nest.levels[2].upper, [Bound { coefficients: vec![0, 1], constant: 0, divisor: 1 }]);
    }

    #[test]
    fn what_does_not_fold_is_kept() {
        let runs: Vec<(i64, i64)> = (0..200).map(|k| ((k * k * 7919) % 1013, 1 + (k * k) % 5)).collect();
        folded(&runs);
    }

    #[test]
    fn two_items_at_the_end_are_a_loop() {
        let items = folded(&[(0, 2), (3, 1)]);
        assert_eq!(items.len(), 1);
        let nest = items.nest(0).expect("in range");
        assert_eq!((nest.depth(), nest.coefficients.clone()), (2, vec![3, 1]));
        assert_eq!(nest.levels[1].upper[0], Bound { coefficients: vec![-1], constant: 1, divisor: 1 });
    }

    #[test]
    fn singles_are_taken_in_bulk() {
        let mut bulk = Fold::new(1);
        bulk.singles(0, 10, 1000);
        let mut slow = Fold::new(1);
        for k in 0..1000 {
            slow.run(k * 10, 1);
        }
        assert_eq!(bulk.runs(), slow.runs());
        assert_eq!(bulk.finish().nest(0), slow.finish().nest(0));
    }
}
