//! Accessors in the place of which what they return is read: `m(i, j) = x` is `m.values[i * m.width + j] = x`, `x(i)` in a method is
//! `values[i]`, and `left(a, i)` may be `a[i - 1]`.
//!
//! Definition: an *accessor* is a function, or a method that is defined in its class, that returns an expression made of members of the
//! class, variables of the file, parameters, constants, arithmetic, subscripts and pointers, and does nothing else (`assert` apart). What
//! is virtual is none, and what has another meaning in an overload that takes as many arguments is none. A call is *shown* as what it
//! returns if the class of what it is called on is known by the declaration, and its arguments may be evaluated as often as the
//! parameters are named.
//!
//! Places stay: what is shown stands where the call does (`Text::show`).

use std::collections::{HashMap, HashSet};

use profile::lens::{Language, Position};
use tree_sitter::Node;

use super::super::environment::{Accessor, Environment};
use super::super::text::{children, in_field, start, words};
use super::super::written::{Binary, DEEPEST, Declaration, Expression, Lifetime, Term};
use super::C;
use super::declarations::{function_of, unqualified};

/// What an accessor returns has at most this many parts.
const MOST_PARTS: usize = 40;

/// What a call is shown as is at most this long, in bytes: accessors of accessors would double it each time.
const LONGEST: usize = 1000;

/// Of names in a function the class that they are declared as, and whether they are pointers to objects of it; `None` for names that
/// stand for several things.
pub(super) type Objects = HashMap<String, Option<(String, bool)>>;

/// A call in the place of which a text is read.
pub(super) struct Use<'u> {
    /// What the text calls the arguments.
    pub parameters: &'u [String],
    /// Texts of the constants in it, by their ranges.
    pub constants: &'u HashMap<(usize, usize), String>,
    /// What it is called on, and whether that is a pointer; `None` for the object of the method that is read.
    pub object: Option<(&'u Expression, bool)>,
    /// Names in it that are neither parameters nor members.
    pub globals: &'u HashSet<String>,
    pub arguments: &'u [Expression],
    pub at: Position,
}

