//! The section of a nest: its loops, source, iterations, evidence, figures, and what it could become.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use profile::ContextIndex;
use rustc_hash::FxHashSet;
use schedule::graph::inside;
use schedule::metrics::{Survey, within};
use schedule::propose::Region;
use schedule::{Parallel, SourceLoop};

use super::evidence::{self, Evidence};
use super::scene::{Scene, Stage};
use super::source::{self, Heat, Sources};
use super::{badge, drawing, escape, transformed};
use crate::directive;
use crate::finding::{self, Report};
use crate::text::{number, sentence};
use crate::trying;
use crate::wire;

/// Most loops shown of a nest.
pub const MOST_LOOPS: usize = 40;
/// Most drawings of a nest.
const MOST_DRAWINGS: usize = 3;
/// Most innermost loops of a nest whose advice is shown.
const MOST_ADVISED: usize = 4;

/// A nest that has a section.
#[derive(Debug)]
pub struct Nest {
    /// Its region.
    pub region: Region,
    /// Its hottest loops, outer before inner.
    pub shown: Vec<usize>,
    /// Its number of loops.
    pub count: usize,
    /// What blocks them.
    pub evidence: Vec<Evidence>,
    /// How much more blocks them.
    pub more: usize,
    /// All contexts inside.
    pub contexts: FxHashSet<ContextIndex>,
}

impl Nest {
    /// A nest whose evidence is numbered from `next` on.
    pub fn of(report: &Report<'_>, region: Region, next: usize) -> Nest {
        let loops = &report.loops;
        let mut shown: Vec<usize> = within(loops, &region).collect();
        let count = shown.len();
        // The hottest with all loops around them, which are at least as hot.
        shown.sort_by(|&a, &b| loops[b].instructions.cmp(&loops[a].instructions).then(a.cmp(&b)));
        shown.truncate(MOST_LOOPS);
        shown.sort_unstable();
        let (evidence, more) = evidence::gather(report, &shown, next);
        let contexts = inside(report.profile, &region.contexts);
        Nest { region, shown, count, evidence, more, contexts }
    }

    /// Its lines of interest by file.
    pub fn lines<'a>(&'a self, report: &'a Report<'_>) -> BTreeMap<&'a str, BTreeSet<u32>> {
        source::lines_of(report, &self.shown, &self.evidence, &self.contexts)
    }
}

/// What sections rest on, gathered once.
pub struct Ground<'a> {
    /// The report.
    pub report: &'a Report<'a>,
    /// Figures.
    pub survey: Survey<'a>,
    /// Domains and dependences.
    pub stage: Stage<'a>,
    /// Operations by line.
    pub heat: Heat<'a>,
    /// Texts.
    pub sources: &'a Sources,
}

/// The section of the nest with a number.
pub fn section(ground: &Ground<'_>, nest: &Nest, at: usize) -> String {
    let report = ground.report;
    let l = &report.loops[nest.region.outermost];
    let counted = report.profile.trust.counted_only;
    let mut out = format!(
        "<section class=\"nest\" id=\"nest-{at}\">\n<h2>{} {} <small>{} of the operations{}</small></h2>\n",
        if counted { String::new() } else { badge(l.parallel) },
        escape::name(&l.id),
        super::percent(nest.region.share),
        via(l),
    );
    table(report, nest, &mut out);
    let figures = if counted { String::new() } else { figures(ground, nest) };
    let source = source::annotated(
        report,
        &nest.shown,
        &nest.evidence,
        &nest.lines(report),
        (ground.sources, &ground.heat),
    );
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "<div class=\"beside\"><div><h3>Source</h3><p class=\"note\">Beside the lines: share of the program's \
         operations in %.</p>{}{figures}</div><div>{}</div></div>",
        if source.is_empty() { "<p class=\"note\">None is known.</p>\n" } else { &source },
        evidence::list(report, &nest.evidence, nest.more),
    );
    if !counted {
        out.push_str(&advice(ground, nest));
        let proposals = report.proposals.iter();
        let weighed = proposals.flat_map(|all| all.all.iter().map(move |weighed| (all, weighed)));
        let own = weighed.into_iter().find(|(_, w)| w.proposal.region.outermost == nest.region.outermost);
        if let Some((all, weighed)) = own {
            out.push_str(&transformed::section(report, all, weighed));
        }
        metrics(ground, nest, &mut out);
    }
    out.push_str("</section>\n");
    out
}

fn via(l: &SourceLoop) -> String {
    if l.calls.is_empty() { String::new() } else { format!(", via {}", escape::name(&l.calls.join(" > "))) }
}

