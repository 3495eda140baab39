//! What is said of each loop, drawn from the events of its function.

mod arrays;
mod canonical;
mod leaves;
mod scalars;

use std::cell::Cell;

use profile::lens::{
    Call, Closure, Home, InMacro, InnerIterator, Iterator as LoopIterator, SharingKind, SourceLoop,
};

use super::trace::{Control, ControlKind, Declared, Happening, Jump, Trace};
use super::written::{FunctionText, Kept};

/// Events that are looked at for one file, at most; loops beyond are said to have errors.
const MOST_WORK: usize = 30_000_000;
/// Facts that are kept of one file, at most.
const MOST_FACTS: usize = 600_000;

/// What may still be spent on a file.
pub(super) struct Budget {
    work: usize,
    facts: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { work: MOST_WORK, facts: MOST_FACTS }
    }
}

impl Budget {
    fn take(&mut self, work: usize, facts: usize) -> bool {
        let enough = self.work >= work && self.facts >= facts;
        self.work = self.work.saturating_sub(work);
        self.facts = self.facts.saturating_sub(facts);
        enough
    }
}

/// Draws the summaries of a function's loops.
pub(super) struct Summary<'t> {
    trace: &'t Trace,
    /// Per variable, its events.
    by_variable: Vec<Vec<usize>>,
    /// Events that jump inside the function, in order.
    jumps: Vec<usize>,
    /// The function has labels, or jumps to them.
    has_labels: bool,
    /// Per label, its events.
    labels: Vec<Vec<usize>>,
    /// Per variable, whether something may keep its address.
    exposed: Vec<bool>,
    /// What the file makes other names for.
    kept: &'t Kept,
    /// Events looked at, beyond those of each loop once.
    spent: Cell<usize>,
}

/// A loop's own part of the events.
struct Round {
    index: usize,
    /// First jump out of the iteration: what follows may not run.
    skipped: usize,
    /// It has labels, or jumps to them.
    jumps: bool,
}

impl<'t> Summary<'t> {
    /// The loops of a function; `base` is the number of loops before them in the file. `false` if some were cut short.
    pub(super) fn loops(
        trace: &'t Trace,
        (function, kept): (&FunctionText, &'t Kept),
        base: usize,
        budget: &mut Budget,
        out: &mut Vec<SourceLoop>,
    ) -> bool {
        let summary = Summary::new(trace, kept);
        let mut whole = true;
        for index in 0..trace.loops.len() {
            let mut one = summary.bare(index, function, base);
            let text = &trace.loops[index];
            if summary.spent.get() < MOST_WORK && budget.take((text.last - text.first) * 2 + 20, 1) {
                summary.fill(index, base, &mut one);
                let facts = one.arrays.iter().map(|array| array.accesses.len()).sum::<usize>()
                    + one
                        .scalars
                        .iter()
                        .map(|s| s.definitions.len() + s.reads.len() + s.shared.len())
                        .sum::<usize>()
                    + one.calls.len();
                if summary.spent.get() < MOST_WORK && budget.take(summary.spent.take(), facts) {
                    out.push(one);
                    continue;
                }
                one = summary.bare(index, function, base);
            }
            whole = false;
            one.errors = true;
            out.push(one);
        }
        whole
    }

    fn new(trace: &'t Trace, kept: &'t Kept) -> Summary<'t> {
        let mut by_variable = vec![Vec::new(); trace.variables.len()];
        let mut jumps = Vec::new();
        let mut has_labels = false;
        let mut labels: Vec<Vec<usize>> = Vec::new();
        let mut exposed = vec![false; trace.variables.len()];
        for (at, event) in trace.events.iter().enumerate() {
            match event.what {
                Happening::Read(place, _) | Happening::Write(place, _) | Happening::Share(place, ..) => {
                    let variable = trace.places[place].variable;
                    by_variable[variable].push(at);
                    exposed[variable] |= matches!(
                        event.what,
                        Happening::Share(
                            _,
                            SharingKind::Address
                                | SharingKind::ReadOnlyAddress
                                | SharingKind::Capture
                                | SharingKind::Bound,
                            _
                        )
                    );
                }
                Happening::Begin(variable) => by_variable[variable].push(at),
                Happening::Access(access) => {
                    if let Some(variable) = trace.accesses[access].variable {
                        by_variable[variable].push(at);
                    }
                }
                Happening::Jump(Jump::Break(_) | Jump::Continue(_)) => jumps.push(at),
                Happening::Jump(Jump::Goto(_)) => has_labels = true,
                Happening::Label(label) => {
                    has_labels = true;
                    labels.resize_with(labels.len().max(label + 1), Vec::new);
                    labels[label].push(at);
                }
                Happening::Call(_) | Happening::Closure(_) | Happening::Jump(Jump::Leave(_)) => {}
            }
        }
        Summary { trace, by_variable, jumps, has_labels, labels, exposed, kept, spent: Cell::new(0) }
    }

