//! What other files declare for a file in Fortran: texts that it includes, and modules that it uses.
//!
//! Without them `u(m, i)` of an array that a header puts into a common block is the call of a function that may change `i`.
//!
//! Limits: of several modules of one name none is known; a name that is a function anywhere in sight is no variable of
//! a module.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use profile::lens::{Language, Position};
use tree_sitter::Node;

use super::super::read::{Reader, Unreadable, content, language_of};
use super::super::spelling;
use super::super::text::{self, Text, children};
use super::super::written::{Declaration, Lifetime};
use super::Fortran;

/// Texts in texts, and modules that modules use, are followed up to this depth.
const DEEPEST: u32 = 16;

/// A file includes no more texts than this.
const MOST: usize = 200;

/// What the modules of a program's files declare.
#[derive(Debug, Clone, Default)]
pub struct Modules(HashMap<String, Option<Module>>);

/// What a module declares, and what it takes from others.
#[derive(Debug, Clone)]
pub(super) struct Module {
    declares: Vec<Declaration>,
    uses: Vec<Use>,
    /// Names of its procedures, generic ones as well.
    procedures: HashSet<String>,
    access: Access,
}

/// What others see of a module.
#[derive(Debug, Clone, Default)]
struct Access {
    /// Only what is said to be public.
    closed: bool,
    private: HashSet<String>,
    public: HashSet<String>,
}

impl Access {
    fn shows(&self, name: &str) -> bool {
        !self.private.contains(name) && (!self.closed || self.public.contains(name))
    }
}

/// `use name, only: local => of_module`.
#[derive(Debug, Clone)]
struct Use {
    module: String,
    /// Nothing else is seen.
    only: bool,
    /// Names, and what the module calls them.
    names: Vec<(String, String)>,
}

/// A text that another includes.
#[derive(Debug, Clone, Default)]
struct Included {
    declares: Vec<Declaration>,
    /// Names that are declared nowhere may be declared by what was not read, or may not be there.
    forbids: bool,
}

/// What one file sees of others.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Outside<'a> {
    modules: Option<&'a Modules>,
    /// By the name in the text.
    included: HashMap<String, Included>,
}

impl Modules {
    /// Adds the modules that a file defines, if it is in Fortran.
    ///
    /// # Errors
    /// The reason why the file is not read.
    pub fn read(&mut self, path: &Path, reader: &Reader) -> Result<(), Unreadable> {
        let Some(language @ (Language::Fortran | Language::FixedFortran)) = language_of(path) else {
            return Ok(());
        };
        let bytes = content(path, reader.built)?;
        let is_module = |line: &[u8]| line.trim_ascii_start().to_ascii_lowercase().starts_with(b"module");
        if bytes.split(|byte| *byte == b'\n').any(is_module) {
            let outside = Outside::of(path, &bytes, language, reader);
            with_tree(&bytes, language, &outside, |fortran, root| fortran.note_modules(root, self));
        }
        Ok(())
    }

    fn add(&mut self, name: String, module: Module) {
        match self.0.entry(name) {
            Entry::Vacant(entry) => {
                entry.insert(Some(module));
            }
            Entry::Occupied(mut entry) => {
                entry.insert(None);
            }
        }
    }

    /// What is seen of a module, with what it takes from others; `None` if not all of it is known.
    fn seen(&self, one: &Use, depth: u32) -> Option<Vec<Declaration>> {
        let module = self.0.get(&one.module)?.as_ref().filter(|_| depth < DEEPEST)?;
        let mut all = module.declares.clone();
        for inner in &module.uses {
            all.extend(self.seen(inner, depth + 1)?);
        }
        let called = |declaration: Declaration| {
            let mut locals = one.names.iter().filter(|(_, of)| *of == declaration.name).peekable();
            let as_it_is = (!one.only && locals.peek().is_none()).then(|| declaration.name.clone());
            let names: Vec<String> = locals.map(|(local, _)| local.clone()).chain(as_it_is).collect();
            names.into_iter().map(move |name| Declaration { name, ..declaration.clone() })
        };
        let shown = all.into_iter().filter(|one| module.access.shows(&one.name));
        Some(shown.flat_map(called).collect())
    }

    /// Whether a name is a procedure of a module, or of one that it uses.
    fn is_procedure(&self, module: &str, name: &str, depth: u32) -> bool {
        let Some(Some(own)) = self.0.get(module).filter(|_| depth < DEEPEST) else { return false };
        own.procedures.contains(name)
            || own.uses.iter().any(|inner| self.is_procedure(&inner.module, name, depth + 1))
    }
}

