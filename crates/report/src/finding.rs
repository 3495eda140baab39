//! Findings: what every renderer says about a loop.

use profile::{ContextIndex, Gap, Kind, ObjectKind, Operation, Profile};
use schedule::arrange;
use schedule::arrange::distribution::{self, Share};
use schedule::arrange::fusion::{self, Neighbours};
use schedule::arrange::inward::{self, Inward};
use schedule::facts::{Facts, Role};
use schedule::graph::dimension;
use schedule::names::short_name;
use schedule::needs::{Class, Need, Way};
use schedule::options::Machine;
use schedule::{Parallel, SourceLoop, Unknown};

use crate::directive;
use crate::existing::{self, Existing};
use crate::sequence::in_lines;
use crate::worth::{self, Choice};

/// Everything a renderer needs.
#[derive(Debug)]
pub struct Report<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// Its loops.
    pub loops: Vec<SourceLoop>,
    /// Share of recorded instructions with an exact domain and exact addresses.
    pub exact_fraction: f64,
    /// Loops that follow one another, and whether they can be one.
    pub neighbours: Vec<Neighbours>,
    /// Per loop the parts that it can be distributed into, if there are several.
    pub distributions: Vec<Vec<Share>>,
    /// Loops that are worth making the innermost ones of their nests.
    pub inward: Vec<Inward>,
    /// What regions could become, if that was asked for.
    pub proposals: Option<crate::proposals::Proposals>,
    /// What became of regions that were to be written as C.
    pub code: Option<crate::code::Written>,
    /// Per loop whose iterations can run in parallel what is to be pasted above it.
    pub directives: Vec<Option<Choice>>,
    /// Per loop that has a directive already, or runs under one, what that says and leaves open.
    pub existing: Vec<Option<Existing>>,
    /// Races of regions that no loop shows; empty without the sources ([`existing::apply`]).
    pub between: Vec<existing::between::Between>,
    /// What a trial of the directives found, if there was one ([`crate::trying::apply`]).
    pub tried: Option<trial::Outcome>,
}

/// A blocking dependence in words and numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockingFinding {
    /// `flow`, `anti` or `output`.
    pub kind: &'static str,
    /// `memory` or `register`.
    pub via: &'static str,
    /// Difference of iterations per loop, from the outermost common one; `None` where it varies.
    pub distance: Vec<Option<i64>>,
    /// Smallest and largest difference per loop.
    pub ranges: Vec<(i64, i64)>,
    /// Earlier access: file and line.
    pub source: (String, u32),
    /// Later access: file and line.
    pub sink: (String, u32),
    /// Addresses of the earlier and the later instruction.
    pub pcs: (u64, u64),
    /// Functions of the earlier and the later one, where they have no line: those of libraries.
    pub functions: (Option<String>, Option<String>),
    /// Variable and what of it, as far as it is known.
    pub object: Option<ObjectFinding>,
    /// One pair: vectors and address.
    pub example: (Vec<i64>, Vec<i64>, u64),
    /// Instances.
    pub count: u64,
    /// The run in which the pair was seen, from 0.
    pub run: usize,
    /// Two members of a team executed the pair, and nothing ordered them: each vector counts the iterations of its own thread.
    pub between_members: bool,
}

/// A variable in a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectFinding {
    /// Name.
    pub name: String,
    /// Bytes from its start.
    pub offset: i64,
    /// Name with an index or offset, as a person writes it.
    pub shown: String,
}

/// Judges a profile and gathers what renderers need.
pub fn report(profile: &Profile) -> Report<'_> {
    let loops = schedule::analyse(profile);
    let index = arrange::Index::new(profile);
    Report {
        profile,
        directives: worth::choose(profile, &loops),
        existing: existing::of_loops(profile, &loops, &crate::html::Sources::new()),
        between: Vec::new(),
        tried: None,
        neighbours: fusion::neighbours(profile, &loops, &index),
        distributions: distribution::distributions(profile, &loops, &index),
        inward: inward::inward(profile, &loops, &Machine::default()),
        loops,
        exact_fraction: schedule::metrics::exact_fraction(profile),
        proposals: None,
        code: None,
    }
}

/// The kind of a dependence as the JSON report names it.
pub fn kind_name(dependence: &profile::Dependence) -> &'static str {
    match dependence.kind {
        Kind::Flow => "flow",
        Kind::Anti => "anti",
        Kind::Output => "output",
    }
}

