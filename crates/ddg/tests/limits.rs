//! Limits of time: loops that take most of the work are given up, and say so; the others keep all they had.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support;

use ddg::Engine;
use profile::{Dependence, Gap, Kind, LevelSummary, Limit, Profile, Reached};
use record::Config;

/// Chases data through an array (`nasty`), and sweeps over others (`nice`, `carried`, `product`, whose rows are taken in blocks)
/// after that; `steps` times, with as many products as asked for.
const SOURCE: &str = "
    #include <stdio.h>
    #include <stdlib.h>
    enum { N = 40, M = 1 << 10 };
    static double grid[N][N], out[N][N];
    static double left[N][N], right[N][N], sums[N][N];
    static int chain[M];
    __attribute__((noinline)) static long nasty(long steps)
    {
        long at = 1, sum = 0;
        for (long s = 0; s < steps; s++) {
            at = (at * 1103515245 + 12345) & (M - 1);
            if (chain[at] & 1)
                chain[(at * 7) & (M - 1)] += 1;
            else
                sum += chain[(chain[at] + at) & (M - 1)];
        }
        return sum;
    }
    __attribute__((noinline)) static void nice(void)
    {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                out[i][j] = grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1];
    }
    __attribute__((noinline)) static void carried(void)
    {
        for (int i = 1; i < N; i++)
            for (int j = 0; j < N; j++)
                out[i][j] += out[i - 1][j];
    }
    __attribute__((noinline)) static void product(void)
    {
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++)
                for (int j = 0; j < N; j++)
                    sums[i][j] += left[i][k] * right[k][j];
    }
    int main(int argc, char **argv)
    {
        long sum = 0, steps = atol(argv[1]), length = atol(argv[2]), products = argc > 3 ? atol(argv[3]) : 0;
        for (int i = 0; i < M; i++)
            chain[i] = i * 7919 % 1000;
        for (long t = 0; t < steps; t++) {
            sum += nasty(length);
            nice();
            carried();
            for (long p = 0; p < products; p++)
                product();
        }
        printf(\"%ld %g %g\\n\", sum, out[5][5], sums[5][5]);
        return argc < 3;
    }
";

fn compile(level: &str, directory: &Path) -> PathBuf {
    let (text, program) = (directory.join("limits.c"), directory.join("limits"));
    std::fs::write(&text, SOURCE).unwrap();
    let status = Command::new("gcc").args([level, "-g", "-o"]).arg(&program).arg(&text).status();
    assert!(status.unwrap().success());
    program
}

/// What two engines make of one run, told of it in small parts.
fn profiles(program: &Path, arguments: &[&str], engines: (Engine, Engine)) -> (Profile, Profile) {
    let config = Config { buffer_words: 1 << 12, ..support::after_startup(program) };
    support::profiles(config, arguments, engines)
}

fn function_of(profile: &Profile, context: u32) -> &str {
    &profile.functions[profile.contexts[context as usize].function as usize].name
}

/// The loops around both ends of a dependence of which everything inside was analysed: the first of them, and how many
/// lie around that one.
fn analysed(profile: &Profile, d: &Dependence) -> Option<usize> {
    let loops = [d.source, d.sink].map(|s| profile.loops_around(profile.context_of(s)));
    let is_whole = |at: &usize| {
        let both = (loops[0].get(*at), loops[1].get(*at));
        matches!(both, (Some(a), Some(b)) if a == b && profile.contexts[*a as usize].gap.is_none())
    };
    (0..usize::from(d.common)).find(is_whole)
}

/// Dependences that loops carry in which all was analysed, as `limited` marks them.
fn inside(profile: &Profile, limited: &Profile) -> Vec<(Kind, u32, u32, LevelSummary)> {
    let mut out = Vec::new();
    for d in &profile.dependences {
        let Some(first) = analysed(limited, d) else { continue };
        let levels = d.levels.iter().filter(|l| usize::from(l.level) >= first);
        out.extend(levels.map(|level| (d.kind, d.source, d.sink, level.clone())));
    }
    out.sort_by_key(|(kind, source, sink, level)| (*kind as u8, *source, *sink, level.level));
    out
}

/// Checks that what was given up is marked and bounded, and that the rest is as without a limit.
fn check(what: &str, (all, limited): &(Profile, Profile)) {
    assert_eq!(all.trust.limits, Vec::new(), "{what}");
    let [Reached { limit: Limit::Loops(given_up), .. }] = &limited.trust.limits[..] else {
        panic!("{what}: {:?}", limited.trust.limits);
    };
    for &at in given_up {
        let place = limited.location(limited.contexts[at as usize].location);
        assert_eq!((place.file.rsplit('/').next(), place.line), (Some("limits.c"), 11), "{what}");
    }
    assert_eq!(all.trust.instructions, limited.trust.instructions, "{what}");
    assert_eq!(all.trust.memory_accesses, limited.trust.memory_accesses, "{what}");
    for (at, (one, other)) in all.contexts.iter().zip(&limited.contexts).enumerate() {
        let is_nasty = function_of(limited, at as u32) == "nasty"
            && limited.loops_around(at as u32).last() == Some(&(at as u32));
        assert!(!is_nasty || other.gap == Some(Gap::GivenUp), "{what}: {other:?}");
        let is_nice = ["nice", "carried"].contains(&function_of(limited, at as u32));
        assert!(!is_nice || other.gap.is_none(), "{what}: {other:?}");
        assert_eq!((one.entries, one.iterations), (other.entries, other.iterations), "{what}");
        assert_eq!(one.own_instructions, other.own_instructions, "{what}");
    }
    for (one, other) in all.blocks.iter().zip(&limited.blocks) {
        assert_eq!(one.executions, other.executions, "{what}");
        if function_of(limited, other.context) == "nasty" && !profile_loops(limited, other.context).is_empty()
        {
            assert!(other.domain.iter().all(|domain| domain.gave_up), "{what}");
            let points = |domains: &[fold::Folded]| domains.iter().map(|d| d.points).sum::<u64>();
            assert_eq!(points(&one.domain), points(&other.domain), "{what}");
            let (exact, boxed) = (extent(&one.domain), extent(&other.domain));
            // Of pieces with affine bounds no more than a bound is known.
            let is_within = |(a, b): (&(i64, i64), &(i64, i64))| a.0 <= b.0 && b.1 <= a.1;
            assert!(exact.iter().flatten().zip(boxed.iter().flatten()).all(is_within), "{what}");
            assert_eq!(exact.is_some(), boxed.is_some(), "{what}");
            if let [domain] = &one.domain[..]
                && domain.is_exact()
                && domain.pieces.len() == 1
                && domain.pieces[0].levels.iter().all(|l| l.count.coefficients.is_empty())
            {
                assert_eq!(exact, boxed, "{what}");
            }
        } else {
            assert_eq!(one.domain, other.domain, "{what}");
        }
    }
    for (one, other) in all.accesses.iter().zip(&limited.accesses) {
        let ranges = |access: &profile::Access| {
            let all = access.address.iter().flat_map(|folded| folded.ranges.first());
            all.copied().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        };
        assert_eq!(ranges(one), ranges(other), "{what}");
    }
    let (one, other) = (inside(all, limited), inside(limited, limited));
    assert!(one.len() > 5, "{what}: {}", one.len());
    assert_eq!(one, other, "{what}");
}

/// The loops of a function's own around a context.
fn profile_loops(profile: &Profile, context: u32) -> Vec<u32> {
    let own = profile.contexts[context as usize].function;
    let around = profile.loops_around(context).into_iter();
    around.filter(|&l| profile.contexts[l as usize].function == own).collect()
}

/// Smallest and largest coordinates of all pieces.
fn extent(domains: &[fold::Folded]) -> Option<Vec<(i64, i64)>> {
    let hull = |a: Vec<(i64, i64)>, b: Vec<(i64, i64)>| {
        a.into_iter().zip(b).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))).collect()
    };
    domains.iter().flat_map(|d| &d.pieces).map(|piece| piece.extent()).reduce(hull)
}

