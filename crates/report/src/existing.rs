//! Loops that run in parallel already: what their directives say, and what these leave to chance.
//!
//! A directive's clauses are compared with what the text says of each variable ([`schedule::facts`]), and with the dependences of the
//! run. What a variable needs and no clause gives it is a [`Race`]: two threads come to it, one of them writes, and nothing orders them
//! (OpenMP 5.2, section 1.4.1). Updates under `atomic`, `critical` or `ordered` are no races; where the source is not at hand, whether
//! there are such is not known, and [`Existing::guards_known`] says so.
//!
//! A directive that has iterations run in lockstep (`simd`) leaves a race where they depend on others that are closer than it allows.
//!
//! Limits: functions that guard what they do are not seen, nor are locks but those that the text takes by the names of OpenMP and POSIX.

use std::collections::{BTreeMap, BTreeSet};

use profile::lens::{Directive, Home, Language, Operator, Scalar, ScalarForm};
use profile::{ObjectKind, Profile};
use schedule::facts::{Facts, Role};
use schedule::needs::Way;
use schedule::{Parallel, SourceLoop};

use crate::finding::{self, BlockingFinding, Report};
use crate::html::Sources;

/// A loop that has a directive, or stands in a region that has one.
#[derive(Debug, Clone, PartialEq)]
pub struct Existing {
    /// The directive.
    pub directive: String,
    /// Its line.
    pub line: u32,
    /// It shares out the iterations of this very loop.
    pub is_shared_out: bool,
    /// It has several iterations of this very loop run in lockstep, and does nothing else.
    pub is_simd: bool,
    /// What it leaves to chance.
    pub races: Vec<Race>,
    /// Whether the source was looked at for `atomic` and `critical`.
    pub guards_known: bool,
}

/// What two threads do at a time and must not.
#[derive(Debug, Clone, PartialEq)]
pub enum Race {
    /// All threads write one variable of which each iteration needs its own.
    NotPrivate {
        /// The variable.
        name: String,
        /// Lines that write it.
        lines: Vec<u32>,
        /// What the last iteration leaves is used after the loop.
        last: bool,
    },
    /// All threads update one accumulator.
    NotReduced {
        /// The operator, as clauses name it, if they have one.
        operator: Option<&'static str>,
        /// The accumulator.
        name: String,
        /// Lines that update it.
        lines: Vec<u32>,
    },
    /// An iteration reads what an earlier one left in a variable.
    Carried {
        /// The variable.
        name: String,
        /// Lines that write it.
        lines: Vec<u32>,
    },
    /// Members of the team came to one place, and nothing ordered them, as the run has shown.
    Unordered {
        /// What lies there.
        name: String,
        /// The function in which they did; empty where that is the loop's own.
        function: String,
        /// Lines that came to it.
        lines: Vec<u32>,
    },
    /// Iterations depend on one another through memory, as the run has shown.
    Dependence(Box<BlockingFinding>),
}

impl Race {
    /// Lines that write the variable.
    fn lines(&self) -> &[u32] {
        match self {
            Race::NotPrivate { lines, .. }
            | Race::NotReduced { lines, .. }
            | Race::Carried { lines, .. }
            | Race::Unordered { lines, .. } => lines,
            Race::Dependence(_) => &[],
        }
    }
}

/// What a clause does to variables.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Clause {
    name: String,
    variables: Vec<String>,
}

/// What is said of the loops of a report; without sources nothing is known of guards.
pub fn of_loops(profile: &Profile, loops: &[SourceLoop], sources: &Sources) -> Vec<Option<Existing>> {
    loops.iter().map(|own| existing(profile, own, sources)).collect()
}

/// Looks at loops with directives again, with their sources.
pub fn apply(report: &mut Report<'_>, sources: &Sources) {
    report.existing = of_loops(report.profile, &report.loops, sources);
}

/// The sources of loops with directives.
pub fn files(report: &Report<'_>) -> BTreeSet<String> {
    let with = report.loops.iter().zip(&report.existing).filter(|(_, existing)| existing.is_some());
    with.map(|(own, _)| own.file.clone()).collect()
}

