//! The headers of a file in C or C++: those that it names in quotes, and those that these name.
//!
//! They are read for what they declare: names of types, macros, and functions that a compiler may put into the file's own. Headers of
//! the system, which are named in angle brackets, are not read: what they declare is known, or counts as unknown.
//!
//! Limits: at most [`MOST`] headers of [`MOST_BYTES`] together. All branches of conditional compilation are read, since which one
//! the compiler took is not known; a header is read once, wherever it is included.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use profile::lens::Language;

use super::c::C;
use super::environment::Environment;
use super::macros::Macros;
use super::read::{Reader, content};
use super::spelling;
use super::text::{self, Text};

/// Headers beyond this number are not read.
const MOST: usize = 200;

/// Headers beyond this size are not read, in bytes of all of them.
const MOST_BYTES: usize = 4 << 20;

/// Headers in headers are followed up to this depth.
const DEEPEST: u32 = 40;

/// The headers that a file includes, in the order in which a compiler comes to their ends.
pub(super) fn headers(path: &Path, bytes: &[u8], reader: &Reader) -> Vec<Vec<u8>> {
    let mut found = Found { reader, seen: HashSet::new(), bytes: 0, out: Vec::new() };
    found.seen.extend(path.canonicalize().ok());
    found.of(path, bytes, 0);
    found.out
}

/// What headers declare, for a file that includes them in this order.
pub(super) fn declared(headers: &[Vec<u8>], language: Language, macros: &Macros) -> Environment {
    let mut out = Environment::new(language);
    for bytes in headers {
        let shown = macros.show(spelling::spelled(bytes, language));
        let text = Text::new(&shown.text, language);
        // What is not understood declares nothing.
        if let Some(tree) = text::parse(text.bytes, language, &[]) {
            out = C::declared(&text, out, tree.root_node());
        }
    }
    out
}

struct Found<'a> {
    reader: &'a Reader,
    seen: HashSet<PathBuf>,
    bytes: usize,
    out: Vec<Vec<u8>>,
}

impl Found<'_> {
    fn of(&mut self, path: &Path, bytes: &[u8], depth: u32) {
        let own = path.parent().unwrap_or(Path::new(""));
        for name in named(bytes) {
            let directories =
                std::iter::once(own).chain(self.reader.directories.iter().map(PathBuf::as_path));
            let place =
                directories.map(|directory| directory.join(&name)).find_map(|at| at.canonicalize().ok());
            let Some(place) = place.filter(|place| self.seen.insert(place.clone())) else { continue };
            if self.seen.len() > MOST || depth > DEEPEST {
                return;
            }
            // A header that cannot be read declares nothing that is known.
            let Ok(inner) = content(&place, self.reader.built) else { continue };
            self.bytes = self.bytes.saturating_add(inner.len());
            if self.bytes > MOST_BYTES {
                return;
            }
            self.of(&place, &inner, depth + 1);
            self.out.push(inner);
        }
    }
}

/// The names in a text's `#include "name"`.
fn named(bytes: &[u8]) -> Vec<PathBuf> {
    let name = |line: &[u8]| {
        let rest = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
        let rest = rest.strip_prefix(b"include")?.trim_ascii_start().strip_prefix(b"\"")?;
        let end = rest.iter().position(|&byte| byte == b'"')?;
        std::str::from_utf8(&rest[..end]).ok().map(PathBuf::from)
    };
    bytes.split(|&byte| byte == b'\n').filter_map(name).collect()
}
