//! Runtimes of OpenMP, which run unrecorded, and tasks.

use crate::support;

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;
use support::Place;

/// A program that does nothing but what runtimes hand out: by iterations, by sections, by tasks.
const HANDED_OUT: &str = r#"
#include <omp.h>
#include <stdio.h>
#define N 96
static double a[N], f[8];
static int x, y, own;
#pragma omp threadprivate(own)
static void by_one(void) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < N; i++) /*@ reduction f[:] */
        for (int j = 0; j < 8; j++)
            f[j] += a[i];
}
static void apart(void) {
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < N; i++) /*@ */
        a[i] = i + omp_get_thread_num() * 0;
}
static int tasks(int n) {
#pragma omp task
    x++;
#pragma omp task
    {
        int block[16];
        for (int k = 0; k < 16; k++)
            block[k] = n + k;
        own = block[n % 16];
#pragma omp atomic
        y += block[3];
    }
    return n + 1;
}
static double alone(const double *from, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) {
        omp_get_wtime();
        s += from[i];
    }
    return s;
}
int main(void) {
    by_one(), apart();
    int n = 0;
#pragma omp parallel
#pragma omp single
    for (int k = 0; k < 20; k++)
        n = tasks(n);
    printf("%d %d %d\n", n, y > 0, alone(a, N) > 0);
    return x > 20;
}
"#;

/// Runtimes run unrecorded: their own code is in no report, and what a thread does in them is known to leave registers and data alone.
#[test]
fn runtimes_are_left_out() {
    for compiler in ["cc", "clang-19"] {
        let place = Place::new();
        let flags = ["-O0", "-g", "-fopenmp"];
        match compiler {
            "cc" => drop(place.compile("program", HANDED_OUT, &flags)),
            _ => {
                std::fs::write(place.path("program.c"), HANDED_OUT).unwrap();
                let mut command = Command::new(compiler);
                command.current_dir(place.directory()).args(flags).args(["-o", "program", "program.c"]);
                assert!(command.status().unwrap().success());
            }
        }
        let report = |more: &[&str], threads: &str| -> Value {
            let mut command = place.loopwright();
            command
                .args(["profile", "--quiet", "--force", "-o", "p.lwp"])
                .args(more)
                .args(["--", "./program"]);
            let done = command.env("OMP_NUM_THREADS", threads).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&done.stdout), "20 1 1\n");
            let output = place.loopwright().args(["report", "--format", "json", "p.lwp"]).output().unwrap();
            serde_json::from_slice(&output.stdout).unwrap()
        };
        let is_runtime = |own: &Value| {
            own["id"].as_str().is_some_and(|id| id.contains("libgomp") || id.contains("libomp"))
        };
        let races = |report: &Value| -> BTreeSet<String> {
            let all = report["races"].as_array().into_iter().flatten();
            all.map(|race| race["variable"].as_str().unwrap_or_default().to_owned()).collect()
        };
        for threads in ["1", "2", "5"] {
            let left_out = report(&[], threads);
            let trust = left_out["trust"].to_string();
            assert!(trust.contains("what the runtime of OpenMP does itself"), "{compiler}: {trust}");
            assert_eq!(
                (&left_out["trust"]["lost"], &left_out["trust"]["cut_short"]),
                (&0.into(), &false.into())
            );
            let loops = left_out["loops"].as_array().unwrap();
            assert!(!loops.iter().any(is_runtime), "{compiler}");
            let alone = loops.iter().find(|own| own["function"] == "alone").unwrap();
            assert_eq!(
                (&alone["parallel"], &alone["class"]),
                (&"reduction".into(), &"A".into()),
                "{compiler}: {alone}"
            );
            // Tasks race whichever thread runs them, if there is but one as well; the blocks that they are handed are their own.
            assert_eq!(races(&left_out), BTreeSet::from(["x".to_owned()]), "{compiler} {threads}");
        }
        let recorded = report(&["--record-libraries"], "2");
        assert!(recorded["loops"].as_array().unwrap().iter().any(is_runtime), "{compiler}");
    }
}
