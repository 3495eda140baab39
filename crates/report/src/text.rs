//! The terminal summary: trust first, then the nests with the largest share of operations, a loop of the source once.

use std::collections::BTreeMap;
use std::fmt::Write;

use profile::{ContextKind, Gap, Limit, Profile};
use rustc_hash::FxHashMap;
use schedule::metrics::Survey;
use schedule::names::short_name;
use schedule::select::short_id;
use schedule::{Parallel, SourceLoop, Unknown, propose};

use crate::finding::{self, BlockingFinding, Report};
use crate::{directive, existing, inputs, limits, recommend, trying, width};

/// How to write it.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Most loops shown.
    pub top: usize,
    /// Use terminal colours.
    pub colour: bool,
}

/// Renders the summary.
pub fn summary(report: &Report<'_>, options: Options) -> String {
    let mut out = String::new();
    header(report, &mut out);
    out.push_str(&recommend::summary(report));
    let shown = select(report, options.top);
    let survey = Survey::new(report.profile, &report.loops);
    for shown in &shown {
        entry(report, shown, &survey, options, &mut out);
    }
    for race in &report.between {
        out.push('\n');
        paragraph(&mut out, "", &existing::between::words(race));
    }
    let is_all = shown.len() < options.top;
    if shown.is_empty() && is_all {
        out.push_str("\nNo loop of the program's own code ran more than one iteration.\n");
    }
    let others = report.loops.len() - shown.iter().map(|shown| 1 + shown.again.len()).sum::<usize>();
    match others {
        0 => {}
        _ if is_all => {
            let _ =
                writeln!(out, "\n{others} loops of libraries are left out; --format json has all of them.");
        }
        _ => {
            let _ = writeln!(out, "\n{others} more loops; --top N shows more, --format json all of them.");
        }
    }
    if let Some(words) = outside(report.profile) {
        paragraph(&mut out, "", &words);
    }
    if let Some(words) = elsewhere(report.profile) {
        paragraph(&mut out, "", &words);
    }
    if let Some(proposals) = &report.proposals {
        out.push_str(&crate::proposals::text(report.profile, &report.loops, proposals));
    }
    if let Some(code) = &report.code {
        out.push_str(&crate::code::text(report.profile, &report.loops, code));
    }
    out
}

/// A loop of the source, in all the places of the tree of calls that it is reached at.
#[derive(Debug)]
struct Shown {
    /// The hottest of them: index into the report's loops.
    at: usize,
    /// The others.
    again: Vec<usize>,
    /// Share of the instructions of all of them together.
    share: f64,
}

impl Shown {
    fn all(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.at).chain(self.again.iter().copied())
    }
}

/// Loops by their place in the source, each with all entries that stand there.
fn by_place(report: &Report<'_>, entries: impl Iterator<Item = usize>) -> Vec<Shown> {
    let place = |l: &SourceLoop| match l.line {
        0 => (l.id.clone(), 0, 0, l.recursive),
        line => (format!("{}:{}", l.file, l.function), line, l.column, l.recursive),
    };
    let mut places: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for at in entries {
        places.entry(place(&report.loops[at])).or_default().push(at);
    }
    let share = |at: usize| report.loops[at].share;
    let gather = |mut all: Vec<usize>| {
        all.sort_by(|&a, &b| share(b).total_cmp(&share(a)).then(a.cmp(&b)));
        // One inside another is counted already.
        let is_inside = |at: usize| {
            let around = std::iter::successors(report.loops[at].parent, |&at| report.loops[at].parent);
            around.into_iter().any(|around| all.contains(&around))
        };
        let share = all.iter().filter(|&&at| !is_inside(at)).map(|&at| share(at)).sum();
        Shown { at: all[0], again: all[1..].to_vec(), share }
    };
    places.into_values().map(gather).collect()
}

