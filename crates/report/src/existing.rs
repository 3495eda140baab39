//! Loops that run in parallel already: what their directives say, and what these leave to chance.
//!
//! A directive's clauses are compared with what the text says of each variable ([`schedule::facts`]), and with the dependences of the
//! run. What a variable needs and no clause gives it is a [`Race`]: two threads come to it, one of them writes, and nothing orders them
//! (OpenMP 5.2, section 1.4.1). Updates under `atomic`, `critical` or `ordered` are no races; where the source is not at hand, whether
//! there are such is not known, and [`Existing::guards_known`] says so.
//!
//! A race is what the run has shown, or what the text proves. What may be one and rests on what another run decides is a [`Doubt`] (`origins`).
//!
//! A directive that has iterations run in lockstep (`simd`) leaves a race where they depend on others that are closer than it allows.
//!
//! What no loop shows is in [`between`].
//!
//! Limits: see the modules `guards` and `tasks`.

pub mod between;
mod doacross;
mod guards;
mod locks;
mod origins;
mod run;
mod tasks;

use std::collections::{BTreeMap, BTreeSet};

use between::goes_on;
use doacross::Doacross;
use guards::{Guarded, Guards, mentions, subscripts};
use origins::{Origins, Rests, root_of};
use profile::lens::{
    AfterLoop, Array, Call, Directive, Home, Language, Operator, Scalar, ScalarForm, SharingKind,
};
use profile::place::is_of_standard_library;
use profile::{ContextIndex, Dependence, Exclusion, ObjectKind, Profile};
use run::Run;
use schedule::facts::{Facts, Role, is_errno};
use schedule::graph::is_optimised;
use schedule::needs::Way;
use schedule::{Parallel, SourceLoop, Unknown};
use tasks::Tasks;

use crate::finding::{self, BlockingFinding, ReductionFinding, Report};
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
    /// What it may leave to chance, and what that depends on.
    pub doubts: Vec<Doubt>,
    /// Whether the source was looked at for `atomic` and `critical`.
    pub guards_known: bool,
    /// Lines of it that an atomic operation guards of which it is not known whether it was compiled: no race is reported there.
    pub may_be_atomic: Vec<u32>,
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
    /// An iteration comes to what an earlier one wrote, or has read, and waits for none that is so far before it.
    NotAwaited {
        /// The array.
        name: String,
        /// The lines of both.
        lines: Vec<u32>,
        /// How many iterations are between them, outermost loop first.
        distance: Vec<i64>,
    },
    /// What a clause leaves in a variable behind the loop is used there before all members have done their part.
    NotWaited {
        /// The variable.
        name: String,
        /// The lines behind the loop.
        lines: Vec<u32>,
    },
    /// Iterations depend on one another through memory, as the run has shown.
    Dependence(Box<BlockingFinding>),
}

impl Race {
    /// What it is about.
    fn variable(&self) -> Option<&str> {
        match self {
            Race::NotPrivate { name, .. }
            | Race::NotReduced { name, .. }
            | Race::Carried { name, .. }
            | Race::NotAwaited { name, .. }
            | Race::NotWaited { name, .. }
            | Race::Unordered { name, .. } => Some(name),
            Race::Dependence(found) => found.object.as_ref().map(|object| object.name.as_str()),
        }
    }

    /// Lines that write the variable.
    fn lines(&self) -> &[u32] {
        match self {
            Race::NotPrivate { lines, .. }
            | Race::NotReduced { lines, .. }
            | Race::Carried { lines, .. }
            | Race::NotAwaited { lines, .. }
            | Race::NotWaited { lines, .. }
            | Race::Unordered { lines, .. } => lines,
            Race::Dependence(_) => &[],
        }
    }
}

/// What threads may do at a time and must not, of which it is not known whether they do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// What it is about.
    pub name: String,
    /// The lines that come to it.
    pub lines: Vec<u32>,
    /// Why it is not known.
    pub why: Why,
}

/// Why it is not known whether something is a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// To which place a thread comes, or whether it does, rests on its number, and one thread alone had iterations.
    Number,
    /// That rests on how many threads there are, or on what a build with OpenMP alone has, and one thread alone had iterations.
    Team,
    /// Iterations come to it by the verdict on the loop, and the text does not say whether threads share it.
    Verdict,
}

/// What a clause does to variables.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Clause {
    name: String,
    variables: Vec<String>,
}

/// The texts of files that are as they were compiled, by name, with blank lines for what was left out by conditional compilation, or may have
/// been: nothing rests on that.
struct CompiledTexts {
    /// Beside each the text in which what may have been left out still stands.
    of: BTreeMap<String, (String, String)>,
}

impl CompiledTexts {
    fn of(profile: &Profile, sources: &Sources) -> CompiledTexts {
        let is_old = sources.iter().filter(|(_, source)| !source.is_newer);
        let of = is_old.map(|(file, source)| {
            let read = profile.source(file);
            let (left_out, open) = read.map_or((&[][..], &[][..]), |read| (&read.left_out, &read.open));
            let with_open = without_lines(&source.text, left_out);
            (file.clone(), (without_lines(&with_open, open), with_open))
        });
        CompiledTexts { of: of.collect() }
    }

    /// The text of a file, if it is the one that was compiled.
    fn get(&self, file: &str) -> Option<&str> {
        self.of.get(file).map(|own| own.0.as_str())
    }

    /// The guards of a file, likewise.
    fn guards(&self, file: &str, language: Language) -> Option<Guards> {
        self.of.get(file).map(|(text, open)| Guards::with_open(text, open, language))
    }
}

/// A text with blank lines in the place of some ranges of its lines.
fn without_lines(text: &str, blank: &[(u32, u32)]) -> String {
    let lines: Vec<&str> = text
        .split('\n')
        .zip(1..)
        .map(
            |(line, number)| {
                if blank.iter().any(|own| own.0 <= number && number <= own.1) { "" } else { line }
            },
        )
        .collect();
    lines.join("\n")
}

/// What the texts of a program say beside its loops.
struct Texts<'a> {
    compiled: &'a CompiledTexts,
    /// The lines of the files with guards.
    lines: BTreeMap<String, Vec<&'a str>>,
    /// Guards by file: of those files that are as they were compiled.
    guards: BTreeMap<String, Guards>,
    /// The tasks of the same.
    tasks: BTreeMap<String, Tasks>,
    /// What members of teams were seen to do to one another.
    between: Vec<&'a Dependence>,
    /// For each of these, what the run has shown of locks at its ends.
    met: Vec<Vec<Met>>,
    /// What the number of a thread and the size of its team decide.
    origins: Origins,
}

impl<'a> Texts<'a> {
    /// Those of the files in which loops with directives stand, and of what else members of a team do.
    fn of(
        profile: &'a Profile,
        loops: &'a [SourceLoop],
        compiled: &'a CompiledTexts,
        sources: &Sources,
    ) -> Texts<'a> {
        let has_directive = |own: &&SourceLoop| {
            let text = own.contexts.first().and_then(|&context| Facts::source(profile, context));
            text.is_some_and(|text| text.directive.is_some() || text.in_parallel.is_some())
        };
        let files = loops.iter().filter(has_directive).map(|own| own.file.clone());
        let files: BTreeSet<String> = files.chain(between::files(profile)).collect();
        let between = profile.dependences.iter().filter(|d| d.between_members && d.memory).collect();
        let (lines, guards, tasks) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let has_openmp = profile.functions.iter().any(|own| schedule::names::of_region(&own.name).is_some());
        let as_compiled = sources.iter().filter(|(_, source)| !source.is_newer);
        let texts =
            as_compiled.map(|(file, own)| (file.as_str(), own.text.as_str(), language(profile, file)));
        // Without directives nobody asks.
        let origins = if files.is_empty() { Origins::default() } else { Origins::of(texts, has_openmp) };
        let mut out = Texts { compiled, lines, guards, tasks, between, met: Vec::new(), origins };
        for file in files {
            if let Some(text) = compiled.get(&file) {
                let Some(guards) = compiled.guards(&file, language(profile, &file)) else { continue };
                let loops = profile.source(&file).map_or(&[][..], |read| &read.loops);
                let loops = loops.iter().map(|own| {
                    let names = own.iterators.iter().map(|iterator| iterator.name.clone());
                    ((own.at.line, own.end.line), names.collect())
                });
                out.tasks.insert(file.clone(), Tasks::of(&guards, loops.collect()));
                out.lines.insert(file.clone(), text.lines().collect());
                out.guards.insert(file, guards);
            }
        }
        out.met = out.between.iter().map(|d| pairs(profile, d, &out)).collect();
        for (file, guards) in &mut out.guards {
            let own = out.met.iter().flatten().filter(|own| own.0 == *file);
            *guards = guards.with(own.map(|own| own.1));
        }
        out
    }

    /// A line of a file, from 1; empty if it is not known.
    fn line(&self, file: &str, line: u32) -> &str {
        let at = (line as usize).checked_sub(1);
        let known = self.lines.get(file).zip(at).and_then(|(lines, at)| lines.get(at));
        known.copied().unwrap_or_default()
    }
}