    /// A loop's place, and nothing of what it does.
    fn bare(&self, index: usize, function: &FunctionText, base: usize) -> SourceLoop {
        let text = &self.trace.loops[index];
        let number = |index: usize| u32::try_from(base + index).unwrap_or(u32::MAX);
        SourceLoop {
            kind: text.kind,
            at: text.at,
            leads_line: true,
            header_last_line: text.header_last_line,
            end: text.end,
            body: text.body_place,
            is_around_one: text.is_around_one,
            conditional: text
                .parent
                .is_some_and(|around| self.is_perhaps(&self.round(around), text.first, text.control)),
            function: (!function.name.is_empty()).then(|| function.name.clone()),
            parent: text.parent.map(number),
            depth: u32::try_from(self.ancestors(index).count() - 1).unwrap_or(u32::MAX),
            label: text.label.clone(),
            in_macro: if function.in_macro == InMacro::No { text.in_macro } else { function.in_macro },
            conditional_compilation: text.conditional_compilation || function.conditional_compilation,
            errors: text.errors,
            canonical: profile::lens::Canonical::No(profile::lens::NotCanonical::Kind),
            iterators: Vec::new(),
            advanced: Vec::new(),
            scalars: Vec::new(),
            arrays: Vec::new(),
            calls: Vec::new(),
            closures: Vec::new(),
            leaves: Vec::new(),
            directive: text.directive.clone(),
            in_parallel: text.in_parallel.clone(),
            inner_iterators: Vec::new(),
            jumps: false,
            thread_locals: Vec::new(),
        }
    }

    fn fill(&self, index: usize, base: usize, one: &mut SourceLoop) {
        let text = &self.trace.loops[index];
        let round = self.round(index);
        one.jumps = round.jumps;
        one.leaves = self.leaves(index);
        one.canonical = self.canonical(index);
        one.iterators = text.iterators.iter().map(|iterator| self.iterator(index, iterator)).collect();
        for (variable, advanced) in &text.advanced {
            let mut advanced = advanced.clone();
            advanced.home = self.home(*variable, index);
            one.advanced.push(advanced);
        }
        one.scalars = self.scalars(&round);
        one.arrays = self.arrays(&round);
        one.thread_locals = self.thread_locals(index);
        for (at, event) in self.events(index) {
            match event.what {
                Happening::Call(call) => one.calls.push(Call {
                    callee: self.trace.calls[call].callee.clone(),
                    at: event.at,
                    conditional: self.is_conditional(&round, at),
                    is_macro: self.trace.calls[call].is_macro,
                    elsewhere: self.trace.calls[call].elsewhere.clone(),
                    keeps: self.trace.calls[call].keeps,
                    arrays: self.trace.calls[call].arrays.clone(),
                    places: self.trace.calls[call].places.clone(),
                }),
                Happening::Closure(closure) => one
                    .closures
                    .push(Closure { at: event.at, shares: self.trace.closures[closure].shares.clone() }),
                _ => {}
            }
        }
        for (inner, text) in self.trace.loops.iter().enumerate().skip(index + 1) {
            if !self.ancestors(inner).skip(1).any(|around| around == index) {
                break;
            }
            for iterator in &text.iterators {
                let home = self.home(iterator.variable, index);
                if !matches!(home, Home::InBody | Home::StaticInBody) {
                    one.inner_iterators.push(InnerIterator {
                        name: self.trace.variables[iterator.variable].name.clone(),
                        home,
                        of: u32::try_from(base + inner).unwrap_or(u32::MAX),
                    });
                }
            }
        }
    }

    /// Variables of which each thread has its own and that a loop names.
    fn thread_locals(&self, index: usize) -> Vec<(String, u32)> {
        let mut out: Vec<(String, u32)> = Vec::new();
        for (_, event) in self.events(index) {
            let variable = match event.what {
                Happening::Read(place, _) | Happening::Write(place, _) | Happening::Share(place, ..) => {
                    Some(self.trace.places[place].variable)
                }
                Happening::Access(access) => self.trace.accesses[access].variable,
                _ => None,
            };
            let own = variable.map(|variable| &self.trace.variables[variable]);
            if let Some(own) = own.filter(|own| own.storage.thread_local)
                && out.iter().all(|known| known.0 != own.name)
            {
                out.push((own.name.clone(), event.at.line));
            }
        }
        out
    }

