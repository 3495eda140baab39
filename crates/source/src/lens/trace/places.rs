//! Names: what they are declared as, and the places that are reached from them.

use std::collections::HashMap;

use profile::lens::{Language, Position, ScalarForm, SharingKind, StorageMarks};

use super::super::text::words;
use super::super::written::{Declaration, Expression, Lifetime, Term};
use super::{Breakable, Declared, Happening, Place, Variable, Walker};

impl Walker<'_> {
    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, one: &Declaration, in_header: bool) -> usize {
        // What looks like a type may be a macro that does something: `COUNT a[i] = i;`.
        if words(&one.type_text).any(|word| self.environment.assigns(word) == Some(true)) {
            self.misunderstood();
        }
        if one.lifetime == Lifetime::Outside {
            let index = self.outside(one);
            self.bind(&one.name, index);
            return index;
        }
        let parameter = one.lifetime == Lifetime::Parameter && self.closures.is_empty();
        let index = self.variable(Variable {
            name: one.name.clone(),
            declared: if parameter { Declared::Parameter } else { Declared::Function },
            is_static: one.lifetime == Lifetime::Static,
            in_loop: self.current_loop().map(|index| (index, in_header)),
            closures: self.closures.len(),
            type_text: one.type_text.clone(),
            storage: self.marks(one),
            array: one.array,
            dimensions: one.dimensions,
            is_kept: self.kept.holds(&one.name, one.array),
            at: Some(one.at),
        });
        self.bind(&one.name, index);
        if one.lifetime != Lifetime::Static {
            self.event(one.at, Happening::Begin(index));
        }
        index
    }

    fn marks(&self, one: &Declaration) -> StorageMarks {
        StorageMarks { object: self.environment.type_of(&one.type_text).is_some(), ..one.storage }
    }

    /// Declares a member of the object that the function is called on.
    pub(super) fn declare_member(&mut self, one: &Declaration) {
        let index = self.variable(Variable {
            name: format!("this->{}", one.name),
            declared: Declared::Member,
            is_static: one.lifetime == Lifetime::Static,
            in_loop: None,
            closures: 0,
            type_text: one.type_text.clone(),
            storage: one.storage,
            array: one.array,
            dimensions: one.dimensions,
            is_kept: self.kept.holds(&one.name, one.array)
                || self.environment.kept.members.contains(&one.name),
            at: Some(one.at),
        });
        self.members.insert(one.name.clone(), index);
    }

    fn outside(&mut self, one: &Declaration) -> usize {
        self.variable(Variable {
            name: one.name.clone(),
            declared: Declared::File,
            is_static: true,
            in_loop: None,
            closures: 0,
            type_text: one.type_text.clone(),
            storage: self.marks(one),
            array: one.array,
            dimensions: one.dimensions,
            is_kept: self.kept.holds(&one.name, one.array)
                || self.environment.kept.holds(&one.name, one.array),
            // What another file declares has no place in this one.
            at: Some(one.at).filter(|at| at.line > 0),
        })
    }

    fn variable(&mut self, variable: Variable) -> usize {
        self.trace.variables.push(variable);
        self.trace.variables.len() - 1
    }

    fn bind(&mut self, name: &str, index: usize) {
        let name = self.spelled(name);
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, index);
        }
    }

    /// Names that differ in case alone are one name in Fortran.
    fn spelled(&self, name: &str) -> String {
        match self.environment.language {
            Language::Fortran | Language::FixedFortran => name.to_ascii_lowercase(),
            _ => name.to_owned(),
        }
    }

    /// The variable that a name declares in a scope around, if any does.
    pub(super) fn declared(&self, name: &str) -> Option<usize> {
        let name = self.spelled(name);
        self.scopes.iter().rev().find_map(|scope| scope.get(&name)).copied()
    }

    /// The variable of a name; undeclared names are given one.
    pub(super) fn resolve(&mut self, name: &str) -> usize {
        if let Some(index) = self.declared(name) {
            return index;
        }
        if let Some(&index) = self.members.get(name) {
            return index;
        }
        let spelled = self.spelled(name);
        let index = match self.environment.globals.get(&spelled) {
            Some(global) => {
                let global = global.clone();
                self.outside(&global)
            }
            None if self.is_method && !name.contains("::") && name != "this" => {
                let member = Declaration::plain(name.to_owned(), Default::default());
                self.declare_member(&member);
                let index = self.trace.variables.len() - 1;
                self.trace.variables[index].at = None;
                return index;
            }
            None => self.variable(Variable {
                name: name.to_owned(),
                declared: match name {
                    "this" | "self" => Declared::Member,
                    _ if self.has_implicit_locals => Declared::Function,
                    _ => Declared::Nowhere,
                },
                is_static: false,
                in_loop: None,
                closures: 0,
                type_text: String::new(),
                storage: Default::default(),
                array: false,
                dimensions: 0,
                is_kept: false,
                at: None,
            }),
        };
        if let Some(scope) = self.scopes.first_mut() {
            scope.insert(spelled, index);
        }
        index
    }

    /// The place that an expression names; `None` if it is none, or an element of an array.
    pub(super) fn place(&mut self, of: &Expression) -> Option<usize> {
        let (variable, path) = self.reached(of)?;
        Some(self.intern(variable, path))
    }

    fn intern(&mut self, variable: usize, path: Vec<String>) -> usize {
        let key = (variable, path);
        if let Some(&index) = self.place_ids.get(&key) {
            return index;
        }
        let index = self.trace.places.len();
        self.place_ids.insert(key.clone(), index);
        let path = key.1;
        let is_pointed = path.first().is_some_and(|first| first == "*");
        let is_object = self.trace.variables[variable].declared == Declared::Member;
        let form = match path.last().map(String::as_str) {
            None if is_object => ScalarForm::PointedMember,
            None => ScalarForm::Variable,
            Some("*") => ScalarForm::Dereference,
            // Members that are references lead elsewhere, too.
            Some(_) if is_pointed || is_object || path.iter().any(|part| self.leads_elsewhere(part)) => {
                ScalarForm::PointedMember
            }
            Some(_) => ScalarForm::Member,
        };
        let name = self.path_name(variable, &path);
        self.trace.places.push(Place { variable, path, name, form, is_kept: false });
        index
    }

    fn leads_elsewhere(&self, part: &str) -> bool {
        let references = &self.environment.members_elsewhere.references;
        part == "*" || part.strip_prefix('.').is_some_and(|member| references.contains(member))
    }

    fn path_name(&self, variable: usize, path: &[String]) -> String {
        let is_fortran = matches!(self.environment.language, Language::Fortran | Language::FixedFortran);
        let mut name = self.trace.variables[variable].name.clone();
        let mut pointed = false;
        for part in path {
            match part.strip_prefix('.') {
                Some(field) => {
                    name.push_str(match (pointed, is_fortran) {
                        (true, _) => "->",
                        (false, true) => "%",
                        (false, false) => ".",
                    });
                    name.push_str(field);
                    pointed = false;
                }
                None if pointed => name.insert(0, '*'),
                None => pointed = true,
            }
        }
        if pointed {
            name.insert(0, '*');
        }
        name
    }

    /// The place of a variable itself.
    pub(super) fn whole(&mut self, variable: usize) -> usize {
        let key = (variable, Vec::new());
        if let Some(&index) = self.place_ids.get(&key) {
            return index;
        }
        let is_object = self.trace.variables[variable].declared == Declared::Member;
        let form = if is_object { ScalarForm::PointedMember } else { ScalarForm::Variable };
        let name = self.trace.variables[variable].name.clone();
        let index = self.trace.places.len();
        self.trace.places.push(Place { variable, path: Vec::new(), name, form, is_kept: false });
        self.place_ids.insert(key, index);
        index
    }

    fn reached(&mut self, of: &Expression) -> Option<(usize, Vec<String>)> {
        match &of.what {
            Term::Name(name) => Some((self.resolve(name), Vec::new())),
            Term::Member { base, field, arrow } => {
                if let Term::Name(name) = &base.what
                    && (name == "this" || (name == "self" && self.environment.language == Language::Rust))
                {
                    return Some((self.member(name, field), Vec::new()));
                }
                let (variable, mut path) = self.reached(base)?;
                if *arrow {
                    path.push("*".to_owned());
                }
                path.push(format!(".{field}"));
                Some((variable, path))
            }
            Term::Dereference(base) => {
                if pointer_and_offset(base).is_some() {
                    return None;
                }
                // `*p++`: what is reached is what `p` points to.
                let base = match &base.what {
                    Term::Step { target, .. } => target,
                    _ => base,
                };
                let (variable, mut path) = self.reached(base)?;
                path.push("*".to_owned());
                Some((variable, path))
            }
            _ => None,
        }
    }

    fn member(&mut self, object: &str, field: &str) -> usize {
        if let Some(&index) = self.members.get(field) {
            return index;
        }
        self.declare_member(&Declaration::plain(field.to_owned(), Default::default()));
        let index = self.trace.variables.len() - 1;
        let variable = &mut self.trace.variables[index];
        variable.at = None;
        if object == "self" {
            variable.name = format!("self.{field}");
        }
        index
    }

    /// The variable that an expression starts from, elements of arrays included.
    pub(super) fn root(&mut self, of: &Expression) -> Option<usize> {
        match &of.what {
            Term::Index { base, .. } => self.root(base),
            Term::Member { base, .. } if matches!(base.what, Term::Index { .. }) => self.root(base),
            Term::Dereference(base) if pointer_and_offset(base).is_some() => {
                pointer_and_offset(base).and_then(|(pointer, _)| self.root(pointer))
            }
            _ => self.reached(of).map(|(variable, _)| variable),
        }
    }

    /// A read of a place; reads of what is pointed to, or of a member of it, read the pointer too.
    pub(super) fn read(&mut self, of: &Expression) {
        let Some(place) = self.place(of) else { return };
        let is_reached = self.trace.places[place].path.iter().any(|part| part == "*");
        if is_reached {
            let variable = self.trace.places[place].variable;
            let pointer = self.whole(variable);
            self.event(of.at, Happening::Read(pointer, None));
        }
        self.read_place(of, place);
    }

    fn read_place(&mut self, of: &Expression, place: usize) {
        let name = self.tight(of);
        let own = self.updating.last().filter(|updating| updating.0 == name).map(|updating| updating.1);
        self.event(of.at, Happening::Read(place, own));
        let variable = self.trace.places[place].variable;
        self.capture(of.at, variable);
        if let Some(&closure) = self.closure_of.get(&variable) {
            // Whoever reads a closure may run it.
            for captured in self.trace.closures[closure].captured.clone() {
                let whole = self.whole(captured);
                self.event(of.at, Happening::Share(whole, SharingKind::Capture, None));
            }
        }
    }

    /// Notes that the closures around refer to a variable from outside of them.
    pub(super) fn capture(&mut self, at: Position, variable: usize) {
        let one = &self.trace.variables[variable];
        if !matches!(one.declared, Declared::Function | Declared::Parameter | Declared::Member) {
            return;
        }
        let (declared_at, is_reached) =
            (one.closures, one.array || one.storage.pointer || one.storage.reference);
        let name = one.name.clone();
        let mut is_referred = false;
        for level in declared_at..self.closures.len() {
            let scope = &self.closures[level];
            let copies = scope.copied.contains(&name) || (scope.copies && !scope.referred.contains(&name));
            if copies && !is_reached && is_local(&self.trace.variables[variable]) {
                continue;
            }
            is_referred |= !copies;
            let captured = &mut self.trace.closures[scope.index].captured;
            if !captured.contains(&variable) {
                captured.push(variable);
            }
        }
        if is_referred {
            let whole = self.whole(variable);
            self.event(at, Happening::Share(whole, SharingKind::ReadOnlyAddress, None));
        }
    }

    /// The text of an expression without white space, nor parentheses around it.
    pub(super) fn tight(&self, of: &Expression) -> String {
        let text = self.text.range(&of.text);
        let text = if text.contains(' ') { text.split_whitespace().collect() } else { text };
        let text = without_parentheses(&text);
        match self.environment.language {
            Language::Fortran | Language::FixedFortran => text.to_ascii_lowercase(),
            _ => text.to_owned(),
        }
    }

    /// Notes that a place becomes known to others; of an element, that it may be written.
    pub(super) fn share(&mut self, of: &Expression, kind: SharingKind, call: Option<usize>) {
        match self.place(of) {
            Some(place) => self.event(of.at, Happening::Share(place, kind, call)),
            None => self.share_element(of),
        }
    }

    /// A closure that assigns a variable from outside shares it; `false` if it assigns a copy of its own.
    pub(super) fn is_seen_outside(&mut self, place: usize) -> bool {
        let variable = self.trace.places[place].variable;
        let declared_at = self.trace.variables[variable].closures;
        let name = self.trace.variables[variable].name.clone();
        let is_outside =
            matches!(self.trace.variables[variable].declared, Declared::File | Declared::Nowhere);
        for level in (declared_at..self.closures.len()).rev() {
            let scope = &self.closures[level];
            let is_member = self.trace.variables[variable].declared == Declared::Member;
            let refers = scope.referred.iter().any(|other| *other == name || (is_member && other == "this"));
            let copies = scope.copied.contains(&name) || (scope.copies && !refers);
            if copies && !is_outside && !refers {
                return false;
            }
            let index = scope.index;
            if !self.trace.closures[index].captured.contains(&variable) {
                self.trace.closures[index].captured.push(variable);
            }
            if !self.trace.closures[index].shares.contains(&name) {
                self.trace.closures[index].shares.push(name.clone());
            }
        }
        if declared_at < self.closures.len() && !is_outside {
            let at = self.trace.events.last().map(|event| event.at).unwrap_or_default();
            self.event(at, Happening::Share(place, SharingKind::Capture, None));
        }
        true
    }

    /// Runs `inside` with a loop around it.
    pub(super) fn around_loop(
        &mut self,
        index: usize,
        label: Option<String>,
        inside: impl FnOnce(&mut Self),
    ) {
        self.around.push(Breakable::Loop { index, label });
        self.scopes.push(HashMap::new());
        inside(self);
        self.scopes.pop();
        self.around.pop();
    }
}

