//! Instructions that touch memory, call functions and handle aggregates and vectors.

use super::Reader;
use super::error::{Problem, Result};
use super::function::Body;
use super::lexer::Token;
use super::types::is_type;
use crate::ir::instruction::{Access, Callee, LANDING};
use crate::ir::{Constant, Operand, Operation, Type, TypeId, Value};

/// Words that may stand before an atomic operation's first operand.
const ORDERINGS: [&str; 6] = ["unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"];

impl<'t> Reader<'t> {
    /// The instruction with this name, and the type of what it gives; `None` if there is no such instruction.
    pub(super) fn memory_operation(
        &mut self,
        body: &mut Body<'t>,
        name: &str,
        line: u32,
    ) -> Result<Option<(Operation, TypeId)>> {
        let read = match name {
            "alloca" => self.allocation(body)?,
            "load" => self.load(body)?,
            "store" => self.store(body)?,
            "getelementptr" => self.element(body)?,
            "call" => self.call(body)?,
            "tail" | "musttail" | "notail" => {
                self.cursor.expect_word("call")?;
                self.call(body)?
            }
            "extractvalue" => self.extract_value(body, line)?,
            "insertvalue" => self.insert_value(body)?,
            "extractelement" | "insertelement" | "shufflevector" => {
                self.vector_operation(body, name, line)?
            }
            "va_arg" => self.next_argument(body)?,
            "landingpad" => self.landing()?,
            // The function is left, and nothing after the call that led here is reached.
            "resume" => {
                self.operand(body)?;
                (Operation::Unreachable, self.type_number(Type::Void))
            }
            "atomicrmw" => self.atomic_update(body)?,
            "cmpxchg" => self.compare_exchange(body)?,
            "fence" => {
                self.synchronisation()?;
                (Operation::Fence, self.type_number(Type::Void))
            }
            _ => return Ok(None),
        };
        Ok(Some(read))
    }

    /// An address with its type.
    fn address(&mut self, body: &mut Body<'t>) -> Result<Operand> {
        let address = self.operand(body)?;
        if *self.scalar_of(address.of) != Type::Pointer {
            return Err(self.cursor.error(Problem::Operands("an address is of type ptr")));
        }
        Ok(address)
    }

    /// `syncscope("…")` and orderings.
    fn synchronisation(&mut self) -> Result<()> {
        while let Token::Word(word) = self.cursor.token {
            if word == "syncscope" {
                self.cursor.next();
                self.cursor.skip_balanced()?;
            } else if ORDERINGS.contains(&word) {
                self.cursor.next();
            } else {
                break;
            }
        }
        Ok(())
    }

    /// `, align N` if it is next.
    fn alignment(&mut self) -> Result<()> {
        if self.cursor.token == Token::Sign(',') && self.cursor.following() == Token::Word("align") {
            self.cursor.next();
            self.cursor.next();
            self.cursor.unsigned::<u64>()?;
        }
        Ok(())
    }

