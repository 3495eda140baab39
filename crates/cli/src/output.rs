//! Where reports go.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use report::plain::plain;
use serde::Serialize;

/// Whether a file asked for is standard output: none, or `-`.
pub fn is_standard(file: Option<&Path>) -> bool {
    file.is_none_or(|path| path == Path::new("-"))
}

/// Writes a text to a file, replaced as a whole, or to standard output.
///
/// # Errors
/// The file or standard output that cannot be written; a reader that has seen enough is no error.
pub fn print(text: &str, file: Option<&Path>, quiet: bool) -> Result<()> {
    let text = &*plain(text);
    let Some(path) = file.filter(|_| !is_standard(file)) else {
        return match std::io::stdout().lock().write_all(text.as_bytes()) {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            other => other.context("standard output"),
        };
    };
    profile::file::replace(path, |file| file.write_all(text.as_bytes()))
        .with_context(|| format!("{} could not be written", path.display()))?;
    if !quiet {
        // The report is written; nobody to tell is no error.
        let _ = writeln!(anstream::stderr(), "Report: {}", path.display());
    }
    Ok(())
}

/// JSON for people and programs, ending in a newline.
///
/// # Errors
/// Never for what this program prints.
pub fn json(value: &impl Serialize) -> Result<String> {
    let mut text = serde_json::to_string_pretty(value).context("JSON")?;
    text.push('\n');
    Ok(text)
}
