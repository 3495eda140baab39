//! A parallel loop as the innermost one of its nest.
//!
//! ```text
//! for j { s = 0; for k { s += a[k][j]; } y[j] = s; }
//! ```
//!
//! goes down columns, and every addition waits for the one before. With the loop over j moved into the parts of its body, `s` an array of
//! one element per iteration, it goes along rows, and its iterations can be the lanes of vectors:
//! `for j s[j] = 0; for k for j s[j] += a[k][j]; for j y[j] = s[j];`. Where nothing stands beside the inner loop, that is an interchange.
//!
//! It is legal where the iterations of the outer loop pass nothing on to one another, not even in sums, and all of them execute the
//! same inner loops with the same bounds: parts of different iterations may then be mixed in any way that keeps the order of each. Sums
//! are added up in the order that they had. By the text, inner loops must not be left early, and bounds must not depend on what the outer loop
//! assigns; by the run, they had one number of iterations.
//!
//! Whether it pays is estimated ([`crate::options::cost`]), statement by statement. Most published cases of it are in loops that a
//! compiler does not interchange, as rows are behind pointers or something stands beside the inner loop (Fabian Gruber et al.,
//! "Data-flow/dependence profiling for structured transformations", PPoPP 2019).

use profile::lens::LoopKind;
use profile::{ContextIndex, ContextKind, Profile};

use super::distribution::runs_alike;
use crate::SourceLoop;
use crate::facts::{Facts, Role, mentions};
use crate::graph::inside;
use crate::options::cost::{estimate, near};
use crate::options::times::{Blocks, Component, Dimension, Order};
use crate::options::{self, Machine};
use crate::propose::weighed::{as_it_is, facts};
use crate::verdict::Parallel;

/// Loops with a smaller share of the program's instructions are not looked at.
const LEAST_SHARE: f64 = 0.01;
/// What is inside other functions than the loop's own may take such a share of it; it stays as it is.
const ELSEWHERE: f64 = 0.05;
/// Fewer iterations are not worth an inner loop.
const LEAST_TRIPS: f64 = 8.0;
/// The estimate has to fall to this share.
const GAINS: f64 = 0.8;
/// Iterations that elements of expanded variables are kept for at a time.
const TILE: i64 = 256;
/// Bytes of the largest variable that is expanded.
const MOST_BYTES: u64 = 16;

/// A parallel loop that is worth making the innermost.
#[derive(Debug, Clone, PartialEq)]
pub struct Inward {
    /// The loop.
    pub of: usize,
    /// The loops inside it that come to stand around it, outermost first, of the nest with the most instructions.
    pub past: Vec<usize>,
    /// Something stands beside the loops inside: its parts become loops of their own.
    pub is_split: bool,
    /// Variables that pass values from part to part, and become arrays.
    pub expanded: Vec<String>,
    /// Estimated cycles on one processor, as it is and moved.
    pub cycles: (f64, f64),
    /// Share of accesses with a stride of 0 or one element along the innermost loops, as it is and moved.
    pub near: (f64, f64),
}

impl Inward {
    /// The share of its time that the loop is expected to take then.
    pub fn remaining(&self) -> f64 {
        self.cycles.1 / self.cycles.0
    }
}

/// The loops that are worth moving inwards, the best of each nest; none in profiles of several runs.
pub fn inward(profile: &Profile, loops: &[SourceLoop], machine: &Machine) -> Vec<Inward> {
    if !profile.further_runs.is_empty() || profile.trust.counted_only {
        return Vec::new();
    }
    let mut out: Vec<Inward> = Vec::new();
    for of in 0..loops.len() {
        let Some(found) = moved(profile, loops, of, machine) else { continue };
        let saves = |own: &Inward| loops[own.of].share * (1.0 - own.remaining());
        // Two loops of a nest cannot both be the innermost.
        let is_around = |own: &Inward| around(loops, of).any(|outer| outer == own.of);
        match out.iter().position(is_around) {
            Some(at) if saves(&out[at]) >= saves(&found) => {}
            Some(at) => out[at] = found,
            None => out.push(found),
        }
    }
    out
}

