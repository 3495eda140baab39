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
//! are added up in the order that they had. By the text, loops must not be left early, inner ones begin at what does not change and advance by a
//! number, and all that one part of an iteration passes to another lies in elements that move with the loop, or in plain variables; by
//! the run, inner loops ran every time, and as often in all iterations of the outer one.
//!
//! Limits: parts that share a line, arrays of an iteration's own, references, closures and functions that write more than their results are
//! refused, whatever they do.
//!
//! Whether it pays is estimated ([`crate::options::cost`]), statement by statement. Most published cases of it are in loops that a
//! compiler does not interchange, as rows are behind pointers or something stands beside the inner loop (Fabian Gruber et al.,
//! "Data-flow/dependence profiling for structured transformations", PPoPP 2019).

use profile::lens::{
    self, AccessMode, Array, ArrayAccess, Call, DefinitionKind, Home, Language, LoopKind, Position, Scalar,
    ScalarForm,
};
use profile::{ContextIndex, ContextKind, Kind, ObjectKind, Profile};

use super::distribution::runs_alike;
use crate::SourceLoop;
use crate::facts::{Facts, Role, mentions};
use crate::graph::{dimension, inside};
use crate::nest::stride;
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
const LEAST_TRIPS: f64 = 16.0;
/// Nor is moving past loops that compilers unroll completely: they make lanes of the loop around them themselves then.
const UNROLLED: f64 = 16.0;
/// How many times as long loops may be on other inputs than the profile's: those are kept small.
const LONGER: u32 = 8;
/// The estimate has to fall to this share.
const GAINS: f64 = 0.8;
/// No estimate is trusted beyond this share.
const LEAST_REMAINING: f64 = 0.1;
/// Iterations that elements of expanded variables are kept for at a time.
const TILE: i64 = 256;

/// A parallel loop that is worth making the innermost.
#[derive(Debug, Clone, PartialEq)]
pub struct Inward {
    /// The loop.
    pub of: usize,
    /// The loops inside it, in the order of the program: all come to stand around it.
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
        (self.cycles.1 / self.cycles.0).max(LEAST_REMAINING)
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
    let is_candidate = own.main
        && !own.recursive
        && !own.innermost
        && is_parallel
        && !own.differs_elsewhere
        && own.share >= LEAST_SHARE
        && own.mean_trips() >= LEAST_TRIPS;
    let [context] = own.contexts[..] else { return None };
    if !is_candidate || !profile.contexts[context as usize].is_whole() {
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
    // Every iteration runs every loop inside.
    let is_always_run = |&at: &usize| {
        let rounds = loops[at].parent.map_or(0, |outer| loops[outer].iterations);
        loops[at].contexts.len() == 1 && loops[at].entries == rounds
    };
    let outer = std::iter::once(own).chain(here.iter().map(|&at| &loops[at]).filter(|l| !l.innermost));
    let is_alike = outer.flat_map(|l| &l.contexts).all(|&context| runs_alike(profile, context));
    if !is_alike || !here.iter().all(is_always_run) || calls_libraries(profile, loops, &here) {
        return None;
    }
    // An array that iterations use one after the other is theirs as a whole.
    let is_scalar = |&object: &u32| {
        profile.objects.get(object as usize).is_some_and(|object| match object.kind {
            ObjectKind::Frame | ObjectKind::Register => true,
            ObjectKind::Stack => object.bytes == u64::from(object.element),
            _ => false,
        })
    };
    if !own.verdicts.iter().flat_map(|verdict| &verdict.privatise).all(is_scalar) {
        return None;
    }
    let leaf =
        here.iter().copied().filter(|&at| loops[at].innermost).max_by_key(|&at| loops[at].instructions)?;
    let way = std::iter::once(leaf).chain(around(loops, leaf)).take_while(|&at| at != of);
    if way.map(|at| loops[at].mean_trips()).product::<f64>() <= UNROLLED {
        return None;
    }
    let text = Body::of(profile, own, here.iter().map(|&at| &loops[at]))?;
    if !text.names_all_storage(profile, own, context) {
        return None;
    }
    let is_split = text.is_split();
    let waits = text.waits();
    let Body { expanded, .. } = text;
    let weigh =
        |growth: u32| weighed(profile, loops, own, (&here, is_split), &Machine { growth, ..*machine });
    let (cycles, near) = weigh(1)?;
    // Sums along rows of arrays have lanes where a directive allows that; where nothing moves, waiting for the last sum is what there is to gain.
    let is_near = |share: f64| share > 1.0 - 1e-6;
    if near.1 <= near.0 && !(is_near(near.0) && is_near(near.1) && waits) {
        return None;
    }
    let gains = |cycles: (f64, f64)| cycles.1 <= GAINS * cycles.0;
    let gains_later = || cycles.1 <= cycles.0 && weigh(LONGER).is_some_and(|(cycles, _)| gains(cycles));
    let is_worth = gains(cycles) || gains_later();
    is_worth.then_some(Inward { of, past: here, is_split, expanded, cycles, near })
}

/// Whether innermost loops call functions of libraries: those have no lanes.
fn calls_libraries(profile: &Profile, loops: &[SourceLoop], here: &[usize]) -> bool {
    let leaves =
        here.iter().filter(|&&at| loops[at].innermost).flat_map(|&at| loops[at].contexts.iter().copied());
    let all = inside(profile, &leaves.collect::<Vec<_>>());
    all.iter().any(|&context| match profile.contexts[context as usize].kind {
        ContextKind::Call { callee, .. } => {
            profile.functions.get(callee as usize).is_none_or(|function| !function.main)
        }
        _ => false,
    })
}

/// A part of the body of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    /// The innermost loop around it.
    inside: Option<usize>,
    /// Loops that end before it: what stands before one of them and what stands behind it are two parts.
    after: usize,
}

