//! Random programs of a range of seeds: `cargo run --release --example soak FROM TO`.

fn main() {
    let bound = |n: usize| std::env::args().nth(n).and_then(|a| a.parse().ok()).unwrap_or(0);
    let mut failures = 0;
    for seed in bound(1)..bound(2) {
        if let Err(difference) = shadow::fuzzing::check(seed) {
            println!("seed {seed}: {difference}");
            failures += 1;
        }
    }
    println!("{failures} failures");
}
