//! clang, as it is installed.

use std::collections::BTreeMap;
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
        let tree = self.output(file, &["-fsyntax-only", "-w", "-Xclang", "-ast-dump=json"], options)?;
        let refused = |said: &str| Failure::Refused { file: file.to_owned(), said: said.to_owned() };
        let mut reader = serde_json::Deserializer::from_slice(&tree);
        // Every operator of an expression is a level deeper.
        reader.disable_recursion_limit();
        let root = Value::deserialize(&mut reader).map_err(|error| refused(&error.to_string()))?;
        Ok(Source::new(text, root))
    }

    /// The macros that are defined at the end of a C source: names and definitions.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn macros(&self, file: &Path, options: &[String]) -> Result<BTreeMap<String, String>, Failure> {
        let text = self.output(file, &["-E", "-dM", "-w"], options)?;
        let text = String::from_utf8_lossy(&text);
        let named = |line: &str| {
            let rest = line.strip_prefix("#define ")?;
            let name = rest.split(|part: char| !part.is_ascii_alphanumeric() && part != '_').next()?;
            Some((name.to_owned(), line.to_owned()))
        };
        Ok(text.lines().filter_map(named).collect())
    }

    /// What clang prints.
    fn output(&self, file: &Path, arguments: &[&str], options: &[String]) -> Result<Vec<u8>, Failure> {
        let mut command = Command::new(&self.program);
        command.args(arguments).args(options).arg(file);
        program::output(&mut command).map_err(|failure| match failure {
            program::Failure::Start(error) => Failure::Source(self.program.clone(), error),
            program::Failure::Said(said) => Failure::Refused {
                file: file.to_owned(),
                said: said.lines().next().unwrap_or("no reason given").to_owned(),
            },
        })
    }
}
