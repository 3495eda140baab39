//! Runs a function on numbers, as the language reference says, with arbitrary values for what it loads and calls.

use std::collections::HashMap;

use gpumap::control::Control;
use gpumap::ir::instruction::{BinaryOperator, Conversion, Predicate};
use gpumap::ir::{
    BlockId, Choice, Constant, Function, Instruction, Module, Operand, Operation, Type, TypeId, Value,
    ValueId,
};

/// What a run knows when an instruction has been executed.
pub struct State<'f> {
    pub module: &'f Module,
    pub function: &'f Function,
    pub control: &'f Control,
    /// Bits of values.
    pub values: HashMap<ValueId, u64>,
    /// Iterations of each loop begun before.
    pub iterations: Vec<i64>,
}

/// Is told of an instruction that has given a value, or of an edge between two blocks.
pub type Seen<'s, 'f> = dyn FnMut(&State<'f>, Option<&'f Instruction>, (BlockId, BlockId)) + 's;

/// Why a run ends.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    Returned,
    /// It did something without meaning, such as a signed sum that wraps.
    Meaningless,
    /// It does something that is not run here, or for too long.
    Stopped,
}

/// A sequence of arbitrary numbers.
pub struct Sequence(pub u64);

impl Sequence {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 29
    }

    /// A number that programs are likely to be given.
    pub fn small(&mut self) -> u64 {
        match self.next() % 16 {
            0 => u64::MAX - self.next() % 3,
            1 => i32::MAX as u64 - self.next() % 3,
            2..5 => (self.next() % 20).wrapping_neg(),
            _ => self.next() % 24,
        }
    }
}

/// The address that a global variable has here.
pub fn address_of(name: &str) -> u64 {
    name.bytes().fold(7, |sum: u64, byte| sum * 31 % (1 << 30) + u64::from(byte)) << 16
}

impl<'f> State<'f> {
    pub fn new(
        module: &'f Module,
        function: &'f Function,
        control: &'f Control,
        from: &mut Sequence,
    ) -> Self {
        let mut values = HashMap::new();
        for parameter in &function.parameters {
            let of = function.value(parameter.value).of;
            let bits = match module.types.get(of) {
                Type::Pointer => (1 + from.next() % 1000) << 20,
                _ => from.small(),
            };
            values.insert(parameter.value, bits);
        }
        let iterations = vec![0; control.loops.len()];
        let mut state = State { module, function, control, values, iterations };
        for parameter in &function.parameters {
            let (value, of) = (parameter.value, function.value(parameter.value).of);
            let bits = state.values[&value];
            state.set(value, of, bits);
        }
        state
    }

    fn width(&self, of: TypeId) -> u32 {
        match self.module.types.get(of) {
            Type::Integer(bits) => *bits,
            _ => 64,
        }
    }

    fn set(&mut self, value: ValueId, of: TypeId, bits: u64) {
        let width = self.width(of);
        let mask = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
        self.values.insert(value, bits & mask);
    }

    /// A value as an unsigned number.
    pub fn unsigned(&self, operand: Operand) -> Option<u64> {
        let bits = match operand.value {
            Value::Local(value) => *self.values.get(&value)?,
            Value::Constant(constant) => match self.module.constant(constant) {
                Constant::Integer(number) => *number as u64,
                Constant::Symbol(symbol) => address_of(self.module.name(*symbol)),
                Constant::Null | Constant::Zero | Constant::Float(_) => 0,
                _ => return None,
            },
        };
        let width = self.width(operand.of);
        Some(if width >= 64 { bits } else { bits & ((1 << width) - 1) })
    }

    /// A value in two's complement.
    pub fn signed(&self, operand: Operand) -> Option<i64> {
        let width = self.width(operand.of).min(64);
        self.unsigned(operand).map(|bits| ((bits << (64 - width)) as i64) >> (64 - width))
    }

