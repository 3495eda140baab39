//! Races of a parallel region that no loop with a directive shows: between two loops without a barrier, in what all members do, or in
//! what one member alone does; and between sections.
//!
//! Definition: two members of a team came to one place, one of them wrote, no barrier stands between, and the text of the two lines has no
//! guard in common (module `guards`). The run has shown it; another run may not. Sections are handed out in a loop: what one of them passes on
//! to another is a race, whoever ran them.
//!
//! Limits: what the run's members happened not to do is not seen; without the source nothing is said, since guards are not known. Tasks are the
//! module `tasks`'.

use std::collections::{BTreeMap, BTreeSet};

use profile::place::is_of_standard_library;
use profile::{
    ContextIndex, ContextKind, Dependence, Kind, LevelSummary, Location, ObjectKind, Profile, TaskOrder,
};
use schedule::SourceLoop;
use schedule::facts::Facts;
use schedule::names::of_region;

use super::guards::{Guarded, Guards, mentions, subscripts};
use super::tasks::Judge;
use super::{Texts, clauses, is_carried_by, is_variable, region_of, without_number};

/// A pair of lines to which members of a team come at a time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Between {
    /// The file of both.
    pub file: String,
    /// The lines, in order.
    pub lines: (u32, u32),
    /// The functions in which they are.
    pub functions: (String, String),
    /// What lies there.
    pub name: String,
    /// Both write.
    pub is_written_twice: bool,
}

/// Whether members of a team come to a place at a time; `shared_out`: loops of which a directive shares out the iterations, which says so itself.
fn is_open(profile: &Profile, d: &Dependence, shared_out: &BTreeSet<ContextIndex>) -> bool {
    let around = || profile.loops_around(profile.context_of(d.source));
    let is_said = |level: &LevelSummary| {
        level.level < d.common
            && around().iter().take(usize::from(level.level) + 1).any(|context| shared_out.contains(context))
    };
    d.between_members && d.memory && !d.levels.iter().all(is_said)
}

/// Files in which such dependences have their ends, and regions and tasks stand.
pub fn files(profile: &Profile) -> BTreeSet<String> {
    let none = BTreeSet::new();
    let open = profile.dependences.iter().filter(|d| is_open(profile, d, &none));
    let ends = open.flat_map(|d| [d.source, d.sink]);
    let is_outlined = |function: &profile::Function| function.main && of_region(&function.name).is_some();
    let outlined: BTreeSet<u32> =
        (0..).zip(&profile.functions).filter(|(_, own)| is_outlined(own)).map(|(at, _)| at).collect();
    let is_of_outlined = |statement: &u32| {
        outlined.contains(&profile.contexts[profile.context_of(*statement) as usize].function)
    };
    let count = if outlined.is_empty() { 0 } else { profile.statements.len() as u32 };
    let places = ends.chain((0..count).filter(is_of_outlined)).map(|end| &profile.location_of(end).file);
    let files: BTreeSet<&String> = places.filter(|file| !file.is_empty()).collect();
    files.into_iter().cloned().collect()
}

