//! The streaming fold.
//!
//! One *group* per open piece and level. A group at level q holds items that agree on everything outside q, whose
//! coordinate x_q advances by one constant step, and whose description (start and count of every inner level, first
//! label of every output) advances by one constant vector. A group closes when nothing continued it by the time an outer
//! coordinate moves; it then is an item of level q−1. This is the vector run-length fold of ALGORITHMS 5.7 with the
//! iteration vector as key (ALGORITHMS 3.9); slopes are any integers and steps any positive integer.
//!
//! ⊤: where only labels break the pattern and widening is on, the coefficient of the level becomes unknown and the group
//! keeps a fingerprint (128 bits) of its labels relative to the first. Groups with a fingerprint continue one another
//! only with equal fingerprints, equal starts and equal counts, so a known coefficient beside an unknown one holds for
//! every pair of points (up to a collision of fingerprints).
//!
//! Limits: at most [`Options::alive`] open groups and [`Options::pieces`] finished pieces; beyond, one box min..max.

use std::hash::BuildHasher;

use poly::Affine;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::piece::{Coefficient, Folded, Label, Level, Piece};

/// What to do with streams that are not affine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Replace label coefficients by ⊤ where that lets points fold together.
    pub widen: bool,
    /// Most open groups at one time before giving up.
    pub alive: usize,
    /// Most finished pieces before giving up.
    pub pieces: usize,
}

impl Options {
    /// The published default, `4d+1` open groups for a d-dimensional stream, and as many more as vector code needs for
    /// its phases; room for 16 finished pieces a group.
    pub fn for_dimensions(dims: usize, widen: bool) -> Options {
        Options { widen, alive: 4 * dims + 1 + PHASES, pieces: 16 * (4 * dims + 1) + 4 * PHASES }
    }

    /// Never give up.
    pub fn unlimited(widen: bool) -> Options {
        Options { widen, alive: usize::MAX, pieces: usize::MAX }
    }
}

/// Interleaved lattices that one vector access read or written by scalar code leaves at most.
const PHASES: usize = 32;

/// Labels of consecutive points relative to the first, of one output.
#[derive(Debug, Clone)]
pub struct Row {
    count: i64,
    is_affine: bool,
    delta: i64,
    last: i64,
    least: i64,
    most: i64,
    fingerprint: u128,
    /// The row with a point before it, and how far its labels are from that point's.
    longer: Option<(i64, Box<Row>)>,
}

impl Row {
    /// The row that begins with `begun` and goes on with these labels, those of this row.
    fn after(&mut self, begun: i64, labels: impl Iterator<Item = i64> + Clone) -> &mut Row {
        let first = labels.clone().next().unwrap_or(begun);
        let apart = first.wrapping_sub(begun);
        let known = self.longer.take().filter(|l| l.0 == apart);
        let longer = known.unwrap_or_else(|| {
            let relative: Vec<i64> =
                std::iter::once(0).chain(labels.map(|l| l.wrapping_sub(begun))).collect();
            (apart, Box::new(Row::new(&relative)))
        });
        &mut self.longer.insert(longer).1
    }

    /// Describes a row by its labels less the first one.
    pub fn new(relative: &[i64]) -> Row {
        let delta = relative.get(1).copied().unwrap_or(0);
        let mut row = Row {
            count: relative.len() as i64,
            is_affine: true,
            delta,
            last: relative.last().copied().unwrap_or(0),
            least: 0,
            most: 0,
            fingerprint: 0,
            longer: None,
        };
        for (t, &label) in relative.iter().enumerate() {
            row.is_affine &= label == delta.wrapping_mul(t as i64);
            row.least = row.least.min(label);
            row.most = row.most.max(label);
            row.fingerprint = mix(row.fingerprint, 0, label);
        }
        row
    }
}

/// A short vector: starts and counts of inner levels, and labels.
type Short = SmallVec<[i64; 8]>;

type ClassId = u32;
const NO_CLASS: ClassId = 0;

/// How an item continues inside: shared by all items that may follow each other in one group.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Class {
    inner: ClassId,
    /// Advance of the inner description per step; `None` while only one item was seen (⊥).
    delta: Option<Short>,
    step: Option<i64>,
    unknown: u64,
    fingerprint: u128,
}

