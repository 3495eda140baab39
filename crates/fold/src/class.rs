//! Classes: what items must share to follow each other in one group.
//!
//! An item is a closed group: its class, and a vector `[x_0, n_0, x_1, n_1, …, labels]` of starts and counts per level
//! from its own inwards. Classes are interned; equal numbers mean equal structure.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::fingerprint::Fingerprint;

/// A short vector: starts and counts of inner levels, and labels. Made with `from_slice`, which copies it whole; `into` and
/// `clone` go number by number.
pub(crate) type Short = SmallVec<[i64; 8]>;

pub(crate) type ClassId = u32;
/// Class of a point.
pub(crate) const NO_CLASS: ClassId = 0;

/// What a level of a group stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// A coordinate.
    Coordinate,
    /// A new dimension, around the coordinate next inside; `x` of such a level is 0.
    New,
    /// A coordinate of a box that was given up.
    Box,
}

/// How an item continues inside: shared by all items that may follow each other in one group.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Class {
    pub kind: Kind,
    pub inner: ClassId,
    /// Advance of the inner description per step; `None` while only one item was seen (⊥).
    pub delta: Option<Short>,
    pub step: Option<i64>,
    /// Outputs whose coefficient is ⊤.
    pub unknown: u64,
    pub fingerprint: Fingerprint,
}

/// All classes of a folder.
#[derive(Debug, Default)]
pub(crate) struct Classes {
    /// Class `id` stands at `id - 1`.
    list: Vec<Class>,
    ids: FxHashMap<Class, ClassId>,
}

impl Classes {
    pub fn intern(&mut self, class: Class) -> ClassId {
        if let Some(&id) = self.ids.get(&class) {
            return id;
        }
        if self.list.is_empty() {
            self.list.reserve_exact(1);
        }
        self.list.push(class.clone());
        let id = self.list.len() as ClassId;
        self.ids.insert(class, id);
        id
    }

    /// What was interned as `id`, which is not [`NO_CLASS`].
    pub fn at(&self, id: ClassId) -> &Class {
        &self.list[id as usize - 1]
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The more definite of two classes if they can describe the same inner structure.
    pub fn unify(&mut self, a: ClassId, b: ClassId) -> Option<ClassId> {
        if a == b {
            return Some(a);
        }
        if a == NO_CLASS || b == NO_CLASS {
            return None;
        }
        let (x, y) = (self.at(a), self.at(b));
        if x.kind != y.kind
            || x.unknown != y.unknown
            || x.fingerprint != y.fingerprint
            || x.delta.as_ref().zip(y.delta.as_ref()).is_some_and(|(p, q)| p != q)
            || x.step.zip(y.step).is_some_and(|(p, q)| p != q)
        {
            return None;
        }
        let (x, y) = (x.clone(), y.clone());
        let inner = self.unify(x.inner, y.inner)?;
        let (delta, step) = (x.delta.or(y.delta), x.step.or(y.step));
        Some(self.intern(Class { inner, delta, step, ..y }))
    }

    /// The classes from `id` inwards.
    pub fn chain(&self, id: ClassId) -> impl Iterator<Item = &Class> {
        let mut at = id;
        std::iter::from_fn(move || {
            (at != NO_CLASS).then(|| {
                let class = self.at(at);
                at = class.inner;
                class
            })
        })
    }

    /// Whether items of this class carry labels that may only be compared at equal inner coordinates.
    pub fn is_fingerprinted(&self, class: ClassId) -> bool {
        self.chain(class).any(|c| c.unknown != 0 && c.kind != Kind::Box)
    }

    /// Whether items of this class are boxes that were given up.
    pub fn is_box(&self, class: ClassId) -> bool {
        self.chain(class).any(|c| c.kind == Kind::Box)
    }

    /// Number of new dimensions around the outermost coordinate.
    pub fn new_dimensions(&self, class: ClassId) -> usize {
        self.chain(class).take_while(|c| c.kind == Kind::New).count()
    }
}
