//! `--two-pass` and `--fast`: the program sees what it sees alone, its output appears once, and what is said is right.

use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use kernels::Level;
use serde_json::Value;
use support::{LOOPWRIGHT, Place};

fn kernel(place: &Place, name: &str, level: Level) -> PathBuf {
    let table = kernels::load().unwrap();
    let kernel = table.iter().find(|k| k.name() == name).unwrap();
    kernels::compile(kernel, level, place.directory()).unwrap().path
}

/// Runs a script in which `$L` is the program under test.
fn shell(place: &Place, script: &str) -> Output {
    let mut command = Command::new("bash");
    command.args(["-c", script]).current_dir(place.directory()).env("TMPDIR", place.directory());
    command.env("L", LOOPWRIGHT).stdin(Stdio::null()).output().unwrap()
}

fn reported(place: &Place, profile: &str) -> Value {
    let output = place.loopwright().args(["report", "--format", "json", profile]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Loops of a source file: line and context to what is said of them.
fn said(report: &Value, source: &str, fields: &[&str]) -> BTreeMap<String, Vec<Value>> {
    let of_source = |l: &&Value| {
        l["file"].as_str().is_some_and(|f| Path::new(f).file_name().is_some_and(|f| f == source))
    };
    let loops = report["loops"].as_array().unwrap().iter().filter(of_source);
    loops
        .map(|l| (l["id"].as_str().unwrap().to_owned(), fields.iter().map(|f| l[*f].clone()).collect()))
        .collect()
}

/// Pipes, files, files read from the middle, slow writers, readers that stop early: each pass gets the input from its
/// start, and the output appears once.
#[test]
fn standard_input_is_there_twice() {
    let place = Place::new();
    fs::write(place.path("file"), "first\nsecond\nthird\n").unwrap();
    let long: String = (0..40_000).map(|n| format!("{n}\n")).collect();
    fs::write(place.path("long"), &long).unwrap();
    let p = "$L profile --two-pass -q -o p.lwp --max-instructions 100000 --";
    for (script, expected) in [
        (format!("cat file | {p} cat"), "first\nsecond\nthird\n"),
        (format!("{p} cat < file"), "first\nsecond\nthird\n"),
        (format!("{{ read x; {p} cat; }} < file"), "second\nthird\n"),
        (format!("(echo a; sleep 0.4; echo b) | {p} cat"), "a\nb\n"),
        (format!("cat long | {p} wc -l"), "40000\n"),
        (format!("cat long | {p} head -n 1"), "0\n"),
        (format!("(echo one; sleep 5) | {p} head -n 1"), "one\n"),
        (format!("{p} cat < /dev/null"), ""),
        (format!("{p} sh -c 'cat; echo end' <&-"), "end\n"),
        (format!("cat long | {p} true"), ""),
    ] {
        let output = shell(&place, &script);
        assert_eq!(text(&output.stdout), expected, "{script}: {}", text(&output.stderr));
    }
    let left: Vec<_> = fs::read_dir(place.directory()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

/// The status is that of the second pass, output of both kinds appears once, and a difference is told.
#[test]
fn two_passes_that_differ() {
    let place = Place::new();
    // The second run takes a path that the first did not: another function, recursive, with a loop and a jump table.
    let source = "#include <stdio.h>
static int a[64];
__attribute__((noipa)) int deep(int n) { int s = 0; for (int i = 0; i < 3; i++) s += a[(n + i) & 63]; return n ? s + deep(n - 1) : s; }
__attribute__((noipa)) int pick(int n) { switch (n & 7) { case 0: return 1; case 1: return n; case 2: return 5 - n; case 3: return n * n; case 4: return ~n; case 5: return 9; default: return 0; } }
int main(void) {
  FILE *f = fopen(\"mark\", \"r\"); int second = f != 0;
  if (!f) f = fopen(\"mark\", \"w\");
  fclose(f);
  int s = 0;
  for (int i = 0; i < 50; i++) s += second ? pick(i) + deep(2) : pick(0);
  printf(\"out %d\\n\", s); fprintf(stderr, \"err\\n\");
  return second ? 9 : 4;
}
";
    let program = place.compile("differs", source, &["-O1", "-g"]);
    let output = place
        .loopwright()
        .args(["profile", "--two-pass", "--top", "400", "-o", "p.lwp", "--"])
        .arg(&program)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(9), "{}", text(&output.stderr));
    let errors = text(&output.stderr);
    assert_eq!((text(&output.stdout).lines().count(), errors.matches("err\n").count()), (1, 1), "{errors}");
    for part in ["first of two passes", "discarded", "status 4, then 9", "differs.c:main:10"] {
        assert!(errors.contains(part), "{part:?} is missing in:\n{errors}");
    }
    let twice =
        said(&reported(&place, "p.lwp"), "differs.c", &["parallel", "entries", "iterations", "recursive"]);
    let output =
        place.loopwright().args(["profile", "-q", "-o", "p.lwp", "--"]).arg(&program).output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(9), b"err\n".to_vec()));
    let once =
        said(&reported(&place, "p.lwp"), "differs.c", &["parallel", "entries", "iterations", "recursive"]);
    assert_eq!(twice, once);
    assert_eq!(once.len(), 2, "{once:?}");
}

/// Knowing the executed graphs beforehand changes no verdict on the kernels.
#[test]
fn two_passes_say_what_one_says() {
    let place = Place::new();
    for (name, level) in [
        ("jacobi", Level::O2),
        ("perceptron", Level::O0),
        ("tree_sum", Level::O2),
        ("tree_sum", Level::O0),
        ("three_functions", Level::O0),
        ("needle", Level::O3),
        ("scratch_row", Level::O2),
    ] {
        let program = kernel(&place, name, level);
        let mut reports = Vec::new();
        for pass in ["--single-pass", "--two-pass"] {
            let args = ["profile", "-q", pass, "-o", "p.lwp", "--"];
            let output = place.loopwright().args(args).arg(&program).output().unwrap();
            assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
            let report = reported(&place, "p.lwp");
            let source = format!("{name}.c");
            reports.push(said(
                &report,
                &source,
                &["parallel", "entries", "iterations", "blocking", "directive"],
            ));
        }
        assert!(!reports[0].is_empty(), "{name}");
        assert_eq!(reports[0].keys().collect::<Vec<_>>(), reports[1].keys().collect::<Vec<_>>(), "{name}");
        for (id, one) in &reports[0] {
            let two = &reports[1][id];
            assert_eq!(one[..3], two[..3], "{name} {id}");
            assert_eq!(one[4], two[4], "{name} {id}");
        }
    }
}

#[test]
fn hot_loops_and_trip_counts() {
    let place = Place::new();
    let source = "#include <stdio.h>
static double a[400];
__attribute__((noipa)) double row(int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += a[i];
  return s;
}
int main(void) {
  double s = 0;
  for (int t = 0; t < 9; t++)
    for (int k = 0; k < 30; k++)
      s += row(k == 7 ? 300 : 20 + k);
  printf(\"%g\\n\", s);
  return 3;
}
";
    let program = place.compile("hot", source, &["-O1", "-g"]);
    let native = Command::new(&program).output().unwrap();
    let output = place.loopwright().args(["profile", "--fast", "--"]).arg(&program).output().unwrap();
    assert_eq!((output.status.code(), &output.stdout), (Some(3), &native.stdout));
    let shown = text(&output.stderr);
    for part in [
        "instructions counted",
        "accesses and dependences were not recorded (--fast)",
        "hot.c:main:11",
        "hot.c:row:5 via row",
        "(20 to 300, 43.6 on average)",
        "Profile: hot.fast.lwp",
    ] {
        assert!(shown.contains(part), "{part:?} is missing in:\n{shown}");
    }
    assert!(!shown.contains("parallel"), "{shown}");
    let again = place.loopwright().args(["report", "hot.fast.lwp"]).output().unwrap();
    assert!(shown.contains(&text(&again.stdout)), "{}", text(&again.stdout));
    let report = reported(&place, "hot.fast.lwp");
    let fields = ["entries", "iterations", "parallel", "depth", "recursive"];
    let loops = said(&report, "hot.c", &fields);
    let is = |id: &str, entries: u64, iterations: u64, depth: u64| {
        let expected: Vec<Value> =
            vec![entries.into(), iterations.into(), "unknown".into(), depth.into(), false.into()];
        assert_eq!(loops[id], expected, "{id}");
    };
    is("hot.c:main:11", 1, 9, 0);
    is("hot.c:main:12", 9, 270, 1);
    let trips: u64 = 9 * (0..30).map(|k| if k == 7 { 300 } else { 20 + k }).sum::<u64>();
    is("hot.c:row:5", 270, trips, 2);
    let find = |id: &str| report["loops"].as_array().unwrap().iter().find(|l| l["id"] == id).unwrap();
    let row = find("hot.c:row:5");
    assert_eq!((&row["trip_count"]["minimum"], &row["trip_count"]["maximum"]), (&20.into(), &300.into()));
    assert_eq!(find("hot.c:main:11")["trip_count"]["maximum"], 9);
    assert!(row["ops_fraction"].as_f64() < find("hot.c:main:11")["ops_fraction"].as_f64());
    assert_eq!(report["trust"]["memory_accesses"], 0);
    // The instructions are those of a recording.
    let options = ["profile", "-q", "--record-startup", "--record-libraries", "-o", "p.lwp", "--"];
    place.loopwright().args(options).arg(&program).output().unwrap();
    assert_eq!(report["trust"]["instructions"], reported(&place, "p.lwp")["trust"]["instructions"]);
}

/// Counts of the kernels agree with those of the full profile wherever a loop runs in one context.
#[test]
fn counts_agree_with_a_full_profile() {
    let place = Place::new();
    for (name, level) in [
        ("matmul_ikj", Level::O0),
        ("jacobi", Level::O2),
        ("histogram", Level::O3),
        ("triangular_solve", Level::O2),
        ("floyd_warshall", Level::O0),
        ("spmv", Level::O2),
    ] {
        let program = kernel(&place, name, level);
        let mut found = Vec::new();
        for mode in ["--single-pass", "--fast"] {
            place
                .loopwright()
                .args(["profile", "-q", mode, "-o", "p.lwp", "--"])
                .arg(&program)
                .output()
                .unwrap();
            let report = reported(&place, "p.lwp");
            found.push(said(
                &report,
                &format!("{name}.c"),
                &["entries", "iterations", "instructions", "line"],
            ));
        }
        assert!(!found[0].is_empty());
        assert_eq!(found[0], found[1], "{name} {level}");
    }
}

#[test]
fn options_that_exclude_each_other() {
    let place = Place::new();
    for args in [
        &["--fast", "--two-pass"][..],
        &["--single-pass", "--two-pass"],
        &["--single-pass", "--fast"],
        &["--fast", "--function", "main"],
        &["--fast", "--max-instructions", "9"],
    ] {
        let output = place.loopwright().arg("profile").args(args).args(["--", "true"]).output().unwrap();
        assert_eq!(output.status.code(), Some(125), "{args:?}");
        assert!(text(&output.stderr).contains("cannot be used with"), "{}", text(&output.stderr));
    }
}

/// The report for programs is all there is on standard error, quiet or not there is nothing else.
#[test]
fn formats() {
    let place = Place::new();
    for mode in ["--single-pass", "--two-pass", "--fast"] {
        let args = ["profile", mode, "--format", "json", "-o", "p.lwp", "--", "true"];
        let output = place.loopwright().args(args).output().unwrap();
        let shown: Value =
            serde_json::from_slice(&output.stderr).unwrap_or_else(|e| panic!("{e}: {output:?}"));
        assert_eq!(shown, reported(&place, "p.lwp"), "{mode}");
        let args = ["profile", mode, "-q", "-o", "p.lwp", "--", "true"];
        let output = place.loopwright().args(args).output().unwrap();
        assert!(output.stderr.is_empty(), "{mode}: {}", text(&output.stderr));
    }
    let output = place.loopwright().args(["report", "p.lwp", "-o", "r.txt"]).output().unwrap();
    assert_eq!((text(&output.stderr), output.stdout.len()), ("Report: r.txt\n".to_owned(), 0));
    let output = place.loopwright().args(["report", "p.lwp", "-q", "-o", "r.txt"]).output().unwrap();
    assert!(output.stderr.is_empty() && fs::read_to_string(place.path("r.txt")).unwrap().contains("true"));
}

/// The progress line is for terminals, and not for the quiet.
#[test]
fn progress() {
    let place = Place::new();
    let on_terminal = |options: &str| {
        let line = format!("{LOOPWRIGHT} profile --two-pass {options} -o p.lwp -- sleep 0.6");
        let output = Command::new("script")
            .args(["-qec", &line, "/dev/null"])
            .current_dir(place.directory())
            .stdin(Stdio::null())
            .output()
            .expect("script is not installed: apt-get install bsdutils");
        text(&output.stdout)
    };
    let shown = on_terminal("");
    assert!(shown.contains("first pass (") && shown.contains("\u{1b}["), "{shown:?}");
    assert_eq!(on_terminal("--quiet"), "");
    let output = shell(&place, "$L profile --two-pass -o p.lwp -- sleep 0.6");
    assert!(!text(&output.stderr).contains("first pass ("), "{}", text(&output.stderr));
}

/// Regression: what a function of a library cost that two loops call was nobody's, and a loop that read its input seemed to cost nothing.
#[test]
fn callers_are_charged_for_libraries() {
    let place = Place::new();
    let source = "#include <stdio.h>
static double a[3000], b[1000];
__attribute__((noinline)) int first(FILE *in) { int n = 0; for (int i = 0; i < 3000; i++) n += fscanf(in, \"%lf\", &a[i]); return n; }
__attribute__((noinline)) int second(FILE *in) { int n = 0; for (int i = 0; i < 1000; i++) n += fscanf(in, \"%lf\", &b[i]); return n; }
int main(void) { int n = first(stdin); n += second(stdin); printf(\"%d\\n\", n); return 0; }
";
    fs::write(place.path("read.c"), source).unwrap();
    let done = Command::new("gcc")
        .args(["-g", "-O1", "-o"])
        .arg(place.path("read"))
        .arg(place.path("read.c"))
        .status()
        .unwrap();
    assert!(done.success());
    let output = shell(&place, "seq 4000 | $L profile --fast -q -o f.lwp -- ./read");
    assert_eq!(text(&output.stdout), "4000\n", "{}", text(&output.stderr));
    let report = reported(&place, "f.lwp");
    let share = |line: u64| {
        let all = report["loops"].as_array().unwrap().iter();
        let own = all.filter(|own| {
            own["line"] == line && own["file"].as_str().is_some_and(|file| file.ends_with("read.c"))
        });
        own.map(|own| own["ops_fraction"].as_f64().unwrap()).sum::<f64>()
    };
    let (first, second) = (share(3), share(4));
    assert!(first > 0.55 && (first / second - 3.0).abs() < 0.3, "{first} {second}");
}
