//! What objects and contents of memory are called in the source: `c->data`, `image.width`, `*p`.

use rustc_hash::FxHashMap;

use super::object::{Object, Objects};
use crate::ir::instruction::Callee;
use crate::ir::module::Definition;
use crate::ir::{Constant, Function, MetadataId, Operand, Operation, Value, ValueId};

/// Members of members that are named.
const DEEPEST: u32 = 6;

/// The variables of a function.
#[derive(Debug, Clone, Default)]
pub struct Variables {
    /// The variable that each value is first.
    values: FxHashMap<ValueId, MetadataId>,
    /// The variable that each value is the address of.
    places: FxHashMap<ValueId, MetadataId>,
}

/// Names of the objects of a function.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a, 'f> {
    objects: &'a Objects<'f>,
    variables: &'a Variables,
}

/// A name, and the type of what has it.
type Named = (String, Option<MetadataId>);

impl Variables {
    /// Those of a function.
    pub fn new(function: &Function) -> Variables {
        let (mut values, mut places) = (FxHashMap::default(), FxHashMap::default());
        for binding in function.blocks.iter().flat_map(|block| &block.bindings) {
            let Some(Operand { value: Value::Local(value), .. }) = binding.value else { continue };
            if binding.plain {
                let list = if binding.address { &mut places } else { &mut values };
                list.entry(value).or_insert(binding.variable);
            }
        }
        Variables { values, places }
    }

    /// The variable that a value is the address of.
    pub fn at(&self, value: ValueId) -> Option<MetadataId> {
        self.places.get(&value).copied()
    }

    /// The variable that a value is.
    pub fn of(&self, value: ValueId) -> Option<MetadataId> {
        self.values.get(&value).copied()
    }
}

impl<'a, 'f> Names<'a, 'f> {
    /// Those of these objects.
    pub fn new(objects: &'a Objects<'f>, variables: &'a Variables) -> Names<'a, 'f> {
        Names { objects, variables }
    }

    /// What an object is called.
    pub fn object(&self, object: Object) -> String {
        let function = self.objects.function;
        let (value, kind) = match object {
            Object::Argument(place) => match function.parameters.get(place) {
                Some(parameter) => (parameter.value, "argument"),
                None => return format!("argument {place}"),
            },
            Object::Global(symbol) => return self.objects.module.shown_name(symbol),
            Object::Local(value) => (value, "variable"),
            Object::Heap(value) => (value, "allocation"),
            Object::Pointed(value) => (value, "address"),
        };
        if let Some(variable) = self.variables.places.get(&value)
            && let Some(name) = self.objects.module.metadata.text(*variable, "name")
        {
            return name.to_owned();
        }
        let named = self.pointer(Value::Local(value), DEEPEST);
        named.map_or_else(|| format!("{kind} %{}", function.value(value).name), |(name, _)| name)
    }

    /// The name of the variable that a value is, or of the content that it is loaded from.
    pub fn value(&self, value: ValueId) -> Option<String> {
        self.pointer(Value::Local(value), DEEPEST).map(|(name, _)| name)
    }

    /// What the content of so many bytes at an address is called.
    pub fn content(&self, address: Operand, bytes: Option<u64>) -> Option<String> {
        self.content_within(address, bytes, DEEPEST).map(|(name, _)| name)
    }

    fn of_variable(&self, variable: MetadataId) -> Option<Named> {
        let metadata = &self.objects.module.metadata;
        Some((metadata.text(variable, "name")?.to_owned(), metadata.node(variable, "type")))
    }

    /// Bytes of what the address of an object points to by its type in the source: of an element, where it points to one.
    pub fn element_size(&self, object: Object) -> Option<u64> {
        let metadata = &self.objects.module.metadata;
        let value = match object {
            Object::Argument(place) => self.objects.function.parameters.get(place)?.value,
            Object::Pointed(value) | Object::Heap(value) => value,
            Object::Global(_) | Object::Local(_) => return None,
        };
        let pointee = metadata.pointee(self.pointer(Value::Local(value), DEEPEST)?.1?)?;
        u64::try_from(metadata.number(pointee, "size")?).ok()?.checked_div(8).filter(|bytes| *bytes > 0)
    }

    /// Whether the variable that an object is called by holds its address all the time: nothing else is assigned to it in the function.
    pub fn is_steady(&self, object: Object) -> bool {
        let function = self.objects.function;
        let base = match object {
            Object::Argument(place) => match function.parameters.get(place) {
                Some(parameter) => parameter.value,
                None => return false,
            },
            Object::Pointed(value) | Object::Heap(value) => value,
            Object::Global(_) | Object::Local(_) => return true,
        };
        let Some(variable) = self.variables.of(base) else { return true };
        let bindings = function.blocks.iter().flat_map(|block| &block.bindings);
        let mut values = bindings.filter(|binding| binding.variable == variable && !binding.address);
        values.all(|binding| match binding.value {
            Some(Operand { value: Value::Local(value), .. }) => value == base && binding.plain,
            // Nothing yet, or no address.
            Some(Operand { value: Value::Constant(_), .. }) | None => true,
        })
    }

