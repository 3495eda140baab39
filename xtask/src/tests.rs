//! All tests of the workspace, as `cargo test` runs them, but several test programs at a time: many end with one long test
//! that leaves the other cores idle. Documentation has none: a test of `cli::design` sees to that.
//!
//! Every program, or module of a program that holds all tests of a package, runs its own tests one after the other.
//! What it prints appears when it has ended, so that nothing is mixed up; a program that fails does not keep others
//! from running. One that does not end in [`LONGEST`] is killed and has failed, and what it and its children were doing
//! is shown. Beside them run other steps that wait much: [`Beside`].
//!
//! Programs under test that run, wait and are attached to in real time depend on how busy the machine is. A test that failed is
//! therefore run once more when all others have ended, by itself; if it passes then, it has passed, and the last lines name it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::num::NonZero;
use std::path::PathBuf;
use std::process::{Child, Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::ci;

/// What no program of tests takes: several times as long as the longest of them on two cores; and where they take every case.
const LONGEST: Duration = Duration::from_secs(1800);
const LONGEST_AT_NIGHT: Duration = Duration::from_secs(7200);

/// Those that take longest, the longest first.
const LONG: [&str; 8] = [
    "cli::adversarial",
    "cli::existing",
    "ddg::reference",
    "record::threads",
    "reconstruct::reconstruct",
    "cli::opencl",
    "record::attach",
    "cli::kernels",
];

/// What random cases of properties begin with, for `proptest`.
const SEED: &str = "PROPTEST_RNG_SEED";

/// The end of the name of a program in which a package keeps all tests of what it offers.
const WHOLE: &str = "::all";

/// A program of tests, or a module of one in which a package keeps all it has.
pub struct Program {
    /// Directory of the package, and target or module, such as `cli::errors`.
    name: String,
    executable: PathBuf,
    /// Where its package is: `cargo test` runs it there.
    package: PathBuf,
    /// Names of the tests of it; none: every test of the program.
    tests: Vec<String>,
}

/// A step that runs beside the programs, its name, and what does it; that returns what it has printed.
pub type Beside = (&'static str, fn() -> Result<String>);

/// How many tests passed and failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Those that passed.
    pub passed: u64,
    /// Those that failed; a program or a step that fails otherwise counts as one.
    pub failed: u64,
}

impl Counts {
    /// Adds others.
    pub fn add(&mut self, others: Counts) {
        self.passed += others.passed;
        self.failed += others.failed;
    }

    /// The counts that a test runner prints: of Rust's (`test result: ok. 3 passed; 0 failed`) or Python's (`3 passed, 1 failed`).
    pub fn in_text(text: &str) -> Counts {
        let mut counts = Counts::default();
        let is_result = |line: &&str| line.starts_with("test result:") || line.contains(" passed");
        for line in text.lines().filter(is_result) {
            let words: Vec<&str> = line.split_whitespace().collect();
            for pair in words.windows(2) {
                let Ok(number) = pair[0].parse::<u64>() else { continue };
                match pair[1].trim_end_matches([';', ',']) {
                    "passed" => counts.passed += number,
                    "failed" | "error" | "errors" => counts.failed += number,
                    _ => {}
                }
            }
        }
        counts
    }
}

/// Runs all tests, and other steps before the first of them ends; gives the counts, and the names of what failed.
pub fn run(beside: &[Beside]) -> Result<(Counts, Vec<String>)> {
    run_programs(&build()?, beside)
}

/// Runs the tests that need no other program: those inside the crates.
pub fn run_units() -> Result<(Counts, Vec<String>)> {
    run_programs(&listed(&["--workspace", "--lib", "--bins"])?, &[])
}

/// What has ended so far.
#[derive(Default)]
struct Ended<'a> {
    counts: Counts,
    /// Names of what failed.
    failed: Vec<String>,
    /// Tests that are run once more.
    again: Vec<(&'a Program, Vec<String>)>,
}

impl<'a> Ended<'a> {
    fn count(&mut self, name: &str, own: Counts, is_well: bool) {
        self.counts.add(if is_well { own } else { Counts { failed: own.failed.max(1), ..own } });
        if !is_well {
            self.failed.push(name.to_owned());
        }
    }

    fn step(&mut self, name: &str, time: Duration, outcome: &Result<String>) {
        let is_well = show_step(name, time.as_secs_f64(), outcome);
        self.count(name, outcome.as_deref().map(Counts::in_text).unwrap_or_default(), is_well);
    }

    fn program(&mut self, program: &'a Program, time: Duration, outcome: &std::io::Result<Output>) {
        let is_well = show(program, time.as_secs_f64(), outcome);
        let text = outcome.as_ref().map(|output| String::from_utf8_lossy(&output.stdout)).unwrap_or_default();
        let own = Counts::in_text(&text);
        let tests = failed_tests(&text);
        if !is_well && own.failed > 0 && own.failed == tests.len() as u64 {
            self.count(&program.name, Counts { failed: 0, ..own }, true);
            self.again.push((program, tests));
        } else {
            self.count(&program.name, own, is_well);
        }
    }
}

fn run_programs(programs: &[Program], beside: &[Beside]) -> Result<(Counts, Vec<String>)> {
    let (next, ended) = (AtomicUsize::new(0), Mutex::new(Ended::default()));
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let start = Instant::now();
            // The lock also keeps outputs apart.
            if let Some((name, step)) = beside.get(at) {
                let outcome = step();
                locked(&ended).step(name, start.elapsed(), &outcome);
            } else if let Some(program) = programs.get(at - beside.len()) {
                let outcome = program.run();
                locked(&ended).program(program, start.elapsed(), &outcome);
            } else {
                break;
            }
        }
    };
    // Some wait much of the time: with one more than there are processors, a sixth of those was idle.
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get) + 2;
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
    let mut ended = ended.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (program, tests) in std::mem::take(&mut ended.again) {
        for test in tests {
            let is_well = program.run_alone(&test)?;
            let outcome = if is_well { "passes" } else { "fails" };
            println!("{} {test}: {outcome} when run by itself", program.name);
            ended.count(
                &program.name,
                Counts { passed: u64::from(is_well), failed: u64::from(!is_well) },
                is_well,
            );
        }
    }
    ended.failed.dedup();
    Ok((ended.counts, ended.failed))
}