/// All of a profile. `shared_out`: contexts of loops of which a directive shares out the iterations; `told`: of those of them that say themselves
/// what races they have.
pub(super) fn races(
    profile: &Profile,
    loops: &[SourceLoop],
    (shared_out, told): (&BTreeSet<ContextIndex>, &BTreeSet<ContextIndex>),
    (texts, tasks): (&Texts<'_>, Option<&Judge<'_>>),
) -> Vec<Between> {
    let mut found: BTreeSet<Between> = BTreeSet::new();
    // Where the run does not know what orders tasks, that is another matter.
    let is_plain = |d: &&&Dependence| match d.tasks {
        Some(TaskOrder::Unordered) => true,
        Some(TaskOrder::Unknown) => false,
        None => tasks.is_none_or(|tasks| !tasks.is_of_task(d)),
    };
    for d in texts.between.iter().filter(|d| is_open(profile, d, told)).filter(is_plain) {
        found.extend(pair(profile, d, &places(profile, d, texts), texts));
    }
    let all = profile.dependences.iter().filter(|d| d.memory && !d.between_members);
    for d in all.filter(|d| is_of_two_loops(profile, d, (loops, shared_out), texts)) {
        found.extend(pair(profile, d, &places(profile, d, texts), texts));
    }
    found.extend(left_by_one(profile, texts));
    // A loop that hands out sections.
    for own in loops.iter().filter(|own| own.main && region_of(profile, own).is_some()) {
        // On the line of the directive, or of the brace behind it.
        let begins = |(text, (first, _)): (&str, (u32, u32))| {
            let line = texts.line(&own.file, own.line).trim_start();
            text.to_ascii_lowercase().contains("section")
                && (own.line == first || own.line == first + 1 && line.starts_with('{'))
        };
        let guards = texts.guards.get(own.file.as_str());
        let hands_out = guards.is_some_and(|guards| guards.constructs().any(begins));
        for (verdict, &context) in own.verdicts.iter().zip(&own.contexts).filter(|_| hands_out) {
            for d in profile.dependences.iter().filter(|d| d.memory && !d.between_members) {
                let ends = [d.source, d.sink];
                let is_carried = is_carried_by(profile, context, d);
                // What lies on the stack is each thread's own, but for what the function has there in which the region
                // stands.
                let is_control = |end: &u32| {
                    let at = profile.location_of(*end);
                    let guards = texts.guards.get(at.file.as_str());
                    verdict.scevs.binary_search(end).is_ok()
                        && guards.is_none_or(|guards| guards.is_directive(at.line))
                };
                let is_shared = is_shared(profile, d) || is_of_maker(profile, d);
                if is_carried && is_shared && !ends.iter().any(is_control) {
                    found.extend(pair(profile, d, &places(profile, d, texts), texts));
                }
            }
        }
    }
    // A pair that both write and one reads is one finding.
    let all: Vec<Between> = found.into_iter().collect();
    let is_second = |own: &Between| {
        let other = Between { is_written_twice: false, ..own.clone() };
        own.is_written_twice && all.contains(&other)
    };
    all.iter().filter(|own| !is_second(own)).cloned().collect()
}

/// Whether one thread has passed something on from a loop that members share out to another one, and another
/// distribution of iterations may have two of them do so: nobody waits at the end of the first, and the second does not
/// give each member the same iterations.
fn is_of_two_loops(
    profile: &Profile,
    d: &Dependence,
    (all, shared_out): (&[SourceLoop], &BTreeSet<ContextIndex>),
    texts: &Texts<'_>,
) -> bool {
    let around = |end: u32| {
        let loops = profile.loops_around(profile.context_of(end));
        loops.into_iter().rev().find(|context| shared_out.contains(context))
    };
    let (Some(first), Some(second)) = (around(d.source), around(d.sink)) else { return false };
    let (Some(a), Some(b)) = (Facts::source(profile, first), Facts::source(profile, second)) else {
        return false;
    };
    // Which of several directives was compiled is not known: what the run has shown says whether members waited.
    if [a, b].into_iter().any(profile::lens::SourceLoop::is_open) {
        return false;
    }
    let (Some(own), Some(other)) = (&a.directive, &b.directive) else { return false };
    let place = profile.location(profile.contexts[first as usize].location);
    let file = &place.file;
    let Some(guards) = texts.guards.get(file.as_str()) else { return false };
    let is_one_region = a.in_parallel.is_some()
        && a.in_parallel == b.in_parallel
        && *file == profile.location(profile.contexts[second as usize].location).file;
    // In Fortran it stands behind the loop.
    let is_left = goes_on(&own.text) || goes_on(texts.line(file, a.end.line + 1));
    if !is_one_region
        || !is_left
        || a.end.line >= other.line
        || !(is_shared(profile, d) || is_of_maker(profile, d))
    {
        return false;
    }
    let between = a.end.line + 1..other.line;
    let waits = guards.constructs().any(|(text, (start, end))| {
        let has =
            |word: &str| text.split(|c: char| !c.is_alphanumeric()).any(|own| own.eq_ignore_ascii_case(word));
        between.contains(&start)
            && (has("barrier")
                || ["for", "do", "single", "sections", "workshare"].into_iter().any(has)
                    && !goes_on(text)
                    && !goes_on(texts.line(file, end + 1)))
    });
    let schedule = |text: &str| {
        let text: String = text.to_ascii_lowercase().split_whitespace().collect();
        let clause = text.split_once("schedule(").and_then(|(_, rest)| rest.split(')').next());
        clause.map(str::to_owned)
    };
    let schedules = [own, other].map(|directive| schedule(&directive.text));
    let is_static = schedules.iter().flatten().all(|clause| clause.starts_with("static"));
    let index = |context: ContextIndex| usize::from(profile.contexts[context as usize].dims).checked_sub(1);
    let is_same = |level: &LevelSummary| {
        let [one, two] = [(first, &level.source_iv), (second, &level.sink_iv)]
            .map(|(context, iv)| index(context).and_then(|at| iv.get(at)));
        one.is_some() && one == two
    };
    let trips = |context| all.iter().find(|own| own.contexts.contains(&context)).map(|own| own.iterations);
    // The same iterations go to the same member if both loops have as many (OpenMP 5.2, section 11.5.3). What compilers make of the two may count
    // in different steps: then the text alone tells.
    let is_counted = || trips(first) == trips(second) && d.levels.iter().all(is_same);
    let is_as_written = [first, second].into_iter().all(|context| !super::is_optimised(profile, context));
    let lines = [d.source, d.sink].map(|end| profile.location_of(end).line);
    let is_kept = is_static
        && schedules[0] == schedules[1]
        && is_of_one_iteration([a, b], lines).unwrap_or_else(|| !is_as_written || is_counted());
    !waits && !is_kept
}

