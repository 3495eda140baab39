//! Nested loop recognition: imperfect nests in one greedy pass.
//!
//! After Alain Ketterlin and Philippe Clauss, "Prediction and trace compression of data access addresses through nested
//! loop recognition", CGO 2008. The trace is a stack of *terms*, accesses and loops. A term is `(class, vector)` like an item
//! of [`crate::fold`]: the class says which loops are inside each other and by how much their numbers advance, the vector holds
//! the first address of every access and the first trip count of every loop inside, its own count last. After every term:
//!
//! - *growth*: a loop that is followed by exactly what its next iteration would be counts one more;
//! - *formation*: if the last three groups of l terms, l up to the window, have equal classes and vectors that advance by
//!   the same differences, they become a loop of three iterations with a body of l terms;
//! - *absorption*: what stands before a new loop and is its iteration number −1 becomes part of it;
//! - *rotation*: if that is only the end of an iteration, the loop begins there instead. It was formed as soon as three groups
//!   were alike, which need not begin where iterations do: `c a b | c a b | c a b` of a trace `a b c a b c …`.
//!
//! An iteration in which an inner loop runs less than three times is written without that loop, since three iterations
//! make one; growth and absorption compare with that form. So triangles are one nest from their first row to their last.
//!
//! Invariant: the terms, in order, expand to exactly the integers pushed. Arithmetic is modulo 2^64: what is read off is
//! checked to be in range ([`Statement::validated`]), and what is not is written run by run.
//! Limits: [`Recogniser::take`] hands over the oldest terms, so that a stream of any length takes bounded memory. A body has at
//! most as many terms as the window; work per term is bounded by it.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::description::Piece;
use crate::nest::{Bound, Level, Nest};
use crate::statement::Statement;

/// Terms of a body, at most.
pub const WINDOW: usize = 32;
/// The same after many terms none of which was a loop, until there is one again.
const NARROW: usize = 8;
/// One loop for so many terms keeps the window open.
const RARE: usize = 1000;
/// Integers of an iteration that are compared one by one, at most.
const FEW: usize = 64;
/// Integers of a last iteration that is looked for in other terms, at most.
const MANY: usize = 4096;
/// Iterations that make a loop.
const THREE: i64 = 3;
/// Class of a single access.
pub const ACCESS: u32 = 0;

/// What the iterations of a loop have in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Class {
    /// Classes of the terms of its body.
    members: SmallVec<[u32; 4]>,
    /// Advance of the concatenated vectors of the body per iteration.
    delta: SmallVec<[i64; 6]>,
    /// Loops inside each other.
    depth: usize,
}

#[derive(Debug, Clone, Default)]
struct Classes {
    list: Vec<Class>,
    ids: FxHashMap<Class, u32>,
}

impl Classes {
    fn id(&mut self, class: Class) -> u32 {
        let next = self.list.len() as u32 + 1;
        let id = *self.ids.entry(class.clone()).or_insert(next);
        if id == next {
            self.list.push(class);
        }
        id
    }

    /// The class of a loop; `None` for an access.
    fn of(&self, id: u32) -> Option<&Class> {
        self.list.get((id as usize).checked_sub(1)?)
    }

    /// Numbers in the vector of a term.
    fn width(&self, id: u32) -> usize {
        self.of(id).map_or(1, |class| class.delta.len() + 1)
    }

    fn depth(&self, id: u32) -> usize {
        self.of(id).map_or(0, |class| class.depth)
    }

    /// Appends a term as it would stand in a trace, loops of less than three iterations written out. False where a trip
    /// count is negative.
    fn written(&self, id: u32, vector: &[i64], to: &mut Terms) -> bool {
        let (Some(class), Some((&count, first))) = (self.of(id), vector.split_last()) else {
            to.push(id, vector);
            return true;
        };
        if count >= THREE {
            to.push(id, vector);
            return true;
        }
        let mut body: Vector = SmallVec::from_slice(first);
        for iteration in 0..count {
            if iteration > 0 {
                body.iter_mut().zip(&class.delta).for_each(|(x, d)| *x = x.wrapping_add(*d));
            }
            if !self.body_written(class, &body, to) {
                return false;
            }
        }
        count >= 0
    }

    fn body_written(&self, class: &Class, body: &[i64], to: &mut Terms) -> bool {
        self.all_written(&class.members, body, to)
    }

    /// The same for terms one after the other.
    fn all_written(&self, members: &[u32], vectors: &[i64], to: &mut Terms) -> bool {
        let mut rest = vectors;
        members.iter().all(|&member| {
            let (own, after) = rest.split_at(self.width(member));
            rest = after;
            self.written(member, own, to)
        })
    }

