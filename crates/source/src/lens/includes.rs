//! The headers of a file in C or C++: those that it names, and those that these name.
//!
//! They are read for what they declare: names of types, macros, and functions that a compiler may put into the file's own. What they do to macros holds
//! from their `#include` on. Headers of the system are not read: what they declare is known, or counts as unknown.
//!
//! Definition: a header in quotes is the one beside the file that names it, else, and one in angle brackets at once, the only one of that name in the
//! program's directories, else the system's. Where it is none of these, or may be two, it may do anything to macros; so may one whose name a
//! macro has.
//!
//! Limits: at most [`MOST`] headers of [`MOST_BYTES`] together are read, and [`MOST_INCLUSIONS`] times one of them. What a header declares counts
//! once, wherever and however often it is included: its text is then that of all of these places.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::OnceLock;

use profile::lens::Language;

use super::arms::{Arms, Given, Includes, Names};
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

/// Inclusions beyond this number are not followed.
const MOST_INCLUSIONS: usize = 1000;

/// Headers in headers are followed up to this depth.
const DEEPEST: usize = 40;

/// The headers that a file includes, in the order in which a compiler comes to their ends, and the file itself.
pub(super) fn read(path: &Path, bytes: &[u8], (language, reader): (Language, &Reader)) -> (Vec<Arms>, Arms) {
    let own = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let given = Given::file(language, reader.compiled.get(&own));
    let mut found = Found {
        reader,
        given,
        around: vec![own],
        texts: HashMap::new(),
        places: HashMap::new(),
        bytes: 0,
        inclusions: 0,
        out: Vec::new(),
    };
    let arms = Arms::of(bytes, given, &mut Names::default(), &mut found);
    (found.out, arms)
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
    /// What is known of the file.
    given: Given<'a>,
    /// The file and the headers that are being read, from the outermost.
    around: Vec<PathBuf>,
    /// The texts of headers; `None` of those that cannot be read.
    texts: HashMap<PathBuf, Option<Rc<Vec<u8>>>>,
    /// Where in `out` they are.
    places: HashMap<PathBuf, usize>,
    /// Of all texts.
    bytes: usize,
    inclusions: usize,
    out: Vec<Arms>,
}

/// Which file an `#include` names.
enum Place {
    /// This one; or maybe another.
    File {
        path: PathBuf,
        is_certain: bool,
    },
    System,
    Unknown,
}

impl Includes for Found<'_> {
    fn include(&mut self, what: &str, names: &mut Names, is_certain: bool) {
        let (path, is_known) = match self.place(what) {
            Place::File { path, is_certain } => (path, is_certain),
            Place::System => return names.include_of_system(),
            Place::Unknown => return names.forget(),
        };
        self.inclusions += 1;
        let is_too_much = self.around.len() > DEEPEST || self.inclusions > MOST_INCLUSIONS;
        // A header that cannot be read declares nothing that is known.
        let Some(text) = self.text(&path).filter(|_| !is_too_much) else { return names.forget() };
        let given = Given { compiled: self.reader.compiled.get(&path), is_certain, ..self.given };
        self.around.push(path.clone());
        let arms = Arms::of(&text, given, names, self);
        self.around.pop();
        match self.places.get(&path).and_then(|&at| self.out.get_mut(at)) {
            Some(own) => own.or(arms),
            None => {
                self.places.insert(path, self.out.len());
                self.out.push(arms);
            }
        }
        if !is_known {
            names.forget();
        }
    }
}

impl Found<'_> {
    fn place(&self, what: &str) -> Place {
        let inside = |open: char, close: char| what.strip_prefix(open)?.split_once(close).map(|own| own.0);
        let (name, is_quoted) = match (inside('"', '"'), inside('<', '>')) {
            (Some(name), _) => (name, true),
            (None, Some(name)) => (name, false),
            (None, None) => return Place::Unknown,
        };
        let here = self.around.last().and_then(|path| path.parent()).filter(|_| is_quoted);
        if let Some(path) = here.and_then(|own| own.join(name).canonicalize().ok()) {
            return Place::File { path, is_certain: true };
        }
        let directories = self.reader.directories.iter();
        let found = directories.filter_map(|directory| directory.join(name).canonicalize().ok());
        let mut found: Vec<PathBuf> = found.collect();
        let is_of_system = || system().iter().any(|directory| directory.join(name).is_file());
        let is_certain = found.iter().collect::<BTreeSet<_>>().len() == 1 && !is_of_system();
        match found.is_empty() {
            false => Place::File { path: found.swap_remove(0), is_certain },
            true if is_of_system() => Place::System,
            true => Place::Unknown,
        }
    }

    fn text(&mut self, path: &Path) -> Option<Rc<Vec<u8>>> {
        if let Some(known) = self.texts.get(path) {
            return known.clone();
        }
        let text = if self.texts.len() < MOST { content(path, self.reader.built).ok() } else { None };
        self.bytes = self.bytes.saturating_add(text.as_ref().map_or(0, Vec::len));
        let text = text.filter(|_| self.bytes <= MOST_BYTES).map(Rc::new);
        self.texts.insert(path.to_owned(), text.clone());
        text
    }
}

/// The directories in which compilers for Linux look for the headers of the system and their own.
fn system() -> &'static [PathBuf] {
    static ALL: OnceLock<Vec<PathBuf>> = OnceLock::new();
    ALL.get_or_init(|| {
        // Each part of a path may be any that has what stands around `*`.
        const PLACES: [&str; 9] = [
            "/usr/include",
            "/usr/local/include",
            "/usr/include/*-linux-*",
            "/usr/include/c++/*",
            "/usr/include/*-linux-*/c++/*",
            "/usr/lib/gcc/*/*/include",
            "/usr/lib/gcc/*/*/include/c++",
            "/usr/lib/llvm*/lib/clang/*/include",
            "/usr/lib/clang/*/include",
        ];
        PLACES.iter().flat_map(|place| matching(place)).collect()
    })
}

fn matching(place: &str) -> Vec<PathBuf> {
    let mut out = vec![PathBuf::from("/")];
    for part in place.split('/').filter(|part| !part.is_empty()) {
        let pieces: Vec<&str> = part.split('*').collect();
        let [first, middle @ .., last] = &pieces[..] else {
            out.iter_mut().for_each(|path| path.push(part));
            continue;
        };
        let is_one = |name: &str| {
            name.starts_with(first) && name.ends_with(last) && middle.iter().all(|piece| name.contains(piece))
        };
        let inside = out.iter().filter_map(|path| std::fs::read_dir(path).ok()).flatten().flatten();
        let named = inside.filter(|entry| entry.file_name().to_str().is_some_and(is_one));
        out = named.map(|entry| entry.path()).collect();
    }
    out.retain(|path| path.is_dir());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_of_the_system() {
        assert_eq!(matching("/proc/self/fd"), [PathBuf::from("/proc/self/fd")]);
        let mut found = matching("/proc/self/f*d*");
        found.sort();
        assert_eq!(found, ["/proc/self/fd", "/proc/self/fdinfo"].map(PathBuf::from));
        assert!(matching("/nowhere/*").is_empty());
        assert!(system().iter().any(|directory| directory.join("stdio.h").is_file()));
    }
}
