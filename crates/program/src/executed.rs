//! The control structure a [`Survey`] shows: executed graphs, their loops with counts, the call graph.
//!
//! Definitions: a *basic block* is a maximal straight sequence of executed instructions without a target of control
//! inside. A function consists of the blocks reached from its entry over executed edges; a jump to another function's entry
//! is a *tail call*. What only an unwinder reaches belongs to the function whose entry lies before it.
//!
//! Invariants: every executed instruction belongs to exactly one block, every block to exactly one function. An edge is
//! here only if it was executed. Limits: which block of an irreducible loop ran first is not known, the lowest heads it;
//! an indirect tail call with more than two targets (a dynamic linker's) is left out of the call graph, since it does not
//! say who called whom.

use rustc_hash::{FxHashMap, FxHashSet};
use trace::survey::{Survey, Transfer, Way};

use crate::cfg::Cfg;
use crate::recursion::{Component, components};

/// Most targets of an indirect tail call that is still taken for one.
const TAIL_TARGETS: usize = 2;

/// A basic block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Addresses of its instructions; never empty.
    pub instrs: Vec<u64>,
    /// How often it ran.
    pub executions: u64,
    /// Function it belongs to: index into [`Executed::functions`].
    pub function: usize,
    /// Address after it.
    end: u64,
    /// Control can go on at `end` other than by a transfer.
    continues: bool,
}

impl Block {
    /// Address after its last instruction.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Instructions that were executed in it.
    pub fn instructions(&self) -> u64 {
        self.executions.saturating_mul(self.instrs.len() as u64)
    }
}

/// A loop of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// Address of its header.
    pub header: u64,
    /// The loop around it: index into [`Function::loops`].
    pub parent: Option<usize>,
    /// Starts of its blocks, ascending.
    pub blocks: Vec<u64>,
    /// Starts of the blocks that go back to the header.
    pub latches: Vec<u64>,
    /// How often it was entered.
    pub entries: u64,
    /// Arrivals at its header.
    pub iterations: u64,
    /// Smallest and largest number of arrivals per entry, where known.
    pub trips: Option<(u64, u64)>,
}

/// A function that ran.
#[derive(Debug, Clone)]
pub struct Function {
    /// Address of its entry.
    pub entry: u64,
    /// Starts of its blocks.
    pub blocks: Vec<u64>,
    /// Its loops, parents first.
    pub loops: Vec<Loop>,
    innermost: FxHashMap<u64, usize>,
}

impl Function {
    /// The innermost loop that contains the block at `start`.
    pub fn loop_of(&self, start: u64) -> Option<usize> {
        self.innermost.get(&start).copied()
    }
}

/// Calls from one block to one function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// The calling function.
    pub caller: usize,
    /// Start of the calling block.
    pub site: u64,
    /// The function called.
    pub callee: usize,
    /// It replaces the calling activation.
    pub tail: bool,
    /// How often.
    pub count: u64,
}

/// Everything.
#[derive(Debug, Clone, Default)]
pub struct Executed {
    /// Functions in order of first entry.
    pub functions: Vec<Function>,
    /// All executed calls, by callee and caller.
    pub calls: Vec<Call>,
    blocks: FxHashMap<u64, Block>,
}

impl Executed {
    /// Works out what a survey says.
    pub fn new(survey: &Survey) -> Executed {
        let by_entry: FxHashMap<u64, usize> =
            survey.entries.iter().enumerate().map(|(index, &entry)| (entry, index)).collect();
        let mut from: FxHashMap<u64, Vec<&Transfer>> = FxHashMap::default();
        for transfer in &survey.transfers {
            from.entry(transfer.from).or_default().push(transfer);
        }
        let mut blocks = basic_blocks(survey, &by_entry);
        let edges = Edges { by_entry: &by_entry, from: &from };
        let owned = assign(survey, &mut blocks, &edges);
        let trips: FxHashMap<u64, (u64, u64)> =
            survey.stretches.iter().filter_map(|s| Some((s.instrs[0], s.trips?))).collect();
        let functions = survey
            .entries
            .iter()
            .zip(owned)
            .map(|(&entry, starts)| function(entry, starts, &blocks, &edges, &trips))
            .collect();
        let calls = calls(&blocks, &edges);
        Executed { functions, calls, blocks }
    }