/// The hottest loops of the program itself and the hot ones of libraries that it calls: nests by their share, the loops of a nest in
/// the order of the program.
fn select(report: &Report<'_>, top: usize) -> Vec<Shown> {
    let reached = reached(report.profile);
    let is_hot = |at: &usize| report.loops[*at].share >= HOT;
    let is_reached = |at: &usize| report.loops[*at].contexts.iter().any(|&c| reached[c as usize]);
    let own = (0..report.loops.len()).filter(|at| report.loops[*at].main || is_hot(at) && is_reached(at));
    let mut shown = by_place(report, own);
    shown.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.at.cmp(&b.at)));
    shown.truncate(top);
    // The outermost loop around each that is shown too.
    let nest = |at: usize| {
        let around = std::iter::successors(Some(at), |&at| report.loops[at].parent);
        around.filter(|around| shown.iter().any(|shown| shown.at == *around)).last().unwrap_or(at)
    };
    let share_of: FxHashMap<usize, f64> = shown.iter().map(|shown| (shown.at, shown.share)).collect();
    let nests: FxHashMap<usize, usize> = shown.iter().map(|shown| (shown.at, nest(shown.at))).collect();
    shown.sort_by(|a, b| {
        let (of_a, of_b) = (nests[&a.at], nests[&b.at]);
        share_of[&of_b].total_cmp(&share_of[&of_a]).then(of_a.cmp(&of_b)).then(a.at.cmp(&b.at))
    });
    shown
}

/// Loops of libraries with less of the instructions are not shown.
const HOT: f64 = 0.05;

/// Per context, whether the program's own functions or what they call ran in it: not what loads and starts a program.
fn reached(profile: &Profile) -> Vec<bool> {
    let mut out: Vec<bool> = Vec::with_capacity(profile.contexts.len());
    for context in &profile.contexts {
        let is_own = match context.kind {
            ContextKind::Call { callee, .. } => {
                profile.functions.get(callee as usize).is_some_and(|f| f.main && f.name != "_start")
            }
            _ => false,
        };
        out.push(is_own || out.get(context.parent as usize).is_some_and(|&reached| reached));
    }
    out
}

/// What loading and starting the program took, if that is much.
fn outside(profile: &Profile) -> Option<String> {
    // Of a part of a program nothing is recorded there.
    if profile.trust.part.is_some() {
        return None;
    }
    let own = |wanted: bool| -> u64 {
        let of = profile.contexts.iter().zip(reached(profile)).filter(|(_, reached)| *reached == wanted);
        of.fold(0, |sum, (context, _)| sum.saturating_add(context.own_instructions))
    };
    let share = own(false) as f64 / profile.trust.instructions.max(1) as f64;
    (own(true) > 0 && share >= HOT)
        .then(|| format!("{:.1} % of the instructions load, start and end the program.", 100.0 * share))
}

/// Share of the instructions from which on it is much that libraries execute.
const MUCH: f64 = 0.5;

/// How to come to the program's own loops, where most of what ran is of libraries, or a limit ended the recording before the end.
fn elsewhere(profile: &Profile) -> Option<String> {
    let trust = &profile.trust;
    if trust.part.is_some() || trust.main_only || !profile.further_runs.is_empty() {
        return None;
    }
    let contracted: Vec<&String> = trust
        .untracked
        .iter()
        .filter_map(|what| match what {
            profile::Untracked::Contracts(names) => Some(names),
            _ => None,
        })
        .flatten()
        .collect();
    let is_library = |context: &profile::Context| {
        let function = profile.functions.get(context.function as usize);
        function.is_some_and(|own| !own.main && !contracted.contains(&&own.name))
    };
    let all = profile.contexts.iter().zip(reached(profile)).filter(|(_, reached)| *reached);
    let (mut own, mut libraries) = (0u64, 0u64);
    for (context, _) in all {
        let sum = if is_library(context) { &mut libraries } else { &mut own };
        *sum = sum.saturating_add(context.own_instructions);
    }
    let is_cut = trust.limits.iter().any(|reached| {
        let limit = &reached.limit;
        matches!(limit, Limit::Instructions | Limit::Duration | Limit::Memory | Limit::Time | Limit::Loops(_))
    });
    let share = libraries as f64 / own.saturating_add(libraries).max(1) as f64;
    let why = match (is_cut, share >= MUCH) {
        (true, _) => "A limit was reached".to_owned(),
        (false, true) => format!("{:.0} % of the instructions are those of libraries", 100.0 * share),
        (false, false) => return None,
    };
    Some(format!("{why}: profile --focus records the loops alone that do most of the program's work."))
}