    /// Whether an object is what its name says without a sign: a copy of the caller's structure, or what a reference of C++ refers to.
    pub fn is_by_name(&self, object: Object) -> bool {
        let value = match object {
            Object::Argument(place) => match self.objects.function.parameters.get(place) {
                Some(parameter) if parameter.by_value => return true,
                Some(parameter) => parameter.value,
                None => return false,
            },
            Object::Pointed(value) => value,
            Object::Global(_) | Object::Local(_) => return true,
            Object::Heap(_) => return false,
        };
        let of = self.pointer(Value::Local(value), DEEPEST).and_then(|(_, of)| of);
        of.is_some_and(|of| self.objects.module.metadata.is_reference(of))
    }

    /// A value that is an address.
    fn pointer(&self, value: Value, depth: u32) -> Option<Named> {
        let depth = depth.checked_sub(1)?;
        let Value::Local(value) = value else { return None };
        let loaded = self.objects.definition(value).map(|instruction| &instruction.operation);
        match (loaded, self.variables.values.get(&value)) {
            (Some(Operation::Load { address, .. }), variable) => {
                let bytes = self.bytes(value);
                let content = self.content_within(*address, bytes, depth);
                content.or_else(|| self.of_variable(*variable?))
            }
            (_, Some(variable)) => self.of_variable(*variable),
            (Some(Operation::Call { callee: Callee::Symbol(symbol), .. }), None) => {
                Some((format!("{}()", self.objects.module.shown_name(*symbol)), None))
            }
            _ => None,
        }
    }

    fn bytes(&self, value: ValueId) -> Option<u64> {
        let module = self.objects.module;
        module.layout.stored(&module.types, self.objects.function.value(value).of)
    }

    fn content_within(&self, address: Operand, bytes: Option<u64>, depth: u32) -> Option<Named> {
        let depth = depth.checked_sub(1)?;
        let metadata = &self.objects.module.metadata;
        let (root, offset) = self.objects.rooted(address);
        let offset = u64::try_from(offset).ok()?;
        if let Some((name, of)) = self.whole(root) {
            let member = of.and_then(|of| metadata.member(of, offset, bytes));
            return match member {
                Some(member) => Some((format!("{name}.{}", member.names.join(".")), member.of)),
                None => (offset == 0).then_some((name, of)),
            };
        }
        if let Some((name, pointee)) = self.element(root, depth) {
            return match metadata.member(pointee, offset, bytes) {
                Some(member) => Some((format!("{name}[].{}", member.names.join(".")), member.of)),
                None => (offset == 0).then(|| (format!("{name}[]"), Some(pointee))),
            };
        }
        let (name, of) = self.pointer(root, depth)?;
        let pointee = metadata.pointee(of?)?;
        let is_reference = of.is_some_and(|of| metadata.is_reference(of));
        match metadata.member(pointee, offset, bytes) {
            Some(member) => {
                let sign = if is_reference { "." } else { "->" };
                Some((format!("{name}{sign}{}", member.names.join(".")), member.of))
            }
            None => {
                let size = u64::try_from(metadata.number(pointee, "size")?).ok()?.checked_div(8)?;
                let index = offset.checked_div(size).filter(|_| offset.is_multiple_of(size))?;
                let name = match (index, is_reference) {
                    (0, true) => name,
                    (0, false) => format!("*{name}"),
                    _ => format!("{name}[{index}]"),
                };
                Some((name, Some(pointee)))
            }
        }
    }

    /// An element of what a pointer points to, by its address with an index that is not constant: the pointer's name and the
    /// type of the element.
    fn element(&self, root: Value, depth: u32) -> Option<(String, MetadataId)> {
        let (module, Value::Local(value)) = (self.objects.module, root) else { return None };
        let Operation::Element { source, base, indices, .. } = &self.objects.definition(value)?.operation
        else {
            return None;
        };
        let (name, of) = self.pointer(base.value, depth)?;
        let pointee = module.metadata.pointee(of?)?;
        let size = u64::try_from(module.metadata.number(pointee, "size")?).ok()?.checked_div(8)?;
        (indices.len() == 1 && module.layout.size(&module.types, *source) == Some(size))
            .then_some((name, pointee))
    }

    /// A variable by its address.
    fn whole(&self, root: Value) -> Option<Named> {
        let module = self.objects.module;
        match root {
            Value::Local(value) => self.of_variable(*self.variables.places.get(&value)?),
            Value::Constant(constant) => {
                let Constant::Symbol(symbol) = module.constant(constant) else { return None };
                let Definition::Global(place) = module.symbols[symbol.index()].definition else {
                    return None;
                };
                let node = module.globals[place].description?;
                let variable = module.metadata.node(node, "var").unwrap_or(node);
                self.of_variable(variable)
            }
        }
    }
}