/// The text of a loop that can be taken apart: what stands in which part of it is known.
struct Body<'a> {
    text: Facts<'a>,
    inner: Vec<&'a lens::SourceLoop>,
    /// Variables that pass values from part to part.
    expanded: Vec<String>,
}

impl<'a> Body<'a> {
    /// `None` if anything is not understood.
    fn of<'b>(
        profile: &'a Profile,
        own: &SourceLoop,
        mut inner_loops: impl Iterator<Item = &'b SourceLoop>,
    ) -> Option<Body<'a>> {
        let context = *own.contexts.first()?;
        let text = Facts::of(profile, context)?;
        let inner: Vec<&lens::SourceLoop> = text.inner_loops().collect();
        let mut body = Body { text, inner, expanded: Vec::new() };
        let is_last = |(_, role): &(&Scalar, Role)| matches!(role, Role::Private { last: true });
        // What is inlined from another function cannot be taken apart where it is called.
        let is_here = |text: &Facts<'_>| body.inner.iter().any(|inner| std::ptr::eq(*inner, text.source));
        let is_fixed = |own: &SourceLoop| {
            let text = own.contexts.first().and_then(|&context| Facts::of(profile, context));
            text.is_some_and(|text| is_here(&text) && body.is_fixed(&text))
                && counts_alike(profile, own, dimension(profile, context))
        };
        // What a condition reads would have to be kept, and may be what is assigned under it.
        let is_conditional = |own: &&lens::SourceLoop| own.conditional;
        if !counts(&body.text)
            || body.text.scalars.iter().any(is_last)
            || !body.text.source.closures.is_empty()
            || body.inner.iter().any(is_conditional)
            || !inner_loops.all(is_fixed)
            || !body.has_lines_of_its_own()
            || !body.text.source.calls.iter().all(keeps_apart)
            || !body.text.source.arrays.iter().all(|array| body.is_of_iteration(array))
        {
            return None;
        }
        let mut expanded = Vec::new();
        for (scalar, role) in &body.text.scalars {
            let is_counter =
                body.inner.iter().any(|own| own.iterators.iter().any(|it| it.name == scalar.name));
            let is_only_counter = scalar.definitions.iter().all(|definition| definition.header);
            if *role == Role::Iterator || is_counter && is_only_counter {
                continue;
            }
            // Of several names that are declared together one alone may be known.
            let may_be_one_of_several =
                body.text.language == Language::Cpp && scalar.type_text.contains("auto");
            if is_counter || may_be_one_of_several || !is_plain(scalar) {
                return None;
            }
            let lines = scalar.definitions.iter().map(|d| d.at.line).chain(scalar.reads.iter().copied());
            let mut parts: Vec<Part> = lines.map(|line| body.part(line)).collect();
            parts.sort_unstable();
            parts.dedup();
            let is_handed_on = match parts[..] {
                [] | [Part { inside: None, .. }] => false,
                [Part { inside: Some(at), .. }] => body.is_carried(at, &scalar.name),
                _ => true,
            };
            // What a pointer leads to may be the iteration's own; one that advances is better written as a subscript.
            let is_odd = |own: &lens::Definition| own.value.contains('{') || is_update(own);
            if is_handed_on && scalar.storage.pointer && scalar.definitions.iter().any(is_odd) {
                return None;
            }
            if is_handed_on {
                expanded.push(scalar.name.clone());
            }
        }
        // Of two variables with one name, which is meant could not be told.
        let all = || body.text.scalars.iter().map(|(scalar, _)| &scalar.name);
        if expanded.iter().any(|name| all().filter(|other| *other == name).count() > 1) {
            return None;
        }
        // An array of subscripts, of structures or of long numbers costs more than it brings.
        if expanded.iter().any(|name| body.is_subscript(name)) || body.has_long_numbers(&expanded) {
            return None;
        }
        body.expanded = expanded;
        Some(body)
    }

    /// Whether a variable chooses elements of arrays.
    fn is_subscript(&self, name: &str) -> bool {
        let accesses = self.text.source.arrays.iter().flat_map(|array| &array.accesses);
        accesses.flat_map(|access| &access.subscripts).any(|subscript| mentions(subscript, name))
    }

    /// Whether a variable that would become an array is a structure, or anything here a number that no vector takes.
    fn has_long_numbers(&self, expanded: &[String]) -> bool {
        const LONG: [&str; 4] = ["long double", "__float128", "_Float128", "real(16)"];
        let source = self.text.source;
        let types = source.scalars.iter().map(|scalar| &scalar.type_text);
        let mut types = types.chain(source.arrays.iter().map(|array| &array.type_text));
        let is_structure = |scalar: &Scalar| {
            expanded.contains(&scalar.name)
                && scalar.type_text.split_whitespace().any(|word| word == "struct")
        };
        source.scalars.iter().any(is_structure) || types.any(|of| LONG.iter().any(|long| of.contains(long)))
    }

    /// The part that a line belongs to.
    fn part(&self, line: u32) -> Part {
        let around = self.inner.iter().enumerate().filter(|(_, l)| (l.at.line..=l.end.line).contains(&line));
        let inside = around.max_by_key(|(_, l)| (l.at.line, l.at.column)).map(|(at, _)| at);
        Part { inside, after: self.inner.iter().filter(|l| l.end.line < line).count() }
    }

    /// Whether iterations of a loop inside may hand a variable on to one another.
    fn is_carried(&self, at: usize, name: &str) -> bool {
        let role = self.text.of_inner(self.inner[at]).and_then(|inner| inner.role(name));
        !matches!(role, Some(Role::Own | Role::Private { .. }))
    }

    /// Where something stands that is accessed, assigned or called.
    fn places(&self) -> impl Iterator<Item = Position> {
        let source = self.text.source;
        let arrays = source.arrays.iter().flat_map(|array| &array.accesses).map(|access| access.at);
        let assigned = source.scalars.iter().flat_map(|scalar| &scalar.definitions);
        let assigned = assigned.filter(|definition| !definition.header).map(|definition| definition.at);
        arrays.chain(assigned).chain(source.calls.iter().map(|call| call.at))
    }

    /// Whether no line is shared by a loop inside and what stands before or behind it.
    fn has_lines_of_its_own(&self) -> bool {
        self.inner.iter().all(|inner| {
            let is_behind = |at: &Position| at.line == inner.end.line && at.column > inner.end.column;
            inner.leads_line && !self.places().any(|at| is_behind(&at))
        })
    }

    /// Whether something stands beside the innermost loops, there are several of them, or variables become arrays.
    fn is_split(&self) -> bool {
        let is_leaf = |own: &&&lens::SourceLoop| {
            let is_within = |other: &&lens::SourceLoop| {
                (own.at.line, own.at.column) < (other.at.line, other.at.column)
                    && (other.end.line, other.end.column) <= (own.end.line, own.end.column)
            };
            !self.inner.iter().any(is_within)
        };
        let leaves: Vec<&&lens::SourceLoop> = self.inner.iter().filter(is_leaf).collect();
        let is_in = |at: &Position, own: &lens::SourceLoop| {
            (own.at.line, own.at.column) <= (at.line, at.column)
                && (at.line, at.column) <= (own.end.line, own.end.column)
        };
        !self.expanded.is_empty()
            || leaves.len() > 1
            || self.places().any(|at| !leaves.iter().any(|own| is_in(&at, own)))
    }

    /// Whether a loop inside adds up numbers that are no integers: one addition waits for the one before, as their order matters.
    fn waits(&self) -> bool {
        let is_float = |scalar: &Scalar| {
            let name = scalar.type_text.to_lowercase();
            ["float", "double", "real"].iter().any(|part| name.contains(part))
        };
        let is_added = |scalar: &Scalar| scalar.definitions.iter().any(|own| own.depth > 0 && is_update(own));
        let expanded = self.text.scalars.iter().filter(|(scalar, _)| self.expanded.contains(&scalar.name));
        expanded.into_iter().any(|(scalar, _)| is_float(scalar) && is_added(scalar))
    }

    /// Names that may have another value in another iteration.
    fn changing(&self) -> impl Iterator<Item = &'a str> {
        let source = self.text.source;
        let assigned = source.scalars.iter().flat_map(|scalar| [scalar.name.as_str(), scalar.root.as_str()]);
        assigned.chain(source.iterators.iter().map(|iterator| iterator.name.as_str()))
    }

    /// Whether a loop inside counts from and by the same numbers in all iterations; where it runs as often too, its end stays as well.
    fn is_fixed(&self, text: &Facts<'_>) -> bool {
        let [iterator] = &text.source.iterators[..] else { return false };
        let changes =
            |bound: &String| self.changing().any(|name| name != iterator.name && mentions(bound, name));
        counts(text)
            && iterator.step_value.is_some()
            && !iterator.bound.as_ref().is_some_and(changes)
            && iterator.start.as_ref().is_some_and(|start| self.stays(start, &iterator.name))
    }

    /// Whether the text of a value names nothing that may change: numbers and plain variables, no macros by their looks.
    fn stays(&self, value: &str, counter: &str) -> bool {
        let is_known = |c: char| c.is_alphanumeric() || matches!(c, '_' | ' ' | '+' | '-');
        let mut words =
            value.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        value.chars().all(is_known)
            && words.all(|word| {
                let is_number = word.starts_with(|c: char| c.is_ascii_digit());
                let is_variable = word.chars().any(|c| c.is_lowercase());
                is_number || is_variable && word != counter && self.changing().all(|name| name != word)
            })
    }

    /// Whether different iterations write different elements of an array by its subscripts, or have pointers to it of their own.
    fn is_of_iteration(&self, array: &Array) -> bool {
        let counters: Vec<&str> =
            self.inner.iter().flat_map(|own| &own.iterators).map(|iterator| iterator.name.as_str()).collect();
        let own = |text: &str| self.changing().any(|name| !counters.contains(&name) && mentions(text, name));
        let is_apart = |access: &ArrayAccess| {
            access.mode == AccessMode::Read
                || own(&array.root)
                || access.subscripts.iter().any(|subscript| own(subscript))
        };
        !(array.fixed && array.home.is_private()) && array.accesses.iter().all(is_apart)
    }

    /// Whether all storage through which one part of an iteration passes something to another is known by its name: an element of an array
    /// that moves with the loop, or a variable that is expanded. Registers are not looked at.
    fn names_all_storage(&self, profile: &Profile, own: &SourceLoop, context: ContextIndex) -> bool {
        let all = inside(profile, &own.contexts);
        let dim = dimension(profile, context);
        let part_of = |statement: u32| profile.loops_around(profile.context_of(statement)).last().copied();
        let function = profile.contexts[context as usize].function;
        let is_unoptimised = profile.functions.get(function as usize).is_some_and(|own| own.is_unoptimised);
        let is_counter = |name: &str| {
            let inner =
                self.inner.iter().flat_map(|own| &own.iterators).any(|iterator| iterator.name == name);
            inner || self.text.is_iterator(name)
        };
        profile.dependences.iter().filter(|d| d.memory && d.kind == Kind::Flow).all(|d| {
            let [source, sink] = [d.source, d.sink].map(|statement| profile.context_of(statement));
            // What libraries pass on to themselves is theirs.
            let is_ours =
                [source, sink].iter().all(|context| all.contains(context) && profile.is_own(*context));
            if !is_ours || part_of(d.source) == part_of(d.sink) {
                return true;
            }
            let write = d.source_access.map(|access| &profile.accesses[access as usize]);
            if write.is_some_and(|write| stride(write, dim).is_some_and(|by| by != 0)) {
                return true;
            }
            let within = d.levels.iter().filter(|level| usize::from(level.level) > dim);
            within.flat_map(|level| &level.objects).all(|used| {
                let Some(object) = profile.objects.get(used.object as usize) else { return false };
                match object.kind {
                    ObjectKind::Frame => !is_unoptimised || used.callee,
                    ObjectKind::Stack | ObjectKind::Register => {
                        used.callee || is_counter(&object.name) || self.expanded.contains(&object.name)
                    }
                    _ => false,
                }
            })
        })
    }
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
        && source.advanced.is_empty()
        && !source.jumps
        && !source.conditional_compilation
        && !text.tests_data()
}

