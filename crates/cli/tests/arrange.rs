//! Which loops can be one, and which one can be several.

use crate::{reported, support};

use serde_json::{Value, json};
use support::Place;

/// A program with one function per case; each is named after what is true of its loops.
const SOURCE: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { N = 300 };
static double a[N], b[N], c[N], p[N], q[N];
#define CASE __attribute__((noinline, noclone)) static void
CASE together(int n) {
    for (int i = 0; i < n; i++)
        b[i] = 2 * a[i];
    for (int i = 0; i < n; i++)
        c[i] = b[i] + 1;
}
CASE two_later(int n) {
    for (int i = 0; i < n; i++)
        b[i] = 3 * a[i];
    for (int i = 1; i < n - 1; i++)
        c[i] = b[i - 1] + b[i + 1];
}
CASE overwrites(int n) {
    for (int i = 0; i < n - 1; i++)
        p[i] = q[i + 1];
    for (int i = 0; i < n - 1; i++)
        q[i] = 2 * c[i];
}
CASE needs_all(int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    for (int i = 0; i < n; i++)
        b[i] = a[i] / s;
}
CASE something_between(int n) {
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 5;
    c[0] = b[n - 1];
    for (int i = 0; i < n; i++)
        q[i] = q[i] + c[0];
}
CASE reversed(int n) {
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 7;
    for (int i = 0; i < n; i++)
        c[i] = b[n - 1 - i];
}
CASE two_parts(int n) {
    for (int i = 1; i < n; i++) {
        p[i] = p[i - 1] + a[i];
        q[i] = 2 * a[i];
    }
}
CASE back_and_forth(int n) {
    for (int i = 1; i < n; i++) {
        p[i] = q[i - 1] + a[i];
        q[i] = p[i] / 3;
    }
}
CASE talks(int n) {
    for (int i = 1; i < n; i++)
        p[i] = 2 * a[i] + write(1, "", 0);
    for (int i = 1; i < n; i++)
        q[i] = 2 * p[i] + write(1, "", 0);
}
CASE skips(int n) {
    for (int i = 1; i < n; i++) {
        if (a[i] > 9)
            p[i] = p[i - 1] + a[i];
        q[i] = 2 * a[i];
    }
}
int main(int argc, char **argv) {
    int n = N - argc + 1;
    for (int i = 0; i < N; i++)
        a[i] = b[i] = c[i] = p[i] = q[i] = (i * 7) % 19 + argc;
    together(n); two_later(n); overwrites(n); needs_all(n); something_between(n); reversed(n);
    two_parts(n); back_and_forth(n); skips(n); talks(n);
    double check = 0;
    for (int i = 0; i < N; i++)
        check += b[i] + c[i] + p[i] + q[i];
    printf("%g\n", check);
    return 0;
}
"#;

fn report(place: &Place, flags: &[&str]) -> Value {
    reported::report(place, &place.compile("arranged", SOURCE, flags), &[])
}

/// The pair of loops of a function.
fn fusion<'a>(report: &'a Value, function: &str) -> &'a Value {
    let own = format!("arranged.c:{function}:");
    let is_own = |f: &&Value| f["loops"][0].as_str().unwrap().starts_with(&own);
    report["fusions"].as_array().unwrap().iter().find(is_own).unwrap_or_else(|| panic!("{function}"))
}

fn parallel_parts(report: &Value, function: &str) -> Vec<bool> {
    let all = report["loops"].as_array().unwrap();
    let own = all.iter().find(|l| l["function"] == function).unwrap_or_else(|| panic!("{function}"));
    own["distribution"].as_array().unwrap().iter().map(|part| part["parallel"].as_bool().unwrap()).collect()
}

#[test]
fn neighbours_are_fused_and_loops_distributed_where_that_is_legal() {
    let place = Place::new();
    // A loop that copies stays one.
    for flags in
        [vec!["-O0", "-g"], vec!["-O1", "-g"], vec!["-Os", "-g", "-fno-tree-loop-distribute-patterns"]]
    {
        let report = report(&place, &flags);
        let legal = |function: &str| {
            let f = fusion(&report, function);
            (f["legal"].clone(), f["delay"].clone(), f["parallel"].clone())
        };
        let yes = |delay: i64, parallel: bool| (json!(true), json!(delay), json!(parallel));
        let no = || (json!(false), Value::Null, json!(false));
        for (function, expected) in [
            ("together", yes(0, true)),
            ("two_later", yes(2, false)),
            // What is overwritten was read an iteration before.
            ("overwrites", yes(0, false)),
            ("needs_all", no()),
            ("something_between", no()),
            ("reversed", no()),
        ] {
            assert_eq!(legal(function), expected, "{flags:?} {function}: {:#}", fusion(&report, function));
        }
        let mut parts = parallel_parts(&report, "two_parts");
        parts.sort_unstable();
        assert_eq!(parts, [false, true], "{flags:?}");
        let talk = |f: &Value| f["loops"][0].as_str().unwrap().starts_with("arranged.c:talks:");
        assert!(!report["fusions"].as_array().unwrap().iter().any(talk), "{flags:?}");
        for function in ["back_and_forth", "skips", "talks"] {
            assert!(parallel_parts(&report, function).is_empty(), "{flags:?} {function}");
        }
    }
}
