//! What is emitted runs as the sequential program does (issue 31), and what is wrong is noticed.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use gpumap::Compiler;
use gpumap::access::Accesses;
use gpumap::calls::{Cone, LENGTH};
use gpumap::control::Control;
use gpumap::device::{Block, Device};
use gpumap::emit::Dialect;
use gpumap::frontend::Texts;
use gpumap::memory::effects::Summaries;
use gpumap::offload::show::{Asked, Directed, Trial, directives};
use gpumap::recurrence::Given;
use gpumap::shared::Scheme;
use gpumap::verify::{Change, Check, Fault, Inputs, Verdict, check};

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(file)
}

/// The directives for all functions of a source, which were run, by function.
fn ran(file: &str) -> Vec<(String, Directed)> {
    let (compiler, path) = (Compiler::find().unwrap(), path(file));
    let module = compiler.read(&path, &[]).unwrap_or_else(|error| panic!("{error}"));
    let given = Given::default();
    let (block, device) = (Block::new(32, 8, 1).unwrap(), Device::named("sm_90").unwrap());
    let asked = Asked { observed: None, line: None, given: &given, block, device, scheme: Scheme::default() };
    let (texts, has_failed) = (Texts::new(&module), Cell::new(false));
    let trial = Trial { clang: compiler.clang(), file: &path, options: &[], has_failed: &has_failed };
    let all = module.defined().flat_map(|function| {
        let cone = Cone::new(&module, function, LENGTH);
        let list = directives(&module, &cone, asked, (Dialect::OpenMp, &texts), Some(trial));
        let name = module.shown_name(function.symbol);
        list.into_iter().map(|directed| (name.clone(), directed)).collect::<Vec<_>>()
    });
    all.collect()
}

/// Directives of these functions are there and run; those of other ones are not wrong.
fn check_all(file: &str, functions: &[(&str, &str)]) {
    let list = ran(file);
    for (name, directed) in &list {
        let is_wrong = matches!(directed.verdict, Some(Verdict::Other(_)));
        assert!(!is_wrong, "{name}: {:?} is wrong: {:?}", directed.text, directed.verdict);
    }
    for (function, part) in functions {
        let (_, directed) = list.iter().find(|(name, _)| name == function).unwrap();
        let text = directed.text.as_ref().unwrap_or_else(|why| panic!("{function}: {why}"));
        assert!(text.contains(part), "{part} is missing in {text}");
        assert_eq!(directed.verdict, Some(Verdict::Same(6)), "{function}: {text}");
    }
}

/// What is copied back beside what a loop writes has been copied there.
#[test]
fn what_is_not_written_stays() {
    check_all(
        "regression_31_sections.c",
        &[
            ("part_of_row", "map(tofrom: a["),
            ("all_rows", "map(tofrom: a["),
            ("first_members", "map(tofrom: a[0:n])"),
            ("plain", "map(to: b[0:n]) map(from: a[0:n])"),
            ("half_up_to", "map("),
            ("sum_of_some", "reduction(+: sum)"),
            // That both are one array says nothing that clauses could.
            ("dot", "map(to: x[0:n]) map(tofrom: sum)"),
        ],
    );
}

/// Directives for iterations that are proved independent.
#[test]
fn proved_loops_run() {
    let functions =
        ["columns_inside", "strided", "transposed", "interleaved", "halves", "mirrored", "shifted"];
    check_all("regression_31_independent.c", &functions.map(|function| (function, "from: a[")));
}

/// A section that is too short or that brings back what was not written, and iterations that need an order, are noticed.
#[test]
fn wrong_directives_are_noticed() {
    let (compiler, path) = (Compiler::find().unwrap(), path("regression_31_sections.c"));
    let module = compiler.read(&path, &[]).unwrap_or_else(|error| panic!("{error}"));
    let function = |name: &str| module.defined().find(|one| module.shown_name(one.symbol) == name).unwrap();
    let teams = "#pragma omp target teams distribute parallel for";
    for (name, line, clauses) in [
        ("part_of_row", 4, "map(to: b[0:m]) map(from: a[0:n])"),
        ("first_members", 16, "map(from: a[0:n])"),
        ("plain", 21, "map(to: b[0:n]) map(from: a[0:n-1])"),
        ("sum_of_some", 32, "map(to: a[0:n])"),
    ] {
        let cone = Cone::new(&module, function(name), LENGTH);
        let control = Control::new(&cone.function);
        let (mut summaries, given) = (Summaries::default(), Given::default());
        let mut accesses = Accesses::with_values(&module, &cone.function, &control, &mut summaries, &given);
        let inputs = Inputs::new(&module, &mut accesses).unwrap();
        let change = Change::Directive { line, text: format!("{teams} {clauses}") };
        let of = Check {
            clang: compiler.clang(),
            file: &path,
            options: &[],
            inputs: &inputs,
            change: &change,
            is_inexact: false,
        };
        let verdict = check(of);
        let is_noticed = matches!(verdict, Verdict::Other(Fault::Differs(_) | Fault::Failed(_)));
        assert!(is_noticed, "{name}: {verdict:?}");
    }
}
