//! `report --schedule --code`: transformed sources compile and print what the original prints, on the input of the profile and on
//! another one, with one thread and two. (`cargo xtask prove` does the same on larger inputs, and measures.)
//!
//! Without clang these tests are skipped, and say so; `cargo xtask ci` installs it.

use crate::support;

use std::path::{Path, PathBuf};
use std::process::Command;

use kernels::Level;
use serde_json::Value;
use support::Place;

/// Kernels with the function of which code must be written, and a size that was not profiled.
const PROVED: [(&str, &str, &str); 18] = [
    ("matmul_ikj", "multiply", "300"),
    ("matmul_ijk", "multiply", "300"),
    ("jacobi", "relax", "300"),
    ("needle", "align", "300"),
    ("floyd_warshall", "improve", "300"),
    ("perceptron", "layer", "8"),
    ("triangular_solve", "main", "300"),
    ("three_functions", "row", "300"),
    ("transposed_product", "products", "300"),
    ("tensor_product", "contract", "40"),
    ("correlation", "correlate", "300"),
    ("lu", "eliminate", "300"),
    ("cholesky", "factor", "300"),
    ("jacobi_1d", "relax", "300"),
    ("seidel", "relax", "300"),
    ("rank_update", "update", "300"),
    ("two_products", "products", "300"),
    ("vector_products", "multiply", "300"),
];

fn has_clang() -> bool {
    let found = source::Clang::find();
    if let Err(missing) = &found {
        eprintln!("SKIPPED: {missing}");
    }
    found.is_ok()
}

