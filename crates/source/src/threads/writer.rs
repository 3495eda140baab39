//! The text of statements, with what has to be replaced.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::Value;

use super::functions::Passed;
use super::{Free, Wanted};
use crate::nest::{Place, Uncut, changed};
use crate::tree::{Source, all, callee_of, inner, kind, reference, type_of};
use crate::types::{Shape, words};

/// Bytes to be replaced, and by what.
pub(super) type Edit = (Range<usize>, String);

/// Writes the text of a nest's threads.
pub(super) struct Writer<'a> {
    pub(super) source: &'a Source,
    pub(super) definition: &'a Value,
    pub(super) wanted: &'a Wanted<'a>,
    /// Variables that belong to a thread, by clang's names.
    pub(super) own: BTreeSet<&'a str>,
    /// Their names.
    pub(super) own_names: BTreeSet<String>,
    /// Those of them that point into arrays of the host.
    pub(super) pointers: BTreeSet<&'a str>,
    pub(super) assigned: BTreeSet<&'a str>,
    pub(super) free: Vec<Free>,
    /// Functions of the file that are called, and those still to be looked at.
    pub(super) called: Vec<String>,
    pub(super) passed: Vec<Passed>,
    /// Accesses that were replaced.
    pub(super) met: BTreeSet<Place>,
    /// What is written is no part of the loops.
    pub(super) is_outside: bool,
    pub(super) line: u32,
}

impl<'a> Writer<'a> {
    pub(super) fn new(source: &'a Source, definition: &'a Value, wanted: &'a Wanted<'a>) -> Writer<'a> {
        Writer {
            source,
            definition,
            wanted,
            own: BTreeSet::new(),
            own_names: BTreeSet::new(),
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

    /// Variables that are declared here belong to a thread.
    pub(super) fn own_all(&mut self, of: &'a Value) {
        for node in all(of).into_iter().filter(|node| kind(node).ends_with("VarDecl")) {
            self.own.extend(node["id"].as_str());
            self.own_names.extend(node["name"].as_str().map(str::to_owned));
        }
    }

    pub(super) fn uncut(&self, why: impl Into<String>) -> Uncut {
        Uncut { line: self.line, why: why.into() }
    }

    /// The text of a statement, with what has to be replaced.
    pub(super) fn text(&mut self, node: &'a Value) -> Result<String, Uncut> {
        let hidden = "a macro hides where a statement ends";
        let range = self.source.statement(node).ok_or_else(|| self.uncut(hidden))?;
        self.edited(node, range)
    }

    /// The text of an expression, with what has to be replaced.
    pub(super) fn expression(&mut self, node: &'a Value) -> Result<String, Uncut> {
        let hidden = "a macro hides where an expression ends";
        let range = self.source.spelled(node).or_else(|| self.source.range(node));
        let range = range.ok_or_else(|| self.uncut(hidden))?;
        self.edited(node, range)
    }

    fn edited(&mut self, node: &'a Value, range: Range<usize>) -> Result<String, Uncut> {
        let mut edits = Vec::new();
        self.edits(node, &mut edits)?;
        edits.sort_by_key(|edit| (edit.0.start, edit.0.end));
        // A macro may use an argument several times.
        edits.dedup();
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

    /// An edit of a whole node; what is an argument of a macro is changed where it is written.
    pub(super) fn replaced(&self, node: &Value, by: String) -> Result<Edit, Uncut> {
        let range = self.source.spelled(node);
        range.map(|range| (range, by)).ok_or_else(|| self.uncut("a macro hides what has to be replaced"))
    }

    fn edits(&mut self, node: &'a Value, out: &mut Vec<Edit>) -> Result<(), Uncut> {
        if let Some(path) = self.assigned_member(node) {
            return Err(self.uncut(format!("{path} is assigned")));
        }
        if type_of(node).contains("_Complex") {
            return Err(self.uncut("languages of devices have no complex numbers of C"));
        }
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
        let shape = Shape::of(type_name).ok_or_else(|| {
            self.uncut(format!("{written} is of type {type_name}, which kernels are not given"))
        })?;
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

    /// The member of something declared outside that an expression assigns: kernels are given its value.
    fn assigned_member(&self, node: &'a Value) -> Option<String> {
        let assigns = match kind(node) {
            "BinaryOperator" => node["opcode"] == "=",
            "CompoundAssignOperator" => true,
            "UnaryOperator" => node["opcode"] == "++" || node["opcode"] == "--",
            _ => false,
        };
        let mut target = inner(node).next().filter(|_| assigns)?;
        while kind(target) == "ParenExpr" {
            target = inner(target).next()?;
        }
        self.path(target).filter(|_| kind(target) == "MemberExpr")
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
        } else if overloaded(&name).is_none() && !OF_DEVICES.contains(&name.as_str()) {
            return Err(self.uncut(format!("{name} has no counterpart on a device")));
        }
        for (place, argument) in parts.enumerate() {
            if is_own && type_of(argument).ends_with('*') {
                let space = self
                    .space(argument)
                    .ok_or_else(|| self.uncut(format!("it is not known where {name} gets a pointer to")))?;
                self.passed.push(Passed { function: name.clone(), place, space });
            }
            let is_converted = kind(argument) == "ImplicitCastExpr"
                && matches!(
                    argument["castKind"].as_str(),
                    Some("IntegralToFloating" | "FloatingToIntegral" | "FloatingCast" | "IntegralCast")
                );
            if is_converted && !is_own {
                // One name for all types, in C++ too: the type of the argument decides.
                let text = format!("({})({})", type_of(argument), self.expression(argument)?);
                out.push(self.replaced(argument, text)?);
            } else {
                self.edits(argument, out)?;
            }
        }
        Ok(())
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

/// Other functions that code for devices in C++ may call, beside those of [`overloaded`]; what compilers call for the rest is not there.
const OF_DEVICES: [&str; 30] = [
    "__builtin_abs",
    "__builtin_clz",
    "__builtin_copysign",
    "__builtin_expect",
    "__builtin_fabs",
    "__builtin_fabsf",
    "__builtin_ffs",
    "__builtin_floor",
    "__builtin_fma",
    "__builtin_isnan",
    "__builtin_popcount",
    "__builtin_signbit",
    "isnan",
    "ldexp",
    "ldexpf",
    "lgamma",
    "lgammaf",
    "llrint",
    "llround",
    "logb",
    "lrint",
    "lround",
    "memcpy",
    "memset",
    "nearbyint",
    "nearbyintf",
    "printf",
    "remainder",
    "remainderf",
    "scalbn",
];

/// What a function of C's mathematics is called where one name serves all types.
fn overloaded(name: &str) -> Option<&str> {
    const MATHEMATICS: [&str; 39] = [
        "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos",
        "cosh", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin",
        "fmod", "hypot", "log", "log10", "log1p", "log2", "pow", "rint", "round", "sin", "sinh", "sqrt",
        "tan", "tanh", "tgamma", "trunc",
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
