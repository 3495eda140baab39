//! Programs of other projects, as they are installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The first of these names that `PATH` has as a file.
pub fn find(names: impl IntoIterator<Item = String>) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names.into_iter().find_map(|name| {
        directories.iter().map(|directory| directory.join(&name)).find(|program| program.is_file())
    })
}

/// Why a program gave no output.
#[derive(Debug)]
pub enum Failure {
    /// It could not be started.
    Start(std::io::Error),
    /// It ended with a failure; what it said on standard error.
    Said(String),
}

/// Runs a command without input; gives its standard output.
///
/// # Errors
/// See [`Failure`].
pub fn output(command: &mut Command) -> Result<Vec<u8>, Failure> {
    let output = command.stdin(Stdio::null()).output().map_err(Failure::Start)?;
    if !output.status.success() {
        return Err(Failure::Said(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(output.stdout)
}

/// Whether a file's name ends as that of a C source.
pub fn is_c_source(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "c")
}

/// Whether a file's name ends as that of a C++ source.
pub fn is_cpp_source(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| matches!(extension, "cc" | "cpp" | "cxx" | "c++" | "C"))
}
