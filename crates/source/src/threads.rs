//! What a thread of a kernel executes, when the iterations of counted loops are threads: text of the source, with what only the
//! host has replaced.
//!
//! Text stays as it is written, but for: members of structures that the loops find outside (`image->width` becomes the parameter
//! `image_width`), elements of arrays whose rows have a length that is known at run time (`a[i][j]` becomes `a[(i) * (m) + (j)]`),
//! accesses that the caller replaces, pointers that need an address space, and functions of mathematics where the language has one
//! name for all types.
//!
//! Limits: what has to be replaced must not stand in a macro; functions that are called refer to nothing outside of themselves but
//! other functions, types and constants; names of the file are those that clang's tree gives.
//!
//! Source: OpenCL C 3.0, 6.7 "Address space qualifiers" and 6.15.2 "Math functions".

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::Value;

use crate::nest::{Place, Uncut, changed, escape, start, step};
use crate::tree::{Source, all, callee_of, inner, kind, reference, type_of};
use crate::types::{Shape, words};

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

/// Where a pointer points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Space {
    /// An array of the host.
    Global,
    /// A variable of the thread.
    Private,
}

/// A pointer parameter of a function that is called.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Passed {
    function: String,
    place: usize,
    space: Space,
}

/// Bytes to be replaced, and by what.
type Edit = (Range<usize>, String);

struct Writer<'a> {
    source: &'a Source,
    definition: &'a Value,
    wanted: &'a Wanted<'a>,
    /// Variables that belong to a thread, by clang's names.
    own: BTreeSet<&'a str>,
    /// Those of them that point into arrays of the host.
    pointers: BTreeSet<&'a str>,
    assigned: BTreeSet<&'a str>,
    free: Vec<Free>,
    /// Functions of the file that are called, and those still to be looked at.
    called: Vec<String>,
    passed: Vec<Passed>,
    /// Accesses that were replaced.
    met: BTreeSet<Place>,
    /// What is written is no part of the loops.
    is_outside: bool,
    line: u32,
}

