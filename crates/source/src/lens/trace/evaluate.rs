//! Expressions as events.

use std::collections::{BTreeSet, HashSet};

use profile::lens::{
    AccessMode, DefinitionKind, Language, LeaveKind, Operator, Position, SharingKind, StorageMarks, Update,
};

use super::super::environment::{OBJECT, TypeKind};
use super::super::text::words;
use super::super::written::{Binary, ClosureText, Expression, Term};
use super::places::pointer_and_offset;
use super::{
    AccessText, Breakable, CallText, ClosureScope, ClosureTrace, ControlKind, Declared, DefinitionText,
    Happening, Jump, Walker, affine, known,
};

impl Walker<'_> {
    /// Evaluates an expression; `used` if something takes its value.
    pub(super) fn evaluate(&mut self, one: &Expression, used: bool) {
        match &one.what {
            Term::Integer(_) | Term::Constant => {}
            Term::Name(name) => {
                if self.environment.assigns(name) == Some(true) {
                    self.misunderstood();
                    let keeps = self.environment.keeps(name, &[]);
                    self.macro_call(one, CallText { callee: name.clone(), keeps, ..CallText::default() });
                }
                self.read(one);
                self.read_macro(one, name, 0);
            }
            Term::Member { .. } | Term::Index { .. } | Term::Dereference(_) => {
                self.load(one, AccessMode::Read)
            }
            Term::Address { of, mutable } => self.address(of, *mutable, None),
            Term::Call { callee, arguments } => self.call(one, callee, arguments),
            Term::Chain { first, rest } => self.chain(first, rest),
            Term::Negative(inner) | Term::Not(inner) | Term::Cast { of: inner, .. } => {
                self.evaluate(inner, true)
            }
            Term::Choice { condition, then, otherwise } => {
                self.evaluate(condition, true);
                self.arms(true, |walker, group| {
                    walker.arm(group, |walker| walker.evaluate(then, used));
                    walker.arm(group, |walker| walker.evaluate(otherwise, used));
                });
            }
            Term::Assignment { target, operator, value } => {
                let sign = operator.and_then(|own| Binary::Update(own).sign()).unwrap_or_default();
                if !self.assigned_by_function(one, target, &format!("{sign}="), std::slice::from_ref(value)) {
                    self.assign(target, *operator, value, used);
                }
            }
            Term::Step { target, by } => {
                let sign = if *by < 0 { "--" } else { "++" };
                if !self.assigned_by_function(one, target, sign, &[]) {
                    self.step(target, *by, used);
                }
            }
            Term::Returned { function, of } => {
                let call = self.trace.calls.len();
                self.trace.calls.push(CallText { callee: function.clone(), ..CallText::default() });
                self.evaluate(of, used);
                self.share_reads(one, function, call);
                self.event(one.at, Happening::Call(call));
            }
            Term::Closure(closure) => self.closure(one, closure),
            Term::Statements(body) => self.scoped(|walker| walker.statements(body)),
            Term::List(parts) => {
                for part in parts {
                    self.evaluate(part, used);
                }
            }
            Term::Unknown => self.misunderstood(),
        }
    }

    fn chain(&mut self, first: &Expression, rest: &[(Binary, Expression)]) {
        if self.is_stream(first) && matches!(rest.first(), Some((Binary::Update(Operator::ShiftRight), _))) {
            for (_, operand) in rest {
                self.input(operand);
            }
            return;
        }
        self.operators(first, rest);
        self.evaluate(first, true);
        let is_lazy = |operator: Binary| {
            matches!(operator, Binary::Update(Operator::LogicalAnd) | Binary::Update(Operator::LogicalOr))
        };
        let lazy = rest.iter().position(|(operator, _)| is_lazy(*operator)).unwrap_or(rest.len());
        let (always, perhaps) = rest.split_at(lazy);
        for (_, operand) in always {
            self.evaluate(operand, true);
        }
        if !perhaps.is_empty() {
            self.under(ControlKind::Perhaps, |walker| {
                for (_, operand) in perhaps {
                    walker.evaluate(operand, true);
                }
            });
        }
    }

    /// Whether an expression names an object of a class of the file: operators on it are functions.
    fn is_object(&self, of: &Expression) -> bool {
        let Term::Name(name) = &of.what else { return false };
        self.environment.language == Language::Cpp
            && self.declared(name).is_some_and(|index| {
                let own = &self.trace.variables[index];
                let of_class = self.environment.type_of(&own.type_text) == Some(TypeKind::Class);
                of_class && !own.storage.pointer && !own.array
            })
    }

    fn is_stream(&self, of: &Expression) -> bool {
        let Term::Name(name) = &of.what else { return false };
        let declared = self.declared(name).map(|index| self.trace.variables[index].type_text.as_str());
        name.rsplit("::").next() == Some("cin") || declared.is_some_and(|text| text.contains("stream"))
    }

    /// A read or write of what a member, subscript or dereference names.
    pub(super) fn load(&mut self, one: &Expression, mode: AccessMode) {
        if let Some((base, subscripts, member)) = subscripted(one) {
            self.access(one, &base, &subscripts, member, mode);
            return;
        }
        if let Term::Dereference(inner) = &one.what
            && let Term::Step { .. } | Term::Assignment { .. } = inner.what
        {
            self.evaluate(inner, false);
            self.read(one);
            return;
        }
        if let Term::Dereference(inner) = &one.what
            && self.is_object(inner)
        {
            self.share(inner, SharingKind::Method, None);
            return;
        }
        match self.place(one) {
            Some(_) => self.read(one),
            None => {
                for part in one.parts() {
                    self.evaluate(part, true);
                }
            }
        }
    }

    /// An access by subscript.
    fn access(
        &mut self,
        one: &Expression,
        base: &Expression,
        subscripts: &[Expression],
        member: String,
        mode: AccessMode,
    ) {
        for subscript in subscripts {
            self.evaluate(subscript, true);
        }
        let variable = self.root(base);
        match self.place(base) {
            Some(place) if !self.trace.places[place].path.is_empty() || !self.is_array(variable) => {
                self.read(base);
            }
            Some(_) => {}
            None => self.evaluate(base, true),
        }
        self.note_access(one, base, (variable, subscripts), (member, mode));
    }

    /// Notes an access by subscript, the parts of which have been evaluated, if it is not the read of an update.
    fn note_access(
        &mut self,
        one: &Expression,
        base: &Expression,
        (variable, subscripts): (Option<usize>, &[Expression]),
        (member, mode): (String, AccessMode),
    ) {
        let name = self.tight(one);
        if mode == AccessMode::Read && self.updating.last().is_some_and(|own| own.0 == name) {
            return;
        }
        if let Some(variable) = variable {
            self.capture(one.at, variable);
        }
        let spell = |of: &Expression| self.tight(of);
        let text = AccessText {
            variable,
            name: self.tight(base),
            mode,
            subscripts: subscripts.iter().map(|subscript| self.text.range(&subscript.text)).collect(),
            affine: subscripts.iter().map(|subscript| affine(subscript, &spell)).collect(),
            member,
            value: String::new(),
        };
        self.trace.accesses.push(text);
        self.event(one.at, Happening::Access(self.trace.accesses.len() - 1));
    }

    /// An element that is known by another name, or to a method, may be written.
    pub(super) fn share_element(&mut self, of: &Expression) {
        if let Some((base, subscripts, member)) = subscripted(of) {
            self.access(of, &base, &subscripts, member, AccessMode::Shared);
        }
    }

    fn is_array(&self, variable: Option<usize>) -> bool {
        variable.is_some_and(|variable| self.trace.variables[variable].array)
    }

    /// The address of something is formed, perhaps for a call.
    pub(super) fn address(&mut self, of: &Expression, mutable: bool, call: Option<usize>) {
        let kind = if mutable { SharingKind::Address } else { SharingKind::ReadOnlyAddress };
        match subscripted(of) {
            Some((base, subscripts, member)) => {
                let mode = if mutable { AccessMode::Shared } else { AccessMode::Read };
                self.access(of, &base, &subscripts, member, mode);
            }
            None if self.place(of).is_some() => {
                if !mutable {
                    self.read(of);
                }
                self.share(of, kind, call);
            }
            None => self.evaluate(of, true),
        }
    }

    fn call(&mut self, one: &Expression, callee: &Expression, arguments: &[Expression]) {
        let name = match &callee.what {
            Term::Name(name) => name.rsplit("::").next().unwrap_or(name).to_owned(),
            Term::Member { field, .. } => field.clone(),
            _ => String::new(),
        };
        let is_preprocessed = matches!(self.environment.language, Language::C | Language::Cpp);
        let assigns = self.environment.assigns(&name).filter(|_| is_preprocessed);
        let is_stateful = match &callee.what {
            Term::Name(full) => full.split("::").any(|part| self.environment.stateful.contains(part)),
            _ => self.environment.stateful.contains(&name),
        };
        if assigns == Some(true) || is_stateful {
            // What it assigns or keeps the text of the loop does not show.
            self.misunderstood();
        }
        let takes_arguments = self.environment.macros.get(&name).is_some_and(|own| own.takes_arguments);
        let is_macro = is_preprocessed
            && assigns.unwrap_or_else(|| {
                known::is_in_capitals(&name) && !self.environment.calls.contains_key(&name)
            })
            && known::operator(&name).is_none()
            || name.ends_with('!') && !known::is_harmless_macro(&name);
        let written = self.tight(callee);
        let call = self.trace.calls.len();
        let elsewhere = match &callee.what {
            Term::Name(full) if is_preprocessed => self.elsewhere(full, &name),
            _ => Vec::new(),
        };
        let keeps = match self.environment.language {
            Language::Fortran | Language::FixedFortran => {
                self.environment.keeping.contains(&name.to_ascii_lowercase())
            }
            _ => self.environment.keeps(&name, arguments),
        };
        let keeps = keeps || is_stateful || self.hands_on(&name, arguments);
        let mut arrays: Vec<String> =
            self.environment.array_writes.get(&name).into_iter().flatten().cloned().collect();
        arrays.sort_unstable();
        let places = self.environment.places_of(&name).filter(|place| !place.is_empty()).map(|place| {
            let handed = place.iter().filter_map(|&index| match (index, &callee.what) {
                (OBJECT, Term::Member { base, .. }) => Some(&**base),
                _ => arguments.get(index),
            });
            let names = handed.flat_map(Expression::names);
            names.collect::<BTreeSet<_>>().into_iter().collect()
        });
        let mut places: Vec<Vec<String>> = places.collect();
        let copied = known::written_by_copy(&name).and_then(|index| arguments.get(index));
        places.extend(copied.filter(|_| is_preprocessed).map(Expression::names));
        if matches!(self.environment.language, Language::Fortran | Language::FixedFortran) {
            // What is handed on by reference may be changed, unless it is said that it is not.
            let handed = arguments.iter().enumerate();
            let handed =
                handed.filter(|(index, _)| self.sharing((&name, *index, arguments.len()), false).is_some());
            let names = handed
                .filter(|(_, argument)| subscripted(argument).is_some())
                .map(|(_, argument)| argument.names());
            places
                .extend(names.map(|names| names.into_iter().collect::<BTreeSet<_>>().into_iter().collect()));
        }
        self.trace.calls.push(CallText { callee: written, is_macro, elsewhere, keeps, arrays, places });
        match &callee.what {
            Term::Name(full) => {
                if let Some(variable) = self.declared(full) {
                    self.read(callee);
                    // A generator of the library, or a functor of the file.
                    let own = &self.trace.variables[variable];
                    let is_functor = own.type_text.contains("std::") || self.is_object(callee);
                    if is_functor && !own.storage.constant && self.environment.language == Language::Cpp {
                        self.share(callee, SharingKind::Method, Some(call));
                    }
                }
            }
            Term::Member { base, field, .. } if self.exchanges(base, field, arguments) => {
                let variable = self.root(base);
                for mode in [AccessMode::Read, AccessMode::Write] {
                    for index in arguments {
                        let subscript = std::slice::from_ref(index);
                        self.note_access(one, base, (variable, subscript), (String::new(), mode));
                    }
                }
            }
            Term::Member { base, field, .. } => {
                self.evaluate(base, true);
                if known::changes_inside(field) || !known::only_reads(field) && self.may_change(base) {
                    let is_place = known::gives_places(field) && self.holds_elements_elsewhere(base);
                    let kind = if is_place { SharingKind::Address } else { SharingKind::Method };
                    self.share(base, kind, Some(call));
                    // It may be an element that is read: `m.at(i, j)`.
                    let variable = self.root(base);
                    let is_atomic = variable.is_some_and(|own| self.trace.variables[own].storage.atomic);
                    if self.environment.language == Language::Cpp && !arguments.is_empty() && !is_atomic {
                        self.note_access(
                            one,
                            callee,
                            (variable, arguments),
                            (String::new(), AccessMode::Read),
                        );
                    }
                }
            }
            _ => self.evaluate(callee, true),
        }
        for (index, argument) in arguments.iter().enumerate() {
            if takes_arguments && !is_macro {
                // A macro that assigns nothing only reads.
                self.evaluate(argument, true);
                continue;
            }
            self.argument(argument, (&name, index, arguments.len()), is_macro, call);
        }
        if takes_arguments {
            self.read_macro(one, &name, 0);
        }
        self.share_writes(one, &name, call);
        self.share_reads(one, &name, call);
        self.event(one.at, Happening::Call(call));
        if known::is_exit(&name) {
            self.jump(one.at, Jump::Leave(LeaveKind::Exit));
        }
    }

    /// Whether a method exchanges two elements of a slice or vector of Rust: `a.swap(i, j)`.
    fn exchanges(&mut self, object: &Expression, method: &str, arguments: &[Expression]) -> bool {
        if self.environment.language != Language::Rust || method != "swap" || arguments.len() != 2 {
            return false;
        }
        let Some(place) = self.place(object) else { return false };
        let place = &self.trace.places[place];
        let kind = &self.trace.variables[place.variable].type_text;
        place.path.is_empty() && (kind.contains('[') || words(kind).any(|word| word == "Vec"))
    }

    /// An assignment to an object of a class of the file which a function of the file makes, as for any method that is called on the
    /// object: it need not overwrite all of it, and may do more (C++20, 12.4.3.2). Whether it is one.
    fn assigned_by_function(
        &mut self,
        one: &Expression,
        target: &Expression,
        sign: &str,
        values: &[Box<Expression>],
    ) -> bool {
        let name = format!("operator{sign}");
        if !self.environment.calls.contains_key(&name) || !self.is_object(target) {
            return false;
        }
        let what = Term::Member { base: Box::new(target.clone()), field: name.clone(), arrow: false };
        let callee = Expression { what, at: target.at, text: target.text.clone() };
        let values: Vec<Expression> = values.iter().map(|value| (**value).clone()).collect();
        let call = self.trace.calls.len();
        self.call(one, &callee, &values);
        if let Some(call) = self.trace.calls.get_mut(call) {
            call.callee = format!("{}.{name}", call.callee);
        }
        true
    }

    /// Operators of a class of the file that change what they are applied to: `out << x`.
    fn operators(&mut self, first: &Expression, rest: &[(Binary, Expression)]) {
        if self.environment.language != Language::Cpp || !self.is_object(first) {
            return;
        }
        let environment = self.environment;
        for (operator, operand) in rest {
            let Some(sign) = operator.sign() else { continue };
            let name = format!("operator{sign}");
            if !environment.calls.contains_key(&name) {
                continue;
            }
            let keeps = environment.keeping.contains(&name);
            let elsewhere = self.elsewhere(&name, &name);
            let call = self.trace.calls.len();
            self.trace.calls.push(CallText { callee: name.clone(), keeps, elsewhere, ..CallText::default() });
            let changes = |one: usize| environment.places_of(&name).any(|place| place.contains(&one));
            if changes(OBJECT) || changes(0) {
                self.share(first, SharingKind::Method, Some(call));
            }
            self.share_writes(operand, &name, call);
            self.share_reads(operand, &name, call);
            self.event(operand.at, Happening::Call(call));
        }
    }

    /// Whether declarations call constructors.
    pub(super) fn makes_objects(&self) -> bool {
        self.environment.language == Language::Cpp
    }

    /// The arguments of a constructor that a declaration calls.
    pub(super) fn constructor(&mut self, one: &Expression, class: &str, arguments: &[Expression]) {
        let environment = self.environment;
        let count = arguments.len();
        if (0..count).all(|index| environment.takes_reference(class, index, count) != Some(false)) {
            self.evaluate(one, true);
            return;
        }
        let call = self.trace.calls.len();
        self.trace.calls.push(CallText { callee: class.to_owned(), ..CallText::default() });
        for (index, argument) in arguments.iter().enumerate() {
            self.argument(argument, (class, index, count), false, call);
        }
        self.event(one.at, Happening::Call(call));
    }

    /// An object of a class of the file begins and ends: its constructors and its destructor run.
    pub(super) fn made(&mut self, at: Position, class: &str) {
        for name in [class.to_owned(), format!("~{class}")] {
            if !self.environment.calls.contains_key(&name) {
                continue;
            }
            let keeps = self.environment.keeping.contains(&name);
            if self.environment.stateful.contains(&name) {
                self.misunderstood();
            }
            let mut arrays: Vec<String> =
                self.environment.array_writes.get(&name).into_iter().flatten().cloned().collect();
            arrays.sort_unstable();
            let elsewhere = self.elsewhere(&name, &name);
            let call = self.trace.calls.len();
            self.trace.calls.push(CallText {
                callee: name.clone(),
                elsewhere,
                keeps,
                arrays,
                ..CallText::default()
            });
            let one = Expression { what: Term::Unknown, at, text: 0..0 };
            self.share_writes(&one, &name, call);
            self.share_reads(&one, &name, call);
            self.event(at, Happening::Call(call));
        }
    }

    /// What a macro stands for is read, but for its arguments.
    fn read_macro(&mut self, one: &Expression, name: &str, depth: u32) {
        const DEEPEST_MACRO: u32 = 4;
        let is_preprocessed = matches!(self.environment.language, Language::C | Language::Cpp);
        let environment = self.environment;
        let Some(own) = environment.macros.get(name).filter(|_| is_preprocessed && depth < DEEPEST_MACRO)
        else {
            return;
        };
        for inner in own.names.iter().filter(|inner| *inner != name) {
            let is_global = environment.globals.contains_key(inner);
            let variable = self.declared(inner).or_else(|| is_global.then(|| self.resolve(inner)));
            match variable {
                Some(variable) if !self.trace.variables[variable].array => {
                    let whole = self.whole(variable);
                    self.event(one.at, Happening::Read(whole, None));
                }
                Some(_) => {}
                None => self.read_macro(one, inner, depth + 1),
            }
        }
    }

    /// What a function of the file assigns itself is known to others.
    fn share_writes(&mut self, one: &Expression, function: &str, call: usize) {
        let environment = self.environment;
        let mut written: Vec<&String> = environment.writes.get(function).into_iter().flatten().collect();
        written.sort_unstable();
        for global in written {
            let variable = self.resolve(global);
            if self.trace.variables[variable].declared == Declared::File
                && !self.trace.variables[variable].array
            {
                let whole = self.whole(variable);
                self.event(one.at, Happening::Share(whole, SharingKind::Reference, Some(call)));
            }
        }
    }

    /// What a function of the file names itself sees what the loop assigns.
    fn share_reads(&mut self, one: &Expression, function: &str, call: usize) {
        let is_fortran = matches!(self.environment.language, Language::Fortran | Language::FixedFortran);
        let function = if is_fortran { function.to_ascii_lowercase() } else { function.to_owned() };
        let environment = self.environment;
        let mut read: Vec<&String> = environment.reads.get(&function).into_iter().flatten().collect();
        if is_fortran && !known::takes_values(&function, environment.language) {
            read.extend(&environment.common);
        }
        read.sort_unstable();
        read.dedup();
        for name in read {
            // Procedures inside of a unit of Fortran name its variables.
            let variable = if is_fortran {
                match self.declared(name) {
                    Some(variable) => variable,
                    None if environment.globals.contains_key(name) => self.resolve(name),
                    None => continue,
                }
            } else {
                let variable = self.resolve(name);
                if self.trace.variables[variable].declared != Declared::File {
                    continue;
                }
                variable
            };
            let whole = self.whole(variable);
            self.event(one.at, Happening::Share(whole, SharingKind::Elsewhere, Some(call)));
        }
    }

    /// What a function is, or calls, of which the text is not in the file.
    fn elsewhere(&self, full: &str, name: &str) -> Vec<String> {
        let is_known = |name: &str| {
            known::takes_values(name, self.environment.language)
                || known::operator(name).is_some()
                || known::is_of_c(name)
                || self.environment.macros.contains_key(name)
                || self.environment.types.contains_key(name)
                || self.environment.type_names.contains(name)
                || known::is_type(name)
        };
        // What a variable stands for is of the file, but for objects of the library: generators of random numbers.
        let is_variable = self.declared(full).is_some_and(|index| {
            let of = &self.trace.variables[index].type_text;
            !of.contains("std::") || of.contains("std::function")
        });
        if is_variable || full.starts_with("std::") {
            return Vec::new();
        }
        let (mut seen, mut open, mut out) = (HashSet::from([name]), vec![name], BTreeSet::new());
        while let Some(name) = open.pop() {
            match self.environment.calls.get(name) {
                Some(called) => {
                    open.extend(called.iter().map(String::as_str).filter(|&own| seen.insert(own)))
                }
                // Methods and pointers to functions are looked at where they are called.
                None if is_known(name) || !name.chars().all(|c| c.is_alphanumeric() || c == '_') => {}
                None => {
                    out.insert(name.to_owned());
                }
            }
        }
        out.into_iter().collect()
    }

    /// Whether an object is a container of the standard library the elements of which lie in memory of their own: the run shows what
    /// becomes of them.
    fn holds_elements_elsewhere(&mut self, object: &Expression) -> bool {
        const CONTAINERS: [&str; 9] =
            ["vector", "deque", "span", "list", "map", "set", "multimap", "unordered_map", "unordered_set"];
        let Some(place) = self.place(object) else { return false };
        let place = &self.trace.places[place];
        let kind = &self.trace.variables[place.variable].type_text;
        place.path.is_empty()
            && self.environment.type_of(kind).is_none()
            && words(kind)
                .find(|word| *word != "std" && *word != "const")
                .is_some_and(|word| CONTAINERS.contains(&word))
    }

    /// Whether a method may change an object: not if it was declared as a constant, or is reached by a pointer.
    fn may_change(&mut self, object: &Expression) -> bool {
        let Some(place) = self.place(object) else { return self.environment.language == Language::Cpp };
        let place = &self.trace.places[place];
        let storage = self.trace.variables[place.variable].storage;
        let is_pointer = storage.pointer && place.path.is_empty();
        !storage.constant && !is_pointer
    }

    fn argument(
        &mut self,
        argument: &Expression,
        (function, index, count): (&str, usize, usize),
        is_macro: bool,
        call: usize,
    ) {
        if let Term::Address { of, mutable } = &argument.what {
            self.address(of, *mutable, Some(call));
            return;
        }
        // A function that is handed on may be called.
        if let Term::Name(name) = &argument.what
            && self.environment.calls.contains_key(name)
            && self.declared(name).is_none()
        {
            if self.environment.stateful.contains(name) {
                self.misunderstood();
            }
            self.share_writes(argument, name, call);
            self.share_reads(argument, name, call);
            return;
        }
        let sharing = match self.sharing((function, index, count), is_macro) {
            Some(SharingKind::PerhapsReference)
                if matches!(argument.what, Term::Name(_)) && known::writes_argument(function, index) =>
            {
                Some(SharingKind::Reference)
            }
            sharing => sharing,
        };
        let is_place = self.place(argument).is_some();
        if let (Some(_), Some((base, subscripts, member))) = (sharing, subscripted(argument)) {
            self.access(argument, &base, &subscripts, member, AccessMode::Shared);
            return;
        }
        if let Some((pointer, offset)) = pointer_and_offset(argument)
            && matches!(pointer.what, Term::Name(_))
            && let Some(variable) = self.root(pointer)
            && (self.is_array(Some(variable)) || self.trace.variables[variable].storage.pointer)
        {
            // `a + i` is `&a[i]`.
            self.access(argument, pointer, &[offset], String::new(), AccessMode::Shared);
            return;
        }
        self.evaluate(argument, true);
        if !is_place {
            return;
        }
        let variable = self.root(argument);
        let is_rust = self.environment.language == Language::Rust;
        let is_constant = |storage: StorageMarks| storage.constant && !storage.pointer && !storage.reference;
        if !is_rust
            && matches!(argument.what, Term::Name(_))
            && variable.is_some_and(|variable| is_constant(self.trace.variables[variable].storage))
            && !self.is_array(variable)
        {
            // Nobody may change it, whatever is done with a reference to it.
            return;
        }
        if self.is_array(variable) && matches!(argument.what, Term::Name(_)) {
            self.share(argument, SharingKind::Address, Some(call));
        } else if is_rust && self.hands_on_reference(argument, variable) {
            self.share(argument, SharingKind::Reference, Some(call));
        } else if let Some(kind) = sharing {
            self.share(argument, kind, Some(call));
        }
    }

    /// Whether an argument is a reference of Rust through which what it leads to may be changed.
    fn hands_on_reference(&self, argument: &Expression, variable: Option<usize>) -> bool {
        let storage = variable.map(|variable| self.trace.variables[variable].storage);
        matches!(argument.what, Term::Name(_))
            && storage.is_some_and(|storage| (storage.reference || storage.pointer) && !storage.constant)
    }

    fn sharing(
        &self,
        (function, argument, count): (&str, usize, usize),
        is_macro: bool,
    ) -> Option<SharingKind> {
        if is_macro {
            return Some(SharingKind::PerhapsMacro);
        }
        let language = self.environment.language;
        match language {
            Language::Rust => None,
            Language::C => match self.environment.takes_reference(function, argument, count) {
                Some(true) => Some(SharingKind::Reference),
                Some(false) | None => None,
            },
            Language::Cpp => match self.writes_argument(function, argument, count) {
                Some(true) => Some(SharingKind::Reference),
                Some(false) => None,
                None if known::takes_values(function, language) => None,
                None => Some(SharingKind::PerhapsReference),
            },
            Language::Fortran | Language::FixedFortran => {
                let is_read = known::takes_values(function, language)
                    || self.environment.takes_reference(&function.to_ascii_lowercase(), argument, count)
                        == Some(false);
                (!is_read).then_some(SharingKind::Reference)
            }
        }
    }

    /// Whether a function of C++, or a variable or an object that is called like one, may write through an argument, one of `count`; `None` if
    /// that is not known.
    fn writes_argument(&self, function: &str, argument: usize, count: usize) -> Option<bool> {
        // `f(x)` of an object, and `F{}(x)` of one without a name.
        let of_object =
            || self.environment.takes_reference("operator()", argument, count).filter(|writes| *writes);
        let Some(variable) = self.declared(function) else {
            let is_object = function.is_empty() || function.ends_with(['}', ')']);
            let known = self.environment.takes_reference(function, argument, count);
            return known.or_else(|| of_object().filter(|_| is_object));
        };
        let own = self.trace.variables[variable].at.map(|at| (function.to_owned(), at));
        let known = own.and_then(|own| self.environment.callables.get(&own)?.writes(argument, count));
        known.or_else(of_object)
    }

    /// A definition that is about to be made.
    pub(super) fn define(
        &mut self,
        target: &Expression,
        kind: DefinitionKind,
        value: Option<&Expression>,
    ) -> usize {
        let name = self.tight(target);
        let text = DefinitionText {
            kind,
            update: None,
            value: value.map(|value| self.text.range(&value.text)).unwrap_or_default(),
            reads_itself: value.is_some_and(|value| self.mentions(value, &name)),
            reads: value.map(Expression::names).unwrap_or_default(),
            header: self.header,
        };
        self.trace.definitions.push(text);
        self.trace.definitions.len() - 1
    }

    /// An assignment; returns its definition.
    pub(super) fn assign(
        &mut self,
        target: &Expression,
        operator: Option<Operator>,
        value: &Expression,
        used: bool,
    ) -> usize {
        let kind = operator.map_or(DefinitionKind::Plain, DefinitionKind::Compound);
        let definition = self.define(target, kind, Some(value));
        let update = match operator {
            Some(operator) => Some(Update {
                operator,
                operand: self.text.range(&value.text),
                operand_reads_itself: self.trace.definitions[definition].reads_itself,
                companions: Vec::new(),
                comparison: None,
            }),
            // What is converted to less than it is in every iteration is no sum.
            None => self.update(target, value).or_else(|| self.cut(target, value)),
        };
        let is_element = subscripted(target).is_some();
        let update = update.map(|update| match update.operand_reads_itself && is_element {
            true => Update { operator: Operator::Other, ..update },
            false => update,
        });
        self.assign_as(target, value, definition, update, operator.is_some());
        if used {
            self.use_value(target);
        }
        definition
    }

    /// An assignment that is known to be an update, or not to be one.
    pub(super) fn assign_as(
        &mut self,
        target: &Expression,
        value: &Expression,
        definition: usize,
        update: Option<Update>,
        is_compound: bool,
    ) {
        self.assigned_by_macro(target);
        self.assigned_through_call(target);
        let is_update = update.is_some();
        let operator = update.as_ref().map(|update| update.operator);
        self.trace.definitions[definition].update = update;
        if is_update {
            self.updating.push((self.tight(target), definition));
        }
        self.evaluate(value, true);
        if is_update {
            self.updating.pop();
        }
        self.store(target, definition, operator, is_compound);
    }

    /// Writes what `target` names.
    pub(super) fn store(
        &mut self,
        target: &Expression,
        definition: usize,
        operator: Option<Operator>,
        is_compound: bool,
    ) {
        if let Some((base, subscripts, member)) = subscripted(target).or_else(|| self.called(target)) {
            let mode = operator.map_or(AccessMode::Write, AccessMode::Update);
            self.access(target, &base, &subscripts, member, mode);
            let own = &self.trace.definitions[definition];
            let value = match (mode, &own.update) {
                (AccessMode::Write, _) if own.kind == DefinitionKind::Plain => Some(&own.value),
                (AccessMode::Update(_), Some(update)) => Some(&update.operand),
                _ => None,
            };
            if let Some((value, access)) = value.zip(self.trace.accesses.last_mut()) {
                access.value.clone_from(value);
            }
            return;
        }
        match &target.what {
            Term::Dereference(inner) if matches!(inner.what, Term::Step { .. }) => {
                self.evaluate(inner, false)
            }
            Term::List(targets) => {
                for target in targets {
                    let unknown = self.define(target, DefinitionKind::Plain, None);
                    self.trace.definitions[unknown].reads = self.trace.definitions[definition].reads.clone();
                    self.store(target, unknown, None, false);
                }
                return;
            }
            Term::Choice { condition, then, otherwise } => {
                self.evaluate(condition, true);
                for arm in [then, otherwise] {
                    self.under(ControlKind::Perhaps, |walker| {
                        walker.store(arm, definition, operator, is_compound);
                    });
                }
                return;
            }
            _ => {}
        }
        let Some(place) = self.place(target) else {
            if matches!(target.what, Term::Unknown) {
                self.misunderstood();
            }
            for part in target.parts() {
                self.evaluate(part, true);
            }
            return;
        };
        if self.trace.places[place].path.iter().any(|part| part == "*") {
            let variable = self.trace.places[place].variable;
            let pointer = self.whole(variable);
            self.event(target.at, Happening::Read(pointer, None));
        }
        let type_kind =
            self.environment.type_of(&self.trace.variables[self.trace.places[place].variable].type_text);
        let is_member = !self.trace.places[place].path.is_empty();
        match type_kind {
            // The operator is a function.
            Some(TypeKind::Class)
                if is_compound && !is_member && self.environment.language == Language::Cpp =>
            {
                self.share(target, SharingKind::Method, None);
            }
            // Its other members have the same storage.
            Some(TypeKind::Union) => self.share(target, SharingKind::Bound, None),
            _ => {}
        }
        if is_compound {
            self.event(target.at, Happening::Read(place, operator.map(|_| definition)));
        }
        if self.is_seen_outside(place) {
            self.event(target.at, Happening::Write(place, definition));
        }
    }

    /// `f(i) = x`: what looks like a call is an element, `operator()` of a matrix.
    fn called(&self, target: &Expression) -> Option<(Expression, Vec<Expression>, String)> {
        match &target.what {
            Term::Call { callee, arguments } => Some(((**callee).clone(), arguments.clone(), String::new())),
            _ => None,
        }
    }

    /// Whether a function changes what one argument leads to while another one leads to somewhere else in the same array: `copy(a + i + 1, a + i)`.
    fn hands_on(&self, name: &str, arguments: &[Expression]) -> bool {
        let is_offset = |one: &Expression| {
            let text = self.tight(one);
            matches!(one.what, Term::Address { .. } | Term::Chain { .. }) && text.contains(['+', '-', '['])
        };
        let root = |one: &Expression| {
            let text = self.tight(one);
            let plain = text.trim_start_matches(['&', '*', '(']);
            let end = plain.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(plain.len());
            plain[..end].to_owned()
        };
        let is_beside = |at: usize| {
            let Some(own) = arguments.get(at).filter(|own| is_offset(own)) else { return false };
            let (text, root) = (self.tight(own), root(own));
            let mut others = arguments.iter().enumerate().filter(|(other, _)| *other != at);
            others.any(|(_, other)| self.tight(other) != text && other.names().contains(&root))
        };
        let copies = known::written_by_copy(name);
        copies.is_some_and(&is_beside)
            || self.environment.places_of(name).flatten().any(|&at| at != OBJECT && is_beside(at))
    }

    /// `*top() = x`, `self()->n++`, `at(a, i) = x`: what a function of the file gives leads to the place, which the text does not show. What
    /// others give, and methods, is a part of what they are handed: `tie(a, b) = x`, `*w.begin() = x`.
    fn assigned_through_call(&mut self, target: &Expression) {
        let mut at = target;
        let (callee, arguments) = loop {
            match &at.what {
                Term::Dereference(base) | Term::Member { base, .. } | Term::Index { base, .. } => at = base,
                Term::Call { callee, arguments } => break (callee, arguments),
                _ => return,
            }
        };
        let Term::Name(name) = &callee.what else {
            if let Term::Member { base, .. } = &callee.what {
                let mut place = base.names();
                place.extend(arguments.iter().flat_map(Expression::names));
                self.assigned_part(target, callee, vec![place]);
            }
            return;
        };
        let name = name.clone();
        let plain = name.rsplit("::").next().unwrap_or(&name).to_owned();
        let is_function = self.environment.calls.contains_key(&plain)
            && !self.environment.macros.contains_key(&plain)
            && self.declared(&name).is_none();
        if is_function {
            let call = self.trace.calls.len();
            self.trace.calls.push(CallText { callee: name, keeps: true, ..CallText::default() });
            self.event(target.at, Happening::Call(call));
        } else if self.environment.language == Language::Cpp
            && !self.environment.macros.contains_key(&plain)
            && self.declared(&name).is_none()
        {
            self.assigned_part(target, callee, arguments.iter().map(Expression::names).collect());
        }
    }

    /// An assignment changes places that a function, which gives a part of what it is handed, is handed or chooses.
    fn assigned_part(&mut self, target: &Expression, callee: &Expression, places: Vec<Vec<String>>) {
        let call = self.trace.calls.len();
        self.trace.calls.push(CallText { callee: self.tight(callee), places, ..CallText::default() });
        self.event(target.at, Happening::Call(call));
    }

    /// `FIELD(c) = x`: a macro of the file stands for what is assigned; its arguments choose the place.
    fn assigned_by_macro(&mut self, target: &Expression) {
        let Term::Call { callee, arguments } = &target.what else { return };
        let Term::Name(name) = &callee.what else { return };
        if self.environment.macros.contains_key(name) {
            if self.environment.assigns(name) == Some(true) {
                // Something beside the place, in one of its definitions at least.
                self.misunderstood();
            }
            let names: BTreeSet<String> = arguments.iter().flat_map(Expression::names).collect();
            let places = vec![names.into_iter().collect()];
            self.macro_call(target, CallText { callee: name.clone(), places, ..CallText::default() });
        }
    }

    /// A macro that does something where an expression stands.
    fn macro_call(&mut self, one: &Expression, text: CallText) {
        let call = self.trace.calls.len();
        self.trace.calls.push(CallText { is_macro: true, ..text });
        self.event(one.at, Happening::Call(call));
    }

    fn use_value(&mut self, target: &Expression) {
        match subscripted(target).or_else(|| self.called(target)) {
            Some((base, subscripts, member)) => {
                let variable = self.root(&base);
                self.note_access(target, &base, (variable, &subscripts), (member, AccessMode::Read));
            }
            None => {
                if let Some(place) = self.place(target) {
                    self.event(target.at, Happening::Read(place, None));
                }
            }
        }
    }

    fn step(&mut self, target: &Expression, by: i64, used: bool) {
        self.assigned_by_macro(target);
        self.assigned_through_call(target);
        let definition = self.define(target, DefinitionKind::Increment(by), None);
        let operator = if by < 0 { Operator::Subtract } else { Operator::Add };
        let text = &mut self.trace.definitions[definition];
        text.value = by.unsigned_abs().to_string();
        text.reads_itself = true;
        text.update = Some(Update {
            operator,
            operand: by.unsigned_abs().to_string(),
            operand_reads_itself: false,
            companions: Vec::new(),
            comparison: None,
        });
        self.store(target, definition, Some(operator), true);
        if used {
            self.use_value(target);
        }
    }

    /// Something outside writes what an expression names.
    pub(super) fn input(&mut self, target: &Expression) {
        let definition = self.define(target, DefinitionKind::Input, None);
        self.store(target, definition, None, false);
    }

    fn closure(&mut self, one: &Expression, closure: &ClosureText) {
        let index = self.trace.closures.len();
        self.trace.closures.push(ClosureTrace { shares: Vec::new(), captured: Vec::new() });
        self.event(one.at, Happening::Closure(index));
        self.closures.push(ClosureScope {
            index,
            copies: closure.copies,
            copied: closure.copied.clone(),
            referred: closure.referred.clone(),
        });
        self.around.push(Breakable::Closure);
        self.scoped(|walker| {
            walker.under(ControlKind::Perhaps, |walker| {
                for parameter in &closure.parameters {
                    walker.declare(parameter, false);
                }
                walker.statements(&closure.body);
            });
        });
        self.around.pop();
        self.closures.pop();
    }
}

/// What an expression subscripts: the base, the subscripts from the outermost, and the member of the element.
pub(super) fn subscripted(of: &Expression) -> Option<(Expression, Vec<Expression>, String)> {
    match &of.what {
        Term::Index { base, subscripts } => match &base.what {
            Term::Index { .. } => {
                let (base, mut all, member) = subscripted(base)?;
                all.extend(subscripts.iter().cloned());
                Some((base, all, member))
            }
            _ => Some(((**base).clone(), subscripts.clone(), String::new())),
        },
        Term::Member { base, field, arrow } => {
            let (array, subscripts, member) = subscripted(base)?;
            let separator = match (member.is_empty(), arrow) {
                (true, false) => "",
                (true, true) => "->",
                (false, false) => ".",
                (false, true) => "->",
            };
            Some((array, subscripts, format!("{member}{separator}{field}")))
        }
        Term::Dereference(base) => {
            if let Some((pointer, offset)) = pointer_and_offset(base) {
                return match subscripted(pointer) {
                    None => Some((pointer.clone(), vec![offset], String::new())),
                    Some(_) => None,
                };
            }
            let (array, subscripts, member) = subscripted(base)?;
            Some((array, subscripts, format!("*{member}")))
        }
        _ => None,
    }
}
