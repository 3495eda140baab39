//! What profiles of real programs cost beside the programs alone.
//!
//! Native runs of such programs often take less than the kernel's clock tells apart: many of them are timed together.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::measure::{self, Usage};
use crate::product::Loopwright;

/// Native seconds that are timed together, at least.
const BATCH: f64 = 1.0;
/// Batches of native runs; the fastest counts.
const BATCHES: usize = 3;
/// Most native runs of a batch.
const MOST: f64 = 1000.0;
/// Processor seconds after which a run is stopped.
const LIMIT: f64 = 600.0;
/// Codes from which on Loopwright says that it has failed itself.
const FAILED: i32 = 125;

/// Runs `$0` times what follows, silently; stops where that fails.
const REPEAT: &str = "n=$0; while [ $n -gt 0 ]; do \"$@\" > /dev/null || exit 1; n=$((n - 1)); done";

/// The programs, as a file names them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    program: Vec<Program>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    name: String,
    /// Where it runs, from the manifest's directory.
    directory: PathBuf,
    /// The program and its arguments.
    run: Vec<String>,
    /// Options of `loopwright profile`.
    #[serde(default)]
    profile: Vec<String>,
}

/// One line of the table.
#[derive(Debug)]
struct Row {
    name: String,
    native: f64,
    /// Processor seconds of Loopwright and of the program under it.
    profile: f64,
    accesses: u64,
    peak: u64,
}

impl Row {
    fn ratio(&self) -> f64 {
        self.profile / self.native
    }

    fn text(&self) -> String {
        format!(
            "| {} | {:.3} | {:.2} | {:.0} | {:.1} | {:.0} | {} |",
            self.name,
            self.native,
            self.profile,
            self.ratio(),
            self.accesses as f64 / 1e6,
            self.profile * 1e9 / self.accesses.max(1) as f64,
            self.peak >> 20,
        )
    }
}

const HEAD: &str = "| program | native s | profile s | ratio | M accesses | ns / access | peak MiB |\n\
                    |---|--:|--:|--:|--:|--:|--:|";

/// What a command line asks for.
#[derive(Debug, PartialEq, Eq)]
struct Asked<'a> {
    loopwright: Option<&'a str>,
    /// Profiles of each program; the cheapest counts.
    runs: usize,
    manifest: &'a str,
    names: &'a [&'a str],
}

impl<'a> Asked<'a> {
    fn of(mut args: &'a [&'a str]) -> Result<Asked<'a>> {
        let (mut loopwright, mut runs) = (None, 1);
        loop {
            args = match args {
                ["--loopwright", path, rest @ ..] => {
                    loopwright = Some(*path);
                    rest
                }
                ["--runs", number, rest @ ..] => {
                    runs = number.parse().ok().filter(|n| *n > 0).context("--runs takes a number from 1")?;
                    rest
                }
                [manifest, names @ ..] if !manifest.starts_with("--") => {
                    return Ok(Asked { loopwright, runs, manifest, names });
                }
                _ => bail!("bench-programs [--loopwright PATH] [--runs N] FILE.toml [NAME…]"),
            };
        }
    }
}

/// Measures the programs of a manifest, or those named.
pub fn run(args: &[&str]) -> Result<()> {
    let asked = Asked::of(args)?;
    let path = Path::new(asked.manifest);
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let manifest: Manifest = toml::from_str(&text).with_context(|| path.display().to_string())?;
    if let Some(unknown) = asked.names.iter().find(|name| !manifest.program.iter().any(|p| p.name == **name))
    {
        bail!("{} has no program {unknown}", path.display());
    }
    let loopwright = match asked.loopwright {
        Some(path) => Loopwright { path: std::path::absolute(path)? },
        None => Loopwright::optimised()?,
    };
    let around = std::path::absolute(path)?.parent().context("a manifest lies in a directory")?.to_owned();
    println!("{HEAD}");
    let mut ratios = Vec::new();
    let is_asked = |p: &&Program| asked.names.is_empty() || asked.names.contains(&p.name.as_str());
    for program in manifest.program.iter().filter(is_asked) {
        let row = row(&loopwright, program, &around.join(&program.directory), asked.runs)
            .with_context(|| program.name.clone())?;
        println!("{}", row.text());
        ratios.push(row.ratio());
    }
    if let Some(mean) = mean(&ratios) {
        println!("\nGeometric mean of the ratios: {mean:.0}.");
    }
    Ok(())
}

