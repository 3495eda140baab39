//! Blocks that head several loops of the text at once.
//!
//! Where nothing is left of an outer loop's header, as when a compiler sets the inner iterator to its beginning at the
//! end of the outer body, the outer loop jumps back to the header of the inner one. Structure alone cannot tell that
//! from one loop with a `continue`; what the registers do can. A nest it is if
//! - the inner loop goes on or ends by comparing a register that it does nothing to but add constants (its iterator, or a
//!   pointer), and
//! - on the way back from outside of it that register begins anew, or what it is compared with is another value from then on, and
//! - there another register, which the inner loop leaves alone, is advanced by a constant (the outer iterator).
//!
//! (After the disambiguation of latches by induction variables in GCC's `cfgloop.c`, which asks for the last of these
//! alone; on source loops with two counters, that is not enough.)
//!
//! Limits: iterators that are kept in memory are not seen; headers that are entered from several sides (irreducible)
//! stay one.

use rustc_hash::{FxHashMap, FxHashSet};
use trace::block::{CodeBlock, FunctionCode, Registers, Terminator};

/// A block that heads several loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nested {
    /// Where each of the loops begins, innermost first: the address of the block, then for each loop around it one in
    /// the last instruction of one of its latches, at which no block starts.
    pub heads: Vec<u64>,
    /// The latches of each but the outermost, by their addresses: whatever else comes to the block begins at the outermost.
    pub latches: Vec<Vec<u64>>,
}

impl Nested {
    /// The head at which control arrives that comes from the block at `from`.
    pub fn arrival(&self, from: u64) -> u64 {
        let at = self.latches.iter().position(|latches| latches.contains(&from));
        self.heads[at.unwrap_or(self.heads.len() - 1)]
    }
}

/// All such blocks of a function.
pub fn nested(code: &FunctionCode) -> Vec<Nested> {
    let blocks = &code.blocks;
    let number: FxHashMap<u64, usize> = blocks.iter().enumerate().map(|(at, b)| (b.start, at)).collect();
    let mut graph =
        Graph { blocks, after: vec![Vec::new(); blocks.len()], before: vec![Vec::new(); blocks.len()] };
    let decoded = blocks.iter().enumerate().flat_map(|(from, block)| {
        block.terminator.local_successors().into_iter().map(move |target| (from, target))
    });
    let landings = code.landings.iter().filter_map(|&(call, pad)| Some((*number.get(&call)?, pad)));
    for (from, target) in decoded.chain(landings) {
        if let Some(&to) = number.get(&target)
            && !graph.after[from].contains(&to)
        {
            graph.after[from].push(to);
            graph.before[to].push(from);
        }
    }
    let Some(&entry) = number.get(&code.entry) else { return Vec::new() };
    // Where a call returns to, control does not come from a block of the function.
    let returns: FxHashSet<u64> = blocks.iter().filter_map(|b| returns_to(&b.terminator)).collect();
    let mut back: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for (from, to) in graph.back_edges(entry) {
        back.entry(to).or_default().push(from);
    }
    let mut found: Vec<Nested> = back
        .into_iter()
        .filter(|(header, latches)| latches.len() > 1 && !returns.contains(&blocks[*header].start))
        .filter_map(|(header, latches)| graph.split(entry, header, latches))
        .filter(|nested| nested.heads[1..].iter().all(|head| !number.contains_key(head)))
        .collect();
    found.sort_by_key(|nested| nested.heads[0]);
    found
}

fn returns_to(terminator: &Terminator) -> Option<u64> {
    match *terminator {
        Terminator::Call { next, .. } | Terminator::IndirectCall { next } | Terminator::Syscall { next } => {
            Some(next)
        }
        _ => None,
    }
}

struct Graph<'a> {
    blocks: &'a [CodeBlock],
    after: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
}

