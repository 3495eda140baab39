//! Iterations that are counted because they repeat the one before give the profile that applying them gives.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

mod support;

use ddg::Engine;
use fold::Folded;
use kernels::Level;
use profile::{Dependence, Kind, Profile};
use record::Config;

/// What counting iterations that repeat makes of a program, and what applying all does.
fn recorded(program: &Path, arguments: &[&str]) -> (Profile, Profile) {
    support::profiles(Config::new(program), arguments, (Engine::default(), Engine::applying_all()))
}

/// Takes all folded streams out of a profile, with what they are of.
fn streams(profile: &mut Profile) -> Vec<(String, Vec<Folded>)> {
    let mut out = Vec::new();
    for block in &mut profile.blocks {
        out.push((format!("domain of statement {}", block.first), std::mem::take(&mut block.domain)));
    }
    for access in &mut profile.accesses {
        out.push((format!("address of statement {}", access.statement), std::mem::take(&mut access.address)));
    }
    for d in profile.dependences.iter_mut().filter(|d| d.kind != Kind::Anti) {
        let what = format!("{:?} relation from statement {} to {}", d.kind, d.source, d.sink);
        out.push((what, d.relation.take().into_iter().collect()));
    }
    out
}

/// A point and its labels.
type Point = (Vec<i64>, Vec<Option<i64>>);

/// All points of exactly known domains, in order.
fn points(folded: &[Folded]) -> Vec<Point> {
    let mut out = Vec::new();
    for piece in folded.iter().flat_map(|f| &f.pieces) {
        assert!(piece.points(1 << 20, &mut |point, labels| out.push((point.to_vec(), labels.to_vec()))));
    }
    out.sort();
    out
}

/// Streams may be cut into other pieces where rows are recorded and counted in other lengths; their points are the same.
fn same_streams(what: &str, counted: Vec<(String, Vec<Folded>)>, applied: Vec<(String, Vec<Folded>)>) {
    assert_eq!(counted.len(), applied.len(), "{what}");
    for ((name, a), (other, b)) in counted.into_iter().zip(applied) {
        assert_eq!(name, other, "{what}");
        let total = |folded: &[Folded]| folded.iter().map(|f| f.points).sum::<u64>();
        assert_eq!(total(&a), total(&b), "{name}: {what}");
        let is_bounded =
            |folded: &[Folded]| folded.iter().flat_map(|f| &f.pieces).any(|p| p.over_approximated);
        if a == b || is_bounded(&a) || is_bounded(&b) {
            continue;
        }
        for (one, other) in points(&a).iter().zip(&points(&b)) {
            assert_eq!(one.0, other.0, "{name}: {what}");
            for (x, y) in one.1.iter().zip(&other.1) {
                assert!(x.is_none() || y.is_none() || x == y, "{name} at {:?}: {x:?}, {y:?}: {what}", one.0);
            }
        }
    }
}

/// Takes the anti dependences out of a profile: which writes have any at which levels.
///
/// Which of the readers of a byte stands for the others, and how many instances are told apart, depends on how the memory
/// keeps its readers.
fn antis(profile: &mut Profile) -> BTreeSet<(u32, Option<u8>)> {
    let (antis, others) =
        std::mem::take(&mut profile.dependences).into_iter().partition(|d| d.kind == Kind::Anti);
    profile.dependences = others;
    profile.trust.dependences = 0;
    let levels = |d: &Dependence| -> Vec<(u32, Option<u8>)> {
        d.levels.iter().map(|l| (d.sink, (l.level < d.common).then_some(l.level))).collect()
    };
    let antis: Vec<Dependence> = antis;
    antis.iter().flat_map(levels).collect()
}

fn compare(what: &str, (mut counted, mut applied): (Profile, Profile)) {
    assert_eq!(antis(&mut counted), antis(&mut applied), "{what}");
    same_streams(what, streams(&mut counted), streams(&mut applied));
    assert_eq!(counted.trust, applied.trust, "{what}");
    assert_eq!(counted.contexts, applied.contexts, "{what}");
    assert_eq!(counted.blocks, applied.blocks, "{what}");
    for (a, b) in counted.dependences.iter().zip(&applied.dependences) {
        assert_eq!(a, b, "{what}");
    }
    assert!(counted == applied, "{what}");
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
    match random.below(if depth > 0 { 11 } else { 6 }) {
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
enum {{ N = {N} }};
int storage[3][2 * N], p[N], total;
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
            let engines = (Engine::default(), Engine::applying_all());
            let both = support::profiles(Config::new(&path), &[], engines);
            compare(&format!("seed {seed} {level}:\n{}", program(seed)), both);
        }
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
