//! Which signs values may have in two's complement, as a monotone analysis over the work list of `solver`.
//!
//! A fact is a set of signs where a value is computed; the empty set is what has not been reached. Where a value is used, the
//! branches that lead there restrict it by the signs of what it is compared with. Only operations that keep their mathematical
//! value (`nsw`) have the signs of that value; the others have all. No symbolic arithmetic is involved, so this comes first.
//!
//! Source: ALGORITHMS 7.5, research note 10 (what is loaded has any sign).

use crate::ir::instruction::{BinaryOperator, Conversion, Predicate};
use crate::ir::{BlockId, Choice, Constant, Instruction, Operand, Operation, Value, ValueId};
use crate::recurrence::{Forms, Reading};
use crate::solver::{self, Analysis, Facts};
use crate::symbolic::Signs;

/// Steps of the work list per value.
const STEPS: u64 = 64;

/// No sign: not reached.
const NONE: Signs = Signs { negative: false, zero: false, positive: false };
const NOT_NEGATIVE: Signs = Signs { negative: false, zero: true, positive: true };

/// The signs of the values of a function.
pub type Found = Facts<ValueId, Signs>;

/// Those of a function.
pub fn signs(forms: &Forms<'_>) -> Found {
    let function = forms.function;
    let is_integer = |value: &ValueId| forms.module.types.integer_bits(function.value(*value).of).is_some();
    let roots = (0..function.values.len()).map(ValueId::new).filter(is_integer);
    let mut steps = STEPS * (function.values.len() as u64 + 1);
    solver::solve(&mut Search { forms }, roots, &mut steps)
}

struct Search<'a, 'f> {
    forms: &'a Forms<'f>,
}

fn union(a: Signs, b: Signs) -> Signs {
    Signs { negative: a.negative | b.negative, zero: a.zero | b.zero, positive: a.positive | b.positive }
}

fn intersection(a: Signs, b: Signs) -> Signs {
    Signs { negative: a.negative & b.negative, zero: a.zero & b.zero, positive: a.positive & b.positive }
}

fn negated(of: Signs) -> Signs {
    Signs { negative: of.positive, zero: of.zero, positive: of.negative }
}

fn sum(a: Signs, b: Signs) -> Signs {
    if a == NONE || b == NONE {
        return NONE;
    }
    let is_mixed = a.negative & b.positive | a.positive & b.negative;
    Signs {
        negative: a.negative | b.negative,
        zero: a.zero & b.zero | is_mixed,
        positive: a.positive | b.positive,
    }
}

fn product(a: Signs, b: Signs) -> Signs {
    if a == NONE || b == NONE {
        return NONE;
    }
    Signs {
        negative: a.negative & b.positive | a.positive & b.negative,
        zero: a.zero | b.zero,
        positive: a.positive & b.positive | a.negative & b.negative,
    }
}

/// Of the lesser of two numbers.
fn lesser(a: Signs, b: Signs) -> Signs {
    if a == NONE || b == NONE {
        return NONE;
    }
    Signs {
        negative: a.negative | b.negative,
        zero: a.zero & (b.zero | b.positive) | b.zero & a.positive,
        positive: a.positive & b.positive,
    }
}

/// The signs that the left side of a comparison may have by those of the right side.
fn allowed(predicate: Predicate, right: Signs) -> Signs {
    let below = Signs { negative: right != NONE, zero: right.positive, positive: right.positive };
    let above = Signs { positive: right != NONE, zero: right.negative, negative: right.negative };
    match predicate {
        Predicate::LessSigned => below,
        Predicate::LessEqualSigned => union(below, right),
        Predicate::GreaterSigned => above,
        Predicate::GreaterEqualSigned => union(above, right),
        Predicate::Equal => right,
        // Only zero is a sign of one value.
        Predicate::Unequal if right == Signs { negative: false, zero: true, positive: false } => {
            Signs { negative: true, zero: false, positive: true }
        }
        _ => Signs::ALL,
    }
}

impl Search<'_, '_> {
    fn plain(&self, operand: Operand, facts: &Found) -> Signs {
        match operand.value {
            Value::Local(value) => facts.get(value).copied().unwrap_or(Signs::ALL),
            Value::Constant(constant) => match self.forms.module.constant(constant) {
                Constant::Integer(number) => Signs {
                    negative: number.is_negative(),
                    zero: *number == 0,
                    positive: number.is_positive(),
                },
                _ => Signs::ALL,
            },
        }
    }

