//! What stands first in a report: which loops are worth making the innermost ones of their nests, and which must not be.

use crate::{reported, support};

use serde_json::Value;
use support::Place;

/// A program with one function per case; each is named after what is true of its outermost loop.
const SOURCE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
enum { N = 120 };
static double a[N][N], b[N][N], c[N][N], x[N], y[N], z[N], w[2 * N];
static int flags[N], ends[N];
static double *rows[N];
#define CASE __attribute__((noinline, noclone)) static void
CASE interchanged(int n) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            b[i][j] = 2 * a[i][j] + 1;
}
CASE distributed(int n) {
    double sum;
    for (int j = 0; j < n; j++) {
        sum = 0;
        for (int k = 0; k < n; k++)
            sum += rows[k][j] * x[k];
        y[j] = sum > 40 ? 40 : sum;
    }
}
CASE column_recurrence(int n) {
    for (int j = 0; j < n; j++)
        for (int i = 1; i < n; i++)
            c[i][j] = 0.5 * c[i - 1][j] + a[i][j];
}
CASE along_rows(int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i][j] = 2 * a[i][j] + 2;
}
CASE sum_along_rows(int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            y[i] += a[i][j] * x[j];
}
CASE under_condition(int n) {
    for (int j = 0; j < n; j++)
        if (flags[j])
            for (int i = 0; i < n; i++)
                b[i][j] = 2 * a[i][j] + 3;
}
CASE bound_of_iteration(int n) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < ends[j]; i++)
            b[i][j] = 2 * a[i][j] + 4;
}
CASE triangle(int n) {
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            b[i][j] = 2 * a[i][j] + 5;
}
CASE left_early(int n) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            if (a[i][j] > 1e9)
                break;
            b[i][j] = 2 * a[i][j] + 6;
        }
}
CASE row_of_its_own(int n) {
    double row[N];
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            row[i] = a[i][j] * 2;
        for (int i = 0; i < n; i++)
            b[i][j] = row[i] + row[n - 1 - i];
    }
}
CASE carried_inside(int n) {
    for (int j = 0; j < n; j++) {
        double s;
        for (int k = 0; k < n; k++) {
            if (k == 0)
                s = 0;
            s += a[k][j];
            y[j] = s * x[j];
        }
    }
}
CASE before_and_behind(int n) {
    for (int j = 0; j < n; j++) {
        double m = x[j] * 2;
        for (int k = 0; k < n; k++)
            y[j] += a[k][j];
        z[j] = m;
    }
}
CASE window(int n) {
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++)
            w[j + k] = a[k][j];
        for (int k = 0; k < n; k++)
            y[j] += w[j + k] * x[k];
    }
}
CASE carried(int n) {
    for (int j = 1; j < n; j++)
        for (int i = 0; i < n; i++)
            c[i][j] = 0.5 * c[i][j - 1] + a[i][j];
}
/* Regressions 24: a condition that is always met reads what is assigned under it, or needs a place of its own per iteration; so
   does a jump over the loop inside. */
