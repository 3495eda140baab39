//! Sections of accesses against the addresses of real runs, on the corpus of `kernels/gpu/corpus.toml`.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

mod support;

use gpumap::Compiler;
use gpumap::oracle::{Site, Tally, Verdict, check};

/// Of so many accesses one may be anything but equal.
const ONE_IN: usize = 10;

/// The verdicts on a source of these tests, by line and column.
fn verdicts(source: &str, runs: &[&[&str]]) -> Vec<(String, Verdict)> {
    let runs: Vec<Vec<String>> =
        runs.iter().map(|run| run.iter().map(ToString::to_string).collect()).collect();
    let sites = check(&Compiler::find().unwrap(), &support::source(source), &runs).unwrap();
    sites.into_iter().filter(|site| site.function != "main").map(|site| (site.place, site.verdict)).collect()
}

/// No address lies outside of its section, and nine of ten sections are exactly what is touched.
#[test]
fn sections_hold_all_addresses_of_runs() {
    let compiler = Compiler::find().unwrap();
    let mut all: Vec<Site> = Vec::new();
    for kernel in kernels::corpus().unwrap() {
        let sites = check(&compiler, &kernel.path(), &kernel.runs);
        let sites = sites.unwrap_or_else(|error| panic!("{}: {error}", kernel.source));
        let tally = Tally::of(&sites);
        assert_eq!(tally.uncovered, 0, "{}: {sites:#?}", kernel.source);
        assert!(tally.compared() > 0, "{}", kernel.source);
        all.extend(sites);
    }
    let of_kernels = Tally::of(all.iter().filter(|site| site.function != "main"));
    println!("{of_kernels:?}");
    for tally in [Tally::of(&all), of_kernels] {
        assert!((tally.compared() - tally.equal) * ONE_IN <= tally.compared(), "{tally:?}");
    }
}