    /// The signs of an operand in a block, or on an edge from it.
    fn refined(&self, operand: Operand, block: BlockId, to: Option<BlockId>, facts: &Found) -> Signs {
        let mut signs = self.plain(operand, facts);
        for condition in self.forms.comparisons(operand, Reading::Signed, (block, to)) {
            signs = intersection(signs, allowed(condition.predicate, self.plain(condition.right, facts)));
        }
        signs
    }

    /// Operands whose signs count, and the block from which a φ has each.
    fn used(&self, instruction: &Instruction) -> Vec<(Operand, Option<BlockId>)> {
        match &instruction.operation {
            Operation::Binary(_, _, left, right) => vec![(*left, None), (*right, None)],
            Operation::Convert(Conversion::ExtendSign, _, of) | Operation::Freeze(of) => vec![(*of, None)],
            Operation::Phi(inputs) => inputs.iter().map(|&(of, from)| (of, Some(from))).collect(),
            call @ Operation::Call { .. } => {
                let numbers = self.forms.module.choice(call).map_or_else(Vec::new, Choice::operands);
                numbers.into_iter().map(|of| (of, None)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn computed(&self, instruction: &Instruction, signs: &[Signs]) -> Signs {
        match (&instruction.operation, signs) {
            (Operation::Phi(_), _) => signs.iter().fold(NONE, |all, &one| union(all, one)),
            (Operation::Convert(Conversion::ExtendZero, ..), _) => NOT_NEGATIVE,
            (Operation::Convert(Conversion::ExtendSign, ..) | Operation::Freeze(_), &[of]) => of,
            (call @ Operation::Call { .. }, _) => match (self.forms.module.choice(call), signs) {
                (Some(Choice::Least { signed: true, .. }), &[a, b]) => lesser(a, b),
                (Some(Choice::Greatest { signed: true, .. }), &[a, b]) => {
                    negated(lesser(negated(a), negated(b)))
                }
                (Some(Choice::Size(_)), &[of]) => {
                    Signs { negative: false, zero: of.zero, positive: of.negative | of.positive }
                }
                _ => Signs::ALL,
            },
            (Operation::Binary(operator, flags, _, right), &[a, b]) => match operator {
                BinaryOperator::Add if flags.no_signed_wrap => sum(a, b),
                BinaryOperator::Subtract if flags.no_signed_wrap => sum(a, negated(b)),
                BinaryOperator::Multiply if flags.no_signed_wrap => product(a, b),
                // A quotient may be zero; one whose divisor is zero has no meaning.
                BinaryOperator::DivideSigned if a != NONE && b != NONE => {
                    union(product(a, b), Signs { zero: true, ..NONE })
                }
                BinaryOperator::RemainderSigned if a != NONE => union(a, Signs { zero: true, ..NONE }),
                BinaryOperator::And if !a.negative || !b.negative => NOT_NEGATIVE,
                BinaryOperator::ShiftRightArithmetic if a != NONE => {
                    Signs { zero: a.zero || a.positive, ..a }
                }
                BinaryOperator::ShiftRightLogical
                    if self.forms.module.integer(*right).is_some_and(|by| by > 0) =>
                {
                    NOT_NEGATIVE
                }
                _ => Signs::ALL,
            },
            _ => Signs::ALL,
        }
    }
}

impl Analysis for Search<'_, '_> {
    type Node = ValueId;
    type Fact = Signs;

    fn unreached(&self) -> Signs {
        NONE
    }

    fn inputs(&mut self, value: ValueId) -> Vec<ValueId> {
        let Some((block, instruction)) = self.forms.definition(value) else { return Vec::new() };
        let mut list = Vec::new();
        for (operand, from) in self.used(instruction) {
            let place = (from.unwrap_or(block), from.map(|_| block));
            let compared = self.forms.comparisons(operand, Reading::Signed, place);
            let all = std::iter::once(operand).chain(compared.iter().map(|condition| condition.right));
            list.extend(all.filter_map(|operand| match operand.value {
                Value::Local(value) => Some(value),
                Value::Constant(_) => None,
            }));
        }
        list
    }

    fn transfer(&mut self, value: ValueId, facts: &Found) -> Signs {
        let Some((block, instruction)) = self.forms.definition(value) else { return Signs::ALL };
        let used = self.used(instruction);
        let signs: Vec<Signs> = used
            .iter()
            .map(|&(operand, from)| self.refined(operand, from.unwrap_or(block), from.map(|_| block), facts))
            .collect();
        self.computed(instruction, &signs)
    }
}