    /// Visits the runs `(start, stride, count)` of a term.
    fn runs(&self, id: u32, vector: &[i64], visit: &mut dyn FnMut(i64, i64, u64) -> bool) -> bool {
        let (Some(class), Some((&count, first))) = (self.of(id), vector.split_last()) else {
            return vector.first().is_none_or(|&start| visit(start, 0, 1));
        };
        if count <= 0 {
            return true;
        }
        if class.members[..] == [ACCESS] {
            let (Some(&start), Some(&stride)) = (first.first(), class.delta.first()) else { return true };
            return visit(start, stride, count.unsigned_abs());
        }
        let mut body: Vector = SmallVec::from_slice(first);
        for _ in 0..count {
            let mut rest = &body[..];
            for &member in &class.members {
                let (own, after) = rest.split_at(self.width(member));
                rest = after;
                if !self.runs(member, own, visit) {
                    return false;
                }
            }
            body.iter_mut().zip(&class.delta).for_each(|(x, d)| *x = x.wrapping_add(*d));
        }
        true
    }

    /// A term as a statement; every number of its vector is affine in the counters around it, its constant first.
    fn statement(&self, id: u32, vector: &[Affine], outer: usize) -> Statement {
        let (Some(class), Some((count, first))) = (self.of(id), vector.split_last()) else {
            let (base, coefficients) = vector.first().and_then(|v| v.split_first()).unwrap_or((&0, &[]));
            return Nest { levels: Vec::new(), base: *base, coefficients: coefficients.to_vec() }.into();
        };
        let (constant, coefficients) = count.split_first().unwrap_or((&0, &[]));
        let upper =
            Bound { coefficients: coefficients.to_vec(), constant: constant.wrapping_sub(1), divisor: 1 };
        let level = Level { lower: vec![Bound::constant(outer, 0)], upper: vec![upper] };
        let inside: Vec<Affine> =
            first.iter().zip(&class.delta).map(|(v, &d)| v.iter().copied().chain([d]).collect()).collect();
        let mut rest = &inside[..];
        let member = |&member: &u32| {
            let (own, after) = rest.split_at(self.width(member));
            rest = after;
            self.statement(member, own, outer + 1)
        };
        Statement::of_loop(level, class.members.iter().map(member).collect())
    }
}

type Vector = SmallVec<[i64; 16]>;

/// An affine number: its constant, then a coefficient per counter around it.
type Affine = SmallVec<[i64; 6]>;

/// Terms one after the other.
#[derive(Debug, Clone, Default)]
struct Terms {
    list: Vec<Term>,
    /// Their vectors.
    pool: Vec<i64>,
    /// The first numbers of the vectors: of all terms, of the even ones and of the odd ones. What is compared most lies side
    /// by side.
    firsts: Vec<i64>,
    halves: [Vec<i64>; 2],
}

#[derive(Debug, Clone, Copy)]
struct Term {
    class: u32,
    /// Where its vector begins.
    at: usize,
    /// The first number of its vector.
    first: i64,
}

impl Terms {
    fn push(&mut self, class: u32, vector: &[i64]) {
        let first = vector.first().copied().unwrap_or(0);
        self.halves[self.list.len() % 2].push(first);
        self.firsts.push(first);
        self.list.push(Term { class, at: self.pool.len(), first });
        self.pool.extend_from_slice(vector);
    }

    /// Forgets the first terms.
    fn drop_first(&mut self, n: usize) {
        let from = self.list.get(n).map_or(self.pool.len(), |term| term.at);
        self.list.drain(..n);
        self.pool.drain(..from);
        self.list.iter_mut().for_each(|term| term.at -= from);
        self.firsts.clear();
        self.halves.iter_mut().for_each(Vec::clear);
        for (i, term) in self.list.iter().enumerate() {
            self.firsts.push(term.first);
            self.halves[i % 2].push(term.first);
        }
    }

    /// Lengths of groups, up to `most`, where the first number of the last term goes on as those of the same place in the
    /// two groups before: a bit each, length 1 lowest.
    #[inline]
    fn even(&self, most: usize) -> u64 {
        let n = self.firsts.len();
        let Some(&top) = self.firsts.last() else { return 0 };
        // Term n − 1 − 2l is as even or odd as the last.
        let half = &self.halves[(n - 1) % 2];
        let before = &self.firsts[n - 1 - most..n - 1];
        let before_those = &half[half.len() - 1 - most..half.len() - 1];
        let mut mask = 0;
        for (k, (a, b)) in before.iter().zip(before_those).enumerate() {
            mask |= u64::from(top.wrapping_add(*b) == a.wrapping_mul(2)) << (most - 1 - k);
        }
        mask
    }

    fn len(&self) -> usize {
        self.list.len()
    }

    fn vector(&self, i: usize) -> &[i64] {
        let end = self.list.get(i + 1).map_or(self.pool.len(), |next| next.at);
        &self.pool[self.list[i].at..end]
    }

    fn truncate(&mut self, len: usize) {
        if let Some(term) = self.list.get(len) {
            self.pool.truncate(term.at);
            self.list.truncate(len);
            self.firsts.truncate(len);
            self.halves[0].truncate(len.div_ceil(2));
            self.halves[1].truncate(len / 2);
        }
    }

