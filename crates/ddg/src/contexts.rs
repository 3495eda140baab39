//! The tree of contexts (ALGORITHMS 1.4, 1.7).
//!
//! A context is the part of an interprocedural iteration vector that is not a counter and not the current block: the
//! chain of call sites and loops from the root. Contexts are interned: equal chains have equal numbers.
//! A loop context adds one dimension unless the limit on dimensions is reached; then it is *flat*: its iterations are not
//! told apart and nothing is claimed about it.

use profile::Gap;
use rustc_hash::FxHashMap;
use shadow::MAX_DIMS;

/// Number of a context; 0 is the root.
pub type ContextId = u32;
/// Number of a function, in order of first entry.
pub type FunctionId = u32;

/// What a context adds to its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The start of the program.
    Root,
    /// A call from the block at `site` to a function.
    Call {
        /// Address of the calling block.
        site: u64,
        /// The function called.
        callee: FunctionId,
    },
    /// A loop of a function, named by its header's address.
    Loop {
        /// The function.
        function: FunctionId,
        /// Address of the header.
        header: u64,
    },
    /// A recursive loop.
    Recursive {
        /// Number of the recursive component.
        component: u32,
    },
    /// What enters a function from code that is not recorded: a loop that counts entries, so that two of them do not share
    /// vectors.
    Entries,
    /// Threads beside the first that run one after the other, counted so that they do not share vectors.
    Thread {
        /// Number of their tree of contexts, from 1.
        tree: u32,
    },
}

impl Kind {
    /// Whether contexts of this kind have a counter.
    pub fn counts(self) -> bool {
        matches!(self, Kind::Loop { .. } | Kind::Recursive { .. } | Kind::Entries | Kind::Thread { .. })
    }
}

/// A node of the tree.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// The context around it.
    pub parent: ContextId,
    /// What it adds.
    pub kind: Kind,
    /// Number of dimensions of vectors in this context.
    pub dims: u8,
    /// A loop without a dimension (limit reached).
    pub flat: bool,
    /// A loop that a recursive call from inside has suspended at least once.
    pub suspended: bool,
    /// Why not all is known of what its iterations pass on.
    pub gap: Option<Gap>,
    /// The handler of a signal runs here.
    pub handler: bool,
    /// A loop that an exception or a jump out of a called function has ended.
    pub unwound: bool,
    /// Distance from the root.
    pub depth: u32,
    /// Number of the tree of contexts of its thread; 0 for the first one's.
    pub thread: u32,
}

/// All contexts.
#[derive(Debug)]
pub struct Contexts {
    nodes: Vec<Context>,
    ids: FxHashMap<(ContextId, Kind), ContextId>,
    /// The context that replaced one when a recursion was discovered late, with the dimension that was inserted.
    aliases: FxHashMap<ContextId, (ContextId, u8)>,
    /// Recursive loops, once for each time one was found after it had been entered.
    late: Vec<ContextId>,
}

impl Default for Contexts {
    fn default() -> Self {
        let root = Context {
            parent: 0,
            kind: Kind::Root,
            dims: 0,
            flat: false,
            suspended: false,
            gap: None,
            handler: false,
            unwound: false,
            depth: 0,
            thread: 0,
        };
        Contexts {
            nodes: vec![root],
            ids: FxHashMap::default(),
            aliases: FxHashMap::default(),
            late: Vec::new(),
        }
    }
}

impl Contexts {
    /// The node.
    pub fn get(&self, id: ContextId) -> &Context {
        &self.nodes[id as usize]
    }

    /// Number of contexts.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never true: the root always exists.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The child of `parent` of this kind.
    pub fn child(&mut self, parent: ContextId, kind: Kind) -> ContextId {
        if let Some(&id) = self.ids.get(&(parent, kind)) {
            return id;
        }
        let above = self.nodes[parent as usize];
        let is_loop = kind.counts();
        // Inside a flat loop nothing has a dimension: coordinates would repeat.
        let flat = is_loop && (usize::from(above.dims) >= MAX_DIMS || self.inside_flat(parent));
        let dims = above.dims + u8::from(is_loop && !flat);
        let id = self.nodes.len() as ContextId;
        let (suspended, gap, depth) = (false, None, above.depth + 1);
        let thread = if let Kind::Thread { tree } = kind { tree } else { above.thread };
        let (handler, unwound) = (false, false);
        self.nodes.push(Context {
            parent,
            kind,
            dims,
            flat,
            suspended,
            gap,
            handler,
            unwound,
            depth,
            thread,
        });
        self.ids.insert((parent, kind), id);
        id
    }

    /// Whether a context is, or lies inside, a flat loop.
    pub fn inside_flat(&self, mut id: ContextId) -> bool {
        while id != 0 {
            let node = &self.nodes[id as usize];
            if node.flat {
                return true;
            }
            id = node.parent;
        }
        false
    }

    /// Marks the loops between `outer` and `inner` as suspended by a recursive call.
    pub fn suspend(&mut self, outer: ContextId, inner: ContextId) {
        let mut at = inner;
        while at != outer && at != 0 {
            let node = &mut self.nodes[at as usize];
            // What lies further out was marked the first time.
            if node.suspended {
                break;
            }
            node.suspended = true;
            at = node.parent;
        }
    }

    /// Not all is known of what iterations around context `id` pass on, and of its own.
    pub fn mark_gap(&mut self, id: ContextId, gap: Gap) {
        let mut node = &mut self.nodes[id as usize];
        // What lies further out was marked with it.
        while node.gap.is_none() {
            node.gap = Some(gap);
            let parent = node.parent;
            node = &mut self.nodes[parent as usize];
        }
    }

    /// The handler of a signal runs in a context.
    pub fn mark_handler(&mut self, id: ContextId) {
        self.nodes[id as usize].handler = true;
    }