/// Whether two loops that run over the same values come to one element of an array, each on one line, in iterations with the same number, by their
/// subscripts; `None` where these do not say.
fn is_of_one_iteration([a, b]: [&profile::lens::SourceLoop; 2], [first, second]: [u32; 2]) -> Option<bool> {
    let ([one], [other]) = (&a.iterators[..], &b.iterators[..]) else { return None };
    let header = |own: &profile::lens::Iterator| {
        (own.start.clone(), own.bound.clone(), own.comparison.clone(), own.step.clone())
    };
    if header(one) != header(other) || one.start.is_none() || one.bound.is_none() {
        return None;
    }
    let renamed = |access: &profile::lens::ArrayAccess, from: &str| -> Option<Vec<profile::lens::Affine>> {
        let all = access.affine.iter().map(|own| {
            let mut own = own.clone()?;
            own.terms.iter_mut().filter(|term| term.0 == from).for_each(|term| term.0.clone_from(&one.name));
            own.terms.sort();
            Some(own)
        });
        all.collect()
    };
    // Others may be set anew in each iteration.
    let is_set = |access: &[profile::lens::Affine]| {
        let mut names = access.iter().flat_map(|own| &own.terms).map(|term| &term.0);
        names.any(|name| *name != one.name && (a.assigns(name) || b.assigns(name)))
    };
    let mut out = None;
    for array in &a.arrays {
        let of = |own: &&profile::lens::Array| own.name == array.name;
        let written = array.accesses.iter().filter(|own| own.at.line == first);
        for write in written {
            let others = b.arrays.iter().filter(of).flat_map(|own| &own.accesses);
            for access in others.filter(|own| own.at.line == second) {
                let (x, y) = (renamed(write, &one.name)?, renamed(access, &other.name)?);
                if is_set(&x) || is_set(&y) {
                    return None;
                }
                out = Some(out.unwrap_or(true) && x == y && !x.is_empty());
            }
        }
    }
    out
}

/// What one member alone writes in a construct at the end of which nobody waits, and all members come to behind it: others may do so before
/// it has, whatever order the run had. Of variables of the program that are no arrays.
fn left_by_one(profile: &Profile, texts: &Texts<'_>) -> Vec<Between> {
    let mut all: BTreeMap<(i64, i64), Vec<(&Location, bool)>> = BTreeMap::new();
    for access in profile.accesses.iter().filter(|access| access.executions > 0) {
        let place = profile.location_of(access.statement);
        let one =
            access.bytes().filter(|(first, end)| end.checked_sub(*first) == Some(i64::from(access.size)));
        if let Some(bytes) = one.filter(|_| place.line > 0 && texts.guards.contains_key(&place.file)) {
            all.entry(bytes).or_default().push((place, access.write));
        }
    }
    let is_shared = |name: &str| {
        profile.objects.iter().any(|object| object.name == name && is_variable(object) && object.bytes <= 16)
    };
    let mut out = Vec::new();
    for own in all.values() {
        for (a, _) in own.iter().filter(|(_, writes)| *writes) {
            for (b, writes) in own.iter().filter(|(b, _)| is_left_by_one(profile, [a, b], texts)) {
                let lines = [a, b].map(|place| texts.line(&place.file, place.line));
                let name = common_name(lines).filter(|name| is_shared(name));
                out.extend(name.map(|name| Between {
                    file: a.file.clone(),
                    lines: (a.line, b.line),
                    functions: (a.function.clone(), b.function.clone()),
                    name: name.to_owned(),
                    is_written_twice: *writes,
                }));
            }
        }
    }
    out
}