/// Whether a loop runs as often in all iterations of the loop of a dimension around it.
fn counts_alike(profile: &Profile, inner: &SourceLoop, outer: usize) -> bool {
    if inner.trips.is_some_and(|(least, most)| least == most) {
        return true;
    }
    let [context] = inner.contexts[..] else { return false };
    let dim = dimension(profile, context);
    let blocks = profile.blocks.iter().filter(|block| block.context == context && block.executions > 0);
    let Some(block) = blocks.max_by_key(|block| block.executions) else { return false };
    let stays = |of: &poly::Affine| of.coefficients.get(outer).is_none_or(|&by| by == 0);
    let is_alike = |piece: &fold::Piece| {
        let level = piece.levels.get(dim).filter(|_| piece.levels.iter().all(|level| !level.is_new));
        !piece.over_approximated && level.is_some_and(|level| stays(&level.count) && stays(&level.start))
    };
    let is_one = |folded: &fold::Folded| folded.pieces.len() == 1 && folded.pieces.iter().all(is_alike);
    !block.domain.is_empty() && block.domain.iter().all(is_one)
}

/// Whether a variable is given a value that depends on the one it had.
fn is_update(definition: &lens::Definition) -> bool {
    let is_own = matches!(definition.kind, DefinitionKind::Compound(_) | DefinitionKind::Increment(_));
    is_own || definition.reads_itself || definition.update.is_some()
}

/// Whether a call passes nothing from one part of an iteration to another.
fn keeps_apart(call: &Call) -> bool {
    !call.keeps && call.elsewhere.is_empty() && call.arrays.is_empty() && call.places.is_empty()
}

/// Whether a variable is one place that nothing else comes to.
fn is_plain(scalar: &Scalar) -> bool {
    scalar.form == ScalarForm::Variable
        && !scalar.storage.reference
        && scalar.shared.is_empty()
        && matches!(scalar.home, Home::InBody | Home::Local | Home::Parameter)
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
        let statement = options::Facts { is_plain: statement.is_plain && !is_called, ..statement };
        all.push(statement.grown(machine.growth));
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
