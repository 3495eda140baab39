//! Declarations of Fortran.

use std::collections::HashSet;

use tree_sitter::Node;

use super::super::directives::thread_private;
use super::super::text::{children, in_field, words};
use super::super::written::{Declaration, Lifetime};
use super::Fortran;

/// Declarations of which no two are of one name: a type may stand apart from bounds and other properties.
fn united(all: Vec<Declaration>) -> Vec<Declaration> {
    let mut out: Vec<Declaration> = Vec::with_capacity(all.len());
    for one in all {
        let Some(known) = out.iter_mut().find(|known| known.name == one.name) else {
            out.push(one);
            continue;
        };
        known.array |= one.array;
        known.storage.constant |= one.storage.constant;
        known.storage.pointer |= one.storage.pointer;
        known.storage.reference |= one.storage.reference;
        known.storage.volatile |= one.storage.volatile;
        if known.type_text.is_empty() {
            known.type_text = one.type_text;
        }
        if known.lifetime == Lifetime::Automatic {
            known.lifetime = one.lifetime;
        }
    }
    out
}

impl Fortran<'_> {
    /// What a program unit declares for itself.
    pub(super) fn declared_in(&self, unit: Node, parameters: &[String]) -> Vec<Declaration> {
        let mut out: Vec<Declaration> = Vec::new();
        let mut fixed = HashSet::new();
        let mut outside = HashSet::new();
        let mut aliased = HashSet::new();
        let mut saves_all = false;
        for node in children(unit) {
            match node.kind() {
                "variable_declaration" => out.extend(self.declarations(node)),
                "common_statement" => self.names(node, &mut outside, &mut out),
                "equivalence_statement" => self.names(node, &mut aliased, &mut out),
                "include_statement" | "preproc_include" => out.extend(self.included(node)),
                "parameter_statement" => self.names(node, &mut fixed, &mut out),
                "save_statement" => {
                    let mut saved = HashSet::new();
                    self.names(node, &mut saved, &mut out);
                    saves_all |= saved.is_empty();
                    for one in out.iter_mut().filter(|one| saved.contains(&one.name)) {
                        one.lifetime = Lifetime::Static;
                    }
                }
                // `dimension v(10)`, `target x`: a property alone.
                "variable_modification" => {
                    let mut named = HashSet::new();
                    self.names(node, &mut named, &mut out);
                    let text = self.text.tight(node).to_ascii_lowercase();
                    let has = |word: &str| text.starts_with(word);
                    for one in out.iter_mut().filter(|one| named.contains(&one.name)) {
                        one.storage.pointer |= has("pointer");
                        one.storage.reference |= has("pointer") || has("target");
                        one.storage.volatile |= has("volatile") || has("asynchronous");
                    }
                }
                _ => {}
            }
        }
        let mut out = united(out);
        let of_threads = self.thread_private(unit);
        for one in &mut out {
            one.storage.thread_local |= of_threads.contains(&one.name.to_ascii_lowercase());
            if saves_all && one.lifetime == Lifetime::Automatic {
                one.lifetime = Lifetime::Static;
            }
            if outside.contains(&one.name) {
                one.lifetime = Lifetime::Outside;
            }
            one.storage.reference |= aliased.contains(&one.name);
            one.storage.constant |= fixed.contains(&one.name);
            if parameters.contains(&one.name) {
                one.lifetime = Lifetime::Parameter;
                one.storage.reference = true;
            }
        }
        out
    }

    /// The variables of a program unit of which each thread has its own: by name, or with the common block that they lie in.
    fn thread_private(&self, unit: Node) -> HashSet<String> {
        let text = self.text.raw(unit).to_ascii_lowercase();
        let mut out: HashSet<String> = text.lines().flat_map(thread_private).map(str::to_owned).collect();
        if out.is_empty() {
            return out;
        }
        for node in children(unit).into_iter().filter(|one| one.kind() == "common_statement") {
            let text = self.text.raw(node).to_ascii_lowercase();
            // `common /a/ x, y(3) /b/ z`: names behind the block that they lie in.
            let mut parts = text.split('/').skip(1);
            while let (Some(block), Some(list)) = (parts.next(), parts.next()) {
                if out.contains(&format!("/{}/", block.trim())) {
                    out.extend(words(list).map(str::to_owned));
                }
            }
        }
        out
    }

    /// The names of a statement that gives properties to variables; those with bounds become arrays.
    fn names(&self, node: Node, names: &mut HashSet<String>, out: &mut Vec<Declaration>) {
        let mut stack = children(node);
        while let Some(node) = stack.pop() {
            match node.kind() {
                "identifier" => {
                    let name = self.name(node);
                    if !out.iter().any(|one| one.name == name) {
                        out.push(Declaration::plain(name.clone(), self.start(node)));
                    }
                    names.insert(name);
                }
                "sized_declarator" | "call_expression" => {
                    let Some(first) = node.named_child(0) else { continue };
                    let name = self.name(first);
                    match out.iter_mut().find(|one| one.name == name) {
                        Some(one) => one.array = true,
                        None => {
                            let mut one = Declaration::plain(name.clone(), self.start(node));
                            one.array = true;
                            out.push(one);
                        }
                    }
                    names.insert(name);
                }
                "name" | "size" | "argument_list" => {}
                _ => stack.extend(children(node)),
            }
        }
    }

    /// The names of a declaration.
    pub(super) fn declarations(&self, node: Node) -> Vec<Declaration> {
        let type_text = node.child_by_field_name("type").map(|kind| self.text.of(kind)).unwrap_or_default();
        let attributes: Vec<String> = in_field(node, "attribute")
            .into_iter()
            .map(|one| self.text.tight(one).to_ascii_lowercase())
            .collect();
        let has = |name: &str| attributes.iter().any(|attribute| attribute.starts_with(name));
        let mut out = Vec::new();
        for declarator in in_field(node, "declarator") {
            let mut name = declarator;
            let mut is_initialised = false;
            let mut is_sized = has("dimension");
            while name.kind() != "identifier" {
                is_initialised |= name.kind().contains("init_declarator");
                is_sized |= name.kind() == "sized_declarator";
                match name.child_by_field_name("left").or_else(|| name.named_child(0)) {
                    Some(inner) => name = inner,
                    None => break,
                }
            }
            let mut one = Declaration::plain(self.name(name), self.start(name));
            one.type_text =
                std::iter::once(type_text.clone()).chain(attributes.clone()).collect::<Vec<_>>().join(", ");
            one.array = is_sized;
            one.storage.constant = has("parameter") || has("intent(in)");
            one.storage.volatile = has("volatile") || has("asynchronous");
            one.storage.pointer = has("pointer");
            one.storage.reference = has("pointer") || has("target");
            if has("save") || (is_initialised && !has("parameter")) {
                one.lifetime = Lifetime::Static;
            }
            out.push(one);
        }
        out
    }
}