    fn clear(&mut self) {
        self.truncate(0);
    }

    /// Whether a term is the same as one of others.
    fn is(&self, i: usize, others: &Terms, j: usize) -> bool {
        let (mine, theirs) = (self.list[i], others.list[j]);
        mine.class == theirs.class && mine.first == theirs.first && self.vector(i) == others.vector(j)
    }
}

/// A loop near the end of the trace, and how its next iteration would be written.
#[derive(Debug, Clone)]
struct Open {
    /// The loop.
    term: usize,
    next: Terms,
    /// Terms after the loop that are as foreseen.
    matched: usize,
}

/// Finds imperfect nests in a stream.
#[derive(Debug, Clone)]
pub struct Recogniser {
    terms: Terms,
    classes: Classes,
    /// Outer loops before inner ones.
    open: Vec<Open>,
    /// Deepest nest.
    depth: usize,
    /// Terms of a body, at most, at the moment.
    window: usize,
    scratch: Vec<i64>,
}

impl Recogniser {
    /// At the start of a stream; nests have at most so many loops inside each other.
    pub fn new(depth: usize) -> Recogniser {
        Recogniser {
            terms: Terms::default(),
            classes: Classes::default(),
            open: Vec::new(),
            depth: depth.max(1),
            window: WINDOW,
            scratch: Vec::new(),
        }
    }

    /// Number of terms.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether nothing was pushed.
    pub fn is_empty(&self) -> bool {
        self.terms.len() == 0
    }

    /// Numbers kept for terms and classes: a measure of memory.
    pub fn kept(&self) -> usize {
        self.terms.len() + self.terms.pool.len() + 8 * self.classes.list.len()
    }

    /// Takes one integer.
    #[inline]
    pub fn single(&mut self, value: i64) {
        self.terms.push(ACCESS, &[value]);
        self.reduce();
    }

    /// Takes the integers of a progression. The integer before it is its first if it stands alone and fits. Short ones may be
    /// chance: whether they are loops is decided as for any integers.
    pub fn line(&mut self, mut start: i64, stride: i64, mut count: u64) {
        let before = start.wrapping_sub(stride);
        if count >= THREE as u64
            && let Some(last) = self.terms.list.last()
            && last.class == ACCESS
            && last.first == before
        {
            let len = self.terms.len() - 1;
            self.cut(len);
            (start, count) = (before, count + 1);
        }
        self.alone(start, stride, count);
    }

    /// Takes the integers of a progression that may be several rows: the last row of a tile runs into the first of the next
    /// where that begins one stride after it. Where a loop awaits less of it, the rest begins anew.
    pub fn rows(&mut self, mut start: i64, stride: i64, mut count: u64) {
        let mut is_rest = false;
        while let Some(n) = self.row(start, stride).filter(|&n| n < count) {
            self.alone(start, stride, n);
            start = start.wrapping_add(stride.wrapping_mul(n as i64));
            count -= n;
            is_rest = true;
        }
        // A rest is not joined with what it was separated from.
        match is_rest {
            true => self.alone(start, stride, count),
            false => self.line(start, stride, count),
        }
    }

    /// How many integers of a progression are awaited before something else is: a row, or single accesses if they complete an
    /// iteration.
    fn row(&self, start: i64, stride: i64) -> Option<u64> {
        let open = self.awaiting()?;
        let (mut covered, mut is_row, mut fits) = (0u64, false, true);
        for i in open.matched..open.next.len() {
            let more =
                self.classes.runs(open.next.list[i].class, open.next.vector(i), &mut |first, advance, n| {
                    let foreseen = start.wrapping_add(stride.wrapping_mul(covered as i64));
                    fits = first == foreseen && (n == 1 || advance == stride) && (n == 1 || covered == 0);
                    covered = covered.saturating_add(n);
                    is_row = n > 1;
                    fits && !is_row
                });
            if !more {
                break;
            }
        }
        (fits && covered > 0).then_some(covered)
    }

    /// The loop whose next iteration is foreseen: the outermost in which all came as foreseen, else the innermost.
    fn awaiting(&self) -> Option<&Open> {
        let last = self.terms.len().checked_sub(1)?;
        let as_foreseen = |open: &&Open| open.matched > 0 && open.matched == last - open.term;
        let complete = |open: &&Open| open.term == last;
        self.open.iter().find(as_foreseen).or_else(|| self.open.iter().rev().find(complete))
    }

    /// Takes the integers of a progression that nothing before it belongs to.
    fn alone(&mut self, start: i64, stride: i64, count: u64) {
        if count < THREE as u64 {
            (0..count as i64).for_each(|k| self.single(start.wrapping_add(stride.wrapping_mul(k))));
            return;
        }
        // Longer than is represented only by a run of 2^63 integers.
        let counted = i64::try_from(count).unwrap_or(i64::MAX);
        let class = self.class(&[ACCESS], &[stride]);
        self.term(class, &[start, counted]);
    }

