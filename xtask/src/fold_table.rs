//! The table of the folding algorithm's evaluation: for the kernels of the hard cases, and for any program.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use kernels::{HardCase, Level};

use crate::fold_shares::HEADING;
use crate::product::Loopwright;
use crate::{ci, measure};

/// Processor seconds of `loopwright` after which a variant is left out.
const LIMIT: f64 = 120.0;
/// Options of `profile` per variant: F, F_W, F_GG, F_GG,W.
const VARIANTS: [&[&str]; 4] =
    [&["--give-up", "never"], &["--widen-deps", "--give-up", "never"], &[], &["--widen-deps"]];
/// What begins the part of the document that measuring kernels leaves as it is.
const OTHERS: &str = "## Other programs\n";

/// Runs the command: without a program the kernels, and the document is written.
pub fn run(args: &[&str]) -> Result<()> {
    let loopwright = Loopwright::optimised()?.path;
    let directory = tempfile::tempdir()?;
    let table = Table { loopwright, directory: directory.path() };
    let document = ci::root().join("docs/folding.md");
    if args.is_empty() {
        let text = table.kernels()?;
        let before = std::fs::read_to_string(&document).unwrap_or_default();
        let others = before.find(OTHERS).map_or("", |at| &before[at..]);
        return Ok(std::fs::write(document, text + others)?);
    }
    let other = Other::parse(args)?;
    let text = table.of(Path::new(other.program[0]), &other.program[1..], other.function, other.published)?;
    print!("{text}");
    if other.keep {
        let before = std::fs::read_to_string(&document).unwrap_or_default();
        std::fs::write(document, with_other(&before, &text))?;
    }
    Ok(())
}

/// What to measure beside the kernels.
struct Other<'a> {
    keep: bool,
    function: Option<&'a str>,
    published: Option<&'a str>,
    program: &'a [&'a str],
}

impl<'a> Other<'a> {
    fn parse(mut args: &'a [&'a str]) -> Result<Other<'a>> {
        let mut other = Other { keep: false, function: None, published: None, program: &[] };
        loop {
            match args {
                ["--keep", rest @ ..] => (other.keep, args) = (true, rest),
                ["--function", name, rest @ ..] => (other.function, args) = (Some(*name), rest),
                ["--published", file, rest @ ..] => (other.published, args) = (Some(*file), rest),
                ["--", program @ ..] if !program.is_empty() => return Ok(Other { program, ..other }),
                _ => bail!("fold-table [--keep] [--function NAME] [--published FILE.csv] -- PROGRAM ARGS…"),
            }
        }
    }
}

struct Table<'a> {
    loopwright: PathBuf,
    directory: &'a Path,
}

impl Table<'_> {
    /// The document's part on the kernels.
    fn kernels(&self) -> Result<String> {
        let mut text = HEAD.to_owned();
        let mut missed = Vec::new();
        for kernel in kernels::load()? {
            let Some(HardCase { name, function, affine }) = &kernel.hard_case else { continue };
            write!(text, "### {}\n\n`kernels/{}`, function `{function}`.\n\n", capital(name), kernel.source)?;
            let mut lines: Vec<String> = Vec::new();
            for level in Level::MEASURED {
                let program = kernels::compile(&kernel, level, self.directory)?;
                let table = self.of(&program.path, &[], Some(function), None)?;
                print!("{table}");
                let new = table.lines().skip(if lines.is_empty() { 0 } else { 2 });
                lines.extend(new.map(str::to_owned));
                if least_affine(&table)? < *affine {
                    missed.push(format!("{} {level}", kernel.name()));
                }
            }
            text += &realigned(&lines);
            text.push('\n');
        }
        if !missed.is_empty() {
            bail!("not as affine as kernels/expected.toml asks: {}", missed.join(", "));
        }
        Ok(text)
    }

    /// The rows of one program.
    fn of(
        &self,
        program: &Path,
        args: &[&str],
        function: Option<&str>,
        published: Option<&str>,
    ) -> Result<String> {
        let mut profiles: Vec<OsString> = Vec::new();
        for (at, options) in VARIANTS.iter().enumerate() {
            let file = self.directory.join(format!("{at}.lwp"));
            let mut command = Command::new(&self.loopwright);
            command
                .args(["profile", "--quiet"])
                .args(*options)
                .arg("-o")
                .arg(&file)
                .arg("--")
                .arg(program)
                .args(args);
            let usage = measure::run(&mut command, LIMIT)?;
            match usage.status {
                None => {
                    eprintln!("{}: variant {at} takes over {LIMIT:.0} s and is left out", program.display())
                }
                Some(status) if status.code().is_some_and(|code| code < 125) => profiles.push(file.into()),
                Some(status) => bail!("{}: {status}", program.display()),
            }
        }
        if profiles.is_empty() {
            bail!("{}: every variant takes over {LIMIT:.0} s", program.display());
        }
        let mut command = Command::new(&self.loopwright);
        command.args(["report", "--format", "folding"]).args(&profiles);
        command.args(function.iter().flat_map(|name| ["--function", name]));
        command.args(published.iter().flat_map(|file| ["--published", file]));
        let output = command.output()?;
        if !output.status.success() {
            bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8(output.stdout)?)
    }
}

