//! The report as one HTML page that needs nothing else: no network, no other file.
//!
//! - [`data`]: what the page's script draws the flame graph and the table of all loops from;
//! - [`section`]: the hottest nests one by one, with [`source`], [`scene`] and [`drawing`], [`evidence`], [`transformed`];
//! - `page.css`, `page.js`: its looks, and what a reader can do.
//!
//! Invariants: a page is a pure function of the report and the texts of the source files; everything from a profile passes
//! [`escape`]; the policy in its head forbids it to load anything. What is left out of it for its size, it says.

pub mod data;
pub mod drawing;
pub mod escape;
pub mod evidence;
pub mod scene;
pub mod section;
pub mod source;
pub mod transformed;

use std::collections::BTreeSet;
use std::fmt::Write;

use schedule::metrics::Survey;
use schedule::propose::{around, hottest};
use schedule::{Parallel, SourceLoop};

use crate::colours;
use crate::finding::{Report, verdict_name};
use crate::frames::{self, Frame, What};
use crate::recommend::{self, Change};
use crate::text;
use data::Data;
use scene::Stage;
use section::{Ground, Nest};
pub use source::{SourceText, Sources};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What a page shows.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Most nests with a section of their own.
    pub nests: usize,
}

/// The source files that a page would show, by the names that debug information has for them.
pub fn files(report: &Report<'_>, options: Options) -> BTreeSet<String> {
    let nests = nests(report, options);
    nests
        .iter()
        .flat_map(|nest| nest.lines(report).into_keys().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// The page.
pub fn page(report: &Report<'_>, sources: &Sources, options: Options) -> String {
    let nests = nests(report, options);
    let frames = frames::frames(report);
    let in_nest = |at: usize| nests.iter().position(|nest| nest.shown.binary_search(&at).is_ok());
    let data = Data::of(report, &frames, &in_nest);
    let ground = Ground {
        report,
        survey: Survey::new(report.profile, &report.loops),
        stage: Stage::new(report.profile, &report.loops),
        heat: source::Heat::of(report.profile),
        sources,
    };
    let mut out = head(report);
    first(report, &nests, &mut out);
    spread(report, &frames, &mut out);
    flame(&data, &mut out);
    contents(report, &nests, &mut out);
    for (at, nest) in nests.iter().enumerate() {
        out.push_str(&section::section(&ground, nest, at));
    }
    all_loops(report, &data, &mut out);
    // Writing to a string does not fail.
    let _ = write!(
        out,
        "{MARKERS}<script type=\"application/json\" id=\"data\">{}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        data.json()
    );
    out
}

/// The nests with a section: the hottest, and those for which there is a proposal.
fn nests(report: &Report<'_>, options: Options) -> Vec<Nest> {
    let mut regions = hottest(&report.loops, 0.0);
    regions.truncate(options.nests);
    for weighed in report.proposals.iter().flat_map(|all| &all.all) {
        let outermost = weighed.proposal.region.outermost;
        if regions.iter().all(|region| region.outermost != outermost) {
            regions.push(around(&report.loops, outermost));
        }
    }
    let mut out: Vec<Nest> = Vec::new();
    for region in regions {
        let next = 1 + out.iter().map(|nest| nest.evidence.len()).sum::<usize>();
        out.push(Nest::of(report, region, next));
    }
    out
}

/// A share in percent; what is too little to print is no nothing.
pub(crate) fn percent(share: f64) -> String {
    if share > 0.0 && share < 0.0005 { "&lt; 0.1 %".to_owned() } else { format!("{:.1} %", 100.0 * share) }
}

/// A verdict as a letter in its colour.
pub(crate) fn badge(verdict: Parallel) -> String {
    format!(
        "<span class=\"badge v-{0}\" title=\"{0}\">{1}</span>",
        verdict_name(verdict),
        colours::letter(verdict)
    )
}

/// Tips of arrows, for all drawings.
const MARKERS: &str = "<svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"><defs>\
<marker id=\"tip-blocks\" viewBox=\"0 0 8 8\" refX=\"6\" refY=\"4\" markerWidth=\"5.5\" markerHeight=\"5.5\" orient=\"auto\">\
<path class=\"tip blocks\" d=\"M0 0L8 4L0 8z\"/></marker>\
<marker id=\"tip-harmless\" viewBox=\"0 0 8 8\" refX=\"6\" refY=\"4\" markerWidth=\"5.5\" markerHeight=\"5.5\" orient=\"auto\">\
<path class=\"tip harmless\" d=\"M0 0L8 4L0 8z\"/></marker></defs></svg>\n";

/// Down to the headline and the notes.
fn head(report: &Report<'_>) -> String {
    let name = escape::text(&frames::program_name(report.profile));
    let command = report.profile.program.argv.join(" ");
    let (header, notes) = text::about(report);
    let first = header.split_once(": ").map_or(header.as_str(), |(_, facts)| facts).to_owned();
    let notes: Vec<String> = notes.iter().map(|note| escape::text(note)).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\">\n\
         <title>{name}: what its loops could become</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>{name}</h1><p class=\"command\"><code>{}</code></p>\n<p>{}</p>\n<p class=\"note\">{}</p></header>\n",
        escape::name(&command),
        escape::text(&first),
        notes.join("<br>")
    )
}

/// Where operations are, by what can be done about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// In a loop of the program that can run in parallel, the outermost of those around.
    In(Parallel),
    /// In loops of the program none of which can, or of which nothing is known.
    Blocked(Parallel),
    /// In no loop of the program.
    Outside,
}

