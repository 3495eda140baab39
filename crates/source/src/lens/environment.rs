//! What a file declares outside of its functions.

use std::collections::{BTreeSet, HashMap, HashSet};

use profile::lens::{Language, Position};

use super::text::words;
use super::written::{DEEPEST, Declaration, Expression, Kept, Statement, Term};

/// What a file declares outside of its functions.
#[derive(Clone)]
pub(super) struct Environment {
    pub language: Language,
    pub globals: HashMap<String, Declaration>,
    /// The macros that the file defines, by name.
    pub macros: HashMap<String, Macro>,
    /// Types of the file the operators of which are functions, or the members of which share storage: classes and unions.
    pub types: HashMap<String, TypeKind>,
    /// Other names of types: what `typedef` and `using` declare, parameters of templates. `T(x)` converts, and calls nothing.
    pub type_names: HashSet<String>,
    /// Names of types that are arrays: what is handed on as one is an address.
    pub array_types: HashSet<String>,
    /// Names of types that are references.
    pub reference_types: HashSet<String>,
    /// Macros whose text has a loop.
    pub loop_macros: HashSet<String>,
    /// Members of classes that all objects share, and members that are references: what is assigned to these is none of the object's.
    pub members_elsewhere: MembersElsewhere,
    /// Functions of the file that keep something from call to call.
    pub stateful: HashSet<String>,
    /// Functions of the file that do so, or call such ones. Known once [`Environment::settle`] has looked at all of them.
    pub keeping: HashSet<String>,
    /// Per function of the file the variables from outside of it that it assigns, itself or by functions of the file that it calls; up
    /// to [`Environment::settle`] whatever names it assigns that it does not declare.
    pub writes: HashMap<String, HashSet<String>>,
    /// Per function of the file the arrays from outside of it of which it writes elements, in the same way.
    pub array_writes: HashMap<String, HashSet<String>>,
    /// Per function of the file the variables from outside of it that it names, in the same way.
    pub reads: HashMap<String, HashSet<String>>,
    /// Per function of the file what it changes through what it is handed. Known once [`Environment::settle`] has looked at all of them.
    pub places: HashMap<String, Places>,
    /// Functions, each with a name the address of which is handed to it somewhere.
    pub handed_on: Vec<(String, String)>,
    /// Names in common blocks (Fortran).
    pub common: HashSet<String>,
    /// What the file makes other names for, variables of its functions apart.
    pub kept: Kept,
    /// Per function of the file what it calls.
    pub calls: HashMap<String, HashSet<String>>,
    /// Per function name every declaration.
    pub signatures: HashMap<String, Vec<Signature>>,
    /// Variables that can be called, by name and where they are declared.
    pub callables: HashMap<(String, Position), Signature>,
    /// By class (none: no method), name and number of parameters the functions that are defined; `None` for those that are no accessors.
    pub accessors: HashMap<(String, String, usize), Option<Accessor>>,
    /// Names of methods that are virtual in some class.
    pub virtual_methods: HashSet<String>,
    /// By class (none: no method), name and number of parameters the functions that are defined; `None` for those that are no updaters.
    pub updaters: HashMap<(String, String, usize), Option<Updater>>,
    /// By class (none: no method) and name the ways in which functions may be called.
    pub forms: HashMap<(String, String), Vec<Form>>,
    /// Names that may be those of other functions than the file's.
    pub ambiguous: HashSet<String>,
    /// Classes that have others as bases.
    pub derived: HashSet<String>,
    /// Some class converts to another type.
    pub converts: bool,
}

/// How a function may be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Form {
    /// Fewest arguments.
    pub least: usize,
    /// Most arguments; `None` for any number.
    pub most: Option<usize>,
    /// Types of the parameters, without white space.
    pub types: Vec<String>,
}

/// A function that only assigns what its parameters or its object lead to.
#[derive(Debug, Clone)]
pub(super) struct Updater {
    pub parameters: Vec<Declaration>,
    /// Its ranges are those of the text that it was read from.
    pub body: Vec<Statement>,
    /// It has more than one statement.
    pub is_long: bool,
    /// Some of it is evaluated under a condition.
    pub has_conditions: bool,
    /// Texts of the constants in it, by their ranges.
    pub constants: HashMap<(usize, usize), String>,
}

