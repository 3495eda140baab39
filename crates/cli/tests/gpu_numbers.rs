//! `loopwright gpu` with a profile or with values: numbers in place of inputs, what contradicts them, and profiles that do not fit.

use crate::gpu_support as support;

use kernels::Level;
use serde_json::Value;
use support::{analysed, gpu, profile, profile_of, record, said};

/// The JSON report.
fn json(place: &tempfile::TempDir, file: &std::path::Path, args: &[&str]) -> Value {
    let all: Vec<&str> = args.iter().copied().chain(["--format", "json"]).collect();
    let (code, shown, error) = said(&gpu(place, file, &all));
    assert_eq!(code, Some(0), "{error}");
    serde_json::from_str(&shown).unwrap()
}

/// Equations of the loops of a run give its inputs, and these give numbers beside expressions.
#[test]
fn a_run_gives_inputs_their_values() {
    let place = tempfile::tempdir().unwrap();
    let (source, file) = profile(&place, "jacobi");
    let args = ["--function", "relax", "--profile", file.to_str().unwrap()];
    let (code, shown, _) = said(&gpu(&place, &source, &args));
    assert_eq!(code, Some(0));
    for part in [
        "from the run: n is 40, as the loops of lines 11, 12, 14, 15 go on 38 times",
        "in and out, array: b [8*n + 8, 8*n^2 - 8*n - 8) = [328, 12472) (from run:",
        "threads: 1444 in 76 warps",
        "copies: 24928 bytes in, 12144 bytes out, at least",
    ] {
        assert!(shown.contains(part), "{part:?} is missing in:\n{shown}");
    }
    let report = json(&place, &source, &args);
    let of_n = &report["functions"][0]["values"][0];
    assert_eq!((&of_n["name"], &of_n["values"]), (&"n".into(), &serde_json::json!(["40"])));
    let nest = report["loops"].as_array().unwrap().iter().find(|nest| nest["line"] == 11).unwrap();
    let out =
        nest["parameters"].as_array().unwrap().iter().find(|parameter| parameter["name"] == "b").unwrap();
    assert_eq!((&out["hi"]["expr"], &out["hi"]["value"]), (&"8*n^2 - 8*n - 8".into(), &12472.into()));
    let estimate = &nest["estimate"];
    assert_eq!(estimate["threads"]["expr"], "n^2 - 4*n + 4");
    assert_eq!(estimate["operations"]["double"]["most"]["value"], 4);
    // 64 GB a second each way.
    let seconds = estimate["seconds"]["transfer"].as_f64().unwrap();
    assert!((seconds * 64e9 - 37072.0).abs() < 1e-3, "{seconds}");
}

/// Whatever a compiler does to loops, no input gets a value that it did not have.
#[test]
fn values_are_those_of_the_run_at_every_level() {
    let place = tempfile::tempdir().unwrap();
    let mut found = 0;
    for (kernel, function, inputs) in [
        ("jacobi", "relax", &[("n", 40), ("steps", 8)][..]),
        ("matmul_ijk", "multiply", &[("n", 32)]),
        ("matmul_ikj", "multiply", &[("n", 32)]),
        ("dot", "dot", &[("n", 4000)]),
        ("rank_update", "update", &[("n", 30), ("m", 34)]),
        ("sweeps", "relax", &[("n", 50), ("steps", 100)]),
    ] {
        for level in [Level::O0, Level::O2, Level::O3] {
            let (source, file) = profile_of(&place, kernel, level);
            let report =
                json(&place, &source, &["--function", function, "--profile", file.to_str().unwrap()]);
            for value in report["functions"][0]["values"].as_array().unwrap() {
                let input = inputs.iter().find(|(name, _)| value["name"] == *name).unwrap();
                let numbers: Vec<&str> = value["values"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|number| number.as_str().unwrap())
                    .collect();
                assert!(numbers.contains(&input.1.to_string().as_str()), "{kernel}: {value}");
                found += 1;
            }
        }
    }
    // All at -O0 and -O2 at least.
    assert!(found >= 18, "{found}");
}

#[test]
fn what_contradicts_a_run_is_named() {
    let place = tempfile::tempdir().unwrap();
    let (source, file) = profile(&place, "matmul_ijk");
    let args = ["--function", "multiply", "--set", "n=31", "--profile", file.to_str().unwrap()];
    let (code, shown, _) = said(&gpu(&place, &source, &args));
    assert_eq!(code, Some(0));
    let expected = "contradiction: n is given as 31, but the loop of line 11 goes on 32 times in the run, and that is n: \
                    n would have to be 32";
    assert!(shown.contains(expected) && shown.contains("from run: n is 31"), "{shown}");
}

#[test]
fn profiles_that_do_not_fit_are_named() {
    let place = tempfile::tempdir().unwrap();
    let (source, file) = profile(&place, "jacobi");
    let complaint = |source: &std::path::Path, file: &str| {
        let (code, _, error) = said(&gpu(&place, source, &["--profile", file]));
        (code, error)
    };
    let (code, error) = complaint(&source, "missing.lwp");
    assert!(code == Some(2) && error.contains("missing.lwp: No such file"), "{error}");
    let (code, error) = complaint(&source, source.to_str().unwrap());
    assert!(code == Some(2) && error.contains("not a Loopwright profile"), "{error}");
    let (code, error) = complaint(&analysed("matrix_addition"), file.to_str().unwrap());
    assert!(code == Some(2) && error.contains("it is a profile of another program ("), "{error}");
}

