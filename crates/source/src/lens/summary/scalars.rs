//! Scalars that a loop assigns.

use std::collections::HashMap;

use profile::lens::{AccessMode, AfterLoop, Definition, Scalar, ScalarForm, Sharing, SharingKind};

use super::super::trace::{ControlKind, Declared, Happening, Place};
use super::{Round, Summary};

/// Events of a variable after a loop that are looked at, at most.
const MOST_SCANNED: usize = 2_000;

/// Controls under which a place is certainly written, from some event on.
#[derive(Default)]
struct Written(HashMap<usize, usize>);

impl Summary<'_> {
    pub(super) fn scalars(&self, round: &Round) -> Vec<Scalar> {
        let mut order = Vec::new();
        let mut known = HashMap::new();
        for (_, event) in self.events(round.index) {
            let place = match event.what {
                Happening::Write(place, _) => place,
                Happening::Share(place, kind, _)
                    if !matches!(kind, SharingKind::ReadOnlyAddress | SharingKind::Elsewhere) =>
                {
                    place
                }
                _ => continue,
            };
            if known.insert(place, ()).is_none() {
                order.push(place);
            }
        }
        order.into_iter().map(|place| self.scalar(round, place)).collect()
    }

    fn scalar(&self, round: &Round, place: usize) -> Scalar {
        let text = &self.trace.places[place];
        let variable = &self.trace.variables[text.variable];
        let mut out = Scalar {
            name: text.name.clone(),
            root: self.root(text.variable),
            form: text.form,
            home: self.home(text.variable, round.index),
            declared: variable.at,
            type_text: variable.type_text.clone(),
            storage: variable.storage,
            definitions: Vec::new(),
            reads: Vec::new(),
            read_before_write: false,
            always_written: false,
            shared: Vec::new(),
            after: self.after(round.index, &self.trace.places[place], false),
        };
        self.follow(round, place, &mut out);
        if variable.is_kept || text.is_kept || text.path.iter().any(|part| self.is_kept_member(part)) {
            let at = variable.at.unwrap_or_default();
            out.shared.push(Sharing { kind: SharingKind::Elsewhere, at, callee: String::new() });
        }
        out
    }

    /// Whether a component of a path is a member that other names lead to.
    fn is_kept_member(&self, part: &str) -> bool {
        part.strip_prefix('.').is_some_and(|member| self.kept.members.contains(member))
    }

    /// Follows a place through one iteration.
    fn follow(&self, round: &Round, place: usize, out: &mut Scalar) {
        let own = &self.trace.places[place];
        let text = &self.trace.loops[round.index];
        let events = &self.by_variable[own.variable];
        let from = events.partition_point(|&at| at < text.first);
        let to = events.partition_point(|&at| at < text.last);
        let mut written = Written::default();
        let is_iterator = text.iterators.iter().any(|iterator| iterator.variable == own.variable);
        self.spent.set(self.spent.get() + to - from);
        if self.spent.get() >= super::MOST_WORK {
            return;
        }
        for &at in &events[from..to] {
            let event = &self.trace.events[at];
            let in_iteration = at >= text.iteration;
            match event.what {
                Happening::Begin(_) if in_iteration => self.note(&mut written, at),
                Happening::Read(other, update) => {
                    if !overlap(own, &self.trace.places[other]) {
                        continue;
                    }
                    let of_itself = other == place
                        && update.is_some_and(|definition| self.trace.operator(definition).is_some());
                    if !of_itself {
                        out.reads.push(event.at.line);
                    }
                    if in_iteration && (round.jumps || !self.is_written(&written, at)) {
                        out.read_before_write = true;
                    }
                }
                Happening::Write(other, definition) => {
                    // What the header sets once is not the iterations'.
                    if other == place && (in_iteration || is_iterator) {
                        let text = &self.trace.definitions[definition];
                        out.definitions.push(Definition {
                            at: event.at,
                            kind: text.kind,
                            update: text.update.clone(),
                            conditional: self.is_conditional(round, at),
                            depth: self.depth(at, round.index),
                            header: text.header,
                            value: text.value.clone(),
                            reads_itself: text.reads_itself,
                            reads: text.reads.clone(),
                        });
                    }
                    if in_iteration && covers(&self.trace.places[other], own) {
                        self.note(&mut written, at);
                    }
                }
                Happening::Share(other, kind, call) if overlap(own, &self.trace.places[other]) => {
                    out.shared.push(Sharing {
                        kind,
                        at: event.at,
                        callee: call.map(|call| self.trace.calls[call].callee.clone()).unwrap_or_default(),
                    });
                }
                _ => {}
            }
        }
        let body = text.body;
        let done = [body, text.control].iter().filter_map(|control| written.0.get(control)).min();
        out.always_written = !round.jumps && done.is_some_and(|&at| at <= round.skipped);
    }

    /// Notes a write, and that of all arms of a condition the condition itself.
    fn note(&self, written: &mut Written, at: usize) {
        let mut control = self.trace.events[at].control;
        let mut from = at;
        loop {
            let known = written.0.entry(control).or_insert(from);
            *known = (*known).min(from);
            let node = &self.trace.controls[control];
            match node.kind {
                ControlKind::Arm(group) => {
                    let group = &self.trace.groups[group];
                    let is_done =
                        |arm: &usize| written.0.contains_key(arm) || self.trace.controls[*arm].diverts;
                    if !group.is_exhaustive || !group.arms.iter().all(is_done) {
                        return;
                    }
                    from = group.end;
                }
                ControlKind::Body(true) if !self.may_skip(node, at) => {}
                _ => return,
            }
            control = node.parent;
        }
    }

    fn is_written(&self, written: &Written, at: usize) -> bool {
        let mut control = self.trace.events[at].control;
        loop {
            if written.0.get(&control).is_some_and(|&from| from <= at) {
                return true;
            }
            let node = &self.trace.controls[control];
            if node.depth == 0 {
                return false;
            }
            control = node.parent;
        }
    }

    /// Whether elements that a loop leaves in an array are used.
    pub(super) fn elements_after(&self, index: usize, variable: usize) -> AfterLoop {
        let own = Place {
            variable,
            path: Vec::new(),
            name: String::new(),
            form: ScalarForm::Variable,
            is_kept: false,
        };
        self.after(index, &own, true)
    }

    /// Whether the value that a loop leaves is used.
    fn after(&self, index: usize, own: &Place, is_array: bool) -> AfterLoop {
        let variable = &self.trace.variables[own.variable];
        let mut at = index;
        loop {
            let text = &self.trace.loops[at];
            let around = text.parent;
            let end = around.map_or(self.trace.events.len(), |around| self.trace.loops[around].last);
            let is_within = |around: usize| {
                variable.in_loop.is_some_and(|(declared, header)| {
                    (declared != around || !header)
                        && self.ancestors(declared).any(|loop_around| loop_around == around)
                })
            };
            match self.scan((own, is_array), text.last, end, text.control) {
                Some(Some(line)) => return AfterLoop::Read(line),
                Some(None) => return self.settled(own),
                None => {}
            }
            let Some(around) = around else { return self.settled(own) };
            if variable.declared == Declared::Function && !variable.is_static && is_within(around) {
                return self.settled(own);
            }
            let outer = &self.trace.loops[around];
            if let Some(Some(line)) = self.scan((own, is_array), outer.iteration, text.first, text.control) {
                return AfterLoop::Read(line);
            }
            at = around;
        }
    }

    /// Follows a place from one event to another: read (its line), overwritten (`Some(None)`), or neither.
    fn scan(
        &self,
        (own, is_array): (&Place, bool),
        from: usize,
        to: usize,
        control: usize,
    ) -> Option<Option<u32>> {
        let events = &self.by_variable[own.variable];
        let first = events.partition_point(|&at| at < from);
        let mut written = Written::default();
        for &at in events[first..].iter().take(MOST_SCANNED).take_while(|&&at| at < to) {
            let event = &self.trace.events[at];
            self.spent.set(self.spent.get() + 1);
            match event.what {
                Happening::Read(other, _) | Happening::Share(other, ..)
                    if overlap(own, &self.trace.places[other])
                        // Else what comes to the read has come by a write.
                        && (self.has_labels || !self.is_written(&written, at)) =>
                {
                    return Some(Some(event.at.line));
                }
                Happening::Access(access)
                    if is_array && self.trace.accesses[access].mode == AccessMode::Write => {}
                Happening::Access(_) if own.path.is_empty() => return Some(Some(event.at.line)),
                Happening::Write(other, _) if covers(&self.trace.places[other], own) => {
                    let next = self.jumps.partition_point(|&jump| jump < from);
                    let is_direct = self.jumps.get(next).is_none_or(|&jump| jump > at);
                    if is_direct && !self.has_labels && self.trace.is_around(event.control, control) {
                        return Some(None);
                    }
                    self.note(&mut written, at);
                }
                _ => {}
            }
        }
        // Further on is not looked, and is taken for a read there.
        let last = events.get(first + MOST_SCANNED).filter(|&&at| at < to)?;
        Some(Some(self.trace.events[*last].at.line))
    }

    /// Nothing in the function reads it: unused, unless others know the storage.
    fn settled(&self, own: &Place) -> AfterLoop {
        let variable = &self.trace.variables[own.variable];
        let is_local = matches!(variable.declared, Declared::Function | Declared::Parameter)
            && !variable.is_static
            && !variable.storage.reference
            && !own.path.iter().any(|part| part == "*");
        if is_local && !self.exposed[own.variable] { AfterLoop::Unused } else { AfterLoop::Unknown }
    }
}

/// Whether two places of one variable share storage.
fn overlap(one: &Place, other: &Place) -> bool {
    let (short, long) = if one.path.len() <= other.path.len() { (one, other) } else { (other, one) };
    long.path.starts_with(&short.path) && !long.path[short.path.len()..].iter().any(|part| part == "*")
}

/// Whether a write of one place writes all of another.
fn covers(written: &Place, other: &Place) -> bool {
    written.path.len() <= other.path.len() && overlap(written, other)
}
