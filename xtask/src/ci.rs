//! Everything a change has to pass. `xtask/launch` has built it all and installed what Debian packages there must be.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::tests::Counts;
use crate::{fuzz, licences, packages, python_package, tests};

/// Packages of Python that tests use, with their versions.
const PYTHON_PACKAGES: &str = "xtask/python.txt";

/// What tests need, built at once: features of dependencies depend on what is.
pub const ALL: &[&str] =
    &["build", "--quiet", "--locked", "--workspace", "--all-features", "--tests", "--bins"];

/// Length of the fuzzing step.
const FUZZING: Duration = Duration::from_secs(10);

/// Length of the fuzzing step at night.
const LONG_FUZZING: Duration = Duration::from_secs(900);

/// What is asked before every commit, in a few minutes: format, lints, and the tests that need no other program.
pub fn check() -> Result<()> {
    counted(|counts| {
        step("format", || cargo(&["fmt", "--all", "--check"], &[]))?;
        step("lints", lints)?;
        step("tests", || all_passed(counts, tests::run_units()?))
    })
}

/// Everything, with every case that CI leaves out, what is handed out, and a long fuzzing.
pub fn nightly() -> Result<()> {
    // Tests that know more cases than CI has time for ask for it.
    let thorough = [("LOOPWRIGHT_THOROUGH", "1")];
    let own = std::env::current_exe().context("this program's own file")?;
    counted(|counts| {
        let mut everything = Command::new(own);
        let output = everything.arg("ci").envs(thorough).stderr(Stdio::inherit()).output().context("ci")?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        print!("{text}");
        counts.add(text.lines().next_back().map(Counts::in_text).unwrap_or_default());
        if !output.status.success() {
            bail!("ci: {}", output.status);
        }
        step("packages", || packages::all_in_target(counts))?;
        step("long fuzzing", || fuzz::run(LONG_FUZZING))
    })
}

/// Runs steps and prints how many tests passed and failed.
pub fn counted(steps: impl FnOnce(&mut Counts) -> Result<()>) -> Result<()> {
    let mut counts = Counts::default();
    let result = steps(&mut counts);
    if result.is_err() && counts.failed == 0 {
        counts.failed = 1;
    }
    println!("{} passed, {} failed", counts.passed, counts.failed);
    result
}

fn lints() -> Result<()> {
    cargo(
        &[
            "clippy",
            "--workspace",
            "--all-features",
            "--all-targets",
            "--locked",
            "--quiet",
            "--",
            "-D",
            "warnings",
        ],
        &[],
    )
}

fn texts() -> Result<String> {
    lints()?;
    let args = [
        "doc",
        "--workspace",
        "--all-features",
        "--no-deps",
        "--document-private-items",
        "--locked",
        "--quiet",
    ];
    cargo(&args, &[("RUSTDOCFLAGS", "-D warnings")])?;
    Ok("no warnings".to_owned())
}

fn all_passed(counts: &mut Counts, (own, failed): (Counts, Vec<String>)) -> Result<()> {
    counts.add(own);
    if failed.is_empty() { Ok(()) } else { bail!("tests failed in {}", failed.join(", ")) }
}

/// The tests of the workspace by themselves.
pub fn tests_alone() -> Result<()> {
    counted(|counts| all_passed(counts, tests::run(&[])?))
}

/// Runs every step; stops at the first that fails. The last line of standard output counts all tests, by whatever runner: a step
/// that fails otherwise counts as one.
pub fn run() -> Result<()> {
    counted(steps)
}

fn steps(counts: &mut Counts) -> Result<()> {
    let start = Instant::now();
    step("what tests need", python)?;
    step("format", || cargo(&["fmt", "--all", "--check"], &[]))?;
    step("dependencies", dependencies)?;
    step("manifests", packages::check_manifests)?;
    // Tests wait for much; what compiles meanwhile costs less.
    let beside: [tests::Beside; 2] =
        [("lints and documentation", texts), ("python", python_package::test_beside_cargo)];
    step("tests", || all_passed(counts, tests::run(&beside)?))?;
    step("fuzzing", || fuzz::run(FUZZING))?;
    eprintln!("all passed in {} s", start.elapsed().as_secs());
    Ok(())
}

fn step(name: &str, run: impl FnOnce() -> Result<()>) -> Result<()> {
    eprintln!("== {name}");
    let start = Instant::now();
    run().with_context(|| name.to_owned())?;
    eprintln!("== {name}: {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// The cargo that runs this task, in the workspace.
pub fn cargo_itself() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Runs the cargo that runs this task, in the workspace.
pub fn cargo(args: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    let mut command = cargo_itself();
    command.args(args).envs(environment.iter().copied());
    checked(&mut command)
}

/// Runs a command that must succeed.
pub fn checked(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let args: Vec<String> = command.get_args().map(|a| a.to_string_lossy().into_owned()).collect();
    let status = command.status().with_context(|| format!("{name} cannot be run"))?;
    if !status.success() {
        bail!("{name} {}: {status}", args.join(" "));
    }
    Ok(())
}

/// The workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Where cargo builds.
pub fn target() -> Result<PathBuf> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(root())
        .output()
        .context("cargo metadata")?;
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).context("cargo metadata")?;
    let directory =
        metadata["target_directory"].as_str().context("cargo metadata names no target directory")?;
    Ok(PathBuf::from(directory))
}

fn is_available(program: impl AsRef<OsStr>, args: &[&str]) -> bool {
    Command::new(program)
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Makes the Python that tests compare results with, beside what cargo builds: [`PYTHON_PACKAGES`] in an environment of
/// their own.
pub fn python() -> Result<()> {
    python_environment(&target()?.join("python"), PYTHON_PACKAGES)
}

/// Makes an environment of Python with the packages that a file lists, unless it has them.
pub fn python_environment(environment: &Path, packages: &str) -> Result<()> {
    let python = environment.join("bin/python");
    let wanted = std::fs::read_to_string(root().join(packages))?;
    let done = environment.join("packages.txt");
    if std::fs::read_to_string(&done).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    checked(Command::new("python3").args(["-m", "venv", "--clear"]).arg(environment))?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", packages];
    checked(Command::new(&python).args(install).current_dir(root()))?;
    std::fs::write(done, wanted)?;
    Ok(())
}

fn dependencies() -> Result<()> {
    if is_available("cargo", &["deny", "--version"]) {
        return cargo(&["deny", "--offline", "check", "licenses", "bans", "sources"], &[]);
    }
    eprintln!("cargo-deny is not installed: checking the licences of all dependencies against deny.toml");
    licences::check(&root())
}
