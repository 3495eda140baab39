//! What regions could become, in words: the transformed loops, each as the sum of loops of the source that it counts.

use std::fmt::Write;

use profile::Profile;
use schedule::SourceLoop;
use schedule::metrics::{Metrics, Profit, Survey, profit};
use schedule::options::Machine;
use schedule::propose::check::Checked;
use schedule::propose::outline::{Count, Statement, worthwhile};
use schedule::propose::{Fusion, Loop, Node, Proposal, Rung};
use serde::Serialize;

use crate::advice::{self, WireAdvice};
use crate::finding::{self, size};
use crate::sequence::{self, WireStep};
use crate::text::paragraph;

/// What the regions of a program could become, most worthwhile first.
#[derive(Debug)]
pub struct Proposals {
    /// One per region.
    pub all: Vec<Weighed>,
    /// Sizes of this machine's data caches, in bytes, innermost first.
    pub caches: Vec<u64>,
    /// What estimates, and the order, rest on.
    pub machine: Machine,
    /// Say how every schedule was verified.
    pub verified: bool,
}

/// A proposal with what is known of its region.
#[derive(Debug)]
pub struct Weighed {
    /// The proposal.
    pub proposal: Proposal,
    /// What was fused.
    pub fusion: Fusion,
    /// Figures of the region.
    pub metrics: Metrics,
    /// What the proposal is worth.
    pub profit: Profit,
}

impl Weighed {
    /// How the publication writes what was fused: `M` or `S`; `None` where no schedule was found.
    pub fn fusion_letter(&self) -> Option<&'static str> {
        self.proposal.found.is_ok().then_some(match self.fusion {
            Fusion::Smart | Fusion::Apart => "S",
            Fusion::Maximal => "M",
        })
    }
}

/// Weighs proposals for a number of processors.
pub fn weigh(
    profile: &Profile,
    loops: &[SourceLoop],
    proposals: Vec<Proposal>,
    fusion: Fusion,
    processors: usize,
) -> Vec<Weighed> {
    let survey = Survey::new(profile, loops);
    let weighed = proposals.into_iter().map(|proposal| {
        let metrics = survey.metrics(&proposal.region);
        let profit = profit::weigh(profile, loops, &proposal, metrics.shape.before, processors);
        Weighed { proposal, fusion, metrics, profit }
    });
    let mut all: Vec<Weighed> = weighed.collect();
    all.sort_by(|a, b| b.profit.saved.total_cmp(&a.profit.saved));
    all
}

/// Columns for the loops, before what is said about them.
const COLUMN: usize = 44;

/// A proposal as programs read it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// The core transformations that lead to it, in order.
    sequence: Vec<WireStep>,
    metrics: WireMetrics,
    profit: WireProfit,
    /// The preferred order; absent where it cannot be estimated.
    preferred: Option<WireAdvice>,
    verified: WireVerified,
    /// Variables of which every iteration of the loops around needs its own copy.
    own_copies: Vec<String>,
}

/// The columns of the published table; shares are 0 to 1.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WireMetrics {
    aff: f64,
    mops: f64,
    fpops: f64,
    interprocedural: bool,
    /// Letters of the publication.
    polly: String,
    par_ops: f64,
    par_ops_before: f64,
    simd_ops: f64,
    simd_ops_before: f64,
    reuse: Option<f64>,
    preuse: Option<f64>,
    source_depth: usize,
    binary_depth: usize,
    til_ops: f64,
    components_before: usize,
    components_after: usize,
    /// `M` or `S`; absent where the loops are as they were.
    fusion: Option<&'static str>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WireProfit {
    /// Share of the program's instructions that no processor has to wait for any more; what orders proposals.
    saved: f64,
    processors: usize,
    parallel_iterations: f64,
    /// Bytes.
    footprint: u64,
    /// Bytes, innermost first.
    caches: Vec<u64>,
}

/// With which pairs of iterations a schedule was compared, beside what isl says of it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WireVerified {
    pairs: u64,
    dependences: usize,
    completely: usize,
    /// Instances executed again in the proposed order, and their reads that found what they found in the run.
    replayed_instances: u64,
    replayed_reads: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

