//! A module as text for people: what was read, in the words of the source where it has some.

use std::fmt::Write as _;

use super::instruction::{Callee, Operand, Operation, Value};
use super::types::{FloatKind, Type};
use super::{Block, BlockId, Constant, ConstantExpression, Function, Instruction, Module, TypeId};

impl Module {
    /// A type.
    pub fn show_type(&self, id: TypeId) -> String {
        match self.types.get(id) {
            Type::Void => "void".into(),
            Type::Integer(bits) => format!("i{bits}"),
            Type::Float(kind) => match kind {
                FloatKind::Half => "half",
                FloatKind::Brain => "bfloat",
                FloatKind::Single => "float",
                FloatKind::Double => "double",
                FloatKind::Extended => "x86_fp80",
                FloatKind::Quad => "fp128",
            }
            .into(),
            Type::Pointer => "ptr".into(),
            Type::Array(length, element) => format!("[{length} x {}]", self.show_type(*element)),
            Type::Vector(length, element) => format!("<{length} x {}>", self.show_type(*element)),
            Type::Structure { fields, .. } => format!("{{ {} }}", self.show_types(fields)),
            Type::Named(named) => self.types.named(*named).name.to_string(),
            Type::Function { result, parameters, .. } => {
                format!("{} ({})", self.show_type(*result), self.show_types(parameters))
            }
            Type::Metadata => "metadata".into(),
            Type::Token => "token".into(),
        }
    }

    fn show_types(&self, ids: &[TypeId]) -> String {
        ids.iter().map(|&id| self.show_type(id)).collect::<Vec<_>>().join(", ")
    }

    /// An operand without its type.
    pub fn show_operand(&self, function: &Function, operand: Operand) -> String {
        match operand.value {
            Value::Local(value) => format!("%{}", function.value(value).name),
            Value::Constant(constant) => self.show_constant(function, self.constant(constant)),
        }
    }

    fn show_operands(&self, function: &Function, operands: &[Operand]) -> String {
        operands.iter().map(|&operand| self.show_operand(function, operand)).collect::<Vec<_>>().join(", ")
    }

    fn show_constant(&self, function: &Function, constant: &Constant) -> String {
        match constant {
            Constant::Integer(number) => number.to_string(),
            Constant::WideInteger(text) | Constant::Float(text) => text.to_string(),
            Constant::Null => "null".into(),
            Constant::Undefined => "undefined".into(),
            Constant::Poison => "poison".into(),
            Constant::Zero => "zero".into(),
            Constant::NoToken => "none".into(),
            Constant::Characters(text) => format!("\"{text}\""),
            Constant::Aggregate(parts) => format!("{{ {} }}", self.show_operands(function, parts)),
            Constant::Splat(part) => format!("splat {}", self.show_operand(function, *part)),
            Constant::Symbol(symbol) => format!("@{}", self.name(*symbol)),
            Constant::Block => "block".into(),
            Constant::Metadata(_) => "metadata".into(),
            Constant::Expression(expression) => match &**expression {
                ConstantExpression::Element { source, base, indices, .. } => format!(
                    "element({}, {}, {})",
                    self.show_type(*source),
                    self.show_operand(function, *base),
                    self.show_operands(function, indices)
                ),
                ConstantExpression::Convert(conversion, operand) => {
                    format!("{}({})", conversion.name(), self.show_operand(function, *operand))
                }
                ConstantExpression::Binary(operator, _, left, right) => {
                    format!("{}({})", operator.name(), self.show_operands(function, &[*left, *right]))
                }
                ConstantExpression::Other(name, operands) => {
                    format!("{name}({})", self.show_operands(function, operands))
                }
            },
        }
    }

