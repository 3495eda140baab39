//! Kernels against the table of what is true about their loops.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use kernels::{Blocking, Distance, Kernel, Level, LoopTruth, Need, Processor};
use serde_json::Value;

const LOOPWRIGHT: &str = env!("CARGO_BIN_EXE_loopwright");

/// Kernel, processor, level, what a difference begins with.
pub type Difference = (&'static str, Processor, Level, &'static str);

/// Where the compiled programs differ, or more is said to depend than does (never less).
pub const DIFFERENT: &[Difference] = &[
    // The loop is turned: a row's 0 is stored at the end of the iteration before.
    ("correlation", Processor::Aarch64, Level::O2, "@t (correlate:27)"),
    // The loop that the table has as unrolled is not.
    ("chunked_lu", Processor::Riscv64, Level::O3, "@j (update:30)"),
    // The pointer goes through memcpy, which hands it back; in the first iteration the dynamic linker does, by way of the stack. (On this
    // processor where the compiler does without AVX-512.)
    ("tensor_product", Processor::Native, Level::O3, "@q (contract:13)"),
    ("tensor_product", Processor::Aarch64, Level::O2, "@q (contract:13)"),
    ("tensor_product", Processor::Aarch64, Level::O3, "@q (contract:13)"),
    ("tensor_product", Processor::Riscv64, Level::O2, "@q (contract:13)"),
    ("tensor_product", Processor::Riscv64, Level::O3, "@q (contract:13)"),
    // Counters that are kept on the stack, or change by other instructions on different ways, are not recognised.
    ("blocked_product", Processor::Aarch64, Level::O3, "@ii (multiply:10)"),
    ("blocked_product", Processor::Aarch64, Level::O3, "@kk (multiply:11)"),
    ("lu", Processor::Aarch64, Level::O3, "@i (eliminate:10)"),
    ("blocked_product", Processor::Riscv64, Level::O2, "@jj (multiply:12)"),
    ("blocked_product", Processor::Riscv64, Level::O2, "@i (multiply:13)"),
    // The row of sums has no name in the debug information there.
    ("tensor_product", Processor::Riscv64, Level::O2, "@r (contract:12)"),
];

/// Compiles a kernel for a processor, records it and compares the report with the table: what differs that is not known to.
pub fn check_level(
    kernel: &Kernel,
    lines: &BTreeMap<String, u32>,
    (processor, level): (Processor, Level),
    directory: &Path,
) -> Vec<String> {
    let is_known = |difference: &String| {
        let mut known = DIFFERENT.iter().filter(|d| (d.0, d.1, d.2) == (kernel.name(), processor, level));
        known.any(|d| difference.starts_with(d.3))
    };
    let mut differences = all_differences(kernel, lines, (processor, level), directory);
    differences.retain(|difference| !is_known(difference));
    differences
}