fn existing(profile: &Profile, own: &SourceLoop, sources: &Sources) -> Option<Existing> {
    let &context = own.contexts.first()?;
    let text = Facts::source(profile, context)?;
    let directive = text.directive.as_ref().or(text.in_parallel.as_ref())?;
    let is_shared_out = text.directive.as_ref().is_some_and(Directive::shares_out);
    let is_simd = text.directive.as_ref().is_some_and(is_simd);
    let mut out = Existing {
        directive: directive.text.clone(),
        line: directive.line,
        is_shared_out,
        is_simd,
        races: Vec::new(),
        guards_known: false,
    };
    if let Some(facts) = Facts::of(profile, context).filter(|_| is_shared_out) {
        let source = sources.get(&own.file).filter(|source| !source.is_newer);
        let is_fortran = matches!(facts.language, Language::Fortran | Language::FixedFortran);
        let lines = text.at.line..=text.end.line;
        let guarded = source.map(|source| guarded(&source.text, lines, is_fortran));
        out.guards_known = guarded.is_some();
        let everywhere = source.map(|source| self::guarded(&source.text, 0..=u32::MAX, is_fortran));
        let guards = (&guarded.unwrap_or_default(), &everywhere.unwrap_or_default());
        out.races = races(profile, own, &facts, guards);
    }
    // Of optimised loops an iteration may be several of the text's.
    let is_unoptimised = profile.functions.get(profile.contexts[context as usize].function as usize);
    let is_unoptimised = is_unoptimised.is_some_and(|function| function.is_unoptimised);
    let apart = || match is_unoptimised {
        true => Some(own.lanes),
        false => Some(Facts::of(profile, context)?.passed_on(u64::MAX)?.2),
    };
    if is_simd && own.parallel == Parallel::No && apart().is_some_and(|apart| apart < most_lanes(directive)) {
        let carried = finding::blocking(profile, own).into_iter().filter(|blocking| blocking.kind == "flow");
        out.races = carried.take(1).map(|blocking| Race::Dependence(Box::new(blocking))).collect();
        out.guards_known = true;
    }
    Some(out)
}

/// Whether a directive has iterations run in lockstep, and shares out none.
fn is_simd(directive: &Directive) -> bool {
    let head = directive.text.split('(').next().unwrap_or_default().to_ascii_lowercase();
    let mut words = head.split(|c: char| !c.is_ascii_alphanumeric());
    head.contains("omp") && words.any(|word| word == "simd") && !directive.shares_out()
}

/// How many iterations a directive lets run in lockstep; without `safelen` any number.
fn most_lanes(directive: &Directive) -> i64 {
    let own = clauses(&directive.text);
    let clause = own.iter().find(|clause| clause.name == "safelen");
    clause.and_then(|clause| clause.variables.first()?.parse().ok()).unwrap_or(i64::MAX)
}

