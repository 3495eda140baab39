//! What is handed out: packed crates, a Debian package, a wheel for Python and a program that needs no library. Each is made, and
//! tried where nothing else of Loopwright is.

mod manifests;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use kernels::Level;
use serde_json::Value;

pub use manifests::check as check_manifests;

use crate::ci;
use crate::product::checked;
use crate::tests::Counts;

/// The platform that packages are for.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The profile of cargo's that they are built with.
const PROFILE: &str = "dist";

/// The version of all crates.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What makes the Debian package, installed beside what cargo builds.
const CARGO_DEB: &str = "cargo-deb@3.8.0";

/// Packages of Python that make and look into wheels, with their versions.
const PYTHON_PACKAGES: &str = "xtask/packages.txt";

/// Shells that completions are made for, with the name of the file that the shell looks for.
const SHELLS: [(&str, &str); 3] =
    [("bash", "loopwright"), ("fish", "loopwright.fish"), ("zsh", "_loopwright")];

/// Makes and tries packages; prints how many checks passed and failed. Arguments: `--check`, which looks at the manifests alone, or
/// `--out DIRECTORY` and the names of packages, all unless given.
///
/// # Errors
/// Wrong arguments, and which packages failed.
pub fn run(arguments: &[&str]) -> Result<()> {
    let (out, names) = match arguments {
        ["--check"] => return check_manifests(),
        ["--out", directory, names @ ..] => (std::path::absolute(directory)?, names),
        names => (ci::target()?.join("packages"), names),
    };
    let wrong = names.iter().find(|name| PACKAGES.iter().all(|package| package.name != **name));
    if let Some(wrong) = wrong {
        let all = PACKAGES.map(|package| package.name).join(", ");
        bail!("there is no package {wrong}; there are {all}");
    }
    let is_wanted = |package: &Package| names.is_empty() || names.contains(&package.name);
    ci::counted(|counts| make_and_try(&out, is_wanted, counts))
}

/// Makes all packages in `target/packages`, as a step of others.
pub fn all_in_target(counts: &mut Counts) -> Result<()> {
    make_and_try(&ci::target()?.join("packages"), |_| true, counts)
}

/// What packages are made from, and where they go.
struct Place {
    /// Where cargo builds.
    target: PathBuf,
    /// Where packages go.
    out: PathBuf,
    /// A program to profile, and its folder.
    kernel: PathBuf,
    /// What is left of all this when it is over: nothing.
    scratch: tempfile::TempDir,
}

/// A kind of package.
struct Package {
    name: &'static str,
    /// Makes it; gives its file.
    make: fn(&Place) -> Result<PathBuf>,
    /// Tries the file: what is tried, and what came of it.
    attempt: fn(&Place, &Path) -> Result<Vec<Attempt>>,
}

/// What was tried of a package.
type Attempt = (&'static str, Result<()>);

const PACKAGES: [Package; 4] = [
    Package { name: "crates", make: pack_crates, attempt: try_crates },
    Package { name: "static", make: make_static, attempt: try_static },
    Package { name: "debian", make: make_debian, attempt: try_debian },
    Package { name: "wheel", make: make_wheel, attempt: try_wheel },
];

fn make_and_try(out: &Path, is_wanted: impl Fn(&Package) -> bool, counts: &mut Counts) -> Result<()> {
    std::fs::create_dir_all(out).with_context(|| out.display().to_string())?;
    let scratch = tempfile::tempdir()?;
    let kernels = kernels::load()?;
    let jacobi =
        kernels.iter().find(|kernel| kernel.name() == "jacobi").context("there is no kernel jacobi")?;
    let kernel = kernels::compile(jacobi, Level::O2, scratch.path())?.path;
    let place = Place { target: ci::target()?, out: out.to_owned(), kernel, scratch };
    let mut failed = Vec::new();
    for package in PACKAGES.iter().filter(|package| is_wanted(package)) {
        let start = Instant::now();
        let attempts = (package.make)(&place).and_then(|file| {
            println!("{}: {} ({} s)", package.name, described(&file)?, start.elapsed().as_secs());
            (package.attempt)(&place, &file)
        });
        let attempts = attempts.unwrap_or_else(|error| vec![("made, and ready to be tried", Err(error))]);
        for (what, outcome) in attempts {
            let is_well = outcome.is_ok();
            counts.add(Counts { passed: u64::from(is_well), failed: u64::from(!is_well) });
            match outcome {
                Ok(()) => println!("  {what}: ok"),
                Err(error) => {
                    println!("  {what}: FAILED: {error:#}");
                    failed.push(package.name);
                }
            }
        }
    }
    failed.dedup();
    if failed.is_empty() { Ok(()) } else { bail!("packages that do not work: {}", failed.join(", ")) }
}

/// The path of a file and its size; of a folder, that of all files in it.
fn described(path: &Path) -> Result<String> {
    let mut bytes = 0;
    if path.is_dir() {
        for entry in std::fs::read_dir(path)? {
            bytes += entry?.metadata()?.len();
        }
    } else {
        bytes = path.metadata()?.len();
    }
    Ok(format!("{}, {bytes} bytes", path.display()))
}

/// Cargo, for one build of everything, which nobody debugs or builds on.
fn cargo() -> Command {
    let mut command = ci::cargo_itself();
    command.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_DEBUG", "0");
    command
}

/// A folder that is empty, below where packages are made.
fn emptied(directory: PathBuf) -> Result<PathBuf> {
    if directory.exists() {
        std::fs::remove_dir_all(&directory).with_context(|| directory.display().to_string())?;
    }
    std::fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
    Ok(directory)
}

/// How the command comes by the C library.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CLibrary {
    /// It loads that of the system.
    Loaded,
    /// It has one inside.
    Inside,
}