#[derive(Debug, Clone)]
struct Group {
    class: ClassId,
    x: i64,
    count: i64,
    step: i64,
    first: Short,
    delta: Short,
    expected: Short,
    unknown: u64,
    fingerprint: u128,
}

impl Group {
    /// Whether an item is the next of at least two and just what the group predicts.
    #[inline]
    fn continues(&self, x: i64, class: ClassId, vector: &[i64]) -> bool {
        self.count >= 2
            && self.unknown == 0
            && self.class == class
            && x == self.x.wrapping_add(self.step.wrapping_mul(self.count))
            && self.expected[..] == *vector
    }

    /// Takes the item that was predicted.
    #[inline]
    fn advance(&mut self) {
        self.count += 1;
        for (e, d) in self.expected.iter_mut().zip(&self.delta) {
            *e = e.wrapping_add(*d);
        }
    }

    /// Whether the group, closed, is an item of this class.
    #[inline]
    fn is_of(&self, class: &Class) -> bool {
        let (delta, step) = if self.count == 1 { (None, None) } else { (Some(&self.delta), Some(self.step)) };
        class.inner == self.class
            && class.unknown == self.unknown
            && class.fingerprint == self.fingerprint
            && class.step == step
            && class.delta.as_ref() == delta
    }
}

/// Folds one stream.
#[derive(Debug)]
pub struct Folder {
    dims: usize,
    outputs: usize,
    options: Options,
    levels: Vec<Vec<Group>>,
    outer: Vec<i64>,
    started: bool,
    /// Class `id` stands at `id - 1`.
    classes: Vec<Class>,
    ids: FxHashMap<Class, ClassId>,
    /// Per level the class interned last: rows mostly repeat.
    latest: SmallVec<[ClassId; 8]>,
    out: Folded,
    low: Vec<i64>,
    high: Vec<i64>,
}

impl Folder {
    /// A folder for vectors of `dims` coordinates and labels of `outputs` integers (at most 64).
    pub fn new(dims: usize, outputs: usize, options: Options) -> Folder {
        Folder {
            dims,
            outputs: outputs.min(64),
            options,
            levels: vec![Vec::new(); dims.max(1)],
            outer: vec![0; dims.saturating_sub(1)],
            started: false,
            classes: Vec::new(),
            ids: FxHashMap::default(),
            latest: smallvec![NO_CLASS; dims.max(1)],
            out: Folded { ranges: vec![(i64::MAX, i64::MIN); outputs.min(64)], ..Folded::default() },
            low: vec![i64::MAX; dims],
            high: vec![i64::MIN; dims],
        }
    }

    /// Number of points so far.
    pub fn points(&self) -> u64 {
        self.out.points
    }

    /// About how many bytes the folder uses; a function of the points it took alone.
    pub fn bytes(&self) -> usize {
        let dims = self.dims + 1;
        let groups: usize = self.levels.iter().map(Vec::capacity).sum();
        // A class stands in the list and in the index; a piece has lists per level and per label.
        size_of::<Folder>()
            + dims * (size_of::<Vec<Group>>() + 48)
            + groups * size_of::<Group>()
            + self.classes.len() * 3 * size_of::<Class>()
            + self.out.pieces.len() * (size_of::<Piece>() + dims * (size_of::<Level>() + 48))
    }

    /// Whether half of what [`Options`] allow is in use, so that the stream may be given up before long.
    pub fn is_crowded(&self) -> bool {
        let alive: usize = self.levels.iter().map(Vec::len).sum();
        alive > self.options.alive / 2 || self.out.pieces.len() > self.options.pieces / 2
    }

    /// Whether the stream was given up.
    pub fn gave_up(&self) -> bool {
        self.out.gave_up
    }

    /// Adds one point.
    pub fn point(&mut self, iv: &[i64], label: &[i64]) {
        self.run(iv, 1, label, &[0; 64][..self.outputs]);
    }