/// Two lines of a file, and what the run has shown of locks there.
type Met = (String, ([u32; 2], Exclusion));

/// What the run has shown of locks at the ends of a dependence between members of a team, by file: of the lines of the accesses, and of those on which
/// the program's text has a library do them.
fn pairs(profile: &Profile, d: &Dependence, texts: &Texts<'_>) -> Vec<Met> {
    let Some(exclusion) = d.exclusion else { return Vec::new() };
    let own = [d.source, d.sink].map(|end| profile.location_of(end).clone());
    let called = between::places(profile, d, texts);
    let all = [own, called].into_iter().filter(|[a, b]| a.file == b.file && a.line > 0 && b.line > 0);
    all.map(|[a, b]| (a.file, ([a.line, b.line], exclusion))).collect()
}

/// The language of a file: that of its loops if they were read, else by its name.
fn language(profile: &Profile, file: &str) -> Language {
    let read = profile.source(file).map(|read| read.language);
    read.or_else(|| source::lens::language_of(std::path::Path::new(file))).unwrap_or(Language::Cpp)
}

/// What is said of the loops of a report; without sources nothing is known of guards.
pub fn of_loops(profile: &Profile, loops: &[SourceLoop], sources: &Sources) -> Vec<Option<Existing>> {
    let compiled = CompiledTexts::of(profile, sources);
    all(profile, loops, &Texts::of(profile, loops, &compiled, sources))
}

fn all(profile: &Profile, loops: &[SourceLoop], texts: &Texts<'_>) -> Vec<Option<Existing>> {
    (0..loops.len()).map(|at| existing(profile, loops, at, texts)).collect()
}

/// Looks at loops with directives again, with their sources.
pub fn apply(report: &mut Report<'_>, sources: &Sources) {
    let compiled = CompiledTexts::of(report.profile, sources);
    let texts = Texts::of(report.profile, &report.loops, &compiled, sources);
    report.existing = all(report.profile, &report.loops, &texts);
    let loops = report.loops.iter().zip(&report.existing);
    let shared_out: Vec<&SourceLoop> = loops
        .filter(|(_, existing)| existing.as_ref().is_some_and(|own| own.is_shared_out))
        .map(|(own, _)| own)
        .collect();
    // Those say nothing themselves of which it is not known what part of their text was compiled.
    let tells = |own: &&&SourceLoop| {
        let text = own.contexts.first().and_then(|&context| Facts::source(report.profile, context));
        text.is_none_or(|text| !text.is_open())
    };
    let told = shared_out.iter().filter(tells).flat_map(|own| own.contexts.iter().copied()).collect();
    let shared_out = shared_out.iter().flat_map(|own| own.contexts.iter().copied()).collect();
    let tasks = tasks::Judge::of(report.profile, &texts);
    report.between =
        between::races(report.profile, &report.loops, (&shared_out, &told), (&texts, tasks.as_ref()));
    report.between.extend(tasks.iter().flat_map(tasks::Judge::races));
}

/// The sources of loops with directives, and of what else members of a team do.
pub fn files(report: &Report<'_>) -> BTreeSet<String> {
    let with = report.loops.iter().zip(&report.existing).filter(|(_, existing)| existing.is_some());
    let mut files: BTreeSet<String> =
        with.map(|(own, _)| own.file.clone()).chain(between::files(report.profile)).collect();
    // What the functions do that they call.
    if !files.is_empty() {
        let read = report.profile.sources.iter().filter(|source| source.loops.is_some());
        files.extend(read.map(|source| source.file.clone()));
    }
    files
}

fn existing(profile: &Profile, loops: &[SourceLoop], at: usize, texts: &Texts<'_>) -> Option<Existing> {
    let own = loops.get(at)?;
    let &context = own.contexts.first()?;
    let text = Facts::source(profile, context)?;
    let own_directive = text.directive.as_ref().filter(|directive| !directive.is_for_compilers());
    let directive = own_directive.or(text.in_parallel.as_ref())?;
    let is_shared_out = text.directive.as_ref().is_some_and(Directive::shares_out);
    let is_simd = text.directive.as_ref().is_some_and(is_simd);
    let mut out = Existing {
        directive: directive.text.clone(),
        line: directive.line,
        is_shared_out,
        is_simd,
        races: Vec::new(),
        doubts: Vec::new(),
        guards_known: false,
        may_be_atomic: Vec::new(),
    };
    let guards = texts.guards.get(own.file.as_str());
    let none = Guards::default();
    if is_shared_out {
        out.guards_known = guards.is_some();
        let may_be = guards.map(|guards| guards.may_be_atomic(lines_of_loop(text)).collect());
        out.may_be_atomic = may_be.unwrap_or_default();
    }
    // What was done in this loop, not what its lines do in others.
    let is_around =
        |end: u32| own.contexts.iter().any(|&context| profile.is_around(context, profile.context_of(end)));
    let within = texts.between.iter().zip(&texts.met);
    let within = within.filter(|(d, _)| is_around(d.source) && is_around(d.sink)).flat_map(|(_, met)| met);
    let shown = within.filter(|(file, _)| *file == own.file).map(|met| met.1);
    let guards = guards.unwrap_or(&none);
    let guards = &guards.with(shown);
    let facts = Facts::of(profile, context);
    let given = || -> Vec<String> {
        clauses(&directive.text).into_iter().flat_map(|clause| clause.variables).collect()
    };
    if is_shared_out && facts.is_none() {
        // What the text says of variables is not known; what functions do that it calls, the run has shown.
        let given = given();
        let is_given = |race: &Race| race.variable().is_some_and(|name| given.iter().any(|own| own == name));
        let (_, lines) = region_lines(text, texts.compiled.get(&own.file).unwrap_or_default());
        let run = Run::of(profile, own, &texts.between);
        out.races = unguarded(text, guards, of_callees(profile, own, text, &texts.between));
        out.races.extend(unguarded(text, guards, kept_elsewhere(profile, own, text, &run, &lines)));
        out.races.retain(|race| !is_given(race));
        out.races.extend(unguarded(text, guards, kept_by_libraries(profile, own, &texts.between)));
    }
    if let Some(facts) = facts.as_ref().filter(|_| is_shared_out) {
        let text = texts.compiled.get(&own.file).unwrap_or_default();
        out.races = races(profile, own, facts, (guards, text), &texts.between);
        let source_iterators: Vec<String> =
            facts.source.iterators.iter().map(|own| own.name.clone()).collect();
        // Iterations of the loops that it joins are shared out as well; vectors of those that wait for one another are of all.
        let waits = doacross(profile, own, facts, guards).is_some();
        let mut outer = at;
        for _ in (1..directive.joined()).filter(|_| !waits) {
            let Some(inner) = loops.iter().position(|other| other.parent == Some(outer)) else { break };
            outer = inner;
            let own = &loops[inner];
            let Some(facts) = own.contexts.first().and_then(|&context| Facts::of(profile, context)) else {
                break;
            };
            for race in races(profile, own, &facts, (guards, text), &texts.between) {
                let counts = |name: &str| source_iterators.iter().any(|own| own == name);
                let is_known = out.races.iter().any(|other| other.variable() == race.variable())
                    || race.variable().is_some_and(counts);
                if !is_known {
                    out.races.push(race);
                }
            }
        }
    }
    if is_shared_out {
        let run = Run::of(profile, own, &texts.between);
        let races = std::mem::take(&mut out.races);
        for race in races {
            match resting(own, text, &race, &run, &texts.origins) {
                Judged::Race => out.races.push(race),
                Judged::Apart => {}
                Judged::Unknown(doubt) => out.doubts.push(doubt),
            }
        }
        if out.races.is_empty() && out.doubts.is_empty() && !run.is_shared_out() {
            let place = (guards, texts.compiled.get(&own.file).unwrap_or_default());
            out.doubts = unexplained(profile, own, text, place, (&run, &texts.origins));
        }
    }
    // Of optimised loops an iteration may be several of the text's.
    let is_unoptimised = !is_optimised(profile, context);
    let apart = || match is_unoptimised {
        true => Some(own.lanes),
        false => Some(facts.as_ref()?.passed_on(u64::MAX)?.2),
    };
    if let Some(facts) = facts.as_ref().filter(|_| is_simd) {
        let text = texts.compiled.get(&own.file).unwrap_or_default();
        out.races = races(profile, own, facts, (guards, text), &texts.between);
        out.races.retain(|race| matches!(race, Race::NotReduced { operator: Some(_), .. }));
        // What the compiler has changed, the text still says.
        if own.parallel == Parallel::Unknown
            && !is_unoptimised
            && let Some((name, (write, _), _)) =
                facts.surely_passed_on(u64::MAX).filter(|found| found.2 < most_lanes(directive))
        {
            out.races.push(Race::Carried { name: name.to_owned(), lines: vec![write] });
        }
    }
    if is_simd && own.parallel == Parallel::No && apart().is_some_and(|apart| apart < most_lanes(directive)) {
        let given = given();
        let is_given = |blocking: &BlockingFinding| {
            blocking.object.as_ref().is_some_and(|object| given.contains(&object.name))
        };
        let carried = finding::blocking(profile, own).into_iter().filter(|blocking| blocking.kind == "flow");
        let carried = carried.filter(|blocking| !is_given(blocking));
        out.races.extend(carried.take(1).map(|blocking| Race::Dependence(Box::new(blocking))));
        out.guards_known = true;
    }
    Some(out)
}

