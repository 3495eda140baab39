//! Reads the text that clang and opt write (`.ll`, versions 17 to 20).
//!
//! - [`lexer`]: words; [`error`]: what is said of a malformed text;
//! - `cursor`: the words in order, and what every part of the grammar needs of them;
//! - `types`, `constants`, `metadata`, `entities`: what stands outside of functions;
//! - `function`, `instructions`, `memory`: what stands inside; `bindings`: which values variables of the source are.
//!
//! Source: LLVM language reference. Attributes are skipped as words, except those that a later analysis asks for, so that new
//! ones are no obstacle; an instruction or type that is not known is an error. A malformed text gives an error, never a panic.

pub mod error;
pub mod lexer;

mod bindings;
mod constants;
mod cursor;
mod entities;
mod function;
mod instructions;
mod memory;
mod metadata;
mod types;

use rustc_hash::FxHashMap;

pub use error::{Error, Problem, Result};

use crate::ir::module::Definition;
use crate::ir::{MetadataId, Module, NamedTypeId, SymbolId};
use cursor::Cursor;

/// Types, constants and metadata may be nested this deep.
const DEEPEST: usize = 200;

/// Reads a module.
///
/// # Errors
/// The first thing that is malformed or not known, with its line.
pub fn read(text: &str) -> Result<Module> {
    let mut reader = Reader::new(text);
    if u32::try_from(text.len()).is_err() {
        return Err(reader.cursor.error(Problem::Long));
    }
    reader.module()?;
    reader.finish()
}

/// A text that is being read.
struct Reader<'t> {
    cursor: Cursor<'t>,
    module: Module,
    /// Symbols by name, and where each was met first.
    symbols: FxHashMap<&'t str, SymbolId>,
    /// What symbols name, and the line of their first use.
    definitions: Vec<(Option<Definition>, u32)>,
    /// Structures by name.
    named_types: FxHashMap<&'t str, NamedTypeId>,
    /// Nodes by the number in the text.
    nodes: FxHashMap<u32, MetadataId>,
    /// How deep in types, constants or metadata the cursor is.
    depth: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Reader<'t> {
        Reader {
            cursor: Cursor::new(text),
            module: Module::default(),
            symbols: FxHashMap::default(),
            definitions: Vec::new(),
            named_types: FxHashMap::default(),
            nodes: FxHashMap::default(),
            depth: 0,
        }
    }

    /// Reads something that may hold others of its kind.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Reader<'t>) -> Result<T>) -> Result<T> {
        if self.depth >= DEEPEST {
            return Err(self.cursor.error(Problem::Deep(DEEPEST)));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// The module, if all that it uses is defined.
    fn finish(mut self) -> Result<Module> {
        for (symbol, &(definition, line)) in self.module.symbols.iter_mut().zip(&self.definitions) {
            match definition {
                Some(definition) => symbol.definition = definition,
                None => {
                    return Err(self.cursor.error_at(line, Problem::Undefined(format!("@{}", symbol.name))));
                }
            }
        }
        Ok(self.module)
    }
}
