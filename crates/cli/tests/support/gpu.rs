//! `loopwright gpu` in a directory, with profiles of kernels.
#![allow(clippy::unwrap_used, reason = "a failed preparation is a failed test")]
#![allow(dead_code, reason = "every test uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use kernels::Level;
use tempfile::TempDir;

/// `loopwright gpu` on a source.
pub fn gpu(place: &TempDir, file: &Path, args: &[&str]) -> Output {
    command(place).arg(file).args(args).output().unwrap()
}

pub fn command(place: &TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopwright"));
    command.arg("gpu").current_dir(place.path()).env("NO_COLOR", "1").env_remove("RUST_BACKTRACE");
    command
}

/// The code, what is printed, what is complained of.
pub fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// A source of the static analyses, by its name without the ending.
pub fn analysed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../gpumap/tests/c").join(format!("{name}.c"))
}

/// The source of a kernel and a profile of it, optimised.
pub fn profile(place: &TempDir, name: &str) -> (PathBuf, PathBuf) {
    profile_of(place, name, Level::O2)
}

/// The source of a kernel and a profile of it.
pub fn profile_of(place: &TempDir, name: &str, level: Level) -> (PathBuf, PathBuf) {
    let all = kernels::load().unwrap();
    let kernel = all.iter().find(|kernel| kernel.name() == name).unwrap();
    let program = kernels::compile(kernel, level, place.path()).unwrap();
    let file = place.path().join(format!("{name}.lwp"));
    record(&program.path, &kernel.arguments, &file);
    (kernel.path(), file)
}

/// Records a program.
pub fn record(program: &Path, arguments: &[String], profile: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopwright"));
    command.args(["profile", "--quiet", "-o"]).arg(profile).arg("--").arg(program).args(arguments);
    assert!(command.output().unwrap().status.success());
}

/// Compares a report with the one that was accepted, or accepts it if `BLESS` is set.
pub fn is_as_accepted(name: &str, shown: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.txt"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, shown).unwrap();
    }
    let accepted = std::fs::read_to_string(&file).unwrap_or_default();
    for (own, accepted) in shown.lines().zip(accepted.lines()) {
        assert_eq!(own, accepted, "{name}");
    }
    assert_eq!(shown.lines().count(), accepted.lines().count(), "{name}");
}
