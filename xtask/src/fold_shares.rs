//! The share of a program's own memory accesses that the recorder hands over as folded loops, per program.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::ci;
use crate::product::Loopwright;

/// What begins the part of the document that this command writes; it is the last one.
pub const HEADING: &str = "## Accesses recorded as folded loops\n";

/// A line of the table.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    suite: String,
    program: String,
    accesses: u64,
    percent: f64,
    /// Of those, the ones in loops that record some words of every iteration.
    partly: f64,
}

/// Runs the command.
pub fn run(args: &[&str]) -> Result<()> {
    let (keep, args) = match args {
        ["--keep", rest @ ..] => (true, rest),
        _ => (false, args),
    };
    let ["--suite", suite, "--", program @ ..] = args else {
        bail!("fold-shares [--keep] --suite NAME -- PROGRAM ARGS…");
    };
    let row = measure(suite, program)?;
    println!("{} {} {:.2} % of {}", row.suite, row.program, row.percent, row.accesses);
    if keep {
        let path = ci::root().join("docs/folding.md");
        let document = std::fs::read_to_string(&path)?;
        std::fs::write(path, with(&document, row)?)?;
    }
    Ok(())
}

/// Profiles a program's own code.
fn measure(suite: &str, program: &[&str]) -> Result<Row> {
    let loopwright = Loopwright::optimised()?;
    let directory = tempfile::tempdir()?;
    let profile = directory.path().join("p.lwp");
    let (file, arguments) = program.split_first().context("no program given")?;
    loopwright.profile(&["--scope", "main"], file, arguments, &profile)?;
    let report = loopwright.report(&profile, &[])?;
    let figure = |name: &str| report["trust"][name].as_u64().context("the report lacks a count of accesses");
    let accesses = figure("main_accesses")?;
    let percent = |n: u64| 100.0 * n as f64 / accesses.max(1) as f64;
    let name = program.first().and_then(|p| Path::new(p).file_name()).unwrap_or_default();
    Ok(Row {
        suite: suite.to_owned(),
        program: name.to_string_lossy().into_owned(),
        accesses,
        percent: percent(figure("main_accesses_folded")?),
        partly: percent(figure("main_accesses_partly_folded")?),
    })
}

/// The document with a row added, or put in the place of the former one of that program.
fn with(document: &str, row: Row) -> Result<String> {
    let (before, own) = document.split_at(document.find(HEADING).unwrap_or(document.len()));
    let mut rows = own.lines().filter_map(parse).collect::<Vec<Row>>();
    rows.retain(|r| (&r.suite, &r.program) != (&row.suite, &row.program));
    rows.push(row);
    rows.sort_by(|a, b| (&a.suite, &a.program).cmp(&(&b.suite, &b.program)));
    let mut text = format!("{}\n\n{HEADING}\n{ABOUT}\n", before.trim_end());
    text += "| suite | program | accesses | folded | of these partly |\n|:--|:--|--:|--:|--:|\n";
    for (at, row) in rows.iter().enumerate() {
        let Row { suite, program, accesses, percent, partly } = row;
        writeln!(text, "| {suite} | {program} | {accesses} | {percent:.1} % | {partly:.1} % |")?;
        if rows.get(at + 1).is_none_or(|next| next.suite != *suite) {
            let percents: Vec<f64> = rows.iter().filter(|r| r.suite == *suite).map(|r| r.percent).collect();
            writeln!(text, "| {suite} | *median of {}* | | {:.1} % | |", percents.len(), median(percents))?;
        }
    }
    Ok(format!("{}\n", text.trim_end()))
}

/// A line of the table; none for heads and medians.
fn parse(line: &str) -> Option<Row> {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [suite, program, accesses, percent, partly] = cells[..] else { return None };
    Some(Row {
        suite: suite.to_owned(),
        program: program.to_owned(),
        accesses: accesses.parse().ok()?,
        percent: percent.strip_suffix(" %")?.parse().ok()?,
        partly: partly.strip_suffix(" %")?.parse().ok()?,
    })
}

fn median(mut percents: Vec<f64>) -> f64 {
    percents.sort_by(f64::total_cmp);
    let at = |k: usize| percents.get(k).copied().unwrap_or(0.0);
    let middle = percents.len() / 2;
    if percents.len() % 2 == 1 { at(middle) } else { (at(middle.saturating_sub(1)) + at(middle)) / 2.0 }
}

const ABOUT: &str = "Added by `cargo xtask fold-shares --keep --suite NAME -- PROGRAM ARGS…`. Accesses of instructions of the \
program's own file (not of libraries),\nas the analysis counts them, and the share that came in records which stand for all \
iterations of a loop\n(`trust.main_accesses` and `trust.main_accesses_folded` of the report). *Partly*: in loops that record some addresses \
of every iteration\n(`trust.main_accesses_partly_folded`). Where the rest comes from: \
[PERFORMANCE.md](PERFORMANCE.md).\n\nPolyBench/C 4.2.1 at -O2, small data set; Rodinia's OpenMP programs at -O2 without OpenMP, one thread. \
Command lines are those of its run scripts,\nbut for: b+tree with 10,000 keys and `j 6000 3000`, `k 10000`; bfs with 20,000 nodes; cfd with \
4,000 elements; hotspot 256 x 256;\nhotspot3D 128 x 8, 10 iterations; kmeans with 2,000 points of 34 features; lavaMD with 2 boxes a side; \
lud `-s 256`; myocyte 20 ms;\nnw 1024; particlefilter `-np 5000`; pathfinder 10000 100; srad_v1 with 5 iterations; srad_v2 256 x 256; \
streamcluster `10 20 64 512 512 100`.\nInputs are made for this, with random values.\n";

#[cfg(test)]
mod tests {
    use super::*;

    fn row(suite: &str, program: &str, accesses: u64, percent: f64) -> Row {
        Row { suite: suite.to_owned(), program: program.to_owned(), accesses, percent, partly: 0.0 }
    }

    #[test]
    fn rows_are_added_and_replaced() {
        let one = with("# Folding\n\ntext\n", row("A", "x", 100, 50.0)).expect("a table");
        let two = with(&one, row("B", "y", 7, 1.0)).expect("a table");
        let three = with(&two, row("A", "z", 3, 100.0)).expect("a table");
        let four = with(&three, row("A", "x", 200, 20.0)).expect("a table");
        let rows: Vec<Row> = four.lines().filter_map(parse).collect();
        assert_eq!(rows, [row("A", "x", 200, 20.0), row("A", "z", 3, 100.0), row("B", "y", 7, 1.0)]);
        assert!(four.starts_with("# Folding\n\ntext\n\n## "), "{four}");
        assert!(four.contains("| A | *median of 2* | | 60.0 % |"), "{four}");
        assert_eq!(four.matches(HEADING).count(), 1);
    }
}