/// The geometric mean, of at least one number.
fn mean(ratios: &[f64]) -> Option<f64> {
    (!ratios.is_empty()).then(|| (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp())
}

fn row(loopwright: &Loopwright, program: &Program, directory: &Path, runs: usize) -> Result<Row> {
    if program.run.is_empty() {
        bail!("no command line");
    }
    let once = native(program, directory, 1)?;
    let batch = (BATCH / once.max(1e-3)).clamp(1.0, MOST) as usize;
    let mut alone = f64::INFINITY;
    for _ in 0..BATCHES {
        alone = alone.min(native(program, directory, batch)?);
    }
    if alone == 0.0 {
        bail!("{batch} runs take no measurable time");
    }
    let place = tempfile::tempdir()?;
    let file = place.path().join("p.lwp");
    let mut least: Option<Usage> = None;
    for _ in 0..runs {
        let usage = profiled(loopwright, program, directory, &file)?;
        if least.is_none_or(|least| total(&usage) < total(&least)) {
            least = Some(usage);
        }
    }
    let least = least.context("no profile")?;
    let accesses = profile::file::read(&file)?.trust.memory_accesses;
    Ok(Row { name: program.name.clone(), native: alone, profile: total(&least), accesses, peak: least.peak })
}

fn total(usage: &Usage) -> f64 {
    usage.own + usage.children
}

/// Processor seconds of a run of the program alone, on average over so many.
fn native(program: &Program, directory: &Path, times: usize) -> Result<f64> {
    let mut command = Command::new("sh");
    command.args(["-c", REPEAT]).arg(times.to_string()).args(&program.run).current_dir(directory);
    let usage = measure::run(&mut command, LIMIT)?;
    match usage.status {
        Some(status) if status.success() => Ok(usage.children / times as f64),
        Some(status) => bail!("alone: {status}"),
        None => bail!("alone: stopped after {LIMIT:.0} s"),
    }
}

fn profiled(loopwright: &Loopwright, program: &Program, directory: &Path, to: &Path) -> Result<Usage> {
    let mut command = Command::new(&loopwright.path);
    command.args(["profile", "--quiet"]).args(&program.profile).arg("-o").arg(to).arg("--");
    command.args(&program.run).current_dir(directory).stderr(Stdio::null());
    let usage = measure::run(&mut command, LIMIT)?;
    match usage.status.map(|status| (status, status.code())) {
        Some((_, Some(code))) if code < FAILED => Ok(usage),
        Some((status, _)) => bail!("the profile: {status}"),
        None => bail!("the profile: stopped after {LIMIT:.0} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines() {
        let asked = |args: &'static [&'static str]| Asked::of(args).ok();
        assert_eq!(
            asked(&["--runs", "3", "--loopwright", "x", "a.toml", "p", "q"]),
            Some(Asked { loopwright: Some("x"), runs: 3, manifest: "a.toml", names: &["p", "q"] })
        );
        assert_eq!(
            asked(&["a.toml"]),
            Some(Asked { loopwright: None, runs: 1, manifest: "a.toml", names: &[] })
        );
        let wrong: [&[&str]; 4] = [&[], &["--runs"], &["--runs", "0", "a.toml"], &["--run", "a.toml"]];
        assert!(wrong.iter().all(|args| Asked::of(args).is_err()));
    }

    #[test]
    fn lines_of_the_table() {
        let row = Row { name: "p".into(), native: 0.025, profile: 1.5, accesses: 30_000_000, peak: 3 << 20 };
        assert_eq!(row.text(), "| p | 0.025 | 1.50 | 60 | 30.0 | 50 | 3 |");
        assert_eq!(HEAD.lines().count(), 2);
        assert!(HEAD.lines().all(|line| line.matches('|').count() == row.text().matches('|').count()));
        assert_eq!((mean(&[]), mean(&[10.0, 1000.0]).map(f64::round)), (None, Some(100.0)));
    }

    #[test]
    fn many_runs_are_timed_together() {
        let run = |words: &[&str]| Program {
            name: "p".into(),
            directory: ".".into(),
            run: words.iter().map(|w| (*w).to_owned()).collect(),
            profile: Vec::new(),
        };
        let here = tempfile::tempdir().expect("a directory");
        let append = run(&["sh", "-c", "echo x >> runs"]);
        assert!(native(&append, here.path(), 7).expect("seven runs") < 1.0);
        let runs = std::fs::read_to_string(here.path().join("runs")).expect("what they wrote");
        assert_eq!(runs.lines().count(), 7);
        assert!(native(&run(&["false"]), here.path(), 2).is_err());
    }
}
