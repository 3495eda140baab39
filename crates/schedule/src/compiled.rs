//! Whether the loop that ran is the loop of the text.
//!
//! Optimising compilers take statements out of loops (a copy becomes one call of memcpy before the loop), keep in registers what the
//! iteration before has stored, compute the values of whole recurrences at once, and exchange loops with the lines they stand on. What
//! is left may be parallel where the loop of the text is not. All of them leave a trace: an access that the text makes in every
//! iteration is missing, or moves with another loop than by its subscripts.
//!
//! Counted are accesses of the text that run in every iteration and move with it, to arrays that the compiler cannot hold in
//! registers; each distinct one has to have an instruction of its own among those inside the compiled loop that move.
//!
//! Limits: counts are compared, not single accesses: what is missing can hide behind accesses that the text does not show
//! (functions that are put in the place of a call, unrolled code).

use std::hash::Hash;

use profile::lens::{AccessMode, Array, ArrayAccess, Call, Home, Language, Position, SourceLoop};
use profile::{
    ContextIndex, ContextKind, Dependence, Kind, LocationIndex, ObjectIndex, ObjectKind, Operation, Profile,
    StatementIndex,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{Facts, Role, mentions};
use crate::graph::{self, LoopEdges};
use crate::names::short_name;
use crate::numbers::bytes;
use crate::scev::is_fixed;

/// Indexes of all accesses and statements.
#[derive(Debug, Default)]
pub struct Accesses {
    by_context: FxHashMap<ContextIndex, Vec<u32>>,
    statements: FxHashMap<ContextIndex, Vec<StatementIndex>>,
    children: FxHashMap<ContextIndex, Vec<ContextIndex>>,
    /// Dependences through memory between statements of one context, within an iteration of it.
    within: FxHashMap<ContextIndex, Vec<u32>>,
}

/// What the compiled loop lacks: the array, and the line of the access in the text.
pub type Missing<'a> = (&'a str, u32);

impl Accesses {
    /// Sorts the accesses of a profile by their contexts.
    pub fn new(profile: &Profile) -> Accesses {
        let mut out = Accesses::default();
        for (index, access) in profile.accesses.iter().enumerate() {
            let context = profile.context_of(access.statement);
            out.by_context.entry(context).or_default().push(index as u32);
        }
        for statement in 0..profile.statements.len() as StatementIndex {
            out.statements.entry(profile.context_of(statement)).or_default().push(statement);
        }
        for (index, d) in profile.dependences.iter().enumerate().filter(|(_, d)| d.memory) {
            let context = profile.context_of(d.source);
            let is_met = |d: &Dependence| d.levels.iter().any(|l| l.level == d.common && l.count > 0);
            if context == profile.context_of(d.sink) && is_met(d) {
                out.within.entry(context).or_default().push(index as u32);
            }
        }
        for (index, context) in profile.contexts.iter().enumerate().skip(1) {
            out.children.entry(context.parent).or_default().push(index as ContextIndex);
        }
        out
    }

    /// The accesses of a context itself.
    pub fn of<'p>(
        &self,
        profile: &'p Profile,
        context: ContextIndex,
    ) -> impl Iterator<Item = &'p profile::Access> {
        let own = self.by_context.get(&context).into_iter().flatten();
        own.map(|&access| &profile.accesses[access as usize])
    }

    /// The statements of a context itself.
    pub fn statements<'p>(
        &self,
        profile: &'p Profile,
        context: ContextIndex,
    ) -> impl Iterator<Item = &'p profile::Statement> {
        let own = self.statements.get(&context).into_iter().flatten();
        own.map(|&statement| &profile.statements[statement as usize])
    }

    /// The lines of the calls inside a loop.
    fn called(&self, profile: &Profile, context: ContextIndex) -> Vec<u32> {
        let mut out = Vec::new();
        let mut open = vec![context];
        while let Some(context) = open.pop() {
            if let ContextKind::Call { site, .. } = profile.contexts[context as usize].kind {
                out.push(profile.location(site).line);
            }
            open.extend(self.children.get(&context).into_iter().flatten());
        }
        out
    }

    /// The accesses inside a loop.
    fn inside<'p>(&self, profile: &'p Profile, context: ContextIndex) -> Vec<&'p profile::Access> {
        let mut out = Vec::new();
        let mut open = vec![context];
        while let Some(context) = open.pop() {
            out.extend(self.of(profile, context));
            open.extend(self.children.get(&context).into_iter().flatten());
        }
        out
    }
}

/// The accesses of a compiled loop that move with it or with loops inside.
struct Moving<'p> {
    loads: Vec<&'p profile::Access>,
    stores: Vec<&'p profile::Access>,
}

