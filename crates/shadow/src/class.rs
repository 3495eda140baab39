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
//! In segments a chain is relative: (statement, offset of its iteration vector from the last reader's), the same
//! for all elements of the segment, so that whole rows share one chain.

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
    pub key: Key,
}

/// What the elements of a segment share: element `e` is `(stmt, first + e·step)`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Class {
    pub stmt: Stmt,
    pub size: u32,
    pub step: Iv,
    pub chain: u32,
}

/// The chain without entries.
pub(crate) const NO_CHAIN: u32 = 0;

type ChainStep = (Stmt, u32, Key, Iv);

pub(crate) struct Classes {
    all: Vec<Class>,
    ids: FxHashMap<Class, u32>,
    /// The last class of each statement, of writers and of readers.
    recent: Vec<[u32; 2]>,
    chains: Vec<Box<[Earlier]>>,
    chain_ids: FxHashMap<Box<[Earlier]>, u32>,
    steps: FxHashMap<ChainStep, u32>,
    last_step: Option<(ChainStep, u32)>,
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
            last_step: None,
        }
    }

    pub fn len(&self) -> usize {
        self.all.len() + self.chains.len()
    }

    /// Number of classes alone.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    pub fn bytes(&self) -> usize {
        self.all.len() * 3 * size_of::<Class>()
            + self.chains.iter().map(|c| 32 + 2 * size_of_val(&**c)).sum::<usize>()
            + self.steps.len() * 100
    }

    #[inline]
    pub fn get(&self, id: u32) -> &Class {
        &self.all[id as usize]
    }

    #[inline]
    pub fn chain(&self, id: u32) -> &[Earlier] {
        &self.chains[id as usize]
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

    /// The chain after a new reader that follows a last reader `stmt` with chain `chain`, which lies `offset` from
    /// the new one and diverges from it at `key`.
    pub fn extended(&mut self, stmt: Stmt, chain: u32, key: Key, offset: Iv) -> u32 {
        let step = (stmt, chain, key, offset);
        if let Some((s, id)) = self.last_step
            && s == step
        {
            return id;
        }
        let id = match self.steps.get(&step) {
            Some(id) => *id,
            None => {
                let mut entries: Vec<Earlier> = self.chains[chain as usize]
                    .iter()
                    .take_while(|e| e.key < key)
                    .map(|e| Earlier { offset: e.offset.after(1, &offset), ..*e })
                    .collect();
                if !entries.iter().any(|e| is_redundant(e.key, key)) {
                    entries.push(Earlier { stmt, offset, key });
                }
                let id = self.chain_id(entries);
                self.steps.insert(step, id);
                id
            }
        };
        self.last_step = Some((step, id));
        id
    }

    /// The id of a chain given in order of increasing key.
    pub fn chain_id(&mut self, entries: Vec<Earlier>) -> u32 {
        let entries = entries.into_boxed_slice();
        if let Some(id) = self.chain_ids.get(&entries) {
            return *id;
        }
        let id = self.chains.len() as u32;
        self.chains.push(entries.clone());
        self.chain_ids.insert(entries, id);
        id
    }

    /// Drops the classes that `live` does not mark, and all chains no class uses; returns the new class numbers.
    pub fn compact(&mut self, live: &[bool]) -> Vec<u32> {
        let old = std::mem::replace(self, Classes::new());
        let mut renumbered = vec![0; live.len()];
        for (id, class) in old.all.into_iter().enumerate() {
            if live[id] {
                let chain = self.chain_id(old.chains[class.chain as usize].to_vec());
                renumbered[id] = self.intern(Class { chain, ..class });
            }
        }
        renumbered
    }
}
