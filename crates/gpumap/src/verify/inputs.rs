//! What a function is called with, and what it leaves.

use crate::access::{Accesses, Extent, Hull};
use crate::emit::expression;
use crate::ir::module::Definition;
use crate::ir::types::FloatKind;
use crate::ir::{MetadataId, Module, Type, TypeId};
use crate::memory::Object;
use crate::symbolic::{Range, Side};

/// Types in types that are looked through.
const DEEPEST: u32 = 16;

/// Why there are no inputs for a function.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unmade {
    /// An argument of this name is of a type that is not made up.
    #[error("values of the type of {0} are not made up")]
    Type(String),
    /// Which bytes the function uses of this array is not known in terms of its arguments.
    #[error("it is not known how large {0} has to be")]
    Bytes(String),
    /// It is a member of a class.
    #[error("it is a member of a class")]
    Member,
    /// An argument has no name.
    #[error("an argument has no name")]
    Unnamed,
    /// The function uses memory of which it is not known to which array it belongs.
    #[error("the function uses memory of which it is not known to which array it belongs")]
    Stray,
}

/// What elements are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    Float,
    Double,
    /// Integers of so many bytes.
    Integer(u64),
    /// What has several kinds of numbers in it, in words of 4 bytes: such that none of them is a NaN, of which C leaves open which bits it
    /// has after an operation.
    Words,
}

impl Element {
    pub(super) fn bytes(self) -> u64 {
        match self {
            Element::Float => 4,
            Element::Double => 8,
            Element::Integer(bytes) => bytes,
            Element::Words => 4,
        }
    }
}

/// An argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Argument {
    Integer(String),
    Float(String),
    /// A number that the function refers to, with its type.
    Reference {
        name: String,
        type_name: String,
    },
    /// Memory from one byte to another, as expressions of C in terms of the other arguments.
    Array {
        name: String,
        from: String,
        to: String,
        element: Element,
        /// Bytes of what the pointer points to, of which there are whole ones; `None` for rows whose length is an argument.
        whole: Option<u64>,
    },
}

/// What a function is called with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inputs {
    pub(super) function: String,
    pub(super) arguments: Vec<Argument>,
    /// Global variables that it uses.
    pub(super) globals: Vec<(String, Element)>,
    /// Whether it gives a number.
    pub(super) gives_number: bool,
}

impl Inputs {
    /// Those of a function.
    ///
    /// # Errors
    /// Why there are none.
    pub fn new(module: &Module, accesses: &mut Accesses<'_>) -> Result<Inputs, Unmade> {
        if accesses.strays(None).next().is_some() {
            return Err(Unmade::Stray);
        }
        let hulls = accesses.hulls(None);
        let function = accesses.proved_mut().function;
        let scope = function.description.and_then(|description| module.metadata.node(description, "scope"));
        if scope.is_some_and(|scope| module.metadata.text(scope, "tag").is_some()) {
            return Err(Unmade::Member);
        }
        let mut arguments = Vec::new();
        for (place, parameter) in function.parameters.iter().enumerate() {
            let variable =
                accesses.proved_mut().memory().and_then(|memory| memory.variables.of(parameter.value));
            let variable = variable.or_else(|| function.variables_of(parameter.value).next());
            let variable = variable.ok_or(Unmade::Unnamed)?;
            let name = module.metadata.text(variable, "name").ok_or(Unmade::Unnamed)?.to_owned();
            let of = function.value(parameter.value).of;
            arguments.push(match module.types.get(of) {
                _ if parameter.by_value => return Err(Unmade::Type(name)),
                Type::Integer(1..=64) => Argument::Integer(name),
                Type::Float(FloatKind::Single | FloatKind::Double) => Argument::Float(name),
                Type::Pointer => {
                    let of = module.metadata.node(variable, "type");
                    if let Some(of) = of.filter(|&of| module.metadata.is_reference(of)) {
                        let referred = module.metadata.pointee(of).filter(|&of| {
                            matches!(module.metadata.text(of, "tag"), Some("DW_TAG_base_type"))
                                || module.metadata.kind(of) == Some("DIBasicType")
                        });
                        let referred = referred.ok_or_else(|| Unmade::Type(name.clone()))?;
                        let type_name = module.metadata.type_name(referred);
                        arguments.push(Argument::Reference { name, type_name });
                        continue;
                    }
                    let element =
                        of.and_then(|of| pointed(module, of)).ok_or_else(|| Unmade::Type(name.clone()))?;
                    let hull = hulls.iter().find(|hull| hull.object == Object::Argument(place));
                    let (from, to) = match hull {
                        Some(hull) => ends(accesses, hull).ok_or_else(|| Unmade::Bytes(name.clone()))?,
                        None => ("0".to_owned(), element.bytes().to_string()),
                    };
                    let pointee = of.and_then(|of| module.metadata.pointee(of));
                    let bits = pointee.and_then(|pointee| module.metadata.number(pointee, "size"));
                    let whole = bits.and_then(|bits| u64::try_from(bits / 8).ok()).filter(|bytes| *bytes > 0);
                    Argument::Array { name, from, to, element, whole }
                }
                _ => return Err(Unmade::Type(name)),
            });
        }
        let mut globals = Vec::new();
        for hull in &hulls {
            match hull.object {
                Object::Global(symbol) => {
                    let Definition::Global(place) = module.symbols[symbol.index()].definition else {
                        continue;
                    };
                    let global = &module.globals[place];
                    if global.constant {
                        continue;
                    }
                    let is_open = global.initialiser.is_none() || hull.name.contains('.');
                    let element = element(module, global.of, DEEPEST).filter(|_| !is_open);
                    globals
                        .push((hull.name.clone(), element.ok_or_else(|| Unmade::Type(hull.name.clone()))?));
                }
                Object::Pointed(_) => return Err(Unmade::Type(hull.name.clone())),
                Object::Argument(_) | Object::Local(_) | Object::Heap(_) => {}
            }
        }
        let gives_number = matches!(module.types.get(function.result), Type::Integer(_) | Type::Float(_));
        Ok(Inputs { function: module.shown_name(function.symbol), arguments, globals, gives_number })
    }
}