/// `guarded`: lines of the loop's text that are; `everywhere`: those of its file.
fn races(
    profile: &Profile,
    own: &SourceLoop,
    facts: &Facts<'_>,
    (guarded, everywhere): (&BTreeSet<u32>, &BTreeSet<u32>),
) -> Vec<Race> {
    let source = facts.source;
    let is_fortran = matches!(facts.language, Language::Fortran | Language::FixedFortran);
    let source_lines = source.at.line..=source.end.line;
    let directives: Vec<&Directive> = source.directive.iter().chain(&source.in_parallel).collect();
    let clauses: Vec<Clause> = directives.iter().flat_map(|directive| clauses(&directive.text)).collect();
    let is_same = |a: &str, b: &str| if is_fortran { a.eq_ignore_ascii_case(b) } else { a == b };
    let is_in = |names: &[&str], variable: &str| {
        let of = |clause: &&Clause| names.contains(&clause.name.as_str());
        clauses.iter().filter(of).any(|clause| clause.variables.iter().any(|own| is_same(own, variable)))
    };
    let is_private =
        |name: &str| is_in(&["private", "firstprivate", "lastprivate", "linear", "copyin"], name);
    let is_reduced = |name: &str| is_in(&["reduction", "in_reduction", "task_reduction"], name);
    let defaults_to_private = clauses
        .iter()
        .any(|clause| clause.name == "default" && clause.variables.iter().any(|own| own.contains("private")));
    // What is declared in the region that the loop is in is its threads' own.
    let region = directives.iter().map(|directive| directive.line).min().unwrap_or(0);
    let is_inside = |scalar: &Scalar| !is_fortran && scalar.declared.is_some_and(|at| at.line > region);
    let joined = directives.iter().map(|directive| directive.joined()).max().unwrap_or(1) as usize;
    let mut out = Vec::new();
    for (scalar, role) in &facts.scalars {
        let name = scalar.name.as_str();
        let is_plain = matches!(scalar.form, ScalarForm::Variable | ScalarForm::Member);
        let is_own = matches!(scalar.home, Home::InBody | Home::InHeader) || is_inside(scalar);
        if !is_plain
            || is_own
            || scalar.storage.thread_local
            || is_private(&scalar.root)
            || defaults_to_private
        {
            continue;
        }
        let written = scalar.definitions.iter().map(|definition| definition.at.line);
        let lines: Vec<u32> =
            written.filter(|line| !guarded.contains(line)).collect::<BTreeSet<_>>().into_iter().collect();
        if lines.is_empty() || is_reduced(name) {
            continue;
        }
        let name = name.to_owned();
        match role {
            // That of the loop, and in Fortran those of all loops inside, are private by themselves.
            Role::Iterator if is_fortran || source.iterators.iter().any(|own| own.name == name) => {}
            Role::Iterator | Role::Private { .. } if is_joined(source, &name, joined) => {}
            Role::Iterator => out.push(Race::NotPrivate { name, lines, last: false }),
            Role::Private { last } => out.push(Race::NotPrivate { name, lines, last: *last }),
            Role::Reduction(operator) => {
                out.push(Race::NotReduced { operator: operator_of(*operator, is_fortran), name, lines });
            }
            Role::Carried | Role::Induction(_) | Role::Companion => out.push(Race::Carried { name, lines }),
            Role::Own | Role::Flag | Role::Shared => {}
        }
    }
    let is_named = |out: &[Race], name: &str| {
        out.iter().any(|race| match race {
            Race::NotPrivate { name: own, .. }
            | Race::NotReduced { name: own, .. }
            | Race::Carried { name: own, .. }
            | Race::Unordered { name: own, .. } => is_same(own, name),
            Race::Dependence(_) => false,
        })
    };
    // Arrays of which each iteration needs its own.
    for name in finding::privatise(profile, own) {
        let array = source.arrays.iter().find(|array| is_same(&array.name, &name));
        let array = array.filter(|array| array.fixed && array.home != Home::InBody);
        let Some(array) = array.filter(|_| !is_private(&name) && !is_reduced(&name) && !defaults_to_private)
        else {
            continue;
        };
        let writes = array.accesses.iter().filter(|access| access.mode != profile::lens::AccessMode::Read);
        let lines: BTreeSet<u32> =
            writes.map(|access| access.at.line).filter(|line| !guarded.contains(line)).collect();
        if !lines.is_empty() && !is_named(&out, &name) {
            out.push(Race::NotPrivate { name, lines: lines.into_iter().collect(), last: false });
        }
    }
    for (operator, name, line) in finding::reductions(profile, own) {
        let Some(name) = name else { continue };
        let plain = name.trim_end_matches("[:]").to_owned();
        let is_array = source.arrays.iter().any(|array| is_same(&array.name, &plain));
        if is_array && !is_reduced(&plain) && !guarded.contains(&line) && !is_named(&out, &plain) {
            out.push(Race::NotReduced { operator: Some(operator), name, lines: vec![line] });
        }
    }
    if own.parallel == Parallel::No {
        for blocking in finding::blocking(profile, own).into_iter().filter(|b| b.via == "memory") {
            let ends = [blocking.source.1, blocking.sink.1];
            let object = blocking.object.as_ref().map(|object| object.name.clone()).unwrap_or_default();
            let is_scalar = facts.scalars.iter().any(|(scalar, _)| is_same(&scalar.name, &object));
            // What functions such as those of locks keep is none of the loop's.
            let is_accessed = |line: &u32| {
                source.arrays.iter().flat_map(|array| &array.accesses).any(|access| access.at.line == *line)
            };
            let is_array = source.arrays.iter().any(|array| is_same(&array.name, &object))
                || !is_scalar && ends.iter().all(is_accessed);
            let is_guarded = ends.iter().all(|line| guarded.contains(line));
            // Compilers put what a team shares into a structure without a name: its parts are variables that the text names.
            let is_nameless =
                profile.objects.iter().any(|own| own.name == object && own.kind == ObjectKind::Frame);
            let is_part =
                is_nameless && out.iter().any(|race| race.lines().iter().any(|at| ends.contains(at)));
            let is_made = object.starts_with('.') || is_part;
            let is_given = is_made || is_private(&object) || is_reduced(&object) || is_named(&out, &object);
            let is_seen = out.iter().any(|race| matches!(race, Race::Dependence(other) if other.object.as_ref().map(|o| &o.name) == Some(&object)));
            if blocking.object.is_some() && is_array && !is_guarded && !is_given && !is_seen {
                out.push(Race::Dependence(Box::new(blocking)));
            }
        }
    }
    // What the compiler kept in registers, the text shows.
    let is_shown = out.iter().any(|race| matches!(race, Race::Dependence(_)));
    if own.parallel == Parallel::No
        && !is_shown
        && let Some((name, (write, read), _)) = facts.passed_on(u64::MAX)
        && ![write, read].iter().all(|line| guarded.contains(line))
        && !is_private(name)
        && !is_reduced(name)
        && !is_named(&out, name)
    {
        out.push(Race::Carried { name: name.to_owned(), lines: vec![write] });
    }
    // What functions that the loop calls combine.
    for need in own.needs().into_iter().filter(|need| need.way == Way::Combine) {
        let object = profile.objects.get(need.object as usize);
        let Some(object) = object.filter(|object| object.kind == ObjectKind::Global) else { continue };
        let name = object.name.clone();
        let is_open =
            need.lines.iter().any(|line| !everywhere.contains(line) && !source_lines.contains(line));
        if is_open && !is_private(&name) && !is_reduced(&name) && !is_named(&out, &name) {
            out.push(Race::NotReduced { operator: None, name, lines: need.lines });
        }
    }
    for (name, function, lines) in unordered(profile, own) {
        let is_given = is_private(&name) || is_reduced(&name) || is_named(&out, &name);
        let is_seen = out.iter().any(|race| match race {
            Race::Dependence(other) => other.object.as_ref().is_some_and(|object| object.name == name),
            _ => false,
        });
        let is_guarded = lines.iter().all(|line| everywhere.contains(line));
        if !is_given && !is_seen && !is_guarded {
            out.push(Race::Unordered { name, function, lines });
        }
    }
    out
}