/// What a dependence passes through, as the JSON report names it.
pub fn via_name(dependence: &profile::Dependence) -> &'static str {
    if dependence.memory { "memory" } else { "register" }
}

/// The verdict as the JSON report names it.
pub fn verdict_name(parallel: Parallel) -> &'static str {
    match parallel {
        Parallel::Yes => "yes",
        Parallel::Reduction => "reduction",
        Parallel::AfterPrivatisation => "after-privatisation",
        Parallel::No => "no",
        Parallel::Unknown => "unknown",
    }
}

/// Why nothing is said about a loop.
pub fn why_unknown(profile: &Profile, l: &SourceLoop) -> String {
    let plain = match unknown(l) {
        _ if profile.trust.counted_only => {
            "executions were counted alone (--fast): a profile made without it says more"
        }
        Some(Unknown::Gap(Gap::LeftOut)) => {
            "its dependences were not recorded: it calls code that was left out"
        }
        Some(Unknown::Gap(Gap::GivenUp)) => "its dependences were given up at --time-limit",
        Some(Unknown::Gap(Gap::Unfinished)) => {
            "it was under way when the recording or the analysis began or ended: iterations are missing"
        }
        Some(Unknown::Gap(Gap::Threads)) => "its iterations exchange data with other threads while it runs",
        Some(Unknown::MappedTwice) => {
            "it comes to memory that the program has mapped twice, at both places: what iterations pass on is not seen"
        }
        Some(Unknown::Asynchronous) => "handlers of signals that came while it ran share data with it",
        Some(Unknown::Depth) | None => {
            "its dependences were not recorded: it lies in more loops than are told apart"
        }
        Some(Unknown::Afterwards(object)) => {
            let name = profile.objects.get(*object as usize).map_or("?", |object| &object.name);
            return format!(
                "the end of the run was not recorded, and may read `{name}`, which iterations overwrite"
            );
        }
        Some(Unknown::Left { name, line }) => {
            return format!(
                "what its iterations leave in `{name}` is used afterwards (line {line}), perhaps from a register: a build without \
                 optimisation (-O0 -g) shows it"
            );
        }
        Some(Unknown::Elsewhere { name, line }) => {
            return format!(
                "the compiler has put the text of `{name}` (line {line}) into it, and may keep in registers what that hands on: a \
                 build without optimisation (-O0 -g) shows it"
            );
        }
        Some(Unknown::Removed { name, line }) => {
            return format!(
                "the compiler has taken accesses of `{name}` (line {line}) out of it, or exchanged it with another loop: a build \
                 without optimisation (-O0 -g) shows what its iterations hand on"
            );
        }
        Some(Unknown::State { name, line }) => {
            return format!(
                "`{name}` (line {line}) changes or asks for something that belongs to the thread or the process: iterations may see \
                 what others did"
            );
        }
        Some(Unknown::Variable { name, lines }) if is_unoptimised(profile, l) => {
            return format!(
                "an iteration may read what an earlier one left in `{name}` ({}), or which iteration ran last may show afterwards: this \
                 run does not tell",
                in_lines(lines)
            );
        }
        Some(Unknown::Variable { name, lines }) => {
            return format!(
                "an iteration may read what an earlier one left in `{name}` ({}): a build without optimisation (-O0 -g) shows whether it does",
                in_lines(lines)
            );
        }
        Some(Unknown::Array { name, lines: (write, read) }) if write == read => {
            return format!(
                "by its source iterations may come to the same elements of `{name}` (line {write}), and the compiler has changed how: a \
                 build without optimisation (-O0 -g) says more"
            );
        }
        Some(Unknown::Array { name, lines: (write, read) }) => {
            return format!(
                "by its source an iteration reads from `{name}` what an earlier one wrote (line {read} <- line {write}), which the compiler has changed: a build without optimisation (-O0 -g) says more"
            );
        }
    };
    plain.to_owned()
}

/// Whether the compiler has left the function of a loop as it is written.
pub(crate) fn is_unoptimised(profile: &Profile, l: &SourceLoop) -> bool {
    l.contexts.iter().all(|&context| !schedule::graph::is_optimised(profile, context))
}

/// Why nothing is said about a loop, of the first of its pieces about which nothing is.
pub fn unknown(l: &SourceLoop) -> Option<&Unknown> {
    l.verdicts.iter().find_map(|verdict| verdict.unknown.as_ref())
}

