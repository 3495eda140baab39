//! Sections of accesses beside the addresses of real runs (`gpumap::oracle`), on the corpus of `kernels/gpu/corpus.toml`.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::{Context, Result, bail};
use gpumap::Compiler;
use gpumap::oracle::{Site, Tally, Verdict, check};
use kernels::Static;

use crate::ci;

/// Where the table goes.
const DOCUMENT: &str = "docs/address-oracle.md";
const HEAD: &str = "# Sections beside the addresses of runs

Written by `cargo xtask address-oracle`; do not edit. The intermediate representation that `gpumap` analyses is compiled as it is,
with a callback before every load and store, and runs. In every invocation of a function the addresses of each access are
compared with its section, whose symbols have the values that they have there: base addresses, sizes, results of calls made before
a loop, contents of memory that stay the same. *equal*: the section begins and ends where the addresses do, in every invocation of
every run; *wider*: it holds more in one of them; *unknown*: there is none in terms of inputs; *refuted*: an address lies outside,
and an assumption of the section does not hold; *uncovered*: an address lies outside, so the analysis is wrong. *Assumed* are
sections that rest on assumptions, whatever their verdict. Accesses that no run executes are left out.

*Behind calls* are accesses of functions that others call, once for each chain of calls: their sections are in terms of the values of
the function that calls, and are compared with the addresses behind exactly these calls. Rows and objects that differ from iteration to
iteration are compared relative to their start.

";

/// Runs the command: all sources, and the document is written.
pub fn run() -> Result<()> {
    let compiler = Compiler::find()?;
    let mut all: Vec<(Static, Vec<Site>)> = Vec::new();
    for kernel in kernels::corpus()? {
        let sites = check(&compiler, &kernel.path(), &kernel.runs).with_context(|| kernel.source.clone())?;
        all.push((kernel, sites));
    }
    let out = document(&all)?;
    print!("{out}");
    std::fs::write(ci::root().join(DOCUMENT), out).context(DOCUMENT)?;
    let uncovered = Tally::of(all.iter().flat_map(|(_, sites)| sites)).uncovered;
    if uncovered > 0 {
        bail!("{uncovered} accesses go beyond their sections");
    }
    Ok(())
}

fn document(all: &[(Static, Vec<Site>)]) -> Result<String> {
    let mut out = HEAD.to_owned();
    writeln!(
        out,
        "| source | runs | accesses | assumed | equal | wider | unknown | refuted | uncovered |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|"
    )?;
    let row = |name: &str, runs: &str, tally: Tally| {
        let Tally { assumed, equal, wider, unknown, refuted, uncovered, .. } = tally;
        let compared = tally.compared();
        format!(
            "| {name} | {runs} | {compared} | {assumed} | {equal} | {wider} | {unknown} | {refuted} | {uncovered} |\n"
        )
    };
    for (kernel, sites) in all {
        let own = sites.iter().filter(|site| site.calls == 0);
        out += &row(kernel.name(), &kernel.runs.len().to_string(), Tally::of(own));
    }
    let sites = || all.iter().flat_map(|(_, sites)| sites).filter(|site| site.calls == 0);
    let behind_calls = Tally::of(all.iter().flat_map(|(_, sites)| sites).filter(|site| site.calls > 0));
    let whole = Tally::of(sites());
    out += &row("**all**", "", whole);
    let kernels = Tally::of(sites().filter(|site| site.function != "main"));
    out += &row("**without `main`**", "", kernels);
    out += &row("**behind calls**", "", behind_calls);
    let share = |tally: Tally| 100.0 * tally.equal as f64 / tally.compared().max(1) as f64;
    writeln!(
        out,
        "\n{} sources; {:.1} % equal, without `main` {:.1} %, behind calls {:.1} %.\n\n## Reasons\n",
        all.len(),
        share(whole),
        share(kernels),
        share(behind_calls)
    )?;
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (kernel, sites) in all {
        for site in sites.iter().filter(|site| is_listed(site.verdict)) {
            let way = if site.calls == 0 { String::new() } else { format!(" called by {}", site.function) };
            let place = format!("{} {} {}{way}", kernel.name(), site.place, site.kind);
            reasons.entry(site.verdict.to_string()).or_default().push(place);
        }
    }
    for (reason, mut places) in reasons {
        let count = places.len();
        // A function that is called twice has two sections for one place.
        places.dedup();
        writeln!(out, "- {reason} ({count}): {}.", places.join(", "))?;
    }
    Ok(out)
}

fn is_listed(verdict: Verdict) -> bool {
    !matches!(verdict, Verdict::Equal | Verdict::NotRun)
}
