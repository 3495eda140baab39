//! Which directives are worth pasting: one for the threads of a nest, on the outermost loop that pays, and one for the lanes of its
//! innermost loops.
//!
//! A directive is about a line of the source, so all entries of a line, reached by whatever calls, are one *place* here: they get the
//! same directive or none. Places are looked at by their instructions, largest first; a loop inside one that was chosen is left to that.
//! Whether threads pay is estimated from the instructions of one entry, on this input: where an entry is too short, and the source says
//! how long it is, the directive has an `if` clause, else it is withheld. Verdicts do not change.
//!
//! Limits: instructions stand for time, and those of a build without optimisation are more than those of one with it.

use profile::Profile;
use profile::lens::{Iterator, Language, LoopKind, SourceLoop as Text};
use rustc_hash::FxHashMap;
use schedule::facts::Facts;
use schedule::{Parallel, SourceLoop};

use crate::directive::{self, Absent, Clauses};

/// Loops with a smaller share of the instructions get no directive.
const LITTLE: f64 = 0.001;
/// Fewer iterations at a time are not shared out.
const FEW: f64 = 4.0;
/// Fewer iterations at a time are joined with those of the loop inside, where that can be.
const NEEDS_MORE: f64 = 16.0;
/// Instructions in the time that it takes to start and join threads: about 10 microseconds.
pub(crate) const START: u64 = 30_000;
/// Two threads save half: below this an entry does not pay.
const PAYS: u64 = 2 * START;
/// Instructions that a directive takes whose `if` clause says no, and the share of the run that it may take so.
const REFUSED: u64 = 1_000;
const REFUSED_SHARE: f64 = 0.02;
/// Instructions of an iteration from which on each can be handed out by itself.
const LONG: u64 = 5_000;
/// Iterations from which on lanes are used, and the share of accesses that lie side by side.
const LANES_TRIPS: f64 = 16.0;
const LANES_STRIDE: f64 = 0.9;

/// What is said above a loop whose iterations can run in parallel.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// This is to be pasted.
    Paste {
        /// The directive.
        text: String,
        /// What would make this loop parallel, whether or not that pays.
        alone: String,
        /// It is for threads, not for lanes.
        for_threads: bool,
        /// If it is for threads, what the loop is as a call of a parallel algorithm of the standard library.
        algorithm: Option<String>,
    },
    /// There is a directive, but it does not pay or did not hold.
    Withheld {
        /// The directive.
        alone: String,
        /// Why it is not to be pasted.
        why: Withheld,
    },
    /// There is none.
    Absent(Absent),
}

/// Why a directive is not to be pasted.
#[derive(Debug, Clone, PartialEq)]
pub enum Withheld {
    /// Hardly any instructions run in the loop.
    Little,
    /// It has so few iterations at a time.
    Few(f64),
    /// It has so few instructions at a time.
    Short(u64),
    /// It runs inside this loop, which has a directive.
    Within(usize),
    /// It was tried and did not hold.
    Tried(trial::Reason),
}

/// All entries of a line of the source.
struct Place {
    entries: Vec<usize>,
    clauses: Result<Clauses, Absent>,
    instructions: u64,
}

/// What is said above each loop; `None` for those whose iterations cannot run in parallel.
pub fn choose(profile: &Profile, loops: &[SourceLoop]) -> Vec<Option<Choice>> {
    let mut out: Vec<Option<Choice>> = vec![None; loops.len()];
    let mut chosen = vec![false; loops.len()];
    for place in places(profile, loops) {
        let clauses = match &place.clauses {
            Ok(clauses) => clauses,
            Err(absent) => {
                place.entries.iter().for_each(|&at| out[at] = Some(Choice::Absent(absent.clone())));
                continue;
            }
        };
        let alone = clauses.threads("");
        let text = threads(profile, loops, &place, clauses, &chosen);
        if text.is_ok() {
            place.entries.iter().for_each(|&at| chosen[at] = true);
        }
        let first = place.entries.first().filter(|_| text.is_ok());
        let algorithm = first.and_then(|&at| directive::algorithm(profile, &loops[at], clauses));
        let for_threads = text.is_ok();
        let text = text.or_else(|why| lanes(profile, loops, &place, clauses).ok_or(why));
        for &at in &place.entries {
            let alone = alone.clone();
            out[at] = Some(match &text {
                Ok(text) => {
                    Choice::Paste { text: text.clone(), alone, for_threads, algorithm: algorithm.clone() }
                }
                Err(why) => Choice::Withheld { alone, why: why.clone() },
            });
        }
    }
    out
}

