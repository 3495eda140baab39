//! In which loops a value changes, as a monotone analysis over the work list of `solver`.
//!
//! A fact is the innermost loop in which a value changes, or none; in all loops around that one it counts as changing too. Arguments
//! and constants do not change. A φ at the head of a loop changes in it, unless what comes from inside is itself or what it
//! starts as. A φ elsewhere changes with its inputs and with the branches that decide between them; what leaves a loop in which it
//! changes may change with every loop that is left to it. What is loaded changes with its address, and with the loop around the part
//! of the function in which memory provably stays as it is: nothing is assumed here. What is not known changes in every loop.
//!
//! Source: ALGORITHMS 7.7, research note 8 and 9.

use rustc_hash::FxHashMap;

use crate::control::{Control, LoopId};
use crate::ir::instruction::Callee;
use crate::ir::{BlockId, Function, Instruction, Operand, Operation, Value, ValueId};
use crate::memory::{Memory, Span, library};
use crate::solver::{self, Analysis, Facts};

/// Blocks between a φ and what dominates it that are looked through for branches.
const BETWEEN: usize = 64;
/// Steps of the work list per value.
const STEPS: u64 = 64;

/// What is known of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changes {
    /// It has not been looked at.
    Unreached,
    /// In this loop and those around it; `None`: never.
    In(Option<LoopId>),
}

/// The facts of a function.
#[derive(Debug)]
pub struct Invariance {
    facts: Facts<ValueId, Changes>,
}

impl Invariance {
    /// Those of a function with this memory.
    pub fn new(function: &Function, control: &Control, memory: &mut Memory<'_>) -> Invariance {
        let places = function.places();
        let mut search = Search { function, control, memory, places: &places };
        let mut steps = STEPS * (function.values.len() as u64 + 1);
        let roots = places.keys().copied().collect::<std::collections::BTreeSet<_>>();
        Invariance { facts: solver::solve(&mut search, roots, &mut steps) }
    }

    /// The innermost loop in which a value changes; `None` if that is not known.
    pub fn of(&self, value: ValueId) -> Option<Option<LoopId>> {
        match self.facts.get(value)? {
            Changes::In(id) => Some(*id),
            Changes::Unreached => None,
        }
    }
}

struct Search<'a, 'm> {
    function: &'a Function,
    control: &'a Control,
    memory: &'a mut Memory<'m>,
    places: &'a FxHashMap<ValueId, (BlockId, usize)>,
}

impl<'a> Search<'a, '_> {
    fn definition(&self, value: ValueId) -> Option<(BlockId, &'a Instruction)> {
        let &(block, place) = self.places.get(&value)?;
        Some((block, self.function.block(block).instructions.get(place)?))
    }

    /// What decides about a value: operands, and conditions where several ways meet.
    fn deciding(&self, block: BlockId, instruction: &Instruction) -> Option<Vec<Operand>> {
        match &instruction.operation {
            Operation::Phi(inputs) => {
                let mut list: Vec<Operand> = inputs.iter().map(|input| input.0).collect();
                let is_one = list.iter().all(|input| Some(input) == list.first());
                if !is_one && self.control.loops.headed_by(block).is_none() {
                    list.extend(self.conditions_before(block)?);
                }
                Some(list)
            }
            Operation::Call { callee, arguments, .. } => {
                let computes = matches!(callee, Callee::Symbol(symbol)
                    if library::only_computes(self.memory.objects.module, *symbol));
                computes.then(|| arguments.clone())
            }
            Operation::Allocate { .. } | Operation::Opaque { .. } | Operation::Atomic { .. } => None,
            operation => Some(operation.operands()),
        }
    }

    /// Conditions of the branches between a block and the one that dominates it.
    fn conditions_before(&self, block: BlockId) -> Option<Vec<Operand>> {
        let dominator = self.control.dominators.immediate(block)?;
        let mut seen = Vec::new();
        let mut open = self.control.predecessors[block.index()].clone();
        while let Some(at) = open.pop() {
            if seen.contains(&at) {
                continue;
            }
            seen.push(at);
            if seen.len() > BETWEEN {
                return None;
            }
            if at != dominator {
                open.extend(&self.control.predecessors[at.index()]);
            }
        }
        let mut list = Vec::new();
        for at in seen {
            match &self.function.block(at).last()?.operation {
                Operation::ConditionalBranch { condition, .. } => list.push(*condition),
                Operation::Switch { value, .. } => list.push(*value),
                Operation::Branch(_) => {}
                _ => return None,
            }
        }
        Some(list)
    }

    /// The deeper of two loops around a block.
    fn deeper(&self, a: Option<LoopId>, b: Option<LoopId>) -> Option<LoopId> {
        a.into_iter().chain(b).max_by_key(|&id| self.control.loops.get(id).depth)
    }

    /// Whether a φ at the head of a loop has one value in it.
    fn is_copied(&self, value: ValueId, id: LoopId, inputs: &[(Operand, BlockId)]) -> bool {
        let outside = inputs.iter().find(|input| !self.control.loops.contains(id, input.1));
        let is_same = |input: &Operand| {
            input.value == Value::Local(value)
                || outside.is_some_and(|outside| outside.0.value == input.value)
        };
        let inside = inputs.iter().filter(|input| self.control.loops.contains(id, input.1));
        inside.into_iter().all(|input| is_same(&input.0))
    }

    /// The innermost loop in which an instruction's value changes; `None` while that is not reached.
    fn changes(
        &mut self,
        value: ValueId,
        block: BlockId,
        instruction: &Instruction,
        facts: &Facts<ValueId, Changes>,
    ) -> Changes {
        let here = self.control.loops.innermost(block);
        let mut all = None;
        match &instruction.operation {
            Operation::Phi(inputs) => {
                if let Some(id) = self.control.loops.headed_by(block)
                    && !self.is_copied(value, id, inputs)
                {
                    return Changes::In(here);
                }
            }
            Operation::Load { .. } => match self.memory.stays(block, instruction, false) {
                Some((Span::Function, _)) => {}
                Some((Span::Loop(id), _)) => all = self.control.loops.get(id).parent,
                None => return Changes::In(here),
            },
            _ => {}
        }
        let Some(deciding) = self.deciding(block, instruction) else { return Changes::In(here) };
        for operand in deciding {
            let Value::Local(value) = operand.value else { continue };
            match facts.get(value) {
                Some(Changes::In(Some(id))) if !self.control.loops.contains(*id, block) => all = here,
                Some(Changes::In(id)) => all = self.deeper(all, *id),
                Some(Changes::Unreached) => {}
                // Arguments.
                None if self.definition(value).is_none() && facts.complete => {}
                None => all = here,
            }
        }
        Changes::In(all)
    }
}

impl Analysis for Search<'_, '_> {
    type Node = ValueId;
    type Fact = Changes;

    fn unreached(&self) -> Changes {
        Changes::Unreached
    }

    fn inputs(&mut self, value: ValueId) -> Vec<ValueId> {
        let Some((block, instruction)) = self.definition(value) else { return Vec::new() };
        let deciding = self.deciding(block, instruction).unwrap_or_default();
        let local = |operand: &Operand| match operand.value {
            Value::Local(value) if self.definition(value).is_some() => Some(value),
            _ => None,
        };
        deciding.iter().filter_map(local).collect()
    }

    fn transfer(&mut self, value: ValueId, facts: &Facts<ValueId, Changes>) -> Changes {
        match self.definition(value) {
            Some((block, instruction)) => self.changes(value, block, instruction, facts),
            None => Changes::In(None),
        }
    }
}
