//! Memory of the command line while it reconstructs long traces.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};
use reconstruct::generators::{self, Generator, Sizes};
use reconstruct::run::Run;
use trace::accesses::StreamId;
use trace::lwt::Writer;

use crate::bench_reconstruct::rate;
use crate::measure;
use crate::product::Loopwright;

/// Memory allowed beside the result, in MiB.
const ALLOWED: f64 = 64.0;
/// Processor seconds after which a command is stopped.
const LIMIT: f64 = 200.0;

/// Peak resident memory of `loopwright reconstruct` on long traces, raw through a pipe and as a file of runs.
pub fn memory() -> Result<String> {
    let loopwright = Loopwright::optimised()?.path;
    let directory = tempfile::tempdir()?;
    let mut out = format!(
        "Most memory resident in `loopwright`, which gets raw 8-byte integers through a pipe, or a file of runs. Regular \
         traces are to need at most {ALLOWED:.0} MiB beside the result.\n\n\
         | command | trace | input | accesses | raw size | peak | whole |\n|---|---|---|---|---|---|---|\n"
    );
    let mut beyond = Vec::new();
    let mm = Sizes { n: 800, m: 900, p: 1000, tile: 32, steps: 0 };
    let jacobi = Sizes { n: 1300, m: 0, p: 0, tile: 32, steps: 200 };
    let heat = Sizes { n: 120, m: 0, p: 0, tile: 32, steps: 100 };
    let cases = [
        ("reconstruct", "cholesky_Aik", None),
        ("reconstruct", "doitgen_A", None),
        ("reconstruct", "floyd_kj", None),
        ("compress", "floyd_kj", None),
        ("predict", "cholesky_Aik", None),
        ("predict", "tiled_heat3d", Some(heat)),
        ("reconstruct", "tiled_mm_A", Some(mm)),
        ("reconstruct", "tiled_jacobi2d", Some(jacobi)),
        ("reconstruct", "tiled_heat3d", Some(heat)),
    ];
    for (name, trace, sizes) in cases {
        let g = generators::named(trace).context("a generator")?;
        let sizes = sizes.unwrap_or(g.sizes);
        for piped in [true, false] {
            let start = Instant::now();
            let mut command = Command::new(&loopwright);
            command.arg(name).arg("--output").arg(directory.path().join("result"));
            let (usage, seconds) = if piped {
                command.args(["--input-format", "i64"]);
                let usage = measure::fed(&mut command, LIMIT, |to| integers(g, &sizes, to))?;
                (usage, start.elapsed().as_secs_f64())
            } else {
                let file = directory.path().join("trace.lwt");
                runs(g, &sizes, &file)?;
                let start = Instant::now();
                (measure::run(command.arg(&file), LIMIT)?, start.elapsed().as_secs_f64())
            };
            let mut accesses = 0u64;
            g.runs(&sizes, &mut |run| accesses += run.count);
            let whole = match usage.status {
                Some(status) if status.success() => rate(accesses, seconds),
                Some(status) => status.to_string(),
                None => format!("over {LIMIT:.0} s"),
            };
            let peak = usage.peak as f64 / f64::from(1 << 20);
            if peak > ALLOWED {
                beyond.push(format!("{name} {trace} ({peak:.0} MiB)"));
            }
            writeln!(
                out,
                "| {name} | {} | {} | {accesses} | {:.1} GB | {peak:.0} MiB | {whole} |",
                g.name,
                if piped { "raw, piped" } else { "runs, file" },
                accesses as f64 * 8e-9,
            )?;
        }
    }
    let beyond = if beyond.is_empty() { "none".to_owned() } else { beyond.join(", ") };
    writeln!(out, "\nBeyond {ALLOWED:.0} MiB: {beyond}.")?;
    Ok(out)
}

/// Writes the integers of a trace, 8 bytes each.
fn integers(g: &Generator, sizes: &Sizes, to: impl Write) -> io::Result<()> {
    let mut to = BufWriter::with_capacity(1 << 20, to);
    let mut result = Ok(());
    let mut bytes = Vec::new();
    g.runs(sizes, &mut |run: Run| {
        if result.is_ok() {
            bytes.clear();
            bytes.extend(run.values().flat_map(i64::to_le_bytes));
            result = to.write_all(&bytes);
        }
    });
    result?;
    to.flush()
}

/// Writes the runs of a trace as a file of runs.
fn runs(g: &Generator, sizes: &Sizes, path: &Path) -> Result<()> {
    let mut writer = Writer::new(BufWriter::new(std::fs::File::create(path)?))?;
    let mut result = Ok(());
    g.runs(sizes, &mut |run: Run| {
        if result.is_ok() {
            result = writer.run(StreamId::default(), 8, run.start, run.stride, run.count);
        }
    });
    result?;
    writer.finish()?.flush()?;
    Ok(())
}
