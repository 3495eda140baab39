//! What branches say of a point of the program.
//!
//! A condition holds in a block if the branch's edge leads to a block with no other way in, and that block dominates it.
//! Branches inside loops that the block is not in say nothing: their values are those of another iteration.

use std::rc::Rc;

use super::forms::{Forms, Key, Reading};
use super::operators::limits;
use crate::ir::instruction::{BinaryOperator, Predicate};
use crate::ir::{BlockId, Operand, Operation, Value};
use crate::symbolic::{AtomId, Facts, Polynomial, Prover};

/// Branches that are looked at, from the nearest on.
const LOOKED_AT: usize = 16;

/// A place: a block, or the edge from it to another one.
pub type At = (BlockId, Option<BlockId>);

/// A comparison that holds.
#[derive(Debug, Clone, Copy)]
pub struct Condition {
    /// How its sides compare.
    pub predicate: Predicate,
    /// Its left side.
    pub left: Operand,
    /// Its right side.
    pub right: Operand,
}

/// The comparison that holds where another one does not.
pub fn opposite(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::Equal => Predicate::Unequal,
        Predicate::Unequal => Predicate::Equal,
        Predicate::GreaterUnsigned => Predicate::LessEqualUnsigned,
        Predicate::GreaterEqualUnsigned => Predicate::LessUnsigned,
        Predicate::LessUnsigned => Predicate::GreaterEqualUnsigned,
        Predicate::LessEqualUnsigned => Predicate::GreaterUnsigned,
        Predicate::GreaterSigned => Predicate::LessEqualSigned,
        Predicate::GreaterEqualSigned => Predicate::LessSigned,
        Predicate::LessSigned => Predicate::GreaterEqualSigned,
        Predicate::LessEqualSigned => Predicate::GreaterSigned,
    }
}

/// The comparison that holds with the sides exchanged.
fn exchanged(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::Equal | Predicate::Unequal => predicate,
        Predicate::GreaterUnsigned => Predicate::LessUnsigned,
        Predicate::GreaterEqualUnsigned => Predicate::LessEqualUnsigned,
        Predicate::LessUnsigned => Predicate::GreaterUnsigned,
        Predicate::LessEqualUnsigned => Predicate::GreaterEqualUnsigned,
        Predicate::GreaterSigned => Predicate::LessSigned,
        Predicate::GreaterEqualSigned => Predicate::LessEqualSigned,
        Predicate::LessSigned => Predicate::GreaterSigned,
        Predicate::LessEqualSigned => Predicate::GreaterEqualSigned,
    }
}

impl Condition {
    /// The comparison with its sides exchanged.
    pub fn mirrored(self) -> Condition {
        Condition { predicate: exchanged(self.predicate), left: self.right, right: self.left }
    }

    /// The reading in which the sides compare; `None` for equalities, which hold in both.
    pub fn reading(self) -> Option<Reading> {
        self.ascending().map(|(_, _, reading, _)| reading)
    }

    /// The comparison with its sides so that the left one is less, in which reading, and by how much at least; `None` for
    /// equalities.
    pub fn ascending(self) -> Option<(Operand, Operand, Reading, i64)> {
        let (left, right) = (self.left, self.right);
        Some(match self.predicate {
            Predicate::LessSigned => (left, right, Reading::Signed, 1),
            Predicate::LessEqualSigned => (left, right, Reading::Signed, 0),
            Predicate::GreaterSigned => (right, left, Reading::Signed, 1),
            Predicate::GreaterEqualSigned => (right, left, Reading::Signed, 0),
            Predicate::LessUnsigned => (left, right, Reading::Unsigned, 1),
            Predicate::LessEqualUnsigned => (left, right, Reading::Unsigned, 0),
            Predicate::GreaterUnsigned => (right, left, Reading::Unsigned, 1),
            Predicate::GreaterEqualUnsigned => (right, left, Reading::Unsigned, 0),
            Predicate::Equal | Predicate::Unequal => return None,
        })
    }
}