/// What a mutex holds, whatever happened to others that held it.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Builds all test programs and lists them in the order in which they are to run.
fn build() -> Result<Vec<Program>> {
    let mut programs = listed(&["--workspace"])?;
    // No core is to wait for a long one in the end.
    let at = |program: &Program| LONG.iter().position(|name| *name == program.name).unwrap_or(LONG.len());
    programs.sort_by_key(|program| (at(program), !program.name.starts_with("cli::")));
    Ok(programs)
}

/// Builds the test programs that these arguments of `cargo test` choose, in cargo's order.
pub fn listed(arguments: &[&str]) -> Result<Vec<Program>> {
    let output = ci::cargo_itself()
        .args(["test", "--locked", "--quiet", "--no-run", "--all-features"])
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
        if message["profile"]["test"] == true
            && let Some(program) = program(&message)
        {
            programs.extend(program.modules()?);
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
        tests: Vec::new(),
    })
}

impl Program {
    /// Directory of the package, and target or module, such as `cli::errors`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// It, as cargo starts it.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.executable);
        command.arg("--test-threads=1").current_dir(&self.package);
        command.env("CARGO_MANIFEST_DIR", &self.package).stdin(std::process::Stdio::null());
        // The same cases for the same code, so that what a change has not touched cannot fail it; others at night.
        if !kernels::is_thorough() && std::env::var_os(SEED).is_none() {
            command.env(SEED, "1");
        }
        command
    }

    /// Its modules, each for itself, if it is one in which a package keeps all tests of what it offers ([`WHOLE`]).
    fn modules(self) -> Result<Vec<Program>> {
        let Some(package) = self.name.strip_suffix(WHOLE) else { return Ok(vec![self]) };
        let output = self.command().args(["--list", "--format=terse"]).output().context("listing tests")?;
        let mut modules = BTreeMap::<String, Vec<String>>::new();
        for test in
            String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| line.strip_suffix(": test"))
        {
            let module = test.split_once("::").map_or("", |(module, _)| module);
            modules.entry(module.to_owned()).or_default().push(test.to_owned());
        }
        if !output.status.success() || modules.is_empty() {
            bail!("{}: lists no tests ({})", self.name, output.status);
        }
        let each = modules.into_iter().map(|(module, tests)| Program {
            name: format!("{package}::{module}"),
            executable: self.executable.clone(),
            package: self.package.clone(),
            tests,
        });
        Ok(each.collect())
    }

    /// Runs it to its end or for [`LONGEST`].
    fn run(&self) -> std::io::Result<Output> {
        let mut command = self.command();
        if !self.tests.is_empty() {
            command.arg("--exact").args(&self.tests);
        }
        self.run_as(command)
    }

    /// Runs one of its tests; whether it passed. What it prints is shown if not.
    fn run_alone(&self, test: &str) -> Result<bool> {
        let mut command = self.command();
        command.args(["--exact", test]);
        let output = self.run_as(command)?;
        let ran = Counts::in_text(&String::from_utf8_lossy(&output.stdout));
        let is_well = output.status.success() && ran == Counts { passed: 1, failed: 0 };
        if !is_well {
            println!("{}", cause(&String::from_utf8_lossy(&output.stdout)));
            std::io::stdout().write_all(&output.stderr)?;
        }
        Ok(is_well)
    }

    fn run_as(&self, mut command: Command) -> std::io::Result<Output> {
        let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
        command.stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
        let start = Instant::now();
        let longest = if kernels::is_thorough() { LONGEST_AT_NIGHT } else { LONGEST };
        let mut child = command.spawn()?;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if start.elapsed() > longest {
                let (processes, shown) = descendants(&child);
                writeln!(stderr, "not ended after {} s:\n{shown}", longest.as_secs())?;
                kill(&processes);
                break child.wait()?;
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        Ok(Output { status, stdout: whole(&mut stdout)?, stderr: whole(&mut stderr)? })
    }
}

