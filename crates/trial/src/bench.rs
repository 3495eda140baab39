//! The two copies of a tree, and measurements on them.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use crate::compare::{difference, is_same};
use crate::compilers::{self, With};
use crate::edit::{self, Candidate, Edit, NotApplied};
use crate::error::Error;
use crate::outcome::{Agreement, Comparison, Difference, Held, Original, Reason, Speedup, Spread};
use crate::process::{Ended, run, shell, tail};
use crate::races::{self, Found};
use crate::tree::{self, Snapshot};

/// Builds may take long; the user can interrupt them.
const BUILD: Duration = Duration::from_secs(24 * 3600);
/// A changed program may take so many times as long as the original, and so many seconds more.
const TIMES: f64 = 10.0;
const MORE: f64 = 5.0;
/// A program is slower if it is less than so many times as fast: what is measured twice differs by some percent.
const SLOWER: f64 = 0.95;
/// Seconds that a program may lose by starting threads at all: shorter runs say nothing about its loops.
const STARTING: f64 = 0.01;
/// Lines of what a compiler said that are kept.
const SAID: usize = 4;

/// What is tried, and how.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The user's tree.
    pub directory: PathBuf,
    /// Builds it; run in the copies.
    pub build: String,
    /// Runs the program; run in the copies.
    pub run: String,
    /// Numbers of threads.
    pub threads: Vec<u32>,
    /// How often each program runs with each number of threads.
    pub rounds: u32,
    /// How outputs are compared.
    pub comparison: Comparison,
    /// For a run of the original.
    pub time_limit: Duration,
    /// When the profile was written: sources that were changed later are others.
    pub profiled: Option<SystemTime>,
    /// Whether ThreadSanitizer looks at what holds.
    pub sanitize: bool,
}

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Until something is wrong.
    Quick,
    /// All rounds, unless the program does not end.
    Full,
}

/// What directives do to a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// What is wrong with them; `None` if they hold.
    pub failure: Option<Reason>,
    /// What was measured, if the program ran.
    pub measured: Option<Held>,
}

/// A source with directives.
#[derive(Debug)]
struct SourceFile {
    /// In the tree.
    relative: PathBuf,
    /// As it is written.
    text: Vec<u8>,
    /// As it is in the changed copy.
    now: Vec<u8>,
}

/// Two copies of a tree, of which the first is built and has run.
pub struct Bench<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) candidates: &'a [Candidate],
    pub(crate) interrupted: &'a dyn Fn() -> bool,
    tree: PathBuf,
    before: Snapshot,
    place: TempDir,
    path: OsString,
    files: Vec<SourceFile>,
    /// By candidate: its file and what it does there.
    edits: Vec<Result<(usize, Edit), NotApplied>>,
    /// What the original prints.
    expected: Vec<u8>,
    status: i32,
    differs: Option<Difference>,
    seconds: Vec<f64>,
}