impl Graph<'_> {
    /// Edges to a block on the way to which they are found.
    fn back_edges(&self, entry: usize) -> Vec<(usize, usize)> {
        let (mut is_seen, mut is_on_way) = (vec![false; self.after.len()], vec![false; self.after.len()]);
        let (mut way, mut found) = (vec![(entry, 0)], Vec::new());
        (is_seen[entry], is_on_way[entry]) = (true, true);
        while let Some((node, edge)) = way.last_mut() {
            let node = *node;
            let Some(&next) = self.after[node].get(*edge) else {
                is_on_way[node] = false;
                way.pop();
                continue;
            };
            *edge += 1;
            if is_on_way[next] {
                found.push((node, next));
            } else if !is_seen[next] {
                (is_seen[next], is_on_way[next]) = (true, true);
                way.push((next, 0));
            }
        }
        found
    }

    /// The blocks from which the latches are reached without coming through the header, and the header.
    fn body(&self, header: usize, latches: &[usize]) -> FxHashSet<usize> {
        let mut body = FxHashSet::from_iter([header]);
        let mut work: Vec<usize> = latches.iter().copied().filter(|&latch| latch != header).collect();
        body.extend(&work);
        while let Some(node) = work.pop() {
            work.extend(self.before[node].iter().copied().filter(|&from| body.insert(from)));
        }
        body
    }

    fn split(&self, entry: usize, header: usize, mut latches: Vec<usize>) -> Option<Nested> {
        let whole = self.body(header, &latches);
        if header != entry && whole.contains(&entry) {
            return None;
        }
        let size = |latch: &usize| (self.body(header, &[*latch]).len(), self.blocks[*latch].start);
        latches.sort_by_cached_key(size);
        let start = |node: usize| self.blocks[node].start;
        let mut nested = Nested { heads: vec![start(header)], latches: Vec::new() };
        let mut from = 0;
        for count in 1..latches.len() {
            let inner = self.body(header, &latches[..count]);
            let others = &latches[count..];
            if others.iter().any(|latch| inner.contains(latch)) {
                continue;
            }
            let outside: Vec<usize> = self.body(header, others).difference(&inner).copied().collect();
            if self.is_nest(header, &latches[from..count], &inner, &outside) {
                nested.latches.push(latches[from..count].iter().map(|&latch| start(latch)).collect());
                let head = others.iter().map(|&latch| self.blocks[latch].end).min()?;
                nested.heads.push(head.checked_sub(1)?);
                from = count;
            }
        }
        (from > 0).then_some(nested)
    }

    /// Whether a loop with these latches is one inside the rest of all that its header heads.
    fn is_nest(&self, header: usize, latches: &[usize], inner: &FxHashSet<usize>, outside: &[usize]) -> bool {
        let registers = |node: usize| self.blocks[node].registers;
        let all = |nodes: &mut dyn Iterator<Item = usize>| {
            nodes.map(registers).fold(Registers::default(), |so_far, own| Registers {
                written: so_far.written | own.written,
                stepped: so_far.stepped | own.stepped,
                set: so_far.set | own.set,
                other: so_far.other | own.other,
                tested: so_far.tested | own.tested,
            })
        };
        let (within, beyond) = (all(&mut inner.iter().copied()), all(&mut outside.iter().copied()));
        let iterators = within.stepped & !within.set & !within.other;
        // What decides: a latch that goes back or out, or the header where latches only go back.
        let goes_out = |node: &usize| self.after[*node].iter().any(|to| outside.contains(to));
        let deciding: Vec<usize> = match latches.iter().all(|&latch| self.after[latch].len() == 1) {
            true => vec![header],
            false => latches.to_vec(),
        };
        let begins_anew = deciding.iter().filter(|node| goes_out(node)).any(|&node| {
            let tested = registers(node).tested;
            let bounds = tested & !within.written & beyond.written;
            tested & iterators != 0 && (tested & iterators & beyond.set != 0 || bounds != 0)
        });
        begins_anew && beyond.stepped & !beyond.other & !within.written != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const I: u128 = 1 << 7;
    const J: u128 = 1 << 2;
    const ROW: u128 = 1 << 6;

    fn block(start: u64, terminator: Terminator, registers: Registers) -> CodeBlock {
        CodeBlock { start, end: start + 10, terminator, registers }
    }

    fn steps(stepped: u128, set: u128, tested: u128) -> Registers {
        Registers { written: stepped | set, stepped, set, other: 0, tested }
    }

    /// 10: j = 0. 20: the inner body, j++, back to 20 if j < m. 30: i++, j = 0, back to 20 if i < n. 40: return.
    fn nest(inner: Registers, outer: Registers) -> FunctionCode {
        let blocks = vec![
            block(10, Terminator::Fallthrough(20), steps(0, J, 0)),
            block(20, Terminator::Branch { taken: 20, next: 30 }, inner),
            block(30, Terminator::Branch { taken: 20, next: 40 }, outer),
            block(40, Terminator::Return, Registers::default()),
        ];
        FunctionCode { entry: 10, blocks, landings: Vec::new() }
    }

    #[test]
    fn a_loop_that_jumps_to_the_header_of_the_one_inside() {
        let found = nested(&nest(steps(J, 0, J), steps(I, J, I)));
        assert_eq!(found, [Nested { heads: vec![20, 39], latches: vec![vec![20]] }]);
        assert_eq!([10, 20, 30].map(|from| found[0].arrival(from)), [39, 20, 39]);
        // A pointer runs on; its end is another one.
        let end = 1 << 9;
        let ends = Registers { tested: J | end, ..steps(J, 0, 0) };
        assert_eq!(nested(&nest(ends, steps(I | end, 0, I))).len(), 1);
    }

    /// `if (x) { row++; column = 0; } else column++;` is one loop: what is asked is not how far it has come.
    #[test]
    fn counters_that_data_reset_make_no_loop() {
        let asked = 1 << 0;
        assert_eq!(nested(&nest(steps(J, 0, asked), steps(ROW, J, I))), []);
        // A `continue` that counts: nothing begins anew.
        assert_eq!(nested(&nest(steps(I, 0, I), steps(I | ROW, 0, I))), []);
        // `if (++j == m) j = 0;` in a loop of `i`, which goes on everywhere.
        assert_eq!(nested(&nest(steps(I | J, 0, J), steps(I, J, I))), []);
    }

    /// Three loops with one header.
    #[test]
    fn nests_of_three() {
        let k = 1 << 1;
        let blocks = vec![
            block(10, Terminator::Fallthrough(20), Registers::default()),
            block(20, Terminator::Branch { taken: 20, next: 30 }, steps(k, 0, k)),
            block(30, Terminator::Branch { taken: 20, next: 40 }, steps(J, k, J)),
            block(40, Terminator::Branch { taken: 20, next: 50 }, steps(I, k | J, I)),
            block(50, Terminator::Return, Registers::default()),
        ];
        let found = nested(&FunctionCode { entry: 10, blocks, landings: Vec::new() });
        assert_eq!(found, [Nested { heads: vec![20, 39, 49], latches: vec![vec![20], vec![30]] }]);
    }
}
