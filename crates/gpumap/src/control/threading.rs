//! Makes each test of `a && b` a branch of its own.
//!
//! The condition of `for (…; a && b; …)` is written as blocks that all lead to one which branches by φ(false, b). An edge on
//! which that φ is a constant goes where the branch goes with it; what is left is a branch by b. Only blocks of φ
//! and the branch alone are gone around, whose φ that branch and the φ of its targets use and nothing else, and no edge to the
//! header of a loop comes into being, so that loops keep their one entry and their one edge back.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Control;
use crate::ir::{BlockId, Function, Instruction, Module, Operand, Operation, Value, ValueId};

/// Leads edges past branches whose condition is a constant on them.
pub fn threaded(module: &Module, function: Function) -> Function {
    let candidates = candidates(&function);
    if candidates.is_empty() {
        return function;
    }
    let control = Control::new(&function);
    let mut function = function;
    for block in candidates {
        for (from, target) in constant_edges(module, &function, block) {
            let is_single = |of: BlockId| function.successors(from).iter().filter(|&&to| to == of).count();
            let is_simple = is_single(block) == 1 && is_single(target) == 0;
            if is_simple && control.is_reached(from) && control.loops.headed_by(target).is_none() {
                lead(&mut function, from, block, target);
            }
        }
        forward_single(&mut function, block);
    }
    function
}

/// Whether an instruction is a φ.
fn is_phi(instruction: &Instruction) -> bool {
    matches!(instruction.operation, Operation::Phi(_))
}

/// How a block of φ branches by one of them.
struct Deciding<'f> {
    inputs: &'f [(Operand, BlockId)],
    then: BlockId,
    otherwise: BlockId,
}

/// That of a block; `None` if it holds anything else.
fn deciding(function: &Function, block: BlockId) -> Option<Deciding<'_>> {
    let instructions = &function.block(block).instructions;
    let (last, before) = instructions.split_last()?;
    let Operation::ConditionalBranch { condition, then, otherwise } = last.operation else { return None };
    let Value::Local(value) = condition.value else { return None };
    let phi = before.iter().find(|instruction| instruction.result == Some(value))?;
    let Operation::Phi(inputs) = &phi.operation else { return None };
    (before.iter().all(is_phi) && then != otherwise).then_some(Deciding { inputs, then, otherwise })
}

/// Blocks of φ and a branch by one of them that nothing else uses.
fn candidates(function: &Function) -> Vec<BlockId> {
    let mut homes: FxHashMap<ValueId, BlockId> = FxHashMap::default();
    for block in function.block_ids().filter(|&block| deciding(function, block).is_some()) {
        homes.extend(function.block(block).instructions.iter().filter_map(|phi| Some((phi.result?, block))));
    }
    let mut spoiled = FxHashSet::default();
    for block in function.block_ids() {
        for instruction in &function.block(block).instructions {
            let is_last = instruction.operation.leaves();
            let uses: Vec<(Operand, Option<BlockId>)> = match &instruction.operation {
                Operation::Phi(inputs) => inputs.iter().map(|&(of, from)| (of, Some(from))).collect(),
                other => other.operands().into_iter().map(|of| (of, None)).collect(),
            };
            for (operand, from) in uses {
                let Value::Local(value) = operand.value else { continue };
                let Some(&home) = homes.get(&value) else { continue };
                let is_own = from.map_or(is_last && block == home, |from| from == home && block != home);
                if !is_own {
                    spoiled.insert(home);
                }
            }
        }
    }
    function
        .block_ids()
        .filter(|&block| deciding(function, block).is_some() && !spoiled.contains(&block))
        .collect()
}

/// Blocks from which the branch of a block goes one way, and where: not all from which it is reached.
fn constant_edges(module: &Module, function: &Function, block: BlockId) -> Vec<(BlockId, BlockId)> {
    let Some(Deciding { inputs, then, otherwise }) = deciding(function, block) else { return Vec::new() };
    let target =
        |operand: Operand| module.integer(operand).map(|set| if set != 0 { then } else { otherwise });
    let edges: Vec<_> = inputs.iter().filter_map(|&(of, from)| Some((from, target(of)?))).collect();
    if edges.len() == inputs.len() { Vec::new() } else { edges }
}

/// Leads the edge from one block to another to a target of the latter.
fn lead(function: &mut Function, from: BlockId, block: BlockId, target: BlockId) {
    let mut brought: FxHashMap<ValueId, Operand> = FxHashMap::default();
    for phi in &mut function.blocks[block.index()].instructions {
        if let (Operation::Phi(inputs), Some(result)) = (&mut phi.operation, phi.result) {
            brought.extend(inputs.iter().find(|input| input.1 == from).map(|input| (result, input.0)));
            inputs.retain(|input| input.1 != from);
        }
    }
    for phi in &mut function.blocks[target.index()].instructions {
        if let Operation::Phi(inputs) = &mut phi.operation
            && let Some(&(through, _)) = inputs.iter().find(|input| input.1 == block)
        {
            inputs.push((replaced(through, &brought), from));
        }
    }
    if let Some(last) = function.blocks[from.index()].instructions.last_mut() {
        last.operation.blocks_mut().into_iter().filter(|to| **to == block).for_each(|to| *to = target);
    }
}

/// Puts what the φ of a block with one way to it are in their place.
fn forward_single(function: &mut Function, block: BlockId) {
    let single = |phi: &Instruction| match (&phi.operation, phi.result) {
        (Operation::Phi(inputs), Some(result)) if inputs.len() == 1 => Some((result, inputs[0].0)),
        _ => None,
    };
    let brought: FxHashMap<ValueId, Operand> =
        function.block(block).instructions.iter().filter_map(single).collect();
    let targets = function.successors(block);
    if let Some(last) = function.blocks[block.index()].instructions.last_mut() {
        last.operation.operands_mut().into_iter().for_each(|operand| *operand = replaced(*operand, &brought));
    }
    for target in targets {
        for phi in &mut function.blocks[target.index()].instructions {
            if let Operation::Phi(inputs) = &mut phi.operation {
                let own = inputs.iter_mut().filter(|input| input.1 == block);
                own.for_each(|input| input.0 = replaced(input.0, &brought));
            }
        }
    }
}

fn replaced(operand: Operand, by: &FxHashMap<ValueId, Operand>) -> Operand {
    match operand.value {
        Value::Local(value) => by.get(&value).copied().unwrap_or(operand),
        Value::Constant(_) => operand,
    }
}
