//! Hostile bytes as a profile: refused, or consistent enough to be reported on.
#![no_main]

use report::{text, wire};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(profile) = profile::file::decode(bytes, std::path::Path::new("fuzzed")) {
        let report = report::report(&profile);
        let _ = text::summary(&report, text::Options { top: 12, colour: false });
        let _ = wire::json(&report);
    }
});
