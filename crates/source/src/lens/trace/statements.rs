//! Statements as events.

use std::mem;

use profile::lens::{DefinitionKind, Language, LeaveKind, SharingKind, Update};

use super::super::directives;
use super::super::text::words;
use super::super::written::{Act, Arm, Declaration, Expression, Statement, Term};
use super::evaluate::subscripted;
use super::{Breakable, ControlKind, Group, Happening, Jump, Walker};

impl Walker<'_> {
    /// Statements in order.
    pub(super) fn statements(&mut self, list: &[Statement]) {
        let regions = self.regions.len();
        let pending = mem::take(&mut self.pending);
        for statement in list {
            if let Act::Directive(directive) = &statement.what {
                match directives::role(directive, self.environment.language) {
                    directives::Role::Statement => self.pending.push(directive.clone()),
                    directives::Role::Begin => self.regions.push(directive.clone()),
                    directives::Role::End if self.regions.len() > regions => {
                        self.regions.pop();
                    }
                    directives::Role::End | directives::Role::Alone => {}
                }
                continue;
            }
            let before = self.regions.len();
            let mut directives = mem::take(&mut self.pending);
            if matches!(statement.what, Act::Loop(_)) {
                self.pending.extend(directives.pop());
            }
            self.regions.extend(directives);
            self.statement(statement);
            self.regions.truncate(before);
        }
        self.regions.truncate(regions);
        self.pending = pending;
    }

    fn statement(&mut self, one: &Statement) {
        match &one.what {
            Act::Declare(declaration) => self.declaration(declaration),
            Act::Evaluate(expression) => self.evaluate(expression, false),
            Act::Block(body) => self.scoped(|walker| walker.statements(body)),
            Act::LabelledBlock(label, body) => {
                let label = label.clone();
                self.under(ControlKind::Perhaps, |walker| {
                    walker.around.push(Breakable::Block(label));
                    walker.scoped(|walker| walker.statements(body));
                    walker.around.pop();
                });
            }
            Act::If { arms, otherwise } => self.selection(arms, otherwise.as_deref()),
            Act::Select { subject, arms, is_exhaustive, takes_break } => {
                if let Some(subject) = subject {
                    self.evaluate(subject, true);
                }
                self.scoped(|walker| walker.select(arms, *is_exhaustive, *takes_break));
            }
            Act::Loop(text) => self.loop_statement(text),
            Act::Break(label) => self.break_to(one, label.as_deref()),
            Act::Continue(label) => match self.find_loop(label.as_deref()) {
                Some(index) => self.jump(one.at, Jump::Continue(index)),
                None => self.misunderstood(),
            },
            Act::Leave(kind, value) => {
                if let Some(value) = value {
                    self.evaluate(value, true);
                }
                self.jump(one.at, Jump::Leave(*kind));
            }
            Act::Goto(name) => {
                let label = self.label(name);
                self.jump(one.at, Jump::Goto(label));
            }
            Act::Label(name) => {
                let label = self.label(name);
                self.event(one.at, Happening::Label(label));
            }
            Act::Try { body, handlers } => {
                for part in std::iter::once(body).chain(handlers) {
                    self.under(ControlKind::Perhaps, |walker| {
                        walker.scoped(|walker| walker.statements(part))
                    });
                }
            }
            Act::Directive(_) => {}
            Act::Alternatives(branches) => {
                self.in_conditional_compilation();
                self.arms(false, |walker, group| {
                    for branch in branches {
                        walker.arm(group, |walker| walker.statements(branch));
                    }
                });
            }
            Act::Input(targets) => {
                for target in targets {
                    self.input(target);
                }
            }
            Act::Unknown => self.misunderstood(),
        }
    }

    pub(super) fn in_conditional_compilation(&mut self) {
        for around in &self.around {
            if let Breakable::Loop { index, .. } = around {
                self.trace.loops[*index].conditional_compilation = true;
            }
        }
    }

    fn label(&mut self, name: &str) -> usize {
        let next = self.labels.len();
        *self.labels.entry(name.to_owned()).or_insert(next)
    }

    pub(super) fn declaration(&mut self, one: &Declaration) {
        if one.function {
            return;
        }
        let is_rust = self.environment.language == Language::Rust;
        let mut types = words(&one.type_text);
        if is_rust && types.any(|word| self.environment.stateful.contains(word)) {
            self.misunderstood();
        }
        let closure = self.trace.closures.len();
        let class = self.environment.class_of(&one.type_text).filter(|_| self.makes_objects());
        if let Some(value) = &one.value {
            match (class, &value.what) {
                (Some(class), Term::List(arguments)) => self.constructor(value, class, arguments),
                // The element is not read.
                _ if one.storage.reference && !one.storage.constant && subscripted(value).is_some() => {}
                _ => self.evaluate(value, true),
            }
            if one.storage.reference && !one.storage.constant {
                self.share(value, SharingKind::Bound, None);
            }
        }
        if let Some(class) = class.filter(|_| !one.storage.pointer && !one.storage.reference) {
            self.made(one.at, class);
        }
        let variable = self.declare(one, self.header);
        if matches!(one.value, Some(Expression { what: Term::Closure(_), .. })) {
            self.closure_of.insert(variable, closure);
        }
        if self.trace.variables[variable].is_static {
            return;
        }
        if let Some(value) = &one.value {
            let target =
                Expression { what: Term::Name(one.name.clone()), at: one.at, text: value.text.clone() };
            let definition = self.define(&target, DefinitionKind::Declaration, Some(value));
            self.trace.definitions[definition].reads_itself = false;
            let place = self.whole(variable);
            self.event(one.at, Happening::Write(place, definition));
        }
    }

    /// Arms of one condition: `inside` adds them to the group it is given.
    pub(super) fn arms(&mut self, is_exhaustive: bool, inside: impl FnOnce(&mut Self, usize)) {
        let group = self.trace.groups.len();
        self.trace.groups.push(Group { arms: Vec::new(), is_exhaustive, end: usize::MAX });
        inside(self, group);
        self.trace.groups[group].end = self.trace.events.len();
    }

    pub(super) fn arm(&mut self, group: usize, inside: impl FnOnce(&mut Self)) {
        let control = self.under(ControlKind::Arm(group), inside);
        self.trace.groups[group].arms.push(control);
    }

    fn selection(&mut self, arms: &[(Expression, Vec<Statement>)], otherwise: Option<&[Statement]>) {
        if let ([(condition, then)], None) = (arms, otherwise)
            && self.extremum(condition, then)
        {
            return;
        }
        let Some(((first, _), _)) = arms.split_first() else {
            if let Some(otherwise) = otherwise {
                self.statements(otherwise);
            }
            return;
        };
        self.scopes.push(Default::default());
        self.condition(first);
        self.arms(otherwise.is_some(), |walker, group| {
            for (index, (condition, then)) in arms.iter().enumerate() {
                if index > 0 {
                    walker.under(ControlKind::Perhaps, |walker| walker.condition(condition));
                }
                walker.arm(group, |walker| walker.scoped(|walker| walker.statements(then)));
            }
            if let Some(otherwise) = otherwise {
                walker.arm(group, |walker| walker.scoped(|walker| walker.statements(otherwise)));
            }
        });
        self.scopes.pop();
    }

    /// A condition; what it declares stays declared.
    pub(super) fn condition(&mut self, one: &Expression) {
        match &one.what {
            Term::Statements(body) => self.statements(body),
            _ => self.evaluate(one, true),
        }
    }

    /// `if (e > s) s = e;`, perhaps with `k = i;` beside it.
    pub(super) fn extremum(&mut self, condition: &Expression, then: &[Statement]) -> bool {
        let mut assignments = Vec::new();
        for statement in then {
            let Act::Evaluate(Expression {
                what: Term::Assignment { target, operator: None, value }, ..
            }) = &statement.what
            else {
                return false;
            };
            assignments.push((&**target, &**value));
        }
        let found = assignments.iter().enumerate().find_map(|(index, (target, value))| {
            self.guarded_update(condition, target, value).map(|update| (index, update))
        });
        let Some((own, mut update)) = found else { return false };
        let name = self.tight(assignments[own].0);
        let is_own = |(index, (target, value)): (usize, &(&Expression, &Expression))| {
            index == own || (self.tight(target) != name && !self.mentions(value, &name))
        };
        // What comes along is not asked for.
        let is_asked = |(index, (target, _)): (usize, &(&Expression, &Expression))| {
            index != own && self.mentions(condition, &self.tight(target))
        };
        if !assignments.iter().enumerate().all(is_own) || assignments.iter().enumerate().any(is_asked) {
            return false;
        }
        let others = assignments.iter().enumerate().filter(|(index, _)| *index != own);
        update.companions = others.map(|(_, (target, _))| self.tight(target)).collect();
        let (target, value) = assignments[own];
        let definition = self.define(target, DefinitionKind::Plain, Some(value));
        self.trace.definitions[definition].reads_itself = true;
        self.updating.push((name, definition));
        self.evaluate(condition, true);
        self.updating.pop();
        let mut update: Option<Update> = Some(update);
        self.arms(false, |walker, group| {
            walker.arm(group, |walker| {
                for (index, (target, value)) in assignments.iter().enumerate() {
                    if index == own {
                        walker.assign_as(target, value, definition, update.take(), false);
                    } else {
                        walker.assign(target, None, value, false);
                    }
                }
            });
        });
        true
    }

    fn select(&mut self, arms: &[Arm], is_exhaustive: bool, takes_break: bool) {
        self.arms(is_exhaustive, |walker, group| {
            for arm in arms {
                walker.scopes.push(Default::default());
                for binding in &arm.bindings {
                    walker.declaration(binding);
                }
                for guard in &arm.guards {
                    walker.under(ControlKind::Perhaps, |walker| walker.evaluate(guard, true));
                }
                // Declarations of one case are in the scope of the next in C.
                let scope = walker.scopes.pop().unwrap_or_default();
                if let Some(around) = walker.scopes.last_mut() {
                    around.extend(scope);
                }
                walker.arm(group, |walker| {
                    if takes_break {
                        walker.around.push(Breakable::Select { group, control: walker.control });
                    }
                    walker.statements(&arm.body);
                    if takes_break {
                        walker.around.pop();
                    }
                });
            }
        });
    }

    fn break_to(&mut self, one: &Statement, label: Option<&str>) {
        for around in self.around.iter().rev() {
            match around {
                Breakable::Closure => break,
                Breakable::Select { group, control } if label.is_none() => {
                    if *control != self.control {
                        self.trace.groups[*group].is_exhaustive = false;
                    }
                    return;
                }
                Breakable::Loop { index, label: own } if label.is_none() || own.as_deref() == label => {
                    let index = *index;
                    return self.jump(one.at, Jump::Break(index));
                }
                Breakable::Block(own) if Some(own.as_str()) == label => return,
                _ => {}
            }
        }
        self.misunderstood();
    }

    fn find_loop(&self, label: Option<&str>) -> Option<usize> {
        for around in self.around.iter().rev() {
            match around {
                Breakable::Closure => return None,
                Breakable::Loop { index, label: own } if label.is_none() || own.as_deref() == label => {
                    return Some(*index);
                }
                _ => {}
            }
        }
        None
    }

    /// A jump; one that leaves a closure alone leaves no loop around it.
    pub(super) fn jump(&mut self, at: profile::lens::Position, jump: Jump) {
        let leaves_closure = matches!(jump, Jump::Leave(LeaveKind::Return | LeaveKind::Question));
        let within = self.around.iter().rev().take_while(|around| !matches!(around, Breakable::Closure));
        if leaves_closure && !self.closures.is_empty() {
            // Loops of the closure itself are left all the same.
            let own: Vec<usize> = within
                .filter_map(|around| match around {
                    Breakable::Loop { index, .. } => Some(*index),
                    _ => None,
                })
                .collect();
            if let Some(&outermost) = own.last() {
                self.event(at, Happening::Jump(Jump::Break(outermost)));
            }
        } else {
            self.event(at, Happening::Jump(jump));
        }
        let control = self.control;
        self.trace.controls[control].diverts = true;
    }
}