/// The lines of the source that could have a directive, those with the most instructions first.
fn places(profile: &Profile, loops: &[SourceLoop]) -> Vec<Place> {
    let mut out: Vec<Place> = Vec::new();
    let mut known: FxHashMap<(&str, u32, u32), usize> = FxHashMap::default();
    for (at, own) in loops.iter().enumerate() {
        let Some(clauses) = directive::clauses(profile, own) else { continue };
        let key = (own.file.as_str(), own.line, own.column);
        let place = match known.get(&key).filter(|_| own.line > 0) {
            Some(&place) => place,
            None => {
                known.insert(key, out.len());
                out.push(Place { entries: Vec::new(), clauses: clauses.clone(), instructions: 0 });
                out.len() - 1
            }
        };
        let place = &mut out[place];
        place.entries.push(at);
        place.instructions = place.instructions.saturating_add(own.instructions);
        // One line can say one thing alone.
        place.clauses = match (std::mem::replace(&mut place.clauses, Err(Absent::Elsewhere)), clauses) {
            (Ok(a), Ok(b)) if a == b => Ok(a),
            (Ok(_), Ok(_)) => Err(Absent::Elsewhere),
            (Err(absent), _) | (_, Err(absent)) => Err(absent),
        };
    }
    let depth = |place: &Place| place.entries.first().map_or(0, |&at| loops[at].depth);
    out.sort_by_key(|place| {
        (std::cmp::Reverse(place.instructions), depth(place), place.entries.first().copied())
    });
    out
}

/// The directive for threads, if it pays.
fn threads(
    profile: &Profile,
    loops: &[SourceLoop],
    place: &Place,
    clauses: &Clauses,
    chosen: &[bool],
) -> Result<String, Withheld> {
    let around = |at: usize| std::iter::successors(loops[at].parent, |&outer| loops[outer].parent);
    let (mut entries, mut iterations, mut instructions, mut share, mut outer) = (0u64, 0u64, 0u64, 0.0, None);
    for &at in &place.entries {
        let own = &loops[at];
        match around(at).find(|&other| chosen[other]) {
            // A recursion of itself is no loop around.
            Some(other) => outer = outer.or(Some(other)),
            None => {
                entries = entries.saturating_add(own.entries);
                iterations = iterations.saturating_add(own.iterations);
                instructions = instructions.saturating_add(own.instructions);
                share += own.share;
            }
        }
    }
    if let Some(outer) = outer.filter(|_| instructions < place.instructions.div_ceil(2)) {
        return Err(Withheld::Within(outer));
    }
    if share < LITTLE {
        return Err(Withheld::Little);
    }
    let trips = iterations as f64 / entries.max(1) as f64;
    let first = place.entries.first().map(|&at| &loops[at]).ok_or(Withheld::Little)?;
    let text =
        first.contexts.first().and_then(|&context| Facts::of(profile, context)).map(|facts| facts.source);
    let mut more = String::new();
    let is_joined =
        trips < NEEDS_MORE && text.is_some_and(|text| is_rectangular(profile, loops, place, text));
    if is_joined {
        more += " collapse(2)";
    } else if trips < FEW {
        return Err(Withheld::Few(trips));
    }
    let each = instructions / entries.max(1);
    if each < PAYS {
        let run = profile.trust.run().max(1) as f64;
        let is_cheap = (entries.saturating_mul(REFUSED)) as f64 <= REFUSED_SHARE * run;
        let per_iteration = (instructions / iterations.max(1)).max(1);
        let condition = text
            .filter(|_| is_cheap && !is_joined)
            .and_then(|text| enough(text, PAYS.div_ceil(per_iteration)));
        more += &condition.ok_or(Withheld::Short(each))?;
    }
    // Which thread takes what must not change from run to run where sums are rounded.
    if !clauses.reduces() && !is_joined && varies(loops, place) {
        let per_iteration = instructions / iterations.max(1);
        more += if per_iteration >= LONG { " schedule(dynamic)" } else { " schedule(guided)" };
    }
    Ok(clauses.threads(&more))
}

/// An `if` clause that asks for at least so many iterations, where the loop's text says before it how many there are.
fn enough(text: &Text, least: u64) -> Option<String> {
    let [iterator] = &text.iterators[..] else { return None };
    let Iterator { start: Some(start), bound: Some(bound), step_value: Some(step), .. } = iterator else {
        return None;
    };
    let (low, high) = if *step > 0 { (start, bound) } else { (bound, start) };
    let is_plain = |text: &str| {
        !text.is_empty()
            && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-' | '*' | ' '))
    };
    let is_number = |text: &str| text.trim().parse::<i64>().is_ok();
    if !is_plain(low) || !is_plain(high) || is_number(low) && is_number(high) {
        return None;
    }
    let least = rounded(least.checked_mul(step.unsigned_abs())?);
    let length = match low.trim() {
        "0" | "1" => high.trim().to_owned(),
        low if low.contains([' ', '+', '-', '*']) => format!("{} - ({low})", high.trim()),
        low => format!("{} - {low}", high.trim()),
    };
    Some(format!(" if({length} > {least})"))
}

