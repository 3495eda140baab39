//! Programs whose authors have annotated their loops with OpenMP, against what reports say about those.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use kernels::{Judgement, Optimised, SaidLoop, Truth};
use serde::Deserialize;

use super::JUDGEMENTS;
use crate::product::Loopwright;

/// How a manifest looks, as the document says.
pub const FORMAT: &str = "Programs whose authors have annotated their loops with OpenMP, by `cargo xtask truth --suite FILE.toml [NAME…]`; with
`--keep` the rows are kept here. The programs are fetched by whoever measures, and neither they nor the manifest are committed:

```toml
[[program]]
name = \"stencil\"
directory = \"../suites/stencil\"       # from the manifest's directory
build = { O0 = \"make clean all CFLAGS='-g -O0'\", O2 = \"make clean all CFLAGS='-g -O2'\" }  # by level, any names; without -fopenmp
run = \"./stencil 64 10\"
sources = [\"src/*.c\", \"**/*.f90\"]
profile = []                            # options of `loopwright profile`
judged = { \"solve.c:40\" = \"private\", \"solve.c:71\" = \"no\" }  # loops without annotations, and what is true of them
explained = { \"solve.c:90\" = \"two iterations may write one element\" }  # why annotated loops are rightly not called parallel
compare = \"python3 same.py\"           # of `cargo xtask paste`: gets two outputs, of programs that print their time
```

An annotated loop is the one that follows `#pragma omp … for` or `!$omp … do`; `simd` alone counts apart. It counts as executed if some
level's report has it. *said parallel*: yes, after reductions, or after privatisation. Of loops that are not annotated, some of each program
were judged by hand; truths and answers are called as those of the corpus are.
";

/// A manifest.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Its programs.
    pub program: Vec<Program>,
}

/// A program of a suite.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// Where it is, from the manifest's directory.
    pub directory: PathBuf,
    /// The command that builds it, by level.
    pub build: BTreeMap<String, String>,
    /// The program and its arguments.
    pub run: String,
    sources: Vec<String>,
    /// What is true of loops that are not annotated, by `file:line`, in the words of the corpus.
    #[serde(default)]
    judged: BTreeMap<String, String>,
    /// Why loops are rightly not called parallel although they are annotated, by `file:line`.
    #[serde(default)]
    explained: BTreeMap<String, String>,
    /// Options of `loopwright profile`.
    #[serde(default)]
    pub profile: Vec<String>,
    /// The command that compares two outputs, for programs that print their time.
    pub compare: Option<String>,
}

/// A loop that its authors have annotated.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Annotation {
    file: String,
    /// First and last line of the loop's header.
    lines: (u32, u32),
    /// It has a directive for lanes alone.
    is_simd: bool,
}

/// Reads a manifest; gives the directory that it lies in too.
pub fn manifest(path: &Path) -> Result<(Manifest, PathBuf)> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let programs: Manifest = toml::from_str(&text).with_context(|| path.display().to_string())?;
    let real = path.canonicalize()?;
    Ok((programs, real.parent().context("a manifest lies in a directory")?.to_owned()))
}

/// Runs it.
pub fn run(loopwright: &Loopwright, manifest: &Path, names: &[&str], keep: bool) -> Result<()> {
    let (programs, base) = self::manifest(manifest)?;
    let base = base.as_path();
    let mut rows: Vec<(String, String)> = Vec::new();
    for program in programs.program.iter().filter(|p| names.is_empty() || names.contains(&p.name.as_str())) {
        let own = measured(loopwright, program, base).with_context(|| program.name.clone())?;
        print!("{own}");
        rows.push((program.name.clone(), own));
    }
    if keep {
        super::write_document("", &rows)?;
    }
    Ok(())
}

/// The programs that a document has rows of, with those.
pub fn sections(below: &str) -> Vec<(String, String)> {
    let mut parts = below.split("### ");
    // What comes first is about all.
    parts.next();
    let named =
        parts.filter_map(|part| Some((part.lines().next()?.trim().to_owned(), format!("### {part}"))));
    named.collect()
}

