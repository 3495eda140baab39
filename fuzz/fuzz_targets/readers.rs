//! Hostile bytes as traces of every format.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Err(difference) = trace::fuzzing::check_readers(bytes) {
        panic!("{difference}");
    }
});
