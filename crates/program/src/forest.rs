//! Loop-nesting forest of one function (ALGORITHMS 1.1; Havlak's forest in Ramalingam's recursive form).
//!
//! Definition: every strongly connected component with a cycle is the *region* of an outermost loop; one of its entry
//! blocks is its *header*; the edges inside the region that target the header are deleted and the region's inside is
//! decomposed again. Each node heads at most one loop.
//!
//! Choice of header among several entries (irreducible regions): the smallest rank, then the smallest node number.
//! Cost: O(depth × edges).

/// Index of a loop in [`Forest::loops`]; a parent has a smaller index than its children.
pub type LoopIndex = usize;

/// One loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// Its header.
    pub header: usize,
    /// The loop around it.
    pub parent: Option<LoopIndex>,
    /// Number of loops around it.
    pub depth: usize,
    /// All nodes of its region, ascending.
    pub nodes: Vec<usize>,
}

/// The forest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Forest {
    /// All loops, parents first.
    pub loops: Vec<Loop>,
    /// For each node the innermost loop that contains it.
    pub innermost: Vec<Option<LoopIndex>>,
}

impl Forest {
    /// The loops that contain `node`, outermost first.
    pub fn chain(&self, node: usize) -> Vec<LoopIndex> {
        let mut chain = Vec::new();
        let mut at = self.innermost.get(node).copied().flatten();
        while let Some(index) = at {
            chain.push(index);
            at = self.loops[index].parent;
        }
        chain.reverse();
        chain
    }

    /// The loop that `node` heads.
    pub fn headed_by(&self, node: usize) -> Option<LoopIndex> {
        let index = self.innermost.get(node).copied().flatten()?;
        (self.loops[index].header == node).then_some(index)
    }
}

/// Builds the forest of the graph `successors` (node → successors) entered at `entry`.
///
/// `rank[node]` orders the candidates for a header: the node executed first should have the smallest.
pub fn forest(successors: &[Vec<usize>], entry: usize, rank: &[u64]) -> Forest {
    let mut out = Forest { loops: Vec::new(), innermost: vec![None; successors.len()] };
    // Work list of (nodes, enclosing loop); headers already chosen have their incoming inner edges deleted.
    let mut headers: Vec<Option<LoopIndex>> = vec![None; successors.len()];
    let mut work = vec![((0..successors.len()).collect::<Vec<_>>(), None::<LoopIndex>)];
    let mut inside = vec![usize::MAX; successors.len()];
    let mut stamp = 0;
    while let Some((nodes, parent)) = work.pop() {
        for &node in &nodes {
            inside[node] = stamp;
        }
        let keep =
            |from: usize, to: usize| inside[from] == stamp && inside[to] == stamp && headers[to].is_none();
        let components = strongly_connected(&nodes, successors, &keep);
        stamp += 1;
        let mut found = Vec::new();
        for mut component in components {
            let cyclic = component.len() > 1
                || successors[component[0]].iter().any(|&t| keep_self(component[0], t, &headers));
            if !cyclic {
                continue;
            }
            component.sort_unstable();
            found.push(component);
        }
        found.sort_unstable();
        for component in found {
            let member = |node: usize| component.binary_search(&node).is_ok();
            let mut entries: Vec<usize> = Vec::new();
            for (from, targets) in successors.iter().enumerate() {
                if !member(from) {
                    entries.extend(targets.iter().copied().filter(|&t| member(t)));
                }
            }
            if member(entry) {
                entries.push(entry);
            }
            let header = entries
                .iter()
                .copied()
                .filter(|&n| headers[n].is_none())
                .min_by_key(|&n| (rank.get(n).copied().unwrap_or(u64::MAX), n))
                .unwrap_or(component[0]);
            let index = out.loops.len();
            headers[header] = Some(index);
            for &node in &component {
                out.innermost[node] = Some(index);
            }
            let depth = parent.map_or(0, |p| out.loops[p].depth + 1);
            out.loops.push(Loop { header, parent, depth, nodes: component.clone() });
            work.push((component, Some(index)));
        }
    }
    out
}

fn keep_self(node: usize, target: usize, headers: &[Option<LoopIndex>]) -> bool {
    node == target && headers[target].is_none()
}

