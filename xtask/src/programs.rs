//! Programs of Debian, and some of our kernels, under the recorder: whether they do what they do alone, and how much slower.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};
use kernels::Level;
use serde::Deserialize;

use crate::product::checked;
use crate::{ci, inputs, measure};

/// Processor seconds after which a run is stopped.
const LIMIT: f64 = 180.0;

#[derive(Debug, Deserialize)]
struct Table {
    program: Vec<Program>,
}

/// See `xtask/programs.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    name: String,
    /// Package of Debian; none if it is compiled here.
    #[serde(default)]
    package: String,
    kind: String,
    /// Instead of a command line: one of our kernels at -O2, as `cargo xtask bench` runs it.
    #[serde(default)]
    kernel: String,
    #[serde(default)]
    setup: Vec<String>,
    #[serde(default)]
    run: Vec<String>,
    #[serde(default)]
    words: String,
    #[serde(default)]
    silent: bool,
    /// Standard input.
    #[serde(default)]
    input: String,
    #[serde(default)]
    writes: Vec<String>,
}

/// How a program is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Native,
    Translated,
    Folded,
    Addresses,
    Valgrind,
    Qemu,
}

/// Stages of the recorder.
const OURS: [(Stage, &str); 3] =
    [(Stage::Translated, "translated"), (Stage::Folded, "folded"), (Stage::Addresses, "addresses")];
const OTHERS: [(Stage, &str); 2] = [(Stage::Valgrind, "valgrind"), (Stage::Qemu, "QEMU plugin")];

/// All stages, in the order of columns.
fn stages() -> impl Iterator<Item = (Stage, &'static str)> {
    OURS.into_iter().chain(OTHERS)
}

/// What a program made of a run.
#[derive(Debug, PartialEq, Eq)]
struct Made {
    code: Option<i32>,
    signal: Option<i32>,
    output: Vec<u8>,
    files: Vec<Option<Vec<u8>>>,
}

/// A run: what it made, and the processor seconds of the program.
struct Run {
    made: Made,
    seconds: f64,
}

/// The tools that programs are run with.
struct Tools {
    record: PathBuf,
    valgrind: bool,
    /// The plugin for QEMU, if that is installed.
    plugin: Option<PathBuf>,
}

/// Measures the programs named, or all; then also writes `docs/programs.md`.
pub fn run(names: &[&str]) -> Result<()> {
    let text = fs::read_to_string(ci::root().join("xtask/programs.toml"))?;
    let mut table: Table = toml::from_str(&text).context("xtask/programs.toml")?;
    if let Some(unknown) = names.iter().find(|name| !table.program.iter().any(|own| own.name == **name)) {
        bail!("there is no program {unknown}");
    }
    let place = tempfile::tempdir()?;
    let tools = Tools::new(place.path())?;
    let common = place.path().join("common");
    fs::create_dir(&common)?;
    inputs::write(&common)?;
    prepare(&mut table, place.path())?;
    println!("{}", head());
    let mut rows = Vec::new();
    let asked = |own: &&Program| names.is_empty() || names.contains(&own.name.as_str());
    for program in table.program.iter().filter(asked) {
        let row = row(&tools, program, &common, &place.path().join("run"))
            .unwrap_or_else(|error| Row { failed: Some(format!("{error:#}")), ..Row::new(program) });
        println!("{}", row.text());
        rows.push(row);
    }
    let summary = summary(&rows);
    println!("{summary}");
    if names.is_empty() {
        fs::write(
            ci::root().join("docs/programs.md"),
            document(&rows, &summary, start_up(&tools, place.path())?),
        )?;
    }
    Ok(())
}

