//! Why a loop is not analysed.

use std::fmt;

use super::{Control, LoopId};
use crate::ir::instruction::{Callee, LANDING};
use crate::ir::module::{Block, Definition};
use crate::ir::{BlockId, Function, Instruction, MetadataId, Module, Operation, SymbolId};

/// What in a loop cannot be analysed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Obstacle {
    /// It is entered by other blocks than its header.
    Irreducible,
    /// Assembly.
    Assembly,
    /// A call that may return twice (`setjmp`), in the function.
    ReturnsTwice,
    /// A jump to an address.
    IndirectBranch,
    /// A call of an address.
    IndirectCall,
    /// A function that calls itself, perhaps through others.
    Recursion,
    /// A volatile access.
    Volatile,
    /// An atomic access or a fence.
    Atomic,
    /// The next of a variable list of arguments.
    VariableArguments,
    /// A call that may leave by an exception, which is handled in the function.
    Exception,
    /// A call that ends the program.
    Ends,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Obstacle::Irreducible => "it is entered in several places",
            Obstacle::Assembly => "assembly",
            Obstacle::ReturnsTwice => "the function calls one that may return twice",
            Obstacle::IndirectBranch => "a jump to an address",
            Obstacle::IndirectCall => "a call of an address",
            Obstacle::Recursion => "a recursive function",
            Obstacle::Volatile => "a volatile access",
            Obstacle::Atomic => "an atomic access",
            Obstacle::VariableArguments => "a variable list of arguments",
            Obstacle::Exception => "a call that may throw an exception",
            Obstacle::Ends => "a call that ends the program",
        })
    }
}

/// What stands in the way of analysing a loop, in order, with the place of the first of each kind.
///
/// Functions that are called count with all that they call.
pub fn obstacles(
    module: &Module,
    function: &Function,
    control: &Control,
    id: LoopId,
) -> Vec<(Obstacle, Option<MetadataId>)> {
    let found = control.loops.get(id);
    let mut list = Vec::new();
    let is_inside = |block: &BlockId| control.loops.contains(id, *block);
    let inner_irreducible = control.loops.iter().any(|(_, l)| is_inside(&l.header) && !l.reducible);
    if !found.reducible || inner_irreducible {
        list.push((Obstacle::Irreducible, found.location));
    }
    let all = || function.blocks.iter().flat_map(|block| &block.instructions);
    list.extend(all().filter(|i| may_return_twice(module, i)).map(|i| (Obstacle::ReturnsTwice, i.location)));
    for &block in &found.blocks {
        for instruction in &function.block(block).instructions {
            let own = obstacle(instruction);
            let called = callee(module, instruction).into_iter().flat_map(|callee| within(module, callee));
            list.extend(own.into_iter().chain(called).map(|obstacle| (obstacle, instruction.location)));
        }
    }
    let throws = found.blocks.iter().filter_map(|&block| function.block(block).last()).filter(|last| {
        let is_landing = |block: &BlockId| function.block(*block).instructions.iter().any(is_landing);
        last.operation.successors().iter().any(is_landing)
    });
    list.extend(throws.map(|last| (Obstacle::Exception, last.location)));
    // What does not come back is not inside.
    for block in found.exits.iter().map(|exit| function.block(exit.1)).filter(|block| is_end(block)) {
        list.push((Obstacle::Ends, block.instructions.first().and_then(|first| first.location)));
    }
    // Stable: the first place of each kind stays.
    list.sort_by_key(|entry| entry.0);
    list.dedup_by_key(|entry| entry.0);
    list
}

/// Whether nothing follows behind a block.
pub(crate) fn is_end(block: &Block) -> bool {
    block.last().is_some_and(|last| matches!(last.operation, Operation::Unreachable))
}

/// Whether exceptions are handled from here on.
fn is_landing(instruction: &Instruction) -> bool {
    matches!(instruction.operation, Operation::Opaque { name: LANDING, .. })
}

/// What an instruction itself is in the way of.
fn obstacle(instruction: &Instruction) -> Option<Obstacle> {
    match &instruction.operation {
        Operation::Call { callee: Callee::Assembly(_), .. } => Some(Obstacle::Assembly),
        Operation::Call { callee: Callee::Address(_), .. } => Some(Obstacle::IndirectCall),
        Operation::IndirectBranch { .. } => Some(Obstacle::IndirectBranch),
        Operation::Load { access, .. } | Operation::Store { access, .. } if access.volatile => {
            Some(Obstacle::Volatile)
        }
        Operation::Load { access, .. } | Operation::Store { access, .. } if access.atomic => {
            Some(Obstacle::Atomic)
        }
        Operation::Atomic { .. } | Operation::Fence => Some(Obstacle::Atomic),
        Operation::Opaque { name: "va_arg", .. } => Some(Obstacle::VariableArguments),
        _ => None,
    }
}

/// What stands in the way in a function and all that it calls.
fn within(module: &Module, start: SymbolId) -> Vec<Obstacle> {
    let mut list = Vec::new();
    let (mut seen, mut open) = (vec![start], vec![start]);
    while let Some(symbol) = open.pop() {
        let Definition::Function(place) = module.symbols[symbol.index()].definition else { continue };
        for instruction in module.functions[place].blocks.iter().flat_map(|block| &block.instructions) {
            list.extend(obstacle(instruction));
            if may_return_twice(module, instruction) {
                list.push(Obstacle::ReturnsTwice);
            }
            let Some(next) = callee(module, instruction) else { continue };
            if next == start {
                list.push(Obstacle::Recursion);
            }
            if !seen.contains(&next) {
                seen.push(next);
                open.push(next);
            }
        }
    }
    list
}

/// The function that an instruction calls by its name.
fn callee(module: &Module, instruction: &Instruction) -> Option<SymbolId> {
    match &instruction.operation {
        Operation::Call { callee: Callee::Symbol(symbol), .. } => {
            let is_function = matches!(module.symbols[symbol.index()].definition, Definition::Function(_));
            is_function.then_some(*symbol)
        }
        _ => None,
    }
}

/// Whether an instruction calls a function that has the attribute `returns_twice`, or does so itself.
fn may_return_twice(module: &Module, instruction: &Instruction) -> bool {
    let Operation::Call { attributes, .. } = &instruction.operation else { return false };
    let of_callee =
        callee(module, instruction).and_then(|symbol| match module.symbols[symbol.index()].definition {
            Definition::Function(place) => Some(&module.functions[place].attributes),
            _ => None,
        });
    let groups = attributes.iter().chain(of_callee.into_iter().flatten());
    groups.filter_map(|group| module.attributes.get(group)).any(|text| text.contains("returns_twice"))
}
