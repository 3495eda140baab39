//! Kernels in CUDA on a GPU: programs for a machine that has one, and what they showed there.
//!
//! For every loop of C sources that becomes a kernel, and whose function can be called on made-up inputs ([`gpumap::verify`]), a program is
//! written that calls the function with the kernel in place of the loop, beside what the function as it is written prints. A script
//! builds and runs them where there is a GPU; what it found becomes a document here.

mod measured;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use gpumap::Compiler;
use gpumap::calls::{Cone, LENGTH};
use gpumap::device::{Block, Device};
use gpumap::emit::{Kernel, KernelLanguage, Request};
use gpumap::offload::Observed;
use gpumap::offload::show::{self, Asked, Emitted};
use gpumap::recurrence::Given;
use gpumap::shared::Scheme;
use gpumap::verify::{COMPILED, Change, Check, KERNELS, LINKED, NotRun, TOLERANCE, export};
use source::Clang;

use crate::gpu_programs::kind_of_input;
use crate::product::{Loopwright, checked as output};
use crate::source_tree::{Named, Tree};

/// Where results go.
const DOCUMENT: &str = "docs/gpu-device.md";
/// Sources that are taken unless others are named.
const USUAL: &str = "kernels/gpu";
/// Programs that are written, a row each.
const PROGRAMS: &str = "programs.tsv";
/// Kernels without a program, by why.
const LEFT_OUT: &str = "left_out.tsv";
/// What a program has to print.
const EXPECTED: &str = "expected.gz";
/// What a directory may hold at most.
const MOST: u64 = 30 << 20;
const RUN: &str = include_str!("gpu_device/run.sh");
const COMPARE: &str = include_str!("gpu_device/compare.py");
const HEAD: &str = "# Kernels on a GPU

Written by `cargo xtask gpu-device --read RESULTS.tsv`; do not edit. `cargo xtask gpu-device --write DIRECTORY NAME=SOURCES…` writes a
program for every loop of C sources that becomes a kernel in CUDA and whose function can be called on made-up inputs, in two variants:
*wide* with blocks of 32x8 threads, *narrow* with blocks of 4x2x2 (so that few iterations take many blocks) and all accesses of a
matrix in one tile. Each calls the function on six inputs, arrays being between pages that may not be touched, and prints what the
function returns and what arrays and global variables hold afterwards. `run.sh` in that directory builds the programs with nvcc, runs them
on a GPU and compares what they print with what the function as it is written prints: every digit of it, but for kernels that call
functions such as `exp`, which may differ by 1e-5 of the number.

";

/// Runs the command.
pub fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        ["--write", directory, "--loopwright", path, sources @ ..] => {
            write(Path::new(directory), Loopwright { path: path.into() }, sources)
        }
        ["--write", directory, sources @ ..] => {
            write(Path::new(directory), Loopwright::optimised()?, sources)
        }
        ["--read", results] => read(Path::new(results)),
        _ => bail!("--write DIRECTORY [--loopwright PATH] [NAME=DIRECTORY[,OPTION…]…] or --read RESULTS.tsv"),
    }
}

/// How kernels are written: what that is called, blocks, and which accesses share a tile.
fn variants() -> Result<[(&'static str, Block, Scheme); 2]> {
    Ok([("wide", Block::new(32, 8, 1)?, Scheme::default()), ("narrow", Block::new(4, 2, 2)?, Scheme::Whole)])
}

/// What is written into a directory.
struct Package<'a> {
    directory: &'a Path,
    loopwright: Loopwright,
    compiler: Compiler,
    clang: Clang,
    /// Rows of the table of programs.
    rows: Vec<String>,
    /// Kernels without a program: how many, by why.
    left_out: BTreeMap<String, usize>,
}

fn write(directory: &Path, loopwright: Loopwright, sources: &[&str]) -> Result<()> {
    let is_own = directory.join(PROGRAMS).exists();
    if directory.exists() && !is_own && fs::read_dir(directory)?.next().is_some() {
        bail!("{} holds something else", directory.display());
    }
    if is_own {
        fs::remove_dir_all(directory)?;
    }
    fs::create_dir_all(directory)?;
    // What a task that is stopped leaves behind can be replaced by the next one.
    fs::write(directory.join(PROGRAMS), "")?;
    let usual = format!("kernels={}", crate::ci::root().join(USUAL).display());
    let usual = [usual.as_str()];
    let mut package = Package {
        directory,
        loopwright,
        compiler: Compiler::find()?,
        clang: Clang::find()?,
        rows: Vec::new(),
        left_out: BTreeMap::new(),
    };
    for argument in if sources.is_empty() { &usual } else { sources } {
        package.add(&Named::new(argument)?)?;
    }
    measured::write(&package)?;
    package.finish()
}

