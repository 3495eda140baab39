//! Functions in the place of which what they assign is read: `add(&s, x)` is `s += x`, `sum.put(x)` is `sum.total += x; sum.count++`.
//!
//! Definition: an *updater* is a function of C, or a method that is defined in its class, that only assigns places which its parameters
//! or its object lead to, values made of parameters, members, constants, arithmetic and calls; a condition may stand around that. It
//! declares nothing, and assigns no parameter itself. What is virtual is none, nor what is defined twice with as many parameters. A call
//! that is a statement of its own is *shown* as what it assigns if its arguments may be evaluated as often as the parameters are named,
//! and none of the values names what is assigned before it is.

use std::collections::{HashMap, HashSet};

use profile::lens::{LeaveKind, StorageMarks};
use tree_sitter::Node;

use super::super::environment::Updater;
use super::super::text::{children, words};
use super::super::written::{Act, Binary, Declaration, Expression, Statement, Term};
use super::C;
use super::accessors::{Use, is_this, lies_in_object};

/// An updater has at most this many statements.
const MOST_STATEMENTS: usize = 8;

/// Its expressions have at most this many parts.
const MOST_PARTS: usize = 120;

/// What is read of the statements of an updater.
struct Reading<'r> {
    parameters: &'r [Declaration],
    members: &'r [Declaration],
    parts: usize,
    statements: usize,
    /// Some of it is evaluated under a condition.
    conditions: bool,
}

