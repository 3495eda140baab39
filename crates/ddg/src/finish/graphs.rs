//! The decoded control-flow graphs of functions that matter to loops.

use profile::graph::{Graph, Node, StaticLoop};
use profile::{ContextKind, Profile};

use crate::engine::Engine;

/// The graphs of functions in which a loop is, or that run inside of one.
pub(super) fn graphs(engine: &mut Engine, profile: &Profile) -> Vec<Graph> {
    let mut is_inside = vec![false; profile.contexts.len()];
    let mut wanted = vec![false; profile.functions.len()];
    for (index, context) in profile.contexts.iter().enumerate() {
        let is_loop = matches!(context.kind, ContextKind::Loop | ContextKind::Recursive);
        is_inside[index] = is_loop || is_inside.get(context.parent as usize).is_some_and(|&inside| inside);
        if is_inside[index]
            && let Some(wanted) = wanted.get_mut(context.function as usize)
        {
            *wanted = true;
        }
    }
    let all = engine.functions.all_mut().iter_mut().enumerate();
    all.filter(|(index, _)| wanted.get(*index).is_some_and(|&wanted| wanted))
        .map(|(index, function)| graph(index as u32, &mut function.cfg))
        .collect()
}

/// One graph; pieces of a block are the block.
fn graph(function: u32, cfg: &mut program::cfg::Cfg) -> Graph {
    let count = cfg.starts().len();
    let whole: Vec<usize> = (0..count).map(|node| cfg.whole(node)).collect();
    let mut number = vec![u32::MAX; count];
    let mut kept = Vec::new();
    for node in (0..count).filter(|&node| whole[node] == node) {
        number[node] = kept.len() as u32;
        kept.push(node);
    }
    let of = |node: usize| number[whole[node]];
    let mut nodes: Vec<Node> = kept
        .iter()
        .map(|&node| Node { start: cfg.start(node), successors: Vec::new(), leaves: cfg.leaves(node) })
        .collect();
    for node in 0..count {
        for &next in cfg.successors(node) {
            let (from, to) = (of(node), of(next));
            // From a block to a piece of it control goes on inside the block.
            let is_inside = from == to && whole[next] != next;
            if let Some(own) = nodes.get_mut(from as usize)
                && !is_inside
                && !own.successors.contains(&to)
            {
                own.successors.push(to);
            }
        }
    }
    let forest = cfg.forest();
    let loops = forest.loops.iter().map(|l| {
        let mut nodes: Vec<u32> = l.nodes.iter().map(|&node| of(node)).collect();
        nodes.sort_unstable();
        nodes.dedup();
        StaticLoop { header: of(l.header), nodes }
    });
    Graph { function, nodes, loops: loops.collect() }
}
