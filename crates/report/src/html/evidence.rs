//! What blocks the loops of a nest: the dependence, with two iterations that show it.

use std::fmt::Write;

use schedule::Parallel;

use super::escape;
use crate::finding::{self, BlockingFinding, Report};
use crate::text::sentence;

/// Most dependences shown of a loop.
const OF_LOOP: usize = 3;
/// Most dependences shown of a nest.
pub const OF_NEST: usize = 16;

/// A dependence that blocks a loop.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// Its number on the page.
    pub number: usize,
    /// The loop: index into the loops of the report.
    pub of: usize,
    /// What was found.
    pub finding: BlockingFinding,
}

/// Evidence on loops of a nest, numbered from `next` on, and how much more there is.
pub fn gather(report: &Report<'_>, shown: &[usize], next: usize) -> (Vec<Evidence>, usize) {
    let mut out = Vec::new();
    let mut more = 0;
    for &of in shown.iter().filter(|&&at| report.loops[at].parallel == Parallel::No) {
        for (k, finding) in finding::blocking(report.profile, &report.loops[of]).into_iter().enumerate() {
            if k < OF_LOOP && out.len() < OF_NEST {
                out.push(Evidence { number: next + out.len(), of, finding });
            } else {
                more += 1;
            }
        }
    }
    (out, more)
}

/// As a list.
pub fn list(report: &Report<'_>, evidence: &[Evidence], more: usize) -> String {
    if evidence.is_empty() {
        return String::new();
    }
    let mut out = String::from("<h3>What stands in the way</h3>\n<ol class=\"evidence\">\n");
    for Evidence { number, of, finding } in evidence {
        let l = &report.loops[*of];
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "<li id=\"evidence-{number}\"><a class=\"end\" href=\"#evidence-{number}\">{number}</a> <b>{}</b>: {}\
             <br><small>{}</small></li>",
            escape::name(&l.place()),
            escape::text(&sentence(finding, l)),
            details(finding),
        );
    }
    out.push_str("</ol>\n");
    if more > 0 {
        let _ = writeln!(
            out,
            "<p class=\"note\">{more} more are in the JSON report ({OF_LOOP} of a loop, {OF_NEST} of a nest are shown).</p>"
        );
    }
    out
}

/// Kind, distance, places and the example.
fn details(finding: &BlockingFinding) -> String {
    let distance: Vec<String> =
        finding.distance.iter().map(|d| d.map_or("*".to_owned(), |d| d.to_string())).collect();
    let vector = |iv: &[i64]| iv.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    let place = |place: &(String, u32), pc: u64| match place.1 {
        0 => format!("{pc:#x}"),
        line => format!("{}:{line}", escape::name(place.0.rsplit('/').next().unwrap_or(&place.0))),
    };
    let mut out = format!(
        "{} dependence through {}, distance ({}), {} times · {} → {}",
        finding.kind,
        finding.via,
        distance.join(", "),
        finding.count,
        place(&finding.source, finding.pcs.0),
        place(&finding.sink, finding.pcs.1),
    );
    let (source, sink, address) = &finding.example;
    if !source.is_empty() || !sink.is_empty() {
        // Writing to a string does not fail.
        let _ = write!(out, " · for example iteration ({}) → ({})", vector(source), vector(sink));
    }
    if finding.via == "memory" && *address != 0 {
        let _ = write!(out, " at {address:#x}");
    }
    if let Some(object) = &finding.object {
        let _ = write!(out, " in {}", escape::name(&object.shown));
    }
    out
}