    /// The class of a loop with such a body, the vector of which advances so.
    pub fn class(&mut self, members: &[u32], delta: &[i64]) -> u32 {
        let depth = 1 + members.iter().map(|&m| self.classes.depth(m)).max().unwrap_or(0);
        self.classes.id(Class {
            members: SmallVec::from_slice(members),
            delta: SmallVec::from_slice(delta),
            depth,
        })
    }

    /// Takes a term of a class that [`Recogniser::class`] gave, or an access.
    pub fn term(&mut self, class: u32, vector: &[i64]) {
        // Three integers may be chance, as in `line`.
        if let ([start, THREE], Some(Class { delta, depth: 1, .. })) = (vector, self.classes.of(class))
            && let [stride] = delta[..]
        {
            return (0..THREE).for_each(|k| self.single(start.wrapping_add(stride.wrapping_mul(k))));
        }
        self.terms.push(class, vector);
        if class != ACCESS {
            self.opened();
        }
        self.reduce();
    }

    /// Where the next run starts if the loops go on, how many integers it has, and where the run after it starts: as the
    /// outermost loop foresees in which all came as foreseen, else as the innermost.
    pub fn expected(&self) -> Option<(i64, u64, Option<i64>)> {
        let open = self.awaiting()?;
        let mut runs: SmallVec<[(i64, u64); 2]> = SmallVec::new();
        let mut two = |terms: &Terms, from: usize| {
            (from..terms.len()).all(|i| {
                self.classes.runs(terms.list[i].class, terms.vector(i), &mut |start, _, count| {
                    runs.push((start, count));
                    runs.len() < 2
                })
            })
        };
        if two(&open.next, open.matched) {
            // The iteration after the next one.
            let class = self.classes.of(self.terms.list[open.term].class)?;
            let (&count, first) = self.terms.vector(open.term).split_last()?;
            let advance = |(x, d): (&i64, &i64)| x.wrapping_add(d.wrapping_mul(count.wrapping_add(1)));
            let body: Vector = first.iter().zip(&class.delta).map(advance).collect();
            let mut after = Terms::default();
            if self.classes.body_written(class, &body, &mut after) {
                two(&after, 0);
            }
        }
        let &(start, count) = runs.first()?;
        Some((start, count, runs.get(1).map(|run| run.0)))
    }

    /// Forgets the terms from `len` on.
    fn cut(&mut self, len: usize) {
        self.terms.truncate(len);
        while self.open.last().is_some_and(|open| open.term >= len) {
            self.open.pop();
        }
        for open in &mut self.open {
            open.matched = open.matched.min(len - 1 - open.term);
        }
    }

    /// Combines terms at the end while that is possible.
    fn reduce(&mut self) {
        loop {
            match self.foreseen() {
                Foreseen::Grown => {}
                Foreseen::Yes => return,
                Foreseen::No if self.form() => {}
                Foreseen::No => return,
            }
        }
    }

    /// Compares the last term with what open loops await.
    fn foreseen(&mut self) -> Foreseen {
        let len = self.terms.len();
        let mut found = Foreseen::No;
        let mut grown = None;
        for (at, open) in self.open.iter_mut().enumerate().rev() {
            let distance = len - 1 - open.term;
            if distance > 3 * WINDOW {
                break;
            }
            if distance == 0 {
                continue;
            }
            open.matched = open.matched.min(distance - 1);
            if open.matched + 1 == distance
                && distance <= open.next.len()
                && self.terms.is(len - 1, &open.next, distance - 1)
            {
                open.matched = distance;
                found = Foreseen::Yes;
                if distance == open.next.len() {
                    grown = Some(at);
                    break;
                }
            }
        }
        if let Some(at) = grown {
            let term = self.open[at].term;
            self.cut(term + 1);
            if let Some(count) = self.terms.pool.last_mut() {
                *count += 1;
            }
            self.await_next(at);
            return Foreseen::Grown;
        }
        found
    }

    /// Computes what the next iteration of an open loop would be.
    fn await_next(&mut self, at: usize) {
        let Recogniser { terms, classes, open, scratch, .. } = self;
        let open = &mut open[at];
        open.next.clear();
        open.matched = 0;
        let (Some(class), Some((&count, first))) =
            (classes.of(terms.list[open.term].class), terms.vector(open.term).split_last())
        else {
            return;
        };
        scratch.clear();
        scratch.extend(first.iter().zip(&class.delta).map(|(x, d)| x.wrapping_add(d.wrapping_mul(count))));
        if !classes.body_written(class, scratch, &mut open.next) {
            open.next.clear();
        }
    }

