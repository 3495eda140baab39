//! What a file declares outside of its functions.

use std::collections::{HashMap, HashSet};

use profile::lens::Language;

use super::text::words;
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
    /// Per function of the file the variables from outside of it that it assigns, itself or by functions of the file that it calls; up
    /// to [`Environment::settle`] whatever names it assigns that it does not declare.
    pub writes: HashMap<String, HashSet<String>>,
    /// Per function of the file what it calls.
    pub calls: HashMap<String, HashSet<String>>,
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
    /// Its text assigns something that it does not declare, or that of a macro in it may.
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
            writes: HashMap::new(),
            calls: HashMap::new(),
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
        words(text).find_map(|word| self.types.get(word)).copied()
    }

    /// Whether the text that a macro of this file stands for assigns something; `None` if the file defines no such macro. Known
    /// once [`Environment::settle`] has looked at all of them.
    pub(super) fn assigns(&self, name: &str) -> Option<bool> {
        self.macros.get(name).map(|own| own.assigns)
    }

    /// Looks through macros in macros, one level in each round: what is not found harmless then counts as assigning.
    pub(super) fn settle(&mut self) {
        let mut harmless: HashSet<String> = HashSet::new();
        for _ in 0..=DEEPEST_MACRO {
            let is_harmless = |name: &String| !self.macros.contains_key(name) || harmless.contains(name);
            let found: Vec<String> = self
                .macros
                .iter()
                .filter(|(name, own)| {
                    !harmless.contains(*name) && !own.assigns && own.names.iter().all(is_harmless)
                })
                .map(|(name, _)| name.clone())
                .collect();
            if found.is_empty() {
                break;
            }
            harmless.extend(found);
        }
        for (name, own) in &mut self.macros {
            own.assigns = !harmless.contains(name);
        }
        self.settle_writes();
    }

    /// What functions assign through the functions that they call, one level in each round.
    fn settle_writes(&mut self) {
        for own in self.writes.values_mut() {
            own.retain(|name| self.globals.contains_key(name));
        }
        for _ in 0..=DEEPEST_MACRO {
            let mut found: Vec<(String, String)> = Vec::new();
            for (function, called) in &self.calls {
                let own = self.writes.get(function);
                let inner = called.iter().filter_map(|callee| self.writes.get(callee)).flatten();
                let new = inner.filter(|name| own.is_none_or(|own| !own.contains(*name)));
                found.extend(new.map(|name| (function.clone(), name.clone())));
            }
            if found.is_empty() {
                break;
            }
            for (function, name) in found {
                self.writes.entry(function).or_default().insert(name);
            }
        }
    }
}

impl Macro {
    /// Reads the text that a macro stands for.
    pub(super) fn new(takes_arguments: bool, text: &str) -> Macro {
        let names: Vec<String> = words(text)
            .filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
            .map(str::to_owned)
            .collect();
        Macro { takes_arguments, assigns: assigns(text), names }
    }
}

/// Whether a text assigns something otherwise than in a declaration.
fn assigns(text: &str) -> bool {
    let bytes = text.as_bytes();
    let first_typeof = text.find("typeof").unwrap_or(text.len());
    let at = |index: Option<usize>| index.and_then(|index| bytes.get(index)).copied().unwrap_or(b' ');
    (0..bytes.len()).any(|index| {
        let (before, own, after) = (at(index.checked_sub(1)), bytes[index], at(Some(index + 1)));
        match own {
            b'+' | b'-' => after == own,
            b'=' if after == b'=' || matches!(before, b'=' | b'!') => false,
            b'<' | b'>' => after == own && at(Some(index + 2)) == b'=',
            b'=' if matches!(before, b'<' | b'>') => false,
            b'=' => !is_declared(&text[..index], first_typeof),
            _ => false,
        }
    })
}

/// Whether what stands before an equals sign is the declaration of a name: `int t`, `typeof(a) t`. `first_typeof`: where the first one is.
fn is_declared(before: &str, first_typeof: usize) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = before.trim_end();
    let rest = before.trim_end_matches(is_word);
    let space = rest.trim_end();
    let word = &space[space.trim_end_matches(is_word).len()..];
    rest.len() < before.len()
        && space.len() < rest.len()
        && (space.ends_with(')') && first_typeof < space.len()
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
        environment.settle();
        let assigns = ["A", "B", "C", "D", "E"].map(|name| environment.assigns(name));
        assert_eq!(assigns, [Some(true), Some(true), Some(true), Some(false), None]);
    }

    /// Each of them names the next one ten times: looked through one by one that would be 10^16 steps.
    #[test]
    fn macros_in_macros_are_looked_through_once() {
        let mut environment = Environment::new(Language::C);
        for depth in 0..20 {
            let text = format!("M{} ", depth + 1).repeat(10);
            environment.macros.insert(format!("M{depth}"), Macro::new(false, &text));
        }
        environment.settle();
        let assigns = ["M0", "M3", "M19"].map(|name| environment.assigns(name));
        // What lies deeper than is looked may assign.
        assert_eq!(assigns, [Some(true), Some(false), Some(false)]);
    }
}
