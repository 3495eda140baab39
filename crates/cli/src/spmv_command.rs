//! `loopwright reconstruct --spmv`: a sparse matrix as affine blocks, and its product as C.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use reconstruct::sparse::{self, HARNESS, Matrix, Mined};
use serde::Serialize;

use crate::progress::Progress;
use crate::streams::{self, effort, note, options};
use crate::streams_args::{NestFormat, ReconstructArgs};

/// Blocks that the text shows.
const SHOWN: usize = 5;

/// What a run of the product showed.
#[derive(Debug, Clone, Copy, Serialize)]
struct Measured {
    /// Seconds of a product from compressed rows, the least of several rounds.
    seconds_csr: f64,
    /// The same from blocks.
    seconds_blocks: f64,
    /// Largest difference between the two results, as a part of the sum of the magnitudes of what is added.
    largest_difference: f64,
    /// Every sum is as near as another order of adding allows.
    agrees: bool,
}

/// Schema `loopwright.spmv/1`.
#[derive(Debug, Serialize)]
struct Document {
    schema: &'static str,
    rows: u32,
    columns: u32,
    entries: usize,
    blocks: usize,
    entries_in_blocks: usize,
    entries_in_residue: usize,
    measured: Option<Measured>,
}

/// Runs the command; gives the exit code.
pub fn run(args: &ReconstructArgs, path: &Path) -> Result<u8> {
    if matches!(args.format, NestFormat::Isl | NestFormat::Openscop) {
        bail!("--spmv gives text, c or json");
    }
    let name = path.display().to_string();
    let mut progress = Progress::new(args.quiet);
    progress.phase("reading", false);
    let bytes = std::fs::read(path).with_context(|| name.clone())?;
    let matrix = sparse::read(&String::from_utf8_lossy(&bytes)).with_context(|| name.clone())?;
    drop(bytes);
    progress.phase("finding blocks", true);
    let mut options = options(&args.search);
    options.floors = args.floors;
    options.effort = effort(&options, args.search.time_limit, 1, &Arc::new(AtomicBool::new(false)));
    let mined = sparse::mine(&matrix, &options);
    let title = path.file_name().map_or(name.clone(), |file| file.to_string_lossy().into_owned());
    let code = sparse::c(&matrix, &mined, &title);
    progress.phase("checking and timing", true);
    let measured = measured(&matrix, &code);
    progress.end();
    let measured = match measured {
        Ok(measured) => Some(measured),
        Err(error) => {
            note(&format!("loopwright: neither checked nor timed: {error:#}"));
            None
        }
    };
    if let Some(Measured { agrees: false, .. }) = measured {
        bail!(
            "{name}: the product from blocks is not that from compressed rows; nothing is written (please report this)"
        );
    }
    let report = match args.format {
        NestFormat::C => code.clone(),
        NestFormat::Json => json(&matrix, &mined, measured),
        NestFormat::Text | NestFormat::Isl | NestFormat::Openscop => text(&name, &matrix, &mined, measured),
    };
    let is_code_kept = args.output.is_some() && args.format == NestFormat::Text;
    if is_code_kept {
        streams::write(args.output.as_deref(), |out| out.write_all(code.as_bytes()))?;
    }
    let to = args.output.as_deref().filter(|_| !is_code_kept);
    if !(is_code_kept && args.quiet) {
        streams::write(to, |out| out.write_all(report.as_bytes()))?;
    }
    Ok(0)
}

/// Compiles the product and what checks it, and runs that.
fn measured(matrix: &Matrix, code: &str) -> Result<Measured> {
    let folder = tempfile::Builder::new()
        .prefix("loopwright-spmv-")
        .tempdir()
        .context("a temporary folder cannot be made")?;
    let [product, harness, program, data] =
        ["spmv.c", "harness.c", "spmv", "matrix"].map(|file| folder.path().join(file));
    std::fs::write(&product, code)?;
    std::fs::write(&harness, HARNESS)?;
    let mut file = io::BufWriter::new(std::fs::File::create(&data)?);
    raw(matrix, &mut file)?;
    file.flush()?;
    let mut cc = Command::new("cc");
    cc.args(["-O3", "-march=native", "-std=gnu11", "-w", "-o"])
        .arg(&program)
        .arg(&product)
        .arg(&harness)
        .arg("-lm");
    let done =
        cc.output().context("`cc` cannot be run; install a C compiler (for example the package gcc)")?;
    if !done.status.success() {
        bail!("`cc` could not compile the product: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    let done = Command::new(&program).arg(&data).stdin(Stdio::null()).output()?;
    let out = String::from_utf8_lossy(&done.stdout);
    let figures: Vec<f64> = out.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match (&figures[..], done.status.success()) {
        (&[seconds_csr, seconds_blocks, largest_difference, agrees], true) => {
            Ok(Measured { seconds_csr, seconds_blocks, largest_difference, agrees: agrees == 1.0 })
        }
        _ => bail!("the product could not be run: {}", String::from_utf8_lossy(&done.stderr).trim()),
    }
}

/// The matrix as the harness reads it.
fn raw(matrix: &Matrix, to: &mut impl io::Write) -> io::Result<()> {
    let sizes = [u64::from(matrix.rows), u64::from(matrix.columns), matrix.entries() as u64];
    for number in sizes.into_iter().chain(matrix.starts.iter().map(|&start| start as u64)) {
        to.write_all(&number.to_ne_bytes())?;
    }
    matrix.column.iter().try_for_each(|column| to.write_all(&column.to_ne_bytes()))?;
    matrix.value.iter().try_for_each(|value| to.write_all(&value.to_ne_bytes()))
}

fn json(matrix: &Matrix, mined: &Mined, measured: Option<Measured>) -> String {
    let document = Document {
        schema: "loopwright.spmv/1",
        rows: matrix.rows,
        columns: matrix.columns,
        entries: matrix.entries(),
        blocks: mined.blocks.len(),
        entries_in_blocks: mined.in_blocks(),
        entries_in_residue: mined.in_residue(),
        measured,
    };
    // Numbers and strings always serialise.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

fn text(name: &str, matrix: &Matrix, mined: &Mined, measured: Option<Measured>) -> String {
    let share = |part: usize| part as f64 * 100.0 / matrix.entries().max(1) as f64;
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{name}: {} rows, {} columns, {} entries",
        matrix.rows,
        matrix.columns,
        matrix.entries()
    );
    let blocks = mined.blocks.len();
    let _ = writeln!(
        out,
        "{:5.1} % in {blocks} block{}: rows and columns are affine in the counters of loops",
        share(mined.in_blocks()),
        if blocks == 1 { "" } else { "s" }
    );
    let _ = writeln!(out, "{:5.1} % as they are, in compressed rows", share(mined.in_residue()));
    if let Some(m) = measured {
        let _ = writeln!(
            out,
            "y = A x: {} from compressed rows, {} from blocks: {:.2} times as fast; the same result but for rounding",
            time(m.seconds_csr),
            time(m.seconds_blocks),
            m.seconds_csr / m.seconds_blocks
        );
    }
    let mut largest: Vec<_> = mined.blocks.iter().collect();
    largest.sort_by_key(|block| std::cmp::Reverse(block.entries));
    for block in largest.iter().take(SHOWN) {
        let _ = write!(out, "\n# {} entries\n{}", block.entries, block.text());
    }
    if blocks > SHOWN {
        let _ = writeln!(out, "\n# {} smaller blocks are not shown", blocks - SHOWN);
    }
    out
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.2} ms", s * 1e3),
        s => format!("{:.2} us", s * 1e6),
    }
}