/// The command as it is handed out. The file lasts until the next is built.
fn build_command(place: &Place, library: CLibrary) -> Result<PathBuf> {
    let mut build = cargo();
    build.args([
        "rustc",
        "--quiet",
        "--locked",
        "--profile",
        PROFILE,
        "--package",
        "loopwright",
        "--bin",
        "loopwright",
    ]);
    if library == CLibrary::Inside {
        // It matters where programs are linked: the crates are compiled once for both.
        build.args(["--", "-C", "target-feature=+crt-static"]);
    }
    ci::checked(&mut build)?;
    Ok(place.target.join(PROFILE).join("loopwright"))
}

/// Packs all crates that the command needs, into `crates`. Cargo unpacks each elsewhere and builds it there from the others as they
/// are packed.
fn pack_crates(place: &Place) -> Result<PathBuf> {
    let crates = manifests::published()?;
    let built = place.target.join("packed");
    let mut pack = cargo();
    pack.args(["package", "--quiet", "--locked", "--allow-dirty", "--target-dir"]).arg(&built);
    pack.args(crates.iter().flat_map(|name| ["--package", name]));
    ci::checked(&mut pack)?;
    let out = emptied(place.out.join("crates"))?;
    for name in &crates {
        let file = format!("{name}-{VERSION}.crate");
        std::fs::copy(built.join("package").join(&file), out.join(&file)).with_context(|| file.clone())?;
    }
    Ok(out)
}

fn try_crates(place: &Place, _: &Path) -> Result<Vec<Attempt>> {
    let command = place.target.join("packed/debug/loopwright");
    Ok(vec![
        ("version", says_version(&command)),
        ("profile and report", profiles(place, &command)),
        ("demo", demonstrates(&command)),
    ])
}

/// Puts manual pages and completions, which the command makes, where the manifest of the Debian package looks for them.
fn write_pages(command: &Path, into: &Path) -> Result<()> {
    let into = emptied(into.to_owned())?;
    checked(Command::new(command).arg("man").arg(into.join("man")))?;
    let completions = into.join("completions");
    std::fs::create_dir(&completions)?;
    for (shell, name) in SHELLS {
        let text = checked(Command::new(command).args(["completions", shell]))?;
        std::fs::write(completions.join(name), text)?;
    }
    Ok(())
}

/// Makes the Debian package, with cargo-deb.
fn make_debian(place: &Place) -> Result<PathBuf> {
    let tools = place.target.join("tools");
    let mut install = ci::cargo_itself();
    // Nothing is done where it is installed already.
    install.args(["install", "--quiet", "--locked", "--debug", CARGO_DEB, "--root"]).arg(&tools);
    ci::checked(&mut install)?;
    let command = build_command(place, CLibrary::Loaded)?;
    let pages = place.target.join(PROFILE).join("pages");
    write_pages(&command, &pages)?;
    // Debian has its pages compressed, without a time.
    let mut compress = Command::new("gzip");
    compress.args(["-9", "--no-name", "--recursive"]).arg(pages.join("man"));
    ci::checked(&mut compress)?;
    let out = place.out.join(format!("loopwright_{VERSION}_amd64.deb"));
    let mut pack = Command::new(tools.join("bin/cargo-deb"));
    pack.current_dir(ci::root()).args(["deb", "--quiet", "--locked", "--no-build", "--profile", PROFILE]);
    pack.args(["--package", "loopwright", "--output"]).arg(&out);
    ci::checked(&mut pack)?;
    Ok(out)
}

