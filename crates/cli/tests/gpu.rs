//! `loopwright gpu`: stages of the static analyses of a C source, and what is said where there is nothing to analyse.

use crate::gpu_support as support;

use std::path::PathBuf;

use support::{analysed, command, gpu, is_as_accepted, profile, said};
use tempfile::TempDir;

const SOURCE: &str = "\
int sum(const int *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] > 0 ? a[i] : LEAST;
    return sum;
}
";

fn source(place: &TempDir, text: &str) -> PathBuf {
    let file = place.path().join("sum.c");
    std::fs::write(&file, text).unwrap();
    file
}

#[test]
fn loops_have_their_place() {
    let place = tempfile::tempdir().unwrap();
    let file = source(&place, SOURCE);
    let (code, shown, _) = said(&gpu(&place, &file, &["--dump", "loops", "--", "-DLEAST=0"]));
    assert_eq!(code, Some(0));
    let expected = "function sum\n  sum.c:4:5 to 5:34: header for.cond, 6 blocks, left from for.cond\n";
    assert_eq!(shown, expected);
}

#[test]
fn values_have_the_names_of_variables() {
    let place = tempfile::tempdir().unwrap();
    let file = source(&place, SOURCE);
    let args = ["--function", "sum", "--dump", "ir", "--", "-DLEAST=0"];
    let (code, shown, _) = said(&gpu(&place, &file, &args));
    assert_eq!(code, Some(0));
    for part in
        ["function sum(ptr %a, i32 %n): i32", "i = %i.0", "add nsw %i.0, 1", "; 4:29", "if %cmp to for.body"]
    {
        assert!(shown.contains(part), "{part:?} is missing in:\n{shown}");
    }
}

#[test]
fn addresses_are_in_terms_of_inputs_and_iterations() {
    let place = tempfile::tempdir().unwrap();
    let file = source(&place, SOURCE);
    let (code, shown, _) = said(&gpu(&place, &file, &["--dump", "expressions", "--", "-DLEAST=0"]));
    assert_eq!(code, Some(0));
    for part in ["loop #0 sum.c:4:5: goes on n times", "i = #0", "5:16 load a + 4*#0"] {
        assert!(shown.contains(part), "{part:?} is missing in:\n{shown}");
    }
}

/// Inputs with values: sections are numbers and say where they are from; a name that is none is said.
#[test]
fn inputs_may_have_values() {
    let place = tempfile::tempdir().unwrap();
    let file = source(&place, SOURCE);
    let args = ["--dump", "ranges", "--set", "n=1024", "--set", "m=3", "--", "-DLEAST=0"];
    let (code, shown, _) = said(&gpu(&place, &file, &args));
    assert_eq!(code, Some(0));
    for part in ["5:16 load a [0, 4096) (from run: n is 1024)", "nothing is called m"] {
        assert!(shown.contains(part), "{part:?} is missing in:\n{shown}");
    }
    let (code, _, error) = said(&gpu(&place, &file, &["--dump", "ranges", "--set", "n=many"]));
    assert_eq!(code, Some(2));
    assert!(error.contains("no integer of 64 bits"), "{error}");
    let (code, _, error) = said(&gpu(&place, &file, &["--dump", "loops", "--set", "n=4"]));
    assert_eq!(code, Some(2));
    assert!(error.contains("--set gives inputs values for the report"), "{error}");
}

#[test]
fn what_is_wrong_is_named() {
    let place = tempfile::tempdir().unwrap();
    let file = source(&place, SOURCE);
    let (code, shown, error) = said(&gpu(&place, &file, &["--dump", "ir"]));
    assert_eq!((code, shown.as_str()), (Some(2), ""));
    let expected =
        format!("loopwright: {}:5:34: error: use of undeclared identifier 'LEAST'\n", file.display());
    assert_eq!(error, expected);

    let args = ["--function", "total", "--dump", "ir", "--", "-DLEAST=0"];
    let (code, _, error) = said(&gpu(&place, &file, &args));
    assert_eq!(code, Some(2));
    assert!(error.contains("defines no function total, but sum"), "{error}");

    let output = command(&place).args(["--dump", "ir"]).arg(&file).env("PATH", "").output().unwrap();
    let (code, _, error) = said(&output);
    assert_eq!(code, Some(2));
    let expected = "clang-19 is not installed; it reads C sources (Debian: apt-get install clang-19 llvm-19)";
    assert_eq!(error, format!("loopwright: {expected}\n"));
}

