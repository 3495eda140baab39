//! Text to paste into a source.
//!
//! - [`mod@expression`]: polynomials and bounds as expressions of C; [`mod@directive`]: directives of OpenMP and OpenACC;
//! - [`mod@kernel`]: kernels with what their hosts have to know; `naming`: what things are called in them; [`tile`]: their copies in
//!   shared memory; [`body`]: their text; `host`: what hosts have in common; [`opencl`], [`cuda`]: whole files; `functions`:
//!   those that devices compute in another way.

pub mod body;
pub mod cuda;
pub mod directive;
pub mod expression;
mod functions;
pub mod host;
pub mod kernel;
mod naming;
pub mod opencl;
pub mod tile;

pub use directive::{Dialect, Refusal, directive};
pub use kernel::{Kernel, Request, kernel};

use std::collections::BTreeMap;

use source::Language;

/// What kernels and their hosts are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelLanguage {
    /// OpenCL C, with hosts in C.
    OpenCl,
    /// CUDA C++.
    Cuda,
}

impl KernelLanguage {
    /// How it differs from C.
    pub fn differences(self) -> Language {
        match self {
            KernelLanguage::OpenCl => opencl::WORDS.language,
            KernelLanguage::Cuda => cuda::WORDS.language,
        }
    }

    /// A file with these kernels for loops of a source, whose definitions of macros are given by name.
    pub fn file(self, source: &str, kernels: &[Kernel], macros: &BTreeMap<String, String>) -> String {
        match self {
            KernelLanguage::OpenCl => opencl::file(source, kernels, macros),
            KernelLanguage::Cuda => cuda::file(source, kernels, macros),
        }
    }
}
