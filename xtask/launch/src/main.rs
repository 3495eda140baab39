//! `cargo xtask`: builds the tasks, and runs them.
//!
//! What cargo builds depends on what it is asked for together: features of dependencies are united over that. For `cargo xtask ci` it is
//! therefore all of the workspace with its tests, from the start; so nothing is compiled twice. What tests need of Debian is installed
//! meanwhile.
#![forbid(unsafe_code)]

mod needed;

use std::path::Path;
use std::process::{Command, ExitCode};

/// What the tests of the workspace need, programs included. The same as in `tasks`.
const ALL: [&str; 7] = ["build", "--quiet", "--locked", "--workspace", "--all-features", "--tests", "--bins"];

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."));
    let mut run = Command::new(&cargo);
    // Nothing is built on what CI builds, and nobody debugs it.
    const AT_ONCE: [(&str, &str); 2] = [("CARGO_INCREMENTAL", "0"), ("CARGO_PROFILE_DEV_DEBUG", "0")];
    if arguments.first().is_some_and(|task| task == "ci" || task == "nightly") {
        let mut build = Command::new(&cargo);
        build.current_dir(root).args(ALL).envs(AT_ONCE);
        let install = std::thread::spawn(needed::install);
        let is_built = build.status().is_ok_and(|status| status.success());
        if let Err(why) = install.join().unwrap_or_else(|_| Err("the installation panicked".to_owned())) {
            eprintln!("{why}");
            return ExitCode::FAILURE;
        }
        if !is_built {
            return ExitCode::FAILURE;
        }
        let tasks = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join("tasks")));
        run = Command::new(tasks.unwrap_or_else(|| "tasks".into()));
        run.envs(AT_ONCE).args(arguments);
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
