//! Groups: open pieces of one level.

use smallvec::smallvec;

use crate::class::{Class, ClassId, Classes, Kind, Short};
use crate::fingerprint::{Fingerprint, Weight};

/// An item: coordinate at its level, class of the inside, description of the inside.
pub(crate) type Item<'a> = (i64, ClassId, &'a [i64]);

/// Items that follow each other at one level.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub kind: Kind,
    pub class: ClassId,
    pub x: i64,
    pub count: i64,
    pub step: i64,
    pub first: Short,
    pub delta: Short,
    /// The item that would continue the group.
    pub expected: Short,
    /// Outputs whose coefficient is ⊤ here.
    pub unknown: u64,
    /// Of the labels of `unknown` outputs relative to the first.
    pub fingerprint: Fingerprint,
    /// Of the next position; kept only where `unknown` is not empty.
    pub weight: Weight,
}

impl Group {
    /// A group of one item.
    pub fn single((x, class, vector): Item<'_>) -> Group {
        Group {
            kind: Kind::Coordinate,
            class,
            x,
            count: 1,
            step: 1,
            first: Short::from_slice(vector),
            delta: smallvec![0; vector.len()],
            expected: Short::from_slice(vector),
            unknown: 0,
            fingerprint: Fingerprint::default(),
            weight: Weight::ONE,
        }
    }

    /// The group that, closed, is an item of this class and vector.
    pub fn of(class: &Class, vector: &[i64]) -> Group {
        let mut group = Group::single((vector[0], class.inner, &vector[2..]));
        group.kind = class.kind;
        group.step = class.step.unwrap_or(1);
        group.unknown = class.unknown;
        group.fingerprint = class.fingerprint;
        if let Some(delta) = &class.delta {
            group.delta.clone_from(delta);
        }
        group.count = 0;
        group.advance(vector[1]);
        if group.unknown != 0 {
            group.weight = Weight::ONE.after(group.count);
        }
        group
    }

    /// Coordinate of the next item, if there are two or more.
    #[inline]
    pub fn next_x(&self) -> i64 {
        self.x.wrapping_add(self.step.wrapping_mul(self.count))
    }

    /// Coordinate of the last item.
    #[inline]
    pub fn last_x(&self) -> i64 {
        self.x.wrapping_add(self.step.wrapping_mul(self.count - 1))
    }

    /// Whether an item is the next of at least two and just what the group predicts.
    #[inline]
    pub fn continues(&self, (x, class, vector): Item<'_>) -> bool {
        self.count >= 2
            && self.unknown == 0
            && self.kind == Kind::Coordinate
            && self.class == class
            && x == self.next_x()
            && self.expected[..] == *vector
    }

    /// Takes `count` items that were predicted.
    #[inline]
    pub fn advance(&mut self, count: i64) {
        self.count = self.count.saturating_add(count);
        for (e, d) in self.expected.iter_mut().zip(&self.delta) {
            *e = e.wrapping_add(d.wrapping_mul(count));
        }
    }

    /// Makes outputs ⊤ whose labels were a progression so far.
    pub fn widen(&mut self, broken: u64, labels_at: usize) {
        if broken == 0 {
            return;
        }
        if self.unknown == 0 {
            self.weight = Weight::ONE.after(self.count);
        }
        for o in outputs(broken) {
            let delta = self.delta[labels_at + o];
            self.fingerprint.add_progression(Weight::ONE, o, 0, delta, self.count);
        }
        self.unknown |= broken;
    }

    /// Takes `count` items whose labels begin as in `vector` and advance by `advance` where they are ⊤, and as predicted
    /// elsewhere.
    pub fn append(&mut self, labels_at: usize, vector: &[i64], advance: impl Fn(usize) -> i64, count: i64) {
        for o in outputs(self.unknown) {
            let relative = vector[labels_at + o].wrapping_sub(self.first[labels_at + o]);
            if count == 1 {
                self.fingerprint.add(self.weight, o, relative);
            } else {
                self.fingerprint.add_progression(self.weight, o, relative, advance(o), count);
            }
        }
        if self.unknown != 0 {
            self.weight = if count == 1 { self.weight.next() } else { self.weight.after(count) };
        }
        self.count = self.count.saturating_add(count);
        for (i, (e, v)) in self.expected.iter_mut().zip(vector).enumerate() {
            let is_unknown = i >= labels_at && self.unknown >> (i - labels_at) & 1 == 1;
            // Beside a label that is ⊤ the prediction is of no use; it is one step after the last label.
            let last = if is_unknown {
                v.wrapping_add(advance(i - labels_at).wrapping_mul(count - 1))
            } else {
                v.wrapping_add(self.delta[i].wrapping_mul(count - 1))
            };
            *e = last.wrapping_add(self.delta[i]);
        }
    }

