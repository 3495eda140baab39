//! Objects and sections of accesses, and on which assumptions they rest.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

mod support;

use gpumap::access::show::show_ranges;
use gpumap::control::choices;
use support::read;

/// What is said of the accesses of a function.
fn ranges(source: &str, function: &str) -> Vec<String> {
    let module = read(source);
    let function = choices::branched(&module.types, module.function(function).unwrap());
    show_ranges(&module, &function).lines().skip(1).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn explore() {
    for (s, f) in [("matrix_addition","add"),("colour_convolution","convolve"),("strided","sum"),("signal","convolve"),("ranges","ranges"),("contexts","fill"),("walks","set"),("walks","thirds"),("walks", "list_length"),("rows","total"),("counter","count"),("counter","widen"),("counters","structures"),("counters","triangular"),("counters","readings")] {
        println!("{s} {f}\n  {}", ranges(s, f).join("\n  "));
    }
}
