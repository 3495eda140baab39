//! Chains of iterator adapters that a consumer runs, as loops.

use profile::lens::{Directive, LoopKind};
use tree_sitter::Node;

use super::super::text::{children, end, start};
use super::super::written::{Act, DEEPEST, Expression, Header, Lifetime, LoopText, Statement, Term};
use super::Rust;

fn is_consumer(method: &str) -> bool {
    matches!(
        method,
        "sum"
            | "product"
            | "fold"
            | "for_each"
            | "count"
            | "min"
            | "max"
            | "min_by"
            | "max_by"
            | "min_by_key"
            | "max_by_key"
            | "any"
            | "all"
            | "collect"
            | "find"
            | "find_map"
            | "position"
            | "reduce"
            | "last"
            | "try_for_each"
            | "try_fold"
            | "unzip"
            | "partition"
            | "collect_into_vec"
    )
}

/// Whether a method starts or changes an iterator.
pub(super) fn is_adapter(method: &str) -> bool {
    is_element_adapter(method)
        || matches!(
            method,
            "map"
                | "filter"
                | "filter_map"
                | "flat_map"
                | "flatten"
                | "take_while"
                | "skip_while"
                | "map_while"
                | "inspect"
                | "scan"
                | "chain"
                | "cycle"
                | "peekable"
                | "drain"
                | "lines"
                | "split"
                | "with_min_len"
                | "par_iter"
                | "par_iter_mut"
                | "into_par_iter"
                | "par_chunks"
                | "par_chunks_mut"
                | "par_bridge"
        )
}

/// Whether a method gives elements one after the other, without effects of its own.
pub(super) fn is_element_adapter(method: &str) -> bool {
    matches!(
        method,
        "iter"
            | "iter_mut"
            | "into_iter"
            | "enumerate"
            | "zip"
            | "chunks"
            | "chunks_mut"
            | "chunks_exact"
            | "chunks_exact_mut"
            | "windows"
            | "step_by"
            | "rev"
            | "skip"
            | "take"
            | "copied"
            | "cloned"
            | "bytes"
            | "chars"
            | "keys"
            | "values"
            | "values_mut"
            | "char_indices"
    )
}

/// The methods of a chain, outermost first, with their arguments, and what they are called on.
pub(super) fn methods(mut node: Node) -> (Vec<(Node, Node)>, Node) {
    let mut out = Vec::new();
    loop {
        let function = node.child_by_field_name("function").map(|function| match function.kind() {
            "generic_function" => function.child_by_field_name("function").unwrap_or(function),
            _ => function,
        });
        let function = function
            .filter(|function| node.kind() == "call_expression" && function.kind() == "field_expression");
        let parts = function.and_then(|function| {
            let field = function.child_by_field_name("field")?;
            Some((function.child_by_field_name("value")?, field, node.child_by_field_name("arguments")?))
        });
        let Some((value, field, arguments)) = parts else { return (out, node) };
        out.push((field, arguments));
        node = value;
    }
}

impl Rust<'_> {
    /// A chain that runs as a loop; `None` if it is another call.
    pub(super) fn chain(&self, node: Node, depth: u32) -> Option<Term> {
        let (methods, base) = methods(node);
        let (consumer, rest) = methods.split_first()?;
        if !is_consumer(&self.text.of(consumer.0)) {
            return None;
        }
        let is_range = base.kind() == "parenthesized_expression"
            && base.named_child(0).is_some_and(|inner| inner.kind() == "range_expression");
        let names: Vec<String> = rest.iter().map(|(field, _)| self.text.of(*field)).collect();
        if !is_range && !names.iter().any(|name| is_adapter(name)) {
            return None;
        }
        let mut header = vec![self.expression(base, depth)];
        let mut body = Vec::new();
        for (field, arguments) in methods.iter().rev() {
            let name = self.text.of(*field);
            if matches!(
                name.as_str(),
                "iter_mut" | "par_iter_mut" | "chunks_mut" | "par_chunks_mut" | "values_mut" | "drain"
            ) {
                let of = self.expression(base, depth);
                header.push(self.expression_of(Term::Address { of: Box::new(of), mutable: true }, base));
            }
            if !is_adapter(&name) && !is_consumer(&name) {
                let callee = self.expression_of(Term::Name(name.clone()), *field);
                header.push(
                    self.expression_of(Term::Call { callee: Box::new(callee), arguments: vec![] }, *field),
                );
            }
            for argument in children(*arguments) {
                match argument.kind() {
                    "closure_expression" => self.each_element(argument, depth, &mut body),
                    _ => header.push(self.expression(argument, depth)),
                }
            }
        }
        let one = LoopText {
            kind: LoopKind::RustIterator,
            label: None,
            at: start(node),
            header_last_line: end(node).line,
            end: end(node),
            body_place: (start(node), end(node)),
            in_macro: self.in_macro.get(),
            conditional_compilation: false,
            errors: node.has_error() || self.broken.get() > 0,
            is_shared: false,
            header: Header::Adapters(self.expression_of(Term::List(header), node)),
            body,
        };
        let mut out = Vec::new();
        if let Some(parallel) = names.iter().find(|name| name.contains("par_")) {
            let directive = Directive { text: format!("rayon {parallel}"), line: start(node).line };
            out.push(Statement { what: Act::Directive(directive), at: start(node) });
        }
        out.push(Statement { what: Act::Loop(Box::new(one)), at: start(node) });
        Some(Term::Statements(out))
    }

    /// The body of a closure that runs for each element.
    fn each_element(&self, closure: Node, depth: u32, out: &mut Vec<Statement>) {
        let text = self.text.raw(closure);
        if text.contains("return") || text.contains('?') || depth > DEEPEST {
            out.push(self.evaluated(self.expression(closure, depth)));
            return;
        }
        let mut inside = Vec::new();
        if let Some(list) = closure.child_by_field_name("parameters") {
            for parameter in children(list) {
                for one in self.parameter(parameter, Lifetime::Automatic) {
                    inside.push(Statement { at: one.at, what: Act::Declare(one) });
                }
            }
        }
        if let Some(body) = closure.child_by_field_name("body") {
            match body.kind() {
                "block" => self.block(body, depth + 1, &mut inside),
                _ => inside.push(self.evaluated(self.expression(body, depth + 1))),
            }
        }
        out.push(Statement { what: Act::Block(inside), at: start(closure) });
    }

    /// The expression that is counted off by a `for`, and the adapters on it, outermost first.
    pub(super) fn adapted(&self, node: Node) -> (Vec<String>, bool) {
        let (methods, _) = methods(node);
        let names: Vec<String> = methods.iter().map(|(field, _)| self.text.of(*field)).collect();
        let is_plain = names.iter().all(|name| is_element_adapter(name));
        (names, is_plain)
    }
}

/// A copy of an expression with another meaning.
pub(super) fn negative(of: Expression) -> Expression {
    let (at, text) = (of.at, of.text.clone());
    Expression { what: Term::Negative(Box::new(of)), at, text }
}
