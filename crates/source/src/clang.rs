//! clang, as it is installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

use crate::program;
use crate::tree::Source;

/// Versions whose programs carry their number in the name, newest first.
const VERSIONS: std::ops::RangeInclusive<u32> = 11..=23;

/// Why there is no syntax tree.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// No clang.
    #[error(
        "clang is not installed; code is cut from the source by its syntax tree (Debian: apt-get install clang)"
    )]
    Missing,
    /// The source cannot be read.
    #[error("{0}: {1}")]
    Source(PathBuf, std::io::Error),
    /// It is not C.
    #[error("{0} is not a C source")]
    Language(PathBuf),
    /// clang refused the source.
    #[error("clang refused {file}: {said}")]
    Refused {
        /// The source.
        file: PathBuf,
        /// The first line of what clang said.
        said: String,
    },
}

/// An installed clang.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clang {
    program: PathBuf,
}

impl Clang {
    /// The one in `PATH`: `clang`, else the newest `clang-N`.
    ///
    /// # Errors
    /// [`Failure::Missing`].
    pub fn find() -> Result<Clang, Failure> {
        let names = std::iter::once("clang".to_owned()).chain(VERSIONS.rev().map(|n| format!("clang-{n}")));
        program::find(names).map(|program| Clang { program }).ok_or(Failure::Missing)
    }

    /// Reads a C source with these options.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn read(&self, file: &Path, options: &[String]) -> Result<Source, Failure> {
        if !program::is_c_source(file) {
            return Err(Failure::Language(file.to_owned()));
        }
        let text = std::fs::read_to_string(file).map_err(|error| Failure::Source(file.to_owned(), error))?;
        let mut command = Command::new(&self.program);
        command.args(["-fsyntax-only", "-w", "-Xclang", "-ast-dump=json"]).args(options).arg(file);
        let refused = |said: &str| Failure::Refused { file: file.to_owned(), said: said.to_owned() };
        let tree = program::output(&mut command).map_err(|failure| match failure {
            program::Failure::Start(error) => Failure::Source(self.program.clone(), error),
            program::Failure::Said(said) => refused(said.lines().next().unwrap_or("no reason given")),
        })?;
        let mut reader = serde_json::Deserializer::from_slice(&tree);
        // Every operator of an expression is a level deeper.
        reader.disable_recursion_limit();
        let root = Value::deserialize(&mut reader).map_err(|error| refused(&error.to_string()))?;
        Ok(Source::new(text, root))
    }
}
