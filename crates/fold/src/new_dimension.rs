//! New dimensions: loops that the program writes as one, `q = W·a + b`.
//!
//! Definition: closed groups of one row, in order of their start, of which every b-th (b ≤ [`BODY`]) has the same class
//! and a vector that advances by a constant, at least [`REPEATS`] times, make b groups of kind [`Kind::New`] whose counter
//! has no coordinate. The start of their coordinate advances by the width W ≥ 1; blocks do not overlap, so that a point is
//! determined by its coordinates. Such groups may recur themselves.
//!
//! Looked for when a row closes with several groups and when there are too many: on groups, never on points.

use smallvec::{SmallVec, smallvec};

use crate::class::{ClassId, Classes, Kind, Short};
use crate::emit;
use crate::folder::Folder;
use crate::group::Group;
use crate::reach::Reach;

/// Most groups between a group and its recurrence.
const BODY: usize = 8;
/// Fewest recurrences that make a dimension.
pub(crate) const REPEATS: usize = 3;

/// A closed group with what it is compared by.
struct Closed {
    group: Group,
    class: ClassId,
    vector: Short,
    /// First and last coordinate.
    extent: (i64, i64),
    taken: bool,
}

/// Where the start of the coordinate stands in the vector of an item of this class.
fn start_at(classes: &Classes, class: ClassId) -> usize {
    2 * classes.new_dimensions(class)
}

impl Folder {
    /// Whether no item can continue a group any more, given the coordinate reached and the first start of a group that may
    /// still become an item of a new dimension. A single item can always be continued.
    pub(crate) fn is_left_behind(&self, group: &Group, current: i64, open_from: i64) -> bool {
        match group.kind {
            Kind::Coordinate => group.count > 1 && group.next_x() < current,
            Kind::New => self.starts_before(group, current.min(open_from)),
            Kind::Box => false,
        }
    }

    /// First start of the groups at a level that may still grow; the coordinate reached, if there is none.
    pub(crate) fn first_open(&self, groups: &[Group], current: i64) -> i64 {
        let open =
            groups.iter().filter(|g| g.kind == Kind::Coordinate && g.count > 1 && g.next_x() >= current);
        open.map(|g| g.x).min().unwrap_or(current)
    }

    /// Looks for new dimensions among the groups of level `q` that cannot grow any more. Single items count as such if
    /// they recur.
    pub(crate) fn recur_among_closed(&mut self, q: usize) {
        if self.levels[q].len() < REPEATS {
            return;
        }
        let current = self.current(q);
        let groups = std::mem::take(&mut self.levels[q]);
        let open_from = self.first_open(&groups, current);
        let (closed, open): (Vec<Group>, Vec<Group>) = groups.into_iter().partition(|g| {
            g.kind == Kind::New || g.count == 1 && g.x < current || self.is_left_behind(g, current, open_from)
        });
        let mut groups = self.recur_before(closed, current.min(open_from));
        groups.extend(open);
        self.reach[q] = Reach::ALL;
        self.levels[q] = groups;
    }

    /// Looks for new dimensions among all groups of a row.
    pub(crate) fn recur(&mut self, groups: Vec<Group>) -> Vec<Group> {
        self.recur_before(groups, i64::MAX)
    }

    /// As asked, `open_from` being the first start of groups that are still missing.
    fn recur_before(&mut self, groups: Vec<Group>, open_from: i64) -> Vec<Group> {
        let mut groups = groups;
        // New dimensions of new dimensions, until nothing recurs.
        loop {
            let before = groups.len();
            groups = self.absorb(groups, open_from);
            groups = self.pass(groups, open_from);
            if groups.len() == before || groups.len() < REPEATS {
                return groups;
            }
        }
    }

    fn closed(&mut self, group: Group) -> Closed {
        let class = self.classes.intern(group.class());
        let vector = group.vector();
        let extent = emit::first_extent(&self.classes, class, &vector).unwrap_or((0, 0));
        Closed { group, class, vector, extent, taken: false }
    }

    /// New dimensions take the groups that they predict.
    fn absorb(&mut self, groups: Vec<Group>, open_from: i64) -> Vec<Group> {
        if groups.iter().all(|g| g.kind != Kind::New) {
            return groups;
        }
        let mut list: Vec<Option<Group>> = groups.into_iter().map(Some).collect();
        list.sort_by_key(|g| g.as_ref().map(|g| (self.next_start(g), g.x)));
        for at in 0..list.len() {
            let Some(item) = list[at].take() else { continue };
            let is_item = item.kind != Kind::New || self.starts_before(&item, open_from);
            let vector = item.vector();
            let class = self.classes.intern(item.class());
            let taker = list.iter_mut().flatten().filter(|g| is_item && g.kind == Kind::New).find_map(|g| {
                let is_before = self.takes(g, &vector)?;
                Some((self.classes.unify(g.class, class)?, is_before, g))
            });
            match taker {
                Some((class, is_before, taker)) => {
                    taker.class = class;
                    if is_before {
                        taker.first = vector;
                        taker.count += 1;
                    } else {
                        taker.advance(1);
                    }
                }
                None => list[at] = Some(item),
            }
        }
        list.into_iter().flatten().collect()
    }

