//! Sizes of types and offsets of fields, by the module's data layout.
//!
//! Source: LLVM language reference, "Data Layout". What a layout does not say has the reference's defaults.

use rustc_hash::FxHashMap;

use super::TypeId;
use super::types::{FloatKind, Type, Types};

/// Structures may be nested this deep; deeper ones have no size.
const DEEPEST: usize = 200;

/// Sizes and alignments of parts.
type Known = FxHashMap<TypeId, Option<(u64, u64)>>;

/// A data layout: alignments in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataLayout {
    /// Size and alignment of an address.
    pointer: (u64, u64),
    /// Alignment of integers by width, ascending.
    integers: Vec<(u32, u64)>,
    /// Alignment of floating-point numbers by width, ascending.
    floats: Vec<(u32, u64)>,
}

impl Default for DataLayout {
    fn default() -> DataLayout {
        DataLayout {
            pointer: (8, 8),
            integers: vec![(8, 1), (16, 2), (32, 4), (64, 8)],
            floats: vec![(16, 2), (32, 4), (64, 8), (128, 16)],
        }
    }
}

impl DataLayout {
    /// Reads a layout such as `e-m:e-i64:64-f80:128-S128`. `None` where it is malformed.
    pub fn parse(text: &str) -> Option<DataLayout> {
        let mut layout = DataLayout::default();
        for part in text.split('-').filter(|part| !part.is_empty()) {
            let mut numbers = part.split(':');
            let name = numbers.next()?;
            let bits = |text: Option<&str>| text?.parse::<u64>().ok().map(|bits| bits / 8);
            match name {
                "p" | "p0" => layout.pointer = (bits(numbers.next())?, bits(numbers.next())?),
                _ => {
                    let Some(list) = layout.list(name.chars().next()?) else { continue };
                    let width = name[1..].parse().ok()?;
                    let alignment = bits(numbers.next()).filter(|bytes| *bytes > 0)?;
                    match list.binary_search_by_key(&width, |entry| entry.0) {
                        Ok(at) => list[at].1 = alignment,
                        Err(at) => list.insert(at, (width, alignment)),
                    }
                }
            }
        }
        Some(layout)
    }

    fn list(&mut self, kind: char) -> Option<&mut Vec<(u32, u64)>> {
        match kind {
            'i' => Some(&mut self.integers),
            'f' => Some(&mut self.floats),
            _ => None,
        }
    }

    /// Bytes from one element of an array to the next; `None` for types without a size.
    pub fn size(&self, types: &Types, id: TypeId) -> Option<u64> {
        self.extent(types, id).map(|(size, _)| size)
    }

    /// Bytes that a load or store of the type touches; `None` for types without a size.
    pub fn stored(&self, types: &Types, id: TypeId) -> Option<u64> {
        match types.get(id) {
            Type::Integer(bits) => Some(u64::from(bits.div_ceil(8))),
            Type::Float(FloatKind::Extended) => Some(10),
            Type::Vector(length, element) => {
                let bits = match types.get(*element) {
                    Type::Integer(bits) => u64::from(*bits),
                    _ => self.stored(types, *element)?.checked_mul(8)?,
                };
                Some(length.checked_mul(bits)?.div_ceil(8))
            }
            _ => self.size(types, id),
        }
    }

    /// Bytes from the start of a structure to one of its fields.
    pub fn field(&self, types: &Types, id: TypeId, field: usize) -> Option<u64> {
        match types.get(types.resolved(id)?) {
            Type::Structure { packed, fields } if field < fields.len() => {
                let mut walked = Walked::default();
                for &before in &fields[..field] {
                    walked.add(self.extent(types, before)?, *packed)?;
                }
                let (_, alignment) = self.extent(types, fields[field])?;
                if *packed { Some(walked.size) } else { aligned(walked.size, alignment) }
            }
            _ => None,
        }
    }

    /// Size with padding, and alignment.
    fn extent(&self, types: &Types, id: TypeId) -> Option<(u64, u64)> {
        self.extent_within(types, id, DEEPEST, &mut FxHashMap::default())
    }

    /// The same of a part of a type, `known` the parts seen before: types are graphs, and trees of them can be huge.
    fn extent_within(
        &self,
        types: &Types,
        id: TypeId,
        depth: usize,
        known: &mut Known,
    ) -> Option<(u64, u64)> {
        if let Some(&extent) = known.get(&id) {
            return extent;
        }
        let extent = self.extent_of(types, id, depth.checked_sub(1)?, known);
        known.insert(id, extent);
        extent
    }

