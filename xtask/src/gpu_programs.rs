//! What `gpumap` says of the loops of public programs, beside what their authors marked for OpenMP.
//!
//! The programs are not part of the repository: each is named on the command line with the directory that it lies in.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use gpumap::Compiler;
use gpumap::calls::{Cone, LENGTH};
use gpumap::device::{Block, Device};
use gpumap::emit::{Dialect, Refusal};
use gpumap::frontend::Texts;
use gpumap::ir::Module;
use gpumap::offload::show::{Asked, Trial, directives};
use gpumap::offload::{Friendly, Why, with_candidates};
use gpumap::recurrence::Given;
use gpumap::shared::Scheme;
use gpumap::verify::{NotRun, Unmade, Verdict};

use crate::source_tree::{Named, Tree};

/// Where the table goes.
const DOCUMENT: &str = "docs/gpu-programs.md";
/// Reasons that are shown.
const MOST_REASONS: usize = 40;
const HEAD: &str = "# Loops of public programs

Written by `cargo xtask gpu-programs --verify NAME=DIRECTORY …`; do not edit. Every C and C++ source below each directory is read as
`loopwright gpu` reads it, with all directories that hold headers. A loop *can* run on a device if the source itself shows
that its iterations do not depend on each other and nothing else speaks against it, it *may* if only a run could show that, and
it *cannot* if something does. *Directive*: loops and nests for which a directive of OpenMP with its sections is written. *Marked* are
loops that the authors put `omp parallel for` or `omp for` before; loops in functions that no instance of a template uses are not read.
Verified (`--verify`) are directives with which the function, called by itself on six made-up inputs, printed what it prints without; not
run are those whose functions cannot be called by themselves, and why is counted below.

";

/// What was found of one loop.
struct Found {
    file: String,
    line: u32,
    friendly: Friendly,
    /// The line that its nest begins on.
    start: Option<u32>,
    has_directive: bool,
    reasons: Vec<String>,
}

/// What was found of a program.
#[derive(Default)]
struct Program {
    files: usize,
    read: usize,
    refused: Vec<String>,
    unread: usize,
    functions: usize,
    loops: Vec<Found>,
    directives: usize,
    verified: usize,
    /// Directives that were wrong: where, and what was.
    wrong: Vec<String>,
    /// Why directives were not run.
    not_run: Vec<String>,
    /// Why loops that can run on a device have no directive.
    without: Vec<String>,
    /// Loops with a directive of their authors: file and line.
    marked: Vec<(String, u32)>,
    slowest: f64,
}

/// Runs the command.
pub fn run(arguments: &[&str]) -> Result<()> {
    let is_verified = arguments.contains(&"--verify");
    let programs: Vec<&str> = arguments.iter().copied().filter(|argument| *argument != "--verify").collect();
    if programs.is_empty() {
        bail!("name programs: [--verify] NAME=DIRECTORY[,OPTION…]")
    }
    let compiler = Compiler::find()?;
    let mut all = Vec::new();
    for argument in programs {
        let Named { name, directory, options } = Named::new(argument)?;
        all.push((name, program(&compiler, directory, &options, is_verified)?));
    }
    let out = document(&all)?;
    print!("{out}");
    std::fs::write(crate::ci::root().join(DOCUMENT), out).context(DOCUMENT)
}

fn program(compiler: &Compiler, directory: &Path, options: &[String], is_verified: bool) -> Result<Program> {
    let tree = Tree::new(directory)?;
    let mut found = Program::default();
    for path in tree.sources() {
        let mut options = options.to_vec();
        options.extend(tree.includes(path, directory));
        let text = String::from_utf8_lossy(&std::fs::read(path)?).into_owned();
        let name = path.strip_prefix(directory).unwrap_or(path).display().to_string();
        found.files += 1;
        let start = Instant::now();
        match compiler.read(path, &options) {
            Ok(module) => {
                found.read += 1;
                found.unread += module.unread.len();
                found.marked.extend(marked(&text).into_iter().map(|line| (name.clone(), line)));
                let before = found.loops.len();
                loops(&module, &name, &mut found);
                found.slowest = found.slowest.max(start.elapsed().as_secs_f64());
                let has_failed = Cell::new(false);
                let (clang, file, options) = (compiler.clang(), path, options.as_slice());
                let trial = Trial { clang, file, options, has_failed: &has_failed };
                let emitted = emit(&module, &name, is_verified.then_some(trial), &mut found);
                for one in found.loops.iter_mut().skip(before) {
                    one.has_directive = one.start.is_some_and(|start| emitted.contains(&start));
                }
                eprintln!("{name}: {} loops", found.loops.len() - before);
            }
            Err(error) => {
                let said = error.to_string();
                let said = said.lines().last().unwrap_or("").trim().to_owned();
                found.refused.push(format!("{name}: {}", said.rsplit('/').next().unwrap_or("")));
            }
        }
    }
    Ok(found)
}

