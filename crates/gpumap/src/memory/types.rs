//! What the types of two accesses exclude, by the rules of C on effective types.
//!
//! An access has a tag: the type around it, the type accessed, and the offset of the latter in the former. A type is a node with a
//! name and its parts with their offsets; a scalar's only part is its parent, up to `char`, which may be anything, and a root. Two
//! accesses may be of the same bytes if one lies within the type around the other, at its offset there.
//!
//! Source: LLVM language reference, "tbaa metadata" (the struct-path format that clang writes).

use crate::ir::metadata::Field;
use crate::ir::{MetadataId, Module};

/// Types may be nested this deep; of deeper ones nothing is excluded.
const DEEPEST: usize = 64;

/// The tag of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tag {
    around: MetadataId,
    accessed: MetadataId,
    offset: i128,
}

/// Whether accesses with these tags may touch a common byte.
pub fn may_meet(module: &Module, a: Option<MetadataId>, b: Option<MetadataId>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return true };
    if a == b {
        return true;
    }
    let (Some(a), Some(b)) = (tag(module, a), tag(module, b)) else { return true };
    let (Some(first), Some(second)) = (ancestors(module, a.accessed), ancestors(module, b.accessed)) else {
        return true;
    };
    // Types of different roots say nothing of each other.
    let Some(&common) = first.iter().find(|node| second.contains(node)) else { return true };
    within(module, a, b, common).or_else(|| within(module, b, a, common)).unwrap_or(false)
}

/// Whether an access may be of what `inner` accesses, if the type around that is found on the way to what `outer` accesses;
/// `None` if it is not.
fn within(module: &Module, outer: Tag, inner: Tag, common: MetadataId) -> Option<bool> {
    if outer.around == outer.accessed && outer.accessed == common {
        return Some(true);
    }
    let (mut at, mut offset) = (outer.around, outer.offset);
    for _ in 0..DEEPEST {
        if at == inner.around {
            return Some(offset == inner.offset);
        }
        (at, offset) = part(module, at, offset)?;
    }
    Some(true)
}

fn tag(module: &Module, node: MetadataId) -> Option<Tag> {
    match module.metadata.elements(node) {
        [Field::Node(around), Field::Node(accessed), offset, ..] => {
            Some(Tag { around: *around, accessed: *accessed, offset: number(module, offset)? })
        }
        _ => None,
    }
}

fn number(module: &Module, field: &Field) -> Option<i128> {
    match field {
        Field::Number(number) => Some(*number),
        Field::Constant(constant) => module.integer(*constant),
        _ => None,
    }
}

/// The part of a type at an offset, and the offset in it.
fn part(module: &Module, of: MetadataId, offset: i128) -> Option<(MetadataId, i128)> {
    let mut found = None;
    for pair in module.metadata.elements(of).get(1..)?.chunks(2) {
        if let [Field::Node(part), start] = pair {
            let start = number(module, start)?;
            if start <= offset {
                found = Some((*part, offset.checked_sub(start)?));
            }
        }
    }
    found
}

/// A scalar type and its parents, itself first; `None` if there are too many.
fn ancestors(module: &Module, of: MetadataId) -> Option<Vec<MetadataId>> {
    let mut list = vec![of];
    while let Some((next, _)) = part(module, *list.last()?, 0) {
        if list.len() == DEEPEST {
            return None;
        }
        list.push(next);
    }
    Some(list)
}
