//! Compilers that switch OpenMP on by themselves.
//!
//! Makefiles set their own flags, and what is in the environment or on the command line of `make` replaces them. So the flag is
//! put where no build system can lose it: a directory in front of `PATH` has a script for each compiler that `PATH` leads to, which
//! calls that compiler with the flag.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// The flag, and the variable that has it for builds which do not look into `PATH`.
pub(crate) const FLAG: &str = "-fopenmp";
pub(crate) const VARIABLE: &str = "LOOPWRIGHT_OPENMP";

/// Names of compilers, without a version or the name of a machine.
const C: &[&str] = &["cc", "gcc", "clang", "c89", "c99", "icx"];
const CPP: &[&str] = &["c++", "g++", "clang++", "icpx"];
const FORTRAN: &[&str] = &["gfortran", "f77", "f95", "flang", "flang-new", "ifx"];

/// What the scripts call.
#[derive(Debug, Clone)]
pub(crate) enum With {
    /// Each compiler itself, with the flag.
    OpenMp,
    /// These compilers for C and C++ instead, with ThreadSanitizer.
    ThreadSanitizer { c: PathBuf, cpp: PathBuf },
}

/// Writes the scripts into a directory; gives the value of `PATH` that has them.
pub(crate) fn wrap(directory: &Path, with: &With) -> Result<std::ffi::OsString, Error> {
    std::fs::create_dir_all(directory).map_err(Error::io(directory))?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut seen = std::collections::BTreeSet::new();
    for place in std::env::split_paths(&path) {
        let Ok(entries) = std::fs::read_dir(&place) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(kind) = kind(&name) else { continue };
            let real = place.join(&name);
            let is_program =
                real.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0);
            if is_program && seen.insert(name.clone()) {
                script(&directory.join(&name), &real, kind, with)?;
            }
        }
    }
    let all = std::iter::once(directory.to_owned()).chain(std::env::split_paths(&path));
    // A directory whose name has a colon cannot be in it: temporary ones have none.
    Ok(std::env::join_paths(all).unwrap_or(path))
}

fn script(at: &Path, real: &Path, kind: Kind, with: &With) -> Result<(), Error> {
    let (program, flags) = match (with, kind) {
        (With::OpenMp, _) | (_, Kind::Fortran) => (real, FLAG.to_owned()),
        (With::ThreadSanitizer { c, .. }, Kind::C) => (c.as_path(), format!("{FLAG} -fsanitize=thread -g")),
        (With::ThreadSanitizer { cpp, .. }, Kind::Cpp) => {
            (cpp.as_path(), format!("{FLAG} -fsanitize=thread -g"))
        }
    };
    let quoted = program.to_string_lossy().replace('\'', "'\\''");
    let text = format!("#!/bin/sh\nexec '{quoted}' \"$@\" {flags}\n");
    std::fs::write(at, text).map_err(Error::io(at))?;
    std::fs::set_permissions(at, Permissions::from_mode(0o755)).map_err(Error::io(at))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    C,
    Cpp,
    Fortran,
}

/// What a program compiles, by its name: `x86_64-linux-gnu-gcc-12` is `gcc`.
fn kind(name: &str) -> Option<Kind> {
    let plain = match name.rsplit_once('-') {
        Some((plain, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => plain,
        _ => name,
    };
    let plain = plain.strip_prefix(&format!("{}-linux-gnu-", std::env::consts::ARCH)).unwrap_or(plain);
    [(C, Kind::C), (CPP, Kind::Cpp), (FORTRAN, Kind::Fortran)]
        .into_iter()
        .find_map(|(names, kind)| names.contains(&plain).then_some(kind))
}

/// Whether this clang can link programs for ThreadSanitizer: its runtime is often a package of its own.
fn links_for_threads(clang: &Path) -> bool {
    let Ok(directory) = tempfile::tempdir() else { return false };
    let source = directory.path().join("empty.c");
    if std::fs::write(&source, "int main(void) { return 0; }\n").is_err() {
        return false;
    }
    let mut command = std::process::Command::new(clang);
    command.args(["-fopenmp", "-fsanitize=thread", "-o"]).arg(directory.path().join("empty")).arg(&source);
    command.output().is_ok_and(|done| done.status.success())
}

/// clang with ThreadSanitizer and libomp, and Archer where that is installed: for C, for C++.
pub(crate) fn sanitizing() -> Option<(PathBuf, PathBuf, Option<PathBuf>)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = |name: &str| std::env::split_paths(&path).map(|at| at.join(name)).find(|file| file.is_file());
    let library = |clang: &Path, name: &str| -> Option<PathBuf> {
        let done = std::process::Command::new(clang).arg(format!("-print-file-name={name}")).output().ok()?;
        Some(PathBuf::from(String::from_utf8_lossy(&done.stdout).trim())).filter(|file| file.is_absolute())
    };
    let versions = (13..=30).rev().map(|version| format!("-{version}")).chain([String::new()]);
    versions.into_iter().find_map(|version| {
        let c = found(&format!("clang{version}"))?;
        let cpp = found(&format!("clang++{version}"))?;
        library(&c, "libomp.so")?;
        if !links_for_threads(&c) {
            return None;
        }
        let archer = library(&c, "libarcher.so");
        Some((c, cpp, archer))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_compilers() {
        assert_eq!(kind("gcc-12"), Some(Kind::C));
        assert_eq!(kind("clang++-19"), Some(Kind::Cpp));
        assert_eq!(kind(&format!("{}-linux-gnu-gfortran", std::env::consts::ARCH)), Some(Kind::Fortran));
        for other in ["gcc-ar", "gccgo", "clang-format-19", "ccache", "aarch65-linux-gnu-gcc"] {
            assert_eq!(kind(other), None, "{other}");
        }
    }

    #[test]
    fn scripts_call_the_compiler_with_the_flag() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = wrap(&directory.path().join("bin"), &With::OpenMp).expect("written");
        let done = std::process::Command::new("sh")
            .args(["-c", "echo | cc -dM -E -"])
            .env("PATH", path)
            .output()
            .expect("sh runs");
        assert!(String::from_utf8_lossy(&done.stdout).contains("_OPENMP"), "{done:?}");
    }
}