/// An access that a text makes in every iteration, if the compiled loop has too few for all of them.
pub fn missing<'a>(
    profile: &Profile,
    context: ContextIndex,
    accesses: &Accesses,
    facts: &Facts<'a>,
) -> Option<Missing<'a>> {
    let dim = graph::dimension(profile, context);
    let mut own = accesses.inside(profile, context);
    // A call stores where to return to.
    own.retain(|access| {
        profile.statements[access.statement as usize].operation != Operation::Control || !access.write
    });
    let mut lines: FxHashSet<u32> =
        own.iter().map(|access| profile.location_of(access.statement).line).collect();
    // What is left of a line may be a computation alone.
    let all = facts.source.arrays.iter().flat_map(|array| &array.accesses);
    if all.into_iter().any(|access| access.depth > 0 && !lines.contains(&access.at.line)) {
        let inside = graph::inside(profile, &[context]);
        let ran = (0..profile.statements.len() as StatementIndex)
            .filter(|&statement| inside.contains(&profile.context_of(statement)));
        lines.extend(ran.map(|statement| profile.location_of(statement).line));
    }
    let stores: Vec<&profile::Access> = own.iter().copied().filter(|access| access.write).collect();
    // What data choose may be the same every time in this run.
    let arrays = facts.source.arrays.iter().flat_map(|array| &array.accesses);
    let chosen: FxHashSet<u32> =
        arrays.filter(|access| facts.depends(access)).map(|access| access.at.line).collect();
    let mut moving = Moving { loads: Vec::new(), stores: Vec::new() };
    for access in own {
        // Addresses that were not recorded may move.
        let is_fixed = !access.address.is_empty()
            && is_fixed(&access.address, dim)
            && !chosen.contains(&profile.location_of(access.statement).line);
        match (is_fixed, access.write) {
            (false, true) => moving.stores.push(access),
            (false, false) => moving.loads.push(access),
            (true, _) => {}
        }
    }
    let mut text = Text::of(facts, &lines);
    let outside = Outside { profile, context, accesses, own: &moving };
    text.writes.retain(|(array, access)| !outside.has_taken(facts, array, access));
    let compiled = compiled_inside(profile, context, accesses, facts);
    emptied(profile, context, accesses, facts, &compiled)
        .or_else(|| merged(profile, context, accesses, facts, &compiled))
        .or_else(|| outside.has_sunk(facts, &stores))
        .or_else(|| text.lost(profile, context, accesses, &stores))
        .or_else(|| text.too_few_stores(&moving))
        .or_else(|| text.too_few_loads(facts, &moving))
        .or_else(|| text.exchanged(profile, context, facts, &stores))
}

/// What the text of the loop, or of one inside it, writes in every iteration, where the compiled loop stores nothing: that was put down
/// beside it, or by another loop with which it has changed places.
fn emptied<'a>(
    profile: &Profile,
    context: ContextIndex,
    accesses: &Accesses,
    facts: &Facts<'a>,
    compiled: &[(ContextIndex, &'a SourceLoop)],
) -> Option<Missing<'a>> {
    let of_text = || std::iter::once(facts.source).chain(facts.inner_loops());
    for text in of_text() {
        let is_outer = |array: &&Array| array.home != Home::InBody && !(array.fixed && array.home.is_local());
        let of_arrays = text.arrays.iter().filter(is_outer).find_map(|array| {
            let is_write = |access: &&ArrayAccess| access.mode == AccessMode::Write && !access.conditional;
            array.accesses.iter().find(is_write).map(|access| (array.name.as_str(), access.at.line))
        });
        let is_writing = |call: &&Call| !call.conditional && !call.places.is_empty();
        let of_calls = || text.calls.iter().find(is_writing).map(|call| (call.callee.as_str(), call.at.line));
        let Some(found) = of_arrays.or_else(of_calls) else { continue };
        let stores = |own: ContextIndex| accesses.inside(profile, own).iter().any(|access| access.write);
        let mut own = compiled.iter().filter(|(_, inner)| std::ptr::eq(*inner, text)).peekable();
        // A loop of which nothing is left is a part of the one around it.
        let is_kept =
            if own.peek().is_some() { own.all(|(inner, _)| stores(*inner)) } else { stores(context) };
        if !is_kept {
            return Some(found);
        }
    }
    None
}

/// What the text of a loop inside writes, in places that the loop's own iterator has no part in, where that loop has been written out or
/// is gone: iterations that write the same places then leave only what the last one wrote. `is_met` says whether the run shows iterations that
/// meet, on a line or in a function that it calls.
pub fn unrolled<'a>(
    profile: &Profile,
    context: ContextIndex,
    accesses: &Accesses,
    facts: &Facts<'a>,
    is_met: &dyn Fn(u32, Option<&str>) -> bool,
) -> Option<Missing<'a>> {
    let own: Vec<&str> = facts.source.iterators.iter().map(|own| own.name.as_str()).collect();
    if own.is_empty() {
        return None;
    }
    let compiled = compiled_inside(profile, context, accesses, facts);
    let is_gone = |inner: &&SourceLoop| !compiled.iter().any(|(_, text)| std::ptr::eq(*text, *inner));
    let gone: Vec<&SourceLoop> = facts.inner_loops().filter(is_gone).collect();
    let is_inside = |at: &Position| {
        let at = (at.line, at.column);
        gone.iter().any(|own| (own.at.line, own.at.column) < at && at <= (own.end.line, own.end.column))
    };
    let outer = || facts.source.arrays.iter().filter(|array| array.home != Home::InBody);
    let writes = outer().flat_map(|array| array.accesses.iter().map(move |access| (array, access)));
    let mut writes = writes.filter(|(_, access)| access.mode == AccessMode::Write && is_inside(&access.at));
    let of_arrays = writes.find(|(array, access)| {
        let mut texts = access.subscripts.iter().chain([&array.name]);
        let names_own = texts.any(|text| own.iter().any(|name| mentions(text, name)));
        !names_own && !is_met(access.at.line, None)
    });
    let is_private = |name: &String| {
        let arrays = facts.source.arrays.iter().filter(|array| array.home == Home::InBody);
        arrays.into_iter().any(|array| array.name == *name)
    };
    let repeats = |call: &&Call| {
        let mut places = call.places.iter().filter(|names| !names.iter().any(is_private));
        is_inside(&call.at) && places.any(|names| !names.iter().any(|name| own.contains(&name.as_str())))
    };
    let of_calls = || {
        let mut calls = facts.source.calls.iter().filter(repeats);
        calls.find(|call| !is_met(call.at.line, Some(short_name(&call.callee))))
    };
    of_arrays
        .map(|(array, access)| (array.name.as_str(), access.at.line))
        .or_else(|| of_calls().map(|call| (call.callee.as_str(), call.at.line)))
}

