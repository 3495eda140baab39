//! Kernels compiled for other processors and recorded under QEMU, against the same table of what is true about their loops as those for
//! this one. What differs is listed in [`truth::DIFFERENT`], with the reason. Every kernel is tested for one of the processors with -O2; for
//! the other one with `--include-ignored`, and at all levels with the variable `LOOPWRIGHT_THOROUGH`. (All of it takes some two
//! minutes on two cores.)

use crate::truth;

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
    let is_asked = |level: &Level| *level == Level::O2 || kernels::is_thorough();
    for level in Level::ALL.into_iter().filter(is_asked) {
        for difference in check_level(kernel, &lines, (processor, level), directory.path()) {
            writeln!(differences, "{name} {processor:?} {level:?}: {difference}").unwrap();
        }
    }
    assert!(differences.is_empty(), "\n{differences}");
}