impl Forms<'_> {
    /// The comparison that holds on the edge from a block to another.
    pub fn condition_of(&self, from: BlockId, to: BlockId) -> Option<Condition> {
        let Operation::ConditionalBranch { condition, then, otherwise } =
            self.function.block(from).last()?.operation
        else {
            return None;
        };
        let Value::Local(value) = condition.value else { return None };
        let Operation::Compare(predicate, left, right) = self.definition(value)?.1.operation else {
            return None;
        };
        match (then == to, otherwise == to) {
            (true, false) => Some(Condition { predicate, left, right }),
            (false, true) => Some(Condition { predicate: opposite(predicate), left, right }),
            _ => None,
        }
    }

    /// Comparisons that hold in a block, the nearest first.
    pub fn conditions_at(&self, block: BlockId) -> Rc<[Condition]> {
        if let Some(known) = self.conditions.borrow().get(&block) {
            return known.clone();
        }
        let edges = self.edges_to(block).into_iter();
        let found: Rc<[Condition]> = edges.filter_map(|(from, to)| self.condition_of(from, to)).collect();
        self.conditions.borrow_mut().insert(block, found.clone());
        found
    }

    /// The comparisons of an operand that hold at a place, in a reading of it: with it on the left.
    pub fn comparisons(&self, operand: Operand, reading: Reading, (block, to): At) -> Vec<Condition> {
        let edge = to.and_then(|to| self.condition_of(block, to));
        let known = self.conditions_at(block);
        let all = edge.into_iter().chain(known.iter().copied());
        let on_left = all.filter_map(|condition| {
            if self.is_same(condition.left, operand) {
                Some(condition)
            } else if self.is_same(condition.right, operand) {
                Some(condition.mirrored())
            } else {
                None
            }
        });
        on_left.filter(|condition| condition.reading().is_none_or(|of| of == reading)).collect()
    }

    /// Blocks that end in a branch that decides whether a block is reached.
    pub(super) fn branches_at(&self, block: BlockId) -> Vec<BlockId> {
        let edges = self.edges_to(block).into_iter();
        edges.filter(|(from, _)| self.control.successors[from.index()].len() > 1).map(|edge| edge.0).collect()
    }

    /// Edges that every way to a block takes in the same iteration, the nearest first.
    pub(crate) fn edges_to(&self, block: BlockId) -> Vec<(BlockId, BlockId)> {
        let mut list = Vec::new();
        let mut at = Some(block);
        while let Some(target) = at.filter(|_| list.len() < LOOKED_AT) {
            if let &[from] = self.control.predecessors[target.index()].as_slice() {
                let is_of_this_iteration =
                    self.control.loops.around(from).all(|id| self.control.loops.contains(id, block));
                let is_branch = self.control.successors[from.index()].len() > 1;
                list.extend((is_of_this_iteration && is_branch).then_some((from, target)));
            }
            at = self.control.dominators.immediate(target);
        }
        list
    }

    /// What is known in a block: its conditions, and the limits of the types of parameters.
    pub fn facts_at(&mut self, block: BlockId) -> Rc<Facts> {
        if let Some((facts, premises)) = self.facts.get(&block) {
            self.premises.extend(premises);
            return facts.clone();
        }
        let (facts, premises) = self.tracked(|forms| Rc::new(forms.found_at(block)));
        self.facts.insert(block, (facts.clone(), premises));
        self.note(Key::Facts(block));
        facts
    }

    fn found_at(&mut self, block: BlockId) -> Facts {
        let mut facts = Facts::none();
        for (atom, least, most) in &self.limits {
            facts.at_least(*atom, least.clone());
            facts.at_most(*atom, most.clone());
        }
        let conditions = self.conditions_at(block);
        for condition in conditions.iter() {
            let Some((less, greater, reading, by)) = condition.ascending() else { continue };
            if let Some((less, greater)) = self.sides(less, greater, reading, by) {
                facts.assume(&(&greater - &less) - &Polynomial::from(by));
            }
        }
        let is_unsigned = |of: &Condition| of.reading() == Some(Reading::Unsigned);
        if conditions.iter().any(|of| of.predicate == Predicate::Unequal || is_unsigned(of)) {
            // Until then that is all that is known here.
            self.facts.insert(block, (Rc::new(facts.clone()), self.premises.clone()));
            self.note(Key::Facts(block));
            let known = self.facts_of_iterations(block);
            self.assume_unequal(&known, &conditions, &mut facts);
            self.assume_unsigned(&known, &conditions, &mut facts);
        }
        facts
    }

    /// Both sides of a comparison that says that one is less than the other one by so much at least.
    ///
    /// A quotient that is rounded towards zero is positive only where it is rounded down: where it has to be above a number that is not
    /// negative, it can be taken as rounded down.
    pub(super) fn sides(
        &mut self,
        less: Operand,
        greater: Operand,
        reading: Reading,
        by: i64,
    ) -> Option<(Polynomial, Polynomial)> {
        let (less, found) = (self.of(less, reading)?, self.of(greater, reading)?);
        if reading == Reading::Signed
            && self.is_opaque(&found)
            && let Some(rounded) = self.rounded_down(greater)
            && Prover::short(&self.atoms, &Facts::none())
                .is_not_negative(&(&less + &Polynomial::from(by - 1)))
        {
            return Some((less, rounded));
        }
        Some((less, found))
    }

    /// The quotient of signed numbers that an operand is, rounded down.
    fn rounded_down(&mut self, operand: Operand) -> Option<Polynomial> {
        let Value::Local(value) = operand.value else { return None };
        let Operation::Binary(BinaryOperator::DivideSigned, _, left, right) =
            self.definition(value)?.1.operation
        else {
            return None;
        };
        let divisor = self.module.integer(right).filter(|divisor| *divisor > 0)?;
        let divided = self.of(left, Reading::Signed)?;
        self.atoms.floor(&divided, &divisor.into())
    }

    /// What comparisons of unsigned numbers say of signed ones: what is less than a number that is not negative is not negative either
    /// (`(unsigned)x < (unsigned)width`).
    fn assume_unsigned(&mut self, known: &Facts, conditions: &[Condition], facts: &mut Facts) {
        for condition in conditions {
            let Some((less, greater, Reading::Unsigned, by)) = condition.ascending() else { continue };
            let sides = (self.of(less, Reading::Signed), self.of(greater, Reading::Signed));
            let (Some(less), Some(greater)) = sides else { continue };
            if Prover::short(&self.atoms, known).is_not_negative(&greater) {
                facts.assume(less.clone());
                facts.assume(&(&greater - &less) - &Polynomial::from(by));
            }
        }
    }

    /// What inequalities say together with what is known already, in which iterations the block is reached included.
    fn assume_unequal(&mut self, known: &Facts, conditions: &[Condition], facts: &mut Facts) {
        for condition in conditions.iter().filter(|of| of.predicate == Predicate::Unequal) {
            for reading in [Reading::Signed, Reading::Unsigned] {
                let sides = (self.of(condition.left, reading), self.of(condition.right, reading));
                if let (Some(x), Some(y)) = sides {
                    self.assume_apart(known, facts, &(&x - &y));
                }
            }
        }
    }

    /// What is not zero is at least one if it is not negative, at most minus one if it is not positive.
    fn assume_apart(&self, known: &Facts, facts: &mut Facts, difference: &Polynomial) {
        let prover = Prover::short(&self.atoms, known);
        let one = Polynomial::from(1);
        if prover.is_not_negative(difference) {
            facts.assume(difference - &one);
        } else if prover.is_not_negative(&-difference) {
            facts.assume(&-difference - &one);
        }
    }

    /// The limits of their types for parameters, in both readings.
    pub(super) fn limits_of_parameters(&mut self) -> Vec<(AtomId, Polynomial, Polynomial)> {
        let mut list: Vec<(AtomId, Polynomial, Polynomial)> = Vec::new();
        for parameter in &self.function.parameters {
            let Some(bits) = self.bits(self.function.value(parameter.value).of) else { continue };
            for reading in [Reading::Signed, Reading::Unsigned] {
                let form = self.of_value(parameter.value, reading);
                let &[atom] = form.atoms().as_slice() else { continue };
                let is_address_read_twice = bits == 64 && reading == Reading::Signed;
                // An unread reading has an atom of its own.
                if !is_address_read_twice && list.iter().all(|limit| limit.0 != atom) {
                    let (least, most) = limits(bits, reading);
                    list.push((atom, least, most));
                }
            }
        }
        list
    }

    /// Whether an operand is less than something in a block, so that one more does not wrap.
    pub(super) fn is_below_something(&self, block: BlockId, operand: Operand, reading: Reading) -> bool {
        self.conditions_at(block).iter().any(|condition| {
            condition.ascending().is_some_and(|(less, _, of, by)| less == operand && of == reading && by > 0)
        })
    }

    /// Whether an operand counts up by one until it is equal to something that it starts not above, and is not equal to it in a
    /// block: then it is less there, and one more does not wrap.
    pub(super) fn is_before_end(&mut self, block: BlockId, operand: Operand, reading: Reading) -> bool {
        self.end_above(block, operand, reading).is_some()
    }

    fn end_above(&mut self, block: BlockId, operand: Operand, reading: Reading) -> Option<Operand> {
        let Value::Local(value) = operand.value else { return None };
        let (header, phi) = self.definition(value)?;
        let (Operation::Phi(inputs), id) = (&phi.operation, self.control.loops.headed_by(header)?) else {
            return None;
        };
        let ((init, entry), (next, _)) = self.ends_of_phi(id, inputs)?;
        let Value::Local(next) = next.value else { return None };
        let (at, next) = self.definition(next)?;
        let Operation::Binary(BinaryOperator::Add, _, left, right) = next.operation else { return None };
        if !self.is_same(left, operand) || self.module.integer(right) != Some(1) {
            return None;
        }
        let init = self.of(init, reading)?;
        let is_end = |condition: &Condition| condition.predicate == Predicate::Unequal;
        let here = self.comparisons(operand, reading, (block, None));
        let where_counted = self.comparisons(operand, reading, (at, None));
        for end in where_counted.into_iter().filter(is_end).map(|condition| condition.right) {
            let is_here =
                here.iter().any(|condition| is_end(condition) && self.is_same(condition.right, end));
            let Some(form) = self.of(end, reading).filter(|_| is_here) else { continue };
            if self.is_fixed(&form, id) && self.is_not_negative(entry, &(&form - &init)) {
                return Some(end);
            }
        }
        None
    }
}
