//! What goes into a kernel and what comes out.
//!
//! - *Scalars* go in that are computed before the loop and used inside, and come out that are computed inside and used behind it.
//!   Values that have no name are taken apart into those that have.
//! - *Arrays* are the objects that the loop accesses, with the bytes that it uses of each. One whose address is loaded from another
//!   object is *nested* in that one, and its name is the path to it.
//! - An array comes *out* only if the loop certainly writes every byte of the section and reads none, else it goes in and out: what
//!   is not written has to keep its content.
//! - Two arrays of which one is written may be one object unless they are provably not: then their overlap has to be checked before
//!   the kernel runs.
//!
//! Variables of the function itself that are set up anew in every iteration are the thread's own.
//!
//! Source: thesis, chapter 5; ALGORITHMS 8.2 with research note 14 to 17.

use std::collections::BTreeSet;

use crate::access::{Accesses, Extent, Hull, Known, Reach};
use crate::control::{Control, LoopId};
use crate::ir::instruction::Callee;
use crate::ir::{BlockId, Function, Instruction, MetadataId, Module, Operation, Type, Value, ValueId};
use crate::memory::overlap::{Distinct, Overlap};
use crate::memory::{Memory, Object, captured::captured, library};
use crate::recurrence::{Forms, Reading};
use crate::symbolic::{AtomId, Atoms, Bound, Facts, Polynomial, Prover, Range, Side};

/// Operands of operands that are looked through for names.
const DEEPEST: u32 = 24;

/// What a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A number.
    Scalar,
    /// Memory that an address leads to.
    Array,
    /// Memory whose address lies in other memory.
    Nested,
}

/// Which way a parameter goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// Into the kernel.
    In,
    /// Out of it.
    Out,
    /// Both.
    InOut,
}

/// A parameter.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name in the source.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Which way it goes.
    pub direction: Direction,
    /// Bytes from the start of the array that are used, half open; `None` for numbers, and where they are not known.
    pub section: Option<Range>,
    /// The array.
    pub object: Option<Object>,
    /// Whether the ends of the section are accessed.
    pub reach: Reach,
    /// Whether there is one such array for each element of another one, as with pointers to rows.
    pub is_several: bool,
    /// How that is known.
    pub known: Known,
}

impl Parameter {
    fn scalar(name: String, direction: Direction) -> Parameter {
        Parameter {
            name,
            kind: Kind::Scalar,
            direction,
            section: None,
            object: None,
            reach: Reach::Accessed,
            is_several: false,
            known: Known::Proved,
        }
    }
}

/// What a kernel needs.
#[derive(Debug, Clone, Default)]
pub struct Parameters {
    /// Numbers first, then arrays.
    pub list: Vec<Parameter>,
    /// Pairs of arrays whose overlap has to be checked, by their names.
    pub overlaps: Vec<(String, String)>,
    /// Variables of the function that each thread has for itself.
    pub private: Vec<String>,
    /// Lines of accesses of which not even the array is known.
    pub strays: Vec<u32>,
}

impl Parameters {
    /// Those of nested loops, the outermost first, and of all inside of them. Sections are those of loops that run at least once.
    pub fn new(
        module: &Module,
        control: &Control,
        accesses: &mut Accesses<'_>,
        loops: &[LoopId],
    ) -> Parameters {
        let mut parameters = Parameters::default();
        let Some(&id) = loops.first() else { return parameters };
        let hulls = accesses.hulls(Some(id));
        let called = calls_that_touch(module, accesses.proved_mut().function, control, id);
        let strays = accesses.strays(Some(id)).map(|access| access.location);
        let places = strays.chain(called).filter_map(|location| module.metadata.place(location?));
        parameters.strays = places.map(|place| place.line).collect::<BTreeSet<_>>().into_iter().collect();
        let forms = accesses.proved_mut();
        let function = forms.function;
        let unnamed = unnamed_outbound(forms, control, id);
        let Some(memory) = forms.memory() else { return parameters };
        let search = Search { module, function, control, memory, id };
        parameters.list = search.scalars();
        parameters.list.extend(unnamed.into_iter().map(|line| {
            let name = line.map_or("a value without a name".into(), |line| format!("a value of line {line}"));
            Parameter::scalar(name, Direction::Out)
        }));
        let mut arrays: Vec<&Hull> = Vec::new();
        for hull in &hulls {
            if is_own(module, control, memory, id, hull.object) {
                parameters.private.push(hull.name.clone());
            } else {
                arrays.push(hull);
                parameters.list.push(search.array(hull));
            }
        }
        parameters.overlaps = search.overlaps(&arrays);
        for parameter in &mut parameters.list {
            let forms = accesses.forms_of(&parameter.known);
            // Its address changes in the loop: it is another array in other iterations.
            parameter.is_several = parameter.object.is_some_and(|object| {
                forms.start_of(object).is_some_and(|start| !forms.is_fixed(&start, id))
            });
            let Some(section) = &mut parameter.section else { continue };
            for (iteration, counter) in counters(forms, control, id) {
                *section = renamed(&mut forms.atoms, section, iteration, &counter);
            }
            let facts = run_once(forms, control, loops);
            let prover = Prover::new(&forms.atoms, &facts);
            if let Range::Between(lower, upper) = section {
                *section =
                    Range::Between(lower.pruned(Side::Lower, &prover), upper.pruned(Side::Upper, &prover));
            }
        }
        parameters
    }
}