/// The compiled loops inside a loop, and itself, that are of loops of its text, each with that.
fn compiled_inside<'a>(
    profile: &Profile,
    context: ContextIndex,
    accesses: &Accesses,
    facts: &Facts<'a>,
) -> Vec<(ContextIndex, &'a SourceLoop)> {
    let place = |context: ContextIndex| profile.location(profile.contexts[context as usize].location);
    let mut out = vec![(context, facts.source)];
    let mut open = vec![context];
    while let Some(own) = open.pop() {
        let inner = accesses.children.get(&own).into_iter().flatten().copied();
        open.extend(inner.filter(|&inner| profile.contexts[inner as usize].kind == ContextKind::Loop));
        let at = place(own);
        // One that never repeats is none.
        let is_loop = profile.contexts[own as usize].iterations > profile.contexts[own as usize].entries;
        if own != context && is_loop && at.file == place(context).file {
            out.extend(facts.inner(at.line, at.column).map(|text| (own, text)));
        }
    }
    out
}

/// A compiled loop of a loop inside that also advances the loop itself, or that stands around it: its iterations are those of both. What
/// the loop's own iterations hand on is among what those of the inner one do.
fn merged<'a>(
    profile: &Profile,
    context: ContextIndex,
    accesses: &Accesses,
    facts: &Facts<'a>,
    compiled: &[(ContextIndex, &'a SourceLoop)],
) -> Option<Missing<'a>> {
    let header = facts.source.at.line..=facts.source.header_last_line;
    let function = profile.contexts[context as usize].function;
    let own = &profile.contexts[context as usize];
    let mut around = own.parent;
    while let Some(outer) = profile.contexts.get(around as usize).filter(|own| own.kind == ContextKind::Loop)
    {
        let at = profile.location(outer.location);
        let is_here = at.file == profile.location(own.location).file && outer.function == function;
        if let Some(text) =
            facts.inner(at.line, at.column).filter(|_| is_here && outer.iterations > outer.entries)
        {
            return Some((text.arrays.first().map_or("", |array| array.name.as_str()), text.at.line));
        }
        around = outer.parent;
    }
    compiled.iter().skip(1).find_map(|(inner, text)| {
        let own = &profile.contexts[*inner as usize];
        if own.function != function || header.contains(&text.at.line) {
            return None;
        }
        let name = || text.arrays.first().map_or("", |array| array.name.as_str());
        let advances = |statement: &StatementIndex| {
            let statement = &profile.statements[*statement as usize];
            let place = profile.location(statement.location);
            statement.addend.is_some()
                && header.contains(&place.line)
                && place.file == profile.location(own.location).file
        };
        let statements = accesses.statements.get(inner).into_iter().flatten();
        statements.into_iter().any(advances).then(|| (name(), text.at.line))
    })
}

/// Line and column.
type Place = (u32, u32);

/// The instructions that make each access of a text, by address: per place, and whether it stores.
#[derive(Debug)]
pub struct Copies<P>(FxHashMap<(P, bool), Vec<(u64, StatementIndex)>>);

impl<P: Eq + Hash + Copy> Copies<P> {
    /// Those of some accesses, where they are at places that count.
    pub fn new<'p>(
        profile: &Profile,
        accesses: impl Iterator<Item = &'p profile::Access>,
        place: &impl Fn(StatementIndex) -> Option<P>,
    ) -> Copies<P> {
        let mut copies = Copies(FxHashMap::default());
        for access in accesses {
            if let Some(place) = place(access.statement) {
                let pc = profile.statements[access.statement as usize].pc;
                copies.0.entry((place, access.write)).or_default().push((pc, access.statement));
            }
        }
        for of in copies.0.values_mut() {
            of.sort_unstable();
            of.dedup();
        }
        copies
    }

    /// Which of the copies of an access a statement is, and how many there are.
    pub fn number(&self, place: P, statement: StatementIndex, is_write: bool) -> Option<(usize, usize)> {
        let of = self.0.get(&(place, is_write))?;
        Some((of.iter().position(|own| own.1 == statement)?, of.len()))
    }

    /// The accesses: place, whether it stores, and how many copies there are.
    pub fn counts(&self) -> impl Iterator<Item = (P, bool, usize)> {
        self.0.iter().map(|(&(place, is_write), of)| (place, is_write, of.len()))
    }
}

/// Where in the loop's own text, outside of loops inside, a statement of the loop itself stands.
fn own_place(
    profile: &Profile,
    context: ContextIndex,
    facts: &Facts<'_>,
    statement: StatementIndex,
) -> Option<Place> {
    let own = profile.location(profile.contexts.get(context as usize)?.location);
    let place = profile.location_of(statement);
    let is_own = profile.context_of(statement) == context
        && (&place.file, &place.function) == (&own.file, &own.function)
        && place.column > 0
        && facts.is_own_line(place.line);
    is_own.then_some((place.line, place.column))
}

