//! Which function a call is of, as far as that is needed to read the function in the place of its call: what may be another one stays a
//! call.
//!
//! A name may stand for several functions: overloads, with arguments by default or of any number; what `using` brings, or a base class
//! has; another definition in a branch of conditional compilation; a stronger one in another file. Arguments may be converted by
//! constructors and operators, which are functions too.

use tree_sitter::Node;

use super::super::environment::{Environment, Form, TypeKind};
use super::super::text::{children, in_field, words};
use super::super::written::{Declaration, Expression, Term};
use super::C;
use super::declarations::{function_of, unqualified};

impl C<'_> {
    /// Notes how the functions of a declaration or definition are called; `class`: that it stands in.
    pub(super) fn note_forms(&mut self, item: Node, class: &str) {
        for declarator in in_field(item, "declarator").into_iter().filter_map(function_of) {
            let Some(name) = self.qualified_name(declarator) else { continue };
            // A method, the class of which is somewhere else, is declared there.
            if class.is_empty() && name.contains("::") {
                continue;
            }
            let Some(form) = self.form(declarator) else { continue };
            let own = self.environment.forms.entry((class.to_owned(), unqualified(&name))).or_default();
            if !own.contains(&form) {
                own.push(form);
            }
        }
    }

    fn form(&self, declarator: Node) -> Option<Form> {
        let list = declarator.child_by_field_name("parameters")?;
        let mut form = Form { least: 0, most: Some(0), types: Vec::new() };
        for one in children(list) {
            match one.kind() {
                "variadic_parameter" | "variadic_parameter_declaration" => form.most = None,
                _ => {
                    let text = self.text.of(one);
                    let text = text.split('=').next().unwrap_or_default();
                    let name = one.child_by_field_name("declarator").and_then(|of| self.variable(of));
                    let is_name = |word: &&str| name.as_deref() == Some(*word);
                    let spelled = match text.rfind(name.as_deref().unwrap_or("\0")) {
                        Some(at) if words(text).any(|word| is_name(&word)) => {
                            let end = at + name.as_ref().map_or(0, String::len);
                            format!("{}{}", &text[..at], &text[end..])
                        }
                        _ => text.to_owned(),
                    };
                    let spelled = spelled.split_whitespace().collect::<Vec<_>>().join(" ");
                    if spelled == "void" {
                        continue;
                    }
                    form.types.push(spelled.trim_start_matches("struct ").replace(' ', ""));
                    form.most = form.most.map(|most| most + 1);
                    form.least += usize::from(one.kind() != "optional_parameter_declaration");
                }
            }
        }
        let has_dots = list.children(&mut list.walk()).any(|one| one.kind() == "...");
        form.most = form.most.filter(|_| !has_dots);
        Some(form)
    }

    /// Notes what a class has: names of methods, bases, conversions.
    pub(super) fn note_class(&mut self, item: Node, class: &str, body: Node) {
        if children(item).iter().any(|child| child.kind() == "base_class_clause") {
            self.environment.derived.insert(class.to_owned());
        }
        for field in children(body) {
            let field = match field.kind() {
                "template_declaration" => children(field).pop().unwrap_or(field),
                _ => field,
            };
            self.note_forms(field, class);
            let text = self.text.of(field);
            let mut parts = text.split("operator ").skip(1);
            let is_conversion = |part: &str| part.starts_with(|c: char| c.is_alphabetic() || c == '_');
            self.environment.converts |= field.kind() != "comment" && parts.any(is_conversion);
        }
    }

    /// Notes a name that may be another function than that of the file: one that `using` brings.
    pub(super) fn note_using(&mut self, item: Node) {
        let text = self.text.of(item);
        if !words(&text).any(|word| word == "namespace") {
            self.environment.ambiguous.extend(words(&text).last().map(str::to_owned));
        }
    }

    /// Notes a definition beside which there may be others.
    pub(super) fn note_definition(&mut self, function: Node, is_conditional: bool) {
        let Some(declarator) = function.child_by_field_name("declarator").and_then(function_of) else {
            return;
        };
        let Some(name) = self.qualified_name(declarator) else { return };
        let head = function.child_by_field_name("body").map_or(function.end_byte(), |body| body.start_byte());
        let text = self.text.of(function);
        let head = text.get(..head - function.start_byte()).unwrap_or(&text);
        let is_weak = words(head).any(|word| matches!(word, "weak" | "__weak__" | "ifunc"));
        if is_conditional || is_weak {
            self.environment.ambiguous.insert(unqualified(&name));
        }
    }
}

impl Environment {
    /// Whether a call with these arguments can only be of the function of that name which is defined in a class, or in none.
    pub(super) fn is_certain(&self, (class, name): (&str, &str), arguments: &[Expression]) -> bool {
        let count = arguments.len();
        let takes = |form: &&Form| form.least <= count && form.most.is_none_or(|most| count <= most);
        let forms = self.forms.get(&(class.to_owned(), name.to_owned()));
        let mut forms = forms.into_iter().flatten().filter(takes);
        let is_one = forms.next().is_some_and(|form| form.most == Some(count)) && forms.next().is_none();
        is_one
            && !self.converts
            && !self.ambiguous.contains(name)
            && !self.macros.contains_key(name)
            && !self.virtual_methods.contains(name)
    }

    /// Whether handing something to a parameter may call a constructor.
    pub(super) fn may_construct(&self, parameter: &Declaration) -> bool {
        let is_changed = parameter.storage.reference && !parameter.storage.constant;
        let is_class = |word: &&str| self.types.get(*word).is_some_and(|kind| *kind == TypeKind::Class);
        // From another type; or, where it is handed on as a copy, from the class itself.
        let constructs = |class: &str| {
            let forms = self.forms.get(&(class.to_owned(), class.to_owned()));
            forms.into_iter().flatten().any(|form| {
                let is_of_one = form.least <= 1 && form.most != Some(0);
                let is_copy = form.types.first().is_some_and(|first| words(first).any(|word| word == class));
                is_of_one && (!is_copy || !parameter.storage.reference)
            })
        };
        !parameter.storage.pointer
            && !is_changed
            && words(&parameter.type_text).filter(is_class).any(constructs)
    }

    /// Whether a method's name is one that a class has itself, or may have from another one.
    pub(super) fn may_be_method(&self, class: &str, name: &str) -> bool {
        !class.is_empty()
            && (self.derived.contains(class) || self.forms.contains_key(&(class.to_owned(), name.to_owned())))
    }

    /// The functions that an expression calls by their names alone may be methods of a class.
    pub(super) fn calls_methods(&self, class: &str, of: &Expression) -> bool {
        let is_method = match &of.what {
            Term::Call { callee, .. } => match &callee.what {
                Term::Name(name) => self.may_be_method(class, name),
                _ => true,
            },
            _ => false,
        };
        is_method || of.parts().into_iter().any(|part| self.calls_methods(class, part))
    }
}
