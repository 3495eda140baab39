//! Expressions of C and C++.

use profile::lens::{Language, Operator};
use tree_sitter::Node;

use super::super::text::{children, start};
use super::super::written::{Act, Binary, DEEPEST, Expression, Statement, Term};
use super::C;
use super::declarations::without_template_arguments;

impl C<'_> {
    /// Reads an expression.
    pub(super) fn expression(&self, node: Node, depth: u32) -> Expression {
        let what = if depth > DEEPEST {
            self.text.cut_short.set(true);
            Term::Unknown
        } else {
            self.term(node, depth + 1)
        };
        Expression { what, at: start(node), text: node.byte_range() }
    }

    fn boxed(&self, node: Option<Node>, depth: u32, around: Node) -> Box<Expression> {
        Box::new(match node {
            Some(node) => self.expression(node, depth),
            None => Expression { what: Term::Unknown, at: start(around), text: around.byte_range() },
        })
    }

    fn term(&self, node: Node, depth: u32) -> Term {
        let field = |name: &str| node.child_by_field_name(name);
        let part = |name: &str| self.boxed(field(name), depth, node);
        match node.kind() {
            "qualified_identifier" => Term::Name(without_template_arguments(&self.text.tight(node))),
            "identifier" | "field_identifier" | "this" | "namespace_identifier" | "type_identifier" => {
                Term::Name(self.text.tight(node))
            }
            "template_function" | "dependent_name" => self.template(node, depth),
            "number_literal" => integer(&self.text.of(node)).map_or(Term::Constant, Term::Integer),
            "char_literal"
            | "string_literal"
            | "raw_string_literal"
            | "concatenated_string"
            | "true"
            | "false"
            | "null"
            | "nullptr"
            | "sizeof_expression"
            | "alignof_expression"
            | "offsetof_expression"
            | "user_defined_literal"
            | "primitive_type"
            | "type_descriptor"
            | "auto"
            | "sized_type_specifier"
            | "requires_expression"
            | "decltype" => Term::Constant,
            "parenthesized_expression" => self.parenthesized(node, depth),
            "compound_statement" => Term::Statements(self.statements(&children(node), depth)),
            "assignment_expression" => Term::Assignment {
                target: part("left"),
                operator: field("operator").and_then(|operator| compound(&self.text.of(operator))),
                value: part("right"),
            },
            "update_expression" => {
                let minus = field("operator").is_some_and(|operator| self.text.of(operator) == "--");
                Term::Step { target: part("argument"), by: if minus { -1 } else { 1 } }
            }
            "binary_expression" => self.chain(node, depth),
            "unary_expression" => match field("operator").map(|operator| self.text.of(operator)).as_deref() {
                Some("-") => Term::Negative(part("argument")),
                Some("+") => part("argument").what,
                Some("!") => Term::Not(part("argument")),
                _ => Term::List(vec![*part("argument")]),
            },
            "pointer_expression" => {
                let argument = part("argument");
                match field("operator").map(|operator| self.text.of(operator)).as_deref() {
                    Some("&") => Term::Address { of: argument, mutable: true },
                    _ => match argument.what {
                        Term::Address { of, .. } => of.what,
                        _ => Term::Dereference(argument),
                    },
                }
            }
            "subscript_expression" => {
                let subscripts = match field("indices") {
                    Some(list) => self.all(list, depth),
                    None => vec![*part("index")],
                };
                let base = part("argument");
                let shown = self.shown_subscript(node, &base, &subscripts);
                shown.unwrap_or(Term::Index { base, subscripts })
            }
            "call_expression" => self.call(node, depth),
            // A member that a pointer to members chooses.
            "field_expression" if field("operator").is_some_and(|sign| self.text.of(sign).ends_with('*')) => {
                Term::Unknown
            }
            "field_expression" => {
                let name = field("field").map(|name| self.text.tight(name)).unwrap_or_default();
                let arrow = field("operator").is_some_and(|operator| self.text.of(operator) == "->");
                let base = part("argument");
                match base.what {
                    // `(&x)->y`, or what stands for it.
                    Term::Address { of, .. } if arrow => Term::Member { base: of, field: name, arrow: false },
                    _ => Term::Member { base, field: name, arrow },
                }
            }
            "cast_expression" => {
                let to = field("type").map(|of| self.text.tight(of)).unwrap_or_default();
                cast(to, part("value"))
            }
            "compound_literal_expression" => {
                let class = field("type").map(|of| self.text.tight(of)).unwrap_or_default();
                match self.environment.class_of(&class) {
                    Some(_) if self.language == profile::lens::Language::Cpp => {
                        let name = field("type").unwrap_or(node);
                        let what = Term::Name(class);
                        let callee = Expression { what, at: start(name), text: name.byte_range() };
                        let arguments = field("value").map(|list| self.all(list, depth)).unwrap_or_default();
                        Term::Call { callee: Box::new(callee), arguments }
                    }
                    _ => part("value").what,
                }
            }
            "conditional_expression" => match field("consequence") {
                Some(_) => Term::Choice {
                    condition: part("condition"),
                    then: part("consequence"),
                    otherwise: part("alternative"),
                },
                None => Term::List(vec![*part("condition"), *part("alternative")]),
            },
            "lambda_expression" => Term::Closure(Box::new(self.lambda(node, depth))),
            "condition_clause" => self.condition_clause(node, depth),
            "gnu_asm_expression" | "ERROR" | "co_await_expression" => Term::Unknown,
            "subscript_designator" | "field_designator" | "template_argument_list" => Term::Constant,
            _ if node.is_missing() => Term::Unknown,
            _ => Term::List(self.all(node, depth)),
        }
    }

    fn all(&self, node: Node, depth: u32) -> Vec<Expression> {
        children(node).into_iter().map(|child| self.expression(child, depth)).collect()
    }

    fn parenthesized(&self, node: Node, depth: u32) -> Term {
        match children(node).as_slice() {
            [only] => self.expression(*only, depth).what,
            _ => Term::List(self.all(node, depth)),
        }
    }

    fn template(&self, node: Node, depth: u32) -> Term {
        match node.child_by_field_name("name").or_else(|| node.named_child(0)) {
            Some(name) => self.expression(name, depth).what,
            None => Term::Unknown,
        }
    }

    fn call(&self, node: Node, depth: u32) -> Term {
        let Some(function) = node.child_by_field_name("function") else { return Term::Unknown };
        let Some(list) = node.child_by_field_name("arguments") else { return Term::Unknown };
        let mut arguments = self.all(list, depth);
        let name = self.text.tight(function);
        let is_cast = [
            "static_cast<",
            "const_cast<",
            "reinterpret_cast<",
            "dynamic_cast<",
            "std::move",
            "std::forward<",
        ]
        .iter()
        .any(|cast| name.starts_with(cast));
        let is_type = matches!(function.kind(), "primitive_type" | "sized_type_specifier");
        if (is_cast || is_type) && arguments.len() == 1 {
            let to = name.split_once('<').map_or(name.as_str(), |(_, to)| to.trim_end_matches('>'));
            return cast(to.to_owned(), Box::new(arguments.swap_remove(0)));
        }
        let callee = self.expression(function, depth);
        if self.language == Language::Cpp
            && matches!(arguments.len(), 1 | 2)
            && let Term::Member { base, field, .. } = &callee.what
            && field == "at"
        {
            return Term::Index { base: base.clone(), subscripts: arguments };
        }
        let shown = self.shown_call(node, &callee, &arguments);
        shown.unwrap_or(Term::Call { callee: Box::new(callee), arguments })
    }

    fn chain(&self, node: Node, depth: u32) -> Term {
        let mut rest = Vec::new();
        let mut at = node;
        loop {
            let operator = at.child_by_field_name("operator").map(|operator| self.text.of(operator));
            let right = self.boxed(at.child_by_field_name("right"), depth, at);
            rest.push((binary(&operator.unwrap_or_default()), *right));
            match at.child_by_field_name("left") {
                Some(left) if left.kind() == "binary_expression" => at = left,
                left => {
                    rest.reverse();
                    return Term::Chain { first: self.boxed(left, depth, at), rest };
                }
            }
        }
    }

    fn condition_clause(&self, node: Node, depth: u32) -> Term {
        let mut statements = Vec::new();
        if let Some(first) = node.child_by_field_name("initializer") {
            for child in children(first) {
                self.statement(child, depth, &mut statements);
            }
        }
        let Some(value) = node.child_by_field_name("value") else { return Term::Unknown };
        if value.kind() == "declaration" {
            self.statement(value, depth, &mut statements);
            let mut names = Vec::new();
            for statement in &statements {
                if let Act::Declare(one) = &statement.what {
                    names.push(Expression {
                        what: Term::Name(one.name.clone()),
                        at: one.at,
                        text: value.byte_range(),
                    });
                }
            }
            let test = Expression { what: Term::List(names), at: start(value), text: value.byte_range() };
            statements.push(Statement { at: test.at, what: Act::Evaluate(test) });
            return Term::Statements(statements);
        }
        let value = self.expression(value, depth);
        if statements.is_empty() {
            return value.what;
        }
        statements.push(Statement { at: value.at, what: Act::Evaluate(value) });
        Term::Statements(statements)
    }
}

