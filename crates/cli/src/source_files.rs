//! The texts of source files, for reports that show them.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::SystemTime;

use report::html::{SourceText, Sources};

/// Bytes beyond which a file is not read.
const MOST_OF_FILE: u64 = 4 << 20;
/// Bytes beyond which no more files are read.
const MOST: u64 = 64 << 20;
/// Endings of the names of source files. A profile names files; nothing else of this machine goes into a report.
const ENDINGS: &[&str] = &[
    "c", "cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "inc", "inl", "tcc", "f", "for", "f77", "f90",
    "f95", "f03", "f08", "rs", "zig", "d", "go", "ada", "adb", "ads", "m", "mm", "cu", "pas", "nim", "s",
];

/// Reads files by the names that debug information has for them. What cannot be read is left out.
pub fn read(names: &BTreeSet<String>, profiled: Option<SystemTime>) -> Sources {
    let mut out = Sources::new();
    let mut left = MOST;
    for name in names {
        if let Some(source) = read_one(Path::new(name), left, profiled) {
            left -= source.text.len() as u64;
            out.insert(name.clone(), source);
        }
    }
    out
}

fn read_one(path: &Path, left: u64, profiled: Option<SystemTime>) -> Option<SourceText> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    let metadata = std::fs::metadata(path).ok()?;
    let limit = MOST_OF_FILE.min(left);
    if !ENDINGS.contains(&ending.as_str()) || !metadata.is_file() || metadata.len() > limit {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let is_newer = metadata.modified().ok().zip(profiled).is_some_and(|(own, profile)| own > profile);
    // Replaced characters are longer than the bytes they stand for.
    (text.len() as u64 <= left).then_some(SourceText { text, is_newer })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_source_files_of_a_reasonable_size_are_read() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = |name: &str| directory.path().join(name);
        std::fs::write(path("a.c"), b"int x;\xff\n").expect("written");
        std::fs::write(path("secret"), "x").expect("written");
        std::fs::write(path("large.c"), vec![b' '; MOST_OF_FILE as usize + 1]).expect("written");
        std::fs::create_dir(path("directory.c")).expect("made");
        let names = ["a.c", "secret", "large.c", "directory.c", "missing.c"];
        let names: BTreeSet<String> = names.iter().map(|n| path(n).to_string_lossy().into_owned()).collect();
        let found = read(&names, Some(SystemTime::UNIX_EPOCH));
        assert_eq!(found.len(), 1, "{:?}", found.keys());
        let source = found.values().next().expect("one");
        assert_eq!((source.text.as_str(), source.is_newer), ("int x;\u{fffd}\n", true));
        assert!(!read(&names, None).values().any(|source| source.is_newer));
    }
}
