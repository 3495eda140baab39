//! Programs recorded by the command line, and their reports in JSON.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support::Place;

/// What a program that is recorded with these options printed, and its report.
pub fn recorded(place: &Place, program: &Path, options: &[&str]) -> (Output, Value) {
    let mut command = place.loopwright();
    command.args(["profile", "--format", "json", "-o", "p.lwp"]).args(options).arg("--").arg(program);
    let done = command.output().unwrap();
    assert!(done.status.success(), "{done:?}");
    let report = serde_json::from_slice(&done.stderr).unwrap();
    (done, report)
}

/// The report of a program that is recorded with these options.
pub fn report(place: &Place, program: &Path, options: &[&str]) -> Value {
    recorded(place, program, options).1
}