    /// Adds `count` points: `iv` with the innermost coordinate advancing by 1, `label` by `advance`.
    ///
    /// `iv` has `dims` coordinates, `label` and `advance` have `outputs` entries; anything else is ignored.
    pub fn run(&mut self, iv: &[i64], count: u64, label: &[i64], advance: &[i64]) {
        self.lattice_run(iv, 1, count, label, advance);
    }

    /// As [`Folder::run`] with the innermost coordinate advancing by `step`, at least 1.
    pub fn lattice_run(&mut self, iv: &[i64], step: i64, count: u64, label: &[i64], advance: &[i64]) {
        if step < 1
            || iv.len() != self.dims
            || label.len() != self.outputs
            || advance.len() != self.outputs
            || count == 0
        {
            return;
        }
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        if self.out.gave_up {
            self.note(iv, step, count, label, advance);
            return;
        }
        // Fast path: the newest innermost group continues.
        let inner = self.dims.saturating_sub(1);
        if self.dims > 0
            && !self.out.gave_up
            && self.started
            && self.outer == iv[..inner]
            && let Some(group) = self.levels[inner].last_mut()
            && group.count >= 2
            && group.unknown == 0
            && (count == 1 || group.step == step)
            && iv[inner] == group.x.wrapping_add(group.count.wrapping_mul(group.step))
            && group.expected[..] == *label
            && (count == 1 || group.delta[..] == *advance)
        {
            group.count = group.count.saturating_add(count);
            for (e, d) in group.expected.iter_mut().zip(&group.delta) {
                *e = e.wrapping_add(d.wrapping_mul(count));
            }
            self.note(iv, step, count, label, advance);
            return;
        }
        self.note(iv, step, count, label, advance);
        if self.out.gave_up {
            return;
        }
        self.slow(iv, step, count, label, advance);
    }

    /// Adds the points of a row without steps: `iv` with the innermost coordinate advancing by 1, one label in each.
    ///
    /// `row` describes the labels relative to the first (see [`Row::new`]), if that is known: then the row is mostly
    /// taken as a whole. A folder with more than one output ignores rows.
    pub fn row(&mut self, iv: &[i64], row: Option<&mut Row>, labels: impl Iterator<Item = i64> + Clone) {
        let Some(first) = labels.clone().next() else { return };
        if self.outputs != 1 || iv.len() != self.dims || self.dims == 0 {
            return;
        }
        if self.out.gave_up {
            let count = labels.clone().count() as i64;
            self.note(iv, 1, count, &[first], &[0]);
            let range = &mut self.out.ranges[0];
            *range = labels.fold(*range, |(low, high), label| (low.min(label), high.max(label)));
            return;
        }
        let Some(row) = row else { return self.each(iv, labels) };
        let inner = self.dims - 1;
        let is_new = !self.started || self.outer != iv[..inner];
        // Mostly the first point of the row came alone.
        let begun = match self.levels[inner].as_slice() {
            [group] if !is_new && group.count == 1 && group.x.wrapping_add(1) == iv[inner] => {
                Some(group.first[0])
            }
            _ => None,
        };
        let row = match begun {
            Some(begun) => row.after(begun, labels.clone()),
            None => row,
        };
        if !self.options.widen || row.is_affine || row.count < 3 || !(is_new || begun.is_some()) {
            return self.each(iv, labels);
        }
        let (count, origin) = match begun {
            Some(begun) => (row.count - 1, begun),
            None => (row.count, first),
        };
        self.note(iv, 1, count, &[first], &[0]);
        let range = &mut self.out.ranges[0];
        range.0 = range.0.min(origin.wrapping_add(row.least));
        range.1 = range.1.max(origin.wrapping_add(row.most));
        if begun.is_none() {
            self.outside(iv);
            self.insert(inner, iv[inner], NO_CLASS, &[first]);
        }
        if let Some(group) = self.levels[inner].last_mut() {
            group.step = 1;
            group.count = row.count;
            group.delta = smallvec![row.delta];
            group.expected = smallvec![origin.wrapping_add(row.last).wrapping_add(row.delta)];
            group.unknown = 1;
            group.fingerprint = row.fingerprint;
        }
        self.limit();
    }

