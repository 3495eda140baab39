//! Hostile bytes as a compressed trace.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    reconstruct::fuzzing::check_file(bytes);
});