/// A dependence of one iteration of a compiled loop that is one between iterations of the text: compilers write several iterations out as
/// one, and then the body has each of its accesses as many times, in the order of the iterations. Where the same accesses depend on each
/// other between iterations of the compiled loop too, they are judged by that. Which elements meet where subscripts say all is known
/// without a run.
pub fn between_copies<'p>(
    profile: &'p Profile,
    context: ContextIndex,
    accesses: &Accesses,
    inside: &LoopEdges,
    facts: &Facts<'_>,
) -> Option<&'p Dependence> {
    let place = |statement: StatementIndex| {
        own_place(profile, context, facts, statement).filter(|place| !facts.says_elements_on(place.0))
    };
    let dim = graph::dimension(profile, context);
    // What stays is the stack.
    let moves = |access: &profile::Access| access.address.is_empty() || !is_fixed(&access.address, dim);
    let copies = Copies::new(profile, accesses.of(profile, context).filter(|access| moves(access)), &place);
    // Place and number of a copy, and how many there are.
    let copy = |statement: StatementIndex, is_write: bool| {
        let place = place(statement)?;
        let (number, all) = copies.number(place, statement, is_write)?;
        Some((place, number, all))
    };
    let ends =
        |d: &Dependence| Some((copy(d.source, d.kind != Kind::Anti)?, copy(d.sink, d.kind != Kind::Flow)?));
    let dependences =
        || inside.edges.iter().map(|edge| (edge, &profile.dependences[edge.dependence as usize]));
    let memory = || dependences().filter(|(_, d)| d.memory);
    let carried: FxHashSet<_> = memory()
        .filter(|(edge, _)| edge.carried)
        .filter_map(|(_, d)| ends(d).map(|(source, sink)| (d.kind, source.0, sink.0)))
        .collect();
    let is_between = |d: &Dependence| {
        ends(d).is_some_and(|(source, sink)| {
            source.2 == sink.2 && source.1 != sink.1 && !carried.contains(&(d.kind, source.0, sink.0))
        })
    };
    // Those without instances follow from others.
    let is_met =
        |d: &Dependence| d.levels.iter().any(|level| usize::from(level.level) > dim && level.count > 0);
    // A block that a function moves at once is stored in parts that overlap.
    let is_fortran = matches!(facts.language, Language::Fortran | Language::FixedFortran);
    let is_whole = |d: &Dependence| {
        d.kind != Kind::Output || is_fortran || !facts.calls_on(profile.location_of(d.source).line)
    };
    memory().find(|(edge, d)| !edge.carried && is_whole(d) && is_met(d) && is_between(d)).map(|(_, d)| d)
}

/// A value that an iteration of a compiled loop stores and then loads at a place that stands before in the text, where each runs once an
/// iteration: it is another iteration of the text that has it.
pub fn handed_back<'p>(
    profile: &'p Profile,
    context: ContextIndex,
    inside: &LoopEdges,
    facts: &Facts<'_>,
) -> Option<&'p Dependence> {
    let dim = graph::dimension(profile, context);
    let place = |statement: StatementIndex| {
        own_place(profile, context, facts, statement).filter(|place| !facts.is_header(place.0))
    };
    // What compilers put aside and load again is of any place.
    let is_aside = |d: &Dependence| {
        let mut objects = d.levels.iter().flat_map(|level| &level.objects).peekable();
        let access = d.source_access.and_then(|access| profile.accesses.get(access as usize));
        let is_unnamed = |object: ObjectIndex| {
            profile.objects.get(object as usize).is_none_or(|object| object.kind == ObjectKind::Frame)
        };
        match objects.peek() {
            Some(_) => objects.any(|used| is_unnamed(used.object)),
            None => access.is_none_or(|access| is_fixed(&access.address, dim)),
        }
    };
    let is_met = |d: &Dependence| d.levels.iter().any(|level| level.level == d.common && level.count > 0);
    let is_back =
        |d: &Dependence| place(d.source).zip(place(d.sink)).is_some_and(|(source, sink)| sink < source);
    let all = inside.edges.iter().filter(|edge| edge.within);
    let mut all = all.map(|edge| &profile.dependences[edge.dependence as usize]);
    all.find(|d| d.memory && d.kind == Kind::Flow && is_back(d) && is_met(d) && !is_aside(d))
}

/// Whether a loop that only writes an array makes each of these stores by itself, once in every iteration of the text: then the run has
/// shown which iterations meet there.
pub fn makes_every_store(
    profile: &Profile,
    context: ContextIndex,
    accesses: &Accesses,
    facts: &Facts<'_>,
    array: &Array,
) -> bool {
    if !array.accesses.iter().all(|access| access.mode == AccessMode::Write && !access.conditional) {
        return false;
    }
    let lines: FxHashSet<u32> = array.accesses.iter().map(|access| access.at.line).collect();
    let of_text = facts.source.arrays.iter().flat_map(|array| &array.accesses);
    let written = of_text.filter(|own| own.mode != AccessMode::Read && lines.contains(&own.at.line)).count();
    let dim = graph::dimension(profile, context);
    let stored = accesses
        .of(profile, context)
        .filter(|access| access.write && access.size <= 8 && !is_fixed(&access.address, dim))
        .filter(|access| lines.contains(&profile.location_of(access.statement).line))
        .fold(0u64, |sum, access| sum.saturating_add(access.executions));
    stored > 0 && profile.contexts[context as usize].rounds().checked_mul(written as u64) == Some(stored)
}