    /// Runs; `seen` is told of every value, and of every edge that is taken before it is.
    pub fn run(&mut self, from: &mut Sequence, mut steps: u32, seen: &mut Seen<'_, 'f>) -> End {
        let (mut block, mut before) = (BlockId::new(0), BlockId::new(0));
        loop {
            let instructions = &self.function.block(block).instructions;
            let mut inputs = Vec::new();
            for instruction in instructions {
                let Operation::Phi(all) = &instruction.operation else { break };
                let Some(input) = all.iter().find(|input| input.1 == before) else { return End::Stopped };
                inputs.push((instruction, self.unsigned(input.0)));
            }
            for &(phi, value) in &inputs {
                let (Some(result), Some(value)) = (phi.result, value) else { return End::Stopped };
                self.set(result, self.function.value(result).of, value);
            }
            for &(phi, _) in &inputs {
                seen(self, Some(phi), (block, block));
            }
            let mut next = None;
            for instruction in &instructions[inputs.len()..] {
                let Some(left) = steps.checked_sub(1) else { return End::Stopped };
                steps = left;
                match self.step(instruction, from) {
                    Ok(Some(to)) => next = Some(to),
                    Ok(None) => {}
                    Err(end) => return end,
                }
                if instruction.result.is_some() {
                    seen(self, Some(instruction), (block, block));
                }
            }
            let Some(to) = next else { return End::Returned };
            seen(self, None, (block, to));
            if let Some(id) = self.control.loops.headed_by(to) {
                let again = self.control.loops.contains(id, block);
                let count = &mut self.iterations[id.index()];
                *count = if again { *count + 1 } else { 0 };
            }
            (before, block) = (block, to);
        }
    }

    /// Executes an instruction; gives the block that it goes to.
    fn step(&mut self, instruction: &Instruction, from: &mut Sequence) -> Result<Option<BlockId>, End> {
        let stopped = || End::Stopped;
        let computed = match &instruction.operation {
            &Operation::Binary(operator, flags, left, right) => {
                if !matches!(self.module.types.get(left.of), Type::Integer(1..=64)) {
                    0
                } else {
                    let signed =
                        (self.signed(left).ok_or_else(stopped)?, self.signed(right).ok_or_else(stopped)?);
                    let unsigned =
                        (self.unsigned(left).ok_or_else(stopped)?, self.unsigned(right).ok_or_else(stopped)?);
                    let width = self.width(left.of);
                    if flags.exact
                        && operator == BinaryOperator::DivideSigned
                        && signed.0.checked_rem(signed.1).is_some_and(|rest| rest != 0)
                    {
                        return Err(End::Meaningless);
                    }
                    let wraps = (flags.no_signed_wrap, flags.no_unsigned_wrap);
                    binary(operator, signed, unsigned, width, wraps).ok_or(End::Meaningless)?
                }
            }
            &Operation::Convert(conversion, flags, operand) => match conversion {
                Conversion::ExtendSign => self.signed(operand).ok_or_else(stopped)? as u64,
                Conversion::ExtendZero
                    if flags.not_negative && self.signed(operand).is_some_and(|x| x < 0) =>
                {
                    return Err(End::Meaningless);
                }
                Conversion::Truncate
                | Conversion::ExtendZero
                | Conversion::PointerToInteger
                | Conversion::IntegerToPointer => self.unsigned(operand).ok_or_else(stopped)?,
                _ => from.small(),
            },
            &Operation::Compare(predicate, left, right) => {
                let signed =
                    (self.signed(left).ok_or_else(stopped)?, self.signed(right).ok_or_else(stopped)?);
                let unsigned =
                    (self.unsigned(left).ok_or_else(stopped)?, self.unsigned(right).ok_or_else(stopped)?);
                u64::from(compared(predicate, signed, unsigned))
            }
            Operation::Element { source, base, indices, .. } => {
                let address = self.element(*source, *base, indices).ok_or_else(stopped)?;
                // The sources have only addresses that stay within their object.
                u64::try_from(address).map_err(|_| End::Meaningless)?
            }
            Operation::Freeze(operand) => self.unsigned(*operand).ok_or_else(stopped)?,
            Operation::Return(_) | Operation::Unreachable | Operation::IndirectBranch { .. } => {
                return Err(End::Returned);
            }
            Operation::Branch(to) => return Ok(Some(*to)),
            Operation::ConditionalBranch { condition, then, otherwise } => {
                let holds = self.unsigned(*condition).ok_or_else(stopped)? == 1;
                return Ok(Some(if holds { *then } else { *otherwise }));
            }
            Operation::Switch { value, default, cases } => {
                let value = self.unsigned(*value).ok_or_else(stopped)?;
                let case = cases.iter().find(|case| self.unsigned(case.0) == Some(value));
                return Ok(Some(case.map_or(*default, |case| case.1)));
            }
            Operation::Phi(_) => return Err(End::Stopped),
            Operation::Allocate { .. } => (1 + from.next() % 1000) << 40,
            call @ Operation::Call { .. } => match self.module.choice(call) {
                Some(choice) => self.chosen(choice).ok_or_else(stopped)?,
                None => from.small(),
            },
            _ => from.small(),
        };
        if let Some(result) = instruction.result {
            self.set(result, self.function.value(result).of, computed);
        }
        Ok(None)
    }