impl<'a> Outside<'a> {
    /// Reads the texts that a file includes.
    pub(in super::super) fn of(
        path: &Path,
        bytes: &[u8],
        language: Language,
        reader: &'a Reader,
    ) -> Outside<'a> {
        let mut out = Outside { modules: Some(&reader.modules), included: HashMap::new() };
        let mut budget = MOST;
        for name in named(bytes) {
            if let Some(one) = included(path, &name, language, reader, (0, &mut budget)) {
                out.included.insert(name, one);
            }
        }
        out
    }
}

/// The names of the texts that a text includes, by a line of Fortran or of the preprocessor.
fn named(bytes: &[u8]) -> HashSet<String> {
    let name = |line: &[u8]| {
        let line = line.trim_ascii_start();
        let line = line.strip_prefix(b"#").map_or(line, <[u8]>::trim_ascii_start);
        let (word, rest) = line.split_at_checked(b"include".len())?;
        let rest = rest.trim_ascii_start();
        let quote = *rest.first().filter(|byte| b"'\"".contains(byte))?;
        let rest = &rest[1..];
        let end = rest.iter().position(|&byte| byte == quote)?;
        let is_include = word.eq_ignore_ascii_case(b"include");
        is_include.then(|| String::from_utf8_lossy(&rest[..end]).into_owned())
    };
    bytes.split(|&byte| byte == b'\n').filter_map(name).collect()
}

/// Reads a text that a file includes; `None` if it is not there.
fn included(
    path: &Path,
    name: &str,
    language: Language,
    reader: &Reader,
    (depth, budget): (u32, &mut usize),
) -> Option<Included> {
    *budget = budget.checked_sub(1).filter(|_| depth < DEEPEST)?;
    let own = path.parent().unwrap_or(Path::new(""));
    let directories = std::iter::once(own).chain(reader.directories.iter().map(PathBuf::as_path));
    let place = directories.map(|directory| directory.join(name)).find(|at| at.is_file())?;
    let bytes = content(&place, reader.built).ok()?;
    let mut outside = Outside { modules: Some(&reader.modules), included: HashMap::new() };
    for inner in named(&bytes) {
        if let Some(one) = included(&place, &inner, language, reader, (depth + 1, budget)) {
            outside.included.insert(inner, one);
        }
    }
    // As the declarations of a unit, which is how the file has them.
    let mut text = b"subroutine included\n".to_vec();
    text.extend_from_slice(&spelling::spelled(&bytes, language));
    text.extend_from_slice(b"\nend subroutine\n");
    let read = with_tree(&text, Language::Fortran, &outside, |fortran, root| {
        let unit = children(root).into_iter().find(|node| node.kind() == "subroutine")?;
        let mut declares = fortran.declared_in(unit, &[]);
        for one in &mut declares {
            one.at = Position::default();
        }
        let is_whole = !root.has_error() && children(root).len() == 1;
        Some(Included { declares, forbids: !is_whole || fortran.forbids(unit) })
    });
    read.flatten()
}

