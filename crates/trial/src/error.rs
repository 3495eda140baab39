//! What keeps a trial from taking place.

use std::path::PathBuf;

/// Why nothing could be tried.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file system refused.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The tree has more than is copied.
    #[error("{0} has more than {1} GiB: give the directory of the sources alone with --directory")]
    TooLarge(PathBuf, u64),
    /// The original does not build.
    #[error("the build command fails on an unchanged copy of {directory}: {said}")]
    Build {
        /// The user's tree.
        directory: PathBuf,
        /// The end of what it said.
        said: String,
    },
    /// The build command writes where it must not.
    #[error(
        "the build command changed {0}, outside of the copy that it was run in: nothing was tried; the tree names its own place \
         somewhere, so configure it anew in the build command"
    )]
    WritesOutside(PathBuf),
    /// The original ends by a signal, or cannot be run.
    #[error("the original does not run: `{command}` ended with status {status}{said}")]
    Run {
        /// The command.
        command: String,
        /// 128 and the signal for those that were killed.
        status: i32,
        /// What it said, after a colon.
        said: String,
    },
    /// The original does not end.
    #[error(
        "the original did not end within {seconds} seconds: give a smaller input, or more time with --time-limit"
    )]
    Endless {
        /// The limit.
        seconds: u64,
    },
    /// The original prints something else each time.
    #[error(
        "two runs of the original print different things (line {line}: `{first}` and `{second}`): say with --compare 'COMMAND' what \
         counts (it gets two files, and exit status 0 means the same), or let numbers differ with --tolerance"
    )]
    Unsteady {
        /// The first line that differs, from 1.
        line: usize,
        /// It in the first run.
        first: String,
        /// It in the second.
        second: String,
    },
    /// There is no compiler with ThreadSanitizer.
    #[error(
        "--sanitize takes clang with the runtime of ThreadSanitizer and libomp: install clang, libomp-dev and libclang-rt-dev of one version"
    )]
    NoSanitizer,
    /// The user has interrupted it.
    #[error("interrupted: nothing is kept")]
    Interrupted,
}

impl Error {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { path, source }
    }
}