fn all_differences(
    kernel: &Kernel,
    lines: &BTreeMap<String, u32>,
    (processor, level): (Processor, Level),
    directory: &Path,
) -> Vec<String> {
    let program =
        kernels::compile_for(kernel, processor, level, directory).unwrap_or_else(|error| panic!("{error}"));
    let native = alone(processor, &program.path).args(&kernel.arguments).output().unwrap();
    let profile = program.path.with_extension(format!("{level:?}.lwp"));
    let recorded = Command::new(LOOPWRIGHT)
        .args(["profile", "--quiet", "-o"])
        .arg(&profile)
        .arg("--")
        .arg(&program.path)
        .args(&kernel.arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let mut out = Vec::new();
    if recorded.status.code() != native.status.code() {
        let said = String::from_utf8_lossy(&recorded.stderr);
        out.push(format!("exit {}, alone {}; {}", recorded.status, native.status, said.trim()));
    }
    if recorded.stdout != native.stdout {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        out.push(format!("output {:?}, alone {:?}", text(&recorded.stdout), text(&native.stdout)));
    }
    if !recorded.stderr.is_empty() && out.is_empty() {
        out.push(format!("--quiet, but: {}", String::from_utf8_lossy(&recorded.stderr).trim()));
    }
    let report =
        Command::new(LOOPWRIGHT).arg("report").arg(&profile).args(["--format", "json"]).output().unwrap();
    let report: Value = match serde_json::from_slice(&report.stdout) {
        Ok(report) => report,
        Err(error) => {
            out.push(format!("no report ({error}): {}", String::from_utf8_lossy(&report.stderr).trim()));
            return out;
        }
    };
    let loops = report["loops"].as_array().unwrap();
    for truth in &kernel.loops {
        out.extend(check_loop(truth, kernel, lines[truth.marker(level)], level, loops));
    }
    out.extend(check_permutable(kernel, lines, level, loops, &report["nests"]));
    out
}

/// A program without Loopwright.
fn alone(processor: Processor, program: &Path) -> Command {
    let Some((emulator, libraries)) = processor.emulator() else { return Command::new(program) };
    let mut command = Command::new(emulator);
    command.arg("-L").arg(libraries).arg(program);
    command
}

/// The entries of the report for the loop statement on a line.
fn entries<'a>(loops: &'a [Value], source: &str, line: u32) -> Vec<&'a Value> {
    loops
        .iter()
        .filter(|l| {
            l["line"] == line && l["file"].as_str().is_some_and(|f| f.rsplit('/').next() == Some(source))
        })
        .collect()
}

fn check_loop(truth: &LoopTruth, kernel: &Kernel, line: u32, level: Level, loops: &[Value]) -> Vec<String> {
    let found = entries(loops, &kernel.source, line);
    let what = format!("@{} ({}:{line})", truth.at, truth.function);
    let Some(expected) = truth.at_level(level) else {
        return found.iter().map(|_| format!("{what} is there, against the table's `absent`")).collect();
    };
    if found.is_empty() {
        let near: Vec<&str> = loops
            .iter()
            .filter(|l| l["file"].as_str().is_some_and(|f| f.ends_with(&kernel.source)))
            .filter_map(|l| l["id"].as_str())
            .collect();
        return vec![format!("{what} is not in the report; of this file it has {}", near.join(", "))];
    }
    let mut out = Vec::new();
    for entry in found {
        let id = entry["id"].as_str().unwrap_or("?");
        if !entry["function"].as_str().is_some_and(|f| f.contains(&truth.function)) {
            out.push(format!("{what}: {id} is said to be in {}", entry["function"]));
        }
        if entry["parallel"] != expected.parallel.name() {
            out.push(format!(
                "{what}: {id} is {}, should be {}{}",
                entry["parallel"].as_str().unwrap_or("?"),
                expected.parallel.name(),
                evidence(entry)
            ));
            continue;
        }
        for name in &expected.privatise {
            if !entry["privatise"].as_array().unwrap().iter().any(|n| n == name) {
                out.push(format!("{what}: {id} should privatise {name}, has {}", entry["privatise"]));
            }
        }
        for blocking in &expected.blocking {
            if !entry["blocking"].as_array().unwrap().iter().any(|b| is_blocking(b, blocking)) {
                out.push(format!("{what}: {id} should be blocked by {}{}", shown(blocking), evidence(entry)));
            }
        }
        if let Some(class) = &expected.class
            && entry["class"] != class.as_str()
        {
            out.push(format!("{what}: {id} should be of class {class}, is of {}", entry["class"]));
        }
        if let Some(needs) = &expected.needs
            && *needs != found_needs(entry)
        {
            out.push(format!("{what}: {id} should need {needs:?}, needs {}", entry["needs"]));
        }
        if let Some(lanes) = expected.lanes
            && entry["simd_lanes"] != lanes
        {
            out.push(format!("{what}: {id} should have {lanes} lanes, has {}", entry["simd_lanes"]));
        }
        if let Some(operator) = &expected.operator
            && !entry["reductions"].as_array().unwrap().iter().any(|r| r["operator"] == operator.as_str())
        {
            out.push(format!(
                "{what}: {id} should be a reduction by {operator}, has {}",
                entry["reductions"]
            ));
        }
    }
    out
}

