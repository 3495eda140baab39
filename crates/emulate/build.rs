//! Compiles the plugin, which needs nothing but the standard library, into a file that the library carries.

use std::path::Path;
use std::process::Command;

fn main() {
    let manifest = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let target = std::env::var("TARGET").unwrap_or_default();
    let sources = Path::new(&manifest).join("plugin");
    println!("cargo::rerun-if-changed={}", sources.display());
    let status = Command::new(rustc)
        .args(["--edition", "2024", "--crate-type", "cdylib", "--crate-name", "plugin", "--target", &target])
        .args(["-C", "opt-level=3", "-C", "panic=abort", "-C", "strip=symbols"])
        .arg("-o")
        .arg(Path::new(&out).join("plugin.so"))
        .arg(sources.join("lib.rs"))
        .status();
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => println!("cargo::error=the plugin for QEMU cannot be compiled: {status}"),
        Err(error) => println!("cargo::error=the compiler for the plugin cannot be run: {error}"),
    }
}