/// What a test that failed has said, without the calls that led to it.
fn cause(text: &str) -> String {
    let from = text.find("\nfailures:").map_or(text, |at| &text[at + 1..]);
    from.lines().take_while(|line| !line.starts_with("stack backtrace")).collect::<Vec<_>>().join("\n")
}

/// The names of the tests that failed, as Rust's runner lists them while they run.
fn failed_tests(text: &str) -> Vec<String> {
    let name = |line: &str| Some(line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?.to_owned());
    text.lines().filter_map(name).collect()
}

fn whole(file: &mut File) -> std::io::Result<Vec<u8>> {
    let mut content = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut content)?;
    Ok(content)
}

/// A child's processes, itself first, and a line for each: number, parent, state, where it waits, command.
fn descendants(child: &Child) -> (Vec<i32>, String) {
    let listed = Command::new("ps").args(["-e", "-ww", "-o", "pid=,ppid=,stat=,wchan:20=,args="]).output();
    let listed = match &listed {
        Ok(output) => String::from_utf8_lossy(&output.stdout),
        Err(error) => return (Vec::new(), format!("ps: {error}")),
    };
    let (mut found, mut shown) = (i32::try_from(child.id()).into_iter().collect::<Vec<_>>(), String::new());
    // Those of later generations may stand before their parents.
    let mut lines: Vec<&str> = listed.lines().collect();
    loop {
        let before = lines.len();
        lines.retain(|line| {
            let mut numbers = line.split_whitespace().map(|word| word.parse::<i32>().unwrap_or(0));
            let (process, parent) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
            if found.first() != Some(&process) && !found.contains(&parent) {
                return true;
            }
            if !found.contains(&process) {
                found.push(process);
            }
            shown.push_str(line);
            shown.push('\n');
            false
        });
        if lines.len() == before {
            return (found, shown);
        }
    }
}

fn kill(processes: &[i32]) {
    for process in processes.iter().filter_map(|&process| rustix::process::Pid::from_raw(process)) {
        // One that has ended by now needs no signal.
        let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
    }
}

/// Prints the last line of what a step has printed, or why it failed; returns whether all is well.
fn show_step(name: &str, seconds: f64, outcome: &Result<String>) -> bool {
    let mut out = std::io::stdout().lock();
    let written = match outcome {
        Ok(text) => writeln!(out, "{name}: {seconds:.1} s: {}", text.lines().last().unwrap_or_default()),
        Err(error) => writeln!(out, "{name}: {error:#}"),
    };
    written.is_ok() && outcome.is_ok()
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

#[cfg(test)]
mod counting {
    use super::{Counts, cause, failed_tests};

    #[test]
    fn failed_tests_are_named() {
        let text = "running 2 tests\ntest a::b ... FAILED\ntest c ... ok\n\nfailures:\n    a::b\n";
        assert_eq!(failed_tests(text), ["a::b"]);
        assert!(failed_tests("test c ... ok\n").is_empty());
    }

    #[test]
    fn causes_are_short() {
        let text = "running 1 test\ntest a ... FAILED\n\nfailures:\n\n---- a stdout ----\nleft\nstack backtrace:\n 0: x\n";
        assert_eq!(cause(text), "failures:\n\n---- a stdout ----\nleft");
        assert_eq!(cause("died"), "died");
    }

    #[test]
    fn results_of_both_runners_are_counted() {
        let rust = "running 3 tests\ntest result: FAILED. 2 passed; 1 failed; 4 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(Counts::in_text(rust), Counts { passed: 2, failed: 1 });
        let python = "..\n52 passed, 1 warning in 12.3s\n";
        assert_eq!(Counts::in_text(python), Counts { passed: 52, failed: 0 });
        assert_eq!(Counts::in_text("3 failed, 5 passed in 1s"), Counts { passed: 5, failed: 3 });
    }
}
