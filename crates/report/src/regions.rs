//! The published summary table (PPoPP'19, table 5; ALGORITHMS section 4): one row per program, about the region whose
//! proposal is worth most ([`schedule::metrics::profit`]); about the hottest one where none is worth anything.
//!
//! Differences from the publication, all of definition: a region is a loop, so there is one component before; parallel
//! means without reductions; what is said of the region after the transformation is said of the schedule that isl found, or
//! of the loops as they are where none was found (fusion `-`).

use profile::Profile;
use schedule::metrics::{Graph, Survey};

use crate::finding::Report;
use crate::markdown::{aligned, file_name, short, stem};
use crate::proposals::Weighed;
use crate::published::Published;

/// Columns of the table, with the names of those published.
const COLUMNS: [(&str, &str); 21] = [
    ("#V", "V"),
    ("#E", "E"),
    ("%Aff", "aff"),
    ("region", "region"),
    ("%ops", "ops"),
    ("%Mops", "mops"),
    ("%FPops", "fpops"),
    ("interproc.", "interprocedural"),
    ("Polly", "polly_failed"),
    ("skew", "skew"),
    ("%||ops", "par_ops"),
    ("%simdops", "simd_ops"),
    ("%reuse", "reuse"),
    ("%Preuse", "preuse"),
    ("ld-src", "ld_src"),
    ("ld-bin", "ld_bin"),
    ("TileD", "tile_depth"),
    ("%Tilops", "til_ops"),
    ("C", "components_before"),
    ("Comp.", "components_after"),
    ("fusion", "fusion"),
];

/// Columns that are text; the others hold figures.
const TEXT: [&str; 2] = ["region", "Polly"];

/// Columns that a file of published figures must have.
pub fn published_columns() -> Vec<&'static str> {
    COLUMNS.iter().map(|(_, published)| *published).collect()
}

/// What the table says of one program.
#[derive(Debug)]
pub struct Row {
    name: String,
    cells: Vec<String>,
}

impl Row {
    /// The row of a report with proposals.
    pub fn of(report: &Report<'_>) -> Row {
        let graph = Survey::new(report.profile, &report.loops).graph();
        let weighed = report.proposals.as_ref().map_or(&[][..], |proposals| &proposals.all);
        let worth = |w: &Weighed| (w.profit.saved, w.proposal.region.share);
        let chosen = weighed.iter().max_by(|a, b| {
            let (a, b) = (worth(a), worth(b));
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        let mut cells = of_graph(&graph);
        cells.extend(chosen.map(|weighed| of_region(report, weighed)).unwrap_or_default());
        if report.profile.trust.counted_only {
            // Executions are all that is known.
            let known = |(cell, (name, _)): (String, &(&str, &str))| match ["region", "%ops"].contains(name) {
                true => cell,
                false => "-".to_owned(),
            };
            cells = cells.into_iter().zip(&COLUMNS).map(known).collect();
        }
        cells.resize(COLUMNS.len(), "-".to_owned());
        Row { name: name(report.profile), cells }
    }
}

/// Renders the table, with what is published of programs of the same names.
pub fn table(rows: &[Row], published: Option<&Published>) -> String {
    let mut lines =
        vec![["program"].into_iter().chain(COLUMNS.map(|(name, _)| name)).map(str::to_owned).collect()];
    let columns = COLUMNS.map(|(_, published)| Some(published));
    for row in rows {
        lines.push([row.name.clone()].into_iter().chain(row.cells.iter().cloned()).collect::<Vec<_>>());
        let stem = stem(&row.name);
        let cells = published.and_then(|published| published.cells(stem, &columns));
        lines.extend(cells.map(|cells| [format!("{stem}, published")].into_iter().chain(cells).collect()));
    }
    let is_text =
        |column: usize| column == 0 || COLUMNS.get(column - 1).is_some_and(|(name, _)| TEXT.contains(name));
    aligned(&lines, &is_text)
}

fn name(profile: &Profile) -> String {
    file_name(&profile.program.argv).to_owned()
}

/// #V and #E, all and without induction variables; %Aff.
fn of_graph(graph: &Graph) -> Vec<String> {
    let pair = |(all, left): (u64, u64)| format!("{}, {}", short(all), short(left));
    vec![pair(graph.instances), pair(graph.dependences), percent(graph.affine)]
}

fn of_region(report: &Report<'_>, weighed: &Weighed) -> Vec<String> {
    let Weighed { proposal, metrics, profit, .. } = weighed;
    let after = profit.structure;
    let region = &report.loops[proposal.region.outermost];
    let yes = |is: bool| if is { "Y" } else { "N" }.to_owned();
    let share = |share: Option<f64>| share.map_or("-".to_owned(), percent);
    let depth = |loops: usize| format!("{loops}D");
    vec![
        region.place(),
        percent(proposal.region.share),
        percent(metrics.memory),
        percent(metrics.float),
        yes(metrics.is_interprocedural),
        metrics.obstacles.letters(),
        yes(after.is_skewed),
        percent(after.parallel),
        percent(after.vector),
        share(metrics.shape.reuse.present),
        share(metrics.shape.reuse.best),
        depth(metrics.source_depth),
        depth(metrics.binary_depth),
        depth(after.tile_depth),
        percent(after.tilable),
        metrics.shape.before.components.to_string(),
        after.components.to_string(),
        weighed.fusion_letter().unwrap_or("-").to_owned(),
    ]
}

/// A share in percent, rounded down: 100 % is all.
fn percent(share: f64) -> String {
    format!("{}%", (100.0 * share + 1e-9).floor())
}
