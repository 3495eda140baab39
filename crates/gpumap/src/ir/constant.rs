//! Constants.

use super::instruction::{BinaryOperator, Conversion, Flags, Operand};
use super::{MetadataId, SymbolId, TypeId};

/// A constant. Its type is that of the operand it stands in.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    /// An integer of at most 128 bits, signed as it is written.
    Integer(i128),
    /// A wider integer, as it is written.
    WideInteger(Box<str>),
    /// A floating-point number, as it is written.
    Float(Box<str>),
    /// The null address.
    Null,
    /// Any value.
    Undefined,
    /// The value of an operation without meaning.
    Poison,
    /// All bytes zero.
    Zero,
    /// No token.
    NoToken,
    /// An array of characters, escapes as they are written.
    Characters(Box<str>),
    /// Elements of an array or vector, fields of a structure.
    Aggregate(Vec<Operand>),
    /// A vector with one value everywhere.
    Splat(Operand),
    /// The address of a function or global variable.
    Symbol(SymbolId),
    /// The address of a block.
    Block,
    /// Computed from other constants.
    Expression(Box<ConstantExpression>),
    /// A node of metadata, as an argument; `None` for one written in place.
    Metadata(Option<MetadataId>),
}

/// A computation on constants.
#[derive(Debug, Clone, PartialEq)]
pub enum ConstantExpression {
    /// The address of a part.
    Element {
        /// What the indices step over.
        source: TypeId,
        /// Where they start.
        base: Operand,
        /// The indices.
        indices: Vec<Operand>,
        /// Whether the result stays within the object.
        inbounds: bool,
    },
    /// A conversion to the type of the constant.
    Convert(Conversion, Operand),
    /// An operation.
    Binary(BinaryOperator, Flags, Operand, Operand),
    /// An operation on vectors or another one that no analysis looks into, by its name.
    Other(Box<str>, Vec<Operand>),
}
