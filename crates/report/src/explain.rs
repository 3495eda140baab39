//! The proof of one verdict: what orders the iterations of a loop, with a pair of iterations for each that can be looked up in
//! the program, what would remove it, and what the loop is then.
//!
//! Invariant: everything said is of the profile or follows from it by the rules of `schedule`; what is not known is said to be so.

use std::fmt::Write;

use profile::Profile;
use schedule::anew::{Anew, Instead};
use schedule::facts::{Facts, Role};
use schedule::needs::Way;
use schedule::{Parallel, SourceLoop};
use serde::Serialize;

use crate::directive::{self, Absent};
use crate::finding::{self, BlockingFinding, ReductionFinding, Report};
use crate::inputs;
use crate::recommend;
use crate::text::{entries, headline_of, number, paragraph, sentence};

/// Most dependences in the text; JSON has all.
const MOST: usize = 20;

/// An explanation.
#[derive(Debug, Serialize)]
pub struct Explanation {
    schema: &'static str,
    /// The loop.
    pub id: String,
    parallel: &'static str,
    class: Option<&'static str>,
    /// In words.
    verdict: String,
    /// Loops around it and itself, outermost first: what distances and iterations count.
    loops: Vec<String>,
    /// Why it is parallel, as far as it is.
    because: Vec<String>,
    /// Everything that orders its iterations, the most frequent first.
    dependences: Vec<Evidence>,
    /// What would remove what blocks it, and what it becomes then.
    remedies: Vec<Remedy>,
}

/// A dependence between iterations.
#[derive(Debug, Serialize)]
struct Evidence {
    kind: &'static str,
    via: &'static str,
    /// In words.
    text: String,
    variable: Option<String>,
    /// Smallest and largest distance per loop.
    distance: Vec<(i64, i64)>,
    /// Instances seen; 0 if it follows from others and from addresses.
    count: u64,
    source: Place,
    sink: Place,
    example: Option<Example>,
    /// Two threads of a team executed the example, each in its own part of the iterations.
    between_members: bool,
    /// Of a merged profile the input on which it was seen, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<usize>,
}

/// An instruction.
#[derive(Debug, Serialize)]
struct Place {
    file: String,
    line: u32,
    pc: u64,
}

/// A pair of iterations.
#[derive(Debug, Serialize)]
struct Example {
    source: Vec<i64>,
    sink: Vec<i64>,
    /// Through memory.
    address: Option<u64>,
}

/// A change and its effect.
#[derive(Debug, Serialize)]
struct Remedy {
    change: String,
    effect: String,
}

/// Explains the verdict on a loop.
pub fn explain(report: &Report<'_>, at: usize) -> Explanation {
    let l = &report.loops[at];
    let dependences = finding::ordering(report.profile, l);
    Explanation {
        schema: "loopwright.explanation/1",
        id: l.id.clone(),
        parallel: finding::verdict_name(l.parallel),
        class: l.class().map(finding::class_name),
        verdict: [Some(headline_of(report, at)), inputs::behind_verdict(report.profile, l)]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" "),
        loops: around(report, at),
        because: because(report, at, dependences.len()),
        dependences: dependences.iter().map(|d| evidence(report.profile, d, l)).collect(),
        remedies: remedies(report, at),
    }
}

/// The loops around one and itself, outermost first.
fn around(report: &Report<'_>, at: usize) -> Vec<String> {
    let mut out: Vec<String> = std::iter::successors(Some(at), |&at| report.loops[at].parent)
        .map(|at| report.loops[at].id.clone())
        .collect();
    out.reverse();
    out
}