    /// Whether an item of this vector is the block before the first of a new dimension (then true), or the next one (then
    /// false), and beyond the others.
    fn takes(&self, group: &Group, vector: &[i64]) -> Option<bool> {
        let extent = |vector: &[i64]| emit::first_extent(&self.classes, group.class, vector);
        let before = |vector: &[i64]| -> Short {
            vector.iter().zip(&group.delta).map(|(v, d)| v.wrapping_sub(*d)).collect()
        };
        if group.expected[..] == *vector {
            let last = before(&group.expected);
            return (extent(&last)?.1 < extent(vector)?.0).then_some(false);
        }
        (before(&group.first)[..] == *vector && extent(vector)?.1 < extent(&group.first)?.0).then_some(true)
    }

    /// Start of the group, or of the item that a new dimension expects.
    fn next_start(&self, group: &Group) -> i64 {
        match group.kind {
            Kind::New => {
                group.expected.get(start_at(&self.classes, group.class)).copied().unwrap_or(i64::MAX)
            }
            _ => group.x,
        }
    }

    /// One pass over the groups in order of their starts.
    fn pass(&mut self, groups: Vec<Group>, open_from: i64) -> Vec<Group> {
        let mut list: Vec<Closed> = groups.into_iter().map(|g| self.closed(g)).collect();
        list.sort_by_key(|c| c.extent.0);
        // A new dimension that may still grow is no item yet.
        let is_item = |c: &Closed| c.group.kind != Kind::New || self.starts_before(&c.group, open_from);
        let items: Vec<usize> = (0..list.len()).filter(|&i| is_item(&list[i])).collect();
        let mut found: Vec<Group> = Vec::new();
        let mut at = 0;
        while at + 2 < items.len() {
            let recurrence = (1..=BODY).find_map(|body| self.repeats(&list, &items[at..], body));
            let Some((repeats, classes)) = recurrence else {
                at += 1;
                continue;
            };
            let body = classes.len();
            for (first, class) in classes.into_iter().enumerate() {
                let of = |k: usize| items[at + first + k * body];
                found.push(group_of(class, &list[of(0)], &list[of(1)], repeats));
                (0..repeats).for_each(|k| list[of(k)].taken = true);
            }
            at += body * repeats;
        }
        found.extend(list.into_iter().filter(|c| !c.taken).map(|c| c.group));
        found
    }

    /// Whether the next item of a new dimension would start before a coordinate.
    fn starts_before(&self, group: &Group, open_from: i64) -> bool {
        self.next_start(group) < open_from
    }

    /// How often the first `body` items recur, if often enough, and the common class of each with its recurrences.
    fn repeats(&mut self, list: &[Closed], items: &[usize], body: usize) -> Option<(usize, Vec<ClassId>)> {
        if items.len() < REPEATS * body {
            return None;
        }
        let mut width = None;
        let (mut repeats, mut classes) = (usize::MAX, Vec::new());
        for first in 0..body {
            let own = (first..items.len()).step_by(body).map(|i| &list[items[i]]);
            let (count, w, class) = self.recurrences(own)?;
            classes.push(class);
            if *width.get_or_insert(w) != w {
                return None;
            }
            repeats = repeats.min(count);
        }
        (repeats >= REPEATS).then_some((repeats, classes))
    }

    /// Length of the longest beginning of items that recur, at least [`REPEATS`], their width and common class.
    fn recurrences<'a>(
        &mut self,
        mut items: impl Iterator<Item = &'a Closed>,
    ) -> Option<(usize, i64, ClassId)> {
        let (first, mut previous) = (items.next()?, items.next()?);
        let shape = first.vector.len() - self.outputs;
        let start = start_at(&self.classes, first.class);
        let mut class = self.classes.unify(first.class, previous.class)?;
        if self.classes.is_box(class) {
            return None;
        }
        let width = previous.vector[start].wrapping_sub(first.vector[start]);
        if width < 1 || previous.extent.0 <= first.extent.1 {
            return None;
        }
        let delta: SmallVec<[i64; 8]> =
            previous.vector.iter().zip(&first.vector).map(|(b, a)| b.wrapping_sub(*a)).collect();
        // Labels under ⊤ may only be compared at equal coordinates inside.
        let rigid = self.classes.is_fingerprinted(class);
        if rigid && delta[..shape].iter().enumerate().any(|(i, &d)| i != start && d != 0) {
            return None;
        }
        let mut count = 2;
        for item in items {
            let advances = || {
                let pairs = item.vector.iter().zip(&previous.vector);
                pairs.zip(&delta).all(|((b, a), d)| b.wrapping_sub(*a) == *d)
            };
            if item.vector.len() != delta.len() || item.extent.0 <= previous.extent.1 || !advances() {
                break;
            }
            let Some(common) = self.classes.unify(class, item.class) else { break };
            class = common;
            count += 1;
            previous = item;
        }
        (count >= REPEATS).then_some((count, width, class))
    }
}

/// The new dimension that begins with two items.
fn group_of(class: ClassId, first: &Closed, second: &Closed, count: usize) -> Group {
    let mut group = Group::single((0, class, &first.vector));
    group.kind = Kind::New;
    group.delta = second.vector.iter().zip(&first.vector).map(|(b, a)| b.wrapping_sub(*a)).collect();
    group.count = 0;
    group.expected = smallvec![];
    group.expected.extend_from_slice(&first.vector);
    group.advance(count as i64);
    group
}
