//! clang's syntax tree, as it prints it, and where its nodes stand in the file.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::Value;

use crate::types;

/// A C source and its syntax tree.
#[derive(Debug, Clone)]
pub struct Source {
    /// The file's text.
    pub text: String,
    root: Value,
    /// Where lines begin.
    lines: Vec<usize>,
}

impl Source {
    /// A text and clang's tree of it.
    pub fn new(text: String, root: Value) -> Source {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Source { text, root, lines }
    }

    /// Line and column, from 1, of a byte.
    pub fn place(&self, offset: usize) -> (u32, u32) {
        let line = self.lines.partition_point(|&start| start <= offset);
        let start = self.lines.get(line.wrapping_sub(1)).copied().unwrap_or(0);
        (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(offset - start + 1).unwrap_or(u32::MAX))
    }

    /// Whether another loop with a counter may stand on the first or the last line of a loop, beside it.
    pub fn is_beside_another(&self, of: &Range<usize>) -> bool {
        let part = |range: Range<usize>| self.text.get(range).unwrap_or_default();
        let before = part(0..of.start).rsplit('\n').next().unwrap_or_default();
        let behind = part(of.end..self.text.len()).split('\n').next().unwrap_or_default();
        // Comments speak of loops too.
        let behind = behind.split("//").next().and_then(|text| text.split("/*").next()).unwrap_or_default();
        let before = before.rsplit("*/").next().unwrap_or_default();
        let has_loop = |text: &str| {
            text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == "for")
        };
        has_loop(before) || has_loop(behind)
    }

    /// The functions that this file itself defines: name and definition.
    pub fn functions(&self) -> impl Iterator<Item = (&str, &Value)> {
        inner(&self.root).filter_map(|node| {
            let name = node["name"].as_str().filter(|_| kind(node) == "FunctionDecl")?;
            let has_body = inner(node).any(|part| kind(part) == "CompoundStmt");
            let own = self.range(node).is_some() && node["loc"]["includedFrom"].is_null();
            let stands = usize_at(&node["loc"], "offset").is_some_and(|at| self.has(at, name));
            (has_body && own && stands).then_some((name, node))
        })
    }

    /// Declarations of the types and constants of these names, and of those that they use: where they stand, and their texts. Types
    /// of other files are given by what they stand for, if that is a number.
    pub fn types(&self, names: BTreeSet<String>) -> Vec<(usize, String)> {
        let mut list: Vec<(Range<usize>, String)> = Vec::new();
        let mut open: Vec<String> = names.into_iter().collect();
        let mut seen: BTreeSet<String> = open.iter().cloned().collect();
        while let Some(name) = open.pop() {
            for node in inner(&self.root).filter(|node| declares(node, &name)) {
                let text = match self.range(node).filter(|_| self.is_own(node)) {
                    Some(range) => {
                        let text = format!("{};", &self.text[range.clone()]);
                        list.push((range, text.clone()));
                        text
                    }
                    None if kind(node) == "TypedefDecl" && types::is_number(type_of(node)) => {
                        list.push((0..0, format!("typedef {} {name};", type_of(node))));
                        continue;
                    }
                    None => continue,
                };
                for word in types::words(&text).filter(|word| !seen.contains(*word)) {
                    open.push(word.to_owned());
                }
                seen.extend(types::words(&text).map(str::to_owned));
            }
        }
        // A structure may be declared within the type that is named after it.
        let ranges: Vec<Range<usize>> = list.iter().map(|entry| entry.0.clone()).collect();
        let is_within = |of: &Range<usize>| {
            ranges
                .iter()
                .any(|other| other != of && other.start <= of.start && of.end <= other.end && !of.is_empty())
        };
        list.retain(|entry| !is_within(&entry.0));
        let mut list: Vec<(usize, String)> =
            list.into_iter().map(|(range, text)| (range.start, text)).collect();
        list.sort();
        list.dedup();
        list
    }

    /// Whether a type of this name is declared in another file, and is no number: [`Source::types`] has no text of it.
    pub fn is_elsewhere(&self, name: &str) -> bool {
        let mut all = inner(&self.root).filter(|node| declares(node, name)).peekable();
        let is_given = |node: &Value| {
            self.range(node).is_some_and(|_| self.is_own(node))
                || kind(node) == "TypedefDecl" && types::is_number(type_of(node))
        };
        all.peek().is_some() && !all.any(is_given)
    }

    /// Whether a declaration stands in this file.
    fn is_own(&self, node: &Value) -> bool {
        let at = usize_at(&node["loc"], "offset");
        let name = node["name"].as_str().unwrap_or("");
        node["loc"]["includedFrom"].is_null() && at.is_some_and(|at| self.has(at, name))
    }

    /// Whether the text goes on with this at a byte.
    pub fn has(&self, offset: usize, text: &str) -> bool {
        self.text.as_bytes().get(offset..).is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    /// The bytes of a node; of a macro, where it is used.
    pub fn range(&self, node: &Value) -> Option<Range<usize>> {
        let (begin, end) = (&node["range"]["begin"], &node["range"]["end"]);
        let start = usize_at(begin, "offset").or_else(|| usize_at(&begin["expansionLoc"], "offset"))?;
        let end = match usize_at(end, "offset") {
            Some(at) => at + usize_at(end, "tokLen")?,
            None => {
                let used = &end["expansionLoc"];
                self.after_arguments(usize_at(used, "offset")? + usize_at(used, "tokLen")?)
            }
        };
        (start <= end && self.text.get(start..end).is_some()).then_some(start..end)
    }

    /// Whether a node begins in what a macro becomes: its parts have no text of their own.
    pub fn begins_in_macro(&self, node: &Value) -> bool {
        usize_at(&node["range"]["begin"], "offset").is_none()
    }

    /// The bytes of a node where it is written, also as an argument of a macro; `None` inside a macro's own text.
    pub fn spelled(&self, node: &Value) -> Option<Range<usize>> {
        let place = |end: &Value| {
            let is_argument = end["expansionLoc"]["isMacroArgExpansion"].as_bool() == Some(true);
            if !end["offset"].is_null() {
                return Some((usize_at(end, "offset")?, usize_at(end, "tokLen")?));
            }
            // Another macro may have written the argument, in another file too.
            let (used, of) = (&end["expansionLoc"], &end["spellingLoc"]);
            let start = usize_at(used, "offset")?;
            let uses = start..self.after_arguments(start + usize_at(used, "tokLen")?);
            let at = usize_at(of, "offset").filter(|at| is_argument && uses.contains(at) && *at > start)?;
            Some((at, usize_at(of, "tokLen")?))
        };
        let (start, last) = (place(&node["range"]["begin"])?.0, place(&node["range"]["end"])?);
        let end = last.0 + last.1;
        (start <= end && self.text.get(start..end).is_some()).then_some(start..end)
    }

    /// The bytes of a statement, with the semicolon that ends it.
    pub fn statement(&self, node: &Value) -> Option<Range<usize>> {
        let range = self.range(node)?;
        let next = self.skip_space(range.end);
        let text = &self.text[range.clone()];
        // Not the brace of `t = (struct pair){ 1, 2 };`.
        let is_block =
            text.ends_with('}') && node["kind"].as_str().is_some_and(|kind| kind.ends_with("Stmt"));
        let end = if self.has(next, ";") && !is_block && !text.ends_with(';') { next + 1 } else { range.end };
        Some(range.start..end)
    }

    /// Where a name that a node refers to stands in the text; `None` inside a macro's own text.
    pub fn written(&self, node: &Value, name: &str) -> Option<usize> {
        let begin = &node["range"]["begin"];
        let is_argument = begin["expansionLoc"]["isMacroArgExpansion"].as_bool() == Some(true);
        let spelled = || usize_at(&begin["spellingLoc"], "offset").filter(|_| is_argument);
        usize_at(begin, "offset").or_else(spelled).filter(|&at| self.has(at, name))
    }

    /// The end of a macro's use, arguments included.
    fn after_arguments(&self, end: usize) -> usize {
        let open = self.skip_space(end);
        if !self.has(open, "(") {
            return end;
        }
        let mut depth = 0usize;
        for (at, byte) in self.text.bytes().enumerate().skip(open) {
            match byte {
                b'(' => depth += 1,
                b')' if depth == 1 => return at + 1,
                b')' => depth -= 1,
                _ => {}
            }
        }
        end
    }

    /// The first byte from `at` on that is neither space nor in a comment.
    fn skip_space(&self, mut at: usize) -> usize {
        let bytes = self.text.as_bytes();
        loop {
            while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
                at += 1;
            }
            let ends = if self.has(at, "/*") { "*/" } else { return at };
            match self.text.get(at + 2..).and_then(|rest| rest.find(ends)) {
                Some(length) => at += length + 4,
                None => return at,
            }
        }
    }
}

