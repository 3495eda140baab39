//! What to change first: directives for threads and changes of the order of loops together, those that gain most of the whole
//! program first.
//!
//! A gain is an estimate by Amdahl's law (Gene Amdahl, "Validity of the single processor approach to achieving large scale computing
//! capabilities", 1967): instructions stand for time, threads share iterations evenly, and each start of a team takes as long as
//! `worth::START` instructions. What gains less than `LEAST` is left out.

use std::collections::BTreeMap;

use schedule::arrange::inward::Inward;
use serde::Serialize;

use crate::finding::Report;
use crate::worth::{self, Choice};
use crate::{directive, text};

/// The least gain that is worth a change.
const LEAST: f64 = 1.05;
/// Most changes that people are shown at once; programs get all.
pub(crate) const MOST: usize = 5;

/// Processors that gains are estimated for: the same on every machine, and so is a report.
pub(crate) const PROCESSORS: u32 = 8;

/// A change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change<'a> {
    /// The directive for threads that is to be pasted above the loop.
    Threads(&'a str),
    /// The loop becomes the innermost of its nest.
    Inward(&'a Inward),
}

/// A change that is worth its while.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recommendation<'a> {
    /// The loop: index into those of the report.
    pub of: usize,
    /// What to do.
    pub change: Change<'a>,
    /// How many times as fast the program is expected to be, on `PROCESSORS` processors.
    pub gain: f64,
}

/// What to change, largest gain first.
pub fn recommendations<'a>(report: &'a Report<'_>) -> Vec<Recommendation<'a>> {
    if report.profile.trust.counted_only {
        return Vec::new();
    }
    let mut out = threads(report);
    out.extend(inward(report));
    out.retain(|own| own.gain >= LEAST);
    out.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.of.cmp(&b.of)));
    out
}

/// How many times as fast a program is, of which a share takes another one from now on.
fn gain(share: f64, then: f64) -> f64 {
    1.0 / (1.0 - share + then).max(f64::MIN_POSITIVE)
}

/// The place of a loop in the source.
fn place<'a>(report: &'a Report<'_>, at: usize) -> (&'a str, u32, u32) {
    let own = &report.loops[at];
    (&own.file, own.line, own.column)
}

/// The loops to be moved inwards, one per place of the source, whatever calls lead there.
fn inward<'a>(report: &'a Report<'_>) -> Vec<Recommendation<'a>> {
    let mut places: BTreeMap<(&str, u32, u32), Vec<&Inward>> = BTreeMap::new();
    for own in &report.inward {
        places.entry(place(report, own.of)).or_default().push(own);
    }
    let of_place = |all: Vec<&'a Inward>| {
        let share = |own: &Inward| report.loops[own.of].share;
        let hottest = all.iter().copied().max_by(|a, b| share(a).total_cmp(&share(b)))?;
        let saved: f64 = all.iter().map(|own| share(own) * (1.0 - own.remaining())).sum();
        Some(Recommendation { of: hottest.of, change: Change::Inward(hottest), gain: gain(saved, 0.0) })
    };
    places.into_values().filter_map(of_place).collect()
}

/// The directives for threads, one per line of the source: what is written there holds for all calls that come to it.
fn threads<'a>(report: &'a Report<'_>) -> Vec<Recommendation<'a>> {
    let all = report.profile.trust.run().max(1) as f64;
    let mut places: BTreeMap<(&str, u32, u32), Vec<usize>> = BTreeMap::new();
    for at in 0..report.loops.len() {
        if let Some(Choice::Paste { for_threads: true, .. }) = &report.directives[at]
            && report.existing[at].is_none()
        {
            places.entry(place(report, at)).or_default().push(at);
        }
    }
    let of_place = |entries: Vec<usize>| {
        let own = || entries.iter().map(|&at| &report.loops[at]);
        let of = entries
            .iter()
            .copied()
            .max_by(|&a, &b| report.loops[a].share.total_cmp(&report.loops[b].share).then(b.cmp(&a)))?;
        let (share, entered): (f64, u64) = (own().map(|l| l.share).sum(), own().map(|l| l.entries).sum());
        let trips = own().map(|l| l.iterations).sum::<u64>() as f64 / entered.max(1) as f64;
        let width = trips.min(f64::from(PROCESSORS)).max(1.0);
        let starts = entered as f64 * worth::START as f64 / all;
        let text = directive::pasted(report, of)?;
        let gain = gain(share.min(1.0), share.min(1.0) / width + starts);
        Some(Recommendation { of, change: Change::Threads(text), gain })
    };
    places.into_values().filter_map(of_place).collect()
}