/// Variables that members of a team came to while nothing ordered them: of those that functions called in the loop come to themselves, each with
/// the function and the lines that did. What the loop's own text comes to, that tells.
fn unordered(profile: &Profile, own: &SourceLoop) -> Vec<(String, String, Vec<u32>)> {
    let mut found: BTreeMap<(String, String), BTreeSet<u32>> = BTreeMap::new();
    for d in profile.dependences.iter().filter(|d| d.between_members) {
        let ends = [d.source, d.sink];
        let carries = own.contexts.iter().any(|&context| {
            let level = profile.contexts[context as usize].dims.saturating_sub(1);
            d.levels.iter().any(|l| l.level == level)
                && ends.iter().all(|&end| profile.is_around(context, profile.context_of(end)))
        });
        let places = ends.map(|end| profile.location_of(end));
        let is_called = places
            .iter()
            .all(|place| place.function != own.function && place.line > 0 && place.file == own.file);
        if !carries || !is_called {
            continue;
        }
        for used in d.levels.iter().flat_map(|level| &level.objects) {
            let object = profile.objects.get(used.object as usize);
            let is_named =
                |object: &&profile::Object| matches!(object.kind, ObjectKind::Global | ObjectKind::Stack);
            if let Some(object) = object.filter(is_named) {
                let key = (object.name.clone(), places[0].function.clone());
                found.entry(key).or_default().extend(places.iter().map(|place| place.line));
            }
        }
    }
    found.into_iter().map(|((name, function), lines)| (name, function, lines.into_iter().collect())).collect()
}

/// Whether a variable counts one of the loops that `collapse` joins: those directly inside.
fn is_joined(source: &profile::lens::SourceLoop, name: &str, joined: usize) -> bool {
    source.inner_iterators.iter().take(joined.saturating_sub(1)).any(|inner| inner.name == name)
}

fn operator_of(operator: Operator, is_fortran: bool) -> Option<&'static str> {
    crate::directive::operator_name(operator, is_fortran)
}

