//! Whether something is done in every iteration of a loop, judged by the decoded control flow, branches that were never taken
//! included (ALGORITHMS 2.3, 2.8.11).

use profile::graph::Graph;
use profile::{ContextIndex, ContextKind, Profile, StatementIndex};

use crate::once::activation_of;

/// Whether every way once around the loop `context` passes through one of some statements.
///
/// A statement of a called function counts if every activation of that function executes it and the call is executed; one in a loop
/// inside, if every iteration of that loop executes it and its header is executed. (That loops inside have iterations is another
/// question.)
pub fn is_always(profile: &Profile, statements: &[StatementIndex], context: ContextIndex) -> bool {
    // Made-up programs have no graphs.
    if profile.graphs.is_empty() {
        return true;
    }
    let Some(own) = profile.contexts.get(context as usize) else { return false };
    let Some(graph) = profile.graph(own.function) else { return false };
    let Some(of) = graph.loop_at(own.at) else { return false };
    let places = statements.iter().map(|&s| place(profile, graph, s, context));
    let Some(mut places) = places.collect::<Option<Vec<u32>>>() else { return false };
    places.sort_unstable();
    places.dedup();
    graph.covers_iterations(of, &places)
}

/// Whether each of some statements is executed in every iteration of the loop `context`.
pub fn are_always(profile: &Profile, statements: &[StatementIndex], context: ContextIndex) -> bool {
    statements.iter().all(|s| is_always(profile, std::slice::from_ref(s), context))
}

/// Whether a statement has been executed whenever another one is, in the same activation of the same function.
pub fn precedes(profile: &Profile, first: StatementIndex, then: StatementIndex) -> bool {
    let activation = |statement| activation_of(profile, profile.context_of(statement));
    let pc = |statement: StatementIndex| profile.statements.get(statement as usize).map(|own| own.pc);
    let context = activation(first);
    let function = profile.contexts.get(context as usize).map(|own| own.function);
    let graph = function.filter(|_| context == activation(then)).and_then(|function| profile.graph(function));
    let nodes = graph.and_then(|graph| {
        let node = |statement| graph.node_of(pc(statement)?);
        Some((graph, node(first)?, node(then)?))
    });
    nodes.is_some_and(|(graph, first, then)| graph.is_between(then, (first, then)))
}

/// The node of a loop's function in which, whenever it is executed, a statement is; `None` if that is not certain.
fn place(profile: &Profile, own: &Graph, statement: StatementIndex, context: ContextIndex) -> Option<u32> {
    let mut pc = profile.statements.get(statement as usize)?.pc;
    let mut at = profile.context_of(statement);
    while at != context {
        let inner = profile.contexts.get(at as usize)?;
        let graph = profile.graph(inner.function)?;
        let node = graph.node_of(pc)?;
        let is_certain = match inner.kind {
            ContextKind::Call { .. } => graph.covers_activations(&[node]),
            ContextKind::Loop => graph.covers_iterations(graph.loop_at(inner.at)?, &[node]),
            _ => false,
        };
        if !is_certain || at == 0 {
            return None;
        }
        (pc, at) = (inner.at, inner.parent);
    }
    own.node_of(pc)
}
