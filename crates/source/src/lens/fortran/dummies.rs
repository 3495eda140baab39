//! Arguments that the procedures of a file only read, though they do not say so with `intent(in)`.
//!
//! Definition: a dummy argument is *only read* if it is a scalar, and every place of the procedure's text that names it is part of an expression whose
//! value is used there: an operand, a subscript, a bound, a condition, an item that is written out, an argument of an intrinsic function; or hands it
//! to a procedure of the file that only reads it.
//!
//! Limits: whatever else names it (a statement that reads input, an association, a list without its own rule here) may change it.

use std::collections::{HashMap, HashSet};

use profile::lens::Language;
use tree_sitter::Node;

use super::super::text::children;
use super::super::trace::known;
use super::{Fortran, Unit};

/// An argument of a procedure: its name, and the number of the argument.
type Argument = (String, usize);

/// What becomes of a name where it stands.
enum Place {
    /// Its value is used.
    Read,
    /// It is handed to a procedure, as the argument of this number.
    Handed(String, usize),
    /// It may be changed.
    Other,
}

impl Fortran<'_> {
    /// Of each procedure, by name, the numbers of the arguments that it only reads.
    pub(super) fn only_read(&self, units: &[Unit]) -> HashMap<String, HashSet<usize>> {
        let mut read: HashMap<String, HashSet<usize>> = HashMap::new();
        let mut handed: Vec<(Argument, Vec<Argument>)> = Vec::new();
        let mut several: HashSet<String> = HashSet::new();
        for unit in units.iter().filter(|unit| matches!(unit.node.kind(), "function" | "subroutine")) {
            let Some(name) = self.unit_name(unit) else { continue };
            if read.contains_key(&name) {
                several.insert(name.clone());
            }
            let mut own = HashSet::new();
            for (index, dummy) in self.dummies(unit.node).into_iter().enumerate() {
                if let Some(to) = self.uses_of(unit.node, &dummy) {
                    own.insert(index);
                    handed.push(((name.clone(), index), to));
                }
            }
            read.insert(name, own);
        }
        for name in &several {
            read.insert(name.clone(), HashSet::new());
        }
        loop {
            let is_read =
                |(callee, index): &Argument| read.get(callee).is_some_and(|own| own.contains(index));
            let changed: Vec<Argument> = handed
                .iter()
                .filter(|(own, to)| is_read(own) && !to.iter().all(is_read))
                .map(|(own, _)| own.clone())
                .collect();
            if changed.is_empty() {
                return read;
            }
            for (name, index) in changed {
                read.entry(name).or_default().remove(&index);
            }
        }
    }

    /// The names of the dummy arguments of a procedure.
    pub(super) fn dummies(&self, unit: Node) -> Vec<String> {
        let head = children(unit).into_iter().find(|child| child.kind().ends_with("_statement"));
        let list = head.and_then(|head| head.child_by_field_name("parameters"));
        list.map_or_else(Vec::new, |list| children(list).into_iter().map(|one| self.name(one)).collect())
    }

    /// The procedures that a scalar argument of a procedure is handed to; `None` if anything else may be done to it than to read it.
    fn uses_of(&self, unit: Node, dummy: &str) -> Option<Vec<Argument>> {
        let declared = self.declared_in(unit, &[]);
        // What is not declared is a scalar by the letter that it begins with.
        let is_scalar = |own: &super::Declaration| {
            !own.array && !own.function && !own.storage.pointer && own.lifetime == super::Lifetime::Automatic
        };
        if !declared.iter().filter(|own| own.name == dummy).all(is_scalar) {
            return None;
        }
        let arrays: HashSet<&str> =
            declared.iter().filter(|own| own.array).map(|own| own.name.as_str()).collect();
        let mut out = Vec::new();
        let mut open = vec![unit];
        while let Some(node) = open.pop() {
            if node.is_error() || node.is_missing() {
                return None;
            }
            let is_name = matches!(node.kind(), "identifier" | "name");
            if is_name && self.name(node) == dummy {
                match self.place_of(node, &arrays) {
                    Place::Read => {}
                    Place::Handed(callee, index) => out.push((callee, index)),
                    Place::Other => return None,
                }
            }
            open.extend(children(node));
        }
        Some(out)
    }

    fn place_of(&self, name: Node, arrays: &HashSet<&str>) -> Place {
        let (mut at, mut is_value) = (name, false);
        while let Some(parent) = at.parent() {
            match parent.kind() {
                "parenthesized_expression" => {}
                "math_expression"
                | "relational_expression"
                | "logical_expression"
                | "unary_expression"
                | "concatenation_expression" => is_value = true,
                "argument_list" => {
                    let Some(call) = parent.parent() else { return Place::Other };
                    let callee =
                        call.child_by_field_name("function").or(call.child_by_field_name("subroutine"));
                    let Some(callee) = callee.filter(|of| of.kind() == "identifier") else {
                        return Place::Other;
                    };
                    let callee = self.name(callee);
                    let is_call = call.kind() == "subroutine_call";
                    let is_read = is_value
                        || !is_call
                            && (arrays.contains(callee.as_str())
                                || known::takes_values(&callee, Language::Fortran));
                    if is_read {
                        return Place::Read;
                    }
                    let index = children(parent).into_iter().position(|one| one == at);
                    return index.map_or(Place::Other, |index| Place::Handed(callee, index));
                }
                "assignment_statement" => {
                    let is_target = parent.child_by_field_name("left") == Some(at);
                    return if is_target { Place::Other } else { Place::Read };
                }
                "loop_control_expression" => {
                    let is_counter = children(parent).first() == Some(&at);
                    return if is_counter { Place::Other } else { Place::Read };
                }
                // Where it is declared, and where bounds are.
                "parameters" | "variable_declaration" | "size" | "extent_specifier" | "sized_declarator" => {
                    return Place::Read;
                }
                // Conditions, and what is written out.
                "if_statement"
                | "elseif_clause"
                | "while_statement"
                | "select_case_statement"
                | "selector"
                | "case_statement"
                | "where_statement"
                | "arithmetic_if_statement"
                | "print_statement"
                | "output_item_list" => return Place::Read,
                _ => return Place::Other,
            }
            at = parent;
        }
        Place::Other
    }
}
