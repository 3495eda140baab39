//! What regions could become, in words: the transformed loops, each as the sum of loops of the source that it counts.

use std::fmt::Write;

use profile::Profile;
use schedule::SourceLoop;
use schedule::propose::outline::{Count, Statement};
use schedule::propose::{Loop, Node, Proposal, Rung};
use serde::Serialize;

use crate::finding;

/// Columns for the loops, before what is said about them.
const COLUMN: usize = 44;
/// Parts with less than this share of the region's instructions are not printed.
const SMALL: f64 = 0.001;

/// A proposal as programs read it.
#[derive(Debug, Serialize)]
pub struct WireProposal {
    region: String,
    ops_fraction: f64,
    /// `bands`, `without-proximity`, `feautrier`; absent where there is no schedule.
    rung: Option<&'static str>,
    schedule: Option<Vec<WireNode>>,
    /// Why there is none.
    reason: Option<String>,
    /// Rungs that were tried before, and why they failed.
    failed: Vec<(&'static str, String)>,
    tile_depth: usize,
    skewed: bool,
    /// Variables of which every iteration of the loops around needs its own copy.
    own_copies: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum WireNode {
    Loop {
        counts: Vec<String>,
        parallel: bool,
        skewed: bool,
        band_place: usize,
        band_depth: usize,
        body: Vec<WireNode>,
    },
    AnyOrder(Vec<Vec<WireNode>>),
    Statement {
        file: String,
        lines: Vec<u32>,
        instructions: u64,
    },
}

/// A proposal for programs.
pub fn wire(profile: &Profile, loops: &[SourceLoop], proposal: &Proposal) -> WireProposal {
    let found = proposal.found.as_ref().ok();
    WireProposal {
        region: loops[proposal.region.outermost].id.clone(),
        ops_fraction: proposal.region.share,
        rung: found.map(|(rung, _)| name(*rung)),
        schedule: found.map(|(_, nodes)| nodes.iter().map(|node| wire_node(loops, node)).collect()),
        reason: proposal.found.as_ref().err().cloned(),
        failed: proposal.failed.iter().map(|(rung, why)| (name(*rung), why.clone())).collect(),
        tile_depth: found.map_or(0, |(_, nodes)| tile_depth(nodes)),
        skewed: found.is_some_and(|(_, nodes)| is_skewed(nodes)),
        own_copies: own_copies(profile, loops, proposal),
    }
}

fn wire_node(loops: &[SourceLoop], node: &Node) -> WireNode {
    let all = |nodes: &[Node]| nodes.iter().map(|node| wire_node(loops, node)).collect();
    match node {
        Node::Loop(l) => WireNode::Loop {
            counts: l.counts.iter().map(|count| sum(loops, count)).collect(),
            parallel: l.is_parallel,
            skewed: l.is_skewed(),
            band_place: l.band.0,
            band_depth: l.band.1,
            body: all(&l.inside),
        },
        Node::AnyOrder(parts) => WireNode::AnyOrder(parts.iter().map(|part| all(part)).collect()),
        Node::Statement(s) => {
            WireNode::Statement { file: s.file.clone(), lines: s.lines.clone(), instructions: s.instructions }
        }
    }
}

fn name(rung: Rung) -> &'static str {
    match rung {
        Rung::Bands => "bands",
        Rung::WithoutProximity => "without-proximity",
        Rung::Feautrier => "feautrier",
    }
}

/// Number of loops of the widest band.
pub fn tile_depth(nodes: &[Node]) -> usize {
    nodes
        .iter()
        .map(|node| match node {
            Node::Loop(l) => l.band.1.max(tile_depth(&l.inside)),
            Node::AnyOrder(parts) => parts.iter().map(|part| tile_depth(part)).max().unwrap_or(0),
            Node::Statement(_) => 0,
        })
        .max()
        .unwrap_or(0)
}

/// Whether some loop counts a sum of several loops of the source.
pub fn is_skewed(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Loop(l) => l.is_skewed() || is_skewed(&l.inside),
        Node::AnyOrder(parts) => parts.iter().any(|part| is_skewed(part)),
        Node::Statement(_) => false,
    })
}

/// Proposals for people.
pub fn text(profile: &Profile, loops: &[SourceLoop], proposals: &[Proposal]) -> String {
    let mut out = String::from(
        "\nWhat the hottest regions could become (all observed dependences respected; conditions are not looked at):\n",
    );
    if proposals.is_empty() {
        out.push_str("  no loop of the program has 5 % of the instructions\n");
    }
    for proposal in proposals {
        let region = &loops[proposal.region.outermost];
        // Writing to a string does not fail.
        let _ = write!(out, "\n{}  {:.1} % of the instructions", region.id, 100.0 * region.share);
        match &proposal.found {
            Ok((rung, nodes)) => {
                let note = match rung {
                    Rung::Bands => "",
                    Rung::WithoutProximity => ", without regard to locality",
                    Rung::Feautrier => ", nothing is known about tiling",
                };
                let _ = writeln!(out, "{note}");
                let mut left_out = 0;
                let worth = (SMALL * proposal.region.instructions as f64) as u64;
                let shown = worthwhile(nodes, worth, &mut left_out);
                lines(loops, &shown, proposal.region.instructions, 1, &mut out);
                let copies = own_copies(profile, loops, proposal);
                if !copies.is_empty() {
                    let _ = writeln!(out, "  every iteration with its own copy of: {}", copies.join("; "));
                }
                if left_out > 0 {
                    let _ = writeln!(out, "  ({left_out} parts with less than 0.1 % are left out)");
                }
            }
            Err(why) => {
                let _ = writeln!(out, "\n  none: {why}");
            }
        }
        for (rung, why) in &proposal.failed {
            let _ = writeln!(out, "  (tried {}: {why})", name(*rung));
        }
    }
    out
}

