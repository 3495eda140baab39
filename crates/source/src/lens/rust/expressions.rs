//! Expressions of Rust.

use profile::lens::{InMacro, LeaveKind, Operator};
use tree_sitter::Node;

use super::super::text::{children, end, start};
use super::super::written::{Act, Binary, ClosureText, DEEPEST, Expression, Lifetime, Statement, Term};
use super::Rust;

impl Rust<'_> {
    /// Reads an expression.
    pub(super) fn expression(&self, node: Node, depth: u32) -> Expression {
        let what = if depth > DEEPEST {
            self.text.cut_short.set(true);
            Term::Unknown
        } else {
            self.term(node, depth + 1)
        };
        self.expression_of(what, node)
    }

    fn boxed(&self, node: Option<Node>, depth: u32, around: Node) -> Box<Expression> {
        Box::new(match node {
            Some(node) => self.expression(node, depth),
            None => self.expression_of(Term::Unknown, around),
        })
    }

    fn term(&self, node: Node, depth: u32) -> Term {
        let field = |name: &str| node.child_by_field_name(name);
        let part = |name: &str| self.boxed(field(name), depth, node);
        let only = || self.boxed(children(node).last().copied(), depth, node);
        match node.kind() {
            "identifier" | "self" | "scoped_identifier" | "metavariable" => Term::Name(self.text.tight(node)),
            "integer_literal" => integer(&self.text.of(node)).map_or(Term::Constant, Term::Integer),
            "float_literal"
            | "string_literal"
            | "raw_string_literal"
            | "char_literal"
            | "boolean_literal"
            | "unit_expression"
            | "type_arguments"
            | "primitive_type"
            | "type_identifier"
            | "attribute_item"
            | "inner_attribute_item" => Term::Constant,
            "parenthesized_expression" => only().what,
            "assignment_expression" => {
                Term::Assignment { target: part("left"), operator: None, value: part("right") }
            }
            "compound_assignment_expr" => Term::Assignment {
                target: part("left"),
                operator: field("operator").map(|operator| compound(&self.text.of(operator))),
                value: part("right"),
            },
            "binary_expression" => self.operation(node, depth),
            "unary_expression" => match self.text.of(node).as_bytes().first() {
                Some(b'*') => Term::Dereference(only()),
                Some(b'-') => Term::Negative(only()),
                Some(b'!') => Term::Not(only()),
                _ => Term::List(vec![*only()]),
            },
            "reference_expression" => Term::Address { of: part("value"), mutable: self.is_mutable(node) },
            "field_expression" => Term::Member {
                base: part("value"),
                field: field("field").map(|name| self.text.tight(name)).unwrap_or_default(),
                arrow: false,
            },
            "index_expression" => {
                let parts = children(node);
                let (Some(base), Some(index)) = (parts.first(), parts.last()) else { return Term::Unknown };
                let subscripts = vec![self.expression(*index, depth)];
                Term::Index { base: Box::new(self.expression(*base, depth)), subscripts }
            }
            "call_expression" => self.chain(node, depth).unwrap_or_else(|| self.call(node, depth)),
            "generic_function" => part("function").what,
            "type_cast_expression" => part("value").what,
            "try_expression" => {
                let leave = Statement { what: Act::Leave(LeaveKind::Question, None), at: end(node) };
                let value = self.evaluated(*only());
                Term::Statements(vec![value, self.perhaps(leave)])
            }
            "closure_expression" => Term::Closure(Box::new(self.closure(node, depth))),
            "if_expression" => self.choice(node, depth).unwrap_or_else(|| self.as_statements(node, depth)),
            "block"
            | "match_expression"
            | "for_expression"
            | "while_expression"
            | "loop_expression"
            | "unsafe_block"
            | "return_expression"
            | "break_expression"
            | "continue_expression"
            | "const_block" => self.as_statements(node, depth),
            "macro_invocation" => self.macro_call(node, depth),
            "let_condition" => {
                let value = part("value");
                let mut statements = Vec::new();
                let (at, text) = (value.at, value.text.clone());
                self.bind(field("pattern"), *value, "", &mut statements);
                statements.push(self.evaluated(Expression { what: Term::Constant, at, text }));
                Term::Statements(statements)
            }
            "let_chain" => {
                let mut statements = Vec::new();
                for child in children(node) {
                    match self.expression(child, depth) {
                        Expression { what: Term::Statements(inner), .. } => statements.extend(inner),
                        other => statements.push(self.evaluated(other)),
                    }
                }
                Term::Statements(statements)
            }
            "struct_expression" if self.runs_code_at_its_end(node) => Term::Unknown,
            "struct_expression" => match field("body") {
                Some(body) => Term::List(self.all(body, depth)),
                None => Term::Constant,
            },
            "field_initializer" => part("value").what,
            "shorthand_field_initializer" => only().what,
            "async_block" | "await_expression" | "yield_expression" | "ERROR" => Term::Unknown,
            _ if node.is_missing() => Term::Unknown,
            _ => Term::List(self.all(node, depth)),
        }
    }

    /// Whether a value of a type of the file runs code where it ends.
    fn runs_code_at_its_end(&self, node: Node) -> bool {
        let name = node.child_by_field_name("name").map(|name| self.text.tight(name)).unwrap_or_default();
        let name = name.split('<').next().unwrap_or_default();
        name.split("::").any(|part| self.environment.stateful.contains(part))
    }

    fn all(&self, node: Node, depth: u32) -> Vec<Expression> {
        children(node).into_iter().map(|child| self.expression(child, depth)).collect()
    }

    fn as_statements(&self, node: Node, depth: u32) -> Term {
        let mut out = Vec::new();
        self.statement(node, depth, &mut out);
        Term::Statements(out)
    }

    /// A statement that may run or not.
    pub(super) fn perhaps(&self, one: Statement) -> Statement {
        let at = one.at;
        let condition = Expression { what: Term::Constant, at, text: 0..0 };
        Statement { what: Act::If { arms: vec![(condition, vec![one])], otherwise: None }, at }
    }

    /// `if c { a } else { b }` of plain values.
    fn choice(&self, node: Node, depth: u32) -> Option<Term> {
        let otherwise = children(node.child_by_field_name("alternative")?).first().copied()?;
        if otherwise.kind() != "block" {
            return None;
        }
        let (then, otherwise) =
            (plain_value(node.child_by_field_name("consequence")?)?, plain_value(otherwise)?);
        Some(Term::Choice {
            condition: Box::new(self.expression(node.child_by_field_name("condition")?, depth)),
            then: Box::new(self.expression(then, depth)),
            otherwise: Box::new(self.expression(otherwise, depth)),
        })
    }

    fn call(&self, node: Node, depth: u32) -> Term {
        let callee = self.boxed(node.child_by_field_name("function"), depth, node);
        let arguments =
            node.child_by_field_name("arguments").map(|list| self.all(list, depth)).unwrap_or_default();
        Term::Call { callee, arguments }
    }

    fn operation(&self, node: Node, depth: u32) -> Term {
        let mut rest = Vec::new();
        let mut at = node;
        loop {
            let operator = at.child_by_field_name("operator").map(|operator| self.text.of(operator));
            rest.push((
                binary(&operator.unwrap_or_default()),
                *self.boxed(at.child_by_field_name("right"), depth, at),
            ));
            match at.child_by_field_name("left") {
                Some(left) if left.kind() == "binary_expression" => at = left,
                left => {
                    rest.reverse();
                    return Term::Chain { first: self.boxed(left, depth, at), rest };
                }
            }
        }
    }

    fn closure(&self, node: Node, depth: u32) -> ClosureText {
        let mut out = ClosureText {
            parameters: Vec::new(),
            body: Vec::new(),
            copies: self.text.of(node).starts_with("move"),
            copied: Vec::new(),
            referred: vec!["self".to_owned()],
        };
        if let Some(list) = node.child_by_field_name("parameters") {
            for parameter in children(list) {
                out.parameters.extend(self.parameter(parameter, Lifetime::Automatic));
            }
        }
        if let Some(body) = node.child_by_field_name("body") {
            match body.kind() {
                "block" => self.block(body, depth, &mut out.body),
                _ => out.body.push(self.evaluated(self.expression(body, depth))),
            }
        }
        out
    }

    /// A macro: its names are read; one that is not known may do anything with them.
    fn macro_call(&self, node: Node, depth: u32) -> Term {
        let name = node.child_by_field_name("macro").map(|name| self.text.tight(name)).unwrap_or_default();
        let Some(tokens) = children(node).into_iter().find(|child| child.kind() == "token_tree") else {
            return Term::Unknown;
        };
        let mut names = Vec::new();
        self.token_names(tokens, depth, &mut names);
        let mut statements = Vec::new();
        let is_panic = matches!(name.as_str(), "panic" | "unreachable" | "todo" | "unimplemented");
        let at = node.start_byte();
        let callee = Expression {
            what: Term::Name(format!("{name}!")),
            at: start(node),
            text: at..at + name.len() + 1,
        };
        let call = self.expression_of(Term::Call { callee: Box::new(callee), arguments: names }, node);
        self.tokens(tokens, InMacro::Invocation, &mut statements);
        statements.push(self.evaluated(call));
        if is_panic {
            statements.push(Statement { what: Act::Leave(LeaveKind::Throw, None), at: start(node) });
        }
        Term::Statements(statements)
    }

    fn token_names(&self, tokens: Node, depth: u32, out: &mut Vec<Expression>) {
        if depth > DEEPEST {
            return;
        }
        for token in children(tokens) {
            match token.kind() {
                "identifier" => {
                    let text = self.text.of(token);
                    if !text.starts_with(|c: char| c.is_uppercase()) {
                        out.push(self.expression_of(Term::Name(text), token));
                    }
                }
                "token_tree" => self.token_names(token, depth + 1, out),
                _ => {}
            }
        }
    }
}