/// What keeps a loop from being parallel by its verdict, and neither a clause nor a guard, nor that each thread has its own, explains.
fn unexplained(
    profile: &Profile,
    own: &SourceLoop,
    source: &profile::lens::SourceLoop,
    (guards, text): (&Guards, &str),
    (run, origins): (&Run<'_>, &Origins),
) -> Vec<Doubt> {
    let directives: Vec<&Directive> = source.directive.iter().chain(&source.in_parallel).collect();
    let clauses: Vec<Clause> = directives.iter().flat_map(|directive| clauses(&directive.text)).collect();
    let has_condition = |clause: &Clause| matches!(clause.name.as_str(), "if" | "default" | "ordered");
    let (region, own_text) = region_lines(source, text);
    let waits = directives.iter().any(|directive| mentions(&directive.text, "ordered"));
    if text.is_empty()
        || waits
        || clauses.iter().any(has_condition)
        || directives.iter().any(|directive| is_alone(&directive.text))
        || has_own_storage(&own_text)
    {
        return Vec::new();
    }
    let is_same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    let is_given = |name: &str| {
        let of = |clause: &&Clause| !matches!(clause.name.as_str(), "shared" | "schedule" | "num_threads");
        let mut given = clauses.iter().filter(of).flat_map(|clause| &clause.variables);
        given.any(|own| is_same(own, name) || is_same(own, root_of(name)))
    };
    let before = &own_text[..own_text.len().min(source.at.line.saturating_sub(region + 1) as usize)];
    // What each iteration or thread has for itself, by the text.
    let is_own = |name: &str| {
        let plain = root_of(name);
        let counts = |own: &str| is_same(own, plain);
        let of_scalars = source.scalars.iter().filter(|scalar| counts(&scalar.root)).any(|scalar| {
            matches!(scalar.home, Home::InBody | Home::InHeader)
                || scalar.storage.thread_local
                || scalar.storage.atomic
                || scalar.declared.is_some_and(|at| at.line > region)
                || source.in_parallel.is_none() && !directives.iter().any(|own| begins_team(&own.text))
        });
        of_scalars
            || source.iterators.iter().any(|own| counts(&own.name))
            || source.inner_iterators.iter().any(|own| counts(&own.name))
            || source.thread_locals.iter().any(|(own, _)| counts(own))
            || source.arrays.iter().any(|array| counts(&array.root) && array.home == Home::InBody)
            || before.iter().any(|line| mentions(line, plain) && !plain.is_empty())
    };
    let mut found: Vec<(String, Vec<u32>, Option<u32>)> = Vec::new();
    for need in own.needs() {
        let name = finding::need_name(profile, &need).to_owned();
        found.push((name, need.lines.clone(), Some(need.object)));
    }
    for reduction in finding::reductions(profile, own) {
        // Of what the compiler has in a register the line says the name.
        let line = text.lines().nth((reduction.line as usize).wrapping_sub(1)).unwrap_or_default();
        let name = reduction.name.or_else(|| between::common_name([line; 2]).map(str::to_owned));
        found.extend(name.map(|name| (name, vec![reduction.line], None)));
    }
    if own.parallel == Parallel::No && found.is_empty() {
        for blocking in finding::blocking(profile, own).into_iter().filter(|own| own.via == "memory") {
            let lines = [&blocking.source, &blocking.sink].map(|end| end.1);
            let name = blocking.object.map(|object| object.name);
            found.extend(name.map(|name| (name, lines.to_vec(), None)));
        }
    }
    for verdict in own.verdicts.iter().filter(|_| own.parallel == Parallel::Unknown) {
        match &verdict.unknown {
            Some(Unknown::Variable { name, lines }) => found.push((name.clone(), lines.clone(), None)),
            Some(Unknown::Array { name, lines: (a, b) }) => found.push((name.clone(), vec![*a, *b], None)),
            Some(Unknown::Removed { name, line }) => found.push((name.clone(), vec![*line], None)),
            _ => {}
        }
    }
    let is_varying = |name: &str| source.assigns(name);
    let one = Guarded::Place(&is_varying);
    let mut out: Vec<Doubt> = Vec::new();
    // What is done in a library is so where that is called.
    let is_of_file =
        |line: &u32| profile.locations.iter().any(|place| place.line == *line && place.file == own.file);
    for (name, lines, object) in found {
        let lines: BTreeSet<u32> = lines.into_iter().filter(is_of_file).collect();
        let lines: Vec<u32> = lines.into_iter().collect();
        let is_hidden = object.and_then(|at| profile.objects.get(at as usize)).is_some_and(|object| {
            object.kind == ObjectKind::Frame || object.thread_local || object.library || object.is_volatile
        });
        let is_guarded = || {
            let inside: Vec<u32> =
                lines.iter().copied().filter(|line| lines_of_loop(source).contains(line)).collect();
            let calls: Vec<u32> = source.calls.iter().map(|call| call.at.line).collect();
            guards.exclude(&lines, &one)
                || !inside.is_empty() && guards.separate(&inside, &inside, &one)
                || !lines.is_empty() && guards.are_locked_apart(&lines, &[])
                || !calls.is_empty() && inside.is_empty() && guards.exclude_calls(&calls, &lines, &one)
                || guards.has_turn(lines_of_loop(source), Some(&name), &lines)
                || guards.has_flags(&lines)
        };
        let places = || lines.iter().map(|&line| (own.file.as_str(), line));
        let (rests, is_of_threads) = origins.places(places(), &name);
        let rests = places().map(|(file, line)| origins.controls(file, line)).fold(rests, Rests::with);
        let why = match rests {
            Rests { number: true, .. } => Why::Number,
            Rests { team: true, .. } => Why::Team,
            _ => Why::Verdict,
        };
        let is_known = out.iter().any(|doubt| doubt.name == name);
        let is_made = name.starts_with('.') || name.starts_with("std::");
        if !is_known
            && !is_made
            && !is_hidden
            && !is_given(&name)
            && !is_own(&name)
            && !is_guarded()
            && !is_of_threads
            && !run.is_of_members(&lines)
        {
            out.push(Doubt { name, lines, why });
        }
    }
    out
}

/// What is known of something that the text has for a race.
enum Judged {
    /// It is one.
    Race,
    /// Threads come to different places, or one alone does.
    Apart,
    /// It depends.
    Unknown(Doubt),
}

/// What is left of a race where the place rests on the number of the thread or the size of the team, or whether a thread comes there does: what members
/// of a team were seen to do is one, and what a run with several of them has not shown is none.
fn resting(
    own: &SourceLoop,
    text: &profile::lens::SourceLoop,
    race: &Race,
    run: &Run<'_>,
    origins: &Origins,
) -> Judged {
    let is_of_order = matches!(race, Race::NotWaited { .. } | Race::NotAwaited { .. });
    let Some(name) = race.variable().filter(|_| !is_of_order) else { return Judged::Race };
    let places: BTreeSet<(&str, u32)> = match race {
        Race::Dependence(found) => {
            [&found.source, &found.sink].into_iter().map(|end| (end.0.as_str(), end.1)).collect()
        }
        _ => race.lines().iter().map(|&line| (own.file.as_str(), line)).collect(),
    };
    let here = places.iter().filter(|place| place.0 == own.file).map(|place| place.1);
    let lines: Vec<u32> = here.collect();
    if run.is_shared_out() && run.shows(name, &lines) {
        return Judged::Race;
    }
    let (rests, is_of_threads) = origins.places(places.iter().copied(), name);
    if is_of_threads {
        return Judged::Apart;
    }
    let controls = places.iter().copied().chain([(own.file.as_str(), own.line)]);
    let rests = controls.map(|(file, line)| origins.controls(file, line)).fold(rests, Rests::with);
    let doubt = |why| Judged::Unknown(Doubt { name: name.to_owned(), lines: lines.clone(), why });
    match (rests.number, run.is_shared_out()) {
        (true, true) => return Judged::Apart,
        (true, false) => return doubt(Why::Number),
        (false, true) => return Judged::Race,
        (false, false) => {}
    }
    let first = text.directive.iter().chain(&text.in_parallel).map(|directive| directive.line).min();
    let region = (first.unwrap_or(text.at.line), text.end.line);
    let is_outside = |place: &&(&str, u32)| place.0 != own.file || !lines_of_loop(text).contains(&place.1);
    let called = places.iter().filter(is_outside);
    let does_otherwise = origins.does_otherwise(&own.file, region)
        || called
            .filter_map(|&(file, line)| Some((file, origins.lines_of_function(file, line)?)))
            .any(|(file, lines)| origins.does_otherwise(file, lines));
    if rests.team || does_otherwise { doubt(Why::Team) } else { Judged::Race }
}

/// The function in which the region stands that a compiler has made the function of, in which a loop is; empty if that is not known.
fn region_of<'a>(profile: &'a Profile, own: &SourceLoop) -> Option<&'a str> {
    let functions = own.contexts.iter().filter_map(|&context| profile.contexts.get(context as usize));
    let mut functions = functions.filter_map(|context| profile.functions.get(context.function as usize));
    functions.find_map(|function| schedule::names::of_region(&function.name))
}