/// Its loops, one a row.
fn table(report: &Report<'_>, nest: &Nest, out: &mut String) {
    let p = report.profile;
    out.push_str(
        "<div class=\"wide\"><table class=\"loops\"><thead><tr><th>Loop<th>Verdict<th class=\"n\">Operations\
         <th class=\"n\">Iterations<th class=\"n\">Entries<th class=\"n\">Each<th class=\"n\" title=\"accesses \
         that stay or go on to the next element\">Stride 0/1<th>To do, or why not</tr></thead><tbody>\n",
    );
    let top = report.loops[nest.region.outermost].depth;
    for &at in &nest.shown {
        let l = &report.loops[at];
        let each = match l.trips {
            Some((least, most)) if least < most => format!("{}–{}", number(least), number(most)),
            _ => format!("{:.1}", l.mean_trips()),
        };
        let verdict = match p.trust.counted_only {
            true => "counted".to_owned(),
            false => badge(l.parallel),
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "<tr id=\"loop-{at}\"><td style=\"--depth:{}\" class=\"id\">{}<td>{verdict}<td class=\"n share\" \
             style=\"--share:{:.3}\">{}<td class=\"n\">{}<td class=\"n\">{}<td class=\"n\">{each}\
             <td class=\"n\">{}<td>{}</tr>",
            l.depth.saturating_sub(top).min(12),
            escape::name(&l.id),
            l.share,
            super::percent(l.share),
            number(l.iterations),
            number(l.entries),
            l.stride01.map_or(String::new(), |share| format!("{:.0} %", 100.0 * share)),
            what(report, nest, at),
        );
    }
    out.push_str("</tbody></table></div>\n");
    if nest.count > nest.shown.len() {
        let _ = writeln!(
            out,
            "<p class=\"note\">The {} hottest of its {} loops; all are in the table at the end.</p>",
            nest.shown.len(),
            nest.count
        );
    }
}

/// The directive to paste, or what blocks.
fn what(report: &Report<'_>, nest: &Nest, at: usize) -> String {
    let l = &report.loops[at];
    if let Some(directive) = directive::pasted(report, at) {
        let measured = trying::measured(report, at).map(|words| format!("<br>{}", escape::text(&words)));
        return format!("<code>{}</code>{}", escape::text(directive), measured.unwrap_or_default());
    }
    if let Some(words) = directive::instead(report, at) {
        return escape::text(&words);
    }
    let numbers: Vec<String> = nest
        .evidence
        .iter()
        .filter(|item| item.of == at)
        .map(|item| format!("<a class=\"end\" href=\"#evidence-{0}\">{0}</a>", item.number))
        .collect();
    match finding::blocking(report.profile, l).first().filter(|_| l.parallel == Parallel::No) {
        Some(first) => format!("{} {}", escape::text(&sentence(first, l)), numbers.join(" ")),
        None => String::new(),
    }
}

/// Its innermost loops that are the program's own, hottest first.
fn leaves(loops: &[SourceLoop], nest: &Nest) -> Vec<usize> {
    let mut out: Vec<usize> =
        nest.shown.iter().copied().filter(|&at| loops[at].innermost && loops[at].main).collect();
    out.sort_by(|&a, &b| loops[b].instructions.cmp(&loops[a].instructions).then(a.cmp(&b)));
    out
}

/// Drawings of its hottest innermost loops, and of a loop that is blocked by what those do not show.
fn figures(ground: &Ground<'_>, nest: &Nest) -> String {
    let loops = &ground.report.loops;
    let leaves = leaves(loops, nest);
    let mut scenes: Vec<(usize, Scene)> =
        leaves.iter().filter_map(|&at| Some((at, ground.stage.scene(at)?))).take(MOST_DRAWINGS).collect();
    if let Some(scene) = outer_scene(ground, nest) {
        scenes.truncate(MOST_DRAWINGS - 1);
        scenes.insert(0, scene);
    }
    // Innermost loops without any dependence need one picture, not three.
    let has_arrows = scenes.iter().any(|(_, scene)| !scene.arrows.is_empty());
    if has_arrows {
        scenes.retain(|(_, scene)| !scene.arrows.is_empty());
    } else {
        scenes.truncate(1);
    }
    if scenes.is_empty() {
        return String::new();
    }
    let drawn: Vec<String> =
        scenes.iter().map(|(at, scene)| drawing::figure(scene, &loops[*at].place())).collect();
    let legend = if has_arrows {
        "<p class=\"note\">A dot is an iteration, an arrow leads from an iteration to a later one that depends on it: \
         <span class=\"key blocks\">red blocks</span>, <span class=\"key harmless\">blue orders but is no obstacle \
         by itself</span>; solid flow, dashed anti, dotted output. The ring marks an iteration with the most arrows into it.</p>"
    } else {
        "<p class=\"note\">A dot is an iteration.</p>"
    };
    format!("<h3>Iterations</h3>{legend}\n{}", drawn.concat())
}