/// Whether a loop's iterations can be shared among threads, possibly with a reduction or private variables.
pub fn is_parallelisable(entry: &SourceLoop) -> bool {
    matches!(entry.parallel, Parallel::Yes | Parallel::Reduction | Parallel::AfterPrivatisation)
}

/// Whether a loop's iterations can be the lanes of vectors.
pub fn is_vectorisable(profile: &Profile, entry: &SourceLoop) -> bool {
    let is_in_step = entry.parallel == Parallel::No && entry.lanes == i64::MAX;
    // Lanes that update one element of an array together would lose updates.
    let has_scattered = || entry.verdicts.iter().flat_map(|v| &v.reductions).any(|reduction| reduction.array);
    let is_free = match entry.parallel {
        Parallel::Yes => true,
        // What no clause names (the place of an extreme) lanes cannot combine.
        Parallel::Reduction => !has_scattered() && entry.needs().is_empty(),
        Parallel::AfterPrivatisation => crate::directive::on_lanes(profile, entry).is_some(),
        // What iterations advance by a constant has a clause.
        Parallel::No => is_in_step || crate::directive::on_lanes(profile, entry).is_some(),
        Parallel::Unknown => false,
    };
    // What data decides to leave is left by the lanes behind it too.
    let is_left = || crate::directive::is_left_early(profile, entry);
    entry.innermost && is_free && !entry.differs_elsewhere && !is_left()
}

/// How many neighbouring iterations of an innermost loop that is not parallel may run in lockstep, if several may.
pub fn limited_lanes(profile: &Profile, entry: &SourceLoop) -> Option<i64> {
    let is_limited = entry.innermost
        && entry.parallel == Parallel::No
        && (2..i64::MAX).contains(&entry.lanes)
        && !crate::directive::is_left_early(profile, entry);
    is_limited.then_some(entry.lanes)
}

/// What blocks a loop, over all its pieces.
pub fn blocking(profile: &Profile, entry: &SourceLoop) -> Vec<BlockingFinding> {
    let pieces = entry.verdicts.iter().zip(&entry.contexts);
    let all = pieces.flat_map(|(verdict, &context)| verdict.blocking.iter().map(move |b| (context, b)));
    merged(all.map(|(context, b)| dependence(profile, context, (b.dependence, b.level), b.object)))
}

/// Everything that orders the iterations of a loop, over all its pieces: what blocks it, and the dependences of reductions.
pub fn ordering(profile: &Profile, entry: &SourceLoop) -> Vec<BlockingFinding> {
    let mut all = Vec::new();
    for (verdict, &context) in entry.verdicts.iter().zip(&entry.contexts) {
        let dim = dimension(profile, context);
        for &index in &verdict.ordering {
            let levels = &profile.dependences[index as usize].levels;
            let Some(level) = levels.iter().position(|l| usize::from(l.level) == dim) else { continue };
            let object = levels[level].objects.first().map(|used| used.object);
            all.push(dependence(profile, context, (index, level), object));
        }
    }
    merged(all.into_iter())
}

/// A dependence at a level, as a loop sees it.
fn dependence(
    profile: &Profile,
    context: ContextIndex,
    (index, level): (u32, usize),
    object_of: Option<u32>,
) -> BlockingFinding {
    let d = &profile.dependences[index as usize];
    let level = &d.levels[level];
    let place = |s: u32| {
        let l = profile.location_of(s);
        (l.file.clone(), l.line)
    };
    let function = |s: u32| {
        let own = profile.location_of(s);
        // A function without a name is called after its file and address.
        (own.line == 0 && !own.function.is_empty() && !own.function.contains("0x"))
            .then(|| short_name(&own.function).to_owned())
    };
    let ranges: Vec<(i64, i64)> = level.minimum.iter().copied().zip(level.maximum.iter().copied()).collect();
    BlockingFinding {
        kind: kind_name(d),
        via: via_name(d),
        distance: ranges.iter().map(|(a, b)| (a == b).then_some(*a)).collect(),
        ranges,
        source: place(d.source),
        sink: place(d.sink),
        pcs: (profile.statements[d.source as usize].pc, profile.statements[d.sink as usize].pc),
        functions: (function(d.source), function(d.sink)),
        object: passed_through(profile, context, d, level, object_of),
        example: (level.source_iv.clone(), level.sink_iv.clone(), level.address),
        count: level.count,
        run: profile.run_of(profile.context_of(d.sink)),
        between_members: d.between_members,
    }
}

