//! Adaptive widening.
//!
//! Streams are folded exactly while the limit on open groups allows. Beyond, for every level the groups that would merge
//! if labels were ⊤ there are counted, and the points in them that would no longer be affine; the level that saves most
//! groups per point is widened, for the groups there are and for all that come. What is merged are groups: the
//! fingerprint of a row is computed from those of its parts.

use smallvec::SmallVec;

use crate::class::{Class, Classes, Kind, NO_CLASS};
use crate::emit;
use crate::folder::Folder;
use crate::group::{Group, outputs};
use crate::reach::Reach;

/// Most blocks of a new dimension that are taken apart again.
const BLOCKS: i64 = 64;

/// Groups of some levels after merging, and what that saves and costs.
#[derive(Default)]
struct Merge {
    levels: Vec<(usize, Vec<Group>)>,
    saved: usize,
    lost: u64,
}

impl Folder {
    /// Widens the level that saves most groups for each point lost; false if no level saves any.
    pub(crate) fn widen_once(&mut self) -> bool {
        let mut best: Option<(usize, Merge)> = None;
        for q in (0..self.dims).rev().filter(|&q| !self.widens_at(q)).collect::<SmallVec<[usize; 8]>>() {
            let merge = self.merge(q);
            // saved / lost > best.saved / best.lost, without division
            let is_better = best.as_ref().is_none_or(|(_, b)| {
                merge.saved as u128 * u128::from(b.lost.max(1))
                    > b.saved as u128 * u128::from(merge.lost.max(1))
            });
            if merge.saved > 0 && is_better {
                best = Some((q, merge));
            }
        }
        let Some((q, merge)) = best else { return false };
        self.eager |= 1 << q;
        self.reach.fill(Reach::ALL);
        for (level, groups) in merge.levels {
            self.levels[level] = groups;
        }
        true
    }

    /// What widening level `q` would give: groups of the level itself chain, and, if it is the innermost, so do groups
    /// further out whose innermost level is given.
    fn merge(&mut self, q: usize) -> Merge {
        let mut merge = Merge::default();
        let inner = self.dims - 1;
        for level in if q == inner { 0..=inner } else { q..=q } {
            if self.levels[level].len() < 2 {
                continue;
            }
            let before: Vec<Group> = self.levels[level].clone();
            let mut after = self.expanded(&before);
            if level < inner && q == inner {
                after = self.merged_inside(level, after);
            }
            let widens = level == q || self.widens_at(level);
            after = merged(after, |a, b| chained(&mut self.classes, a, b, widens, self.outputs));
            if after.len() < before.len() {
                merge.saved += before.len() - after.len();
                let lost = self.affine_points(&before).saturating_sub(self.affine_points(&after));
                merge.lost = merge.lost.saturating_add(lost);
                merge.levels.push((level, after));
            }
        }
        merge
    }

    /// The groups with short new dimensions written out again: under ⊤ their blocks chain.
    fn expanded(&self, groups: &[Group]) -> Vec<Group> {
        let mut out = Vec::new();
        for group in groups {
            if group.kind != Kind::New || group.count > BLOCKS {
                out.push(group.clone());
                continue;
            }
            let mut vector = group.first.clone();
            for _ in 0..group.count {
                out.push(Group::of(self.classes.at(group.class), &vector));
                vector.iter_mut().zip(&group.delta).for_each(|(v, d)| *v = v.wrapping_add(*d));
            }
        }
        out
    }

    /// Points in groups without ⊤.
    fn affine_points(&mut self, groups: &[Group]) -> u64 {
        groups.iter().fold(0u64, |sum, group| {
            let class = self.classes.intern(group.class());
            if self.classes.chain(class).any(|c| c.unknown != 0) {
                return sum;
            }
            sum.saturating_add(emit::count_points(&emit::levels(&self.classes, class, &group.vector())))
        })
    }

    /// Groups of a level outside the innermost one that agree on all but the innermost level, chained along that.
    fn merged_inside(&mut self, level: usize, groups: Vec<Group>) -> Vec<Group> {
        let start = 2 * (self.dims - level - 2);
        let (mut plain, mut out): (Vec<Group>, Vec<Group>) = groups.into_iter().partition(|g| {
            g.kind == Kind::Coordinate
                && g.first.len() == start + 2 + self.outputs
                && self.classes.chain(g.class).all(|c| c.kind == Kind::Coordinate)
        });
        plain.sort_by_key(|g| (g.x, g.first[start]));
        let outputs = self.outputs;
        plain = merged(plain, |a, b| {
            if !agrees_outside(&self.classes, a, b, start) {
                return None;
            }
            let (row_a, row_b) =
                (inner_group(&self.classes, a, start)?, inner_group(&self.classes, b, start)?);
            let row = chained(&mut self.classes, &row_a, &row_b, true, outputs)?;
            Some(with_inner_group(&mut self.classes, a, start, &row))
        });
        out.append(&mut plain);
        out
    }
}