/// The scene of the hottest loop that is blocked by what passes from one loop inside it to another: those inside show none
/// of that.
fn outer_scene(ground: &Ground<'_>, nest: &Nest) -> Option<(usize, Scene)> {
    let Ground { report, stage, .. } = ground;
    let is_between = |at: usize| {
        let l = &report.loops[at];
        let dims = l.contexts.first().map_or(0, |&c| report.profile.contexts[c as usize].dims);
        let common = |b: &schedule::Blocking| report.profile.dependences[b.dependence as usize].common;
        let mut blocking = l.verdicts.iter().flat_map(|v| &v.blocking);
        l.main && l.parallel == Parallel::No && blocking.any(|b| common(b) == dims)
    };
    let blocked = nest.shown.iter().copied().filter(|&at| !report.loops[at].innermost && is_between(at));
    blocked.filter_map(|at| Some((at, stage.scene(at)?))).find(|(_, scene)| !scene.arrows.is_empty())
}

/// What the verdicts on its hottest innermost loops advise.
fn advice(ground: &Ground<'_>, nest: &Nest) -> String {
    let loops = &ground.report.loops;
    let leaves = leaves(loops, nest);
    let mut items: Vec<String> = Vec::new();
    for &leaf in leaves.iter().take(MOST_ADVISED) {
        for advice in wire::advice_for(ground.report, ground.survey.innermost(), leaf) {
            let names: Vec<String> = advice.loops.iter().map(|id| escape::name(id)).collect();
            let item = format!(
                "<li><b>{}</b> {}: {}</li>\n",
                advice.kind,
                names.join(", "),
                escape::text(&advice.why)
            );
            if !items.contains(&item) {
                items.push(item);
            }
        }
    }
    if items.is_empty() { String::new() } else { format!("<h3>Advice</h3>\n<ul>{}</ul>\n", items.concat()) }
}

/// Its figures, as it is and as proposed.
fn metrics(ground: &Ground<'_>, nest: &Nest, out: &mut String) {
    let metrics = ground.survey.metrics(&nest.region);
    let all = ground.report.proposals.iter().flat_map(|all| &all.all);
    let weighed = all
        .into_iter()
        .find(|w| w.proposal.region.outermost == nest.region.outermost && w.proposal.found.is_ok());
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let maybe = |share: Option<f64>| share.map_or("–".to_owned(), percent);
    let (before, after) = (metrics.shape.before, weighed.map(|w| w.profit.structure));
    let tilable = |of: schedule::metrics::Structure| {
        if of.tile_depth > 1 {
            format!("{} in {} loops", percent(of.tilable), of.tile_depth)
        } else {
            percent(0.0)
        }
    };
    let rows = [
        ("in exact affine form", percent(metrics.shape.affine), None),
        ("in parallel loops", percent(before.parallel), after.map(|a| percent(a.parallel))),
        ("in vectorisable loops", percent(before.vector), after.map(|a| percent(a.vector))),
        ("in tilable loops", tilable(before), after.map(tilable)),
        (
            "accesses with stride 0 or one element",
            maybe(metrics.shape.reuse.present),
            Some(maybe(metrics.shape.reuse.best)).filter(|_| metrics.shape.reuse.best.is_some()),
        ),
        ("outermost loops", before.components.to_string(), after.map(|a| a.components.to_string())),
        ("memory accesses", percent(metrics.memory), None),
        ("floating point", percent(metrics.float), None),
        (
            "depth in the source, in the binary",
            format!("{}, {}", metrics.source_depth, metrics.binary_depth),
            None,
        ),
        ("obstacles to static tools", escape::text(&metrics.obstacles.letters()), None),
    ];
    out.push_str("<h3>Figures</h3>\n<table class=\"figures\"><thead><tr><th>Share of its operations<th class=\"n\">as it is");
    out.push_str(if weighed.is_some() { "<th class=\"n\">as proposed" } else { "<th class=\"n\">at best" });
    out.push_str("</tr></thead><tbody>\n");
    for (name, before, after) in rows {
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "<tr><td>{name}<td class=\"n\">{before}<td class=\"n\">{}</tr>",
            after.unwrap_or_default()
        );
    }
    out.push_str("</tbody></table>\n");
    out.push_str(
        "<p class=\"note\">Obstacles: R calls, C several exits, B bounds and conditions not affine, F addresses not affine, \
         A possible aliases, P base pointers that change, - none.</p>\n",
    );
}
