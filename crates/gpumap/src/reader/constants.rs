//! Constants, and operands outside of functions.

use super::Reader;
use super::error::{Problem, Result};
use super::lexer::Token;
use crate::ir::instruction::{BinaryOperator, Conversion, Flags};
use crate::ir::module::{Definition, Symbol};
use crate::ir::{Constant, ConstantExpression, ConstantId, Operand, SymbolId, Type, TypeId, Value};

/// Whether a word starts a constant rather than being an attribute.
pub fn is_constant(word: &str) -> bool {
    let literal = matches!(
        word,
        "true"
            | "false"
            | "null"
            | "undef"
            | "poison"
            | "none"
            | "zeroinitializer"
            | "blockaddress"
            | "splat"
            | "dso_local_equivalent"
            | "no_cfi"
            | "asm"
    );
    literal || is_expression(word)
}

/// Whether a word is an operation that constants may be computed with.
fn is_expression(word: &str) -> bool {
    let other =
        ["getelementptr", "extractelement", "insertelement", "shufflevector", "icmp", "fcmp", "select"];
    other.contains(&word)
        || Conversion::from_name(word).is_some()
        || BinaryOperator::from_name(word).is_some()
}

impl<'t> Reader<'t> {
    /// Adds a constant.
    pub(super) fn constant(&mut self, constant: Constant) -> ConstantId {
        self.module.constants.push(constant);
        ConstantId::new(self.module.constants.len() - 1)
    }

    /// The symbol of a name.
    pub(super) fn symbol(&mut self, name: &'t str) -> SymbolId {
        if let Some(&symbol) = self.symbols.get(name) {
            return symbol;
        }
        let symbol = SymbolId::new(self.module.symbols.len());
        // Replaced by what is defined, or an error is given (`Reader::finish`).
        self.module.symbols.push(Symbol { name: name.into(), definition: Definition::Function(usize::MAX) });
        self.definitions.push((None, self.cursor.line));
        self.symbols.insert(name, symbol);
        symbol
    }

    /// Defines a symbol.
    pub(super) fn define(&mut self, symbol: SymbolId, definition: Definition) -> Result<()> {
        let entry = &mut self.definitions[symbol.index()];
        if entry.0.replace(definition).is_some() {
            let name = format!("@{}", self.module.symbols[symbol.index()].name);
            return Err(self.cursor.error(Problem::Redefined(name)));
        }
        Ok(())
    }

    /// A constant with its type.
    pub(super) fn typed_constant(&mut self) -> Result<Operand> {
        let of = self.read_type()?;
        self.constant_of(of)
    }

    /// A constant of a type.
    pub(super) fn constant_of(&mut self, of: TypeId) -> Result<Operand> {
        let constant = self.nested(|reader| reader.constant_value(of))?;
        Ok(Operand { of, value: Value::Constant(self.constant(constant)) })
    }

    fn constant_value(&mut self, of: TypeId) -> Result<Constant> {
        match self.cursor.token {
            Token::Integer(digits) => self.integer(digits, of),
            Token::Float(text) => {
                if !matches!(self.module.types.get(of), Type::Float(_)) {
                    return Err(self.cursor.unexpected("a constant of the type before it"));
                }
                self.cursor.next();
                Ok(Constant::Float(text.into()))
            }
            Token::Characters(text) => {
                self.cursor.next();
                Ok(Constant::Characters(text.into()))
            }
            Token::Global(name) => {
                let symbol = self.symbol(name);
                self.cursor.next();
                Ok(Constant::Symbol(symbol))
            }
            Token::Sign(open @ ('[' | '{' | '<')) => {
                self.cursor.next();
                self.aggregate(open)
            }
            Token::Word(word) => self.constant_word(word, of),
            _ => Err(self.cursor.unexpected("a constant")),
        }
    }

    fn integer(&mut self, digits: &str, of: TypeId) -> Result<Constant> {
        let Some(bits) = self.module.types.integer_bits(of) else {
            return Err(self.cursor.unexpected("a constant of the type before it"));
        };
        let number = digits.parse::<i128>();
        let is_in_range = |number: i128| bits >= 128 || (number >= -(1 << (bits - 1)) && number < 1 << bits);
        let constant = match number {
            Ok(number) if is_in_range(number) => {
                let sign = if bits < 128 { 1i128 << (bits - 1) } else { 0 };
                Constant::Integer(if sign > 0 && number >= sign { number - 2 * sign } else { number })
            }
            Err(_) if bits >= 128 => Constant::WideInteger(digits.into()),
            _ => return Err(self.cursor.error(Problem::Number(digits.to_owned()))),
        };
        self.cursor.next();
        Ok(constant)
    }

