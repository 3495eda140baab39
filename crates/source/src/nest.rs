//! Nests of counted loops.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::Value;

use crate::linear::{Linear, Symbol};
use crate::tree::{Source, all, callee_of, inner, kind, reference, stripped, type_of};

/// Line and column, from 1.
pub type Place = (u32, u32);

/// A loop that is not cut out, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the loop of line {line}: {why}")]
pub struct Uncut {
    /// Its line.
    pub line: u32,
    /// Why not.
    pub why: String,
}

/// What bounds are linear in beside iterators: an expression that the nest leaves unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The expression as written.
    pub text: String,
    /// Its type.
    pub type_name: String,
    /// It is a variable.
    pub is_variable: bool,
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub type_name: String,
    /// It belongs to an activation of the function.
    pub is_local: bool,
    /// It is declared inside of the nest, anew in every iteration.
    pub is_inside: bool,
}

/// A variable that is mentioned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// clang's name for its declaration.
    pub id: String,
    /// Where its name stands; `None` inside a macro's own text.
    pub at: Option<usize>,
}

/// A variable declared directly in a statement, so that statements after it can use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// clang's name for it.
    pub id: String,
    /// The whole declaration, which may be of several.
    pub whole: Range<usize>,
    /// Its initial value.
    pub value: Option<Range<usize>>,
    /// Its size is a constant, and it lives no longer than the activation.
    pub is_plain: bool,
}

/// A statement: neighbouring statements of a body between loops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Its bytes.
    pub range: Range<usize>,
    /// Where it begins.
    pub from: Place,
    /// Where it ends.
    pub to: Place,
    /// The variables it mentions.
    pub references: Vec<Reference>,
    /// Those it declares for statements after it too.
    pub declares: Vec<Declared>,
    /// Names of the functions it calls; empty ones for pointers.
    pub calls: Vec<String>,
    /// A loop is part of it.
    pub has_loop: bool,
    /// It declares variables without values, and does nothing.
    pub is_silent: bool,
}

/// A counted loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// Where it begins.
    pub from: Place,
    /// Where its body begins.
    pub body_from: Place,
    /// clang's name for its iterator.
    pub iterator: String,
    /// First value.
    pub first: Linear,
    /// Last value that may be taken.
    pub last: Linear,
    /// Distance of values; not 0, negative for loops that count down.
    pub step: i64,
    /// Inside, in order.
    pub body: Vec<Item>,
}

/// A part of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A loop.
    Loop(Counted),
    /// A statement, by its index.
    Statement(usize),
}

/// A nest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nest {
    /// The bytes of its outermost loop.
    pub range: Range<usize>,
    /// That loop.
    pub outermost: Counted,
    /// Its statements, in order of the text.
    pub statements: Vec<Statement>,
    /// What its bounds are linear in.
    pub parameters: Vec<Parameter>,
    /// All variables that are mentioned in it, by clang's names.
    pub variables: BTreeMap<String, Variable>,
    /// Loops that stay inside statements.
    pub uncut: Vec<Uncut>,
}

impl Source {
    /// The nest whose outermost loop begins on a line of a function. Loops that begin on the lines of `whole` stay parts of
    /// statements.
    ///
    /// # Errors
    /// Why there is none.
    pub fn nest(&self, function: &str, line: u32, whole: &BTreeSet<u32>) -> Result<Nest, Uncut> {
        let uncut = |why: &str| Uncut { line, why: why.to_owned() };
        let definition = self.functions().find(|(name, _)| *name == function);
        let (_, definition) =
            definition.ok_or_else(|| uncut(&format!("the source has no function {function}")))?;
        let begins = |node: &&Value| self.range(node).is_some_and(|range| self.place(range.start).0 == line);
        let parts = all(definition);
        let loops =
            || parts.iter().copied().filter(|n| matches!(kind(n), "ForStmt" | "WhileStmt" | "DoStmt"));
        let found = loops().find(begins).ok_or_else(|| uncut("no loop of the source begins there"))?;
        if kind(found) != "ForStmt" {
            return Err(uncut("it is no `for` loop"));
        }
        let mut reader = Reader::new(self, definition, found, whole);
        let range = self.statement(found).ok_or_else(|| uncut("a macro hides its end"))?;
        let outermost = reader.counted(found, &mut Vec::new())?;
        reader.iterators_stay_inside(definition, &range).map_err(|why| uncut(&why))?;
        let Reader { statements, parameters, variables, uncut, .. } = reader;
        Ok(Nest { range, outermost, statements, parameters, variables, uncut })
    }
}

