//! Two profiles side by side: loops matched, verdict changes first, then figures.
//!
//! Loops match by id; those left over, whose lines have moved, by function, calls and place among the loops of the function.
//! Nothing is said of what is equal, so a profile differs in nothing from itself. People read of the program's own loops;
//! those of libraries are counted, and all in JSON.

use std::collections::BTreeMap;
use std::fmt::Write;

use schedule::{Parallel, SourceLoop};
use serde::Serialize;

use crate::finding::{self, Report};
use crate::text::{number, paragraph, sentence};

/// What differs.
#[derive(Debug, Serialize)]
pub struct Difference {
    schema: &'static str,
    /// Figures of the whole program.
    program: Vec<Figure>,
    /// Loops with another verdict: worse ones first, then the program's own, then hotter ones.
    verdicts: Vec<Verdict>,
    /// Loops with the same verdict and other figures, the program's own first, then hotter ones.
    loops: Vec<Changed>,
    /// Loops that only one profile has, the program's own first.
    only_before: Vec<String>,
    only_after: Vec<String>,
    /// How many of these are the program's own.
    #[serde(skip)]
    own: [usize; 2],
    /// How many of the program's own loops both have.
    #[serde(skip)]
    compared: usize,
}

/// A figure in both profiles.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Figure {
    name: &'static str,
    before: Option<f64>,
    after: Option<f64>,
    /// Difference by `before`; `None` if that is 0.
    relative: Option<f64>,
}

/// A verdict that changed.
#[derive(Debug, Serialize)]
struct Verdict {
    before_id: String,
    id: String,
    before: &'static str,
    after: &'static str,
    is_worse: bool,
    /// What blocks the loop where it is worse.
    why: Option<String>,
    figures: Vec<Figure>,
    #[serde(skip)]
    rank: (bool, f64),
}

/// Figures that changed.
#[derive(Debug, Serialize)]
struct Changed {
    before_id: String,
    id: String,
    figures: Vec<Figure>,
    #[serde(skip)]
    rank: (bool, f64),
}

/// Compares two profiles. Counts that differ by no more than `tolerance` (a share of the earlier one) are equal.
pub fn diff(before: &Report<'_>, after: &Report<'_>, tolerance: f64) -> Difference {
    let pairs = matched(&before.loops, &after.loops);
    let figures = |all: Vec<Option<Figure>>| -> Vec<Figure> { all.into_iter().flatten().collect() };
    let (mut verdicts, mut loops) = (Vec::new(), Vec::new());
    for &(a, b) in &pairs {
        let (old, new) = (&before.loops[a], &after.loops[b]);
        let count =
            |name, of: fn(&SourceLoop) -> u64| figure(name, of(old) as f64, of(new) as f64, tolerance);
        let changed = figures(vec![
            count("entries", |l| l.entries),
            count("iterations", |l| l.iterations),
            count("instructions", |l| l.instructions),
            optional("stride01_fraction", old.stride01, new.stride01),
            optional(
                "simd",
                Some(truth(finding::is_vectorisable(before.profile, old))),
                Some(truth(finding::is_vectorisable(after.profile, new))),
            ),
            optional(
                "permutable",
                Some(truth(old.permutable_with_parent)),
                Some(truth(new.permutable_with_parent)),
            ),
        ]);
        let (before_id, id) = (old.id.clone(), new.id.clone());
        let rank = (new.main, new.share.max(old.share));
        if old.parallel != new.parallel || old.class() != new.class() {
            // What was not known before cannot get worse; what is not known any more has.
            let is_worse = old.parallel != Parallel::Unknown
                && (new.parallel, new.class()) > (old.parallel, old.class());
            let why = finding::blocking(after.profile, new)
                .into_iter()
                .next()
                .filter(|_| new.parallel == Parallel::No);
            verdicts.push(Verdict {
                before_id,
                id,
                before: named(old),
                after: named(new),
                is_worse,
                why: why.map(|b| sentence(&b, new)),
                figures: changed,
                rank,
            });
        } else if !changed.is_empty() {
            loops.push(Changed { before_id, id, figures: changed, rank });
        }
    }
    let by_rank = |a: (bool, f64), b: (bool, f64)| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1));
    verdicts.sort_by(|a, b| b.is_worse.cmp(&a.is_worse).then(by_rank(a.rank, b.rank)).then(a.id.cmp(&b.id)));
    loops.sort_by(|a, b| by_rank(a.rank, b.rank).then(a.id.cmp(&b.id)));
    let (x, y) = (&before.profile.trust, &after.profile.trust);
    let program = figures(vec![
        figure("instructions", x.instructions as f64, y.instructions as f64, tolerance),
        figure("memory_accesses", x.memory_accesses as f64, y.memory_accesses as f64, tolerance),
        figure("dependences", x.dependences as f64, y.dependences as f64, tolerance),
        optional("exact_fraction", Some(before.exact_fraction), Some(after.exact_fraction)),
    ]);
    let left = |loops: &[SourceLoop], is_matched: &dyn Fn(usize) -> bool| -> (Vec<String>, usize) {
        let (own, others): (Vec<usize>, Vec<usize>) =
            (0..loops.len()).filter(|&at| !is_matched(at)).partition(|&at| loops[at].main);
        (own.iter().chain(&others).map(|&at| loops[at].id.clone()).collect(), own.len())
    };
    let (only_before, own_before) = left(&before.loops, &|at| pairs.iter().any(|pair| pair.0 == at));
    let (only_after, own_after) = left(&after.loops, &|at| pairs.iter().any(|pair| pair.1 == at));
    Difference {
        schema: "loopwright.diff/1",
        program,
        verdicts,
        loops,
        only_before,
        only_after,
        own: [own_before, own_after],
        compared: pairs.iter().filter(|pair| before.loops[pair.0].main).count(),
    }
}

