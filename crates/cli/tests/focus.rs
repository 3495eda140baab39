//! `--focus`: the loops that do the work are found by a first pass and recorded alone, with the verdicts of a whole recording.

use crate::support;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use support::Place;

/// Reads numbers, works on them in steps, in a function that returns out of its loop, and by recursion; prints all.
const SOURCE: &str = r#"#include <stdio.h>
#include <stdlib.h>
#define N 3000
static double a[N], b[N]; static int found;
static long fib(int n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
__attribute__((noinline)) static int first_above(double limit) {
  for (int i = 0; i < 40 * N; i++)
    if (a[i % N] + i * 1e-5 > limit) return i;
  return -1;
}
int main(int c, char **v) {
  FILE *in = fopen(v[1], "r");
  for (int i = 0; i < N; i++)
    if (fscanf(in, "%lf", &a[i]) != 1) return 1;
  for (int t = 0; t < 12; t++) {
    for (int i = 1; i < N - 1; i++)
      b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
    for (int i = 1; i < N - 1; i++)
      a[i] = b[i];
  }
  for (int k = 0; k < 3; k++)
    found += first_above(1.5 + 0.1 * k);
  long f = fib(17);
  for (int i = 0; i < N; i++)
    printf("%.3f\n", a[i]);
  printf("%d %ld\n", found, f);
  return 0;
}
"#;

fn program(place: &Place, level: &str) -> PathBuf {
    fs::write(place.path("focus.c"), SOURCE).unwrap();
    let mut numbers = String::new();
    (0..3000).for_each(|i| writeln!(numbers, "{}.{}", i % 2, i * 37 % 1000).unwrap());
    fs::write(place.path("numbers"), numbers).unwrap();
    let program = place.path("focus");
    let done = Command::new("gcc")
        .args(["-g", level, "-w", "-o"])
        .arg(&program)
        .arg(place.path("focus.c"))
        .status()
        .unwrap();
    assert!(done.success());
    program
}

fn profile(place: &Place, options: &[&str]) -> (Value, String) {
    let mut command = place.loopwright();
    command.args(["profile", "--force", "-o", "p.lwp"]).args(options).args(["--", "./focus", "numbers"]);
    let run = command.output().unwrap();
    let native = Command::new(place.path("focus")).arg(place.path("numbers")).output().unwrap();
    assert!(run.status.success() && run.stdout == native.stdout, "{run:?}");
    let report = place.loopwright().args(["report", "-q", "--format", "json", "p.lwp"]).output().unwrap();
    (serde_json::from_slice(&report.stdout).unwrap(), String::from_utf8_lossy(&run.stderr).into_owned())
}

fn said(report: &Value) -> Vec<(u64, String)> {
    let all = report["loops"].as_array().unwrap().iter();
    let own = all.filter(|own| own["file"].as_str().is_some_and(|file| file.ends_with("focus.c")));
    own.map(|own| (own["line"].as_u64().unwrap(), own["parallel"].as_str().unwrap().to_owned())).collect()
}

/// What is recorded is the steps, the search and the recursion; what is said of the loops in them is what a whole recording says, and their shares
/// are those of the whole run. Reading and printing is left out.
#[test]
fn the_loops_that_do_the_work() {
    for level in ["-O0", "-O1", "-O2"] {
        let place = Place::new();
        program(&place, level);
        // The first pass counts what functions of libraries really run.
        let (whole, _) = profile(&place, &["--record-libraries"]);
        let (part, text) = profile(&place, &["--focus"]);
        assert!(text.contains("what is recorded: ") && text.contains("focus.c:17"), "{level}: {text}");
        let (all, some) = (said(&whole), said(&part));
        assert!(some.iter().all(|own| all.contains(own)), "{level}: {some:?} of {all:?}");
        let lines: Vec<u64> = some.iter().map(|own| own.0).collect();
        assert!(lines.contains(&17) && lines.contains(&18), "{level}: {lines:?}");
        assert!(!lines.contains(&15) && !lines.contains(&26), "{level}: {lines:?}");
        let share = |report: &Value| {
            let all = report["loops"].as_array().unwrap();
            all.iter().find(|own| own["line"] == 17).unwrap()["ops_fraction"].as_f64().unwrap()
        };
        let (of_all, of_part) = (share(&whole), share(&part));
        assert!((of_all - of_part).abs() < 0.1 * of_all, "{level}: {of_all} {of_part}");
        let untracked = part["trust"]["untracked"].to_string();
        assert!(untracked.contains("--focus"), "{untracked}");
    }
}

/// A program of which no loop stands out is recorded whole, and standard input is there twice.
#[test]
fn nothing_to_focus_on() {
    let place = Place::new();
    fs::write(place.path("focus.c"), "#include <stdio.h>\nint main(void) { int x = 0; while (scanf(\"%d\", &x) == 1) printf(\"%d\\n\", x + 1); return 0; }\n").unwrap();
    let done = Command::new("gcc")
        .args(["-g", "-o"])
        .arg(place.path("focus"))
        .arg(place.path("focus.c"))
        .status()
        .unwrap();
    assert!(done.success());
    let script = "seq 5 | \"$L\" profile --focus -o p.lwp -- ./focus";
    let mut command = Command::new("bash");
    let run = command
        .args(["-c", script])
        .current_dir(place.directory())
        .env("L", support::LOOPWRIGHT)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stdout), "2\n3\n4\n5\n6\n", "{run:?}");
}

