//! Sources of the corpus with a profile, and what `loopwright gpu --emit` makes of them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The program under test.
const LOOPWRIGHT: &str = env!("CARGO_BIN_EXE_loopwright");

/// A program of the corpus, compiled, and recorded once.
pub struct Recorded {
    /// Where it lies.
    pub place: TempDir,
    pub source: PathBuf,
    /// Arguments of its runs.
    pub runs: Vec<Vec<String>>,
    profile: PathBuf,
}

impl Recorded {
    /// The source of this name, with a profile of its largest run.
    pub fn new(name: &str) -> Recorded {
        let corpus = kernels::corpus().unwrap();
        let kernel = corpus.iter().find(|kernel| kernel.name() == name).unwrap();
        Recorded::of(&kernel.path(), kernel.runs.clone())
    }

    /// A source with the arguments of its runs, with a profile of the largest.
    pub fn of(source: &Path, runs: Vec<Vec<String>>) -> Recorded {
        let place = tempfile::tempdir().unwrap();
        let program = place.path().join("program");
        checked(Command::new("gcc").args(["-g", "-O1", "-o"]).arg(&program).arg(source).arg("-lm"));
        let profile = place.path().join("program.lwp");
        let size =
            |run: &&Vec<String>| run.iter().filter_map(|number| number.parse::<u64>().ok()).sum::<u64>();
        let largest = runs.iter().max_by_key(size).unwrap();
        let mut command = Command::new(LOOPWRIGHT);
        checked(
            command.args(["profile", "--quiet", "-o"]).arg(&profile).arg("--").arg(&program).args(largest),
        );
        Recorded { place, source: source.to_owned(), runs, profile }
    }

    /// What `loopwright gpu --emit` prints, with these options too.
    pub fn emitted(&self, kind: &str, options: &[&str]) -> String {
        let mut command = Command::new(LOOPWRIGHT);
        command.arg("gpu").arg(&self.source).args(["--emit", kind, "--profile"]).arg(&self.profile);
        command.args(options);
        String::from_utf8(checked(&mut command).stdout).unwrap()
    }

    /// What the program as it is written prints, run by run.
    pub fn expected(&self) -> Vec<Vec<u8>> {
        let program = self.place.path().join("program");
        self.runs.iter().map(|run| checked(Command::new(&program).args(run)).stdout).collect()
    }

    /// Whether each run of a command ends and prints what is expected.
    pub fn agrees(&self, expected: &[Vec<u8>], command: impl Fn() -> Command) -> bool {
        self.runs.iter().zip(expected).all(|(run, expected)| {
            let output = command().args(run).output().unwrap();
            output.status.success() && output.stdout == *expected
        })
    }
}

/// Runs a command that has to succeed.
pub fn checked(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}
