//! Rust: the functions of a file, and what is declared around them.

mod chains;
mod expressions;
mod patterns;
mod statements;

use std::cell::Cell;
use std::collections::HashSet;

use profile::lens::{InMacro, Language};
use tree_sitter::Node;

use super::environment::Environment;
use super::text::{self, Text, children, start};
use super::written::{Act, DEEPEST, Declaration, Expression, FunctionText, Lifetime, Statement, Term};

/// Reads the functions of a file, one at a time.
pub(super) struct Rust<'a> {
    text: &'a Text<'a>,
    environment: Environment,
    broken: Cell<u32>,
    in_macro: Cell<InMacro>,
    /// Macros around whose arguments are read again.
    nested_macros: Cell<u32>,
}

/// Arguments of macros inside of arguments of macros are read up to this depth.
const DEEPEST_MACRO: u32 = 8;

impl<'a> Rust<'a> {
    /// Reads a file, and gives its functions to `visit`, one at a time.
    pub(super) fn read(text: &'a Text<'a>, root: Node, visit: &mut dyn FnMut(&Environment, FunctionText)) {
        let mut rust = Rust {
            text,
            environment: Environment::new(Language::Rust),
            broken: Cell::new(0),
            in_macro: Cell::new(InMacro::No),
            nested_macros: Cell::new(0),
        };
        let mut functions = Vec::new();
        rust.items(root, 0, &mut functions);
        rust.note_kept(&functions);
        for node in functions {
            let function = rust.function(node);
            visit(&rust.environment, function);
        }
    }

