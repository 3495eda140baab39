//! Sections of accesses against the addresses of real runs, on the corpus of `kernels/gpu/corpus.toml`.

use crate::support;

use std::process::Command;

use gpumap::Compiler;
use gpumap::oracle::claims::{Claims, Kind};
use gpumap::oracle::reasons::{Excess, Unknown};
use gpumap::oracle::{Oracle, Site, Tally, Verdict, check};
use gpumap::symbolic::{Polynomial, Range};
use support::programs;

/// Of so many accesses one may be anything but equal.
const ONE_IN: usize = 10;

/// The verdicts on the accesses of `observed.c`, those of `main` and runs without arguments aside.
fn observed(oracle: &Oracle, runs: &[Vec<String>]) -> Vec<(String, Verdict)> {
    let sites = oracle.compare(&Compiler::find().unwrap(), runs).unwrap();
    sites
        .into_iter()
        .filter(|site| site.function != "main" && site.calls == 0)
        .map(|site| (site.place, site.verdict))
        .collect()
}

/// Takes a byte from an end of every section.
fn shrink(of: &mut [Claims], is_lower: bool) {
    let one = Polynomial::from(1);
    for claim in of.iter_mut().flat_map(|claims| &mut claims.list) {
        let Ok(Range::Between(lower, upper)) = &mut claim.section else { continue };
        if is_lower {
            *lower = lower.map(|end| Some(end + &one));
        } else {
            *upper = upper.map(|end| Some(end - &one));
        }
    }
}

fn of_observed() -> Oracle {
    Oracle::new(&Compiler::find().unwrap(), &support::source("observed")).unwrap()
}

/// Each invocation has its own sizes and addresses; `again` calls itself five times.
#[test]
fn verdicts_are_those_that_the_source_is_made_for() {
    let expected = [
        ("8:14", Verdict::Equal),
        ("14:13", Verdict::Equal),
        ("15:18", Verdict::Wider(Excess::Guarded)),
        ("21:11", Verdict::Equal),
        ("21:21", Verdict::Unknown(Unknown::Loaded)),
        ("27:17", Verdict::NotSeen),
        ("32:10", Verdict::Equal),
    ];
    let expected = expected.map(|(place, verdict)| (place.to_owned(), verdict));
    assert_eq!(observed(&of_observed(), &[vec![]]), expected);
    let without_runs = expected.map(|(place, _)| (place, Verdict::NotRun));
    assert_eq!(observed(&of_observed(), &[]), without_runs);
}

/// Functions in place of calls: each call has its own section, and the addresses behind it are compared with that one.
#[test]
fn each_call_is_compared_with_its_own_section() {
    let compiler = Compiler::find().unwrap();
    let sites = of_observed().compare(&compiler, &[vec![]]).unwrap();
    let behind =
        sites.iter().filter(|site| site.function == "main" && site.calls == 1 && site.place == "8:14");
    let mut behind: Vec<(&str, Verdict)> = behind.map(|site| (site.section.as_str(), site.verdict)).collect();
    behind.sort();
    let expected = [
        ("&all + 28 to &all + 104", Verdict::Equal),
        ("&all to &all + 24", Verdict::Equal),
        ("&picked + 12 to &picked + 12", Verdict::NotRun),
    ];
    assert_eq!(behind, expected);
    // One byte less at either end is noticed.
    for is_lower in [true, false] {
        let mut oracle = of_observed();
        shrink(&mut oracle.behind_calls, is_lower);
        let sites = oracle.compare(&compiler, &[vec![]]).unwrap();
        let wrong = sites.iter().filter(|site| site.verdict == Verdict::Uncovered && site.place == "8:14");
        assert_eq!(wrong.map(|site| site.calls).collect::<Vec<_>>(), [1, 1]);
    }
}

/// Sections in terms of what memory holds: what is noted at loads decides, and a run in which an assumption does not hold is told
/// apart from an error.
#[test]
fn contents_that_stay_the_same_are_those_of_runs() {
    let compiler = Compiler::find().unwrap();
    let sites = check(&compiler, &support::source("contents"), &[vec![]]).unwrap();
    let written =
        sites.iter().filter(|site| site.kind == Kind::Store && site.function != "main" && site.calls == 0);
    let written: Vec<_> = written
        .map(|site| (site.place.as_str(), site.section.as_str(), site.is_assumed, site.verdict))
        .collect();
    let expected = [
        ("13:20", "row->at to 4*row->size + row->at - 4", false, Verdict::Equal),
        ("20:14", "a to a + 4*(*n) - 4", true, Verdict::Equal),
        ("26:14", "a to a + 4*(*n) - 4", true, Verdict::Refuted),
        ("33:14", "a to a + 4*(*n)@#0 - 4", true, Verdict::Equal),
        ("34:8", "n to n", false, Verdict::Equal),
        ("36:14", "a to a + 4*(*n)@#1 - 4", true, Verdict::Equal),
    ];
    assert_eq!(written, expected);
}

