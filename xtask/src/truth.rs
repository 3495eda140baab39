//! Loops whose truth is known against what reports say about them: the corpus `kernels/adversarial`, and public suites
//! whose authors have annotated their loops ([`suite`]).

pub mod suite;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use kernels::{Adversarial, Family, Judgement, Language, Optimised, SaidLoop, SaidReport, judge};

use crate::ci;
use crate::product::Loopwright;
use crate::tests::locked;

/// Programs that are worked on at a time.
const WORKERS: usize = 2;
/// Longest time of one run of Loopwright, in seconds.
const LIMIT: &str = "300";
/// What divides the document: above it the corpus, below it kept suites.
const SUITES: &str = "## Public suites\n";

/// What the report says about one loop at one level.
struct Row {
    language: Language,
    level: Optimised,
    source: String,
    line: u32,
    /// File, line and function.
    place: String,
    /// The loop's key in the list of known wrong answers.
    key: String,
    written: String,
    judgement: Judgement,
    said: String,
}

/// What is asked for.
#[derive(Default)]
struct Options<'a> {
    loopwright: Option<PathBuf>,
    suite: Option<&'a Path>,
    keep: bool,
    known: bool,
    /// Number of random programs, instead of the corpus.
    random: Option<u64>,
    /// Seed of the first.
    seed: u64,
    compilers: Family,
    levels: Vec<Optimised>,
    names: Vec<&'a str>,
}

/// Runs the command; without names all programs, and the document is written.
pub fn run(arguments: &[&str]) -> Result<()> {
    let mut options =
        Options { loopwright: std::env::var_os("LOOPWRIGHT").map(PathBuf::from), ..Options::default() };
    let mut arguments = arguments.iter();
    while let Some(&argument) = arguments.next() {
        let mut value = || arguments.next().copied().with_context(|| format!("{argument} needs a value"));
        match argument {
            "--loopwright" => options.loopwright = Some(value()?.into()),
            "--suite" => options.suite = Some(Path::new(value()?)),
            "--level" => {
                options.levels.push(Optimised::named(value()?).context("a level is O0, O1, O2 or O3")?);
            }
            "--compiler" => {
                options.compilers = Family::named(value()?).context("a compiler is machine or clang")?;
            }
            "--keep" => options.keep = true,
            "--known" => options.known = true,
            "--random" => options.random = Some(value()?.parse().context("--random needs a number")?),
            "--seed" => options.seed = value()?.parse().context("--seed needs a number")?,
            name if name.starts_with("--") => bail!("unknown option {name}"),
            name => options.names.push(name),
        }
    }
    let loopwright = match &options.loopwright {
        Some(path) => Loopwright { path: path.canonicalize().with_context(|| path.display().to_string())? },
        None => Loopwright::optimised()?,
    };
    match options.suite {
        Some(manifest) => suite::run(&loopwright, manifest, &options.names, options.keep),
        None => corpus(&loopwright, &options),
    }
}

fn corpus(loopwright: &Loopwright, options: &Options) -> Result<()> {
    let sources = tempfile::tempdir()?;
    let mut programs = match options.random {
        Some(number) => random(sources.path(), options.seed, number)?,
        None => kernels::adversarial().map_err(anyhow::Error::msg)?,
    };
    programs.retain(|p| {
        options.names.is_empty() || options.names.iter().any(|n| *n == p.source || *n == p.name())
    });
    programs.retain(|p| options.compilers.compiler(p.language).is_some());
    let levels: &[Optimised] = if options.levels.is_empty() { &Optimised::ALL } else { &options.levels };
    let jobs: Vec<(&Adversarial, Optimised)> =
        programs.iter().flat_map(|p| levels.iter().map(move |&level| (p, level))).collect();
    let directory = tempfile::tempdir()?;
    let (next, rows, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some((program, level)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match rows_of(loopwright, program, (options.compilers, *level), directory.path()) {
                        Ok(found) => locked(&rows).extend(found),
                        Err(error) => locked(&failed).push(format!("{} {level}: {error:#}", program.source)),
                    }
                }
            });
        }
    });
    let (mut rows, failed) = (rows.into_inner().unwrap_or_default(), failed.into_inner().unwrap_or_default());
    rows.sort_by(|a, b| (&a.source, a.line, a.level).cmp(&(&b.source, b.line, b.level)));
    let text = tables(&rows);
    print!("{text}");
    for failure in &failed {
        println!("failed: {failure}");
    }
    let is_whole = options.names.is_empty() && options.levels.is_empty() && options.random.is_none();
    if is_whole && options.compilers == Family::Machine {
        let loops: usize = programs.iter().map(|p| p.loops.len()).sum();
        write_document(&document(&text, programs.len(), loops), &[])?;
    }
    if options.known {
        write_known(&rows)?;
    }
    let wrong = rows.iter().filter(|r| r.judgement == Judgement::WrongYes).count();
    if options.keep {
        println!("sources and programs: {}", sources.keep().display());
    }
    if wrong > 0 || !failed.is_empty() {
        bail!("{wrong} wrong yes, {} programs that failed", failed.len());
    }
    Ok(())
}

