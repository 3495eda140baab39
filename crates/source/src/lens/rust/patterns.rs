//! Patterns of Rust: the names that they bind.

use tree_sitter::Node;

use super::super::text::{children, start};
use super::super::written::{DEEPEST, Declaration, Lifetime};
use super::Rust;

impl Rust<'_> {
    /// The names that a parameter binds.
    pub(super) fn parameter(&self, node: Node, lifetime: Lifetime) -> Vec<Declaration> {
        match node.kind() {
            "self_parameter" => return Vec::new(),
            "parameter" => {}
            _ => {
                let mut out = self.bindings(node);
                for one in &mut out {
                    one.lifetime = lifetime;
                }
                return out;
            }
        }
        let type_text = node.child_by_field_name("type").map(|of| self.text.of(of)).unwrap_or_default();
        let mut out = node.child_by_field_name("pattern").map(|of| self.bindings(of)).unwrap_or_default();
        for one in &mut out {
            one.lifetime = lifetime;
            self.typed(one, &type_text);
            one.storage.constant &= !self.is_mutable(node);
        }
        out
    }

    /// Gives a binding its type.
    pub(super) fn typed(&self, one: &mut Declaration, type_text: &str) {
        one.type_text = type_text.to_owned();
        one.storage.reference |= type_text.starts_with('&');
        one.storage.pointer |= type_text.starts_with('*');
        one.storage.atomic |= type_text.contains("Atomic");
        let is_mutable_reference =
            type_text.starts_with('&') && (type_text.starts_with("&mut") || type_text.contains(" mut "));
        one.storage.constant &= !is_mutable_reference;
        one.array |= type_text.starts_with('[');
    }

    /// The names that a pattern binds; constants and variants are told from names by their first letter.
    pub(super) fn bindings(&self, pattern: Node) -> Vec<Declaration> {
        let mut out = Vec::new();
        self.add_bindings(pattern, false, false, 0, &mut out);
        out
    }

    fn add_bindings(
        &self,
        node: Node,
        mutable: bool,
        reference: bool,
        depth: u32,
        out: &mut Vec<Declaration>,
    ) {
        if depth > DEEPEST {
            return;
        }
        let mut inside = |node: Node, mutable: bool, reference: bool| {
            self.add_bindings(node, mutable, reference, depth + 1, out);
        };
        match node.kind() {
            "identifier" | "shorthand_field_identifier" => {
                let name = self.text.of(node);
                if name.starts_with(|c: char| c.is_uppercase()) || out.iter().any(|one| one.name == name) {
                    return;
                }
                let mut one = Declaration::plain(name, start(node));
                one.storage.constant = !mutable;
                one.storage.reference = reference;
                out.push(one);
            }
            "mut_pattern" => {
                for child in children(node) {
                    inside(child, true, reference);
                }
            }
            "ref_pattern" => {
                for child in children(node) {
                    inside(child, mutable, true);
                }
            }
            "field_pattern" => {
                let is_mutable = mutable || self.is_mutable(node);
                match node.child_by_field_name("pattern") {
                    Some(pattern) => inside(pattern, is_mutable, reference),
                    None => {
                        if let Some(name) = node.child_by_field_name("name") {
                            inside(name, is_mutable, reference);
                        }
                    }
                }
            }
            "match_pattern" => {
                let condition = node.child_by_field_name("condition");
                for child in children(node).into_iter().filter(|child| Some(*child) != condition) {
                    inside(child, mutable, reference);
                }
            }
            "tuple_struct_pattern" | "struct_pattern" => {
                let kind = node.child_by_field_name("type");
                for child in children(node).into_iter().filter(|child| Some(*child) != kind) {
                    inside(child, mutable, reference);
                }
            }
            "tuple_pattern" | "slice_pattern" | "or_pattern" | "captured_pattern" | "reference_pattern" => {
                for child in children(node) {
                    inside(child, mutable, reference);
                }
            }
            _ => {}
        }
    }
}