/// The next number with two digits that count.
fn rounded(number: u64) -> u64 {
    let unit = 10u64.pow(number.max(1).ilog10().saturating_sub(1));
    number.div_ceil(unit).saturating_mul(unit)
}

/// Whether loops inside, with a part of the instructions that counts, take now more and now fewer iterations.
fn varies(loops: &[SourceLoop], place: &Place) -> bool {
    let is_inside = |own: &&SourceLoop| own.parent.is_some_and(|outer| place.entries.contains(&outer));
    loops.iter().filter(is_inside).any(|inner| {
        let counts = inner.instructions.saturating_mul(4) >= place.instructions;
        counts && inner.trips.is_some_and(|(least, most)| most > least.saturating_mul(2).saturating_add(8))
    })
}

/// Whether a loop's body is nothing but a loop that takes the same iterations each time, of which all can run in parallel.
fn is_rectangular(profile: &Profile, loops: &[SourceLoop], place: &Place, text: &Text) -> bool {
    let Some(outer) = place.entries.first().map(|&at| &loops[at]).filter(|own| own.parallel == Parallel::Yes)
    else {
        return false;
    };
    let mut inside = loops.iter().filter(|own| own.parent.is_some_and(|at| place.entries.contains(&at)));
    let Some(inner) = inside.next().filter(|own| own.parallel == Parallel::Yes && own.file == outer.file)
    else {
        return false;
    };
    let facts = inner.contexts.first().and_then(|&context| Facts::of(profile, context));
    let Some((language, inner)) = facts.map(|facts| (facts.language, facts.source)) else { return false };
    let names = |text: &str, name: &str| {
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name)
    };
    let ends: Vec<&String> =
        inner.iterators.iter().flat_map(|own| [&own.start, &own.bound]).flatten().collect();
    let is_fixed = |end: &&&String| {
        let is_plain =
            end.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-' | '*' | ' '));
        let changes = text.iterators.iter().any(|own| names(end, &own.name))
            || text.scalars.iter().any(|scalar| names(end, &scalar.name));
        is_plain && !changes
    };
    inside.next().is_none()
        && text.is_around_one
        && is_counted(language, text)
        && is_counted(language, inner)
        && inner.canonical.is_yes()
        && inner.leaves.is_empty()
        && ends.len() == 2
        && ends.iter().all(|end| is_fixed(&end))
}

/// The directive for lanes of an innermost loop, where those are sure to go.
fn lanes(profile: &Profile, loops: &[SourceLoop], place: &Place, clauses: &Clauses) -> Option<String> {
    let mut share = 0.0;
    for &at in &place.entries {
        let own = &loops[at];
        let trips = own.mean_trips();
        let is_side_by_side = own.stride01.is_some_and(|stride| stride >= LANES_STRIDE);
        let is_free = matches!(own.parallel, Parallel::Yes | Parallel::Reduction) || clauses.advances();
        let is_plain = is_free && own.innermost;
        let facts = own.contexts.first().and_then(|&context| Facts::of(profile, context))?;
        let is_alone = facts.source.calls.is_empty() && facts.source.closures.is_empty();
        let counts = is_counted(facts.language, facts.source);
        if !(is_plain && is_side_by_side && is_alone && counts && trips >= LANES_TRIPS) {
            return None;
        }
        share += own.share;
    }
    clauses.lanes().filter(|_| share >= LITTLE)
}

/// Whether a loop counts with an integer or a pointer, by its type as written: objects that behave like pointers are for threads alone.
fn is_counted(language: Language, text: &Text) -> bool {
    let [iterator] = &text.iterators[..] else { return false };
    match language {
        Language::Fortran | Language::FixedFortran => text.kind == LoopKind::FortranDo,
        Language::C => text.kind == LoopKind::For,
        _ => {
            let written = iterator.type_text.trim();
            text.kind == LoopKind::For && (is_integer(written) || written.ends_with('*'))
        }
    }
}

/// Whether a type as written is one of C's integers.
pub(crate) fn is_integer(text: &str) -> bool {
    let is_word = |word: &str| {
        let word = word.trim_start_matches("std::");
        matches!(
            word,
            "const"
                | "unsigned"
                | "signed"
                | "char"
                | "short"
                | "int"
                | "long"
                | "size_t"
                | "ssize_t"
                | "ptrdiff_t"
        ) || word.ends_with("_t") && (word.starts_with("int") || word.starts_with("uint"))
    };
    !text.trim().is_empty() && text.split_whitespace().all(is_word)
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn numbers_are_rounded_up_to_two_digits() {
        for (number, expected) in [(0, 0), (7, 7), (99, 99), (101, 110), (12_345, 13_000)] {
            assert_eq!(rounded(number), expected);
        }
    }
}