/// `p + i` in `*(p + i)`: the pointer and what is added. The pointer is the first operand.
pub(super) fn pointer_and_offset(of: &Expression) -> Option<(&Expression, Expression)> {
    use super::super::written::Binary;
    use profile::lens::Operator;
    let Term::Chain { first, rest } = &of.what else { return None };
    let is_sum = |operator: Binary| {
        matches!(operator, Binary::Update(Operator::Add) | Binary::Update(Operator::Subtract))
    };
    if !matches!(first.what, Term::Name(_) | Term::Member { .. }) || !rest.iter().all(|(op, _)| is_sum(*op)) {
        return None;
    }
    let (operator, offset) = rest.first()?;
    let end = rest.last().map_or(offset.text.end, |last| last.1.text.end);
    let text = offset.text.start..end;
    let first_offset = match operator {
        Binary::Update(Operator::Subtract) => Expression {
            what: Term::Negative(Box::new(offset.clone())),
            at: offset.at,
            text: first.text.end..offset.text.end,
        },
        _ => offset.clone(),
    };
    if rest.len() == 1 {
        return Some((first, first_offset));
    }
    let text = first_offset.text.start.min(text.start)..end;
    let what = Term::Chain { first: Box::new(first_offset), rest: rest[1..].to_vec() };
    Some((first, Expression { what, at: offset.at, text }))
}

fn without_parentheses(mut text: &str) -> &str {
    while let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        let mut depth = 0_i64;
        let closes_early = inner.bytes().any(|byte| {
            depth += i64::from(byte == b'(') - i64::from(byte == b')');
            depth < 0
        });
        if closes_early {
            break;
        }
        text = inner;
    }
    text
}

fn is_local(variable: &Variable) -> bool {
    matches!(variable.declared, Declared::Function | Declared::Parameter)
}
