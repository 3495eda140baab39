//! The polyhedral program that is exported, against isl (through islpy): folded flow dependences are those of isl's
//! data-flow analysis of the exported accesses and schedule. `cargo xtask python` installs islpy.

use std::path::{Path, PathBuf};
use std::process::Command;

use kernels::{Kernel, Level};
use serde_json::Value;

const LOOPWRIGHT: &str = env!("CARGO_BIN_EXE_loopwright");

/// Kernels all of whose addresses are affine, with the function to look at.
const AFFINE: &[(&str, &str)] = &[
    ("matmul_ikj", "multiply"),
    ("matmul_ijk", "multiply"),
    ("jacobi", "relax"),
    ("prefix_sum", "scan"),
    ("triangular_solve", "solve"),
    ("floyd_warshall", "assign"),
    ("needle", "align"),
    ("scratch_row", "mirror"),
    ("dot", "dot"),
    ("spmv", "product"),
];

/// The Python with islpy, which leaves nothing beside the scripts.
fn python() -> Command {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let python = target.join("python/bin/python");
    assert!(python.is_file(), "{} is missing: run cargo xtask python", python.display());
    let mut command = Command::new(python);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

/// The profile of a kernel at a level.
fn profile(kernel: &Kernel, level: Level, directory: &Path) -> PathBuf {
    let program = kernels::compile(kernel, level, directory).unwrap_or_else(|error| panic!("{error}"));
    let profile = program.path.with_extension("lwp");
    let mut command = Command::new(LOOPWRIGHT);
    command.args(["profile", "--quiet", "-o"]).arg(&profile).arg("--").arg(&program.path);
    assert!(command.args(&kernel.arguments).output().unwrap().status.success());
    profile
}

fn report(profile: &Path, args: &[&str]) -> String {
    let output = Command::new(LOOPWRIGHT).arg("report").arg(profile).args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn flow_dependences_are_those_of_isl() {
    let table = kernels::load().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut differences = String::new();
    for (place, (name, function)) in AFFINE.iter().enumerate() {
        let kernel = table.iter().find(|k| k.name() == *name).unwrap();
        let levels = Level::ALL.into_iter().enumerate().filter(|(at, _)| kernels::is_taken(at + place, 2));
        for (_, level) in levels {
            if (*name, level) == ("needle", Level::O0) {
                continue; // Several minutes in isl: forty statements in ten pieces each.
            }
            let text = report(
                &profile(kernel, level, directory.path()),
                &["--format", "isl", "--function", function],
            );
            let file = directory.path().join("program.isl");
            std::fs::write(&file, text).unwrap();
            let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data_flow.py");
            let output = python().arg(script).arg(&file).output().unwrap();
            if !output.status.success() {
                let text = [output.stdout, output.stderr].concat();
                differences += &format!("{name} {level}: {}\n", String::from_utf8_lossy(&text));
            }
        }
    }
    assert!(differences.is_empty(), "\n{differences}");
}

/// Verdicts agree with the memory dependences that isl computes: what is parallel carries no flow for isl, what isl finds to
/// carry flow is not parallel, and where isl finds nothing it is a register that blocks.
#[test]
fn verdicts_agree_with_isl() {
    let table = kernels::load().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for (name, function) in AFFINE {
        let kernel = table.iter().find(|k| k.name() == *name).unwrap();
        let profile = profile(kernel, Level::O2, directory.path());
        let file = directory.path().join("program.isl");
        std::fs::write(&file, report(&profile, &["--format", "isl", "--function", function])).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/loops.py");
        let output = python().arg(script).arg(&file).output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let theirs: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        let json: Value = serde_json::from_str(&report(&profile, &["--format", "json"])).unwrap();
        let all = json["loops"].as_array().unwrap();
        let ours: Vec<&Value> =
            all.iter().filter(|l| l["function"] == *function && l["main"] == true).collect();
        let least = ours.iter().filter_map(|l| l["depth"].as_u64()).min().unwrap_or(0);
        let depths: Vec<u64> = ours.iter().map(|l| 1 + l["depth"].as_u64().unwrap() - least).collect();
        // Loops around the call of the function come first there.
        let around = theirs.len().saturating_sub(ours.len());
        let their_depths = theirs[around..].iter().map(|l| l["depth"].as_u64().unwrap() - around as u64);
        // What the compiler split, or what is called twice, is one loop here and several there.
        if depths != their_depths.collect::<Vec<_>>() {
            continue;
        }
        for (theirs, ours) in theirs[around..].iter().zip(ours) {
            let carries = |kind: &str| theirs["carried"].as_array().unwrap().iter().any(|k| k == kind);
            let verdict = ours["parallel"].as_str().unwrap();
            let by_register = || ours["blocking"].as_array().unwrap().iter().any(|b| b["via"] == "register");
            let nothing = theirs["carried"].as_array().unwrap().is_empty();
            let agrees = match verdict {
                "yes" => !carries("flow"),
                "no" => !nothing || by_register(),
                _ => true,
            };
            assert!(agrees, "{name}: {theirs} beside {ours:#}");
            compared += 1;
        }
    }
    assert!(compared >= 15, "only {compared} loops could be compared");
}

/// Regression 1: rows written before the local variables were counted were too short.
#[test]
fn openscop_has_the_rows_and_columns_it_announces() {
    let table = kernels::load().unwrap();
    let directory = tempfile::tempdir().unwrap();
    for (name, level) in [("jacobi", Level::O3), ("needle", Level::O3), ("spmv", Level::O0)] {
        let kernel = table.iter().find(|k| k.name() == name).unwrap();
        let text = report(&profile(kernel, level, directory.path()), &["--format", "openscop"]);
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut relations = 0;
        while let Some(line) = lines.next() {
            if !["DOMAIN", "SCATTERING", "READ", "WRITE"].contains(&line) {
                continue;
            }
            let numbers = |line: &str| -> Vec<i64> {
                line.split_whitespace()
                    .map(|n| n.parse().unwrap_or_else(|_| panic!("{name}: {line}")))
                    .collect()
            };
            let mut header = numbers(lines.next().unwrap());
            let parts = if header.len() == 1 { header[0] } else { 1 };
            for part in 0..parts {
                if part > 0 || header.len() == 1 {
                    header = numbers(lines.next().unwrap());
                }
                let [rows, columns, outputs, inputs, locals, parameters] = header[..] else {
                    panic!("{name} {level}: {header:?}");
                };
                assert_eq!(columns, 2 + outputs + inputs + locals + parameters);
                for _ in 0..rows {
                    assert_eq!(numbers(lines.next().unwrap()).len() as i64, columns, "{name} {level}");
                }
                relations += 1;
            }
        }
        assert!(relations > 100 && text.ends_with("</OpenScop>\n"), "{name} {level}: {relations}");
    }
}