struct Search<'a, 'f> {
    module: &'a Module,
    function: &'f Function,
    control: &'a Control,
    memory: &'a crate::memory::Memory<'f>,
    id: LoopId,
}

impl Search<'_, '_> {
    fn is_inside(&self, value: ValueId) -> bool {
        let definition = self.memory.objects.place(value);
        definition.is_some_and(|block| self.control.loops.contains(self.id, block))
    }

    fn is_number(&self, value: ValueId) -> bool {
        matches!(self.module.types.get(self.function.value(value).of), Type::Integer(_) | Type::Float(_))
    }

    /// Numbers that go in and come out, by name.
    fn scalars(&self) -> Vec<Parameter> {
        let (mut inbound, mut outbound) = (BTreeSet::new(), BTreeSet::new());
        for block in self.function.block_ids() {
            let is_here = self.control.loops.contains(self.id, block);
            for instruction in &self.function.block(block).instructions {
                for operand in instruction.operation.operands() {
                    let Value::Local(value) = operand.value else { continue };
                    match (is_here, self.is_inside(value)) {
                        (true, false) => self.names_of(value, DEEPEST, &mut inbound),
                        (false, true) => {
                            outbound.extend(self.own_name(value).filter(|_| self.is_number(value)))
                        }
                        _ => {}
                    }
                }
            }
        }
        let direction = |name: &String| match (inbound.contains(name), outbound.contains(name)) {
            (true, true) => Direction::InOut,
            (true, false) => Direction::In,
            _ => Direction::Out,
        };
        inbound.union(&outbound).map(|name| Parameter::scalar(name.clone(), direction(name))).collect()
    }

    /// The name of the variable that a value is, or of the content that it is loaded from.
    fn own_name(&self, value: ValueId) -> Option<String> {
        self.memory.names().value(value)
    }

    /// The named numbers that a value is computed from.
    fn names_of(&self, value: ValueId, depth: u32, names: &mut BTreeSet<String>) {
        let Some(depth) = depth.checked_sub(1) else { return };
        if let Some(name) = self.own_name(value) {
            if self.is_number(value) {
                names.insert(name);
            }
            return;
        }
        let Some(instruction) = self.memory.objects.definition(value) else { return };
        // A call that allocates gives an address, and what comes out of memory has been named above.
        if matches!(
            instruction.operation,
            Operation::Call { callee: Callee::Symbol(_), .. } | Operation::Phi(_)
        ) {
            return;
        }
        for operand in instruction.operation.operands() {
            if let Value::Local(value) = operand.value {
                self.names_of(value, depth, names);
            }
        }
    }

    fn array(&self, hull: &Hull) -> Parameter {
        let section = match (&hull.reads, &hull.writes) {
            (Extent::Unknown, _) | (_, Extent::Unknown) => None,
            (Extent::Nothing, Extent::Nothing) => None,
            (Extent::Bytes(one), Extent::Nothing) | (Extent::Nothing, Extent::Bytes(one)) => {
                Some(one.clone())
            }
            (Extent::Bytes(read), Extent::Bytes(written)) => Some(read.union(written)),
        };
        let is_written_whole = match (&hull.certain, &hull.writes) {
            (Some(certain), Extent::Bytes(written)) => certain == written,
            _ => false,
        };
        let direction = match (hull.reads == Extent::Nothing, hull.writes == Extent::Nothing) {
            (_, true) => Direction::In,
            (true, false) if is_written_whole => Direction::Out,
            _ => Direction::InOut,
        };
        Parameter {
            name: hull.name.clone(),
            kind: self.kind(hull.object),
            direction,
            section,
            object: Some(hull.object),
            reach: hull.reach,
            is_several: false,
            known: hull.known.clone(),
        }
    }

