//! Turns `select` into branches and a φ, and each test of a condition into a branch of its own (`threading`).
//!
//! `r = select c, x, y` becomes: if c, to one new block, else to another one, both to a third that begins with
//! `r = φ(x, y)`. Neighbouring selects of one condition share their blocks. Choices among elements of vectors stay.

use super::threading::threaded;
use crate::ir::module::Binding;
use crate::ir::{Block, BlockId, Function, Instruction, Module, Operand, Operation, Type, ValueId};

/// Turns all choices of a function into branches.
pub fn branched(module: &Module, function: &Function) -> Function {
    let is_scalar = |condition: Operand| *module.types.get(condition.of) == Type::Integer(1);
    let mut rewriter = Rewriter { blocks: Vec::new(), first: Vec::new(), last: Vec::new() };
    for block in &function.blocks {
        rewriter.first.push(BlockId::new(rewriter.blocks.len()));
        rewriter.block(block, &is_scalar);
        rewriter.last.push(BlockId::new(rewriter.blocks.len() - 1));
    }
    threaded(module, Function { blocks: rewriter.renamed(), ..function.clone() })
}

struct Rewriter {
    /// New blocks. Targets and predecessors that are not new have their old numbers until the end, those that are new have
    /// the numbers that [`NEW`] lies below.
    blocks: Vec<Block>,
    /// For each old block the new one that it begins as.
    first: Vec<BlockId>,
    /// For each old block the new one that it ends as.
    last: Vec<BlockId>,
}

/// Numbers from here on stand for new blocks while old ones are still in use: a module has fewer blocks.
const NEW: usize = 1 << 31;

/// A value that is chosen: its name, and both candidates.
type Choice = (Option<ValueId>, Operand, Operand, Instruction);

/// The part of a block that is being written.
struct Part {
    name: Box<str>,
    instructions: Vec<Instruction>,
    bindings: Vec<Binding>,
}

impl Rewriter {
    fn block(&mut self, block: &Block, is_scalar: &dyn Fn(Operand) -> bool) {
        let mut part = Part { name: block.name.clone(), instructions: Vec::new(), bindings: Vec::new() };
        let mut bindings = block.bindings.iter().peekable();
        let mut instructions = block.instructions.iter().enumerate().peekable();
        while let Some((place, instruction)) = instructions.next() {
            while let Some(binding) = bindings.next_if(|binding| binding.before <= place) {
                part.bindings.push(Binding { before: part.instructions.len(), ..binding.clone() });
            }
            let Some(condition) = chosen_by(instruction).filter(|&condition| is_scalar(condition)) else {
                part.instructions.push(instruction.clone());
                continue;
            };
            let mut choices: Vec<Choice> = Vec::new();
            choices.extend(choice(instruction));
            // Variables may be bound between two selects: then the second is not a neighbour.
            let is_bound = |place: usize| block.bindings.iter().any(|binding| binding.before == place);
            while let Some((_, next)) =
                instructions.next_if(|(place, next)| chosen_by(next) == Some(condition) && !is_bound(*place))
            {
                choices.extend(choice(next));
            }
            part = self.branch(part, condition, choices);
        }
        self.push(part);
    }

    fn push(&mut self, part: Part) {
        let Part { name, instructions, bindings } = part;
        self.blocks.push(Block { name, instructions, bindings });
    }

    /// Ends a block in a branch; gives the block in which both ways meet.
    fn branch(&mut self, mut part: Part, condition: Operand, choices: Vec<Choice>) -> Part {
        let Some((.., like)) = choices.first().cloned() else { return part };
        let name = part.name.clone();
        let made =
            |operation| Instruction { operation, result: None, access_type: None, loop_node: None, ..like };
        let new = |offset: usize| BlockId::new(NEW + self.blocks.len() + offset);
        let (then, otherwise, join) = (new(1), new(2), new(3));
        part.instructions.push(made(Operation::ConditionalBranch { condition, then, otherwise }));
        self.push(part);
        for way in ["then", "else"] {
            let instructions = vec![made(Operation::Branch(join))];
            self.push(Part { name: format!("{name}.{way}").into(), instructions, bindings: Vec::new() });
        }
        let phi = |(result, a, b, instruction): Choice| Instruction {
            operation: Operation::Phi(vec![(a, then), (b, otherwise)]),
            result,
            ..instruction
        };
        let instructions = choices.into_iter().map(phi).collect();
        Part { name: format!("{name}.join").into(), instructions, bindings: Vec::new() }
    }

    /// The blocks with all names of blocks new.
    fn renamed(mut self) -> Vec<Block> {
        for instruction in self.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
            let is_phi = matches!(instruction.operation, Operation::Phi(_));
            for target in instruction.operation.blocks_mut() {
                let old = target.index();
                *target = match (old.checked_sub(NEW), is_phi) {
                    (Some(new), _) => BlockId::new(new),
                    (None, true) => self.last[old],
                    (None, false) => self.first[old],
                };
            }
        }
        self.blocks
    }
}

/// The condition of a select.
fn chosen_by(instruction: &Instruction) -> Option<Operand> {
    match instruction.operation {
        Operation::Select { condition, .. } => Some(condition),
        _ => None,
    }
}

fn choice(instruction: &Instruction) -> Option<Choice> {
    match instruction.operation {
        Operation::Select { then, otherwise, .. } => {
            Some((instruction.result, then, otherwise, instruction.clone()))
        }
        _ => None,
    }
}
