//! Copies of a source tree.

use std::collections::BTreeMap;
use std::fs::{self, Metadata, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::Error;

/// GiB beyond which a tree is not copied.
const MOST: u64 = 8;
/// Bytes beyond which a file is not one that a build system has written.
const MOST_OF_TEXT: u64 = 4 << 20;
/// Directories of version control: builds do not need them, and some of their files lead to other places.
const LEFT_OUT: &[&str] = &[".git", ".hg", ".svn", ".jj"];
/// Endings of sources: they are newer than what was made of them, so that both copies are built anew.
const SOURCES: &[&str] = &[
    "c", "cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "inc", "inl", "ipp", "tcc", "f", "for", "ftn",
    "f77", "f90", "f95", "f03", "f08",
];
/// Files in which build systems note where a tree lies.
const NOTES: &[&str] =
    &["make", "mk", "cmake", "ninja", "txt", "status", "log", "json", "includecache", "internal"];

/// What is in a tree: size and time of the last change, by path.
pub(crate) type Snapshot = BTreeMap<PathBuf, (u64, Option<SystemTime>)>;

/// Copies a tree; gives what was in it. Links stay links; those into the tree lead into the copy. Files of build systems that name
/// the tree's place name that of the copy.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<Snapshot, Error> {
    let mut all = Snapshot::new();
    let mut left = MOST << 30;
    copy_directory(from, to, (from, to), &mut all, &mut left)?;
    Ok(all)
}

fn copy_directory(
    from: &Path,
    to: &Path,
    roots: (&Path, &Path),
    all: &mut Snapshot,
    left: &mut u64,
) -> Result<(), Error> {
    fs::create_dir_all(to).map_err(Error::io(to))?;
    for entry in fs::read_dir(from).map_err(Error::io(from))? {
        let entry = entry.map_err(Error::io(from))?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let about = fs::symlink_metadata(&source).map_err(Error::io(&source))?;
        if about.is_symlink() {
            let leads = fs::read_link(&source).map_err(Error::io(&source))?;
            let leads = match leads.strip_prefix(roots.0) {
                Ok(inside) => roots.1.join(inside),
                Err(_) => leads,
            };
            symlink(leads, &target).map_err(Error::io(&target))?;
        } else if about.is_dir() {
            let is_left_out = LEFT_OUT.iter().any(|name| entry.file_name() == *name);
            // A temporary directory inside the tree is no part of it.
            if !is_left_out && !roots.1.starts_with(&source) {
                copy_directory(&source, &target, roots, all, left)?;
            }
        } else if about.is_file() {
            *left = left.checked_sub(about.len()).ok_or_else(|| Error::TooLarge(roots.0.to_owned(), MOST))?;
            copy_file(&source, &target, &about, roots)?;
            all.insert(source, noted(&about));
        }
    }
    Ok(())
}

fn noted(about: &Metadata) -> (u64, Option<SystemTime>) {
    (about.len(), about.modified().ok())
}

fn copy_file(source: &Path, target: &Path, about: &Metadata, roots: (&Path, &Path)) -> Result<(), Error> {
    let is_note = is_note(source) && about.len() <= MOST_OF_TEXT;
    let replaced = if is_note { replaced(source, roots)? } else { None };
    match replaced {
        Some(text) => fs::write(target, text).map_err(Error::io(target))?,
        None => drop(fs::copy(source, target).map_err(Error::io(source))?),
    }
    let mode = about.permissions().mode() | 0o600;
    fs::set_permissions(target, Permissions::from_mode(mode)).map_err(Error::io(target))?;
    let file = fs::File::options().write(true).open(target).map_err(Error::io(target))?;
    let time = match is_source(source) {
        true => SystemTime::now(),
        false => about.modified().map_err(Error::io(source))?,
    };
    file.set_modified(time).map_err(Error::io(target))
}