/// What a dependence passes through, as a loop sees it: what the text calls a heap block says more than where it comes from.
fn passed_through(
    profile: &Profile,
    context: ContextIndex,
    d: &profile::Dependence,
    level: &profile::LevelSummary,
    of: Option<u32>,
) -> Option<ObjectFinding> {
    let in_text = || schedule::names::in_text(profile, context, d);
    let Some(of) = of.filter(|&of| (of as usize) < profile.objects.len()) else {
        let name = in_text().filter(|_| !d.memory)?.to_owned();
        return Some(ObjectFinding { shown: name.clone(), name, offset: 0 });
    };
    let offset = level.objects.iter().find(|used| used.object == of).map_or(0, |used| used.offset);
    let mut found = object(profile, of, offset);
    if profile.objects[of as usize].kind == ObjectKind::Heap
        && let Some(name) = in_text()
    {
        found.name = format!("{name} ({})", found.name);
        found.shown = format!("{name} ({})", found.shown);
    }
    Some(found)
}

/// The same fact through several instructions of one line is one finding; the most frequent come first.
fn merged(all: impl Iterator<Item = BlockingFinding>) -> Vec<BlockingFinding> {
    let mut out: Vec<BlockingFinding> = Vec::new();
    for finding in all {
        let same = out.iter_mut().find(|f| {
            (f.kind, f.via, &f.distance, &f.source, &f.sink)
                == (finding.kind, finding.via, &finding.distance, &finding.source, &finding.sink)
                && f.object.as_ref().map(|o| &o.name) == finding.object.as_ref().map(|o| &o.name)
        });
        match same {
            Some(f) => f.count += finding.count,
            None => out.push(finding),
        }
    }
    out.sort_by_key(|f| std::cmp::Reverse(f.count));
    out
}

/// A variable and a place in it.
pub fn object(profile: &Profile, index: u32, offset: i64) -> ObjectFinding {
    let object = &profile.objects[index as usize];
    let shown = match (object.kind, object.element) {
        (ObjectKind::Global | ObjectKind::Stack, element) if element > 0 && i64::from(element) <= offset => {
            format!("{}[{}]", object.name, offset / i64::from(element))
        }
        (ObjectKind::Heap, _) if offset != 0 => format!("{} + {offset}", object.name),
        _ => object.name.clone(),
    };
    ObjectFinding { name: object.name.clone(), offset, shown }
}

/// Names of the variables to privatise, over all pieces.
pub fn privatise(profile: &Profile, entry: &SourceLoop) -> Vec<String> {
    let mut names: Vec<String> = entry
        .verdicts
        .iter()
        .flat_map(|v| &v.privatise)
        .filter_map(|&o| profile.objects.get(o as usize).map(|o| o.name.clone()))
        .collect();
    names.sort();
    names.dedup();
    names
}

/// The class of a loop's verdict as the JSON report names it.
pub fn class_name(class: Class) -> &'static str {
    match class {
        Class::A => "A",
        Class::B => "B",
        Class::C => "C",
    }
}

/// What is done to a variable, as the JSON report names it.
pub fn way_name(way: Way) -> &'static str {
    match way {
        Way::Private => "private",
        Way::LastPrivate => "last-private",
        Way::Copy => "copy",
        Way::Expand => "expand",
        Way::Induction(_) => "induction",
        Way::Combine | Way::CombinePair => "combine",
        Way::AtomicWrite => "atomic-write",
        Way::CopyIn => "copy-in",
    }
}

/// The name of a variable of which something has to become.
pub fn need_name<'a>(profile: &'a Profile, need: &'a Need) -> &'a str {
    match profile.objects.get(need.object as usize) {
        Some(object) => &object.name,
        None => &need.name,
    }
}

