//! `report --table`, `--region` and `--verify`: figures of regions whose values are known from their source.

use crate::support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

use kernels::Level;
use support::Place;

fn profile(place: &Place, program: &Path, arguments: &[&str]) -> PathBuf {
    let path = place.path(&format!("{}.lwp", program.file_name().unwrap().to_string_lossy()));
    let mut command = place.loopwright();
    command.args(["profile", "--quiet", "-o"]).arg(&path).arg("--").arg(program).args(arguments);
    assert!(command.output().unwrap().status.success());
    path
}

/// The profile of a kernel at -O2.
fn kernel(place: &Place, name: &str, arguments: &[&str]) -> PathBuf {
    let kernel = kernels::load().unwrap().into_iter().find(|k| k.name() == name).unwrap();
    profile(place, &kernels::compile(&kernel, Level::O2, place.directory()).unwrap().path, arguments)
}

fn report(place: &Place, arguments: &[&str], profiles: &[&Path]) -> Output {
    place.loopwright().arg("report").args(arguments).args(profiles).output().unwrap()
}

/// The rows of a table by the name of their program, each as its cells by the name of their column.
fn rows(output: &Output) -> BTreeMap<String, BTreeMap<String, String>> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let lines: Vec<Vec<String>> = text.lines().map(cells).collect();
    let row = |line: &Vec<String>| {
        (line[0].clone(), lines[0].iter().cloned().zip(line.iter().cloned()).collect::<BTreeMap<_, _>>())
    };
    lines[2..].iter().map(row).collect()
}

/// Cells of a line; the head has a column `%||ops`, so it is ` | ` that parts them.
fn cells(line: &str) -> Vec<String> {
    line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()
}

fn expect(row: &BTreeMap<String, String>, expected: &[(&str, &str)]) {
    for (column, value) in expected {
        assert_eq!(row[*column], *value, "{column} of {row:#?}");
    }
}

#[test]
fn columns_of_kernels_with_known_loops() {
    let place = Place::new();
    let multiply = kernel(&place, "matmul_ikj", &["40"]);
    let align = kernel(&place, "needle", &["60"]);
    let layers = kernel(&place, "perceptron", &[]);
    let published = place.path("published.csv");
    let head = "benchmark,V,E,aff,region,ops,mops,fpops,interprocedural,polly_failed,skew,par_ops,simd_ops,reuse,preuse,\
        ld_src,ld_bin,tile_depth,til_ops,components_before,components_after,fusion";
    let line = format!("{head}\nneedle,80 M{}\n", ",x".repeat(20));
    std::fs::write(&published, line).unwrap();
    let published = ["--table", "--published", published.to_str().unwrap()];
    let all = rows(&report(&place, &published, &[&multiply, &align, &layers]));
    // All three loops may be tiled, the outermost one is parallel, and so are all iterations along the rows.
    expect(
        &all["matmul_ikj.O2"],
        &[
            ("region", "matmul_ikj.c:12"),
            ("interproc.", "N"),
            ("skew", "N"),
            ("%||ops", "100%"),
            ("ld-src", "3D"),
            ("ld-bin", "3D"),
            ("TileD", "3D"),
            ("%Tilops", "100%"),
            ("%reuse", "100%"),
            ("C", "1"),
            ("Comp.", "1"),
            ("fusion", "S"),
        ],
    );
    // A wavefront: nothing is parallel as it is, tiles are.
    expect(
        &all["needle.O2"],
        &[("region", "needle.c:11"), ("%||ops", "99%"), ("TileD", "2D"), ("%FPops", "0%")],
    );
    let published = &all["needle, published"];
    assert_eq!((published["#V"].as_str(), published["fusion"].as_str()), ("80 M", "x"));
    // Rows are reached through loaded pointers, in blocks of the heap, and exp() is called.
    expect(
        &all["perceptron.O2"],
        &[("Polly", "RFA"), ("interproc.", "Y"), ("%||ops", "98%"), ("TileD", "2D")],
    );
}

#[test]
fn obstacles_to_static_tools_are_seen() {
    let place = Place::new();
    for (name, arguments, function, letters) in [
        ("spmv", &[][..], "product", "F"),
        ("early_exit", &[], "locate", "C"),
        ("collatz", &[], "lengths", "B"),
        ("floyd_warshall", &[], "improve", "B"),
    ] {
        let profile = kernel(&place, name, arguments);
        let all = rows(&report(&place, &["--table", "--region", function], &[&profile]));
        let row = &all[&format!("{name}.O2")];
        for letter in letters.chars() {
            assert!(row["Polly"].contains(letter), "{name}: {letter} of {row:#?}");
        }
        assert!(name != "floyd_warshall" || !row["Polly"].contains(['R', 'C', 'F', 'P']), "{name}: {row:#?}");
    }
}

/// The base pointers of a stencil change places after every step: P; its bounds and addresses are plain.
#[test]
fn a_base_pointer_that_changes_is_seen() {
    let place = Place::new();
    let source = "#include <stdio.h>\n#include <stdlib.h>\n\
        __attribute__((noinline)) static double *smooth(double *a, double *b, int steps, int n)\n{\n\
        for (int t = 0; t < steps; t++) {\n        for (int i = 1; i < n - 1; i++)\n\
        b[i] = a[i - 1] + a[i] + a[i + 1];\n        double *c = a;\n        a = b;\n        b = c;\n    }\n    return a;\n}\n\
        int main(void)\n{\n    double *a = calloc(100, 8), *b = calloc(100, 8);\n    a[50] = 1;\n\
        printf(\"%f\\n\", smooth(a, b, 20, 100)[50]);\n    return 0;\n}\n";
    for flags in [["-O0", "-g"], ["-O1", "-g"], ["-O2", "-g"]] {
        let profile = profile(&place, &place.compile("smooth", source, &flags), &[]);
        let row = &rows(&report(&place, &["--table", "--region", "smooth"], &[&profile]))["smooth"];
        assert!(row["Polly"].contains('P') && row["Polly"].contains('A'), "{flags:?}: {row:#?}");
        assert!(!row["Polly"].contains(['R', 'C', 'B']), "{flags:?}: {row:#?}");
    }
}

