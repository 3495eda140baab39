//! Hostile bytes as a profile: refused, or consistent enough to be rendered in every form.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(profile) = profile::file::decode(bytes, std::path::Path::new("fuzzed")) {
        report::fuzzing::render(&profile).expect("a profile that was read is rendered");
    }
});
