//! The Python package: built into an environment of its own beside what cargo builds, tested and measured there.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use kernels::Level;
use reconstruct::generators::{self, Sizes};
use reconstruct::run::Run;

use crate::ci;
use crate::product::{self, Loopwright};

/// Packages of Python, with their versions.
const PACKAGES: &str = "python/requirements.txt";
/// Where the measurements go.
const DOCUMENT: &str = "docs/python.md";

/// Builds the package as users do and runs its tests.
pub fn test() -> Result<String> {
    check(&Environment::with("dev")?)
}

/// Runs the tests of the package with the extension module that `cargo test` has built: what maturin builds is the same, but
/// is built anew, with all that it needs.
pub fn test_beside_cargo() -> Result<String> {
    check(&Environment::beside_cargo()?)
}

/// Runs the tests; returns what they print.
fn check(environment: &Environment) -> Result<String> {
    let loopwright = Loopwright::for_tests()?;
    let directory = tempfile::tempdir()?;
    write_traces(directory.path())?;
    let all = kernels::load()?;
    let jacobi = all.iter().find(|k| k.name() == "jacobi").context("there is no kernel jacobi")?;
    let program = kernels::compile(jacobi, Level::O2, directory.path())?;
    let mut tests = environment.python();
    tests.args(["-m", "pytest", "python/tests"]);
    tests.env("LOOPWRIGHT", &loopwright.path);
    tests.env("LOOPWRIGHT_TRACES", directory.path());
    tests.env("LOOPWRIGHT_KERNEL", &program.path);
    let output = tests.output().context("pytest cannot be run")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        bail!("pytest: {}\n{text}{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(text)
}

/// Measures the package beside the command line and writes what it found.
pub fn bench() -> Result<()> {
    let environment = Environment::with("release")?;
    let loopwright = Loopwright::optimised()?;
    let mut bench = environment.python();
    bench.arg("python/benchmark.py").env("LOOPWRIGHT", &loopwright.path);
    let text = String::from_utf8(product::checked(&mut bench)?)?;
    print!("{text}");
    std::fs::write(ci::root().join(DOCUMENT), text).context(DOCUMENT)
}

/// An environment with the package in it.
struct Environment {
    directory: PathBuf,
}

impl Environment {
    /// Builds the package with a profile of cargo's.
    fn with(profile: &str) -> Result<Environment> {
        let directory = ci::target()?.join("python-package");
        ci::python_environment(&directory, PACKAGES)?;
        let environment = Environment { directory };
        environment.install(profile)?;
        Ok(environment)
    }

    /// Puts the package together from its scripts and what `cargo test` has built.
    fn beside_cargo() -> Result<Environment> {
        let directory = ci::target()?.join("python-package");
        ci::python_environment(&directory, PACKAGES)?;
        let environment = Environment { directory };
        let mut find = environment.python();
        find.args(["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]);
        let packages = String::from_utf8(product::checked(&mut find)?)?;
        let package = Path::new(packages.trim()).join("loopwright");
        if package.exists() {
            std::fs::remove_dir_all(&package)?;
        }
        std::fs::create_dir(&package)?;
        for script in std::fs::read_dir(ci::root().join("python/package/loopwright"))? {
            let script = script?;
            if script.file_type()?.is_file() {
                std::fs::copy(script.path(), package.join(script.file_name()))?;
            }
        }
        let module = ci::target()?.join("debug/deps/lib_native.so");
        std::fs::copy(&module, package.join("_native.abi3.so"))
            .with_context(|| module.display().to_string())?;
        Ok(environment)
    }

    fn install(&self, profile: &str) -> Result<()> {
        let wheels = tempfile::tempdir()?;
        let mut build = self.python();
        build.args(["-m", "maturin", "build", "--quiet", "--locked", "--profile", profile]);
        build.args(["--manifest-path", "python/Cargo.toml", "--out"]).arg(wheels.path());
        // Which Python cargo is told of differs from other builds: in their place it would build everything anew.
        build.arg("--target-dir").arg(self.directory.join("build"));
        ci::checked(&mut build)?;
        let wheel = std::fs::read_dir(wheels.path())?.next().context("maturin made no wheel")??.path();
        let mut install = self.python();
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        install.args(["--no-index", "--no-deps", "--force-reinstall"]).arg(wheel);
        ci::checked(&mut install)
    }

    /// Its Python, in the workspace, which leaves nothing beside the scripts.
    fn python(&self) -> Command {
        let programs = self.directory.join("bin");
        let mut command = Command::new(programs.join("python"));
        command.current_dir(ci::root()).env("PYTHONDONTWRITEBYTECODE", "1");
        command.env("VIRTUAL_ENV", &self.directory);
        command
    }
}

/// Writes the integers of every generator, at small sizes, as little-endian int64: `NAME.i64`.
fn write_traces(directory: &Path) -> Result<()> {
    let of_nests = generators::SINGLE.iter().chain(generators::TILED).map(|g| {
        let sizes = Sizes { n: 10, m: 11, p: 9, tile: 4, steps: 6 };
        (g.name, g.at(&sizes))
    });
    let all = of_nests.chain(generators::SMALL.iter().map(|g| (g.name, g.all())));
    for (name, runs) in all {
        let bytes: Vec<u8> = runs.iter().flat_map(Run::values).flat_map(i64::to_le_bytes).collect();
        if bytes.is_empty() {
            bail!("the generator {name} makes nothing at this size");
        }
        std::fs::write(directory.join(format!("{name}.i64")), bytes)?;
    }
    Ok(())
}