/// The counts of all programs together, by level.
pub fn totals(sections: &[(String, String)]) -> String {
    let mut text = String::from(
        "| all | annotated | executed | said parallel | blocked | unknown | not found | parallel, of those found |\n\
         |:--|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for (level, counts) in summed::<6>(sections) {
        let [annotated, executed, parallel, blocked, unknown, missing] = counts;
        let found = (parallel + blocked + unknown).max(1);
        let share = 100.0 * parallel as f64 / found as f64;
        let _ = writeln!(
            text,
            "| {level} | {annotated} | {executed} | {parallel} | {blocked} | {unknown} | {missing} | {share:.1} % |"
        );
    }
    text.push('\n');
    text.push_str(&head_of_judgements("all"));
    for (level, counts) in summed::<7>(sections) {
        let _ = writeln!(text, "| {level} | {} |", counts.map(|count| count.to_string()).join(" | "));
    }
    text
}

/// The head of a table of loops by the answers to them.
fn head_of_judgements(of: &str) -> String {
    let names = JUDGEMENTS.map(|own| own.1).join(" | ");
    format!("| {of} | loops | {names} |\n|:--|--:|--:|--:|--:|--:|--:|--:|\n")
}

/// Sums of the rows that have so many counts, by what they begin with.
fn summed<const N: usize>(sections: &[(String, String)]) -> BTreeMap<String, [u64; N]> {
    let mut all: BTreeMap<String, [u64; N]> = BTreeMap::new();
    for line in sections.iter().flat_map(|(_, text)| text.lines()) {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let level = cells.next().unwrap_or_default().to_owned();
        let counts: Vec<u64> = cells.map_while(|cell| cell.parse().ok()).collect();
        if let Ok(counts) = <[u64; N]>::try_from(counts) {
            let own = all.entry(level).or_insert([0; N]);
            own.iter_mut().zip(counts).for_each(|(own, count)| *own += count);
        }
    }
    all
}

fn measured(loopwright: &Loopwright, program: &Program, base: &Path) -> Result<String> {
    let directory = base.join(&program.directory).canonicalize()?;
    let mut annotated = Vec::new();
    for source in matching(&directory, &program.sources)? {
        let text = String::from_utf8_lossy(&std::fs::read(&source)?).into_owned();
        let file = source.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        annotated.extend(annotations(&file, &text));
    }
    let scratch = tempfile::tempdir()?;
    let mut found: Vec<(&str, Vec<Vec<SaidLoop>>)> = Vec::new();
    let mut by_hand = ByHand::of(program)?;
    for (level, build) in &program.build {
        let done = shell(build, &directory).output()?;
        if !done.status.success() {
            bail!("{level}: {build}: {}", String::from_utf8_lossy(&done.stderr).trim());
        }
        let profile = scratch.path().join(format!("{level}.lwp"));
        let report = super::said(loopwright, &ran(&program.run, &directory)?, &program.profile, &profile)?;
        let here =
            |a: &Annotation| -> Vec<SaidLoop> { report.loops.iter().filter(|l| a.is(l)).cloned().collect() };
        found.push((level, annotated.iter().map(here).collect()));
        by_hand.judge(level, &report.loops);
    }
    let is_executed = |at: usize| found.iter().any(|(_, loops)| !loops[at].is_empty());
    let mut text = format!(
        "### {}\n\n| level | annotated | executed | said parallel | blocked | unknown | not found |\n\
         |:--|--:|--:|--:|--:|--:|--:|\n",
        program.name
    );
    let mut blocked: BTreeMap<(String, String), Vec<&str>> = BTreeMap::new();
    for is_simd in [false, true] {
        let those: Vec<usize> = (0..annotated.len()).filter(|&at| annotated[at].is_simd == is_simd).collect();
        if those.is_empty() {
            continue;
        }
        for (level, loops) in &found {
            let mut counts = [0; 4];
            for &at in those.iter().filter(|&&at| is_executed(at)) {
                let outcome = outcome(&loops[at]);
                counts[outcome as usize] += 1;
                if let Outcome::Blocked | Outcome::Unknown | Outcome::Missing = outcome {
                    let words = worst(&loops[at]).map_or_else(|| "not found".to_owned(), SaidLoop::words);
                    blocked.entry((annotated[at].place(), words)).or_default().push(level);
                }
            }
            let _ = writeln!(
                text,
                "| {level}{} | {} | {} | {} | {} | {} | {} |",
                if is_simd { " simd" } else { "" },
                those.len(),
                those.iter().filter(|&&at| is_executed(at)).count(),
                counts[0],
                counts[1],
                counts[2],
                counts[3],
            );
        }
    }
    text.push('\n');
    for ((place, words), levels) in blocked {
        let why = program.explained.get(&place).map_or_else(String::new, |why| format!(". True: {why}"));
        let _ = writeln!(text, "- {place} at {}: {words}{why}", levels.join(" "));
    }
    text.push('\n');
    text.push_str(&by_hand.text());
    Ok(text)
}

