//! Printed directives, pasted: do they compile, stand on loops and leave the output as it is?
//!
//! Every program is profiled and its directives are written into a copy of its source, which is built and run beside the original
//! (crate `trial`). Three sets are pasted in turn: what the report prints; the outermost loops that can be parallel, whether or not that
//! pays; the innermost ones. Small inputs would hide wrong directives behind those that do not pay, so the latter two count as well.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use kernels::{Adversarial, Level, Optimised};
use report::Report;
use report::trying::{self, Which};
use trial::{Bench, Candidate, Comparison, Effort, Error, Plan, Reason};

use crate::ci;
use crate::product::Loopwright;
use crate::tests::locked;
use crate::truth::{self, suite};

/// Programs that are worked on at a time.
const WORKERS: usize = 2;
/// Longest profiling of one program, in seconds.
const LIMIT: &str = "300";
/// Numbers of threads.
const THREADS: [u32; 3] = [1, 2, 4];
/// Sums of floating-point numbers depend on their order.
const TOLERANCE: f64 = 1e-6;
/// Runs of each program with each number of threads, if nothing else is said.
const ROUNDS: u32 = 10;
/// What divides the document: above it the kernels, below it kept suites.
const SETS: [(Which, &str); 3] =
    [(Which::Printed, "printed"), (Which::Outermost, "outermost"), (Which::Innermost, "innermost")];

/// What is asked for.
struct Options<'a> {
    rounds: u32,
    sanitize: bool,
    levels: Vec<&'a str>,
    names: Vec<&'a str>,
}

/// A program at one level.
struct Job {
    name: String,
    level: String,
    /// The tree that is copied.
    directory: PathBuf,
    build: String,
    run: String,
    /// Options of `loopwright profile`.
    profile: Vec<String>,
    /// What decides whether two outputs are the same.
    comparison: Comparison,
}

/// What became of the directives of a program.
#[derive(Default)]
struct Row {
    name: String,
    level: String,
    /// Directives, by set.
    pasted: [usize; 3],
    runs: u32,
    /// What is wrong, in words.
    compile: Vec<String>,
    no_loop: Vec<String>,
    wrong: Vec<String>,
    /// What rounding alone decides: the original prints something else in that line too, built to round otherwise.
    rounded: Vec<String>,
    races: Vec<String>,
    /// Instructions of loops that can be parallel, of those with a directive, of those with a printed one.
    instructions: [u64; 3],
    /// Why it could not be run, if so.
    left_out: Option<String>,
}

/// Runs the command; without names and levels the document is written.
pub fn run(arguments: &[&str]) -> Result<()> {
    let mut options = Options { rounds: ROUNDS, sanitize: false, levels: Vec::new(), names: Vec::new() };
    let (mut loopwright, mut manifest) = (std::env::var_os("LOOPWRIGHT").map(PathBuf::from), None);
    let (mut random, mut seed) = (None, 0);
    let mut arguments = arguments.iter();
    while let Some(&argument) = arguments.next() {
        let mut value = || arguments.next().copied().with_context(|| format!("{argument} needs a value"));
        match argument {
            "--loopwright" => loopwright = Some(value()?.into()),
            "--suite" => manifest = Some(PathBuf::from(value()?)),
            "--rounds" => options.rounds = value()?.parse().context("--rounds takes a number")?,
            "--level" => options.levels.push(value()?),
            "--random" => random = Some(value()?.parse().context("--random takes a number")?),
            "--seed" => seed = value()?.parse().context("--seed takes a number")?,
            "--sanitize" => options.sanitize = true,
            name if name.starts_with("--") => bail!("unknown option {name}"),
            name => options.names.push(name),
        }
    }
    let loopwright = match &loopwright {
        Some(path) => Loopwright { path: path.canonicalize().with_context(|| path.display().to_string())? },
        None => Loopwright::optimised()?,
    };
    let sources = tempfile::tempdir()?;
    let mut jobs = match (&manifest, random) {
        (Some(manifest), _) => of_suite(manifest)?,
        (None, Some(number)) => {
            let programs = truth::random(sources.path(), seed, number)?;
            of_programs(&programs, sources.path(), &Optimised::ALL)
        }
        (None, None) => of_kernels()?,
    };
    jobs.retain(|job| {
        (options.names.is_empty() || options.names.contains(&job.name.as_str()))
            && (options.levels.is_empty() || options.levels.contains(&job.level.as_str()))
    });
    let rows = rows(&loopwright, &jobs, &options)?;
    let text = table(&rows, &options);
    print!("{text}");
    if options.names.is_empty() && options.levels.is_empty() && manifest.is_none() && random.is_none() {
        std::fs::write(ci::root().join("docs/directives.md"), document(&text, &options))?;
    }
    let count = |of: fn(&Row) -> &Vec<String>| rows.iter().map(|row| of(row).len()).sum::<usize>();
    let counts = [
        count(|row| &row.compile),
        count(|row| &row.no_loop),
        count(|row| &row.wrong),
        count(|row| &row.races),
    ];
    if counts.iter().any(|&count| count > 0) {
        let [compile, no_loop, wrong, races] = counts;
        bail!("{compile} do not compile, {no_loop} on no loop, {wrong} wrong outputs, {races} races");
    }
    Ok(())
}

