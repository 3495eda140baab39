//! Loops of the source program.
//!
//! A compiler makes several loops of one (vector body, scalar tail, unrolled remainder, peeled iteration), and one loop
//! may run in several contexts. Loop contexts under the same source parent, with the same call path and the same source
//! position, are one entry with the worst verdict of its pieces; further call paths get their own entries. The members of a team that
//! run a parallel region are one: what leads to a region differs from thread to thread, and is left out. So are those of
//! several runs in one profile ([`profile::merge`]); counts of an entry are sums over runs.

use std::collections::BTreeMap;

use profile::{Block, ContextIndex, ContextKind, Profile};
use rustc_hash::FxHashMap;

use crate::facts::Facts;
use crate::graph::{edges_by_loop, is_of_loader};
use crate::names::of_region;
use crate::needs::{Class, Need};
use crate::nest::{Against, Innermost, is_permutable, lanes, skewing, stride01};
use crate::pieces;
use crate::verdict::{Indexes, Parallel, Unknown, Verdict, judge};

/// One loop of the source in one context.
#[derive(Debug, Clone)]
pub struct SourceLoop {
    /// `file:function:line`, with `#2` for a second context.
    pub id: String,
    /// Function of the source.
    pub function: String,
    /// File as the debug information names it; empty without.
    pub file: String,
    /// Line of the loop statement; 0 without debug information.
    pub line: u32,
    /// Column, or 0.
    pub column: u32,
    /// Enclosing entry: index into the list.
    pub parent: Option<usize>,
    /// Number of enclosing entries.
    pub depth: usize,
    /// Calls between the enclosing loop and this one, outermost first: names of the functions called.
    pub calls: Vec<String>,
    /// Its loop contexts.
    pub contexts: Vec<ContextIndex>,
    /// It is a recursion.
    pub recursive: bool,
    /// Part of the program itself, not of a library.
    pub main: bool,
    /// Entries: those of the piece with the most, per run and thread.
    pub entries: u64,
    /// Iterations of all pieces.
    pub iterations: u64,
    /// Smallest and largest number of iterations per entry, where known.
    pub trips: Option<(u64, u64)>,
    /// Instructions inside, inner loops and calls included.
    pub instructions: u64,
    /// Share of the recorded instructions.
    pub share: f64,
    /// The worst verdict of the pieces.
    pub parallel: Parallel,
    /// The same loop, reached by other calls, is not parallel, or only after other changes.
    pub differs_elsewhere: bool,
    /// Verdicts per context, in the order of `contexts`.
    pub verdicts: Vec<Verdict>,
    /// Share of accesses with stride 0 or one element, for innermost loops.
    pub stride01: Option<f64>,
    /// No loop inside.
    pub innermost: bool,
    /// Permutable with its parent and all loops of the parent's band.
    pub permutable_with_parent: bool,
    /// Of an innermost loop: what the loops around it have to be skewed by to be permutable, the loop itself last: per loop
    /// its new counter in multiples of the old ones. `None` if nothing helps or nothing is needed.
    pub skew: Option<Vec<Vec<i64>>>,
    /// Of an innermost loop: how many neighbouring iterations may run in lockstep, `i64::MAX` without a limit; 1 if none may,
    /// or if that is not known.
    pub lanes: i64,
}

impl SourceLoop {
    /// What it is in one of the runs that a profile has: with the contexts of that run alone, and their verdict. `None` if it did
    /// not run then.
    pub fn in_run(&self, profile: &Profile, run: usize) -> Option<SourceLoop> {
        let pieces = self.contexts.iter().zip(&self.verdicts);
        let (contexts, verdicts): (Vec<ContextIndex>, Vec<Verdict>) = pieces
            .filter(|(context, _)| profile.run_of(**context) == run)
            .map(|(context, verdict)| (*context, verdict.clone()))
            .unzip();
        let parallel = verdicts.iter().map(|verdict| verdict.parallel).max()?;
        let of = |context: &ContextIndex| &profile.contexts[*context as usize];
        Some(SourceLoop {
            parallel,
            entries: entries(profile, &contexts),
            iterations: contexts.iter().map(|context| of(context).rounds()).sum(),
            contexts,
            verdicts,
            ..self.clone()
        })
    }

    /// Most loop contexts that one thread of one run made of it.
    pub fn pieces(&self, profile: &Profile) -> usize {
        by_thread(profile, &self.contexts).into_iter().map(|pieces| pieces.len()).max().unwrap_or(0)
    }