/// How a loop is worth moving inwards, if it is.
pub(crate) fn inward_of<'a>(report: &'a Report<'_>, at: usize) -> Option<&'a Inward> {
    report.inward.iter().find(|own| own.of == at)
}

/// What moving a loop inwards means, in words.
pub(crate) fn inward_words(report: &Report<'_>, own: &Inward) -> String {
    let (change, effect) = inward_parts(report, own);
    format!("{change}: {effect}")
}

/// What is to be done to move a loop inwards, and what comes of it.
pub(crate) fn inward_parts(report: &Report<'_>, own: &Inward) -> (String, String) {
    let places: Vec<String> = own.past.iter().map(|&at| report.loops[at].place()).collect();
    let past = listed(&places);
    let how = match (own.is_split, own.expanded.is_empty()) {
        (false, _) => format!("interchange it with {past}"),
        (true, true) => format!("give the parts of its body loops of their own, inside {past}"),
        (true, false) => format!(
            "make {} an array of an element per iteration, and give the parts of its body loops of their own, inside {past}, some hundred \
             iterations at a time",
            listed(&own.expanded)
        ),
    };
    let (before, after) = own.near;
    let effect = format!(
        "as the innermost loop it can be vectorised, and {:.0} % of the accesses stay or go on to the next element ({:.0} % as it is)",
        100.0 * after,
        100.0 * before
    );
    (how, effect)
}

/// Names in a sentence.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [name] => name.clone(),
        [names @ .., last] => format!("{} and {last}", names.join(", ")),
    }
}

/// A change in words.
pub fn words(report: &Report<'_>, own: &Recommendation<'_>) -> String {
    match own.change {
        Change::Threads(text) => text.to_owned(),
        Change::Inward(own) => inward_words(report, own),
    }
}

/// The list for people; empty if there is nothing to do.
pub(crate) fn summary(report: &Report<'_>) -> String {
    let all = recommendations(report);
    let mut out = String::new();
    if all.is_empty() {
        return out;
    }
    out.push('\n');
    let headline =
        format!("What to change first (estimated gain of the whole program, {PROCESSORS} processors):");
    text::paragraph(&mut out, "", &headline);
    for own in all.iter().take(MOST) {
        let words = format!("{}: {}", report.loops[own.of].id, words(report, own));
        let gain = format!("{:5.1}x  ", own.gain);
        let mut lines = String::new();
        text::paragraph(&mut lines, &" ".repeat(gain.len()), &words);
        out.push_str(&gain);
        out.push_str(lines.trim_start());
    }
    out
}

/// A change for programs.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WireRecommendation {
    /// `threads` or `interchange`; `distribute` if the loop has to be distributed for that.
    change: &'static str,
    /// The loop that is changed, and those that come to stand around it.
    loops: Vec<String>,
    /// Their lines.
    lines: Vec<u32>,
    /// Variables that become arrays.
    expanded: Vec<String>,
    /// How many times as fast the program is expected to be.
    gain: f64,
    /// On so many processors.
    processors: u32,
    /// In words; of `threads` the directive.
    text: String,
}

/// The list for programs.
pub fn wire(report: &Report<'_>) -> Vec<WireRecommendation> {
    let one = |own: &Recommendation<'_>| {
        let (change, past, expanded): (_, &[usize], &[String]) = match own.change {
            Change::Threads(_) => ("threads", &[], &[]),
            Change::Inward(own) if own.is_split => ("distribute", &own.past, &own.expanded),
            Change::Inward(own) => ("interchange", &own.past, &[]),
        };
        let loops = || std::iter::once(own.of).chain(past.iter().copied()).map(|at| &report.loops[at]);
        WireRecommendation {
            change,
            loops: loops().map(|l| l.id.clone()).collect(),
            lines: loops().map(|l| l.line).collect(),
            expanded: expanded.to_vec(),
            gain: own.gain,
            processors: PROCESSORS,
            text: words(report, own),
        }
    };
    recommendations(report).iter().map(one).collect()
}
