//! What a value may be that comes by several ways.
//!
//! A φ that is no loop's counter has one of the values that come to it. Where these have forms, a form with the φ in it is one
//! of several without it: which one, the branches decide that lead to the φ.

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
}

impl Forms<'_> {
    /// The forms that one is. `None` if they are too many.
    pub fn ways(&mut self, of: &Polynomial) -> Option<Ways> {
        let mut open = vec![of.clone()];
        let mut ways = Ways { forms: Vec::new(), meetings: Vec::new() };
        while let Some(form) = open.pop() {
            let merged = form.atoms().into_iter().find_map(|atom| Some((atom, self.merged(atom)?)));
            let Some((atom, (block, values))) = merged else {
                if !ways.forms.contains(&form) {
                    ways.forms.push(form);
                }
                continue;
            };
            ways.meetings.push(block);
            for value in values.iter().rev() {
                open.push(self.atoms.replaced(&form, atom, value)?);
            }
            if open.len() + ways.forms.len() > MOST {
                return None;
            }
        }
        Some(ways)
    }

    /// The block of a φ, and the forms of the values that come to it inside of the same iteration.
    fn merged(&mut self, atom: AtomId) -> Option<(BlockId, Vec<Polynomial>)> {
        let &Atom::Opaque(number) = self.atoms.get(atom) else { return None };
        let value = *self.opaque.get(&atom)?;
        let (block, instruction) = self.definition(value)?;
        let Operation::Phi(inputs) = &instruction.operation else { return None };
        if self.control.loops.headed_by(block).is_some() || inputs.len() < 2 {
            return None;
        }
        let reading = if number % 2 == 0 { Reading::Signed } else { Reading::Unsigned };
        let around = self.control.loops.innermost(block);
        let mut list = Vec::new();
        for &(operand, from) in inputs {
            // What comes out of a loop may be of any of its iterations.
            let is_of_here = self.control.loops.innermost(from) == around;
            let form = self.of(operand, reading).filter(|_| is_of_here)?;
            if form.mentions(atom) {
                return None;
            }
            list.push(form);
        }
        Some((block, list))
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
