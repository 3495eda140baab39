//! Methods of C++ that only give what an object holds: a call of one changes nothing, whatever it is written on.
//!
//! Definition: an *accessor* is a method all of whose definitions consist of one `return` of an expression that assigns nothing and
//! calls nothing but what reads. Methods of one name in several classes are not told apart: one that is no accessor spoils the name.
//!
//! Limits: what an accessor gives may be a reference, through which its caller assigns; the caller's text shows that.

use std::collections::BTreeSet;
use std::path::Path;

use profile::lens::{FileLoops, Language, LeaveKind, SharingKind};

use super::read::{Unreadable, content, language_of};
use super::text::{self, Text};
use super::trace::known;
use super::written::{Act, Expression, FunctionText, Term};
use super::{c, spelling};

/// The methods that some files define, by name, without their classes.
#[derive(Debug, Default)]
pub struct Methods {
    accessors: BTreeSet<String>,
    others: BTreeSet<String>,
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
        c::C::read(&text, Language::Cpp, tree.root_node(), &mut |_, function| {
            if function.is_method {
                let of = if is_accessor(&function) { &mut self.accessors } else { &mut self.others };
                of.insert(function.name);
            }
        });
    }

    /// Whether a method only gives what an object holds.
    pub fn only_gives(&self, name: &str) -> bool {
        self.accessors.contains(name) && !self.others.contains(name)
    }

    /// Takes back what was said of objects for no other reason than that an accessor is called on them.
    pub fn refine(&self, file: &mut FileLoops) {
        for scalar in file.loops.iter_mut().flat_map(|one| &mut one.scalars) {
            scalar.shared.retain(|sharing| {
                let method = sharing.callee.rsplit(['.', '>']).next().unwrap_or_default();
                sharing.kind != SharingKind::Method || !self.only_gives(method)
            });
        }
        for one in &mut file.loops {
            one.scalars.retain(|scalar| !scalar.definitions.is_empty() || !scalar.shared.is_empty());
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
                    let is_conversion = is_type(name) && arguments.iter().all(is_value);
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

/// Whether a name is one of a type, whatever is declared.
fn is_type(name: &str) -> bool {
    let name = name.rsplit("::").next().unwrap_or(name);
    name.ends_with("_t")
        || name.ends_with("_type")
        || matches!(name, "bool" | "char" | "short" | "int" | "unsigned" | "long" | "float" | "double")
}