impl C<'_> {
    /// What a function assigns, if it does nothing else.
    pub(super) fn updater(
        &self,
        function: Node,
        parameters: &[Declaration],
        members: &[Declaration],
    ) -> Option<Updater> {
        let body = children(function.child_by_field_name("body")?);
        if body.is_empty() || body.len() > MOST_STATEMENTS {
            return None;
        }
        let mut body = self.statements(&body, 1);
        // What it returns nobody asks for where the call is a statement.
        if let Some(Statement { what: Act::Leave(LeaveKind::Return, value), .. }) = body.last() {
            if !value.as_ref().is_none_or(Expression::is_repeatable) {
                return None;
            }
            body.pop();
        }
        let mut reading = Reading { parameters, members, parts: 0, statements: 0, conditions: false };
        let mut calls_methods = false;
        let class = self.class.borrow();
        each_statement(&body, &mut |one| calls_methods |= self.environment.calls_methods(&class, one));
        if body.is_empty()
            || !body.iter().all(|one| reading.is_update(one))
            || calls_methods
            || parameters.iter().any(|own| self.environment.may_construct(own))
        {
            return None;
        }
        let mut constants = HashMap::new();
        each_statement(&body, &mut |whole| self.add_constants(whole, &mut constants));
        let parameters = parameters.to_vec();
        let (is_long, has_conditions) = (reading.statements > 1, reading.conditions);
        Some(Updater { parameters, is_long, has_conditions, body, constants })
    }

    /// What stands for a statement that is an expression, if that is a call of an updater.
    pub(super) fn shown_statement(&self, of: &Expression) -> Option<Vec<Statement>> {
        if self.environment.updaters.is_empty() {
            return None;
        }
        let objects = self.objects.borrow();
        let class_of = |one: &Expression| match &one.what {
            Term::Name(name) => objects.get(name).and_then(Option::as_ref),
            _ => None,
        };
        let (class, name, object, arguments): (String, String, _, &[Expression]) = match &of.what {
            Term::Call { callee, arguments } => match &callee.what {
                Term::Member { base, field, arrow } => match &base.what {
                    Term::Name(this) if this == "this" && *arrow => {
                        (self.class.borrow().clone(), field.clone(), None, arguments)
                    }
                    _ => {
                        let (class, is_pointer) = class_of(base)?;
                        (is_pointer == arrow).then_some(())?;
                        (class.clone(), field.clone(), Some((&**base, *arrow)), arguments)
                    }
                },
                Term::Name(name) if !self.own_names.borrow().contains(name) => {
                    (self.class_of_call(name)?, name.clone(), None, arguments)
                }
                _ => return None,
            },
            // Of classes operators are functions.
            Term::Assignment { target, operator: Some(operator), value } => {
                let (class, false) = class_of(target)? else { return None };
                let name = format!("operator{}=", Binary::Update(*operator).sign()?);
                (class.clone(), name, Some((&**target, false)), std::slice::from_ref(&**value))
            }
            _ => return None,
        };
        if !self.environment.is_certain((&class, &name), arguments) {
            return None;
        }
        let updater = self.environment.updaters.get(&(class, name, arguments.len()))?.as_ref()?;
        self.shown_update(of, updater, object, arguments)
    }

    fn shown_update(
        &self,
        of: &Expression,
        updater: &Updater,
        object: Option<(&Expression, bool)>,
        arguments: &[Expression],
    ) -> Option<Vec<Statement>> {
        let takes = updater.parameters.iter().zip(arguments);
        let is_taken = |(parameter, argument): (&Declaration, &Expression)| {
            let is_place = matches!(
                argument.what,
                Term::Name(_) | Term::Member { .. } | Term::Index { .. } | Term::Dereference(_)
            );
            let is_once =
                !updater.is_long && !updater.has_conditions && count(&updater.body, &parameter.name) == 1;
            (is_once && argument.calls_alone() || argument.is_repeatable())
                && (!parameter.storage.reference || is_place || is_once)
        };
        if !takes.into_iter().all(is_taken) {
            return None;
        }
        let parameters: Vec<String> = updater.parameters.iter().map(|own| own.name.clone()).collect();
        let used = Use {
            parameters: &parameters,
            constants: &updater.constants,
            globals: &HashSet::new(),
            object,
            arguments,
            at: of.at,
        };
        let body: Vec<Statement> =
            updater.body.iter().map(|one| self.update(one, &used)).collect::<Option<_>>()?;
        if updater.is_long {
            // A value that is asked for again may have been assigned meanwhile.
            let mut assigned = HashSet::new();
            each_target(&body, &mut |target| assigned.extend(root(target).map(str::to_owned)));
            let values = arguments.iter().zip(&updater.parameters);
            let mut asked = values.flat_map(|(argument, parameter)| {
                let mut names = argument.names();
                if let Some(own) = place(argument, &parameter.storage).and_then(root) {
                    names.retain(|name| name != own);
                }
                names
            });
            if asked.any(|name| assigned.contains(&name)) {
                return None;
            }
        }
        Some(body)
    }

    /// A statement of an updater, where that is called.
    fn update(&self, of: &Statement, used: &Use<'_>) -> Option<Statement> {
        let all = |of: &[Statement]| of.iter().map(|one| self.update(one, used)).collect::<Option<Vec<_>>>();
        let what = match &of.what {
            Act::Evaluate(value) => Act::Evaluate(self.assigned(value, used)?),
            Act::Block(body) => Act::Block(all(body)?),
            Act::If { arms, otherwise } => {
                let arms =
                    arms.iter().map(|(condition, body)| Some((self.part(condition, used)?, all(body)?)));
                let arms = arms.collect::<Option<_>>()?;
                let otherwise = match otherwise {
                    Some(body) => Some(all(body)?),
                    None => None,
                };
                Act::If { arms, otherwise }
            }
            _ => return None,
        };
        Some(Statement { what, at: used.at })
    }

    fn assigned(&self, of: &Expression, used: &Use<'_>) -> Option<Expression> {
        let target = |target: &Expression| {
            let target = self.part(target, used)?;
            let is_place = matches!(
                target.what,
                Term::Name(_) | Term::Member { .. } | Term::Index { .. } | Term::Dereference(_)
            );
            is_place.then(|| Box::new(target))
        };
        let spell = |one: &Expression| self.text.range(&one.text);
        let (what, text) = match &of.what {
            Term::Assignment { target: to, operator, value } => {
                let (target, value) = (target(to)?, Box::new(self.part(value, used)?));
                let sign = operator.and_then(|own| Binary::Update(own).sign()).unwrap_or_default();
                let text = format!("{} {sign}= {}", spell(&target), spell(&value));
                (Term::Assignment { target, operator: *operator, value }, text)
            }
            Term::Step { target: to, by } => {
                let target = target(to)?;
                let text = format!("{} += {by}", spell(&target));
                (Term::Step { target, by: *by }, text)
            }
            _ => return None,
        };
        Some(Expression { what, at: used.at, text: self.text.add(&text) })
    }
}

