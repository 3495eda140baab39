//! Runs what is emitted beside the sequential program, before it is shown.
//!
//! A function is called twice with the same made-up inputs, in two programs: as it is written, and with one directive before a loop or one
//! kernel in its place. Numbers are small and differ from each other; arrays hold exactly the bytes that the function uses of them, by the
//! analyses, between pages that may not be touched, at the start of their pages or at the end. Both programs print what the function
//! returns and what arrays and global variables hold afterwards, the bytes around arrays among it. The device is LLVM's plugin for hosts, which
//! has memory of its own and copies what clauses name; PoCL for OpenCL; a GPU for CUDA. Where there is none, programs can be written for a
//! machine that has one ([`export`]).
//!
//! A reduction of floating-point numbers may add in another order, and a device has a library of its own for functions such as `exp`: such
//! numbers may differ by [`TOLERANCE`].
//!
//! Limits: functions whose arguments are numbers and pointers to numbers, or to structures of numbers; inputs on which the function as it is
//! written does not end well are left out.
//!
//! - `inputs`: what a function is called with; `program`: sources of both programs; `build`: how they are compiled and run; `cuda`:
//!   CUDA's compiler.

mod build;
mod cuda;
mod inputs;
mod program;

use std::path::Path;

pub use build::COMPILED;
pub use cuda::{KERNELS, LINKED};
pub use inputs::{Inputs, Unmade};
pub use program::{Change, Files};

use build::{Built, Ended, Failure};
use source::program::is_cpp_source;

/// Inputs that are tried.
const TRIES: u32 = 6;
/// How much numbers may differ, as a part of the greater one, that a reduction or a function of a device's library made.
pub const TOLERANCE: f64 = 1e-5;

/// What running showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Both programs printed the same on so many inputs.
    Same(u32),
    /// They did not, or the changed one does not compile or end.
    Other(Fault),
    /// It could not be run.
    NotRun(NotRun),
}

/// What is wrong with something emitted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The compiler refuses it.
    #[error("it does not compile: {0}")]
    Compiler(String),
    /// The changed program failed, or did not end in time.
    #[error("the program with it fails (inputs {0})")]
    Failed(u32),
    /// It printed something else.
    #[error("the program with it computes something else (inputs {0})")]
    Differs(u32),
}

/// Why something was not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotRun {
    /// There are no inputs.
    #[error(transparent)]
    Inputs(#[from] Unmade),
    /// The program as it is written does not compile by itself.
    #[error("the source with a call of the function does not compile by itself: {0}")]
    Compiler(String),
    /// The program as it is written failed on all inputs.
    #[error("the function as it is written fails on all inputs that were tried")]
    Failed,
    /// There is no compiler for CUDA.
    #[error("nvcc is not installed")]
    Nvcc,
    /// There is no device for CUDA.
    #[error("no GPU of NVIDIA's is here")]
    Gpu,
    /// Files or programs are missing.
    #[error("{0}")]
    Missing(String),
}

/// What is compared.
#[derive(Debug, Clone, Copy)]
pub struct Check<'a> {
    /// The compiler.
    pub clang: &'a Path,
    /// The source.
    pub file: &'a Path,
    /// Options for the compiler.
    pub options: &'a [String],
    /// What the function is called with.
    pub inputs: &'a Inputs,
    /// What is changed.
    pub change: &'a Change,
    /// Whether numbers may differ by what the order of a reduction makes, or functions of the device.
    pub is_inexact: bool,
}

impl Check<'_> {
    /// Whether the source is one of C++.
    fn is_cpp(&self) -> bool {
        is_cpp_source(self.file)
    }
}

/// A program for another machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// Its files.
    pub files: Files,
    /// What it has to print, by the number of its inputs.
    pub expected: Vec<(u32, String)>,
}

/// Writes the files of the changed program into a directory, and runs the function as it is written.
///
/// # Errors
/// Why it cannot be run.
pub fn export(of: Check<'_>, directory: &Path) -> Result<Exported, NotRun> {
    let plain = as_written(of)?;
    let expected: Vec<(u32, String)> = (0..TRIES)
        .filter_map(|seed| match plain.run(seed) {
            Ended::Well(printed) => Some((seed, printed)),
            Ended::Failed => None,
        })
        .collect();
    if expected.is_empty() {
        return Err(NotRun::Failed);
    }
    let files = program::write(directory, of, Some(of.change));
    let files = files.map_err(|error| NotRun::Missing(error.to_string()))?;
    Ok(Exported { files, expected })
}

/// The program that calls the function as it is written.
fn as_written(of: Check<'_>) -> Result<Built, NotRun> {
    Built::new(of, None).map_err(|failure| match failure {
        Failure::Compiler(said) => NotRun::Compiler(said),
        Failure::Missing(why) => why,
    })
}

/// Runs both programs.
pub fn check(of: Check<'_>) -> Verdict {
    let plain = match as_written(of) {
        Ok(plain) => plain,
        Err(why) => return Verdict::NotRun(why),
    };
    let changed = match Built::new(of, Some(of.change)) {
        Ok(changed) => changed,
        Err(Failure::Compiler(said)) => return Verdict::Other(Fault::Compiler(said)),
        Err(Failure::Missing(why)) => return Verdict::NotRun(why),
    };
    let mut same = 0;
    for seed in 0..TRIES {
        let Ended::Well(expected) = plain.run(seed) else { continue };
        let Ended::Well(printed) = changed.run(seed) else { return Verdict::Other(Fault::Failed(seed)) };
        if !is_same(&expected, &printed, of.is_inexact) {
            return Verdict::Other(Fault::Differs(seed));
        }
        same += 1;
    }
    if same == 0 { Verdict::NotRun(NotRun::Failed) } else { Verdict::Same(same) }
}

/// Whether two programs printed the same words, numbers with a point alike where that is allowed.
fn is_same(expected: &str, printed: &str, is_inexact: bool) -> bool {
    let (mut a, mut b) = (expected.split_whitespace(), printed.split_whitespace());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(x), Some(y)) if x == y => {}
            (Some(x), Some(y)) if is_inexact => {
                let (Ok(x), Ok(y)) = (x.parse::<f64>(), y.parse::<f64>()) else { return false };
                let is_close = (x - y).abs() <= TOLERANCE * x.abs().max(y.abs());
                if !is_close {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_same;

    #[test]
    fn numbers_of_reductions_may_differ_a_little() {
        assert!(is_same("a 1.0 7", "a 1.0 7", false));
        assert!(!is_same("a 1.0 7", "a 1.00000001 7", false));
        assert!(is_same("a 1.0 7", "a 1.00000001 7", true));
        assert!(!is_same("a 1.0", "a 1.1", true));
        assert!(!is_same("a 1.0", "a", true));
        assert!(!is_same("a nan", "b nan", true));
    }
}
