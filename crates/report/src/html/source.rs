//! The source of a nest with what is known of its lines: share of the operations, loops that begin there, ends of the
//! dependences that block.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use profile::Profile;
use rustc_hash::FxHashSet;

use super::badge;
use super::escape;
use super::evidence::Evidence;
use crate::finding::Report;

/// Lines shown around those of interest.
const AROUND: u32 = 2;
/// Gaps of so many lines are shown too.
const GAP: u32 = 8;
/// Most lines shown of a nest.
pub const MOST_LINES: usize = 160;
/// Characters of a line beyond which it is cut.
const MOST_CHARACTERS: usize = 300;

/// Most ends of dependences named beside a line.
const MOST_ENDS: usize = 4;

/// The text of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceText {
    /// The text.
    pub text: String,
    /// The file is younger than the profile, and its lines may be others.
    pub is_newer: bool,
}

/// Source files by the name that debug information has for them.
pub type Sources = BTreeMap<String, SourceText>;

/// Operations by file and line.
#[derive(Debug, Default)]
pub struct Heat<'a>(BTreeMap<(&'a str, u32), u64>);

impl<'a> Heat<'a> {
    /// Of a whole program.
    pub fn of(profile: &'a Profile) -> Heat<'a> {
        let mut by_location = vec![0u64; profile.locations.len()];
        for block in &profile.blocks {
            for s in block.first..block.first + block.count {
                let location = profile.statements[s as usize].location as usize;
                by_location[location] = by_location[location].saturating_add(block.executions);
            }
        }
        let mut out = Heat::default();
        for (location, operations) in profile.locations.iter().zip(by_location) {
            if location.line > 0 && operations > 0 {
                let sum = out.0.entry((&location.file, location.line)).or_default();
                *sum = sum.saturating_add(operations);
            }
        }
        out
    }

    fn share(&self, file: &str, line: u32, all: u64) -> f64 {
        self.0.get(&(file, line)).map_or(0.0, |own| *own as f64 / all.max(1) as f64)
    }
}

/// Lines of a nest by file: those of its loops, of dependences that block, and of all that was executed in it.
pub fn lines_of<'a>(
    report: &'a Report<'_>,
    shown: &[usize],
    evidence: &'a [Evidence],
    contexts: &FxHashSet<u32>,
) -> BTreeMap<&'a str, BTreeSet<u32>> {
    let profile = report.profile;
    let mut out: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    let mut add = |file: &'a str, line: u32| {
        if line > 0 && !file.is_empty() {
            out.entry(file).or_default().insert(line);
        }
    };
    for &at in shown {
        add(&report.loops[at].file, report.loops[at].line);
    }
    for item in evidence {
        add(&item.finding.source.0, item.finding.source.1);
        add(&item.finding.sink.0, item.finding.sink.1);
    }
    for block in profile.blocks.iter().filter(|b| contexts.contains(&b.context) && profile.is_own(b.context))
    {
        for s in block.first..block.first + block.count {
            let location = profile.location_of(s);
            add(&location.file, location.line);
        }
    }
    out
}

