//! The extension module as `cargo test` builds it, which `cargo xtask ci` gives to the tests in Python.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]

/// It lies beside this test, and has the entry that Python looks for.
#[test]
fn the_extension_module_has_its_entry() {
    let here = std::env::current_exe().unwrap();
    let bytes = std::fs::read(here.with_file_name("lib_native.so")).unwrap();
    let name = b"PyInit__native";
    assert!(bytes.windows(name.len()).any(|window| window == name));
}
