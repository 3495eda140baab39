//! Nodes that describe the source, as they are written.
//!
//! A node is a tuple or a record such as `!DILocation(line: 3, column: 5, scope: !7)`. Of records the fields in [`FIELDS`] are
//! kept. What they mean is said in `super::debug`.

use super::{MetadataId, Operand};

/// Names of fields that are kept.
pub const FIELDS: [&str; 23] = [
    "arg",
    "baseType",
    "column",
    "count",
    "directory",
    "elements",
    "encoding",
    "entity",
    "file",
    "filename",
    "flags",
    "inlinedAt",
    "line",
    "linkageName",
    "lowerBound",
    "name",
    "offset",
    "scope",
    "size",
    "tag",
    "type",
    "types",
    "var",
];

/// What a field or element holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// `null`.
    Absent,
    /// Another node.
    Node(MetadataId),
    /// A text.
    Text(Box<str>),
    /// A number.
    Number(i128),
    /// A word such as `DW_TAG_member`, or several with `|` between them.
    Word(Box<str>),
    /// A constant.
    Constant(Operand),
    /// A node written in place.
    Inline(Box<Node>),
}

/// A node.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A list.
    Tuple(Vec<Field>),
    /// A record: its kind, fields with names, and what stands in it without a name.
    Record {
        /// Such as `DILocation`.
        kind: Box<str>,
        /// Fields that are kept.
        fields: Vec<(&'static str, Field)>,
        /// Whether anything stands in it at all.
        empty: bool,
    },
    /// A text.
    Text(Box<str>),
    /// A constant, or a value of a function.
    Value,
}

/// All nodes of a module.
#[derive(Debug, Clone, Default)]
pub struct Metadata {
    nodes: Vec<Option<Node>>,
}

impl Metadata {
    /// A place for a node that is defined later.
    pub fn reserve(&mut self) -> MetadataId {
        self.nodes.push(None);
        MetadataId::new(self.nodes.len() - 1)
    }

    /// Defines a node; gives whether it was not defined before.
    pub fn define(&mut self, id: MetadataId, node: Node) -> bool {
        self.nodes[id.index()].replace(node).is_none()
    }

    /// A node.
    pub fn get(&self, id: MetadataId) -> Option<&Node> {
        self.nodes.get(id.index())?.as_ref()
    }

    /// Numbers of all nodes.
    pub fn ids(&self) -> impl Iterator<Item = MetadataId> + use<> {
        (0..self.nodes.len()).map(MetadataId::new)
    }

    /// A field of a record.
    pub fn field(&self, id: MetadataId, name: &str) -> Option<&Field> {
        match self.get(id)? {
            Node::Record { fields, .. } => fields.iter().find(|field| field.0 == name).map(|field| &field.1),
            _ => None,
        }
    }

    /// The kind of a record.
    pub fn kind(&self, id: MetadataId) -> Option<&str> {
        match self.get(id)? {
            Node::Record { kind, .. } => Some(kind),
            _ => None,
        }
    }

    /// The node that a field names.
    pub fn node(&self, id: MetadataId, name: &str) -> Option<MetadataId> {
        match self.field(id, name)? {
            Field::Node(node) => Some(*node),
            _ => None,
        }
    }

    /// The text of a field.
    pub fn text(&self, id: MetadataId, name: &str) -> Option<&str> {
        match self.field(id, name)? {
            Field::Text(text) | Field::Word(text) => Some(text),
            _ => None,
        }
    }

    /// The number of a field.
    pub fn number(&self, id: MetadataId, name: &str) -> Option<i128> {
        match self.field(id, name)? {
            Field::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The elements of a tuple.
    pub fn elements(&self, id: MetadataId) -> &[Field] {
        match self.get(id) {
            Some(Node::Tuple(elements)) => elements,
            _ => &[],
        }
    }
}