    /// All blocks, in no particular order.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.blocks.values()
    }

    /// The block that starts at an address.
    pub fn block(&self, start: u64) -> Option<&Block> {
        self.blocks.get(&start)
    }

    /// All calls, where a site that calls a function also calls what that hands control on to by tail calls. By callee,
    /// caller and site.
    pub fn resolved_calls(&self) -> Vec<Call> {
        let mut tails: FxHashMap<usize, Vec<(usize, u64)>> = FxHashMap::default();
        for call in self.calls.iter().filter(|c| c.tail) {
            tails.entry(call.caller).or_default().push((call.callee, call.count));
        }
        let mut calls = Vec::new();
        for call in self.calls.iter().filter(|c| !c.tail) {
            let mut reached = vec![(call.callee, call.count)];
            let mut at = 0;
            while let Some(&(callee, count)) = reached.get(at) {
                calls.push(Call { callee, count, ..*call });
                for &(next, most) in tails.get(&callee).into_iter().flatten() {
                    if !reached.iter().any(|r| r.0 == next) {
                        reached.push((next, count.min(most)));
                    }
                }
                at += 1;
            }
        }
        calls.sort_unstable_by_key(|c| (c.callee, c.caller, c.site));
        calls
    }

    /// Recursive components of the call graph. A function that is only passed through by tail calls is no member.
    pub fn components(&self) -> Vec<Component> {
        let mut calls: Vec<(usize, usize)> =
            self.resolved_calls().iter().map(|c| (c.caller, c.callee)).collect();
        calls.dedup();
        let called: FxHashSet<usize> = calls.iter().map(|c| c.1).collect();
        let roots: Vec<usize> = (0..self.functions.len()).filter(|f| !called.contains(f)).collect();
        components(self.functions.len(), &calls, &roots)
    }
}

struct Edges<'a> {
    by_entry: &'a FxHashMap<u64, usize>,
    from: &'a FxHashMap<u64, Vec<&'a Transfer>>,
}

impl Edges<'_> {
    fn out(&self, block: &Block) -> &[&Transfer] {
        self.from.get(&block.end).map_or(&[], Vec::as_slice)
    }

    /// Whether a transfer stays inside the function entered at `entry`.
    fn is_local(&self, transfer: &Transfer, entry: u64) -> bool {
        transfer.way != Way::Call && (transfer.to == entry || !self.by_entry.contains_key(&transfer.to))
    }

    /// Blocks that follow a block in its function, with how often; `None` where the rest of the follower's executions is
    /// meant (control comes back from a call).
    fn inside(&self, block: &Block, entry: u64, blocks: &FxHashMap<u64, Block>) -> Vec<(u64, Option<u64>)> {
        let out = self.out(block);
        let mut next: Vec<(u64, Option<u64>)> =
            out.iter().filter(|t| self.is_local(t, entry)).map(|t| (t.to, Some(t.count))).collect();
        if out.iter().any(|t| t.way == Way::Call) {
            next.push((block.end, None));
        } else if block.continues {
            next.push((block.end, Some(block.executions)));
        }
        next.retain(|&(to, _)| blocks.contains_key(&to) && (to == entry || !self.by_entry.contains_key(&to)));
        next
    }
}

/// Cuts the stretches where control arrives.
fn basic_blocks(survey: &Survey, by_entry: &FxHashMap<u64, usize>) -> FxHashMap<u64, Block> {
    let mut executions: FxHashMap<u64, u64> = FxHashMap::default();
    let mut leaders: FxHashSet<u64> = by_entry.keys().copied().collect();
    for stretch in &survey.stretches {
        leaders.insert(stretch.instrs[0]);
        // What overlaps it goes on behind its end.
        leaders.insert(stretch.end);
        for &pc in &stretch.instrs {
            *executions.entry(pc).or_default() += stretch.executions;
        }
    }
    leaders.extend(survey.transfers.iter().flat_map(|t| [t.from, t.to]));
    let mut blocks = FxHashMap::default();
    for stretch in &survey.stretches {
        let mut first = 0;
        for at in 1..=stretch.instrs.len() {
            let end = stretch.instrs.get(at).copied();
            if end.is_some_and(|pc| !leaders.contains(&pc)) {
                continue;
            }
            let instrs = stretch.instrs[first..at].to_vec();
            let start = instrs[0];
            blocks.entry(start).or_insert_with(|| Block {
                instrs,
                executions: executions.get(&start).copied().unwrap_or(0),
                function: usize::MAX,
                end: end.unwrap_or(stretch.end),
                continues: end.is_some() || stretch.continues,
            });
            first = at;
        }
    }
    blocks
}

