//! C and C++ sources below a directory, and where they find their headers.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Sources as they are named on a command line: `NAME=DIRECTORY[,OPTION…]`.
pub struct Named<'a> {
    pub name: &'a str,
    pub directory: &'a Path,
    /// Options for the compiler.
    pub options: Vec<String>,
}

impl<'a> Named<'a> {
    pub fn new(argument: &'a str) -> Result<Named<'a>> {
        let (name, rest) = argument.split_once('=').context("NAME=DIRECTORY[,OPTION…]")?;
        let mut parts = rest.split(',');
        let directory = Path::new(parts.next().unwrap_or(rest));
        Ok(Named { name, directory, options: parts.map(str::to_owned).collect() })
    }
}

/// The files below a directory.
pub struct Tree {
    root: PathBuf,
    files: Vec<PathBuf>,
}

impl Tree {
    pub fn new(root: &Path) -> Result<Tree> {
        let mut files = Vec::new();
        list(root, &mut files)?;
        Ok(Tree { root: root.to_owned(), files })
    }

    pub fn sources(&self) -> impl Iterator<Item = &Path> {
        self.ending_in(&["c", "cc", "cpp", "cxx"])
    }

    pub fn headers(&self) -> impl Iterator<Item = &Path> {
        self.ending_in(&["h", "hpp"])
    }

    /// Options with which a source finds its headers, the tree being at another place.
    pub fn includes(&self, source: &Path, root: &Path) -> Vec<String> {
        let at = |directory: &Path| root.join(directory.strip_prefix(&self.root).unwrap_or(directory));
        // What stands beside the source comes first.
        let own = source.parent().map(|own| format!("-I{}", at(own).display()));
        let mut others: Vec<&Path> = Vec::new();
        for directory in self.headers().filter_map(Path::parent) {
            if Some(directory) != source.parent() && !others.contains(&directory) {
                others.push(directory);
            }
        }
        // Some programs have headers that are called as those of the system are.
        let others = others.into_iter().map(|directory| format!("-idirafter{}", at(directory).display()));
        own.into_iter().chain(others).collect()
    }

    fn ending_in<'t>(&'t self, endings: &'t [&str]) -> impl Iterator<Item = &'t Path> {
        let is_one = |path: &Path| {
            path.extension()
                .and_then(|ending| ending.to_str())
                .is_some_and(|ending| endings.contains(&ending))
        };
        self.files.iter().map(PathBuf::as_path).filter(move |path| is_one(path))
    }
}

/// All files below a directory, in order.
fn list(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = std::fs::read_dir(directory).with_context(|| directory.display().to_string())?;
    let mut entries = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