/// What is said about the run as a whole: what was recorded, and notes about how exactly and what is missing.
pub(crate) fn about(report: &Report<'_>) -> (String, Vec<String>) {
    let p = report.profile;
    let t = &p.trust;
    let name = p.program.argv.first().map_or("program", |a| a.rsplit('/').next().unwrap_or(a));
    if t.counted_only {
        return (format!("{name}: {} instructions counted", number(t.instructions)), notes(p));
    }
    let count = number(t.instructions);
    let extent = match t.recorded_fraction() {
        _ if t.main_only => format!("{count} instructions of the program's own code recorded"),
        Some(share) if t.unanalysed > 0 => {
            format!("{count} instructions analysed, {:.1} % of those that ran", 100.0 * share)
        }
        Some(share) if share >= 0.9995 && t.untracked.contains(&profile::Untracked::StartUp) => {
            format!("all {count} instructions after its start-up recorded")
        }
        Some(share) if share >= 0.9995 => format!("all {count} instructions recorded"),
        Some(share) => format!("{count} instructions recorded, {:.1} % of those that ran", 100.0 * share),
        None => format!("{count} instructions recorded; the program ran on unrecorded"),
    };
    let runs = match p.runs().len() {
        1 => "this run on this input".to_owned(),
        n => format!("these {n} runs on their inputs"),
    };
    let mut more = Vec::new();
    if report.exact_fraction < 0.9995 {
        more.push(format!(
            "{:.1} % of the instructions follow affine formulas; elsewhere ranges of distances decide",
            100.0 * report.exact_fraction,
        ));
    }
    more.extend(notes(p));
    more.extend(inputs::list(p));
    (format!("{name}: {extent}; verdicts hold for {runs}"), more)
}

fn header(report: &Report<'_>, out: &mut String) {
    let (first, notes) = about(report);
    paragraph(out, "", &first);
    notes.iter().for_each(|note| paragraph(out, "  ", note));
}

/// What limits the report.
fn notes(p: &Profile) -> Vec<String> {
    let t = &p.trust;
    let mut out = Vec::new();
    let is_one_run = p.further_runs.is_empty();
    match p.program.exit_status.filter(|_| is_one_run) {
        None | Some(0) => {}
        Some(status) if status > 128 => {
            out.push(format!("the program ended with status {status} (128 and signal {})", status - 128));
        }
        Some(status) => out.push(format!("the program ended with status {status}")),
    }
    if t.lost > 0 {
        out.push(format!("{} things in the records were not as they have to be: please report this", t.lost));
    }
    for (label, list) in [("truncated", limits::reached(p)), ("not recorded", limits::untracked(p))] {
        if !list.is_empty() {
            out.push(format!("{label}: {}", list.join("; ")));
        }
    }
    if !t.missing_debug_information.is_empty() {
        let main = p.functions.iter().find(|f| f.main).map(|f| f.module.clone()).unwrap_or_default();
        if t.missing_debug_information.contains(&main) {
            out.push(format!(
                "no line information in {main}: loops are named function+offset; compile with -g for source lines"
            ));
        }
    }
    out
}

