//! Files: which are read, and why others are not.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use profile::lens::{FileLoops, Language};

use super::arms::{Arms, CompiledFiles, Given, Names, Unfollowed};
use super::fortran::{Modules, Outside};
use super::includes;

/// Files beyond this are not read, in bytes.
pub const LARGEST: u64 = 8 << 20;

/// Why a file is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// There is no such file.
    #[error("{}: no such file", .0.display())]
    Missing(PathBuf),
    /// It was changed after the program was built: it may not be what ran.
    #[error("{}: changed after the program was built; build it again", .0.display())]
    Newer(PathBuf),
    /// It is larger than [`LARGEST`].
    #[error("{}: {bytes} bytes, more than {LARGEST}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// Its name is not that of a source file in a language that is read.
    #[error("{}: no C, C++, Fortran or Rust source by its name", .0.display())]
    NotSource(PathBuf),
    /// It is a directory, a device or the like.
    #[error("{}: no regular file", .0.display())]
    NotAFile(PathBuf),
    /// It has bytes that no text has.
    #[error("{}: no text", .0.display())]
    NotText(PathBuf),
    /// The system refused.
    #[error("{}: {reason}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
}

/// The language that a file name stands for. Headers (`.h`) are said to be C; [`Reader`] looks into them.
pub fn language_of(path: &Path) -> Option<Language> {
    let extension = path.extension()?.to_str()?;
    Some(match extension {
        "c" | "h" => Language::C,
        "C" | "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" | "h++" | "H" | "ipp" | "inl" | "tcc"
        | "tpp" | "cu" | "cuh" => Language::Cpp,
        "f" | "for" | "ftn" | "F" | "FOR" | "f77" | "F77" => Language::FixedFortran,
        "f90" | "f95" | "f03" | "f08" | "f18" | "F90" | "F95" | "F03" | "F08" | "F18" => Language::Fortran,
        "rs" => Language::Rust,
        _ => return None,
    })
}

/// Reads files of one program.
#[derive(Debug, Clone, Default)]
pub struct Reader {
    /// When the program was built; files that were changed later are not read.
    pub built: Option<SystemTime>,
    /// Directories in which headers are looked for that are not beside the file which includes them.
    pub directories: Vec<PathBuf>,
    /// The modules of the program (Fortran).
    pub modules: Modules,
    /// What the program's debug information says of its files, by their names without links.
    pub compiled: CompiledFiles,
}

impl Reader {
    /// The loops of a file.
    ///
    /// # Errors
    /// The reason why the file is not read.
    pub fn read(&self, path: &Path) -> Result<FileLoops, Unreadable> {
        let mut language = language_of(path).ok_or_else(|| Unreadable::NotSource(path.to_owned()))?;
        let bytes = content(path, self.built)?;
        let compiled = path.canonicalize().ok().and_then(|path| self.compiled.get(&path));
        match (language, compiled.and_then(|own| own.is_cplusplus)) {
            // Whatever its name, it is what it was compiled as.
            (Language::C | Language::Cpp, Some(true)) => language = Language::Cpp,
            (Language::C | Language::Cpp, Some(false)) => language = Language::C,
            _ if path.extension().is_some_and(|extension| extension == "h") => {
                language = super::language_of_header(path, &bytes);
            }
            _ => {}
        }
        let outside = match language {
            Language::C | Language::Cpp => {
                let (headers, arms) = includes::read(path, &bytes, (language, self));
                return Ok(super::with_others(&arms, language, (&headers, &Outside::default())));
            }
            Language::Fortran | Language::FixedFortran => Outside::of(path, &bytes, language, self),
            Language::Rust => Outside::default(),
        };
        let arms = Arms::of(&bytes, Given::file(language, compiled), &mut Names::default(), &mut Unfollowed);
        Ok(super::with_others(&arms, language, (&[], &outside)))
    }
}

/// The bytes of a file that may be a text, unless it was changed after `built`.
pub(super) fn content(path: &Path, built: Option<SystemTime>) -> Result<Vec<u8>, Unreadable> {
    let refused = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => Unreadable::Missing(path.to_owned()),
        _ => Unreadable::Refused { path: path.to_owned(), reason: error.to_string() },
    };
    let about = std::fs::metadata(path).map_err(refused)?;
    if !about.is_file() {
        return Err(Unreadable::NotAFile(path.to_owned()));
    }
    if about.len() > LARGEST {
        return Err(Unreadable::TooLarge { path: path.to_owned(), bytes: about.len() });
    }
    if let (Some(built), Ok(changed)) = (built, about.modified())
        && changed > built
    {
        return Err(Unreadable::Newer(path.to_owned()));
    }
    let bytes = std::fs::read(path).map_err(refused)?;
    if bytes.contains(&0) {
        return Err(Unreadable::NotText(path.to_owned()));
    }
    Ok(bytes)
}