/// The ends of what is used of an array.
fn ends(accesses: &mut Accesses<'_>, of: &Hull) -> Option<(String, String)> {
    let bytes = |extent: &Extent| match extent {
        Extent::Nothing => Some(Range::Unreached),
        Extent::Bytes(range) => Some(range.clone()),
        Extent::Unknown => None,
    };
    let all = bytes(&of.reads)?.union(&bytes(&of.writes)?);
    let Range::Between(lower, upper) = all else { return Some(("0".into(), "0".into())) };
    let atoms = accesses.atoms_of(&of.known);
    let ends =
        (expression::bound(atoms, &lower, Side::Lower)?, expression::bound(atoms, &upper, Side::Upper)?);
    // Contents of memory are not there before the memory is.
    let is_plain =
        |text: &String| !text.contains(['*', '[', '&']) || !text.contains("(*") && !text.contains('[');
    (is_plain(&ends.0) && is_plain(&ends.1) && !ends.0.contains("->") && !ends.1.contains("->"))
        .then_some(ends)
}

/// What a pointer of the source points to, if that is numbers.
fn pointed(module: &Module, of: MetadataId) -> Option<Element> {
    described(module, module.metadata.pointee(of)?, DEEPEST)
}

/// Numbers that a type of the source is made of; of structures of several kinds, words.
fn described(module: &Module, of: MetadataId, depth: u32) -> Option<Element> {
    let depth = depth.checked_sub(1)?;
    let metadata = &module.metadata;
    let of = metadata.stripped(of)?;
    match metadata.text(of, "tag") {
        Some("DW_TAG_array_type") => described(module, metadata.node(of, "baseType")?, depth),
        Some("DW_TAG_enumeration_type") => Some(Element::Integer(4)),
        Some("DW_TAG_structure_type" | "DW_TAG_class_type") => {
            let members = metadata.elements(metadata.node(of, "elements")?).iter();
            let members = members.filter_map(|member| match member {
                crate::ir::metadata::Field::Node(node) => metadata.node(*node, "baseType"),
                _ => None,
            });
            let kinds = members.map(|member| described(module, member, depth)).collect::<Option<Vec<_>>>()?;
            let first = *kinds.first()?;
            Some(if kinds.iter().all(|kind| *kind == first) { first } else { Element::Words })
        }
        _ => {
            let bytes = u64::try_from(metadata.number(of, "size")?).ok()? / 8;
            match (metadata.text(of, "encoding")?, bytes) {
                ("DW_ATE_float", 4) => Some(Element::Float),
                ("DW_ATE_float", 8) => Some(Element::Double),
                ("DW_ATE_float" | "DW_ATE_complex_float", _) => None,
                (_, 1 | 2 | 4 | 8) => Some(Element::Integer(bytes)),
                _ => None,
            }
        }
    }
}

/// Numbers that a type is made of; of structures of several kinds, words.
fn element(module: &Module, of: TypeId, depth: u32) -> Option<Element> {
    let depth = depth.checked_sub(1)?;
    match module.types.get(module.types.resolved(of)?) {
        Type::Integer(bits @ (8 | 16 | 32 | 64)) => Some(Element::Integer(u64::from(*bits) / 8)),
        Type::Float(FloatKind::Single) => Some(Element::Float),
        Type::Float(FloatKind::Double) => Some(Element::Double),
        Type::Array(_, of) => element(module, *of, depth),
        Type::Structure { fields, .. } => {
            let kinds =
                fields.iter().map(|&field| element(module, field, depth)).collect::<Option<Vec<_>>>()?;
            let first = *kinds.first()?;
            Some(if kinds.iter().all(|kind| *kind == first) { first } else { Element::Words })
        }
        _ => None,
    }
}