/// Whether one line stands in such a construct, and the other one behind it, with nothing in between at which members wait for one another and no
/// guard in common. Where functions of the program are called in between, that is not known.
fn is_left_by_one(profile: &Profile, [a, b]: [&Location; 2], texts: &Texts<'_>) -> bool {
    const ALONE: [&str; 3] = ["single", "master", "masked"];
    const FIRST: [&str; 2] = ["master", "masked"];
    const WAITING: [&str; 6] = ["for", "do", "single", "sections", "workshare", "parallel"];
    if a.file != b.file || a.line >= b.line {
        return false;
    }
    let Some(guards) = texts.guards.get(a.file.as_str()) else { return false };
    let has = |text: &str, of: &[&str]| of.iter().any(|word| has_word(text, word));
    let around = |line: u32, of: &[&str]| {
        let all = guards.constructs().filter(|(text, (first, last))| {
            has(text, of) && !has(text, &["end"]) && *first < line && line <= *last
        });
        all.max_by_key(|(_, lines)| lines.0)
    };
    let Some((own, (first, last))) = around(a.line, &ALONE) else { return false };
    let goes_on_at = |line: u32| goes_on(texts.line(&a.file, line));
    let is_left = has(own, &FIRST) || goes_on(own) || goes_on_at(last) || goes_on_at(last + 1);
    let region = |line: u32| around(line, &["parallel"]).map(|(_, lines)| lines);
    let is_one_text = guards.end_of_function(a.line) == guards.end_of_function(b.line)
        && region(a.line) == region(b.line)
        && a.function == b.function;
    let is_of_first = has(own, &FIRST) && around(b.line, &FIRST).is_some();
    if !is_left || b.line <= last || !is_one_text || is_of_first || guards.is_directive(b.line) {
        return false;
    }
    let between = last + 1..b.line;
    let waits = guards.constructs().any(|(text, (from, to))| {
        let ends = has(text, &WAITING) && from > first && between.contains(&to);
        let is_left = goes_on(text) || goes_on_at(to) || goes_on_at(to + 1);
        has_word(text, "barrier") && between.contains(&from) || ends && !is_left
    });
    let calls = || {
        profile.functions.iter().filter(|function| function.main).any(|function| {
            let name = function.name.split(['(', '.']).next().unwrap_or_default().trim_end_matches('_');
            !name.is_empty() && between.clone().any(|line| mentions(texts.line(&a.file, line), name))
        })
    };
    let is_excluded =
        guards.has_flags(&[a.line, b.line]) || guards.exclude(&[a.line, b.line], &Guarded::Place(&|_| true));
    !waits && !is_excluded && !calls()
}

/// Functions of C's library that do nothing but read and write what they are handed.
const PLAIN: [&str; 18] = [
    "memset", "memcpy", "memmove", "memcmp", "memchr", "strcpy", "strncpy", "strcat", "strncat", "strcmp",
    "strncmp", "strlen", "strchr", "sprintf", "snprintf", "sscanf", "qsort", "bsearch",
];
/// Parts of the names of functions of libraries that order threads, whatever they write for it.
const ORDERING: [&str; 16] = [
    "lock",
    "mutex",
    "once",
    "cond",
    "sem_",
    "barrier",
    "atomic",
    "sync",
    "thread",
    "future",
    "omp_",
    "gomp",
    "kmp",
    "futex",
    "sp_counted",
    "exchange_and_add",
];

/// Where the program's own text has something done. What functions of libraries do is done where they are called: templates, functions
/// that only read and write what they are handed, and others, to what is the program's own, unless they order threads. `line_of`: the
/// text of a line of a file.
pub(super) fn place<'p, 't>(
    profile: &'p Profile,
    d: &Dependence,
    statement: u32,
    line_of: &dyn Fn(&str, u32) -> &'t str,
) -> &'p Location {
    let own = profile.location_of(statement);
    if is_of_standard_library(&own.file) && orders(&own.function) {
        return own;
    }
    let is_own = objects(profile, d).next().is_some_and(is_variable) || is_of_maker(profile, d);
    let mut at = own;
    for context in profile.chain(profile.context_of(statement)) {
        if at.line > 0 && !at.file.is_empty() && !is_of_standard_library(&at.file) {
            return at;
        }
        let Some(node) = profile.contexts.get(context as usize) else { break };
        let ContextKind::Call { site, callee } = node.kind else { continue };
        let Some(function) = profile.functions.get(callee as usize) else { break };
        if function.main && at.line == 0 {
            // The compiler has put it together from several places of the program's own.
            break;
        }
        let is_library = !function.main || is_of_standard_library(&at.file);
        at = profile.location(site);
        let name = function.name.split(['@', '(']).next().unwrap_or_default();
        let name = name.trim_start_matches("__").trim_start_matches("GI_");
        let is_plain = || {
            PLAIN.iter().any(|own| name == *own || name.starts_with(&format!("{own}_")))
                || calls_plain(line_of(&at.file, at.line))
        };
        let is_left = at.line > 0 && !is_of_standard_library(&at.file);
        if is_library && orders(name) || !function.main && is_left && !is_own && !is_plain() {
            break;
        }
    }
    own
}

