//! What functions change through what they are handed: places that their arguments lead to or choose.
//!
//! Definition: a *place* of a function is a set of its parameters: those whose values decide what one of its assignments changes. `p->n++`
//! changes the place {p}, `a[i] = x` the place {a, i}, `*next()` the place {}, which is the same in every call. What a method is called on
//! is a parameter too. Functions that a function calls change places of its own.
//!
//! Limits: names of local variables are not told apart by scope; what a pointer in memory leads to is the place of what led there.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap, HashSet};

use tree_sitter::Node;

use super::super::environment::{Handed, OBJECT, Places};
use super::super::text::{children, in_field};
use super::super::written::Lifetime;
use super::{C, declarations};

/// What a method is called on.
const THIS: &str = "this";

/// Of a function so many parts of expressions are looked at: calls in calls in calls are looked at again and again.
const MOST_PARTS: usize = 100_000;

/// The parameters and local variables of a function.
#[derive(Default)]
struct Names {
    parameters: HashMap<String, usize>,
    references: HashSet<String>,
    /// Local variables, with the names in what they are set to.
    locals: HashMap<String, HashSet<String>>,
    arrays: HashSet<String>,
    /// The function is a method: names that nobody declares are members.
    is_method: bool,
    /// It makes or ends an object: what it changes there is new, or never seen again.
    makes: bool,
    /// Parts of expressions that may still be looked at.
    left: Cell<usize>,
}

impl Names {
    /// The parameters that some names stand for, or local variables that are set to something with them.
    fn of(&self, names: &HashSet<String>) -> BTreeSet<usize> {
        let mut out = BTreeSet::new();
        let mut seen: HashSet<&String> = names.iter().collect();
        let mut open: Vec<&String> = names.iter().collect();
        while let Some(name) = open.pop() {
            match self.parameters.get(name) {
                Some(&index) => {
                    out.insert(index);
                }
                None => {
                    open.extend(self.locals.get(name).into_iter().flatten().filter(|own| seen.insert(own)))
                }
            }
        }
        out
    }
}