fn entry(report: &Report<'_>, shown: &Shown, survey: &Survey<'_>, options: Options, out: &mut String) {
    let p = report.profile;
    let at = shown.at;
    let l = &report.loops[at];
    let indent = "  ".repeat(l.depth.min(8));
    let (start, end) = if options.colour { colours(l.parallel) } else { ("", "") };
    let words = match (p.trust.counted_only, l.recursive) {
        (true, false) => String::new(),
        (true, true) => "recursion".to_owned(),
        (false, _) => match inputs::behind_verdict(p, l) {
            None => headline_of(report, at),
            Some(on) => format!("{} {on}", headline_of(report, at)),
        },
    };
    let pad = format!("         {indent}");
    let (id, way) =
        named(l, width::columns().saturating_sub(pad.chars().count() + 2 + words.chars().count()));
    // A long way to the loop gets lines of its own.
    let (beside, below) = match way {
        Way::Beside(calls) => (calls, None),
        Way::Below(calls) => (String::new(), Some(calls)),
    };
    let verdict = if words.is_empty() { words } else { format!("  {start}{words}{end}") };
    let _ = writeln!(out, "\n{:5.1} %  {indent}{id}{beside}{verdict}", 100.0 * shown.share);
    if let Some(calls) = below {
        paragraph(out, &pad, &calls);
    }
    let sum = |of: fn(&SourceLoop) -> u64| -> u64 { shown.all().map(|at| of(&report.loops[at])).sum() };
    let (iterations, entered) = (sum(|l| l.iterations), sum(|l| l.entries));
    let trip = iterations as f64 / entered.max(1) as f64;
    let trips = shown.all().map(|at| report.loops[at].trips).reduce(|a, b| {
        let (a, b) = (a?, b?);
        Some((a.0.min(b.0), a.1.max(b.1)))
    });
    let each = match trips.flatten() {
        Some((least, most)) if least < most => {
            format!("{} to {}, {trip:.1} on average", number(least), number(most))
        }
        _ => format!("{trip:.1} each"),
    };
    let mut facts = format!("{} iterations in {} ({each})", number(iterations), entries(entered));
    if let Some(stride) = l.stride01 {
        let _ = write!(facts, ", {:.0} % of accesses at stride 0 or 1", 100.0 * stride);
    }
    paragraph(out, &pad, &facts);
    if let Some(words) = reached_again(report, shown) {
        paragraph(out, &pad, &words);
    }
    if let Some(words) = inputs::otherwise(p, l) {
        paragraph(out, &pad, &words);
    }
    let exact = 100.0 * survey.affine(&propose::around(&report.loops, at));
    if !p.trust.counted_only && l.parallel != Parallel::Unknown && exact < 99.95 {
        let words = format!("{exact:.1} % in exact form; ranges of distances decide about the rest");
        paragraph(out, &pad, &words);
    }
    let pasted = directive::pasted(report, at);
    let existing = report.existing[at].as_ref().map(|own| existing::words(l, own)).unwrap_or_default();
    existing.iter().for_each(|words| paragraph(out, &pad, words));
    match pasted.filter(|_| existing.is_empty()) {
        // To be pasted as it stands, whatever the width of the page.
        Some(text) => directive::in_lines(report, at, text)
            .iter()
            .for_each(|line| out.push_str(&format!("{pad}{line}\n"))),
        None => directive::instead(report, at)
            .filter(|_| existing.is_empty())
            .iter()
            .for_each(|words| paragraph(out, &pad, words)),
    }
    if let Some(call) = directive::as_algorithm(report, at).filter(|_| existing.is_empty()) {
        out.push_str(&format!("{pad}or, with C++17: {call}\n"));
    }
    if let Some(words) = trying::measured(report, at) {
        paragraph(out, &pad, &words);
    }
    let private = finding::privatise(p, l);
    if !private.is_empty() && l.parallel != Parallel::AfterPrivatisation {
        paragraph(out, &pad, &format!("private in each iteration: {}", private.join(", ")));
    }
    let inward = recommend::inward_of(report, at).map(|own| recommend::inward_words(report, own));
    let arranged = [inward, finding::fusing(report, at), finding::distributing(report, at)];
    arranged.into_iter().flatten().for_each(|words| paragraph(out, &pad, &words));
    if l.parallel == Parallel::Unknown
        && !p.trust.counted_only
        && !matches!(finding::unknown(l), Some(Unknown::Gap(_)))
    {
        paragraph(out, &pad, &finding::why_unknown(p, l));
    }
    if l.parallel == Parallel::No {
        for b in finding::blocking(p, l).into_iter().take(2) {
            paragraph(out, &pad, &sentence(&b, l));
        }
        if let Some(needs) = finding::needs(p, l) {
            paragraph(out, &pad, &needs);
        }
        match finding::limited_lanes(p, l) {
            Some(lanes) => paragraph(
                out,
                &pad,
                &format!("up to {lanes} iterations may run in lockstep: #pragma omp simd safelen({lanes})"),
            ),
            None if finding::is_vectorisable(p, l) => {
                paragraph(out, &pad, "iterations may run in lockstep: #pragma omp simd");
            }
            None => {}
        }
    }
}

/// In how many places of the tree of calls a loop was reached, and what it is where that differs.
fn reached_again(report: &Report<'_>, shown: &Shown) -> Option<String> {
    let own = &report.loops[shown.at];
    let others = shown.again.iter().map(|&at| &report.loops[at]);
    let different: Vec<&SourceLoop> = others.filter(|other| other.parallel != own.parallel).collect();
    let words = match shown.again.len() {
        0 => return None,
        n => format!("reached in {} places of the tree of calls", n + 1),
    };
    let first = different.first().filter(|_| !report.profile.trust.counted_only);
    Some(match first {
        None => format!("{words}, summed here"),
        Some(other) => format!(
            "{words}, summed here; in {} of them: {} ({})",
            different.len(),
            headline(other),
            other.id
        ),
    })
}