/// What the report says of code for a program's nests.
fn code(place: &Place, program: &Path, arguments: &[String], longer: &str) -> Value {
    let mut command = place.loopwright();
    command.args(["profile", "--quiet", "-o", "p.lwp", "--"]).arg(program).args(arguments);
    assert!(command.output().unwrap().status.success());
    let mut command = place.loopwright();
    let output = command
        .args(["report", "--format", "json", "--schedule", "--code", "code", "--regardless"])
        .args(["--longer", longer, "p.lwp"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["code"].clone()
}

fn compile(place: &Place, source: &Path, name: &str) -> PathBuf {
    let program = place.path(name);
    let flags = ["-std=gnu99", "-O1", "-ffp-contract=off", "-fopenmp"];
    let mut command = Command::new("cc");
    let done = command.args(flags).arg("-o").arg(&program).arg(source).arg("-lm").output().unwrap();
    assert!(done.status.success(), "{}: {}", source.display(), String::from_utf8_lossy(&done.stderr));
    program
}

fn printed(program: &Path, arguments: &[String], threads: &str) -> String {
    let mut command = Command::new(program);
    command.args(arguments).env("OMP_NUM_THREADS", threads).env("OMP_WAIT_POLICY", "passive");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}: {}", program.display(), output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// For loops as long as those of the profile, and for ones so much longer that tiles, diagonals and arrays for variables pay.
fn prove(kernel: &str, function: &str, other: &str) {
    let table = kernels::load().unwrap();
    let kernel = table.iter().find(|k| k.name() == kernel).unwrap();
    let place = Place::new();
    let program = kernels::compile(kernel, Level::O0, place.directory()).unwrap();
    let original = compile(&place, &kernel.path(), "original");
    let inputs = [kernel.arguments.clone(), vec![other.to_owned()]];
    let expected: Vec<String> = inputs.iter().map(|input| printed(&original, input, "1")).collect();
    for longer in ["1", "100"] {
        let code = code(&place, &program.path, &kernel.arguments, longer);
        let nests = code["nests"].as_array().unwrap();
        let written: Vec<&Value> = nests.iter().filter(|nest| nest["file"].is_string()).collect();
        let is_of = |nest: &&&Value| nest["region"].as_str().unwrap().split(':').nth(1) == Some(function);
        let pays_not =
            |nest: &Value| nest["reason"].as_str().is_some_and(|why| why.contains("not expected to pay"));
        let is_answered = written.iter().any(|nest| is_of(&nest))
            || longer == "1" && nests.iter().any(|nest| is_of(&&nest) && pays_not(nest));
        assert!(is_answered, "{}: no code of {function}: {code:#}", kernel.name());
        assert!(written.iter().all(|nest| !nest["sequence"].as_array().unwrap().is_empty()), "{code:#}");
        let together = code["together"].as_array().unwrap();
        // All nests together, where there are several.
        let alone = written.iter().map(|nest| &nest["file"]).filter(|_| together.is_empty());
        let files: Vec<&str> = alone.chain(together).map(|file| file.as_str().unwrap()).collect();
        for (k, file) in files.iter().enumerate() {
            let proposed = compile(&place, &place.path(file), &format!("proposed{k}"));
            for (input, expected) in inputs.iter().zip(&expected) {
                for threads in ["1", "2"] {
                    let printed = printed(&proposed, input, threads);
                    assert_eq!(
                        &printed, expected,
                        "{file} {input:?}, {threads} threads, {longer} times as long"
                    );
                }
            }
        }
    }
}

#[test]
fn proposed_code_prints_what_the_original_prints() {
    if !has_clang() {
        return;
    }
    let cases: Vec<_> = PROVED.iter().enumerate().filter(|(at, _)| kernels::is_taken(*at, 2)).collect();
    let failed: Vec<&str> = std::thread::scope(|scope| {
        let halves = cases.chunks(cases.len().div_ceil(2)).map(|half| {
            scope.spawn(|| {
                let fails = |(kernel, function, other): &(&str, &str, &str)| {
                    std::panic::catch_unwind(|| prove(kernel, function, other)).is_err()
                };
                half.iter()
                    .map(|case| case.1)
                    .filter(|case| fails(case))
                    .map(|case| case.0)
                    .collect::<Vec<_>>()
            })
        });
        let halves: Vec<_> = halves.collect();
        halves.into_iter().flat_map(|half| half.join().unwrap()).collect()
    });
    assert!(failed.is_empty(), "{failed:?}");
}

/// Versions transformed by hand, of which the guide tells, print what the originals print.
#[test]
fn advised_versions_print_what_the_originals_print() {
    let place = Place::new();
    let table = kernels::load().unwrap();
    let advised: Vec<_> = table.iter().filter(|k| k.advised.is_some()).collect();
    assert!(advised.len() >= 2);
    for kernel in advised {
        let original = compile(&place, &kernel.path(), "original");
        let by_hand = compile(&place, &kernel.advised_path(), "by-hand");
        for input in [&[][..], &["3".to_owned()], &["30".to_owned(), "77".to_owned()]] {
            let expected = printed(&original, input, "1");
            for threads in ["1", "2"] {
                assert_eq!(printed(&by_hand, input, threads), expected, "{} {input:?}", kernel.name());
            }
        }
    }
}

/// What cannot be cut is named with the reason.
#[test]
fn what_is_not_cut_is_named() {
    if !has_clang() {
        return;
    }
    let place = Place::new();
    let source = "#include <stdio.h>\n#include <stdlib.h>\nstatic double a[5000];\n\
        int main(int argc, char **argv)\n{\n    int n = 4000 + argc;\n\
        for (int i = 0; i < n; i++) { if (a[i] > 3) break; a[i] = i % 3; }\n\
        for (int i = 0; i < n; i++) { if (a[i] > 3) goto out; a[i] += i % 5; }\nout:\n\
        for (int i = 0; i < n; i++) { double *p = malloc(8); *p = a[i]; a[i] = *p + 1; free(p); }\n\
        printf(\"%f\\n\", a[7]);\n    return 0;\n}\n";
    let program = place.compile("uncut", source, &["-O0", "-g"]);
    let code = code(&place, &program, &[], "1");
    let reason = |line: &str| {
        let nests = code["nests"].as_array().unwrap();
        let nest = nests.iter().find(|nest| nest["region"].as_str().unwrap().ends_with(line));
        nest.map(|nest| nest["reason"].as_str().unwrap_or("none").to_owned())
    };
    for (line, why) in [(":7", "early"), (":8", "goto"), (":10", "allocates")] {
        if let Some(reason) = reason(line) {
            assert!(reason.contains(why), "{line}: {reason}");
        }
    }
    assert!(code["nests"].as_array().unwrap().iter().all(|nest| nest["file"].is_null()), "{code:#}");
    assert!(reason(":10").is_some(), "{code:#}");
}

/// Regression 2 of schedule: a variable that carries a value on was called private where each iteration also wrote it before its
/// last reading; and constants of a schedule that were the size of the data.
#[test]
fn regression_2_values_handed_on_are_not_private() {
    let place = Place::new();
    let source = "#include <stdio.h>\nstatic unsigned b[300];\n\
        __attribute__((noinline)) static unsigned draw(int n)\n{\n    unsigned state = 1, last = 0;\n\
        for (int i = 0; i < n; i++) {\n        state = state * 1664525u + 1013904223u;\n\
        b[i] = state >> 8;\n        state = state * 1664525u + 1013904223u;\n        last = b[i] + (state >> 9);\n\
        b[i] ^= last;\n    }\n    return last;\n}\n\
        int main(int argc, char **argv)\n{\n    printf(\"%u %u\\n\", draw(250 + argc), b[7]);\n    return 0;\n}\n";
    let program = place.compile("draw", source, &["-O0", "-g"]);
    let mut command = place.loopwright();
    command.args(["profile", "--quiet", "-o", "p.lwp", "--"]).arg(program);
    assert!(command.output().unwrap().status.success());
    let output = place.loopwright().args(["report", "--format", "json", "p.lwp"]).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let loops = report["loops"].as_array().unwrap();
    let draw = loops.iter().find(|l| l["function"] == "draw").unwrap();
    assert_eq!(draw["parallel"], "no", "{draw:#}");
    assert!(draw["privatise"].as_array().unwrap().iter().all(|name| name != "state"), "{draw:#}");
}

/// Without clang everything else is there, and the reason is named.
#[test]
fn no_clang_is_said() {
    let place = Place::new();
    let table = kernels::load().unwrap();
    let kernel = table.iter().find(|k| k.name() == "matmul_ikj").unwrap();
    let program = kernels::compile(kernel, Level::O0, place.directory()).unwrap();
    let mut command = place.loopwright();
    command.args(["profile", "--quiet", "-o", "p.lwp", "--"]).arg(&program.path).arg("20");
    assert!(command.output().unwrap().status.success());
    let mut command = place.loopwright();
    command.env("PATH", place.directory()).args(["report", "--schedule", "--code", "code", "p.lwp"]);
    let output = command.output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("none: clang is not installed") && text.contains("step by step"), "{text}");
}

/// Suggested steps are there without any source, and start with what is simplest.
#[test]
fn steps_are_suggested() {
    let place = Place::new();
    let table = kernels::load().unwrap();
    let steps = |name: &str, function: &str| -> Vec<String> {
        let kernel = table.iter().find(|k| k.name() == name).unwrap();
        let program = kernels::compile(kernel, Level::O2, place.directory()).unwrap();
        let mut command = place.loopwright();
        command.args(["profile", "--quiet", "-o", "p.lwp", "--"]).arg(&program.path).args(&kernel.arguments);
        assert!(command.output().unwrap().status.success());
        let output =
            place.loopwright().args(["report", "--format", "json", "--schedule", "p.lwp"]).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let proposals = report["proposals"].as_array().unwrap();
        let is_of = |p: &&Value| p["region"].as_str().unwrap().split(':').nth(1) == Some(function);
        let own = proposals.iter().find(is_of).unwrap();
        let steps = own["sequence"].as_array().unwrap();
        steps.iter().map(|step| step["step"].as_str().unwrap().to_owned()).collect()
    };
    let jacobi = steps("jacobi", "relax");
    for wanted in ["fuse", "skew", "tile", "wavefront"] {
        assert!(jacobi.iter().any(|step| step == wanted), "{jacobi:?}");
    }
    let place_of = |wanted: &str| jacobi.iter().position(|step| step == wanted);
    assert!(place_of("skew") < place_of("tile"));
    let product = steps("matmul_ikj", "multiply");
    assert!(
        product.iter().any(|step| step == "tile") && product.iter().any(|step| step == "parallelise"),
        "{product:?}"
    );
    assert!(!product.iter().any(|step| step == "skew"), "{product:?}");
}

/// Regression 3: of an array that is private only in part, every thread needs what was there before.
#[test]
fn regression_3_partly_written_arrays_are_copied() {
    let place = Place::new();
    let source = "#include <stdio.h>\nint x[16], out[400];\n\
        __attribute__((noinline)) void kern(int n) {\n\
        for (int r = 0; r < n; r++) {\n    for (int i = 0; i < 8; i++) x[i] = r + i;\n\
            out[r] = x[3] + x[8 + r % 8];\n}\n}\n\
        int main(void) { unsigned s = 0; for (int i = 0; i < 16; i++) x[i] = 100 * i; kern(300); for (int i = 0; i < 300; i++) s = s * 31 + out[i]; printf(\"%u\\n\", s); return 0; }\n";
    let program = place.compile("partly", source, &["-O1", "-g"]);
    let mut command = place.loopwright();
    command.args(["profile", "--quiet", "-o", "p.lwp", "--"]).arg(&program);
    let alone = command.output().unwrap();
    assert!(alone.status.success());
    let output = place.loopwright().args(["report", "--format", "json", "p.lwp"]).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found =
        report["loops"].as_array().unwrap().iter().find(|l| l["function"] == "kern" && l["line"] == 4);
    let directive = found.unwrap()["directive_alone"].as_str().unwrap();
    assert_eq!(directive, "#pragma omp parallel for firstprivate(x)");
    let parallel = source.replace("{\nfor (int r", &format!("{{\n{directive}\nfor (int r"));
    assert!(parallel.contains(directive));
    let program = place.compile("parallel", &parallel, &["-O1", "-fopenmp"]);
    let together = std::process::Command::new(program).env("OMP_NUM_THREADS", "4").output().unwrap();
    assert_eq!(together.stdout, alone.stdout);
}
