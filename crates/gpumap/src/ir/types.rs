//! Types, each held once.

use rustc_hash::FxHashMap;

use super::{NamedTypeId, TypeId};

/// Formats of floating-point numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatKind {
    /// 16 bits, IEEE 754.
    Half,
    /// 16 bits with the exponent of 32.
    Brain,
    /// 32 bits.
    Single,
    /// 64 bits.
    Double,
    /// 80 bits of x86.
    Extended,
    /// 128 bits, IEEE 754.
    Quad,
}

/// A type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// Of instructions that give nothing.
    Void,
    /// An integer of so many bits.
    Integer(u32),
    /// A floating-point number.
    Float(FloatKind),
    /// An address.
    Pointer,
    /// An array.
    Array(u64, TypeId),
    /// A vector register.
    Vector(u64, TypeId),
    /// A structure without a name.
    Structure {
        /// Whether fields follow one another without padding.
        packed: bool,
        /// Types of its fields.
        fields: Vec<TypeId>,
    },
    /// A structure with a name.
    Named(NamedTypeId),
    /// A function.
    Function {
        /// What it gives.
        result: TypeId,
        /// Its parameters.
        parameters: Vec<TypeId>,
        /// Whether more arguments may follow.
        variadic: bool,
    },
    /// What describes the source, as an argument.
    Metadata,
    /// A value without representation.
    Token,
}

/// A structure with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedType {
    /// Its name, such as `struct.image`.
    pub name: Box<str>,
    /// What it is; `None` where the source only declares it.
    pub body: Option<TypeId>,
}

/// All types of a module.
#[derive(Debug, Clone, Default)]
pub struct Types {
    list: Vec<Type>,
    numbers: FxHashMap<Type, TypeId>,
    named: Vec<NamedType>,
}

impl Types {
    /// The number of a type.
    pub fn number(&mut self, of: Type) -> TypeId {
        if let Some(&id) = self.numbers.get(&of) {
            return id;
        }
        let id = TypeId::new(self.list.len());
        self.numbers.insert(of.clone(), id);
        self.list.push(of);
        id
    }

    /// A type.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.list[id.index()]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds a structure with a name, without a body.
    pub fn declare(&mut self, name: &str) -> NamedTypeId {
        self.named.push(NamedType { name: name.into(), body: None });
        NamedTypeId::new(self.named.len() - 1)
    }

    /// Gives a structure its body.
    pub fn define(&mut self, id: NamedTypeId, body: TypeId) {
        self.named[id.index()].body = Some(body);
    }

    /// A structure with a name.
    pub fn named(&self, id: NamedTypeId) -> &NamedType {
        &self.named[id.index()]
    }

    /// Width of an integer type.
    pub fn integer_bits(&self, id: TypeId) -> Option<u32> {
        match self.get(id) {
            Type::Integer(bits) => Some(*bits),
            _ => None,
        }
    }

    /// What a type is, with the names of structures resolved; `None` for one that is only declared.
    pub fn resolved(&self, id: TypeId) -> Option<TypeId> {
        match self.get(id) {
            // The body of a named structure is a structure (`reader`).
            Type::Named(named) => self.named(*named).body,
            _ => Some(id),
        }
    }

    /// The type of a part of an aggregate or vector.
    pub fn part(&self, id: TypeId, index: u64) -> Option<TypeId> {
        match self.get(self.resolved(id)?) {
            Type::Array(_, element) | Type::Vector(_, element) => Some(*element),
            Type::Structure { fields, .. } => fields.get(usize::try_from(index).ok()?).copied(),
            _ => None,
        }
    }

    /// The type with its scalars replaced: a vector of the same length, or the scalar itself.
    pub fn with_scalar(&mut self, like: TypeId, scalar: Type) -> TypeId {
        let scalar = self.number(scalar);
        match *self.get(like) {
            Type::Vector(length, _) => self.number(Type::Vector(length, scalar)),
            _ => scalar,
        }
    }
}
