//! Functions: their heads and blocks.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Reader;
use super::constants::is_constant;
use super::error::{Problem, Result};
use super::lexer::Token;
use super::types::is_type;
use crate::ir::module::{Binding, Definition, Parameter, Unread, ValueInfo};
use crate::ir::{
    Block, BlockId, Constant, Function, Instruction, MetadataId, Operand, Type, TypeId, Value, ValueId,
};

/// A function that is being read.
pub(super) struct Body<'t> {
    function: Function,
    /// Values by name, and the line of the first use of those that are not defined yet.
    values: FxHashMap<&'t str, ValueId>,
    pending: FxHashMap<ValueId, u32>,
    /// Blocks by name, in the order in which they are met, and the line of that.
    blocks: FxHashMap<&'t str, BlockId>,
    met: Vec<(&'t str, u32)>,
    /// Blocks that were read, in the order of the text.
    order: Vec<BlockId>,
    read: FxHashSet<BlockId>,
    /// The number of a first block without a label, as other instructions write it.
    unnamed_entry: Option<String>,
    /// The branch behind a call that may unwind.
    unwinding: Option<Instruction>,
}

impl<'t> Body<'t> {
    fn new(function: Function) -> Body<'t> {
        Body {
            function,
            values: FxHashMap::default(),
            pending: FxHashMap::default(),
            blocks: FxHashMap::default(),
            met: Vec::new(),
            order: Vec::new(),
            read: FxHashSet::default(),
            unnamed_entry: None,
            unwinding: None,
        }
    }

    fn block(&mut self, name: &'t str, line: u32) -> BlockId {
        if let Some(&block) = self.blocks.get(name) {
            return block;
        }
        if self.unnamed_entry.as_deref() == Some(name) {
            return BlockId::new(0);
        }
        let block = BlockId::new(self.met.len());
        self.met.push((name, line));
        self.blocks.insert(name, block);
        block
    }

    fn value(&mut self, name: &'t str, of: TypeId) -> ValueId {
        let id = ValueId::new(self.function.values.len());
        self.function.values.push(ValueInfo { name: name.into(), of });
        self.values.insert(name, id);
        id
    }
}

impl<'t> Reader<'t> {
    /// `define …` or `declare …`.
    pub(super) fn function(&mut self) -> Result<()> {
        let is_defined = self.cursor.token == Token::Word("define");
        self.cursor.next();
        let mut description = self.attached_description()?;
        let start = self.cursor.end();
        self.cursor.attributes(is_type)?;
        let copy = self.cursor.between(start, self.cursor.end()).contains("available_externally");
        let result = self.read_type()?;
        let Token::Global(name) = self.cursor.token else {
            return Err(self.cursor.unexpected("the name of a function"));
        };
        let symbol = self.symbol(name);
        self.cursor.next();
        let mut body = Body::new(Function {
            symbol,
            result,
            parameters: Vec::new(),
            variadic: false,
            copy,
            attributes: Vec::new(),
            description: None,
            values: Vec::new(),
            blocks: Vec::new(),
        });
        self.parameters(&mut body)?;
        self.head_rest(&mut body, is_defined, &mut description)?;
        body.function.description = description;
        if is_defined {
            let start = self.cursor;
            if let Err(error) = self.body(&mut body) {
                // One function that is not understood leaves the others as they are.
                self.cursor = start;
                if !self.cursor.skip_function() {
                    return Err(error);
                }
                let location = self.location_on_line(error.line)?;
                self.module.unread.push(Unread { symbol, location, error });
                body.function.blocks.clear();
            }
        }
        let place = self.module.functions.len();
        self.module.functions.push(body.function);
        self.define(symbol, Definition::Function(place))
    }

    /// The place in the source of what stands on a line of the text.
    fn location_on_line(&mut self, line: u32) -> Result<Option<MetadataId>> {
        let text = self.cursor.line_text(line);
        let digits = text.rsplit_once("!dbg !").map(|(_, behind)| {
            let end = behind.find(|part: char| !part.is_ascii_digit()).unwrap_or(behind.len());
            &behind[..end]
        });
        digits.filter(|digits| !digits.is_empty()).map(|digits| self.node_of(digits)).transpose()
    }

    /// What is attached to a function before its type or behind its parameters: `!dbg !N`, `!callback !N` and others. Gives its
    /// description if that is among them.
    fn attached_description(&mut self) -> Result<Option<MetadataId>> {
        let mut description = None;
        while let Token::Metadata(kind) = self.cursor.token {
            self.cursor.next();
            let node = self.metadata_reference()?;
            description = description.or((kind == "dbg").then_some(node));
        }
        Ok(description)
    }

