//! Where pointers point to: in some languages their types say so.

use std::collections::BTreeSet;

use serde_json::Value;

use super::writer::{Edit, Writer};
use crate::nest::Uncut;
use crate::tree::{all, inner, kind, reference, type_of};
use crate::types::Shape;

/// Where a pointer points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    /// An array of the host.
    Global,
    /// A variable of the thread.
    Private,
}

impl<'a> Writer<'a> {
    /// Pointers that a thread declares get the space of what they are set to.
    pub(super) fn declaration(&mut self, node: &'a Value, out: &mut Vec<Edit>) -> Result<(), Uncut> {
        let own: Vec<&'a Value> = inner(node).filter(|part| kind(part) == "VarDecl").collect();
        if own.iter().any(|part| !part["storageClass"].is_null()) {
            return Err(self.uncut("a variable of the body outlives it"));
        }
        let is_sized = |part: &&&'a Value| {
            let shape = Shape::of(type_of(part));
            shape.is_none_or(|shape| shape.is_fixed() && shape.rows.is_none_or(|rows| rows.is_sized()))
        };
        if own.iter().any(|part| !is_sized(&part)) {
            return Err(self.uncut("an array of the body has a length that is known at run time"));
        }
        let is_pointer = |part: &&&'a Value| type_of(part).contains('*');
        let pointers: Vec<&'a Value> = own.iter().filter(is_pointer).copied().collect();
        let Some(first) = pointers.first() else { return Ok(()) };
        let name = first["name"].as_str().unwrap_or("?").to_owned();
        let unknown = self.uncut(format!("it is not known where {name} points to"));
        let mut spaces = BTreeSet::new();
        for part in &pointers {
            let value = inner(part).last().filter(|_| part["init"].is_string());
            let (Some(value), Some(id)) = (value, part["id"].as_str()) else { return Err(unknown) };
            let Some(space) = self.space(value) else { return Err(unknown) };
            let is_global = space == Space::Global;
            if is_global {
                self.pointers.insert(id);
            }
            // It has to stay where it points to.
            if self.assigned.contains(id) && !self.stays(id) {
                return Err(unknown);
            }
            spaces.insert(is_global);
        }
        if spaces.contains(&true) {
            if spaces.len() > 1 || pointers.len() < own.len() {
                return Err(self.uncut(format!("{name} is declared together with other kinds of variables")));
            }
            let start = self.replaced(node, String::new())?.0.start;
            let global = self.wanted.language.global;
            if !global.is_empty() {
                out.push((start..start, format!("{global} ")));
            }
        }
        Ok(())
    }

    /// Whether a pointer is only moved within what it points to.
    fn stays(&self, id: &str) -> bool {
        let is_set = |node: &&&Value| kind(node) == "BinaryOperator" && node["opcode"] == "=";
        let nodes = all(self.definition);
        let mut sets = nodes.iter().filter(is_set);
        !sets.any(|node| inner(node).next().and_then(reference).is_some_and(|target| target.0 == id))
    }

    /// Where an expression points to.
    pub(super) fn space(&self, node: &Value) -> Option<Space> {
        match kind(node) {
            "DeclRefExpr" => {
                let (of, id) = (&node["referencedDecl"], node["referencedDecl"]["id"].as_str()?);
                let is_own = self.own.contains(id);
                let is_array = type_of(of).contains('[') && !type_of(of).contains("(*");
                match (is_own, self.pointers.contains(id)) {
                    (false, _) | (true, true) => Some(Space::Global),
                    (true, false) => is_array.then_some(Space::Private),
                }
            }
            "MemberExpr" => self.space(inner(node).next()?),
            "ArraySubscriptExpr" | "ImplicitCastExpr" | "ParenExpr" | "CStyleCastExpr" => {
                self.space(inner(node).next()?)
            }
            "UnaryOperator" => match node["opcode"].as_str()? {
                "&" => match reference(inner(node).next()?) {
                    Some((id, _)) if self.own.contains(id) => Some(Space::Private),
                    _ => self.space(inner(node).next()?),
                },
                "++" | "--" | "*" => self.space(inner(node).next()?),
                _ => None,
            },
            "BinaryOperator" if matches!(node["opcode"].as_str()?, "+" | "-") => {
                let mut sides = inner(node);
                let (a, b) = (sides.next()?, sides.next()?);
                let is_pointer = |side: &Value| type_of(side).contains(['*', '[']);
                match (is_pointer(a), is_pointer(b)) {
                    (true, false) => self.space(a),
                    (false, true) => self.space(b),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
