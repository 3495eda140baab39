//! Loops and nests of up to three whose iterations could be threads.
//!
//! The iterations of a loop are threads along x; of nested ones along x, y and z. Loops are a nest if each is the only one directly
//! inside the one before, and everything else in an outer one's body can be computed by each thread for itself: it
//! writes nothing but values. Loops further inside are run by a thread as they are.
//!
//! Limits: what a loop does in functions that are called is judged where these were put in place of the calls
//! (`calls::cone`); calls that were not followed are reasons, unless the device has the function.

use crate::access::Accesses;
use crate::calls::Cone;
use crate::control::obstacles::obstacles;
use crate::control::{Control, LoopId};
use crate::ir::debug::Place;
use crate::ir::instruction::Callee;
use crate::ir::types::FloatKind;
use crate::ir::{BlockId, Function, Instruction, MetadataId, Module, Operand, Operation, Type};
use crate::memory::{Assumption, Object, library};
use crate::recurrence::Reading;
use crate::symbolic::Polynomial;

use super::dependence::{Dependence, dependence};
use super::observed::{Carried, Change, Found, Observed, Part, Reduced, Storage};
use super::reason::{Reason, Why};

/// Axes of a grid.
const DIMENSIONS: usize = 3;

/// Functions that a device has, besides those that only compute: they manage memory of the device.
const ON_DEVICE: [&str; 3] = ["malloc", "free", "abort"];

/// Whether the iterations of a candidate can be threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Friendly {
    /// They can, as far as runs showed.
    Yes,
    /// Nothing speaks against it but that no run was looked at.
    Unknown,
    /// They cannot.
    No,
}

/// A loop, or up to three nested ones.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The loop, or the loops of the nest from the outside in.
    pub loops: Vec<LoopId>,
    /// Whether its iterations can be threads.
    pub friendly: Friendly,
    /// Every reason against it.
    pub reasons: Vec<Reason>,
    /// Loops of it whose iterations are shown not to depend on each other by the program itself: on all inputs.
    pub proved: Vec<LoopId>,
    /// What that rests on.
    pub assumed: Vec<Assumption>,
    /// Whether it is inside of a loop that can be mapped as it is: threads of that one run it.
    pub is_inside: bool,
    /// What has to become of variables that iterations share.
    pub storage: Vec<Storage>,
    /// What iterations combine into one.
    pub reduced: Vec<Reduced>,
    /// Lines of the outer loops' bodies that each thread of a nest has to compute for itself.
    pub repeated: Vec<u32>,
    /// Functions that are called and need a version for the device.
    pub functions: Vec<String>,
    /// Of a loop that cannot run on a device, the loops that it can be split into, in the order of their lines: those that are
    /// independent can. None if that helps nothing.
    pub parts: Vec<Part>,
}

impl Candidate {
    /// Whether clauses can say all that has to become of variables.
    pub fn is_plain(&self) -> bool {
        self.storage.iter().all(|storage| storage.change == Change::Private)
            && self.reduced.iter().all(|reduced| !reduced.is_array)
    }
}

/// What is looked at.
struct Search<'a, 'f> {
    module: &'f Module,
    function: &'f Function,
    control: &'f Control,
    cone: &'a Cone,
    accesses: &'a mut Accesses<'f>,
    observed: Option<&'a Observed>,
}

/// The candidates of a function, outermost first: every loop is one, or a part of one. Those inside of a loop that can be mapped as it is
/// say so.
pub fn candidates<'f>(
    module: &'f Module,
    cone: &'f Cone,
    control: &'f Control,
    accesses: &mut Accesses<'f>,
    observed: Option<&Observed>,
) -> Vec<Candidate> {
    let mut search = Search { module, function: &cone.function, control, cone, accesses, observed };
    let mut list = Vec::new();
    let mut open: Vec<(LoopId, bool)> = search.own_children(None).into_iter().map(|id| (id, false)).collect();
    open.reverse();
    while let Some((id, is_inside)) = open.pop() {
        let found = Candidate { is_inside, ..search.best(id) };
        let is_mapped = is_inside || found.friendly != Friendly::No && found.is_plain();
        let inner = search.own_children(Some(id)).into_iter().map(|id| (id, is_mapped));
        open.extend(inner.rev());
        list.push(found);
    }
    list
}

