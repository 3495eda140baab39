//! Statements of Rust, and expressions that are used like statements.

use profile::lens::{LeaveKind, LoopKind};
use tree_sitter::Node;

use super::super::text::{children, end, start};
use super::super::written::{
    Act, Arm, Count, Counter, DEEPEST, Declaration, Expression, Header, LoopText, Statement, Term,
};
use super::{Rust, chains};

impl Rust<'_> {
    /// The statements of a block.
    pub(super) fn block(&self, node: Node, depth: u32, out: &mut Vec<Statement>) {
        for child in children(node) {
            if child.kind() != "label" {
                self.statement(child, depth, out);
            }
        }
    }

    fn block_of(&self, node: Option<Node>, depth: u32) -> Vec<Statement> {
        let mut out = Vec::new();
        match node {
            Some(block) if block.kind() == "block" => self.block(block, depth, &mut out),
            Some(other) => self.statement(other, depth, &mut out),
            None => {}
        }
        out
    }

    /// Declares what a pattern binds to a value.
    pub(super) fn bind(
        &self,
        pattern: Option<Node>,
        value: Expression,
        type_text: &str,
        out: &mut Vec<Statement>,
    ) {
        let mut bindings = pattern.map(|pattern| self.bindings(pattern)).unwrap_or_default();
        let by_reference = matches!(value.what, Term::Address { .. });
        let is_mutable = matches!(value.what, Term::Address { mutable: true, .. });
        for one in &mut bindings {
            self.typed(one, type_text);
            one.storage.reference |= by_reference;
            one.storage.constant &= !is_mutable;
        }
        match bindings.as_mut_slice() {
            [] => out.push(self.evaluated(value)),
            [one] => one.value = Some(value),
            [first, rest @ ..] => {
                for one in rest {
                    one.value =
                        Some(Expression { what: Term::Constant, at: value.at, text: value.text.clone() });
                }
                first.value = Some(value);
            }
        }
        out.extend(bindings.into_iter().map(|one| Statement { at: one.at, what: Act::Declare(one) }));
    }

    /// Reads one statement.
    pub(super) fn statement(&self, node: Node, depth: u32, out: &mut Vec<Statement>) {
        let at = start(node);
        let mut push = |what: Act| out.push(Statement { what, at });
        if depth > DEEPEST {
            self.text.cut_short.set(true);
            push(Act::Unknown);
            return;
        }
        let depth = depth + 1;
        let value = || {
            children(node)
                .into_iter()
                .rfind(|child| child.kind() != "label")
                .map(|of| self.expression(of, depth))
        };
        match node.kind() {
            "expression_statement" => {
                for child in children(node) {
                    self.statement(child, depth, out);
                }
            }
            "let_declaration" => self.let_declaration(node, depth, out),
            "static_item" | "const_item" => {
                if let Some(one) = self.global(node) {
                    push(Act::Declare(one));
                }
            }
            "block" | "unsafe_block" | "const_block" => {
                let mut body = Vec::new();
                self.block(node, depth, &mut body);
                match children(node).iter().find(|child| child.kind() == "label") {
                    Some(label) => push(Act::LabelledBlock(self.label(*label), body)),
                    None => push(Act::Block(body)),
                }
            }
            "if_expression" => push(self.selection(node, depth)),
            "match_expression" => push(self.matching(node, depth)),
            "for_expression" | "while_expression" | "loop_expression" => {
                push(Act::Loop(Box::new(self.loop_statement(node, depth))));
            }
            "break_expression" => {
                let value = value();
                let label = children(node).into_iter().find(|child| child.kind() == "label");
                if let Some(value) = value {
                    push(Act::Evaluate(value));
                }
                push(Act::Break(label.map(|label| self.label(label))));
            }
            "continue_expression" => {
                let label = children(node).into_iter().find(|child| child.kind() == "label");
                push(Act::Continue(label.map(|label| self.label(label))));
            }
            "return_expression" => push(Act::Leave(LeaveKind::Return, value())),
            "ERROR" => {
                push(Act::Unknown);
                self.broken.set(self.broken.get() + 1);
                self.block(node, depth, out);
                self.broken.set(self.broken.get() - 1);
            }
            "function_item"
            | "macro_definition"
            | "use_declaration"
            | "struct_item"
            | "enum_item"
            | "impl_item"
            | "trait_item"
            | "mod_item"
            | "type_item"
            | "attribute_item"
            | "inner_attribute_item"
            | "empty_statement"
            | "extern_crate_declaration"
            | "foreign_mod_item" => {}
            _ => push(Act::Evaluate(self.expression(node, depth))),
        }
    }

    fn label(&self, node: Node) -> String {
        self.text.of(node).trim_end_matches(':').to_owned()
    }

    fn let_declaration(&self, node: Node, depth: u32, out: &mut Vec<Statement>) {
        let field = |name: &str| node.child_by_field_name(name);
        let type_text = field("type").map(|of| self.text.of(of)).unwrap_or_default();
        let first = out.len();
        match field("value") {
            Some(value) => self.bind(field("pattern"), self.expression(value, depth), &type_text, out),
            None => {
                for mut one in field("pattern").map(|of| self.bindings(of)).unwrap_or_default() {
                    self.typed(&mut one, &type_text);
                    out.push(Statement { at: one.at, what: Act::Declare(one) });
                }
            }
        }
        if self.is_mutable(node) {
            for statement in &mut out[first..] {
                if let Act::Declare(one) = &mut statement.what {
                    one.storage.constant = false;
                }
            }
        }
        if let Some(alternative) = field("alternative") {
            let condition = self.expression_of(Term::Constant, alternative);
            let otherwise = self.block_of(Some(alternative), depth);
            out.push(Statement {
                what: Act::If { arms: vec![(condition, otherwise)], otherwise: None },
                at: start(node),
            });
        }
    }

    fn selection(&self, node: Node, depth: u32) -> Act {
        let mut arms = Vec::new();
        let mut at = node;
        loop {
            if let Some(condition) = at.child_by_field_name("condition") {
                let then = self.block_of(at.child_by_field_name("consequence"), depth);
                arms.push((self.expression(condition, depth), then));
            }
            let Some(alternative) = at.child_by_field_name("alternative") else {
                return Act::If { arms, otherwise: None };
            };
            match children(alternative).as_slice() {
                [only] if only.kind() == "if_expression" => at = *only,
                rest => {
                    let otherwise = self.block_of(rest.first().copied(), depth);
                    return Act::If { arms, otherwise: Some(otherwise) };
                }
            }
        }
    }

    fn matching(&self, node: Node, depth: u32) -> Act {
        let subject = node.child_by_field_name("value").map(|value| self.expression(value, depth));
        let mut arms = Vec::new();
        for arm in node.child_by_field_name("body").map(children).unwrap_or_default() {
            let Some(pattern) = arm.child_by_field_name("pattern") else { continue };
            let guard = pattern.child_by_field_name("condition");
            arms.push(Arm {
                guards: guard.map(|guard| self.expression(guard, depth)).into_iter().collect(),
                bindings: self.bindings(pattern),
                body: self.block_of(arm.child_by_field_name("value"), depth),
            });
        }
        Act::Select { subject, arms, is_exhaustive: true, takes_break: false }
    }

    fn loop_statement(&self, node: Node, depth: u32) -> LoopText {
        let label = children(node).into_iter().find(|child| child.kind() == "label");
        let field = |name: &str| node.child_by_field_name(name);
        let (kind, header) = match node.kind() {
            "for_expression" => (LoopKind::RustFor, self.for_header(node, depth)),
            "while_expression" => {
                let test = field("condition").map(|test| self.expression(test, depth));
                (LoopKind::RustWhile, test.map_or(Header::Forever, Header::While))
            }
            _ => (LoopKind::RustLoop, Header::Forever),
        };
        let body = field("body");
        let last_of_header = field("value").or_else(|| field("condition"));
        let keyword = label.and_then(|label| label.next_sibling()).filter(|next| next.kind() == ":");
        let keyword = keyword.and_then(|colon| colon.next_sibling()).map_or(node, |keyword| keyword);
        LoopText {
            kind,
            label: label.map(|label| self.label(label)),
            at: start(keyword),
            header_last_line: last_of_header.map_or(start(keyword).line, |part| end(part).line),
            end: end(node),
            body_place: body.map_or((start(node), end(node)), |body| (start(body), end(body))),
            in_macro: self.in_macro.get(),
            conditional_compilation: false,
            errors: node.has_error() || self.broken.get() > 0,
            is_shared: false,
            header,
            body: self.block_of(body, depth),
        }
    }

    fn for_header(&self, node: Node, depth: u32) -> Header {
        let pattern = node.child_by_field_name("pattern");
        let mut bindings = pattern.map(|pattern| self.bindings(pattern)).unwrap_or_default();
        let Some(value) = node.child_by_field_name("value") else { return Header::Forever };
        let (methods, base) = chains::methods(value);
        let mut range = base;
        while range.kind() == "parenthesized_expression" {
            match children(range).last() {
                Some(inner) => range = *inner,
                None => break,
            }
        }
        let (adapters, is_plain) = self.adapted(value);
        let counts = adapters.iter().all(|name| matches!(name.as_str(), "rev" | "step_by" | "into_iter"));
        let is_single =
            pattern.is_some_and(|pattern| matches!(pattern.kind(), "identifier" | "_" | "mut_pattern"));
        if range.kind() == "range_expression" && counts && is_single {
            let one = bindings.pop().unwrap_or_else(|| Declaration::plain("_".to_owned(), start(node)));
            return Header::Counted(vec![self.count(one, range, &methods, adapters, depth)]);
        }
        let shows = |name: &str| adapters.iter().any(|adapter| adapter.contains(name));
        let text = self.text.of(value);
        let is_mutable = shows("mut") || text.starts_with("&mut");
        for one in &mut bindings {
            let is_index = shows("enumerate") && Some(one.at) == pattern.and_then(first_name).map(start);
            one.storage.reference |= !is_index && (is_mutable || shows("iter") || text.starts_with('&'));
            one.storage.constant &= is_index || !is_mutable;
        }
        Header::Each {
            before: Vec::new(),
            bindings,
            container: self.expression(value, depth),
            is_canonical: is_plain && !matches!(base.kind(), "call_expression" | "macro_invocation"),
            adapters,
        }
    }

    fn count(
        &self,
        one: Declaration,
        range: Node,
        methods: &[(Node, Node)],
        adapters: Vec<String>,
        depth: u32,
    ) -> Count {
        let text = self.text.of(range);
        let mut cursor = range.walk();
        let operator = range.children(&mut cursor).find(|child| !child.is_named());
        let split = operator.map_or(range.end_byte(), |operator| operator.start_byte());
        let bound = |before: bool| {
            let part = children(range).into_iter().find(|part| (part.start_byte() < split) == before);
            part.map(|part| self.expression(part, depth))
        };
        let by = methods.iter().find(|(field, _)| self.text.of(*field) == "step_by");
        let step =
            by.and_then(|(_, arguments)| children(*arguments).first().map(|of| self.expression(*of, depth)));
        let is_reversed = adapters.iter().any(|name| name == "rev");
        let step = match (step, is_reversed) {
            (Some(step), true) => Some(chains::negative(step)),
            (None, true) => {
                let back = self.expression_of(Term::Integer(-1), range);
                let at = range.end_byte();
                Some(Expression { text: at..at, ..back })
            }
            (step, false) => step,
        };
        Count {
            iterator: Counter::Declared(one),
            start: bound(true),
            end: bound(false),
            step,
            comparison: if text.contains("..=") { "..=" } else { ".." },
            adapters,
        }
    }
}

fn first_name(pattern: Node) -> Option<Node> {
    children(pattern).first().copied()
}