/// Gives every block its function; returns the blocks of each function in order of discovery.
fn assign(survey: &Survey, blocks: &mut FxHashMap<u64, Block>, edges: &Edges) -> Vec<Vec<u64>> {
    let mut owned = vec![Vec::new(); survey.entries.len()];
    let mut flood = |blocks: &mut FxHashMap<u64, Block>, function: usize, start: u64| {
        let mut work = vec![start];
        while let Some(at) = work.pop() {
            let Some(block) = blocks.get_mut(&at).filter(|b| b.function == usize::MAX) else { continue };
            block.function = function;
            owned[function].push(at);
            let next = edges.inside(&blocks[&at], survey.entries[function], blocks);
            work.extend(next.iter().rev().map(|n| n.0));
        }
    };
    for (function, &entry) in survey.entries.iter().enumerate() {
        flood(blocks, function, entry);
    }
    let mut sorted: Vec<(u64, usize)> = edges.by_entry.iter().map(|(&e, &f)| (e, f)).collect();
    sorted.sort_unstable();
    let mut left: Vec<u64> = blocks.iter().filter(|b| b.1.function == usize::MAX).map(|b| *b.0).collect();
    left.sort_unstable();
    for start in left {
        let before = sorted.partition_point(|e| e.0 <= start);
        let nearest = before.checked_sub(1).or((!sorted.is_empty()).then_some(0));
        if let Some(at) = nearest {
            flood(blocks, sorted[at].1, start);
        }
    }
    blocks.retain(|_, b| b.function != usize::MAX);
    owned
}

fn function(
    entry: u64,
    starts: Vec<u64>,
    blocks: &FxHashMap<u64, Block>,
    edges: &Edges,
    trips: &FxHashMap<u64, (u64, u64)>,
) -> Function {
    let mut cfg = Cfg::bare(entry);
    // In order of address, so that the lowest heads an irreducible loop.
    let mut ordered = starts.clone();
    ordered.sort_unstable();
    ordered.iter().for_each(|&start| cfg.executed(start));
    let mut counted: Vec<(u64, u64, u64)> = Vec::new();
    let mut arrivals: FxHashMap<u64, u64> = ordered.iter().map(|&s| (s, blocks[&s].executions)).collect();
    let mut back: Vec<(u64, u64)> = Vec::new();
    for &start in &ordered {
        for (to, count) in edges.inside(&blocks[&start], entry, blocks) {
            // A block shared with another function stays with that one.
            let Some(left) = arrivals.get_mut(&to) else { continue };
            cfg.edge(start, to);
            match count {
                Some(count) => {
                    *left = left.saturating_sub(count);
                    counted.push((start, to, count));
                }
                None => back.push((start, to)),
            }
        }
    }
    for (start, to) in back {
        let count = arrivals.insert(to, 0).unwrap_or(0);
        counted.push((start, to, count));
    }
    let forest = cfg.forest().clone();
    let mut innermost = FxHashMap::default();
    for &start in &ordered {
        if let Some(index) = cfg.find(start).and_then(|n| forest.innermost.get(n).copied().flatten()) {
            innermost.insert(start, index);
        }
    }
    let loops = forest
        .loops
        .iter()
        .map(|l| {
            let mut inside: Vec<u64> = l.nodes.iter().map(|&n| cfg.start(n)).collect();
            inside.sort_unstable();
            let is_inside = |start: u64| inside.binary_search(&start).is_ok();
            let header = cfg.start(l.header);
            let from_outside: u64 =
                counted.iter().filter(|e| !is_inside(e.0) && is_inside(e.1)).map(|e| e.2).sum();
            let entries = from_outside + inside.iter().map(|s| arrivals[s]).sum::<u64>();
            let iterations = blocks.get(&header).map_or(0, |b| b.executions);
            let own = trips.get(&header).copied().filter(|_| inside.len() == 1);
            Loop {
                header,
                parent: l.parent,
                latches: counted.iter().filter(|e| e.1 == header && is_inside(e.0)).map(|e| e.0).collect(),
                entries,
                iterations,
                trips: own.or((entries == 1).then_some((iterations, iterations))),
                blocks: inside,
            }
        })
        .collect();
    Function { entry, blocks: starts, loops, innermost }
}

