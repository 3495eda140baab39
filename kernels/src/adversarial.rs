//! The programs of `adversarial/`: loops whose truth stands in the source, and how a report is judged by it.
//!
//! The truth is a comment on the line of the loop statement, `//= no` (in Fortran `!= no`). Alternatives are separated by `|`, truths
//! of single levels by `;`, the first that is for a level is taken: `//= yes @O2 @O3; no`. What a directive has to say, if there is one,
//! stands behind `##`: `//= reduction ## reduction(+:d) & private(x)`; `none`: there must not be one. A line `//: profile ARGUMENTS` (`!: …`) gives
//! options to the recorder, `//: run ARGUMENTS` arguments to the program, `//: compile ARGUMENTS` flags to the compiler.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::table::directory;

/// What is true about a loop as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// Iterations are independent as written.
    Yes,
    /// But for reductions.
    Reduction,
    /// After variables declared outside have become private.
    Private,
    /// After a change in words (a copy passed along, an atomic): no clause on the loop does it.
    Words,
    /// After a variable that moves by a constant has been rewritten in terms of the iterator.
    Induction,
    /// Several iterations write the same value to one place, which none of them reads.
    Flag,
    /// Iterations are independent, but the loop is left early.
    Exit,
    /// An iteration needs what an earlier one did.
    No,
    /// An iteration needs what an earlier one did as it is written, but the compiler has folded that away: only of the compiled
    /// loop may more be said.
    Folded,
    /// It cannot be judged.
    Unknown,
}

impl Truth {
    /// Those that a text names, apart by `|`.
    pub fn all(text: &str) -> Option<Vec<Truth>> {
        text.split('|').map(Truth::named).collect()
    }

    fn named(name: &str) -> Option<Truth> {
        Some(match name {
            "yes" => Truth::Yes,
            "reduction" => Truth::Reduction,
            "private" => Truth::Private,
            "words" => Truth::Words,
            "induction" => Truth::Induction,
            "flag" => Truth::Flag,
            "exit" => Truth::Exit,
            "no" => Truth::No,
            "folded" => Truth::Folded,
            "unknown" => Truth::Unknown,
            _ => return None,
        })
    }
}

/// An optimisation level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Optimised {
    /// `-O0`
    O0,
    /// `-O1`
    O1,
    /// `-O2`
    O2,
    /// `-O3 -march=native`
    O3,
}

impl Optimised {
    /// All of them.
    pub const ALL: [Optimised; 4] = [Optimised::O0, Optimised::O1, Optimised::O2, Optimised::O3];

    /// The level of this name.
    pub fn named(name: &str) -> Option<Optimised> {
        Optimised::ALL.into_iter().find(|level| format!("{level:?}") == name)
    }

    fn flags(self, language: Language) -> &'static [&'static str] {
        match (self, language == Language::Rust) {
            (Optimised::O0, false) => &["-O0"],
            (Optimised::O1, false) => &["-O1"],
            (Optimised::O2, false) => &["-O2"],
            (Optimised::O3, false) => &["-O3", "-march=native"],
            (Optimised::O0, true) => &["-Copt-level=0"],
            (Optimised::O1, true) => &["-Copt-level=1"],
            (Optimised::O2, true) => &["-Copt-level=2"],
            (Optimised::O3, true) => &["-Copt-level=3", "-Ctarget-cpu=native"],
        }
    }
}

impl fmt::Display for Optimised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "-{self:?}")
    }
}

/// A language of the corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// C11.
    C,
    /// C++17.
    Cpp,
    /// Fortran 2008.
    Fortran,
    /// Rust 2024.
    Rust,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 4] = [Language::C, Language::Cpp, Language::Fortran, Language::Rust];

    fn of(file: &str) -> Option<Language> {
        Some(match file.rsplit('.').next()? {
            "c" => Language::C,
            "cpp" => Language::Cpp,
            "f90" | "f" => Language::Fortran,
            "rs" => Language::Rust,
            _ => return None,
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Language::C => "C",
            Language::Cpp => "C++",
            Language::Fortran => "Fortran",
            Language::Rust => "Rust",
        }
    }
}