/// The name of a function without its parameters.
fn without_arguments(name: &str) -> &str {
    name.split('(').next().unwrap_or(name)
}

/// Whether a directive makes a team of threads whose members its loop is shared out to.
fn begins_team(text: &str) -> bool {
    let head = text.split('(').next().unwrap_or_default().to_ascii_lowercase();
    let mut words = head.split(|c: char| !c.is_ascii_alphanumeric());
    !head.contains("omp") || words.any(|word| word == "parallel" || word == "teams")
}

/// Whether a directive's team has one member, by its own words.
fn is_alone(text: &str) -> bool {
    clauses(text).iter().any(|clause| {
        let argument = clause.variables.first().map(String::as_str);
        match clause.name.as_str() {
            "num_threads" => argument == Some("1"),
            _ => is_off(clause),
        }
    })
}

/// Whether a clause says that what it is about is done by the thread that comes to it, at once.
fn is_off(clause: &Clause) -> bool {
    let argument = clause.variables.first().map(String::as_str);
    clause.name == "if" && matches!(argument, Some("0" | "false" | ".false."))
}

/// Whether the lines of a region allocate memory.
fn has_own_storage(lines: &[&str]) -> bool {
    const MARKS: [&str; 3] = ["alloc(", "allocate(", "new "];
    lines.iter().any(|line| MARKS.iter().any(|own| line.contains(own)))
}

/// The subscripts by which a loop comes to an array, and to those on some lines.
fn elements_on(facts: &Facts<'_>, name: &str, lines: &[u32]) -> Vec<String> {
    let is_on = |array: &&Array| {
        array.name == name || array.accesses.iter().any(|access| lines.contains(&access.at.line))
    };
    facts.source.arrays.iter().filter(is_on).flat_map(|array| elements(facts, &array.name)).collect()
}

/// The lines of a loop.
fn lines_of_loop(source: &profile::lens::SourceLoop) -> std::ops::RangeInclusive<u32> {
    source.at.line..=source.end.line
}