/// Reads one nest.
struct Reader<'a> {
    source: &'a Source,
    /// Lines of loops that are not to be cut.
    whole: &'a BTreeSet<u32>,
    /// Variables that the nest changes, or that it declares.
    changed: BTreeSet<&'a str>,
    /// Variables of which the function takes the address.
    addressed: BTreeSet<&'a str>,
    /// Variables that the function declares.
    local: BTreeSet<&'a str>,
    /// Variables that the nest declares, and that do not outlive it.
    inside: BTreeSet<&'a str>,
    /// Something that the file defines is called, or something unknown.
    calls_own: bool,
    /// All iterators of counted loops, and the bytes of these.
    iterators: Vec<(String, Range<usize>)>,
    statements: Vec<Statement>,
    parameters: Vec<Parameter>,
    variables: BTreeMap<String, Variable>,
    uncut: Vec<Uncut>,
}

impl<'a> Reader<'a> {
    fn new(
        source: &'a Source,
        definition: &'a Value,
        nest: &'a Value,
        whole: &'a BTreeSet<u32>,
    ) -> Reader<'a> {
        let in_function = all(definition);
        let declared = |node: &&'a Value| node["id"].as_str().filter(|_| kind(node).ends_with("VarDecl"));
        let mut changed = changed(nest);
        let in_nest = all(nest);
        changed.extend(in_nest.iter().filter_map(declared));
        let inside =
            in_nest.iter().filter(|node| node["storageClass"].is_null()).filter_map(declared).collect();
        let addressed = in_function.iter().filter(|n| kind(n) == "UnaryOperator" && n["opcode"] == "&");
        let own: Vec<&str> = source.functions().map(|(name, _)| name).collect();
        Reader {
            source,
            whole,
            changed,
            addressed: addressed.filter_map(|n| Some(reference(inner(n).next()?)?.0)).collect(),
            inside,
            local: in_function.iter().filter_map(declared).collect(),
            calls_own: calls(nest).iter().any(|name| name.is_empty() || own.contains(&name.as_str())),
            iterators: Vec::new(),
            statements: Vec::new(),
            parameters: Vec::new(),
            variables: BTreeMap::new(),
            uncut: Vec::new(),
        }
    }

    /// A loop inside loops with these iterators.
    fn counted(&mut self, node: &'a Value, around: &mut Vec<String>) -> Result<Counted, Uncut> {
        let range = self.source.statement(node);
        let from = range.as_ref().map_or((0, 0), |range| self.source.place(range.start));
        let uncut = |why: &str| Uncut { line: from.0, why: why.to_owned() };
        let range = range.ok_or_else(|| uncut("a macro hides its end"))?;
        if self.whole.contains(&from.0) {
            return Err(uncut(
                "what it passes on in a variable keeps it in one piece with what stands around it",
            ));
        }
        let parts: Vec<&Value> = inner(node).collect();
        let [init, _, condition, advance, body] = parts[..] else {
            return Err(uncut("clang does not know its parts"));
        };
        if let Some(why) = escape(body, false) {
            return Err(uncut(why));
        }
        let (id, first) = start(init).ok_or_else(|| uncut("it does not begin by setting one iterator"))?;
        if changed(body).contains(id) || self.addressed.contains(id) {
            return Err(uncut("its body may change the iterator"));
        }
        let step = step(advance, id).ok_or_else(|| uncut("it does not advance by a constant"))?;
        let (operator, bound) =
            limit(condition, id).ok_or_else(|| uncut("its condition is no comparison of the iterator"))?;
        let not_linear = || uncut("a bound is not affine in what the nest leaves unchanged");
        let first = self.linear(first, around).ok_or_else(not_linear)?;
        let bound = self.linear(bound, around).ok_or_else(not_linear)?;
        let beyond = match (operator, step) {
            ("<", 1..) | ("!=", 1) => -1,
            (">", ..=-1) | ("!=", -1) => 1,
            ("<=", 1..) | (">=", ..=-1) => 0,
            _ => return Err(uncut("its condition does not fit the direction in which it counts")),
        };
        let last = bound.plus(1, &Linear::constant(beyond)).ok_or_else(not_linear)?;
        self.iterators.push((id.to_owned(), range));
        self.mention(init);
        let body_range = self.source.statement(body).ok_or_else(|| uncut("a macro hides its body"))?;
        around.push(id.to_owned());
        let items = self.items(body, around);
        around.pop();
        let body_from = self.source.place(body_range.start);
        Ok(Counted { from, body_from, iterator: id.to_owned(), first, last, step, body: items? })
    }

    /// The loops and statements of a body.
    fn items(&mut self, body: &'a Value, around: &mut Vec<String>) -> Result<Vec<Item>, Uncut> {
        let parts: Vec<&Value> =
            if kind(body) == "CompoundStmt" { inner(body).collect() } else { vec![body] };
        let mut out = Vec::new();
        let mut open: Vec<&Value> = Vec::new();
        for part in parts {
            if kind(part) == "NullStmt" {
                continue;
            }
            if kind(part) == "ForStmt" {
                let before = (self.statements.len(), self.iterators.len());
                match self.counted(part, around) {
                    Ok(counted) => {
                        // Statements are numbered in the order of the text.
                        if let Some(statement) = self.close(&mut open)? {
                            self.statements.insert(before.0, statement);
                            out.push(Item::Statement(before.0));
                            out.push(Item::Loop(moved(counted, before.0)));
                        } else {
                            out.push(Item::Loop(counted));
                        }
                        continue;
                    }
                    Err(why) => {
                        self.statements.truncate(before.0);
                        self.iterators.truncate(before.1);
                        self.uncut.push(why);
                    }
                }
            }
            open.push(part);
        }
        if let Some(statement) = self.close(&mut open)? {
            out.push(Item::Statement(self.statements.len()));
            self.statements.push(statement);
        }
        Ok(out)
    }

    /// One statement of neighbouring ones.
    fn close(&mut self, open: &mut Vec<&'a Value>) -> Result<Option<Statement>, Uncut> {
        let parts = std::mem::take(open);
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return Ok(None) };
        let bytes = self.source.statement(first).zip(self.source.statement(last));
        let range = bytes.map(|(first, last)| first.start..last.end).filter(|range| range.start < range.end);
        let Some(range) = range else {
            return Err(Uncut { line: 0, why: "a macro hides where a statement ends".to_owned() });
        };
        let mut statement = Statement {
            from: self.source.place(range.start),
            to: self.source.place(range.end),
            range,
            references: Vec::new(),
            declares: Vec::new(),
            calls: Vec::new(),
            has_loop: false,
            is_silent: true,
        };
        for part in parts {
            let nodes = all(part);
            statement.has_loop |= nodes
                .iter()
                .any(|n| kind(n).ends_with("ForStmt") || matches!(kind(n), "WhileStmt" | "DoStmt"));
            let is_silent = kind(part) == "DeclStmt"
                && inner(part).all(|own| kind(own) == "VarDecl" && own["init"].is_null());
            statement.is_silent &= is_silent;
            statement.calls.extend(calls(part));
            statement.references.extend(self.mention(part));
            if kind(part) == "DeclStmt" {
                statement.declares.extend(self.declared(part));
            }
        }
        Ok(Some(statement))
    }

    /// Notes the variables that a part mentions or declares.
    fn mention(&mut self, part: &'a Value) -> Vec<Reference> {
        let mut out: Vec<Reference> = Vec::new();
        for node in all(part) {
            let (id, name, type_name) = match kind(node) {
                "DeclRefExpr" => {
                    let of = &node["referencedDecl"];
                    if !kind(of).ends_with("VarDecl") {
                        continue;
                    }
                    (&of["id"], &of["name"], type_of(of))
                }
                "VarDecl" => (&node["id"], &node["name"], type_of(node)),
                _ => continue,
            };
            let (Some(id), Some(name)) = (id.as_str(), name.as_str()) else { continue };
            let variable = Variable {
                name: name.to_owned(),
                type_name: type_name.to_owned(),
                is_local: self.local.contains(id),
                is_inside: self.inside.contains(id),
            };
            self.variables.insert(id.to_owned(), variable);
            if kind(node) == "DeclRefExpr" {
                let reference = Reference { id: id.to_owned(), at: self.source.written(node, name) };
                if !out.contains(&reference) {
                    out.push(reference);
                }
            }
        }
        out
    }

    fn declared(&self, part: &'a Value) -> Vec<Declared> {
        let Some(whole) = self.source.statement(part) else { return Vec::new() };
        let own = inner(part).filter(|node| kind(node) == "VarDecl");
        own.filter_map(|node| {
            let value = inner(node).last().filter(|_| node["init"].is_string());
            Some(Declared {
                id: node["id"].as_str()?.to_owned(),
                whole: whole.clone(),
                value: value.and_then(|value| self.source.range(value)),
                is_plain: node["storageClass"].is_null()
                    && !(value.is_some_and(|v| kind(v) == "InitListExpr") || is_of_unknown_size(node)),
            })
        })
        .collect()
    }

    /// An expression as a linear function.
    fn linear(&mut self, node: &'a Value, around: &[String]) -> Option<Linear> {
        let node = stripped(node);
        match kind(node) {
            "IntegerLiteral" => return Some(Linear::constant(node["value"].as_str()?.parse().ok()?)),
            "DeclRefExpr" => {
                let (id, _) = reference(node)?;
                if let Some(depth) = around.iter().position(|iterator| iterator == id) {
                    return Some(Linear::symbol(Symbol::Iterator(depth)));
                }
            }
            "UnaryOperator" if node["opcode"] == "-" => {
                let of = self.linear(inner(node).next()?, around)?;
                return Linear::default().plus(-1, &of);
            }
            "BinaryOperator" if !self.is_unchanged(node) => {
                let mut sides = inner(node);
                let (a, b) = (self.linear(sides.next()?, around)?, self.linear(sides.next()?, around)?);
                return match node["opcode"].as_str()? {
                    "+" => a.plus(1, &b),
                    "-" => a.plus(-1, &b),
                    "*" => match (a.number(), b.number()) {
                        (Some(factor), _) => Linear::default().plus(factor, &b),
                        (_, Some(factor)) => Linear::default().plus(factor, &a),
                        _ => None,
                    },
                    _ => None,
                };
            }
            "BinaryOperator" if matches!(node["opcode"].as_str(), Some("+" | "-")) => {
                let mut sides = inner(node);
                let (a, b) = (self.linear(sides.next()?, around)?, self.linear(sides.next()?, around)?);
                return a.plus(if node["opcode"] == "+" { 1 } else { -1 }, &b);
            }
            _ => {}
        }
        self.parameter(node)
    }

    /// An expression that the nest leaves unchanged, as a parameter.
    fn parameter(&mut self, node: &'a Value) -> Option<Linear> {
        let type_name = type_of(node);
        if !self.is_unchanged(node) || !is_integer(type_name) {
            return None;
        }
        let text = self.source.text.get(self.source.range(node)?)?.to_owned();
        let is_variable = kind(node) == "DeclRefExpr" && node["referencedDecl"]["kind"] != "EnumConstantDecl";
        let parameter = Parameter { text, type_name: type_name.to_owned(), is_variable };
        let known = self.parameters.iter().position(|p| *p == parameter);
        let at = known.unwrap_or_else(|| {
            self.parameters.push(parameter);
            self.parameters.len() - 1
        });
        Some(Linear::symbol(Symbol::Parameter(at)))
    }

    /// Whether an expression has one value all through the nest, and computing it does nothing else.
    fn is_unchanged(&self, node: &Value) -> bool {
        match kind(node) {
            "IntegerLiteral" => true,
            "DeclRefExpr" => {
                let Some((id, _)) = reference(node) else { return false };
                let of = &node["referencedDecl"];
                let is_variable = kind(of).ends_with("VarDecl");
                let is_seen = self.local.contains(id) || !self.calls_own;
                !is_variable && kind(of) == "EnumConstantDecl"
                    || is_variable && is_seen && !self.changed.contains(id) && !self.addressed.contains(id)
            }
            "ParenExpr" | "ConstantExpr" | "ImplicitCastExpr" | "CStyleCastExpr" => {
                is_integer(type_of(node)) && inner(node).all(|part| self.is_unchanged(part))
            }
            "UnaryOperator" => node["opcode"] == "-" && inner(node).all(|part| self.is_unchanged(part)),
            "BinaryOperator" => {
                matches!(node["opcode"].as_str(), Some("+" | "-" | "*" | "/" | "%" | "<<" | ">>"))
                    && inner(node).all(|part| self.is_unchanged(part))
            }
            _ => false,
        }
    }

    /// Whether all uses of iterators are inside their loops, so that nothing sees the values they end with.
    fn iterators_stay_inside(&self, definition: &'a Value, nest: &Range<usize>) -> Result<(), String> {
        let nodes = all(definition);
        let sets =
            |node: &Value, id: &str| inner(node).next().and_then(start).is_some_and(|(of, _)| of == id);
        for (id, _) in &self.iterators {
            let mut own: Vec<Range<usize>> =
                self.iterators.iter().filter(|(of, _)| of == id).map(|(_, range)| range.clone()).collect();
            let others = nodes.iter().filter(|n| kind(n) == "ForStmt" && sets(n, id));
            own.extend(others.filter_map(|n| self.source.range(n)).filter(|r| !nest.contains(&r.start)));
            for node in nodes.iter().filter(|n| reference(n).is_some_and(|(of, _)| of == id)) {
                let inside =
                    self.source.range(node).is_some_and(|at| own.iter().any(|r| r.contains(&at.start)));
                if !inside {
                    let name = reference(node).map_or("", |r| r.1);
                    return Err(format!("the value of {name} is used outside of its loop"));
                }
            }
        }
        Ok(())
    }
}