fn calls(blocks: &FxHashMap<u64, Block>, edges: &Edges) -> Vec<Call> {
    let mut out = Vec::new();
    for (&site, block) in blocks {
        let leaves = edges.out(block);
        let tails: Vec<&&Transfer> =
            leaves.iter().filter(|t| t.way != Way::Call && edges.by_entry.contains_key(&t.to)).collect();
        let trampoline = tails.len() > TAIL_TARGETS && tails.iter().any(|t| t.way == Way::IndirectJump);
        for transfer in leaves {
            let Some(&callee) = edges.by_entry.get(&transfer.to) else { continue };
            let tail = transfer.way != Way::Call;
            if tail && (trampoline || callee == block.function) {
                continue;
            }
            out.push(Call { caller: block.function, site, callee, tail, count: transfer.count });
        }
    }
    out.sort_unstable_by_key(|c| (c.callee, c.caller, c.site));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::survey::Stretch;

    fn stretch(instrs: &[u64], end: u64, executions: u64, continues: bool) -> Stretch {
        Stretch { instrs: instrs.to_vec(), end, executions, continues, trips: None }
    }

    fn transfer(from: u64, to: u64, way: Way, count: u64) -> Transfer {
        Transfer { from, to, way, count }
    }

    /// main (10): loop head 11 runs into call 12→50, back to 11 from 13; leaves at 14. 50 returns at once. The first
    /// iteration was translated with the code before it.
    #[test]
    fn a_loop_around_a_call() {
        let survey = Survey {
            entries: vec![10, 50],
            stretches: vec![
                stretch(&[10, 11, 12], 13, 2, false),
                stretch(&[11, 12], 13, 8, false),
                stretch(&[13], 14, 10, false),
                stretch(&[14], 15, 2, false),
                stretch(&[50], 51, 10, false),
            ],
            transfers: vec![
                transfer(13, 50, Way::Call, 10),
                transfer(14, 11, Way::Jump, 8),
                transfer(14, 14, Way::Jump, 2),
            ],
            ..Survey::default()
        };
        let executed = Executed::new(&survey);
        let main = &executed.functions[0];
        assert_eq!(main.loops.len(), 1);
        let l = &main.loops[0];
        assert_eq!((l.header, l.entries, l.iterations, l.blocks.clone()), (11, 2, 10, vec![11, 13]));
        assert_eq!((l.latches.clone(), l.trips), (vec![13], None));
        assert_eq!((main.loop_of(13), main.loop_of(14)), (Some(0), None));
        assert_eq!(executed.calls, [Call { caller: 0, site: 11, callee: 1, tail: false, count: 10 }]);
        assert!(executed.components().is_empty());
        assert_eq!(executed.block(11).map(|b| (b.executions, b.function)), Some((10, 0)));
    }

    /// 10 calls the stub 20, which jumps on to 30; 30 calls 20 again. The stub is no member of the recursion.
    #[test]
    fn recursion_through_a_stub() {
        let survey = Survey {
            entries: vec![10, 20, 30],
            stretches: vec![
                stretch(&[10], 11, 1, false),
                stretch(&[20], 21, 5, false),
                stretch(&[30], 31, 5, false),
                stretch(&[31], 32, 5, false),
            ],
            transfers: vec![
                transfer(11, 20, Way::Call, 1),
                transfer(21, 30, Way::IndirectJump, 5),
                transfer(31, 20, Way::Call, 4),
            ],
            ..Survey::default()
        };
        let found = Executed::new(&survey).components();
        assert_eq!(found, [Component { functions: vec![2], entries: vec![2], headers: vec![2] }]);
    }

    /// A resolver (40) that jumps to whatever was asked for does not make callers of those it serves.
    #[test]
    fn a_resolver_makes_no_recursion() {
        let survey = Survey {
            entries: vec![10, 20, 30, 40],
            stretches: [10, 20, 30, 40].map(|pc| stretch(&[pc], pc + 1, 3, false)).to_vec(),
            transfers: vec![
                transfer(11, 40, Way::Call, 3),
                transfer(21, 40, Way::Call, 3),
                transfer(31, 40, Way::Call, 3),
                transfer(41, 10, Way::IndirectJump, 1),
                transfer(41, 20, Way::IndirectJump, 1),
                transfer(41, 30, Way::IndirectJump, 1),
            ],
            ..Survey::default()
        };
        assert!(Executed::new(&survey).components().is_empty());
    }

    #[test]
    fn a_block_that_loops_over_itself_knows_its_trips() {
        let mut survey = Survey {
            entries: vec![10],
            stretches: vec![stretch(&[10], 11, 3, true), stretch(&[11, 12], 13, 60, false)],
            transfers: vec![transfer(13, 11, Way::Jump, 57), transfer(13, 13, Way::Jump, 3)],
            ..Survey::default()
        };
        survey.stretches[1].trips = Some((10, 40));
        let executed = Executed::new(&survey);
        let l = &executed.functions[0].loops[0];
        assert_eq!((l.entries, l.iterations, l.trips), (3, 60, Some((10, 40))));
    }
}