    fn allocation(&mut self, body: &mut Body<'t>) -> Result<(Operation, TypeId)> {
        self.cursor.accept_word("inalloca");
        let element = self.read_type()?;
        let mut count = None;
        let is_type_next = |token: Token<'_>| match token {
            Token::Word(word) => is_type(word),
            _ => false,
        };
        if self.cursor.token == Token::Sign(',') && is_type_next(self.cursor.following()) {
            self.cursor.next();
            count = Some(self.operand(body)?);
        }
        self.alignment()?;
        let count = match count {
            Some(count) => count,
            None => {
                let of = self.type_number(Type::Integer(32));
                Operand { of, value: Value::Constant(self.constant(Constant::Integer(1))) }
            }
        };
        Ok((Operation::Allocate { element, count }, self.type_number(Type::Pointer)))
    }

    /// `atomic` and `volatile`.
    fn access(&mut self) -> Access {
        let atomic = self.cursor.accept_word("atomic");
        Access { atomic, volatile: self.cursor.accept_word("volatile") }
    }

    fn load(&mut self, body: &mut Body<'t>) -> Result<(Operation, TypeId)> {
        let access = self.access();
        let of = self.read_type()?;
        self.cursor.expect(',')?;
        let address = self.address(body)?;
        self.synchronisation()?;
        self.alignment()?;
        Ok((Operation::Load { address, access }, of))
    }

    fn store(&mut self, body: &mut Body<'t>) -> Result<(Operation, TypeId)> {
        let access = self.access();
        let value = self.operand(body)?;
        self.cursor.expect(',')?;
        let address = self.address(body)?;
        self.synchronisation()?;
        self.alignment()?;
        Ok((Operation::Store { value, address, access }, self.type_number(Type::Void)))
    }

    fn element(&mut self, body: &mut Body<'t>) -> Result<(Operation, TypeId)> {
        let inbounds = self.element_flags()?;
        let source = self.read_type()?;
        self.cursor.expect(',')?;
        let base = self.address(body)?;
        let mut indices = Vec::new();
        while self.cursor.token == Token::Sign(',') && !matches!(self.cursor.following(), Token::Metadata(_))
        {
            self.cursor.next();
            let index = self.operand(body)?;
            if !matches!(self.scalar_of(index.of), Type::Integer(_)) {
                return Err(self.cursor.error(Problem::Operands("an index is an integer")));
            }
            indices.push(index);
        }
        // One address per element of a vector of indices.
        let is_vector = |operand: &&Operand| matches!(self.module.types.get(operand.of), Type::Vector(..));
        let like =
            std::iter::once(&base).chain(&indices).find(is_vector).map_or(base.of, |operand| operand.of);
        let of = self.module.types.with_scalar(like, Type::Pointer);
        Ok((Operation::Element { source, base, indices, inbounds }, of))
    }

    pub(super) fn call(&mut self, body: &mut Body<'t>) -> Result<(Operation, TypeId)> {
        self.cursor.attributes(is_type)?;
        let of = self.read_type()?;
        let result = match self.module.types.get(of) {
            Type::Function { result, .. } => *result,
            _ => of,
        };
        let callee = self.callee(body)?;
        self.cursor.expect('(')?;
        let mut arguments = Vec::new();
        while self.cursor.token != Token::Sign(')') {
            arguments.push(self.argument(body)?);
            if !self.cursor.accept(',') {
                break;
            }
        }
        self.cursor.expect(')')?;
        let attributes = self.call_rest(body)?;
        Ok((Operation::Call { callee, arguments, attributes }, result))
    }

    /// Where a call goes on that may unwind: a branch by something of which nothing is known.
    pub(super) fn unwinding(&mut self, body: &mut Body<'t>) -> Result<Operation> {
        self.cursor.expect_word("to")?;
        let then = self.target_block(body)?;
        self.cursor.expect_word("unwind")?;
        let otherwise = self.target_block(body)?;
        let of = self.type_number(Type::Integer(1));
        let condition = Operand { of, value: Value::Constant(self.constant(Constant::Undefined)) };
        Ok(Operation::ConditionalBranch { condition, then, otherwise })
    }

    /// `landingpad`: what is caught here.
    fn landing(&mut self) -> Result<(Operation, TypeId)> {
        let of = self.read_type()?;
        loop {
            if self.cursor.accept_word("cleanup") {
                continue;
            }
            if !self.cursor.accept_word("catch") && !self.cursor.accept_word("filter") {
                return Ok((Operation::Opaque { name: LANDING, operands: Vec::new() }, of));
            }
            self.typed_constant()?;
        }
    }

    fn callee(&mut self, body: &mut Body<'t>) -> Result<Callee> {
        match self.cursor.token {
            Token::Global(name) => {
                let symbol = self.symbol(name);
                self.cursor.next();
                Ok(Callee::Symbol(symbol))
            }
            Token::Word("asm") => {
                self.cursor.next();
                while let Token::Word("sideeffect" | "alignstack" | "inteldialect" | "unwind") =
                    self.cursor.token
                {
                    self.cursor.next();
                }
                let (Token::Text(template), Token::Sign(',')) = (self.cursor.next(), self.cursor.next())
                else {
                    return Err(self.cursor.unexpected("a template and constraints"));
                };
                let Token::Text(_) = self.cursor.next() else {
                    return Err(self.cursor.unexpected("constraints"));
                };
                Ok(Callee::Assembly(template.into()))
            }
            _ => {
                let pointer = self.type_number(Type::Pointer);
                Ok(Callee::Address(self.operand_of(body, pointer)?))
            }
        }
    }

    /// What stands behind the arguments of a call; gives its groups of attributes.
    fn call_rest(&mut self, body: &mut Body<'t>) -> Result<Vec<u32>> {
        let mut groups = Vec::new();
        while self.cursor.is_on_line() {
            match self.cursor.token {
                Token::Hash(name) => {
                    groups.push(self.group(name)?);
                    self.cursor.next();
                }
                Token::Word(_) => {
                    self.cursor.next();
                    if self.cursor.is_on_line() && self.cursor.token == Token::Sign('(') {
                        self.cursor.skip_balanced()?;
                    }
                }
                // Bundles: `[ "align"(ptr %p, i64 8) ]`.
                Token::Sign('[') => self.bundles(body)?,
                _ => break,
            }
        }
        Ok(groups)
    }

    fn bundles(&mut self, body: &mut Body<'t>) -> Result<()> {
        self.cursor.expect('[')?;
        while let Token::Text(_) = self.cursor.token {
            self.cursor.next();
            self.cursor.expect('(')?;
            while self.cursor.token != Token::Sign(')') {
                self.argument(body)?;
                if !self.cursor.accept(',') {
                    break;
                }
            }
            self.cursor.expect(')')?;
            self.cursor.accept(',');
        }
        self.cursor.expect(']')
    }

    /// `, N, N …`, each a place in an aggregate; gives them and the type of the part.
    fn places(&mut self, aggregate: Operand, line: u32) -> Result<(Vec<u64>, TypeId)> {
        let (mut places, mut of) = (Vec::new(), aggregate.of);
        while self.cursor.token == Token::Sign(',') && matches!(self.cursor.following(), Token::Integer(_)) {
            self.cursor.next();
            let place = self.cursor.unsigned()?;
            let part = self.module.types.part(of, place);
            of = part.ok_or_else(|| self.cursor.error_at(line, Problem::Operands("no such part")))?;
            places.push(place);
        }
        Ok((places, of))
    }

    fn extract_value(&mut self, body: &mut Body<'t>, line: u32) -> Result<(Operation, TypeId)> {
        let aggregate = self.operand(body)?;
        let (places, of) = self.places(aggregate, line)?;
        Ok((Operation::ExtractValue(aggregate, places), of))
    }

    fn insert_value(&mut self, body: &mut Body<'t>) -> Result<(Operation, TypeId)> {
        let line = self.cursor.line;
        let aggregate = self.operand(body)?;
        self.cursor.expect(',')?;
        let part = self.operand(body)?;
        let (places, of) = self.places(aggregate, line)?;
        if of != part.of {
            return Err(self.cursor.error_at(line, Problem::Operands("the part is of another type")));
        }
        Ok((Operation::InsertValue(aggregate, part, places), aggregate.of))
    }

    fn vector_operation(
        &mut self,
        body: &mut Body<'t>,
        name: &str,
        line: u32,
    ) -> Result<(Operation, TypeId)> {
        let mut operands = vec![self.operand(body)?];
        let expected = if name == "extractelement" { 2 } else { 3 };
        while operands.len() < expected {
            self.cursor.expect(',')?;
            operands.push(self.operand(body)?);
        }
        let mismatch = self.cursor.error_at(line, Problem::Operands("an operand is of another type"));
        let Type::Vector(_, element) = *self.module.types.get(operands[0].of) else { return Err(mismatch) };
        let (name, of) = match name {
            "extractelement" => ("extractelement", element),
            "insertelement" => ("insertelement", operands[0].of),
            _ => {
                let Type::Vector(length, _) = *self.module.types.get(operands[2].of) else {
                    return Err(mismatch);
                };
                ("shufflevector", self.type_number(Type::Vector(length, element)))
            }
        };
        Ok((Operation::Opaque { name, operands }, of))
    }

    fn next_argument(&mut self, body: &mut Body<'t>) -> Result<(Operation, TypeId)> {
        let list = self.operand(body)?;
        self.cursor.expect(',')?;
        let of = self.read_type()?;
        Ok((Operation::Opaque { name: "va_arg", operands: vec![list] }, of))
    }

    fn atomic_update(&mut self, body: &mut Body<'t>) -> Result<(Operation, TypeId)> {
        self.cursor.accept_word("volatile");
        let Token::Word(_) = self.cursor.next() else { return Err(self.cursor.unexpected("an operation")) };
        let address = self.address(body)?;
        self.cursor.expect(',')?;
        let operand = self.operand(body)?;
        self.synchronisation()?;
        self.alignment()?;
        Ok((Operation::Atomic { address, operands: vec![operand] }, operand.of))
    }

    fn compare_exchange(&mut self, body: &mut Body<'t>) -> Result<(Operation, TypeId)> {
        self.cursor.accept_word("weak");
        self.cursor.accept_word("volatile");
        let address = self.address(body)?;
        self.cursor.expect(',')?;
        let expected = self.operand(body)?;
        self.cursor.expect(',')?;
        let new = self.operand_of_same_type(body, expected)?;
        self.synchronisation()?;
        self.alignment()?;
        let bit = self.type_number(Type::Integer(1));
        let of = self.type_number(Type::Structure { packed: false, fields: vec![expected.of, bit] });
        Ok((Operation::Atomic { address, operands: vec![expected, new] }, of))
    }

    fn operand_of_same_type(&mut self, body: &mut Body<'t>, other: Operand) -> Result<Operand> {
        let operand = self.operand(body)?;
        if operand.of == other.of {
            return Ok(operand);
        }
        Err(self.cursor.error(Problem::Operands("an operand is of another type")))
    }
}
