//! From a survey to a profile of counts: which loops ran how often, and what share of the instructions is theirs.
//!
//! Definition: contexts are not told apart here, so every function stands once: below the innermost call or loop that all
//! its call sites have around them. What is said of a loop then holds for all of its executions, and its instructions
//! include those of functions called from nowhere else; a function of the program that several loops call counts for what is around all
//! of them. What a function of a library costs that several places call is charged to these, by how often each calls, and it
//! has no instructions itself then. Recursive components stand like one function.

use std::collections::BTreeSet;

use profile::{Context, ContextKind, Function, Limit, Profile, Reached, Trust};
use program::executed::{Call, Executed, Loop};
use program::image::Image;
use rustc_hash::{FxHashMap, FxHashSet};
use trace::survey::Survey;

use crate::finish::{
    About, Ending, Locations, LoopStatement, deciding, function_name, missing_debug_information,
};

/// The profile of a run of which only a survey exists.
pub fn profile(survey: &Survey, about: About) -> Profile {
    let executed = Executed::new(survey);
    let mut image = Image::default();
    survey.mappings.iter().for_each(|m| image.add(m));
    let mut tree = Tree {
        branches: conditional(survey),
        executed: &executed,
        image: &image,
        locations: Locations::new(),
        contexts: vec![Context::new(0, ContextKind::Root, 0)],
        places: vec![0],
        of_function: vec![None; executed.functions.len()],
        of_loop: FxHashMap::default(),
        charged: Vec::new(),
    };
    tree.place_all();
    let mut contexts = std::mem::take(&mut tree.contexts);
    let mut instructions = 0u64;
    let mut pending: FxHashMap<usize, u64> = FxHashMap::default();
    let charged: FxHashMap<usize, usize> =
        tree.charged.iter().flat_map(|own| own.functions.iter().map(|&f| (f, own.functions[0]))).collect();
    for block in executed.blocks() {
        let count = block.instructions();
        instructions = instructions.saturating_add(count);
        match charged.get(&block.function) {
            Some(&group) => *pending.entry(group).or_default() += count,
            None => contexts[tree.context_of(block.instrs[0]) as usize].own_instructions += count,
        }
    }
    // Callees come after their callers.
    for own in tree.charged.iter().rev() {
        let all = pending.remove(&own.functions[0]).unwrap_or(0);
        let calls = own.calls.iter().fold(0u64, |sum, call| sum.saturating_add(call.count));
        let mut rest = all;
        for (index, call) in own.calls.iter().enumerate() {
            let part = u128::from(all) * u128::from(call.count) / u128::from(calls.max(1));
            let part = if index + 1 == own.calls.len() {
                rest
            } else {
                u64::try_from(part).unwrap_or(rest).min(rest)
            };
            rest -= part;
            match charged.get(&call.caller) {
                Some(&group) => *pending.entry(group).or_default() += part,
                None => contexts[tree.context_of(call.site) as usize].own_instructions += part,
            }
        }
    }
    let main = image.program().map(|m| m.path().to_owned());
    let functions = executed.functions.iter().map(|f| {
        let module = image.module(f.entry);
        let file = module.and_then(|m| m.path().file_name());
        Function {
            name: function_name(&image, f.entry),
            entry: f.entry,
            module: file.map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
            main: module.is_some_and(|m| Some(m.path()) == main.as_deref()),
            is_unoptimised: false,
        }
    });
    let mut program = about.program;
    if program.build_id.is_none() {
        program.build_id = image.program().and_then(|m| m.build_id());
    }
    let limits = about.limits.into_iter().chain([Limit::Counted]);
    Profile {
        program,
        trust: Trust {
            instructions,
            limits: limits.map(|limit| Reached { run: 0, limit }).collect(),
            untracked: about.untracked,
            part: about.part,
            missing_debug_information: missing_debug_information(&image),
            counted_only: true,
            ..Trust::default()
        },
        functions: functions.collect(),
        contexts: in_program_order(contexts, &tree.places),
        locations: tree.locations.list,
        ..Profile::default()
    }
}

/// Addresses after instructions that control left in two direct ways, conditional branches, and where to. (One of which
/// only one side ran decides nothing.)
fn conditional(survey: &Survey) -> FxHashMap<u64, [u64; 2]> {
    let branch = |pair: &[trace::survey::Transfer]| {
        let is_branch =
            pair[0].from == pair[1].from && pair.iter().all(|t| t.way == trace::survey::Way::Jump);
        is_branch.then(|| (pair[0].from, [pair[0].to, pair[1].to]))
    };
    survey.transfers.windows(2).filter_map(branch).collect()
}