impl C<'_> {
    /// Notes what stands for calls of a function, or of a method that is defined in a class: what it returns, what it assigns, or nothing.
    pub(super) fn note_shown(&mut self, function: Node, class: Option<(&str, &[Declaration])>) {
        let Some(declarator) = function.child_by_field_name("declarator").and_then(function_of) else {
            return;
        };
        let Some(qualified) = self.qualified_name(declarator) else { return };
        let name = unqualified(&qualified);
        if class.is_some() && is_virtual(function, &self.text.of(function)) {
            self.environment.virtual_methods.insert(name.clone());
        }
        // A method, the class of which is somewhere else.
        let is_apart = class.is_none() && qualified.contains("::");
        let (class, members) = class.unwrap_or_default();
        // What stands before it is shown in it.
        self.enter(function, class, members);
        let parameters = self.parameters(declarator, 1);
        let key = (class.to_owned(), name, parameters.len());
        let own = if is_apart { None } else { self.accessor(function, &parameters, members) };
        let known = self.environment.accessors.get(&key);
        let is_other = known.is_some_and(|known| !is_same(known.as_ref(), own.as_ref()));
        self.environment.accessors.insert(key.clone(), own.filter(|_| !is_other));
        let own = if is_apart { None } else { self.updater(function, &parameters, members) };
        let is_known = self.environment.updaters.contains_key(&key);
        self.environment.updaters.insert(key, own.filter(|_| !is_known));
    }

    /// Notes the methods that a class only declares: what they return is not known.
    pub(super) fn note_declared(&mut self, class: &str, body: Node) {
        for field in children(body).into_iter().filter(|field| field.kind().ends_with("declaration")) {
            for declarator in in_field(field, "declarator").into_iter().filter_map(function_of) {
                let Some(name) = self.qualified_name(declarator).map(|name| unqualified(&name)) else {
                    continue;
                };
                if is_virtual(field, &self.text.of(field)) {
                    self.environment.virtual_methods.insert(name.clone());
                }
                let count = self.parameters(declarator, 1).len();
                self.environment.accessors.insert((class.to_owned(), name, count), None);
            }
        }
    }

    fn accessor(
        &self,
        method: Node,
        parameters: &[Declaration],
        members: &[Declaration],
    ) -> Option<Accessor> {
        let statements = children(method.child_by_field_name("body")?);
        let (last, before) = statements.split_last()?;
        let is_check = |one: &Node| {
            let text = self.text.of(*one);
            let rest = text.strip_prefix("assert").map(str::trim_start);
            one.kind() == "expression_statement" && rest.is_some_and(|rest| rest.starts_with('('))
        };
        if last.kind() != "return_statement" || !before.iter().all(is_check) {
            return None;
        }
        let value = self.expression(*children(*last).first()?, 1);
        if parameters.iter().any(|one| self.environment.may_construct(one)) {
            return None;
        }
        let parameters: Vec<String> = parameters.iter().map(|one| one.name.clone()).collect();
        let is_own = |name: &str| parameters.iter().any(|own| own == name) || lies_in_object(members, name);
        let is_known = |name: &str| is_own(name) || self.environment.globals.contains_key(name);
        let mut parts = 0;
        if !is_plain(&value, &is_known, &mut parts) {
            return None;
        }
        let globals: HashSet<String> =
            value.names().into_iter().filter(|name| !is_own(name) && name != "this").collect();
        // Where variables of the file lie the function says, whatever a clause makes of them.
        let leads_on = |one: &Expression| match &one.what {
            Term::Address { .. } => true,
            Term::Name(name) => self.environment.globals.get(name).is_some_and(|global| {
                global.array || global.storage.pointer || matches!(value.what, Term::Name(_))
            }),
            _ => false,
        };
        let terms = match &value.what {
            Term::Chain { .. } => value.parts(),
            _ => vec![&value],
        };
        if !globals.is_empty() && terms.into_iter().any(leads_on) {
            return None;
        }
        let mut constants = HashMap::new();
        self.add_constants(&value, &mut constants);
        Some(Accessor { parameters, value, globals, constants })
    }

    /// Notes how the constants in an expression are spelled: another file may read it.
    pub(super) fn add_constants(&self, of: &Expression, out: &mut HashMap<(usize, usize), String>) {
        if matches!(of.what, Term::Constant) {
            out.insert((of.text.start, of.text.end), self.text.range(&of.text));
        }
        for part in of.parts() {
            self.add_constants(part, out);
        }
    }

    /// The classes of the names that a function declares, and of those that it sees.
    pub(super) fn objects(&self, function: Node, members: &[Declaration]) -> Objects {
        let mut out = Objects::new();
        if self.environment.accessors.is_empty() && self.environment.updaters.is_empty() {
            return out;
        }
        let globals = self.environment.globals.values();
        for one in globals.chain(members) {
            let class = self.environment.class_named(&one.type_text).filter(|_| !one.array);
            out.insert(one.name.clone(), class.map(|class| (class, one.storage.pointer)));
        }
        let mut declared = Objects::new();
        let mut open = vec![function];
        while let Some(node) = open.pop() {
            if matches!(
                node.kind(),
                "declaration" | "parameter_declaration" | "optional_parameter_declaration" | "for_range_loop"
            ) {
                let class = self.environment.class_named(&self.type_text(node));
                for declarator in in_field(node, "declarator") {
                    let Some(name) = self.variable(declarator) else { continue };
                    let text = self.text.of(declarator);
                    let before = text.split('=').next().unwrap_or_default();
                    let pointers = before.chars().filter(|c| *c == '*').count();
                    let is_one = pointers <= 1 && !before.contains('[');
                    let own = class.clone().filter(|_| is_one).map(|class| (class, pointers == 1));
                    let is_other = declared.get(&name).is_some_and(|known| *known != own);
                    declared.insert(name, own.filter(|_| !is_other));
                }
            }
            open.extend(children(node));
        }
        out.extend(declared);
        out
    }

    /// What stands for a call in this place, if it is one of an accessor.
    pub(super) fn shown_call(
        &self,
        node: Node,
        callee: &Expression,
        arguments: &[Expression],
    ) -> Option<Term> {
        if self.environment.accessors.is_empty() || !arguments.iter().all(Expression::is_repeatable) {
            return None;
        }
        let objects = self.objects.borrow();
        let of = |name: &str| objects.get(name).and_then(Option::as_ref);
        let (class, name, object) = match &callee.what {
            Term::Member { base, field, arrow } => match &base.what {
                Term::Name(this) if this == "this" && *arrow => (self.class.borrow().clone(), &**field, None),
                Term::Name(name) => {
                    let (class, is_pointer) = of(name)?;
                    (is_pointer == arrow).then_some(())?;
                    (class.clone(), &**field, Some((&**base, *arrow)))
                }
                _ => return None,
            },
            Term::Name(name) => match objects.get(name) {
                None if self.own_names.borrow().contains(name) => return None,
                Some(Some((class, false))) => (class.clone(), "operator()", Some((callee, false))),
                Some(_) => return None,
                None => (self.class_of_call(name)?, &**name, None),
            },
            _ => return None,
        };
        self.shown(node, (&class, name), object, arguments)
    }

    /// The class of a function that is called by its name alone, none for one of the file.
    pub(super) fn class_of_call(&self, name: &str) -> Option<String> {
        let class = self.class.borrow().clone();
        let is_own = self.environment.forms.contains_key(&(class.clone(), name.to_owned()));
        match (is_own, self.environment.may_be_method(&class, name)) {
            (true, _) => Some(class),
            // Of a base class, perhaps.
            (false, true) => None,
            (false, false) => Some(String::new()),
        }
    }

    /// What stands for `object[subscript]` in this place, if that calls an accessor.
    pub(super) fn shown_subscript(
        &self,
        node: Node,
        object: &Expression,
        subscripts: &[Expression],
    ) -> Option<Term> {
        if let (Term::Address { .. } | Term::Chain { .. }, [second]) = (&object.what, subscripts) {
            return self.shown_row(node, object, second);
        }
        let Term::Name(name) = &object.what else { return None };
        let objects = self.objects.borrow();
        let (class, is_pointer) = objects.get(name)?.as_ref()?;
        if *is_pointer || !subscripts.iter().all(Expression::is_repeatable) {
            return None;
        }
        self.shown(node, (class, "operator[]"), Some((object, false)), subscripts)
    }

    /// `m[i][j]` where `m[i]` is shown as the address of a row.
    fn shown_row(&self, node: Node, row: &Expression, second: &Expression) -> Option<Term> {
        if !self.text.is_shown(&row.text) {
            return None;
        }
        let (base, mut terms) = pointed(row)?;
        terms.push(second.clone());
        let (what, whole) = self.element(base, terms, second.at)?;
        self.text.show(node.byte_range(), whole);
        Some(what)
    }

    /// The element of an array at a sum, and how it is spelled.
    fn element(&self, base: Expression, terms: Vec<Expression>, at: Position) -> Option<(Term, String)> {
        let spelled: Vec<String> = terms.iter().map(|term| self.text.range(&term.text)).collect();
        let sum = spelled.join(" + ");
        let whole = format!("{}[{sum}]", self.text.range(&base.text));
        if whole.len() > LONGEST {
            return None;
        }
        let mut terms = terms.into_iter();
        let first = terms.next()?;
        let rest: Vec<(Binary, Expression)> = terms.map(|term| (Binary::plus(), term)).collect();
        let subscript = match rest.is_empty() {
            true => first,
            false => {
                let what = Term::Chain { first: Box::new(first), rest };
                Expression { at, text: self.text.add(&sum), what }
            }
        };
        Some((Term::Index { base: Box::new(base), subscripts: vec![subscript] }, whole))
    }

    fn shown(
        &self,
        node: Node,
        (class, name): (&str, &str),
        object: Option<(&Expression, bool)>,
        arguments: &[Expression],
    ) -> Option<Term> {
        if !self.environment.is_certain((class, name), arguments) {
            return None;
        }
        let key = (class.to_owned(), name.to_owned(), arguments.len());
        let accessor = self.environment.accessors.get(&key)?.as_ref()?;
        // Where it is called another variable may have the name.
        if !accessor.globals.is_disjoint(&self.own_names.borrow()) {
            return None;
        }
        let Accessor { parameters, globals, constants, .. } = accessor;
        let used = Use { parameters, constants, globals, object, arguments, at: start(node) };
        let out = self.part(&accessor.value, &used)?;
        self.text.show(node.byte_range(), self.text.range(&out.text));
        // Clauses do not reach what the function names itself.
        Some(match globals.is_empty() {
            true => out.what,
            false => Term::Returned { function: name.to_owned(), of: Box::new(out) },
        })
    }

    /// A part of a text, where another calls it.
    pub(super) fn part(&self, of: &Expression, used: &Use<'_>) -> Option<Expression> {
        let inner = |of: &Expression| self.part(of, used);
        let spell = |of: &Expression| {
            let text = self.text.range(&of.text);
            match of.what {
                Term::Chain { .. } | Term::Choice { .. } => format!("({text})"),
                _ => text,
            }
        };
        let (what, text) = match &of.what {
            Term::Name(name) => {
                if let Some(index) = used.parameters.iter().position(|own| own == name) {
                    return used.arguments.get(index).cloned();
                }
                match used.globals.contains(name) {
                    true => (of.what.clone(), name.clone()),
                    false => self.member(name, used),
                }
            }
            Term::Member { base, field, .. } if is_this(base) => self.member(field, used),
            Term::Member { base, field, arrow } => {
                let base = inner(base)?;
                let (base, arrow) = match (&base.what, pointed(&base)) {
                    (Term::Address { of, .. }, _) if *arrow => ((**of).clone(), false),
                    (Term::Chain { .. }, Some((base, terms))) if *arrow => {
                        let (what, text) = self.element(base, terms, used.at)?;
                        (Expression { what, at: used.at, text: self.text.add(&text) }, false)
                    }
                    _ => (base, *arrow),
                };
                let sign = if arrow { "->" } else { "." };
                let text = format!("{}{sign}{field}", spell(&base));
                (Term::Member { base: Box::new(base), field: field.clone(), arrow }, text)
            }
            Term::Integer(value) => (Term::Integer(*value), value.to_string()),
            Term::Constant => (Term::Constant, used.constants.get(&(of.text.start, of.text.end))?.clone()),
            Term::Index { base, subscripts } => {
                let base = inner(base)?;
                if matches!(base.what, Term::Address { .. } | Term::Chain { .. }) {
                    let [subscript] = &subscripts[..] else { return None };
                    let (base, mut terms) = pointed(&base)?;
                    terms.push(inner(subscript)?);
                    let (what, text) = self.element(base, terms, used.at)?;
                    return Some(Expression { what, at: used.at, text: self.text.add(&text) });
                }
                let subscripts: Vec<Expression> = subscripts.iter().map(inner).collect::<Option<_>>()?;
                let inside: Vec<String> = subscripts.iter().map(|one| self.text.range(&one.text)).collect();
                let text = format!("{}[{}]", spell(&base), inside.join("]["));
                (Term::Index { base: Box::new(base), subscripts }, text)
            }
            Term::Chain { first, rest } => {
                let first = inner(first)?;
                let mut text = spell(&first);
                let mut parts = Vec::with_capacity(rest.len());
                for (operator, part) in rest {
                    let part = inner(part)?;
                    text.push_str(&format!(" {} {}", operator.sign()?, spell(&part)));
                    parts.push((*operator, part));
                }
                (Term::Chain { first: Box::new(first), rest: parts }, text)
            }
            Term::Negative(of) => {
                let of = inner(of)?;
                let text = format!("-{}", spell(&of));
                (Term::Negative(Box::new(of)), text)
            }
            Term::Not(of) => {
                let of = inner(of)?;
                let text = format!("!{}", spell(&of));
                (Term::Not(Box::new(of)), text)
            }
            Term::Choice { condition, then, otherwise } => {
                let parts = [inner(condition)?, inner(then)?, inner(otherwise)?];
                let text = format!("{} ? {} : {}", spell(&parts[0]), spell(&parts[1]), spell(&parts[2]));
                let [condition, then, otherwise] = parts.map(Box::new);
                (Term::Choice { condition, then, otherwise }, text)
            }
            Term::Call { callee, arguments } => {
                let Term::Name(name) = &callee.what else { return None };
                let arguments: Vec<Expression> = arguments.iter().map(inner).collect::<Option<_>>()?;
                let inside: Vec<String> = arguments.iter().map(|one| self.text.range(&one.text)).collect();
                let own = Expression { at: used.at, text: self.text.add(name), ..(**callee).clone() };
                let text = format!("{name}({})", inside.join(", "));
                (Term::Call { callee: Box::new(own), arguments }, text)
            }
            Term::Dereference(of) => {
                let of = inner(of)?;
                match of.what {
                    Term::Address { of, .. } => return Some(*of),
                    Term::Chain { .. } => {
                        let (base, terms) = pointed(&of)?;
                        let (what, text) = self.element(base, terms, used.at)?;
                        return Some(Expression { what, at: used.at, text: self.text.add(&text) });
                    }
                    _ => {}
                }
                let text = format!("*{}", spell(&of));
                (Term::Dereference(Box::new(of)), text)
            }
            Term::Address { of, mutable } => {
                let of = inner(of)?;
                let text = format!("&{}", spell(&of));
                (Term::Address { of: Box::new(of), mutable: *mutable }, text)
            }
            Term::Cast { to, of } => {
                let of = inner(of)?;
                let text = format!("({to})({})", self.text.range(&of.text));
                (Term::Cast { to: to.clone(), of: Box::new(of) }, text)
            }
            _ => return None,
        };
        (text.len() <= LONGEST).then(|| Expression { what, at: used.at, text: self.text.add(&text) })
    }

    /// A member of what an accessor is called on.
    fn member(&self, name: &str, used: &Use<'_>) -> (Term, String) {
        let (base, arrow, text) = match used.object {
            Some((object, arrow)) => {
                let sign = if arrow { "->" } else { "." };
                (object.clone(), arrow, format!("{}{sign}{name}", self.text.range(&object.text)))
            }
            None => {
                let this = Term::Name("this".to_owned());
                (Expression { what: this, at: used.at, text: self.text.add("this") }, true, name.to_owned())
            }
        };
        (Term::Member { base: Box::new(base), field: name.to_owned(), arrow }, text)
    }
}