/// Proposals for programs.
pub fn wire(profile: &Profile, loops: &[SourceLoop], proposals: &Proposals) -> Vec<WireProposal> {
    proposals.all.iter().map(|weighed| wire_one(profile, loops, proposals, weighed)).collect()
}

fn wire_one(
    profile: &Profile,
    loops: &[SourceLoop],
    proposals: &Proposals,
    weighed: &Weighed,
) -> WireProposal {
    let Weighed { proposal, profit, .. } = weighed;
    let found = proposal.found.as_ref().ok();
    WireProposal {
        region: loops[proposal.region.outermost].id.clone(),
        ops_fraction: proposal.region.share,
        rung: found.map(|(rung, _)| name(*rung)),
        schedule: found.map(|(_, nodes)| nodes.iter().map(|node| wire_node(loops, node)).collect()),
        reason: proposal.found.as_ref().err().cloned(),
        failed: proposal.failed.iter().map(|(rung, why)| (name(*rung), why.clone())).collect(),
        tile_depth: found.map_or(0, |_| profit.structure.tile_depth),
        skewed: found.is_some() && profit.structure.is_skewed,
        sequence: sequence::wire(profile, loops, &proposal.sequence),
        metrics: wire_metrics(weighed),
        profit: WireProfit {
            saved: profit.saved,
            processors: proposals.machine.processors,
            parallel_iterations: profit.parallel_iterations,
            footprint: profit.footprint,
            caches: proposals.caches.clone(),
        },
        preferred: proposal.advice.as_ref().map(|own| advice::wire(own, &proposals.machine)),
        verified: WireVerified {
            pairs: proposal.checked.pairs,
            dependences: proposal.checked.dependences,
            completely: proposal.checked.completely,
            replayed_instances: proposal.checked.replayed.instances,
            replayed_reads: proposal.checked.replayed.reads,
        },
        own_copies: own_copies(profile, loops, proposal),
    }
}

fn wire_metrics(weighed: &Weighed) -> WireMetrics {
    let Weighed { metrics, profit, .. } = weighed;
    let (before, after) = (metrics.shape.before, profit.structure);
    WireMetrics {
        aff: metrics.shape.affine,
        mops: metrics.memory,
        fpops: metrics.float,
        interprocedural: metrics.is_interprocedural,
        polly: metrics.obstacles.letters(),
        par_ops: after.parallel,
        par_ops_before: before.parallel,
        simd_ops: after.vector,
        simd_ops_before: before.vector,
        reuse: metrics.shape.reuse.present,
        preuse: metrics.shape.reuse.best,
        source_depth: metrics.source_depth,
        binary_depth: metrics.binary_depth,
        til_ops: after.tilable,
        components_before: before.components,
        components_after: after.components,
        fusion: weighed.fusion_letter(),
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

/// Proposals for people.
pub fn text(profile: &Profile, loops: &[SourceLoop], proposals: &Proposals) -> String {
    let mut out = String::from(
        "\nWhat the hottest regions could become (dependences are respected, conditions not looked at):\n",
    );
    if proposals.all.is_empty() {
        out.push_str("  no loop of the program has 5 % of the instructions\n");
    }
    for weighed in &proposals.all {
        let proposal = &weighed.proposal;
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
                let shown = worthwhile(nodes, proposal.region.instructions, &mut left_out);
                lines(loops, &shown, proposal.region.instructions, 1, &mut out);
                let copies = own_copies(profile, loops, proposal);
                if !copies.is_empty() {
                    let words = format!("every iteration with its own copy of: {}", copies.join("; "));
                    paragraph(&mut out, "  ", &words);
                }
                out.push_str(&sequence::text(profile, loops, &proposal.sequence, "  "));
                if left_out > 0 {
                    let parts = if left_out == 1 { "part" } else { "parts" };
                    let _ = writeln!(out, "  ({left_out} {parts} with less than 0.1 % left out)");
                }
            }
            Err(why) => {
                out.push('\n');
                paragraph(&mut out, "  ", &format!("none: {why}"));
            }
        }
        for (rung, why) in &proposal.failed {
            paragraph(&mut out, "  ", &format!("(tried {}: {why})", name(*rung)));
        }
        if !profile.trust.counted_only {
            facts(proposals, weighed, &mut out);
        }
    }
    out
}