/// Whose compilers are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Family {
    /// Those of the machine: `cc`, `c++`, `gfortran`, `rustc`.
    #[default]
    Machine,
    /// `clang` and `clang++`.
    Clang,
}

impl Family {
    /// The family of this name.
    pub fn named(name: &str) -> Option<Family> {
        match name {
            "machine" => Some(Family::Machine),
            "clang" => Some(Family::Clang),
            _ => None,
        }
    }

    /// The compiler of a language, if there is one.
    pub fn compiler(self, language: Language) -> Option<&'static str> {
        match (self, language) {
            (Family::Machine, Language::C) => Some("cc"),
            (Family::Machine, Language::Cpp) => Some("c++"),
            (Family::Machine, Language::Fortran) => Some("gfortran"),
            (Family::Machine, Language::Rust) => Some("rustc"),
            (Family::Clang, Language::C) => Some("clang"),
            (Family::Clang, Language::Cpp) => Some("clang++"),
            (Family::Clang, _) => None,
        }
    }
}

/// A loop with its truth.
#[derive(Debug, Clone)]
pub struct Annotated {
    /// Its line.
    pub line: u32,
    /// The function it is written in.
    pub function: String,
    /// What is true, as written in the source.
    pub written: String,
    truths: Vec<(Vec<Optimised>, Vec<Truth>)>,
    /// What a directive has to say; `none` if there must be no directive.
    clauses: Vec<String>,
}

impl Annotated {
    /// What the directive of a report lacks.
    pub fn lacks(&self, said: &SaidLoop) -> Option<&str> {
        let directive = said.directive.as_ref()?;
        self.clauses.iter().map(String::as_str).find(|clause| !directive.contains(clause))
    }

    /// What a report may say at a level.
    pub fn at(&self, level: Optimised) -> &[Truth] {
        let found = self.truths.iter().find(|(levels, _)| levels.is_empty() || levels.contains(&level));
        found.map_or(&[], |(_, truths)| truths)
    }
}

/// A program of the corpus.
#[derive(Debug, Clone)]
pub struct Adversarial {
    /// Its file.
    pub path: PathBuf,
    /// The file's name.
    pub source: String,
    /// Its language.
    pub language: Language,
    /// Options for the recorder.
    pub profile: Vec<String>,
    /// Arguments for the program.
    pub run: Vec<String>,
    /// Flags for the compiler.
    pub compile: Vec<String>,
    /// Its loops.
    pub loops: Vec<Annotated>,
}

/// Every program of the corpus, by name.
///
/// # Errors
/// If a source cannot be read, or a truth in it cannot.
pub fn adversarial() -> Result<Vec<Adversarial>, String> {
    let place = directory().join("adversarial");
    let entries = std::fs::read_dir(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    let mut programs = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.file_name().is_some_and(|name| Language::of(&name.to_string_lossy()).is_some()) {
            programs.push(Adversarial::read(path)?);
        }
    }
    programs.sort_by(|a, b| a.source.cmp(&b.source));
    Ok(programs)
}

/// Loops that are known to be called parallel and are not: [`Adversarial::key`] and level, `adversarial/known.txt`.
///
/// # Errors
/// If the list cannot be read.
pub fn known() -> Result<BTreeSet<(String, Optimised)>, String> {
    let path = directory().join("adversarial/known.txt");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut known = BTreeSet::new();
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let levels = words.iter().skip(2).map(|w| Optimised::named(w)).collect::<Option<Vec<_>>>();
        let (Some(levels), true) = (levels, words.len() > 2) else {
            return Err(format!("{}: `{line}` is no loop with its levels", path.display()));
        };
        known.extend(levels.into_iter().map(|level| (format!("{} {}", words[0], words[1]), level)));
    }
    Ok(known)
}

impl Adversarial {
    /// Name: the file's.
    pub fn name(&self) -> &str {
        self.source.split('.').next().unwrap_or(&self.source)
    }

    /// A name for one of its loops that does not depend on lines: file, function, number in the function.
    pub fn key(&self, of: &Annotated) -> String {
        let before = self.loops.iter().filter(|l| l.function == of.function && l.line <= of.line).count();
        format!("{} {}#{before}", self.source, of.function)
    }

