//! What the pieces that a compiler makes of one loop hand on to each other.
//!
//! A vector loop and the scalar code for the rest, or loops over parts of the iterations, run one after the other: each may be
//! parallel where the later one needs what the earlier one has stored. In the loop of the text other iterations did that.
//!
//! Two pieces that run through the same iterations (a loop of two statements made into two loops) hand on within an iteration where
//! both access the same element in the same one.

use profile::lens::{Array, Home, SourceLoop as SourceText};
use profile::{
    Access, ContextIndex, ContextKind, Dependence, Kind, ObjectIndex, ObjectKind, Profile, StatementIndex,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::Facts;
use crate::gaps;
use crate::graph::{dimension, is_on_frames, is_optimised};
use crate::names::short_name;
use crate::needs::Way;
use crate::scev::is_fixed;
use crate::source::SourceLoop;
use crate::verdict::{Blocking, Parallel, Unknown, Verdict};

/// The place of a loop context: its entry and its position among the contexts of that.
type Place = (usize, usize);

/// Lets dependences between pieces of loops that run one after the other block those loops.
pub(crate) fn join(profile: &Profile, loops: &mut [SourceLoop]) {
    let mut places: FxHashMap<ContextIndex, Place> = FxHashMap::default();
    for (at, entry) in loops.iter().enumerate().filter(|(_, entry)| !entry.recursive) {
        let optimised =
            entry.contexts.iter().enumerate().filter(|(_, context)| is_optimised(profile, **context));
        places.extend(optimised.map(|(piece, &context)| (context, (at, piece))));
    }
    // Where each context loads and stores.
    let mut made: FxHashSet<(ContextIndex, u32, bool)> = FxHashSet::default();
    for access in &profile.accesses {
        let statement = &profile.statements[access.statement as usize];
        made.insert((profile.context_of(access.statement), statement.location, access.write));
    }
    // An access before or after a loop is that of an iteration if the loop makes it too; others the compiler has taken out of all
    // iterations.
    let repeats = |context: ContextIndex, end: StatementIndex, access: Option<u32>| {
        let write = access.and_then(|access| profile.accesses.get(access as usize)).is_some_and(|a| a.write);
        made.contains(&(context, profile.statements[end as usize].location, write))
    };
    let stored = Stored::new(profile, &places);
    let mut beside: FxHashMap<ContextIndex, Vec<(Place, ContextIndex)>> = FxHashMap::default();
    for (&context, &place) in &places {
        beside.entry(profile.contexts[context as usize].parent).or_default().push((place, context));
    }
    beside.values_mut().for_each(|loops| loops.sort_unstable());
    let mut texts: FxHashMap<ContextIndex, Option<&SourceText>> = FxHashMap::default();
    let mut found: Vec<(Place, u32, usize)> = Vec::new();
    let mut open: Vec<(Place, u32)> = Vec::new();
    for (index, d) in profile.dependences.iter().enumerate().filter(|(_, d)| d.memory) {
        // What follows from addresses alone is about one loop.
        let level = d.levels.iter().position(|level| level.level == d.common && level.count > 0);
        let Some(level) = level else { continue };
        let piece = |end: StatementIndex| {
            let around = profile.loops_around(profile.context_of(end));
            around.get(usize::from(d.common)).copied()
        };
        let (source, sink) = (piece(d.source), piece(d.sink));
        let place = |context: Option<ContextIndex>| context.and_then(|context| places.get(&context)).copied();
        let mut is_rest = |loop_of: ContextIndex, end, is_moved| {
            is_rest(profile, &mut texts, loop_of, (d, level, end, is_moved))
        };
        let mut taken_out = |(at, piece): Place, end: StatementIndex| {
            if !is_put_aside(profile, d) && !is_dealt_with(profile, &loops[at], d, level) {
                open.push(((at, piece), end));
            }
        };
        let hit = match (place(source), place(sink), source, sink) {
            (Some(a), Some(b), Some(from), Some(to)) if a.0 == b.0 => {
                let are_pieces = are_siblings(profile, from, to) && !stored.are_alike(from, to);
                (are_pieces && !is_within(profile, d, from, to)).then_some(b)
            }
            // A loop inside, of an iteration that the compiler has put beside the others.
            (Some(a), Some(b), Some(from), Some(to)) => {
                for (place, loop_of, end) in [(a, from, d.sink), (b, to, d.source)] {
                    if is_rest(loop_of, end, true) {
                        taken_out(place, end);
                    }
                }
                None
            }
            // The rest without a loop, or in one that went round once.
            (Some(a), None, Some(from), _) => {
                let is_repeated = repeats(from, d.sink, d.sink_access);
                // The iteration that comes last may do what no other does: compilers put that behind the loop.
                if !is_repeated && (is_rest(from, d.sink, true) || is_called(profile, from, d.sink, true)) {
                    taken_out(a, d.sink);
                }
                (is_repeated && is_rest(from, d.sink, false)).then_some(a)
            }
            (None, Some(b), _, Some(to)) => {
                let is_repeated = repeats(to, d.source, d.source_access);
                let is_rest = is_rest(to, d.source, false);
                // What is stored for all iterations is stored behind them: an iteration stored this, under a condition perhaps.
                if !is_repeated
                    && d.kind == Kind::Flow
                    && (is_rest || is_called(profile, to, d.source, false))
                {
                    taken_out(b, d.source);
                }
                (is_repeated && is_rest).then_some(b)
            }
            // Between an iteration before the loop and one behind it.
            (None, None, None, None) => {
                let around = profile.context_of(d.source);
                let here = beside.get(&around).filter(|_| profile.context_of(d.sink) == around);
                for &(place, loop_of) in here.into_iter().flatten() {
                    let mut is_of_text = |end, is_moved| {
                        is_rest(loop_of, end, is_moved) || is_called(profile, loop_of, end, is_moved)
                    };
                    let special = [d.source, d.sink].map(|end| is_of_text(end, true));
                    let mut ends = [d.source, d.sink].into_iter().zip(special);
                    if special != [false, false]
                        && ends.all(|(end, is_special)| is_special || is_of_text(end, false))
                        && !is_one_element(profile, loop_of, d)
                    {
                        taken_out(place, d.sink);
                    }
                }
                None
            }
            _ => None,
        };
        let is_gap = |hit: &Place| {
            let context = loops[hit.0].contexts[hit.1];
            Facts::of(profile, context).is_some_and(|facts| gaps::is_gap(profile, context, &facts, d))
        };
        let hit = hit.filter(|hit| !is_dealt_with(profile, &loops[hit.0], d, level) && !is_gap(hit));
        if let Some(hit) = hit {
            found.push((hit, index as u32, level));
        }
    }
    for ((at, piece), dependence, level) in found {
        let entry = &mut loops[at];
        let object = profile.dependences[dependence as usize].levels[level].objects.first();
        let object = object.map(|used| used.object);
        block(&mut entry.verdicts[piece], Blocking { dependence, level, object });
        entry.parallel = Parallel::No;
    }
    for ((at, piece), source) in open {
        let entry = &mut loops[at];
        let line = profile.location_of(source).line;
        let facts = Facts::of(profile, entry.contexts[piece]);
        let name = facts.and_then(|facts| facts.accessed_on(line).or_else(|| facts.written()));
        let verdict = &mut entry.verdicts[piece];
        if !matches!(verdict.parallel, Parallel::No | Parallel::Unknown) {
            verdict.parallel = Parallel::Unknown;
            verdict.needs = None;
            verdict.unknown = Some(Unknown::Removed { name: name.unwrap_or_default().to_owned(), line });
            entry.parallel = entry.parallel.max(Parallel::Unknown);
        }
    }
}

/// A store: its place in the text, and the bytes from the first to the last.
type Store = (u32, (i64, i64));

/// What loops store at addresses that move.
struct Stored(FxHashMap<ContextIndex, FxHashSet<Store>>);

impl Stored {
    fn new(profile: &Profile, loops: &FxHashMap<ContextIndex, Place>) -> Stored {
        let mut out = Stored(FxHashMap::default());
        for access in profile.accesses.iter().filter(|access| access.write) {
            let context = profile.context_of(access.statement);
            let moves = || !is_fixed(&access.address, dimension(profile, context));
            if let Some(bytes) = access.bytes().filter(|_| loops.contains_key(&context) && moves()) {
                let location = profile.statements[access.statement as usize].location;
                out.0.entry(context).or_default().insert((location, bytes));
            }
        }
        out
    }

    /// Whether two loops store the same in the same places: they are one loop in two iterations of another one that has been written out,
    /// and what one leaves for the other that one hands on.
    fn are_alike(&self, one: ContextIndex, other: ContextIndex) -> bool {
        let of = |context| self.0.get(context).filter(|own| !own.is_empty());
        of(&one).zip(of(&other)).is_some_and(|(one, other)| one == other)
    }
}

/// A compiled loop that stands on a line of another loop's body, where the text has none, is a piece of that one: the compiler has made
/// several loops, one in another, of its iterations. What such a piece hands on, iterations of the source hand on.
pub(crate) fn claim(profile: &Profile, loops: &mut [SourceLoop]) {
    let facts = |entry: &SourceLoop| entry.contexts.first().and_then(|&context| Facts::of(profile, context));
    let is_lost = |entry: &SourceLoop| {
        entry.line > 0 && !entry.recursive && entry.parallel == Parallel::No && facts(entry).is_none()
    };
    let lost: Vec<(String, String, u32)> = loops
        .iter()
        .filter(|entry| is_lost(entry))
        .map(|entry| (entry.file.clone(), entry.function.clone(), entry.line))
        .collect();
    for entry in loops.iter_mut().filter(|entry| entry.parallel != Parallel::No) {
        let Some(facts) = facts(entry) else { continue };
        let is_piece = |(file, function, line): &&(String, String, u32)| {
            (file, function) == (&entry.file, &entry.function)
                && *line != entry.line
                && facts.is_own_line(*line)
        };
        let Some(&(.., line)) = lost.iter().find(is_piece) else { continue };
        let name = facts.accessed_on(line).or_else(|| facts.written()).unwrap_or_default().to_owned();
        for verdict in &mut entry.verdicts {
            verdict.parallel = Parallel::Unknown;
            verdict.needs = None;
            verdict.unknown = Some(Unknown::Removed { name: name.clone(), line });
        }
        entry.parallel = Parallel::Unknown;
    }
}

fn block(verdict: &mut Verdict, blocking: Blocking) {
    verdict.parallel = Parallel::No;
    verdict.needs = None;
    verdict.unknown = None;
    if !verdict.blocking.contains(&blocking) {
        verdict.blocking.push(blocking);
    }
}

/// Whether two loops stand beside each other in one function. Copies of a loop in the places of several calls are loops of their own.
fn are_siblings(profile: &Profile, one: ContextIndex, other: ContextIndex) -> bool {
    let around = |context: ContextIndex| {
        let own = &profile.contexts[context as usize];
        (own.parent, &own.inlined_at)
    };
    one != other && around(one) == around(other)
}

/// Whether an end of a dependence beside a loop is of that loop's text: iterations that the compiler has put before or
/// after it. Instructions behind a loop may keep the line of its last one, so the text has to do there, to the array
/// that the dependence passes through, what the end does; and what the loop itself does not do (`is_moved`) it has to do under a
/// condition, perhaps on another line.
fn is_rest<'p>(
    profile: &'p Profile,
    texts: &mut FxHashMap<ContextIndex, Option<&'p SourceText>>,
    context: ContextIndex,
    (d, level, statement, is_moved): (&Dependence, usize, StatementIndex, bool),
) -> bool {
    let own = &profile.contexts[context as usize];
    let beside = profile.context_of(statement);
    let is_beside = |inner: ContextIndex| {
        profile.contexts[inner as usize].kind == ContextKind::Loop && are_siblings(profile, context, inner)
    };
    let is_loop_beside = || profile.loops_around(beside).into_iter().any(is_beside);
    if beside != own.parent && !is_loop_beside() || own.is_unwound {
        return false;
    }
    let of_text = || Facts::of(profile, context).map(|facts| facts.source);
    let Some(text) = *texts.entry(context).or_insert_with(of_text) else { return false };
    let (place, at) = (profile.location_of(statement), profile.location(own.location));
    let body = text.body.0.line..=text.body.1.line;
    if place.file != at.file || place.function != at.function || !body.contains(&place.line) {
        return false;
    }
    let writes = match d.kind {
        Kind::Flow => statement == d.source,
        Kind::Anti => statement == d.sink,
        Kind::Output => true,
    };
    let objects =
        || d.levels[level].objects.iter().filter_map(|used| profile.objects.get(used.object as usize));
    if is_moved {
        // Where its condition does not hold an iteration does not do it.
        let does = |is_of: &dyn Fn(&Array) -> bool, is_anywhere: bool| {
            // What the body declares is each iteration's own, but what its pointers lead to.
            let is_own = |array: &Array| array.home == Home::InBody && array.fixed;
            let outer = text.arrays.iter().filter(|array| !is_own(array) && is_of(array));
            outer.flat_map(|array| &array.accesses).any(|own| {
                own.conditional && own.mode.may(writes) && (is_anywhere || own.at.line == place.line)
            })
        };
        let by_pointer = || {
            let pointed = text.scalars.iter().filter(|scalar| !scalar.is_own_storage());
            pointed.into_iter().any(|scalar| {
                let mut conditional = scalar.definitions.iter().filter(|own| own.conditional);
                conditional.any(|own| own.at.line == place.line)
                    || !writes && scalar.reads.contains(&place.line)
            })
        };
        let is_handed_over = || text.calls.iter().any(|call| call.conditional && call.at.line == place.line);
        let is_reached = || does(&|array| !array.fixed, false) || by_pointer() || is_handed_over();
        return (objects().next().is_some() || does(&|_| true, false) || is_reached())
            && objects().all(|object| {
                let is_global = object.kind == ObjectKind::Global;
                is_reached()
                    || object.kind != ObjectKind::Heap && does(&|own| own.name == object.name, is_global)
            });
    }
    objects().all(|object| {
        let mut known = text.arrays.iter().filter(|array| array.name == object.name).peekable();
        object.kind != ObjectKind::Global
            || known.peek().is_none()
            || known
                .flat_map(|array| &array.accesses)
                .any(|access| access.at.line == place.line && access.mode.may(writes))
    })
}

