//! What a value may be that comes by several ways.
//!
//! A φ that joins ways is one of the values that they bring. Where these have forms, a form with the φ in it is one of several without
//! it: which one, the branches decide that lead to the φ. A φ at the header of a loop without a closed form is none of these: what it
//! becomes in terms of itself is a form, never a set of values.
//!
//! Source: ALGORITHMS 7.5 and 7.6.

use super::forms::{Forms, Reading};
use crate::control::LoopId;
use crate::ir::{BlockId, Operand, Operation, Value};
use crate::symbolic::{Atom, AtomId, Polynomial};

/// Most forms that one may be.
const MOST: usize = 8;

/// The forms that one is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ways {
    /// Over all ways to the values in it; itself if there is but one way.
    pub forms: Vec<Polynomial>,
    /// The blocks where the ways meet.
    pub meetings: Vec<BlockId>,
    /// Polynomials whose signs decide between ways: of lesser and greater ones.
    pub deciding: Vec<Polynomial>,
}

impl Forms<'_> {
    /// The forms that one is. `None` if they are too many.
    pub fn ways(&mut self, of: &Polynomial) -> Option<Ways> {
        let mut open = vec![of.clone()];
        let mut ways = Ways { forms: Vec::new(), meetings: Vec::new(), deciding: Vec::new() };
        while let Some(form) = open.pop() {
            if let Some((_, a, b)) = self.atoms.chosen(&form) {
                ways.deciding.push(&b - &a);
                open.extend([b, a]);
                if open.len() + ways.forms.len() > MOST {
                    return None;
                }
                continue;
            }
            match self.by_ways(&form) {
                Some((block, forms)) => {
                    // What comes by one way alone does not differ between ways.
                    ways.meetings.extend((forms.len() > 1).then_some(block));
                    open.extend(forms.into_iter().rev());
                }
                None if !ways.forms.contains(&form) => ways.forms.push(form),
                None => {}
            }
            if open.len() + ways.forms.len() > MOST {
                return None;
            }
        }
        Some(ways)
    }

    /// The forms that one is, ascending; itself alone if they are too many.
    pub fn alternatives(&mut self, form: &Polynomial) -> Vec<Polynomial> {
        let mut forms = self.ways(form).map_or_else(|| vec![form.clone()], |ways| ways.forms);
        forms.sort();
        forms
    }

    /// A form with the first value in it that differs between ways replaced by what it is on each, and the block where these meet.
    fn by_ways(&mut self, of: &Polynomial) -> Option<(BlockId, Vec<Polynomial>)> {
        for atom in self.atoms.leaves(of) {
            let Some((block, values)) = self.merged(atom) else { continue };
            let replaced = values.iter().map(|value| self.atoms.replaced(of, atom, value));
            if let Some(replaced) = replaced.collect() {
                return Some((block, replaced));
            }
        }
        None
    }

    /// What the φ that an atom stands for is on each way, and its block; `None` if it is none that joins ways.
    fn merged(&mut self, atom: AtomId) -> Option<(BlockId, Vec<Polynomial>)> {
        let &Atom::Opaque(number) = self.atoms.get(atom) else { return None };
        let reading = if number % 2 == 0 { Reading::Signed } else { Reading::Unsigned };
        let (block, instruction) = self.definition(*self.opaque.get(&atom)?)?;
        let Operation::Phi(inputs) = &instruction.operation else { return None };
        if self.control.loops.headed_by(block).is_some() {
            return None;
        }
        let mut values = Vec::new();
        for &(operand, from) in inputs {
            let value = self.left_with(operand, from, block, reading)?;
            if self.atoms.involves(&value, atom) || !self.is_of(block, &value) {
                return None;
            }
            values.push(value);
        }
        Some((block, values))
    }

    /// Whether all iterations of a loop provably come to a block by the same way, at equal iterations of the loops inside.
    pub fn is_way_uniform(&mut self, meeting: BlockId, id: LoopId) -> bool {
        let Some(fork) = self.control.dominators.immediate(meeting) else { return false };
        // Blocks that may lie between; some that do not are among them, which is safe.
        let is_between = |block: &BlockId| {
            self.control.dominators.dominates(fork, *block)
                && !self.control.dominators.dominates(meeting, *block)
        };
        let between: Vec<BlockId> = self.function.block_ids().filter(is_between).collect();
        between.into_iter().all(|block| self.is_branch_uniform(block, id))
    }

    pub(crate) fn is_branch_uniform(&mut self, block: BlockId, id: LoopId) -> bool {
        if self.control.successors[block.index()].len() < 2 {
            return true;
        }
        let last = self.function.block(block).last().map(|last| &last.operation);
        let Some(&Operation::ConditionalBranch { condition, .. }) = last else { return false };
        let Value::Local(value) = condition.value else { return true };
        let compared = self.definition(value).map(|(_, instruction)| &instruction.operation);
        let Some(&Operation::Compare(_, left, right)) = compared else { return false };
        [left, right].into_iter().all(|operand| self.is_operand_uniform(operand, id))
    }

    fn is_operand_uniform(&mut self, operand: Operand, id: LoopId) -> bool {
        [Reading::Signed, Reading::Unsigned]
            .into_iter()
            .any(|reading| self.of(operand, reading).is_some_and(|form| self.is_uniform(&form, id)))
    }
}