    /// A function with its blocks, a line per instruction: its place in the source at the end.
    pub fn show_function(&self, function: &Function) -> String {
        let mut out = String::new();
        let parameters = function.parameters.iter().map(|parameter| {
            let value = function.value(parameter.value);
            let no_alias = if parameter.no_alias { " no-alias" } else { "" };
            format!("{}{no_alias} %{}", self.show_type(value.of), value.name)
        });
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        let (name, result) = (self.name(function.symbol), self.show_type(function.result));
        let variadic = if function.variadic { ", ..." } else { "" };
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "function {name}({parameters}{variadic}): {result}");
        for block in &function.blocks {
            self.show_block(&mut out, function, block);
        }
        out
    }

    fn show_block(&self, out: &mut String, function: &Function, block: &Block) {
        let _ = writeln!(out, "{}:", block.name);
        let mut bindings = block.bindings.iter().peekable();
        for (place, instruction) in block.instructions.iter().enumerate() {
            while let Some(binding) = bindings.next_if(|binding| binding.before <= place) {
                let variable = self.metadata.text(binding.variable, "name").unwrap_or("?");
                let value =
                    binding.value.map_or("nothing".into(), |value| self.show_operand(function, value));
                let how = match (binding.address, binding.plain) {
                    (true, _) => "is at",
                    (false, true) => "=",
                    (false, false) => "is computed from",
                };
                let _ = writeln!(out, "    {variable} {how} {value}");
            }
            let shown = self.show_instruction(function, instruction);
            let location = instruction.location.and_then(|location| self.metadata.place(location));
            let _ = match location {
                Some(place) => writeln!(out, "  {shown:<70} ; {}:{}", place.line, place.column),
                None => writeln!(out, "  {shown}"),
            };
        }
    }

    /// An instruction.
    pub fn show_instruction(&self, function: &Function, instruction: &Instruction) -> String {
        let shown = self.show_operation(function, &instruction.operation);
        match instruction.result {
            Some(result) => {
                let value = function.value(result);
                format!("%{}: {} = {shown}", value.name, self.show_type(value.of))
            }
            None => shown,
        }
    }

    fn show_operation(&self, function: &Function, operation: &Operation) -> String {
        let show = |operand: &Operand| self.show_operand(function, *operand);
        let all = |operands: &[Operand]| self.show_operands(function, operands);
        let block = |id: &BlockId| function.block(*id).name.to_string();
        match operation {
            Operation::Binary(operator, flags, left, right) => {
                let flags: String = [
                    (flags.no_signed_wrap, " nsw"),
                    (flags.no_unsigned_wrap, " nuw"),
                    (flags.exact, " exact"),
                    (flags.disjoint, " disjoint"),
                ]
                .into_iter()
                .filter_map(|(holds, name)| holds.then_some(name))
                .collect();
                format!("{}{flags} {}, {}", operator.name(), show(left), show(right))
            }
            Operation::Negate(operand) => format!("fneg {}", show(operand)),
            Operation::Convert(conversion, _, operand) => {
                format!("{} {} {}", conversion.name(), self.show_type(operand.of), show(operand))
            }
            Operation::Compare(predicate, left, right) => {
                format!("{} {}, {}", predicate.name(), show(left), show(right))
            }
            Operation::CompareFloat(predicate, left, right) => {
                format!("{predicate} {}, {}", show(left), show(right))
            }
            Operation::Phi(inputs) => {
                let input =
                    |(value, from): &(Operand, BlockId)| format!("{} from {}", show(value), block(from));
                format!("phi {}", inputs.iter().map(input).collect::<Vec<_>>().join(", "))
            }
            Operation::Select { condition, then, otherwise } => {
                format!("select {}, {}, {}", show(condition), show(then), show(otherwise))
            }
            Operation::Freeze(operand) => format!("freeze {}", show(operand)),
            Operation::Allocate { element, count } => {
                format!("allocate {}, {}", self.show_type(*element), show(count))
            }
            Operation::Load { address, access } => {
                format!("load{} {}", if access.volatile { " volatile" } else { "" }, show(address))
            }
            Operation::Store { value, address, access } => {
                let how = if access.volatile { " volatile" } else { "" };
                format!("store{how} {}, {}", show(value), show(address))
            }
            Operation::Element { source, base, indices, .. } => {
                format!("element {}, {}, {}", self.show_type(*source), show(base), all(indices))
            }
            Operation::Call { callee, arguments, .. } => {
                let callee = match callee {
                    Callee::Symbol(symbol) => format!("@{}", self.name(*symbol)),
                    Callee::Address(address) => show(address),
                    Callee::Assembly(template) => format!("assembly \"{template}\""),
                };
                format!("call {callee}({})", all(arguments))
            }
            Operation::ExtractValue(aggregate, places) => format!("extract {}, {places:?}", show(aggregate)),
            Operation::InsertValue(aggregate, part, places) => {
                format!("insert {}, {}, {places:?}", show(aggregate), show(part))
            }
            Operation::Opaque { name, operands } => format!("{name} {}", all(operands)),
            Operation::Atomic { address, operands } => format!("atomic {}, {}", show(address), all(operands)),
            Operation::Fence => "fence".into(),
            Operation::Return(None) => "return".into(),
            Operation::Return(Some(value)) => format!("return {}", show(value)),
            Operation::Branch(to) => format!("to {}", block(to)),
            Operation::ConditionalBranch { condition, then, otherwise } => {
                format!("if {} to {} else {}", show(condition), block(then), block(otherwise))
            }
            Operation::Switch { value, default, cases } => {
                let case = |(value, to): &(Operand, BlockId)| format!("{}: {}", show(value), block(to));
                let cases = cases.iter().map(case).collect::<Vec<_>>().join(", ");
                format!("switch {} {{ {cases} }} else {}", show(value), block(default))
            }
            Operation::IndirectBranch { address, targets } => {
                format!(
                    "indirectly {} to {}",
                    show(address),
                    targets.iter().map(block).collect::<Vec<_>>().join(", ")
                )
            }
            Operation::Unreachable => "unreachable".into(),
        }
    }
}
