//! The engine on runs against the slow, obvious one (byte by byte, iteration by iteration), on every kernel: at -O2 and one more
//! level in turn, at all levels with `LOOPWRIGHT_THOROUGH`.
//!
//! Both see the same recording. Compared: contexts with their entries and iterations, executions of every block, and for
//! every dependence its kind, ends, levels and smallest and largest distances (flow and output); for anti dependences
//! the levels at every storing access, since each engine may name another of several true readers.

use std::collections::BTreeMap;

use crate::support;

use ddg::Engine;
use kernels::Level;
use profile::{Kind, Profile};
use record::Config;

type Key = (Kind, bool, (u64, u32), (u64, u32), u8);
type Distances = (Vec<i64>, Vec<i64>);

/// Every dependence per level, by what identifies it.
fn dependences(profile: &Profile) -> BTreeMap<Key, Distances> {
    let mut out: BTreeMap<Key, Distances> = BTreeMap::new();
    let place = |s: u32| (profile.statements[s as usize].pc, profile.context_of(s));
    for d in &profile.dependences {
        for level in &d.levels {
            let anti = d.kind == Kind::Anti;
            let source = if anti { (0, 0) } else { place(d.source) };
            // For anti dependences "not carried" is one class, whatever the reader named shares with the writer.
            let at = if anti && level.level == d.common { u8::MAX } else { level.level };
            let key = (d.kind, d.memory, source, place(d.sink), at);
            let (minimum, maximum) =
                if anti { (Vec::new(), Vec::new()) } else { (level.minimum.clone(), level.maximum.clone()) };
            let entry = out.entry(key).or_insert_with(|| (minimum.clone(), maximum.clone()));
            for (to, from) in entry.0.iter_mut().zip(minimum) {
                *to = from.min(*to);
            }
            for (to, from) in entry.1.iter_mut().zip(maximum) {
                *to = from.max(*to);
            }
        }
    }
    out
}

/// Per read, write and level of anti dependences in loops, the ranges of distances.
fn readers(profile: &Profile) -> BTreeMap<Key, Distances> {
    let mut out: BTreeMap<Key, Distances> = BTreeMap::new();
    let place = |s: u32| (profile.statements[s as usize].pc, profile.context_of(s));
    // Elsewhere what one function leaves on the stack for another is not affine, and told apart by variables.
    let is_own = |s: u32| profile.is_own(profile.context_of(s));
    let is_known = |d: &&profile::Dependence| d.common > 0 && is_own(d.source) && is_own(d.sink);
    for d in profile.dependences.iter().filter(|d| d.kind == Kind::Anti && d.memory).filter(is_known) {
        for level in &d.levels {
            let key = (d.kind, d.memory, place(d.source), place(d.sink), level.level);
            let new = || (level.minimum.clone(), level.maximum.clone());
            let entry = out.entry(key).or_insert_with(new);
            entry.0.iter_mut().zip(&level.minimum).for_each(|(to, from)| *to = *from.min(to));
            entry.1.iter_mut().zip(&level.maximum).for_each(|(to, from)| *to = *from.max(to));
        }
    }
    out
}

/// What the reference saw of readers and is not within what is said of them.
fn unknown_readers(fast: &Profile, slow: &Profile) -> Vec<String> {
    let said = readers(fast);
    let is_within = |one: &Distances, other: &Distances| {
        one.0.iter().zip(&other.0).all(|(one, other)| one >= other)
            && one.1.iter().zip(&other.1).all(|(one, other)| one <= other)
    };
    let seen = readers(slow).into_iter();
    let missing = seen.filter(|(key, seen)| !said.get(key).is_some_and(|said| is_within(seen, said)));
    missing.map(|(key, seen)| format!("{key:x?}: {seen:?}, not within {:?}", said.get(&key))).collect()
}

fn executions(profile: &Profile) -> BTreeMap<(u64, u32), u64> {
    let mut out = BTreeMap::new();
    for (s, statement) in profile.statements.iter().enumerate() {
        *out.entry((statement.pc, profile.context_of(s as u32))).or_insert(0) += profile.executions(s as u32);
    }
    out.retain(|_, n| *n > 0);
    out
}

/// Small sizes: the reference looks at every byte.
fn arguments(name: &str) -> &'static [&'static str] {
    match name {
        "matmul_ikj" | "matmul_ijk" | "floyd_warshall" | "three_functions" => &["13"],
        "perceptron" => &["1"],
        "jacobi" => &["14", "9"],
        "sweeps" => &["20", "100"],
        "triangular_solve" | "needle" => &["30"],
        "scratch_row" => &["9", "21"],
        "tree_sum" => &["5", "20"],
        "polynomial" => &["40", "7"],
        "spmv" => &["60"],
        "smooth" => &["14"],
        "unwinding" | "callbacks" | "exceptions" | "irreducible" | "tail_calls" => &["20"],
        _ => &["300"],
    }
}

fn check(name: &str, level: Level) {
    let table = kernels::load().unwrap();
    let kernel = table.iter().find(|k| k.name() == name).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let program = kernels::compile(kernel, level, directory.path()).unwrap();
    compare(&format!("{name} {level}"), support::after_startup(&program.path), arguments(name));
}