/// Strongly connected components of the subgraph of `nodes` whose edges satisfy `keep` (Tarjan, without recursion).
pub(crate) fn strongly_connected(
    nodes: &[usize],
    successors: &[Vec<usize>],
    keep: &dyn Fn(usize, usize) -> bool,
) -> Vec<Vec<usize>> {
    let size = successors.len();
    let mut index = vec![usize::MAX; size];
    let mut low = vec![0usize; size];
    let mut on_stack = vec![false; size];
    let (mut stack, mut out, mut next) = (Vec::new(), Vec::new(), 0);
    let mut calls: Vec<(usize, usize)> = Vec::new();
    for &root in nodes {
        if index[root] != usize::MAX {
            continue;
        }
        calls.push((root, 0));
        while let Some(&mut (node, ref mut edge)) = calls.last_mut() {
            if *edge == 0 {
                index[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            let mut descended = false;
            while let Some(&target) = successors[node].get(*edge) {
                *edge += 1;
                if !keep(node, target) {
                    continue;
                }
                if index[target] == usize::MAX {
                    calls.push((target, 0));
                    descended = true;
                    break;
                }
                if on_stack[target] {
                    low[node] = low[node].min(index[target]);
                }
            }
            if descended {
                continue;
            }
            // A node without successors would be visited again at edge 0; it is finished here in any case.
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == index[node] {
                let mut component = Vec::new();
                while let Some(top) = stack.pop() {
                    on_stack[top] = false;
                    component.push(top);
                    if top == node {
                        break;
                    }
                }
                out.push(component);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(nodes: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
        let mut out = vec![Vec::new(); nodes];
        for &(a, b) in edges {
            out[a].push(b);
        }
        out
    }

    /// ALGORITHMS 1.1: A→B, B→C, B→D, C→D, D→C, D→B, D→E.
    #[test]
    fn irreducible_inside_a_natural_loop() {
        let (a, b, c, d, e) = (0, 1, 2, 3, 4);
        let g = graph(5, &[(a, b), (b, c), (b, d), (c, d), (d, c), (d, b), (d, e)]);
        let f = forest(&g, a, &[0, 1, 3, 2, 4]);
        assert_eq!(f.loops.len(), 2);
        assert_eq!(
            (f.loops[0].header, f.loops[0].nodes.clone(), f.loops[0].parent),
            (b, vec![b, c, d], None)
        );
        // D was executed before C here, so it heads the inner loop.
        assert_eq!(
            (f.loops[1].header, f.loops[1].nodes.clone(), f.loops[1].parent),
            (d, vec![c, d], Some(0))
        );
        assert_eq!(f.chain(c), vec![0, 1]);
        assert_eq!(f.chain(a), Vec::<usize>::new());
        assert_eq!(f.headed_by(d), Some(1));
        assert_eq!(f.headed_by(c), None);
        let f = forest(&g, a, &[0, 1, 2, 3, 4]);
        assert_eq!(f.loops[1].header, c);
    }

    #[test]
    fn self_loops_nest_and_siblings() {
        // 0 → 1 (outer header) → 2 (self loop) → 3 (self loop) → 1, 3 → 4
        let g = graph(5, &[(0, 1), (1, 2), (2, 2), (2, 3), (3, 3), (3, 1), (3, 4)]);
        let f = forest(&g, 0, &[0, 1, 2, 3, 4]);
        assert_eq!(f.loops.len(), 3);
        assert_eq!(f.loops[0].nodes, vec![1, 2, 3]);
        assert_eq!(f.chain(2).len(), 2);
        assert_eq!(f.chain(3).len(), 2);
        assert_ne!(f.innermost[2], f.innermost[3]);
        assert_eq!(f.innermost[4], None);
    }

    #[test]
    fn no_cycle_no_loop_and_dead_ends_end() {
        let g = graph(3, &[(0, 1), (0, 2), (1, 2)]);
        assert!(forest(&g, 0, &[0, 0, 0]).loops.is_empty());
    }

    #[test]
    fn deep_nests_do_not_recurse() {
        // Loop k spans nodes k..n: n nested loops.
        let n = 300;
        let mut g = vec![Vec::new(); n + 1];
        for k in 0..n {
            g[k].push(k + 1);
            g[n - 1].push(k);
        }
        let f = forest(&g, 0, &(0..=n as u64).collect::<Vec<_>>());
        assert_eq!(f.loops.len(), n);
        assert_eq!(f.chain(n - 1).len(), n);
    }
}
