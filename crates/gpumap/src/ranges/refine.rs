//! What branches say of an operand at a place.

use super::transfer::used;
use super::{Found, Node, Ranges};
use crate::ir::instruction::Predicate;
use crate::ir::{BlockId, Operand, Operation, Value};
use crate::recurrence::Reading;
use crate::recurrence::conditions::At;
use crate::symbolic::{Polynomial, Range};

/// Values that a φ is computed from whose comparisons are looked at.
const BEHIND: usize = 12;

impl Ranges<'_, '_> {
    /// What an operand is compared with at places.
    pub(super) fn compared_with(&self, operand: Operand, reading: Reading, at: &[At]) -> Vec<Node> {
        let comparisons = at.iter().flat_map(|&at| self.forms.comparisons(operand, reading, at));
        comparisons.filter_map(|condition| node(condition.right, reading)).collect()
    }

    /// Where an operand lies, without what branches say.
    fn plain(&mut self, operand: Operand, reading: Reading, found: &Found) -> Range {
        match operand.value {
            Value::Local(value) => match found.get((value, reading)) {
                Some(fact) => {
                    self.forms.suppose(&fact.premises);
                    fact.range.clone()
                }
                None => Range::all(),
            },
            Value::Constant(_) => self.forms.of(operand, reading).map_or_else(Range::all, Range::from),
        }
    }

    /// Where an operand lies in a block, or on the edge from it to another one.
    pub(super) fn refined(
        &mut self,
        operand: Operand,
        reading: Reading,
        block: BlockId,
        to: Option<BlockId>,
        found: &Found,
    ) -> Range {
        let mut range = self.plain(operand, reading, found);
        for condition in self.forms.comparisons(operand, reading, (block, to)) {
            let other = self.plain(condition.right, reading, found);
            // What is never reached has not been looked at yet, or will not be.
            if range == Range::Unreached || other == Range::Unreached {
                return Range::Unreached;
            }
            range = self.with_facts(block, |arithmetic| match condition.predicate {
                Predicate::Equal => arithmetic.equal(&range, &other).0,
                Predicate::Unequal => arithmetic.unequal(&range, &other),
                Predicate::LessSigned | Predicate::LessUnsigned => arithmetic.less(&range, &other).0,
                Predicate::LessEqualSigned | Predicate::LessEqualUnsigned => {
                    arithmetic.not_greater(&range, &other).0
                }
                Predicate::GreaterSigned | Predicate::GreaterUnsigned => arithmetic.less(&other, &range).1,
                Predicate::GreaterEqualSigned | Predicate::GreaterEqualUnsigned => {
                    arithmetic.not_greater(&other, &range).1
                }
            });
        }
        range
    }

    /// Bounds with which branches compare a φ or what comes back to it, and their neighbours: in terms of what does not change.
    pub(super) fn thresholds(&mut self, (value, reading): Node) -> Vec<Polynomial> {
        let mut list = Vec::new();
        // The values that come back to it, nearest first.
        let mut values = vec![value];
        let mut at = 0;
        while let Some(&next) = values.get(at).filter(|_| values.len() < BEHIND) {
            if let Some((_, instruction)) = self.forms.definition(next) {
                let inputs = used(self.forms.module, instruction, reading);
                let new = inputs.into_iter().filter_map(|input| node(input.0, reading)).map(|node| node.0);
                let new: Vec<_> = new.filter(|value| !values.contains(value)).collect();
                values.extend(new);
            }
            at += 1;
        }
        let is_it = |operand: &Operand| matches!(operand.value, Value::Local(v) if values.contains(&v));
        let function = self.forms.function;
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let Operation::Compare(_, left, right) = &instruction.operation else { continue };
            let other = match (is_it(left), is_it(right)) {
                (true, false) => *right,
                (false, true) => *left,
                _ => continue,
            };
            if let Some(form) =
                self.forms.of(other, reading).filter(|form| self.forms.has_no_iterations(form))
            {
                let one = Polynomial::from(1);
                list.extend([&form - &one, form.clone(), &form + &one]);
            }
        }
        list
    }
}

/// A value of the function in a reading.
pub(super) fn node(operand: Operand, reading: Reading) -> Option<Node> {
    match operand.value {
        Value::Local(value) => Some((value, reading)),
        Value::Constant(_) => None,
    }
}