    /// Reads a program and the truth of its loops.
    ///
    /// # Errors
    /// If the source cannot be read, is in no known language, or a truth in it cannot be read.
    pub fn read(path: PathBuf) -> Result<Adversarial, String> {
        let source = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let language = Language::of(&source).ok_or_else(|| format!("{source}: unknown language"))?;
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let (truth, option) = if language == Language::Fortran { ("!= ", "!: ") } else { ("//= ", "//: ") };
        let mut program = Adversarial {
            path,
            source,
            language,
            profile: Vec::new(),
            run: Vec::new(),
            compile: Vec::new(),
            loops: Vec::new(),
        };
        let mut function = String::new();
        for (index, line) in text.lines().enumerate() {
            if let Some(name) = function_named(line, language) {
                name.clone_into(&mut function);
            }
            if let Some(option) = line.strip_prefix(option) {
                let mut words = option.split_whitespace().map(str::to_owned);
                match words.next().as_deref() {
                    Some("profile") => program.profile.extend(words),
                    Some("run") => program.run.extend(words),
                    Some("compile") => program.compile.extend(words),
                    _ => return Err(format!("{}:{}: unknown option", program.source, index + 1)),
                }
            }
            if let Some(at) = line.find(truth) {
                let (written, clauses) =
                    line[at + truth.len()..].split_once("##").unwrap_or((&line[at + truth.len()..], ""));
                let written = written.trim();
                let clauses = clauses.split('&').map(str::trim).filter(|text| !text.is_empty());
                let clauses = clauses.map(str::to_owned).collect();
                let truths = parsed(written)
                    .ok_or_else(|| format!("{}:{}: `{written}` is no truth", program.source, index + 1))?;
                program.loops.push(Annotated {
                    line: index as u32 + 1,
                    function: function.clone(),
                    written: written.to_owned(),
                    truths,
                    clauses,
                });
            }
        }
        Ok(program)
    }

    /// The command that compiles it, run in the directory where it is, into a file of this name; `None` for Rust.
    pub fn command_line(&self, level: Optimised, to: &str) -> Option<String> {
        let compiler = match self.language {
            Language::C => "cc -std=gnu11 -g",
            Language::Cpp => "c++ -std=c++17 -g",
            Language::Fortran => "gfortran -std=f2008 -g",
            Language::Rust => return None,
        };
        let flags = [level.flags(self.language).join(" "), self.compile.join(" ")].join(" ");
        Some(format!("{compiler} {flags} -o {to} {} -lm", self.source))
    }

    /// Compiles it into a directory.
    ///
    /// # Errors
    /// If there is no compiler, or it refuses the source.
    pub fn compile(&self, family: Family, level: Optimised, directory: &Path) -> Result<PathBuf, String> {
        let out = directory.join(format!("{}.{level:?}", self.source));
        let compiler = family.compiler(self.language);
        let compiler =
            compiler.ok_or_else(|| format!("{family:?} has no compiler of {}", self.language.name()))?;
        let flags: &[&str] = match self.language {
            Language::C => &["-std=gnu11", "-g"],
            Language::Cpp => &["-std=c++17", "-g"],
            Language::Fortran => &["-std=f2008", "-g"],
            Language::Rust => &["--edition=2024", "-g", "-Awarnings"],
        };
        let mut command = Command::new(compiler);
        command.current_dir(directory).args(flags).args(level.flags(self.language)).args(&self.compile);
        if self.language == Language::Fortran {
            // Module files of several compilations at a time have the same names.
            let modules = directory.join(format!("{}.{level:?}.modules", self.source));
            std::fs::create_dir_all(&modules).map_err(|error| error.to_string())?;
            command.arg("-J").arg(modules);
        }
        command.arg("-o").arg(&out).arg(&self.path);
        if self.language != Language::Rust {
            command.arg("-lm");
        }
        let output = command.output().map_err(|error| format!("`{compiler}` cannot be run: {error}"))?;
        if output.status.success() {
            return Ok(out);
        }
        Err(format!("{} at {level}: {}", self.source, String::from_utf8_lossy(&output.stderr)))
    }
}