/// The lines on which a loop comes to the elements of an array.
fn lines_of(source: &profile::lens::SourceLoop, name: &str) -> Vec<u32> {
    let arrays = source.arrays.iter().filter(|array| array.name == name);
    arrays.flat_map(|array| &array.accesses).map(|access| access.at.line).collect()
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

/// What the iterations of a loop wait for, if its directive has them do.
fn doacross(profile: &Profile, own: &SourceLoop, facts: &Facts<'_>, guards: &Guards) -> Option<Doacross> {
    let of = profile.source(&own.file).map_or(&[][..], |read| &read.loops);
    Doacross::of(facts.source, of, guards)
}

/// `guards`: those of its file; `text`: that file's, empty if it is not known.
fn races(
    profile: &Profile,
    own: &SourceLoop,
    facts: &Facts<'_>,
    (guards, text): (&Guards, &str),
    between: &[&Dependence],
) -> Vec<Race> {
    let source = facts.source;
    let is_fortran = matches!(facts.language, Language::Fortran | Language::FixedFortran);
    let source_lines = lines_of_loop(source);
    let directives: Vec<&Directive> = source.directive.iter().chain(&source.in_parallel).collect();
    let clauses: Vec<Clause> = directives.iter().flat_map(|directive| clauses(&directive.text)).collect();
    let is_same = |a: &str, b: &str| if is_fortran { a.eq_ignore_ascii_case(b) } else { a == b };
    let is_in = |names: &[&str], variable: &str| {
        let of = |clause: &&Clause| names.contains(&clause.name.as_str());
        clauses.iter().filter(of).any(|clause| clause.variables.iter().any(|own| is_same(own, variable)))
    };
    let is_private =
        |name: &str| is_in(&["private", "firstprivate", "lastprivate", "linear", "copyin"], name);
    // A reduction of an object is one of its members.
    let is_reduced = |name: &str| {
        let of = |name: &str| is_in(&["reduction", "in_reduction", "task_reduction"], name);
        of(name) || name.split(['.', '[']).next().is_some_and(of)
    };
    // A team of one has nobody to race with.
    if directives.iter().any(|directive| is_alone(&directive.text)) {
        return Vec::new();
    }
    let run = Run::of(profile, own, between);
    // By a condition that did not hold in this run it was one.
    let has_condition = |directive: &&Directive| {
        begins_team(&directive.text)
            && self::clauses(&directive.text).iter().any(|clause| clause.name == "if")
    };
    if !run.is_shared_out() && directives.iter().any(has_condition) {
        return Vec::new();
    }
    // What threads make in the region, the text does not tell from what they share.
    let (region, own_text) = region_lines(source, text);
    let has_own_storage = has_own_storage(&own_text);
    let defaults_to_private = clauses
        .iter()
        .any(|clause| clause.name == "default" && clause.variables.iter().any(|own| own.contains("private")));
    // Every member of a team calls the function itself in which a directive without a region stands.
    let is_orphaned = source.directive.as_ref().is_some_and(Directive::shares_out)
        && source.in_parallel.is_none()
        && !directives.iter().any(|directive| begins_team(&directive.text))
        && region_of(profile, own).is_none_or(|of| {
            let of = without_arguments(of);
            !of.is_empty() && of.rsplit(':').next() != source.function.as_deref()
        });
    // What is declared in the region that the loop is in is its threads' own.
    let is_inside = |scalar: &Scalar| {
        let is_local = scalar.home == Home::Local
            || scalar.home == Home::Parameter && !is_fortran && !scalar.storage.reference;
        is_orphaned && is_local || !is_fortran && scalar.declared.is_some_and(|at| at.line > region)
    };
    let before = &own_text[..own_text.len().min(source.at.line.saturating_sub(region + 1) as usize)];
    let is_of_thread = |array: &Array| {
        source.thread_locals.iter().any(|(name, _)| is_same(name, &array.root))
            || !is_fortran && array.fixed && declares(before, &array.name)
            || is_orphaned && array.fixed && array.home == Home::Local
    };
    let is_varying = |name: &str| source.assigns(name);
    let one = Guarded::Place(&is_varying);
    let doacross = doacross(profile, own, facts, guards);
    let joined = directives.iter().map(|directive| directive.joined()).max().unwrap_or(1) as usize;
    let mut out = Vec::new();
    for (scalar, role) in &facts.scalars {
        let name = scalar.name.as_str();
        let is_plain = matches!(scalar.form, ScalarForm::Variable | ScalarForm::Member);
        // What a pointer that stays leads to is one place, wherever that is.
        let is_one = is_plain || facts.is_one_pointed(scalar);
        let is_own =
            matches!(scalar.home, Home::InBody | Home::InHeader) || is_inside(scalar) || is_errno(scalar);
        if !is_one || is_own || scalar.storage.thread_local || is_private(&scalar.root) || defaults_to_private
        {
            continue;
        }
        let written: BTreeSet<u32> = scalar.definitions.iter().map(|definition| definition.at.line).collect();
        let mut all: Vec<u32> = written.iter().copied().collect();
        // What is read while another thread may write it is a race as well.
        if matches!(role, Role::Carried | Role::Induction(_) | Role::Shared) {
            all.extend(&scalar.reads);
        }
        let writes: Vec<u32> = written.iter().copied().collect();
        if written.is_empty() || guards.separate(&writes, &all, &one) || is_reduced(name) {
            continue;
        }
        if doacross.as_ref().is_some_and(|waits| waits.are_in_turn(&all)) {
            continue;
        }
        let open: Vec<u32> = written.iter().copied().filter(|&line| !guards.is_guarded(line)).collect();
        let lines = if open.is_empty() { written.into_iter().collect() } else { open };
        let name = name.to_owned();
        match role {
            // That of the loop, and in Fortran those of all loops inside, are private by themselves.
            Role::Iterator if is_fortran || source.iterators.iter().any(|own| own.name == name) => {}
            Role::Iterator | Role::Private { .. } if is_joined(source, &name, joined) => {}
            Role::Iterator => out.push(Race::NotPrivate { name, lines, last: false }),
            Role::Private { last } => out.push(Race::NotPrivate { name, lines, last: *last }),
            Role::Reduction(_) if run.is_of_one_iteration(&name, &all) => {}
            Role::Reduction(operator) => {
                out.push(Race::NotReduced { operator: operator_of(*operator, is_fortran), name, lines });
            }
            // One iteration alone, as the run has shown.
            Role::Carried | Role::Induction(_) | Role::Companion | Role::Flag
                if run.is_of_one_iteration(&name, &all) || run.is_of_members(&all) => {}
            // Each iteration writes it before it reads it, and the function does not use what is left: each needs its own.
            Role::Carried if !scalar.read_before_write && !matches!(scalar.after, AfterLoop::Read(_)) => {
                out.push(Race::NotPrivate { name, lines, last: false });
            }
            Role::Carried | Role::Induction(_) | Role::Companion => out.push(Race::Carried { name, lines }),
            // The same value, but at a time.
            Role::Flag => out.push(Race::Unordered { name, function: String::new(), lines }),
            // One place that each iteration writes.
            Role::Shared if facts.is_one_pointed(scalar) && !scalar.storage.atomic => {
                out.push(Race::Unordered { name, function: String::new(), lines });
            }
            Role::Own | Role::Shared => {}
        }
    }
    let is_named = |out: &[Race], name: &str| {
        let others = out.iter().filter(|race| !matches!(race, Race::Dependence(_)));
        others.filter_map(Race::variable).any(|own| is_same(own, name))
    };
    // Storage of which each iteration needs its own: arrays, and variables that functions write which are handed their addresses.
    // Each thread has its own of what counts the iterations that are shared out.
    let is_iterator = |name: &str| {
        let inner = source.inner_iterators.iter().take(if is_fortran { usize::MAX } else { joined - 1 });
        source.iterators.iter().any(|own| is_same(&own.name, name))
            || inner.into_iter().any(|own| is_same(&own.name, name))
    };
    for name in finding::privatise(profile, own).into_iter().filter(|name| !is_iterator(name)) {
        let array = source.arrays.iter().find(|array| is_same(&array.name, &name));
        let array = array.filter(|array| array.fixed && array.home != Home::InBody && !is_of_thread(array));
        let scalar = facts.scalars.iter().map(|(scalar, _)| *scalar).find(|scalar| {
            let is_outer = !matches!(scalar.home, Home::InBody | Home::InHeader) && !is_inside(scalar);
            is_same(&scalar.name, &name)
                && is_outer
                && !scalar.shared.is_empty()
                && !scalar.storage.thread_local
        });
        let lines: BTreeSet<u32> = match (array, scalar) {
            (Some(array), _) => array.accesses.iter().map(|access| access.at.line).collect(),
            (None, Some(scalar)) => scalar.shared.iter().map(|sharing| sharing.at.line).collect(),
            (None, None) => continue,
        };
        let lines: Vec<u32> = lines.into_iter().collect();
        let is_given = is_private(&name) || is_reduced(&name) || defaults_to_private || is_named(&out, &name);
        if !is_given && !guards.exclude(&lines, &one) {
            out.push(Race::NotPrivate { name, lines, last: false });
        }
    }
    for ReductionFinding { operator, name, line, .. } in finding::reductions(profile, own) {
        let Some(name) = name else { continue };
        // In a library, in another file.
        let on_line = text.lines().nth((line as usize).saturating_sub(1));
        if !text.is_empty() && on_line.is_none() {
            continue;
        }
        let plain = name.trim_end_matches("[:]").to_owned();
        let mut arrays = source.arrays.iter().filter(|array| is_same(&array.name, &plain)).peekable();
        let is_array = arrays.peek().is_some() && !arrays.any(is_of_thread);
        let subscripts = subscripts(on_line.unwrap_or_default(), &plain);
        let is_guarded = || {
            guards.exclude(&[line], &Guarded::Elements(&elements_on(facts, &plain, &[line])))
                || guards.are_locked_apart(&[line], &subscripts)
                || has_own_storage && !run.shows(&plain, &[line])
        };
        if is_array && !is_private(&plain) && !is_reduced(&plain) && !is_guarded() && !is_named(&out, &plain)
        {
            out.push(Race::NotReduced { operator: Some(operator), name, lines: vec![line] });
        }
    }
    let mut in_memory =
        if own.parallel == Parallel::No { finding::blocking(profile, own) } else { Vec::new() };
    in_memory.retain(|blocking| {
        blocking.via == "memory" && doacross.is_none() && !is_of_compiler(profile, own, blocking)
    });
    for blocking in &in_memory {
        let ends = [blocking.source.1, blocking.sink.1];
        let object = blocking.object.as_ref().map(|object| object.name.clone()).unwrap_or_default();
        let is_scalar = facts.scalars.iter().any(|(scalar, _)| is_same(&scalar.name, &object));
        // What functions such as those of locks keep is none of the loop's.
        let is_accessed = |line: &u32| {
            source.arrays.iter().flat_map(|array| &array.accesses).any(|access| access.at.line == *line)
        };
        let mut arrays = source.arrays.iter().filter(|array| is_same(&array.name, &object));
        let is_of_threads = arrays.clone().any(is_of_thread);
        let is_array =
            !is_of_threads && (arrays.next().is_some() || !is_scalar && ends.iter().all(is_accessed));
        let subscripts = elements_on(facts, &object, &ends);
        let is_guarded = guards.exclude(&ends, &Guarded::Elements(&subscripts))
            || guards.are_locked_apart(&ends, &subscripts);
        // Compilers put what a team shares into a structure without a name: its parts are variables that the text names.
        let is_nameless =
            profile.objects.iter().any(|own| own.name == object && own.kind == ObjectKind::Frame);
        let is_part = is_nameless && out.iter().any(|race| race.lines().iter().any(|at| ends.contains(at)));
        let is_made = object.starts_with('.') || is_part;
        let is_given = is_made || is_private(&object) || is_reduced(&object) || is_named(&out, &object);
        let is_seen = out
            .iter()
            .any(|race| matches!(race, Race::Dependence(_)) && race.variable() == Some(object.as_str()));
        let is_own =
            is_iterator(&object) || has_own_storage && !run.shows(&object, &ends) || run.is_of_members(&ends);
        if blocking.object.is_some() && is_array && !is_guarded && !is_given && !is_seen && !is_own {
            out.push(Race::Dependence(Box::new(blocking.clone())));
        }
    }
    // What methods of an object change in it, whose text is elsewhere.
    for blocking in &in_memory {
        let Some(object) = blocking.object.as_ref().map(|object| object.name.clone()) else { continue };
        let scalar = facts.scalars.iter().map(|(scalar, _)| *scalar).find(|scalar| scalar.name == object);
        let is_outer = |scalar: &&Scalar| {
            !matches!(scalar.home, Home::InBody | Home::InHeader)
                && !is_inside(scalar)
                && !scalar.storage.thread_local
        };
        let Some(scalar) = scalar.filter(is_outer) else { continue };
        let methods = scalar.shared.iter().filter(|sharing| sharing.kind == SharingKind::Method);
        let lines: BTreeSet<u32> = methods.map(|sharing| sharing.at.line).collect();
        let lines: Vec<u32> = lines.into_iter().collect();
        let is_given = is_private(&object) || is_reduced(&object) || is_named(&out, &object);
        let ends = [&blocking.source, &blocking.sink];
        let is_elsewhere = ends.iter().all(|end| end.0 != own.file)
            && !ends.iter().all(|end| is_of_standard_library(&end.0) && end.0.contains("atomic"));
        if !lines.is_empty() && is_elsewhere && !is_given && !guards.exclude(&lines, &one) {
            out.push(Race::Unordered { name: object, function: String::new(), lines });
        }
    }
    out.extend(not_waited_for(source, (guards, text), &clauses));
    // What the compiler kept in registers the text proves, or nothing is said to be a race.
    let is_shown = out.iter().any(|race| matches!(race, Race::Dependence(_)));
    // Of optimised loops those of the text are more: nothing is claimed of elements that are farther apart.
    let most = own.iterations.div_ceil(own.entries.max(1));
    if let Some(waits) = doacross.as_ref().filter(|waits| waits.is_known()) {
        for array in source.arrays.iter().filter(|array| !is_of_thread(array)) {
            let name = array.name.as_str();
            let lines = lines_of(source, name);
            let has_met = own.parallel == Parallel::No || run.shows(name, &lines);
            let passed = waits.passed_on(array);
            let left = passed.iter().find(|passed| {
                let (a, b) = passed.lines;
                !waits.is_ordered(passed)
                    && !guards.exclude(&[a, b], &Guarded::Elements(&elements(facts, name)))
            });
            if let Some(left) = left.filter(|_| has_met && !is_private(name) && !is_named(&out, name)) {
                let lines: BTreeSet<u32> = [left.lines.0, left.lines.1].into();
                out.push(Race::NotAwaited {
                    name: name.to_owned(),
                    lines: lines.into_iter().collect(),
                    distance: left.distance.clone(),
                });
            }
        }
    }
    if matches!(own.parallel, Parallel::No | Parallel::Unknown)
        && !is_shown
        && doacross.is_none()
        && let Some((name, (write, read), _)) =
            facts.surely_passed_on(most).or_else(|| facts.surely_overwritten(most))
        && !guards.exclude(&[write, read], &Guarded::Elements(&elements(facts, name)))
        && !source.arrays.iter().any(|array| array.name == name && is_of_thread(array))
        && !run.refutes(name, &lines_of(source, name))
        && !is_private(name)
        && !is_reduced(name)
        && !is_named(&out, name)
    {
        out.push(Race::Carried { name: name.to_owned(), lines: vec![write] });
    }
    // What functions that the loop calls combine.
    for need in own.needs().into_iter().filter(|need| matches!(need.way, Way::Combine | Way::CombinePair)) {
        let object = profile.objects.get(need.object as usize);
        let is_meant = |object: &&profile::Object| object.kind == ObjectKind::Global && !object.thread_local;
        let Some(object) = object.filter(is_meant) else { continue };
        let name = object.name.clone();
        let called = profile.locations.iter().find(|place| {
            place.file == own.file && need.lines.contains(&place.line) && place.function != own.function
        });
        let is_open = called.is_some_and(|place| {
            !source_lines.contains(&place.line)
                && !guards.exclude(&need.lines, &one)
                && !are_calls_guarded(source, guards, (&place.function, &[place.line]), &one)
        });
        if is_open && !is_private(&name) && !is_reduced(&name) && !is_named(&out, &name) {
            out.push(Race::NotReduced { operator: None, name, lines: need.lines });
        }
    }
    for race in unguarded(source, guards, kept_elsewhere(profile, own, source, &run, &own_text)) {
        let name = race.variable().unwrap_or_default();
        if !is_private(name) && !is_named(&out, name) {
            out.push(race);
        }
    }
    out.extend(unguarded(source, guards, kept_by_libraries(profile, own, between)));
    if doacross.is_some() {
        return out;
    }
    for race in met(profile, own, facts, (guards, text), between) {
        let is_known = out.iter().any(|other| {
            other.variable() == race.variable()
                || other.lines().iter().any(|line| race.lines().contains(line))
                || matches!(other, Race::Dependence(found) if race.lines().contains(&found.source.1)
                    || race.lines().contains(&found.sink.1))
        });
        if !is_known {
            out.push(race);
        }
    }
    for race in unguarded(source, guards, of_callees(profile, own, source, between)) {
        let name = race.variable().unwrap_or_default();
        let is_given = is_private(name) || is_reduced(name) || is_named(&out, name);
        if !is_given && !out.iter().any(|other| other.variable() == Some(name)) {
            out.push(race);
        }
    }
    out.retain(|race| !guards.has_turn(source_lines.clone(), race.variable(), race.lines()));
    out
}

/// Variables that clauses of a loop which nobody waits for set behind it (OpenMP 5.2, sections 5.4.5 and 5.5.5), and that are used there before
/// the next barrier. Some compilers have members wait nevertheless.
fn not_waited_for(
    source: &profile::lens::SourceLoop,
    (guards, text): (&Guards, &str),
    clauses: &[Clause],
) -> Vec<Race> {
    let lines: Vec<&str> = text.lines().collect();
    let line_of = |line: u32| lines.get((line as usize).wrapping_sub(1)).copied().unwrap_or_default();
    let behind = source.end.line + 1;
    let is_left = source.directive.as_ref().is_some_and(|own| goes_on(&own.text)) || goes_on(line_of(behind));
    if !is_left {
        return Vec::new();
    }
    let has = between::has_word;
    let region = guards.constructs().filter(|(text, (first, last))| {
        has(text, "parallel") && *first < source.at.line && source.end.line <= *last
    });
    let Some((_, (_, end))) = region.max_by_key(|(_, lines)| lines.0) else { return Vec::new() };
    // What shares something out waits at its end.
    let barriers = guards.constructs().filter_map(|(text, (first, last))| {
        let shares_out =
            ["for", "do", "single", "sections", "workshare"].into_iter().any(|word| has(text, word));
        let waits = shares_out
            && !has(text, "end")
            && ![text, line_of(last), line_of(last + 1)].into_iter().any(goes_on);
        if has(text, "barrier") { Some(first) } else { waits.then_some(last) }
    });
    let end = barriers.filter(|&at| at > source.end.line + 1).chain([end]).min();
    let sets = |clause: &&Clause| matches!(clause.name.as_str(), "reduction" | "lastprivate");
    let names: BTreeSet<&String> = clauses.iter().filter(sets).flat_map(|clause| &clause.variables).collect();
    let uses = |line: u32, name: &str| {
        let plain = line_of(line).split("//").next().unwrap_or_default();
        !guards.is_directive(line) && mentions(plain, name)
    };
    let found = names.into_iter().filter_map(|name| {
        let lines: Vec<u32> = (behind..=end.unwrap_or(behind)).filter(|&line| uses(line, name)).collect();
        (!lines.is_empty()).then(|| Race::NotWaited { name: name.clone(), lines })
    });
    found.collect()
}

/// What members of a team came to at a time while the iterations of a loop were shared out, by whatever name, if nothing guards it.
fn met(
    profile: &Profile,
    own: &SourceLoop,
    facts: &Facts<'_>,
    (guards, text): (&Guards, &str),
    between: &[&Dependence],
) -> Vec<Race> {
    let is_varying = |name: &str| facts.source.assigns(name);
    let lines_of_text: Vec<&str> = text.lines().collect();
    let line_of = |line: u32| lines_of_text.get((line as usize).wrapping_sub(1)).copied().unwrap_or_default();
    let header =
        own.contexts.first().map(|&context| profile.location(profile.contexts[context as usize].location));
    let is_open = !lines_of_loop(facts.source).any(|line| guards.is_guarded(line));
    let header = header.filter(|_| is_open);
    let mut out: Vec<Race> = Vec::new();
    for d in between {
        let ends = [d.source, d.sink];
        let is_carried = own.contexts.iter().any(|&context| is_carried_by(profile, context, d))
            || is_between_pieces(profile, own, d);
        let in_file = |file: &str, line: u32| if file == own.file { line_of(line) } else { "" };
        let mut places = ends.map(|end| between::place(profile, d, end, &in_file));
        // Operations of atomic objects, and what orders threads.
        if places.iter().any(|place| is_of_standard_library(&place.file) && between::orders(&place.function))
        {
            continue;
        }
        // What compilers make of a loop has not always a line.
        let known = places.into_iter().find(|place| place.line > 0);
        if let Some(known) = known.filter(|_| is_carried) {
            places = places.map(|place| if place.line == 0 { known } else { place });
        }
        // What the text calls of the standard library compilers put into the loop: where nothing in it is guarded, it does not matter where.
        let is_here = || {
            let of = |context: ContextIndex| profile.contexts[context as usize].function;
            let functions = ends.map(|end| of(profile.context_of(end)));
            own.contexts.iter().any(|&context| functions.contains(&of(context)))
        };
        if let Some(header) = header.filter(|_| is_carried && is_here()) {
            places = places.map(|place| if is_of_standard_library(&place.file) { header } else { place });
        }
        // What functions of libraries do there to their own variables is their own matter.
        let is_left = ends.iter().zip(&places).any(|(&end, place)| profile.location_of(end) != *place);
        let is_shared = || between::is_shared(profile, d) || between::is_of_maker(profile, d);
        if is_left && !is_shared() {
            continue;
        }
        let is_text = |place: &&profile::Location| {
            place.file == own.file && place.line > 0 && !guards.is_directive(place.line)
        };
        if !is_carried || !places.iter().all(is_text) {
            continue;
        }
        let lines: BTreeSet<u32> = places.iter().map(|place| place.line).collect();
        let lines: Vec<u32> = lines.into_iter().collect();
        let Some(name) = between::name_of(profile, d, places.map(|place| line_of(place.line))) else {
            continue;
        };
        let mut subscripts: Vec<String> =
            lines.iter().flat_map(|&line| subscripts(line_of(line), &name)).collect();
        if subscripts.is_empty() {
            subscripts = elements_on(facts, &name, &lines);
        }
        let is_element =
            profile.objects.iter().any(|object| object.name == name && object.kind == ObjectKind::Heap)
                || facts.source.arrays.iter().any(|array| array.name == name);
        let what = if is_element { Guarded::Elements(&subscripts) } else { Guarded::Place(&is_varying) };
        let is_guarded = guards.exclude(&lines, &what)
            || between::is_of_reduction(profile, d, guards, places.map(|place| place.line))
            || is_element && guards.are_locked_apart(&lines, &subscripts)
            || places.iter().any(|place| guards.is_combiner(&place.function))
            || places[0].function != own.function
                && are_calls_guarded(facts.source, guards, (&places[0].function, &lines), &what);
        let is_known = out.iter().any(|race| race.variable() == Some(name.as_str()));
        if !is_guarded && !is_known {
            out.push(Race::Unordered { name, function: places[0].function.clone(), lines });
        }
    }
    out
}

/// The lines of a region that a loop is in, from behind its first directive to the end of the loop.
fn region_lines<'t>(source: &profile::lens::SourceLoop, text: &'t str) -> (u32, Vec<&'t str>) {
    let directives = source.directive.iter().chain(&source.in_parallel);
    let first = directives.map(|directive| directive.line).min().unwrap_or(0);
    let count = source.end.line.saturating_sub(first) as usize;
    (first, text.lines().skip(first as usize).take(count).collect())
}