/// Sorts contexts so that what is inside one follows it, by place in the code.
fn in_program_order(contexts: Vec<Context>, places: &[u64]) -> Vec<Context> {
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); contexts.len()];
    for (index, context) in contexts.iter().enumerate().skip(1) {
        children[context.parent as usize].push(index as u32);
    }
    // What nothing calls stands in order of first entry.
    children.iter_mut().skip(1).for_each(|list| list.sort_by_key(|&c| places[c as usize]));
    let mut order = Vec::with_capacity(contexts.len());
    let mut work = vec![0u32];
    while let Some(at) = work.pop() {
        order.push(at);
        work.extend(children[at as usize].iter().rev());
    }
    let mut renumbered = vec![0u32; contexts.len()];
    order.iter().enumerate().for_each(|(new, &old)| renumbered[old as usize] = new as u32);
    let mut slots: Vec<Option<Context>> = contexts.into_iter().map(Some).collect();
    order
        .into_iter()
        .filter_map(|old| slots[old as usize].take())
        .map(|c| Context { parent: renumbered[c.parent as usize], ..c })
        .collect()
}

struct Tree<'a> {
    branches: FxHashMap<u64, [u64; 2]>,
    executed: &'a Executed,
    image: &'a Image,
    locations: Locations,
    contexts: Vec<Context>,
    /// Address at which each context stands in its function: a header or a calling block.
    places: Vec<u64>,
    of_function: Vec<Option<u32>>,
    /// By function and loop of it.
    of_loop: FxHashMap<(usize, usize), u32>,
    /// Functions of libraries that several places call, callers first.
    charged: Vec<Charged>,
}

/// A function whose cost is that of its callers, or a recursive component.
struct Charged {
    functions: Vec<usize>,
    /// From outside.
    calls: Vec<Call>,
}