/// The name of the function that a line begins.
fn function_named(line: &str, language: Language) -> Option<&str> {
    let line = line.trim_start();
    let rest = match language {
        Language::C | Language::Cpp => {
            let head = line.strip_prefix("ALONE ")?.split('(').next()?;
            return head.rsplit([' ', '*', '&']).next();
        }
        Language::Rust => line.strip_prefix("fn ")?,
        Language::Fortran => {
            let at = ["subroutine ", "function "].into_iter().find_map(|word| {
                let at = line.find(word)?;
                (!line.starts_with("end ") && !line.starts_with('!')).then_some(at + word.len())
            })?;
            &line[at..]
        }
    };
    rest.split(['(', '<', ' ']).next()
}

fn parsed(written: &str) -> Option<Vec<(Vec<Optimised>, Vec<Truth>)>> {
    let mut truths = Vec::new();
    for part in written.split(';') {
        let mut words = part.split_whitespace();
        let names = Truth::all(words.next()?)?;
        let levels =
            words.map(|w| Optimised::named(w.strip_prefix('@')?)).collect::<Option<Vec<Optimised>>>()?;
        truths.push((levels, names));
    }
    Some(truths)
}

/// What is of interest of a report.
#[derive(Debug, Deserialize)]
pub struct SaidReport {
    /// Its loops.
    pub loops: Vec<SaidLoop>,
}

/// What a report says about a loop.
#[derive(Debug, Clone, Deserialize)]
pub struct SaidLoop {
    /// Its name in the report.
    pub id: String,
    /// Its file.
    pub file: Option<String>,
    /// Its line.
    pub line: Option<u32>,
    /// How often it was entered.
    pub entries: u64,
    /// Iterations of all entries together.
    pub iterations: u64,
    /// The verdict.
    pub parallel: String,
    /// The class of the verdict.
    pub class: Option<String>,
    /// The directive that makes it parallel, whether or not that pays.
    #[serde(rename = "directive_alone")]
    pub directive: Option<String>,
    /// What has to become of variables.
    pub needs: Vec<SaidNeed>,
    /// Variables that are private.
    pub privatise: Vec<String>,
    /// Accumulators.
    pub reductions: Vec<SaidReduction>,
    /// Dependences that decide against it.
    pub blocking: Vec<SaidBlocking>,
    /// Whether the number of iterations depends on data: there only in reports that say so.
    #[serde(default)]
    pub data_dependent_trip_count: bool,
    /// Why nothing is said, if nothing is.
    #[serde(default)]
    pub reason: Option<String>,
}

/// What has to become of a variable.
#[derive(Debug, Clone, Deserialize)]
pub struct SaidNeed {
    /// Its name.
    pub variable: String,
    /// What.
    pub way: String,
}

/// An accumulator.
#[derive(Debug, Clone, Deserialize)]
pub struct SaidReduction {
    /// Its operator.
    pub operator: String,
    /// Its name.
    pub variable: Option<String>,
}

/// A dependence that decides against a loop.
#[derive(Debug, Clone, Deserialize)]
pub struct SaidBlocking {
    /// `flow`, `anti` or `output`.
    pub kind: String,
    /// `memory` or `register`.
    pub via: String,
    /// Where the first end is.
    pub source: SaidPlace,
    /// Where the second end is.
    pub sink: SaidPlace,
    /// What is written.
    pub object: Option<SaidObject>,
}

/// A place in a source.
#[derive(Debug, Clone, Deserialize)]
pub struct SaidPlace {
    /// The line.
    pub line: u32,
}

/// An object.
#[derive(Debug, Clone, Deserialize)]
pub struct SaidObject {
    /// Its name.
    pub name: String,
}