/// A function that only returns an expression.
#[derive(Debug, Clone)]
pub(super) struct Accessor {
    pub parameters: Vec<String>,
    /// Its ranges are those of the text that it was read from.
    pub value: Expression,
    /// Variables outside of functions that it names.
    pub globals: HashSet<String>,
    /// Texts of the constants in it, by their ranges.
    pub constants: HashMap<(usize, usize), String>,
}

/// Members of classes that do not lie in their objects (C++).
#[derive(Debug, Clone, Default)]
pub(super) struct MembersElsewhere {
    /// `static` ones.
    pub shared: HashSet<String>,
    /// References.
    pub references: HashSet<String>,
    /// The classes, by name.
    pub classes: HashSet<String>,
}

/// What a function changes through what it is handed.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    /// Of each place the parameters that decide which it is; [`OBJECT`] is what a method is called on.
    pub changed: BTreeSet<BTreeSet<usize>>,
    /// Of each element of a global variable that it changes the parameters that choose it. Of arrays others look at.
    pub globals: Vec<(String, BTreeSet<usize>)>,
    /// Functions that it calls.
    pub calls: Vec<Handed>,
}

/// A call, and the parameters that what is handed to it stands for.
#[derive(Debug, Clone)]
pub(super) struct Handed {
    pub callee: String,
    /// What it is called on, if it is a method.
    pub object: BTreeSet<usize>,
    pub arguments: Vec<BTreeSet<usize>>,
}

/// The number of the parameter that is the object of a method.
pub(super) const OBJECT: usize = usize::MAX;

/// A function that changes more places than this counts as one that changes the same in every call.
const MOST_PLACES: usize = 32;

/// How a function takes its arguments.
#[derive(Debug, Clone, Default)]
pub(super) struct Signature {
    /// Of each parameter, whether it may be written through.
    pub written: Vec<bool>,
    /// Of each parameter, whether it is a plain value, of which nothing can be kept but a copy.
    pub values: Vec<bool>,
    /// Whether those that follow may be; `None` if none may follow.
    pub rest: Option<bool>,
}

impl Signature {
    /// Whether it may write through an argument, one of `count`; `None` if it does not take so many.
    pub(super) fn writes(&self, argument: usize, count: usize) -> Option<bool> {
        match self.written.get(argument) {
            Some(written) => (self.written.len() >= count || self.rest.is_some()).then_some(*written),
            None => self.rest,
        }
    }
}

/// A type that is no plain one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeKind {
    /// A structure or class.
    Class,
    /// A union.
    Union,
    /// An enumeration or a vector.
    Other,
}

/// What is known of a macro.
#[derive(Debug, Clone, Default)]
pub(super) struct Macro {
    /// It takes arguments.
    pub takes_arguments: bool,
    /// Its text assigns something that it does not declare, or that of a macro in it may.
    pub assigns: bool,
    /// The variables that its text assigns and does not declare, as it names them; elements are not among them.
    pub changed: Vec<String>,
    /// A macro in it may assign something.
    pub assigns_inside: bool,
    /// Its text comes to elements of something.
    pub names_elements: bool,
    /// What it calls its arguments.
    pub parameters: Vec<String>,
    /// Names in its text, but for those of its arguments.
    pub names: Vec<String>,
}

/// Macros in macros are followed up to this depth.
const DEEPEST_MACRO: u32 = 16;

impl Environment {
    /// Functions that call ones which keep something keep it too: `called` has, by function, what each calls.
    pub fn keep_through(&mut self, called: &[(String, HashSet<String>)]) {
        for _ in 0..DEEPEST {
            let is_new = |(name, calls): &&(String, HashSet<String>)| {
                !self.keeping.contains(name) && !self.keeping.is_disjoint(calls)
            };
            let found: Vec<String> = called.iter().filter(is_new).map(|(name, _)| name.clone()).collect();
            if found.is_empty() {
                break;
            }
            self.keeping.extend(found);
        }
    }

