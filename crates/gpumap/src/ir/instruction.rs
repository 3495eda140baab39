//! Instructions.

use super::{BlockId, ConstantId, MetadataId, SymbolId, TypeId, ValueId};

/// A value or constant, with its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Operand {
    /// Its type.
    pub of: TypeId,
    /// What it is.
    pub value: Value,
}

/// What an operand is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Value {
    /// A value of the function.
    Local(ValueId),
    /// A constant of the module.
    Constant(ConstantId),
}

/// Makes an enumeration whose members have the names that the text uses.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$member_doc:meta])* $member:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$member_doc])* $member,)* }

        impl $name {
            /// The member with this name.
            pub fn from_name(name: &str) -> Option<$name> {
                match name { $($text => Some($name::$member),)* _ => None }
            }

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $($name::$member => $text,)* }
            }
        }
    };
}

named!(
    /// Operators with two operands of the type of the result.
    BinaryOperator {
        /// Sum of integers.
        Add = "add",
        /// Difference of integers.
        Subtract = "sub",
        /// Product of integers.
        Multiply = "mul",
        /// Quotient of unsigned integers.
        DivideUnsigned = "udiv",
        /// Quotient of signed integers, towards zero.
        DivideSigned = "sdiv",
        /// Remainder of unsigned integers.
        RemainderUnsigned = "urem",
        /// Remainder of signed integers, with the sign of the dividend.
        RemainderSigned = "srem",
        /// Bits moved to the more significant side.
        ShiftLeft = "shl",
        /// Bits moved to the less significant side, zeros following.
        ShiftRightLogical = "lshr",
        /// Bits moved to the less significant side, copies of the sign following.
        ShiftRightArithmetic = "ashr",
        /// Bits set in both.
        And = "and",
        /// Bits set in one.
        Or = "or",
        /// Bits set in one alone.
        Xor = "xor",
        /// Sum of floating-point numbers.
        AddFloat = "fadd",
        /// Difference of floating-point numbers.
        SubtractFloat = "fsub",
        /// Product of floating-point numbers.
        MultiplyFloat = "fmul",
        /// Quotient of floating-point numbers.
        DivideFloat = "fdiv",
        /// Remainder of floating-point numbers.
        RemainderFloat = "frem",
    }
);

named!(
    /// Conversions to the type of the result.
    Conversion {
        /// Drops the more significant bits.
        Truncate = "trunc",
        /// More bits, zero.
        ExtendZero = "zext",
        /// More bits, copies of the sign.
        ExtendSign = "sext",
        /// Floating-point number to a smaller format.
        TruncateFloat = "fptrunc",
        /// Floating-point number to a larger format.
        ExtendFloat = "fpext",
        /// Floating-point number to an unsigned integer.
        FloatToUnsigned = "fptoui",
        /// Floating-point number to a signed integer.
        FloatToSigned = "fptosi",
        /// Unsigned integer to a floating-point number.
        UnsignedToFloat = "uitofp",
        /// Signed integer to a floating-point number.
        SignedToFloat = "sitofp",
        /// Address to integer.
        PointerToInteger = "ptrtoint",
        /// Integer to address.
        IntegerToPointer = "inttoptr",
        /// The same bits as another type.
        Bits = "bitcast",
        /// Address to another address space.
        AddressSpace = "addrspacecast",
    }
);

named!(
    /// Comparisons of integers and addresses.
    Predicate {
        /// Equal.
        Equal = "eq",
        /// Unequal.
        Unequal = "ne",
        /// Unsigned, greater.
        GreaterUnsigned = "ugt",
        /// Unsigned, greater or equal.
        GreaterEqualUnsigned = "uge",
        /// Unsigned, less.
        LessUnsigned = "ult",
        /// Unsigned, less or equal.
        LessEqualUnsigned = "ule",
        /// Signed, greater.
        GreaterSigned = "sgt",
        /// Signed, greater or equal.
        GreaterEqualSigned = "sge",
        /// Signed, less.
        LessSigned = "slt",
        /// Signed, less or equal.
        LessEqualSigned = "sle",
    }
);