    fn each(&mut self, iv: &[i64], labels: impl Iterator<Item = i64>) {
        let mut point: Short = iv.into();
        for label in labels {
            self.run(&point, 1, &[label], &[0]);
            if let Some(x) = point.last_mut() {
                *x = x.wrapping_add(1);
            }
        }
    }

    /// Completes the levels inside the outermost coordinate that differs from the point before.
    fn outside(&mut self, iv: &[i64]) {
        let inner = self.dims - 1;
        if self.started
            && let Some(changed) = (0..inner).find(|&q| self.outer[q] != iv[q])
        {
            for q in (changed + 1..self.dims).rev() {
                self.complete(q);
            }
        }
        self.started = true;
        self.outer.copy_from_slice(&iv[..inner]);
    }

    /// Gives up where there are too many groups or pieces.
    fn limit(&mut self) {
        let alive: usize = self.levels.iter().map(Vec::len).sum();
        self.out.most_alive = self.out.most_alive.max(alive + self.out.pieces.len());
        if alive > self.options.alive || self.out.pieces.len() > self.options.pieces {
            self.give_up();
        }
    }

    /// Keeps the box and the ranges of labels.
    #[inline]
    fn note(&mut self, iv: &[i64], step: i64, count: i64, label: &[i64], advance: &[i64]) {
        self.out.points = self.out.points.saturating_add(count as u64);
        for (q, &x) in iv.iter().enumerate() {
            let last =
                if q + 1 == self.dims { x.saturating_add((count - 1).saturating_mul(step)) } else { x };
            self.low[q] = self.low[q].min(x);
            self.high[q] = self.high[q].max(last);
        }
        for (o, (&l, &a)) in label.iter().zip(advance).enumerate() {
            let end = l.wrapping_add(a.wrapping_mul(count - 1));
            let range = &mut self.out.ranges[o];
            range.0 = range.0.min(l).min(end);
            range.1 = range.1.max(l).max(end);
        }
    }

    #[inline(never)]
    fn slow(&mut self, iv: &[i64], step: i64, count: i64, label: &[i64], advance: &[i64]) {
        if self.dims == 0 {
            // Points of a stream without dimensions all coincide; keep the first, the ranges hold the rest.
            if self.out.pieces.is_empty() {
                let labels = label.iter().map(|&l| Label { coefficients: Vec::new(), constant: l }).collect();
                let piece = Piece { levels: Vec::new(), labels, points: 1, over_approximated: false };
                push_first_alone(&mut self.out.pieces, piece);
            } else {
                self.out.gave_up |=
                    self.out.pieces[0].labels.iter().zip(label).any(|(a, b)| a.constant != *b);
            }
            return;
        }
        let inner = self.dims - 1;
        self.outside(iv);
        if count > 1 && self.levels[inner].is_empty() {
            let group = Group {
                class: NO_CLASS,
                x: iv[inner],
                count,
                step,
                first: label.into(),
                delta: advance.into(),
                expected: label
                    .iter()
                    .zip(advance)
                    .map(|(l, a)| l.wrapping_add(a.wrapping_mul(count)))
                    .collect(),
                unknown: 0,
                fingerprint: 0,
            };
            push_first_alone(&mut self.levels[inner], group);
            return self.limit();
        }
        self.insert(inner, iv[inner], NO_CLASS, label);
        if count > 1 && !self.out.gave_up {
            // The second point fixes the advance; the rest follows.
            let next: Short = label.iter().zip(advance).map(|(l, a)| l.wrapping_add(*a)).collect();
            self.insert(inner, iv[inner].wrapping_add(step), NO_CLASS, &next);
            self.extend(inner, iv[inner].wrapping_add(step), step, count - 2, advance);
        }
        self.limit();
    }

