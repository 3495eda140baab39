//! Types.

use super::Reader;
use super::error::{Problem, Result};
use super::lexer::Token;
use crate::ir::types::FloatKind;
use crate::ir::{NamedTypeId, Type, TypeId};

/// Widest integer that LLVM knows.
const WIDEST: u32 = 1 << 23;

/// The scalar type of a word.
fn scalar(word: &str) -> Option<Type> {
    Some(match word {
        "void" => Type::Void,
        "half" => Type::Float(FloatKind::Half),
        "bfloat" => Type::Float(FloatKind::Brain),
        "float" => Type::Float(FloatKind::Single),
        "double" => Type::Float(FloatKind::Double),
        "x86_fp80" => Type::Float(FloatKind::Extended),
        "fp128" => Type::Float(FloatKind::Quad),
        "ptr" => Type::Pointer,
        "metadata" => Type::Metadata,
        "token" => Type::Token,
        _ => {
            let bits = word.strip_prefix('i')?.parse().ok().filter(|bits| (1..=WIDEST).contains(bits))?;
            Type::Integer(bits)
        }
    })
}

/// Whether a word is a type.
pub fn is_type(word: &str) -> bool {
    scalar(word).is_some()
}

impl<'t> Reader<'t> {
    /// A type that a value can have, or `void`.
    pub(super) fn read_type(&mut self) -> Result<TypeId> {
        self.nested(|reader| {
            let mut read = reader.simple_type()?;
            while reader.cursor.token == Token::Sign('(') {
                read = reader.function_type(read)?;
            }
            Ok(read)
        })
    }

    fn simple_type(&mut self) -> Result<TypeId> {
        match self.cursor.token {
            Token::Word(word) => {
                let Some(of) = scalar(word) else {
                    return Err(self.cursor.error(Problem::Type(word.to_owned())));
                };
                self.cursor.next();
                let is_elsewhere = of == Type::Pointer && self.cursor.accept_word("addrspace");
                if is_elsewhere {
                    self.cursor.skip_balanced()?;
                }
                Ok(self.module.types.number(of))
            }
            Token::Local(name) => {
                self.cursor.next();
                let named = self.named_type(name);
                Ok(self.module.types.number(Type::Named(named)))
            }
            Token::Sign('[') => {
                self.cursor.next();
                let (length, element) = self.repeated()?;
                self.cursor.expect(']')?;
                Ok(self.module.types.number(Type::Array(length, element)))
            }
            Token::Sign('{') => self.structure(false),
            Token::Sign('<') => {
                self.cursor.next();
                if self.cursor.token == Token::Sign('{') {
                    let packed = self.structure(true)?;
                    self.cursor.expect('>')?;
                    return Ok(packed);
                }
                let (length, element) = self.repeated()?;
                self.cursor.expect('>')?;
                Ok(self.module.types.number(Type::Vector(length, element)))
            }
            _ => Err(self.cursor.unexpected("a type")),
        }
    }

    /// `LENGTH x TYPE`.
    fn repeated(&mut self) -> Result<(u64, TypeId)> {
        let length = self.cursor.unsigned()?;
        self.cursor.expect_word("x")?;
        Ok((length, self.read_type()?))
    }

    fn structure(&mut self, packed: bool) -> Result<TypeId> {
        self.cursor.expect('{')?;
        let mut fields = Vec::new();
        while self.cursor.token != Token::Sign('}') {
            fields.push(self.read_type()?);
            if !self.cursor.accept(',') {
                break;
            }
        }
        self.cursor.expect('}')?;
        Ok(self.module.types.number(Type::Structure { packed, fields }))
    }

    fn function_type(&mut self, result: TypeId) -> Result<TypeId> {
        self.cursor.expect('(')?;
        let (mut parameters, mut variadic) = (Vec::new(), false);
        while self.cursor.token != Token::Sign(')') {
            if self.cursor.token == Token::Ellipsis {
                self.cursor.next();
                variadic = true;
                break;
            }
            parameters.push(self.read_type()?);
            if !self.cursor.accept(',') {
                break;
            }
        }
        self.cursor.expect(')')?;
        Ok(self.module.types.number(Type::Function { result, parameters, variadic }))
    }

    fn named_type(&mut self, name: &'t str) -> NamedTypeId {
        if let Some(&named) = self.named_types.get(name) {
            return named;
        }
        let named = self.module.types.declare(name);
        self.named_types.insert(name, named);
        named
    }

    /// `%name = type …`.
    pub(super) fn type_definition(&mut self, name: &'t str) -> Result<()> {
        self.cursor.expect('=')?;
        self.cursor.expect_word("type")?;
        let named = self.named_type(name);
        if self.cursor.accept_word("opaque") {
            return Ok(());
        }
        let body = self.read_type()?;
        if !matches!(self.module.types.get(body), Type::Structure { .. }) {
            return Err(self.cursor.error(Problem::Operands("only structures have names")));
        }
        if self.module.types.named(named).body.is_some() {
            return Err(self.cursor.error(Problem::Redefined(format!("%{name}"))));
        }
        self.module.types.define(named, body);
        Ok(())
    }

    /// The scalar of a type: the element of a vector, else the type itself.
    pub(super) fn scalar_of(&self, of: TypeId) -> &Type {
        match self.module.types.get(of) {
            Type::Vector(_, element) => self.module.types.get(*element),
            other => other,
        }
    }

    /// A number for a type.
    pub(super) fn type_number(&mut self, of: Type) -> TypeId {
        self.module.types.number(of)
    }
}