/// Loops without annotations, judged by hand.
struct ByHand {
    /// File, line, truth as written, and truths.
    loops: Vec<(String, u32, String, Vec<Truth>)>,
    /// Per level the answer to each, and the words of those that are wrong.
    answers: Vec<(String, Vec<(Judgement, String)>)>,
}

impl ByHand {
    fn of(program: &Program) -> Result<ByHand> {
        let mut loops = Vec::new();
        for (place, written) in &program.judged {
            let (file, line) = place.rsplit_once(':').with_context(|| format!("{place} is no file:line"))?;
            let truths = Truth::all(written).with_context(|| format!("{place}: `{written}` is no truth"))?;
            let line = line.parse().with_context(|| format!("{place} is no file:line"))?;
            loops.push((file.to_owned(), line, written.clone(), truths));
        }
        Ok(ByHand { loops, answers: Vec::new() })
    }

    fn judge(&mut self, level: &str, said: &[SaidLoop]) {
        let optimised = if level.ends_with("O0") { Optimised::O0 } else { Optimised::O2 };
        let of = |(file, line, _, truths): &(String, u32, String, Vec<Truth>)| {
            let (judgement, said) = kernels::judge(truths, optimised, (file, *line), said);
            (judgement, said.map_or_else(String::new, SaidLoop::words))
        };
        self.answers.push((level.to_owned(), self.loops.iter().map(of).collect()));
    }

    fn text(&self) -> String {
        let mut text = String::new();
        if self.loops.is_empty() {
            return text;
        }
        text.push_str(&head_of_judgements("by hand"));
        for (level, answers) in &self.answers {
            let count = |of: Judgement| answers.iter().filter(|own| own.0 == of).count().to_string();
            let counts = JUDGEMENTS.map(|own| count(own.0));
            let _ = writeln!(text, "| {level} by hand | {} | {} |", answers.len(), counts.join(" | "));
        }
        text.push('\n');
        for (at, (file, line, written, _)) in self.loops.iter().enumerate() {
            let answer = |(level, answers): &(String, Vec<(Judgement, String)>)| {
                let (judgement, words) = &answers[at];
                let name = JUDGEMENTS.iter().find(|own| own.0 == *judgement).map_or("", |own| own.1);
                let words =
                    if *judgement == Judgement::WrongYes { format!(" ({words})") } else { String::new() };
                format!("{level} {name}{words}")
            };
            let answers: Vec<String> = self.answers.iter().map(answer).collect();
            let _ = writeln!(text, "- {file}:{line}, {written}: {}", answers.join(", "));
        }
        text.push('\n');
        text
    }
}

/// What became of an annotated loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Parallel,
    Blocked,
    Unknown,
    Missing,
}

/// The copy of a loop that is furthest from parallel; those that repeat count first.
fn worst(loops: &[SaidLoop]) -> Option<&SaidLoop> {
    let badness = |l: &&SaidLoop| {
        (
            l.iterations > l.entries,
            ["yes", "reduction", "after-privatisation", "unknown", "no"]
                .iter()
                .position(|p| *p == l.parallel),
        )
    };
    loops.iter().max_by_key(badness)
}

