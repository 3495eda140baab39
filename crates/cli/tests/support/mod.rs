//! A directory of its own for a test, and `loopwright` run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The program under test.
pub const LOOPWRIGHT: &str = env!("CARGO_BIN_EXE_loopwright");

/// A directory that is removed with its content.
pub struct Place(TempDir);

impl Place {
    pub fn new() -> Self {
        Place(tempfile::tempdir().unwrap())
    }

    pub fn directory(&self) -> &Path {
        self.0.path()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Compiles a C program of that name.
    pub fn compile(&self, name: &str, source: &str, flags: &[&str]) -> PathBuf {
        let file = self.path(&format!("{name}.c"));
        fs::write(&file, source).unwrap();
        let program = self.path(name);
        let done = Command::new("cc").args(flags).arg("-o").arg(&program).arg(&file).status();
        assert!(done.expect("cc is not installed: apt-get install gcc").success());
        program
    }

    /// `loopwright` without arguments yet, in the directory, without input and colours. Interrupts are not ignored, even if the
    /// tests run where they are.
    pub fn loopwright(&self) -> Command {
        let mut command = Command::new("/usr/bin/env");
        command.arg("--default-signal=INT").arg(LOOPWRIGHT);
        command.current_dir(self.directory()).stdin(Stdio::null()).env_remove("RUST_BACKTRACE");
        command.env("TMPDIR", self.directory()).env("NO_COLOR", "1");
        command
    }
}