/// The verdict with its class, where that says more.
fn named(l: &SourceLoop) -> &'static str {
    match (l.parallel, l.class()) {
        (Parallel::No, Some(schedule::needs::Class::B)) => "no, but for storage",
        (parallel, _) => finding::verdict_name(parallel),
    }
}

fn truth(value: bool) -> f64 {
    f64::from(u8::from(value))
}

fn figure(name: &'static str, before: f64, after: f64, tolerance: f64) -> Option<Figure> {
    let relative = (before != 0.0).then(|| (after - before) / before);
    let is_equal = before == after || relative.is_some_and(|r| r.abs() <= tolerance);
    (!is_equal).then_some(Figure { name, before: Some(before), after: Some(after), relative })
}

fn optional(name: &'static str, before: Option<f64>, after: Option<f64>) -> Option<Figure> {
    let relative = before.zip(after).filter(|(a, _)| *a != 0.0).map(|(a, b)| (b - a) / a);
    (before != after).then_some(Figure { name, before, after, relative })
}

/// Pairs of indices of the same loop in two lists.
fn matched(before: &[SourceLoop], after: &[SourceLoop]) -> Vec<(usize, usize)> {
    let by_id: BTreeMap<&str, usize> = before.iter().enumerate().map(|(at, l)| (l.id.as_str(), at)).collect();
    let mut of: Vec<Option<usize>> = after.iter().map(|l| by_id.get(l.id.as_str()).copied()).collect();
    let mut taken = vec![false; before.len()];
    of.iter().flatten().for_each(|&at| taken[at] = true);
    let mut left: BTreeMap<Structure, Vec<usize>> = BTreeMap::new();
    for at in (0..before.len()).rev().filter(|&at| !taken[at]) {
        left.entry(structure(before, at)).or_default().push(at);
    }
    for (at, found) in of.iter_mut().enumerate().filter(|(_, found)| found.is_none()) {
        *found = left.get_mut(&structure(after, at)).and_then(Vec::pop);
    }
    of.into_iter().enumerate().filter_map(|(at, found)| Some((found?, at))).collect()
}

/// Where a loop stands, whatever its lines are: file, function, calls that lead to it, depth.
type Structure<'a> = (&'a str, &'a str, &'a [String], usize);

fn structure(loops: &[SourceLoop], at: usize) -> Structure<'_> {
    let l = &loops[at];
    (l.file_name(), &l.function, &l.calls, l.depth)
}