    fn iterator(&self, index: usize, text: &super::trace::IteratorText) -> LoopIterator {
        let variable = &self.trace.variables[text.variable];
        LoopIterator {
            name: variable.name.clone(),
            home: self.home(text.variable, index),
            type_text: variable.type_text.clone(),
            reference: variable.storage.reference,
            start: text.start.clone(),
            bound: text.bound.clone(),
            comparison: text.comparison.clone(),
            step: text.step.clone(),
            step_value: text.step_value,
            adapters: text.adapters.clone(),
        }
    }

    /// A loop and those around it, from the inside.
    fn ancestors(&self, index: usize) -> impl std::iter::Iterator<Item = usize> + '_ {
        std::iter::successors(Some(index), |&at| self.trace.loops[at].parent)
    }

    /// The events of a loop, header included.
    fn events(&self, index: usize) -> impl std::iter::Iterator<Item = (usize, &super::trace::Event)> + '_ {
        let text = &self.trace.loops[index];
        self.trace.events[text.first..text.last]
            .iter()
            .enumerate()
            .map(|(at, event)| (at + text.first, event))
    }

    /// Where a variable is declared, as seen from a loop.
    fn home(&self, variable: usize, index: usize) -> Home {
        let one = &self.trace.variables[variable];
        match one.declared {
            Declared::Parameter => Home::Parameter,
            Declared::File => Home::FileScope,
            Declared::Member if one.is_static => Home::FileScope,
            Declared::Member => Home::Member,
            Declared::Nowhere => Home::Unknown,
            Declared::Function => match one.in_loop {
                Some((at, true)) if at == index => Home::InHeader,
                Some((at, _)) if self.ancestors(at).any(|around| around == index) => {
                    if one.is_static {
                        Home::StaticInBody
                    } else {
                        Home::InBody
                    }
                }
                _ if one.is_static => Home::StaticLocal,
                _ => Home::Local,
            },
        }
    }

    fn round(&self, index: usize) -> Round {
        let text = &self.trace.loops[index];
        let mut round = Round { index, skipped: usize::MAX, jumps: false };
        for (at, event) in self.events(index).filter(|(at, _)| *at >= text.iteration) {
            match event.what {
                Happening::Jump(jump) => {
                    let stays = match jump {
                        Jump::Break(other) | Jump::Continue(other) => {
                            other != index && self.ancestors(other).any(|around| around == index)
                        }
                        Jump::Leave(_) | Jump::Goto(_) => false,
                    };
                    if !stays {
                        round.skipped = round.skipped.min(at);
                    }
                    round.jumps |= matches!(jump, Jump::Goto(_));
                }
                Happening::Label(_) => round.jumps = true,
                _ => {}
            }
        }
        round
    }

    /// The controls between an event and the body of a loop, from the inside.
    fn between(&self, control: usize, index: usize) -> impl std::iter::Iterator<Item = &Control> + '_ {
        let body = self.trace.loops[index].body;
        let depth = self.trace.controls[body].depth;
        std::iter::successors(Some(control), |&at| Some(self.trace.controls[at].parent))
            .map(|at| &self.trace.controls[at])
            .take_while(move |control| control.depth > depth)
    }

    /// Whether an event does not happen in every iteration.
    fn is_conditional(&self, round: &Round, at: usize) -> bool {
        let text = &self.trace.loops[round.index];
        if at < text.iteration || (text.step.0..text.step.1).contains(&at) {
            return false;
        }
        self.is_perhaps(round, at, self.trace.events[at].control)
    }

    /// Whether what stands under a control, with so many events before it, does not happen in every iteration.
    fn is_perhaps(&self, round: &Round, at: usize, control: usize) -> bool {
        let mut controls = self.between(control, round.index);
        let is_perhaps =
            |control: &Control| control.kind != ControlKind::Body(true) || self.may_skip(control, at);
        round.jumps || at > round.skipped || controls.any(is_perhaps)
    }

    /// Whether a jump inside a control, before an event in it, may go around that event.
    fn may_skip(&self, control: &Control, at: usize) -> bool {
        let next = self.jumps.partition_point(|&jump| jump < control.first);
        self.has_labels || self.jumps.get(next).is_some_and(|&jump| jump < at)
    }

    /// Number of loops around an event, inside a loop.
    fn depth(&self, at: usize, index: usize) -> u32 {
        let control = self.trace.events[at].control;
        let bodies = self.between(control, index).filter(|c| matches!(c.kind, ControlKind::Body(_)));
        u32::try_from(bodies.count()).unwrap_or(u32::MAX)
    }

    /// The name of the object that a variable belongs to, or its own.
    fn root(&self, variable: usize) -> String {
        let name = &self.trace.variables[variable].name;
        match name.split_once("->").or_else(|| name.split_once('.')) {
            Some((object, _)) => object.to_owned(),
            None => name.clone(),
        }
    }
}