    /// The last term is a loop that may grow.
    fn opened(&mut self) {
        let term = self.terms.len() - 1;
        // Those far away wait in vain.
        if self.open.first().is_some_and(|o| term - o.term > 6 * WINDOW) {
            self.open.retain(|o| term - o.term <= 3 * WINDOW);
        }
        self.open.push(Open { term, next: Terms::default(), matched: 0 });
        self.await_next(self.open.len() - 1);
    }

    /// The last three groups of some number of terms become a loop.
    #[inline]
    fn form(&mut self) -> bool {
        let n = self.terms.len();
        let mut candidates = self.terms.even(self.window.min(n.saturating_sub(1) / 2));
        while candidates != 0 {
            let l = candidates.trailing_zeros() as usize + 1;
            candidates &= candidates - 1;
            if 3 * l <= n && self.is_even(l) {
                return self.formed(l);
            }
        }
        false
    }

    /// Whether the last three groups of l terms advance by the same differences.
    fn is_even(&self, l: usize) -> bool {
        let n = self.terms.len();
        let deepest = (n - l..n).map(|i| self.classes.depth(self.terms.list[i].class)).max();
        deepest < Some(self.depth)
            && (n - l..n).rev().all(|i| {
                let (x, y, z) = (self.terms.list[i], self.terms.list[i - l], self.terms.list[i - 2 * l]);
                x.class == y.class && y.class == z.class && {
                    let (x, y, z) =
                        (self.terms.vector(i), self.terms.vector(i - l), self.terms.vector(i - 2 * l));
                    x.iter().zip(y).zip(z).all(|((x, y), z)| x.wrapping_sub(*y) == y.wrapping_sub(*z))
                }
            })
    }

    /// Makes a loop of the last three groups of l terms.
    fn formed(&mut self, l: usize) -> bool {
        self.window = WINDOW;
        let n = self.terms.len();
        let (first, second) = (n - 3 * l, n - 2 * l);
        let at = |i: usize| self.terms.list[i].at;
        let (old, new) = (&self.terms.pool[at(first)..at(second)], &self.terms.pool[at(second)..at(n - l)]);
        let members: SmallVec<[u32; 4]> = self.terms.list[first..second].iter().map(|t| t.class).collect();
        let delta: Vector = new.iter().zip(old).map(|(new, old)| new.wrapping_sub(*old)).collect();
        let vector: Vector = old.iter().copied().chain([THREE]).collect();
        let class = self.class(&members, &delta);
        self.cut(first);
        let vector = self.absorb(class, vector);
        self.rotate(class, &vector);
        true
    }

    /// How many of the last terms are these: as they are written, or the same few integers in terms that became loops by
    /// chance.
    fn at_end(&self, written: &Terms) -> Option<usize> {
        let (n, l) = (self.terms.len(), written.len());
        if (1..=n).contains(&l) && (0..l).rev().all(|j| self.terms.is(n - l + j, written, j)) {
            return Some(l);
        }
        let wanted = self.few_integers(written, 0)?;
        let mut have = 0;
        let mut first = n;
        while have < wanted.len() {
            first = first.checked_sub(1)?;
            have += self.count(first, FEW)?;
        }
        (have == wanted.len() && !wanted.is_empty() && self.few_integers(&self.terms, first)? == wanted)
            .then_some(n - first)
    }

    /// The integers of a term, if they are at most so many.
    fn count(&self, i: usize, most: usize) -> Option<usize> {
        let mut count = 0;
        let all = self.classes.runs(self.terms.list[i].class, self.terms.vector(i), &mut |_, _, n| {
            count += usize::try_from(n).unwrap_or(usize::MAX / 2);
            count <= most
        });
        all.then_some(count)
    }

    /// The integers of terms from one on, if there are only a few.
    fn few_integers(&self, terms: &Terms, from: usize) -> Option<SmallVec<[i64; FEW]>> {
        let mut out = SmallVec::new();
        for i in from..terms.len() {
            let all = self.classes.runs(terms.list[i].class, terms.vector(i), &mut |start, stride, count| {
                let fits = out.len() as u64 + count <= FEW as u64;
                if fits {
                    out.extend((0..count as i64).map(|k| start.wrapping_add(stride.wrapping_mul(k))));
                }
                fits
            });
            if !all {
                return None;
            }
        }
        Some(out)
    }

    /// Removes what stands at the end and is an earlier iteration of a loop; gives the loop's vector with these iterations.
    fn absorb(&mut self, id: u32, mut vector: Vector) -> Vector {
        let mut written = Terms::default();
        while let (Some(class), Some((count, first))) = (self.classes.of(id), vector.split_last_mut()) {
            written.clear();
            first.iter_mut().zip(&class.delta).for_each(|(x, d)| *x = x.wrapping_sub(*d));
            let is_possible = self.classes.body_written(class, first, &mut written);
            let Some(l) = is_possible.then(|| self.at_end(&written)).flatten() else {
                first.iter_mut().zip(&class.delta).for_each(|(x, d)| *x = x.wrapping_add(*d));
                break;
            };
            *count += 1;
            self.cut(self.terms.len() - l);
        }
        vector
    }