    /// Whether the address of an object comes from memory.
    fn kind(&self, object: Object) -> Kind {
        let Object::Pointed(value) = object else { return Kind::Array };
        let loaded = self.memory.objects.definition(value).map(|instruction| &instruction.operation);
        match loaded {
            Some(Operation::Load { .. }) => Kind::Nested,
            _ => Kind::Array,
        }
    }

    fn overlaps(&self, arrays: &[&Hull]) -> Vec<(String, String)> {
        let captured = captured(&self.memory.objects);
        let distinct = Distinct { objects: &self.memory.objects, captured: &captured };
        let mut list = Vec::new();
        for (place, a) in arrays.iter().enumerate() {
            for b in arrays.iter().skip(place + 1) {
                let is_written = [a, b].iter().any(|hull| hull.writes != Extent::Nothing);
                if is_written && distinct.of_objects(a.object, b.object) != Overlap::No {
                    list.push((a.name.clone(), b.name.clone()));
                }
            }
        }
        list
    }
}

/// Whether an object is a variable that comes into being in every iteration of a loop: it is used there alone, and belongs to a block in
/// the loop's body, to a function that is called there, or to an expression.
pub(super) fn is_own(
    module: &Module,
    control: &Control,
    memory: &Memory<'_>,
    id: LoopId,
    object: Object,
) -> bool {
    let Object::Local(value) = object else { return false };
    let function = memory.objects.function;
    if memory.objects.place(value).is_some_and(|block| control.loops.contains(id, block)) {
        return true;
    }
    let is_outside = |block: &BlockId| !control.loops.contains(id, *block);
    let mut outside = function
        .block_ids()
        .filter(is_outside)
        .flat_map(|block| function.block(block).instructions.iter().flat_map(|one| one.operation.operands()));
    if outside.any(|operand| operand.value == Value::Local(value)) {
        return false;
    }
    let Some(variable) = memory.variables.at(value) else { return true };
    let Some((owner, block)) = module.metadata.scope_of(variable) else { return false };
    if Some(owner) != function.description {
        return true;
    }
    let start = control.loops.get(id).places(module).map(|places| places.0);
    // The block of what `for` itself declares begins where the loop does.
    block.zip(start).is_some_and(|(block, start)| {
        block.file == start.file && (block.line, block.column) > (start.line, start.column)
    })
}

/// Places of calls in a loop of which it is not known what memory they touch.
pub(super) fn calls_that_touch(
    module: &Module,
    function: &Function,
    control: &Control,
    id: LoopId,
) -> Vec<Option<MetadataId>> {
    let blocks = control.loops.get(id).blocks.iter();
    let calls = blocks.flat_map(|&block| &function.block(block).instructions);
    let touches = |instruction: &&Instruction| match &instruction.operation {
        Operation::Call { callee: Callee::Symbol(symbol), .. } => library::touches_memory(module, *symbol),
        Operation::Call { .. } => true,
        _ => false,
    };
    calls.filter(touches).map(|instruction| instruction.location).collect()
}

/// Lines of numbers without a name that a loop computes anew in its iterations and that are used behind it.
fn unnamed_outbound(forms: &mut Forms<'_>, control: &Control, id: LoopId) -> BTreeSet<Option<u32>> {
    let (function, module) = (forms.function, forms.module);
    let mut values = BTreeSet::new();
    for block in function.block_ids().filter(|&block| !control.loops.contains(id, block)) {
        let operands = function.block(block).instructions.iter().flat_map(|i| i.operation.operands());
        values.extend(operands.filter_map(|operand| match operand.value {
            Value::Local(value) => Some(value),
            Value::Constant(_) => None,
        }));
    }
    let mut lines = BTreeSet::new();
    for value in values {
        let Some((block, instruction)) = forms.definition(value) else { continue };
        let is_number =
            matches!(module.types.get(function.value(value).of), Type::Integer(_) | Type::Float(_));
        let is_named = forms.memory().is_some_and(|memory| memory.names().value(value).is_some());
        if !control.loops.contains(id, block) || !is_number || is_named {
            continue;
        }
        // What is the same in every iteration can be computed again behind the loop.
        let form = forms.bits(function.value(value).of).map(|_| forms.of_value(value, Reading::Signed));
        if form.is_some_and(|form| forms.is_fixed(&form, id)) {
            continue;
        }
        let place = instruction.location.and_then(|location| module.metadata.place(location));
        lines.insert(place.map(|place| place.line));
    }
    lines
}