/// A dependence between iterations that the compiler has put beside a loop, one after the other: each access of the text is there as many
/// times, in their order. What is only combined does not count where the loop `reduces`.
pub fn between_iterations_beside<'p>(
    profile: &'p Profile,
    context: ContextIndex,
    accesses: &Accesses,
    facts: &Facts<'_>,
    reduces: bool,
) -> Option<&'p Dependence> {
    let own = profile.contexts.get(context as usize)?;
    let at = profile.location(own.location);
    let place = |statement: StatementIndex| {
        let place = profile.location_of(statement);
        let is_of_body = (&place.file, &place.function) == (&at.file, &at.function)
            && place.column > 0
            && facts.is_own_line(place.line)
            && !facts.is_header(place.line);
        is_of_body.then_some((place.line, place.column))
    };
    let copies = Copies::new(profile, accesses.of(profile, own.parent), &place);
    // Which of the iterations an end is of, and how many there are.
    let copy =
        |statement: StatementIndex, is_write: bool| copies.number(place(statement)?, statement, is_write);
    let within = accesses.within.get(&own.parent).into_iter().flatten();
    // What the compiler puts aside, and loads again, is of no iteration: it stays where it is while the loop around goes on. (Arrays
    // without a place of their own are looked for by themselves.)
    let dim = graph::dimension(profile, own.parent);
    let is_in_loop =
        profile.contexts.get(own.parent as usize).is_some_and(|own| own.kind == ContextKind::Loop);
    let is_aside = |d: &&Dependence| {
        let stays = |access: Option<u32>| {
            access
                .and_then(|access| profile.accesses.get(access as usize))
                .is_some_and(|own| own.size <= 8 && !own.address.is_empty() && is_fixed(&own.address, dim))
        };
        is_in_loop && [d.source_access, d.sink_access].into_iter().all(stays)
    };
    let mut all = within.map(|&index| &profile.dependences[index as usize]).filter(|d| !is_aside(d));
    all.find(|d| {
        let ends = copy(d.source, d.kind != Kind::Anti).zip(copy(d.sink, d.kind != Kind::Flow));
        ends.is_some_and(|(source, sink)| source.1 == sink.1 && source.0 != sink.0)
            && !(reduces && facts.are_combined([d.source, d.sink].map(|s| profile.location_of(s).line)))
    })
}

/// A dependence between an iteration that the compiler has put beside a loop, where it makes a call of the loop's text, and those in the
/// loop. What lies on the stacks of the functions called is theirs alone, and what `is_judged` already, by how the iterations in the
/// loop use it, is left out unless a value is handed on.
pub fn between_calls_beside<'p>(
    profile: &'p Profile,
    context: ContextIndex,
    accesses: &Accesses,
    facts: &Facts<'_>,
    is_judged: &dyn Fn(ObjectIndex) -> bool,
) -> Option<&'p Dependence> {
    let own = profile.contexts.get(context as usize)?;
    let at = profile.location(own.location);
    let (first, last) = facts.source.body;
    let is_of_body = |site: LocationIndex| {
        let place = profile.location(site);
        let here = (place.line, place.column);
        (&place.file, &place.function) == (&at.file, &at.function)
            && place.column > 0
            && ((first.line, first.column)..=(last.line, last.column)).contains(&here)
            && facts.calls_on(place.line)
    };
    let calls = |parent: ContextIndex| accesses.children.get(&parent).into_iter().flatten().copied();
    let mut beside: Vec<ContextIndex> = calls(own.parent)
        .filter(|&call| match profile.contexts[call as usize].kind {
            ContextKind::Call { site, .. } => is_of_body(site),
            _ => false,
        })
        .collect();
    // A call at the end of the function may be a jump: it then stands where the function itself was called.
    let around = &profile.contexts[own.parent as usize];
    if matches!(around.kind, ContextKind::Call { .. }) {
        let is_called = |callee: u32| {
            let name = profile.functions.get(callee as usize).map_or("", |function| &function.name);
            // Copies for some arguments have a suffix.
            let name = short_name(name).split('.').next().unwrap_or_default();
            facts.source.calls.iter().any(|call| short_name(&call.callee) == name)
        };
        beside.extend(calls(around.parent).filter(|&call| {
            let own = &profile.contexts[call as usize];
            matches!(own.kind, ContextKind::Call { callee, .. } if own.at == around.at && callee != around.function && is_called(callee))
        }));
    }
    if beside.is_empty() {
        return None;
    }
    let function = profile.functions.get(own.function as usize).map(|function| function.entry);
    let is_reachable = |object: ObjectIndex| {
        let Some(object) = profile.objects.get(object as usize) else { return true };
        match object.owner.zip(function) {
            Some(((from, to), entry)) => (from..to).contains(&entry),
            None => object.kind != ObjectKind::Frame,
        }
    };
    let is_beside = |end| profile.chain(profile.context_of(end)).any(|around| beside.contains(&around));
    let is_in_loop = |end| graph::is_inside(profile, end, context);
    // What the dynamic linker does when a function is called first is none of the call's.
    let binds = |end| graph::is_of_loader(profile, profile.context_of(end));
    let mut all = profile.dependences.iter().filter(|d| d.memory && !(binds(d.source) && binds(d.sink)));
    all.find(|d| {
        let joins = is_beside(d.source) && is_in_loop(d.sink) || is_in_loop(d.source) && is_beside(d.sink);
        let mut objects = d.levels.iter().flat_map(|level| &level.objects).map(|used| used.object);
        let matters = |object| is_reachable(object) && (d.kind == Kind::Flow || !is_judged(object));
        joins && (d.levels.iter().all(|level| level.objects.is_empty()) || objects.any(matters))
    })
}

