//! Functions, blocks and global variables.

use rustc_hash::FxHashMap;

use super::layout::DataLayout;
use super::types::{Type, Types};
use super::{
    BlockId, Constant, ConstantId, Instruction, Metadata, MetadataId, Operand, SymbolId, TypeId, Value,
    ValueId,
};
use crate::reader::Error;

/// Where headers of the system are.
const SYSTEM: [&str; 2] = ["/usr/include/", "/usr/lib/"];

/// What was read of one source.
#[derive(Debug, Clone, Default)]
pub struct Module {
    /// The source, as the compiler was told.
    pub source: String,
    /// Sizes and alignments.
    pub layout: DataLayout,
    /// Types.
    pub types: Types,
    /// Constants.
    pub constants: Vec<Constant>,
    /// Names with linkage.
    pub symbols: Vec<Symbol>,
    /// Global variables.
    pub globals: Vec<Global>,
    /// Functions, declarations too.
    pub functions: Vec<Function>,
    /// Nodes that describe the source.
    pub metadata: Metadata,
    /// Texts of the groups of attributes.
    pub attributes: FxHashMap<u32, Box<str>>,
    /// Functions that are not understood: they have no blocks.
    pub unread: Vec<Unread>,
}

/// A function of the source that is not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The function.
    pub symbol: SymbolId,
    /// What is not understood, in the compiler's text.
    pub error: Error,
    /// Its place in the source.
    pub location: Option<MetadataId>,
}

/// A name with linkage.
#[derive(Debug, Clone, PartialEq)]
pub struct Symbol {
    /// The name.
    pub name: Box<str>,
    /// What it names.
    pub definition: Definition,
}

/// What a symbol names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Definition {
    /// A function, by its place among them.
    Function(usize),
    /// A global variable, by its place among them.
    Global(usize),
    /// Another name for a constant.
    Alias(Operand),
}

/// A global variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Global {
    /// Its name.
    pub symbol: SymbolId,
    /// Its type.
    pub of: TypeId,
    /// What it starts as; `None` for one that is defined elsewhere.
    pub initialiser: Option<Operand>,
    /// Whether it never changes.
    pub constant: bool,
    /// What the source says about it.
    pub description: Option<MetadataId>,
}

/// A parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its value.
    pub value: ValueId,
    /// Whether what it points to is not accessed otherwise (`noalias`, from `restrict`).
    pub no_alias: bool,
    /// Whether it is a copy of the caller's object (`byval`).
    pub by_value: bool,
}

/// A value: what it is called and its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueInfo {
    /// Its name, without the sign before it.
    pub name: Box<str>,
    /// Its type.
    pub of: TypeId,
}

/// A variable of the source has a value from some instruction on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The variable.
    pub variable: MetadataId,
    /// Its value, or its address; `None` if it has none any more.
    pub value: Option<Operand>,
    /// Whether the operand is its address.
    pub address: bool,
    /// Whether the value is that of the variable itself, without a computation or for a part.
    pub plain: bool,
    /// The instruction of the block before which this holds.
    pub before: usize,
}

/// A block.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Its name.
    pub name: Box<str>,
    /// Its instructions; the last one leaves it.
    pub instructions: Vec<Instruction>,
    /// Variables of the source, in order.
    pub bindings: Vec<Binding>,
}

/// A function.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Its name.
    pub symbol: SymbolId,
    /// What it gives.
    pub result: TypeId,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Whether more arguments may follow.
    pub variadic: bool,
    /// Whether it is a copy of a function that is defined elsewhere too.
    pub copy: bool,
    /// Groups of attributes.
    pub attributes: Vec<u32>,
    /// What the source says about it.
    pub description: Option<MetadataId>,
    /// Its values.
    pub values: Vec<ValueInfo>,
    /// Its blocks, the entry first; none for a declaration.
    pub blocks: Vec<Block>,
}

