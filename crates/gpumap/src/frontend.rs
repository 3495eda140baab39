//! From a C or C++ source to the text of its intermediate representation: runs clang and opt as programs.
//!
//! The passes are those that make values and loops explicit without changing what the source says: promotion of variables to
//! SSA values, common subexpressions, loops with one entry edge and one back edge, values that leave a loop through a φ. Nothing
//! joins blocks, widens induction variables or turns loops around, so that branches, overflow flags and lines stay those of
//! the source.
//!
//! What is analysed is the sequential program: OpenMP is off whatever the options say, as its regions would be functions of their own
//! whose loops run over parts. Marks of lifetimes are off too: each way out of an iteration would first go through a block that
//! ends lifetimes and branches by a number, so that a loop with `continue` would seem to end anywhere; where variables live is
//! known by their scopes (`offload::parameters`). C++ is compiled without exceptions where the source allows it, so that not every call
//! is a way out of the loops around it; a program that relies on an exception to leave a loop has a `try` or `throw`, and is then
//! compiled as it is.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use source::program;

use crate::ir::Module;
use crate::reader;

/// Versions of clang whose text is read, the preferred one first.
const VERSIONS: [u32; 4] = [19, 20, 18, 17];

/// What clang is asked for. Optimisation is on so that functions may be optimised by `opt`, and then no pass is run.
const CLANG: [&str; 12] = [
    "-S",
    "-emit-llvm",
    "-g",
    "-fno-discard-value-names",
    "-O1",
    "-Xclang",
    "-disable-llvm-passes",
    "-Xclang",
    "-disable-lifetime-markers",
    "-fno-color-diagnostics",
    "-fno-openmp",
    "-w",
];

/// What a C++ source is compiled with first.
const WITHOUT_EXCEPTIONS: &str = "-fno-exceptions";

/// What opt runs.
const PASSES: &str = "function(sroa,early-cse<memssa>,instsimplify,adce,loop-simplify,lcssa)";

/// Why there is no module.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A program is not installed.
    #[error("{program} is not installed; it reads C sources (Debian: apt-get install clang-19 llvm-19)")]
    Missing {
        /// Its name.
        program: String,
    },
    /// A file cannot be read or written.
    #[error("{0}: {1}")]
    File(PathBuf, std::io::Error),
    /// It is neither C nor C++.
    #[error("{0} is neither a C nor a C++ source")]
    Language(PathBuf),
    /// The compiler refused the source.
    #[error("{0}")]
    Refused(String),
    /// opt refused what clang wrote.
    #[error("opt refused what clang wrote: {0}")]
    Passes(String),
    /// What opt wrote is not understood.
    #[error("intermediate representation of {0}: {1}")]
    Text(PathBuf, reader::Error),
}

/// clang and opt of one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    clang: PathBuf,
    opt: PathBuf,
}

impl Compiler {
    /// Those in `PATH`: `clang-N` and `opt-N` of the same version, else `clang` and `opt` if they are of such a version.
    ///
    /// # Errors
    /// [`Failure::Missing`] with the program that is missing.
    pub fn find() -> Result<Compiler, Failure> {
        let numbered = |name: &str, version: u32| program::find([format!("{name}-{version}")]);
        for version in VERSIONS {
            if let (Some(clang), Some(opt)) = (numbered("clang", version), numbered("opt", version)) {
                return Ok(Compiler { clang, opt });
            }
        }
        let plain = |name: &str| program::find([name.to_owned()]).filter(|program| is_of_version(program));
        if let (Some(clang), Some(opt)) = (plain("clang"), plain("opt")) {
            return Ok(Compiler { clang, opt });
        }
        let version = VERSIONS.into_iter().find(|&version| numbered("clang", version).is_some());
        Err(Failure::Missing {
            program: version
                .map_or_else(|| format!("clang-{}", VERSIONS[0]), |version| format!("opt-{version}")),
        })
    }

    /// The path of clang.
    pub fn clang(&self) -> &Path {
        &self.clang
    }