/// The expression that a block is, if it is nothing else.
fn plain_value<'t>(block: Node<'t>) -> Option<Node<'t>> {
    let [only] = children(block)[..] else { return None };
    let is_plain = matches!(
        only.kind(),
        "identifier"
            | "field_expression"
            | "index_expression"
            | "integer_literal"
            | "float_literal"
            | "unary_expression"
            | "binary_expression"
    );
    is_plain.then_some(only)
}

fn integer(text: &str) -> Option<i64> {
    let text = text.replace('_', "");
    let suffix = text.find(['i', 'u']).unwrap_or(text.len());
    let text = &text[..suffix];
    match text.get(..2) {
        Some("0x") => i64::from_str_radix(&text[2..], 16).ok(),
        Some("0b") => i64::from_str_radix(&text[2..], 2).ok(),
        Some("0o") => i64::from_str_radix(&text[2..], 8).ok(),
        _ => text.parse().ok(),
    }
}

fn compound(text: &str) -> Operator {
    match text {
        "+=" => Operator::Add,
        "-=" => Operator::Subtract,
        "*=" => Operator::Multiply,
        "/=" => Operator::Divide,
        "%=" => Operator::Remainder,
        "&=" => Operator::And,
        "|=" => Operator::Or,
        "^=" => Operator::Xor,
        "<<=" => Operator::ShiftLeft,
        ">>=" => Operator::ShiftRight,
        _ => Operator::Other,
    }
}

fn binary(text: &str) -> Binary {
    Binary::Update(match text {
        "+" => Operator::Add,
        "-" => Operator::Subtract,
        "*" => Operator::Multiply,
        "/" => Operator::Divide,
        "%" => Operator::Remainder,
        "&" => Operator::And,
        "|" => Operator::Or,
        "^" => Operator::Xor,
        "&&" => Operator::LogicalAnd,
        "||" => Operator::LogicalOr,
        "<<" => Operator::ShiftLeft,
        ">>" => Operator::ShiftRight,
        "<" => return Binary::Less,
        "<=" => return Binary::LessEqual,
        ">" => return Binary::Greater,
        ">=" => return Binary::GreaterEqual,
        "!=" => return Binary::NotEqual,
        _ => return Binary::Other,
    })
}