impl SaidLoop {
    /// What it says, in a few words.
    pub fn words(&self) -> String {
        let mut text = self.parallel.clone();
        if let Some(reason) = &self.reason {
            text.push_str(&format!(", {reason}"));
        }
        if let Some(class) = &self.class {
            text.push_str(&format!(", class {class}"));
        }
        if let Some(directive) = &self.directive {
            text.push_str(&format!(", `{directive}`"));
        }
        if !self.needs.is_empty() {
            let needs: Vec<String> = self.needs.iter().map(|n| format!("{} {}", n.way, n.variable)).collect();
            text.push_str(&format!(", needs {}", needs.join(", ")));
        }
        if let Some(b) = self.blocking.first() {
            let object = b.object.as_ref().map_or("-", |o| o.name.as_str());
            text.push_str(&format!(
                ", {} via {} on {object}, line {} to {}",
                b.kind, b.via, b.source.line, b.sink.line
            ));
        }
        text
    }

    fn is_blocked(&self) -> bool {
        matches!(self.parallel.as_str(), "no" | "unknown")
    }

    fn names_induction(&self) -> bool {
        self.parallel == "induction" || self.needs.iter().any(|n| n.way == "induction")
    }

    /// Whether it says something about the source: offers a directive, or to take the loop as it is.
    fn is_claim(&self) -> bool {
        self.directive.is_some() || self.class.as_deref() == Some("A")
    }

    /// Whether its directive gives each iteration the value of what all of them advance.
    fn is_linear(&self) -> bool {
        self.directive.as_ref().is_some_and(|text| text.contains(" linear("))
    }

    fn names_private(&self) -> bool {
        self.parallel == "after-privatisation"
            || !self.privatise.is_empty()
            || self.needs.iter().any(|n| n.way != "induction")
    }

    fn names_reduction(&self) -> bool {
        self.parallel == "reduction" || !self.reductions.is_empty()
    }
}

/// How good what a report says is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Judgement {
    /// True.
    Right,
    /// Safe, but more than needs to be done.
    Cautious,
    /// Of the compiled loop alone, by a report that offers nothing for the source.
    Compiled,
    /// The report has no such loop.
    Missing,
    /// A loop that could be parallel is not said to be.
    WrongNo,
    /// Following the report changes results.
    WrongYes,
}

/// Judges one loop of a report by one truth.
fn judge_by(truth: Truth, level: Optimised, said: &SaidLoop) -> Judgement {
    use Judgement::{Cautious, Compiled, Right, WrongNo, WrongYes};
    // Registers hide what has to become private or to be rewritten.
    let is_of_compiled = level != Optimised::O0 && said.parallel == "yes" && !said.is_claim();
    let is_unsafe = |named: bool| {
        if named {
            Right
        } else if said.names_induction() && !said.is_claim() {
            WrongNo
        } else {
            WrongYes
        }
    };
    match truth {
        // What cannot be judged may be known to carry all the same.
        Truth::No | Truth::Unknown | Truth::Folded if said.is_blocked() && said.directive.is_none() => Right,
        Truth::Folded if is_of_compiled => Compiled,
        Truth::No | Truth::Folded | Truth::Unknown => WrongYes,
        Truth::Exit if said.is_blocked() && said.directive.is_none() => Right,
        Truth::Exit if said.directive.is_none() && said.data_dependent_trip_count => Right,
        Truth::Exit => WrongYes,
        Truth::Private | Truth::Words if said.is_blocked() && said.class.as_deref() == Some("B") => {
            // After a change of storage, so it is said; private variables are less.
            if said.needs.iter().any(|n| n.way.contains("private")) { Right } else { Cautious }
        }
        Truth::Flag if said.is_blocked() && said.needs.iter().any(|n| n.way.starts_with("atomic")) => {
            Cautious
        }
        Truth::Induction
            if said.is_blocked() && said.names_induction() && (!said.is_claim() || said.is_linear()) =>
        {
            Right
        }
        _ if said.is_blocked() => WrongNo,
        Truth::Induction | Truth::Private if is_of_compiled && !said.names_private() => Compiled,
        Truth::Induction if said.is_claim() => WrongYes,
        Truth::Induction if said.names_induction() || said.class.as_deref() == Some("B") => Right,
        Truth::Induction => WrongYes,
        Truth::Words if said.is_claim() => WrongYes,
        Truth::Words if said.names_induction() => WrongNo,
        Truth::Words if said.names_private() || said.names_reduction() => Right,
        Truth::Words => WrongYes,
        Truth::Flag if said.directive.is_some() && said.names_private() => WrongYes,
        Truth::Flag => Right,
        Truth::Yes if said.names_induction() => WrongNo,
        Truth::Yes if said.parallel == "yes" => Right,
        Truth::Yes => Cautious,
        Truth::Reduction => is_unsafe(said.names_reduction()),
        Truth::Private => is_unsafe(said.names_private()),
    }
}