    /// Continues level `q` after the point at `x`, which the newest group has just taken, by `count` more points that
    /// advance as asked.
    fn extend(&mut self, q: usize, x: i64, step: i64, count: i64, advance: &[i64]) {
        if count == 0 {
            return;
        }
        let Some(group) = self.levels[q].last_mut() else { return };
        let last = group.x.wrapping_add(group.step.wrapping_mul(group.count - 1));
        if group.count >= 2
            && group.unknown == 0
            && group.step == step
            && last == x
            && group.delta[..] == *advance
        {
            group.count = group.count.saturating_add(count);
            for (e, d) in group.expected.iter_mut().zip(&group.delta) {
                *e = e.wrapping_add(d.wrapping_mul(count));
            }
            return;
        }
        // A widened group, or one of another pattern: point by point.
        let mut x = x;
        let mut label = self.last_labels(q);
        for _ in 0..count {
            for (l, a) in label.iter_mut().zip(advance) {
                *l = l.wrapping_add(*a);
            }
            x = x.wrapping_add(step);
            self.insert(q, x, NO_CLASS, &label);
            if self.out.gave_up {
                return;
            }
        }
    }

    fn last_labels(&self, q: usize) -> Short {
        self.levels[q]
            .last()
            .map(|g| g.expected.iter().zip(&g.delta).map(|(e, d)| e.wrapping_sub(*d)).collect())
            .unwrap_or_default()
    }

    fn class(&mut self, class: Class) -> ClassId {
        if let Some(&id) = self.ids.get(&class) {
            return id;
        }
        push_first_alone(&mut self.classes, class.clone());
        let id = self.classes.len() as ClassId;
        self.ids.insert(class, id);
        id
    }

    /// What [`Folder::class`] interned as `id`, which is not [`NO_CLASS`].
    fn class_at(&self, id: ClassId) -> &Class {
        &self.classes[id as usize - 1]
    }

    /// The more definite of two classes if they can describe the same inner structure.
    fn unify(&mut self, a: ClassId, b: ClassId) -> Option<ClassId> {
        if a == b {
            return Some(a);
        }
        if a == NO_CLASS || b == NO_CLASS {
            return None;
        }
        let (x, y) = (self.class_at(a).clone(), self.class_at(b).clone());
        let inner = self.unify(x.inner, y.inner)?;
        if x.unknown != y.unknown || x.fingerprint != y.fingerprint {
            return None;
        }
        let delta = match (x.delta, y.delta) {
            (Some(p), Some(q)) => (p == q).then_some(Some(p))?,
            (p, q) => p.or(q),
        };
        let step = match (x.step, y.step) {
            (Some(p), Some(q)) => (p == q).then_some(Some(p))?,
            (p, q) => p.or(q),
        };
        Some(self.class(Class { inner, delta, step, unknown: x.unknown, fingerprint: x.fingerprint }))
    }

    /// Whether items of this class carry labels that may only be compared at equal inner coordinates.
    fn is_fingerprinted(&self, mut class: ClassId) -> bool {
        while class != NO_CLASS {
            let c = self.class_at(class);
            if c.unknown != 0 {
                return true;
            }
            class = c.inner;
        }
        false
    }

    fn insert(&mut self, q: usize, x: i64, class: ClassId, vector: &[i64]) {
        if let [group] = &mut self.levels[q][..]
            && group.continues(x, class, vector)
        {
            group.advance();
            return;
        }
        let labels_at = vector.len() - self.outputs;
        // Among items of one kind those of equal shape belong together; only then may shapes change from item to item.
        let alone = self.levels[q].len() <= 1 || labels_at == 0;
        for strict in if alone { &[false][..] } else { &[true, false] } {
            for at in (0..self.levels[q].len()).rev() {
                if self.joins(q, at, *strict, (x, class, vector)) {
                    self.make_newest(q, at);
                    return;
                }
            }
        }
        let group = Group {
            class,
            x,
            count: 1,
            step: 1,
            first: vector.into(),
            delta: smallvec![0; vector.len()],
            expected: vector.into(),
            unknown: 0,
            fingerprint: 0,
        };
        push_first_alone(&mut self.levels[q], group);
    }