impl C<'_> {
    /// Notes the places of a function.
    pub(super) fn note_places(&mut self, function: Node, in_class: bool) {
        let Some(name) = self.function_name(function) else { return };
        let Some(declarator) = function.child_by_field_name("declarator").and_then(declarations::function_of)
        else {
            return;
        };
        let is_method = in_class || self.qualified_name(declarator).is_some_and(|name| name.contains("::"));
        let makes = name.starts_with('~') || self.environment.members_elsewhere.classes.contains(&name);
        let mut names = Names { left: Cell::new(MOST_PARTS), is_method, makes, ..Names::default() };
        names.parameters.insert(THIS.to_owned(), OBJECT);
        for (index, parameter) in self.parameters(declarator, 1).into_iter().enumerate() {
            if parameter.storage.reference {
                names.references.insert(parameter.name.clone());
            }
            names.parameters.insert(parameter.name, index);
        }
        let mut nodes = Vec::new();
        let mut open: Vec<Node> = function.child_by_field_name("body").into_iter().collect();
        while let Some(node) = open.pop() {
            if matches!(node.kind(), "declaration" | "for_range_loop") {
                self.note_locals(node, &mut names);
            }
            nodes.push(node);
            open.extend(children(node));
        }
        for node in nodes.iter().filter(|node| node.kind() == "assignment_expression") {
            let of = |field: &str| node.child_by_field_name(field);
            if let Some(target) = of("left").and_then(|left| self.variable(left))
                && let (Some(local), Some(value)) = (names.locals.get_mut(&target), of("right"))
            {
                local.extend(self.names_in(value, &names.left));
            }
        }
        let mut own = Places::default();
        for node in nodes {
            let of = |field: &str| node.child_by_field_name(field);
            match node.kind() {
                "assignment_expression" | "update_expression" => {
                    match of("left").or_else(|| of("argument")).map(|at| self.place(at, &names)) {
                        Some(Place::Led(place)) => {
                            own.changed.insert(names.of(&place));
                        }
                        Some(Place::Global(root, place)) => own.globals.push((root, names.of(&place))),
                        Some(Place::Own) | None => {}
                    }
                }
                "call_expression" => {
                    let Some(callee) = of("function") else { continue };
                    let handed = |one: Node| names.of(&self.names_in(one, &names.left));
                    let (method, on) =
                        (callee.child_by_field_name("field"), callee.child_by_field_name("argument"));
                    let object = match on {
                        Some(on) => handed(on),
                        None => BTreeSet::from_iter(is_method.then_some(OBJECT)),
                    };
                    let name = declarations::unqualified(&self.text.tight(method.unwrap_or(callee)));
                    let arguments = of("arguments").map(children).unwrap_or_default();
                    let arguments = arguments.into_iter().map(handed).collect();
                    own.calls.push(Handed { callee: name, object, arguments });
                }
                _ => {}
            }
        }
        if names.left.get() == 0 {
            // Not all was looked at.
            own.changed.insert(BTreeSet::new());
        }
        let noted = self.environment.places.entry(name).or_default();
        noted.changed.extend(own.changed);
        noted.globals.extend(own.globals);
        noted.calls.extend(own.calls);
    }

    fn note_locals(&self, node: Node, names: &mut Names) {
        for declared in self.declarations(node, 1) {
            // What outlives the call is no local of it.
            if declared.lifetime != Lifetime::Automatic || names.parameters.contains_key(&declared.name) {
                continue;
            }
            if declared.array {
                names.arrays.insert(declared.name.clone());
            }
            if declared.storage.reference {
                names.references.insert(declared.name.clone());
            }
            names.locals.entry(declared.name).or_default();
        }
        for declarator in in_field(node, "declarator") {
            let value = declarator.child_by_field_name("value").or_else(|| node.child_by_field_name("right"));
            if let Some((name, value)) = self.variable(declarator).zip(value)
                && let Some(local) = names.locals.get_mut(&name)
            {
                local.extend(self.names_in(value, &names.left));
            }
        }
    }

    fn names_in(&self, node: Node, left: &Cell<usize>) -> HashSet<String> {
        let mut out = HashSet::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let Some(less) = left.get().checked_sub(1) else { return out };
            left.set(less);
            if matches!(node.kind(), "identifier" | "this") {
                out.insert(self.text.tight(node));
            }
            open.extend(children(node));
        }
        out
    }

    /// What an assignment to an expression changes.
    fn place(&self, target: Node, names: &Names) -> Place {
        let mut out = HashSet::new();
        let (mut at, mut is_led, mut is_element) = (target, false, false);
        loop {
            let next = match at.kind() {
                "parenthesized_expression" => children(at).first().copied(),
                "field_expression" => {
                    is_led |= self.text.of(at).contains("->");
                    at.child_by_field_name("argument")
                }
                "subscript_expression" => {
                    is_element = true;
                    let base = at.child_by_field_name("argument");
                    let inside =
                        children(at).into_iter().filter(|part| Some(part.id()) != base.map(|base| base.id()));
                    inside.for_each(|part| out.extend(self.names_in(part, &names.left)));
                    base
                }
                "identifier" => {
                    let name = self.text.tight(at);
                    let is_own = names.parameters.contains_key(&name) || names.locals.contains_key(&name);
                    if !is_own && names.is_method && !self.environment.globals.contains_key(&name) {
                        let elsewhere = &self.environment.members_elsewhere;
                        let is_elsewhere = elsewhere.shared.contains(&name)
                            || names.makes && (is_led || elsewhere.references.contains(&name));
                        if !is_elsewhere {
                            out.insert(THIS.to_owned());
                        }
                        return Place::Led(out);
                    }
                    let is_variable = !is_led && !is_element && !names.references.contains(&name);
                    if is_variable || names.arrays.contains(&name) {
                        return Place::Own;
                    }
                    if !is_own && !is_led {
                        return Place::Global(name, out);
                    }
                    out.insert(name);
                    return Place::Led(out);
                }
                // What a pointer, or what a call gives, leads to.
                _ => {
                    out.extend(self.names_in(at, &names.left));
                    return Place::Led(out);
                }
            };
            match next {
                Some(next) => at = next,
                None => return Place::Own,
            }
        }
    }
}

/// What an assignment changes.
enum Place {
    /// A variable, or an element of an array of its own.
    Own,
    /// An element of a global variable, by the names that choose it.
    Global(String, HashSet<String>),
    /// What these names lead to.
    Led(HashSet<String>),
}