/// Lines of loops that have a directive of OpenMP for loops.
fn marked(text: &str) -> Vec<u32> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let words: Vec<&str> = lines[at].split_whitespace().collect();
        let is_of_loop = matches!(words.as_slice(), ["#pragma", "omp", rest @ ..]
            if rest.iter().any(|word| *word == "for" || word.starts_with("for(")) && rest[0] != "target");
        while is_of_loop && lines[at].trim_end().ends_with('\\') && at + 1 < lines.len() {
            at += 1;
        }
        if is_of_loop {
            let next =
                (at + 1..lines.len().min(at + 6)).find(|&next| lines[next].trim_start().starts_with("for"));
            found.extend(next.and_then(|next| u32::try_from(next + 1).ok()));
        }
        at += 1;
    }
    found
}

/// Gives each function, and what is asked of it.
fn each_function(module: &Module, mut of: impl FnMut(&Cone, Asked<'_>)) {
    let given = Given::default();
    let (Ok(block), Ok(device)) = (Block::new(32, 8, 1), Device::named("sm_90")) else { return };
    let asked = Asked { observed: None, line: None, given: &given, block, device, scheme: Scheme::default() };
    for function in module.defined() {
        of(&Cone::new(module, function, LENGTH), asked);
    }
}

/// Writes directives, and runs them; gives the lines that they stand before.
fn emit(module: &Module, name: &str, trial: Option<Trial<'_>>, found: &mut Program) -> BTreeSet<u32> {
    let texts = Texts::new(module);
    let mut lines = BTreeSet::new();
    each_function(module, |cone, asked| {
        for directed in directives(module, cone, asked, (Dialect::OpenMp, &texts), trial) {
            let line = directed.line.unwrap_or(0);
            match &directed.text {
                Ok(text) => {
                    lines.insert(line);
                    found.directives += 1;
                    match directed.verdict {
                        None => {}
                        Some(Verdict::Same(_)) => found.verified += 1,
                        Some(Verdict::Other(fault)) => {
                            eprintln!("{name}:{line}: {fault}: {text}");
                            found.wrong.push(format!("{name}:{line}: {fault}"));
                        }
                        Some(Verdict::NotRun(why)) => {
                            eprintln!("{name}:{line}: not run: {why}");
                            found.not_run.push(kind_of_input(&why));
                        }
                    }
                }
                Err(why) => {
                    if let Some(kind) = kind_of_refusal(why) {
                        eprintln!("{name}:{line}: {why}");
                        found.without.push(kind);
                    }
                }
            }
        }
    });
    lines
}

/// Why something was not run, without names.
pub fn kind_of_input(why: &NotRun) -> String {
    match why {
        NotRun::Inputs(Unmade::Type(_)) => "values of the type of an argument are not made up".into(),
        NotRun::Inputs(Unmade::Bytes(_)) => "it is not known how large an argument has to be".into(),
        NotRun::Compiler(_) => "the source with a call of the function does not compile by itself".into(),
        other => other.to_string(),
    }
}

fn loops(module: &Module, name: &str, found: &mut Program) {
    each_function(module, |cone, asked| {
        found.functions += 1;
        with_candidates(module, cone, asked, |analysed, candidates| {
            for candidate in candidates {
                let first = candidate.loops.first();
                for id in &candidate.loops {
                    let Some((place, _)) = analysed.control.loops.get(*id).places(module) else { continue };
                    let start = first.and_then(|id| analysed.control.loops.get(*id).places(module));
                    let mut reasons: Vec<String> =
                        candidate.reasons.iter().map(|reason| kind(&reason.why)).collect();
                    reasons.dedup();
                    let is_own = name.ends_with(place.file.rsplit('/').next().unwrap_or(place.file));
                    found.loops.push(Found {
                        file: if is_own { name.to_owned() } else { place.file.to_owned() },
                        line: place.line,
                        friendly: candidate.friendly,
                        start: start.map(|(start, _)| start.line),
                        has_directive: false,
                        reasons,
                    });
                }
            }
        });
    });
}

/// Why a loop that can run on a device has no directive, without names; `None` for others.
fn kind_of_refusal(why: &Refusal) -> Option<String> {
    let kind = match why {
        Refusal::Unfriendly | Refusal::Open => return None,
        Refusal::Behind(_) => "something stands before the loop on its line",
        Refusal::Form(_) => "the loop is no `for` that sets, compares and moves one variable",
        Refusal::Stray(_) => "it is not known which array is accessed",
        Refusal::Unbounded(_) => "it is not known which bytes of an array are used",
        Refusal::Before(_) => "what is used of an array may begin before it does",
        Refusal::Moved(_) => "a pointer does not point to the same place all the time",
        Refusal::Several(_) => "an array is another one in each iteration",
        Refusal::Unnamed(_) => "what is used of an array has no expression in terms of the source",
        Refusal::Element(_) => "the size of the elements of an array is not known",
        Refusal::Outbound(_) | Refusal::Combined(_) => "a variable comes out, and no reduction is recognised",
        Refusal::Variable(_) => "a variable may keep its value from iteration to iteration",
        Refusal::Storage(..) => "a variable that is shared needs what clauses cannot say",
        Refusal::Reduction(_) => "iterations combine something in memory",
        Refusal::Count | Refusal::Source(_) => return Some(why.to_string()),
    };
    Some(kind.into())
}

/// A reason without names.
fn kind(why: &Why) -> String {
    match why {
        Why::Call(name) => format!("it calls {name}"),
        Why::Static(_) => "it writes a variable that keeps its value from call to call".into(),
        Why::Carried(_) => "an iteration uses what another one computed".into(),
        Why::SamePlaces(_) => "different iterations touch the same places".into(),
        Why::MayCarry(_) => "the source does not show that iterations touch different parts".into(),
        Why::Kept(_) => "a variable keeps its value, and no reduction is recognised".into(),
        other => other.to_string(),
    }
}

fn document(all: &[(&str, Program)]) -> Result<String> {
    let mut out = HEAD.to_owned();
    out += "| program | files | read | functions | loops | can | may | cannot | directives | verified | wrong | not run | slowest file, s |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
    for (name, of) in all {
        let count = |friendly| of.loops.iter().filter(|found| found.friendly == friendly).count();
        let [can, may, cannot] = [Friendly::Yes, Friendly::Unknown, Friendly::No].map(count);
        let (files, read, functions, loops) = (of.files, of.read, of.functions, of.loops.len());
        let (directives, slowest) = (of.directives, of.slowest);
        let (verified, wrong, not_run) = (of.verified, of.wrong.len(), of.not_run.len());
        writeln!(
            out,
            "| {name} | {files} | {read} | {functions} | {loops} | {can} | {may} | {cannot} | {directives} | {verified} | {wrong} | {not_run} | {slowest:.1} |"
        )?;
    }
    out += "\n## Loops that their authors marked\n\n| program | marked | listed | can | may | cannot | with a directive |\n|---|--:|--:|--:|--:|--:|--:|\n";
    let mut missed = String::new();
    for (name, of) in all {
        let mut counts = [0usize; 5];
        for (file, line) in &of.marked {
            let found = of.loops.iter().filter(|found| (&found.file, &found.line) == (file, line));
            let best = found.min_by_key(|found| found.friendly);
            let Some(best) = best else {
                writeln!(missed, "- {name}, {file}:{line}: not listed")?;
                continue;
            };
            counts[0] += 1;
            let place = match best.friendly {
                Friendly::Yes => 1,
                Friendly::Unknown => 2,
                Friendly::No => 3,
            };
            counts[place] += 1;
            counts[4] += usize::from(best.has_directive);
            if best.friendly != Friendly::Yes {
                writeln!(missed, "- {name}, {file}:{line}: {}", best.reasons.join("; "))?;
            }
        }
        let [listed, can, may, cannot, directives] = counts;
        let marked = of.marked.len();
        writeln!(out, "| {name} | {marked} | {listed} | {can} | {may} | {cannot} | {directives} |")?;
    }
    out += "\nThose that are not shown to be independent:\n\n";
    out += &missed;
    out += "\n## Reasons, over all loops\n\n| reason | loops |\n|---|--:|\n";
    counted(&mut out, all.iter().flat_map(|(_, of)| &of.loops).flat_map(|found| &found.reasons))?;
    out += "\n## Why loops that can run have no directive\n\n| reason | loops |\n|---|--:|\n";
    counted(&mut out, all.iter().flat_map(|(_, of)| &of.without))?;
    out += "\n## Why directives were not run\n\n| reason | directives |\n|---|--:|\n";
    counted(&mut out, all.iter().flat_map(|(_, of)| &of.not_run))?;
    let wrong: Vec<String> = all
        .iter()
        .flat_map(|(name, of)| of.wrong.iter().map(move |wrong| format!("- {name}, {wrong}\n")))
        .collect();
    if !wrong.is_empty() {
        out += "\n## Directives that are wrong\n\n";
        out += &wrong.concat();
    }
    let refused: Vec<String> = all
        .iter()
        .flat_map(|(name, of)| of.refused.iter().map(move |refused| format!("- {name}, {refused}\n")))
        .collect();
    if !refused.is_empty() {
        out += "\n## Files that clang refuses\n\n";
        out += &refused.concat();
    }
    let unread: usize = all.iter().map(|(_, of)| of.unread).sum();
    writeln!(out, "\nFunctions of which the intermediate representation is not understood: {unread}.")?;
    Ok(out)
}

/// The most frequent reasons, the most frequent first.
fn counted<'a>(out: &mut String, all: impl Iterator<Item = &'a String>) -> Result<()> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in all {
        *counts.entry(reason).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(reason, count)| (std::cmp::Reverse(*count), *reason));
    for (reason, count) in counts.iter().take(MOST_REASONS) {
        writeln!(out, "| {reason} | {count} |")?;
    }
    Ok(())
}
