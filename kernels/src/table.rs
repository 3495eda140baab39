//! The table `expected.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

use crate::compile::Level;

/// The table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    kernel: Vec<Kernel>,
}

/// One program.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// File name in `kernels/`.
    pub source: String,
    /// Arguments for tests; the program's own defaults where empty.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Arguments per optimisation level for a run of at least half a second.
    #[serde(default)]
    pub bench: BTreeMap<Level, Vec<String>>,
    /// Arguments for a run of some tenths of a second, with which proposed code is compared with what is written; empty where
    /// none is proposed.
    #[serde(default)]
    pub proof: Vec<String>,
    /// A version of it in `advised/`, transformed by hand as the report advises.
    pub advised: Option<Advised>,
    /// What makes it hard for folding, if anything.
    #[serde(default)]
    pub hard_case: Option<HardCase>,
    /// Memory accesses follow from data rather than from counters.
    #[serde(default)]
    pub irregular: bool,
    /// Its innermost loops have some tens of iterations and fewer.
    #[serde(default)]
    pub short_rows: bool,
    /// Its loops.
    #[serde(rename = "loop")]
    pub loops: Vec<LoopTruth>,
    /// Loops, by marker, that may be interchanged with one another, outermost first.
    #[serde(default)]
    pub permutable: Vec<Vec<String>>,
}

/// How a version transformed by hand is measured beside the original, which `docs/GUIDE.md` does.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Advised {
    /// Arguments for a run that lets it show what it is worth.
    pub arguments: Vec<String>,
    /// About how many times as long as in a test loops are then.
    pub longer: u32,
}

/// What the published evaluations of folding find hard about a program.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HardCase {
    /// In words.
    pub name: String,
    /// The function it is in.
    pub function: String,
    /// Least share of the function that has to be affine, in percent.
    #[serde(default)]
    pub affine: u64,
}

/// What is true about one loop.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopTruth {
    /// Marker in the source.
    pub at: String,
    /// Function it is written in.
    pub function: String,
    /// Levels at which the compiler leaves no such loop.
    #[serde(default)]
    pub absent: Vec<Level>,
    /// Marker of the line where debug information places the loop, at levels where that is not the loop statement.
    #[serde(default)]
    pub placed: BTreeMap<Level, String>,
    /// The truth.
    #[serde(flatten)]
    pub truth: Expected,
    /// Where the compiled program differs from the source.
    #[serde(default)]
    pub at_level: BTreeMap<Level, Expected>,
}

/// The verdict and its evidence.
#[derive(Debug, Clone, Deserialize)]
pub struct Expected {
    /// The verdict.
    pub parallel: Parallel,
    /// Variables that have to be private, if that is a part of the truth.
    #[serde(default)]
    pub privatise: Vec<String>,
    /// Dependences that must be among those reported.
    #[serde(default)]
    pub blocking: Vec<Blocking>,
    /// Operator of a reduction that must be among those reported.
    #[serde(default)]
    pub operator: Option<String>,
    /// Class of the verdict: A, B or C.
    pub class: Option<String>,
    /// What has to become of variables, by variable.
    pub needs: Option<Vec<Need>>,
    /// Iterations that may run in lockstep, where not all may.
    pub lanes: Option<i64>,
}

/// What has to become of a variable.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Need {
    /// Its name.
    pub variable: String,
    /// `private`, `last-private`, `copy` or `expand`.
    pub way: String,
    /// Size of what it becomes.
    pub bytes: u64,
}

/// A verdict as the report writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parallel {
    /// Iterations are independent.
    Yes,
    /// Independent but for an associative accumulation.
    Reduction,
    /// Independent once the variables named are private.
    AfterPrivatisation,
    /// Not.
    No,
}

impl Parallel {
    /// The name in the report.
    pub fn name(self) -> &'static str {
        match self {
            Parallel::Yes => "yes",
            Parallel::Reduction => "reduction",
            Parallel::AfterPrivatisation => "after-privatisation",
            Parallel::No => "no",
        }
    }
}

/// A dependence that blocks a loop; what is absent is not asked.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blocking {
    /// `flow`, `anti` or `output`.
    pub kind: String,
    /// `memory` or `register`.
    pub via: Option<String>,
    /// Iterations between source and sink per loop, from the outermost loop of the kernel function.
    pub distance: Option<Vec<Distance>>,
    /// Name of the variable.
    pub object: Option<String>,
}

/// One component of a distance vector: a number, or `"*"` where it varies.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Distance {
    /// Always the same.
    Known(i64),
    /// Varies.
    Varies(String),
}

impl Kernel {
    /// Name: the file's without its extension.
    pub fn name(&self) -> &str {
        self.source.split('.').next().unwrap_or(&self.source)
    }

    /// The source file.
    pub fn path(&self) -> PathBuf {
        directory().join(&self.source)
    }

    /// The version transformed by hand, where there is one.
    pub fn advised_path(&self) -> PathBuf {
        directory().join("advised").join(&self.source)
    }

    /// Line number of every marker.
    pub fn lines(&self) -> Result<BTreeMap<String, u32>, TableError> {
        let path = self.path();
        let text = read(&path)?;
        let mut lines = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            let comment =
                line.find("/* @").map(|at| &line[at + 4..]).or(line.find("! @").map(|at| &line[at + 3..]));
            if let Some(comment) = comment {
                let marker = comment.split([' ', '*']).next().unwrap_or(comment).to_owned();
                if lines.insert(marker.clone(), index as u32 + 1).is_some() {
                    return Err(TableError::Twice { path, marker });
                }
            }
        }
        let markers = self.loops.iter().flat_map(|l| l.placed.values().chain([&l.at]));
        for at in markers.chain(self.permutable.iter().flatten()) {
            if !lines.contains_key(at) {
                return Err(TableError::Missing { path, marker: at.clone() });
            }
        }
        Ok(lines)
    }
}

impl LoopTruth {
    /// The marker that the loop is found by at a level.
    pub fn marker(&self, level: Level) -> &str {
        self.placed.get(&level).unwrap_or(&self.at)
    }

    /// What is true at a level; `None` if the compiler leaves no such loop there.
    pub fn at_level(&self, level: Level) -> Option<&Expected> {
        if self.absent.contains(&level) {
            None
        } else {
            Some(self.at_level.get(&level).unwrap_or(&self.truth))
        }
    }
}

/// Why the table cannot be used.
#[derive(Debug, Error)]
pub enum TableError {
    /// A file cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The table is not what it should be.
    #[error("kernels/{0}: {1}")]
    Syntax(&'static str, toml::de::Error),
    /// A marker stands on two lines.
    #[error("{}: the marker @{marker} stands on two lines", path.display())]
    Twice {
        /// The source.
        path: PathBuf,
        /// The marker.
        marker: String,
    },
    /// The table names a marker that the source has not.
    #[error("{}: there is no line with the marker @{marker}", path.display())]
    Missing {
        /// The source.
        path: PathBuf,
        /// The marker.
        marker: String,
    },
}

/// The directory of the kernels.
pub fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Reads the table.
pub fn load() -> Result<Vec<Kernel>, TableError> {
    parse::<Table>("expected.toml").map(|table| table.kernel)
}

/// Reads a table, by its file's path from the directory of the kernels.
pub(crate) fn parse<T: serde::de::DeserializeOwned>(file: &'static str) -> Result<T, TableError> {
    toml::from_str(&read(&directory().join(file))?).map_err(|error| TableError::Syntax(file, error))
}

fn read(path: &Path) -> Result<String, TableError> {
    std::fs::read_to_string(path).map_err(|error| TableError::Read { path: path.to_owned(), error })
}