    /// Pushes a loop, from where the terms before it are the end of an earlier iteration; what that leaves of the last
    /// iteration follows it.
    fn rotate(&mut self, id: u32, vector: &[i64]) {
        let Some((rotated, vector, rest)) = self.rotated(id, vector) else {
            return self.push_loop(id, vector);
        };
        let class = self.class(&rotated.members, &rotated.delta);
        let vector = self.absorb(class, vector);
        self.push_loop(class, &vector);
        for i in 0..rest.len() {
            self.term(rest.list[i].class, rest.vector(i));
        }
    }

    fn push_loop(&mut self, class: u32, vector: &[i64]) {
        self.terms.push(class, vector);
        self.opened();
    }

    /// The class and vector of a loop that begins with as many terms before it as are the end of its iteration number −1,
    /// which are removed, and the terms of its last iteration that come after it.
    fn rotated(&mut self, id: u32, vector: &[i64]) -> Option<(Class, Vector, Terms)> {
        let class = self.classes.of(id)?;
        let (&count, first) = vector.split_last()?;
        let at = |iteration: i64| -> Vector {
            first.iter().zip(&class.delta).map(|(x, d)| x.wrapping_add(d.wrapping_mul(iteration))).collect()
        };
        let before = at(-1);
        let mut written = Terms::default();
        let mut offset = 0;
        let mut found = None;
        for j in 1..class.members.len() {
            offset += self.classes.width(class.members[j - 1]);
            written.clear();
            let tail = &class.members[j..];
            if self.classes.all_written(tail, &before[offset..], &mut written)
                && let Some(l) = self.at_end(&written)
            {
                found = Some((j, offset, l));
                break;
            }
        }
        let (j, offset, l) = found?;
        let mut rest = Terms::default();
        if !self.classes.all_written(&class.members[j..], &at(count - 1)[offset..], &mut rest) {
            return None;
        }
        let mut rotated = class.clone();
        rotated.members.rotate_left(j);
        rotated.delta.rotate_left(offset);
        let vector = before[offset..].iter().chain(&first[..offset]).chain([&count]).copied().collect();
        self.cut(self.terms.len() - l);
        Some((rotated, vector, rest))
    }

    /// Hands over the oldest terms; the last `keep` terms stay.
    pub fn take(&mut self, keep: usize) -> Vec<Piece> {
        let n = self.terms.len().saturating_sub(keep);
        let mut taken = Vec::with_capacity(n);
        let mut loops = 0;
        let mut i = 0;
        while i < n {
            let Term { class, first, .. } = self.terms.list[i];
            i += 1;
            if class == ACCESS {
                taken.push(Piece::Integer(first));
                continue;
            }
            loops += 1;
            let mut vector: Vector = SmallVec::from_slice(self.terms.vector(i - 1));
            while let Some(end) = self.goes_on(class, &vector, i..n)
                && let Some(count) = vector.last_mut()
            {
                *count += 1;
                i = end;
            }
            taken.extend(self.statements_of(class, &vector).into_iter().map(Piece::Statement));
        }
        if loops * RARE < n {
            self.window = NARROW;
        }
        self.drop_first(n);
        taken
    }

    /// Forgets all but the last `keep` terms.
    pub fn forget(&mut self, keep: usize) {
        self.drop_first(self.terms.len().saturating_sub(keep));
    }

    /// Visits the runs `(start, stride, count)` of the oldest terms, up to the last `keep`.
    pub fn runs(&self, keep: usize, visit: &mut dyn FnMut(i64, i64, u64) -> bool) {
        let n = self.terms.len().saturating_sub(keep);
        for i in 0..n {
            if !self.classes.runs(self.terms.list[i].class, self.terms.vector(i), visit) {
                return;
            }
        }
    }

    /// Forgets the oldest terms, and the classes that only they had.
    fn drop_first(&mut self, n: usize) {
        self.terms.drop_first(n);
        self.open.retain_mut(|open| {
            let stays = open.term >= n;
            open.term = open.term.saturating_sub(n);
            stays
        });
        let old = std::mem::take(&mut self.classes);
        let mut ids = FxHashMap::default();
        for term in &mut self.terms.list {
            term.class = old.moved(term.class, &mut self.classes, &mut ids);
        }
        for at in 0..self.open.len() {
            let matched = self.open[at].matched;
            self.await_next(at);
            self.open[at].matched = matched.min(self.open[at].next.len());
        }
    }

