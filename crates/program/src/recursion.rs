//! Recursive components of the call graph (ALGORITHMS 1.2).
//!
//! Definition: the strongly connected components with a cycle of the executed call graph, each with its *entries*
//! (functions called from outside, or roots) and its *headers* (enough functions to cut every cycle, found by repeatedly
//! taking an entry of a part that still has a cycle and deleting the calls to it from inside that part).
//!
//! Deterministic: where there is a choice, the function called first.

use std::collections::BTreeMap;

use crate::forest::strongly_connected;

/// One recursive component. Functions are given by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// Members, ascending.
    pub functions: Vec<usize>,
    /// Members called from outside the component or being a root, in order of first call.
    pub entries: Vec<usize>,
    /// Cutting functions, in the order they were chosen.
    pub headers: Vec<usize>,
}

/// Finds the components of the call graph over functions `0..count` with calls `(caller, callee)` in the order in which
/// they were first executed. `roots` are functions entered from nowhere.
pub fn components(count: usize, calls: &[(usize, usize)], roots: &[usize]) -> Vec<Component> {
    let mut first_call = vec![usize::MAX; count];
    let mut successors = vec![Vec::new(); count];
    for (at, &(caller, callee)) in calls.iter().enumerate() {
        first_call[callee] = first_call[callee].min(at);
        successors[caller].push(callee);
    }
    let mut member = vec![false; count];
    let mut out = Vec::new();
    for functions in cyclic_parts(&(0..count).collect::<Vec<_>>(), &successors, &mut member) {
        let entries = entries_of(&functions, calls, roots);
        let mut headers = Vec::new();
        // Parts by smallest member. Without calls to it from its part a header lies on no cycle, so it is left out.
        let mut left = BTreeMap::from([(functions[0], functions.clone())]);
        while let Some((_, mut part)) = left.pop_first() {
            let candidates = entries_of(&part, calls, roots);
            let header = candidates.into_iter().min_by_key(|&f| first_call[f]).unwrap_or(part[0]);
            headers.push(header);
            part.retain(|&f| f != header);
            left.extend(cyclic_parts(&part, &successors, &mut member).into_iter().map(|p| (p[0], p)));
        }
        out.push(Component { functions, entries, headers });
    }
    out
}

/// Members of `part` called from outside it, or roots, in order of first call.
fn entries_of(part: &[usize], calls: &[(usize, usize)], roots: &[usize]) -> Vec<usize> {
    let inside = |f: usize| part.binary_search(&f).is_ok();
    let mut entries: Vec<usize> = roots.iter().copied().filter(|&f| inside(f)).collect();
    for &(caller, callee) in calls {
        if inside(callee) && !inside(caller) && !entries.contains(&callee) {
            entries.push(callee);
        }
    }
    entries
}

/// Strongly connected parts of `nodes` that contain a cycle, members ascending, ordered by smallest member. `member` is all
/// false before and after.
fn cyclic_parts(nodes: &[usize], successors: &[Vec<usize>], member: &mut [bool]) -> Vec<Vec<usize>> {
    nodes.iter().for_each(|&n| member[n] = true);
    let mut parts = strongly_connected(nodes, successors, &|_, to| member[to]);
    parts.retain(|part| part.len() > 1 || successors[part[0]].contains(&part[0]));
    nodes.iter().for_each(|&n| member[n] = false);
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts.sort_unstable();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn self_recursion() {
        let c = components(2, &[(0, 1), (1, 1)], &[0]);
        assert_eq!(c, vec![Component { functions: vec![1], entries: vec![1], headers: vec![1] }]);
    }

    /// main→f, f→g, g→f, g→h, h→g: one component, entry f, headers f then g.
    #[test]
    fn nested_cycles_share_one_component() {
        let (main, f, g, h) = (0, 1, 2, 3);
        let c = components(4, &[(main, f), (f, g), (g, f), (g, h), (h, g)], &[main]);
        assert_eq!(c, vec![Component { functions: vec![f, g, h], entries: vec![f], headers: vec![f, g] }]);
    }

    /// A ring with a chord each way: as large as the interpreters that have thousands of functions in one component.
    #[test]
    fn large_components_take_little_time() {
        let n = 4000;
        let mut calls: Vec<(usize, usize)> =
            (0..n).flat_map(|f| [(f, (f + 1) % n), (f, f * 7 % n)]).collect();
        calls.dedup();
        let c = components(n, &calls, &[0]);
        assert_eq!((c.len(), c[0].functions.len(), c[0].headers[0]), (1, n, 0));
    }

    #[test]
    fn no_recursion_no_component() {
        assert!(components(3, &[(0, 1), (1, 2), (0, 2)], &[0]).is_empty());
    }
}