/// Functions of C's library that keep something between their calls without a lock, and so must not be called at a time.
const KEEPING: [&str; 15] = [
    "strtok",
    "localtime",
    "gmtime",
    "ctime",
    "asctime",
    "drand48",
    "lrand48",
    "mrand48",
    "srand48",
    "getdate",
    "ecvt",
    "fcvt",
    "getpwnam",
    "gethostbyname",
    "l64a",
];

/// The function that keeps something which the program's own text has called for a statement, and where.
pub(super) fn keeping_call(profile: &Profile, statement: u32) -> Option<(&str, &Location)> {
    let calls = profile.chain(profile.context_of(statement)).filter_map(|context| {
        match profile.contexts.get(context as usize)?.kind {
            ContextKind::Call { site, callee } => Some((site, profile.functions.get(callee as usize)?)),
            _ => None,
        }
    });
    let (site, function) = calls.take_while(|(_, function)| !function.main).last()?;
    let name = function.name.split('@').next().unwrap_or_default().trim_start_matches("__");
    let name = KEEPING.iter().find(|own| **own == name)?;
    Some((name, profile.location(site)))
}

/// Whether a function of a library orders threads, by its name.
pub(super) fn orders(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ORDERING.iter().any(|part| name.contains(part))
}

/// Whether a line calls one of the functions that do nothing else: those of which libraries have several have no names.
fn calls_plain(line: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    PLAIN.iter().any(|name| {
        line.match_indices(name).any(|(at, _)| {
            !line[..at].ends_with(is_word) && line[at + name.len()..].trim_start().starts_with('(')
        })
    })
}

/// Where the ends of a dependence are, as [`place`] has it. Code that a compiler has made of several places has no line: where it comes to a
/// variable, it is at the line next to it that names the variable.
pub(super) fn places(profile: &Profile, d: &Dependence, texts: &Texts<'_>) -> [Location; 2] {
    [d.source, d.sink].map(|end| {
        let own = place(profile, d, end, &|file, line| texts.line(file, line));
        let variable = objects(profile, d).next().filter(|object| is_variable(object));
        match (own.line, variable) {
            (0, Some(variable)) => beside(profile, end, &variable.name, texts),
            _ => None,
        }
        .unwrap_or_else(|| own.clone())
    })
}

/// The place of the instruction next to one without a line, in its function, that has one; or, in the construct that it stands in, of the line
/// next to that one that names a variable.
fn beside(profile: &Profile, statement: u32, name: &str, texts: &Texts<'_>) -> Option<Location> {
    let own = profile.statements.get(statement as usize)?;
    let function = profile.contexts[profile.context_of(statement) as usize].function;
    let all = (0..)
        .zip(&profile.statements)
        .filter(|(other, _)| profile.contexts[profile.context_of(*other) as usize].function == function);
    let known = all.map(|(_, other)| (other.pc.abs_diff(own.pc), profile.location(other.location)));
    let known = known.filter(|(_, at)| at.line > 0 && !is_of_standard_library(&at.file));
    let (_, near) = known.min_by_key(|(apart, _)| *apart)?;
    let guards = texts.guards.get(near.file.as_str())?;
    let around = guards.constructs().filter(|(_, (first, last))| (*first..=*last).contains(&near.line));
    let (_, (first, last)) = around.max_by_key(|(_, lines)| lines.0)?;
    let named = (first..=last)
        .filter(|&line| !guards.is_directive(line) && mentions(texts.line(&near.file, line), name));
    let line = named.min_by_key(|line| line.abs_diff(near.line))?;
    Some(Location { line, column: 0, ..near.clone() })
}