    /// The name of its file, without directories.
    pub fn file_name(&self) -> &str {
        self.file.rsplit('/').next().unwrap_or(&self.file)
    }

    /// Its class: the worst of its pieces'; `None` if of none values are known to block and of some nothing is known, or if nothing had to
    /// change but for other calls.
    pub fn class(&self) -> Option<Class> {
        self.own_class().filter(|class| !(self.differs_elsewhere && *class == Class::A))
    }

    fn own_class(&self) -> Option<Class> {
        // What blocks one piece blocks the loop, whatever is not known of others.
        if self.verdicts.iter().any(|verdict| verdict.class() == Some(Class::C)) {
            return Some(Class::C);
        }
        self.verdicts.iter().map(Verdict::class).reduce(|a, b| Some(a?.max(b?))).flatten()
    }

    /// What has to become of variables if it is of class B, by variable.
    pub fn needs(&self) -> Vec<Need> {
        let mut out: Vec<Need> = Vec::new();
        if self.class() != Some(Class::B) {
            return out;
        }
        for need in self.verdicts.iter().flat_map(|verdict| &verdict.needs).flatten() {
            match out.iter_mut().find(|own| (own.object, &own.name) == (need.object, &need.name)) {
                Some(own) => own.join(need),
                None => out.push(need.clone()),
            }
        }
        out
    }

    /// Iterations per entry, on average.
    pub fn mean_trips(&self) -> f64 {
        self.iterations as f64 / self.entries.max(1) as f64
    }