#[test]
fn a_run_decides_what_can_run_on_a_device() {
    let place = tempfile::tempdir().unwrap();
    let (source, file) = profile(&place, "jacobi");
    let file = file.to_str().unwrap();
    let (code, shown, _) = said(&gpu(&place, &source, &["--function", "relax", "--profile", file]));
    assert_eq!(code, Some(0));
    for part in [
        "loop line 10: cannot run on a device",
        "an iteration uses what another one computed in a (heap block",
        "nest line 11 and line 12: can run on a device",
        "in, scalar: n",
        "in and out, array: b [8*n + 8, 8*n^2 - 8*n - 8)",
        "to be checked: a and b do not overlap",
    ] {
        assert!(shown.contains(part), "{part:?} is missing in:\n{shown}");
    }

    let (code, shown, _) = said(&gpu(&place, &source, &["--profile", file, "--loop", "12"]));
    assert_eq!(code, Some(0));
    assert!(shown.contains("loop line 12: can run on a device") && !shown.contains("line 14"), "{shown}");

    let (code, shown, _) = said(&gpu(&place, &source, &["--function", "relax"]));
    assert_eq!(code, Some(0));
    let proved =
        "nest line 11 and line 12: can run on a device: the source shows that iterations do not depend";
    assert!(shown.contains(proved) && !shown.contains("no run was looked at"), "{shown}");
}

#[test]
fn a_profile_of_another_program_is_named() {
    let place = tempfile::tempdir().unwrap();
    let (_, file) = profile(&place, "dot");
    let source = source(&place, SOURCE);
    let args = ["--profile", file.to_str().unwrap(), "--", "-DLEAST=0"];
    let (code, _, error) = said(&gpu(&place, &source, &args));
    assert_eq!(code, Some(2));
    assert!(error.contains("it is a profile of another program"), "{error}");
    let (code, _, error) = said(&gpu(&place, &source, &["--loop", "1", "--", "-DLEAST=0"]));
    assert_eq!(code, Some(2));
    assert!(error.contains("begins on line 1"), "{error}");
}

/// The sample of the published system, with the corrections of its definitions: a colour convolution; a sum of matrices of 1024 by
/// 1024, on a present device and by the published formula.
#[test]
fn the_sample_reports_are_as_accepted() {
    let place = tempfile::tempdir().unwrap();
    for (name, source, args) in [
        ("convolution", "colour_convolution", &[][..]),
        ("matrix_addition", "matrix_addition", &["--set", "n=1024"]),
        ("matrix_addition_fermi", "matrix_addition", &["--device", "fermi"]),
    ] {
        let (code, shown, _) = said(&gpu(&place, &analysed(source), args));
        assert_eq!(code, Some(0));
        is_as_accepted(name, &shown);
    }
}

/// What iterations combine in memory, and what they share, is in clauses or there is no directive.
#[test]
fn directives_say_what_iterations_share() {
    let place = tempfile::tempdir().unwrap();
    for (kernel, function, expected) in [
        ("histogram", "count", "none, as iterations combine what they add to bins"),
        (
            "matmul_ikj",
            "multiply",
            "parallel for map(to: a[0:(long)n * n], b[0:(long)n * n]) map(tofrom: c[0:",
        ),
        ("scratch_row", "mirror", "map(from: out[0:(long)rows * columns]) private(row)"),
        ("renamed", "halves", "none, as half is shared: it needs an element for each iteration"),
        ("dot", "dot", "map(tofrom: sum) reduction(+: sum)"),
    ] {
        let (source, file) = profile(&place, kernel);
        let args = ["--function", function, "--emit", "omp", "--profile", file.to_str().unwrap()];
        let (code, shown, _) = said(&gpu(&place, &source, &args));
        assert_eq!(code, Some(0));
        assert!(shown.contains(expected), "{kernel}: {expected:?} is missing in:\n{shown}");
    }
}

/// The JSON report: numbers stand beside expressions, and 32 lines as written become 1 when the loops change places.
#[test]
fn the_json_report_has_numbers() {
    let place = tempfile::tempdir().unwrap();
    let source = analysed("matrix_addition");
    let (code, shown, _) = said(&gpu(&place, &source, &["--set", "n=1024", "--format", "json"]));
    assert_eq!(code, Some(0));
    let report: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(report["schema"], "loopwright.gpu/1");
    let nest = &report["loops"][0];
    assert_eq!((&nest["dims"], &nest["friendly"]), (&2.into(), &true.into()));
    let nested = nest["parameters"].as_array().unwrap().iter().find(|p| p["name"] == "c->data").unwrap();
    assert_eq!((&nested["kind"], &nested["direction"]), (&"nested".into(), &"out".into()));
    assert_eq!((&nested["hi"]["value"], &nested["known"]), (&4_194_304.into(), &"from-run".into()));
    let load = &nest["accesses"][0];
    let lines = |at: usize| (&load["mappings"][at]["x"], &load["mappings"][at]["lines"]["value"]);
    assert_eq!(lines(0), (&"i".into(), &32.into()));
    assert_eq!(lines(1), (&"j".into(), &1.into()));
    assert_eq!(nest["advice"], "j");
}

/// A value that the compiler computes once, in the loop and for what follows, comes out though it has no name.
#[test]
fn values_without_a_name_come_out_too() {
    let place = tempfile::tempdir().unwrap();
    let text = "\
int fill(int *b, int n)
{
    int i;
    for (i = 0; i * 3 < n; i++)
        b[i] = 1;
    return i * 3;
}
";
    let file = source(&place, text);
    let (code, shown, _) = said(&gpu(&place, &file, &["--emit", "omp"]));
    assert_eq!(code, Some(0));
    assert!(shown.contains("line 4: none, as a value of line 4 comes out"), "{shown}");
}