    /// A loop was ended by an exception or a jump out of a called function.
    pub fn mark_unwound(&mut self, id: ContextId) {
        self.nodes[id as usize].unwound = true;
    }

    /// Whether a context is `outer` or lies inside it.
    pub fn is_inside(&self, mut id: ContextId, outer: ContextId) -> bool {
        let depth = self.get(outer).depth;
        while self.get(id).depth > depth {
            id = self.get(id).parent;
        }
        id == outer
    }

    /// The chain of contexts from the root's child to `id`.
    pub fn chain(&self, mut id: ContextId) -> Vec<ContextId> {
        let mut chain = Vec::new();
        while id != 0 {
            chain.push(id);
            id = self.nodes[id as usize].parent;
        }
        chain.reverse();
        chain
    }

    /// Number of dimensions two contexts share: loops of their common ancestor.
    pub fn common(&self, mut a: ContextId, mut b: ContextId) -> u8 {
        while a != b {
            if self.nodes[a as usize].depth >= self.nodes[b as usize].depth {
                a = self.nodes[a as usize].parent;
            } else {
                b = self.nodes[b as usize].parent;
            }
        }
        self.nodes[a as usize].dims
    }

    /// Whether a context is another one or lies in it.
    pub fn is_within(&self, mut id: ContextId, around: ContextId) -> bool {
        let depth = self.get(around).depth;
        while id != around && self.get(id).depth > depth {
            id = self.get(id).parent;
        }
        id == around
    }

    /// The loop contexts around `id` that have a dimension, outermost first.
    pub fn loops(&self, id: ContextId) -> Vec<ContextId> {
        let is_dimension = |c: &ContextId| {
            let node = self.get(*c);
            !node.flat && node.kind.counts()
        };
        self.chain(id).into_iter().filter(is_dimension).collect()
    }

    /// Rebuilds the chain below `old` on top of `new`.
    pub fn rebase(&mut self, id: ContextId, old: ContextId, new: ContextId) -> ContextId {
        let mut kinds = Vec::new();
        let mut at = id;
        while at != old && at != 0 {
            kinds.push(self.get(at).kind);
            at = self.get(at).parent;
        }
        if at != old {
            return id;
        }
        let mut out = new;
        for kind in kinds.into_iter().rev() {
            out = self.child(out, kind);
        }
        out
    }

    /// From now on `old` and everything below it stands for the same chain on top of `new`, with coordinate 0 inserted
    /// at `dimension` (ALGORITHMS 1.6, recursion discovered late).
    pub fn alias(&mut self, old: ContextId, new: ContextId, dimension: u8) {
        self.aliases.insert(old, (new, dimension));
    }

    /// The recursive loop `id` was entered, as is found only now.
    pub fn entered_late(&mut self, id: ContextId) {
        self.late.push(id);
    }

    /// Recursive loops, once for each entry that was found late.
    pub fn late_entries(&self) -> &[ContextId] {
        &self.late
    }

    /// Number of aliases.
    pub fn aliases(&self) -> usize {
        self.aliases.len()
    }

    /// Whether any alias exists.
    pub fn has_aliases(&self) -> bool {
        !self.aliases.is_empty()
    }

    /// The context that `id` stands for, and the dimensions inserted on the way (to be applied in this order).
    pub fn canonical(&mut self, id: ContextId) -> (ContextId, Vec<u8>) {
        let mut inserted = Vec::new();
        let mut at = id;
        // Each pass replaces the outermost aliased ancestor; passes are bounded by the number of aliases.
        for _ in 0..=self.aliases.len() {
            let chain = self.chain(at);
            // The replacement may be a child of what it replaces; a chain that already passes through it is done.
            let hit = chain.iter().enumerate().find_map(|(i, c)| {
                let &(new, dimension) = self.aliases.get(c)?;
                (chain.get(i + 1) != Some(&new)).then_some((*c, new, dimension))
            });
            let Some((old, new, dimension)) = hit else { break };
            at = self.rebase(at, old, new);
            inserted.push(dimension);
        }
        (at, inserted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_dimensions_and_the_limit() {
        let mut c = Contexts::default();
        let l = |function, header| Kind::Loop { function, header };
        let outer = c.child(0, l(0, 1));
        let a = c.child(outer, l(0, 2));
        let call = c.child(outer, Kind::Call { site: 5, callee: 1 });
        let b = c.child(call, l(1, 3));
        assert_eq!(c.common(a, b), 1);
        assert_eq!(c.common(b, b), 2);
        assert_eq!(c.common(a, outer), 1);
        assert_eq!(c.common(a, 0), 0);
        assert_eq!(c.loops(b), vec![outer, b]);
        let mut at = b;
        for k in 0..MAX_DIMS as u64 + 2 {
            at = c.child(at, l(2, k));
        }
        assert!(c.get(at).flat);
        assert_eq!(usize::from(c.get(at).dims), MAX_DIMS);
        let below = c.child(at, Kind::Call { site: 9, callee: 3 });
        assert!(!c.get(below).flat);
    }

    #[test]
    fn an_alias_moves_a_whole_chain() {
        let mut c = Contexts::default();
        let f = c.child(0, Kind::Call { site: 1, callee: 1 });
        let inner = c.child(f, Kind::Loop { function: 1, header: 7 });
        let recursive = c.child(0, Kind::Recursive { component: 0 });
        c.alias(f, recursive, 0);
        let (moved, inserted) = c.canonical(inner);
        assert_eq!(inserted, vec![0]);
        assert_eq!(c.get(moved).parent, recursive);
        assert_eq!(c.get(moved).dims, 2);
        assert_eq!(c.canonical(recursive), (recursive, vec![]));
    }
}
