//! Statements of C and C++.

use profile::lens::{InMacro, LeaveKind, LoopKind};
use tree_sitter::Node;

use super::super::pragmas;
use super::super::text::{children, end, start};
use super::super::written::{Act, Arm, DEEPEST, Header, Lifetime, LoopText, Statement, Term};
use super::C;

/// Whether a node of this kind is a statement wherever it stands.
pub(super) fn is_statement(kind: &str) -> bool {
    matches!(
        kind,
        "for_statement"
            | "for_range_loop"
            | "while_statement"
            | "do_statement"
            | "if_statement"
            | "switch_statement"
            | "try_statement"
            | "return_statement"
            | "case_statement"
    )
}

impl C<'_> {
    /// Reads statements in order.
    pub(super) fn statements(&self, nodes: &[Node], depth: u32) -> Vec<Statement> {
        let mut out = Vec::new();
        self.sequence(nodes, depth, &mut out);
        out
    }

    /// Reads statements in order, macros that make loops together with the statement that follows them.
    pub(super) fn sequence(&self, nodes: &[Node], depth: u32, out: &mut Vec<Statement>) {
        let mut at = 0;
        while let Some(&node) = nodes.get(at) {
            at += 1;
            let next = nodes.get(at).copied().filter(|next| next.kind() == "compound_statement");
            if self.is_macro_loop(node, next) {
                at += usize::from(next.is_some());
                self.macro_loop(node, next, depth, out);
            } else {
                self.statement(node, depth, out);
            }
        }
    }

    fn is_macro_loop(&self, node: Node, next: Option<Node>) -> bool {
        if self.in_macro.get() == InMacro::Definition {
            return false;
        }
        let word: Vec<u8> = self
            .text
            .bytes
            .get(node.start_byte()..)
            .unwrap_or_default()
            .iter()
            .copied()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .take(200)
            .collect();
        if std::str::from_utf8(&word).is_ok_and(|word| self.environment.loop_macros.contains(word)) {
            return true;
        }
        let is_open_call = || {
            node.kind() == "expression_statement"
                && node.named_child(0).is_some_and(|only| only.kind() == "call_expression")
                && !self.text.of(node).ends_with(';')
        };
        next.is_some() && is_open_call()
    }

    fn macro_loop(&self, node: Node, next: Option<Node>, depth: u32, out: &mut Vec<Statement>) {
        let last = next.unwrap_or(node);
        let body = next.map(|body| self.statements(&children(body), depth + 1)).unwrap_or_default();
        let one = LoopText {
            kind: LoopKind::For,
            label: None,
            at: start(node),
            header_last_line: if next.is_some() { end(node).line } else { start(node).line },
            end: end(last),
            body_place: (start(last), end(last)),
            in_macro: InMacro::Invocation,
            conditional_compilation: self.conditional.get() > 0,
            errors: true,
            is_shared: false,
            header: Header::Forever,
            body,
        };
        out.push(Statement { at: start(node), what: Act::Loop(Box::new(one)) });
    }

    /// Reads one statement, which may be several for the tree.
    pub(super) fn statement(&self, node: Node, depth: u32, out: &mut Vec<Statement>) {
        // The outermost of those that begin here.
        let is_inner = node.parent().is_some_and(|outer| outer.start_byte() == node.start_byte());
        for directive in self.text.before(node.start_byte()).iter().filter(|_| !is_inner) {
            out.push(Statement { what: Act::Directive(directive.clone()), at: start(node) });
        }
        let mut push = |what: Act| out.push(Statement { what, at: start(node) });
        if depth > DEEPEST {
            self.text.cut_short.set(true);
            push(Act::Unknown);
            return;
        }
        let depth = depth + 1;
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "compound_statement" => push(Act::Block(self.statements(&children(node), depth))),
            "declaration" | "field_declaration" => {
                for mut one in self.declarations(node, depth) {
                    if one.lifetime == Lifetime::Static && one.storage.thread_local {
                        one.lifetime = Lifetime::Static;
                    }
                    push(Act::Declare(one));
                }
            }
            "if_statement" => push(self.selection(node, depth)),
            "switch_statement" => push(self.switch(node, depth)),
            "for_statement" | "for_range_loop" | "while_statement" | "do_statement" => {
                push(Act::Loop(Box::new(self.loop_statement(node, None, depth))));
            }
            "labeled_statement" => self.labelled(node, depth, out),
            "attributed_statement" | "else_clause" | "init_statement" => {
                for child in children(node) {
                    if child.kind() != "attribute_declaration" {
                        self.statement(child, depth, out);
                    }
                }
            }
            "case_statement" => {
                push(Act::Label("case".to_owned()));
                let value = field("value");
                let rest: Vec<_> = children(node).into_iter().filter(|child| Some(*child) != value).collect();
                self.sequence(&rest, depth, out);
            }
            "goto_statement" => {
                push(Act::Goto(field("label").map(|label| self.text.of(label)).unwrap_or_default()));
            }
            "break_statement" => push(Act::Break(None)),
            "continue_statement" => push(Act::Continue(None)),
            "return_statement" | "co_return_statement" => {
                let value = node.named_child(0).map(|value| self.expression(value, depth));
                push(Act::Leave(LeaveKind::Return, value));
            }
            "throw_statement" => {
                let value = node.named_child(0).map(|value| self.expression(value, depth));
                push(Act::Leave(LeaveKind::Throw, value));
            }
            "try_statement" => push(self.try_statement(node, depth)),
            "preproc_if" | "preproc_ifdef" => push(self.alternatives(node, depth)),
            "preproc_call" => {
                if let Some(directive) = pragmas::directive(&self.text.of(node), start(node).line) {
                    push(Act::Directive(directive));
                }
            }
            "expression_statement" => {
                for child in children(node) {
                    let value = self.expression(child, depth);
                    let shown = self.shown_statement(&value);
                    push(shown.map_or_else(|| Act::Evaluate(value), Act::Block));
                }
            }
            "ERROR" => {
                push(Act::Unknown);
                self.broken.set(self.broken.get() + 1);
                self.sequence(&children(node), depth, out);
                self.broken.set(self.broken.get() - 1);
            }
            kind if kind.starts_with("preproc_") => {}
            "type_definition"
            | "using_declaration"
            | "alias_declaration"
            | "static_assert_declaration"
            | "function_definition"
            | "namespace_alias_definition"
            | "struct_specifier"
            | "class_specifier"
            | "union_specifier"
            | "enum_specifier"
            | "template_declaration"
            | "attribute_declaration"
            | "statement_identifier" => {}
            _ => push(Act::Evaluate(self.expression(node, depth))),
        }
    }

    fn labelled(&self, node: Node, depth: u32, out: &mut Vec<Statement>) {
        let label = node.child_by_field_name("label");
        let name = label.map(|label| self.text.of(label)).unwrap_or_default();
        out.push(Statement { what: Act::Label(name.clone()), at: start(node) });
        for child in children(node).into_iter().filter(|child| Some(*child) != label) {
            if matches!(child.kind(), "for_statement" | "for_range_loop" | "while_statement" | "do_statement")
            {
                let one = self.loop_statement(child, Some(name.clone()), depth);
                out.push(Statement { what: Act::Loop(Box::new(one)), at: start(child) });
            } else {
                self.statement(child, depth, out);
            }
        }
    }

    fn selection(&self, node: Node, depth: u32) -> Act {
        let mut arms = Vec::new();
        let mut at = node;
        loop {
            let condition = at.child_by_field_name("condition");
            let then = at.child_by_field_name("consequence");
            if let Some(condition) = condition {
                let body = then.map(|then| self.body(then, depth)).unwrap_or_default();
                arms.push((self.expression(condition, depth), body));
            }
            let Some(alternative) = at.child_by_field_name("alternative") else {
                return Act::If { arms, otherwise: None };
            };
            match children(alternative).as_slice() {
                [only] if only.kind() == "if_statement" => at = *only,
                rest => return Act::If { arms, otherwise: Some(self.statements(rest, depth)) },
            }
        }
    }

    /// A statement as a list: the statements of a block, or the one itself.
    fn body(&self, node: Node, depth: u32) -> Vec<Statement> {
        match node.kind() {
            "compound_statement" => self.statements(&children(node), depth),
            _ => self.statements(&[node], depth),
        }
    }

    fn switch(&self, node: Node, depth: u32) -> Act {
        let subject =
            node.child_by_field_name("condition").map(|condition| self.expression(condition, depth));
        let mut arms: Vec<Arm> = Vec::new();
        let mut is_exhaustive = false;
        for case in node.child_by_field_name("body").map(children).unwrap_or_default() {
            if case.kind() != "case_statement" {
                // Statements before the first label, or conditional compilation.
                arms.push(Arm { guards: vec![], bindings: vec![], body: self.statements(&[case], depth) });
                continue;
            }
            let value = case.child_by_field_name("value");
            is_exhaustive |= value.is_none();
            let rest: Vec<_> = children(case).into_iter().filter(|child| Some(*child) != value).collect();
            if rest.is_empty() {
                continue;
            }
            arms.push(Arm { guards: vec![], bindings: vec![], body: self.statements(&rest, depth) });
        }
        Act::Select { subject, arms, is_exhaustive, takes_break: true }
    }

    fn try_statement(&self, node: Node, depth: u32) -> Act {
        let body = node.child_by_field_name("body").map(|body| self.body(body, depth)).unwrap_or_default();
        let mut handlers = Vec::new();
        for clause in children(node).into_iter().filter(|child| child.kind() == "catch_clause") {
            let mut handler = Vec::new();
            for one in self.parameters(clause, depth) {
                let at = one.at;
                let one = super::super::written::Declaration { lifetime: Lifetime::Automatic, ..one };
                handler.push(Statement { what: Act::Declare(one), at });
            }
            if let Some(body) = clause.child_by_field_name("body") {
                self.sequence(&children(body), depth, &mut handler);
            }
            handlers.push(handler);
        }
        Act::Try { body, handlers }
    }

    fn alternatives(&self, node: Node, depth: u32) -> Act {
        self.conditional.set(self.conditional.get() + 1);
        let mut branches = Vec::new();
        let mut at = node;
        for _ in 0..DEEPEST {
            let head = [at.child_by_field_name("condition"), at.child_by_field_name("name")];
            let next = at.child_by_field_name("alternative");
            let is_body = |child: &Node| !head.contains(&Some(*child)) && Some(*child) != next;
            let nodes: Vec<_> = children(at).into_iter().filter(is_body).collect();
            branches.push(self.statements(&nodes, depth));
            match next {
                Some(next) => at = next,
                None => break,
            }
        }
        self.conditional.set(self.conditional.get() - 1);
        Act::Alternatives(branches)
    }

    fn loop_statement(&self, node: Node, label: Option<String>, depth: u32) -> LoopText {
        let field = |name: &str| node.child_by_field_name(name);
        let expression = |name: &str| field(name).map(|part| self.expression(part, depth));
        let body = field("body");
        let (kind, header) = match node.kind() {
            "for_statement" => {
                let start = field("initializer").map(|first| self.statements(&[first], depth));
                let header = Header::For {
                    start: start.unwrap_or_default(),
                    test: expression("condition"),
                    step: expression("update"),
                };
                (LoopKind::For, header)
            }
            "for_range_loop" => {
                let before = field("initializer").map(|first| self.statements(&children(first), depth));
                let mut bindings = self.declarations(node, depth);
                for binding in &mut bindings {
                    binding.value = None;
                }
                let container = field("right").unwrap_or(node);
                let container =
                    if container == node { unknown(node) } else { self.expression(container, depth) };
                let header = Header::Each {
                    before: before.unwrap_or_default(),
                    bindings,
                    container,
                    adapters: Vec::new(),
                    is_canonical: true,
                };
                (LoopKind::RangeFor, header)
            }
            "while_statement" => {
                (LoopKind::While, expression("condition").map_or(Header::Forever, Header::While))
            }
            _ => (LoopKind::DoWhile, expression("condition").map_or(Header::Forever, Header::DoWhile)),
        };
        let header_last_line = match (kind, body) {
            (LoopKind::DoWhile, _) | (_, None) => start(node).line,
            (_, Some(body)) => last_line_before(node, body),
        };
        LoopText {
            kind,
            label,
            at: start(node),
            header_last_line: header_last_line.max(start(node).line),
            end: end(node),
            body_place: body.map_or((start(node), end(node)), |body| (start(body), end(body))),
            in_macro: self.in_macro.get(),
            conditional_compilation: self.conditional.get() > 0,
            errors: (node.has_error() && !lacks_semicolon_alone(node)) || self.broken.get() > 0,
            is_shared: false,
            header,
            body: body.map(|body| self.body(body, depth)).unwrap_or_default(),
        }
    }
}

/// `do … while (…)` in a macro's definition, where the semicolon is that of the invocation.
fn lacks_semicolon_alone(node: Node) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).all(|child| !child.has_error() || (child.is_missing() && child.kind() == ";"))
}

/// Last line of what stands before a part of a node.
fn last_line_before(node: Node, part: Node) -> u32 {
    let mut cursor = node.walk();
    let before = node.children(&mut cursor).take_while(|child| child.end_byte() <= part.start_byte());
    before
        .filter(|child| child.start_byte() < part.start_byte() && !child.is_extra())
        .last()
        .map_or(start(node).line, |child| end(child).line)
}

fn unknown(node: Node) -> super::super::written::Expression {
    super::super::written::Expression { what: Term::Unknown, at: start(node), text: node.byte_range() }
}