    pub(super) fn new(language: Language) -> Environment {
        Environment {
            language,
            globals: HashMap::new(),
            macros: HashMap::new(),
            types: HashMap::new(),
            type_names: HashSet::new(),
            array_types: HashSet::new(),
            reference_types: HashSet::new(),
            loop_macros: HashSet::new(),
            stateful: HashSet::new(),
            keeping: HashSet::new(),
            writes: HashMap::new(),
            array_writes: HashMap::new(),
            reads: HashMap::new(),
            places: HashMap::new(),
            members_elsewhere: MembersElsewhere::default(),
            handed_on: Vec::new(),
            common: HashSet::new(),
            kept: Kept::default(),
            calls: HashMap::new(),
            signatures: HashMap::new(),
            callables: HashMap::new(),
            accessors: HashMap::new(),
            virtual_methods: HashSet::new(),
            updaters: HashMap::new(),
            forms: HashMap::new(),
            ambiguous: HashSet::new(),
            derived: HashSet::new(),
            converts: false,
        }
    }

    /// What holds in the file that includes this one: its positions and texts are those of another file there.
    pub(super) fn included(mut self) -> Environment {
        for global in self.globals.values_mut() {
            global.at = Position::default();
            let value = global.value.take().map(|value| value.what);
            global.value = value.filter(|what| matches!(what, Term::Integer(_))).map(|what| Expression {
                what,
                at: Position::default(),
                text: 0..0,
            });
        }
        self
    }

    /// Whether a function of the file may write through an argument, one of `count`; `None` if no function of that name which takes so
    /// many is known.
    pub(super) fn takes_reference(&self, callee: &str, argument: usize, count: usize) -> Option<bool> {
        let taken = |one: &Signature| one.writes(argument, count);
        let mut known = self.signatures.get(callee)?.iter().filter_map(taken).peekable();
        known.peek()?;
        Some(known.any(|written| written))
    }

    /// Whether all functions of a name take an argument, one of `count`, as a plain value; not if none is known.
    pub(super) fn takes_value(&self, callee: &str, argument: usize, count: usize) -> bool {
        let known = self.signatures.get(callee).into_iter().flatten();
        let mut fitting = known.filter(|one| one.values.len() >= count || one.rest.is_some()).peekable();
        fitting.peek().is_some() && fitting.all(|one| one.values.get(argument) == Some(&true))
    }

