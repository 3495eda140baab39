//! Intermediate representation of a C source: SSA values with types, blocks, and what the compiler says about the source.
//!
//! - [`types`]: types; [`layout`]: their sizes and the offsets of fields;
//! - [`constant`]: constants; [`instruction`]: instructions; [`choice`]: intrinsics that choose among numbers;
//! - [`module`]: functions, blocks and global variables;
//! - [`metadata`]: the nodes that describe the source; [`debug`]: places, variables and members in them;
//! - [`show`]: text of all this for people.
//!
//! Invariants of a module that was read: every value is defined once and used with the type of its definition; every block ends
//! in the one instruction that leaves it; numbers of blocks, values and symbols are those of their function or module.
//!
//! The representation and its semantics are those of the LLVM language reference, versions 17 to 20.

pub mod choice;
pub mod constant;
pub mod debug;
pub mod instruction;
pub mod layout;
pub mod metadata;
pub mod module;
pub mod show;
pub mod types;

pub use choice::Choice;
pub use constant::{Constant, ConstantExpression};
pub use instruction::{Instruction, Operand, Operation, Value};
pub use metadata::Metadata;
pub use module::{Block, Function, Global, Module};
pub use types::{Type, Types};

/// Makes a type for the numbers of one kind of thing.
macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The number of the thing at this place of its list.
            ///
            /// Lists of a module are shorter than its text, and a text is shorter than 4 GiB (`reader::read`).
            pub fn new(index: usize) -> $name {
                $name(index as u32)
            }

            /// Its place in the list.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

number!(
    /// A type of a module.
    TypeId
);
number!(
    /// A structure with a name.
    NamedTypeId
);
number!(
    /// A value of a function: a parameter or what an instruction gives.
    ValueId
);
number!(
    /// A block of a function.
    BlockId
);
number!(
    /// A constant of a module.
    ConstantId
);
number!(
    /// A name with linkage: a function or a global variable.
    SymbolId
);
number!(
    /// A node of metadata.
    MetadataId
);