#[test]
fn regions_are_chosen_by_name() {
    let place = Place::new();
    let profile = kernel(&place, "jacobi", &["30", "6"]);
    let with = |region: &str| report(&place, &["--schedule", "--verify", "--region", region], &[&profile]);
    let text = |output: Output| {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    for name in ["relax", "jacobi.c:10", "jacobi.c:relax:10"] {
        let text = text(with(name));
        assert!(text.contains("\njacobi.c:relax:10  "), "{text}");
        assert!(text.contains("verified by isl, by "), "{text}");
    }
    let inner = text(with("jacobi.c:11"));
    assert!(inner.contains("\njacobi.c:relax:11  ") && !inner.contains("\njacobi.c:relax:10  "), "{inner}");
    let unknown = with("relaxx");
    assert_eq!(unknown.status.code(), Some(2));
    let said = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(said.contains("no loop that ran is or is in relaxx ("), "{said}");
    assert!(said.contains("did you mean jacobi.c:relax:10"), "{said}");
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let place = Place::new();
    let profile = kernel(&place, "jacobi", &["10", "2"]);
    for (arguments, said) in [
        (&["--region", "relax"][..], "--region is for --schedule and --table"),
        (&["--verify"], "--verify is for --schedule and --table"),
        (&["--fusion", "max"], "--fusion is for --schedule and --table"),
        (&["--table", "--format", "json"], "--table has a form of its own"),
        (&["--published", "x.csv"], "--published is for --table and --format folding"),
    ] {
        let output = report(&place, arguments, &[&profile]);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(said), "{arguments:?}: {error}");
    }
}

/// A profile of counts alone, no isl, and files that are no profiles: what is missing is named, the rest is printed.
#[test]
fn what_is_missing_is_named() {
    let place = Place::new();
    let profile = kernel(&place, "jacobi", &["30", "6"]);
    let text = |output: &Output| String::from_utf8(output.stdout.clone()).unwrap();
    let counts = place.path("counts.lwp");
    let mut command = place.loopwright();
    command.args(["profile", "--quiet", "--fast", "-o"]).arg(&counts).arg("--").arg(place.path("jacobi.O2"));
    assert!(command.output().unwrap().status.success());
    let said = text(&report(&place, &["--schedule"], &[&counts]));
    assert!(said.contains("none: executions were counted alone, without dependences"), "{said}");
    let row = &rows(&report(&place, &["--table"], &[&counts]))["jacobi.O2"];
    expect(row, &[("region", "jacobi.c:10"), ("#V", "-"), ("%||ops", "-"), ("Polly", "-"), ("TileD", "-")]);
    assert_ne!(row["%ops"], "-");
    // What stands in the way of isl are files of its names.
    for name in ["libisl.so.23", "libisl.so.22", "libisl.so.21", "libisl.so"] {
        std::fs::write(place.path(name), "no library").unwrap();
    }
    let without = |arguments: &[&str]| {
        let mut command = place.loopwright();
        command.env("LD_LIBRARY_PATH", place.directory()).arg("report").args(arguments).arg(&profile);
        command.output().unwrap()
    };
    let said = text(&without(&["--schedule", "--region", "relax"]));
    assert!(said.contains("none: isl is not installed") && said.contains("libisl23"), "{said}");
    assert!(said.contains("in parallel loops 100 % of its instructions"), "{said}");
    let row = &rows(&without(&["--table"]))["jacobi.O2"];
    expect(row, &[("TileD", "2D"), ("fusion", "-")]);
    let bytes = std::fs::read(&profile).unwrap();
    let mut newer = bytes.clone();
    newer[8] = 99;
    for (bytes, reason) in [(&bytes[..bytes.len() / 2], "damaged profile"), (&newer, "profile format 99")] {
        let file = place.path("other.lwp");
        std::fs::write(&file, bytes).unwrap();
        let output = report(&place, &["--table"], &[&profile, &file]);
        assert_eq!(output.status.code(), Some(2));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains("other.lwp") && error.contains(reason), "{error}");
    }
}

/// Nests of the JSON report: figures of their region, and advice with its reason.
#[test]
fn nests_have_figures_and_advice() {
    let place = Place::new();
    let profile = kernel(&place, "matmul_ijk", &["40"]);
    let output = report(&place, &["--format", "json"], &[&profile]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let is_product = |nest: &&serde_json::Value| {
        nest["loops"].as_array().unwrap().iter().any(|id| id.as_str().unwrap().contains(":multiply:"))
    };
    let nest = report["nests"].as_array().unwrap().iter().find(is_product).unwrap();
    let kinds: Vec<&str> =
        nest["advice"].as_array().unwrap().iter().map(|advice| advice["kind"].as_str().unwrap()).collect();
    // Along k the second matrix is read by columns; along j everything goes on to the next element.
    assert_eq!(kinds, ["parallelise", "vectorise", "interchange", "tile"], "{nest:#}");
    let metrics = &nest["metrics"];
    let share = |name: &str| metrics[name].as_f64().unwrap();
    assert!(share("par_ops") > 0.99 && share("til_ops") > 0.9 && share("aff") > 0.99, "{metrics}");
    assert!(share("preuse") > 0.99 && share("reuse") < 0.8, "{metrics}");
}
