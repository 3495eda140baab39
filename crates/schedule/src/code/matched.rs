//! Loops and statements of a source, found in a profile.
//!
//! A loop of the profile is one of the source if debug information places it on its line, inside the loop that encloses it in
//! the source. A block belongs to the statement in whose text its instructions, or the call that leads to it, stand. What stands
//! in the head of a loop counts and tests; it is part of no statement.

use std::collections::BTreeMap;

use poly::Affine;
use profile::{ContextIndex, ContextKind, Location, Operation, Profile};
use rustc_hash::{FxHashMap, FxHashSet};
use source::{Counted, Item, Nest, Place, Symbol};

use crate::graph::{dimension, inside};
use crate::options::Facts;
use crate::options::facts::{extents, instructions, touch};
use crate::propose::renaming::{Renamed, Renaming};
use crate::propose::statements::Statements;

/// A nest and its profile.
pub struct Matched {
    /// Blocks by statement.
    pub statements: Statements,
    /// The statements of the source, `U0`, `U1`, …, by blocks.
    pub renaming: Renaming,
    /// The loops around each statement, outermost first, as places in [`Matched::loops`].
    pub around: Vec<Vec<usize>>,
    /// Contexts of every loop of the nest, in the order in which they stand in the source.
    pub loops: Vec<Vec<ContextIndex>>,
    /// Number of loops around the nest.
    pub outer: usize,
    /// What estimates rest on, per statement.
    pub facts: Vec<Facts>,
}

/// The name of a statement in a schedule.
pub fn name(statement: usize) -> String {
    format!("U{statement}")
}

/// The statement of a name.
pub fn statement(name: &str) -> Option<usize> {
    name.strip_prefix('U')?.parse().ok()
}

/// All loops of a nest, outer ones first, each with those around it and itself.
pub fn flat(nest: &Nest) -> Vec<(Vec<usize>, &Counted)> {
    fn add<'a>(counted: &'a Counted, around: &[usize], out: &mut Vec<(Vec<usize>, &'a Counted)>) {
        let mut path = around.to_vec();
        path.push(out.len());
        out.push((path.clone(), counted));
        for item in &counted.body {
            if let Item::Loop(inner) = item {
                add(inner, &path, out);
            }
        }
    }
    let mut out = Vec::new();
    add(&nest.outermost, &[], &mut out);
    out
}