    /// The class of the file that a declaration's text names, if what it declares is an object of it.
    pub(super) fn class_of<'t>(&self, text: &'t str) -> Option<&'t str> {
        let is_object = !text.contains(['*', '&', '<']);
        words(text).find(|word| self.types.get(*word) == Some(&TypeKind::Class)).filter(|_| is_object)
    }

    /// What a type is, by a declaration's text.
    pub(super) fn type_of(&self, text: &str) -> Option<TypeKind> {
        words(text).find_map(|word| self.types.get(word)).copied()
    }

    /// Whether a type, by a declaration's text, is an array.
    pub(super) fn is_array_type(&self, text: &str) -> bool {
        words(text).any(|word| self.array_types.contains(word))
    }

    /// Whether the text that a macro of this file stands for assigns something; `None` if the file defines no such macro. Known
    /// once [`Environment::settle`] has looked at all of them.
    pub(super) fn assigns(&self, name: &str) -> Option<bool> {
        self.macros.get(name).map(|own| own.assigns)
    }

    /// Whether a macro of this file with these arguments, or a function of it, may keep something from one call to the next.
    pub(super) fn keeps(&self, name: &str, arguments: &[Expression]) -> bool {
        let Some(own) = self.macros.get(name) else { return self.keeping.contains(name) };
        let is_variable = |target: &String| {
            let place = own.parameters.iter().position(|parameter| parameter == target);
            let argument = place.and_then(|place| arguments.get(place));
            argument.is_none_or(|argument| !matches!(argument.what, Term::Index { .. }))
        };
        own.names_elements || own.assigns_inside || own.changed.iter().any(is_variable)
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
        let is_assigning = |name: &String| self.macros.contains_key(name) && !harmless.contains(name);
        let around: HashSet<String> = self
            .macros
            .iter()
            .filter(|(_, own)| own.names.iter().any(is_assigning))
            .map(|(name, _)| name.clone())
            .collect();
        for (name, own) in &mut self.macros {
            own.assigns = !harmless.contains(name);
            own.assigns_inside = around.contains(name);
        }
        self.settle_places();
        let fixed = self.places.iter().filter(|(_, own)| own.changed.contains(&BTreeSet::new()));
        self.keeping = self.stateful.iter().chain(fixed.map(|(name, _)| name)).cloned().collect();
        for _ in 0..=DEEPEST_MACRO {
            let is_keeping = |(_, called): &(&String, &HashSet<String>)| !self.keeping.is_disjoint(called);
            let found: Vec<String> =
                self.calls.iter().filter(is_keeping).map(|(name, _)| name.clone()).collect();
            let before = self.keeping.len();
            self.keeping.extend(found);
            if self.keeping.len() == before {
                break;
            }
        }
        self.settle_writes();
    }

    /// What a function changes through what it is handed. The object that a constructor makes is none of it.
    pub(super) fn places_of(&self, function: &str) -> impl Iterator<Item = &BTreeSet<usize>> {
        let makes = self.types.contains_key(function);
        let all = self.places.get(function).into_iter().flat_map(|own| &own.changed);
        all.filter(move |place| !makes || !place.contains(&OBJECT))
    }

    /// What functions change through the functions that they call, one level in each round.
    fn settle_places(&mut self) {
        for own in self.places.values_mut() {
            let elements = std::mem::take(&mut own.globals).into_iter();
            let of_pointers =
                elements.filter(|(name, _)| self.globals.get(name).is_some_and(|global| !global.array));
            own.changed.extend(of_pointers.map(|(_, place)| place));
        }
        for _ in 0..=DEEPEST_MACRO {
            let mut found: Vec<(String, BTreeSet<usize>)> = Vec::new();
            for (function, own) in &self.places {
                for call in &own.calls {
                    let inner = self.places_of(&call.callee);
                    let mapped = inner.map(|place| {
                        let handed = place.iter().filter_map(|&index| match index {
                            OBJECT => Some(&call.object),
                            _ => call.arguments.get(index),
                        });
                        handed.flatten().copied().collect::<BTreeSet<usize>>()
                    });
                    let new = mapped.filter(|place| !own.changed.contains(place));
                    found.extend(new.map(|place| (function.clone(), place)));
                }
            }
            if found.is_empty() {
                break;
            }
            for (function, place) in found {
                let changed = &mut self.places.entry(function).or_default().changed;
                changed.insert(if changed.len() < MOST_PLACES { place } else { BTreeSet::new() });
            }
        }
    }

    /// What functions assign and name through the functions that they call, one level in each round.
    fn settle_writes(&mut self) {
        // What functions of the file keep, or see meanwhile, other names lead to; those of libraries return without.
        let of_file = self.handed_on.drain(..).filter(|(callee, _)| self.calls.contains_key(callee));
        self.kept.addresses.extend(of_file.map(|(_, name)| name));
        for own in self.writes.values_mut().chain(self.reads.values_mut()) {
            own.retain(|name| self.globals.contains_key(name));
        }
        for own in self.array_writes.values_mut() {
            own.retain(|name| self.globals.get(name).is_some_and(|global| global.array));
        }
        join_called(&self.calls, &mut self.array_writes);
        join_called(&self.calls, &mut self.writes);
        join_called(&self.calls, &mut self.reads);
    }
}

/// Adds to what is noted of each function what is noted of those that it calls.
fn join_called(calls: &HashMap<String, HashSet<String>>, noted: &mut HashMap<String, HashSet<String>>) {
    for _ in 0..=DEEPEST_MACRO {
        let mut found: Vec<(String, String)> = Vec::new();
        for (function, called) in calls {
            let own = noted.get(function);
            let inner = called.iter().filter_map(|callee| noted.get(callee)).flatten();
            let new = inner.filter(|name| own.is_none_or(|own| !own.contains(*name)));
            found.extend(new.map(|name| (function.clone(), name.clone())));
        }
        if found.is_empty() {
            break;
        }
        for (function, name) in found {
            noted.entry(function).or_default().insert(name);
        }
    }
}

impl Macro {
    /// Reads the text that a macro stands for; `parameters`: what it calls its arguments, if it takes any.
    pub(super) fn new(parameters: Option<Vec<String>>, text: &str) -> Macro {
        let mut names: Vec<String> = words(text)
            .filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
            .map(str::to_owned)
            .collect();
        let takes_arguments = parameters.is_some();
        let parameters = parameters.unwrap_or_default();
        names.retain(|name| !parameters.contains(name));
        let targets = targets(text);
        let changed: BTreeSet<&str> =
            targets.iter().filter_map(|&target| variable(target, &parameters)).collect();
        Macro {
            takes_arguments,
            assigns: !targets.is_empty(),
            changed: changed.into_iter().map(str::to_owned).collect(),
            assigns_inside: false,
            names_elements: text.contains('['),
            parameters,
            names,
        }
    }