/// Finds out the command lines that are not written down.
fn prepare(table: &mut Table, place: &Path) -> Result<()> {
    let kernels = kernels::load()?;
    for program in &mut table.program {
        if !program.words.is_empty() {
            program.run = words(&program.words).with_context(|| program.name.clone())?;
        } else if !program.kernel.is_empty() {
            let kernel = kernels.iter().find(|kernel| kernel.name() == program.kernel);
            let kernel = kernel.with_context(|| format!("there is no kernel {}", program.kernel))?;
            let compiled = kernels::compile(kernel, Level::O2, place)?.path;
            program.run = vec![compiled.to_string_lossy().into_owned()];
            program.run.extend(kernel.bench.get(&Level::O2).into_iter().flatten().cloned());
        }
    }
    Ok(())
}

impl Tools {
    fn new(place: &Path) -> Result<Tools> {
        ci::cargo(&["build", "--release", "--package", "loopwright-record", "--example", "record"], &[])?;
        let has =
            |name: &str| checked(Command::new("sh").args(["-c", &format!("command -v {name}")])).is_ok();
        let plugin = place.join("addresses.so");
        if has("qemu-x86_64") {
            let source = ci::root().join("xtask/programs/addresses.c");
            let mut compile = Command::new("cc");
            compile.args(["-O2", "-shared", "-fPIC", "-o"]).arg(&plugin).arg(source);
            checked(&mut compile)?;
        }
        Ok(Tools {
            record: ci::target()?.join("release/examples/record"),
            valgrind: has("valgrind"),
            plugin: Some(plugin).filter(|plugin| plugin.exists()),
        })
    }

    /// The command that runs `program` in a stage; the recorder writes its figures into the second file.
    fn command(&self, stage: Stage, program: &Program) -> Option<(Command, Option<&'static str>)> {
        const FIGURES: &str = ".figures";
        let recorded = |mode: &str| {
            let mut command = Command::new(&self.record);
            command.args(["--alone", FIGURES, mode]);
            (command, Some(FIGURES))
        };
        let (mut command, figures) = match stage {
            Stage::Native => {
                let mut command = Command::new(program.run.first()?);
                command.args(program.run.iter().skip(1));
                return Some((command, None));
            }
            Stage::Translated => recorded("none"),
            Stage::Folded => recorded("folded"),
            Stage::Addresses => recorded("addresses"),
            Stage::Valgrind if self.valgrind => {
                let mut command = Command::new("valgrind");
                command.args(["--quiet", "--tool=none"]);
                (command, None)
            }
            Stage::Qemu => {
                let mut command = Command::new("qemu-x86_64");
                command.arg("-plugin").arg(self.plugin.as_ref()?).arg(located(program.run.first()?)?);
                command.args(program.run.iter().skip(1));
                return Some((command, None));
            }
            Stage::Valgrind => return None,
        };
        command.args(&program.run);
        Some((command, figures))
    }
}

/// What a shell takes `text` for. What is run has to be the program itself: QEMU leaves what a shell executes alone.
fn words(text: &str) -> Result<Vec<String>> {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("printf '%s\\n' {text}")]);
    Ok(String::from_utf8(checked(&mut shell)?)?.lines().map(str::to_owned).collect())
}

/// The file of a program.
fn located(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if name.contains('/') {
        return Some(PathBuf::from(name));
    }
    std::env::split_paths(&path).map(|directory| directory.join(name)).find(|file| file.is_file())
}

/// Runs a program in a directory made anew, and takes what it makes.
fn once(tools: &Tools, stage: Stage, program: &Program, common: &Path, place: &Path) -> Result<Option<Run>> {
    let Some((mut command, figures)) = tools.command(stage, program) else { return Ok(None) };
    if place.exists() {
        fs::remove_dir_all(place)?;
    }
    fs::create_dir(place)?;
    for file in fs::read_dir(common)? {
        let file = file?;
        fs::copy(file.path(), place.join(file.file_name()))?;
    }
    for line in &program.setup {
        checked(Command::new("sh").args(["-c", line]).current_dir(place))
            .with_context(|| format!("{}: {line}", program.name))?;
    }
    fs::write(place.join(".input"), &program.input)?;
    let output = place.join(".output");
    command.current_dir(place).env("LC_ALL", "C").env("HOME", place).stdin(File::open(place.join(".input"))?);
    command.stderr(File::create(place.join(".errors"))?);
    let usage = measure::to_file(&mut command, LIMIT, File::create(&output)?)?;
    let Some(status) = usage.status else { return Ok(None) };
    let seconds = match figures {
        None => usage.own + usage.children,
        Some(figures) => fs::read_to_string(place.join(figures))
            .ok()
            .and_then(|text| text.trim().parse().ok())
            .with_context(|| format!("{}: {}", program.name, errors(place)))?,
    };
    let files = program.writes.iter().map(|name| fs::read(place.join(name)).ok()).collect();
    let read = if program.silent { Vec::new() } else { fs::read(&output)? };
    let made = Made { code: status.code(), signal: status.signal(), output: read, files };
    Ok(Some(Run { made, seconds }))
}