impl<'f> Search<'_, 'f> {
    /// Whether a loop is written in the function itself. Those of functions that stand in place of calls are candidates where they
    /// are written.
    fn is_own(&self, id: LoopId) -> bool {
        self.cone.string(self.control.loops.get(id).header).is_empty()
    }

    /// The function's own loops directly inside one, or the outermost ones.
    fn own_children(&self, parent: Option<LoopId>) -> Vec<LoopId> {
        self.control.loops.children(parent).filter(|&id| self.is_own(id)).collect()
    }

    /// The nest of most loops that begins with a loop, or the loop alone.
    fn best(&mut self, id: LoopId) -> Candidate {
        let (mut loops, mut repeated) = (vec![id], Vec::new());
        let mut best = self.candidate(&loops);
        while loops.len() < DIMENSIONS
            && best.friendly != Friendly::No
            && let Some((inner, lines)) = self.only_inside(&loops)
        {
            loops.push(inner);
            let nest = self.candidate(&loops);
            // What iterations of one loop combine, threads of a nest would combine across all: fewer loops are enough then. So they
            // are where the run says less of the inner loop.
            if nest.friendly > best.friendly || !nest.reduced.is_empty() || self.stores_over(inner) {
                break;
            }
            lines.into_iter().for_each(|line| push(&mut repeated, line));
            repeated.sort_unstable();
            best = Candidate { repeated: repeated.clone(), ..nest };
        }
        best
    }

    /// The one loop directly inside of a nest that can be one more of it, and the lines that every thread then computes again.
    fn only_inside(&self, nest: &[LoopId]) -> Option<(LoopId, Vec<u32>)> {
        let outer = *nest.last()?;
        let inside: Vec<LoopId> = self.control.loops.children(Some(outer)).collect();
        // A loop of a function that is called cannot be written as one with a loop around the call.
        let &[inner] = inside.as_slice() else { return None };
        let lines = self.repeated(outer, inner).filter(|_| self.is_own(inner))?;
        Some((inner, lines))
    }

    /// Whether all iterations of a loop store to the same places.
    fn stores_over(&mut self, id: LoopId) -> bool {
        let loops = &self.control.loops;
        let list = self.accesses.list.iter();
        let stores = list.filter(|access| access.writes && loops.contains(id, access.block));
        let stores: Vec<(BlockId, Operand)> = stores.map(|access| (access.block, access.address)).collect();
        let forms = self.accesses.forms_mut(true);
        stores.into_iter().any(|(block, address)| {
            // Loops inside go through the same iterations.
            let inside: Vec<LoopId> = loops.around(block).take_while(|&other| other != id).collect();
            let form = forms.of_at(block, address, Reading::Unsigned);
            let first = inside.into_iter().try_fold(form, |form, inner| {
                let iteration = forms.iteration(inner);
                let form = forms.atoms.replaced(&form?, iteration, &Polynomial::from(0));
                Some(form)
            });
            first.flatten().is_some_and(|form| forms.is_fixed(&form, id))
        })
    }

    fn candidate(&mut self, loops: &[LoopId]) -> Candidate {
        let mut candidate = Candidate {
            loops: loops.to_vec(),
            friendly: Friendly::Yes,
            reasons: Vec::new(),
            proved: Vec::new(),
            is_inside: false,
            assumed: Vec::new(),
            storage: Vec::new(),
            reduced: Vec::new(),
            repeated: Vec::new(),
            functions: Vec::new(),
            parts: Vec::new(),
        };
        let Some(&outer) = loops.first() else { return candidate };
        candidate.functions = self.functions(outer);
        self.look_at_code(outer, &mut candidate);
        for &id in loops {
            self.look_at_count(loops, id, &mut candidate);
            self.look_at_run(id, &mut candidate);
        }
        let is_open = candidate.reasons.iter().all(|reason| reason.why.is_open());
        candidate.friendly = match (candidate.reasons.is_empty(), is_open) {
            (true, _) => Friendly::Yes,
            (false, true) => Friendly::Unknown,
            (false, false) => Friendly::No,
        };
        if candidate.friendly == Friendly::No && loops.len() == 1 {
            candidate.parts = self.parts(outer, &candidate.reasons);
        }
        candidate
    }

    /// The parts of a loop, if the run showed that it can be split, and a part of it is free of all reasons against the whole.
    fn parts(&self, id: LoopId, reasons: &[Reason]) -> Vec<Part> {
        let seen = self.place(id).zip(self.observed).map(|(place, observed)| {
            let until = self.control.next_on_line(self.module, place);
            observed.at(place, until).map(|seen| &seen.parts).collect::<Vec<_>>()
        });
        // In all contexts alike.
        let Some((first, others)) = seen.as_deref().and_then(<[_]>::split_first) else { return Vec::new() };
        if others.iter().any(|other| other != first) {
            return Vec::new();
        }
        let mut parts = (*first).clone();
        let own = self.place(id).map(|place| place.line);
        for reason in reasons.iter().filter(|reason| !matches!(reason.why, Why::Carried(_))) {
            // What is not said of a line inside speaks against every part.
            let Some(line) = reason.line.filter(|_| reason.line != own) else { return Vec::new() };
            for part in parts.iter_mut().filter(|part| part.lines.contains(&line)) {
                part.is_independent = false;
            }
        }
        if parts.iter().any(|part| part.is_independent) { parts } else { Vec::new() }
    }

    fn line(&self, location: Option<MetadataId>) -> Option<u32> {
        self.module.metadata.place(location?).map(|place| place.line)
    }

    fn place(&self, id: LoopId) -> Option<Place<'f>> {
        self.control.loops.get(id).places(self.module).map(|(start, _)| start)
    }

    /// What stands in the way in the instructions of a loop.
    fn look_at_code(&self, id: LoopId, candidate: &mut Candidate) {
        for (obstacle, location) in obstacles(self.module, self.function, self.control, id) {
            let line = self.line(location);
            candidate.reasons.push(Reason { why: Why::Obstacle(obstacle), line });
        }
        for &block in &self.control.loops.get(id).blocks {
            for instruction in &self.function.block(block).instructions {
                if let Some(name) = self.foreign_type(instruction) {
                    let line = self.line(instruction.location);
                    push(&mut candidate.reasons, Reason { why: Why::Type(name), line });
                }
                if let Some(name) = self.called(instruction) {
                    let line = self.line(instruction.location);
                    push(&mut candidate.reasons, Reason { why: Why::Call(name), line });
                }
            }
        }
        for access in self.accesses.list.iter().filter(|access| access.writes) {
            let Some(Object::Global(symbol)) = access.object() else { continue };
            let name = self.module.name(symbol);
            // The compiler names a variable that is static in a function after both.
            let is_static =
                name.split_once('.').is_some_and(|(function, _)| self.module.function(function).is_some());
            if is_static && self.control.loops.contains(id, access.block) {
                let why = Why::Static(name.replace('.', "'s "));
                push(&mut candidate.reasons, Reason { why, line: self.line(access.location) });
            }
        }
    }

    /// A type of numbers that an instruction computes with and no device has.
    fn foreign_type(&self, instruction: &Instruction) -> Option<&'static str> {
        let operands = instruction.operation.operands().into_iter().map(|operand| operand.of);
        let result = instruction.result.map(|result| self.function.value(result).of);
        operands.chain(result).find_map(|of| match self.module.types.get(of) {
            Type::Float(FloatKind::Extended | FloatKind::Quad) => Some("long double"),
            Type::Integer(bits) if *bits > 64 => Some("__int128"),
            _ => None,
        })
    }

    /// The function that an instruction calls, if a device does not have it.
    fn called(&self, instruction: &Instruction) -> Option<String> {
        let Operation::Call { callee: Callee::Symbol(symbol), .. } = &instruction.operation else {
            return None;
        };
        let name = self.module.name(*symbol);
        let is_there = name.starts_with("llvm.")
            || library::only_computes(self.module, *symbol)
            || ON_DEVICE.contains(&name)
            // One that has a source and was not followed can be compiled for the device.
            || self.module.function(name).is_some_and(|function| !function.blocks.is_empty());
        (!is_there).then(|| self.module.shown_name(*symbol))
    }

    /// Whether the number of iterations is known before the candidate starts.
    fn look_at_count(&mut self, nest: &[LoopId], id: LoopId, candidate: &mut Candidate) {
        let forms = self.accesses.forms_mut(true);
        let trips = forms.trips(id);
        let exact = trips.iter().find(|trips| trips.exact).map(|trips| trips.count.clone());
        let line = self.place(id).map(|place| place.line);
        let Some(mut rest) = exact else {
            candidate.reasons.push(Reason { why: Why::Count, line });
            return;
        };
        let (Some(&outermost), forms) = (nest.first(), self.accesses.forms_mut(true)) else { return };
        // A number that follows from iterations around is no obstacle: a thread beyond it has nothing to do.
        let around: Vec<LoopId> = nest.iter().copied().take_while(|&outer| outer != id).collect();
        let mut is_known = true;
        for outer in around {
            let own = forms.iteration(outer);
            let powers = 1..=rest.degree_in(own);
            let slopes: Vec<Polynomial> = powers.map(|power| rest.coefficient(own, power)).collect();
            is_known &= slopes.iter().all(|slope| forms.is_fixed(slope, outermost));
            rest = rest.coefficient(own, 0);
        }
        if id != outermost && !(is_known && forms.is_fixed(&rest, outermost)) {
            candidate.reasons.push(Reason { why: Why::InnerCount, line });
        }
    }

    /// What the run showed.
    fn look_at_run(&mut self, id: LoopId, candidate: &mut Candidate) {
        let place = self.place(id);
        let line = place.map(|place| place.line);
        let open = |why| Reason { why, line };
        let seen: Vec<_> = self
            .observed
            .zip(place)
            .into_iter()
            .flat_map(|(observed, place)| observed.at(place, self.control.next_on_line(self.module, place)))
            .collect();
        let is_open = |found: &Found| matches!(found, Found::Once | Found::Unknown);
        if seen.is_empty() || seen.iter().all(|seen| is_open(&seen.found)) {
            match dependence(self.module, self.control, self.accesses, id) {
                Dependence::None(assumed) => {
                    assumed.into_iter().for_each(|one| push(&mut candidate.assumed, one));
                    candidate.proved.push(id);
                    return;
                }
                Dependence::Carried(carried) => {
                    let line = carried.sink.or(line);
                    push(&mut candidate.reasons, Reason { why: Why::SamePlaces(carried), line });
                    return;
                }
                Dependence::Kept(at, name) => {
                    push(&mut candidate.reasons, Reason { why: Why::Kept(name), line: at.or(line) });
                    return;
                }
                Dependence::Unknown(carried) => {
                    let why = if self.observed.is_none() { Why::NoRun } else { Why::NotRun };
                    if seen.is_empty() {
                        push(&mut candidate.reasons, open(why));
                    }
                    if let Some(carried) = carried {
                        let line = carried.sink.or(line);
                        push(&mut candidate.reasons, Reason { why: Why::MayCarry(carried), line });
                    }
                }
            }
        }
        for seen in seen {
            match seen.found {
                Found::Independent => {}
                Found::Once => push(&mut candidate.reasons, open(Why::Once)),
                Found::Unknown => push(&mut candidate.reasons, open(Why::NotRecorded)),
                Found::Dependent if seen.carried.is_empty() => {
                    let carried = Carried { source: None, sink: None, object: None };
                    push(&mut candidate.reasons, open(Why::Carried(carried)));
                }
                Found::Dependent => {
                    for carried in &seen.carried {
                        let reason =
                            Reason { line: carried.sink.or(line), why: Why::Carried(carried.clone()) };
                        push(&mut candidate.reasons, reason);
                    }
                }
            }
            for storage in &seen.storage {
                push(&mut candidate.storage, storage.clone());
            }
            for reduced in &seen.reduced {
                push(&mut candidate.reduced, reduced.clone());
            }
        }
    }

    /// Lines of an outer loop's body that every thread of a nest computes for itself; `None` if something is written there.
    fn repeated(&self, outer: LoopId, inner: LoopId) -> Option<Vec<u32>> {
        let loops = &self.control.loops;
        let found = loops.get(outer);
        let is_between = |block: &&BlockId| !loops.contains(inner, **block);
        let mut lines = Vec::new();
        for &block in found.blocks.iter().filter(is_between) {
            for instruction in &self.function.block(block).instructions {
                match &instruction.operation {
                    Operation::Store { .. } | Operation::Atomic { .. } => return None,
                    Operation::Call { .. } if !self.computes(instruction) => return None,
                    Operation::Phi(_) | Operation::Branch(_) | Operation::ConditionalBranch { .. } => {}
                    // The loop's own control is gone in a thread.
                    _ if block == found.header || found.latches.contains(&block) => {}
                    _ => {
                        if let Some(line) = self.line(instruction.location) {
                            push(&mut lines, line);
                        }
                    }
                }
            }
        }
        lines.sort_unstable();
        Some(lines)
    }

    /// Whether a call does nothing but compute, so that it can be made several times.
    fn computes(&self, call: &Instruction) -> bool {
        let Operation::Call { callee: Callee::Symbol(symbol), .. } = &call.operation else { return false };
        library::only_computes(self.module, *symbol)
    }

    /// Functions with a source that a loop calls.
    fn functions(&self, id: LoopId) -> Vec<String> {
        let mut list = Vec::new();
        for &block in &self.control.loops.get(id).blocks {
            for site in self.cone.string(block) {
                push(&mut list, self.module.shown_name(site.callee));
            }
            for instruction in &self.function.block(block).instructions {
                let Operation::Call { callee: Callee::Symbol(symbol), .. } = &instruction.operation else {
                    continue;
                };
                let is_defined = self.module.function(self.module.name(*symbol));
                if is_defined.is_some_and(|function| !function.blocks.is_empty()) {
                    push(&mut list, self.module.shown_name(*symbol));
                }
            }
        }
        list.sort();
        list
    }
}

fn push<T: PartialEq>(list: &mut Vec<T>, new: T) {
    if !list.contains(&new) {
        list.push(new);
    }
}
