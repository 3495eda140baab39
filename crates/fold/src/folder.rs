//! The streaming fold.
//!
//! One *group* per open piece and level. A group at level q holds items that agree on everything outside q, whose
//! coordinate x_q advances by one constant step, and whose description (start and count of every inner level, first
//! label of every output) advances by one constant vector. A group closes when nothing continued it by the time an outer
//! coordinate moves; it then is an item of level q−1. This is the vector run-length fold of ALGORITHMS 5.7 with the
//! iteration vector as key (ALGORITHMS 3.9); slopes are any integers and steps any positive integer.
//!
//! ⊤: where only labels break the pattern and widening is on, the coefficient of the level becomes unknown and the group
//! keeps a fingerprint of its labels relative to the first. Groups with a fingerprint continue one another only with
//! equal fingerprints, equal starts and equal counts, so a known coefficient beside an unknown one holds for every pair
//! of points (up to a collision of fingerprints).
//!
//! Limits: where more than [`Options::alive`] groups are open, in this order: groups that recur become a new dimension
//! (`new_dimension`), coefficients are widened (`widen`), finished pieces of the outermost level are emitted, and what is
//! left of the current prefix becomes a box (`give_up`).

use smallvec::{SmallVec, smallvec};

use crate::class::{ClassId, Classes, NO_CLASS, Short};
use crate::cursor::Cursor;
use crate::emit;
use crate::give_up::Boxed;
use crate::group::{Group, Item, fit, take};
use crate::meter::Gauge;
use crate::nest_cursor::{NestCursor, Next};
use crate::options::{GiveUp, Options};
use crate::piece::{Folded, Label, Piece};
use crate::reach::Reach;
use crate::row_cursor::RowCursor;

/// Groups over the limit that may gather before they are looked at again.
const SLACK: usize = 16;
/// Groups looked through for items that differ in labels alone.
const ALIKE: usize = 64;

/// Folds one stream. What a predicted point needs comes first, in few cache lines: streams are many, and met in any order.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Folder {
    pub(crate) outputs: usize,
    /// Coordinates of the latest point but the innermost.
    pub(crate) outer: SmallVec<[i64; 8]>,
    pub(crate) cursor: Cursor,
    pub(crate) boxed: Option<Boxed>,
    pub(crate) dims: usize,
    pub(crate) started: bool,
    /// Points are put back that the cursor of nests took.
    pub(crate) is_telling: bool,
    pub(crate) rows: RowCursor,
    /// Made where a nest is predicted first.
    pub(crate) nest: Option<Box<NestCursor>>,
    pub(crate) options: Options,
    pub(crate) levels: Vec<Vec<Group>>,
    /// Per level the groups that may take an item.
    pub(crate) reach: SmallVec<[Reach; 4]>,
    /// Innermost coordinate seen last.
    pub(crate) latest_x: i64,
    pub(crate) classes: Classes,
    /// Per level the class interned last: rows mostly repeat.
    pub(crate) latest: SmallVec<[ClassId; 8]>,
    pub(crate) out: Folded,
    /// Levels at which labels are widened as soon as they break a pattern.
    pub(crate) eager: u64,
    /// Number of groups at which to act.
    pub(crate) threshold: usize,
    /// Per level how many prefixes in a row were given up there.
    pub(crate) given_up: SmallVec<[u32; 8]>,
    /// Shows the number of groups to a meter.
    pub(crate) gauge: Option<Gauge>,
}

impl Folder {
    /// Most coordinates, and most outputs.
    pub const MOST: usize = 64;

    /// A folder for vectors of `dims` coordinates and labels of `outputs` integers (at most 64 of each).
    pub fn new(dims: usize, outputs: usize, options: Options) -> Folder {
        let (dims, outputs) = (dims.min(Folder::MOST), outputs.min(Folder::MOST));
        Folder {
            dims,
            outputs,
            options,
            levels: vec![Vec::new(); dims.max(1)],
            reach: smallvec![Reach::ALL; dims.max(1)],
            outer: smallvec![0; dims.saturating_sub(1)],
            started: false,
            latest_x: 0,
            classes: Classes::default(),
            latest: smallvec![NO_CLASS; dims.max(1)],
            out: Folded { ranges: vec![(i64::MAX, i64::MIN); outputs], ..Folded::default() },
            eager: if options.widen && options.adaptive.is_none() { u64::MAX } else { 0 },
            threshold: options.exact(),
            boxed: None,
            given_up: smallvec![0; dims.max(1)],
            cursor: Cursor::default(),
            rows: RowCursor::default(),
            nest: None,
            is_telling: false,
            gauge: None,
        }
    }