/// Number of elements that an array moves on by in one iteration of a compiled loop, at most: vectors and unrolled bodies make several
/// iterations of the source one, and leave up to as many to code beside the loop.
pub fn elements_in_one(
    profile: &Profile,
    context: ContextIndex,
    accesses: &Accesses,
    facts: &Facts<'_>,
) -> u64 {
    let dim = graph::dimension(profile, context);
    let own = accesses.by_context.get(&context).into_iter().flatten();
    let own = own.map(|&access| &profile.accesses[access as usize]);
    let step = |access: &profile::Access| {
        let pieces = access.address.iter().flat_map(|folded| &folded.pieces);
        let steps = pieces.filter_map(|piece| piece.label(0)?.coefficients.get(dim)?.known());
        steps.map(|step| step.unsigned_abs()).max()
    };
    let sizes: Option<Vec<u32>> = facts.source.arrays.iter().map(|array| bytes(&array.type_text)).collect();
    let least = sizes.and_then(|sizes| sizes.into_iter().min()).unwrap_or(1);
    let size = |access: &profile::Access| {
        u64::from(if access.size > 8 { least } else { access.size.min(least).max(1) })
    };
    own.filter_map(|access| Some(step(access)? / size(access))).max().unwrap_or(1).max(1)
}

/// Whether code beside a compiled loop makes accesses of its text: iterations without a loop of their own.
pub fn has_rest(profile: &Profile, context: ContextIndex, accesses: &Accesses, facts: &Facts<'_>) -> bool {
    let own = &profile.contexts[context as usize];
    let at = profile.location(own.location);
    let lines = facts.source.body.0.line..=facts.source.body.1.line;
    let beside = accesses.by_context.get(&own.parent).into_iter().flatten();
    beside.map(|&access| profile.location_of(profile.accesses[access as usize].statement)).any(|place| {
        lines.contains(&place.line) && (&place.file, &place.function) == (&at.file, &at.function)
    })
}

/// What stands around a compiled loop.
struct Outside<'p, 'a> {
    profile: &'p Profile,
    context: ContextIndex,
    accesses: &'a Accesses,
    /// The accesses of the loop itself.
    own: &'a Moving<'p>,
}

impl Outside<'_, '_> {
    /// Whether all that the text does with an array is to store on the line of one access, to another element in every iteration, and
    /// that was done before or after the loop (by memset, for example), where no dependence joins it to the loop: iterations hand on
    /// nothing there.
    fn has_taken(&self, facts: &Facts<'_>, array: &Array, access: &ArrayAccess) -> bool {
        let [only] = &array.accesses[..] else { return false };
        let line = access.at.line;
        let is_here = |one: &&profile::Access| self.profile.location_of(one.statement).line == line;
        if !std::ptr::eq(only, access)
            || access.mode != AccessMode::Write
            || facts.step_of(array, access) != Some(true)
            || self.own.stores.iter().any(is_here)
        {
            return false;
        }
        // What overwrites what is no dependence where it lies beside the loop: other stores have to go to other arrays by the text.
        let is_distinct = |other: &Array| {
            other.name == array.name
                || array.fixed && other.fixed
                || array.type_text.contains("restrict")
                || other.type_text.contains("restrict")
        };
        if !facts.source.arrays.iter().filter(|other| other.is_written()).all(is_distinct) {
            return false;
        }
        let stores = self.stores_on(line);
        let is_outside = |end: StatementIndex| stores.contains(&end);
        let is_inside = |end: StatementIndex| graph::is_inside(self.profile, end, self.context);
        let meets = |d: &Dependence| {
            is_outside(d.source) && is_inside(d.sink) || is_inside(d.source) && is_outside(d.sink)
        };
        let gap = self.profile.contexts[self.context as usize].gap;
        !stores.is_empty() && gap.is_none() && !self.profile.dependences.iter().any(|d| d.memory && meets(d))
    }