impl Environment {
    /// The class that a declaration's text names as the type: `const ns::Matrix<double>`, not `std::vector<Matrix>`.
    fn class_named(&self, text: &str) -> Option<String> {
        if self.language != Language::Cpp {
            return None;
        }
        let last = words(text.split('<').next().unwrap_or_default()).last()?;
        self.types.get(last).is_some_and(|kind| *kind == super::TypeKind::Class).then(|| last.to_owned())
    }
}

/// What a pointer leads to that is the address of an element, or a sum: the array, and the terms of the subscript.
fn pointed(of: &Expression) -> Option<(Expression, Vec<Expression>)> {
    match &of.what {
        Term::Address { of, .. } => match &of.what {
            Term::Index { base, subscripts } if subscripts.len() == 1 => {
                Some(((**base).clone(), subscripts.clone()))
            }
            _ => None,
        },
        Term::Chain { first, rest }
            if matches!(first.what, Term::Name(_) | Term::Member { .. })
                && rest.iter().all(|(operator, _)| *operator == Binary::plus()) =>
        {
            Some(((**first).clone(), rest.iter().map(|(_, term)| term.clone()).collect()))
        }
        _ => None,
    }
}

/// Whether a name is that of a member that lies in the object itself.
pub(super) fn lies_in_object(members: &[Declaration], name: &str) -> bool {
    let own = members.iter().find(|member| member.name == name);
    own.is_some_and(|own| own.lifetime == Lifetime::Automatic && !own.storage.reference)
}

