//! What a module consists of, functions aside: sources, types, global variables, attributes, metadata.

use super::Reader;
use super::error::{Problem, Result};
use super::lexer::{Token, unescaped};
use crate::ir::layout::DataLayout;
use crate::ir::module::Definition;
use crate::ir::{Global, MetadataId, SymbolId};

impl<'t> Reader<'t> {
    /// All of a module.
    pub(super) fn module(&mut self) -> Result<()> {
        loop {
            match self.cursor.token {
                Token::End => return Ok(()),
                Token::Word(word) => self.entity(word)?,
                Token::Local(name) => {
                    self.cursor.next();
                    self.type_definition(name)?;
                }
                Token::Global(name) => {
                    let symbol = self.symbol(name);
                    self.cursor.next();
                    self.global(symbol)?;
                }
                Token::Metadata(name) => {
                    self.cursor.next();
                    self.metadata_definition(name)?;
                }
                Token::Comdat(_) => self.skip_line(),
                _ => return Err(self.cursor.unexpected("a part of a module")),
            }
        }
    }

    fn entity(&mut self, word: &str) -> Result<()> {
        match word {
            "source_filename" => {
                self.cursor.next();
                self.cursor.expect('=')?;
                self.module.source = self.quoted()?.into();
                Ok(())
            }
            "target" => self.target(),
            "define" | "declare" => self.function(),
            "attributes" => self.attribute_group(),
            "module" | "uselistorder" | "uselistorder_bb" => {
                self.skip_line();
                Ok(())
            }
            _ => Err(self.cursor.unexpected("a part of a module")),
        }
    }

    /// Skips what stands on the line of the next word.
    fn skip_line(&mut self) {
        self.cursor.next();
        while self.cursor.is_on_line() {
            self.cursor.next();
        }
    }

    fn quoted(&mut self) -> Result<Box<str>> {
        let Token::Text(text) = self.cursor.token else { return Err(self.cursor.unexpected("a text")) };
        self.cursor.next();
        Ok(unescaped(text))
    }

    fn target(&mut self) -> Result<()> {
        self.cursor.next();
        let is_layout = self.cursor.token == Token::Word("datalayout");
        self.cursor.next();
        self.cursor.expect('=')?;
        let line = self.cursor.line;
        let text = self.quoted()?;
        if is_layout {
            let layout = DataLayout::parse(&text);
            let malformed = Problem::Operands("malformed data layout");
            self.module.layout = layout.ok_or_else(|| self.cursor.error_at(line, malformed))?;
        }
        Ok(())
    }

    /// `attributes #N = { … }`.
    fn attribute_group(&mut self) -> Result<()> {
        self.cursor.next();
        let Token::Hash(name) = self.cursor.token else {
            return Err(self.cursor.unexpected("a group of attributes"));
        };
        let number = self.group(name)?;
        self.cursor.next();
        self.cursor.expect('=')?;
        let start = self.cursor.end();
        if self.cursor.token != Token::Sign('{') {
            return Err(self.cursor.unexpected("`{`"));
        }
        self.cursor.skip_balanced()?;
        let text = self.cursor.between(start, self.cursor.end());
        let text = text.trim_start_matches('{').trim_end_matches('}').trim();
        self.module.attributes.insert(number, text.into());
        Ok(())
    }

    /// The number of a group of attributes.
    pub(super) fn group(&self, name: &str) -> Result<u32> {
        name.parse().map_err(|_| self.cursor.error(Problem::Number(format!("#{name}"))))
    }

    /// `@name = …`.
    fn global(&mut self, symbol: SymbolId) -> Result<()> {
        self.cursor.expect('=')?;
        let mut is_external = false;
        let kind = loop {
            match self.cursor.token {
                Token::Word(word @ ("global" | "constant" | "alias" | "ifunc")) => {
                    self.cursor.next();
                    break word;
                }
                Token::Word(word) => {
                    is_external |= matches!(word, "external" | "extern_weak");
                    self.cursor.next();
                    if self.cursor.token == Token::Sign('(') {
                        self.cursor.skip_balanced()?;
                    }
                }
                _ => return Err(self.cursor.unexpected("`global` or `constant`")),
            }
        };
        let of = self.read_type()?;
        if matches!(kind, "alias" | "ifunc") {
            self.cursor.expect(',')?;
            let stands_for = self.typed_constant()?;
            self.global_rest()?;
            return self.define(symbol, Definition::Alias(stands_for));
        }
        let initialiser = if is_external { None } else { Some(self.constant_of(of)?) };
        let description = self.global_rest()?;
        let place = self.module.globals.len();
        let constant = kind == "constant";
        self.module.globals.push(Global { symbol, of, initialiser, constant, description });
        self.define(symbol, Definition::Global(place))
    }

    /// Sections, alignment and attachments of a global variable; gives its description.
    fn global_rest(&mut self) -> Result<Option<MetadataId>> {
        let mut description = None;
        while self.cursor.is_on_line() {
            match self.cursor.token {
                Token::Metadata("dbg") => {
                    self.cursor.next();
                    description = Some(self.metadata_reference()?);
                }
                Token::Bad(_) => return Err(self.cursor.unexpected("attributes")),
                _ => {
                    self.cursor.next();
                }
            }
        }
        Ok(description)
    }
}
