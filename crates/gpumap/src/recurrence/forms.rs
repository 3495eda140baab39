//! What a value is.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use super::conditions::Condition;
use super::inputs::Given;
use super::phis::{Provided, Provisos, equal_phis};
use super::sections::Span;
use super::trips::Trips;
use crate::access::Known;
use crate::control::{Control, LoopId};
use crate::invariance::Invariance;
use crate::ir::{
    BlockId, Constant, Function, Instruction, Module, Operand, Operation, Type, TypeId, Value, ValueId,
};
use crate::memory::{Assumption, AssumptionId, Memory};
use crate::sign;
use crate::symbolic::{Atom, AtomId, Atoms, Facts, Polynomial};

/// Values that are looked at in one function, again where a φ was resolved meanwhile; afterwards nothing is known of others.
const STEPS: u32 = 200_000;
/// Operands of operands that are looked at.
const DEEPEST: u32 = 200;

/// How the bits of an integer are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reading {
    /// In two's complement.
    Signed,
    /// As an unsigned number. Addresses are read so too.
    Unsigned,
}

/// Numbers of the assumptions that something rests on (`Memory::assumption`).
pub type Premises = BTreeSet<AssumptionId>;

/// By block, and by the loop of whose entry the spans are.
type SpansOfBlocks = FxHashMap<(BlockId, Option<LoopId>), (Rc<(Vec<Span>, Facts)>, Premises)>;

/// What is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Value(ValueId, Reading),
    Facts(BlockId),
    Trips(LoopId),
    Spans(BlockId, Option<LoopId>),
}

/// Forms of the values of one function.
#[derive(Debug)]
pub struct Forms<'f> {
    /// The module.
    pub module: &'f Module,
    /// The function.
    pub function: &'f Function,
    /// Its control flow.
    pub control: &'f Control,
    /// Atoms of all forms.
    pub atoms: Atoms,
    /// Where each value is computed; parameters have no place.
    places: FxHashMap<ValueId, (BlockId, usize)>,
    /// What memory holds; without it nothing is known of what is loaded.
    pub(super) memory: Option<Memory<'f>>,
    /// Whether objects of different origin are assumed not to overlap.
    pub(super) assuming: bool,
    /// What is assumed for the value that is looked at.
    pub(super) premises: Premises,
    /// In which loops values change, if memory is known.
    pub(super) invariance: Option<Invariance>,
    /// Which signs values may have.
    signs: Option<sign::Found>,
    known: FxHashMap<(ValueId, Reading), (Polynomial, Premises)>,
    /// Comparisons that hold in blocks.
    pub(super) conditions: RefCell<FxHashMap<BlockId, Rc<[Condition]>>>,
    /// What holds in blocks.
    pub(super) facts: FxHashMap<BlockId, (Rc<Facts>, Premises)>,
    /// What tests say of loops.
    pub(super) trips: FxHashMap<LoopId, (Rc<Vec<Trips>>, Premises)>,
    /// Between which iterations blocks are reached, and what holds there.
    pub(super) spans: SpansOfBlocks,
    /// Limits of the types of parameters.
    pub(super) limits: Vec<(AtomId, Polynomial, Polynomial)>,
    /// Values of inputs.
    pub(super) given: Given,
    /// φ that are another one.
    same: FxHashMap<ValueId, ValueId>,
    /// What values are where something is not negative, by the atoms that stand for them elsewhere.
    pub(super) provided: FxHashMap<AtomId, Provided>,
    /// Whether counts are taken not to be negative.
    pub(super) provisos: Provisos,
    /// Whether more would be known under an assumption about loops.
    pub(super) may_suppose: bool,
    /// What was found while a φ was not resolved yet, for each such φ: it goes when it is.
    pub(super) open: Vec<Vec<Key>>,
    /// Atoms that stand for a value that is not resolved, and which.
    pub(super) opaque: FxHashMap<AtomId, ValueId>,
    /// Values that may still be looked at.
    steps: u32,
    /// How many operands deep the value is that is looked at.
    depth: u32,
}

impl<'f> Forms<'f> {
    /// Those of a function, nothing known of memory. The φ at headers of loops are resolved first, outer loops before inner ones.
    pub fn new(module: &'f Module, function: &'f Function, control: &'f Control) -> Forms<'f> {
        Forms::made(module, function, control, None, false, Given::default())
    }

    /// Those of a function with this memory, in which inputs may have values, objects of different origin may be assumed not to
    /// overlap, and loops to meet their ends.
    pub fn with_memory(
        module: &'f Module,
        function: &'f Function,
        control: &'f Control,
        memory: Memory<'f>,
        assuming: bool,
        given: Given,
    ) -> Forms<'f> {
        Forms::made(module, function, control, Some(memory), assuming, given)
    }

