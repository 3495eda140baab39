//! Values that a loop combines in every iteration into one, by an operator that may be applied in any order.
//!
//! A φ at the header of a loop is such a value if everything that becomes of it in an iteration is the φ itself, combined with
//! something else by one and the same operator any number of times: in chains, behind conditions, in loops inside. Nothing else may use
//! what stands between, as iterations run in any order.
//!
//! Source: ALGORITHMS 2.5 and 8.2; OpenMP 5.2, 5.5.5 "Implicitly declared reduction operators".

use std::collections::BTreeSet;

use crate::control::{Control, LoopId};
use crate::ir::instruction::{BinaryOperator, Callee, Predicate};
use crate::ir::{BlockId, Function, Instruction, Module, Operand, Operation, Value, ValueId};

/// Most values that stand for one in an iteration.
const MOST: usize = 64;

/// An operator of reductions, as clauses name it.
pub type Operator = &'static str;

/// The operator by which a loop combines the value of a φ at its header; `None` if it does something else with it.
pub fn operator(
    module: &Module,
    function: &Function,
    control: &Control,
    id: LoopId,
    phi: &Instruction,
) -> Option<Operator> {
    let first = phi.result?;
    let mut search = Search {
        module,
        function,
        control,
        id,
        values: BTreeSet::from([first]),
        operator: None,
        chosen: BTreeSet::new(),
    };
    let mut open = vec![first];
    while let Some(value) = open.pop() {
        for (block, user) in search.users(value) {
            if user.result == Some(first) {
                continue;
            }
            let next = search.next(block, user, value)?;
            if let Some(next) = next.filter(|&next| search.values.insert(next)) {
                open.push(next);
            }
        }
        if search.values.len() > MOST {
            return None;
        }
    }
    search.closes(phi).then_some(search.operator).flatten()
}

struct Search<'a> {
    module: &'a Module,
    function: &'a Function,
    control: &'a Control,
    id: LoopId,
    /// What the value is at some point of an iteration.
    values: BTreeSet<ValueId>,
    operator: Option<Operator>,
    /// The φ of the value and of what replaces it by a comparison.
    chosen: BTreeSet<ValueId>,
}

impl<'a> Search<'a> {
    /// The instructions of the loop that use a value.
    fn users(&self, value: ValueId) -> Vec<(BlockId, &'a Instruction)> {
        let blocks = self.control.loops.get(self.id).blocks.iter();
        let function = self.function;
        let all = blocks.flat_map(|&block| {
            function.block(block).instructions.iter().map(move |instruction| (block, instruction))
        });
        let is_user = |(_, user): &(BlockId, &Instruction)| {
            user.operation.operands().iter().any(|operand| operand.value == Value::Local(value))
        };
        all.filter(is_user).collect()
    }

    fn is_value(&self, operand: &Operand) -> bool {
        matches!(operand.value, Value::Local(value) if self.values.contains(&value))
    }

    /// What a use makes of a value; `None` for uses that a reduction does not have.
    fn next(&mut self, block: BlockId, user: &Instruction, value: ValueId) -> Option<Option<ValueId>> {
        match &user.operation {
            Operation::Binary(operator, _, left, right) => {
                let is_left = left.value == Value::Local(value);
                if self.is_value(left) && self.is_value(right) {
                    return None;
                }
                self.combine(match operator {
                    BinaryOperator::Add | BinaryOperator::AddFloat => "+",
                    // What is taken away from it is added with another sign.
                    BinaryOperator::Subtract | BinaryOperator::SubtractFloat if is_left => "+",
                    BinaryOperator::Multiply | BinaryOperator::MultiplyFloat => "*",
                    BinaryOperator::And => "&",
                    BinaryOperator::Or => "|",
                    BinaryOperator::Xor => "^",
                    _ => return None,
                })?;
                user.result.map(Some)
            }
            Operation::Call { callee: Callee::Symbol(symbol), arguments, .. } => {
                let name = self.module.name(*symbol).strip_prefix("llvm.")?;
                let kind = name.split('.').next()?;
                let is_once = arguments.iter().filter(|argument| self.is_value(argument)).count() == 1;
                let is_summand = arguments.get(2).is_some_and(|last| last.value == Value::Local(value));
                self.combine(match kind {
                    // A product and a sum in one.
                    "fmuladd" | "fma" if is_once && is_summand => "+",
                    "smax" | "umax" | "maxnum" if is_once => "max",
                    "smin" | "umin" | "minnum" if is_once => "min",
                    _ => return None,
                })?;
                user.result.map(Some)
            }
            Operation::Phi(_) => user.result.map(Some),
            Operation::Compare(..) | Operation::CompareFloat(..) => self.compared(block, user, value),
            _ => None,
        }
    }

