//! The statements of a region.
//!
//! Definition: a statement is a block of the program's own code, in a context, with all that library functions called from
//! it execute. A library's insides are nothing that anyone would transform, and they stay in one piece with the call. What
//! a library calls back belongs to it too. Blocks of one body that pass values in registers inside an iteration are one
//! statement, unless something between them is not: to part them would take an array per register.

use std::collections::BTreeMap;

use profile::{ContextIndex, ContextKind, Kind, Profile, StatementIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::components;

/// Blocks of a region by the statement that they belong to, which is named by one of them.
#[derive(Debug, Clone, Default)]
pub struct Statements {
    of: FxHashMap<u32, u32>,
    members: BTreeMap<u32, Vec<u32>>,
    /// Instructions that belong to no statement though their block does.
    apart: FxHashSet<StatementIndex>,
}

impl Statements {
    /// Sorts the executed blocks in some contexts.
    pub fn new(profile: &Profile, is_inside: &dyn Fn(ContextIndex) -> bool) -> Statements {
        let mut ends: FxHashMap<(ContextIndex, u64), u32> = FxHashMap::default();
        for (index, block) in profile.blocks.iter().enumerate() {
            if let Some(last) = (block.first + block.count).checked_sub(1) {
                ends.insert((block.context, profile.statements[last as usize].pc), index as u32);
            }
        }
        let mut statements = Statements::default();
        for (index, block) in profile.blocks.iter().enumerate() {
            if block.executions == 0 || !is_inside(block.context) {
                continue;
            }
            let caller = outermost_library_call(profile, block.context, is_inside).and_then(|call| {
                let call = &profile.contexts[call as usize];
                ends.get(&(call.parent, call.at)).copied()
            });
            let index = index as u32;
            let statement = caller.unwrap_or(index);
            statements.of.insert(index, statement);
            statements.members.entry(statement).or_default().push(index);
        }
        statements
    }

    /// Statements given by their blocks, the naming one being the key; some instructions belong to none.
    pub fn given(members: BTreeMap<u32, Vec<u32>>, apart: FxHashSet<StatementIndex>) -> Statements {
        let of = members.iter().flat_map(|(&name, blocks)| blocks.iter().map(move |&block| (block, name)));
        Statements { of: of.collect(), members, apart }
    }

    /// The blocks that name the statements, ascending.
    pub fn names(&self) -> impl Iterator<Item = u32> {
        self.members.keys().copied()
    }

    /// The statement that an instruction belongs to, as one of its blocks; `None` outside of the region.
    pub fn of(&self, profile: &Profile, instruction: StatementIndex) -> Option<u32> {
        if self.apart.contains(&instruction) {
            return None;
        }
        self.of_block(profile.statements[instruction as usize].block)
    }

    /// The statement that a block belongs to.
    pub fn of_block(&self, block: u32) -> Option<u32> {
        self.of.get(&block).copied()
    }

    /// Joins pairs of statements of one body, where that leaves an order of all `edges` inside an iteration.
    pub fn join(&mut self, pairs: &[(u32, u32)], edges: &[(u32, u32)]) {
        let mut first: BTreeMap<u32, u32> = self.members.keys().map(|&s| (s, s)).collect();
        let root = |first: &BTreeMap<u32, u32>, mut s: u32| {
            while let Some(&next) = first.get(&s).filter(|next| **next != s) {
                s = next;
            }
            s
        };
        for &(a, b) in pairs {
            let (a, b) = (root(&first, a), root(&first, b));
            first.insert(a.max(b), a.min(b));
        }
        let joined: Vec<(u32, u32)> =
            edges.iter().map(|&(a, b)| (root(&first, a), root(&first, b))).filter(|(a, b)| a != b).collect();
        let order = components(&joined);
        let moves: Vec<(u32, u32)> = first.keys().map(|&s| (s, root(&first, s))).collect();
        for (statement, to) in moves {
            let in_cycle = order.of.get(&to).is_some_and(|&component| order.is_cyclic(component));
            if statement == to || in_cycle {
                continue;
            }
            let members = self.members.remove(&statement).unwrap_or_default();
            members.iter().for_each(|&block| {
                self.of.insert(block, to);
            });
            self.members.entry(to).or_default().extend(members);
        }
    }

    /// The blocks of a statement.
    pub fn members(&self, statement: u32) -> &[u32] {
        self.members.get(&statement).map_or(&[], Vec::as_slice)
    }
}

/// The call from the program's own code that leads to a context in a library.
fn outermost_library_call(
    profile: &Profile,
    context: ContextIndex,
    is_inside: &dyn Fn(ContextIndex) -> bool,
) -> Option<ContextIndex> {
    let mut found = None;
    let mut at = context;
    while at != 0 && is_inside(at) {
        let node = &profile.contexts[at as usize];
        if !profile.is_own(at) && matches!(node.kind, ContextKind::Call { .. }) {
            found = Some(at);
        }
        at = node.parent;
    }
    found
}

/// Instructions whose values come, through registers, out of an allocator called inside the region. They are new in every
/// call, whatever the instructions themselves compute.
pub fn allocated(profile: &Profile, contexts: &FxHashSet<ContextIndex>) -> FxHashSet<StatementIndex> {
    let mut uses: FxHashMap<StatementIndex, Vec<StatementIndex>> = FxHashMap::default();
    let mut open = Vec::new();
    let is_allocator = |s: StatementIndex| profile.contexts[profile.context_of(s) as usize].allocator;
    for d in profile.dependences.iter().filter(|d| d.kind == Kind::Flow && !d.memory) {
        uses.entry(d.source).or_default().push(d.sink);
        let is_inside = contexts.contains(&profile.context_of(d.source));
        if is_inside && is_allocator(d.source) && !is_allocator(d.sink) {
            open.push(d.sink);
        }
    }
    let mut out = FxHashSet::default();
    while let Some(s) = open.pop() {
        if out.insert(s) {
            open.extend(uses.get(&s).into_iter().flatten());
        }
    }
    out
}