/// What loads a program and starts its libraries, too.
#[test]
fn from_the_start() {
    let table = kernels::load().unwrap();
    let directory = tempfile::tempdir().unwrap();
    for name in ["dot", "exceptions"] {
        let kernel = table.iter().find(|k| k.name() == name).unwrap();
        let program = kernels::compile(kernel, Level::O2, directory.path()).unwrap();
        compare(&format!("{name} from the start"), Config::new(&program.path), arguments(name));
    }
}

fn compare(what: &str, config: Config, arguments: &[&str]) {
    let (fast, slow) = support::profiles(config, arguments, (Engine::default(), Engine::reference()));
    assert_eq!(fast.trust.instructions, slow.trust.instructions, "{what}: instructions");
    assert_eq!(fast.contexts, slow.contexts, "{what}: contexts");
    assert_eq!(executions(&fast), executions(&slow), "{what}: executions");
    let (a, b) = (dependences(&fast), dependences(&slow));
    let mut differences: Vec<String> = Vec::new();
    for key in a.keys().chain(b.keys()) {
        let (x, y) = (a.get(key), b.get(key));
        if x != y {
            differences.push(format!("{key:x?}: runs {x:?}, reference {y:?}"));
        }
    }
    differences.dedup();
    assert!(
        differences.is_empty(),
        "{what}: {} of {} differ\n{}",
        differences.len(),
        b.len(),
        differences.iter().take(12).cloned().collect::<Vec<_>>().join("\n")
    );
    let unknown = unknown_readers(&fast, &slow);
    assert!(
        unknown.is_empty(),
        "{what}: {} readers\n{}",
        unknown.len(),
        unknown.iter().take(12).cloned().collect::<Vec<_>>().join("\n")
    );
    assert!(b.len() > 100, "{what}: only {} dependences", b.len());
}

/// Regression 2: of the readers of a byte only the last one before a write was known, with its distances.
#[test]
fn regression_2_readers_before_the_last_one() {
    let source = "
        #include <stdio.h>
        enum { N = 6, M = 5 };
        double a[N + 1][2 * M], b[N][M][M], c[2 * M];
        int main(void)
        {
            for (int i = 0; i < N; i++)
                for (int j = 0; j < M; j++)
                    for (int k = 0; k < M; k++) {
                        b[i][j][k] = a[i + 1][j + k];
                        if (j == M - 1)
                            a[i][k + M - 1] = i - k;
                    }
            for (int t = 0; t < N; t++) {
                for (int i = 0; i < M; i++)
                    b[t][0][i] += c[i];
                for (int i = 0; i < M; i++)
                    b[t][1][i] += c[M - 1 - i];
                for (int i = 0; i < M; i++)
                    c[i] = a[t][i];
            }
            printf(\"%g\\n\", b[1][2][3] + c[2]);
            return 0;
        }
    ";
    for level in ["-O0", "-O2", "-O3"] {
        compare_source("readers", source, &[level]);
    }
}

/// Functions with stack slots, called in every iteration: twice, with a branch that is taken rarely, and one by another.
#[test]
fn functions_called_in_loops() {
    let source = "
        #include <stdio.h>
        enum { N = 90 };
        double a[N], b[N], c[N];
        double blended(double x, double y)
        {
            volatile double parts[2] = { x, y };
            parts[1] *= 0.5;
            return parts[0] + parts[1];
        }
        void put(double *to, double x)
        {
            if (x > 60 && x < 63) {
                c[0] += x;
                return;
            }
            *to = x;
        }
        double twice(double x) { return blended(x, x + 1) - blended(1, x); }
        int main(void)
        {
            for (int i = 0; i < N; i++)
                put(a + i, blended(i, 1));
            for (int t = 0; t < 3; t++) {
                for (int i = 0; i < N; i++)
                    b[i] += blended(a[i], blended(b[i], i));
                for (int i = 1; i < N; i++)
                    put(c + i, twice(c[i - 1]) + b[i]);
            }
            printf(\"%g\\n\", c[N - 1]);
            return 0;
        }
    ";
    for level in [&["-O0"][..], &["-O1", "-fno-inline"], &["-O2", "-fno-inline"], &["-O3", "-fno-inline"]] {
        compare_source("leaves", source, level);
    }
}

fn compare_source(name: &str, source: &str, flags: &[&str]) {
    let directory = tempfile::tempdir().unwrap();
    let (text, program) = (directory.path().join(format!("{name}.c")), directory.path().join(name));
    std::fs::write(&text, source).unwrap();
    let status =
        std::process::Command::new("gcc").args(flags).args(["-g", "-o"]).arg(&program).arg(&text).status();
    assert!(status.unwrap().success());
    compare(&format!("{name} {flags:?}"), support::after_startup(&program), &[]);
}

/// Every other level by turns, or all.
fn levels(name: &str) -> impl Iterator<Item = Level> {
    let place = name.len();
    let is_taken = move |at: usize| kernels::is_taken(at + place, 2);
    Level::ALL.into_iter().enumerate().filter(move |(at, _)| is_taken(*at)).map(|(_, level)| level)
}

macro_rules! kernels {
    ($($name:ident)*) => { $(#[test]
        fn $name() {
            for level in levels(stringify!($name)) {
                check(stringify!($name), level);
            }
        })*
    };
}

kernels! {
    matmul_ikj matmul_ijk perceptron jacobi prefix_sum prefix_equal leaf_calls histogram triangular_solve floyd_warshall needle spmv
    dot scratch_row tree_sum three_functions polynomial smooth sweeps unwinding exceptions tail_calls
    callbacks irreducible split early_exit
}
