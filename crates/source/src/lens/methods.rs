//! Methods of C++ that only give what an object holds: a call of one changes nothing, whatever it is written on.
//!
//! Definition: an *accessor* is a method all of whose definitions consist of one `return` of an expression that assigns nothing and
//! calls nothing but what reads. Methods of one name in several classes are not told apart: one that is no accessor spoils the name.
//!
//! A function that comes to the objects which it takes by reference through such methods alone, and only takes what they give, changes
//! nothing either: a *reader*.
//!
//! Limits: what an accessor gives may be a reference, through which its caller assigns; the caller's text shows that.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use profile::lens::{FileLoops, Language, LeaveKind, SharingKind};

use super::environment::Environment;
use super::read::{Unreadable, content, language_of};
use super::text::{self, Text};
use super::trace::known;
use super::written::{Act, DEEPEST, Expression, FunctionText, Header, Statement, Term};
use super::{c, spelling};

/// The methods that some files define, by name, without their classes.
#[derive(Debug, Default)]
pub struct Methods {
    accessors: BTreeSet<String>,
    others: BTreeSet<String>,
    /// Functions, and the methods that they call on what they take by reference; `None` if they do more with it.
    readers: BTreeMap<String, Option<BTreeSet<String>>>,
}

impl Methods {
    /// Adds the methods that a file defines, if it may define any.
    ///
    /// # Errors
    /// The reason why the file is not read.
    pub fn read(&mut self, path: &Path) -> Result<(), Unreadable> {
        let is_header = path.extension().is_some_and(|extension| extension == "h");
        if language_of(path) == Some(Language::Cpp) || is_header {
            self.of_text(&content(path, None)?);
        }
        Ok(())
    }

    /// Adds the methods that a text in C++ defines.
    pub fn of_text(&mut self, bytes: &[u8]) {
        let spelled = spelling::spelled(bytes, Language::Cpp);
        let text = Text::new(&spelled, Language::Cpp);
        let Some(tree) = text::parse(text.bytes, Language::Cpp, &[]) else { return };
        c::C::read(&text, Environment::new(Language::Cpp), tree.root_node(), &mut |_, function| {
            if function.is_method {
                let of = if is_accessor(&function) { &mut self.accessors } else { &mut self.others };
                of.insert(function.name);
            } else if function.parameters.iter().any(|one| one.storage.reference && !one.storage.constant) {
                let used = Reader::of(&function);
                match self.readers.entry(function.name) {
                    Entry::Vacant(entry) => {
                        entry.insert(used);
                    }
                    // Another function of this name.
                    Entry::Occupied(mut entry) => {
                        let joined =
                            entry.get_mut().take().zip(used).map(|(a, b)| a.into_iter().chain(b).collect());
                        entry.insert(joined);
                    }
                }
            }
        });
    }

    /// Whether a method only gives what an object holds.
    pub fn only_gives(&self, name: &str) -> bool {
        self.accessors.contains(name) && !self.others.contains(name)
    }

    /// Whether a function changes nothing that it takes by reference.
    pub fn only_reads(&self, function: &str) -> bool {
        let used = self.readers.get(function).and_then(Option::as_ref);
        used.is_some_and(|methods| methods.iter().all(|method| self.only_gives(method)))
    }

    /// Takes back what was said of objects for no other reason than that an accessor is called on them, or a reader on it.
    pub fn refine(&self, file: &mut FileLoops) {
        for scalar in file.loops.iter_mut().flat_map(|one| &mut one.scalars) {
            scalar.shared.retain(|sharing| {
                let method = sharing.callee.rsplit(['.', '>']).next().unwrap_or_default();
                match sharing.kind {
                    // Operators have no names there.
                    SharingKind::Method => method.is_empty() || !self.only_gives(method),
                    SharingKind::Reference => !self.only_reads(&sharing.callee),
                    _ => true,
                }
            });
        }
        for one in &mut file.loops {
            one.scalars.retain(|scalar| !scalar.definitions.is_empty() || !scalar.shared.is_empty());
        }
    }
}

/// How a function uses what it takes by reference.
struct Reader<'a> {
    taken: Vec<&'a str>,
    methods: BTreeSet<String>,
}