/// Random programs, written into a directory.
pub fn random(directory: &Path, seed: u64, number: u64) -> Result<Vec<Adversarial>> {
    let program = |seed: u64| {
        let path = directory.join(format!("random_{seed}.c"));
        std::fs::write(&path, kernels::random_program(seed))?;
        Adversarial::read(path).map_err(anyhow::Error::msg)
    };
    (seed..seed.saturating_add(number)).map(program).collect()
}

fn rows_of(
    loopwright: &Loopwright,
    program: &Adversarial,
    (compilers, level): (Family, Optimised),
    directory: &Path,
) -> Result<Vec<Row>> {
    // Compilers leave files of their own where they run.
    let directory = directory.join(format!("{}.{level:?}", program.source));
    std::fs::create_dir_all(&directory)?;
    let executable = program.compile(compilers, level, &directory).map_err(anyhow::Error::msg)?;
    let profile = executable.with_extension(format!("{level:?}.lwp"));
    let report = said(loopwright, Command::new(&executable).args(&program.run), &program.profile, &profile)?;
    let _ = std::fs::remove_file(&profile);
    let mut rows = Vec::new();
    for found in &program.loops {
        let (judgement, said) = judge(found.at(level), level, (&program.source, found.line), &report.loops);
        rows.push(Row {
            language: program.language,
            level,
            source: program.source.clone(),
            line: found.line,
            place: format!("{}:{} {}", program.source, found.line, found.function),
            key: program.key(found),
            written: found.written.clone(),
            judgement,
            said: said.map_or_else(|| near(program, found.line, &report.loops), SaidLoop::words),
        });
    }
    Ok(rows)
}

/// What the report has shortly below a loop that it has not: that loop under another line, perhaps.
fn near(program: &Adversarial, line: u32, loops: &[SaidLoop]) -> String {
    let known: Vec<u32> = program.loops.iter().map(|l| l.line).collect();
    let end = known.iter().filter(|&&l| l > line).min().map_or(line + 12, |&next| next.min(line + 12));
    let is_near = |l: &&SaidLoop| {
        l.iterations > l.entries
            && l.line.is_some_and(|l| line < l && l < end)
            && l.file.as_deref().is_some_and(|f| f.rsplit('/').next() == Some(&program.source))
    };
    let there: Vec<String> = loops
        .iter()
        .filter(is_near)
        .map(|l| format!("line {} is {}", l.line.unwrap_or(0), l.words()))
        .collect();
    there.join("; ")
}

/// Profiles a command and reads the report.
fn said(
    loopwright: &Loopwright,
    program: &Command,
    options: &[String],
    profile: &Path,
) -> Result<SaidReport> {
    let mut command = Command::new("timeout");
    command.arg(LIMIT).arg(&loopwright.path).args(["profile", "--quiet"]).args(options);
    command.arg("-o").arg(profile).arg("--").arg(program.get_program()).args(program.get_args());
    if let Some(directory) = program.get_current_dir() {
        command.current_dir(directory);
    }
    let done = command.stdin(Stdio::null()).output()?;
    if done.status.code().is_none_or(|code| code >= 124) || !profile.exists() {
        bail!("profile: {}: {}", done.status, String::from_utf8_lossy(&done.stderr).trim());
    }
    let mut command = Command::new("timeout");
    command.arg(LIMIT).arg(&loopwright.path).args(["report", "--format", "json"]).arg(profile);
    let done = command.stdin(Stdio::null()).output()?;
    serde_json::from_slice(&done.stdout)
        .with_context(|| format!("report: {}", String::from_utf8_lossy(&done.stderr).trim()))
}

/// What answers are called, the best first.
const JUDGEMENTS: [(Judgement, &str); 6] = [
    (Judgement::Right, "right"),
    (Judgement::Cautious, "more than needed"),
    (Judgement::Compiled, "compiled loop"),
    (Judgement::Missing, "not found"),
    (Judgement::WrongNo, "wrong no"),
    (Judgement::WrongYes, "wrong yes"),
];

