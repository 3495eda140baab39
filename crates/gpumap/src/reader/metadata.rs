//! Nodes that describe the source.

use super::Reader;
use super::error::{Problem, Result};
use super::lexer::{Token, unescaped};
use crate::ir::MetadataId;
use crate::ir::metadata::{FIELDS, Field, Node};

/// The name of a kept field.
fn kept(name: &str) -> Option<&'static str> {
    FIELDS.binary_search(&name).ok().map(|at| FIELDS[at])
}

impl<'t> Reader<'t> {
    /// The node with a number in the text.
    pub(super) fn node_of(&mut self, digits: &str) -> Result<MetadataId> {
        let number = digits.parse().map_err(|_| self.cursor.error(Problem::Number(format!("!{digits}"))))?;
        let metadata = &mut self.module.metadata;
        Ok(*self.nodes.entry(number).or_insert_with(|| metadata.reserve()))
    }

    /// A node that is named by its number or written in place.
    ///
    /// A node that is never defined has nothing in it; what it describes is then not known.
    pub(super) fn metadata_reference(&mut self) -> Result<MetadataId> {
        match self.cursor.token {
            Token::Metadata(name) if name.starts_with(|first: char| first.is_ascii_digit()) => {
                self.cursor.next();
                self.node_of(name)
            }
            _ => {
                let node = self.node()?;
                let id = self.module.metadata.reserve();
                self.module.metadata.define(id, node);
                Ok(id)
            }
        }
    }

    /// `!N = …` or `!name = …`.
    pub(super) fn metadata_definition(&mut self, name: &'t str) -> Result<()> {
        self.cursor.expect('=')?;
        self.cursor.accept_word("distinct");
        let is_numbered = name.starts_with(|first: char| first.is_ascii_digit());
        let id = if is_numbered { Some(self.node_of(name)?) } else { None };
        let node = self.node()?;
        // Lists with names are of no use here.
        let Some(id) = id else { return Ok(()) };
        if self.module.metadata.define(id, node) {
            Ok(())
        } else {
            Err(self.cursor.error(Problem::Redefined(format!("!{name}"))))
        }
    }

    /// What a node is.
    pub(super) fn node(&mut self) -> Result<Node> {
        self.nested(|reader| {
            reader.cursor.accept_word("distinct");
            match reader.cursor.token {
                Token::Exclamation => {
                    reader.cursor.next();
                    reader.list_or_text()
                }
                Token::Metadata(kind) => {
                    reader.cursor.next();
                    reader.record(kind)
                }
                _ => Err(reader.cursor.unexpected("a node of metadata")),
            }
        })
    }

    fn list_or_text(&mut self) -> Result<Node> {
        if let Token::Text(text) = self.cursor.token {
            self.cursor.next();
            return Ok(Node::Text(unescaped(text)));
        }
        self.cursor.expect('{')?;
        let mut elements = Vec::new();
        while self.cursor.token != Token::Sign('}') {
            elements.push(self.metadata_field()?);
            if !self.cursor.accept(',') {
                break;
            }
        }
        self.cursor.expect('}')?;
        Ok(Node::Tuple(elements))
    }

    /// `(name: value, …)`, or without names.
    fn record(&mut self, kind: &str) -> Result<Node> {
        self.cursor.expect('(')?;
        let mut fields = Vec::new();
        let empty = self.cursor.token == Token::Sign(')');
        while self.cursor.token != Token::Sign(')') {
            let mut name = None;
            if let Token::Word(word) = self.cursor.token
                && self.cursor.following() == Token::Sign(':')
            {
                self.cursor.next();
                self.cursor.next();
                name = Some(word);
            }
            let field = self.metadata_field()?;
            fields.extend(name.and_then(kept).map(|name| (name, field)));
            if !self.cursor.accept(',') {
                break;
            }
        }
        self.cursor.expect(')')?;
        Ok(Node::Record { kind: kind.into(), fields, empty })
    }

    /// What a field holds.
    fn metadata_field(&mut self) -> Result<Field> {
        match self.cursor.token {
            Token::Metadata(name) if name.starts_with(|first: char| first.is_ascii_digit()) => {
                self.cursor.next();
                Ok(Field::Node(self.node_of(name)?))
            }
            Token::Metadata(_) | Token::Exclamation => self.node().map(|node| match node {
                Node::Text(text) => Field::Text(text),
                node => Field::Inline(Box::new(node)),
            }),
            Token::Text(text) => {
                self.cursor.next();
                Ok(Field::Text(unescaped(text)))
            }
            Token::Integer(digits) => {
                let number = digits.parse();
                let number = number.map_err(|_| self.cursor.error(Problem::Number(digits.to_owned())))?;
                self.cursor.next();
                Ok(Field::Number(number))
            }
            Token::Word("null") => {
                self.cursor.next();
                Ok(Field::Absent)
            }
            Token::Word(word) if !super::types::is_type(word) => self.words(),
            Token::Word(_) | Token::Local(_) | Token::Sign('[' | '{' | '<') => {
                Ok(Field::Constant(self.typed_constant()?))
            }
            _ => Err(self.cursor.unexpected("what a node holds")),
        }
    }

    /// `WORD | WORD …`.
    fn words(&mut self) -> Result<Field> {
        let mut text = String::new();
        while let Token::Word(word) = self.cursor.token {
            text.push_str(word);
            self.cursor.next();
            if !self.cursor.accept('|') {
                break;
            }
            text.push('|');
        }
        Ok(Field::Word(text.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::FIELDS;

    #[test]
    fn kept_fields_are_in_order() {
        assert!(FIELDS.is_sorted());
    }
}