    /// An array that the text writes in the loop, or a call that does, where on its line something is stored beside the loop and nothing in
    /// it: only what the last iteration had left was put down, or the compiler has made another loop of that part of the body.
    fn has_sunk<'t>(&self, facts: &Facts<'t>, stores: &[&profile::Access]) -> Option<Missing<'t>> {
        let places = || stores.iter().map(|store| self.profile.location_of(store.statement));
        let mut known: FxHashSet<u32> = places().map(|place| place.line).collect();
        known.extend(self.accesses.called(self.profile, self.context));
        let arrays = facts.source.arrays.iter().filter(|array| array.home != Home::InBody);
        let writes = arrays.flat_map(|array| array.accesses.iter().map(move |access| (array, access)));
        let is_write = |access: &ArrayAccess| access.mode == AccessMode::Write;
        let mut writes = writes.filter(|(_, access)| is_write(access));
        let is_beside = |line: u32| !known.contains(&line) && !self.stores_on(line).is_empty();
        // Stores to members of one element, or to elements beside each other, may have been made one.
        let is_met =
            |array: &Array| array.accesses.iter().any(|own| is_write(own) && known.contains(&own.at.line));
        let of_arrays = writes.find(|(array, access)| {
            let line = access.at.line;
            is_beside(line)
                && !is_met(array)
                && !facts.calls_on(line)
                && !self.has_taken(facts, array, access)
        });
        let of_calls = || {
            let mut calls = facts.source.calls.iter().filter(|call| !call.places.is_empty());
            let stores_inside =
                |call: &Call| places().any(|place| short_name(&place.function) == short_name(&call.callee));
            calls.find(|call| is_beside(call.at.line) && !stores_inside(call))
        };
        // The one iteration that sets a variable which others may read by another name.
        let of_scalars = || {
            let shared = facts.scalars.iter().filter(|(_, role)| matches!(role, Role::Shared | Role::Flag));
            shared.into_iter().find_map(|(scalar, _)| {
                let mut set = scalar.definitions.iter().filter(|own| own.conditional);
                let found = set.find(|own| is_beside(own.at.line))?;
                Some((scalar.name.as_str(), found.at.line))
            })
        };
        of_arrays
            .map(|(array, access)| (array.name.as_str(), access.at.line))
            .or_else(|| of_calls().map(|call| (call.callee.as_str(), call.at.line)))
            .or_else(of_scalars)
    }

    /// Stores beside the loop that are of a line of its function, or of what is called there.
    fn stores_on(&self, line: u32) -> FxHashSet<StatementIndex> {
        let contexts = &self.profile.contexts;
        let around = contexts[self.context as usize].parent;
        let mut out = FxHashSet::default();
        let mut open = vec![around];
        while let Some(context) = open.pop() {
            let own = self.accesses.by_context.get(&context).into_iter().flatten();
            let own = own.map(|&access| &self.profile.accesses[access as usize]);
            let own = own.filter(|one| one.write && self.profile.location_of(one.statement).line == line);
            out.extend(own.map(|one| one.statement));
            let inner = self.accesses.children.get(&context).into_iter().flatten().copied();
            for context in inner.filter(|&context| context != self.context) {
                match contexts[context as usize].kind {
                    ContextKind::Loop => open.push(context),
                    ContextKind::Call { site, .. } if self.profile.location(site).line == line => {
                        let called = self.accesses.inside(self.profile, context);
                        out.extend(called.into_iter().filter(|one| one.write).map(|one| one.statement));
                    }
                    _ => {}
                }
            }
        }
        out
    }
}

/// Accesses of a text that run in every iteration, and move with it.
struct Text<'a> {
    reads: Vec<(&'a Array, &'a ArrayAccess)>,
    writes: Vec<(&'a Array, &'a ArrayAccess)>,
}

impl<'a> Text<'a> {
    /// `lines`: those on which something ran.
    fn of(facts: &Facts<'a>, lines: &FxHashSet<u32>) -> Text<'a> {
        let mut out = Text { reads: Vec::new(), writes: Vec::new() };
        for array in &facts.source.arrays {
            // What the compiler can take apart into registers, or need not make at all.
            let is_constant = array.type_text.contains("const") && array.fixed;
            if array.fixed && array.home.is_local() || array.home == Home::InBody || is_constant {
                continue;
            }
            for access in &array.accesses {
                let may_run = || lines.contains(&access.at.line) || facts.has_vanished(access, lines);
                let runs = !access.conditional || access.depth > 0 && may_run();
                // Rows of arrays are addresses.
                if !runs || access.subscripts.len() < array.dimensions {
                    continue;
                }
                let is_moving = facts.moves(array, access) && !is_array_of_element(facts, array, access);
                match access.mode {
                    AccessMode::Read if is_moving && !is_forwarded(array, access) => {
                        out.reads.push((array, access));
                    }
                    AccessMode::Write if is_moving => out.writes.push((array, access)),
                    AccessMode::Update(_) if is_moving => {
                        if !is_forwarded(array, access) {
                            out.reads.push((array, access));
                        }
                        out.writes.push((array, access));
                    }
                    _ => {}
                }
            }
        }
        out
    }

    /// An array that the text writes in every iteration, where on none of the lines that do so anything is stored or called: its elements
    /// are in registers, or were put down beside the loop.
    fn lost(
        &self,
        profile: &Profile,
        context: ContextIndex,
        accesses: &Accesses,
        stores: &[&profile::Access],
    ) -> Option<Missing<'a>> {
        let mut known: FxHashSet<u32> =
            stores.iter().map(|store| profile.location_of(store.statement).line).collect();
        // Instructions of no line may be of any.
        if known.contains(&0) {
            return None;
        }
        known.extend(accesses.called(profile, context));
        let is_stored = |name: &str| {
            let mut of = self.writes.iter().filter(|(array, _)| array.name == name);
            of.any(|(_, access)| known.contains(&access.at.line))
        };
        // Functions that were put in the place of their calls store on lines of their own.
        let is_of_text = |line: &u32| self.writes.iter().any(|(_, access)| access.at.line == *line);
        if !known.iter().all(is_of_text) {
            return None;
        }
        let lost = self.writes.iter().find(|(array, _)| !is_stored(&array.name));
        lost.map(|(array, access)| (array.name.as_str(), access.at.line))
    }