    /// Whether an item continues the group at an index of level `q`, which then has it. Of a group of one item the
    /// `strict` want the same shape.
    fn joins(
        &mut self,
        q: usize,
        at: usize,
        strict: bool,
        (x, class, vector): (i64, ClassId, &[i64]),
    ) -> bool {
        let labels_at = vector.len() - self.outputs;
        let group = &self.levels[q][at];
        if strict && group.count == 1 && group.first[..labels_at] != vector[..labels_at] {
            return false;
        }
        let step = x.wrapping_sub(group.x);
        if step <= 0 || (group.count > 1 && x != group.x.wrapping_add(group.step.wrapping_mul(group.count))) {
            return false;
        }
        let Some(unified) = self.unify(group.class, class) else { return false };
        let rigid = self.is_fingerprinted(unified);
        let group = &self.levels[q][at];
        if group.count == 1 {
            let delta: Short = vector.iter().zip(&group.first).map(|(a, b)| a.wrapping_sub(*b)).collect();
            if rigid && delta[..labels_at].iter().any(|&d| d != 0) {
                return false;
            }
            let group = &mut self.levels[q][at];
            group.class = unified;
            group.step = step;
            group.count = 2;
            group.expected = vector.iter().zip(&delta).map(|(v, d)| v.wrapping_add(*d)).collect();
            group.delta = delta;
            return true;
        }
        if group.expected[..labels_at] != vector[..labels_at] {
            return false;
        }
        let broken: u64 = (0..self.outputs)
            .filter(|&o| {
                group.unknown >> o & 1 == 0 && group.expected[labels_at + o] != vector[labels_at + o]
            })
            .fold(0, |mask, o| mask | 1 << o);
        if broken != 0 && !self.options.widen {
            return false;
        }
        let group = &mut self.levels[q][at];
        if group.unknown | broken != 0 {
            if rigid && group.delta[..labels_at].iter().any(|&d| d != 0) {
                return false;
            }
            for o in 0..self.outputs {
                let i = labels_at + o;
                if broken >> o & 1 == 1 {
                    for t in 0..group.count {
                        group.fingerprint = mix(group.fingerprint, o, group.delta[i].wrapping_mul(t));
                    }
                }
                if (group.unknown | broken) >> o & 1 == 1 {
                    group.fingerprint = mix(group.fingerprint, o, vector[i].wrapping_sub(group.first[i]));
                }
            }
            group.unknown |= broken;
        }
        group.class = unified;
        group.count += 1;
        for ((e, v), d) in group.expected.iter_mut().zip(vector).zip(&group.delta) {
            *e = v.wrapping_add(*d);
        }
        true
    }

    /// Only at the innermost level is the newest group tried first; elsewhere creation order is kept.
    fn make_newest(&mut self, q: usize, at: usize) {
        if q + 1 == self.dims && at + 1 < self.levels[q].len() {
            let group = self.levels[q].remove(at);
            self.levels[q].push(group);
        }
    }

    /// Closes all groups of level `q`: they become items of level `q − 1`, or pieces.
    fn complete(&mut self, q: usize) {
        let mut groups = std::mem::take(&mut self.levels[q]);
        for group in groups.drain(..) {
            let latest = self.latest[q];
            let class = if latest != NO_CLASS && group.is_of(self.class_at(latest)) {
                latest
            } else {
                let single = group.count == 1;
                let id = self.class(Class {
                    inner: group.class,
                    delta: (!single).then(|| group.delta.clone()),
                    step: (!single).then_some(group.step),
                    unknown: group.unknown,
                    fingerprint: group.fingerprint,
                });
                self.latest[q] = id;
                id
            };
            let mut vector: Short = smallvec![group.x, group.count];
            vector.extend_from_slice(&group.first);
            if q == 0 {
                let piece = self.piece(class, &vector);
                push_first_alone(&mut self.out.pieces, piece);
            } else {
                let x = self.outer[q - 1];
                self.insert(q - 1, x, class, &vector);
            }
        }
        if self.levels[q].is_empty() {
            self.levels[q] = groups;
        }
    }

