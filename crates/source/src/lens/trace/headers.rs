//! Loops as events: what their headers start, test and advance.

use profile::lens::{Advanced, DefinitionKind, Language, LoopKind, NotCanonical, Operator, SharingKind};

use super::super::directives;
use super::super::written::{
    Act, Binary, Count, Counter, Declaration, Expression, Header, LoopText, Statement, Term,
};
use super::updates::not;
use super::{ControlKind, Happening, IteratorText, LoopTrace, Walker, affine, known};

/// One variable that a header advances.
struct Step {
    variable: usize,
    name: String,
    text: String,
    value: Option<i64>,
    by: Option<Expression>,
}

/// Whether statements are one loop, in braces or not, and nothing else.
fn is_one_loop(body: &[Statement]) -> bool {
    match body {
        [one] => match &one.what {
            Act::Loop(_) => true,
            Act::Block(inside) => is_one_loop(inside),
            _ => false,
        },
        _ => false,
    }
}

impl Walker<'_> {
    /// A loop.
    pub(super) fn loop_statement(&mut self, one: &LoopText) {
        let directive = self.pending.pop();
        let in_parallel = self.regions.iter().rfind(|region| directives::is_parallel(region)).cloned();
        let index = self.trace.loops.len();
        let events = self.trace.events.len();
        self.trace.loops.push(LoopTrace {
            kind: one.kind,
            label: one.label.clone(),
            at: one.at,
            header_last_line: one.header_last_line,
            end: one.end,
            body_place: one.body_place,
            is_around_one: is_one_loop(&one.body),
            in_macro: one.in_macro,
            conditional_compilation: one.conditional_compilation,
            errors: one.errors,
            parent: self.current_loop(),
            control: self.control,
            body: self.control,
            first: events,
            iteration: events,
            last: events,
            step: (events, events),
            iterators: Vec::new(),
            advanced: Vec::new(),
            form: Some(NotCanonical::Kind),
            bound_reads: Vec::new(),
            bound_is_open: false,
            looked_up: Vec::new(),
            directive: directive.clone(),
            in_parallel,
        });
        if one.conditional_compilation {
            self.in_conditional_compilation();
        }
        if one.errors {
            self.misunderstood();
        }
        let regions = self.regions.len();
        self.regions.extend(directive);
        self.around_loop(index, one.label.clone(), |walker| walker.rounds(index, one));
        self.regions.truncate(regions);
        self.trace.loops[index].last = self.trace.events.len();
    }

    fn in_header(&mut self, inside: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.header, true);
        inside(self);
        self.header = before;
    }

    fn rounds(&mut self, index: usize, one: &LoopText) {
        match &one.header {
            Header::For { start, test, step } => {
                self.in_header(|walker| walker.statements(start));
                self.begin_rounds(index);
                if let Some(test) = test {
                    self.in_header(|walker| walker.condition(test));
                }
                self.round(index, false, |walker| {
                    walker.loop_body(&one.body);
                    if let Some(step) = step {
                        let begun = walker.trace.events.len();
                        walker.in_header(|walker| walker.evaluate(step, false));
                        walker.trace.loops[index].step = (begun, walker.trace.events.len());
                    }
                });
                self.for_header(index, start, test.as_ref(), step.as_ref());
            }
            Header::Each { before, bindings, container, adapters, is_canonical } => {
                self.in_header(|walker| {
                    walker.statements(before);
                    walker.evaluate(container, true);
                    if bindings.iter().any(|one| one.storage.reference && !one.storage.constant) {
                        walker.share(container, SharingKind::Bound, None);
                    }
                });
                self.begin_rounds(index);
                let bound = Some(self.text.range(&container.text));
                self.round(index, false, |walker| {
                    let begun = walker.trace.events.len();
                    for binding in bindings {
                        let variable = walker.iterate(binding);
                        walker.trace.loops[index].iterators.push(IteratorText {
                            variable,
                            start: None,
                            bound: bound.clone(),
                            comparison: None,
                            step: None,
                            step_value: None,
                            adapters: adapters.clone(),
                        });
                    }
                    walker.trace.loops[index].step = (begun, walker.trace.events.len());
                    walker.loop_body(&one.body);
                });
                let is_canonical = *is_canonical && self.is_random_access(container);
                self.trace.loops[index].form = (!is_canonical).then_some(NotCanonical::Kind);
                // The container is evaluated once: what it calls does not matter, what the body does to it does.
                if self.environment.language == Language::Cpp {
                    self.bound(index, Some(container));
                    self.trace.loops[index].bound_is_open = false;
                }
            }
            Header::Counted(counts) => self.counted(index, one, counts),
            Header::While(test) => {
                self.begin_rounds(index);
                self.look_up(index, test, false);
                self.in_header(|walker| walker.condition(test));
                self.round(index, false, |walker| walker.loop_body(&one.body));
            }
            Header::DoWhile(test) => {
                self.begin_rounds(index);
                self.round(index, true, |walker| walker.loop_body(&one.body));
                self.look_up(index, test, false);
                self.in_header(|walker| walker.condition(test));
            }
            Header::Forever => {
                self.begin_rounds(index);
                self.round(index, true, |walker| walker.loop_body(&one.body));
            }
            Header::Whole => {
                self.begin_rounds(index);
                self.round(index, false, |walker| walker.loop_body(&one.body));
            }
            Header::Adapters(receiver) => {
                self.in_header(|walker| walker.evaluate(receiver, true));
                self.begin_rounds(index);
                self.round(index, false, |walker| walker.loop_body(&one.body));
            }
        }
    }

    /// Whether the elements of a container can be counted off, as far as its type is known.
    fn is_random_access(&self, container: &Expression) -> bool {
        const OTHERS: [&str; 6] = ["list", "forward_list", "map", "set", "multimap", "multiset"];
        if self.environment.language != Language::Cpp {
            return true;
        }
        let is_of_file = |text: &str| self.environment.type_of(text).is_some();
        match &container.what {
            Term::Name(name) => self.declared(name).is_none_or(|index| {
                let own = &self.trace.variables[index];
                let mut words = own.type_text.split(|c: char| !c.is_alphanumeric() && c != '_');
                own.array
                    || !is_of_file(&own.type_text)
                        && !words.any(|word| OTHERS.contains(&word.trim_start_matches("unordered_")))
            }),
            Term::Call { callee, .. } => !is_of_file(&self.tight(callee)),
            Term::List(_) => false,
            _ => true,
        }
    }

    fn begin_rounds(&mut self, index: usize) {
        self.trace.loops[index].iteration = self.trace.events.len();
    }

    fn round(&mut self, index: usize, at_least_once: bool, inside: impl FnOnce(&mut Self)) {
        self.under(ControlKind::Body(at_least_once), |walker| {
            walker.trace.loops[index].body = walker.control;
            inside(walker);
        });
    }

    fn loop_body(&mut self, body: &[Statement]) {
        let header = std::mem::replace(&mut self.header, false);
        self.scoped(|walker| match body.iter().rposition(|one| skipped(one).is_some()) {
            Some(at) if !body.iter().any(|one| matches!(one.what, Act::Directive(_))) => {
                let (before, from) = body.split_at(at);
                walker.statements(before);
                let is_extremum = from.split_first().is_some_and(|(guard, rest)| {
                    skipped(guard).is_some_and(|condition| walker.extremum(&not(condition), rest))
                });
                if !is_extremum {
                    walker.statements(from);
                }
            }
            _ => walker.statements(body),
        });
        self.header = header;
    }

    /// A variable that is given a new value in each iteration.
    fn iterate(&mut self, binding: &Declaration) -> usize {
        let variable = self.declare(binding, true);
        let target = named(&binding.name, binding.at);
        let definition = self.define(&target, DefinitionKind::Iteration, None);
        self.trace.definitions[definition].header = true;
        let place = self.whole(variable);
        self.event(binding.at, Happening::Write(place, definition));
        variable
    }

    fn counted(&mut self, index: usize, one: &LoopText, counts: &[Count]) {
        self.in_header(|walker| {
            for count in counts {
                for part in [&count.start, &count.end, &count.step].into_iter().flatten() {
                    walker.evaluate(part, true);
                }
                // The first value is assigned even if no iteration runs.
                if let Counter::Existing(target) = &count.iterator {
                    let definition = walker.define(target, DefinitionKind::Iteration, count.start.as_ref());
                    walker.store(target, definition, None, false);
                }
            }
        });
        self.begin_rounds(index);
        self.round(index, false, |walker| {
            let begun = walker.trace.events.len();
            for count in counts {
                let variable = match &count.iterator {
                    Counter::Declared(declaration) => walker.iterate(declaration),
                    Counter::Existing(target) => {
                        let definition = walker.define(target, DefinitionKind::Iteration, None);
                        walker.trace.definitions[definition].header = true;
                        walker.store(target, definition, None, false);
                        let Some(variable) = walker.root(target) else { continue };
                        variable
                    }
                };
                let text =
                    |part: &Option<Expression>| part.as_ref().map(|part| walker.text.range(&part.text));
                let step_value = match &count.step {
                    Some(step) => constant(step),
                    None => Some(1),
                };
                let iterator = IteratorText {
                    variable,
                    start: text(&count.start),
                    bound: text(&count.end),
                    comparison: Some(count.comparison.to_owned()),
                    step: text(&count.step).or(Some("1".to_owned())),
                    step_value,
                    adapters: count.adapters.clone(),
                };
                walker.trace.loops[index].iterators.push(iterator);
            }
            walker.trace.loops[index].step = (begun, walker.trace.events.len());
            walker.loop_body(&one.body);
        });
        let is_canonical = one.kind != LoopKind::ForAll;
        self.trace.loops[index].form = (!is_canonical).then_some(NotCanonical::Kind);
    }

    fn for_header(
        &mut self,
        index: usize,
        start: &[Statement],
        test: Option<&Expression>,
        step: Option<&Expression>,
    ) {
        let mut steps = Vec::new();
        if let Some(step) = step {
            self.steps(step, &mut steps);
        }
        let starts = starts(start);
        let tested = test.and_then(|test| self.tested(test, &steps));
        test.into_iter().for_each(|test| self.look_up(index, test, false));
        let own = tested.as_ref().map(|tested| tested.0).or((!steps.is_empty()).then_some(0));
        let form = self.form(&starts, tested.as_ref(), &steps, step);
        self.trace.loops[index].form = form;
        let text = |of: &Expression| self.text.range(&of.text);
        let first =
            |name: &str| starts.iter().find(|start| start.0 == name).and_then(|start| start.1).map(text);
        let mut advanced = Vec::new();
        let mut iterator = None;
        for (at, step) in steps.iter().enumerate() {
            if Some(at) == own {
                iterator = Some(IteratorText {
                    variable: step.variable,
                    start: first(&step.name),
                    bound: tested.as_ref().map(|tested| text(tested.2)),
                    comparison: tested.as_ref().and_then(|tested| tested.1.comparison()).map(str::to_owned),
                    step: Some(step.text.clone()),
                    step_value: step.value,
                    adapters: Vec::new(),
                });
            } else {
                let one = Advanced {
                    name: step.name.clone(),
                    home: profile::lens::Home::Unknown,
                    start: first(&step.name),
                    step: step.text.clone(),
                    step_value: step.value,
                };
                advanced.push((step.variable, one));
            }
        }
        self.trace.loops[index].iterators.extend(iterator);
        self.trace.loops[index].advanced = advanced;
        self.bound(index, tested.as_ref().map(|tested| tested.2));
        let by = own.and_then(|own| steps.swap_remove(own).by);
        self.bound(index, by.as_ref());
    }

    fn form(
        &self,
        starts: &[(String, Option<&Expression>)],
        tested: Option<&(usize, Binary, &Expression)>,
        steps: &[Step],
        step: Option<&Expression>,
    ) -> Option<NotCanonical> {
        let Some(&(own, comparison, _)) = tested else {
            return Some(if starts.is_empty() { NotCanonical::Start } else { NotCanonical::Test });
        };
        let own = &steps[own];
        // `int i{0}` and `int i(0)` are no assignments.
        let is_assigned = |value: &&Expression| !matches!(value.what, Term::List(_));
        let first = starts.iter().find(|start| start.0 == own.name).and_then(|start| start.1);
        let Some(first) = first else { return Some(NotCanonical::Start) };
        if steps.len() > 1 || step.is_some_and(|step| matches!(step.what, Term::List(_))) {
            return Some(NotCanonical::SeveralSteps);
        }
        let is_towards = match comparison {
            Binary::Less | Binary::LessEqual => own.value.is_none_or(|value| value > 0),
            Binary::Greater | Binary::GreaterEqual => own.value.is_none_or(|value| value < 0),
            _ => matches!(own.value, Some(1 | -1)),
        };
        if !is_towards {
            return Some(NotCanonical::Step);
        }
        if starts.len() > 1 {
            return Some(NotCanonical::SeveralStarts);
        }
        if !is_assigned(&first) {
            return Some(NotCanonical::Initialiser);
        }
        let variable = &self.trace.variables[own.variable];
        let words = variable.type_text.split(|c: char| !c.is_alphanumeric() && c != '_');
        // An enumeration is no integer in C++, and compilers refuse it in C too.
        if !variable.storage.pointer && variable.type_text.split_whitespace().any(|word| word == "enum") {
            return Some(NotCanonical::Type);
        }
        let is_float = !variable.storage.pointer
            && words.into_iter().any(|word| matches!(word, "float" | "double" | "bool" | "_Bool"));
        if is_float {
            return Some(NotCanonical::Type);
        }
        tested.is_some_and(|tested| self.is_floating(tested.2)).then_some(NotCanonical::BoundType)
    }

    /// Whether the value of a bound is a floating-point number: by its variables, literals and functions, if it is not converted.
    fn is_floating(&self, of: &Expression) -> bool {
        let text = self.tight(of);
        let converted =
            ["(int)", "(long", "(size_t)", "(unsigned", "int(", "static_cast<", "lround(", "lrint("];
        if converted.iter().any(|start| text.starts_with(start)) {
            return false;
        }
        match &of.what {
            Term::Name(name) => self.declared(name).is_some_and(|index| {
                let one = &self.trace.variables[index];
                let mut words = one.type_text.split(|c: char| !c.is_alphanumeric() && c != '_');
                !one.storage.pointer && !one.array && words.any(|word| matches!(word, "float" | "double"))
            }),
            Term::Constant => {
                text.contains('.') && text.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            }
            Term::Call { callee, .. } => {
                let name = self.tight(callee);
                name != "abs" && known::is_mathematical(&name)
            }
            Term::Negative(inner) | Term::Cast { of: inner, .. } => self.is_floating(inner),
            Term::Chain { first, rest } => {
                self.is_floating(first) || rest.iter().any(|(_, operand)| self.is_floating(operand))
            }
            _ => false,
        }
    }

    /// The variables that an expression advances by addition.
    fn steps(&mut self, of: &Expression, out: &mut Vec<Step>) {
        let text = self.text.range(&of.text);
        match &of.what {
            Term::List(parts) => {
                for part in parts {
                    self.steps(part, out);
                }
            }
            Term::Step { target, by } => {
                let by = *by;
                if let Some(variable) = self.whole_variable(target) {
                    let text = by.to_string();
                    out.push(Step { variable, name: self.tight(target), text, value: Some(by), by: None });
                }
            }
            Term::Assignment { target, operator, value } => {
                let Some(variable) = self.whole_variable(target) else { return };
                let name = self.tight(target);
                let (text, by, sign) = match operator {
                    Some(Operator::Add) => (self.text.range(&value.text), (**value).clone(), 1),
                    Some(Operator::Subtract) => {
                        (format!("-{}", self.text.range(&value.text)), (**value).clone(), -1)
                    }
                    None => match sum_with(value, &|part| self.tight(part) == name) {
                        Some((part, sign)) => {
                            let text = self.text.range(&part.text);
                            (if sign < 0 { format!("-{text}") } else { text }, part.clone(), sign)
                        }
                        None => {
                            out.push(Step { variable, name, text, value: Some(0), by: None });
                            return;
                        }
                    },
                    Some(_) => {
                        out.push(Step { variable, name, text, value: Some(0), by: None });
                        return;
                    }
                };
                let value = constant(&by).and_then(|value| value.checked_mul(sign));
                out.push(Step { variable, name, text, value, by: Some(by) });
            }
            _ => {}
        }
    }

    fn whole_variable(&mut self, target: &Expression) -> Option<usize> {
        let Term::Name(name) = &target.what else { return None };
        Some(self.resolve(name))
    }

    /// Which of the variables a test compares, how, and with what.
    fn tested<'e>(&self, test: &'e Expression, steps: &[Step]) -> Option<(usize, Binary, &'e Expression)> {
        let Term::Chain { first, rest } = &test.what else { return None };
        let [(comparison, second)] = rest.as_slice() else { return None };
        comparison.comparison()?;
        let find = |side: &Expression| {
            let name = self.tight(side);
            steps.iter().position(|step| step.name == name)
        };
        match (find(first), find(second)) {
            (Some(own), _) => Some((own, *comparison, second)),
            (None, Some(own)) => Some((own, comparison.mirrored(), first)),
            _ => None,
        }
    }

    /// Notes the variables of what a test looks up: elements, and what pointers lead to.
    fn look_up(&mut self, index: usize, of: &Expression, is_place: bool) {
        if let (true, Term::Name(name)) = (is_place, &of.what) {
            let variable = self.resolve(name);
            self.trace.loops[index].looked_up.push(variable);
        }
        let leads =
            matches!(of.what, Term::Index { .. } | Term::Dereference(_) | Term::Member { arrow: true, .. });
        for part in of.parts() {
            self.look_up(index, part, is_place || leads);
        }
    }

    /// Notes what a bound or a step is computed from.
    fn bound(&mut self, index: usize, of: Option<&Expression>) {
        let Some(of) = of else { return };
        let mut open = false;
        let mut reads = Vec::new();
        self.sources(of, &mut reads, &mut open);
        let one = &mut self.trace.loops[index];
        one.bound_reads.extend(reads);
        one.bound_is_open |= open;
    }

    fn sources(&mut self, of: &Expression, reads: &mut Vec<usize>, open: &mut bool) {
        match &of.what {
            Term::Name(name) => reads.push(self.resolve(name)),
            Term::Call { callee, arguments } => {
                let is_known = match &callee.what {
                    Term::Member { base, field, .. } => {
                        self.sources(base, reads, open);
                        known::only_reads(field)
                            || matches!(field.as_str(), "begin" | "rbegin" | "data" | "rend")
                    }
                    Term::Name(name) => known::takes_values(name, self.environment.language),
                    _ => false,
                };
                *open |= !is_known;
                for argument in arguments {
                    self.sources(argument, reads, open);
                }
            }
            Term::Assignment { .. } | Term::Step { .. } | Term::Unknown | Term::Closure(_) => *open = true,
            Term::Member { .. } if self.place(of).is_some() => {
                let variable = self.place(of).map(|place| self.trace.places[place].variable);
                reads.extend(variable);
            }
            _ => {
                for part in of.parts() {
                    self.sources(part, reads, open);
                }
            }
        }
    }
}

