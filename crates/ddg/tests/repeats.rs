//! Iterations that are counted because they repeat the one before give the profile that applying them gives.

use std::path::Path;
use std::process::Command;

use crate::compare;
use crate::support;

use compare::compare;
use ddg::Engine;
use kernels::Level;
use profile::Profile;

/// What counting iterations that repeat makes of a program, and what applying all does.
fn recorded(program: &Path, arguments: &[&str]) -> (Profile, Profile) {
    support::profiles(support::after_startup(program), arguments, (Engine::default(), Engine::applying_all()))
}

fn check(name: &str, arguments: &[&str]) {
    let table = kernels::load().unwrap();
    let kernel = table.iter().find(|k| k.name() == name).unwrap();
    let directory = tempfile::tempdir().unwrap();
    for level in Level::ALL {
        let program = kernels::compile(kernel, level, directory.path()).unwrap();
        compare(&format!("{name} {level}"), recorded(&program.path, arguments));
    }
}

/// Small random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn array(&mut self) -> char {
        ['a', 'b', 'c'][self.below(3) as usize]
    }
}

/// Something a step of the program does; `depth` bounds conditions within conditions.
fn statement(random: &mut Random, depth: u32) -> String {
    let (x, y) = (random.array(), random.array());
    let k = random.below(3);
    match random.below(if depth > 0 { 14 } else { 6 }) {
        0 => format!("for (int i = 0; i < N; i++) {x}[i] = {y}[i + {k}] + t;"),
        1 => format!("for (int i = 0; i < N; i++) {x}[p[i]] += {y}[i];"),
        2 => format!("for (int i = 0; i < N; i++) for (int j = {k}; j <= i; j++) {x}[i] += {y}[j];"),
        3 => format!("helper({x}, {y}, {});", random.below(N) + 1),
        4 => format!("for (int i = 1; i < N; i++) if (p[i] > {}) {x}[i] = {x}[i - 1];", random.below(N)),
        5 => format!("total += {x}[{}];", random.below(N)),
        6 => format!("if (t == {k}) {{ {} }}", statement(random, depth - 1)),
        7 => format!("if (t % {} == {k}) {{ {} }}", 9 + random.below(20), statement(random, depth - 1)),
        8 => format!("if (t % {} == 5) free(malloc(40));", 11 + random.below(20)),
        9 => format!("{x}[t % {}] = t;", random.below(4) + 1),
        10 => format!(
            "{{ int *z = malloc(sizeof({x}[0]) * N); for (int i = 0; i < N; i++) z[i] = {x}[i]; total += z[{k}]; free(z); }}"
        ),
        11 => format!("written += write(1, {x}, {});", random.below(2)),
        12 => format!("if (t % {} == {k}) printf(\"%d\\n\", {x}[{k}]);", 10 + random.below(20)),
        _ => "{ int *swap = a; a = b; b = swap; }".to_owned(),
    }
}

/// Elements per sweep.
const N: u64 = 12;

fn program(seed: u64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let steps = 20 + random.below(50);
    let body: Vec<String> = (0..2 + random.below(3)).map(|_| statement(&mut random, 2)).collect();
    let body = body.join("\n            ");
    format!(
        "#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum {{ N = {N} }};
int storage[3][2 * N], p[N], total, written;
__attribute__((noinline)) void helper(int *x, int *y, int n)
{{
    for (int i = 0; i < n; i++)
        x[i] = x[i] + y[n - 1 - i];
}}
int main(void)
{{
    int *a = storage[0], *b = storage[1], *c = storage[2];
    for (int i = 0; i < N; i++)
        p[i] = i * 7 % N;
    for (int r = 0; r < {repeat}; r++)
        for (int t = 0; t < {steps}; t++) {{
            {body}
        }}
    printf(\"%d\\n\", total + a[1] + b[2] + c[3]);
    return 0;
}}
",
        repeat = 1 + random.below(2),
    )
}

/// Programs of random steps, most of them repeated.
#[test]
fn random_programs() {
    let first: u64 = std::env::var("LOOPWRIGHT_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let count: u64 = std::env::var("LOOPWRIGHT_CASES").ok().and_then(|s| s.parse().ok()).unwrap_or(6);
    let directory = tempfile::tempdir().unwrap();
    for seed in first..first + count {
        let source = directory.path().join("random.c");
        std::fs::write(&source, program(seed)).unwrap();
        for level in ["-O0", "-O2"] {
            let path = directory.path().join("random");
            let status = Command::new("gcc").args([level, "-g", "-o"]).arg(&path).arg(&source).status();
            assert!(status.unwrap().success());
            for counting in [Engine::default(), Engine::always_moving()] {
                let engines = (counting, Engine::applying_all());
                let both = support::profiles(support::after_startup(&path), &[], engines);
                compare(&format!("seed {seed} {level}:\n{}", program(seed)), both);
            }
        }
    }
}

/// Two iterations in a row that differ from all others, but not from each other: the one behind them is looked at, and the next.
#[test]
fn iterations_that_differ_twice() {
    let source = "#include <stdio.h>
enum { N = 12 };
int a[N], b[N], total;
int main(void)
{
    for (int t = 0; t < 90; t++) {
        for (int i = 0; i < N; i++)
            a[i] += b[i];
        if (t % 30 == 11 || t % 30 == 12)
            for (int i = 0; i < N; i++)
                total += a[i];
    }
    printf(\"%d\\n\", total);
    return 0;
}
";
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("twice");
    std::fs::write(path.with_extension("c"), source).unwrap();
    for level in ["-O0", "-O1", "-O2"] {
        let mut gcc = Command::new("gcc");
        let status = gcc.args([level, "-g", "-o"]).arg(&path).arg(path.with_extension("c")).status();
        assert!(status.unwrap().success());
        compare(&format!("twice {level}"), recorded(&path, &[]));
    }
}

#[test]
fn jacobi() {
    check("jacobi", &["30", "20"]);
}

#[test]
fn sweeps() {
    check("sweeps", &["40", "150"]);
}

#[test]
fn perceptron() {
    check("perceptron", &["9"]);
}

#[test]
fn spmv() {
    check("spmv", &["40", "12"]);
}

#[test]
fn needle() {
    check("needle", &["20", "9"]);
}
