//! Loopwright itself, as tasks build and run it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::ci;

/// A built `loopwright`.
#[derive(Debug, Clone)]
pub struct Loopwright {
    /// The program.
    pub path: PathBuf,
}

impl Loopwright {
    /// As users run it.
    pub fn optimised() -> Result<Loopwright> {
        ci::cargo(&["build", "--release", "--package", "loopwright"], &[])?;
        Ok(Loopwright { path: ci::target()?.join("release/loopwright") })
    }

    /// As tests run it.
    pub fn for_tests() -> Result<Loopwright> {
        ci::cargo(ci::ALL, &[])?;
        Ok(Loopwright { path: ci::target()?.join("debug/loopwright") })
    }

    /// Profiles a program into a file; a program may end with any code of its own. What it prints is left out.
    ///
    /// # Errors
    /// What Loopwright says if it fails.
    pub fn profile<P, A>(&self, options: &[&str], program: P, arguments: A, to: &Path) -> Result<()>
    where
        P: AsRef<OsStr>,
        A: IntoIterator<Item: AsRef<OsStr>>,
    {
        let mut command = Command::new(&self.path);
        command.args(["profile", "--quiet"]).args(options).arg("-o").arg(to).arg("--");
        command.arg(&program).args(arguments).stdin(Stdio::null());
        let done = command.output()?;
        if done.status.code().is_none_or(|code| code >= 125) {
            let said = String::from_utf8_lossy(&done.stderr);
            bail!("{}: {}: {}", program.as_ref().display(), done.status, said.trim());
        }
        Ok(())
    }

    /// The JSON report on a profile.
    ///
    /// # Errors
    /// What Loopwright says if it fails.
    pub fn report(&self, profile: &Path, options: &[&OsStr]) -> Result<Value> {
        let mut command = Command::new(&self.path);
        command.args(["report", "--format", "json"]).args(options).arg(profile);
        serde_json::from_slice(&checked(&mut command)?).context("a report")
    }
}

/// What a program prints on standard output.
///
/// # Errors
/// What it prints on standard error, if it fails.
pub fn checked(command: &mut Command) -> Result<Vec<u8>> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("{program} cannot be run"))?;
    if !output.status.success() {
        bail!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output.stdout)
}