/// What two members do at two places, if nothing in the text guards it.
fn pair(profile: &Profile, d: &Dependence, [a, b]: &[Location; 2], texts: &Texts<'_>) -> Option<Between> {
    if a.file != b.file || a.line == 0 || b.line == 0 || is_of_standard_library(&a.file) {
        return None;
    }
    // Of these two alone.
    let shown = d.exclusion.map(|exclusion| ([a.line, b.line], exclusion));
    let guards = &texts.guards.get(a.file.as_str())?.with(shown);
    // What compilers put on directives' lines combines what their clauses say.
    // So do lines of what they stand before.
    let has_directive = guards.has_clauses(a.line) || guards.has_clauses(b.line);
    if has_directive && guards.is_of_directive(a.line, b.line)
        || [a, b].iter().any(|place| guards.is_combiner(&place.function))
        || [d.source, d.sink].into_iter().any(|end| combines(profile, end, guards, &a.file))
        || is_of_reduction(profile, d, guards, [a.line, b.line])
        || guards.has_flags(&[a.line, b.line])
        || guards.exclude(&[a.line, b.line], &Guarded::Place(&|_| true))
    {
        return None;
    }
    let (first, second) = if (a.line, &a.function) <= (b.line, &b.function) { (a, b) } else { (b, a) };
    // Tasks may have their data on the stack of any thread, one after the other.
    let is_of_region = |end: u32| {
        let function = profile.contexts[profile.context_of(end) as usize].function;
        profile.functions.get(function as usize).is_some_and(|own| of_region(&own.name).is_some())
    };
    let has_tasks = texts.tasks.get(&a.file).is_some_and(|tasks| !tasks.is_empty());
    let is_reached = is_shared(profile, d)
        || match d.tasks {
            Some(_) => is_of_maker(profile, d),
            None => !has_tasks || [d.source, d.sink].into_iter().all(is_of_region),
        };
    if !is_reached {
        return None;
    }
    let lines = [first, second].map(|place| texts.line(&place.file, place.line));
    let name = name_of(profile, d, lines)?;
    // What a reduction combines with is put into the region, with the lines of its own function, or of what its directive stands before.
    let has_clause = |text: &str| {
        let mut all = clauses(text).into_iter();
        all.any(|clause| clause.name == "reduction" && clause.variables.contains(&name))
    };
    let may_combine = |(text, (first, last)): (&str, (u32, u32))| {
        let is_elsewhere = |line: u32| guards.end_of_function(line) != guards.end_of_function(first);
        has_clause(text)
            && [a, b].iter().all(|place| (first..=last).contains(&place.line) || is_elsewhere(place.line))
    };
    let is_inside = |place: &Location| {
        let mut regions = guards.constructs().filter(|(text, _)| has_word(text, "parallel"));
        regions.any(|(_, (first, last))| (first..=last).contains(&place.line))
    };
    if ![a, b].into_iter().any(is_inside) && guards.constructs().any(may_combine) {
        return None;
    }
    let elements: Vec<String> = lines.iter().flat_map(|line| subscripts(line, &name)).collect();
    if guards.are_locked_apart(&[a.line, b.line], &elements) {
        return None;
    }
    Some(Between {
        file: a.file.clone(),
        lines: (first.line, second.line),
        functions: (first.function.clone(), second.function.clone()),
        name,
        is_written_twice: d.kind == Kind::Output,
    })
}

/// Whether tasks come to what a reduction has for their thread: both lines stand in constructs that make tasks with a clause for it, and it is the
/// variable of the clause, or memory that the program has not asked for (OpenMP 5.2, section 5.5.10).
pub(super) fn is_of_reduction(profile: &Profile, d: &Dependence, guards: &Guards, lines: [u32; 2]) -> bool {
    let reduced = lines.map(|line| -> Vec<String> {
        let around = guards.constructs().filter(|(text, (first, last))| {
            (has_word(text, "task") || has_word(text, "taskloop")) && (*first..=*last).contains(&line)
        });
        let clauses = around.flat_map(|(text, _)| clauses(text));
        let reduces = clauses.filter(|own| matches!(own.name.as_str(), "reduction" | "in_reduction"));
        reduces.flat_map(|own| own.variables).collect()
    });
    let is_all = |name: &String| reduced.iter().all(|own| own.contains(name));
    let mut objects = objects(profile, d);
    !reduced.iter().any(Vec::is_empty)
        && objects.all(|object| object.kind == ObjectKind::Other || is_all(&object.name))
}

/// Whether a statement is executed in a function that a directive itself calls, to combine what its clauses say.
fn combines(profile: &Profile, statement: u32, guards: &Guards, file: &str) -> bool {
    // All wait for one another before and behind that.
    let copies = |(_, own): (_, &profile::Function)| own.name.contains(".omp.copyprivate.");
    let mut inside = around(profile, statement).take_while(|(_, own)| of_region(&own.name).is_none());
    around(profile, statement).next().is_some_and(copies)
        || inside.any(|(node, _)| match node.kind {
            ContextKind::Call { site, .. } => {
                let place = profile.location(site);
                place.file == file && place.line > 0 && guards.is_directive(place.line)
            }
            _ => false,
        })
}