/// Notes that something is not negative; of a variable by itself that is a bound.
pub(super) fn assume(facts: &mut Facts, of: Polynomial) {
    match of.atoms().as_slice() {
        &[atom] if of.degree_in(atom) == 1 && of.coefficient(atom, 1).integer() == Some(1.into()) => {
            let rest = of.coefficient(atom, 0);
            facts.at_least(atom, -&rest);
        }
        _ => facts.assume(of),
    }
}

/// What holds if each of these loops runs at least once, where their numbers of iterations are the same all through the nest.
fn run_once(forms: &mut Forms<'_>, control: &Control, loops: &[LoopId]) -> Facts {
    let mut facts = Facts::none();
    let Some(&outer) = loops.first() else { return facts };
    let around = counters(forms, control, outer);
    for &id in loops {
        let trips = forms.trips(id);
        let Some(count) = trips.iter().find(|trips| trips.exact).map(|trips| trips.count.clone()) else {
            continue;
        };
        let named = around
            .iter()
            .try_fold(count, |count, (iteration, counter)| forms.atoms.replaced(&count, *iteration, counter));
        let Some(count) = named.filter(|count| loops.iter().all(|&id| forms.is_uniform(count, id))) else {
            continue;
        };
        assume(&mut facts, &count - &Polynomial::from(1));
    }
    facts
}

/// The iterations of the loops around one, as the variables that count them say it where the loop starts.
pub(crate) fn counters(forms: &mut Forms<'_>, control: &Control, id: LoopId) -> Vec<(AtomId, Polynomial)> {
    let start = control.loops.get(id).header;
    let around: Vec<LoopId> = control.loops.around(start).skip(1).collect();
    around.into_iter().filter_map(|outer| counter(forms, control, outer, start)).collect()
}

/// The iteration of a loop, as the variable that counts it says it in a block inside.
pub(crate) fn counter(
    forms: &mut Forms<'_>,
    control: &Control,
    id: LoopId,
    start: BlockId,
) -> Option<(AtomId, Polynomial)> {
    let function = forms.function;
    let iteration = forms.iteration(id);
    let header = control.loops.get(id).header;
    function.block(header).instructions.iter().find_map(|instruction| {
        let value = instruction.result.filter(|_| matches!(instruction.operation, Operation::Phi(_)))?;
        let memory = forms.memory()?;
        let (variable, name) = (memory.variables.of(value)?, memory.names().value(value)?);
        // Where the loop starts, the variable must not have gone on already, and its name must mean it.
        let is_same = |other: &crate::ir::module::Binding| {
            other.variable != variable || other.value.is_some_and(|of| of.value == Value::Local(value))
        };
        let is_before = |block: &BlockId| {
            control.loops.contains(id, *block) && control.dominators.dominates(*block, start)
        };
        let is_unchanged = function
            .block_ids()
            .filter(is_before)
            .all(|block| function.block(block).bindings.iter().all(is_same));
        let is_other = |parameter: &crate::ir::module::Parameter| {
            forms
                .memory()
                .is_some_and(|memory| memory.names().value(parameter.value).as_deref() == Some(&name))
        };
        if !is_unchanged || function.parameters.iter().any(is_other) {
            return None;
        }
        let form = forms.of_value(value, Reading::Signed);
        let first = form.coefficient(iteration, 0);
        let is_counter = form.degree_in(iteration) == 1 && !forms.atoms.involves(&first, iteration);
        let step = form.coefficient(iteration, 1).integer().filter(|_| is_counter)?;
        let named = forms.atoms.symbol(&name);
        let gone = &named - &first;
        match i32::try_from(step) {
            Ok(1) => Some((iteration, gone)),
            Ok(-1) => Some((iteration, -&gone)),
            _ => None,
        }
    })
}

/// A range with an atom replaced; as it was where that is too large.
fn renamed(atoms: &mut Atoms, of: &Range, atom: AtomId, value: &Polynomial) -> Range {
    let Range::Between(lower, upper) = of else { return of.clone() };
    let mut replace = |bound: &Bound| {
        let clauses = bound.clauses().iter().map(|clause| {
            clause.iter().map(|end| atoms.replaced(end, atom, value)).collect::<Option<Vec<_>>>()
        });
        clauses.collect::<Option<Vec<_>>>().map(Bound::of)
    };
    match (replace(lower), replace(upper)) {
        (Some(lower), Some(upper)) => Range::Between(lower, upper),
        _ => of.clone(),
    }
}