/// Finds a nest in a profile; `roots` are the contexts of its outermost loop.
///
/// # Errors
/// What does not fit, in words.
pub fn matched(profile: &Profile, nest: &Nest, roots: &[ContextIndex]) -> Result<Matched, String> {
    let loops = flat(nest);
    let mut found: FxHashMap<ContextIndex, usize> = roots.iter().map(|&c| (c, 0)).collect();
    let contexts = inside(profile, roots);
    let outer = roots.iter().map(|&c| dimension(profile, c)).min().unwrap_or(0);
    if roots.iter().any(|&c| dimension(profile, c) != outer || !profile.contexts[c as usize].is_dimension) {
        return Err("it is reached through different numbers of loops".to_owned());
    }
    let mut sorted: Vec<ContextIndex> = contexts.iter().copied().collect();
    sorted.sort_unstable();
    for &context in &sorted {
        let own = &profile.contexts[context as usize];
        if own.allocator {
            return Err("it allocates memory".to_owned());
        }
        if own.kind != ContextKind::Loop || found.contains_key(&context) || !own.is_dimension {
            continue;
        }
        let Some(&parent) = found.get(&own.parent) else { continue };
        let line = profile.location(own.location).line;
        let inner = loops
            .iter()
            .position(|(path, l)| l.from.0 == line && path.len() > 1 && path[path.len() - 2] == parent);
        if let Some(inner) = inner {
            found.insert(context, inner);
        }
    }
    one_each(profile, &found, &loops)?;
    let mut around = vec![Vec::new(); nest.statements.len()];
    for (path, counted) in &loops {
        for item in &counted.body {
            if let Item::Statement(at) = item {
                around[*at] = path.clone();
            }
        }
    }
    let blocks = Blocks { profile, nest, loops: &loops, around: &around, found: &found };
    let mut members: BTreeMap<(usize, ContextIndex), Vec<u32>> = BTreeMap::new();
    let mut apart = FxHashSet::default();
    for (index, block) in profile.blocks.iter().enumerate() {
        if block.executions > 0
            && contexts.contains(&block.context)
            && let Some(place) = blocks.place(block, &mut apart)?
        {
            members.entry(place).or_default().push(index as u32);
        }
    }
    let mut by_name = BTreeMap::new();
    let mut renaming = Renaming::default();
    for ((statement, context), all) in members {
        let line = nest.statements[statement].from.0;
        let own = all.iter().copied().find(|&b| profile.blocks[b as usize].context == context);
        let block = own.ok_or_else(|| format!("the statement of line {line} is not in its loop any more"))?;
        let coordinates = coordinates(&loops, &around[statement], outer)
            .ok_or_else(|| "numbers of its bounds are too large".to_owned())?;
        let dims = outer + around[statement].len();
        renaming.of.entry(name(statement)).or_default().push(Renamed { block, dims, coordinates });
        by_name.insert(block, all);
    }
    let has_run = |s: &usize| nest.statements[*s].is_silent || renaming.of.contains_key(&name(*s));
    if let Some(never) = (0..around.len()).find(|s| !has_run(s)) {
        return Err(format!("line {} did not run", nest.statements[never].from.0));
    }
    let mut of_loops = vec![Vec::new(); loops.len()];
    found.iter().for_each(|(&context, &at)| of_loops[at].push(context));
    let entries = roots.iter().map(|&c| profile.contexts[c as usize].entries as f64).sum::<f64>().max(1.0);
    let facts = (0..around.len())
        .map(|s| facts(profile, nest, (&loops, &around[s]), (&by_name, &renaming), s, outer))
        .map(|own| Facts { entries, ..own })
        .collect();
    Ok(Matched {
        outer,
        facts,
        statements: Statements::given(by_name, apart),
        renaming,
        around,
        loops: of_loops,
    })
}

/// Every loop of the source is one of the program, in every context.
fn one_each(
    profile: &Profile,
    found: &FxHashMap<ContextIndex, usize>,
    loops: &[(Vec<usize>, &Counted)],
) -> Result<(), String> {
    let mut seen: FxHashSet<(ContextIndex, usize)> = FxHashSet::default();
    for (&context, &at) in found {
        if !seen.insert((profile.contexts[context as usize].parent, at)) {
            let line = loops[at].1.from.0;
            return Err(format!("the loop of line {line} is several loops in the program: compile with -O0"));
        }
    }
    Ok(())
}

struct Blocks<'a> {
    profile: &'a Profile,
    nest: &'a Nest,
    loops: &'a [(Vec<usize>, &'a Counted)],
    around: &'a [Vec<usize>],
    found: &'a FxHashMap<ContextIndex, usize>,
}

impl Blocks<'_> {
    /// The statement that a block belongs to, in a context; `None` if it only counts and tests. Instructions that count and
    /// test are added to `apart`.
    fn place(
        &self,
        block: &profile::Block,
        apart: &mut FxHashSet<u32>,
    ) -> Result<Option<(usize, ContextIndex)>, String> {
        let profile = self.profile;
        let mut call = None;
        let mut at = block.context;
        while !self.found.contains_key(&at) {
            let own = &profile.contexts[at as usize];
            if let ContextKind::Call { site, .. } = own.kind {
                call = Some(profile.location(site));
            }
            at = own.parent;
        }
        let innermost = self.found[&at];
        let statements = block.first..block.first + block.count;
        if statements.clone().any(|s| profile.statements[s as usize].operation == Operation::System) {
            return Err("it calls the operating system".to_owned());
        }
        let places: Vec<(Option<u32>, &Location)> = match call {
            Some(site) => vec![(None, site)],
            None => statements.map(|s| (Some(s), profile.location_of(s))).collect(),
        };
        let mut own: Option<usize> = None;
        for (instruction, location) in places {
            if location.line == 0 {
                continue;
            }
            let place = (location.line, location.column);
            let Some(statement) = self.statement_at(place) else {
                if self.is_head(place) {
                    apart.extend(instruction);
                    continue;
                }
                return Err(format!("what runs on line {} is no statement of the nest", location.line));
            };
            if self.around[statement].last() != Some(&innermost) {
                return Err(format!("line {} does not run in its own loop: compile with -O0", location.line));
            }
            if own.is_some_and(|own| own != statement) {
                return Err(format!(
                    "line {} is mixed with another statement: compile with -O0",
                    location.line
                ));
            }
            own = Some(statement);
        }
        Ok(own.map(|statement| (statement, at)))
    }

    fn statement_at(&self, place: Place) -> Option<usize> {
        self.nest.statements.iter().position(|s| match place.1 {
            0 => s.from.0 <= place.0 && place.0 <= s.to.0,
            _ => s.from <= place && place < s.to,
        })
    }

    /// Whether a place is in the head of a loop, or behind its body.
    fn is_head(&self, place: Place) -> bool {
        self.loops.iter().any(|(_, l)| match place.1 {
            0 => l.from.0 <= place.0 && place.0 <= l.body_from.0,
            _ => l.from <= place && place <= l.body_from,
        })
    }
}

