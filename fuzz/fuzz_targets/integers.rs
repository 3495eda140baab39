//! Any integers: reconstructed, compressed and expanded.
#![no_main]

libfuzzer_sys::fuzz_target!(|case: (u64, Vec<i64>)| {
    if let Err(difference) = reconstruct::fuzzing::check_integers(&case.1, case.0) {
        panic!("{difference}");
    }
});