fn outcome(loops: &[SaidLoop]) -> Outcome {
    match worst(loops).map(|l| l.parallel.as_str()) {
        None => Outcome::Missing,
        Some("no") => Outcome::Blocked,
        Some("unknown") => Outcome::Unknown,
        Some(_) => Outcome::Parallel,
    }
}

/// The program with its arguments, which blanks separate: a shell would be what is recorded.
fn ran(line: &str, directory: &Path) -> Result<Command> {
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().context("run: no program")?);
    command.args(words).current_dir(directory).stdin(Stdio::null());
    Ok(command)
}

fn shell(line: &str, directory: &Path) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(line).current_dir(directory).stdin(Stdio::null());
    command
}

impl Annotation {
    fn place(&self) -> String {
        format!("{}:{}", self.file, self.lines.0)
    }

    fn is(&self, said: &SaidLoop) -> bool {
        said.line.is_some_and(|line| (self.lines.0..=self.lines.1).contains(&line))
            && said.file.as_deref().is_some_and(|f| f.rsplit('/').next() == Some(&self.file))
    }
}

/// The annotated loops of a source.
fn annotations(file: &str, text: &str) -> Vec<Annotation> {
    let is_fortran = file.rsplit('.').next().is_some_and(|e| e.to_ascii_lowercase().starts_with('f'));
    let lines: Vec<&str> = text.lines().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some((directive, end)) = directive(&lines, at, is_fortran) else {
            at += 1;
            continue;
        };
        at = end;
        let words: Vec<&str> = directive.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        // Clauses begin at the first parenthesis; names in them are no directive.
        let head: Vec<&str> = directive.split('(').next().unwrap_or_default().split_whitespace().collect();
        let named =
            |name: &str| head.contains(&name) || (head.len() < 6 && words.iter().take(6).any(|w| *w == name));
        let word = if is_fortran { "do" } else { "for" };
        let is_loop = named(word) && !head.contains(&"end");
        if !is_loop && !named("simd") || head.contains(&"declare") || head.contains(&"end") {
            continue;
        }
        if let Some(header) = header(&lines, at, is_fortran) {
            out.push(Annotation { file: file.to_owned(), lines: header, is_simd: !is_loop });
        }
    }
    out
}

/// The OpenMP directive that begins on a line, with what it is continued by, and the line after it.
fn directive(lines: &[&str], at: usize, is_fortran: bool) -> Option<(String, usize)> {
    let begins = |line: &str| -> Option<String> {
        let line = line.trim_start();
        if is_fortran {
            let lower = line.to_ascii_lowercase();
            ["!$omp", "c$omp", "*$omp"].into_iter().find_map(|s| lower.strip_prefix(s).map(str::to_owned))
        } else {
            let rest = line.strip_prefix('#')?.trim_start().strip_prefix("pragma")?.trim_start();
            Some(rest.strip_prefix("omp")?.to_owned())
        }
    };
    let mut text = begins(lines.get(at)?)?;
    let mut end = at + 1;
    if is_fortran {
        while let Some(next) = lines.get(end).copied().and_then(begins) {
            let is_continued = text.trim_end().ends_with('&') || next.trim_start().starts_with('&');
            if !is_continued {
                break;
            }
            text = format!(
                "{} {}",
                text.trim_end().trim_end_matches('&'),
                next.trim_start().trim_start_matches('&')
            );
            end += 1;
        }
    } else {
        while text.trim_end().ends_with('\\') {
            let next = lines.get(end)?;
            text = format!("{} {}", text.trim_end().trim_end_matches('\\'), next.trim());
            end += 1;
        }
    }
    Some((text, end))
}

