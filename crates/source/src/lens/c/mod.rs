//! C and C++: the functions of a file, and what is declared around them.

mod accessors;
mod declarations;
mod expressions;
mod kept;
mod lambdas;
mod places;
mod resolved;
mod statements;
mod updaters;

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::collections::hash_map::Entry;

use profile::lens::{InMacro, Language};
use tree_sitter::Node;

use super::directives;
use super::environment::{Environment, Macro, TypeKind};
use super::text::{self, Text, children, in_field, start, without_comments, words};
use super::written::{DEEPEST, Declaration, FunctionText, Kept, Lifetime};

/// Reads the functions of a file, one at a time.
pub(super) struct C<'a> {
    text: &'a Text<'a>,
    language: Language,
    environment: Environment,
    /// Around what is read now: conditional compilation, text that was not understood.
    conditional: Cell<u32>,
    broken: Cell<u32>,
    in_macro: Cell<InMacro>,
    in_function: Cell<bool>,
    /// Of the function that is read: the class that it is a method of, and those of the names in it.
    class: RefCell<String>,
    objects: RefCell<accessors::Objects>,
    /// Names that the function declares, and of members of its class.
    own_names: RefCell<HashSet<String>>,
}

/// What stands outside of functions.
struct Items<'t> {
    functions: Vec<Found<'t>>,
    macros: Vec<(String, Node<'t>)>,
}

/// A function's definition, or statements without one.
struct Found<'t> {
    nodes: Vec<Node<'t>>,
    members: Vec<Declaration>,
    /// The class that it is defined in.
    class: Option<String>,
    conditional: bool,
    broken: bool,
}

/// What holds for the items of one list.
#[derive(Clone, Copy)]
struct Around<'m> {
    members: Option<&'m [Declaration]>,
    /// The class around.
    class: Option<&'m str>,
    conditional: bool,
    broken: bool,
    depth: u32,
}

impl<'a> C<'a> {
    /// Reads a file that stands in `environment`, and gives its functions to `visit`, one at a time.
    pub(super) fn read(
        text: &'a Text<'a>,
        environment: Environment,
        root: Node,
        visit: &mut dyn FnMut(&Environment, FunctionText),
    ) {
        let (mut c, items) = C::of(text, environment, root);
        c.environment.settle();
        c.in_function.set(true);
        for (name, body) in &items.macros {
            c.macro_definition(name, *body, visit);
        }
        for found in items.functions {
            c.conditional.set(u32::from(found.conditional));
            c.broken.set(u32::from(found.broken));
            if let Some(function) = c.function(&found) {
                visit(&c.environment, function);
            }
        }
    }

    /// What a file adds to `environment` for those that include it.
    pub(super) fn declared(text: &'a Text<'a>, environment: Environment, root: Node) -> Environment {
        C::of(text, environment, root).0.environment.included()
    }