    /// Where the next iteration of a loop ends, if the terms in a range begin with it, in whatever form. The last iterations of
    /// a nest may be so short that their integers became other loops than before.
    fn goes_on(&self, id: u32, vector: &[i64], range: std::ops::Range<usize>) -> Option<usize> {
        let class = self.classes.of(id)?;
        let (&count, first) = vector.split_last()?;
        // A progression would have gone on by itself.
        if class.members[..] == [ACCESS] || count == i64::MAX {
            return None;
        }
        let next = self.terms.list.get(range.start)?;
        let mut begins = None;
        self.classes.runs(next.class, self.terms.vector(range.start), &mut |start, _, _| {
            begins = Some(start);
            false
        });
        let body: Vector =
            first.iter().zip(&class.delta).map(|(x, d)| x.wrapping_add(d.wrapping_mul(count))).collect();
        let (mut wanted, mut fits, mut rest) = (Vec::new(), true, &body[..]);
        for &member in &class.members {
            let (own, after) = rest.split_at(self.classes.width(member));
            rest = after;
            fits = fits
                && self.classes.runs(member, own, &mut |start, stride, n| {
                    let n = usize::try_from(n).unwrap_or(usize::MAX);
                    let fits = n <= MANY - wanted.len() && (!wanted.is_empty() || begins == Some(start));
                    if fits {
                        wanted.extend((0..n as i64).map(|k| start.wrapping_add(stride.wrapping_mul(k))));
                    }
                    fits
                });
        }
        let mut left = &wanted[..];
        for i in range {
            if !fits || left.is_empty() {
                break;
            }
            let term = self.terms.list[i];
            fits = self.classes.runs(term.class, self.terms.vector(i), &mut |start, stride, n| {
                let Some((own, after)) = usize::try_from(n).ok().and_then(|n| left.split_at_checked(n))
                else {
                    return false;
                };
                left = after;
                own.iter().zip(0..).all(|(&v, k)| v == start.wrapping_add(stride.wrapping_mul(k)))
            });
            if fits && left.is_empty() && !wanted.is_empty() {
                return Some(i + 1);
            }
        }
        None
    }

    fn statements_of(&self, class: u32, vector: &[i64]) -> Vec<Statement> {
        let affine: Vec<Affine> = vector.iter().map(|&v| SmallVec::from_slice(&[v])).collect();
        if let Some(statement) = self.classes.statement(class, &affine, 0).validated() {
            return vec![statement];
        }
        let mut out = Vec::new();
        self.classes.runs(class, vector, &mut |start, stride, count| {
            out.push(Nest::line(start, stride, count).into());
            true
        });
        out
    }
}

impl Classes {
    /// The number of a class in another table.
    fn moved(&self, id: u32, to: &mut Classes, ids: &mut FxHashMap<u32, u32>) -> u32 {
        let Some(class) = self.of(id) else { return id };
        if let Some(&known) = ids.get(&id) {
            return known;
        }
        let members = class.members.iter().map(|&member| self.moved(member, to, ids)).collect();
        let new = to.id(Class { members, ..class.clone() });
        ids.insert(id, new);
        new
    }
}

/// Whether the last term was foreseen by an open loop.
enum Foreseen {
    /// It completed an iteration: the loop counts one more.
    Grown,
    /// It is a part of the next iteration.
    Yes,
    No,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use crate::description::statements;
    use crate::fuzzing::Random;

    fn recognised(values: &[i64]) -> Vec<Statement> {
        let mut recogniser = Recogniser::new(10);
        values.iter().for_each(|&v| recogniser.single(v));
        let mut runs = Vec::new();
        recogniser.runs(0, &mut |start, stride, count| {
            runs.extend((0..count as i64).map(|k| start.wrapping_add(stride.wrapping_mul(k))));
            true
        });
        assert_eq!(runs, values);
        let found = statements(recogniser.take(0));
        assert_eq!(check::check(&found, values.iter().copied()), Ok(()));
        found
    }

