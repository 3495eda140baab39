//! Loops of Fortran.

use profile::lens::{InMacro, LoopKind};
use tree_sitter::Node;

use super::super::text::children;
use super::super::written::{Act, Count, Counter, Expression, Header, LoopText, Statement, Term};
use super::Fortran;
use super::statements::condition;

impl Fortran<'_> {
    /// A `do`.
    pub(super) fn do_loop(&self, node: Node, depth: u32) -> LoopText {
        let parts = children(node);
        let label = parts.iter().find(|part| part.kind() == "block_label_start_expression");
        let label = label.map(|label| self.name(*label).trim_end_matches(':').to_owned());
        let head = parts.iter().copied().find(|part| part.kind() == "do_statement").unwrap_or(node);
        let (kind, header) = self.do_header(head, depth);
        let mut body = Vec::new();
        let mut is_shared = false;
        self.sequence(node, depth, &mut body);
        if let Some(last) = parts.iter().find(|part| part.kind() == "end_do_label_loop_statement") {
            let inside = children(*last);
            is_shared = inside.iter().any(|part| part.kind() == "do_label_virtual");
            let mut terminal = Vec::new();
            for part in inside.into_iter().filter(|part| !part.kind().contains("label")) {
                self.statement(part, depth, &mut terminal);
            }
            self.end_inner(&parts, &mut body, terminal, node);
        }
        let first = parts.iter().find(|part| part.start_byte() >= head.end_byte()).copied().unwrap_or(node);
        let last = parts.last().copied().unwrap_or(node);
        let last = if last.kind() == "end_do_loop_statement" {
            parts.iter().rev().nth(1).copied().filter(|part| *part != head).unwrap_or(first)
        } else {
            last
        };
        LoopText {
            kind,
            label,
            at: self.start(head),
            header_last_line: self.end(head).line,
            end: self.end(node),
            body_place: (self.start(first), self.end(last).max(self.start(first))),
            in_macro: InMacro::No,
            conditional_compilation: self.conditional.get() > 0,
            errors: node.has_error() || self.broken.get() > 0,
            is_shared,
            header,
            body,
        }
    }

    /// Puts the statement that ends several loops at once into the innermost of them.
    fn end_inner(&self, parts: &[Node], body: &mut Vec<Statement>, terminal: Vec<Statement>, around: Node) {
        let shares = |node: &Node| {
            let last = children(*node).into_iter().find(|part| part.kind() == "end_do_label_loop_statement");
            last.is_some_and(|last| children(last).iter().any(|part| part.kind() == "do_label_virtual"))
        };
        let inner = parts.iter().rev().find(|part| part.kind() == "do_loop").filter(|inner| shares(inner));
        if inner.is_some()
            && let Some(Statement { what: Act::Loop(inner), .. }) = body.last_mut()
        {
            let mut innermost = inner;
            loop {
                innermost.end = self.end(around);
                innermost.body_place.1 = innermost.end;
                let goes_on = innermost.is_shared
                    && matches!(innermost.body.last(), Some(Statement { what: Act::Loop(next), .. }) if next.is_shared);
                if !goes_on {
                    break;
                }
                match innermost.body.last_mut() {
                    Some(Statement { what: Act::Loop(next), .. }) => innermost = next,
                    _ => return,
                }
            }
            innermost.body.extend(terminal);
            return;
        }
        body.extend(terminal);
    }

    fn do_header(&self, head: Node, depth: u32) -> (LoopKind, Header) {
        for part in children(head) {
            match part.kind() {
                "loop_control_expression" => {
                    let mut parts = children(part).into_iter().map(|part| self.expression(part, depth));
                    let iterator = parts.next();
                    let (start, end, step) = (parts.next(), parts.next(), parts.next());
                    let Some(iterator) = iterator else { return (LoopKind::FortranDo, Header::Forever) };
                    let iterator = Counter::Existing(iterator);
                    let count = Count { iterator, start, end, step, comparison: "<=", adapters: Vec::new() };
                    return (LoopKind::FortranDo, Header::Counted(vec![count]));
                }
                "while_statement" => {
                    let test = children(part).into_iter().next().map(|test| self.expression(test, depth));
                    return (LoopKind::FortranDoWhile, test.map_or(Header::Forever, Header::While));
                }
                "concurrent_statement" => {
                    let mut counts = Vec::new();
                    self.concurrent(part, depth, &mut counts);
                    return (LoopKind::DoConcurrent, Header::Counted(counts));
                }
                _ => {}
            }
        }
        (LoopKind::FortranDoWhile, Header::Forever)
    }

    fn concurrent(&self, statement: Node, depth: u32, out: &mut Vec<Count>) {
        for header in children(statement).into_iter().filter(|part| part.kind() == "concurrent_header") {
            for control in children(header).into_iter().filter(|part| part.kind() == "concurrent_control") {
                let field =
                    |name: &str| control.child_by_field_name(name).map(|part| self.expression(part, depth));
                let Some(name) = control.named_child(0) else { continue };
                out.push(self.own_count(name, field("initial"), field("final"), field("step")));
            }
        }
    }

    fn own_count(
        &self,
        name: Node,
        start: Option<Expression>,
        end: Option<Expression>,
        step: Option<Expression>,
    ) -> Count {
        let declaration = super::super::written::Declaration::plain(self.name(name), self.start(name));
        let iterator = Counter::Declared(declaration);
        Count { iterator, start, end, step, comparison: "<=", adapters: Vec::new() }
    }

    /// `forall`, as a construct or a statement.
    pub(super) fn forall(&self, node: Node, depth: u32) -> LoopText {
        let mut counts = Vec::new();
        let parts = children(node);
        for triplet in parts.iter().filter(|part| part.kind() == "triplet_spec") {
            let mut values = children(*triplet).into_iter();
            let Some(name) = values.next() else { continue };
            let mut values = values.map(|part| self.expression(part, depth));
            let (start, end, step) = (values.next(), values.next(), values.next());
            counts.push(self.own_count(name, start, end, step));
        }
        let mut one = self.whole(node, LoopKind::ForAll);
        one.header = Header::Counted(counts);
        if let Some(last) = parts.iter().rfind(|part| part.kind() == "triplet_spec") {
            one.header_last_line = self.end(*last).line;
        }
        self.sequence(node, depth, &mut one.body);
        one
    }

    /// A loop that is one statement.
    fn whole(&self, node: Node, kind: LoopKind) -> LoopText {
        LoopText {
            kind,
            label: None,
            at: self.start(node),
            header_last_line: self.end(node).line,
            end: self.end(node),
            body_place: (self.start(node), self.end(node)),
            in_macro: InMacro::No,
            conditional_compilation: self.conditional.get() > 0,
            errors: node.has_error() || self.broken.get() > 0,
            is_shared: false,
            header: Header::Whole,
            body: Vec::new(),
        }
    }

    /// `where`, as a construct or a statement.
    pub(super) fn where_statement(&self, node: Node, depth: u32) -> LoopText {
        let mut one = self.whole(node, LoopKind::ArrayExpression);
        one.header_last_line = one.at.line;
        let elementwise = self.elementwise.replace(true);
        let mut arms = Vec::new();
        let mut otherwise = None;
        let parts = children(node);
        if let Some(first) = condition(node) {
            let mut body = Vec::new();
            self.sequence(node, depth, &mut body);
            arms.push((self.expression(first, depth), body));
        }
        for clause in parts.iter().filter(|part| part.kind().starts_with("elsewhere")) {
            let mut body = Vec::new();
            self.sequence(*clause, depth, &mut body);
            match condition(*clause) {
                Some(test) => arms.push((self.expression(test, depth), body)),
                None => otherwise = Some(body),
            }
        }
        self.elementwise.set(elementwise);
        one.body.push(Statement { what: Act::If { arms, otherwise }, at: one.at });
        one
    }

    /// An assignment, which is a loop if it is of an array or a section of one.
    pub(super) fn assignment(&self, node: Node, depth: u32) -> Act {
        let part = |name: &str| node.child_by_field_name(name);
        let (Some(left), Some(right)) = (part("left"), part("right")) else { return Act::Unknown };
        let is_array = !self.elementwise.get() && self.is_array(left);
        let elementwise = self.elementwise.get();
        self.elementwise.set(elementwise || is_array);
        let assignment = Expression {
            what: Term::Assignment {
                target: Box::new(self.target(left, depth)),
                operator: None,
                value: Box::new(self.expression(right, depth)),
            },
            at: self.start(node),
            text: node.byte_range(),
        };
        self.elementwise.set(elementwise);
        if !is_array {
            return Act::Evaluate(assignment);
        }
        let mut one = self.whole(node, LoopKind::ArrayExpression);
        one.body.push(Statement { what: Act::Evaluate(assignment), at: one.at });
        Act::Loop(Box::new(one))
    }

    fn is_array(&self, node: Node) -> bool {
        match node.kind() {
            "identifier" => self.arrays.borrow().contains(&self.name(node)),
            "call_expression" => {
                let lists = children(node).into_iter().skip(1);
                lists.flat_map(children).any(|subscript| subscript.kind() == "extent_specifier")
            }
            _ => false,
        }
    }
}