    /// The text of a source's intermediate representation, compiled with these options.
    ///
    /// # Errors
    /// See [`Failure`]. The source's own errors are [`Failure::Refused`] with what clang says.
    pub fn text(&self, file: &Path, options: &[String]) -> Result<String, Failure> {
        if !program::is_c_source(file) && !program::is_cpp_source(file) {
            return Err(Failure::Language(file.to_owned()));
        }
        std::fs::metadata(file).map_err(|error| Failure::File(file.to_owned(), error))?;
        let directory = tempfile::tempdir().map_err(|error| Failure::File(std::env::temp_dir(), error))?;
        let raw = directory.path().join("raw.ll");
        let without_exceptions = program::is_cpp_source(file)
            && self.compiled(file, options, Some(WITHOUT_EXCEPTIONS), &raw).is_ok();
        if !without_exceptions {
            self.compiled(file, options, None, &raw)?;
        }
        let mut opt = Command::new(&self.opt);
        opt.arg("-S").arg(format!("-passes={PASSES}")).arg(&raw).args(["-o", "-"]);
        let text = program::output(&mut opt).map_err(|failure| match failure {
            program::Failure::Start(error) => Failure::File(self.opt.clone(), error),
            program::Failure::Said(said) => Failure::Passes(first_error(&said)),
        })?;
        String::from_utf8(text).map_err(|error| Failure::Passes(error.to_string()))
    }

    /// Runs clang.
    fn compiled(
        &self,
        file: &Path,
        options: &[String],
        also: Option<&str>,
        raw: &Path,
    ) -> Result<(), Failure> {
        let mut clang = Command::new(&self.clang);
        clang.args(options).args(CLANG).args(also).arg(file).arg("-o").arg(raw);
        program::output(&mut clang).map(|_| ()).map_err(|failure| match failure {
            program::Failure::Start(error) => Failure::File(self.clang.clone(), error),
            program::Failure::Said(said) => Failure::Refused(first_error(&said)),
        })
    }

    /// Reads a source compiled with these options.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn read(&self, file: &Path, options: &[String]) -> Result<Module, Failure> {
        let text = self.text(file, options)?;
        reader::read(&text).map_err(|error| Failure::Text(file.to_owned(), error))
    }
}

/// Texts of source files, read when they are first asked for, as the compiler names them.
#[derive(Debug)]
pub struct Texts {
    /// Where files are, by the names that the compiler gives them.
    paths: BTreeMap<String, PathBuf>,
    known: RefCell<BTreeMap<String, Option<Rc<str>>>>,
}

impl Texts {
    /// Those of the files that a module describes.
    pub fn new(module: &Module) -> Texts {
        let metadata = &module.metadata;
        let files = metadata.ids().filter(|&id| metadata.kind(id) == Some("DIFile"));
        let paths = files.filter_map(|id| {
            let name = metadata.text(id, "filename")?;
            let directory = metadata.text(id, "directory").unwrap_or("");
            Some((name.to_owned(), Path::new(directory).join(name)))
        });
        Texts { paths: paths.collect(), known: RefCell::default() }
    }

    /// That of a file; `None` if it cannot be read.
    pub fn of(&self, file: &str) -> Option<Rc<str>> {
        let mut known = self.known.borrow_mut();
        let path = self.paths.get(file).map_or(Path::new(file), PathBuf::as_path);
        let read = || std::fs::read_to_string(path).ok().map(Rc::from);
        known.entry(file.to_owned()).or_insert_with(read).clone()
    }
}

/// Whether a program says that it is of a version that is read.
fn is_of_version(path: &Path) -> bool {
    let Ok(said) = program::output(Command::new(path).arg("--version")) else { return false };
    let said = String::from_utf8_lossy(&said);
    let number = said.split("version ").nth(1).and_then(|rest| rest.split('.').next());
    number.and_then(|number| number.parse().ok()).is_some_and(|number: u32| VERSIONS.contains(&number))
}

/// What a compiler says up to its first error, without the source text it shows below.
fn first_error(said: &str) -> String {
    let mut lines = Vec::new();
    for line in said.lines().filter(|line| !line.trim().is_empty()) {
        lines.push(line);
        if line.contains("error: ") {
            break;
        }
    }
    lines.join("\n")
}
