//! Hostile text as what clang and opt write.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    gpumap::fuzzing::check(text);
});