    /// Reads a piece off a class and its vector `[x_0, n_0, x_1, n_1, …, labels]`.
    fn piece(&self, class: ClassId, vector: &[i64]) -> Piece {
        let n = self.dims;
        let mut levels: Vec<Level> = (0..n)
            .map(|q| Level {
                start: Affine::constant(vector[2 * q]),
                count: Affine::constant(vector[2 * q + 1]),
                step: 1,
            })
            .collect();
        let mut labels: Vec<Label> = vector[2 * n..]
            .iter()
            .map(|&l| Label { coefficients: vec![Coefficient::Known(0); n], constant: l })
            .collect();
        let mut at = class;
        for q in 0..n {
            let c = self.class_at(at);
            levels[q].step = c.step.unwrap_or(1);
            if let Some(delta) = &c.delta {
                // The description inside level q is [x_{q+1}, n_{q+1}, …, labels].
                for r in q + 1..n {
                    set_coefficient(&mut levels[r].start, q, delta[2 * (r - q - 1)]);
                    set_coefficient(&mut levels[r].count, q, delta[2 * (r - q - 1) + 1]);
                }
                for (o, label) in labels.iter_mut().enumerate() {
                    label.coefficients[q] = Coefficient::Known(delta[2 * (n - q - 1) + o]);
                }
            }
            for (o, label) in labels.iter_mut().enumerate() {
                if c.unknown >> o & 1 == 1 {
                    label.coefficients[q] = Coefficient::Unknown;
                }
            }
            at = c.inner;
        }
        let mut piece = Piece { levels, labels, points: 0, over_approximated: false };
        piece.points = count_points(&piece.levels);
        piece
    }

    fn give_up(&mut self) {
        self.out.gave_up = true;
        self.levels.fill_with(Vec::new);
        self.out.pieces = Vec::new();
        self.classes = Vec::new();
        self.ids = FxHashMap::default();
        self.latest.fill(NO_CLASS);
    }

    /// Ends the stream.
    pub fn finish(mut self) -> Folded {
        if !self.out.gave_up {
            for q in (0..self.dims).rev() {
                self.complete(q);
            }
            if self.out.pieces.len() > self.options.pieces {
                self.give_up();
            }
        }
        if self.out.gave_up && self.dims > 0 {
            let levels = (0..self.dims)
                .map(|q| Level {
                    start: Affine::constant(self.low[q]),
                    count: Affine::constant(self.high[q].saturating_sub(self.low[q]).saturating_add(1)),
                    step: 1,
                })
                .collect();
            let labels = (0..self.outputs)
                .map(|_| Label { coefficients: vec![Coefficient::Unknown; self.dims], constant: 0 })
                .collect();
            self.out.pieces =
                vec![Piece { levels, labels, points: self.out.points, over_approximated: true }];
        }
        self.out
    }
}

/// Appends to a list that mostly has one element: room for more is made by the second.
fn push_first_alone<T>(list: &mut Vec<T>, item: T) {
    if list.is_empty() {
        list.reserve_exact(1);
    }
    list.push(item);
}

/// Sets a coefficient that is 0 so far, where it is not to stay so: most functions are constant and need no list.
fn set_coefficient(function: &mut Affine, q: usize, coefficient: i64) {
    if coefficient != 0 {
        function.coefficients.resize(function.coefficients.len().max(q + 1), 0);
        function.coefficients[q] = coefficient;
    }
}

/// Number of points of a nest with affine counts; saturating.
fn count_points(levels: &[Level]) -> u64 {
    fn walk(levels: &[Level], t: &mut Vec<i64>) -> u64 {
        let q = t.len();
        let Some(level) = levels.get(q) else { return 1 };
        let count = level.count.at(t).unwrap_or(0).max(0);
        let independent = levels[q + 1..].iter().all(|l| l.count.coefficient(q) == 0);
        if independent {
            t.push(0);
            let inner = walk(levels, t);
            t.pop();
            return inner.saturating_mul(count as u64);
        }
        let mut sum = 0u64;
        for k in 0..count {
            t.push(k);
            sum = sum.saturating_add(walk(levels, t));
            t.pop();
        }
        sum
    }
    walk(levels, &mut Vec::new())
}

fn mix(fingerprint: u128, output: usize, value: i64) -> u128 {
    let mut halves = [fingerprint as u64, (fingerprint >> 64) as u64];
    for (i, half) in halves.iter_mut().enumerate() {
        let h = rustc_hash::FxBuildHasher.hash_one((*half, output, value, i, 0x9e37_79b9_7f4a_7c15_u64));
        *half ^= (h ^ (h >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(31);
    }
    u128::from(halves[0]) | u128::from(halves[1]) << 64
}