/// From this share of its instructions in parallel loops on, the loops of a region are called parallel.
const MOSTLY: f64 = 0.9;

/// The figures of a region and its proposal.
fn facts(proposals: &Proposals, weighed: &Weighed, out: &mut String) {
    let mut say = |words: String| paragraph(out, "  ", &words);
    let Weighed { proposal, metrics, profit, .. } = weighed;
    let (before, after) = (metrics.shape.before, profit.structure);
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let reuse = |share: Option<f64>| share.map_or("unknown".to_owned(), percent);
    say(format!(
        "in parallel loops {} of its instructions (as it is {}), vectorisable {} ({}), in tiles {}",
        percent(after.parallel),
        percent(before.parallel),
        percent(after.vector),
        percent(before.vector),
        percent(if after.tile_depth > 1 { after.tilable } else { 0.0 }),
    ));
    say(format!(
        "strides of 0 or one element: {} of the accesses, {} with the best inner loops",
        reuse(metrics.shape.reuse.present),
        reuse(metrics.shape.reuse.best),
    ));
    let caches: Vec<String> = proposals.caches.iter().map(|&bytes| size(bytes)).collect();
    let caches = if caches.is_empty() { "not known".to_owned() } else { caches.join(", ") };
    say(format!("touches at most {} (caches: {caches})", size(profit.footprint)));
    say(format!(
        "on {} processors {} of the program's instructions need not be waited for",
        proposals.machine.processors,
        percent(profit.saved),
    ));
    for line in proposal.advice.iter().flat_map(|own| advice::lines(own, &proposals.machine)) {
        say(line);
    }
    if before.parallel >= MOSTLY && before.parallel >= after.parallel {
        say(match proposals.caches.first() {
            Some(&first) if profit.footprint <= first => {
                "its loops are parallel as they are, and its data fits the first cache: no reason to change them"
            }
            _ => "its loops are parallel as they are: new ones pay where their tiles fit a cache better",
        }
        .to_owned());
    }
    if proposals.verified && proposal.found.is_ok() {
        say(verified(proposal.checked));
    }
}

/// How an order was verified.
fn verified(checked: Checked) -> String {
    let Checked { pairs, dependences, completely, replayed } = checked;
    let executed = match replayed.reads {
        0 => "no read of a complete iteration could be executed again in this order".to_owned(),
        reads => format!(
            "{} instances executed again in this order, in which {reads} reads found what they found in the run",
            replayed.instances,
        ),
    };
    if pairs == 0 {
        return format!("not verified: no dependence orders its iterations; {executed}");
    }
    format!(
        "verified by isl, by {pairs} pairs of iterations of {dependences} dependences (all pairs of {completely}), and: {executed}",
    )
}

/// What the loops of a region must privatise or expand; their storage orders nothing in a schedule.
pub(crate) fn own_copies(profile: &Profile, loops: &[SourceLoop], proposal: &Proposal) -> Vec<String> {
    let outermost = proposal.region.outermost;
    let is_inside =
        |at: usize| std::iter::successors(Some(at), |&at| loops[at].parent).any(|at| at == outermost);
    let inside = loops.iter().enumerate().filter(|&(at, l)| l.main && is_inside(at));
    let mut names: Vec<String> = inside.flat_map(|(_, l)| finding::privatise(profile, l)).collect();
    names.sort_unstable();
    names.dedup();
    names
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
pub(crate) fn marks(l: &Loop) -> Vec<String> {
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
pub(crate) fn sum(loops: &[SourceLoop], count: &Count) -> String {
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
        let _ = write!(out, "{sign}{factor}{}", loops[term.of].place());
    }
    if count.shift != 0 {
        let sign = if count.shift < 0 { '-' } else { '+' };
        let _ = write!(out, " {sign} {}", count.shift.unsigned_abs());
    }
    out
}

pub(crate) fn place(statement: &Statement) -> String {
    let file = statement.file.rsplit('/').next().unwrap_or(&statement.file);
    match statement.lines[..] {
        [] => format!("block {}", statement.block),
        [line] => format!("{file}:{line}"),
        [first, .., last] => format!("{file}:{first}-{last}"),
    }
}
