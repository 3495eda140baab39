//! Interned descriptions of segments: who, how big, which step, and which earlier readers.
//!
//! **Which readers a cell needs.** Loops form a tree and time is its depth-first order, so two executions diverge
//! either at a loop of dimension `d` (different iterations; [`Key`] `2d+1`) or between two different subtrees below
//! `d` equal dimensions (key `2d`). For r1 before r2 before w, key(r1,w) = min(key(r1,r2), key(r2,w)). With `last`
//! the latest reader, an earlier reader r matters only through key(r,last): it yields another level than `last`
//! does exactly for stores with key(last,w) > key(r,last). So one reader per key suffices, and when a new reader
//! with key K to `last` arrives, all entries with keys ≥ K become equivalent to `last` and are replaced by it.
//! Even keys all mean "no level", so only the smallest even key is kept. A chain is thus strictly increasing in
//! key and has at most nine entries; in practice none to three.
//!
//! In segments a chain is relative: (statement, offset of its iteration vector from the last reader's), affine in
//! the number of the element, so that whole rows share one chain.
//!
//! **Patterns.** The elements of a class may have a structure: fields that tile the element, each with its own
//! statement, chain and shift of the iteration vector. Unrolled and vectorised code writes such elements with
//! several statements of one large stride.

use crate::iv::Iv;
use crate::{Client, Stmt};
use rustc_hash::FxHashMap;

/// Where two executions diverge in the loop tree; see the module text.
pub(crate) type Key = u8;

/// The key of `(a, va)` and `(b, vb)`.
#[inline]
pub(crate) fn key(client: &impl Client, a: Stmt, va: &Iv, b: Stmt, vb: &Iv) -> Key {
    let common = client.common(a, b) as usize;
    let same = va.0.iter().zip(&vb.0).take(common).take_while(|(x, y)| x == y).count();
    (if same < common { 2 * same + 1 } else { 2 * common }) as Key
}

/// Whether an entry with this key is redundant given an earlier entry with key `earlier`.
#[inline]
pub(crate) fn is_redundant(earlier: Key, key: Key) -> bool {
    (earlier | key) & 1 == 0
}

/// An earlier reader relative to the last one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Earlier {
    pub stmt: Stmt,
    pub offset: Iv,
    /// Change of the offset from element to element; only chains marked [`AFFINE`] have any.
    pub step: Iv,
    pub key: Key,
}

impl Earlier {
    /// This reader's iteration vector where the last reader of element `e` has `last`.
    #[inline]
    pub fn iv(&self, last: &Iv, e: i64) -> Iv {
        last.after(1, &self.offset).after(e, &self.step)
    }
}

/// What the elements of a segment share: element `e` is `(stmt, first + e·step)`, unless it has fields.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Class {
    pub stmt: Stmt,
    pub size: u32,
    pub step: Iv,
    pub chain: u32,
    /// The fields that tile an element; [`PLAIN`] if it is one field.
    pub fields: u32,
}

/// No structure inside elements.
pub(crate) const PLAIN: u32 = 0;

impl Class {
    #[inline]
    pub fn plain(stmt: Stmt, size: u32, step: Iv, chain: u32) -> Class {
        Class { stmt, size, step, chain, fields: PLAIN }
    }
}

/// Part of an element: `size` bytes at byte `at`, which in element `e` belong to `(stmt, first + e·step + shift)`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Field {
    pub at: u32,
    pub size: u32,
    pub stmt: Stmt,
    pub chain: u32,
    pub shift: Iv,
}

impl Field {
    /// Nothing, to be replaced.
    pub const NONE: Field = Field { at: 0, size: 0, stmt: 0, chain: 0, shift: Iv::ZERO };
}

/// The chain without entries.
pub(crate) const NO_CHAIN: u32 = 0;
/// Bit of the number of a chain whose offsets change from element to element.
pub(crate) const AFFINE: u32 = 1 << 31;

/// A last reader to put into a chain, seen from element `e` of a new one: it lies at `offset + e·step` and is its
/// own class's element `origin + e·ratio`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Preceding {
    pub stmt: Stmt,
    pub chain: u32,
    pub key: Key,
    pub offset: Iv,
    pub step: Iv,
    /// Matter only for affine chains.
    pub origin: i64,
    pub ratio: i64,
}

/// Extensions of chains found without hashing all of them.
const RECENT: usize = 64;

impl Preceding {
    fn slot(&self) -> usize {
        let sum =
            self.offset.0.iter().fold(i64::from(self.stmt), |sum, x| sum.wrapping_mul(5).wrapping_add(*x));
        let mixed = sum.wrapping_add(i64::from(self.chain).wrapping_mul(7)) as u64;
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize
    }
}

pub(crate) struct Classes {
    all: Vec<Class>,
    ids: FxHashMap<Class, u32>,
    /// The last class of each statement, of writers and of readers.
    recent: Vec<[u32; 2]>,
    chains: Vec<Box<[Earlier]>>,
    chain_ids: FxHashMap<Box<[Earlier]>, u32>,
    steps: FxHashMap<Preceding, u32>,
    recent_steps: Box<[Option<(Preceding, u32)>; RECENT]>,
    fields: Vec<Box<[Field]>>,
    field_ids: FxHashMap<Box<[Field]>, u32>,
}