/// The cells of a line of a table.
fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

/// The smallest percentage in a table.
fn least_affine(table: &str) -> Result<u64> {
    let all = table.lines().flat_map(cells).filter_map(|cell| cell.strip_suffix('%')?.parse().ok());
    all.min().context("the table has no shares")
}

/// Lines of tables with different widths as one table.
fn realigned(lines: &[String]) -> String {
    let rows: Vec<Vec<&str>> = lines.iter().map(|line| cells(line)).collect();
    let rule = |cell: &str| cell.starts_with('-') && cell.len() > 1;
    let width = |column: usize| {
        let widths =
            rows.iter().map(|row| row[column]).filter(|cell| !rule(cell)).map(|cell| cell.chars().count());
        widths.max().unwrap_or(0)
    };
    let mut out = String::new();
    for row in &rows {
        for (column, cell) in row.iter().enumerate() {
            let width = width(column);
            let right = rows.get(1).is_some_and(|rule| rule[column].ends_with(':'));
            out += &match (rule(cell), right) {
                (true, true) => format!("|-{}:", "-".repeat(width)),
                (true, false) => format!("|-{}-", "-".repeat(width)),
                (false, true) => format!("| {cell:>width$} "),
                (false, false) => format!("| {cell:<width$} "),
            };
        }
        out += "|\n";
    }
    out
}

/// The document with the rows of a program added to the part on other programs, or put in the place of its former ones.
fn with_other(document: &str, table: &str) -> String {
    let (document, shares) = document.split_at(document.find(HEADING).unwrap_or(document.len()));
    let (kernels, others) = document.split_at(document.find(OTHERS).unwrap_or(document.len()));
    let mut lines: Vec<String> = others.lines().filter(|l| l.starts_with('|')).map(str::to_owned).collect();
    let new: Vec<String> = table.lines().map(str::to_owned).collect();
    if lines.is_empty() {
        lines.extend(new[..2].iter().cloned());
    }
    let program = |line: &str| {
        cells(line)[0].split(", ").next().unwrap_or_default().split('.').next().map(str::to_owned)
    };
    let replaced = new.get(2).and_then(|line| program(line));
    let mut at = 0;
    lines.retain(|line| {
        at += 1;
        at <= 2 || program(line) != replaced
    });
    lines.extend(new[2..].iter().cloned());
    let kernels = kernels.trim_end();
    let gap = if shares.is_empty() { "" } else { "\n" };
    format!("{kernels}\n\n{OTHERS}\n{ABOUT_OTHERS}\n{}{gap}{shares}", realigned(&lines))
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or(String::new(), |first| first.to_uppercase().chain(rest).collect())
}

const HEAD: &str = "# Folding\n
Written by `cargo xtask fold-table`; do not edit. One row per program and sort of streams, as in the evaluation of the folding
algorithm: flow dependences through memory, and as *instructions* the statements without memory access and the memory accesses.

- Variants: F widens addresses only (`--give-up never`), F_W dependences too (`--widen-deps --give-up never`), F_GG and F_GG,W
  give up streams that need too many pieces (the default, and `--widen-deps`). All of them look for new dimensions and widen only
  what does not stay exact with few pieces, which the published ones do not.
- *input*: points of the streams. *#P*: pieces they folded to. *%A*: share of points in pieces that are no boxes and have no
  unknown coefficient, rounded down. *#MPI*: most pieces that could still grow, at one time, in all of the program's own code.
- *advice*: `T nD` a tilable band of n loops, `P` a parallel loop, `V` a vectorisable innermost loop. It is the same for all
  variants: verdicts rest on what is kept of every dependence beside its folded form.

Counts above 999 are cut to thousands, millions or billions.

## Hard cases

";

const ABOUT_OTHERS: &str = "Added by `cargo xtask fold-table --keep --published FILE.csv -- PROGRAM ARGS…`, which does the same for any program and \
prints published\nfigures beside it (`-`: not published). Inputs are smaller than the published ones; the publication follows \
registers too.\n";
