//! The terminal summary: trust first, then the loops with the largest share of operations.

use std::fmt::Write;

use profile::Profile;
use schedule::metrics::Survey;
use schedule::{Parallel, SourceLoop, propose};

use crate::finding::{self, BlockingFinding, Report};

/// How to write it.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Most loops shown.
    pub top: usize,
    /// Use terminal colours.
    pub colour: bool,
}

const WIDTH: usize = 100;

/// Renders the summary.
pub fn summary(report: &Report<'_>, options: Options) -> String {
    let mut out = String::new();
    header(report, &mut out);
    let shown = select(report, options.top);
    if shown.is_empty() {
        out.push_str("\nNo loop of the program ran more than one iteration.\n");
        return out;
    }
    let survey = Survey::new(report.profile, &report.loops);
    for &at in &shown {
        entry(report, at, &survey, options, &mut out);
    }
    let others = report.loops.len() - shown.len();
    if others > 0 {
        let _ = writeln!(out, "\n{others} more loops; --top N shows more, --format json all of them.");
    }
    if let Some(proposals) = &report.proposals {
        out.push_str(&crate::proposals::text(report.profile, &report.loops, proposals));
    }
    if let Some(code) = &report.code {
        out.push_str(&crate::code::text(report.profile, &report.loops, code));
    }
    out
}

/// The hottest loops of the program itself, then of libraries if they are hot; in program order.
fn select(report: &Report<'_>, top: usize) -> Vec<usize> {
    let mut order: Vec<usize> =
        (0..report.loops.len()).filter(|&i| report.loops[i].main || report.loops[i].share >= 0.05).collect();
    order.sort_by(|&a, &b| report.loops[b].share.total_cmp(&report.loops[a].share).then(a.cmp(&b)));
    order.truncate(top);
    order.sort_unstable();
    order
}

/// The lines about the run as a whole: what was recorded, and how exactly.
pub(crate) fn header_text(report: &Report<'_>) -> String {
    let mut out = String::new();
    header(report, &mut out);
    out
}

fn header(report: &Report<'_>, out: &mut String) {
    let p = report.profile;
    let t = &p.trust;
    let all = t.instructions + t.unrecorded;
    if t.counted_only {
        let name = p.program.argv.first().map_or("program", |a| a.rsplit('/').next().unwrap_or(a));
        let _ = writeln!(out, "{name}: {} instructions counted", number(t.instructions));
        notes(p, out);
        return;
    }
    let recorded = if all == 0 { 0.0 } else { 100.0 * t.instructions as f64 / all as f64 };
    let extent = match t.main_only {
        true => "of the program's own code recorded".to_owned(),
        false => format!("recorded ({recorded:.1} %)"),
    };
    let _ = writeln!(
        out,
        "{}: {} instructions {extent}, {:.1} % in exact affine form, {} dependences",
        p.program.argv.first().map_or("program", |a| a.rsplit('/').next().unwrap_or(a)),
        number(t.instructions),
        100.0 * report.exact_fraction,
        number(t.dependences),
    );
    if let Some(share) = finding::folded_share(p) {
        let _ = writeln!(
            out,
            "  {:.1} % of {} accesses of the program's own code recorded as folded loops{}",
            100.0 * share,
            number(t.main_accesses),
            partly(p),
        );
    }
    notes(p, out);
    let _ = writeln!(out, "  verdicts hold for this run on this input");
}

/// How many of the accesses recorded as folded loops are in loops with some words of every iteration.
fn partly(p: &Profile) -> String {
    match finding::partly_folded_share(p) {
        Some(share) if share > 0.0 => {
            format!(", {:.1} % with some addresses of every iteration", 100.0 * share)
        }
        _ => String::new(),
    }
}

/// What limits the report.
fn notes(p: &Profile, out: &mut String) {
    let t = &p.trust;
    for (label, list) in [("truncated", &t.truncated), ("not recorded", &t.untracked)] {
        if !list.is_empty() {
            paragraph(out, "  ", &format!("{label}: {}", list.join("; ")));
        }
    }
    if !t.missing_debug_information.is_empty() {
        let main = p.functions.iter().find(|f| f.main).map(|f| f.module.clone()).unwrap_or_default();
        if t.missing_debug_information.contains(&main) {
            paragraph(
                out,
                "  ",
                &format!(
                    "no line information in {main}: loops are named function+offset; compile with -g for source lines"
                ),
            );
        }
    }
}

