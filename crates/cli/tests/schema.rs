//! What programs read: JSON reports against their schemas, SARIF by a reader of SARIF.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use kernels::Level;

const LOOPWRIGHT: &str = env!("CARGO_BIN_EXE_loopwright");

/// Validates standard input; the schema is the first argument.
const VALIDATE: &str = "
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.Draft202012Validator(schema).validate(json.load(sys.stdin))
";

fn validate(schema: &str, text: &[u8]) {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let python = target.join("python/bin/python");
    assert!(python.is_file(), "{} is missing: run cargo xtask python", python.display());
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(schema);
    let mut command = Command::new(python);
    command.args(["-c", VALIDATE]).arg(schema).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn reports_are_valid() {
    let directory = tempfile::tempdir().unwrap();
    let table = kernels::load().unwrap();
    for (kernel, level, options) in [
        ("renamed", Level::O2, &[][..]),
        ("jacobi", Level::O0, &["--schedule"]),
        ("exceptions", Level::O0, &[]),
        ("breadth_first", Level::O3, &["--schedule"]),
    ] {
        let kernel = table.iter().find(|k| k.name() == kernel).unwrap();
        let program = kernels::compile(kernel, level, directory.path()).unwrap();
        let profile = directory.path().join("p.lwp");
        let mut command = Command::new(LOOPWRIGHT);
        command.args(["profile", "--quiet", "-o"]).arg(&profile).arg("--").arg(program.path);
        assert!(command.args(&kernel.arguments).output().unwrap().status.success());
        let report = |format: &str, options: &[&str]| {
            let mut command = Command::new(LOOPWRIGHT);
            command.arg("report").arg(&profile).args(["--format", format]).args(options);
            let output = command.output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            output.stdout
        };
        validate("report.schema.json", &report("json", options));
        let sarif: serde_sarif::sarif::Sarif = serde_json::from_slice(&report("sarif", &[])).unwrap();
        let results = sarif.runs[0].results.as_ref().unwrap();
        assert!(!results.is_empty(), "{}", kernel.name());
        for result in results {
            let place = result.locations.as_ref().unwrap()[0].physical_location.as_ref().unwrap();
            let uri = place.artifact_location.as_ref().unwrap().uri.as_ref().unwrap();
            assert!(uri.ends_with(&kernel.source), "{uri}");
            assert!(place.region.as_ref().unwrap().start_line.unwrap() > 0);
        }
    }
}

/// What `loopwright gpu` writes: with a profile, with values, with neither; loops that can run on a device and loops that cannot.
#[test]
fn reports_on_devices_are_valid() {
    let directory = tempfile::tempdir().unwrap();
    let report = |source: &Path, options: &[&str]| {
        let mut command = Command::new(LOOPWRIGHT);
        command.arg("gpu").arg(source).args(["--format", "json"]).args(options);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let table = kernels::load().unwrap();
    for (name, level) in [("jacobi", Level::O2), ("rank_update", Level::O3), ("histogram", Level::O0)] {
        let kernel = table.iter().find(|kernel| kernel.name() == name).unwrap();
        let program = kernels::compile(kernel, level, directory.path()).unwrap();
        let profile = directory.path().join("p.lwp");
        let mut command = Command::new(LOOPWRIGHT);
        command.args(["profile", "--quiet", "-o"]).arg(&profile).arg("--").arg(program.path);
        assert!(command.args(&kernel.arguments).output().unwrap().status.success());
        let profile = profile.to_str().unwrap();
        validate("gpu.schema.json", &report(&kernel.path(), &["--profile", profile]));
        validate("gpu.schema.json", &report(&kernel.path(), &["--profile", profile, "--set", "n=3"]));
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gpumap/tests/c");
    for source in ["colour_convolution", "mappings", "branches", "kept", "cubes", "unusual"] {
        validate("gpu.schema.json", &report(&own.join(source).with_extension("c"), &[]));
        validate(
            "gpu.schema.json",
            &report(&own.join(source).with_extension("c"), &["--set", "n=64", "--device", "fermi"]),
        );
    }
}