pub(super) fn is_this(of: &Expression) -> bool {
    matches!(&of.what, Term::Name(name) if name == "this")
}

fn is_virtual(method: Node, text: &str) -> bool {
    let body =
        method.child_by_field_name("body").map_or(text.len(), |body| body.start_byte() - method.start_byte());
    words(text.get(..body.min(text.len())).unwrap_or(text))
        .any(|word| matches!(word, "virtual" | "override" | "final"))
}

/// Whether an expression consists of known names, integers, arithmetic, subscripts and pointers.
fn is_plain(of: &Expression, is_known: &dyn Fn(&str) -> bool, parts: &mut usize) -> bool {
    *parts += 1;
    if *parts > MOST_PARTS {
        return false;
    }
    let mut all = |of: &Expression| of.parts().into_iter().all(|part| is_plain(part, is_known, parts));
    match &of.what {
        Term::Name(name) => is_known(name),
        Term::Member { base, field, .. } if is_this(base) => is_known(field),
        Term::Integer(_) | Term::Constant => true,
        Term::Chain { rest, .. } => rest.iter().all(|(operator, _)| operator.is_arithmetic()) && all(of),
        Term::Member { .. }
        | Term::Index { .. }
        | Term::Negative(_)
        | Term::Dereference(_)
        | Term::Address { .. }
        | Term::Cast { .. } => all(of),
        _ => false,
    }
}