impl Tree<'_> {
    /// Places all functions, callers first.
    fn place_all(&mut self) {
        let executed = self.executed;
        let calls = executed.resolved_calls();
        let components = executed.components();
        let count = executed.functions.len();
        // Members of a component form one group.
        let mut group: Vec<usize> = (0..count).collect();
        let mut members: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for component in &components {
            for &f in &component.functions {
                group[f] = component.functions[0];
            }
            members.insert(component.functions[0], component.functions.clone());
        }
        let mut into: FxHashMap<usize, Vec<Call>> = FxHashMap::default();
        let mut below: FxHashMap<usize, BTreeSet<usize>> = FxHashMap::default();
        let mut waits = vec![0usize; count];
        for call in &calls {
            let (from, to) = (group[call.caller], group[call.callee]);
            into.entry(to).or_default().push(*call);
            if from != to && below.entry(from).or_default().insert(to) {
                waits[to] += 1;
            }
        }
        let mut ready: BTreeSet<usize> = (0..count).filter(|&f| group[f] == f && waits[f] == 0).collect();
        let mut shared: FxHashSet<usize> = FxHashSet::default();
        while let Some(g) = ready.pop_first() {
            let calls = into.remove(&g).unwrap_or_default();
            let outside: Vec<Call> = calls.iter().copied().filter(|c| group[c.caller] != g).collect();
            let mut places: Vec<u32> = outside.iter().map(|call| self.context_of(call.site)).collect();
            places.dedup();
            let is_shared = places.len() > 1 || outside.iter().any(|call| shared.contains(&call.caller));
            if is_shared && !self.image.is_own(executed.functions[g].entry) {
                let functions = members.get(&g).cloned().unwrap_or_else(|| vec![g]);
                shared.extend(functions.iter().copied());
                self.charged.push(Charged { functions, calls: outside.clone() });
            }
            let parent =
                outside.iter().map(|c| self.context_of(c.site)).reduce(|a, b| self.common(a, b)).unwrap_or(0);
            match members.get(&g) {
                None => self.place(g, parent, &outside),
                Some(list) => {
                    let headers = components.iter().find(|c| c.functions[0] == g).map(|c| &c.headers[..]);
                    let parent = self.recursion(g, parent, &calls, &outside, headers.unwrap_or_default());
                    list.clone().into_iter().for_each(|f| {
                        let calls: Vec<Call> = calls.iter().copied().filter(|c| c.callee == f).collect();
                        self.place(f, parent, &calls);
                    });
                }
            }
            for next in below.remove(&g).unwrap_or_default() {
                waits[next] -= 1;
                if waits[next] == 0 {
                    ready.insert(next);
                }
            }
        }
    }

    fn recursion(
        &mut self,
        function: usize,
        parent: u32,
        calls: &[Call],
        outside: &[Call],
        headers: &[usize],
    ) -> u32 {
        let entries = outside.iter().map(|c| c.count).sum::<u64>().max(1);
        let again: u64 = calls.iter().filter(|c| headers.contains(&c.callee)).map(|c| c.count).sum();
        let inside = headers.iter().flat_map(|&h| outside.iter().filter(move |c| c.callee == h));
        let from_outside: u64 = inside.map(|c| c.count).sum();
        let location = self.locations.at(self.image, self.executed.functions[function].entry);
        let at = self.contexts.len() as u32;
        self.places.push(outside.first().map_or(0, |c| c.site));
        self.contexts.push(Context {
            location,
            at: self.executed.functions[function].entry,
            entries,
            iterations: entries.saturating_add(again.saturating_sub(from_outside)),
            ..Context::new(parent, ContextKind::Recursive, function as u32)
        });
        at
    }

    /// Adds the contexts of a function and its loops.
    fn place(&mut self, f: usize, parent: u32, calls: &[Call]) {
        let function = &self.executed.functions[f];
        let pc = calls.first().map(|first| {
            self.executed.block(first.site).and_then(|b| b.instrs.last()).copied().unwrap_or(first.site)
        });
        let site = pc.map_or(0, |pc| self.locations.at(self.image, pc));
        let at = self.contexts.len() as u32;
        self.of_function[f] = Some(at);
        self.places.push(calls.first().map_or(0, |c| c.site));
        self.contexts.push(Context {
            at: pc.unwrap_or(0),
            ..Context::new(parent, ContextKind::Call { site, callee: f as u32 }, f as u32)
        });
        for (index, l) in function.loops.iter().enumerate() {
            let around = l.parent.and_then(|p| self.of_loop.get(&(f, p)).copied()).unwrap_or(at);
            let statement = self.statement(l);
            let (location, inlined_at) = self.locations.of_loop(self.image, &statement);
            let inner = Context {
                location,
                inlined_at,
                entries: l.entries,
                iterations: l.iterations,
                trips: l.trips,
                top_tested: statement.top_tested,
                exits: statement.exits,
                code: statement.code,
                at: l.header,
                ..Context::new(around, ContextKind::Loop, f as u32)
            };
            self.of_loop.insert((f, index), self.contexts.len() as u32);
            self.places.push(l.header);
            self.contexts.push(inner);
        }
    }

    fn statement(&self, l: &Loop) -> LoopStatement {
        let blocks: Vec<_> = l.blocks.iter().filter_map(|&b| self.executed.block(b)).collect();
        let low = blocks.iter().map(|b| b.instrs[0]).min().unwrap_or(l.header);
        let high = blocks.iter().map(|b| b.end()).max().unwrap_or(l.header);
        let ending = |start: u64| {
            let block = self.executed.block(start)?;
            let last = *block.instrs.last()?;
            let ways = self.branches.get(&block.end());
            let leaves = ways.is_some_and(|ways| ways.iter().any(|to| !l.blocks.contains(to)));
            let is_jump = block.instrs.len() == 1 && ways.is_none();
            Some(Ending { last, branches: ways.is_some(), leaves, is_jump })
        };
        let latches: Vec<Ending> = l.latches.iter().filter_map(|&s| ending(s)).collect();
        let ends: Vec<Ending> = l.blocks.iter().filter_map(|&s| ending(s)).collect();
        let (pc, top_tested) =
            deciding(self.image, ending(l.header), &latches, &ends).unwrap_or((l.header, false));
        let instructions = blocks.iter().flat_map(|b| b.instrs.iter().copied()).collect();
        let exits = ends.iter().filter(|end| end.leaves).count() as u32;
        LoopStatement { pc, code: vec![(low, high)], top_tested, exits, instructions }
    }

    /// The context of a block.
    fn context_of(&self, start: u64) -> u32 {
        let Some(block) = self.executed.block(start) else { return 0 };
        let f = block.function;
        let inner = self.executed.functions[f].loop_of(start).and_then(|l| self.of_loop.get(&(f, l)));
        inner.copied().or(self.of_function[f]).unwrap_or(0)
    }

    /// The innermost context around both.
    fn common(&self, mut a: u32, mut b: u32) -> u32 {
        // Parents have smaller numbers.
        while a != b {
            let at = if a > b { &mut a } else { &mut b };
            *at = self.contexts[*at as usize].parent;
        }
        a
    }
}