/// Regressions: iterations that the compiler had put beside a loop were not recorded, and the loop was called parallel.
#[test]
fn iterations_beside_the_loop_count() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels/adversarial");
    for (name, level) in
        [("beside_calls", "-O2"), ("last_iterations", "-O2"), ("last_iterations", "-O3"), ("pieces", "-O2")]
    {
        let place = Place::new();
        let file = directory.join(format!("{name}.c"));
        let mut build = Command::new("gcc");
        build
            .args(["-g", "-w", level, "-I"])
            .arg(&directory)
            .arg("-o")
            .arg(place.path("focus"))
            .arg(&file)
            .arg("-lm");
        assert!(build.status().unwrap().success());
        let (whole, _) = profile(&place, &[]);
        let (part, text) = profile(&place, &["--focus"]);
        assert!(text.contains("what is recorded: "), "{name} {level}: {text}");
        let of = |report: &Value, line: u64| -> Vec<String> {
            let all = report["loops"].as_array().unwrap().iter().filter(|own| own["line"] == line);
            all.map(|own| own["parallel"].as_str().unwrap().to_owned()).collect()
        };
        for own in part["loops"].as_array().unwrap() {
            let is_claim = |said: &String| said == "yes" || said == "reduction";
            let line = own["line"].as_u64().unwrap_or(0);
            let is_right = of(&whole, line).iter().any(is_claim) || !of(&part, line).iter().any(is_claim);
            assert!(
                line == 0 || is_right,
                "{name} {level} line {line}: {:?} {:?}",
                of(&whole, line),
                of(&part, line)
            );
        }
    }
}

/// What jumps out of functions, catches or handles signals is recorded whole.
#[test]
fn what_cannot_be_told_apart_is_recorded_whole() {
    for (name, source, compiler) in [
        (
            "focus.cpp",
            "#include <cstdio>\nstatic double x[900];\nint main() { for (int i = 1; i < 900; i++) { try { if (i % 90 == 0) throw i; x[i] = x[i-1] * 0.25 + 2; } catch (int) { x[i] = 1; } } std::printf(\"%g\\n\", x[899]); }\n",
            "g++",
        ),
        (
            "focus.c",
            "#include <stdio.h>\n#include <signal.h>\nstatic volatile long n; static double x[900];\nstatic void h(int s) { n++; }\nint main(void) { signal(SIGUSR1, h); for (int i = 1; i < 900; i++) { x[i] = x[i-1] * 0.25 + 2; if (i == 77) raise(SIGUSR1); } printf(\"%g %ld\\n\", x[899], n); }\n",
            "gcc",
        ),
    ] {
        let place = Place::new();
        fs::write(place.path(name), source).unwrap();
        let done = Command::new(compiler)
            .args(["-g", "-O0", "-o"])
            .arg(place.path("focus"))
            .arg(place.path(name))
            .status()
            .unwrap();
        assert!(done.success());
        let (report, text) = profile(&place, &["--focus"]);
        assert!(text.contains("all of it is recorded"), "{name}: {text}");
        let own = report["loops"]
            .as_array()
            .unwrap()
            .iter()
            .find(|own| own["file"].as_str().is_some_and(|file| file.ends_with(name)))
            .unwrap();
        assert_eq!((own["parallel"].as_str(), own["iterations"].as_u64()), (Some("no"), Some(899)), "{name}");
    }
}