fn around(loops: &[SourceLoop], of: usize) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(loops[of].parent, |&at| loops[at].parent)
}

/// A loop moved inwards, if that is legal and pays.
fn moved(profile: &Profile, loops: &[SourceLoop], of: usize, machine: &Machine) -> Option<Inward> {
    let own = &loops[of];
    let is_parallel = matches!(own.parallel, Parallel::Yes | Parallel::AfterPrivatisation);
    let trips = own.iterations as f64 / own.entries.max(1) as f64;
    let is_candidate = own.main
        && !own.recursive
        && !own.innermost
        && is_parallel
        && !own.differs_elsewhere
        && own.share >= LEAST_SHARE
        && trips >= LEAST_TRIPS;
    if !is_candidate || !own.contexts.iter().all(|&context| profile.contexts[context as usize].is_whole()) {
        return None;
    }
    let text = Facts::of(profile, *own.contexts.first()?)?;
    if !counts(&text) || text.scalars.iter().any(|(_, role)| matches!(role, Role::Private { last: true })) {
        return None;
    }
    let is_inside = |at: usize| around(loops, at).any(|outer| outer == of);
    let (here, elsewhere): (Vec<usize>, Vec<usize>) =
        (0..loops.len()).filter(|&at| is_inside(at)).partition(|&at| {
            let stays =
                |inner: usize| loops[inner].calls.is_empty() && !loops[inner].recursive && loops[inner].main;
            stays(at) && around(loops, at).take_while(|&outer| outer != of).all(stays)
        });
    let beside: u64 = elsewhere.iter().map(|&at| loops[at].instructions).max().unwrap_or(0);
    if here.is_empty() || beside as f64 > ELSEWHERE * own.instructions as f64 {
        return None;
    }
    if !here.iter().all(|&inner| is_fixed(profile, &loops[inner], &text)) {
        return None;
    }
    let alike = std::iter::once(own).chain(here.iter().map(|&at| &loops[at]).filter(|l| !l.innermost));
    if !alike.flat_map(|l| &l.contexts).all(|&context| runs_alike(profile, context)) {
        return None;
    }
    let is_large =
        |&object: &u32| profile.objects.get(object as usize).is_none_or(|object| object.bytes > MOST_BYTES);
    if own.verdicts.iter().flat_map(|verdict| &verdict.privatise).any(|object| is_large(object)) {
        return None;
    }
    let expanded = expanded(&text);
    let is_split =
        !expanded.is_empty() || here.iter().filter(|&&at| loops[at].parent == Some(of)).count() > 1;
    let (cycles, near) = weighed(profile, loops, own, (&here, is_split), machine)?;
    let hottest = here.iter().copied().filter(|&at| loops[at].innermost);
    let leaf = hottest.max_by_key(|&at| loops[at].instructions)?;
    let mut past: Vec<usize> =
        std::iter::once(leaf).chain(around(loops, leaf)).take_while(|&at| at != of).collect();
    past.reverse();
    let found = Inward { of, past, is_split, expanded, cycles, near };
    // Sums along rows have lanes where a directive allows that, and that is all there is to gain.
    let is_nearer = found.near.1 >= found.near.0;
    (is_nearer && found.remaining() <= GAINS).then_some(found)
}

/// Whether a loop counts, and is left at its end alone.
fn counts(text: &Facts<'_>) -> bool {
    let source = text.source;
    let is_counting = matches!(
        source.kind,
        LoopKind::For | LoopKind::FortranDo | LoopKind::DoConcurrent | LoopKind::RustFor | LoopKind::RangeFor
    );
    is_counting
        && source.canonical.is_yes()
        && source.leaves.is_empty()
        && !source.jumps
        && !source.conditional_compilation
        && !text.tests_data()
}

