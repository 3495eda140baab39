//! Kernels compiled for other processors and recorded under QEMU, against the same table of what is true about their loops as those for
//! this one. What differs is listed in [`DIFFERENT`], with the reason. Every kernel is tested for one of the processors with -O2; for
//! the other one with `--include-ignored`, and at all levels with the variable `LOOPWRIGHT_ALL_LEVELS`. (All of it takes some eight
//! minutes on two cores.)
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

mod truth;

use std::fmt::Write;

use kernels::{Kernel, Level, Processor};
use truth::check_level;

macro_rules! kernels {
    (aarch64: $($first:ident)*; riscv64: $($second:ident)*;) => {
        const ALL: &[&str] = &[$(stringify!($first),)* $(stringify!($second)),*];
        mod aarch64 {
            $(#[test]
            fn $first() {
                super::check(stringify!($first), super::Processor::Aarch64);
            })*
            $(#[test]
            #[ignore = "tested for RISC-V"]
            fn $second() {
                super::check(stringify!($second), super::Processor::Aarch64);
            })*
        }
        mod riscv64 {
            $(#[test]
            #[ignore = "tested for ARM"]
            fn $first() {
                super::check(stringify!($first), super::Processor::Riscv64);
            })*
            $(#[test]
            fn $second() {
                super::check(stringify!($second), super::Processor::Riscv64);
            })*
        }
    };
}

kernels! {
    aarch64:
        matmul_ikj perceptron prefix_sum leaf_calls histogram floyd_warshall spmv scratch_row three_functions chunked_lu breadth_first
        collatz transposed_product correlation cholesky seidel two_products early_exit unwinding callbacks split;
    riscv64:
        matmul_ijk jacobi prefix_equal stored_counters triangular_solve needle dot tree_sum linear_stencil blocked_product tree_search
        tensor_product lu jacobi_1d rank_update vector_products sweeps tail_calls irreducible renamed;
}

/// Kernel, processor, level, what a difference begins with.
type Difference = (&'static str, Processor, Level, &'static str);

/// Where the compiled programs differ, or more is said to depend than does (never less).
const DIFFERENT: &[Difference] = &[
    // The loop is turned: a row's 0 is stored at the end of the iteration before.
    ("correlation", Processor::Aarch64, Level::O2, "@t (correlate:27)"),
    // The loop that the table has as unrolled is not.
    ("chunked_lu", Processor::Riscv64, Level::O3, "@j (update:30)"),
    // The pointer goes through memcpy, which hands it back; in the first iteration the dynamic linker does, by way of the stack.
    ("tensor_product", Processor::Aarch64, Level::O2, "@q (contract:13)"),
    ("tensor_product", Processor::Aarch64, Level::O3, "@q (contract:13)"),
    ("tensor_product", Processor::Riscv64, Level::O2, "@q (contract:13)"),
    ("tensor_product", Processor::Riscv64, Level::O3, "@q (contract:13)"),
    // Counters that are kept on the stack, or change by other instructions on different ways, are not recognised.
    ("blocked_product", Processor::Aarch64, Level::O3, "@ii (multiply:10)"),
    ("blocked_product", Processor::Aarch64, Level::O3, "@kk (multiply:11)"),
    ("lu", Processor::Aarch64, Level::O3, "@i (eliminate:10)"),
];

/// Every kernel in C is tested.
#[test]
fn none_is_forgotten() {
    let table = kernels::load().unwrap();
    let mut names: Vec<&str> = table.iter().filter(|k| k.source.ends_with(".c")).map(Kernel::name).collect();
    let mut tested = ALL.to_vec();
    names.sort_unstable();
    tested.sort_unstable();
    assert_eq!(names, tested);
}

fn check(name: &str, processor: Processor) {
    let table = kernels::load().unwrap_or_else(|error| panic!("{error}"));
    let kernel = table.iter().find(|k| k.name() == name).unwrap();
    let lines = kernel.lines().unwrap_or_else(|error| panic!("{error}"));
    let directory = tempfile::Builder::new().prefix(name).tempdir().unwrap();
    let mut differences = String::new();
    let is_asked = |level: &Level| *level == Level::O2 || std::env::var_os("LOOPWRIGHT_ALL_LEVELS").is_some();
    for level in Level::ALL.into_iter().filter(is_asked) {
        let is_known = |difference: &String| {
            DIFFERENT.iter().any(|&(kernel, on, at, what)| {
                (kernel, on, at) == (name, processor, level) && difference.starts_with(what)
            })
        };
        let mut found = check_level(kernel, &lines, (processor, level), directory.path());
        found.retain(|difference| !is_known(difference));
        for difference in found {
            writeln!(differences, "{name} {processor:?} {level:?}: {difference}").unwrap();
        }
    }
    assert!(differences.is_empty(), "\n{differences}");
}