impl Reading<'_> {
    fn is_update(&mut self, of: &Statement) -> bool {
        self.statements += 1;
        match &of.what {
            Act::Evaluate(Expression { what: Term::Assignment { target, value, .. }, .. }) => {
                self.is_target(target) && !self.is_converted(target, value) && self.is_value(value)
            }
            Act::Evaluate(Expression { what: Term::Step { target, .. }, .. }) => self.is_target(target),
            Act::Block(body) => {
                self.statements -= 1;
                body.iter().all(|one| self.is_update(one))
            }
            Act::If { arms, otherwise } => {
                self.conditions = true;
                // A condition and what stands behind it are one, as long as nothing else follows.
                self.statements -= usize::from(arms.len() == 1 && otherwise.is_none());
                arms.iter().all(|(condition, body)| {
                    self.is_value(condition) && body.iter().all(|one| self.is_update(one))
                }) && otherwise.iter().flatten().all(|one| self.is_update(one))
            }
            _ => false,
        }
    }

    /// Whether something that is assigned is no parameter itself, but lies where one leads to, or in the object.
    fn is_target(&mut self, of: &Expression) -> bool {
        self.is_reached(of) && root(of).is_some() && self.is_value(of)
    }

    fn is_reached(&self, of: &Expression) -> bool {
        match &of.what {
            Term::Name(name) => {
                let parameter = self.parameters.iter().find(|own| own.name == *name);
                match parameter {
                    Some(own) => own.storage.reference,
                    None => self.is_member(name),
                }
            }
            // Of a parameter that is a copy nobody else has the members.
            Term::Member { base, arrow, .. } => *arrow || is_this(base) || self.is_reached(base),
            Term::Index { .. } | Term::Dereference(_) => true,
            _ => false,
        }
    }

    /// Whether an integer is made of a floating-point number: that is converted here, not where the function is called.
    fn is_converted(&self, target: &Expression, value: &Expression) -> bool {
        let is_of_integers = root(target).is_some_and(|name| {
            let mut known = self.parameters.iter().chain(self.members);
            known.any(|own| own.name == name && is_integer(&own.type_text))
        });
        let names = value.names();
        let is_named = |own: &&Declaration| names.contains(&own.name);
        is_of_integers && self.parameters.iter().filter(is_named).any(|own| is_fraction(&own.type_text))
    }

    fn is_member(&self, name: &str) -> bool {
        lies_in_object(self.members, name)
    }

    fn is_value(&mut self, of: &Expression) -> bool {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return false;
        }
        let is_understood = match &of.what {
            Term::Name(name) => {
                return self.parameters.iter().any(|own| own.name == *name) || self.is_member(name);
            }
            Term::Member { base, field, .. } if is_this(base) => return self.is_member(field),
            Term::Chain { rest, .. } => {
                self.conditions |= rest.iter().any(|(operator, _)| operator.is_logical());
                rest.iter().all(|(operator, _)| operator.sign().is_some())
            }
            Term::Call { callee, arguments } => {
                let Term::Name(name) = &callee.what else { return false };
                let is_function =
                    !self.parameters.iter().any(|own| own.name == *name) && !self.is_member(name);
                return is_function && arguments.iter().all(|one| self.is_value(one));
            }
            Term::Choice { .. } => {
                self.conditions = true;
                true
            }
            Term::Member { .. }
            | Term::Index { .. }
            | Term::Negative(_)
            | Term::Not(_)
            | Term::Dereference(_)
            | Term::Address { .. }
            | Term::Cast { .. }
            | Term::Integer(_)
            | Term::Constant => true,
            _ => false,
        };
        is_understood && of.parts().into_iter().all(|part| self.is_value(part))
    }
}

fn is_fraction(type_text: &str) -> bool {
    words(type_text).any(|word| matches!(word, "float" | "double"))
}

fn is_integer(type_text: &str) -> bool {
    !is_fraction(type_text)
        && words(type_text).any(|word| {
            matches!(word, "int" | "long" | "short" | "char" | "unsigned" | "signed" | "bool" | "size_t")
                || word.ends_with("_t")
        })
}

/// What an argument lets a function assign: a reference what it is bound to, an address what lies there, and a pointer as well.
fn place<'a>(argument: &'a Expression, parameter: &StorageMarks) -> Option<&'a Expression> {
    match &argument.what {
        Term::Address { of, .. } => Some(of),
        Term::Name(_) if parameter.pointer => Some(argument),
        _ => parameter.reference.then_some(argument),
    }
}

/// The variable that a place begins with.
fn root(of: &Expression) -> Option<&str> {
    match &of.what {
        Term::Name(name) => Some(name),
        Term::Member { base, .. } | Term::Index { base, .. } => root(base),
        Term::Chain { first: of, .. } | Term::Dereference(of) => root(of),
        _ => None,
    }
}

fn each_statement(of: &[Statement], visit: &mut dyn FnMut(&Expression)) {
    for one in of {
        match &one.what {
            Act::Evaluate(value) => visit(value),
            Act::Block(body) => each_statement(body, visit),
            Act::If { arms, otherwise } => {
                for (condition, body) in arms {
                    visit(condition);
                    each_statement(body, visit);
                }
                each_statement(otherwise.as_deref().unwrap_or_default(), visit);
            }
            _ => {}
        }
    }
}

fn each_expression(of: &[Statement], visit: &mut dyn FnMut(&Expression)) {
    each_statement(of, &mut |whole| {
        let mut open = vec![whole];
        while let Some(one) = open.pop() {
            visit(one);
            open.extend(one.parts());
        }
    });
}

fn each_target(of: &[Statement], visit: &mut dyn FnMut(&Expression)) {
    each_statement(of, &mut |whole| {
        if let Term::Assignment { target, .. } | Term::Step { target, .. } = &whole.what {
            visit(target);
        }
    });
}

/// How often a name stands in statements.
fn count(of: &[Statement], name: &str) -> usize {
    let mut count = 0;
    each_expression(of, &mut |one| {
        count += usize::from(matches!(&one.what, Term::Name(own) if own == name));
    });
    count
}
