//! Loops around leaves of any kind: statements the integers of which stand for something else.

use crate::nest::{Level, Nest};
use crate::packed::Packed;
use crate::render::loop_text;
use crate::statement::{Loop, Statement};

/// A loop, or what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node<L> {
    /// A loop: bounds affine in the counters around it.
    Loop(Level, Vec<Node<L>>),
    /// What an iteration does.
    Leaf(L),
}

impl<L> Node<L> {
    /// A statement, with what its accesses and its integers stand for; `None` where one stands for nothing.
    pub(crate) fn of(
        statement: &Statement,
        access: &dyn Fn(&Nest) -> Option<L>,
        integers: &dyn Fn(&Packed) -> Option<L>,
    ) -> Option<Node<L>> {
        match statement {
            Statement::Nest(nest) => {
                let inside = Node::Leaf(access(nest)?);
                Some(
                    nest.levels
                        .iter()
                        .rev()
                        .fold(inside, |inner, level| Node::Loop(level.clone(), vec![inner])),
                )
            }
            Statement::Loop(Loop { level, body }) => {
                let body: Option<Vec<_>> =
                    body.iter().map(|inner| Node::of(inner, access, integers)).collect();
                Some(Node::Loop(level.clone(), body?))
            }
            Statement::Integers(packed) => integers(packed).map(Node::Leaf),
        }
    }

    /// Visits leaves with the counters around them, in order; whether the visitor wanted all, and every bound could be computed.
    pub(crate) fn visit(&self, counters: &mut Vec<i64>, to: &mut dyn FnMut(&L, &[i64]) -> bool) -> bool {
        match self {
            Node::Leaf(leaf) => to(leaf, counters),
            Node::Loop(level, body) => {
                let Some((low, high)) = level.range(counters) else { return false };
                (low..=high).all(|x| {
                    counters.push(x);
                    let all = body.iter().all(|inner| inner.visit(counters, to));
                    counters.pop();
                    all
                })
            }
        }
    }

    /// Appends its loops.
    pub(crate) fn levels<'a>(&'a self, to: &mut Vec<&'a Level>) {
        if let Node::Loop(level, body) = self {
            to.push(level);
            body.iter().for_each(|inner| inner.levels(to));
        }
    }

    /// Appends it for people, under so many loops; a leaf is written with what indents it.
    pub(crate) fn text(&self, outer: usize, leaf: &dyn Fn(&L, &str) -> String, out: &mut String) {
        let indent = "  ".repeat(outer);
        match self {
            Node::Leaf(own) => out.push_str(&leaf(own, &indent)),
            Node::Loop(level, body) => {
                out.push_str(&format!("{indent}{}\n", loop_text(outer, level)));
                body.iter().for_each(|inner| inner.text(outer + 1, leaf, out));
            }
        }
    }
}
