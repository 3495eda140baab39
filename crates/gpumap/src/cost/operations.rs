//! Operations of a thread, counted in the analysed text.
//!
//! On floating-point numbers a sum, difference, product, quotient, comparison, negation or conversion is one operation, a product
//! and a sum in one are two, and a function of mathematics is one, though it takes many. On integers arithmetic, comparisons,
//! conversions and the computation of an address are one each; most of these a compiler saves. The counters and tests of the
//! mapped loops are gone in a kernel.

use rustc_hash::FxHashSet;

use super::visits::{Between, visits};
use crate::control::LoopId;
use crate::ir::instruction::Callee;
use crate::ir::types::FloatKind;
use crate::ir::{Instruction, Operand, Operation, Type, TypeId, Value, ValueId};
use crate::memory::library;
use crate::recurrence::Forms;

/// Operations of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operations {
    /// On numbers of single precision, and of less.
    pub single: Between,
    /// On numbers of double precision, and of more.
    pub double: Between,
    /// On integers and addresses.
    pub integer: Between,
    /// Functions that are called and not looked into, so that their operations are not among these.
    pub calls: Vec<String>,
}

/// What an operation works with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Single,
    Double,
    Integer,
}

impl Operations {
    /// Those of a nest of mapped loops.
    pub fn new(forms: &mut Forms<'_>, nest: &[LoopId]) -> Operations {
        let none = || Between::exactly(0);
        let mut all = Operations { single: none(), double: none(), integer: none(), calls: Vec::new() };
        let Some(&outermost) = nest.first() else { return all };
        let gone = control(forms, nest);
        let (function, control) = (forms.function, forms.control);
        for &block in &control.loops.get(outermost).blocks {
            let mut counts = [(Kind::Single, 0), (Kind::Double, 0), (Kind::Integer, 0)];
            for instruction in &function.block(block).instructions {
                if instruction.result.is_some_and(|result| gone.contains(&result)) {
                    continue;
                }
                if let Some((kind, number)) = counted(forms, instruction) {
                    counts.iter_mut().filter(|count| count.0 == kind).for_each(|count| count.1 += number);
                }
                if let Some(name) = not_followed(forms, instruction)
                    && !all.calls.contains(&name)
                {
                    all.calls.push(name);
                }
            }
            let visits = visits(forms, nest, block);
            for (kind, number) in counts.into_iter().filter(|count| count.1 > 0) {
                let sum = match kind {
                    Kind::Single => &mut all.single,
                    Kind::Double => &mut all.double,
                    Kind::Integer => &mut all.integer,
                };
                *sum = sum.plus(&visits.times(&Between::exactly(number)));
            }
        }
        all
    }
}

/// What only counts and tests iterations of the mapped loops.
fn control(forms: &Forms<'_>, nest: &[LoopId]) -> FxHashSet<ValueId> {
    let mut gone = FxHashSet::default();
    for &id in nest {
        let found = forms.control.loops.get(id);
        for phi in &forms.function.block(found.header).instructions {
            let Operation::Phi(inputs) = &phi.operation else { break };
            let nexts = inputs.iter().filter(|input| found.latches.contains(&input.1));
            gone.extend(nexts.filter_map(|input| advanced(forms, phi.result?, input.0)));
        }
        for &(test, _) in &found.exits {
            let last = forms.function.block(test).last().map(|last| &last.operation);
            if let Some(Operation::ConditionalBranch { condition, .. }) = last
                && let Value::Local(value) = condition.value
            {
                gone.insert(value);
            }
        }
    }
    gone
}

/// What a counter becomes, if that is the counter and a constant.
fn advanced(forms: &Forms<'_>, counter: ValueId, next: Operand) -> Option<ValueId> {
    let Value::Local(value) = next.value else { return None };
    let (_, instruction) = forms.definition(value)?;
    let is_counter = |operand: &&Operand| operand.value == Value::Local(counter);
    let is_constant = |operand: &&Operand| matches!(operand.value, Value::Constant(_));
    let operands = instruction.operation.operands();
    let is_step = operands.iter().filter(is_counter).count() == 1
        && operands.iter().filter(is_constant).count() + 1 == operands.len();
    is_step.then_some(value)
}

/// What an instruction counts as.
fn counted(forms: &Forms<'_>, instruction: &Instruction) -> Option<(Kind, i64)> {
    let result = |forms: &Forms<'_>| instruction.result.map(|result| forms.function.value(result).of);
    let kind = |of: TypeId| match forms.module.types.get(of) {
        Type::Float(FloatKind::Half | FloatKind::Brain | FloatKind::Single) => Some(Kind::Single),
        Type::Float(_) => Some(Kind::Double),
        Type::Integer(_) | Type::Pointer => Some(Kind::Integer),
        _ => None,
    };
    let one = |of: TypeId| Some((kind(of)?, 1));
    match &instruction.operation {
        Operation::Binary(..) => one(result(forms)?),
        Operation::Negate(operand) => one(operand.of),
        Operation::CompareFloat(_, left, _) => one(left.of),
        Operation::Compare(..) | Operation::Element { .. } => Some((Kind::Integer, 1)),
        Operation::Convert(_, _, operand) => {
            let (from, to) = (kind(operand.of)?, kind(result(forms)?)?);
            Some((if from == Kind::Integer { to } else { from }, 1))
        }
        Operation::Call { callee: Callee::Symbol(symbol), .. } => {
            let name = forms.module.name(*symbol);
            let is_sum = ["llvm.fmuladd.", "llvm.fma."].iter().any(|prefix| name.starts_with(prefix));
            let kind = kind(result(forms)?).filter(|_| library::only_computes(forms.module, *symbol))?;
            Some((kind, if is_sum { 2 } else { 1 }))
        }
        _ => None,
    }
}

/// The function that an instruction calls, if it is none that counts as an operation and none that does nothing.
fn not_followed(forms: &Forms<'_>, instruction: &Instruction) -> Option<String> {
    let Operation::Call { callee: Callee::Symbol(symbol), .. } = &instruction.operation else { return None };
    let name = forms.module.name(*symbol);
    (!name.starts_with("llvm.") && counted(forms, instruction).is_none()).then(|| name.to_owned())
}
