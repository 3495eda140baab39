//! `cargo xtask`: builds the tasks, and runs them.
//!
//! What cargo builds depends on what it is asked for together: features of dependencies are united over that. For `cargo xtask ci` it is
//! therefore all of the workspace with its tests, from the start; so nothing is compiled twice.
#![forbid(unsafe_code)]

use std::path::Path;
use std::process::{Command, ExitCode};

/// What the tests of the workspace need, programs included. The same as in `tasks`.
const ALL: [&str; 6] = ["build", "--quiet", "--locked", "--workspace", "--tests", "--bins"];

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."));
    let mut run = Command::new(&cargo);
    if arguments.first().is_some_and(|task| task == "ci") {
        // Nothing is built on what this builds: it need not be kept for that.
        let mut build = Command::new(&cargo);
        build.current_dir(root).args(ALL).env("CARGO_INCREMENTAL", "0");
        if !build.status().is_ok_and(|status| status.success()) {
            return ExitCode::FAILURE;
        }
        let tasks = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join("tasks")));
        run = Command::new(tasks.unwrap_or_else(|| "tasks".into()));
        run.env("CARGO_INCREMENTAL", "0").args(arguments);
    } else {
        run.args(["run", "--quiet", "--package", "tasks", "--"]).args(arguments);
    }
    match run.status() {
        Ok(status) => ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)),
        Err(error) => {
            eprintln!("{}: {error}", run.get_program().display());
            ExitCode::FAILURE
        }
    }
}