impl Package<'_> {
    /// Adds the kernels of all C sources below a directory.
    fn add(&mut self, named: &Named<'_>) -> Result<()> {
        let tree = Tree::new(named.directory)?;
        let headers = Path::new("headers").join(named.name);
        for header in tree.headers() {
            let to = self.directory.join(&headers).join(header.strip_prefix(named.directory)?);
            fs::create_dir_all(to.parent().context("a header in no directory")?)?;
            fs::copy(header, to)?;
        }
        for path in tree.sources().filter(|path| path.extension().is_some_and(|ending| ending == "c")) {
            let mut options = named.options.clone();
            options.extend(tree.includes(path, &headers));
            let own: String = options.iter().map(|option| quoted(option) + "\n").collect();
            options.truncate(named.options.len());
            options.extend(tree.includes(path, named.directory));
            let before = self.rows.len();
            match self.add_source(named, path, &options, &own) {
                Ok(()) => eprintln!("{}: {} programs", path.display(), self.rows.len() - before),
                Err(why) => {
                    eprintln!("{}: left out: {why:#}", path.display());
                    *self
                        .left_out
                        .entry("sources that gcc does not take, each counted once".to_owned())
                        .or_default() += 1;
                }
            }
        }
        Ok(())
    }

    /// Adds the kernels of a source. `moved` are the options with which it is compiled in the package.
    fn add_source(&mut self, named: &Named<'_>, path: &Path, options: &[String], moved: &str) -> Result<()> {
        // What only clang takes has no caller where that is missing.
        let mut gcc = Command::new("gcc");
        gcc.args(options).args(["-Werror=implicit-function-declaration", "-fsyntax-only"]);
        output(gcc.arg(path))?;
        let module = self.compiler.read(path, options)?;
        let source = self.clang.read(path, options)?;
        let macros = self.clang.macros(path, options)?;
        let relative = path.strip_prefix(named.directory)?.display().to_string();
        let file = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let language = KernelLanguage::Cuda;
        let (given, device) = (Given::default(), Device::named("sm_90")?);
        let observed = self.observed(path, options)?;
        for (variant, block, scheme) in variants()? {
            let request = Request { source: &source, language, block, device, scheme };
            let observed = observed.as_ref();
            let asked = Asked { observed, line: None, given: &given, block, device, scheme };
            for function in module.defined() {
                let cone = Cone::new(&module, function, LENGTH);
                for Emitted { kernel, inputs, .. } in show::kernels(&module, &cone, asked, request) {
                    let Ok(kernel) = kernel else { continue };
                    let change = Change::kernel(&kernel, language, &file, &macros);
                    let id = format!("{:03}-{}-{variant}", self.rows.len() + 1, kernel.name);
                    let written = inputs.map_err(NotRun::Inputs).and_then(|inputs| {
                        let of = Check {
                            clang: self.compiler.clang(),
                            file: path,
                            options,
                            inputs: &inputs,
                            change: &change,
                            is_inexact: kernel.is_inexact(),
                        };
                        self.program(of, &id, moved)
                    });
                    match written {
                        Ok(()) => self.rows.push(row(&id, named.name, &relative, &kernel, variant)),
                        Err(why) => *self.left_out.entry(kind_of_input(&why)).or_default() += 1,
                    }
                }
            }
        }
        Ok(())
    }

    /// What a run of the program of a source shows, on the largest arguments that the corpus has for it, else without any; nothing for
    /// sources that are no program by themselves.
    fn observed(&self, path: &Path, options: &[String]) -> Result<Option<Observed>> {
        let corpus = kernels::corpus()?;
        let of = corpus.iter().find(|of| is_same_file(&of.path(), path));
        let size = |run: &&Vec<String>| run.iter().filter_map(|word| word.parse::<u64>().ok()).sum::<u64>();
        let largest = of.and_then(|of| of.runs.iter().max_by_key(size)).into_iter().flatten();
        let place = tempfile::tempdir()?;
        let (program, profile) = (place.path().join("program"), place.path().join("program.lwp"));
        let mut clang = Command::new(self.compiler.clang());
        clang.args(["-g", "-O1", "-w", "-o"]).arg(&program).arg(path).args(options).arg("-lm");
        if output(&mut clang).is_err() {
            return Ok(None);
        }
        self.loopwright.profile(&[], &program, largest, &profile)?;
        let profile = profile::file::read(&profile)?;
        Ok(Some(report::gpu::observed(&report::report(&profile))))
    }

    /// Writes a program with what it has to print.
    fn program(&self, of: Check<'_>, id: &str, options: &str) -> Result<(), NotRun> {
        let missing = |error: std::io::Error| NotRun::Missing(error.to_string());
        let directory = self.directory.join(id);
        fs::create_dir(&directory).map_err(missing)?;
        let exported = export(of, &directory).inspect_err(|_| {
            // What is left of it is no program.
            let _ = fs::remove_dir_all(&directory);
        })?;
        let seeds: Vec<String> = exported.expected.iter().map(|(seed, _)| seed.to_string()).collect();
        let expected: String = exported.expected.into_iter().map(|(_, printed)| printed).collect();
        let at = |name: &str| directory.join(name);
        fs::write(at("seeds"), seeds.join(" ")).map_err(missing)?;
        fs::write(at("options"), options).map_err(missing)?;
        fs::write(at(EXPECTED), compressed(expected.as_bytes()).map_err(missing)?).map_err(missing)
    }

    fn finish(self) -> Result<()> {
        let at = |name: &str| self.directory.join(name);
        let head = "id\tprogram\tsource\tkernel\tline\tvariant\trounding\ttiles\n";
        fs::write(at(PROGRAMS), head.to_owned() + &self.rows.concat())?;
        let left_out: String = self.left_out.iter().map(|(why, count)| format!("{count}\t{why}\n")).collect();
        fs::write(at(LEFT_OUT), left_out)?;
        let flags = format!(
            "export COMPILED='{}' KERNELS='{}' LINKED='{}' TOLERANCE={TOLERANCE} METRICS={}\n",
            COMPILED.join(" "),
            KERNELS.join(" "),
            LINKED.join(" "),
            measured::METRICS.join(",")
        );
        fs::write(at("flags.sh"), flags)?;
        fs::write(at("compare.py"), COMPARE)?;
        fs::write(at("run.sh"), RUN)?;
        fs::set_permissions(at("run.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
        let size = size(self.directory)?;
        println!(
            "{} programs, {} KiB; {} left out",
            self.rows.len(),
            size >> 10,
            self.left_out.values().sum::<usize>()
        );
        if size > MOST {
            bail!("{} is too large to be carried elsewhere", self.directory.display());
        }
        Ok(())
    }
}

/// The row of a program.
fn row(id: &str, program: &str, source: &str, kernel: &Kernel, variant: &str) -> String {
    let rounding = if kernel.is_inexact() { "inexact" } else { "exact" };
    let tiles = if kernel.tiled.is_some() { "tiled" } else { "plain" };
    format!(
        "{id}\t{program}\t{source}\t{}\t{}\t{variant}\t{rounding}\t{tiles}\n",
        kernel.name, kernel.lines.0
    )
}

/// Whether two paths are of one file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    one.canonicalize().ok().is_some_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

fn compressed(text: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut to = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    to.write_all(text)?;
    to.finish()
}

/// An option in a file of options that compilers read.
fn quoted(option: &str) -> String {
    let mut out = String::new();
    for character in option.chars() {
        if character.is_whitespace() || matches!(character, '\\' | '"' | '\'') {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

/// Bytes of all files below a directory.
fn size(directory: &Path) -> Result<u64> {
    let mut all = 0;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        all += if metadata.is_dir() { size(&entry.path())? } else { metadata.len() };
    }
    Ok(all)
}

/// A table of tab-separated columns with names, and what stands before it.
struct Table {
    /// Lines that begin with `#`: what each is about, and what it says.
    about: Vec<(String, String)>,
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn read(path: &Path) -> Result<Table> {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let (about, lines): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
        let about = about.iter().filter_map(|line| {
            let (name, said) = line.trim_start_matches('#').split_once('\t')?;
            Some((name.trim().to_owned(), said.to_owned()))
        });
        let cut = |line: &&str| line.split('\t').map(str::to_owned).collect();
        let (head, rows) = lines.split_first().with_context(|| format!("{} is empty", path.display()))?;
        Ok(Table { about: about.collect(), names: cut(head), rows: rows.iter().map(cut).collect() })
    }

    /// What a row has in a column; nothing if there is no such column.
    fn at<'t>(&self, row: &'t [String], name: &str) -> &'t str {
        let place = self.names.iter().position(|own| own == name);
        place.and_then(|place| row.get(place)).map_or("", String::as_str)
    }

    /// Rows by what they have in columns.
    fn by(&self, columns: &[&str]) -> BTreeMap<Vec<&str>, Vec<&[String]>> {
        let mut found: BTreeMap<Vec<&str>, Vec<&[String]>> = BTreeMap::new();
        for row in &self.rows {
            let key = columns.iter().map(|column| self.at(row, column)).collect();
            found.entry(key).or_default().push(row);
        }
        found
    }
}

fn read(results: &Path) -> Result<()> {
    let beside = |name: &str| -> Result<Option<Table>> {
        let path = results.with_file_name(name);
        if path.exists() { Table::read(&path).map(Some) } else { Ok(None) }
    };
    let mut out = HEAD.to_owned();
    compared(&mut out, &Table::read(results)?)?;
    if let Some(checked) = beside("check.tsv")? {
        self::checked(&mut out, &checked)?;
    }
    if let Some(measured) = beside("measured.tsv")? {
        measured::document(&mut out, &measured)?;
    }
    let left_out = results.with_file_name(LEFT_OUT);
    if left_out.exists() {
        out += "\n## Kernels that were not run\n\nEach counts once for each variant.\n\n| reason | kernels |\n|---|--:|\n";
        for line in fs::read_to_string(left_out)?.lines() {
            let (count, why) = line.split_once('\t').context(LEFT_OUT)?;
            writeln!(out, "| {why} | {count} |")?;
        }
    }
    print!("{out}");
    fs::write(crate::ci::root().join(DOCUMENT), out).context(DOCUMENT)
}

/// Verdicts of comparisons.
fn compared(out: &mut String, table: &Table) -> Result<()> {
    let about: Vec<String> = table.about.iter().map(|(name, said)| format!("{name} {said}")).collect();
    writeln!(out, "Run with: {}.\n", about.join(", "))?;
    let verdicts = ["same", "different", "failed", "not compiled"];
    *out += "| sources | kernels | programs | same | different | failed | not compiled |\n|---|--:|--:|--:|--:|--:|--:|\n";
    for (program, rows) in table.by(&["program"]) {
        let mut kernels: Vec<(&str, &str)> =
            rows.iter().map(|row| (table.at(row, "source"), table.at(row, "kernel"))).collect();
        kernels.sort_unstable();
        kernels.dedup();
        let count = |verdict: &&str| rows.iter().filter(|row| table.at(row, "verdict") == *verdict).count();
        let counts: Vec<String> = verdicts.iter().map(|verdict| count(verdict).to_string()).collect();
        writeln!(
            out,
            "| {} | {} | {} | {} |",
            program.concat(),
            kernels.len(),
            rows.len(),
            counts.join(" | ")
        )?;
    }
    others(out, table, "same")
}

/// What compute-sanitizer said.
fn checked(out: &mut String, table: &Table) -> Result<()> {
    *out += "\n## Accesses\n\nThe same programs under compute-sanitizer: `memcheck` looks for accesses outside of arrays, `racecheck` for threads of a \
             block that access shared memory in no order, `synccheck` for barriers that not all threads reach, `initcheck` for reads of what \
             nothing wrote. *Not reached* are those that time was too short for.\n\n\
             | tool | programs | clean | reported | failed | not reached |\n|---|--:|--:|--:|--:|--:|\n";
    for (tool, rows) in table.by(&["tool"]) {
        let count = |verdict: &str| rows.iter().filter(|row| table.at(row, "verdict") == verdict).count();
        let counts: Vec<String> = ["clean", "reported", "failed", "not reached"]
            .iter()
            .map(|verdict| count(verdict).to_string())
            .collect();
        writeln!(out, "| {} | {} | {} |", tool.concat(), rows.len(), counts.join(" | "))?;
    }
    others(out, table, "clean")
}

/// What did not go as it should, a line each.
fn others(out: &mut String, table: &Table, good: &str) -> Result<()> {
    let mut list = String::new();
    for row in &table.rows {
        let verdict = table.at(row, "verdict");
        if verdict == good || verdict == "not reached" {
            continue;
        }
        let [source, kernel, variant, tool, detail] =
            ["source", "kernel", "variant", "tool", "detail"].map(|column| table.at(row, column));
        let tool = if tool.is_empty() { String::new() } else { format!(", {tool}") };
        writeln!(list, "- {source}, `{kernel}`, {variant}{tool}: {verdict}: {detail}")?;
    }
    if !list.is_empty() {
        write!(out, "\n{list}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_back_as_they_were() {
        assert_eq!(quoted("-DTEXT=\"a b\""), "-DTEXT=\\\"a\\ b\\\"");
    }

    #[test]
    fn results_are_counted_by_program() {
        let place = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let path = place.path().join("results.tsv");
        let text = "# device\tA\n# CUDA\t13.0\nid\tprogram\tsource\tkernel\tvariant\tverdict\tdetail\n\
                    1\tp\ta.c\tf_1\twide\tsame\t\n2\tp\ta.c\tf_1\tnarrow\tdifferent\tinputs 3, a[0]: 1 instead of 2\n";
        fs::write(&path, text).unwrap_or_else(|error| panic!("{error}"));
        let table = Table::read(&path).unwrap_or_else(|error| panic!("{error:#}"));
        let mut out = String::new();
        compared(&mut out, &table).unwrap_or_else(|error| panic!("{error:#}"));
        assert!(out.starts_with("Run with: device A, CUDA 13.0."), "{out}");
        assert!(out.contains("| p | 1 | 2 | 1 | 1 | 0 | 0 |"), "{out}");
        assert!(out.contains("- a.c, `f_1`, narrow: different: inputs 3, a[0]: 1 instead of 2"), "{out}");
    }
}