    /// `file:line`; its name where the line is not known.
    pub fn place(&self) -> String {
        match self.line {
            0 => self.id.clone(),
            line => format!("{}:{line}", self.file_name()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    parent: Option<usize>,
    calls: Vec<(u32, u32)>,
    function: String,
    file: String,
    line: u32,
    column: u32,
    /// Distinguishes loops without a line.
    place: u64,
}

/// The loop of the source, as an index into the list, that every loop context belongs to.
pub fn by_context(loops: &[SourceLoop]) -> FxHashMap<ContextIndex, usize> {
    loops.iter().enumerate().flat_map(|(at, l)| l.contexts.iter().map(move |&c| (c, at))).collect()
}

/// Of each loop a block that runs in every iteration.
fn headers(profile: &Profile) -> FxHashMap<ContextIndex, &Block> {
    let is_header = |block: &&Block| {
        let context = profile.contexts.get(block.context as usize);
        context.is_some_and(|context| context.is_dimension && context.iterations == block.executions)
    };
    profile.blocks.iter().filter(is_header).map(|block| (block.context, block)).collect()
}

/// The number of iterations of every entry of a loop, if that is one: iterations count from 0, so if all entries together have as
/// many as they would have if each reached the greatest number, each does.
fn uniform_trips(
    profile: &Profile,
    index: ContextIndex,
    headers: &FxHashMap<ContextIndex, &Block>,
) -> Option<(u64, u64)> {
    let context = profile.contexts.get(index as usize)?;
    let own = usize::from(context.dims).checked_sub(1)?;
    let pieces = headers.get(&index)?.domain.iter().flat_map(|folded| &folded.pieces);
    let last = pieces.map(|piece| piece.extent().get(own).map(|extent| extent.1));
    let last = last.collect::<Option<Vec<i64>>>()?.into_iter().max()?;
    let count = u64::try_from(last).ok()?.checked_add(1)?;
    (count.checked_mul(context.entries)? == context.iterations).then_some((count, count))
}

/// How often a loop was entered, and its least and greatest number of iterations, if they are known: of several pieces in one run
/// those of the whole are not.
fn counts(
    profile: &Profile,
    contexts: &[ContextIndex],
    headers: &FxHashMap<ContextIndex, &Block>,
) -> (u64, Option<(u64, u64)>) {
    let mut all = None;
    for (group, pieces) in by_thread(profile, contexts).into_iter().enumerate() {
        let trips = match pieces[..] {
            [context] => trips(profile, context, headers),
            _ => None,
        };
        let joined = |a: (u64, u64), b: (u64, u64)| (a.0.min(b.0), a.1.max(b.1));
        all = if group == 0 { trips } else { all.zip(trips).map(|(a, b)| joined(a, b)) };
    }
    (entries(profile, contexts), all)
}

/// How often a loop was entered, by its contexts.
fn entries(profile: &Profile, contexts: &[ContextIndex]) -> u64 {
    let of = |&context: &ContextIndex| profile.contexts[context as usize].entries;
    let most =
        by_thread(profile, contexts).into_iter().map(|pieces| pieces.iter().map(of).max().unwrap_or(0));
    most.fold(0, u64::saturating_add)
}

/// Contexts, thread by thread of all runs.
fn by_thread(profile: &Profile, contexts: &[ContextIndex]) -> Vec<Vec<ContextIndex>> {
    let mut out: BTreeMap<ContextIndex, Vec<ContextIndex>> = BTreeMap::new();
    for &context in contexts {
        out.entry(profile.thread_of(context)).or_default().push(context);
    }
    out.into_values().collect()
}

/// The least and greatest number of iterations of a loop context, where they were counted or follow from its domain.
fn trips(
    profile: &Profile,
    index: ContextIndex,
    headers: &FxHashMap<ContextIndex, &Block>,
) -> Option<(u64, u64)> {
    let context = &profile.contexts[index as usize];
    let test = u64::from(context.top_tested);
    let (least, most) = context.trips.or_else(|| uniform_trips(profile, index, headers))?;
    Some((least.saturating_sub(test), most.saturating_sub(test)))
}

/// Line and column of a loop: those of its keyword, where the text says which one it is. Compilers give the pieces that they make of one
/// loop the columns of several parts of its header.
fn place_of(profile: &Profile, context: ContextIndex) -> (u32, u32) {
    let location = profile.location(profile.contexts[context as usize].location);
    let text = Facts::source(profile, context).filter(|_| location.line > 0);
    text.map_or((location.line, location.column), |text| (text.at.line, text.at.column))
}

/// Judges all loops and puts them together. Entries come outer before inner, in order of first execution.
pub fn analyse(profile: &Profile) -> Vec<SourceLoop> {
    let edges = edges_by_loop(profile);
    let indexes = Indexes::new(profile);
    let no_edges = crate::graph::LoopEdges::default();
    let totals = subtree_instructions(profile);
    let all = profile.trust.run().max(1) as f64;
    let mut out: Vec<SourceLoop> = Vec::new();
    let mut keys: BTreeMap<Key, usize> = BTreeMap::new();
    let mut entry_of: FxHashMap<ContextIndex, usize> = FxHashMap::default();
    let mut verdicts: FxHashMap<ContextIndex, Verdict> = FxHashMap::default();
    let headers = headers(profile);
    for (index, context) in profile.contexts.iter().enumerate() {
        let index = index as ContextIndex;
        let is_loop = matches!(context.kind, ContextKind::Loop | ContextKind::Recursive);
        // A cycle of the graph that never came round is not a loop of this run.
        let iterations = context.rounds();
        if !is_loop || iterations <= context.entries {
            continue;
        }
        let (parent, calls) = enclosing(profile, index, &entry_of);
        let location = profile.location(context.location);
        let at = place_of(profile, index);
        let key = Key {
            parent,
            calls: calls.clone(),
            function: location.function.clone(),
            file: location.file.clone(),
            line: at.0,
            column: at.1,
            place: if location.line == 0 { context.code.first().map_or(0, |c| c.0) } else { 0 },
        };
        let verdict = if let Some(gap) = context.gap {
            Verdict::unknown(Unknown::Gap(gap))
        } else if context.is_dimension {
            let facts = Facts::of(profile, index);
            let own = edges.get(&index).unwrap_or(&no_edges);
            let mut verdict = judge(profile, index, own, &indexes, facts.as_ref());
            let ancestors = || {
                std::iter::successors(Some(context.parent), |&c| {
                    (c != 0).then(|| profile.contexts[c as usize].parent)
                })
            };
            let around = ancestors().find(|&c| profile.contexts[c as usize].kind == ContextKind::Recursive);
            // A piece of a loop inside another one: compilers split what they take several elements at a time.
            let piece_of = ancestors()
                .take_while(|&c| profile.contexts[c as usize].function == context.function)
                .find(|&c| {
                    let other = &profile.contexts[c as usize];
                    let other_location = profile.location(other.location);
                    other.kind == ContextKind::Loop
                        && (&other_location.file, &other_location.function)
                            == (&location.file, &location.function)
                        && place_of(profile, c) == at
                })
                .filter(|_| location.line > 0);
            for outer in piece_of.into_iter().chain(around.filter(|_| context.suspended)) {
                if let Some(outer) = verdicts.get(&outer)
                    && outer.parallel > verdict.parallel
                {
                    verdict = outer.clone();
                }
            }
            verdict
        } else {
            Verdict::unknown(Unknown::Depth)
        };
        verdicts.insert(index, verdict.clone());
        let next = out.len();
        let at = *keys.entry(key).or_insert(next);
        entry_of.insert(index, at);
        if at == next {
            let function = profile.functions.get(context.function as usize);
            out.push(SourceLoop {
                id: String::new(),
                function: location.function.clone(),
                file: location.file.clone(),
                line: location.line,
                column: location.column,
                parent,
                depth: parent.map_or(0, |p| out[p].depth + 1),
                calls: {
                    let names: Vec<String> = calls
                        .iter()
                        .filter_map(|c| profile.functions.get(c.1 as usize).map(|f| f.name.clone()))
                        .collect();
                    // What leads to main is start-up code.
                    let from = names.iter().position(|n| n == "main").map_or(0, |at| at + 1);
                    names[from..].to_vec()
                },
                contexts: Vec::new(),
                recursive: context.kind == ContextKind::Recursive,
                main: function.is_some_and(|f| f.main),
                entries: 0,
                iterations: 0,
                trips: None,
                instructions: 0,
                share: 0.0,
                parallel: Parallel::Yes,
                differs_elsewhere: false,
                verdicts: Vec::new(),
                stride01: None,
                innermost: true,
                permutable_with_parent: false,
                skew: None,
                lanes: 1,
            });
        }
        let entry = &mut out[at];
        entry.contexts.push(index);
        entry.iterations += iterations;
        entry.instructions += totals[index as usize];
        entry.parallel = entry.parallel.max(verdict.parallel);
        entry.verdicts.push(verdict);
    }
    pieces::join(profile, &mut out);
    pieces::claim(profile, &mut out);
    for entry in &mut out {
        (entry.entries, entry.trips) = counts(profile, &entry.contexts, &headers);
    }
    let innermost = Innermost::new(profile);
    // Names are bound when they are first called, in whichever loop that is.
    let is_of_loader = |own: &SourceLoop| own.contexts.iter().all(|&context| is_of_loader(profile, context));
    let parent = |out: &[SourceLoop], at: usize| {
        out[at].parent.filter(|&parent| !is_of_loader(&out[at]) || is_of_loader(&out[parent]))
    };
    for at in 0..out.len() {
        out[at].share = out[at].instructions as f64 / all;
        if let Some(parent) = parent(&out, at) {
            out[parent].innermost = false;
        }
    }
    for at in around_regions(profile, &entry_of) {
        out[at].innermost = false;
    }
    let mut against = Against::new(&edges);
    // Per entry the number of loops of its band down to itself; entries come outer before inner.
    let mut band = vec![1usize; out.len()];
    for at in 0..out.len() {
        if out[at].innermost {
            out[at].stride01 = stride01(profile, &innermost, &out[at].contexts);
        }
        let Some(parent) = parent(&out, at) else { continue };
        // All loops of the band together: two neighbours may be permutable, and the next two, but not the three.
        let joins = out[at].contexts.iter().all(|&c| {
            let chain = profile.loops_around(c);
            let from = chain.len().saturating_sub(band[parent] + 1);
            let is_whole = chain[from..].iter().all(|&l| profile.contexts[l as usize].is_whole());
            chain.len() > 1 && is_whole && is_permutable(profile, &chain[from..], &mut against, &verdicts)
        });
        if joins {
            band[at] = band[parent] + 1;
            out[at].permutable_with_parent = true;
        }
    }
    for innermost in out.iter_mut().filter(|l| l.innermost) {
        let pieces = innermost.contexts.iter().zip(&innermost.verdicts);
        let known = pieces.map(|(&context, verdict)| match verdict.parallel {
            Parallel::Unknown => 1,
            _ => lanes(profile, context, verdict),
        });
        innermost.lanes = known.min().unwrap_or(1);
        innermost.skew = skew(profile, &innermost.contexts, &mut against, &verdicts);
    }
    compare(profile, &mut out);
    name(&mut out);
    out
}

/// Notes of every loop whether it is worse in another context, or in another copy that the compiler has made of it: what is written into
/// the source holds for all of them.
fn compare(profile: &Profile, loops: &mut [SourceLoop]) {
    let mut worst: FxHashMap<(String, u32, u32), (Parallel, Option<Class>)> = FxHashMap::default();
    // A class that is not known is the worst.
    let rank = |class: Option<Class>| class.map_or(u8::MAX, |class| class as u8);
    let key = |own: &SourceLoop| {
        let text = profile.source(&own.file);
        // Of the one loop of a line copies may have other columns.
        let is_only =
            text.is_some_and(|text| text.loops.iter().filter(|l| l.at.line == own.line).count() == 1);
        (own.file.clone(), own.line, if is_only { 0 } else { own.column })
    };
    for own in loops.iter().filter(|own| own.line > 0) {
        let found = worst.entry(key(own)).or_insert((own.parallel, own.own_class()));
        found.0 = found.0.max(own.parallel);
        if rank(own.own_class()) > rank(found.1) {
            found.1 = own.own_class();
        }
    }
    for own in loops.iter_mut().filter(|own| own.line > 0) {
        let found = worst.get(&key(own));
        own.differs_elsewhere =
            found.is_some_and(|found| found.0 > own.parallel || rank(found.1) > rank(own.own_class()));
    }
}

/// The skew that makes the most loops around some innermost ones permutable; `None` if there is none, or none is needed.
fn skew(
    profile: &Profile,
    contexts: &[ContextIndex],
    against: &mut Against,
    verdicts: &FxHashMap<ContextIndex, Verdict>,
) -> Option<Vec<Vec<i64>>> {
    let chains: Vec<Vec<ContextIndex>> = contexts.iter().map(|&c| profile.loops_around(c)).collect();
    let depth = chains.iter().map(Vec::len).min()?;
    let is_whole = |band: &[ContextIndex]| band.iter().all(|&l| profile.contexts[l as usize].is_whole());
    for length in (2..=depth).rev() {
        let mut bands = chains.iter().map(|chain| &chain[chain.len() - length..]);
        let mut of = |band: &[ContextIndex]| {
            if is_whole(band) { skewing(profile, band, against, verdicts) } else { None }
        };
        let first = bands.next().and_then(&mut of);
        // All pieces of a loop are skewed alike.
        if let Some(rows) = first.filter(|rows| bands.all(|band| of(band).as_ref() == Some(rows))) {
            let is_skewed = rows.iter().enumerate().any(|(k, row)| row.iter().take(k).any(|&f| f != 0));
            return is_skewed.then_some(rows);
        }
    }
    None
}

/// The enclosing entry and the calls between it and the context: (call site position, callee).
fn enclosing(
    profile: &Profile,
    context: ContextIndex,
    entry_of: &FxHashMap<ContextIndex, usize>,
) -> (Option<usize>, Vec<(u32, u32)>) {
    let mut calls = Vec::new();
    let mut at = profile.contexts[context as usize].parent;
    while at != 0 {
        let node = &profile.contexts[at as usize];
        if let Some(&entry) = entry_of.get(&at) {
            calls.reverse();
            return (Some(entry), calls);
        }
        if let ContextKind::Call { site, callee } = node.kind {
            if is_region(profile, callee) {
                break;
            }
            calls.push((site, callee));
        }
        at = node.parent;
    }
    calls.reverse();
    (None, calls)
}

/// Whether a function was made of a parallel region.
fn is_region(profile: &Profile, function: u32) -> bool {
    profile.functions.get(function as usize).is_some_and(|own| of_region(&own.name).is_some())
}

/// The loops that have something inside which is an entry without a loop around it: parallel regions.
fn around_regions(profile: &Profile, entry_of: &FxHashMap<ContextIndex, usize>) -> Vec<usize> {
    let mut out = Vec::new();
    for (index, own) in profile.contexts.iter().enumerate() {
        let is_entered = matches!(own.kind, ContextKind::Call { callee, .. } if is_region(profile, callee));
        if is_entered && index > 0 {
            let outer = std::iter::successors(Some(own.parent), |&at| {
                (at != 0).then(|| profile.contexts[at as usize].parent)
            });
            out.extend(outer.filter_map(|at| entry_of.get(&at).copied()).next());
        }
    }
    out
}

/// Instructions in the subtree of every context.
pub(crate) fn subtree_instructions(profile: &Profile) -> Vec<u64> {
    let mut totals: Vec<u64> = profile.contexts.iter().map(|c| c.own_instructions).collect();
    for index in (1..totals.len()).rev() {
        let parent = profile.contexts[index].parent as usize;
        totals[parent] += totals[index];
    }
    totals
}

fn name(loops: &mut [SourceLoop]) {
    let mut seen: FxHashMap<String, u32> = FxHashMap::default();
    for entry in loops.iter_mut() {
        let base = if entry.line > 0 {
            format!("{}:{}:{}", entry.file_name(), entry.function, entry.line)
        } else {
            entry.function.clone()
        };
        let count = seen.entry(base.clone()).or_insert(0);
        *count += 1;
        entry.id = if *count == 1 { base } else { format!("{base}#{count}") };
    }
}
