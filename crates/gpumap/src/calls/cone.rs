//! Which calls of a function are followed.

use crate::control::choices;
use crate::ir::instruction::Callee;
use crate::ir::module::Definition;
use crate::ir::{BlockId, Function, Instruction, MetadataId, Module, Operation, SymbolId};

use super::splice::Splice;

/// Most instructions of a cone.
pub const INSTRUCTIONS: usize = 20_000;

/// A call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Site {
    /// What is called.
    pub callee: SymbolId,
    /// The place of the call in the source.
    pub location: Option<MetadataId>,
    /// Its line in the text of the module.
    pub line: u32,
}

/// A function with those that it calls in place of the calls.
#[derive(Debug, Clone)]
pub struct Cone {
    /// The function. Its own blocks come first, in their order.
    pub function: Function,
    /// Call strings; the first one is empty.
    strings: Vec<Vec<Site>>,
    /// The call string of each block, by its place among them.
    of_blocks: Vec<usize>,
}

impl Cone {
    /// That of a function, calls followed so many deep. Choices are branches in it (`control::choices`).
    pub fn new(module: &Module, function: &Function, length: usize) -> Cone {
        let function = choices::branched(module, function);
        let of_blocks = vec![0; function.blocks.len()];
        let mut cone = Cone { function, strings: vec![Vec::new()], of_blocks };
        let mut size = instructions(&cone.function);
        let mut at = 0;
        // Blocks of called functions come behind all others, so their calls are met later; so does the rest of a block
        // behind a call.
        while at < cone.function.blocks.len() {
            if let Some((place, callee)) = cone.followed(module, BlockId::new(at), length, &mut size) {
                cone.follow(module, (BlockId::new(at), place), callee);
            }
            at += 1;
        }
        cone
    }

    /// The calls that lead to a block, the outermost first.
    pub fn string(&self, block: BlockId) -> &[Site] {
        self.of_blocks.get(block.index()).and_then(|&of| self.strings.get(of)).map_or(&[], Vec::as_slice)
    }

    /// The first call of a block that is followed: its place and the function.
    fn followed<'m>(
        &self,
        module: &'m Module,
        block: BlockId,
        length: usize,
        size: &mut usize,
    ) -> Option<(usize, &'m Function)> {
        let string = self.string(block);
        if string.len() >= length {
            return None;
        }
        let instructions_of = &self.function.block(block).instructions;
        instructions_of.iter().enumerate().find_map(|(place, instruction)| {
            let callee = callee(module, instruction)?;
            let is_open = callee.symbol == self.function.symbol
                || string.iter().any(|site| site.callee == callee.symbol);
            let more = size.checked_add(instructions(callee)).filter(|size| *size <= INSTRUCTIONS)?;
            if is_open {
                return None;
            }
            *size = more;
            Some((place, callee))
        })
    }

    /// Puts a function in place of a call.
    fn follow(&mut self, module: &Module, (block, place): (BlockId, usize), callee: &Function) {
        let caller = self.of_blocks[block.index()];
        let &Instruction { location, line, .. } = &self.function.block(block).instructions[place];
        let mut string = self.strings[caller].clone();
        string.push(Site { callee: callee.symbol, location, line });
        let own = self.strings.len();
        self.strings.push(string);
        let callee = choices::branched(module, callee);
        let name = module.name(callee.symbol);
        Splice::new(module, &mut self.function, &callee, name).put(block, place);
        // The rest of the block comes first, then the blocks of the function.
        self.of_blocks.push(caller);
        self.of_blocks.resize(self.function.blocks.len(), own);
    }
}

fn instructions(function: &Function) -> usize {
    function.blocks.iter().map(|block| block.instructions.len()).sum()
}

/// The function that an instruction calls, if it can stand in its place.
pub(crate) fn callee<'m>(module: &'m Module, instruction: &Instruction) -> Option<&'m Function> {
    let Operation::Call { callee: Callee::Symbol(symbol), arguments, .. } = &instruction.operation else {
        return None;
    };
    let Definition::Function(place) = module.symbols[symbol.index()].definition else { return None };
    let function = &module.functions[place];
    let fits = !function.variadic
        && arguments.len() == function.parameters.len()
        && function.parameters.iter().zip(arguments).all(|(parameter, argument)| {
            !parameter.by_value && function.value(parameter.value).of == argument.of
        });
    let returns = |instruction: &Instruction| matches!(instruction.operation, Operation::Return(_));
    let mut last = function.blocks.iter().filter_map(|block| block.last());
    // What the first block of a function begins with is no φ, as nothing leads to it.
    (fits && last.any(returns)).then_some(function)
}