    fn extent_of(&self, types: &Types, id: TypeId, depth: usize, known: &mut Known) -> Option<(u64, u64)> {
        match types.get(types.resolved(id)?) {
            Type::Integer(bits) => {
                let alignment = self.integer_alignment(*bits);
                Some((aligned(u64::from(bits.div_ceil(8)), alignment)?, alignment))
            }
            Type::Float(kind) => {
                let (bits, bytes) = match kind {
                    FloatKind::Half | FloatKind::Brain => (16, 2),
                    FloatKind::Single => (32, 4),
                    FloatKind::Double => (64, 8),
                    FloatKind::Extended => (80, 10),
                    FloatKind::Quad => (128, 16),
                };
                let listed = self.floats.binary_search_by_key(&bits, |entry| entry.0);
                let alignment = listed.map_or(16, |at| self.floats[at].1);
                Some((aligned(bytes, alignment)?, alignment))
            }
            Type::Pointer => Some(self.pointer),
            Type::Array(length, element) => {
                let (size, alignment) = self.extent_within(types, *element, depth, known)?;
                Some((size.checked_mul(*length)?, alignment))
            }
            Type::Vector(..) => {
                let bytes = self.stored(types, id)?;
                let alignment = bytes.checked_next_power_of_two()?.max(1);
                Some((aligned(bytes, alignment)?, alignment))
            }
            Type::Structure { packed, fields } => {
                let mut walked = Walked::default();
                for &field in fields {
                    walked.add(self.extent_within(types, field, depth, known)?, *packed)?;
                }
                Some((aligned(walked.size, walked.alignment)?, walked.alignment))
            }
            Type::Void | Type::Named(_) | Type::Function { .. } | Type::Metadata | Type::Token => None,
        }
    }

    /// That of the next wider integer that the layout names, else of the widest.
    fn integer_alignment(&self, bits: u32) -> u64 {
        let wider = self.integers.iter().find(|entry| entry.0 >= bits);
        wider.or(self.integers.last()).map_or(1, |entry| entry.1)
    }
}

/// The fields of a structure that have been placed.
struct Walked {
    size: u64,
    alignment: u64,
}

impl Default for Walked {
    fn default() -> Walked {
        Walked { size: 0, alignment: 1 }
    }
}

impl Walked {
    fn add(&mut self, (size, alignment): (u64, u64), packed: bool) -> Option<()> {
        let alignment = if packed { 1 } else { alignment };
        self.size = aligned(self.size, alignment)?.checked_add(size)?;
        self.alignment = self.alignment.max(alignment);
        Some(())
    }
}

/// The next multiple of an alignment.
fn aligned(offset: u64, alignment: u64) -> Option<u64> {
    offset.checked_next_multiple_of(alignment.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const X86: &str = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

    #[test]
    fn structures_are_those_of_the_platform() {
        let layout = DataLayout::parse(X86).expect("a layout");
        let mut types = Types::default();
        let [byte, int, double, long_double, pointer] = [
            Type::Integer(8),
            Type::Integer(32),
            Type::Float(FloatKind::Double),
            Type::Float(FloatKind::Extended),
            Type::Pointer,
        ]
        .map(|of| types.number(of));
        let fields = vec![byte, int, byte, double, long_double, pointer];
        let plain = types.number(Type::Structure { packed: false, fields: fields.clone() });
        let packed = types.number(Type::Structure { packed: true, fields });
        let offsets = |of| (0..6).map(|field| layout.field(&types, of, field)).collect::<Option<Vec<_>>>();
        assert_eq!(offsets(plain), Some(vec![0, 4, 8, 16, 32, 48]));
        assert_eq!(layout.size(&types, plain), Some(64));
        assert_eq!(offsets(packed), Some(vec![0, 1, 5, 6, 14, 30]));
        assert_eq!(layout.size(&types, packed), Some(38));
        assert_eq!(layout.field(&types, plain, 6), None);
        assert_eq!(layout.stored(&types, long_double), Some(10));
    }

    #[test]
    fn a_structure_that_holds_itself_has_no_size() {
        let mut types = Types::default();
        let named = types.declare("struct.endless");
        let itself = types.number(Type::Named(named));
        let body = types.number(Type::Structure { packed: false, fields: vec![itself] });
        types.define(named, body);
        assert_eq!(DataLayout::default().size(&types, itself), None);
    }

    #[test]
    fn sizes_beyond_the_address_space_are_none() {
        let mut types = Types::default();
        let int = types.number(Type::Integer(64));
        let rows = types.number(Type::Array(u64::MAX, int));
        assert_eq!(DataLayout::default().size(&types, rows), None);
    }
}