    fn too_few_stores(&self, moving: &Moving<'_>) -> Option<Missing<'a>> {
        let names: FxHashSet<&str> = self.writes.iter().map(|(array, _)| array.name.as_str()).collect();
        if names.len() <= moving.stores.len() && elements(&self.writes) <= lanes(&self.writes, &moving.stores)
        {
            return None;
        }
        self.writes.first().map(|(array, access)| (array.name.as_str(), access.at.line))
    }

    fn too_few_loads(&self, facts: &Facts<'_>, moving: &Moving<'_>) -> Option<Missing<'a>> {
        // Where a loop inside has been written out, elements that it alone chooses are single places, which are taken out of the loop only
        // if nothing in it writes them.
        let is_chosen_inside = |array: &Array, access: &ArrayAccess| {
            facts.step_of(array, access) == Some(false)
                && self.writes.iter().all(|(written, _)| written.name != array.name)
        };
        let moves = self.reads.iter().filter(|(array, access)| !is_chosen_inside(array, access));
        let names: FxHashSet<&str> = moves.map(|(array, _)| array.name.as_str()).collect();
        let first = || self.reads.first().map(|(array, access)| (array.name.as_str(), access.at.line));
        if names.len() > moving.loads.len() {
            return first();
        }
        // Elements of arrays that nobody writes meanwhile may be kept from one iteration to the next.
        if !meet(&moving.loads, &moving.stores) {
            return None;
        }
        if elements(&self.reads) > lanes(&self.reads, &moving.loads) { first() } else { None }
    }

    /// Whether a loop and one around or inside it have changed places: by its subscripts an element that the text writes stays from one
    /// iteration to the next, and what is stored on its line moves, or the other way round.
    fn exchanged(
        &self,
        profile: &Profile,
        context: ContextIndex,
        facts: &Facts<'a>,
        stores: &[&profile::Access],
    ) -> Option<Missing<'a>> {
        let dim = graph::dimension(profile, context);
        let is_here = |access: &profile::Access, line: u32| {
            let own = &profile.contexts[profile.context_of(access.statement) as usize];
            profile.location_of(access.statement).line == line
                && own.function == profile.contexts[context as usize].function
        };
        let differs = |(array, access): &&(&'a Array, &'a ArrayAccess)| {
            let line = access.at.line;
            let is_alone = || self.writes.iter().filter(|(_, other)| other.at.line == line).count() == 1;
            let Some(moves) = facts.step_of(array, access).filter(|_| is_alone()) else { return false };
            let mut here = stores.iter().filter(|store| is_here(store, line)).peekable();
            here.peek().is_some() && here.all(|store| steps(&store.address, dim) == Some(!moves))
        };
        self.writes.iter().find(differs).map(|(array, access)| (array.name.as_str(), access.at.line))
    }
}

/// Whether an address function moves with the coordinate `dim`, the others being equal, in all its pieces, or in none; `None` if that is
/// not known, or differs.
fn steps(address: &[fold::Folded], dim: usize) -> Option<bool> {
    let mut out = None;
    for folded in address {
        if folded.gave_up || folded.pieces.is_empty() {
            return None;
        }
        for piece in &folded.pieces {
            let moves = piece.label(0)?.coefficients.get(dim).map_or(Some(0), |c| c.known())? != 0;
            if out.is_some_and(|known| known != moves) {
                return None;
            }
            out = Some(moves);
        }
    }
    out
}

/// Number of elements that a text tells apart; members of one may be accessed together.
fn elements(of: &[(&Array, &ArrayAccess)]) -> usize {
    let all = of.iter().map(|(array, access)| (&array.name, access.element()));
    all.collect::<FxHashSet<_>>().len()
}

/// Number of elements of the text's arrays that instructions may access.
fn lanes(text: &[(&Array, &ArrayAccess)], of: &[&profile::Access]) -> usize {
    /// What one lane of a vector may be, where the type of elements is not known.
    const LANE: u32 = 4;
    let sizes: Option<Vec<u32>> = text.iter().map(|(array, _)| bytes(&array.type_text)).collect();
    let least = sizes.and_then(|sizes| sizes.into_iter().min());
    let of = of.iter().map(|access| match least {
        Some(least) => (access.size / least).max(1) as usize,
        None if access.size > 8 => (access.size / LANE) as usize,
        None => 1,
    });
    of.sum()
}

/// Whether what is read of an element is an array in it, of which elements are accessed: `a[i].b[k]`. Its address is that of the element;
/// if it is a pointer, that is one load that is not missed.
fn is_array_of_element(facts: &Facts<'_>, array: &Array, read: &ArrayAccess) -> bool {
    let member = read.member.rsplit(['.', '>']).next().unwrap_or_default();
    let is_inside = |other: &Array| {
        let rest = other.name.strip_prefix(&array.name).filter(|rest| rest.starts_with('['));
        rest.is_some_and(|rest| rest.rsplit(['.', '>']).next() == Some(member))
    };
    read.mode == AccessMode::Read && !member.is_empty() && facts.source.arrays.iter().any(is_inside)
}

/// Whether the text has written this very element before, in the same iteration: its value may be in a register.
fn is_forwarded(array: &Array, read: &ArrayAccess) -> bool {
    array.accesses.iter().any(|write| {
        matches!(write.mode, AccessMode::Write)
            && (write.at.line, write.at.column) <= (read.at.line, read.at.column)
            && write.member == read.member
            && write.element() == read.element()
    })
}

/// Whether some loads and some stores touch the same bytes; if their addresses are not known they may.
fn meet(loads: &[&profile::Access], stores: &[&profile::Access]) -> bool {
    loads.iter().any(|load| {
        stores.iter().any(|store| match (load.bytes(), store.bytes()) {
            (Some(a), Some(b)) => a.0 < b.1 && b.0 < a.1,
            _ => true,
        })
    })
}