impl Difference {
    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.program.is_empty()
            && self.verdicts.is_empty()
            && self.loops.is_empty()
            && self.only_before.is_empty()
            && self.only_after.is_empty()
    }

    /// The verdicts on the program's own loops that got worse, in words; that nothing could be compared is bad as well.
    pub fn worse(&self) -> Vec<String> {
        if self.own[0] > 0 && self.compared == 0 {
            return vec!["no loop of the baseline is in the profile: is it one of this program?".to_owned()];
        }
        let worse = self.verdicts.iter().filter(|verdict| verdict.is_worse && verdict.rank.0);
        worse.map(|v| format!("{}: {} before, {} now{}", v.id, v.before, v.after, because(v))).collect()
    }

    /// For people; empty if nothing differs.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for verdict in self.verdicts.iter().filter(|verdict| verdict.rank.0) {
            let line = format!(
                "{}: {} on A, {} on B{}",
                name(&verdict.before_id, &verdict.id),
                verdict.before,
                verdict.after,
                because(verdict)
            );
            paragraph(&mut out, "", &line);
            verdict.figures.iter().for_each(|figure| paragraph(&mut out, "    ", &in_words(figure)));
        }
        section(&mut out, "Program", self.program.iter().map(in_words));
        if self.loops.iter().any(|changed| changed.rank.0) {
            out.push_str(if out.is_empty() { "" } else { "\n" });
            out.push_str("Figures:\n");
        }
        for changed in self.loops.iter().filter(|changed| changed.rank.0) {
            paragraph(&mut out, "  ", &name(&changed.before_id, &changed.id));
            changed.figures.iter().for_each(|figure| paragraph(&mut out, "    ", &in_words(figure)));
        }
        section(&mut out, "Only in A", self.only_before.iter().take(self.own[0]).cloned());
        section(&mut out, "Only in B", self.only_after.iter().take(self.own[1]).cloned());
        section(&mut out, "In libraries", self.in_libraries().into_iter());
        out
    }

    /// What differs in libraries, counted.
    fn in_libraries(&self) -> Option<String> {
        let parts = [
            (self.verdicts.iter().filter(|verdict| !verdict.rank.0).count(), "with another verdict"),
            (self.loops.iter().filter(|changed| !changed.rank.0).count(), "with other figures"),
            (self.only_before.len() - self.own[0], "only in A"),
            (self.only_after.len() - self.own[1], "only in B"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let words: Vec<String> = parts.map(|(count, what)| format!("{count} {what}")).collect();
        (!words.is_empty()).then(|| format!("loops: {}; --format json has all of them", words.join(", ")))
    }
}

fn because(verdict: &Verdict) -> String {
    verdict.why.as_ref().map_or(String::new(), |why| format!(": {why}"))
}

fn name(before: &str, after: &str) -> String {
    if before == after { after.to_owned() } else { format!("{after} ({before} on A)") }
}

fn section(out: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    let lines: Vec<String> = lines.collect();
    if !lines.is_empty() {
        // Writing to a string does not fail.
        let _ = writeln!(out, "{}{title}:", if out.is_empty() { "" } else { "\n" });
        lines.iter().for_each(|line| paragraph(out, "  ", line));
    }
}

fn in_words(figure: &Figure) -> String {
    let is_share = figure.name.ends_with("fraction");
    let is_truth = matches!(figure.name, "simd" | "permutable");
    let value = |value: Option<f64>| match value {
        None => "unknown".to_owned(),
        Some(value) if is_truth => if value > 0.0 { "yes" } else { "no" }.to_owned(),
        Some(value) if is_share => format!("{:.1} %", 100.0 * value),
        Some(value) => number(value as u64),
    };
    let change = figure.before.zip(figure.after).map(|(before, after)| {
        let by = after - before;
        let sign = if by < 0.0 { "-" } else { "+" };
        let by = if is_share { format!("{:.1} points", 100.0 * by.abs()) } else { number(by.abs() as u64) };
        let relative = figure.relative.map_or(String::new(), |r| format!(", {:+.1} %", 100.0 * r));
        format!(" ({sign}{by}{relative})")
    });
    let change = change.filter(|_| !is_truth).unwrap_or_default();
    format!("{}: {} -> {}{change}", figure.name, value(figure.before), value(figure.after))
}
