//! Objects, and in which of them an address may lie.
//!
//! An address that is computed from another one lies in the same object; anything else would have no meaning in C.

use rustc_hash::FxHashMap;

use super::library;
use crate::ir::instruction::{Callee, Conversion};
use crate::ir::module::Definition;
use crate::ir::{
    BlockId, Constant, ConstantExpression, Function, Instruction, Module, Operand, Operation, SymbolId, Type,
    Value, ValueId,
};
use crate::solver::{self, Analysis, Facts};

/// Most objects that an address may lie in before it may lie anywhere.
const MOST: usize = 8;
/// Constants and chains of aliases may be nested this deep.
const DEEPEST: u32 = 32;
/// Steps of the work list per value.
const STEPS: u64 = 64;

/// An object of memory, by where its address comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Object {
    /// What the parameter at this place points to.
    Argument(usize),
    /// A global variable or function.
    Global(SymbolId),
    /// A variable of the function, by the instruction that allocates it.
    Local(ValueId),
    /// What a call allocates.
    Heap(ValueId),
    /// What an address points to that is loaded or that a call returns.
    Pointed(ValueId),
}

/// The objects that an address may lie in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bases {
    /// One of these, ascending.
    Among(Vec<Object>),
    /// Any whose address others know.
    Any,
}

impl Bases {
    /// No object.
    pub fn none() -> Bases {
        Bases::Among(Vec::new())
    }

    /// The one object that it is.
    pub fn single(&self) -> Option<Object> {
        match self {
            Bases::Among(list) => match list.as_slice() {
                [one] => Some(*one),
                _ => None,
            },
            Bases::Any => None,
        }
    }

    /// Objects of either.
    pub fn union(&self, other: &Bases) -> Bases {
        let (Bases::Among(a), Bases::Among(b)) = (self, other) else { return Bases::Any };
        let mut all: Vec<Object> = a.iter().chain(b).copied().collect();
        all.sort_unstable();
        all.dedup();
        if all.len() > MOST { Bases::Any } else { Bases::Among(all) }
    }
}

impl From<Object> for Bases {
    fn from(object: Object) -> Bases {
        Bases::Among(vec![object])
    }
}

/// The objects of a function.
#[derive(Debug)]
pub struct Objects<'f> {
    /// The module.
    pub module: &'f Module,
    /// The function.
    pub function: &'f Function,
    places: FxHashMap<ValueId, (BlockId, usize)>,
    facts: Facts<ValueId, Bases>,
}

impl<'f> Objects<'f> {
    /// Those of a function.
    pub fn new(module: &'f Module, function: &'f Function) -> Objects<'f> {
        let places = function.places();
        let mut search = Search { module, function, places: &places };
        let is_address = |value: &ValueId| *module.types.get(function.value(*value).of) == Type::Pointer;
        let roots = (0..function.values.len()).map(ValueId::new).filter(is_address);
        let mut steps = STEPS * (function.values.len() as u64 + 1);
        let facts = solver::solve(&mut search, roots, &mut steps);
        Objects { module, function, places, facts }
    }

    /// The instruction that computes a value.
    pub fn definition(&self, value: ValueId) -> Option<&'f Instruction> {
        let &(block, place) = self.places.get(&value)?;
        self.function.block(block).instructions.get(place)
    }

    /// The block in which a value is computed; `None` for arguments.
    pub fn place(&self, value: ValueId) -> Option<BlockId> {
        self.places.get(&value).map(|place| place.0)
    }

    /// In which objects an address may lie.
    pub fn bases(&self, address: Operand) -> Bases {
        match address.value {
            Value::Local(value) => self.facts.get(value).cloned().unwrap_or(Bases::Any),
            Value::Constant(_) => of_constant(self.module, address, DEEPEST),
        }
    }

    /// Where an address comes from and how many bytes it lies behind that, as far as steps are constant.
    pub fn rooted(&self, address: Operand) -> (Value, i128) {
        let (mut at, mut offset) = (address, 0i128);
        for _ in 0..DEEPEST {
            let Value::Local(value) = at.value else { break };
            let Some(Operation::Element { source, base, indices, .. }) =
                self.definition(value).map(|instruction| &instruction.operation)
            else {
                break;
            };
            let bytes = self.module.constant_offset(*source, indices);
            let Some(sum) = bytes.and_then(|bytes| offset.checked_add(bytes)) else { break };
            (at, offset) = (*base, sum);
        }
        (at.value, offset)
    }

    /// Whether a value is computed once in an activation: it is an argument or stands in the first block, to which nothing leads.
    pub fn is_computed_once(&self, value: ValueId) -> bool {
        self.places.get(&value).is_none_or(|(block, _)| block.index() == 0)
    }

    /// Whether an object is the function's own: it comes into being in it, as a copy of an argument too.
    pub fn is_own(&self, object: Object) -> bool {
        match object {
            Object::Local(_) | Object::Heap(_) => true,
            Object::Argument(place) => {
                self.function.parameters.get(place).is_some_and(|parameter| parameter.by_value)
            }
            Object::Global(_) | Object::Pointed(_) => false,
        }
    }
}

