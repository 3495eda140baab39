//! `explain`, `diff` and `check`: what they say, and their exit codes.

use crate::support;

use std::path::{Path, PathBuf};
use std::process::Output;

use kernels::Level;
use serde_json::Value;
use support::Place;

/// A profile of a kernel.
fn profile(place: &Place, kernel: &str, arguments: &[&str], name: &str) -> PathBuf {
    let table = kernels::load().unwrap();
    let kernel = table.iter().find(|k| k.name() == kernel).unwrap();
    let program = kernels::compile(kernel, Level::O0, place.directory()).unwrap();
    let path = place.path(name);
    let mut command = place.loopwright();
    command.args(["profile", "--quiet", "-o"]).arg(&path).arg("--").arg(program.path).args(arguments);
    assert!(command.output().unwrap().status.success());
    path
}

fn run(place: &Place, command: &str, paths: &[&Path], options: &[&str]) -> Output {
    place.loopwright().arg(command).args(paths).args(options).output().unwrap()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn explanations_name_pairs_and_remedies() {
    let place = Place::new();
    let renamed = profile(&place, "renamed", &["100"], "r.lwp");
    let shift = said(&run(&place, "explain", &[&renamed], &["shift"]));
    for part in [
        "an iteration overwrites `line[1]` that the previous one reads",
        "anti through memory, distance (1), 99 instances",
        "for example iteration (0) renamed.c:",
        "reading from a copy of `line` made before it",
        "omp simd: iterations run in lockstep",
    ] {
        assert!(shift.contains(part), "{part}: {shift}");
    }
    assert!(shift.lines().all(|line| line.chars().count() <= 100), "{shift}");
    let seidel = profile(&place, "seidel", &["20", "4"], "s.lwp");
    let output = run(&place, "explain", &[&seidel], &["relax", "--format", "json"]);
    let all: Value = serde_json::from_slice(&output.stdout).unwrap();
    let outermost = &all.as_array().unwrap()[0];
    assert_eq!((&outermost["parallel"], &outermost["class"]), (&"no".into(), &"C".into()));
    let skews = |remedy: &Value| remedy["change"].as_str().unwrap().contains("[2, 1, 1]");
    assert!(outermost["remedies"].as_array().unwrap().iter().any(skews), "{outermost:#}");
    for dependence in outermost["dependences"].as_array().unwrap() {
        // What an example shows is what the distance says, and the loop carries it.
        let vector = |which: &str| -> Option<Vec<i64>> {
            dependence["example"][which].as_array().map(|v| v.iter().map(|x| x.as_i64().unwrap()).collect())
        };
        let Some((source, sink)) = vector("source").zip(vector("sink")) else { continue };
        let ranges = dependence["distance"].as_array().unwrap();
        for ((from, to), range) in source.iter().zip(&sink).zip(ranges) {
            let distance = to - from;
            let ends = [&range[0], &range[1]].map(|end| end.as_i64().unwrap());
            assert!(ends[0] <= distance && distance <= ends[1], "{dependence:#}");
        }
        assert!(sink > source && sink[0] > source[0], "{dependence:#}");
    }
    let unknown = run(&place, "explain", &[&seidel], &["relaxed"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(said(&unknown).contains("did you mean seidel.c:relax:"), "{}", said(&unknown));
}

#[test]
fn differences_are_verdicts_first_and_none_with_oneself() {
    let place = Place::new();
    let source = |by: usize| {
        format!(
            "#include <stdio.h>\nstatic double a[300], b[300];\n\
             __attribute__((noinline)) static void step(int n)\n{{\n    for (int i = 1; i < n; i++)\n\
             a[i] = b[i - {by}] + 1;\n}}\n\
             int main(int argc, char **argv)\n{{\n    for (int t = 0; t < 3; t++)\n        step(290 + argc);\n\
             printf(\"%g\\n\", a[7]);\n    return 0;\n}}\n"
        )
    };
    let of = |name: &str, text: &str| {
        let program = place.compile("step", text, &["-O0", "-g"]);
        let path = place.path(name);
        let mut command = place.loopwright();
        // What printing does is not exact.
        command.args(["profile", "--quiet", "--record-libraries", "-o"]).arg(&path).arg("--").arg(program);
        assert!(command.output().unwrap().status.success());
        path
    };
    let free = of("free.lwp", &source(1));
    let carried = of("carried.lwp", &source(1).replace("b[i - 1]", "a[i - 1]"));
    // The same program with every line one further down.
    let moved = of("moved.lwp", &format!("\n{}", source(1)));
    let same = run(&place, "diff", &[&free, &free], &[]);
    assert_eq!((same.status.code(), said(&same).as_str()), (Some(0), ""));
    let worse = run(&place, "diff", &[&free, &carried], &[]);
    let text = said(&worse);
    assert_eq!(worse.status.code(), Some(1));
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("step.c:step:5: yes on A, no on B: an iteration reads `a"), "{text}");
    let output = run(&place, "diff", &[&free, &moved], &["--format", "json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["verdicts"], serde_json::json!([]), "{found:#}");
    let is_own = |id: &Value| id.as_str().unwrap().starts_with("step.c");
    assert!(!found["only_before"].as_array().unwrap().iter().any(is_own), "{found:#}");
    // Counted alone: nothing is known to be worse than that, and what was known is lost.
    let counted = place.path("counted.lwp");
    let mut command = place.loopwright();
    command
        .args(["profile", "--quiet", "--fast", "-o"])
        .arg(&counted)
        .arg("--")
        .arg(place.directory().join("step"));
    assert!(command.output().unwrap().status.success());
    for (paths, options, code, part) in [
        (&carried, vec!["--baseline", counted.to_str().unwrap()], 0, "all requirements"),
        (&counted, vec!["--baseline", free.to_str().unwrap()], 1, "step.c:step:6: yes before, unknown now"),
        (
            &free,
            vec!["--require", "parallel step.c:5", "--require", "vectorisable step"],
            0,
            "all requirements",
        ),
        (
            &carried,
            vec!["--require", "parallel step.c:5"],
            1,
            "step.c:step:5 is not parallel: an iteration reads",
        ),
        (&free, vec!["--require", "parallel stop"], 1, "did you mean step.c:step:5"),
        (&free, vec!["--require", "exact 100.0"], 1, "in exact affine form, less than 100 %"),
        (&carried, vec!["--baseline", free.to_str().unwrap()], 1, "step.c:step:5: yes before, no now"),
        (&free, vec!["--baseline", carried.to_str().unwrap(), "--quiet"], 0, ""),
        (&free, vec!["--require", "fast step"], 2, "expected \"parallel LOOP\""),
        (&free, vec![], 2, "nothing to check"),
    ] {
        let output = run(&place, "check", &[paths], &options);
        assert_eq!(output.status.code(), Some(code), "{options:?}: {}", said(&output));
        assert!(said(&output).contains(part), "{options:?}: {}", said(&output));
    }
}

/// Variables that iterations hand on without need: what the iteration before assigns can be computed anew, and of what some iterations
/// assign the latest is kept. Not what data or a call decide, nor what the loop overwrites.
#[test]
fn values_computed_anew_and_latest_ones() {
    const TEXT: &str = "#include <stdio.h>
enum { N = 300 };
static double a[N], b[N], c[N];
__attribute__((noinline)) static double next(int i) { return c[i]; }
__attribute__((noinline)) static void wraps(void)
{
    int before = N - 1;
    for (int i = 0; i < N; i++) { // wraps
        a[i] = b[i] + b[before];
        before = i;
    }
}
__attribute__((noinline)) static void twice(void)
{
    double x = b[N - 1], y = b[N - 2];
    for (int i = 0; i < N; i++) { // twice
        a[i] = b[i] + x + y;
        y = x;
        x = b[i] * 2;
    }
}
__attribute__((noinline)) static int latest(void)
{
    int last = -1;
    for (int i = 0; i < N; i++) // latest
        if (b[i] > 3)
            last = i;
    return last;
}
__attribute__((noinline)) static void overwrites(void)
{
    double x = a[N - 1];
    for (int i = 0; i < N; i++) { // overwrites
        a[i] += x;
        x = a[i];
    }
}
__attribute__((noinline)) static void calls(void)
{
    double x = 1;
    for (int i = 0; i < N; i++) { // calls
        a[i] = x;
        x = next(i);
    }
}
__attribute__((noinline)) static void sometimes(void)
{
    double x = 1;
    for (int i = 0; i < N; i++) { // sometimes
        a[i] = x;
        if (b[i] > 3)
            x = b[i];
    }
}
__attribute__((noinline)) static void swaps(void)
{
    int j = 0, k = 1;
    for (int i = 0; i < N / 2; i++) { // swaps
        a[2 * i + j] = b[i];
        int t = j;
        j = k;
        k = t;
    }
}
int main(void)
{
    for (int i = 0; i < N; i++) {
        b[i] = i % 7;
        c[i] = i % 5;
    }
    wraps();
    twice();
    int last = latest();
    overwrites();
    calls();
    sometimes();
    swaps();
    printf(\"%g %d\\n\", a[7] + a[8], last);
    return 0;
}
";
    let place = Place::new();
    let helping = |profile: &Path, name: &str| {
        let at = TEXT.lines().position(|line| line.ends_with(&format!("// {name}"))).unwrap() + 1;
        let text = said(&run(&place, "explain", &[profile], &[&format!("anew.c:{at}")]));
        assert!(text.contains("loop is not parallel"), "{name}: {text}");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for level in ["-O0", "-O2"] {
        let program = place.compile("anew", TEXT, &[level, "-g"]);
        let path = place.path(&format!("anew{level}.lwp"));
        let mut command = place.loopwright();
        command.args(["profile", "--quiet", "-o"]).arg(&path).arg("--").arg(program);
        assert!(command.output().unwrap().status.success());
        let wraps = helping(&path, "wraps");
        let expected = "computing anew what the iteration before assigns to `before` (`i`, line 10); with the first iteration before \
                        the loop (peeling): the loop is parallel";
        assert!(wraps.contains(expected), "{level}: {wraps}");
        let latest = helping(&path, "latest");
        assert!(latest.contains("lastprivate(conditional: last): the loop is parallel"), "{level}: {latest}");
        for name in ["overwrites", "calls", "sometimes", "swaps"] {
            let text = helping(&path, name);
            let is_wrong = text.contains("anew what") || text.contains("conditional:");
            assert!(!is_wrong, "{level}, {name}: {text}");
        }
    }
    // Two iterations back, in the code that is as it is written.
    let twice = helping(&place.path("anew-O0.lwp"), "twice");
    assert!(twice.contains("with the first 2 iterations before the loop (peeling)"), "{twice}");
}

/// In a terminal lines are as wide as that is, from 60 to 160 columns; elsewhere they have 100.
#[test]
fn lines_are_as_wide_as_the_terminal() {
    let place = Place::new();
    let path = profile(&place, "seidel", &["20", "4"], "wide.lwp");
    let longest = |columns: u32| {
        let loopwright = env!("CARGO_BIN_EXE_loopwright");
        let line = format!(
            "stty cols {columns} rows 40; {loopwright} --color never report {} 2>/dev/null",
            path.display()
        );
        let mut terminal = std::process::Command::new("script");
        let output = terminal.args(["-qec", &line, "/dev/null"]).env("NO_COLOR", "1").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains("seidel.c"), "{text}");
        text.lines().map(|line| line.trim_end().chars().count()).max().unwrap()
    };
    let (narrow, usual, wide) = (longest(70), longest(100), longest(150));
    assert!(
        narrow <= 70 && narrow < usual && usual <= 100 && usual < wide && wide <= 150,
        "{narrow} {usual} {wide}"
    );
    let piped = said(&run(&place, "report", &[&path], &[]));
    assert_eq!(piped.lines().map(|line| line.chars().count()).max(), Some(usual));
}