/// The kind of a node, as clang names it.
pub fn kind(node: &Value) -> &str {
    node["kind"].as_str().unwrap_or("")
}

/// Whether a node declares a type or a constant of this name.
fn declares(node: &Value, name: &str) -> bool {
    match kind(node) {
        "TypedefDecl" | "RecordDecl" => node["name"] == name,
        "EnumDecl" => node["name"] == name || inner(node).any(|constant| constant["name"] == name),
        _ => false,
    }
}

/// The parts of a node.
pub fn inner(node: &Value) -> impl Iterator<Item = &Value> {
    node["inner"].as_array().into_iter().flatten()
}

/// A node and all below it, in the order of the text.
pub fn all(node: &Value) -> Vec<&Value> {
    let mut out = Vec::new();
    let mut open = vec![node];
    while let Some(next) = open.pop() {
        out.push(next);
        let parts: Vec<&Value> = inner(next).collect();
        open.extend(parts.into_iter().rev());
    }
    out
}

/// What an expression is apart from parentheses and conversions between integers.
pub fn stripped(mut node: &Value) -> &Value {
    loop {
        let is_conversion = match kind(node) {
            "ParenExpr" | "ConstantExpr" => true,
            "ImplicitCastExpr" | "CStyleCastExpr" => {
                matches!(node["castKind"].as_str(), Some("LValueToRValue" | "IntegralCast" | "NoOp"))
            }
            _ => false,
        };
        match inner(node).next() {
            Some(part) if is_conversion => node = part,
            _ => return node,
        }
    }
}

/// The declaration that an expression refers to, if that is all it does: id and name.
pub fn reference(node: &Value) -> Option<(&str, &str)> {
    let of = &stripped(node)["referencedDecl"];
    if kind(stripped(node)) != "DeclRefExpr" {
        return None;
    }
    Some((of["id"].as_str()?, of["name"].as_str()?))
}

/// The function that is called by its name.
pub fn callee_of(mut node: &Value) -> Option<String> {
    loop {
        match kind(node) {
            "DeclRefExpr" => {
                let of = &node["referencedDecl"];
                return of["name"].as_str().filter(|_| kind(of) == "FunctionDecl").map(str::to_owned);
            }
            "ImplicitCastExpr" | "ParenExpr" => node = inner(node).next()?,
            _ => return None,
        }
    }
}

/// The type of a node as written.
pub fn type_of(node: &Value) -> &str {
    let own = &node["type"];
    own["desugaredQualType"].as_str().or(own["qualType"].as_str()).unwrap_or("")
}

fn usize_at(value: &Value, key: &str) -> Option<usize> {
    value[key].as_u64().and_then(|n| usize::try_from(n).ok())
}
