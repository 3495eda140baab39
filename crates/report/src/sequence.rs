//! Sequences of core transformations in words.

use profile::Profile;
use schedule::SourceLoop;
use schedule::propose::outline::Statement;
use schedule::propose::sequence::{Change, Step};
use serde::Serialize;

use crate::text::paragraph;

/// A step as programs read it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WireStep {
    /// `privatise`, `expand`, `distribute`, `fuse`, `reverse`, `skew`, `interchange`, `tile`, `wavefront`, `parallelise`,
    /// `vectorise`.
    step: &'static str,
    /// The loops that it is about.
    loops: Vec<String>,
    /// Their lines.
    lines: Vec<u32>,
    /// In words.
    text: String,
    /// Legal by itself after the steps before it, as the distances show; else together with those after it.
    legal_alone: bool,
}

/// Steps for programs.
pub fn wire(profile: &Profile, loops: &[SourceLoop], steps: &[Step]) -> Vec<WireStep> {
    let step = |step: &Step| {
        let of = concerned(&step.change);
        WireStep {
            step: name(&step.change),
            loops: of.iter().map(|&l| loops[l].id.clone()).collect(),
            lines: of.iter().map(|&l| loops[l].line).collect(),
            text: words(profile, loops, &step.change),
            legal_alone: step.is_legal_alone,
        }
    };
    steps.iter().map(step).collect()
}

/// Steps for people, one after the other; nothing if there are none.
pub fn text(profile: &Profile, loops: &[SourceLoop], steps: &[Step], pad: &str) -> String {
    let mut out = String::new();
    if steps.is_empty() {
        return out;
    }
    paragraph(&mut out, pad, "step by step:");
    for (k, line) in lines(profile, loops, steps).into_iter().enumerate() {
        paragraph(&mut out, &format!("{pad}  "), &format!("{}. {line}", k + 1));
    }
    out
}

/// Steps for people, without numbers.
pub(crate) fn lines(profile: &Profile, loops: &[SourceLoop], steps: &[Step]) -> Vec<String> {
    let note = |step: &Step| if step.is_legal_alone { "" } else { " (together with the steps after it)" };
    steps.iter().map(|step| format!("{}{}", words(profile, loops, &step.change), note(step))).collect()
}

fn name(change: &Change) -> &'static str {
    match change {
        Change::Privatise { .. } => "privatise",
        Change::Expand { .. } => "expand",
        Change::Distribute { .. } => "distribute",
        Change::Fuse { .. } => "fuse",
        Change::Reverse { .. } => "reverse",
        Change::Skew { .. } => "skew",
        Change::Interchange { .. } => "interchange",
        Change::Tile { .. } => "tile",
        Change::Wavefront { .. } => "wavefront",
        Change::Parallelise { .. } => "parallelise",
        Change::Vectorise { .. } => "vectorise",
    }
}

fn concerned(change: &Change) -> Vec<usize> {
    match change {
        Change::Privatise { of, .. }
        | Change::Expand { of, .. }
        | Change::Distribute { of, .. }
        | Change::Reverse { of }
        | Change::Parallelise { of }
        | Change::Vectorise { of } => vec![*of],
        Change::Skew { of, by, .. } => vec![*of, *by],
        Change::Fuse { loops, .. }
        | Change::Interchange { loops }
        | Change::Tile { loops }
        | Change::Wavefront { loops } => loops.clone(),
    }
}

fn words(profile: &Profile, loops: &[SourceLoop], change: &Change) -> String {
    let one = |of: usize| loops[of].place();
    let list = |all: &[usize], between: &str| all.iter().map(|&of| one(of)).collect::<Vec<_>>().join(between);
    match change {
        Change::Privatise { of, object } => {
            let name = profile.objects.get(*object as usize).map_or("", |o| &o.name);
            format!("privatise {name} in the loop of {}", one(*of))
        }
        Change::Expand { of, object, lines } => {
            let what = match object.and_then(|object| profile.objects.get(object as usize)) {
                Some(object) => object.name.clone(),
                None => format!("the value of {}", in_lines(lines)),
            };
            format!("expand {what} over the loop of {}, an element per iteration", one(*of))
        }
        Change::Distribute { of, parts } => {
            let parts: Vec<String> = parts.iter().map(|part| statements(part)).collect();
            format!("distribute the loop of {}: {}", one(*of), parts.join(" | "))
        }
        Change::Fuse { loops: all, shifts } => {
            let late = all.iter().zip(shifts).filter(|(_, shift)| **shift != 0);
            let late: Vec<String> = late
                .map(|(&of, by)| {
                    format!(
                        "that of {} {by} {} later",
                        one(of),
                        if *by == 1 { "iteration" } else { "iterations" }
                    )
                })
                .collect();
            let note = if late.is_empty() { String::new() } else { format!(", {}", late.join(", ")) };
            format!("fuse the loops of {}{note}", list(all, " and "))
        }
        Change::Reverse { of } => format!("run the loop of {} backwards", one(*of)),
        Change::Skew { of, by, factor } => {
            format!("skew the loop of {} by {factor} times that of {}", one(*of), one(*by))
        }
        Change::Interchange { loops: all } => format!("interchange to the order {}", list(all, ", ")),
        Change::Tile { loops: all } => format!("tile {} levels: {}", all.len(), list(all, ", ")),
        Change::Wavefront { loops: all } => {
            format!("run tiles on a diagonal of {} in parallel", list(all, " and "))
        }
        Change::Parallelise { of } => format!("parallelise the loop of {}", one(*of)),
        Change::Vectorise { of } => format!("vectorise the loop of {}", one(*of)),
    }
}

fn statements(part: &[Statement]) -> String {
    let mut lines: Vec<u32> = part.iter().flat_map(|s| s.lines.iter().copied()).collect();
    lines.sort_unstable();
    lines.dedup();
    in_lines(&lines)
}

/// Lines in words, ascending.
pub(crate) fn in_lines(lines: &[u32]) -> String {
    match lines[..] {
        [] => "statements without lines".to_owned(),
        [line] => format!("line {line}"),
        [first, .., last] => format!("lines {first}-{last}"),
    }
}