    fn combine(&mut self, operator: Operator) -> Option<()> {
        (*self.operator.get_or_insert(operator) == operator).then_some(())
    }

    /// A comparison with something that replaces the value where it is greater, or where it is less: gives the φ of both.
    fn compared(&mut self, block: BlockId, user: &Instruction, value: ValueId) -> Option<Option<ValueId>> {
        let (left, right, is_less) = match &user.operation {
            Operation::Compare(predicate, left, right) => (*left, *right, is_less(*predicate)?),
            Operation::CompareFloat(name, left, right) => (*left, *right, is_less_float(name)?),
            _ => return None,
        };
        let is_left = left.value == Value::Local(value);
        let other = if is_left { right } else { left };
        let last = self.function.block(block).last()?;
        let Operation::ConditionalBranch { condition, then, otherwise } = last.operation else { return None };
        let result = user.result?;
        if condition.value != Value::Local(result) || self.users(result).len() != 1 || self.is_value(&other) {
            return None;
        }
        // Where the value and the other one meet again.
        let (meeting, phi, comes_from) = self.users(value).into_iter().find_map(|(meeting, user)| {
            let Operation::Phi(inputs) = &user.operation else { return None };
            let &(_, from) = inputs.iter().find(|input| input.0.value == other.value)?;
            let is_of_both =
                inputs.len() == 2 && inputs.iter().any(|input| input.0.value == Value::Local(value));
            is_of_both.then_some((meeting, user, from))
        })?;
        let comes_by = |target: BlockId| {
            comes_from == block && target == meeting
                || target != meeting
                    && self.control.predecessors[target.index()].len() == 1
                    && self.control.dominators.dominates(target, comes_from)
        };
        let is_then = match (comes_by(then), comes_by(otherwise)) {
            (true, false) => true,
            (false, true) => false,
            _ => return None,
        };
        // Whether the value is less than what replaces it.
        let is_less_where_replaced = (is_less == is_left) == is_then;
        // What else happens there would depend on the order of iterations.
        let is_empty = |target: BlockId| {
            let own = self.function.block(target).instructions.iter();
            target == meeting
                || self.control.successors[target.index()] == [meeting] && !own.clone().any(has_effect)
        };
        if !is_empty(then) || !is_empty(otherwise) {
            return None;
        }
        self.combine(if is_less_where_replaced { "max" } else { "min" })?;
        self.chosen.extend(phi.result);
        Some(phi.result)
    }

    /// Whether all that reaches a φ among the values is one of them, or what replaces the value by a comparison; and the loop's own φ gets
    /// one.
    fn closes(&self, own: &Instruction) -> bool {
        let blocks = self.control.loops.get(self.id).blocks.iter();
        let all = blocks.flat_map(|&block| &self.function.block(block).instructions);
        let mut phis = all.filter(|one| one.result.is_some_and(|result| self.values.contains(&result)));
        phis.all(|phi| match &phi.operation {
            Operation::Phi(inputs) if phi.result == own.result => {
                let mut inside = inputs.iter().filter(|input| self.control.loops.contains(self.id, input.1));
                inside.all(|input| self.is_value(&input.0))
            }
            Operation::Phi(inputs) => {
                let others = inputs.iter().filter(|input| !self.is_value(&input.0)).count();
                let is_choice = phi.result.is_some_and(|result| self.chosen.contains(&result));
                others == 0 || is_choice && others == 1
            }
            _ => true,
        })
    }
}

/// Whether an instruction does more than compute.
fn has_effect(instruction: &Instruction) -> bool {
    matches!(
        instruction.operation,
        Operation::Store { .. } | Operation::Call { .. } | Operation::Atomic { .. } | Operation::Fence
    )
}

/// Whether a comparison says that the left side is less; `None` for equalities.
fn is_less(predicate: Predicate) -> Option<bool> {
    match predicate {
        Predicate::LessSigned
        | Predicate::LessEqualSigned
        | Predicate::LessUnsigned
        | Predicate::LessEqualUnsigned => Some(true),
        Predicate::GreaterSigned
        | Predicate::GreaterEqualSigned
        | Predicate::GreaterUnsigned
        | Predicate::GreaterEqualUnsigned => Some(false),
        Predicate::Equal | Predicate::Unequal => None,
    }
}

/// The same for floating-point numbers: where one of them is no number, the comparison does not hold.
fn is_less_float(name: &str) -> Option<bool> {
    match name {
        "olt" | "ole" => Some(true),
        "ogt" | "oge" => Some(false),
        _ => None,
    }
}