/// What an operation promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Flags {
    /// No wrap as signed integers (`nsw`).
    pub no_signed_wrap: bool,
    /// No wrap as unsigned integers (`nuw`).
    pub no_unsigned_wrap: bool,
    /// No bits are lost (`exact`).
    pub exact: bool,
    /// No bit is set in both operands (`disjoint`).
    pub disjoint: bool,
    /// The operand is not negative (`nneg`).
    pub not_negative: bool,
}

/// The opaque operation with which a block begins that handles exceptions.
pub const LANDING: &str = "landingpad";

/// What is called.
#[derive(Debug, Clone, PartialEq)]
pub enum Callee {
    /// A function by its name.
    Symbol(SymbolId),
    /// A function by its address.
    Address(Operand),
    /// Assembly: its template.
    Assembly(Box<str>),
}

/// A load or store: how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Access {
    /// Whether it must be done as written.
    pub volatile: bool,
    /// Whether other threads see it whole.
    pub atomic: bool,
}

/// What an instruction does.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// An operator on two operands.
    Binary(BinaryOperator, Flags, Operand, Operand),
    /// The negative of a floating-point number.
    Negate(Operand),
    /// A conversion.
    Convert(Conversion, Flags, Operand),
    /// A comparison of integers or addresses.
    Compare(Predicate, Operand, Operand),
    /// A comparison of floating-point numbers, by its name.
    CompareFloat(Box<str>, Operand, Operand),
    /// One value per predecessor.
    Phi(Vec<(Operand, BlockId)>),
    /// One of two values by a condition.
    Select {
        /// The condition.
        condition: Operand,
        /// The value where it holds.
        then: Operand,
        /// The value where it does not.
        otherwise: Operand,
    },
    /// A value that is the same at every use.
    Freeze(Operand),
    /// Storage of the function's activation.
    Allocate {
        /// Type of an element.
        element: TypeId,
        /// How many elements.
        count: Operand,
    },
    /// A value from memory.
    Load {
        /// Where from.
        address: Operand,
        /// How.
        access: Access,
    },
    /// A value to memory.
    Store {
        /// The value.
        value: Operand,
        /// Where to.
        address: Operand,
        /// How.
        access: Access,
    },
    /// The address of a part (`getelementptr`).
    Element {
        /// What the indices step over.
        source: TypeId,
        /// Where they start.
        base: Operand,
        /// The indices: the first steps over whole sources, the others into them.
        indices: Vec<Operand>,
        /// Whether the result stays within the object.
        inbounds: bool,
    },
    /// A call.
    Call {
        /// What is called.
        callee: Callee,
        /// The arguments.
        arguments: Vec<Operand>,
        /// Groups of attributes of the call.
        attributes: Vec<u32>,
    },
    /// A part of an aggregate.
    ExtractValue(Operand, Vec<u64>),
    /// An aggregate with a part replaced.
    InsertValue(Operand, Operand, Vec<u64>),
    /// An operation on vectors or lists of arguments that no analysis looks into.
    Opaque {
        /// Its name.
        name: &'static str,
        /// Its operands.
        operands: Vec<Operand>,
    },
    /// An atomic change of memory (`atomicrmw`, `cmpxchg`).
    Atomic {
        /// Where.
        address: Operand,
        /// Other operands.
        operands: Vec<Operand>,
    },
    /// Orders memory accesses.
    Fence,
    /// Leaves the function.
    Return(Option<Operand>),
    /// To another block.
    Branch(BlockId),
    /// To one of two blocks.
    ConditionalBranch {
        /// The condition.
        condition: Operand,
        /// Where to if it holds.
        then: BlockId,
        /// Where to if it does not.
        otherwise: BlockId,
    },
    /// To a block by a value.
    Switch {
        /// The value.
        value: Operand,
        /// Where to if no case applies.
        default: BlockId,
        /// Constants and where to.
        cases: Vec<(Operand, BlockId)>,
    },
    /// To a block by its address.
    IndirectBranch {
        /// The address.
        address: Operand,
        /// Where it may lead.
        targets: Vec<BlockId>,
    },
    /// Never reached.
    Unreachable,
}