/// A conversion: of arithmetic to a number what it is, any other as what is converted.
fn cast(to: String, of: Box<Expression>) -> Term {
    let is_number = !to.is_empty() && !to.contains(['*', '(', '&']);
    match of.what {
        Term::Chain { .. } if is_number => Term::Cast { to, of },
        other => other,
    }
}

fn integer(text: &str) -> Option<i64> {
    let text = text.replace(['\'', '_'], "").to_ascii_lowercase();
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest.to_owned()),
        None => (false, text),
    };
    let value = if let Some(digits) = text.strip_prefix("0x") {
        i64::from_str_radix(digits.trim_end_matches(['u', 'l', 'z']), 16).ok()?
    } else if let Some(digits) = text.strip_prefix("0b") {
        i64::from_str_radix(digits.trim_end_matches(['u', 'l', 'z']), 2).ok()?
    } else {
        let digits = text.trim_end_matches(['u', 'l', 'z']);
        let octal = digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
        i64::from_str_radix(digits, if octal { 8 } else { 10 }).ok()?
    };
    if negative { value.checked_neg() } else { Some(value) }
}

fn compound(text: &str) -> Option<Operator> {
    Some(match text {
        "=" => return None,
        "+=" => Operator::Add,
        "-=" => Operator::Subtract,
        "*=" => Operator::Multiply,
        "/=" => Operator::Divide,
        "%=" => Operator::Remainder,
        "&=" | "and_eq" => Operator::And,
        "|=" | "or_eq" => Operator::Or,
        "^=" | "xor_eq" => Operator::Xor,
        "<<=" => Operator::ShiftLeft,
        ">>=" => Operator::ShiftRight,
        _ => Operator::Other,
    })
}

fn binary(text: &str) -> Binary {
    Binary::Update(match text {
        "+" => Operator::Add,
        "-" => Operator::Subtract,
        "*" => Operator::Multiply,
        "/" => Operator::Divide,
        "%" => Operator::Remainder,
        "&" | "bitand" => Operator::And,
        "|" | "bitor" => Operator::Or,
        "^" | "xor" => Operator::Xor,
        "&&" | "and" => Operator::LogicalAnd,
        "||" | "or" => Operator::LogicalOr,
        "<<" => Operator::ShiftLeft,
        ">>" => Operator::ShiftRight,
        "<" => return Binary::Less,
        "<=" => return Binary::LessEqual,
        ">" => return Binary::Greater,
        ">=" => return Binary::GreaterEqual,
        "!=" | "not_eq" => return Binary::NotEqual,
        _ => return Binary::Other,
    })
}