fn try_debian(place: &Place, file: &Path) -> Result<Vec<Attempt>> {
    let root = emptied(place.scratch.path().join("debian"))?;
    checked(Command::new("dpkg-deb").arg("-x").arg(file).arg(&root))?;
    let fields =
        checked(Command::new("dpkg-deb").args(["-f"]).arg(file).args(["Depends", "Recommends", "License"]))?;
    let fields = String::from_utf8(fields)?;
    let needs =
        if fields.contains("libc6 (>= ") { Ok(()) } else { Err(anyhow::anyhow!("depends on {fields}")) };
    let share = root.join("usr/share");
    let files = [
        "man/man1/loopwright.1.gz",
        "man/man1/loopwright-profile.1.gz",
        "bash-completion/completions/loopwright",
        "fish/vendor_completions.d/loopwright.fish",
        "zsh/vendor-completions/_loopwright",
        "doc/loopwright/copyright",
    ];
    let lacking: Vec<&str> = files.into_iter().filter(|file| !share.join(file).is_file()).collect();
    let has = if lacking.is_empty() { Ok(()) } else { Err(anyhow::anyhow!("lacks {}", lacking.join(", "))) };
    let command = root.join("usr/bin/loopwright");
    Ok(vec![
        ("what it needs", needs),
        ("pages, completions and licence", has),
        ("version", says_version(&command)),
        ("profile and report", profiles(place, &command)),
        ("demo", demonstrates(&command)),
    ])
}

/// Builds the command with the C library inside, and packs it with its pages.
fn make_static(place: &Place) -> Result<PathBuf> {
    let command = build_command(place, CLibrary::Inside)?;
    let name = format!("loopwright-{VERSION}-x86_64-linux");
    let folder = emptied(place.scratch.path().join("made").join(&name))?;
    write_pages(&command, &folder)?;
    std::fs::copy(&command, folder.join("loopwright"))?;
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "README.md"] {
        std::fs::copy(ci::root().join(file), folder.join(file)).context(file)?;
    }
    let out = place.out.join(format!("{name}.tar.xz"));
    let mut pack = Command::new("tar");
    pack.args(["--create", "--xz", "--owner=0", "--group=0", "--file"]).arg(&out);
    ci::checked(pack.arg("--directory").arg(folder.parent().unwrap_or(&folder)).arg(&name))?;
    Ok(out)
}

fn try_static(place: &Place, file: &Path) -> Result<Vec<Attempt>> {
    let root = emptied(place.scratch.path().join("static"))?;
    checked(Command::new("tar").arg("--extract").arg("--file").arg(file).arg("--directory").arg(&root))?;
    let command = root.join(format!("loopwright-{VERSION}-x86_64-linux/loopwright"));
    let headers =
        checked(Command::new("readelf").args(["--program-headers", "--dynamic", "--wide"]).arg(&command))?;
    let headers = String::from_utf8_lossy(&headers);
    let is_alone = !headers.contains("INTERP") && !headers.contains("(NEEDED)");
    let alone = if is_alone { Ok(()) } else { Err(anyhow::anyhow!("it needs libraries")) };
    Ok(vec![
        ("needs no library", alone),
        ("version", says_version(&command)),
        ("profile and report", profiles(place, &command)),
        ("demo", demonstrates(&command)),
    ])
}

/// Makes the wheel: the extension module and the scripts by maturin, and the command beside them, which pip puts where programs of the
/// environment are.
fn make_wheel(place: &Place) -> Result<PathBuf> {
    let python = wheel_tools(place)?;
    let made = emptied(place.scratch.path().join("maturin"))?;
    let mut build = python();
    build.args(["-m", "maturin", "build", "--quiet", "--locked", "--profile", PROFILE]);
    build.args(["--manifest-path", "python/Cargo.toml", "--out"]).arg(&made);
    ci::checked(&mut build)?;
    let unpacked = emptied(place.scratch.path().join("unpacked"))?;
    checked(python().args(["-m", "wheel", "unpack", "--dest"]).arg(&unpacked).arg(only_file(&made)?))?;
    let folder = unpacked.join(format!("loopwright-{VERSION}"));
    let programs = folder.join(format!("loopwright-{VERSION}.data/scripts"));
    std::fs::create_dir_all(&programs)?;
    std::fs::copy(build_command(place, CLibrary::Loaded)?, programs.join("loopwright"))?;
    let packed = emptied(place.scratch.path().join("packed"))?;
    checked(python().args(["-m", "wheel", "pack", "--dest-dir"]).arg(&packed).arg(&folder))?;
    // The command may need a newer C library than the module, of which alone maturin knows.
    let file = only_file(&packed)?;
    let platform = platform_of(&mut python(), &file)?;
    let renamed =
        checked(python().args(["-m", "wheel", "tags", "--remove", "--platform-tag", &platform]).arg(&file))?;
    let name = String::from_utf8(renamed)?;
    let out = place.out.join(name.trim());
    std::fs::copy(packed.join(name.trim()), &out).with_context(|| name.trim().to_owned())?;
    Ok(out)
}