/// First and last line of the header of the loop that follows, if one does.
fn header(lines: &[&str], from: usize, is_fortran: bool) -> Option<(u32, u32)> {
    let mut at = from;
    let mut is_comment = false;
    loop {
        let line = lines.get(at)?.trim();
        if is_comment {
            is_comment = !line.contains("*/");
        } else if is_fortran {
            let lower = line.to_ascii_lowercase();
            // A label may stand before, a name too.
            let code = lower.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
            let code = code.split_once(':').map_or(code, |(_, rest)| {
                if rest.trim_start().starts_with("do") { rest.trim_start() } else { code }
            });
            if code.starts_with("do ") {
                return Some((at as u32 + 1, at as u32 + 1));
            }
            let is_nothing =
                line.is_empty() || lower.starts_with(['!', '*', '#']) || lines[at].starts_with(['c', 'C']);
            if !is_nothing {
                return None;
            }
        } else if let Some(start) =
            line.find("for").filter(|_| line.starts_with("for") || line.starts_with('{'))
        {
            let mut depth = 0;
            for (offset, line) in lines[at..].iter().enumerate() {
                let code = if offset == 0 { &line.trim()[start..] } else { line };
                for c in code.chars() {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    if c == ')' && depth == 0 {
                        return Some((at as u32 + 1, (at + offset) as u32 + 1));
                    }
                }
            }
            return None;
        } else if line.starts_with("/*") {
            is_comment = !line.contains("*/");
        } else if !(line.is_empty() || line.starts_with('#') || line.starts_with("//")) {
            return None;
        }
        at += 1;
    }
}

/// Files that one of the patterns stands for: `*` within a name, `**` any directories.
fn matching(directory: &Path, patterns: &[String]) -> Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    for pattern in patterns {
        let parts: Vec<&str> = pattern.split('/').collect();
        walk(directory, &parts, &mut out).with_context(|| pattern.clone())?;
    }
    out.sort();
    out.dedup();
    Ok(out)
}

fn walk(directory: &Path, parts: &[&str], out: &mut Vec<PathBuf>) -> Result<()> {
    let Some((first, rest)) = parts.split_first() else { return Ok(()) };
    if *first == "**" {
        walk(directory, rest, out)?;
    }
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let (name, is_directory) = (entry.file_name(), entry.file_type()?.is_dir());
        let name = name.to_string_lossy();
        if *first == "**" {
            if is_directory {
                walk(&entry.path(), parts, out)?;
            }
        } else if is_match(first, &name) {
            if is_directory {
                walk(&entry.path(), rest, out)?;
            } else if rest.is_empty() {
                out.push(entry.path());
            }
        }
    }
    Ok(())
}

fn is_match(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| {
            (0..=rest.len()).filter(|&at| rest.is_char_boundary(at)).any(|at| is_match(after, &rest[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotated_loops_are_found() {
        let text = "#pragma omp parallel for \\\n  private(t)\n/* a\n comment */\n  for (i = 0;\n       i < n;\n       i++)\n;\n\
                    #pragma omp simd\nfor (int k = 0; k < n; k++) ;\n#pragma omp barrier\nfor (;;) ;\n\
                    #pragma omp parallel\n{\n#pragma omp for schedule(static)\nfor (x = f(1); x; ) ;\n}\n";
        let found = annotations("a.c", text);
        let lines: Vec<_> = found.iter().map(|a| (a.lines, a.is_simd)).collect();
        assert_eq!(lines, [((5, 7), false), ((10, 10), true), ((16, 16), false)]);
    }

    #[test]
    fn annotated_loops_of_fortran_are_found() {
        let text = "!$omp parallel do private(j) &\n!$omp& shared(a)\n      do 10 i = 1, n\n10 continue\n!$omp end parallel do\n\
                    !$OMP DO\n  outer: do j = 1, n\n";
        let found = annotations("a.f90", text);
        let lines: Vec<_> = found.iter().map(|a| a.lines.0).collect();
        assert_eq!(lines, [3, 7]);
    }

    #[test]
    fn patterns() {
        assert!(is_match("*.c", "a.c") && is_match("a*b*c", "axxbc") && !is_match("*.c", "a.cc"));
    }
}