    fn aggregate(&mut self, open: char) -> Result<Constant> {
        let close = match open {
            '[' => ']',
            '{' => '}',
            _ => '>',
        };
        if open == '<' && self.cursor.accept('{') {
            let packed = self.aggregate('{')?;
            self.cursor.expect('>')?;
            return Ok(packed);
        }
        let mut parts = Vec::new();
        while self.cursor.token != Token::Sign(close) {
            parts.push(self.typed_constant()?);
            if !self.cursor.accept(',') {
                break;
            }
        }
        self.cursor.expect(close)?;
        Ok(Constant::Aggregate(parts))
    }

    fn constant_word(&mut self, word: &'t str, of: TypeId) -> Result<Constant> {
        let simple = match word {
            "true" | "false" if self.module.types.integer_bits(of) == Some(1) => {
                Some(Constant::Integer(if word == "true" { -1 } else { 0 }))
            }
            "null" if *self.module.types.get(of) == Type::Pointer => Some(Constant::Null),
            "undef" => Some(Constant::Undefined),
            "poison" => Some(Constant::Poison),
            "zeroinitializer" => Some(Constant::Zero),
            "none" => Some(Constant::NoToken),
            _ => None,
        };
        if let Some(constant) = simple {
            self.cursor.next();
            return Ok(constant);
        }
        match word {
            "blockaddress" => {
                self.cursor.next();
                self.cursor.skip_balanced()?;
                Ok(Constant::Block)
            }
            "dso_local_equivalent" | "no_cfi" => {
                self.cursor.next();
                self.constant_value(of)
            }
            "splat" => {
                self.cursor.next();
                self.cursor.expect('(')?;
                let element = self.typed_constant()?;
                self.cursor.expect(')')?;
                Ok(Constant::Splat(element))
            }
            _ if is_expression(word) => {
                self.cursor.next();
                self.expression(word).map(|expression| Constant::Expression(Box::new(expression)))
            }
            _ => Err(self.cursor.unexpected("a constant of the type before it")),
        }
    }

    fn expression(&mut self, word: &str) -> Result<ConstantExpression> {
        if let Some(conversion) = Conversion::from_name(word) {
            self.cursor.expect('(')?;
            let operand = self.typed_constant()?;
            self.cursor.expect_word("to")?;
            self.read_type()?;
            self.cursor.expect(')')?;
            return Ok(ConstantExpression::Convert(conversion, operand));
        }
        if word == "getelementptr" {
            return self.element_expression();
        }
        let flags = self.flags()?;
        if !self.cursor.accept('(') {
            // The predicate of a comparison.
            self.cursor.next();
            self.cursor.expect('(')?;
        }
        let operands = self.typed_constants()?;
        self.cursor.expect(')')?;
        match (BinaryOperator::from_name(word), operands.as_slice()) {
            (Some(operator), &[left, right]) => Ok(ConstantExpression::Binary(operator, flags, left, right)),
            (Some(_), _) => Err(self.cursor.error(Problem::Operands("an operator has two operands"))),
            (None, _) => Ok(ConstantExpression::Other(word.into(), operands)),
        }
    }

    fn element_expression(&mut self) -> Result<ConstantExpression> {
        let inbounds = self.element_flags()?;
        self.cursor.expect('(')?;
        let source = self.read_type()?;
        self.cursor.expect(',')?;
        let mut operands = self.typed_constants()?.into_iter();
        self.cursor.expect(')')?;
        let Some(base) = operands.next() else { return Err(self.cursor.unexpected("an address")) };
        Ok(ConstantExpression::Element { source, base, indices: operands.collect(), inbounds })
    }

    fn typed_constants(&mut self) -> Result<Vec<Operand>> {
        let mut operands = vec![self.typed_constant()?];
        while self.cursor.accept(',') {
            // An index that the address may not leave.
            self.cursor.accept_word("inrange");
            operands.push(self.typed_constant()?);
        }
        Ok(operands)
    }

    /// What the address of a part promises; whether it stays within its object.
    pub(super) fn element_flags(&mut self) -> Result<bool> {
        let mut inbounds = false;
        while let Token::Word(word @ ("inbounds" | "nuw" | "nusw" | "inrange")) = self.cursor.token {
            self.cursor.next();
            inbounds |= word == "inbounds";
            if word == "inrange" && self.cursor.token == Token::Sign('(') {
                self.cursor.skip_balanced()?;
            }
        }
        Ok(inbounds)
    }

    /// What an operation promises. Flags of floating-point numbers are skipped: no analysis asks for them.
    pub(super) fn flags(&mut self) -> Result<Flags> {
        let mut flags = Flags::default();
        while let Token::Word(word) = self.cursor.token {
            match word {
                "nsw" => flags.no_signed_wrap = true,
                "nuw" => flags.no_unsigned_wrap = true,
                "exact" => flags.exact = true,
                "disjoint" => flags.disjoint = true,
                "nneg" => flags.not_negative = true,
                "nnan" | "ninf" | "nsz" | "arcp" | "contract" | "afn" | "reassoc" | "fast" | "samesign" => {}
                _ => break,
            }
            self.cursor.next();
        }
        Ok(flags)
    }
}
