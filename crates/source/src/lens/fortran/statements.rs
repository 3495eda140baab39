//! Statements of Fortran.

use profile::lens::{Directive, LeaveKind};
use tree_sitter::Node;

use super::super::text::{children, words};
use super::super::written::{Act, Arm, DEEPEST, Expression, Statement, Term};
use super::Fortran;

impl Fortran<'_> {
    /// What an assignment may call that keeps something, by the interface's word, where it names variables of types of
    /// the program.
    fn defined_signs(&self, node: Node) -> Vec<&'static str> {
        let keeps = |word: &&&str| self.environment.keeping.contains(**word);
        let mut all = ["assignment", "operator"].iter().filter(keeps).peekable();
        if all.peek().is_none() {
            return Vec::new();
        }
        let text = self.text.raw(node).to_ascii_lowercase();
        let derived = self.derived.borrow();
        if words(&text).any(|word| derived.contains(word)) { all.copied().collect() } else { Vec::new() }
    }

    fn is_statement_function(&self, node: Node) -> bool {
        self.set_by_elements(node).is_some_and(|name| self.statement_functions.borrow().contains(&name))
    }

    /// The statements of a unit or a construct, directives among them; its heads, clauses and ends are left out.
    pub(super) fn sequence(&self, node: Node, depth: u32, out: &mut Vec<Statement>) {
        let mut cursor = node.walk();
        let mut open: Option<Directive> = None;
        for child in node.named_children(&mut cursor) {
            if child.kind() == "comment" {
                open = self.directive(child, open, out);
                continue;
            }
            out.extend(open.take().map(|directive| directive_statement(directive, self.start(child))));
            self.statement(child, depth, out);
        }
        out.extend(open.map(|directive| directive_statement(directive, self.start(node))));
    }

    /// Reads a comment: a directive, or the next line of one that is not complete.
    fn directive(
        &self,
        comment: Node,
        open: Option<Directive>,
        out: &mut Vec<Statement>,
    ) -> Option<Directive> {
        let mut text = self.text.raw(comment).split_whitespace().collect::<Vec<_>>().join(" ");
        if text.starts_with(['c', 'C', '*']) {
            text.replace_range(..1, "!");
        }
        let lower = text.to_ascii_lowercase();
        if !lower.starts_with("!$omp") && !lower.starts_with("!$acc") {
            return open;
        }
        let mut directive = match open {
            Some(mut directive) if directive.text.ends_with('&') || text.get(5..6) == Some("&") => {
                directive.text = directive.text.trim_end_matches('&').to_owned();
                let more = text.get(5..).unwrap_or_default().trim_start();
                let more = more.strip_prefix('&').unwrap_or(more).trim_start();
                directive.text = format!("{} {more}", directive.text.trim_end());
                directive
            }
            open => {
                out.extend(open.map(|directive| directive_statement(directive, self.start(comment))));
                Directive { text, line: self.start(comment).line }
            }
        };
        directive.text = directive.text.trim_end().to_owned();
        Some(directive)
    }

    /// Reads one statement.
    pub(super) fn statement(&self, node: Node, depth: u32, out: &mut Vec<Statement>) {
        let at = self.start(node);
        let mut push = |what: Act| out.push(Statement { what, at });
        if depth > DEEPEST {
            self.text.cut_short.set(true);
            push(Act::Unknown);
            return;
        }
        let depth = depth + 1;
        match node.kind() {
            "do_loop" => {
                push(Act::Loop(Box::new(self.do_loop(node, depth))));
            }
            "forall_statement" => push(Act::Loop(Box::new(self.forall(node, depth)))),
            "where_statement" => push(Act::Loop(Box::new(self.where_statement(node, depth)))),
            "assignment_statement" if self.is_statement_function(node) => {}
            "assignment_statement" => {
                // What the file has defined for its types is called by a sign.
                for name in self.defined_signs(node) {
                    push(Act::Evaluate(self.call(node, self.named(node, name), Vec::new())));
                }
                push(self.assignment(node, depth));
            }
            "pointer_association_statement" => push(self.pointer(node, depth)),
            "if_statement" => push(self.selection(node, depth)),
            "select_case_statement" | "select_type_statement" | "select_rank_statement" => {
                push(self.select(node, depth));
            }
            "keyword_statement" => push(self.keyword(node)),
            "stop_statement" => push(Act::Leave(LeaveKind::Exit, None)),
            "arithmetic_if_statement" => {
                for part in self.all(node, depth) {
                    push(Act::Evaluate(part));
                }
                push(Act::Goto(String::new()));
            }
            "statement_label" => push(Act::Label(self.name(node))),
            "subroutine_call" => {
                let parts = children(node);
                let callee = parts.first().map(|callee| self.expression(*callee, depth));
                let arguments = parts.iter().skip(1).flat_map(|list| self.all(*list, depth)).collect();
                if let Some(callee) = callee {
                    push(Act::Evaluate(self.call(node, callee, arguments)));
                }
            }
            "read_statement" | "inquire_statement" => {
                push(Act::Input(self.items(node, "input_item_list", depth)));
                push(Act::Evaluate(self.call(node, self.named(node, "read"), Vec::new())));
            }
            "write_statement" | "print_statement" => {
                let items = self.items(node, "output_item_list", depth);
                push(Act::Evaluate(self.call(node, self.named(node, "write"), items)));
            }
            "open_statement"
            | "close_statement"
            | "allocate_statement"
            | "deallocate_statement"
            | "nullify_statement" => {
                let name = node.kind().trim_end_matches("_statement");
                let written = self.named_in(node, depth);
                if !name.ends_with('n') && name != "close" {
                    push(Act::Input(written));
                }
                push(Act::Evaluate(self.call(node, self.named(node, name), Vec::new())));
            }
            "block_construct" => {
                let mut body: Vec<Statement> = Vec::new();
                for declaration in self.declared_in(node, &[]) {
                    let at = declaration.at;
                    body.push(Statement { what: Act::Declare(declaration), at });
                }
                self.sequence(node, depth, &mut body);
                push(Act::Block(body));
            }
            "associate_statement" => push(self.associate(node, depth)),
            "preproc_if" | "preproc_ifdef" => {
                self.conditional.set(self.conditional.get() + 1);
                let mut branches = vec![Vec::new()];
                self.sequence(node, depth, &mut branches[0]);
                for other in children(node).into_iter().filter(|child| child.kind().starts_with("preproc_el"))
                {
                    let mut branch = Vec::new();
                    self.sequence(other, depth, &mut branch);
                    branches.push(branch);
                }
                self.conditional.set(self.conditional.get() - 1);
                push(Act::Alternatives(branches));
            }
            "ERROR" => {
                push(Act::Unknown);
                self.broken.set(self.broken.get() + 1);
                self.sequence(node, depth, out);
                self.broken.set(self.broken.get() - 1);
            }
            _ => {}
        }
    }

    fn named(&self, node: Node, name: &str) -> Expression {
        let at = node.start_byte();
        Expression { what: Term::Name(name.to_owned()), at: self.start(node), text: at..at + name.len() }
    }

    fn call(&self, node: Node, callee: Expression, arguments: Vec<Expression>) -> Expression {
        Expression {
            what: Term::Call { callee: Box::new(callee), arguments },
            at: self.start(node),
            text: node.byte_range(),
        }
    }

    /// The operands of input or output, status variables included.
    fn items(&self, node: Node, list: &str, depth: u32) -> Vec<Expression> {
        let mut out = Vec::new();
        for part in children(node) {
            if part.kind() == list {
                out.extend(children(part).into_iter().map(|item| self.expression(item, depth)));
            } else if part.kind() == "keyword_argument" && list == "input_item_list" {
                out.extend(children(part).into_iter().skip(1).map(|item| self.expression(item, depth)));
            }
        }
        out
    }

    /// The variables that a statement names, subscripts left out.
    fn named_in(&self, node: Node, depth: u32) -> Vec<Expression> {
        let mut out = Vec::new();
        for part in children(node) {
            let first = match part.kind() {
                "sized_allocation" | "call_expression" => part.named_child(0),
                "identifier" | "derived_type_member_expression" => Some(part),
                _ => None,
            };
            out.extend(first.map(|first| self.expression(first, depth)));
        }
        out
    }

    fn pointer(&self, node: Node, depth: u32) -> Act {
        let parts = children(node);
        let (Some(left), Some(right)) = (parts.first(), parts.last()) else { return Act::Unknown };
        let value = self.expression(*right, depth);
        let (at, text) = (value.at, value.text.clone());
        let value = Expression { what: Term::Address { of: Box::new(value), mutable: true }, at, text };
        Act::Evaluate(Expression {
            what: Term::Assignment {
                target: Box::new(self.target(*left, depth)),
                operator: None,
                value: Box::new(value),
            },
            at: self.start(node),
            text: node.byte_range(),
        })
    }

    fn selection(&self, node: Node, depth: u32) -> Act {
        let mut arms = Vec::new();
        let mut otherwise = None;
        let mut arm = |of: Node| {
            let mut body = Vec::new();
            self.sequence(of, depth, &mut body);
            match condition(of) {
                Some(test) => arms.push((self.expression(test, depth), body)),
                None => otherwise = Some(body),
            }
        };
        arm(node);
        for clause in children(node) {
            if matches!(clause.kind(), "elseif_clause" | "else_clause") {
                arm(clause);
            }
        }
        if arms.is_empty() {
            return Act::Unknown;
        }
        Act::If { arms, otherwise }
    }

    fn select(&self, node: Node, depth: u32) -> Act {
        let mut subject = None;
        let mut arms = Vec::new();
        let mut is_exhaustive = false;
        for part in children(node) {
            match part.kind() {
                "selector" => subject = children(part).first().map(|of| self.expression(*of, depth)),
                kind if kind.ends_with("_statement") && !kind.starts_with("end") => {
                    is_exhaustive |= children(part).iter().any(|child| child.kind() == "default");
                    let mut body = Vec::new();
                    self.sequence(part, depth, &mut body);
                    arms.push(Arm { guards: Vec::new(), bindings: Vec::new(), body });
                }
                _ => {}
            }
        }
        Act::Select { subject, arms, is_exhaustive, takes_break: false }
    }

    fn associate(&self, node: Node, depth: u32) -> Act {
        let mut body = Vec::new();
        let lists = children(node).into_iter().filter(|part| part.kind() == "association_list");
        for association in lists.flat_map(children) {
            let Some(name) = association.child_by_field_name("name") else { continue };
            let mut one = super::super::written::Declaration::plain(self.name(name), self.start(name));
            one.storage.reference = true;
            one.value =
                association.child_by_field_name("selector").map(|value| self.expression(value, depth));
            body.push(Statement { what: Act::Declare(one), at: self.start(name) });
        }
        self.sequence(node, depth, &mut body);
        Act::Block(body)
    }

    fn keyword(&self, node: Node) -> Act {
        let text = self.text.of(node).to_ascii_lowercase();
        let mut words = text.split_whitespace();
        let first = words.next().unwrap_or_default();
        let label = words.next().map(str::to_owned);
        match first {
            "exit" => Act::Break(label),
            "cycle" => Act::Continue(label),
            "return" => Act::Leave(LeaveKind::Return, None),
            "stop" | "error" => Act::Leave(LeaveKind::Exit, None),
            "continue" => Act::Block(Vec::new()),
            _ if first.starts_with("go") => {
                let target = text.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
                Act::Goto(target.to_owned())
            }
            _ => Act::Block(Vec::new()),
        }
    }
}

fn directive_statement(directive: Directive, at: profile::lens::Position) -> Statement {
    Statement { what: Act::Directive(directive), at }
}

/// The condition of a construct or of one of its clauses.
pub(super) fn condition<'t>(of: Node<'t>) -> Option<Node<'t>> {
    children(of).into_iter().find(|part| part.kind() == "parenthesized_expression")
}
