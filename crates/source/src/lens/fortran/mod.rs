//! Fortran: program units, free and fixed form. Names are read in lower case.
//!
//! An expression `a(i)` is an element if `a` is declared with bounds in the unit, its hosts, a text that it includes or
//! a module that it uses, or stands on the left of an assignment; otherwise it is a call.
//!
//! What an assignment or a call names stands on the last line of the statement: there compilers put what they make of it.

mod declarations;
mod dummies;
mod expressions;
mod fixed;
mod loops;
mod outside;
mod statements;

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::ops::Range;

use profile::lens::{InMacro, Language, Position};
use tree_sitter::Node;

use super::environment::{Environment, Signature};
use super::text::{Text, children, words};
use super::trace::known;
use super::written::{Act, DEEPEST, Declaration, Expression, FunctionText, Kept, Lifetime, Statement, Term};

pub(super) use fixed::as_free_form;
pub use outside::Modules;
pub(super) use outside::Outside;

/// Reads the program units of a file, one at a time.
pub(super) struct Fortran<'a> {
    text: &'a Text<'a>,
    environment: Environment,
    /// Names declared with bounds, where the unit that is read sees them.
    arrays: RefCell<HashSet<String>>,
    /// Whole arrays are read element by element: inside an array assignment.
    elementwise: Cell<bool>,
    broken: Cell<u32>,
    conditional: Cell<u32>,
    /// Offsets of the lines of the file.
    lines: Vec<usize>,
    /// Assignments and calls of several lines: their offsets, in their order, and their last lines.
    continued: Vec<(Range<usize>, usize)>,
    /// What other files declare for this one.
    outside: &'a Outside<'a>,
    /// The file's own modules.
    modules: Modules,
    /// The names of all procedures of the file.
    procedures: HashSet<String>,
    /// The names of procedures of types, in all of the file.
    bound: HashSet<String>,
    /// Variables of types of the program that the unit sees.
    derived: RefCell<HashSet<String>>,
    /// The statement functions of the unit that is read: `f(x) = x * g(x)` in front of its statements.
    statement_functions: RefCell<HashSet<String>>,
}

/// A program unit, and the declarations of those around it.
struct Unit<'t> {
    node: Node<'t>,
    hosts: Vec<Node<'t>>,
    conditional: bool,
}

