//! Which writes the instructions of a function make, those of functions that it calls among them.

use rustc_hash::FxHashMap;

use super::library::{self, Writes};
use super::object::{Bases, Object, Objects};
use crate::ir::instruction::Callee;
use crate::ir::module::Definition;
use crate::ir::{BlockId, Instruction, MetadataId, Module, Operand, Operation, SymbolId, Value};

/// Functions are looked into this deep; deeper ones may write anything.
pub const DEEPEST: u32 = 4;
/// Most writes of a function that is called; one with more may write anything.
const MOST: usize = 24;
/// Functions with more blocks are not looked into.
const BLOCKS: usize = 400;

/// A write, or what a call may write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The block of the instruction.
    pub block: BlockId,
    /// Its place in the block.
    pub place: usize,
    /// Where it may write.
    pub to: Bases,
    /// Where its address comes from and how far behind that it lies; `None` for calls.
    pub at: Option<(Value, i128)>,
    /// How many bytes it writes, if that is known.
    pub bytes: Option<u64>,
    /// The type of what is written.
    pub tag: Option<MetadataId>,
    /// Its place in the source.
    pub location: Option<MetadataId>,
}

/// What a function writes, in terms of its own arguments; nothing of what exists in its activation alone.
type Summary = Vec<(Bases, Option<MetadataId>)>;

/// What functions write, each looked at once.
#[derive(Debug, Default)]
pub struct Summaries {
    known: FxHashMap<SymbolId, Summary>,
}

/// All writes of a function.
pub fn writes(objects: &Objects<'_>, summaries: &mut Summaries) -> Vec<Write> {
    let mut all = Vec::new();
    for block in objects.function.block_ids() {
        for (place, instruction) in objects.function.block(block).instructions.iter().enumerate() {
            let location = instruction.location;
            let made = |to, tag| Write { block, place, to, at: None, bytes: None, tag, location };
            match &instruction.operation {
                Operation::Store { value, address, .. } => all.push(Write {
                    at: Some(objects.rooted(*address)),
                    bytes: objects.module.layout.stored(&objects.module.types, value.of),
                    ..made(objects.bases(*address), instruction.access_type)
                }),
                Operation::Call { .. } => {
                    let called = of_call(objects, instruction, summaries, DEEPEST);
                    all.extend(called.into_iter().map(|(to, tag)| made(to, tag)));
                }
                Operation::Atomic { address, .. } => all.push(made(objects.bases(*address), None)),
                Operation::Fence => all.push(made(Bases::Any, None)),
                _ => {}
            }
        }
    }
    all
}

fn anything() -> Summary {
    vec![(Bases::Any, None)]
}

/// What a call may write, in terms of the caller.
fn of_call(
    objects: &Objects<'_>,
    instruction: &Instruction,
    summaries: &mut Summaries,
    depth: u32,
) -> Summary {
    let Operation::Call { callee, arguments, attributes } = &instruction.operation else {
        return Vec::new();
    };
    if library::has_no_effect(objects.module, attributes) {
        return Vec::new();
    }
    let Callee::Symbol(symbol) = callee else { return anything() };
    let of = |argument: &Operand| objects.bases(*argument);
    match library::known(objects.module, *symbol) {
        Some(Writes::Nothing) => Vec::new(),
        Some(Writes::First) => vec![(arguments.first().map_or(Bases::Any, of), None)],
        Some(Writes::Arguments) => {
            let is_address =
                |argument: &&Operand| *objects.module.types.get(argument.of) == crate::ir::Type::Pointer;
            arguments.iter().filter(is_address).map(|argument| (of(argument), None)).collect()
        }
        None => {
            let summary = summaries.of(objects.module, *symbol, depth);
            let in_caller = |(to, tag): &(Bases, Option<MetadataId>)| (mapped(objects, to, arguments), *tag);
            summary.iter().map(in_caller).collect()
        }
    }
}

/// Objects of a function that is called, in terms of its caller.
fn mapped(objects: &Objects<'_>, to: &Bases, arguments: &[Operand]) -> Bases {
    let Bases::Among(list) = to else { return Bases::Any };
    list.iter().fold(Bases::none(), |all, object| {
        all.union(&match object {
            Object::Argument(place) => {
                arguments.get(*place).map_or(Bases::Any, |argument| objects.bases(*argument))
            }
            Object::Global(_) => (*object).into(),
            Object::Local(_) | Object::Heap(_) => Bases::none(),
            Object::Pointed(_) => Bases::Any,
        })
    })
}

impl Summaries {
    fn of(&mut self, module: &Module, symbol: SymbolId, depth: u32) -> Summary {
        if let Some(known) = self.known.get(&symbol) {
            return known.clone();
        }
        let Definition::Function(place) = module.symbols[symbol.index()].definition else {
            return anything();
        };
        let function = &module.functions[place];
        let Some(depth) = depth.checked_sub(1) else { return anything() };
        if function.blocks.is_empty() || function.blocks.len() > BLOCKS {
            return anything();
        }
        // What calls itself may write anything.
        self.known.insert(symbol, anything());
        let summary = self.computed(&Objects::new(module, function), depth);
        self.known.insert(symbol, summary.clone());
        summary
    }

    fn computed(&mut self, objects: &Objects<'_>, depth: u32) -> Summary {
        let mut all = Summary::new();
        for instruction in objects.function.blocks.iter().flat_map(|block| &block.instructions) {
            let own = match &instruction.operation {
                Operation::Store { address, .. } => {
                    vec![(objects.bases(*address), instruction.access_type)]
                }
                Operation::Call { .. } => of_call(objects, instruction, self, depth),
                Operation::Atomic { .. } | Operation::Fence => anything(),
                _ => continue,
            };
            for write in own {
                if !all.contains(&write) {
                    all.push(write);
                }
            }
            if all.len() > MOST || all.iter().any(|write| write.0 == Bases::Any && write.1.is_none()) {
                return anything();
            }
        }
        all
    }
}