    /// Class of the group as an item.
    pub fn class(&self) -> Class {
        let several = self.count > 1;
        Class {
            kind: self.kind,
            inner: self.class,
            delta: several.then(|| Short::from_slice(&self.delta)),
            step: several.then_some(self.step),
            unknown: self.unknown,
            fingerprint: self.fingerprint,
        }
    }

    /// Whether the group, closed, is an item of this class.
    #[inline]
    pub fn is_of(&self, class: &Class) -> bool {
        let advances = match (&class.delta, class.step) {
            (Some(delta), Some(step)) => {
                self.count > 1 && self.step == step && self.delta.iter().zip(delta).all(|(a, b)| a == b)
            }
            _ => self.count == 1,
        };
        // Of one inner class all descriptions have one length.
        advances
            && class.inner == self.class
            && class.kind == self.kind
            && class.unknown == self.unknown
            && class.fingerprint == self.fingerprint
    }

    /// The group as an item: `[x, count, first…]`.
    pub fn vector(&self) -> Short {
        let mut vector: Short = smallvec![self.x, self.count];
        vector.extend_from_slice(&self.first);
        vector
    }
}

/// The outputs of a mask.
pub(crate) fn outputs(mask: u64) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let output = (left != 0).then(|| left.trailing_zeros() as usize);
        left &= left.wrapping_sub(1);
        output
    })
}

/// Whether `group` can take an item of its kind at the next coordinate, and how: the common class, and the outputs that
/// would become ⊤. Labels apart, the item must be what the group predicts.
pub(crate) fn fit(
    classes: &mut Classes,
    group: &Group,
    (x, class, vector): Item<'_>,
    outputs: usize,
) -> Option<(ClassId, u64)> {
    let labels_at = vector.len() - outputs;
    let step = x.wrapping_sub(group.x);
    if group.kind != Kind::Coordinate || step <= 0 || (group.count > 1 && x != group.next_x()) {
        return None;
    }
    let unified = classes.unify(group.class, class)?;
    if group.count == 1 {
        let moves = || (0..labels_at).any(|i| vector[i] != group.first[i]);
        return (!classes.is_fingerprinted(unified) || !moves()).then_some((unified, 0));
    }
    if group.expected[..labels_at] != vector[..labels_at] {
        return None;
    }
    let broken: u64 = (0..outputs)
        .filter(|&o| group.unknown >> o & 1 == 0 && group.expected[labels_at + o] != vector[labels_at + o])
        .fold(0, |mask, o| mask | 1 << o);
    // Labels under ⊤ may only be compared at equal coordinates inside.
    let rigid = (group.unknown | broken) != 0 && classes.is_fingerprinted(unified);
    (!rigid || group.delta[..labels_at].iter().all(|&d| d == 0)).then_some((unified, broken))
}

/// Takes an item that [`fit`] found to fit.
pub(crate) fn take(
    group: &mut Group,
    (x, _, vector): Item<'_>,
    (unified, broken): (ClassId, u64),
    outputs: usize,
) {
    let labels_at = vector.len() - outputs;
    group.class = unified;
    if group.count == 1 {
        group.step = x.wrapping_sub(group.x);
        group.count = 2;
        for (i, &v) in vector.iter().enumerate() {
            let delta = v.wrapping_sub(group.first[i]);
            group.delta[i] = delta;
            group.expected[i] = v.wrapping_add(delta);
        }
        return;
    }
    group.widen(broken, labels_at);
    group.append(labels_at, vector, |_| 0, 1);
}