    /// What an intrinsic gives. An absolute value that has no meaning ends the run like something that is not run here.
    fn chosen(&self, choice: Choice) -> Option<u64> {
        match choice {
            Choice::Least { signed: true, a, b } => Some(self.signed(a)?.min(self.signed(b)?) as u64),
            Choice::Greatest { signed: true, a, b } => Some(self.signed(a)?.max(self.signed(b)?) as u64),
            Choice::Least { signed: false, a, b } => Some(self.unsigned(a)?.min(self.unsigned(b)?)),
            Choice::Greatest { signed: false, a, b } => Some(self.unsigned(a)?.max(self.unsigned(b)?)),
            Choice::Size(of) => {
                let (number, width) = (self.signed(of)?, self.width(of.of).min(64));
                (number != i64::MIN >> (64 - width)).then(|| number.unsigned_abs())
            }
        }
    }

    fn element(&self, source: TypeId, base: Operand, indices: &[Operand]) -> Option<i128> {
        let (types, layout) = (&self.module.types, &self.module.layout);
        let (mut address, mut of) = (i128::from(self.unsigned(base)?), source);
        for (place, &index) in indices.iter().enumerate() {
            let number = self.signed(index)?;
            if place > 0 {
                let resolved = types.resolved(of)?;
                if let Type::Structure { .. } = types.get(resolved) {
                    address += i128::from(layout.field(types, resolved, number as usize)?);
                    of = types.part(resolved, number as u64)?;
                    continue;
                }
                of = types.part(resolved, 0)?;
            }
            address += i128::from(number) * i128::from(layout.size(types, of)?);
        }
        Some(address)
    }
}

/// The bits of a result; `None` where it has no meaning.
fn binary(
    operator: BinaryOperator,
    (a, b): (i64, i64),
    (x, y): (u64, u64),
    width: u32,
    (no_signed_wrap, no_unsigned_wrap): (bool, bool),
) -> Option<u64> {
    let (wide, wide_unsigned): (i128, i128) = match operator {
        BinaryOperator::Add => (i128::from(a) + i128::from(b), i128::from(x) + i128::from(y)),
        BinaryOperator::Subtract => (i128::from(a) - i128::from(b), i128::from(x) - i128::from(y)),
        BinaryOperator::Multiply => (i128::from(a) * i128::from(b), (u128::from(x) * u128::from(y)) as i128),
        BinaryOperator::ShiftLeft if y < u64::from(width) => (i128::from(a) << y, i128::from(x) << y),
        BinaryOperator::ShiftLeft => return None,
        BinaryOperator::ShiftRightLogical => return (y < u64::from(width)).then(|| x >> y),
        BinaryOperator::ShiftRightArithmetic => return (y < u64::from(width)).then(|| (a >> y) as u64),
        BinaryOperator::DivideSigned => return a.checked_div(b).map(|q| q as u64),
        BinaryOperator::RemainderSigned => return a.checked_rem(b).map(|r| r as u64),
        BinaryOperator::DivideUnsigned => return x.checked_div(y),
        BinaryOperator::RemainderUnsigned => return x.checked_rem(y),
        BinaryOperator::And => return Some(x & y),
        BinaryOperator::Or => return Some(x | y),
        BinaryOperator::Xor => return Some(x ^ y),
        _ => return Some(0),
    };
    let half = 1i128 << (width - 1);
    let fits = (-half..half).contains(&wide);
    let fits_unsigned = (0..2 * half).contains(&wide_unsigned);
    ((fits || !no_signed_wrap) && (fits_unsigned || !no_unsigned_wrap)).then_some(wide as u64)
}

fn compared(predicate: Predicate, (a, b): (i64, i64), (x, y): (u64, u64)) -> bool {
    match predicate {
        Predicate::Equal => x == y,
        Predicate::Unequal => x != y,
        Predicate::GreaterUnsigned => x > y,
        Predicate::GreaterEqualUnsigned => x >= y,
        Predicate::LessUnsigned => x < y,
        Predicate::LessEqualUnsigned => x <= y,
        Predicate::GreaterSigned => a > b,
        Predicate::GreaterEqualSigned => a >= b,
        Predicate::LessSigned => a < b,
        Predicate::LessEqualSigned => a <= b,
    }
}