/// Merges what can be, each group with the nearest before it; the groups are in order of their last coordinate.
fn merged(groups: Vec<Group>, mut join: impl FnMut(&Group, &Group) -> Option<Group>) -> Vec<Group> {
    let mut sorted = groups;
    sorted.sort_by_key(|g| if g.kind == Kind::Coordinate { g.x } else { i64::MIN });
    let mut out: Vec<Group> = Vec::new();
    for group in sorted {
        let joined = out.iter().enumerate().rev().find_map(|(at, before)| Some((at, join(before, &group)?)));
        match joined {
            Some((at, both)) => {
                out.remove(at);
                out.push(both);
            }
            None => out.push(group),
        }
    }
    out.sort_by_key(|g| if g.kind == Kind::Coordinate { g.last_x() } else { i64::MIN });
    out
}

/// Group `a` followed by group `b`, if the coordinate and the shapes go on; labels that do not become ⊤.
fn chained(classes: &mut Classes, a: &Group, b: &Group, widens: bool, count: usize) -> Option<Group> {
    let coordinates = a.kind == Kind::Coordinate && b.kind == Kind::Coordinate;
    if !coordinates || a.first.len() != b.first.len() {
        return None;
    }
    let labels_at = a.first.len() - count;
    let step = b.x.wrapping_sub(a.last_x());
    if step < 1 || a.count > 1 && a.step != step || b.count > 1 && b.step != step {
        return None;
    }
    let mut out = a.clone();
    out.class = classes.unify(a.class, b.class)?;
    if a.count == 1 {
        out.step = step;
        out.delta = b.first.iter().zip(&a.first).map(|(b, a)| b.wrapping_sub(*a)).collect();
        out.expected.clone_from(&b.first);
    }
    let shape = 0..labels_at;
    let goes_on = out.expected[shape.clone()] == b.first[shape.clone()]
        && (b.count == 1 || out.delta[shape.clone()] == b.delta[shape.clone()]);
    let goes_on_at = |o: usize| {
        let i = labels_at + o;
        out.expected[i] == b.first[i] && (b.count == 1 || out.delta[i] == b.delta[i])
    };
    let broken = (0..count).filter(|&o| (b.unknown >> o | !out.unknown >> o) & 1 == 1);
    let broken =
        broken.filter(|&o| b.unknown >> o & 1 == 1 || !goes_on_at(o)).fold(0u64, |mask, o| mask | 1 << o);
    let broken = broken & !out.unknown;
    let unknown = out.unknown | broken;
    let moves = out.delta[shape].iter().any(|&d| d != 0);
    // Two items always chain; only more can need a label to be ⊤.
    let rigid = (unknown != 0 || a.count == 1 && b.count == 1) && classes.is_fingerprinted(out.class);
    if !goes_on || broken != 0 && !widens || rigid && moves {
        return None;
    }
    out.widen(broken, labels_at);
    if unknown != 0 {
        out.fingerprint.add_row(out.weight, b.fingerprint);
        for o in outputs(unknown) {
            let i = labels_at + o;
            let delta = if b.unknown >> o & 1 == 1 { 0 } else { b.delta[i] };
            out.fingerprint.add_progression(
                out.weight,
                o,
                b.first[i].wrapping_sub(a.first[i]),
                delta,
                b.count,
            );
        }
        out.weight = out.weight.after(b.count);
    }
    out.count = a.count.saturating_add(b.count);
    for (i, expected) in out.expected.iter_mut().enumerate() {
        // One step of this group after the last item of the other.
        let last = if b.count == 1 { b.first[i] } else { b.expected[i].wrapping_sub(b.delta[i]) };
        *expected = last.wrapping_add(out.delta[i]);
    }
    Some(out)
}

/// Whether two groups differ in their innermost level alone, `start` being where that stands in their vectors. Shapes must
/// not move, since the innermost level may become ⊤.
fn agrees_outside(classes: &Classes, a: &Group, b: &Group, start: usize) -> bool {
    let rests = |delta: &[i64], shape: usize| delta[..shape].iter().all(|&d| d == 0);
    let is_same = |(x, y): (&Class, &Class)| {
        x.inner == NO_CLASS && y.inner == NO_CLASS
            || (x.delta == y.delta
                && x.step == y.step
                && x.unknown == y.unknown
                && x.fingerprint == y.fingerprint)
    };
    let depth = start / 2;
    a.x == b.x
        && a.count == b.count
        && (a.count == 1 || a.step == b.step)
        && a.unknown == b.unknown
        && a.fingerprint == b.fingerprint
        && a.first[..start] == b.first[..start]
        && a.delta == b.delta
        && rests(&a.delta, start + 2)
        && classes.chain(a.class).zip(classes.chain(b.class)).all(is_same)
        && classes
            .chain(a.class)
            .take(depth)
            .enumerate()
            .all(|(k, c)| c.delta.as_ref().is_none_or(|d| rests(d, start - 2 * k)))
}

/// The innermost level of a group, as a group.
fn inner_group(classes: &Classes, group: &Group, start: usize) -> Option<Group> {
    Some(Group::of(classes.chain(group.class).last()?, &group.first[start..]))
}

/// A group with another innermost level.
fn with_inner_group(classes: &mut Classes, group: &Group, start: usize, row: &Group) -> Group {
    let mut out = group.clone();
    let around: Vec<Class> = classes.chain(group.class).cloned().collect();
    let mut inner = classes.intern(row.class());
    for class in around[..around.len().saturating_sub(1)].iter().rev() {
        inner = classes.intern(Class { inner, ..class.clone() });
    }
    out.class = inner;
    out.first[start + 1] = row.count;
    out.expected[start + 1] = row.count;
    out
}
