//! Iterations of the text that a compiler has made one.
//!
//! Of a loop that is written out `n` times the body has each access of the text `n` times, in the order of the iterations. What these
//! hand on to each other lies within one iteration of the compiled loop, and where they write one place, only what the last of them writes
//! is left. The text of the loop shows neither where functions have been put in the place of their calls.
//!
//! `n` is how far addresses move in one iteration of the compiled loop, in terms of what the subscripts of the text say.
//!
//! Limits: loops without an access whose subscripts and type the text tells are taken as they are; so are loops over vectors, where one
//! access is of several iterations.

use profile::lens::{ArrayAccess, Language};
use profile::{
    Access, Addend, ContextIndex, Dependence, Kind, LocationIndex, Profile, Statement, StatementIndex,
};
use rustc_hash::FxHashMap;

use crate::compiled::{Accesses, Copies};
use crate::facts::Facts;
use crate::graph::{self, LoopEdges};
use crate::numbers::bytes;
use crate::scev::is_fixed;

/// Most bytes of an access of one iteration.
const SCALAR: u32 = 8;
/// How many iterations compilers mostly make one.
const UNITS: [i64; 4] = [2, 4, 8, 16];

/// A compiled loop each iteration of which is several of its text.
#[derive(Debug)]
pub struct Unrolled<'p> {
    profile: &'p Profile,
    context: ContextIndex,
    facts: &'p Facts<'p>,
    /// How many.
    iterations: usize,
    copies: Copies<LocationIndex>,
}

