//! What a function says of the variables of the source: records (`#dbg_value`) and, before version 19, calls (`llvm.dbg.value`).

use super::Reader;
use super::error::Result;
use super::function::Body;
use super::lexer::Token;
use crate::ir::instruction::Callee;
use crate::ir::metadata::Node;
use crate::ir::module::Binding;
use crate::ir::{Constant, MetadataId, Operand, Operation, SymbolId, Type, Value};

impl<'t> Reader<'t> {
    /// `#dbg_value(…)` and the like.
    pub(super) fn debug_record(
        &mut self,
        body: &mut Body<'t>,
        record: &str,
        before: usize,
    ) -> Result<Option<Binding>> {
        if !matches!(record, "dbg_value" | "dbg_declare" | "dbg_assign") {
            self.cursor.skip_balanced()?;
            return Ok(None);
        }
        self.cursor.expect('(')?;
        let value = match self.cursor.token {
            Token::Metadata(_) | Token::Exclamation => {
                let of = self.type_number(Type::Metadata);
                self.metadata_argument(body, of)?;
                None
            }
            _ => Some(self.operand(body)?),
        };
        self.cursor.expect(',')?;
        let variable = self.metadata_reference()?;
        self.cursor.expect(',')?;
        let expression = self.metadata_reference()?;
        // What follows says how storage was assigned, and where.
        while self.cursor.accept(',') {
            match self.cursor.token {
                Token::Metadata(_) | Token::Exclamation => {
                    self.metadata_reference()?;
                }
                _ => {
                    self.operand(body)?;
                }
            }
        }
        self.cursor.expect(')')?;
        Ok(Some(self.binding((value, variable, expression), record == "dbg_declare", before)))
    }

    /// What a call of `llvm.dbg.value` and the like says; `None` for other operations, `Some(None)` for labels.
    pub(super) fn intrinsic_binding(&self, operation: &Operation, before: usize) -> Option<Option<Binding>> {
        let Operation::Call { callee: Callee::Symbol(symbol), arguments, .. } = operation else {
            return None;
        };
        let kind = self.symbol_name(*symbol).strip_prefix("llvm.dbg.")?;
        let node = |place: usize| match self.module.constants.get(constant_place(arguments.get(place)?)?)? {
            Constant::Metadata(node) => *node,
            _ => None,
        };
        let (Some(variable), Some(expression)) = (node(1), node(2)) else { return Some(None) };
        let is_value = |operand: &&Operand| *self.module.types.get(operand.of) != Type::Metadata;
        let value = arguments.first().filter(is_value).copied();
        Some(Some(self.binding((value, variable, expression), kind == "declare", before)))
    }

    fn symbol_name(&self, symbol: SymbolId) -> &str {
        &self.module.symbols[symbol.index()].name
    }

    fn binding(
        &self,
        (value, variable, expression): (Option<Operand>, MetadataId, MetadataId),
        address: bool,
        before: usize,
    ) -> Binding {
        let plain = matches!(self.module.metadata.get(expression), Some(Node::Record { empty: true, .. }));
        let is_known = |operand: &Operand| {
            let constant = constant_place(operand).and_then(|place| self.module.constants.get(place));
            !matches!(constant, Some(Constant::Poison | Constant::Undefined))
        };
        Binding { variable, value: value.filter(is_known), address, plain, before }
    }
}

/// The place of a constant among those of the module.
fn constant_place(operand: &Operand) -> Option<usize> {
    match operand.value {
        Value::Constant(constant) => Some(constant.index()),
        Value::Local(_) => None,
    }
}