fn tables(rows: &[Row]) -> String {
    let mut text = String::from("| language | level | loops |");
    for (_, name) in JUDGEMENTS {
        let _ = write!(text, " {name} |");
    }
    text.push_str("\n|:--|:--|--:|--:|--:|--:|--:|--:|--:|\n");
    let mut total = |name: &str, level: &str, chosen: &dyn Fn(&Row) -> bool| {
        let of: Vec<&Row> = rows.iter().filter(|r| chosen(r)).collect();
        if of.is_empty() {
            return;
        }
        let _ = write!(text, "| {name} | {level} | {} |", of.len());
        for (judgement, _) in JUDGEMENTS {
            let _ = write!(text, " {} |", of.iter().filter(|r| r.judgement == judgement).count());
        }
        text.push('\n');
    };
    for language in Language::ALL {
        for level in Optimised::ALL {
            total(language.name(), &level.to_string(), &|r| (r.language, r.level) == (language, level));
        }
    }
    for level in Optimised::ALL {
        total("all", &level.to_string(), &|r| r.level == level);
    }
    total("all", "all", &|_| true);
    let parts = [
        (Judgement::WrongYes, "Wrong yes"),
        (Judgement::WrongNo, "Wrong no"),
        (Judgement::Cautious, "More than needed"),
        (Judgement::Compiled, "Of the compiled loop alone"),
        (Judgement::Missing, "Not found"),
    ];
    for (judgement, title) in parts {
        let _ = write!(text, "\n### {title}\n\n");
        let is_long = matches!(judgement, Judgement::WrongYes | Judgement::WrongNo);
        // Levels of a loop at which the same is said.
        let mut lines: Vec<(&Row, Vec<String>)> = Vec::new();
        for row in rows.iter().filter(|r| r.judgement == judgement) {
            let same = |other: &Row| other.place == row.place && (!is_long || other.said == row.said);
            match lines.iter_mut().find(|(other, _)| same(other)) {
                Some((_, levels)) => levels.push(row.level.to_string()),
                None => lines.push((row, vec![row.level.to_string()])),
            }
        }
        if lines.is_empty() {
            text.push_str("None.\n");
        }
        for (row, levels) in lines {
            let _ = write!(text, "- {} at {}, truth {}", row.place, levels.join(" "), row.written);
            if row.said.is_empty() {
                text.push('\n');
            } else {
                let _ = writeln!(
                    text,
                    "; {}: {}",
                    if judgement == Judgement::Missing { "near" } else { "said" },
                    row.said
                );
            }
        }
    }
    text
}

fn document(tables: &str, programs: usize, loops: usize) -> String {
    format!(
        "# Verdicts against the truth

Written by `cargo xtask truth`. `kernels/adversarial` has {programs} programs with {loops} loops that are hard to judge, each with its truth in
the source. Programs are compiled by the default compiler (`cc`, `c++`, `gfortran`, `rustc`) with `-g` at four levels, the last with
`-march=native`, and profiled; the report's loop on the line of the loop statement is judged. Where the compiler made several of one,
the worst counts.

Truth: `yes` (independent as written), `reduction`, `private` (after clauses for variables declared outside), `words` (after a change that
no clause makes: a copy handed to a callee, an atomic), `induction` (a variable that moves by a constant has to be rewritten by the
iterator), `flag` (several iterations write one value to one place), `exit` (independent, but left early), `no`, `folded`, `unknown`; several where more than one may be said.

- *wrong yes*: whoever follows the report gets other results: a loop that carries is called parallel in some form; `yes` for what is a
  reduction or needs private variables that are not named; a directive or class A where a variable has to be rewritten.
- *wrong no*: `no` or `unknown` for what is parallel in some form.
- *more than needed*: safe, but variables are to become private, or a sum to be reduced, where nothing has to be done.
- *compiled loop*: `yes` on optimised code, without class A and without a directive, where a variable of the source has to be private or
  to be rewritten: of the compiled loop it is true, of the source nothing is claimed. `folded`: the compiler has computed away what is
  carried, so this may be said there too.
- *not found*: the report has no loop there that repeats, most often because the compiler has left none.

## Corpus

{tables}
"
    )
}

/// Writes the document: the part about the corpus, or the rows of a suite, in place of the old ones.
fn write_document(corpus: &str, suites: &[(String, String)]) -> Result<()> {
    let path = ci::root().join("docs/truth.md");
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    let (above, below) = old.split_once(SUITES).unwrap_or((&old, ""));
    let above = if corpus.is_empty() { above } else { corpus };
    // Programs that were not measured now keep their rows.
    let mut sections = suite::sections(below);
    for (name, rows) in suites {
        match sections.iter_mut().find(|own| own.0 == *name) {
            Some(own) => own.1.clone_from(rows),
            None => sections.push((name.clone(), rows.clone())),
        }
    }
    let rows: String = sections.iter().map(|own| own.1.as_str()).collect();
    let below = match sections.is_empty() {
        true => format!("\n{}\nNone measured yet.\n", suite::FORMAT),
        false => format!("\n{}\n{}\n{rows}", suite::FORMAT, suite::totals(&sections)),
    };
    std::fs::write(&path, format!("{}\n{SUITES}{below}", above.trim_end().to_owned() + "\n"))?;
    Ok(())
}

/// Writes the list of wrong answers that the test of the corpus lets pass.
fn write_known(rows: &[Row]) -> Result<()> {
    let mut known: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in rows.iter().filter(|r| r.judgement == Judgement::WrongYes) {
        known.entry(&row.key).or_default().push(format!("{:?}", row.level));
    }
    let mut text = String::from(
        "# Loops that are known to be called parallel and are not, with the levels; `cargo xtask truth --known` writes this.\n",
    );
    for (key, levels) in known {
        let _ = writeln!(text, "{key} {}", levels.join(" "));
    }
    std::fs::write(kernels::directory().join("adversarial/known.txt"), text)?;
    Ok(())
}
