//! Values that an iteration takes from the one before, and could compute anew; and values of which the latest is kept.
//!
//! Definition: a *wrap-around* variable is read in an iteration before the iteration assigns it, and what is assigned is a function of the
//! iteration alone (Michael Wolfe, "High Performance Compilers for Parallel Computing", 1996, section 10.4: induction variables of a
//! closed form from some iteration on). Every iteration but the first few can then compute what the one before assigned, and the first few
//! are *peeled*. A variable that some iterations assign and none reads is what the last of those left: `lastprivate(conditional: …)`
//! (OpenMP 5.2, section 5.4.5).
//!
//! What the text says is taken only where all that the run showed to block the loop goes through such variables.
//!
//! Limits: scalar variables of their own storage that one statement assigns, from arrays that the loop does not write, without calls.

use std::collections::BTreeMap;

use profile::lens::{Definition, DefinitionKind, Scalar, ScalarForm};
use profile::{ContextIndex, Dependence, Profile};

use crate::facts::{Facts, Role};
use crate::names::in_text;
use crate::subscript::is_word;
use crate::verdict::Verdict;

/// What can be done with a variable that iterations hand on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instead {
    /// Each iteration computes what the one before assigned, and so many first iterations are peeled.
    Computed(u32),
    /// Of those iterations that assign it the last one's value stays.
    Latest,
}

/// A variable that iterations hand on without need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anew<'a> {
    /// Its name.
    pub name: &'a str,
    /// What is assigned, as written.
    pub value: &'a str,
    /// The line where it is.
    pub line: u32,
    /// What can be done.
    pub instead: Instead,
    /// It is read after the loop.
    pub is_used: bool,
}

/// All the variables through which the iterations of a loop hand something on, if each can be dealt with in one of these ways; none if
/// something else blocks it.
pub fn anew<'a>(profile: &'a Profile, context: ContextIndex, verdict: &Verdict) -> Vec<Anew<'a>> {
    let Some(facts) = Facts::of(profile, context).filter(|facts| facts.source.leaves.is_empty()) else {
        return Vec::new();
    };
    let carried: Vec<&Scalar> =
        facts.scalars.iter().filter(|(_, role)| *role == Role::Carried).map(|(scalar, _)| *scalar).collect();
    let Some(all) = carried.iter().map(|scalar| of(&facts, &carried, scalar)).collect::<Option<Vec<_>>>()
    else {
        return Vec::new();
    };
    let is_ours = |name: &str| all.iter().any(|own| own.name == name);
    let is_one = |d: &Dependence| {
        let through = d.levels.iter().flat_map(|level| &level.objects);
        let mut named = through.filter_map(|used| profile.objects.get(used.object as usize)).peekable();
        // What a register holds debug information may tell, or else the text.
        match named.peek() {
            Some(_) => named.all(|own| is_ours(&own.name)),
            None => !d.memory && in_text(profile, context, d).is_some_and(is_ours),
        }
    };
    let mut blocking = verdict.blocking.iter().map(|own| &profile.dependences[own.dependence as usize]);
    if verdict.blocking.is_empty() || !blocking.all(is_one) { Vec::new() } else { all }
}

/// What can be done with one of the variables that carry.
fn of<'a>(facts: &Facts<'a>, carried: &[&'a Scalar], scalar: &'a Scalar) -> Option<Anew<'a>> {
    if scalar.form != ScalarForm::Variable || !scalar.is_own_storage() || !scalar.shared.is_empty() {
        return None;
    }
    let first = scalar.definitions.first()?;
    let is_used = scalar.after != profile::lens::AfterLoop::Unused;
    let is_plain = |own: &Definition| {
        own.kind == DefinitionKind::Plain && own.update.is_none() && !own.reads_itself && !own.header
    };
    let found =
        |instead| Anew { name: &scalar.name, value: &first.value, line: first.at.line, instead, is_used };
    if !scalar.definitions.iter().all(is_plain) {
        return None;
    }
    if scalar.reads.is_empty() && !scalar.read_before_write {
        let takes_others =
            |own: &Definition| own.reads.iter().any(|name| carried.iter().any(|other| other.name == *name));
        return (!scalar.definitions.iter().any(takes_others)).then(|| found(Instead::Latest));
    }
    let peeled = iterations_back(facts, carried, scalar, &mut BTreeMap::new())?;
    Some(found(Instead::Computed(peeled)))
}

/// How many iterations before its own an iteration has to look to compute what it reads of a variable; `None` if it cannot be computed.
fn iterations_back<'a>(
    facts: &Facts<'a>,
    carried: &[&'a Scalar],
    scalar: &'a Scalar,
    known: &mut BTreeMap<&'a str, Option<u32>>,
) -> Option<u32> {
    if let Some(known) = known.get(scalar.name.as_str()) {
        return *known;
    }
    // Of a circle nothing can be computed.
    known.insert(&scalar.name, None);
    let [definition] = &scalar.definitions[..] else { return None };
    if !scalar.always_written || definition.conditional || definition.depth > 0 || has_call(facts, definition)
    {
        return None;
    }
    let mut back = 1;
    for name in &definition.reads {
        if facts.source.iterators.iter().any(|own| own.name == *name) {
            continue;
        }
        if let Some(other) = carried.iter().find(|other| other.name == *name) {
            let further = iterations_back(facts, carried, other, known)?;
            // What is assigned above it in the text is of the same iteration.
            let is_above = other
                .definitions
                .first()
                .is_some_and(|of| (of.at.line, of.at.column) < (definition.at.line, definition.at.column));
            back = back.max(if is_above { further } else { further.checked_add(1)? });
            continue;
        }
        let is_assigned = facts.source.scalars.iter().any(|own| own.name == *name || own.root == *name);
        let is_written = facts.source.arrays.iter().any(|array| {
            (array.name == *name || array.root == *name)
                && (array.shared || array.accesses.iter().any(|access| access.mode.may(true)))
        });
        if is_assigned || is_written {
            return None;
        }
    }
    known.insert(&scalar.name, Some(back));
    Some(back)
}

/// Whether a right-hand side calls something: a name before a parenthesis that is no array's.
fn has_call(facts: &Facts<'_>, definition: &Definition) -> bool {
    definition.value.match_indices('(').any(|(at, _)| {
        let before = definition.value[..at].trim_end();
        let name = before.rsplit(|c| !is_word(c)).next().unwrap_or_default();
        !name.is_empty() && !facts.source.arrays.iter().any(|array| array.name == name)
    })
}