    fn parameters(&mut self, body: &mut Body<'t>) -> Result<()> {
        self.cursor.expect('(')?;
        while self.cursor.token != Token::Sign(')') {
            if self.cursor.token == Token::Ellipsis {
                self.cursor.next();
                body.function.variadic = true;
                break;
            }
            let of = self.read_type()?;
            let attributes = self.cursor.attributes(|_| false)?;
            let name = match self.cursor.token {
                Token::Local(name) => {
                    self.cursor.next();
                    name
                }
                _ => "",
            };
            if !name.is_empty() && body.values.contains_key(name) {
                return Err(self.cursor.error(Problem::Redefined(format!("%{name}"))));
            }
            let value = body.value(name, of);
            let (no_alias, by_value) = (attributes.no_alias, attributes.by_value);
            body.function.parameters.push(Parameter { value, no_alias, by_value });
            if !self.cursor.accept(',') {
                break;
            }
        }
        self.cursor.expect(')')
    }

    /// What stands behind the parameters.
    fn head_rest(
        &mut self,
        body: &mut Body<'t>,
        is_defined: bool,
        description: &mut Option<MetadataId>,
    ) -> Result<()> {
        while if is_defined { self.cursor.token != Token::Sign('{') } else { self.cursor.is_on_line() } {
            match self.cursor.token {
                Token::Hash(name) => {
                    body.function.attributes.push(self.group(name)?);
                    self.cursor.next();
                }
                Token::Metadata(_) => *description = self.attached_description()?.or(*description),
                Token::Sign('(') => self.cursor.skip_balanced()?,
                Token::End | Token::Bad(_) => return Err(self.cursor.unexpected("`{`")),
                _ => {
                    self.cursor.next();
                }
            }
        }
        Ok(())
    }

    fn body(&mut self, body: &mut Body<'t>) -> Result<()> {
        self.cursor.expect('{')?;
        let mut blocks = Vec::new();
        while self.cursor.token != Token::Sign('}') {
            blocks.push(self.block(body)?);
        }
        let end = self.cursor.line;
        self.cursor.expect('}')?;
        if blocks.is_empty() {
            return Err(self.cursor.error_at(end, Problem::Operands("a function without blocks")));
        }
        self.check_values(body)?;
        self.number_blocks(body, blocks)
    }