    fn made(
        module: &'f Module,
        function: &'f Function,
        control: &'f Control,
        memory: Option<Memory<'f>>,
        assuming: bool,
        given: Given,
    ) -> Forms<'f> {
        let places = function.places();
        let mut forms = Forms {
            module,
            function,
            control,
            atoms: Atoms::default(),
            places,
            memory,
            assuming,
            premises: Premises::new(),
            invariance: None,
            signs: None,
            known: FxHashMap::default(),
            conditions: RefCell::default(),
            facts: FxHashMap::default(),
            trips: FxHashMap::default(),
            spans: FxHashMap::default(),
            limits: Vec::new(),
            given,
            same: equal_phis(function),
            provided: FxHashMap::default(),
            provisos: Provisos::None,
            may_suppose: false,
            open: Vec::new(),
            opaque: FxHashMap::default(),
            steps: STEPS,
            depth: 0,
        };
        if let Some(memory) = &mut forms.memory {
            forms.invariance = Some(Invariance::new(function, control, memory));
        }
        forms.signs = Some(sign::signs(&forms));
        forms.limits = forms.limits_of_parameters();
        for (_, found) in control.loops.iter() {
            let is_phi = |i: &&Instruction| matches!(i.operation, Operation::Phi(_));
            for phi in function.block(found.header).instructions.iter().take_while(is_phi) {
                let numbers = phi.result.filter(|&result| forms.bits(function.value(result).of).is_some());
                for reading in [Reading::Signed, Reading::Unsigned] {
                    numbers.map(|result| forms.of_value(result, reading));
                }
            }
        }
        forms
    }

    /// Steps that are left for this function.
    pub(crate) fn steps(&self) -> u64 {
        u64::from(self.steps)
    }

    pub(crate) fn set_steps(&mut self, steps: u64) {
        self.steps = u32::try_from(steps).unwrap_or(u32::MAX);
    }

    /// What memory holds, if that is known.
    pub fn memory(&self) -> Option<&Memory<'f>> {
        self.memory.as_ref()
    }

    /// Whether more would be known if objects of different origin did not overlap, or loops met their ends.
    pub fn may_assume(&self) -> bool {
        self.may_suppose || self.memory.as_ref().is_some_and(Memory::may_assume)
    }

    /// The assumptions with these numbers.
    pub fn assumptions(&self, premises: &Premises) -> Vec<Assumption> {
        let memory = self.memory.as_ref();
        premises.iter().filter_map(|&id| memory.map(|memory| memory.assumption(id).clone())).collect()
    }

    /// How something is known that rests on these assumptions.
    pub fn known(&self, premises: &Premises) -> Known {
        Known::new(self.assumptions(premises))
    }

    /// Whether the function is too large: of some of its values nothing is known for that reason alone.
    pub fn is_truncated(&self) -> bool {
        self.steps == 0 || self.atoms.is_exhausted()
    }

    /// The instruction that computes a value, and its block.
    pub fn definition(&self, value: ValueId) -> Option<(BlockId, &'f Instruction)> {
        let &(block, place) = self.places.get(&value)?;
        Some((block, self.function.block(block).instructions.get(place)?))
    }

    /// Bits of an integer or address.
    pub fn bits(&self, of: TypeId) -> Option<u32> {
        match self.module.types.get(of) {
            Type::Integer(bits) if *bits <= 64 => Some(*bits),
            Type::Pointer => Some(64),
            _ => None,
        }
    }

    /// The number of iterations of a loop begun before.
    pub fn iteration(&mut self, id: LoopId) -> AtomId {
        let name = format!("#{}", id.index());
        self.atoms.number(Atom::Induction(id.index(), name.into()))
    }

    /// The form of an operand; `None` for what is no integer and no address.
    pub fn of(&mut self, operand: Operand, reading: Reading) -> Option<Polynomial> {
        self.bits(operand.of)?;
        match operand.value {
            Value::Local(value) => Some(self.of_value(value, reading)),
            Value::Constant(constant) => match self.module.constant(constant) {
                Constant::Integer(number) => {
                    let modulus = BigInt::from(1) << self.bits(operand.of)?;
                    let is_lifted = *number < 0 && reading == Reading::Unsigned;
                    let number = BigInt::from(*number);
                    Some(if is_lifted { number + modulus } else { number }.into())
                }
                Constant::Null | Constant::Zero => Some(Polynomial::default()),
                Constant::Symbol(symbol) => {
                    let name = format!("&{}", self.module.name(*symbol));
                    Some(self.atoms.symbol(&name))
                }
                Constant::Expression(expression) => self.expression(expression),
                _ => None,
            },
        }
    }

    /// The form of an operand where it is used: more may be known there than where it is computed, so that an operation which
    /// may wrap elsewhere does not wrap here.
    pub fn of_at(&mut self, block: BlockId, operand: Operand, reading: Reading) -> Option<Polynomial> {
        let form = self.of(operand, reading)?;
        let form = self.resolved_at(block, form);
        let Value::Local(value) = operand.value else { return Some(form) };
        let Some((at, instruction)) = self.definition(value).filter(|_| self.is_opaque(&form)) else {
            return Some(form);
        };
        let is_computed = matches!(instruction.operation, Operation::Binary(..) | Operation::Convert(..));
        // In the same iteration of the loops in which it is computed.
        let is_of_iteration = self.control.loops.around(at).all(|id| self.control.loops.contains(id, block));
        if at == block || !is_computed || !is_of_iteration || self.depth >= DEEPEST {
            return Some(form);
        }
        let Some(steps) = self.steps.checked_sub(1) else { return Some(form) };
        (self.steps, self.depth) = (steps, self.depth + 1);
        let known_here = self.computed(block, instruction, reading);
        self.depth -= 1;
        Some(known_here.unwrap_or(form))
    }

    /// The form of a value.
    pub fn of_value(&mut self, value: ValueId, reading: Reading) -> Polynomial {
        let value = self.same(value);
        if let Some((form, premises)) = self.known.get(&(value, reading)) {
            self.premises.extend(premises);
            return form.clone();
        }
        let own = self.opaque(value, reading);
        let Some(steps) = self.steps.checked_sub(1).filter(|_| self.depth < DEEPEST) else { return own };
        (self.steps, self.depth) = (steps, self.depth + 1);
        let (form, premises) = self.tracked(|forms| forms.looked_at(value, reading, &own));
        self.depth -= 1;
        let form = form.unwrap_or(own);
        self.remember(value, reading, form.clone(), premises);
        form
    }

    /// The first φ of a block that is the same as this one; the value itself if there is none.
    pub(super) fn same(&self, value: ValueId) -> ValueId {
        self.same.get(&value).copied().unwrap_or(value)
    }

    /// Whether two operands are the same value.
    pub(super) fn is_same(&self, a: Operand, b: Operand) -> bool {
        match (a.value, b.value) {
            (Value::Local(a), Value::Local(b)) => self.same(a) == self.same(b),
            (a, b) => a == b,
        }
    }

    /// What is found, and what was assumed for it.
    pub fn tracked<T>(&mut self, find: impl FnOnce(&mut Self) -> T) -> (T, Premises) {
        let outer = std::mem::take(&mut self.premises);
        let found = find(self);
        let own = std::mem::replace(&mut self.premises, outer);
        self.premises.extend(&own);
        (found, own)
    }

    /// Something was used that rests on this.
    pub(crate) fn suppose(&mut self, premises: &Premises) {
        self.premises.extend(premises);
    }

    pub(crate) fn take_premises(&mut self) -> Premises {
        std::mem::take(&mut self.premises)
    }

    fn looked_at(&mut self, value: ValueId, reading: Reading, own: &Polynomial) -> Option<Polynomial> {
        match self.definition(value) {
            None => self.parameter(value, reading),
            Some((block, instruction)) => match &instruction.operation {
                Operation::Phi(inputs) => {
                    // A φ that is met again before it is known stands for itself.
                    self.remember(value, reading, own.clone(), Premises::new());
                    self.phi(value, block, inputs, reading)
                }
                _ => self.computed(block, instruction, reading),
            },
        }
    }

    fn remember(&mut self, value: ValueId, reading: Reading, form: Polynomial, premises: Premises) {
        self.known.insert((value, reading), (form, premises));
        self.note(Key::Value(value, reading));
    }

    /// Notes that something was found while φ may be open.
    pub(super) fn note(&mut self, key: Key) {
        for open in &mut self.open {
            open.push(key);
        }
    }

    /// Forgets all that was found since a φ was opened but what is known of itself.
    pub(super) fn close(&mut self, own: Key) {
        for key in self.open.pop().unwrap_or_default() {
            if key != own {
                self.forget(key);
            }
        }
    }

    fn forget(&mut self, key: Key) {
        match key {
            Key::Value(value, reading) => drop(self.known.remove(&(value, reading))),
            Key::Facts(block) => drop(self.facts.remove(&block)),
            Key::Trips(id) => drop(self.trips.remove(&id)),
            Key::Spans(block, within) => drop(self.spans.remove(&(block, within))),
        }
    }

    /// The atom of a value of which nothing is known.
    pub(super) fn opaque(&mut self, value: ValueId, reading: Reading) -> Polynomial {
        // Values are fewer than 2^31 (`reader::read`).
        let number = (value.index() as u32) * 2 + u32::from(reading == Reading::Unsigned);
        let atom = self.atoms.number(Atom::Opaque(number));
        if self.opaque.insert(atom, value).is_some() {
            return atom.into();
        }
        let signs = self.signs.as_ref().and_then(|signs| signs.get(value));
        if reading == Reading::Unsigned || signs.is_some_and(|signs| !signs.negative) {
            self.atoms.note_not_negative(atom);
        }
        if let Some(memory) = &self.memory
            && let Some(variable) = memory.variables.of(value)
            && let Some(name) = self.module.metadata.text(variable, "name")
        {
            self.atoms.call(atom, &format!("{name}?{number}"));
        }
        atom.into()
    }
}