/// A name, the function in which it was come to (empty where that is the loop's own), and the lines.
type Come = (String, String, Vec<u32>);

/// What functions keep between their calls and a pointer in the loop leads to: nothing in the text of the region (`lines`) has its name.
fn kept_elsewhere(
    profile: &Profile,
    own: &SourceLoop,
    source: &profile::lens::SourceLoop,
    run: &Run<'_>,
    lines: &[&str],
) -> Vec<Come> {
    let has_own_storage = has_own_storage(lines);
    let mut out = Vec::new();
    for need in own.needs().into_iter().filter(|need| is_kept(&need.way)) {
        let object = profile.objects.get(need.object as usize).filter(|object| is_variable(object));
        let Some(name) = object.map(|object| without_number(&object.name).to_owned()) else { continue };
        let is_word = |word: &str| word.eq_ignore_ascii_case(&name);
        let is_written = |line: &&str| {
            let line = line.split("//").next().unwrap_or_default();
            guards::words(line).any(is_word)
        };
        let is_inside = need.lines.iter().all(|line| lines_of_loop(source).contains(line));
        if is_inside
            && !need.lines.is_empty()
            && !lines.is_empty()
            && !lines.iter().any(is_written)
            && (!has_own_storage || run.shows(&name, &need.lines))
            && !run.refutes(&name, &need.lines)
        {
            out.push((name, String::new(), need.lines));
        }
    }
    out
}

