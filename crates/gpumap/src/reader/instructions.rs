//! Instructions that compute, convert, compare, choose and branch.

use super::Reader;
use super::error::{Problem, Result};
use super::function::Body;
use super::lexer::Token;
use crate::ir::instruction::{BinaryOperator, Conversion, Flags, Predicate};
use crate::ir::{MetadataId, Operation, Type, TypeId};

/// What is attached to an instruction.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Attached {
    pub(super) location: Option<MetadataId>,
    pub(super) access_type: Option<MetadataId>,
    pub(super) loop_node: Option<MetadataId>,
}

/// Whether a conversion is between these scalars.
fn converts(conversion: Conversion, from: &Type, to: &Type) -> bool {
    let bits = |of: &Type| match of {
        Type::Integer(bits) => Some(*bits),
        _ => None,
    };
    let is_float = |of: &Type| matches!(of, Type::Float(_));
    match conversion {
        Conversion::Truncate => bits(from).zip(bits(to)).is_some_and(|(from, to)| from > to),
        Conversion::ExtendZero | Conversion::ExtendSign => {
            bits(from).zip(bits(to)).is_some_and(|(from, to)| from < to)
        }
        Conversion::TruncateFloat | Conversion::ExtendFloat => is_float(from) && is_float(to),
        Conversion::FloatToUnsigned | Conversion::FloatToSigned => is_float(from) && bits(to).is_some(),
        Conversion::UnsignedToFloat | Conversion::SignedToFloat => bits(from).is_some() && is_float(to),
        Conversion::PointerToInteger => *from == Type::Pointer && bits(to).is_some(),
        Conversion::IntegerToPointer => bits(from).is_some() && *to == Type::Pointer,
        Conversion::Bits => true,
        Conversion::AddressSpace => *from == Type::Pointer && *to == Type::Pointer,
    }
}

/// Whether an operator is for integers.
fn is_of_integers(operator: BinaryOperator) -> bool {
    !operator.name().starts_with('f')
}

impl<'t> Reader<'t> {
    /// The instruction with this name, and the type of what it gives.
    pub(super) fn operation(
        &mut self,
        body: &mut Body<'t>,
        name: &str,
        line: u32,
    ) -> Result<(Operation, TypeId)> {
        if let Some(operator) = BinaryOperator::from_name(name) {
            return self.binary(body, operator);
        }
        if let Some(conversion) = Conversion::from_name(name) {
            return self.conversion(body, conversion, line);
        }
        match name {
            "fneg" => {
                self.flags()?;
                let operand = self.operand(body)?;
                Ok((Operation::Negate(operand), operand.of))
            }
            "icmp" | "fcmp" => self.comparison(body, name == "icmp"),
            "phi" => self.phi(body),
            "select" => self.select(body, line),
            "freeze" => {
                let operand = self.operand(body)?;
                Ok((Operation::Freeze(operand), operand.of))
            }
            "ret" | "br" | "switch" | "indirectbr" | "unreachable" => {
                let operation = self.departure(body, name)?;
                Ok((operation, self.type_number(Type::Void)))
            }
            _ => match self.memory_operation(body, name, line)? {
                Some(read) => Ok(read),
                None => Err(self.cursor.error_at(line, Problem::Instruction(name.to_owned()))),
            },
        }
    }

    fn binary(&mut self, body: &mut Body<'t>, operator: BinaryOperator) -> Result<(Operation, TypeId)> {
        let flags = self.flags()?;
        let left = self.operand(body)?;
        let fits = match self.scalar_of(left.of) {
            Type::Integer(_) => is_of_integers(operator),
            Type::Float(_) => !is_of_integers(operator),
            _ => false,
        };
        if !fits {
            return Err(self
                .cursor
                .error(Problem::Operands("the operator is not for operands of this type")));
        }
        self.cursor.expect(',')?;
        let right = self.operand_of(body, left.of)?;
        Ok((Operation::Binary(operator, flags, left, right), left.of))
    }

    fn conversion(
        &mut self,
        body: &mut Body<'t>,
        conversion: Conversion,
        line: u32,
    ) -> Result<(Operation, TypeId)> {
        let flags: Flags = self.flags()?;
        let operand = self.operand(body)?;
        self.cursor.expect_word("to")?;
        let to = self.read_type()?;
        if !converts(conversion, self.scalar_of(operand.of), self.scalar_of(to)) {
            let problem = Problem::Operands("the conversion is not between these types");
            return Err(self.cursor.error_at(line, problem));
        }
        Ok((Operation::Convert(conversion, flags, operand), to))
    }