fn entry(report: &Report<'_>, at: usize, survey: &Survey<'_>, options: Options, out: &mut String) {
    let p = report.profile;
    let l = &report.loops[at];
    let indent = "  ".repeat(l.depth.min(8));
    let (start, end) = if options.colour { colours(l.parallel) } else { ("", "") };
    let calls = if l.calls.is_empty() { String::new() } else { format!(" via {}", l.calls.join(" > ")) };
    let words = match (p.trust.counted_only, l.recursive) {
        (true, false) => String::new(),
        (true, true) => "recursion".to_owned(),
        (false, _) => headline(l),
    };
    let pad = format!("         {indent}");
    // A long way to the loop gets lines of its own.
    let length = [&pad, &l.id, &calls, "  ", &words].iter().map(|part| part.chars().count()).sum::<usize>();
    let beside = if length <= WIDTH { calls.as_str() } else { "" };
    let verdict = if words.is_empty() { words } else { format!("  {start}{words}{end}") };
    let _ = writeln!(out, "\n{:5.1} %  {indent}{}{beside}{verdict}", 100.0 * l.share, l.id);
    if beside != calls {
        paragraph(out, &pad, calls.trim_start());
    }
    let trip = l.iterations as f64 / l.entries.max(1) as f64;
    let each = match l.trips {
        Some((least, most)) if least < most => {
            format!("{} to {}, {trip:.1} on average", number(least), number(most))
        }
        _ => format!("{trip:.1} each"),
    };
    let mut facts = format!("{} iterations in {} ({each})", number(l.iterations), entries(l));
    if let Some(stride) = l.stride01 {
        let _ = write!(facts, ", {:.0} % of accesses at stride 0 or 1", 100.0 * stride);
    }
    paragraph(out, &pad, &facts);
    let exact = 100.0 * survey.affine(&propose::around(&report.loops, at));
    if !p.trust.counted_only && l.parallel != Parallel::Unknown && exact < 99.95 {
        let words = format!("{exact:.1} % in exact form; ranges of distances decide about the rest");
        paragraph(out, &pad, &words);
    }
    if let Some(directive) = finding::directive(p, l) {
        paragraph(out, &pad, &directive);
    }
    let private = finding::privatise(p, l);
    if !private.is_empty() && l.parallel != Parallel::AfterPrivatisation {
        paragraph(out, &pad, &format!("private in each iteration: {}", private.join(", ")));
    }
    let arranged = [finding::fusing(report, at), finding::distributing(report, at)];
    arranged.into_iter().flatten().for_each(|words| paragraph(out, &pad, &words));
    if l.parallel == Parallel::No {
        for b in finding::blocking(p, l).into_iter().take(2) {
            paragraph(out, &pad, &sentence(&b, l));
        }
        if let Some(needs) = finding::needs(p, l) {
            paragraph(out, &pad, &needs);
        }
        match finding::limited_lanes(l) {
            Some(lanes) => paragraph(
                out,
                &pad,
                &format!("up to {lanes} iterations may run in lockstep: #pragma omp simd safelen({lanes})"),
            ),
            None if finding::is_vectorisable(l) => {
                paragraph(out, &pad, "iterations may run in lockstep: #pragma omp simd");
            }
            None => {}
        }
    }
}

pub(crate) fn headline(l: &SourceLoop) -> String {
    let kind = if l.recursive { "recursion" } else { "loop" };
    match l.parallel {
        Parallel::Yes => format!("parallel {kind}"),
        Parallel::Reduction => format!("parallel {kind} with a reduction"),
        Parallel::AfterPrivatisation => format!("parallel {kind} after privatisation"),
        Parallel::No => format!("{kind} is not parallel"),
        Parallel::Unknown => format!("{kind}: dependences not recorded"),
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
    let at = |line: u32, pc: u64| if line > 0 { format!("line {line}") } else { format!("{pc:#x}") };
    let lines = format!("{} <- {}", at(b.sink.1, b.pcs.1), at(b.source.1, b.pcs.0));
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
    for word in text.split(' ') {
        if line.chars().count() + 1 + word.chars().count() > WIDTH && line.len() > pad.len() {
            out.push_str(line.trim_end());
            out.push('\n');
            line = format!("{pad}  ");
        }
        if line.len() > pad.len() && !line.ends_with("  ") {
            line.push(' ');
        }
        line.push_str(word);
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

/// How often a loop was entered.
pub(crate) fn entries(l: &SourceLoop) -> String {
    if l.entries == 1 { "1 entry".to_owned() } else { format!("{} entries", number(l.entries)) }
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
    fn numbers_and_paragraphs() {
        assert_eq!(number(999), "999");
        assert_eq!(number(1234), "1,234");
        assert_eq!(number(56_789), "57 k");
        assert_eq!(number(2_500_000), "2.5 M");
        let mut out = String::new();
        paragraph(&mut out, "    ", &"word ".repeat(60));
        assert!(out.lines().all(|l| l.chars().count() <= WIDTH && l.starts_with("    ")));
        assert_eq!(out.split_whitespace().count(), 60);
    }
}
