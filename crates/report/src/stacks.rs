//! The dynamic schedule tree for tools that draw flame graphs: folded stacks, and the file format of speedscope.

use std::fmt::Write;

use serde::Serialize;

use crate::finding::Report;
use crate::frames::{Frame, What, frames, program_name, stacks};

/// Name of the schema of speedscope's files.
const SPEEDSCOPE: &str = "https://www.speedscope.app/file-format-schema.json";

/// Folded stacks: a line per frame that executed something itself, `program;function;loop count`. What is said about a
/// frame stands in brackets behind its name.
pub fn folded(report: &Report<'_>) -> String {
    let frames = frames(report);
    let labels: Vec<String> = frames.iter().map(label).collect();
    let mut out = String::new();
    stacks(&frames, |stack, frame| {
        for (k, &at) in stack.iter().enumerate() {
            out.push_str(if k > 0 { ";" } else { "" });
            out.push_str(&labels[at]);
        }
        // Writing to a string does not fail.
        let _ = writeln!(out, " {}", frame.own);
    });
    out
}

/// A label as folded stacks can hold it: a semicolon ends a frame, a number behind a space is a count, and readers cut
/// space off both ends.
pub(crate) fn label(frame: &Frame) -> String {
    let label = frame.label().replace(';', ":");
    let label = match label.trim() {
        "" => "(no name)",
        label => label,
    };
    match label.rsplit_once(' ') {
        Some((before, last)) if last.parse::<f64>().is_ok() => format!("{before}_{last}"),
        _ => label.to_owned(),
    }
}

/// A file for speedscope: one sampled profile whose samples are the frames that executed something themselves, in order of
/// first execution, weighted by operations.
pub fn speedscope(report: &Report<'_>) -> String {
    let frames = frames(report);
    let shown = frames.iter().map(|frame| {
        let source = match frame.what {
            What::Loop(at) => Some(&report.loops[at]).filter(|l| l.line > 0),
            _ => None,
        };
        WireFrame {
            name: frame.label(),
            file: source.map(|l| l.file.clone()).filter(|file| !file.is_empty()),
            line: source.map(|l| l.line),
            col: source.map(|l| l.column).filter(|&column| column > 0),
        }
    });
    let (mut samples, mut weights) = (Vec::new(), Vec::new());
    stacks(&frames, |stack, frame| {
        samples.push(stack.to_vec());
        weights.push(frame.own);
    });
    let name = program_name(report.profile);
    let file = WireFile {
        schema: SPEEDSCOPE,
        exporter: concat!("loopwright ", env!("CARGO_PKG_VERSION")),
        name: &name,
        active_profile_index: 0,
        shared: WireShared { frames: shown.collect() },
        profiles: [WireProfile {
            kind: "sampled",
            name: "operations",
            unit: "none",
            start_value: 0,
            end_value: weights.iter().fold(0, |sum: u64, own| sum.saturating_add(*own)),
            samples,
            weights,
        }],
    };
    // Plain data cannot fail to become text; an empty file would be noticed at once.
    let mut text = serde_json::to_string(&file).unwrap_or_default();
    text.push('\n');
    text
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WireFile<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    exporter: &'static str,
    name: &'a str,
    active_profile_index: usize,
    shared: WireShared,
    profiles: [WireProfile; 1],
}

#[derive(Debug, Serialize)]
struct WireShared {
    frames: Vec<WireFrame>,
}

#[derive(Debug, Serialize)]
struct WireFrame {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    col: Option<u32>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WireProfile {
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'static str,
    unit: &'static str,
    start_value: u64,
    end_value: u64,
    samples: Vec<Vec<usize>>,
    weights: Vec<u64>,
}