impl<'a> Fortran<'a> {
    /// `text` is in free form, `original` the file as it is.
    fn new(text: &'a Text<'a>, original: &[u8], outside: &'a Outside<'a>) -> Fortran<'a> {
        let mut lines = vec![0];
        lines.extend(original.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1));
        Fortran {
            text,
            environment: Environment::new(Language::Fortran),
            arrays: RefCell::new(HashSet::new()),
            elementwise: Cell::new(false),
            broken: Cell::new(0),
            conditional: Cell::new(0),
            lines,
            continued: Vec::new(),
            outside,
            modules: Modules::default(),
            procedures: HashSet::new(),
            bound: HashSet::new(),
            derived: RefCell::new(HashSet::new()),
            statement_functions: RefCell::new(HashSet::new()),
        }
    }

    /// Reads a file, and gives its units to `visit`, one at a time. `text` is in free form, `original` the file as it is.
    pub(super) fn read(
        text: &'a Text<'a>,
        original: &[u8],
        root: Node,
        outside: &'a Outside<'a>,
        visit: &mut dyn FnMut(&Environment, FunctionText),
    ) {
        let mut fortran = Fortran::new(text, original, outside);
        fortran.note_continued(root);
        let mut modules = Modules::default();
        fortran.note_modules(root, &mut modules);
        fortran.modules = modules;
        let mut procedures = HashSet::new();
        fortran.note_procedures(root, 0, &mut procedures);
        fortran.procedures = procedures;
        let mut units = Vec::new();
        fortran.units(root, &[], false, 0, &mut units);
        let scopes = units.iter().flat_map(|unit| unit.hosts.iter().copied().chain([unit.node]));
        let bound = scopes.flat_map(|scope| fortran.bound_in(scope)).map(|(name, _)| name).collect();
        fortran.bound = bound;
        fortran.note_state(&units);
        fortran.note_signatures(&units);
        fortran.note_reads(&units);
        for unit in units {
            fortran.environment.globals.clear();
            fortran.arrays.borrow_mut().clear();
            for host in &unit.hosts {
                let around = fortran.imported(*host).into_iter().chain(fortran.declared_in(*host, &[]));
                around.for_each(|declaration| fortran.see(declaration));
            }
            fortran.imported(unit.node).into_iter().for_each(|declaration| fortran.see(declaration));
            fortran.conditional.set(u32::from(unit.conditional));
            let function = fortran.unit(&unit);
            visit(&fortran.environment, function);
        }
    }

    /// Takes note of a variable from outside of the unit that is read.
    fn see(&mut self, mut declaration: Declaration) {
        declaration.lifetime = Lifetime::Outside;
        if declaration.array {
            self.arrays.borrow_mut().insert(declaration.name.clone());
        } else {
            self.arrays.borrow_mut().remove(&declaration.name);
        }
        self.environment.globals.insert(declaration.name.clone(), declaration);
    }

    /// Notes the assignments and calls that go on in further lines.
    fn note_continued(&mut self, root: Node) {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            if matches!(
                node.kind(),
                "assignment_statement" | "subroutine_call" | "pointer_association_statement"
            ) {
                let (first, last) = (self.start(node).line, self.end(node).line);
                if first < last {
                    self.continued.push((node.byte_range(), last as usize));
                }
            } else {
                open.extend(children(node));
            }
        }
        self.continued.sort_by_key(|(range, _)| range.start);
    }

    fn units<'t>(
        &self,
        list: Node<'t>,
        hosts: &[Node<'t>],
        conditional: bool,
        depth: u32,
        out: &mut Vec<Unit<'t>>,
    ) {
        if depth > DEEPEST {
            self.text.cut_short.set(true);
            return;
        }
        let mut has_loose = false;
        for node in children(list) {
            match node.kind() {
                "module" | "submodule" => {
                    let inside: Vec<_> = hosts.iter().copied().chain([node]).collect();
                    self.units(node, &inside, conditional, depth + 1, out);
                }
                "program" | "subroutine" | "function" | "module_procedure" => {
                    out.push(Unit { node, hosts: hosts.to_vec(), conditional });
                    let inside: Vec<_> = hosts.iter().copied().chain([node]).collect();
                    for inner in
                        children(node).into_iter().filter(|inner| inner.kind() == "internal_procedures")
                    {
                        self.units(inner, &inside, conditional, depth + 1, out);
                    }
                }
                "internal_procedures" => self.units(node, hosts, conditional, depth + 1, out),
                "preproc_if" | "preproc_ifdef" | "preproc_else" | "preproc_elif" => {
                    self.units(node, hosts, true, depth + 1, out);
                }
                "ERROR" => {
                    self.units(node, hosts, conditional, depth + 1, out);
                    has_loose |= children(node).iter().any(|child| is_executable(child.kind()));
                }
                kind => has_loose |= is_executable(kind),
            }
        }
        if has_loose
            && matches!(list.kind(), "translation_unit" | "preproc_if" | "preproc_ifdef" | "preproc_else")
        {
            out.push(Unit { node: list, hosts: hosts.to_vec(), conditional });
        }
    }

    /// Notes procedures with variables that outlive their calls: `save`, or an initial value.
    fn note_state(&mut self, units: &[Unit]) {
        let mut found = Vec::new();
        for unit in units.iter().filter(|unit| matches!(unit.node.kind(), "function" | "subroutine")) {
            let keeps = children(unit.node).into_iter().any(|child| {
                let text = self.text.raw(child).to_ascii_lowercase();
                let mut words = words(&text);
                let is_declaration = matches!(child.kind(), "variable_declaration" | "save_statement");
                is_declaration
                    && words.clone().any(|word| word == "save")
                    && words.all(|word| word != "parameter")
            });
            found.extend(self.unit_name(unit).filter(|_| keeps));
        }
        self.environment.stateful.extend(found);
    }

    /// Notes of each procedure which of its arguments it may write: all but those that it declares to be read alone, or values, and
    /// those that its text [only reads](dummies).
    fn note_signatures(&mut self, units: &[Unit]) {
        let only_read = self.only_read(units);
        for unit in units.iter().filter(|unit| matches!(unit.node.kind(), "function" | "subroutine")) {
            let read = self.declared_as(unit.node, &|about| {
                about.contains("intent(in)") || about.split(',').any(|word| word == "value")
            });
            let Some(name) = self.unit_name(unit) else { continue };
            let dummies = self.dummies(unit.node);
            let reads = |index: usize| only_read.get(&name).is_some_and(|own| own.contains(&index));
            let written =
                dummies.iter().enumerate().map(|(index, one)| !read.contains(one) && !reads(index)).collect();
            self.environment.signatures.entry(name).or_default().push(Signature {
                written,
                values: Vec::new(),
                rest: None,
            });
        }
    }

    /// Notes of each procedure what it names and does not declare, and what lies in its common blocks: others that have
    /// these blocks come to that by names of their own.
    fn note_reads(&mut self, units: &[Unit]) {
        let mut called: Vec<(String, HashSet<String>)> = Vec::new();
        for unit in units.iter().filter(|unit| matches!(unit.node.kind(), "function" | "subroutine")) {
            let Some(name) = self.unit_name(unit) else { continue };
            let mut declared: HashSet<String> =
                self.declared_in(unit.node, &[]).into_iter().map(|one| one.name).collect();
            // A function assigns what it gives by its name.
            declared.insert(name.clone());
            // What hosts have is known to what stands in them; of program units that is what their text names.
            let mut around: HashSet<String> = HashSet::new();
            around.extend(self.imported(unit.node).into_iter().map(|one| one.name));
            for host in &unit.hosts {
                around.extend(self.imported(*host).into_iter().map(|one| one.name));
                around.extend(self.declared_in(*host, &[]).into_iter().map(|one| one.name));
                if !matches!(host.kind(), "module" | "submodule") {
                    let text = self.text.raw(*host).to_ascii_lowercase();
                    around.extend(words(&text).map(str::to_owned));
                }
            }
            let text = self.text.raw(unit.node).to_ascii_lowercase();
            let is_read = |word: &&str| around.contains(*word) && !declared.contains(*word);
            let named = words(&text).filter(is_read).map(str::to_owned);
            let assigned = self.assigned_in(unit.node);
            if assigned.iter().any(|own| around.contains(own) && !declared.contains(own)) {
                self.environment.keeping.insert(name.clone());
            }
            called.push((name.clone(), words(&text).map(str::to_owned).collect()));
            self.environment.reads.entry(name).or_default().extend(named);
        }
        let nodes = || units.iter().flat_map(|unit| unit.hosts.iter().chain([&unit.node]));
        let generic = nodes().flat_map(|node| self.generic_in(*node).into_iter().chain(self.bound_in(*node)));
        let generic: Vec<(String, HashSet<String>)> = generic.collect();
        if self.assignments_keep(units, &generic) {
            self.environment.keeping.insert("assignment".to_owned());
        }
        called.extend(generic);
        for unit in units {
            let declared = self.declared_in(unit.node, &[]);
            for (name, calls) in self.statement_functions_in(unit.node, &declared) {
                // What it calls may keep something that no text here shows.
                if !calls.iter().all(|callee| known::takes_values(callee, Language::Fortran)) {
                    self.environment.keeping.insert(name);
                }
            }
        }
        self.environment.keep_through(&called);
        let mut common: HashSet<String> = HashSet::new();
        for unit in units {
            for node in children(unit.node).into_iter().filter(|one| one.kind() == "common_statement") {
                let text = self.text.raw(node).to_ascii_lowercase();
                common.extend(words(&text).map(str::to_owned));
            }
            // Nothing else does a text that is included put outside of the unit.
            let included = children(unit.node).into_iter().flat_map(|node| self.included(node));
            common.extend(included.filter(|one| one.lifetime == Lifetime::Outside).map(|one| one.name));
        }
        self.environment.common = common;
    }

    /// What a unit declares with attributes that are meant: these come in small letters, without spaces, up to the colons.
    fn declared_as(&self, unit: Node, are_meant: &dyn Fn(&str) -> bool) -> HashSet<String> {
        let mut out = HashSet::new();
        for child in children(unit).into_iter().filter(|one| one.kind() == "variable_declaration") {
            let text: String = self.text.raw(child).to_ascii_lowercase().split_whitespace().collect();
            if let Some((_, names)) = text.split_once("::").filter(|(about, _)| are_meant(about)) {
                out.extend(words(names).map(str::to_owned));
            }
        }
        out
    }

    /// Whether an assignment may be a call of a procedure that finds what the variable held before: one for which the interface of
    /// assignments stands, with a first argument that is not `intent(out)` (Fortran 2018, 10.2.1.4 and 15.4.3.4.3).
    fn assignments_keep(&self, units: &[Unit], generic: &[(String, HashSet<String>)]) -> bool {
        let mut reached: HashSet<&str> = HashSet::from(["assignment"]);
        loop {
            let before = reached.len();
            for (name, calls) in generic {
                if reached.contains(name.as_str()) {
                    reached.extend(calls.iter().map(String::as_str));
                }
            }
            if reached.len() == before {
                break;
            }
        }
        let mut subroutines = units.iter().filter(|unit| unit.node.kind() == "subroutine");
        subroutines.any(|unit| {
            let is_reached = self.unit_name(unit).is_some_and(|name| reached.contains(name.as_str()));
            let Some(first) = self.dummies(unit.node).into_iter().next().filter(|_| is_reached) else {
                return false;
            };
            !self.declared_as(unit.node, &|about| about.contains("intent(out)")).contains(&first)
        })
    }

    /// The variables that a unit assigns, itself and not element by element.
    fn assigned_in(&self, unit: Node) -> Vec<String> {
        let (mut out, mut open) = (Vec::new(), vec![unit]);
        while let Some(node) = open.pop() {
            if node.kind() == "assignment_statement"
                && let Some(left) = node.child_by_field_name("left").filter(|of| of.kind() == "identifier")
            {
                out.push(self.name(left));
            }
            open.extend(children(node));
        }
        out
    }

    /// What an assignment sets with parentheses behind its name: elements, if it is no statement function.
    fn set_by_elements(&self, assignment: Node) -> Option<String> {
        let left = assignment.child_by_field_name("left").filter(|left| left.kind() == "call_expression")?;
        Some(self.name(left.named_child(0)?))
    }

    /// What a unit makes other names for: by association, and by pointers.
    fn kept(&self, unit: Node) -> Kept {
        let mut out = Kept::default();
        let mut open = vec![unit];
        while let Some(node) = open.pop() {
            let kept = match node.kind() {
                "association" => node.child_by_field_name("selector"),
                "pointer_association_statement" => node.child_by_field_name("right"),
                _ => None,
            };
            let first = kept.map(|of| self.text.raw(of).to_ascii_lowercase());
            let name = first.as_deref().and_then(|text| words(text).next());
            out.addresses.extend(name.map(str::to_owned));
            open.extend(children(node));
        }
        out
    }

    fn unit_name(&self, unit: &Unit) -> Option<String> {
        let head = children(unit.node).into_iter().find(|child| child.kind().ends_with("_statement"));
        let is_unit = unit.node.kind() != "translation_unit" && !unit.node.kind().starts_with("preproc");
        head.filter(|_| is_unit).and_then(|head| self.name_in(head))
    }

    /// The name in the first statement of a unit, a procedure or an interface.
    fn name_in(&self, head: Node) -> Option<String> {
        let named = head.child_by_field_name("name");
        let is_name = |child: &Node| matches!(child.kind(), "name" | "identifier");
        named.or_else(|| children(head).into_iter().find(is_name)).map(|name| self.name(name))
    }

    fn unit(&self, unit: &Unit) -> FunctionText {
        let head = children(unit.node).into_iter().find(|child| child.kind().ends_with("_statement"));
        let name = self.unit_name(unit).unwrap_or_default();
        let parameters: Vec<String> = head
            .and_then(|head| head.child_by_field_name("parameters"))
            .map(|list| children(list).into_iter().map(|one| self.name(one)).collect())
            .unwrap_or_default();
        let mut out = FunctionText {
            name: name.clone(),
            kept: self.kept(unit.node),
            is_method: false,
            members: Vec::new(),
            parameters: Vec::new(),
            body: Vec::new(),
            conditional_compilation: unit.conditional,
            in_macro: InMacro::No,
            has_implicit_locals: self.has_implicit_locals(unit),
        };
        let mut declared = self.declared_in(unit.node, &parameters);
        if unit.node.kind() == "function" && !declared.iter().any(|one| one.name == name) {
            declared.push(Declaration::plain(name, self.start(unit.node)));
        }
        for name in &parameters {
            if !declared.iter().any(|one| one.name == *name) {
                let mut one = Declaration::plain(name.clone(), self.start(unit.node));
                one.lifetime = Lifetime::Parameter;
                one.storage.reference = true;
                declared.push(one);
            }
        }
        let is_derived = |one: &&Declaration| {
            let text = one.type_text.to_ascii_lowercase();
            text.starts_with("type") || text.starts_with("class")
        };
        let all = declared.iter().chain(self.environment.globals.values());
        *self.derived.borrow_mut() = all.filter(is_derived).map(|one| one.name.clone()).collect();
        *self.statement_functions.borrow_mut() =
            self.statement_functions_in(unit.node, &declared).into_iter().map(|(name, _)| name).collect();
        let inside = self.words_inside(unit.node);
        for one in declared.iter_mut().filter(|one| inside.contains(&one.name)) {
            one.storage.reference = true;
        }
        for declaration in &declared {
            let mut arrays = self.arrays.borrow_mut();
            if declaration.array {
                arrays.insert(declaration.name.clone());
            } else {
                arrays.remove(&declaration.name);
            }
        }
        for declaration in declared {
            if declaration.lifetime == Lifetime::Parameter {
                out.parameters.push(declaration);
            } else {
                let at = declaration.at;
                out.body.push(Statement { what: Act::Declare(declaration), at });
            }
        }
        self.sequence(unit.node, 1, &mut out.body);
        if unit.node.kind() == "function" {
            // What the function returns is read at its end.
            let result = head
                .and_then(|head| children(head).into_iter().find(|child| child.kind() == "function_result"));
            let result = result.and_then(|result| children(result).into_iter().next());
            let name = result.map_or_else(|| out.name.clone(), |result| self.name(result));
            let at = super::text::end(unit.node);
            let range = unit.node.end_byte()..unit.node.end_byte();
            let read = Expression { what: Term::Name(name), at, text: range };
            out.body.push(Statement { what: Act::Evaluate(read), at });
        }
        out
    }

    /// Generic names that a unit or module gives to procedures, each with the words that say which.
    fn generic_in(&self, unit: Node) -> Vec<(String, HashSet<String>)> {
        let interfaces = children(unit).into_iter().filter(|node| node.kind() == "interface");
        let named = interfaces.filter_map(|node| {
            let text = self.text.raw(node).to_ascii_lowercase();
            let mut all = words(&text).skip(1);
            Some((all.next()?.to_owned(), all.map(str::to_owned).collect()))
        });
        named.collect()
    }

    /// The procedures of types that a unit or module declares, by the names that they have there.
    fn bound_in(&self, unit: Node) -> Vec<(String, HashSet<String>)> {
        let mut out = Vec::new();
        for node in children(unit).into_iter().filter(|node| node.kind() == "derived_type_definition") {
            let text = self.text.raw(node).to_ascii_lowercase();
            let bound = text
                .lines()
                .map(str::trim)
                .filter(|line| ["procedure", "generic"].iter().any(|word| line.starts_with(word)));
            for item in bound.filter_map(|line| line.split_once("::")).flat_map(|(_, list)| list.split(',')) {
                let name = words(item).next().map(str::to_owned);
                out.extend(name.map(|name| (name, words(item).map(str::to_owned).collect())));
            }
        }
        out
    }

    /// The statement functions of a unit that declares this, and what each calls: what has no bounds has no elements.
    fn statement_functions_in(&self, unit: Node, declared: &[Declaration]) -> Vec<(String, Vec<String>)> {
        let mut out = Vec::new();
        for node in children(unit).into_iter().filter(|child| child.kind() == "assignment_statement") {
            let Some(name) = self.set_by_elements(node) else { continue };
            let is_plain = |one: &Declaration| {
                let text = one.type_text.to_ascii_lowercase();
                one.name == name && !one.array && !one.storage.pointer && !text.starts_with("character")
            };
            if !declared.iter().any(is_plain) {
                continue;
            }
            let (mut calls, mut open) =
                (Vec::new(), node.child_by_field_name("right").into_iter().collect::<Vec<_>>());
            while let Some(node) = open.pop() {
                let callee =
                    node.named_child(0).filter(|_| node.kind() == "call_expression").map(|of| self.name(of));
                calls.extend(
                    callee.filter(|callee| !declared.iter().any(|one| one.array && one.name == *callee)),
                );
                open.extend(children(node));
            }
            out.push((name, calls));
        }
        out
    }

    /// The words of the procedures inside a unit, which may assign its variables.
    fn words_inside(&self, unit: Node) -> HashSet<String> {
        let mut out = HashSet::new();
        for inner in children(unit).into_iter().filter(|inner| inner.kind() == "internal_procedures") {
            let text = self.text.raw(inner).to_ascii_lowercase();
            out.extend(words(&text).map(str::to_owned));
        }
        out
    }

    /// Names that are declared nowhere are local: there is no `implicit none`, and no module or text that may declare them.
    fn has_implicit_locals(&self, unit: &Unit) -> bool {
        !self.forbids(unit.node) && !unit.hosts.iter().any(|host| self.forbids(*host))
    }

    fn name(&self, node: Node) -> String {
        self.text.tight(node).to_ascii_lowercase()
    }

    fn position(&self, offset: usize) -> Position {
        let line = self.lines.partition_point(|&start| start <= offset);
        let after = self.continued.partition_point(|(range, _)| range.start <= offset);
        let statement = after.checked_sub(1).and_then(|at| self.continued.get(at));
        if let Some((_, last)) = statement.filter(|(range, last)| range.contains(&offset) && line < *last) {
            return Position { line: u32::try_from(*last).unwrap_or(u32::MAX), column: 1 };
        }
        let start = line.checked_sub(1).and_then(|line| self.lines.get(line)).copied().unwrap_or(0);
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        Position { line: number(line), column: number(offset - start + 1) }
    }

    /// The first character of a node.
    fn start(&self, node: Node) -> Position {
        self.position(node.start_byte())
    }

    /// The last character of a node that is no white space.
    fn end(&self, node: Node) -> Position {
        let text = self.text.bytes.get(node.byte_range()).unwrap_or_default();
        self.position(
            (node.start_byte() + text.trim_ascii_end().len()).saturating_sub(1).max(node.start_byte()),
        )
    }
}

/// Whether a node is a statement that may stand in a program without a head.
fn is_executable(kind: &str) -> bool {
    matches!(
        kind,
        "do_loop"
            | "if_statement"
            | "assignment_statement"
            | "forall_statement"
            | "where_statement"
            | "select_case_statement"
            | "subroutine_call"
            | "block_construct"
            | "associate_statement"
    )
}
