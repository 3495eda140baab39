//! Verdicts beside the dependences that Polly finds in the source.
//!
//! Polly models a function of a kernel if its bounds, conditions and addresses are affine in its view. Its dependences hold for
//! every input; verdicts hold for the run. So a loop that carries nothing for Polly must be `yes`; where Polly has something
//! carried, a verdict may be better than that, which is listed.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use kernels::{Kernel, Level};
use serde_json::Value;

use crate::ci;
use crate::product::Loopwright;

/// Where the table goes.
const DOCUMENT: &str = "docs/polly.md";
/// What turns clang's output into loops that Polly recognises, without changing what loops there are.
const SIMPLIFY: &str = "-passes=function(sroa,early-cse,instcombine,simplifycfg),cgscc(inline),function(sroa,instcombine,\
    simplifycfg,tailcallelim,reassociate,loop-simplify,loop-rotate,lcssa,indvars,instcombine)";

/// A loop of a function: its depth from 1, and what is said of it.
#[derive(Debug)]
struct Loop {
    depth: u64,
    said: String,
}

/// Compares all kernels in C.
pub fn run() -> Result<()> {
    ci::python()?;
    let loopwright = Loopwright::optimised()?;
    let mut out = String::from(
        "# Verdicts beside Polly\n\nWritten by `cargo xtask compare-polly` (clang-19, opt-19); do not edit. Loops of the functions of \
         `kernels/` that Polly models: the kinds of dependences that a loop carries for Polly, for every input, beside the \
         verdict at -O2 on one run.\n\n| kernel | function | loop | Polly: carried | verdict | |\n|---|---|---|---|---|---|\n",
    );
    let (mut loops, mut wrong, mut skipped) = (0, 0, String::new());
    for kernel in kernels::load()?.iter().filter(|kernel| kernel.source.ends_with(".c")) {
        let directory = tempfile::tempdir()?;
        let modelled = modelled(kernel, directory.path())?;
        if modelled.is_empty() {
            continue;
        }
        let report = report(&loopwright, kernel, directory.path())?;
        for (function, theirs) in modelled {
            let ours = of_function(&report, &function);
            let depths = |loops: &[Loop]| loops.iter().map(|l| l.depth).collect::<Vec<_>>();
            if depths(&theirs) != depths(&ours) {
                writeln!(
                    skipped,
                    "- {} `{function}`: {} loops in the source, {} in the program.",
                    kernel.name(),
                    theirs.len(),
                    ours.len()
                )?;
                continue;
            }
            for (at, (theirs, ours)) in theirs.iter().zip(&ours).enumerate() {
                let note = match (theirs.said.is_empty(), ours.said.as_str()) {
                    (true, "yes") | (false, "no" | "reduction" | "after-privatisation") => "agree",
                    (false, "yes") => "not in this run",
                    _ => "DIFFER",
                };
                loops += 1;
                wrong += usize::from(note == "DIFFER");
                let carried = if theirs.said.is_empty() { "-" } else { &theirs.said };
                let name = kernel.name();
                writeln!(out, "| {name} | {function} | {} | {carried} | {} | {note} |", at + 1, ours.said)?;
            }
        }
    }
    writeln!(out, "\n{loops} loops; {wrong} differ.")?;
    if !skipped.is_empty() {
        writeln!(out, "\nNot compared, since the compiler made other loops of them:\n\n{skipped}")?;
    }
    print!("{out}");
    std::fs::write(ci::root().join(DOCUMENT), out).context(DOCUMENT)?;
    if wrong > 0 {
        bail!("{wrong} verdicts contradict Polly's dependences");
    }
    Ok(())
}

fn run_checked(command: &mut Command) -> Result<Vec<u8>> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .with_context(|| format!("{name} cannot be run: apt-get install clang-19 llvm-19"))?;
    if !output.status.success() {
        bail!("{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok([output.stdout, output.stderr].concat())
}

/// The functions of a kernel with one region that Polly models, with the loops of that region.
fn modelled(kernel: &Kernel, directory: &Path) -> Result<Vec<(String, Vec<Loop>)>> {
    let (raw, simple) = (directory.join("raw.ll"), directory.join("simple.ll"));
    let mut clang = Command::new("clang-19");
    clang.args([
        "-O1",
        "-fno-vectorize",
        "-fno-unroll-loops",
        "-Xclang",
        "-disable-llvm-passes",
        "-S",
        "-emit-llvm",
    ]);
    run_checked(clang.arg(kernel.path()).arg("-o").arg(&raw))?;
    run_checked(Command::new("opt-19").args(["-S", SIMPLIFY]).arg(&raw).arg("-o").arg(&simple))?;
    let print = |passes: &str, function: Option<&str>| {
        let mut opt = Command::new("opt-19");
        opt.arg(format!("-passes={passes}")).arg("-disable-output").arg(&simple);
        opt.args(function.map(|name| format!("-polly-only-func={name}")));
        run_checked(&mut opt)
    };
    let all = print("print<polly-function-scops>", None)?;
    let text = String::from_utf8_lossy(&all);
    let named: Vec<&str> = text.lines().filter_map(|l| l.trim().strip_prefix("Function: ")).collect();
    let mut out = Vec::new();
    for &function in named.iter().filter(|&name| named.iter().filter(|other| *other == name).count() == 1) {
        let (scops, dependences) = (directory.join("scops.txt"), directory.join("dependences.txt"));
        std::fs::write(&scops, print("print<polly-function-scops>", Some(function))?)?;
        std::fs::write(&dependences, print("scop(print<polly-dependences>)", Some(function))?)?;
        let mut script = Command::new(ci::target()?.join("python/bin/python"));
        script.env("PYTHONDONTWRITEBYTECODE", "1").arg(ci::root().join("xtask/compare_polly.py"));
        script.arg(&scops).arg(&dependences);
        let output = run_checked(&mut script)?;
        let loops: Vec<Value> = serde_json::from_slice(&output).context("loops of a region")?;
        let carried = |l: &Value| -> Vec<String> {
            l["carried"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|k| k.as_str().map(str::to_owned))
                .collect()
        };
        let loops = loops
            .iter()
            .map(|l| Loop { depth: l["depth"].as_u64().unwrap_or(0), said: carried(l).join(" ") });
        out.push((function.to_owned(), loops.collect()));
    }
    Ok(out)
}

/// The report on a kernel at -O2.
fn report(loopwright: &Loopwright, kernel: &Kernel, directory: &Path) -> Result<Value> {
    let program = kernels::compile(kernel, Level::O2, directory)?;
    let profile = directory.join("p.lwp");
    loopwright.profile(&[], &program.path, &kernel.arguments, &profile)?;
    loopwright.report(&profile, &[])
}

/// The loops of a function in the order of the source.
fn of_function(report: &Value, function: &str) -> Vec<Loop> {
    let all: Vec<&Value> = report["loops"].as_array().into_iter().flatten().collect();
    let of: Vec<&&Value> = all.iter().filter(|l| l["function"] == function && l["main"] == true).collect();
    let mut out: Vec<(u64, Loop)> = of
        .iter()
        .map(|l| {
            let own = l["depth"].as_u64().unwrap_or(0);
            let least = of.iter().filter_map(|l| l["depth"].as_u64()).min().unwrap_or(0);
            let said = l["parallel"].as_str().unwrap_or_default().to_owned();
            (l["line"].as_u64().unwrap_or(0), Loop { depth: 1 + own - least, said })
        })
        .collect();
    out.sort_by_key(|(line, l)| (*line, l.depth));
    out.into_iter().map(|(_, l)| l).collect()
}
