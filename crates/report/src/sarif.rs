//! Findings as SARIF 2.1.0, which code hosts and editors show beside the source.
//!
//! A result per loop of the program's own code that has a line and takes a share of the instructions worth looking at: what blocks
//! it, or how it can be made parallel. Places of the dependences are related locations. Paths are those of the debug information,
//! relative to a directory if one is given.

use std::path::Path;

use profile::place::is_of_standard_library;
use schedule::{Parallel, SourceLoop};
use serde::Serialize;

use crate::directive;
use crate::finding::{self, BlockingFinding, Report};
use crate::recommend;
use crate::text::{headline, sentence};

/// Loops with less of the instructions are left out.
const WORTH: f64 = 0.005;
/// Most dependences per loop.
const MOST: usize = 5;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    results: Vec<Finding>,
    column_kind: &'static str,
}

#[derive(Debug, Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    short_description: Message,
    help: Message,
}

#[derive(Debug, Serialize)]
struct Message {
    text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    partial_fingerprints: Fingerprints,
    /// Share of the program's instructions, in percent.
    rank: f64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Fingerprints {
    /// The loop's id without its line.
    #[serde(rename = "loop/v1")]
    of_loop: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Debug, Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u32>,
}

/// The rules: id, what it means, what to do.
const RULES: [(&str, &str, &str); 3] = [
    (
        "parallel-loop",
        "A loop's iterations are independent in this run.",
        "Share the iterations among threads or lanes of vectors, with the clauses that the message names.",
    ),
    (
        "storage-blocks-loop",
        "Only storage that iterations share keeps a loop from being parallel.",
        "Give every iteration its own, as the message says, or read from a copy.",
    ),
    (
        "dependence-blocks-loop",
        "A loop's iterations depend on one another in this run.",
        "`loopwright explain PROFILE LOOP` shows every dependence and what helps.",
    ),
];

/// Renders the findings; paths inside `directory` are written relative to it.
pub fn sarif(report: &Report<'_>, directory: Option<&Path>) -> String {
    let rules = RULES.iter().map(|&(id, description, help)| Rule {
        id,
        short_description: Message { text: description.to_owned() },
        help: Message { text: help.to_owned() },
    });
    let log = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "Loopwright",
                    version: env!("CARGO_PKG_VERSION"),
                    rules: rules.collect(),
                },
            },
            results: (0..report.loops.len()).filter_map(|at| result(report, at, directory)).collect(),
            column_kind: "utf16CodeUnits",
        }],
    };
    let mut text = serde_json::to_string_pretty(&log).unwrap_or_default();
    text.push('\n');
    text
}

fn result(report: &Report<'_>, at: usize, directory: Option<&Path>) -> Option<Finding> {
    let l = &report.loops[at];
    // A loop of the standard library that stands in the program's code is not the program's to change.
    if !l.main || l.line == 0 || l.share < WORTH || is_of_standard_library(&l.file) {
        return None;
    }
    let p = report.profile;
    let needs = finding::needs(p, l);
    let rule = match (l.parallel, &needs) {
        (Parallel::Unknown, _) => return None,
        (Parallel::No, None) => 2,
        (Parallel::No, Some(_)) | (Parallel::AfterPrivatisation, _) => 1,
        _ => 0,
    };
    let mut text = format!("{} ({:.1} % of the instructions)", headline(l), 100.0 * l.share);
    let dependences: Vec<BlockingFinding> = match l.parallel {
        Parallel::No => finding::blocking(p, l).into_iter().take(MOST).collect(),
        _ => Vec::new(),
    };
    if let Some(first) = dependences.first() {
        text += &format!(": {}", sentence(first, l));
    }
    if let Some(more) = needs
        .or_else(|| directive::pasted(report, at).map(str::to_owned))
        .or_else(|| directive::instead(report, at))
    {
        text += &format!(". {more}");
    }
    if let Some(own) = recommend::inward_of(report, at) {
        text += &format!(". Or {}", recommend::inward_words(report, own));
    }
    let column = Some(l.column).filter(|&column| column > 0);
    let ends = dependences.iter().flat_map(|d| {
        let object =
            d.object.as_ref().map_or("a register".to_owned(), |object| format!("`{}`", object.shown));
        let [first, second] = match d.kind {
            "flow" => ["written", "read by a later iteration"],
            "anti" => ["read", "overwritten by a later iteration"],
            _ => ["written", "overwritten by a later iteration"],
        };
        [(d.source.clone(), format!("{object}: {first}")), (d.sink.clone(), format!("{object}: {second}"))]
    });
    let related = ends
        .filter(|((file, line), _)| *line > 0 && !file.is_empty())
        .map(|((file, line), text)| location(&file, (line, None), Some(Message { text }), directory));
    Some(Finding {
        rule_id: RULES[rule].0,
        rule_index: rule,
        level: if rule == 0 { "note" } else { "warning" },
        message: Message { text },
        locations: vec![location(&l.file, (l.line, column), None, directory)],
        related_locations: related.collect(),
        partial_fingerprints: Fingerprints { of_loop: fingerprint(report, l) },
        rank: (100.0 * l.share).min(100.0),
    })
}

/// A name that stays when lines move: file, function, and the loop's place among those of the function.
fn fingerprint(report: &Report<'_>, l: &SourceLoop) -> String {
    let same = report.loops.iter().filter(|own| own.file == l.file && own.function == l.function);
    let place = same.take_while(|own| own.id != l.id).count();
    format!("{}:{}:{place}", l.file_name(), l.function)
}

fn location(
    file: &str,
    (line, column): (u32, Option<u32>),
    message: Option<Message>,
    directory: Option<&Path>,
) -> Location {
    let path = Path::new(file);
    let relative = directory.and_then(|directory| path.strip_prefix(directory).ok()).unwrap_or(path);
    let is_absolute = relative.is_absolute();
    let encoded = uri(&relative.to_string_lossy());
    Location {
        physical_location: PhysicalLocation {
            artifact_location: ArtifactLocation {
                uri: if is_absolute { format!("file://{encoded}") } else { encoded },
            },
            region: Region { start_line: line, start_column: column },
        },
        message,
    }
}

/// A path as a URI reference: what may not stand in one is encoded.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b'/'
            | b'.'
            | b'-'
            | b'_'
            | b'~'
            | b'+'
            | b','
            | b'='
            | b'@' => {
                out.push(char::from(byte));
            }
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_references() {
        let at = |file: &str, directory: Option<&str>| {
            location(file, (3, None), None, directory.map(Path::new)).physical_location.artifact_location.uri
        };
        assert_eq!(at("/src/a b.c", None), "file:///src/a%20b.c");
        assert_eq!(at("/src/deep/a.c", Some("/src")), "deep/a.c");
        assert_eq!(at("a.c", Some("/src")), "a.c");
    }
}