struct Search<'a, 'f> {
    module: &'f Module,
    function: &'f Function,
    places: &'a FxHashMap<ValueId, (BlockId, usize)>,
}

impl<'f> Search<'_, 'f> {
    fn definition(&self, value: ValueId) -> Option<&'f Instruction> {
        let &(block, place) = self.places.get(&value)?;
        self.function.block(block).instructions.get(place)
    }

    /// The addresses that one is computed from.
    fn sources(&self, value: ValueId) -> Vec<Operand> {
        match self.definition(value).map(|instruction| &instruction.operation) {
            Some(Operation::Element { base, .. }) => vec![*base],
            Some(
                Operation::Freeze(of)
                | Operation::Convert(Conversion::Bits | Conversion::AddressSpace, _, of),
            ) => vec![*of],
            Some(Operation::Phi(inputs)) => inputs.iter().map(|input| input.0).collect(),
            Some(Operation::Select { then, otherwise, .. }) => vec![*then, *otherwise],
            _ => Vec::new(),
        }
    }
}

impl Analysis for Search<'_, '_> {
    type Node = ValueId;
    type Fact = Bases;

    fn unreached(&self) -> Bases {
        Bases::none()
    }

    fn inputs(&mut self, value: ValueId) -> Vec<ValueId> {
        let local = |operand: Operand| match operand.value {
            Value::Local(value) => Some(value),
            Value::Constant(_) => None,
        };
        self.sources(value).into_iter().filter_map(local).collect()
    }

    fn transfer(&mut self, value: ValueId, facts: &Facts<ValueId, Bases>) -> Bases {
        let Some(instruction) = self.definition(value) else {
            let place = self.function.parameters.iter().position(|parameter| parameter.value == value);
            return place.map_or(Bases::Any, |place| Object::Argument(place).into());
        };
        match &instruction.operation {
            Operation::Allocate { .. } => Object::Local(value).into(),
            Operation::Load { .. } => Object::Pointed(value).into(),
            Operation::Call { callee, .. } => {
                let allocates =
                    matches!(callee, Callee::Symbol(symbol) if library::allocates(self.module, *symbol));
                if allocates { Object::Heap(value).into() } else { Object::Pointed(value).into() }
            }
            _ => {
                let sources = self.sources(value);
                if sources.is_empty() {
                    return Bases::Any;
                }
                sources.into_iter().fold(Bases::none(), |all, source| {
                    all.union(&match source.value {
                        Value::Local(value) => facts.get(value).cloned().unwrap_or(Bases::Any),
                        Value::Constant(_) => of_constant(self.module, source, DEEPEST),
                    })
                })
            }
        }
    }
}

/// The objects that a constant address lies in.
fn of_constant(module: &Module, address: Operand, depth: u32) -> Bases {
    let (Value::Constant(constant), Some(depth)) = (address.value, depth.checked_sub(1)) else {
        return Bases::Any;
    };
    match module.constant(constant) {
        Constant::Null | Constant::Zero | Constant::Undefined | Constant::Poison => Bases::none(),
        Constant::Symbol(symbol) => match module.symbols[symbol.index()].definition {
            Definition::Alias(of) => of_constant(module, of, depth),
            Definition::Function(_) | Definition::Global(_) => Object::Global(*symbol).into(),
        },
        Constant::Expression(expression) => match &**expression {
            ConstantExpression::Element { base, .. } => of_constant(module, *base, depth),
            _ => Bases::Any,
        },
        _ => Bases::Any,
    }
}
