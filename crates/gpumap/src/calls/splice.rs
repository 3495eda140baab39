//! Puts the blocks of a function in place of a call.
//!
//! The block of the call ends in a branch to the first block of the function; its rest becomes a block of its own, to which every
//! return leads and which begins with a φ of what is returned. Storage of constant size that the function allocates when it is
//! entered is allocated once, when the caller is entered: nothing of it is read before it is written.

use rustc_hash::FxHashMap;

use crate::ir::module::Binding;
use crate::ir::{Block, BlockId, Function, Instruction, Module, Operand, Operation, Value, ValueId};

/// A function that is put into another one.
pub struct Splice<'a> {
    module: &'a Module,
    into: &'a mut Function,
    callee: &'a Function,
    name: &'a str,
    /// What stands for the values of the function.
    values: FxHashMap<ValueId, Operand>,
    /// The number that its first block gets.
    first: usize,
}

impl<'a> Splice<'a> {
    /// Of a function with this name.
    pub fn new(
        module: &'a Module,
        into: &'a mut Function,
        callee: &'a Function,
        name: &'a str,
    ) -> Splice<'a> {
        let first = into.blocks.len() + 1;
        Splice { module, into, callee, name, values: FxHashMap::default(), first }
    }

    /// Puts it in place of the call at this place of a block.
    pub fn put(mut self, block: BlockId, place: usize) {
        let Operation::Call { arguments, .. } =
            self.into.blocks[block.index()].instructions[place].operation.clone()
        else {
            return;
        };
        let is_parameter: Vec<ValueId> = self.callee.parameters.iter().map(|p| p.value).collect();
        self.values.extend(is_parameter.iter().copied().zip(arguments));
        for (index, info) in self.callee.values.iter().enumerate() {
            let value = ValueId::new(index);
            if !self.values.contains_key(&value) {
                let new = Value::Local(ValueId::new(self.into.values.len()));
                self.values.insert(value, Operand { of: info.of, value: new });
                self.into.values.push(info.clone());
            }
        }
        let call = self.split(block, place);
        let (mut returned, mut storage) = (Vec::new(), Vec::new());
        let rest = BlockId::new(self.first - 1);
        for (index, of) in self.callee.blocks.iter().enumerate() {
            let own = BlockId::new(self.first + index);
            let mut instructions = Vec::new();
            for instruction in &of.instructions {
                let mut instruction = self.renamed(instruction);
                if let Operation::Return(value) = instruction.operation {
                    returned.extend(value.map(|value| (value, own)));
                    instruction.operation = Operation::Branch(rest);
                    instruction.loop_node = None;
                }
                let is_storage = index == 0
                    && matches!(&instruction.operation, Operation::Allocate { count, .. }
                        if self.module.integer(*count).is_some());
                if is_storage { storage.push(instruction) } else { instructions.push(instruction) }
            }
            // Places in the first block are later than they were; bindings may come too late, never too early.
            let last = instructions.len().saturating_sub(1);
            let bindings = of.bindings.iter().filter_map(|binding| self.bound(binding, last, &is_parameter));
            let name = format!("{}.{}", self.name, of.name).into();
            self.into.blocks.push(Block { name, instructions, bindings: bindings.collect() });
        }
        if let Some(result) = call.result {
            let phi = Instruction { operation: Operation::Phi(returned), result: Some(result), ..call };
            insert(&mut self.into.blocks[rest.index()], vec![phi]);
        }
        insert(&mut self.into.blocks[0], storage);
    }

    /// Splits a block at a call, which is taken out.
    fn split(&mut self, block: BlockId, place: usize) -> Instruction {
        let (rest, first) = (BlockId::new(self.first - 1), BlockId::new(self.first));
        let old = &mut self.into.blocks[block.index()];
        let behind = old.instructions.split_off(place + 1);
        let call = old.instructions[place].clone();
        old.instructions[place] = Instruction {
            operation: Operation::Branch(first),
            result: None,
            access_type: None,
            loop_node: None,
            ..call
        };
        let (before, after): (Vec<Binding>, Vec<Binding>) =
            std::mem::take(&mut old.bindings).into_iter().partition(|binding| binding.before <= place);
        old.bindings = before;
        let later = |binding: Binding| Binding { before: binding.before - place - 1, ..binding };
        let bindings = after.into_iter().map(later).collect();
        let name = format!("{}.rest", old.name).into();
        self.into.blocks.push(Block { name, instructions: behind, bindings });
        for next in self.into.successors(rest) {
            for instruction in &mut self.into.blocks[next.index()].instructions {
                if let Operation::Phi(inputs) = &mut instruction.operation {
                    inputs.iter_mut().filter(|input| input.1 == block).for_each(|input| input.1 = rest);
                }
            }
        }
        call
    }

    fn renamed(&self, instruction: &Instruction) -> Instruction {
        let mut new = instruction.clone();
        for operand in new.operation.operands_mut() {
            *operand = self.operand(*operand);
        }
        for block in new.operation.blocks_mut() {
            *block = BlockId::new(self.first + block.index());
        }
        new.result = new.result.and_then(|result| match self.values.get(&result)?.value {
            Value::Local(value) => Some(value),
            Value::Constant(_) => None,
        });
        new
    }

    fn operand(&self, operand: Operand) -> Operand {
        match operand.value {
            Value::Local(value) => self.values.get(&value).copied().unwrap_or(operand),
            Value::Constant(_) => operand,
        }
    }

    /// A variable of the function. Its parameters' values are the caller's, who has names for them.
    fn bound(&self, binding: &Binding, last: usize, parameters: &[ValueId]) -> Option<Binding> {
        let operand = binding.value?;
        let is_parameter = matches!(operand.value, Value::Local(value) if parameters.contains(&value));
        (!is_parameter).then(|| Binding {
            value: Some(self.operand(operand)),
            before: binding.before.min(last),
            ..binding.clone()
        })
    }
}

/// Puts instructions before those of a block.
fn insert(block: &mut Block, new: Vec<Instruction>) {
    block.bindings.iter_mut().for_each(|binding| binding.before += new.len());
    block.instructions.splice(0..0, new);
}