/// The clauses of a directive.
fn clauses(text: &str) -> Vec<Clause> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('(') {
        let before = rest[..open].trim_end();
        let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        let mut depth = 0usize;
        let close = rest[open..].char_indices().find_map(|(at, c)| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(open + at)
        });
        let Some(close) = close else { break };
        let name = before[start..].to_ascii_lowercase();
        let inside = &rest[open + 1..close];
        // `reduction(+: s)`, `lastprivate(conditional: x)` have something in front; `linear(x: 2)` has it behind.
        let list = match (name.as_str(), inside.split_once(':')) {
            ("linear", Some((list, _))) => list,
            (_, Some((front, list))) if !front.contains('[') => list,
            _ => inside,
        };
        // A section is about its array.
        let plain = |own: &str| own.split(['[', '(']).next().unwrap_or_default().trim().to_owned();
        out.push(Clause {
            name,
            variables: list.split(',').map(plain).filter(|own| !own.is_empty()).collect(),
        });
        rest = &rest[close + 1..];
    }
    out
}

/// Lines of a text between those that take a lock and those that give it back, these included.
fn locked<'t>(
    all: &'t [&'t str],
    lines: &'t std::ops::RangeInclusive<u32>,
) -> impl Iterator<Item = u32> + 't {
    const TAKE: [&str; 5] =
        ["omp_set_lock", "omp_set_nest_lock", "pthread_mutex_lock", "pthread_spin_lock", "mtx_lock"];
    const GIVE: [&str; 5] = [
        "omp_unset_lock",
        "omp_unset_nest_lock",
        "pthread_mutex_unlock",
        "pthread_spin_unlock",
        "mtx_unlock",
    ];
    let mut held = 0usize;
    let numbered = (1..).zip(all).filter(|(number, _)| lines.contains(number));
    numbered.filter_map(move |(number, line)| {
        let calls = |names: &[&str]| -> usize { names.iter().map(|name| line.matches(name).count()).sum() };
        let taken = calls(&TAKE);
        let is_locked = held + taken > 0;
        held = (held + taken).saturating_sub(calls(&GIVE));
        is_locked.then_some(number)
    })
}

/// Lines of a text that run under `atomic`, `critical` or `ordered`, or while a lock is held.
fn guarded(text: &str, lines: std::ops::RangeInclusive<u32>, is_fortran: bool) -> BTreeSet<u32> {
    let all: Vec<&str> = text.lines().collect();
    let mut out: BTreeSet<u32> = locked(&all, &lines).collect();
    for (index, line) in all.iter().enumerate() {
        let number = index as u32 + 1;
        let Some(kind) = guard(line, is_fortran).filter(|_| lines.contains(&number)) else { continue };
        // Compilers put what they guard on its line.
        out.insert(number);
        let mut depth = 0i64;
        let mut is_open = false;
        for (after, line) in all.iter().enumerate().skip(index + 1) {
            let is_over = match is_fortran {
                true => guard_ends(line),
                false => false,
            };
            if is_over || !lines.contains(&(after as u32 + 1)) {
                break;
            }
            out.insert(after as u32 + 1);
            if is_fortran {
                // Those two take one statement without an end.
                if kind == "atomic" && !line.trim().is_empty() {
                    break;
                }
                continue;
            }
            is_open |= line.contains('{');
            depth += line.matches('{').count() as i64 - line.matches('}').count() as i64;
            let is_done = if is_open { depth <= 0 } else { line.contains(';') };
            if is_done {
                break;
            }
        }
    }
    out
}

/// The word of a directive that guards what follows.
fn guard(line: &str, is_fortran: bool) -> Option<&'static str> {
    let line = line.trim_start().to_ascii_lowercase();
    let rest = if is_fortran {
        line.strip_prefix("!$omp").or_else(|| line.strip_prefix("c$omp"))?.to_owned()
    } else {
        let rest = line.strip_prefix('#')?.trim_start().strip_prefix("pragma")?.trim_start().to_owned();
        rest.strip_prefix("omp")?.to_owned()
    };
    let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).find(|word| !word.is_empty())?.to_owned();
    ["atomic", "critical", "ordered"].into_iter().find(|guard| word == *guard)
}

fn guard_ends(line: &str) -> bool {
    let line = line.trim_start().to_ascii_lowercase();
    let rest = line.strip_prefix("!$omp").unwrap_or_default().trim_start();
    rest.strip_prefix("end").is_some_and(|rest| {
        ["atomic", "critical", "ordered"].iter().any(|guard| rest.trim_start().starts_with(guard))
    })
}

