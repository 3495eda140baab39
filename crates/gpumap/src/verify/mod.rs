//! Runs what is emitted beside the sequential program, before it is shown.
//!
//! A function is called twice with the same made-up inputs, in two programs: as it is written, and with one directive before a loop or one
//! kernel in its place. Numbers are small and differ from each other; arrays hold exactly the bytes that the function uses of them, by the
//! analyses, between pages that may not be touched, at the start of their pages or at the end. Both programs print what the function
//! returns and what arrays and global variables hold afterwards, the bytes around arrays among it. The device is LLVM's plugin for hosts, which
//! has memory of its own and copies what clauses name, or PoCL.
//!
//! A reduction of floating-point numbers may add in another order: such numbers may differ by [`TOLERANCE`].
//!
//! Limits: functions whose arguments are numbers and pointers to numbers, or to structures of numbers; inputs on which the function as it is
//! written does not end well are left out.
//!
//! - `inputs`: what a function is called with; `program`: both programs, and runs of them.

mod inputs;
mod program;

use std::path::Path;

pub use inputs::{Inputs, Unmade};
pub use program::Change;

use program::{Built, Ended};

/// Inputs that are tried.
const TRIES: u32 = 6;
/// How much numbers may differ, as a part of the greater one, that a reduction made.
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
    /// Whether numbers may differ by what the order of a reduction makes.
    pub is_reduced: bool,
}

/// Runs both programs.
pub fn check(of: Check<'_>) -> Verdict {
    let plain = match Built::new(of, None) {
        Ok(plain) => plain,
        Err(program::Failure::Compiler(said)) => return Verdict::NotRun(NotRun::Compiler(said)),
        Err(program::Failure::Missing(what)) => return Verdict::NotRun(NotRun::Missing(what)),
    };
    let changed = match Built::new(of, Some(of.change)) {
        Ok(changed) => changed,
        Err(program::Failure::Compiler(said)) => return Verdict::Other(Fault::Compiler(said)),
        Err(program::Failure::Missing(what)) => return Verdict::NotRun(NotRun::Missing(what)),
    };
    let mut same = 0;
    for seed in 0..TRIES {
        let Ended::Well(expected) = plain.run(seed) else { continue };
        let Ended::Well(printed) = changed.run(seed) else { return Verdict::Other(Fault::Failed(seed)) };
        if !is_same(&expected, &printed, of.is_reduced) {
            return Verdict::Other(Fault::Differs(seed));
        }
        same += 1;
    }
    if same == 0 { Verdict::NotRun(NotRun::Failed) } else { Verdict::Same(same) }
}

/// Whether two programs printed the same words, numbers with a point alike where that is allowed.
fn is_same(expected: &str, printed: &str, is_reduced: bool) -> bool {
    let (mut a, mut b) = (expected.split_whitespace(), printed.split_whitespace());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(x), Some(y)) if x == y => {}
            (Some(x), Some(y)) if is_reduced => {
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