/// Functions of libraries that keep something between their calls, which members of a team came to at a time in a loop.
fn kept_by_libraries(profile: &Profile, own: &SourceLoop, between: &[&Dependence]) -> Vec<Come> {
    let mut found: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for d in between {
        if !own.contexts.iter().any(|&context| is_carried_by(profile, context, d)) {
            continue;
        }
        let calls = [d.source, d.sink].map(|end| between::keeping_call(profile, end));
        if let [Some((name, a)), Some((_, b))] = calls
            && [a, b].iter().all(|place| place.file == own.file && place.line > 0)
        {
            found.entry(name).or_default().extend([a.line, b.line]);
        }
    }
    let come =
        |(name, lines): (&str, BTreeSet<u32>)| (name.to_owned(), String::new(), lines.into_iter().collect());
    found.into_iter().map(come).collect()
}

/// What functions that a loop calls do to variables of the program.
fn of_callees(
    profile: &Profile,
    own: &SourceLoop,
    source: &profile::lens::SourceLoop,
    between: &[&Dependence],
) -> Vec<Come> {
    let mut all = called(profile, own, lines_of_loop(source));
    all.extend(unordered(profile, own, between));
    all
}

/// Races on what was come to while nothing guards that, one of each name.
fn unguarded(source: &profile::lens::SourceLoop, guards: &Guards, all: Vec<Come>) -> Vec<Race> {
    let is_varying = |name: &str| source.assigns(name);
    let one = Guarded::Place(&is_varying);
    let is_open = |(_, function, lines): &Come| {
        let is_called = !function.is_empty() && are_calls_guarded(source, guards, (function, lines), &one);
        !guards.exclude(lines, &one) && !is_called
    };
    let mut out: Vec<Race> = Vec::new();
    for (name, function, lines) in all.into_iter().filter(is_open) {
        let name = without_number(&name).to_owned();
        if !out.iter().any(|race| race.variable() == Some(name.as_str())) {
            out.push(Race::Unordered { name, function, lines });
        }
    }
    out
}

/// Whether iterations need storage of their own in the place of what they share.
fn is_kept(way: &Way) -> bool {
    matches!(way, Way::Private | Way::LastPrivate | Way::CopyIn | Way::Induction(_))
}

/// Whether an object is a variable of the program itself that lives as long as it and that threads share.
fn is_variable(object: &profile::Object) -> bool {
    object.kind == ObjectKind::Global
        && !object.thread_local
        && !object.library
        && !object.is_volatile
        && !object.name.starts_with('.')
        && !object.name.starts_with("std::")
}

/// Variables of the program that functions which a loop calls come to by themselves, and of which iterations share one: each with the function
/// and the lines that do.
fn called(profile: &Profile, own: &SourceLoop, source_lines: std::ops::RangeInclusive<u32>) -> Vec<Come> {
    let function_on = |lines: &[u32]| {
        let mut places = profile.locations.iter().filter(|place| place.file == own.file);
        let found = places.find(|place| lines.contains(&place.line) && place.function != own.function)?;
        (!found.function.is_empty()).then(|| found.function.clone())
    };
    let is_outside =
        |lines: &[u32]| !lines.is_empty() && lines.iter().all(|line| !source_lines.contains(line));
    let mut found: BTreeMap<(String, String), BTreeSet<u32>> = BTreeMap::new();
    for need in own.needs() {
        let object = profile.objects.get(need.object as usize).filter(|object| is_variable(object));
        let is_kept = is_kept(&need.way);
        if let Some(object) = object.filter(|_| is_kept && is_outside(&need.lines))
            && let Some(function) = function_on(&need.lines)
        {
            found.entry((object.name.clone(), function)).or_default().extend(need.lines);
        }
    }
    for blocking in finding::blocking(profile, own).into_iter().filter(|b| b.via == "memory") {
        let lines = [blocking.source.1, blocking.sink.1];
        let is_here = blocking.source.0 == own.file && blocking.sink.0 == own.file;
        let Some(name) = blocking.object.map(|object| object.name).filter(|_| is_here && is_outside(&lines))
        else {
            continue;
        };
        if profile.objects.iter().any(|object| object.name == name && is_variable(object))
            && let Some(function) = function_on(&lines)
        {
            found.entry((name, function)).or_default().extend(lines);
        }
    }
    found.into_iter().map(|((name, function), lines)| (name, function, lines.into_iter().collect())).collect()
}