    /// Adds another definition of the same name: which one holds is not known.
    pub(super) fn join(&mut self, other: Macro) {
        self.takes_arguments |= other.takes_arguments;
        self.assigns |= other.assigns;
        self.names_elements |= other.names_elements;
        if self.parameters != other.parameters {
            // What an argument is called in one may be a variable in the other.
            self.names.append(&mut self.parameters);
            self.names.extend(other.parameters);
        }
        self.changed.extend(other.changed);
        self.names.extend(other.names);
    }
}

/// What a text assigns otherwise than in a declaration: of each target what stands before the sign, or after it (`++i`).
fn targets(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let first_typeof = text.find("typeof").unwrap_or(text.len());
    let at = |index: Option<usize>| index.and_then(|index| bytes.get(index)).copied().unwrap_or(b' ');
    let mut out = Vec::new();
    for index in 0..bytes.len() {
        let (before, own, after) = (at(index.checked_sub(1)), bytes[index], at(Some(index + 1)));
        match own {
            b'+' | b'-' if after == own => {
                let front = text[..index].trim_end();
                let is_prefix =
                    front.is_empty() || front.ends_with(|c: char| !is_of_name(c) && !"])".contains(c));
                if is_prefix {
                    let rest = text[index + 2..].trim_start_matches(|c: char| "*( ".contains(c));
                    let end =
                        rest.find(|c: char| !is_of_name(c) && !"()[]".contains(c)).unwrap_or(rest.len());
                    out.push(&rest[..end]);
                } else {
                    out.push(front);
                }
            }
            b'<' | b'>' if after == own && at(Some(index + 2)) == b'=' => out.push(text[..index].trim_end()),
            b'=' if after == b'=' || matches!(before, b'=' | b'!' | b'<' | b'>') => {}
            b'=' if !is_declared(&text[..index], first_typeof) => {
                out.push(text[..index].trim_end_matches(|c: char| "+-*/%&|^".contains(c)).trim_end());
            }
            _ => {}
        }
    }
    out
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The variable that a text ends with, or the root of what it ends with; `None` for an element that an argument chooses: the run shows
/// what becomes of those.
fn variable<'t>(target: &'t str, parameters: &[String]) -> Option<&'t str> {
    let mut rest = target.trim_end();
    if let Some(inside) = rest.strip_suffix(']') {
        let open = inside.rfind('[')?;
        if words(&inside[open..]).any(|word| parameters.iter().any(|own| own == word)) {
            return None;
        }
        rest = &inside[..open];
    }
    let rest = rest.trim_end_matches(|c: char| !is_of_name(c));
    Some(&rest[rest.trim_end_matches(is_of_name).len()..])
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
            assert_eq!(!targets(text).is_empty(), is, "{text}");
        }
        for (text, changed) in [
            ("out[n++] = (v)", &["n", "out"][..]),
            ("(p)--", &["p"]),
            ("++i, --*q", &["i", "q"]),
            ("a[0] += x", &["a"]),
            ("a[2 * (v)] = x", &[]),
            ("do { int t = a; (s)->x ^= t; y <<= 1; } while (0)", &["x", "y"]),
        ] {
            assert_eq!(Macro::new(Some(vec!["v".to_owned()]), text).changed, changed, "{text}");
        }
        let mut environment = Environment::new(Language::C);
        for (name, text) in [("A", "B(x) + 1"), ("B", "n++"), ("C", "C(x)"), ("D", "f(x)")] {
            environment.macros.insert(name.to_owned(), Macro::new(Some(Vec::new()), text));
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
            environment.macros.insert(format!("M{depth}"), Macro::new(None, &text));
        }
        environment.settle();
        let assigns = ["M0", "M3", "M19"].map(|name| environment.assigns(name));
        // What lies deeper than is looked may assign.
        assert_eq!(assigns, [Some(true), Some(false), Some(false)]);
    }
}