/// Whether two overloads return the same.
fn is_same(one: Option<&Accessor>, other: Option<&Accessor>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => {
            let name = |of: &Accessor, name: &str| {
                of.parameters
                    .iter()
                    .position(|own| own == name)
                    .map_or(name.to_owned(), |at| format!("#{at}"))
            };
            is_alike((&one.value, &|own| name(one, own)), (&other.value, &|own| name(other, own)), 0)
        }
        (None, None) => true,
        _ => false,
    }
}

type Named<'n> = (&'n Expression, &'n dyn Fn(&str) -> String);

fn is_alike(one: Named<'_>, other: Named<'_>, depth: u32) -> bool {
    let is_equal = match (&one.0.what, &other.0.what) {
        (Term::Name(a), Term::Name(b)) => one.1(a) == other.1(b),
        (Term::Integer(a), Term::Integer(b)) => a == b,
        (Term::Member { field: a, arrow: p, .. }, Term::Member { field: b, arrow: q, .. }) => {
            a == b && p == q
        }
        (Term::Chain { rest: a, .. }, Term::Chain { rest: b, .. }) => {
            a.iter().map(|part| part.0).eq(b.iter().map(|part| part.0))
        }
        (Term::Cast { to: a, .. }, Term::Cast { to: b, .. }) => a == b,
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    };
    let (a, b) = (one.0.parts(), other.0.parts());
    is_equal
        && depth < DEEPEST
        && a.len() == b.len()
        && a.into_iter().zip(b).all(|(a, b)| is_alike((a, one.1), (b, other.1), depth + 1))
}