/// A loop after a statement was inserted before the one of this number.
fn moved(mut counted: Counted, from: usize) -> Counted {
    for item in &mut counted.body {
        match item {
            Item::Statement(at) if *at >= from => *at += 1,
            Item::Statement(_) => {}
            Item::Loop(inner) => *inner = moved(inner.clone(), from),
        }
    }
    counted
}

/// The iterator that the first part of a loop sets, and to what.
pub(crate) fn start(init: &Value) -> Option<(&str, &Value)> {
    match kind(init) {
        "DeclStmt" => {
            let mut own = inner(init);
            let (one, None) = (own.next()?, own.next()) else { return None };
            let value = inner(one).last().filter(|_| node_is_set(one))?;
            Some((one["id"].as_str()?, value))
        }
        "BinaryOperator" if init["opcode"] == "=" => {
            let mut sides = inner(init);
            Some((reference(sides.next()?)?.0, sides.next()?))
        }
        _ => None,
    }
}

fn node_is_set(declaration: &Value) -> bool {
    declaration["init"].is_string() && is_integer(type_of(declaration))
}

/// By how much the last part of a loop advances the iterator.
pub(crate) fn step(advance: &Value, id: &str) -> Option<i64> {
    let mut parts = inner(advance);
    let target = parts.next()?;
    if reference(target)?.0 != id || !is_integer(type_of(target)) {
        return None;
    }
    let number = |node: &Value| -> Option<i64> {
        let node = stripped(node);
        node["value"].as_str().filter(|_| kind(node) == "IntegerLiteral")?.parse().ok()
    };
    let step = match (kind(advance), advance["opcode"].as_str()?) {
        ("UnaryOperator", "++") => 1,
        ("UnaryOperator", "--") => -1,
        ("CompoundAssignOperator", "+=") => number(parts.next()?)?,
        ("CompoundAssignOperator", "-=") => number(parts.next()?)?.checked_neg()?,
        ("BinaryOperator", "=") => {
            let sum = stripped(parts.next()?);
            let mut sides = inner(sum);
            let (a, b) = (sides.next()?, sides.next()?);
            match sum["opcode"].as_str()? {
                "+" if reference(a)?.0 == id => number(b)?,
                "-" if reference(a)?.0 == id => number(b)?.checked_neg()?,
                _ => return None,
            }
        }
        _ => return None,
    };
    (step != 0).then_some(step)
}

