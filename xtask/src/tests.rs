//! All tests of the workspace, as `cargo test` runs them, but several test programs at a time: many end with one long test
//! that leaves the other cores idle.
//!
//! Every program runs its own tests one after the other. What it prints appears when it has ended, so that nothing is mixed
//! up; a program that fails does not keep others from running.

use std::io::Write;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::ci;

/// A program of tests.
pub struct Program {
    /// Directory of the package and target, such as `cli::errors`.
    name: String,
    executable: PathBuf,
    /// Where its package is: `cargo test` runs it there.
    package: PathBuf,
}

/// Runs all tests; fails if one does.
pub fn run() -> Result<()> {
    let programs = build()?;
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    // Some wait much of the time.
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get) + 1;
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let start = Instant::now();
                    let outcome = program.run();
                    let seconds = start.elapsed().as_secs_f64();
                    // The lock also keeps outputs apart.
                    let mut failed = failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    if !show(program, seconds, &outcome) {
                        failed.push(program.name.as_str());
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !failed.is_empty() {
        bail!("tests failed in {}", failed.join(", "));
    }
    ci::cargo(&["test", "--workspace", "--locked", "--quiet", "--doc"], &[])
}

/// Builds all test programs and lists them in the order in which they are to run.
fn build() -> Result<Vec<Program>> {
    let mut programs = listed(&["--workspace"])?;
    // Those of the command line take longest: no core is to wait for one of them in the end.
    programs.sort_by_key(|program| !program.name.starts_with("cli::"));
    Ok(programs)
}

/// Builds the test programs that these arguments of `cargo test` choose, in cargo's order.
pub fn listed(arguments: &[&str]) -> Result<Vec<Program>> {
    let output = ci::cargo_itself()
        .args(["test", "--locked", "--quiet", "--no-run"])
        .args(arguments)
        .arg("--message-format=json-render-diagnostics")
        .stderr(std::process::Stdio::inherit())
        .output()
        .context("cargo test cannot be run")?;
    if !output.status.success() {
        bail!("cargo test --no-run: {}", output.status);
    }
    let mut programs = Vec::new();
    for line in output.stdout.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let message: Value = serde_json::from_slice(line).context("cargo's messages")?;
        if message["profile"]["test"] == true {
            programs.extend(program(&message));
        }
    }
    if programs.is_empty() {
        bail!("cargo lists no test programs");
    }
    Ok(programs)
}

fn program(message: &Value) -> Option<Program> {
    let executable = PathBuf::from(message["executable"].as_str()?);
    let package = PathBuf::from(message["manifest_path"].as_str()?).parent()?.to_owned();
    let directory = package.file_name()?.to_string_lossy().into_owned();
    Some(Program {
        name: format!("{directory}::{}", message["target"]["name"].as_str()?),
        executable,
        package,
    })
}

impl Program {
    /// It, as cargo starts it.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.executable);
        command.args(["--quiet", "--test-threads=1"]).current_dir(&self.package);
        command.env("CARGO_MANIFEST_DIR", &self.package).stdin(std::process::Stdio::null());
        command
    }

    fn run(&self) -> std::io::Result<Output> {
        self.command().output()
    }
}

/// Prints what a program printed if it failed, else how long it took; returns whether all is well.
fn show(program: &Program, seconds: f64, outcome: &std::io::Result<Output>) -> bool {
    let mut out = std::io::stdout().lock();
    let name = &program.name;
    let written = match outcome {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout);
            let result = text.lines().rfind(|line| line.starts_with("test result")).unwrap_or("no tests");
            writeln!(out, "{name}: {seconds:.1} s: {result}")
        }
        Ok(output) => writeln!(out, "{name}: {}", output.status)
            .and_then(|()| out.write_all(&output.stdout))
            .and_then(|()| out.write_all(&output.stderr)),
        Err(error) => writeln!(out, "{name}: {error}"),
    };
    written.is_ok() && outcome.as_ref().is_ok_and(|output| output.status.success())
}
