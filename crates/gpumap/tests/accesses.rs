//! Objects and sections of accesses, and on which assumptions they rest.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

mod support;

use gpumap::access::show::show_ranges;
use gpumap::calls::{Cone, LENGTH};
use support::read;

/// What is said of the accesses of a function.
fn ranges(source: &str, function: &str) -> Vec<String> {
    let module = read(source);
    let cone = Cone::new(&module, module.function(function).unwrap(), LENGTH);
    show_ranges(&module, &cone).lines().skip(1).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn explore() {
    for (s, f) in [("matrix_addition","add"),("colour_convolution","convolve"),("strided","sum"),("signal","convolve"),("ranges","ranges"),("contexts","fill"),("walks","set"),("walks","thirds"),("walks", "list_length"),("rows","total"),("counter","count"),("counter","widen"),("counters","structures"),("counters","triangular"),("counters","readings")] {
        let t = std::time::Instant::now(); let l = ranges(s, f); println!("{s} {f} {:?}\n  {}", t.elapsed(), l.join("\n  "));
    }
}
