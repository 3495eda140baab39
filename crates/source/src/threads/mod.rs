//! What a thread of a kernel executes, when the iterations of counted loops are threads: text of the source, with what only the
//! host has replaced.
//!
//! Text stays as it is written, but for: members of structures that the loops find outside (`image->width` becomes the parameter
//! `image_width`), elements of arrays whose rows have a length that is known at run time (`a[i][j]` becomes `a[(i) * (m) + (j)]`),
//! accesses that the caller replaces, pointers that need an address space, and functions of mathematics where the language has one
//! name for all types.
//!
//! Limits: what has to be replaced must not stand in a macro's own text; functions that are called refer to nothing outside of themselves but
//! other functions, types and constants; names of the file are those that clang's tree gives.
//!
//! Source: OpenCL C 3.0, 6.7 "Address space qualifiers" and 6.15.2 "Math functions".

mod functions;
mod levels;
mod pointers;
mod writer;

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::Value;

use crate::nest::{Place, Uncut};
use crate::tree::{Source, inner, kind};
use crate::types::{Shape, words};
use writer::Writer;

pub use writer::mangled;

/// How the language of kernels differs from C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Language {
    /// What stands before the type of what a pointer into an array of the host points to.
    pub global: &'static str,
    /// What stands before functions.
    pub function: &'static str,
    /// Functions of mathematics have one name for all types.
    pub is_overloaded: bool,
}

/// What is to be a kernel.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The function that the loops are in.
    pub function: &'a str,
    /// Where they begin, the outermost first; each the only loop that is directly inside the one before.
    pub loops: &'a [Place],
    /// Accesses to be replaced: where the name of the array stands, and by what.
    pub replaced: &'a [(Place, String)],
    /// The language.
    pub language: Language,
}

/// One loop whose iterations are threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// Its line.
    pub line: u32,
    /// The name of its iterator.
    pub iterator: String,
    /// The type of that.
    pub type_name: String,
    /// Its first value.
    pub first: String,
    /// Whether the loop goes on.
    pub condition: String,
    /// By how much it advances.
    pub step: i64,
    /// What its body does before the next loop begins.
    pub before: String,
}

/// Something that the threads use and that is declared outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Free {
    /// As it is written: a name, or a path to a member.
    pub written: String,
    /// What it is called in the kernel.
    pub name: String,
    /// Its type.
    pub shape: Shape,
    /// Whether the threads assign to it.
    pub is_assigned: bool,
}

/// What threads execute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Threads {
    /// The bytes of the outermost loop.
    pub range: Range<usize>,
    /// The loops.
    pub levels: Vec<Level>,
    /// The body of the innermost one.
    pub body: String,
    /// Whether it goes on to the next iteration before its end.
    pub has_continue: bool,
    /// What they use.
    pub free: Vec<Free>,
    /// Names of the variables that a thread has by itself: iterators, and what bodies and functions declare.
    pub own: BTreeSet<String>,
    /// Types, and functions that are called, in the order of the source.
    pub declarations: Vec<String>,
}

impl Threads {
    /// All identifiers in the text of the kernel.
    pub fn identifiers(&self) -> BTreeSet<String> {
        let levels = self.levels.iter().flat_map(|level| [&level.first, &level.condition, &level.before]);
        let types = self.free.iter().map(|free| &free.shape.element);
        let texts = levels.chain(types).chain(&self.declarations).chain(std::iter::once(&self.body));
        texts.flat_map(|text| words(text)).map(str::to_owned).collect()
    }
}

impl Source {
    /// What the threads of a nest of loops execute.
    ///
    /// # Errors
    /// Why the text does not tell.
    pub fn threads(&self, wanted: &Wanted<'_>) -> Result<Threads, Uncut> {
        let line = wanted.loops.first().map_or(0, |place| place.0);
        let uncut = |why: &str| Uncut { line, why: why.to_owned() };
        let definition = self.functions().find(|(name, _)| *name == wanted.function);
        let (_, definition) = definition.ok_or_else(|| uncut("the source has no such function"))?;
        let mut writer = Writer::new(self, definition, wanted);
        let (mut levels, mut range, mut body) = (Vec::new(), None, None);
        for (depth, &place) in wanted.loops.iter().enumerate() {
            let (level, own, rest) = writer.level(place, body, depth + 1 < wanted.loops.len())?;
            range = range.or(Some(own));
            levels.push(level);
            body = Some(rest);
        }
        let (range, body) = range.zip(body).ok_or_else(|| uncut("no loop is asked for"))?;
        let text = writer.text(body)?;
        if let Some((place, _)) = wanted.replaced.iter().find(|(place, _)| !writer.met.contains(place)) {
            return Err(uncut(&format!("an access of line {} is not in its own text", place.0)));
        }
        writer.is_outside = true;
        let declarations = writer.declarations(&levels, &text)?;
        Ok(Threads {
            range,
            levels,
            has_continue: continues(body),
            body: text,
            free: writer.free,
            own: writer.own_names,
            declarations,
        })
    }
}

/// Whether a body goes on to the next iteration of its own loop.
fn continues(body: &Value) -> bool {
    match kind(body) {
        "ContinueStmt" => true,
        "ForStmt" | "WhileStmt" | "DoStmt" => false,
        _ => inner(body).any(continues),
    }
}
