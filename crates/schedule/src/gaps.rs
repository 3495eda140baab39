//! Elements that a vector is loaded with and that nothing reads.
//!
//! Where the text reads every other element, `a[2 * i] = a[2 * i + 1]`, a compiler may load all of them at once and drop what it does not
//! need. The run then has iterations that read what others write. By the text none does: subscripts of one array that advance together,
//! and never have one value in two iterations.

use std::borrow::Cow;

use profile::{ContextIndex, Dependence, Kind, ObjectKind, Profile, StatementIndex};

use crate::facts::Facts;
use crate::graph::{Edge, LoopEdges, is_optimised};

/// Elements are no larger than this; what is loaded at once is a vector if it is.
const LARGEST_ELEMENT: u32 = 8;

/// The edges of a loop without those through such elements.
pub(crate) fn closed<'e>(
    profile: &Profile,
    context: ContextIndex,
    inside: &'e LoopEdges,
    facts: Option<&Facts<'_>>,
) -> Cow<'e, LoopEdges> {
    let is_open = |edge: &Edge| {
        let d = &profile.dependences[edge.dependence as usize];
        !edge.carried || !facts.is_some_and(|facts| is_gap(profile, context, facts, d))
    };
    if inside.edges.iter().all(is_open) {
        return Cow::Borrowed(inside);
    }
    let edges = inside.edges.iter().filter(|edge| is_open(edge)).copied().collect();
    Cow::Owned(LoopEdges { edges, asynchronous: inside.asynchronous })
}

/// Whether a dependence between iterations of a loop is through such an element.
pub(crate) fn is_gap(profile: &Profile, context: ContextIndex, facts: &Facts<'_>, d: &Dependence) -> bool {
    let file = &profile.location(profile.contexts[context as usize].location).file;
    let is_vector = |statement: StatementIndex| {
        let mut accesses = profile.accesses.iter().filter(|access| access.statement == statement);
        accesses.any(|access| !access.write && access.size > LARGEST_ELEMENT)
    };
    let read = if d.kind == Kind::Anti { d.source } else { d.sink };
    let places = [d.source, d.sink].map(|end| profile.location_of(end));
    // Variables of the program are told apart; what pointers lead to may be one.
    let mut objects = d.levels.iter().flat_map(|level| &level.objects);
    let of_program = |object: u32| {
        profile.objects.get(object as usize).filter(|own| own.kind == ObjectKind::Global && !own.library)
    };
    let first = objects.next().and_then(|used| of_program(used.object));
    let known = first.filter(|own| objects.all(|used| of_program(used.object) == Some(own)));
    is_optimised(profile, context)
        && d.memory
        && d.kind != Kind::Output
        && places.iter().all(|place| place.file == *file)
        && facts.meet_nowhere_else(places.map(|place| place.line), known.map(|own| own.name.as_str()))
        && is_vector(read)
}