fn of_kernels() -> Result<Vec<Job>> {
    let mut out = Vec::new();
    for kernel in kernels::load()? {
        for (level, name) in [(Level::O0, "O0"), (Level::O2, "O2")] {
            out.push(Job {
                name: kernel.name().to_owned(),
                level: name.to_owned(),
                directory: kernels::directory(),
                build: kernels::command_line(&kernel, level, "./pasted"),
                run: ["./pasted"]
                    .into_iter()
                    .chain(kernel.arguments.iter().map(String::as_str))
                    .collect::<Vec<_>>()
                    .join(" "),
                profile: Vec::new(),
                comparison: Comparison::Tolerance(TOLERANCE),
            });
        }
    }
    let programs = kernels::adversarial().map_err(anyhow::Error::msg)?;
    let directory = kernels::directory().join("adversarial");
    out.extend(of_programs(&programs, &directory, &[Optimised::O0, Optimised::O2]));
    Ok(out)
}

/// Programs in a directory, at some levels.
fn of_programs(programs: &[Adversarial], directory: &Path, levels: &[Optimised]) -> Vec<Job> {
    let mut out = Vec::new();
    for program in programs {
        for &level in levels {
            let Some(build) = program.command_line(level, "./pasted") else { continue };
            let arguments = program.run.iter().map(String::as_str);
            out.push(Job {
                name: format!("adversarial/{}", program.source),
                level: format!("{level:?}"),
                directory: directory.to_owned(),
                build,
                run: ["./pasted"].into_iter().chain(arguments).collect::<Vec<_>>().join(" "),
                profile: program.profile.clone(),
                comparison: Comparison::Tolerance(TOLERANCE),
            });
        }
    }
    out
}

fn of_suite(manifest: &Path) -> Result<Vec<Job>> {
    let (programs, base) = suite::manifest(manifest)?;
    let mut out = Vec::new();
    for program in programs.program {
        let comparison = program.compare.map_or(Comparison::Tolerance(TOLERANCE), Comparison::Command);
        for (level, build) in program.build {
            out.push(Job {
                name: program.name.clone(),
                level,
                directory: base.join(&program.directory),
                build,
                run: program.run.clone(),
                profile: program.profile.clone(),
                comparison: comparison.clone(),
            });
        }
    }
    Ok(out)
}

fn rows(loopwright: &Loopwright, jobs: &[Job], options: &Options) -> Result<Vec<Row>> {
    let (next, out) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut row = Row { name: job.name.clone(), level: job.level.clone(), ..Row::default() };
                    if let Err(error) = fill(&mut row, loopwright, job, options) {
                        // The document is everybody's.
                        let here = format!("{}/", ci::root().display());
                        row.left_out = Some(format!("{error:#}").replace(&here, ""));
                    }
                    println!("{}", line(&row));
                    problems(&row).for_each(|problem| println!("  {problem}"));
                    locked(&out).push(row);
                }
            });
        }
    });
    let mut rows: Vec<Row> = out.into_inner().unwrap_or_default();
    rows.sort_by(|a, b| (&a.name, &a.level).cmp(&(&b.name, &b.level)));
    Ok(rows)
}