/// Whether a loop carries a dependence, both ends of which lie in it.
fn is_carried_by(profile: &Profile, context: ContextIndex, d: &Dependence) -> bool {
    let level = profile.contexts[context as usize].dims.saturating_sub(1);
    d.levels.iter().any(|own| own.level == level)
        && [d.source, d.sink].iter().all(|&end| profile.is_around(context, profile.context_of(end)))
}

/// Whether a dependence of optimised code may be none of the text's iterations: its ends are no two iterations of the compiled loop, but stand in
/// copies of it or of a loop around, or the one loads more than the other stores, of which it may use a part.
fn is_of_compiler(profile: &Profile, own: &SourceLoop, found: &BlockingFinding) -> bool {
    if finding::is_unoptimised(profile, own) || found.between_members {
        return false;
    }
    let is_apart = own.contexts.iter().any(|context| {
        let level = usize::from(profile.contexts[*context as usize].dims).checked_sub(1);
        level.and_then(|level| found.ranges.get(level)).is_some_and(|range| *range != (0, 0))
    });
    let size = |pc: u64, write: bool| {
        let here = profile
            .accesses
            .iter()
            .filter(|access| access.write == write && profile.statements[access.statement as usize].pc == pc);
        here.map(|access| access.size).max().unwrap_or(0)
    };
    let (load, store) = match found.kind {
        "flow" => (size(found.pcs.1, false), size(found.pcs.0, true)),
        "anti" => (size(found.pcs.0, false), size(found.pcs.1, true)),
        _ => (0, 0),
    };
    !is_apart || store > 0 && load > store
}

/// Whether members of a team pass something on from one piece that a compiler has made of a loop to another: of what several iterations
/// at a time are done to what is left of them.
fn is_between_pieces(profile: &Profile, own: &SourceLoop, d: &Dependence) -> bool {
    let text = own.contexts.first().and_then(|&context| Facts::source(profile, context));
    let is_inside = |end: &u32| {
        let around = profile.loops_around(profile.context_of(*end));
        text.is_some() && around.into_iter().any(|context| Facts::source(profile, context) == text)
    };
    d.between_members
        && d.levels.iter().all(|level| level.level == d.common)
        && [d.source, d.sink].iter().all(is_inside)
}

/// The name of a variable without the number that compilers give those that outlive the calls of their function.
fn without_number(name: &str) -> &str {
    let is_number = |end: &str| !end.is_empty() && end.bytes().all(|c| c.is_ascii_digit());
    name.rsplit_once('.').filter(|(_, end)| is_number(end)).map_or(name, |(plain, _)| plain)
}

/// The subscripts by which a loop comes to the elements of an array, without spaces.
fn elements(facts: &Facts<'_>, name: &str) -> Vec<String> {
    let arrays = facts.source.arrays.iter().filter(|array| array.name == name);
    let all: BTreeSet<String> =
        arrays.flat_map(|array| &array.accesses).flat_map(profile::lens::ArrayAccess::element).collect();
    all.into_iter().collect()
}

/// Whether all calls of a function in a loop stand under one guard.
fn are_calls_guarded(
    source: &profile::lens::SourceLoop,
    guards: &Guards,
    (function, at): (&str, &[u32]),
    what: &Guarded<'_>,
) -> bool {
    let last = |name: &str| name.rsplit(['.', ':', '>']).next().map(str::to_owned);
    let calls = |call: &&Call| last(&call.callee) == last(function);
    let lines: Vec<u32> = source.calls.iter().filter(calls).map(|call| call.at.line).collect();
    !lines.is_empty() && guards.exclude_calls(&lines, at, what)
}

/// Whether some lines declare an array of this name, as far as a line tells.
fn declares(lines: &[&str], name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_type = |text: &str| {
        let text = text.trim();
        !text.is_empty() && !text.contains(['=', '(', '[', '+', '-', '/', '.', '"']) && text != "return"
    };
    lines.iter().any(|line| {
        line.match_indices(name).any(|(at, _)| {
            let stands_alone =
                !line[..at].ends_with(is_word) && line[at + name.len()..].trim_start().starts_with('[');
            let start = line[..at].rfind([';', '{']).map_or(0, |end| end + 1);
            let statement = &line[start..at];
            // `int t = 0, buf[3]`: what stands before it is a type, or a type and other names.
            let is_declared = match statement.trim_end().strip_suffix(',') {
                None => is_type(statement),
                Some(others) => {
                    let first = others.split(['=', ',', '[']).next().unwrap_or_default().trim_end();
                    let type_end = first.trim_end_matches(is_word).len();
                    first.len() > type_end && is_type(first[..type_end].trim_end_matches('*'))
                }
            };
            stands_alone && is_declared
        })
    })
}

/// Variables that members of a team came to while nothing ordered them: of those that functions called in the loop come to themselves, each with
/// the function and the lines that did. What the loop's own text comes to, that tells.
fn unordered(profile: &Profile, own: &SourceLoop, between: &[&Dependence]) -> Vec<Come> {
    let mut found: BTreeMap<(String, String), BTreeSet<u32>> = BTreeMap::new();
    for d in between {
        let ends = [d.source, d.sink];
        let carries = own.contexts.iter().any(|&context| is_carried_by(profile, context, d));
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
            match race {
                Race::Dependence(found) => {
                    out.push(format!("race: {}: the directive has to go", crate::text::sentence(found, own)));
                }
                Race::NotReduced { operator: Some(operator), name, lines: at } => out.push(format!(
                    "race: lanes update one `{name}` ({}): reduction({operator}:{name}) is missing",
                    lines(at)
                )),
                Race::Carried { name, lines: at } => out.push(format!(
                    "race: an iteration uses what an earlier one left in `{name}` ({}): the directive has to go",
                    lines(at)
                )),
                _ => {}
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
    if !existing.may_be_atomic.is_empty() {
        out.push(format!(
            "unknown: whether the atomic operation ({}) was compiled as one; if not, it is a race",
            lines(&existing.may_be_atomic)
        ));
    }
    for doubt in &existing.doubts {
        let (name, at) = (&doubt.name, lines(&doubt.lines));
        let why = match doubt.why {
            Why::Number => "rests on the number of the thread",
            Why::Team => "rests on how many threads there are, or on code that a build with OpenMP alone has",
            Why::Verdict => "is not known, though iterations may",
        };
        out.push(format!(
            "unknown: whether threads come to the same `{name}` ({at}) at a time {why}: a run of a build with OpenMP and several threads shows it"
        ));
    }
    let unless =
        if existing.guards_known { "" } else { ", unless it is guarded: the source was not looked at" };
    for race in &existing.races {
        out.push(match race {
            Race::NotPrivate { name, lines: at, last } => {
                let clause = if *last { "lastprivate" } else { "private" };
                format!("race: all threads write one `{name}` ({}): {clause}({name}) is missing{unless}", lines(at))
            }
            Race::NotReduced { operator: Some(operator), name, lines: at } if name.ends_with("[:]") => {
                let plain = name.trim_end_matches("[:]");
                format!(
                    "race: threads update the same elements of `{plain}` ({}): omp atomic, or reduction({operator}:{plain}) of all of it, \
                     is missing{unless}",
                    lines(at)
                )
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
            Race::Unordered { name, function, lines: at } if function.is_empty() => format!(
                "race: threads come to `{name}` ({}) at a time: it needs atomic{unless}",
                lines(at)
            ),
            Race::Unordered { name, function, lines: at } => format!(
                "race: threads come to `{name}` in {function} ({}) at a time: it needs atomic, critical or a copy for each{unless}",
                lines(at)
            ),
            Race::NotWaited { name, lines: at } => format!(
                "race: `{name}` is used behind the loop ({}) before all threads have done their part of it: nowait has to go, or a barrier is \
                 missing",
                lines(at)
            ),
            Race::NotAwaited { name, lines: at, distance } => {
                let before = match &distance[..] {
                    [1] => "the iteration before".to_owned(),
                    [by] => format!("the iteration {by} before"),
                    more => {
                        let by: Vec<String> = more.iter().map(i64::to_string).collect();
                        format!("the iteration ({}) before", by.join(", "))
                    }
                };
                format!(
                    "race: an iteration comes to an element of `{name}` ({}) that {before} came to: no depend(sink: …) orders the two",
                    lines(at)
                )
            }
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
    fn what_was_not_compiled_is_blank() {
        assert_eq!(without_lines("a\nb\r\nc\nd", &[(2, 2), (4, 9)]), "a\n\nc\n");
        assert_eq!(without_lines("a\n", &[]), "a\n");
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
}