/// The calls that lead to a loop, where they stand.
enum Way {
    Beside(String),
    Below(String),
}

/// A loop's name and the calls that lead to it, functions by their short names unless all fits into `room` characters.
fn named(l: &SourceLoop, room: usize) -> (String, Way) {
    let way = |names: Vec<String>| match names.is_empty() {
        true => String::new(),
        false => format!(" via {}", names.join(" > ")),
    };
    let fits = |id: &str, calls: &str| id.chars().count() + calls.chars().count() <= room;
    let full = way(l.calls.clone());
    if fits(&l.id, &full) {
        return (l.id.clone(), Way::Beside(full));
    }
    let short = way(l.calls.iter().map(|name| cut(short_name(name), MOST_NAME)).collect());
    let id = if fits(&l.id, "") { l.id.clone() } else { cut(&short_id(l), room.max(MOST_NAME)) };
    match fits(&id, &short) {
        true => (id, Way::Beside(short)),
        false => (id, Way::Below(short.trim_start().to_owned())),
    }
}

/// Characters of a function's name in the way to a loop, and those of a loop that are always shown.
const MOST_NAME: usize = 40;

/// At most so many characters, without those in the middle.
fn cut(name: &str, most: usize) -> String {
    let length = name.chars().count();
    if length <= most {
        return name.to_owned();
    }
    let (begin, end) = (most / 2, most - most / 2 - 1);
    name.chars().take(begin).chain(['…']).chain(name.chars().skip(length - end)).collect()
}

/// The verdict on a loop, with what its directive makes of it.
pub(crate) fn headline_of(report: &Report<'_>, at: usize) -> String {
    let l = &report.loops[at];
    match l.parallel {
        Parallel::No if directive::alone(report, at).is_some() => {
            "parallel loop once iterations have the values of what they advance (linear)".to_owned()
        }
        _ => headline(l),
    }
}

pub(crate) fn headline(l: &SourceLoop) -> String {
    let kind = if l.recursive { "recursion" } else { "loop" };
    match l.parallel {
        Parallel::Yes => format!("parallel {kind}"),
        Parallel::Reduction => format!("parallel {kind} with a reduction"),
        Parallel::AfterPrivatisation => format!("parallel {kind} after privatisation"),
        Parallel::No => format!("{kind} is not parallel"),
        Parallel::Unknown => match finding::unknown(l) {
            Some(Unknown::Gap(Gap::Threads)) => format!("{kind} exchanges data with other threads"),
            Some(Unknown::Gap(Gap::GivenUp)) => format!("{kind}: dependences given up at --time-limit"),
            Some(Unknown::Gap(Gap::Unfinished)) => {
                format!("{kind} recorded in part: nothing is said about it")
            }
            Some(Unknown::Gap(Gap::LeftOut)) | None => format!("{kind}: dependences not recorded"),
            Some(Unknown::Depth) => format!("{kind} lies too deep to be told apart"),
            Some(
                Unknown::Asynchronous
                | Unknown::MappedTwice
                | Unknown::Afterwards(_)
                | Unknown::Left { .. }
                | Unknown::State { .. }
                | Unknown::Elsewhere { .. }
                | Unknown::Removed { .. }
                | Unknown::Variable { .. }
                | Unknown::Array { .. },
            ) => {
                format!("{kind}: not known whether it is parallel")
            }
        },
    }
}

/// One blocking dependence in words.
pub(crate) fn sentence(b: &BlockingFinding, l: &SourceLoop) -> String {
    let what = b.object.as_ref().map_or_else(|| "a register".to_owned(), |o| format!("`{}`", o.shown));
    let level = b.distance.iter().rposition(|d| *d != Some(0)).filter(|_| b.distance.len() <= l.depth + 1);
    let distance = level.and_then(|q| b.distance[q]);
    let gap = match distance {
        Some(1) => "the previous one".to_owned(),
        Some(n) if n > 1 => format!("the one {n} before"),
        _ => "an earlier one".to_owned(),
    };
    let at = |(file, line): &(String, u32), pc: u64, function: &Option<String>| match line {
        0 => function.as_ref().map_or_else(|| format!("{pc:#x}"), |name| format!("in {name}")),
        line if *file == l.file => format!("line {line}"),
        line => format!("{}:{line}", file.rsplit('/').next().unwrap_or(file)),
    };
    let lines =
        format!("{} <- {}", at(&b.sink, b.pcs.1, &b.functions.1), at(&b.source, b.pcs.0, &b.functions.0));
    match b.kind {
        "flow" => format!("an iteration reads {what} written by {gap} ({lines})"),
        "anti" => format!("an iteration overwrites {what} that {gap} reads ({lines})"),
        _ => format!("an iteration overwrites {what} written by {gap} ({lines})"),
    }
}