fn ending(path: &Path) -> String {
    path.extension().map(|own| own.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

fn is_source(path: &Path) -> bool {
    SOURCES.contains(&ending(path).as_str())
}

fn is_note(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    NOTES.contains(&ending(path).as_str()) || name.starts_with("makefile") || name == "gnumakefile"
}

/// The text of a file with the place of the copy in place of the tree's; `None` if it does not name it.
fn replaced(source: &Path, (from, to): (&Path, &Path)) -> Result<Option<Vec<u8>>, Error> {
    let text = fs::read(source).map_err(Error::io(source))?;
    let (old, new) = (from.as_os_str().as_bytes(), to.as_os_str().as_bytes());
    if old.len() < 2 {
        return Ok(None);
    }
    let mut out = Vec::with_capacity(text.len());
    let (mut at, mut found) = (0, false);
    while at < text.len() {
        let is_end = text
            .get(at + old.len())
            .is_none_or(|&c| !(c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b'.')));
        if text[at..].starts_with(old) && is_end {
            out.extend_from_slice(new);
            (at, found) = (at + old.len(), true);
        } else {
            out.push(text[at]);
            at += 1;
        }
    }
    Ok(found.then_some(out))
}

/// Makes all sources of a copy newer than what was built of them.
pub(crate) fn renew(directory: &Path) -> Result<(), Error> {
    let mut files = Snapshot::new();
    look(directory, &mut files);
    for path in files.keys().filter(|path| is_source(path)) {
        let file = fs::File::options().write(true).open(path).map_err(Error::io(path))?;
        file.set_modified(SystemTime::now()).map_err(Error::io(path))?;
    }
    Ok(())
}

/// The first file of a tree that is not as it was.
pub(crate) fn changed(directory: &Path, before: &Snapshot) -> Option<PathBuf> {
    let mut now = Snapshot::new();
    look(directory, &mut now);
    let other = now.iter().find(|(path, about)| before.get(*path) != Some(*about)).map(|(path, _)| path);
    other.or_else(|| before.keys().find(|path| !now.contains_key(*path))).cloned()
}

fn look(directory: &Path, all: &mut Snapshot) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(about) = fs::symlink_metadata(&path) else { continue };
        if about.is_dir() && !LEFT_OUT.iter().any(|name| entry.file_name() == *name) {
            look(&path, all);
        } else if about.is_file() {
            all.insert(path, noted(&about));
        }
    }
}

/// Whether programs that were built since some time use OpenMP's library; `None` if there are none.
pub(crate) fn uses_openmp(directory: &Path, since: SystemTime) -> Option<bool> {
    let mut files = Snapshot::new();
    look(directory, &mut files);
    let built = files.iter().filter(|(_, about)| about.1.is_some_and(|time| time >= since));
    let mut found = None;
    for (path, _) in built {
        let Ok(bytes) = fs::read(path) else { continue };
        // Objects may be of parts without directives: what is linked counts.
        let is_linked = bytes.starts_with(b"\x7fELF") && matches!(bytes.get(16), Some(2 | 3));
        if is_linked {
            let has = |name: &[u8]| bytes.windows(name.len()).any(|window| window == name);
            if has(b"GOMP_") || has(b"__kmpc_") {
                return Some(true);
            }
            found = Some(false);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_copied_and_read_only_files_can_be_written() {
        let place = tempfile::tempdir().expect("a directory");
        let (from, to) = (place.path().join("tree"), place.path().join("copy"));
        fs::create_dir_all(from.join("sub/.git")).expect("made");
        fs::write(from.join("sub/a.c"), "int a;\n").expect("written");
        fs::write(from.join("sub/.git/HEAD"), "x").expect("written");
        fs::set_permissions(from.join("sub/a.c"), Permissions::from_mode(0o444)).expect("set");
        let named = format!("{0}/x {0}-other\n", from.display());
        fs::write(from.join("Makefile"), &named).expect("written");
        fs::write(from.join("a.c"), &named).expect("written");
        symlink(from.join("sub"), from.join("link")).expect("linked");
        let before = copy(&from, &to).expect("copied");
        assert_eq!(before.len(), 3);
        assert!(!to.join("sub/.git").exists());
        assert_eq!(fs::read_link(to.join("link")).expect("a link"), to.join("sub"));
        let text = fs::read_to_string(to.join("Makefile")).expect("there");
        assert_eq!(text, format!("{}/x {}-other\n", to.display(), from.display()));
        assert_eq!(fs::read_to_string(to.join("a.c")).expect("there"), named);
        fs::write(to.join("sub/a.c"), "int b;\n").expect("it can be written");
        assert_eq!(changed(&from, &before), None);
        fs::write(from.join("new.o"), "").expect("written");
        assert_eq!(changed(&from, &before), Some(from.join("new.o")));
    }
}