/// One loop that takes nearly all of the work before the others begin.
#[test]
fn a_loop_that_takes_the_time_is_given_up_alone() {
    let directory = tempfile::tempdir().unwrap();
    for level in ["-O0", "-O2"] {
        let program = compile(level, directory.path());
        let engines = (Engine::default(), Engine::default().within_work(600_000));
        check(level, &profiles(&program, &["1", "100000"], engines));
    }
}

/// Time steps in which the loop takes turns with others: those are found to repeat themselves no more, and stay as they are.
#[test]
fn loops_beside_it_in_the_same_time_step_stay_exact() {
    let directory = tempfile::tempdir().unwrap();
    for level in ["-O0", "-O2"] {
        let program = compile(level, directory.path());
        let engines = (Engine::default(), Engine::default().within_work(900_000));
        check(level, &profiles(&program, &["12", "12000"], engines));
    }
}

/// Which loops are given up follows from the records alone.
#[test]
fn equal_runs_are_given_up_equally() {
    let directory = tempfile::tempdir().unwrap();
    let program = compile("-O2", directory.path());
    let engine = || Engine::default().within_work(200_000);
    let (one, other) = profiles(&program, &["3", "20000"], (engine(), engine()));
    assert!(!one.trust.limits.is_empty());
    assert!(one == other);
}

/// What does not fit all the same ends the analysis.
#[test]
fn the_analysis_ends_at_the_limit() {
    let directory = tempfile::tempdir().unwrap();
    let program = compile("-O2", directory.path());
    let (_, limited) =
        profiles(&program, &["3", "20000"], (Engine::default(), Engine::default().within_work(1_000)));
    assert!(limited.trust.limits.contains(&Reached { run: 0, limit: Limit::Time }));
}

/// A loop can be given up while its rows are taken in blocks; every row is counted all the same.
#[test]
fn loops_of_blocks_of_rows_are_given_up_too() {
    let directory = tempfile::tempdir().unwrap();
    for level in ["-O0", "-O2"] {
        let program = compile(level, directory.path());
        let mut given_up = 0;
        // At some of these the loop is given up in the middle of its rows, at others there is too little work for that, or so
        // much that the analysis ends.
        for work in (0..12).map(|k| 10_000 + 10_000 * k * k) {
            let engines = (Engine::default(), Engine::default().within_work(work));
            let (all, limited) = profiles(&program, &["1", "10", "6"], engines);
            if limited.trust.is_cut_short() {
                continue;
            }
            let is_lost = |at: usize| {
                limited.contexts[at].gap.is_some() && function_of(&limited, at as u32) == "product"
            };
            given_up += u32::from((0..limited.contexts.len()).any(is_lost));
            assert_eq!(all.trust.instructions, limited.trust.instructions, "{level} {work}");
            assert_eq!(all.trust.memory_accesses, limited.trust.memory_accesses, "{level} {work}");
            for (one, other) in all.contexts.iter().zip(&limited.contexts) {
                let counts = |of: &profile::Context| (of.entries, of.iterations, of.own_instructions);
                assert_eq!(counts(one), counts(other), "{level} {work}");
            }
            let executions = |of: &Profile| -> Vec<u64> { of.blocks.iter().map(|b| b.executions).collect() };
            assert_eq!(executions(&all), executions(&limited), "{level} {work}");
        }
        assert!(given_up > 0, "{level}");
    }
}