/// The comparison by which a loop goes on, with the iterator on its left.
fn limit<'a>(condition: &'a Value, id: &str) -> Option<(&'static str, &'a Value)> {
    let condition = stripped(condition);
    let operator = condition["opcode"].as_str().filter(|_| kind(condition) == "BinaryOperator")?;
    let mut sides = inner(condition);
    let (a, b) = (sides.next()?, sides.next()?);
    let of_id = |node: &Value| reference(node).is_some_and(|r| r.0 == id);
    let turned = of_id(b);
    if of_id(a) == turned {
        return None;
    }
    let operator = match (operator, turned) {
        ("<", false) | (">", true) => "<",
        ("<=", false) | (">=", true) => "<=",
        (">", false) | ("<", true) => ">",
        (">=", false) | ("<=", true) => ">=",
        ("!=", _) => "!=",
        _ => return None,
    };
    Some((operator, if turned { a } else { b }))
}

/// The variables that are assigned to, by their own name.
pub(crate) fn changed(part: &Value) -> BTreeSet<&str> {
    let assigns = |node: &&&Value| match kind(node) {
        "BinaryOperator" => node["opcode"] == "=",
        "CompoundAssignOperator" => true,
        "UnaryOperator" => matches!(node["opcode"].as_str(), Some("++" | "--")),
        _ => false,
    };
    let nodes = all(part);
    nodes.iter().filter(assigns).filter_map(|node| Some(reference(inner(node).next()?)?.0)).collect()
}

