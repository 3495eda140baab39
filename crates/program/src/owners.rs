//! Runtimes of OpenMP, and the libraries below them, by the names of their files.
//!
//! Definition: a runtime is what compilers have a program call to run its parallel regions: GCC's `libgomp`, LLVM's `libomp` and
//! Intel's `libiomp5`. Base libraries are those that a runtime itself calls, and that never call a program from there: the C library
//! with its parts, the loader, the compiler's own.

use std::path::Path;

use trace::sink::Owner;

/// Names of runtimes, as far as their versions.
const RUNTIMES: [&str; 3] = ["libgomp", "libomp", "libiomp5"];
/// Names of base libraries, likewise.
const BASE: [&str; 17] = [
    "libc",
    "libm",
    "libmvec",
    "libpthread",
    "libdl",
    "librt",
    "libgcc_s",
    "libstdc++",
    "libc++",
    "libc++abi",
    "ld",
    "ld-linux",
    "ld-linux-x86-64",
    "libnuma",
    "libhwloc",
    "libelf",
    "libffi",
];

/// Whose code a library's file has.
pub fn owner(path: &Path) -> Owner {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let is = |own: &&str| is_version_of(&name, own);
    if RUNTIMES.iter().any(is) {
        Owner::Runtime
    } else if BASE.iter().any(is) || name.starts_with("ld-musl") {
        Owner::Base
    } else {
        Owner::Library
    }
}

/// Whether a library's file is one of the C library, its companions, or what compilers link to every program of a language: those look at what calls
/// of their own have left in `errno`, never at what was there before.
pub fn is_of_language(path: &Path) -> bool {
    const FURTHER: [&str; 3] = ["libgfortran", "libquadmath", "libatomic"];
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    owner(path) != Owner::Library || FURTHER.iter().any(|own| is_version_of(&name, own))
}

/// Whether a file's name is that of a library with a version: `libgomp.so.1.0.0`, `libc-2.31.so`.
pub fn is_version_of(name: &str, library: &str) -> bool {
    let is_version = |text: &str| text.chars().all(|c| c.is_ascii_digit() || c == '.');
    name.strip_prefix(library).is_some_and(|rest| {
        rest.strip_prefix(".so").is_some_and(is_version)
            || rest.strip_prefix('-').and_then(|rest| rest.strip_suffix(".so")).is_some_and(is_version)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_of_files() {
        let of = |path: &str| owner(Path::new(path));
        for runtime in
            ["/usr/lib/libgomp.so.1.0.0", "/lib/libomp.so.5", "/opt/intel/libiomp5.so", "libgomp.so"]
        {
            assert_eq!(of(runtime), Owner::Runtime, "{runtime}");
        }
        for base in [
            "/lib/libc.so.6",
            "/lib/libc-2.31.so",
            "ld-linux-x86-64.so.2",
            "ld-2.31.so",
            "ld-musl-x86_64.so.1",
        ] {
            assert_eq!(of(base), Owner::Base, "{base}");
        }
        for library in [
            "/lib/libgompa.so",
            "/lib/libmylib.so",
            "/lib/libomptarget.so",
            "/lib/libcrypto.so.3",
            "/lib/libopenblas.so.0",
        ] {
            assert_eq!(of(library), Owner::Library, "{library}");
        }
    }
}