/// What the loops of a region must privatise or expand; their storage orders nothing in a schedule.
fn own_copies(profile: &Profile, loops: &[SourceLoop], proposal: &Proposal) -> Vec<String> {
    let outermost = proposal.region.outermost;
    let is_inside =
        |at: usize| std::iter::successors(Some(at), |&at| loops[at].parent).any(|at| at == outermost);
    let inside = loops.iter().enumerate().filter(|&(at, l)| l.main && is_inside(at));
    let mut names: Vec<String> = inside.flat_map(|(_, l)| finding::privatise(profile, l)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The parts with at least so many instructions; counts the others.
fn worthwhile(nodes: &[Node], least: u64, left_out: &mut usize) -> Vec<Node> {
    let mut out = Vec::new();
    for node in nodes {
        let kept = match node {
            Node::Statement(statement) => (statement.instructions >= least).then(|| node.clone()),
            Node::Loop(l) => {
                let inside = worthwhile(&l.inside, least, left_out);
                (!inside.is_empty()).then(|| Node::Loop(Loop { inside, ..l.clone() }))
            }
            Node::AnyOrder(parts) => {
                let parts = parts.iter().map(|part| worthwhile(part, least, left_out));
                let mut parts: Vec<Vec<Node>> = parts.filter(|part| !part.is_empty()).collect();
                match parts.len() {
                    0 => None,
                    1 => {
                        out.append(&mut parts[0]);
                        continue;
                    }
                    _ => Some(Node::AnyOrder(parts)),
                }
            }
        };
        *left_out += usize::from(kept.is_none() && matches!(node, Node::Statement(_)));
        out.extend(kept);
    }
    out
}

fn lines(loops: &[SourceLoop], nodes: &[Node], all: u64, depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth);
    for node in nodes {
        match node {
            Node::Loop(l) => {
                let counts: Vec<String> = l.counts.iter().map(|count| sum(loops, count)).collect();
                let head = format!("{pad}for {}", counts.join(" | "));
                let _ = writeln!(out, "{head:COLUMN$} {}", marks(l).join(", "));
                lines(loops, &l.inside, all, depth + 1, out);
            }
            Node::AnyOrder(parts) => {
                let _ = writeln!(out, "{pad}in any order:");
                for (k, part) in parts.iter().enumerate() {
                    if k > 0 {
                        let _ = writeln!(out, "{pad}and:");
                    }
                    lines(loops, part, all, depth + 1, out);
                }
            }
            Node::Statement(statement) => {
                let share = 100.0 * statement.instructions as f64 / all.max(1) as f64;
                let head = format!("{pad}{}", place(statement));
                let _ = writeln!(out, "{head:COLUMN$} {share:.1} %");
            }
        }
    }
}

/// What is said about a loop.
fn marks(l: &Loop) -> Vec<String> {
    let mut marks = Vec::new();
    if l.is_parallel {
        marks.push("parallel".to_owned());
    }
    if l.band.1 > 1 {
        marks.push(format!("tile {} of {}", l.band.0 + 1, l.band.1));
    }
    if l.is_skewed() {
        marks.push("skewed".to_owned());
    }
    marks
}

/// `a.c:12 + 2 a.c:13 - 1`, loops by their lines.
fn sum(loops: &[SourceLoop], count: &Count) -> String {
    let mut out = String::new();
    for (k, term) in count.terms.iter().enumerate() {
        let sign = match (k, term.factor < 0) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        let factor = match term.factor.unsigned_abs() {
            1 => String::new(),
            n => format!("{n} "),
        };
        let _ = write!(out, "{sign}{factor}{}", loop_name(&loops[term.of]));
    }
    if count.shift != 0 {
        let sign = if count.shift < 0 { '-' } else { '+' };
        let _ = write!(out, " {sign} {}", count.shift.unsigned_abs());
    }
    out
}

/// A loop by its file and line.
fn loop_name(l: &SourceLoop) -> String {
    match l.line {
        0 => l.id.clone(),
        line => format!("{}:{line}", l.file.rsplit('/').next().unwrap_or(&l.file)),
    }
}

fn place(statement: &Statement) -> String {
    let file = statement.file.rsplit('/').next().unwrap_or(&statement.file);
    match statement.lines[..] {
        [] => format!("block {}", statement.block),
        [line] => format!("{file}:{line}"),
        [first, .., last] => format!("{file}:{first}-{last}"),
    }
}
