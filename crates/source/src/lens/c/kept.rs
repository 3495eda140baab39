//! Names for which a text makes other names, in C and C++: an address that is kept, a reference that is bound.
//!
//! An address that is only an argument of a call ends with the call, as far as its text shows.
//!
//! Limits: names are those of the text, scopes are not told apart: a variable that shares its name with another one counts for both.

use tree_sitter::Node;

use super::super::environment::TypeKind;
use super::super::text::{children, in_field, words};
use super::super::written::Kept;
use super::C;
use super::declarations::unqualified;

/// Functions of the standard library that give a name to what they are handed.
const GIVES_NAMES: [&str; 8] = ["max", "min", "clamp", "minmax", "ref", "cref", "tie", "addressof"];

impl C<'_> {
    /// What a text makes other names for.
    pub(super) fn kept(&self, node: Node) -> Kept {
        let mut out = Kept::default();
        let mut open = vec![(node, Around::default())];
        while let Some((node, around)) = open.pop() {
            let field = |name: &str| node.child_by_field_name(name);
            match node.kind() {
                "pointer_expression" if !around.is_argument => {
                    let is_address = field("operator").is_some_and(|sign| self.text.of(sign) == "&");
                    if let Some(of) = field("argument").filter(|_| is_address) {
                        self.keep(of, &mut out);
                    }
                }
                "init_declarator" => {
                    if let Some(value) = field("value") {
                        self.bind(node, around.declared, value, &mut out);
                        self.values(value, &mut out);
                    }
                }
                // `T x(a)`, which has the form of a function's declaration.
                "function_declarator" => {
                    if self.is_class(around.declared)
                        && let Some(list) = field("parameters")
                    {
                        let class = around.declared.map(|of| self.text.of(of)).unwrap_or_default();
                        let all = children(list);
                        let is_kept = |at: usize| !self.environment.takes_value(&class, at, all.len());
                        let kept = all.iter().enumerate().filter(|(at, _)| is_kept(*at));
                        out.addresses.extend(kept.map(|(_, one)| self.text.tight(*one)));
                    }
                }
                "assignment_expression" => {
                    if let Some(value) = field("right") {
                        self.values(value, &mut out);
                    }
                }
                "return_statement" => {
                    if let Some(value) = node.named_child(0) {
                        self.values(value, &mut out);
                    }
                }
                "call_expression" => {
                    let name = field("function").map(|name| unqualified(&self.text.tight(name)));
                    let gives = matches!(name.as_deref(), Some("ref" | "cref" | "tie" | "addressof"));
                    if let Some(list) = field("arguments").filter(|_| gives) {
                        children(list).into_iter().for_each(|argument| self.keep(argument, &mut out));
                    }
                }
                _ => {}
            }
            let inside = around.inside(node);
            open.extend(children(node).into_iter().map(|child| (child, inside)));
        }
        out
    }

    /// Functions, each with a name the address of which is handed to it.
    pub(super) fn handed_on(&self, node: Node) -> Vec<(String, String)> {
        let mut out = Vec::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let callee = node.child_by_field_name("function").map(|name| unqualified(&self.text.tight(name)));
            let list = node.child_by_field_name("arguments").filter(|_| node.kind() == "call_expression");
            if let Some((callee, list)) = callee.zip(list) {
                for argument in children(list) {
                    let is_address = argument.kind() == "pointer_expression"
                        && argument
                            .child_by_field_name("operator")
                            .is_some_and(|sign| self.text.of(sign) == "&");
                    let of = argument.child_by_field_name("argument").filter(|_| is_address);
                    out.extend(of.and_then(|of| self.variable(of)).map(|name| (callee.clone(), name)));
                }
            }
            open.extend(children(node));
        }
        out
    }

    /// The names that a function or a declaration declares.
    pub(super) fn declared_names(&self, node: Node) -> Vec<String> {
        let mut out = Vec::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if matches!(
                node.kind(),
                "declaration" | "parameter_declaration" | "init_declarator" | "for_range_loop"
            ) {
                // Of a pointer to a function the name stands first.
                let name =
                    |of| self.variable(of).or_else(|| Some(words(&self.text.of(of)).next()?.to_owned()));
                out.extend(in_field(node, "declarator").into_iter().filter_map(name));
            }
            open.extend(children(node));
        }
        out
    }

    /// Notes that what an expression names is known by another name as well.
    fn keep(&self, of: Node, out: &mut Kept) {
        let mut at = of;
        while at.kind() == "parenthesized_expression" {
            match children(at).first() {
                Some(inner) => at = *inner,
                None => return,
            }
        }
        match at.kind() {
            "qualified_identifier" => {
                let name = self.text.tight(at);
                out.members.insert(unqualified(&name));
                out.addresses.insert(name);
            }
            "subscript_expression" => {
                if let Some(base) = at.child_by_field_name("argument") {
                    self.values(base, out);
                }
            }
            _ => out.addresses.extend(self.variable(at)),
        }
    }

    /// The names that stand as the value of an expression, which are addresses if they are those of arrays.
    fn values(&self, of: Node, out: &mut Kept) {
        let mut open = vec![of];
        while let Some(of) = open.pop() {
            let field = |name: &str| of.child_by_field_name(name);
            match of.kind() {
                "identifier" => {
                    out.values.insert(self.text.tight(of));
                }
                "parenthesized_expression" | "initializer_list" | "argument_list" => {
                    open.extend(children(of))
                }
                "initializer_pair" | "cast_expression" => open.extend(field("value")),
                "binary_expression" => open.extend([field("left"), field("right")].into_iter().flatten()),
                "conditional_expression" => {
                    open.extend([field("consequence"), field("alternative")].into_iter().flatten());
                }
                "assignment_expression" => open.extend(field("right")),
                _ => {}
            }
        }
    }

    /// Notes what a declaration binds a reference to: its own name, or a member of its class.
    fn bind(&self, declarator: Node, declared: Option<Node>, value: Node, out: &mut Kept) {
        let type_text = declared.map(|of| self.text.tight(of)).unwrap_or_default();
        let is_reference = declarator
            .child_by_field_name("declarator")
            .is_some_and(|own| own.kind() == "reference_declarator");
        if is_reference || self.is_reference_type(&type_text) {
            let call = value.child_by_field_name("function").map(|name| unqualified(&self.text.tight(name)));
            let arguments = value.child_by_field_name("arguments").map(children).unwrap_or_default();
            if call.is_some_and(|call| GIVES_NAMES.contains(&call.as_str())) {
                arguments.into_iter().for_each(|argument| self.keep(argument, out));
            } else {
                self.keep_all(value, out);
            }
        } else if self.is_class(declared) {
            // Its constructor, or a member that is a reference.
            let class = self.environment.class_of(&type_text).unwrap_or_default();
            match value.kind() {
                "argument_list" | "initializer_list" => {
                    let all = children(value);
                    let is_kept = |at: usize| !self.environment.takes_value(class, at, all.len());
                    let kept = all.iter().enumerate().filter(|(at, _)| is_kept(*at));
                    kept.for_each(|(_, one)| self.keep_all(*one, out));
                }
                _ => self.keep_all(value, out),
            }
        }
    }

    /// Whether a type is a class of the file.
    fn is_class(&self, declared: Option<Node>) -> bool {
        let of = declared.and_then(|of| self.environment.type_of(&self.text.tight(of)));
        of == Some(TypeKind::Class)
    }

    fn keep_all(&self, value: Node, out: &mut Kept) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            match value.kind() {
                "initializer_list" | "argument_list" | "parenthesized_expression" => {
                    open.extend(children(value))
                }
                "conditional_expression" => {
                    let either = ["consequence", "alternative"].map(|name| value.child_by_field_name(name));
                    open.extend(either.into_iter().flatten());
                }
                _ => self.keep(value, out),
            }
        }
    }

    /// Whether a type is a reference although no sign in its declarations says so.
    pub(super) fn is_reference_type(&self, text: &str) -> bool {
        text.starts_with("decltype(") || self.environment.reference_types.contains(text)
    }
}

/// What stands around a part of a text.
#[derive(Debug, Clone, Copy, Default)]
struct Around<'t> {
    /// It is the list of a call's arguments.
    is_list: bool,
    /// It is an argument of a call, cast or not.
    is_argument: bool,
    /// It declares something of this type.
    declared: Option<Node<'t>>,
}

impl<'t> Around<'t> {
    /// What stands around the parts of a node.
    fn inside(self, node: Node<'t>) -> Around<'t> {
        let (mut is_list, mut is_argument, mut declared) = (false, false, None);
        match node.kind() {
            "call_expression" => is_list = true,
            "argument_list" => is_argument = self.is_list,
            "parenthesized_expression" | "cast_expression" => is_argument = self.is_argument,
            "declaration" => declared = node.child_by_field_name("type"),
            _ => {}
        }
        Around { is_list, is_argument, declared }
    }
}