CASE condition_of_assigned(int n) {
    for (int j = 0; j < n; j++) {
        y[j] = 0;
        if (y[j] == 0)
            for (int k = 0; k < n; k++)
                y[j] += a[k][j] * x[k] + 1;
    }
}
CASE condition_of_own(int n) {
    for (int j = 0; j < n; j++) {
        double sum = 0;
        int wanted = x[j] < 1e9;
        if (wanted)
            for (int k = 0; k < n; k++)
                sum += a[k][j] * x[k];
        z[j] = sum;
    }
}
CASE jumped_over(int n) {
    for (int j = 0; j < n; j++) {
        double sum = 0;
        if (x[j] < 0)
            continue;
        for (int k = 0; k < n; k++)
            sum += a[k][j] * x[k];
        z[j] = sum;
    }
}
/* 25: of two variables of one name both would have to be arrays. */
CASE two_of_a_name(int n) {
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int k = 0; k < n; k++)
            sum += a[k][j] * x[k];
        {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += b[k][j] * x[k];
            z[j] = sum;
        }
        y[j] = sum;
    }
}
/* 26: a subscript of each iteration's own becomes one that is looked up; long numbers have no lanes. Both were slower. */
CASE subscript_of_its_own(int n) {
    for (int j = 0; j < n; j++) {
        int at = j * 3 % n;
        double sum = 0;
        for (int k = 0; k < n; k++)
            sum += a[k][at] * x[k];
        z[j] = sum;
    }
}
CASE long_numbers(int n) {
    for (int j = 0; j < n; j++) {
        long double sum = 0;
        for (int k = 0; k < n; k++)
            sum += a[k][j] * x[k];
        z[j] = sum;
    }
}
/* 27, at -O2: the loop inside is that of a function which is called here. */
static inline double column(int n, int j) {
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[k][j] * x[k];
    return sum;
}
CASE in_a_function(int n) {
    for (int j = 0; j < n; j++)
        z[j] = column(n, j);
}
int main(void) {
    for (int i = 0; i < N; i++) {
        rows[i] = a[(i * 7) % N];
        flags[i] = 1;
        ends[i] = N;
        x[i] = i % 7;
        for (int j = 0; j < N; j++)
            a[i][j] = (i * 3 + j) % 11;
    }
    flags[3] = 0;
    interchanged(N);
    distributed(N);
    column_recurrence(N);
    along_rows(N);
    sum_along_rows(N);
    under_condition(N);
    bound_of_iteration(N);
    triangle(N);
    left_early(N);
    row_of_its_own(N);
    carried_inside(N);
    before_and_behind(N);
    window(N);
    carried(N);
    condition_of_assigned(N);
    condition_of_own(N);
    jumped_over(N);
    two_of_a_name(N);
    subscript_of_its_own(N);
    long_numbers(N);
    in_a_function(N);
    double s = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            s += b[i][j] + c[i][j] + y[j] + z[j];
    printf("%g\n", s);
    return 0;
}
"#;

/// Per function with a loop that is worth moving inwards, what is said.
fn moved(report: &Value) -> Vec<(String, String)> {
    let nests = report["nests"].as_array().unwrap();
    let advice = nests.iter().flat_map(|nest| nest["advice"].as_array().unwrap());
    let of = |advice: &Value| {
        let words = advice["why"].as_str().unwrap();
        let is_ours = advice["kind"] == "interchange" && words.contains("as the innermost loop");
        let function = || advice["loops"][0].as_str().unwrap().split(':').nth(1).unwrap().to_owned();
        is_ours.then(|| (function(), words.to_owned()))
    };
    let mut all: Vec<(String, String)> = advice.filter_map(of).collect();
    all.sort();
    all.dedup();
    all
}

#[test]
fn parallel_loops_become_the_innermost_where_that_is_legal_and_pays() {
    let place = Place::new();
    let program = place.compile("inward", SOURCE, &["-O0", "-g"]);
    let report = reported::report(&place, &program, &[]);
    let found = moved(&report);
    let functions: Vec<&str> = found.iter().map(|own| own.0.as_str()).collect();
    let expected =
        ["before_and_behind", "carried_inside", "column_recurrence", "distributed", "interchanged"];
    assert_eq!(functions, expected, "{found:#?}");
    for (at, array) in [(0, "m"), (1, "s"), (3, "sum")] {
        let begin = format!("make {array} an array of an element per iteration");
        assert!(found[at].1.starts_with(&begin), "{}", found[at].1);
    }
    for at in [2, 4] {
        assert!(found[at].1.starts_with("interchange it with inward.c:"), "{}", found[at].1);
    }
    let program = place.compile("inward", SOURCE, &["-O2", "-fno-inline-functions", "-g"]);
    let optimised = moved(&reported::report(&place, &program, &[]));
    let refused = [
        "condition_of_assigned",
        "condition_of_own",
        "jumped_over",
        "two_of_a_name",
        "subscript_of_its_own",
        "long_numbers",
        "in_a_function",
    ];
    assert!(optimised.iter().all(|own| !refused.contains(&own.0.as_str())), "{optimised:#?}");
    // All that is recommended gains, largest first.
    let gains: Vec<f64> = report["recommendations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|own| own["gain"].as_f64().unwrap())
        .collect();
    assert!(!gains.is_empty() && gains.iter().all(|&gain| gain >= 1.05), "{gains:?}");
    assert!(gains.is_sorted_by(|a, b| a >= b), "{gains:?}");
}
