//! The headers of a file in C or C++: those that it names in quotes, and those that these name.
//!
//! They are read for what they declare: names of types, macros, and functions that a compiler may put into the file's own. Headers of
//! the system, which are named in angle brackets, are not read: what they declare is known, or counts as unknown.
//!
//! Limits: at most [`MOST`] headers of [`MOST_BYTES`] together. Those that are included in arms of conditional compilation are read as well;
//! a header is read once, wherever it is included.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use profile::lens::Language;

use super::arms::{Arms, Names};
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

/// The headers that a file includes, in the order in which a compiler comes to their ends, and what they define.
pub(super) fn headers(
    path: &Path,
    bytes: &[u8],
    (language, reader): (Language, &Reader),
) -> (Vec<Arms>, Names) {
    let (seen, names) = (HashSet::new(), Names::default());
    let mut found = Found { reader, language, seen, bytes: 0, out: Vec::new(), names };
    found.seen.extend(path.canonicalize().ok());
    found.of(path, bytes, 0);
    (found.out, found.names)
}

/// What headers declare, for a file that includes them in this order.
pub(super) fn declared(headers: &[Arms], language: Language, macros: &Macros) -> Environment {
    let mut out = Environment::new(language);
    for arms in headers {
        let shown = macros.show(spelling::spelled(&arms.text, language));
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
    language: Language,
    seen: HashSet<PathBuf>,
    bytes: usize,
    out: Vec<Arms>,
    names: Names,
}

impl Found<'_> {
    fn of(&mut self, path: &Path, bytes: &[u8], depth: u32) {
        let own = path.parent().unwrap_or(Path::new(""));
        for (name, is_certain) in named(bytes) {
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
            let before = (!is_certain).then(|| self.names.clone());
            self.of(&place, &inner, depth + 1);
            let compiled = self.reader.compiled.get(&place);
            self.out.push(Arms::of(&inner, self.language, compiled, &mut self.names));
            if let Some(before) = before {
                self.names = before.or(std::mem::take(&mut self.names));
            }
        }
    }
}

/// The names in a text's `#include "name"`, and whether each is included whatever conditions hold, but for one around all of the text.
fn named(bytes: &[u8]) -> Vec<(PathBuf, bool)> {
    let (mut depth, mut out) = (0usize, Vec::new());
    let (mut is_first, mut is_guarded) = (true, false);
    for line in bytes.split(|&byte| byte == b'\n') {
        let Some(rest) = line.trim_ascii_start().strip_prefix(b"#") else { continue };
        let rest = rest.trim_ascii_start();
        if rest.starts_with(b"if") {
            is_guarded |= is_first && rest.starts_with(b"ifndef");
            depth += 1;
        } else if rest.starts_with(b"endif") {
            depth = depth.saturating_sub(1);
        }
        is_first = false;
        let name = || {
            let rest = rest.strip_prefix(b"include")?.trim_ascii_start().strip_prefix(b"\"")?;
            let end = rest.iter().position(|&byte| byte == b'"')?;
            std::str::from_utf8(&rest[..end]).ok().map(PathBuf::from)
        };
        out.extend(name().map(|name| (name, depth <= usize::from(is_guarded))));
    }
    out
}