impl Classes {
    pub fn new() -> Classes {
        let empty: Box<[Earlier]> = Box::new([]);
        Classes {
            all: Vec::new(),
            ids: FxHashMap::default(),
            recent: Vec::new(),
            chains: vec![empty.clone()],
            chain_ids: FxHashMap::from_iter([(empty, NO_CHAIN)]),
            steps: FxHashMap::default(),
            recent_steps: Box::new([None; RECENT]),
            fields: vec![Box::new([])],
            field_ids: FxHashMap::default(),
        }
    }

    pub fn len(&self) -> usize {
        self.all.len() + self.chains.len() + self.fields.len()
    }

    /// Number of classes alone.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    pub fn bytes(&self) -> usize {
        self.all.len() * 3 * size_of::<Class>()
            + self.chains.iter().map(|c| 32 + 2 * size_of_val(&**c)).sum::<usize>()
            + self.fields.iter().map(|f| 32 + 2 * size_of_val(&**f)).sum::<usize>()
            + self.steps.len() * 200
    }

    #[inline]
    pub fn get(&self, id: u32) -> &Class {
        &self.all[id as usize]
    }

    #[inline]
    pub fn chain(&self, id: u32) -> &[Earlier] {
        &self.chains[(id & !AFFINE) as usize]
    }

    /// The fields of a class; `one` is room for that of a plain one.
    #[inline]
    pub fn fields<'a>(&'a self, class: &Class, one: &'a mut [Field; 1]) -> &'a [Field] {
        if class.fields != PLAIN {
            return &self.fields[class.fields as usize];
        }
        *one = [Field { at: 0, size: class.size, stmt: class.stmt, chain: class.chain, shift: Iv::ZERO }];
        one
    }

    /// The class with these fields, which tile `size` bytes, plain if there is only one.
    pub fn with_fields(&mut self, size: u32, step: Iv, fields: &[Field]) -> u32 {
        let first = fields[0];
        if fields.len() == 1 && first.shift == Iv::ZERO {
            return self.id(Class::plain(first.stmt, size, step, first.chain));
        }
        let number = match self.field_ids.get(fields) {
            Some(number) => *number,
            None => {
                let number = self.fields.len() as u32;
                self.fields.push(fields.into());
                self.field_ids.insert(fields.into(), number);
                number
            }
        };
        self.id(Class { stmt: first.stmt, size, step, chain: NO_CHAIN, fields: number })
    }

    #[inline]
    pub fn id(&mut self, class: Class) -> u32 {
        let slot = usize::from(class.chain != NO_CHAIN);
        let s = class.stmt as usize;
        if let Some(recent) = self.recent.get(s) {
            let id = recent[slot];
            if self.all.get(id as usize) == Some(&class) {
                return id;
            }
        } else {
            self.recent.resize(s + 1, [u32::MAX; 2]);
        }
        let id = self.intern(class);
        self.recent[s][slot] = id;
        id
    }

    fn intern(&mut self, class: Class) -> u32 {
        let next = self.all.len() as u32;
        let id = *self.ids.entry(class).or_insert(next);
        if id == next {
            self.all.push(class);
        }
        id
    }

    /// The chain after a new reader that follows a last reader.
    pub fn extended(&mut self, last: Preceding) -> u32 {
        let last = if last.chain & AFFINE == 0 { Preceding { origin: 0, ratio: 0, ..last } } else { last };
        let slot = last.slot();
        if let Some((s, id)) = &self.recent_steps[slot]
            && *s == last
        {
            return *id;
        }
        let id = match self.steps.get(&last) {
            Some(id) => *id,
            None => {
                let mut entries: Vec<Earlier> = self
                    .chain(last.chain)
                    .iter()
                    .take_while(|e| e.key < last.key)
                    .map(|e| Earlier {
                        offset: e.iv(&last.offset, last.origin),
                        step: last.step.after(last.ratio, &e.step),
                        ..*e
                    })
                    .collect();
                if !entries.iter().any(|e| is_redundant(e.key, last.key)) {
                    let Preceding { stmt, offset, step, key, .. } = last;
                    entries.push(Earlier { stmt, offset, step, key });
                }
                let id = self.chain_id(entries);
                self.steps.insert(last, id);
                id
            }
        };
        self.recent_steps[slot] = Some((last, id));
        id
    }

    /// The id of a chain given in order of increasing key.
    pub fn chain_id(&mut self, entries: Vec<Earlier>) -> u32 {
        let entries = entries.into_boxed_slice();
        if let Some(id) = self.chain_ids.get(&entries) {
            return *id;
        }
        let affine = if entries.iter().any(|e| e.step != Iv::ZERO) { AFFINE } else { 0 };
        let id = self.chains.len() as u32 | affine;
        self.chains.push(entries.clone());
        self.chain_ids.insert(entries, id);
        id
    }

    /// Drops the classes that `live` does not mark, and all chains no class uses; returns the new class numbers.
    pub fn compact(&mut self, live: &[bool]) -> Vec<u32> {
        let old = std::mem::replace(self, Classes::new());
        let mut renumbered = vec![0; live.len()];
        for (id, class) in old.all.iter().copied().enumerate() {
            if live[id] {
                let chain = self.chain_id(old.chain(class.chain).to_vec());
                renumbered[id] = if class.fields == PLAIN {
                    self.intern(Class { chain, ..class })
                } else {
                    let mut fields = old.fields[class.fields as usize].clone();
                    for f in &mut fields {
                        f.chain = self.chain_id(old.chain(f.chain).to_vec());
                    }
                    self.with_fields(class.size, class.step, &fields)
                };
            }
        }
        renumbered
    }
}