/// Where the stacks of threads begin that the kernel gives programs on this processor, at least.
const LEAST_STACK: i64 = 0x7ffc_0000_0000;

/// Whether a dependence is through a place of a stack that has no name and stays where it is: the compiler has put a register aside.
fn is_put_aside(profile: &Profile, d: &Dependence) -> bool {
    let stays = |access: Option<u32>| {
        let own = access.and_then(|access| profile.accesses.get(access as usize));
        own.and_then(|own| Some((own.bytes()?, i64::from(own.size))))
            .is_some_and(|((low, high), size)| low >= LEAST_STACK && high - low == size)
    };
    is_on_frames(profile, d) && stays(d.source_access) && stays(d.sink_access)
}

/// Whether both ends of a dependence are of one element by the text of a loop, so that they may be of one iteration.
fn is_one_element(profile: &Profile, context: ContextIndex, d: &Dependence) -> bool {
    let Some(text) = Facts::source(profile, context) else { return false };
    let elements = |end: StatementIndex, writes: bool| {
        let line = profile.location_of(end).line;
        let of = move |array: &Array| {
            let own = array.accesses.iter().filter(|own| own.at.line == line && own.mode.may(writes));
            own.map(|own| (array.name.clone(), own.element())).collect::<Vec<_>>()
        };
        text.arrays.iter().flat_map(of).collect::<FxHashSet<_>>()
    };
    let (source, sink) = (elements(d.source, d.kind != Kind::Anti), elements(d.sink, d.kind != Kind::Flow));
    !source.is_disjoint(&sink)
}