/// A section that is one byte too small at either end is noticed, at every access that has one.
#[test]
fn sections_that_are_too_small_are_noticed() {
    for is_lower in [true, false] {
        let mut oracle = of_observed();
        shrink(&mut oracle.claims, is_lower);
        let verdicts = observed(&oracle, &[vec![]]);
        let wrong = verdicts.iter().filter(|verdict| verdict.1 == Verdict::Uncovered);
        let wrong: Vec<&str> = wrong.map(|verdict| verdict.0.as_str()).collect();
        // What data decides (15:18) begins later and ends earlier than its section.
        assert_eq!(wrong, ["8:14", "14:13", "21:11", "32:10"]);
    }
}

/// No address lies outside of its section, and nine of ten sections are exactly what is touched.
#[test]
fn sections_hold_all_addresses_of_runs() {
    let compiler = Compiler::find().unwrap();
    let mut all: Vec<Site> = Vec::new();
    for kernel in kernels::corpus().unwrap() {
        let sites = check(&compiler, &kernel.path(), &kernel.runs);
        let sites = sites.unwrap_or_else(|error| panic!("{}: {error}", kernel.source));
        let wrong: Vec<&Site> = sites.iter().filter(|site| site.verdict >= Verdict::Refuted).collect();
        assert!(wrong.is_empty(), "{}: {wrong:#?}", kernel.source);
        let tally = Tally::of(&sites);
        assert!(tally.compared() > 0, "{}", kernel.source);
        all.extend(sites);
    }
    let (own, behind_calls): (Vec<Site>, Vec<Site>) = all.into_iter().partition(|site| site.calls == 0);
    let of_kernels = Tally::of(own.iter().filter(|site| site.function != "main"));
    let behind_calls = Tally::of(&behind_calls);
    println!("{of_kernels:?}, behind calls {behind_calls:?}");
    assert!(behind_calls.compared() > 400, "{behind_calls:?}");
    for tally in [Tally::of(&own), of_kernels, behind_calls] {
        assert!((tally.compared() - tally.equal) * ONE_IN <= tally.compared(), "{tally:?}");
    }
}

/// Random programs: their calls that have a meaning are run, and no address lies outside of its section.
#[test]
fn sections_hold_all_addresses_of_random_programs() {
    const FUNCTIONS: usize = 12;
    let numbers = ["5 4 3", "1 1 1", "0 0 0", "-3 7 2", "6 -2 -1", "9 2 5", "3 3 9", "-5 -4 -3", "7 12 1"];
    let compiler = Compiler::find().unwrap();
    let (mut all, mut calls) = (Vec::new(), 0);
    let seeds = kernels::cases(8, 3);
    for seed in 0..seeds {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("random.c");
        std::fs::write(&file, programs::program(seed * 1001 + 7, FUNCTIONS)).unwrap();
        let checked = directory.path().join("checked");
        let mut clang = Command::new(compiler.clang());
        clang.args(["-w", "-O1", "-fsanitize=undefined", "-fsanitize-trap=all"]);
        assert!(clang.arg(&file).arg("-o").arg(&checked).status().unwrap().success());
        let arguments = (0..FUNCTIONS).flat_map(|number| numbers.map(|three| format!("{number} {three}")));
        let runs = arguments.map(|text| text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let has_meaning = |run: &Vec<String>| Command::new(&checked).args(run).status().unwrap().success();
        let runs: Vec<Vec<String>> = runs.filter(has_meaning).collect();
        calls += runs.len();
        let sites = check(&compiler, &file, &runs).unwrap();
        let wrong: Vec<&Site> = sites.iter().filter(|site| site.verdict == Verdict::Uncovered).collect();
        assert!(wrong.is_empty(), "seed {seed}: {wrong:#?}");
        all.extend(sites);
    }
    let tally = Tally::of(&all);
    println!("{calls} calls: {tally:?}");
    assert!(calls > 50 * seeds as usize && tally.equal > 12 * seeds as usize, "{calls} calls: {tally:?}");
}