fn because(report: &Report<'_>, at: usize, ordering: usize) -> Vec<String> {
    let p = report.profile;
    let l = &report.loops[at];
    let mut out = Vec::new();
    if l.parallel == Parallel::Unknown {
        out.push(finding::why_unknown(p, l));
        return out;
    }
    if l.parallel != Parallel::No && ordering == 0 {
        out.push("no iteration reads, overwrites or needs anything of another".to_owned());
    }
    for ReductionFinding { operator, name, line, .. } in finding::reductions(p, l) {
        let name = name.map_or_else(|| format!("a value of line {line}"), |name| format!("`{name}`"));
        out.push(format!(
            "{name} is accumulated by {operator}, which may be done in any order if rounding may differ"
        ));
    }
    let needs = l.needs();
    let left = |name: &String| {
        let mut kept = needs.iter().filter(|need| need.way == Way::LastPrivate);
        kept.any(|need| finding::need_name(p, need) == name)
    };
    let (kept, private): (Vec<String>, Vec<String>) = finding::privatise(p, l).into_iter().partition(left);
    for (names, afterwards) in [
        (private, "and nothing reads it afterwards"),
        (kept, "and what the last one leaves is read afterwards"),
    ] {
        if !names.is_empty() {
            let names = names.join(", ");
            out.push(format!("every iteration writes {names} before it reads it, {afterwards}"));
        }
    }
    let mut lines: Vec<u32> = l
        .verdicts
        .iter()
        .flat_map(|v| &v.scevs)
        .map(|&s| p.location_of(s).line)
        .filter(|&line| line > 0)
        .collect();
    lines.sort_unstable();
    lines.dedup();
    if !lines.is_empty() {
        let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
        out.push(format!(
            "counters and invariants (lines {}) are computed anew in every iteration",
            lines.join(", ")
        ));
    }
    out
}

fn evidence(p: &Profile, d: &BlockingFinding, l: &SourceLoop) -> Evidence {
    let place = |own: &(String, u32), pc: u64| Place { file: own.0.clone(), line: own.1, pc };
    let has_example = d.count > 0 && !d.example.1.is_empty();
    Evidence {
        kind: d.kind,
        via: d.via,
        text: sentence(d, l),
        variable: d.object.as_ref().map(|object| object.shown.clone()),
        distance: d.ranges.clone(),
        count: d.count,
        source: place(&d.source, d.pcs.0),
        sink: place(&d.sink, d.pcs.1),
        example: has_example.then(|| Example {
            source: d.example.0.clone(),
            sink: d.example.1.clone(),
            address: Some(d.example.2).filter(|_| d.via == "memory"),
        }),
        between_members: d.between_members,
        input: (!p.further_runs.is_empty()).then_some(d.run),
    }
}

/// What helps, simplest first.
fn remedies(report: &Report<'_>, at: usize) -> Vec<Remedy> {
    let l = &report.loops[at];
    let mut out = Vec::new();
    let mut add = |change: String, effect: String| out.push(Remedy { change, effect });
    if let Some(own) = recommend::inward_of(report, at) {
        let (change, effect) = recommend::inward_parts(report, own);
        add(change, effect);
    }
    if matches!(l.parallel, Parallel::Yes | Parallel::Unknown) {
        return out;
    }
    let needs: Vec<String> = l.needs().iter().map(|own| finding::need(report.profile, own)).collect();
    if !needs.is_empty() {
        add(needs.join("; "), "the loop is parallel".to_owned());
    }
    if l.parallel == Parallel::Reduction {
        let (change, effect) = combining(report, at);
        add(change, effect);
        return out;
    }
    if let Some(lanes) = finding::limited_lanes(report.profile, l) {
        add(format!("omp simd safelen({lanes})"), format!("up to {lanes} iterations run in lockstep"));
    } else if l.parallel == Parallel::No && finding::is_vectorisable(report.profile, l) {
        add("omp simd".to_owned(), "iterations run in lockstep, in vectors of any length".to_owned());
    }
    if let Some((change, effect)) = anew(report, at) {
        add(change, effect);
    }
    if let Some(words) = finding::distributing(report, at) {
        add(words, "the parallel parts are parallel loops".to_owned());
    }
    let band = band(report, at);
    // Loops of libraries, such as those that print, are nobody's to tile, and what counts nothing has no tiles.
    let may_be_tiled = |at: usize| {
        let own = &report.loops[at];
        let facts = || own.contexts.first().and_then(|&context| Facts::of(report.profile, context));
        own.main
            && !directive::is_left_early(report.profile, own)
            && facts().is_none_or(|facts| !facts.source.iterators.is_empty())
    };
    if l.parallel == Parallel::No && band.len() > 1 && band.iter().all(|&at| may_be_tiled(at)) {
        let names: Vec<String> = band.iter().map(|&at| report.loops[at].place()).collect();
        let others = band.iter().any(|&other| finding::is_parallelisable(&report.loops[other]));
        let effect = match others {
            true => "with a parallel loop of them outermost the others run inside it",
            false => "tiles on a diagonal of two of them run in parallel",
        };
        add(format!("tiling {}, which may be permuted", names.join(", ")), effect.to_owned());
    }
    let leaf = |l: &SourceLoop| l.skew.is_some();
    let inner = (at..report.loops.len())
        .take_while(|&other| other == at || report.loops[other].depth > l.depth)
        .find(|&other| leaf(&report.loops[other]));
    if l.parallel == Parallel::No
        && let Some(inner) = inner
        && let Some(rows) = &report.loops[inner].skew
        && report.loops[inner].depth < l.depth + rows.len()
        && (at..=inner).all(may_be_tiled)
    {
        let rows: Vec<String> = rows.iter().map(|row| format!("{row:?}")).collect();
        add(
            format!("skewing: new counters {} of the {} innermost loops", rows.join(", "), rows.len()),
            "they can be tiled, and tiles on a diagonal run in parallel".to_owned(),
        );
    }
    out
}