/// A bar: which share of the run can be spread over processors.
fn spread(report: &Report<'_>, frames: &[Frame], out: &mut String) {
    if report.profile.trust.counted_only {
        return;
    }
    let mut places: Vec<Place> = Vec::with_capacity(frames.len());
    let mut sums = std::collections::BTreeMap::new();
    for frame in frames {
        let around = frame.parent.map_or(Place::Outside, |parent| places[parent]);
        let place = match (around, frame.what) {
            (Place::In(_), _) => around,
            (_, What::Loop(at)) if report.loops[at].main => of_loop(&report.loops[at], around),
            _ => around,
        };
        places.push(place);
        let sum: &mut u64 = sums.entry(place).or_default();
        *sum = sum.saturating_add(frame.own);
    }
    let all = frames.first().map_or(0, |program| program.total).max(1) as f64;
    out.push_str(
        "<section><h2>Where the operations are</h2>\n<div class=\"bar\" role=\"img\" aria-label=\"shares\">",
    );
    let mut words = String::new();
    for (place, sum) in sums {
        let share = 100.0 * sum as f64 / all;
        // Less is printed as nothing.
        if share < 0.05 {
            continue;
        }
        let (class, letter, text) = match place {
            Place::In(verdict) => (
                format!("v-{}", verdict_name(verdict)),
                colours::letter(verdict),
                match verdict {
                    Parallel::Reduction => "in loops that are parallel with a reduction",
                    Parallel::AfterPrivatisation => "in loops that are parallel once variables are private",
                    _ => "in parallel loops",
                },
            ),
            Place::Blocked(Parallel::No) => {
                ("v-no".to_owned(), 'N', "only in loops that dependences keep from being parallel")
            }
            Place::Blocked(_) => {
                ("v-unknown".to_owned(), '?', "in loops of which not all dependences are known")
            }
            Place::Outside => ("v-outside".to_owned(), '·', "outside the program's loops"),
        };
        // Writing to a string does not fail.
        let _ = write!(
            out,
            "<span class=\"{class}\" style=\"flex-grow:{share:.3}\" title=\"{share:.1} % {text}\"></span>"
        );
        let _ = writeln!(
            words,
            "<li><span class=\"badge {class}\">{letter}</span> <b>{share:.1} %</b> {text}</li>"
        );
    }
    let _ = write!(out, "</div>\n<ul class=\"shares\">{words}</ul></section>\n");
}

fn of_loop(l: &SourceLoop, around: Place) -> Place {
    match (l.parallel, around) {
        (Parallel::Yes | Parallel::Reduction | Parallel::AfterPrivatisation, _) => Place::In(l.parallel),
        // What is not known stays so.
        (_, Place::Blocked(Parallel::Unknown)) => around,
        _ => Place::Blocked(l.parallel),
    }
}

