//! `--region`: what is recorded between two functions.

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use support::Place;

const MARKS: &str = "loopwright_begin:loopwright_end";

const PROGRAM: &str = "#include <stdio.h>
#include <stdlib.h>
#include \"loopwright.h\"
enum { N = 40 };
static double a[N][N], b[N];
__attribute__((noinline)) static void before(void)
{
    for (int i = 0; i < N; i++)
        b[i] = i;
}
__attribute__((noinline)) static void scale(double by)
{
    for (int i = 0; i < N; i++)
        b[i] *= by;
}
int main(int argc, char **argv)
{
    int steps = atoi(argv[1]);
    double sum = 0;
    before();
    for (int t = 0; t < steps; t++) {
        for (int i = 0; i < N; i++)
            a[t % N][i] += b[i];
        loopwright_begin();
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                sum += a[i][j] * b[j];
        scale(1.5);
        loopwright_end();
        for (int i = 0; i < N; i++)
            sum -= b[i];
    }
    if (argc > 2) {
        loopwright_begin();
        scale(2);
    }
    printf(\"%g\\n\", sum);
    return 3;
}
";

fn compile(place: &Place, level: &str) -> PathBuf {
    let header = place.loopwright().arg("header").output().unwrap();
    fs::write(place.path("loopwright.h"), header.stdout).unwrap();
    place.compile("windows", PROGRAM, &[level, "-g"])
}

fn profile(place: &Place, program: &Path, region: &str, arguments: &[&str]) -> Output {
    let mut command = place.loopwright();
    command
        .args(["profile", "--quiet", "-o", "w.lwp", "--region", region, "--"])
        .arg(program)
        .args(arguments);
    command.output().unwrap()
}

fn report(place: &Place) -> Value {
    let output = place.loopwright().args(["report", "w.lwp", "--format", "json"]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Line, entries, iterations and verdict of the program's own loops.
fn loops(report: &Value) -> Vec<(u64, u64, u64, &str)> {
    let number = |own: &Value, name: &str| own[name].as_u64().unwrap();
    let own = report["loops"].as_array().unwrap().iter().filter(|own| own["main"] == true);
    let mut all: Vec<_> = own
        .map(|own| {
            let verdict = own["parallel"].as_str().unwrap();
            (number(own, "line"), number(own, "entries"), number(own, "iterations"), verdict)
        })
        .collect();
    all.sort_unstable();
    all
}

#[test]
fn several_windows_are_recorded_and_nothing_else() {
    let place = Place::new();
    for level in ["-O0", "-O1"] {
        let program = compile(&place, level);
        let output = profile(&place, &program, MARKS, &["3"]);
        assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
        let report = report(&place);
        let expected = [(13, 3, 120, "yes"), (25, 3, 120, "reduction"), (26, 120, 4800, "reduction")];
        assert_eq!(loops(&report), expected, "{level}");
        if level == "-O0" {
            // The frame of main was found, though its entry was not recorded.
            let all = report["loops"].as_array().unwrap();
            let inner = all.iter().find(|own| own["line"] == 26).unwrap();
            assert_eq!(inner["reductions"][0]["variable"], "sum", "{inner:#}");
            assert_eq!(inner["directive_alone"], "#pragma omp parallel for reduction(+:sum)");
        }
    }
}

#[test]
fn a_window_may_last_until_the_program_ends() {
    let place = Place::new();
    for level in ["-O0", "-O2"] {
        let program = compile(&place, level);
        let output = profile(&place, &program, MARKS, &["2", "more"]);
        assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
        let report = report(&place);
        let scale = loops(&report).into_iter().filter(|own| own.0 == 13);
        assert_eq!(scale.map(|own| own.1).sum::<u64>(), 3, "{level}: {:?}", loops(&report));
    }
}

/// Beginnings through pointers, in the middle of windows, left by longjmp, and ends outside of windows.
#[test]
fn marks_are_seen_whatever_leads_to_them() {
    let place = Place::new();
    let header = place.loopwright().arg("header").output().unwrap();
    fs::write(place.path("loopwright.h"), header.stdout).unwrap();
    let source = "#include <setjmp.h>
#include <stdio.h>
#include \"loopwright.h\"
static double b[40];
static jmp_buf back;
static void (*volatile begin)(void) = loopwright_begin;
static void (*volatile end)(void) = loopwright_end;
__attribute__((noinline)) static void work(void)
{
    for (int i = 0; i < 40; i++)
        b[i] += i;
}
__attribute__((noinline)) static void first(void) { begin(); work(); end(); }
__attribute__((noinline)) static void second(void) { begin(); work(); begin(); work(); end(); work(); end(); }
__attribute__((noinline)) static void third(void) { work(); begin(); work(); longjmp(back, 1); }
int main(void)
{
    for (int t = 0; t < 4; t++) {
        end();
        first();
        work();
        second();
        if (!setjmp(back))
            third();
        work();
        end();
        work();
    }
    printf(\"%g\\n\", b[7]);
    return 0;
}
";
    for level in ["-O0", "-O2"] {
        let program = place.compile("marks", source, &[level, "-g"]);
        let output = profile(&place, &program, MARKS, &[]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let report = report(&place);
        let all = loops(&report);
        let entries: u64 = all.iter().filter(|own| own.0 == 10).map(|own| own.1).sum();
        // Per turn: one in the first, two in the second, one in the third, and one behind that.
        assert_eq!(entries, 4 * 5, "{level}: {all:?}");
    }
}

#[test]
fn bad_regions_are_named() {
    let place = Place::new();
    let program = compile(&place, "-O0");
    for region in ["begin", ":end", "begin:", "a:b:c", ""] {
        let output = profile(&place, &program, region, &["1"]);
        assert_eq!(output.status.code(), Some(125), "{region}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("BEGIN:END is expected"), "{region}");
    }
    let output = profile(&place, &program, "absent:loopwright_end", &["1"]);
    assert_eq!(output.status.code(), Some(125));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("no function absent was met: nothing was recorded"), "{said}");
    assert!(!place.path("w.lwp").exists());
    // Names of C++ are single names.
    let output = profile(&place, &program, "ns::begin:ns::end", &["1"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("no function ns::begin and none ns::end was met"), "{said}");
    // A window that nothing closes.
    let output = profile(&place, &program, "loopwright_begin:absent", &["1"]);
    assert_eq!(output.status.code(), Some(3));
    let missing = "no function absent was met: what is recorded reaches to the end of the run";
    assert!(report(&place)["trust"]["untracked"].as_array().unwrap().contains(&missing.into()));
}

#[test]
fn traces_have_regions_too() {
    let place = Place::new();
    let program = compile(&place, "-O1");
    let mut command = place.loopwright();
    command
        .args(["trace", "-o", "w.lwt"])
        .args(if cfg!(feature = "parquet") { &["--parquet", "w.parquet"][..] } else { &[] })
        .args(["--region", MARKS, "--"])
        .arg(program)
        .arg("2");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let count: u64 = said.split(": ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    // Two loads per pair, a load and a store per element scaled, calls and little else.
    // The sum may lie in memory.
    assert!((2 * (3200 + 80)..2 * (6400 + 80) + 200).contains(&count), "{said}");
    if cfg!(feature = "parquet") {
        assert!(fs::metadata(place.path("w.parquet")).unwrap().len() > 100);
    }
}