/// A source that has changed since the program was built: with all loops elsewhere, and with one.
#[test]
fn another_version_of_a_source_is_noticed() {
    let place = tempfile::tempdir().unwrap();
    let all = kernels::load().unwrap();
    let kernel = all.iter().find(|kernel| kernel.name() == "jacobi").unwrap();
    let text = std::fs::read_to_string(kernel.path()).unwrap();
    let [source, program, file] = ["own.c", "own", "own.lwp"].map(|name| place.path().join(name));
    std::fs::write(&source, &text).unwrap();
    let mut command = std::process::Command::new("gcc");
    assert!(command.args(["-g", "-O1", "-o"]).arg(&program).arg(&source).status().unwrap().success());
    record(&program, &[], &file);
    let complaint = |text: String| {
        std::fs::write(&source, text).unwrap();
        let (code, _, error) = said(&gpu(&place, &source, &["--profile", file.to_str().unwrap()]));
        (code, error)
    };
    let (code, error) = complaint("\n".repeat(30) + &text);
    assert!(code == Some(2) && error.contains("is of another version of"), "{error}");
    let expected =
        "its loops begin on lines 10, 11, 12, 14, 15, 25 and others, those of the source on lines 40, 41,";
    assert!(error.contains(expected), "{error}");
    let (code, error) = complaint(text.replace("    double check = 0.0;", "\n    double check = 0.0;"));
    assert!(
        code == Some(0) && error.contains("warning:") && error.contains("has loops on line 29 of"),
        "{error}"
    );
    assert_eq!(complaint(text), (Some(0), String::new()));
}

/// A program that was built anew since is another one.
#[test]
fn a_program_built_anew_is_noticed() {
    let place = tempfile::tempdir().unwrap();
    let all = kernels::load().unwrap();
    let kernel = all.iter().find(|kernel| kernel.name() == "dot").unwrap();
    let (program, file) = (place.path().join("dot"), place.path().join("dot.lwp"));
    let build = |level: &str| {
        let mut command = std::process::Command::new("gcc");
        let status =
            command.args(["-g", level, "-Wl,--build-id", "-o"]).arg(&program).arg(kernel.path()).status();
        assert!(status.unwrap().success());
    };
    build("-O1");
    record(&program, &[], &file);
    let complaint = || said(&gpu(&place, &kernel.path(), &["--profile", file.to_str().unwrap()])).2;
    assert_eq!(complaint(), "");
    build("-O0");
    assert!(complaint().contains("was built anew since"), "{}", complaint());
}

const MIXED: &str = "\
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static void mixed(int n, const int *a, int *b, int *c, int *d)
{
    for (int i = 1; i < n; i++) {
        b[i] = a[i] * 3;
        c[i] = c[i - 1] + b[i];
        d[i] = a[i] + 2;
    }
}

__attribute__((noinline)) static void back(int n, const int *a, int *b, int *c)
{
    for (int i = 1; i < n; i++) {
        b[i] = c[i - 1] * 3;
        c[i] = a[i] + 5;
        b[0] += b[i];
    }
}

int main(void)
{
    int n = 300;
    int *a = calloc(n, 4), *b = calloc(n, 4), *c = calloc(n, 4), *d = calloc(n, 4);
    for (int i = 0; i < n; i++)
        a[i] = i % 7;
    mixed(n, a, b, c, d);
    back(n, a, b, c);
    printf(\"%d %d\\n\", d[n - 1], b[0]);
    return 0;
}
";

/// Only some lines of a loop depend on iterations before: the others can run on a device if the loop is split, in the order of lines.
/// Where a line passes something on to one before it, that order does not do.
#[test]
fn a_loop_is_split_where_a_part_of_it_is_free() {
    let place = tempfile::tempdir().unwrap();
    let [source, program, file] = ["mixed.c", "mixed", "mixed.lwp"].map(|name| place.path().join(name));
    std::fs::write(&source, MIXED).unwrap();
    for level in ["-O0", "-O1"] {
        let mut command = std::process::Command::new("gcc");
        assert!(command.args(["-g", level, "-o"]).arg(&program).arg(&source).status().unwrap().success());
        record(&program, &[], &file);
        let of = |function: &str| {
            let args = ["--function", function, "--profile", file.to_str().unwrap()];
            said(&gpu(&place, &source, &args)).1
        };
        // Optimised code hands what line 7 stores on to line 8 in a register.
        let expected = match level {
            "-O0" => {
                "split into loops in this order: line 7 can run on a device; line 8 cannot run on a device; \
                 line 9 can run on a device"
            }
            _ => {
                "split into loops in this order: lines 7, 8 cannot run on a device; line 9 can run on a device"
            }
        };
        assert!(of("mixed").contains(expected), "{level}: {}", of("mixed"));
        assert!(!of("back").contains("split into"), "{level}: {}", of("back"));
        let report = json(&place, &source, &["--function", "mixed", "--profile", file.to_str().unwrap()]);
        let split = &report["loops"][0]["split"];
        let is_first = level == "-O0";
        assert_eq!((&split[0]["friendly"], &split[1]["friendly"]), (&is_first.into(), &(!is_first).into()));
    }
}
