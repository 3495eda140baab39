//! Recursive components of the call graph (ALGORITHMS 1.2).
//!
//! Definition: the strongly connected components with a cycle of the executed call graph, each with its *entries*
//! (functions called from outside, or roots) and its *headers* (enough functions to cut every cycle, found by repeatedly
//! taking an entry of a part that still has a cycle and deleting the calls to it from inside that part).
//!
//! Deterministic: where there is a choice, the function called first.

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
    let first_call = |f: usize| calls.iter().position(|&(_, callee)| callee == f).unwrap_or(usize::MAX);
    let mut out = Vec::new();
    for functions in cyclic_parts(&(0..count).collect::<Vec<_>>(), calls) {
        let inside = |f: usize| functions.binary_search(&f).is_ok();
        let entries = entries_of(&functions, calls, roots);
        let mut headers = Vec::new();
        let mut left: Vec<(usize, usize)> =
            calls.iter().copied().filter(|&(a, b)| inside(a) && inside(b)).collect();
        // Entry calls from outside a part are needed to choose its header, so calls into the component stay known.
        let outside: Vec<(usize, usize)> =
            calls.iter().copied().filter(|&(a, b)| !inside(a) && inside(b)).collect();
        while let Some(part) = cyclic_parts(&functions, &left).into_iter().next() {
            let mut known = outside.clone();
            known.extend(calls.iter().copied().filter(|&(a, b)| inside(a) && inside(b)));
            let candidates = entries_of(&part, &known, roots);
            let header = candidates
                .into_iter()
                .filter(|f| !headers.contains(f))
                .min_by_key(|&f| first_call(f))
                .unwrap_or(part[0]);
            left.retain(|&(a, b)| !(b == header && part.binary_search(&a).is_ok()));
            headers.push(header);
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

/// Strongly connected parts of `nodes` that contain a cycle, members ascending, ordered by smallest member.
fn cyclic_parts(nodes: &[usize], edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let reach = |from: usize| {
        let mut seen = vec![];
        let mut work = vec![from];
        while let Some(at) = work.pop() {
            for &(a, b) in edges {
                if a == at && nodes.contains(&b) && !seen.contains(&b) {
                    seen.push(b);
                    work.push(b);
                }
            }
        }
        seen
    };
    let reached: Vec<Vec<usize>> = nodes.iter().map(|&n| reach(n)).collect();
    let mut done = vec![false; nodes.len()];
    let mut out = Vec::new();
    for (i, &n) in nodes.iter().enumerate() {
        if done[i] || !reached[i].contains(&n) {
            continue;
        }
        let mut part = Vec::new();
        for (j, &m) in nodes.iter().enumerate() {
            if reached[i].contains(&m) && reached[j].contains(&n) {
                done[j] = true;
                part.push(m);
            }
        }
        part.sort_unstable();
        out.push(part);
    }
    out
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

    #[test]
    fn no_recursion_no_component() {
        assert!(components(3, &[(0, 1), (1, 2), (0, 2)], &[0]).is_empty());
    }
}
