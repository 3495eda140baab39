//! Objects whose address others may know: it is stored, passed on or turned into a number.

use std::collections::BTreeSet;

use super::library;
use super::object::{Bases, Object, Objects};
use crate::ir::instruction::{Callee, Conversion};
use crate::ir::{Instruction, Operand, Operation, Type, ValueId};

/// The objects of a function whose address leaves the values of the function before it returns.
pub fn captured(objects: &Objects<'_>) -> BTreeSet<Object> {
    let mut all = BTreeSet::new();
    for instruction in objects.function.blocks.iter().flat_map(|block| &block.instructions) {
        for operand in passed_on(objects, instruction) {
            // A vector of addresses is not followed: what an address comes from is captured where it is put in.
            if *objects.module.types.get(operand.of) == Type::Pointer
                && let Bases::Among(bases) = objects.bases(operand)
            {
                all.extend(bases);
            }
        }
    }
    all
}

fn is_address(objects: &Objects<'_>, value: ValueId) -> bool {
    *objects.module.types.get(objects.function.value(value).of) == Type::Pointer
}

/// Operands whose value goes where it is not followed.
fn passed_on(objects: &Objects<'_>, instruction: &Instruction) -> Vec<Operand> {
    match &instruction.operation {
        Operation::Store { value, .. } => vec![*value],
        Operation::Call { callee, arguments, .. } => {
            // Some give back an address that they were given.
            let gives_address = instruction.result.is_some_and(|result| is_address(objects, result));
            let keeps = match callee {
                Callee::Symbol(symbol) if library::allocates(objects.module, *symbol) => false,
                Callee::Symbol(symbol) => gives_address || library::known(objects.module, *symbol).is_none(),
                Callee::Address(_) | Callee::Assembly(_) => true,
            };
            if keeps { arguments.clone() } else { Vec::new() }
        }
        Operation::Convert(Conversion::PointerToInteger, _, of) => vec![*of],
        Operation::InsertValue(aggregate, part, _) => vec![*aggregate, *part],
        Operation::Opaque { operands, .. } => operands.clone(),
        Operation::Atomic { operands, .. } => operands.clone(),
        _ => Vec::new(),
    }
}