/// What has to become of a variable, in words.
pub fn need(profile: &Profile, need: &Need) -> String {
    let name = need_name(profile, need);
    let is_object = profile.objects.get(need.object as usize).is_some();
    // What is kept in a register has no size of its own in the run.
    let bytes = need.bytes.map(size).or_else(|| is_object.then(|| "too large".to_owned()));
    let lines = match need.lines[..] {
        [] => String::new(),
        [line] => format!(", line {line}"),
        _ => format!(", lines {}", need.lines.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
    };
    let with_lines = |size: Option<String>| {
        let all = size.unwrap_or_default() + &lines;
        let all = all.trim_start_matches(", ");
        if all.is_empty() { String::new() } else { format!(" ({all})") }
    };
    let details = with_lines(bytes.clone());
    match need.way {
        Way::Private => format!("privatising `{name}`{details}"),
        Way::LastPrivate => {
            format!("privatising `{name}` and keeping what the last iteration leaves{details}")
        }
        Way::Copy => format!("reading from a copy of `{name}` made before it{details}"),
        Way::AtomicWrite => format!("writing `{name}` atomically, always the same value{lines}"),
        Way::CopyIn => {
            format!("copying `{name}`, of which each thread has its own, between the threads{lines}")
        }
        Way::Combine => format!("combining `{name}` by atomic updates, or in a copy for each thread{lines}"),
        Way::CombinePair => format!(
            "keeping `{name}` together with the minimum or maximum that it goes with, a pair for each thread, of which the best \
             stays: declare reduction{lines}"
        ),
        Way::Induction(Some(step)) => {
            format!("writing `{name}` as its first value plus {step} for each iteration{}", with_lines(None))
        }
        Way::Induction(None) => format!("writing `{name}` as a function of the iteration"),
        Way::Expand => {
            let all = with_lines(bytes.map(|bytes| format!("{bytes} in all")));
            format!("giving `{name}` an element per iteration{all}")
        }
    }
}

/// What a loop that is not parallel as it is would take, in words, if that is a change of storage alone.
pub fn needs(profile: &Profile, entry: &SourceLoop) -> Option<String> {
    let all: Vec<String> = entry.needs().iter().map(|own| need(profile, own)).collect();
    (entry.parallel == Parallel::No && !all.is_empty())
        .then(|| format!("would be parallel after {}", all.join("; ")))
}

/// What fusing a loop with the one before it gains, in words, if it is legal and gains something.
pub fn fusing(report: &Report<'_>, at: usize) -> Option<String> {
    let found = report.neighbours.iter().find(|pair| pair.loops.1 == at)?;
    let fusion = found.fusion.ok().filter(|fusion| fusion.shares_data)?;
    let [first, second] = [found.loops.0, at].map(|of| &report.loops[of]);
    let is_as_long = first.iterations == second.iterations;
    // Nobody gives up two parallel loops for one that is not.
    let loses = is_parallelisable(first) && is_parallelisable(second) && !fusion.is_parallel;
    if !is_as_long || loses {
        return None;
    }
    let delay = match fusion.delay {
        0 => String::new(),
        n => format!(", {n} iterations later"),
    };
    Some(format!("can be one loop with that of {}{delay}: both access the same data", first.place()))
}

/// What distributing a loop gains, in words, if it is legal and gains something.
pub fn distributing(report: &Report<'_>, at: usize) -> Option<String> {
    let parts = &report.distributions[at];
    let own = &report.loops[at];
    if own.parallel != Parallel::No || !parts.iter().any(|part| part.is_parallel) {
        return None;
    }
    let part = |part: &Share| {
        let kind = if part.is_parallel { "parallel" } else { "not parallel" };
        format!("{} ({kind})", in_lines(&part.lines))
    };
    Some(format!("can be distributed: {}", parts.iter().map(part).collect::<Vec<_>>().join(" | ")))
}

/// A number of bytes a person can read.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{:.0} KiB", bytes as f64 / 1024.0),
        1_048_576..0x4000_0000 => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
        0x4000_0000..0x100_0000_0000 => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
        _ => format!("{:.1} TiB", bytes as f64 / (1u64 << 40) as f64),
    }
}

/// A reduction of a loop, as the run shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReductionFinding {
    /// The operator, as clauses of C name it.
    pub operator: &'static str,
    /// The variable, `h[:]` for elements of an array; `None` for what has no name in the loop.
    pub name: Option<String>,
    /// A line that combines something; 0 if none is known.
    pub line: u32,
    /// It is handed on in memory that has no name, not in a register or where a register was put by.
    pub is_in_memory: bool,
}