fn fill(row: &mut Row, loopwright: &Loopwright, job: &Job, options: &Options) -> Result<()> {
    // The program is built where its source is a copy, so that nothing is left beside the source; but debug information is to name the
    // source itself.
    let scratch = tempfile::tempdir()?;
    let program = scratch.path().join("pasted");
    let modules = format!("gfortran -J {} ", scratch.path().display());
    let build = job.build.replace("./pasted", &program.display().to_string());
    // Modules are files too.
    let build = build.replacen("gfortran ", &modules, 1);
    let done =
        Command::new("sh").arg("-c").arg(&build).current_dir(&job.directory).stdin(Stdio::null()).output()?;
    if !done.status.success() {
        bail!("{build}: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    let path = scratch.path().join("p.lwp");
    let run = job.run.replace("./pasted", &program.display().to_string());
    let mut command = Command::new("timeout");
    command.arg(LIMIT).arg(&loopwright.path).args(["profile", "--quiet"]).args(&job.profile);
    command.arg("-o").arg(&path).arg("--").args(run.split_whitespace()).current_dir(&job.directory);
    let done = command.stdin(Stdio::null()).output()?;
    if !path.exists() {
        bail!("profile: {}: {}", done.status, String::from_utf8_lossy(&done.stderr).trim());
    }
    let profile = profile::file::read(&path)?;
    let report = report::report(&profile);
    row.instructions = covered(&report);
    let mut seen: Vec<Vec<Candidate>> = Vec::new();
    for (at, (which, name)) in SETS.into_iter().enumerate() {
        let candidates = trying::candidates(&report, None, which);
        row.pasted[at] = candidates.len();
        if !candidates.is_empty() && !seen.contains(&candidates) {
            paste(row, job, &candidates, name, options)?;
        }
        seen.push(candidates);
    }
    Ok(())
}

/// Instructions of the outermost loops that can be parallel, of those in loops with a directive, and with a printed one.
fn covered(report: &Report) -> [u64; 3] {
    let loops = &report.loops;
    let around = |at: usize| std::iter::successors(loops[at].parent, |&outer| loops[outer].parent);
    let outermost = |is: &dyn Fn(usize) -> bool| -> u64 {
        let of = (0..loops.len()).filter(|&at| is(at) && !around(at).any(is));
        of.map(|at| loops[at].instructions).sum()
    };
    let is_parallel = |at: usize| loops[at].main && loops[at].line > 0 && report.directives[at].is_some();
    let has = |at: usize| is_parallel(at) && report::directive::alone(report, at).is_some();
    let is_printed = |at: usize| is_parallel(at) && report::directive::pasted(report, at).is_some();
    [outermost(&is_parallel), outermost(&has), outermost(&is_printed)]
}

fn paste(row: &mut Row, job: &Job, candidates: &[Candidate], set: &str, options: &Options) -> Result<()> {
    let plan = Plan {
        directory: job.directory.clone(),
        build: job.build.clone(),
        run: format!("OMP_WAIT_POLICY=passive {}", job.run),
        threads: THREADS.to_vec(),
        rounds: options.rounds,
        comparison: job.comparison.clone(),
        time_limit: Duration::from_secs(120),
        profiled: None,
        sanitize: options.sanitize,
    };
    let mut bench = match Bench::new(&plan, candidates, &|| false) {
        Err(error @ Error::Unsteady { .. }) => {
            row.left_out = Some(error.to_string());
            return Ok(());
        }
        other => other?,
    };
    let place = |at: usize| format!("{set}: {} `{}`", candidates[at].loop_id, candidates[at].text);
    let mut all = Vec::new();
    for at in 0..candidates.len() {
        match bench.not_applied(at) {
            None => all.push(at),
            Some(trial::NotApplied::NoLoop) => row.no_loop.push(place(at)),
            Some(why) => {
                row.compile.push(format!("{}: {}", place(at), trying::reason(&Reason::NotApplied(why))))
            }
        }
    }
    let together = bench.evaluate(&all, Effort::Full)?;
    row.runs += together.measured.as_ref().map_or(0, |held| held.agreement.runs);
    let is_wrong =
        |failure: &Option<Reason>| failure.as_ref().is_some_and(|reason| *reason != Reason::Slower);
    if is_wrong(&together.failure) {
        let mut found = false;
        for &at in &all {
            let alone = bench.evaluate(&[at], Effort::Full)?;
            if let Some(reason) = alone.failure.filter(|reason| *reason != Reason::Slower) {
                found = true;
                let is_sum = candidates[at].text.contains("reduction(");
                match &reason {
                    Reason::Differs(other) if is_sum && is_rounding(job, other.line)? => {
                        row.rounded.push(format!("{}: {}", place(at), trying::reason(&reason)));
                    }
                    _ => note(row, &reason, &place(at)),
                }
            }
        }
        if let (false, Some(reason)) = (found, &together.failure) {
            note(row, reason, &format!("{set}: all together"));
        }
    } else if options.sanitize {
        let (found, races) = bench.races(&all)?;
        for (at, lines) in found {
            row.races.push(format!("{}: {}", place(at), lines.join(", ")));
        }
        row.races.extend(races.failed.map(|said| format!("{set}: not run: {said}")));
    }
    Ok(())
}

/// Flags that let a compiler add up in another order, or round less often.
const OTHERWISE: [&str; 4] =
    ["-O1 -ffast-math", "-O3 -ffast-math", "-O3 -march=native -ffast-math", "-O2 -march=native"];

/// Whether the original prints something else in a line when it is built to round otherwise.
fn is_rounding(job: &Job, line: usize) -> Result<bool> {
    let scratch = tempfile::tempdir()?;
    let mut first: Option<Vec<u8>> = None;
    for flags in std::iter::once("").chain(OTHERWISE) {
        let program = scratch.path().join("rounded");
        let named = program.display().to_string();
        let build = job.build.replace("./pasted", &named).replace(" -o ", &format!(" {flags} -o "));
        let done = Command::new("sh")
            .arg("-c")
            .arg(&build)
            .current_dir(&job.directory)
            .stdin(Stdio::null())
            .output()?;
        if !done.status.success() {
            continue;
        }
        let run = job.run.replace("./pasted", &named);
        let done = Command::new("sh")
            .arg("-c")
            .arg(&run)
            .current_dir(scratch.path())
            .stdin(Stdio::null())
            .output()?;
        let found =
            done.stdout.split(|&c| c == b'\n').nth(line.saturating_sub(1)).unwrap_or_default().to_vec();
        match &first {
            None => first = Some(found),
            Some(first) if !trial::is_same(first, &found, Some(TOLERANCE)) => return Ok(true),
            Some(_) => {}
        }
    }
    Ok(false)
}

fn note(row: &mut Row, reason: &Reason, place: &str) {
    let text = format!("{place}: {}", trying::reason(reason));
    match reason {
        Reason::DoesNotBuild(_) | Reason::NotApplied(_) | Reason::NoOpenMp => row.compile.push(text),
        _ => row.wrong.push(text),
    }
}

fn problems(row: &Row) -> impl Iterator<Item = String> {
    let of = |kind: &'static str, list: &[String]| {
        list.iter().map(|text| format!("{kind}: {}", text.replace('\n', " / "))).collect::<Vec<_>>()
    };
    let left_out = row.left_out.clone().into_iter().collect::<Vec<_>>();
    [
        of("does not compile", &row.compile),
        of("no loop", &row.no_loop),
        of("wrong", &row.wrong),
        of("decided by rounding", &row.rounded),
        of("race", &row.races),
        of("left out", &left_out),
    ]
    .into_iter()
    .flatten()
}

fn share(part: u64, whole: u64) -> String {
    if whole == 0 { "–".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

fn line(row: &Row) -> String {
    let [parallel, covered, printed] = row.instructions;
    let [a, b, c] = row.pasted;
    format!(
        "| {} | {} | {a} | {b} | {c} | {} | {} | {} | {} | {} | {} | {} |",
        row.name,
        row.level,
        row.runs,
        row.compile.len(),
        row.no_loop.len(),
        row.wrong.len(),
        row.rounded.len(),
        share(covered, parallel),
        share(printed, parallel),
    )
}

fn table(rows: &[Row], options: &Options) -> String {
    let mut text = String::from(
        "| program | level | printed | outermost | innermost | runs | do not compile | on no loop | wrong | rounding | has one | printed |\n\
         |:--|:--|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for row in rows {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}", line(row));
    }
    let mut total = Row { name: "all".to_owned(), ..Row::default() };
    for row in rows {
        (0..3).for_each(|at| {
            total.pasted[at] += row.pasted[at];
            total.instructions[at] += row.instructions[at];
        });
        total.runs += row.runs;
        total.compile.extend(row.compile.iter().cloned());
        total.no_loop.extend(row.no_loop.iter().cloned());
        total.wrong.extend(row.wrong.iter().cloned());
        total.rounded.extend(row.rounded.iter().cloned());
        total.races.extend(row.races.iter().cloned());
    }
    let _ = writeln!(text, "{}", line(&total));
    text.push('\n');
    if options.sanitize {
        let _ = writeln!(text, "ThreadSanitizer, with Archer: {} races.\n", total.races.len());
    }
    for row in rows {
        problems(row).for_each(|problem| {
            let _ = writeln!(text, "- {} at {}: {problem}", row.name, row.level);
        });
    }
    text
}

fn document(table: &str, options: &Options) -> String {
    format!(
        "# Directives, pasted\n\nWritten by `cargo xtask paste`. Every kernel is compiled and profiled at -O0 and at -O2; directives of its report are \
         written into a copy of its source,\nwhich is built at that level with `-fopenmp` and run with 1, 2 and 4 threads, {} times each, beside the \
         original. Output is the same if its words are\nand numbers differ by at most {TOLERANCE:e} of their size. *rounding*: sums of floating-point numbers depend on their order; these lines change too\nwhen the original itself is built to round otherwise (`-ffast-math`, `-march=native`), and are no fault of the directive.\n\nThree sets are pasted: \
         *printed* is what the report prints; *outermost* and *innermost* are the outermost and innermost loops that can be parallel, whether\nor not \
         that pays on these small inputs. *has one*, *printed*: of the instructions in outermost loops that can be parallel, the share in loops that\nhave \
         a directive, and whose directive is printed.\n\n{table}",
        options.rounds
    )
}
