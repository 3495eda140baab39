//! Reconstruction: what is found, and how fast.
//!
//! Prints tables and writes them to `docs/reconstruction.md`. All rates of one table are taken in one run.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use reconstruct::fuzzing;
use reconstruct::generators::{self, Generator, Sizes};
use reconstruct::predict::Predictor;
use reconstruct::run::Run;
use reconstruct::stream::{Options, Reconstruction, Reconstructor};

use crate::{bench_memory, bench_peers, ci, polybench};

/// Integers of the traces that are scanned raw.
const RAW: usize = 1 << 26;
/// Largest case of the sweep.
const SWEEP: u64 = 1_000_000;
/// Random nests.
const PLANTED: u64 = 200;

/// Where the tables go.
const DOCUMENT: &str = "docs/reconstruction.md";
const INTRODUCTION: &str = "# Reconstruction: measured\n\nWritten by `cargo xtask bench-reconstruct`; with names of parts, those \
    sections alone are replaced (the last is written by hand). Accesses are integers of a trace; M is 10^6, G is 10^9. Every result counted as found was \
    regenerated and compared with its trace; times include that.";

/// A part of the benchmark: its name, the heading of its first section, what measures it.
type Part = (&'static str, &'static str, fn() -> Result<String>);

const PARTS: [Part; 9] = [
    ("single", "Single-domain kernels, from runs", single),
    ("tiled", "Piecewise and tiled nests", tiled),
    ("large", "Large tiled traces", large),
    ("sweep", "Sweep over tile counts and sizes", sweep),
    ("planted", "Random nests", planted),
    ("predict", "Prediction", predict),
    ("speed", "From raw integers", speed),
    ("peers", "Beside other compressors, on traces of every kind", bench_peers::peers),
    ("memory", "Memory", bench_memory::memory),
];

/// Heading of the section of the document that people write.
const BY_HAND: &str = "What falls short";

/// Runs the parts named, or all, and writes their sections of the document. What is measured is optimised code, whatever
/// this program was built as.
pub fn run(parts: &[&str]) -> Result<()> {
    if let Some(unknown) = parts.iter().find(|p| !PARTS.iter().any(|a| a.0 == **p)) {
        bail!("there is no part {unknown}; there are {}", PARTS.map(|part| part.0).join(", "));
    }
    if cfg!(debug_assertions) {
        let again = ["run", "--release", "--quiet", "--package", "tasks", "--", "bench-reconstruct"];
        return ci::cargo(&[&again, parts].concat(), &[]);
    }
    let document = std::fs::read_to_string(DOCUMENT).unwrap_or_default();
    let by_hand = document.find(&format!("\n## {BY_HAND}\n")).map_or(document.len(), |at| at + 1);
    let (document, by_hand) = document.split_at(by_hand);
    let mut texts = texts(document);
    for ((name, heading, part), text) in PARTS.iter().zip(0..) {
        if !parts.is_empty() && !parts.contains(name) {
            continue;
        }
        texts[text] = format!("## {heading}\n\n{}", part().context(*name)?);
        eprintln!("{}", texts[text]);
        // Parts take minutes: what is done is kept.
        let all = texts.iter().map(String::as_str).chain([by_hand]);
        let known: Vec<&str> = all.map(str::trim_end).filter(|t| !t.is_empty()).collect();
        std::fs::write(DOCUMENT, format!("{INTRODUCTION}\n\n{}\n", known.join("\n\n")))?;
    }
    Ok(())
}

