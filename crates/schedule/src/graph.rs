//! The dependences between statements of one loop, within one instance of it.
//!
//! An edge is *inside* loop L (dimension d) if some of its instances have both ends in one instance of L: instances
//! carried at level d, at a deeper level, or not at all.

use profile::{Access, ContextIndex, ContextKind, Dependence, Kind, Operation, Profile, StatementIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bookkeeping::Bookkeeping;
use crate::once::Once;

/// One dependence seen from a loop.
#[derive(Debug, Clone, Copy)]
pub struct Edge {
    /// Index into [`Profile::dependences`].
    pub dependence: u32,
    /// Some instances are carried by the loop.
    pub carried: bool,
    /// Some instances lie inside one iteration of the loop.
    pub within: bool,
}

/// All edges inside one loop.
#[derive(Debug, Clone, Default)]
pub struct LoopEdges {
    /// The edges.
    pub edges: Vec<Edge>,
    /// Handlers of signals that came while it ran share data with it.
    pub asynchronous: bool,
}

/// The loop's dimension in the vectors of the statements inside it.
pub fn dimension(profile: &Profile, context: ContextIndex) -> usize {
    profile.contexts.get(context as usize).map_or(0, |c| usize::from(c.dims).saturating_sub(1))
}

/// Whether the compiler may have changed the function that a loop is in.
pub fn is_optimised(profile: &Profile, context: ContextIndex) -> bool {
    let own = &profile.contexts[context as usize];
    profile.functions.get(own.function as usize).is_none_or(|function| !function.is_unoptimised)
}

/// All contexts inside some loops, these included.
pub fn inside(profile: &Profile, loops: &[ContextIndex]) -> FxHashSet<ContextIndex> {
    let mut out: FxHashSet<ContextIndex> = loops.iter().copied().collect();
    for (index, context) in profile.contexts.iter().enumerate().skip(1) {
        // Parents stand before children.
        if out.contains(&context.parent) && context.kind != ContextKind::Root {
            out.insert(index as ContextIndex);
        }
    }
    out
}

/// Whether a statement is executed inside a loop.
pub fn is_inside(profile: &Profile, statement: StatementIndex, context: ContextIndex) -> bool {
    profile.is_around(context, profile.context_of(statement))
}

/// Sorts all dependences to the loops they are inside of.
pub fn edges_by_loop(profile: &Profile) -> FxHashMap<ContextIndex, LoopEdges> {
    let mut chains: FxHashMap<ContextIndex, Vec<ContextIndex>> = FxHashMap::default();
    let mut out: FxHashMap<ContextIndex, LoopEdges> = FxHashMap::default();
    let allocator = |s: StatementIndex| profile.contexts[profile.context_of(s) as usize].allocator;
    let bookkeeping = Bookkeeping::new(profile);
    for (index, d) in profile.dependences.iter().enumerate() {
        // Allocators are safe to call in parallel; what their bookkeeping passes from call to call is not the program's.
        if allocator(d.source) || allocator(d.sink) || bookkeeping.has(d) {
            continue;
        }
        let context = profile.context_of(d.sink);
        let chain = chains.entry(context).or_insert_with(|| profile.loops_around(context));
        // What handlers of signals do has no place in the order of iterations.
        let handled = [d.source, d.sink].map(|s| profile.contexts[profile.context_of(s) as usize].handler);
        if handled != [false, false] {
            let is_shared = d.memory && handled != [true, true] && !is_on_frames(profile, d);
            for at in chain.iter().take(usize::from(d.common)).filter(|_| is_shared) {
                out.entry(*at).or_default().asynchronous = true;
            }
            continue;
        }
        let of_loader = [d.source, d.sink].map(|s| is_of_loader(profile, profile.context_of(s)));
        let is_binding = of_loader == [true, true] || of_loader[1] && !d.memory;
        for (dim, &at) in chain.iter().enumerate().take(usize::from(d.common)) {
            // Names are bound when they are first called, whichever iteration that is; all registers are saved then.
            if is_binding && !is_of_loader(profile, at) {
                continue;
            }
            let carried = d.levels.iter().any(|l| usize::from(l.level) == dim);
            let within = d.levels.iter().any(|l| usize::from(l.level) > dim);
            if carried || within {
                out.entry(at).or_default().edges.push(Edge { dependence: index as u32, carried, within });
            }
        }
    }
    let once = Once::new(profile, &bookkeeping);
    for (&context, edges) in &mut out {
        once.leave_out(profile, context, edges);
    }
    out
}

/// Whether a context is code of the dynamic linker.
pub(crate) fn is_of_loader(profile: &Profile, context: ContextIndex) -> bool {
    let context = profile.contexts.get(context as usize);
    let function = context.and_then(|context| profile.functions.get(context.function as usize));
    let module = function.map_or("", |function| &function.module);
    let name = module.rsplit('/').next().unwrap_or_default();
    ["ld-linux", "ld-musl", "ld.so", "ld-2."].iter().any(|start| name.starts_with(start))
}

/// Whether a dependence only passes through unnamed parts of stack frames.
pub(crate) fn is_on_frames(profile: &Profile, d: &Dependence) -> bool {
    let is_frame = |used: &profile::ObjectUse| {
        let object = profile.objects.get(used.object as usize);
        object.is_some_and(|object| object.kind == profile::ObjectKind::Frame)
    };
    d.levels.iter().flat_map(|level| &level.objects).all(is_frame)
}

/// Strongly connected components of a graph given by its edges; components come in topological order, sources first.
pub fn components(edges: &[(StatementIndex, StatementIndex)]) -> Components {
    let mut nodes: Vec<StatementIndex> = edges.iter().flat_map(|e| [e.0, e.1]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let at = |s: StatementIndex| nodes.binary_search(&s).unwrap_or(0);
    let mut successors = vec![Vec::new(); nodes.len()];
    let mut loops = vec![false; nodes.len()];
    for &(a, b) in edges {
        if a == b {
            loops[at(a)] = true;
        } else {
            successors[at(a)].push(at(b));
        }
    }
    let n = nodes.len();
    let (mut index, mut low, mut on) = (vec![usize::MAX; n], vec![0; n], vec![false; n]);
    let (mut stack, mut next) = (Vec::new(), 0);
    let mut of = vec![0usize; n];
    let mut members: Vec<Vec<StatementIndex>> = Vec::new();
    for root in 0..n {
        if index[root] != usize::MAX {
            continue;
        }
        let mut calls = vec![(root, 0usize)];
        while let Some(&mut (node, ref mut edge)) = calls.last_mut() {
            if index[node] == usize::MAX {
                index[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
                on[node] = true;
            }
            if let Some(&target) = successors[node].get(*edge) {
                *edge += 1;
                if index[target] == usize::MAX {
                    calls.push((target, 0));
                } else if on[target] {
                    low[node] = low[node].min(index[target]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == index[node] {
                let mut component = Vec::new();
                while let Some(top) = stack.pop() {
                    on[top] = false;
                    of[top] = members.len();
                    component.push(nodes[top]);
                    if top == node {
                        break;
                    }
                }
                component.sort_unstable();
                members.push(component);
            }
        }
    }
    // Tarjan finishes sinks first.
    let last = members.len().saturating_sub(1);
    members.reverse();
    let of = nodes.iter().copied().zip(of.into_iter().map(|c| last - c)).collect();
    let self_edges = nodes.iter().copied().zip(loops).filter(|l| l.1).map(|l| l.0).collect();
    Components { members, of, self_edges }
}

/// Result of [`components`].
#[derive(Debug, Clone, Default)]
pub struct Components {
    /// Members of each component, ascending.
    pub members: Vec<Vec<StatementIndex>>,
    /// Component of each node.
    pub of: FxHashMap<StatementIndex, usize>,
    /// Nodes with an edge to themselves.
    pub self_edges: rustc_hash::FxHashSet<StatementIndex>,
}

impl Components {
    /// Whether a component contains a cycle.
    pub fn is_cyclic(&self, component: usize) -> bool {
        let members = &self.members[component];
        members.len() > 1 || members.first().is_some_and(|m| self.self_edges.contains(m))
    }
}

/// The statements that load a value and do nothing else.
pub fn loads(profile: &Profile) -> impl Iterator<Item = StatementIndex> {
    let is_load = |access: &&Access| {
        let operation = profile.statements[access.statement as usize].operation;
        !access.write && access.executions > 0 && operation == Operation::Copy
    };
    profile.accesses.iter().filter(is_load).map(|access| access.statement)
}

/// Whether a dependence is a flow dependence.
pub fn is_flow(d: &Dependence) -> bool {
    d.kind == Kind::Flow
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_in_topological_order() {
        let c = components(&[(5, 6), (6, 7), (7, 6), (7, 8), (8, 8)]);
        assert_eq!(c.members, vec![vec![5], vec![6, 7], vec![8]]);
        assert!(!c.is_cyclic(c.of[&5]) && c.is_cyclic(c.of[&6]) && c.is_cyclic(c.of[&8]));
    }
}
