//! How often a loop runs.
//!
//! A test that is made in every iteration and continues while d(k) > 0, with d(k) = d(0) − s·k and a number s > 0, succeeds
//! max(0, ⌈d(0)/s⌉) times in a row; one that continues while d(k) ≠ 0 succeeds d(0)/s times, if that is an integer and not negative.
//! It bounds the iterations; it counts them if the loop can be left by it alone. Of several tests, as `&&` makes them, each
//! bounds the iterations, and the least counts.

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use super::conditions::Condition;
use super::forms::{Forms, Key, Reading};
use super::phis::Provisos;
use crate::control::LoopId;
use crate::control::obstacles::is_end;
use crate::ir::BlockId;
use crate::ir::instruction::Predicate;
use crate::memory::Assumption;
use crate::symbolic::{Coefficient, Polynomial};

/// How often a test of a loop succeeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trips {
    /// The block that tests.
    pub test: BlockId,
    /// How often it succeeds, if it succeeds at all; where this is negative it never does.
    pub count: Polynomial,
    /// Whether the loop can be left by this test alone.
    pub exact: bool,
}

impl Forms<'_> {
    /// What each test of a loop says about its number of iterations.
    pub fn trips(&mut self, id: LoopId) -> Rc<Vec<Trips>> {
        if let Some((trips, premises)) = self.trips.get(&id) {
            self.premises.extend(premises);
            return trips.clone();
        }
        let (trips, premises) = self.tracked(|forms| Rc::new(forms.counted(id)));
        self.trips.insert(id, (trips.clone(), premises));
        self.note(Key::Trips(id));
        trips
    }

    fn counted(&mut self, id: LoopId) -> Vec<Trips> {
        let found = self.control.loops.get(id);
        if !found.reducible {
            return Vec::new();
        }
        let mut list = Vec::new();
        for &(test, _) in &found.exits {
            let is_always_made =
                found.latches.iter().all(|&latch| self.control.dominators.dominates(test, latch));
            let is_own = self.control.loops.innermost(test) == Some(id);
            if !is_always_made || !is_own {
                continue;
            }
            let inside: Vec<BlockId> = self.control.successors[test.index()]
                .iter()
                .copied()
                .filter(|&to| self.control.loops.contains(id, to))
                .collect();
            let &[continues] = inside.as_slice() else { continue };
            // A way that ends the program leaves no loop.
            let is_way_on = |exit: &&(BlockId, BlockId)| !is_end(self.function.block(exit.1));
            let exact = found.exits.iter().filter(is_way_on).map(|exit| exit.0).eq([test]);
            list.extend(self.successes(id, test, continues).map(|count| Trips { test, count, exact }));
        }
        list
    }

    /// How often the branch from a block of a loop to another one is taken in a row.
    fn successes(&mut self, id: LoopId, test: BlockId, continues: BlockId) -> Option<Polynomial> {
        let condition = self.condition_of(test, continues)?;
        let Some((less, greater, reading, by)) = condition.ascending() else {
            return (condition.predicate == Predicate::Unequal).then(|| self.until_equal(id, condition))?;
        };
        let (less, greater) = self.sides(less, greater, reading, by)?;
        // Continues while this is positive.
        let rest = &(&greater - &less) + &Polynomial::from(1 - by);
        let (first, step) = self.descent(id, &rest)?;
        let step = Some(step).filter(BigInt::is_positive)?;
        self.atoms.ceiling(&first, &step)
    }

    /// What a polynomial is in the first iteration of a loop, and by how much it falls in each; `None` if that is no number, or the
    /// former is not the same in all iterations.
    fn descent(&mut self, id: LoopId, of: &Polynomial) -> Option<(Polynomial, BigInt)> {
        let iteration = self.iteration(id);
        let step = (-&of.difference(iteration)?).integer()?;
        let first = of + &Polynomial::from(iteration).scaled(&step.clone().into());
        self.is_fixed(&first, id).then_some((first, step))
    }

    /// How often the sides of a comparison differ in a row, if one comes to the other.
    ///
    /// Their difference is d(0) − s·k. It is zero in iteration d(0)/s, if that is an integer and not negative. Where this is
    /// not proved, it may be assumed: otherwise one side passes the other, and the loop runs on until something else ends it.
    fn until_equal(&mut self, id: LoopId, condition: Condition) -> Option<Polynomial> {
        let mut open = None;
        for reading in [Reading::Signed, Reading::Unsigned] {
            let (left, right) = (self.of(condition.left, reading)?, self.of(condition.right, reading)?);
            let Some((first, step)) = self.descent(id, &(&right - &left)) else { continue };
            if step.is_zero() {
                continue;
            }
            let count = first.scaled(&Coefficient::inverse(&step));
            // They pass each other.
            if count.constant().is_some() && count.integer().is_none_or(|count| count.is_negative()) {
                return None;
            }
            if count.is_integral() && self.is_not_negative_at_entry(id, &count) {
                return Some(count);
            }
            open = open.or(Some(count));
        }
        let count = open?;
        self.may_suppose = true;
        let place = self.control.loops.get(id).places(self.module)?.0.to_string();
        let assuming = self.assuming;
        let premise = self.memory.as_mut().filter(|_| assuming)?.assume(Assumption::Met { place });
        self.premises.insert(premise);
        Some(count)
    }

    fn is_not_negative_at_entry(&mut self, id: LoopId, of: &Polynomial) -> bool {
        let &[entry] = self.control.loops.get(id).entries.as_slice() else { return false };
        self.is_not_negative(entry, of)
    }

    /// The number of iterations begun before the one in which a loop is left by a test. The test is made in every iteration, so
    /// that is how often it succeeds in a row, whatever else may end the loop; 0 if that is negative, which is excluded by proof
    /// or by a proviso.
    pub(super) fn complete_iterations(&mut self, id: LoopId, from: BlockId) -> Option<Polynomial> {
        let trips = self.trips(id);
        let count = trips.iter().find(|trips| trips.test == from)?.count.clone();
        if self.is_not_negative_at_entry(id, &count) {
            return Some(count);
        }
        match &mut self.provisos {
            Provisos::Taken(list) => {
                list.push(count.clone());
                Some(count)
            }
            missing => {
                *missing = Provisos::Missing;
                None
            }
        }
    }
}
