//! Speed of verdicts and schedules, on made-up programs of 10 to 5,000 statements.
//!
//! Prints a table and writes it to `docs/schedules.md`: seconds for all direct verdicts, for formulating the region as a
//! scheduling problem, and for isl at every rung of the ladder, each in its own process with a limit.

use std::fmt::Write;
use std::time::Instant;

use anyhow::{Context, Result};
use isl::worker::{Failure, Limits, Worker};
use schedule::arrange;
use schedule::arrange::distribution::distributions;
use schedule::arrange::fusion::neighbours;
use schedule::propose::problem::formulate;
use schedule::propose::{Budget, Fusion, Rung, hottest, propose};
use schedule::synthetic::{self, Shape};

use crate::ci;

/// Statements of the programs.
const SIZES: [u32; 6] = [10, 30, 100, 300, 1000, 5000];
/// Processor time that a rung may take, in seconds.
const LIMIT: u64 = 10;
/// Where the table goes.
const DOCUMENT: &str = "docs/schedules.md";

/// Measures all shapes and sizes.
pub fn run() -> Result<()> {
    if cfg!(debug_assertions) {
        return ci::cargo(
            &["run", "--release", "--quiet", "--package", "tasks", "--", "bench-schedule"],
            &[],
        );
    }
    ci::cargo(&["build", "--release", "--package", "loopwright"], &[])?;
    let worker =
        Worker { program: ci::target()?.join("release/loopwright"), arguments: vec!["isl-worker".into()] };
    let mut out = format!(
        "# Schedules: measured\n\nWritten by `cargo xtask bench-schedule`; do not edit. Made-up programs of one region \
         (`schedule::synthetic`). Seconds: *verdicts* of all loops, fusion and distribution included; *formulating* the region as a problem for isl; isl at each \
         rung, stopped after {LIMIT} s of processor time; *answer*, what `report --schedule` takes for it with its default \
         budget, and the rung of that answer.\n\n\
         | program | statements | dependences | verdicts | formulating | bands | without proximity | Feautrier | answer | rung |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n"
    );
    eprint!("{out}");
    for (name, shape) in Shape::ALL {
        for statements in SIZES {
            let line = row(name, shape, statements, &worker)?;
            eprint!("{line}");
            out += &line;
            std::fs::write(ci::root().join(DOCUMENT), &out).context(DOCUMENT)?;
        }
    }
    Ok(())
}

fn row(name: &str, shape: Shape, statements: u32, worker: &Worker) -> Result<String> {
    let profile = synthetic::profile(shape, statements);
    let start = Instant::now();
    let loops = schedule::analyse(&profile);
    let index = arrange::Index::new(&profile);
    let (neighbours, parts) = (neighbours(&profile, &loops, &index), distributions(&profile, &loops, &index));
    std::hint::black_box((neighbours, parts));
    let verdicts = start.elapsed().as_secs_f64();
    let region = hottest(&loops, 0.0).into_iter().next().context("a region")?;
    let start = Instant::now();
    let formulated = formulate(&profile, &loops, &region)?;
    let formulating = start.elapsed().as_secs_f64();
    let mut line = format!(
        "| {name} | {statements} | {} | {verdicts:.3} | {formulating:.3} |",
        profile.dependences.len()
    );
    for rung in Rung::ALL {
        let problem = rung.problem(&formulated.problem, Fusion::Smart);
        let start = Instant::now();
        let limits = Limits { seconds: LIMIT, bytes: Budget::default().bytes };
        let seconds = match worker.schedule(problem, limits) {
            Ok(_) => format!("{:.2}", start.elapsed().as_secs_f64()),
            Err(Failure::Time(_)) => format!("over {LIMIT}"),
            Err(failure) => failure.to_string(),
        };
        write!(line, " {seconds} |")?;
    }
    let start = Instant::now();
    let answer = propose(&profile, &loops, vec![region], worker, Budget::default());
    let seconds = start.elapsed().as_secs_f64();
    let rung = match answer.first().map(|proposal| &proposal.found) {
        Some(Ok((Rung::Bands, _))) => "bands",
        Some(Ok((Rung::WithoutProximity, _))) => "without proximity",
        Some(Ok((Rung::Feautrier, _))) => "Feautrier",
        _ => "verdicts alone",
    };
    writeln!(line, " {seconds:.2} | {rung} |")?;
    Ok(line)
}