    /// The same folder, counted by a meter of intermediate pieces from now on.
    pub fn metered(self, gauge: Option<Gauge>) -> Folder {
        Folder { gauge, ..self }
    }

    /// Number of points so far.
    pub fn points(&self) -> u64 {
        self.out.points.saturating_add(self.cursor.taken()).saturating_add(self.rows.points())
    }

    /// About how many bytes the folder uses; a function of the points it took alone.
    pub fn bytes(&self) -> usize {
        let dims = self.dims + 1;
        let groups: usize = self.levels.iter().map(Vec::capacity).sum();
        // A class stands in the list and in the index; a piece has lists per level and per label.
        size_of::<Folder>()
            + dims * (size_of::<Vec<Group>>() + 48)
            + groups * size_of::<Group>()
            + self.nest.as_ref().map_or(0, |nest| nest.bytes())
            + self.classes.len() * 3 * size_of::<crate::class::Class>()
            + self.out.pieces.len() * (size_of::<Piece>() + dims * (size_of::<crate::piece::Level>() + 48))
    }

    /// Whether half as many pieces as the engine's limit ([`Options::for_dimensions`]) or one below it allow are in use,
    /// so that some of the stream may be given up before long.
    pub fn is_crowded(&self) -> bool {
        let engine = GiveUp::Published.limit(self.dims);
        let beyond_half = |used: usize, most: Option<usize>| {
            let most = most.into_iter().chain(engine).min();
            most.is_some_and(|most| used > most / 2)
        };
        beyond_half(self.alive(), self.options.alive)
            || beyond_half(self.out.pieces.len(), self.options.pieces)
    }

    /// Gives up all of the stream, to free memory: what was seen and what is to come is one box. Of a stream without
    /// dimensions there is nothing to free.
    pub fn abandon(&mut self) {
        if self.dims == 0 || !self.started {
            return;
        }
        self.settle();
        self.give_up(0);
        self.box_pieces();
        self.levels.iter_mut().for_each(Vec::shrink_to_fit);
        self.limit();
    }

    /// Whether all of the stream that is to come was given up: it only makes a box grow.
    pub fn gave_up(&self) -> bool {
        self.boxed.as_ref().is_some_and(|b| b.level == 0) || self.dims == 0 && self.out.gave_up
    }

    /// Adds one point.
    #[inline]
    pub fn point(&mut self, iv: &[i64], label: &[i64]) {
        if self.boxed.is_some() && self.takes_boxed(iv, label) {
            return;
        }
        if !self.advances(iv, label) {
            self.lattice_run(iv, 1, 1, label, &[0; Folder::MOST][..self.outputs]);
        }
    }

