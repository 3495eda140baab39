//! Memory dependences of random programs against the definition.
#![no_main]

libfuzzer_sys::fuzz_target!(|seed: u64| {
    if let Err(difference) = shadow::fuzzing::check(seed) {
        panic!("seed {seed}: {difference}");
    }
});
