//! Compiling the kernels as a user would.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use thiserror::Error;

use crate::table::Kernel;

/// An optimisation level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
pub enum Level {
    /// `-O0`
    O0,
    /// `-O1`
    O1,
    /// `-O2`
    O2,
    /// `-O3` for processors with AVX2: what a test sees must not depend on the machine
    O3,
}

impl Level {
    /// All of them.
    pub const ALL: [Level; 4] = [Level::O0, Level::O1, Level::O2, Level::O3];
    /// Those at which times are measured.
    pub const MEASURED: [Level; 3] = [Level::O0, Level::O2, Level::O3];

    /// The compiler's flags.
    pub fn flags(self) -> &'static [&'static str] {
        match self {
            Level::O0 => &["-O0"],
            Level::O1 => &["-O1"],
            Level::O2 => &["-O2"],
            Level::O3 => &["-O3", "-march=x86-64-v3"],
        }
    }
}

/// A processor that kernels are compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Processor {
    /// The one that this runs on.
    Native,
    /// 64-bit ARM, by a cross compiler; C alone.
    Aarch64,
    /// 64-bit RISC-V, by a cross compiler; C alone.
    Riscv64,
}

impl Processor {
    /// QEMU's program for it and where its libraries are, where this processor cannot run its programs.
    pub fn emulator(self) -> Option<(&'static str, &'static str)> {
        match self {
            Processor::Native => None,
            Processor::Aarch64 => Some(("qemu-aarch64", "/usr/aarch64-linux-gnu")),
            Processor::Riscv64 => Some(("qemu-riscv64", "/usr/riscv64-linux-gnu")),
        }
    }

    fn flags(self, level: Level) -> &'static [&'static str] {
        match (self, level) {
            (Processor::Native, level) => level.flags(),
            (_, Level::O3) => &["-O3"],
            (_, level) => level.flags(),
        }
    }

    fn command(self, language: Compiler) -> (&'static str, &'static [&'static str]) {
        let (name, flags) = language.command();
        match self {
            Processor::Native => (name, flags),
            Processor::Aarch64 => ("aarch64-linux-gnu-gcc", flags),
            Processor::Riscv64 => ("riscv64-linux-gnu-gcc", flags),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.flags().join(" "))
    }
}

/// A compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compiler {
    /// C99.
    C,
    /// C++17.
    Cpp,
    /// Fortran 2008.
    Fortran,
}

impl Compiler {
    /// The one for a source file.
    pub fn of(source: &str) -> Compiler {
        match source.rsplit('.').next() {
            Some("cpp") => Compiler::Cpp,
            Some("f90" | "f") => Compiler::Fortran,
            _ => Compiler::C,
        }
    }

    /// Its command and the flags every program gets.
    fn command(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Compiler::C => ("cc", &["-std=gnu99", "-g"]),
            Compiler::Cpp => ("c++", &["-std=c++17", "-g"]),
            Compiler::Fortran => ("gfortran", &["-std=f2008", "-g"]),
        }
    }
}

/// Why a kernel could not be compiled.
#[derive(Debug, Error)]
pub enum Error {
    /// There is no such compiler.
    #[error(
        "`{0}` cannot be run ({1}); `cargo xtask ci` installs it when run as root, by hand: apt-get install gcc g++ gfortran \
         gcc-aarch64-linux-gnu gcc-riscv64-linux-gnu"
    )]
    Missing(&'static str, std::io::Error),
    /// The compiler complained.
    #[error("{} at {level}: {messages}", source_file.display())]
    Refused {
        /// The source.
        source_file: PathBuf,
        /// The level.
        level: Level,
        /// What the compiler wrote.
        messages: String,
    },
}

/// A compiled kernel.
#[derive(Debug, Clone)]
pub struct Program {
    /// The executable.
    pub path: PathBuf,
    /// How it was compiled.
    pub level: Level,
}

/// The command that compiles a kernel, run in the directory where it is, into a file of this name.
pub fn command_line(kernel: &Kernel, level: Level, to: &str) -> String {
    let (name, flags) = Compiler::of(&kernel.source).command();
    format!("{name} {} {level} -o {to} {} -lm", flags.join(" "), kernel.source)
}

/// Compiles a kernel into a directory.
///
/// # Errors
/// If there is no compiler, or it refuses the source.
pub fn compile(kernel: &Kernel, level: Level, directory: &Path) -> Result<Program, Error> {
    compile_for(kernel, Processor::Native, level, directory)
}

/// The same for a processor.
///
/// # Errors
/// If there is no compiler, or it refuses the source.
pub fn compile_for(
    kernel: &Kernel,
    processor: Processor,
    level: Level,
    directory: &Path,
) -> Result<Program, Error> {
    let (name, flags) = processor.command(Compiler::of(&kernel.source));
    let path = directory.join(match processor {
        Processor::Native => format!("{}.{level:?}", kernel.name()),
        other => format!("{}.{other:?}.{level:?}", kernel.name()),
    });
    let output = Command::new(name)
        .current_dir(directory)
        .args(flags)
        .args(processor.flags(level))
        .arg("-o")
        .arg(&path)
        .arg(kernel.path())
        .arg("-lm")
        .output()
        .map_err(|error| Error::Missing(name, error))?;
    if output.status.success() {
        return Ok(Program { path, level });
    }
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(Error::Refused { source_file: kernel.path(), level, messages })
}