/// The value of a constant expression.
fn constant(of: &Expression) -> Option<i64> {
    let found = affine(of, &|_| String::new())?;
    found.terms.is_empty().then_some(found.constant)
}

fn named(name: &str, at: profile::lens::Position) -> Expression {
    Expression { what: Term::Name(name.to_owned()), at, text: 0..0 }
}

/// `e` of `s + e`, `e + s` and `s - e`, and its sign.
fn sum_with<'e>(of: &'e Expression, is_own: &dyn Fn(&Expression) -> bool) -> Option<(&'e Expression, i64)> {
    let Term::Chain { first, rest } = &of.what else { return None };
    let [(Binary::Update(operator), second)] = rest.as_slice() else { return None };
    match operator {
        Operator::Add if is_own(first) => Some((second, 1)),
        Operator::Add if is_own(second) => Some((first, 1)),
        Operator::Subtract if is_own(first) => Some((second, -1)),
        _ => None,
    }
}

/// The variables that a header starts, with their first values.
fn starts(statements: &[Statement]) -> Vec<(String, Option<&Expression>)> {
    let mut out = Vec::new();
    for statement in statements {
        match &statement.what {
            Act::Declare(one) => out.push((one.name.clone(), one.value.as_ref())),
            Act::Evaluate(one) => assignments(one, &mut out),
            _ => {}
        }
    }
    out
}

fn assignments<'e>(of: &'e Expression, out: &mut Vec<(String, Option<&'e Expression>)>) {
    match &of.what {
        Term::Assignment { target, operator: None, value } => {
            if let Term::Name(name) = &target.what {
                out.push((name.clone(), Some(value)));
            }
        }
        Term::List(parts) => {
            for part in parts {
                assignments(part, out);
            }
        }
        _ => {}
    }
}

/// The condition under which `if (condition) continue;` skips what is left of the body.
fn skipped(one: &Statement) -> Option<&Expression> {
    let Act::If { arms, otherwise: None } = &one.what else { return None };
    let [(condition, then)] = &arms[..] else { return None };
    let mut then = &then[..];
    // The statement may stand in braces.
    while let [Statement { what: Act::Block(body), .. }] = then {
        then = body;
    }
    matches!(then, [Statement { what: Act::Continue(None), .. }]).then_some(condition)
}
