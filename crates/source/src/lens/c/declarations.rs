//! Declarations of C and C++.

use profile::lens::StorageMarks;
use tree_sitter::Node;

use super::super::environment::Signature;
use super::super::text::{children, in_field, start};
use super::super::written::{DEEPEST, Declaration, Expression, Lifetime, Term};
use super::C;

/// The declarator of a function inside another declarator.
pub(super) fn function_of(mut node: Node) -> Option<Node> {
    loop {
        if node.kind() == "function_declarator" {
            // `int (*f(int a))(int)`: the inner one is the function.
            let inner = node.child_by_field_name("declarator");
            let nested = inner.filter(|inner| inner.kind() == "parenthesized_declarator");
            return nested.and_then(function_of).or(Some(node));
        }
        node = inner_declarator(node)?;
    }
}

/// How what a `std::function` (or the like) of this type holds takes its arguments.
fn of_function_type(text: &str) -> Option<Signature> {
    let (_, rest) = text.split_once("function<")?;
    let (_, rest) = rest.split_once('(')?;
    let (list, _) = rest.rsplit_once(')')?;
    let arguments = || list.split(',').map(str::trim).filter(|one| !one.is_empty());
    let is_written = |one: &str| one.contains('&') && !one.starts_with("const ");
    Some(Signature {
        written: arguments().map(is_written).collect(),
        values: arguments().map(|one| !one.contains(['&', '*'])).collect(),
        rest: None,
    })
}

fn inner_declarator(node: Node) -> Option<Node> {
    if let Some(inner) = node.child_by_field_name("declarator") {
        return Some(inner);
    }
    let is_declarator = |child: &Node| {
        child.kind().ends_with("declarator")
            || matches!(child.kind(), "identifier" | "field_identifier" | "qualified_identifier")
    };
    children(node).into_iter().find(is_declarator)
}

/// A name without its classes and namespaces.
pub(super) fn unqualified(name: &str) -> String {
    name.rsplit("::").next().unwrap_or_default().to_owned()
}

/// A name without what stands in angle brackets, but for those that name an operator.
pub(super) fn without_template_arguments(name: &str) -> String {
    let is_sign = |rest: &&str| rest.starts_with(|c: char| !c.is_alphanumeric() && c != '_');
    let sign = name.rfind("operator").filter(|at| name.get(at + 8..).as_ref().is_some_and(is_sign));
    let (name, operator) = name.split_at(sign.unwrap_or(name.len()));
    let mut depth = 0_u32;
    let mut out = String::new();
    for c in name.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out.push_str(operator);
    out
}

/// What the specifiers of a declaration say of all its names.
struct Specifiers {
    type_text: String,
    storage: StorageMarks,
    lifetime: Lifetime,
}