impl<'a> Bench<'a> {
    /// Copies the tree, builds the original and runs it twice.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn new(
        plan: &'a Plan,
        candidates: &'a [Candidate],
        interrupted: &'a dyn Fn() -> bool,
    ) -> Result<Bench<'a>, Error> {
        let tree = plan.directory.canonicalize().map_err(Error::io(&plan.directory))?;
        let place = tempfile::Builder::new()
            .prefix("loopwright-try-")
            .tempdir()
            .map_err(Error::io(std::env::temp_dir()))?;
        let before = tree::copy(&tree, &place.path().join("original"))?;
        tree::copy(&tree, &place.path().join("changed"))?;
        let path = compilers::wrap(&place.path().join("compilers"), &With::OpenMp)?;
        let mut bench = Bench {
            plan,
            candidates,
            interrupted,
            tree,
            before,
            place,
            path,
            files: Vec::new(),
            edits: Vec::new(),
            expected: Vec::new(),
            status: 0,
            differs: None,
            seconds: Vec::new(),
        };
        bench.prepare();
        bench.start()?;
        Ok(bench)
    }

    /// What the original is.
    pub fn original(&self) -> Original {
        Original { seconds: Spread::of(&self.seconds), status: self.status, differs: self.differs.clone() }
    }

    /// Why a candidate is not in the source, if it cannot be.
    pub fn not_applied(&self, candidate: usize) -> Option<NotApplied> {
        self.edits.get(candidate).and_then(|edit| edit.as_ref().err().copied())
    }

    /// Works out what each candidate does to its file.
    fn prepare(&mut self) {
        let mut taken = BTreeSet::new();
        for candidate in self.candidates {
            let found = self.edit(candidate);
            let found = found.and_then(|(file, edit)| match taken.insert((file, edit.at)) {
                true => Ok((file, edit)),
                false => Err(NotApplied::Occupied),
            });
            self.edits.push(found);
        }
    }

    fn edit(&mut self, candidate: &Candidate) -> Result<(usize, Edit), NotApplied> {
        let named = if candidate.file.is_absolute() {
            candidate.file.clone()
        } else {
            self.tree.join(&candidate.file)
        };
        let real = named.canonicalize().map_err(|_| NotApplied::Missing)?;
        let relative = real.strip_prefix(&self.tree).map_err(|_| NotApplied::Outside)?.to_owned();
        let changed = real.metadata().and_then(|about| about.modified()).ok();
        if changed.zip(self.plan.profiled).is_some_and(|(own, profiled)| own > profiled) {
            return Err(NotApplied::Changed);
        }
        let file = match self.files.iter().position(|file| file.relative == relative) {
            Some(file) => file,
            None => {
                let text = std::fs::read(&real).map_err(|_| NotApplied::Missing)?;
                self.files.push(SourceFile { relative, now: text.clone(), text });
                self.files.len() - 1
            }
        };
        let text = &self.files[file].text;
        edit::edit(&edit::lines(text), candidate).map(|edit| (file, edit))
    }

    fn in_copy(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// Builds the original, and runs it twice.
    fn start(&mut self) -> Result<(), Error> {
        let directory = self.in_copy("original");
        let mut command = shell(&self.plan.build, &directory);
        command.env(compilers::VARIABLE, "");
        if let Some(said) = self.build(&mut command)? {
            return Err(Error::Build { directory: self.tree.clone(), said });
        }
        if let Some(path) = tree::changed(&self.tree, &self.before) {
            return Err(Error::WritesOutside(path));
        }
        let mut printed = Vec::new();
        for _ in 0..2 {
            match self.run_original("expected")? {
                Ended::With(status, seconds) => {
                    self.seconds.push(seconds);
                    printed.push((status, self.read("expected.out")?));
                }
                Ended::TimedOut => return Err(Error::Endless { seconds: self.plan.time_limit.as_secs() }),
            }
        }
        let (second, first) = (printed.pop().unwrap_or_default(), printed.pop().unwrap_or_default());
        if first.0 >= 126 {
            let said = tail(&self.in_copy("expected.err"), 1);
            let said = if said.is_empty() { said } else { format!(": {said}") };
            return Err(Error::Run { command: self.plan.run.clone(), status: first.0, said });
        }
        self.differs = difference(&first.1, &second.1, None);
        (self.status, self.expected) = first;
        let is_steady = match &self.plan.comparison {
            Comparison::Exact => self.differs.is_none(),
            Comparison::Tolerance(tolerance) => is_same(&self.expected, &second.1, Some(*tolerance)),
            Comparison::Command(_) => true,
        };
        if let (false, Some(found)) = (is_steady, &self.differs) {
            let (line, first, second) = (found.line, found.expected.clone(), found.found.clone());
            return Err(Error::Unsteady { line, first, second });
        }
        std::fs::write(self.in_copy("expected.out"), &self.expected)
            .map_err(Error::io(self.in_copy("expected.out")))
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, Error> {
        let path = self.in_copy(name);
        std::fs::read(&path).map_err(Error::io(&path))
    }

    /// Runs a build; gives what it said if it failed.
    pub(crate) fn build(&self, command: &mut Command) -> Result<Option<String>, Error> {
        let files = (self.in_copy("build.out"), self.in_copy("build.err"));
        let ended = run(command, (&files.0, &files.1), BUILD, self.interrupted)?;
        let is_built = matches!(ended, Ended::With(0, _));
        Ok((!is_built).then(|| said(&files.1, &files.0, self.place.path())))
    }

    fn run_original(&self, name: &str) -> Result<Ended, Error> {
        let mut command = shell(&self.plan.run, &self.in_copy("original"));
        let files = [format!("{name}.out"), format!("{name}.err")].map(|name| self.in_copy(&name));
        run(&mut command, (&files[0], &files[1]), self.plan.time_limit, self.interrupted)
    }

    /// Longest time of a changed program.
    fn limit(&self) -> Duration {
        let longest = self.seconds.iter().copied().fold(0.0, f64::max);
        Duration::try_from_secs_f64(TIMES * longest + MORE).unwrap_or(self.plan.time_limit)
    }

    /// Writes some of the candidates, all of which can be applied, into the sources of a copy.
    pub(crate) fn write(&mut self, copy: &str, set: &[usize]) -> Result<(), Error> {
        let mut is_header_changed = false;
        for at in 0..self.files.len() {
            let edits: Vec<&Edit> = set
                .iter()
                .filter_map(|&candidate| self.edits[candidate].as_ref().ok())
                .filter(|(file, _)| *file == at)
                .map(|(_, edit)| edit)
                .collect();
            let file = &self.files[at];
            let text = edit::edited(&file.text, &edits);
            if copy != "changed" || text != file.now {
                let path = self.in_copy(copy).join(&file.relative);
                std::fs::write(&path, &text).map_err(Error::io(&path))?;
                is_header_changed |= !is_unit(&file.relative);
            }
            if copy == "changed" {
                self.files[at].now = text;
            }
        }
        if is_header_changed {
            tree::renew(&self.in_copy(copy))?;
        }
        Ok(())
    }

    /// The sources with some of the candidates, by name, as they are and with them.
    pub(crate) fn changes(&self, set: &[usize]) -> Vec<(String, Vec<u8>, Vec<u8>)> {
        let mut out = Vec::new();
        for (at, file) in self.files.iter().enumerate() {
            let of = |&candidate: &usize| self.edits[candidate].as_ref().ok().filter(|(own, _)| *own == at);
            let edits: Vec<&Edit> = set.iter().filter_map(of).map(|(_, edit)| edit).collect();
            let name = file.relative.to_string_lossy().into_owned();
            out.push((name, file.text.clone(), edit::edited(&file.text, &edits)));
        }
        out.sort();
        out
    }

    /// The candidate in whose loop a line of a source with some of the candidates stands.
    pub(crate) fn candidate_at(&self, set: &[usize], relative: &Path, line: usize) -> Option<usize> {
        let of = |candidate: usize| {
            let (file, edit) = self.edits[candidate].as_ref().ok()?;
            (self.files[*file].relative == relative).then_some(edit)
        };
        let moved = |place: usize| -> usize {
            let before = set.iter().filter_map(|&other| of(other)).filter(|edit| edit.at <= place);
            place + 1 + before.map(|edit| edit.lines.len() - 1).sum::<usize>()
        };
        set.iter().copied().find(|&candidate| {
            let last = self.candidates[candidate].last_line as usize;
            of(candidate).is_some_and(|edit| (moved(edit.at)..=moved(last.saturating_sub(1))).contains(&line))
        })
    }

    pub(crate) fn place(&self) -> &Path {
        self.place.path()
    }

    pub(crate) fn tree(&self) -> &Path {
        &self.tree
    }

    /// Builds and runs the program with some of the candidates.
    ///
    /// # Errors
    /// If files cannot be written, or the user interrupts.
    pub fn evaluate(&mut self, set: &[usize], effort: Effort) -> Result<Evaluation, Error> {
        let started = SystemTime::now();
        self.write("changed", set)?;
        let mut command = shell(&self.plan.build, &self.in_copy("changed"));
        command.env("PATH", &self.path).env(compilers::VARIABLE, compilers::FLAG);
        let failed = |reason| Ok(Evaluation { failure: Some(reason), measured: None });
        if let Some(said) = self.build(&mut command)? {
            return failed(Reason::DoesNotBuild(said));
        }
        let is_threaded = set.iter().any(|&candidate| self.candidates[candidate].is_threaded());
        // Make leaves what is up to date: a second off is no other build.
        let since = started - Duration::from_secs(1);
        if is_threaded && tree::uses_openmp(&self.in_copy("changed"), since) == Some(false) {
            return failed(Reason::NoOpenMp);
        }
        self.measure(effort)
    }

    /// What ThreadSanitizer says of the program with some of the candidates: by candidate the lines of races, and the rest.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn races(&mut self, set: &[usize]) -> Result<Found, Error> {
        races::look(self, set)
    }

    fn measure(&mut self, effort: Effort) -> Result<Evaluation, Error> {
        let mut times: Vec<Vec<f64>> = vec![Vec::new(); self.plan.threads.len()];
        // What else runs on the machine makes runs longer and never shorter.
        let mut least = vec![f64::INFINITY; self.plan.threads.len()];
        let mut agreement = Agreement::default();
        let mut failure = None;
        'rounds: for _ in 0..self.plan.rounds {
            let Ended::With(_, original) = self.run_original("original")? else {
                return Err(Error::Endless { seconds: self.plan.time_limit.as_secs() });
            };
            self.seconds.push(original);
            for ((&threads, times), least) in self.plan.threads.iter().zip(&mut times).zip(&mut least) {
                let mut command = shell(&self.plan.run, &self.in_copy("changed"));
                command.env("OMP_NUM_THREADS", threads.to_string());
                let files = ["found.out", "found.err"].map(|name| self.in_copy(name));
                let limit = self.limit();
                agreement.runs += 1;
                let reason = match run(&mut command, (&files[0], &files[1]), limit, self.interrupted)? {
                    Ended::TimedOut => Some(Reason::TimedOut(limit.as_secs())),
                    Ended::With(status, _) if status != self.status => Some(Reason::Status(status)),
                    Ended::With(_, seconds) => {
                        times.push(original / seconds.max(1e-9));
                        *least = least.min(seconds);
                        self.compare()?.map(Reason::Differs)
                    }
                };
                agreement.same += u32::from(reason.is_none());
                let is_last = matches!(reason, Some(Reason::TimedOut(_)));
                failure = failure.or(reason);
                if is_last || failure.is_some() && effort == Effort::Quick {
                    break 'rounds;
                }
            }
        }
        let speedups = self.plan.threads.iter().zip(&times).filter(|(_, times)| !times.is_empty());
        let speedups: Vec<Speedup> =
            speedups.map(|(&threads, times)| Speedup { threads, times: Spread::of(times) }).collect();
        let is_slower = |all: &[Speedup]| {
            let by_median = |a: &&Speedup, b: &&Speedup| a.times.median.total_cmp(&b.times.median);
            let best = all.iter().filter(|own| own.threads > 1).max_by(by_median).or_else(|| all.first());
            let original = Spread::of(&self.seconds);
            let of = |several: bool| move |(threads, _): &(&u32, &f64)| (**threads > 1) == several;
            let pairs = || self.plan.threads.iter().zip(&least);
            let shortest = |several: bool| pairs().filter(of(several)).map(|pair| *pair.1).reduce(f64::min);
            let shortest = shortest(true).or_else(|| shortest(false)).unwrap_or(0.0);
            // A single round that gained leaves it open.
            best.is_some_and(|best| best.times.median < SLOWER && best.times.greatest < 1.0)
                && original.least / shortest < SLOWER
                && shortest - original.least > STARTING
        };
        let failure = failure.or_else(|| is_slower(&speedups).then_some(Reason::Slower));
        Ok(Evaluation { failure, measured: Some(Held { agreement, speedups }) })
    }

    /// How the last output differs from that of the original.
    fn compare(&self) -> Result<Option<Difference>, Error> {
        let tolerance = match &self.plan.comparison {
            Comparison::Exact => None,
            Comparison::Tolerance(tolerance) => Some(*tolerance),
            Comparison::Command(line) => return self.ask(line),
        };
        Ok(difference(&self.expected, &self.read("found.out")?, tolerance))
    }

    /// Lets the user's command decide.
    fn ask(&self, line: &str) -> Result<Option<Difference>, Error> {
        let [expected, found] = ["expected.out", "found.out"].map(|name| self.in_copy(name));
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("{line} \"$@\"")).arg("sh").arg(&expected).arg(&found);
        command.current_dir(&self.tree).stdin(std::process::Stdio::null());
        command
            .env("LOOPWRIGHT_ORIGINAL", self.in_copy("original"))
            .env("LOOPWRIGHT_CHANGED", self.in_copy("changed"));
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let files = ["compare.out", "compare.err"].map(|name| self.in_copy(name));
        let ended = run(&mut command, (&files[0], &files[1]), self.plan.time_limit, self.interrupted)?;
        if matches!(ended, Ended::With(0, _)) {
            return Ok(None);
        }
        let shown = difference(&self.expected, &self.read("found.out")?, None);
        Ok(Some(shown.unwrap_or(Difference {
            line: 0,
            expected: String::new(),
            found: String::new(),
            close: false,
        })))
    }
}

/// Whether a source is compiled by itself.
fn is_unit(path: &Path) -> bool {
    let ending = path.extension().map(|own| own.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    matches!(
        ending.as_str(),
        "c" | "cc" | "cpp" | "cxx" | "c++" | "f" | "for" | "f77" | "f90" | "f95" | "f03" | "f08"
    )
}

/// What a build said, without the name of the copy: lines with an error, else the last ones.
fn said(err: &Path, out: &Path, place: &Path) -> String {
    let all = tail(err, 200);
    let errors: Vec<&str> = all.lines().filter(|line| line.contains("rror")).take(SAID).collect();
    let text = match (errors.is_empty(), all.is_empty()) {
        (false, _) => errors.join("\n"),
        (true, false) => tail(err, SAID),
        (true, true) => tail(out, SAID),
    };
    let place = place.to_string_lossy();
    ["/changed/", "/original/", "/sanitized/"]
        .iter()
        .fold(text, |text, copy| text.replace(&format!("{place}{copy}"), ""))
}