fn errors(place: &Path) -> String {
    fs::read_to_string(place.join(".errors")).unwrap_or_default().trim().to_owned()
}

/// A line of the table.
struct Row {
    name: String,
    package: String,
    kind: String,
    /// Why it could not be measured.
    failed: Option<String>,
    /// Processor seconds alone; `None` if the program is not installed or could not be measured.
    native: Option<f64>,
    /// Per stage the factor, `None` if it was not run or stopped.
    factors: Vec<Option<f64>>,
    /// Stages of the recorder in which something differed.
    differs: Vec<&'static str>,
}

fn row(tools: &Tools, program: &Program, common: &Path, place: &Path) -> Result<Row> {
    let mut row = Row::new(program);
    if program.run.first().and_then(|name| located(name)).is_none() {
        return Ok(row);
    }
    let native = || once(tools, Stage::Native, program, common, place)?.context("stopped at the limit");
    let (first, second) = (native()?, native()?);
    if first.made != second.made {
        bail!("{}: two runs alone differ: it is no program to compare with", program.name);
    }
    let alone = first.seconds.min(second.seconds);
    row.native = Some(alone);
    let mut runs = Vec::new();
    for (stage, _) in OURS {
        runs.push(once(tools, stage, program, common, place)?);
    }
    // The others need one processor each.
    let others = std::thread::scope(|scope| {
        let started = OTHERS.map(|(stage, _)| {
            scope.spawn(move || {
                once(tools, stage, program, common, &place.with_extension(format!("{stage:?}")))
            })
        });
        started.map(std::thread::ScopedJoinHandle::join)
    });
    for other in others {
        runs.push(other.map_err(|_| anyhow!("the run panicked"))??);
    }
    for (run, (_, name)) in runs.into_iter().zip(stages()) {
        let is_same = run.as_ref().is_some_and(|run| run.made == first.made);
        if !is_same && OURS.iter().any(|ours| ours.1 == name) {
            row.differs.push(name);
        }
        row.factors.push(run.filter(|_| is_same).map(|run| run.seconds / alone.max(0.01)));
    }
    Ok(row)
}

impl Row {
    fn new(program: &Program) -> Row {
        Row {
            name: program.name.clone(),
            package: program.package.clone(),
            kind: program.kind.clone(),
            failed: None,
            native: None,
            factors: Vec::new(),
            differs: Vec::new(),
        }
    }

    fn text(&self) -> String {
        let Row { name, kind, .. } = self;
        let Some(native) = self.native else {
            let reason = self.failed.clone().unwrap_or_else(|| format!("not installed: {}", self.package));
            return format!("| {name} | {kind} | {reason} | | | | | | |");
        };
        let factor = |own: &Option<f64>| own.map_or("-".to_owned(), |own| format!("{own:.2}"));
        let factors: Vec<String> = self.factors.iter().map(factor).collect();
        let same = if self.differs.is_empty() {
            "yes".to_owned()
        } else {
            format!("no: {}", self.differs.join(", "))
        };
        format!("| {name} | {kind} | {native:.2} | {} | {same} |", factors.join(" | "))
    }
}