    /// Adds `count` points: `iv` with the innermost coordinate advancing by 1, `label` by `advance`.
    ///
    /// `iv` has `dims` coordinates, `label` and `advance` have `outputs` entries; anything else is ignored.
    #[inline]
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
        if self.boxed.is_some() && self.is_in_box(iv, step, count) {
            return self.note(i64::try_from(count).unwrap_or(i64::MAX), label, advance);
        }
        if self.takes_row(iv, step, count, label, advance)
            || count == 1 && self.advances(iv, label)
            || self.takes_nested(iv, step, count, label, advance)
        {
            return;
        }
        self.settle_nest(Next::Point(iv));
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        self.note(count, label, advance);
        self.feed(iv, step, count, label, advance);
    }

    /// Whether a run belongs to a prefix that was given up; then it is in its box, and no cursor is set.
    fn is_in_box(&mut self, iv: &[i64], step: i64, count: u64) -> bool {
        let more = i64::try_from(count).unwrap_or(i64::MAX) - 1;
        iv.last().is_some_and(|x| self.in_box(iv, x.saturating_add(more.saturating_mul(step))))
    }

    /// Adds points that no cursor predicts and that were noted.
    pub(crate) fn feed(&mut self, iv: &[i64], step: i64, count: i64, label: &[i64], advance: &[i64]) {
        if self.boxed.is_some() && self.is_in_box(iv, step, count.unsigned_abs()) {
            return;
        }
        self.settle_runs();
        let is_regular = self.dims > 0
            && self.started
            && self.boxed.is_none()
            && (self.next_row(iv, step, count, label, advance)
                || count == 1 && self.continues_widened(iv, label));
        if is_regular {
            return;
        }
        self.slow(iv, step, count, label, advance);
        self.follow();
    }

    /// Counts points and keeps the ranges of labels.
    #[inline]
    pub(crate) fn note(&mut self, count: i64, label: &[i64], advance: &[i64]) {
        self.out.points = self.out.points.saturating_add(count as u64);
        for (range, (&l, &a)) in self.out.ranges.iter_mut().zip(label.iter().zip(advance)) {
            let end = l.wrapping_add(a.wrapping_mul(count - 1));
            range.0 = range.0.min(l).min(end);
            range.1 = range.1.max(l).max(end);
        }
    }

    #[inline(never)]
    fn slow(&mut self, iv: &[i64], step: i64, count: i64, label: &[i64], advance: &[i64]) {
        let Some(inner) = self.dims.checked_sub(1) else { return self.without_dimensions(label) };
        let last = iv[inner].saturating_add((count - 1).saturating_mul(step));
        let changed = self.outside(iv);
        if let Some(q) = changed
            && (self.begins_box(q, iv, last) || self.begins_nest(q, iv, (step, count), (label, advance)))
        {
            return;
        }
        self.latest_x = last;
        if let Some(group) = self.levels[inner].last_mut()
            && (count == 1 || (group.step == step && group.delta[..] == *advance))
            && group.continues((iv[inner], NO_CLASS, label))
        {
            return group.advance(count);
        }
        if count > 1 && self.levels[inner].is_empty() {
            let mut group = Group::single((iv[inner], NO_CLASS, label));
            group.step = step;
            group.delta = Short::from_slice(advance);
            group.count = 0;
            group.advance(count);
            push_first_alone(&mut self.levels[inner], group);
            return self.limit();
        }
        self.insert(inner, (iv[inner], NO_CLASS, label));
        if count > 1 {
            // The second point fixes the advance; the rest follows.
            let next: Short = label.iter().zip(advance).map(|(l, a)| l.wrapping_add(*a)).collect();
            let x = iv[inner].wrapping_add(step);
            self.insert(inner, (x, NO_CLASS, &next));
            self.extend((x, &next), step, count - 2, advance);
        }
        self.limit();
    }

    /// Points of a stream without dimensions all coincide; the first is kept, the ranges hold the rest.
    fn without_dimensions(&mut self, label: &[i64]) {
        if let Some(piece) = self.out.pieces.first() {
            self.out.gave_up |= piece.labels.iter().zip(label).any(|(a, b)| a.constant != *b);
            return;
        }
        let labels = label.iter().map(|&l| Label { coefficients: Vec::new(), constant: l }).collect();
        let piece = Piece { levels: Vec::new(), labels, points: 1, over_approximated: false };
        push_first_alone(&mut self.out.pieces, piece);
    }

    /// Completes the levels inside the outermost coordinate that differs from the point before; that one.
    pub(crate) fn outside(&mut self, iv: &[i64]) -> Option<usize> {
        let inner = self.dims - 1;
        let changed = (0..inner).find(|&q| self.outer[q] != iv[q]).filter(|_| self.started);
        if let Some(changed) = changed {
            for q in (changed + 1..self.dims).rev() {
                self.complete(q);
            }
        }
        self.started = true;
        self.outer.copy_from_slice(&iv[..inner]);
        changed
    }

    /// Continues the innermost level after the point at `x`, which the newest group has just taken, by `count` more
    /// points that advance as asked.
    fn extend(&mut self, (mut x, label): (i64, &[i64]), step: i64, count: i64, advance: &[i64]) {
        let inner = self.dims - 1;
        let mut label = Short::from_slice(label);
        for taken in 0..count {
            label.iter_mut().zip(advance).for_each(|(l, a)| *l = l.wrapping_add(*a));
            let Some(group) = self.levels[inner].last_mut() else { return };
            let agrees = |o: usize| group.unknown >> o & 1 == 1 || group.delta[o] == advance[o];
            if group.count >= 2 && group.step == step && group.last_x() == x && (0..advance.len()).all(agrees)
            {
                group.append(0, &label, |o| advance[o], count - taken);
                return;
            }
            // Of another pattern: the next point begins a new group, or joins another.
            x = x.wrapping_add(step);
            self.insert(inner, (x, NO_CLASS, &label));
        }
    }

    /// Whether labels that break a pattern at level `q` become ⊤ at once.
    pub(crate) fn widens_at(&self, q: usize) -> bool {
        self.eager >> q & 1 == 1
    }

    pub(crate) fn insert(&mut self, q: usize, item: Item<'_>) {
        if let [group] = &mut self.levels[q][..] {
            if group.continues(item) {
                group.advance(1);
                return;
            }
            // The second point of a row.
            if item.1 == NO_CLASS && group.class == NO_CLASS && group.count == 1 && item.0 > group.x {
                return take(group, item, (NO_CLASS, 0), self.outputs);
            }
        }
        let labels_at = item.2.len() - self.outputs;
        // Among items of one kind those of equal shape belong together; only then may shapes change from item to item.
        let alone = self.levels[q].len() <= 1 || labels_at == 0;
        let reach = self.reach(q, item.0);
        for strict in if alone { &[false][..] } else { &[true, false] } {
            for at in reach.clone().rev() {
                let at = self.first_like(q, at);
                if self.joins(q, at, *strict, item) {
                    self.make_newest(q, at);
                    return;
                }
            }
        }
        if item.1 == NO_CLASS && self.splits(q, item) {
            return;
        }
        if q == 0 && !self.options.is_patient() {
            self.retire();
        }
        push_first_alone(&mut self.levels[q], Group::single(item));
        self.began(q, item.0);
    }

    /// Items that differ in labels alone come in the same order at the next coordinate: the first of those like the single
    /// item at an index; of other groups the index itself. Single items of one coordinate stand together, but for groups
    /// that were continued between them.
    fn first_like(&self, q: usize, at: usize) -> usize {
        let group = &self.levels[q][at];
        if group.count > 1 {
            return at;
        }
        let labels_at = group.first.len() - self.outputs;
        let mut first = at;
        for (k, g) in self.levels[q][..at].iter().enumerate().rev().take(ALIKE) {
            if g.count > 1 {
                continue;
            }
            if g.x != group.x {
                break;
            }
            if g.class == group.class && g.first[..labels_at] == group.first[..labels_at] {
                first = k;
            }
        }
        first
    }

    /// Two points with a gap do not make a lattice if the next coordinate follows the second: then the later two make a
    /// group, and the first is alone again.
    fn splits(&mut self, q: usize, item: Item<'_>) -> bool {
        let Some(pair) = self.levels[q].last_mut() else { return false };
        let is_next = item.0.checked_sub(1) == Some(pair.last_x());
        if pair.count != 2 || pair.class != NO_CLASS || pair.unknown != 0 || pair.step < 2 || !is_next {
            return false;
        }
        let last: Short = pair.expected.iter().zip(&pair.delta).map(|(e, d)| e.wrapping_sub(*d)).collect();
        let mut second = Group::single((pair.last_x(), NO_CLASS, &last));
        *pair = Group::single((pair.x, NO_CLASS, &pair.first));
        take(&mut second, item, (NO_CLASS, 0), self.outputs);
        self.levels[q].push(second);
        true
    }

    /// Whether an item continues the group at an index of level `q`, which then has it. Of a group of one item the
    /// `strict` want the same shape.
    fn joins(&mut self, q: usize, at: usize, strict: bool, item: Item<'_>) -> bool {
        let widens = self.widens_at(q);
        let group = &mut self.levels[q][at];
        let labels_at = item.2.len() - self.outputs;
        if strict
            && group.count == 1
            && (group.first.len() != item.2.len() || group.first[..labels_at] != item.2[..labels_at])
        {
            return false;
        }
        match fit(&mut self.classes, group, item, self.outputs) {
            Some((unified, broken)) if broken == 0 || widens => {
                take(group, item, (unified, broken), self.outputs);
                true
            }
            _ => false,
        }
    }

    /// Only at the innermost level is the newest group tried first; elsewhere creation order is kept.
    fn make_newest(&mut self, q: usize, at: usize) {
        if q + 1 == self.dims && at + 1 < self.levels[q].len() {
            let group = self.levels[q].remove(at);
            self.levels[q].push(group);
        }
    }

    /// Closes all groups of level `q`: they become items of level `q − 1`, or pieces.
    pub(crate) fn complete(&mut self, q: usize) {
        let is_boxed = self.complete_box(q);
        if !is_boxed && !self.levels[q].is_empty() {
            self.given_up[q] = 0;
        }
        self.reach[q] = Reach::ALL;
        let mut groups = std::mem::take(&mut self.levels[q]);
        if self.options.new_dimensions && groups.len() >= crate::new_dimension::REPEATS {
            groups = self.recur(groups);
        }
        for group in &groups {
            self.close(q, group);
        }
        groups.clear();
        if self.levels[q].is_empty() {
            self.levels[q] = groups;
        }
    }

    /// Hands a group of level `q` on.
    pub(crate) fn close(&mut self, q: usize, group: &Group) {
        let latest = self.latest[q];
        let class = if latest != NO_CLASS && group.is_of(self.classes.at(latest)) {
            latest
        } else {
            self.classes.intern(group.class())
        };
        self.latest[q] = class;
        self.pass_on(q, class, &group.vector());
    }

    /// Takes an item of level `q` into level `q − 1`, or as a piece.
    pub(crate) fn pass_on(&mut self, q: usize, class: ClassId, vector: &[i64]) {
        if q == 0 {
            let piece = emit::piece(&self.classes, class, vector, self.outputs);
            push_first_alone(&mut self.out.pieces, piece);
        } else {
            self.insert(q - 1, (self.outer[q - 1], class, vector));
        }
    }

    /// Number of open groups.
    pub(crate) fn alive(&self) -> usize {
        self.levels.iter().map(Vec::len).sum()
    }

    /// Acts where there are too many groups or pieces.
    pub(crate) fn limit(&mut self) {
        let alive = self.alive();
        self.out.most_alive = self.out.most_alive.max(alive);
        if let Some(gauge) = &mut self.gauge {
            gauge.show(alive);
        }
        if alive > self.threshold {
            self.overflow();
        }
    }

    #[inline(never)]
    fn overflow(&mut self) {
        let limit = self.options.alive.unwrap_or(usize::MAX);
        if self.options.new_dimensions {
            (0..self.dims).for_each(|q| self.recur_among_closed(q));
        }
        while self.options.widen && self.alive() > self.options.exact() && self.widen_once() {}
        if self.alive() > self.options.alive.unwrap_or(self.options.exact()) {
            self.retire();
        }
        let too_many = self.options.pieces.is_some_and(|most| self.out.pieces.len() > most);
        if too_many {
            self.give_up(0);
        } else if self.alive() > limit {
            self.give_up(self.level_to_give_up());
        }
        let slack = match self.options.alive {
            // Nothing bounds the number of pieces: looking at them costs a share of what made them.
            None => SLACK.max(self.alive()),
            Some(_) if self.options.is_patient() => SLACK,
            Some(_) => 0,
        };
        self.threshold = self.options.exact().max(self.alive().saturating_add(slack));
    }

    /// Coordinate of level `q` in the point seen last.
    pub(crate) fn current(&self, q: usize) -> i64 {
        self.outer.get(q).copied().unwrap_or(self.latest_x)
    }

    /// Emits the groups of the outermost level that are left behind. A single item is if the next coordinate has passed.
    fn retire(&mut self) {
        let current = self.current(0);
        let groups = std::mem::take(&mut self.levels[0]);
        let open_from = self.first_open(&groups, current);
        let (closed, open): (Vec<Group>, Vec<Group>) = groups.into_iter().partition(|g| match g.count {
            1 => g.x.saturating_add(1) < current,
            _ => self.is_left_behind(g, current, open_from),
        });
        for group in &closed {
            self.close(0, group);
        }
        self.levels[0] = open;
        self.reach[0] = Reach::ALL;
    }

    /// Ends the stream.
    pub fn finish(mut self) -> Folded {
        self.settle();
        for q in (0..self.dims).rev() {
            self.complete(q);
        }
        self.count_boxes();
        self.out
    }
}

/// Appends to a list that mostly has one element: room for more is made by the second.
pub(crate) fn push_first_alone<T>(list: &mut Vec<T>, item: T) {
    if list.is_empty() {
        list.reserve_exact(1);
    }
    list.push(item);
}