impl<'a> Writer<'a> {
    fn new(source: &'a Source, definition: &'a Value, wanted: &'a Wanted<'a>) -> Writer<'a> {
        Writer {
            source,
            definition,
            wanted,
            own: BTreeSet::new(),
            pointers: BTreeSet::new(),
            assigned: BTreeSet::new(),
            free: Vec::new(),
            called: Vec::new(),
            passed: Vec::new(),
            met: BTreeSet::new(),
            is_outside: false,
            line: 0,
        }
    }

    fn uncut(&self, why: impl Into<String>) -> Uncut {
        Uncut { line: self.line, why: why.into() }
    }

    /// A loop, its bytes, and its body; with another one directly inside, that one.
    fn level(
        &mut self,
        place: Place,
        around: Option<&'a Value>,
        has_inner: bool,
    ) -> Result<(Level, Range<usize>, &'a Value), Uncut> {
        self.line = place.0;
        let found = match around {
            Some(found) => Some(found).filter(|found| self.begins(found, place)),
            None => all(self.definition).into_iter().find(|node| self.begins(node, place)),
        };
        let found = found.ok_or_else(|| self.uncut("no `for` loop of the source begins there"))?;
        let range = self.source.statement(found).ok_or_else(|| self.uncut("a macro hides its end"))?;
        let parts: Vec<&Value> = inner(found).collect();
        let [init, _, condition, advance, body] = parts[..] else {
            return Err(self.uncut("clang does not know its parts"));
        };
        if let Some(why) = escape(body, true) {
            return Err(self.uncut(why));
        }
        let (id, first) = start(init).ok_or_else(|| self.uncut("it does not begin by setting one iterator"))?;
        if changed(body).contains(id) {
            return Err(self.uncut("its body may change the iterator"));
        }
        let step =
            step(advance, id).ok_or_else(|| self.uncut("it does not advance by a constant"))?;
        let (name, type_name) =
            self.declared(id).ok_or_else(|| self.uncut("its iterator is declared elsewhere"))?;
        self.own.insert(id);
        let is_declaration = |node: &&&'a Value| kind(node).ends_with("VarDecl");
        self.own.extend(all(body).iter().filter(is_declaration).filter_map(|node| node["id"].as_str()));
        self.assigned.extend(changed(body));
        let (before, rest) = if has_inner { self.parted(body)? } else { (String::new(), body) };
        let level = Level {
            line: place.0,
            iterator: name.to_owned(),
            type_name: type_name.to_owned(),
            first: self.expression(first)?,
            condition: self.expression(condition)?,
            step,
            before,
        };
        Ok((level, range, rest))
    }

    fn begins(&self, node: &Value, place: Place) -> bool {
        let starts = || self.source.range(node).is_some_and(|range| self.source.place(range.start) == place);
        kind(node) == "ForStmt" && starts()
    }

    /// Name and type of a variable of the function.
    fn declared(&self, id: &str) -> Option<(&'a str, &'a str)> {
        let found = all(self.definition).into_iter().find(|node| node["id"] == id)?;
        Some((found["name"].as_str()?, type_of(found)))
    }

    /// What a body does before its only loop, and that loop. What it does behind it computes nothing that anybody sees.
    fn parted(&mut self, body: &'a Value) -> Result<(String, &'a Value), Uncut> {
        let mut text = String::new();
        let parts = if kind(body) == "CompoundStmt" { inner(body).collect() } else { vec![body] };
        for part in parts {
            if kind(part) == "ForStmt" {
                return Ok((text, part));
            }
            text += &self.text(part)?;
            text.push('\n');
        }
        Err(self.uncut("the loop inside of it is part of another statement"))
    }

    /// The text of a statement, with what has to be replaced.
    fn text(&mut self, node: &'a Value) -> Result<String, Uncut> {
        let hidden = "a macro hides where a statement ends";
        let range = self.source.statement(node).ok_or_else(|| self.uncut(hidden))?;
        self.edited(node, range)
    }

    /// The text of an expression, with what has to be replaced.
    fn expression(&mut self, node: &'a Value) -> Result<String, Uncut> {
        let hidden = "a macro hides where an expression ends";
        let range = self.source.range(node).ok_or_else(|| self.uncut(hidden))?;
        self.edited(node, range)
    }

    fn edited(&mut self, node: &'a Value, range: Range<usize>) -> Result<String, Uncut> {
        let mut edits = Vec::new();
        self.edits(node, &mut edits)?;
        edits.sort_by_key(|edit| (edit.0.start, edit.0.end));
        let (mut out, mut at) = (String::new(), range.start);
        for (bytes, text) in edits {
            if bytes.start < at || bytes.end > range.end {
                return Err(self.uncut("a macro hides what has to be replaced"));
            }
            out += &self.source.text[at..bytes.start];
            out += &text;
            at = bytes.end;
        }
        out += &self.source.text[at..range.end];
        Ok(out)
    }

    /// An edit of a whole node.
    fn replaced(&self, node: &Value, by: String) -> Result<Edit, Uncut> {
        let stands = ["begin", "end"].iter().all(|end| node["range"][end]["expansionLoc"].is_null());
        let range = self.source.range(node).filter(|_| stands);
        range.map(|range| (range, by)).ok_or_else(|| self.uncut("a macro hides what has to be replaced"))
    }

    fn edits(&mut self, node: &'a Value, out: &mut Vec<Edit>) -> Result<(), Uncut> {
        match kind(node) {
            "DeclRefExpr" => return self.mention(node),
            "MemberExpr" => {
                if let Some(path) = self.path(node) {
                    let name = mangled(&path);
                    self.note(&path, &name, type_of(node), false)?;
                    out.push(self.replaced(node, name)?);
                    return Ok(());
                }
            }
            "ArraySubscriptExpr" => {
                if let Some(edit) = self.element(node)? {
                    out.push(edit);
                    return Ok(());
                }
            }
            "CallExpr" => return self.call(node, out),
            "DeclStmt" => self.declaration(node, out)?,
            "UnaryOperator" if node["opcode"] == "&" => {
                if let Some((id, name)) = inner(node).next().and_then(reference)
                    && !self.own.contains(id)
                {
                    return Err(self.uncut(format!("it takes the address of {name}")));
                }
            }
            "StmtExpr" | "VAArgExpr" => return Err(self.uncut("it has what kernels cannot have")),
            _ => {}
        }
        for part in inner(node) {
            self.edits(part, out)?;
        }
        Ok(())
    }

    fn mention(&mut self, node: &'a Value) -> Result<(), Uncut> {
        let of = &node["referencedDecl"];
        let (Some(id), Some(name)) = (of["id"].as_str(), of["name"].as_str()) else { return Ok(()) };
        if !kind(of).ends_with("VarDecl") || self.own.contains(id) {
            return Ok(());
        }
        let is_assigned = self.assigned.contains(id);
        self.note(name, name, type_of(of), is_assigned)
    }

    /// Notes something that is declared outside.
    fn note(&mut self, written: &str, name: &str, type_name: &str, is_assigned: bool) -> Result<(), Uncut> {
        if let Some(known) = self.free.iter().find(|free| free.name == name) {
            let is_same = known.written == written;
            return if is_same { Ok(()) } else { Err(self.uncut(format!("two things are called {name}"))) };
        }
        let shape = Shape::of(type_name)
            .ok_or_else(|| self.uncut(format!("{written} is of type {type_name}, which kernels are not given")))?;
        let lengths: Vec<String> = shape.lengths().flat_map(words).map(str::to_owned).collect();
        let free = Free { written: written.to_owned(), name: name.to_owned(), shape, is_assigned };
        self.free.push(free);
        for length in lengths.iter().filter(|word| !word.starts_with(|part: char| part.is_ascii_digit())) {
            self.note_length(length)?;
        }
        Ok(())
    }

    /// Notes a variable that is part of the length of a row.
    fn note_length(&mut self, name: &str) -> Result<(), Uncut> {
        let nodes = all(self.definition);
        let mut own = nodes.iter().filter(|n| kind(n).ends_with("VarDecl") && n["name"] == name);
        let (Some(one), None) = (own.next(), own.next()) else {
            return Err(self.uncut(format!("it is not known which {name} is a length of rows")));
        };
        if one["id"].as_str().is_none_or(|id| changed(self.definition).contains(id)) {
            return Err(self.uncut(format!("{name} is a length of rows and changes")));
        }
        self.note(name, name, type_of(one), false)
    }

    /// The path to a member of something that is declared outside and not indexed on the way.
    fn path(&self, node: &'a Value) -> Option<String> {
        if kind(node) == "DeclRefExpr" {
            let of = &node["referencedDecl"];
            let is_outside = kind(of).ends_with("VarDecl") && !self.own.contains(of["id"].as_str()?);
            return of["name"].as_str().filter(|_| is_outside).map(str::to_owned);
        }
        let base = inner(node).next()?;
        match kind(node) {
            "MemberExpr" => {
                let by = if node["isArrow"] == true { "->" } else { "." };
                Some(format!("{}{by}{}", self.path(base)?, node["name"].as_str()?))
            }
            "ImplicitCastExpr" | "ParenExpr" => self.path(base),
            _ => None,
        }
    }

    /// An element that the caller replaces, or of an array whose rows have a length known at run time.
    fn element(&mut self, node: &'a Value) -> Result<Option<Edit>, Uncut> {
        let (base, indices) = subscripts(node);
        let at = match kind(base) {
            "MemberExpr" => base["range"]["end"]["offset"].as_u64(),
            _ => base["range"]["begin"]["offset"].as_u64(),
        };
        let place = at.and_then(|at| usize::try_from(at).ok()).map(|at| self.source.place(at));
        let mut replaced = self.wanted.replaced.iter().filter(|_| !self.is_outside);
        if let Some((place, text)) = replaced.find(|(other, _)| Some(*other) == place) {
            self.met.insert(*place);
            return self.replaced(node, text.clone()).map(Some);
        }
        let Some(shape) = Shape::of(type_of(base)).filter(|shape| !shape.is_fixed()) else { return Ok(None) };
        let path = self.path(base).ok_or_else(|| self.uncut("rows of unknown length belong to a thread"))?;
        let name = mangled(&path);
        self.note(&path, &name, type_of(base), false)?;
        let rows: Vec<String> = shape.lengths().map(str::to_owned).collect();
        if indices.len() != rows.len() + 1 {
            return Err(self.uncut(format!("a row of {path} is taken by its address")));
        }
        let mut offset = String::new();
        for (index, length) in indices.iter().zip(std::iter::once(None).chain(rows.iter().map(Some))) {
            let index = self.expression(index)?;
            offset = match length {
                None => format!("(long)({index})"),
                Some(length) => format!("({offset}) * ({length}) + ({index})"),
            };
        }
        self.replaced(node, format!("{name}[{offset}]")).map(Some)
    }

    fn call(&mut self, node: &'a Value, out: &mut Vec<Edit>) -> Result<(), Uncut> {
        let mut parts = inner(node);
        let callee = parts.next().ok_or_else(|| self.uncut("clang does not know what is called"))?;
        let name = callee_of(callee).ok_or_else(|| self.uncut("a function is called by its address"))?;
        let is_own = self.source.functions().any(|(own, _)| own == name);
        if is_own {
            if !self.called.contains(&name) {
                self.called.push(name.clone());
            }
        } else if self.wanted.language.is_overloaded {
            let known = overloaded(&name)
                .ok_or_else(|| self.uncut(format!("{name} has no counterpart in OpenCL C")))?;
            if known != name {
                out.push(self.replaced(callee, known.to_owned())?);
            }
        }
        for (place, argument) in parts.enumerate() {
            if is_own && type_of(argument).ends_with('*') {
                let space = self.space(argument).ok_or_else(|| self.uncut(format!("it is not known where {name} gets a pointer to")))?;
                self.passed.push(Passed { function: name.clone(), place, space });
            }
            let is_converted = kind(argument) == "ImplicitCastExpr"
                && matches!(argument["castKind"].as_str(), Some("IntegralToFloating" | "FloatingCast"));
            if is_converted && !is_own && self.wanted.language.is_overloaded {
                // One name for all types: the type of the argument decides.
                let text = format!("({})({})", type_of(argument), self.expression(argument)?);
                out.push(self.replaced(argument, text)?);
            } else {
                self.edits(argument, out)?;
            }
        }
        Ok(())
    }

    /// Pointers that a thread declares get the space of what they are set to.
    fn declaration(&mut self, node: &'a Value, out: &mut Vec<Edit>) -> Result<(), Uncut> {
        let own: Vec<&'a Value> = inner(node).filter(|part| kind(part) == "VarDecl").collect();
        if own.iter().any(|part| !part["storageClass"].is_null()) {
            return Err(self.uncut("a variable of the body outlives it"));
        }
        let is_pointer = |part: &&&'a Value| type_of(part).contains('*');
        let pointers: Vec<&'a Value> = own.iter().filter(is_pointer).copied().collect();
        let Some(first) = pointers.first() else { return Ok(()) };
        let name = first["name"].as_str().unwrap_or("?").to_owned();
        let unknown = self.uncut(format!("it is not known where {name} points to"));
        let mut spaces = BTreeSet::new();
        for part in &pointers {
            let value = inner(part).last().filter(|_| part["init"].is_string());
            let (Some(value), Some(id)) = (value, part["id"].as_str()) else { return Err(unknown) };
            let Some(space) = self.space(value) else { return Err(unknown) };
            let is_global = space == Space::Global;
            if is_global {
                self.pointers.insert(id);
            }
            // It has to stay where it points to.
            if self.assigned.contains(id) && !self.stays(id) {
                return Err(unknown);
            }
            spaces.insert(is_global);
        }
        if spaces.contains(&true) {
            if spaces.len() > 1 || pointers.len() < own.len() {
                return Err(self.uncut(format!("{name} is declared together with other kinds of variables")));
            }
            let start = self.replaced(node, String::new())?.0.start;
            let global = self.wanted.language.global;
            if !global.is_empty() {
                out.push((start..start, format!("{global} ")));
            }
        }
        Ok(())
    }

    /// Whether a pointer is only moved within what it points to.
    fn stays(&self, id: &str) -> bool {
        let is_set = |node: &&&Value| kind(node) == "BinaryOperator" && node["opcode"] == "=";
        let nodes = all(self.definition);
        let mut sets = nodes.iter().filter(is_set);
        !sets.any(|node| inner(node).next().and_then(reference).is_some_and(|target| target.0 == id))
    }

    /// Where an expression points to.
    fn space(&self, node: &Value) -> Option<Space> {
        match kind(node) {
            "DeclRefExpr" => {
                let (of, id) = (&node["referencedDecl"], node["referencedDecl"]["id"].as_str()?);
                let is_own = self.own.contains(id);
                let is_array = type_of(of).contains('[') && !type_of(of).contains("(*");
                match (is_own, self.pointers.contains(id)) {
                    (false, _) | (true, true) => Some(Space::Global),
                    (true, false) => is_array.then_some(Space::Private),
                }
            }
            "MemberExpr" => self.space(inner(node).next()?),
            "ArraySubscriptExpr" | "ImplicitCastExpr" | "ParenExpr" | "CStyleCastExpr" => {
                self.space(inner(node).next()?)
            }
            "UnaryOperator" => match node["opcode"].as_str()? {
                "&" => match reference(inner(node).next()?) {
                    Some((id, _)) if self.own.contains(id) => Some(Space::Private),
                    _ => self.space(inner(node).next()?),
                },
                "++" | "--" | "*" => self.space(inner(node).next()?),
                _ => None,
            },
            "BinaryOperator" if matches!(node["opcode"].as_str()?, "+" | "-") => {
                let mut sides = inner(node);
                let (a, b) = (sides.next()?, sides.next()?);
                let is_pointer = |side: &Value| type_of(side).contains(['*', '[']);
                match (is_pointer(a), is_pointer(b)) {
                    (true, false) => self.space(a),
                    (false, true) => self.space(b),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The types and functions that the text needs.
    fn declarations(&mut self, levels: &[Level], body: &str) -> Result<Vec<String>, Uncut> {
        let functions = self.functions()?;
        let mut names: BTreeSet<String> = BTreeSet::new();
        let of_levels = levels.iter().flat_map(|level| [&level.first, &level.condition, &level.before]);
        for text in of_levels.map(String::as_str).chain([body]).chain(functions.iter().map(|f| f.1.as_str())) {
            names.extend(words(text).map(str::to_owned));
        }
        names.extend(self.free.iter().flat_map(|free| words(&free.shape.element)).map(str::to_owned));
        let mut list = self.source.types(names);
        list.extend(functions);
        list.sort();
        Ok(list.into_iter().map(|(_, text)| text).collect())
    }

    /// The functions that are called, with those that they call: where they stand, and their texts.
    fn functions(&mut self) -> Result<Vec<(usize, String)>, Uncut> {
        let mut list = Vec::new();
        let mut next = 0;
        while let Some(name) = self.called.get(next).cloned() {
            next += 1;
            let found = self.source.functions().find(|(own, _)| *own == name);
            let Some((_, definition)) = found else { continue };
            let range = self.source.range(definition);
            let range = range.ok_or_else(|| self.uncut(format!("a macro hides {name}")))?;
            let body = inner(definition).find(|part| kind(part) == "CompoundStmt");
            let body = body.ok_or_else(|| self.uncut(format!("{name} has no body")))?;
            let head = self.head(&name, definition, range.start)?;
            let outside = self.free.len();
            let is_declaration = |node: &&&'a Value| kind(node).ends_with("VarDecl");
            let nodes = all(definition);
            self.own.extend(nodes.iter().filter(is_declaration).filter_map(|node| node["id"].as_str()));
            self.assigned.extend(changed(body));
            let text = self.text(body)?;
            if let Some(free) = self.free.get(outside) {
                return Err(self.uncut(format!("{name} uses {}, which it is not given", free.written)));
            }
            list.push((range.start, format!("static {}{head} {text}", self.wanted.language.function)));
        }
        Ok(list)
    }

    /// The head of a function: its type, name and parameters, pointers with their spaces.
    fn head(&mut self, name: &str, definition: &'a Value, from: usize) -> Result<String, Uncut> {
        let result = type_of(definition).split('(').next().unwrap_or("").trim().to_owned();
        if result.ends_with('*') {
            return Err(self.uncut(format!("{name} gives a pointer")));
        }
        self.line = self.source.place(from).0;
        let mut parameters = Vec::new();
        for (place, parameter) in inner(definition).filter(|part| kind(part) == "ParmVarDecl").enumerate() {
            let (type_name, id) = (type_of(parameter), parameter["id"].as_str());
            let own = parameter["name"].as_str().unwrap_or("");
            let spaces: BTreeSet<bool> = self
                .passed
                .iter()
                .filter(|passed| passed.function == name && passed.place == place)
                .map(|passed| passed.space == Space::Global)
                .collect();
            if spaces.len() > 1 {
                return Err(self.uncut(format!("{name} gets pointers to arrays and to variables of a thread")));
            }
            let mut text = String::new();
            if spaces.contains(&true) {
                self.pointers.extend(id);
                if !self.wanted.language.global.is_empty() {
                    text = format!("{} ", self.wanted.language.global);
                }
            }
            let shape = Shape::of(type_name);
            let shape = shape.filter(Shape::is_fixed).ok_or_else(|| {
                self.uncut(format!("{name} has a parameter of type {type_name}, which kernels are not given"))
            })?;
            text += &shape.declared(own);
            parameters.push(text);
        }
        let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        Ok(format!("{result} {name}({parameters})"))
    }
}

/// What an element is taken of, and its indices, the first one first.
fn subscripts(node: &Value) -> (&Value, Vec<&Value>) {
    let mut indices = Vec::new();
    let mut at = node;
    loop {
        match kind(at) {
            "ArraySubscriptExpr" => {
                let mut parts = inner(at);
                let (Some(base), Some(index)) = (parts.next(), parts.next()) else { break };
                indices.insert(0, index);
                at = base;
            }
            "ImplicitCastExpr" | "ParenExpr" => match inner(at).next() {
                Some(part) => at = part,
                None => break,
            },
            _ => break,
        }
    }
    (at, indices)
}

/// A path as a name.
pub fn mangled(path: &str) -> String {
    path.replace("->", "_").replace('.', "_")
}

/// What a function of C's mathematics is called where one name serves all types.
fn overloaded(name: &str) -> Option<&str> {
    const MATHEMATICS: [&str; 39] = [
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh",
        "erf", "erfc", "exp", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "hypot",
        "log", "log10", "log1p", "log2", "pow", "rint", "round", "sin", "sinh", "sqrt", "tan", "tanh", "tgamma",
        "trunc",
    ];
    match name {
        // Theirs gives a number without sign.
        "abs" => return Some("(int)abs"),
        "labs" | "llabs" => return Some("(long)abs"),
        _ => {}
    }
    let plain = name.strip_suffix('f').filter(|plain| MATHEMATICS.contains(plain));
    plain.or_else(|| Some(name).filter(|name| MATHEMATICS.contains(name)))
}
