//! Expressions of Fortran.

use profile::lens::Operator;
use tree_sitter::Node;

use super::super::text::children;
use super::super::written::{Binary, DEEPEST, Expression, Term};
use super::Fortran;

impl Fortran<'_> {
    /// Reads an expression.
    pub(super) fn expression(&self, node: Node, depth: u32) -> Expression {
        let what = if depth > DEEPEST {
            self.text.cut_short.set(true);
            Term::Unknown
        } else {
            self.term(node, depth + 1)
        };
        Expression { what, at: self.start(node), text: node.byte_range() }
    }

    fn term(&self, node: Node, depth: u32) -> Term {
        match node.kind() {
            "identifier" | "name" => {
                let name = self.name(node);
                if self.elementwise.get() && self.arrays.borrow().contains(&name) {
                    let base =
                        Expression { what: Term::Name(name), at: self.start(node), text: node.byte_range() };
                    return Term::Index { base: Box::new(base), subscripts: vec![self.all_elements(node)] };
                }
                Term::Name(name)
            }
            "number_literal" => integer(&self.text.of(node)).map_or(Term::Constant, Term::Integer),
            "string_literal" | "boolean_literal" | "null_literal" | "complex_literal" | "boz_literal"
            | "unit_identifier" | "format_identifier" => Term::Constant,
            "parenthesized_expression" => match children(node).as_slice() {
                [only] => self.expression(*only, depth).what,
                _ => Term::List(self.all(node, depth)),
            },
            "call_expression" => self.subscripted_or_called(node, depth, false),
            "derived_type_member_expression" => {
                let parts = children(node);
                let (Some(base), Some(field)) = (parts.first(), parts.last()) else { return Term::Unknown };
                Term::Member {
                    base: Box::new(self.expression(*base, depth)),
                    field: self.name(*field),
                    arrow: false,
                }
            }
            "math_expression"
            | "logical_expression"
            | "relational_expression"
            | "unary_expression"
            | "concatenation_expression" => self.operation(node, depth),
            "keyword_argument" => {
                match node.child_by_field_name("value").or(children(node).last().copied()) {
                    Some(value) => self.expression(value, depth).what,
                    None => Term::Unknown,
                }
            }
            "ERROR" => Term::Unknown,
            _ if node.is_missing() => Term::Unknown,
            _ => Term::List(self.all(node, depth)),
        }
    }

    fn all_elements(&self, node: Node) -> Expression {
        let end = node.end_byte();
        Expression { what: Term::Constant, at: self.start(node), text: end..end }
    }

    pub(super) fn all(&self, node: Node, depth: u32) -> Vec<Expression> {
        children(node).into_iter().map(|child| self.expression(child, depth)).collect()
    }

    /// What is assigned: `a(i)` is an element.
    pub(super) fn target(&self, node: Node, depth: u32) -> Expression {
        match node.kind() {
            "call_expression" => Expression {
                what: self.subscripted_or_called(node, depth, true),
                at: self.start(node),
                text: node.byte_range(),
            },
            _ => self.expression(node, depth),
        }
    }

    /// Whether what is named with its object, `o%look`, may be a procedure of the object's type.
    fn is_bound(&self, name: &str) -> bool {
        name.rsplit_once('%').is_some_and(|(_, last)| self.bound.contains(last))
    }

    fn subscripted_or_called(&self, node: Node, depth: u32, is_target: bool) -> Term {
        let parts = children(node);
        let Some((first, lists)) = parts.split_first() else { return Term::Unknown };
        let name = self.name(*first);
        let is_array = is_target
            || self.arrays.borrow().contains(&name)
            || matches!(first.kind(), "derived_type_member_expression" | "call_expression")
                && !self.is_bound(&name);
        let elementwise = self.elementwise.replace(false);
        let base = self.expression(*first, depth);
        self.elementwise.set(elementwise && !is_array);
        let mut arguments: Vec<_> = lists.iter().flat_map(|list| self.all(*list, depth)).collect();
        self.elementwise.set(elementwise);
        if is_array {
            return Term::Index { base: Box::new(base), subscripts: arguments };
        }
        // A conversion is looked through, as casts are.
        if matches!(name.as_str(), "real" | "dble" | "int" | "float") && arguments.len() == 1 {
            return arguments.swap_remove(0).what;
        }
        Term::Call { callee: Box::new(base), arguments }
    }

    fn operation(&self, node: Node, depth: u32) -> Term {
        let mut rest = Vec::new();
        let mut at = node;
        loop {
            let operator = at.child_by_field_name("operator").map(|one| self.name(one)).unwrap_or_default();
            let (left, right) = (at.child_by_field_name("left"), at.child_by_field_name("right"));
            let (Some(left), Some(right)) = (left, right) else {
                let argument = at.child_by_field_name("argument").or_else(|| children(at).last().copied());
                let Some(argument) = argument else { return Term::Unknown };
                let argument = self.expression(argument, depth);
                let first = match operator.as_str() {
                    "-" => Term::Negative(Box::new(argument)),
                    "+" => argument.what,
                    ".not." => Term::Not(Box::new(argument)),
                    _ => Term::List(vec![argument]),
                };
                if rest.is_empty() {
                    return first;
                }
                rest.reverse();
                let first = Expression { what: first, at: self.start(at), text: at.byte_range() };
                return Term::Chain { first: Box::new(first), rest };
            };
            let binary = binary(&operator);
            rest.push((binary, self.expression(right, depth)));
            // Powers associate to the right, so the left one is an operand of its own.
            let goes_on =
                matches!(left.kind(), "math_expression" | "logical_expression" | "relational_expression")
                    && operator != "**";
            if goes_on {
                at = left;
                continue;
            }
            rest.reverse();
            return Term::Chain { first: Box::new(self.expression(left, depth)), rest };
        }
    }
}

fn integer(text: &str) -> Option<i64> {
    text.split('_').next()?.parse().ok()
}

fn binary(text: &str) -> Binary {
    Binary::Update(match text {
        "+" => Operator::Add,
        "-" => Operator::Subtract,
        "*" => Operator::Multiply,
        "/" => Operator::Divide,
        ".and." => Operator::LogicalAnd,
        ".or." => Operator::LogicalOr,
        ".eqv." => Operator::Equivalent,
        ".neqv." => Operator::NotEquivalent,
        "<" | ".lt." => return Binary::Less,
        "<=" | ".le." => return Binary::LessEqual,
        ">" | ".gt." => return Binary::Greater,
        ">=" | ".ge." => return Binary::GreaterEqual,
        "/=" | ".ne." => return Binary::NotEqual,
        _ => return Binary::Other,
    })
}