impl Module {
    /// The integer that an operand is, as it is written.
    pub fn integer(&self, operand: Operand) -> Option<i128> {
        match operand.value {
            Value::Constant(constant) => match self.constant(constant) {
                Constant::Integer(number) => Some(*number),
                Constant::Zero => Some(0),
                _ => None,
            },
            Value::Local(_) => None,
        }
    }

    /// Bytes from a base to the part that constant indices lead to; `None` if one is not constant or sizes are not known.
    pub fn constant_offset(&self, source: TypeId, indices: &[Operand]) -> Option<i128> {
        let (mut offset, mut of) = (0i128, source);
        for (place, &index) in indices.iter().enumerate() {
            let number = self.integer(index)?;
            if place > 0 {
                let resolved = self.types.resolved(of)?;
                if let Type::Structure { .. } = self.types.get(resolved) {
                    let field = u64::try_from(number).ok()?;
                    let bytes = self.layout.field(&self.types, resolved, usize::try_from(field).ok()?)?;
                    offset = offset.checked_add(i128::from(bytes))?;
                    of = self.types.part(resolved, field)?;
                    continue;
                }
                of = self.types.part(resolved, 0)?;
            }
            let size = i128::from(self.layout.size(&self.types, of)?);
            offset = offset.checked_add(number.checked_mul(size)?)?;
        }
        Some(offset)
    }

    /// A constant.
    pub fn constant(&self, id: ConstantId) -> &Constant {
        &self.constants[id.index()]
    }

    /// The name of a symbol.
    pub fn name(&self, id: SymbolId) -> &str {
        &self.symbols[id.index()].name
    }

    /// The name of a symbol as the source has it: that of a function of C++ with what it is a member of.
    pub fn shown_name(&self, id: SymbolId) -> String {
        program::image::demangle(self.name(id))
    }

    /// Whether a function has a body that is not understood.
    pub fn is_unread(&self, id: SymbolId) -> bool {
        self.unread.iter().any(|unread| unread.symbol == id)
    }

    /// Functions with bodies of the source's own, those of headers of the system left out: in C++ each source has many of them.
    pub fn defined(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter().filter(|function| {
            !function.blocks.is_empty() && !function.copy && !self.is_of_system(function.description)
        })
    }

    /// Whether something is described in a header of the system.
    fn is_of_system(&self, description: Option<MetadataId>) -> bool {
        let file = description.and_then(|description| self.metadata.file(description));
        file.is_some_and(|file| SYSTEM.iter().any(|directory| file.starts_with(directory)))
    }

    /// The function of this name that has a body.
    pub fn function(&self, name: &str) -> Option<&Function> {
        let with_body =
            || self.functions.iter().filter(|function| !function.blocks.is_empty() && !function.copy);
        with_body().find(|function| self.name(function.symbol) == name)
    }
}

impl Function {
    /// Where each value is computed: its block and its place in it. Parameters have no place.
    pub fn places(&self) -> FxHashMap<ValueId, (BlockId, usize)> {
        let mut places = FxHashMap::default();
        for block in self.block_ids() {
            for (place, instruction) in self.block(block).instructions.iter().enumerate() {
                places.extend(instruction.result.map(|result| (result, (block, place))));
            }
        }
        places
    }

    /// A block.
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// A value.
    pub fn value(&self, id: ValueId) -> &ValueInfo {
        &self.values[id.index()]
    }

    /// Numbers of all blocks, the entry first.
    pub fn block_ids(&self) -> impl DoubleEndedIterator<Item = BlockId> + use<> {
        (0..self.blocks.len()).map(BlockId::new)
    }

    /// The blocks that control may go to from a block, one per edge.
    pub fn successors(&self, id: BlockId) -> Vec<BlockId> {
        self.block(id).last().map(|last| last.operation.successors()).unwrap_or_default()
    }
}

impl Block {
    /// The instruction that leaves it.
    pub fn last(&self) -> Option<&Instruction> {
        self.instructions.last()
    }
}