/// The coordinates of a statement as functions of a profile's: what iterators count, but for parameters.
fn coordinates(loops: &[(Vec<usize>, &Counted)], around: &[usize], outer: usize) -> Option<Vec<Affine>> {
    let mut out: Vec<Affine> = Vec::new();
    for (q, &at) in around.iter().enumerate() {
        let counted = loops[at].1;
        let counter = Affine::coordinate(outer + q);
        let mut own = Affine::constant(counted.first.constant).plus(counted.step, &counter)?;
        for (&symbol, &factor) in &counted.first.terms {
            if let Symbol::Iterator(depth) = symbol {
                own = own.plus(factor, out.get(depth)?)?;
            }
        }
        out.push(own);
    }
    Some(out)
}

/// What a statement does, in its coordinates.
fn facts(
    profile: &Profile,
    nest: &Nest,
    (loops, around): (&[(Vec<usize>, &Counted)], &[usize]),
    (members, renaming): (&BTreeMap<u32, Vec<u32>>, &Renaming),
    statement: usize,
    outer: usize,
) -> Facts {
    let name = name(statement);
    let renamed = || renaming.of.get(&name).into_iter().flatten().map(|renamed| renamed.block);
    let own: FxHashSet<u32> = renamed().flat_map(|block| members[&block].iter().copied()).collect();
    let blocks: Vec<u32> = own.iter().copied().collect();
    let executions = renamed().map(|block| profile.blocks[block as usize].executions as f64).sum::<f64>();
    let observed = renamed().map(|block| extents(profile, block, outer)).reduce(|mut most, next| {
        most.iter_mut().zip(next).for_each(|(most, n)| *most = n.max(*most));
        most
    });
    let mut observed = observed.unwrap_or_default();
    observed.resize(around.len(), 1);
    let counters = counters(loops, around);
    let accesses = profile
        .accesses
        .iter()
        .filter(|a| a.executions > 0 && own.contains(&profile.statements[a.statement as usize].block));
    let of_source = &nest.statements[statement];
    Facts {
        name,
        is_active: !of_source.is_silent,
        executions,
        entries: 1.0,
        instructions: instructions(profile, &blocks) / executions.max(1.0),
        observed,
        growth: 1.0,
        touches: accesses.map(|access| touch(access, outer, &counters)).collect(),
        is_plain: !of_source.has_loop && of_source.calls.is_empty(),
    }
}

/// The counters of loops as sums of the coordinates of a statement in them.
fn counters(loops: &[(Vec<usize>, &Counted)], around: &[usize]) -> Vec<Vec<f64>> {
    let of_loop = |(q, &at): (usize, &usize)| {
        let counted = loops[at].1;
        let mut own = vec![0.0; around.len()];
        own[q] = 1.0 / counted.step as f64;
        for (symbol, &factor) in &counted.first.terms {
            if let Symbol::Iterator(depth) = *symbol
                && let Some(slot) = own.get_mut(depth)
            {
                *slot -= factor as f64 / counted.step as f64;
            }
        }
        own
    };
    around.iter().enumerate().map(of_loop).collect()
}