/// Whether a statement beside a loop is of a function that the loop calls, under a condition if `is_moved`, put in the place of a call.
fn is_called(profile: &Profile, context: ContextIndex, statement: StatementIndex, is_moved: bool) -> bool {
    let own = &profile.contexts[context as usize];
    let (place, at) = (profile.location_of(statement), profile.location(own.location));
    let is_called = |text: &SourceText| {
        let mut calls = text.calls.iter().filter(|call| call.conditional || !is_moved);
        calls.any(|call| short_name(&call.callee) == short_name(&place.function))
    };
    profile.context_of(statement) == own.parent
        && place.function != at.function
        && Facts::source(profile, context).is_some_and(is_called)
}

/// Whether two pieces run through the same iterations, and access the same element in the same one.
fn is_within(profile: &Profile, d: &Dependence, from: ContextIndex, to: ContextIndex) -> bool {
    let trips = |context: ContextIndex| {
        let own = &profile.contexts[context as usize];
        (own.rounds(), own.entries)
    };
    let address = |access: Option<u32>| {
        let access: &Access = profile.accesses.get(access? as usize)?;
        let [folded] = &access.address[..] else { return None };
        let [piece] = &folded.pieces[..] else { return None };
        Some((piece.label(0)?, access.size))
    };
    trips(from) == trips(to)
        && address(d.source_access).zip(address(d.sink_access)).is_some_and(|(a, b)| a == b)
}