impl C<'_> {
    /// The names that a declaration, a parameter, a member declaration or a range-for declares.
    pub(super) fn declarations(&self, node: Node, depth: u32) -> Vec<Declaration> {
        let specifiers = self.specifiers(node);
        let mut out = Vec::new();
        for declarator in in_field(node, "declarator") {
            self.declarator(declarator, &specifiers, depth, &mut out);
        }
        out
    }

    /// The parameters of a function.
    pub(super) fn parameters(&self, declarator: Node, depth: u32) -> Vec<Declaration> {
        let Some(list) = declarator.child_by_field_name("parameters") else { return Vec::new() };
        let mut out = Vec::new();
        for parameter in children(list) {
            if parameter.kind() == "identifier" {
                out.push(Declaration::plain(self.text.of(parameter), start(parameter)));
            }
            out.extend(self.declarations(parameter, depth + 1));
        }
        for parameter in &mut out {
            parameter.lifetime = Lifetime::Parameter;
            parameter.function = false;
            if parameter.array {
                parameter.array = false;
                parameter.storage.pointer = true;
            }
        }
        out
    }

    /// Notes how a function takes its arguments.
    pub(super) fn signature(&mut self, node: Node) {
        for declarator in in_field(node, "declarator") {
            let Some(function) = function_of(declarator) else { continue };
            let Some(name) = self.qualified_name(function) else { continue };
            let name = unqualified(&name);
            let Some(list) = function.child_by_field_name("parameters") else { continue };
            let own = self.signature_of(list);
            self.environment.signatures.entry(name).or_default().push(own);
        }
    }

    /// Notes how a variable takes its arguments that can be called: a lambda, a pointer or a reference to a function, a `std::function`.
    pub(super) fn note_callable(&mut self, node: Node) {
        if self.language != profile::lens::Language::Cpp {
            return;
        }
        for declarator in in_field(node, "declarator") {
            let lambda =
                declarator.child_by_field_name("value").filter(|value| value.kind() == "lambda_expression");
            let pointed = function_of(declarator).filter(|of| {
                let inner = of.child_by_field_name("declarator");
                inner.is_some_and(|inner| inner.kind() == "parenthesized_declarator")
            });
            let own = match (lambda, pointed) {
                (Some(lambda), _) => {
                    let list = lambda.child_by_field_name("declarator");
                    let list = list.and_then(|own| own.child_by_field_name("parameters"));
                    list.map_or_else(Signature::default, |list| self.signature_of(list))
                }
                (None, Some(of)) => match of.child_by_field_name("parameters") {
                    Some(list) => self.signature_of(list),
                    None => continue,
                },
                (None, None) => match of_function_type(&self.specifiers(node).type_text) {
                    Some(own) => own,
                    None => continue,
                },
            };
            let mut at = declarator;
            while let Some(inner) = inner_declarator(at) {
                at = inner;
            }
            if at.kind() == "identifier" {
                self.environment.callables.insert((self.text.of(at), start(at)), own);
            }
        }
    }

    /// How a function with these parameters takes its arguments.
    fn signature_of(&self, list: Node) -> Signature {
        let writes_through = |parameter: &Node| match parameter.kind() {
            "parameter_declaration" | "optional_parameter_declaration" => {
                let specifiers = self.specifiers(*parameter);
                let declarator = parameter.child_by_field_name("declarator");
                let is_address = self.environment.is_array_type(&specifiers.type_text)
                    || declarator.is_some_and(|d| self.is_reference(d));
                is_address && !specifiers.storage.constant
            }
            // Old style, without types.
            _ => false,
        };
        // Packs may be references; other arguments of any number are values. In C an empty list says nothing.
        let parameters = children(list);
        let is_pack = |one: &Node| one.kind() == "variadic_parameter_declaration";
        let is_dots = |one: &Node| one.kind() == "variadic_parameter";
        let has_dots =
            list.children(&mut list.walk()).any(|one| matches!(one.kind(), "..." | "variadic_parameter"));
        let is_old = parameters.is_empty() && self.language == profile::lens::Language::C;
        let further = match parameters.iter().any(is_pack) {
            true => Some(true),
            false => (has_dots || is_old).then_some(false),
        };
        let own = parameters.iter().filter(|one| !is_pack(one) && !is_dots(one));
        let written = own.clone().map(writes_through).collect();
        let is_value = |one: &Node| {
            let kind = one.child_by_field_name("declarator").map(|of| of.kind());
            matches!(kind, None | Some("identifier"))
                && !self.environment.is_array_type(&self.specifiers(*one).type_text)
        };
        let values = own.map(is_value).collect();
        Signature { written, values, rest: further }
    }

    /// The name in a function's declarator, with its classes, without template arguments.
    pub(super) fn qualified_name(&self, function: Node) -> Option<String> {
        let name = function.child_by_field_name("declarator")?;
        Some(without_template_arguments(&self.text.tight(name)))
    }

    fn is_reference(&self, declarator: Node) -> bool {
        let text = self.text.of(declarator);
        declarator.kind().contains("reference_declarator") || text.starts_with('&')
    }

    fn specifiers(&self, node: Node) -> Specifiers {
        let mut out = Specifiers {
            type_text: String::new(),
            storage: StorageMarks::default(),
            lifetime: Lifetime::Automatic,
        };
        let first = node.child_by_field_name("declarator");
        for child in children(node) {
            if first.is_some_and(|first| child.start_byte() >= first.start_byte()) {
                break;
            }
            let word = self.text.of(child);
            match child.kind() {
                "storage_class_specifier" => match word.as_str() {
                    "static" => out.lifetime = Lifetime::Static,
                    "extern" => out.lifetime = Lifetime::Outside,
                    "thread_local" | "__thread" | "_Thread_local" => {
                        out.storage.thread_local = true;
                        if out.lifetime == Lifetime::Automatic {
                            out.lifetime = Lifetime::Static;
                        }
                    }
                    _ => {}
                },
                "type_qualifier" => {
                    match word.as_str() {
                        "const" | "constexpr" => out.storage.constant = true,
                        "volatile" => out.storage.volatile = true,
                        "_Atomic" => out.storage.atomic = true,
                        _ => {}
                    }
                    self.add_word(&mut out.type_text, &word);
                }
                "attribute_specifier"
                | "attribute_declaration"
                | "ms_declspec_modifier"
                | "init_statement" => {}
                _ => self.add_word(&mut out.type_text, &word),
            }
        }
        out.storage.reference |= self.is_reference_type(&out.type_text);
        let text = &out.type_text;
        out.storage.atomic |= text.contains("atomic") || text.contains("_Atomic");
        out.storage.volatile |= text.contains("volatile") || text.contains("sig_atomic_t");
        out.storage.thread_local |= text.to_ascii_lowercase().contains("thread_local");
        if text.len() > 400 {
            // The body of a structure: its head is enough.
            let head: String = text.chars().take_while(|&c| c != '{').collect();
            out.type_text = head.trim().to_owned();
        }
        out
    }

    /// The type that a declaration, a parameter or a range-for names.
    pub(super) fn type_text(&self, node: Node) -> String {
        self.specifiers(node).type_text
    }

    fn add_word(&self, text: &mut String, word: &str) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }

    fn declarator(&self, declarator: Node, of: &Specifiers, depth: u32, out: &mut Vec<Declaration>) {
        let mut one = Declaration::plain(String::new(), start(declarator));
        one.storage = of.storage;
        one.lifetime = of.lifetime;
        if self.environment.is_array_type(&of.type_text) {
            one.array = true;
            one.dimensions = 1;
        }
        let mut marks = String::new();
        let mut node = declarator;
        for _ in 0..DEEPEST {
            match node.kind() {
                "init_declarator" => {
                    one.value =
                        node.child_by_field_name("value").map(|value| self.expression(value, depth + 1));
                }
                "pointer_declarator" => {
                    marks.push('*');
                    let inner = node.child_by_field_name("declarator");
                    let is_promise =
                        |child: &Node| Some(*child) != inner && self.text.of(*child).contains("restrict");
                    if children(node).iter().any(is_promise) {
                        marks.push_str(" restrict");
                    }
                    // A pointer to arrays is one more.
                    one.dimensions += usize::from(one.array);
                    one.storage.pointer = true;
                    one.array = false;
                    let is_const =
                        |child: &Node| child.kind() == "type_qualifier" && self.text.of(*child) == "const";
                    one.storage.constant = children(node).iter().any(is_const);
                }
                "reference_declarator" => {
                    marks.push('&');
                    one.storage.reference = true;
                }
                "array_declarator" => {
                    one.array = true;
                    one.dimensions += 1;
                    one.storage.pointer = false;
                }
                "function_declarator" => {
                    match self.constructed(node, of, depth) {
                        Some(value) => one.value = Some(value),
                        None if marks.is_empty() || !self.is_pointer_to_function(node) => one.function = true,
                        None => {}
                    }
                    one.storage.pointer |= self.is_pointer_to_function(node);
                    one.function &= !one.storage.pointer;
                }
                "structured_binding_declarator" => {
                    for name in children(node) {
                        let mut bound = one.clone();
                        bound.value = None;
                        bound.name = self.text.of(name);
                        bound.at = start(name);
                        bound.type_text = format!("{}{marks}", of.type_text);
                        out.push(bound);
                    }
                    if let (Some(value), Some(last)) = (one.value, out.last_mut()) {
                        last.value = Some(value);
                    }
                    return;
                }
                "identifier" | "field_identifier" | "type_identifier" | "qualified_identifier" | "this" => {
                    one.name = self.text.tight(node);
                    one.at = start(node);
                    one.type_text = if marks.is_empty() {
                        of.type_text.clone()
                    } else {
                        format!("{} {marks}", of.type_text)
                    };
                    out.push(one);
                    return;
                }
                _ => {}
            }
            match inner_declarator(node) {
                Some(inner) => node = inner,
                None => return,
            }
        }
    }

    fn is_pointer_to_function(&self, function: Node) -> bool {
        let inner = function.child_by_field_name("declarator");
        inner.is_some_and(|inner| inner.kind() == "parenthesized_declarator")
    }

    /// `T x(a, b)` inside a function is a variable, although it has the form of a function's declaration.
    fn constructed(&self, function: Node, of: &Specifiers, depth: u32) -> Option<Expression> {
        if self.language != profile::lens::Language::Cpp || !self.in_function.get() {
            return None;
        }
        let list = function.child_by_field_name("parameters")?;
        let parameters = children(list);
        let is_object = self.environment.class_of(&of.type_text).is_some();
        let arguments = parameters.into_iter().map(|one| match self.argument_of(one, depth) {
            None if is_object => {
                Some(Expression { what: Term::Unknown, at: start(one), text: one.byte_range() })
            }
            argument => argument,
        });
        let arguments: Vec<Expression> = arguments.collect::<Option<_>>()?;
        let is_any = !arguments.is_empty();
        is_any.then(|| Expression { what: Term::List(arguments), at: start(list), text: list.byte_range() })
    }

    /// An argument that has the form of a parameter: `x`, `a[i]`.
    fn argument_of(&self, parameter: Node, depth: u32) -> Option<Expression> {
        let of = |what: Term, node: Node| Expression { what, at: start(node), text: node.byte_range() };
        let kind = parameter.child_by_field_name("type").filter(|kind| kind.kind() == "type_identifier")?;
        if parameter.kind() != "parameter_declaration" {
            return None;
        }
        let mut out = of(Term::Name(self.text.of(kind)), kind);
        let mut at = parameter.child_by_field_name("declarator");
        let mut subscripts = Vec::new();
        while let Some(one) = at {
            if one.kind() != "abstract_array_declarator" {
                return None;
            }
            subscripts.push(self.expression(one.child_by_field_name("size")?, depth + 1));
            at = one.child_by_field_name("declarator");
        }
        for subscript in subscripts.into_iter().rev() {
            let text = kind.start_byte()..(subscript.text.end + 1).min(parameter.end_byte());
            let what = Term::Index { base: Box::new(out), subscripts: vec![subscript] };
            out = Expression { what, at: start(kind), text };
        }
        (parameter.named_child_count() <= 2).then_some(out)
    }
}
