//! The sources of these tests.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]
#![allow(dead_code, reason = "every test uses a part of it")]

pub mod interpreter;
pub mod nests;
pub mod numbers;
pub mod programs;

use std::path::{Path, PathBuf};
use std::process::Command;

use gpumap::Compiler;
use gpumap::ir::Module;

/// A source, by its name without the ending.
pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(format!("{name}.c"))
}

/// What is read of a source.
pub fn read(name: &str) -> Module {
    Compiler::find().unwrap().read(&source(name), &[]).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The C sources in a directory.
pub fn c_sources(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut sources: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "c")).collect();
    sources.sort();
    sources
}

/// The sources of these tests.
pub fn sources() -> Vec<PathBuf> {
    c_sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c"))
}

/// Where cargo keeps the source of a crate that this workspace depends on.
pub fn bundled(name: &str) -> PathBuf {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == name).unwrap();
    Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap().to_owned()
}
