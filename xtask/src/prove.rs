//! Proposed code against what is written: equal output, and time.

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use kernels::{Kernel, Level};
use serde_json::Value;

use crate::ci;
use crate::product::Loopwright;

/// How often every program is timed; the shortest time counts.
const ROUNDS: usize = 9;
/// How much longer the loops of the larger inputs are, about.
const LONGER: &str = "30";
/// How programs are compiled. Products and sums stay apart, so that results do not depend on how they meet.
pub const FLAGS: &[&str] = &["-std=gnu99", "-O3", "-march=native", "-ffp-contract=off", "-fopenmp"];

/// What became of a kernel.
struct Row {
    kernel: String,
    arguments: String,
    /// Steps that lead to the code, in short.
    steps: String,
    /// Seconds of the original, and of the proposed code with one and two threads.
    seconds: [f64; 3],
}

/// Runs the command; without names all kernels, and the document is written.
pub fn run(names: &[&str]) -> Result<()> {
    let loopwright = Loopwright::for_tests()?;
    let all: Vec<Kernel> = kernels::load()?.into_iter().filter(|k| !k.proof.is_empty()).collect();
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for kernel in all.iter().filter(|k| names.is_empty() || names.contains(&k.name())) {
        match prove(&loopwright, kernel).with_context(|| kernel.name().to_owned()) {
            Ok(row) => {
                println!("{}", line(&row));
                rows.push(row);
            }
            Err(error) => {
                eprintln!("{error:#}");
                failed.push(kernel.name());
            }
        }
    }
    if names.is_empty() {
        std::fs::write(ci::root().join("docs/proof.md"), document(&rows))?;
    }
    if !failed.is_empty() {
        bail!("not proved: {}", failed.join(", "));
    }
    Ok(())
}

fn prove(loopwright: &Loopwright, kernel: &Kernel) -> Result<Row> {
    let directory = tempfile::tempdir()?;
    let (proposed, steps) = propose(loopwright, kernel, LONGER, directory.path())?;
    let original = compile(&kernel.path(), &directory.path().join("original"))?;
    let proposed = compile(&proposed, &directory.path().join("proposed"))?;
    for arguments in [&kernel.arguments, &kernel.proof] {
        let expected = output(&original, arguments, 1)?.0;
        for threads in [1, 2] {
            if output(&proposed, arguments, threads)?.0 != expected {
                bail!("the proposed code prints something else, with {threads} threads and {arguments:?}");
            }
        }
    }
    let mut seconds = [f64::INFINITY; 3];
    for _ in 0..ROUNDS {
        let runs = [(&original, 1), (&proposed, 1), (&proposed, 2)];
        for (shortest, (program, threads)) in seconds.iter_mut().zip(runs) {
            *shortest = shortest.min(output(program, &kernel.proof, threads)?.1);
        }
    }
    Ok(Row { kernel: kernel.name().to_owned(), arguments: kernel.proof.join(" "), steps, seconds })
}

/// The proposed code of a kernel for loops that are so much longer, as a file, and the steps that lead to it.
pub fn propose(
    loopwright: &Loopwright,
    kernel: &Kernel,
    longer: &str,
    directory: &Path,
) -> Result<(PathBuf, String)> {
    let program = kernels::compile(kernel, Level::O0, directory)?;
    let profile = directory.join("p.lwp");
    loopwright.profile(&[], &program.path, &kernel.arguments, &profile)?;
    let code = directory.join("code");
    let options = ["--schedule", "--longer", longer, "--code"].map(OsStr::new);
    let report = loopwright.report(&profile, &[&options[..], &[code.as_os_str()]].concat())?;
    let nests = report["code"]["nests"].as_array().context("the report says nothing of code")?;
    let written: Vec<&Value> = nests.iter().filter(|nest| nest["file"].is_string()).collect();
    let reasons: Vec<&str> = nests.iter().filter_map(|nest| nest["reason"].as_str()).collect();
    let one = written.first().map(|nest| &nest["file"]);
    let file = report["code"]["together"][0].as_str().or(one.and_then(Value::as_str));
    let file = file.with_context(|| format!("no code: {}", reasons.join("; ")))?;
    let mut steps: Vec<&str> = Vec::new();
    for step in written.iter().flat_map(|nest| nest["sequence"].as_array().into_iter().flatten()) {
        let name = step["step"].as_str().unwrap_or("?");
        if !steps.contains(&name) {
            steps.push(name);
        }
    }
    Ok((PathBuf::from(file), steps.join(", ")))
}

/// Compiles a program of one file with [`FLAGS`].
pub fn compile(source: &Path, program: &Path) -> Result<PathBuf> {
    let done = Command::new("cc").args(FLAGS).arg("-o").arg(program).arg(source).arg("-lm").output()?;
    if !done.status.success() {
        bail!("cc {}: {}", source.display(), String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(program.to_owned())
}

/// What a program prints with so many threads, and how many seconds it takes.
pub fn output(program: &Path, arguments: &[String], threads: u32) -> Result<(Vec<u8>, f64)> {
    let mut command = Command::new(program);
    command.args(arguments).env("OMP_NUM_THREADS", threads.to_string()).env("OMP_WAIT_POLICY", "passive");
    let start = Instant::now();
    let done = command.stdin(Stdio::null()).output()?;
    let seconds = start.elapsed().as_secs_f64();
    if !done.status.success() {
        bail!("{}: {}", program.display(), done.status);
    }
    Ok((done.stdout, seconds))
}

fn line(row: &Row) -> String {
    let [original, one, two] = row.seconds;
    format!(
        "| {} {} | {} | {original:.3} | {one:.3} | {two:.3} | {:.2} | {:.2} |",
        row.kernel,
        row.arguments,
        row.steps,
        original / one,
        original / two
    )
}

fn document(rows: &[Row]) -> String {
    let mut text = format!(
        "# Proposed code, run\n\nWritten by `cargo xtask prove`. Every kernel is compiled with -O0 and profiled on its small \
         default input;\n`loopwright report --schedule --longer {LONGER} --code` writes the source as it is preferred for longer loops, all its nests \
         together. That and the original\nare compiled with `cc {}` and run on a larger input.\n\nThe output is that of the \
         original to the last digit (`%.17g` of a sum of all results, in most), on both inputs, with one and\ntwo \
         threads; no sum was reassociated. Seconds of the whole program, data set up and checked included: the shortest of \
         {ROUNDS} runs\nin turn, `OMP_WAIT_POLICY=passive`.\n\n",
        FLAGS.join(" ")
    );
    text += "| program | steps | original s | proposed, 1 thread | 2 threads | speed-up, 1 thread | 2 threads |\n";
    text += "|:--|:--|--:|--:|--:|--:|--:|\n";
    for row in rows {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}", line(row));
    }
    let mean = |threads: usize| {
        let logarithms = rows.iter().map(|row| (row.seconds[0] / row.seconds[threads]).ln());
        (logarithms.sum::<f64>() / rows.len().max(1) as f64).exp()
    };
    // As above.
    let _ = writeln!(
        text,
        "\nGeometric mean of the speed-ups: {:.2} with one thread, {:.2} with two.",
        mean(1),
        mean(2)
    );
    text
}