fn calls(part: &Value) -> Vec<String> {
    let nodes = all(part);
    let callee = |node: &&&Value| {
        let called = inner(node).next().map(callee_of);
        called.flatten().unwrap_or_default()
    };
    nodes.iter().filter(|n| kind(n) == "CallExpr").map(|n| callee(&n)).collect()
}

/// How a body leaves its loop other than at its end; going on to the next iteration may be all right.
pub(crate) fn escape(body: &Value, may_continue: bool) -> Option<&'static str> {
    fn find(node: &Value, in_loop: bool, in_switch: bool, may_continue: bool) -> Option<&'static str> {
        let (mut in_loop, mut in_switch) = (in_loop, in_switch);
        match kind(node) {
            "ReturnStmt" => return Some("its body returns"),
            "GotoStmt" | "IndirectGotoStmt" | "LabelStmt" => return Some("its body has goto or a label"),
            "GCCAsmStmt" | "MSAsmStmt" => return Some("its body has assembly code"),
            "BreakStmt" if !in_loop && !in_switch => return Some("its body leaves it early"),
            "ContinueStmt" if !in_loop && !may_continue => return Some("its body has `continue`"),
            "ForStmt" | "WhileStmt" | "DoStmt" => in_loop = true,
            "SwitchStmt" => in_switch = true,
            _ => {}
        }
        inner(node).find_map(|part| find(part, in_loop, in_switch, may_continue))
    }
    find(body, false, false, may_continue)
}

/// Whether a type is one of C's integers.
pub fn is_integer(type_name: &str) -> bool {
    let base = type_name.trim_start_matches("const ").trim_start_matches("volatile ");
    let words = ["int", "long", "short", "char", "unsigned", "signed"];
    let known = ["size_t", "ssize_t", "ptrdiff_t", "int32_t", "int64_t", "uint32_t", "uint64_t", "_Bool"];
    base.split(' ').all(|word| words.contains(&word)) || known.contains(&base)
}

fn is_of_unknown_size(declaration: &Value) -> bool {
    let type_name = type_of(declaration);
    let Some((_, sizes)) = type_name.split_once('[') else { return false };
    !sizes.split('[').all(|size| size.trim_end_matches(']').parse::<u64>().is_ok())
}