/// What iterations hand on without need, computed or kept otherwise.
fn anew(report: &Report<'_>, at: usize) -> Option<(String, String)> {
    let l = &report.loops[at];
    let pieces = l.contexts.iter().zip(&l.verdicts).filter(|(_, verdict)| !verdict.blocking.is_empty());
    let mut all = pieces.map(|(&context, verdict)| schedule::anew::anew(report.profile, context, verdict));
    let first = all.next().filter(|first| !first.is_empty() && l.parallel == Parallel::No)?;
    if all.any(|other| other != first) {
        return None;
    }
    let one = |own: &Anew<'_>| match own.instead {
        Instead::Computed(_) => format!(
            "computing anew what the iteration before assigns to `{0}` (`{1}`, line {2}){3}",
            own.name,
            own.value,
            own.line,
            if own.is_used { ", which is set behind the loop then" } else { "" }
        ),
        Instead::Latest => format!(
            "keeping what the last iteration that assigns `{0}` (line {1}) leaves in it, by lastprivate(conditional: {0})",
            own.name, own.line
        ),
    };
    let mut change = first.iter().map(one).collect::<Vec<_>>().join("; ");
    let back = |own: &Anew<'_>| match own.instead {
        Instead::Computed(back) => Some(back),
        Instead::Latest => None,
    };
    match first.iter().filter_map(back).max() {
        Some(1) => change += "; with the first iteration before the loop (peeling)",
        Some(peeled) => change += &format!("; with the first {peeled} iterations before the loop (peeling)"),
        None => {}
    }
    let private = finding::privatise(report.profile, l);
    let combined = l.verdicts.iter().any(|verdict| !verdict.reductions.is_empty());
    let mut effect = "the loop is parallel".to_owned();
    if !private.is_empty() {
        effect += &format!(", with {} private", private.join(", "));
    }
    if combined {
        effect += ", with its reductions";
    }
    Some((change, effect))
}

/// How iterations combine what they do, and what comes of it.
fn combining(report: &Report<'_>, at: usize) -> (String, String) {
    let (change, is_in_order) = match directive::clauses(report.profile, &report.loops[at]) {
        Some(Ok(clauses)) if clauses.reduces() => clauses.combining(),
        // What is set under a condition, or goes with another variable, is no update of its own.
        Some(Err(Absent::Variable(name))) if is_set_with_another(report, at, &name) => {
            let change = format!(
                "keeping `{name}` in a copy for each thread, together with what decides whether it is set, and choosing among the copies \
                 in the order of the iterations; atomic updates would not keep the two together"
            );
            (change, false)
        }
        Some(Err(Absent::Variable(name))) => {
            let change = format!(
                "combining `{name}` by atomic updates (omp atomic), or in a copy for each thread; where its length is known by \
                 a reduction over the section"
            );
            (change, false)
        }
        _ => ("a reduction clause".to_owned(), false),
    };
    let order = if is_in_order { "" } else { ", with sums in another order" };
    (change, format!("the loop is parallel{order}"))
}

/// Whether the text of a loop sets a scalar otherwise than by combining its own value with others.
fn is_set_with_another(report: &Report<'_>, at: usize, name: &str) -> bool {
    let facts = report.loops[at].contexts.first().and_then(|&context| Facts::of(report.profile, context));
    let role = facts.and_then(|facts| facts.role(name));
    matches!(role, Some(Role::Companion | Role::Carried))
}