/// The text of every part in a document written before; empty where there is none.
fn texts(document: &str) -> [String; PARTS.len()] {
    let mut texts = std::array::from_fn(|_| String::new());
    let mut part = None;
    for section in document.split("\n## ").skip(1) {
        let heading = section.lines().next().unwrap_or_default();
        // A part may have more sections than its first.
        part = PARTS.iter().position(|p| p.1 == heading).or(part);
        if let Some(part) = part {
            texts[part] = format!("{}## {}\n\n", texts[part], section.trim_end());
        }
    }
    texts
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn reconstruct(runs: &[Run]) -> (Reconstruction, f64) {
    with_rounds(runs, 3)
}

fn with_rounds(runs: &[Run], rounds: u8) -> (Reconstruction, f64) {
    let mut options = Options::default();
    options.effort.threads = threads();
    options.effort.rounds = rounds;
    let start = Instant::now();
    let mut r = Reconstructor::new(options);
    runs.iter().for_each(|&run| r.push_run(run));
    let result = r.finish();
    (result, start.elapsed().as_secs_f64())
}

fn depth(r: &Reconstruction) -> usize {
    r.nests.iter().map(|n| n.depth()).max().unwrap_or(0)
}

/// A rate as people read it.
pub fn rate(accesses: u64, seconds: f64) -> String {
    let per_second = accesses as f64 / seconds;
    if per_second >= 1e9 {
        format!("{:.1} G/s", per_second / 1e9)
    } else {
        format!("{:.1} M/s", per_second / 1e6)
    }
}

/// Affine kernels at their published sizes, from runs.
fn single() -> Result<String> {
    let mut out = String::from(
        "| trace | accesses | runs | loops written | found | nests | fold alone | found and verified |\n|---|---|---|---|---|---|---|---|\n",
    );
    let (mut accesses, mut fold_time, mut time, mut good) = (0, 0.0, 0.0, 0);
    for g in generators::SINGLE {
        let runs = g.all();
        let fold_seconds = fold_alone(&runs);
        let (r, seconds) = reconstruct(&runs);
        let found = depth(&r);
        good += usize::from(r.nests.len() == 1 && found <= g.depth);
        accesses += r.accesses;
        fold_time += fold_seconds;
        time += seconds;
        let (a, b) = (rate(r.accesses, fold_seconds), rate(r.accesses, seconds));
        let (n, nests) = (runs.len(), r.nests.len());
        writeln!(out, "| {} | {} | {n} | {} | {found} | {nests} | {a} | {b} |", g.name, r.accesses, g.depth)?;
    }
    writeln!(
        out,
        "\n{good} of {} are one nest of no more loops than written. All together: fold alone {}, found and verified {}.",
        generators::SINGLE.len(),
        rate(accesses, fold_time),
        rate(accesses, time)
    )?;
    Ok(out)
}

/// The time to fold runs whose stride is known.
fn fold_alone(runs: &[Run]) -> f64 {
    let mut strides: Vec<i64> = runs.iter().filter(|r| r.count > 1).map(|r| r.stride).collect();
    strides.sort_unstable();
    let stride = strides.get(strides.len() / 2).copied().unwrap_or(0);
    let start = Instant::now();
    let mut fold = reconstruct::fold::Fold::new(stride);
    for run in runs {
        fold.run(run.start, run.count as i64);
    }
    black_box(fold.finish());
    start.elapsed().as_secs_f64()
}

fn row(out: &mut String, g: &Generator, label: &str, runs: &[Run]) -> Result<(bool, u64, f64)> {
    let (r, seconds) = reconstruct(runs);
    let faces: usize = r.nests.iter().map(|n| n.faces()).sum();
    let (found, nests) = (depth(&r), r.nests.len());
    let speed = rate(r.accesses, seconds);
    let n = runs.len();
    writeln!(
        out,
        "| {label} | {} | {n} | {} | {found} | {nests} | {faces} | {speed} |",
        r.accesses, g.depth
    )?;
    Ok((nests == 1, r.accesses, seconds))
}

const NEST_HEAD: &str = "| trace | accesses | runs | loops written | found | nests | bounds | found and verified |\n|---|---|---|---|---|---|---|---|\n";

/// Small and tiled nests at their default sizes.
fn tiled() -> Result<String> {
    let mut out = NEST_HEAD.to_owned();
    let mut slowest = f64::MAX;
    for g in generators::SMALL.iter().chain(generators::TILED) {
        let (_, accesses, seconds) = row(&mut out, g, g.name, &g.all())?;
        slowest = slowest.min(accesses as f64 / seconds);
    }
    writeln!(out, "\nSlowest: {:.1} M/s.", slowest / 1e6)?;
    Ok(out)
}

/// Tiled nests of more than 10^8 accesses.
fn large() -> Result<String> {
    let mut out = NEST_HEAD.to_owned();
    let cases = [
        ("tiled_mm_A", Sizes { n: 1000, m: 1100, p: 1200, tile: 32, steps: 0 }),
        ("tiled_lu_ij", Sizes { n: 1000, m: 0, p: 0, tile: 32, steps: 0 }),
        ("tiled_jacobi2d", Sizes { n: 1300, m: 0, p: 0, tile: 32, steps: 200 }),
        ("tiled_heat3d", Sizes { n: 120, m: 0, p: 0, tile: 32, steps: 100 }),
    ];
    for (name, sizes) in cases {
        let g = generators::named(name).context("a generator")?;
        row(&mut out, g, name, &g.at(&sizes))?;
    }
    Ok(out)
}

/// Tiled nests with 2 to 40 tiles per dimension, tile sizes that divide the extent and that do not.
fn sweep() -> Result<String> {
    let mut failures = String::new();
    // Per few (2) and many (4 and more) tiles: cases, one nest, at the depth written.
    let mut counts = [[0usize; 3]; 2];
    for g in generators::TILED {
        for tiles in [2, 4, 6, 10, 20, 40] {
            for (tile, rest) in [(8, 0), (8, 3), (13, 5)] {
                let n = tile * tiles + rest;
                let sizes =
                    Sizes { n, m: n - rest / 2, p: n + rest, tile, steps: tile * (tiles / 2).max(2) + rest };
                let mut size = 0;
                let mut runs = Vec::new();
                g.runs(&sizes, &mut |run| {
                    if size < SWEEP {
                        runs.push(run);
                    }
                    size += run.count;
                });
                if size >= SWEEP || size == 0 {
                    continue;
                }
                let (r, _) = with_rounds(&runs, 2);
                let one = r.nests.len() == 1;
                let count = &mut counts[usize::from(tiles >= 4)];
                count[0] += 1;
                count[1] += usize::from(one);
                count[2] += usize::from(one && depth(&r) <= g.depth);
                if !one {
                    writeln!(
                        failures,
                        "| {} | {tiles} | {tile} | {n} | {} | {} |",
                        g.name,
                        r.accesses,
                        r.nests.len()
                    )?;
                }
            }
        }
    }
    let mut out = String::new();
    for (label, [cases, one, depth]) in ["2 tiles", "4 to 40 tiles"].into_iter().zip(counts) {
        let percent = |n: usize| 100.0 * n as f64 / cases.max(1) as f64;
        writeln!(
            out,
            "- {label} per dimension: {cases} traces, all exact; {one} ({:.1} %) as one nest, {depth} ({:.1} %) with no more loops than written.",
            percent(one),
            percent(depth)
        )?;
    }
    writeln!(
        out,
        "\nNot one nest:\n\n| trace | tiles | tile | extent | accesses | nests |\n|---|---|---|---|---|---|\n{failures}"
    )?;
    Ok(out)
}

/// Random nests.
fn planted() -> Result<String> {
    let (mut one, mut shallow) = (0, 0);
    for seed in 0..PLANTED {
        let nest = fuzzing::planted(seed);
        let values = fuzzing::integers(&nest);
        let r = fuzzing::reconstructed(&values, threads());
        reconstruct::check::check(&r.nests, values).map_err(|e| anyhow::anyhow!("seed {seed}: {e}"))?;
        one += usize::from(r.nests.len() == 1);
        shallow += usize::from(r.nests.len() == 1 && depth(&r) <= nest.depth());
    }
    let percent = |n: usize| 100.0 * n as f64 / PLANTED as f64;
    Ok(format!(
        "{PLANTED} nests of up to six loops with random bounds (two per side, divisors up to 4, trip counts of 0 \
         and 1): all exact; {one} ({:.1} %) as one nest, {shallow} ({:.1} %) with no more loops than planted.\n",
        percent(one),
        percent(shallow)
    ))
}

/// Share of the accesses that the online predictor foresees.
fn predict() -> Result<String> {
    let mut out = String::from("| trace | accesses | predicted |\n|---|---|---|\n");
    let mut least = f64::MAX;
    for g in generators::all() {
        let mut p = Predictor::new();
        g.runs(&g.sizes, &mut |run| {
            p.push_run(run);
        });
        let share = percent(p.predicted(), p.accesses());
        least = least.min(share);
        writeln!(out, "| {} | {} | {share:.3} % |", g.name, p.accesses())?;
    }
    writeln!(out, "\nLeast: {least:.3} %.\n")?;
    out.push_str(&published()?);
    Ok(out)
}

/// The published table of prediction beside what is predicted here.
fn published() -> Result<String> {
    let mut out = String::from(
        "### Beside the published table\n\nPolyBench/C 3.2 at its standard sizes, every array reference a stream of its own; \
         references that differ by a constant are counted once. Published: share predicted within discovered bounds, without \
         the one-level heuristic (with it: above 99 % everywhere). Least: the reference that is predicted worst.\n\n\
         | benchmark | references | accesses | published | predicted | least |\n|---|---|---|---|---|---|\n",
    );
    for benchmark in polybench::ALL {
        let streams = benchmark.replay().list;
        let (mut right, mut all, mut least) = (0, 0, 100.0f64);
        for p in &streams {
            right += p.predicted();
            all += p.accesses();
            least = least.min(percent(p.predicted(), p.accesses()));
        }
        writeln!(
            out,
            "| {} | {} | {all} | {:.2} % | {:.3} % | {least:.3} % |",
            benchmark.name,
            streams.len(),
            benchmark.published,
            percent(right, all)
        )?;
    }
    Ok(out)
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Raw integers beside the speed of memory and general compressors.
fn speed() -> Result<String> {
    let mut out = String::from(
        "8-byte integers in memory; the rate of reading is a plain sum of the same buffer, in the same run.\n\n\
         | trace | integers | reading | scan and fold | share | whole |\n|---|---|---|---|---|---|\n",
    );
    let (mut integers, mut read_time, mut scan_time) = (0u64, 0.0, 0.0);
    let mut buffer: Vec<i64> = Vec::with_capacity(RAW);
    for name in
        ["fdtd_ey", "floyd_ij", "gemm_A", "doitgen_A", "cholesky_Aik", "nussinov_kj", "seidel", "trmm_Bkj"]
    {
        let g = generators::named(name).context("a generator")?;
        fill(g, &mut buffer);
        let mut best = [f64::MAX; 3];
        for _ in 0..3 {
            best[0] = best[0].min(time(|| black_box(sum(&buffer))));
            let mut r = Reconstructor::default();
            let scan = time(|| r.push(&buffer));
            best[1] = best[1].min(scan);
            best[2] = best[2].min(scan + time(|| drop(black_box(r.finish()))));
        }
        let n = buffer.len() as u64;
        integers += n;
        read_time += best[0];
        scan_time += best[1];
        let share = best[0] / best[1];
        let [a, b, c] = best.map(|t| rate(n, t));
        writeln!(out, "| {name} | {n} | {a} | {b} | {share:.2} | {c} |")?;
    }
    writeln!(
        out,
        "\nAll together: reading {}, scan and fold {}, share {:.2}.",
        rate(integers, read_time),
        rate(integers, scan_time),
        read_time / scan_time
    )?;
    out.push_str(&compression(&mut buffer)?);
    Ok(out)
}

/// Sizes and speeds of general compressors on the same integers.
fn compression(buffer: &mut Vec<i64>) -> Result<String> {
    let mut out = String::from(
        "\n## Beside general compressors\n\nBytes (and rate) for 4 M integers; npz is gzip as NumPy uses it, delta is the differences under `zstd -3`.\n\n\
         | trace | raw | nests | zstd -3 | zstd -19 | npz | delta |\n|---|---|---|---|---|---|---|\n",
    );
    for name in ["gemm_A", "cholesky_Aik", "tiled_mm_A", "tiled_lu_ij", "tiled_jacobi2d", "tiled_heat3d"] {
        fill(generators::named(name).context("a generator")?, buffer);
        buffer.truncate(4_000_000);
        let n = buffer.len() as u64;
        let raw: Vec<u8> = buffer.iter().flat_map(|v| v.to_le_bytes()).collect();
        let start = Instant::now();
        let mut r = Reconstructor::default();
        r.push(buffer);
        let file = reconstruct::codec::encode(&[((0, 0), &r.finish())], None).len();
        let mut cells = vec![format!("{file} ({})", rate(n, start.elapsed().as_secs_f64()))];
        let mut add = |compress: &dyn Fn() -> Result<usize>| -> Result<()> {
            let start = Instant::now();
            let size = compress()?;
            cells.push(format!("{size} ({})", rate(n, start.elapsed().as_secs_f64())));
            Ok(())
        };
        add(&|| Ok(zstd::encode_all(&raw[..], 3)?.len()))?;
        let short = &raw[..raw.len() / 8];
        add(&|| Ok(zstd::encode_all(short, 19)?.len() * 8))?;
        add(&|| gzip(&raw))?;
        add(&|| {
            let mut last = 0;
            let delta: Vec<u8> = buffer
                .iter()
                .flat_map(|v| {
                    let d = v.wrapping_sub(last);
                    last = *v;
                    d.to_le_bytes()
                })
                .collect();
            Ok(zstd::encode_all(&delta[..], 3)?.len())
        })?;
        writeln!(out, "| {name} | {} | {} |", raw.len(), cells.join(" | "))?;
    }
    out.push_str("\n`zstd -19` is measured on an eighth of the integers and its size multiplied.\n");
    Ok(out)
}

fn gzip(bytes: &[u8]) -> Result<usize> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
}

fn fill(g: &Generator, buffer: &mut Vec<i64>) {
    buffer.clear();
    g.runs(&g.sizes, &mut |run| {
        let room = RAW - buffer.len();
        buffer.extend(run.values().take(room).map(|v| 8 * v));
    });
}

fn time<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}

fn sum(values: &[i64]) -> i64 {
    let mut lanes = [0i64; 8];
    let (whole, rest) = values.as_chunks::<8>();
    for chunk in whole {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane = lane.wrapping_add(*value);
        }
    }
    lanes.iter().chain(rest).fold(0, |a, b| a.wrapping_add(*b))
}