impl<'a> Reader<'a> {
    /// The methods that a function calls on what it takes by reference; `None` if it does anything else with it.
    fn of(function: &'a FunctionText) -> Option<BTreeSet<String>> {
        let taken = function.parameters.iter().filter(|one| one.storage.reference && !one.storage.constant);
        let mut reader =
            Reader { taken: taken.map(|one| one.name.as_str()).collect(), methods: BTreeSet::new() };
        reader.all(&function.body, 0).then_some(reader.methods)
    }

    fn all(&mut self, statements: &[Statement], depth: u32) -> bool {
        depth < DEEPEST && statements.iter().all(|one| self.statement(&one.what, depth + 1))
    }

    fn statement(&mut self, act: &Act, depth: u32) -> bool {
        match act {
            Act::Declare(one) => {
                // A reference to what a method gives may be assigned later.
                one.value.as_ref().is_none_or(|value| self.uses(value, one.storage.reference))
            }
            Act::Evaluate(value) => self.uses(value, false),
            Act::Leave(_, value) => value.as_ref().is_none_or(|value| self.uses(value, true)),
            Act::Block(body) => self.all(body, depth),
            Act::If { arms, otherwise } => {
                arms.iter().all(|(condition, body)| self.uses(condition, false) && self.all(body, depth))
                    && otherwise.as_ref().is_none_or(|body| self.all(body, depth))
            }
            Act::Loop(one) => {
                let header = match &one.header {
                    Header::For { start, test, step } => {
                        self.all(start, depth) && test.iter().chain(step).all(|part| self.uses(part, false))
                    }
                    Header::While(test) | Header::DoWhile(test) => self.uses(test, false),
                    _ => false,
                };
                header && self.all(&one.body, depth)
            }
            Act::Break(_) | Act::Continue(_) | Act::Directive(_) => true,
            _ => false,
        }
    }

    /// Whether an expression uses what is taken in the allowed way; `is_kept`: something may assign what it names.
    fn uses(&mut self, one: &Expression, is_kept: bool) -> bool {
        let is_taken = |reader: &Self, of: &Expression| matches!(&of.what, Term::Name(name) if reader.taken.contains(&name.as_str()));
        match &one.what {
            Term::Name(_) => !is_taken(self, one),
            // What an accessor is shown as.
            Term::Member { base, .. } if is_taken(self, base) => !is_kept,
            Term::Call { callee, arguments } => match &callee.what {
                Term::Member { base, field, .. } if is_taken(self, base) => {
                    self.methods.insert(field.clone());
                    !is_kept && arguments.iter().all(|argument| self.uses(argument, false))
                }
                Term::Name(name) => {
                    let is_value = known::takes_values(name, Language::Cpp);
                    arguments.iter().all(|argument| self.uses(argument, !is_value))
                }
                _ => one.parts().into_iter().all(|part| self.uses(part, true)),
            },
            Term::Assignment { target, value, .. } => self.uses(target, true) && self.uses(value, false),
            Term::Step { target, .. } => self.uses(target, true),
            Term::Address { of, .. } => self.uses(of, true),
            Term::Closure(_) | Term::Statements(_) | Term::Unknown => false,
            Term::Index { base, subscripts } => {
                self.uses(base, is_kept) && subscripts.iter().all(|part| self.uses(part, false))
            }
            _ => one.parts().into_iter().all(|part| self.uses(part, is_kept)),
        }
    }
}

fn is_accessor(function: &FunctionText) -> bool {
    let [statement] = &function.body[..] else { return false };
    match &statement.what {
        Act::Leave(LeaveKind::Return, Some(value)) => only_reads(value),
        _ => false,
    }
}

fn only_reads(value: &Expression) -> bool {
    let of_parts = || value.parts().into_iter().all(only_reads);
    match &value.what {
        Term::Assignment { .. } | Term::Step { .. } => false,
        Term::Closure(_) | Term::Statements(_) | Term::Unknown => false,
        Term::Call { callee, arguments } => {
            let is_value = |one: &Expression| matches!(one.what, Term::Integer(_) | Term::Constant);
            match &callee.what {
                Term::Name(name) => {
                    let is_conversion = known::is_type(name) && arguments.iter().all(is_value);
                    known::takes_values(name, Language::Cpp) && of_parts() || is_conversion
                }
                Term::Member { base, field, .. } => {
                    (known::only_reads(field)
                        || matches!(field.as_str(), "at" | "data" | "begin" | "front" | "back"))
                        && only_reads(base)
                        && arguments.iter().all(only_reads)
                }
                _ => false,
            }
        }
        _ => of_parts(),
    }
}