/// The contexts around a statement with their functions, from the inside.
fn around(
    profile: &Profile,
    statement: u32,
) -> impl Iterator<Item = (&profile::Context, &profile::Function)> {
    let chain = profile.chain(profile.context_of(statement)).take_while(|&at| at != 0);
    chain.map_while(|at| {
        let node = profile.contexts.get(at as usize)?;
        Some((node, profile.functions.get(node.function as usize)?))
    })
}

/// What a dependence passes through.
pub(super) fn objects<'a>(
    profile: &'a Profile,
    d: &'a Dependence,
) -> impl Iterator<Item = &'a profile::Object> {
    let used = d.levels.iter().flat_map(|level| &level.objects);
    used.filter_map(|used| profile.objects.get(used.object as usize))
}

/// Whether what a dependence passes through lies on no stack.
pub(super) fn is_shared(profile: &Profile, d: &Dependence) -> bool {
    objects(profile, d).any(|object| matches!(object.kind, ObjectKind::Global | ObjectKind::Heap))
}

/// Whether what a dependence passes through lies on the stack of what has begun the region, or the task, that one of
/// its ends is in, or of what that was called by: others may come to the same.
pub(super) fn is_of_maker(profile: &Profile, d: &Dependence) -> bool {
    let is_stack = |object: &&profile::Object| matches!(object.kind, ObjectKind::Stack | ObjectKind::Frame);
    let Some((low, high)) = objects(profile, d).next().filter(is_stack).and_then(|object| object.owner)
    else {
        return false;
    };
    [d.source, d.sink].into_iter().any(|end| {
        // From the inside up to the function of the region, or of the task.
        let decides = |(_, own): (_, &profile::Function)| match (low..high).contains(&own.entry) {
            true => Some(false),
            false => of_region(&own.name).map(|_| true),
        };
        around(profile, end).find_map(decides).unwrap_or(false)
    })
}

/// What a dependence between members is about, whose ends stand on two lines; `None` for what may be met by several at a time.
pub(super) fn name_of(profile: &Profile, d: &Dependence, lines: [&str; 2]) -> Option<String> {
    match objects(profile, d).next() {
        Some(object) if object.is_volatile || object.thread_local || object.library => None,
        Some(object) if matches!(object.kind, ObjectKind::Global | ObjectKind::Heap) => {
            let is_global = object.kind == ObjectKind::Global;
            Some(if is_global { without_number(&object.name) } else { &object.name }.to_owned())
        }
        Some(object)
            if object.kind == ObjectKind::Stack && lines.iter().any(|line| mentions(line, &object.name)) =>
        {
            Some(object.name.clone())
        }
        // What the function has there that began the region, and another one is handed.
        Some(object) if object.kind == ObjectKind::Stack && is_of_maker(profile, d) => {
            Some(object.name.clone())
        }
        // What a team shares of a function's variables compilers put together, without their names.
        _ => common_name(lines).map(str::to_owned),
    }
}

/// Whether members go on behind what a directive is about before all others have come there.
pub(super) fn goes_on(text: &str) -> bool {
    text.to_ascii_lowercase().contains("nowait")
}

/// Whether a directive has a word in it before the first of its arguments.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let head = text.split('(').next().unwrap_or_default();
    head.split(|c: char| !c.is_ascii_alphanumeric()).any(|own| own.eq_ignore_ascii_case(word))
}

