//! Speed and memory on the kernels.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use kernels::{Kernel, Level};

use crate::{ci, measure};

/// Native runs; the fastest counts.
const REPEATS: usize = 3;

/// Processor seconds of `loopwright` after which a profile is stopped.
const LIMIT: f64 = 60.0;

/// One line of the table.
struct Row {
    kernel: String,
    level: Level,
    irregular: bool,
    native: f64,
    child: f64,
    own: f64,
    /// `None` if the profile was stopped at the limit.
    instructions: Option<u64>,
    peak: u64,
}

impl Row {
    fn total(&self) -> f64 {
        self.child + self.own
    }

    fn text(&self) -> String {
        let start = format!("| {} | {} | {:.2} |", self.kernel, self.level, self.native);
        let peak = self.peak as f64 / f64::from(1 << 20);
        match self.instructions {
            Some(instructions) => format!(
                "{start} {:.2} | {:.2} | {:.2} | {:.1} | {:.0} | {peak:.0} |",
                self.child,
                self.total(),
                self.child / self.native,
                self.total() / self.native,
                instructions as f64 / self.total() / 1e6,
            ),
            None => format!("{start} | over {LIMIT:.0} | | over {:.0} | | {peak:.0} |", LIMIT / self.native),
        }
    }

    /// Most the whole profile may cost, as a multiple of the program alone.
    fn target(&self) -> f64 {
        match (self.irregular, self.level) {
            (true, _) => 100.0,
            (false, Level::O0) => 40.0,
            (false, _) => 15.0,
        }
    }
}

/// Measures the kernels named, or all.
pub fn run(names: &[&str]) -> Result<()> {
    ci::cargo(&["build", "--release", "--package", "loopwright"], &[])?;
    let table = kernels::load()?;
    if let Some(unknown) = names.iter().find(|n| !table.iter().any(|k| k.name() == **n)) {
        bail!("there is no kernel {unknown}");
    }
    let loopwright = ci::target()?.join("release/loopwright");
    let directory = tempfile::tempdir()?;
    let head = "| kernel | compiled | native s | child s | total s | child / native | total / native | M instructions / s \
                | peak MiB |\n|---|---|--:|--:|--:|--:|--:|--:|--:|";
    println!("{head}");
    let mut rows = Vec::new();
    // Kernels without arguments for a long run are there for their control structure alone.
    let is_asked =
        |k: &&Kernel| if names.is_empty() { !k.bench.is_empty() } else { names.contains(&k.name()) };
    for kernel in table.iter().filter(is_asked) {
        for level in Level::ALL {
            let row = row(&loopwright, kernel, level, directory.path())?;
            println!("{}", row.text());
            rows.push(row);
        }
    }
    if names.is_empty() {
        std::fs::write(ci::root().join("docs/benchmarks.md"), document(head, &rows))?;
    }
    Ok(())
}

fn row(loopwright: &Path, kernel: &Kernel, level: Level, directory: &Path) -> Result<Row> {
    let program = kernels::compile(kernel, level, directory)?;
    let arguments = kernel.bench.get(&level).map_or(&[][..], Vec::as_slice);
    let mut native = f64::INFINITY;
    for _ in 0..REPEATS {
        native = native.min(measure::run(Command::new(&program.path).args(arguments), LIMIT)?.own);
    }
    let file = directory.join("bench.lwp");
    let mut command = Command::new(loopwright);
    command.args(["profile", "--quiet", "-o"]).arg(&file).arg("--").arg(&program.path).args(arguments);
    let profile = measure::run(&mut command, LIMIT)?;
    let instructions = match profile.status {
        None => None,
        Some(status) if status.success() => Some(instructions(loopwright, &file)?),
        Some(status) => bail!("{} {level}: {status}", kernel.name()),
    };
    Ok(Row {
        kernel: kernel.name().to_owned(),
        level,
        irregular: kernel.irregular,
        native,
        child: profile.children,
        own: profile.own,
        instructions,
        peak: profile.peak,
    })
}

fn instructions(loopwright: &Path, profile: &Path) -> Result<u64> {
    let report = Command::new(loopwright).arg("report").arg(profile).args(["--format", "json"]).output()?;
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).context("loopwright report")?;
    report["trust"]["instructions"].as_u64().context("the report has no instruction count")
}

fn document(head: &str, rows: &[Row]) -> String {
    let mut text = format!(
        "# Benchmarks\n\nWritten by `cargo xtask bench` on {}, {} processors. Do not edit.\n\n\
         *native*: processor time of the program alone, the least of {REPEATS} runs. *child*: the program under the \
         recorder. *total*: the program and `loopwright profile` together. *peak*: most memory of `loopwright`.\n\n{head}\n",
        processor(),
        std::thread::available_parallelism().map_or(0, usize::from),
    );
    for row in rows {
        text += &row.text();
        text.push('\n');
    }
    let missed: Vec<String> = rows
        .iter()
        .filter(|r| r.instructions.is_none() || r.total() / r.native > r.target() || r.peak > 1 << 30)
        .map(|r| {
            let target = format!("of {:.0}x, {} MiB", r.target(), r.peak >> 20);
            match r.instructions {
                Some(_) => format!("- {} {}: {:.1}x {target}", r.kernel, r.level, r.total() / r.native),
                None => format!("- {} {}: stopped after {LIMIT:.0} s {target}", r.kernel, r.level),
            }
        })
        .collect();
    text += "\nTargets: total / native at most 15 (40 at -O0) where addresses are affine, 100 where they are not (histogram, \
             spmv, tree_sum); at most 1024 MiB.\n";
    if missed.is_empty() {
        text += "All are met.\n";
    } else {
        // Writing to a string cannot fail.
        let _ = write!(text, "Not met:\n\n{}\n", missed.join("\n"));
    }
    text
}

fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    info.lines().find_map(|l| l.strip_prefix("model name")).map_or_else(
        || "an unknown processor".to_owned(),
        |m| m.trim_start_matches(['\t', ':', ' ']).to_owned(),
    )
}