/// The loops that a loop may be permuted with, itself included, outermost first.
fn band(report: &Report<'_>, at: usize) -> Vec<usize> {
    let loops = &report.loops;
    let mut out = vec![at];
    let mut outer = at;
    while let Some(parent) = loops[outer].parent.filter(|_| loops[outer].permutable_with_parent) {
        out.insert(0, parent);
        outer = parent;
    }
    let mut inner = at;
    while let Some(next) = (inner + 1..loops.len())
        .take_while(|&other| loops[other].depth > loops[inner].depth)
        .find(|&other| loops[other].parent == Some(inner) && loops[other].permutable_with_parent)
    {
        out.push(next);
        inner = next;
    }
    out
}

/// For people.
pub fn text(report: &Report<'_>, at: usize, explanation: &Explanation) -> String {
    let l = &report.loops[at];
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(out, "{}: {}", explanation.id, explanation.verdict);
    let facts = format!(
        "{:.1} % of the instructions, {} iterations in {}{}",
        100.0 * l.share,
        number(l.iterations),
        entries(l.entries),
        class(explanation)
    );
    paragraph(&mut out, "  ", &facts);
    if explanation.loops.len() > 1 {
        paragraph(&mut out, "  ", &format!("vectors count the loops {}", explanation.loops.join(", ")));
    }
    if let Some(words) = inputs::otherwise(report.profile, l) {
        paragraph(&mut out, "  ", &words);
    }
    for line in &explanation.because {
        paragraph(&mut out, "  ", line);
    }
    let shown = explanation.dependences.iter().take(MOST);
    for (k, evidence) in shown.enumerate() {
        out.push('\n');
        paragraph(&mut out, "  ", &format!("{}. {}", k + 1, evidence.text));
        dependence(evidence, &mut out);
    }
    if explanation.dependences.len() > MOST {
        let _ = writeln!(out, "\n  {} more; --format json has all", explanation.dependences.len() - MOST);
    }
    if !explanation.remedies.is_empty() {
        out.push_str("\n  What helps:\n");
    }
    for remedy in &explanation.remedies {
        paragraph(&mut out, "  ", &format!("- {}: {}", remedy.change, remedy.effect));
    }
    if explanation.remedies.is_empty() && l.parallel == Parallel::No {
        out.push_str(
            "\n  Nothing helps this loop alone: values are passed on from iteration to iteration.\n  \
             Other orders of all loops around and in it: loopwright report --schedule\n",
        );
    }
    out
}

fn class(explanation: &Explanation) -> String {
    match explanation.class {
        Some("A") => ", class A: no storage has to change".to_owned(),
        Some("B") => ", class B: changes of storage make it parallel".to_owned(),
        Some("C") => ", class C: values passed on block it".to_owned(),
        _ => String::new(),
    }
}

fn dependence(evidence: &Evidence, out: &mut String) {
    let component = |&(low, high): &(i64, i64)| {
        if low == high { low.to_string() } else { format!("{low} to {high}") }
    };
    let distance: Vec<String> = evidence.distance.iter().map(component).collect();
    let seen = match evidence.count {
        0 => "follows from the addresses".to_owned(),
        n => format!("{} instances", number(n)),
    };
    let facts =
        format!("{} through {}, distance ({}), {seen}", evidence.kind, evidence.via, distance.join(", "));
    paragraph(out, "     ", &facts);
    let place = |own: &Place| {
        let file = own.file.rsplit('/').next().unwrap_or_default();
        if own.line > 0 { format!("{file}:{} at {:#x}", own.line, own.pc) } else { format!("{:#x}", own.pc) }
    };
    let vector = |iteration: &[i64]| iteration.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    if let Some(example) = &evidence.example {
        let address = example.address.map_or(String::new(), |address| format!(", address {address:#x}"));
        let on = evidence.input.map_or(String::new(), |input| format!("on input {}, ", input + 1));
        let of = if evidence.between_members { " of two threads, each counting its own" } else { "" };
        let pair = format!(
            "for example {on}iteration ({}) {}, then ({}) {}{of}{address}",
            vector(&example.source),
            place(&evidence.source),
            vector(&example.sink),
            place(&evidence.sink),
        );
        paragraph(out, "     ", &pair);
    }
}