fn found_needs(entry: &Value) -> Vec<Need> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let need = |n: &Value| Need {
        variable: text(&n["variable"]),
        way: text(&n["way"]),
        bytes: n["bytes"].as_u64().unwrap(),
    };
    entry["needs"].as_array().unwrap().iter().map(need).collect()
}

/// Whether a reported dependence is the expected one. Loops around the kernel function come first in a distance vector.
fn is_blocking(found: &Value, expected: &Blocking) -> bool {
    let same =
        |found: &Value, expected: &Option<String>| expected.as_ref().is_none_or(|e| found == e.as_str());
    let distance = expected.distance.as_ref().is_none_or(|expected| {
        let found = found["distance"].as_array().unwrap();
        let component = |(found, expected): (&Value, &Distance)| match expected {
            Distance::Known(number) => found == number,
            Distance::Varies(star) => found == star.as_str(),
        };
        found.len() >= expected.len() && found.iter().rev().zip(expected.iter().rev()).all(component)
    });
    found["kind"] == expected.kind.as_str()
        && distance
        && same(&found["via"], &expected.via)
        && same(&found["object"]["name"], &expected.object)
}

fn shown(blocking: &Blocking) -> String {
    let mut text = blocking.kind.clone();
    if let Some(via) = &blocking.via {
        write!(text, " via {via}").unwrap();
    }
    if let Some(distance) = &blocking.distance {
        let components: Vec<String> = distance
            .iter()
            .map(|d| match d {
                Distance::Known(number) => number.to_string(),
                Distance::Varies(star) => star.clone(),
            })
            .collect();
        write!(text, " distance ({})", components.join(", ")).unwrap();
    }
    if let Some(object) = &blocking.object {
        write!(text, " on {object}").unwrap();
    }
    text
}

/// What the report gives as its reasons.
fn evidence(entry: &Value) -> String {
    let mut text = String::new();
    for b in entry["blocking"].as_array().unwrap().iter().take(4) {
        let (kind, via, distance, count) = (&b["kind"], &b["via"], &b["distance"], &b["count"]);
        let (source, sink) = (&b["source"]["line"], &b["sink"]["line"]);
        let object = b["object"]["name"].as_str().unwrap_or("-");
        let line = format!(
            "{kind} via {via}, distance {distance}, line {source} to {sink}, {object}, {count} times"
        );
        write!(text, "\n      {}", line.replace('"', "")).unwrap();
    }
    if entry["privatise"].as_array().is_some_and(|p| !p.is_empty()) {
        write!(text, "\n      privatise {}", entry["privatise"]).unwrap();
    }
    if entry["reductions"].as_array().is_some_and(|p| !p.is_empty()) {
        write!(text, "\n      reductions {}", entry["reductions"]).unwrap();
    }
    text
}

/// The loops of every permutable group that are there lie in one band of one nest.
fn check_permutable(
    kernel: &Kernel,
    lines: &BTreeMap<String, u32>,
    level: Level,
    loops: &[Value],
    nests: &Value,
) -> Vec<String> {
    let bands: Vec<&Value> =
        nests.as_array().unwrap().iter().flat_map(|n| n["permutable"].as_array().unwrap()).collect();
    let mut out = Vec::new();
    for group in &kernel.permutable {
        let ids: Vec<Vec<&str>> = group
            .iter()
            .filter_map(|at| kernel.loops.iter().find(|l| l.at == *at))
            .filter(|truth| truth.at_level(level).is_some())
            .map(|truth| entries(loops, &kernel.source, lines[truth.marker(level)]))
            .map(|found| found.iter().filter_map(|l| l["id"].as_str()).collect())
            .collect();
        let together = bands.iter().any(|band| {
            let band = band.as_array().unwrap();
            ids.iter().all(|names| band.iter().any(|b| names.iter().any(|name| b == name)))
        });
        if !together && ids.len() > 1 {
            let bands: Vec<String> = bands.iter().map(|b| b.to_string()).collect();
            out.push(format!("@{} should be permutable; bands are {}", group.join(", @"), bands.join(" ")));
        }
    }
    out
}