impl<'p> Unrolled<'p> {
    /// What a loop's compiled iterations are made of; `None` if each is one of the text, or that is not known.
    pub fn of(
        profile: &'p Profile,
        context: ContextIndex,
        accesses: &Accesses,
        facts: &'p Facts<'p>,
    ) -> Option<Unrolled<'p>> {
        let dim = graph::dimension(profile, context);
        let own: Vec<&Access> = accesses.of(profile, context).collect();
        if own.iter().any(|access| access.size > SCALAR) {
            return None;
        }
        let here = profile.location(profile.contexts.get(context as usize)?.location);
        let [iterator] = &facts.source.iterators[..] else { return None };
        let step = iterator.step_value.filter(|&step| step != 0)?;
        let is_fortran = matches!(facts.language, Language::Fortran | Language::FixedFortran);
        // Per line how far its accesses move in an iteration, each with its bytes; `None` for those of which the text does not tell.
        let mut of_text: FxHashMap<u32, Vec<Option<(i64, u32)>>> = FxHashMap::default();
        for array in &facts.source.arrays {
            let moved = |access: &ArrayAccess| {
                // Rows of arrays and elements that are no numbers move otherwise.
                // What a descriptor of Fortran leads to may be every other element.
                if !facts.is_one_place(array) || is_fortran && !array.fixed {
                    return None;
                }
                let size = element_bytes(&array.type_text)
                    .filter(|_| access.subscripts.len() == array.dimensions.max(1))?;
                let (last, rows) = access.affine.split_last()?;
                let stays =
                    rows.iter().all(|row| row.as_ref().is_some_and(|row| row.of(&iterator.name) == 0));
                let by = last.as_ref()?.of(&iterator.name);
                // A loop inside that is written out comes to it as often.
                let is_alone = || last.as_ref().is_some_and(|last| last.terms.len() == 1);
                let is_plain = stays && access.member.is_empty() && (access.depth == 0 || is_alone());
                let by = by.checked_mul(step)?.checked_mul(i64::from(size))?;
                is_plain.then_some((by, size))
            };
            for access in &array.accesses {
                of_text.entry(access.at.line).or_default().push(moved(access));
            }
        }
        let header = facts.source.at.line..=facts.source.header_last_line;
        let counts_by = |n: i64| {
            let counts = |statement: &Statement| {
                let place = profile.location(statement.location);
                let is_counted = matches!(statement.addend, Some(Addend::Constant(by)) if Some(by.saturating_abs()) == n.checked_mul(step.saturating_abs()));
                is_counted
                    && header.contains(&place.line)
                    && (&place.file, &place.function) == (&here.file, &here.function)
            };
            accesses.statements(profile, context).any(counts)
        };
        let iterations = own.iter().filter_map(|access| {
            let place = profile.location_of(access.statement);
            let is_here = (&place.file, &place.function) == (&here.file, &here.function);
            let text = of_text.get(&place.line).filter(|_| is_here)?;
            let by = moves_by(access, dim)?;
            // Of several accesses on the line all have to agree.
            let of_size = text.iter().flatten().filter(|(moved, size)| *moved != 0 && *size == access.size);
            let mut all = of_size
                .map(|(moved, _)| by.checked_div(*moved).filter(|n| n.checked_mul(*moved) == Some(by)));
            let first = all.next()??;
            let is_clear = || text.iter().all(Option::is_some) || counts_by(first);
            (first > 1 && all.all(|n| n == Some(first)) && is_clear()).then_some(first)
        });
        let iterations = iterations.max().or_else(|| {
            // Where subscripts do not tell, by the loop's counter: pointers that count move as far as what they lead to.
            let steps: Vec<(i64, i64)> = own
                .iter()
                .filter_map(|access| Some((moves_by(access, dim)?.checked_abs()?, access.size.into())))
                .collect();
            let is_apart = |n: i64| steps.iter().all(|(by, _)| *by != n);
            let is_of_some = |n: i64| {
                steps.iter().any(|(by, size)| by % n == 0 && by / n >= *size && (by / n) % size == 0)
            };
            let is_untold = own.iter().all(|access| {
                let place = profile.location_of(access.statement);
                let text = of_text.get(&place.line);
                (&place.file, &place.function) != (&here.file, &here.function)
                    || text.is_none_or(|text| text.iter().all(Option::is_none))
            });
            // Counters of several units are rarely of as many as that.
            let all = UNITS.iter().copied().filter(|_| is_untold);
            all.rev().find(|&n| is_apart(n) && is_of_some(n) && counts_by(n))
        });
        let iterations = usize::try_from(iterations?).ok()?;
        // What stays where it is, iterations of the compiled loop overwrite in turn.
        let moving = own.into_iter().filter(|access| !is_fixed(&access.address, dim));
        let copies = Copies::new(profile, moving, &|s| Some(profile.statements[s as usize].location));
        Some(Unrolled { profile, context, facts, iterations, copies })
    }

    /// Whether a place is of a function that has been put in the place of a call.
    pub fn is_inlined(&self, place: LocationIndex) -> bool {
        let own = self.profile.location(self.profile.contexts[self.context as usize].location);
        let place = self.profile.location(place);
        place.line > 0 && (&place.file, &place.function) != (&own.file, &own.function)
    }

    /// Whether a place is one that every iteration of the text comes to, as far as that says.
    fn is_always(&self, place: LocationIndex) -> bool {
        let line = self.profile.location(place).line;
        let mut accesses = self.facts.source.arrays.iter().flat_map(|array| &array.accesses);
        let mut definitions = self.facts.source.scalars.iter().flat_map(|scalar| &scalar.definitions);
        self.is_inlined(place)
            || !accesses.any(|access| access.at.line == line && access.conditional)
                && !definitions.any(|definition| definition.at.line == line && definition.conditional)
    }

    /// A place where not every iteration stores by itself, or loads what the loop may write: what one of them has written another one
    /// overwrites, or has from a register.
    pub fn handed_on(&self) -> Option<LocationIndex> {
        let reads_written = |place: LocationIndex| {
            let line = self.profile.location(place).line;
            let is_read = |access: &ArrayAccess| access.at.line == line && access.mode.may(false);
            let arrays = self.facts.source.arrays.iter().filter(|array| array.is_written());
            let mut read = arrays.filter(|array| array.accesses.iter().any(is_read));
            !self.is_inlined(place) && !self.facts.says_elements_on(line) && read.next().is_some()
        };
        let lacks = |(place, is_write, copies): (LocationIndex, bool, usize)| {
            let counts = || self.is_always(place) && (is_write || reads_written(place));
            (copies % self.iterations != 0 && counts()).then_some(place)
        };
        self.copies.counts().filter_map(lacks).min()
    }

    /// Which of the iterations an access is of.
    fn iteration(&self, statement: StatementIndex, is_write: bool) -> Option<usize> {
        let place = self.profile.statements[statement as usize].location;
        let (number, copies) = self.copies.number(place, statement, is_write)?;
        (copies % self.iterations == 0).then(|| number / (copies / self.iterations))
    }

    /// Where one end of a dependence between two of the iterations is, if the text does not say by subscripts which elements it comes to.
    pub fn between(&self, inside: &LoopEdges) -> Option<LocationIndex> {
        let is_here = |s: StatementIndex| self.profile.context_of(s) == self.context;
        let place = |s: StatementIndex| self.profile.statements[s as usize].location;
        let is_between = |d: &Dependence| {
            let ends = [(d.source, d.kind != Kind::Anti), (d.sink, d.kind != Kind::Flow)];
            let iterations = ends.map(|(statement, is_write)| self.iteration(statement, is_write));
            let [Some(source), Some(sink)] = iterations else { return false };
            source != sink
                && d.memory
                && ends.iter().all(|&(statement, _)| is_here(statement))
                && d.levels.iter().any(|level| level.level == d.common && level.count > 0)
        };
        let all = inside.edges.iter().filter(|edge| edge.within);
        let all = all.map(|edge| &self.profile.dependences[edge.dependence as usize]);
        let mut ends = all.filter(|d| is_between(d)).flat_map(|d| [d.source, d.sink].map(place));
        ends.find(|&place| {
            let line = self.profile.location(place).line;
            self.is_inlined(place) || !self.facts.says_elements_on(line)
        })
    }
}

/// Bytes of an element, where that is a number, of an array or a container by its type as written.
fn element_bytes(text: &str) -> Option<u32> {
    let element = match text.split_once('<') {
        Some((_, rest)) => rest.rsplit_once('>').map_or(rest, |(inside, _)| inside),
        None => text,
    };
    let is_plain = !element.contains('<') && element.matches('*').count() < 2;
    bytes(element).filter(|_| is_plain)
}

/// How far an access moves from one iteration of the loop of dimension `dim` to the next, if that is always the same.
fn moves_by(access: &Access, dim: usize) -> Option<i64> {
    let pieces = access.address.iter().flat_map(|folded| &folded.pieces);
    let mut steps = pieces.map(|piece| piece.label(0)?.coefficients.get(dim)?.known());
    let first = steps.next()??;
    steps.all(|step| step == Some(first)).then_some(first)
}