    fn one(values: &[i64], loops: usize) -> Statement {
        let found = recognised(values);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].depth(), loops, "{found:?}");
        found[0].clone()
    }

    #[test]
    fn interleaved_progressions() {
        let two: Vec<i64> = (0..50).flat_map(|i| [i, 1_000_000 + 3 * i]).collect();
        one(&two, 1);
        let three: Vec<i64> = (0..50).flat_map(|i| [i, 1000 - 7 * i, 4 * i]).collect();
        one(&three, 1);
    }

    #[test]
    fn an_arrow_matrix_in_rows() {
        let mut columns: Vec<i64> = (0..40).collect();
        columns.extend((1..40).flat_map(|i| [0, i]));
        let found = recognised(&columns);
        assert_eq!(found.len(), 2, "{found:?}");
    }

    /// `for i { a; for j <= i { b }; c }`, from one iteration of the inner loop or from none, and falling.
    #[test]
    fn triangles_with_statements_around() {
        let rows = |trips: &dyn Fn(i64) -> i64| -> Vec<i64> {
            (0..12)
                .flat_map(|i| {
                    let inner = (0..trips(i)).map(move |j| 50_000 + 170 * i + 8 * j);
                    [1000 * i].into_iter().chain(inner).chain([900_000 - 13 * i]).collect::<Vec<_>>()
                })
                .collect()
        };
        one(&rows(&|i| i + 1), 2);
        one(&rows(&|i| i), 2);
        one(&rows(&|i| 11 - i), 2);
        one(&rows(&|i| 2 * (11 - i)), 2);
        one(&rows(&|_| 2), 1);
    }

    /// A reference `k·n + j` with k outside the tiles of i and j.
    #[test]
    fn the_tile_loop_of_k_outside() {
        for n in [230, 260, 288, 300] {
            let mut recogniser = Recogniser::new(10);
            for k in 0..20 {
                for it in (0..n).step_by(32) {
                    for jt in (0..n).step_by(32) {
                        for _ in it..n.min(it + 32) {
                            let last = n.min(jt + 32);
                            recogniser.line(k * n + jt, 1, (last - jt) as u64);
                        }
                    }
                }
            }
            let found = statements(recogniser.take(0));
            assert_eq!((found.len(), found[0].depth() <= 5), (1, true), "{n}: {found:?}");
        }
    }

    /// The same as a scan sees it, with the last row of a tile joined to the first of the next; tiles at the ends are small.
    #[test]
    fn rows_that_run_into_the_next_tile_are_taken_apart() {
        for n in [230, 260, 288, 300] {
            let mut rows: Vec<(i64, i64)> = Vec::new();
            for k in 0..5 {
                for it in (0..n).step_by(32) {
                    for jt in (0..n).step_by(32) {
                        for _ in it..n.min(it + 32) {
                            let (start, count) = (k * n + jt, n.min(jt + 32) - jt);
                            match rows.last_mut() {
                                Some(last) if last.0 + last.1 == start => last.1 += count,
                                _ => rows.push((start, count)),
                            }
                        }
                    }
                }
            }
            let (mut joined, mut apart) = (Recogniser::new(10), Recogniser::new(10));
            rows.iter().for_each(|&(start, count)| joined.line(start, 1, count as u64));
            rows.iter().for_each(|&(start, count)| apart.rows(start, 1, count as u64));
            let (joined, apart) = (statements(joined.take(0)), statements(apart.take(0)));
            let values = || rows.iter().flat_map(|&(start, count)| start..start + count);
            assert_eq!(check::check(&joined, values()), Ok(()), "{n}");
            assert_eq!(check::check(&apart, values()), Ok(()), "{n}");
            assert_eq!((apart.len(), apart[0].depth() <= 5), (1, true), "{n}: {apart:?}");
        }
    }

    /// The inner loops of the last iterations run twice and once: their integers are other loops by themselves.
    #[test]
    fn short_last_iterations_are_iterations() {
        let values: Vec<i64> = (0i64..10)
            .flat_map(|i| {
                let inner =
                    move |j: i64| (0..10 - i).flat_map(move |k| [70 * j + 9 * k, 100_000 + 300 * i + 11 * j]);
                [1000 * i].into_iter().chain((0..4).flat_map(inner)).collect::<Vec<_>>()
            })
            .collect();
        one(&values, 3);
    }

    #[test]
    fn random_integers_are_no_nest() {
        let mut random = Random::new(1);
        let ten: Vec<i64> = (0..10).map(|_| random.below(1000) as i64).collect();
        assert_eq!(recognised(&ten).len(), 10);
    }

    /// Random programs of loops and accesses come back exactly; so do integers of few values, where much matches by chance.
    #[test]
    fn whatever_comes_is_given_back() {
        let mut random = Random::new(2);
        for _ in 0..300 {
            let most = 2 + random.below(6);
            let n = random.below(400);
            let values: Vec<i64> = (0..n).map(|_| random.below(most) as i64).collect();
            recognised(&values);
        }
        recognised(&[i64::MIN, i64::MAX, 0, i64::MIN, i64::MAX, 0, i64::MIN, i64::MAX, 0, 5, 5, 5, 5]);
    }

    #[test]
    fn what_comes_next_in_a_body_of_several_statements() {
        let mut recogniser = Recogniser::new(10);
        for i in 0..5 {
            recogniser.single(100 * i);
            recogniser.line(5000 + i, 3, 4);
        }
        assert_eq!(recogniser.expected(), Some((500, 1, Some(5005))));
        recogniser.single(500);
        assert_eq!(recogniser.expected(), Some((5005, 4, Some(600))));
        assert_eq!(Recogniser::new(10).expected(), None);
    }

    #[test]
    fn taking_the_oldest_terms_changes_no_integer() {
        let mut random = Random::new(5);
        let values: Vec<i64> =
            (0..5000).map(|k| if k % 700 < 300 { 3 * k } else { random.below(50) as i64 }).collect();
        let mut recogniser = Recogniser::new(10);
        let mut found = Vec::new();
        for &value in &values {
            recogniser.single(value);
            if recogniser.len() > 400 {
                found.extend(statements(recogniser.take(2 * WINDOW)));
            }
        }
        found.extend(statements(recogniser.take(0)));
        assert_eq!(check::check(&found, values.iter().copied()), Ok(()));
    }
}
