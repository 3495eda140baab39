//! Every program of `kernels/`, at every other optimisation level by turns and at all with `LOOPWRIGHT_THOROUGH`, against what is true
//! about its loops.
//!
//! A failure lists all differences of one program and level at once: the loop, what the table says, what the report says
//! with its evidence. `KEEP=1` leaves programs and profiles in the directory it names.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

mod truth;

use std::fmt::Write;

use kernels::{Kernel, Level, Processor};
use truth::check_level;

macro_rules! kernels {
    ($($name:ident)*) => {
        const ALL: &[&str] = &[$(stringify!($name)),*];
        $(#[test]
        fn $name() {
            check(stringify!($name));
        })*
    };
}

kernels! {
    matmul_ikj matmul_ijk perceptron jacobi prefix_sum prefix_equal leaf_calls stored_counters histogram triangular_solve floyd_warshall needle spmv
    dot scratch_row tree_sum three_functions polynomial smooth linear_stencil chunked_lu blocked_product breadth_first tree_search collatz
    transposed_product tensor_product correlation lu cholesky jacobi_1d seidel rank_update two_products vector_products
    early_exit sweeps unwinding exceptions tail_calls callbacks irreducible split renamed
}

/// Every program of the table is tested and every source is in the table.
#[test]
fn none_is_forgotten() {
    let table = kernels::load().unwrap();
    let mut names: Vec<&str> = table.iter().map(Kernel::name).collect();
    let mut tested = ALL.to_vec();
    names.sort_unstable();
    tested.sort_unstable();
    assert_eq!(names, tested);
    for entry in std::fs::read_dir(kernels::directory()).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let is_source = [".c", ".cpp", ".f90"].iter().any(|e| file.ends_with(e));
        assert!(
            !is_source || table.iter().any(|k| k.source == file),
            "{file} is not in kernels/expected.toml"
        );
    }
}

fn check(name: &str) {
    let table = kernels::load().unwrap_or_else(|error| panic!("{error}"));
    let kernel = table.iter().find(|k| k.name() == name).unwrap();
    let lines = kernel.lines().unwrap_or_else(|error| panic!("{error}"));
    let mut differences = String::new();
    let directory = tempfile::Builder::new().prefix(name).tempdir().unwrap();
    // Two of the four levels each, the other two for the next.
    let place = ALL.iter().position(|&other| other == name).unwrap();
    let levels = Level::ALL.into_iter().enumerate().filter(|(at, _)| kernels::is_taken(at + place, 2));
    for (_, level) in levels {
        for difference in check_level(kernel, &lines, (Processor::Native, level), directory.path()) {
            writeln!(differences, "{name} {level}: {difference}").unwrap();
        }
    }
    if std::env::var_os("KEEP").is_some() {
        eprintln!("programs and profiles of {name}: {}", directory.keep().display());
    }
    assert!(differences.is_empty(), "\n{differences}");
}