/// Tries the wheel in a new environment, in which pip finds what it depends on.
fn try_wheel(place: &Place, file: &Path) -> Result<Vec<Attempt>> {
    let environment = emptied(place.scratch.path().join("environment"))?;
    ci::checked(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    let python = environment.join("bin/python");
    let mut install = Command::new(&python);
    ci::checked(install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).arg(file))?;
    let module = "import numpy, loopwright; print(loopwright.reconstruct(numpy.arange(0, 300, 3)))";
    let reconstructs = || {
        let text = String::from_utf8(checked(
            Command::new(&python).args(["-c", module]).current_dir(&environment),
        )?)?;
        if text.contains("3*i0") { Ok(()) } else { bail!("it prints {text:?}") }
    };
    let is_named_right = || {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let platform = platform_of(&mut wheel_tools(place)?(), file)?;
        if name.ends_with(&format!("-{platform}.whl")) { Ok(()) } else { bail!("{name} runs on {platform}") }
    };
    let command = environment.join("bin/loopwright");
    Ok(vec![
        ("platform of its name", is_named_right()),
        ("import", reconstructs()),
        ("version", says_version(&command)),
        ("profile and report", profiles(place, &command)),
        ("demo", demonstrates(&command)),
    ])
}

/// The Python that has what makes wheels.
fn wheel_tools(place: &Place) -> Result<impl Fn() -> Command> {
    let environment = place.target.join("packages-python");
    ci::python_environment(&environment, PYTHON_PACKAGES)?;
    Ok(move || {
        let mut command = Command::new(environment.join("bin/python"));
        command.current_dir(ci::root()).env("VIRTUAL_ENV", &environment);
        command
    })
}

/// The oldest platform that all of a wheel runs on, as auditwheel sees it from the symbols that its files need.
fn platform_of(python: &mut Command, wheel: &Path) -> Result<String> {
    let said = checked(python.args(["-m", "auditwheel", "show", "--json"]).arg(wheel))?;
    let said: Value = serde_json::from_slice(&said).context("what auditwheel says")?;
    said["overall_tag"].as_str().map(str::to_owned).context("auditwheel names no platform")
}

/// The file of a folder that has one.
fn only_file(directory: &Path) -> Result<PathBuf> {
    let mut files = std::fs::read_dir(directory)?;
    let file = files.next().with_context(|| format!("{} is empty", directory.display()))??;
    Ok(file.path())
}

/// The command tells the version of the package, with nothing in its environment.
fn says_version(command: &Path) -> Result<()> {
    let said = String::from_utf8(checked(Command::new(command).arg("--version").env_clear())?)?;
    if said.split_whitespace().nth(1) == Some(VERSION) { Ok(()) } else { bail!("it says {said:?}") }
}

/// The command records a program and finds its parallel loops, with nothing in its environment.
fn profiles(place: &Place, command: &Path) -> Result<()> {
    let place_of_run = tempfile::tempdir()?;
    let profile = place_of_run.path().join("jacobi.lwp");
    let alone = |arguments: &[&str]| {
        let mut run = Command::new(command);
        run.args(arguments).env_clear().current_dir(place_of_run.path()).stdin(Stdio::null());
        run
    };
    let mut record = alone(&["profile", "--quiet", "-o"]);
    checked(record.arg(&profile).arg("--").arg(&place.kernel).args(["40", "8"]))?;
    let report = checked(alone(&["report", "--format", "json"]).arg(&profile))?;
    let report: Value = serde_json::from_slice(&report).context("the report")?;
    let is_found = |function: &str, parallel: &str| {
        let mut loops = report["loops"].as_array().into_iter().flatten();
        loops.any(|one| one["function"] == function && one["parallel"] == parallel)
    };
    if is_found("relax", "yes") && is_found("relax", "no") {
        Ok(())
    } else {
        bail!("the loops of jacobi are not found")
    }
}

/// The command shows its example, which needs the C compiler, and nothing else from the environment.
fn demonstrates(command: &Path) -> Result<()> {
    let directory = tempfile::tempdir()?;
    let mut demo = Command::new(command);
    demo.args(["demo", "--directory"])
        .arg(directory.path())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null());
    let output = demo.output().with_context(|| command.display().to_string())?;
    // Standard output is that of the program.
    let said = String::from_utf8_lossy(&output.stderr);
    let is_well = output.status.success() && said.contains("#pragma omp parallel for");
    if is_well { Ok(()) } else { bail!("{}, and it says: {said}", output.status) }
}