/// Whether an inner loop counts, always as far, by the text independent of what the outer one assigns.
fn is_fixed(profile: &Profile, inner: &SourceLoop, outer: &Facts<'_>) -> bool {
    let text = inner.contexts.first().and_then(|&context| Facts::of(profile, context));
    let Some(text) = text.filter(counts) else { return false };
    let own = |name: &str| text.source.iterators.iter().any(|iterator| iterator.name == name);
    let changes = |bound: &str| {
        let assigned = outer.source.scalars.iter().map(|scalar| scalar.name.as_str());
        let iterators = outer.source.iterators.iter().map(|iterator| iterator.name.as_str());
        let mut names = assigned.chain(iterators).filter(|name| !own(name));
        names.any(|name| mentions(bound, name))
    };
    let is_same = inner.trips.is_some_and(|(least, most)| least == most);
    let bounds = |iterator: &profile::lens::Iterator| {
        [&iterator.start, &iterator.bound].into_iter().flatten().any(|bound| changes(bound))
    };
    is_same && !text.source.iterators.iter().any(bounds)
}

/// The variables of a loop that pass values from one part of its body to another; parts are the loops inside, and what is in none.
fn expanded(text: &Facts<'_>) -> Vec<String> {
    let inner: Vec<_> = text.inner_loops().collect();
    // The innermost loop that a line belongs to.
    let part = |line: &u32| {
        let around = inner.iter().enumerate().filter(|(_, l)| (l.at.line..=l.end.line).contains(line));
        around.max_by_key(|(_, l)| (l.at.line, l.at.column)).map(|(at, _)| at)
    };
    let mut out = Vec::new();
    for (scalar, role) in &text.scalars {
        let is_counter =
            |own: &&&profile::lens::SourceLoop| own.iterators.iter().any(|it| it.name == scalar.name);
        if *role == Role::Iterator || inner.iter().any(|own| is_counter(&own)) {
            continue;
        }
        let lines = scalar.definitions.iter().map(|d| d.at.line).chain(scalar.reads.iter().copied());
        let mut parts: Vec<Option<usize>> = lines.map(|line| part(&line)).collect();
        parts.sort_unstable();
        parts.dedup();
        if parts.len() > 1 {
            out.push(scalar.name.clone());
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// Estimated cycles and shares of near accesses, of a loop as it is and moved into the loops inside it.
fn weighed(
    profile: &Profile,
    loops: &[SourceLoop],
    own: &SourceLoop,
    (here, is_split): (&[usize], bool),
    machine: &Machine,
) -> Option<((f64, f64), (f64, f64))> {
    let contexts = inside(profile, &own.contexts);
    let moves_past = |context: ContextIndex| here.iter().any(|&at| loops[at].contexts.contains(&context));
    let (mut all, mut before, mut after) = (Vec::new(), Vec::new(), Vec::new());
    for (at, block) in profile.blocks.iter().enumerate() {
        if block.executions == 0 || !contexts.contains(&block.context) {
            continue;
        }
        let at = at as u32;
        let around = profile.loops_around(block.context);
        let place = around.iter().position(|context| own.contexts.contains(context))?;
        let is_called = !matches!(profile.contexts[block.context as usize].kind, ContextKind::Loop);
        let statement = facts(profile, at, &[at]);
        if statement.observed.len() != around.len() {
            return None;
        }
        // What is called runs one by one.
        all.push(options::Facts { is_plain: statement.is_plain && !is_called, ..statement });
        let times = as_it_is(profile, loops, at);
        let mut moved = times.clone();
        if around[place + 1..].iter().all(|&context| moves_past(context)) {
            let dimension = moved.remove(place);
            let tile = match &dimension.component {
                Component::Point(row) => Component::Tile(Blocks { row: row.clone(), size: TILE }),
                other => other.clone(),
            };
            if is_split {
                moved.insert(place, Dimension { component: tile, is_parallel: true });
            }
            moved.push(dimension);
        }
        before.push(times);
        after.push(moved);
    }
    let order =
        |times: Vec<Vec<Dimension>>| Order { length: times.iter().map(Vec::len).max().unwrap_or(0), times };
    let (before, after) = (order(before), order(after));
    let cycles = (estimate(&all, &before, machine)?.one, estimate(&all, &after, machine)?.one);
    Some((cycles, (near(&all, &before)?, near(&all, &after)?)))
}