    /// A file's declarations, and what else stands outside of its functions.
    fn of<'t>(text: &'a Text<'a>, environment: Environment, root: Node<'t>) -> (C<'a>, Items<'t>) {
        let mut c = C {
            text,
            language: environment.language,
            environment,
            conditional: Cell::new(0),
            broken: Cell::new(0),
            in_macro: Cell::new(InMacro::No),
            in_function: Cell::new(false),
            class: RefCell::default(),
            objects: RefCell::default(),
            own_names: RefCell::default(),
        };
        if c.language == Language::Cpp {
            c.note_members(root);
        }
        let mut items = Items { functions: Vec::new(), macros: Vec::new() };
        let around = Around { members: None, class: None, conditional: false, broken: false, depth: 0 };
        c.items(root, around, &mut items);
        (c, items)
    }

    fn items<'t>(&mut self, list: Node<'t>, around: Around, out: &mut Items<'t>) {
        if around.depth > DEEPEST {
            self.text.cut_short.set(true);
            return;
        }
        let mut loose = Vec::new();
        for item in children(list) {
            let inside = Around { depth: around.depth + 1, ..around };
            match item.kind() {
                "function_definition" | "inline_method_definition" => {
                    self.signature(item);
                    self.note_state(item);
                    self.note_writes(item);
                    self.note_places(item, around.members.is_some());
                    let class = around.members.map(|own| (around.class.unwrap_or_default(), own));
                    self.note_forms(item, around.class.unwrap_or_default());
                    self.note_definition(item, around.conditional);
                    self.note_shown(item, class);
                    self.note_kept(item);
                    let mut inner = vec![item];
                    while let Some(node) = inner.pop() {
                        match node.kind() {
                            "preproc_function_def" | "preproc_def" => self.macro_item(node, out),
                            _ => inner.extend(children(node)),
                        }
                    }
                    out.functions.push(Found {
                        nodes: vec![item],
                        members: around.members.unwrap_or_default().to_vec(),
                        class: around.members.is_some().then(|| around.class.unwrap_or_default().to_owned()),
                        conditional: around.conditional,
                        broken: around.broken,
                    });
                }
                "declaration" | "field_declaration" | "type_definition" => {
                    self.file_declaration(item, inside, out);
                }
                "class_specifier" | "struct_specifier" | "union_specifier" => self.class(item, inside, out),
                "alias_declaration" => self.note_type_name(item),
                "using_declaration" => self.note_using(item),
                "enum_specifier" => self.enumeration(item),
                "preproc_function_def" | "preproc_def" => self.macro_item(item, out),
                "preproc_if" | "preproc_ifdef" | "preproc_else" | "preproc_elif" | "preproc_elifdef" => {
                    let conditional = around.conditional || !self.is_guard(item);
                    self.items(item, Around { conditional, ..inside }, out);
                }
                "namespace_definition"
                | "linkage_specification"
                | "declaration_list"
                | "field_declaration_list"
                | "export_declaration" => self.items(item, inside, out),
                "template_declaration" => {
                    self.template_parameters(item);
                    self.items(item, inside, out);
                }
                "ERROR" => {
                    self.items(item, Around { broken: true, ..inside }, out);
                }
                "expression_statement" | "labeled_statement" | "preproc_call" | "compound_statement" => {
                    self.thread_private(item);
                    loose.push(item);
                }
                kind if statements::is_statement(kind) => loose.push(item),
                _ => {}
            }
        }
        if loose.iter().any(|node| node.kind() != "preproc_call") {
            out.functions.push(Found {
                nodes: loose,
                members: Vec::new(),
                class: None,
                conditional: around.conditional,
                broken: around.broken,
            });
        }
    }

    /// A directive gives each thread variables of its own.
    fn thread_private(&mut self, item: Node) {
        let text = self.text.of(item);
        for name in directives::thread_private(&text) {
            if let Some(global) = self.environment.globals.get_mut(name) {
                global.storage.thread_local = true;
            }
        }
    }

    /// `#ifndef X`, `#define X` around a whole header, and `#ifdef __cplusplus`.
    fn is_guard(&self, node: Node) -> bool {
        let Some(name) = node.child_by_field_name("name") else { return false };
        let name = self.text.of(name);
        let defines = |child: Node| {
            child.kind() == "preproc_def"
                && child.child_by_field_name("name").is_some_and(|defined| self.text.of(defined) == name)
        };
        name == "__cplusplus" || children(node).into_iter().take(2).any(defines)
    }

    fn macro_item<'t>(&mut self, item: Node<'t>, out: &mut Items<'t>) {
        let Some(name) = item.child_by_field_name("name").map(|name| self.text.of(name)) else { return };
        let Some(value) = item.child_by_field_name("value") else { return };
        let body = without_comments(&self.text.raw(value));
        if words(&body).any(|word| matches!(word, "for" | "while" | "do")) {
            self.environment.loop_macros.insert(name.clone());
            out.macros.push((name.clone(), value));
        }
        let parameters = item.child_by_field_name("parameters").map(|list| {
            children(list).into_iter().map(|parameter| self.text.tight(parameter)).collect::<Vec<_>>()
        });
        let own = Macro::new(parameters, &body);
        match self.environment.macros.entry(name) {
            Entry::Vacant(entry) => {
                entry.insert(own);
            }
            Entry::Occupied(mut entry) => entry.get_mut().join(own),
        }
    }

    fn macro_definition(&self, name: &str, body: Node, visit: &mut dyn FnMut(&Environment, FunctionText)) {
        let Some(tree) = text::parse(self.text.bytes, self.language, &[body.range()]) else {
            self.text.cut_short.set(true);
            return;
        };
        self.in_macro.set(InMacro::Definition);
        let mut statements = Vec::new();
        self.sequence(&children(tree.root_node()), 1, &mut statements);
        self.in_macro.set(InMacro::No);
        visit(
            &self.environment,
            FunctionText {
                name: name.to_owned(),
                kept: self.kept(tree.root_node()),
                is_method: false,
                members: Vec::new(),
                parameters: Vec::new(),
                body: statements,
                conditional_compilation: false,
                in_macro: InMacro::Definition,
                has_implicit_locals: false,
            },
        );
    }

    fn class<'t>(&mut self, item: Node<'t>, around: Around, out: &mut Items<'t>) {
        let Some(body) = item.child_by_field_name("body") else { return };
        if let Some(name) = item.child_by_field_name("name") {
            self.environment.types.insert(self.text.of(name), type_kind(item));
        }
        self.note_kept(item);
        let mut members = Vec::new();
        for field in children(body).into_iter().filter(|field| field.kind() == "field_declaration") {
            members
                .extend(self.declarations(field, around.depth).into_iter().filter(|field| !field.function));
        }
        if let Some(name) = item.child_by_field_name("name").map(|name| self.text.of(name)) {
            self.note_parts(&name, item, &members);
        }
        let references = members.iter().filter(|member| member.storage.reference);
        self.environment.kept.members.extend(references.map(|member| member.name.clone()));
        let class = item
            .child_by_field_name("name")
            .map(|name| declarations::without_template_arguments(&self.text.tight(name)));
        if let Some(class) = &class {
            self.note_class(item, class, body);
            self.note_declared(class, body);
        }
        self.items(body, Around { members: Some(&members), class: class.as_deref(), ..around }, out);
    }

    /// A class inside of a function.
    fn inner_class(&mut self, item: Node) {
        let Some(body) = item.child_by_field_name("body") else { return };
        if let Some(name) = item.child_by_field_name("name") {
            self.environment.types.insert(self.text.of(name), type_kind(item));
        }
        let mut members = Vec::new();
        for field in children(body) {
            match field.kind() {
                "field_declaration" => members.extend(self.declarations(field, 1)),
                "function_definition" | "inline_method_definition" => {
                    self.signature(field);
                    self.note_state(field);
                    self.note_writes(field);
                }
                "declaration" => self.signature(field),
                _ => {}
            }
        }
        if let Some(name) = item.child_by_field_name("name").map(|name| self.text.of(name)) {
            self.note_parts(&name, item, &members);
        }
        let references = members.into_iter().filter(|one| one.storage.reference);
        self.environment.kept.members.extend(references.map(|one| one.name));
    }

    fn enumeration(&mut self, item: Node) {
        if let Some(name) = item.child_by_field_name("name") {
            self.environment.types.insert(self.text.of(name), TypeKind::Other);
        }
        // What it lists are names of numbers. (Those of `enum class` are used with its name in front.)
        let list = item.child_by_field_name("body").map(children).unwrap_or_default();
        for one in list.into_iter().filter(|one| one.kind() == "enumerator") {
            let Some(name) = one.child_by_field_name("name") else { continue };
            let mut number = Declaration::plain(self.text.of(name), start(name));
            number.type_text = "const int".to_owned();
            number.lifetime = Lifetime::Static;
            number.storage.constant = true;
            self.environment.globals.entry(number.name.clone()).or_insert(number);
        }
    }

    /// A function of a class (or of none) is read from now on.
    fn enter(&self, function: Node, class: &str, members: &[Declaration]) {
        self.class.replace(class.to_owned());
        self.objects.replace(self.objects(function, members));
        let members = members.iter().map(|member| member.name.clone());
        self.own_names.replace(self.declared_names(function).into_iter().chain(members).collect());
    }

    /// Notes a name for a type, and whether that is a reference.
    fn note_type_name(&mut self, item: Node) {
        let is_named = |child: &Node| child.kind() == "type_identifier";
        let name = item.child_by_field_name("name");
        let names = name.into_iter().chain(in_field(item, "declarator")).filter(is_named);
        self.environment.type_names.extend(names.map(|name| self.text.of(name)));
        for mut at in in_field(item, "declarator").into_iter().filter(|one| one.kind() == "array_declarator")
        {
            while let Some(inner) = at.child_by_field_name("declarator") {
                at = inner;
            }
            self.environment.array_types.insert(self.text.of(at));
        }
        let mut open = vec![item];
        while let Some(node) = open.pop() {
            if node.kind().ends_with("reference_declarator") {
                let inner = name.or_else(|| children(node).into_iter().find(is_named));
                self.environment.reference_types.extend(inner.map(|name| self.text.of(name)));
                return;
            }
            open.extend(children(node));
        }
    }

    /// Notes the types that a template takes.
    fn template_parameters(&mut self, item: Node) {
        let list = item.child_by_field_name("parameters").map(children).unwrap_or_default();
        for name in list.into_iter().filter(|one| one.kind().ends_with("type_parameter_declaration")) {
            let name = children(name).into_iter().find(|part| part.kind() == "type_identifier");
            self.environment.type_names.extend(name.map(|name| self.text.of(name)));
        }
    }

    /// Notes what a part of the file makes other names for, but for variables that it declares itself.
    fn note_kept(&mut self, item: Node) {
        let mut inner = vec![item];
        while let Some(node) = inner.pop() {
            if matches!(
                node.kind(),
                "declaration" | "parameter_declaration" | "optional_parameter_declaration"
            ) {
                self.note_callable(node);
            }
            match node.kind() {
                "type_definition" | "alias_declaration" => self.note_type_name(node),
                "class_specifier" | "struct_specifier" if node != item => self.inner_class(node),
                _ => inner.extend(children(node)),
            }
        }
        let mut kept = self.kept(item);
        let handed_on = self.handed_on(item);
        if item.kind() == "function_definition" || item.kind() == "inline_method_definition" {
            for name in self.declared_names(item) {
                kept.addresses.remove(&name);
                kept.values.remove(&name);
            }
        }
        self.environment.kept.extend(kept);
        self.environment.handed_on.extend(handed_on);
    }

    /// Notes what keeps something from call to call: a function with variables that outlive its calls; of those inside it, functions, and
    /// closures with values of their own.
    fn note_state(&mut self, function: Node) {
        let Some(body) = function.child_by_field_name("body") else { return };
        let text = self.text.raw(body);
        let mut words = words(&text);
        let is_fixed = |word: Option<&str>| matches!(word, Some("const" | "constexpr"));
        let (mut before, mut closure) = (None, None);
        let mut found = Vec::new();
        while let Some(word) = words.next() {
            match word {
                "static" if !is_fixed(before) && !is_fixed(words.clone().next()) => {
                    found.extend(self.function_name(function));
                }
                "auto" => closure = words.clone().next(),
                "mutable" => found.extend(closure.map(str::to_owned)),
                _ => {}
            }
            before = Some(word);
        }
        let mut open = children(body);
        while let Some(inner) = open.pop() {
            match inner.kind() {
                "function_definition" => found.extend(self.function_name(inner)),
                // Those of classes have no part in the function's variables.
                "class_specifier" | "struct_specifier" | "union_specifier" => {}
                _ => open.extend(children(inner)),
            }
        }
        self.environment.stateful.extend(found);
    }

    /// Notes the classes of a text and those of their members that do not lie in objects: methods may name them before they are declared.
    fn note_members(&mut self, root: Node) {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            let noted = &mut self.environment.members_elsewhere;
            match node.kind() {
                "class_specifier" | "struct_specifier" => {
                    noted.classes.extend(node.child_by_field_name("name").map(|name| self.text.tight(name)));
                }
                "field_declaration" => {
                    let parts = children(node);
                    let is_shared = parts.iter().any(|part| {
                        part.kind() == "storage_class_specifier" && self.text.tight(*part) == "static"
                    });
                    let is_reference = parts.iter().any(|part| part.kind() == "reference_declarator");
                    let names = in_field(node, "declarator").into_iter().flat_map(|declarator| {
                        let mut inside = vec![declarator];
                        let mut found = None;
                        while let Some(part) = inside.pop() {
                            if part.kind() == "field_identifier" {
                                found = Some(self.text.tight(part));
                                break;
                            }
                            inside.extend(children(part));
                        }
                        found
                    });
                    let names: Vec<String> = names.collect();
                    match (is_shared, is_reference) {
                        (true, _) => noted.shared.extend(names),
                        (false, true) => noted.references.extend(names),
                        (false, false) => {}
                    }
                }
                _ => {}
            }
            open.extend(children(node));
        }
    }

    /// Notes what a function assigns that it does not declare, and what it calls.
    fn note_writes(&mut self, function: Node) {
        if let Some(name) = self.function_name(function) {
            self.note_writes_of(name, function);
        }
    }

    /// Notes for the constructors and the destructor of a class what its members and bases add to them.
    fn note_parts(&mut self, name: &str, item: Node, members: &[Declaration]) {
        let bases = children(item).into_iter().filter(|child| child.kind() == "base_class_clause");
        let bases = bases.flat_map(children).map(|base| declarations::unqualified(&self.text.tight(base)));
        let objects = members.iter().filter(|member| !member.storage.pointer && !member.storage.reference);
        let objects = objects.filter_map(|member| self.environment.class_of(&member.type_text));
        let parts: HashSet<String> = bases.chain(objects.map(str::to_owned)).collect();
        let parts = parts.into_iter().filter(|part| self.environment.types.contains_key(part));
        let parts: Vec<String> = parts.collect();
        let ends = parts.iter().map(|part| format!("~{part}")).collect::<Vec<_>>();
        self.environment.calls.entry(format!("~{name}")).or_default().extend(ends);
        self.environment.calls.entry(name.to_owned()).or_default().extend(parts);
        let body = item.child_by_field_name("body").map(children).unwrap_or_default();
        for field in body.into_iter().filter(|field| field.kind() == "field_declaration") {
            if let Some(value) = field.child_by_field_name("default_value") {
                self.note_writes_of(name.to_owned(), value);
            }
        }
    }

    fn note_writes_of(&mut self, name: String, function: Node) {
        let (mut declared, mut assigned, mut called) = (HashSet::new(), HashSet::new(), HashSet::new());
        let (mut named, mut arrays) = (HashSet::new(), HashSet::new());
        let mut open = vec![function];
        while let Some(node) = open.pop() {
            let of = |field: &str| node.child_by_field_name(field);
            match node.kind() {
                "assignment_expression" | "update_expression" => {
                    let target = of("left").or_else(|| of("argument"));
                    assigned.extend(target.and_then(|target| self.variable(target)));
                    arrays.extend(target.and_then(|target| self.array(target)));
                }
                "call_expression" => {
                    let callee = of("function").map(|callee| self.text.tight(callee));
                    let callee = callee.filter(|callee| !callee.starts_with("std::"));
                    called.extend(callee.map(|callee| declarations::unqualified(&callee)));
                }
                "declaration" | "parameter_declaration" | "init_declarator" | "for_range_loop" => {
                    declared
                        .extend(in_field(node, "declarator").into_iter().filter_map(|of| self.variable(of)));
                }
                "identifier" => {
                    named.insert(self.text.tight(node));
                }
                _ => {}
            }
            open.extend(children(node));
        }
        assigned.retain(|name| !declared.contains(name));
        named.retain(|name| !declared.contains(name));
        arrays.retain(|name| !declared.contains(name));
        self.environment.array_writes.entry(name.clone()).or_default().extend(arrays);
        self.environment.reads.entry(name.clone()).or_default().extend(named);
        self.environment.writes.entry(name.clone()).or_default().extend(assigned);
        self.environment.calls.entry(name).or_default().extend(called);
    }

    /// The variable that an expression or a declarator names, or a member of; `None` for what a pointer or a subscript leads to.
    fn variable(&self, of: Node) -> Option<String> {
        let mut at = of;
        loop {
            at = match at.kind() {
                "identifier" => return Some(self.text.tight(at)),
                "parenthesized_expression" => *children(at).first()?,
                "field_expression" if !self.text.of(at).contains("->") => {
                    at.child_by_field_name("argument")?
                }
                "init_declarator" | "pointer_declarator" | "array_declarator" => {
                    at.child_by_field_name("declarator")?
                }
                "reference_declarator" => *children(at).last()?,
                _ => return None,
            };
        }
    }

    /// The array of an element that an expression names, or of a member of one.
    fn array(&self, of: Node) -> Option<String> {
        let mut at = of;
        let mut is_element = false;
        loop {
            at = match at.kind() {
                "identifier" => return is_element.then(|| self.text.tight(at)),
                "parenthesized_expression" => *children(at).first()?,
                "field_expression" => at.child_by_field_name("argument")?,
                "subscript_expression" => {
                    is_element = true;
                    at.child_by_field_name("argument")?
                }
                _ => return None,
            };
        }
    }

    /// The name of a function, without its class.
    fn function_name(&self, function: Node) -> Option<String> {
        let declarator = function.child_by_field_name("declarator").and_then(declarations::function_of)?;
        self.qualified_name(declarator).map(|name| declarations::unqualified(&name))
    }

    fn file_declaration<'t>(&mut self, item: Node<'t>, around: Around, out: &mut Items<'t>) {
        if let Some(kind) = item.child_by_field_name("type")
            && matches!(kind.kind(), "class_specifier" | "struct_specifier" | "union_specifier")
        {
            self.class(kind, around, out);
            if item.kind() == "type_definition"
                && let Some(name) = item.child_by_field_name("declarator")
            {
                self.environment.types.insert(self.text.of(name), type_kind(kind));
            }
        }
        if let Some(kind) = item.child_by_field_name("type").filter(|kind| kind.kind() == "enum_specifier") {
            self.enumeration(kind);
        }
        if item.kind() == "type_definition" {
            self.note_type_name(item);
            let is_other = self.text.of(item).contains("vector_size")
                || item.child_by_field_name("type").is_some_and(|kind| kind.kind() == "enum_specifier");
            if let Some(name) = item.child_by_field_name("declarator").filter(|_| is_other) {
                self.environment.types.insert(self.text.of(name), TypeKind::Other);
            }
        }
        if item.kind() == "declaration" {
            self.note_kept(item);
            self.signature(item);
            self.note_forms(item, around.class.unwrap_or_default());
            for declaration in self.declarations(item, around.depth) {
                if !declaration.function {
                    self.environment.globals.insert(declaration.name.clone(), declaration);
                }
            }
        }
    }

    fn function(&self, found: &Found) -> Option<FunctionText> {
        let mut kept = Kept::default();
        found.nodes.iter().for_each(|node| kept.extend(self.kept(*node)));
        let mut out = FunctionText {
            name: String::new(),
            kept,
            is_method: found.class.is_some(),
            members: found.members.clone(),
            parameters: Vec::new(),
            body: Vec::new(),
            conditional_compilation: found.conditional,
            in_macro: InMacro::No,
            has_implicit_locals: false,
        };
        let node = *found.nodes.first()?;
        self.enter(node, found.class.as_deref().unwrap_or_default(), &found.members);
        if !matches!(node.kind(), "function_definition" | "inline_method_definition") {
            self.sequence(&found.nodes, 1, &mut out.body);
            return Some(out);
        }
        if let Some(declarator) = node.child_by_field_name("declarator").and_then(declarations::function_of) {
            let name = self.qualified_name(declarator).unwrap_or_default();
            out.is_method |= name.contains("::");
            if let Some((class, _)) = name.rsplit_once("::") {
                self.class.replace(declarations::unqualified(class));
            }
            out.name = declarations::unqualified(&name);
            out.parameters = self.parameters(declarator, 1);
        }
        for old_style in children(node).into_iter().filter(|child| child.kind() == "declaration") {
            for mut declaration in self.declarations(old_style, 1) {
                declaration.lifetime = Lifetime::Parameter;
                out.parameters.retain(|other| other.name != declaration.name);
                out.parameters.push(declaration);
            }
        }
        let body = node.child_by_field_name("body")?;
        match body.kind() {
            "try_statement" => self.statement(body, 1, &mut out.body),
            _ => self.sequence(&children(body), 1, &mut out.body),
        }
        Some(out)
    }
}

fn type_kind(specifier: Node) -> TypeKind {
    if specifier.kind() == "union_specifier" { TypeKind::Union } else { TypeKind::Class }
}