    /// The name before a block; the first one may have none.
    fn label(&mut self, body: &Body<'t>) -> Result<&'t str> {
        let is_label = self.cursor.following() == Token::Sign(':');
        match self.cursor.token {
            Token::Word(name) | Token::Integer(name) | Token::Text(name) if is_label => {
                self.cursor.next();
                self.cursor.next();
                Ok(name)
            }
            // Such a block has the number after those of the parameters without names.
            _ if body.order.is_empty() => Ok(""),
            _ => Err(self.cursor.unexpected("a label")),
        }
    }

    fn block(&mut self, body: &mut Body<'t>) -> Result<Block> {
        let line = self.cursor.line;
        let name = self.label(body)?;
        let id = body.block(name, line);
        if name.is_empty() {
            let is_number = |value: &&ValueInfo| value.name.is_empty() || value.name.parse::<u32>().is_ok();
            body.unnamed_entry = Some(body.function.values.iter().filter(is_number).count().to_string());
        }
        if !body.read.insert(id) {
            return Err(self.cursor.error_at(line, Problem::Redefined(format!("the block %{name}"))));
        }
        body.order.push(id);
        let (mut instructions, mut bindings) = (Vec::new(), Vec::new());
        loop {
            if let Token::Hash(record) = self.cursor.token {
                self.cursor.next();
                bindings.extend(self.debug_record(body, record, instructions.len())?);
                continue;
            }
            if let Some(instruction) = self.statement(body, &mut bindings, instructions.len())? {
                instructions.push(instruction);
                instructions.extend(body.unwinding.take());
                if instructions.last().is_some_and(|last| last.operation.leaves()) {
                    return Ok(Block { name: name.into(), instructions, bindings });
                }
            }
        }
    }

    /// One instruction, or an old-style record of a variable, which is none.
    fn statement(
        &mut self,
        body: &mut Body<'t>,
        bindings: &mut Vec<Binding>,
        before: usize,
    ) -> Result<Option<Instruction>> {
        let line = self.cursor.line;
        let mut name = None;
        if let Token::Local(local) = self.cursor.token {
            self.cursor.next();
            self.cursor.expect('=')?;
            name = Some(local);
        }
        let Token::Word(word) = self.cursor.token else {
            return Err(self.cursor.unexpected("an instruction"));
        };
        self.cursor.next();
        let (operation, of, unwinding) = if word == "invoke" {
            let (operation, of) = self.call(body)?;
            (operation, of, Some(self.unwinding(body)?))
        } else {
            let (operation, of) = self.operation(body, word, line)?;
            (operation, of, None)
        };
        let attached = self.attachments()?;
        body.unwinding = unwinding.map(|operation| Instruction {
            operation,
            result: None,
            location: attached.location,
            access_type: None,
            loop_node: attached.loop_node,
            line,
        });
        if let Some(binding) = self.intrinsic_binding(&operation, before) {
            bindings.extend(binding);
            return Ok(None);
        }
        let is_void = *self.module.types.get(of) == Type::Void;
        let result = match name {
            Some(_) if is_void => {
                return Err(self
                    .cursor
                    .error_at(line, Problem::Operands("an instruction that gives nothing")));
            }
            Some(name) => Some(self.define_value(body, name, of, line)?),
            None => None,
        };
        Ok(Some(Instruction {
            operation,
            result,
            location: attached.location,
            access_type: attached.access_type,
            loop_node: attached.loop_node,
            line,
        }))
    }

    fn define_value(&mut self, body: &mut Body<'t>, name: &'t str, of: TypeId, line: u32) -> Result<ValueId> {
        let Some(&value) = body.values.get(name) else { return Ok(body.value(name, of)) };
        if body.pending.remove(&value).is_none() {
            return Err(self.cursor.error_at(line, Problem::Redefined(format!("%{name}"))));
        }
        if body.function.value(value).of != of {
            return Err(self.cursor.error_at(line, Problem::OtherType(format!("%{name}"))));
        }
        Ok(value)
    }

    /// An operand of a type.
    pub(super) fn operand_of(&mut self, body: &mut Body<'t>, of: TypeId) -> Result<Operand> {
        let Token::Local(name) = self.cursor.token else { return self.constant_of(of) };
        let value = match body.values.get(name) {
            Some(&value) => value,
            None => {
                let value = body.value(name, of);
                body.pending.insert(value, self.cursor.line);
                value
            }
        };
        if body.function.value(value).of != of {
            return Err(self.cursor.error(Problem::OtherType(format!("%{name}"))));
        }
        self.cursor.next();
        Ok(Operand { of, value: Value::Local(value) })
    }

    /// An operand with its type.
    pub(super) fn operand(&mut self, body: &mut Body<'t>) -> Result<Operand> {
        let of = self.read_type()?;
        self.operand_of(body, of)
    }

    /// An argument: an operand with attributes before it, or metadata.
    pub(super) fn argument(&mut self, body: &mut Body<'t>) -> Result<Operand> {
        let of = self.read_type()?;
        if *self.module.types.get(of) == Type::Metadata {
            return self.metadata_argument(body, of);
        }
        self.cursor.attributes(is_constant)?;
        self.operand_of(body, of)
    }

    /// What stands behind `metadata`: an operand, or a node.
    pub(super) fn metadata_argument(&mut self, body: &mut Body<'t>, of: TypeId) -> Result<Operand> {
        let node = match self.cursor.token {
            Token::Metadata("DIArgList") => {
                self.cursor.next();
                self.cursor.skip_balanced()?;
                None
            }
            Token::Metadata(_) | Token::Exclamation => Some(self.metadata_reference()?),
            _ => return self.operand(body),
        };
        Ok(Operand { of, value: Value::Constant(self.constant(Constant::Metadata(node))) })
    }

    /// `label %name`.
    pub(super) fn target_block(&mut self, body: &mut Body<'t>) -> Result<BlockId> {
        self.cursor.expect_word("label")?;
        self.named_block(body)
    }

    /// `%name` of a block.
    pub(super) fn named_block(&mut self, body: &mut Body<'t>) -> Result<BlockId> {
        let Token::Local(name) = self.cursor.token else {
            return Err(self.cursor.unexpected("the name of a block"));
        };
        let line = self.cursor.line;
        self.cursor.next();
        Ok(body.block(name, line))
    }

    fn check_values(&self, body: &Body<'t>) -> Result<()> {
        let Some((value, &line)) = body.pending.iter().min_by_key(|(_, line)| **line) else { return Ok(()) };
        let name = format!("%{}", body.function.value(*value).name);
        Err(self.cursor.error_at(line, Problem::Undefined(name)))
    }

    /// Numbers blocks in the order of the text.
    fn number_blocks(&mut self, body: &mut Body<'t>, mut blocks: Vec<Block>) -> Result<()> {
        let mut places: Vec<Option<BlockId>> = vec![None; body.met.len()];
        for (place, &id) in body.order.iter().enumerate() {
            places[id.index()] = Some(BlockId::new(place));
        }
        let missing = places.iter().zip(&body.met).find(|(place, _)| place.is_none());
        if let Some((_, &(name, line))) = missing {
            return Err(self.cursor.error_at(line, Problem::Undefined(format!("the block %{name}"))));
        }
        for instruction in blocks.iter_mut().flat_map(|block| &mut block.instructions) {
            for target in instruction.operation.blocks_mut() {
                // All are there: checked above.
                *target = places[target.index()].unwrap_or(*target);
            }
        }
        body.function.blocks = blocks;
        Ok(())
    }
}
