//! The corpus of the static analyses of C: sources, and arguments to run them with.

use std::path::PathBuf;

use serde::Deserialize;

use crate::table::{TableError, directory, parse};

/// A source of the corpus.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Static {
    /// Its file, from the directory of the kernels.
    pub source: String,
    /// Arguments of each run.
    pub runs: Vec<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Corpus {
    kernel: Vec<Static>,
}

impl Static {
    /// Its name: that of the file without the ending.
    pub fn name(&self) -> &str {
        let file = self.source.rsplit('/').next().unwrap_or(&self.source);
        file.strip_suffix(".c").unwrap_or(file)
    }

    /// Its path.
    pub fn path(&self) -> PathBuf {
        directory().join(&self.source)
    }
}

/// Reads the corpus, `gpu/corpus.toml`.
pub fn corpus() -> Result<Vec<Static>, TableError> {
    parse::<Corpus>("gpu/corpus.toml").map(|corpus| corpus.kernel)
}