fn head() -> String {
    let stages: Vec<&str> = stages().map(|(_, name)| name).collect();
    format!(
        "| program | kind | native s | {} | same |\n|---|---|--:|--:|--:|--:|--:|--:|---|",
        stages.join(" | ")
    )
}

/// Kinds of the programs that are compiled here, for which there are aims.
const COMPILED: [&str; 2] = [CALLS, LOOPS];
const CALLS: &str = "calls";
const LOOPS: &str = "affine loops";

fn summary(rows: &[Row]) -> String {
    let measured: Vec<&Row> = rows.iter().filter(|row| row.native.is_some()).collect();
    let same = measured.iter().filter(|row| row.differs.is_empty()).count();
    let mut out = format!("{same} of {} programs do the same under the recorder.\n\n", measured.len());
    out += "Geometric means:\n\n| stage | programs of Debian | calls | affine loops |\n|---|--:|--:|--:|\n";
    for (at, (_, name)) in stages().enumerate() {
        let mean = |is_meant: &dyn Fn(&str) -> bool| {
            let rows = measured.iter().filter(|row| is_meant(&row.kind));
            let factors: Vec<f64> = rows.filter_map(|row| row.factors.get(at).copied().flatten()).collect();
            let logarithms = factors.iter().map(|factor| factor.ln()).sum::<f64>();
            match factors.len() {
                0 => "-".to_owned(),
                count => format!("{:.2} ({count})", (logarithms / count as f64).exp()),
            }
        };
        let (calls, loops) = (mean(&|kind| kind == CALLS), mean(&|kind| kind == LOOPS));
        out += &format!("| {name} | {} | {calls} | {loops} |\n", mean(&|kind| !COMPILED.contains(&kind)));
    }
    out += "\nIn brackets: how many programs were measured. Aimed at: every program the same; folded at most 3 for programs of calls and \
            1.15 for affine loops.\n";
    out
}

/// Least wall time of a dynamic program that does nothing but greet, in milliseconds: alone, translated, recorded.
fn start_up(tools: &Tools, place: &Path) -> Result<[f64; 3]> {
    let (source, program) = (place.join("hello.c"), place.join("hello"));
    fs::write(&source, "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n")?;
    checked(Command::new("cc").arg("-O1").arg("-o").arg(&program).arg(&source))?;
    let figures = place.join("figures");
    let least = |mode: Option<&str>| -> Result<f64> {
        let mut least = f64::INFINITY;
        for _ in 0..20 {
            let mut command = match mode {
                None => Command::new(&program),
                Some(mode) => {
                    let mut command = Command::new(&tools.record);
                    command.arg("--alone").arg(&figures).arg(mode).arg(&program);
                    command
                }
            };
            let start = std::time::Instant::now();
            checked(&mut command)?;
            least = least.min(start.elapsed().as_secs_f64() * 1e3);
        }
        Ok(least)
    };
    Ok([least(None)?, least(Some("none"))?, least(Some("folded"))?])
}

fn document(rows: &[Row], summary: &str, start_up: [f64; 3]) -> String {
    let mut text = format!(
        "# Programs under the recorder\n\nWritten by `cargo xtask programs`. Do not edit.\n\n\
         *native*: processor seconds of the program alone, the less of two runs. The other columns are the processor time of the \
         program in terms of that: *translated*, with nothing recorded; *folded*, as `loopwright profile` records; *addresses*, every \
         address; under `valgrind --tool=none`; under qemu-user with a plugin that stores every address and every block. \
         The last ones, of kinds *calls* and *affine loops*, are compiled here at -O2, most of them from `kernels/`. \
         *same*: output, exit status and files are those of the program alone, in the recorder's three stages. A dash: stopped after \
         {LIMIT:.0} s, or something differed.\n\n{}\n",
        head()
    );
    for row in rows {
        text += &row.text();
        text.push('\n');
    }
    text += &format!(
        "\n{summary}\nStart-up, a dynamic program that greets: {:.1} ms alone, {:.1} ms translated, {:.1} ms recorded.\n",
        start_up[0], start_up[1], start_up[2]
    );
    text
}