/// The annotated source of a nest.
pub fn annotated(
    report: &Report<'_>,
    shown: &[usize],
    evidence: &[Evidence],
    lines: &BTreeMap<&str, BTreeSet<u32>>,
    (sources, heat): (&Sources, &Heat<'_>),
) -> String {
    let mut out = String::new();
    let mut left = MOST_LINES;
    let all = report.profile.trust.run();
    for (file, of_interest) in lines {
        let Some(source) = sources.get(*file) else {
            // Writing to a string does not fail.
            let _ = writeln!(out, "<p class=\"note\">{} could not be read here.</p>", escape::name(file));
            continue;
        };
        let text: Vec<&str> = source.text.lines().collect();
        let ranges = ranges(of_interest, text.len() as u32);
        if ranges.is_empty() {
            continue;
        }
        let note =
            if source.is_newer { ", changed since the profile was made: lines may be others" } else { "" };
        let _ = writeln!(
            out,
            "<div class=\"code\"><div class=\"file\">{}<i>{note}</i></div>",
            escape::name(file)
        );
        let mut cut = 0;
        for (k, &(from, to)) in ranges.iter().enumerate() {
            if k > 0 && left > 0 {
                out.push_str("<div class=\"gap\">⋮</div>\n");
            }
            for number in from..=to {
                if left == 0 {
                    cut += 1;
                    continue;
                }
                left -= 1;
                let line = text.get(number as usize - 1).copied().unwrap_or_default();
                let share = heat.share(file, number, all);
                let marks = marks(report, shown, evidence, file, number);
                out.push_str(&source_line(number, line, share, &marks));
            }
        }
        if cut > 0 {
            let _ =
                writeln!(out, "<div class=\"gap\">{cut} more lines ({MOST_LINES} of a nest are shown)</div>");
        }
        out.push_str("</div>\n");
    }
    out
}

fn source_line(number: u32, line: &str, share: f64, marks: &str) -> String {
    let percent = if share >= 0.0005 { format!("{:.1}", 100.0 * share) } else { String::new() };
    let mut text: String = line.chars().take(MOST_CHARACTERS).collect();
    if text.len() < line.len() {
        text.push('…');
    }
    format!(
        "<div class=\"line\"><span class=\"no\">{number}</span><span class=\"heat\" style=\"--heat:{share:.3}\">{percent}</span>\
         <span class=\"marks\">{marks}</span><code>{}</code></div>\n",
        escape::text(&text)
    )
}

/// The loops that begin on a line, and the ends of dependences that are there.
fn marks(report: &Report<'_>, shown: &[usize], evidence: &[Evidence], file: &str, line: u32) -> String {
    let mut out = String::new();
    let mut loops: Vec<_> =
        shown.iter().map(|&at| &report.loops[at]).filter(|l| l.line == line && l.file == file).collect();
    // One badge for all contexts of a loop, the worst.
    loops.sort_by_key(|l| std::cmp::Reverse(l.parallel));
    if let Some(l) = loops.first().filter(|_| !report.profile.trust.counted_only) {
        out.push_str(&badge(l.parallel));
    }
    let mut ends = 0;
    for item in evidence {
        let (number, finding) = (item.number, &item.finding);
        let is = |place: &(String, u32)| place.1 == line && place.0 == file;
        let (earlier, later) = match finding.kind {
            "flow" => ("writes", "reads"),
            "anti" => ("reads", "overwrites"),
            _ => ("writes", "overwrites"),
        };
        let word = match (is(&finding.source), is(&finding.sink)) {
            (true, true) => format!("{earlier}, {later}"),
            (true, false) => earlier.to_owned(),
            (false, true) => later.to_owned(),
            (false, false) => continue,
        };
        ends += 1;
        if ends > MOST_ENDS {
            out.push('…');
            break;
        }
        // Writing to a string does not fail.
        let _ = write!(out, "<a class=\"end\" href=\"#evidence-{number}\" title=\"{word}\">{number}</a>");
    }
    out
}

/// Ranges of lines around those of interest, in a file of so many lines.
fn ranges(of_interest: &BTreeSet<u32>, count: u32) -> Vec<(u32, u32)> {
    let mut out: Vec<(u32, u32)> = Vec::new();
    for &line in of_interest.iter().filter(|&&line| line <= count) {
        let (from, to) = (line.saturating_sub(AROUND).max(1), line.saturating_add(AROUND).min(count));
        match out.last_mut() {
            Some(last) if from <= last.1.saturating_add(GAP) => last.1 = last.1.max(to),
            _ => out.push((from, to)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_join_what_is_near() {
        let lines: BTreeSet<u32> = [1, 5, 30, 99].into();
        assert_eq!(ranges(&lines, 40), [(1, 7), (28, 32)]);
        assert_eq!(ranges(&lines, 0), []);
    }

    #[test]
    fn lines_are_text() {
        let line = source_line(3, "if (a < b && c) \"</div>\"", 0.25, "");
        assert!(line.contains("if (a &lt; b &amp;&amp; c) &quot;&lt;/div&gt;&quot;"), "{line}");
        assert!(line.contains("25.0"), "{line}");
    }
}
