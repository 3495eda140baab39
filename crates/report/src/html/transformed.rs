//! What a nest could become: the transformed loops, the steps that lead to them, and what they are worth.

use std::fmt::Write;

use schedule::SourceLoop;
use schedule::propose::Node;
use schedule::propose::outline::worthwhile;

use super::escape;
use crate::finding::Report;
use crate::proposals::{self, Proposals, Weighed};
use crate::{advice, sequence};

/// Most lines of transformed loops.
const MOST_LINES: usize = 120;

/// The part of a nest's section about its proposal.
pub fn section(report: &Report<'_>, all: &Proposals, weighed: &Weighed) -> String {
    let (profile, loops) = (report.profile, &report.loops);
    let proposal = &weighed.proposal;
    let mut out = String::from("<h3>What it could become</h3>\n");
    match &proposal.found {
        Err(why) => {
            // Writing to a string does not fail.
            let _ = writeln!(out, "<p>No schedule: {}.</p>", escape::text(why));
        }
        Ok((_, nodes)) => {
            let mut left_out = 0;
            let shown = worthwhile(nodes, proposal.region.instructions, &mut left_out);
            let mut tree = Tree { loops, all: proposal.region.instructions, lines: Vec::new() };
            tree.nodes(&shown, 0);
            let cut = tree.lines.len().saturating_sub(MOST_LINES);
            tree.lines.truncate(MOST_LINES);
            let _ = writeln!(out, "<pre class=\"transformed\">{}</pre>", tree.lines.join("\n"));
            let notes = [
                (cut, format!("{cut} more lines")),
                (left_out, format!("{left_out} parts with less than 0.1 %")),
            ];
            let notes: Vec<String> =
                notes.into_iter().filter(|(n, _)| *n > 0).map(|(_, note)| note).collect();
            if !notes.is_empty() {
                let _ = writeln!(out, "<p class=\"note\">Left out: {}.</p>", notes.join(", "));
            }
            let copies = proposals::own_copies(profile, loops, proposal);
            if !copies.is_empty() {
                let _ = writeln!(
                    out,
                    "<p>Every iteration with its own copy of: <code>{}</code></p>",
                    escape::text(&copies.join("; "))
                );
            }
            steps(report, weighed, &mut out);
        }
    }
    let estimates = proposal.advice.iter().flat_map(|own| advice::lines(own, &all.machine));
    let estimates: Vec<String> = estimates.map(|line| format!("<li>{}</li>", escape::text(&line))).collect();
    if !estimates.is_empty() {
        let _ = writeln!(out, "<ul class=\"note\">{}</ul>", estimates.concat());
    }
    out
}

fn steps(report: &Report<'_>, weighed: &Weighed, out: &mut String) {
    let words = sequence::lines(report.profile, &report.loops, &weighed.proposal.sequence);
    if !words.is_empty() {
        let items: Vec<String> =
            words.iter().map(|step| format!("<li>{}</li>", escape::text(step))).collect();
        // Writing to a string does not fail.
        let _ = writeln!(out, "<p>Step by step:</p><ol>{}</ol>", items.concat());
    }
}

/// Lines of the transformed loops.
struct Tree<'a> {
    loops: &'a [SourceLoop],
    /// Instructions of the region.
    all: u64,
    lines: Vec<String>,
}

impl Tree<'_> {
    fn nodes(&mut self, nodes: &[Node], depth: usize) {
        let pad = "  ".repeat(depth);
        for node in nodes {
            match node {
                Node::Loop(l) => {
                    let counts: Vec<String> =
                        l.counts.iter().map(|count| proposals::sum(self.loops, count)).collect();
                    let marks: Vec<String> = proposals::marks(l)
                        .iter()
                        .map(|mark| {
                            format!("<i class=\"mark {}\">{mark}</i>", mark.split(' ').next().unwrap_or(""))
                        })
                        .collect();
                    self.lines.push(format!(
                        "{pad}<b>for</b> {} {}",
                        escape::text(&counts.join(" | ")),
                        marks.join(" ")
                    ));
                    self.nodes(&l.inside, depth + 1);
                }
                Node::AnyOrder(parts) => {
                    for (k, part) in parts.iter().enumerate() {
                        let head = if k == 0 { "in any order:" } else { "and:" };
                        self.lines.push(format!("{pad}<i>{head}</i>"));
                        self.nodes(part, depth + 1);
                    }
                }
                Node::Statement(statement) => {
                    let share = 100.0 * statement.instructions as f64 / self.all.max(1) as f64;
                    self.lines.push(format!(
                        "{pad}{} <i>{share:.1} %</i>",
                        escape::text(&proposals::place(statement))
                    ));
                }
            }
        }
    }
}