/// Parses a text; `None` if that takes too long.
fn with_tree<T>(
    bytes: &[u8],
    language: Language,
    outside: &Outside<'_>,
    then: impl FnOnce(&Fortran<'_>, Node) -> T,
) -> Option<T> {
    let spelled = spelling::spelled(bytes, language);
    let text = Text::new(&spelled, language);
    let tree = text::parse(text.bytes, language, &[])?;
    Some(then(&Fortran::new(&text, bytes, outside), tree.root_node()))
}

impl Fortran<'_> {
    /// Notes the modules of a file.
    pub(super) fn note_modules(&self, root: Node, into: &mut Modules) {
        for node in children(root).into_iter().filter(|node| node.kind() == "module") {
            let head = children(node).into_iter().find(|child| child.kind() == "module_statement");
            let Some(name) = head.and_then(|head| head.named_child(0)) else { continue };
            let mut declares = self.declared_in(node, &[]);
            for one in &mut declares {
                one.at = Position::default();
                one.lifetime = Lifetime::Outside;
            }
            let mut procedures = HashSet::new();
            self.note_procedures(node, 0, &mut procedures);
            let access = self.access(node);
            into.add(self.name(name), Module { declares, uses: self.uses(node), procedures, access });
        }
    }

    /// Notes the names of all procedures of a file, a unit or a module, those of interfaces as well.
    pub(super) fn note_procedures(&self, list: Node, depth: u32, into: &mut HashSet<String>) {
        if depth > DEEPEST {
            return;
        }
        for node in children(list) {
            let head = match node.kind() {
                "function" | "subroutine" | "module_procedure" | "interface" => node.named_child(0),
                _ => None,
            };
            into.extend(head.and_then(|head| self.name_in(head)));
            self.note_procedures(node, depth + 1, into);
        }
    }

    fn access(&self, module: Node) -> Access {
        let mut out = Access::default();
        for node in children(module) {
            let names: Vec<String> = match node.kind() {
                "private_statement" | "public_statement" => {
                    children(node).into_iter().map(|name| self.name(name)).collect()
                }
                "variable_declaration" => self.declarations(node).into_iter().map(|one| one.name).collect(),
                _ => continue,
            };
            let text = self.text.tight(node).to_ascii_lowercase();
            let head = text.split("::").next().unwrap_or_default();
            match node.kind() {
                "private_statement" if names.is_empty() => out.closed = true,
                "private_statement" => out.private.extend(names),
                "public_statement" => out.public.extend(names),
                _ if head.split(',').any(|word| word == "private") => out.private.extend(names),
                _ if head.split(',').any(|word| word == "public") => out.public.extend(names),
                _ => {}
            }
        }
        out
    }

    /// What a program unit or module uses.
    fn uses(&self, unit: Node) -> Vec<Use> {
        let statements = children(unit).into_iter().filter(|child| child.kind() == "use_statement");
        statements.filter_map(|node| self.used(node)).collect()
    }

    fn used(&self, node: Node) -> Option<Use> {
        let mut out = Use { module: String::new(), only: false, names: Vec::new() };
        let mut items = Vec::new();
        for child in children(node) {
            match child.kind() {
                "module_name" => out.module = self.name(child),
                "included_items" => {
                    out.only = true;
                    items.extend(children(child));
                }
                _ => items.push(child),
            }
        }
        for item in items {
            match item.kind() {
                "identifier" => out.names.push((self.name(item), self.name(item))),
                "use_alias" => {
                    let (local, of) = (item.named_child(0)?, item.named_child(1)?);
                    out.names.push((self.name(local), self.name(of)));
                }
                _ => {}
            }
        }
        (!out.module.is_empty()).then_some(out)
    }

    /// What a program unit or module sees of the modules that it uses, as far as they are known.
    pub(super) fn imported(&self, unit: Node) -> Vec<Declaration> {
        let uses = self.uses(unit);
        let is_procedure = |name: &str| {
            let is_of = |one: &Use| self.modules_with(&one.module).is_procedure(&one.module, name, 0);
            self.procedures.contains(name) || uses.iter().any(is_of)
        };
        let mut out: Vec<Declaration> = uses.iter().filter_map(|one| self.seen(one)).flatten().collect();
        out.retain(|one| !is_procedure(&one.name));
        out
    }

    fn seen(&self, one: &Use) -> Option<Vec<Declaration>> {
        self.modules_with(&one.module).seen(one, 0)
    }

    /// The modules among which one is looked for: those of the file, if it is there.
    fn modules_with(&self, name: &str) -> &Modules {
        match self.outside.modules {
            Some(outside) if !self.modules.0.contains_key(name) => outside,
            _ => &self.modules,
        }
    }

    /// The text that a line includes, if it was read.
    fn text_at(&self, node: Node) -> Option<&Included> {
        let path = node.child_by_field_name("path")?;
        let name = self.text.raw(path);
        self.outside.included.get(name.trim_matches(['\'', '"']))
    }

    /// What the text that a line includes declares.
    pub(super) fn included(&self, node: Node) -> Vec<Declaration> {
        self.text_at(node).map(|one| one.declares.clone()).unwrap_or_default()
    }

    /// Whether a program unit or module may see names that it does not declare, or forbids to use such.
    pub(super) fn forbids(&self, unit: Node) -> bool {
        children(unit).iter().any(|child| match child.kind() {
            "implicit_statement" => self.text.of(*child).to_ascii_lowercase().contains("none"),
            "use_statement" => self.used(*child).is_none_or(|one| self.seen(&one).is_none()),
            "include_statement" | "preproc_include" => self.text_at(*child).is_none_or(|one| one.forbids),
            _ => false,
        })
    }
}