/// Whether what pieces hand on is something that the loop's verdict replaces: a variable to be private, a reduction, a spilled register.
fn is_dealt_with(profile: &Profile, entry: &SourceLoop, d: &Dependence, level: usize) -> bool {
    let location = |s: StatementIndex| profile.statements[s as usize].location;
    // Iterations before or after a loop combine where it does.
    let is_reduced = |s: StatementIndex| {
        let members =
            entry.verdicts.iter().flat_map(|verdict| &verdict.reductions).flat_map(|r| &r.statements);
        members.into_iter().any(|&member| member == s || location(member) == location(s))
    };
    let facts = entry.contexts.first().and_then(|&context| Facts::of(profile, context));
    let lines = [d.source, d.sink].map(|s| profile.location_of(s).line);
    let is_combined = facts.is_some_and(|facts| facts.are_combined(lines) || facts.combines(lines));
    let is_counter =
        |s: StatementIndex| entry.verdicts.iter().any(|verdict| verdict.scevs.binary_search(&s).is_ok());
    let is_replaced = |object: ObjectIndex| {
        let needed = |verdict: &Verdict| {
            verdict.privatise.contains(&object)
                || verdict
                    .needs
                    .iter()
                    .flatten()
                    .any(|need| need.object == object && need.way != Way::Combine)
        };
        let is_frame =
            profile.objects.get(object as usize).is_some_and(|object| object.kind == ObjectKind::Frame);
        is_frame || entry.verdicts.iter().any(needed)
    };
    let objects = &d.levels[level].objects;
    // A value that is the same in all iterations of the loop may still be that of an iteration beside it.
    let is_counted = match d.kind {
        Kind::Output => is_counter(d.source) && is_counter(d.sink),
        Kind::Flow | Kind::Anti => d.induction().is_some_and(is_counter),
    };
    is_combined
        || is_reduced(d.source) && is_reduced(d.sink)
        || entry.parallel == Parallel::No
        || is_counted
        || !objects.is_empty() && objects.iter().all(|used| used.callee || is_replaced(used.object))
}
