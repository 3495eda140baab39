//! `merge`: several runs of a program as one profile.

use crate::support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use kernels::Level;
use serde_json::Value;
use support::Place;

/// Stores to places that an input decides: `a.out COUNT STEP` stores to every STEP-th element, all to one if STEP is 0.
const SCATTER: &str = "#include <stdio.h>
#include <stdlib.h>
static double a[1000];
__attribute__((noinline)) static void scatter(int count, int step)
{
    for (int i = 0; i < count; i++)
        a[i * step] = a[i * step] / 2 + i;
}
__attribute__((noinline)) static void scale(int count)
{
    for (int i = 0; i < count; i++)
        a[i] *= 2;
}
int main(int argc, char **argv)
{
    int count = atoi(argv[1]), step = atoi(argv[2]);
    scatter(count, step);
    if (argc > 3)
        scale(count);
    printf(\"%g\\n\", a[0]);
    return 0;
}
";

/// Profiles of runs of a program, by their arguments.
fn profiles(place: &Place, program: &Path, inputs: &[&[&str]]) -> Vec<PathBuf> {
    let profile = |(at, arguments): (usize, &&[&str])| {
        let path = place.path(&format!("{at}.lwp"));
        let mut command = place.loopwright();
        command.args(["profile", "--quiet", "-o"]).arg(&path).arg("--").arg(program).args(*arguments);
        assert!(command.output().unwrap().status.success());
        path
    };
    inputs.iter().enumerate().map(profile).collect()
}

fn merge(place: &Place, paths: &[&Path], options: &[&str]) -> Output {
    place.loopwright().arg("merge").args(paths).args(options).output().unwrap()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn json(place: &Place, profile: &Path) -> Value {
    let output = place.loopwright().arg("report").arg(profile).args(["--format", "json"]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn verdicts_hold_on_all_inputs_or_name_those_where_they_do_not() {
    let place = Place::new();
    let program = place.compile("scatter", SCATTER, &["-O1", "-g"]);
    let runs = profiles(&place, &program, &[&["100", "1"], &["50", "3", "scale"], &["70", "0"]]);
    let good = merge(&place, &[&runs[0], &runs[1]], &["-o", "good.lwp"]);
    // However its lines are broken.
    let text = said(&good).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(good.status.success(), "{text}");
    for part in [
        "scatter.c:scatter:6 via scatter parallel loop on all 2 inputs",
        "150 iterations in 2 entries (50 to 100, 75.0 on average)",
        "scatter.c:scale:11 via scale parallel loop on all inputs that reach it (1 of 2)",
        "input 2: ",
        "verdicts hold for these 2 runs on their inputs",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let all = merge(&place, &[&place.path("good.lwp"), &runs[2]], &["-o", "all.lwp"]);
    let text = said(&all);
    for part in ["loop is not parallel on input 3", "parallel on inputs 1, 2"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let report = json(&place, &place.path("all.lwp"));
    let own: Vec<&Value> = report["loops"].as_array().unwrap().iter().filter(|l| l["main"] == true).collect();
    let verdicts = |of: &Value| -> Vec<(u64, String)> {
        let on = of["inputs"].as_array().unwrap().iter();
        on.map(|on| (on["input"].as_u64().unwrap(), on["parallel"].as_str().unwrap().to_owned())).collect()
    };
    assert_eq!(own.len(), 2, "{own:#?}");
    assert_eq!(verdicts(own[0]), [(0, "yes".to_owned()), (1, "yes".to_owned()), (2, "no".to_owned())]);
    assert_eq!(verdicts(own[1]), [(1, "yes".to_owned())]);
    assert_eq!(own[0]["blocking"][0]["input"], 2);
    let inputs = report["program"]["inputs"].as_array().unwrap();
    assert_eq!(inputs.len(), 3);
    assert_eq!(inputs[1]["argv"][3], "scale");
    let explain = place.loopwright().args(["explain", "all.lwp", "scatter.c:6"]).output().unwrap();
    assert!(said(&explain).contains("for example on input 3, iteration ("), "{}", said(&explain));
    for (profile, code) in [("good.lwp", 0), ("all.lwp", 1)] {
        let mut check = place.loopwright();
        check.args(["check", profile, "--require", "parallel scatter.c:6"]);
        assert_eq!(check.output().unwrap().status.code(), Some(code), "{profile}");
    }
}

#[test]
fn merging_is_associative_and_every_renderer_takes_the_result() {
    let place = Place::new();
    let program = place.compile("scatter", SCATTER, &["-O0", "-g"]);
    let runs = profiles(&place, &program, &[&["20", "1"], &["30", "2", "scale"], &["9", "0", "scale"]]);
    let steps: [(&[&Path], &str); 4] = [
        (&[&runs[0], &runs[1], &runs[2]], "abc.lwp"),
        (&[&runs[0], &runs[1]], "ab.lwp"),
        (&[&place.path("ab.lwp"), &runs[2]], "ab-c.lwp"),
        (&[&runs[1], &runs[2]], "bc.lwp"),
    ];
    for (paths, to) in steps {
        assert!(merge(&place, paths, &["--quiet", "-o", to]).status.success());
    }
    let paths: [&Path; 2] = [&runs[0], &place.path("bc.lwp")];
    assert!(merge(&place, &paths, &["--quiet", "-o", "a-bc.lwp"]).status.success());
    let bytes = |name: &str| fs::read(place.path(name)).unwrap();
    assert!(bytes("abc.lwp") == bytes("ab-c.lwp"));
    assert!(bytes("abc.lwp") == bytes("a-bc.lwp"));
    // One alone stays what it is.
    assert!(merge(&place, &[&runs[0]], &["--quiet", "-o", "a.lwp"]).status.success());
    assert!(bytes("a.lwp") == bytes("0.lwp"));
    for format in ["text", "json", "html", "svg", "folded", "speedscope", "sarif", "folding"] {
        let mut report = place.loopwright();
        report.args(["report", "abc.lwp", "--format", format]);
        let output = report.output().unwrap();
        assert!(output.status.success() && output.stdout.len() > 100, "{format}: {}", said(&output));
    }
    let equal = place.loopwright().args(["diff", "abc.lwp", "ab-c.lwp"]).output().unwrap();
    assert_eq!(equal.status.code(), Some(0));
    for of_one_run in [&["--schedule"][..], &["--format", "isl"], &["--format", "openscop"]] {
        let refused = place.loopwright().args(["report", "abc.lwp"]).args(of_one_run).output().unwrap();
        assert_eq!(refused.status.code(), Some(2));
        assert!(said(&refused).contains("a merged profile"), "{}", said(&refused));
    }
}

/// Profiles of different parts of a program show different things: a loop that one of them has left out is not judged on both.
#[test]
fn parts_of_a_program_are_not_merged_with_the_whole() {
    let place = Place::new();
    let source = "static double x[200]; __attribute__((noinline)) void kern(int s) { for (int i = 0; i < 100; i++) x[i + s] = x[i] * 1.5 + 1; }\n\
        int main(int n, char **v) { kern(n - 1); return x[3] > 1; }\n";
    let program = place.compile("part", source, &["-O1", "-g"]);
    let profile = |to: &str, options: &[&str]| {
        let mut command = place.loopwright();
        command.args(["profile", "--quiet", "-o", to]).args(options).arg("--").arg(&program).arg("1");
        assert!(command.output().unwrap().status.code().is_some());
    };
    profile("whole.lwp", &[]);
    profile("function.lwp", &["--function", "kern"]);
    profile("again.lwp", &["--function", "kern"]);
    profile("main.lwp", &["--scope", "main"]);
    let run = |a: &str, b: &str| merge(&place, &[Path::new(a), Path::new(b)], &["--quiet", "-o", "m.lwp"]);
    for other in ["function.lwp", "main.lwp"] {
        let refused = run("whole.lwp", other);
        assert_eq!(refused.status.code(), Some(2));
        assert!(said(&refused).contains("another part of the program"), "{}", said(&refused));
    }
    assert!(run("function.lwp", "again.lwp").status.success());
    let text = place.loopwright().args(["report", "m.lwp"]).output().unwrap();
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(
        text.contains("what runs outside of --function kern") && !text.contains("start and end"),
        "{text}"
    );
}

/// A loop is what the worst of its runs makes of it, and its counts are sums.
#[test]
fn kernels_are_what_the_worst_of_their_runs_makes_of_them() {
    let table = kernels::load().unwrap();
    let rank = |verdict: &Value| {
        let order = ["yes", "reduction", "after-privatisation", "no", "unknown"];
        order.iter().position(|name| verdict == name).unwrap()
    };
    for (name, level, inputs) in [
        ("jacobi", Level::O2, [["20", "3"], ["31", "2"]]),
        ("early_exit", Level::O0, [["40", "3"], ["64", "5"]]),
        ("perceptron", Level::O0, [["10", "3"], ["12", "2"]]),
        ("split", Level::O3, [["40", "3"], ["57", "2"]]),
        ("spmv", Level::O2, [["30", "3"], ["44", "2"]]),
    ] {
        let place = Place::new();
        let kernel = table.iter().find(|k| k.name() == name).unwrap();
        let program = kernels::compile(kernel, level, place.directory()).unwrap();
        let runs = profiles(&place, &program.path, &[&inputs[0], &inputs[1]]);
        assert!(merge(&place, &[&runs[0], &runs[1]], &["--quiet"]).status.success());
        let of = |path: &Path| -> BTreeMap<String, Value> {
            let report = json(&place, path);
            let loops = report["loops"].as_array().unwrap().iter().filter(|l| l["main"] == true);
            loops.map(|l| (l["id"].as_str().unwrap().to_owned(), l.clone())).collect()
        };
        let (first, second, both) = (of(&runs[0]), of(&runs[1]), of(&place.path("merged.lwp")));
        assert!(both.len() >= first.len().max(second.len()) && !both.is_empty(), "{name}");
        for (id, own) in &both {
            let single: Vec<&Value> = [first.get(id), second.get(id)].into_iter().flatten().collect();
            let worst = single.iter().map(|l| rank(&l["parallel"])).max().unwrap();
            assert_eq!(rank(&own["parallel"]), worst, "{name}: {id}");
            for count in ["entries", "iterations", "instructions"] {
                let sum: u64 = single.iter().map(|l| l[count].as_u64().unwrap()).sum();
                assert_eq!(own[count].as_u64(), Some(sum), "{name}: {id}: {count}");
            }
            let is_simd = single.iter().all(|l| l["simd"] == true);
            assert_eq!(own["simd"], is_simd, "{name}: {id}");
        }
    }
}

#[test]
fn what_does_not_fit_together_is_named() {
    let place = Place::new();
    let program = place.compile("scatter", SCATTER, &["-O0", "-g"]);
    let other = place.compile("other", &SCATTER.replace("*= 2", "*= 3"), &["-O0", "-g"]);
    let runs = profiles(&place, &program, &[&["20", "1"]]);
    let record = |program: &Path, options: &[&str], to: &str| {
        let mut command = place.loopwright();
        command.args(["profile", "--quiet", "-o", to]).args(options).arg("--").arg(program).args(["9", "1"]);
        assert!(command.output().unwrap().status.success());
        place.path(to)
    };
    let other = record(&other, &[], "other.lwp");
    let fast = record(&program, &["--fast"], "fast.lwp");
    fs::write(place.path("text.lwp"), "nothing").unwrap();
    let mut newer = fs::read(&runs[0]).unwrap();
    newer[8] = 200;
    fs::write(place.path("newer.lwp"), newer).unwrap();
    for (second, words) in [
        (other, "other.lwp: it is of another program"),
        (fast, "one profile has counts alone"),
        (place.path("absent.lwp"), "absent.lwp: No such file"),
        (place.path("text.lwp"), "not a Loopwright profile"),
        (place.path("newer.lwp"), "newer.lwp: profile format 200"),
    ] {
        let output = merge(&place, &[&runs[0], &second], &["-o", "out.lwp"]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(words), "{words}: {}", said(&output));
        assert!(!place.path("out.lwp").exists());
    }
}