/// The variable that two lines are about: the first name in what one of them assigns that stands in both, and is no function's.
pub(super) fn common_name([a, b]: [&str; 2]) -> Option<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words = |line: &'_ str| -> Vec<(usize, usize)> {
        let mut out = Vec::new();
        let mut from = None;
        for (at, c) in line.char_indices().chain([(line.len(), ' ')]) {
            match (from, is_word(c)) {
                (None, true) => from = Some(at),
                (Some(start), false) => {
                    let is_name = line[start..].starts_with(|c: char| c.is_alphabetic() || c == '_');
                    if is_name && !line[at..].trim_start().starts_with('(') {
                        out.push((start, at));
                    }
                    from = None;
                }
                _ => {}
            }
        }
        out
    };
    let of = |line: &'_ str| -> Vec<String> {
        words(line).iter().map(|&(from, to)| line[from..to].to_owned()).collect()
    };
    let other = of(b);
    let shared: Vec<(usize, usize)> =
        words(a).into_iter().filter(|&(from, to)| other.iter().any(|own| *own == a[from..to])).collect();
    // What an operator changes, not what it takes.
    let is_changed = |line: &str, name: &str| {
        words(line).iter().any(|&(from, to)| {
            let mut after = line[to..].trim_start();
            // An element of it.
            while let Some((_, rest)) = after.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                after = rest.trim_start();
            }
            let operator = after.trim_start_matches(['+', '-', '*', '/', '&', '|', '^', '<', '>', '%']);
            let is_set = operator.starts_with('=') && !operator.starts_with("==")
                || after.starts_with("++")
                || after.starts_with("--");
            &line[from..to] == name
                && (is_set
                    || line[..from].trim_end().ends_with("++")
                    || line[..from].trim_end().ends_with("--"))
        })
    };
    let counters = [counters(a), counters(b)].concat();
    // What the header of a loop declares each thread has for itself.
    let is_own = |name: &str| counters.iter().any(|(own, is_declared)| *own == name && *is_declared);
    let is_counter = |name: &str| counters.iter().any(|(own, _)| *own == name);
    // Of a loop that is shared out each has its own too: that is the first of a line.
    let is_first = |name: &str| counters.first().is_some_and(|(own, _)| *own == name);
    let names = || shared.iter().map(|&(from, to)| &a[from..to]).filter(|name| !is_own(name));
    let is_directive = |line: &str| line.trim_start().starts_with(['#', '!']);
    let changed = || names().filter(|name| is_changed(a, name) || is_changed(b, name));
    // Arrays have names of their own, but for what is behind pointers.
    let is_element = |name: &str| !subscripts(a, name).is_empty() || !subscripts(b, name).is_empty();
    let named = changed()
        .find(|name| !is_counter(name) && !is_element(name))
        .or_else(|| changed().find(|name| is_counter(name) && !is_first(name)))
        .or_else(|| changed().find(|name| !is_counter(name)))
        .or_else(|| changed().next());
    // A directive changes what its clauses name.
    named.or_else(|| names().find(|_| is_directive(a) != is_directive(b)))
}

/// The variables that loops on a line begin with, and whether they declare them.
fn counters(line: &str) -> Vec<(&str, bool)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let headers = line.match_indices("for").filter(|(at, _)| !line[..*at].ends_with(is_word));
    let of = |(at, _): (usize, &str)| {
        let inside = line[at + "for".len()..].trim_start().strip_prefix('(')?;
        let before = inside.split([';', ')']).next()?.split('=').next()?.trim_end();
        let name = &before[before.trim_end_matches(is_word).len()..];
        let kind = before[..before.len() - name.len()].trim();
        (!name.is_empty()).then_some((name, !kind.is_empty()))
    };
    headers.filter_map(of).collect()
}

/// One in words.
pub fn words(own: &Between) -> String {
    let file = own.file.rsplit('/').next().unwrap_or(&own.file);
    let (first, second) = own.lines;
    let at = if first == second { format!("line {first}") } else { format!("lines {first} and {second}") };
    let (a, b) = &own.functions;
    let function = if a == b { a.clone() } else { format!("{a} and {b}") };
    let what = if own.is_written_twice { "write" } else { "write and read" };
    format!(
        "race: threads of one region {what} `{}` in {function} ({file}, {at}) with no barrier or guard between them",
        own.name
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_about_what_one_of_them_changes() {
        assert_eq!(common_name(["me = omp_get_thread_num();", "me = omp_get_thread_num();"]), Some("me"));
        assert_eq!(common_name(["  init = 10;", "  sum += init;"]), Some("init"));
        assert_eq!(common_name(["  b[me] = me;", "  me = f();"]), Some("me"));
        assert_eq!(common_name(["  s += own;", "  s += own;"]), Some("s"));
        assert_eq!(common_name(["  print(s);", "  t = u;"]), None);
        assert_eq!(common_name(["  if (k == 2) f(k);", "  ++k;"]), Some("k"));
        // Not what counts a loop on the line, if something else is changed.
        assert_eq!(common_name(["for (int i = 0; i < n; i++) s += a[i];"; 2]), Some("s"));
        assert_eq!(common_name(["for (i = 0; i < n; i++) s += a[i];"; 2]), Some("s"));
        assert_eq!(
            common_name(["for (int i = 0; i < n; i++) for (j = 0; j < n; j++) m[i][j] = i;"; 2]),
            Some("j")
        );
    }
}