/// What is said of a loop that has a directive, line by line.
pub fn words(own: &SourceLoop, existing: &Existing) -> Vec<String> {
    let lines = |lines: &[u32]| crate::sequence::in_lines(lines);
    let Existing { directive, line, .. } = existing;
    if existing.is_simd {
        let mut out = vec![match existing.races.len() {
            0 => format!("already vectorised: {directive}"),
            _ => format!("already vectorised, with a race: {directive} (line {line})"),
        }];
        for race in &existing.races {
            if let Race::Dependence(found) = race {
                out.push(format!("race: {}: the directive has to go", crate::text::sentence(found, own)));
            }
        }
        return out;
    }
    if !existing.is_shared_out {
        return vec![format!("it runs inside a parallel region: {directive} (line {line})")];
    }
    let mut out = vec![match existing.races.len() {
        0 => format!("already parallel: {directive}"),
        _ => format!("already parallel, with a race: {directive} (line {line})"),
    }];
    let unless =
        if existing.guards_known { "" } else { ", unless it is guarded: the source was not looked at" };
    for race in &existing.races {
        out.push(match race {
            Race::NotPrivate { name, lines: at, last } => {
                let clause = if *last { "lastprivate" } else { "private" };
                format!("race: all threads write one `{name}` ({}): {clause}({name}) is missing{unless}", lines(at))
            }
            Race::NotReduced { operator: Some(operator), name, lines: at } => format!(
                "race: all threads update one `{name}` ({}): reduction({operator}:{name}) is missing{unless}",
                lines(at)
            ),
            Race::NotReduced { operator: None, name, lines: at } => {
                format!("race: all threads update one `{name}` ({}): it needs critical{unless}", lines(at))
            }
            Race::Carried { name, lines: at } => format!(
                "race: an iteration uses what an earlier one left in `{name}` ({}): no clause makes this parallel{unless}",
                lines(at)
            ),
            Race::Unordered { name, function, lines: at } => format!(
                "race: threads come to `{name}` in {function} ({}) at a time: it needs atomic, critical or a copy for each{unless}",
                lines(at)
            ),
            Race::Dependence(found) => {
                format!("race: {}: the directive has to go{unless}", crate::text::sentence(found, own))
            }
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_read() {
        let found = clauses(
            "#pragma omp parallel for private(a, b) reduction(+ : s, v[0:n]) schedule(static, f(2)) linear(k:2) \
             lastprivate(conditional: z) collapse(2) default(none)",
        );
        let of = |name: &str| found.iter().find(|own| own.name == name).map(|own| own.variables.join(" "));
        assert_eq!(of("private").as_deref(), Some("a b"));
        assert_eq!(of("reduction").as_deref(), Some("s v"));
        assert_eq!(of("linear").as_deref(), Some("k"));
        assert_eq!(of("lastprivate").as_deref(), Some("z"));
        assert_eq!(of("collapse").as_deref(), Some("2"));
        assert!(clauses("#pragma omp parallel for private(").is_empty());
    }

    #[test]
    fn directives_that_share_out() {
        let of = |text: &str| Directive { text: text.to_owned(), line: 1 }.shares_out();
        assert!(of("#pragma omp parallel for private(i)") && of("!$OMP DO") && of("#pragma omp for"));
        assert!(
            !of("#pragma omp simd reduction(+:for)")
                && !of("#pragma omp parallel")
                && !of("#pragma acc loop")
        );
    }

    #[test]
    fn guards_reach_over_a_statement_or_a_block() {
        let c = "for (;;) {\n#pragma omp atomic\n a +=\n b;\n c;\n # pragma omp critical (x)\n {\n d;\n }\n e;\n}\n";
        assert_eq!(guarded(c, 1..=11, false).into_iter().collect::<Vec<_>>(), [2, 3, 4, 6, 7, 8, 9]);
        let f = "do i = 1, n\n!$omp atomic\n a = a + 1\n b = 2\n!$OMP CRITICAL\n c = 1\n d = 2\n!$omp end critical\n e = 1\nend do\n";
        assert_eq!(guarded(f, 1..=10, true).into_iter().collect::<Vec<_>>(), [2, 3, 5, 6, 7]);
    }
}
