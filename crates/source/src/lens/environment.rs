//! What a file declares outside of its functions.

use std::collections::{HashMap, HashSet};

use profile::lens::Language;

use super::written::Declaration;

/// What a file declares outside of its functions.
pub(super) struct Environment {
    pub language: Language,
    pub globals: HashMap<String, Declaration>,
    /// The macros that the file defines, by name.
    pub macros: HashMap<String, Macro>,
    /// Types of the file the operators of which are functions, or the members of which share storage: classes and unions.
    pub types: HashMap<String, TypeKind>,
    /// Functions of the file that keep something from call to call.
    pub stateful: HashSet<String>,
    /// Per function name, of every declaration the parameters: whether each may be written through.
    pub signatures: HashMap<String, Vec<Vec<bool>>>,
}

/// A type that is no plain one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeKind {
    /// A structure or class.
    Class,
    /// A union.
    Union,
}

/// What is known of a macro.
#[derive(Debug, Clone, Default)]
pub(super) struct Macro {
    /// It takes arguments.
    pub takes_arguments: bool,
    /// Its own text assigns something that it does not declare.
    pub assigns: bool,
    /// Names in its text.
    pub names: Vec<String>,
}

/// Macros in macros are followed up to this depth.
const DEEPEST_MACRO: u32 = 16;

impl Environment {
    pub(super) fn new(language: Language) -> Environment {
        Environment {
            language,
            globals: HashMap::new(),
            macros: HashMap::new(),
            types: HashMap::new(),
            stateful: HashSet::new(),
            signatures: HashMap::new(),
        }
    }

    /// Whether a function of the file may write through an argument; `None` if the function is not known.
    pub(super) fn takes_reference(&self, callee: &str, argument: usize) -> Option<bool> {
        let known = self.signatures.get(callee)?;
        Some(known.iter().any(|parameters| parameters.get(argument).copied().unwrap_or(true)))
    }

    /// What a type is, by a declaration's text.
    pub(super) fn type_of(&self, text: &str) -> Option<TypeKind> {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').find_map(|word| self.types.get(word)).copied()
    }

    /// Whether the text that a macro of this file stands for assigns something; `None` if the file defines no such macro.
    pub(super) fn assigns(&self, name: &str) -> Option<bool> {
        self.macros.get(name).map(|own| self.is_assigning(own, DEEPEST_MACRO))
    }

    fn is_assigning(&self, own: &Macro, depth: u32) -> bool {
        let inner = || own.names.iter().filter_map(|name| self.macros.get(name));
        own.assigns || inner().any(|inner| depth == 0 || self.is_assigning(inner, depth - 1))
    }
}

impl Macro {
    /// Reads the text that a macro stands for.
    pub(super) fn new(takes_arguments: bool, text: &str) -> Macro {
        let names: Vec<String> = text
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
            .map(str::to_owned)
            .collect();
        Macro { takes_arguments, assigns: assigns(text), names }
    }
}

/// Whether a text assigns something otherwise than in a declaration.
fn assigns(text: &str) -> bool {
    let bytes = text.as_bytes();
    let at = |index: Option<usize>| index.and_then(|index| bytes.get(index)).copied().unwrap_or(b' ');
    (0..bytes.len()).any(|index| {
        let (before, own, after) = (at(index.checked_sub(1)), bytes[index], at(Some(index + 1)));
        match own {
            b'+' | b'-' => after == own,
            b'=' if after == b'=' || matches!(before, b'=' | b'!') => false,
            b'<' | b'>' => after == own && at(Some(index + 2)) == b'=',
            b'=' if matches!(before, b'<' | b'>') => false,
            b'=' => !is_declared(&text[..index]),
            _ => false,
        }
    })
}

/// Whether what stands before an equals sign is the declaration of a name: `int t`, `typeof(a) t`.
fn is_declared(before: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = before.trim_end();
    let rest = before.trim_end_matches(is_word);
    let space = rest.trim_end();
    let word = &space[space.trim_end_matches(is_word).len()..];
    rest.len() < before.len()
        && space.len() < rest.len()
        && (space.ends_with(')') && space.contains("typeof")
            || !word.is_empty() && !matches!(word, "else" | "do"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assigning_texts() {
        for (text, is) in [
            ("((a) > (b) ? (a) : (b))", false),
            ("a[(i) * n + (j)]", false),
            ("(x) == 1 || (x) <= 2 && (y) >= 3 || (z) != 4", false),
            ("({ typeof(a) _a = (a); int b = 1; _a; })", false),
            ("out[n++] = (v)", true),
            ("(p)--", true),
            ("x = 1", true),
            ("x <<= 1", true),
            ("x += 1", true),
            ("do { if (a) b; else x = 1; } while (0)", true),
        ] {
            assert_eq!(assigns(text), is, "{text}");
        }
        let mut environment = Environment::new(Language::C);
        for (name, text) in [("A", "B(x) + 1"), ("B", "n++"), ("C", "C(x)"), ("D", "f(x)")] {
            environment.macros.insert(name.to_owned(), Macro::new(true, text));
        }
        let assigns = ["A", "B", "C", "D", "E"].map(|name| environment.assigns(name));
        assert_eq!(assigns, [Some(true), Some(true), Some(true), Some(false), None]);
    }
}