    fn comparison(&mut self, body: &mut Body<'t>, of_integers: bool) -> Result<(Operation, TypeId)> {
        self.flags()?;
        let Token::Word(name) = self.cursor.token else { return Err(self.cursor.unexpected("a predicate")) };
        let predicate = Predicate::from_name(name);
        if of_integers && predicate.is_none() {
            return Err(self.cursor.unexpected("a predicate"));
        }
        self.cursor.next();
        let left = self.operand(body)?;
        self.cursor.expect(',')?;
        let right = self.operand_of(body, left.of)?;
        let is_float = matches!(self.scalar_of(left.of), Type::Float(_));
        let of = self.module.types.with_scalar(left.of, Type::Integer(1));
        match predicate {
            Some(predicate) if of_integers && !is_float => {
                Ok((Operation::Compare(predicate, left, right), of))
            }
            _ if !of_integers && is_float => Ok((Operation::CompareFloat(name.into(), left, right), of)),
            _ => Err(self.cursor.error(Problem::Operands("the comparison is not for operands of this type"))),
        }
    }

    fn phi(&mut self, body: &mut Body<'t>) -> Result<(Operation, TypeId)> {
        self.flags()?;
        let of = self.read_type()?;
        let mut inputs = Vec::new();
        loop {
            self.cursor.expect('[')?;
            let value = self.operand_of(body, of)?;
            self.cursor.expect(',')?;
            inputs.push((value, self.named_block(body)?));
            self.cursor.expect(']')?;
            if self.cursor.token != Token::Sign(',') || self.cursor.following() != Token::Sign('[') {
                return Ok((Operation::Phi(inputs), of));
            }
            self.cursor.next();
        }
    }

    fn select(&mut self, body: &mut Body<'t>, line: u32) -> Result<(Operation, TypeId)> {
        self.flags()?;
        let condition = self.operand(body)?;
        self.cursor.expect(',')?;
        let then = self.operand(body)?;
        self.cursor.expect(',')?;
        let otherwise = self.operand(body)?;
        let is_condition = *self.scalar_of(condition.of) == Type::Integer(1);
        if then.of != otherwise.of || !is_condition {
            return Err(self
                .cursor
                .error_at(line, Problem::Operands("the types of a choice do not go together")));
        }
        Ok((Operation::Select { condition, then, otherwise }, then.of))
    }

    /// An instruction that leaves a block.
    fn departure(&mut self, body: &mut Body<'t>, name: &str) -> Result<Operation> {
        match name {
            "ret" => {
                let of = self.read_type()?;
                let is_void = *self.module.types.get(of) == Type::Void;
                Ok(Operation::Return(if is_void { None } else { Some(self.operand_of(body, of)?) }))
            }
            "br" if self.cursor.token == Token::Word("label") => {
                Ok(Operation::Branch(self.target_block(body)?))
            }
            "br" => {
                let condition = self.operand(body)?;
                if *self.module.types.get(condition.of) != Type::Integer(1) {
                    return Err(self.cursor.error(Problem::Operands("a condition is of type i1")));
                }
                self.cursor.expect(',')?;
                let then = self.target_block(body)?;
                self.cursor.expect(',')?;
                let otherwise = self.target_block(body)?;
                Ok(Operation::ConditionalBranch { condition, then, otherwise })
            }
            "switch" => self.switch(body),
            "indirectbr" => {
                let address = self.operand(body)?;
                self.cursor.expect(',')?;
                self.cursor.expect('[')?;
                let mut targets = Vec::new();
                while self.cursor.token != Token::Sign(']') {
                    targets.push(self.target_block(body)?);
                    if !self.cursor.accept(',') {
                        break;
                    }
                }
                self.cursor.expect(']')?;
                Ok(Operation::IndirectBranch { address, targets })
            }
            _ => Ok(Operation::Unreachable),
        }
    }

    fn switch(&mut self, body: &mut Body<'t>) -> Result<Operation> {
        let value = self.operand(body)?;
        self.cursor.expect(',')?;
        let default = self.target_block(body)?;
        self.cursor.expect('[')?;
        let mut cases = Vec::new();
        while self.cursor.token != Token::Sign(']') {
            let case = self.typed_constant()?;
            if case.of != value.of {
                return Err(self.cursor.error(Problem::Operands("a case has the type of the value")));
            }
            self.cursor.expect(',')?;
            cases.push((case, self.target_block(body)?));
        }
        self.cursor.expect(']')?;
        Ok(Operation::Switch { value, default, cases })
    }

    /// What stands behind an instruction: `, !dbg !7` and the like.
    pub(super) fn attachments(&mut self) -> Result<Attached> {
        let mut attached = Attached::default();
        while self.cursor.accept(',') {
            let Token::Metadata(kind) = self.cursor.token else {
                return Err(self.cursor.unexpected("an attachment"));
            };
            self.cursor.next();
            let node = Some(self.metadata_reference()?);
            match kind {
                "dbg" => attached.location = node,
                "tbaa" => attached.access_type = node,
                "llvm.loop" => attached.loop_node = node,
                _ => {}
            }
        }
        Ok(attached)
    }
}
