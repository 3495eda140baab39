//! Whether a write may reach what a load reads.

use std::collections::BTreeSet;

use super::effects::Write;
use super::object::{Bases, Object, Objects};
use super::types;
use crate::ir::{MetadataId, Value};

/// What a load reads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Read {
    /// Where its address comes from, and how far behind that it lies.
    pub at: (Value, i128),
    /// How many bytes it reads.
    pub bytes: u64,
    /// The type of what is read.
    pub tag: Option<MetadataId>,
}

/// Whether a write and a load share a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Overlap {
    /// Provably not.
    No,
    /// Only if objects of different origin are one.
    Objects,
    /// Perhaps.
    Perhaps,
}

/// Objects that are not what a load could read or a write could reach, where others might know their address.
#[derive(Debug)]
pub struct Distinct<'a, 'f> {
    /// The objects of the function.
    pub objects: &'a Objects<'f>,
    /// Those whose address others may know.
    pub captured: &'a BTreeSet<Object>,
}

impl Distinct<'_, '_> {
    /// Whether a write may reach what a load from one of these objects reads.
    pub fn overlap(&self, write: &Write, read: &Read, from: &Bases) -> Overlap {
        let module = self.objects.module;
        if !types::may_meet(module, write.tag, read.tag) || self.is_beside(write, read) {
            return Overlap::No;
        }
        let Bases::Among(from) = from else { return Overlap::Perhaps };
        if from.iter().all(|object| self.is_constant(*object)) && !from.is_empty() {
            return Overlap::No;
        }
        let Bases::Among(to) = &write.to else {
            let is_hidden = |object: &Object| self.objects.is_own(*object) && !self.captured.contains(object);
            let is_safe = !from.is_empty() && from.iter().all(is_hidden);
            return if is_safe { Overlap::No } else { Overlap::Perhaps };
        };
        // An address in no object is null or has no meaning.
        let pairs = to.iter().flat_map(|a| from.iter().map(move |b| self.of_objects(*a, *b)));
        pairs.max().unwrap_or(Overlap::No)
    }

    /// Whether both are a constant number of bytes behind one address, and do not touch.
    fn is_beside(&self, write: &Write, read: &Read) -> bool {
        let (Some((root, start)), Some(bytes)) = (write.at, write.bytes) else { return false };
        let (at, from) = read.at;
        root == at
            && self.is_fixed(root)
            && (start.checked_add(i128::from(bytes)).is_some_and(|end| end <= from)
                || from.checked_add(i128::from(read.bytes)).is_some_and(|end| end <= start))
    }

    /// Whether a value is the same in the whole activation: the two accesses may be of different iterations.
    fn is_fixed(&self, value: Value) -> bool {
        match value {
            Value::Constant(_) => true,
            Value::Local(value) => self.objects.is_computed_once(value),
        }
    }

    /// Whether the module says that an object never changes.
    fn is_constant(&self, object: Object) -> bool {
        let Object::Global(symbol) = object else { return false };
        let module = self.objects.module;
        module.globals.iter().any(|global| global.symbol == symbol && global.constant)
    }

    /// Whether two objects may be one.
    pub fn of_objects(&self, a: Object, b: Object) -> Overlap {
        if a == b {
            return Overlap::Perhaps;
        }
        let is_hidden = |object: Object| !self.captured.contains(&object);
        let own = (self.objects.is_own(a), self.objects.is_own(b));
        let is_distinct = match own {
            (true, true) => true,
            // What comes into being here is no global variable and nothing that existed before; an address from
            // memory leads to it only if somebody put it there.
            (true, false) => !matches!(b, Object::Pointed(_)) || is_hidden(a),
            (false, true) => !matches!(a, Object::Pointed(_)) || is_hidden(b),
            (false, false) => {
                matches!((a, b), (Object::Global(_), Object::Global(_)))
                    || self.is_exclusive(a) && is_hidden(a)
                    || self.is_exclusive(b) && is_hidden(b)
            }
        };
        if is_distinct {
            Overlap::No
        } else if self.is_same_address(a, b) {
            Overlap::Perhaps
        } else {
            Overlap::Objects
        }
    }

    /// Whether nothing is accessed but through an argument (`restrict`), as far as it is written.
    fn is_exclusive(&self, object: Object) -> bool {
        let Object::Argument(place) = object else { return false };
        self.objects.function.parameters.get(place).is_some_and(|parameter| parameter.no_alias)
    }

    /// Whether two addresses are loaded from one place: they are likely to be the same.
    fn is_same_address(&self, a: Object, b: Object) -> bool {
        let loaded_from = |object: Object| {
            let Object::Pointed(value) = object else { return None };
            match &self.objects.definition(value)?.operation {
                crate::ir::Operation::Load { address, .. } => Some(self.objects.rooted(*address)),
                _ => None,
            }
        };
        loaded_from(a).is_some_and(|from| loaded_from(b) == Some(from))
    }
}