/// The reductions of a loop, over all its pieces.
pub fn reductions(profile: &Profile, entry: &SourceLoop) -> Vec<ReductionFinding> {
    let facts = entry.contexts.first().and_then(|&context| Facts::of(profile, context));
    let mut out = Vec::new();
    for reduction in entry.verdicts.iter().flat_map(|verdict| &verdict.reductions) {
        let operator = match reduction.operator {
            Operation::Multiply => "*",
            Operation::Minimum => "min",
            Operation::Maximum => "max",
            Operation::And => "&",
            Operation::Or => "|",
            Operation::Xor => "^",
            _ => "+",
        };
        let member = |s: u32| reduction.statements.binary_search(&s).is_ok();
        let objects = || {
            let own = |d: &&profile::Dependence| {
                d.memory && d.kind == Kind::Flow && member(d.source) && member(d.sink)
            };
            let levels = profile.dependences.iter().filter(own).flat_map(|d| &d.levels);
            levels.flat_map(|l| &l.objects).filter_map(|o| profile.objects.get(o.object as usize))
        };
        let line = reduction
            .statements
            .iter()
            .filter(|&&s| {
                !matches!(profile.statements[s as usize].operation, Operation::Copy | Operation::Shuffle)
            })
            .map(|&s| profile.location_of(s).line)
            .find(|&l| l > 0)
            .unwrap_or(0);
        let is_in_memory = objects().any(|object| object.kind != ObjectKind::Frame);
        let named = objects().find(|o| is_in_scope(profile, entry, o)).map(|o| {
            // Of a function that calls itself each activation has another.
            let is_one = facts.as_ref().is_some_and(|facts| facts.role(&o.name).is_some());
            if reduction.array && !is_one { format!("{}[:]", o.name) } else { o.name.clone() }
        });
        let in_text = || facts.as_ref()?.combined_on(line).map(|name| format!("{name}[:]"));
        // The text's name of an array says more than that of the object it is a part of.
        let name = in_text()
            .filter(|_| is_in_memory && reduction.array)
            .or(named)
            .or_else(|| in_text().filter(|_| is_in_memory))
            .or_else(|| held(facts.as_ref()?, operator, line).filter(|_| !is_in_memory))
            .or_else(|| {
                let (name, lines) = facts.as_ref()?.combined_element()?;
                (!is_in_memory && lines.contains(&line)).then(|| format!("{name}[:]"))
            });
        let item = ReductionFinding { operator, name, line, is_in_memory };
        if !out.contains(&item) {
            out.push(item);
        }
    }
    // What did not run, or what the compiler has changed, the text says.
    let is_said = is_parallelisable(entry);
    for (scalar, role) in facts.iter().flat_map(|facts| &facts.scalars).filter(|_| is_said) {
        let Role::Reduction(operator) = role else { continue };
        if scalar.form != profile::lens::ScalarForm::Variable {
            continue;
        }
        let Some(operator) = directive::operator_name(*operator, false) else { continue };
        let is_named = |own: &ReductionFinding| own.name.as_deref() == Some(&scalar.name);
        let may_be =
            |own: &ReductionFinding| own.name.is_none() && !own.is_in_memory && own.operator == operator;
        if !out.iter().any(|own| is_named(own) || may_be(own)) {
            let line = scalar.definitions.first().map_or(0, |definition| definition.at.line);
            let name = Some(scalar.name.clone());
            out.push(ReductionFinding { operator, name, line, is_in_memory: false });
        }
    }
    out
}

/// The variable that a register accumulates, by the text: the only one that a line combines so, where it combines no element as well.
fn held(facts: &Facts<'_>, operator: &str, line: u32) -> Option<String> {
    let is_it = |(scalar, role): &&(&profile::lens::Scalar, Role)| {
        let Role::Reduction(own) = role else { return false };
        directive::operator_name(*own, false) == Some(operator)
            && scalar.definitions.iter().any(|definition| definition.at.line == line)
    };
    let mut all = facts.scalars.iter().filter(is_it);
    let found = all.next().filter(|_| all.next().is_none() && facts.combined_element().is_none())?;
    Some(found.0.name.clone())
}

/// Whether the code of a loop can name a variable: a caller's variable, which it reaches through a pointer, has another name
/// there.
fn is_in_scope(profile: &Profile, entry: &SourceLoop, object: &profile::Object) -> bool {
    let code = entry.contexts.iter().filter_map(|&c| profile.contexts.get(c as usize)).flat_map(|c| &c.code);
    let mut code = code.peekable();
    let is_around = |&(from, to): &(u64, u64)| object.scope.iter().any(|s| s.0 <= from && to <= s.1);
    match object.kind {
        ObjectKind::Global => true,
        ObjectKind::Stack => object.scope.is_empty() || code.peek().is_none() || code.any(is_around),
        _ => false,
    }
}