/// The place of the flame graph; the script draws it.
fn flame(data: &Data, out: &mut String) {
    out.push_str(
        "<section><h2>Schedule tree</h2>\n<p class=\"note\">Calls and loops from the program down; width is operations. \
         Letters and colours: <span class=\"badge v-yes\">P</span> parallel <span class=\"badge v-reduction\">R</span> with a \
         reduction <span class=\"badge v-after-privatisation\">V</span> after privatisation <span class=\"badge v-no\">N</span> \
         not parallel (hatched); grey: not affine, library, or not recorded. Click or Enter looks closer, arrow keys move, \
         Escape goes back, / searches.</p>\n\
         <div class=\"tools\"><input id=\"search\" type=\"search\" placeholder=\"Search loops and functions\" aria-label=\"Search\">\
         <button id=\"reset\" type=\"button\">Whole program</button><span id=\"found\" role=\"status\"></span></div>\n\
         <div id=\"hits\"></div>\n\
         <nav id=\"path\" aria-label=\"Frames around\"></nav>\n\
         <div id=\"flame\" tabindex=\"0\" role=\"application\" aria-label=\"Schedule tree\"><noscript>The tree needs scripts; \
         the sections below do not.</noscript></div>\n<div id=\"detail\" aria-live=\"polite\"></div>\n",
    );
    if data.frames_left_out > 0 {
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "<p class=\"note\">The {} largest frames; {} smaller ones are left out.</p>",
            data::MOST_FRAMES,
            data.frames_left_out
        );
    }
    out.push_str("</section>\n");
}

/// What to change first, with what it is expected to gain; nothing if there is nothing to do.
fn first(report: &Report<'_>, nests: &[Nest], out: &mut String) {
    let all = recommend::recommendations(report);
    if all.is_empty() {
        return;
    }
    // Writing to a string does not fail.
    let _ = write!(
        out,
        "<section><h2>What to change first</h2>\n<p class=\"note\">Estimated gain of the whole program on {} processors.</p>\n\
         <ul class=\"contents\">\n",
        recommend::PROCESSORS
    );
    for own in all.iter().take(recommend::MOST) {
        let words = escape::text(&recommend::words(report, own));
        let words = match own.change {
            Change::Threads(_) => format!("<code>{words}</code>"),
            Change::Inward(_) => words,
        };
        let id = escape::name(&report.loops[own.of].id);
        let of = match nests.iter().position(|nest| nest.shown.binary_search(&own.of).is_ok()) {
            Some(nest) => format!("<a href=\"#nest-{nest}\">{id}</a>"),
            None => id,
        };
        let _ = writeln!(out, "<li><b>{:.1}x</b> {of}: {words}</li>", own.gain);
    }
    out.push_str("</ul></section>\n");
}

/// The nests that have sections, one a line.
fn contents(report: &Report<'_>, nests: &[Nest], out: &mut String) {
    out.push_str("<section><h2>Hottest nests</h2>\n");
    if nests.is_empty() {
        out.push_str("<p>No loop of the program itself ran more than one iteration.</p></section>\n");
        return;
    }
    out.push_str("<ol class=\"contents\">\n");
    for (at, nest) in nests.iter().enumerate() {
        let l = &report.loops[nest.region.outermost];
        let inside: Vec<String> = match report.profile.trust.counted_only {
            true => Vec::new(),
            false => nest.shown.iter().take(12).map(|&at| badge(report.loops[at].parallel)).collect(),
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "<li><a href=\"#nest-{at}\">{}</a> <b>{}</b> {}</li>",
            escape::name(&l.id),
            percent(nest.region.share),
            inside.join("")
        );
    }
    out.push_str("</ol>\n");
    let all = hottest(&report.loops, 0.0).len();
    if all > nests.len() {
        let _ = writeln!(
            out,
            "<p class=\"note\">{} of the program's {all} nests; --top N shows N. Letters are those of a nest's loops, outer \
             ones first, at most 12.</p>",
            nests.len()
        );
    }
    out.push_str("</section>\n");
}

/// The place of the table of all loops; the script fills it.
fn all_loops(report: &Report<'_>, data: &Data, out: &mut String) {
    let left_out = match data.loops_left_out {
        0 => String::new(),
        n => format!(" The {n} coldest are left out; --format json has them."),
    };
    // Writing to a string does not fail.
    let _ = write!(
        out,
        "<section id=\"all\"><h2>All loops <small>{}</small></h2>\n<p class=\"note\"><span id=\"rows\"></span>{left_out}</p>\n\
         <div class=\"tools\"><input id=\"filter\" type=\"search\" placeholder=\"Filter by name, or by letter: =N\" \
         aria-label=\"Filter\"></div>\n<div class=\"wide\"><table class=\"loops\"><thead><tr><th>Loop<th>Verdict\
         <th class=\"n\">Operations<th class=\"n\">Iterations<th class=\"n\">Entries<th>To do, or why not</tr></thead>\
         <tbody id=\"table\"></tbody></table></div></section>\n",
        report.loops.len()
    );
}