/// An instruction.
#[derive(Debug, Clone, PartialEq)]
pub struct Instruction {
    /// What it does.
    pub operation: Operation,
    /// The value it gives.
    pub result: Option<ValueId>,
    /// Its place in the source.
    pub location: Option<MetadataId>,
    /// The type of the access as the source's language sees it.
    pub access_type: Option<MetadataId>,
    /// On a back edge: what is known about its loop.
    pub loop_node: Option<MetadataId>,
    /// Its line in the text of the module.
    pub line: u32,
}

impl Operation {
    /// Whether it ends a block.
    pub fn leaves(&self) -> bool {
        matches!(
            self,
            Operation::Return(_)
                | Operation::Branch(_)
                | Operation::ConditionalBranch { .. }
                | Operation::Switch { .. }
                | Operation::IndirectBranch { .. }
                | Operation::Unreachable
        )
    }

    /// Operands, in the order in which they are written.
    pub fn operands(&self) -> Vec<Operand> {
        self.clone().operands_mut().into_iter().map(|operand| *operand).collect()
    }

    /// The same, to be replaced.
    pub fn operands_mut(&mut self) -> Vec<&mut Operand> {
        match self {
            Operation::Binary(_, _, left, right)
            | Operation::Compare(_, left, right)
            | Operation::CompareFloat(_, left, right)
            | Operation::InsertValue(left, right, _) => vec![left, right],
            Operation::Negate(of)
            | Operation::Convert(_, _, of)
            | Operation::Freeze(of)
            | Operation::ExtractValue(of, _)
            | Operation::Allocate { count: of, .. }
            | Operation::Load { address: of, .. }
            | Operation::Return(Some(of))
            | Operation::ConditionalBranch { condition: of, .. }
            | Operation::IndirectBranch { address: of, .. } => vec![of],
            Operation::Store { value, address, .. } => vec![value, address],
            Operation::Select { condition, then, otherwise } => vec![condition, then, otherwise],
            Operation::Phi(inputs) => inputs.iter_mut().map(|input| &mut input.0).collect(),
            Operation::Element { base, indices, .. } => std::iter::once(base).chain(indices).collect(),
            Operation::Call { callee, arguments, .. } => {
                let address = match callee {
                    Callee::Address(address) => Some(address),
                    Callee::Symbol(_) | Callee::Assembly(_) => None,
                };
                address.into_iter().chain(arguments).collect()
            }
            Operation::Opaque { operands, .. } => operands.iter_mut().collect(),
            Operation::Atomic { address, operands } => std::iter::once(address).chain(operands).collect(),
            Operation::Switch { value, cases, .. } => {
                std::iter::once(value).chain(cases.iter_mut().map(|case| &mut case.0)).collect()
            }
            Operation::Fence | Operation::Return(None) | Operation::Branch(_) | Operation::Unreachable => {
                Vec::new()
            }
        }
    }

    /// Blocks that it names, of φ too.
    pub fn blocks_mut(&mut self) -> Vec<&mut BlockId> {
        match self {
            Operation::Phi(inputs) => inputs.iter_mut().map(|input| &mut input.1).collect(),
            Operation::Branch(to) => vec![to],
            Operation::ConditionalBranch { then, otherwise, .. } => vec![then, otherwise],
            Operation::Switch { default, cases, .. } => {
                std::iter::once(default).chain(cases.iter_mut().map(|case| &mut case.1)).collect()
            }
            Operation::IndirectBranch { targets, .. } => targets.iter_mut().collect(),
            _ => Vec::new(),
        }
    }

    /// Blocks it may go on in, one per edge.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            Operation::Branch(to) => vec![*to],
            Operation::ConditionalBranch { then, otherwise, .. } => vec![*then, *otherwise],
            Operation::Switch { default, cases, .. } => {
                std::iter::once(*default).chain(cases.iter().map(|case| case.1)).collect()
            }
            Operation::IndirectBranch { targets, .. } => targets.clone(),
            _ => Vec::new(),
        }
    }
}
