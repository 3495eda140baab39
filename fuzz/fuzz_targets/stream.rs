//! Hostile words as a record stream.
#![no_main]

libfuzzer_sys::fuzz_target!(|words: Vec<u64>| {
    if let Err(difference) = trace::fuzzing::check(&words) {
        panic!("{difference}");
    }
});