fn colours(parallel: Parallel) -> (&'static str, &'static str) {
    match parallel {
        Parallel::Yes | Parallel::Reduction => ("\x1b[32m", "\x1b[0m"),
        Parallel::AfterPrivatisation => ("\x1b[33m", "\x1b[0m"),
        Parallel::No => ("\x1b[31m", "\x1b[0m"),
        Parallel::Unknown => ("\x1b[2m", "\x1b[0m"),
    }
}

/// Writes text broken at spaces to the width of a terminal.
pub(crate) fn paragraph(out: &mut String, pad: &str, text: &str) {
    let mut line = pad.to_owned();
    for word in words(text) {
        if line.chars().count() + 1 + word.chars().count() > width::columns() && line.len() > pad.len() {
            out.push_str(line.trim_end());
            out.push('\n');
            line = format!("{pad}  ");
        }
        if line.len() > pad.len() && !line.ends_with("  ") {
            line.push(' ');
        }
        line.push_str(&word);
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

/// The words of a text; a number is one with its unit.
fn words(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match out.last_mut() {
            Some(last) if is_unit(word) && last.ends_with(|c: char| c.is_ascii_digit()) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => out.push(word.to_owned()),
        }
    }
    out
}

fn is_unit(word: &str) -> bool {
    let unit = word.trim_end_matches([')', ',', ';', '.']);
    matches!(unit, "%" | "k" | "M" | "G" | "bytes" | "KiB" | "MiB" | "GiB")
}

/// So many entries of a loop.
pub(crate) fn entries(count: u64) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{} entries", number(count)) }
}

/// A count a person can read: `1,234`, `12.3 M`.
pub fn number(n: u64) -> String {
    match n {
        0..10_000 => {
            let text = n.to_string();
            if text.len() > 3 {
                format!("{},{}", &text[..text.len() - 3], &text[text.len() - 3..])
            } else {
                text
            }
        }
        10_000..1_000_000 => format!("{:.0} k", n as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} M", n as f64 / 1e6),
        _ => format!("{:.2} G", n as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut() {
        let mut l = schedule::analyse(&schedule::synthetic::profile(schedule::synthetic::Shape::Stencil, 1))
            .remove(0);
        l.function = format!("std::{}::fill<int, {}>", "deep::".repeat(30), "long".repeat(30));
        (l.id, l.file, l.line) = (format!("fill.h:{}:7#2", l.function), "/usr/fill.h".into(), 7);
        l.calls = vec![l.function.clone(); 9];
        let (id, way) = named(&l, 60);
        assert_eq!(id, "fill.h:fill:7#2");
        assert!(matches!(way, Way::Below(calls) if calls == format!("via {}", ["fill"; 9].join(" > "))));
        l.calls.truncate(2);
        assert!(matches!(named(&l, 60).1, Way::Beside(calls) if calls == " via fill > fill"));
        assert_eq!(cut("abcdefghij", 5), "ab…ij");
    }

    #[test]
    fn numbers_and_paragraphs() {
        assert_eq!(number(999), "999");
        assert_eq!(number(1234), "1,234");
        assert_eq!(number(56_789), "57 k");
        assert_eq!(number(2_500_000), "2.5 M");
        let mut out = String::new();
        paragraph(&mut out, "    ", &"word ".repeat(60));
        assert!(out.lines().all(|l| l.chars().count() <= width::columns() && l.starts_with("    ")));
        assert_eq!(out.split_whitespace().count(), 60);
        out.clear();
        paragraph(&mut out, "", &format!("{} 856 k dependences", "w".repeat(95)));
        assert_eq!(out, format!("{}\n  856 k dependences\n", "w".repeat(95)));
    }
}
