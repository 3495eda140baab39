//! Places, variables and members of the source, as the compiler describes them.
//!
//! Source: LLVM "Source Level Debugging"; DWARF 5 for tags.

use super::metadata::{Field, Metadata};
use super::{Function, MetadataId, Value};

/// Types, scopes and so on may be nested this deep; what is deeper is not looked at.
const DEEPEST: usize = 100;

/// A place in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place<'m> {
    /// The file, as the compiler was told.
    pub file: &'m str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 where it is not known.
    pub column: u32,
}

impl std::fmt::Display for Place<'_> {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "{}:{}", self.file, self.line)?;
        if self.column > 0 { write!(to, ":{}", self.column) } else { Ok(()) }
    }
}

/// What there is at an offset of a type: members from the outside in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member<'m> {
    /// Names of the members, outermost first; those without a name are left out.
    pub names: Vec<&'m str>,
    /// Type of the innermost one.
    pub of: Option<MetadataId>,
}

impl Metadata {
    /// The place that a `DILocation` stands for; `None` for those without a line.
    pub fn place(&self, location: MetadataId) -> Option<Place<'_>> {
        let line = u32::try_from(self.number(location, "line")?).ok().filter(|line| *line > 0)?;
        let column =
            self.number(location, "column").and_then(|column| u32::try_from(column).ok()).unwrap_or(0);
        Some(Place { file: self.file(self.node(location, "scope")?)?, line, column })
    }

    /// The file that something stands in.
    pub fn file(&self, of: MetadataId) -> Option<&str> {
        let mut at = of;
        for _ in 0..DEEPEST {
            if let Some(file) = self.node(at, "file") {
                return self.text(file, "filename");
            }
            at = self.node(at, "scope")?;
        }
        None
    }

    /// Where a loop starts and ends, from the node on its back edge.
    pub fn loop_places(&self, node: MetadataId) -> Option<(Place<'_>, Option<Place<'_>>)> {
        let mut places = self.elements(node).iter().filter_map(|element| match element {
            Field::Node(node) if self.kind(*node) == Some("DILocation") => self.place(*node),
            _ => None,
        });
        Some((places.next()?, places.next()))
    }

    /// A type without its names, `const` and the like.
    pub fn stripped(&self, of: MetadataId) -> Option<MetadataId> {
        let mut at = of;
        for _ in 0..DEEPEST {
            let tag = self.text(at, "tag").unwrap_or("");
            let transparent = ["typedef", "const_type", "volatile_type", "restrict_type", "atomic_type"];
            if !transparent.iter().any(|name| tag.strip_prefix("DW_TAG_") == Some(name)) {
                return Some(at);
            }
            at = self.node(at, "baseType")?;
        }
        None
    }

    /// What a pointer or reference type points to, stripped.
    pub fn pointee(&self, of: MetadataId) -> Option<MetadataId> {
        let pointer = self.stripped(of)?;
        let is_pointer = self.text(pointer, "tag") == Some("DW_TAG_pointer_type") || self.is_reference(of);
        self.stripped(self.node(pointer, "baseType").filter(|_| is_pointer)?)
    }

    /// Whether a type is a reference of C++: what it refers to is written without a sign.
    pub fn is_reference(&self, of: MetadataId) -> bool {
        let tag = self.stripped(of).and_then(|stripped| self.text(stripped, "tag"));
        matches!(tag, Some("DW_TAG_reference_type" | "DW_TAG_rvalue_reference_type"))
    }

    /// The function that a variable of the source belongs to, and where the innermost block around it begins, if it is in one.
    pub fn scope_of(&self, variable: MetadataId) -> Option<(MetadataId, Option<Place<'_>>)> {
        let (mut at, mut start) = (self.node(variable, "scope")?, None);
        for _ in 0..DEEPEST {
            if self.kind(at) == Some("DISubprogram") {
                return Some((at, start));
            }
            let line = self.number(at, "line").and_then(|line| u32::try_from(line).ok());
            let column = self.number(at, "column").and_then(|column| u32::try_from(column).ok());
            if let (None, Some(line), Some(file)) = (start, line, self.file(at)) {
                start = Some(Place { file, line, column: column.unwrap_or(0) });
            }
            at = self.node(at, "scope")?;
        }
        None
    }

    /// The innermost member of a structure or union at a byte of it; of a union, the first one that is there.
    ///
    /// A structure within stands for its own first member only where `whole` does not match its size in bytes.
    pub fn member(&self, of: MetadataId, byte: u64, whole: Option<u64>) -> Option<Member<'_>> {
        let mut member = Member { names: Vec::new(), of: Some(of) };
        let mut bits = i128::from(byte).checked_mul(8)?;
        let mut at = self.stripped(of)?;
        for _ in 0..DEEPEST {
            let Some((found, offset)) = self.field_at(at, bits) else { break };
            bits -= offset;
            member.names.extend(self.text(found, "name"));
            member.of = self.node(found, "baseType");
            let Some(next) = member.of.and_then(|next| self.stripped(next)) else { break };
            at = next;
            let is_whole = whole.is_some_and(|bytes| self.number(at, "size") == Some(i128::from(bytes) * 8));
            if bits == 0 && is_whole {
                break;
            }
        }
        (!member.names.is_empty()).then_some(member)
    }

    /// The member of a structure or union that holds a bit, and where it starts.
    fn field_at(&self, of: MetadataId, bit: i128) -> Option<(MetadataId, i128)> {
        let tag = self.text(of, "tag")?;
        if !matches!(tag, "DW_TAG_structure_type" | "DW_TAG_union_type" | "DW_TAG_class_type") {
            return None;
        }
        let members = self.elements(self.node(of, "elements")?).iter().filter_map(|member| match member {
            Field::Node(node)
                if matches!(self.text(*node, "tag"), Some("DW_TAG_member" | "DW_TAG_inheritance")) =>
            {
                Some(*node)
            }
            _ => None,
        });
        members.map(|member| (member, self.number(member, "offset").unwrap_or(0))).find(
            |&(member, offset)| {
                // A class that another one inherits from has the size of its own type.
                let base = || self.number(self.stripped(self.node(member, "baseType")?)?, "size");
                let size = self.number(member, "size").or_else(base).unwrap_or(0);
                offset <= bit && bit.saturating_sub(offset) < size
            },
        )
    }

    /// A type as it is written in C, roughly: names of structures and of numbers, `*` for pointers.
    pub fn type_name(&self, of: MetadataId) -> String {
        let mut stars = String::new();
        let mut at = of;
        for _ in 0..DEEPEST {
            let tag = self.text(at, "tag").unwrap_or("");
            let tag = tag.strip_prefix("DW_TAG_").unwrap_or(tag);
            if let Some(name) = self.text(at, "name") {
                let before = match tag {
                    "structure_type" => "struct ",
                    "union_type" => "union ",
                    "enumeration_type" => "enum ",
                    _ => "",
                };
                return format!("{before}{name}{stars}");
            }
            match tag {
                "pointer_type" => stars.insert(0, '*'),
                "array_type" => stars.push_str("[]"),
                _ => {}
            }
            match self.node(at, "baseType") {
                Some(next) => at = next,
                None => break,
            }
        }
        format!("void{stars}")
    }
}

impl Function {
    /// The variables of the source that a value is at some point, in order: their descriptions.
    pub fn variables_of(&self, value: super::ValueId) -> impl Iterator<Item = MetadataId> {
        self.blocks.iter().flat_map(|block| &block.bindings).filter_map(move |binding| {
            let is_it = binding.value.is_some_and(|operand| operand.value == Value::Local(value));
            (is_it && binding.plain && !binding.address).then_some(binding.variable)
        })
    }
}
