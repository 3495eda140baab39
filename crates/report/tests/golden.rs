//! Every renderer on stored profiles, as golden text: `cargo insta review` or `INSTA_UPDATE=always` accepts changes.
//!
//! The profiles are recordings of kernels of this project (`cargo xtask store-profiles`): two sweeps over a grid, loops
//! that changes of storage make parallel, a Fortran module with procedures called twice, and executions counted alone.

use std::path::Path;

use insta::Settings;
use profile::Profile;
use report::html::{self, Sources};
use report::polyhedral::Program;
use report::{diff, explain, flamegraph, folding, isl, openscop, sarif, stacks, text, wire};

fn stored(name: &str) -> Profile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/profiles/{name}.lwp"));
    profile::file::read(&path).unwrap_or_else(|error| panic!("{error}: cargo xtask store-profiles"))
}

/// Compares with the file of this name.
fn assert_golden(name: &str, text: &str) {
    let mut settings = Settings::clone_current();
    settings.set_snapshot_path("golden");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// A page without its script and style sheet, which are the same on all.
fn body(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    for (open, close) in [("<style>", "</style>"), ("<script>", "</script>")] {
        if let Some((before, inside)) = rest.split_once(open) {
            out.push_str(before);
            rest = inside.split_once(close).unwrap().1;
        }
    }
    out + rest
}

/// All that is printed about one profile; the polyhedral program of one function if it is large.
fn check(name: &str, function: Option<&str>) {
    let profile = stored(name);
    let report = report::report(&profile);
    let golden = |what: &str, text: &str| assert_golden(&format!("{name}.{what}"), text);
    golden("text", &text::summary(&report, text::Options { top: 20, colour: false }));
    golden("json", &wire::json(&report));
    golden("html", &body(&html::page(&report, &Sources::new(), html::Options { nests: 3 })));
    golden("svg", &flamegraph::svg(&report).unwrap());
    golden("folded", &stacks::folded(&report));
    golden("speedscope", &stacks::speedscope(&report));
    golden("sarif", &sarif::sarif(&report, None));
    golden("folding", &folding::table(std::slice::from_ref(&profile), None, None));
    golden("isl", &isl::text(&Program::of(&profile, function)));
    golden("openscop", &openscop::text(&Program::of(&profile, function)));
    let explained = |at: usize| explain::text(&report, at, &explain::explain(&report, at));
    let all: Vec<String> = (0..report.loops.len()).map(explained).collect();
    golden("explain", &all.join("\n"));
    let itself = diff::diff(&report, &report, 0.0);
    assert!(itself.is_empty(), "{}", itself.text());
}

#[test]
fn sweeps_over_a_grid() {
    check("jacobi", None);
}

#[test]
fn changes_of_storage() {
    check("renamed", None);
}

#[test]
fn procedures_of_a_module() {
    check("smooth", Some("fields::change"));
}

#[test]
fn executions_counted_alone() {
    check("sweeps", None);
}

#[test]
fn differences_between_programs() {
    let (before, after) = (stored("jacobi"), stored("renamed"));
    let found = diff::diff(&report::report(&before), &report::report(&after), 0.0);
    assert_golden("jacobi.renamed.diff", &found.text());
}
