//! The statements of a region.
//!
//! Definition: a statement is a block of the program's own code, in a context, with all that library functions called from
//! it execute. A library's insides are nothing that anyone would transform, and they stay in one piece with the call. What
//! a library calls back belongs to it too.

use std::collections::BTreeMap;

use profile::{ContextIndex, ContextKind, Kind, Profile, StatementIndex};
use rustc_hash::{FxHashMap, FxHashSet};

/// Blocks of a region by the statement that they belong to, which is named by one of them.
#[derive(Debug, Default)]
pub struct Statements {
    of: FxHashMap<u32, u32>,
    members: BTreeMap<u32, Vec<u32>>,
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

    /// The statement that an instruction belongs to, as one of its blocks; `None` outside of the region.
    pub fn of(&self, profile: &Profile, instruction: StatementIndex) -> Option<u32> {
        self.of.get(&profile.statements[instruction as usize].block).copied()
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
        let is_own = profile.functions.get(node.function as usize).is_some_and(|f| f.main);
        if !is_own && matches!(node.kind, ContextKind::Call { .. }) {
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