/// Judges what a report says about the loop on a line of a file, by the truths of which any may be said. The compiler may have made
/// several loops of one; the worst of them counts, and copies that never repeat say nothing.
pub fn judge<'a>(
    truths: &[Truth],
    level: Optimised,
    (source, line): (&str, u32),
    loops: &'a [SaidLoop],
) -> (Judgement, Option<&'a SaidLoop>) {
    let is_here = |l: &&SaidLoop| {
        l.line == Some(line)
            && l.iterations > l.entries
            && l.file.as_deref().is_some_and(|f| f.rsplit('/').next() == Some(source))
    };
    loops
        .iter()
        .filter(is_here)
        .map(|said| {
            let best = truths.iter().map(|&t| judge_by(t, level, said)).min();
            (best.unwrap_or(Judgement::Right), Some(said))
        })
        .max_by_key(|(judgement, _)| *judgement)
        .unwrap_or((Judgement::Missing, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(parallel: &str, class: &str, directive: Option<&str>) -> SaidLoop {
        SaidLoop {
            id: String::new(),
            file: Some("a/b.c".to_owned()),
            line: Some(3),
            entries: 1,
            iterations: 50,
            parallel: parallel.to_owned(),
            class: Some(class.to_owned()),
            directive: directive.map(str::to_owned),
            needs: Vec::new(),
            privatise: Vec::new(),
            reductions: Vec::new(),
            blocking: Vec::new(),
            data_dependent_trip_count: false,
            reason: None,
        }
    }

    #[test]
    fn truths_are_read() {
        let loops = |written| Annotated {
            line: 1,
            function: String::new(),
            written: String::new(),
            clauses: Vec::new(),
            truths: parsed(written).unwrap_or_default(),
        };
        let two = loops("yes @O2 @O3; no|induction");
        assert_eq!(two.at(Optimised::O2), [Truth::Yes]);
        assert_eq!(two.at(Optimised::O0), [Truth::No, Truth::Induction]);
        assert!(parsed("perhaps").is_none());
    }

    #[test]
    fn what_a_report_says_is_judged() {
        let judged = |truths: &[Truth], said: SaidLoop| judge(truths, Optimised::O0, ("b.c", 3), &[said]).0;
        assert_eq!(judged(&[Truth::No], said("yes", "A", None)), Judgement::WrongYes);
        assert_eq!(judged(&[Truth::No], said("unknown", "C", None)), Judgement::Right);
        assert_eq!(judged(&[Truth::Yes], said("no", "C", None)), Judgement::WrongNo);
        assert_eq!(judged(&[Truth::Private], said("yes", "A", None)), Judgement::WrongYes);
        assert_eq!(judged(&[Truth::Reduction], said("yes", "A", None)), Judgement::WrongYes);
        assert_eq!(judged(&[Truth::Induction], said("reduction", "A", Some("omp"))), Judgement::WrongYes);
        assert_eq!(judged(&[Truth::Induction, Truth::No], said("no", "C", None)), Judgement::Right);
        assert_eq!(judged(&[Truth::Yes], said("after-privatisation", "B", None)), Judgement::Cautious);
        let elsewhere = judge(&[Truth::Yes], Optimised::O0, ("c.c", 3), &[said("yes", "A", None)]).0;
        assert_eq!(elsewhere, Judgement::Missing);
        let mut compiled = said("yes", "A", None);
        compiled.class = None;
        let at = |level| judge(&[Truth::Induction], level, ("b.c", 3), &[compiled.clone()]).0;
        assert_eq!((at(Optimised::O0), at(Optimised::O2)), (Judgement::WrongYes, Judgement::Compiled));
    }
}
