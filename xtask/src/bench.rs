//! Speed and memory on the kernels.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use kernels::{Kernel, Level};

use crate::product::Loopwright;
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
    short_rows: bool,
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

    /// What the whole profile cost as a multiple of the program alone; at least, if it was stopped.
    fn ratio(&self) -> f64 {
        self.instructions.map_or(LIMIT, |_| self.total()) / self.native
    }
}

/// Most that any profile may cost as a multiple of the program alone.
const MOST: f64 = 150.0;
/// Most memory, bytes.
const MEMORY: u64 = 2 << 30;

/// A group of rows with a target for the geometric mean of their ratios.
struct Group {
    name: &'static str,
    target: f64,
    contains: fn(&Row) -> bool,
}

const GROUPS: [Group; 4] = [
    Group {
        name: "affine, -O2 and -O3",
        target: 3.0,
        contains: |row| !row.irregular && !row.short_rows && row.level != Level::O0,
    },
    Group {
        name: "affine with short rows, -O2 and -O3",
        target: 8.0,
        contains: |row| !row.irregular && row.short_rows && row.level != Level::O0,
    },
    Group {
        name: "irregular, -O2 and -O3",
        target: 60.0,
        contains: |row| row.irregular && row.level != Level::O0,
    },
    Group { name: "-O0", target: 40.0, contains: |row| row.level == Level::O0 },
];

impl Group {
    fn text(&self, rows: &[Row]) -> Option<String> {
        let ratios: Vec<f64> = rows.iter().filter(|row| (self.contains)(row)).map(Row::ratio).collect();
        let mean = (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp();
        let Group { name, target, .. } = self;
        (!ratios.is_empty()).then(|| format!("| {name} | {} | {mean:.1} | {target:.0} |\n", ratios.len()))
    }
}

/// Measures the kernels named, or all.
pub fn run(names: &[&str]) -> Result<()> {
    let table = kernels::load()?;
    if let Some(unknown) = names.iter().find(|n| !table.iter().any(|k| k.name() == **n)) {
        bail!("there is no kernel {unknown}");
    }
    let loopwright = Loopwright::optimised()?;
    let directory = tempfile::tempdir()?;
    let head = "| kernel | compiled | native s | child s | total s | child / native | total / native | M instructions / s \
                | peak MiB |\n|---|---|--:|--:|--:|--:|--:|--:|--:|";
    println!("{head}");
    let mut rows = Vec::new();
    // Kernels without arguments for a long run are there for their control structure alone.
    let is_asked =
        |k: &&Kernel| if names.is_empty() { !k.bench.is_empty() } else { names.contains(&k.name()) };
    for kernel in table.iter().filter(is_asked) {
        for level in Level::MEASURED {
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

fn row(loopwright: &Loopwright, kernel: &Kernel, level: Level, directory: &Path) -> Result<Row> {
    let program = kernels::compile(kernel, level, directory)?;
    let arguments = kernel.bench.get(&level).map_or(&[][..], Vec::as_slice);
    let mut native = f64::INFINITY;
    for _ in 0..REPEATS {
        native = native.min(measure::run(Command::new(&program.path).args(arguments), LIMIT)?.own);
    }
    let file = directory.join("bench.lwp");
    let mut command = Command::new(&loopwright.path);
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
        short_rows: kernel.short_rows,
        native,
        child: profile.children,
        own: profile.own,
        instructions,
        peak: profile.peak,
    })
}

fn instructions(loopwright: &Loopwright, profile: &Path) -> Result<u64> {
    let report = loopwright.report(profile, &[])?;
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
    text += "\nGeometric means of total / native; profiles that were stopped count as if they had ended then.\n\n\
             | kernels | programs | mean | target |\n|---|--:|--:|--:|\n";
    text.extend(GROUPS.iter().filter_map(|group| group.text(rows)));
    let missed: Vec<String> = rows
        .iter()
        .filter(|r| r.instructions.is_none() || r.ratio() > MOST || r.peak > MEMORY)
        .map(|r| {
            let ended = if r.instructions.is_some() { "" } else { "stopped, over " };
            format!("- {} {}: {ended}{:.0}x, {} MiB\n", r.kernel, r.level, r.ratio(), r.peak >> 20)
        })
        .collect();
    let limits = format!("{MOST:.0} times the program alone and {} MiB", MEMORY >> 20);
    match missed.as_slice() {
        [] => text += &format!("\nNone takes more than {limits}.\n"),
        _ => text += &format!("\nStopped after {LIMIT:.0} s, or more than {limits}:\n\n{}", missed.concat()),
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
