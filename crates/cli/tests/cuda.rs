//! `loopwright gpu --emit cuda --verify`: kernels in CUDA run beside their loops. A stand-in for nvcc makes code of the processor of them,
//! so that no GPU is needed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The stand-in for CUDA.
fn stand_in() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/cuda")
}

/// Asks for the kernels of a source of the corpus, run, with the stand-in.
fn verified(name: &str, options: &[&str]) -> Command {
    let corpus = kernels::corpus().unwrap();
    let kernel = corpus.iter().find(|kernel| kernel.name() == name).unwrap();
    run(&kernel.path(), options)
}

/// The same for any source.
fn run(source: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopwright"));
    command.arg("gpu").arg(source).args(options);
    let own = std::env::var_os("PATH").unwrap();
    let path = [stand_in().join("bin")].into_iter().chain(std::env::split_paths(&own));
    command.env("PATH", std::env::join_paths(path).unwrap()).env_remove("CUDA_HOME");
    command
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The kernels run as their loops do, whatever their blocks and tiles.
#[test]
fn kernels_run_as_their_loops_do() {
    for (name, function) in [
        ("axpy", "add_"),
        ("gemm", "multiply_"),
        ("heat_3d", "half_"),
        ("wave", "vibrate_"),
        ("bordered_blur", "blur_"),
        ("syrk", "update_"),
    ] {
        for options in [&[][..], &["--block", "4x2x2", "--grouping", "whole"]] {
            let output =
                verified(name, &[&["--emit", "cuda", "--verify"], options].concat()).output().unwrap();
            let text = printed(&output);
            assert_eq!(output.status.code(), Some(0), "{name}: {text}");
            let ran = text.lines().find(|line| line.contains("it ran as the loop does on 6 inputs"));
            assert!(ran.is_some_and(|line| line.contains(function)), "{name}: {text}");
        }
    }
}

/// What is C and not C++, and what devices do not have.
const DIALECT: &str = r#"
#include <complex.h>
#include <math.h>
struct pair { int low, high; };
struct state { double last, all[8]; };
void roots(int n, double *restrict d, const float *restrict f, const int *restrict k) {
    for (int i = 0; i < n; i++)
        d[i] = sqrt(f[i]) + sqrt(k[i]) + fabs(k[i]);
}
void pairs(int n, struct pair *restrict p, const int *restrict k) {
    for (int i = 0; i < n; i++) {
        p[i] = (struct pair){k[i], k[i] + 1};
        p[i].high++;
    }
}
void twice(int n, double *restrict a, double *restrict b) {
    for (int i = 0; i < n; i++) a[i] = i; for (int i = 0; i < n; i++) b[i] = 2 * i;
}
void member(int n, struct state *restrict s, const double *restrict a) {
    for (int i = 0; i < n; i++)
        s->last = a[i];
}
void rotated(int n, unsigned *restrict a) {
    for (int i = 0; i < n; i++)
        a[i] = (unsigned)__builtin_bswap32(a[i]);
}
void turned(int n, double _Complex *restrict z) {
    for (int i = 0; i < n; i++)
        z[i] = 1 + i * I;
}
"#;

/// Arguments are converted as C does where C++ would choose another function; what has no counterpart is refused, with its reason.
#[test]
fn kernels_are_valid_in_cpp() {
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("dialect.c");
    std::fs::write(&source, DIALECT).unwrap();
    let output = run(&source, &["--emit", "cuda", "--verify"]).output().unwrap();
    let text = printed(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let output = run(&source, &["--emit", "cuda"]).output().unwrap();
    let emitted = printed(&output);
    assert!(emitted.contains("sqrt((double)(f[i])) + sqrt((double)(k[i]))"), "{emitted}");
    assert!(emitted.contains("k[i] + 1};"), "{emitted}");
    for refused in [
        "bswap32 has no counterpart on a device",
        "no complex numbers of C",
        "another loop stands on its line",
    ] {
        assert!(emitted.contains(refused) || text.contains(refused), "{refused}: {emitted} {text}");
    }
    assert!(!emitted.contains("s_last = "), "{emitted}");
}

/// A kernel that computes something else is not shown.
#[test]
fn wrong_kernels_are_noticed() {
    let mut command = verified("axpy", &["--emit", "cuda", "--verify"]);
    let output = command.env("LW_LOST_THREADS", "1").output().unwrap();
    let text = printed(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("no kernel, as the program with it computes something else"), "{text}");
    assert!(!text.contains("become"), "{text}");
}

/// Without a GPU nothing is shown, and nothing is said to be wrong.
#[test]
fn without_a_gpu_nothing_is_run() {
    let output = verified("axpy", &["--emit", "cuda", "--verify"]).env("LW_NO_GPU", "1").output().unwrap();
    let text = printed(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("no kernel, as it could not be run: no GPU of NVIDIA's is here"), "{text}");
}

/// Nor without the compiler.
#[test]
fn without_a_compiler_nothing_is_run() {
    let directories = std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect::<Vec<_>>();
    let has_nvcc = |directory: &PathBuf| directory.join("nvcc").exists();
    if Path::new("/usr/local/cuda/bin/nvcc").exists() {
        return;
    }
    let others: Vec<&PathBuf> = directories.iter().filter(|directory| !has_nvcc(directory)).collect();
    let path: OsString = std::env::join_paths(others).unwrap();
    let output = verified("axpy", &["--emit", "cuda", "--verify"]).env("PATH", path).output().unwrap();
    let text = printed(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("no kernel, as it could not be run: nvcc is not installed"), "{text}");
}

/// A loop that a macro writes has no text of its own, and a name that is an operator of C++ becomes another one.
#[test]
fn texts_that_cannot_be_taken_over_are_noticed() {
    let place = tempfile::tempdir().unwrap();
    let source = place.path().join("odd.c");
    std::fs::write(&source, ODD).unwrap();
    let output = run(&source, &["--emit", "cuda", "--verify"]).output().unwrap();
    let text = printed(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("of_macro, line 4: no kernel, as the loop of line 4: a macro writes it"), "{text}");
    assert!(text.contains("/* combine_9: it ran as the loop does on 6 inputs. */"), "{text}");
}

const ODD: &str = "\
#define EACH(i, n) for (int i = 0; i < n; i++)
void of_macro(int n, int *a)
{
    EACH(i, n)
        a[i] = i;
}
void combine(int n, int or, int *not, int *new)
{
    for (int i = 0; i < n; i++)
        not[i] += or + new[i]; /* this is not or */
}
";

/// Directives of OpenACC are not run.
#[test]
fn openacc_is_refused() {
    let output = verified("axpy", &["--emit", "acc", "--verify"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("with --emit omp, opencl or cuda"), "{said}");
}
