//! What a trial found, as data.

use serde::{Deserialize, Serialize};

use crate::edit::NotApplied;

/// The schema of a stored outcome.
pub const SCHEMA: &str = "loopwright.try/1";

/// What became of all directives of a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// [`SCHEMA`].
    pub schema: String,
    /// The profile whose directives they are.
    pub profile: Identity,
    /// The build command.
    pub build: String,
    /// The command that was run.
    pub run: String,
    /// Numbers of threads.
    pub threads: Vec<u32>,
    /// How often each program was run with each number of threads.
    pub rounds: u32,
    /// How outputs were compared.
    pub comparison: Comparison,
    /// The program as it is written.
    pub original: Original,
    /// All directives that held, together; `None` if none did.
    pub together: Option<Held>,
    /// What ThreadSanitizer saw of those that held, if that was asked for.
    pub races: Option<Races>,
    /// The directives, in the order of the report.
    pub directives: Vec<Tried>,
}

/// A profile, as far as its name goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Bytes of the file.
    pub bytes: u64,
    /// Their CRC-32.
    pub crc32: u32,
}

/// How outputs are compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Comparison {
    /// Byte by byte.
    Exact,
    /// Numbers may differ by this share of the greater one.
    Tolerance(f64),
    /// This command decides: it gets two files.
    Command(String),
}

/// The program as it is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Original {
    /// Seconds that it takes.
    pub seconds: Spread,
    /// Its exit status.
    pub status: i32,
    /// How two of its runs differ, if they do.
    pub differs: Option<Difference>,
}

/// A measurement that was repeated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Median.
    pub median: f64,
    /// Least.
    pub least: f64,
    /// Greatest.
    pub greatest: f64,
}

impl Spread {
    /// Of some values; zeros of none.
    pub fn of(values: &[f64]) -> Spread {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        let (Some(&least), Some(&greatest)) = (values.first(), values.last()) else {
            return Spread::default();
        };
        let (low, high) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
        Spread { median: low.midpoint(high), least, greatest }
    }
}

/// How many times as fast as the original, with a number of threads.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Speedup {
    /// Threads.
    pub threads: u32,
    /// Time of the original by that of the changed program, run in turn.
    pub times: Spread,
}

/// How often the output was that of the original.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// Runs with the same output and exit status.
    pub same: u32,
    /// Runs.
    pub runs: u32,
}

/// Measurements of a program with directives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// Outputs.
    pub agreement: Agreement,
    /// By number of threads.
    pub speedups: Vec<Speedup>,
}

impl Held {
    /// The number of threads with which it is fastest.
    pub fn best(&self) -> Option<Speedup> {
        self.speedups.iter().copied().max_by(|a, b| a.times.median.total_cmp(&b.times.median))
    }
}

/// What became of one directive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The loop's name in reports.
    #[serde(rename = "loop")]
    pub loop_id: String,
    /// Its file, as the profile names it.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// The directive.
    pub directive: String,
    /// Kept or dropped.
    pub fate: Fate,
    /// Measurements with this directive, if the program ran with it.
    pub measured: Option<Held>,
    /// These are of it alone, without the other directives.
    pub alone: bool,
}

/// Whether a directive held.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// It did.
    Kept,
    /// It did not.
    Dropped(Reason),
}

/// Why a directive did not hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It could not be written into the source.
    NotApplied(NotApplied),
    /// The program does not build with it; what the compiler said.
    DoesNotBuild(String),
    /// It is built without OpenMP.
    NoOpenMp,
    /// The output differs.
    Differs(Difference),
    /// The program ends with this status instead.
    Status(i32),
    /// The program did not end within so many seconds.
    TimedOut(u64),
    /// The program takes longer.
    Slower,
    /// ThreadSanitizer saw a race; the lines in question.
    Race(Vec<String>),
    /// Alone it held, together with others that are kept it did not.
    Together,
}

/// The first difference between two outputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Line, from 1; 0 where a command decided.
    pub line: usize,
    /// What was to be there.
    pub expected: String,
    /// What is there.
    pub found: String,
    /// All that differs are numbers, by less than a millionth.
    pub close: bool,
}

/// What ThreadSanitizer saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Races {
    /// The compiler.
    pub compiler: String,
    /// Archer told it what OpenMP synchronises.
    pub archer: bool,
    /// Why it could not be run, if so.
    pub failed: Option<String>,
    /// Races in lines of no directive's loop.
    pub elsewhere: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads() {
        assert_eq!(Spread::of(&[3.0, 1.0, 2.0]), Spread { median: 2.0, least: 1.0, greatest: 3.0 });
        assert_eq!(Spread::of(&[4.0, 1.0, 2.0, 3.0]).median, 2.5);
        assert_eq!(Spread::of(&[]), Spread::default());
    }
}