    /// Collects functions, those inside of functions too, macros that define some, and statics.
    fn items<'t>(&mut self, root: Node<'t>, depth: u32, out: &mut Vec<Node<'t>>) {
        if depth > DEEPEST {
            self.text.cut_short.set(true);
            return;
        }
        for node in children(root) {
            match node.kind() {
                "function_item" => out.push(node),
                "macro_definition" => out.push(node),
                "static_item" | "const_item"
                    if depth < 4 || matches!(root.kind(), "source_file" | "declaration_list") =>
                {
                    if let Some(one) = self.global(node) {
                        self.environment.globals.insert(one.name.clone(), one);
                    }
                    continue;
                }
                "macro_invocation" if matches!(root.kind(), "source_file" | "declaration_list") => {
                    self.thread_locals(node);
                    out.push(node);
                    continue;
                }
                "expression_statement" if root.kind() == "source_file" => out.push(node),
                // Its values run code where they end.
                "impl_item"
                    if node.child_by_field_name("trait").is_some_and(|of| self.text.of(of) == "Drop") =>
                {
                    let name = node.child_by_field_name("type").map(|of| self.text.of(of));
                    let name = name.map(|name| name.split('<').next().unwrap_or_default().to_owned());
                    self.environment.stateful.extend(name);
                }
                _ => {}
            }
            self.items(node, depth + 1, out);
        }
    }

    /// Notes the functions that assign a static, come to one of which each thread has its own, or call such ones.
    fn note_kept(&mut self, functions: &[Node]) {
        let mut called: Vec<(String, HashSet<String>)> = Vec::new();
        for function in functions.iter().filter(|node| node.kind() == "function_item") {
            let Some(name) = function.child_by_field_name("name").map(|name| self.text.of(name)) else {
                continue;
            };
            let (mut calls, mut open) = (HashSet::new(), vec![*function]);
            while let Some(node) = open.pop() {
                let last = |field: &str| {
                    let text = node.child_by_field_name(field).map(|of| self.text.tight(of))?;
                    let end = text.find(['[', '.', '<']).unwrap_or(text.len());
                    text[..end].rsplit("::").next().map(str::to_owned)
                };
                match node.kind() {
                    "assignment_expression" | "compound_assignment_expr" => {
                        let is_static = |name: &String| {
                            let own = self.environment.globals.get(name);
                            own.is_some_and(|own| !own.storage.constant)
                        };
                        if last("left").filter(is_static).is_some() {
                            self.environment.keeping.insert(name.clone());
                        }
                    }
                    "identifier" => {
                        let own = self.environment.globals.get(&self.text.of(node));
                        if own.is_some_and(|own| own.storage.thread_local) {
                            self.environment.keeping.insert(name.clone());
                        }
                    }
                    "call_expression" => calls.extend(last("function")),
                    _ => {}
                }
                // Functions inside of it run where they are called.
                open.extend(children(node).into_iter().filter(|child| child.kind() != "function_item"));
            }
            called.push((name, calls));
        }
        self.environment.keep_through(&called);
    }

    /// A static or a constant.
    pub(super) fn global(&self, node: Node) -> Option<Declaration> {
        let name = node.child_by_field_name("name")?;
        let mut one = Declaration::plain(self.text.of(name), start(name));
        one.type_text = node.child_by_field_name("type").map(|of| self.text.of(of)).unwrap_or_default();
        one.lifetime = Lifetime::Static;
        one.storage.constant = node.kind() == "const_item" || !self.is_mutable(node);
        one.storage.atomic = one.type_text.contains("Atomic");
        one.array = one.type_text.starts_with('[');
        Some(one)
    }

    /// The statics that `thread_local!` declares.
    fn thread_locals(&mut self, node: Node) {
        let name = node.child_by_field_name("macro").map(|name| self.text.tight(name)).unwrap_or_default();
        if name.rsplit("::").next() != Some("thread_local") {
            return;
        }
        let tokens = children(node).into_iter().filter(|child| child.kind() == "token_tree");
        for tokens in tokens {
            let text = self.text.raw(tokens);
            let mut words = text::words(&text);
            while words.any(|word| word == "static") {
                let Some(name) = words.next() else { break };
                let mut one = Declaration::plain(name.to_owned(), start(tokens));
                one.lifetime = Lifetime::Static;
                one.storage.thread_local = true;
                one.storage.object = true;
                self.environment.globals.insert(one.name.clone(), one);
            }
        }
    }

    fn is_mutable(&self, node: Node) -> bool {
        children(node).iter().any(|child| child.kind() == "mutable_specifier")
    }

    fn function(&self, node: Node) -> FunctionText {
        let name = node.child_by_field_name("name").map(|name| self.text.of(name)).unwrap_or_default();
        let mut out = FunctionText {
            name,
            kept: Default::default(),
            is_method: false,
            members: Vec::new(),
            parameters: Vec::new(),
            body: Vec::new(),
            conditional_compilation: self.is_configured(node),
            in_macro: InMacro::No,
            has_implicit_locals: false,
        };
        match node.kind() {
            "macro_definition" => {
                out.in_macro = InMacro::Definition;
                for rule in children(node).into_iter().filter(|child| child.kind() == "macro_rule") {
                    if let Some(tokens) = rule.child_by_field_name("right") {
                        self.tokens(tokens, InMacro::Definition, &mut out.body);
                    }
                }
                return out;
            }
            "macro_invocation" | "expression_statement" => {
                self.statement(node, 1, &mut out.body);
                out.in_macro = InMacro::No;
                return out;
            }
            _ => {}
        }
        if let Some(list) = node.child_by_field_name("parameters") {
            for parameter in children(list) {
                out.parameters.extend(self.parameter(parameter, Lifetime::Parameter));
            }
        }
        if let Some(body) = node.child_by_field_name("body") {
            self.block(body, 1, &mut out.body);
        }
        out
    }

    /// `#[cfg(…)]` stands before it.
    fn is_configured(&self, node: Node) -> bool {
        let before = self.text.bytes.get(node.start_byte().saturating_sub(200)..node.start_byte());
        let text = String::from_utf8_lossy(before.unwrap_or_default()).into_owned();
        text.trim_end()
            .rsplit('\n')
            .take_while(|line| line.trim_start().starts_with("#["))
            .any(|line| line.contains("#[cfg("))
    }

    /// Loops in the tokens of a macro: places alone, since what the macro makes of them is not known.
    pub(super) fn tokens(&self, tokens: Node, kind: InMacro, out: &mut Vec<Statement>) {
        let has_loop = self
            .text
            .raw(tokens)
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(|word| matches!(word, "for" | "while" | "loop"));
        if !has_loop
            || self.nested_macros.get() >= DEEPEST_MACRO
            || tokens.end_byte() < tokens.start_byte() + 2
        {
            return;
        }
        let mut range = tokens.range();
        range.start_byte += 1;
        range.start_point.column += 1;
        range.end_byte -= 1;
        range.end_point.column = range.end_point.column.saturating_sub(1);
        let Some(tree) = text::parse(self.text.bytes, Language::Rust, &[range]) else {
            self.text.cut_short.set(true);
            return;
        };
        let before = self.in_macro.replace(kind);
        self.broken.set(self.broken.get() + 1);
        self.nested_macros.set(self.nested_macros.get() + 1);
        for node in children(tree.root_node()) {
            match node.kind() {
                "function_item" => {
                    if let Some(body) = node.child_by_field_name("body") {
                        self.block(body, 1, out);
                    }
                }
                _ => self.statement(node, 1, out),
            }
        }
        self.nested_macros.set(self.nested_macros.get() - 1);
        self.broken.set(self.broken.get() - 1);
        self.in_macro.set(before);
    }

    fn expression_of(&self, what: Term, node: Node) -> Expression {
        Expression { what, at: start(node), text: node.byte_range() }
    }

    fn evaluated(&self, one: Expression) -> Statement {
        Statement { at: one.at, what: Act::Evaluate(one) }
    }
}
